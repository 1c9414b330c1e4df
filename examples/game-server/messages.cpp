// Keys and payloads: see messages.hpp. The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014).

#include "messages.hpp"

namespace {

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

} // namespace

// Each client begins at a place of its own: mixed, so that the streams of two clients are not one stream shifted.
Messages::Messages(std::uint64_t seed, std::size_t client, std::size_t shortest, std::size_t longest)
    : state_(mix(mix(seed) + client)), shortest_(shortest), longest_(longest) {
    for (std::uint32_t &word : key_) word = static_cast<std::uint32_t>(draw());
    payload_.reserve(longest);
}

const std::vector<std::uint8_t> &Messages::next() {
    payload_.resize(shortest_ + draw() % (longest_ - shortest_ + 1));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < payload_.size(); ++i) {
        bits = i % 8 == 0 ? draw() : bits >> 8;
        payload_[i] = static_cast<std::uint8_t>(bits);
    }
    return payload_;
}

std::uint64_t Messages::draw() { return mix(state_ += 0x9E3779B97F4A7C15); }
