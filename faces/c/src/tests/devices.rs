//! Devices that fail on purpose: each failure has its status, and the calls leave buffers as the header says.

use std::cell::Cell;
use std::ffi::c_int;
use std::io::{self, Write as _};
use std::ptr::{null, null_mut};
use std::time::Duration;

use abreast_gpu::{Error, Fault, Gpu, LEAST_CHUNK, Options, devices};

use super::{OK, made};
use crate::buffers::{In, Out, Place};
use crate::devices::batches::{
    XteaMessage, abreast_device_rc4_apply_keys, abreast_device_xtea_apply_keys, abreast_device_xtea_try_keys,
};
use crate::devices::cipher::{
    DeviceCipherHandle, DeviceXtsHandle, abreast_device_cipher_crypt, abreast_device_cipher_free,
    abreast_device_cipher_new, abreast_device_xts_encrypt, abreast_device_xts_free, abreast_device_xts_new,
};
use crate::devices::{DeviceHandle, InUse, abreast_device_free};
use crate::handle::make_alone;
use crate::modes::operation::Operation;
use crate::names::Text;
use crate::packets::Items;
use crate::rc4::Rc4Message;
use crate::status::Status;

/// Chunks of the message; each fault is after the chunks of all self-tests.
const CHUNKS: usize = 300;
const FROM: u64 = 250;
const LEN: usize = CHUNKS * LEAST_CHUNK;

/// The faults, and the statuses of the call that meets them.
const FAULTS: [(Fault, Status); 4] = [
    (Fault::WrongBit { from_chunk: FROM }, Status::DeviceWrongResult),
    (Fault::Lost { from_chunk: FROM }, Status::DeviceLost),
    (Fault::OutOfMemory { from_chunk: FROM }, Status::DeviceMemory),
    (Fault::Hangs { from_chunk: FROM, limit: Some(Duration::from_millis(50)) }, Status::DeviceTimedOut),
];

/// Runs with a device for each fault, and the status of that; where there is no device, it says that the test is skipped.
fn with_faults(test: impl Fn(*mut DeviceHandle, Status)) {
    let found = match devices() {
        Ok(devices) => devices,
        Err(error @ (Error::NoLibrary | Error::NoDevice)) => {
            let no_skip = std::env::var_os("ABREAST_NO_SKIP").is_some_and(|value| value == "1");
            assert!(!no_skip, "{error}");
            // Past the capture of the tests' output.
            let _ = writeln!(io::stderr(), "skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for (fault, status) in FAULTS {
        let options = Options { chunk: LEAST_CHUNK, fault: Some(fault), ..Options::default() };
        let gpu = Gpu::open(&found[0], &options).expect("the device can be opened");
        let device = made(|place| make_alone(&place, || Ok(InUse(gpu))));
        test(device, status);
        abreast_device_free(device.into());
    }
}

/// The status of calls after the one that failed.
fn afterwards(status: Status) -> c_int {
    match status {
        Status::DeviceMemory => Status::DeviceMemory as c_int,
        _ => Status::DeviceDropped as c_int,
    }
}

fn cipher_on(device: *mut DeviceHandle, kernel: Text) -> *mut DeviceCipherHandle {
    made(|place| {
        abreast_device_cipher_new(device.into(), c"xtea".into(), In::from(&[3; 16]), 16, kernel, place)
    })
}

fn text() -> Vec<u8> {
    (0..LEN).map(|i| ((i * i) >> 5) as u8).collect()
}

/// Raw blocks in place; also how many bytes are done.
fn encrypted(cipher: *mut DeviceCipherHandle, data: &mut [u8]) -> (c_int, usize) {
    let (none, start) = (In::from(null()), data.as_mut_ptr());
    let (input, output, mut done) = (In::from(start.cast_const()), Out::from(start), usize::MAX);
    let operation = Operation::EcbEncrypt as c_int;
    let place = Place::from(&raw mut done);
    (abreast_device_cipher_crypt(cipher.into(), operation, none, 0, input, output, data.len(), place), done)
}

#[test]
#[cfg_attr(miri, ignore = "loads a library")]
fn a_message_is_done_up_to_where_its_device_failed() {
    with_faults(|device, status| {
        let (input, mut data) = (text(), text());
        let cipher = cipher_on(device, Text::none());
        let (given, done) = encrypted(cipher, &mut data);
        assert_eq!(given, status as c_int);
        assert!(done > 0 && done < LEN && done.is_multiple_of(LEAST_CHUNK), "{done}");
        assert!(data[done..] == input[done..]);
        // The CPU goes on where the device has failed, and by itself if it may.
        let xtea = abreast::xtea::Xtea::new(&[3; 16]);
        let mut expected = input.clone();
        abreast::BlockCipher::encrypt_raw_blocks(&xtea, expected[..].as_mut().into()).expect("whole blocks");
        assert!(data[..done] == expected[..done]);
        assert_eq!(encrypted(cipher, &mut data[..64]), (afterwards(status), 0));
        abreast_device_cipher_free(cipher.into());
    });
}

#[test]
#[cfg_attr(miri, ignore = "loads a library")]
fn xts_tells_how_far_it_came() {
    with_faults(|device, status| {
        let (input, mut data, mut done) = (text(), text(), usize::MAX);
        let [one, other] = [In::from(&[1; 16]), In::from(&[2; 16])];
        let xts: *mut DeviceXtsHandle = made(|place| {
            abreast_device_xts_new(device.into(), c"aes-128".into(), one, other, 16, Text::none(), place)
        });
        let start = data.as_mut_ptr();
        let (from, to) = (In::from(start.cast_const()), Out::from(start));
        let place = Place::from(&raw mut done);
        let given = abreast_device_xts_encrypt(xts.into(), In::from(&[0; 16]), 512, from, to, LEN, place);
        assert_eq!(given, status as c_int);
        assert!(done > 0 && done < LEN && data[done..] == input[done..] && data[..done] != input[..done]);
        abreast_device_xts_free(xts.into());
    });
}

#[test]
#[cfg_attr(miri, ignore = "loads a library")]
fn batches_that_fail_are_undone_and_say_so() {
    let (messages, each) = (3, LEN / 2);
    with_faults(|device, status| {
        let (input, mut data) = (text(), text());
        let key = [5; 16];
        let items: Vec<XteaMessage> = (0..messages)
            .map(|i| {
                // The last one is refused by itself.
                let (from, len) = if i == 2 { (0, 7) } else { (i * each, each) };
                let start = data.as_mut_ptr().wrapping_add(from);
                let (input, output) = (In::from(start.cast_const()), Out::from(start));
                XteaMessage { key: In::from(&key), input, output, len, status: Cell::new(OK) }
            })
            .collect();
        let size = size_of::<XteaMessage>();
        let array = Items::from(&items[..]);
        let given = abreast_device_xtea_apply_keys(device.into(), 0, 0, array, messages, size);
        assert_eq!(given, status as c_int);
        let each_status: Vec<c_int> = items.iter().map(|item| item.status.get()).collect();
        let failed = status as c_int;
        assert_eq!(each_status, [failed, failed, Status::PartialBlock as c_int]);
        assert!(data == input);
        let mut found = [7_usize; 2];
        let keys = In::from(&key);
        let given = abreast_device_xtea_try_keys(
            device.into(),
            0,
            keys,
            1,
            In::from(&[0; 8]),
            8,
            In::from(null()),
            In::from(null()),
            0,
            (&raw mut found[0]).into(),
            1,
            (&raw mut found[1]).into(),
        );
        assert_eq!((given, found), (afterwards(status), [7, 0]));
    });
    with_faults(|device, status| {
        let (input, mut data) = (text(), vec![0x77; LEN]);
        let items = [Rc4Message {
            key: In::from(&[5; 16]),
            key_len: 16,
            skip: 0,
            input: In::from(input.as_ptr()),
            output: Out::from(data.as_mut_ptr()),
            len: LEN,
            status: Cell::new(OK),
        }];
        let array = Items::from(&items[..]);
        let given = abreast_device_rc4_apply_keys(device.into(), array, 1, size_of::<Rc4Message>());
        assert_eq!((given, items[0].status.get()), (status as c_int, status as c_int));
        // Neither ciphertext nor plaintext.
        let end = data.iter().position(|byte| *byte != 0).unwrap_or(LEN);
        assert!(end > 0 && data[end..].iter().all(|byte| *byte == 0x77));
    });
}

#[test]
#[cfg_attr(miri, ignore = "loads a library")]
fn a_device_that_fails_while_it_is_measured_says_so() {
    with_faults(|device, status| {
        // Constants are measured through some hundred megabytes, during which the device fails.
        let mut cipher = null_mut();
        let place = Place::from(&raw mut cipher);
        let key = In::from(&[3; 16]);
        let given = abreast_device_cipher_new(device.into(), c"xtea".into(), key, 16, c"auto".into(), place);
        assert_eq!((given, cipher.is_null()), (status as c_int, true));
    });
}
