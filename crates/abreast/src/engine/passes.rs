//! Passes: how a mode's loop meets a cipher's backend, and how a buffer is cut into the passes of its main loop.

use super::backend::{On, PassSizes};
use crate::InOutBuf;
use abreast_simd::Isa;

/// A mode's loop, to be compiled for each kernel of a cipher.
///
/// A job crosses a call on its way to the kernel, so it holds references and single words: an
/// [`InOutBuf`] by value would be copied as a vector right after its words were stored one by one, and a
/// load that spans several stores waits for all of them, some forty cycles.
pub(crate) trait Job {
    /// What it returns.
    type Out;
    /// Runs at the kernel given. Implementations are `#[inline(always)]`.
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) -> Self::Out;
}

/// Tells how a kernel cuts data.
pub(crate) struct Describe;

impl Job for Describe {
    type Out = PassSizes;

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, _: I, _: &S::Keys) -> PassSizes {
        PassSizes { block: S::BLOCK, group: S::GROUP, depth: S::DEPTH }
    }
}

/// What a job does with the passes that a buffer is cut into.
pub(crate) trait Passes<I: Isa, S: On<I>> {
    /// `N` groups of data if it is `WHOLE`; otherwise fewer bytes, but some.
    fn pass<const N: usize, const WHOLE: bool>(&mut self, io: InOutBuf<'_, '_, u8>);
}

/// Which steps a ladder may have, as constants: passes behind a condition on them are not even compiled.
struct Steps<I, S>(core::marker::PhantomData<(I, S)>);

impl<I: Isa, S: On<I>> Steps<I, S> {
    const EIGHT: bool = S::DEPTH >= 8;
    const FOUR: bool = S::DEPTH >= 4;
    const TWO: bool = S::DEPTH >= 2;
    /// Those below the first, by whole groups.
    const NARROWER: bool = !S::WAITS;
}

/// Cuts a buffer into passes: as many of depth `top` as fit, then what suits the rest. `top` is
/// [`DEPTH`](On::DEPTH) or less, a power of two or none, and known where this is inlined.
#[inline(always)]
pub(crate) fn ladder<I: Isa, S: On<I>>(
    top: usize,
    passes: &mut impl Passes<I, S>,
    mut io: InOutBuf<'_, '_, u8>,
) {
    if Steps::<I, S>::EIGHT && top == 8 {
        io = steps::<8, I, S>(passes, io);
    }
    if Steps::<I, S>::FOUR && (top == 4 || Steps::<I, S>::NARROWER && top > 4) {
        io = steps::<4, I, S>(passes, io);
    }
    if Steps::<I, S>::TWO && (top == 2 || Steps::<I, S>::NARROWER && top > 2) {
        io = steps::<2, I, S>(passes, io);
    }
    if top == 1 || Steps::<I, S>::NARROWER && top > 1 {
        io = steps::<1, I, S>(passes, io);
    }
    if !io.is_empty() {
        rest(passes, io);
    }
}

/// The last pass, of fewer bytes than the narrowest of those before: as narrow as will do.
#[inline(always)]
fn rest<I: Isa, S: On<I>>(passes: &mut impl Passes<I, S>, io: InOutBuf<'_, '_, u8>) {
    debug_assert!(io.len() <= S::DEPTH * S::GROUP);
    if Steps::<I, S>::NARROWER || io.len() <= S::GROUP {
        passes.pass::<1, false>(io);
    } else if Steps::<I, S>::TWO && io.len() <= 2 * S::GROUP {
        passes.pass::<2, false>(io);
    } else if Steps::<I, S>::FOUR && io.len() <= 4 * S::GROUP {
        passes.pass::<4, false>(io);
    } else if Steps::<I, S>::EIGHT {
        passes.pass::<8, false>(io);
    }
}

/// The passes of `N` groups that fit, and what they leave.
#[inline(always)]
fn steps<'i, 'o, const N: usize, I: Isa, S: On<I>>(
    passes: &mut impl Passes<I, S>,
    mut io: InOutBuf<'i, 'o, u8>,
) -> InOutBuf<'i, 'o, u8> {
    while io.len() >= N * S::GROUP {
        let (pass, rest) = io.split_at(N * S::GROUP);
        passes.pass::<N, true>(pass);
        io = rest;
    }
    io
}

/// The first `len` bytes, or all if there are fewer, and the rest.
#[inline(always)]
pub(crate) fn split_up_to<'i, 'o>(
    io: InOutBuf<'i, 'o, u8>,
    len: usize,
) -> (InOutBuf<'i, 'o, u8>, InOutBuf<'i, 'o, u8>) {
    let len = len.min(io.len());
    io.split_at(len)
}

/// `N` groups from the input side of a buffer, zeros behind its end.
#[inline(always)]
pub(crate) fn load<const N: usize, const WHOLE: bool, I: Isa, S: On<I>>(
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
#[inline(always)]
pub(crate) fn store<const N: usize, const WHOLE: bool, I: Isa, S: On<I>>(
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

/// The rounds of a pass of `len` bytes, one way or the other.
#[inline(always)]
pub(crate) fn rounds<const ENCRYPT: bool, const N: usize, const WHOLE: bool, I: Isa, S: On<I>>(
    isa: I,
    keys: &S::Keys,
    mut groups: [S::Group; N],
    len: usize,
) -> [S::Group; N] {
    if N == 1 && !WHOLE {
        let blocks = len.div_ceil(S::BLOCK);
        groups[0] = if ENCRYPT {
            S::encrypt_few(isa, keys, groups[0], blocks)
        } else {
            S::decrypt_few(isa, keys, groups[0], blocks)
        };
        groups
    } else if ENCRYPT {
        S::encrypt(
            isa,
            keys,
            groups,
            #[inline(always)]
            |_| (),
        )
    } else {
        S::decrypt(isa, keys, groups)
    }
}
