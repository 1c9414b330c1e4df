//! Messages in pieces: however a message is split, it comes out as it does in one piece, and a stream can
//! be entered at any byte.

mod common;

use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{GcmCipher, InOutBuf};
use abreast_reference::{aes::Aes, ctr, gcm};
use common::{Random, Subject, WIDTHS, label, long_or_short, same, subjects};

/// What an operation on pieces does to a message that is split at `cuts`, in place or from buffer to
/// buffer.
fn piecewise(
    message: &[u8],
    cuts: &[usize],
    in_place: bool,
    mut operation: impl FnMut(InOutBuf<'_, '_, u8>),
) -> Vec<u8> {
    let mut output = if in_place { message.to_vec() } else { vec![0x3c; message.len()] };
    let mut from = 0;
    for to in cuts.iter().copied().chain([message.len()]) {
        let piece = &mut output[from..to];
        operation(if in_place {
            piece.into()
        } else {
            InOutBuf::new(&message[from..to], piece).expect("equal lengths")
        });
        from = to;
    }
    output
}

/// One message in all modes, as the reference has it.
struct Expected {
    plaintext: Vec<u8>,
    counter: [u8; 16],
    width: CounterWidth,
    stream: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

impl Expected {
    fn new(reference: &Aes, random: &mut Random, len: usize) -> Self {
        let plaintext = random.bytes(len);
        let width = random.pick(&WIDTHS);
        // The counter wraps in the message.
        let counter = (u128::from_be_bytes(random.block()) | u128::MAX >> (128 - width.bits())) - 3;
        let counter = counter.to_be_bytes();
        let nonce_len = random.pick(&[12, 12, 1, 16, 100]);
        let nonce = random.bytes(nonce_len);
        let aad_len = random.up_to(40);
        let aad = random.bytes(aad_len);
        let stream = ctr::xor(reference, &counter, width.bits(), &plaintext);
        let (sealed, tag) = gcm::seal(reference, &nonce, &aad, &plaintext, 16);
        Self { plaintext, counter, width, stream, nonce, aad, sealed, tag }
    }

    /// Does the message in the pieces that `cuts` makes, in every mode.
    fn check(&self, aes: &dyn GcmCipher, cuts: &[usize]) {
        let what = || format!("{}, {} bytes cut at {cuts:?}", label(aes), self.plaintext.len());
        for in_place in [true, false] {
            let mut ctr = Ctr::new(aes, &self.counter, self.width).expect("a block");
            let mut done = 0;
            let output = piecewise(&self.plaintext, cuts, in_place, |io| {
                done += io.len() as u128;
                assert_eq!(ctr.apply(io), Ok(()));
                assert_eq!(ctr.position(), Some(done), "{}", what());
            });
            same(&output, &self.stream, what);

            let gcm = Gcm::new(aes);
            let mut encryptor = gcm.encryptor(&self.nonce, &self.aad).expect("a nonce");
            let output = piecewise(&self.plaintext, cuts, in_place, |io| {
                assert_eq!(encryptor.update(io), Ok(()));
            });
            same(&output, &self.sealed, what);
            let mut tag = [0; 16];
            assert_eq!(encryptor.finish(&mut tag), Ok(()));
            same(&tag, &self.tag, || format!("{}, the tag", what()));

            let mut decryptor = gcm.decryptor(&self.nonce, &self.aad).expect("a nonce");
            let output = piecewise(&self.sealed, cuts, in_place, |io| {
                assert_eq!(decryptor.update(io), Ok(()));
            });
            same(&output, &self.plaintext, what);
            assert_eq!(decryptor.verify(&self.tag), Ok(()), "{}", what());
        }
    }
}

#[test]
fn two_pieces() {
    let mut random = Random::new(11);
    for subject in subjects(&mut random) {
        let expected = Expected::new(&subject.reference, &mut random, 200);
        for aes in &subject.kernels {
            for cut in (0..=200).step_by(long_or_short(1, 9)) {
                expected.check(&**aes, &[cut]);
            }
        }
    }
}

#[test]
fn byte_by_byte() {
    let mut random = Random::new(12);
    for subject in subjects(&mut random) {
        let len = long_or_short(700, 50);
        let expected = Expected::new(&subject.reference, &mut random, len);
        let cuts: Vec<usize> = (0..len).collect();
        for aes in &subject.kernels {
            expected.check(&**aes, &cuts);
        }
    }
}

/// Pieces of random lengths, some of them empty.
#[test]
fn many_pieces() {
    let mut random = Random::new(13);
    for subject in subjects(&mut random) {
        for _ in 0..long_or_short(60, 3) {
            let len = random.up_to(long_or_short(6000, 1500));
            let expected = Expected::new(&subject.reference, &mut random, len);
            let mut cuts = Vec::new();
            let mut at = 0;
            while at <= len {
                cuts.push(at);
                at += match random.up_to(3) {
                    0 => random.up_to(20),
                    1 => 16 * random.up_to(9),
                    _ => random.length() / 2,
                };
            }
            for aes in &subject.kernels {
                expected.check(&**aes, &cuts);
            }
        }
    }
}

/// The reference's keystream from any byte of a stream on.
fn keystream(reference: &Aes, first: u128, width: CounterWidth, byte: u128, len: usize) -> Vec<u8> {
    let mask = u128::MAX >> (128 - width.bits());
    let counter = first & !mask | first.wrapping_add(byte / 16) & mask;
    let skipped = (byte % 16) as usize;
    let zeros = vec![0; skipped + len];
    ctr::xor(reference, &counter.to_be_bytes(), width.bits(), &zeros)[skipped..].to_vec()
}

/// Seeks and compares `len` bytes, in two pieces.
fn check_seek<C: abreast::BlockCipher>(
    ctr: &mut Ctr<C>,
    subject: &Subject,
    (first, width): (u128, CounterWidth),
    byte: u128,
    len: usize,
    what: &str,
) {
    let what = || format!("{what}, {width:?}, {len} bytes from {byte:#x} on");
    assert_eq!(ctr.seek(byte), Ok(()), "{}", what());
    assert_eq!(ctr.position(), Some(byte), "{}", what());
    let mut got = vec![0; len];
    let (head, tail) = got.split_at_mut(len / 3);
    assert_eq!(ctr.apply(head.into()), Ok(()), "{}", what());
    assert_eq!(ctr.position(), Some(byte + (len / 3) as u128), "{}", what());
    assert_eq!(ctr.apply(tail.into()), Ok(()), "{}", what());
    same(&got, &keystream(&subject.reference, first, width, byte, len), what);
}

#[test]
fn seek_to_every_byte() {
    let mut random = Random::new(14);
    for subject in subjects(&mut random) {
        for width in WIDTHS {
            let first = u128::from_be_bytes(random.block());
            for aes in &subject.kernels {
                let mut ctr = Ctr::new(&**aes, &first.to_be_bytes(), width).expect("a block");
                for byte in (0..700).step_by(long_or_short(1, 61)) {
                    check_seek(&mut ctr, &subject, (first, width), byte, 40, &label(aes));
                }
                // Back and forth, from anywhere in a block.
                for _ in 0..long_or_short(100, 5) {
                    let (byte, len) = (random.up_to((1 << 20) - 256) as u128, random.up_to(200));
                    check_seek(&mut ctr, &subject, (first, width), byte, len, &label(aes));
                }
            }
        }
    }
}

#[test]
fn seek_far() {
    let mut random = Random::new(15);
    for subject in subjects(&mut random) {
        for width in WIDTHS {
            let first = u128::from_be_bytes(random.block());
            for aes in &subject.kernels {
                let mut ctr = Ctr::new(&**aes, &first.to_be_bytes(), width).expect("a block");
                // At each power of two below the end of the stream, and in front of it.
                for bit in 8..u128::BITS.min(width.bits() + 4) {
                    for byte in [1 << bit, (1 << bit) - 1, (1 << bit) - 16, (1 << bit) + 33] {
                        check_seek(&mut ctr, &subject, (first, width), byte, 100, &label(aes));
                    }
                }
            }
        }
    }
}
