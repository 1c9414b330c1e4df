//! Errors of devices.

use core::fmt;
use core::time::Duration;

use opencl3::error_codes::{
    CL_DEVICE_NOT_FOUND, CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED, error_text,
};

/// The code of an ICD loader for a system without drivers, `CL_PLATFORM_NOT_FOUND_KHR` of the extension `cl_khr_icd`.
const NO_PLATFORM: i32 = -1001;

/// The reason why a device did not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no OpenCL library to load.
    NoLibrary,
    /// There is a library, and no device.
    NoDevice,
    /// No device has such a name, or several have.
    Name {
        /// The name that was asked for.
        asked: String,
        /// The devices there are.
        devices: Vec<String>,
    },
    /// The device cannot run the kernels: no compiler, big-endian, or not available.
    Unsuitable {
        /// The device.
        device: String,
        /// The reason, such as "it has no compiler".
        lacks: &'static str,
    },
    /// The kernels cannot be compiled.
    Build {
        /// The name of the program.
        program: &'static str,
        /// The log of the compiler.
        log: String,
    },
    /// The results of the device differ from the CPU's. It is not used any more, and no wrong result has been handed out.
    WrongResult {
        /// The device.
        device: String,
    },
    /// The device, or the host for the sake of the device, has not enough memory.
    OutOfMemory,
    /// A call failed on the way: the device was lost, or its driver gave up. It is not used any more, and of the work
    /// that was under way nothing has been handed out.
    Lost {
        /// OpenCL's number for the error.
        code: i32,
    },
    /// The device did not do a copy or a kernel within [`Options::time_limit`](crate::Options::time_limit). It is not used any
    /// more, and of the work that was under way nothing has been handed out. Memory that it may still be using is never freed.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The device failed before, and is not used any more; or another process took it into use, of which this one is a
    /// child.
    Dropped,
    /// A call of OpenCL failed where no work was under way.
    Call {
        /// OpenCL's number for the error.
        code: i32,
    },
    /// The device has no kernel for this cipher or mode.
    Unsupported(&'static str),
    /// An error that the CPU reports too, of a key, a counter or a length.
    Cipher(abreast::Error),
}

impl Error {
    /// Translates an error of OpenCL when no work is under way.
    pub(crate) fn of_call(error: ClError) -> Self {
        match error.0 {
            DLOPEN_RUNTIME_LOAD_FAILED | DLOPEN_FUNCTION_NOT_AVAILABLE => Self::NoLibrary,
            NO_PLATFORM | CL_DEVICE_NOT_FOUND => Self::NoDevice,
            CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_HOST_MEMORY
            | CL_OUT_OF_RESOURCES
            | CL_INVALID_BUFFER_SIZE => Self::OutOfMemory,
            code => Self::Call { code },
        }
    }

    /// Translates an error of OpenCL for work that is under way. Even then a driver may allocate memory, and fail to.
    pub(crate) fn of_work(error: ClError) -> Self {
        match error.0 {
            CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY => Self::OutOfMemory,
            code => Self::Lost { code },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLibrary => f.write_str("no OpenCL: the library libOpenCL.so.1 is not installed, or cannot be loaded"),
            Self::NoDevice => f.write_str("no OpenCL device: no driver of one is installed, or none works (PoCL wants a cache folder that it can write to)"),
            Self::Name { asked, devices } if devices.is_empty() => {
                write!(f, "no OpenCL device is called '{}'", asked.escape_debug())
            }
            Self::Name { asked, devices } => write!(
                f,
                "no OpenCL device, or more than one, is called '{}'; there are: {}",
                asked.escape_debug(),
                devices.join(", ")
            ),
            Self::Unsuitable { device, lacks } => write!(f, "{device} cannot be used: {lacks}"),
            Self::Build { program, log } => write!(f, "the kernels of {program} do not compile: {log}"),
            Self::WrongResult { device } => {
                write!(f, "{device} computes wrong results, and is not used any more")
            }
            Self::OutOfMemory => f.write_str("the OpenCL device is out of memory"),
            Self::Lost { code } => write!(f, "the OpenCL device failed: {}", error_text(*code)),
            Self::TimedOut { limit } => write!(
                f,
                "the OpenCL device did not answer within {limit:?}, and is not used any more"
            ),
            Self::Dropped => f.write_str("the OpenCL device failed before, or is in use by another process"),
            Self::Call { code } => write!(f, "OpenCL failed: {}", error_text(*code)),
            Self::Unsupported(what) => f.write_str(what),
            Self::Cipher(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Cipher(error) => Some(error),
            _ => None,
        }
    }
}

impl From<abreast::Error> for Error {
    fn from(error: abreast::Error) -> Self {
        Self::Cipher(error)
    }
}
