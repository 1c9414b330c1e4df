//! The status that a call returns: an integer, with a sentence for it. Panics end here.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use abreast::Error;
use abreast_frames::PacketError;

use crate::texts::text_for_c;

/// The outcome of a call. Functions return it as an int: later versions may have more.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// The key has a length that the cipher does not take.
    KeyLength = 1,
    /// The kernel belongs to another cipher.
    KernelUnavailable = 2,
    /// The input and the output have different lengths.
    BufferLengths = 3,
    /// The data is no whole number of blocks.
    PartialBlock = 4,
    /// The counter block has another length than the cipher's blocks.
    CounterLength = 5,
    /// The counter is to have more bits than the cipher's blocks.
    CounterWidth = 6,
    /// The message needs more blocks than the counter has values, so keystream would repeat.
    CounterExhausted = 7,
    /// The initialisation vector, or the number of a sector, has another length than the cipher's blocks.
    IvLength = 8,
    /// The nonce is empty, too long, or not of the one length that the mode takes.
    NonceLength = 9,
    /// The tag has a length that the mode does not define, or another one than the key is for.
    TagLength = 10,
    /// The buffer is shorter than the tag that it is to hold.
    BufferTooShort = 11,
    /// The message or its associated data is longer than the mode allows under one nonce or vector.
    MessageTooLong = 12,
    /// The decrypted message does not end with valid padding. The output is zeros.
    Padding = 13,
    /// The two keys of XTS are the same.
    EqualKeys = 14,
    /// A data unit is shorter than a block or longer than 2^20 blocks.
    UnitLength = 15,
    /// The mode is not defined for ciphers with blocks of this size.
    BlockLength = 16,
    /// The number of cycles is not one that the cipher takes.
    Cycles = 17,
    /// The imported state of RC4 is no permutation of all bytes.
    Permutation = 18,
    /// The tag does not belong to this message, nonce and key. The output of one-shot calls is zeros.
    TagMismatch = 19,
    /// The packet was not processed: its batch ended before it, and its buffer may be unchanged. Every item of a batch
    /// has this status until it is done.
    NotProcessed = 20,
    /// A key to be wrapped, or a wrapped one, has a length that key wrap does not take.
    WrapLength = 21,
    /// A pointer that must not be NULL is NULL. A buffer may be NULL only if its length is 0.
    NullPointer = 100,
    /// A length is more than any buffer can have (more than PTRDIFF_MAX).
    Length = 101,
    /// Input and output overlap in part, or an output overlaps something else that the call reads or writes.
    Overlap = 102,
    /// A pointer to words, structs or a stream, or to where a handle or a number goes, is not aligned as these have to
    /// be.
    Alignment = 103,
    /// The size of a struct is not the one that it has in this library: the program was compiled with another header.
    StructSize = 104,
    /// There is no cipher of this name.
    UnknownCipher = 105,
    /// The cipher has no kernel of this name that this CPU can run.
    UnknownKernel = 106,
    /// The key is a handle of another type or mode than the call takes, or is not a handle. (NULL is
    /// ABREAST_NULL_POINTER.)
    WrongKey = 107,
    /// The direction is neither encryption nor decryption, or not the one of this stream.
    Direction = 108,
    /// The stream is finished already.
    Finished = 109,
    /// Some packets of the batch were not done; the status of each says why.
    Batch = 110,
    /// Some cipher does not give the known answers.
    SelfTest = 111,
    /// A fault in the library. The output of the call, and streams that it worked on, must not be used.
    Panic = 112,
    /// An error of the library that this interface has no number for.
    Other = 113,
    /// The two keys of XTS are for different ciphers, or of different lengths.
    DifferentCiphers = 114,
    /// The operation is unknown, or is not one that the call or the stream has.
    Operation = 115,
    /// The memory is smaller than the key that it is to hold.
    MemorySize = 116,
    /// Associated data came after data of the message. Nothing was done.
    AssociatedDataLate = 117,
    /// There is no OpenCL library on this machine.
    NoOpencl = 118,
    /// There is no OpenCL device, or none of this number.
    NoDevice = 119,
    /// No OpenCL device has this name, or several have.
    DeviceName = 120,
    /// The device cannot run the kernels: it has no compiler, is big-endian, or is not available.
    DeviceUnsuitable = 121,
    /// The kernels do not compile for the device.
    DeviceKernels = 122,
    /// The device computes something else than the CPU. No wrong output was handed out, and the device is not used any more.
    DeviceWrongResult = 123,
    /// The device, or the host for its sake, has not enough memory. It can be used again.
    DeviceMemory = 124,
    /// The device was lost, or its driver gave up. It is not used any more.
    DeviceLost = 125,
    /// The device did not answer within its time limit. It is not used any more.
    DeviceTimedOut = 126,
    /// The device failed in a call before, and is not used any more; or it belongs to the parent process, which took it into
    /// use.
    DeviceDropped = 127,
    /// Devices have no kernel for this cipher, mode or length.
    DeviceUnsupported = 128,
    /// There is not enough memory. Nothing was done.
    OutOfMemory = 129,
    /// The message is shorter than a block, which HCTR2 does not take, or the packet than its headers, index and tag.
    MessageTooShort = 130,
    /// The header of the packet is not one of version 2 of RTP.
    Header = 131,
    /// The circuit has no hop of this number, or no room for one more.
    NoHop = 132,
    /// The packet of QUIC is of a phase whose key is not there.
    KeyPhase = 133,
    /// The stream has had no message yet: it was made without one.
    NotBegun = 134,
    /// The lengths of the strings of associated data do not add up to that of their buffer.
    StringLengths = 135,
    /// The column is not of binary values, strings, or binary values of one length.
    ColumnType = 136,
    /// The array of the column is not one of its type, or was released.
    Column = 137,
    /// An offset of the column is negative, less than the one before it, or beyond the last.
    ColumnOffsets = 138,
    /// The column of associated data has another number of rows, a null where the other column has a value, or a string for all rows
    /// beside it.
    ColumnRows = 139,
    /// The result has more bytes than its offsets can say. Those of 64 bits (Z) can.
    ColumnLength = 140,
}

/// The library's errors and their numbers.
const ERRORS: [(Error, Status); 25] = [
    (Error::KeyLength, Status::KeyLength),
    (Error::KernelUnavailable, Status::KernelUnavailable),
    (Error::BufferLengths, Status::BufferLengths),
    (Error::PartialBlock, Status::PartialBlock),
    (Error::CounterLength, Status::CounterLength),
    (Error::CounterWidth, Status::CounterWidth),
    (Error::CounterExhausted, Status::CounterExhausted),
    (Error::IvLength, Status::IvLength),
    (Error::NonceLength, Status::NonceLength),
    (Error::TagLength, Status::TagLength),
    (Error::BufferTooShort, Status::BufferTooShort),
    (Error::MessageTooLong, Status::MessageTooLong),
    (Error::Padding, Status::Padding),
    (Error::EqualKeys, Status::EqualKeys),
    (Error::DifferentCiphers, Status::DifferentCiphers),
    (Error::UnitLength, Status::UnitLength),
    (Error::BlockLength, Status::BlockLength),
    (Error::AssociatedDataLate, Status::AssociatedDataLate),
    (Error::Cycles, Status::Cycles),
    (Error::Permutation, Status::Permutation),
    (Error::TagMismatch, Status::TagMismatch),
    (Error::NotProcessed, Status::NotProcessed),
    (Error::OutOfMemory, Status::OutOfMemory),
    (Error::MessageTooShort, Status::MessageTooShort),
    (Error::WrapLength, Status::WrapLength),
];

/// The sentences for all others.
const OTHERS: [(Status, &CStr); 38] = [
    (Status::Ok, c"done"),
    (Status::NullPointer, c"a pointer that must not be NULL is NULL"),
    (Status::Length, c"a length is more than any buffer can have"),
    (Status::Overlap, c"two buffers that must not overlap do"),
    (Status::Alignment, c"a pointer is not aligned"),
    (Status::StructSize, c"the program was compiled with another header: a struct has another size"),
    (Status::UnknownCipher, c"there is no cipher of this name"),
    (Status::UnknownKernel, c"the cipher has no kernel of this name that this CPU can run"),
    (Status::WrongKey, c"the key is not a handle of the type and mode that the call takes"),
    (Status::Direction, c"the direction is unknown, or is not that of the stream"),
    (Status::Finished, c"the stream is finished already"),
    (Status::Batch, c"some packets of the batch were not done"),
    (Status::SelfTest, c"a cipher does not give the known answers"),
    (Status::Panic, c"a fault in the library"),
    (Status::Other, c"an error without a number"),
    (Status::Operation, c"the operation is unknown, or this call or stream does not have it"),
    (Status::MemorySize, c"the memory is smaller than the key that it is to hold"),
    (Status::NoOpencl, c"there is no OpenCL library"),
    (Status::NoDevice, c"there is no OpenCL device, or none of this number"),
    (Status::DeviceName, c"no OpenCL device has this name, or several have"),
    (Status::DeviceUnsuitable, c"the OpenCL device cannot run the kernels"),
    (Status::DeviceKernels, c"the kernels do not compile for the OpenCL device"),
    (Status::DeviceWrongResult, c"the OpenCL device computes wrong results, and is not used any more"),
    (Status::DeviceMemory, c"the OpenCL device is out of memory"),
    (Status::DeviceLost, c"the OpenCL device failed, and is not used any more"),
    (Status::DeviceTimedOut, c"the OpenCL device did not answer in time, and is not used any more"),
    (Status::DeviceDropped, c"the OpenCL device failed before, or is in use by another process"),
    (Status::Header, c"the header of the packet is not one of version 2 of RTP"),
    (Status::DeviceUnsupported, c"OpenCL devices have no kernel for this cipher, mode or length"),
    (Status::NoHop, c"the circuit has no hop of this number, or no room for one more"),
    (Status::KeyPhase, c"the packet is of a phase whose key is not there"),
    (Status::NotBegun, c"no message was begun in the stream, which was made without one"),
    (Status::StringLengths, c"the lengths of the strings do not add up to that of their buffer"),
    (Status::ColumnType, c"the column is not of binary values, strings, or binary values of one length"),
    (Status::Column, c"the array of the column is not one of its type, or was released"),
    (Status::ColumnOffsets, c"an offset of the column is negative, decreases, or is beyond the last one"),
    (Status::ColumnRows, c"the associated data is not one string, and not one for each row with a value"),
    (Status::ColumnLength, c"the result has more bytes than offsets of 32 bits can say"),
];

impl From<Error> for Status {
    /// Out of line, so that success goes straight on.
    #[cold]
    fn from(error: Error) -> Self {
        ERRORS.iter().find(|(known, _)| *known == error).map_or(Self::Other, |(_, status)| *status)
    }
}

impl From<PacketError> for Status {
    #[cold]
    fn from(error: PacketError) -> Self {
        match error {
            PacketError::KeyLength => Self::KeyLength,
            PacketError::SaltLength => Self::NonceLength,
            PacketError::TooShort => Self::MessageTooShort,
            PacketError::TooLong => Self::MessageTooLong,
            PacketError::Version => Self::Header,
            PacketError::Room => Self::BufferTooShort,
            PacketError::Index => Self::CounterExhausted,
            PacketError::IvLength => Self::IvLength,
            PacketError::PartialBlock => Self::PartialBlock,
            PacketError::KeyPhase => Self::KeyPhase,
            PacketError::TagMismatch => Self::TagMismatch,
            PacketError::NotProcessed => Self::NotProcessed,
            _ => Self::Other,
        }
    }
}

/// One of a list in the library, by the number that it has in C: they are numbered from 1 on in the order of the list.
pub(crate) fn numbered<T: Copy>(list: &[T], number: c_int) -> Result<T, Status> {
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    at.and_then(|at| list.get(at)).copied().ok_or(Status::Operation)
}

/// Runs the body of a function; if it panics, returns `fault`.
#[inline]
pub(crate) fn guarded<T>(fault: T, body: impl FnOnce() -> T) -> T {
    // After a panic nothing is looked at that it may have left half done: the header says so.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        // Dropping it could panic anew.
        std::mem::forget(payload);
        fault
    })
}

/// Runs a call that gives a status.
#[inline]
pub(crate) fn call(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    guarded(Status::Panic as c_int, || body().err().unwrap_or(Status::Ok) as c_int)
}

/// One plain sentence, in English and without a full stop, for a status. It is never NULL, and is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_status_text(status: c_int) -> *const c_char {
    guarded(c"a fault in the library".as_ptr(), || {
        let other = OTHERS.iter().find(|(known, _)| *known as c_int == status).map(|(_, text)| text.as_ptr());
        let error = ERRORS.iter().find(|(_, known)| *known as c_int == status);
        let error = error.map(|(error, _)| text_for_c(error));
        other.or(error).unwrap_or(c"no status of this library".as_ptr())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    #[cfg_attr(miri, ignore = "what a panic carries is leaked on purpose, and Miri reports leaks")]
    fn panics_end_here() {
        assert_eq!(call(|| panic!("a panic of this test")), Status::Panic as c_int);
        // One whose payload panics in turn when it is dropped.
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("the payload");
            }
        }
        assert_eq!(call(|| std::panic::panic_any(Bomb)), Status::Panic as c_int);
        assert_eq!(guarded(7, || panic!("another one")), 7);
    }

    /// `Error` may grow, and the compiler would not say so. Where this crate is alone, as when it comes from a registry,
    /// the source of `Error` is not at hand, and nothing is tested.
    #[test]
    #[cfg_attr(miri, ignore = "reads sources, and no pointer is in it")]
    fn every_error_has_a_number() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
        if !crates.join("abreast/Cargo.toml").exists() {
            eprintln!("skipped: the sources of abreast are not beside those of this crate");
            return;
        }
        let source = std::fs::read_to_string(crates.join("abreast/src/error.rs")).expect("the source");
        let body = source.split_once("pub enum Error {").and_then(|(_, rest)| rest.split_once('}'));
        let names = body.expect("the enum").0.lines().map(str::trim);
        let names: Vec<_> = names.filter(|line| !line.starts_with("//") && !line.is_empty()).collect();
        assert_eq!(names.len(), ERRORS.len());
        for (error, status) in ERRORS {
            assert!(names.contains(&format!("{error:?},").as_str()), "{error:?}");
            assert_eq!(format!("{error:?}"), format!("{status:?}"));
        }
    }

    #[test]
    fn every_status_has_a_text_of_its_own() {
        let text = |status: c_int| {
            // SAFETY: never NULL, always ended by a zero, and there for good.
            unsafe { CStr::from_ptr(abreast_status_text(status)) }.to_str().expect("UTF-8")
        };
        // In Miri all of them take half a minute.
        let step = if cfg!(miri) { 20 } else { 1 };
        let numbers =
            ERRORS.iter().map(|(_, status)| *status).chain(OTHERS.iter().map(|(status, _)| *status));
        let expected = numbers.filter(|status| (*status as usize).is_multiple_of(step)).count();
        let known: Vec<&str> =
            (0..200).step_by(step).map(text).filter(|text| *text != "no status of this library").collect();
        let distinct: std::collections::BTreeSet<_> = known.iter().collect();
        assert_eq!((known.len(), distinct.len()), (expected, known.len()));
        assert_eq!(text(-1), "no status of this library");
    }

    /// No exported function works outside of `guarded`, by whatever name it comes there.
    #[test]
    #[cfg_attr(miri, ignore = "reads sources, and no pointer is in it")]
    fn every_function_is_guarded() {
        let ways = [
            "call(",
            "guarded(",
            "make(",
            "make_alone(",
            "make_alone_in(",
            "begin(",
            "begin_in(",
            "close(",
            "release(",
            "release::<",
            "batch::<",
            "each!(",
        ];
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        let mut functions = 0;
        while let Some(folder) = folders.pop() {
            for path in folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path()) {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).expect("a source");
                for function in source.split("#[unsafe(no_mangle)]\n").skip(1) {
                    let (signature, body) = function.split_once(" {\n").expect("a function");
                    let body = body.split_once("\n}\n").expect("its end").0;
                    functions += 1;
                    let constant = !body.contains('(') || body.trim() == "VERSION.as_ptr()";
                    assert!(constant || ways.iter().any(|way| body.contains(way)), "{signature}");
                }
            }
        }
        assert!(functions > 60, "{functions}");
    }
}
