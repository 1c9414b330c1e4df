// The server: see server.hpp.

#include "server.hpp"

#include <chrono>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds TICK{10};
constexpr std::uint64_t TICKS_A_SECOND = std::chrono::seconds(1) / TICK;
constexpr std::uint64_t WARM_UP = 50;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

} // namespace

Server::Server(std::vector<Socket> sockets, std::vector<Messages> messages) : messages_(std::move(messages)) {
    for (Socket &socket : sockets) connections_.push_back({std::move(socket)});
    const std::size_t count = connections_.size();
    // The batch is the last one: what it encrypts is sent.
    ways_ = {std::make_unique<ScalarLoop>(count), std::make_unique<SingleCalls>(count), std::make_unique<OneBatch>(count)};
    kernel_ = abreast::Cipher::xtea({}).value().kernel();
}

bool Server::logged_in(std::size_t number) {
    Connection &connection = connections_[number];
    if (connection.messages) return true;
    Login &login = connection.login;
    connection.got += receive_some(connection.socket, {login.data() + connection.got, login.size() - connection.got});
    if (connection.got < login.size()) return false;
    const auto [client, key] = read_login(login);
    for (const std::unique_ptr<Way> &way : ways_) way->login(number, key);
    connection.messages = &messages_.at(client);
    return true;
}

void Server::run(std::uint64_t seconds) {
    const std::uint64_t ticks = WARM_UP + seconds * TICKS_A_SECOND;
    for (std::vector<double> &samples : samples_) samples.reserve(ticks);
    Clock::time_point next = Clock::now();
    for (std::uint64_t number = 0; number < ticks; ++number) {
        std::this_thread::sleep_until(next);
        next += TICK;
        tick(number, number >= WARM_UP);
    }
}

void Server::tick(std::uint64_t number, bool measured) {
    // A message gets its number when it is queued: some connections have none in a tick, some have two.
    queue_.clear();
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        Connection &connection = connections_[i];
        if (!logged_in(i)) continue;
        for (std::uint64_t left = (number + i) % 3; left > 0; --left) {
            queue_.push_back({i, {}});
            compose(queue_.back().frame, connection.sequence++, connection.messages->next());
        }
    }

    // Each way finds its frames freshly written. Another one goes first in each tick: the first one finds caches and
    // clock as the sleep left them.
    for (std::size_t turn = 0; turn < WAYS; ++turn) {
        const std::size_t way = (number + turn) % WAYS;
        std::vector<Queued> &queue = encrypted_[way];
        queue = queue_;
        const Clock::time_point start = Clock::now();
        ways_[way]->encrypt(queue);
        const Clock::time_point end = Clock::now();
        if (measured) samples_[way].push_back(microseconds(end - start));
    }

    for (std::size_t i = 0; i < queue_.size(); ++i) {
        Frame &frame = encrypted_.back()[i].frame;
        for (std::size_t way = 0; way + 1 < WAYS; ++way) {
            for (std::size_t at = 0; at < frame.size(); ++at) {
                different_bytes_ += encrypted_[way][i].frame[at] != frame[at];
            }
        }
        send_all(connections_[queue_[i].connection].socket, frame);
        ++sent_;
        ciphertext_bytes_ += body(frame).size();
    }
}

std::vector<Timing> Server::timings() const {
    std::vector<Timing> timings;
    for (std::size_t way = 0; way < WAYS; ++way) timings.push_back({ways_[way]->name(), summarise(samples_[way])});
    return timings;
}
