//! The loop of counter mode (SP 800-38A, section 6.5): counters, rounds and XOR of one pass in registers.

use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction, Secrecy};
use crate::engine::passes::{ModeLoop, PassLoop, load, rounds, run_passes, store};
use abreast_simd::inlined::Zipped;
use abreast_simd::{Block, Isa};

/// Xors the keystream of consecutive counter blocks; their low 32 bits count modulo 2^32.
pub(crate) struct CtrKeystream<'a, 'i, 'o> {
    pub(crate) counter: &'a Block,
    pub(crate) secrecy: Secrecy,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for CtrKeystream<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, self.counter, self.secrecy);
        run_passes::<I, S>(S::INTERLEAVE, &mut CtrPasses::<I, S> { isa, keys, counter }, self.io.reborrow());
    }
}

/// Counters, rounds and xor of one pass, which never leaves the registers.
pub(crate) struct CtrPasses<'k, I: Isa, S: Backend<I>> {
    pub(crate) isa: I,
    pub(crate) keys: &'k S::Keys,
    pub(crate) counter: S::Counter,
}

impl<I: Isa, S: Backend<I>> CtrPasses<'_, I, S> {
    /// The keystream of one pass, with other work between the rounds.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn keystream<const N: usize>(&mut self, stitch: impl FnMut(usize)) -> [S::Group; N] {
        let blocks = S::count::<N>(self.isa, &mut self.counter);
        S::encrypt(self.isa, self.keys, blocks, stitch)
    }
}

/// Xors the keystream of one pass into the data.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn xor<const N: usize, const WHOLE: bool, I: Isa, S: Backend<I>>(
    isa: I,
    mut stream: [S::Group; N],
    io: &mut InOutBuf<'_, '_, u8>,
) {
    for (group, data) in stream.iter_mut().zipped(load::<N, WHOLE, I, S>(isa, io)) {
        *group = S::xor(*group, data);
    }
    store::<N, WHOLE, I, S>(stream, io);
}

impl<'k, I: Isa, S: Backend<I>> PassLoop<'k, I, S> for CtrPasses<'k, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys(&self) -> S::RunKeys<'k> {
        S::run_keys::<true>(self.isa, self.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass<const N: usize, const WHOLE: bool>(
        &mut self,
        keys: S::RunKeys<'k>,
        mut io: InOutBuf<'_, '_, u8>,
    ) {
        let blocks = S::count::<N>(self.isa, &mut self.counter);
        let stream =
            rounds::<N, WHOLE, I, S>(self.isa, Direction::Encrypt, self.keys, keys, blocks, io.len());
        xor::<N, WHOLE, I, S>(self.isa, stream, &mut io);
    }
}
