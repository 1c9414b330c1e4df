//! Block ciphers under one key, and how consecutive blocks go through a device in a mode.
//!
//! Chunks are whole blocks; the CPU does a partial block (`ctr.rs`, `xts.rs`). Of each chunk that comes back, the first block,
//! the last one and one between are computed by the CPU too, and nothing of a chunk is handed out in which one of them differs.

use core::fmt;
use std::sync::Arc;

use abreast::for_devices::tweak_after;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Direction};
use abreast::{BlockCipher, InOutBuf};
use zeroize::Zeroizing;

use crate::Error;
use crate::copy::copy;
use crate::cost::Costs;
use crate::gpu::{CHUNKS_UNDER_WAY, Gpu, KernelCall, Task, Work};
use crate::layout::Layout;
use crate::program::Program;
use crate::slot::{KeyBuffer, Times};
use crate::tweaks::Tweaks;

/// A block cipher under a key, for a device and for the CPU.
pub struct Cipher {
    gpu: Arc<Gpu>,
    algorithm: Algorithm,
    layout: Layout,
    keys: KeyBuffer,
    cpu: Box<dyn BlockCipher>,
    /// Costs that choose between device and CPU; without them, all data goes through the device.
    costs: Option<Costs>,
}

impl Cipher {
    /// Makes a cipher whose kernels need not have been compiled and tested: `tested.rs` makes the ciphers that are handed out.
    pub(crate) fn untested(gpu: &Arc<Gpu>, algorithm: Algorithm, key: &[u8]) -> Result<Self, Error> {
        let cpu = algorithm.with_key(key, None)?;
        let layout = Layout::of(algorithm).ok_or(Error::Unsupported(NO_KERNEL))?;
        let keys = gpu.upload_keys(&layout.round_keys(key)?)?;
        Ok(Self { gpu: gpu.clone(), algorithm, layout, keys, cpu, costs: None })
    }

    /// Lets the CPU work, too: where it is faster by these costs, and where the device fails.
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Self {
        self.costs = Some(costs);
        self
    }

    /// Returns the program of its kernels.
    pub(crate) fn program(&self) -> Program {
        self.layout.program
    }

    /// True if the CPU may do some of the work.
    pub(crate) fn may_use_cpu(&self) -> bool {
        self.costs.is_some()
    }

    /// Returns the algorithm of the cipher.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the device.
    #[must_use]
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Returns the cipher under the same key on the CPU.
    pub(crate) fn cpu(&self) -> &dyn BlockCipher {
        &*self.cpu
    }

    /// Encrypts whole blocks, each on its own, as [`BlockCipher::encrypt_raw_blocks`] does.
    ///
    /// ```no_run
    /// use abreast::kernels::Algorithm;
    /// use abreast_gpu::{Cipher, Gpu, Options, find_device};
    ///
    /// let gpu = Gpu::open(&find_device(Some("H100"))?, &Options::default())?;
    /// let aes = Cipher::new(&gpu, Algorithm::from_name("aes-128").ok_or("no such cipher")?, &[7; 16])?;
    /// let mut blocks = vec![0; 64 << 20];
    /// aes.encrypt_raw_blocks(blocks.as_mut_slice().into())?;
    /// aes.decrypt_raw_blocks(blocks.as_mut_slice().into())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Cipher`] with [`abreast::Error::PartialBlock`], before anything was done. If the device fails, the error says
    /// why, and the [`Stopped`] around it how many bytes from the beginning are done; the others are as they were.
    pub fn encrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<Times, Stopped> {
        self.ecb(Direction::Encrypt, io)
    }

    /// Decrypts whole blocks, each on its own.
    ///
    /// # Errors
    /// The errors of [`encrypt_raw_blocks`](Self::encrypt_raw_blocks).
    pub fn decrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<Times, Stopped> {
        self.ecb(Direction::Decrypt, io)
    }

    fn ecb(&self, direction: Direction, io: InOutBuf<'_, '_, u8>) -> Result<Times, Stopped> {
        if !io.len().is_multiple_of(self.algorithm.block_size()) {
            return Err(Stopped::before(abreast::Error::PartialBlock));
        }
        let mode = Mode::Ecb(direction);
        self.run(mode, io, |io| raw_blocks(self.cpu(), direction, io))
    }

    /// Does whole blocks on the device or, where that is allowed, with `on_cpu`, which gets the remaining blocks.
    pub(crate) fn run(
        &self,
        mode: Mode<'_>,
        io: InOutBuf<'_, '_, u8>,
        mut on_cpu: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), abreast::Error>,
    ) -> Result<Times, Stopped> {
        if self.costs.is_some_and(|costs| !self.gpu.is_usable() || costs.cpu_is_faster(io.len())) {
            return on_cpu(io).map(|()| Times::default()).map_err(Stopped::before);
        }
        let mut stream = Stream::new(self, mode, io);
        match self.run_work(&mut stream) {
            Ok(times) => Ok(times),
            Err(error) => {
                let Stream { io, done, .. } = stream;
                if self.costs.is_none() {
                    return Err(Stopped { error, done });
                }
                let rest = io.split_at(done).1;
                on_cpu(rest).map(|()| Times::default()).map_err(|error| Stopped { error: error.into(), done })
            }
        }
    }
}

impl Cipher {
    /// Runs work that wants the round keys.
    pub(crate) fn run_work(&self, work: &mut dyn Work) -> Result<Times, Error> {
        self.gpu.run(work, Some(&self.keys))
    }
}

/// Error text for a cipher without kernels.
const NO_KERNEL: &str = "there is no kernel for this cipher on OpenCL devices";

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

/// The error that ended work early, and the part that is done.
///
/// ```
/// use abreast::{BlockCipher, aes::Aes128};
/// use abreast_gpu::{Error, Stopped};
///
/// /// Lets the CPU do what a device that failed has left.
/// fn go_on(aes: &Aes128, stopped: &Stopped, blocks: &mut [u8]) -> Result<(), abreast::Error> {
///     eprintln!("{stopped}, so the CPU goes on from byte {}", stopped.done);
///     aes.encrypt_raw_blocks((&mut blocks[stopped.done..]).into())
/// }
///
/// let (aes, mut blocks) = (Aes128::new(&[7; 16]), [0; 64]);
/// // A device has done the first half.
/// aes.encrypt_raw_blocks((&mut blocks[..32]).into())?;
/// go_on(&aes, &Stopped { error: Error::OutOfMemory, done: 32 }, &mut blocks)?;
/// assert_eq!(blocks[..32], blocks[32..]);
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The error that ended the work.
    pub error: Error,
    /// Bytes from the beginning that are done. The others are unchanged.
    pub done: usize,
}

impl Stopped {
    pub(crate) fn before(error: impl Into<Error>) -> Self {
        Self { error: error.into(), done: 0 }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl core::error::Error for Stopped {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Encrypts or decrypts whole blocks on the CPU.
pub(crate) fn raw_blocks(
    cipher: &dyn BlockCipher,
    direction: Direction,
    io: InOutBuf<'_, '_, u8>,
) -> Result<(), abreast::Error> {
    match direction {
        Direction::Encrypt => cipher.encrypt_raw_blocks(io),
        Direction::Decrypt => cipher.decrypt_raw_blocks(io),
    }
}

/// A mode, with its state for consecutive blocks.
pub(crate) enum Mode<'t> {
    Ecb(Direction),
    /// The counter of the first block, and how many bits of it count.
    Ctr {
        first: u128,
        mask: u128,
    },
    Xts {
        direction: Direction,
        tweaks: Tweaks<'t>,
    },
}

/// Consecutive blocks on their way through a device.
pub(crate) struct Stream<'c, 't, 'i, 'o> {
    cipher: &'c Cipher,
    mode: Mode<'t>,
    io: InOutBuf<'i, 'o, u8>,
    /// Bytes that have gone to the device, and that are done.
    next: usize,
    done: usize,
    /// The offset of the chunk in each slot, and its length in bytes.
    chunks: [(usize, usize); CHUNKS_UNDER_WAY],
}

impl<'c, 't, 'i, 'o> Stream<'c, 't, 'i, 'o> {
    /// Makes the stream of all of the data, which is whole blocks.
    pub(crate) fn new(cipher: &'c Cipher, mode: Mode<'t>, io: InOutBuf<'i, 'o, u8>) -> Self {
        Self { cipher, mode, io, next: 0, done: 0, chunks: [(0, 0); CHUNKS_UNDER_WAY] }
    }

    /// Begins anew.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    fn block(&self) -> usize {
        self.cipher.algorithm.block_size()
    }

    /// Returns the number of blocks that share an encrypted tweak; one for modes that have none.
    fn blocks_of_a_tweak(&self) -> usize {
        if let Mode::Xts { tweaks, .. } = &self.mode { tweaks.blocks } else { 1 }
    }

    /// Returns the number of bytes of data that fit in a staging buffer beside their tweaks.
    fn payload(&self, room: usize) -> usize {
        let together = self.blocks_of_a_tweak() * self.block();
        match self.mode {
            // Work items take two blocks: half an item's room stays free.
            Mode::Xts { .. } => (room - 32) / (together + 16) * together,
            _ => room,
        }
    }

    /// True if the CPU computes the same result for a block of a chunk.
    fn is_right(&self, at: usize, len: usize, block_at: usize, staging: &[u8]) -> bool {
        let size = self.block();
        let mut expected = Zeroizing::new([0; 16]);
        let expected = &mut expected[..size];
        expected.copy_from_slice(&self.io.get_in()[at + block_at..][..size]);
        let cpu = self.cipher.cpu();
        let done = match &self.mode {
            Mode::Ecb(direction) => raw_blocks(cpu, *direction, (&mut *expected).into()),
            Mode::Ctr { first, mask } => {
                let number = ((at + block_at) / size) as u128;
                let counter = first & !mask | first.wrapping_add(number) & mask;
                let counter = counter.to_be_bytes();
                CpuCtr::from_cipher(cpu, &counter[16 - size..], CounterWidth::Bits64)
                    .and_then(|mut ctr| ctr.apply(&mut *expected))
            }
            Mode::Xts { direction, tweaks } => {
                let block = block_at / size;
                let place = tweaks.place(len) + block / tweaks.blocks * 16;
                let tweak = staging[place..].first_chunk().copied().map(u128::from_le_bytes).unwrap_or(0);
                let tweak = tweak_after(tweak, (block % tweaks.blocks) as u32).to_le_bytes();
                xor(expected, &tweak);
                let done = raw_blocks(cpu, *direction, (&mut *expected).into());
                xor(expected, &tweak);
                done
            }
        };
        done.is_ok() && *expected == staging[block_at..][..size]
    }
}

/// Adds one text to another.
pub(crate) fn xor(a: &mut [u8], b: &[u8]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
}

impl Work for Stream<'_, '_, '_, '_> {
    fn program(&self) -> Program {
        self.cipher.layout.program
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        let (at, len) = (self.next, self.payload(staging.len()).min(self.io.len() - self.next));
        if len == 0 {
            return None;
        }
        let Layout { program, rounds, big_endian } = self.cipher.layout;
        copy(&mut staging[..len], &self.io.get_in()[at..at + len], self.cipher.gpu.copy_threads());
        let (block, of_an_item) = (self.block(), program.blocks_of_an_item());
        let items = (len / block).div_ceil(of_an_item);
        let blocks = (items * of_an_item) as u32;
        let mut up = len;
        let mut first = [0; 4];
        let mut mask = [0; 4];
        let kernel = match &mut self.mode {
            Mode::Ecb(Direction::Encrypt) => "ecb_encrypt",
            Mode::Ecb(Direction::Decrypt) => "ecb_decrypt",
            Mode::Ctr { first: counter, mask: counting } => {
                let here = counter.wrapping_add((at / block) as u128);
                first = words_of_number(*counter & !*counting | here & *counting);
                mask = words_of_number(*counting);
                "ctr"
            }
            Mode::Xts { direction, tweaks } => {
                let place = tweaks.place(len);
                first[0] = (place / 16) as u32;
                up = place + tweaks.write(len / block, &mut staging[place..]);
                if *direction == Direction::Encrypt { "xts_encrypt" } else { "xts_decrypt" }
            }
        };
        let how = [blocks, rounds, u32::from(big_endian), self.blocks_of_a_tweak() as u32];
        self.chunks[slot] = (at, len);
        self.next += len;
        let step = KernelCall { kernel, how, first, mask, items };
        Some(Task { up: 0..up, steps: vec![step], down: 0..len })
    }

    fn take(&mut self, slot: usize, staging: &[u8]) -> bool {
        let (at, len) = self.chunks[slot];
        let block = self.block();
        let last = len - block;
        // Somewhere else in each chunk.
        let between = (at / block).wrapping_mul(0x9e37_79b9) % (len / block) * block;
        if ![0, between, last].into_iter().all(|block_at| self.is_right(at, len, block_at, staging)) {
            return false;
        }
        copy(&mut self.io.get_out()[at..at + len], &staging[..len], self.cipher.gpu.copy_threads());
        self.done = at + len;
        true
    }
}

/// Returns a number of 128 bits as words, the lowest first.
fn words_of_number(number: u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (number >> shift) as u32)
}
