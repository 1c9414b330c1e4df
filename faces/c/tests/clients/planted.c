// Faults that are planted, for sanitizers to report: `cargo xtask sanitize`.

#include <abreast.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int argc, char **argv) {
    const char *fault = argc == 2 ? argv[1] : "";
    if (strcmp(fault, "overflow") == 0) {
        int most = INT_MAX;
        most += argc;
        printf("%d\n", most);
    } else if (strcmp(fault, "beyond") == 0) {
        // The input ends a byte too early.
        const uint8_t key[16] = {1};
        uint8_t *input = calloc(1, 4095), *output = calloc(1, 4096);
        abreast_cipher *cipher;
        OK(abreast_cipher_new("aes-128", key, sizeof key, NULL, &cipher));
        OK(abreast_cipher_crypt(cipher, ABREAST_ECB_ENCRYPT, NULL, 0, input, output, 4096));
        abreast_cipher_free(cipher);
        free(input);
        free(output);
    }
    return 0;
}
