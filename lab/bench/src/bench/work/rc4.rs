//! RC4, under keys of 16 bytes.

use abreast::rc4::{self, Message, Stream, apply_keys_with_kernel, apply_many_with_kernel};
use abreast::{Error, Kernel};

use super::{Messages, Turn, Work, last};

/// Messages of a batch: a number that every kernel divides, so that none is left alone.
const BATCH: usize = 48;

/// A way to use RC4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rc4 {
    /// One stream, which goes on from call to call.
    Stream,
    /// Many streams in one call, which go on from call to call.
    Streams,
    /// A key schedule for every message.
    Key,
    /// A key schedule for every message of a batch, in one call.
    Keys,
}

impl Rc4 {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Stream, Self::Streams, Self::Key, Self::Keys];

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stream => "rc4",
            Self::Streams => "rc4-streams",
            Self::Key => "rc4-key",
            Self::Keys => "rc4-keys",
        }
    }

    /// Returns true if a call takes many messages.
    pub(super) const fn is_batch(self) -> bool {
        matches!(self, Self::Streams | Self::Keys)
    }

    /// The kernels that this CPU has for it, best first: for one stream, the one that is named so.
    pub(super) fn kernels(self) -> Vec<Kernel> {
        rc4::Rc4::kernels().filter(|kernel| self.is_batch() || kernel.name() == "one").collect()
    }

    /// Returns the messages that calls work on.
    pub(super) fn messages(self, size: usize, chained: bool) -> Messages {
        if self.is_batch() { Messages::batch(size, BATCH) } else { Messages::new(size, chained) }
    }

    /// Calls, each of them a message, or all of a batch.
    pub(super) fn calls(self, kernel: Kernel) -> Result<Work, Error> {
        match self {
            Self::Stream => stream(),
            Self::Streams => streams(kernel),
            Self::Key => Ok(key()),
            Self::Keys => Ok(keys(kernel)),
        }
    }
}

/// A stream under a key that begins with that byte.
fn state(first: u8) -> Result<rc4::Rc4, Error> {
    let key: Vec<u8> = (first..).take(16).collect();
    rc4::Rc4::new(&key)
}

/// Calls that take one stream on.
fn stream() -> Result<Work, Error> {
    let mut state = state(1)?;
    Ok(Box::new(move |messages, laps| {
        messages.run(laps, |Turn { data, .. }| {
            state.apply(&mut *data);
            Ok(last(data))
        })
    }))
}

/// Returns calls that take many streams on, each on its own message. The batch is put together once for all laps.
fn streams(kernel: Kernel) -> Result<Work, Error> {
    let mut states = Vec::new();
    for first in 0..BATCH as u8 {
        states.push(state(first)?);
    }
    Ok(Box::new(move |messages, laps| {
        let items = messages.turns().zip(&mut states);
        let mut streams: Vec<_> =
            items.map(|(turn, state)| Stream { state, buffer: turn.data.into() }).collect();
        for _ in 0..laps {
            apply_many_with_kernel(&mut streams, kernel)?;
        }
        Ok(0)
    }))
}

/// Calls that schedule the key of a message, which is all of its header's counter block, and apply it.
fn key() -> Work {
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| {
            rc4::Rc4::new(&header.counter)?.apply(&mut *data);
            Ok(last(data))
        })
    })
}

/// Returns calls that schedule the keys of all messages and apply them. The batch is put together once for all laps,
/// and so keeps its keys.
fn keys(kernel: Kernel) -> Work {
    Box::new(move |messages, laps| {
        let items = messages.turns();
        let mut batch: Vec<_> = items
            .map(|Turn { header, data }| Message { key: &header.counter, skip: 0, buffer: data.into() })
            .collect();
        for _ in 0..laps {
            apply_keys_with_kernel(&mut batch, kernel)?;
        }
        Ok(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares messages side by side with messages one by one, which have a single kernel and are compared with
    /// nothing else.
    #[test]
    fn batches_are_messages() -> Result<(), Error> {
        let kernel = rc4::Rc4::kernels().next().expect("there is a kernel");
        for size in [1, 100, 5000] {
            let [mut together, mut alone] = [(); 2].map(|()| Rc4::Keys.messages(size, false));
            Rc4::Keys.calls(kernel)?(&mut together, 1)?;
            Rc4::Key.calls(kernel)?(&mut alone, 1)?;
            assert!(together.turns().map(|turn| turn.data).eq(alone.turns().map(|turn| turn.data)));

            together.reset();
            alone.reset();
            Rc4::Streams.calls(kernel)?(&mut together, 2)?;
            for (turn, first) in alone.turns().zip(0..) {
                let mut state = state(first)?;
                state.apply(&mut *turn.data);
                state.apply(turn.data);
            }
            assert!(together.turns().map(|turn| turn.data).eq(alone.turns().map(|turn| turn.data)));

            let [mut together, mut alone] = [Messages::new(size, true), Messages::new(size, true)];
            Rc4::Stream.calls(kernel)?(&mut together, 3)?;
            let mut state = state(1)?;
            alone.run(3, |turn| {
                state.apply(turn.data);
                Ok(0)
            })?;
            assert!(together.turns().map(|turn| turn.data).eq(alone.turns().map(|turn| turn.data)));
        }
        Ok(())
    }
}
