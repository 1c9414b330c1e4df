/* Known answers for ciphers of the provider: OpenSSL's own test data (the files evpciph_*.txt of its `evp_test`), or messages
 * with tags as the program abreast-vectors prints them, a line each.
 *
 *   data FILE..
 *   data lines FILE
 */
#include <ctype.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#include "check.h"

enum { MOST = 8192 };

typedef struct {
    unsigned char bytes[MOST];
    size_t len;
    int is_there;
} Bytes;

/* A case: what was read of it so far. */
typedef struct {
    char cipher[64], operation[16], result[32];
    Bytes key, iv, plaintext, ciphertext, aad, tag, next_iv;
    int tag_is_late;
} Case;

static void unhex(const char *digits, Bytes *value)
{
    value->is_there = 1;
    value->len = strlen(digits) / 2;
    CHECK(value->len <= MOST, "a longer value than there is room for");
    for (size_t at = 0; at < value->len; at++) {
        unsigned byte;
        CHECK(sscanf(digits + 2 * at, "%2x", &byte) == 1, "no hexadecimal: %s", digits);
        value->bytes[at] = (unsigned char)byte;
    }
}

/* Takes a line of a case; whether it is one that is known. */
static int take(Case *it, const char *name, const char *value)
{
    Bytes *bytes = strcmp(name, "Key") == 0     ? &it->key
        : strcmp(name, "IV") == 0               ? &it->iv
        : strcmp(name, "Plaintext") == 0        ? &it->plaintext
        : strcmp(name, "Ciphertext") == 0       ? &it->ciphertext
        : strcmp(name, "AAD") == 0              ? &it->aad
        : strcmp(name, "Tag") == 0              ? &it->tag
        : strcmp(name, "NextIV") == 0           ? &it->next_iv
                                                : NULL;
    if (bytes)
        unhex(value, bytes);
    else if (strcmp(name, "Cipher") == 0)
        snprintf(it->cipher, sizeof it->cipher, "%s", value);
    else if (strcmp(name, "Operation") == 0)
        snprintf(it->operation, sizeof it->operation, "%s", value);
    else if (strcmp(name, "Result") == 0)
        snprintf(it->result, sizeof it->result, "%s", value);
    else if (strcmp(name, "SetTagLate") == 0)
        it->tag_is_late = 1;
    else
        return strcmp(name, "Title") == 0 || strcmp(name, "Availablein") == 0 || strcmp(name, "FIPSversion") == 0;
    return 1;
}

/* Encrypts or decrypts, in pieces of so many bytes; what went wrong, in the words of the data. */
static const char *crypt_case(const Case *it, EVP_CIPHER *cipher, int encrypt, size_t piece, int line)
{
    const Bytes *input = encrypt ? &it->plaintext : &it->ciphertext;
    const Bytes *output = encrypt ? &it->ciphertext : &it->plaintext;
    unsigned char out[MOST + 32], tag[16];
    int aead = (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0, len;
    size_t all = 0;
    const char *wrong = NULL;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    CHECK(context && EVP_CipherInit_ex2(context, cipher, NULL, NULL, encrypt, NULL), "line %d", line);
    if (aead && !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)it->iv.len, NULL)) {
        wrong = "INVALID_IV_LENGTH";
        goto end;
    }
    if (aead && !encrypt && !it->tag_is_late)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)it->tag.len, (void *)it->tag.bytes), "line %d", line);
    if (!EVP_CipherInit_ex2(context, NULL, it->key.bytes, it->iv.bytes, encrypt, NULL)) {
        wrong = "KEY_SET_ERROR";
        goto end;
    }
    if (aead && !encrypt && it->tag_is_late)
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)it->tag.len, (void *)it->tag.bytes), "line %d", line);
    EVP_CIPHER_CTX_set_padding(context, 0);
    for (size_t at = 0; at < it->aad.len; at += piece) {
        size_t some = it->aad.len - at < piece ? it->aad.len - at : piece;
        CHECK(EVP_CipherUpdate(context, NULL, &len, it->aad.bytes + at, (int)some), "line %d", line);
    }
    /* A message in GCM-SIV comes in one piece. */
    size_t most = strstr(it->cipher, "-SIV") ? MOST : piece;
    for (size_t at = 0; at < input->len; at += most) {
        size_t some = input->len - at < most ? input->len - at : most;
        if (!EVP_CipherUpdate(context, out + all, &len, input->bytes + at, (int)some)) {
            wrong = "CIPHERUPDATE_ERROR";
            goto end;
        }
        all += (size_t)len;
    }
    if (!EVP_CipherFinal_ex(context, out + all, &len)) {
        wrong = "CIPHERFINAL_ERROR";
        goto end;
    }
    all += (size_t)len;
    CHECK(all == output->len && memcmp(out, output->bytes, all) == 0, "line %d, in pieces of %zu", line, piece);
    if (aead && encrypt) {
        CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int)it->tag.len, tag), "line %d", line);
        CHECK(memcmp(tag, it->tag.bytes, it->tag.len) == 0, "line %d, in pieces of %zu", line, piece);
    }
    if (it->next_iv.is_there) {
        CHECK(EVP_CIPHER_CTX_get_updated_iv(context, out, it->next_iv.len), "line %d", line);
        CHECK(memcmp(out, it->next_iv.bytes, it->next_iv.len) == 0, "line %d: the next vector", line);
    }
end:
    EVP_CIPHER_CTX_free(context);
    return wrong;
}

static unsigned long check_case(const Case *it, int line)
{
    static const size_t PIECES[] = {MOST, 1, 7, 16, 33};
    unsigned long checked = 0;
    EVP_CIPHER *cipher = it->cipher[0] ? EVP_CIPHER_fetch(NULL, it->cipher, "provider=abreast") : NULL;
    if (!cipher)
        return 0;
    for (int encrypt = 0; encrypt < 2; encrypt++) {
        if (it->operation[0] && (strcmp(it->operation, "ENCRYPT") == 0) != encrypt)
            continue;
        for (size_t at = 0; at < sizeof PIECES / sizeof *PIECES; at++) {
            /* A piece is a unit there. */
            if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE && at > 0)
                break;
            const char *wrong = crypt_case(it, cipher, encrypt, PIECES[at], line);
            const char *expected = it->result[0] ? it->result : "nothing";
            /* OpenSSL refuses two equal keys when it encrypts, and the provider always. */
            if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE
                && memcmp(it->key.bytes, it->key.bytes + it->key.len / 2, it->key.len / 2) == 0)
                expected = "KEY_SET_ERROR";
            CHECK(strcmp(wrong ? wrong : "nothing", expected) == 0, "line %d, encrypt %d: %s is wrong, and not %s", line,
                encrypt, wrong ? wrong : "nothing", expected);
            checked++;
        }
    }
    EVP_CIPHER_free(cipher);
    return checked;
}

static unsigned long check_file(const char *path)
{
    static char text[4 * MOST];
    Case it;
    unsigned long checked = 0;
    FILE *file = fopen(path, "r");
    CHECK(file, "%s cannot be read", path);
    memset(&it, 0, sizeof it);
    for (int line = 1;; line++) {
        int more = fgets(text, sizeof text, file) != NULL;
        size_t len = more ? strlen(text) : 0;
        while (len > 0 && isspace((unsigned char)text[len - 1]))
            text[--len] = 0;
        /* A case ends with an empty line. */
        if (!more || len == 0) {
            checked += check_case(&it, line);
            memset(&it, 0, sizeof it);
            if (!more)
                break;
            continue;
        }
        char *equals = strchr(text, '=');
        if (text[0] == '#' || !equals)
            continue;
        char *end = equals, *value = equals + 1;
        while (end > text && isspace((unsigned char)end[-1]))
            end--;
        *end = 0;
        while (isspace((unsigned char)*value))
            value++;
        /* Lines that are not known belong to ciphers that the provider has not. */
        if (!take(&it, text, value))
            it.cipher[0] = 0;
    }
    fclose(file);
    return checked;
}

/* A line of abreast-vectors: set, mode, cipher, validity, a number, and six fields of bytes, where "-" is none. */
static unsigned long check_line(char *text, int line)
{
    static const size_t PIECES[] = {MOST, 1, 16, 33};
    enum { SET, MODE, CIPHER, VALID, NUMBER, BYTES, FIELDS = BYTES + 6 };
    static Case it;
    Bytes *const bytes[] = {&it.key, &it.iv, &it.aad, &it.plaintext, &it.ciphertext, &it.tag};
    char *fields[FIELDS];
    for (int at = 0; at < FIELDS; at++)
        CHECK((fields[at] = strsep(&text, " ")) && text, "line %d has no field %d", line, at);
    if (strcmp(fields[MODE], "gcm") != 0 && strcmp(fields[MODE], "eax") != 0 && strcmp(fields[MODE], "gcm-siv") != 0)
        return 0;
    memset(&it, 0, sizeof it);
    snprintf(it.cipher, sizeof it.cipher, "%s%s-%s", strcmp(fields[MODE], "eax") ? "" : "ABREAST-", fields[CIPHER], fields[MODE]);
    for (char *letter = it.cipher; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, it.cipher, "provider=abreast");
    if (!cipher)
        return 0;
    for (int at = BYTES; at < FIELDS; at++)
        unhex(strcmp(fields[at], "-") ? fields[at] : "", bytes[at - BYTES]);
    /* The nonces of EVP have 1 to 128 bytes. */
    int valid = strcmp(fields[VALID], "valid") == 0, known = it.iv.len >= !!valid && it.iv.len <= 128;
    for (size_t at = 0; known && at < sizeof PIECES / sizeof *PIECES; at++)
        for (int encrypt = 0; encrypt <= valid; encrypt++) {
            const char *wrong = crypt_case(&it, cipher, encrypt, PIECES[at], line);
            CHECK((wrong == NULL) == valid, "line %d, encrypt %d: %s", line, encrypt, wrong ? wrong : "nothing is wrong");
        }
    EVP_CIPHER_free(cipher);
    return known;
}

static unsigned long check_lines(const char *path)
{
    static char text[8 * MOST];
    unsigned long checked = 0;
    FILE *file = fopen(path, "r");
    CHECK(file, "%s cannot be read", path);
    for (int line = 1; fgets(text, sizeof text, file); line++)
        checked += check_line(text, line);
    fclose(file);
    return checked;
}

int main(int count, char **arguments)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "abreast");
    CHECK(provider, "it does not load");
    unsigned long checked = 0;
    int lines = count == 3 && strcmp(arguments[1], "lines") == 0;
    if (lines)
        checked = check_lines(arguments[2]);
    for (int at = 1; !lines && at < count; at++)
        checked += check_file(arguments[at]);
    OSSL_PROVIDER_unload(provider);
    printf("%lu known answers\n", checked);
    tally(checked, lines ? "known answers through OpenSSL" : "known answers of OpenSSL's");
    return checked > 0 ? 0 : 1;
}
