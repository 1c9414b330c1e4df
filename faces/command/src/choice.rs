//! `abreast kernels CIPHER`: the kernels that the target has for a cipher, and what each mode makes of the chosen one.

use abreast::kernels::{Algorithm, algorithms};
use abreast::table::{Does, MODES, ModeBlocks, ModeRow, Waits, blocks_at_a_time, kernels_of_target};

use crate::table::aligned;

/// AEZ, which has AES's kernels.
pub(crate) const AEZ: &str = "aez";

/// Lists the ciphers that can be asked for.
pub(crate) fn names() -> Vec<&'static str> {
    algorithms().iter().map(|cipher| cipher.name()).chain([AEZ]).collect()
}

/// Tells why a cipher runs on its kernel, and what goes side by side in each mode.
pub(crate) fn report(name: &str) -> String {
    // AEZ is made of AES rounds.
    let cipher = Algorithm::from_name(if name == AEZ { "aes-128" } else { name });
    let cipher = cipher.expect("a name of the list");
    let rows = kernels_of_target(cipher);
    let chosen = rows.iter().find(|row| row.runs).map_or("", |row| row.name);
    let mut kernels = vec![["kernel", "this CPU", "needs"].map(String::from)];
    kernels.extend(rows.iter().map(|row| {
        let this = match row.runs {
            true if row.name == chosen => "takes it",
            true => "can run it",
            false => "cannot run it",
        };
        let needs = if row.needs.is_empty() { "nothing".into() } else { row.needs.replace(',', " ") };
        [row.name.into(), this.into(), needs]
    }));
    format!(
        "{name} runs on {chosen}: of its kernels, best first, the first that this CPU can run.\n\n{}\n{}\n\
         The kernel is chosen once, with the key, and serves every mode.\n\
         Calls for many messages take blocks of several messages side by side, where one message would wait.\n",
        aligned(&kernels),
        aligned(&modes(name, cipher))
    )
}

/// A row for each mode of a cipher.
fn modes(name: &str, cipher: Algorithm) -> Vec<[String; 4]> {
    let key = cipher.with_key(&vec![0; cipher.key_len()], None).expect("a key of the right length");
    let [ecb, others] = blocks_at_a_time(&*key);
    let is_of = |row: &&ModeRow| match row.blocks {
        _ if name == AEZ => row.name == AEZ,
        ModeBlocks::Any => true,
        ModeBlocks::Of16 => cipher.block_size() == 16,
        ModeBlocks::None => row.name == "gcm-siv" && ["aes-128", "aes-256"].contains(&name),
    };
    let mut rows = vec![["mode", "blocks at a time", "many messages", "why"].map(String::from)];
    rows.extend(MODES.iter().filter(is_of).map(|row| {
        let most = if row.name == "ecb" { ecb } else { others };
        let (blocks, why) = match row.waits {
            Waits::Never => (most.to_string(), "no block waits for another"),
            Waits::Encrypting => {
                (format!("1, decrypting {most}"), "encryption needs the ciphertext before each block")
            }
            Waits::Always => {
                ("1".into(), "each block needs the result of the one before, for its text or tag")
            }
        };
        let many = if row.operations.contains(&Does::Batch) { "yes" } else { "-" };
        [row.name.into(), blocks, many.into(), why.into()]
    }));
    rows
}
