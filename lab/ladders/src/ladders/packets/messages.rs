//! The messages of the ladder: their keys and IVs, and a way over them.

use abreast::InOutBuf;

/// The messages, without their text.
#[derive(Clone)]
pub(super) struct Messages {
    /// Bytes of each.
    pub(super) len: usize,
    /// A key for each.
    pub(super) keys: Vec<[u8; 16]>,
    /// An IV for each.
    pub(super) ivs: Vec<[u8; 16]>,
}

impl Messages {
    /// Hands over the number, the input and the output of one message after the other.
    pub(super) fn each<'i, 'o>(
        &self,
        input: &'i [u8],
        output: &'o mut [u8],
        mut encrypt: impl FnMut(usize, InOutBuf<'i, 'o, u8>),
    ) {
        let buffers = input.chunks_exact(self.len).zip(output.chunks_exact_mut(self.len));
        for (n, (input, output)) in buffers.enumerate() {
            encrypt(n, InOutBuf::new(input, output).expect("both have the same length"));
        }
    }
}
