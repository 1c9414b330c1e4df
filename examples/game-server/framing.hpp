// How a message lies on the wire, all numbers little-endian:
//
//     u16 bytes that follow | u32 Adler-32 of the ciphertext | XTEA(u16 bytes of payload | payload | padding of 0x33)
//
// The ciphertext is a multiple of 8 bytes.

#ifndef FRAMING_HPP
#define FRAMING_HPP

#include <abreast.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using Frame = std::vector<std::uint8_t>;

constexpr std::size_t LENGTH_BYTES = 2;
constexpr std::size_t CHECKSUM_BYTES = 4;
constexpr std::size_t HEADER = LENGTH_BYTES + CHECKSUM_BYTES;
constexpr std::size_t INNER_LENGTH = 2;
constexpr std::size_t BLOCK = 8;
constexpr std::uint8_t PADDING = 0x33;
/// The longest payload whose frame has a length of 16 bits.
constexpr std::size_t LONGEST_PAYLOAD = (0xFFFF - CHECKSUM_BYTES) / BLOCK * BLOCK - INNER_LENGTH;

/// Writes a frame without checksum, its body in the clear.
void compose(Frame &frame, abreast::Bytes payload);

/// Returns the encrypted part of a frame.
inline abreast::MutBytes body(Frame &frame) { return {frame.data() + HEADER, frame.size() - HEADER}; }

/// Writes the checksum, when the body is ciphertext.
void add_checksum(Frame &frame);

/// The checksum of RFC 1950.
constexpr std::uint32_t adler32(const std::uint8_t *bytes, std::size_t size) {
    constexpr std::uint32_t prime = 65521;
    // So many bytes fit before a sum leaves 32 bits.
    constexpr std::size_t most = 5552;
    std::uint32_t a = 1, b = 0;
    while (size > 0) {
        const std::size_t now = size < most ? size : most;
        for (std::size_t i = 0; i < now; ++i) {
            a += bytes[i];
            b += a;
        }
        a %= prime;
        b %= prime;
        bytes += now;
        size -= now;
    }
    return b << 16 | a;
}

/// A number of some bytes.
std::uint32_t read_number(const std::uint8_t *from, std::size_t size);

#endif
