//! The traits of the ecosystem: code written for `cipher` and `aead` gets the same results as from these
//! types' own methods, on every kernel.

use std::fmt::Debug;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::{Aez, AezAead};
use std::sync::Arc;

use crate::common::aez::at_every_kernel;
use crate::common::{Random, Reference, kernels, long_or_short, same, with_reference};
use abreast::kernels::Algorithm;
use abreast::modes::{
    Cbc, Cfb, Cfb8, Cmac, CmacPieces, CounterWidth, Ctr, Decryptor, Eax, Encryptor, Gcm, GcmSiv, Ofb, Siv,
    Xts,
};
use abreast::serpent::Serpent;
use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};
use abreast_reference::{
    aez, cbc as reference_cbc, cfb as reference_cfb, eax as reference_eax, ecb, gcm, gcm_siv, ofb,
};
use aead::array::ArraySize;
use aead::consts::{U1, U12, U16};
use aead::{AeadInOut, KeyInit};
use cipher::array::Array;
use cipher::common::InnerIvInit;
use cipher::typenum::Unsigned;
use cipher::zeroize::ZeroizeOnDrop;
use cipher::{
    Block, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure, BlockCipherEncrypt,
    BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, KeyIvInit, KeySizeUser, SeekNum, StreamCipher,
    StreamCipherCoreWrapper, StreamCipherSeek,
};
use ctr::{CtrCore, flavors};

/// A cipher of one key size as a type.
trait Typed: BlockCipher + KeySizeUser + BlockSizeUser + Sized {
    /// In the registry.
    const NAME: &str;
    fn at(key: &[u8], kernel: Kernel) -> Self;
}

macro_rules! typed {
    ($($type:ty: $name:literal, |$key:ident, $kernel:ident| $made:expr;)*) => {$(
        impl Typed for $type {
            const NAME: &str = $name;
            fn at($key: &[u8], $kernel: Kernel) -> Self {
                $made.expect("a key and a kernel of the cipher")
            }
        }
    )*};
}
typed! {
    Aes128: "aes-128", |key, kernel| Self::with_kernel(key.try_into().expect("16 bytes"), kernel);
    Aes192: "aes-192", |key, kernel| Self::with_kernel(key.try_into().expect("24 bytes"), kernel);
    Aes256: "aes-256", |key, kernel| Self::with_kernel(key.try_into().expect("32 bytes"), kernel);
    Serpent: "serpent-256", |key, kernel| Self::with_kernel(key, kernel);
    Xtea: "xtea", |key, kernel| {
        Self::with_kernel(key.try_into().expect("16 bytes"), ByteOrder::LittleEndian, 32, kernel)
    };
}

/// Runs `check` with a random key on every kernel.
fn every_kernel<C: Typed>(seed: u64, mut check: impl FnMut(C, &Reference, &mut Random)) {
    let mut random = Random::new(seed);
    for kernel in every_kernel_of::<C>() {
        let key = random.bytes(C::key_size());
        let cipher = C::at(&key, kernel);
        check(cipher, &Reference::new(C::NAME, &key), &mut random);
    }
}

fn every_kernel_of<C: Typed>() -> Vec<Kernel> {
    kernels(Algorithm::from_name(C::NAME).expect("a cipher"))
}

/// Bytes as blocks of any size.
fn blocks_of<N: ArraySize>(bytes: &[u8]) -> Vec<Array<u8, N>> {
    let (blocks, []) = Array::slice_as_chunks(bytes) else { panic!("whole blocks") };
    blocks.to_vec()
}

/// Numbers of blocks up to some calls of the widest backend.
fn numbers_of_blocks() -> impl Iterator<Item = usize> {
    (0..=100).step_by(long_or_short(1, 9)).chain([127, 128, 129, 300])
}

/// All that `cipher` can do with blocks, as code that knows nothing but its traits does it.
fn blocks_through_traits<C>(cipher: &C, reference: &Reference, random: &mut Random)
where
    C: BlockCipherEncrypt + BlockCipherDecrypt,
{
    for len in numbers_of_blocks() {
        let bytes = random.bytes(len * C::block_size());
        let blocks: Vec<Block<C>> = blocks_of(&bytes);
        let expected: Vec<Block<C>> =
            blocks_of(&with_reference!(reference, cipher => ecb::encrypt(cipher, &bytes)));

        let mut data = blocks.clone();
        cipher.encrypt_blocks(&mut data);
        assert!(data == expected, "{len} blocks");
        cipher.decrypt_blocks(&mut data);
        assert!(data == blocks, "{len} blocks");

        let mut output = blocks_of(&vec![0x3c; bytes.len()]);
        cipher.encrypt_blocks_b2b(&blocks, &mut output).expect("equal lengths");
        assert!(output == expected, "{len} blocks from buffer to buffer");
        cipher.decrypt_blocks_b2b(&expected, &mut output).expect("equal lengths");
        assert!(output == blocks, "{len} blocks from buffer to buffer");

        cipher.encrypt_blocks_inout(InOutBuf::new(&blocks, &mut output).expect("equal lengths"));
        assert!(output == expected, "{len} blocks, in and out");
        cipher.decrypt_blocks_inout(InOutBuf::new(&expected, &mut output).expect("equal lengths"));
        assert!(output == blocks, "{len} blocks, in and out");

        if let (Some(block), Some(expected)) = (blocks.last(), expected.last()) {
            let mut data = block.clone();
            cipher.encrypt_block(&mut data);
            assert_eq!(&data, expected);
            cipher.decrypt_block(&mut data);
            assert_eq!(&data, block);
            cipher.encrypt_block_b2b(block, &mut data);
            assert_eq!(&data, expected);
            cipher.decrypt_block_b2b(expected, &mut data);
            assert_eq!(&data, block);
        }
    }
}

#[test]
fn block_cipher() {
    fn check<C: Typed + BlockCipherEncrypt + BlockCipherDecrypt>(seed: u64) {
        every_kernel::<C>(seed, |cipher, reference, random| {
            blocks_through_traits(&cipher, reference, random);
        });
    }
    check::<Aes128>(51);
    check::<Aes192>(52);
    check::<Aes256>(53);
    check::<Serpent>(66);
    check::<Xtea>(67);
}

/// A key by `KeyInit`, as generic code makes it.
fn made_by_key_init<C>(random: &mut Random)
where
    C: Typed + KeyInit + BlockCipherEncrypt + BlockCipherDecrypt,
{
    let key = random.bytes(C::key_size());
    let reference = Reference::new(C::NAME, &key);
    blocks_through_traits(&C::new_from_slice(&key).expect("its length"), &reference, random);
    blocks_through_traits(
        &<C as KeyInit>::new(key.as_slice().try_into().expect("its length")),
        &reference,
        random,
    );
    assert!(C::new_from_slice(&key[..15]).is_err());
    assert!(C::new_from_slice(&[key, vec![0]].concat()).is_err());
}

#[test]
fn key_init() {
    let mut random = Random::new(54);
    made_by_key_init::<Aes128>(&mut random);
    made_by_key_init::<Aes192>(&mut random);
    made_by_key_init::<Aes256>(&mut random);
    made_by_key_init::<Serpent>(&mut random);
    made_by_key_init::<Xtea>(&mut random);
    // By slice, Serpent takes keys of other lengths too, and so do modes over it.
    for len in [16, 24] {
        let key = random.bytes(len);
        let reference = Reference::new(&format!("serpent-{}", 8 * len), &key);
        let serpent = <Serpent as KeyInit>::new_from_slice(&key).expect("a key");
        blocks_through_traits(&serpent, &reference, &mut random);
        let gcm = Gcm::<Serpent>::new_from_slice(&key).expect("a key");
        message_through_traits(&gcm, &reference, &mut random);
        let eax = Eax::<Serpent>::new_from_slice(&key).expect("a key");
        message_through_traits(&eax, &reference, &mut random);
    }
    assert!(Eax::<Serpent>::new_from_slice(&[0; 15]).is_err());
    assert!(Gcm::<Aes128>::new_from_slice(&[0; 17]).is_err());
}

/// A block mode through everything that `cipher` has, in pieces of any number of segments.
fn block_mode_through_traits<M, const ENCRYPT: bool>(mut mode: M, data: &[u8], expected: &[u8])
where
    M: BlockModeEncrypt + BlockModeDecrypt,
{
    let (data, expected) = (blocks_of::<M::BlockSize>(data), blocks_of::<M::BlockSize>(expected));
    let mut at = 0;
    for way in 0.. {
        let to = data.len().min(at + [1, 5, 1, 130, 64, 1, 256, 17][way % 8]);
        let (input, expected) = (&data[at..to], &expected[at..to]);
        let mut output = input.to_vec();
        match (way % 5, input) {
            (_, []) => break,
            (0, [block]) if ENCRYPT => mode.encrypt_block_b2b(block, &mut output[0]),
            (0, [block]) => mode.decrypt_block_b2b(block, &mut output[0]),
            (1, [_]) if ENCRYPT => mode.encrypt_block(&mut output[0]),
            (1, [_]) => mode.decrypt_block(&mut output[0]),
            (2, _) if ENCRYPT => mode.encrypt_blocks_b2b(input, &mut output).expect("equal lengths"),
            (2, _) => mode.decrypt_blocks_b2b(input, &mut output).expect("equal lengths"),
            (_, _) if ENCRYPT => mode.encrypt_blocks(&mut output),
            (_, _) => mode.decrypt_blocks(&mut output),
        }
        assert!(output == expected, "segments {at} to {to} of {}", data.len());
        at = to;
    }
    assert_eq!(at, data.len());
}

/// A message of the block modes, and of OFB.
fn modes_through_traits<C>(cipher: &C, reference: &Reference, random: &mut Random)
where
    C: BlockCipher + BlockSizeUser,
    for<'c> Cbc<&'c C>: BlockModeEncrypt + BlockModeDecrypt + InnerIvInit<Inner = &'c C>,
    for<'c> Cfb<&'c C>: BlockModeEncrypt + BlockModeDecrypt + InnerIvInit<Inner = &'c C>,
    for<'c> Cfb8<&'c C>: BlockModeEncrypt<BlockSize = U1> + BlockModeDecrypt + InnerIvInit<Inner = &'c C>,
    for<'c> Ofb<&'c C>: StreamCipher + InnerIvInit<Inner = &'c C>,
{
    let size = <C as BlockSizeUser>::block_size();
    let (iv, data) = (random.bytes(size), random.bytes(size * long_or_short(900, 300)));
    with_reference!(reference, of => {
        let block = iv.as_slice().try_into().expect("a block");
        let sealed = reference_cbc::encrypt(of, block, &data);
        let cbc = || Cbc::inner_iv_slice_init(cipher, &iv).expect("a block");
        block_mode_through_traits::<_, true>(cbc(), &data, &sealed);
        block_mode_through_traits::<_, false>(cbc(), &sealed, &data);
        let sealed = reference_cfb::encrypt(of, block, &data);
        let cfb = || Cfb::inner_iv_slice_init(cipher, &iv).expect("a block");
        block_mode_through_traits::<_, true>(cfb(), &data, &sealed);
        block_mode_through_traits::<_, false>(cfb(), &sealed, &data);
        let bytes = &data[..1000];
        let sealed = reference_cfb::encrypt_8(of, block, bytes);
        let cfb8 = || Cfb8::inner_iv_slice_init(cipher, &iv).expect("a block");
        block_mode_through_traits::<_, true>(cfb8(), bytes, &sealed);
        block_mode_through_traits::<_, false>(cfb8(), &sealed, bytes);
        let expected = ofb::xor(of, block, &data);
        let mut stream = Ofb::inner_iv_slice_init(cipher, &iv).expect("a block");
        stream_through_traits(&mut stream, &data, &expected, "OFB");
        assert!(stream.check_remaining(usize::MAX).is_ok());
    });
    assert!(Cbc::inner_iv_slice_init(cipher, &iv[1..]).is_err());
}

#[test]
fn block_modes() {
    every_kernel::<Aes192>(68, |cipher, reference, random| modes_through_traits(&cipher, reference, random));
    every_kernel::<Serpent>(69, |cipher, reference, random| modes_through_traits(&cipher, reference, random));
    every_kernel::<Xtea>(70, |cipher, reference, random| modes_through_traits(&cipher, reference, random));
}

/// A cipher of ours that can be cloned, as some modes of others want it.
struct Shared<C>(Arc<C>);

impl<C> Clone for Shared<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: KeySizeUser> KeySizeUser for Shared<C> {
    type KeySize = C::KeySize;
}
impl<C: KeyInit> KeyInit for Shared<C> {
    fn new(key: &cipher::Key<Self>) -> Self {
        Self(Arc::new(C::new(key)))
    }
}
impl<C: BlockSizeUser> BlockSizeUser for Shared<C> {
    type BlockSize = C::BlockSize;
}
impl<C: BlockCipherEncrypt> BlockCipherEncrypt for Shared<C> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = C::BlockSize>) {
        self.0.encrypt_with_backend(f);
    }
}
impl<C: BlockCipherDecrypt> BlockCipherDecrypt for Shared<C> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = C::BlockSize>) {
        self.0.decrypt_with_backend(f);
    }
}

/// RustCrypto's CBC and EAX over our Serpent are ours.
#[test]
fn modes_of_others_over_serpent() {
    let mut random = Random::new(71);
    for _ in 0..long_or_short(100, 5) {
        let (key, iv) = (random.bytes(32), random.block());
        let serpent = Serpent::new(&key).expect("a key");
        let len = random.length() / 16 * 16;
        let data = random.bytes(len);
        let what = || format!("{len} bytes");

        let mut theirs = blocks_of::<U16>(&data);
        cbc::Encryptor::inner_iv_init(&serpent, &iv.into()).encrypt_blocks(&mut theirs);
        let theirs = theirs.concat();
        let mut ours = data.clone();
        Cbc::from_cipher(&serpent, &iv).expect("a block").encrypt(ours.as_mut_slice()).expect("whole blocks");
        same(&ours, &theirs, what);
        let mut back = blocks_of::<U16>(&ours);
        cbc::Decryptor::inner_iv_init(&serpent, &iv.into()).decrypt_blocks(&mut back);
        same(&back.concat(), &data, what);

        let data = &data[..len - len.min(random.up_to(15))];
        let theirs = eax::Eax::<Shared<Serpent>>::new(key.as_slice().try_into().expect("32 bytes"));
        let ours = Eax::from_cipher(serpent);
        let (mut sealed, mut tag) = (data.to_vec(), [0; 16]);
        let their_tag = theirs
            .encrypt_inout_detached(&iv.into(), b"header", sealed.as_mut_slice().into())
            .expect("short");
        let mut own = data.to_vec();
        assert_eq!(ours.encrypt_detached(&iv, b"header", own.as_mut_slice(), &mut tag), Ok(()));
        same(&own, &sealed, what);
        same(&tag, &their_tag, what);
    }
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
        for _ in 0..long_or_short(50, 3) {
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
                let mut ctr = Ctr::from_cipher(&aes, &counter, width).expect("a block");
                assert_eq!(ctr.apply(ours.as_mut_slice()), Ok(()));
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
    foreign_ctr::<Serpent>(72);

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
        let expected = reference.ctr(u128::from_be_bytes(counter), CounterWidth::Bits128, &data);
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
    // A position that does not fit a type is an error, not a smaller number.
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
        let keystream = reference.ctr(u128::from_be_bytes(counter), CounterWidth::Bits128, &[0; 700]);
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
        let mut ctr = Ctr::from_cipher(&aes, &random.block(), CounterWidth::Bits16).expect("a block");
        end_through_traits(&mut ctr, 16 << 16);
    });
}

/// An AEAD with its reference, which is of something: a block cipher, or a key.
trait Reviewed<Of = Reference>: AeadInOut<TagSize = U16> {
    fn reference(of: &Of, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, Vec<u8>);
}

impl<C: BlockCipher128> Reviewed for Gcm<C> {
    fn reference(of: &Reference, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        gcm::seal(of.of_16(), nonce, aad, plaintext, 16)
    }
}

impl<C: BlockCipher128> Reviewed for Eax<C> {
    fn reference(of: &Reference, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        reference_eax::seal(of.of_16(), nonce, aad, plaintext, 16)
    }
}

impl<N: ArraySize> Reviewed<Vec<u8>> for AezAead<N> {
    fn reference(key: &Vec<u8>, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut sealed = aez::encrypt(key, nonce, &[aad], 16, plaintext);
        // Its own methods give the same.
        let mut own = [plaintext, &[0; 16]].concat();
        let done = Aez::new(key).encrypt_joined(nonce, &[aad], own.as_mut_slice());
        assert_eq!((done, &own), (Ok(()), &sealed));
        let tag = sealed.split_off(plaintext.len());
        (sealed, tag)
    }
}

impl Reviewed<Vec<u8>> for GcmSiv {
    fn reference(key: &Vec<u8>, nonce: &[u8], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (ciphertext, tag) = gcm_siv::seal(key, nonce.try_into().expect("12 bytes"), aad, plaintext);
        (ciphertext, tag.to_vec())
    }
}

/// All that `aead` can do, as code that knows nothing but its traits does it.
fn message_through_traits<Of, A: Reviewed<Of>>(aead: &A, reference: &Of, random: &mut Random) {
    for _ in 0..long_or_short(40, 3) {
        let (len, aad_len) = (random.length(), random.up_to(50));
        let (plaintext, aad) = (random.bytes(len), random.bytes(aad_len));
        let nonce = blocks_of::<A::NonceSize>(&random.bytes(A::NonceSize::USIZE)).remove(0);
        let (ciphertext, tag) = A::reference(reference, &nonce, &aad, &plaintext);
        let what = || format!("{len} bytes and {aad_len} of data");

        let mut data = plaintext.clone();
        let made = aead.encrypt_inout_detached(&nonce, &aad, data.as_mut_slice().into()).expect("short");
        same(&data, &ciphertext, what);
        same(&made, &tag, what);
        aead.decrypt_inout_detached(&nonce, &aad, data.as_mut_slice().into(), &made).expect("authentic");
        same(&data, &plaintext, what);

        let mut output = vec![0x3c; len];
        let io = InOutBuf::new(&plaintext, &mut output).expect("equal lengths");
        let made = aead.encrypt_inout_detached(&nonce, &aad, io).expect("short");
        same(&output, &ciphertext, what);
        same(&made, &tag, what);
        let io = InOutBuf::new(&ciphertext, &mut output).expect("equal lengths");
        aead.decrypt_inout_detached(&nonce, &aad, io, &made).expect("authentic");
        same(&output, &plaintext, what);
        let mut forged = made;
        forged[len % 16] ^= 1;
        let io = InOutBuf::new(&ciphertext, &mut output).expect("equal lengths");
        assert!(aead.decrypt_inout_detached(&nonce, &aad, io, &forged).is_err(), "{}", what());
        assert!(output.iter().all(|byte| *byte == 0), "{}: plaintext was left", what());

        // The tag stands after the ciphertext.
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
        message_through_traits(&Gcm::from_cipher(aes), reference, random);
    });
    every_kernel::<Aes192>(62, |aes, reference, random| {
        message_through_traits(&Gcm::from_cipher(&aes), reference, random);
    });
    every_kernel::<Aes256>(63, |aes, reference, random| {
        let boxed: Box<dyn BlockCipher128> = Box::new(aes);
        message_through_traits(&Gcm::from_cipher(&*boxed), reference, random);
        message_through_traits(&Eax::from_cipher(boxed), reference, random);
    });
    every_kernel::<Serpent>(73, |serpent, reference, random| {
        message_through_traits(&Gcm::from_cipher(&serpent), reference, random);
        message_through_traits(&Eax::from_cipher(serpent), reference, random);
    });
    let (key, random) = ([9; 32], &mut Random::new(64));
    let reference = Reference::new("aes-256", &key);
    message_through_traits(&<Gcm<Aes256> as KeyInit>::new(&key.into()), &reference, random);
    message_through_traits(&<Eax<Aes256> as KeyInit>::new(&key.into()), &reference, random);
}

#[test]
fn aead_in_out_of_gcm_siv() {
    let mut random = Random::new(75);
    for key in [random.bytes(16), random.bytes(32)] {
        for kernel in GcmSiv::kernels() {
            let siv = GcmSiv::with_kernel(&key, kernel).expect("a key and a kernel of AES");
            message_through_traits(&siv, &key, &mut random);
        }
        let by_slice = <GcmSiv as KeyInit>::new_from_slice(&key).expect("a key");
        message_through_traits(&by_slice, &key, &mut random);
    }
    let key = random.bytes(32);
    let by_array = <GcmSiv as KeyInit>::new(key.as_slice().try_into().expect("32 bytes"));
    message_through_traits(&by_array, &key, &mut random);
    for len in [0, 15, 17, 24, 31, 33] {
        assert!(<GcmSiv as KeyInit>::new_from_slice(&vec![1; len]).is_err(), "{len}");
    }
}

#[test]
fn aead_in_out_of_aez() {
    let mut random = Random::new(74);
    let (key, other) = (random.bytes(48), random.bytes(17));
    for aez in at_every_kernel(&key) {
        message_through_traits(&AezAead::<U12>::from(aez), &key, &mut random);
    }
    for aez in at_every_kernel(&other) {
        message_through_traits(&AezAead::<U16>::from(aez), &other, &mut random);
    }
    let by_array: AezAead = KeyInit::new(key.as_slice().try_into().expect("48 bytes"));
    message_through_traits(&by_array, &key, &mut random);
    for len in [0, 1, 16, 32, 47, 48, 49, 100] {
        let key = random.bytes(len);
        let of_12: AezAead = KeyInit::new_from_slice(&key).expect("a key of any length");
        message_through_traits(&of_12, &key, &mut random);
        let of_16: AezAead<U16> = KeyInit::new_from_slice(&key).expect("a key of any length");
        message_through_traits(&of_16, &key, &mut random);
    }
}

/// A cipher behind a pointer is that cipher.
#[test]
fn pointers_to_ciphers() {
    every_kernel::<Aes128>(65, |aes, reference, random| {
        let (kernel, data) = (aes.kernel(), random.block());
        let expected = ecb::encrypt(reference.of_16(), &data);
        fn check(aes: impl BlockCipher, kernel: Kernel, data: [u8; 16], expected: &[u8]) {
            assert_eq!((aes.name(), aes.block_size(), aes.kernel()), ("aes-128", 16, kernel));
            let mut block = data;
            assert_eq!(aes.encrypt_raw_blocks(block.as_mut_slice().into()), Ok(()));
            assert_eq!(block, expected);
            assert_eq!(aes.decrypt_raw_blocks(block.as_mut_slice().into()), Ok(()));
            assert_eq!(block, data);
            assert_eq!(aes.encrypt_raw_blocks(block[1..].as_mut().into()), Err(Error::PartialBlock));
        }
        check(&aes, kernel, data, &expected);
        check(Box::new(&aes), kernel, data, &expected);
        check(&aes as &dyn BlockCipher128, kernel, data, &expected);
        check(&aes as &dyn BlockCipher, kernel, data, &expected);
        let borrowed = &&aes;
        check(borrowed, kernel, data, &expected);
        let aes = Arc::new(aes);
        check(Arc::clone(&aes), kernel, data, &expected);
        check(Arc::clone(&aes) as Arc<dyn BlockCipher>, kernel, data, &expected);
        check(Box::new(aes) as Box<dyn BlockCipher128>, kernel, data, &expected);
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
    shared::<Box<dyn BlockCipher128>>();
    shared::<Box<dyn BlockCipher>>();
    shared::<Gcm<Aes256>>();
    shared::<Gcm<Box<dyn BlockCipher128>>>();
    shared::<Serpent>();
    shared::<Xtea>();
    shared::<Ctr<Aes256>>();
    shared::<Cbc<Aes256>>();
    shared::<Cfb<Serpent>>();
    shared::<Cfb8<Serpent>>();
    shared::<Ofb<Xtea>>();
    shared::<Xts<Serpent>>();
    shared::<Eax<Xtea>>();
    shared::<Siv<Serpent>>();
    shared::<GcmSiv>();
    shared::<Cmac<Xtea>>();
    shared::<Aez>();
    shared::<AezAead>();
    shared::<Kernel>();
    shared::<Error>();
    shared_while_borrowing::<Encryptor<'_, Gcm<Aes128>>>();
    shared_while_borrowing::<Decryptor<'_, Gcm<Aes128>>>();
    shared_while_borrowing::<Encryptor<'_, Eax<Serpent>>>();
    shared_while_borrowing::<CmacPieces<'_, Xtea>>();
    wiped::<Aes128>();
    wiped::<Aes192>();
    wiped::<Aes256>();
    wiped::<Serpent>();
    wiped::<Xtea>();
    wiped::<Aez>();
    wiped::<AezAead<U16>>();
}

/// Checks that `Debug` shows the kernel of a key and nothing that depends on its bytes.
#[test]
fn keys_do_not_print() {
    fn of_any<C: Typed + Debug>(key: u8, kernel: Kernel) -> Vec<String> {
        let cipher = C::at(&vec![key; C::key_size()], kernel);
        let iv = vec![key; <C as BlockSizeUser>::block_size()];
        let mut ctr = Ctr::from_cipher(&cipher, &iv, CounterWidth::Bits32).expect("a block");
        ctr.apply([0; 5].as_mut_slice()).expect("short");
        let (eax, cmac) = (Eax::from_cipher(&cipher), Cmac::from_cipher(&cipher));
        let (mut encryptor, decryptor) =
            (eax.encryptor(b"nonce", b"header"), eax.decryptor(b"nonce", b"header"));
        encryptor.update([0; 5].as_mut_slice()).expect("short");
        vec![
            format!("{cipher:?}"),
            format!("{ctr:?}"),
            format!("{:?}", Cbc::from_cipher(&cipher, &iv)),
            format!("{:?}", Cfb::from_cipher(&cipher, &iv)),
            format!("{:?}", Cfb8::from_cipher(&cipher, &iv)),
            format!("{:?}", Ofb::from_cipher(&cipher, &iv)),
            format!("{eax:?}"),
            format!("{encryptor:?}"),
            format!("{decryptor:?}"),
            format!("{:?}", eax.with_tag_len(8)),
            format!("{cmac:?}"),
            format!("{:?}", cmac.pieces()),
        ]
    }
    fn of_16<C: Typed + BlockCipher128>(key: u8, kernel: Kernel) -> Vec<String> {
        let with = |key| C::at(&vec![key; C::key_size()], kernel);
        let gcm = Gcm::from_cipher(with(key));
        let (mut encryptor, mut decryptor) =
            (gcm.encryptor(&[1; 12], b"").expect("a nonce"), gcm.decryptor(&[1; 12], b"").expect("a nonce"));
        encryptor.update([0; 5].as_mut_slice()).expect("short");
        decryptor.update([0; 5].as_mut_slice()).expect("short");
        let xts = Xts::new(with(key), with(key ^ 1)).expect("two keys");
        let siv = Siv::from_ciphers(with(key), with(key ^ 1));
        vec![
            format!("{gcm:?}"),
            format!("{encryptor:?}"),
            format!("{decryptor:?}"),
            format!("{xts:?}"),
            format!("{siv:?}"),
        ]
    }
    fn check_any<C: Typed + Debug>(name: &str) {
        for kernel in every_kernel_of::<C>() {
            let first = of_any::<C>(0xa7, kernel);
            assert_eq!(first, of_any::<C>(0x3e, kernel));
            assert_eq!(
                first,
                [
                    &format!("{name} {{ kernel: {kernel:?}, .. }}"),
                    "Ctr { width: Bits32, .. }",
                    "Ok(Cbc { .. })",
                    "Ok(Cfb { .. })",
                    "Ok(Cfb8 { .. })",
                    "Ok(Ofb { .. })",
                    "Eax { .. }",
                    "Encryptor { .. }",
                    "Decryptor { .. }",
                    "Ok(WithTagLen { tag_len: 8, .. })",
                    "Cmac { .. }",
                    "CmacPieces { .. }",
                ]
            );
        }
    }
    fn check_16<C: Typed + BlockCipher128>() {
        for kernel in every_kernel_of::<C>() {
            let expected = ["Gcm { .. }", "Encryptor { .. }", "Decryptor { .. }", "Xts { .. }", "Siv { .. }"];
            assert_eq!(of_16::<C>(0xa7, kernel), expected);
            assert_eq!(of_16::<C>(0x3e, kernel), expected);
        }
    }
    check_any::<Aes128>("Aes128");
    check_any::<Aes192>("Aes192");
    check_any::<Aes256>("Aes256");
    check_any::<Serpent>("Serpent");
    check_any::<Xtea>("Xtea");
    for key in [[0xa7; 48], [0x3e; 48]] {
        for aez in at_every_kernel(&key) {
            let kernel = format!("{{ kernel: {:?}, .. }}", aez.kernel());
            assert_eq!(format!("{aez:?}"), format!("Aez {kernel}"));
            assert_eq!(format!("{:?}", AezAead::<U12>::from(aez)), format!("AezAead {kernel}"));
        }
    }
    check_16::<Aes128>();
    check_16::<Aes192>();
    check_16::<Aes256>();
    check_16::<Serpent>();
}

/// Compiles one text for a type of `aes-gcm` and for ours, with method calls of the traits, and compares the results.
#[test]
fn code_for_aes_gcm() {
    use aead::{Aead, AeadInOut, KeyInit, Payload};

    macro_rules! use_aead {
        ($type:ident $(<$parameter:ty>)?) => {{
            let cipher = $type $(::<$parameter>)?::new(&[7; 32].into());
            let nonce = [1; 12].into();
            let sealed = cipher.encrypt(&nonce, b"plaintext".as_ref()).expect("short");
            assert_eq!(cipher.decrypt(&nonce, sealed.as_ref()).expect("authentic"), b"plaintext");
            let payload = Payload { msg: b"plaintext", aad: b"sent in clear" };
            let with_aad = cipher.encrypt(&nonce, payload).expect("short");
            assert!(cipher.decrypt(&nonce, with_aad.as_ref()).is_err());
            let mut buffer = b"in place".to_vec();
            cipher.encrypt_in_place(&nonce, b"", &mut buffer).expect("short");
            let in_place = buffer.clone();
            cipher.decrypt_in_place(&nonce, b"", &mut buffer).expect("authentic");
            assert_eq!(buffer, b"in place");
            (sealed, with_aad, in_place)
        }};
    }
    use aes_gcm::Aes256Gcm;
    assert_eq!(use_aead!(Gcm<Aes256>), use_aead!(Aes256Gcm));
}

/// Compiles one text for a stream of the crate `ctr` and for ours, and compares the results.
#[test]
fn code_for_ctr() {
    use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

    macro_rules! use_stream {
        ($type:ident <$parameter:ty>) => {{
            let mut stream = $type::<$parameter>::new(&[7; 16].into(), &[9; 16].into());
            let mut data = [0_u8; 100];
            stream.apply_keystream(&mut data[..50]);
            stream.seek(50_u32);
            stream.apply_keystream(&mut data[50..]);
            (data, stream.current_pos::<u64>())
        }};
    }
    use ctr::Ctr128BE;
    assert_eq!(use_stream!(Ctr<Aes128>), use_stream!(Ctr128BE<aes::Aes128>));
}
