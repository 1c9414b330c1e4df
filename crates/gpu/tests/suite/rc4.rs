//! RC4 of many messages, with its states in either place.

use std::sync::Arc;

use abreast::InOutBuf;
use abreast::rc4::{Message, Rc4};
use abreast_gpu::{
    Error, Gpu, LONGEST_TRIED, MOST_SKIPPED, Options, StatePlace, Wanted, rc4_apply_keys, rc4_try_keys,
};

use crate::common::{Random, SHORT, USUAL, all_devices, around, on_each, options};

/// The kernels of GPUs and the kernels of CPU devices, both on all devices.
fn on_each_in_both_places(chunk: usize, test: impl Fn(&Arc<Gpu>)) {
    for device in all_devices() {
        for place in [StatePlace::Local, StatePlace::Private] {
            let options = Options { rc4_state: Some(place), ..options(chunk) };
            test(&Gpu::open(&device, &options).expect("the device can be opened"));
        }
    }
}

/// Messages of these lengths, under keys of all lengths and with some keystream left out.
fn check(gpu: &Arc<Gpu>, lens: &[usize]) {
    let mut random = Random::new(lens.len() as u64);
    let keys: Vec<Vec<u8>> = lens
        .iter()
        .map(|_| {
            let len = 1 + random.below(256);
            random.bytes(len)
        })
        .collect();
    let inputs: Vec<Vec<u8>> = lens.iter().map(|&len| random.bytes(len)).collect();
    let skips: Vec<u64> = lens.iter().map(|_| random.log_uniform(4096) as u64).collect();
    let mut outputs: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
    let parts = keys.iter().zip(&skips).zip(inputs.iter().zip(&mut outputs));
    let mut messages: Vec<_> = parts
        .map(|((key, &skip), (input, output))| Message {
            key,
            skip,
            buffer: InOutBuf::new(input, output).unwrap(),
        })
        .collect();
    rc4_apply_keys(gpu, &mut messages).unwrap();
    for (n, output) in outputs.iter().enumerate() {
        let mut rc4 = Rc4::new(&keys[n]).unwrap();
        rc4.skip(skips[n]);
        let mut expected = inputs[n].clone();
        rc4.apply(&mut expected[..]);
        assert!(*output == expected, "message {n} of {}: {} bytes", lens.len(), lens[n]);
    }
    let parts = keys.iter().zip(&skips).zip(&mut outputs);
    let mut messages: Vec<_> =
        parts.map(|((key, &skip), text)| Message { key, skip, buffer: (&mut text[..]).into() }).collect();
    rc4_apply_keys(gpu, &mut messages).unwrap();
    assert!(outputs == inputs);
}

#[test]
fn messages_of_every_length_have_their_own_keys() {
    on_each_in_both_places(SHORT, |gpu| {
        check(gpu, &[]);
        check(gpu, &[0]);
        check(gpu, &[0, 0, 1]);
        check(gpu, &(0..=700).collect::<Vec<_>>());
        // Pieces of 256 bytes, waves that a short chunk makes of few messages, and streams of many pieces.
        for len in around(&[16, 256, 512, SHORT, 4 * SHORT], 1) {
            check(gpu, &[len]);
            check(gpu, &[len, 0, 3, len, len]);
        }
        let mut random = Random::new(1);
        check(gpu, &(0..100).map(|_| random.log_uniform(2 * SHORT)).collect::<Vec<_>>());
    });
}

#[test]
fn many_messages_in_usual_chunks() {
    on_each_in_both_places(USUAL, |gpu| {
        let mut random = Random::new(2);
        check(gpu, &(0..5000).map(|_| random.log_uniform(2048)).collect::<Vec<_>>());
    });
}

#[test]
fn keys_that_fit_are_found_and_no_others() {
    on_each(SHORT, |gpu| {
        let mut random = Random::new(3);
        for count in [0, 1, 2, 63, 64, 65, 500, 3000] {
            let mut keys: Vec<Vec<u8>> = (0..count).map(|_| random.bytes(5)).collect();
            let len = 1 + random.below(LONGEST_TRIED);
            let plaintext = random.bytes(len);
            let skip = random.below(300) as u64;
            let key = random.bytes(13);
            let mut ciphertext = plaintext.clone();
            let mut rc4 = Rc4::new(&key).unwrap();
            rc4.skip(skip);
            rc4.apply(&mut ciphertext[..]);
            let mut places: Vec<usize> = (0..count.min(3)).map(|_| random.below(count)).collect();
            places.extend(count.checked_sub(1));
            places.sort_unstable();
            places.dedup();
            for &place in &places {
                keys[place] = key.clone();
            }
            // Five bytes at least, or other keys could fit by chance.
            if plaintext.len() >= 5 {
                let wanted = Wanted::beginning(&plaintext);
                assert_eq!(rc4_try_keys(gpu, &keys, skip, &ciphertext, &wanted).unwrap(), places);
                let mut other = plaintext.clone();
                *other.last_mut().unwrap() ^= 1;
                let none = rc4_try_keys(gpu, &keys, skip, &ciphertext, &Wanted::beginning(&other)).unwrap();
                assert!(none.is_empty());
            }
        }
    });
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is() {
    on_each(SHORT, |gpu| {
        let mut texts = [[1_u8; 9], [2; 9]];
        let mut refused = |key: &[u8], skip| {
            let [a, b] = &mut texts;
            let mut messages = [
                Message { key: b"a key", skip: 0, buffer: (&mut a[..]).into() },
                Message { key, skip, buffer: (&mut b[..]).into() },
            ];
            rc4_apply_keys(gpu, &mut messages).unwrap_err()
        };
        assert_eq!(refused(b"", 0), Error::Cipher(abreast::Error::KeyLength));
        assert_eq!(refused(&[0; 257], 0), Error::Cipher(abreast::Error::KeyLength));
        assert!(matches!(refused(b"k", MOST_SKIPPED + 1), Error::Unsupported(_)));
        assert_eq!(texts, [[1; 9], [2; 9]]);
        let tried = rc4_try_keys(gpu, &[b"k"], 0, &[0; LONGEST_TRIED + 1], &Wanted::beginning(b""));
        assert_eq!(tried.unwrap_err(), Error::Cipher(abreast::Error::MessageTooLong));
    });
}
