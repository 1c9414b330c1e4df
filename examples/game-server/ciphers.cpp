// The three ways: see ciphers.hpp.

#include "ciphers.hpp"

#include <array>
#include <cstring>

namespace {

/// The key as bytes.
std::array<std::uint8_t, 16> bytes_of(const Key &key) {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(key[i / 4] >> (8 * (i % 4)));
    return bytes;
}

// The words of a block are little-endian, as those of this machine: abreast has its kernels for such machines alone.
void encrypt_blocks(abreast::MutBytes data, const xtea::round_keys &keys) {
    for (std::size_t at = 0; at < data.size(); at += BLOCK) {
        std::uint32_t left, right;
        std::memcpy(&left, data.data() + at, 4);
        std::memcpy(&right, data.data() + at + 4, 4);
        for (std::size_t i = 0; i < keys.size(); i += 2) {
            left += (((right << 4) ^ (right >> 5)) + right) ^ keys[i];
            right += (((left << 4) ^ (left >> 5)) + left) ^ keys[i + 1];
        }
        std::memcpy(data.data() + at, &left, 4);
        std::memcpy(data.data() + at + 4, &right, 4);
    }
}

} // namespace

void ScalarLoop::encrypt(std::vector<Queued> &queue) {
    for (Queued &message : queue) encrypt_blocks(body(message.frame), keys_[message.connection]);
}

void SingleCalls::login(std::size_t connection, const Key &key) {
    keys_[connection] = abreast::Cipher::xtea(key).value();
}

void SingleCalls::encrypt(std::vector<Queued> &queue) {
    for (Queued &message : queue) {
        keys_[message.connection].crypt(ABREAST_ECB_ENCRYPT, {}, body(message.frame)).or_throw();
    }
}

void OneBatch::login(std::size_t connection, const Key &key) {
    const std::size_t size = abreast::CipherInPlace::room("xtea");
    Place &place = keys_[connection];
    place.memory = std::make_unique<std::uint8_t[]>(size);
    place.key = abreast::CipherInPlace::make({place.memory.get(), size}, "xtea", bytes_of(key)).value();
}

void OneBatch::encrypt(std::vector<Queued> &queue) {
    packets_.clear();
    for (Queued &message : queue) packets_.emplace_back(keys_[message.connection].key, body(message.frame));
    abreast::packets(ABREAST_ECB_ENCRYPT, packets_).or_throw();
}
