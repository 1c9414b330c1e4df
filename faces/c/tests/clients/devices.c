// OpenCL devices from C11: every function of devices against the same on the CPU, on lengths around chunks and blocks, and
// misuse by a program. Where there is no device, it says that it is skipped.
//
// With an argument, no-opencl or no-device, it checks the statuses on a machine without OpenCL or without a device, and nothing
// else.

#define _POSIX_C_SOURCE 200809L

#include <abreast.h>

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

// Bytes that go through a device at a time, of which XTS has a part for its tweaks.
enum { CHUNK = 16 << 20, MOST = CHUNK + 4096 + 24, ELSEWHERE = 7 };

static uint8_t *text, *ours, *theirs;
static uint8_t key[256], iv[16];
static abreast_device *device;

static int is_same(size_t len) { return memcmp(ours, theirs, len) == 0; }

// A stream of bytes without a pattern (xorshift, Marsaglia 2003).
static uint32_t state = 1;
static uint8_t byte(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (uint8_t)(state >> 8);
}

static void fill(uint8_t *bytes, size_t len) {
    for (size_t i = 0; i < len; ++i) bytes[i] = byte();
}

// Lengths around blocks, work groups and chunks: a cipher takes all of them, the slower ones those that are not long.
static const size_t lens[] = {0,    1,    7,     8,          9,         15,    16,       17,   504,       512,
                              1023, 1024, 4096,  4111,       65536,     65537, CHUNK - 8, CHUNK, CHUNK + 16, MOST};
enum { LENS = sizeof lens / sizeof *lens, SHORT_LENS = 16 };

// A message on the device and on the CPU, in place and from one buffer to another.
static unsigned calls;
static void both(const abreast_device_cipher *on_device, const abreast_cipher *cipher, int operation, size_t iv_len,
                 size_t len) {
    size_t done = 1;
    // Every other counter wraps in all of its bits, the others in their lower ones.
    iv[0] = calls++ % 2 ? 0xff : byte();
    int expected = abreast_cipher_crypt(cipher, operation, iv, iv_len, text, theirs, len);
    memset(ours, 0xee, len + 1);
    GIVES(expected, abreast_device_cipher_crypt(on_device, operation, iv, iv_len, text, ours, len, &done));
    CHECK(ours[len] == 0xee);
    if (expected != ABREAST_OK) {
        CHECK(done == 0);
        return;
    }
    CHECK(done == len && is_same(len));
    memcpy(ours, text, len);
    OK(abreast_device_cipher_crypt(on_device, operation, iv, iv_len, ours, ours, len, NULL));
    CHECK(is_same(len));
}

static void ciphers(void) {
    const char *name;
    for (size_t i = 0; (name = abreast_cipher_at(i)) != NULL; ++i) {
        size_t key_len = abreast_cipher_key_size(name);
        abreast_cipher *cipher;
        abreast_device_cipher *on_device;
        OK(abreast_cipher_new(name, key, key_len, NULL, &cipher));
        OK(abreast_device_cipher_new(device, name, key, key_len, i % 2 ? "opencl" : NULL, &on_device));
        size_t block = abreast_cipher_block_size(cipher);
        size_t count = strcmp(name, "xtea") == 0 ? LENS : SHORT_LENS;
        for (size_t n = 0; n < count; ++n) {
            both(on_device, cipher, ABREAST_ECB_ENCRYPT, 0, lens[n]);
            both(on_device, cipher, ABREAST_CTR64, block, lens[n]);
            if (lens[n] > 65537) continue;
            both(on_device, cipher, ABREAST_ECB_DECRYPT, 0, lens[n]);
            both(on_device, cipher, ABREAST_CTR16, block, lens[n]);
            both(on_device, cipher, ABREAST_CTR32, block, lens[n]);
            both(on_device, cipher, ABREAST_CTR128, block, lens[n]);
        }
        // A counter block of another length, a vector for ECB, a mode that devices do not have.
        both(on_device, cipher, ABREAST_CTR64, block - 1, 64);
        both(on_device, cipher, ABREAST_ECB_ENCRYPT, 8, 64);
        GIVES(ABREAST_OPERATION, abreast_device_cipher_crypt(on_device, ABREAST_CBC_ENCRYPT, iv, block, text, ours, 64, NULL));
        GIVES(ABREAST_OPERATION, abreast_device_cipher_crypt(on_device, 0, NULL, 0, text, ours, 64, NULL));
        abreast_cipher_free(cipher);
        abreast_device_cipher_free(on_device);
    }
}

static void xts(void) {
    abreast_cipher *data, *tweak;
    abreast_xts *cpu;
    abreast_device_xts *on_device, *automatic;
    OK(abreast_cipher_new("serpent-256", key, 32, NULL, &data));
    OK(abreast_cipher_new("serpent-256", key + 32, 32, NULL, &tweak));
    OK(abreast_xts_new(data, tweak, &cpu));
    OK(abreast_device_xts_new(device, "serpent-256", key, key + 32, 32, NULL, &on_device));
    OK(abreast_device_xts_new(device, "serpent-256", key, key + 32, 32, "auto", &automatic));
    static const size_t units[] = {16, 48, 512, 528, 4096, 65536};
    for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
        for (size_t n = 0; n < SHORT_LENS; ++n) {
            size_t len = lens[n], done = 1;
            int expected = abreast_xts_encrypt(cpu, iv, units[u], text, theirs, len);
            GIVES(expected, abreast_device_xts_encrypt(on_device, iv, units[u], text, ours, len, &done));
            CHECK(done == (expected == ABREAST_OK ? len : 0));
            if (expected != ABREAST_OK) continue;
            CHECK(is_same(len));
            OK(abreast_device_xts_decrypt(on_device, iv, units[u], ours, ours, len, NULL));
            CHECK(memcmp(ours, text, len) == 0);
        }
    }
    size_t done;
    OK(abreast_xts_encrypt(cpu, iv, 512, text, theirs, MOST));
    OK(abreast_device_xts_encrypt(on_device, iv, 512, text, ours, MOST, &done));
    CHECK(done == MOST && is_same(MOST));
    // Units that are no whole blocks are for the CPU.
    GIVES(ABREAST_DEVICE_UNSUPPORTED, abreast_device_xts_encrypt(on_device, iv, 520, text, ours, 1040, &done));
    CHECK(done == 0);
    OK(abreast_xts_encrypt(cpu, iv, 520, text, theirs, 1040));
    OK(abreast_device_xts_encrypt(automatic, iv, 520, text, ours, 1040, &done));
    CHECK(done == 1040 && is_same(1040));
    OK(abreast_device_xts_decrypt(automatic, iv, 520, ours, ours, 1040, NULL));
    CHECK(memcmp(ours, text, 1040) == 0);
    abreast_device_xts *none;
    GIVES(ABREAST_EQUAL_KEYS, abreast_device_xts_new(device, "aes-128", key, key, 16, NULL, &none));
    GIVES(ABREAST_BLOCK_LENGTH, abreast_device_xts_new(device, "xtea", key, key + 16, 16, NULL, &none));
    GIVES(ABREAST_KEY_LENGTH, abreast_device_xts_new(device, "aes-256", key, key + 16, 16, NULL, &none));
    CHECK(none == NULL);
    abreast_xts_free(cpu);
    abreast_cipher_free(data);
    abreast_cipher_free(tweak);
    abreast_device_xts_free(on_device);
    abreast_device_xts_free(automatic);
}

enum { MESSAGES = 300 };

// One of many lengths: from none to some thousand bytes, in steps.
static size_t len_of(size_t i, size_t step) { return (i * i * 7 + i) % 5000 / step * step; }

static void batches(void) {
    static struct abreast_xtea_message messages[MESSAGES];
    static struct abreast_rc4_message streams[MESSAGES];
    static uint8_t keys[MESSAGES][32];
    fill(keys[0], sizeof keys);
    for (int big_endian = 0; big_endian < 2; ++big_endian) {
        for (int direction = ABREAST_ENCRYPT; direction <= ABREAST_DECRYPT; ++direction) {
            size_t at = 0;
            for (size_t i = 0; i < MESSAGES; ++i) {
                size_t len = len_of(i, 8);
                messages[i] = (struct abreast_xtea_message){keys[i], text + at, ours + at, len, ABREAST_OK};
                abreast_cipher *cipher;
                OK(abreast_xtea_new(keys[i], big_endian, 32, NULL, &cipher));
                int operation = direction == ABREAST_ENCRYPT ? ABREAST_ECB_ENCRYPT : ABREAST_ECB_DECRYPT;
                OK(abreast_cipher_crypt(cipher, operation, NULL, 0, text + at, theirs + at, len));
                abreast_cipher_free(cipher);
                at += len;
            }
            memset(ours, 0xee, at + 1);
            OK(abreast_device_xtea_apply_keys(device, direction, big_endian, messages, MESSAGES, sizeof *messages));
            CHECK(is_same(at) && ours[at] == 0xee);
            // In place.
            memcpy(ours, text, at);
            for (size_t i = 0; i < MESSAGES; ++i) {
                messages[i].input = messages[i].output;
                messages[i].status = 1;
            }
            OK(abreast_device_xtea_apply_keys(device, direction, big_endian, messages, MESSAGES, sizeof *messages));
            CHECK(is_same(at));
            for (size_t i = 0; i < MESSAGES; ++i) CHECK(messages[i].status == ABREAST_OK);
        }
    }
    // Messages that are refused, beside others that are done.
    size_t kept = len_of(5, 8);
    CHECK(kept > 8);
    memcpy(ours, text, 5000);
    messages[0] = (struct abreast_xtea_message){keys[0], ours, ours, 12, ABREAST_OK};
    messages[1] = (struct abreast_xtea_message){NULL, ours, ours, 16, ABREAST_OK};
    messages[2] = (struct abreast_xtea_message){keys[0], ours, ours + 8, 16, ABREAST_OK};
    messages[3] = (struct abreast_xtea_message){keys[0], text, NULL, 16, ABREAST_OK};
    messages[4] = (struct abreast_xtea_message){keys[0], text, ours + 64, 16, ABREAST_OK};
    GIVES(ABREAST_BATCH, abreast_device_xtea_apply_keys(device, ABREAST_ENCRYPT, 0, messages, 5, sizeof *messages));
    static const int refused[] = {ABREAST_PARTIAL_BLOCK, ABREAST_NULL_POINTER, ABREAST_OVERLAP, ABREAST_NULL_POINTER, ABREAST_OK};
    for (size_t i = 0; i < 5; ++i) CHECK(messages[i].status == refused[i]);
    CHECK(memcmp(ours, text, 64) == 0 && memcmp(ours + 64, text + 64, 16) != 0 && memcmp(ours + 80, text + 80, 64) == 0);
    GIVES(ABREAST_DIRECTION, abreast_device_xtea_apply_keys(device, 2, 0, messages, 5, sizeof *messages));
    for (size_t i = 0; i < 5; ++i) CHECK(messages[i].status == ABREAST_NOT_PROCESSED);
    GIVES(ABREAST_STRUCT_SIZE, abreast_device_xtea_apply_keys(device, ABREAST_ENCRYPT, 0, messages, 5, sizeof *messages + 8));
    GIVES(ABREAST_LENGTH, abreast_device_xtea_apply_keys(device, ABREAST_ENCRYPT, 0, messages, SIZE_MAX, sizeof *messages));
    GIVES(ABREAST_NULL_POINTER, abreast_device_xtea_apply_keys(NULL, ABREAST_ENCRYPT, 0, messages, 5, sizeof *messages));
    OK(abreast_device_xtea_apply_keys(device, ABREAST_ENCRYPT, 0, NULL, 0, sizeof *messages));

    size_t at = 0;
    for (size_t i = 0; i < MESSAGES; ++i) {
        size_t len = len_of(i, 1), key_len = 1 + i % 32;
        streams[i] = (struct abreast_rc4_message){keys[i], key_len, i % 4, text + at, ours + at, len, ABREAST_OK};
        OK(abreast_rc4_apply(keys[i], key_len, i % 4, text + at, theirs + at, len));
        at += len;
    }
    memset(ours, 0xee, at + 1);
    OK(abreast_device_rc4_apply_keys(device, streams, MESSAGES, sizeof *streams));
    CHECK(is_same(at) && ours[at] == 0xee);
    streams[1].key_len = 0;
    streams[2].key_len = 257;
    streams[3].skip = (1 << 20) + 1;
    GIVES(ABREAST_BATCH, abreast_device_rc4_apply_keys(device, streams, 5, sizeof *streams));
    CHECK(streams[0].status == ABREAST_OK && streams[1].status == ABREAST_KEY_LENGTH &&
          streams[2].status == ABREAST_KEY_LENGTH && streams[3].status == ABREAST_DEVICE_UNSUPPORTED);
}

enum { KEYS = 5000, FOUND = 4321, LAST = KEYS - 1, KEY = 16 };

static void trials(void) {
    static uint8_t keys[KEYS][KEY];
    static const uint8_t magic[24] = "PK\3\4 and something more";
    static const uint8_t mask[4] = {0xff, 0xff, 0xff, 0};
    uint8_t sealed[24], wanted[4] = {'P', 'K', 3, 9};
    size_t found[3] = {ELSEWHERE, ELSEWHERE, ELSEWHERE}, count = ELSEWHERE;
    fill(keys[0], sizeof keys);
    memcpy(keys[LAST], keys[FOUND], KEY);
    for (int big_endian = 0; big_endian < 2; ++big_endian) {
        abreast_cipher *cipher;
        OK(abreast_xtea_new(keys[FOUND], big_endian, 32, NULL, &cipher));
        OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, magic, sealed, 24));
        abreast_cipher_free(cipher);
        OK(abreast_device_xtea_try_keys(device, big_endian, keys[0], KEYS, sealed, 24, magic, NULL, 8, found, 3, &count));
        CHECK(count == 2 && found[0] == FOUND && found[1] == LAST && found[2] == ELSEWHERE);
    }
    // Bits that do not count, and room for less than there is.
    OK(abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, sealed, 24, wanted, NULL, 4, found, 3, &count));
    CHECK(count == 0);
    found[1] = ELSEWHERE;
    OK(abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, sealed, 24, wanted, mask, 4, found, 1, &count));
    CHECK(count == 2 && found[0] == FOUND && found[1] == ELSEWHERE);
    GIVES(ABREAST_PARTIAL_BLOCK,
          abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, sealed, 23, magic, NULL, 4, found, 3, &count));
    CHECK(count == 0);
    GIVES(ABREAST_MESSAGE_TOO_LONG,
          abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, text, 72, magic, NULL, 4, found, 3, &count));
    GIVES(ABREAST_LENGTH,
          abreast_device_xtea_try_keys(device, 1, keys[0], SIZE_MAX / 8, sealed, 24, magic, NULL, 4, found, 3, &count));
    GIVES(ABREAST_NULL_POINTER,
          abreast_device_xtea_try_keys(device, 1, NULL, KEYS, sealed, 24, magic, NULL, 4, found, 3, &count));
    GIVES(ABREAST_NULL_POINTER,
          abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, sealed, 24, magic, NULL, 4, NULL, 3, &count));
    GIVES(ABREAST_OVERLAP,
          abreast_device_xtea_try_keys(device, 1, keys[0], KEYS, sealed, 24, magic, NULL, 4, found, 3, found));

    OK(abreast_rc4_apply(keys[FOUND], KEY, 5, magic, sealed, 23));
    OK(abreast_device_rc4_try_keys(device, keys[0], KEY, KEYS, 5, sealed, 23, magic, NULL, 23, found, 3, &count));
    CHECK(count == 2 && found[0] == FOUND && found[1] == LAST);
    OK(abreast_device_rc4_try_keys(device, keys[0], KEY, KEYS, 6, sealed, 23, magic, NULL, 23, found, 3, &count));
    CHECK(count == 0);
    GIVES(ABREAST_KEY_LENGTH,
          abreast_device_rc4_try_keys(device, keys[0], 0, KEYS, 5, sealed, 23, magic, NULL, 23, found, 3, &count));
    GIVES(ABREAST_DEVICE_UNSUPPORTED,
          abreast_device_rc4_try_keys(device, keys[0], KEY, KEYS, 1 << 21, sealed, 23, magic, NULL, 23, found, 3, &count));
}

// The choice by length, and that the device goes on when the handle of it is gone.
static void automatic(void) {
    abreast_device_cipher *on_device;
    abreast_cipher *cipher;
    OK(abreast_device_cipher_new(device, "aes-128", key, 16, "auto", &on_device));
    OK(abreast_cipher_new("aes-128", key, 16, NULL, &cipher));
    for (size_t n = 0; n < LENS; ++n) both(on_device, cipher, ABREAST_CTR128, 16, lens[n]);
    abreast_device_free(device);
    device = NULL;
    both(on_device, cipher, ABREAST_CTR32, 16, 65537);
    abreast_device_cipher_free(on_device);
    abreast_cipher_free(cipher);
}

static void misuse(void) {
    abreast_device_cipher *on_device, *none = (abreast_device_cipher *)&none;
    abreast_cipher *cipher;
    OK(abreast_device_cipher_new(device, "xtea", key, 16, NULL, &on_device));
    OK(abreast_cipher_new("xtea", key, 16, NULL, &cipher));
    GIVES(ABREAST_UNKNOWN_CIPHER, abreast_device_cipher_new(device, "xtea-128", key, 16, NULL, &none));
    CHECK(none == NULL);
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast_device_cipher_new(device, "xtea", key, 16, "avx2", &none));
    GIVES(ABREAST_KEY_LENGTH, abreast_device_cipher_new(device, "xtea", key, 15, NULL, &none));
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_new(device, NULL, key, 16, NULL, &none));
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_new(device, "xtea", NULL, 16, NULL, &none));
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_new(NULL, "xtea", key, 16, NULL, &none));
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_new(device, "xtea", key, 16, NULL, NULL));
    GIVES(ABREAST_WRONG_KEY, abreast_device_cipher_new((const abreast_device *)cipher, "xtea", key, 16, NULL, &none));
    GIVES(ABREAST_WRONG_KEY, abreast_device_cipher_crypt((const abreast_device_cipher *)cipher, ABREAST_ECB_ENCRYPT, NULL, 0,
                                                         text, ours, 8, NULL));
    GIVES(ABREAST_WRONG_KEY, abreast_cipher_crypt((const abreast_cipher *)on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, 8));
    size_t done = ELSEWHERE;
    memcpy(ours, text, 64);
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, NULL, ours, 8, &done));
    GIVES(ABREAST_NULL_POINTER, abreast_device_cipher_crypt(on_device, ABREAST_CTR64, NULL, 8, ours, ours, 8, &done));
    GIVES(ABREAST_LENGTH, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, SIZE_MAX - 7, &done));
    GIVES(ABREAST_OVERLAP, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, ours + 8, ours, 16, &done));
    GIVES(ABREAST_OVERLAP, abreast_device_cipher_crypt(on_device, ABREAST_CTR64, ours, 8, ours, ours, 16, &done));
    GIVES(ABREAST_ALIGNMENT, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, ours, ours, 16,
                                                         (size_t *)((char *)&done + 1)));
    GIVES(ABREAST_OVERLAP, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, 16, (size_t *)ours));
    CHECK(done == ELSEWHERE && memcmp(ours, text, 64) == 0);
    GIVES(ABREAST_OPERATION, abreast_device_cipher_crypt(on_device, 99, NULL, 0, text, ours, 16, &done));
    CHECK(done == 0 && memcmp(ours, text, 64) == 0);
    abreast_device_cipher_free(NULL);
    abreast_device_xts_free(NULL);
    abreast_device_free(NULL);
    abreast_device_cipher_free(on_device);
    abreast_cipher_free(cipher);

    abreast_device *other = (abreast_device *)&other;
    GIVES(ABREAST_DEVICE_NAME, abreast_device_new("there is none of this name", NULL, 0, &other));
    GIVES(ABREAST_DEVICE_NAME, abreast_device_new("", NULL, 0, &other));
    GIVES(ABREAST_DEVICE_NAME, abreast_device_new("\xff", NULL, 0, &other));
    CHECK(other == NULL);
    struct abreast_device_info info;
    GIVES(ABREAST_STRUCT_SIZE, abreast_device_at(0, &info, sizeof info - 8));
    GIVES(ABREAST_NULL_POINTER, abreast_device_at(0, NULL, sizeof info));
    GIVES(ABREAST_NO_DEVICE, abreast_device_at(SIZE_MAX, &info, sizeof info));
}

// A child of fork, which has none of the driver's threads, is told so at once, and its parent goes on.
static void forked(void) {
    abreast_device_cipher *on_device = NULL;
    size_t done = ELSEWHERE;
    OK(abreast_device_cipher_new(device, "xtea", key, 16, NULL, &on_device));
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(20);
        int status = abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, 16, &done);
        // Without the handlers of exit, where the driver would wait for its threads.
        _exit(status == ABREAST_DEVICE_DROPPED && done == 0 ? 0 : 1);
    }
    int ended = 0;
    CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    OK(abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, 16, &done));
    CHECK(done == 16);
    abreast_device_cipher_free(on_device);
}

// A device that may take no longer than a millisecond, which a CPU device does for 16 MiB.
static void late(const struct abreast_device_info *info) {
    if (strcmp(info->kind, "CPU") != 0) return;
    abreast_device *slow = NULL;
    abreast_device_cipher *on_device = NULL;
    size_t done = 0;
    memcpy(ours, text, MOST);
    int status = abreast_device_new(info->name, NULL, 1, &slow);
    if (status == ABREAST_OK) status = abreast_device_cipher_new(slow, "serpent-128", key, 16, NULL, &on_device);
    if (status == ABREAST_OK) {
        status = abreast_device_cipher_crypt(on_device, ABREAST_CTR128, iv, 16, ours, ours, MOST, &done);
        CHECK(done < MOST && memcmp(ours + done, text + done, MOST - done) == 0);
        GIVES(ABREAST_DEVICE_DROPPED, abreast_device_cipher_crypt(on_device, ABREAST_ECB_ENCRYPT, NULL, 0, text, ours, 16, &done));
        CHECK(done == 0);
    }
    GIVES(ABREAST_DEVICE_TIMED_OUT, status);
    abreast_device_cipher_free(on_device);
    abreast_device_free(slow);
}

int main(int argc, char **argv) {
    struct abreast_device_info info;
    if (argc > 1) {
        abreast_device *none = (abreast_device *)&none;
        int expected = abreast_device_at(0, &info, sizeof info);
        // Where there is no device there may be no library either.
        CHECK(expected == ABREAST_NO_OPENCL || (expected == ABREAST_NO_DEVICE && strcmp(argv[1], "no-device") == 0));
        GIVES(expected, abreast_device_new(NULL, NULL, 0, &none));
        CHECK(none == NULL);
        OK(abreast_self_test());
        printf("%d checks\n", checks);
        return 0;
    }
    int status = abreast_device_at(0, &info, sizeof info);
    if (status == ABREAST_NO_OPENCL || status == ABREAST_NO_DEVICE) {
        printf("skipped: %s\n", abreast_status_text(status));
        return 0;
    }
    text = malloc(MOST + 1);
    ours = malloc(MOST + 1);
    theirs = malloc(MOST + 1);
    CHECK(text && ours && theirs);
    fill(text, MOST + 1);
    fill(key, sizeof key);
    memset(iv, 0xff, sizeof iv);
    for (size_t i = 0; abreast_device_at(i, &info, sizeof info) == ABREAST_OK; ++i) {
        CHECK(info.name && info.kind && info.driver && info.memory > 0 && strcmp(info.kernel, "opencl") == 0);
        if (info.unusable) {
            printf("%s\n", info.unusable);
            GIVES(ABREAST_DEVICE_UNSUITABLE, abreast_device_new(info.name, NULL, 0, &device));
            continue;
        }
        OK(abreast_device_new(info.name, NULL, 0, &device));
        misuse();
        forked();
        ciphers();
        xts();
        batches();
        trials();
        automatic();
        late(&info);
    }
    free(text);
    free(ours);
    free(theirs);
    printf("%d checks\n", checks);
}
