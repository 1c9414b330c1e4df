//! Batches through the C interface: each packet becomes what the call for one message makes of it, bad ones too, and
//! what describes no batch is refused.

use std::ptr::{null, null_mut};

use abreast::kernels::algorithms;
use arbitrary::Arbitrary;

use super::abi::*;
use super::make::cipher_name;
use super::{BATCH, IV_LENGTH, NOT_PROCESSED, NULL_POINTER, OK, OPERATION, OVERLAP, WRONG_KEY, is_fault};
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

/// The array of packets in a call: valid, or wrong in one way.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Array {
    Right,
    Null,
    Crooked,
    /// Descriptors that are smaller than those of this library, or larger.
    Size(u8),
    TooMany,
}

/// A packet, with the places of its buffers in a region of its own, where they may overlap, and what is odd about it.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Item {
    key: u8,
    iv: Place,
    aad: Place,
    input: Place,
    output: Place,
    tag: Place,
    len: u8,
    /// True if the output is the input.
    in_place: bool,
    /// True if the buffers are kept apart.
    apart: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Place {
    at: u8,
    len: u8,
    odd: u8,
}

/// Values of `odd` of any buffer: NULL, and a length that no buffer can have.
const NOWHERE: u8 = 255;
const ENDLESS: u8 = 254;
/// The value of `odd` of an output, or of a tag that is written: the buffer lies over the array of descriptors.
const OVER_ARRAY: u8 = 253;
/// The value of `odd` of an IV: the packet reads the buffers of the packet before, its tag too where tags are compared.
const AS_BEFORE: u8 = 252;
/// The first of the values of `odd` below `AS_BEFORE`, of a tag that is compared: the right tag, of a message that was
/// encrypted.
const RIGHT: u8 = 240;

/// Bytes of the region of a packet, and the most packets.
const REGION: usize = 1024;
const MOST: usize = 140;

/// The call of a mode for one message.
#[derive(Clone, Copy)]
enum Alone {
    Aead(Sealing),
    Mac(unsafe extern "C" fn(ReadHandle, In, usize, Out, usize) -> i32),
    Verify(unsafe extern "C" fn(ReadHandle, In, usize, In, usize) -> i32),
    /// Without a vector, and with one.
    Blocks,
    WithIv,
    Xts(unsafe extern "C" fn(ReadHandle, In, usize, In, Out, usize) -> i32),
    Hctr2(unsafe extern "C" fn(ReadHandle, In, usize, In, Out, usize) -> i32),
}
type In = *const u8;
type Out = *mut u8;

/// The keys of a mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Cipher,
    Gcm,
    Eax,
    Cmac,
    Xts,
    Aez,
    GcmSiv,
    Siv,
    Hctr2,
}

/// By the keys, the number in `enum abreast_operation` and the call for one message.
const MODES: [(Keys, i32, Alone); 25] = [
    (Keys::Gcm, 16, Alone::Aead(abreast_aead_encrypt)),
    (Keys::Gcm, 17, Alone::Aead(aead_decrypt)),
    (Keys::Eax, 18, Alone::Aead(abreast_aead_encrypt)),
    (Keys::Eax, 19, Alone::Aead(aead_decrypt)),
    (Keys::Cmac, 22, Alone::Mac(abreast_cmac_mac)),
    (Keys::Cmac, 23, Alone::Verify(abreast_cmac_verify)),
    (Keys::Aez, 20, Alone::Aead(abreast_aead_encrypt)),
    (Keys::Aez, 21, Alone::Aead(aead_decrypt)),
    (Keys::GcmSiv, 24, Alone::Aead(abreast_aead_encrypt)),
    (Keys::GcmSiv, 25, Alone::Aead(aead_decrypt)),
    (Keys::Siv, 26, Alone::Aead(abreast_aead_encrypt)),
    (Keys::Siv, 27, Alone::Aead(aead_decrypt)),
    (Keys::Cipher, 1, Alone::Blocks),
    (Keys::Cipher, 2, Alone::Blocks),
    (Keys::Cipher, 3, Alone::WithIv),
    (Keys::Cipher, 4, Alone::WithIv),
    (Keys::Cipher, 9, Alone::WithIv),
    (Keys::Cipher, 12, Alone::WithIv),
    (Keys::Xts, 14, Alone::Xts(abreast_xts_encrypt)),
    (Keys::Xts, 15, Alone::Xts(abreast_xts_decrypt)),
    (Keys::Cipher, 10, Alone::WithIv),
    (Keys::Cipher, 11, Alone::WithIv),
    (Keys::Cipher, 13, Alone::WithIv),
    (Keys::Hctr2, ABREAST_HCTR2_ENCRYPT, Alone::Hctr2(abreast_hctr2_encrypt)),
    (Keys::Hctr2, ABREAST_HCTR2_DECRYPT, Alone::Hctr2(abreast_hctr2_decrypt)),
];

/// Indices in `MODES` of the modes that read a tag.
const DECRYPT: [usize; 6] = [1, 3, 5, 7, 9, 11];
/// Operations that batches do not have.
const NO_BATCH: [i32; 7] = [0, 5, 6, 7, 8, ABREAST_KEY_WRAP, -1];

/// A key of every kind, freed in the end.
struct Key {
    handles: [(Handle, Free); 9],
}

impl Key {
    fn new(random: &mut Random, cipher: u8) -> Self {
        let made = |make: &dyn Fn(*mut Handle) -> i32| {
            let mut handle = null_mut();
            make(&raw mut handle);
            handle
        };
        let number = usize::from(cipher) % algorithms().len();
        let (name, len) = (cipher_name(number as u8), algorithms()[number].key_len());
        let [one, two] = [random.bytes(32), random.bytes(32)];
        // SAFETY: a name, 16 to 32 bytes, handles that are not freed or NULL, and a place for a handle. The second key
        // is freed once, and the pair of keys keeps it.
        let (key, gcm, eax, cmac, xts, aez, gcm_siv, siv, hctr2) = unsafe {
            let cipher =
                |bytes: &Vec<u8>| made(&|place| abreast_cipher_new(name, bytes.as_ptr(), len, null(), place));
            let [key, other] = [cipher(&one), cipher(&two)];
            let gcm = made(&|place| abreast_gcm_new(key, place));
            let eax = made(&|place| abreast_eax_new(key, place));
            let cmac = made(&|place| abreast_cmac_new(key, place));
            let xts = made(&|place| abreast_xts_new(key, other, place));
            let aez = made(&|place| abreast_aez_new(one.as_ptr(), 32, null(), place));
            let gcm_siv = made(&|place| abreast_gcm_siv_new(one.as_ptr(), 32, null(), place));
            let siv = made(&|place| abreast_siv_new(key, other, place));
            let hctr2 = made(&|place| abreast_hctr2_new(key, place));
            abreast_cipher_free(other);
            (key, gcm, eax, cmac, xts, aez, gcm_siv, siv, hctr2)
        };
        Self {
            handles: [
                (key, abreast_cipher_free),
                (gcm, abreast_aead_free),
                (eax, abreast_aead_free),
                (cmac, abreast_cmac_free),
                (xts, abreast_xts_free),
                (aez, abreast_aead_free),
                (gcm_siv, abreast_aead_free),
                (siv, abreast_aead_free),
                (hctr2, abreast_hctr2_free),
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
fn describe(
    case: &Case,
    keys: &[Key],
    (kind, mode): (Keys, Alone),
    compares: bool,
    memory: *mut u8,
) -> Vec<abreast_packet> {
    // What a mode has no use for is NULL and 0.
    let has_iv = !matches!(mode, Alone::Mac(_) | Alone::Verify(_) | Alone::Blocks);
    let has_tag = matches!(kind, Keys::Gcm | Keys::Eax | Keys::Cmac | Keys::Aez | Keys::GcmSiv | Keys::Siv);
    let has_message = kind != Keys::Cmac;
    let packet = |(at, item): (usize, &Item)| {
        let region = memory.wrapping_add(at * REGION);
        let place = |needed: bool, place: Place, which: usize, most: usize| {
            if !needed {
                return (null_mut(), 0);
            }
            if place.odd == NOWHERE {
                return (null_mut(), usize::from(place.len) % 2 * 7);
            }
            if place.odd == ENDLESS {
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
            254 => keys[0].of(wrong(kind)),
            key => pick(&[0, 1, 2].map(|which: usize| keys[which].of(kind)), key),
        };
        abreast_packet { key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len, status: -1 }
    };
    let items: Vec<&Item> = case.packets.iter().take(MOST).collect();
    let mut packets: Vec<abreast_packet> = items.iter().copied().enumerate().map(packet).collect();
    for at in 1..packets.len() {
        let (before, own) = (packets[at - 1], packets[at]);
        // Buffers that one of the two writes must be apart from those that both read.
        let apart = |item: &Item| item.apart && !item.in_place;
        if items[at].iv.odd == AS_BEFORE && apart(items[at]) && apart(items[at - 1]) {
            let (tag, tag_len) = if compares { (before.tag, before.tag_len) } else { (own.tag, own.tag_len) };
            packets[at] = abreast_packet { output: own.output, tag, tag_len, ..before };
        }
    }
    packets
}

/// The keys of another kind of batch.
fn wrong(kind: Keys) -> Keys {
    if kind == Keys::Eax { Keys::Cmac } else { Keys::Eax }
}

/// Moves outputs to where the descriptors are, as far as there is one to be moved, and tells of which packets.
fn put_over_array(case: &Case, compares: bool, packets: &mut [abreast_packet]) -> Vec<bool> {
    let (array, size) = (packets.as_mut_ptr().cast::<u8>(), size_of_val(packets));
    let put = |(packet, item): (&mut abreast_packet, &Item)| {
        let over = |place: Place, len: usize| {
            (place.odd == OVER_ARRAY && (1..=size).contains(&len))
                .then(|| array.wrapping_add(usize::from(place.at) * 8 % (size - len + 1)))
        };
        let output = over(item.output, packet.len).filter(|_| !packet.output.is_null());
        let tag = over(item.tag, packet.tag_len).filter(|_| !packet.tag.is_null() && !compares);
        (packet.output, packet.tag) = (output.unwrap_or(packet.output), tag.unwrap_or(packet.tag));
        output.is_some() || tag.is_some()
    };
    packets.iter_mut().zip(&case.packets).map(put).collect()
}

/// Encrypts messages whose packets are to have the right tag, and writes these tags.
fn encrypt(case: &Case, encrypt: (i32, Alone), packets: &[abreast_packet]) {
    for (packet, item) in packets.iter().zip(&case.packets) {
        // A packet that reads what the one before reads has its message.
        if (RIGHT..AS_BEFORE).contains(&item.tag.odd) && item.apart && item.iv.odd != AS_BEFORE {
            alone(encrypt, &abreast_packet { output: packet.input.cast_mut(), ..*packet });
        }
    }
}

/// The call for one message that is the same as a packet.
fn alone((operation, mode): (i32, Alone), packet: &abreast_packet) -> i32 {
    let abreast_packet { key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len, .. } = *packet;
    let key = key.cast_mut();
    // SAFETY: a key of the mode or NULL, and buffers that are in the memory, NULL, or of a length that is refused.
    unsafe {
        match mode {
            Alone::Aead(mode) => mode(key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len),
            Alone::Mac(mode) => mode(key, aad, aad_len, tag, tag_len),
            Alone::Verify(mode) => mode(key, aad, aad_len, tag, tag_len),
            Alone::Blocks | Alone::WithIv => {
                abreast_cipher_crypt(key, operation, iv, iv_len, input, output, len)
            }
            Alone::Xts(_) if iv_len != 16 => IV_LENGTH,
            Alone::Xts(mode) => mode(key, iv, len, input, output, len),
            Alone::Hctr2(mode) => mode(key, iv, iv_len, input, output, len),
        }
    }
}

/// Checks that a batch gives the results of single calls, byte by byte and status by status.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut random = Random::new(case.seed);
    let (kind, operation, mode) = pick(&MODES, case.mode);
    let which = usize::from(case.mode) % MODES.len();
    let compares = DECRYPT.contains(&which);
    let keys = case.ciphers.map(|cipher| Key::new(&mut random, cipher));
    let mut before = random.bytes(REGION * case.packets.len().min(MOST));
    if compares {
        let packets = describe(&case, &keys, (kind, mode), compares, before.as_mut_ptr());
        let (_, operation, mode) = MODES[which - 1];
        encrypt(&case, (operation, mode), &packets);
    }
    let [mut together, mut one_by_one] = [before.clone(), before.clone()];
    let mut packets = describe(&case, &keys, (kind, mode), compares, together.as_mut_ptr());
    let (count, size) = (packets.len(), size_of::<abreast_packet>());

    let given = match case.array {
        Array::Right => None,
        Array::Null => Some((null_mut(), count.max(1), size)),
        Array::Crooked => Some((packets.as_mut_ptr().wrapping_byte_add(1), count.max(1), size)),
        Array::Size(more @ 200..) => Some((packets.as_mut_ptr(), count, size + 8 * usize::from(more - 199))),
        Array::Size(less) => Some((packets.as_mut_ptr(), count, usize::from(less) % size)),
        Array::TooMany => Some((packets.as_mut_ptr(), usize::MAX / 8, size)),
    };
    if let Some((array, count, size)) = given {
        // SAFETY: what is no array of packets is refused before it is read.
        let status = unsafe { abreast_packets(operation, array, count, size) };
        assert!((NULL_POINTER..WRONG_KEY).contains(&status), "{:?}: status {status}", case.array);
        assert!(packets.iter().all(|packet| packet.status == -1), "{:?}: a status was written", case.array);
        return same(&together, &before, || format!("{:?}", case.array));
    }

    let none = pick(&NO_BATCH, case.ciphers[0]);
    // SAFETY: an array of so many packets, of which none is looked into but its status.
    let status = unsafe { abreast_packets(none, packets.as_mut_ptr(), count, size) };
    assert_eq!(status, OPERATION, "operation {none}");
    assert!(packets.iter().all(|packet| packet.status == NOT_PROCESSED), "operation {none}: a status");
    same(&together, &before, || format!("operation {none}"));
    packets.iter_mut().for_each(|packet| packet.status = -1);

    let over_array = put_over_array(&case, compares, &mut packets);
    let given = packets.clone();
    // SAFETY: an array of so many packets, whose buffers are in regions of their own, or over the array and refused.
    let status = unsafe { abreast_packets(operation, packets.as_mut_ptr(), count, size) };
    assert!(matches!(status, OK | BATCH), "status {status}");
    assert_eq!(status == OK, packets.iter().all(|packet| packet.status == OK), "status {status}");
    let again = describe(&case, &keys, (kind, mode), compares, one_by_one.as_mut_ptr());
    for (at, (packet, again)) in packets.iter().zip(&again).enumerate() {
        let what = || format!("packet {at} of {count}, mode {}, {again:?}", case.mode);
        assert_eq!(
            abreast_packet { status: -1, ..*packet },
            given[at],
            "{}: its descriptor was written",
            what()
        );
        let expected = if again.key == keys[0].of(wrong(kind)) {
            WRONG_KEY
        } else if over_array[at] {
            OVERLAP
        } else {
            alone((operation, mode), again)
        };
        assert!(!is_fault(packet.status), "{}: status {}", what(), packet.status);
        let region = at * REGION..(at + 1) * REGION;
        // A packet has one field for a tag that is written and one that is read, so that its tag has to be apart from
        // what is read even where it is read itself.
        if packet.status == OVERLAP && compares {
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

/// True if an argument was rejected and nothing was done. If several are wrong, the status may name any of them.
fn refused(status: i32) -> bool {
    status != OK && status != 13 && status != 19
}
