//! The traits of the ecosystem: what is written for `cipher` and `aead` gets from these types what their
//! own methods give, on every kernel.

mod common;

use std::fmt::Debug;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::modes::{CounterWidth, Ctr, Gcm, GcmDecryptor, GcmEncryptor};
use abreast::{BlockCipher, Error, GcmCipher, InOutBuf, Kernel};
use abreast_reference::{BlockCipher as _, aes::Aes, ctr as reference_ctr, gcm};
use aead::consts::U16;
use aead::{AeadInOut, KeyInit};
use cipher::array::Array;
use cipher::common::InnerIvInit;
use cipher::zeroize::ZeroizeOnDrop;
use cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyIvInit, KeySizeUser, SeekNum,
    StreamCipher, StreamCipherCoreWrapper, StreamCipherSeek,
};
use common::{Random, kernels, long_or_short, same};
use ctr::{CtrCore, flavors};

/// A cipher of one key size as a type.
trait Typed: GcmCipher + KeySizeUser + Sized {
    fn at(key: &[u8], kernel: Kernel) -> Self;
}

macro_rules! typed {
    ($($type:ty),*) => {$(
        impl Typed for $type {
            fn at(key: &[u8], kernel: Kernel) -> Self {
                Self::with_kernel(key.try_into().expect("a key of the cipher"), kernel).expect("its kernel")
            }
        }
    )*};
}
typed!(Aes128, Aes192, Aes256);

/// Runs `check` with a random key on every kernel.
fn every_kernel<C: Typed>(seed: u64, mut check: impl FnMut(C, &Aes, &mut Random)) {
    let mut random = Random::new(seed);
    for kernel in every_kernel_of(C::key_size()) {
        let key = random.bytes(C::key_size());
        let aes = C::at(&key, kernel);
        check(aes, &Aes::new(&key), &mut random);
    }
}

fn every_kernel_of(key_len: usize) -> Vec<Kernel> {
    let cipher = abreast::kernels::ciphers().iter().find(|cipher| cipher.key_len() == key_len);
    kernels(*cipher.expect("a cipher"))
}

/// All that `cipher` can do with blocks, as code that knows nothing but its traits does it.
fn blocks_through_traits<C>(aes: &C, reference: &Aes, random: &mut Random)
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    for len in (0..=100).step_by(long_or_short(1, 9)) {
        let blocks: Vec<Block<C>> = (0..len).map(|_| Array(random.block())).collect();
        let expected: Vec<Block<C>> =
            blocks.iter().map(|block| Array(reference.encrypt_block(&block.0))).collect();

        let mut data = blocks.clone();
        aes.encrypt_blocks(&mut data);
        assert!(data == expected, "{len} blocks");
        aes.decrypt_blocks(&mut data);
        assert!(data == blocks, "{len} blocks");

        let mut output = vec![Array([0x3c; 16]); len];
        aes.encrypt_blocks_b2b(&blocks, &mut output).expect("equal lengths");
        assert!(output == expected, "{len} blocks from buffer to buffer");
        aes.decrypt_blocks_b2b(&expected, &mut output).expect("equal lengths");
        assert!(output == blocks, "{len} blocks from buffer to buffer");

        aes.encrypt_blocks_inout(InOutBuf::new(&blocks, &mut output).expect("equal lengths"));
        assert!(output == expected, "{len} blocks, in and out");
        aes.decrypt_blocks_inout(InOutBuf::new(&expected, &mut output).expect("equal lengths"));
        assert!(output == blocks, "{len} blocks, in and out");

        if let (Some(block), Some(expected)) = (blocks.last(), expected.last()) {
            let mut data = *block;
            aes.encrypt_block(&mut data);
            assert_eq!(data, *expected);
            aes.decrypt_block(&mut data);
            assert_eq!(data, *block);
            aes.encrypt_block_b2b(block, &mut data);
            assert_eq!(data, *expected);
            aes.decrypt_block_b2b(expected, &mut data);
            assert_eq!(data, *block);
        }
    }
}

#[test]
fn block_cipher() {
    every_kernel::<Aes128>(51, |aes, reference, random| blocks_through_traits(&aes, reference, random));
    every_kernel::<Aes192>(52, |aes, reference, random| blocks_through_traits(&aes, reference, random));
    every_kernel::<Aes256>(53, |aes, reference, random| blocks_through_traits(&aes, reference, random));
}

/// A key by `KeyInit`, as generic code makes it.
fn made_by_key_init<C>(random: &mut Random)
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let key = random.bytes(C::key_size());
    let reference = Aes::new(&key);
    blocks_through_traits(&C::new_from_slice(&key).expect("its length"), &reference, random);
    blocks_through_traits(&C::new(key.as_slice().try_into().expect("its length")), &reference, random);
    assert!(C::new_from_slice(&key[1..]).is_err());
}

#[test]
fn key_init() {
    let mut random = Random::new(54);
    made_by_key_init::<Aes128>(&mut random);
    made_by_key_init::<Aes192>(&mut random);
    made_by_key_init::<Aes256>(&mut random);
}

/// RustCrypto's counter mode over our block cipher is our counter mode.
fn foreign_ctr<C>(seed: u64)
where
    C: Typed + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    fn stream<C, F>(aes: &C, counter: &[u8; 16], data: &mut [u8])
    where
        C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
        F: ctr::CtrFlavor<U16>,
    {
        let core = CtrCore::<&C, F>::inner_iv_init(aes, counter.into());
        StreamCipherCoreWrapper::from_core(core).apply_keystream(data);
    }

    every_kernel::<C>(seed, |aes, _, random| {
        for _ in 0..long_or_short(100, 3) {
            let len = random.length();
            let data = random.bytes(len);
            let counter = (u128::from_be_bytes(random.block()) | u128::from(u64::MAX)) - 5;
            let counter = counter.to_be_bytes();
            for width in [CounterWidth::Bits32, CounterWidth::Bits64, CounterWidth::Bits128] {
                let mut theirs = data.clone();
                match width {
                    CounterWidth::Bits32 => stream::<C, flavors::Ctr32BE>(&aes, &counter, &mut theirs),
                    CounterWidth::Bits64 => stream::<C, flavors::Ctr64BE>(&aes, &counter, &mut theirs),
                    _ => stream::<C, flavors::Ctr128BE>(&aes, &counter, &mut theirs),
                }
                let mut ours = data.clone();
                let mut ctr = Ctr::new(&aes, &counter, width).expect("a block");
                assert_eq!(ctr.apply(ours.as_mut_slice().into()), Ok(()));
                same(&ours, &theirs, || format!("{} on {}, {width:?}", aes.name(), aes.kernel()));
            }
        }
    });
}

#[test]
fn counter_mode_of_others_over_these_ciphers() {
    foreign_ctr::<Aes128>(55);
    foreign_ctr::<Aes192>(56);
    foreign_ctr::<Aes256>(57);

    let (key, counter) = ([1; 16], [2; 16]);
    let (mut theirs, mut ours) = ([3; 1000], [3; 1000]);
    let mut foreign = <ctr::Ctr128BE<Aes128> as KeyIvInit>::new(&key.into(), &counter.into());
    foreign.apply_keystream(&mut theirs);
    let mut own = <Ctr<Aes128> as KeyIvInit>::new(&key.into(), &counter.into());
    own.apply_keystream(&mut ours);
    assert_eq!(ours, theirs);
}

/// Runs a stream through everything that `StreamCipher` has.
fn stream_through_traits(stream: &mut impl StreamCipher, data: &[u8], expected: &[u8], what: &str) {
    let mut at = 0;
    let mut way = 0;
    let mut next = |len: usize| {
        let piece = at..data.len().min(at + len);
        at = piece.end;
        piece
    };
    while let piece = next(1 + way * 37 % 333)
        && !piece.is_empty()
    {
        let (input, expected) = (&data[piece.clone()], &expected[piece.clone()]);
        let mut output = input.to_vec();
        match way % 6 {
            0 => stream.apply_keystream(&mut output),
            1 => stream.try_apply_keystream(&mut output).expect("short"),
            2 => stream.apply_keystream_b2b(input, &mut output),
            3 => stream.try_apply_keystream_inout(output.as_mut_slice().into()).expect("short"),
            4 => {
                output.fill(0x3c);
                stream.write_keystream(&mut output);
                for (byte, input) in output.iter_mut().zip(input) {
                    *byte ^= input;
                }
            }
            _ => {
                stream.check_remaining(output.len()).expect("short");
                stream.unchecked_apply_keystream_inout(output.as_mut_slice().into());
            }
        }
        same(&output, expected, || format!("{what}, from {} on", piece.start));
        way += 1;
    }
}

#[test]
fn stream_cipher() {
    every_kernel::<Aes128>(58, |aes, reference, random| {
        let data = random.bytes(long_or_short(9000, 2000));
        let counter = (u128::from_be_bytes(random.block()) | 0xffff_ffff).to_be_bytes();
        let expected = reference_ctr::xor(reference, &counter, 128, &data);
        let what = aes.kernel().to_string();
        let mut ctr = Ctr::inner_iv_init(&aes, &counter.into());
        stream_through_traits(&mut ctr, &data, &expected, &what);
        assert_eq!(ctr.current_pos::<usize>(), data.len());
        assert_eq!(ctr.position(), Some(data.len() as u128));
    });
}

/// Goes to a place in numbers of one type.
fn seek_in<N: SeekNum + Copy + Debug + PartialEq>(
    stream: &mut (impl StreamCipher + StreamCipherSeek),
    at: N,
    expected: &[u8],
) {
    let what = || format!("from {at:?} on");
    stream.seek(at);
    assert_eq!(stream.current_pos::<N>(), at, "{}", what());
    let mut data = vec![0; expected.len()];
    stream.apply_keystream(&mut data);
    same(&data, expected, what);
    stream.try_seek(at).expect("a place");
    assert_eq!(stream.try_current_pos::<N>().expect("a number"), at, "{}", what());
}

fn seek_through_traits(stream: &mut (impl StreamCipher + StreamCipherSeek), keystream: &[u8]) {
    for at in (0..600_u16).step_by(long_or_short(1, 37)) {
        let expected = &keystream[usize::from(at)..][..20];
        seek_in::<i32>(stream, at.into(), expected);
        seek_in::<u32>(stream, at.into(), expected);
        seek_in::<u64>(stream, at.into(), expected);
        seek_in::<u128>(stream, at.into(), expected);
        seek_in::<usize>(stream, at.into(), expected);
    }
    // What has no number in a type is an error, not a smaller number.
    stream.seek(1_u64 << 40);
    assert_eq!(stream.current_pos::<u64>(), 1 << 40);
    assert!(stream.try_current_pos::<u32>().is_err());
    assert!(stream.try_current_pos::<i32>().is_err());
    assert!(stream.try_seek(-16_i32).is_err());
    assert_eq!(stream.current_pos::<u64>(), 1 << 40);
}

#[test]
fn stream_cipher_seek() {
    every_kernel::<Aes256>(59, |aes, reference, random| {
        let counter = random.block();
        let keystream = reference_ctr::xor(reference, &counter, 128, &[0; 700]);
        seek_through_traits(&mut Ctr::inner_iv_init(&aes, &counter.into()), &keystream);
    });
}

/// The end of a stream of `end` bytes.
fn end_through_traits(stream: &mut (impl StreamCipher + StreamCipherSeek), end: u64) {
    assert!(stream.check_remaining(end as usize).is_ok());
    assert!(stream.check_remaining(end as usize + 1).is_err());
    stream.seek(end - 5);
    assert!(stream.check_remaining(5).is_ok());
    assert!(stream.check_remaining(6).is_err());
    let mut data = [7; 6];
    assert!(stream.try_apply_keystream(&mut data).is_err());
    assert_eq!(data, [7; 6]);
    assert!(stream.try_seek(end + 1).is_err());
    assert_eq!(stream.current_pos::<u64>(), end - 5);
    stream.seek(end);
    assert_eq!(stream.current_pos::<u64>(), end);
    assert!(stream.check_remaining(0).is_ok());
    assert!(stream.check_remaining(1).is_err());
}

#[test]
fn stream_cipher_limits() {
    every_kernel::<Aes192>(60, |aes, _, random| {
        let mut ctr = Ctr::new(&aes, &random.block(), CounterWidth::Bits16).expect("a block");
        end_through_traits(&mut ctr, 16 << 16);
    });
}

/// All that `aead` can do, as code that knows nothing but its traits does it.
fn message_through_traits<A: AeadInOut<NonceSize = aead::consts::U12, TagSize = U16>>(
    aead: &A,
    reference: &Aes,
    random: &mut Random,
) {
    for _ in 0..long_or_short(100, 5) {
        let (len, aad_len) = (random.length(), random.up_to(50));
        let (plaintext, aad) = (random.bytes(len), random.bytes(aad_len));
        let nonce = Array(random.bytes(12).try_into().expect("12 bytes"));
        let (ciphertext, tag) = gcm::seal(reference, &nonce, &aad, &plaintext, 16);
        let what = || format!("{len} bytes and {aad_len} of data");

        let mut data = plaintext.clone();
        let made = aead.encrypt_inout_detached(&nonce, &aad, data.as_mut_slice().into()).expect("short");
        same(&data, &ciphertext, what);
        same(&made, &tag, what);
        aead.decrypt_inout_detached(&nonce, &aad, data.as_mut_slice().into(), &made).expect("authentic");
        same(&data, &plaintext, what);

        // The tag stands behind the ciphertext.
        aead.encrypt_in_place(&nonce, &aad, &mut data).expect("short");
        same(&data, &[ciphertext.as_slice(), &tag].concat(), what);
        let sealed = data.clone();
        aead.decrypt_in_place(&nonce, &aad, &mut data).expect("authentic");
        same(&data, &plaintext, what);

        for at in [0, len, sealed.len() - 1] {
            data.clone_from(&sealed);
            data[at] ^= 1;
            assert!(aead.decrypt_in_place(&nonce, &aad, &mut data).is_err(), "{}", what());
            assert!(data[..len].iter().all(|byte| *byte == 0), "{}: plaintext was left", what());
        }
        data.truncate(15);
        assert!(aead.decrypt_in_place(&nonce, &aad, &mut data).is_err(), "shorter than a tag");
    }
}

#[test]
fn aead_in_out() {
    every_kernel::<Aes128>(61, |aes, reference, random| {
        message_through_traits(&Gcm::new(aes), reference, random);
    });
    every_kernel::<Aes192>(62, |aes, reference, random| {
        message_through_traits(&Gcm::new(&aes), reference, random);
    });
    every_kernel::<Aes256>(63, |aes, reference, random| {
        let boxed: Box<dyn GcmCipher> = Box::new(aes);
        message_through_traits(&Gcm::new(boxed), reference, random);
    });
    let key = [9; 32];
    let gcm = <Gcm<Aes256> as KeyInit>::new(&key.into());
    message_through_traits(&gcm, &Aes::new(&key), &mut Random::new(64));
}

/// A cipher behind a pointer is that cipher.
#[test]
fn pointers_to_ciphers() {
    every_kernel::<Aes128>(65, |aes, reference, random| {
        let (kernel, data) = (aes.kernel(), random.block());
        let expected = reference.encrypt_block(&data);
        fn check(aes: impl BlockCipher, kernel: Kernel, data: [u8; 16], expected: [u8; 16]) {
            assert_eq!((aes.name(), aes.block_size(), aes.kernel()), ("aes-128", 16, kernel));
            let mut block = data;
            assert_eq!(aes.encrypt_raw_blocks(block.as_mut_slice().into()), Ok(()));
            assert_eq!(block, expected);
            assert_eq!(aes.decrypt_raw_blocks(block.as_mut_slice().into()), Ok(()));
            assert_eq!(block, data);
            assert_eq!(aes.encrypt_raw_blocks(block[1..].as_mut().into()), Err(Error::PartialBlock));
        }
        check(&aes, kernel, data, expected);
        check(Box::new(&aes), kernel, data, expected);
        check(&aes as &dyn GcmCipher, kernel, data, expected);
        check(&aes as &dyn BlockCipher, kernel, data, expected);
        check(Box::new(aes) as Box<dyn GcmCipher>, kernel, data, expected);
    });
}

#[test]
fn types_can_be_shared_and_sent() {
    fn shared<T: Send + Sync + Unpin + 'static>() {}
    fn shared_while_borrowing<T: Send + Sync + Unpin>() {}
    fn wiped<T: ZeroizeOnDrop>() {}
    shared::<Aes128>();
    shared::<Aes192>();
    shared::<Aes256>();
    shared::<Box<dyn GcmCipher>>();
    shared::<Box<dyn BlockCipher>>();
    shared::<Gcm<Aes256>>();
    shared::<Gcm<Box<dyn GcmCipher>>>();
    shared::<Ctr<Aes256>>();
    shared::<Kernel>();
    shared::<Error>();
    shared_while_borrowing::<GcmEncryptor<'_, Aes128>>();
    shared_while_borrowing::<GcmDecryptor<'_, Aes128>>();
    wiped::<Aes128>();
    wiped::<Aes192>();
    wiped::<Aes256>();
}

/// What is printed of a key says its kernel and nothing that depends on it.
#[test]
fn keys_do_not_print() {
    fn printed<C: Typed + Debug>(key: u8, kernel: Kernel) -> [String; 5] {
        let aes = C::at(&vec![key; C::key_size()], kernel);
        let mut ctr = Ctr::new(&aes, &[key; 16], CounterWidth::Bits32).expect("a block");
        ctr.apply([0; 5].as_mut_slice().into()).expect("short");
        let gcm = Gcm::new(&aes);
        let (mut encryptor, mut decryptor) =
            (gcm.encryptor(&[1; 12], b"").expect("a nonce"), gcm.decryptor(&[1; 12], b"").expect("a nonce"));
        encryptor.update([0; 5].as_mut_slice().into()).expect("short");
        decryptor.update([0; 5].as_mut_slice().into()).expect("short");
        [
            format!("{aes:?}"),
            format!("{ctr:?}"),
            format!("{gcm:?}"),
            format!("{encryptor:?}"),
            format!("{decryptor:?}"),
        ]
    }
    fn check<C: Typed + Debug>(name: &str) {
        for kernel in every_kernel_of(C::key_size()) {
            let first = printed::<C>(0xa7, kernel);
            assert_eq!(first, printed::<C>(0x3e, kernel));
            assert_eq!(
                first,
                [
                    format!("{name} {{ kernel: {kernel:?}, .. }}"),
                    "Ctr { width: Bits32, .. }".to_owned(),
                    "Gcm { .. }".to_owned(),
                    "GcmEncryptor { .. }".to_owned(),
                    "GcmDecryptor { .. }".to_owned(),
                ]
            );
        }
    }
    check::<Aes128>("Aes128");
    check::<Aes192>("Aes192");
    check::<Aes256>("Aes256");
}
