// The fan-out of a forwarding unit: a packet of RTP goes to many receivers, each with its own key. Once by a loop of libsrtp, once by
// a batch of abreast, which must write the same bytes. Prints the time of both.
//
// Usage: fanout [RECEIVERS [ROUNDS]]

#include <abreast.h>
#include <srtp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEADER = 12, PAYLOAD = 1200, ROOM = HEADER + PAYLOAD + SRTP_MAX_TRAILER_LEN, KEY = 30 };

static void check(int right, const char *what) {
    if (!right) {
        fprintf(stderr, "fanout: %s\n", what);
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct profile {
    const char *name;
    int of_abreast;
    void (*of_libsrtp)(srtp_crypto_policy_t *);
    size_t salt_len;
};

static const struct profile profiles[] = {
    {"AES_CM_128_HMAC_SHA1_80", ABREAST_SRTP_AES128_CM_SHA1_80, srtp_crypto_policy_set_rtp_default, 14},
    {"AEAD_AES_128_GCM", ABREAST_SRTP_AES128_GCM, srtp_crypto_policy_set_aes_gcm_128_16_auth, 12},
};

// Writes the packet of a round, which is the same for all receivers.
static void write_packet(uint8_t *packet, unsigned round) {
    memset(packet, 0, HEADER);
    packet[0] = 0x80;
    packet[1] = 96;
    packet[2] = (uint8_t)(round >> 8);
    packet[3] = (uint8_t)round;
    memcpy(packet + 8, "SSRC", 4);
    for (unsigned i = 0; i < PAYLOAD; ++i) packet[HEADER + i] = (uint8_t)(i * 31 + round);
}

static void fan_out(const struct profile *profile, unsigned receivers, unsigned rounds) {
    srtp_t *theirs = calloc(receivers, sizeof *theirs);
    abreast_srtp **ours = calloc(receivers, sizeof *ours);
    struct abreast_srtp_packet *batch = calloc(receivers, sizeof *batch);
    uint8_t *one = malloc((size_t)receivers * ROOM), *other = malloc((size_t)receivers * ROOM);
    check(theirs && ours && batch && one && other, "no memory");
    for (unsigned i = 0; i < receivers; ++i) {
        uint8_t key[KEY];
        for (unsigned j = 0; j < KEY; ++j) key[j] = (uint8_t)(i * 7 + i / 256 + j * 13);
        srtp_policy_t policy = {0};
        profile->of_libsrtp(&policy.rtp);
        profile->of_libsrtp(&policy.rtcp);
        policy.ssrc.type = ssrc_any_outbound;
        policy.key = key;
        policy.window_size = 1024;
        if (srtp_create(&theirs[i], &policy) != srtp_err_status_ok) {
            check(i == 0 && profile->of_abreast == ABREAST_SRTP_AES128_GCM, "srtp_create");
            printf("%s: libsrtp is built without it\n", profile->name);
            receivers = 0;
            break;
        }
        int status = abreast_srtp_new(profile->of_abreast, key, 16, key + 16, profile->salt_len, &ours[i]);
        check(status == ABREAST_OK, abreast_status_text(status));
    }
    double loop = 0, by_batch = 0;
    // The first round, in which memory is touched for the first time, does not count.
    for (unsigned round = 0; receivers && round <= rounds; ++round) {
        uint8_t packet[HEADER + PAYLOAD];
        write_packet(packet, round);
        // The copies are part of both ways.
        double begin = seconds();
        int len = 0;
        for (unsigned i = 0; i < receivers; ++i) {
            len = sizeof packet;
            memcpy(one + (size_t)i * ROOM, packet, sizeof packet);
            check(srtp_protect(theirs[i], one + (size_t)i * ROOM, &len) == srtp_err_status_ok, "srtp_protect");
        }
        double middle = seconds();
        for (unsigned i = 0; i < receivers; ++i) {
            memcpy(other + (size_t)i * ROOM, packet, sizeof packet);
            batch[i] = (struct abreast_srtp_packet){.session = ours[i],
                                                    .packet = other + (size_t)i * ROOM,
                                                    .len = sizeof packet,
                                                    .capacity = ROOM,
                                                    .protocol = ABREAST_SRTP_RTP};
        }
        int status = abreast_srtp_protect(batch, receivers, sizeof *batch);
        double end = seconds();
        check(status == ABREAST_OK, abreast_status_text(status));
        if (round) loop += middle - begin;
        if (round) by_batch += end - middle;
        for (unsigned i = 0; i < receivers; ++i) {
            check(batch[i].written == (size_t)len, "the packets have other lengths");
            check(!memcmp(one + (size_t)i * ROOM, other + (size_t)i * ROOM, (size_t)len), "the bytes differ");
        }
    }
    if (receivers) {
        double packets = (double)receivers * rounds, scale = 1e9 / packets;
        printf("%s, %u receivers, %u packets of %d bytes, the same bytes:\n"
               "  loop of libsrtp   %8.0f ns a receiver\n  batch of abreast  %8.0f ns a receiver, %.2f times as fast\n",
               profile->name, receivers, rounds, HEADER + PAYLOAD, loop * scale, by_batch * scale, loop / by_batch);
    }
    for (unsigned i = 0; i < receivers; ++i) {
        srtp_dealloc(theirs[i]);
        abreast_srtp_free(ours[i]);
    }
    free(theirs);
    free(ours);
    free(batch);
    free(one);
    free(other);
}

int main(int argc, char **argv) {
    int receivers = argc > 1 ? atoi(argv[1]) : 500, rounds = argc > 2 ? atoi(argv[2]) : 200;
    check(receivers > 0 && rounds > 0 && rounds < 65536, "usage: fanout [RECEIVERS [ROUNDS]], up to 65535 rounds");
    check(srtp_init() == srtp_err_status_ok, "srtp_init");
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; ++i) fan_out(&profiles[i], (unsigned)receivers, (unsigned)rounds);
    srtp_shutdown();
    return 0;
}
