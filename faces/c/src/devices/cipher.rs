//! Keys on a device, and messages in the modes that devices have.

use std::ffi::c_int;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::Direction;
use abreast_gpu::{Cipher as OnDevice, Costs, Error, Stopped, Times, Xts};

use super::{DeviceHandle, OPENCL, device};
use crate::buffers::{In, Out, Place, Span, in_out};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::modes::operation::Operation;
use crate::names::Text;
use crate::status::{Status, call};

/// The device or the CPU, whichever is faster for a message.
const AUTO: &str = "auto";

/// A handle of a key of a block cipher on a device.
pub type DeviceCipherHandle = Handle<OnDevice>;

impl Kind for OnDevice {
    const KIND: u32 = 0xab12_dec1;
}

/// A handle of a pair of keys in XTS on a device.
pub type DeviceXtsHandle = Handle<Xts>;

impl Kind for Xts {
    const KIND: u32 = 0xab12_de75;
}

/// The algorithm of a name, for which the key has to have the right length.
fn algorithm(name: &Text, key_len: usize) -> Result<Algorithm, Status> {
    let algorithm = Algorithm::from_name(name.need()?).ok_or(Status::UnknownCipher)?;
    if key_len == algorithm.key_len() { Ok(algorithm) } else { Err(Status::KeyLength) }
}

/// The costs by which the CPU works too, if a kernel is to be chosen for each message.
fn costs(
    kernel: &Text,
    handle: &KeyPtr<DeviceHandle>,
    algorithm: Algorithm,
) -> Result<Option<Costs>, Status> {
    match kernel.get() {
        None | Some(OPENCL) => Ok(None),
        Some(AUTO) => Ok(Some(Costs::of(device(handle)?, algorithm)?)),
        Some(_) => Err(Status::UnknownKernel),
    }
}

/// Prepares a key of a block cipher on a device.
///
/// name, key, key_len: as for abreast_cipher_new.
/// kernel: "opencl" or NULL to have the device do all whole blocks. "auto" to have each call done by the device or by one
/// thread of the CPU, whichever is expected to be faster for its length; if the device fails, the CPU does the rest. The
/// expected times follow from constants that are measured when the first such key is made, in about a second, and kept in the
/// cache of the device.
///
/// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH; ABREAST_DEVICE_KERNELS,
/// ABREAST_DEVICE_WRONG_RESULT and the other statuses of devices if the device cannot do it.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_cipher_new(
    device: KeyPtr<DeviceHandle>,
    name: Text,
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut DeviceCipherHandle>,
) -> c_int {
    make_alone(&cipher, || {
        let (gpu, key) = (self::device(&device)?, key.bytes(key_len)?);
        let algorithm = algorithm(&name, key_len)?;
        let costs = costs(&kernel, &device, algorithm)?;
        let cipher = OnDevice::new(gpu, algorithm, key)?;
        Ok(costs.into_iter().fold(cipher, OnDevice::with_costs))
    })
}

/// Frees a handle, and wipes the key on the device. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_cipher_free(cipher: FreedKeyPtr<DeviceCipherHandle>) {
    release(&cipher);
}

/// Why a call ended, and how many bytes from the beginning are done.
struct Ended(Status, usize);

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        Self(status, 0)
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self(error.into(), 0)
    }
}

impl From<Stopped> for Ended {
    fn from(Stopped { error, done }: Stopped) -> Self {
        Self(error.into(), done)
    }
}

/// Runs with the buffers of a call, and writes how many bytes from the beginning are done where that is asked for.
fn message(
    input: &In,
    output: &Out,
    len: usize,
    other: Span,
    done: &Place<usize>,
    run: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<Times, Ended>,
) -> Result<(), Status> {
    let io = in_out(input, output, len, &[other])?;
    let mut done = done.wanted(&[other, input.span(len)?, output.span(len)?])?;
    let mut tell = |bytes: usize| {
        if let Some(place) = &mut done {
            place.write(bytes);
        }
    };
    // Also if there is a panic.
    tell(0);
    let ended = run(io).err().unwrap_or(Ended(Status::Ok, len));
    tell(ended.1);
    if ended.0 == Status::Ok { Ok(()) } else { Err(ended.0) }
}

/// Encrypts or decrypts a message in one call, on the device. It may be longer than the memory of the device.
///
/// operation, iv, input, output, len: as for abreast_cipher_crypt, which gives the same. Devices have ABREAST_ECB_ENCRYPT,
/// ABREAST_ECB_DECRYPT and ABREAST_CTR16 to ABREAST_CTR128.
/// done: where to write the number of bytes of output, from the beginning, that are done; or NULL. With ABREAST_OK that is len.
/// With the statuses of devices it may be less; the other bytes are unchanged, and abreast_cipher_crypt can go on from there.
/// done is not written if a pointer is invalid, or a length is more than any buffer can have.
///
/// ABREAST_OPERATION and the other statuses of abreast_cipher_crypt: then nothing was done. ABREAST_DEVICE_WRONG_RESULT,
/// ABREAST_DEVICE_LOST, ABREAST_DEVICE_TIMED_OUT, ABREAST_DEVICE_DROPPED, ABREAST_DEVICE_MEMORY: not if the kernel is "auto".
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_cipher_crypt(
    cipher: KeyPtr<DeviceCipherHandle>,
    operation: c_int,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
    done: Place<usize>,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let cipher = &cipher.get()?.key;
        message(&input, &output, len, Span::of(iv), &done, |io| match Operation::of(operation)? {
            Operation::EcbEncrypt | Operation::EcbDecrypt if !iv.is_empty() => Err(Status::IvLength.into()),
            Operation::EcbEncrypt => Ok(cipher.encrypt_raw_blocks(io)?),
            Operation::EcbDecrypt => Ok(cipher.decrypt_raw_blocks(io)?),
            other => {
                let width = other.counter_width().ok_or(Status::Operation)?;
                Ok(cipher.ctr(iv, width)?.apply(io)?)
            }
        })
    })
}

/// Prepares a pair of keys in XTS on a device, of a cipher with blocks of 128 bits.
///
/// data, tweak: the two keys, key_len bytes each. name, kernel: as for abreast_device_cipher_new.
///
/// ABREAST_EQUAL_KEYS, ABREAST_BLOCK_LENGTH, and the statuses of abreast_device_cipher_new.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xts_new(
    device: KeyPtr<DeviceHandle>,
    name: Text,
    data: In,
    tweak: In,
    key_len: usize,
    kernel: Text,
    xts: Place<*mut DeviceXtsHandle>,
) -> c_int {
    make_alone(&xts, || {
        let gpu = self::device(&device)?;
        let (data, tweak) = (data.bytes(key_len)?, tweak.bytes(key_len)?);
        let algorithm = algorithm(&name, key_len)?;
        if algorithm.block_size() != 16 {
            return Err(Status::BlockLength);
        }
        let costs = costs(&kernel, &device, algorithm)?;
        let xts = Xts::new(gpu, algorithm, data, tweak)?;
        Ok(costs.into_iter().fold(xts, Xts::with_costs))
    })
}

/// Frees a handle, and wipes the keys on the device. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xts_free(xts: FreedKeyPtr<DeviceXtsHandle>) {
    release(&xts);
}

fn units(
    xts: &KeyPtr<DeviceXtsHandle>,
    direction: Direction,
    first: &In,
    unit: usize,
    input: &In,
    output: &Out,
    len: usize,
    done: &Place<usize>,
) -> Result<(), Status> {
    let first = first.array()?;
    let xts = &xts.get()?.key;
    let number = u128::from_le_bytes(*first);
    message(input, output, len, Span::of(first), done, |io| match direction {
        // As `abreast_xts_encrypt` has it.
        _ if len == 0 => Err(Status::UnitLength.into()),
        Direction::Encrypt => Ok(xts.encrypt_units(number, unit, io)?),
        Direction::Decrypt => Ok(xts.decrypt_units(number, unit, io)?),
    })
}

/// Encrypts data units with consecutive numbers on the device, as abreast_xts_encrypt does, whose arguments it has. done: as
/// for abreast_device_cipher_crypt.
///
/// ABREAST_DEVICE_UNSUPPORTED if unit is no whole number of blocks and the kernel is not "auto"; the last unit may end within
/// a block in any case. ABREAST_UNIT_LENGTH as there, and the statuses of abreast_device_cipher_crypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xts_encrypt(
    xts: KeyPtr<DeviceXtsHandle>,
    first: In,
    unit: usize,
    input: In,
    output: Out,
    len: usize,
    done: Place<usize>,
) -> c_int {
    call(|| units(&xts, Direction::Encrypt, &first, unit, &input, &output, len, &done))
}

/// Decrypts data units; the inverse of abreast_device_xts_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_xts_decrypt(
    xts: KeyPtr<DeviceXtsHandle>,
    first: In,
    unit: usize,
    input: In,
    output: Out,
    len: usize,
    done: Place<usize>,
) -> c_int {
    call(|| units(&xts, Direction::Decrypt, &first, unit, &input, &output, len, &done))
}
