//! The cost model.

use abreast::kernels::Algorithm;
use abreast_gpu::{Cipher, Costs, Gpu, Options};

use crate::common::{all_devices, options};

#[test]
fn the_lines_cross_where_they_have_to() {
    // Numbers that are exact in binary.
    let costs = Costs { device_call: 1024.0, device_byte: 0.25, cpu_byte: 0.75 };
    assert_eq!(costs.crossover(), Some(2048));
    assert!(costs.cpu_is_faster(0) && costs.cpu_is_faster(2047));
    assert!(!costs.cpu_is_faster(2048));
    let never = Costs { cpu_byte: 0.25, ..costs };
    assert_eq!(never.crossover(), None);
    assert!(never.cpu_is_faster(usize::MAX));
}

#[test]
fn costs_are_measured_once_and_kept() {
    let algorithm = Algorithm::from_name("xtea").unwrap();
    for device in all_devices() {
        let folder = tempfile::tempdir().unwrap();
        let gpu =
            Gpu::open(&device, &Options { cache: Some(folder.path().into()), ..options(1 << 20) }).unwrap();
        let known = |algorithm| Costs::known(&device, folder.path(), algorithm);
        assert_eq!(known(algorithm), None);
        let costs = Costs::of(&gpu, algorithm).unwrap();
        assert!(costs.device_call > 0.0 && costs.device_byte > 0.0 && costs.cpu_byte > 0.0);
        assert_eq!(known(algorithm), Some(costs));
        assert_eq!(Costs::of(&gpu, algorithm), Ok(costs));
        assert_eq!(known(Algorithm::from_name("tea").unwrap()), None);
    }
}

/// Checks that the faster of device and CPU does the work: the times of the device show which one did.
#[test]
fn the_cheaper_one_does_it() {
    let algorithm = Algorithm::from_name("tea").unwrap();
    for device in all_devices() {
        let gpu = Gpu::open(&device, &options(1 << 16)).unwrap();
        let costs = Costs { device_call: 1e-3, device_byte: 1e-10, cpu_byte: 1.1e-9 };
        let cipher = Cipher::new(&gpu, algorithm, &[1; 16]).unwrap().with_costs(costs);
        let mut data = vec![0; 2_000_000];
        let short = cipher.encrypt_raw_blocks((&mut data[..800_000]).into()).unwrap();
        assert_eq!(short.kernels, 0.0);
        let long = cipher.encrypt_raw_blocks((&mut data[..]).into()).unwrap();
        assert!(long.kernels > 0.0);
    }
}
