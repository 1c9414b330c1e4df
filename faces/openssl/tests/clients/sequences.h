/* The known state of a context while a sequence of calls runs. It decides the calls that are drawn, tells differences that are
 * meant from others, and keeps calls from OpenSSL that would read or write where nothing is. */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "check.h"
#include "library.h"
#include "rows.h"

enum { MOST_CALLS = 40, MOST_PIECE = 400, SLOTS = 2, ROOM = 1024 };

/* A cipher of this provider, and OpenSSL's that it is held against. */
typedef struct {
    const char *ours_name, *theirs_name;
    EVP_CIPHER *ours, *theirs;
    /* `whole`: AEZ and GCM-SIV, which take a message in one piece. */
    int shared, aead, xts, whole, block, has_iv;
    /* ECB or CBC; CFB, OFB or CTR. */
    int blocks, streams;
} Pair;

/* The state of the vector of a mode with tags in OpenSSL. */
typedef enum { NO_NONCE, NONCE_SET, NONCE_IN_USE, NONCE_USED } NonceState;

typedef struct {
    int live, encrypt, has_key, has_iv, padding;
    unsigned char key[64], iv[128];
    /* The direction in which OpenSSL expanded the key. */
    int key_encrypts;
    /* Bytes that wait for the rest of their block. */
    size_t held;
    /* Records of TLS in ECB and CBC. */
    unsigned version;
    size_t mac_size;
    int has_mac;
    /* Modes with tags. */
    NonceState nonce;
    size_t nonce_len;
    int counts, record, has_tag, made, tag_here;
    unsigned char record_aad[13];
    /* States that stand in the table. */
    int refused, rekeyed, forged, overwritten, hollow, split;
    Message message;
} Slot;

/* The words of the state for the table, each between spaces. */
static void state_words(const Pair *pair, const Slot *slot, char *words, size_t room)
{
    const struct {
        const char *word;
        int holds;
    } WORDS[] = {
        {"no-key", !slot->has_key},
        {"no-iv", pair->aead ? slot->nonce == NO_NONCE : !slot->has_iv},
        {"decrypt", !slot->encrypt},
        {"encrypt", slot->encrypt},
        {"turned", slot->has_key && slot->encrypt != slot->key_encrypts},
        {"refused", slot->refused},
        {"held", slot->held > 0},
        {"records", slot->version != 0 || slot->record},
        {"mac", slot->has_mac},
        {"rekeyed", slot->rekeyed},
        {"forged", slot->forged},
        {"made", slot->made},
        {"untagged", !slot->tag_here},
        {"overwritten", slot->overwritten},
        {"short", slot->nonce_len < 8},
        {"hollow", slot->hollow},
        {"split", slot->split},
        {"ended", slot->nonce == NONCE_USED},
    };
    size_t len = (size_t)snprintf(words, room, " ");
    for (size_t at = 0; at < sizeof WORDS / sizeof *WORDS; at++)
        if (WORDS[at].holds)
            len += (size_t)snprintf(words + len, room - len, "%s ", WORDS[at].word);
}

#endif
