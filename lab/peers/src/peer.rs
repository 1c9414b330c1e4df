//! The interface of a peer: work for those rows that it has.

use std::hint::black_box;

use crate::job::{Job, Message};
use crate::rows::Task;

/// A library to be measured.
pub(crate) trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Its version, and the versions of its parts if it has several.
    fn version(&self) -> String;

    /// Its work for a job, with all keys ready; `None` if it has no such thing.
    fn open(&self, job: &mut Job) -> Option<Work>;
}

/// Makes a number of calls of a job.
pub(crate) type Work = Box<dyn FnMut(&mut Job, usize)>;

/// Work message by message. `make` makes a key ready, `message` does a message under it. Where making keys ready is all
/// of the work, a message under the last one shows that it is right.
pub(crate) fn work<K: 'static>(
    job: &Job,
    make: impl Fn(&[u8]) -> K + 'static,
    mut message: impl FnMut(&mut K, Message<'_>) + 'static,
) -> Work {
    if job.row.task == Task::Keys {
        return Box::new(move |job, calls| {
            for m in 1..calls {
                black_box(&make(job.key(m)));
            }
            message(&mut make(job.key(calls)), job.message(0));
        });
    }
    let mut keys: Vec<K> = job.keys().map(make).collect();
    Box::new(move |job, calls| {
        for m in 0..calls * job.batch {
            message(&mut keys[m & job.key_mask()], job.message(m));
        }
    })
}
