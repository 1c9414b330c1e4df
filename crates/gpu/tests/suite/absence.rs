//! Machines without OpenCL, without a device, and with another process at the same time: in processes of their own, since
//! OpenCL looks for drivers once.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use abreast::kernels::Algorithm;
use abreast_gpu::{Cipher, Error, Gpu, Options, devices, find_device};

use crate::common::all_devices;

/// The variable that names the task of a process.
const TASK: &str = "ABREAST_GPU_CHILD";
/// The variable that names the folder of its cache.
const FOLDER: &str = "ABREAST_GPU_FOLDER";

/// The longest that a process may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Starts this program with a task.
fn start(task: &str, variables: &[(&str, &Path)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "absence::task_of_a_process_of_its_own"]).env(TASK, task);
    // The output shows why it failed; `--quiet` leaves out the lines of a success.
    command.envs(variables.iter().copied()).arg("--quiet").stdout(Stdio::inherit()).spawn().unwrap()
}

/// Waits for it, and kills it when the time is up.
fn succeeds(mut child: Child) -> bool {
    let end = Instant::now() + LIMIT;
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status.success(),
            None if Instant::now() > end => {
                child.kill().unwrap();
                child.wait().unwrap();
                return false;
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Not a test by itself: the task of the processes that the other tests start.
#[test]
fn task_of_a_process_of_its_own() {
    match env::var(TASK).as_deref() {
        Ok("no library") => {
            assert_eq!(devices().unwrap_err(), Error::NoLibrary);
            assert_eq!(find_device(Some("any")).unwrap_err(), Error::NoLibrary);
        }
        Ok("no device") => match devices() {
            // The loader of CUDA finds its driver without a file that names it.
            Ok(devices) => assert!(devices[0].vendor().contains("NVIDIA"), "{devices:?}"),
            Err(error) => assert_eq!(error, Error::NoDevice),
        },
        Ok("use") => {
            let options = Options::with_cache(Path::new(&env::var_os(FOLDER).unwrap()));
            for device in all_devices() {
                let gpu = Gpu::open(&device, &options).unwrap();
                for name in ["tea", "xtea"] {
                    Cipher::new(&gpu, Algorithm::from_name(name).unwrap(), &[0; 16]).unwrap();
                }
            }
        }
        Ok(other) => panic!("{other} is no task"),
        Err(_) => {}
    }
}

#[test]
fn without_a_library_or_a_device_there_is_an_error() {
    let nowhere = Path::new("/nonexistent");
    assert!(succeeds(start("no device", &[("OCL_ICD_VENDORS", nowhere)])));
    // A file that is no library is found in its place.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libOpenCL.so.1"), "").unwrap();
    assert!(succeeds(start("no library", &[("LD_LIBRARY_PATH", folder.path())])));
}

#[test]
fn processes_at_the_same_time_compile_what_all_can_use() {
    if all_devices().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let compiled = tempfile::tempdir().unwrap();
    // PoCL keeps kernels in a folder of its own, too.
    let variables = [(FOLDER, folder.path()), ("POCL_CACHE_DIR", compiled.path())];
    let processes: Vec<Child> = (0..4).map(|_| start("use", &variables)).collect();
    for process in processes {
        assert!(succeeds(process));
    }
    // No temporary files are left, and each program is there once for each device.
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2 * all_devices().len(), "{names:?}");
    assert!(succeeds(start("use", &variables)));
}
