// Frames: see framing.hpp.

#include "framing.hpp"

#include <algorithm>

namespace {

void write_number(std::uint8_t *to, std::size_t size, std::size_t number) {
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

} // namespace

std::uint32_t read_number(const std::uint8_t *from, std::size_t size) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number |= std::uint32_t{from[i]} << (8 * i);
    return number;
}

void compose(Frame &frame, std::uint32_t sequence, abreast::Bytes payload) {
    const std::size_t inner = INNER_LENGTH + payload.size();
    const std::size_t padded = (inner + BLOCK - 1) / BLOCK * BLOCK;
    frame.assign(HEADER + padded, PADDING);
    write_number(frame.data(), LENGTH_BYTES, SEQUENCE_BYTES + padded);
    write_number(frame.data() + LENGTH_BYTES, SEQUENCE_BYTES, sequence);
    write_number(frame.data() + HEADER, INNER_LENGTH, payload.size());
    std::copy(payload.begin(), payload.end(), frame.begin() + HEADER + INNER_LENGTH);
}

Login write_login(std::size_t client, const Key &key) {
    Login login;
    write_number(login.data(), 4, client);
    for (std::size_t i = 0; i < key.size(); ++i) write_number(login.data() + 4 + 4 * i, 4, key[i]);
    return login;
}

std::pair<std::size_t, Key> read_login(const Login &login) {
    Key key;
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = read_number(login.data() + 4 + 4 * i, 4);
    return {read_number(login.data(), 4), key};
}
