//! Mode loops, as the author of a mode writes them, and the passes that a buffer is cut into for them.

use super::backend::{Backend, Direction, PassSizes};
use crate::InOutBuf;
use abreast_simd::Isa;

/// The loop of a mode, compiled for each kernel of each cipher.
///
/// A loop crosses a call on its way to the kernel, so it holds references and single words: an
/// [`InOutBuf`] by value would be copied as a vector right after its words were stored one by one, and a
/// load that spans several stores waits for all of them, some forty cycles.
pub(crate) trait ModeLoop {
    /// The result.
    type Out;
    /// True if each block waits for the one before. Then a register of one block does as well as a wide one, and the messages after
    /// it, which the CPU begins meanwhile, find the unit for AES less busy.
    const SERIAL: bool = false;
    /// Runs at the kernel given. Implementations are `#[cfg_attr(not(abreast_unoptimized), inline(always))]`.
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) -> Self::Out;
}

/// Reports how a kernel cuts data.
pub(crate) struct Describe;

impl ModeLoop for Describe {
    type Out = PassSizes;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, _: I, _: &S::Keys) -> PassSizes {
        PassSizes { block: S::BLOCK, group: S::GROUP, depth: S::INTERLEAVE_ECB, interleave: S::INTERLEAVE }
    }
}

/// One pass of a mode.
pub(crate) trait PassLoop<'k, I: Isa, S: Backend<I>> {
    /// The round keys for passes that follow each other.
    fn run_keys(&self) -> S::RunKeys<'k>;
    /// Processes `N` groups of data if `WHOLE`, otherwise fewer bytes, at least one.
    fn pass<const N: usize, const WHOLE: bool>(&mut self, keys: S::RunKeys<'k>, io: InOutBuf<'_, '_, u8>);
    /// Runs the passes of `N` groups that fit, and returns the rest.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn whole_passes<'i, 'o, const N: usize>(&mut self, mut io: InOutBuf<'i, 'o, u8>) -> InOutBuf<'i, 'o, u8> {
        if io.len() >= N * S::GROUP {
            // Once for all passes: left in memory, the round keys would be loaded in every pass, as the output might be where
            // they are for all that the compiler knows.
            let keys = self.run_keys();
            while io.len() >= N * S::GROUP {
                let (pass, rest) = io.split_at(N * S::GROUP);
                self.pass::<N, true>(keys, pass);
                io = rest;
            }
        }
        io
    }
}

/// The widths of passes of a backend, as constants, so that the others are not compiled.
struct Widths<I, S>(core::marker::PhantomData<(I, S)>);

impl<I: Isa, S: Backend<I>> Widths<I, S> {
    const SIXTEEN: bool = S::INTERLEAVE_ECB >= 16;
    const EIGHT: bool = S::INTERLEAVE >= 8;
    const FOUR: bool = S::INTERLEAVE >= 4;
    const TWO: bool = S::INTERLEAVE >= 2;
    /// True if the rest of a buffer goes through narrower passes of whole groups.
    const NARROWER: bool = !S::LATENCY_BOUND;
}

/// Cuts a buffer into passes: as many passes of `top` groups as fit, then narrower or partial ones for the rest. `top`
/// is 0 or a power of two, at most [`INTERLEAVE_ECB`](Backend::INTERLEAVE_ECB), and a constant wherever this is inlined.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn run_passes<'k, I: Isa, S: Backend<I>>(
    top: usize,
    passes: &mut impl PassLoop<'k, I, S>,
    mut io: InOutBuf<'_, '_, u8>,
) {
    if Widths::<I, S>::SIXTEEN && top == 16 {
        io = passes.whole_passes::<16>(io);
    }
    if Widths::<I, S>::EIGHT && (top == 8 || Widths::<I, S>::NARROWER && top > 8) {
        io = passes.whole_passes::<8>(io);
    }
    if Widths::<I, S>::FOUR && (top == 4 || Widths::<I, S>::NARROWER && top > 4) {
        io = passes.whole_passes::<4>(io);
    }
    if Widths::<I, S>::TWO && (top == 2 || Widths::<I, S>::NARROWER && top > 2) {
        io = passes.whole_passes::<2>(io);
    }
    if top == 1 || Widths::<I, S>::NARROWER && top > 1 {
        io = passes.whole_passes::<1>(io);
    }
    if !io.is_empty() {
        rest(passes, io);
    }
}

/// The last pass, of fewer bytes than the narrowest of those before: as narrow as will do.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn rest<'k, I: Isa, S: Backend<I>>(passes: &mut impl PassLoop<'k, I, S>, io: InOutBuf<'_, '_, u8>) {
    debug_assert!(io.len() <= S::INTERLEAVE * S::GROUP);
    let keys = passes.run_keys();
    if Widths::<I, S>::NARROWER || io.len() <= S::GROUP {
        passes.pass::<1, false>(keys, io);
    } else if Widths::<I, S>::TWO && !S::ANY_NUMBER && io.len() <= 2 * S::GROUP {
        passes.pass::<2, false>(keys, io);
    } else if Widths::<I, S>::FOUR && io.len() <= 4 * S::GROUP {
        passes.pass::<4, false>(keys, io);
    } else if Widths::<I, S>::EIGHT {
        passes.pass::<8, false>(keys, io);
    }
}

/// The first `len` bytes, or all if there are fewer, and the rest.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn split_up_to<'i, 'o>(
    io: InOutBuf<'i, 'o, u8>,
    len: usize,
) -> (InOutBuf<'i, 'o, u8>, InOutBuf<'i, 'o, u8>) {
    let len = len.min(io.len());
    io.split_at(len)
}

/// `N` groups from the input side of a buffer, zeros after its end.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn load<const N: usize, const WHOLE: bool, I: Isa, S: Backend<I>>(
    isa: I,
    io: &InOutBuf<'_, '_, u8>,
) -> [S::Group; N] {
    if N == 1 && !WHOLE {
        return [S::load_partial(isa, io.get_in()); N];
    }
    let src = io.get_in();
    if WHOLE {
        let src = &src[..N * S::GROUP];
        let mut groups = [S::load(isa, &src[..S::GROUP]); N];
        let mut i = 1;
        while i < N {
            groups[i] = S::load(isa, &src[i * S::GROUP..][..S::GROUP]);
            i += 1;
        }
        return groups;
    }
    let whole = src.len() / S::GROUP;
    let mut groups = [S::splat(isa, &[0; 16]); N];
    let part = S::load_partial(isa, &src[whole * S::GROUP..]);
    let mut i = 0;
    while i < N {
        if i < whole {
            groups[i] = S::load(isa, &src[i * S::GROUP..][..S::GROUP]);
        } else if i == whole {
            groups[i] = part;
        }
        i += 1;
    }
    groups
}

/// `N` groups to the output side of a buffer, as far as it goes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn store<const N: usize, const WHOLE: bool, I: Isa, S: Backend<I>>(
    groups: [S::Group; N],
    io: &mut InOutBuf<'_, '_, u8>,
) {
    let dst = io.get_out();
    if N == 1 && !WHOLE {
        return S::store_partial(groups[0], dst);
    }
    let whole = if WHOLE { N } else { dst.len() / S::GROUP };
    let mut part = groups[0];
    let mut i = 0;
    while i < N {
        if i < whole {
            S::store(groups[i], &mut dst[i * S::GROUP..][..S::GROUP]);
        } else if i == whole {
            part = groups[i];
        }
        i += 1;
    }
    if !WHOLE && whole < N {
        S::store_partial(part, &mut dst[whole * S::GROUP..]);
    }
}

/// Returns the round keys for a run of passes in a direction.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn run_keys<I: Isa, S: Backend<I>>(
    isa: I,
    direction: Direction,
    keys: &S::Keys,
) -> S::RunKeys<'_> {
    match direction {
        Direction::Encrypt => S::run_keys::<true>(isa, keys),
        Direction::Decrypt => S::run_keys::<false>(isa, keys),
    }
}

/// The rounds of a pass of `len` bytes, one way or the other; `run_keys` are those of the same keys.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn rounds<const N: usize, const WHOLE: bool, I: Isa, S: Backend<I>>(
    isa: I,
    direction: Direction,
    keys: &S::Keys,
    run_keys: S::RunKeys<'_>,
    mut groups: [S::Group; N],
    len: usize,
) -> [S::Group; N] {
    if N == 1 && !WHOLE {
        let blocks = len.div_ceil(S::BLOCK);
        groups[0] = match direction {
            Direction::Encrypt => S::encrypt_partial(isa, keys, groups[0], blocks),
            Direction::Decrypt => S::decrypt_partial(isa, keys, groups[0], blocks),
        };
        groups
    } else if !WHOLE && S::ANY_NUMBER {
        let count = len.div_ceil(S::GROUP);
        match direction {
            Direction::Encrypt => S::run_some::<true, N>(isa, run_keys, groups, count),
            Direction::Decrypt => S::run_some::<false, N>(isa, run_keys, groups, count),
        }
    } else {
        match direction {
            Direction::Encrypt => S::run::<true, N>(isa, run_keys, groups),
            Direction::Decrypt => S::run::<false, N>(isa, run_keys, groups),
        }
    }
}
