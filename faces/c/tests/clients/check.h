// Helpers of the clients: a check that says where it failed, and bytes of hexadecimal digits.

#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

#define CHECK(condition)                                                                \
    do {                                                                                \
        ++checks;                                                                       \
        if (!(condition)) {                                                             \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

// Fails where a call gives another status, and names both.
#define GIVES(expected, call)                                                           \
    do {                                                                                \
        int given = (call);                                                             \
        ++checks;                                                                       \
        if (given != (expected)) {                                                      \
            fprintf(stderr, "%s:%d: %s, not %s: %s\n", __FILE__, __LINE__,              \
                    abreast_status_text(given), abreast_status_text(expected), #call);  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

#define OK(call) GIVES(ABREAST_OK, call)

// Writes the bytes of some digits, and returns how many.
static inline size_t hex(const char *digits, uint8_t *bytes) {
    size_t len = strlen(digits) / 2;
    for (size_t i = 0; i < len; ++i) {
        unsigned byte;
        CHECK(sscanf(digits + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return len;
}

// True if bytes are those of some digits.
static inline int is_hex(const uint8_t *bytes, const char *digits) {
    uint8_t expected[512];
    size_t len = hex(digits, expected);
    return memcmp(bytes, expected, len) == 0;
}

static inline int is_zero(const uint8_t *bytes, size_t len) {
    for (size_t i = 0; i < len; ++i) {
        if (bytes[i] != 0) return 0;
    }
    return 1;
}

#endif
