#!/bin/sh
# Runs TLS and QUIC by rustls and quinn on loopback, and rustls's own tests from DIR/rustls of `--sources DIR`: the repository at
# the tag v/0.23.43, as its crate has no tests of the interface.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cargo test --locked --manifest-path "$here/Cargo.toml"
if [ ! -d "$SOURCES/rustls/rustls/tests" ]; then
    echo "rustls's own tests: not run: --sources names no folder with rustls in it" >&2
    exit
fi
for part in Cargo.toml Cargo.lock rustls rustls-test test-ca; do
    cp -r "$SOURCES/rustls/$part" "$WORK"
done
cd "$WORK"
# The rest of the workspace is left out, and the tests take their provider from here. The workspace has rustls itself in the place of
# the crate already.
python3 - "$here/../../faces/rustls" <<'END'
import pathlib, re, sys

def change(path, *changes):
    path = pathlib.Path(path)
    text = path.read_text()
    for old, new in changes:
        text, count = re.subn(old, lambda _: new, text, count=1, flags=re.S)
        assert count == 1, (path, old)
    path.write_text(text)

change("Cargo.toml", (r"members = \[.*?\n\]", 'members = ["rustls", "rustls-test"]'),
       (r"default-members = \[.*?\n\]", ""))
change("rustls/Cargo.toml", (r"\[dev-dependencies\]", f'[dev-dependencies]\nabreast-rustls = {{ path = "{sys.argv[1]}" }}'))
change("rustls/tests/runners/macros.rs", (r"use rustls::crypto::ring as provider;", """mod provider {
            pub use rustls::crypto::ring::*;
            pub fn default_provider() -> rustls::crypto::CryptoProvider {
                abreast_rustls::over(rustls::crypto::ring::default_provider())
            }
        }"""))
END
# Kernels without optimisation are a hundred times slower.
for setting in opt-level=1 debug=false; do
    set -- "$@" --config "profile.dev.$setting"
done
cargo test -p rustls --no-default-features --features ring,std,tls12,logging "$@" --test api --test api_ffdhe --test unbuffered \
    --test client_cert_verifier --test server_cert_verifier
