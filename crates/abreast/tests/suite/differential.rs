//! Random cases against an independent implementation, RustCrypto's, and where that has no say against
//! the reference.
//!
//! `ABREAST_CASES` is the number of cases of each test and key size, `ABREAST_SEED` the seed of the first;
//! case `n` has the seed plus `n`. A failure names its seed: `ABREAST_SEED=<seed> ABREAST_CASES=1` runs
//! that case alone.

use crate::common::modes::{DIRECTIONS, Inputs, Mode, Sealed, both_directions};
use crate::common::{Random, Subject, both_ways, label, long_or_short, number};
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::CounterWidth;
use aead::AeadInOut;
use aes_gcm::AesGcm;
use cipher::array::Array;
use cipher::consts::{U8, U12, U16};
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, KeyInit, KeyIvInit,
    StreamCipherCore,
};
use cmac::Mac;
use ctr::{CtrCore, flavors};

/// A mode of RustCrypto's by the name that it has here: ciphertext and tag, or none if it has no such mode.
type Peer = fn(&Subject, &str, &Inputs, &[u8]) -> Option<(Vec<u8>, Vec<u8>)>;

/// RustCrypto's cipher of that name, and its modes.
fn peer_of(cipher: Algorithm) -> Option<Peer> {
    Some(match cipher.name() {
        "aes-128" => of_16::<aes::Aes128>,
        "aes-192" => of_16::<aes::Aes192>,
        "aes-256" => of_16::<aes::Aes256>,
        "serpent-128" | "serpent-192" | "serpent-256" => of_16::<serpent::Serpent>,
        "xtea" => of_8::<xtea::Xtea>,
        // RustCrypto has little-endian words only.
        _ => return None,
    })
}

/// A cipher with a key of any length that it takes; `KeySizeUser` would allow only one length.
fn with_key<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("a key of the cipher")
}

fn stream<C: KeyInit, S: InnerIvInit<Inner = C> + StreamCipherCore>(key: &[u8], iv: &[u8], data: &mut [u8]) {
    let core = S::inner_iv_slice_init(with_key(key), iv).expect("a block");
    core.apply_keystream_partial(data.into());
}

fn segments<C: KeyInit, M: InnerIvInit<Inner = C> + BlockModeEncrypt>(
    key: &[u8],
    iv: &[u8],
    data: &mut [u8],
) {
    let mut mode = M::inner_iv_slice_init(with_key(key), iv).expect("a block");
    let (segments, []) = Array::slice_as_chunks_mut(data) else { panic!("whole segments") };
    mode.encrypt_blocks(segments);
}

/// The modes that do not mind the size of blocks: these are written out for each, because theirs have
/// bounds of their own.
macro_rules! any_block {
    ($cipher:ty, $key:expr, $mode:expr, $inputs:expr, $data:expr) => {{
        let (key, iv) = ($key, $inputs.iv.as_slice());
        match $mode {
            "ECB" => {
                let cipher = with_key::<$cipher>(key);
                for block in Array::slice_as_chunks_mut($data).0 {
                    cipher.encrypt_block(block);
                }
            }
            "CBC" => segments::<$cipher, cbc::Encryptor<$cipher>>(key, iv, $data),
            "CFB" => {
                cfb_mode::BufEncryptor::<$cipher>::new_from_slices(key, iv).expect("lengths").encrypt($data)
            }
            "CFB8" => segments::<$cipher, cfb8::Encryptor<$cipher>>(key, iv, $data),
            "OFB" => stream::<$cipher, ofb::OfbCore<$cipher>>(key, iv, $data),
            "CTR with 32 bits" => {
                let counter = $inputs.counter(CounterWidth::Bits32).to_be_bytes();
                stream::<$cipher, CtrCore<$cipher, flavors::Ctr32BE>>(key, &counter[16 - iv.len()..], $data);
            }
            "CTR with 64 bits" => {
                let counter = $inputs.counter(CounterWidth::Bits64).to_be_bytes();
                stream::<$cipher, CtrCore<$cipher, flavors::Ctr64BE>>(key, &counter[16 - iv.len()..], $data);
            }
            "CMAC" => {
                let mut mac = <cmac::Cmac<$cipher> as KeyInit>::new_from_slice(key).expect("a key");
                mac.update($data);
                return Some(($data.to_vec(), mac.finalize().into_bytes()[..$inputs.tag_len].to_vec()));
            }
            _ => return None,
        }
    }};
}

fn of_8<C>(subject: &Subject, mode: &str, inputs: &Inputs, plaintext: &[u8]) -> Option<(Vec<u8>, Vec<u8>)>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U8>,
{
    let mut data = plaintext.to_vec();
    any_block!(C, &subject.key, mode, inputs, data.as_mut_slice());
    Some((data, Vec::new()))
}

fn of_16<C>(subject: &Subject, mode: &str, inputs: &Inputs, plaintext: &[u8]) -> Option<(Vec<u8>, Vec<u8>)>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Clone,
{
    let mut data = plaintext.to_vec();
    let xts = || xts_mode::Xts128::new(with_key::<C>(&subject.key), with_key(&subject.tweak_key));
    match mode {
        "CTR with 128 bits" => {
            let counter = inputs.counter(CounterWidth::Bits128).to_be_bytes();
            stream::<C, CtrCore<C, flavors::Ctr128BE>>(&subject.key, &counter, &mut data);
        }
        // Theirs takes the tweak by a function, and no unit that is empty.
        "XTS" if !data.is_empty() => xts().encrypt_sector(&mut data, Array(inputs.number.to_le_bytes())),
        "XTS with units of 37 bytes" => {
            let tweak = |unit| Array(inputs.number.wrapping_add(unit).to_le_bytes());
            xts().encrypt_area(&mut data, 37, 0, tweak);
        }
        "GCM" => {
            let nonce = inputs.nonce.as_slice().try_into().ok()?;
            let gcm = AesGcm::<C, U12>::from(with_key::<C>(&subject.key));
            let tag = gcm.encrypt_inout_detached(nonce, &inputs.aad, data.as_mut_slice().into());
            return Some((data, tag.expect("short")[..inputs.tag_len].to_vec()));
        }
        // With keys of the length in the type of the cipher, and nonces of a block.
        "EAX" => {
            let eax = eax::Eax::<C>::new_from_slice(&subject.key).ok()?;
            let nonce = inputs.nonce.as_slice().try_into().ok()?;
            let tag = eax.encrypt_inout_detached(nonce, &inputs.aad, data.as_mut_slice().into());
            return Some((data, tag.expect("short")[..inputs.tag_len].to_vec()));
        }
        _ => any_block!(C, &subject.key, mode, inputs, data.as_mut_slice()),
    }
    Some((data, Vec::new()))
}

/// One random case.
fn case(mode: &dyn Mode, cipher: Algorithm, seed: u64) {
    let mut random = Random::new(seed);
    let subject = Subject::new(cipher, random.bytes(cipher.key_len()));
    let block = cipher.block_size();
    let mut inputs = Inputs::new(&subject, &mut random);
    let nonce_len = random.pick(&[12, 12, 16, 16, 0, 33, 300]).max(usize::from(mode.name() == "GCM"));
    let aad_len = random.up_to(300);
    (inputs.nonce, inputs.aad) = (random.bytes(nonce_len), random.bytes(aad_len));
    inputs.tag_len = random.pick(&[4, 8, 12, 13, 14, 15, 16, 16]).min(block);
    let len = random.length() / if mode.chains(DIRECTIONS[0]) { 4 } else { 1 };
    let len = (0..=len).rev().chain(len..).find(|len| mode.takes(*len, block)).expect("a length");
    let plaintext = random.bytes(len);
    let theirs = peer_of(cipher).and_then(|peer| peer(&subject, &mode.name(), &inputs, &plaintext));
    let (ciphertext, tag) = theirs.unwrap_or_else(|| mode.seal(&subject, &inputs, &plaintext));
    let sealed = Sealed { plaintext, ciphertext, tag };
    for fast in &subject.kernels {
        both_directions(
            &sealed,
            || format!("{}, {}, seed {seed}", label(fast.any()), mode.name()),
            &DIRECTIONS,
            |direction, io, tag| mode.whole(fast, &inputs, direction, io, tag),
            |data, expected, what, operation| both_ways(data, expected, seed as usize, what, operation),
        );
    }
}

fn cases(mode: &dyn Mode) {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(150, 5) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ab2_ea57);
    for seed in first..first + cases {
        for cipher in algorithms().iter().filter(|cipher| mode.suits(cipher.block_size())) {
            case(mode, *cipher, seed);
        }
    }
}

crate::common::modes::test_per_mode!(cases);
