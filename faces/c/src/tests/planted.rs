//! Faults that are planted, each in a call that breaks a rule of the header: a check of undefined behaviour that does not
//! report them does not work.
//!
//! They are compiled only for such checks, which say `--cfg abreast_planted`, and are ignored there too: a test that is run
//! by its name has to fail. Miri runs them so. With a sanitizer, tests that are not ignored run them in programs of their
//! own, at every kernel, and expect its report.

use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use super::{OK, encrypt_blocks, key, made};
use crate::buffers::In;
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new};
use crate::names::Text;

/// A message that every kernel takes by whole vectors.
const LEN: usize = if cfg!(miri) { 32 } else { 4096 };
/// By which a program learns at which kernel a fault is planted.
const KERNEL: &str = "ABREAST_PLANTED";

/// A key at the kernel that is asked for, in Miri and otherwise at the best one.
fn at_kernel() -> *mut CipherHandle {
    let Ok(asked) = std::env::var(KERNEL) else { return key(c"xtea", 1) };
    let (cipher, kernel) = asked.split_once(' ').expect("a cipher and a kernel");
    let name = |text| Text::from(&*Box::leak(CString::new(text).expect("a name").into_boxed_c_str()));
    made(|place| abreast_cipher_new(name(cipher), In::from(&[1; 16]), 16, name(kernel), place))
}

/// The input ends a byte too early.
#[test]
#[ignore = "has to fail"]
fn a_byte_beyond_is_read() {
    let (key, input, mut output) = (at_kernel(), vec![1_u8; LEN - 1], vec![0_u8; LEN]);
    assert_eq!(encrypt_blocks(key, input.as_ptr(), output.as_mut_ptr(), LEN), OK);
    abreast_cipher_free(key.into());
}

/// So does the output.
#[test]
#[ignore = "has to fail"]
fn a_byte_beyond_is_written() {
    let (key, input, mut output) = (at_kernel(), vec![1_u8; LEN], vec![0_u8; LEN - 1]);
    assert_eq!(encrypt_blocks(key, input.as_ptr(), output.as_mut_ptr(), LEN), OK);
    abreast_cipher_free(key.into());
}

/// The input was freed.
#[test]
#[ignore = "has to fail"]
fn freed_memory_is_read() {
    let (key, input, mut output) = (at_kernel(), vec![1_u8; LEN], vec![0_u8; LEN]);
    let freed = input.as_ptr();
    drop(input);
    assert_eq!(encrypt_blocks(key, freed, output.as_mut_ptr(), LEN), OK);
    abreast_cipher_free(key.into());
}

/// Writes through a reference to memory that a call has written meanwhile.
#[test]
#[ignore = "has to fail"]
fn a_reference_is_bypassed() {
    let (key, mut data) = (at_kernel(), vec![1_u8; LEN]);
    let memory = data.as_mut_ptr();
    let reference = &mut data[0];
    assert_eq!(encrypt_blocks(key, memory.cast_const(), memory, LEN), OK);
    *reference = 1;
    abreast_cipher_free(key.into());
}

/// Two threads write one output.
#[test]
#[ignore = "has to fail"]
fn threads_race() {
    let (key, input, mut output) = (at_kernel().expose_provenance(), vec![1_u8; LEN], vec![0_u8; LEN]);
    let place = output.as_mut_ptr().expose_provenance();
    // Both threads are there until both have written: of one that has ended, a sanitizer may remember nothing. A barrier of
    // the standard library would put the writes of one thread before those of the other. Miri remembers, and of threads at
    // the same time it would report the references first.
    let (begun, ended) = (AtomicU32::new(0), AtomicU32::new(0));
    let meet = |arrived: &AtomicU32| {
        arrived.fetch_add(1, Relaxed);
        while !cfg!(miri) && arrived.load(Relaxed) < 2 {
            thread::yield_now();
        }
    };
    let work = || {
        meet(&begun);
        let (key, place) =
            (std::ptr::with_exposed_provenance_mut(key), std::ptr::with_exposed_provenance_mut(place));
        let status = encrypt_blocks(key, input.as_ptr(), place, LEN);
        meet(&ended);
        status
    };
    let statuses: [c_int; 2] = thread::scope(|scope| {
        [scope.spawn(work), scope.spawn(work)].map(|thread| thread.join().expect("no panic"))
    });
    assert_eq!(statuses, [OK; 2]);
    abreast_cipher_free(std::ptr::with_exposed_provenance_mut::<CipherHandle>(key).into());
}

/// Runs a fault at every kernel, and asserts that each is reported.
#[cfg(any(abreast_planted = "address", abreast_planted = "thread"))]
fn is_reported(fault: &str, report: &str) {
    use abreast::kernels::algorithms;
    use std::process::Command;

    let program = std::env::current_exe().expect("the program of this test");
    let name = format!("tests::planted::{fault}");
    for cipher in ["aes-128", "serpent-128", "xtea"] {
        let algorithm = algorithms().iter().find(|known| known.name() == cipher).expect("a cipher");
        for kernel in algorithm.kernels() {
            let mut command = Command::new(&program);
            command.args(["--exact", "--ignored", "--nocapture", &name]);
            let output =
                command.env(KERNEL, format!("{cipher} {}", kernel.name())).output().expect("a program");
            let text = String::from_utf8_lossy(&output.stderr);
            let found = !output.status.success() && text.contains(report);
            assert!(found, "{fault} at {cipher}, {}: {text}", kernel.name());
        }
    }
}

#[test]
#[cfg(abreast_planted = "address")]
fn faults_are_reported_at_every_kernel() {
    is_reported("a_byte_beyond_is_read", "AddressSanitizer: heap-buffer-overflow");
    is_reported("a_byte_beyond_is_written", "AddressSanitizer: heap-buffer-overflow");
    is_reported("freed_memory_is_read", "AddressSanitizer: heap-use-after-free");
}

#[test]
#[cfg(abreast_planted = "thread")]
fn faults_are_reported_at_every_kernel() {
    is_reported("threads_race", "ThreadSanitizer: data race");
}
