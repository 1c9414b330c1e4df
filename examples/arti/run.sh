#!/bin/sh
# Runs the benchmarks of arti's crate tor-proto, with abreast beside its own Counter Galois Onion.
#
# The version is the one that lab/peers locks; cargo downloads it and what it depends on, some 400 packages.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
abreast=$(cd "$here/../.." && pwd)
work=${1:-"$abreast/target/arti"}

manifest=$(cargo metadata --format-version 1 --locked --manifest-path "$abreast/lab/peers/Cargo.toml" |
  tr ',' '\n' | sed -n 's/.*"manifest_path":"\([^"]*tor-proto-[0-9][^"]*\)".*/\1/p' | head -n 1)
rm -rf "$work/tor-proto"
mkdir -p "$work"
cp -r "$(dirname "$manifest")" "$work/tor-proto"
chmod -R u+w "$work/tor-proto"
cd "$work/tor-proto"
sed "s|@ABREAST@|$abreast|" "$here/benchmarks.patch" | patch -p1
printf '\n[workspace]\n' >> Cargo.toml
for benchmark in relay_decrypt relay_encrypt exit_encrypt; do
  cargo bench --features bench --bench "$benchmark" --target-dir "$work/target" -- CGO_Aes128
done
