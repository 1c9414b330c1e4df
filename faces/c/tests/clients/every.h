// Every function of the library, each in a step that the program which includes this defines:
//
// STEP(function, call) runs `call`, an expression of type int, which calls `function`. It may run it several times if the
// call fails, because a call that fails changes nothing.
// SHORT(function, call) runs a call that is refused, an output being too short or a length wrong, and must change nothing.
//
// All that comes out goes into one number, which is the same however many calls failed on the way.

#ifndef EVERY_H
#define EVERY_H

#include <abreast.h>

#include "check.h"

// The lengths below are above the widest pass of any kernel.
enum { LONG = 5000, PACKETS = 130, TAG = 16 };

static uint64_t digest;

static void take_in(const void *bytes, size_t len) {
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < len; ++i) digest = (digest ^ byte[i]) * 0x100000001b3;
}

static void take_in_number(uint64_t number) { take_in(&number, sizeof number); }

// The result of a function without a status.
static int there(const void *pointer) { return pointer ? ABREAST_OK : ABREAST_NULL_POINTER; }
static int size_of(size_t *place, size_t size) {
    *place = size;
    return ABREAST_OK;
}

// Not on the stack, which is small.
static uint8_t message[LONG], output[LONG + 32], tag[32], counting[64], memory[3][16384];
static struct abreast_packet packets[PACKETS];
static uint8_t tags[PACKETS][TAG];

static void begin_message(void) {
    for (size_t i = 0; i < LONG; ++i) message[i] = (uint8_t)(i * 7 + i / 251);
    for (size_t i = 0; i < sizeof counting; ++i) counting[i] = (uint8_t)i;
    memset(output, 0, sizeof output);
    memset(tag, 0, sizeof tag);
    memset(tags, 0, sizeof tags);
}

// One operation for many packets, of which each has another length.
static void in_packets(int operation, const void *key, size_t iv_len, size_t len, size_t tag_len) {
    for (size_t i = 0; i < PACKETS; ++i) {
        packets[i] = (struct abreast_packet){0};
        packets[i].key = key;
        packets[i].iv = counting;
        packets[i].iv_len = iv_len;
        packets[i].input = message + 32 * i;
        packets[i].output = output + 32 * i;
        packets[i].len = len ? len - i % 2 * 16 : 0;
        if (tag_len) {
            packets[i].aad = counting;
            packets[i].aad_len = i % 40;
            packets[i].tag = tags[i];
            packets[i].tag_len = tag_len;
        }
    }
    int all;
    STEP(abreast_packets,
         (all = abreast_packets(operation, packets, PACKETS, sizeof *packets)) == ABREAST_BATCH ? ABREAST_OK : all);
    for (size_t i = 0; i < PACKETS; ++i) {
        take_in_number(packets[i].status);
        take_in(tags[i], TAG);
    }
    take_in(output, LONG);
}

static void about_the_library(void) {
    const char *name;
    size_t size;
    STEP(abreast_version, there(abreast_version()));
    STEP(abreast_abi_version, size_of(&size, abreast_abi_version()));
    STEP(abreast_self_test, abreast_self_test());
    for (int status = 0; status < 140; ++status) {
        STEP(abreast_status_text, there(name = abreast_status_text(status)));
        take_in(name, strlen(name));
    }
    for (size_t i = 0; i < 12; ++i) {
        STEP(abreast_cipher_at, (name = abreast_cipher_at(i), ABREAST_OK));
        if (!name) break;
        take_in(name, strlen(name));
        STEP(abreast_cipher_key_size, size_of(&size, abreast_cipher_key_size(name)));
        take_in_number(size);
        STEP(abreast_kernel_at, there(abreast_kernel_at(name, 0)));
    }
}

static void in_padded_streams(const abreast_cipher *cipher, size_t block, int operation, int padding, size_t len) {
    abreast_padded_stream *stream, *other;
    size_t written, iv_len = operation >= ABREAST_CBC_ENCRYPT ? block : 0, before = 5;
    STEP(abreast_padded_stream_new,
         abreast_padded_stream_new(cipher, operation, padding, counting, iv_len, &stream));
    STEP(abreast_padded_stream_update, abreast_padded_stream_update(stream, message, before, output, LONG, &written));
    CHECK(written == 0);
    SHORT(abreast_padded_stream_reset, abreast_padded_stream_reset(stream, counting, iv_len + 1));
    size_t rest = len - before;
    for (size_t capacity = 0; capacity < block; ++capacity) {
        SHORT(abreast_padded_stream_update,
              abreast_padded_stream_update(stream, message + before, rest, output, capacity, &written));
    }
    STEP(abreast_padded_stream_update,
         abreast_padded_stream_update(stream, message + before, rest, output, LONG + 32, &written));
    take_in(output, written);
    STEP(abreast_padded_stream_clone, abreast_padded_stream_clone(stream, &other));
    abreast_padded_stream *both[2] = {stream, other};
    for (int i = 0; i < 2; ++i) {
        int ended;
        // Encryption ends with a block; decryption of bytes that nobody encrypted ends with any status.
        if (padding && operation % 2 == ABREAST_ECB_ENCRYPT % 2) {
            for (size_t capacity = 0; capacity < block; ++capacity) {
                SHORT(abreast_padded_stream_finish,
                      abreast_padded_stream_finish(both[i], output, capacity, &written));
            }
        }
        written = 0;
        STEP(abreast_padded_stream_finish,
             (ended = abreast_padded_stream_finish(both[i], output, LONG, &written)) == ABREAST_PADDING ? ABREAST_OK
                                                                                                         : ended);
        take_in_number((uint64_t)ended);
        take_in(output, written);
    }
    STEP(abreast_padded_stream_reset, abreast_padded_stream_reset(stream, counting, iv_len));
    STEP(abreast_padded_stream_free, (abreast_padded_stream_free(stream), ABREAST_OK));
    STEP(abreast_padded_stream_free, (abreast_padded_stream_free(other), ABREAST_OK));
}

static void in_streams(const abreast_cipher *cipher, size_t block, int operation) {
    abreast_stream *stream, *other;
    uint64_t byte;
    size_t iv_len = operation <= ABREAST_ECB_DECRYPT ? 0 : block, len = LONG / 16 * 16 / 2;
    STEP(abreast_stream_new, abreast_stream_new(cipher, operation, counting, iv_len, &stream));
    SHORT(abreast_stream_reset, abreast_stream_reset(stream, counting, iv_len + 1));
    STEP(abreast_stream_apply, abreast_stream_apply(stream, message, output, len));
    take_in(output, len);
    if (iv_len) {
        // A refusal: the length is not the vector's.
        SHORT(abreast_stream_iv, abreast_stream_iv(stream, tag, iv_len + 1));
        int gave;
        STEP(abreast_stream_iv,
             (gave = abreast_stream_iv(stream, tag, iv_len)) == ABREAST_OPERATION ? ABREAST_OK : gave);
        take_in(tag, sizeof tag);
    }
    STEP(abreast_stream_clone, abreast_stream_clone(stream, &other));
    STEP(abreast_stream_apply, abreast_stream_apply(other, message, output, len));
    take_in(output, len);
    if (operation >= ABREAST_CTR16 && operation <= ABREAST_CTR128) {
        STEP(abreast_stream_position, abreast_stream_position(stream, &byte));
        take_in_number(byte);
        STEP(abreast_stream_seek, abreast_stream_seek(stream, 17));
    }
    STEP(abreast_stream_reset, abreast_stream_reset(stream, counting, iv_len));
    STEP(abreast_stream_free, (abreast_stream_free(stream), ABREAST_OK));
    STEP(abreast_stream_free, (abreast_stream_free(other), ABREAST_OK));
}

static void in_aead(const abreast_aead *aead, int encrypt) {
    abreast_aead_stream *stream, *other;
    STEP(abreast_aead_kernel, there(abreast_aead_kernel(aead)));
    for (size_t len = 0; len <= 3000; len = len * 3 + 13) {
        STEP(abreast_aead_encrypt,
             abreast_aead_encrypt(aead, counting, 12, message, len, message, output, len, tag, 8));
        take_in(output, len);
        take_in(tag, 8);
        STEP(abreast_aead_decrypt, abreast_aead_decrypt(aead, counting, 12, message, len, output, output, len, tag, 8));
        take_in(output, len);
    }
    STEP(abreast_aead_stream_new,
         abreast_aead_stream_new(aead, ABREAST_ENCRYPT, counting, 12, counting, 5, &stream));
    STEP(abreast_aead_stream_aad, abreast_aead_stream_aad(stream, counting, 21));
    STEP(abreast_aead_stream_update, abreast_aead_stream_update(stream, message, output, 3333));
    // No associated data are never late.
    STEP(abreast_aead_stream_aad, abreast_aead_stream_aad(stream, NULL, 0));
    SHORT(abreast_aead_stream_aad, abreast_aead_stream_aad(stream, counting, 1));
    take_in(output, 3333);
    STEP(abreast_aead_stream_clone, abreast_aead_stream_clone(stream, &other));
    SHORT(abreast_aead_stream_finish, abreast_aead_stream_finish(stream, tag, 33));
    SHORT(abreast_aead_stream_verify, abreast_aead_stream_verify(stream, tag, 8));
    STEP(abreast_aead_stream_finish, abreast_aead_stream_finish(stream, tag, 8));
    take_in(tag, 8);
    STEP(abreast_aead_stream_finish, abreast_aead_stream_finish(other, tag, 8));
    take_in(tag, 8);
    STEP(abreast_aead_stream_reset, abreast_aead_stream_reset(stream, counting, 12, counting, 5));
    SHORT(abreast_aead_stream_begin, abreast_aead_stream_begin(stream, 2, counting, 12, counting, 5));
    STEP(abreast_aead_stream_begin, abreast_aead_stream_begin(stream, ABREAST_DECRYPT, counting, 12, counting, 5));
    STEP(abreast_aead_stream_free, (abreast_aead_stream_free(stream), ABREAST_OK));
    STEP(abreast_aead_stream_new_idle, abreast_aead_stream_new_idle(aead, &stream));
    SHORT(abreast_aead_stream_reset, abreast_aead_stream_reset(stream, counting, 12, counting, 5));
    STEP(abreast_aead_stream_begin, abreast_aead_stream_begin(stream, ABREAST_ENCRYPT, counting, 12, counting, 26));
    STEP(abreast_aead_stream_update, abreast_aead_stream_update(stream, message, output, 3333));
    take_in(output, 3333);
    STEP(abreast_aead_stream_finish, abreast_aead_stream_finish(stream, tag, 8));
    take_in(tag, 8);
    STEP(abreast_aead_stream_free, (abreast_aead_stream_free(stream), ABREAST_OK));
    STEP(abreast_aead_stream_free, (abreast_aead_stream_free(other), ABREAST_OK));
    STEP(abreast_aead_stream_new,
         abreast_aead_stream_new(aead, ABREAST_DECRYPT, counting, 12, counting, 26, &stream));
    STEP(abreast_aead_stream_update, abreast_aead_stream_update(stream, output, output, 3333));
    take_in(output, 3333);
    SHORT(abreast_aead_stream_verify, abreast_aead_stream_verify(stream, tag, 33));
    SHORT(abreast_aead_stream_finish, abreast_aead_stream_finish(stream, tag, 8));
    int verified;
    STEP(abreast_aead_stream_verify,
         (verified = abreast_aead_stream_verify(stream, tag, 8)) == ABREAST_TAG_MISMATCH ? ABREAST_OK : verified);
    take_in_number((uint64_t)verified);
    STEP(abreast_aead_stream_free, (abreast_aead_stream_free(stream), ABREAST_OK));
    in_packets(encrypt, aead, 12, 32, 8);
    in_packets(encrypt + 1, aead, 12, 32, 8);
}

// A handle in memory of the caller.
#define IN_PLACE(name, handle, ...)                                                              \
    do {                                                                                         \
        size_t size;                                                                             \
        STEP(name##_size, size_of(&size, name##_size()));                                        \
        CHECK(size <= sizeof memory[2]);                                                         \
        SHORT(name##_init, name##_init(memory[2], size - 1, __VA_ARGS__, &handle));              \
        STEP(name##_init, name##_init(memory[2], size, __VA_ARGS__, &handle));                   \
    } while (0)

static void in_hmac(const abreast_hmac *hmac, int operation) {
    abreast_hmac_stream *stream, *other;
    STEP(abreast_hmac_kernel, there(abreast_hmac_kernel(hmac)));
    STEP(abreast_hmac_mac, abreast_hmac_mac(hmac, message, 777, tag, 8));
    take_in(tag, 8);
    STEP(abreast_hmac_verify, abreast_hmac_verify(hmac, message, 777, tag, 8));
    STEP(abreast_hmac_stream_new, abreast_hmac_stream_new(hmac, &stream));
    STEP(abreast_hmac_stream_update, abreast_hmac_stream_update(stream, message, 700));
    STEP(abreast_hmac_stream_clone, abreast_hmac_stream_clone(stream, &other));
    STEP(abreast_hmac_stream_update, abreast_hmac_stream_update(stream, message + 700, 77));
    SHORT(abreast_hmac_stream_verify, abreast_hmac_stream_verify(stream, tag, 33));
    STEP(abreast_hmac_stream_verify, abreast_hmac_stream_verify(stream, tag, 8));
    SHORT(abreast_hmac_stream_finish, abreast_hmac_stream_finish(other, tag, 33));
    STEP(abreast_hmac_stream_finish, abreast_hmac_stream_finish(other, tag, 8));
    take_in(tag, 8);
    STEP(abreast_hmac_stream_reset, abreast_hmac_stream_reset(stream));
    STEP(abreast_hmac_stream_free, (abreast_hmac_stream_free(stream), ABREAST_OK));
    STEP(abreast_hmac_stream_free, (abreast_hmac_stream_free(other), ABREAST_OK));
    IN_PLACE(abreast_hmac_stream, stream, hmac);
    STEP(abreast_hmac_stream_update, abreast_hmac_stream_update(stream, message, 777));
    STEP(abreast_hmac_stream_finish, abreast_hmac_stream_finish(stream, tag, 8));
    take_in(tag, 8);
    STEP(abreast_hmac_stream_free, (abreast_hmac_stream_free(stream), ABREAST_OK));
    in_packets(operation, hmac, 0, 0, 8);
    in_packets(operation + 1, hmac, 0, 0, 8);
}

static void with_hmac(const char *kernel) {
    abreast_hmac *hmac;
    STEP(abreast_hmac_sha1_new, abreast_hmac_sha1_new(counting, 20, kernel, &hmac));
    in_hmac(hmac, ABREAST_HMAC_SHA1);
    STEP(abreast_hmac_free, (abreast_hmac_free(hmac), ABREAST_OK));
    STEP(abreast_hmac_sha256_new, abreast_hmac_sha256_new(message, 100, kernel, &hmac));
    in_hmac(hmac, ABREAST_HMAC_SHA256);
    STEP(abreast_hmac_free, (abreast_hmac_free(hmac), ABREAST_OK));
}

static void with_srtp(int profile, size_t key_len, size_t salt_len) {
    static struct abreast_srtp_packet protected[PACKETS];
    abreast_srtp *session;
    STEP(abreast_srtp_new, abreast_srtp_new(profile, counting, key_len, counting + 32, salt_len, &session));
    uint64_t index;
    STEP(abreast_srtp_estimated_index, (index = abreast_srtp_estimated_index(1, 65535, 0), ABREAST_OK));
    take_in_number(index);
    memset(output, 0x80, LONG);
    for (size_t i = 0; i < PACKETS; ++i) {
        struct abreast_srtp_packet packet = {session, output + 38 * i, 12 + i % 4, 38, 0, 0, (uint32_t)i, (int)(i % 3), 0};
        protected[i] = packet;
    }
    STEP(abreast_srtp_protect, abreast_srtp_protect(protected, PACKETS, sizeof *protected));
    take_in(output, LONG);
    for (size_t i = 0; i < PACKETS; ++i) protected[i].len = protected[i].written;
    // Only once: what it did is not there to be done again.
    STEP(abreast_srtp_unprotect, abreast_srtp_unprotect(protected, PACKETS, sizeof *protected));
    take_in(output, LONG);
    STEP(abreast_srtp_free, (abreast_srtp_free(session), ABREAST_OK));
}

static void with_esp(int suite, size_t key_len, size_t auth_key_len, size_t iv_len) {
    enum { ROOM = 56, COUNT = LONG / ROOM };
    static struct abreast_esp_packet sealed[COUNT];
    abreast_esp *association;
    STEP(abreast_esp_new, abreast_esp_new(suite, 7, counting, key_len, counting, auth_key_len, 1, &association));
    memset(output, 0x80, LONG);
    for (size_t i = 0; i < COUNT; ++i) {
        size_t len = 8 + iv_len + (iv_len == 16 ? 16 : i % 17);
        struct abreast_esp_packet packet = {association, output + ROOM * i, len, ROOM, counting + i % 40, iv_len, 0, i << 30, 0};
        sealed[i] = packet;
    }
    STEP(abreast_esp_seal, abreast_esp_seal(sealed, COUNT, sizeof *sealed));
    take_in(output, LONG);
    for (size_t i = 0; i < COUNT; ++i) sealed[i].len = sealed[i].written;
    STEP(abreast_esp_open, abreast_esp_open(sealed, COUNT, sizeof *sealed));
    take_in(output, LONG);
    STEP(abreast_esp_free, (abreast_esp_free(association), ABREAST_OK));
}

static void with_quic(size_t key_len) {
    static struct abreast_quic_packet sealed[PACKETS];
    abreast_quic_key *key;
    abreast_quic_header_key *header_key;
    STEP(abreast_quic_key_new, abreast_quic_key_new(counting, key_len, counting, &key));
    STEP(abreast_quic_header_key_new, abreast_quic_header_key_new(counting, key_len, &header_key));
    STEP(abreast_quic_mask, abreast_quic_mask(header_key, counting, tag));
    take_in(tag, 5);
    memset(output, 0x80, LONG);
    for (size_t i = 0; i < PACKETS; ++i) {
        struct abreast_quic_packet packet = {header_key, {key, key}, output + 38 * i, 25 + i % 13, 1 + i % 5, i, 0, 0};
        sealed[i] = packet;
    }
    STEP(abreast_quic_seal, abreast_quic_seal(sealed, PACKETS, sizeof *sealed));
    take_in(output, LONG);
    for (size_t i = 0; i < PACKETS; ++i) {
        take_in_number(sealed[i].header_len);
        // The headers say 0x80, whatever the number is.
        sealed[i].number = 0;
    }
    int all;
    STEP(abreast_quic_open,
         (all = abreast_quic_open(sealed, PACKETS, sizeof *sealed)) == ABREAST_BATCH ? ABREAST_OK : all);
    take_in(output, LONG);
    STEP(abreast_quic_header_key_free, (abreast_quic_header_key_free(header_key), ABREAST_OK));
    STEP(abreast_quic_key_free, (abreast_quic_key_free(key), ABREAST_OK));
}

static void in_cmac(const abreast_cipher *cipher) {
    abreast_cmac *cmac;
    abreast_cmac_stream *stream, *other;
    STEP(abreast_cmac_new, abreast_cmac_new(cipher, &cmac));
    STEP(abreast_cmac_mac, abreast_cmac_mac(cmac, message, 777, tag, 8));
    take_in(tag, 8);
    STEP(abreast_cmac_verify, abreast_cmac_verify(cmac, message, 777, tag, 8));
    STEP(abreast_cmac_stream_new, abreast_cmac_stream_new(cmac, &stream));
    STEP(abreast_cmac_stream_update, abreast_cmac_stream_update(stream, message, 700));
    STEP(abreast_cmac_stream_clone, abreast_cmac_stream_clone(stream, &other));
    STEP(abreast_cmac_stream_update, abreast_cmac_stream_update(stream, message + 700, 77));
    SHORT(abreast_cmac_stream_verify, abreast_cmac_stream_verify(stream, tag, 33));
    STEP(abreast_cmac_stream_verify, abreast_cmac_stream_verify(stream, tag, 8));
    SHORT(abreast_cmac_stream_finish, abreast_cmac_stream_finish(other, tag, 33));
    STEP(abreast_cmac_stream_finish, abreast_cmac_stream_finish(other, tag, 8));
    take_in(tag, 8);
    STEP(abreast_cmac_stream_reset, abreast_cmac_stream_reset(stream));
    STEP(abreast_cmac_stream_free, (abreast_cmac_stream_free(stream), ABREAST_OK));
    STEP(abreast_cmac_stream_free, (abreast_cmac_stream_free(other), ABREAST_OK));
    in_packets(ABREAST_CMAC, cmac, 0, 0, 8);
    in_packets(ABREAST_CMAC_VERIFY, cmac, 0, 0, 8);
    STEP(abreast_cmac_free, (abreast_cmac_free(cmac), ABREAST_OK));
}

static void in_key_wrap(const abreast_cipher *cipher) {
    static struct abreast_wrap_packet keys[PACKETS];
    size_t written;
    for (int operation = ABREAST_KEY_WRAP; operation <= ABREAST_KEY_UNWRAP_PADDED; ++operation) {
        int wraps = operation % 2 == ABREAST_KEY_WRAP % 2, all;
        // A wrapped key is unwrapped; in packets, bytes that nobody wrapped.
        const uint8_t *from = wraps ? message : memory[1];
        STEP(abreast_key_wrap,
             abreast_key_wrap(cipher, operation, from, wraps ? 40 : 48, wraps ? memory[1] : output, wraps ? 48 : 40,
                              &written));
        SHORT(abreast_key_wrap, abreast_key_wrap(cipher, operation, from, 48, output, 47, &written));
        take_in(wraps ? memory[1] : output, 40);
        take_in_number(written);
        for (size_t i = 0; i < PACKETS; ++i) {
            keys[i] = (struct abreast_wrap_packet){cipher, message + i, 24, output + 32 * i, wraps ? 32 : 16, 0, 0};
        }
        STEP(abreast_wrap_packets, (all = abreast_wrap_packets(operation, keys, PACKETS, sizeof *keys)) == ABREAST_BATCH
                                       ? ABREAST_OK
                                       : all);
        for (size_t i = 0; i < PACKETS; ++i) take_in_number(keys[i].status);
        take_in(output, LONG);
    }
}

// Messages as a whole, in a mode without streams, and the end of its key.
static void in_whole(abreast_aead *key) {
    for (size_t len = 0; len < LONG; len = 2 * len + 9) {
        STEP(abreast_aead_encrypt,
             abreast_aead_encrypt(key, counting, 12, counting, 20, message, output, len, tag, TAG));
        take_in(output, len);
        take_in(tag, TAG);
        STEP(abreast_aead_decrypt,
             abreast_aead_decrypt(key, counting, 12, counting, 20, output, output, len, tag, TAG));
    }
    STEP(abreast_aead_free, (abreast_aead_free(key), ABREAST_OK));
}

// Streams and keys of modes of a block cipher, in memory of the caller.
static void in_place(const abreast_cipher *cipher, size_t block) {
    abreast_stream *stream;
    abreast_padded_stream *padded;
    abreast_aead_stream *sealing;
    abreast_cmac_stream *mac;
    abreast_aead *eax, *gcm, *siv;
    abreast_cmac *cmac;
    size_t written;
    IN_PLACE(abreast_stream, stream, cipher, ABREAST_OFB, counting, block);
    STEP(abreast_stream_apply, abreast_stream_apply(stream, message, output, 1003));
    take_in(output, 1003);
    STEP(abreast_stream_free, (abreast_stream_free(stream), ABREAST_OK));
    IN_PLACE(abreast_padded_stream, padded, cipher, ABREAST_CBC_ENCRYPT, 1, counting, block);
    STEP(abreast_padded_stream_update, abreast_padded_stream_update(padded, message, 1003, output, LONG, &written));
    take_in(output, written);
    STEP(abreast_padded_stream_free, (abreast_padded_stream_free(padded), ABREAST_OK));
    IN_PLACE(abreast_eax, eax, cipher);
    in_aead(eax, ABREAST_EAX_ENCRYPT);
    STEP(abreast_aead_free, (abreast_aead_free(eax), ABREAST_OK));
    STEP(abreast_eax_new, abreast_eax_new(cipher, &eax));
    IN_PLACE(abreast_aead_stream, sealing, eax);
    STEP(abreast_aead_free, (abreast_aead_free(eax), ABREAST_OK));
    STEP(abreast_aead_stream_begin, abreast_aead_stream_begin(sealing, ABREAST_DECRYPT, counting, 12, counting, 5));
    STEP(abreast_aead_stream_update, abreast_aead_stream_update(sealing, message, output, 1003));
    take_in(output, 1003);
    STEP(abreast_aead_stream_free, (abreast_aead_stream_free(sealing), ABREAST_OK));
    STEP(abreast_cmac_new, abreast_cmac_new(cipher, &cmac));
    IN_PLACE(abreast_cmac_stream, mac, cmac);
    STEP(abreast_cmac_free, (abreast_cmac_free(cmac), ABREAST_OK));
    STEP(abreast_cmac_stream_update, abreast_cmac_stream_update(mac, message, 1003));
    STEP(abreast_cmac_stream_finish, abreast_cmac_stream_finish(mac, tag, 8));
    take_in(tag, 8);
    STEP(abreast_cmac_stream_free, (abreast_cmac_stream_free(mac), ABREAST_OK));
    if (block < 16) return;
    IN_PLACE(abreast_gcm, gcm, cipher);
    in_whole(gcm);
    IN_PLACE(abreast_siv, siv, cipher, cipher);
    in_whole(siv);
}

static void released_schema(struct ArrowSchema *schema) { schema->release = NULL; }
static void released_array(struct ArrowArray *array) { array->release = NULL; }

// A column of strings, the third of them null, there and back.
static void in_column(const abreast_aead *aead, size_t nonce_len) {
    static int32_t ends[PACKETS + 1];
    static uint8_t validity[(PACKETS + 7) / 8];
    for (int32_t i = 0; i <= PACKETS; ++i) ends[i] = i * 32;
    memset(validity, 0xff, sizeof validity);
    validity[0] = 0xfb;
    const void *buffers[3] = {validity, ends, message};
    struct ArrowSchema schema = {.format = "u", .release = released_schema}, sealed_type, opened_type;
    struct ArrowArray array = {
        .length = PACKETS, .null_count = 1, .n_buffers = 3, .buffers = buffers, .release = released_array};
    struct ArrowArray sealed, opened;
    size_t invalid;
    SHORT(abreast_column_encrypt,
          abreast_column_encrypt(aead, &schema, &array, counting, 5, message, 1, NULL, 0, NULL, NULL, &sealed_type, &sealed));
    STEP(abreast_column_encrypt,
         abreast_column_encrypt(aead, &schema, &array, counting, 5, message, nonce_len * PACKETS, counting, 7, NULL, NULL,
                                &sealed_type, &sealed));
    const int32_t *offsets = sealed.buffers[1];
    take_in(sealed.buffers[2], (size_t)offsets[PACKETS]);
    SHORT(abreast_column_decrypt,
          abreast_column_decrypt(aead, &sealed_type, &sealed, counting, 4, counting, 7, NULL, NULL, NULL, &opened_type, &opened));
    STEP(abreast_column_decrypt, abreast_column_decrypt(aead, &sealed_type, &sealed, counting, 5, counting, 7, NULL, NULL,
                                                        &invalid, &opened_type, &opened));
    CHECK(invalid == 0 && opened.null_count == 1);
    offsets = opened.buffers[1];
    take_in(opened.buffers[2], (size_t)offsets[PACKETS]);
    sealed.release(&sealed);
    opened.release(&opened);
    sealed_type.release(&sealed_type);
    opened_type.release(&opened_type);
}

// All that there is for a block cipher at a kernel.
static void with_cipher(const char *name, const char *kernel) {
    abreast_cipher *cipher, *other, *three[3];
    size_t block, room, written, key_len = abreast_cipher_key_size(name);
    STEP(abreast_cipher_new, abreast_cipher_new(name, counting, key_len, kernel, &cipher));
    STEP(abreast_cipher_size, size_of(&room, abreast_cipher_size(name)));
    CHECK(room <= sizeof memory[0]);
    STEP(abreast_cipher_init, abreast_cipher_init(memory[0], room, name, counting + 32, key_len, kernel, &other));
    STEP(abreast_cipher_block_size, size_of(&block, abreast_cipher_block_size(cipher)));
    STEP(abreast_cipher_name, there(abreast_cipher_name(cipher)));
    STEP(abreast_cipher_kernel, there(abreast_cipher_kernel(cipher)));
    for (int operation = ABREAST_ECB_ENCRYPT; operation <= ABREAST_CTR128; ++operation) {
        if (operation >= ABREAST_CTR16 && (8u << (operation - ABREAST_CTR16 + 1)) > 8 * block) continue;
        size_t iv_len = operation <= ABREAST_ECB_DECRYPT ? 0 : block;
        for (size_t len = 16; len <= LONG / 16 * 16; len = len * 6 + 16) {
            STEP(abreast_cipher_crypt,
                 abreast_cipher_crypt(cipher, operation, counting, iv_len, message, output, len));
            take_in(output, len);
        }
        in_streams(cipher, block, operation);
        if (operation >= ABREAST_CFB_ENCRYPT && operation <= ABREAST_CFB8_DECRYPT) continue;
        in_packets(operation, cipher, iv_len, 32, 0);
    }
    for (int operation = ABREAST_ECB_ENCRYPT; operation <= ABREAST_CBC_DECRYPT; ++operation) {
        in_padded_streams(cipher, block, operation, 1, operation % 2 ? 1003 : 1008);
        in_padded_streams(cipher, block, operation, 0, 1008);
    }
    memcpy(output, message, LONG);
    SHORT(abreast_cbc_encrypt_padded,
          abreast_cbc_encrypt_padded(cipher, counting, block, output, 1003, 1003, &written));
    STEP(abreast_cbc_encrypt_padded,
         abreast_cbc_encrypt_padded(cipher, counting, block, output, LONG, 1003, &written));
    take_in(output, written);
    STEP(abreast_cbc_decrypt_padded, abreast_cbc_decrypt_padded(cipher, counting, block, output, written, &written));
    take_in(output, written);
    if (block == 16) {
        abreast_aead *gcm;
        abreast_aead *siv;
        abreast_xts *xts;
        abreast_hctr2 *hctr2;
        STEP(abreast_gcm_new, abreast_gcm_new(cipher, &gcm));
        in_column(gcm, 12);
        in_aead(gcm, ABREAST_GCM_ENCRYPT);
        STEP(abreast_aead_free, (abreast_aead_free(gcm), ABREAST_OK));
        STEP(abreast_siv_new, abreast_siv_new(cipher, other, &siv));
        in_column(siv, 0);
        in_packets(ABREAST_SIV_ENCRYPT, siv, 16, 32, TAG);
        in_packets(ABREAST_SIV_DECRYPT, siv, 0, 32, TAG);
        in_whole(siv);
        in_key_wrap(cipher);
        STEP(abreast_xts_new, abreast_xts_new(cipher, other, &xts));
        for (size_t unit = 16; unit <= 4096; unit *= 4) {
            STEP(abreast_xts_encrypt, abreast_xts_encrypt(xts, counting, unit, message, output, 4096));
            take_in(output, 4096);
            STEP(abreast_xts_decrypt, abreast_xts_decrypt(xts, counting, unit, message, output, 4096));
            take_in(output, 4096);
        }
        in_packets(ABREAST_XTS_ENCRYPT, xts, 16, 32, 0);
        in_packets(ABREAST_XTS_DECRYPT, xts, 16, 32, 0);
        STEP(abreast_xts_free, (abreast_xts_free(xts), ABREAST_OK));
        STEP(abreast_hctr2_new, abreast_hctr2_new(cipher, &hctr2));
        for (size_t len = 16; len <= 4096; len *= 4) {
            STEP(abreast_hctr2_encrypt, abreast_hctr2_encrypt(hctr2, counting, len % 40, message, output, len));
            take_in(output, len);
            STEP(abreast_hctr2_decrypt, abreast_hctr2_decrypt(hctr2, counting, len % 40, message, output, len));
            take_in(output, len);
        }
        in_packets(ABREAST_HCTR2_ENCRYPT, hctr2, 16, 32, 0);
        in_packets(ABREAST_HCTR2_DECRYPT, hctr2, 16, 32, 0);
        STEP(abreast_hctr2_free, (abreast_hctr2_free(hctr2), ABREAST_OK));
    }
    abreast_aead *eax;
    STEP(abreast_eax_new, abreast_eax_new(cipher, &eax));
    in_aead(eax, ABREAST_EAX_ENCRYPT);
    STEP(abreast_aead_free, (abreast_aead_free(eax), ABREAST_OK));
    in_cmac(cipher);
    in_place(cipher, block);
    STEP(abreast_cipher_free, (abreast_cipher_free(other), ABREAST_OK));
    STEP(abreast_cipher_free, (abreast_cipher_free(cipher), ABREAST_OK));
    uint8_t keys[3 * 32];
    memset(keys, 9, sizeof keys);
    STEP(abreast_ciphers_init,
         abreast_ciphers_init(memory[0], sizeof memory[0], 3, name, keys, key_len, kernel, three));
    for (int i = 0; i < 3; ++i) STEP(abreast_cipher_free, (abreast_cipher_free(three[i]), ABREAST_OK));
}

static void with_gcm_siv(const char *kernel) {
    abreast_aead *key;
    STEP(abreast_gcm_siv_new, abreast_gcm_siv_new(counting, 32, kernel, &key));
    // The bit-sliced kernel allocates memory for each message, and one that gets none fails by itself.
    if (strncmp(kernel, "sliced", 6) != 0) {
        in_packets(ABREAST_GCM_SIV_ENCRYPT, key, 12, 32, TAG);
        in_packets(ABREAST_GCM_SIV_DECRYPT, key, 12, 32, TAG);
    }
    in_whole(key);
    IN_PLACE(abreast_gcm_siv, key, counting, 16, kernel);
    in_whole(key);
}

static void with_aez(const char *kernel) {
    abreast_aead *aez;
    struct abreast_string strings[40];
    for (int i = 0; i < 40; ++i) strings[i] = (struct abreast_string){counting, (size_t)i};
    STEP(abreast_aez_new, abreast_aez_new(counting, 48, kernel, &aez));
    STEP(abreast_aead_kernel, there(abreast_aead_kernel(aez)));
    for (size_t len = 0; len < LONG; len = 2 * len + 9) {
        for (size_t count = 1; count <= 40; count *= 6) {
            STEP(abreast_aez_encrypt,
                 abreast_aez_encrypt(aez, counting, 12, strings, count, message, output, len, tag, TAG));
            take_in(output, len);
            take_in(tag, TAG);
            STEP(abreast_aez_decrypt,
                 abreast_aez_decrypt(aez, counting, 12, strings, count, output, output, len, tag, TAG));
            take_in(output, len);
        }
    }
    size_t lens[40];
    for (size_t i = 0; i < 40; ++i) lens[i] = i;
    for (size_t count = 1; count <= 40; count *= 6) {
        STEP(abreast_aead_encrypt_strings,
             abreast_aead_encrypt_strings(aez, counting, 12, message, count * (count - 1) / 2, lens, count, message, output, 999, tag, TAG));
        take_in(output, 999);
        take_in(tag, TAG);
        SHORT(abreast_aead_encrypt_strings,
              abreast_aead_encrypt_strings(aez, counting, 12, message, count * (count - 1) / 2 + 1, lens, count, message, output, 999, tag, TAG));
        STEP(abreast_aead_decrypt_strings,
             abreast_aead_decrypt_strings(aez, counting, 12, message, count * (count - 1) / 2, lens, count, output, output, 999, tag, TAG));
        SHORT(abreast_aead_decrypt_strings,
              abreast_aead_decrypt_strings(aez, counting, 12, message, 9, NULL, count, output, output, 999, tag, TAG));
        take_in(output, 999);
    }
    STEP(abreast_aez_encrypt_joined,
         abreast_aez_encrypt_joined(aez, counting, 12, strings, 40, 0, message, output, LONG));
    take_in(output, LONG);
    STEP(abreast_aez_decrypt_joined,
         abreast_aez_decrypt_joined(aez, counting, 12, strings, 40, 0, output, output, LONG));
    take_in(output, LONG);
    STEP(abreast_aead_encrypt, abreast_aead_encrypt(aez, counting, 12, message, 99, message, output, 99, tag, TAG));
    STEP(abreast_aead_decrypt, abreast_aead_decrypt(aez, counting, 12, message, 99, output, output, 99, tag, TAG));
    in_packets(ABREAST_AEZ_ENCRYPT, aez, 12, 32, TAG);
    in_packets(ABREAST_AEZ_DECRYPT, aez, 12, 32, TAG);
    STEP(abreast_aead_free, (abreast_aead_free(aez), ABREAST_OK));
    IN_PLACE(abreast_aez, aez, counting, 20, kernel);
    in_whole(aez);
}

static void with_rc4(void) {
    abreast_rc4_stream *streams[40], *again;
    struct abreast_rc4_piece pieces[40];
    struct abreast_rc4_message messages[40];
    uint8_t state[258];
    STEP(abreast_rc4_apply, abreast_rc4_apply(counting, 16, 768, message, output, LONG));
    take_in(output, LONG);
    for (int i = 0; i < 40; ++i) {
        STEP(abreast_rc4_stream_new, abreast_rc4_stream_new(counting, (size_t)i + 5, &streams[i]));
        pieces[i] = (struct abreast_rc4_piece){streams[i], message, output + 100 * i, 100, 0};
        messages[i] = (struct abreast_rc4_message){counting, (size_t)i + 5, 9, message, output + 100 * i, 100, 0};
    }
    STEP(abreast_rc4_apply_streams, abreast_rc4_apply_streams(pieces, 40, sizeof *pieces));
    take_in(output, LONG);
    STEP(abreast_rc4_apply_keys, abreast_rc4_apply_keys(messages, 40, sizeof *messages));
    take_in(output, LONG);
    STEP(abreast_rc4_stream_skip, abreast_rc4_stream_skip(streams[0], 100));
    STEP(abreast_rc4_stream_export, abreast_rc4_stream_export(streams[0], state));
    take_in(state, sizeof state);
    STEP(abreast_rc4_stream_import, abreast_rc4_stream_import(state, &again));
    STEP(abreast_rc4_stream_apply, abreast_rc4_stream_apply(again, message, output, LONG));
    take_in(output, LONG);
    STEP(abreast_rc4_stream_free, (abreast_rc4_stream_free(again), ABREAST_OK));
    IN_PLACE(abreast_rc4_stream, again, counting, 16);
    STEP(abreast_rc4_stream_apply, abreast_rc4_stream_apply(again, message, output, LONG));
    take_in(output, LONG);
    STEP(abreast_rc4_stream_free, (abreast_rc4_stream_free(again), ABREAST_OK));
    for (int i = 0; i < 40; ++i) {
        STEP(abreast_rc4_stream_free, (abreast_rc4_stream_free(streams[i]), ABREAST_OK));
    }
}

// Circuits of Tor: a client with as many hops as there may be, and the relay of its first one, among others.
static void with_cgo(const char *kernel) {
    enum { RELAYS = 40, CELL = 509, HOPS = 8 };
    static uint8_t keys[180], cells[RELAYS][CELL];
    abreast_cgo_relay *relays[RELAYS], *none;
    abreast_cgo_client *client;
    struct abreast_cgo_cell items[RELAYS];
    size_t hop;
    STEP(abreast_cgo_client_new, abreast_cgo_client_new(&client));
    for (int i = 0; i < HOPS; ++i) {
        memset(keys, i, sizeof keys);
        STEP(abreast_cgo_client_add_hop, abreast_cgo_client_add_hop(client, keys, sizeof keys, kernel));
    }
    SHORT(abreast_cgo_client_add_hop, abreast_cgo_client_add_hop(client, keys, sizeof keys, kernel));
    for (int i = 0; i < RELAYS; ++i) {
        memset(keys, i, sizeof keys);
        memset(cells[i], i, CELL);
        STEP(abreast_cgo_relay_new, abreast_cgo_relay_new(keys, sizeof keys, kernel, &relays[i]));
        SHORT(abreast_cgo_relay_new, abreast_cgo_relay_new(keys, sizeof keys - 1, kernel, &none));
        items[i] = (struct abreast_cgo_cell){.relay = relays[i], .cell = cells[i], .command = 3};
    }
    STEP(abreast_cgo_client_originate, abreast_cgo_client_originate(client, 0, 3, cells[0], tag));
    take_in(tag, TAG);
    STEP(abreast_cgo_forward, abreast_cgo_forward(items, RELAYS, sizeof *items));
    STEP(abreast_cgo_originate, abreast_cgo_originate(items, RELAYS, sizeof *items));
    for (int i = 0; i < RELAYS; ++i) take_in(items[i].tag, TAG);
    STEP(abreast_cgo_client_backward, abreast_cgo_client_backward(client, 3, cells[0], &hop, tag));
    take_in_number(hop);
    take_in(tag, TAG);
    STEP(abreast_cgo_backward, abreast_cgo_backward(items, RELAYS, sizeof *items));
    take_in(cells, sizeof cells);
    for (int i = 0; i < RELAYS; ++i) {
        STEP(abreast_cgo_relay_free, (abreast_cgo_relay_free(relays[i]), ABREAST_OK));
    }
    STEP(abreast_cgo_client_free, (abreast_cgo_client_free(client), ABREAST_OK));
}

// The constructors of one cipher each.
static void by_cipher(void) {
    abreast_cipher *cipher;
    abreast_aead *gcm;
    for (size_t len = 16; len <= 32; len += 8) {
        STEP(abreast_aes_new, abreast_aes_new(counting, len, NULL, &cipher));
        STEP(abreast_cipher_crypt, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, message, output, 4096));
        take_in(output, 4096);
        STEP(abreast_cipher_free, (abreast_cipher_free(cipher), ABREAST_OK));
        STEP(abreast_serpent_new, abreast_serpent_new(counting, len, NULL, &cipher));
        STEP(abreast_cipher_crypt, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, message, output, 4096));
        take_in(output, 4096);
        STEP(abreast_cipher_free, (abreast_cipher_free(cipher), ABREAST_OK));
        STEP(abreast_aes_gcm_new, abreast_aes_gcm_new(counting, len, NULL, &gcm));
        in_aead(gcm, ABREAST_GCM_ENCRYPT);
        STEP(abreast_aead_free, (abreast_aead_free(gcm), ABREAST_OK));
    }
    for (int big_endian = 0; big_endian < 2; ++big_endian) {
        STEP(abreast_tea_new, abreast_tea_new(counting, big_endian, NULL, &cipher));
        STEP(abreast_cipher_crypt, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, message, output, 4096));
        take_in(output, 4096);
        STEP(abreast_cipher_free, (abreast_cipher_free(cipher), ABREAST_OK));
    }
}

static void with_xtea(void) {
    abreast_cipher *xtea;
    uint32_t round_keys[64];
    for (uint32_t i = 0; i < 64; ++i) round_keys[i] = i * 0x9e3779b9u;
    for (int cycles = 1; cycles < 256; cycles += 127) {
        STEP(abreast_xtea_new, abreast_xtea_new(counting, 1, (uint8_t)cycles, NULL, &xtea));
        STEP(abreast_cipher_crypt, abreast_cipher_crypt(xtea, ABREAST_ECB_ENCRYPT, NULL, 0, message, output, 4096));
        take_in(output, 4096);
        STEP(abreast_cipher_free, (abreast_cipher_free(xtea), ABREAST_OK));
    }
    STEP(abreast_xtea_new_expanded, abreast_xtea_new_expanded(round_keys, 0, &xtea));
    STEP(abreast_cipher_free, (abreast_cipher_free(xtea), ABREAST_OK));
    STEP(abreast_xtea_encrypt, abreast_xtea_encrypt(round_keys, message, output, 4096));
    take_in(output, 4096);
    STEP(abreast_xtea_decrypt, abreast_xtea_decrypt(round_keys, message, output, 4096));
    take_in(output, 4096);
}

// Everything, at every kernel that this CPU can run.
static void every(void) {
    begin_message();
    digest = 0xcbf29ce484222325;
    about_the_library();
    const char *name, *kernel;
    for (size_t i = 0; (name = abreast_cipher_at(i)); ++i) {
        for (size_t k = 0; (kernel = abreast_kernel_at(name, k)); ++k) with_cipher(name, kernel);
    }
    for (size_t k = 0; (kernel = abreast_kernel_at("aez", k)); ++k) with_aez(kernel);
    for (size_t k = 0; (kernel = abreast_kernel_at("aez", k)); ++k) with_gcm_siv(kernel);
    for (size_t k = 0; (kernel = abreast_kernel_at("hmac-sha-1", k)); ++k) with_hmac(kernel);
    with_srtp(ABREAST_SRTP_AES256_CM_SHA1_80, 32, 14);
    with_srtp(ABREAST_SRTP_AES256_GCM, 32, 12);
    with_esp(ABREAST_ESP_CBC_HMAC_SHA256, 32, 32, 16);
    with_esp(ABREAST_ESP_CTR_HMAC_SHA1, 36, 20, 8);
    with_esp(ABREAST_ESP_GCM, 36, 0, 8);
    with_quic(32);
    for (size_t k = 0; (kernel = abreast_kernel_at("aes-128", k)); ++k) with_cgo(kernel);
    with_rc4();
    by_cipher();
    with_xtea();
}

#endif
