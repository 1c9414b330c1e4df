//! Devices that compute wrong results, are lost, or have no memory left: on purpose, from any chunk on.

use std::thread;
use std::time::{Duration, Instant};

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Xts as CpuXts};
use abreast::rc4::Message;
use abreast::xtea::ByteOrder;
use abreast_gpu::{
    CHUNKS_UNDER_WAY, Cipher, Costs, Error, Fault, Gpu, KeyedMessage, Options, Stopped, Wanted, Xts,
    rc4_apply_keys, rc4_try_keys, xtea_encrypt_many, xtea_try_keys,
};

use crate::common::{Random, SHORT, all_devices, options};

/// The device is always faster by these.
const DEVICE: Costs = Costs { device_call: 0.0, device_byte: 0.0, cpu_byte: 1.0 };

/// Each kind of fault, from a chunk on.
fn faults(from_chunk: u64) -> [Fault; 4] {
    [
        Fault::WrongBit { from_chunk },
        Fault::Lost { from_chunk },
        Fault::OutOfMemory { from_chunk },
        Fault::Hangs { from_chunk, limit: Some(HANGING) },
    ]
}

/// The time limit of a device once it hangs.
const HANGING: Duration = Duration::from_millis(50);

fn is_of(error: &Error, fault: Fault) -> bool {
    match fault {
        Fault::WrongBit { .. } => matches!(error, Error::WrongResult { .. }),
        Fault::Lost { .. } => matches!(error, Error::Lost { .. }),
        Fault::OutOfMemory { .. } => *error == Error::OutOfMemory,
        Fault::Hangs { .. } => *error == Error::TimedOut { limit: HANGING },
    }
}

/// Tries faults from each chunk on, as long as `test` meets them; it says whether it has. Faults of the first chunk are
/// met in any case.
fn from_each_chunk(test: impl Fn(&std::sync::Arc<Gpu>, Fault) -> bool) {
    for device in all_devices() {
        for kind in 0..faults(0).len() {
            let mut met = 0;
            loop {
                let fault = faults(met)[kind];
                let options = Options { fault: Some(fault), ..options(SHORT) };
                let gpu = Gpu::open(&device, &options).unwrap();
                if !test(&gpu, fault) {
                    break;
                }
                met += 1;
                assert!(met < 10_000, "the fault has to be after all chunks at some time");
            }
            assert!(met > CHUNKS_UNDER_WAY as u64, "the fault was met");
        }
    }
}

/// A failure is of the fault's kind, and the device is not used any more unless it had no memory.
fn assert_failed(gpu: &Gpu, error: &Error, fault: Fault) {
    assert!(is_of(error, fault), "{error:?} of {fault:?}");
    assert_eq!(gpu.is_usable(), matches!(fault, Fault::OutOfMemory { .. }));
}

#[test]
fn nothing_wrong_is_handed_out_and_the_rest_is_as_it_was() {
    let algorithm = Algorithm::from_name("serpent-256").unwrap();
    let key = [7; 32];
    let input = Random::new(1).bytes(5 * SHORT + 48);
    let mut expected = input.clone();
    algorithm.with_key(&key, None).unwrap().encrypt_raw_blocks((&mut expected[..]).into()).unwrap();
    from_each_chunk(|gpu, fault| {
        let cipher = match Cipher::new(gpu, algorithm, &key) {
            Ok(cipher) => cipher,
            Err(error) => {
                assert_failed(gpu, &error, fault);
                if !gpu.is_usable() {
                    assert_eq!(Cipher::new(gpu, algorithm, &key).unwrap_err(), Error::Dropped);
                }
                return true;
            }
        };
        let mut output = input.clone();
        match cipher.encrypt_raw_blocks((&mut output[..]).into()) {
            Ok(_) => {
                assert!(output == expected);
                false
            }
            Err(Stopped { error, done }) => {
                assert_failed(gpu, &error, fault);
                assert_eq!(done % SHORT, 0);
                assert!(done < input.len());
                assert!(output[..done] == expected[..done] && output[done..] == input[done..]);
                true
            }
        }
    });
}

#[test]
fn the_cpu_takes_over_where_it_may() {
    let algorithm = Algorithm::from_name("aes-192").unwrap();
    let keys = [[7; 24], [8; 24]];
    // Units longer than a chunk: the device fails amid one.
    let unit = 3 * SHORT;
    let input = Random::new(2).bytes(7 * SHORT + 53);
    let whole = input.len() / 16 * 16;
    let [data, tweak] = keys.each_ref().map(|key| algorithm.with_key_128(key, None).unwrap());
    let mut in_units = input.clone();
    CpuXts::new(data, tweak).unwrap().encrypt_units(9, unit, &mut in_units[..]).unwrap();
    let cpu = algorithm.with_key(&keys[0], None).unwrap();
    let mut in_blocks = input[..whole].to_vec();
    cpu.encrypt_raw_blocks((&mut in_blocks[..]).into()).unwrap();
    let mut counted = input.clone();
    CpuCtr::from_cipher(cpu, &[0xff; 16], CounterWidth::Bits128).unwrap().apply(&mut counted[..]).unwrap();

    for mode in 0..3 {
        from_each_chunk(|gpu, fault| {
            let mut output = input.clone();
            let xts = match Xts::new(gpu, algorithm, &keys[0], &keys[1]) {
                Ok(xts) => xts.with_costs(DEVICE),
                Err(error) => {
                    assert_failed(gpu, &error, fault);
                    return true;
                }
            };
            let cipher = match Cipher::new(gpu, algorithm, &keys[0]) {
                Ok(cipher) => cipher.with_costs(DEVICE),
                Err(error) => {
                    assert_failed(gpu, &error, fault);
                    return true;
                }
            };
            let times = match mode {
                0 => {
                    let times = cipher.encrypt_raw_blocks((&mut output[..whole]).into()).unwrap();
                    assert!(output[..whole] == in_blocks);
                    times
                }
                1 => {
                    let mut ctr = cipher.ctr(&[0xff; 16], CounterWidth::Bits128).unwrap();
                    // The first call ends amid a block.
                    let (first, rest) = output.split_at_mut(7);
                    ctr.apply(first.into()).unwrap();
                    let times = ctr.apply(rest.into()).unwrap();
                    assert!(output == counted);
                    times
                }
                _ => {
                    let times = xts.encrypt_units(9, unit, (&mut output[..]).into()).unwrap();
                    assert!(output == in_units);
                    times
                }
            };
            // The device did all of it, or the CPU took over.
            times.kernels == 0.0
        });
    }
}

#[test]
fn batches_that_fail_are_undone() {
    let mut random = Random::new(3);
    let keys: Vec<[u8; 16]> = random.bytes(16 * 60).as_chunks().0.to_vec();
    let inputs: Vec<Vec<u8>> = (0..60)
        .map(|_| {
            let len = random.log_uniform(2000) / 8 * 8;
            random.bytes(len)
        })
        .collect();
    from_each_chunk(|gpu, fault| {
        let mut texts = inputs.clone();
        let mut messages: Vec<_> = keys
            .iter()
            .zip(&mut texts)
            .map(|(key, text)| KeyedMessage { key, buffer: InOutBuf::from(&mut text[..]) })
            .collect();
        match xtea_encrypt_many(gpu, ByteOrder::BigEndian, &mut messages) {
            Ok(_) => false,
            Err(error) => {
                assert_failed(gpu, &error, fault);
                assert!(texts == inputs);
                true
            }
        }
    });
    from_each_chunk(|gpu, fault| {
        let mut texts = inputs.clone();
        let mut messages: Vec<_> = keys
            .iter()
            .zip(&mut texts)
            .map(|(key, text)| Message { key, skip: 3, buffer: (&mut text[..]).into() })
            .collect();
        match rc4_apply_keys(gpu, &mut messages) {
            Ok(_) => false,
            Err(error) => {
                assert_failed(gpu, &error, fault);
                assert!(texts == inputs);
                true
            }
        }
    });
}

#[test]
fn keys_are_not_told_by_a_device_that_is_wrong() {
    let keys: Vec<[u8; 16]> = Random::new(4).bytes(16 * 600).as_chunks().0.to_vec();
    from_each_chunk(|gpu, fault| {
        match xtea_try_keys(gpu, ByteOrder::LittleEndian, &keys, &[5; 16], &Wanted::beginning(&[6; 16])) {
            Ok(found) => !found.is_empty(),
            Err(error) => {
                assert_failed(gpu, &error, fault);
                true
            }
        }
    });
    from_each_chunk(|gpu, fault| match rc4_try_keys(gpu, &keys, 0, &[5; 16], &Wanted::beginning(&[6; 16])) {
        Ok(found) => !found.is_empty(),
        Err(error) => {
            assert_failed(gpu, &error, fault);
            true
        }
    });
}

/// More than a device can have, or than may be allocated at once.
#[test]
fn chunks_that_do_not_fit_are_an_error() {
    let algorithm = Algorithm::from_name("xtea").unwrap();
    for device in all_devices() {
        let gpu = Gpu::open(&device, &options(1 << 45)).unwrap();
        assert_eq!(Cipher::new(&gpu, algorithm, &[0; 16]).unwrap_err(), Error::OutOfMemory);
        // It is no fault of the device, which goes on with chunks that fit.
        assert!(gpu.is_usable());
        let gpu = Gpu::open(&device, &options(SHORT)).unwrap();
        assert!(Cipher::new(&gpu, algorithm, &[0; 16]).is_ok());
    }
}

/// Threads that wait for a device that hangs, and for each other, all come back; dropping the cipher and the device
/// returns, too.
#[test]
fn nobody_waits_for_ever() {
    let algorithm = Algorithm::from_name("xtea").unwrap();
    for device in all_devices() {
        // Long enough for work that does not hang, even on a busy machine.
        let limit = Duration::from_secs(5);
        // After the chunks of the self-test.
        let fault = Some(Fault::Hangs { from_chunk: 200, limit: None });
        let options = Options { fault, time_limit: limit, ..options(SHORT) };
        let gpu = Gpu::open(&device, &options).unwrap();
        let cipher = Cipher::new(&gpu, algorithm, &[1; 16]).unwrap();
        let begun = Instant::now();
        let errors: Vec<Error> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let input = Random::new(7).bytes(400 * SHORT);
                        let mut text = input.clone();
                        let stopped = cipher.encrypt_raw_blocks((&mut text[..]).into()).unwrap_err();
                        assert!(text[stopped.done..] == input[stopped.done..]);
                        stopped.error
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let timed_out = Error::TimedOut { limit };
        assert_eq!(errors.iter().filter(|error| **error == timed_out).count(), 1, "{errors:?}");
        assert!(errors.iter().all(|error| [&timed_out, &Error::Dropped].contains(&error)), "{errors:?}");
        assert!(!gpu.is_usable());
        // Not a timing: the device hangs for good, and this would never be reached.
        drop(cipher);
        drop(gpu);
        eprintln!("{:?} for a limit of {limit:?}", begun.elapsed());
    }
}
