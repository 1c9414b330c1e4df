//! Known answers when the provider is loaded: every cipher at the kernel that is chosen, GCM, GCM-SIV and XTS over it, and RC4.
//!
//! Each block is asked for once and many times side by side, so that short ways and wide passes both come up.

use std::sync::OnceLock;

use abreast::modes::{Gcm, GcmSiv, Xts};
use abreast::rc4::Rc4;
use abreast::{BlockCipher, aes};

use crate::fault::Fault;
use crate::keys::{Aes128, Aes192, Aes256, Cipher, Serpent128, Serpent192, Serpent256, XteaBe};

/// Blocks side by side: one, and more than the widest pass has. Miri has no wide passes, and takes long.
const COUNTS: [usize; 2] = [1, if cfg!(miri) { 2 } else { 200 }];

/// Runs the test the first time that it is asked, and tells what came of it.
pub(crate) fn passed() -> Result<(), Fault> {
    static OUTCOME: OnceLock<Result<(), Fault>> = OnceLock::new();
    *OUTCOME.get_or_init(run)
}

/// Runs the test.
pub(crate) fn run() -> Result<(), Fault> {
    const COUNTING: [u8; 32] = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    const FIRST_BIT: [u8; 32] = hex("8000000000000000000000000000000000000000000000000000000000000000");
    const ELEVENS: [u8; 16] = hex("00112233445566778899aabbccddeeff");
    // FIPS 197, C.1 to C.3.
    blocks::<Aes128>(&COUNTING, &ELEVENS, &hex::<16>("69c4e0d86a7b0430d8cdb78070b4c55a"))?;
    blocks::<Aes192>(&COUNTING, &ELEVENS, &hex::<16>("dda97ca4864cdfe06eaf70a0ec0d7191"))?;
    blocks::<Aes256>(&COUNTING, &ELEVENS, &hex::<16>("8ea2b7ca516745bfeafc49904b496089"))?;
    // NESSIE, set 1, vector 0 of each length of key.
    blocks::<Serpent128>(&FIRST_BIT, &[0; 16], &hex::<16>("264e5481eff42a4606abda06c0bfda3d"))?;
    blocks::<Serpent192>(&FIRST_BIT, &[0; 16], &hex::<16>("9e274ead9b737bb21efcfca548602689"))?;
    blocks::<Serpent256>(&FIRST_BIT, &[0; 16], &hex::<16>("a223aa1288463c0e2be38ebd825616c0"))?;
    // The first of PolarSSL's.
    blocks::<XteaBe>(&COUNTING, b"ABCDEFGH", &hex::<8>("497df3d072612cb5"))?;
    gcm()?;
    gcm_siv()?;
    xts()?;
    rc4()
}

/// A block both ways, alone and many times.
fn blocks<C: Cipher>(key: &[u8; 32], plaintext: &[u8], ciphertext: &[u8]) -> Result<(), Fault> {
    let mut cipher = C::blanks()?();
    abreast::kernels::Registered::rekey(&mut cipher, &key[..C::KEY_LEN]);
    for count in COUNTS {
        let (plaintext, ciphertext) = (plaintext.repeat(count), ciphertext.repeat(count));
        let mut data = plaintext.clone();
        cipher.encrypt_raw_blocks(data.as_mut_slice().into())?;
        same(&data, &ciphertext)?;
        cipher.decrypt_raw_blocks(data.as_mut_slice().into())?;
        same(&data, &plaintext)?;
    }
    Ok(())
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 2.
fn gcm() -> Result<(), Fault> {
    let gcm = Gcm::from_cipher(aes::Aes128::new(&[0; 16]));
    let (mut data, mut tag) = ([0; 16], [0; 16]);
    gcm.encrypt_detached(&[0; 12], b"", data.as_mut_slice(), &mut tag)?;
    same(&data, &hex::<16>("0388dace60b6a392f328c2b971b2fe78"))?;
    same(&tag, &hex::<16>("ab6e47d42cec13bdf53a67b21257bddf"))?;
    gcm.decrypt_detached(&[0; 12], b"", data.as_mut_slice(), &tag)?;
    tag[15] ^= 1;
    let forged = gcm.decrypt_detached(&[0; 12], b"", data.as_mut_slice(), &tag);
    if forged == Err(abreast::Error::TagMismatch) { Ok(()) } else { Err(Fault::SelfTest) }
}

/// RFC 8452, C.1, the second.
fn gcm_siv() -> Result<(), Fault> {
    const NUMBERS: [u8; 16] = hex("01000000000000000000000000000000");
    let nonce = hex::<12>("030000000000000000000000");
    let siv = GcmSiv::new(&NUMBERS)?;
    let (mut data, mut tag) = (NUMBERS[..8].to_vec(), [0; 16]);
    siv.encrypt_detached(&nonce, b"", data.as_mut_slice(), &mut tag)?;
    same(&data, &hex::<8>("b5d839330ac7b786"))?;
    same(&tag, &hex::<16>("578782fff6013b815b287c22493a364c"))?;
    siv.decrypt_detached(&nonce, b"", data.as_mut_slice(), &tag)?;
    same(&data, &NUMBERS[..8])?;
    tag[15] ^= 1;
    let forged = siv.decrypt_detached(&nonce, b"", data.as_mut_slice(), &tag);
    if forged == Err(abreast::Error::TagMismatch) { Ok(()) } else { Err(Fault::SelfTest) }
}

/// IEEE 1619, vector 2.
fn xts() -> Result<(), Fault> {
    let xts = Xts::new(aes::Aes128::new(&[0x11; 16]), aes::Aes128::new(&[0x22; 16]))?;
    let mut data = [0x44; 32];
    xts.encrypt_units(0x33_3333_3333, 32, data.as_mut_slice())?;
    same(&data, &hex::<32>("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0"))?;
    xts.decrypt_units(0x33_3333_3333, 32, data.as_mut_slice())?;
    same(&data, &[0x44; 32])
}

/// RFC 6229, section 2, the key of 40 bits: the keystream from its beginning, and from byte 4096 on.
fn rc4() -> Result<(), Fault> {
    let mut rc4 = Rc4::new(&hex::<5>("0102030405"))?;
    let mut data = [0; 16];
    rc4.apply(data.as_mut_slice());
    same(&data, &hex::<16>("b2396305f03dc027ccc3524a0a1118a8"))?;
    rc4.skip(4080);
    data.fill(0);
    rc4.apply(data.as_mut_slice());
    same(&data, &hex::<16>("ff25b58995996707e51fbdf08b34d875"))
}

fn same(got: &[u8], expected: &[u8]) -> Result<(), Fault> {
    if got == expected { Ok(()) } else { Err(Fault::SelfTest) }
}

/// Bytes from their digits.
const fn hex<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N, "two digits for each byte");
    let mut bytes = [0; N];
    let mut at = 0;
    while at < N {
        bytes[at] = digit(digits[2 * at]) << 4 | digit(digits[2 * at + 1]);
        at += 1;
    }
    bytes
}

const fn digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("a digit of hexadecimal"),
    }
}
