// TCP on loopback.

#ifndef SOCKETS_HPP
#define SOCKETS_HPP

#include <abreast.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// A file descriptor that is closed by itself.
class Socket {
public:
    explicit Socket(int fd) noexcept : fd_(fd) {}
    Socket(Socket &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket &operator=(Socket &&other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Socket();

    int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// Gives back what a system call gave; throws a sentence with the system's reason if that was -1.
int checked(long result, const char *what);

/// Connections, one for each client: the ends of the server and those of the clients.
struct Connections {
    std::vector<Socket> servers;
    std::vector<Socket> clients;
};
Connections connect(std::size_t count);

/// Receives what has come, at most so many bytes, and returns their number. It does not wait.
std::size_t receive_some(const Socket &socket, abreast::MutBytes bytes);

/// Sends all of it.
void send_all(const Socket &socket, abreast::Bytes bytes);

#endif
