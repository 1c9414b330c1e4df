//! AEZ: keys that are taken as they are and keys that are hashed, messages alone and in batches.

use abreast::aez::Aez;
use abreast::packets::{self, AezKey};
use abreast::{Error, Kernel};

use super::batches::{Messages, counts, lengths};
use crate::examiner::{Examiner, Secret, public};

/// Everything that there is of AEZ.
#[inline(never)]
pub(super) fn run(x: &Examiner, kernel: Kernel) {
    let key_lens: &[usize] = if x.kernels_only() { &[48] } else { &[48, 20] };
    for &key_len in key_lens {
        let key = x.secret(key_len);
        let aez =
            x.run(format_args!("key of {key_len}"), || Aez::with_kernel(&key, kernel)).expect("its kernel");
        alone(x, &aez);
        x.run(format_args!("drop"), || drop(aez));
    }
    if x.kernels_only() && kernel.name().starts_with("sliced") {
        return;
    }
    for &count in counts(x) {
        let keys: Vec<Secret> = (0..count).map(|_| x.secret(48)).collect();
        let aez = |key: &Secret| Aez::with_kernel(key, kernel).expect("its kernel");
        let aezs: Vec<Aez> = keys.iter().map(aez).collect();
        let keys: Vec<AezKey<'_>> = aezs.iter().map(AezKey::from).collect();
        for lens in lengths(x, count, 1) {
            let mut m = Messages::new(x, &lens, 12, true, 16);
            m.run(x, "aez, encrypt", &keys, packets::aez_encrypt);
            m.run(x, "aez, decrypt", &keys, packets::aez_decrypt);
            m.refuse(x, "aez, wrong tags", &keys, packets::aez_decrypt);
        }
    }
}

#[inline(never)]
fn alone(x: &Examiner, aez: &Aez) {
    for &len in x.lengths() {
        let (nonce, aad) = (public(12, 7), x.secret(len / 2));
        let mut data = x.secret(len);
        let mut tag = x.secret(16);
        x.try_run(format_args!("aez {len}, encrypt"), || {
            aez.encrypt_detached(&nonce, &[&aad], &mut *data, tag.tag())
        });
        x.try_run(format_args!("aez {len}, decrypt"), || {
            aez.decrypt_detached(&nonce, &[&aad], &mut *data, tag.tag())
        });
        tag[15] ^= 1;
        let wrong = x.outcome(format_args!("aez {len}, a wrong tag"), || {
            aez.decrypt_detached(&nonce, &[&aad], &mut *data, tag.tag())
        });
        assert_eq!(wrong, Err(Error::TagMismatch));
        // The tag is a part of the message.
        let mut data = x.secret(len + 20);
        x.try_run(format_args!("aez {len}, joined, encrypt"), || {
            aez.with_tag_len(20)?.encrypt_joined(&nonce, &[&aad, &aad], &mut *data)
        });
        x.try_run(format_args!("aez {len}, joined, decrypt"), || {
            aez.with_tag_len(20)?.decrypt_joined(&nonce, &[&aad, &aad], &mut *data)
        });
    }
}
