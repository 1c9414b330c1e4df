/* Random sequences of every call of EVP for ciphers, each beside OpenSSL's own: results, lengths, bytes and parameters are
 * the same, or the difference is a row of a table. Ciphers that OpenSSL lacks run beside its AES and DES-EDE3 for results and
 * lengths, and their bytes are compared with the library.
 *
 *   sequences TABLE [--seed N] [--sequences N] [--seconds N] [--only N] [--cipher PATTERN] [--every-row]
 *
 * A sequence depends on the seed and its number alone: `--only` runs one again. With `--every-row`, a row that no sequence
 * met is a failure.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "sequences.h"

typedef enum { INIT, UPDATE, AAD, FINAL, CIPHER, PADDING, SET, GET, CTRL, KEYLEN, COPY, RESET, KINDS } Kind;

typedef struct {
    Kind kind;
    uint64_t seed;
} Call;

/* The result of a call, with all that it gives. */
typedef struct {
    long returned;
    size_t len;
    unsigned char bytes[ROOM];
    size_t count;
} Result;

/* The two sides of a slot: this provider and OpenSSL. */
enum { OURS, THEIRS, SIDES };

typedef struct {
    const Pair *pair;
    Slot slots[SLOTS];
    EVP_CIPHER_CTX *contexts[SLOTS][SIDES];
    /* The description of the call that runs, and its name in the table. */
    char said[400], call[64], state[256];
    /* What is wrong; and whether the sequence has come to its end. */
    char wrong[1200];
    int ended, talks;
} Run;

static void say(Run *run, const char *call, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(Run *run, const char *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(run->call, sizeof run->call, "%s", call);
    int len = snprintf(run->said, sizeof run->said, "%s ", call);
    vsnprintf(run->said + len, sizeof run->said - (size_t)len, format, arguments);
    va_end(arguments);
}

/* A difference: the end of the sequence, which fails unless a row allows it. */
static void differ(Run *run, const char *theirs, const char *ours)
{
    run->ended = 1;
    if (!row_of(run->pair->ours_name, run->state, run->call, theirs, ours))
        snprintf(run->wrong, sizeof run->wrong, "%s | %s | %s | OpenSSL: %s | here: %s", run->pair->ours_name,
            run->state, run->said, theirs, ours);
}

/* Compares two results. The bytes of other ciphers are others. */
static void compare(Run *run, const Result *ours, const Result *theirs, int bytes)
{
    char mine[32], other[32];
    if (run->talks)
        printf("  %s|%s-> %ld, %zu bytes; OpenSSL %ld, %zu bytes\n", run->said, run->state, ours->returned, ours->len,
            theirs->returned, theirs->len);
    if (ours->returned != theirs->returned) {
        const Result *results[] = {ours, theirs};
        char *texts[] = {mine, other};
        for (int side = 0; side < 2; side++)
            if (results[side]->returned > 1)
                strcpy(texts[side], "n");
            else
                sprintf(texts[side], "%ld", results[side]->returned);
        differ(run, other, mine);
    } else if (ours->len != theirs->len || ours->count != theirs->count) {
        differ(run, "length", "other length");
    } else if (bytes && memcmp(ours->bytes, theirs->bytes, ours->count) != 0) {
        differ(run, "bytes", "other bytes");
    }
}

static EVP_CIPHER_CTX *copy_of(const EVP_CIPHER_CTX *context)
{
    EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
    CHECK(copy && EVP_CIPHER_CTX_copy(copy, context), "no copy");
    return copy;
}

/* What a message with a tag would have for a tag if it ended now: of a copy that goes the other way. */
static void tag_so_far(const EVP_CIPHER_CTX *context, unsigned char tag[16])
{
    EVP_CIPHER_CTX *copy = copy_of(context);
    int len;
    memset(tag, 0, 16);
    if (EVP_CipherInit_ex2(copy, NULL, NULL, NULL, 1, NULL) && EVP_EncryptFinal_ex(copy, tag, &len))
        EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    EVP_CIPHER_CTX_free(copy);
}

/* Encrypts blocks so that a context in ECB or CBC decrypts them to what they are. */
static void encrypt_for(const EVP_CIPHER_CTX *context, const unsigned char *key, unsigned char *data, int len)
{
    unsigned char iv[16] = {0};
    EVP_CIPHER_CTX *scratch = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX_get_updated_iv((EVP_CIPHER_CTX *)context, iv, sizeof iv);
    CHECK(scratch && EVP_EncryptInit_ex2(scratch, EVP_CIPHER_CTX_get0_cipher(context), key, iv, NULL), "no key");
    CHECK(EVP_CIPHER_CTX_set_padding(scratch, 0) && EVP_EncryptUpdate(scratch, data, &len, data, len), "no blocks");
    EVP_CIPHER_CTX_free(scratch);
}

/* Encrypts a record of GCM so that a context decrypts it: explicit nonce, message, tag. */
static void encrypt_record(const EVP_CIPHER_CTX *context, const Slot *slot, unsigned char *record, int len)
{
    unsigned char iv[128], tag[16];
    int written;
    if (len < 24 || slot->nonce_len < 8 || !EVP_CIPHER_CTX_get_updated_iv((EVP_CIPHER_CTX *)context, iv, sizeof iv))
        return;
    memcpy(iv + slot->nonce_len - 8, record, 8);
    EVP_CIPHER_CTX *scratch = EVP_CIPHER_CTX_new();
    CHECK(scratch && EVP_EncryptInit_ex2(scratch, EVP_CIPHER_CTX_get0_cipher(context), NULL, NULL, NULL), "no cipher");
    CHECK(EVP_CIPHER_CTX_ctrl(scratch, EVP_CTRL_AEAD_SET_IVLEN, (int)slot->nonce_len, NULL), "no length");
    CHECK(EVP_EncryptInit_ex2(scratch, NULL, slot->key, iv, NULL), "no key");
    CHECK(EVP_EncryptUpdate(scratch, NULL, &written, slot->record_aad, 13), "no associated data");
    CHECK(EVP_EncryptUpdate(scratch, record + 8, &written, record + 8, len - 24), "no message");
    CHECK(EVP_EncryptFinal_ex(scratch, tag, &written), "no end");
    CHECK(EVP_CIPHER_CTX_ctrl(scratch, EVP_CTRL_AEAD_GET_TAG, 16, tag), "no tag");
    memcpy(record + len - 16, tag, 16);
    EVP_CIPHER_CTX_free(scratch);
}

/* True if a call on this slot draws a nonce at random. */
static int draws_nonce(const Pair *pair, const Slot *slot)
{
    return pair->aead && !pair->whole && slot->live && slot->encrypt && slot->has_key && slot->nonce == NO_NONCE
        && slot->nonce_len >= 12 && !slot->record;
}

/* Gives OpenSSL the nonce that this provider has drawn. */
static void align_nonce(Run *run, size_t at)
{
    unsigned char iv[128];
    EVP_CIPHER_CTX **contexts = run->contexts[at];
    if (EVP_CIPHER_CTX_get_updated_iv(contexts[OURS], iv, sizeof iv))
        EVP_CipherInit_ex2(contexts[THEIRS], NULL, NULL, iv, -1, NULL);
}

#include "calls.h"

/* Runs the calls of a sequence, but for those that are left out. */
static void run_calls(Run *run, const Call *calls, size_t count)
{
    for (size_t at = 0; at < SLOTS; at++)
        for (int side = 0; side < SIDES; side++)
            CHECK((run->contexts[at][side] = EVP_CIPHER_CTX_new()), "no context");
    for (size_t at = 0; at < SLOTS; at++)
        memset(&run->slots[at], 0, offsetof(Slot, message)), run->slots[at].message.followed = 0;
    run->ended = 0;
    run->wrong[0] = 0;
    for (size_t at = 0; at < count && !run->ended; at++)
        if (calls[at].kind < KINDS)
            run_call(run, &calls[at]);
    for (size_t at = 0; at < SLOTS; at++)
        for (int side = 0; side < SIDES; side++)
            EVP_CIPHER_CTX_free(run->contexts[at][side]);
    ERR_clear_error();
}

/* Draws the calls of a sequence. */
static size_t draw_calls(Random *random, Call *calls)
{
    static const unsigned WEIGHTS[KINDS] = {
        [INIT] = 18, [UPDATE] = 30, [AAD] = 6, [FINAL] = 10, [CIPHER] = 5, [PADDING] = 7, [SET] = 8, [GET] = 12,
        [CTRL] = 8, [KEYLEN] = 1, [COPY] = 3, [RESET] = 1};
    unsigned all = 0;
    for (int kind = 0; kind < KINDS; kind++)
        all += WEIGHTS[kind];
    size_t count = 4 + below(random, MOST_CALLS - 3);
    for (size_t at = 0; at < count; at++) {
        unsigned drawn = (unsigned)below(random, all), kind = 0;
        while (drawn >= WEIGHTS[kind])
            drawn -= WEIGHTS[kind++];
        calls[at] = (Call){at == 0 ? INIT : (Kind)kind, draw(random)};
    }
    return count;
}

/* Leaves out what the failure does without, and tells the rest. */
static void report(Run *run, Call *calls, size_t count, uint64_t seed, unsigned long number)
{
    char first[sizeof run->wrong];
    strcpy(first, run->wrong);
    for (int again = 1; again;) {
        again = 0;
        for (size_t at = count; at-- > 0;) {
            Kind kind = calls[at].kind;
            if (kind == KINDS)
                continue;
            calls[at].kind = KINDS;
            run_calls(run, calls, count);
            if (run->wrong[0])
                again = 1;
            else
                calls[at].kind = kind;
        }
    }
    printf("sequence %lu of seed %llu: %s\nand without what it does not need:\n", number, (unsigned long long)seed, first);
    run->talks = 1;
    run_calls(run, calls, count);
    printf("%s\n", run->wrong);
    printf("again: sequences TABLE --seed %llu --only %lu\n", (unsigned long long)seed, number);
}

static Pair PAIRS[80];
static size_t PAIR_COUNT;
static atomic_ulong NEXT, DONE, CALLS;
static pthread_mutex_t FAILING = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
    uint64_t seed;
    unsigned long sequences;
    time_t end;
} Work;

/* The seed of a sequence (SplitMix64's mixing). */
static uint64_t seed_of(uint64_t seed, unsigned long number)
{
    uint64_t mixed = seed + (number + 1) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) | 1;
}

static int run_sequence(Run *run, uint64_t seed, unsigned long number)
{
    Call calls[MOST_CALLS + 1];
    Random random = {seed_of(seed, number)};
    run->pair = &PAIRS[number % PAIR_COUNT];
    size_t count = draw_calls(&random, calls);
    run_calls(run, calls, count);
    atomic_fetch_add(&CALLS, count);
    if (!run->wrong[0])
        return 1;
    pthread_mutex_lock(&FAILING);
    report(run, calls, count, seed, number);
    return 0;
}

static void *work(void *argument)
{
    Work *work = argument;
    Run *run = calloc(1, sizeof *run);
    CHECK(run, "no memory");
    for (;;) {
        unsigned long number = atomic_fetch_add(&NEXT, 1);
        if (number >= work->sequences || (number % 64 == 0 && time(NULL) >= work->end))
            break;
        if (!run_sequence(run, work->seed, number)) {
            /* Without OpenSSL's own end, while the other threads go on. */
            fflush(stdout);
            _exit(1);
        }
        atomic_fetch_add(&DONE, 1);
    }
    free(run);
    return NULL;
}

/* Adds a cipher, if its name is one of those wanted. */
static void add_pair(const char *wanted, const char *ours, const char *theirs)
{
    if (fnmatch(wanted, ours, 0) != 0)
        return;
    CHECK(PAIR_COUNT < sizeof PAIRS / sizeof *PAIRS, "too many ciphers");
    Pair *pair = &PAIRS[PAIR_COUNT++];
    *pair = (Pair){.ours_name = strdup(ours), .theirs_name = strdup(theirs), .shared = strcmp(ours, theirs) == 0};
    CHECK((pair->ours = EVP_CIPHER_fetch(NULL, ours, "provider=abreast")), "no %s", ours);
    CHECK((pair->theirs = EVP_CIPHER_fetch(NULL, theirs, "provider!=abreast")), "no %s", theirs);
    pair->aead = (EVP_CIPHER_get_flags(pair->ours) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    pair->whole = strcmp(ours, "ABREAST-AEZ") == 0 || fnmatch("*-GCM-SIV", ours, 0) == 0;
    pair->xts = EVP_CIPHER_get_mode(pair->ours) == EVP_CIPH_XTS_MODE;
    pair->block = EVP_CIPHER_get_block_size(pair->ours);
    pair->has_iv = EVP_CIPHER_get_iv_length(pair->ours) > 0;
    pair->blocks = pair->block > 1;
    pair->streams = !pair->blocks && !pair->aead && !pair->xts;
}

static void add_pairs(const char *wanted)
{
    static const char *const BITS[] = {"128", "192", "256"}, *const MODES[] = {"ECB", "CBC", "CFB", "OFB", "CTR", "GCM"};
    char ours[40], theirs[40];
    for (int bits = 0; bits < 3; bits++) {
        for (int mode = 0; mode < 6; mode++) {
            snprintf(theirs, sizeof theirs, "AES-%s-%s", BITS[bits], MODES[mode]);
            add_pair(wanted, theirs, theirs);
            snprintf(ours, sizeof ours, "SERPENT-%s-%s", BITS[bits], MODES[mode]);
            add_pair(wanted, ours, theirs);
        }
        snprintf(theirs, sizeof theirs, "AES-%s-XTS", bits == 0 ? "128" : "256");
        snprintf(ours, sizeof ours, "AES-%s-XTS", BITS[bits]);
        add_pair(wanted, ours, theirs);
        snprintf(ours, sizeof ours, "SERPENT-%s-XTS", BITS[bits]);
        add_pair(wanted, ours, theirs);
        snprintf(theirs, sizeof theirs, "AES-%s-GCM", BITS[bits]);
        for (int cipher = 0; cipher < 2; cipher++) {
            snprintf(ours, sizeof ours, "ABREAST-%s-%s-EAX", cipher ? "SERPENT" : "AES", BITS[bits]);
            add_pair(wanted, ours, theirs);
        }
    }
    add_pair(wanted, "XTEA-128-ECB", "DES-EDE3-ECB");
    add_pair(wanted, "XTEA-128-CBC", "DES-EDE3-CBC");
    add_pair(wanted, "XTEA-128-CTR", "AES-128-CTR");
    add_pair(wanted, "ABREAST-AEZ", "AES-256-GCM");
    add_pair(wanted, "AES-128-GCM-SIV", "AES-128-GCM");
    add_pair(wanted, "AES-256-GCM-SIV", "AES-256-GCM");
    if (OSSL_PROVIDER_available(NULL, "legacy")) {
        add_pair(wanted, "RC4", "RC4");
        add_pair(wanted, "RC4-40", "RC4-40");
    }
    CHECK(PAIR_COUNT > 0, "no cipher is called %s", wanted);
}

int main(int count, char **arguments)
{
    Work all = {.seed = (uint64_t)time(NULL), .sequences = 100000};
    const char *only = NULL, *wanted = "*";
    time_t seconds = 100000;
    int every_row = 0;
    CHECK(count >= 2, "sequences.c says what the arguments are");
    for (int at = 2; at < count; at++) {
        const char *name = arguments[at], *value = at + 1 < count ? arguments[at + 1] : "";
        if (strcmp(name, "--every-row") == 0) {
            every_row = 1;
            continue;
        }
        at++;
        if (strcmp(name, "--seed") == 0)
            all.seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--sequences") == 0)
            all.sequences = strtoul(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0)
            seconds = strtol(value, NULL, 10);
        else if (strcmp(name, "--only") == 0)
            only = value;
        else if (strcmp(name, "--cipher") == 0)
            wanted = value;
        else
            CHECK(0, "%s is no argument", name);
    }
    read_rows(arguments[1]);
    OSSL_PROVIDER *abreast = OSSL_PROVIDER_load(NULL, "abreast"), *plain = OSSL_PROVIDER_load(NULL, "default");
    CHECK(abreast && plain, "no providers");
    add_pairs(wanted);
    printf("seed %llu\n", (unsigned long long)all.seed);
    fflush(stdout);
    if (only) {
        Run *run = calloc(1, sizeof *run);
        CHECK(run, "no memory");
        run->talks = 1;
        return !run_sequence(run, all.seed, strtoul(only, NULL, 10));
    }
    all.end = time(NULL) + seconds;
    pthread_t threads[2];
    for (int at = 0; at < 2; at++)
        CHECK(pthread_create(&threads[at], NULL, work, &all) == 0, "no thread");
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], NULL);
    unsigned long unmet = 0;
    for (size_t at = 0; at < ROW_COUNT; at++) {
        char **columns = ROWS[at].columns;
        printf("%10lu %s | %s | %s\n", ROWS[at].met, columns[0], columns[1], columns[2]);
        unmet += ROWS[at].met == 0;
    }
    printf("%lu sequences of %lu calls, %zu ciphers, no difference outside of the table\n", DONE, CALLS, PAIR_COUNT);
    CHECK(!every_row || unmet == 0, "%lu rows were met by no sequence", unmet);
    tally(DONE, "sequences of calls through OpenSSL");
    for (size_t at = 0; at < PAIR_COUNT; at++) {
        EVP_CIPHER_free(PAIRS[at].ours);
        EVP_CIPHER_free(PAIRS[at].theirs);
    }
    OSSL_PROVIDER_unload(abreast);
    OSSL_PROVIDER_unload(plain);
    return 0;
}
