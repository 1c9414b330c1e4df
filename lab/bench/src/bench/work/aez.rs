//! AEZ: nonces of 12 bytes, no associated data, tags of 16 bytes.

use std::ops::RangeInclusive;

use abreast::packets::{self, Packet};
use abreast::{Error, InOutBuf, Kernel, aez};

use super::{Aead, Header, Messages, OpenedApart, Turn, Work, opening_apart, seal_all, sealing, sized};

/// The most messages of a batch, and the fewest.
const BATCH: RangeInclusive<usize> = 4..=64;
/// Bytes of a batch in between.
const BATCH_BYTES: usize = 256 * 1024;

/// A way to use AEZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aez {
    /// Encryption, one message after the other, under one key.
    Encrypt,
    /// Verification and decryption, one message after the other, under one key.
    Decrypt,
    /// Encryption of a batch in one call, each message under its own key.
    Batch,
}

impl Aez {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Encrypt, Self::Decrypt, Self::Batch];

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "aez",
            Self::Decrypt => "aez-decrypt",
            Self::Batch => "aez-batch",
        }
    }

    /// Returns the messages that calls work on.
    pub(super) fn messages(self, size: usize, chained: bool) -> Messages {
        match self {
            Self::Encrypt => Messages::new(size, chained),
            Self::Decrypt => Messages::with_output(size, chained),
            Self::Batch => Messages::batch(size, (BATCH_BYTES / size).clamp(*BATCH.start(), *BATCH.end())),
        }
    }

    /// Calls, each of them a message, or all of a batch.
    pub(super) fn calls(self, kernel: Kernel) -> Result<Work, Error> {
        match self {
            Self::Encrypt => Ok(sealing(key(kernel, 1)?)),
            Self::Decrypt => Ok(opening_apart(key(kernel, 1)?)),
            Self::Batch => batch(kernel),
        }
    }

    /// Encrypts messages that are to be decrypted.
    pub(super) fn prepare(self, kernel: Kernel, messages: &mut Messages) -> Result<(), Error> {
        if self != Self::Decrypt {
            return Ok(());
        }
        seal_all(&key(kernel, 1)?, messages)
    }
}

/// A key of 48 bytes that begins with that byte.
fn key(kernel: Kernel, first: u8) -> Result<aez::Aez, Error> {
    let bytes: Vec<u8> = (first..).take(48).collect();
    aez::Aez::with_kernel(&bytes, kernel)
}

impl Aead for aez::Aez {
    #[inline(always)]
    fn tag_len(&self) -> usize {
        16
    }
    #[inline(always)]
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(header.nonce(), &[], data, sized(tag)?)
    }
}

impl OpenedApart for aez::Aez {
    #[inline(always)]
    fn open(&self, header: &Header, io: InOutBuf<'_, '_, u8>, tag: &[u8; 16]) -> Result<(), Error> {
        self.decrypt_detached(header.nonce(), &[], io, tag)
    }
}

/// Calls that encrypt all messages, each under its own key. The batch is put together once for all laps, and so
/// keeps its nonces.
fn batch(kernel: Kernel) -> Result<Work, Error> {
    let mut keys = Vec::new();
    for first in 0..*BATCH.end() as u8 {
        keys.push(key(kernel, first)?);
    }
    Ok(Box::new(move |messages, laps| {
        let items = messages.turns().zip(&keys).map(|(Turn { header, data }, key)| {
            let Header { counter, tags, .. } = header;
            Packet::new(key, &counter[..12], data).with_tag(&[], &mut tags[0])
        });
        let mut batch: Vec<_> = items.collect();
        for _ in 0..laps {
            packets::aez_encrypt(&mut batch);
        }
        batch.iter().try_for_each(|packet| packet.result)?;
        drop(batch);
        let tags = messages.turns().map(|turn| u128::from_le_bytes(turn.header.tags[0]));
        Ok(tags.fold(0, u128::wrapping_add))
    }))
}

#[cfg(test)]
mod tests {
    use super::super::halves;
    use super::*;

    #[test]
    fn batches_of_long_messages_are_smaller() {
        let slots = |size| Aez::Batch.messages(size, false).slots();
        assert_eq!([1, 4096, 16 << 10, 1 << 20].map(slots), [64, 64, 16, 4]);
    }

    #[test]
    fn decryption_gives_the_messages_back() -> Result<(), Error> {
        let kernel = aez::Aez::kernels().next().expect("there is a kernel");
        for chained in [false, true] {
            let mut messages = Aez::Decrypt.messages(100, chained);
            let texts = |messages: &mut Messages, output: bool| {
                let half = |turn: Turn<'_>| {
                    let (message, written) = halves(turn.data, 100);
                    if output { written.to_vec() } else { message.to_vec() }
                };
                messages.turns().map(half).collect::<Vec<_>>()
            };
            let before = texts(&mut messages, false);
            Aez::Decrypt.prepare(kernel, &mut messages)?;
            messages.reset();
            let encrypted = texts(&mut messages, false);
            assert_ne!(encrypted, before);
            Aez::Decrypt.calls(kernel)?(&mut messages, 2)?;
            assert_eq!(texts(&mut messages, true), before);
            assert_eq!(texts(&mut messages, false), encrypted);
        }
        Ok(())
    }

    /// A batch does what calls one by one do, again and again, and each message has a key of its own.
    #[test]
    fn batches_are_messages() -> Result<(), Error> {
        for (kernel, size) in
            aez::Aez::kernels().flat_map(|kernel| [1, 16, 64, 100, 600].map(|size| (kernel, size)))
        {
            for laps in [1, 2, 3] {
                let [mut together, mut alone] = [(); 2].map(|()| Aez::Batch.messages(size, false));
                let sum = Aez::Batch.calls(kernel)?(&mut together, laps)?;
                let mut expected = 0_u128;
                for (Turn { header, data }, first) in alone.turns().zip(0..) {
                    let key = key(kernel, first)?;
                    let mut tag = [0; 16];
                    for _ in 0..laps {
                        key.seal(header, data, &mut tag)?;
                    }
                    expected = expected.wrapping_add(u128::from_le_bytes(tag));
                }
                let same = together.turns().map(|turn| turn.data).eq(alone.turns().map(|turn| turn.data));
                assert!(same && sum == expected, "{kernel}, {laps} laps, {size} bytes");
            }
        }
        Ok(())
    }
}
