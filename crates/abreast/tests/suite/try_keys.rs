//! Many keys against one ciphertext: the right one is found wherever it is, and no other.

use crate::common::packets::Kind;
use crate::common::{Random, long_or_short};
use abreast::Error;
use abreast::packets::{self, CipherKey};

/// Numbers of keys around those of a batch.
fn counts() -> impl Iterator<Item = usize> {
    [257, 0, 2, 255, 17, 256, 512, 700, 1].into_iter().step_by(long_or_short(1, 4))
}

/// Every cipher at every kernel, ciphertexts of all lengths that are allowed.
#[test]
fn keys_of_ciphers() {
    let mut random = Random::new(321);
    for kind in Kind::all() {
        for (which, kernel) in kind.kernels().into_iter().enumerate() {
            for count in counts() {
                let keys: Vec<_> =
                    (0..count).map(|_| kind.key(&random.bytes(kind.key_len()), kernel, false)).collect();
                let keys: Vec<_> = keys.iter().map(|key| key.cipher()).collect();
                let len = kind.block() * (1 + (which + count) % (64 / kind.block()));
                let plaintext = random.bytes(len);
                for place in [0, count / 2, count.saturating_sub(1)] {
                    let mut ciphertext = plaintext.clone();
                    let Some(key) = keys.get(place) else { continue };
                    assert_eq!(key.cipher().encrypt_raw_blocks(ciphertext.as_mut_slice().into()), Ok(()));
                    let mut seen = 0;
                    let found = packets::try_keys(&keys, &ciphertext, |got| {
                        seen += 1;
                        assert_eq!(got.len(), len);
                        got == plaintext
                    });
                    assert_eq!((found, seen), (Ok(vec![place]), count), "{key:?}, {count} keys, {len} bytes");
                }
            }
        }
    }
}

/// Ciphers side by side; several that fit; none.
#[test]
fn keys_of_several_ciphers() {
    let mut random = Random::new(322);
    let keys: Vec<_> = (0..600)
        .map(|_| {
            let kind = random.pick(&Kind::all());
            kind.key(&random.bytes(kind.key_len()), kind.kernels()[0], random.up_to(1) == 0)
        })
        .collect();
    let keys: Vec<CipherKey<'_>> = keys.iter().map(|key| key.cipher()).collect();
    let ciphertext = random.bytes(16);
    let mut expected = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let mut text = ciphertext.clone();
        assert_eq!(key.cipher().decrypt_raw_blocks(text.as_mut_slice().into()), Ok(()));
        if text[0] < 50 {
            expected.push(at);
        }
    }
    assert!(expected.len() > 50);
    assert_eq!(packets::try_keys(&keys, &ciphertext, |text| text[0] < 50), Ok(expected));
    assert_eq!(packets::try_keys(&keys, &ciphertext, |_| false), Ok(vec![]));
    assert_eq!(packets::try_keys(&keys, &ciphertext, |_| true), Ok((0..600).collect()));

    // Half a block of some of them.
    let refused = packets::try_keys(&keys, &ciphertext[..8], |_| panic!("nothing was to be done"));
    assert_eq!(refused, Err(Error::PartialBlock));
    let refused = packets::try_keys(&keys, &[0; 80], |_| panic!("nothing was to be done"));
    assert_eq!(refused, Err(Error::MessageTooLong));
    assert_eq!(packets::try_keys(&keys[..3], &[], <[u8]>::is_empty), Ok(vec![0, 1, 2]));
}

#[cfg(feature = "legacy")]
#[test]
fn keys_of_rc4() {
    use abreast::rc4::{Rc4, try_keys};

    let mut random = Random::new(323);
    for count in counts() {
        let keys: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let len = 5 + random.up_to(11);
                random.bytes(len)
            })
            .collect();
        for (place, len, skip) in [(0, 8, 0), (count / 2, 64, 1024), (count.saturating_sub(1), 17, 3)] {
            let Some(key) = keys.get(place) else { continue };
            let plaintext = random.bytes(len);
            let mut ciphertext = plaintext.clone();
            let mut rc4 = Rc4::new(key).expect("a key");
            rc4.skip(skip);
            rc4.apply(ciphertext.as_mut_slice());
            let mut seen = 0;
            let found = try_keys(&keys, skip, &ciphertext, |got| {
                seen += 1;
                got == plaintext
            });
            assert_eq!((found, seen), (Ok(vec![place]), count), "{count} keys, {len} bytes");
        }
    }
    let refused = try_keys(&[&b"a key"[..], b""], 0, b"text", |_| panic!("nothing was to be done"));
    assert_eq!(refused, Err(Error::KeyLength));
    let refused = try_keys(&[b"a key"], 0, &[0; 65], |_| panic!("nothing was to be done"));
    assert_eq!(refused, Err(Error::MessageTooLong));
}
