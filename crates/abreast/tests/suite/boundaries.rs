//! Every constant that decides a path is known to the tests: the sources show the ones that the library's list lacks.

use abreast::boundaries::{constants, of_kernel};
use abreast::kernels::algorithms;
use abreast::packets::CipherKey;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Constants of kernels, which are listed kernel by kernel.
const OF_KERNELS: [&str; 9] = [
    "BLOCK",
    "MOST_GROUPS",
    "GROUP",
    "INTERLEAVE",
    "INTERLEAVE_ECB",
    "LANES",
    "LEAST",
    "ENOUGH",
    "REGISTERS",
];

/// Integers that decide no path of a message, each with the reason.
const OTHERS: [(&str, &str); 38] = [
    ("ciphers/aes/permuted_tables.rs A", "a constant of the field"),
    ("ciphers/aes/permuted_tables.rs CONSTANT", "a constant of the cipher"),
    ("ciphers/aes/permuted_tables.rs INFINITE", "a marker"),
    ("ciphers/aes/permuted.rs ONES", "a mask"),
    ("ciphers/aes/schedule.rs MOST_ROUND_KEYS", "round keys of a cipher"),
    ("ciphers/aes/schedule.rs MOST_LANES", "keys, of which tests take more"),
    ("ciphers/serpent/lanes.rs TOGETHER", "keys, of which tests take more than twice as many"),
    ("engine/keyed.rs TOGETHER", "keys, of which tests take more"),
    ("ciphers/aes/round_keys.rs AES_128_ROUND_KEYS", "round keys of a cipher"),
    ("ciphers/aes/round_keys.rs OPTIONAL", "round keys of a cipher"),
    ("ciphers/aes/rounds.rs SECRET", "a marker"),
    ("ciphers/aes/rounds.rs STITCHES", "how often rounds call what goes on beside them"),
    ("ciphers/aes/sbox.rs LOW_BITS", "a mask"),
    ("ciphers/aes/sliced.rs SBOX_CONSTANT", "a constant of the cipher"),
    ("packets/aez/mod.rs SINGLE", "a marker"),
    ("aez/limits.rs MAX_MESSAGE", "a limit of 2^48 bytes, tested as an error"),
    ("aez/rounds.rs BYTES", "the size of a vector"),
    ("aez/tiny.rs FIRST", "a mask"),
    ("hmac/key.rs TAG_LEN", "the bytes of a hash"),
    ("kernels.rs COUNT", "the entries of the registry"),
    ("masks.rs MOST", "half the size of a table"),
    ("ghash.rs BACK", "zeros around a table"),
    ("ghash.rs FRONT", "zeros around a table"),
    ("modes/gcm/limits.rs MAX_HASHED", "a limit, tested as an error"),
    ("modes/gcm/limits.rs MAX_MESSAGE", "a limit, tested as an error"),
    ("modes/cbc.rs MOST_OF_64", "a limit, tested as an error"),
    ("modes/siv.rs MOST_STRINGS", "a limit, tested as an error"),
    ("modes/siv.rs CLEARED", "a mask"),
    ("columns/mode.rs NONCE", "the bytes of a nonce"),
    ("columns/mode.rs TAG", "the bytes of a tag"),
    ("columns/weave.rs OVERHEAD", "the bytes of a nonce and a tag"),
    ("ciphers/rc4/lanes.rs PASS", "BUFFER, which is listed"),
    ("ciphers/serpent/schedule.rs PHI", "a constant of the cipher"),
    ("engine/backend.rs STITCHES", "how often rounds call what goes on beside them"),
    ("engine/words.rs COUNT", "the registers of a group"),
    ("engine/words.rs STITCHES", "how often rounds call what goes on beside them"),
    ("engine/two_words.rs DELTA", "a constant of the ciphers"),
    ("engine/two_words.rs USUAL_CYCLES", "cycles of a key, tested with the ciphers"),
];

/// The beginning of a comment on the line before an integer that decides no path, with the reason after it.
const NO_BOUNDARY: &str = "// No boundary: ";

/// Adds each integer constant of the sources below a folder, as its file and its name.
fn integers(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() {
            integers(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).expect("a file below the root").to_string_lossy();
            // Windows has another separator.
            let file = file.replace(std::path::MAIN_SEPARATOR, "/");
            let mut marked = false;
            for line in fs::read_to_string(&path).expect("a source").lines() {
                // The comment before a constant may say itself that it is no boundary.
                let after_mark = std::mem::replace(&mut marked, line.trim().starts_with(NO_BOUNDARY));
                if after_mark {
                    continue;
                }
                let Some((before, after)) = line.split_once("const ") else { continue };
                let before = before.trim();
                let Some((name, kind)) = after.split_once(": ") else { continue };
                let declares = before.is_empty() || before.starts_with("pub");
                let integer = ["usize", "u8", "u16", "u32", "u64", "u128"].iter().any(|integer| {
                    kind.starts_with(&format!("{integer} =")) || kind == format!("{integer};")
                });
                if declares && integer {
                    found.insert(format!("{file} {name}"));
                }
            }
        }
    }
}

#[test]
fn every_constant_is_listed_or_decides_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeSet::new();
    integers(&root, &root, &mut found);
    assert!(found.len() > 40, "the sources were not read: {found:?}");
    let listed: BTreeSet<_> = constants().iter().map(|boundary| boundary.name.to_owned()).collect();
    let others: BTreeSet<_> = OTHERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let of_kernel = |name: &str| OF_KERNELS.iter().any(|known| name.ends_with(&format!(" {known}")));

    let unknown: Vec<_> = found
        .iter()
        .filter(|name| !listed.contains(*name) && !others.contains(*name) && !of_kernel(name))
        .collect();
    assert!(unknown.is_empty(), "neither in `abreast::boundaries` nor known to decide nothing: {unknown:?}");
    let gone: Vec<_> = listed.union(&others).filter(|name| !found.contains(*name)).collect();
    assert!(gone.is_empty(), "no longer in the sources: {gone:?}");
}

#[test]
fn every_kernel_says_how_it_cuts() {
    for cipher in algorithms() {
        let key = vec![7; cipher.key_len()];
        for kernel in crate::common::kernels(*cipher) {
            let keyed = cipher.with_key(&key, Some(kernel)).expect("a kernel of the cipher");
            let list = of_kernel(CipherKey::from(&keyed));
            let block =
                list.iter().find(|boundary| boundary.name == "engine/backend.rs BLOCK").expect("a block");
            assert_eq!(block.value, keyed.block_size());
            assert!(list.iter().any(
                |boundary| boundary.name == "engine/backend.rs GROUP, INTERLEAVE" && boundary.value >= 16
            ));
            // Batches take messages under bit-sliced AES one at a time.
            let alone = kernel.name().starts_with("sliced");
            let lanes =
                list.iter().any(|boundary| boundary.name == "engine/multibuf.rs LANES" && boundary.value > 1);
            assert_eq!(lanes, !alone, "{} at {}", cipher.name(), kernel.name());
        }
    }
}
