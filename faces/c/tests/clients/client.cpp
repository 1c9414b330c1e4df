// A client in C++17 or C++20: the classes over the handles, statuses and results, batches; the header in two
// translation units, with xtea.cpp.

#include <abreast.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

using abreast::Bytes;
using abreast::MutBytes;
using Block = std::array<std::uint8_t, 16>;

// In xtea.cpp.
void drop_in();
int after_macros();

static std::vector<std::uint8_t> from_hex(const char *digits) {
    std::vector<std::uint8_t> bytes(std::strlen(digits) / 2);
    hex(digits, bytes.data());
    return bytes;
}

static const auto key = from_hex("2b7e151628aed2a6abf7158809cf4f3c");
static const auto text = from_hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
static const auto iv = from_hex("000102030405060708090a0b0c0d0e0f");

static abreast::Cipher aes() {
    auto cipher = abreast::Cipher::make("aes-128", key);
    CHECK(cipher.ok());
    return std::move(cipher).value();
}

static void handles() {
    abreast::Cipher cipher = aes();
    CHECK(cipher && cipher.block_size() == 16 && std::string(cipher.name()) == "aes-128");
    abreast::Cipher moved = std::move(cipher);
    CHECK(moved && !cipher);
    std::vector<std::uint8_t> data = text;
    GIVES(ABREAST_NULL_POINTER, cipher.crypt(ABREAST_ECB_ENCRYPT, Bytes(), data).code());
    static_assert(!std::is_copy_constructible_v<abreast::Cipher>, "a handle has one owner");
    static_assert(std::is_nothrow_move_assignable_v<abreast::AeadStream>, "and may get another");
    struct Larger : abreast::Packet {
        long more[4];
    };
    using Packets = abreast::Span<abreast::Packet>;
    static_assert(std::is_constructible_v<Packets, std::vector<abreast::Packet> &>);
    static_assert(!std::is_constructible_v<Packets, std::vector<Larger> &>, "packets that lie further apart");

    // Many keys in one piece of memory, which is moved around with them.
    std::vector<std::uint8_t> many(35 * 16);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint8_t>(i * 5 + i / 16);
    abreast::Ciphers ciphers = abreast::Ciphers::make("aes-128", many).value();
    auto check_ciphers = [&] {
        CHECK(ciphers.size() == 35);
        for (std::size_t i = 0; i < ciphers.size(); ++i) {
            abreast::Cipher alone = abreast::Cipher::make("aes-128", {many.data() + 16 * i, 16}).value();
            std::array<std::uint8_t, 16> one{}, other{};
            ciphers[i].crypt(ABREAST_ECB_ENCRYPT, {}, one).or_throw();
            alone.crypt(ABREAST_ECB_ENCRYPT, {}, other).or_throw();
            CHECK(one == other);
        }
    };
    check_ciphers();
    // Others in their place: the old keys have to be freed before the memory that they lie in.
    for (std::uint8_t &byte : many) byte ^= 0x5a;
    ciphers = abreast::Ciphers::make("aes-128", many).value();
    check_ciphers();
    abreast::Ciphers elsewhere = std::move(ciphers);
    ciphers = std::move(elsewhere);
    check_ciphers();
    CHECK(abreast::Ciphers::make("aes-128", {}).value().size() == 0);
    CHECK(abreast::Ciphers::make("aes-128", {many.data(), 17}).status() == ABREAST_KEY_LENGTH);
    CHECK(abreast::Ciphers::make("des", many).status() == ABREAST_UNKNOWN_CIPHER);

    auto none = abreast::Cipher::make("des", key);
    CHECK(!none.ok() && none.status() == ABREAST_UNKNOWN_CIPHER);
    CHECK(std::string(none.status().text()) == abreast_status_text(ABREAST_UNKNOWN_CIPHER));
    GIVES(ABREAST_NULL_POINTER, none->crypt(ABREAST_ECB_ENCRYPT, Bytes(), data).code());
    GIVES(ABREAST_NULL_POINTER, abreast::Aead::gcm(*none).status().code());
#if defined(__cpp_exceptions)
    bool thrown = false;
    try {
        (void)abreast::Cipher::make("des", key).value();
    } catch (const abreast::Error &error) {
        thrown = error.status() == ABREAST_UNKNOWN_CIPHER && std::string(error.what()) == error.status().text();
    }
    CHECK(thrown);
    abreast::Status(ABREAST_OK).or_throw();
#endif
    CHECK(abreast::self_test().ok() && abreast::version() == std::string(abreast_version()));
}

// The constructors of one cipher each make the keys that names make.
static void constructors() {
    const auto many = from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    const auto same = [&](abreast::Result<abreast::Cipher> one, const char *name, std::size_t key_len) {
        auto other = abreast::Cipher::make(name, {many.data(), key_len});
        CHECK(one.ok() && other.ok() && std::string(one->name()) == name);
        std::vector<std::uint8_t> a = text, b = text;
        CHECK(one->crypt(ABREAST_ECB_ENCRYPT, {}, a).ok() && other->crypt(ABREAST_ECB_ENCRYPT, {}, b).ok() && a == b);
        CHECK(a != text);
    };
    const auto first = [&](std::size_t len) { return Bytes(many.data(), len); };
    same(abreast::Cipher::aes(first(16)), "aes-128", 16);
    same(abreast::Cipher::aes(first(24)), "aes-192", 24);
    same(abreast::Cipher::aes(first(32)), "aes-256", 32);
    same(abreast::Cipher::serpent(first(16)), "serpent-128", 16);
    same(abreast::Cipher::serpent(first(32)), "serpent-256", 32);
    same(abreast::Cipher::tea(first(16)), "tea", 16);
    same(abreast::Cipher::tea(first(16), true), "tea-be", 16);
    GIVES(ABREAST_KEY_LENGTH, abreast::Cipher::aes(first(17)).status().code());
    GIVES(ABREAST_KEY_LENGTH, abreast::Cipher::serpent(first(20)).status().code());
    GIVES(ABREAST_KEY_LENGTH, abreast::Cipher::tea(first(15)).status().code());
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast::Cipher::aes(first(16), "none").status().code());

    Block tag{}, other{};
    std::vector<std::uint8_t> a = text, b = text;
    auto gcm = abreast::Aead::aes_gcm(key);
    CHECK(gcm.ok() && gcm->encrypt(iv, Bytes(), a, tag).ok());
    CHECK(abreast::Aead::gcm(aes())->encrypt(iv, Bytes(), b, other).ok() && a == b && tag == other);
    GIVES(ABREAST_KEY_LENGTH, abreast::Aead::aes_gcm(first(8)).status().code());

    // RFC 8452, C.1, the second.
    auto siv = abreast::Aead::aes_gcm_siv(from_hex("01000000000000000000000000000000"));
    const auto nonce = from_hex("030000000000000000000000"), plain = from_hex("0100000000000000");
    std::vector<std::uint8_t> sealed = plain;
    CHECK(siv.ok() && siv->encrypt(nonce, Bytes(), sealed, tag).ok());
    CHECK(is_hex(sealed.data(), "b5d839330ac7b786") && is_hex(tag.data(), "578782fff6013b815b287c22493a364c"));
    CHECK(siv->decrypt(nonce, Bytes(), sealed, tag).ok() && sealed == plain);
    GIVES(ABREAST_NONCE_LENGTH, siv->encrypt(first(16), Bytes(), sealed, tag).code());
    CHECK(abreast::Aead::aes_gcm_siv(first(32)).ok());
    // RFC 5297, A.1.
    auto halves = from_hex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    auto mac = abreast::Cipher::aes(Bytes(halves.data(), 16)), half = abreast::Cipher::aes(Bytes(halves.data() + 16, 16));
    auto five = abreast::Aead::siv(*mac, *half);
    auto aad = from_hex("101112131415161718191a1b1c1d1e1f2021222324252627"), small = from_hex("112233445566778899aabbccddee");
    CHECK(five.ok() && five->encrypt(Bytes(), aad, small, tag).ok());
    CHECK(is_hex(small.data(), "40c02b9690c4dc04daef7f6afe5c") && is_hex(tag.data(), "85632d07c6e8f37f950acd320a2ecc93"));
    CHECK(five->decrypt(Bytes(), aad, small, tag).ok());
    // RFC 5297, A.2: two strings, here in one buffer, and a nonce.
    halves = from_hex("7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f");
    mac = abreast::Cipher::aes(Bytes(halves.data(), 16)), half = abreast::Cipher::aes(Bytes(halves.data() + 16, 16));
    auto with_strings = abreast::Aead::siv(*mac, *half);
    auto both = from_hex("00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100102030405060708090a0");
    const std::array<std::size_t, 2> lens{40, 10};
    auto of_siv = from_hex("09f911029d74e35bd84156c5635688c0");
    auto words = from_hex(
        "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d414553");
    const auto said = words;
    CHECK(with_strings->encrypt_strings(of_siv, both, lens, words, tag).ok());
    CHECK(is_hex(tag.data(), "7bdb6e3b432667eb06f4d14bff2fbd0f"));
    CHECK(is_hex(words.data(),
                 "cb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d"));
    CHECK(with_strings->decrypt_strings(of_siv, both, lens, words, tag).ok() && words == said);
    both.pop_back();
    GIVES(ABREAST_STRING_LENGTHS, with_strings->decrypt_strings(of_siv, both, lens, words, tag).code());
    GIVES(ABREAST_KEY_LENGTH, abreast::Aead::aes_gcm_siv(first(24)).status().code());
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast::Aead::aes_gcm_siv(first(16), "none").status().code());
}

static void buffers() {
    abreast::Cipher cipher = aes();
    std::vector<std::uint8_t> out(32);
    // Buffers of every kind of span: vectors, arrays, spans.
    CHECK(cipher.crypt(ABREAST_CBC_ENCRYPT, iv, {text, out}).ok());
    CHECK(is_hex(out.data(), "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"));
    CHECK(cipher.crypt(ABREAST_CBC_DECRYPT, iv, out).ok() && out == text);
    std::uint8_t array[32];
    CHECK(cipher.crypt(ABREAST_OFB, iv, {text, array}).ok() && cipher.crypt(ABREAST_OFB, iv, array).ok());
    CHECK(std::memcmp(array, text.data(), 32) == 0);
    Block block{};
    CHECK(cipher.crypt(ABREAST_ECB_ENCRYPT, Bytes(), block).ok());
    CHECK(cipher.crypt(ABREAST_ECB_DECRYPT, Bytes(), MutBytes(block)).ok());
    CHECK(block == Block{});
    out.resize(31);
    GIVES(ABREAST_BUFFER_LENGTHS, cipher.crypt(ABREAST_OFB, iv, {text, out}).code());
    GIVES(ABREAST_IV_LENGTH, cipher.crypt(ABREAST_OFB, Bytes(), out).code());
    GIVES(ABREAST_PARTIAL_BLOCK, cipher.crypt(ABREAST_ECB_ENCRYPT, Bytes(), out).code());
    const abreast::Buffer over(Bytes(out.data(), 16), MutBytes(out.data() + 1, 16));
    GIVES(ABREAST_OVERLAP, cipher.crypt(ABREAST_CFB_ENCRYPT, iv, over).code());

    std::vector<std::uint8_t> padded = text;
    padded.resize(48);
    auto len = cipher.cbc_encrypt_padded(iv, padded, 30);
    CHECK(len.ok() && *len == 32);
    auto plain = cipher.cbc_decrypt_padded(iv, MutBytes(padded.data(), *len));
    CHECK(plain.ok() && *plain == 30 && std::memcmp(padded.data(), text.data(), 30) == 0);
    GIVES(ABREAST_PADDING, cipher.cbc_decrypt_padded(iv, padded).status().code());

    std::vector<std::uint8_t> data = text;
    CHECK(cipher.crypt(ABREAST_CFB_ENCRYPT, iv, data).ok());
    CHECK(is_hex(data.data(), "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93f"));
    CHECK(cipher.crypt(ABREAST_CFB_DECRYPT, iv, data).ok() && data == text);
    CHECK(cipher.crypt(ABREAST_CFB8_ENCRYPT, iv, data).ok());
    CHECK(is_hex(data.data(), "3b79424c9c0dd436bace9e0ed4586a4f32b9"));
    CHECK(cipher.crypt(ABREAST_CFB8_DECRYPT, iv, data).ok() && data == text);
    CHECK(cipher.crypt(ABREAST_CTR128, from_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), data).ok());
    CHECK(is_hex(data.data(), "874d6191b620e3261bef6864990db6ce"));
}

static void modes() {
    abreast::Cipher cipher = aes();
    Block tag{};
    std::vector<std::uint8_t> data = text;
    const Bytes aad = abreast::bytes("sent in clear");
    abreast::Aead gcm = abreast::Aead::gcm(cipher).value();
    CHECK(gcm.encrypt(iv, aad, data, tag).ok() && data != text);
    CHECK(gcm.decrypt(iv, aad, data, tag).ok() && data == text);
    GIVES(ABREAST_TAG_MISMATCH, gcm.decrypt(iv, Bytes(), data, tag).code());
    data = text;
    abreast::Aead eax = abreast::Aead::eax(cipher).value();
    CHECK(eax.encrypt(iv, aad, data, tag).ok() && eax.decrypt(iv, aad, data, tag).ok() && data == text);
    abreast::Cmac cmac = abreast::Cmac::make(cipher).value();
    CHECK(cmac.mac(Bytes(text.data(), 16), tag).ok() && is_hex(tag.data(), "070a16b46b4d4144f79bdd9dd04a287c"));
    CHECK(cmac.verify(Bytes(text.data(), 16), tag).ok());
    const abreast::Srtp session =
        abreast::Srtp::make(ABREAST_SRTP_AES128_GCM, Bytes(text.data(), 16), Bytes(text.data(), 12)).value();
    std::array<std::uint8_t, 60> rtp{0x80};
    abreast::SrtpPacket srtp[] = {{session, ABREAST_SRTP_RTP, 0, rtp, 30}};
    CHECK(abreast::srtp_protect(srtp).ok() && srtp[0].written == 46 && rtp[45] != 0);
    srtp[0].len = srtp[0].written;
    CHECK(abreast::srtp_unprotect(srtp).ok() && srtp[0].result().ok() && srtp[0].written == 30 && rtp[29] == 0);
    const std::array<std::uint8_t, 20> auth_key{};
    GIVES(ABREAST_KEY_LENGTH, abreast::Esp::make(ABREAST_ESP_GCM, 7, Bytes(text.data(), 16), Bytes()).status().code());
    const abreast::Esp association =
        abreast::Esp::make(ABREAST_ESP_CBC_HMAC_SHA1, 7, Bytes(text.data(), 16), auth_key, true).value();
    std::array<std::uint8_t, 60> sent{};
    abreast::EspPacket esp[] = {{association, std::uint64_t{5} << 32 | 9, Bytes(text.data(), 16), sent, 40}};
    CHECK(abreast::esp_seal(esp).ok() && esp[0].written == 52 && sent[3] == 7 && sent[7] == 9 && sent[51] != 0);
    abreast::EspPacket received[] = {{association, std::uint64_t{5} << 32, Bytes(), MutBytes(sent.data(), 52), 52}};
    CHECK(abreast::esp_open(received).ok() && received[0].result().ok() && received[0].written == 40 && sent[39] == 0);
    const abreast::QuicHeaderKey of_headers = abreast::QuicHeaderKey::make(Bytes(text.data(), 16)).value();
    const abreast::QuicKey of_packets = abreast::QuicKey::make(Bytes(text.data(), 16), {1, 2}).value(), none;
    std::array<std::uint8_t, 60> packet{0x44};
    std::array<std::uint8_t, 5> mask{};
    abreast::QuicPacket quic[] = {{of_headers, none, of_packets, packet, 9, 0}};
    CHECK(abreast::quic_seal(quic).ok() && quic[0].header_len == 10 && packet[59] != 0);
    CHECK(of_headers.mask({}, mask).ok() && mask[0] != 0);
    CHECK(abreast::quic_open(quic).ok() && quic[0].result().ok() && packet[0] == 0x44 && packet[43] == 0);
    abreast::Hmac hmac = abreast::Hmac::sha1(Bytes(text.data(), 7)).value();
    CHECK(hmac.mac(Bytes(text.data(), 16), tag).ok() && hmac.verify(Bytes(text.data(), 16), tag).ok());
    auto pieces = abreast::HmacStream::make(hmac).value();
    CHECK(pieces.update(Bytes(text.data(), 16)).ok() && pieces.clone().value().verify(tag).ok());
    CHECK(pieces.reset().ok() && pieces.verify(tag).code() == ABREAST_TAG_MISMATCH);
    hmac = abreast::Hmac::sha256(Bytes(text.data(), 7)).value();
    CHECK(hmac.kernel() != nullptr && hmac.verify(Bytes(text.data(), 16), tag).code() == ABREAST_TAG_MISMATCH);
    std::array<std::uint8_t, 40> wrapped[2]{};
    std::array<std::uint8_t, 32> unwrapped{};
    CHECK(cipher.key_wrap(ABREAST_KEY_WRAP, Bytes(text.data(), 32), wrapped[0]).value() == 40);
    CHECK(cipher.key_wrap(ABREAST_KEY_UNWRAP, wrapped[0], unwrapped).value() == 32);
    CHECK(std::memcmp(unwrapped.data(), text.data(), 32) == 0);
    abreast::WrapPacket keys[] = {{cipher, Bytes(text.data(), 27), wrapped[0]},
                                  {cipher, Bytes(text.data(), 32), wrapped[1]}};
    CHECK(abreast::wrap_packets(ABREAST_KEY_WRAP_PADDED, keys).ok() && keys[0].result().ok());
    CHECK(cipher.key_wrap(ABREAST_KEY_UNWRAP_PADDED, wrapped[0], unwrapped).value() == 27);
    GIVES(ABREAST_TAG_MISMATCH, cipher.key_wrap(ABREAST_KEY_UNWRAP, wrapped[1], unwrapped).status().code());
    auto other = abreast::Cipher::make("aes-128", iv);
    abreast::Xts xts = abreast::Xts::make(cipher, *other).value();
    CHECK(xts.encrypt(abreast::unit_number(7), 16, data).ok());
    CHECK(xts.decrypt(abreast::unit_number(8), 16, MutBytes(data.data() + 16, 16)).ok());
    abreast::Hctr2 hctr2 = abreast::Hctr2::make(cipher).value();
    const auto before = data;
    CHECK(hctr2.encrypt(Bytes(data.data(), 0), data).ok() && data != before);
    CHECK(hctr2.decrypt(Bytes(data.data(), 0), data).ok() && data == before);
    CHECK(hctr2.encrypt(Bytes(data.data(), 0), MutBytes(data.data(), 15)) == ABREAST_MESSAGE_TOO_SHORT);
    CHECK(std::memcmp(data.data() + 16, text.data() + 16, 16) == 0);
    data = text;
    abreast::Aead aez = abreast::Aead::aez(key).value();
    const abreast::AdString ad[] = {aad, Bytes(), Bytes(iv)};
    CHECK(aez.aez_encrypt(iv, ad, data, tag).ok() && aez.aez_decrypt(iv, ad, data, tag).ok() && data == text);
    CHECK(aez.encrypt(iv, aad, data, tag).ok() && aez.aez_decrypt(iv, {ad, 1}, data, tag).ok() && data == text);
    GIVES(ABREAST_WRONG_KEY, gcm.aez_encrypt(iv, ad, data, tag).code());
    CHECK(aez.aez_encrypt_joined(iv, {}, 4, data).ok() && aez.aez_decrypt_joined(iv, {}, 4, data).ok());
    CHECK(std::memcmp(data.data(), text.data(), 28) == 0 && is_zero(data.data() + 28, 4));
    CHECK(aez.kernel() != nullptr && eax.kernel() == std::string(cipher.kernel()));
    std::array<std::uint8_t, 9> message{};
    CHECK(abreast::rc4(abreast::bytes("Key"), 0, {abreast::bytes("Plaintext"), message}).ok());
    CHECK(is_hex(message.data(), "bbf316e8d940af0ad3"));
}

static void streams() {
    auto cipher = aes();
    auto ctr = abreast::Stream::make(cipher, ABREAST_CTR128, from_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")).value();
    auto cbc = abreast::Stream::make(cipher, ABREAST_CBC_ENCRYPT, iv).value();
    auto cfb = abreast::Stream::make(cipher, ABREAST_CFB_ENCRYPT, iv).value();
    auto cfb8 = abreast::Stream::make(cipher, ABREAST_CFB8_ENCRYPT, iv).value();
    auto ofb = abreast::Stream::make(cipher, ABREAST_OFB, iv).value();
    auto gcm = abreast::AeadStream::make(*abreast::Aead::gcm(cipher), ABREAST_ENCRYPT, iv, Bytes()).value();
    auto eax = abreast::AeadStream::make(*abreast::Aead::eax(cipher), ABREAST_DECRYPT, iv, Bytes()).value();
    auto cmac = abreast::CmacStream::make(*abreast::Cmac::make(cipher)).value();
    // Their keys stay.
    cipher = abreast::Cipher();
    std::vector<std::uint8_t> data = text;
    MutBytes first(data.data(), 16), second(data.data() + 16, 16);
    CHECK(ctr.apply(first).ok() && ctr.apply(second).ok() && *ctr.position() == 32);
    CHECK(is_hex(data.data(), "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
    CHECK(ctr.seek(0).ok() && ctr.apply(data).ok() && data == text);
    CHECK(cbc.apply(first).ok() && is_hex(data.data(), "7649abac8119b246cee98e9b12e9197d"));
    data = text;
    CHECK(cfb.apply(data).ok() && is_hex(data.data(), "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93f"));
    data = text;
    CHECK(cfb8.apply(data).ok() && is_hex(data.data(), "3b79424c9c0dd436bace9e0ed4586a4f32b9"));
    data = text;
    CHECK(ofb.apply(data).ok() && is_hex(data.data(), "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03"));
    Block tag{};
    CHECK(gcm.update(data).ok() && gcm.finish(tag).ok());
    GIVES(ABREAST_FINISHED, gcm.update(data).code());
    CHECK(eax.update(data).ok());
    GIVES(ABREAST_TAG_MISMATCH, eax.verify(tag).code());
    // One stream for both ways.
    auto idle = abreast::AeadStream::idle(*abreast::Aead::gcm(aes())).value();
    GIVES(ABREAST_NOT_BEGUN, idle.update(data).code());
    data = text;
    CHECK(idle.begin(ABREAST_ENCRYPT, iv, Bytes()).ok() && idle.update(data).ok() && idle.finish(tag).ok());
    CHECK(idle.begin(ABREAST_DECRYPT, iv, Bytes()).ok() && idle.update(data).ok() && idle.verify(tag).ok());
    CHECK(data == text);
    CHECK(cmac.update(Bytes(text.data(), 16)).ok() && cmac.finish(tag).ok());
    CHECK(is_hex(tag.data(), "070a16b46b4d4144f79bdd9dd04a287c"));
    // Each of them again, with another message.
    data = text;
    CHECK(cbc.reset(iv).ok() && cbc.apply(first).ok() && is_hex(data.data(), "7649abac8119b246cee98e9b12e9197d"));
    CHECK(gcm.reset(iv, Bytes()).ok() && gcm.update(data).ok() && gcm.finish(tag).ok());
    CHECK(cmac.reset().ok() && cmac.update(Bytes(text.data(), 16)).ok() && cmac.finish(tag).ok());
    CHECK(is_hex(tag.data(), "070a16b46b4d4144f79bdd9dd04a287c"));

    // On the way: copies, the running vector, associated data in pieces, pieces with padding.
    Block running{}, same{};
    std::vector<std::uint8_t> copied = text;
    data = text;
    CHECK(cbc.reset(iv).ok() && cbc.apply(first).ok() && cbc.running_iv(running).ok());
    CHECK(is_hex(running.data(), "7649abac8119b246cee98e9b12e9197d"));
    auto copy = cbc.clone().value();
    CHECK(cbc.apply(second).ok() && copy.apply(MutBytes(copied.data() + 16, 16)).ok());
    CHECK(std::memcmp(data.data() + 16, copied.data() + 16, 16) == 0);
    CHECK(gcm.reset(iv, Bytes(text.data(), 20)).ok() && gcm.finish(tag).ok());
    CHECK(gcm.reset(iv, Bytes()).ok() && gcm.associated_data(Bytes(text.data(), 3)).ok());
    auto sealing = gcm.clone().value();
    CHECK(sealing.associated_data(Bytes(text.data() + 3, 17)).ok() && sealing.finish(same).ok() && tag == same);
    CHECK(cmac.reset().ok() && cmac.update(Bytes(text.data(), 5)).ok());
    auto other = cmac.clone().value();
    CHECK(other.update(Bytes(text.data() + 5, 11)).ok() && other.finish(tag).ok());
    CHECK(is_hex(tag.data(), "070a16b46b4d4144f79bdd9dd04a287c"));
    auto padded = abreast::PaddedStream::make(aes(), ABREAST_CBC_ENCRYPT, iv).value();
    std::array<std::uint8_t, 48> out{};
    CHECK(*padded.update(Bytes(text.data(), 5), out) == 0 && *padded.update(Bytes(text.data() + 5, 12), out) == 16);
    CHECK(is_hex(out.data(), "7649abac8119b246cee98e9b12e9197d"));
    auto twin = padded.clone().value();
    std::array<std::uint8_t, 16> end{}, end_of_twin{};
    CHECK(*padded.finish(end) == 16 && *twin.finish(end_of_twin) == 16 && end == end_of_twin);
    GIVES(ABREAST_FINISHED, padded.finish(end).status().code());

    auto rc4 = abreast::Rc4Stream::make(abreast::bytes("Key")).value();
    std::array<std::uint8_t, 258> state{};
    std::array<std::uint8_t, 4> start{};
    CHECK(rc4.export_to(state).ok() && rc4.skip(5).ok() && rc4.apply(start).ok());
    auto again = abreast::Rc4Stream::import(state).value();
    std::array<std::uint8_t, 9> whole{};
    CHECK(again.apply(whole).ok() && std::memcmp(whole.data() + 5, start.data(), 4) == 0);
}

// Batches of a game server: a key for each connection, and at every tick a message for most.
static void batches() {
    struct Connection {
        abreast::Cipher cipher;
        std::vector<std::uint8_t> message, plain;
    };
    std::vector<Connection> connections;
    for (std::uint32_t i = 0; i < 600; ++i) {
        auto cipher = abreast::Cipher::xtea({i, 2 * i, 3 * i, ~i});
        CHECK(cipher.ok());
        std::vector<std::uint8_t> plain(8 * (1 + i % 9), static_cast<std::uint8_t>(i));
        connections.push_back({std::move(cipher).value(), plain, plain});
    }
    std::vector<abreast::Packet> packets;
    for (int tick = 0; tick < 2; ++tick) {
        packets.clear();
        for (Connection &connection : connections) packets.emplace_back(connection.cipher, connection.message);
        CHECK(abreast::packets(ABREAST_ECB_ENCRYPT, packets).ok());
    }
    for (std::size_t i = 0; i < connections.size(); ++i) {
        CHECK(packets[i].result().ok());
        CHECK(connections[i].cipher.crypt(ABREAST_ECB_DECRYPT, Bytes(), connections[i].message).ok());
        CHECK(connections[i].cipher.crypt(ABREAST_ECB_DECRYPT, Bytes(), connections[i].message).ok());
        CHECK(connections[i].message == connections[i].plain);
    }
    // A bad one between good ones.
    std::vector<std::uint8_t> &message = connections[1].message;
    packets[1] = abreast::Packet(connections[1].cipher, MutBytes(message.data(), 7));
    packets[2] = abreast::Packet(connections[2].cipher, {Bytes(message.data(), 8), MutBytes()});
    GIVES(ABREAST_BATCH, abreast::packets(ABREAST_ECB_DECRYPT, {packets.data(), 4}).code());
    CHECK(packets[0].result().ok() && packets[3].result().ok());
    CHECK(packets[1].result() == ABREAST_PARTIAL_BLOCK && packets[2].result() == ABREAST_NULL_POINTER);

    abreast::Cipher cipher = aes();
    abreast::Aead gcm = abreast::Aead::gcm(cipher).value();
    std::array<Block, 3> data{}, tags{}, nonces{};
    std::vector<abreast::Packet> sealed;
    for (std::size_t i = 0; i < 3; ++i) {
        nonces[i][0] = static_cast<std::uint8_t>(i);
        sealed.push_back(abreast::Packet(gcm, data[i]).with_iv(nonces[i]).with_aad(iv).with_tag(tags[i]));
    }
    // Nothing is done that no batch has done.
    CHECK(sealed[0].result() == ABREAST_NOT_PROCESSED);
    CHECK(abreast::packets(ABREAST_GCM_ENCRYPT, sealed).ok());
    tags[1][0] ^= 1;
    GIVES(ABREAST_BATCH, abreast::packets(ABREAST_GCM_DECRYPT, sealed).code());
    CHECK(sealed[0].result().ok() && sealed[1].result() == ABREAST_TAG_MISMATCH && sealed[2].result().ok());
    CHECK(data[0] == Block{} && data[2] == Block{});
    GIVES(ABREAST_BATCH, abreast::packets(ABREAST_AEZ_ENCRYPT, sealed).code());
    CHECK(sealed[0].result() == ABREAST_WRONG_KEY);
    for (std::size_t i = 0; i < 3; ++i) sealed[i] = abreast::Packet(cipher, data[i]).with_iv(nonces[i]);
    for (int i = 0; i < 2; ++i) CHECK(abreast::packets(ABREAST_CTR32, sealed).ok());
    CHECK(data[2] == Block{});

    auto rc4 = abreast::Rc4Stream::make(key).value();
    std::vector<abreast::Rc4Piece> pieces{{rc4, data[0]}, {rc4, data[1]}};
    CHECK(pieces[0].result() == ABREAST_NOT_PROCESSED);
    CHECK(abreast::rc4_streams(pieces).ok() && pieces[0].result().ok());
    std::vector<abreast::Rc4Message> messages{{key, 0, data[0]}, {key, 16, data[1]}, {Bytes(), 0, data[2]}};
    CHECK(messages[1].result() == ABREAST_NOT_PROCESSED);
    GIVES(ABREAST_BATCH, abreast::rc4_keys(messages).code());
    CHECK(messages[1].result().ok() && messages[2].result() == ABREAST_KEY_LENGTH);
    CHECK(data[0] == Block{} && data[1] == Block{});
}

int main() {
    handles();
    constructors();
    buffers();
    modes();
    streams();
    batches();
    drop_in();
    CHECK(after_macros() == ABREAST_OK);
    std::printf("%d checks\n", checks);
}
