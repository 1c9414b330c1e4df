// Frames: see framing.hpp.

#include "framing.hpp"

#include <algorithm>

namespace {

constexpr std::uint8_t WIKIPEDIA[] = {'W', 'i', 'k', 'i', 'p', 'e', 'd', 'i', 'a'};
static_assert(adler32(WIKIPEDIA, sizeof WIKIPEDIA) == 0x11E60398, "both ends have this sum, so it is checked here");

void write_number(std::uint8_t *to, std::size_t size, std::size_t number) {
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

} // namespace

std::uint32_t read_number(const std::uint8_t *from, std::size_t size) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number |= std::uint32_t{from[i]} << (8 * i);
    return number;
}

void compose(Frame &frame, abreast::Bytes payload) {
    const std::size_t inner = INNER_LENGTH + payload.size();
    const std::size_t padded = (inner + BLOCK - 1) / BLOCK * BLOCK;
    frame.assign(HEADER + padded, PADDING);
    write_number(frame.data(), LENGTH_BYTES, CHECKSUM_BYTES + padded);
    write_number(frame.data() + LENGTH_BYTES, CHECKSUM_BYTES, 0);
    write_number(frame.data() + HEADER, INNER_LENGTH, payload.size());
    std::copy(payload.begin(), payload.end(), frame.begin() + HEADER + INNER_LENGTH);
}

void add_checksum(Frame &frame) {
    const abreast::MutBytes ciphertext = body(frame);
    write_number(frame.data() + LENGTH_BYTES, CHECKSUM_BYTES, adler32(ciphertext.data(), ciphertext.size()));
}
