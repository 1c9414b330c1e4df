/* XTEA as an article about making it fast has it: the loop over the rounds outside, that over the blocks inside. The
   compiler turns the inner one into vectors, with all that this CPU has. */
#include <stdlib.h>

#include "job.h"

enum { BLOCKS = 64, ROUNDS = 64 };

/* Keys are expanded before; each is the 64 round keys. */
struct article {
  size_t mask;
  int counts;
  uint32_t keys[][ROUNDS];
};

static void expand(const uint8_t *bytes, uint32_t *rounds) {
  uint32_t key[4], sum = 0;
  memcpy(key, bytes, sizeof key);
  for (int i = 0; i < ROUNDS; i += 2) {
    rounds[i] = sum + key[sum & 3];
    sum += 0x9e3779b9;
    rounds[i + 1] = sum + key[sum >> 11 & 3];
  }
}

static inline uint32_t mix(uint32_t x) { return (x << 4 ^ x >> 5) + x; }

/* The rounds, over some blocks that are split into their halves. With a count that is known, the compiler needs no code
   for a rest. */
static inline void rounds(const uint32_t *restrict keys, uint32_t *restrict left, uint32_t *restrict right,
                          int blocks) {
  for (int i = 0; i < ROUNDS; i += 2) {
    for (int b = 0; b < blocks; b++) left[b] += mix(right[b]) ^ keys[i];
    for (int b = 0; b < blocks; b++) right[b] += mix(left[b]) ^ keys[i + 1];
  }
}

static void encrypt(const uint32_t *keys, uint32_t *left, uint32_t *right, int blocks) {
  if (blocks == BLOCKS)
    rounds(keys, left, right, BLOCKS);
  else
    rounds(keys, left, right, blocks);
}

static void ecb(const uint32_t *keys, uint8_t *text, size_t len) {
  _Alignas(64) uint32_t left[BLOCKS], right[BLOCKS], words[2 * BLOCKS];
  while (len > 0) {
    size_t bytes = len < sizeof words ? len : sizeof words;
    int blocks = (int)(bytes / 8);
    memcpy(words, text, bytes);
    for (int b = 0; b < blocks; b++) left[b] = words[2 * b], right[b] = words[2 * b + 1];
    encrypt(keys, left, right, blocks);
    for (int b = 0; b < blocks; b++) words[2 * b] = left[b], words[2 * b + 1] = right[b];
    memcpy(text, words, bytes);
    text += bytes, len -= bytes;
  }
}

static void ctr(const uint32_t *keys, const uint8_t *iv, uint8_t *text, size_t len) {
  _Alignas(64) uint32_t left[BLOCKS], right[BLOCKS], words[2 * BLOCKS];
  uint64_t counter;
  memcpy(&counter, iv + 8, sizeof counter);
  counter = __builtin_bswap64(counter);
  while (len > 0) {
    size_t bytes = len < sizeof words ? len : sizeof words;
    int blocks = (int)((bytes + 7) / 8);
    for (int b = 0; b < blocks; b++) {
      uint64_t block = __builtin_bswap64(counter + (uint64_t)b);
      left[b] = (uint32_t)block, right[b] = (uint32_t)(block >> 32);
    }
    encrypt(keys, left, right, blocks);
    for (int b = 0; b < blocks; b++) words[2 * b] = left[b], words[2 * b + 1] = right[b];
    const uint8_t *stream = (const uint8_t *)words;
    for (size_t i = 0; i < bytes; i++) text[i] ^= stream[i];
    counter += (uint64_t)blocks, text += bytes, len -= bytes;
  }
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *article_version(void) {
#ifdef __clang__
  return "compiled by clang " __clang_version__;
#else
  return "compiled by gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__);
#endif
}

void *article_open(const struct job *job) {
  int counts = job_is(job->mode, "ctr");
  if (!job_is(job->cipher, "xtea") || !(counts || job_is(job->mode, "ecb"))) return NULL;
  struct article *work = malloc(sizeof *work + (job->key_mask + 1) * sizeof work->keys[0]);
  if (!work) abort();
  work->mask = job->key_mask, work->counts = counts;
  for (size_t k = 0; k <= work->mask; k++) expand(job_key(job, k), work->keys[k]);
  return work;
}

void article_run(void *opened, const struct job *job, size_t calls) {
  struct article *work = opened;
  if (job->keys_only) {
    uint32_t(*volatile keys)[ROUNDS] = work->keys;
    for (size_t m = 1; m <= calls; m++) expand(job_key(job, m), keys[0]);
    ecb(keys[0], job_text(job, 0), job->len);
    return;
  }
  for (size_t m = 0; m < calls * job->batch; m++) {
    const uint32_t *keys = work->keys[m & work->mask];
    if (work->counts)
      ctr(keys, job_iv(job, m), job_text(job, m), job->len);
    else
      ecb(keys, job_text(job, m), job->len);
  }
}

void article_close(void *work) { free(work); }
