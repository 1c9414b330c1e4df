//! AEZ against the reference.

use abreast::aez::Aez;
use arbitrary::Arbitrary;

use crate::common::Random;
use crate::common::aez::{Message, aez_kernels};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    kernel: u8,
    seed: u64,
    usual_key: bool,
    key: u8,
    nonce: u8,
    tag: u8,
    len: u16,
    bit: u16,
    strings: Vec<u8>,
}

/// The longest message, and the most strings of associated data.
const LONGEST: usize = 900;
const MOST_STRINGS: usize = 12;

/// A message of any shape is what the reference makes of it, both ways; one with a bit changed is refused.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut random = Random::new(case.seed);
    let mut message = Message {
        key: random.bytes(if case.usual_key { 48 } else { case.key.into() }),
        nonce: random.bytes(case.nonce.into()),
        ads: case.strings.iter().take(MOST_STRINGS).map(|len| random.bytes((*len).into())).collect(),
        tag_len: usize::from(case.tag) % 40,
        plaintext: random.bytes(usize::from(case.len) % LONGEST),
        ciphertext: Vec::new(),
    };
    message.ciphertext = message.by_reference();
    let aez = Aez::with_kernel(&message.key, pick(&aez_kernels(), case.kernel)).expect("a kernel of AEZ");
    message.at(&aez, "fuzzed");
    // A shorter tag may be right by chance.
    if message.tag_len >= 8 {
        let bit = usize::from(case.bit) % (8 * message.ciphertext.len());
        message.ciphertext[bit / 8] ^= 1 << (bit % 8);
        message.is_refused(&aez, || format!("with bit {bit} changed"));
    }
}
