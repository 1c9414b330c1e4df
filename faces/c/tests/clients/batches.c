// Batches in C11: as one by one, with bad items between good ones.

#include <abreast.h>

#include "check.h"

enum { MANY = 700, MOST = 96 };

static abreast_cipher *keys[MANY];
static struct abreast_packet packets[MANY];
static uint8_t inputs[MANY][MOST], outputs[MANY][MOST], tags[MANY][16], ivs[MANY][16], aads[MANY][16];

// Keys and messages that differ, of several ciphers and lengths.
static void prepare(void) {
    static const char *const names[] = {"aes-128", "xtea", "serpent-256", "aes-256"};
    for (size_t i = 0; i < MANY; ++i) {
        uint8_t key[32];
        for (size_t j = 0; j < 32; ++j) key[j] = (uint8_t)(i * 7 + j * (i / 256 + 1));
        const char *name = names[i % 4];
        OK(abreast_cipher_new(name, key, abreast_cipher_key_size(name), NULL, &keys[i]));
        for (size_t j = 0; j < MOST; ++j) inputs[i][j] = (uint8_t)(i + 3 * j);
        for (size_t j = 0; j < 16; ++j) ivs[i][j] = (uint8_t)(5 * i + j), aads[i][j] = (uint8_t)(i ^ j);
        // A counter of any width wraps.
        if (i % 5 == 0) memset(ivs[i], 0xff, 16);
    }
}

// The length of a message: whole blocks of 16 bytes.
static size_t len_of(size_t i) { return 16 * (i % (MOST / 16 + 1)); }

static void fill(const void *const *of, size_t iv_len) {
    memset(packets, 0, sizeof packets);
    for (size_t i = 0; i < MANY; ++i) {
        packets[i].key = of[i];
        packets[i].iv = ivs[i];
        packets[i].iv_len = iv_len;
        packets[i].input = inputs[i];
        packets[i].output = outputs[i];
        packets[i].len = len_of(i);
        packets[i].status = -1;
    }
}

// Raw blocks, with faults in some places.
static void ecb(void) {
    fill((const void *const *)keys, 0);
    for (size_t i = 0; i < MANY; ++i) packets[i].iv = NULL;
    OK(abreast_packets(ABREAST_ECB_ENCRYPT, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) {
        uint8_t alone[MOST];
        OK(abreast_cipher_crypt(keys[i], ABREAST_ECB_ENCRYPT, NULL, 0, inputs[i], alone, len_of(i)));
        CHECK(packets[i].status == ABREAST_OK && memcmp(alone, outputs[i], len_of(i)) == 0);
        // Back in place.
        packets[i].input = outputs[i];
    }
    // Bad ones: in the first window, at its end, in the last.
    packets[0].key = NULL;
    packets[17].len = 9;
    packets[100].output = NULL;
    packets[100].len = 16;
    packets[101].len = SIZE_MAX;
    packets[255].output = outputs[255] + 1;
    packets[255].len = 32;
    packets[256].key = packets;
    packets[699].tag = outputs[699];
    packets[699].tag_len = 8;
    packets[699].len = 16;
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_ECB_DECRYPT, packets, MANY, sizeof packets[0]));
    static const struct { size_t at; int status; } bad[] = {
        {0, ABREAST_NULL_POINTER}, {17, ABREAST_PARTIAL_BLOCK}, {100, ABREAST_NULL_POINTER},
        {101, ABREAST_LENGTH},     {255, ABREAST_OVERLAP},      {256, ABREAST_WRONG_KEY},
        {699, ABREAST_OVERLAP},
    };
    size_t next = 0;
    for (size_t i = 0; i < MANY; ++i) {
        if (next < sizeof bad / sizeof bad[0] && bad[next].at == i) {
            GIVES(bad[next].status, packets[i].status);
            ++next;
        } else {
            CHECK(packets[i].status == ABREAST_OK && memcmp(inputs[i], outputs[i], len_of(i)) == 0);
        }
    }
    CHECK(next == sizeof bad / sizeof bad[0]);
}

// Faults of the array itself.
static void arrays(void) {
    fill((const void *const *)keys, 0);
    size_t size = sizeof packets[0];
    OK(abreast_packets(ABREAST_ECB_ENCRYPT, NULL, 0, size));
    GIVES(ABREAST_NULL_POINTER, abreast_packets(ABREAST_ECB_ENCRYPT, NULL, 1, size));
    GIVES(ABREAST_STRUCT_SIZE, abreast_packets(ABREAST_ECB_ENCRYPT, packets, 1, size - 8));
    GIVES(ABREAST_STRUCT_SIZE, abreast_packets(ABREAST_ECB_ENCRYPT, packets, 1, size + 1));
    GIVES(ABREAST_STRUCT_SIZE, abreast_packets(ABREAST_ECB_ENCRYPT, packets, 1, 0));
    GIVES(ABREAST_LENGTH, abreast_packets(ABREAST_ECB_ENCRYPT, packets, SIZE_MAX / 2, size));
    void *crooked = (char *)packets + 4;
    GIVES(ABREAST_ALIGNMENT, abreast_packets(ABREAST_ECB_ENCRYPT, crooked, 1, size));
    CHECK(packets[0].status == -1);
    GIVES(ABREAST_OPERATION, abreast_packets(ABREAST_CFB_ENCRYPT, packets, 1, size));
    CHECK(packets[0].status == ABREAST_NOT_PROCESSED && packets[1].status == -1);

    // A caller whose struct has grown: the fields at its end would be ignored.
    struct { struct abreast_packet packet; uint64_t later[3]; } grown[3];
    memset(grown, 0, sizeof grown);
    GIVES(ABREAST_STRUCT_SIZE, abreast_packets(ABREAST_ECB_ENCRYPT, &grown[0].packet, 3, sizeof grown[0]));
}

// Modes with a vector, each against its call for one message.
static void vectors(void) {
    static const int operations[] = {
        ABREAST_CBC_ENCRYPT, ABREAST_CBC_DECRYPT, ABREAST_CTR16, ABREAST_CTR32, ABREAST_CTR64, ABREAST_OFB,
    };
    for (size_t mode = 0; mode < sizeof operations / sizeof operations[0]; ++mode) {
        int operation = operations[mode];
        fill((const void *const *)keys, 0);
        for (size_t i = 0; i < MANY; ++i) packets[i].iv_len = abreast_cipher_block_size(keys[i]);
        packets[5].iv_len = 3;
        GIVES(ABREAST_BATCH, abreast_packets(operation, packets, MANY, sizeof packets[0]));
        for (size_t i = 0; i < MANY; ++i) {
            uint8_t alone[MOST];
            size_t len = len_of(i), iv = packets[i].iv_len;
            int expected = abreast_cipher_crypt(keys[i], operation, ivs[i], iv, inputs[i], alone, len);
            CHECK((expected == ABREAST_OK) == (i != 5));
            CHECK(packets[i].status == expected);
            if (i != 5) CHECK(memcmp(alone, outputs[i], len) == 0);
        }
    }
}

static abreast_aead *gcm[MANY], *eax[MANY], *aez[MANY];
static abreast_cmac *cmac[MANY];
static abreast_xts *xts[MANY];
static abreast_hctr2 *hctr2[MANY];

static void with_tags(const void *const *of) {
    fill(of, 12);
    for (size_t i = 0; i < MANY; ++i) {
        packets[i].aad = aads[i];
        packets[i].aad_len = i % 17;
        packets[i].tag = tags[i];
        packets[i].tag_len = 8;
    }
}

// There, with a wrong length in one place, and back, with a wrong tag in another.
static void there_and_back(int encrypt, int decrypt) {
    static uint8_t long_tag[64];
    packets[3].tag = long_tag;
    packets[3].tag_len = sizeof long_tag;
    GIVES(ABREAST_BATCH, abreast_packets(encrypt, packets, MANY, sizeof packets[0]));
    GIVES(ABREAST_TAG_LENGTH, packets[3].status);
    packets[3].tag_len = 8;
    for (size_t i = 0; i < MANY; ++i) {
        CHECK(i == 3 || packets[i].status == ABREAST_OK);
        packets[i].input = outputs[i];
    }
    tags[258][0] ^= 0x80;
    GIVES(ABREAST_BATCH, abreast_packets(decrypt, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) {
        if (i == 3 || i == 258) {
            GIVES(ABREAST_TAG_MISMATCH, packets[i].status);
            CHECK(is_zero(outputs[i], len_of(i)));
        } else {
            GIVES(ABREAST_OK, packets[i].status);
            CHECK(memcmp(outputs[i], inputs[i], len_of(i)) == 0);
        }
    }
}

static void authenticated(void) {
    uint8_t alone[MOST], tag[16];
    for (size_t i = 0; i < MANY; ++i) {
        abreast_cipher *wide = keys[i % 4 == 1 ? i - 1 : i];
        OK(abreast_gcm_new(wide, &gcm[i]));
        OK(abreast_eax_new(keys[i], &eax[i]));
        OK(abreast_cmac_new(keys[i], &cmac[i]));
        OK(abreast_aez_new(ivs[i], i % 17, NULL, &aez[i]));
        // Another key of the same cipher.
        abreast_cipher *tweak;
        uint8_t other[32] = {(uint8_t)i, 1};
        const char *name = abreast_cipher_name(wide);
        OK(abreast_cipher_new(name, other, abreast_cipher_key_size(name), NULL, &tweak));
        OK(abreast_xts_new(wide, tweak, &xts[i]));
        OK(abreast_hctr2_new(wide, &hctr2[i]));
        abreast_cipher_free(tweak);
    }
    // From here on these keys belong to their modes alone.
    for (size_t i = 0; i < MANY; ++i) abreast_cipher_free(keys[i]);

    with_tags((const void *const *)gcm);
    there_and_back(ABREAST_GCM_ENCRYPT, ABREAST_GCM_DECRYPT);
    OK(abreast_aead_encrypt(gcm[6], ivs[6], 12, aads[6], 6, inputs[6], alone, len_of(6), tag, 8));
    CHECK(memcmp(tag, tags[6], 8) == 0);
    // Keys of the same type and another mode.
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_EAX_ENCRYPT, packets, MANY, sizeof packets[0]));
    CHECK(packets[0].status == ABREAST_WRONG_KEY && packets[MANY - 1].status == ABREAST_WRONG_KEY);

    with_tags((const void *const *)eax);
    there_and_back(ABREAST_EAX_ENCRYPT, ABREAST_EAX_DECRYPT);
    OK(abreast_aead_encrypt(eax[6], ivs[6], 12, aads[6], 6, inputs[6], alone, len_of(6), tag, 8));
    CHECK(memcmp(tag, tags[6], 8) == 0);

    with_tags((const void *const *)aez);
    there_and_back(ABREAST_AEZ_ENCRYPT, ABREAST_AEZ_DECRYPT);
    struct abreast_string ad = {aads[6], 6};
    OK(abreast_aez_encrypt(aez[6], ivs[6], 12, &ad, 1, inputs[6], alone, len_of(6), tag, 8));
    CHECK(memcmp(tag, tags[6], 8) == 0);

    with_tags((const void *const *)cmac);
    for (size_t i = 0; i < MANY; ++i) packets[i].input = packets[i].output = NULL, packets[i].len = 0;
    OK(abreast_packets(ABREAST_CMAC, packets, MANY, sizeof packets[0]));
    OK(abreast_packets(ABREAST_CMAC_VERIFY, packets, MANY, sizeof packets[0]));
    OK(abreast_cmac_mac(cmac[6], aads[6], 6, tag, 8));
    CHECK(memcmp(tag, tags[6], 8) == 0);
    tags[6][7] ^= 1;
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_CMAC_VERIFY, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) CHECK(packets[i].status == (i == 6 ? ABREAST_TAG_MISMATCH : ABREAST_OK));

    fill((const void *const *)xts, 16);
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_XTS_ENCRYPT, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) {
        CHECK(packets[i].status == (len_of(i) == 0 ? ABREAST_UNIT_LENGTH : ABREAST_OK));
        packets[i].input = outputs[i];
    }
    OK(abreast_xts_encrypt(xts[6], ivs[6], len_of(6), inputs[6], alone, len_of(6)));
    CHECK(memcmp(alone, outputs[6], len_of(6)) == 0);
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_XTS_DECRYPT, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) CHECK(memcmp(outputs[i], inputs[i], len_of(i)) == 0);

    fill((const void *const *)hctr2, 16);
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_HCTR2_ENCRYPT, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) {
        CHECK(packets[i].status == (len_of(i) < 16 ? ABREAST_MESSAGE_TOO_SHORT : ABREAST_OK));
        packets[i].input = outputs[i];
    }
    OK(abreast_hctr2_encrypt(hctr2[6], ivs[6], 16, inputs[6], alone, len_of(6)));
    CHECK(memcmp(alone, outputs[6], len_of(6)) == 0);
    GIVES(ABREAST_BATCH, abreast_packets(ABREAST_HCTR2_DECRYPT, packets, MANY, sizeof packets[0]));
    for (size_t i = 0; i < MANY; ++i) {
        CHECK(len_of(i) < 16 || memcmp(outputs[i], inputs[i], len_of(i)) == 0);
    }

    for (size_t i = 0; i < MANY; ++i) {
        abreast_aead_free(gcm[i]);
        abreast_aead_free(eax[i]);
        abreast_cmac_free(cmac[i]);
        abreast_aead_free(aez[i]);
        abreast_xts_free(xts[i]);
        abreast_hctr2_free(hctr2[i]);
    }
}

// A stream of RC4 with one long piece after another, which would go side by side if they were of several streams.
static void rc4_in_order(void) {
    enum { PIECES = 7, LONG = 2000 };
    static uint8_t data[PIECES][LONG], expected[PIECES][LONG];
    abreast_rc4_stream *stream, *alone;
    OK(abreast_rc4_stream_new(ivs[1], 16, &stream));
    OK(abreast_rc4_stream_new(ivs[1], 16, &alone));
    struct abreast_rc4_piece pieces[PIECES];
    for (size_t i = 0; i < PIECES; ++i) {
        pieces[i] = (struct abreast_rc4_piece){stream, data[i], data[i], LONG, -1};
        OK(abreast_rc4_stream_apply(alone, expected[i], expected[i], LONG));
    }
    OK(abreast_rc4_apply_streams(pieces, PIECES, sizeof pieces[0]));
    CHECK(memcmp(data, expected, sizeof data) == 0);
    abreast_rc4_stream_free(stream);
    abreast_rc4_stream_free(alone);
}

// Many streams of RC4, several pieces of each in a batch: in order, as one by one.
static void rc4(void) {
    enum { STREAMS = 5 };
    abreast_rc4_stream *streams[STREAMS], *alone[STREAMS];
    for (size_t i = 0; i < STREAMS; ++i) {
        OK(abreast_rc4_stream_new(ivs[i], 16, &streams[i]));
        OK(abreast_rc4_stream_new(ivs[i], 16, &alone[i]));
    }
    static struct abreast_rc4_piece pieces[MANY];
    for (size_t i = 0; i < MANY; ++i) {
        size_t stream = i * i % 7 % STREAMS;
        pieces[i] = (struct abreast_rc4_piece){streams[stream], inputs[i], outputs[i], len_of(i) + i % 3, -1};
        if (pieces[i].len > MOST) pieces[i].len = MOST;
    }
    pieces[9].stream = NULL;
    pieces[10].input = NULL;
    pieces[10].len = 1;
    GIVES(ABREAST_BATCH, abreast_rc4_apply_streams(pieces, MANY, sizeof pieces[0]));
    for (size_t i = 0; i < MANY; ++i) {
        if (i == 9 || i == 10) {
            GIVES(ABREAST_NULL_POINTER, pieces[i].status);
            continue;
        }
        uint8_t expected[MOST];
        OK(abreast_rc4_stream_apply(alone[i * i % 7 % STREAMS], inputs[i], expected, pieces[i].len));
        CHECK(pieces[i].status == ABREAST_OK && memcmp(expected, outputs[i], pieces[i].len) == 0);
    }
    for (size_t i = 0; i < STREAMS; ++i) {
        abreast_rc4_stream_free(streams[i]);
        abreast_rc4_stream_free(alone[i]);
    }

    static struct abreast_rc4_message messages[MANY];
    for (size_t i = 0; i < MANY; ++i) {
        messages[i] = (struct abreast_rc4_message){ivs[i], 1 + i % 16, i % 5, inputs[i], outputs[i], len_of(i), -1};
    }
    messages[300].key_len = 0;
    messages[301].key_len = 257;
    GIVES(ABREAST_BATCH, abreast_rc4_apply_keys(messages, MANY, sizeof messages[0]));
    for (size_t i = 0; i < MANY; ++i) {
        if (i == 300 || i == 301) {
            GIVES(ABREAST_KEY_LENGTH, messages[i].status);
            continue;
        }
        uint8_t expected[MOST];
        OK(abreast_rc4_apply(ivs[i], messages[i].key_len, i % 5, inputs[i], expected, len_of(i)));
        CHECK(messages[i].status == ABREAST_OK && memcmp(expected, outputs[i], len_of(i)) == 0);
    }
}

int main(void) {
    prepare();
    ecb();
    arrays();
    vectors();
    authenticated();
    rc4_in_order();
    rc4();
    printf("%d checks\n", checks);
    return 0;
}
