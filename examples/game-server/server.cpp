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

Server::Server(std::vector<Socket> sockets, std::vector<Messages> messages)
    : sockets_(std::move(sockets)), messages_(std::move(messages)), plain_(sockets_.size()) {
    std::vector<Key> keys;
    for (const Messages &of_client : messages_) keys.push_back(of_client.key());
    auto single = std::make_unique<SingleCalls>(keys);
    kernel_ = single->kernel();
    // The batch is the last one: what it encrypts is sent.
    ways_ = {std::make_unique<ScalarLoop>(keys), std::move(single), std::make_unique<OneBatch>(keys)};
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
    for (std::size_t i = 0; i < plain_.size(); ++i) compose(plain_[i], messages_[i].next());

    // Each way finds its frames freshly written. Another one goes first in each tick: the first one finds caches and
    // clock as the sleep left them.
    for (std::size_t turn = 0; turn < WAYS; ++turn) {
        const std::size_t way = (number + turn) % WAYS;
        std::vector<Frame> &frames = encrypted_[way];
        frames = plain_;
        const Clock::time_point start = Clock::now();
        ways_[way]->encrypt(frames);
        const Clock::time_point end = Clock::now();
        if (measured) samples_[way].push_back(microseconds(end - start));
    }

    std::vector<Frame> &frames = encrypted_.back();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        for (std::size_t way = 0; way + 1 < WAYS; ++way) {
            for (std::size_t at = 0; at < frames[i].size(); ++at) {
                different_bytes_ += encrypted_[way][i][at] != frames[i][at];
            }
        }
        add_checksum(frames[i]);
        send_all(sockets_[i], frames[i]);
        ++sent_;
        ciphertext_bytes_ += body(frames[i]).size();
    }
}

std::vector<Timing> Server::timings() const {
    std::vector<Timing> timings;
    for (std::size_t way = 0; way < WAYS; ++way) timings.push_back({ways_[way]->name(), summarise(samples_[way])});
    return timings;
}
