// A client in C11: known answers through every group of functions, and calls that must be refused.

#include <abreast.h>

#include <stdalign.h>

#include "check.h"

#define KEY "2b7e151628aed2a6abf7158809cf4f3c"
#define IV "000102030405060708090a0b0c0d0e0f"
// SP 800-38A, all sections of appendix F.
#define TEXT \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define CTR \
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff" \
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
#define CBC \
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2" \
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
#define CFB \
    "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b" \
    "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"
#define CFB8 "3b79424c9c0dd436bace9e0ed4586a4f32b9"
#define OFB \
    "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825" \
    "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"

static uint8_t text[64], data[64], iv[16];

// A key of AES-128, that of SP 800-38A.
static abreast_cipher *aes(void) {
    uint8_t key[16];
    abreast_cipher *cipher;
    OK(abreast_cipher_new("aes-128", key, hex(KEY, key), NULL, &cipher));
    return cipher;
}

static void about(void) {
    CHECK(strcmp(abreast_version(), "0.1.0") == 0);
    CHECK(abreast_abi_version() == ABREAST_ABI_VERSION);
    OK(abreast_self_test());
    CHECK(strcmp(abreast_status_text(ABREAST_OK), "done") == 0);
    CHECK(strcmp(abreast_status_text(12345), abreast_status_text(-1)) == 0);
    size_t ciphers = 0, kernels = 0;
    uint8_t key[32] = {7};
    for (const char *name; (name = abreast_cipher_at(ciphers)) != NULL; ++ciphers) {
        const char *kernel;
        for (size_t i = 0; (kernel = abreast_kernel_at(name, i)) != NULL; ++i, ++kernels) {
            abreast_cipher *cipher;
            OK(abreast_cipher_new(name, key, abreast_cipher_key_size(name), kernel, &cipher));
            CHECK(strcmp(abreast_cipher_name(cipher), name) == 0);
            CHECK(strcmp(abreast_cipher_kernel(cipher), kernel) == 0);
            CHECK(abreast_cipher_block_size(cipher) == (strstr(name, "tea") != NULL ? 8 : 16));

            // A cipher in memory of the caller.
            size_t size = abreast_cipher_size(name);
            uint8_t *memory = malloc(size), blocks[2][32] = {{0}};
            abreast_cipher *placed;
            CHECK(memory != NULL);
            OK(abreast_cipher_init(memory, size, name, key, abreast_cipher_key_size(name), kernel, &placed));
            CHECK((uint8_t *)placed >= memory && (uint8_t *)placed < memory + size);
            OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, blocks[0], blocks[0], 32));
            OK(abreast_cipher_crypt(placed, ABREAST_ECB_ENCRYPT, NULL, 0, blocks[1], blocks[1], 32));
            CHECK(memcmp(blocks[0], blocks[1], 32) == 0);
            abreast_cipher_free(placed);
            free(memory);
            abreast_cipher_free(cipher);
        }
    }
    CHECK(ciphers > 0 && kernels >= ciphers);
    CHECK(abreast_kernel_at("aez", 0) != NULL && abreast_kernel_at("rc4", 0) != NULL);
    CHECK(abreast_kernel_at("des", 0) == NULL && abreast_kernel_at(NULL, 0) == NULL);
    CHECK(abreast_cipher_key_size("des") == 0 && abreast_cipher_key_size(NULL) == 0);
    CHECK(abreast_cipher_name(NULL) == NULL && abreast_cipher_kernel(NULL) == NULL);
    CHECK(abreast_cipher_block_size(NULL) == 0 && abreast_aead_kernel(NULL) == NULL);
}

static void keys_that_are_none(void) {
    uint8_t key[32] = {0};
    abreast_cipher *cipher = (abreast_cipher *)key;
    GIVES(ABREAST_UNKNOWN_CIPHER, abreast_cipher_new("des", key, 8, NULL, &cipher));
    CHECK(cipher == NULL);
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast_cipher_new("xtea", key, 16, "aesni", &cipher));
    GIVES(ABREAST_KEY_LENGTH, abreast_cipher_new("aes-128", key, 17, NULL, &cipher));
    GIVES(ABREAST_LENGTH, abreast_cipher_new("aes-128", key, SIZE_MAX, NULL, &cipher));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_new("aes-128", NULL, 16, NULL, &cipher));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_new(NULL, key, 16, NULL, &cipher));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_new("aes-128", key, 16, NULL, NULL));
    GIVES(ABREAST_CYCLES, abreast_xtea_new(key, 0, 0, NULL, &cipher));
    CHECK(cipher == NULL);
    abreast_cipher_free(NULL);
    abreast_aead_free(NULL);
    abreast_cmac_free(NULL);
    abreast_xts_free(NULL);
    abreast_hctr2_free(NULL);
    abreast_hmac_free(NULL);
    abreast_srtp_free(NULL);
    abreast_esp_free(NULL);
    abreast_quic_key_free(NULL);
    abreast_quic_header_key_free(NULL);
    abreast_stream_free(NULL);
    abreast_aead_stream_free(NULL);
    abreast_cmac_stream_free(NULL);
    abreast_hmac_stream_free(NULL);
    abreast_rc4_stream_free(NULL);
}

static void blocks(void) {
    uint8_t key[16], block[16];
    abreast_cipher *cipher;
    // FIPS 197, C.1.
    OK(abreast_cipher_new("aes-128", key, hex(IV, key), NULL, &cipher));
    hex("00112233445566778899aabbccddeeff", block);
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, block, block, 16));
    CHECK(is_hex(block, "69c4e0d86a7b0430d8cdb78070b4c55a"));
    uint8_t other[16];
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_DECRYPT, NULL, 0, block, other, 16));
    CHECK(is_hex(other, "00112233445566778899aabbccddeeff"));
    CHECK(is_hex(block, "69c4e0d86a7b0430d8cdb78070b4c55a"));

    // A rejected call leaves everything unchanged.
    memcpy(data, text, 64);
    GIVES(ABREAST_PARTIAL_BLOCK, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, 17));
    GIVES(ABREAST_OVERLAP, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data, data + 1, 32));
    GIVES(ABREAST_OVERLAP, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data + 16, data, 32));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, NULL, data, 16));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data, NULL, 16));
    GIVES(ABREAST_NULL_POINTER, abreast_cipher_crypt(NULL, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, 16));
    GIVES(ABREAST_LENGTH, abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, SIZE_MAX));
    GIVES(ABREAST_LENGTH,
          abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, (size_t)PTRDIFF_MAX + 1));
    CHECK(memcmp(data, text, 64) == 0);
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, NULL, NULL, 0));
    abreast_cipher_free(cipher);
}

static void xtea(void) {
    uint8_t key[16] = {0}, block[8] = {0};
    abreast_cipher *cipher;
    OK(abreast_cipher_new("xtea", key, 16, NULL, &cipher));
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, block, block, 8));
    CHECK(is_hex(block, "d8d4e9ded91e13f7"));
    abreast_cipher_free(cipher);

    // Round keys of the zero key: the sums alone.
    alignas(8) uint32_t round_keys[65];
    for (uint32_t cycle = 0; cycle < 32; ++cycle) {
        round_keys[2 * cycle] = cycle * 0x9E3779B9u;
        round_keys[2 * cycle + 1] = (cycle + 1) * 0x9E3779B9u;
    }
    OK(abreast_xtea_decrypt(round_keys, block, block, 8));
    CHECK(is_zero(block, 8));
    OK(abreast_xtea_encrypt(round_keys, block, block, 8));
    CHECK(is_hex(block, "d8d4e9ded91e13f7"));
    GIVES(ABREAST_PARTIAL_BLOCK, abreast_xtea_encrypt(round_keys, block, block, 7));
    GIVES(ABREAST_NULL_POINTER, abreast_xtea_encrypt(NULL, block, block, 8));
    const uint32_t *crooked = (const uint32_t *)(const void *)((const char *)round_keys + 1);
    GIVES(ABREAST_ALIGNMENT, abreast_xtea_encrypt(crooked, block, block, 8));
    OK(abreast_xtea_new_expanded(round_keys, 0, &cipher));
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_DECRYPT, NULL, 0, block, block, 8));
    CHECK(is_zero(block, 8));
    abreast_cipher_free(cipher);

    // PolarSSL's first.
    OK(abreast_xtea_new((hex(IV, key), key), 1, 32, NULL, &cipher));
    OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, (const uint8_t *)"ABCDEFGH", block, 8));
    CHECK(is_hex(block, "497df3d072612cb5"));
    CHECK(strcmp(abreast_cipher_name(cipher), "xtea-be") == 0);
    abreast_aead *gcm;
    GIVES(ABREAST_BLOCK_LENGTH, abreast_gcm_new(cipher, &gcm));
    CHECK(gcm == NULL);
    abreast_cipher_free(cipher);
}

static void counter_mode(void) {
    abreast_cipher *cipher = aes();
    uint8_t counter[16];
    hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", counter);
    OK(abreast_cipher_crypt(cipher, ABREAST_CTR128, counter, 16, text, data, 64));
    CHECK(is_hex(data, CTR));
    GIVES(ABREAST_OPERATION, abreast_cipher_crypt(cipher, 0, counter, 16, text, data, 64));
    GIVES(ABREAST_OPERATION, abreast_cipher_crypt(cipher, ABREAST_GCM_ENCRYPT, counter, 16, text, data, 64));
    GIVES(ABREAST_COUNTER_LENGTH, abreast_cipher_crypt(cipher, ABREAST_CTR128, counter, 15, text, data, 64));
    GIVES(ABREAST_OVERLAP, abreast_cipher_crypt(cipher, ABREAST_CTR128, counter, 16, counter, counter, 16));

    abreast_stream *stream;
    OK(abreast_stream_new(cipher, ABREAST_CTR128, counter, 16, &stream));
    // The stream keeps its key.
    abreast_cipher_free(cipher);
    memcpy(data, text, 64);
    OK(abreast_stream_apply(stream, data, data, 5));
    OK(abreast_stream_apply(stream, data + 5, data + 5, 40));
    uint64_t position;
    OK(abreast_stream_position(stream, &position));
    CHECK(position == 45);
    OK(abreast_stream_apply(stream, data + 45, data + 45, 19));
    CHECK(is_hex(data, CTR));
    OK(abreast_stream_seek(stream, 33));
    OK(abreast_stream_apply(stream, data + 33, data + 33, 31));
    CHECK(memcmp(data + 33, text + 33, 31) == 0);
    GIVES(ABREAST_NULL_POINTER, abreast_stream_position(stream, NULL));
    GIVES(ABREAST_NULL_POINTER, abreast_stream_apply(NULL, data, data, 5));
    abreast_stream_free(stream);

    // 16 bits count 2^16 blocks.
    cipher = aes();
    OK(abreast_stream_new(cipher, ABREAST_CTR16, counter, 16, &stream));
    OK(abreast_stream_seek(stream, 16 * 65536 - 1));
    GIVES(ABREAST_COUNTER_EXHAUSTED, abreast_stream_apply(stream, data, data, 2));
    abreast_stream_free(stream);
    abreast_cipher_free(cipher);
}

static void chains(void) {
    abreast_cipher *cipher = aes();
    OK(abreast_cipher_crypt(cipher, ABREAST_CBC_ENCRYPT, iv, 16, text, data, 64));
    CHECK(is_hex(data, CBC));
    OK(abreast_cipher_crypt(cipher, ABREAST_CBC_DECRYPT, iv, 16, data, data, 64));
    CHECK(memcmp(data, text, 64) == 0);
    GIVES(ABREAST_IV_LENGTH, abreast_cipher_crypt(cipher, ABREAST_CBC_ENCRYPT, iv, 8, text, data, 64));
    GIVES(ABREAST_PARTIAL_BLOCK, abreast_cipher_crypt(cipher, ABREAST_CBC_ENCRYPT, iv, 16, text, data, 63));

    uint8_t padded[48] = "attack at dawn, and not at dusk.";
    size_t len;
    OK(abreast_cbc_encrypt_padded(cipher, iv, 16, padded, 48, 32, &len));
    CHECK(len == 48);
    OK(abreast_cbc_decrypt_padded(cipher, iv, 16, padded, 48, &len));
    CHECK(len == 32 && memcmp(padded, "attack at dawn, and not at dusk.", 32) == 0);
    GIVES(ABREAST_BUFFER_LENGTHS, abreast_cbc_encrypt_padded(cipher, iv, 16, padded, 32, 32, &len));
    GIVES(ABREAST_PADDING, abreast_cbc_decrypt_padded(cipher, iv, 16, padded, 48, &len));
    CHECK(is_zero(padded, 48));
    GIVES(ABREAST_PADDING, abreast_cbc_decrypt_padded(cipher, iv, 16, padded, 0, &len));
    GIVES(ABREAST_NULL_POINTER, abreast_cbc_decrypt_padded(cipher, iv, 16, padded, 48, NULL));

    OK(abreast_cipher_crypt(cipher, ABREAST_CFB_ENCRYPT, iv, 16, text, data, 64));
    CHECK(is_hex(data, CFB));
    OK(abreast_cipher_crypt(cipher, ABREAST_CFB_DECRYPT, iv, 16, data, data, 64));
    CHECK(memcmp(data, text, 64) == 0);
    OK(abreast_cipher_crypt(cipher, ABREAST_CFB8_ENCRYPT, iv, 16, text, data, 18));
    CHECK(is_hex(data, CFB8));
    OK(abreast_cipher_crypt(cipher, ABREAST_CFB8_DECRYPT, iv, 16, data, data, 18));
    CHECK(memcmp(data, text, 18) == 0);
    OK(abreast_cipher_crypt(cipher, ABREAST_OFB, iv, 16, text, data, 64));
    CHECK(is_hex(data, OFB));

    abreast_stream *cbc, *cfb, *cfb8, *ofb;
    OK(abreast_stream_new(cipher, ABREAST_CBC_ENCRYPT, iv, 16, &cbc));
    OK(abreast_stream_new(cipher, ABREAST_CFB_ENCRYPT, iv, 16, &cfb));
    OK(abreast_stream_new(cipher, ABREAST_CFB8_ENCRYPT, iv, 16, &cfb8));
    GIVES(ABREAST_IV_LENGTH, abreast_stream_new(cipher, ABREAST_OFB, iv, 0, &ofb));
    CHECK(ofb == NULL);
    OK(abreast_stream_new(cipher, ABREAST_OFB, iv, 16, &ofb));
    abreast_cipher_free(cipher);
    for (size_t at = 0; at < 64; at += 16) OK(abreast_stream_apply(cbc, text + at, data + at, 16));
    CHECK(is_hex(data, CBC));
    GIVES(ABREAST_PARTIAL_BLOCK, abreast_stream_apply(cbc, data, data, 15));
    GIVES(ABREAST_OPERATION, abreast_stream_seek(cbc, 0));
    OK(abreast_stream_apply(cfb, text, data, 7));
    OK(abreast_stream_apply(cfb, text + 7, data + 7, 57));
    CHECK(is_hex(data, CFB));
    OK(abreast_stream_apply(cfb8, text, data, 7));
    OK(abreast_stream_apply(cfb8, text + 7, data + 7, 11));
    CHECK(is_hex(data, CFB8));
    OK(abreast_stream_apply(ofb, text, data, 7));
    OK(abreast_stream_apply(ofb, text + 7, data + 7, 57));
    CHECK(is_hex(data, OFB));
    abreast_stream_free(cbc);
    abreast_stream_free(cfb);
    abreast_stream_free(cfb8);
    abreast_stream_free(ofb);
}

static void names(void) {
    uint8_t key[32], name[20];
    abreast_cipher *cipher;
    abreast_hctr2 *hctr2;
    memset(key, 0x11, sizeof key);
    OK(abreast_cipher_new("aes-256", key, sizeof key, NULL, &cipher));
    OK(abreast_hctr2_new(cipher, &hctr2));
    abreast_cipher_free(cipher);
    memset(name, 'n', sizeof name);
    OK(abreast_hctr2_encrypt(hctr2, key, 5, name, name, sizeof name));
    CHECK(name[0] != 'n' || name[1] != 'n');
    OK(abreast_hctr2_decrypt(hctr2, key, 5, name, name, sizeof name));
    CHECK(name[0] == 'n' && name[19] == 'n');
    GIVES(ABREAST_MESSAGE_TOO_SHORT, abreast_hctr2_encrypt(hctr2, NULL, 0, name, name, 15));
    GIVES(ABREAST_NULL_POINTER, abreast_hctr2_encrypt(hctr2, NULL, 1, name, name, 16));
    GIVES(ABREAST_OVERLAP, abreast_hctr2_encrypt(hctr2, name, 16, name, name, 16));
    abreast_hctr2_free(hctr2);
}

static void sectors(void) {
    // IEEE 1619, vector 2.
    uint8_t key[16], number[16], sector[32];
    abreast_cipher *data_key, *tweak_key;
    abreast_xts *xts;
    memset(key, 0x11, 16);
    OK(abreast_cipher_new("aes-128", key, 16, NULL, &data_key));
    GIVES(ABREAST_EQUAL_KEYS, abreast_xts_new(data_key, data_key, &xts));
    memset(key, 0x22, 16);
    OK(abreast_cipher_new("aes-128", key, 16, NULL, &tweak_key));
    OK(abreast_xts_new(data_key, tweak_key, &xts));
    abreast_cipher_free(data_key);
    abreast_cipher_free(tweak_key);
    hex("33333333330000000000000000000000", number);
    memset(sector, 0x44, 32);
    OK(abreast_xts_encrypt(xts, number, 32, sector, sector, 32));
    CHECK(is_hex(sector, "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"));
    OK(abreast_xts_decrypt(xts, number, 32, sector, sector, 32));
    CHECK(sector[0] == 0x44 && sector[31] == 0x44);
    GIVES(ABREAST_UNIT_LENGTH, abreast_xts_encrypt(xts, number, 15, sector, sector, 32));
    GIVES(ABREAST_NULL_POINTER, abreast_xts_encrypt(xts, NULL, 32, sector, sector, 32));
    abreast_xts_free(xts);
}

static void gcm(void) {
    // GCM paper, test case 2.
    uint8_t zeros[16] = {0}, out[16], tag[16], short_tag[16];
    abreast_cipher *cipher;
    abreast_aead *gcm;
    OK(abreast_cipher_new("aes-128", zeros, 16, NULL, &cipher));
    OK(abreast_gcm_new(cipher, &gcm));
    abreast_cipher_free(cipher);
    OK(abreast_aead_encrypt(gcm, zeros, 12, NULL, 0, zeros, out, 16, tag, 16));
    CHECK(is_hex(out, "0388dace60b6a392f328c2b971b2fe78"));
    CHECK(is_hex(tag, "ab6e47d42cec13bdf53a67b21257bddf"));
    OK(abreast_aead_decrypt(gcm, zeros, 12, NULL, 0, out, out, 16, tag, 16));
    CHECK(is_zero(out, 16));
    OK(abreast_aead_encrypt(gcm, zeros, 12, NULL, 0, zeros, out, 16, short_tag, 12));
    CHECK(memcmp(tag, short_tag, 12) == 0);
    short_tag[11] ^= 1;
    GIVES(ABREAST_TAG_MISMATCH, abreast_aead_decrypt(gcm, zeros, 12, NULL, 0, out, out, 16, short_tag, 12));
    CHECK(is_zero(out, 16));
    GIVES(ABREAST_TAG_LENGTH, abreast_aead_encrypt(gcm, zeros, 12, NULL, 0, zeros, out, 16, tag, 5));
    GIVES(ABREAST_NONCE_LENGTH, abreast_aead_encrypt(gcm, NULL, 0, NULL, 0, zeros, out, 16, tag, 16));
    GIVES(ABREAST_LENGTH, abreast_aead_encrypt(gcm, zeros, 12, zeros, SIZE_MAX, zeros, out, 16, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aead_encrypt(gcm, zeros, 12, NULL, 0, zeros, tag, 16, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aead_encrypt(gcm, zeros, 12, NULL, 0, zeros, out, 16, zeros, 16));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_encrypt(NULL, zeros, 12, NULL, 0, zeros, out, 16, tag, 16));

    abreast_aead_stream *encrypting, *decrypting;
    OK(abreast_aead_stream_new(gcm, ABREAST_ENCRYPT, zeros, 12, NULL, 0, &encrypting));
    OK(abreast_aead_stream_new(gcm, ABREAST_DECRYPT, zeros, 12, NULL, 0, &decrypting));
    abreast_aead_stream *none;
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_new(gcm, 2, zeros, 12, NULL, 0, &none));
    GIVES(ABREAST_NONCE_LENGTH, abreast_aead_stream_new(gcm, ABREAST_ENCRYPT, NULL, 0, NULL, 0, &none));
    abreast_aead_free(gcm);
    OK(abreast_aead_stream_update(encrypting, zeros, out, 5));
    OK(abreast_aead_stream_update(encrypting, zeros, out + 5, 11));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_verify(encrypting, tag, 16));
    OK(abreast_aead_stream_finish(encrypting, tag, 16));
    CHECK(is_hex(out, "0388dace60b6a392f328c2b971b2fe78"));
    CHECK(is_hex(tag, "ab6e47d42cec13bdf53a67b21257bddf"));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_finish(encrypting, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_update(encrypting, zeros, out, 5));
    OK(abreast_aead_stream_update(decrypting, out, out, 16));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_finish(decrypting, tag, 16));
    tag[3] ^= 4;
    GIVES(ABREAST_TAG_MISMATCH, abreast_aead_stream_verify(decrypting, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_verify(decrypting, tag, 16));
    GIVES(ABREAST_NONCE_LENGTH, abreast_aead_stream_reset(decrypting, NULL, 0, NULL, 0));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_verify(decrypting, tag, 16));
    OK(abreast_aead_stream_reset(decrypting, zeros, 12, NULL, 0));
    hex("0388dace60b6a392f328c2b971b2fe78", out);
    OK(abreast_aead_stream_update(decrypting, out, out, 16));
    tag[3] ^= 4;
    OK(abreast_aead_stream_verify(decrypting, tag, 16));
    CHECK(is_zero(out, 16));
    // The other way.
    OK(abreast_aead_stream_begin(encrypting, ABREAST_DECRYPT, zeros, 12, NULL, 0));
    OK(abreast_aead_stream_begin(decrypting, ABREAST_ENCRYPT, zeros, 12, NULL, 0));
    OK(abreast_aead_stream_update(decrypting, zeros, out, 16));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_begin(decrypting, -1, zeros, 12, NULL, 0));
    OK(abreast_aead_stream_finish(decrypting, tag, 16));
    CHECK(is_hex(tag, "ab6e47d42cec13bdf53a67b21257bddf"));
    OK(abreast_aead_stream_update(encrypting, out, out, 16));
    OK(abreast_aead_stream_verify(encrypting, tag, 16));
    CHECK(is_zero(out, 16));
    abreast_aead_stream_free(encrypting);
    abreast_aead_stream_free(decrypting);
}

// Streams on the way: copies, the running vector, associated data in pieces, pieces of padded messages.
static void streams_on_the_way(void) {
    uint8_t key[16] = {1}, nonce[16] = {2}, aad[40] = {3}, message[50] = {4}, one[66], other[66], tag[16], same[16];
    abreast_cipher *cipher;
    abreast_aead *gcm;
    abreast_aead_stream *sealing, *copy;
    OK(abreast_cipher_new("aes-128", key, 16, NULL, &cipher));
    OK(abreast_gcm_new(cipher, &gcm));
    OK(abreast_aead_encrypt(gcm, nonce, 12, aad, 40, message, one, 50, tag, 16));
    OK(abreast_aead_stream_new(gcm, ABREAST_ENCRYPT, nonce, 12, aad, 3, &sealing));
    for (size_t at = 3; at < 40; ++at) OK(abreast_aead_stream_aad(sealing, aad + at, 1));
    OK(abreast_aead_stream_update(sealing, message, other, 20));
    GIVES(ABREAST_ASSOCIATED_DATA_LATE, abreast_aead_stream_aad(sealing, aad, 1));
    OK(abreast_aead_stream_clone(sealing, &copy));
    abreast_aead_stream_free(sealing);
    OK(abreast_aead_stream_update(copy, message + 20, other + 20, 30));
    OK(abreast_aead_stream_finish(copy, same, 16));
    CHECK(memcmp(one, other, 50) == 0 && memcmp(tag, same, 16) == 0);
    abreast_aead_stream_free(copy);
    abreast_aead_free(gcm);

    abreast_stream *ctr, *resumed;
    uint8_t counter[16];
    OK(abreast_stream_new(cipher, ABREAST_CTR128, nonce, 16, &ctr));
    OK(abreast_stream_apply(ctr, message, one, 32));
    OK(abreast_stream_iv(ctr, counter, 16));
    CHECK(memcmp(counter, nonce, 15) == 0 && counter[15] == 2);
    OK(abreast_stream_new(cipher, ABREAST_CTR128, counter, 16, &resumed));
    OK(abreast_stream_apply(ctr, message, one, 18));
    OK(abreast_stream_apply(resumed, message, other, 18));
    CHECK(memcmp(one, other, 18) == 0);
    abreast_stream_free(resumed);
    OK(abreast_stream_clone(ctr, &resumed));
    OK(abreast_stream_apply(ctr, message, one, 50));
    OK(abreast_stream_apply(resumed, message, other, 50));
    CHECK(memcmp(one, other, 50) == 0);
    abreast_stream_free(ctr);
    abreast_stream_free(resumed);

    abreast_padded_stream *padded, *opened;
    size_t len, all = 0, plain = 0;
    memcpy(one, message, 50);
    OK(abreast_cbc_encrypt_padded(cipher, nonce, 16, one, 66, 50, &len));
    CHECK(len == 64);
    OK(abreast_padded_stream_new(cipher, ABREAST_CBC_ENCRYPT, 1, nonce, 16, &padded));
    OK(abreast_padded_stream_new(cipher, ABREAST_CBC_DECRYPT, 1, nonce, 16, &opened));
    for (size_t at = 0; at < 50; at += 5, all += len)
        OK(abreast_padded_stream_update(padded, message + at, 5, other + all, 66 - all, &len));
    OK(abreast_padded_stream_finish(padded, other + all, 66 - all, &len));
    CHECK(all + len == 64 && memcmp(one, other, 64) == 0);
    GIVES(ABREAST_FINISHED, abreast_padded_stream_update(padded, message, 5, other, 66, &len));
    for (size_t at = 0; at < 64; at += 8, plain += len)
        OK(abreast_padded_stream_update(opened, one + at, 8, other + plain, 66 - plain, &len));
    CHECK(plain == 48);
    OK(abreast_padded_stream_finish(opened, other + plain, 66 - plain, &len));
    CHECK(plain + len == 50 && memcmp(message, other, 50) == 0);
    OK(abreast_padded_stream_reset(opened, nonce, 16));
    GIVES(ABREAST_PADDING, abreast_padded_stream_finish(opened, other, 66, &len));
    OK(abreast_padded_stream_reset(opened, nonce, 16));
    GIVES(ABREAST_OVERLAP, abreast_padded_stream_update(opened, other + 1, 5, other, 40, &len));
    abreast_padded_stream_free(padded);
    abreast_padded_stream_free(opened);
    abreast_padded_stream_free(NULL);
    abreast_cipher_free(cipher);
}

static void eax(void) {
    // EAX paper, vector 2.
    uint8_t key[16], nonce[16], header[8], message[2], tag[16];
    abreast_cipher *cipher;
    abreast_aead *eax;
    OK(abreast_cipher_new("aes-128", key, hex("91945d3f4dcbee0bf45ef52255f095a4", key), NULL, &cipher));
    OK(abreast_eax_new(cipher, &eax));
    abreast_cipher_free(cipher);
    hex("becaf043b0a23d843194ba972c66debd", nonce);
    hex("fa3bfd4806eb53fa", header);
    hex("f7fb", message);
    OK(abreast_aead_encrypt(eax, nonce, 16, header, 8, message, message, 2, tag, 16));
    CHECK(is_hex(message, "19dd") && is_hex(tag, "5c4c9331049d0bdab0277408f67967e5"));
    abreast_aead_stream *stream;
    OK(abreast_aead_stream_new(eax, ABREAST_DECRYPT, nonce, 16, header, 8, &stream));
    uint8_t plain[2];
    OK(abreast_aead_stream_update(stream, message, plain, 1));
    OK(abreast_aead_stream_update(stream, message + 1, plain + 1, 1));
    CHECK(is_hex(plain, "f7fb"));
    OK(abreast_aead_stream_verify(stream, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_verify(stream, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_update(stream, message, plain, 1));
    abreast_aead_stream_free(stream);
    OK(abreast_aead_stream_new(eax, ABREAST_ENCRYPT, nonce, 16, header, 8, &stream));
    OK(abreast_aead_stream_update(stream, plain, plain, 2));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_verify(stream, tag, 16));
    // A length that is refused loses nothing.
    GIVES(ABREAST_TAG_LENGTH, abreast_aead_stream_finish(stream, tag, 0));
    memset(tag, 0, sizeof tag);
    OK(abreast_aead_stream_finish(stream, tag, 16));
    CHECK(is_hex(tag, "5c4c9331049d0bdab0277408f67967e5"));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_finish(stream, tag, 16));
    abreast_aead_stream_free(stream);
    OK(abreast_aead_decrypt(eax, nonce, 16, header, 8, message, message, 2, tag, 16));
    CHECK(is_hex(message, "f7fb"));
    GIVES(ABREAST_TAG_MISMATCH, abreast_aead_decrypt(eax, nonce, 16, header, 7, message, message, 2, tag, 16));
    CHECK(is_zero(message, 2));
    abreast_aead_free(eax);
}

static void cmac(void) {
    // SP 800-38B, examples 1 and 2.
    uint8_t tag[16];
    abreast_cipher *cipher = aes();
    abreast_cmac *cmac;
    OK(abreast_cmac_new(cipher, &cmac));
    abreast_cipher_free(cipher);
    OK(abreast_cmac_mac(cmac, NULL, 0, tag, 16));
    CHECK(is_hex(tag, "bb1d6929e95937287fa37d129b756746"));
    OK(abreast_cmac_mac(cmac, text, 16, tag, 16));
    CHECK(is_hex(tag, "070a16b46b4d4144f79bdd9dd04a287c"));
    OK(abreast_cmac_verify(cmac, text, 16, tag, 8));
    GIVES(ABREAST_TAG_MISMATCH, abreast_cmac_verify(cmac, text, 15, tag, 8));
    GIVES(ABREAST_TAG_LENGTH, abreast_cmac_mac(cmac, text, 16, tag, 17));
    GIVES(ABREAST_OVERLAP, abreast_cmac_mac(cmac, tag, 16, tag, 16));
    abreast_cmac_stream *stream;
    OK(abreast_cmac_stream_new(cmac, &stream));
    abreast_cmac_free(cmac);
    OK(abreast_cmac_stream_update(stream, text, 3));
    OK(abreast_cmac_stream_update(stream, text + 3, 13));
    OK(abreast_cmac_stream_verify(stream, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_cmac_stream_finish(stream, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_cmac_stream_update(stream, text, 3));
    abreast_cmac_stream_free(stream);
}

static void hmac(void) {
    // RFC 2202 and RFC 4231, case 2.
    static const uint8_t question[] = "what do ya want for nothing?";
    uint8_t tag[32];
    abreast_hmac *sha1, *sha256;
    OK(abreast_hmac_sha1_new((const uint8_t *)"Jefe", 4, NULL, &sha1));
    OK(abreast_hmac_sha256_new((const uint8_t *)"Jefe", 4, NULL, &sha256));
    CHECK(strcmp(abreast_hmac_kernel(sha1), abreast_kernel_at("hmac-sha-1", 0)) == 0);
    CHECK(abreast_hmac_kernel(NULL) == NULL);
    OK(abreast_hmac_mac(sha1, question, 28, tag, 20));
    CHECK(is_hex(tag, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"));
    OK(abreast_hmac_verify(sha1, question, 28, tag, 10));
    GIVES(ABREAST_TAG_MISMATCH, abreast_hmac_verify(sha1, question, 27, tag, 10));
    GIVES(ABREAST_TAG_LENGTH, abreast_hmac_mac(sha1, question, 28, tag, 21));
    GIVES(ABREAST_TAG_LENGTH, abreast_hmac_verify(sha1, question, 28, tag, 0));
    GIVES(ABREAST_OVERLAP, abreast_hmac_mac(sha1, tag, 16, tag, 20));
    struct abreast_packet packets[2] = {{0}, {0}};
    uint8_t tags[2][32];
    for (int i = 0; i < 2; ++i) {
        packets[i].key = sha256;
        packets[i].aad = question;
        packets[i].aad_len = 28;
        packets[i].tag = tags[i];
        packets[i].tag_len = 32;
    }
    OK(abreast_packets(ABREAST_HMAC_SHA256, packets, 2, sizeof packets[0]));
    CHECK(is_hex(tags[1], "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    OK(abreast_packets(ABREAST_HMAC_SHA256_VERIFY, packets, 2, sizeof packets[0]));
    tags[0][31] ^= 1;
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_HMAC_SHA256_VERIFY, packets, 2, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_TAG_MISMATCH && packets[1].status == ABREAST_OK);
    // A key for the other hash.
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_HMAC_SHA1, packets, 2, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_WRONG_KEY);
    abreast_hmac_stream *stream, *other;
    OK(abreast_hmac_stream_new(sha256, &stream));
    abreast_hmac_free(sha256);
    OK(abreast_hmac_stream_update(stream, question, 3));
    OK(abreast_hmac_stream_clone(stream, &other));
    OK(abreast_hmac_stream_update(stream, question + 3, 25));
    GIVES(ABREAST_TAG_LENGTH, abreast_hmac_stream_finish(stream, tag, 0));
    OK(abreast_hmac_stream_finish(stream, tag, 32));
    CHECK(memcmp(tag, tags[1], 32) == 0);
    GIVES(ABREAST_FINISHED, abreast_hmac_stream_verify(stream, tag, 32));
    abreast_hmac_stream_free(stream);
    OK(abreast_hmac_stream_update(other, question + 3, 25));
    OK(abreast_hmac_stream_verify(other, tags[1], 16));
    OK(abreast_hmac_stream_reset(other));
    GIVES(ABREAST_TAG_MISMATCH, abreast_hmac_stream_verify(other, tags[1], 16));
    abreast_hmac_stream_free(other);
    abreast_hmac_free(sha1);
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast_hmac_sha1_new(NULL, 0, "vaes", &sha1));
    CHECK(sha1 == NULL);
}

static void srtp(void) {
    // The packets of libsrtp's test/srtp_driver.c.
    static const uint8_t master[] = {0xe1, 0xf9, 0x7a, 0x0d, 0x3e, 0x01, 0x8b, 0xe0, 0xd6, 0x4f, 0xa3, 0x2c, 0x06, 0xde, 0x41,
                                     0x39, 0x0e, 0xc6, 0x75, 0xad, 0x49, 0x8a, 0xfe, 0xeb, 0xb6, 0x96, 0x0b, 0x3a, 0xab, 0xe6};
    static const uint8_t rtp[] = {0x80, 0x0f, 0x12, 0x34, 0xde, 0xca, 0xfb, 0xad, 0xca, 0xfe, 0xba, 0xbe};
    static const uint8_t rtcp[] = {0x81, 0xc8, 0x00, 0x0b, 0xca, 0xfe, 0xba, 0xbe};
    uint8_t buffers[3][48];
    memset(buffers, 0xab, sizeof buffers);
    memcpy(buffers[0], rtp, sizeof rtp);
    memcpy(buffers[1], rtcp, sizeof rtcp);
    memcpy(buffers[2], rtcp, sizeof rtcp);
    abreast_srtp *session;
    GIVES(ABREAST_OPERATION, abreast_srtp_new(0, master, 16, master + 16, 14, &session));
    GIVES(ABREAST_KEY_LENGTH, abreast_srtp_new(ABREAST_SRTP_AES256_GCM, master, 16, master + 16, 12, &session));
    GIVES(ABREAST_NONCE_LENGTH, abreast_srtp_new(ABREAST_SRTP_AES128_GCM, master, 16, master + 16, 14, &session));
    CHECK(session == NULL);
    OK(abreast_srtp_new(ABREAST_SRTP_AES128_CM_SHA1_80, master, 16, master + 16, 14, &session));
    struct abreast_srtp_packet packets[3] = {
        {.session = session, .packet = buffers[0], .len = 28, .capacity = 38},
        {.session = session, .packet = buffers[1], .len = 24, .capacity = 38, .number = 1, .protocol = ABREAST_SRTP_RTCP},
        {.session = session, .packet = buffers[2], .len = 24, .capacity = 38, .number = 2, .protocol = ABREAST_SRTP_CLEAR_RTCP},
    };
    OK(abreast_srtp_protect(packets, 3, sizeof packets[0]));
    CHECK(is_hex(buffers[0], "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb"));
    CHECK(is_hex(buffers[1], "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798"));
    CHECK(packets[0].written == 38 && packets[0].index == 0x1234 && packets[1].index == 1 && buffers[2][9] == 0xab);
    for (int i = 0; i < 3; ++i) packets[i].len = packets[i].written;
    packets[1].protocol = ABREAST_SRTP_CLEAR_RTCP;
    packets[2].protocol = ABREAST_SRTP_RTCP;
    packets[0].number = 7;
    GIVES(ABREAST_BATCH, abreast_srtp_unprotect(packets, 3, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_TAG_MISMATCH && packets[1].status == ABREAST_OK);
    CHECK(packets[1].protocol == ABREAST_SRTP_RTCP && packets[2].protocol == ABREAST_SRTP_CLEAR_RTCP);
    CHECK(packets[2].index == 2 && packets[2].written == 24 && buffers[1][23] == 0xab);
    packets[0].number = (uint32_t)(abreast_srtp_estimated_index(0, 0x1233, 0x1234) >> 16);
    OK(abreast_srtp_unprotect(packets, 1, sizeof packets[0]));
    CHECK(packets[0].written == 28 && buffers[0][27] == 0xab);
    packets[0].len = 11;
    buffers[1][0] = 0;
    packets[1].len = 24;
    packets[2].protocol = 3;
    GIVES(ABREAST_BATCH, abreast_srtp_protect(packets, 3, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_MESSAGE_TOO_SHORT && packets[1].status == ABREAST_HEADER);
    CHECK(packets[2].status == ABREAST_OPERATION);
    packets[0].len = 29;
    packets[1].number = 1u << 31;
    buffers[1][0] = 0x80;
    packets[2].packet = (uint8_t *)packets;
    packets[2].protocol = 0;
    GIVES(ABREAST_BATCH, abreast_srtp_protect(packets, 3, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_BUFFER_TOO_SHORT && packets[1].status == ABREAST_COUNTER_EXHAUSTED);
    CHECK(packets[2].status == ABREAST_OVERLAP);
    GIVES(ABREAST_STRUCT_SIZE, abreast_srtp_protect(packets, 3, sizeof packets[0] + 8));
    abreast_srtp_free(session);
}

// A number that is the same in each run (SplitMix64).
static uint64_t random_number(void) {
    static uint64_t state = 0x9e3779b97f4a7c15;
    uint64_t word = state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

static void random_bytes(uint8_t *bytes, size_t len) {
    for (size_t i = 0; i < len; ++i) bytes[i] = (uint8_t)random_number();
}

// Packets in a batch: more than two windows of the library.
enum { MANY = 70, ROOM = 2100 };

static uint8_t buffers[MANY][ROOM], before[MANY][ROOM];

// A length of any order of magnitude up to 2047 bytes.
static size_t random_len(void) {
    return random_number() % ((size_t)1 << random_number() % 12);
}

static void esp_errors(const abreast_esp *gcm, const abreast_esp *cbc) {
    uint8_t buffer[100];
    memset(buffer, 7, sizeof buffer);
    struct abreast_esp_packet packet = {gcm, buffer, 48, 64, iv, 8, 0, 1, 0};
    struct abreast_esp_packet wrong[] = {packet, packet, packet, packet, packet, packet, packet, packet, packet};
    wrong[0].len = 15;
    wrong[1].capacity = 63;
    wrong[2].association = cbc;
    wrong[2].iv_len = 16;
    wrong[3].iv_len = 16;
    wrong[4].sequence = 1ull << 32;
    wrong[5].association = NULL;
    wrong[6].packet = (uint8_t *)wrong;
    wrong[7].iv = buffer + 8;
    wrong[8].association = (abreast_esp *)(void *)buffer;
    static const int statuses[] = {ABREAST_MESSAGE_TOO_SHORT, ABREAST_BUFFER_TOO_SHORT,      ABREAST_PARTIAL_BLOCK,
                                   ABREAST_IV_LENGTH,         ABREAST_COUNTER_EXHAUSTED,     ABREAST_NULL_POINTER,
                                   ABREAST_OVERLAP,           ABREAST_OVERLAP,               ABREAST_WRONG_KEY};
    // A text of 23 bytes is none of CBC.
    wrong[2].len = 24 + 23;
    GIVES(ABREAST_BATCH, abreast_esp_seal(wrong, 9, sizeof packet));
    for (int i = 0; i < 9; ++i) GIVES(statuses[i], wrong[i].status);
    for (size_t i = 0; i < sizeof buffer; ++i) CHECK(buffer[i] == 7);
    struct abreast_esp_packet received[] = {packet, packet, packet};
    received[0].len = 31;
    received[1].len = 65;
    GIVES(ABREAST_BATCH, abreast_esp_open(received, 3, sizeof packet));
    CHECK(received[0].status == ABREAST_MESSAGE_TOO_SHORT && received[1].status == ABREAST_BUFFER_TOO_SHORT);
    CHECK(received[2].status == ABREAST_TAG_MISMATCH && is_zero(buffer + 16, 16) && buffer[32] == 7);
    GIVES(ABREAST_STRUCT_SIZE, abreast_esp_seal(&packet, 1, sizeof packet - 8));
    OK(abreast_esp_seal(NULL, 0, sizeof packet));
    OK(abreast_esp_open(NULL, 0, sizeof packet));
}

// Random packets under an association of each suite with each length of keys; every third is changed on the way.
static void esp(void) {
    enum { ASSOCIATIONS = 30 };
    static uint8_t ivs[MANY][16];
    uint8_t key[36] = {0}, auth_key[32];
    abreast_esp *associations[ASSOCIATIONS];
    GIVES(ABREAST_OPERATION, abreast_esp_new(6, 1, key, 16, key, 20, 0, associations));
    CHECK(associations[0] == NULL);
    GIVES(ABREAST_KEY_LENGTH, abreast_esp_new(ABREAST_ESP_CBC_HMAC_SHA1, 1, key, 20, key, 20, 0, associations));
    GIVES(ABREAST_KEY_LENGTH, abreast_esp_new(ABREAST_ESP_CTR_HMAC_SHA1, 1, key, 16, key, 20, 0, associations));
    GIVES(ABREAST_KEY_LENGTH, abreast_esp_new(ABREAST_ESP_CBC_HMAC_SHA256, 1, key, 16, key, 20, 0, associations));
    GIVES(ABREAST_KEY_LENGTH, abreast_esp_new(ABREAST_ESP_GCM, 1, key, 20, key, 20, 0, associations));
    for (int i = 0; i < ASSOCIATIONS; ++i) {
        int suite = 1 + i % 5, gcm = suite == ABREAST_ESP_GCM;
        size_t key_len = 16 + 8 * (size_t)(i / 5 % 3) + (suite < ABREAST_ESP_CTR_HMAC_SHA1 ? 0 : 4);
        random_bytes(key, sizeof key);
        random_bytes(auth_key, sizeof auth_key);
        OK(abreast_esp_new(suite, (uint32_t)i, key, key_len, auth_key, gcm ? 0 : suite % 2 ? 20 : 32, i / 15, &associations[i]));
    }
    static struct abreast_esp_packet packets[MANY];
    static size_t lens[MANY];
    static uint64_t sequences[MANY];
    for (int i = 0; i < MANY; ++i) {
        int number = (int)(random_number() % ASSOCIATIONS), cbc = number % 5 < 2;
        size_t iv_len = cbc ? 16 : 8, block = cbc ? 16 : 1;
        random_bytes(ivs[i], 16);
        random_bytes(buffers[i], ROOM);
        memcpy(before[i], buffers[i], ROOM);
        lens[i] = 8 + iv_len + random_len() / block * block;
        sequences[i] = random_number() >> (number < 15 ? 32 : 0);
        struct abreast_esp_packet packet = {associations[number], buffers[i], lens[i], ROOM, ivs[i], iv_len, 0, sequences[i], 0};
        packets[i] = packet;
    }
    OK(abreast_esp_seal(packets, MANY, sizeof *packets));
    for (int i = 0; i < MANY; ++i) {
        size_t tag = packets[i].written - lens[i], front = 8 + packets[i].iv_len;
        CHECK((tag == 12 || tag == 16) && packets[i].sequence == sequences[i]);
        CHECK(memcmp(buffers[i] + 8, ivs[i], packets[i].iv_len) == 0);
        CHECK(lens[i] < front + 8 || memcmp(buffers[i] + front, before[i] + front, lens[i] - front) != 0);
        CHECK(memcmp(buffers[i] + packets[i].written, before[i] + packets[i].written, ROOM - packets[i].written) == 0);
        packets[i].len = packets[i].capacity = packets[i].written;
        packets[i].iv = NULL;
        packets[i].iv_len = 0;
        // The lower half is in the packet.
        packets[i].sequence |= 0xffffffff;
        if (i % 3 == 0) buffers[i][random_number() % packets[i].written] ^= (uint8_t)(1 << random_number() % 8);
    }
    GIVES(ABREAST_BATCH, abreast_esp_open(packets, MANY, sizeof *packets));
    for (int i = 0; i < MANY; ++i) {
        GIVES(i % 3 == 0 ? ABREAST_TAG_MISMATCH : ABREAST_OK, packets[i].status);
        if (i % 3 == 0) continue;
        CHECK(packets[i].written == lens[i] && packets[i].sequence == sequences[i]);
        size_t front = lens[i] % 16 == 8 && memcmp(buffers[i] + 8, ivs[i], 16) == 0 ? 24 : 16;
        CHECK(memcmp(buffers[i] + front, before[i] + front, lens[i] - front) == 0);
    }
    esp_errors(associations[4], associations[0]);
    for (int i = 0; i < ASSOCIATIONS; ++i) abreast_esp_free(associations[i]);
}

static void quic_errors(const abreast_quic_header_key *header_key, const abreast_quic_key *key) {
    uint8_t buffer[60], mask[5];
    memset(buffer, 0x44, sizeof buffer);
    struct abreast_quic_packet packet = {header_key, {key, NULL}, buffer, 60, 5, 1, 0, 0};
    struct abreast_quic_packet wrong[] = {packet, packet, packet, packet, packet, packet, packet};
    wrong[1].len = 24;
    wrong[2].number_at = 0;
    wrong[3].header_key = NULL;
    wrong[4].keys[0] = NULL;
    wrong[5].keys[1] = (const abreast_quic_key *)header_key;
    wrong[6].packet = (uint8_t *)&wrong[6];
    static const int statuses[] = {ABREAST_KEY_PHASE,    ABREAST_MESSAGE_TOO_SHORT, ABREAST_MESSAGE_TOO_SHORT, ABREAST_NULL_POINTER,
                                   ABREAST_NULL_POINTER, ABREAST_WRONG_KEY,         ABREAST_OVERLAP};
    GIVES(ABREAST_BATCH, abreast_quic_seal(wrong, 7, sizeof packet));
    for (int i = 0; i < 7; ++i) GIVES(statuses[i], wrong[i].status);
    GIVES(ABREAST_BATCH, abreast_quic_open(wrong + 1, 6, sizeof packet));
    for (int i = 1; i < 7; ++i) GIVES(statuses[i], wrong[i].status);
    for (size_t i = 0; i < sizeof buffer; ++i) CHECK(buffer[i] == 0x44);
    GIVES(ABREAST_STRUCT_SIZE, abreast_quic_open(&packet, 1, sizeof packet + 8));
    OK(abreast_quic_seal(NULL, 0, sizeof packet));
    OK(abreast_quic_open(NULL, 0, sizeof packet));
    GIVES(ABREAST_OVERLAP, abreast_quic_mask(header_key, buffer, buffer + 15));
    GIVES(ABREAST_NULL_POINTER, abreast_quic_mask(NULL, buffer, mask));
    GIVES(ABREAST_NULL_POINTER, abreast_quic_mask(header_key, NULL, mask));
    OK(abreast_quic_mask(header_key, buffer, buffer + 16));
}

// Random packets of connections with both phases; every third is changed on the way.
static void quic(void) {
    enum { CONNECTIONS = 10 };
    uint8_t secret[32] = {0}, vector[12];
    abreast_quic_header_key *header_keys[CONNECTIONS];
    abreast_quic_key *keys[CONNECTIONS][2];
    for (size_t len = 0; len <= 32; ++len) {
        int status = len == 16 || len == 32 ? ABREAST_OK : ABREAST_KEY_LENGTH;
        GIVES(status, abreast_quic_key_new(secret, len, secret, &keys[0][0]));
        GIVES(status, abreast_quic_header_key_new(secret, len, &header_keys[0]));
        CHECK((keys[0][0] == NULL) == (status != ABREAST_OK) && (header_keys[0] == NULL) == (status != ABREAST_OK));
        abreast_quic_key_free(keys[0][0]);
        abreast_quic_header_key_free(header_keys[0]);
    }
    GIVES(ABREAST_NULL_POINTER, abreast_quic_key_new(secret, 16, NULL, &keys[0][0]));
    for (size_t i = 0; i < CONNECTIONS; ++i) {
        random_bytes(secret, sizeof secret);
        OK(abreast_quic_header_key_new(secret, 16 + i % 2 * 16, &header_keys[i]));
        for (int phase = 0; phase < 2; ++phase) {
            random_bytes(secret, sizeof secret);
            random_bytes(vector, sizeof vector);
            OK(abreast_quic_key_new(secret, 16 + i % 2 * 16, vector, &keys[i][phase]));
        }
    }
    static struct abreast_quic_packet packets[MANY];
    static uint64_t numbers[MANY];
    for (size_t i = 0; i < MANY; ++i) {
        size_t connection = random_number() % CONNECTIONS, number_at = 1 + random_number() % 40;
        random_bytes(buffers[i], ROOM);
        size_t number_len = 1 + (buffers[i][0] & 3), len = number_at + 20 + random_len();
        numbers[i] = random_number() >> 2;
        for (size_t at = 0; at < number_len; ++at) {
            buffers[i][number_at + number_len - 1 - at] = (uint8_t)(numbers[i] >> 8 * at);
        }
        memcpy(before[i], buffers[i], ROOM);
        struct abreast_quic_packet packet = {
            header_keys[connection], {keys[connection][0], keys[connection][1]}, buffers[i], len, number_at, numbers[i], 0, 0,
        };
        packets[i] = packet;
    }
    OK(abreast_quic_seal(packets, MANY, sizeof *packets));
    for (int i = 0; i < MANY; ++i) {
        uint8_t *packet = buffers[i], mask[5];
        size_t number_at = packets[i].number_at, number_len = 1 + (before[i][0] & 3);
        CHECK(packets[i].header_len == number_at + number_len && packets[i].number == numbers[i]);
        OK(abreast_quic_mask(packets[i].header_key, packet + number_at + 4, mask));
        CHECK((packet[0] ^ (mask[0] & (packet[0] & 0x80 ? 15 : 31))) == before[i][0]);
        for (size_t at = 0; at < number_len; ++at) {
            CHECK((packet[number_at + at] ^ mask[1 + at]) == before[i][number_at + at]);
        }
        CHECK(memcmp(packet + packets[i].len, before[i] + packets[i].len, ROOM - packets[i].len) == 0);
        // The number before.
        if (packets[i].number > 0) --packets[i].number;
        if (i % 3 == 0) packet[packets[i].len - 1 - random_number() % 16] ^= (uint8_t)(1 << random_number() % 8);
    }
    GIVES(ABREAST_BATCH, abreast_quic_open(packets, MANY, sizeof *packets));
    for (int i = 0; i < MANY; ++i) {
        size_t header_len = packets[i].header_len, payload_len = packets[i].len - 16 - header_len;
        GIVES(i % 3 == 0 ? ABREAST_TAG_MISMATCH : ABREAST_OK, packets[i].status);
        if (i % 3 == 0) {
            // A changed bit may have been one of the sample, and the number another one.
            CHECK(payload_len < 32 || is_zero(buffers[i] + header_len, payload_len));
        } else {
            CHECK(packets[i].number == numbers[i]);
            CHECK(memcmp(buffers[i], before[i], packets[i].len - 16) == 0);
        }
    }
    quic_errors(header_keys[0], keys[0][0]);
    for (int i = 0; i < CONNECTIONS; ++i) {
        abreast_quic_header_key_free(header_keys[i]);
        abreast_quic_key_free(keys[i][0]);
        abreast_quic_key_free(keys[i][1]);
    }
}

static void key_wrap(void) {
    // RFC 3394, section 4.1.
    uint8_t kek[16], key[16], wrapped[24], unwrapped[16];
    abreast_cipher *cipher;
    size_t len = 0;
    hex("000102030405060708090a0b0c0d0e0f", kek);
    hex("00112233445566778899aabbccddeeff", key);
    OK(abreast_cipher_new("aes-128", kek, 16, NULL, &cipher));
    OK(abreast_key_wrap(cipher, ABREAST_KEY_WRAP, key, 16, wrapped, 24, &len));
    CHECK(len == 24 && is_hex(wrapped, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"));
    OK(abreast_key_wrap(cipher, ABREAST_KEY_UNWRAP, wrapped, 24, unwrapped, 16, &len));
    CHECK(len == 16 && memcmp(unwrapped, key, 16) == 0);
    OK(abreast_key_wrap(cipher, ABREAST_KEY_WRAP_PADDED, key, 11, wrapped, 24, &len));
    OK(abreast_key_wrap(cipher, ABREAST_KEY_UNWRAP_PADDED, wrapped, 24, unwrapped, 16, &len));
    CHECK(len == 11 && memcmp(unwrapped, key, 11) == 0 && is_zero(unwrapped + 11, 5));
    GIVES(ABREAST_TAG_MISMATCH, abreast_key_wrap(cipher, ABREAST_KEY_UNWRAP, wrapped, 24, unwrapped, 16, &len));
    CHECK(is_zero(unwrapped, 16));
    GIVES(ABREAST_WRAP_LENGTH, abreast_key_wrap(cipher, ABREAST_KEY_WRAP, key, 15, wrapped, 24, &len));
    GIVES(ABREAST_BUFFER_LENGTHS, abreast_key_wrap(cipher, ABREAST_KEY_WRAP, key, 16, wrapped, 23, &len));
    GIVES(ABREAST_OPERATION, abreast_key_wrap(cipher, ABREAST_CTR32, key, 16, wrapped, 24, &len));
    GIVES(ABREAST_OVERLAP, abreast_key_wrap(cipher, ABREAST_KEY_WRAP, wrapped, 16, wrapped, 24, &len));
    GIVES(ABREAST_NULL_POINTER, abreast_key_wrap(cipher, ABREAST_KEY_WRAP, key, 16, wrapped, 24, NULL));
    GIVES(ABREAST_OPERATION, abreast_cipher_crypt(cipher, ABREAST_KEY_WRAP, NULL, 0, wrapped, wrapped, 24));
    // Packets of which one is refused, and one wrapped by another key.
    static uint8_t outputs[70][24];
    struct abreast_wrap_packet packets[70];
    for (size_t i = 0; i < 70; ++i) {
        packets[i] = (struct abreast_wrap_packet){cipher, key, i == 7 ? 12 : 16, outputs[i], 24, 0, 0};
    }
    GIVES(ABREAST_BATCH, abreast_wrap_packets(ABREAST_KEY_WRAP, packets, 70, sizeof *packets));
    for (size_t i = 0; i < 70; ++i) {
        CHECK(packets[i].status == (i == 7 ? ABREAST_WRAP_LENGTH : ABREAST_OK) && packets[i].written == (i == 7 ? 0 : 24));
        CHECK(i == 7 || is_hex(outputs[i], "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"));
    }
    GIVES(ABREAST_OPERATION, abreast_wrap_packets(ABREAST_ECB_ENCRYPT, packets, 70, sizeof *packets));
    CHECK(packets[69].status == ABREAST_NOT_PROCESSED);
    GIVES(ABREAST_OPERATION, abreast_packets(ABREAST_KEY_WRAP, NULL, 0, sizeof(struct abreast_packet)));
    GIVES(ABREAST_STRUCT_SIZE, abreast_wrap_packets(ABREAST_KEY_WRAP, packets, 1, sizeof *packets + 8));
    packets[1].output = outputs[0];
    packets[1].input = outputs[0] + 8;
    packets[2].key = NULL;
    GIVES(ABREAST_BATCH, abreast_wrap_packets(ABREAST_KEY_WRAP, packets, 4, sizeof *packets));
    CHECK(packets[0].status == ABREAST_OK && packets[1].status == ABREAST_OVERLAP);
    CHECK(packets[2].status == ABREAST_NULL_POINTER && packets[3].status == ABREAST_OK);
    abreast_cipher_free(cipher);
    cipher = NULL;
    OK(abreast_cipher_new("xtea", kek, 16, NULL, &cipher));
    GIVES(ABREAST_BLOCK_LENGTH, abreast_key_wrap(cipher, ABREAST_KEY_WRAP, key, 16, wrapped, 24, &len));
    abreast_cipher_free(cipher);
}

static void aez(void) {
    // From the authors' implementation, 17 bytes.
    uint8_t key[48], nonce[16], first[10], third[15], message[17], tag[16];
    abreast_aead *aez;
    hex("84aa4f2d97be8ab284a91a948ab82f860003e20c19d1d302"
        "91ac768a3b38f64098b6a37bcf2d6b016e756a76a0fe4f45", key);
    hex("e0b1163e5fd5f3735aee0514562590a4", nonce);
    hex("792d7b9f11b82163a90ffe7feb390e5b2c", message);
    struct abreast_string ad[] = {
        {first, hex("1fd3809ed3096c3af87c", first)},
        {NULL, 0},
        {third, hex("9bd2e9fabb9f1ec60457631925c684", third)},
    };
    OK(abreast_aez_new(key, 48, NULL, &aez));
    CHECK(strcmp(abreast_aead_kernel(aez), abreast_kernel_at("aez", 0)) == 0);
    OK(abreast_aez_encrypt(aez, nonce, 16, ad, 3, message, message, 17, tag, 16));
    CHECK(is_hex(message, "e0b27f58e256f524932cc69ac593f3049a"));
    CHECK(is_hex(tag, "81187a1656ee0d124e77c73ee6c568b2"));
    OK(abreast_aez_decrypt(aez, nonce, 16, ad, 3, message, message, 17, tag, 16));
    CHECK(is_hex(message, "792d7b9f11b82163a90ffe7feb390e5b2c"));
    uint8_t joined[33] = {0};
    memcpy(joined, message, 17);
    OK(abreast_aez_encrypt_joined(aez, nonce, 16, ad, 3, 16, joined, joined, 33));
    CHECK(is_hex(joined, "e0b27f58e256f524932cc69ac593f3049a81187a1656ee0d124e77c73ee6c568b2"));
    OK(abreast_aez_decrypt_joined(aez, nonce, 16, ad, 3, 16, joined, joined, 33));
    CHECK(memcmp(joined, message, 17) == 0);
    GIVES(ABREAST_BUFFER_TOO_SHORT, abreast_aez_encrypt_joined(aez, nonce, 16, ad, 3, 34, joined, joined, 33));
    GIVES(ABREAST_TAG_LENGTH, abreast_aez_encrypt(aez, nonce, 16, ad, 3, message, message, 17, joined, 33));
    GIVES(ABREAST_TAG_MISMATCH, abreast_aez_decrypt(aez, nonce, 16, ad, 2, message, message, 17, tag, 16));
    CHECK(is_zero(message, 17));
    GIVES(ABREAST_NULL_POINTER, abreast_aez_encrypt(aez, nonce, 16, NULL, 3, message, message, 17, tag, 16));
    GIVES(ABREAST_LENGTH, abreast_aez_encrypt(aez, nonce, 16, ad, SIZE_MAX, message, message, 17, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_encrypt(aez, nonce, 16, ad, 3, first, first, 10, tag, 16));

    // One string, and none.
    uint8_t one[17], other[17], same[16];
    for (size_t len = 0; len <= 10; len += 10) {
        OK(abreast_aez_encrypt(aez, nonce, 16, ad, len / 10, third, one, 15, tag, 16));
        OK(abreast_aead_encrypt(aez, nonce, 16, first, len, third, other, 15, same, 16));
        CHECK(memcmp(one, other, 15) == 0 && memcmp(tag, same, 16) == 0);
        OK(abreast_aead_decrypt(aez, nonce, 16, first, len, other, other, 15, tag, 16));
        CHECK(memcmp(other, third, 15) == 0);
    }
    abreast_aead_stream *stream;
    GIVES(ABREAST_WRONG_KEY, abreast_aead_stream_new(aez, ABREAST_ENCRYPT, nonce, 16, NULL, 0, &stream));
    CHECK(stream == NULL);

    // More strings than are kept on the stack.
    struct abreast_string many[20];
    for (size_t i = 0; i < 20; ++i) many[i] = ad[i % 3];
    OK(abreast_aez_encrypt(aez, nonce, 16, many, 20, message, message, 17, tag, 16));
    GIVES(ABREAST_TAG_MISMATCH, abreast_aez_decrypt(aez, nonce, 16, many, 19, message, joined, 17, tag, 16));
    OK(abreast_aez_decrypt(aez, nonce, 16, many, 20, message, message, 17, tag, 16));
    CHECK(is_zero(message, 17));
    abreast_aead_free(aez);
}

static void rc4(void) {
    uint8_t message[9], state[258];
    OK(abreast_rc4_apply((const uint8_t *)"Key", 3, 0, (const uint8_t *)"Plaintext", message, 9));
    CHECK(is_hex(message, "bbf316e8d940af0ad3"));
    GIVES(ABREAST_KEY_LENGTH, abreast_rc4_apply(NULL, 0, 0, message, message, 9));
    abreast_rc4_stream *stream, *copy;
    OK(abreast_rc4_stream_new((const uint8_t *)"Key", 3, &stream));
    OK(abreast_rc4_stream_apply(stream, message, message, 4));
    OK(abreast_rc4_stream_export(stream, state));
    OK(abreast_rc4_stream_import(state, &copy));
    abreast_rc4_stream_free(stream);
    uint8_t end[2];
    OK(abreast_rc4_stream_skip(copy, 3));
    OK(abreast_rc4_stream_apply(copy, message + 7, end, 2));
    CHECK(memcmp(message, "Plai", 4) == 0 && memcmp(end, "xt", 2) == 0);
    abreast_rc4_stream_free(copy);
    state[0] = state[1];
    GIVES(ABREAST_PERMUTATION, abreast_rc4_stream_import(state, &copy));
    CHECK(copy == NULL);
    GIVES(ABREAST_NULL_POINTER, abreast_rc4_stream_import(NULL, &copy));
    GIVES(ABREAST_KEY_LENGTH, abreast_rc4_stream_new(state, 257, &copy));
}

int main(void) {
    hex(TEXT, text);
    hex(IV, iv);
    about();
    keys_that_are_none();
    blocks();
    xtea();
    counter_mode();
    chains();
    names();
    sectors();
    gcm();
    streams_on_the_way();
    eax();
    cmac();
    hmac();
    srtp();
    esp();
    quic();
    key_wrap();
    aez();
    rc4();
    printf("%d checks\n", checks);
    return 0;
}
