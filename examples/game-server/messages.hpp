// What is sent: keys and payloads from a seed, so that a client can tell by itself what it has to get.
//
// In earnest a client draws a key when it logs in, and never by a generator like this one.

#ifndef MESSAGES_HPP
#define MESSAGES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using Key = std::array<std::uint32_t, 4>;

/// The key and the messages of one client. The server has one of these for it, and the client another.
class Messages {
public:
    Messages(std::uint64_t seed, std::size_t client, std::size_t shortest, std::size_t longest);

    const Key &key() const { return key_; }
    /// The payload of the next message.
    const std::vector<std::uint8_t> &next();

private:
    std::uint64_t draw();

    std::uint64_t state_;
    std::size_t shortest_;
    std::size_t longest_;
    Key key_{};
    std::vector<std::uint8_t> payload_;
};

#endif
