/* The work of a shim: the C side of Job in job.rs. Messages are numbered from 0 in each run; each takes the key, the
   vector, the buffer and the place for a tag whose turn it is. */
#ifndef ABREAST_PEERS_JOB_H
#define ABREAST_PEERS_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct job {
  const char *cipher; /* aes128, aes256, serpent256, xtea, rc4, aez, hmac-sha1, hmac-sha256 or cgo */
  const char *mode;   /* a name of Mode in rows.rs, or empty */
  int keys_only;      /* true if keys are prepared, and only the last is used */
  const uint8_t *keys;
  size_t key_len; /* both keys of XTS */
  size_t key_mask;
  const uint8_t *ivs; /* 16 bytes each */
  size_t iv_mask;
  const uint8_t *aad;
  size_t aad_len;
  uint8_t *data; /* the buffers, in each a message that is worked on in place */
  size_t len;
  size_t stride;
  size_t buffer_mask;
  uint8_t *tags; /* 16 bytes each, as many as keys */
  size_t batch;  /* messages of a call */
};

static inline const uint8_t *job_key(const struct job *job, size_t m) {
  return job->keys + (m & job->key_mask) * job->key_len;
}

static inline const uint8_t *job_iv(const struct job *job, size_t m) {
  return job->ivs + (m & job->iv_mask) * 16;
}

static inline uint8_t *job_text(const struct job *job, size_t m) {
  return job->data + (m & job->buffer_mask) * job->stride;
}

static inline uint8_t *job_tag(const struct job *job, size_t m) {
  return job->tags + (m & job->key_mask) * 16;
}

static inline int job_is(const char *is, const char *name) { return strcmp(is, name) == 0; }

#endif
