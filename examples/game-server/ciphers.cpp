// The three ways: see ciphers.hpp.

#include "ciphers.hpp"

#include <cstring>

namespace {

std::vector<abreast::Cipher> prepare(const std::vector<Key> &keys) {
    std::vector<abreast::Cipher> prepared;
    for (const Key &key : keys) prepared.push_back(abreast::Cipher::xtea(key).value());
    return prepared;
}

/// The keys as bytes, one after the other.
abreast::Ciphers prepare_together(const std::vector<Key> &keys) {
    std::vector<std::uint8_t> bytes;
    for (const Key &key : keys) {
        for (std::uint32_t word : key) {
            for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
        }
    }
    return abreast::Ciphers::make("xtea", bytes).value();
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

ScalarLoop::ScalarLoop(const std::vector<Key> &keys) {
    for (const Key &key : keys) keys_.push_back(xtea::expand_key(key));
}

void ScalarLoop::encrypt(std::vector<Frame> &frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) encrypt_blocks(body(frames[i]), keys_[i]);
}

SingleCalls::SingleCalls(const std::vector<Key> &keys) : keys_(prepare(keys)) {}

void SingleCalls::encrypt(std::vector<Frame> &frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        keys_[i].crypt(ABREAST_ECB_ENCRYPT, {}, body(frames[i])).or_throw();
    }
}

OneBatch::OneBatch(const std::vector<Key> &keys) : keys_(prepare_together(keys)) { packets_.reserve(keys.size()); }

void OneBatch::encrypt(std::vector<Frame> &frames) {
    packets_.clear();
    for (std::size_t i = 0; i < frames.size(); ++i) packets_.emplace_back(keys_[i], body(frames[i]));
    abreast::packets(ABREAST_ECB_ENCRYPT, packets_).or_throw();
}
