//! Sixteen streams in the lanes of AVX-512 registers, each with its `S` in a table of its own.
//!
//! The tables lie row by row: row `k` holds `S[k]` of all streams. `i` is the same for all of them, so `S[i]` is a
//! register in memory; `S[j]` and the output are gathered, and the new `S[j]` is scattered. A stream that is at
//! another `i` has its table turned, `S[i + k]` in row `k`. Then `j` is counted from there too, and only the
//! output has to know.

use super::many::Elsewhere;
use super::stream::{BUFFER, Buffers};
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::x86::{Avx512, Avx512Words, LaneTables};
use abreast_simd::{Isa, Word as _, Words};
use zeroize::optimization_barrier;

/// Streams side by side.
pub(crate) const LANES: usize = 16;

/// Bytes in each stream from which lanes pay.
pub(crate) const LEAST: usize = 2048;

/// Bytes of a pass: once around the tables.
const PASS: usize = BUFFER;

/// The tables and keystream of all lanes, in memory.
#[repr(align(64))]
pub(super) struct StreamLanes {
    s: LaneTables,
    j: [[u8; 4]; LANES],
    /// Four bytes of keystream in each lane.
    keystream: [[u8; 64]; PASS / 4],
    isa: Avx512,
}

impl StreamLanes {
    pub(super) fn new(isa: Avx512) -> Self {
        Self { s: [[0; 64]; 256], j: [[0; 4]; LANES], keystream: [[0; 64]; PASS / 4], isa }
    }
}

impl Drop for StreamLanes {
    fn drop(&mut self) {
        (self.s, self.j, self.keystream) = ([[0; 64]; 256], [[0; 4]; LANES], [[0; 64]; PASS / 4]);
        optimization_barrier(self);
    }
}

/// A stream that has a lane.
type Seated<'s, 'i, 'o> = Option<Elsewhere<'s, 'i, 'o>>;

/// Takes streams on in lanes for as long as there are enough of them, and returns the rest.
// Not inlined: the tables are 20 KiB of stack, which the ways for the rest of the streams would be on top of.
#[inline(never)]
pub(super) fn in_lanes<'s, 'i, 'o>(
    isa: Avx512,
    streams: &mut dyn Iterator<Item = Elsewhere<'s, 'i, 'o>>,
) -> [Seated<'s, 'i, 'o>; LANES] {
    let mut tables = StreamLanes::new(isa);
    let mut lanes = [const { None }; LANES];
    while lanes.iter_mut().all(|lane| occupy(lane, streams)) {
        tables.run(&mut lanes);
    }
    lanes
}

/// Finishes a stream that is too short for its lane, and finds another one. True if the lane has a stream.
fn occupy<'s, 'i, 'o>(
    lane: &mut Seated<'s, 'i, 'o>,
    streams: &mut dyn Iterator<Item = Elsewhere<'s, 'i, 'o>>,
) -> bool {
    for (state, mut task) in lane.take().into_iter().chain(streams) {
        task.align(state);
        if task.wanted() >= LEAST {
            *lane = Some((state, task));
            return true;
        }
        task.finish(state);
    }
    false
}

impl StreamLanes {
    /// Takes all lanes on by about as many bytes as the least of them wants. States are put into the tables and back.
    fn run(&mut self, lanes: &mut [Seated<'_, '_, '_>; LANES]) {
        let mut turns = [[0; 4]; LANES];
        for (lane, (state, _)) in lanes.iter().flatten().enumerate() {
            for (k, row) in self.s.iter_mut().enumerate() {
                let word = state.s[(usize::from(state.i) + k) % 256];
                row.as_chunks_mut().0[lane] = word.to_le_bytes();
            }
            turns[lane] = u32::from(state.i).to_le_bytes();
            self.j[lane] = u32::from(state.j.wrapping_sub(state.i)).to_le_bytes();
        }
        let isa = self.isa;
        let mut bytes = Buffers::<1>::new();
        let [bytes] = &mut bytes.0;
        let least = lanes.iter().flatten().map(|(_, task)| task.wanted()).min();
        for _ in 0..least.unwrap_or(0) / PASS {
            isa.run(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                || self.pass(isa, &turns),
            );
            for (lane, (_, task)) in lanes.iter_mut().flatten().enumerate() {
                // After the transposition, 16 bytes of one stream lie together.
                let fours = self.keystream.as_chunks::<4>().0;
                for (block, rows) in bytes.as_chunks_mut::<16>().0.iter_mut().zipped(fours) {
                    *block = rows[lane % 4].as_chunks().0[lane / 4];
                }
                task.take(bytes);
            }
        }
        for (lane, (state, _)) in lanes.iter_mut().flatten().enumerate() {
            for (k, row) in self.s.iter().enumerate() {
                state.s[(usize::from(state.i) + k) % 256] = u32::from_le_bytes(row.as_chunks().0[lane]);
            }
            state.j = self.j[lane][0].wrapping_add(state.i);
        }
    }

    /// 256 steps of all lanes: `i` is then where it was.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass(&mut self, isa: Avx512, turns: &[[u8; 4]; LANES]) {
        let turns = Avx512Words::load(isa, turns.flat());
        let mut j = Avx512Words::load(isa, self.j.flat());
        for (four, keystream) in self.keystream.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let mut words = [turns; 4];
            for (word, words) in words.iter_mut().enumerate() {
                for byte in 0..4 {
                    let i = (16 * four + 4 * word + byte + 1) % 256;
                    let x = Avx512Words::load(isa, &self.s[i]);
                    j = j + x;
                    let y = j.look_up(&self.s);
                    y.store(&mut self.s[i]);
                    x.put(j, &mut self.s);
                    let output = (x + y - turns).look_up(&self.s);
                    *words = if byte == 0 { output } else { *words ^ output.shl(8 * byte as u32) };
                }
            }
            for (words, row) in Avx512Words::transpose(words).into_iter().zipped(keystream) {
                words.store(row);
            }
        }
        j.store(self.j.flat_mut());
    }
}
