//! `abreast kernels`.

use abreast::kernels::{Cipher, ciphers};
use abreast::{BlockCipher, Kernel};

use crate::args::KernelsArgs;
use crate::failure::Failure;
use crate::{names, print};

/// Runs the command.
pub(crate) fn run(args: &KernelsArgs) -> Result<(), Failure> {
    print(&if args.json { json() } else { table() })
}

/// The kernels of a cipher, best first, and the one that it takes if nobody asks for another.
fn kernels_of(cipher: Cipher) -> (&'static str, Vec<&'static str>) {
    let keyed = cipher.with_key(&vec![0; cipher.key_len()], None).expect("a key of the right length");
    (keyed.kernel().name(), cipher.kernels().into_iter().map(Kernel::name).collect())
}

/// A row for each cipher.
fn table() -> String {
    let mut rows = vec![["cipher", "key", "block", "chosen", "kernels, best first"].map(String::from)];
    for cipher in ciphers() {
        let (chosen, kernels) = kernels_of(*cipher);
        rows.push([
            cipher.name().into(),
            format!("{} bits", cipher.key_len() * 8),
            format!("{} bits", cipher.block_len() * 8),
            chosen.into(),
            kernels.join(", "),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let mut table = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(widths) {
            table.push_str(&format!("{cell:<width$}  "));
        }
        table.push_str(&row[4]);
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}

/// An array of objects, one for each cipher.
fn json() -> String {
    let objects = ciphers().iter().map(|cipher| {
        let (chosen, kernels) = kernels_of(*cipher);
        let kernels: Vec<_> = kernels.into_iter().map(names::json).collect();
        format!(
            "{{\"cipher\":{},\"key_bytes\":{},\"block_bytes\":{},\"chosen\":{},\"kernels\":[{}]}}",
            names::json(cipher.name()),
            cipher.key_len(),
            cipher.block_len(),
            names::json(chosen),
            kernels.join(",")
        )
    });
    format!("[{}]\n", objects.collect::<Vec<_>>().join(",\n "))
}
