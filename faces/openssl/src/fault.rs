//! Errors of calls, which OpenSSL gets as a number and a sentence in its queue of errors.
//!
//! The sentences go there with each error. OpenSSL would also take a table of them, once and for all, but then it crashes
//! programs that free their `OSSL_LIB_CTX` after the end of `main`, as cryptsetup does: what takes the table back
//! (`ERR_unload_strings`, in 3.0) finds the queue gone.

use std::ffi::{CStr, c_uint};

/// Defines the reasons, their numbers and their texts in one place.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        /// The reason why a call failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($(#[$doc])* $name = $number,)*
        }

        impl Fault {
            /// One plain sentence, without a conversion of `printf`.
            pub(crate) fn text(self) -> &'static CStr {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

faults! {
    /// A parameter has a type or a size that it does not have.
    Parameter = 1, c"a parameter has the wrong type or size, or a value that is not allowed";
    KeyLength = 2, c"the key has a length that the cipher does not take";
    IvLength = 3, c"the initialisation vector has a length that the mode does not take";
    NoKey = 4, c"no key is set";
    NoIv = 5, c"no initialisation vector is set, or the message under it has ended";
    OutputSize = 6, c"the output is too small";
    PartialBlock = 7, c"the data is not a whole number of blocks";
    Padding = 8, c"the plaintext does not end in valid padding";
    EqualKeys = 9, c"the two keys of XTS are the same";
    UnitLength = 10, c"a data unit has less than 16 bytes or more than 16 MiB";
    TooLong = 11, c"the message is longer than the mode allows";
    TagLength = 12, c"the tag has a length that the mode does not define";
    NoTag = 13, c"no tag is set";
    TagMismatch = 14, c"the message is not authentic: its tag does not match";
    AssociatedData = 15, c"the associated data comes after data of the message";
    TlsRecord = 16, c"the TLS record has a length that it cannot have, or is not in place";
    TlsAad = 17, c"the associated data is not that of a TLS record";
    Random = 18, c"the operating system gives no random bytes";
    OneUpdate = 19, c"the cipher takes a message in one piece";
    /// A fault in this library.
    Panic = 20, c"a fault in the library abreast";
    SelfTest = 21, c"a cipher does not give the known answers";
    Report = 22, c"the report of bytes cannot be written";
    Other = 23, c"an error without a number";
    Setting = 24, c"the configuration of the provider has a value that is neither yes nor no";
}

impl Fault {
    /// The reason's number.
    pub(crate) fn number(self) -> c_uint {
        self as c_uint
    }
}

impl From<abreast::Error> for Fault {
    #[cold]
    fn from(error: abreast::Error) -> Self {
        use abreast::Error;
        match error {
            Error::KeyLength => Self::KeyLength,
            Error::BufferLengths | Error::BufferTooShort => Self::OutputSize,
            Error::PartialBlock => Self::PartialBlock,
            Error::CounterLength | Error::CounterWidth | Error::IvLength | Error::NonceLength => {
                Self::IvLength
            }
            Error::CounterExhausted | Error::MessageTooLong => Self::TooLong,
            Error::TagLength => Self::TagLength,
            Error::Padding => Self::Padding,
            Error::EqualKeys => Self::EqualKeys,
            Error::UnitLength => Self::UnitLength,
            Error::AssociatedDataLate => Self::AssociatedData,
            Error::TagMismatch => Self::TagMismatch,
            _ => Self::Other,
        }
    }
}
