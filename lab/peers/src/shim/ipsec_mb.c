/* intel-ipsec-mb: direct calls for GCM, bursts without checks for CTR, CBC and HMAC, and jobs for the rest. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>

#include "job.h"

struct key {
  DECLARE_ALIGNED(uint32_t encrypts[15 * 4], 16);
  DECLARE_ALIGNED(uint32_t decrypts[15 * 4], 16);
  DECLARE_ALIGNED(uint8_t cmac[2][16], 16);
  DECLARE_ALIGNED(uint8_t pads[2][32], 16); /* the hashes of HMAC's key with its inner and its outer pad */
  uint8_t salt[16];
  struct gcm_key_data gcm;
};

/* BURST_HMAC and PACKET_JOBS take all messages of a call before they wait for any. */
enum kind { DIRECT, BURST, BURST_HMAC, ONE_JOB, ONE_CMAC, PACKET_JOBS };

struct ipsec_mb {
  IMB_MGR *manager;
  enum kind kind;
  IMB_CIPHER_MODE mode;
  IMB_CIPHER_DIRECTION direction;
  size_t bytes; /* of a key */
  size_t front;            /* of a packet before its text */
  IMB_HASH_ALG hash;
  size_t tag_len;
  struct key *keys;
  IMB_JOB *burst;    /* as many as the messages of a call */
  uint8_t *counters; /* 16 bytes for each of them */
  uint8_t *tags;     /* the same: HMAC-SHA-1 has tags of 12 bytes, SRTP of 10 */
};

/* Hashes a key of HMAC, of at most 64 bytes, with a pad. */
static void set_pad(const struct ipsec_mb *work, uint8_t *hash, const uint8_t *key, size_t len, uint8_t pad) {
  uint8_t block[64];
  for (size_t i = 0; i < sizeof block; i++) block[i] = pad ^ (i < len ? key[i] : 0);
  if (work->hash == IMB_AUTH_HMAC_SHA_1)
    IMB_SHA1_ONE_BLOCK(work->manager, block, hash);
  else
    IMB_SHA256_ONE_BLOCK(work->manager, block, hash);
}

static void set_hmac_key(const struct ipsec_mb *work, struct key *key, const uint8_t *bytes) {
  size_t len = work->hash == IMB_AUTH_HMAC_SHA_1 ? 20 : 32;
  set_pad(work, key->pads[0], bytes, len, 0x36);
  set_pad(work, key->pads[1], bytes, len, 0x5c);
}

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
  if (work->kind == BURST_HMAC) {
    set_hmac_key(work, key, bytes);
    return;
  }
  if (work->kind == PACKET_JOBS) {
    set_hmac_key(work, key, bytes + 16);
    if (work->mode == IMB_CIPHER_CNTR) memcpy(key->salt, bytes + 36, 14);
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

static void describe_hmac(const struct ipsec_mb *work, IMB_JOB *it, const struct key *key, size_t len, uint8_t *tag) {
  it->hash_alg = work->hash;
  it->hash_start_src_offset_in_bytes = 0;
  it->msg_len_to_hash_in_bytes = len;
  it->u.HMAC._hashed_auth_key_xor_ipad = key->pads[0];
  it->u.HMAC._hashed_auth_key_xor_opad = key->pads[1];
  it->auth_tag_output = tag;
  it->auth_tag_output_len_in_bytes = work->tag_len;
}

/* A packet: its header is written, what is authenticated behind its text too, and a job made of it. */
static void describe_packet(const struct ipsec_mb *work, IMB_JOB *it, const struct key *key, const struct job *job,
                            size_t m) {
  uint8_t *packet = job_text(job, m);
  size_t text = job->len - work->front - work->tag_len;
  uint8_t *tag = packet + work->front + text;
  uint8_t *counter = work->counters + 16 * m;
  describe(work, it, key, job, m);
  it->chain_order = IMB_ORDER_CIPHER_HASH;
  it->cipher_start_src_offset_in_bytes = work->front;
  it->msg_len_to_cipher_in_bytes = text;
  it->dst = packet + work->front;
  describe_hmac(work, it, key, work->front + text, tag);
  if (work->mode == IMB_CIPHER_CNTR) {
    /* RFC 3711, sections 4.1.1 and 4.2: the sender and the number of the packet in the counter; no roll-overs. */
    memcpy(counter, key->salt, 14);
    counter[14] = counter[15] = 0;
    for (int i = 0; i < 4; i++) counter[4 + i] ^= packet[8 + i];
    for (int i = 0; i < 2; i++) counter[12 + i] ^= packet[2 + i];
    it->iv = counter;
    it->auth_tag_output = work->tags + 16 * m;
    it->auth_tag_output_len_in_bytes = 12;
    memset(tag, 0, 4);
    it->msg_len_to_hash_in_bytes += 4;
  } else {
    static const uint8_t header[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(packet, header, 8);
    memcpy(packet + 8, job_iv(job, m), 16);
  }
}

/* All packets of a call. */
static void packets(const struct ipsec_mb *work, const struct job *job) {
  IMB_MGR *manager = work->manager;
  for (size_t p = 0; p < job->batch; p++) {
    IMB_JOB *it = IMB_GET_NEXT_JOB(manager);
    describe_packet(work, it, &work->keys[p & job->key_mask], job, p);
    IMB_SUBMIT_JOB_NOCHECK(manager);
  }
  while (IMB_FLUSH_JOB(manager)) continue;
  if (work->tag_len < 12)
    for (size_t p = 0; p < job->batch; p++)
      memcpy(job_text(job, p) + job->len - work->tag_len, work->tags + 16 * p, work->tag_len);
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
    case BURST_HMAC:
    case PACKET_JOBS: break; /* never one by one */
  }
}

const char *ipsec_mb_version(void) { return imb_get_version_str(); }

/* The rows that it has. */
static const struct {
  const char *cipher; /* NULL for AES with any key */
  const char *mode;
  enum kind kind;
  IMB_CIPHER_MODE cipher_mode;
  IMB_CIPHER_DIRECTION direction;
  size_t front;
  IMB_HASH_ALG hash;
  size_t tag_len;
} rows[] = {
    {NULL, "ecb", ONE_JOB, IMB_CIPHER_ECB, IMB_DIR_ENCRYPT, 0, IMB_AUTH_NULL, 0},
    {NULL, "ctr", BURST, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, 0, IMB_AUTH_NULL, 0},
    {NULL, "cbc-encrypt", BURST, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT, 0, IMB_AUTH_NULL, 0},
    {NULL, "cbc-decrypt", BURST, IMB_CIPHER_CBC, IMB_DIR_DECRYPT, 0, IMB_AUTH_NULL, 0},
    {NULL, "gcm", DIRECT, IMB_CIPHER_GCM, IMB_DIR_ENCRYPT, 0, IMB_AUTH_NULL, 16},
    {NULL, "cmac", ONE_CMAC, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, 0, IMB_AUTH_AES_CMAC, 16},
    {"aes128", "srtp-sha1", PACKET_JOBS, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, 12, IMB_AUTH_HMAC_SHA_1, 10},
    {"aes128", "esp-cbc-sha256", PACKET_JOBS, IMB_CIPHER_CBC, IMB_DIR_ENCRYPT, 24, IMB_AUTH_HMAC_SHA_256, 16},
    {"hmac-sha1", "", BURST_HMAC, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, 0, IMB_AUTH_HMAC_SHA_1, 12},
    {"hmac-sha256", "", BURST_HMAC, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT, 0, IMB_AUTH_HMAC_SHA_256, 16},
};

void *ipsec_mb_open(const struct job *job) {
  size_t bytes = job_is(job->cipher, "aes128") ? 16 : job_is(job->cipher, "aes256") ? 32 : 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!job_is(rows[i].mode, job->mode)) continue;
    if (rows[i].cipher ? !job_is(rows[i].cipher, job->cipher) : !bytes) continue;
    /* Lanes of several messages count their bytes in 16 bits. */
    int lanes = rows[i].kind == ONE_CMAC || job_is(job->mode, "cbc-encrypt");
    if (lanes && job->len > UINT16_MAX) return NULL;
    struct ipsec_mb *work = calloc(1, sizeof *work);
    size_t keys = job->key_mask + 1;
    work->manager = alloc_mb_mgr(0);
    init_mb_mgr_auto(work->manager, NULL);
    work->kind = rows[i].kind, work->mode = rows[i].cipher_mode, work->direction = rows[i].direction;
    work->front = rows[i].front, work->hash = rows[i].hash, work->tag_len = rows[i].tag_len;
    work->bytes = bytes;
    work->keys = aligned_alloc(64, (keys * sizeof(struct key) + 63) / 64 * 64);
    work->burst = calloc(job->batch, sizeof *work->burst);
    work->counters = calloc(job->batch, 16);
    work->tags = calloc(job->batch, 16);
    if (!work->keys || !work->burst || !work->counters || !work->tags) abort();
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
  if (work->kind == BURST_HMAC) {
    for (size_t p = 0; p < job->batch; p++) {
      IMB_JOB *it = &work->burst[p];
      it->src = job_text(job, p);
      it->cipher_mode = IMB_CIPHER_NULL;
      it->chain_order = IMB_ORDER_HASH_CIPHER;
      describe_hmac(work, it, &work->keys[p & job->key_mask], job->len, job_tag(job, p));
    }
    for (size_t call = 0; call < calls; call++)
      for (size_t p = 0; p < job->batch; p += IMB_MAX_BURST_SIZE)
        IMB_SUBMIT_HASH_BURST_NOCHECK(work->manager, work->burst + p, IMB_MAX_BURST_SIZE, work->hash);
    return;
  }
  if (work->kind == PACKET_JOBS) {
    for (size_t call = 0; call < calls; call++) packets(work, job);
    return;
  }
  for (size_t m = 0; m < calls * job->batch; m++) message(work, &work->keys[m & job->key_mask], job, m);
}

void ipsec_mb_close(void *opened) {
  struct ipsec_mb *work = opened;
  free_mb_mgr(work->manager);
  free(work->keys);
  free(work->burst);
  free(work->counters);
  free(work->tags);
  free(work);
}
