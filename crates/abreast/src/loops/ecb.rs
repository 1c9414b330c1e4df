//! Raw blocks, each on its own (SP 800-38A, section 6.1): the building block of modes. Not a way to
//! encrypt messages, since equal blocks stay equal; hence no type of its own, only
//! [`BlockCipher::encrypt_raw_blocks`](crate::BlockCipher::encrypt_raw_blocks) and its inverse.

use crate::InOutBuf;
use crate::engine::backend::{Backend, Way};
use crate::engine::passes::{ModeLoop, PassLoop, load, rounds, run_keys, run_passes, store};
use abreast_simd::Isa;

/// Whole blocks, forward or backward.
pub(crate) struct EcbBlocks<'a, 'i, 'o, W> {
    pub(crate) way: W,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<W: Way> ModeLoop for EcbBlocks<'_, '_, '_, W> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut passes = EcbPasses::<I, S, W> { isa, way: self.way, keys };
        run_passes::<I, S>(S::INTERLEAVE_ECB, &mut passes, self.io.reborrow());
    }
}

struct EcbPasses<'k, I: Isa, S: Backend<I>, W> {
    isa: I,
    way: W,
    keys: &'k S::Keys,
}

impl<'k, I: Isa, S: Backend<I>, W: Way> PassLoop<'k, I, S> for EcbPasses<'k, I, S, W> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys(&self) -> S::RunKeys<'k> {
        run_keys::<I, S>(self.isa, self.way.direction(), self.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass<const N: usize, const WHOLE: bool>(
        &mut self,
        keys: S::RunKeys<'k>,
        mut io: InOutBuf<'_, '_, u8>,
    ) {
        let groups = load::<N, WHOLE, I, S>(self.isa, &io);
        let groups =
            rounds::<N, WHOLE, I, S>(self.isa, self.way.direction(), self.keys, keys, groups, io.len());
        store::<N, WHOLE, I, S>(groups, &mut io);
    }
}
