#!/bin/sh
# Opens sealed files in Node, by a program for WASI.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! rustup target list --installed | grep -q wasm32-wasip1; then
    echo "node: rustup target add wasm32-wasip1" >&2
    exit 77
fi
cargo build --release --locked --target wasm32-wasip1 --manifest-path "$here/Cargo.toml"
. "$here/../sealed.sh"
try_all node --no-warnings "$here/open.mjs" "${CARGO_TARGET_DIR:-$here/target}/wasm32-wasip1/release/abreast-client-node.wasm"
