/* nettle: contexts by themselves, and functions that take a cipher as a pointer. */
#include <nettle/aes.h>
#include <nettle/arcfour.h>
#include <nettle/cbc.h>
#include <nettle/cmac.h>
#include <nettle/ctr.h>
#include <nettle/eax.h>
#include <nettle/gcm.h>
#include <nettle/nettle-meta.h>
#include <nettle/serpent.h>
#include <nettle/version.h>
#include <nettle/xts.h>
#include <stdlib.h>

#include "job.h"

/* A key, with the values that modes derive from it. */
struct key {
  union {
    struct aes128_ctx aes128;
    struct aes256_ctx aes256;
    struct serpent_ctx serpent;
    struct arcfour_ctx arcfour;
  } data, tweak;
  struct gcm_key gcm;
  struct eax_key eax;
  struct cmac128_key cmac;
};

struct nettle;
typedef void message(const struct nettle *, struct key *, const struct job *, size_t);

struct nettle {
  const struct nettle_cipher *cipher; /* NULL for RC4 */
  message *message;
  struct key keys[];
};

static void ecb(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  work->cipher->encrypt(&key->data, job->len, job_text(job, m), job_text(job, m));
}

static void ctr(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  uint8_t counter[16];
  memcpy(counter, job_iv(job, m), 16);
  ctr_crypt(&key->data, work->cipher->encrypt, 16, counter, job->len, job_text(job, m), job_text(job, m));
}

static void cbc_encrypts(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  uint8_t chain[16], *text = job_text(job, m);
  memcpy(chain, job_iv(job, m), 16);
  if (work->cipher == &nettle_aes128)
    cbc_aes128_encrypt(&key->data.aes128, chain, job->len, text, text);
  else if (work->cipher == &nettle_aes256)
    cbc_aes256_encrypt(&key->data.aes256, chain, job->len, text, text);
  else
    cbc_encrypt(&key->data, work->cipher->encrypt, 16, chain, job->len, text, text);
}

static void cbc_decrypts(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  uint8_t chain[16], *text = job_text(job, m);
  memcpy(chain, job_iv(job, m), 16);
  cbc_decrypt(&key->data, work->cipher->decrypt, 16, chain, job->len, text, text);
}

static void xts(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  uint8_t *text = job_text(job, m);
  xts_encrypt_message(&key->data, &key->tweak, work->cipher->encrypt, job_iv(job, m), job->len, text, text);
}

static void gcm(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  struct gcm_ctx state;
  uint8_t *text = job_text(job, m);
  gcm_set_iv(&state, &key->gcm, 12, job_iv(job, m));
  gcm_update(&state, &key->gcm, job->aad_len, job->aad);
  gcm_encrypt(&state, &key->gcm, &key->data, work->cipher->encrypt, job->len, text, text);
  gcm_digest(&state, &key->gcm, &key->data, work->cipher->encrypt, 16, job_tag(job, m));
}

static void eax(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  struct eax_ctx state;
  uint8_t *text = job_text(job, m);
  eax_set_nonce(&state, &key->eax, &key->data, work->cipher->encrypt, 16, job_iv(job, m));
  eax_update(&state, &key->eax, &key->data, work->cipher->encrypt, job->aad_len, job->aad);
  eax_encrypt(&state, &key->eax, &key->data, work->cipher->encrypt, job->len, text, text);
  eax_digest(&state, &key->eax, &key->data, work->cipher->encrypt, 16, job_tag(job, m));
}

static void cmac(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  struct cmac128_ctx state;
  cmac128_init(&state);
  cmac128_update(&state, &key->data, work->cipher->encrypt, job->len, job_text(job, m));
  cmac128_digest(&state, &key->cmac, &key->data, work->cipher->encrypt, 16, job_tag(job, m));
}

static void rc4(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  (void)work;
  arcfour_crypt(&key->data.arcfour, job->len, job_text(job, m), job_text(job, m));
}

static void set_key(const struct nettle *work, struct key *key, const struct job *job, size_t m) {
  const struct nettle_cipher *cipher = work->cipher;
  const uint8_t *bytes = job_key(job, m);
  if (!cipher)
    arcfour_set_key(&key->data.arcfour, job->key_len, bytes);
  else if (work->message == cbc_decrypts)
    cipher->set_decrypt_key(&key->data, bytes);
  else
    cipher->set_encrypt_key(&key->data, bytes);
  if (work->message == xts) cipher->set_encrypt_key(&key->tweak, bytes + job->key_len / 2);
  if (work->message == gcm) gcm_set_key(&key->gcm, &key->data, cipher->encrypt);
  if (work->message == eax) eax_set_key(&key->eax, &key->data, cipher->encrypt);
  if (work->message == cmac) cmac128_set_key(&key->cmac, &key->data, cipher->encrypt);
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *nettle_version(void) { return TEXT(NETTLE_VERSION_MAJOR) "." TEXT(NETTLE_VERSION_MINOR); }

void *nettle_open(const struct job *job) {
  const struct {
    const char *name;
    message *message;
  } modes[] = {
      {"ecb", ecb}, {"ctr", ctr}, {"cbc-encrypt", cbc_encrypts}, {"cbc-decrypt", cbc_decrypts},
      {"xts", xts}, {"gcm", gcm}, {"eax", eax},                  {"cmac", cmac},
      {"", rc4},
  };
  const struct nettle_cipher *cipher = job_is(job->cipher, "aes128")       ? &nettle_aes128
                                       : job_is(job->cipher, "aes256")     ? &nettle_aes256
                                       : job_is(job->cipher, "serpent256") ? &nettle_serpent256
                                                                           : NULL;
  if (!cipher && !job_is(job->cipher, "rc4")) return NULL;
  message *of_mode = NULL;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (job_is(modes[i].name, job->mode)) of_mode = modes[i].message;
  if (!of_mode) return NULL;
  size_t keys = job->key_mask + 1, bytes = sizeof(struct nettle) + keys * sizeof(struct key);
  struct nettle *work = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!work) abort();
  work->cipher = cipher;
  work->message = of_mode;
  for (size_t k = 0; k < keys; k++) set_key(work, &work->keys[k], job, k);
  return work;
}

void nettle_run(void *opened, const struct job *job, size_t calls) {
  struct nettle *work = opened;
  if (job->keys_only) {
    for (size_t m = 1; m <= calls; m++) set_key(work, &work->keys[0], job, m);
    work->message(work, &work->keys[0], job, 0);
    return;
  }
  for (size_t m = 0; m < calls * job->batch; m++) work->message(work, &work->keys[m & job->key_mask], job, m);
}

void nettle_close(void *work) { free(work); }
