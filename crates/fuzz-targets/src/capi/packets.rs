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

/// Values of `odd` of any buffer: NULL, and a length that no buffer can have.
const NOWHERE: u8 = 255;
const ENDLESS: u8 = 254;
/// Of an output, or a tag that is written: over the array of descriptors.
const OVER_ARRAY: u8 = 253;
/// Of an IV: all that is only read is that of the packet before, its tag too where tags are compared.
const AS_BEFORE: u8 = 252;
/// Of a tag that is compared, from here to `AS_BEFORE`: the right one, of a message that was encrypted.
const RIGHT: u8 = 240;

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
fn describe(
    case: &Case,
    keys: &[Key],
    (kind, mode): (Keys, Alone),
    compares: bool,
    memory: *mut u8,
) -> Vec<Packet> {
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
        Packet { key, iv, iv_len, aad, aad_len, input, output, len, tag, tag_len, status: -1 }
    };
    let items: Vec<&Item> = case.packets.iter().take(MOST).collect();
    let mut packets: Vec<Packet> = items.iter().copied().enumerate().map(packet).collect();
    for at in 1..packets.len() {
        let (before, own) = (packets[at - 1], packets[at]);
        // What one of the two writes has to be apart from what both read.
        let apart = |item: &Item| item.apart && !item.in_place;
        if items[at].iv.odd == AS_BEFORE && apart(items[at]) && apart(items[at - 1]) {
            let (tag, tag_len) = if compares { (before.tag, before.tag_len) } else { (own.tag, own.tag_len) };
            packets[at] = Packet { output: own.output, tag, tag_len, ..before };
        }
    }
    packets
}

/// The keys of another kind of batch.
fn wrong(kind: Keys) -> Keys {
    if kind == Keys::Eax { Keys::Cmac } else { Keys::Eax }
}

/// Moves outputs to where the descriptors are, as far as there is one to be moved, and tells of which packets.
fn put_over_array(case: &Case, compares: bool, packets: &mut [Packet]) -> Vec<bool> {
    let (array, size) = (packets.as_mut_ptr().cast::<u8>(), size_of_val(packets));
    let put = |(packet, item): (&mut Packet, &Item)| {
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
fn encrypt(case: &Case, encrypt: Alone, packets: &[Packet]) {
    for (packet, item) in packets.iter().zip(&case.packets) {
        // A packet that reads what the one before reads has its message.
        if (RIGHT..AS_BEFORE).contains(&item.tag.odd) && item.apart && item.iv.odd != AS_BEFORE {
            alone(encrypt, &Packet { output: packet.input.cast_mut(), ..*packet });
        }
    }
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
    let which = usize::from(case.mode) % MODES.len();
    let compares = DECRYPT.contains(&which);
    let keys = case.ciphers.map(|cipher| Key::new(&mut random, cipher));
    let mut before = random.bytes(REGION * case.packets.len().min(MOST));
    if compares {
        let packets = describe(&case, &keys, (kind, mode), compares, before.as_mut_ptr());
        encrypt(&case, MODES[which - 1].2, &packets);
    }
    let [mut together, mut one_by_one] = [before.clone(), before.clone()];
    let mut packets = describe(&case, &keys, (kind, mode), compares, together.as_mut_ptr());
    let (count, size) = (packets.len(), size_of::<Packet>());

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
        let status = unsafe { batch(array, count, size) };
        assert!((NULL_POINTER..WRONG_KEY).contains(&status), "{:?}: status {status}", case.array);
        assert!(packets.iter().all(|packet| packet.status == -1), "{:?}: a status was written", case.array);
        return same(&together, &before, || format!("{:?}", case.array));
    }

    let over_array = put_over_array(&case, compares, &mut packets);
    let given = packets.clone();
    // SAFETY: an array of so many packets, whose buffers are in regions of their own, or over the array and refused.
    let status = unsafe { batch(packets.as_mut_ptr(), count, size) };
    assert!(matches!(status, OK | BATCH), "status {status}");
    assert_eq!(status == OK, packets.iter().all(|packet| packet.status == OK), "status {status}");
    let again = describe(&case, &keys, (kind, mode), compares, one_by_one.as_mut_ptr());
    for (at, (packet, again)) in packets.iter().zip(&again).enumerate() {
        let what = || format!("packet {at} of {count}, mode {}, {again:?}", case.mode);
        assert_eq!(Packet { status: -1, ..*packet }, given[at], "{}: its descriptor was written", what());
        let expected = if again.key == keys[0].of(wrong(kind)) {
            WRONG_KEY
        } else if over_array[at] {
            OVERLAP
        } else {
            alone(mode, again)
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

/// Whether nothing was done because of an argument: where several are wrong, any of them may be named.
fn refused(status: i32) -> bool {
    status != OK && status != 13 && status != 19
}
