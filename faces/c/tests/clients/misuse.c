// Misuse by a program, in C11, as far as it can be rejected: every case gives a status and leaves memory alone.
// Valgrind watches that nothing is read or written beyond the given memory.

#include <abreast.h>

#include <stdint.h>

#include "check.h"

enum { SIZE = sizeof(struct abreast_packet), LEN = 32 };

static uint8_t secret[48], iv[16], aad[16], data[LEN], tag[16];
static abreast_cipher *xtea, *aes, *other_aes, *long_aes, *serpent;
static abreast_aead *gcm, *eax, *aez;
static abreast_cmac *cmac;
static abreast_hmac *hmac;
static abreast_xts *xts;
static abreast_hctr2 *hctr2;

// An address one more, which no struct, word or handle has.
static void *crooked(const void *pointer) { return (char *)(uintptr_t)pointer + 1; }

static int untouched(void) {
    for (size_t i = 0; i < LEN; ++i) {
        if (data[i] != 7) return 0;
    }
    return 1;
}

static void prepare(void) {
    memset(data, 7, LEN);
    memset(secret, 3, sizeof secret);
    OK(abreast_cipher_new("xtea", secret, 16, NULL, &xtea));
    OK(abreast_cipher_new("aes-128", secret, 16, NULL, &aes));
    OK(abreast_cipher_new("aes-256", secret, 32, NULL, &long_aes));
    OK(abreast_cipher_new("serpent-128", secret, 16, NULL, &serpent));
    secret[0] = 4;
    OK(abreast_cipher_new("aes-128", secret, 16, NULL, &other_aes));
    OK(abreast_gcm_new(aes, &gcm));
    OK(abreast_eax_new(aes, &eax));
    OK(abreast_cmac_new(aes, &cmac));
    OK(abreast_hmac_sha1_new(secret, 20, NULL, &hmac));
    OK(abreast_xts_new(aes, other_aes, &xts));
    OK(abreast_hctr2_new(aes, &hctr2));
    OK(abreast_aez_new(secret, 48, NULL, &aez));
}

// Every call that takes a key, with one.
static int with_key(int call, const void *key) {
    size_t len;
    void *made;
    switch (call) {
    case 0: return abreast_cipher_crypt(key, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, LEN);
    case 1: return abreast_cipher_crypt(key, ABREAST_ECB_DECRYPT, NULL, 0, data, data, LEN);
    case 2: return abreast_cipher_crypt(key, ABREAST_CTR64, iv, 8, data, data, LEN);
    case 3: return abreast_cipher_crypt(key, ABREAST_CBC_ENCRYPT, iv, 8, data, data, LEN);
    case 4: return abreast_cipher_crypt(key, ABREAST_CFB8_DECRYPT, iv, 8, data, data, LEN);
    case 5: return abreast_cbc_encrypt_padded(key, iv, 8, data, LEN, 5, &len);
    case 6: return abreast_cbc_decrypt_padded(key, iv, 8, data, LEN, &len);
    case 7: return abreast_gcm_new(key, (abreast_aead **)&made);
    case 8: return abreast_eax_new(key, (abreast_aead **)&made);
    case 9: return abreast_cmac_new(key, (abreast_cmac **)&made);
    case 10: return abreast_xts_new(key, aes, (abreast_xts **)&made);
    case 11: return abreast_xts_new(aes, key, (abreast_xts **)&made);
    case 12: return abreast_stream_new(key, ABREAST_OFB, iv, 8, (abreast_stream **)&made);
    case 13: return abreast_hctr2_new(key, (abreast_hctr2 **)&made);
    case 14: return abreast_key_wrap(key, ABREAST_KEY_WRAP, iv, 16, data, 24, &len);
    case 15: return abreast_hctr2_encrypt(key, iv, 12, data, data, LEN);
    case 16: return abreast_hctr2_decrypt(key, iv, 12, data, data, LEN);
    case 17: return abreast_aead_encrypt(key, iv, 12, NULL, 0, data, data, LEN, tag, 16);
    case 18: return abreast_aead_decrypt(key, iv, 12, NULL, 0, data, data, LEN, tag, 16);
    case 19: return abreast_aead_stream_new(key, ABREAST_ENCRYPT, iv, 12, NULL, 0, (abreast_aead_stream **)&made);
    case 20: return abreast_cmac_mac(key, data, LEN, tag, 16);
    case 21: return abreast_cmac_verify(key, data, LEN, tag, 16);
    case 22: return abreast_cmac_stream_new(key, (abreast_cmac_stream **)&made);
    case 23: return abreast_xts_encrypt(key, iv, LEN, data, data, LEN);
    case 24: return abreast_xts_decrypt(key, iv, LEN, data, data, LEN);
    case 25: return abreast_aez_encrypt(key, iv, 12, NULL, 0, data, data, LEN, tag, 16);
    case 26: return abreast_aez_decrypt(key, iv, 12, NULL, 0, data, data, LEN, tag, 16);
    case 27: return abreast_aez_encrypt_joined(key, iv, 12, NULL, 0, 16, data, data, LEN);
    case 28: return abreast_aez_decrypt_joined(key, iv, 12, NULL, 0, 16, data, data, LEN);
    case 29: return abreast_hmac_mac(key, data, LEN, tag, 16);
    case 30: return abreast_hmac_verify(key, data, LEN, tag, 16);
    default: return abreast_hmac_stream_new(key, (abreast_hmac_stream **)&made);
    }
}
enum { CALLS = 32, OF_CIPHERS = 15 };

// The operations that batches have, and a key that is right for each.
static const int batches[] = {
    ABREAST_ECB_ENCRYPT, ABREAST_ECB_DECRYPT, ABREAST_CBC_ENCRYPT, ABREAST_CBC_DECRYPT,
    ABREAST_CTR64,       ABREAST_OFB,         ABREAST_XTS_ENCRYPT, ABREAST_XTS_DECRYPT,
    ABREAST_GCM_ENCRYPT, ABREAST_GCM_DECRYPT, ABREAST_EAX_ENCRYPT, ABREAST_EAX_DECRYPT,
    ABREAST_CMAC,        ABREAST_CMAC_VERIFY, ABREAST_AEZ_ENCRYPT, ABREAST_AEZ_DECRYPT,
    ABREAST_HCTR2_ENCRYPT, ABREAST_HCTR2_DECRYPT, ABREAST_HMAC_SHA1, ABREAST_HMAC_SHA1_VERIFY,
};
enum { BATCHES = sizeof batches / sizeof batches[0] };

static const void *key_of(size_t batch_number) {
    return batch_number < 6    ? (const void *)aes
           : batch_number < 8  ? (const void *)xts
           : batch_number < 10 ? (const void *)gcm
           : batch_number < 12 ? (const void *)eax
           : batch_number < 14 ? (const void *)cmac
           : batch_number < 16 ? (const void *)aez
           : batch_number < 18 ? (const void *)hctr2
                               : (const void *)hmac;
}

static struct abreast_packet packet_of(const void *key) {
    struct abreast_packet packet = {0};
    packet.key = key;
    packet.iv = iv;
    packet.iv_len = 16;
    packet.input = packet.output = data;
    packet.len = LEN;
    packet.tag = tag;
    packet.tag_len = 8;
    return packet;
}

// NULL, handles of other types, pointers that are not aligned.
static void keys(void) {
    for (int call = 0; call < CALLS; ++call) {
        GIVES(ABREAST_NULL_POINTER, with_key(call, NULL));
        const void *wrong = call < OF_CIPHERS ? (const void *)aez : (const void *)aes;
        GIVES(ABREAST_WRONG_KEY, with_key(call, wrong));
        GIVES(ABREAST_WRONG_KEY, with_key(call, crooked(wrong)));
    }
    for (size_t i = 0; i < BATCHES; ++i) {
        struct abreast_packet packets[4];
        const void *wrong = i < 14 ? (const void *)aez : (const void *)aes;
        uint32_t zeros[4] = {0};
        const void *none[] = {NULL, wrong, crooked(key_of(i)), zeros};
        for (size_t j = 0; j < 4; ++j) packets[j] = packet_of(none[j]);
        GIVES(ABREAST_BATCH, abreast_packets(batches[i], packets, 4, SIZE));
        for (size_t j = 0; j < 4; ++j) {
            GIVES(j == 0 ? ABREAST_NULL_POINTER : ABREAST_WRONG_KEY, packets[j].status);
        }
    }
    // Keys of the type that a call takes, and of another mode.
    for (int call = 22; call < CALLS; ++call) GIVES(ABREAST_WRONG_KEY, with_key(call, call % 2 ? gcm : eax));
    GIVES(ABREAST_WRONG_KEY, with_key(16, aez));
    // Modes without strings, lengths that no buffer has, or that are not aligned.
    size_t lens[2] = {8, 8};
    GIVES(ABREAST_WRONG_KEY, abreast_aead_encrypt_strings(gcm, iv, 12, aad, 16, lens, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_WRONG_KEY, abreast_aead_decrypt_strings(eax, iv, 12, aad, 16, lens, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_ALIGNMENT, abreast_aead_encrypt_strings(aez, iv, 12, aad, 16, crooked(lens), 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_encrypt_strings(aez, iv, 12, aad, 16, NULL, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_encrypt_strings(aez, iv, 12, NULL, 16, lens, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aead_encrypt_strings(aez, iv, 12, data, 16, lens, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aead_encrypt_strings(aez, iv, 12, aad, 16, lens, 2, data, (uint8_t *)lens, 8, tag, 16));
    GIVES(ABREAST_LENGTH, abreast_aead_encrypt_strings(aez, iv, 12, aad, 16, lens, SIZE_MAX, data, data, LEN, tag, 16));
    GIVES(ABREAST_STRING_LENGTHS, abreast_aead_decrypt_strings(aez, iv, 12, aad, 16, lens, 1, data, data, LEN, tag, 16));
    lens[0] = SIZE_MAX - 3;
    GIVES(ABREAST_STRING_LENGTHS, abreast_aead_encrypt_strings(aez, iv, 12, aad, 16, lens, 2, data, data, LEN, tag, 16));
    GIVES(ABREAST_STRING_LENGTHS, abreast_aead_decrypt_strings(aez, iv, 12, aad, 16, lens, 1, data, data, LEN, tag, 16));
    abreast_aead_stream *idle = (void *)secret;
    GIVES(ABREAST_WRONG_KEY, abreast_aead_stream_new_idle(aez, &idle));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_stream_new_idle(NULL, &idle));
    CHECK(!idle);
    // A stream before its first message.
    OK(abreast_aead_stream_new_idle(gcm, &idle));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_update(idle, data, data, LEN));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_aad(idle, aad, 16));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_finish(idle, tag, 16));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_verify(idle, tag, 16));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_reset(idle, iv, 12, NULL, 0));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_begin(idle, 2, iv, 12, NULL, 0));
    GIVES(ABREAST_NONCE_LENGTH, abreast_aead_stream_begin(idle, ABREAST_ENCRYPT, iv, 0, NULL, 0));
    GIVES(ABREAST_NOT_BEGUN, abreast_aead_stream_update(idle, data, data, LEN));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_stream_begin(NULL, ABREAST_ENCRYPT, iv, 12, NULL, 0));
    GIVES(ABREAST_WRONG_KEY, abreast_aead_stream_begin((void *)gcm, ABREAST_ENCRYPT, iv, 12, NULL, 0));
    abreast_aead_stream_free(idle);
    // Memory of the caller is not touched by calls that are refused.
    static uint8_t memory[16384];
    memset(memory, 7, sizeof memory);
    GIVES(ABREAST_WRONG_KEY, abreast_aead_stream_init(memory, abreast_aead_stream_size(), aez, &idle));
    GIVES(ABREAST_MEMORY_SIZE, abreast_aead_stream_init(memory, abreast_aead_stream_size() - 1, gcm, &idle));
    GIVES(ABREAST_NULL_POINTER, abreast_aead_stream_init(NULL, abreast_aead_stream_size(), gcm, &idle));
    GIVES(ABREAST_ALIGNMENT, abreast_aead_stream_init(memory, sizeof memory, gcm, crooked(&idle)));
    abreast_aead *none;
    GIVES(ABREAST_WRONG_KEY, abreast_gcm_init(memory, abreast_gcm_size(), (void *)aez, &none));
    GIVES(ABREAST_BLOCK_LENGTH, abreast_gcm_init(memory, abreast_gcm_size(), xtea, &none));
    GIVES(ABREAST_BLOCK_LENGTH, abreast_siv_init(memory, abreast_siv_size(), aes, xtea, &none));
    GIVES(ABREAST_KEY_LENGTH, abreast_gcm_siv_init(memory, abreast_gcm_siv_size(), secret, 24, NULL, &none));
    GIVES(ABREAST_UNKNOWN_KERNEL, abreast_aez_init(memory, abreast_aez_size(), secret, 24, "fast", &none));
    GIVES(ABREAST_OVERLAP, abreast_aez_init(memory, abreast_aez_size(), memory + 99, 24, NULL, &none));
    size_t changed = 0;
    for (size_t i = 0; i < sizeof memory; ++i) changed += memory[i] != 7;
    CHECK(changed == 0);
    const abreast_aead *modes[] = {gcm, eax, aez};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            struct abreast_packet packet = packet_of(modes[j]);
            static const int operations[] = {ABREAST_GCM_DECRYPT, ABREAST_EAX_DECRYPT, ABREAST_AEZ_DECRYPT};
            packet.output = packet.tag = NULL;
            packet.len = packet.tag_len = 0;
            if (i != j) {
                GIVES(ABREAST_BATCH, abreast_packets(operations[i], &packet, 1, SIZE));
                GIVES(ABREAST_WRONG_KEY, packet.status);
            }
        }
    }
    // Frees of another type do nothing.
    abreast_cipher_free((void *)aez);
    abreast_aead_free((void *)aes);
    abreast_cipher_free(crooked(aes));
    abreast_stream_free(crooked(secret));
    CHECK(untouched());
}

// Arrays on the heap, so that Valgrind sees accesses beyond them.
static void struct_sizes(void) {
    static const size_t sizes[] = {0, 1, SIZE - 8, SIZE - 1, SIZE + 1, SIZE + 8, 2 * SIZE, SIZE_MAX / 2, SIZE_MAX - 7};
    struct abreast_packet *packets = malloc(2 * SIZE);
    struct abreast_rc4_piece *pieces = malloc(2 * sizeof *pieces);
    struct abreast_rc4_message *messages = malloc(2 * sizeof *messages);
    CHECK(packets && pieces && messages);
    abreast_rc4_stream *stream;
    OK(abreast_rc4_stream_new(secret, 16, &stream));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (size_t j = 0; j < BATCHES; ++j) {
            packets[0] = packets[1] = packet_of(key_of(j));
            GIVES(ABREAST_STRUCT_SIZE, abreast_packets(batches[j], packets, 2, sizes[i]));
            CHECK(packets[0].status == 0 && untouched());
        }
    }
    for (ptrdiff_t more = -8; more <= 8; more += 8) {
        pieces[0] = pieces[1] = (struct abreast_rc4_piece){stream, data, data, 0, -1};
        messages[0] = messages[1] = (struct abreast_rc4_message){secret, 16, 0, data, data, 0, -1};
        int expected = more == 0 ? ABREAST_OK : ABREAST_STRUCT_SIZE;
        GIVES(expected, abreast_rc4_apply_streams(pieces, 2, sizeof *pieces + (size_t)more));
        GIVES(expected, abreast_rc4_apply_keys(messages, 2, sizeof *messages + (size_t)more));
    }
    GIVES(ABREAST_ALIGNMENT, abreast_rc4_apply_streams(crooked(pieces), 1, sizeof *pieces));
    GIVES(ABREAST_ALIGNMENT, abreast_rc4_apply_keys(crooked(messages), 1, sizeof *messages));
    pieces[0].stream = crooked(stream);
    GIVES(ABREAST_BATCH, abreast_rc4_apply_streams(pieces, 1, sizeof *pieces));
    GIVES(ABREAST_ALIGNMENT, pieces[0].status);
    for (size_t j = 0; j < BATCHES; ++j) {
        GIVES(ABREAST_ALIGNMENT, abreast_packets(batches[j], crooked(packets), 1, SIZE));
        GIVES(ABREAST_NULL_POINTER, abreast_packets(batches[j], NULL, 1, SIZE));
        GIVES(ABREAST_LENGTH, abreast_packets(batches[j], packets, SIZE_MAX / SIZE, SIZE));
        GIVES(ABREAST_LENGTH, abreast_packets(batches[j], packets, SIZE_MAX, SIZE));
    }
    abreast_rc4_stream_free(stream);
    free(packets);
    free(pieces);
    free(messages);
}

static void fields_of_packets(void) {
    for (size_t i = 0; i < BATCHES; ++i) {
        struct abreast_packet packets[5];
        for (size_t j = 0; j < 5; ++j) packets[j] = packet_of(key_of(i));
        packets[0].iv = NULL;
        packets[1].aad_len = SIZE_MAX;
        packets[2].len = (size_t)PTRDIFF_MAX + 1;
        packets[3].tag = NULL;
        // The output is the array.
        packets[4].output = (uint8_t *)&packets[0];
        GIVES(ABREAST_BATCH, abreast_packets(batches[i], packets, 5, SIZE));
        GIVES(ABREAST_NULL_POINTER, packets[0].status);
        GIVES(ABREAST_LENGTH, packets[1].status);
        GIVES(ABREAST_LENGTH, packets[2].status);
        GIVES(ABREAST_NULL_POINTER, packets[3].status);
        GIVES(ABREAST_OVERLAP, packets[4].status);
        packets[0] = packet_of(key_of(i));
        packets[0].tag = data + 8;
        GIVES(ABREAST_BATCH, abreast_packets(batches[i], packets, 1, SIZE));
        GIVES(ABREAST_OVERLAP, packets[0].status);
    }
    // A batch that is refused as a whole says so of every packet.
    struct abreast_packet packet = packet_of(aes);
    static const int none[] = {0, -1, 38, ABREAST_KEY_WRAP, ABREAST_CFB_ENCRYPT, ABREAST_CFB8_DECRYPT};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        packet.status = ABREAST_OK;
        GIVES(ABREAST_OPERATION, abreast_packets(none[i], &packet, 1, SIZE));
        GIVES(ABREAST_NOT_PROCESSED, packet.status);
        GIVES(ABREAST_STRUCT_SIZE, abreast_packets(none[i], &packet, 1, SIZE + 8));
    }
    CHECK(untouched());
}

static void overlaps_and_places(void) {
    size_t words[6] = {7, 7, 7, 7, 7, 7};
    uint8_t *buffer = (uint8_t *)words;
    GIVES(ABREAST_OVERLAP, abreast_cbc_encrypt_padded(aes, iv, 16, buffer, 32, 5, &words[3]));
    GIVES(ABREAST_OVERLAP, abreast_cbc_decrypt_padded(aes, iv, 16, buffer, 32, &words[3]));
    GIVES(ABREAST_ALIGNMENT, abreast_cbc_encrypt_padded(aes, iv, 16, buffer, 32, 5, crooked(&words[4])));
    GIVES(ABREAST_ALIGNMENT, abreast_cbc_decrypt_padded(aes, iv, 16, buffer, 32, crooked(&words[4])));
    GIVES(ABREAST_PADDING, abreast_cbc_decrypt_padded(aes, iv, 16, buffer, 0, &words[4]));
    for (size_t i = 0; i < 6; ++i) CHECK(words[i] == 7);

    uint32_t round_keys[64];
    memset(round_keys, 7, sizeof round_keys);
    for (size_t at = 0; at < 256; at += 31) {
        uint8_t *over = (uint8_t *)round_keys + at;
        GIVES(ABREAST_OVERLAP, abreast_xtea_encrypt(round_keys, over, over, 8));
        GIVES(ABREAST_OVERLAP, abreast_xtea_decrypt(round_keys, data, over, 8));
    }
    abreast_cipher *cipher = NULL;
    GIVES(ABREAST_ALIGNMENT, abreast_xtea_new_expanded(crooked(round_keys), 0, &cipher));
    CHECK(round_keys[0] == 0x07070707 && round_keys[63] == 0x07070707);

    struct abreast_string ad[3] = {{aad, 16}, {aad, 3}, {NULL, 0}};
    uint8_t *over = (uint8_t *)&ad[1];
    GIVES(ABREAST_OVERLAP, abreast_aez_encrypt(aez, iv, 12, ad, 3, data, over, 16, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_encrypt(aez, iv, 12, ad, 3, data, data, 16, over, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_encrypt(aez, iv, 12, ad, 3, aad, aad, 16, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_decrypt(aez, iv, 12, ad, 3, data, over, 16, tag, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_encrypt_joined(aez, iv, 12, ad, 3, 16, data, over, 16));
    GIVES(ABREAST_OVERLAP, abreast_aez_decrypt_joined(aez, iv, 12, ad, 3, 16, data, over, 16));
    GIVES(ABREAST_ALIGNMENT, abreast_aez_encrypt(aez, iv, 12, crooked(ad), 2, data, data, 16, tag, 16));
    CHECK(ad[0].len == 16 && ad[1].data == aad && ad[1].len == 3);

    // The place of a handle.
    void *places[2] = {places, places};
    GIVES(ABREAST_ALIGNMENT, abreast_cipher_new("xtea", secret, 16, NULL, crooked(places)));
    GIVES(ABREAST_ALIGNMENT, abreast_gcm_new(aes, crooked(places)));
    GIVES(ABREAST_ALIGNMENT, abreast_stream_new(aes, ABREAST_CTR128, iv, 16, crooked(places)));
    GIVES(ABREAST_ALIGNMENT, abreast_rc4_stream_new(secret, 16, crooked(places)));
    GIVES(ABREAST_NULL_POINTER, abreast_stream_new(aes, ABREAST_CTR128, iv, 16, NULL));
    CHECK(places[0] == places && places[1] == places && cipher == NULL && untouched());
}

static void streams(void) {
    abreast_stream *ctr;
    uint64_t position[2];
    OK(abreast_stream_new(xtea, ABREAST_CTR64, iv, 8, &ctr));
    GIVES(ABREAST_ALIGNMENT, abreast_stream_apply(crooked(ctr), data, data, 8));
    GIVES(ABREAST_ALIGNMENT, abreast_stream_position(ctr, crooked(position)));
    GIVES(ABREAST_NULL_POINTER, abreast_stream_seek(NULL, 8));
    GIVES(ABREAST_LENGTH, abreast_stream_apply(ctr, data, data, SIZE_MAX));
    // Blocks of 64 bits stop at 2^32 of them.
    OK(abreast_stream_seek(ctr, (UINT64_C(8) << 32) - 8));
    OK(abreast_stream_apply(ctr, iv, tag, 8));
    GIVES(ABREAST_COUNTER_EXHAUSTED, abreast_stream_apply(ctr, data, data, 1));
    abreast_stream_free(ctr);

    abreast_aead_stream *pieces;
    OK(abreast_aead_stream_new(gcm, ABREAST_ENCRYPT, iv, 12, NULL, 0, &pieces));
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_verify(pieces, tag, 16));
    OK(abreast_aead_stream_finish(pieces, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_finish(pieces, tag, 16));
    GIVES(ABREAST_FINISHED, abreast_aead_stream_update(pieces, data, data, 8));
    abreast_aead_stream_free(pieces);
    GIVES(ABREAST_DIRECTION, abreast_aead_stream_new(gcm, 7, iv, 12, NULL, 0, &pieces));
    CHECK(pieces == NULL && untouched());
}

// Lengths that no buffer can have, and addresses beyond which there is no memory.
static void lengths(void) {
    uint8_t *end = (uint8_t *)(UINTPTR_MAX - 7);
    static const size_t huge[] = {(size_t)PTRDIFF_MAX + 1, SIZE_MAX};
    for (size_t i = 0; i < 2; ++i) {
        GIVES(ABREAST_LENGTH, abreast_cipher_crypt(xtea, ABREAST_ECB_ENCRYPT, NULL, 0, data, data, huge[i]));
        GIVES(ABREAST_LENGTH, abreast_aead_encrypt(gcm, iv, huge[i], NULL, 0, data, data, LEN, tag, 16));
        GIVES(ABREAST_LENGTH, abreast_aead_encrypt(gcm, iv, 12, aad, huge[i], data, data, LEN, tag, 16));
        GIVES(ABREAST_LENGTH, abreast_aead_encrypt(gcm, iv, 12, NULL, 0, data, data, LEN, tag, huge[i]));
        GIVES(ABREAST_LENGTH, abreast_aez_encrypt(aez, iv, huge[i], NULL, 0, data, data, LEN, tag, 16));
        GIVES(ABREAST_LENGTH, abreast_rc4_apply(secret, huge[i], 0, data, data, LEN));
    }
    GIVES(ABREAST_LENGTH, abreast_cipher_crypt(xtea, ABREAST_ECB_ENCRYPT, NULL, 0, end, end, 16));
    GIVES(ABREAST_LENGTH, abreast_cmac_mac(cmac, end, 16, tag, 16));
    CHECK(untouched());
}

static void pairs_of_keys(void) {
    abreast_xts *made;
    GIVES(ABREAST_DIFFERENT_CIPHERS, abreast_xts_new(aes, long_aes, &made));
    GIVES(ABREAST_DIFFERENT_CIPHERS, abreast_xts_new(serpent, aes, &made));
    GIVES(ABREAST_EQUAL_KEYS, abreast_xts_new(aes, aes, &made));
    GIVES(ABREAST_BLOCK_LENGTH, abreast_xts_new(aes, xtea, &made));
    CHECK(made == NULL);
    // No data unit has 0 bytes, whoever is asked.
    static const size_t units[] = {0, 16, 64};
    for (size_t i = 0; i < 3; ++i) {
        GIVES(ABREAST_UNIT_LENGTH, abreast_xts_encrypt(xts, iv, units[i], data, data, 0));
        GIVES(ABREAST_UNIT_LENGTH, abreast_xts_decrypt(xts, iv, units[i], NULL, NULL, 0));
    }
    struct abreast_packet packet = packet_of(xts);
    packet.len = 0;
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_XTS_ENCRYPT, &packet, 1, SIZE));
    GIVES(ABREAST_UNIT_LENGTH, packet.status);
}

// A tag that all packets compare.
static void shared_tags(void) {
    enum { MANY = 300 };
    static uint8_t messages[MANY][LEN];
    static struct abreast_packet packets[MANY];
    uint8_t sealed[LEN];
    OK(abreast_aead_encrypt(gcm, iv, 12, NULL, 0, data, sealed, LEN, tag, 16));
    for (size_t i = 0; i < MANY; ++i) {
        packets[i] = packet_of(gcm);
        packets[i].iv_len = 12;
        packets[i].input = sealed;
        packets[i].output = messages[i];
        packets[i].tag_len = 16;
    }
    packets[MANY - 1].tag_len = 33;
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_GCM_DECRYPT, packets, MANY, SIZE));
    GIVES(ABREAST_TAG_LENGTH, packets[MANY - 1].status);
    for (size_t i = 0; i + 1 < MANY; ++i) {
        CHECK(packets[i].status == ABREAST_OK && memcmp(messages[i], data, LEN) == 0);
    }
}

int main(void) {
    prepare();
    keys();
    struct_sizes();
    fields_of_packets();
    overlaps_and_places();
    streams();
    lengths();
    pairs_of_keys();
    shared_tags();
    abreast_aead_free(gcm);
    abreast_aead_free(eax);
    abreast_cmac_free(cmac);
    abreast_hmac_free(hmac);
    abreast_xts_free(xts);
    abreast_hctr2_free(hctr2);
    abreast_aead_free(aez);
    abreast_cipher_free(xtea);
    abreast_cipher_free(aes);
    abreast_cipher_free(other_aes);
    abreast_cipher_free(long_aes);
    abreast_cipher_free(serpent);
    printf("%d checks\n", checks);
    return 0;
}
