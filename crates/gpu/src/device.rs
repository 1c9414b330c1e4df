//! The devices of this machine.

#![allow(
    unsafe_code,
    reason = "handles of OpenCL are pointers, of which the compiler does not know that threads may share them"
)]

use core::fmt;
use std::sync::{Mutex, PoisonError};

use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device as Described};
use opencl3::error_codes::ClError;
use opencl3::platform::get_platforms;
use opencl3::types::cl_device_id;

use crate::Error;

/// The kind of a device.
///
/// ```
/// use abreast_gpu::DeviceKind;
///
/// // In the order in which devices are listed.
/// let mut kinds = [DeviceKind::Cpu, DeviceKind::Gpu, DeviceKind::Accelerator];
/// kinds.sort();
/// assert_eq!(kinds.map(|kind| kind.to_string()), ["GPU", "accelerator", "CPU"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A GPU.
    Gpu,
    /// An accelerator, or a device of no other kind.
    Accelerator,
    /// A CPU: OpenCL on it is for tests. The kernels of the library `abreast` are faster there.
    Cpu,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Gpu => "GPU",
            Self::Accelerator => "accelerator",
            Self::Cpu => "CPU",
        })
    }
}

/// A device and its description.
///
/// ```
/// for device in abreast_gpu::devices().unwrap_or_default() {
///     let (vendor, units, clock) = (device.vendor(), device.compute_units(), device.megahertz());
///     println!("{} of {vendor}: {units} units, up to {clock} MHz", device.name());
///     if let Err(error) = device.check() {
///         println!("  {error}");
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) id: cl_device_id,
    name: String,
    vendor: String,
    driver: String,
    platform: String,
    kind: DeviceKind,
    memory: u64,
    compute_units: u32,
    megahertz: u32,
}

// SAFETY: the number of a device is a handle that OpenCL lets any thread use (section 2.4 of OpenCL 3.0: all calls but
// `clSetKernelArg` are safe in threads), and devices that are no parts of others are never released.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    fn describe(id: cl_device_id, platform: &str) -> Result<Self, ClError> {
        let device = Described::new(id);
        let kind = match device.dev_type()? {
            kind if kind & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
            kind if kind & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
            _ => DeviceKind::Accelerator,
        };
        Ok(Self {
            id,
            name: device.name()?.trim().to_owned(),
            vendor: device.vendor()?.trim().to_owned(),
            driver: device.driver_version()?.trim().to_owned(),
            platform: platform.to_owned(),
            kind,
            memory: device.global_mem_size()?,
            compute_units: device.max_compute_units()?,
            megahertz: device.max_clock_frequency()?,
        })
    }

    /// Checks that the device can run the kernels.
    ///
    /// # Errors
    /// [`Error::Unsuitable`], which names the missing feature; [`Error::Call`].
    pub fn check(&self) -> Result<(), Error> {
        let device = Described::new(self.id);
        let lacks = |lacks| Err(Error::Unsuitable { device: self.name.clone(), lacks });
        if !device.available().map_err(Error::of_call)? {
            return lacks("it is not available");
        }
        if !device.compiler_available().map_err(Error::of_call)? {
            return lacks("it has no compiler");
        }
        if !device.endian_little().map_err(Error::of_call)? {
            return lacks("it is big-endian");
        }
        Ok(())
    }

    /// Returns its name, as its driver has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of its vendor.
    #[must_use]
    pub fn vendor(&self) -> &str {
        &self.vendor
    }

    /// Returns the version of its driver.
    #[must_use]
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Returns the kind of the device.
    #[must_use]
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// Returns the size of its memory in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns the number of its compute units: multiprocessors of NVIDIA, cores of a CPU.
    #[must_use]
    pub fn compute_units(&self) -> u32 {
        self.compute_units
    }

    /// Returns the highest clock of its compute units, in MHz.
    #[must_use]
    pub fn megahertz(&self) -> u32 {
        self.megahertz
    }

    /// Returns the identity of the device and its driver, under which their binaries and costs are kept.
    pub(crate) fn fingerprint(&self) -> String {
        [&self.platform, &self.vendor, &self.name, &self.driver]
            .map(|part| part.replace('\n', " "))
            .join("\n")
    }
}

/// Lists the devices of this machine, GPUs first; each kind in the order of the drivers. `CL_DEVICE_TYPE_CPU` devices, such as
/// those of PoCL, are among them.
///
/// ```
/// match abreast_gpu::devices() {
///     Ok(devices) => {
///         for device in devices {
///             println!("{} ({}): {} MiB, {}", device.name(), device.kind(), device.memory() >> 20, device.driver());
///         }
///     }
///     // There is no OpenCL library, or no device.
///     Err(error) => println!("{error}"),
/// }
/// ```
///
/// # Errors
/// [`Error::NoLibrary`] if there is no OpenCL library, [`Error::NoDevice`] if there is one and no device.
pub fn devices() -> Result<Vec<Device>, Error> {
    // Loaders look for drivers in the first call; ocl-icd tells a second thread meanwhile that there are none.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut devices = Vec::new();
    for platform in get_platforms().map_err(Error::of_call)? {
        let name = platform.name().unwrap_or_default();
        // A driver without a device, and one that fails, leave the devices of others as they are.
        let ids = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        devices.extend(ids.into_iter().filter_map(|id| Device::describe(id, &name).ok()));
    }
    devices.sort_by_key(Device::kind);
    if devices.is_empty() { Err(Error::NoDevice) } else { Ok(devices) }
}

/// Returns the device of a name or of a part of it, whatever the case of ASCII letters; without one, the first of [`devices`].
///
/// ```
/// use abreast_gpu::{Error, find_device};
///
/// match find_device(Some("a name that none has")) {
///     Ok(device) => unreachable!("{}", device.name()),
///     Err(Error::Name { asked, devices }) => println!("{asked:?} is none of {devices:?}"),
///     // There is no OpenCL library, or no device.
///     Err(error) => println!("{error}"),
/// }
/// ```
///
/// # Errors
/// The errors of [`devices`]; [`Error::Name`] if no device, or more than one, has such a name.
pub fn find_device(name: Option<&str>) -> Result<Device, Error> {
    let mut devices = devices()?;
    let Some(name) = name else { return Ok(devices.swap_remove(0)) };
    let wanted = name.to_ascii_lowercase();
    let exact = devices.iter().position(|device| device.name == name);
    let mut partial =
        (0..devices.len()).filter(|&at| devices[at].name.to_ascii_lowercase().contains(&wanted));
    let found = match (exact, partial.next(), partial.next()) {
        (Some(at), ..) | (None, Some(at), None) => Some(at),
        _ => None,
    };
    match found {
        Some(at) => Ok(devices.swap_remove(at)),
        None => {
            let devices = devices.iter().map(|device| device.name.clone()).collect();
            Err(Error::Name { asked: name.to_owned(), devices })
        }
    }
}
