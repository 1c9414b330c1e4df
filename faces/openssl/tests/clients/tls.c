/* TLS between two ends in this process, one of them with the provider and the other with OpenSSL's own ciphers: messages of
 * random lengths both ways, keys that are updated or negotiated again on the way, and at the end a record that was changed.
 *
 *   tls CONFIGURATION SEED COUNT    the configuration is that of the end with the provider; COUNT messages for each suite
 */
#include <openssl/core_names.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "check.h"

enum { MOST = 40000 };

typedef struct {
    const char *name;
    int version, without_etm;
} Suite;

static const Suite SUITES[] = {
    {"TLS_AES_128_GCM_SHA256", TLS1_3_VERSION, 0},
    {"TLS_AES_256_GCM_SHA384", TLS1_3_VERSION, 0},
    {"ECDHE-ECDSA-AES128-GCM-SHA256", TLS1_2_VERSION, 0},
    {"ECDHE-ECDSA-AES256-GCM-SHA384", TLS1_2_VERSION, 0},
    /* CBC, with the MAC over the ciphertext, and then over the plaintext, where the cipher takes off padding and MAC. */
    {"ECDHE-ECDSA-AES256-SHA384", TLS1_2_VERSION, 0},
    {"ECDHE-ECDSA-AES256-SHA384", TLS1_2_VERSION, 1},
    {"ECDHE-ECDSA-AES128-SHA", TLS1_2_VERSION, 0},
    {"ECDHE-ECDSA-AES128-SHA", TLS1_1_VERSION, 0},
    {"ECDHE-ECDSA-AES256-SHA", TLS1_VERSION, 0},
};

typedef struct {
    OSSL_LIB_CTX *library;
    const char *properties;
    EVP_PKEY *key;
    X509 *certificate;
} End;

static void certify(End *end)
{
    end->key = EVP_PKEY_Q_keygen(end->library, NULL, "EC", "P-256");
    end->certificate = X509_new_ex(end->library, NULL);
    CHECK(end->key && end->certificate, "no key");
    X509_gmtime_adj(X509_getm_notBefore(end->certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(end->certificate), 3600);
    CHECK(X509_set_pubkey(end->certificate, end->key), "no key in the certificate");
    CHECK(X509_sign(end->certificate, end->key, EVP_sha256()), "no certificate");
}

static SSL *begin(const End *end, const Suite *suite, int is_server)
{
    SSL_CTX *context =
        SSL_CTX_new_ex(end->library, end->properties, is_server ? TLS_server_method() : TLS_client_method());
    CHECK(context, "no context");
    SSL_CTX_set_security_level(context, 0);
    CHECK(SSL_CTX_set_min_proto_version(context, suite->version), "no version");
    CHECK(SSL_CTX_set_max_proto_version(context, suite->version), "no version");
    if (suite->version == TLS1_3_VERSION)
        CHECK(SSL_CTX_set_ciphersuites(context, suite->name), "no suite");
    else
        CHECK(SSL_CTX_set_cipher_list(context, suite->name), "no suite");
    SSL_CTX_set_options(context, SSL_OP_ALLOW_CLIENT_RENEGOTIATION | SSL_OP_NO_TICKET);
    if (suite->without_etm)
        SSL_CTX_set_options(context, SSL_OP_NO_ENCRYPT_THEN_MAC);
    if (is_server) {
        CHECK(SSL_CTX_use_certificate(context, end->certificate), "no certificate");
        CHECK(SSL_CTX_use_PrivateKey(context, end->key), "no key");
    }
    SSL *ssl = SSL_new(context);
    CHECK(ssl, "no connection");
    SSL_CTX_free(context);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(ssl), -1);
    if (is_server)
        SSL_set_accept_state(ssl);
    else
        SSL_set_connect_state(ssl);
    return ssl;
}

/* Records of GCM in TLS 1.2 begin with the explicit part of the nonce, which must not come up again under a key: here it
 * counts (RFC 5288, section 3). Nobody who receives a record would notice. */
static void check_nonces(SSL *from, const unsigned char *bytes, size_t len)
{
    static uint64_t last[2];
    static const SSL *of[2];
    int end = SSL_is_server(from), gcm = strstr(SSL_get_cipher_name(from), "GCM") != NULL;
    if (SSL_version(from) != TLS1_2_VERSION || !gcm || !SSL_is_init_finished(from)) {
        of[end] = NULL;
        return;
    }
    for (size_t at = 0, record; at + 13 <= len; at += record) {
        record = 5 + ((size_t)bytes[at + 3] << 8 | bytes[at + 4]);
        /* Others are of a handshake, with which the keys change. */
        if (bytes[at] != SSL3_RT_APPLICATION_DATA) {
            of[end] = NULL;
            continue;
        }
        uint64_t nonce = 0;
        for (int byte = 0; byte < 8; byte++)
            nonce = nonce << 8 | bytes[at + 5 + byte];
        CHECK(of[end] != from || nonce == last[end] + 1, "the nonce after %llx is %llx", (unsigned long long)last[end],
            (unsigned long long)nonce);
        last[end] = nonce;
        of[end] = from;
    }
}

/* Moves what one end has written to the other, and changes a bit of it, so many bytes before its end, if there are any. */
static size_t move(SSL *from, SSL *to, size_t change)
{
    static unsigned char bytes[2 * MOST + 4000];
    int len = BIO_read(SSL_get_wbio(from), bytes, sizeof bytes);
    if (len <= 0)
        return 0;
    check_nonces(from, bytes, (size_t)len);
    CHECK(change <= (size_t)len, "%d bytes", len);
    if (change > 0)
        bytes[(size_t)len - change] ^= 1;
    CHECK(BIO_write(SSL_get_rbio(to), bytes, len) == len, "no room");
    return (size_t)len;
}

static void shake(SSL *client, SSL *server)
{
    for (int turn = 0; turn < 20; turn++) {
        SSL_do_handshake(client);
        move(client, server, 0);
        SSL_do_handshake(server);
        move(server, client, 0);
        if (SSL_is_init_finished(client) && SSL_is_init_finished(server))
            return;
    }
    CHECK(0, "no connection");
}

/* Gives the length of the message. */
static size_t send_message(Random *random, SSL *from, SSL *to)
{
    static unsigned char sent[MOST], received[MOST];
    size_t len = 1 + length(random, MOST - 1), written, got, all = 0;
    fill(random, sent, len);
    CHECK(SSL_write_ex(from, sent, len, &written) && written == len, "a message of %zu bytes", len);
    move(from, to, 0);
    while (all < len) {
        CHECK(SSL_read_ex(to, received + all, len - all, &got), "after %zu of %zu bytes", all, len);
        all += got;
    }
    CHECK(memcmp(sent, received, len) == 0, "%zu bytes", len);
    return len;
}

/* Other keys for what comes. */
static void renew(Random *random, const Suite *suite, SSL *client, SSL *server)
{
    if (suite->version == TLS1_3_VERSION) {
        SSL *end = below(random, 2) ? client : server, *other = end == client ? server : client;
        CHECK(SSL_key_update(end, below(random, 2) ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED), "no");
        send_message(random, end, other);
        send_message(random, other, end);
        return;
    }
    CHECK(SSL_renegotiate(client), "no renegotiation");
    unsigned char none;
    SSL_do_handshake(client);
    for (int turn = 0; turn < 20; turn++) {
        move(client, server, 0);
        SSL_read(server, &none, 0), SSL_peek(server, &none, 1);
        move(server, client, 0);
        SSL_peek(client, &none, 1);
        if (!SSL_renegotiate_pending(client) && SSL_is_init_finished(client) && SSL_is_init_finished(server))
            return;
    }
    CHECK(0, "no renegotiation");
}

static void refuse_change(Random *random, SSL *from, SSL *to)
{
    unsigned char message[500] = {0}, received[500];
    size_t written, got;
    CHECK(SSL_write_ex(from, message, sizeof message, &written), "no message");
    /* Behind the header of the last record: there is an empty one before it in CBC up to TLS 1.0. With another length in a
     * header, the end would wait for more. */
    move(from, to, 1 + below(random, 500));
    ERR_clear_error();
    CHECK(!SSL_read_ex(to, received, sizeof received, &got), "a changed record of %zu bytes", got);
    CHECK(ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC
            || ERR_GET_REASON(ERR_peek_error()) == SSL_R_BAD_RECORD_TYPE
            || ERR_GET_REASON(ERR_peek_error()) == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC,
        "another reason");
}

/* A record of CBC under encrypt-then-MAC has no MAC in it, so that wrong padding has nothing to spoil: it is an error. */
static void refuse_padding(OSSL_LIB_CTX *library, const char *properties, unsigned version)
{
    static const unsigned char key[16] = {1}, iv[16] = {2};
    size_t none = 0;
    OSSL_PARAM records[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &none), OSSL_PARAM_END};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "AES-128-CBC", properties);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    CHECK(cipher && context, "no cipher");
    /* A block in front, as an explicit vector is; then 12 bytes of message and 20 of padding with their length. */
    int front = version == TLS1_VERSION ? 0 : 16, len;
    for (int wrong = -1; wrong < 21; wrong++) {
        unsigned char record[48] = {0};
        memset(record + front + 12, 19, 20);
        if (wrong == 20)
            record[front + 31] = 32;
        else if (wrong >= 0)
            record[front + 12 + wrong] ^= wrong == 19 ? 64 : 1;
        CHECK(EVP_EncryptInit_ex2(context, cipher, key, iv, NULL) && EVP_CIPHER_CTX_set_padding(context, 0), "no key");
        CHECK(EVP_EncryptUpdate(context, record, &len, record, front + 32), "no record");
        CHECK(EVP_DecryptInit_ex2(context, cipher, key, iv, records) && EVP_CIPHER_CTX_set_padding(context, 1), "no key");
        int ok = EVP_DecryptUpdate(context, record, &len, record, front + 32);
        CHECK(ok == (wrong < 0) && len == (ok ? 12 : 0), "%s, version %x, byte %d: %d, %d bytes", properties, version, wrong, ok, len);
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

int main(int count, char **arguments)
{
    CHECK(count == 4, "tls.c says what the arguments are");
    Random random = {strtoull(arguments[2], NULL, 10) | 1};
    unsigned long messages = strtoul(arguments[3], NULL, 10), all = 0, sent = 0;
    End ours = {.library = OSSL_LIB_CTX_new(), .properties = "?provider=abreast"};
    End theirs = {.library = OSSL_LIB_CTX_new(), .properties = "provider=default"};
    CHECK(OSSL_LIB_CTX_load_config(ours.library, arguments[1]), "no configuration");
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(ours.library, "abreast");
    OSSL_PROVIDER *plain = OSSL_PROVIDER_load(theirs.library, "default");
    CHECK(provider && plain, "no providers");
    for (unsigned version = TLS1_VERSION; version <= TLS1_2_VERSION; version++) {
        refuse_padding(theirs.library, theirs.properties, version);
        refuse_padding(ours.library, ours.properties, version);
    }
    certify(&ours);
    certify(&theirs);
    for (size_t at = 0; at < sizeof SUITES / sizeof *SUITES; at++) {
        for (int as_server = 0; as_server < 2; as_server++) {
            const Suite *suite = &SUITES[at];
            SSL *client = begin(as_server ? &theirs : &ours, suite, 0);
            SSL *server = begin(as_server ? &ours : &theirs, suite, 1);
            unsigned long before, after;
            OSSL_PARAM ask[] = {OSSL_PARAM_ulong("abreast-bytes", &before), OSSL_PARAM_END};
            shake(client, server);
            CHECK(strcmp(SSL_get_cipher_name(client), suite->name) == 0, "it is %s", SSL_get_cipher_name(client));
            CHECK(OSSL_PROVIDER_get_params(provider, ask), "no counter");
            sent = 0;
            for (unsigned long message = 0; message < messages; message++, all++) {
                if (message % 50 == 20)
                    renew(&random, suite, client, server);
                int forth = (int)below(&random, 2);
                sent += send_message(&random, forth ? client : server, forth ? server : client);
            }
            ask[0] = OSSL_PARAM_construct_ulong("abreast-bytes", &after);
            CHECK(OSSL_PROVIDER_get_params(provider, ask), "no counter");
            /* One end does all of them. */
            CHECK(after - before >= sent, "%s: %lu bytes of %lu", suite->name, after - before, sent);
            SSL *from = below(&random, 2) ? client : server;
            refuse_change(&random, from, from == client ? server : client);
            SSL_free(client);
            SSL_free(server);
        }
    }
    for (int end = 0; end < 2; end++) {
        EVP_PKEY_free((end ? &ours : &theirs)->key);
        X509_free((end ? &ours : &theirs)->certificate);
    }
    OSSL_PROVIDER_unload(provider);
    OSSL_PROVIDER_unload(plain);
    OSSL_LIB_CTX_free(ours.library);
    OSSL_LIB_CTX_free(theirs.library);
    printf("%lu messages over TLS\n", all);
    tally(all, "messages over TLS");
    return 0;
}
