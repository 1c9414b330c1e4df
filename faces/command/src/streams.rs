//! Standard input and output, pipes and devices: files that are read and written in order.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::os::{self, Metadata};

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
        os::stdin().map(Stream)
    }

    /// Returns standard output, without the buffer of the standard library.
    ///
    /// # Errors
    ///
    /// Fails if it was closed when the process was started.
    pub fn stdout() -> io::Result<Stream> {
        os::stdout().map(Stream)
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.0
    }

    /// Returns its metadata from the system.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        os::metadata_of(&self.0)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        os::waiting_read(&self.0, |mut file| file.read(buffer))
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        os::waiting_write(&self.0, |mut file| file.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A descriptor that this process was started with, by its number: that descriptor itself, at the position
/// it has, and not a new opening of its file.
pub(crate) fn duplicate(number: u32) -> io::Result<Stream> {
    os::descriptor(number).map(Stream)
}

#[cfg(all(test, unix))]
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
