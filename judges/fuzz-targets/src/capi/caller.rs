//! The program that calls the library: its memory and its handles by kind, and the checks of every call that it makes.

use std::collections::HashSet;
use std::ptr::null_mut;

use arbitrary::Arbitrary;

use super::abi::*;
use super::memory::{Buffer, Memory, Span, overlap};
use super::{ALIGNMENT, NULL_POINTER, OK, is_fault};

/// The kind of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Kind {
    Cipher,
    Aead,
    Cmac,
    Xts,
    Hctr2,
    Stream,
    AeadStream,
    CmacStream,
    Rc4,
}

/// The number of kinds.
const KINDS: usize = 9;

/// The functions that free the handles of each kind: keys first, since streams keep them.
pub(super) const FREE: [(Kind, Free); KINDS] = [
    (Kind::Cipher, abreast_cipher_free),
    (Kind::Aead, abreast_aead_free),
    (Kind::Cmac, abreast_cmac_free),
    (Kind::Xts, abreast_xts_free),
    (Kind::Hctr2, abreast_hctr2_free),
    (Kind::Stream, abreast_stream_free),
    (Kind::AeadStream, abreast_aead_stream_free),
    (Kind::CmacStream, abreast_cmac_stream_free),
    (Kind::Rc4, abreast_rc4_stream_free),
];

/// A call, whose fields each function takes as it needs them.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) slots: (u8, u8),
    pub(super) key: Span,
    pub(super) iv: Span,
    pub(super) aad: Span,
    pub(super) input: Span,
    pub(super) output: Span,
    pub(super) tag: Span,
    pub(super) number: u32,
    pub(super) name: u8,
    pub(super) kernel: u8,
    pub(super) flag: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) enum Function {
    New(u8),
    Stream(u8),
    Free(u8),
    Whole(u8),
    Sealed(u8),
    Mac,
    Padded,
    Xts,
    Hctr2,
    Aez,
    Rc4,
    Piece(u8),
    Take,
    Finish(u8),
    Move,
}

/// A program that uses the library.
pub(super) struct Caller {
    pub(super) memory: Memory,
    /// By kind.
    pub(super) handles: [Vec<Handle>; KINDS],
    /// Streams that have given a tag.
    pub(super) finished: HashSet<Handle>,
}

impl Caller {
    /// The program before its first call.
    pub(super) fn new(seed: u64) -> Self {
        Self { memory: Memory::new(seed), handles: Default::default(), finished: HashSet::new() }
    }

    /// A handle of a kind, or NULL.
    pub(super) fn handle(&self, kind: Kind, slot: u8) -> Handle {
        let handles = &self.handles[kind as usize];
        handles.get(usize::from(slot) % (handles.len() + 1)).copied().unwrap_or(null_mut())
    }

    /// Makes a call and looks at what every call has to leave alone. `reads` are apart from what is written.
    pub(super) fn call(
        &mut self,
        call: &Call,
        io: Option<[Buffer; 2]>,
        reads: &[Buffer],
        writes: &[Buffer],
        function: impl FnOnce() -> i32,
    ) -> i32 {
        self.memory.begin();
        let status = function();
        assert!(!is_fault(status), "{call:?}: status {status}");
        // SAFETY: takes any number.
        assert!(!unsafe { abreast_status_text(status) }.is_null());
        let output = io.map(|[_, output]| output);
        let written: Vec<Buffer> = writes.iter().copied().chain(output).collect();
        let refused = (NULL_POINTER..=ALIGNMENT).contains(&status);
        self.memory.check(&written, refused, || format!("{call:?}: status {status}"));
        if status == OK {
            for (at, one) in written.iter().enumerate() {
                let other = written[..at].iter().find(|other| overlap(*one, **other));
                assert!(other.is_none(), "{call:?}: {one:?} overlaps {other:?}, and both are written");
            }
            let read = reads.iter().copied().chain(io.map(|[input, _]| input));
            for (input, output) in read.flat_map(|input| written.iter().map(move |output| (input, *output))) {
                let in_place = io.is_some_and(|[from, to]| {
                    from.start == to.start
                        && input.start == from.start
                        && output.start == to.start
                        && input.len == from.len
                        && output.len == to.len
                });
                assert!(in_place || !overlap(input, output), "{call:?}: {input:?} overlaps {output:?}");
            }
        }
        status
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // Keys before the streams that keep them.
        for (kind, free) in FREE {
            for handle in self.handles[kind as usize].drain(..) {
                // SAFETY: a handle of this kind that was not freed.
                unsafe { free(handle) };
            }
        }
    }
}
