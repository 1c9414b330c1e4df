#!/usr/bin/env bash
# Installs the files of a release in clean roots and uses them: `cargo xtask release --try DIR`, as root. Prints the seconds from
# an unpacked Debian 12, with what Debian itself has for the purpose, to the result. Packages are to be clean for lintian.
set -euo pipefail
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
lintian --fail-on error,warning --allow-root ./*.deb
debootstrap --variant=minbase bookworm "$scratch/debian" > /dev/null

# Makes a root with more packages of Debian, and the files of a release that are named after `--`.
root() {
    root=$scratch/$1 && shift
    cp --archive "$scratch/debian" "$root"
    local packages=()
    while [[ $1 != -- ]]; do packages+=("$1") && shift; done
    if ((${#packages[@]})); then
        chroot "$root" apt-get install --yes --no-install-recommends "${packages[@]}" > /dev/null 2>&1
    fi
    shift
    mkdir "$root/release" && cp "$@" "$root/release"
}

# Runs a script in the root and prints its seconds.
timed() {
    local begin=$EPOCHREALTIME
    chroot "$root" sh -euc "$2" > /dev/null
    awk -v name="$1" -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%-44s %6.2f s\n", name, end - begin }'
}

use='seq 20000 > notes && abreast seal notes --new-key key && abreast open notes.abreast -k key -o copy && cmp notes copy'
no_compiler='if command -v cc || command -v rustc; then exit 1; fi'

root command -- abreast_*_amd64.deb
timed 'command, package: to an opened file' "$no_compiler; dpkg --install /release/*.deb; $use"

root wheel python3-venv -- abreast-*-manylinux*_x86_64.whl
timed 'wheel: to an opened message' "$no_compiler; python3 -m venv /venv; /venv/bin/pip install --no-index /release/*.whl
/venv/bin/python -c 'from abreast import AESGCM
key = AESGCM(bytes(32)); assert key.decrypt(bytes(12), key.encrypt(bytes(12), b\"words\")) == b\"words\"'"

root c gcc libc6-dev pkg-config -- libabreast*_amd64.deb
cat > "$root/ten.c" <<'C'
#include <abreast.h>
#include <stdio.h>
int main(void) {
    const uint8_t key[32] = {7}, nonce[12] = {1};
    uint8_t text[] = "attack at dawn", tag[16];
    abreast_aead *gcm;
    int status = abreast_aes_gcm_new(key, sizeof key, NULL, &gcm);
    if (!status) status = abreast_aead_encrypt(gcm, nonce, 12, NULL, 0, text, text, 14, tag, 16);
    puts(abreast_status_text(status));
    return status; }
C
timed 'C: to a program that has run' 'dpkg --install /release/*.deb; cc ten.c $(pkg-config --cflags --libs abreast) -o ten; ./ten'
# The linker warns of calls that load libraries, which are made for devices alone.
timed 'C, static: to a program that has run' \
    'cc ten.c -static $(pkg-config --static --cflags --libs abreast) -o ten 2> /dev/null; ./ten'
stat --printf 'C, static: %s bytes\n' "$root/ten"

# Nothing is in this root but the program: neither a shell nor a C library. That of AArch64 runs in an emulator, without a root.
for machine in x86_64 aarch64; do
    begin=$EPOCHREALTIME
    root=$scratch/$machine
    mkdir "$root"
    tar -xf abreast-*-"$machine"-linux.tar.xz -C "$root" --strip-components=1
    seq 20000 > "$root/notes"
    abreast=(chroot "$root" /bin/abreast)
    if [[ $machine != $(uname -m) ]]; then
        abreast=(qemu-"$machine" "$root/bin/abreast")
    fi
    (cd "$root" && "${abreast[@]}" seal notes --new-key key > /dev/null && "${abreast[@]}" open notes.abreast -k key -o copy)
    cmp "$root/notes" "$root/copy"
    awk -v name="$machine" -v begin="$begin" -v end="$EPOCHREALTIME" \
        'BEGIN { printf "command, archive alone, %-20s %6.2f s\n", name, end - begin }'
done
