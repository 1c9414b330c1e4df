//! Standard input and output, pipes and devices: files that are read and written in order.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use filedescriptor::FileDescriptor;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl};

/// A file that is read or written in order. Its reads and writes wait, even where another program has set the shared
/// file not to wait.
pub struct Stream(File);

impl Stream {
    /// A file that is to be read or written in order.
    pub(crate) fn new(file: File) -> Stream {
        Stream(file)
    }

    /// Standard input, without the buffer of the standard library. One that was closed is an error.
    pub(crate) fn stdin() -> io::Result<Stream> {
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if stands_for_closed(&file)? {
            return Err(io::Error::other("is closed; for an input of no bytes, write < /dev/null"));
        }
        Ok(Stream(file))
    }

    /// Returns standard output, without the buffer of the standard library.
    ///
    /// # Errors
    ///
    /// Fails if it was closed when the process was started.
    pub fn stdout() -> io::Result<Stream> {
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        if stands_for_closed(&file)? {
            return Err(io::Error::other(
                "is closed, or /dev/null opened for reading, too; to discard the output, write > /dev/null",
            ));
        }
        Ok(Stream(file))
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.0
    }

    /// Does `work` until it does not ask to come again.
    fn wait<T>(&self, flags: PollFlags, mut work: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        loop {
            match work(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match poll(&mut [PollFd::new(&self.0, flags)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(errno) => return Err(errno.into()),
                    }
                }
                done => return done,
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait(PollFlags::IN, |mut file| file.read(buffer))
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.wait(PollFlags::OUT, |mut file| file.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns true if a standard stream was closed when the command was started.
///
/// The standard library opens `/dev/null` for reading and writing in place of a closed one, before anything here runs.
/// So one like that is taken for closed; a shell opens it one way only, by `< /dev/null` and `> /dev/null`.
fn stands_for_closed(file: &File) -> io::Result<bool> {
    let null = fs::metadata("/dev/null").map_or(0, |null| null.rdev());
    Ok(null != 0
        && file.metadata()?.rdev() == null
        && fcntl_getfl(file)?.intersection(OFlags::RWMODE) == OFlags::RDWR)
}

/// A descriptor that this process was started with, by its number: that descriptor itself, at the position
/// it has, and not a new opening of its file.
pub(crate) fn duplicate(number: u32) -> io::Result<Stream> {
    // Descriptors that the command opened itself are closed in other programs, and nobody can mean them. To
    // read from one, say the one that signals arrive on, could wait forever.
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0);
    let missing = || io::Error::other("the command was started without this descriptor");
    if flags & OFlags::CLOEXEC.bits() != 0 {
        return Err(missing());
    }
    if flags & OFlags::RWMODE.bits() == OFlags::WRONLY.bits() {
        return Err(io::Error::other(
            "is open for writing alone: give a descriptor that is open for reading, as in \
             --passphrase-fd 3 3< FILE",
        ));
    }
    let number = i32::try_from(number).map_err(|_| missing())?;
    let duplicate = FileDescriptor::dup(&number).map_err(|_| missing())?;
    let file = duplicate.as_file().map_err(io::Error::other)?;
    if stands_for_closed(&file)? { Err(missing()) } else { Ok(Stream(file)) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    #[test]
    fn a_pipe_that_does_not_wait_is_waited_for() {
        let (reader, writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let (mut reader, mut writer) = (Stream::new(reader.into()), Stream::new(writer.into()));
        let sent: Vec<u8> = (0..1_000_000_u32).map(|i| i as u8).collect();
        let expected = sent.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            writer.write_all(&sent).unwrap();
        });
        let (done, received) = mpsc::channel();
        thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            done.send(all).unwrap();
        });
        // Neither thread is joined, so that one that waits forever fails the test and does not hang it.
        let received = received.recv_timeout(Duration::from_secs(120)).expect("all bytes within the limit");
        assert!(received == expected);
    }
}
