//! OpenCL devices: which there are, and one in use.
//!
//! The types of `abreast-gpu` have handles of their own and are no kernels of [`cipher`](crate::cipher): a call of a device
//! takes longer than most messages, may fail in the middle of one, and has three modes. The library of OpenCL is loaded by
//! the first call of this module; nothing of it is linked.

pub mod cipher;

pub mod batches;

use std::ffi::{c_char, c_int};
use std::ptr::null;
use std::sync::Arc;
use std::time::Duration;

use abreast_gpu::{Device, Error, Gpu, Options, Times, devices, find_device};

use crate::buffers::Place;
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::names::Text;
use crate::status::{Status, call};
use crate::texts::name_for_c;

/// The name of the kernel on a device.
const OPENCL: &str = "opencl";

/// A device in use, which ciphers on it keep.
#[derive(Debug)]
pub struct InUse(pub(crate) Arc<Gpu>);

/// A handle of a device in use.
pub type DeviceHandle = Handle<InUse>;

impl Kind for InUse {
    const KIND: u32 = 0xab12_de71;
}

/// The device of a handle, for one call.
pub(crate) fn device(handle: &KeyPtr<DeviceHandle>) -> Result<&Arc<Gpu>, Status> {
    Ok(&handle.get()?.key.0)
}

/// Returns the status of work on a device, without its times.
pub(crate) fn done(result: Result<Times, Error>) -> Result<(), Status> {
    result.map(drop).map_err(Status::from)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::NoLibrary => Self::NoOpencl,
            Error::NoDevice => Self::NoDevice,
            Error::Name { .. } => Self::DeviceName,
            Error::Unsuitable { .. } => Self::DeviceUnsuitable,
            Error::Build { .. } => Self::DeviceKernels,
            Error::WrongResult { .. } => Self::DeviceWrongResult,
            Error::OutOfMemory => Self::DeviceMemory,
            Error::Lost { .. } | Error::Call { .. } => Self::DeviceLost,
            Error::TimedOut { .. } => Self::DeviceTimedOut,
            Error::Dropped => Self::DeviceDropped,
            Error::Unsupported(_) => Self::DeviceUnsupported,
            Error::Cipher(error) => error.into(),
            _ => Self::Other,
        }
    }
}

/// An OpenCL device.
#[repr(C)]
#[derive(Debug)]
pub struct DeviceInfo {
    /// Its name, as its driver has it: abreast_device_new takes it, or a part of it.
    pub name: *const c_char,
    /// "GPU", "accelerator" or "CPU". On a CPU device, such as that of PoCL, everything works; the kernels of
    /// abreast_kernel_at are faster there.
    pub kind: *const c_char,
    /// The version of its driver.
    pub driver: *const c_char,
    /// The name of the kernels on it, for abreast_device_cipher_new: "opencl".
    pub kernel: *const c_char,
    /// Why it cannot be used, in one sentence; NULL if it can.
    pub unusable: *const c_char,
    /// Bytes of its memory.
    pub memory: u64,
}

/// Describes an OpenCL device by its number, from 0, GPUs first. The strings are there for good.
///
/// info_size: sizeof(struct abreast_device_info).
///
/// ABREAST_NO_OPENCL if there is no OpenCL library on this machine; ABREAST_NO_DEVICE if there is no device of this number,
/// which ends a loop over all.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_at(index: usize, info: Place<DeviceInfo>, info_size: usize) -> c_int {
    call(|| {
        if info_size != size_of::<DeviceInfo>() {
            return Err(Status::StructSize);
        }
        let info = info.get(&[])?;
        let devices = devices()?;
        let device = devices.get(index).ok_or(Status::NoDevice)?;
        info.write(DeviceInfo {
            name: name_for_c(device.name()),
            kind: name_for_c(&device.kind().to_string()),
            driver: name_for_c(device.driver()),
            kernel: name_for_c(OPENCL),
            unusable: device.check().err().map_or(null(), |error| name_for_c(&error.to_string())),
            memory: device.memory(),
        });
        Ok(())
    })
}

/// The device of a name, or the first that can be used.
fn chosen(name: Option<&str>) -> Result<Device, Status> {
    match name {
        // Names that are not UTF-8 come as this, too.
        Some("") => return Err(Status::DeviceName),
        Some(_) => return Ok(find_device(name)?),
        None => {}
    }
    let mut devices = devices()?;
    let usable = devices.iter().position(|device| device.check().is_ok()).unwrap_or(0);
    Ok(devices.swap_remove(usable))
}

/// Takes an OpenCL device into use. It may be used by several threads at once, which take turns.
///
/// name: NULL for the first that can be used, or a name that abreast_device_at gives, or a part of one, whatever the case; not
/// an empty one.
/// cache: a folder for compiled kernels and measured constants, which is made if it is not there; whoever may write to it can
/// have the device run what they like. NULL, or an empty name, to keep nothing: then kernels are compiled anew in each
/// process.
/// time_limit: the milliseconds to wait for each copy and each kernel run, of some 16 MiB, before the device is given up
/// (ABREAST_DEVICE_TIMED_OUT); 0 for five minutes.
///
/// Kernels are compiled, and tested against the CPU, when the first key for them is made: that takes from some tenths of a
/// second to some seconds, and time_limit does not apply to it.
///
/// A device is of the process that took it into use. In a child of fork, calls on it give ABREAST_DEVICE_DROPPED, or go to the
/// CPU if the kernel is "auto"; the child takes the device into use anew. One that let the limit pass may still be at work
/// when it is taken into use again, and let it pass again.
///
/// ABREAST_NO_OPENCL, ABREAST_NO_DEVICE, ABREAST_DEVICE_NAME, ABREAST_DEVICE_UNSUITABLE, ABREAST_DEVICE_MEMORY,
/// ABREAST_DEVICE_LOST, ABREAST_DEVICE_TIMED_OUT.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_new(
    name: Text,
    cache: Text,
    time_limit: u32,
    device: Place<*mut DeviceHandle>,
) -> c_int {
    make_alone(&device, || {
        let mut options = Options { cache: cache.path(), ..Options::default() };
        if time_limit > 0 {
            options.time_limit = Duration::from_millis(time_limit.into());
        }
        Ok(InUse(Gpu::open(&chosen(name.get())?, &options)?))
    })
}

/// Frees a handle. The device is given back when no key on it is there any more. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_device_free(device: FreedKeyPtr<DeviceHandle>) {
    release(&device);
}
