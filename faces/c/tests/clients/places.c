// Measures what the place of the stack does to each kernel of libabreast: usage: places [PATTERN]
//
// A vector on the stack that crosses a cache line or a page can take longer to be loaded again than others. The stack is moved by
// 0 to 4080 bytes in steps of 16; each row tells the quickest place, the slowest one, their ratio, the slowest place, and how
// many places are more than 5 % above the quickest. The row "planted" is a loop over such a vector.
//
// At each place the time is the lower quartile of trials, in cycles per byte by a chain of additions before and after each, since
// the clock of the core may change between them, and the least of several sweeps over all places, since others share the machine.

#include <abreast.h>
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 16384, STEP = 16, PERIOD = 4096, TRIALS = 9, SWEEPS = 7, ADDITIONS = 4000 };

struct work {
  const char *what;
  int operation;
  const abreast_cipher *cipher;
  const abreast_xts *xts;
  const abreast_aead *aead;
  uint8_t *buffer;
  double cycles_per_byte;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Returns the seconds of a cycle, by additions of which each waits for the one before.
static double cycle(void) {
  uint64_t x = 1;
  double start = now();
#pragma GCC unroll 16
  for (uint64_t i = 0; i < ADDITIONS; i++) {
    x += start > 0;
    __asm__ volatile("" : "+r"(x));
  }
  return (now() - start) / ADDITIONS;
}

// A vector at a multiple of 8, as compilers put them on the stack.
typedef long long vector __attribute__((vector_size(16), aligned(8), may_alias));

// A loop that stores a vector to the stack and loads it again, across a cache line at one place of the stack in four.
__attribute__((noinline)) static void planted(void) {
  _Alignas(16) uint8_t room[48];
  uint8_t *place = room + 8;
  vector x = {3, 5};
  for (int i = 0; i < BYTES / 16; i++) {
    *(vector *)place = x;
    __asm__ volatile("" : "+r"(place) : : "memory");
    x += *(vector *)place;
  }
  __asm__ volatile("" : : "x"(x));
}

static void once(struct work *work) {
  uint8_t iv[16] = {9}, tag[16];
  uint8_t *buffer = work->buffer;
  size_t block = work->cipher && abreast_cipher_block_size(work->cipher) == 8 ? 8 : 16;
  if (work->xts) {
    abreast_xts_encrypt(work->xts, iv, BYTES, buffer, buffer, BYTES);
  } else if (work->aead) {
    abreast_aead_encrypt(work->aead, iv, 12, NULL, 0, buffer, buffer, BYTES, tag, 16);
  } else if (work->cipher) {
    size_t iv_len = work->operation <= ABREAST_ECB_DECRYPT ? 0 : block;
    if (abreast_cipher_crypt(work->cipher, work->operation, iv, iv_len, buffer, buffer, BYTES)) {
      exit(1);
    }
  } else {
    planted();
  }
}

__attribute__((noinline)) static void trial(struct work *work) {
  double before = cycle();
  double start = now();
  once(work);
  double time = now() - start;
  double after = cycle();
  work->cycles_per_byte = time / (before < after ? before : after) / BYTES;
}

// Runs a trial with the stack moved. The loop around the call keeps the frame alive until it is over.
__attribute__((noinline)) static void moved(struct work *work, size_t bytes) {
  volatile uint8_t *room = alloca(bytes + 16);
  room[0] = 0;
  trial(work);
  room[0] = 1;
}

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(struct work *work, const char *name, const char *kernel, const char *pattern) {
  char row[80];
  snprintf(row, sizeof row, "%s %s %s", name, work->what, kernel);
  if (!strstr(row, pattern)) {
    return;
  }
  double quickest = 1e9, slowest = 0, all[PERIOD / STEP];
  size_t worst = 0, slow = 0;
  for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
    for (size_t place = 0; place < PERIOD / STEP; place++) {
      double trials[TRIALS];
      for (size_t i = 0; i < TRIALS; i++) {
        moved(work, place * STEP);
        trials[i] = work->cycles_per_byte;
      }
      qsort(trials, TRIALS, sizeof *trials, rising);
      if (sweep == 0 || trials[TRIALS / 4] < all[place]) {
        all[place] = trials[TRIALS / 4];
      }
    }
  }
  for (size_t place = 0; place < PERIOD / STEP; place++) {
    if (all[place] < quickest) {
      quickest = all[place];
    }
    if (all[place] > slowest) {
      slowest = all[place], worst = place * STEP;
    }
  }
  for (size_t place = 0; place < PERIOD / STEP; place++) {
    slow += all[place] > 1.05 * quickest;
  }
  printf("%-12s %-12s %-14s %8.3f %8.3f %6.2f %5zu %5zu\n", name, work->what, kernel, quickest, slowest, slowest / quickest,
         worst, slow);
  fflush(stdout);
}

static void modes(const char *name, const char *kernel, uint8_t *buffer, const char *pattern) {
  static const struct {
    const char *name;
    int operation;
  } MODES[] = {{"ecb", ABREAST_ECB_ENCRYPT},
               {"ecb-decrypt", ABREAST_ECB_DECRYPT},
               {"cbc-decrypt", ABREAST_CBC_DECRYPT},
               {"ctr", ABREAST_CTR64}};
  uint8_t key[32] = {7}, other[32] = {8};
  size_t len = abreast_cipher_key_size(name);
  abreast_cipher *cipher = NULL, *tweak = NULL;
  if (abreast_cipher_new(name, key, len, kernel, &cipher) || abreast_cipher_new(name, other, len, kernel, &tweak)) {
    exit(1);
  }
  for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
    struct work work = {.what = MODES[i].name, .operation = MODES[i].operation, .cipher = cipher, .buffer = buffer};
    measure(&work, name, kernel, pattern);
  }
  if (abreast_cipher_block_size(cipher) == 16) {
    abreast_xts *xts = NULL;
    if (abreast_xts_new(cipher, tweak, &xts)) {
      exit(1);
    }
    struct work work = {.what = "xts", .xts = xts, .buffer = buffer};
    measure(&work, name, kernel, pattern);
    abreast_xts_free(xts);
    abreast_aead *gcm = NULL;
    if (abreast_gcm_new(cipher, &gcm)) {
      exit(1);
    }
    work = (struct work){.what = "gcm", .aead = gcm, .buffer = buffer};
    measure(&work, name, kernel, pattern);
    abreast_aead_free(gcm);
  }
  abreast_cipher_free(cipher);
  abreast_cipher_free(tweak);
}

int main(int argc, char **argv) {
  static const char *const CIPHERS[] = {"aes-128", "aes-256", "serpent-256", "tea", "xtea"};
  const char *pattern = argc > 1 ? argv[1] : "";
  uint8_t *buffer = aligned_alloc(64, BYTES);
  if (!buffer) {
    return 1;
  }
  memset(buffer, 1, BYTES);
  printf("%-12s %-12s %-14s %8s %8s %6s %5s %5s\n", "CIPHER", "MODE", "KERNEL", "BEST", "WORST", "RATIO", "AT", "SLOW");
  struct work plant = {.what = "loop", .buffer = buffer};
  measure(&plant, "planted", "-", "");
  for (size_t i = 0; i < sizeof CIPHERS / sizeof *CIPHERS; i++) {
    const char *kernel;
    for (size_t k = 0; (kernel = abreast_kernel_at(CIPHERS[i], k)); k++) {
      if (!strstr(kernel, "portable")) {
        modes(CIPHERS[i], kernel, buffer, pattern);
      }
    }
  }
  free(buffer);
  return 0;
}
