// All clients in one loop over epoll: see clients.hpp.

#include "clients.hpp"
#include "framing.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace {

// XTEA as its paper has it, backward, from the four words of a key. It shares nothing with what encrypted.
void decrypt(std::uint8_t *block, const Key &key) {
    std::uint32_t left = read_number(block, 4), right = read_number(block + 4, 4);
    std::uint32_t sum = 32 * 0x9E3779B9U;
    for (int cycle = 0; cycle < 32; ++cycle) {
        right -= (((left << 4) ^ (left >> 5)) + left) ^ (sum + key[(sum >> 11) & 3]);
        sum -= 0x9E3779B9U;
        left -= (((right << 4) ^ (right >> 5)) + right) ^ (sum + key[sum & 3]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        block[i] = static_cast<std::uint8_t>(left >> (8 * i));
        block[4 + i] = static_cast<std::uint8_t>(right >> (8 * i));
    }
}

class Client {
public:
    Client(std::size_t number, Messages messages) : number_(number), messages_(std::move(messages)) { expect(); }

    /// Takes what came, and checks the frames that are whole.
    void take(abreast::Bytes bytes, Verdict &verdict) {
        pending_.insert(pending_.end(), bytes.begin(), bytes.end());
        std::size_t at = 0;
        while (!lost_ && pending_.size() - at >= expected_.size()) {
            check(pending_.data() + at, verdict);
            at += expected_.size();
            expect();
        }
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    /// At the end nothing may be left.
    void finish(Verdict &verdict) {
        if (!pending_.empty()) wrong(verdict, pending_.size(), "has bytes that belong to no message");
    }

private:
    /// The next frame, as it has to be when it is decrypted. How long it is follows from what is in it.
    void expect() { compose(expected_, done_, messages_.next()); }

    void check(std::uint8_t *frame, Verdict &verdict) {
        for (std::size_t i = 0; i < LENGTH_BYTES; ++i) {
            if (frame[i] == expected_[i]) continue;
            // Where the next frame begins, nobody knows: what is left counts as wrong at the end.
            lost_ = true;
            return wrong(verdict, LENGTH_BYTES, "has a wrong length");
        }
        std::uint8_t *const ciphertext = frame + HEADER;
        const std::size_t size = expected_.size() - HEADER;
        if (read_number(frame + LENGTH_BYTES, SEQUENCE_BYTES) != done_) {
            wrong(verdict, SEQUENCE_BYTES, "has a wrong number");
        }
        for (std::size_t block = 0; block < size; block += BLOCK) decrypt(ciphertext + block, messages_.key());
        std::size_t different = 0;
        for (std::size_t i = HEADER; i < expected_.size(); ++i) different += frame[i] != expected_[i];
        if (different > 0) wrong(verdict, different, "decrypts to other bytes");
        ++verdict.messages;
        ++done_;
    }

    void wrong(Verdict &verdict, std::size_t bytes, const char *what) {
        if (verdict.wrong_bytes == 0) {
            verdict.first =
                "message " + std::to_string(done_ + 1) + " of client " + std::to_string(number_ + 1) + " " + what;
        }
        verdict.wrong_bytes += bytes;
    }

    std::size_t number_;
    Messages messages_;
    Frame expected_;
    std::vector<std::uint8_t> pending_;
    std::uint32_t done_ = 0;
    bool lost_ = false;
};

} // namespace

Verdict run_clients(std::vector<Socket> sockets, std::vector<Messages> messages) {
    std::vector<Client> clients;
    const Socket poll(checked(epoll_create1(EPOLL_CLOEXEC), "cannot make an epoll"));
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        // The last one comes first, so that the numbers of clients are not those of connections.
        const std::size_t number = sockets.size() - 1 - i;
        send_all(sockets[i], write_login(number, messages[number].key()));
        clients.emplace_back(number, std::move(messages[number]));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        checked(epoll_ctl(poll.get(), EPOLL_CTL_ADD, sockets[i].get(), &event), "cannot wait for a client");
    }

    Verdict verdict;
    std::array<epoll_event, 64> events;
    std::vector<std::uint8_t> buffer(1 << 16);
    for (std::size_t open = sockets.size(); open > 0;) {
        const int ready = epoll_wait(poll.get(), events.data(), static_cast<int>(events.size()), -1);
        if (ready == -1 && errno == EINTR) continue;
        checked(ready, "cannot wait for the server");
        for (int i = 0; i < ready; ++i) {
            const std::size_t client = events[static_cast<std::size_t>(i)].data.u64;
            const ssize_t got = recv(sockets[client].get(), buffer.data(), buffer.size(), 0);
            if (got == -1 && errno == EINTR) continue;
            checked(got, "cannot receive");
            clients[client].take({buffer.data(), static_cast<std::size_t>(got)}, verdict);
            if (got > 0) continue;
            clients[client].finish(verdict);
            checked(epoll_ctl(poll.get(), EPOLL_CTL_DEL, sockets[client].get(), nullptr), "cannot leave a client");
            --open;
        }
    }
    return verdict;
}
