// Sockets: see sockets.hpp.

#include "sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace {

// Each client takes two descriptors in this process: as many as the system lets us have.
void allow_many_files() {
    rlimit limit{};
    checked(getrlimit(RLIMIT_NOFILE, &limit), "cannot ask for the limit of open files");
    limit.rlim_cur = limit.rlim_max;
    checked(setrlimit(RLIMIT_NOFILE, &limit), "cannot raise the limit of open files");
}

Socket stream() { return Socket(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "cannot make a socket")); }

} // namespace

Socket::~Socket() {
    if (fd_ >= 0) close(fd_);
}

int checked(long result, const char *what) {
    if (result == -1) throw std::system_error(errno, std::generic_category(), what);
    return static_cast<int>(result);
}

Connections connect(std::size_t count) {
    allow_many_files();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const any = reinterpret_cast<sockaddr *>(&address);

    const Socket listener = stream();
    checked(bind(listener.get(), any, size), "cannot bind to loopback");
    checked(getsockname(listener.get(), any, &size), "cannot tell the port");
    checked(listen(listener.get(), 1), "cannot listen");

    // In turn, so that both ends of a connection are known to be those of one client.
    Connections connections;
    for (std::size_t i = 0; i < count; ++i) {
        Socket client = stream();
        checked(::connect(client.get(), any, size), "cannot connect");
        Socket server(checked(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "cannot accept"));
        // A tick's messages go out with the tick.
        const int yes = 1;
        checked(setsockopt(server.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "cannot set TCP_NODELAY");
        connections.clients.push_back(std::move(client));
        connections.servers.push_back(std::move(server));
    }
    return connections;
}

std::size_t receive_some(const Socket &socket, abreast::MutBytes bytes) {
    const ssize_t got = recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == -1 && (errno == EINTR || errno == EAGAIN)) return 0;
    return static_cast<std::size_t>(checked(got, "cannot receive"));
}

void send_all(const Socket &socket, abreast::Bytes bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t now = send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (now == -1 && errno == EINTR) continue;
        sent += static_cast<std::size_t>(checked(now, "cannot send"));
    }
}
