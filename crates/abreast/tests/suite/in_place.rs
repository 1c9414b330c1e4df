//! Messages and tags in one buffer, and AES with a key of any length: both give what the calls with detached tags and the types of one
//! length give.

use crate::common::aez::at_every_kernel;
use crate::common::{Random, kernels, long_or_short};
use abreast::aes::{Aes, Aes256};
use abreast::aez::Aez;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr, Eax, Gcm, GcmSiv, Siv};
use abreast::packets::{self, Packet};
use abreast::{BlockCipher, Error, Kernel};

/// A mode as the test sees it: sealed as one buffer, and by the calls that are under test.
struct Joined<'m> {
    name: String,
    tag_len: usize,
    tag_first: bool,
    /// Returns the ciphertext and the tag.
    detached: &'m Detached<'m>,
    seal: &'m dyn Fn(&mut Vec<u8>) -> Result<(), Error>,
    open: &'m dyn Fn(&mut Vec<u8>) -> Result<(), Error>,
    /// None for a mode that has no such call.
    within: Option<&'m Within<'m>>,
}

type Detached<'m> = dyn Fn(&[u8]) -> (Vec<u8>, Vec<u8>) + 'm;
type Within<'m> = dyn for<'b> Fn(&'b mut [u8], usize) -> Result<&'b mut [u8], Error> + 'm;

/// Checks all calls with a message.
fn check(mode: &Joined<'_>, random: &mut Random) {
    let len = random.length();
    let message = random.bytes(len);
    let what = format!("{}, {len} bytes", mode.name);
    let (text, tag) = (mode.detached)(&message);
    assert_eq!(tag.len(), mode.tag_len, "{what}");
    let whole = if mode.tag_first { [tag, text].concat() } else { [text, tag].concat() };

    let mut data = message.clone();
    assert_eq!((mode.seal)(&mut data), Ok(()), "{what}");
    assert!(data == whole, "{what}: another ciphertext");
    let mut roomy = Vec::with_capacity(len + mode.tag_len);
    roomy.extend(&message);
    let place = roomy.as_ptr();
    assert_eq!((mode.seal)(&mut roomy), Ok(()), "{what}");
    assert_eq!(roomy.as_ptr(), place, "{what}: a vector with room was moved");
    assert_eq!((mode.open)(&mut data), Ok(()), "{what}");
    assert!(data == message, "{what}: another message");

    let mut wrong = whole.clone();
    let at = random.up_to(wrong.len() - 1);
    wrong[at] ^= 1 << random.up_to(7);
    let mut data = wrong.clone();
    assert_eq!((mode.open)(&mut data), Err(Error::TagMismatch), "{what}, byte {at}");
    let kept = if mode.tag_first { &data[..] } else { &data[..len] };
    assert!(kept.iter().all(|byte| *byte == 0), "{what}, byte {at}: a message that is not authentic");
    let less = random.up_to(mode.tag_len - 1);
    let mut short = random.bytes(less);
    assert_eq!((mode.open)(&mut short), Err(Error::TagMismatch), "{what}: shorter than a tag");

    let Some(within) = mode.within else { return };
    for from in [0, 1, 5, 16, random.up_to(100)] {
        let mut buffer = random.bytes(from);
        buffer.extend(&whole);
        assert_eq!(within(&mut buffer, from).map(|data| &*data), Ok(&*message), "{what} from {from}");
        let mut buffer = random.bytes(from);
        buffer.extend(&wrong);
        assert!(within(&mut buffer, from) == Err(Error::TagMismatch), "{what} from {from}");
        assert!(buffer[..len].iter().all(|byte| *byte == 0), "{what} from {from}: not authentic");
        let mut buffer = random.bytes(from);
        assert!(within(&mut buffer, from + 1) == Err(Error::BufferLengths), "{what} beyond {from}");
        assert!(within(&mut buffer, from) == Err(Error::TagMismatch), "{what} at the end, {from}");
    }
}

/// The calls of a mode with a nonce, a type of associated data, and tags behind an array or a slice.
macro_rules! joined {
    ($random:ident, $name:expr, $mode:expr, $tag_len:expr, $nonce:expr, $aad:expr) => {{
        let (mode, nonce, aad) = (&$mode, &$nonce, $aad);
        let name = $name;
        check(
            &Joined {
                name,
                tag_len: $tag_len,
                tag_first: false,
                detached: &|message| {
                    let (mut data, mut tag) = (message.to_vec(), vec![0; $tag_len]);
                    let room = tag.as_mut_slice().try_into().expect("as long as the tag");
                    mode.encrypt_detached(nonce, aad, data.as_mut_slice(), room).expect("within the limits");
                    (data, tag)
                },
                seal: &|data| mode.seal_in_place(nonce, aad, data),
                open: &|data| mode.open_in_place(nonce, aad, data),
                within: Some(&|buffer, from| mode.open_within(nonce, aad, buffer, from)),
            },
            &mut $random,
        );
    }};
}

/// Every mode that has the calls, at every kernel.
#[test]
fn sealed_in_place() {
    let mut random = Random::new(610);
    for kernel in kernels(Algorithm::from_name("aes-256").expect("a cipher")) {
        for round in 0..long_or_short(20, 2) {
            let name = |mode: &str| format!("{mode} at {kernel}, round {round}");
            let aes = |random: &mut Random| {
                let key_len = random.pick(&[16, 24, 32]);
                Aes::with_kernel(&random.bytes(key_len), kernel).expect("a kernel of AES")
            };
            let aad_len = random.length();
            let (nonce, aad) = (random.bytes(12), random.bytes(aad_len));
            let gcm = Gcm::from_cipher(aes(&mut random));
            joined!(random, name("GCM"), gcm, 16, nonce, &aad);
            let cut = random.pick(&[4, 8, 12, 13, 14, 15, 16]);
            joined!(random, name("GCM cut"), gcm.with_tag_len(cut).expect("a length"), cut, nonce, &aad);
            let eax = Eax::from_cipher(aes(&mut random));
            joined!(random, name("EAX"), eax, 16, nonce, &aad);
            let cut = 1 + random.up_to(15);
            joined!(random, name("EAX cut"), eax.with_tag_len(cut).expect("a length"), cut, nonce, &aad);
            let siv = GcmSiv::with_kernel(&random.bytes(32), kernel).expect("a kernel of AES");
            joined!(random, name("GCM-SIV"), siv, 16, nonce, &aad);
            let siv = Siv::from_ciphers(aes(&mut random), aes(&mut random));
            let strings = [aad.as_slice(), &nonce];
            check(
                &Joined {
                    name: name("SIV"),
                    tag_len: 16,
                    tag_first: true,
                    detached: &|message| {
                        let (mut data, mut tag) = (message.to_vec(), [0; 16]);
                        siv.encrypt_detached(&strings, data.as_mut_slice(), &mut tag).expect("two strings");
                        (data, tag.to_vec())
                    },
                    seal: &|data| siv.seal_in_place(&strings, data),
                    open: &|data| siv.open_in_place(&strings, data),
                    within: None,
                },
                &mut random,
            );
        }
    }
    for aez in at_every_kernel(&random.bytes(48)) {
        for round in 0..long_or_short(20, 2) {
            let name = |mode: &str| format!("{mode} at {}, round {round}", aez.kernel());
            let (nonce, aad) = (random.bytes(12), random.bytes(20));
            let strings: &[&[u8]] = &[&aad, b"another"];
            joined!(random, name("AEZ"), aez, 16, nonce, strings);
            let cut = 1 + random.up_to(31);
            joined!(random, name("AEZ cut"), aez.with_tag_len(cut).expect("a length"), cut, nonce, strings);
        }
    }
}

/// Messages that are refused stay as they were, without room for a tag.
#[test]
fn refused_in_place() {
    let gcm = Gcm::from_cipher(Aes256::new(&[7; 32]));
    let siv = GcmSiv::new(&[7; 32]).expect("a length of keys");
    let eax = Eax::from_cipher(Aes256::new(&[7; 32]));
    let aes_siv = Siv::from_ciphers(Aes256::new(&[7; 32]), Aes256::new(&[8; 32]));
    let mut data = b"attack at dawn".to_vec();
    assert_eq!(gcm.seal_in_place(b"", b"", &mut data), Err(Error::NonceLength));
    assert_eq!(siv.seal_in_place(b"of eight", b"", &mut data), Err(Error::NonceLength));
    assert_eq!(aes_siv.seal_in_place(&[b"".as_slice(); 127], &mut data), Err(Error::MessageTooLong));
    assert_eq!(aes_siv.open_in_place(&[b"".as_slice(); 127], &mut data), Err(Error::MessageTooLong));
    assert_eq!(data, b"attack at dawn");
    // A cipher with short blocks has short tags.
    let key = abreast::xtea::Xtea::new(&[7; 16]);
    let short = Eax::from_cipher(key);
    for (len, eax) in [(16, &eax as &dyn Seals), (8, &short)] {
        let mut data = b"attack at dawn".to_vec();
        eax.seal(&mut data);
        assert_eq!(data.len(), 14 + len);
    }
    let mut sealed = vec![7; 30];
    assert_eq!(gcm.open_in_place(b"", b"", &mut sealed), Err(Error::NonceLength));
    assert_eq!(sealed, [7; 30]);
    assert_eq!(aez_is_never_refused(), Ok(()));
}

/// Something that seals without associated data.
trait Seals {
    fn seal(&self, data: &mut Vec<u8>);
}

impl<C: BlockCipher> Seals for Eax<C> {
    fn seal(&self, data: &mut Vec<u8>) {
        self.seal_in_place(b"nonce", b"", data).expect("nothing to refuse");
    }
}

fn aez_is_never_refused() -> Result<(), Error> {
    let aez = Aez::new(b"");
    let mut data = Vec::new();
    aez.seal_in_place(b"", &[], &mut data)?;
    aez.open_in_place(b"", &[], &mut data)
}

/// AES by a slice is the cipher of the slice's length, for every kernel, in a mode, in blocks and in packets.
#[test]
fn aes_of_any_size() {
    let mut random = Random::new(611);
    for len in 0..70 {
        let key = random.bytes(len);
        let name = match len {
            16 => "aes-128",
            24 => "aes-192",
            32 => "aes-256",
            _ => {
                assert_eq!(Aes::new(&key).err(), Some(Error::KeyLength), "{len} bytes");
                continue;
            }
        };
        let algorithm = Algorithm::from_name(name).expect("a cipher");
        assert!(Aes::kernels().eq(algorithm.kernels()), "{name}: other kernels");
        assert_eq!(Aes::new(&key).expect("a length").kernel(), algorithm.best_kernel().expect("a kernel"));
        let foreign = Kernel::words(abreast::kernels::tokens::baseline());
        assert_eq!(Aes::with_kernel(&key, foreign).err(), Some(Error::KernelUnavailable), "{name}");
        for kernel in kernels(algorithm) {
            let any = Aes::with_kernel(&key, kernel).expect("a kernel of AES");
            let one = algorithm.with_key_128(&key, Some(kernel)).expect("a kernel of AES");
            assert_eq!((any.name(), any.kernel(), any.block_size()), (name, kernel, 16));
            assert_eq!(
                format!("{any:?}"),
                format!("Aes {{ name: {name:?}, kernel: {kernel:?}, .. }}"),
                "nothing of the key"
            );
            for blocks in [1, 2, 7, 64] {
                let text = random.bytes(16 * blocks);
                let (mut data, mut expected) = (text.clone(), text.clone());
                assert_eq!(any.encrypt_raw_blocks(data.as_mut_slice().into()), Ok(()));
                assert_eq!(one.encrypt_raw_blocks(expected.as_mut_slice().into()), Ok(()));
                assert!(data == expected, "{name} at {kernel}, {blocks} blocks");
                assert_eq!(any.decrypt_raw_blocks(data.as_mut_slice().into()), Ok(()));
                assert!(data == text, "{name} at {kernel}, {blocks} blocks back");
            }
            let length = random.length();
            let text = random.bytes(length);
            let counter = random.block();
            let mut expected = text.clone();
            let mut ctr = Ctr::from_block(&one, &counter, CounterWidth::Bits128);
            assert_eq!(ctr.apply(expected.as_mut_slice()), Ok(()));
            let mut data = text.clone();
            packets::ctr(&mut [Packet::new(&any, &counter, data.as_mut_slice())], CounterWidth::Bits128);
            assert!(data == expected, "{name} at {kernel}, {length} bytes as a packet");
        }
    }
}
