//! All cases that are of one cipher and one message, as lines of text for programs in other languages.

use std::fmt::Write as _;

use crate::*;

/// One case, before it is written as a line. Fields for which a mode has no use are empty.
#[derive(Default)]
struct Line<'c> {
    mode: &'static str,
    cipher: &'c str,
    /// The tag is wrong, or the padding, or there is no such key.
    invalid: bool,
    number: usize,
    key: &'c [u8],
    iv: &'c [u8],
    aad: &'c [u8],
    plaintext: &'c [u8],
    ciphertext: &'c [u8],
    tag: &'c [u8],
}

/// The cases of this crate that the C interface has a call for, each as a line of twelve fields with a space between two:
/// set, mode, cipher, `valid` or `invalid`, a number, key, IV or nonce, associated data, plaintext, ciphertext, tag, and
/// the name, which may hold spaces.
///
/// The set is the name of its function in this crate. The mode is `ecb` (single blocks too), `cbc`, `cbc-pkcs7`, `cfb`, `cfb8`,
/// `ofb`, `ctr`, `xts`, `hctr2`, `cmac`, `hmac`, `gcm`, `eax`, `gcm-siv`, `siv`
/// (one string, or two with the nonce as the second), `key-wrap`, `key-wrap-padded`, `aez`, `rc4`, `xtea` for blocks with a
/// number of cycles, `esp` or `quic`. The number is
/// that of cycles there, of the bits that count in `ctr`, and of the bytes of keystream to leave out in `rc4`; otherwise 0. Bytes are
/// in hexadecimal, `-` if there are none. The associated data of `aez` is any number of strings, each with a semicolon behind
/// it. The plaintext of `cmac` and of `hmac` is the message, and the cipher of
/// `hmac` is its name with the hash. For `esp` the cipher is the suite, the number is 1 if sequence numbers are extended, the associated
/// data is SPI and the whole sequence number, the ciphertext is the packet, without its tag in some cases, and the tag is the key to
/// authenticate with. For `quic` the number is that of the packet, the associated data is the header in clear, the ciphertext is the
/// packet, and the tag is the key for headers with the mask behind it.
///
/// ```
/// let line = abreast_vectors::lines().into_iter().find(|line| line.starts_with("gcm "));
/// assert!(line.is_some_and(|line| line.contains(" aes-128 valid 0 ")));
/// ```
pub fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |set: &str, name: &str, line: Line<'_>| lines.push(line.text(set, name));
    for (set, case) in each([
        ("aes_blocks", aes_blocks()),
        ("cavp_aes_blocks", cavp_aes_blocks()),
        ("serpent_blocks", serpent_blocks()),
    ]) {
        let family = if set == "serpent_blocks" { "serpent" } else { "aes" };
        let cipher = format!("{family}-{}", 8 * case.key.len());
        let BlockCase { name, key, plaintext, ciphertext } = &case;
        add(set, name, Line { mode: "ecb", cipher: &cipher, key, plaintext, ciphertext, ..Line::default() });
    }
    for case in &xtea_blocks() {
        let cipher = if case.big_endian { "xtea-be" } else { "xtea" };
        let XteaCase { name, key, plaintext, ciphertext, .. } = case;
        let number = case.cycles as usize;
        let line = Line { mode: "xtea", cipher, number, key, plaintext, ciphertext, ..Line::default() };
        add("xtea_blocks", name, line);
    }
    for (mode, sets) in [
        ("ecb", vec![("ecb", ecb()), ("cavp_ecb", cavp_ecb()), ("botan_ecb", botan_ecb())]),
        ("cbc", vec![("cbc", cbc()), ("cavp_cbc", cavp_cbc())]),
        (
            "cbc-pkcs7",
            vec![("wycheproof_cbc_pkcs5", wycheproof_cbc_pkcs5()), ("botan_cbc_pkcs7", botan_cbc_pkcs7())],
        ),
        ("cfb", vec![("cfb", cfb()), ("cavp_cfb", cavp_cfb())]),
        ("cfb8", vec![("cfb8", cfb8()), ("cavp_cfb8", cavp_cfb8())]),
        ("ofb", vec![("ofb", ofb()), ("cavp_ofb", cavp_ofb())]),
        (
            "xts",
            vec![
                ("xts", xts()),
                ("wycheproof_xts", wycheproof_xts()),
                ("cavp_xts", cavp_xts()),
                ("botan_xts", botan_xts()),
            ],
        ),
        ("hctr2", vec![("hctr2", hctr2())]),
    ] {
        for (set, case) in each(sets) {
            let ModeCase { name, cipher, key, iv, plaintext, ciphertext, valid, .. } = &case;
            let line =
                Line { mode, cipher, invalid: !valid, key, iv, plaintext, ciphertext, ..Line::default() };
            add(set, name, line);
        }
    }
    for (set, case) in each([("ctr", ctr()), ("generated_ctr", generated_ctr()), ("botan_ctr", botan_ctr())])
    {
        let CtrCase { name, cipher, key, counter: iv, bits, plaintext, ciphertext } = &case;
        let number = *bits as usize;
        let line = Line { mode: "ctr", cipher, number, key, iv, plaintext, ciphertext, ..Line::default() };
        add(set, name, line);
    }
    for (set, case) in
        each([("cmac", cmac()), ("wycheproof_cmac", wycheproof_cmac()), ("botan_cmac", botan_cmac())])
    {
        let MacCase { name, cipher, key, message: plaintext, tag, valid, .. } = &case;
        let line = Line { mode: "cmac", cipher, invalid: !valid, key, plaintext, tag, ..Line::default() };
        add(set, name, line);
    }
    for (set, case) in each([
        ("hmac", hmac()),
        ("wycheproof_hmac_sha1", wycheproof_hmac_sha1()),
        ("wycheproof_hmac_sha256", wycheproof_hmac_sha256()),
    ]) {
        let MacCase { name, cipher, key, message: plaintext, tag, valid, .. } = &case;
        let line = Line { mode: "hmac", cipher, invalid: !valid, key, plaintext, tag, ..Line::default() };
        add(set, name, line);
    }
    for mode in ["gcm", "eax", "gcm-siv"] {
        for (set, case) in each(aead_sets(mode)) {
            let AeadCase { name, cipher, key, nonce: iv, aad, plaintext, ciphertext, tag, valid, .. } = &case;
            let (invalid, number) = (!valid, 0);
            add(set, name, Line { mode, cipher, invalid, number, key, iv, aad, plaintext, ciphertext, tag });
        }
    }
    for (set, case) in
        each([("siv", siv()), ("wycheproof_siv", wycheproof_siv()), ("botan_siv", botan_siv())])
    {
        let SivCase { name, cipher, key, plaintext, ciphertext, tag, valid, .. } = &case;
        // C takes one string of associated data and a nonce, and treats an empty nonce as no nonce.
        let (aad, iv): (&[u8], &[u8]) = match &case.ads[..] {
            [aad] => (aad, &[]),
            [aad, nonce] if !nonce.is_empty() => (aad, nonce),
            _ => continue,
        };
        let (invalid, number) = (!valid, 0);
        add(
            set,
            name,
            Line { mode: "siv", cipher, invalid, number, key, iv, aad, plaintext, ciphertext, tag },
        );
    }
    for (set, case) in each([
        ("key_wrap", key_wrap()),
        ("cavp_key_wrap", cavp_key_wrap()),
        ("wycheproof_key_wrap", wycheproof_key_wrap()),
    ]) {
        let KeyWrapCase { name, cipher, padded, key, plaintext, ciphertext, valid, .. } = &case;
        let mode = if *padded { "key-wrap-padded" } else { "key-wrap" };
        let line = Line { mode, cipher, invalid: !valid, key, plaintext, ciphertext, ..Line::default() };
        add(set, name, line);
    }
    for (set, case) in each([("rc4", rc4()), ("botan_rc4", botan_rc4())]) {
        let Rc4Case { name, key, offset: number, plaintext, ciphertext } = &case;
        let (mode, cipher, number) = ("rc4", "rc4", *number);
        add(set, name, Line { mode, cipher, number, key, plaintext, ciphertext, ..Line::default() });
    }
    for case in &esp() {
        let EspCase { name, suite: cipher, key, authentication_key: tag, spi, sequence, extended, .. } = case;
        let sequence = sequence.to_be_bytes();
        let aad = [&spi.to_be_bytes()[..], if *extended { &sequence[..] } else { &sequence[4..] }].concat();
        let (plaintext, ciphertext, number) = (&case.text, &case.packet, (*extended).into());
        let line = Line {
            mode: "esp",
            cipher,
            number,
            key,
            aad: &aad,
            plaintext,
            ciphertext,
            tag,
            ..Line::default()
        };
        add("esp", name, line);
    }
    for case in &quic() {
        let QuicCase { name, key, iv, header: aad, payload: plaintext, packet: ciphertext, .. } = case;
        let (tag, number) = ([&case.header_key[..], &case.mask].concat(), case.number as usize);
        let (mode, cipher, invalid, tag) = ("quic", "quic", false, &tag);
        add("quic", name, Line { mode, cipher, invalid, number, key, iv, aad, plaintext, ciphertext, tag });
    }
    for (set, case) in each([("aez", aez()), ("generated_aez", generated_aez())]) {
        lines.push(aez_line(set, &case));
    }
    lines
}

/// The cases of sets, each with the name of its set.
fn each<T>(
    sets: impl IntoIterator<Item = (&'static str, Vec<T>)>,
) -> impl Iterator<Item = (&'static str, T)> {
    sets.into_iter().flat_map(|(set, cases)| cases.into_iter().map(move |case| (set, case)))
}

/// The tag is the end of the ciphertext, beyond the length of the plaintext.
fn aez_line(set: &str, case: &AezCase) -> String {
    let AezCase { name, key, nonce, ads, plaintext, ciphertext, .. } = case;
    let (text, tag) = ciphertext.split_at(plaintext.len());
    let strings: String = ads.iter().map(|string| format!("{};", digits(string))).collect();
    let strings = if strings.is_empty() { "-" } else { &strings };
    let [key, nonce, plaintext, text, tag] = [key, nonce, plaintext, text, tag].map(field);
    format!("{set} aez aez valid 0 {key} {nonce} {strings} {plaintext} {text} {tag} {name}")
}

impl Line<'_> {
    fn text(&self, set: &str, name: &str) -> String {
        let Self { mode, cipher, number, .. } = self;
        let valid = if self.invalid { "invalid" } else { "valid" };
        let bytes = [self.key, self.iv, self.aad, self.plaintext, self.ciphertext, self.tag].map(field);
        format!("{set} {mode} {cipher} {valid} {number} {} {name}", bytes.join(" "))
    }
}

fn field(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".to_owned() } else { digits(bytes) }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
