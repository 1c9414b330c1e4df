/* intel-ipsec-mb: direct calls for GCM, bursts without checks for CTR and CBC, and jobs for ECB and CMAC. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>

#include "job.h"

struct key {
  DECLARE_ALIGNED(uint32_t encrypts[15 * 4], 16);
  DECLARE_ALIGNED(uint32_t decrypts[15 * 4], 16);
  DECLARE_ALIGNED(uint8_t cmac[2][16], 16);
  struct gcm_key_data gcm;
};

enum kind { DIRECT, BURST, ONE_JOB, ONE_CMAC };

struct ipsec_mb {
  IMB_MGR *manager;
  enum kind kind;
  IMB_CIPHER_MODE mode;
  IMB_CIPHER_DIRECTION direction;
  size_t bytes; /* of a key */
  struct key *keys;
  IMB_JOB *burst; /* as many as the messages of a call */
};

static void set_key(const struct ipsec_mb *work, struct key *key, const struct job *job, size_t m) {
  const uint8_t *bytes = job_key(job, m);
  IMB_MGR *manager = work->manager;
  if (work->kind == DIRECT) {
    if (work->bytes == 16)
      IMB_AES128_GCM_PRE(manager, bytes, &key->gcm);
    else
      IMB_AES256_GCM_PRE(manager, bytes, &key->gcm);
    return;
  }
  if (work->bytes == 16)
    IMB_AES_KEYEXP_128(manager, bytes, key->encrypts, key->decrypts);
  else
    IMB_AES_KEYEXP_256(manager, bytes, key->encrypts, key->decrypts);
  if (work->kind == ONE_CMAC) {
    if (work->bytes == 16)
      IMB_AES_CMAC_SUBKEY_GEN_128(manager, key->encrypts, key->cmac[0], key->cmac[1]);
    else
      IMB_AES_CMAC_SUBKEY_GEN_256(manager, key->encrypts, key->cmac[0], key->cmac[1]);
  }
}

/* A description of a message to be encrypted or decrypted. */
static void describe(const struct ipsec_mb *work, IMB_JOB *it, const struct key *key, const struct job *job, size_t m) {
  it->src = it->dst = job_text(job, m);
  it->cipher_start_src_offset_in_bytes = 0;
  it->msg_len_to_cipher_in_bytes = job->len;
  it->iv = job_iv(job, m);
  it->iv_len_in_bytes = work->mode == IMB_CIPHER_ECB ? 0 : 16;
  it->enc_keys = key->encrypts;
  it->dec_keys = key->decrypts;
  it->key_len_in_bytes = work->bytes;
  it->cipher_mode = work->mode;
  it->cipher_direction = work->direction;
  it->hash_alg = IMB_AUTH_NULL;
  it->chain_order = IMB_ORDER_CIPHER_HASH;
}

/* A description of a message to be authenticated. */
static void describe_cmac(const struct ipsec_mb *work, IMB_JOB *it, const struct key *key, const struct job *job,
                          size_t m) {
  it->src = job_text(job, m);
  it->hash_start_src_offset_in_bytes = 0;
  it->msg_len_to_hash_in_bytes = job->len;
  it->cipher_mode = IMB_CIPHER_NULL;
  it->cipher_direction = IMB_DIR_ENCRYPT;
  it->chain_order = IMB_ORDER_HASH_CIPHER;
  it->hash_alg = work->bytes == 16 ? IMB_AUTH_AES_CMAC : IMB_AUTH_AES_CMAC_256;
  it->u.CMAC._key_expanded = key->encrypts;
  it->u.CMAC._skey1 = key->cmac[0];
  it->u.CMAC._skey2 = key->cmac[1];
  it->key_len_in_bytes = work->bytes;
  it->auth_tag_output = job_tag(job, m);
  it->auth_tag_output_len_in_bytes = 16;
}

static void message(const struct ipsec_mb *work, struct key *key, const struct job *job, size_t m) {
  IMB_MGR *manager = work->manager;
  uint8_t *text = job_text(job, m);
  switch (work->kind) {
    case DIRECT: {
      struct gcm_context_data state;
      if (work->bytes == 16)
        IMB_AES128_GCM_ENC(manager, &key->gcm, &state, text, text, job->len, job_iv(job, m), job->aad, job->aad_len,
                           job_tag(job, m), 16);
      else
        IMB_AES256_GCM_ENC(manager, &key->gcm, &state, text, text, job->len, job_iv(job, m), job->aad, job->aad_len,
                           job_tag(job, m), 16);
      break;
    }
    case BURST:
      work->burst[0].iv = job_iv(job, m);
      work->burst[0].src = work->burst[0].dst = text;
      IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager, work->burst, 1, work->mode, work->direction, work->bytes);
      break;
    case ONE_JOB:
    case ONE_CMAC: {
      IMB_JOB *it = IMB_GET_NEXT_JOB(manager);
      if (work->kind == ONE_JOB)
        describe(work, it, key, job, m);
      else
        describe_cmac(work, it, key, job, m);
      if (!IMB_SUBMIT_JOB_NOCHECK(manager))
        while (IMB_FLUSH_JOB(manager)) continue;
      break;
    }
  }
}

const char *ipsec_mb_version(void) { return imb_get_version_str(); }

void *ipsec_mb_open(const struct job *job) {
  const struct {
    const char *name;
    enum kind kind;
    IMB_CIPHER_MODE mode;
    IMB_CIPHER_DIRECTION direction;
  } modes[] = {
      {"ecb", ONE_JOB, IMB_CIPHER_ECB, IMB_DIR_ENCRYPT},           {"ctr", BURST, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT},
      {"cbc-encrypt", BURST, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT}, {"cbc-decrypt", BURST, IMB_CIPHER_CBC, IMB_DIR_DECRYPT},
      {"gcm", DIRECT, IMB_CIPHER_GCM, IMB_DIR_ENCRYPT},           {"cmac", ONE_CMAC, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT},
  };
  size_t bytes = job_is(job->cipher, "aes128") ? 16 : job_is(job->cipher, "aes256") ? 32 : 0;
  if (!bytes) return NULL;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (!job_is(modes[i].name, job->mode)) continue;
    /* Lanes of several messages count their bytes in 16 bits. */
    int lanes = modes[i].kind == ONE_CMAC || job_is(job->mode, "cbc-encrypt");
    if (lanes && job->len > UINT16_MAX) return NULL;
    struct ipsec_mb *work = calloc(1, sizeof *work);
    size_t keys = job->key_mask + 1;
    work->manager = alloc_mb_mgr(0);
    init_mb_mgr_auto(work->manager, NULL);
    work->kind = modes[i].kind, work->mode = modes[i].mode, work->direction = modes[i].direction;
    work->bytes = bytes;
    work->keys = aligned_alloc(64, (keys * sizeof(struct key) + 63) / 64 * 64);
    work->burst = calloc(job->batch, sizeof *work->burst);
    if (!work->keys || !work->burst) abort();
    for (size_t k = 0; k < keys; k++) set_key(work, &work->keys[k], job, k);
    return work;
  }
  return NULL;
}

void ipsec_mb_run(void *opened, const struct job *job, size_t calls) {
  struct ipsec_mb *work = opened;
  if (job->keys_only) {
    for (size_t m = 1; m <= calls; m++) set_key(work, &work->keys[0], job, m);
    if (work->kind == BURST) describe(work, work->burst, work->keys, job, 0);
    message(work, &work->keys[0], job, 0);
    return;
  }
  if (work->kind == BURST) {
    /* Messages are described once for all calls of a sample. */
    for (size_t p = 0; p < job->batch; p++) describe(work, &work->burst[p], &work->keys[p & job->key_mask], job, p);
    if (job->batch > 1) {
      for (size_t call = 0; call < calls; call++)
        for (size_t p = 0; p < job->batch; p += IMB_MAX_BURST_SIZE)
          IMB_SUBMIT_CIPHER_BURST_NOCHECK(work->manager, work->burst + p, IMB_MAX_BURST_SIZE, work->mode,
                                          work->direction, work->bytes);
      return;
    }
  }
  for (size_t m = 0; m < calls * job->batch; m++) message(work, &work->keys[m & job->key_mask], job, m);
}

void ipsec_mb_close(void *opened) {
  struct ipsec_mb *work = opened;
  free_mb_mgr(work->manager);
  free(work->keys);
  free(work->burst);
  free(work);
}
