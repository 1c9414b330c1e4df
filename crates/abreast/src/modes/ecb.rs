//! Raw blocks, each on its own (SP 800-38A, section 6.1): the building block of modes. Not a way to
//! encrypt messages, since equal blocks stay equal; hence no type of its own, only
//! [`BlockCipher::encrypt_raw_blocks`](crate::BlockCipher::encrypt_raw_blocks) and its converse.

use crate::InOutBuf;
use crate::spec::{Job, On, Passes, ladder, load, rounds, rounds_of_few, store};
use abreast_simd::Isa;

/// Whole blocks, forward or backward.
pub(crate) struct Ecb<'a, 'i, 'o, const ENCRYPT: bool> {
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<const ENCRYPT: bool> Job for Ecb<'_, '_, '_, ENCRYPT> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        ladder::<I, S>(S::DEPTH, &mut EcbPasses::<I, S, ENCRYPT> { isa, keys }, self.io.reborrow());
    }
}

struct EcbPasses<'k, I: Isa, S: On<I>, const ENCRYPT: bool> {
    isa: I,
    keys: &'k S::Keys,
}

impl<I: Isa, S: On<I>, const ENCRYPT: bool> Passes<I, S> for EcbPasses<'_, I, S, ENCRYPT> {
    #[inline(always)]
    fn pass<const N: usize>(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let groups = load::<N, I, S>(self.isa, &io);
        store::<N, I, S>(rounds::<ENCRYPT, N, I, S>(self.isa, self.keys, groups), &mut io);
    }

    #[inline(always)]
    fn partial(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let group = S::load_partial(self.isa, io.get_in());
        let group = rounds_of_few::<ENCRYPT, I, S>(self.isa, self.keys, group, io.len());
        S::store_partial(group, io.get_out());
    }
}
