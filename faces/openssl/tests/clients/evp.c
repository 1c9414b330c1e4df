/* The provider through EVP, as every program meets it: beside OpenSSL's own for the ciphers that both have, and both ways
 * for those that only this one has. Messages have random lengths and come in random pieces, in place or not; contexts are
 * duplicated, used again with another key, another vector or neither, and asked for what they know.
 *
 *   evp compare SEED COUNT       so many messages for each cipher, in 16 threads
 *   evp load                     load, unload, load again; what outlives the unloading; errors; calls in any order
 *   evp refused REASON           the configuration keeps it from being loaded, for this reason
 *   evp crypt CIPHER KEY IV AAD TAG MESSAGE   a message, all in hexadecimal ("-" for nothing); TAG is a length
 */
#include <pthread.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "check.h"

enum { MOST = 40000, THREADS = 16 };

static const char *const SHARED[] = {
    "AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-CFB",
    "AES-192-CFB", "AES-256-CFB", "AES-128-OFB", "AES-192-OFB", "AES-256-OFB", "AES-128-CTR", "AES-192-CTR",
    "AES-256-CTR", "AES-128-XTS", "AES-256-XTS", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM",
};
/* In OpenSSL's legacy provider, where the configuration has it. */
static const char *const LEGACY[] = {"RC4", "RC4-40"};
static const char *const OWN[] = {
    "SERPENT-128-ECB", "SERPENT-192-CBC", "SERPENT-256-CBC", "SERPENT-128-CFB", "SERPENT-256-OFB",
    "SERPENT-192-CTR", "SERPENT-256-XTS", "SERPENT-128-XTS", "AES-192-XTS", "SERPENT-256-GCM", "SERPENT-192-GCM",
    "XTEA-128-ECB", "XTEA-CBC", "XTEA-CTR", "ABREAST-AES-128-EAX", "ABREAST-SERPENT-256-EAX", "AES-128-GCM-SIV",
    "AES-256-GCM-SIV", "ABREAST-AEZ",
};
#define LEN(array) (sizeof(array) / sizeof *(array))

/* What is done with a message, the same by both sides. */
typedef struct {
    unsigned char key[256], iv[16], aad[100], text[MOST];
    size_t len, key_len, aad_len, iv_len, tag_len, duplicate, restart;
    int encrypt, padding, in_place, again;
    unsigned char tag[16];
    uint64_t cuts;
} Message;

typedef struct {
    unsigned char text[MOST + 64], tag[16], iv[16];
    size_t len;
    int ok, num;
} Result;

static int is_aead(const EVP_CIPHER *cipher)
{
    return (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
}

static int is_gcm_siv(const EVP_CIPHER *cipher)
{
    return EVP_CIPHER_is_a(cipher, "AES-128-GCM-SIV") || EVP_CIPHER_is_a(cipher, "AES-256-GCM-SIV");
}

static int has_any_key_length(const EVP_CIPHER *cipher)
{
    return EVP_CIPHER_is_a(cipher, "RC4") || EVP_CIPHER_is_a(cipher, "RC4-40") || EVP_CIPHER_is_a(cipher, "ABREAST-AEZ");
}

static int is_whole(const EVP_CIPHER *cipher)
{
    return EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE || EVP_CIPHER_is_a(cipher, "ABREAST-AEZ") || is_gcm_siv(cipher);
}

/* OpenSSL's own does not always say why it fails. */
static int is_ours(const EVP_CIPHER *cipher)
{
    return strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "abreast") == 0;
}

static void draw_message(Random *random, const EVP_CIPHER *cipher, Message *message)
{
    memset(message, 0, sizeof *message);
    size_t block = (size_t)EVP_CIPHER_get_block_size(cipher);
    fill(random, message->key, sizeof message->key);
    fill(random, message->iv, sizeof message->iv);
    fill(random, message->aad, sizeof message->aad);
    message->len = length(random, MOST - 64);
    message->padding = below(random, 4) > 0;
    if (block > 1 && (!message->padding || below(random, 8) == 0))
        message->len -= message->len % block;
    if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE && message->len < 16)
        message->len += 16;
    if (EVP_CIPHER_is_a(cipher, "ABREAST-AEZ"))
        message->len++;
    fill(random, message->text, message->len);
    message->key_len = (size_t)EVP_CIPHER_get_key_length(cipher);
    if (has_any_key_length(cipher) && below(random, 4))
        message->key_len = 1 + length(random, sizeof message->key - 1);
    message->aad_len = length(random, sizeof message->aad);
    message->iv_len = below(random, 4) ? (size_t)EVP_CIPHER_get_iv_length(cipher) : 1 + below(random, 16);
    message->tag_len = below(random, 4) ? 16 : 12 + below(random, 5);
    if (is_gcm_siv(cipher))
        message->iv_len = 12, message->tag_len = 16;
    message->in_place = below(random, 2) && block == 1;
    message->again = (int)below(random, 4);
    message->duplicate = below(random, 6);
    message->restart = is_aead(cipher) || below(random, 6) ? SIZE_MAX : 1 + below(random, 3);
    message->cuts = draw(random) | 1;
    message->encrypt = 1;
}

/* Goes on with a copy of a context. */
static EVP_CIPHER_CTX *copied(EVP_CIPHER_CTX *context)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    CHECK(copy && EVP_CIPHER_CTX_copy(copy, context), "no copy");
    /* What the one does is not seen by the other. */
    unsigned char scratch[64] = {0};
    int len;
    EVP_CipherUpdate(context, scratch, &len, scratch, 32);
    EVP_CIPHER_CTX_free(context);
    return copy;
}

static void crypt_message(EVP_CIPHER_CTX **place, const EVP_CIPHER *cipher, const Message *message, Result *result)
{
    EVP_CIPHER_CTX *context = *place;
    Random cuts = {message->cuts};
    int aead = is_aead(cipher), len = 0;
    memset(result, 0, sizeof *result);
    ERR_clear_error();
    /* The key, the vector, both or neither are new. */
    if (message->again == 0 || !EVP_CIPHER_CTX_get0_cipher(context))
        CHECK(EVP_CipherInit_ex2(context, cipher, NULL, NULL, message->encrypt, NULL), "no cipher");
    if (aead && message->iv_len != (size_t)EVP_CIPHER_CTX_get_iv_length(context))
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)message->iv_len, NULL), "no length");
    if (has_any_key_length(cipher))
        CHECK(EVP_CIPHER_CTX_set_key_length(context, (int)message->key_len), "no key of %zu bytes", message->key_len);
    if (message->again == 1) {
        CHECK(EVP_CipherInit_ex2(context, NULL, message->key, NULL, message->encrypt, NULL), "no key");
        CHECK(EVP_CipherInit_ex2(context, NULL, NULL, message->iv, message->encrypt, NULL), "no vector");
    } else if (message->again == 2) {
        CHECK(EVP_CipherInit_ex2(context, NULL, NULL, message->iv, message->encrypt, NULL), "no vector");
        CHECK(EVP_CipherInit_ex2(context, NULL, message->key, NULL, message->encrypt, NULL), "no key");
    } else {
        CHECK(EVP_CipherInit_ex2(context, NULL, message->key, message->iv, message->encrypt, NULL), "no key");
    }
    /* And neither: the message begins again. */
    if (message->again == 3)
        CHECK(EVP_CipherInit_ex2(context, NULL, NULL, NULL, message->encrypt, NULL), "not again");
    CHECK(EVP_CIPHER_CTX_set_padding(context, message->padding), "no padding");
    if (aead && !message->encrypt)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)message->tag_len, (void *)message->tag),
            "no tag");
    else if (EVP_CIPHER_is_a(cipher, "ABREAST-AEZ"))
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)message->tag_len, NULL), "no length");
    for (size_t at = 0, piece; aead && at < message->aad_len; at += piece) {
        piece = 1 + below(&cuts, message->aad_len - at);
        CHECK(EVP_CipherUpdate(context, NULL, &len, message->aad + at, (int)piece), "no associated data");
    }
    const unsigned char *input = message->text;
    if (message->in_place)
        input = memcpy(result->text, message->text, message->len);
    size_t at = 0, pieces = 0;
    result->ok = 1;
    while (at < message->len && result->ok) {
        size_t piece = is_whole(cipher) ? message->len : 1 + length(&cuts, message->len - at - 1);
        if (pieces == message->duplicate && !is_whole(cipher))
            *place = context = copied(context);
        /* Counter mode goes on with the next block, and the other modes begin with their vector. */
        if (pieces++ == message->restart && !is_whole(cipher))
            CHECK(EVP_CipherInit_ex2(context, NULL, NULL, NULL, message->encrypt, NULL), "not again");
        result->ok = EVP_CipherUpdate(context, result->text + result->len, &len, input + at, (int)piece);
        result->len += (size_t)len;
        at += piece;
    }
    if (result->ok) {
        result->ok = EVP_CipherFinal_ex(context, result->text + result->len, &len);
        result->len += result->ok ? (size_t)len : 0;
    }
    CHECK(result->ok || ERR_peek_error() || !is_ours(cipher), "%s failed without a reason", EVP_CIPHER_get0_name(cipher));
    if (aead && message->encrypt)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int)message->tag_len, result->tag), "no tag");
    if (!aead && EVP_CIPHER_get_iv_length(cipher) > 0)
        CHECK(EVP_CIPHER_CTX_get_updated_iv(context, result->iv, sizeof result->iv), "no running vector");
    result->num = aead || is_whole(cipher) ? 0 : EVP_CIPHER_CTX_get_num(context);
}

/* The ciphertext becomes the message, whole or with something wrong. */
static void turn(Random *random, const EVP_CIPHER *cipher, Message *message, const Result *result)
{
    message->encrypt = 0;
    message->len = result->len;
    memcpy(message->text, result->text, result->len);
    memcpy(message->tag, result->tag, sizeof message->tag);
    if (below(random, 4) == 0) {
        if (is_aead(cipher) && below(random, 2))
            message->tag[below(random, message->tag_len)] ^= 1;
        else if (message->len > 0)
            message->text[below(random, message->len)] ^= 1;
    }
}

static void same(const char *name, const Message *message, const Result *one, const Result *other)
{
    CHECK(one->ok == other->ok && one->len == other->len, "%s: %zu bytes, encrypt %d: %d %zu, %d %zu", name,
        message->len, message->encrypt, one->ok, one->len, other->ok, other->len);
    CHECK(memcmp(one->tag, other->tag, 16) == 0, "%s: tags of %zu bytes", name, message->len);
    if (!one->ok)
        return;
    CHECK(memcmp(one->text, other->text, one->len) == 0, "%s: %zu bytes, encrypt %d", name, message->len,
        message->encrypt);
    CHECK(memcmp(one->iv, other->iv, 16) == 0 && one->num == other->num, "%s: running vectors, %d and %d", name,
        one->num, other->num);
}

typedef struct {
    uint64_t seed;
    unsigned long count, checked;
    pthread_t thread;
    size_t shared;
    EVP_CIPHER **ours, **theirs, **own;
} Share;

static void *compare(void *argument)
{
    Share *share = argument;
    Random random = {share->seed | 1};
    Message *message = malloc(sizeof *message);
    Result *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    CHECK(message && one && other, "no memory");
    for (size_t at = 0; at < share->shared + LEN(OWN); at++) {
        int is_shared = at < share->shared;
        EVP_CIPHER *ours = is_shared ? share->ours[at] : share->own[at - share->shared];
        const char *name = EVP_CIPHER_get0_name(ours);
        EVP_CIPHER *theirs = is_shared ? share->theirs[at] : ours;
        EVP_CIPHER_CTX *our_context = EVP_CIPHER_CTX_new(), *their_context = EVP_CIPHER_CTX_new();
        CHECK(our_context && their_context, "no contexts");
        for (unsigned long round = 0; round < share->count; round++, share->checked++) {
            draw_message(&random, ours, message);
            if (!is_shared)
                message->restart = SIZE_MAX;
            crypt_message(&our_context, ours, message, one);
            if (!is_shared)
                message->duplicate = SIZE_MAX, message->again = 0;
            if (!is_shared && EVP_CIPHER_is_a(ours, "ABREAST-AEZ"))
                message->aad_len = 0, crypt_message(&our_context, ours, message, one);
            crypt_message(&their_context, theirs, message, other);
            same(name, message, one, other);
            unsigned char *plain = malloc(message->len + 1);
            size_t plain_len = message->len;
            memcpy(plain, message->text, plain_len);
            turn(&random, ours, message, one);
            int whole = memcmp(message->text, one->text, one->len) == 0 && memcmp(message->tag, one->tag, 16) == 0;
            message->cuts = draw(&random) | 1;
            if (EVP_CIPHER_is_a(ours, "ABREAST-AEZ"))
                message->aad_len = 0;
            crypt_message(&our_context, ours, message, one);
            crypt_message(&their_context, theirs, message, other);
            same(name, message, one, other);
            if (whole && message->restart == SIZE_MAX)
                CHECK(one->ok && one->len == plain_len && memcmp(one->text, plain, plain_len) == 0, "%s", name);
            else if (is_aead(ours))
                CHECK(!one->ok, "%s: a forgery of %zu bytes", name, message->len);
            free(plain);
        }
        EVP_CIPHER_CTX_free(our_context);
        EVP_CIPHER_CTX_free(their_context);
    }
    free(message);
    free(one);
    free(other);
    return NULL;
}

static EVP_CIPHER *fetch(const char *name, const char *properties)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, properties);
    CHECK(cipher, "%s is not to be had", name);
    return cipher;
}

static void compare_all(uint64_t seed, unsigned long count)
{
    static EVP_CIPHER *ours[LEN(SHARED) + LEN(LEGACY)], *theirs[LEN(SHARED) + LEN(LEGACY)], *own[LEN(OWN)];
    OSSL_PROVIDER *abreast = OSSL_PROVIDER_load(NULL, "abreast"), *plain = OSSL_PROVIDER_load(NULL, "default");
    CHECK(abreast && plain, "no providers");
    size_t shared = LEN(SHARED) + (OSSL_PROVIDER_available(NULL, "legacy") ? LEN(LEGACY) : 0);
    for (size_t at = 0; at < shared; at++) {
        int is_legacy = at >= LEN(SHARED);
        const char *name = is_legacy ? LEGACY[at - LEN(SHARED)] : SHARED[at];
        ours[at] = fetch(name, "provider=abreast");
        theirs[at] = fetch(name, is_legacy ? "provider=legacy" : "provider=default");
    }
    for (size_t at = 0; at < LEN(OWN); at++)
        own[at] = fetch(OWN[at], "provider=abreast");
    Share shares[THREADS];
    unsigned long checked = 0;
    for (size_t at = 0; at < THREADS; at++) {
        shares[at] = (Share){.seed = seed + at * 1000003, .count = count, .shared = shared, .ours = ours, .theirs = theirs, .own = own};
        CHECK(pthread_create(&shares[at].thread, NULL, compare, &shares[at]) == 0, "no thread");
    }
    for (size_t at = 0; at < THREADS; at++) {
        CHECK(pthread_join(shares[at].thread, NULL) == 0, "no end");
        checked += shares[at].checked;
    }
    for (size_t at = 0; at < shared; at++) {
        EVP_CIPHER_free(ours[at]);
        EVP_CIPHER_free(theirs[at]);
    }
    for (size_t at = 0; at < LEN(OWN); at++)
        EVP_CIPHER_free(own[at]);
    OSSL_PROVIDER_unload(abreast);
    OSSL_PROVIDER_unload(plain);
    CHECK(checked == THREADS * count * (shared + LEN(OWN)), "%lu messages", checked);
    printf("%lu messages of %zu ciphers, both ways\n", checked, shared + LEN(OWN));
    tally(2 * checked, "messages through OpenSSL");
}

/* A call that is refused, with a reason of this provider. */
#define REFUSED(call, reason)                                                                               \
    do {                                                                                                    \
        ERR_clear_error();                                                                                  \
        CHECK(!(call), "it is not refused");                                                                \
        const char *text = NULL;                                                                            \
        ERR_peek_error_all(NULL, NULL, NULL, &text, NULL);                                                  \
        CHECK(text && strstr(text, reason), "the reason is %s", text ? text : "missing");                   \
    } while (0)

/* A change of padding in the middle of a message changes the flag alone: nothing that waits for the rest of its block is lost. */
static void pad_midway(const char *name, int by_parameter)
{
    static const unsigned char key[32] = {5}, iv[16] = {6}, text[33] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
    unsigned char sealed[64], opened[64];
    unsigned flag = 1;
    OSSL_PARAM set[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &flag), OSSL_PARAM_END};
    EVP_CIPHER *cipher = fetch(name, "provider=abreast");
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int len, all, block = EVP_CIPHER_get_block_size(cipher);
    CHECK(context && EVP_EncryptInit_ex2(context, cipher, key, iv, NULL), "no key");
    CHECK(EVP_EncryptUpdate(context, sealed, &len, text, 4) && len == 0, "%s: %d bytes", name, len);
    CHECK(by_parameter ? EVP_CIPHER_CTX_set_params(context, set) : EVP_CIPHER_CTX_set_padding(context, 1), "no padding");
    CHECK(EVP_EncryptUpdate(context, sealed, &len, text + 4, 12) && len == 16, "%s: %d bytes", name, len);
    CHECK(EVP_EncryptFinal_ex(context, sealed + 16, &len) && len == block, "%s: %d bytes", name, len);
    CHECK(EVP_DecryptInit_ex2(context, NULL, key, iv, NULL), "no key");
    CHECK(EVP_DecryptUpdate(context, opened, &len, sealed, 16 + block), "no message");
    all = len;
    CHECK(EVP_DecryptFinal_ex(context, opened + all, &len) && all + len == 16, "%s: %d bytes", name, all + len);
    CHECK(memcmp(opened, text, 16) == 0, "%s: other bytes", name);
    /* The block that was held back, since it might have been padding, comes out at the end or with the next piece. */
    for (int piece = 0; piece < 2; piece++) {
        CHECK(EVP_EncryptInit_ex2(context, NULL, key, iv, NULL), "no key");
        CHECK(EVP_EncryptUpdate(context, sealed, &len, text, 32) && len == 32, "no message");
        CHECK(EVP_DecryptInit_ex2(context, NULL, key, iv, NULL), "no key");
        CHECK(EVP_DecryptUpdate(context, opened, &len, sealed, 32) && len == 32 - block, "%s: %d bytes", name, len);
        flag = 0;
        CHECK(by_parameter ? EVP_CIPHER_CTX_set_params(context, set) : EVP_CIPHER_CTX_set_padding(context, 0), "no padding");
        if (piece)
            CHECK(EVP_DecryptUpdate(context, opened + len, &len, text, 0) && len == block, "%s: %d bytes", name, len);
        else
            CHECK(EVP_DecryptFinal_ex(context, opened + len, &len) && len == block, "%s: %d bytes", name, len);
        CHECK(memcmp(opened, text, 32) == 0, "%s: other bytes", name);
        flag = 1;
        CHECK(EVP_CIPHER_CTX_set_padding(context, 1), "no padding");
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

/* An empty piece is none, before a key, in the middle and after the end. */
static void empty_pieces(const char *name)
{
    static const unsigned char bytes[32] = {1, 2, 3};
    unsigned char out[48];
    EVP_CIPHER *cipher = fetch(name, "provider=abreast");
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int len = 1;
    CHECK(context && EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), "no cipher");
    CHECK(EVP_CipherUpdate(context, NULL, &len, bytes, 0) && len == 0, "%s: before a key", name);
    CHECK(EVP_EncryptInit_ex2(context, NULL, bytes, bytes, NULL), "no key");
    CHECK(EVP_CipherUpdate(context, out, &len, bytes, 20) && len == 20, "no message");
    CHECK(EVP_CipherUpdate(context, NULL, &len, bytes, 0) && len == 0, "%s: after data", name);
    CHECK(EVP_CipherUpdate(context, out, &len, bytes, 0) && len == 0, "%s: in the middle", name);
    CHECK(EVP_CipherFinal_ex(context, out, &len), "no end");
    CHECK(EVP_CipherUpdate(context, NULL, &len, bytes, 0) && len == 0, "%s: after the end", name);
    CHECK(EVP_CipherUpdate(context, out, &len, bytes, 0) && len == 0, "%s: after the end", name);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

/* Encryption under a key alone draws a nonce and says which; a counter of nonces is told whole where no length is given. */
static void drawn_nonce(const char *name)
{
    static const unsigned char key[32] = {7}, text[20] = "by a nonce at random";
    unsigned char sealed[20], again[20], nonce[2][16], tag[2][16];
    EVP_CIPHER *cipher = fetch(name, "provider=abreast");
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int len, iv_len = EVP_CIPHER_get_iv_length(cipher);
    CHECK(context && EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL), "no key");
    CHECK(EVP_EncryptUpdate(context, sealed, &len, text, 20) && EVP_EncryptFinal_ex(context, NULL, &len), "no message");
    CHECK(EVP_CIPHER_CTX_get_updated_iv(context, nonce[0], 16), "no nonce");
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag[0]), "no tag");
    CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, nonce[0], NULL), "no vector");
    CHECK(EVP_EncryptUpdate(context, again, &len, text, 20) && EVP_EncryptFinal_ex(context, NULL, &len), "no message");
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag[1]), "no tag");
    CHECK(memcmp(sealed, again, 20) == 0 && memcmp(tag[0], tag[1], 16) == 0, "%s: another nonce", name);
    CHECK(EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL), "no key");
    CHECK(EVP_EncryptUpdate(context, again, &len, text, 20), "no message");
    CHECK(EVP_CIPHER_CTX_get_updated_iv(context, nonce[1], 16), "no nonce");
    CHECK(memcmp(nonce[0], nonce[1], (size_t)iv_len) != 0, "%s: the same nonce again", name);
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IV_FIXED, -1, nonce[0]), "no counter");
    memset(nonce[1], 0, 16);
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_IV_GEN, -1, nonce[1]), "no counter");
    CHECK(memcmp(nonce[0], nonce[1], (size_t)iv_len) == 0, "%s: another nonce", name);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

/* Modes that take a message in one piece: associated data in pieces, copies, forgeries, and calls that are refused. */
static void whole_messages(const char *name)
{
    static const unsigned char key[48] = {8}, iv[16] = {9}, words[40] = "no byte comes out of a forged message", none[40];
    unsigned char sealed[40], opened[40], tag[16];
    EVP_CIPHER *cipher = fetch(name, "provider=abreast");
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    int len, is_siv = is_gcm_siv(cipher);
    CHECK(context && copy && EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), "no cipher");
    REFUSED(EVP_EncryptUpdate(context, NULL, &len, words, 5), "no key");
    REFUSED(EVP_EncryptUpdate(context, sealed, &len, words, 40), "no key");
    CHECK(EVP_EncryptInit_ex2(context, NULL, key, NULL, NULL), "no key");
    REFUSED(EVP_EncryptUpdate(context, NULL, &len, words, 5), "no initialisation vector");
    REFUSED(EVP_EncryptUpdate(context, sealed, &len, words, 40), "no initialisation vector");
    REFUSED(EVP_EncryptFinal_ex(context, sealed, &len), "no initialisation vector");
    CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, iv, NULL), "no vector");
    CHECK(EVP_EncryptUpdate(context, NULL, &len, words, 5) && len == 5, "no associated data");
    /* A copy has the associated data so far. */
    CHECK(EVP_CIPHER_CTX_copy(copy, context), "no copy");
    CHECK(EVP_EncryptUpdate(context, NULL, &len, key, 3) && EVP_EncryptUpdate(copy, NULL, &len, key, 3), "no associated data");
    REFUSED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag), "no tag");
    CHECK(EVP_EncryptUpdate(context, sealed, &len, words, 40) && len == 40, "no message");
    REFUSED(EVP_EncryptUpdate(context, NULL, &len, words, 5), "associated data");
    CHECK(EVP_EncryptFinal_ex(context, NULL, &len) && len == 0, "no end");
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag), "no tag");
    REFUSED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 12, opened), "no tag");
    CHECK(EVP_EncryptUpdate(copy, opened, &len, words, 40) && memcmp(opened, sealed, 40) == 0, "%s: other bytes", name);
    /* A second piece, of which the end tells too. */
    REFUSED(EVP_EncryptUpdate(context, opened, &len, words, 40), "in one piece");
    REFUSED(EVP_EncryptFinal_ex(context, NULL, &len), "in one piece");
    /* Right, forged, and without a tag, with the associated data in one piece where that is the same. */
    for (int kind = 0; kind < 4; kind++) {
        CHECK(EVP_DecryptInit_ex2(context, NULL, NULL, iv, NULL), "no vector");
        tag[3] ^= kind == 1;
        if (kind < 3)
            CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag), "no tag");
        tag[3] ^= kind == 1;
        sealed[39] ^= kind == 2;
        unsigned char aad[8] = {words[0], words[1], words[2], words[3], words[4], key[0], key[1], key[2]};
        if (is_siv)
            CHECK(EVP_DecryptUpdate(context, NULL, &len, aad, 8), "no associated data");
        else
            CHECK(EVP_DecryptUpdate(context, NULL, &len, aad, 5) && EVP_DecryptUpdate(context, NULL, &len, aad + 5, 3), "no strings");
        memset(opened, kind == 3 ? 0 : 7, sizeof opened);
        if (kind == 0) {
            CHECK(EVP_DecryptUpdate(context, opened, &len, sealed, 40) && len == 40, "%s: no message", name);
            CHECK(EVP_DecryptFinal_ex(context, NULL, &len) && memcmp(opened, words, 40) == 0, "%s: other bytes", name);
            REFUSED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, opened), "no tag");
        } else {
            const char *reason = kind == 3 ? "no tag" : "not authentic";
            REFUSED(EVP_DecryptUpdate(context, opened, &len, sealed, 40), reason);
            CHECK(memcmp(opened, none, 40) == 0, "%s: bytes of a message that is not authentic", name);
            REFUSED(EVP_DecryptFinal_ex(context, NULL, &len), reason);
        }
        sealed[39] ^= kind == 2;
    }
    /* An empty message comes with the end. */
    CHECK(EVP_EncryptInit_ex2(context, NULL, NULL, iv, NULL) && EVP_EncryptFinal_ex(context, NULL, &len), "no end");
    CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag), "no tag");
    for (int forged = 0; forged < 2; forged++) {
        CHECK(EVP_DecryptInit_ex2(context, NULL, NULL, iv, NULL), "no vector");
        tag[15] ^= (unsigned char)forged;
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag), "no tag");
        CHECK(EVP_DecryptFinal_ex(context, NULL, &len) == !forged, "%s: forged %d", name, forged);
    }
    if (is_siv) {
        REFUSED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL), "vector has a length");
        REFUSED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 12, tag), "tag has a length");
        REFUSED(EVP_CIPHER_CTX_set_key_length(context, 24), "key has a length");
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_free(cipher);
}

/* Calls in an order that a program may come to. */
static void any_order(void)
{
    static const char *const blocks[] = {"AES-128-CBC", "AES-256-ECB", "SERPENT-192-CBC", "SERPENT-128-ECB", "XTEA-CBC", "XTEA-ECB"};
    static const char *const tagged[] = {"AES-128-GCM", "SERPENT-256-GCM", "ABREAST-AES-128-EAX"};
    static const char *const whole[] = {"AES-128-GCM-SIV", "AES-256-GCM-SIV", "ABREAST-AEZ"};
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "it does not load");
    for (size_t at = 0; at < LEN(blocks); at++)
        pad_midway(blocks[at], 0), pad_midway(blocks[at], 1);
    for (size_t at = 0; at < LEN(tagged); at++)
        empty_pieces(tagged[at]), drawn_nonce(tagged[at]);
    for (size_t at = 0; at < LEN(whole); at++)
        whole_messages(whole[at]);
    OSSL_PROVIDER_unload(provider);
}

static void load_again(void)
{
    static const unsigned char bytes[64] = {1, 2, 3};
    EVP_CIPHER_CTX *kept = NULL;
    int len;
    for (int time = 0; time < 3; time++) {
        OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "abreast");
        CHECK(provider && OSSL_PROVIDER_self_test(provider), "it does not load the time %d", time);
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "SERPENT-256-GCM", NULL);
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        unsigned char out[80];
        CHECK(cipher && EVP_EncryptInit_ex2(context, cipher, bytes, bytes, NULL), "no key");
        CHECK(EVP_EncryptUpdate(context, out, &len, bytes, 40) && len == 40, "no message");
        EVP_CIPHER_free(cipher);
        OSSL_PROVIDER_unload(provider);
        /* A context keeps the provider. */
        CHECK(EVP_EncryptUpdate(context, out, &len, bytes, 40) && EVP_EncryptFinal_ex(context, out, &len), "gone");
        EVP_CIPHER_CTX_free(context);
        OSSL_LIB_CTX_free(library);
    }
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "it does not load");
    unsigned long long before = 0, after = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_ulong("abreast-bytes", (unsigned long *)&before), OSSL_PARAM_END};
    CHECK(OSSL_PROVIDER_get_params(provider, ask), "no parameters");
    unsigned char out[128];
    EVP_CIPHER *gcm = fetch("AES-128-GCM", "provider=abreast"), *cbc = fetch("AES-128-CBC", "provider=abreast");
    EVP_CIPHER *xts = fetch("AES-128-XTS", "provider=abreast");
    CHECK((kept = EVP_CIPHER_CTX_new()), "no context");
    CHECK(EVP_CIPHER_get_key_length(gcm) == 16 && EVP_CIPHER_get_iv_length(gcm) == 12, "lengths");
    CHECK(EVP_EncryptInit_ex2(kept, gcm, NULL, NULL, NULL), "no cipher");
    CHECK(EVP_CIPHER_CTX_get_key_length(kept) == 16 && EVP_CIPHER_CTX_get_iv_length(kept) == 12, "before a key");
    REFUSED(EVP_EncryptUpdate(kept, out, &len, bytes, 16), "no key is set");
    CHECK(EVP_DecryptInit_ex2(kept, NULL, bytes, NULL, NULL), "no key");
    REFUSED(EVP_DecryptUpdate(kept, out, &len, bytes, 16), "no initialisation vector");
    CHECK(EVP_EncryptInit_ex2(kept, NULL, NULL, bytes, NULL), "no vector");
    REFUSED(EVP_CIPHER_CTX_ctrl(kept, EVP_CTRL_AEAD_GET_TAG, 16, out), "no tag");
    CHECK(EVP_EncryptUpdate(kept, out, &len, bytes, 64), "no message");
    REFUSED(EVP_EncryptUpdate(kept, NULL, &len, bytes, 5), "associated data");
    CHECK(EVP_EncryptFinal_ex(kept, out, &len), "no end");
    /* The nonce is used up, under this key and under another. */
    REFUSED(EVP_EncryptUpdate(kept, out, &len, bytes, 16), "no initialisation vector");
    CHECK(EVP_EncryptInit_ex2(kept, NULL, bytes, NULL, NULL), "no key");
    REFUSED(EVP_EncryptUpdate(kept, out, &len, bytes, 16), "no initialisation vector");
    /* A tag that was made is not one to compare. */
    CHECK(EVP_EncryptInit_ex2(kept, NULL, NULL, bytes, NULL) && EVP_EncryptFinal_ex(kept, out, &len), "no end");
    CHECK(EVP_DecryptInit_ex2(kept, NULL, NULL, bytes, NULL), "no vector");
    REFUSED(EVP_DecryptFinal_ex(kept, out, &len), "no tag");
    CHECK(EVP_DecryptInit_ex2(kept, gcm, bytes, bytes, NULL), "no key");
    CHECK(EVP_DecryptUpdate(kept, out, &len, bytes, 16), "no message");
    REFUSED(EVP_DecryptFinal_ex(kept, out, &len), "no tag");
    CHECK(EVP_DecryptInit_ex2(kept, NULL, NULL, bytes, NULL), "no vector");
    CHECK(EVP_CIPHER_CTX_ctrl(kept, EVP_CTRL_AEAD_SET_TAG, 16, out), "no tag");
    REFUSED(EVP_DecryptFinal_ex(kept, out, &len), "not authentic");
    CHECK(EVP_EncryptInit_ex2(kept, cbc, bytes, bytes, NULL) && EVP_CIPHER_CTX_set_padding(kept, 0), "no key");
    CHECK(EVP_EncryptUpdate(kept, out, &len, bytes, 20), "no message");
    REFUSED(EVP_EncryptFinal_ex(kept, out, &len), "whole number of blocks");
    static const unsigned char equal[32] = {0};
    /* A key that is refused leaves none, not the last one. */
    CHECK(EVP_EncryptInit_ex2(kept, xts, bytes, bytes, NULL), "no key");
    REFUSED(EVP_EncryptInit_ex2(kept, NULL, equal, bytes, NULL), "two keys");
    REFUSED(EVP_EncryptUpdate(kept, out, &len, bytes, 32), "no key");
    CHECK(EVP_EncryptInit_ex2(kept, NULL, bytes, bytes, NULL), "no key");
    REFUSED(EVP_EncryptUpdate(kept, out, &len, bytes, 15), "data unit");
    EVP_CIPHER_CTX_free(kept);
    EVP_CIPHER_free(gcm);
    EVP_CIPHER_free(cbc);
    EVP_CIPHER_free(xts);
    /* The counter counts if the configuration says so, and only then. */
    ask[0] = OSSL_PARAM_construct_ulong("abreast-bytes", (unsigned long *)&after);
    CHECK(OSSL_PROVIDER_get_params(provider, ask), "no parameters");
    CHECK(after - before == (getenv("COUNTED") ? 64 + 16 + 20 : 0), "%llu bytes", after - before);
    OSSL_PROVIDER_unload(provider);
}

/* RC4 is there where the configuration of the provider says so, by every name of it. */
static void legacy_ciphers(void)
{
    static const char *const names[] = {"RC4", "rc4", "ARC4", "1.2.840.113549.3.4", "RC4-40"};
    static const unsigned char key[257] = {1, 2, 3, 4, 5}, first[16] = {0xb2, 0x39, 0x63, 0x05, 0xf0, 0x3d, 0xc0, 0x27, 0xcc, 0xc3, 0x52, 0x4a, 0x0a, 0x11, 0x18, 0xa8};
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "it does not load");
    int is_there = getenv("LEGACY") != NULL;
    for (size_t at = 0; at < LEN(names); at++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, names[at], "provider=abreast");
        CHECK((cipher != NULL) == is_there, "%s is %sto be had", names[at], cipher ? "" : "not ");
        if (!cipher)
            continue;
        unsigned char bytes[16] = {0};
        int len, usual = strcmp(names[at], "RC4-40") ? 16 : 5;
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        CHECK(EVP_CIPHER_get_key_length(cipher) == usual && EVP_CIPHER_get_iv_length(cipher) == 0, "lengths");
        CHECK(context && EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), "no cipher");
        REFUSED(EVP_EncryptUpdate(context, bytes, &len, bytes, 16), "no key is set");
        REFUSED(EVP_EncryptFinal_ex(context, bytes, &len), "no key is set");
        if (usual != 5)
            REFUSED(EVP_CIPHER_CTX_set_key_length(context, 257), "the key has a length");
        CHECK(EVP_CIPHER_CTX_set_key_length(context, 5), "no length");
        CHECK(EVP_CIPHER_CTX_get_key_length(context) == 5, "another length");
        CHECK(EVP_EncryptInit_ex2(context, NULL, key, NULL, NULL), "no key");
        CHECK(EVP_EncryptUpdate(context, bytes, &len, bytes, 7) && len == 7, "no message");
        CHECK(EVP_EncryptUpdate(context, bytes + 7, &len, bytes + 7, 9) && len == 9, "no message");
        CHECK(memcmp(bytes, first, 16) == 0, "%s: other bytes", names[at]);
        /* Another length takes the key away, and the same one does not. */
        CHECK(EVP_CIPHER_CTX_set_key_length(context, 5) && EVP_EncryptUpdate(context, bytes, &len, bytes, 1), "no message");
        CHECK(EVP_CIPHER_CTX_set_key_length(context, 6), "no length");
        REFUSED(EVP_EncryptUpdate(context, bytes, &len, bytes, 16), "no key is set");
        EVP_CIPHER_CTX_free(context);
        EVP_CIPHER_free(cipher);
    }
    OSSL_PROVIDER_unload(provider);
}

/* A provider that does not load because of its configuration, and why. */
static void not_loaded(const char *reason)
{
    REFUSED(OSSL_PROVIDER_load(NULL, "abreast"), reason);
}

static size_t unhex(const char *digits, unsigned char *bytes)
{
    size_t len = strcmp(digits, "-") ? strlen(digits) / 2 : 0;
    for (size_t at = 0; at < len; at++) {
        unsigned byte;
        CHECK(sscanf(digits + 2 * at, "%2x", &byte) == 1, "%s is not hexadecimal", digits);
        bytes[at] = (unsigned char)byte;
    }
    return len;
}

static void print_encrypted(char **arguments)
{
    static unsigned char key[256], iv[128], aad[1024], text[4096], tag[32];
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "it does not load");
    EVP_CIPHER *cipher = fetch(arguments[0], "provider=abreast");
    unhex(arguments[1], key);
    size_t iv_len = unhex(arguments[2], iv), aad_len = unhex(arguments[3], aad);
    size_t tag_len = (size_t)atoi(arguments[4]), text_len = unhex(arguments[5], text);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int len, aead = is_aead(cipher);
    CHECK(context && EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), "no cipher");
    if (aead)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL), "no length");
    if (EVP_CIPHER_is_a(cipher, "ABREAST-AEZ"))
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, NULL), "no length");
    CHECK(EVP_EncryptInit_ex2(context, NULL, key, iv, NULL), "no key");
    CHECK(EVP_CIPHER_CTX_set_padding(context, 0), "no padding");
    if (aead && aad_len)
        CHECK(EVP_EncryptUpdate(context, NULL, &len, aad, (int)aad_len), "no associated data");
    CHECK(EVP_EncryptUpdate(context, text, &len, text, (int)text_len) && (size_t)len == text_len, "no message");
    CHECK(EVP_EncryptFinal_ex(context, text + len, &len) && len == 0, "no end");
    if (aead)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int)tag_len, tag), "no tag");
    for (size_t at = 0; at < text_len; at++)
        printf("%02x", text[at]);
    for (size_t at = 0; aead && at < tag_len; at++)
        printf("%02x", tag[at]);
    putchar('\n');
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    OSSL_PROVIDER_unload(provider);
}

int main(int count, char **arguments)
{
    if (count == 4 && strcmp(arguments[1], "compare") == 0)
        compare_all(strtoull(arguments[2], NULL, 10), strtoul(arguments[3], NULL, 10));
    else if (count == 2 && strcmp(arguments[1], "load") == 0)
        load_again(), any_order(), legacy_ciphers();
    else if (count == 3 && strcmp(arguments[1], "refused") == 0)
        not_loaded(arguments[2]);
    else if (count == 8 && strcmp(arguments[1], "crypt") == 0)
        print_encrypted(arguments + 2);
    else
        return fprintf(stderr, "evp.c says what the arguments are\n"), 2;
    return 0;
}
