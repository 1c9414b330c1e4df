//! Nothing of the library is left out of the checks without a reason: the sources of the operations are checked against
//! the public items of the library and the C interface.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The functions that the operations need not call, with reasons.
const LEFT_OUT: &[(&str, &str)] = &[
    ("abreast_version", "there is no secret"),
    ("abreast_abi_version", "there is no secret"),
    ("abreast_self_test", "its keys and messages are published"),
    ("abreast_cipher_at", "there is no secret"),
    ("abreast_cipher_key_size", "there is no secret"),
    ("abreast_kernel_at", "there is no secret"),
    ("abreast_status_text", "there is no secret"),
    ("abreast_cipher_block_size", "there is no secret"),
    ("abreast_cipher_name", "there is no secret"),
    ("abreast_cipher_kernel", "there is no secret"),
    ("abreast_aead_kernel", "there is no secret"),
    ("abreast_hmac_kernel", "there is no secret"),
    ("abreast_srtp_estimated_index", "there is no secret"),
    ("abreast_stream_position", "where a stream is is public"),
    ("abreast_rc4_", "RC4 looks up tables at secret places (book/src/security.md)"),
    (
        "abreast_device_",
        "the kernels run on another device, and no table of them is in memory (book/src/security.md)",
    ),
    ("Direction", "says which way a mode goes"),
    ("CounterWidth", "says how wide a counter is"),
    ("WithTagLen", "by a method, `with_tag_len`"),
    ("Streaming", "what `encryptor` and `decryptor` are made of"),
    ("Encryptor", "by a method, `encryptor`"),
    ("Decryptor", "by a method, `decryptor`"),
    ("CmacPieces", "by a method, `pieces`"),
    ("unpadded", "by a method, `decrypt_pkcs7`"),
    ("UivCipher", "says which ciphers there are"),
];

fn left_out(name: &str) -> bool {
    LEFT_OUT.iter().any(|(other, _)| name == *other || other.ends_with('_') && name.starts_with(other))
}

/// A file of the workspace.
fn text(path: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sources of all operations.
fn operations() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/operations");
    let files = folder.read_dir().expect("the folder").map(|entry| entry.expect("a file").path());
    let sources: Vec<_> = files.map(|file| read_to_string(file).expect("a source")).collect();
    // Rows with lengths of keys of their own are run from the table, by `sealing`.
    let table = text("crates/abreast/src/modes/mod.rs");
    let own = |row: &&str| row.contains("keys Own(&[") && !row.contains("keys Own(&[])");
    sources.concat() + &table.split(';').filter(own).collect::<Vec<_>>().concat()
}

/// The names that stand between a mark and the end of a name.
fn names<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(mark).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn every_function_of_the_header_is_called() {
    let (header, calls) =
        (text("faces/c/include/abreast.h"), text("judges/constant-time/src/operations/c.rs"));
    let makers = text("judges/c-bindings/src/lib.rs");
    let mut count = 0;
    for name in names(&header, "abreast_").map(|rest| format!("abreast_{rest}")) {
        let is_function = header.contains(&format!("{name}("));
        if is_function && !left_out(&name) {
            // Called, or handed over to be called.
            let called = ["(", ",", ")"].iter().any(|after| calls.contains(&format!("{name}{after}")));
            // Or by way of the list of functions that make keys, all of whose modes are run.
            let called = called || makers.contains(&format!("(\"{name}\", "));
            assert!(called, "{name} is not called by operations/c.rs");
            count += 1;
        }
    }
    assert!(count > 50, "{count} functions");
}

#[test]
fn every_batch_and_every_mode_is_run() {
    let operations = operations();
    let mut count = 0;
    for name in names(&text("crates/abreast/src/packets/mod.rs"), "\npub fn ") {
        let runs = ["(", ")", ","].map(|after| operations.contains(&format!("packets::{name}{after}")));
        assert!(runs.contains(&true), "packets::{name} is not run");
        count += 1;
    }
    assert!(count >= 18, "{count} batches");
    let modes = text("crates/abreast/src/modes/mod.rs");
    let exported = modes.lines().filter_map(|line| line.strip_prefix("pub use ")?.rsplit_once("::"));
    let types = exported.flat_map(|(_, names)| names.split(|c: char| !c.is_alphanumeric()));
    let mut count = 0;
    for name in types.filter(|name| !name.is_empty() && !left_out(name)) {
        assert!(operations.contains(&format!("{name}::")), "{name} is not run");
        count += 1;
    }
    assert!(count >= 10, "{count} modes");
}

#[test]
fn nothing_is_left_out_that_is_not_there() {
    let all = [text("faces/c/include/abreast.h"), text("crates/abreast/src/modes/mod.rs")].concat();
    for (name, _) in LEFT_OUT {
        assert!(all.contains(name), "{name} is left out, and is not there");
    }
}
