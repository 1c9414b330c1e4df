//! Properties of SIV alone: strings of associated data, keys from bytes, and the tag before the ciphertext.

use crate::common::{Random, same};
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::modes::Siv;
use abreast::{Error, InOutBuf};
use abreast_reference::{aes::Aes, siv};

/// Checks messages with no string, a few, and as many as S2V takes; some strings are empty.
#[test]
fn any_number_of_strings() {
    let mut random = Random::new(0x5297);
    let (one, other) = (random.bytes(16), random.bytes(16));
    let fast = Siv::<Aes128>::new(&[&one[..], &other].concat()).expect("two keys");
    for count in [0, 1, 2, 3, 5, 125, 126] {
        let strings: Vec<_> = (0..count)
            .map(|_| {
                let len = random.up_to(40);
                random.bytes(len)
            })
            .collect();
        let strings: Vec<_> = strings.iter().map(Vec::as_slice).collect();
        let len = random.up_to(100);
        let plaintext = random.bytes(len);
        let (tag, ciphertext) = siv::seal(&Aes::new(&one), &Aes::new(&other), &strings, &plaintext);
        let what = || format!("{count} strings, {len} bytes");
        let mut data = [&[0; 16], &plaintext[..]].concat();
        fast.encrypt_joined(&strings, data.as_mut_slice()).expect("few strings");
        same(&data, &[&tag[..], &ciphertext].concat(), what);
        // From one buffer to another.
        let mut opened = vec![7; data.len()];
        let io = InOutBuf::new(&data, &mut opened).expect("equal lengths");
        assert_eq!(fast.decrypt_joined(&strings, io), Ok(()), "{}", what());
        same(&opened, &[&[0; 16], &plaintext[..]].concat(), what);
    }
}

#[test]
fn too_many_strings() {
    let siv = Siv::<Aes128>::new(&[1; 32]).expect("two keys");
    let strings = [&b"string"[..]; 127];
    let (mut data, mut tag) = ([1; 40], [2; 16]);
    assert_eq!(siv.encrypt_detached(&strings, data.as_mut_slice(), &mut tag), Err(Error::MessageTooLong));
    assert_eq!(siv.decrypt_detached(&strings, data.as_mut_slice(), &tag), Err(Error::MessageTooLong));
    assert_eq!(siv.encrypt_joined(&strings, data.as_mut_slice()), Err(Error::MessageTooLong));
    assert_eq!(siv.decrypt_joined(&strings, data.as_mut_slice()), Err(Error::MessageTooLong));
    assert_eq!((data, tag), ([1; 40], [2; 16]), "nothing was done");
}

#[test]
fn lengths_of_keys() {
    for len in 0..=80 {
        let key = vec![3; len];
        let right = |wanted| if len == wanted { None } else { Some(Error::KeyLength) };
        assert_eq!(Siv::<Aes128>::new(&key).err(), right(32), "{len}");
        assert_eq!(Siv::<Aes192>::new(&key).err(), right(48), "{len}");
        assert_eq!(Siv::<Aes256>::new(&key).err(), right(64), "{len}");
    }
}

#[test]
fn no_room_for_the_tag() {
    let siv = Siv::<Aes256>::new(&[1; 64]).expect("two keys");
    for len in 0..16 {
        let mut data = vec![5; len];
        assert_eq!(siv.encrypt_joined(&[], data.as_mut_slice()), Err(Error::BufferTooShort));
        assert_eq!(data, vec![5; len], "nothing was done");
        assert_eq!(siv.decrypt_joined(&[], data.as_mut_slice()), Err(Error::TagMismatch));
        assert_eq!(data, vec![0; len], "zeros");
    }
}

/// A changed bit anywhere is noticed, and no plaintext is left.
#[test]
fn anything_changed() {
    let mut random = Random::new(0x5298);
    let siv = Siv::<Aes128>::new(&random.bytes(32)).expect("two keys");
    for len in [0, 1, 15, 16, 17, 31, 32, 33, 300] {
        let aad = random.bytes(20);
        let mut sealed = [vec![0; 16], random.bytes(len)].concat();
        siv.encrypt_joined(&[&aad], sealed.as_mut_slice()).expect("one string");
        for bit in (0..8 * sealed.len()).filter(|bit| *bit < 160 || bit % 37 == 0) {
            let mut forged = sealed.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let opened = siv.decrypt_joined(&[&aad], forged.as_mut_slice());
            assert_eq!(opened, Err(Error::TagMismatch), "{len} bytes, bit {bit}");
            assert!(forged.iter().all(|byte| *byte == 0), "{len} bytes, bit {bit}");
        }
        for strings in [&[][..], &[&aad[1..]], &[&aad, b""]] {
            let mut data = sealed.clone();
            assert_eq!(siv.decrypt_joined(strings, data.as_mut_slice()), Err(Error::TagMismatch));
        }
        assert_eq!(siv.decrypt_joined(&[&aad], sealed.as_mut_slice()), Ok(()));
    }
}
