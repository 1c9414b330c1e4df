#!/bin/sh
# Opens sealed files in Node, by a program for WASI.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! rustup target list --installed | grep -q wasm32-wasip1; then
    echo "node: rustup target add wasm32-wasip1" >&2
    exit 77
fi
# Node 20 may crash while the memory of a program for WASI grows (nodejs/node#46777): 16 MiB are enough from the beginning.
cargo rustc --release --locked --target wasm32-wasip1 --manifest-path "$here/Cargo.toml" -- -Clink-arg=--initial-memory=16777216
. "$here/../sealed.sh"
program="${CARGO_TARGET_DIR:-$here/target}/wasm32-wasip1/release/abreast-client-node.wasm"
try_all node --no-warnings "$here/open.mjs" "$program"
gain node --no-warnings "$here/gain.mjs" "$program"
