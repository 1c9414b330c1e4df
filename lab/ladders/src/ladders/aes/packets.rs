//! The packets of the ladder: their key, their nonces, and a step that goes over them.

use crate::ladder::Step;

/// The key of all packets.
pub(super) const KEY: [u8; 16] = *b"a key of 16 byte";

/// The beginning of the counter blocks of a packet.
pub(super) type Nonce = [u8; 12];

/// Packets of one length.
#[derive(Clone)]
pub(super) struct Packets {
    /// Bytes of each.
    pub(super) len: usize,
    /// The nonce of each.
    pub(super) nonces: Vec<Nonce>,
}

impl Packets {
    /// Hands over the nonce, the input and the output of one packet after the other.
    #[inline(always)]
    pub(super) fn each(
        &self,
        input: &[u8],
        output: &mut [u8],
        mut encrypt: impl FnMut(&Nonce, &[u8], &mut [u8]),
    ) {
        let buffers = input.chunks_exact(self.len).zip(output.chunks_exact_mut(self.len));
        for (nonce, (input, output)) in self.nonces.iter().zip(buffers) {
            encrypt(nonce, input, output);
        }
    }

    /// Returns a step that encrypts one packet after the other.
    pub(super) fn step(
        &self,
        name: &'static str,
        change: &'static str,
        encrypt: impl Fn(&Nonce, &[u8], &mut [u8]) + 'static,
    ) -> Step {
        let packets = self.clone();
        Step::new(name, change, move |input, output| packets.each(input, output, &encrypt))
    }
}

/// Returns a counter block: the nonce, then the counter, big-endian.
#[inline(always)]
pub(super) fn counter_block(nonce: &Nonce, counter: u32) -> [u8; 16] {
    let mut block = [0; 16];
    block[..12].copy_from_slice(nonce);
    block[12..].copy_from_slice(&counter.to_be_bytes());
    block
}
