//! The claims of a run: every kernel that the library lists, the modes, and the lengths at which a path begins or ends.

use crate::claims::{Mode, Subject, kernels};
use crate::machine::image::Image;
use crate::sizes::{block, sizes};

/// The ciphers whose proofs are known to end. In the short form those of one key length and order of bytes stand for the others in most modes.
const CIPHERS: [&str; 11] = [
    "aes-128",
    "aes-192",
    "aes-256",
    "xtea",
    "xtea-be",
    "tea",
    "tea-be",
    "serpent-128",
    "serpent-192",
    "serpent-256",
    "aez",
];

/// True if each block waits for the one before, so that a message goes through one path whatever its length is.
fn serial(mode: Mode) -> bool {
    matches!(mode, Mode::Cbc(true) | Mode::Cfb(true) | Mode::Cfb8(_) | Mode::Ofb | Mode::Cmac)
}

/// True if only whole blocks have the mode.
fn whole(mode: Mode) -> bool {
    matches!(mode, Mode::Ecb(_) | Mode::Cbc(_))
}

/// True if proofs take seconds for each group of blocks: code without instructions for its cipher, and S-boxes of logic.
fn slow(cipher: &str, kernel: &str) -> bool {
    kernel.starts_with("sliced") || cipher.starts_with("serpent")
}

/// The lengths of messages in the short form: a block, and beyond a group and a pass, with tails.
fn few_lengths(cipher: &str, kernel: &str, mode: Mode) -> Vec<usize> {
    let block = block(cipher);
    let (group, pass) = sizes(cipher, kernel, matches!(mode, Mode::Ecb(_)));
    let tail = if whole(mode) { 0 } else { block - 3 };
    let plain = matches!(mode, Mode::Ecb(_) | Mode::Ctr(..));
    match mode {
        Mode::Cfb8(_) => vec![block + 1],
        // Two passes of decryption are for the long form.
        Mode::Gcm(encrypt, _) => vec![if encrypt { 2 * pass } else { pass } + block + tail],
        // Hashed block after block, and by powers of the hash key.
        Mode::GcmSiv(..) => vec![2 * block + tail, group + 5 * block + tail],
        Mode::Eax(..) => vec![pass + block + tail],
        // Less than a block, and pairs of blocks with a rest.
        Mode::Aez(..) => vec![tail, pass + block + tail],
        _ if serial(mode) => vec![block, 2 * block + tail],
        // A single block by AVX-512 is not proved in its time.
        _ if cipher.starts_with("serpent") && kernel != "avx512" => vec![group, block],
        _ if slow(cipher, kernel) => vec![group],
        _ if plain && cipher.starts_with("aes") => vec![block, group + block + tail, pass + block + tail],
        _ if plain => vec![block, group + block + tail, pass + block],
        _ => vec![block, group + block + tail],
    }
}

/// True if a mode has associated data and a tag.
fn aead(mode: Mode) -> bool {
    matches!(mode, Mode::Gcm(..) | Mode::GcmSiv(..) | Mode::Eax(..) | Mode::Aez(..))
}

/// The bytes of associated data in the proofs of all lengths; the others are in those of a few.
const AAD: usize = 20;

/// The lengths of messages, in bytes.
fn lengths(cipher: &str, kernel: &str, mode: Mode, long: bool) -> Vec<usize> {
    let few = match mode {
        Mode::Gcm(_, aad) | Mode::GcmSiv(_, aad) | Mode::Eax(_, aad, _) | Mode::Aez(_, aad) => aad != AAD,
        _ => slow(cipher, kernel),
    };
    if !long || few {
        return few_lengths(cipher, kernel, mode);
    }
    let block = block(cipher);
    let (group, pass) = sizes(cipher, kernel, matches!(mode, Mode::Ecb(_)));
    if matches!(mode, Mode::Cfb8(_)) {
        return vec![1, 2, block - 1, block, block + 1];
    }
    if let Mode::Aez(..) = mode {
        let ends = [2 * block, group, pass, 2 * pass].into_iter();
        let ends = ends.flat_map(|end| [0, 1, block, block + 3, 2 * block - 1].map(|more| end + more));
        return [0, 1, block - 1, block, block + 1].into_iter().chain(ends).collect();
    }
    if aead(mode) {
        let ends = [group, pass, 2 * pass].into_iter().flat_map(|end| [end, end + block, end + block + 3]);
        // Beyond the block whose counter carries out of its low byte.
        let carry = matches!(mode, Mode::Gcm(..)).then_some(0x100 * block + pass + block + 3);
        return [1, block - 1, block].into_iter().chain(ends).chain(carry).collect();
    }
    if serial(mode) {
        let blocks = [1, 2, 5].map(|blocks| blocks * block);
        let tails = [1, block - 1, block + 1, 3 * block + 5];
        return blocks.into_iter().chain(tails.into_iter().filter(|_| !whole(mode))).collect();
    }
    // All numbers of blocks of one key length, since the others differ in the number of rounds.
    let mut lengths: Vec<usize> = if cipher == "aes-128" {
        (1..=2 * pass / block).map(|blocks| blocks * block).collect()
    } else {
        vec![block, 2 * block, group, group + block, pass - block, pass, pass + block, 2 * pass]
    };
    if !whole(mode) {
        let tails = [1, 7, 8, 9, 15].into_iter().filter(|tail| *tail < block);
        lengths.extend(tails.flat_map(|tail| [group, pass].map(|from| from + tail)));
        lengths.extend(block + 1..2 * block);
        if !matches!(mode, Mode::Xts(_)) {
            lengths.extend([1, block - 1]);
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The modes of a cipher.
fn modes(cipher: &str, kernel: &str, long: bool) -> Vec<Mode> {
    if cipher == "aez" {
        let aads = [AAD, 0, 16].into_iter().take(if long { 3 } else { 1 });
        return aads.flat_map(|aad| [true, false].map(|encrypt| Mode::Aez(encrypt, aad))).collect();
    }
    if slow(cipher, kernel) {
        // The other modes are not proved yet: see the chapter about proofs in the book.
        return vec![Mode::Ecb(true)];
    }
    let wide = block(cipher) == 16;
    // A carry out of the low byte in the last block of a pass.
    let carry = 0x0100_0001 - (sizes(cipher, kernel, false).1 / block(cipher)) as u64;
    // Both halves of a counter, its end, and a carry from the one to the other.
    let mut modes = vec![
        Mode::Ecb(true),
        Mode::Ecb(false),
        Mode::Cbc(true),
        Mode::Cbc(false),
        Mode::Ctr(64, u64::MAX - 1),
        Mode::Ctr(32, 0xffff_fffe),
        Mode::Cfb(true),
        Mode::Cfb(false),
        Mode::Ofb,
        Mode::Cmac,
    ];
    if wide {
        modes.extend([Mode::Ctr(128, u64::MAX - 1), Mode::Xts(true), Mode::Xts(false)]);
        if cipher.starts_with("aes") {
            // The last one has more blocks than there are powers of the hash key.
            let aads = [AAD, 0, 16, 33, 600].into_iter().take(if long { 5 } else { 1 });
            for aad in aads {
                modes.extend([true, false].map(|encrypt| Mode::Gcm(encrypt, aad)));
                modes.extend([true, false].map(|encrypt| Mode::Eax(encrypt, aad, u64::MAX - 1)));
                // There is none of AES-192.
                let siv = [true, false].into_iter().filter(|_| cipher != "aes-192");
                modes.extend(siv.map(|encrypt| Mode::GcmSiv(encrypt, aad)));
            }
        }
    }
    if long || cipher == "aes-128" || cipher == "xtea" {
        modes.extend([
            Mode::Cfb8(true),
            Mode::Cfb8(false),
            Mode::Ctr(16, carry & 0xffff),
            Mode::Ctr(64, carry),
        ]);
    }
    if long {
        // One that ends a pass without a carry, and one that carries through both halves in the midst of a pass.
        modes.extend([Mode::Ctr(32, carry - 1), Mode::Ctr(64, 0xffff_fffb), Mode::Ctr(32, 0xfffb)]);
    }
    modes
}

/// The ciphers that stand for the others of their kind in the short form.
const FIRST: [&str; 5] = ["aes-128", "xtea", "tea", "serpent-256", "aez"];

/// All claims.
pub(crate) fn subjects(image: &Image, long: bool) -> Vec<Subject> {
    let mut all = Vec::new();
    for cipher in CIPHERS {
        for kernel in kernels(image, cipher) {
            for mode in modes(cipher, &kernel, long) {
                let first = FIRST.contains(&cipher) && (cipher != "tea" || matches!(mode, Mode::Ecb(_)));
                let encrypts = mode == Mode::Ecb(true);
                let wanted =
                    encrypts || first && !slow(cipher, &kernel) || mode == Mode::Ecb(false) && !first;
                if !long && !wanted {
                    continue;
                }
                let mut lengths = lengths(cipher, &kernel, mode, long);
                if !long && (!first || cipher == "tea") {
                    lengths.truncate(2);
                }
                for (i, len) in lengths.into_iter().enumerate() {
                    // Alignments and places take turns.
                    let forms = [((0, 0), false), ((1, 3), false), ((0, 0), true), ((9, 0), true)];
                    let all_forms = long && first && !aead(mode) && len <= 2 * block(cipher);
                    let turn = (i + all.len()) % 4;
                    let chosen = if all_forms { 0..4 } else { turn..turn + 1 };
                    for (offsets, in_place) in &forms[chosen] {
                        let (kernel, offsets, in_place) = (kernel.clone(), *offsets, *in_place);
                        all.push(Subject { cipher, kernel, mode, len, offsets, in_place, packets: None });
                    }
                }
            }
        }
    }
    all.extend(batches(image, long));
    all
}

/// The bytes of a packet that was once sorted among longer ones, when the last packet of a group was taken for its longest.
const LONG_PACKET: usize = 3088;

/// The packets of batches: fewer than a kernel takes side by side, a group and one more, and two groups. Of AES by its instructions there
/// are four side by side, and of words as many as a vector has.
fn batches(image: &Image, long: bool) -> Vec<Subject> {
    let ciphers = ["aes-128", "xtea", "aes-192", "aes-256", "tea-be"];
    let mut all = Vec::new();
    for cipher in ciphers.into_iter().take(if long { 5 } else { 2 }) {
        for kernel in kernels(image, cipher) {
            if slow(cipher, &kernel) {
                continue;
            }
            let group = if cipher.starts_with("aes") { 4 } else { sizes(cipher, &kernel, false).0 / 8 };
            let mut modes = vec![Mode::Cbc(true), Mode::Ctr(32, 0xffff_fffe)];
            if long {
                modes.extend([Mode::Cmac, Mode::Ecb(true), Mode::Ecb(false), Mode::Cbc(false), Mode::Ofb]);
                modes.push(Mode::Ctr(64, u64::MAX - 1));
            }
            if long && cipher == "aes-128" {
                for encrypt in [true, false] {
                    modes.extend([Mode::Gcm(encrypt, AAD), Mode::GcmSiv(encrypt, AAD)]);
                }
            }
            for mode in modes {
                let counts = [group + 1, 3, 2 * group].into_iter().take(if long { 3 } else { 1 });
                let mut sizes: Vec<(usize, usize)> = counts.map(|count| (count, 3 * block(cipher))).collect();
                sizes.truncate(if aead(mode) { 2 } else { 3 });
                if long && cipher == "aes-128" && mode == Mode::Cbc(true) {
                    sizes.push((group + 1, LONG_PACKET));
                }
                for (count, len) in sizes {
                    let (offsets, in_place, packets) = ((0, 0), count == 3, Some(count));
                    all.push(Subject {
                        cipher,
                        kernel: kernel.clone(),
                        mode,
                        len,
                        offsets,
                        in_place,
                        packets,
                    });
                }
            }
        }
    }
    all
}
