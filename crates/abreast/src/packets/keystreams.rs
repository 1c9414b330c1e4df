//! The keystreams of modes that are more than a keystream: EAX and SIV.

use super::key::CipherKey;
use super::modes::CtrBatch;
use super::packet::Packet;
use super::schedule::batch;
use crate::BlockCipher;
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::ChainingValue;
use abreast_simd::inlined::{ArrayList, Zipped};

/// Encrypts or decrypts by a counter mode the packets of which nothing was wrong so far, from counter blocks whose first
/// bytes count if the cipher's blocks are shorter, `N` at a time.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn keystreams<'k, 'c, K, const N: usize>(
    mode: &CtrBatch,
    packets: &mut [Packet<'_, K>],
    cipher: impl Fn(&K) -> CipherRef<'k>,
    mut counters: impl Iterator<Item = &'c ChainingValue>,
    results: &mut [Result<(), Error>],
) {
    for (packets, results) in packets.chunks_mut(N).zipped(results.chunks_mut(N)) {
        some_keystreams::<K, N>(mode, packets, &cipher, &mut counters, results);
    }
}

/// Does up to `N` packets of [`keystreams`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn some_keystreams<'k, 'c, K, const N: usize>(
    mode: &CtrBatch,
    packets: &mut [Packet<'_, K>],
    cipher: impl Fn(&K) -> CipherRef<'k>,
    counters: impl Iterator<Item = &'c ChainingValue>,
    results: &mut [Result<(), Error>],
) {
    let Some(any) = packets.first().map(|first| cipher(&first.key)) else { return };
    // Put where it lies, since an array that is made by a function is there twice.
    let mut texts = ArrayList::<_, N>::new();
    for ((packet, counter), result) in packets.iter_mut().zipped(counters).zipped(&*results) {
        texts.push(if result.is_ok() {
            let key = cipher(&packet.key);
            Packet::new(CipherKey(key), &counter[..key.block_size()], packet.buffer.reborrow())
        } else {
            Packet::new(CipherKey(any), &[0; 16][..any.block_size()], [].as_mut_slice())
        });
    }
    batch::process(mode, texts.items_mut());
    for (result, text) in results.iter_mut().zipped(texts.items()) {
        *result = result.and(text.result);
    }
}
