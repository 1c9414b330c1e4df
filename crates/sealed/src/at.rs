//! Reads and writes at offsets, which the workers need of a file or of an object in its place.

#[cfg(any(unix, windows))]
use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(windows)]
use std::os::windows::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// Something that can be read at any offset, by several threads at once: a file, a buffer, an object in a store.
///
/// ```
/// use abreast_sealed::{Aead, Key, ReadAt, open_range, seal};
///
/// /// An object in a store that answers requests for ranges.
/// struct Object(Vec<u8>);
///
/// impl ReadAt for Object {
///     fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
///         // Here would be the request.
///         self.0.read_at(buffer, offset)
///     }
///
///     fn size(&self) -> std::io::Result<u64> {
///         self.0.size()
///     }
/// }
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let object = Object(seal(&key, b"from afar")?);
/// assert_eq!(open_range(&key, &object, 5..)?, b"afar");
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub trait ReadAt: Sync {
    /// Reads bytes from `offset` on to the beginning of `buffer`, and says how many: perhaps fewer than the buffer
    /// holds, and 0 only at the end or for an empty buffer.
    ///
    /// # Errors
    /// The errors of the source. After [`Interrupted`](io::ErrorKind::Interrupted) the read is made again.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Returns the length in bytes, at this moment.
    ///
    /// # Errors
    /// The errors of the source.
    fn size(&self) -> io::Result<u64>;
}

/// Something that can be written at any offset, by several threads at once. Each byte is written once, in any order.
///
/// ```
/// use abreast_sealed::{Aead, Input, Key, Output, Sealer, WriteAt};
/// use std::{io, num::NonZeroUsize, sync::Mutex};
///
/// /// Counts bytes, and keeps none.
/// struct Count(Mutex<u64>);
/// impl WriteAt for Count {
///     fn write_all_at(&self, bytes: &[u8], _: u64) -> io::Result<()> {
///         *self.0.lock().expect("no panic") += bytes.len() as u64;
///         Ok(())
///     }
/// }
/// let (message, count) = (vec![1; 100_000], Count(Mutex::new(0)));
/// let sealer = Sealer::new(&Key::generate(Aead::Aes256Gcm)?)?;
/// sealer.seal(Input::At(&message), Output::At(&count), NonZeroUsize::MIN, &())?;
/// assert_eq!(count.0.into_inner().expect("no panic"), 56 + 100_000 + 7 * 16);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub trait WriteAt: Sync {
    /// Writes all bytes, the first one at `offset`.
    ///
    /// # Errors
    /// The errors of the target; some of the bytes may have been written then.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// True if only one write at a time makes progress, as in a file of Linux. Workers then wait for their turn asleep, where
    /// the kernel would let them wait spinning.
    fn takes_turns(&self) -> bool {
        false
    }
}

/// Files, which have to be regular ones. On Windows, where reads move the place that the file is at, that place means
/// nothing afterwards.
#[cfg(any(unix, windows))]
impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.seek_read(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

#[cfg(any(unix, windows))]
impl WriteAt for File {
    #[cfg(unix)]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn takes_turns(&self) -> bool {
        true
    }

    #[cfg(windows)]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            match self.seek_write(&bytes[done..], offset.saturating_add(done as u64)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => done += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let len = buffer.len().min(self.len() - start);
        buffer[..len].copy_from_slice(&self[start..start + len]);
        Ok(len)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self[..].read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self[..].size()
    }
}

/// A buffer that other threads may change between two reads, as they may a file.
impl ReadAt for Mutex<Vec<u8>> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.lock().unwrap_or_else(PoisonError::into_inner).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.lock().unwrap_or_else(PoisonError::into_inner).size()
    }
}

/// A buffer that grows; unwritten bytes before the last one are zeros.
impl WriteAt for Mutex<Vec<u8>> {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let full = || io::Error::from(io::ErrorKind::OutOfMemory);
        let start = usize::try_from(offset).map_err(|_| full())?;
        let end = start.checked_add(bytes.len()).ok_or_else(full)?;
        let mut buffer = self.lock().unwrap_or_else(PoisonError::into_inner);
        if end > buffer.len() {
            let more = end - buffer.len();
            buffer.try_reserve(more).map_err(|_| full())?;
            buffer.resize(end, 0);
        }
        buffer[start..end].copy_from_slice(bytes);
        Ok(())
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

impl<T: WriteAt + ?Sized> WriteAt for &T {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        (**self).write_all_at(bytes, offset)
    }

    fn takes_turns(&self) -> bool {
        (**self).takes_turns()
    }
}

/// Fills a buffer as far as the input goes. `read` is given the rest of the buffer and the number of bytes before it. It
/// comes from the user of this crate: if it says that it read more than there was room for, that is an error.
pub(crate) fn fill(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match read(&mut buffer[done..], done as u64) {
            Ok(0) => break,
            Ok(len) if len > buffer.len() - done => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "more bytes were read than were asked for",
                ));
            }
            Ok(len) => done += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_end_where_they_end() {
        let buffer = Mutex::new(Vec::new());
        buffer.write_all_at(b"cd", 2).unwrap();
        buffer.write_all_at(b"ab", 0).unwrap();
        assert_eq!(*buffer.lock().unwrap(), b"abcd");
        assert_eq!(buffer.size().unwrap(), 4);
        assert!(buffer.write_all_at(b"x", u64::MAX).is_err());
        for (offset, expected) in [(0, &b"abc"[..]), (2, b"cd"), (4, b""), (5, b""), (u64::MAX, b"")] {
            let mut read = [0; 3];
            let len = buffer.read_at(&mut read, offset).unwrap();
            assert_eq!(&read[..len], expected, "{offset}");
            let bytes = buffer.lock().unwrap().clone();
            assert_eq!(bytes.read_at(&mut read, offset).unwrap(), len);
            assert_eq!(bytes[..].read_at(&mut read, offset).unwrap(), len);
        }
    }
}
