//! Messages in pieces against the same message in one call, and short ones against the reference.

use abreast::modes::{CounterWidth, Direction};
use arbitrary::Arbitrary;

use crate::common::modes::{
    Cbc, Cfb, Cfb8, Cmac, Ctr, DIRECTIONS, Eax, Ecb, Gcm, Hctr2, Inputs, Mode, Ofb, Sealed, Xts,
    both_directions,
};
use crate::common::{Random, Subject, both_ways, label, same};
use crate::input::{Choice, fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    mode: u8,
    choice: Choice,
    seed: u64,
    len: u16,
    tag_len: u8,
    place: u8,
    judged: bool,
    cuts: Vec<u16>,
}

/// The longest message.
const LONGEST: usize = 9000;
/// The longest that the reference does, which is slow.
const LONGEST_JUDGED: usize = 400;

/// Every mode with every kernel: a message is the same in however many pieces, in place and from one buffer to another.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let modes: [&dyn Mode; 16] = [
        &Ecb,
        &Cbc,
        &Cfb,
        &Cfb8,
        &Ofb,
        &Ctr(CounterWidth::Bits16),
        &Ctr(CounterWidth::Bits32),
        &Ctr(CounterWidth::Bits64),
        &Ctr(CounterWidth::Bits128),
        &Gcm,
        &Eax,
        &Cmac,
        &Xts(None),
        &Xts(Some(37)),
        &Xts(Some(512)),
        &Hctr2,
    ];
    let (mode, cipher) = (pick(&modes, case.mode), case.choice.cipher());
    let block = cipher.block_size();
    if !mode.suits(block) {
        return;
    }
    let mut random = Random::new(case.seed);
    let key = random.bytes(cipher.key_len());
    let subject = Subject::with_kernels(cipher, key, [case.choice.kernel()]);
    let fast = &subject.kernels[0];
    let mut inputs = Inputs::new(&subject, &mut random);
    let name = mode.name();
    inputs.tag_len = match name.as_str() {
        "GCM" => pick(&[16, 15, 14, 13, 12, 8, 4], case.tag_len),
        "EAX" | "CMAC" => 1 + usize::from(case.tag_len) % block,
        _ => 0,
    };

    let longest = if case.judged { LONGEST_JUDGED } else { LONGEST };
    let mut len = usize::from(case.len) % (longest + 1);
    while !mode.takes(len, block) {
        len -= 1;
    }
    let plaintext = random.bytes(len);
    let (ciphertext, tag) = if case.judged {
        mode.seal(&subject, &inputs, &plaintext)
    } else {
        let (mut ciphertext, mut tag) = (plaintext.clone(), vec![0; inputs.tag_len]);
        let io = ciphertext.as_mut_slice().into();
        assert_eq!(mode.whole(fast, &inputs, Direction::Encrypt, io, &mut tag), Ok(()));
        (ciphertext, tag)
    };
    let sealed = Sealed { plaintext, ciphertext, tag };

    let mut cuts: Vec<usize> = match mode.grain(block) {
        Some(grain) => case.cuts.iter().map(|cut| usize::from(*cut) % (len + 1) / grain * grain).collect(),
        None => Vec::new(),
    };
    cuts.sort_unstable();
    let what = || format!("{}, {name} cut at {cuts:?}, {inputs:?}", label(fast.any()));
    for in_pieces in [false, true] {
        both_directions(
            &sealed,
            what,
            &DIRECTIONS,
            |direction, io, tag| match in_pieces {
                false => mode.whole(fast, &inputs, direction, io, tag),
                true => mode.pieces(fast, &inputs, direction, io, &cuts, tag),
            },
            |data, expected, what, operation| both_ways(data, expected, case.place.into(), what, operation),
        );
    }
    if !sealed.tag.is_empty() {
        refused(mode, fast, &inputs, &sealed, case.place);
    }
}

/// A tag with a bit changed is refused, and a call for the whole message leaves zeros.
fn refused(mode: &dyn Mode, fast: &crate::common::Fast, inputs: &Inputs, sealed: &Sealed, bit: u8) {
    let mut tag = sealed.tag.clone();
    let at = usize::from(bit) % (8 * tag.len());
    tag[at / 8] ^= 1 << (at % 8);
    let mut message = sealed.ciphertext.clone();
    let result = mode.whole(fast, inputs, Direction::Decrypt, message.as_mut_slice().into(), &mut tag);
    assert_eq!(result, Err(abreast::Error::TagMismatch), "{}", mode.name());
    if mode.name() != "CMAC" {
        same(&message, &vec![0; message.len()], || format!("{} after a wrong tag", mode.name()));
    }
}
