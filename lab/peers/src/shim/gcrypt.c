/* libgcrypt: a handle for each key, and the vector anew for each message. */
#include <gcrypt.h>
#include <stdlib.h>

#include "job.h"

enum kind { BLOCKS, CTR, ENCRYPT, DECRYPT, AEAD, MAC };

struct gcrypt {
  enum kind kind;
  size_t nonce;
  size_t keys;
  union {
    gcry_cipher_hd_t cipher;
    gcry_mac_hd_t mac;
  } handle[];
};

static void done(gcry_error_t error) {
  if (error) abort();
}

const char *gcrypt_version(void) { return gcry_check_version(NULL); }

/* Missing ciphers and modes are refused, by the library or here. */
static int choose(const struct job *job, int *cipher, int *mode, enum kind *kind) {
  const char *name = job->cipher, *what = job->mode;
  *cipher = job_is(name, "aes128")       ? GCRY_CIPHER_AES128
            : job_is(name, "aes256")     ? GCRY_CIPHER_AES256
            : job_is(name, "serpent256") ? GCRY_CIPHER_SERPENT256
            : job_is(name, "rc4")        ? GCRY_CIPHER_ARCFOUR
                                         : 0;
  if (!*cipher) return 0;
  struct {
    const char *name;
    int mode;
    enum kind kind;
  } modes[] = {
      {"", GCRY_CIPHER_MODE_STREAM, BLOCKS},        {"ecb", GCRY_CIPHER_MODE_ECB, BLOCKS},
      {"ctr", GCRY_CIPHER_MODE_CTR, CTR},           {"cbc-encrypt", GCRY_CIPHER_MODE_CBC, ENCRYPT},
      {"xts", GCRY_CIPHER_MODE_XTS, ENCRYPT},       {"cbc-decrypt", GCRY_CIPHER_MODE_CBC, DECRYPT},
      {"gcm", GCRY_CIPHER_MODE_GCM, AEAD},          {"eax", GCRY_CIPHER_MODE_EAX, AEAD},
      {"cmac", GCRY_MAC_CMAC_AES, MAC},
  };
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (job_is(modes[i].name, what)) {
      *mode = modes[i].mode, *kind = modes[i].kind;
      return 1;
    }
  return 0;
}

void *gcrypt_open(const struct job *job) {
  int cipher, mode;
  enum kind kind;
  if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }
  if (!choose(job, &cipher, &mode, &kind)) return NULL;
  size_t keys = job->key_mask + 1;
  struct gcrypt *work = malloc(sizeof *work + keys * sizeof work->handle[0]);
  if (!work) abort();
  work->kind = kind, work->nonce = job_is(job->mode, "gcm") ? 12 : 16, work->keys = keys;
  for (size_t k = 0; k < keys; k++) {
    gcry_error_t error = kind == MAC ? gcry_mac_open(&work->handle[k].mac, mode, 0, NULL)
                                     : gcry_cipher_open(&work->handle[k].cipher, cipher, mode, 0);
    if (error) {
      free(work);
      return NULL;
    }
    done(kind == MAC ? gcry_mac_setkey(work->handle[k].mac, job_key(job, k), job->key_len)
                     : gcry_cipher_setkey(work->handle[k].cipher, job_key(job, k), job->key_len));
  }
  return work;
}

static void message(struct gcrypt *work, const struct job *job, size_t m) {
  gcry_cipher_hd_t cipher = work->handle[m & job->key_mask].cipher;
  uint8_t *text = job_text(job, m);
  switch (work->kind) {
    case CTR:
      done(gcry_cipher_setctr(cipher, job_iv(job, m), 16));
      done(gcry_cipher_encrypt(cipher, text, job->len, NULL, 0));
      break;
    case ENCRYPT:
      done(gcry_cipher_setiv(cipher, job_iv(job, m), 16));
      done(gcry_cipher_encrypt(cipher, text, job->len, NULL, 0));
      break;
    case DECRYPT:
      done(gcry_cipher_setiv(cipher, job_iv(job, m), 16));
      done(gcry_cipher_decrypt(cipher, text, job->len, NULL, 0));
      break;
    case BLOCKS:
      done(gcry_cipher_encrypt(cipher, text, job->len, NULL, 0));
      break;
    case AEAD:
      done(gcry_cipher_setiv(cipher, job_iv(job, m), work->nonce));
      done(gcry_cipher_authenticate(cipher, job->aad, job->aad_len));
      done(gcry_cipher_final(cipher));
      done(gcry_cipher_encrypt(cipher, text, job->len, NULL, 0));
      done(gcry_cipher_gettag(cipher, job_tag(job, m), 16));
      break;
    case MAC: {
      gcry_mac_hd_t mac = work->handle[m & job->key_mask].mac;
      size_t tag = 16;
      done(gcry_mac_reset(mac));
      done(gcry_mac_write(mac, text, job->len));
      done(gcry_mac_read(mac, job_tag(job, m), &tag));
      break;
    }
  }
}

void gcrypt_run(void *opened, const struct job *job, size_t calls) {
  struct gcrypt *work = opened;
  if (job->keys_only) {
    gcry_cipher_hd_t cipher = work->handle[0].cipher;
    for (size_t m = 1; m <= calls; m++) done(gcry_cipher_setkey(cipher, job_key(job, m), job->key_len));
    message(work, job, 0);
    return;
  }
  for (size_t m = 0; m < calls * job->batch; m++) message(work, job, m);
}

void gcrypt_close(void *opened) {
  struct gcrypt *work = opened;
  for (size_t k = 0; k < work->keys; k++)
    if (work->kind == MAC)
      gcry_mac_close(work->handle[k].mac);
    else
      gcry_cipher_close(work->handle[k].cipher);
  free(work);
}
