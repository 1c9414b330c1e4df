//! Batches through the C interface: each packet becomes what the call for one message makes of it, bad ones too, and
//! what describes no batch is refused.

use std::ptr::{null, null_mut};

use arbitrary::Arbitrary;

use super::abi::*;
use super::make::cipher_name;
use super::{BATCH, IV_LENGTH, NULL_POINTER, OK, OVERLAP, WRONG_KEY, is_fault};
use crate::common::{Random, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    seed: u64,
    mode: u8,
    ciphers: [u8; 3],
    array: Array,
    packets: Vec<Item>,
}

/// How the array of packets is given.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Array {
    Right,
    Null,
    Crooked,
    Size(u8),
    TooMany,
}

/// A packet, with the places of its buffers in a region of its own, where they may overlap.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Item {
    key: u8,
    iv: Place,
    aad: Place,
    input: Place,
    output: Place,
    tag: Place,
    len: u8,
    /// Whether the output is the input, and whether the buffers are put apart.
    in_place: bool,
    apart: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Place {
    at: u8,
    len: u8,
    odd: u8,
}

/// Bytes of the region of a packet, and the most packets.
const REGION: usize = 1024;
const MOST: usize = 140;

/// What a mode does with one message.
#[derive(Clone, Copy)]
enum Alone {
    Sealing(Sealing),
    Mac(unsafe extern "C" fn(Handle, In, usize, Out, usize) -> i32),
    Verify(unsafe extern "C" fn(Handle, In, usize, In, usize) -> i32),
    Aez(SealingStrings),
    Blocks(Piece),
    WithIv(WithIv),
    Xts(unsafe extern "C" fn(Handle, In, usize, In, Out, usize) -> i32),
}
type In = *const u8;
type Out = *mut u8;

/// What the keys of a mode are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Cipher,
    Gcm,
    Eax,
    Cmac,
    Xts,
    Aez,
}

const MODES: [(Keys, Batch, Alone); 16] = [
    (Keys::Gcm, abreast_packets_gcm_encrypt, Alone::Sealing(abreast_gcm_encrypt)),
    (Keys::Gcm, abreast_packets_gcm_decrypt, Alone::Sealing(abreast_gcm_decrypt)),
    (Keys::Eax, abreast_packets_eax_encrypt, Alone::Sealing(abreast_eax_encrypt)),
    (Keys::Eax, abreast_packets_eax_decrypt, Alone::Sealing(abreast_eax_decrypt)),
    (Keys::Cmac, abreast_packets_cmac, Alone::Mac(abreast_cmac_mac)),
    (Keys::Cmac, abreast_packets_cmac_verify, Alone::Verify(abreast_cmac_verify)),
    (Keys::Aez, abreast_packets_aez_encrypt, Alone::Aez(abreast_aez_encrypt)),
    (Keys::Aez, abreast_packets_aez_decrypt, Alone::Aez(abreast_aez_decrypt)),
    (Keys::Cipher, abreast_packets_ecb_encrypt, Alone::Blocks(abreast_ecb_encrypt)),
    (Keys::Cipher, abreast_packets_ecb_decrypt, Alone::Blocks(abreast_ecb_decrypt)),
    (Keys::Cipher, abreast_packets_cbc_encrypt, Alone::WithIv(abreast_cbc_encrypt)),
    (Keys::Cipher, abreast_packets_cbc_decrypt, Alone::WithIv(abreast_cbc_decrypt)),
    (Keys::Cipher, abreast_packets_ofb, Alone::WithIv(abreast_ofb_apply)),
    (Keys::Cipher, packets_ctr, Alone::WithIv(ctr)),
    (Keys::Xts, abreast_packets_xts_encrypt, Alone::Xts(abreast_xts_encrypt)),
    (Keys::Xts, abreast_packets_xts_decrypt, Alone::Xts(abreast_xts_decrypt)),
];

/// Those that read a tag.
const DECRYPT: [usize; 4] = [1, 3, 5, 7];
/// The widest counters that the blocks of every cipher have room for.
const WIDTH: u32 = 64;

unsafe extern "C" fn packets_ctr(packets: *mut Packet, count: usize, size: usize) -> i32 {
    // SAFETY: what the caller promises.
    unsafe { abreast_packets_ctr(packets, count, size, WIDTH) }
}

unsafe extern "C" fn ctr(key: Handle, iv: In, iv_len: usize, input: In, output: Out, len: usize) -> i32 {
    // SAFETY: what the caller promises.
    unsafe { abreast_ctr_apply(key, WIDTH, iv, iv_len, input, output, len) }
}

/// A key of every kind, freed in the end.
struct Key {
    handles: [(Handle, Free); 6],
}

impl Key {
    fn new(random: &mut Random, cipher: u8) -> Self {
        let made = |make: &dyn Fn(*mut Handle) -> i32| {
            let mut handle = null_mut();
            make(&raw mut handle);
            handle
        };
        let (name, [one, two]) = (cipher_name(cipher % 8), [random.bytes(32), random.bytes(32)]);
        let len = [16, 24, 32, 16, 24, 32, 16, 16][usize::from(cipher % 8)];
        // SAFETY: a name, 16 to 32 bytes, handles that are not freed or NULL, and a place for a handle. The second key
        // is freed once, and the pair of keys keeps it.
        let (key, gcm, eax, cmac, xts, aez) = unsafe {
            let cipher =
                |bytes: &Vec<u8>| made(&|place| abreast_cipher_new(name, bytes.as_ptr(), len, null(), place));
            let [key, other] = [cipher(&one), cipher(&two)];
            let gcm = made(&|place| abreast_gcm_new(key, place));
            let eax = made(&|place| abreast_eax_new(key, place));
            let cmac = made(&|place| abreast_cmac_new(key, place));
            let xts = made(&|place| abreast_xts_new(key, other, place));
            let aez = made(&|place| abreast_aez_new(one.as_ptr(), 32, null(), place));
            abreast_cipher_free(other);
            (key, gcm, eax, cmac, xts, aez)
        };
        Self {
            handles: [
                (key, abreast_cipher_free),
                (gcm, abreast_gcm_free),
                (eax, abreast_eax_free),
                (cmac, abreast_cmac_free),
                (xts, abreast_xts_free),
                (aez, abreast_aez_free),
            ],
        }
    }

    fn of(&self, keys: Keys) -> Handle {
        self.handles[keys as usize].0
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        for (handle, free) in self.handles {
            // SAFETY: not freed yet, or NULL, and of the kind that is freed so.
            unsafe { free(handle) };
        }
    }
}

/// Descriptors of packets in memory of which each has a region.
fn describe(case: &Case, keys: &[Key], (kind, mode): (Keys, Alone), memory: *mut u8) -> Vec<Packet> {
    // What a mode has no use for is NULL and 0.
    let has_iv = !matches!(mode, Alone::Mac(_) | Alone::Verify(_) | Alone::Blocks(_));
    let has_tag = matches!(kind, Keys::Gcm | Keys::Eax | Keys::Cmac | Keys::Aez);
    let has_message = kind != Keys::Cmac;
    let packet = |(at, item): (usize, &Item)| {
        let region = memory.wrapping_add(at * REGION);
        let place = |needed: bool, place: Place, which: usize, most: usize| {
            if !needed {
                return (null_mut(), 0);
            }
            if place.odd == 255 {
                return (null_mut(), usize::from(place.len) % 2 * 7);
            }
            if place.odd == 254 {
                return (region, usize::MAX - usize::from(place.len));
            }
            let len =
                [12, 16, 8, place.len.into(), place.len.into()][usize::from(place.odd) % 5] % (most + 1);
            let at = if item.apart { which * 200 } else { usize::from(place.at) };
            (region.wrapping_add(at), len)
        };
        let (iv, iv_len) = place(has_iv, item.iv, 0, 64);
        let (aad, aad_len) = place(has_tag, item.aad, 1, 190);
        let (tag, tag_len) = place(has_tag, item.tag, 2, 40);
        let (input, _) = place(has_message, item.input, 3, 190);
        let (output, _) = if item.in_place { (input, 0) } else { place(has_message, item.output, 4, 190) };
        let len = if item.len % 16 == 15 { item.len.into() } else { usize::from(item.len / 16) * 8 };
        let len = if has_message { len.min(190) } else { 0 };
        let key = match item.key {
            255 => null_mut(),
            // A key for another kind of batch.
            254 => keys[0].of(if kind == Keys::Eax { Keys::Cmac } else { Keys::Eax }),
            key => pick(&[0, 1, 2].map(|which: usize| keys[which].of(kind)), key),
        };
        Packet { key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len, status: -1 }
    };
    case.packets.iter().take(MOST).enumerate().map(packet).collect()
}

/// The call for one message that is the same as a packet.
fn alone(mode: Alone, packet: &Packet) -> i32 {
    let Packet { key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len, .. } = *packet;
    let key = key.cast_mut();
    let string = Text { data: aad, len: aad_len };
    // SAFETY: a key of the mode or NULL, and buffers that are in the memory, NULL, or of a length that is refused.
    unsafe {
        match mode {
            Alone::Sealing(mode) => mode(key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len),
            Alone::Mac(mode) => mode(key, aad, aad_len, tag, tag_len),
            Alone::Verify(mode) => mode(key, aad, aad_len, tag, tag_len),
            Alone::Aez(mode) => {
                let count = usize::from(aad_len > 0);
                mode(key, iv, iv_len, &raw const string, count, input, output, len, tag, tag_len)
            }
            Alone::Blocks(mode) => mode(key, input, output, len),
            Alone::WithIv(mode) => mode(key, iv, iv_len, input, output, len),
            Alone::Xts(_) if iv_len != 16 => IV_LENGTH,
            Alone::Xts(mode) => mode(key, iv, len, input, output, len),
        }
    }
}

/// What a batch gives is what the calls one by one give, byte by byte and status by status.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut random = Random::new(case.seed);
    let (kind, batch, mode) = pick(&MODES, case.mode);
    let keys = case.ciphers.map(|cipher| Key::new(&mut random, cipher));
    let before = random.bytes(REGION * case.packets.len().min(MOST));
    let [mut together, mut one_by_one] = [before.clone(), before.clone()];
    let mut packets = describe(&case, &keys, (kind, mode), together.as_mut_ptr());
    let (count, size) = (packets.len(), size_of::<Packet>());

    let given = match case.array {
        Array::Right => None,
        Array::Null => Some((null_mut(), count.max(1), size)),
        Array::Crooked => Some((packets.as_mut_ptr().wrapping_byte_add(1), count.max(1), size)),
        Array::Size(less) => Some((packets.as_mut_ptr(), count, usize::from(less) % size)),
        Array::TooMany => Some((packets.as_mut_ptr(), usize::MAX / 8, size)),
    };
    if let Some((packets, count, size)) = given {
        // SAFETY: what is no array of packets is refused before it is read.
        let status = unsafe { batch(packets, count, size) };
        assert!((NULL_POINTER..WRONG_KEY).contains(&status), "{:?}: status {status}", case.array);
        return same(&together, &before, || format!("{:?}", case.array));
    }

    // SAFETY: an array of so many packets, whose buffers are in regions of their own.
    let status = unsafe { batch(packets.as_mut_ptr(), count, size) };
    assert!(matches!(status, OK | BATCH), "status {status}");
    assert_eq!(status == OK, packets.iter().all(|packet| packet.status == OK), "status {status}");
    let again = describe(&case, &keys, (kind, mode), one_by_one.as_mut_ptr());
    for (at, (packet, again)) in packets.iter().zip(&again).enumerate() {
        let what = || format!("packet {at} of {count}, mode {}, {again:?}", case.mode);
        let wrong_key = case.packets[at].key == 254;
        let expected = if wrong_key { WRONG_KEY } else { alone(mode, again) };
        assert!(!is_fault(packet.status), "{}: status {}", what(), packet.status);
        let region = at * REGION..(at + 1) * REGION;
        // A packet has one field for a tag that is written and one that is read, so that its tag has to be apart from
        // what is read even where it is read itself.
        if packet.status == OVERLAP && DECRYPT.contains(&(usize::from(case.mode) % MODES.len())) {
            same(&together[region.clone()], &before[region], what);
            continue;
        }
        let both_refused = refused(packet.status) && refused(expected);
        assert!(
            packet.status == expected || both_refused,
            "{}: status {}, alone {expected}",
            what(),
            packet.status
        );
        same(&together[region.clone()], &one_by_one[region], what);
    }
}

/// Whether nothing was done because of an argument: where several are wrong, any of them may be named.
fn refused(status: i32) -> bool {
    status != OK && status != 13 && status != 19
}
