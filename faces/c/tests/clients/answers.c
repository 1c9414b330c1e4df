// Known answers through the C interface, each at every kernel that this CPU can run. The argument is a file of lines, as the
// program abreast-vectors prints them. For each set the number of its cases is printed, when all of them are right.

#include <abreast.h>

#include "check.h"

// The longest line has 4 KiB of ciphertext, and as much of plaintext.
#define LINE 65536
#define BYTES (LINE / 2)

struct bytes {
    size_t len;
    uint8_t at[BYTES];
};

static char line[LINE];
static const char *set, *mode, *cipher_name, *name;
static int valid;
static unsigned long number;
static struct bytes key, iv, aad, plaintext, ciphertext, tag;
// Associated data of AEZ.
static struct abreast_string strings[64];
static size_t string_count;

static uint8_t data[BYTES + 16], made[64];

// Fails with the case that is wrong.
#define RIGHT(condition)                                                                                        \
    do {                                                                                                        \
        if (!(condition)) {                                                                                     \
            fprintf(stderr, "%s:%d: %s, %s: not so: %s\n", __FILE__, __LINE__, set, name, #condition);          \
            exit(1);                                                                                            \
        }                                                                                                       \
    } while (0)
#define DONE(call) RIGHT((call) == ABREAST_OK)

// The next field of a line.
static char *field(char **rest) {
    char *begin = *rest, *end = strchr(begin, ' ');
    CHECK(end != NULL && end != begin);
    *end = 0;
    *rest = end + 1;
    return begin;
}

static void read_bytes(const char *digits, struct bytes *bytes) {
    bytes->len = strcmp(digits, "-") == 0 ? 0 : hex(digits, bytes->at);
}

// Strings, each with a semicolon behind it, one after the other in aad.
static void read_strings(char *text) {
    aad.len = string_count = 0;
    if (strcmp(text, "-") == 0) return;
    for (char *end; (end = strchr(text, ';')) != NULL; text = end + 1) {
        *end = 0;
        CHECK(string_count < sizeof strings / sizeof *strings);
        struct abreast_string string = {aad.at + aad.len, hex(text, aad.at + aad.len)};
        strings[string_count++] = string;
        aad.len += string.len;
    }
}

static int read_line(FILE *file) {
    if (fgets(line, LINE, file) == NULL) return 0;
    size_t len = strlen(line);
    CHECK(len > 0 && line[len - 1] == '\n');
    line[len - 1] = 0;
    char *rest = line;
    set = field(&rest);
    mode = field(&rest);
    cipher_name = field(&rest);
    valid = strcmp(field(&rest), "valid") == 0;
    number = strtoul(field(&rest), NULL, 10);
    read_bytes(field(&rest), &key);
    read_bytes(field(&rest), &iv);
    char *associated = field(&rest);
    if (strcmp(mode, "aez") == 0) {
        read_strings(associated);
    } else {
        read_bytes(associated, &aad);
    }
    read_bytes(field(&rest), &plaintext);
    read_bytes(field(&rest), &ciphertext);
    read_bytes(field(&rest), &tag);
    name = rest;
    return 1;
}

// True if data is as expected.
static int is(const struct bytes *expected) {
    return memcmp(data, expected->at, expected->len) == 0;
}

static void put(const struct bytes *bytes) {
    memcpy(data, bytes->at, bytes->len);
}

// A message without a tag, both ways, in place.
static void crypt(const abreast_cipher *cipher, int encrypt, int decrypt) {
    put(&plaintext);
    DONE(abreast_cipher_crypt(cipher, encrypt, iv.at, iv.len, data, data, plaintext.len));
    RIGHT(is(&ciphertext));
    DONE(abreast_cipher_crypt(cipher, decrypt, iv.at, iv.len, data, data, plaintext.len));
    RIGHT(is(&plaintext));
}

static void padded(const abreast_cipher *cipher) {
    size_t len = 0;
    put(&ciphertext);
    int opened = abreast_cbc_decrypt_padded(cipher, iv.at, iv.len, data, ciphertext.len, &len);
    if (!valid) {
        RIGHT(opened == ABREAST_PADDING || opened == ABREAST_PARTIAL_BLOCK);
        return;
    }
    RIGHT(opened == ABREAST_OK && len == plaintext.len && is(&plaintext));
    DONE(abreast_cbc_encrypt_padded(cipher, iv.at, iv.len, data, sizeof data, plaintext.len, &len));
    RIGHT(len == ciphertext.len && is(&ciphertext));
}

static void hmac(const char *kernel) {
    abreast_hmac *hmac;
    int sha1 = strcmp(cipher_name, "hmac-sha-1") == 0;
    DONE((sha1 ? abreast_hmac_sha1_new : abreast_hmac_sha256_new)(key.at, key.len, kernel, &hmac));
    RIGHT(strcmp(abreast_hmac_kernel(hmac), kernel) == 0);
    int verified = abreast_hmac_verify(hmac, plaintext.at, plaintext.len, tag.at, tag.len);
    RIGHT(verified == (valid ? ABREAST_OK : ABREAST_TAG_MISMATCH));
    DONE(abreast_hmac_mac(hmac, plaintext.at, plaintext.len, made, tag.len));
    RIGHT((memcmp(made, tag.at, tag.len) == 0) == valid);
    abreast_hmac_free(hmac);
}

static void mac(const abreast_cipher *cipher) {
    abreast_cmac *cmac;
    DONE(abreast_cmac_new(cipher, &cmac));
    int verified = abreast_cmac_verify(cmac, plaintext.at, plaintext.len, tag.at, tag.len);
    RIGHT(verified == (valid ? ABREAST_OK : ABREAST_TAG_MISMATCH));
    DONE(abreast_cmac_mac(cmac, plaintext.at, plaintext.len, made, tag.len));
    RIGHT((memcmp(made, tag.at, tag.len) == 0) == valid);
    abreast_cmac_free(cmac);
}

static void sealed(abreast_aead *aead) {
    put(&ciphertext);
    int opened = abreast_aead_decrypt(aead, iv.at, iv.len, aad.at, aad.len, data, data, ciphertext.len, tag.at, tag.len);
    if (!valid) {
        RIGHT(opened == ABREAST_TAG_MISMATCH || opened == ABREAST_NONCE_LENGTH);
        RIGHT(opened == ABREAST_NONCE_LENGTH || is_zero(data, ciphertext.len));
    } else {
        RIGHT(opened == ABREAST_OK && is(&plaintext));
        DONE(abreast_aead_encrypt(aead, iv.at, iv.len, aad.at, aad.len, data, data, plaintext.len, made, tag.len));
        RIGHT(is(&ciphertext) && memcmp(made, tag.at, tag.len) == 0);
    }
    abreast_aead_free(aead);
}

// A key alone, and several times in a batch. Outputs are as long as they would be if the length were right.
static void wrapped(const abreast_cipher *cipher, int operation, const struct bytes *from, const struct bytes *to, size_t room) {
    static uint8_t outputs[5][BYTES + 16];
    struct abreast_wrap_packet packets[5];
    size_t written = 0;
    int status = abreast_key_wrap(cipher, operation, from->at, from->len, data, room, &written);
    for (size_t i = 0; i < 5; ++i) {
        packets[i] = (struct abreast_wrap_packet){cipher, from->at, from->len, outputs[i], room, 0, ABREAST_NOT_PROCESSED};
    }
    int all = abreast_wrap_packets(operation, packets, 5, sizeof *packets);
    RIGHT(all == (status == ABREAST_OK ? ABREAST_OK : ABREAST_BATCH));
    for (size_t i = 0; i < 5; ++i) {
        RIGHT(packets[i].status == status);
        RIGHT(status != ABREAST_OK || (packets[i].written == written && memcmp(outputs[i], data, room) == 0));
        RIGHT(status != ABREAST_TAG_MISMATCH || is_zero(outputs[i], room));
    }
    if (status == ABREAST_OK) {
        RIGHT((written == to->len && is(to)) == valid);
    } else {
        RIGHT(!valid && (status == ABREAST_WRAP_LENGTH || (status == ABREAST_TAG_MISMATCH && is_zero(data, room))));
    }
}

static void key_wrap(const abreast_cipher *cipher, int wrap, int unwrap) {
    wrapped(cipher, wrap, &plaintext, &ciphertext, (plaintext.len + 7) / 8 * 8 + 8);
    wrapped(cipher, unwrap, &ciphertext, &plaintext, ciphertext.len < 8 ? 0 : ciphertext.len - 8);
}

static void units(const char *kernel) {
    abreast_cipher *ciphers[2];
    size_t half = key.len / 2;
    for (size_t i = 0; i < 2; ++i) {
        DONE(abreast_cipher_new(cipher_name, key.at + i * half, half, kernel, &ciphers[i]));
    }
    abreast_xts *xts = NULL;
    int status = abreast_xts_new(ciphers[0], ciphers[1], &xts);
    RIGHT(status == (valid ? ABREAST_OK : ABREAST_EQUAL_KEYS));
    if (valid) {
        // Numbers short of their high bytes.
        uint8_t first[16] = {0};
        memcpy(first, iv.at, iv.len);
        put(&plaintext);
        DONE(abreast_xts_encrypt(xts, first, plaintext.len, data, data, plaintext.len));
        RIGHT(is(&ciphertext));
        DONE(abreast_xts_decrypt(xts, first, plaintext.len, data, data, plaintext.len));
        RIGHT(is(&plaintext));
    }
    abreast_xts_free(xts);
    abreast_cipher_free(ciphers[0]);
    abreast_cipher_free(ciphers[1]);
}

static void wide(const char *kernel) {
    abreast_cipher *cipher;
    abreast_hctr2 *hctr2;
    DONE(abreast_cipher_new(cipher_name, key.at, key.len, kernel, &cipher));
    DONE(abreast_hctr2_new(cipher, &hctr2));
    abreast_cipher_free(cipher);
    put(&plaintext);
    DONE(abreast_hctr2_encrypt(hctr2, iv.at, iv.len, data, data, plaintext.len));
    RIGHT(is(&ciphertext));
    DONE(abreast_hctr2_decrypt(hctr2, iv.at, iv.len, data, data, plaintext.len));
    RIGHT(is(&plaintext));
    abreast_hctr2_free(hctr2);
}

static void siv(const char *kernel) {
    abreast_cipher *ciphers[2];
    abreast_aead *aead;
    size_t half = key.len / 2;
    for (size_t i = 0; i < 2; ++i) {
        DONE(abreast_cipher_new(cipher_name, key.at + i * half, half, kernel, &ciphers[i]));
    }
    DONE(abreast_siv_new(ciphers[0], ciphers[1], &aead));
    RIGHT(strcmp(abreast_aead_kernel(aead), kernel) == 0);
    abreast_cipher_free(ciphers[0]);
    abreast_cipher_free(ciphers[1]);
    sealed(aead);
}

static void aez(const char *kernel) {
    abreast_aead *key_of_aez;
    DONE(abreast_aez_new(key.at, key.len, kernel, &key_of_aez));
    size_t len = plaintext.len + tag.len;
    memcpy(ciphertext.at + ciphertext.len, tag.at, tag.len);
    memset(data, 0x77, len);
    put(&plaintext);
    DONE(abreast_aez_encrypt_joined(key_of_aez, iv.at, iv.len, strings, string_count, tag.len, data, data, len));
    RIGHT(memcmp(data, ciphertext.at, len) == 0);
    DONE(abreast_aez_decrypt_joined(key_of_aez, iv.at, iv.len, strings, string_count, tag.len, data, data, len));
    RIGHT(is(&plaintext));
    abreast_aead_free(key_of_aez);
}

// Alone, and in a batch, which takes the best kernel there is.
static void rc4(void) {
    put(&plaintext);
    DONE(abreast_rc4_apply(key.at, key.len, number, data, data, plaintext.len));
    RIGHT(is(&ciphertext));
    struct abreast_rc4_message messages[5];
    static uint8_t outputs[5][1024];
    CHECK(plaintext.len <= sizeof *outputs);
    for (size_t i = 0; i < 5; ++i) {
        struct abreast_rc4_message message = {
            key.at, key.len, number, plaintext.at, outputs[i], plaintext.len, ABREAST_NOT_PROCESSED,
        };
        messages[i] = message;
    }
    DONE(abreast_rc4_apply_keys(messages, 5, sizeof *messages));
    for (size_t i = 0; i < 5; ++i) {
        RIGHT(messages[i].status == ABREAST_OK);
        RIGHT(memcmp(outputs[i], ciphertext.at, ciphertext.len) == 0);
    }
}

// A packet of ESP, sealed and opened; the key to authenticate with is in the field of the tag.
static void esp(void) {
    static const char *const names[] = {"aes-cbc-hmac-sha1-96", "aes-cbc-hmac-sha256-128", "aes-ctr-hmac-sha1-96",
                                        "aes-ctr-hmac-sha256-128", "aes-gcm"};
    int suite = ABREAST_ESP_CBC_HMAC_SHA1;
    while (strcmp(cipher_name, names[suite - 1]) != 0) RIGHT(++suite <= ABREAST_ESP_GCM);
    uint64_t spi = 0, sequence = 0;
    for (size_t i = 0; i < aad.len; ++i) *(i < 4 ? &spi : &sequence) = *(i < 4 ? &spi : &sequence) << 8 | aad.at[i];
    abreast_esp *association;
    DONE(abreast_esp_new(suite, (uint32_t)spi, key.at, key.len, tag.at, tag.len, number == 1, &association));
    size_t iv_len = suite < ABREAST_ESP_CTR_HMAC_SHA1 ? 16 : 8, front = 8 + iv_len, len = front + plaintext.len;
    memcpy(data + front, plaintext.at, plaintext.len);
    struct abreast_esp_packet packet = {association, data, len, sizeof data, ciphertext.at + 8, iv_len, 0, sequence, 0};
    DONE(abreast_esp_seal(&packet, 1, sizeof packet));
    RIGHT(is(&ciphertext) && (packet.written == ciphertext.len || len == ciphertext.len));
    packet.len = packet.written;
    packet.sequence |= 0xffffffff;
    DONE(abreast_esp_open(&packet, 1, sizeof packet));
    RIGHT(packet.written == len && packet.sequence == sequence);
    RIGHT(memcmp(data + front, plaintext.at, plaintext.len) == 0);
    abreast_esp_free(association);
}

// A packet of QUIC, sealed and opened; the key for headers is in the field of the tag, with the mask behind it.
static void quic(void) {
    abreast_quic_header_key *header_key;
    abreast_quic_key *keys[2];
    size_t len = aad.len + plaintext.len + 16, number_at = aad.len - 1 - (aad.at[0] & 3);
    DONE(abreast_quic_header_key_new(tag.at, tag.len - 5, &header_key));
    DONE(abreast_quic_mask(header_key, ciphertext.at + number_at + 4, made));
    RIGHT(memcmp(made, tag.at + tag.len - 5, 5) == 0);
    DONE(abreast_quic_key_new(key.at, key.len, iv.at, &keys[0]));
    DONE(abreast_quic_key_new(key.at, key.len, iv.at, &keys[1]));
    for (int i = 0; i < 2; ++i) {
        struct abreast_quic_packet packet = {header_key, {keys[0], keys[1]}, data, len, number_at, number, 0, 0};
        packet.keys[i] = NULL;
        put(&aad);
        memcpy(data + aad.len, plaintext.at, plaintext.len);
        DONE(abreast_quic_seal(&packet, 1, sizeof packet));
        RIGHT(len == ciphertext.len && is(&ciphertext) && packet.header_len == aad.len);
        packet.number = 0;
        DONE(abreast_quic_open(&packet, 1, sizeof packet));
        RIGHT(is(&aad) && memcmp(data + aad.len, plaintext.at, plaintext.len) == 0);
        RIGHT(packet.header_len == aad.len && packet.number == number);
    }
    abreast_quic_header_key_free(header_key);
    abreast_quic_key_free(keys[0]);
    abreast_quic_key_free(keys[1]);
}

// Makes a key: by the cipher's name, or by the constructor of the cipher alone where the first byte of the key is odd.
static int make(const char *kernel, abreast_cipher **cipher) {
    int big_endian = strstr(cipher_name, "-be") != NULL;
    if (key.at[0] % 2 == 0) return abreast_cipher_new(cipher_name, key.at, key.len, kernel, cipher);
    if (strncmp(cipher_name, "aes-", 4) == 0) return abreast_aes_new(key.at, key.len, kernel, cipher);
    if (strncmp(cipher_name, "serpent-", 8) == 0) return abreast_serpent_new(key.at, key.len, kernel, cipher);
    if (strncmp(cipher_name, "tea", 3) == 0) return abreast_tea_new(key.at, big_endian, kernel, cipher);
    return abreast_xtea_new(key.at, big_endian, 32, kernel, cipher);
}

// True if the mode has this name.
static int named(const char *wanted) {
    return strcmp(mode, wanted) == 0;
}

static void at_kernel(const char *kernel) {
    abreast_cipher *cipher;
    abreast_aead *aead;
    if (named("xts")) {
        units(kernel);
        return;
    }
    if (named("hctr2")) {
        wide(kernel);
        return;
    }
    if (named("hmac")) {
        hmac(kernel);
        return;
    }
    if (named("siv")) {
        siv(kernel);
        return;
    }
    if (named("aez")) {
        aez(kernel);
        return;
    }
    if (named("gcm-siv")) {
        DONE(abreast_gcm_siv_new(key.at, key.len, kernel, &aead));
        RIGHT(strcmp(abreast_aead_kernel(aead), kernel) == 0);
        sealed(aead);
        return;
    }
    if (named("xtea")) {
        int big_endian = strcmp(cipher_name, "xtea-be") == 0;
        DONE(abreast_xtea_new(key.at, big_endian, (uint8_t)number, kernel, &cipher));
    } else {
        DONE(make(kernel, &cipher));
    }
    RIGHT(strcmp(abreast_cipher_name(cipher), cipher_name) == 0);
    RIGHT(strcmp(abreast_cipher_kernel(cipher), kernel) == 0);
    if (named("ecb") || named("xtea")) {
        crypt(cipher, ABREAST_ECB_ENCRYPT, ABREAST_ECB_DECRYPT);
    } else if (named("cbc")) {
        crypt(cipher, ABREAST_CBC_ENCRYPT, ABREAST_CBC_DECRYPT);
    } else if (named("cfb")) {
        crypt(cipher, ABREAST_CFB_ENCRYPT, ABREAST_CFB_DECRYPT);
    } else if (named("cfb8")) {
        crypt(cipher, ABREAST_CFB8_ENCRYPT, ABREAST_CFB8_DECRYPT);
    } else if (named("ofb")) {
        crypt(cipher, ABREAST_OFB, ABREAST_OFB);
    } else if (named("ctr")) {
        int operation = number == 32 ? ABREAST_CTR32 : number == 64 ? ABREAST_CTR64 : ABREAST_CTR128;
        RIGHT(number == 32 || number == 64 || number == 128);
        crypt(cipher, operation, operation);
    } else if (named("cbc-pkcs7")) {
        padded(cipher);
    } else if (named("cmac")) {
        mac(cipher);
    } else if (named("key-wrap")) {
        key_wrap(cipher, ABREAST_KEY_WRAP, ABREAST_KEY_UNWRAP);
    } else if (named("key-wrap-padded")) {
        key_wrap(cipher, ABREAST_KEY_WRAP_PADDED, ABREAST_KEY_UNWRAP_PADDED);
    } else if (named("gcm")) {
        DONE(abreast_gcm_new(cipher, &aead));
        sealed(aead);
        if (strncmp(cipher_name, "aes-", 4) == 0) {
            DONE(abreast_aes_gcm_new(key.at, key.len, kernel, &aead));
            RIGHT(strcmp(abreast_aead_kernel(aead), kernel) == 0);
            sealed(aead);
        }
    } else {
        RIGHT(named("eax"));
        DONE(abreast_eax_new(cipher, &aead));
        sealed(aead);
    }
    abreast_cipher_free(cipher);
}

// A case at each kernel; a cipher that there is none of has to be refused.
static void check_case(void) {
    if (named("rc4")) {
        rc4();
        return;
    }
    if (named("esp")) {
        esp();
        return;
    }
    if (named("quic")) {
        quic();
        return;
    }
    if (abreast_kernel_at(cipher_name, 0) == NULL) {
        abreast_cipher *cipher;
        RIGHT(!valid);
        RIGHT(abreast_cipher_new(cipher_name, key.at, key.len, NULL, &cipher) == ABREAST_UNKNOWN_CIPHER);
        return;
    }
    const char *kernel;
    for (size_t i = 0; (kernel = abreast_kernel_at(cipher_name, i)) != NULL; ++i) {
        at_kernel(kernel);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    // Lines of a set stand together.
    static char current[64];
    unsigned count = 0;
    while (read_line(file)) {
        if (strcmp(current, set) != 0) {
            if (count != 0) printf("%u %s\n", count, current);
            CHECK(strlen(set) < sizeof current);
            strcpy(current, set);
            count = 0;
        }
        check_case();
        ++count;
    }
    CHECK(count != 0 && feof(file));
    printf("%u %s\n", count, current);
    fclose(file);
    return 0;
}
