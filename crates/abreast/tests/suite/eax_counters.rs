//! Counters of EAX that carry. They are hashes of the nonce, so no nonce taken at random brings one near the end of a
//! word: the nonces here are computed from the counter that is wanted.

use crate::common::{Random, label, long_or_short, same, subjects, with_reference};
use abreast::modes::Eax;
use abreast::packets::{self, Packet};
use abreast::{BlockCipher, InOutBuf};
use abreast_reference::{BlockCipher as Specified, eax};

/// Numbers of low bits of the first counter block that are ones.
const ONES: [u32; 3] = [32, 64, 128];

/// Numbers of blocks from the beginning of a message to the carry.
const BEFORE: [u128; 8] = [0, 1, 2, 7, 8, 31, 32, 33];

/// The nonce of one block from which EAX counts from `first`: the CMAC of the nonce, undone.
fn nonce_for<const N: usize>(cipher: &impl Specified<N>, first: u128) -> [u8; N] {
    let zero = cipher.encrypt_block(&[0; N]);
    let doubled = {
        // The first subkey of CMAC (SP 800-38B, section 6.1).
        let number = zero.iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
        let reduction = if N == 8 { 0x1b } else { 0x87 };
        (number << 1) ^ ((number >> (8 * N - 1)) * reduction)
    };
    let mut nonce = cipher.decrypt_block(&last_bytes(first));
    for ((byte, chain), subkey) in nonce.iter_mut().zip(zero).zip(last_bytes::<N>(doubled)) {
        *byte ^= chain ^ subkey;
    }
    nonce
}

/// The low `N` bytes of a number, big-endian.
fn last_bytes<const N: usize>(number: u128) -> [u8; N] {
    *number.to_be_bytes().last_chunk().expect("8 or 16 of 16 bytes")
}

/// A nonce, its message, and the reference's result.
struct Case {
    what: String,
    nonce: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

/// Cases for a cipher of blocks of `N` bytes.
fn cases<const N: usize>(random: &mut Random, cipher: &impl Specified<N>) -> Vec<Case> {
    let mut cases = Vec::new();
    for ones in ONES.into_iter().filter(|ones| *ones <= 8 * N as u32) {
        for before in BEFORE {
            let first = (u128::from_be_bytes(random.block()) | u128::MAX >> (128 - ones)) - before;
            let first = first & u128::MAX >> (128 - 8 * N);
            let nonce = nonce_for(cipher, first).to_vec();
            let plain = random.bytes(N * long_or_short(70, 40) + 3);
            let (sealed, tag) = eax::seal(cipher, &nonce, b"", &plain, N);
            // The first block of keystream shows that the nonce is the one that was sought.
            let stream = cipher.encrypt_block(&last_bytes(first));
            let block: Vec<u8> = plain.iter().zip(stream).map(|(byte, key)| byte ^ key).collect();
            same(&sealed[..N], &block, || "the nonce that was sought".to_owned());
            cases.push(Case {
                what: format!("{before} before a carry at 2^{ones}"),
                nonce,
                plain,
                sealed,
                tag,
            });
        }
    }
    cases
}

/// A message by itself, at once and in pieces.
fn alone(cipher: &dyn BlockCipher, case: &Case) {
    let what = || format!("{}, {}", label(cipher), case.what);
    let eax = Eax::from_cipher(cipher);
    let (mut buffer, mut tag) = (case.plain.clone(), vec![0; case.tag.len()]);
    assert_eq!(eax.encrypt_detached(&case.nonce, b"", buffer.as_mut_slice(), &mut tag), Ok(()));
    same(&buffer, &case.sealed, what);
    same(&tag, &case.tag, what);
    assert_eq!(eax.decrypt_detached(&case.nonce, b"", buffer.as_mut_slice(), &tag), Ok(()));
    same(&buffer, &case.plain, what);

    let mut pieces = eax.encryptor(&case.nonce, b"");
    let (head, tail) = buffer.split_at_mut(3 * cipher.block_size() + 5);
    pieces.update(head).expect("short");
    pieces.update(tail).expect("short");
    same(&buffer, &case.sealed, what);
    assert_eq!(pieces.finish(&mut tag), Ok(()));
    same(&tag, &case.tag, what);
}

/// All cases in one batch.
fn together(cipher: &dyn BlockCipher, cases: &[Case]) {
    let eax = Eax::from_cipher(cipher);
    let mut texts: Vec<_> = cases.iter().map(|case| (case.plain.clone(), vec![0; case.tag.len()])).collect();
    let mut batch: Vec<_> = cases
        .iter()
        .zip(&mut texts)
        .map(|(case, (text, tag))| {
            Packet::new(&eax, &case.nonce, InOutBuf::from(text.as_mut_slice())).with_tag(b"", tag)
        })
        .collect();
    packets::eax_encrypt(&mut batch);
    assert!(batch.iter().all(|packet| packet.result == Ok(())));
    for (case, (text, tag)) in cases.iter().zip(&texts) {
        let what = || format!("{} in a batch, {}", label(cipher), case.what);
        same(text, &case.sealed, what);
        same(tag, &case.tag, what);
    }
}

#[test]
fn the_counter_of_eax_carries() {
    let mut random = Random::new(29);
    for subject in subjects(&mut random) {
        let cases = with_reference!(&subject.reference, cipher => cases(&mut random, cipher));
        for cipher in subject.kernels() {
            cases.iter().for_each(|case| alone(cipher, case));
            together(cipher, &cases);
        }
    }
}
