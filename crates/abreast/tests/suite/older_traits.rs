//! The traits of `cipher` 0.4 and `aead` 0.5: code written for them gets the same results as from these types' own methods.

use crate::common::{Random, long_or_short};
use abreast::BlockCipher;
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::modes::{CounterWidth, Ctr, Eax, Gcm, GcmSiv};
use abreast::serpent::Serpent;
use abreast::tea::Tea;
use abreast::xtea::Xtea;
use aead_05::AeadInPlace;
use cipher_04::generic_array::GenericArray;
use cipher_04::inout::InOutBuf;
use cipher_04::{Block, BlockDecrypt, BlockEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher};

/// A key of the length that a type tells.
fn key_of<C: KeyInit>(random: &mut Random) -> C {
    let key = random.bytes(C::key_size());
    assert!(C::new_from_slice(&[7; 33]).is_err(), "a key that is too long");
    C::new(GenericArray::from_slice(&key))
}

/// Checks the blocks and the keystream of a cipher. `own` is the cipher under the same key by its own method.
fn blocks_and_stream<C>(random: &mut Random)
where
    C: BlockCipher + BlockEncrypt + BlockDecrypt + BlockSizeUser + KeyInit,
{
    let cipher: C = key_of(random);
    let size = cipher.block_size();
    for count in (0..=300).step_by(long_or_short(1, 37)) {
        let text = random.bytes(count * size);
        let blocks: Vec<Block<C>> = text.chunks(size).map(Block::<C>::clone_from_slice).collect();
        let mut expected = text.clone();
        assert_eq!(cipher.encrypt_raw_blocks(expected.as_mut_slice().into()), Ok(()));
        let mut data = blocks.clone();
        cipher.encrypt_blocks(&mut data);
        assert!(data.concat() == expected, "{}, {count} blocks", cipher.name());
        let mut other = vec![Block::<C>::default(); count];
        cipher.decrypt_blocks_b2b(&data, &mut other).expect("equal lengths");
        assert!(other == blocks, "{}, {count} blocks back", cipher.name());
        cipher.decrypt_blocks(&mut data);
        assert!(data == blocks, "{}, {count} blocks back in place", cipher.name());
    }
    for _ in 0..long_or_short(100, 5) {
        let first = random.bytes(size);
        let width = if size == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        let [mut own, mut older] =
            [(); 2].map(|()| Ctr::from_cipher(&cipher, &first, width).expect("a block"));
        for _ in 0..3 {
            let len = random.length();
            let text = random.bytes(len);
            let mut expected = text.clone();
            assert_eq!(own.apply(expected.as_mut_slice()), Ok(()));
            let mut data = text.clone();
            if random.up_to(1) == 0 {
                older.apply_keystream(&mut data);
            } else {
                let io = InOutBuf::new(&text, &mut data).expect("equal lengths");
                older.apply_keystream_inout(io);
            }
            assert!(data == expected, "{}, {len} bytes of keystream", cipher.name());
        }
    }
}

#[test]
fn ciphers() {
    let mut random = Random::new(620);
    blocks_and_stream::<Aes128>(&mut random);
    blocks_and_stream::<Aes192>(&mut random);
    blocks_and_stream::<Aes256>(&mut random);
    blocks_and_stream::<Serpent>(&mut random);
    blocks_and_stream::<Tea>(&mut random);
    blocks_and_stream::<Xtea>(&mut random);
}

/// Counter mode is made of a key and a first counter, and ends where the stream does.
#[test]
fn keys_and_counters() {
    let mut random = Random::new(621);
    let (key, text) = (random.bytes(16), random.bytes(40));
    let own_key = Xtea::new(key.as_slice().try_into().expect("16 bytes"));
    let mut own = Ctr::from_cipher(&own_key, &[0xff; 8], CounterWidth::Bits64).expect("a block");
    let mut ctr = Ctr::<Xtea>::new_from_slices(&key, &[0xff; 8]).expect("their lengths");
    let (mut data, mut expected) = (text.clone(), text.clone());
    assert_eq!(own.apply(expected.as_mut_slice()), Ok(()));
    ctr.apply_keystream(&mut data);
    assert_eq!(data, expected);
    // A key with blocks of eight bytes is good for as many blocks.
    let last = u128::from(u32::MAX) * 8;
    assert_eq!(ctr.seek_to(last), Ok(()));
    assert!(ctr.try_apply_keystream(&mut data[..9]).is_err(), "beyond the end of the stream");
    assert_eq!(data, expected);
    assert_eq!(own.seek_to(last), Ok(()));
    assert_eq!(own.apply(&mut expected[..8]), Ok(()));
    ctr.apply_keystream(&mut data[..8]);
    assert_eq!(data, expected);
}

/// Checks a mode of authenticated encryption. `own` seals by the mode's own method.
fn aead<A: AeadInPlace + KeyInit>(
    random: &mut Random,
    own: impl Fn(&[u8], &[u8], &[u8], &mut [u8]) -> [u8; 16],
) {
    for _ in 0..long_or_short(50, 4) {
        let key = random.bytes(A::key_size());
        let mode = A::new_from_slice(&key).expect("its length");
        let nonce = aead_05::Nonce::<A>::clone_from_slice(&random.bytes(nonce_len::<A>()));
        let (aad_len, len) = (random.length(), random.length());
        let (aad, text) = (random.bytes(aad_len), random.bytes(len));
        let (mut data, mut expected) = (text.clone(), text.clone());
        let expected_tag = own(&key, &nonce, &aad, &mut expected);
        let tag = mode.encrypt_in_place_detached(&nonce, &aad, &mut data).expect("within the limits");
        assert!(data == expected && tag[..] == expected_tag, "{len} bytes");
        let mut wrong = tag.clone();
        wrong[random.up_to(15)] ^= 1;
        let mut changed = data.clone();
        assert!(mode.decrypt_in_place_detached(&nonce, &aad, &mut changed, &wrong).is_err());
        assert!(changed.iter().all(|byte| *byte == 0));
        assert!(mode.decrypt_in_place_detached(&nonce, &aad, &mut data, &tag).is_ok());
        assert!(data == text, "{len} bytes back");
    }
}

fn nonce_len<A: aead_05::AeadCore>() -> usize {
    use cipher::typenum::Unsigned;
    A::NonceSize::USIZE
}

#[test]
fn aeads() {
    let mut random = Random::new(622);
    aead::<Gcm<Aes256>>(&mut random, |key, nonce, aad, data| {
        let mut tag = [0; 16];
        let gcm = Gcm::from_cipher(Aes256::new(key.try_into().expect("32 bytes")));
        gcm.encrypt_detached(nonce, aad, data, &mut tag).expect("within the limits");
        tag
    });
    aead::<Eax<Serpent>>(&mut random, |key, nonce, aad, data| {
        let mut tag = [0; 16];
        let eax = Eax::from_cipher(Serpent::new(key).expect("32 bytes"));
        eax.encrypt_detached(nonce, aad, data, &mut tag).expect("within the limits");
        tag
    });
    aead::<GcmSiv>(&mut random, |key, nonce, aad, data| {
        let mut tag = [0; 16];
        GcmSiv::new(key).expect("32 bytes").encrypt_detached(nonce, aad, data, &mut tag).expect("its limits");
        tag
    });
}
