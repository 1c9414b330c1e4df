// The headers after macros that the headers of X11 and Windows define. Their values are such that no code survives them.

#define BROKEN +-+ this is a macro of another header

// X11/X.h, X11/Xlib.h
#define Above BROKEN
#define AllTemporary BROKEN
#define Always BROKEN
#define AnyKey BROKEN
#define Below BROKEN
#define Bool BROKEN
#define Complex BROKEN
#define CurrentTime BROKEN
#define False BROKEN
#define NoSymbol BROKEN
#define None BROKEN
#define Status BROKEN
#define Success BROKEN
#define True BROKEN
#define Unsorted BROKEN
// windows.h, winnt.h, wingdi.h, winuser.h, rpcndr.h, math.h
#define ABSOLUTE BROKEN
#define CONST BROKEN
#define CreateFont BROKEN
#define DELETE BROKEN
#define DIFFERENCE BROKEN
#define DOMAIN BROKEN
#define DrawText BROKEN
#define ERROR BROKEN
#define FAR BROKEN
#define GetMessage BROKEN
#define GetObject BROKEN
#define IGNORE BROKEN
#define IN BROKEN
#define INFINITE BROKEN
#define NEAR BROKEN
#define NO_ERROR BROKEN
#define OPTIONAL BROKEN
#define OUT BROKEN
#define OVERFLOW BROKEN
#define RELATIVE BROKEN
#define STRICT BROKEN
#define SendMessage BROKEN
#define THIS BROKEN
#define TRANSPARENT BROKEN
#define UNDERFLOW BROKEN
#define VOID BROKEN
#define Yield BROKEN
#define far BROKEN
#define hyper BROKEN
#define interface BROKEN
#define max(a, b) BROKEN
#define min(a, b) BROKEN
#define near BROKEN
#define pascal BROKEN
#define small BROKEN

#include <abreast.hpp>
#include <abreast/xtea.hpp>

#include "check.h"

#if !defined(Status) || !defined(Success) || !defined(None)
#error "the macros are what they were"
#endif

int after_macros();

int after_macros() {
    std::array<std::byte, 16> key{}, counter{}, data{}, tag{};
    // std::byte wherever there are bytes, and a key in memory of the caller.
    std::vector<std::byte> memory(abreast::CipherInPlace::room("aes-128"));
    CHECK(!memory.empty() && abreast::CipherInPlace::room("no cipher") == 0);
    auto cipher = abreast::CipherInPlace::make(memory, "aes-128", key);
    CHECK(cipher.ok() && cipher->block_size() == 16);
    abreast::Outcome done = cipher->crypt(ABREAST_CTR128, counter, data);
    CHECK(done.ok() && data[0] == std::byte{0x66});
    auto gcm = abreast::Aead::gcm(*cipher);
    CHECK(gcm->encrypt(counter, {}, data, tag).ok());
    const std::byte raw[16] = {};
    std::byte in_an_array[16] = {};
    auto other = abreast::Cipher::make("aes-128", raw);
    CHECK(other->crypt(ABREAST_CTR128, counter, in_an_array).ok() && in_an_array[0] == std::byte{0x66});
    CHECK(abreast::CipherInPlace::make(abreast::MutBytes(memory.data(), 16), "aes-128", key).status().code() ==
          ABREAST_MEMORY_SIZE);
    // A connection with its keys and streams in one piece of memory.
    std::vector<std::byte> slab(abreast::Aead::gcm_room() + abreast::AeadStream::room() + abreast::Stream::room());
    abreast::MutBytes all(slab.data(), slab.size());
    auto front = [&](std::size_t len) {
        abreast::MutBytes part(all.data(), len);
        all = abreast::MutBytes(all.data() + len, all.size() - len);
        return part;
    };
    {
        auto placed = abreast::Aead::gcm_in(front(abreast::Aead::gcm_room()), *cipher);
        auto sealing = abreast::AeadStream::idle_in(front(abreast::AeadStream::room()), *placed);
        auto stream = abreast::Stream::make_in(front(abreast::Stream::room()), *cipher, ABREAST_OFB, counter);
        std::array<std::byte, 16> sealed{}, mark{};
        CHECK(sealing->begin(ABREAST_ENCRYPT, counter, {}).ok() && sealing->update(sealed).ok());
        CHECK(sealing->finish(mark).ok() && stream->apply(sealed).ok());
        CHECK(gcm->encrypt(counter, {}, key, tag).ok() && mark == tag);
    }
    for (std::byte byte : slab) CHECK(byte == std::byte{0});
    std::vector<std::byte> others(abreast::Aead::aez_room() + abreast::Aead::eax_room() + abreast::Aead::siv_room() +
                                  abreast::Aead::aes_gcm_siv_room() + abreast::PaddedStream::room() +
                                  abreast::CmacStream::room() + abreast::HmacStream::room() + abreast::Rc4Stream::room());
    CHECK(abreast::Aead::aez_in(others, counter).ok());
    CHECK(abreast::Aead::eax_in(others, *cipher).ok());
    CHECK(abreast::Aead::siv_in(others, *cipher, *other).ok());
    CHECK(abreast::Aead::aes_gcm_siv_in(others, counter).ok());
    CHECK(abreast::PaddedStream::make_in(others, *cipher, ABREAST_CBC_ENCRYPT, counter).ok());
    CHECK(abreast::CmacStream::make_in(others, *abreast::Cmac::make(*cipher)).ok());
    CHECK(abreast::HmacStream::make_in(others, *abreast::Hmac::sha1(counter)).ok());
    CHECK(abreast::Rc4Stream::make_in(others, counter).ok());
    CHECK(abreast::Rc4Stream::make_in(abreast::MutBytes(others.data(), 9), counter).status().code() == ABREAST_MEMORY_SIZE);
    std::uint8_t block[9] = {};
    CHECK(abreast::xtea::try_encrypt(block, 9, {}) == ABREAST_PARTIAL_BLOCK);
    return ABREAST_OK;
}
