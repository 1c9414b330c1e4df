// A game server's network part, and its clients, in one process: what a batch saves in a tick.

#include "clients.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "server.hpp"
#include "sockets.hpp"
#include "statistics.hpp"

#include <cstdio>
#include <exception>
#include <future>
#include <optional>

namespace {

std::vector<Messages> draw_messages(const Options &options) {
    std::vector<Messages> messages;
    for (std::size_t i = 0; i < options.clients; ++i) {
        messages.emplace_back(options.seed, i, options.shortest, options.longest);
    }
    return messages;
}

/// Whether every byte of every message was right.
bool run(const Options &options) {
    Connections connections = connect(options.clients);
    std::future<Verdict> clients =
        std::async(std::launch::async, run_clients, std::move(connections.clients), draw_messages(options));
    // Behind the clients, so that it is gone before they are waited for: they end when it closes its sockets.
    std::optional<Server> server(std::in_place, std::move(connections.servers), draw_messages(options));
    server->run(options.seconds);

    Report report{options.clients, options.shortest,  options.longest,            options.seed,
                  server->kernel(), server->ticks(),  server->sent(),             server->ciphertext_bytes(),
                  server->different_bytes(), server->timings()};
    if (report.wrong_bytes > 0) std::fprintf(stderr, "game-server: the three ways differ\n");
    server.reset();

    const Verdict verdict = clients.get();
    report.wrong_bytes += verdict.wrong_bytes;
    if (verdict.wrong_bytes > 0) std::fprintf(stderr, "game-server: %s\n", verdict.first.c_str());
    const bool all_came = verdict.messages == report.messages;
    if (!all_came) {
        std::fprintf(stderr, "game-server: %ju of %ju messages came\n", std::uintmax_t{verdict.messages},
                     std::uintmax_t{report.messages});
    }
    options.json ? print_json(report) : print_table(report);
    return report.wrong_bytes == 0 && all_came;
}

} // namespace

int main(int argc, char **argv) {
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            std::fputs(HELP, stdout);
            return 0;
        }
        return run(options) ? 0 : 1;
    } catch (const UsageError &error) {
        std::fprintf(stderr, "game-server: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "game-server: %s\n", error.what());
        return 1;
    }
}
