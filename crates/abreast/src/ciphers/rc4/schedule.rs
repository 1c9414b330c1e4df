//! The key schedule: 256 steps as the generator's, with a byte of the key in each and no output.
//!
//! Messages of some hundred bytes mostly wait for this, so keys go side by side too.

use super::stream::{Rc4State, Running, STEPS, sixteen_times};
use crate::Error;
use abreast_simd::inlined::{CopyFrom, Zipped};
use zeroize::optimization_barrier;

/// Key schedules, from states that are the first: `i` and `j` stay zero there.
#[inline(never)]
pub(super) fn schedule<const N: usize>(states: &mut [Rc4State; N], keys: &KeyBatch<N>) {
    let mut running = states.each_mut().map(|state| Running::new(state, 0));
    for at in (0..256).step_by(STEPS) {
        sixteen_times(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |k| {
                for (key, running) in keys.0.iter().zipped(&mut running) {
                    running.swap(k, key[at + k]);
                }
            },
        );
        for running in &mut running {
            running.base += STEPS;
        }
    }
}

pub(super) fn is_key(key: &[u8]) -> bool {
    (1..=256).contains(&key.len())
}

/// Keys, each repeated to 256 bytes.
pub(super) struct KeyBatch<const N: usize>([[u8; 256]; N]);

impl<const N: usize> KeyBatch<N> {
    pub(super) fn new(keys: [&[u8]; N]) -> Result<Self, Error> {
        let mut repeated = Self([[0; 256]; N]);
        for (key, repeated) in keys.into_iter().zipped(&mut repeated.0) {
            if !is_key(key) {
                return Err(Error::KeyLength);
            }
            let mut len = key.len();
            repeated[..len].copy_from(key);
            while len < 256 {
                let more = len.min(256 - len);
                repeated.copy_within(..more, len);
                len += more;
            }
        }
        Ok(repeated)
    }
}

impl<const N: usize> Drop for KeyBatch<N> {
    fn drop(&mut self) {
        self.0 = [[0; 256]; N];
        optimization_barrier(self);
    }
}
