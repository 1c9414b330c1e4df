//! Counter mode that goes to places of its stream and on from there, against counter blocks that are encrypted one by
//! one.

use abreast::modes::Ctr;
use abreast::{BlockCipher, Error};
use arbitrary::Arbitrary;

use crate::common::{Random, WIDTHS, label, same};
use crate::input::{Choice, fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    choice: Choice,
    width: u8,
    seed: u64,
    /// The number of low bits of the first counter that are ones, so that it wraps soon.
    ones: u8,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Step {
    /// Goes to a byte.
    Seek(u32),
    /// Goes to a byte around a power of two.
    SeekFar {
        exponent: u8,
        before: u8,
    },
    Apply(u16),
}

/// The most steps of a case, and the most bytes of one.
const MOST_STEPS: usize = 40;
const LONGEST: usize = 3000;

pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let (cipher, width) = (case.choice.cipher(), pick(&WIDTHS, case.width));
    let block = cipher.block_size();
    if width.bits() as usize > 8 * block {
        return;
    }
    let mut random = Random::new(case.seed);
    let key =
        cipher.with_key(&random.bytes(cipher.key_len()), Some(case.choice.kernel())).expect("its kernel");
    let ones = u128::MAX.checked_shr(128 - u32::from(case.ones) % 129).unwrap_or(0);
    let first = (u128::from_be_bytes(random.block()) | ones) << (128 - 8 * block) >> (128 - 8 * block);
    let mut ctr =
        Ctr::from_cipher(&key, &first.to_be_bytes()[16 - block..], width).expect("a counter that fits");

    // The number of blocks of a message, less one.
    let last = u128::MAX >> (128 - if block == 8 { width.bits().min(32) } else { width.bits() });
    let in_stream = |bytes: u128| bytes.div_ceil(block as u128) <= last.saturating_add(1);
    let mut at = 0_u128;
    for step in case.steps.into_iter().take(MOST_STEPS) {
        let what = || format!("{}, {width:?} from {first:x}, at {at}, {step:?}", label(&key));
        match step {
            Step::Seek(_) | Step::SeekFar { .. } => {
                let to = match step {
                    Step::SeekFar { exponent, before } => {
                        (1_u128 << (exponent % 128)).wrapping_sub(before.into()).wrapping_add(64)
                    }
                    Step::Seek(to) => to.into(),
                    Step::Apply(_) => unreachable!("this is no seek"),
                };
                let expected = if in_stream(to) { Ok(()) } else { Err(Error::CounterExhausted) };
                assert_eq!(ctr.seek_to(to), expected, "{}", what());
                at = if expected.is_ok() { to } else { at };
            }
            Step::Apply(len) => {
                let len = usize::from(len) % LONGEST;
                // Positions of more than 128 bits are for another test.
                let Some(end) = at.checked_add(len as u128) else { return };
                let data = random.bytes(len);
                let mut got = data.clone();
                let expected = if in_stream(end) { Ok(()) } else { Err(Error::CounterExhausted) };
                assert_eq!(ctr.apply(got.as_mut_slice()), expected, "{}", what());
                if expected.is_ok() {
                    let mask = u128::MAX >> (128 - width.bits());
                    let block_at = |number: u128| first & !mask | first.wrapping_add(number) & mask;
                    let (begun, inside) = (at / block as u128, (at % block as u128) as usize);
                    let count = (inside + len).div_ceil(block) as u128;
                    let counters = (begun..begun + count).map(block_at);
                    let mut stream: Vec<u8> =
                        counters.flat_map(|counter| counter.to_be_bytes()[16 - block..].to_vec()).collect();
                    key.encrypt_raw_blocks(stream.as_mut_slice().into()).expect("whole blocks");
                    let sum: Vec<u8> = data.iter().zip(&stream[inside..]).map(|(a, b)| a ^ b).collect();
                    same(&got, &sum, what);
                    at = end;
                } else {
                    same(&got, &data, what);
                }
            }
        }
        assert_eq!(ctr.position(), Some(at), "{step:?}");
    }
}
