//! Drivers that no file names.

use std::fs;

use abreast_gpu::{DeviceKind, devices, find_device, find_drivers};

use crate::common::all_devices;

/// A test program has several threads, one of which could be reading the environment: then nothing is set.
#[test]
fn a_process_with_several_threads_keeps_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let other = std::thread::spawn(|| std::thread::park_timeout(std::time::Duration::from_secs(1)));
    assert!(!find_drivers(folder.path()).unwrap());
    other.thread().unpark();
    other.join().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn devices_are_found_by_a_part_of_their_name() {
    for device in all_devices() {
        let name = device.name();
        assert_eq!(find_device(Some(name)).unwrap().name(), name);
        assert!(find_device(Some("no device is called so")).is_err());
    }
    if let (Ok(all), Ok(first)) = (devices(), find_device(None)) {
        assert!(all.windows(2).all(|pair| pair[0].kind() <= pair[1].kind()), "GPUs come first");
        assert_eq!(first.name(), all[0].name());
        assert!(DeviceKind::Gpu < DeviceKind::Cpu);
    }
}
