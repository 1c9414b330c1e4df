// The command line.

#ifndef OPTIONS_HPP
#define OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>

/// Why a command line is none; its text is a sentence.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::size_t clients = 300;
    std::uint64_t seconds = 10;
    std::uint64_t seed = 1;
    /// Bytes of payload in a message, from and to.
    std::size_t shortest = 8;
    std::size_t longest = 64;
    bool json = false;
    bool help = false;
};

extern const char *const HELP;

Options parse_options(int argc, const char *const *argv);

#endif
