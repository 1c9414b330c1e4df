//! Known answers of every cipher at every kernel.
//!
//! Each answer is asked for once and many times side by side, so that short ways and wide passes both come up.

use abreast::BlockCipher as _;
#[cfg(feature = "aez")]
use abreast::aez::Aez;
use abreast::kernels::{Algorithm, algorithms};
#[cfg(feature = "legacy")]
use abreast::rc4::{Rc4, Stream, apply_many_with_kernel};
#[cfg(feature = "legacy")]
use abreast_simd::inlined::ArrayList;

use crate::cipher::{kernels, keyed, of_key};
use crate::status::Status;

/// Blocks side by side: one, and more than the widest pass has.
const COUNTS: [usize; 2] = [1, MOST];
const MOST: usize = 200;

/// The block that a block cipher makes of a block.
struct Answer {
    cipher: &'static str,
    key: &'static [u8],
    plaintext: &'static [u8],
    ciphertext: &'static [u8],
}

/// 00 01 02 ..
const COUNTING: [u8; 32] = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
/// 80 00 00 ..
const FIRST_BIT: [u8; 32] = hex("8000000000000000000000000000000000000000000000000000000000000000");
const ZEROS: [u8; 16] = [0; 16];
const ELEVENS: [u8; 16] = hex("00112233445566778899aabbccddeeff");

/// AES: FIPS 197, C.1 to C.3. Serpent: NESSIE, set 1, vector 0 of each length of key. XTEA: the zeros of the paper's
/// program, and the first of PolarSSL's.
const ANSWERS: [Answer; 10] = [
    Answer {
        cipher: "aes-128",
        key: COUNTING.split_at(16).0,
        plaintext: &ELEVENS,
        ciphertext: &hex::<16>("69c4e0d86a7b0430d8cdb78070b4c55a"),
    },
    Answer {
        cipher: "aes-192",
        key: COUNTING.split_at(24).0,
        plaintext: &ELEVENS,
        ciphertext: &hex::<16>("dda97ca4864cdfe06eaf70a0ec0d7191"),
    },
    Answer {
        cipher: "aes-256",
        key: COUNTING.split_at(32).0,
        plaintext: &ELEVENS,
        ciphertext: &hex::<16>("8ea2b7ca516745bfeafc49904b496089"),
    },
    Answer {
        cipher: "serpent-128",
        key: FIRST_BIT.split_at(16).0,
        plaintext: &ZEROS,
        ciphertext: &hex::<16>("264e5481eff42a4606abda06c0bfda3d"),
    },
    Answer {
        cipher: "serpent-192",
        key: FIRST_BIT.split_at(24).0,
        plaintext: &ZEROS,
        ciphertext: &hex::<16>("9e274ead9b737bb21efcfca548602689"),
    },
    Answer {
        cipher: "serpent-256",
        key: FIRST_BIT.split_at(32).0,
        plaintext: &ZEROS,
        ciphertext: &hex::<16>("a223aa1288463c0e2be38ebd825616c0"),
    },
    Answer {
        cipher: "tea",
        key: &ZEROS,
        plaintext: ZEROS.split_at(8).0,
        ciphertext: &hex::<8>("0a3aea4140a9ba94"),
    },
    Answer {
        cipher: "tea-be",
        key: &ZEROS,
        plaintext: ZEROS.split_at(8).0,
        ciphertext: &hex::<8>("41ea3a0a94baa940"),
    },
    Answer {
        cipher: "xtea",
        key: &ZEROS,
        plaintext: ZEROS.split_at(8).0,
        ciphertext: &hex::<8>("d8d4e9ded91e13f7"),
    },
    Answer {
        cipher: "xtea-be",
        key: COUNTING.split_at(16).0,
        plaintext: b"ABCDEFGH",
        ciphertext: &hex::<8>("497df3d072612cb5"),
    },
];

/// Runs them all.
pub(crate) fn self_test() -> Result<(), Status> {
    // Every cipher that was compiled has one.
    for cipher in algorithms() {
        let answer = ANSWERS.iter().find(|answer| answer.cipher == cipher.name());
        blocks(answer.ok_or(Status::SelfTest)?)?;
    }
    #[cfg(feature = "aez")]
    aez()?;
    #[cfg(feature = "legacy")]
    rc4()?;
    Ok(())
}

/// Asks for an answer both ways.
#[inline(never)]
fn blocks(answer: &Answer) -> Result<(), Status> {
    let cipher = Algorithm::from_name(answer.cipher).ok_or(Status::SelfTest)?;
    for kernel in kernels(cipher) {
        // The key is made as C makes one, which fails where there is no memory.
        let key = keyed(answer.cipher, answer.key, Some(kernel.name()))?.kept();
        for count in COUNTS {
            let mut room = [0; MOST * 16];
            let data = &mut room[..count * answer.plaintext.len()];
            let fill = |data: &mut [u8], block: &[u8]| {
                data.chunks_exact_mut(block.len()).for_each(|place| place.copy_from_slice(block));
            };
            fill(data, answer.plaintext);
            of_key(&key).encrypt_raw_blocks((&mut *data).into())?;
            all_are(data, answer.ciphertext)?;
            fill(data, answer.ciphertext);
            of_key(&key).decrypt_raw_blocks((&mut *data).into())?;
            all_are(data, answer.plaintext)?;
        }
    }
    Ok(())
}

/// Compares each block.
fn all_are(data: &[u8], block: &[u8]) -> Result<(), Status> {
    data.chunks_exact(block.len()).try_for_each(|it| same(it, block))
}

/// A message from the authors' implementation (AEZ encrypt 36).
#[cfg(feature = "aez")]
#[inline(never)]
fn aez() -> Result<(), Status> {
    let key: [u8; 48] = hex(concat!(
        "84aa4f2d97be8ab284a91a948ab82f860003e20c19d1d302",
        "91ac768a3b38f64098b6a37bcf2d6b016e756a76a0fe4f45"
    ));
    let nonce: [u8; 16] = hex("e0b1163e5fd5f3735aee0514562590a4");
    let (first, third) = (hex::<10>("1fd3809ed3096c3af87c"), hex::<15>("9bd2e9fabb9f1ec60457631925c684"));
    let plaintext: [u8; 17] = hex("792d7b9f11b82163a90ffe7feb390e5b2c");
    let ciphertext: [u8; 33] = hex("e0b27f58e256f524932cc69ac593f3049a81187a1656ee0d124e77c73ee6c568b2");
    for kernel in Aez::kernels() {
        let aez = Aez::with_kernel(&key, kernel)?;
        let (mut data, mut tag) = (plaintext, [0; 16]);
        aez.encrypt_detached(&nonce, &[&first, &[], &third], data.as_mut_slice(), &mut tag)?;
        same(&data, &ciphertext[..17])?;
        same(&tag, &ciphertext[17..])?;
        aez.decrypt_detached(&nonce, &[&first, &[], &third], data.as_mut_slice(), &tag)?;
        same(&data, &plaintext)?;
    }
    Ok(())
}

/// Streams side by side: more than are interleaved. Those of the widest kernel get lanes from 2048 bytes on.
#[cfg(feature = "legacy")]
const STREAMS: usize = 4;

/// Adds a stream of a key.
// Not inlined, nor the tests of the ciphers, so that the stack of each is gone before the next.
#[cfg(feature = "legacy")]
#[inline(never)]
fn add_stream(states: &mut ArrayList<Rc4, STREAMS>) -> Result<(), Status> {
    states.push(Rc4::new(&[1, 2, 3, 4, 5])?);
    Ok(())
}

/// RFC 6229, 40 bits, the keystream's beginning.
#[cfg(feature = "legacy")]
#[inline(never)]
fn rc4() -> Result<(), Status> {
    let expected: [u8; 32] = hex("b2396305f03dc027ccc3524a0a1118a86982944f18fc82d589c403a47a0d0919");
    for kernel in Rc4::kernels() {
        for count in [1, STREAMS] {
            let mut states = ArrayList::new();
            (0..count).try_for_each(|_| add_stream(&mut states))?;
            let mut data = [[0; 32]; STREAMS];
            let mut streams = ArrayList::<_, STREAMS>::new();
            for (state, data) in states.items_mut().iter_mut().zip(&mut data) {
                streams.push(Stream { state, buffer: data.as_mut_slice().into() });
            }
            apply_many_with_kernel(streams.items_mut(), kernel)?;
            drop(streams);
            data[..count].iter().try_for_each(|data| same(data, &expected))?;
        }
    }
    Ok(())
}

fn same(a: &[u8], b: &[u8]) -> Result<(), Status> {
    if a == b { Ok(()) } else { Err(Status::SelfTest) }
}

/// Bytes of hexadecimal digits.
const fn hex<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N, "two digits for each byte");
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]);
        i += 1;
    }
    bytes
}

const fn digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        _ => panic!("no digit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of blocks of each cipher, which take hours there")]
    fn right_answers_pass_and_wrong_ones_do_not() {
        assert_eq!(self_test(), Ok(()));
        const WRONG: [u8; 16] = hex("69c4e0d86a7b0430d8cdb78070b4c55b");
        let [first, ..] = ANSWERS;
        assert_eq!(blocks(&Answer { ciphertext: &WRONG, ..first }), Err(Status::SelfTest));
    }
}
