//! HCTR2: tweaks of every length, messages that are too short, and packets under one key and under others between them.

use crate::common::guarded::untouchable;
use crate::common::{Random, label, long_or_short, same, short, subjects_16};
use abreast::modes::Hctr2;
use abreast::packets::{self, Hctr2Key, Packet};
use abreast::{BlockCipher128, Error};
use abreast_reference::hctr2;

/// Every length of a tweak up to beyond the one from which it is hashed by itself, and some that fill passes of the hash.
#[test]
fn tweaks() {
    let mut random = Random::new(190);
    let text = random.bytes(33);
    for subject in subjects_16(&mut random) {
        for len in (0..=50).step_by(long_or_short(1, 3)).chain([511, 512, 513, 2000]) {
            let tweak = random.bytes(len);
            let expected = hctr2::encrypt(subject.reference.of_16(), &tweak, &text);
            for cipher in subject.kernels_16() {
                let what = || format!("{}, a tweak of {len} bytes", label(cipher));
                let hctr2 = Hctr2::from_cipher(cipher);
                let mut data = text.clone();
                assert_eq!(hctr2.encrypt(&tweak, data.as_mut_slice()), Ok(()));
                same(&data, &expected, what);
                assert_eq!(hctr2.decrypt(&tweak, data.as_mut_slice()), Ok(()));
                same(&data, &text, what);
            }
        }
    }
}

/// A block is a message by itself, and less is none.
#[test]
fn short_messages_are_refused() {
    for subject in subjects_16(&mut Random::new(191)) {
        for cipher in subject.kernels_16() {
            let hctr2 = Hctr2::from_cipher(cipher);
            for len in 0..16 {
                let mut data = vec![7; len];
                assert_eq!(hctr2.encrypt(&[], data.as_mut_slice()), Err(Error::MessageTooShort));
                assert_eq!(hctr2.decrypt(&[], data.as_mut_slice()), Err(Error::MessageTooShort));
                assert!(data.iter().all(|byte| *byte == 7), "{len} bytes were written");
            }
        }
    }
}

/// Checks that a message that is too long is refused before a byte of it is read: its memory cannot be touched.
#[test]
#[cfg(all(unix, target_pointer_width = "64"))]
fn long_messages_are_refused() {
    if short() {
        // An emulator keeps books of every page of so much address space.
        return;
    }
    let longest = 1 << 36;
    let long = untouchable(longest + 16);
    for subject in subjects_16(&mut Random::new(193)) {
        for cipher in subject.kernels_16() {
            let hctr2 = Hctr2::from_cipher(cipher);
            for len in [longest + 1, longest + 16] {
                assert_eq!(hctr2.encrypt(&[], &mut long[..len]), Err(Error::MessageTooLong));
                assert_eq!(hctr2.decrypt(&[], &mut long[..len]), Err(Error::MessageTooLong));
                let mut batch: [Packet<'_, Hctr2Key<'_>>; 1] = [Packet::new(&hctr2, &[], &mut long[..len])];
                packets::hctr2_encrypt(&mut batch);
                assert_eq!(batch[0].result, Err(Error::MessageTooLong));
            }
        }
    }
}

/// Packets under one key go together, up to a number of them; others, and refused ones, come between.
#[test]
fn packets_under_few_keys() {
    let mut random = Random::new(192);
    for subject in subjects_16(&mut random) {
        for cipher in subject.kernels_16() {
            // Two keys, although their bytes are equal.
            let keys: [Hctr2<&dyn BlockCipher128>; 2] = [0, 1].map(|_| Hctr2::from_cipher(cipher));
            for count in [1, 2, 15, 16, 17, 31, 32, 33, 70] {
                // Runs of a key of any length.
                let mut which = 0;
                let messages: Vec<_> = (0..count)
                    .map(|_| {
                        which ^= usize::from(random.up_to(20) == 0);
                        let (len, tweak) = (random.up_to(80), random.up_to(40));
                        (which, random.bytes(tweak), random.bytes(len))
                    })
                    .collect();
                let mut buffers: Vec<_> = messages.iter().map(|(_, _, text)| text.clone()).collect();
                let mut batch: Vec<Packet<'_, Hctr2Key<'_>>> = (messages.iter().zip(&mut buffers))
                    .map(|((which, tweak, _), buffer)| {
                        Packet::new(&keys[*which], tweak, buffer.as_mut_slice())
                    })
                    .collect();
                packets::hctr2_encrypt(&mut batch);
                let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
                for (((which, tweak, text), buffer), result) in messages.iter().zip(&buffers).zip(results) {
                    let mut expected = text.clone();
                    assert_eq!(keys[*which].encrypt(tweak, expected.as_mut_slice()), result);
                    same(buffer, &expected, || label(cipher));
                }
            }
        }
    }
}
