// AES-GCM from C in few lines. `cargo xtask weight` measures its size as a static program with one cipher.

#include <abreast.h>

int main(void) {
    uint8_t key[32] = {1}, nonce[12] = {2}, message[5] = "hello", tag[16];
    abreast_aead *aead;
    if (abreast_aes_gcm_new(key, 32, NULL, &aead)) return 1;
    int status = abreast_aead_encrypt(aead, nonce, 12, NULL, 0, message, message, 5, tag, 16);
    if (!status) status = abreast_aead_decrypt(aead, nonce, 12, NULL, 0, message, message, 5, tag, 16);
    abreast_aead_free(aead);
    return status || message[0] != 'h';
}
