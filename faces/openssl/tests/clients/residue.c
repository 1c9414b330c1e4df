/* What is left of keys in memory when the contexts of the provider are freed: every cipher of it is given a key, works, is
 * copied and freed, and all memory of the process but its stack is searched for the key, eight bytes at a time.
 *
 * Keys themselves are looked for, which the key schedules of AES and XTEA begin with; for the other ciphers, copies of keys.
 *
 *   residue SEED
 */
#include <inttypes.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#include "check.h"

enum { MOST_KEY = 64, MESSAGE = 1000 };

/* What keys are XORed with where they are remembered, or the search would find them there. */
static const uint64_t MASK = 0x9d1c3f8e5ab74260;

/* The pieces of a key, masked. */
typedef struct {
    uint64_t pieces[MOST_KEY / 8];
    size_t count;
} Masked;

static uint64_t masked(const unsigned char *bytes)
{
    uint64_t piece;
    memcpy(&piece, bytes, sizeof piece);
    return piece ^ MASK;
}

/* How many pieces of the key are in memory. */
static size_t found(const Masked *key)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps, "memory is not listed");
    char line[512];
    unsigned is_there = 0;
    while (fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        char rights[8];
        CHECK(sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &start, &end, rights) == 3, "a line of another form: %s", line);
        if (strncmp(rights, "rw", 2) != 0 || strstr(line, "[stack]"))
            continue;
        for (const unsigned char *at = (const unsigned char *)start; at + 8 <= (const unsigned char *)end; at++) {
            uint64_t here = masked(at);
            for (size_t piece = 0; piece < key->count; piece++)
                if (here == key->pieces[piece])
                    is_there |= 1U << piece;
        }
    }
    fclose(maps);
    return (size_t)__builtin_popcount(is_there);
}

/* Draws a key and gives it to a context. The key is in a buffer of this function alone, which is cleared. */
static void give_key(Random *random, EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, Masked *remembered)
{
    unsigned char key[MOST_KEY], iv[16] = {1};
    const char *name = EVP_CIPHER_get0_name(cipher);
    size_t len = (size_t)EVP_CIPHER_get_key_length(cipher);
    if (len % 8) {
        /* RC4-40. */
        len = 16;
        CHECK(EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), "no cipher");
        CHECK(EVP_CIPHER_CTX_set_key_length(context, (int)len), "%s: a key of %zu bytes", name, len);
        cipher = NULL;
    }
    CHECK(len <= MOST_KEY, "%s: a key of %zu bytes", name, len);
    fill(random, key, len);
    remembered->count = len / 8;
    for (size_t piece = 0; piece < remembered->count; piece++)
        remembered->pieces[piece] = masked(key + 8 * piece);
    CHECK(EVP_EncryptInit_ex2(context, cipher, key, iv, NULL), "%s takes no key", name);
    OPENSSL_cleanse(key, sizeof key);
}

/* What the search needs and counts. */
typedef struct {
    Random random;
    unsigned ciphers, in_use;
} State;

static void search(EVP_CIPHER *cipher, void *argument)
{
    State *state = argument;
    const char *name = EVP_CIPHER_get0_name(cipher);
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "abreast") != 0)
        return;
    Masked first, second;
    unsigned char message[MESSAGE + 32] = {2};
    int len;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    CHECK(context && copy, "no context");
    give_key(&state->random, context, cipher, &first);
    CHECK(EVP_EncryptUpdate(context, message, &len, message, MESSAGE - MESSAGE % 16), "%s does not work", name);
    /* Two contexts share the key, and then one of them gets another. */
    CHECK(EVP_CIPHER_CTX_copy(copy, context), "%s is not copied", name);
    state->in_use += found(&first) >= 1;
    give_key(&state->random, context, cipher, &second);
    EVP_CIPHER_CTX_free(copy);
    size_t left = found(&first);
    CHECK(left == 0, "%s: %zu pieces of the key that another one replaced are left", name, left);
    EVP_CIPHER_CTX_free(context);
    left = found(&second);
    CHECK(left == 0, "%s: %zu pieces of the key are left", name, left);
    state->ciphers++;
}

int main(int count, char **arguments)
{
    CHECK(count == 2, "residue.c says what the arguments are");
    State state = {{strtoull(arguments[1], NULL, 10) | 1}, 0, 0};
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "the provider is not there");
    EVP_CIPHER_do_all_provided(NULL, search, &state);
    OSSL_PROVIDER_unload(provider);
    /* If keys in use were not found, nothing would be. */
    CHECK(state.in_use >= 10, "keys in use were found in %u of %u ciphers", state.in_use, state.ciphers);
    printf("%u ciphers leave no key; %u keys in use were found\n", state.ciphers, state.in_use);
    tally(state.ciphers, "ciphers of the provider searched for their keys");
    return 0;
}
