// The command line: see options.hpp.

#include "options.hpp"
#include "framing.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

const char *const HELP = R"(usage: game-server [OPTIONS]

Sends a message to each of many clients in each tick of 10 ms, over TCP on loopback, lets the clients check
every byte, and prints how long the encryption of a tick takes in three ways: a scalar loop, a call of
abreast for each message, and one batch.

  --clients N       how many clients (default 300)
  --seconds S       how long (default 10)
  --seed X          what keys and messages are drawn from (default 1)
  --messages A..B   bytes of payload in a message (default 8..64)
  --json            print JSON
  --help            print this

It exits with 1 if a byte was wrong or something failed, and with 2 if the options are none.
)";

namespace {

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const char *const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end || value < least || value > most) {
        throw UsageError(std::string(option) + " wants a number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not \"" + std::string(text) + "\"");
    }
    return value;
}

} // namespace

Options parse_options(int argc, const char *const *argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 == argc) throw UsageError(std::string(option) + " wants a value");
            return argv[++i];
        };
        if (option == "--help") {
            options.help = true;
        } else if (option == "--json") {
            options.json = true;
        } else if (option == "--clients") {
            options.clients = number(option, value(), 1, 10000);
        } else if (option == "--seconds") {
            options.seconds = number(option, value(), 1, 86400);
        } else if (option == "--seed") {
            options.seed = number(option, value(), 0, std::numeric_limits<std::uint64_t>::max());
        } else if (option == "--messages") {
            const std::string_view range = value();
            const std::size_t dots = range.find("..");
            if (dots == range.npos) throw UsageError("--messages wants two numbers, such as 8..64");
            options.shortest = number(option, range.substr(0, dots), 0, LONGEST_PAYLOAD);
            options.longest = number(option, range.substr(dots + 2), options.shortest, LONGEST_PAYLOAD);
        } else {
            throw UsageError("there is no option \"" + std::string(option) + "\"; --help lists them");
        }
    }
    return options;
}
