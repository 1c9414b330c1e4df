// Every function where memory and stack are short.
//
// `edges allocations`: fails the n-th allocation of each call, for n = 1, 2, .. until the call makes fewer. A call that got no
// memory gives ABREAST_OUT_OF_MEMORY and changes nothing.
// `edges refusals`: makes calls that are refused between all others. They change nothing.
// `edges stack`: measures how much of the stack each function needs.
// `edges thread`: calls all functions on a thread with 64 KiB of stack.
//
// Each prints the functions that it called.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "check.h"

static enum { PLAIN, ALLOCATIONS, REFUSALS, STACK } mode;

// Allocations until one fails; 0 for none.
static long until_failure;
static long failed;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int fails(void) {
    if (until_failure == 0 || --until_failure > 0) return 0;
    ++failed;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
    if (fails()) return ENOMEM;
    *place = __libc_memalign(alignment, size);
    return *place ? 0 : ENOMEM;
}

// The record of a function.
struct called {
    const char *name;
    long refused, passed;
    size_t stack;
};
static struct called functions[256];

static struct called *function(const char *name) {
    for (struct called *it = functions;; ++it) {
        CHECK(it < functions + 256);
        if (!it->name) it->name = name;
        if (strcmp(it->name, name) == 0) return it;
    }
}

// The lowest byte of the stack of the thread that measures.
static uint8_t *lowest;
enum { PAINT = 0xa7, MOST_STACK = 32 * 1024 };

// Paints the stack below its own frame.
static void __attribute__((noinline)) paint(void) {
    uint8_t *here = __builtin_frame_address(0);
    for (volatile uint8_t *byte = lowest; byte < here - 256; ++byte) *byte = PAINT;
}

static size_t __attribute__((noinline)) touched(void) {
    uint8_t *here = __builtin_frame_address(0);
    const volatile uint8_t *byte = lowest;
    while (byte < here && *byte == PAINT) ++byte;
    return (size_t)(here - byte);
}

#define STEP(name, call)                                                                         \
    do {                                                                                         \
        struct called *it = function(#name);                                                     \
        if (mode == STACK) paint();                                                              \
        if (mode != ALLOCATIONS) {                                                               \
            OK(call);                                                                            \
            if (mode == STACK) {                                                                 \
                size_t stack = touched();                                                        \
                if (stack > it->stack) it->stack = stack;                                        \
            }                                                                                    \
            break;                                                                               \
        }                                                                                        \
        for (long n = 1;; ++n) {                                                                 \
            long already = failed;                                                              \
            until_failure = n;                                                                   \
            int outcome = (call);                                                                \
            until_failure = 0;                                                                   \
            if (failed == already) {                                                            \
                GIVES(ABREAST_OK, outcome);                                                      \
                break;                                                                           \
            }                                                                                    \
            GIVES(ABREAST_OUT_OF_MEMORY, outcome);                                               \
            ++it->refused;                                                                       \
        }                                                                                        \
        ++it->passed;                                                                            \
    } while (0)

#define SHORT(name, call)                                                                        \
    do {                                                                                         \
        if (mode == REFUSALS) {                                                                  \
            int outcome = (call);                                                                \
            ++checks;                                                                            \
            if (outcome == ABREAST_OK) {                                                         \
                fprintf(stderr, "%s:%d: not refused: %s\n", __FILE__, __LINE__, #call);          \
                exit(1);                                                                         \
            }                                                                                    \
            ++function(#name)->refused;                                                          \
        }                                                                                        \
    } while (0)

#include "every.h"

static void *run(void *nothing) {
    every();
    return nothing;
}

// Calls everything on a thread whose stack has a page behind it that nobody may touch.
static void on_a_thread(size_t size) {
    enum { PAGE = 4096 };
    uint8_t *all = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED && mprotect(all, PAGE, PROT_NONE) == 0);
    lowest = all + PAGE;
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, lowest, size) == 0);
    CHECK(pthread_create(&thread, &attributes, run, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    const char *what = arguments[1];
    if (strcmp(what, "stack") == 0) {
        mode = STACK;
        on_a_thread(512 * 1024);
        int all_within = 1;
        for (const struct called *it = functions; it->name; ++it) {
            printf("%s stack %zu\n", it->name, it->stack);
            all_within = all_within && it->stack <= MOST_STACK;
        }
        CHECK(all_within);
        return 0;
    }
    // The failing run comes first, so that allocations that are made once in a process fail as well.
    if (strcmp(what, "allocations") == 0) mode = ALLOCATIONS;
    if (strcmp(what, "refusals") == 0) mode = REFUSALS;
    if (strcmp(what, "thread") == 0) on_a_thread(64 * 1024);
    every();
    uint64_t first = digest;
    mode = PLAIN;
    every();
    CHECK(digest == first);
    for (const struct called *it = functions; it->name; ++it) printf("%s refused %ld\n", it->name, it->refused);
    return 0;
}
