// How a message lies on the wire, all numbers little-endian:
//
//     u16 bytes that follow | u32 number of the message | XTEA(u16 bytes of payload | payload | padding of 0x33)
//
// The ciphertext is a multiple of 8 bytes.

#ifndef FRAMING_HPP
#define FRAMING_HPP

#include "messages.hpp"

#include <abreast.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using Frame = std::vector<std::uint8_t>;

constexpr std::size_t LENGTH_BYTES = 2;
constexpr std::size_t SEQUENCE_BYTES = 4;
constexpr std::size_t HEADER = LENGTH_BYTES + SEQUENCE_BYTES;
constexpr std::size_t INNER_LENGTH = 2;
constexpr std::size_t BLOCK = 8;
constexpr std::uint8_t PADDING = 0x33;
/// The longest payload whose frame has a length of 16 bits.
constexpr std::size_t LONGEST_PAYLOAD = (0xFFFF - SEQUENCE_BYTES) / BLOCK * BLOCK - INNER_LENGTH;

/// Writes a frame, its body in the clear. A client's messages are numbered from 0.
void compose(Frame &frame, std::uint32_t sequence, abreast::Bytes payload);

/// Returns the encrypted part of a frame.
inline abreast::MutBytes body(Frame &frame) { return {frame.data() + HEADER, frame.size() - HEADER}; }

/// A client's first message: its number, and the key that it has chosen.
///
/// In earnest it is encrypted by the server's public key, and names an account.
using Login = std::array<std::uint8_t, 4 + 16>;
Login write_login(std::size_t client, const Key &key);
/// Returns the number of the client and its key.
std::pair<std::size_t, Key> read_login(const Login &login);

/// A number of some bytes.
std::uint32_t read_number(const std::uint8_t *from, std::size_t size);

#endif
