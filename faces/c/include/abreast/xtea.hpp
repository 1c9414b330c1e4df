// XTEA as game servers have it: little-endian words, 32 cycles, in place, keys expanded to 64 words.
//
// The names and types are those that such servers use, so this header takes the place of theirs:
//
//     xtea::round_keys keys = xtea::expand_key(key);
//     xtea::encrypt(message, length, keys);
//
// Messages to many connections at once go faster as a batch: abreast::Cipher::xtea and abreast::packets, in abreast.hpp.

#ifndef ABREAST_XTEA_HPP
#define ABREAST_XTEA_HPP

#include "../abreast.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace xtea {

using key = std::array<std::uint32_t, 4>;
using round_keys = std::array<std::uint32_t, 64>;

/// Works out, for each cycle, the sum and the word of the key that it chooses, before the sum grows and after.
constexpr round_keys expand_key(const key &k) {
    round_keys expanded{};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < expanded.size(); i += 2) {
        expanded[i] = sum + k[sum & 3];
        sum += 0x9E3779B9;
        expanded[i + 1] = sum + k[(sum >> 11) & 3];
    }
    return expanded;
}

/// Encrypts in place. The length is a multiple of 8: the program ends if it is not, rather than send plaintext. try_encrypt
/// returns a status instead.
inline void encrypt(std::uint8_t *data, std::size_t length, const round_keys &k) {
    if (abreast_xtea_encrypt(k.data(), data, data, length) != ABREAST_OK) std::abort();
}

/// Decrypts in place. The length is a multiple of 8, as for encrypt.
inline void decrypt(std::uint8_t *data, std::size_t length, const round_keys &k) {
    if (abreast_xtea_decrypt(k.data(), data, data, length) != ABREAST_OK) std::abort();
}

/// Encrypts in place, and returns ABREAST_OK; or changes nothing, and returns ABREAST_PARTIAL_BLOCK if the length is no
/// multiple of 8, or another status of abreast_xtea_encrypt.
[[nodiscard]] inline int try_encrypt(std::uint8_t *data, std::size_t length, const round_keys &k) noexcept {
    return abreast_xtea_encrypt(k.data(), data, data, length);
}

/// Decrypts in place, and returns a status as try_encrypt does.
[[nodiscard]] inline int try_decrypt(std::uint8_t *data, std::size_t length, const round_keys &k) noexcept {
    return abreast_xtea_decrypt(k.data(), data, data, length);
}

} // namespace xtea

namespace abreast {
// The same namespace, so that a program with `using namespace abreast` may write xtea:: even so.
namespace xtea = ::xtea;
} // namespace abreast

#endif
