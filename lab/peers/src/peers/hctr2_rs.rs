//! HCTR2 of the crate hctr2-rs. It has no call in place: the message is copied before.

use hctr2_rs::Hctr2_256;

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode};

/// The crate.
pub(super) struct Hctr2Rs;

impl Peer for Hctr2Rs {
    fn name(&self) -> &'static str {
        "hctr2-rs"
    }

    fn version(&self) -> String {
        super::locked("hctr2-rs")
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        if (job.row.cipher, job.row.mode) != (Cipher::Aes256, Mode::Hctr2) {
            return None;
        }
        let mut plain = Vec::new();
        Some(work(job, Hctr2_256::new, move |hctr2, Message { iv, text, .. }| {
            plain.clear();
            plain.extend_from_slice(text);
            hctr2.encrypt(&plain, iv, text).expect("a block or more");
        }))
    }
}
