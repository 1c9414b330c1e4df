// xtea.hpp where a game server has its own: the names and types are all that this file knows.

#include <abreast.hpp>
#include <abreast/xtea.hpp>

#include <cstring>
#include <vector>

#include "check.h"

// The cipher as its paper has it, little-endian words.
static void paper(std::uint8_t *block, const xtea::key &k) {
    std::uint32_t v[2], sum = 0;
    std::memcpy(v, block, 8);
    for (int cycle = 0; cycle < 32; ++cycle) {
        v[0] += (((v[1] << 4) ^ (v[1] >> 5)) + v[1]) ^ (sum + k[sum & 3]);
        sum += 0x9E3779B9;
        v[1] += (((v[0] << 4) ^ (v[0] >> 5)) + v[0]) ^ (sum + k[(sum >> 11) & 3]);
    }
    std::memcpy(block, v, 8);
}

void drop_in();

void drop_in() {
    const xtea::key key = {0x01234567, 0x89abcdef, 0xdeadbeef, 0x0badf00d};
    const xtea::round_keys round_keys = xtea::expand_key(key);
    for (std::size_t length = 0; length <= 65 * 8; length += 8) {
        std::vector<std::uint8_t> data(length), plain(length), expected;
        for (std::size_t i = 0; i < length; ++i) plain[i] = data[i] = static_cast<std::uint8_t>(i * 31);
        expected = plain;
        for (std::size_t at = 0; at < length; at += 8) paper(expected.data() + at, key);
        xtea::encrypt(data.data(), length, round_keys);
        CHECK(data == expected);
        // The same key by a handle.
        auto cipher = abreast::Cipher::xtea(key).value();
        auto expanded = abreast::Cipher::xtea_expanded(round_keys).value();
        CHECK(cipher.crypt(ABREAST_ECB_DECRYPT, {}, data).ok() && data == plain);
        CHECK(expanded.crypt(ABREAST_ECB_ENCRYPT, {}, data).ok() && data == expected);
        xtea::decrypt(data.data(), length, round_keys);
        CHECK(data == plain);
    }
    // A length that is no multiple of 8 is a status, and nothing is changed.
    std::vector<std::uint8_t> data(64, 7), untouched = data;
    for (std::size_t length = 0; length <= data.size(); ++length) {
        int expected = length % 8 == 0 ? ABREAST_OK : ABREAST_PARTIAL_BLOCK;
        CHECK(abreast::xtea::try_encrypt(data.data(), length, round_keys) == expected);
        CHECK((data == untouched) == (length == 0 || expected != ABREAST_OK));
        CHECK(abreast::xtea::try_decrypt(data.data(), length, round_keys) == expected);
        CHECK(data == untouched);
    }
    constexpr xtea::round_keys zero = xtea::expand_key({0, 0, 0, 0});
    static_assert(zero[1] == 0x9E3779B9, "keys may be expanded by the compiler");
}
