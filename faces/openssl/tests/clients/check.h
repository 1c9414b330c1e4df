/* Code shared by the clients: checks that end the program, and random numbers that a seed repeats. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#define CHECK(what, ...)                                                                                    \
    do {                                                                                                    \
        if (!(what)) {                                                                                      \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #what);                                      \
            fprintf(stderr, __VA_ARGS__);                                                                   \
            fputc('\n', stderr);                                                                            \
            ERR_print_errors_fp(stderr);                                                                    \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016. */
typedef struct {
    uint64_t state;
} Random;

static inline uint64_t draw(Random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1d;
}

/* A number below `end`. */
static inline size_t below(Random *random, size_t end)
{
    return (size_t)(draw(random) >> 11) % end;
}

/* A length up to `most`, log-uniform. */
static inline size_t length(Random *random, size_t most)
{
    size_t bits = 0;
    while (most >> bits)
        bits++;
    size_t drawn = below(random, ((size_t)1 << below(random, bits + 1)) + 1);
    return drawn > most ? most : drawn;
}

static inline void fill(Random *random, unsigned char *bytes, size_t len)
{
    for (size_t at = 0; at < len; at++)
        bytes[at] = (unsigned char)(draw(random) >> 24);
}

/* Adds a count to the file of counts, if there is one. */
static inline void tally(unsigned long count, const char *what)
{
    const char *path = getenv("ABREAST_TALLY");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%lu %s\n", count, what);
        fclose(file);
    }
}

#endif
