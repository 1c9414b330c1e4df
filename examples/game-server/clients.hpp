// The clients: they know their keys and what they have to get, and nothing of the library.

#ifndef CLIENTS_HPP
#define CLIENTS_HPP

#include "messages.hpp"
#include "sockets.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The result of a run.
struct Verdict {
    std::uint64_t messages = 0;
    std::uint64_t wrong_bytes = 0;
    /// The first fault, and its place.
    std::string first;
};

/// Logs in, reads until the server closes its ends, and checks every byte. The client of messages i takes one of the sockets.
Verdict run_clients(std::vector<Socket> sockets, std::vector<Messages> messages);

#endif
