//! Devices as the machine has them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use abreast_gpu::{Costs, Device, Error, Gpu, Options, find_device};

use super::DeviceRow;
use crate::cache;
use crate::failure::{Exit, Failure};

/// The note at every figure of a device that is no GPU.
pub const NO_GPU: &str = "a CPU device: no figure of a GPU";

/// Returns the folder for compiled programs and measurements.
fn cache_folder() -> Option<PathBuf> {
    Some(cache::folder()?.join("opencl"))
}

/// Makes drivers known that the loader does not find on its own. It must be called while there is one thread.
pub fn find_drivers() {
    if let Some(folder) = cache_folder() {
        // If the folder cannot be written, the known drivers must suffice.
        let _ = abreast_gpu::find_drivers(&folder.join("vendors"));
    }
}

/// Takes a device into use: the one of a name or a part of it, or the first.
///
/// # Errors
///
/// Fails if there is no such device, or if it does not work.
pub fn open(name: Option<&str>) -> Result<Arc<Gpu>, Failure> {
    let device = find_device(name).map_err(failure)?;
    Gpu::open(&device, &Options { cache: cache_folder(), ..Options::default() }).map_err(failure)
}

/// Returns the failure of a program for one of a device.
#[must_use]
pub fn failure(error: Error) -> Failure {
    let exit = match error {
        Error::Name { .. } | Error::Unsupported(_) | Error::Cipher(_) => Exit::Usage,
        _ => Exit::Io,
    };
    Failure::plain(exit, error)
}

/// Returns the devices, or the reason why there is none.
pub(crate) fn devices() -> Result<Vec<DeviceRow>, String> {
    let devices = abreast_gpu::devices().map_err(|error| error.to_string())?;
    let folder = cache_folder();
    let row = |device: &Device| DeviceRow {
        name: device.name().into(),
        kind: device.kind().to_string(),
        memory: device.memory(),
        driver: device.driver().into(),
        pays: folder.as_ref().map_or(String::new(), |folder| pays(device, folder)),
    };
    Ok(devices.iter().map(row).collect())
}

/// Returns the bytes from which on a device is faster, by cipher, as far as that was measured.
fn pays(device: &Device, folder: &Path) -> String {
    let known = abreast::kernels::algorithms().iter().filter_map(|&algorithm| {
        let from = match Costs::known(device, folder, algorithm)?.crossover() {
            Some(bytes) => bytes.to_string(),
            None => "never".into(),
        };
        Some(format!("{} {from}", algorithm.name()))
    });
    match known.collect::<Vec<_>>() {
        known if known.is_empty() => "not measured: abreast-bench bench --device NAME".into(),
        known => known.join(", "),
    }
}
