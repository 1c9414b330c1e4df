//! OpenCL where it is not installed as OpenCL wants it: the drivers of NVIDIA in containers.
//!
//! An OpenCL loader finds drivers by files in `/etc/OpenCL/vendors`. Containers with NVIDIA's driver often have the library
//! and not that file. The loader itself, `libOpenCL.so.1`, may be CUDA's, in a folder that is not searched.

#![allow(unsafe_code, reason = "the environment of the process is changed")]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cache::make_private;

/// NVIDIA's driver.
const DRIVER: &str = "libnvidia-opencl.so.1";
/// The loader.
const LOADER: &str = "libOpenCL.so.1";
/// The folder of the files that name drivers to the loader.
const VENDORS: &str = "/etc/OpenCL/vendors";
/// The variable that names another such folder to the loader.
const VENDORS_VARIABLE: &str = "OCL_ICD_VENDORS";
/// The variable that names another loader to the crate that calls it.
const LOADER_VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// Folders of libraries: of the system, and those in which containers have the driver.
const FOLDERS: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/nvidia",
    "/usr/lib64/nvidia",
];
/// Folders of CUDA's libraries.
const OF_CUDA: [&str; 2] = ["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"];

/// Points OpenCL to NVIDIA's driver, if it is installed but not named to the loader, by a file in `folder` beside copies of
/// the files that name other drivers; and to the loader of CUDA, if there is no other. That takes environment variables,
/// which this sets for the process; those that the caller has set stay unchanged. Call it before anything else of this
/// crate.
///
/// It does nothing where all is in place, and where the process has more than one thread or that cannot be found
/// out: another thread could be reading the environment. Returns true if it has set anything.
///
/// ```no_run
/// use abreast_gpu::{find_device, find_drivers};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     // First of all, while the process has one thread.
///     find_drivers(&std::env::temp_dir().join("opencl-vendors"))?;
///     println!("{}", find_device(None)?.name());
///     Ok(())
/// }
/// ```
///
/// # Errors
/// If the folder cannot be written.
pub fn find_drivers(folder: &Path) -> io::Result<bool> {
    if !is_alone() {
        return Ok(false);
    }
    let on_path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&on_path).chain(FOLDERS.map(PathBuf::from)).collect();
    let mut found = false;
    if env::var_os(LOADER_VARIABLE).is_none()
        && library(LOADER, &folders).is_none()
        && let Some(loader) = library(LOADER, &OF_CUDA.map(PathBuf::from))
    {
        set_variable(LOADER_VARIABLE, loader.into_os_string());
        found = true;
    }
    if env::var_os(VENDORS_VARIABLE).is_none()
        && let Some(vendors) = name_driver(Path::new(VENDORS), &folders, folder)?
    {
        set_variable(VENDORS_VARIABLE, vendors.into_os_string());
        found = true;
    }
    Ok(found)
}

/// Makes a folder that names NVIDIA's driver and all that `vendors` names, if that does not name the driver and it is in one of
/// the folders.
fn name_driver(vendors: &Path, folders: &[PathBuf], private: &Path) -> io::Result<Option<PathBuf>> {
    let mut named = Vec::new();
    // Without the folder no driver is named.
    for entry in fs::read_dir(vendors).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if text.contains("libnvidia-opencl") {
            return Ok(None);
        }
        if path.extension().is_some_and(|extension| extension == "icd") {
            named.push((entry.file_name(), text));
        }
    }
    let Some(driver) = library(DRIVER, folders) else { return Ok(None) };
    make_private(private)?;
    let line = format!("{}\n", driver.display());
    for (name, text) in named.into_iter().chain([("nvidia.icd".into(), line)]) {
        // Another process may read it at the same time.
        let file = tempfile::NamedTempFile::new_in(private)?;
        fs::write(file.path(), text)?;
        file.persist(private.join(name))?;
    }
    Ok(Some(private.to_owned()))
}

/// Returns the first file of that name in the folders.
fn library(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// True if this is the only thread of the process.
fn is_alone() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

/// Sets an environment variable of a process with one thread.
fn set_variable(name: &str, value: OsString) {
    assert!(is_alone(), "the environment is changed with one thread only");
    // SAFETY: there is no other thread that could be reading the environment or changing it, which was just looked at; none
    // can have begun since, as only this thread could have started it.
    unsafe { env::set_var(name, value) };
}
