//! The functions of bits that others call, on the arena of their thread.

use std::time::Duration;

use super::circuit::Circuit;
use super::{Arena, Bit, ONE, Word, ZERO, with};
use crate::native::thread_time;

/// Forgets everything, bits included, and begins a proof that may take so much CPU time: a busy machine makes no difference.
pub(crate) fn begin(limit: Duration) {
    with(|arena| {
        *arena = Arena::new();
        arena.deadline = Some(thread_time() + limit);
    });
}

/// Forgets everything, and begins a calculation in which variables are random numbers.
pub(crate) fn begin_with_numbers(seed: u64, limit: Duration) {
    begin(limit);
    with(|arena| arena.random = Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
}

/// True if variables are random numbers.
pub(crate) fn has_numbers() -> bool {
    with(|arena| arena.random.is_some())
}

/// Forgets everything, and begins a circuit: bits are gates, which names leave as they are.
pub(crate) fn begin_with_gates(limit: Duration) {
    begin(limit);
    with(|arena| arena.circuit = Some(Circuit::new()));
}

/// True if the proof has run out of time or memory: then bits are worth nothing.
pub(crate) fn exhausted() -> bool {
    with(|arena| {
        arena.until_look = 0;
        arena.exhausted()
    })
}

/// New variables.
pub(crate) fn variables(count: usize) -> Word {
    with(|arena| (0..count).map(|_| arena.variable()).collect())
}

/// The sum of two bits.
pub(crate) fn xor(a: Bit, b: Bit) -> Bit {
    with(|arena| Bit(arena.xor(a.0, b.0)))
}

/// The product of two bits.
pub(crate) fn and(a: Bit, b: Bit) -> Bit {
    with(|arena| Bit(arena.and(a.0, b.0)))
}

/// The complement.
pub(crate) fn not(a: Bit) -> Bit {
    xor(a, ONE)
}

/// One if any of two bits is.
pub(crate) fn or(a: Bit, b: Bit) -> Bit {
    not(and(not(a), not(b)))
}

/// The XOR of any number of bits.
pub(crate) fn xor_all(bits: &[Bit]) -> Bit {
    with(|arena| Bit(arena.xor_all(bits)))
}

/// Gives each bit a name, by which its polynomial goes from now on.
pub(crate) fn name(bits: &[Bit]) -> Word {
    with(|arena| bits.iter().map(|bit| Bit(arena.name(bit.0))).collect())
}

/// Gives a word names, by which it goes from now on where all of its bits come together.
pub(crate) fn name_word(word: &[Bit]) -> Word {
    with(|arena| arena.name_word(word))
}

/// Lets bits be this number from now on, where they are not numbers already: what follows is about the inputs for which they are.
pub(crate) fn assume(bits: &[Bit], value: u64) -> Word {
    let assumed = number(value.into(), bits.len());
    with(|arena| bits.iter().zip(assumed).map(|(bit, value)| Bit(arena.assume(bit.0, value.0))).collect())
}

/// True if some bits were assumed to be numbers.
pub(crate) fn has_assumptions() -> bool {
    with(|arena| arena.assumptions)
}

/// Replaces each 32 bits, and each 128, that are a word with names by these.
pub(crate) fn with_names(bits: &mut [Bit]) {
    with(|arena| {
        for (size, _) in [32, 128].into_iter().zip(arena.word_sizes).filter(|(_, some)| *some) {
            for word in bits.chunks_exact_mut(size) {
                if let Some(names) = arena.named_word(word) {
                    word.copy_from_slice(&names);
                }
            }
        }
    });
}

/// Says what the names that follow are for.
pub(crate) fn label(text: impl FnOnce() -> String) {
    with(|arena| {
        let place = arena.reached.len();
        arena.labels.push((place, text()));
    });
}

/// Forgets which names were reached, when a specification has run and the code that is compared with it has not.
pub(crate) fn forget_reached() {
    with(|arena| {
        if let Some(circuit) = &mut arena.circuit {
            circuit.specified();
        }
        arena.reached.fill(false);
        let place = arena.reached.len();
        arena.labels.push((place, String::new()));
    });
}

/// The label of the first name that was not reached since then, and how many of that label were not.
pub(crate) fn first_not_reached() -> Option<String> {
    with(|arena| {
        let end = arena.labels.iter().rposition(|(_, text)| text.is_empty())?;
        let names = &arena.reached[..arena.labels[end].0];
        let first = names.iter().position(|reached| !reached)?;
        let of_name = arena.labels.partition_point(|(place, _)| *place <= first);
        let end = arena.labels.get(of_name).map_or(names.len(), |(place, _)| *place);
        let missed = names[first..end].iter().filter(|reached| !**reached).count();
        let (begin, text) = &arena.labels[of_name.checked_sub(1)?];
        Some(format!("{text}: {missed} of {}, from number {}", end - begin, first - begin))
    })
}

/// A number in as many bits.
pub(crate) fn number(value: u128, width: usize) -> Word {
    (0..width).map(|i| if i < 128 && value >> i & 1 == 1 { ONE } else { ZERO }).collect()
}

/// Returns the number that bits are, at most 128 of them, if they do not depend on variables.
pub(crate) fn constant(bits: &[Bit]) -> Option<u128> {
    let mut value = 0;
    for (i, bit) in bits.iter().enumerate() {
        match *bit {
            ZERO => {}
            ONE if i < 128 => value |= 1 << i,
            _ => return None,
        }
    }
    Some(value)
}

/// Bytes as bits.
pub(crate) fn from_bytes(bytes: &[u8]) -> Word {
    bytes.iter().flat_map(|byte| number((*byte).into(), 8)).collect()
}
