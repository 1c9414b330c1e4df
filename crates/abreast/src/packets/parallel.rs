//! A batch on all cores.

use std::slice::ChunksMut;
use std::sync::{Mutex, PoisonError};

/// The fewest packets that are handed to a thread at a time.
pub(crate) const FEWEST: usize = 32;
/// The most packets that are handed to a thread at a time.
pub(crate) const MOST: usize = 128;

/// Does a batch on the threads of rayon's pool and on the calling one. The results are the same as on one thread.
///
/// ```
/// use abreast::{aes::Aes128, modes::CounterWidth, packets::{self, Packet}};
///
/// let key = Aes128::new(&[7; 16]);
/// let mut messages = vec![[0; 100]; 1000];
/// let mut batch: Vec<_> = (messages.iter_mut())
///     .map(|message| Packet::new(&key, &[1; 16], message.as_mut_slice()))
///     .collect();
/// packets::in_parallel(&mut batch, |batch| packets::ctr(batch, CounterWidth::Bits32));
/// # assert_eq!(messages[0], messages[999]);
/// ```
///
/// Threads make the average batch faster, but can make the slowest one much slower: a pool that is busy with something else
/// answers late. So the caller does not wait for the others to begin. All take pieces of up to 128 packets from one queue, the
/// caller too, until it is empty; it then waits only for the pieces that others have begun. A batch of one piece, or with a
/// pool of one thread, is done by the caller at once. The threads are those of rayon's global pool, or of the pool in whose
/// `ThreadPool::install` this is called.
pub fn in_parallel<P: Send>(packets: &mut [P], batch: impl Fn(&mut [P]) + Sync) {
    let threads = rayon::current_num_threads();
    let piece = packets.len().div_ceil(4 * threads).clamp(FEWEST, MOST);
    let pieces = packets.len().div_ceil(piece);
    if threads == 1 || pieces <= 1 {
        return batch(packets);
    }
    let queue = Mutex::new(packets.chunks_mut(piece));
    let work = || {
        while let Some(piece) = next(&queue) {
            batch(piece);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads.min(pieces) {
            scope.spawn(|_| work());
        }
        work();
    });
}

/// The next piece. The lock is held for no longer than that.
fn next<'p, P>(queue: &Mutex<ChunksMut<'p, P>>) -> Option<&'p mut [P]> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}
