//! arti: Counter Galois Onion of the crate tor-proto, through what its own benchmarks call.

use std::hint::black_box;

use aes::Aes128Enc;
use tor_cell::chancell::ChanCmd;
use tor_proto::bench_utils::cgo::{CryptStatePair, RelayInbound, RelayOutbound};
use tor_proto::bench_utils::{CryptInit, InboundRelayLayer, OutboundRelayLayer, RelayCellBody, RelayLayer};

use crate::job::Job;
use crate::peer::{Peer, Work};
use crate::rows::{Cipher, Mode};

/// The crate.
pub(super) struct Arti;

/// A circuit: the state away from the client, and the one towards it.
type Circuit = (RelayOutbound<Aes128Enc, Aes128Enc>, RelayInbound<Aes128Enc, Aes128Enc>);

impl Peer for Arti {
    fn name(&self) -> &'static str {
        "arti"
    }

    fn version(&self) -> String {
        format!("crate tor-proto {}", super::locked("tor-proto"))
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        if job.row.cipher != Cipher::Cgo {
            return None;
        }
        let does: fn(&mut Circuit, &mut RelayCellBody) = match job.row.mode {
            Mode::Forward => |(outbound, _), cell| {
                black_box(outbound.decrypt_outbound(ChanCmd::RELAY, cell));
            },
            Mode::Originate => |(_, inbound), cell| {
                black_box(inbound.originate(ChanCmd::RELAY, cell));
            },
            _ => return None,
        };
        let circuit = |keys: &[u8]| {
            let pair = CryptStatePair::<Aes128Enc, Aes128Enc>::initialize(keys).expect("180 bytes");
            let (outbound, inbound, _) = pair.split_relay_layer();
            (outbound, inbound)
        };
        let mut circuits: Vec<Circuit> = job.keys().map(circuit).collect();
        // arti keeps cells in boxes of its own: they are copied once for all calls of a sample.
        let mut cells: Vec<RelayCellBody> =
            circuits.iter().map(|_| RelayCellBody::from(Box::new([0; 509]))).collect();
        Some(Box::new(move |job, calls| {
            for (cell, message) in cells.iter_mut().zip(job.packets()) {
                cell.as_mut().copy_from_slice(message.text);
            }
            for _ in 0..calls {
                for (circuit, cell) in circuits.iter_mut().zip(&mut cells) {
                    does(circuit, cell);
                }
            }
            for (cell, message) in cells.iter().zip(job.packets()) {
                message.text.copy_from_slice(cell.as_ref());
            }
        }))
    }
}
