//! Parts of the library that no public call shows by themselves. Their sources are compiled here again, by their
//! paths, so that the library need not be compiled a second time for a few unit tests.

use abreast::Error;
use abreast_reference::serpent::SBOXES;
use abreast_simd::portable::{Portable, Words4};
use abreast_simd::{Circuit as _, Words};

#[path = "../../src/aez/limits.rs"]
mod aez_limits;
#[path = "../../src/ciphers/serpent/circuits.rs"]
mod circuits;
#[path = "../../src/modes/gcm/limits.rs"]
#[allow(dead_code, reason = "tags and nonces of any length can be had by public calls")]
mod gcm_limits;
#[path = "../../src/ciphers/aes/sbox.rs"]
#[allow(dead_code, reason = "a part is used")]
mod sbox;
#[path = "../../src/engine/written.rs"]
#[allow(dead_code, reason = "a part is used")]
mod written;

use circuits::*;

/// By lengths alone: no machine that runs the tests has such messages.
#[test]
fn gcm_lengths_have_limits() {
    let (most_data, most_aad) = ((1 << 36) - 32, (1 << 61) - 1);
    assert_eq!(gcm_limits::check_lengths(most_aad, most_data), Ok(()));
    for (aad, data) in [(0, most_data + 1), (most_aad + 1, 0), (0, u64::MAX), (u64::MAX, 0)] {
        assert_eq!(
            gcm_limits::check_lengths(aad, data),
            Err(Error::MessageTooLong),
            "{aad} and {data} bytes"
        );
    }
}

/// By the length alone: no address space has room for such a message.
#[test]
#[cfg(target_pointer_width = "64")]
fn aez_lengths_have_a_limit() {
    assert_eq!(aez_limits::check_length(1 << 48), Ok(()));
    for len in [(1 << 48) + 1, 1 << 49, usize::MAX] {
        assert_eq!(aez_limits::check_length(len), Err(Error::MessageTooLong), "{len} bytes");
    }
}

/// Checks the count by which a batch reports its messages as done.
#[test]
fn messages_are_written_when_all_of_their_rows_are() {
    let mut written = written::Written::<32>::new();
    written.push(0, 40);
    written.push(1, 16);
    assert_eq!(written.rows(), 3);
    let complete = |written: &written::Written<32>| written.complete() & 0b11;
    assert_eq!(complete(&written), 0b00);
    written.wrote(0, 1);
    assert_eq!(complete(&written), 0b10);
    // A row was left out.
    written.wrote(2, 1);
    assert_eq!(complete(&written), 0b10);
    written.wrote(1, 1);
    assert_eq!(complete(&written), 0b10);
    written.wrote(2, 1);
    assert_eq!(complete(&written), 0b11);
}

/// Each byte in both directions, against the definition: inversion in GF(2^8), then the affine map.
#[test]
fn every_byte() {
    let times = |mut a: u8, b: u8| {
        let mut product = 0;
        for i in 0..8 {
            product ^= if b >> i & 1 == 1 { a } else { 0 };
            a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        }
        product
    };
    for x in 0..=255u8 {
        let inverse = (0..=255u8).find(|&y| times(x, y) == 1).unwrap_or(0);
        let expected = (0..5).fold(0x63, |sum, n| sum ^ inverse.rotate_left(n));
        assert_eq!(
            sbox::sub_word(u32::from_le_bytes([x, 0, x, 0])).to_le_bytes(),
            [expected, 0x63, expected, 0x63]
        );

        let mut bits = [0u8; 8];
        for (i, bit) in bits.iter_mut().enumerate() {
            *bit = (expected ^ 0x63) >> i & 1;
        }
        let back = sbox::InvSubBytes.apply(bits).iter().rev().fold(0, |byte, bit| byte << 1 | bit);
        assert_eq!(back, x);
    }
}

/// Each box and its inverse.
const CIRCUITS: [(&str, [[Circuit; 2]; 8]); 4] = [
    (
        "ternary",
        [
            [ternary_s0, ternary_inverse_s0],
            [ternary_s1, ternary_inverse_s1],
            [ternary_s2, ternary_inverse_s2],
            [ternary_s3, ternary_inverse_s3],
            [ternary_s4, ternary_inverse_s4],
            [ternary_s5, ternary_inverse_s5],
            [ternary_s6, ternary_inverse_s6],
            [ternary_s7, ternary_inverse_s7],
        ],
    ),
    (
        "timed",
        [
            [timed_s0, timed_inverse_s0],
            [timed_s1, timed_inverse_s1],
            [timed_s2, timed_inverse_s2],
            [timed_s3, timed_inverse_s3],
            [timed_s4, timed_inverse_s4],
            [timed_s5, timed_inverse_s5],
            [timed_s6, timed_inverse_s6],
            [timed_s7, timed_inverse_s7],
        ],
    ),
    (
        "shallow",
        [
            [shallow_s0, shallow_inverse_s0],
            [shallow_s1, shallow_inverse_s1],
            [shallow_s2, shallow_inverse_s2],
            [shallow_s3, shallow_inverse_s3],
            [shallow_s4, shallow_inverse_s4],
            [shallow_s5, shallow_inverse_s5],
            [shallow_s6, shallow_inverse_s6],
            [shallow_s7, shallow_inverse_s7],
        ],
    ),
    (
        "two_input",
        [
            [two_input_s0, two_input_inverse_s0],
            [two_input_s1, two_input_inverse_s1],
            [two_input_s2, two_input_inverse_s2],
            [two_input_s3, two_input_inverse_s3],
            [two_input_s4, two_input_inverse_s4],
            [two_input_s5, two_input_inverse_s5],
            [two_input_s6, two_input_inverse_s6],
            [two_input_s7, two_input_inverse_s7],
        ],
    ),
];

type Circuit = fn([Words4; 4]) -> [Words4; 4];

/// Each circuit computes its S-box, or leads back: bit `n` of a word belongs to the nibble `n`.
#[test]
fn every_nibble() {
    let word = |table: u32| Words4::splat(Portable, table);
    let table = |word: Words4| {
        let mut bytes = [0; Words4::BYTES];
        word.store(&mut bytes);
        u32::from_le_bytes([bytes[0], bytes[1], 0, 0])
    };
    for (kind, circuits) in CIRCUITS {
        for (number, (sbox, [forward, inverse])) in SBOXES.iter().zip(circuits).enumerate() {
            let mut from = [0; 4];
            let mut to = [0; 4];
            for (n, value) in sbox.iter().enumerate() {
                for bit in 0..4 {
                    from[bit] |= (n as u32 >> bit & 1) << n;
                    to[bit] |= u32::from(value >> bit & 1) << n;
                }
            }
            assert_eq!(forward(from.map(word)).map(table), to, "{kind} S{number}");
            assert_eq!(inverse(to.map(word)).map(table), from, "{kind} inverse S{number}");
        }
    }
}
