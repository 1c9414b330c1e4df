//! Many messages with a key each on a device, and many keys tried on one message.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::modes::Direction;
use abreast::rc4::Message;
use abreast_gpu::{
    Error, KeyedMessage, MOST_SKIPPED, Times, Wanted, rc4_apply_keys, rc4_try_keys, xtea_decrypt_many,
    xtea_encrypt_many, xtea_try_keys,
};

use super::{DeviceHandle, device, done};
use crate::buffers::{In, Out, Place, Places, Span, in_out};
use crate::handle::KeyPtr;
use crate::modes::operation::direction;
use crate::packets::{Described, Items, prepared};
use crate::rc4::{Rc4Message, message_of};
use crate::status::{Status, call};
use crate::xtea::order;

/// A message of a batch of XTEA, with a key of its own.
#[repr(C)]
#[derive(Debug)]
pub struct XteaMessage {
    /// The key, 16 bytes.
    pub key: In,
    /// The message.
    pub input: In,
    /// The place of the result: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both, whole blocks.
    pub len: usize,
    /// The result: a status.
    pub status: Cell<c_int>,
}

impl Described for XteaMessage {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.key.address()
    }
}

/// Returns a list that need not grow.
fn room_for<T>(count: usize) -> Result<Vec<T>, Status> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Status::OutOfMemory)?;
    Ok(list)
}

/// Does all items of an array in one call of the device, but those that `take` refuses.
fn at_once<'i, I: Described, M>(
    items: &'i [I],
    take: impl Fn(&'i I, Span) -> Result<M, Status>,
    run: impl FnOnce(&mut [M]) -> Result<Times, Error>,
) -> Result<(), Status> {
    let array = Span::of(items);
    let (mut taken, mut messages) = (room_for(items.len())?, room_for(items.len())?);
    for item in items {
        match take(item, array) {
            Ok(message) => {
                messages.push(message);
                taken.push(item);
            }
            Err(status) => item.status().set(status as c_int),
        }
    }
    let ran = done(run(&mut messages));
    for item in &taken {
        item.status().set(ran.err().unwrap_or(Status::Ok) as c_int);
    }
    ran?;
    if taken.len() == items.len() { Ok(()) } else { Err(Status::Batch) }
}

/// Encrypts or decrypts many messages by XTEA with 32 cycles on a device, block by block (ECB), each message under a key of its
/// own.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. big_endian: as for abreast_xtea_new.
/// message_size: sizeof(struct abreast_xtea_message).
///
/// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_PARTIAL_BLOCK. The statuses of devices
/// if the device failed, in all messages that were not refused: none of them is done then, and those in place are unchanged.
/// The call allocates.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xtea_apply_keys(
    device: KeyPtr<DeviceHandle>,
    direction: c_int,
    big_endian: c_int,
    messages: Items<XteaMessage>,
    count: usize,
    message_size: usize,
) -> c_int {
    call(|| {
        let items = prepared(&messages, count, message_size)?;
        let (gpu, direction) = (self::device(&device)?, self::direction(direction)?);
        at_once(items, xtea_message, |messages| match direction {
            Direction::Encrypt => xtea_encrypt_many(gpu, order(big_endian), messages),
            Direction::Decrypt => xtea_decrypt_many(gpu, order(big_endian), messages),
        })
    })
}

fn xtea_message(message: &XteaMessage, array: Span) -> Result<KeyedMessage<'_, '_, '_>, Status> {
    let key = message.key.array()?;
    let buffer = in_out(&message.input, &message.output, message.len, &[array, Span::of(key)])?;
    // One that is refused would keep the others from being done.
    if !message.len.is_multiple_of(8) {
        return Err(Status::PartialBlock);
    }
    Ok(KeyedMessage { key, buffer })
}

/// Does as abreast_rc4_apply_keys on a device. RC4 on a device is as broken as elsewhere.
///
/// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_KEY_LENGTH, or
/// ABREAST_DEVICE_UNSUPPORTED if more than 2^20 bytes of keystream are to be left out. The statuses of devices as for
/// abreast_device_xtea_apply_keys. The call allocates.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_rc4_apply_keys(
    device: KeyPtr<DeviceHandle>,
    messages: Items<Rc4Message>,
    count: usize,
    message_size: usize,
) -> c_int {
    call(|| {
        let items = prepared(&messages, count, message_size)?;
        let gpu = self::device(&device)?;
        at_once(items, rc4_message, |messages| rc4_apply_keys(gpu, messages))
    })
}

fn rc4_message(message: &Rc4Message, array: Span) -> Result<Message<'_, '_, '_>, Status> {
    if message.skip > MOST_SKIPPED {
        return Err(Status::DeviceUnsupported);
    }
    message_of(message, array)
}

/// The data that many keys are tried on, as C describes it.
struct Trial<'c> {
    ciphertext: &'c [u8],
    wanted: Wanted<'c>,
}

/// Tries keys and writes the positions of those that fit, as many as there is room for, and how many there are.
fn trial(
    keys: &[u8],
    [ciphertext, text, mask]: [&In; 3],
    [len, text_len]: [usize; 2],
    found: &Places<usize>,
    room: usize,
    found_count: &Place<usize>,
    run: impl FnOnce(&Trial<'_>) -> Result<Vec<usize>, Error>,
) -> Result<(), Status> {
    let (ciphertext, text) = (ciphertext.bytes(len)?, text.bytes(text_len)?);
    let mask = if mask.address().is_null() { None } else { Some(mask.bytes(text_len)?) };
    let read = [Span::of(keys), Span::of(ciphertext), Span::of(text), Span::of(mask.unwrap_or_default())];
    let places = found.get(room, &read)?;
    let [a, b, c, d] = read;
    let count = found_count.get(&[a, b, c, d, Span::of(places)])?;
    count.write(0);
    let wanted = mask.map_or(Wanted::beginning(text), |mask| Wanted::masked(text, mask));
    let fitting = run(&Trial { ciphertext, wanted })?;
    for (place, position) in places.iter_mut().zip(&fitting) {
        place.write(*position);
    }
    count.write(fitting.len());
    Ok(())
}

/// `count` keys of a length, one after the other.
fn keys_of(keys: &In, count: usize, len: usize) -> Result<&[u8], Status> {
    keys.bytes(count.checked_mul(len).ok_or(Status::Length)?)
}

/// Tries many keys of XTEA with 32 cycles on one ciphertext, on a device: which of them decrypt it (ECB) to a plaintext that
/// begins so? The device tells which these are, and the CPU tries each of them again.
///
/// keys: count of them, 16 bytes each, one after the other. big_endian: as for abreast_xtea_new.
/// ciphertext: len bytes, whole blocks, 64 at most.
/// text: text_len bytes with which the plaintext has to begin. mask: NULL, or text_len bytes, of which the bits that are 1 say
/// which bits of text count.
/// found: where the positions of these keys go, in their order, room of them at most. found_count: how many keys fit, which
/// may be more than there was room for.
///
/// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG, the statuses of devices: then no key was found.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xtea_try_keys(
    device: KeyPtr<DeviceHandle>,
    big_endian: c_int,
    keys: In,
    count: usize,
    ciphertext: In,
    len: usize,
    text: In,
    mask: In,
    text_len: usize,
    found: Places<usize>,
    room: usize,
    found_count: Place<usize>,
) -> c_int {
    call(|| {
        let (gpu, keys) = (self::device(&device)?, keys_of(&keys, count, 16)?);
        let texts = [&ciphertext, &text, &mask];
        trial(keys, texts, [len, text_len], &found, room, &found_count, |trial| {
            let keys = keys.as_chunks().0;
            xtea_try_keys(gpu, order(big_endian), keys, trial.ciphertext, &trial.wanted)
        })
    })
}

/// Tries many keys of RC4 on one ciphertext, as abreast_device_xtea_try_keys does.
///
/// keys: count of them, key_len bytes each, 1 to 256. skip: how many bytes of keystream are left out in front, 2^20 at most.
/// ciphertext: len bytes, 64 at most. The other arguments are those of abreast_device_xtea_try_keys.
///
/// ABREAST_KEY_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_DEVICE_UNSUPPORTED if skip is more, the statuses of devices: then no
/// key was found.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_rc4_try_keys(
    device: KeyPtr<DeviceHandle>,
    keys: In,
    key_len: usize,
    count: usize,
    skip: u64,
    ciphertext: In,
    len: usize,
    text: In,
    mask: In,
    text_len: usize,
    found: Places<usize>,
    room: usize,
    found_count: Place<usize>,
) -> c_int {
    call(|| {
        let gpu = self::device(&device)?;
        if !(1..=256).contains(&key_len) {
            return Err(Status::KeyLength);
        }
        let keys = keys_of(&keys, count, key_len)?;
        let texts = [&ciphertext, &text, &mask];
        trial(keys, texts, [len, text_len], &found, room, &found_count, |trial| {
            let keys: Vec<&[u8]> = keys.chunks_exact(key_len).collect();
            rc4_try_keys(gpu, &keys, skip, trial.ciphertext, &trial.wanted)
        })
    })
}
