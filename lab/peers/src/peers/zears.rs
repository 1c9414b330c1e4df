//! zears, AEZ in Rust.

use crate::job::Job;
use crate::peer::{Peer, Work, work};
use crate::rows::Cipher;

/// zears as a stable compiler builds it: its feature `simd` needs a nightly one.
pub(super) struct Zears;

impl Peer for Zears {
    fn name(&self) -> &'static str {
        "zears"
    }

    fn version(&self) -> String {
        super::locked("zears")
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        (job.row.cipher == Cipher::Aez).then(|| {
            work(job, zears::Aez::new, |aez, message| {
                aez.encrypt_inplace(message.iv, &[message.associated_data], 16, message.text);
            })
        })
    }
}
