//! Keys that are expanded together, side by side in lanes, are the same as keys expanded alone.

use crate::common::{Random, kernels};
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::kernels::{ByType, Registered, algorithms};
use abreast::serpent::Serpent;
use abreast::{BlockCipher, Error, Kernel};

/// More than twice as many as the widest vector has lanes.
const MOST: usize = 34;

/// A block forward and another one backward.
fn shown<C: BlockCipher>(cipher: &C) -> [[u8; 16]; 2] {
    let mut blocks = [[0x5a; 16]; 2];
    cipher.encrypt_raw_blocks(blocks[0].as_mut_slice().into()).expect("whole blocks");
    cipher.decrypt_raw_blocks(blocks[1].as_mut_slice().into()).expect("whole blocks");
    blocks
}

/// Keys of a cipher whose type it is told, one after the other.
struct Together<'k> {
    keys: &'k [u8],
    key_len: usize,
    kernel: Kernel,
}

impl ByType for Together<'_> {
    type Out = ();

    fn with_64<C: Registered>(self, variant: u8) {
        let alone = |key: &[u8]| C::with_key(variant, key, self.kernel).expect("a key of its length");
        let expected: Vec<_> = self.keys.chunks(self.key_len).map(|key| shown(&alone(key))).collect();
        for count in 0..=MOST {
            let blank = C::blanks(variant, self.kernel).expect("its kernel");
            let mut ciphers: Vec<C> = (0..count).map(|_| blank()).collect();
            C::set_keys(ciphers.iter_mut().zip(self.keys.chunks(self.key_len)));
            let found: Vec<_> = ciphers.iter().map(shown).collect();
            assert_eq!(found, expected[..count], "{count} keys at {}", self.kernel);
        }
    }
}

#[test]
fn keys_side_by_side() {
    let mut random = Random::new(0x6b65_7973);
    for algorithm in algorithms() {
        for kernel in kernels(*algorithm) {
            let key_len = algorithm.key_len();
            let keys = random.bytes(MOST * key_len);
            algorithm.by_type(Together { keys: &keys, key_len, kernel });
        }
    }
}

/// Keys of the given length, each of other bytes.
fn different<const N: usize>() -> Vec<[u8; N]> {
    let mut random = Random::new(0x6d61_6e79);
    (0..MOST).map(|_| random.bytes(N).try_into().expect("N bytes")).collect()
}

#[test]
fn many_keys_of_a_type() {
    fn compare<C: BlockCipher, const N: usize>(
        many: impl Fn(&[[u8; N]]) -> Vec<C>,
        new: impl Fn(&[u8; N]) -> C,
    ) {
        let keys = different();
        for count in [0, 1, 4, 5, 16, 17, MOST] {
            let ciphers = many(&keys[..count]);
            assert_eq!(ciphers.len(), count);
            for (cipher, key) in ciphers.iter().zip(&keys) {
                assert_eq!((shown(cipher), cipher.kernel()), (shown(&new(key)), new(key).kernel()));
            }
        }
    }
    fn serpent<const N: usize>() {
        compare(
            |keys| Serpent::many(keys).expect("a length"),
            |key: &[u8; N]| Serpent::new(key).expect("a length"),
        );
    }
    compare(Aes128::many, Aes128::new);
    compare(Aes192::many, Aes192::new);
    compare(Aes256::many, Aes256::new);
    serpent::<16>();
    serpent::<17>();
    serpent::<31>();
    serpent::<32>();
    for refused in [Serpent::many(&[[0; 15]]).err(), Serpent::many::<33>(&[]).err()] {
        assert_eq!(refused, Some(Error::KeyLength));
    }
}
