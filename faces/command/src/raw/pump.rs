//! From the input to the output, through one buffer, in place.
//!
//! Decryption that ends in a check keeps back the end of the input, which decides, and its output until
//! it is decided: under the temporary name of a file, or in memory where the output shows at once.

use std::fmt::Display;
use std::io::{self, Write};

use abreast::{Counted, Error, InOutBuf};
use zeroize::Zeroizing;

use crate::args::{RawCipher, RawRun};
use crate::failure::{Exit, Failure};
use crate::outputs::Outputs;
use crate::source::Source;
use crate::target::{Replace, Target};

/// Bytes that go through at a time: whole blocks of any cipher, and small enough for the L2 cache.
pub(super) const BATCH: usize = 128 * 1024;

/// Error text for a message that is needed as a whole and does not fit in memory.
const NO_MEMORY: &str = "does not fit in memory, where this cipher needs the whole message";

/// The longest message that is held in memory until it may be released.
const MAX_HELD: usize = 16 * 1024 * 1024;

/// The path from the input to the output.
pub(crate) struct Pump {
    /// The input.
    source: Source,
    /// The output.
    target: Target,
    /// The files that the output must not be.
    outputs: Outputs,
    /// The bytes on their way.
    buffer: Zeroizing<Vec<u8>>,
    /// Bytes in the buffer that are to go through yet.
    filled: usize,
    /// Bytes that the input gave so far.
    read: u64,
    /// Bytes in a block of the cipher, if it has blocks.
    block: Option<usize>,
}

impl Pump {
    /// Opens both. `batch` bytes go through at a time.
    pub(crate) fn open(run: &RawRun, batch: usize) -> Result<Pump, Failure> {
        let mut outputs = Outputs::without_inputs();
        outputs.keep_input(&run.input, false);
        outputs.check_pipe(&run.output)?;
        let source = Source::open(&run.input)?;
        outputs.keep(source.metadata(), "is the input");
        // Before the output is created, which would be left if the process ended for lack of memory.
        let buffer = Zeroizing::new(reserve(batch, &source)?);
        let target = Target::create(&run.output, Replace::by_force(run.force), &outputs)?;
        let block = match run.cipher {
            RawCipher::Block(cipher) => Some(cipher.block_size()),
            RawCipher::Aez | RawCipher::Rc4 => None,
        };
        let mut pump = Pump { source, target, outputs, buffer, filled: 0, read: 0, block };
        pump.buffer.resize(batch, 0);
        Ok(pump)
    }

    /// Fills the buffer as far as the input goes, and says whether it is full: there may be more.
    fn fill(&mut self) -> Result<bool, Failure> {
        while self.filled < self.buffer.len() {
            match self.source.reader().read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Ok(false),
                Ok(len) => {
                    self.filled += len;
                    self.read += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(self.source.path(), &error)),
            }
        }
        Ok(true)
    }

    /// Writes the beginning of the buffer.
    fn write(&mut self, len: usize) -> Result<(), Failure> {
        let written = self.target.write_all(&self.buffer[..len]);
        written.map_err(|error| Failure::output(self.target.path(), &error))
    }

    /// Makes the output final, if the input did not change while it was read.
    fn commit(mut self) -> Result<(), Failure> {
        self.source.check_unchanged(self.source.len().map(|_| self.read))?;
        self.target.commit(&mut self.outputs)
    }

    /// Returns the failure for an error of the cipher.
    fn refused(&self, error: Error) -> Failure {
        match (error, self.block) {
            (Error::PartialBlock, Some(block)) => {
                let cause = format_args!(
                    "has {}, which is not a whole number of blocks of {block}; --mode cbc-pkcs7 encrypts any length",
                    Counted(self.read, "bytes")
                );
                Failure::new(Exit::Usage, self.source.path(), cause)
            }
            (error, _) => Failure::cipher(self.source.path(), error),
        }
    }

    /// Passes everything through `work`, and ends.
    pub(crate) fn stream(
        mut self,
        work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        self.pass(work)?;
        self.commit()
    }

    /// Passes everything through `work`.
    pub(super) fn pass(
        &mut self,
        mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        self.pass_full(&mut work)?;
        self.pass_buffer(work)
    }

    /// Passes full buffers through `work`, and leaves the rest in the buffer: less than it holds.
    pub(super) fn pass_full(
        &mut self,
        mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        while self.fill()? {
            self.pass_buffer(&mut work)?;
        }
        Ok(())
    }

    /// Passes the contents of the buffer through `work`.
    fn pass_buffer(
        &mut self,
        work: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        work((&mut self.buffer[..self.filled]).into()).map_err(|error| self.refused(error))?;
        self.write(self.filled)?;
        self.filled = 0;
        Ok(())
    }

    /// Takes the whole message into the buffer, and leaves `room` bytes free after it.
    pub(super) fn gather(&mut self, room: usize) -> Result<(), Failure> {
        // A file whose length is known goes to its place at once; a byte more shows that it ends there.
        let len = self.source.len().unwrap_or(0).try_into().unwrap_or(usize::MAX);
        self.grow(len.saturating_add(room.max(1)))?;
        while self.fill()? {
            self.grow(self.buffer.len().saturating_mul(2))?;
        }
        self.grow(self.filled.saturating_add(room))
    }

    /// Moves to a buffer of that length if this one is shorter, and leaves no plaintext behind.
    fn grow(&mut self, len: usize) -> Result<(), Failure> {
        if len > self.buffer.len() {
            let mut buffer = Zeroizing::new(reserve(len, &self.source)?);
            buffer.extend_from_slice(&self.buffer[..self.filled]);
            buffer.resize(len, 0);
            self.buffer = buffer;
        }
        Ok(())
    }

    /// Returns the number of bytes in the buffer in front of the last `tail`. A shorter message is the error `too_short`.
    pub(super) fn in_front_of(
        &self,
        tail: usize,
        (exit, too_short): (Exit, impl Display),
    ) -> Result<usize, Failure> {
        let len = self.filled.checked_sub(tail);
        len.ok_or_else(|| Failure::new(exit, self.source.path(), too_short))
    }

    /// Shows everything to `work`, and writes nothing.
    pub(super) fn read(&mut self, mut work: impl FnMut(&[u8])) -> Result<(), Failure> {
        loop {
            let more = self.fill()?;
            work(&self.buffer[..self.filled]);
            self.filled = 0;
            if !more {
                return Ok(());
            }
        }
    }

    /// Writes the bytes that `make` makes of the buffer and the number of bytes left there, and ends.
    pub(super) fn end_with(
        mut self,
        make: impl FnOnce(&mut [u8], usize) -> Result<usize, Error>,
    ) -> Result<(), Failure> {
        let len = make(&mut self.buffer, self.filled).map_err(|error| self.refused(error))?;
        self.write(len)?;
        self.commit()
    }

    /// Passes all but the last `tail` bytes through `work`, and lets none of it show. A shorter
    /// message is the error `too_short`.
    pub(super) fn withhold(
        mut self,
        tail: usize,
        too_short: (Exit, impl Display + Copy),
        mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<Withheld, Failure> {
        let hold = self.target.shows_at_once();
        // Reserved at once, so that no plaintext stays behind where it grew from.
        let mut held = Zeroizing::new(reserve(if hold { MAX_HELD } else { 0 }, &self.source)?);
        loop {
            let more = self.fill()?;
            let len = self.in_front_of(tail, too_short)?;
            work((&mut self.buffer[..len]).into()).map_err(|error| self.refused(error))?;
            if !hold {
                self.write(len)?;
            } else if held.len() + len <= MAX_HELD {
                held.extend_from_slice(&self.buffer[..len]);
            } else {
                let cause = "too long to hold back from a pipe until its end is verified: use -o FILE";
                return Err(Failure::new(Exit::Io, self.source.path(), cause));
            }
            // The possible tail moves to the front.
            self.buffer.copy_within(len..self.filled, 0);
            self.filled = tail;
            if !more {
                return Ok(Withheld { pump: self, held });
            }
        }
    }
}

/// Takes memory for `len` bytes of an input.
fn reserve(len: usize, source: &Source) -> Result<Vec<u8>, Failure> {
    let mut buffer = Vec::new();
    let reserved = buffer.try_reserve_exact(len);
    reserved.map_err(|_| Failure::new(Exit::Io, source.path(), NO_MEMORY))?;
    Ok(buffer)
}

/// A message that does not show before its end has been looked at.
pub(super) struct Withheld {
    /// The pump, with the end of the message in its buffer.
    pump: Pump,
    /// The bytes to write first.
    held: Zeroizing<Vec<u8>>,
}

impl Withheld {
    /// Lets the message show, and ends, if `decide` finds nothing wrong with its end; that gives the
    /// number of bytes of it, as it leaves them, that are part of the message.
    pub(super) fn release(
        self,
        decide: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
    ) -> Result<(), Failure> {
        let Withheld { mut pump, held } = self;
        let len = decide(&mut pump.buffer[..pump.filled]).map_err(|error| pump.refused(error))?;
        let written = pump.target.write_all(&held);
        written.map_err(|error| Failure::output(pump.target.path(), &error))?;
        pump.write(len)?;
        pump.commit()
    }
}
