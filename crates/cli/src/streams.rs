//! Standard input and output, pipes and devices: files that are read and written in order.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};

/// Such a file. Its reads and writes wait, even where another program has set the shared file not to
/// wait.
pub(crate) struct Stream(File);

impl Stream {
    /// A file that is to be read or written in order.
    pub(crate) fn new(file: File) -> Stream {
        Stream(file)
    }

    /// Standard input, without the buffer of the standard library.
    pub(crate) fn stdin() -> io::Result<Stream> {
        Ok(Stream(io::stdin().as_fd().try_clone_to_owned()?.into()))
    }

    /// Standard output, without the buffer of the standard library.
    pub(crate) fn stdout() -> io::Result<Stream> {
        Ok(Stream(io::stdout().as_fd().try_clone_to_owned()?.into()))
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

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    #[test]
    fn a_pipe_that_does_not_wait_is_waited_for() {
        let (reader, writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let (mut reader, mut writer) = (Stream::new(reader.into()), Stream::new(writer.into()));
        let sent: Vec<u8> = (0..1_000_000_u32).map(|i| i as u8).collect();
        let received = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                writer.write_all(&sent).unwrap();
                drop(writer);
            });
            let mut received = Vec::new();
            reader.read_to_end(&mut received).unwrap();
            received
        });
        assert!(received == sent);
    }
}
