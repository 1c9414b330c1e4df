//! The tweaks of XTS (IEEE 1619, section 5.2) as the device gets them: one for each run of blocks, computed by the CPU.

use abreast::BlockCipher128;
use abreast::for_devices::tweak_after;

/// Bytes of a block.
const BLOCK: usize = 16;

/// The most blocks whose tweaks the device computes from one: the highest power that `times_x` of `modes.cl` multiplies
/// by, and one more.
pub(crate) const MOST_BLOCKS_OF_A_TWEAK: usize = 32;

/// Returns the tweak of the first block of a unit.
pub(crate) fn encrypted(cipher: &dyn BlockCipher128, number: u128) -> Result<u128, abreast::Error> {
    let mut block = number.to_le_bytes();
    cipher.encrypt_raw_blocks(block.as_mut_slice().into())?;
    Ok(u128::from_le_bytes(block))
}

/// The tweaks of consecutive units, one for every run of `blocks` blocks, in their order.
pub(crate) struct Tweaks<'t> {
    cipher: &'t dyn BlockCipher128,
    /// Blocks of a run: as many as the device can go, so that runs fill a unit.
    pub(crate) blocks: usize,
    /// Runs of a unit.
    runs: usize,
    /// The next unit, the next run of it, and the tweak of that unless it is the first.
    number: u128,
    run: usize,
    tweak: u128,
}

impl<'t> Tweaks<'t> {
    /// Makes tweaks for units of `blocks_of_a_unit` blocks.
    pub(crate) fn new(cipher: &'t dyn BlockCipher128, number: u128, blocks_of_a_unit: usize) -> Self {
        let most = MOST_BLOCKS_OF_A_TWEAK.min(blocks_of_a_unit);
        let blocks = (1..=most).rev().find(|&blocks| blocks_of_a_unit.is_multiple_of(blocks)).unwrap_or(1);
        Self { cipher, blocks, runs: blocks_of_a_unit / blocks, number, run: 0, tweak: 0 }
    }

    /// Returns the offset of the tweaks in a staging buffer, for a chunk with `len` bytes of data.
    pub(crate) fn place(&self, len: usize) -> usize {
        // Behind the last work item, which may have two blocks.
        len.next_multiple_of(2 * BLOCK)
    }

    /// Writes the tweaks of the next `blocks` blocks, and says how many bytes they are.
    pub(crate) fn write(&mut self, blocks: usize, out: &mut [u8]) -> usize {
        let out = &mut out[..blocks.div_ceil(self.blocks) * BLOCK];
        let len = out.len();
        if self.runs == 1 {
            // All in one call, since the CPU is fast at many blocks.
            for place in out.as_chunks_mut().0 {
                *place = self.number.to_le_bytes();
                self.number = self.number.wrapping_add(1);
            }
            self.cipher.encrypt_raw_blocks(out.into()).expect("tweaks are whole blocks");
            return len;
        }
        for place in out.as_chunks_mut().0 {
            if self.run == 0 {
                self.tweak = encrypted(self.cipher, self.number).expect("a tweak is a whole block");
            }
            *place = self.tweak.to_le_bytes();
            self.tweak = tweak_after(self.tweak, self.blocks as u32);
            self.run += 1;
            if self.run == self.runs {
                self.run = 0;
                self.number = self.number.wrapping_add(1);
            }
        }
        len
    }
}
