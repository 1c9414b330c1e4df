/* The calls of a sequence: what each is given, what both sides make of it, and what that says of the context. */
#ifndef CALLS_H
#define CALLS_H

/* A parameter that is set. */
typedef struct {
    const char *name;
    unsigned type;
    int is_number;
    uint64_t number;
    unsigned char bytes[160];
    size_t len;
} Value;

static int pick(Random *random, const int *numbers, size_t count)
{
    return numbers[below(random, count)];
}

#define PICK(random, ...) pick(random, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void compare_numbers(Run *run, long ours, long theirs)
{
    Result mine = {.returned = ours}, other = {.returned = theirs};
    compare(run, &mine, &other, 0);
}

/* The outcome of a call that OpenSSL must be kept from. */
static void without_theirs(Run *run, long ours)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", ours);
    differ(run, "unsafe", text);
}

static unsigned number_of(EVP_CIPHER_CTX *context, const char *name)
{
    unsigned number = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_uint(name, &number), OSSL_PARAM_END};
    EVP_CIPHER_CTX_get_params(context, ask);
    return number;
}

/* Notes the state after a parameter or its call was set. */
static void note_nonce_len(Slot *slot, size_t len)
{
    if (slot->nonce_len != len && slot->nonce != NO_NONCE)
        slot->nonce = NONCE_USED;
    slot->nonce_len = len;
    slot->message.followed = 0;
}

static void note_tag(Slot *slot, size_t len, int ok)
{
    if (ok)
        slot->has_tag = 1, slot->made = 0, slot->overwritten = 0;
    else if (slot->encrypt && len >= 1 && len <= 16)
        slot->overwritten = 1;
}

static void note_record(Slot *slot, const unsigned char *aad, size_t len)
{
    if (len != 13)
        return;
    size_t around = slot->encrypt ? 8 : 24, message = (size_t)aad[11] << 8 | aad[12];
    slot->record = 1;
    slot->made = slot->overwritten = 0;
    memcpy(slot->record_aad, aad, 13);
    if (message >= around) {
        slot->record_aad[11] = (unsigned char)((message - around) >> 8);
        slot->record_aad[12] = (unsigned char)(message - around);
    }
}

static void note_fresh_nonce(Slot *slot, NonceState state)
{
    slot->nonce = state;
    slot->rekeyed = slot->forged = slot->split = 0;
    slot->message.followed = 0;
}

static void note_value(const Pair *pair, Slot *slot, const Value *value, int ok)
{
    const char *name = value->name;
    if (pair->aead) {
        if (strcmp(name, "ivlen") == 0 && ok)
            note_nonce_len(slot, value->number);
        else if (strcmp(name, "tag") == 0)
            note_tag(slot, value->len, ok);
        else if (strcmp(name, "tlsaad") == 0 && value->type == OSSL_PARAM_OCTET_STRING)
            note_record(slot, value->bytes, value->len);
        else if (strcmp(name, "tlsivfixed") == 0 && ok)
            note_fresh_nonce(slot, NONCE_SET), slot->counts = 1;
        else if (strcmp(name, "tlsivinv") == 0 && ok)
            note_fresh_nonce(slot, NONCE_IN_USE);
    } else if (ok && pair->blocks) {
        if (strcmp(name, "tls-version") == 0)
            slot->version = (unsigned)value->number, slot->message.followed = 0;
        else if (strcmp(name, "tls-mac-size") == 0)
            slot->mac_size = value->number;
    } else if (ok && pair->streams && strcmp(name, "num") == 0) {
        slot->message.followed = 0;
    }
}

static void draw_value(const Pair *pair, const Slot *slot, Random *random, Value *value)
{
    static const char *const NAMES[] = {"padding", "num", "use-bits", "tls-version", "tls-mac-size", "keylen", "ivlen",
        "tag", "tlsaad", "tlsivfixed", "tlsivinv", "no-such-parameter"};
    size_t drawn = pair->whole ? (size_t)PICK(random, 0, 1, 3, 7, 7, 11) : below(random, 8) == 0 ? below(random, 12) : pair->aead ? 6 + below(random, 6) : below(random, 7);
    memset(value, 0, sizeof *value);
    value->name = NAMES[drawn];
    value->is_number = drawn < 7 || drawn == 11;
    fill(random, value->bytes, sizeof value->bytes);
    switch (drawn) {
    case 1: value->number = (uint64_t)PICK(random, 0, 0, 1, 7, 8, 15, 16, 100); break;
    case 3:
        value->number = (uint64_t)PICK(random, 0x301, 0x301, 0x302, 0x303, 0x303, 0xfeff, 0xfefd, 0x100, 0, 0x300, 0x999);
        break;
    case 4: value->number = (uint64_t)PICK(random, 0, 0, 0, 20, 32, 48, 64, 100); break;
    /* On top of the length that each side has. */
    case 5: value->number = (uint64_t)PICK(random, 0, 0, 8, 1); break;
    case 6: value->number = (uint64_t)PICK(random, 12, 12, 16, 8, 1, 7, 13, 100, 128, 0, 129); break;
    case 7: value->len = (size_t)PICK(random, 16, 16, 12, 4, 1, 0, 17); break;
    case 8:
        value->len = (size_t)PICK(random, 13, 13, 13, 13, 13, 13, 12, 0);
        value->bytes[11] = (unsigned char)below(random, 2);
        if (below(random, 8) == 0)
            value->bytes[11] = 0, value->bytes[12] = (unsigned char)below(random, 26);
        break;
    case 9: value->len = (size_t)PICK(random, 4, 4, 4, 5, 3, 8, 12, 120); break;
    case 10: value->len = (size_t)PICK(random, 8, 8, 4, 12, 20); break;
    default: value->number = below(random, 3);
    }
    int wide = drawn == 4 || drawn == 5 || drawn == 6 ? below(random, 4) > 0 : below(random, 4) == 0;
    value->type = value->is_number ? (below(random, 6) ? OSSL_PARAM_UNSIGNED_INTEGER : OSSL_PARAM_INTEGER) : OSSL_PARAM_OCTET_STRING;
    if (value->is_number)
        value->len = wide ? 8 : 4;
    if (below(random, 24) == 0)
        value->type = value->is_number ? OSSL_PARAM_OCTET_STRING : OSSL_PARAM_UNSIGNED_INTEGER;
    (void)slot;
}

/* A parameter as one side is given it. */
static OSSL_PARAM param_of(const Pair *pair, Value *value, int side)
{
    if (value->is_number) {
        const EVP_CIPHER *cipher = side == OURS ? pair->ours : pair->theirs;
        uint64_t number = value->number;
        if (strcmp(value->name, "keylen") == 0)
            number += (uint64_t)EVP_CIPHER_get_key_length(cipher);
        memcpy(value->bytes, &number, 8);
    }
    return (OSSL_PARAM){value->name, value->type, value->bytes, value->len, OSSL_PARAM_UNMODIFIED};
}

/* True if OpenSSL would write or read beyond the nonce. */
static int unsafe_value(const Pair *pair, const Slot *slot, const char *name, size_t len)
{
    if (!pair->aead || !slot->live)
        return 0;
    if (strcmp(name, "tlsivfixed") == 0)
        return len >= 4 && len <= 1000 && len > slot->nonce_len;
    if (strcmp(name, "tlsivinv") == 0)
        return slot->counts && slot->has_key && !slot->encrypt && len > slot->nonce_len;
    return strcmp(name, "tlsivgen") == 0 && slot->counts && slot->has_key && slot->nonce_len < 8;
}

/* Gives OpenSSL the nonce whose end this provider has drawn: the fixed part alone is what programs give. */
static void align_fixed(Run *run, size_t at)
{
    unsigned char iv[128];
    if (EVP_CIPHER_CTX_get_updated_iv(run->contexts[at][OURS], iv, sizeof iv))
        EVP_CIPHER_CTX_ctrl(run->contexts[at][THEIRS], EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv);
}

static void run_set(Run *run, size_t at, Random *random)
{
    Slot *slot = &run->slots[at];
    Value value;
    char call[64];
    draw_value(run->pair, slot, random, &value);
    snprintf(call, sizeof call, "set %s", value.name);
    say(run, call, "%llu, type %u, %zu bytes", (unsigned long long)value.number, value.type, value.len);
    long returned[SIDES];
    for (int side = 0; side < SIDES; side++) {
        OSSL_PARAM set[] = {param_of(run->pair, &value, side), OSSL_PARAM_END};
        returned[side] = EVP_CIPHER_CTX_set_params(run->contexts[at][side], set);
        if (side == OURS && value.type == OSSL_PARAM_OCTET_STRING && unsafe_value(run->pair, slot, value.name, value.len)) {
            without_theirs(run, returned[side]);
            return;
        }
    }
    compare_numbers(run, returned[OURS], returned[THEIRS]);
    if (!slot->live || run->ended)
        return;
    note_value(run->pair, slot, &value, returned[THEIRS] == 1);
    if (run->pair->aead && returned[OURS] == 1 && strcmp(value.name, "tlsivfixed") == 0)
        align_fixed(run, at);
}

/* Keys of ECB, CBC and XTS have a direction in OpenSSL, and without the key again it keeps that of before: it gets the key
 * again, after a look at what it makes of a message without. */
static void turn_key(Run *run, size_t at)
{
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    if (!(pair->blocks || pair->xts) || !slot->live || !slot->has_key || slot->encrypt == slot->key_encrypts)
        return;
    if (pair->shared && !slot->version && !slot->has_mac && !slot->refused && (slot->has_iv || !pair->xts)) {
        static const unsigned char text[32] = {1};
        unsigned char out[SIDES][64] = {{0}};
        int len, ok = 1;
        for (int side = 0; side < SIDES; side++) {
            EVP_CIPHER_CTX *copy = copy_of(run->contexts[at][side]);
            EVP_CIPHER_CTX_set_padding(copy, 0);
            ok &= EVP_CipherUpdate(copy, out[side], &len, text, 32);
            EVP_CIPHER_CTX_free(copy);
        }
        if (ok && memcmp(out[OURS], out[THEIRS], 32) != 0) {
            char state[sizeof run->state];
            state_words(pair, slot, state, sizeof state);
            if (!row_of(pair->ours_name, state, "update", "bytes", "other bytes"))
                differ(run, "bytes", "other bytes");
        }
    }
    unsigned num = number_of(run->contexts[at][OURS], "num"), padding = number_of(run->contexts[at][OURS], "padding");
    OSSL_PARAM as_before[] = {OSSL_PARAM_uint("num", &num), OSSL_PARAM_uint("padding", &padding), OSSL_PARAM_END};
    EVP_CipherInit_ex2(run->contexts[at][THEIRS], NULL, slot->key, NULL, -1, NULL);
    EVP_CIPHER_CTX_set_params(run->contexts[at][THEIRS], as_before);
    slot->key_encrypts = slot->encrypt;
}

static void follow_message(Run *run, size_t at, int with_key, const unsigned char *iv)
{
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    Message *message = &slot->message;
    if (pair->shared || !slot->has_key) {
        message->followed = 0;
    } else if (!pair->aead) {
        unsigned char running[16] = {0};
        size_t len = (size_t)EVP_CIPHER_get_iv_length(pair->ours);
        if (len && !EVP_CIPHER_CTX_get_updated_iv(run->contexts[at][OURS], running, sizeof running))
            differ(run, "vector", "no vector");
        if (iv && memcmp(iv, running, len) != 0)
            differ(run, "vector", "another vector");
        message_begin(message, slot->encrypt, running, len);
        message->followed = !slot->version && !slot->refused;
    } else if (iv) {
        message_begin(message, slot->encrypt, iv, slot->nonce_len);
    } else if (slot->encrypt != message->encrypt || with_key) {
        if (slot->nonce != NONCE_SET)
            message->followed = 0;
        message->encrypt = slot->encrypt;
    }
    /* Associated data is forgotten. */
    if (pair->whole && !iv) {
        message->followed &= message->in_len == 0;
        message->aad_len = message->strings = 0;
    }
}

static void run_init(Run *run, size_t at, Random *random)
{
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    EVP_CIPHER_CTX **contexts = run->contexts[at];
    int fresh = slot->live ? below(random, 10) == 0 : below(random, 16) > 0;
    int usual = fresh && below(random, 4) > 0;
    int with_key = usual || below(random, 2), with_iv = usual || below(random, 2), direction = (int)below(random, 3) - 1;
    int variant = (int)below(random, 4), with_value = variant < 2 && below(random, 4) == 0;
    unsigned char key[64], iv[128];
    fill(random, key, sizeof key);
    fill(random, iv, sizeof iv);
    if (slot->has_key && below(random, 3) == 0)
        memcpy(key, slot->key, sizeof key);
    if (below(random, 16) == 0)
        memset(key, 9, sizeof key);
    if (slot->has_iv && below(random, 3) == 0)
        memcpy(iv, slot->iv, sizeof iv);
    else if (below(random, 8) == 0)
        memset(iv, 0xff, sizeof iv);
    Value value;
    draw_value(pair, slot, random, &value);
    if (variant == 1 && direction < 0)
        direction = 1;
    say(run, "init", "%s%s%s%s%s, direction %d, function %d", fresh ? "cipher " : "", with_key ? "key " : "",
        with_iv ? "vector " : "", with_value ? "parameter " : "", with_value ? value.name : "", direction, variant);
    if (pair->aead && strncmp(value.name, "tlsiv", 5) == 0 && value.len > (fresh ? 12 : slot->nonce_len))
        with_value = 0;
    /* Nonces of other modes have another length unless it is set. */
    if (fresh && pair->aead && !pair->shared && EVP_CIPHER_get_iv_length(pair->ours) != 12) {
        CHECK(EVP_CipherInit_ex2(contexts[OURS], pair->ours, NULL, NULL, -1, NULL), "no cipher");
        CHECK(EVP_CipherInit_ex2(contexts[THEIRS], pair->theirs, NULL, NULL, -1, NULL), "no cipher");
        CHECK(EVP_CIPHER_CTX_ctrl(contexts[THEIRS], EVP_CTRL_AEAD_SET_IVLEN, 16, NULL), "no length");
        memset(slot, 0, offsetof(Slot, message));
        slot->live = 1, slot->nonce_len = 16, fresh = 0;
    }
    int before = slot->encrypt;
    long returned[SIDES];
    for (int side = 0; side < SIDES; side++) {
        const EVP_CIPHER *cipher = !fresh ? NULL : side == OURS ? pair->ours : pair->theirs;
        OSSL_PARAM list[] = {param_of(pair, &value, side), OSSL_PARAM_END}, *params = with_value ? list : NULL;
        const unsigned char *its_key = with_key ? key : NULL, *its_iv = with_iv ? iv : NULL;
        EVP_CIPHER_CTX *context = contexts[side];
        returned[side] = variant == 3 ? EVP_CipherInit(context, cipher, its_key, its_iv, direction)
            : variant == 2          ? EVP_CipherInit_ex(context, cipher, NULL, its_key, its_iv, direction)
            : variant == 0          ? EVP_CipherInit_ex2(context, cipher, its_key, its_iv, direction, params)
            : direction             ? EVP_EncryptInit_ex2(context, cipher, its_key, its_iv, params)
                                    : EVP_DecryptInit_ex2(context, cipher, its_key, its_iv, params);
    }
    if (fresh) {
        memset(slot, 0, offsetof(Slot, message));
        slot->live = 1, slot->nonce_len = (size_t)EVP_CIPHER_get_iv_length(pair->ours);
    }
    slot->encrypt = EVP_CIPHER_CTX_is_encrypting(contexts[THEIRS]);
    /* The state that allows a difference depends on the wanted direction. */
    state_words(pair, slot, run->state, sizeof run->state);
    if (pair->xts && with_key && memcmp(key, key + 16, 16) == 0)
        strcat(run->state, "equal ");
    compare_numbers(run, returned[OURS], returned[THEIRS]);
    if (run->ended || !slot->live)
        return;
    int length_first = with_value && (strcmp(value.name, "ivlen") == 0 || strcmp(value.name, "keylen") == 0);
    int done = returned[THEIRS] == 1, begun = done || !length_first;
    /* XTS passes over the length of vectors, and takes that of keys if it is its own. */
    if (pair->xts && length_first && (value.name[0] == 'i' || (value.number == 0 && value.type != OSSL_PARAM_OCTET_STRING)))
        begun = 1;
    int refused = pair->xts && with_key && !done && begun && memcmp(key, key + 16, 16) == 0;
    if (length_first)
        note_value(pair, slot, &value, done);
    /* EVP knows of another direction now than either provider: there is no more to be told apart. */
    if (!begun && slot->encrypt != before)
        run->ended = 1;
    if (begun) {
        slot->held = 0;
        if (with_iv && pair->has_iv)
            slot->has_iv = 1, memcpy(slot->iv, iv, sizeof iv);
        if (with_iv && pair->aead)
            note_fresh_nonce(slot, NONCE_SET);
        if (with_key && refused) {
            slot->refused = slot->has_key;
        } else if (with_key) {
            if (slot->nonce == NONCE_IN_USE && pair->aead)
                slot->rekeyed = 1;
            memcpy(slot->key, key, sizeof key);
            slot->hollow = 0;
            slot->has_key = 1, slot->key_encrypts = slot->encrypt, slot->refused = 0;
        }
        follow_message(run, at, with_key, with_iv && pair->has_iv ? iv : NULL);
    }
    if (with_value && !length_first && begun) {
        note_value(pair, slot, &value, done);
        if (done && pair->aead && strcmp(value.name, "tlsivfixed") == 0)
            align_fixed(run, at);
    }
    if (begun)
        turn_key(run, at);
}

/* A block or more for a context that decrypts, which ends in right padding, of PKCS #7 or of TLS. */
static size_t pad_data(const Slot *slot, Random *random, int block, unsigned char *data, size_t len)
{
    size_t padding = 1 + below(random, slot->version ? len : (size_t)block);
    if (padding > 256)
        padding = 256;
    memset(data + len - padding, (int)(slot->version ? padding - 1 : padding), padding);
    return padding;
}

/* Compares the MACs that came off a record. */
static void compare_macs(Run *run, size_t at)
{
    void *macs[SIDES] = {NULL, NULL};
    size_t lens[SIDES];
    for (int side = 0; side < SIDES; side++) {
        OSSL_PARAM ask[] = {OSSL_PARAM_octet_ptr("tls-mac", &macs[side], 0), OSSL_PARAM_END};
        CHECK(EVP_CIPHER_CTX_get_params(run->contexts[at][side], ask), "no MAC");
        lens[side] = ask[0].return_size;
    }
    if (lens[OURS] != lens[THEIRS] || !macs[OURS] || !macs[THEIRS] || memcmp(macs[OURS], macs[THEIRS], lens[OURS]) != 0)
        differ(run, "MAC", "another MAC");
}

static int explicit_vector(unsigned version)
{
    return version == 0x302 || version == 0x303 || version == 0xfeff || version == 0xfefd || version == 0x100;
}

/* An update, by EVP_CipherUpdate and its kin or by EVP_Cipher, of a message or of associated data. */
static void run_update(Run *run, size_t at, Random *random, Kind kind)
{
    static _Thread_local unsigned char in[SIDES][ROOM], out[SIDES][ROOM], given[SIDES][ROOM];
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    EVP_CIPHER_CTX **contexts = run->contexts[at];
    int old = kind == CIPHER, aad = kind == AAD || (old && pair->aead && below(random, 4) == 0);
    int record = slot->version != 0 || slot->record, block = pair->block;
    size_t len = below(random, old ? 3 : 8) == 0 ? 0 : 1 + length(random, MOST_PIECE - 1);
    if (below(random, 4) == 0 || (record && !slot->encrypt && below(random, 8)))
        len -= len % 16;
    if ((pair->xts || slot->record) && len < 40 && below(random, 8))
        len += 32;
    int in_place = !aad && below(random, 8) < (record ? 7 : 3), null = !in_place && len == 0 && below(random, 2);
    int evp = old ? 0 : PICK(random, 0, 0, 0, 0, 0, 0, 1, 2), right_way = evp == 0 || (evp == 1) == slot->encrypt;
    fill(random, given[OURS], len);
    memcpy(given[THEIRS], given[OURS], len);
    int valid = slot->live && slot->has_key && !slot->encrypt && !slot->held && len > 0 && !aad && below(random, 2);
    valid = valid && (pair->blocks ? len % (size_t)block == 0 && !slot->rekeyed : slot->record);
    size_t padding = valid && pair->blocks ? pad_data(slot, random, block, given[OURS], len) : 0;
    memcpy(given[THEIRS], given[OURS], len);
    for (int side = 0; valid && side < SIDES; side++)
        if (pair->blocks)
            encrypt_for(contexts[side], slot->key, given[side], (int)len);
        else if (!pair->whole)
            encrypt_record(contexts[side], slot, given[side], (int)len);
    if (pair->whole && !slot->encrypt && right_way && !aad && len > 0 && slot->message.followed && slot->nonce == NONCE_SET && below(random, 4)) {
        /* The tag is compared with the message, so that it is set before. */
        unsigned char tag[16];
        CHECK(library_seal(pair->ours_name, slot->key, (size_t)EVP_CIPHER_CTX_get_key_length(contexts[OURS]), &slot->message,
                  given[THEIRS], len, given[OURS], tag, 16), "no message");
        for (int side = 0; side < SIDES; side++)
            CHECK(EVP_CIPHER_CTX_ctrl(contexts[side], EVP_CTRL_AEAD_SET_TAG, 16, tag), "no tag");
        note_tag(slot, 16, 1);
        state_words(pair, slot, run->state, sizeof run->state);
    }
    memcpy(in, given, sizeof in);
    const char *call = old ? (len % (size_t)block ? "EVP_Cipher in part" : "EVP_Cipher") : aad ? "associated data" : in_place ? "update in place" : "update";
    if (aad && !pair->aead)
        call = "update without output", len += 64, null = 0;
    say(run, call, "%zu bytes%s%s%s, function %d", len, null ? ", NULL" : "", valid ? ", valid" : "", aad ? ", no output" : "", evp);
    int unsafe = slot->hollow && right_way && slot->has_iv && len >= 16 && !null && !aad;
    unsafe |= slot->live && slot->has_key && right_way
        && ((aad && !pair->aead && !pair->xts && !slot->version)
            || (pair->blocks && !old && !slot->encrypt && in_place && len == 0 && explicit_vector(slot->version)
                && number_of(contexts[THEIRS], "padding"))
            || (slot->record && len >= 24 && in_place && slot->counts && slot->nonce_len < 8));
    if (aad && !pair->aead && (!unsafe || below(random, 16)))
        return;
    int drawn = draws_nonce(pair, slot) && right_way && (old || len > 0);
    Result results[SIDES];
    for (int side = 0; side < SIDES; side++) {
        Result *result = &results[side];
        unsigned char *to = aad ? NULL : in_place ? in[side] : out[side], *from = null ? NULL : in[side];
        int written = 0;
        if (side == THEIRS && unsafe) {
            without_theirs(run, results[OURS].returned);
            return;
        }
        if (side == THEIRS && drawn && results[OURS].returned > 0 - old) {
            /* OpenSSL draws a nonce too, before it gets the one that this provider has drawn. */
            EVP_CIPHER_CTX *copy = copy_of(contexts[THEIRS]);
            unsigned char scratch[ROOM];
            long returned = old ? EVP_Cipher(copy, aad ? NULL : scratch, from, (unsigned)len)
                                : EVP_CipherUpdate(copy, aad ? NULL : scratch, &written, from, (int)len);
            EVP_CIPHER_CTX_free(copy);
            compare_numbers(run, results[OURS].returned, returned);
            if (run->ended)
                return;
            align_nonce(run, at);
        }
        result->returned = old ? EVP_Cipher(contexts[side], to, from, (unsigned)len)
            : evp == 1         ? EVP_EncryptUpdate(contexts[side], to, &written, from, (int)len)
            : evp == 2         ? EVP_DecryptUpdate(contexts[side], to, &written, from, (int)len)
                               : EVP_CipherUpdate(contexts[side], to, &written, from, (int)len);
        result->len = old ? (size_t)(result->returned > 0 ? result->returned : 0) : (size_t)written;
        result->count = aad || result->len > ROOM ? 0 : result->len;
        memcpy(result->bytes, in_place ? in[side] : out[side], result->count);
    }
    /* The bytes decide if the padding of a record is right. */
    if (!pair->shared && pair->blocks && slot->version && !old && !slot->encrypt && !valid && slot->has_key) {
        run->ended = 1;
        return;
    }
    if (!pair->shared && pair->aead && old && null && !slot->encrypt && slot->has_tag
        && results[OURS].returned != results[THEIRS].returned) {
        run->ended = 1;
        return;
    }
    compare(run, &results[OURS], &results[THEIRS], pair->shared);
    if (run->ended || !slot->live)
        return;
    int done = old ? results[THEIRS].returned >= 0 : results[THEIRS].returned == 1;
    const Result *ours = &results[OURS];
    if (pair->aead) {
        int end = old && null;
        if (slot->record && right_way && (old || len > 0)) {
            slot->record = 0, slot->nonce = NONCE_USED, slot->made = 0, slot->message.followed = 0;
            slot->has_tag |= done || (slot->has_key && slot->counts && in_place && len >= 24);
        } else if (right_way && (old || len > 0) && slot->has_key && (slot->nonce == NONCE_SET || slot->nonce == NONCE_IN_USE || drawn)) {
            slot->nonce = NONCE_IN_USE;
            slot->split |= old && len == 0 && !aad && !end;
            if (end) {
                int forged = !done && !slot->encrypt && slot->has_tag;
                slot->forged |= forged;
                if (done)
                    slot->nonce = NONCE_USED, slot->made = slot->encrypt, slot->has_tag |= slot->encrypt, slot->overwritten = 0;
            }
        }
        if (done && aad && !end && (old || len > 0 || pair->whole))
            message_aad(&slot->message, given[OURS], len);
    } else if (pair->blocks && !old && done) {
        /* OpenSSL may have written over the part of a block that it kept. */
        if (in_place && slot->held && len > 0)
            run->ended = 1;
        if (slot->version) {
            slot->has_mac = !slot->encrypt && slot->mac_size > 0;
            /* With wrong padding, the MAC of OpenSSL is random. */
            size_t front = explicit_vector(slot->version) ? (size_t)block : 0;
            if (slot->has_mac && pair->shared && valid && front + padding + slot->mac_size <= len)
                compare_macs(run, at);
        } else
            slot->held += len - results[THEIRS].len;
    }
    if (pair->shared || !done || aad || (pair->aead && len == 0))
        return;
    if (old && pair->blocks) {
        slot->message.followed = 0;
    } else if (pair->xts) {
        static _Thread_local unsigned char expected[ROOM];
        int known = slot->message.followed && slot->has_iv;
        if (known && (!library_crypt(pair->ours_name, slot->key, (size_t)EVP_CIPHER_get_key_length(pair->ours), slot->encrypt,
                          slot->message.iv, given[OURS], expected, len)
                || memcmp(expected, ours->bytes, len) != 0))
            differ(run, "library", "other bytes");
    } else {
        message_add(&slot->message, given[OURS], len, ours->bytes, ours->count);
    }
}

static void check_message(Run *run, size_t at, int padded, const unsigned char *tag, size_t tag_len)
{
    Slot *slot = &run->slots[at];
    if (!run->pair->shared && slot->live && slot->has_key
        && !message_is_right(&slot->message, run->pair->ours_name, slot->key,
            (size_t)EVP_CIPHER_CTX_get_key_length(run->contexts[at][OURS]), (size_t)run->pair->block, padded, tag, tag_len))
        differ(run, "library", "other bytes");
}

static void run_final(Run *run, size_t at, Random *random)
{
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    EVP_CIPHER_CTX **contexts = run->contexts[at];
    int evp = PICK(random, 0, 0, 0, 0, 0, 0, 1, 2), right_way = evp == 0 || (evp == 1) == slot->encrypt;
    int padded = slot->live && pair->blocks && number_of(contexts[OURS], "padding"), drawn = draws_nonce(pair, slot) && right_way;
    int under_way = slot->has_key && !slot->record && (slot->nonce == NONCE_SET || slot->nonce == NONCE_IN_USE);
    int tagged = pair->aead && !pair->whole && slot->live && !slot->encrypt && under_way && !slot->rekeyed && !slot->forged && below(random, 2);
    unsigned char tags[SIDES][16];
    int tag_len = 1 + (int)below(random, 16);
    if (below(random, 2))
        tag_len = 16;
    for (int side = 0; tagged && side < SIDES; side++) {
        tag_so_far(contexts[side], tags[side]);
        CHECK(EVP_CIPHER_CTX_ctrl(contexts[side], EVP_CTRL_AEAD_SET_TAG, tag_len, tags[side]), "no tag");
        note_tag(slot, (size_t)tag_len, 1);
    }
    state_words(pair, slot, run->state, sizeof run->state);
    say(run, "final", "function %d%s", evp, tagged ? ", the right tag" : "");
    if (tagged && pair->shared && memcmp(tags[OURS], tags[THEIRS], 16) != 0)
        differ(run, "bytes", "other bytes");
    Result results[SIDES];
    for (int side = 0; side < SIDES && !run->ended; side++) {
        Result *result = &results[side];
        int len = 0;
        if (side == THEIRS && drawn && results[OURS].returned == 1)
            align_nonce(run, at);
        result->returned = evp == 1 ? EVP_EncryptFinal_ex(contexts[side], result->bytes, &len)
            : evp == 2              ? EVP_DecryptFinal_ex(contexts[side], result->bytes, &len)
                                    : EVP_CipherFinal_ex(contexts[side], result->bytes, &len);
        result->len = result->count = (size_t)len;
    }
    if (run->ended)
        return;
    /* With padding to take off or a tag to compare, what comes of it depends on the bytes. */
    int by_bytes = !pair->shared && right_way && !slot->encrypt && (padded || (slot->has_tag && !tagged));
    if (by_bytes && results[OURS].returned != results[THEIRS].returned) {
        run->ended = 1;
        return;
    }
    if (by_bytes)
        results[THEIRS].len = results[THEIRS].count = results[OURS].len;
    compare(run, &results[OURS], &results[THEIRS], pair->shared);
    if (run->ended || !slot->live || !right_way)
        return;
    int done = results[THEIRS].returned == 1;
    if (done) {
        Message *message = &slot->message;
        if (!pair->shared && message->followed && (pair->blocks || pair->streams) && results[OURS].len + message->out_len <= MOST_MESSAGE) {
            memcpy(message->out + message->out_len, results[OURS].bytes, results[OURS].len);
            message->out_len += results[OURS].len;
        }
        slot->held = 0;
    }
    if (pair->aead) {
        if (slot->record)
            slot->record = 0, slot->nonce = NONCE_USED, slot->made = 0;
        else if (done) {
            unsigned char made[SIDES][32] = {{0}};
            for (int side = 0; slot->encrypt && !pair->whole && side < SIDES; side++)
                CHECK(EVP_CIPHER_CTX_ctrl(contexts[side], EVP_CTRL_AEAD_GET_TAG, 16, made[side]), "no tag");
            slot->nonce = NONCE_USED;
            if (slot->encrypt)
                slot->made = slot->has_tag = 1, slot->overwritten = 0;
            if (pair->shared && memcmp(made[OURS], made[THEIRS], 16) != 0)
                differ(run, "bytes", "other bytes");
            int made_len = pair->whole ? EVP_CIPHER_CTX_get_tag_length(contexts[OURS]) : tagged ? tag_len : 16;
            /* Its length may have been set anew since, and then there is none. */
            if (pair->whole && slot->encrypt && EVP_CIPHER_CTX_ctrl(contexts[OURS], EVP_CTRL_AEAD_GET_TAG, made_len, made[OURS]) <= 0)
                slot->message.followed = 0;
            check_message(run, at, 0, slot->encrypt ? made[OURS] : tagged ? tags[OURS] : NULL, (size_t)made_len);
        } else if (under_way) {
            slot->nonce = NONCE_IN_USE;
            slot->forged |= !slot->encrypt && slot->has_tag;
        }
    } else if (done && !pair->xts) {
        check_message(run, at, padded && slot->encrypt, NULL, 0);
    }
    if (!pair->streams)
        slot->message.followed = 0;
}

static void run_get(Run *run, size_t at, Random *random)
{
    static const char *const NAMES[] = {"padding", "num", "keylen", "ivlen", "taglen", "tlsaadpad", "no-such-parameter", "iv",
        "updated-iv", "tag", "tls-mac", "tlsivgen", "get_key_length", "get_iv_length", "get_num", "get_tag_length",
        "is_encrypting", "get_block_size"};
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    size_t drawn = below(random, slot->live ? 18 : 12);
    int delta = PICK(random, 0, 0, 0, 100, -1), pointer = drawn == 10 ? below(random, 8) > 0 : below(random, 4) == 0;
    int kind = PICK(random, 0, 0, 1, 2), size = PICK(random, 16, 16, 12, 1, 17, 0), null = below(random, 16) == 0;
    char call[64];
    snprintf(call, sizeof call, "get %s", NAMES[drawn]);
    say(run, call, "%d %d %d%s", delta, size, kind, null ? ", NULL" : pointer ? ", pointer" : "");
    Result results[SIDES];
    for (int side = 0; side < SIDES; side++) {
        EVP_CIPHER_CTX *context = run->contexts[at][side];
        Result *result = &results[side];
        memset(result, 0, sizeof *result);
        if (drawn >= 12) {
            int (*const ASK[])(const EVP_CIPHER_CTX *) = {EVP_CIPHER_CTX_get_key_length, EVP_CIPHER_CTX_get_iv_length,
                EVP_CIPHER_CTX_get_num, EVP_CIPHER_CTX_get_tag_length, EVP_CIPHER_CTX_is_encrypting,
                EVP_CIPHER_CTX_get_block_size};
            result->returned = ASK[drawn - 12](context);
            if (!pair->shared && (drawn < 15 || drawn == 17))
                result->returned = result->returned > 0 || drawn == 14;
            continue;
        }
        unsigned char room[256] = {0};
        void *place = NULL;
        int iv_len = slot->live ? EVP_CIPHER_CTX_get_iv_length(context) : 16;
        OSSL_PARAM ask[] = {{NAMES[drawn], OSSL_PARAM_UNSIGNED_INTEGER, room, kind == 1 ? 8 : 4, OSSL_PARAM_UNMODIFIED}, OSSL_PARAM_END};
        if (drawn < 7 && kind == 2)
            ask[0].data_type = OSSL_PARAM_INTEGER;
        if (drawn >= 7) {
            ask[0].data_type = pointer ? OSSL_PARAM_OCTET_PTR : OSSL_PARAM_OCTET_STRING;
            ask[0].data_size = drawn >= 9 ? (size_t)size : (size_t)(iv_len + delta < 0 ? 0 : iv_len + delta);
            if (pointer)
                ask[0].data = &place;
        }
        if (null)
            ask[0].data = NULL;
        if (side == THEIRS && !null && !pointer && unsafe_value(pair, slot, NAMES[drawn], 0)) {
            without_theirs(run, results[OURS].returned);
            return;
        }
        result->returned = EVP_CIPHER_CTX_get_params(context, ask);
        if (result->returned != 1)
            continue;
        /* OpenSSL does not say how many bytes of a nonce it wrote. */
        result->len = drawn == 11 ? 0 : ask[0].return_size;
        if (drawn == 7 || drawn == 8)
            result->len = ask[0].return_size == (size_t)iv_len;
        if (drawn < 7) {
            if (pair->shared || drawn < 1 || drawn > 3)
                memcpy(result->bytes, room, result->count = 8);
        } else if (pair->shared && drawn != 10 && !null) {
            result->count = drawn == 11 ? 128 : (size_t)iv_len * (drawn < 9) + (size_t)size * (drawn == 9);
            if (!pointer)
                memcpy(result->bytes, room, result->count);
            else if (place)
                memcpy(result->bytes, place, result->count);
        }
    }
    compare(run, &results[OURS], &results[THEIRS], 1);
    if (drawn == 11 && !run->ended && results[THEIRS].returned == 1 && slot->live && slot->counts)
        note_fresh_nonce(slot, NONCE_IN_USE);
}

static void run_ctrl(Run *run, size_t at, Random *random)
{
    static const struct {
        int type;
        const char *name;
    } TYPES[] = {{EVP_CTRL_INIT, "INIT"}, {EVP_CTRL_SET_KEY_LENGTH, "SET_KEY_LENGTH"}, {EVP_CTRL_AEAD_SET_MAC_KEY, "SET_MAC_KEY"},
        {EVP_CTRL_GET_RC5_ROUNDS, "GET_RC5_ROUNDS"}, {EVP_CTRL_SET_SPEED, "SET_SPEED"}, {0x1234, "no such call"},
        {EVP_CTRL_CCM_SET_L, "set ivlen"}, {EVP_CTRL_AEAD_SET_IVLEN, "set ivlen"}, {EVP_CTRL_AEAD_SET_IV_FIXED, "set tlsivfixed"},
        {EVP_CTRL_GCM_IV_GEN, "get tlsivgen"}, {EVP_CTRL_GCM_SET_IV_INV, "set tlsivinv"}, {EVP_CTRL_AEAD_GET_TAG, "get tag"},
        {EVP_CTRL_AEAD_SET_TAG, "set tag"}, {EVP_CTRL_AEAD_TLS1_AAD, "set tlsaad"}};
    const Pair *pair = run->pair;
    Slot *slot = &run->slots[at];
    size_t drawn = pair->whole ? (size_t)PICK(random, 0, 2, 3, 5, 11, 12) : pair->aead && below(random, 8) ? 6 + below(random, 8) : below(random, 14);
    int type = TYPES[drawn].type, null = 0, arg = PICK(random, 0, 1, 8, 12, -1);
    Result results[SIDES] = {{0}};
    unsigned char bytes[160];
    fill(random, bytes, sizeof bytes);
    switch (drawn) {
    case 6: arg = 1 + (int)below(random, 8); break;
    case 7: arg = PICK(random, 12, 12, 16, 8, 1, 7, 128, 0, 129, -1); break;
    case 8: arg = PICK(random, 4, 4, 4, -1, 3, 12, 100); break;
    case 9: arg = PICK(random, 8, 8, -1, 0, 4, 12, 20); break;
    case 10: arg = PICK(random, 8, 8, 8, 4, 12, 20, -1); break;
    case 11: arg = PICK(random, 16, 16, 12, 1, 17, 0); break;
    case 12: arg = PICK(random, 16, 16, 12, 1, 17, 0), null = below(random, 8) == 0; break;
    case 13: arg = PICK(random, 13, 13, 13, 13, 12), bytes[11] = (unsigned char)below(random, 2); break;
    default: break;
    }
    say(run, TYPES[drawn].name, "call of %d%s", arg, null ? ", NULL" : "");
    size_t unsafe_len = arg < 0 ? SIZE_MAX : (size_t)arg;
    const char *param = strchr(TYPES[drawn].name, ' ');
    for (int side = 0; side < SIDES; side++) {
        Result *result = &results[side];
        memcpy(result->bytes, bytes, sizeof bytes);
        if (side == THEIRS && param && unsafe_value(pair, slot, param + 1, unsafe_len)) {
            without_theirs(run, results[OURS].returned);
            return;
        }
        int its = drawn == 1 && slot->live ? arg + EVP_CIPHER_CTX_get_key_length(run->contexts[at][side]) : arg;
        result->returned = EVP_CIPHER_CTX_ctrl(run->contexts[at][side], type, its, null ? NULL : result->bytes);
        result->count = sizeof bytes;
    }
    compare(run, &results[OURS], &results[THEIRS], pair->shared || drawn < 9);
    if (!slot->live || run->ended || !pair->aead)
        return;
    int ok = results[THEIRS].returned > 0;
    if ((drawn == 6 && arg >= 2) || drawn == 7)
        ok ? note_nonce_len(slot, (size_t)(drawn == 6 ? 15 - arg : arg)) : (void)0;
    else if (drawn == 8 && ok) {
        note_fresh_nonce(slot, NONCE_SET), slot->counts = 1;
        align_fixed(run, at);
    } else if ((drawn == 9 || drawn == 10) && ok)
        note_fresh_nonce(slot, NONCE_IN_USE);
    else if (drawn == 12)
        note_tag(slot, null ? 0 : (size_t)arg, ok);
    else if (drawn == 13)
        note_record(slot, bytes, (size_t)arg);
}

static void run_copy(Run *run, size_t from)
{
    size_t to = 1 - from;
    Slot *slot = &run->slots[from];
    say(run, "copy", "%zu to %zu", from, to);
    long ours = EVP_CIPHER_CTX_copy(run->contexts[to][OURS], run->contexts[from][OURS]);
    if (slot->has_mac) {
        without_theirs(run, ours);
        return;
    }
    compare_numbers(run, ours, EVP_CIPHER_CTX_copy(run->contexts[to][THEIRS], run->contexts[from][THEIRS]));
    if (ours == 1) {
        run->slots[to] = *slot;
        run->slots[to].hollow |= run->pair->xts && !slot->has_key;
    }
}

static void run_call(Run *run, const Call *call)
{
    Random random = {call->seed | 1};
    size_t at = below(&random, 8) == 0;
    Slot *slot = &run->slots[at];
    EVP_CIPHER_CTX **contexts = run->contexts[at];
    Kind kind = call->kind;
    if (!slot->live && (kind == CIPHER || kind == KEYLEN))
        kind = INIT;
    state_words(run->pair, slot, run->state, sizeof run->state);
    int number = (int)below(&random, 3);
    switch (kind) {
    case INIT: run_init(run, at, &random); break;
    case UPDATE:
    case AAD:
    case CIPHER: run_update(run, at, &random, kind); break;
    case FINAL: run_final(run, at, &random); break;
    case PADDING:
        say(run, "set padding", "call of %d", number);
        compare_numbers(run, EVP_CIPHER_CTX_set_padding(contexts[OURS], number), EVP_CIPHER_CTX_set_padding(contexts[THEIRS], number));
        break;
    case SET: run_set(run, at, &random); break;
    case GET: run_get(run, at, &random); break;
    case CTRL: run_ctrl(run, at, &random); break;
    case KEYLEN:
        say(run, "set_key_length", "%d more", number * 4);
        compare_numbers(run, EVP_CIPHER_CTX_set_key_length(contexts[OURS], EVP_CIPHER_get_key_length(run->pair->ours) + number * 4),
            EVP_CIPHER_CTX_set_key_length(contexts[THEIRS], EVP_CIPHER_get_key_length(run->pair->theirs) + number * 4));
        break;
    case COPY: run_copy(run, at); break;
    case RESET:
        say(run, "reset", "%zu", at);
        compare_numbers(run, EVP_CIPHER_CTX_reset(contexts[OURS]), EVP_CIPHER_CTX_reset(contexts[THEIRS]));
        memset(slot, 0, offsetof(Slot, message));
        slot->message.followed = 0;
        break;
    default: break;
    }
}

#endif
