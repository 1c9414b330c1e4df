//! Counter mode.

use abreast::modes::{CounterWidth, Ctr as CpuCtr};
use abreast::{BlockCipher, InOutBuf};

use crate::Error;
use crate::cipher::{Cipher, Mode, Stopped};
use crate::slot::Times;

/// Counter mode (SP 800-38A, section 6.5): a message or stream, as [`abreast::modes::Ctr`] is one.
///
/// ```no_run
/// use abreast::{kernels::Algorithm, modes::CounterWidth};
/// use abreast_gpu::{Cipher, Costs, Gpu, Options, find_device};
///
/// let options = Options::with_cache(std::path::Path::new("/var/cache/program"));
/// let gpu = Gpu::open(&find_device(None)?, &options)?;
/// let aes = Algorithm::from_name("aes-128").ok_or("no such cipher")?;
/// // Short pieces are done by the CPU, by costs that are measured once.
/// let cipher = Cipher::new(&gpu, aes, &[7; 16])?.with_costs(Costs::of(&gpu, aes)?);
/// let mut stream = cipher.ctr(&[0; 16], CounterWidth::Bits128)?;
/// for piece in vec![0; 100 << 20].chunks_mut(30 << 20) {
///     let times = stream.apply(piece.into())?;
///     println!("{:.3} s of kernels", times.kernels);
/// }
/// assert_eq!(stream.position(), 100 << 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ctr<'c> {
    cipher: &'c Cipher,
    cpu: CpuCtr<&'c dyn BlockCipher>,
    first: u128,
    mask: u128,
    position: u128,
}

impl Cipher {
    /// Makes the stream that begins with a counter block.
    ///
    /// # Errors
    /// [`Error::Cipher`] if the counter block is not as long as the cipher's blocks, or has fewer bits than are to count.
    pub fn ctr(&self, counter_block: &[u8], width: CounterWidth) -> Result<Ctr<'_>, Error> {
        let cpu = CpuCtr::from_cipher(self.cpu(), counter_block, width)?;
        let mut first = [0; 16];
        first[16 - counter_block.len()..].copy_from_slice(counter_block);
        let mask = u128::MAX >> (128 - width.bits());
        Ok(Ctr { cipher: self, cpu, first: u128::from_be_bytes(first), mask, position: 0 })
    }
}

impl Ctr<'_> {
    /// Xors the next keystream into the data.
    ///
    /// # Errors
    /// [`Error::Cipher`] with [`abreast::Error::CounterExhausted`], before anything was done. If the device fails, the stream
    /// goes on after the bytes that are done.
    pub fn apply(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<Times, Stopped> {
        let end = self.position.checked_add(io.len() as u128);
        let end = end.ok_or(abreast::Error::CounterExhausted).map_err(Stopped::before)?;
        // The CPU's stream knows where counters would repeat.
        self.cpu.seek_to(end).map_err(Stopped::before)?;
        let block = self.cipher.algorithm().block_size();
        let begun = (self.position % block as u128) as usize;
        let head = ((block - begun) % block).min(io.len());
        let whole = (io.len() - head) / block * block;
        let (head, rest) = io.split_at(head);
        let (blocks, tail) = rest.split_at(whole);
        let before = head.len();
        self.on_cpu(head)?;
        let from = self.position;
        let first = self.first & !self.mask | self.first.wrapping_add(from / block as u128) & self.mask;
        let ran = self.cipher.run(Mode::Ctr { first, mask: self.mask }, blocks, |io| {
            self.cpu.seek_to(from + (whole - io.len()) as u128)?;
            self.cpu.apply(io)
        });
        match ran {
            Ok(times) => {
                self.position = from + whole as u128;
                self.on_cpu(tail)?;
                Ok(times)
            }
            Err(Stopped { error, done }) => {
                self.position = from + done as u128;
                Err(Stopped { error, done: before + done })
            }
        }
    }

    /// Returns the byte of the stream that comes next.
    #[must_use]
    pub fn position(&self) -> u128 {
        self.position
    }

    fn on_cpu(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Stopped> {
        if !io.is_empty() {
            let len = io.len() as u128;
            self.cpu.seek_to(self.position).and_then(|()| self.cpu.apply(io)).map_err(Stopped::before)?;
            self.position += len;
        }
        Ok(())
    }
}
