/* Messages of ciphers that OpenSSL lacks, beside the library through its interface for C: a message is collected from its
 * pieces, and computed again in one call. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <ctype.h>

#include <abreast.h>

#include "check.h"

enum { MOST_MESSAGE = 24000, MOST_STRINGS = 32 };

/* A message as far as it has come. It is only followed while calls are of the usual kind. */
typedef struct {
    int followed, encrypt;
    size_t iv_len, in_len, out_len, aad_len, strings;
    unsigned char iv[128], in[MOST_MESSAGE], out[MOST_MESSAGE], aad[MOST_MESSAGE];
    size_t string_len[MOST_STRINGS];
} Message;

/* Begins a message under a vector. */
static void message_begin(Message *message, int encrypt, const unsigned char *iv, size_t iv_len)
{
    message->followed = 1;
    message->encrypt = encrypt;
    message->in_len = message->out_len = message->aad_len = message->strings = 0;
    message->iv_len = iv_len;
    memcpy(message->iv, iv, iv_len);
}

/* Adds a piece, and what came out for it. */
static void message_add(Message *message, const unsigned char *in, size_t in_len, const unsigned char *out, size_t out_len)
{
    if (!message->followed)
        return;
    if (message->in_len + in_len > MOST_MESSAGE || message->out_len + out_len > MOST_MESSAGE) {
        message->followed = 0;
        return;
    }
    memcpy(message->in + message->in_len, in, in_len);
    memcpy(message->out + message->out_len, out, out_len);
    message->in_len += in_len;
    message->out_len += out_len;
}

/* Adds associated data. */
static void message_aad(Message *message, const unsigned char *data, size_t len)
{
    if (!message->followed || message->aad_len + len > MOST_MESSAGE || message->strings == MOST_STRINGS) {
        message->followed = 0;
        return;
    }
    memcpy(message->aad + message->aad_len, data, len);
    message->aad_len += len;
    message->string_len[message->strings++] = len;
}

/* The library's name of the cipher in a name of the provider, whose mode is returned. */
static const char *library_name(const char *name, char *cipher, size_t room)
{
    const char *mode = strrchr(name, '-') + 1;
    if (strncmp(name, "ABREAST-", 8) == 0)
        name += 8;
    size_t len = 0;
    size_t name_len = strlen(name);
    if (name_len > 8 && strcmp(name + name_len - 8, "-GCM-SIV") == 0)
        mode = name + name_len - 7;
    if (strncmp(name, "XTEA", 4) == 0)
        snprintf(cipher, room, "xtea-be");
    else
        for (; name < mode - 1 && len + 1 < room; name++)
            cipher[len++] = (char)tolower(*name), cipher[len] = 0;
    return mode;
}

/* Encrypts with a tag what was encrypted or came of decrypting. */
static int library_seal(const char *name, const unsigned char *key, size_t key_len, const Message *message,
    const unsigned char *plain, size_t len, unsigned char *sealed, unsigned char *tag, size_t tag_len)
{
    char cipher[32];
    const char *mode = library_name(name, cipher, sizeof cipher);
    abreast_cipher *keyed = NULL;
    abreast_aead *aead = NULL;
    int status;
    if (strcmp(mode, "AEZ") == 0) {
        struct abreast_string strings[MOST_STRINGS];
        size_t at = 0;
        for (size_t string = 0; string < message->strings; at += message->string_len[string++])
            strings[string] = (struct abreast_string){message->aad + at, message->string_len[string]};
        CHECK(abreast_aez_new(key, key_len, NULL, &aead) == ABREAST_OK, "no key of AEZ");
        status = abreast_aez_encrypt(
            aead, message->iv, message->iv_len, strings, message->strings, plain, sealed, len, tag, tag_len);
    } else if (strcmp(mode, "GCM-SIV") == 0) {
        CHECK(abreast_gcm_siv_new(key, key_len, NULL, &aead) == ABREAST_OK, "no key of AES-GCM-SIV");
        status = abreast_aead_encrypt(
            aead, message->iv, message->iv_len, message->aad, message->aad_len, plain, sealed, len, tag, tag_len);
    } else {
        CHECK(abreast_cipher_new(cipher, key, key_len, NULL, &keyed) == ABREAST_OK, "no key of %s", cipher);
        status = strcmp(mode, "GCM") == 0 ? abreast_gcm_new(keyed, &aead) : abreast_eax_new(keyed, &aead);
        CHECK(status == ABREAST_OK, "no %s", mode);
        status = abreast_aead_encrypt(
            aead, message->iv, message->iv_len, message->aad, message->aad_len, plain, sealed, len, tag, tag_len);
    }
    abreast_aead_free(aead);
    abreast_cipher_free(keyed);
    return status == ABREAST_OK;
}

/* Encrypts or decrypts without a tag. */
static int library_crypt(const char *name, const unsigned char *key, size_t key_len, int encrypt,
    const unsigned char *iv, const unsigned char *in, unsigned char *out, size_t len)
{
    static const struct {
        const char *mode;
        int encrypt, decrypt;
    } MODES[] = {
        {"ECB", ABREAST_ECB_ENCRYPT, ABREAST_ECB_DECRYPT}, {"CBC", ABREAST_CBC_ENCRYPT, ABREAST_CBC_DECRYPT},
        {"CFB", ABREAST_CFB_ENCRYPT, ABREAST_CFB_DECRYPT}, {"OFB", ABREAST_OFB, ABREAST_OFB},
        {"CTR", ABREAST_CTR128, ABREAST_CTR128},
    };
    char cipher[32];
    const char *mode = library_name(name, cipher, sizeof cipher);
    abreast_cipher *one = NULL, *two = NULL;
    int status = -1;
    if (strcmp(mode, "XTS") == 0) {
        abreast_xts *xts = NULL;
        CHECK(abreast_cipher_new(cipher, key, key_len / 2, NULL, &one) == ABREAST_OK, "no key");
        CHECK(abreast_cipher_new(cipher, key + key_len / 2, key_len / 2, NULL, &two) == ABREAST_OK, "no key");
        CHECK(abreast_xts_new(one, two, &xts) == ABREAST_OK, "no XTS");
        status = (encrypt ? abreast_xts_encrypt : abreast_xts_decrypt)(xts, iv, len, in, out, len);
        abreast_xts_free(xts);
    } else {
        CHECK(abreast_cipher_new(cipher, key, key_len, NULL, &one) == ABREAST_OK, "no key of %s", cipher);
        size_t iv_len = strcmp(mode, "ECB") == 0 ? 0 : strcmp(cipher, "xtea-be") == 0 ? 8 : 16;
        for (size_t at = 0; at < sizeof MODES / sizeof *MODES; at++)
            if (strcmp(mode, MODES[at].mode) == 0) {
                int operation = encrypt ? MODES[at].encrypt : MODES[at].decrypt;
                if (operation == ABREAST_CTR128 && iv_len == 8)
                    operation = ABREAST_CTR64;
                status = abreast_cipher_crypt(one, operation, iv, iv_len, in, out, len);
            }
    }
    abreast_cipher_free(one);
    abreast_cipher_free(two);
    return status == ABREAST_OK;
}

/* Compares what came out so far with the library. At the end of an encryption, `block` bytes were padded to. */
static int message_is_right(Message *message, const char *name, const unsigned char *key, size_t key_len, size_t block,
    int padded, const unsigned char *tag, size_t tag_len)
{
    static _Thread_local unsigned char expected[MOST_MESSAGE];
    unsigned char expected_tag[32] = {0};
    if (!message->followed)
        return 1;
    if (tag || strstr(name, "GCM") || strstr(name, "EAX") || strstr(name, "AEZ")) {
        const unsigned char *plain = message->encrypt ? message->in : message->out;
        const unsigned char *sealed = message->encrypt ? message->out : message->in;
        /* AEZ makes another tag for each length of a tag. */
        return library_seal(name, key, key_len, message, plain, message->in_len, expected, expected_tag,
                   strstr(name, "AEZ") ? tag_len : 16)
            && memcmp(expected, sealed, message->in_len) == 0 && (!tag || memcmp(tag, expected_tag, tag_len) == 0);
    }
    size_t len = message->in_len;
    if (padded) {
        unsigned char padding = (unsigned char)(block - len % block);
        if (len + padding > MOST_MESSAGE)
            return 1;
        memset(message->in + len, padding, padding);
        len += padding;
    }
    len -= len % block;
    if (message->out_len > len || (padded && message->out_len != len))
        return 0;
    return len == 0
        || (library_crypt(name, key, key_len, message->encrypt, message->iv, message->in, expected, len)
            && memcmp(expected, message->out, message->out_len) == 0);
}

#endif
