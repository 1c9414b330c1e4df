// The server: clients log in, messages wait in a queue, and a tick sends them.

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
    /// Client i has messages i, and any of the sockets.
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

    /// A connection, and its client from the login on.
    struct Connection {
        Socket socket;
        Login login{};
        std::size_t got = 0;
        Messages *messages = nullptr;
        /// The number of the next message.
        std::uint32_t sequence = 0;
    };

    /// True if the client of a connection has logged in, now or before.
    bool logged_in(std::size_t connection);
    void tick(std::uint64_t number, bool measured);

    std::vector<Connection> connections_;
    std::vector<Messages> messages_;
    std::array<std::unique_ptr<Way>, WAYS> ways_;
    std::string kernel_;
    /// The messages of a tick in the order in which they are sent, before encryption, and as each way encrypts them.
    std::vector<Queued> queue_;
    std::array<std::vector<Queued>, WAYS> encrypted_;
    /// Microseconds.
    std::array<std::vector<double>, WAYS> samples_;
    std::uint64_t sent_ = 0;
    std::uint64_t ciphertext_bytes_ = 0;
    std::uint64_t different_bytes_ = 0;
};

#endif
