// What many measurements come to, and how it is shown.

#ifndef STATISTICS_HPP
#define STATISTICS_HPP

#include <cstdint>
#include <string>
#include <vector>

struct Summary {
    double mean;
    double median;
    /// 99 of 100 are no more than this.
    double p99;
    double max;
};

/// Summarises one or more measurements.
Summary summarise(std::vector<double> samples);

/// The encryption of ticks, one way.
struct Timing {
    std::string name;
    Summary microseconds;
};

/// The results of a run.
struct Report {
    std::size_t clients;
    std::size_t shortest;
    std::size_t longest;
    std::uint64_t seed;
    std::string kernel;
    std::uint64_t ticks;
    std::uint64_t messages;
    std::uint64_t ciphertext_bytes;
    std::uint64_t wrong_bytes;
    /// The last one is the batch, to which the others are compared.
    std::vector<Timing> timings;
};

void print_table(const Report &report);
void print_json(const Report &report);

#endif
