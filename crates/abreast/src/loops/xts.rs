//! The loop of XTS (IEEE 1619, SP 800-38E): data units of whole blocks, each with its encrypted tweak.

use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Way};
use crate::engine::passes::{ModeLoop, PassLoop, load, rounds, run_keys, run_passes, split_up_to, store};
use abreast_simd::Isa;
use abreast_simd::inlined::Zipped;

/// Data units of `unit` bytes, whole blocks, the last of which may be shorter.
pub(crate) struct XtsUnits<'a, 'i, 'o, W> {
    pub(crate) way: W,
    /// The encrypted number of each unit.
    pub(crate) tweaks: &'a [ChainingValue],
    pub(crate) unit: usize,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<W: Way> ModeLoop for XtsUnits<'_, '_, '_, W> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        isa.align_frame();
        let mut rest = self.io.reborrow();
        for tweak in self.tweaks {
            let (unit, after) = split_up_to(rest, self.unit);
            let tweaks = S::tweaks(isa, tweak);
            let mut passes = XtsPasses::<I, S, W> { isa, way: self.way, keys, tweaks };
            run_passes::<I, S>(S::INTERLEAVE, &mut passes, unit);
            rest = after;
        }
    }
}

struct XtsPasses<'k, I: Isa, S: Backend<I>, W> {
    isa: I,
    way: W,
    keys: &'k S::Keys,
    tweaks: S::Group,
}

impl<'k, I: Isa, S: Backend<I>, W: Way> PassLoop<'k, I, S> for XtsPasses<'k, I, S, W> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys(&self) -> S::RunKeys<'k> {
        run_keys::<I, S>(self.isa, self.way.direction(), self.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass<const N: usize, const WHOLE: bool>(&mut self, keys: S::RunKeys<'k>, io: InOutBuf<'_, '_, u8>) {
        let tweaks = S::take_tweaks::<N>(self.isa, &mut self.tweaks);
        self.with::<N, WHOLE>(keys, tweaks, io);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn whole_passes<'i, 'o, const N: usize>(&mut self, mut io: InOutBuf<'i, 'o, u8>) -> InOutBuf<'i, 'o, u8> {
        if io.len() < N * S::GROUP {
            return io;
        }
        let keys = self.run_keys();
        let mut tweaks = S::take_tweaks::<N>(self.isa, &mut self.tweaks);
        loop {
            let (pass, rest) = io.split_at(N * S::GROUP);
            self.with::<N, true>(keys, tweaks, pass);
            io = rest;
            if io.len() < N * S::GROUP {
                break;
            }
            if S::KEEPS_TWEAKS {
                for tweak in &mut tweaks {
                    *tweak = S::tweaks_after(self.isa, *tweak, N);
                }
            } else {
                tweaks = S::take_tweaks::<N>(self.isa, &mut self.tweaks);
            }
        }
        if S::KEEPS_TWEAKS {
            self.tweaks = S::tweaks_after(self.isa, tweaks[0], N);
        }
        io
    }
}

impl<'k, I: Isa, S: Backend<I>, W: Way> XtsPasses<'k, I, S, W> {
    /// Processes a pass with the tweaks of its groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn with<const N: usize, const WHOLE: bool>(
        &self,
        keys: S::RunKeys<'k>,
        tweaks: [S::Group; N],
        mut io: InOutBuf<'_, '_, u8>,
    ) {
        let mut groups = load::<N, WHOLE, I, S>(self.isa, &io);
        for (group, tweak) in groups.iter_mut().zipped(tweaks) {
            *group = S::xor(*group, tweak);
        }
        groups = rounds::<N, WHOLE, I, S>(self.isa, self.way.direction(), self.keys, keys, groups, io.len());
        for (group, tweak) in groups.iter_mut().zipped(tweaks) {
            *group = S::xor(*group, tweak);
        }
        store::<N, WHOLE, I, S>(groups, &mut io);
    }
}
