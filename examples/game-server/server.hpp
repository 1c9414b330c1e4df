// The server: ticks in which each client gets a message.

#ifndef SERVER_HPP
#define SERVER_HPP

#include "ciphers.hpp"
#include "framing.hpp"
#include "messages.hpp"
#include "sockets.hpp"
#include "statistics.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class Server {
public:
    /// Client i has socket i and messages i.
    Server(std::vector<Socket> sockets, std::vector<Messages> messages);

    /// Runs for some seconds, after a warm-up that is not measured.
    void run(std::uint64_t seconds);

    /// Messages that were sent, those of the warm-up too, and the bytes of their ciphertext.
    std::uint64_t sent() const { return sent_; }
    std::uint64_t ciphertext_bytes() const { return ciphertext_bytes_; }
    /// Ticks that were measured.
    std::uint64_t ticks() const { return samples_.front().size(); }
    /// Bytes in which two ways differ.
    std::uint64_t different_bytes() const { return different_bytes_; }
    /// The ways, the batch last.
    std::vector<Timing> timings() const;
    std::string kernel() const { return kernel_; }

private:
    static constexpr std::size_t WAYS = 3;

    void tick(std::uint64_t number, bool measured);

    std::vector<Socket> sockets_;
    std::vector<Messages> messages_;
    std::array<std::unique_ptr<Way>, WAYS> ways_;
    std::string kernel_;
    /// The frames of a tick before encryption, and as each way encrypts them.
    std::vector<Frame> plain_;
    std::array<std::vector<Frame>, WAYS> encrypted_;
    /// Microseconds.
    std::array<std::vector<double>, WAYS> samples_;
    std::uint64_t sent_ = 0;
    std::uint64_t ciphertext_bytes_ = 0;
    std::uint64_t different_bytes_ = 0;
};

#endif
