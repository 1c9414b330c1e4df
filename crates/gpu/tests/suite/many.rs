//! XTEA with a key for each message, and keys that are tried.

use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, InOutBuf};
use abreast_gpu::{
    Error, KeyedMessage, LONGEST_TRIED, Wanted, xtea_decrypt_many, xtea_encrypt_many, xtea_try_keys,
};

use crate::common::{Random, SHORT, USUAL, around, on_each};

const ORDERS: [ByteOrder; 2] = [ByteOrder::LittleEndian, ByteOrder::BigEndian];

fn cpu(key: &[u8; 16], order: ByteOrder) -> Xtea {
    Xtea::with_kernel(key, order, 32, Xtea::kernels().next().unwrap()).unwrap()
}

fn keys(random: &mut Random, count: usize) -> Vec<[u8; 16]> {
    random.bytes(16 * count).as_chunks().0.to_vec()
}

/// Messages of these lengths, each under a key of its own, to another place and back in place.
fn check(gpu: &std::sync::Arc<abreast_gpu::Gpu>, lens: &[usize]) {
    let mut random = Random::new(lens.len() as u64);
    for order in ORDERS {
        let keys = keys(&mut random, lens.len());
        let inputs: Vec<Vec<u8>> = lens.iter().map(|&len| random.bytes(len)).collect();
        let mut outputs: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
        let mut messages: Vec<_> = keys
            .iter()
            .zip(&inputs)
            .zip(&mut outputs)
            .map(|((key, input), output)| KeyedMessage { key, buffer: InOutBuf::new(input, output).unwrap() })
            .collect();
        xtea_encrypt_many(gpu, order, &mut messages).unwrap();
        for ((key, input), output) in keys.iter().zip(&inputs).zip(&outputs) {
            let mut expected = input.clone();
            cpu(key, order).encrypt_raw_blocks((&mut expected[..]).into()).unwrap();
            assert!(*output == expected, "{order:?}, {} bytes", input.len());
        }
        let mut messages: Vec<_> = keys
            .iter()
            .zip(&mut outputs)
            .map(|(key, output)| KeyedMessage { key, buffer: (&mut output[..]).into() })
            .collect();
        xtea_decrypt_many(gpu, order, &mut messages).unwrap();
        assert!(outputs == inputs, "{order:?}, decryption");
    }
}

#[test]
fn messages_of_every_length_have_their_own_keys() {
    on_each(SHORT, |gpu| {
        check(gpu, &[]);
        check(gpu, &[0]);
        check(gpu, &(0..=4096).step_by(8).collect::<Vec<_>>());
        // Units of 64 bytes; all that fits beside keys and numbers; messages longer than a chunk.
        let of_a_chunk = (SHORT - 32) / 68 * 64;
        let lens = around(&[64, of_a_chunk, 2 * of_a_chunk, SHORT, 4 * SHORT], 8);
        check(gpu, &lens);
        for len in lens {
            check(gpu, &[len]);
            check(gpu, &[8, len, 0, 8, len]);
        }
        let mut random = Random::new(1);
        check(gpu, &(0..300).map(|_| random.log_uniform(3 * SHORT) / 8 * 8).collect::<Vec<_>>());
    });
}

#[test]
fn many_messages_in_usual_chunks() {
    on_each(USUAL, |gpu| {
        let mut random = Random::new(2);
        check(gpu, &(0..20_000).map(|_| random.log_uniform(8192) / 8 * 8).collect::<Vec<_>>());
    });
}

#[test]
fn a_part_of_a_block_is_refused_before_anything_is_done() {
    on_each(SHORT, |gpu| {
        let mut texts = [[1_u8; 16], [2; 16]];
        let [a, b] = &mut texts;
        let mut messages = [
            KeyedMessage { key: &[3; 16], buffer: (&mut a[..]).into() },
            KeyedMessage { key: &[4; 16], buffer: (&mut b[..9]).into() },
        ];
        let refused = xtea_encrypt_many(gpu, ByteOrder::LittleEndian, &mut messages);
        assert_eq!(refused, Err(Error::Cipher(abreast::Error::PartialBlock)));
        assert_eq!(texts, [[1; 16], [2; 16]]);
    });
}

#[test]
fn keys_that_fit_are_found_and_no_others() {
    on_each(SHORT, |gpu| {
        let mut random = Random::new(3);
        // A chunk has room for a byte and a key each.
        let of_a_chunk = (SHORT - 3 * LONGEST_TRIED - 32) / 17;
        for count in around(&[0, 64, of_a_chunk, 3 * of_a_chunk, 4 * of_a_chunk], 1) {
            for order in ORDERS {
                let mut keys = keys(&mut random, count);
                let len = 8 * (1 + random.below(8));
                let plaintext = random.bytes(len);
                let mut ciphertext = plaintext.clone();
                let key = random.bytes(16).as_chunks().0[0];
                cpu(&key, order).encrypt_raw_blocks((&mut ciphertext[..]).into()).unwrap();
                let mut places: Vec<usize> = (0..count.min(3)).map(|_| random.below(count)).collect();
                places.extend(count.checked_sub(1));
                places.sort_unstable();
                places.dedup();
                for &place in &places {
                    keys[place] = key;
                }
                let wanted = Wanted::beginning(&plaintext[..6 + random.below(len - 5)]);
                assert_eq!(xtea_try_keys(gpu, order, &keys, &ciphertext, &wanted).unwrap(), places);
                // The last bit of all is looked at.
                let mut other = plaintext.clone();
                *other.last_mut().unwrap() ^= 0x80;
                let none = xtea_try_keys(gpu, order, &keys, &ciphertext, &Wanted::beginning(&other)).unwrap();
                assert!(none.is_empty());
                let mut mask = vec![0xff; plaintext.len()];
                *mask.last_mut().unwrap() = 0x7f;
                let found = xtea_try_keys(gpu, order, &keys, &ciphertext, &Wanted::masked(&other, &mask));
                assert_eq!(found.unwrap(), places);
            }
        }
        let keys = keys(&mut random, 5);
        let order = ByteOrder::LittleEndian;
        // Nothing is wanted of an empty text, and more than there is cannot be had.
        assert_eq!(xtea_try_keys(gpu, order, &keys, &[], &Wanted::beginning(b"")).unwrap(), [0, 1, 2, 3, 4]);
        assert!(xtea_try_keys(gpu, order, &keys, &[0; 8], &Wanted::beginning(&[0; 9])).unwrap().is_empty());
        let wanted = Wanted::beginning(b"");
        let refused = |len: usize| xtea_try_keys(gpu, order, &keys, &vec![0; len], &wanted).unwrap_err();
        assert_eq!(refused(LONGEST_TRIED + 8), Error::Cipher(abreast::Error::MessageTooLong));
        assert_eq!(refused(9), Error::Cipher(abreast::Error::PartialBlock));
    });
}
