//! No byte beside a buffer is touched: every buffer lies flush against a page that faults, once before it
//! and once after it.
//!
//! A failure is a fault that ends the test program; a debugger says where.

use crate::common::guarded::{End, flush, guarded};
use crate::common::modes::{Beginnings, DIRECTIONS, Inputs, Mode, both_directions};
use crate::common::{Fast, Random, label, lengths, long_or_short, same, short, subjects, subjects_16};
use abreast::modes::{Cbc, Cmac, CounterWidth, Ctr, Direction, Eax, Gcm};
use abreast::{Error, InOutBuf};
use abreast_reference::gcm;

pub(crate) const ENDS: [End; 2] = [End::First, End::Last];
pub(crate) const CAPACITY: usize = 8192;

/// The lengths for chains, which have no passes.
fn of_chains() -> Vec<usize> {
    (0..=long_or_short(100, 33)).collect()
}

/// The lengths for modes with passes of many blocks: every length up to the smallest pass and more, and around each other
/// pass. Where each byte takes a block (CFB with segments of a byte), a pass has as many bytes as otherwise blocks, and
/// all passes are among the shorter list.
fn of_passes(block_per_byte: bool) -> Vec<usize> {
    match (short(), block_per_byte) {
        (true, true) => (0..=33).collect(),
        (true, false) => lengths(33, 0),
        (false, true) => (0..=150).collect(),
        (false, false) => lengths(160, 2),
    }
}

/// Two guarded buffers, one to read and one to write.
type Buffers = [&'static mut [u8]; 2];

/// Runs an operation on guarded buffers: in place, and from one to another, at both ends of each.
fn guarded_ways(
    [first, second]: &mut Buffers,
    data: &[u8],
    expected: &[u8],
    what: &dyn Fn() -> String,
    operation: &mut dyn FnMut(InOutBuf<'_, '_, u8>),
) {
    for from in ENDS {
        let buffer = flush(first, from, data.len());
        buffer.copy_from_slice(data);
        operation(buffer.into());
        same(buffer, expected, || format!("{}, in place at the {from:?} byte", what()));
        for to in ENDS {
            let input = flush(first, from, data.len());
            input.copy_from_slice(data);
            let output = flush(second, to, data.len());
            operation(InOutBuf::new(input, output).expect("equal lengths"));
            same(output, expected, || format!("{}, from {from:?} to {to:?}", what()));
        }
    }
}

/// Every length in one call, and in two pieces.
fn every_length(mode: &dyn Mode) {
    let mut random = Random::new(31);
    let mut buffers = [guarded(CAPACITY), guarded(CAPACITY)];
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        if !mode.suits(block) {
            continue;
        }
        let inputs = Inputs::new(&subject, &mut random);
        let message = Beginnings::new(mode, &subject, &inputs, random.bytes(CAPACITY));
        for direction in DIRECTIONS {
            let lens = if mode.chains(direction) {
                of_chains()
            } else {
                of_passes(mode.bytes_per_block(block) == 1)
            };
            for len in lens.into_iter().filter(|len| mode.takes(*len, block)) {
                let sealed = message.of(mode, &subject, &inputs, len);
                for fast in &subject.kernels {
                    let what = |how: &str| format!("{}, {}{how}", label(fast.any()), mode.name());
                    both_directions(
                        &sealed,
                        || what(""),
                        &[direction],
                        |direction, io, tag| mode.whole(fast, &inputs, direction, io, tag),
                        |data, expected, what, run| guarded_ways(&mut buffers, data, expected, what, run),
                    );
                    let Some(grain) = mode.grain(block).filter(|_| len <= 100) else { continue };
                    both_directions(
                        &sealed,
                        || what(" in pieces"),
                        &[direction],
                        |direction, io, tag| {
                            mode.pieces(fast, &inputs, direction, io, &[len / 3 / grain * grain], tag)
                        },
                        |data, expected, what, run| guarded_ways(&mut buffers, data, expected, what, run),
                    );
                }
            }
        }
    }
}

crate::common::modes::test_per_mode!(every_length);

/// The zeros that a forged message becomes.
#[test]
fn forgeries() {
    let mut random = Random::new(33);
    let mut buffers = [guarded(CAPACITY), guarded(CAPACITY)];
    for subject in subjects(&mut random) {
        for len in of_chains() {
            let data = random.bytes(len);
            let zeros = vec![0; len];
            for fast in &subject.kernels {
                let what = || format!("{}, {len} bytes", label(fast.any()));
                guarded_ways(&mut buffers, &data, &zeros, &what, &mut |io| {
                    let eax = Eax::from_cipher(fast.any());
                    let opened =
                        eax.with_tag_len(8).map(|eax| eax.decrypt_detached(b"nonce", b"header", io, &[7; 8]));
                    assert_eq!(opened, Ok(Err(Error::TagMismatch)));
                });
                let Some(cipher) = fast.of_16() else { continue };
                guarded_ways(&mut buffers, &data, &zeros, &what, &mut |io| {
                    assert!(
                        Gcm::from_cipher(cipher).decrypt_detached(&[1; 12], b"data", io, &[7; 16]).is_err()
                    );
                });
            }
        }
    }
}

/// XTS and CFB have been known elsewhere to read past the end of messages whose last vector is short, by
/// the widest registers: here that faults, at every length up to some registers of 64 bytes and a part.
#[test]
fn tails_of_xts_and_cfb_read_nothing_beyond() {
    use crate::common::modes::Cfb;
    let mut random = Random::new(34);
    let [input, output] = [(); 2].map(|()| guarded(CAPACITY));
    let bytes = random.bytes(CAPACITY);
    for subject in subjects(&mut random) {
        let inputs = Inputs::new(&subject, &mut random);
        for len in 0..=if short() { 80 } else { 300 } {
            let (data, to) = (flush(input, End::Last, len), flush(output, End::Last, len));
            for fast in &subject.kernels {
                for direction in DIRECTIONS {
                    data.copy_from_slice(&bytes[..len]);
                    let io = InOutBuf::new(data, to).expect("equal lengths");
                    assert_eq!(Cfb.whole(fast, &inputs, direction, io, &mut []), Ok(()));
                    if let (Fast::Of16(xts), true) = (fast, len >= 16) {
                        let io = InOutBuf::new(data, to).expect("equal lengths");
                        let done = match direction {
                            Direction::Encrypt => xts.encrypt_units(7, len, io),
                            Direction::Decrypt => xts.decrypt_units(7, len, io),
                        };
                        assert_eq!(done, Ok(()));
                    }
                }
            }
        }
    }
}

/// Checks the buffers that are only read, or short: associated data, nonce, tag, key, counter block, initialisation vector.
#[test]
fn everything_else() {
    let mut random = Random::new(35);
    let [first, second, third] = [(); 3].map(|()| guarded(CAPACITY));
    for subject in subjects_16(&mut random) {
        let bytes = random.bytes(CAPACITY);
        for len in of_chains() {
            let nonce_len = 1 + len % 150;
            let tag_len = [4, 8, 12, 13, 14, 15, 16][len % 7];
            let (sealed, tag) = gcm::seal(
                subject.reference.of_16(),
                &bytes[..nonce_len],
                &bytes[..len],
                &bytes[..20],
                tag_len,
            );
            for cipher in subject.kernels_16() {
                for end in ENDS {
                    let what = || format!("{}, {len} bytes of data, flush at the {end:?}", label(cipher));
                    let key = flush(first, end, subject.key.len());
                    key.copy_from_slice(&subject.key);
                    let cipher = subject.cipher.with_key_128(key, Some(cipher.kernel())).expect("a key");
                    let aad = flush(first, end, len);
                    aad.copy_from_slice(&bytes[..len]);
                    let nonce = flush(second, end, nonce_len);
                    nonce.copy_from_slice(&bytes[..nonce_len]);
                    let made = flush(third, end, tag_len);
                    let gcm = Gcm::from_cipher(cipher);

                    let mut data = bytes[..20].to_vec();
                    let cut = gcm.with_tag_len(tag_len).expect("a length of the standard");
                    assert_eq!(cut.encrypt_detached(nonce, aad, data.as_mut_slice(), made), Ok(()));
                    same(&data, &sealed, what);
                    same(made, &tag, what);
                    let opened = cut.decrypt_detached(nonce, aad, data.as_mut_slice(), made);
                    assert_eq!(opened, Ok(()), "{}", what());

                    made.fill(0);
                    let encryptor = gcm.encryptor(nonce, aad).and_then(|encryptor| {
                        let mut encryptor = encryptor.with_tag_len(tag_len)?;
                        encryptor.update(data.as_mut_slice()).map(|()| encryptor)
                    });
                    assert_eq!(encryptor.and_then(|encryptor| encryptor.finish(made)), Ok(()));
                    same(made, &tag, what);

                    let block = flush(second, end, 16);
                    assert!(Ctr::from_cipher(gcm.cipher(), block, CounterWidth::Bits64).is_ok());
                    assert!(Cbc::from_cipher(gcm.cipher(), block).is_ok());

                    let eax = Eax::from_cipher(gcm.cipher());
                    let eax = eax.with_tag_len(tag_len).expect("up to a block");
                    let nonce = flush(second, end, nonce_len);
                    eax.encrypt_detached(nonce, aad, data.as_mut_slice(), made).expect("up to a block");
                    eax.decrypt_detached(nonce, aad, data.as_mut_slice(), made).expect("authentic");
                    let cmac = Cmac::from_cipher(gcm.cipher());
                    let cmac = cmac.with_tag_len(tag_len).expect("up to a block");
                    cmac.mac(aad, made).expect("up to a block");
                    cmac.verify(aad, made).expect("authentic");
                }
            }
        }
    }
}
