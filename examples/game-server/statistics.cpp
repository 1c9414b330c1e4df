// Numbers and their print: see statistics.hpp.

#include "statistics.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>

namespace {

Summary ratio(const Summary &a, const Summary &b) {
    return {a.mean / b.mean, a.median / b.median, a.p99 / b.p99, a.max / b.max};
}

void print_row(const std::string &name, const Summary &row) {
    std::printf("%-28s %9.1f %9.1f %9.1f %9.1f\n", name.c_str(), row.mean, row.median, row.p99, row.max);
}

void print_object(const char *indent, const std::string &name, const Summary &row, bool last) {
    std::printf("%s\"%s\": {\"mean\": %.3f, \"median\": %.3f, \"p99\": %.3f, \"max\": %.3f}%s\n", indent, name.c_str(),
                row.mean, row.median, row.p99, row.max, last ? "" : ",");
}

} // namespace

Summary summarise(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const std::size_t count = samples.size();
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    const double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    return {sum / static_cast<double>(count), median, samples[(count * 99 + 99) / 100 - 1], samples.back()};
}

void print_table(const Report &report) {
    std::printf("%zu clients, a message of %zu to %zu bytes for each in a tick, seed %" PRIu64 ", kernel %s\n",
                report.clients, report.shortest, report.longest, report.seed, report.kernel.c_str());
    std::printf("%" PRIu64 " messages with %" PRIu64 " bytes of ciphertext, %" PRIu64 " bytes wrong\n\n",
                report.messages, report.ciphertext_bytes, report.wrong_bytes);
    std::printf("%-28s %9s %9s %9s %9s\n", "encryption of a tick, us", "mean", "median", "p99", "max");
    const Timing &batch = report.timings.back();
    for (const Timing &timing : report.timings) print_row(timing.name, timing.microseconds);
    for (const Timing &timing : report.timings) {
        if (&timing == &batch) continue;
        print_row(timing.name + " / " + batch.name, ratio(timing.microseconds, batch.microseconds));
    }
    std::printf("\n%" PRIu64 " ticks\n", report.ticks);
}

void print_json(const Report &report) {
    std::printf("{\n  \"clients\": %zu,\n", report.clients);
    std::printf("  \"messages\": {\"shortest\": %zu, \"longest\": %zu, \"sent\": %" PRIu64 "},\n", report.shortest,
                report.longest, report.messages);
    std::printf("  \"seed\": %" PRIu64 ",\n  \"kernel\": \"%s\",\n  \"ticks\": %" PRIu64 ",\n", report.seed,
                report.kernel.c_str(), report.ticks);
    std::printf("  \"ciphertext_bytes\": %" PRIu64 ",\n  \"wrong_bytes\": %" PRIu64 ",\n", report.ciphertext_bytes,
                report.wrong_bytes);
    const Timing &batch = report.timings.back();
    std::printf("  \"microseconds\": {\n");
    for (const Timing &timing : report.timings) {
        print_object("    ", timing.name, timing.microseconds, &timing == &batch);
    }
    std::printf("  },\n  \"times_the_batch\": {\n");
    for (const Timing &timing : report.timings) {
        if (&timing == &batch) continue;
        print_object("    ", timing.name, ratio(timing.microseconds, batch.microseconds), &timing + 1 == &batch);
    }
    std::printf("  }\n}\n");
}
