//! Counter Galois Onion: cells of several circuits in any order, alone and in batches, against the reference; some of them changed on
//! their way, after which relays and clients still do the same.

use abreast::aes::{Aes128, Aes256};
use abreast::modes::UivCipher;
use abreast_frames::cgo::{self, CELL, Cell, CgoError, ClientCell, Hop, Received, Relay, RelayCell, Seeds};
use abreast_reference::cgo::State;
use arbitrary::Arbitrary;

use crate::common::{Random, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    longer_keys: bool,
    kernel: u8,
    seed: u64,
    /// The number of hops of each circuit.
    circuits: Vec<u8>,
    rounds: Vec<Round>,
}

/// A cell of each circuit.
#[derive(Arbitrary, Debug)]
struct Round {
    operation: u8,
    /// The hop, or the relay.
    hop: u8,
    command: u8,
    /// The byte that is changed in the cells that are kept from the round before.
    changed: Option<u16>,
}

/// The most circuits: more than go together.
const MOST: usize = 40;
/// The most hops of a circuit.
const HOPS: usize = 4;
/// The most rounds; the reference takes most of the time.
const ROUNDS: usize = 8;

pub(crate) fn run(data: &[u8]) {
    let Some(mut case) = fields::<Case>(data) else { return };
    case.circuits.truncate(MOST);
    case.rounds.truncate(ROUNDS);
    if case.longer_keys { check::<Aes256>(&case) } else { check::<Aes128>(&case) }
}

/// A circuit at its client and at its relays: in the fast code, and in the reference.
struct Circuit<C: UivCipher> {
    hops: Vec<Hop<C>>,
    relays: Vec<Relay<C>>,
    at_client: Vec<[State; 2]>,
    at_relays: Vec<[State; 2]>,
    cell: Cell,
}

fn check<C: UivCipher>(case: &Case) {
    let kernel = pick(&Aes128::kernels().collect::<Vec<_>>(), case.kernel);
    let mut random = Random::new(case.seed);
    let mut circuits: Vec<Circuit<C>> = (case.circuits.iter())
        .map(|count| {
            let keys: Vec<_> =
                (0..1 + usize::from(*count) % HOPS).map(|_| random.bytes(Seeds::<C>::LEN)).collect();
            let seeds: Vec<_> = keys.iter().map(|keys| Seeds::of(keys).expect("the right length")).collect();
            let states: Vec<_> = (keys.iter())
                .map(|keys| [0, 1].map(|way| State::new(&keys[way * C::SEED..][..C::SEED])))
                .collect();
            Circuit {
                hops: seeds.iter().map(|it| Hop::with_kernel(it, kernel).expect("its kernel")).collect(),
                relays: seeds.iter().map(|it| Relay::with_kernel(it, kernel).expect("its kernel")).collect(),
                at_client: states.clone(),
                at_relays: states,
                cell: random.bytes(CELL).try_into().expect("a cell"),
            }
        })
        .collect();
    for round in &case.rounds {
        if let Some(byte) = round.changed {
            circuits.iter_mut().for_each(|circuit| circuit.cell[usize::from(byte) % CELL] ^= 1);
        }
        let operation = round.operation % 5;
        if operation < 3 {
            at_relays(&mut circuits, operation, round)
        } else {
            at_clients(&mut circuits, operation, round)
        }
    }
}

/// One operation at a relay of each circuit.
fn at_relays<C: UivCipher>(circuits: &mut [Circuit<C>], operation: u8, round: &Round) {
    let mut expected = Vec::new();
    let mut batch = Vec::new();
    for circuit in circuits {
        let hop = usize::from(round.hop) % circuit.relays.len();
        let (mut cell, [forward, backward]) = (circuit.cell, &mut circuit.at_relays[hop]);
        let tag = match operation {
            0 => forward.relay_forward(round.command, &mut cell),
            1 => {
                backward.relay_backward(round.command, &mut cell);
                None
            }
            _ => Some(backward.relay_originate(round.command, &mut cell)),
        };
        expected.push((cell, tag));
        batch.push(RelayCell::new(&mut circuit.relays[hop], round.command, &mut circuit.cell));
    }
    [cgo::forward, cgo::backward, cgo::originate][usize::from(operation)](&mut batch);
    for (found, (cell, tag)) in batch.iter().zip(&expected) {
        same(found.cell, cell, || format!("operation {operation} at a relay"));
        assert_eq!(found.tag, *tag);
    }
}

/// One operation at the client of each circuit.
fn at_clients<C: UivCipher>(circuits: &mut [Circuit<C>], operation: u8, round: &Round) {
    let (given, command) = (usize::from(round.hop) % (HOPS + 1), round.command);
    let mut expected = Vec::new();
    let mut batch = Vec::new();
    for circuit in circuits {
        let (mut cell, hops) = (circuit.cell, circuit.hops.len());
        let result = if operation == 3 {
            match circuit.at_client.get_mut(..=given).and_then(<[_]>::split_last_mut) {
                Some((last, nearer)) => {
                    let tag = last[0].client_originate(command, &mut cell);
                    nearer.iter_mut().rev().for_each(|states| states[0].client_forward(command, &mut cell));
                    Ok(Received { hop: given, tag })
                }
                None => Err(CgoError::Hop { given, hops }),
            }
        } else {
            let mut states = circuit.at_client.iter_mut().enumerate();
            let received = states.find_map(|(hop, states)| {
                states[1].client_backward(command, &mut cell).map(|tag| Received { hop, tag })
            });
            received.ok_or(CgoError::Unrecognized)
        };
        expected.push((cell, result));
        batch.push(ClientCell::new(&mut circuit.hops, given, command, &mut circuit.cell));
    }
    if operation == 3 {
        cgo::client_originate(&mut batch)
    } else {
        cgo::client_backward(&mut batch)
    }
    for (found, (cell, result)) in batch.iter().zip(&expected) {
        same(found.cell, cell, || format!("operation {operation} at a client"));
        assert_eq!(found.result, *result);
    }
}
