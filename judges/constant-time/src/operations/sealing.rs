//! Modes of the library's table that bring their cipher along: a message alone, and batches. Those over ciphers are run with the
//! ciphers, and AEZ by itself.

use abreast::table::{MODES, ModeKeys, ModeRow, Sealer, Sealing, Vector};
use abreast::{Error, Kernel};

use super::batches::{Messages, counts, lengths};
use crate::examiner::{Examiner, Secret, public};
use abreast::modes::Direction;

/// The modes with the lengths of their keys.
pub(super) fn rows() -> impl Iterator<Item = (&'static ModeRow, Sealing)> {
    MODES
        .iter()
        .filter(|row| matches!(row.keys, ModeKeys::Own([_, ..])))
        .filter_map(|row| Some((row, row.sealing?)))
}

/// Everything that there is of a mode.
#[inline(never)]
pub(super) fn run(x: &Examiner, row: &ModeRow, sealing: Sealing, kernel: Kernel) {
    let Vector::Nonce(least, most) = row.vector else { panic!("{}: no nonce", row.name) };
    let nonce_len = 12.clamp(least, most);
    let of = |operation: &str| format!("{}, {operation}", row.name);
    for &key_len in sealing.key_lens {
        let key = x.secret(key_len);
        let made = x.run(format_args!("key of {key_len}"), || sealing.make(&key, kernel));
        let sealer = made.expect("its kernel");
        alone(x, row.name, &*sealer, nonce_len);
        x.run(format_args!("drop"), || drop(sealer));
        if x.kernels_only() && kernel.name().starts_with("sliced") {
            continue;
        }
        for &count in counts(x) {
            let keys: Vec<Secret> = (0..count).map(|_| x.secret(key_len)).collect();
            let sealers: Vec<_> =
                keys.iter().map(|key| sealing.make(key, kernel).expect("its kernel")).collect();
            let keys: Vec<&dyn Sealer> = sealers.iter().map(|sealer| &**sealer).collect();
            for lens in lengths(x, count, 1) {
                let mut m = Messages::new(x, &lens, nonce_len, true, 16);
                m.run(x, &of("encrypt"), &keys, |packets| sealing.batch(Direction::Encrypt, packets));
                m.run(x, &of("decrypt"), &keys, |packets| sealing.batch(Direction::Decrypt, packets));
                m.refuse(x, &of("wrong tags"), &keys, |packets| sealing.batch(Direction::Decrypt, packets));
            }
        }
    }
}

#[inline(never)]
fn alone(x: &Examiner, name: &str, sealer: &dyn Sealer, nonce_len: usize) {
    for &len in x.lengths() {
        let (nonce, aad) = (public(nonce_len, 7), x.secret(len / 2));
        let mut data = x.secret(len);
        let mut tag = x.secret(16);
        x.try_run(format_args!("{name} {len}, encrypt"), || {
            sealer.seal(&nonce, &aad, (&mut *data).into(), &mut tag)
        });
        x.try_run(format_args!("{name} {len}, decrypt"), || {
            sealer.open(&nonce, &aad, (&mut *data).into(), &tag)
        });
        tag[15] ^= 1;
        let wrong = x.outcome(format_args!("{name} {len}, a wrong tag"), || {
            sealer.open(&nonce, &aad, (&mut *data).into(), &tag)
        });
        assert_eq!(wrong, Err(Error::TagMismatch));
    }
}
