#!/bin/sh
# Builds Debian's libsrtp with the backend of abreast.patch, runs its tests, and compares its packets with those of batches.
# Its tests of sequence numbers, which know nothing of ciphers, and of whole programs are for --long, and so is OpenSSL's backend
# beside the batch.
set -eu
here=$(dirname "$0")
patch --quiet --directory "$WORK/source" --strip 1 < "$here/abreast.patch"
build() {
    cmake -S "$WORK/source" -B "$WORK/$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$TREE" "$2" > "$WORK/$1.log"
    cmake --build "$WORK/$1" --parallel 2 > "$WORK/$1.log"
}
fan_out() {
    backend=$1
    shift
    cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror -o "$WORK/fanout-$backend" "$here/fanout.c" \
        -I"$WORK/source/include" -I"$WORK/source/crypto/include" "$WORK/$backend/libsrtp2.a" \
        $(PKG_CONFIG_PATH=$(dirname "$(find "$TREE" -name abreast.pc)") pkg-config --cflags --libs abreast) "$@"
    echo "libsrtp on $backend:"
    "$WORK/fanout-$backend" ${LONG:-500 20}
}
LD_LIBRARY_PATH=$(dirname "$(find "$TREE" -name libabreast.so)")
export LD_LIBRARY_PATH
if [ "$LONG" ]; then
    LONG='500 1000'
    chmod +x "$WORK/source/test/"*.sh
    build abreast -DENABLE_ABREAST=ON
    ctest --test-dir "$WORK/abreast" --output-on-failure
    build openssl -DENABLE_OPENSSL=ON
    fan_out openssl -lcrypto
else
    build abreast -DENABLE_ABREAST=ON
    ctest --test-dir "$WORK/abreast" --output-on-failure --tests-regex '^(cipher_driver|kernel_driver|srtp_driver|test_srtp)$'
fi
fan_out abreast
