//! Counter Galois Onion: known answers at every kernel, and circuits of one to four hops in any order of cells, alone and in batches,
//! against the reference.

mod common;

use abreast::Kernel;
use abreast::aes::{Aes128, Aes256};
use abreast::modes::UivCipher;
use abreast_frames::cgo::{
    self, CELL, Cell, CgoError, Client, ClientCell, Hop, RELAY, RELAY_EARLY, Received, Relay, RelayCell,
    Seeds,
};
use abreast_reference::cgo::State;
use abreast_vectors::CgoOperation;
use common::Random;

/// A cell of any content.
fn any_cell(random: &mut Random) -> Cell {
    random.bytes(CELL).try_into().expect("a cell")
}

/// The kernels of AES on this CPU.
fn kernels() -> Vec<Kernel> {
    Aes128::kernels().collect()
}

/// Keys of a hop whose two directions begin with the same seed.
fn twice(seed: &[u8]) -> Vec<u8> {
    [seed, seed, &[0; 20]].concat()
}

/// Checks that a relay goes on as the reference does, in both directions.
fn same_relay(relay: &mut Relay<Aes128>, states: [&State; 2], what: &str) {
    let [mut forward, mut backward] = states.map(Clone::clone);
    for command in [RELAY, RELAY_EARLY] {
        let (mut cell, mut expected) = ([7; CELL], [7; CELL]);
        assert_eq!(
            relay.forward(command, &mut cell),
            forward.relay_forward(command, &mut expected),
            "{what}"
        );
        assert_eq!(cell, expected, "{what}");
        assert_eq!(relay.originate(command, &mut cell), backward.relay_originate(command, &mut expected));
        assert_eq!(cell, expected, "{what}");
    }
}

#[test]
fn known_answers() {
    let parts = |state: &Vec<u8>| {
        let (seed, tag) = state.split_last_chunk().expect("a tag");
        (twice(seed), *tag, State { tag: *tag, ..State::new(seed) })
    };
    for (case, kernel) in
        abreast_vectors::cgo().iter().flat_map(|case| kernels().into_iter().map(move |kernel| (case, kernel)))
    {
        let what = format!("{} on {kernel}", case.name);
        let mut cell: Cell = case.cell[..].try_into().expect("a cell");
        let before: Vec<_> = case.states.iter().map(parts).collect();
        let after: Vec<_> = case.new_states.iter().map(|state| parts(state).2).collect();
        let (keys, tag, state) = &before[0];
        let seeds = Seeds::<Aes128>::of(keys).expect("the right length");
        let mut relay = Relay::with_kernel(&seeds, kernel).expect("its kernel").after(tag, tag);
        let was = cell;
        match case.operation {
            CgoOperation::Forward => {
                let received = relay.forward(case.command, &mut cell);
                assert_eq!(received.is_some(), after[0].keys != state.keys, "{what}");
                assert!(received.is_none_or(|tag| tag == was[..16]), "{what}");
                assert_eq!(cell[..], case.new_cell, "{what}");
                same_relay(&mut relay, [&after[0], state], &what);
            }
            CgoOperation::Backward => {
                relay.backward(case.command, &mut cell);
                assert_eq!(cell[..], case.new_cell, "{what}");
                same_relay(&mut relay, [state, &after[0]], &what);
            }
            CgoOperation::Originate => {
                let tag = relay.originate(case.command, &mut cell);
                assert_eq!(cell[..], case.new_cell, "{what}");
                assert_eq!(cell[..16], tag, "{what}");
                same_relay(&mut relay, [state, &after[0]], &what);
            }
            CgoOperation::Client => {
                let mut hops: Vec<_> = (before.iter())
                    .map(|(keys, tag, _)| {
                        let seeds = Seeds::<Aes128>::of(keys).expect("the right length");
                        Hop::with_kernel(&seeds, kernel).expect("its kernel").after(tag, tag)
                    })
                    .collect();
                Client(&mut hops).originate(case.hop - 1, case.command, &mut cell).expect("a hop");
                assert_eq!(cell[..], case.new_cell, "{what}");
                // The next cell shows the new keys and tags of all hops.
                let (mut next, mut expected, mut states) = ([9; CELL], [9; CELL], after);
                Client(&mut hops).originate(2, RELAY, &mut next).expect("a hop");
                states[2].client_originate(RELAY, &mut expected);
                states[..2].iter_mut().rev().for_each(|state| state.client_forward(RELAY, &mut expected));
                assert_eq!(next, expected, "{what}");
            }
        }
    }
}

/// A circuit in the fast code and in the reference, at the client and at its relays.
struct Circuit<C: UivCipher> {
    hops: Vec<Hop<C>>,
    relays: Vec<Relay<C>>,
    /// The states of each hop, forward and backward: at the client, and at the relay.
    at_client: Vec<[State; 2]>,
    at_relays: Vec<[State; 2]>,
}

impl<C: UivCipher> Circuit<C> {
    fn new(random: &mut Random, kernels: &[Kernel]) -> Self {
        let count = 1 + random.up_to(3);
        let keys: Vec<_> = (0..count).map(|_| random.bytes(Seeds::<C>::LEN)).collect();
        let seeds: Vec<_> = keys.iter().map(|keys| Seeds::of(keys).expect("the right length")).collect();
        // Client and relays are other machines.
        let mut kernel = || kernels[random.up_to(kernels.len() - 1)];
        let states: Vec<_> = (keys.iter())
            .map(|keys| [0, 1].map(|way| State::new(&keys[way * C::SEED..][..C::SEED])))
            .collect();
        Self {
            hops: seeds.iter().map(|it| Hop::with_kernel(it, kernel()).expect("its kernel")).collect(),
            relays: seeds.iter().map(|it| Relay::with_kernel(it, kernel()).expect("its kernel")).collect(),
            at_client: states.clone(),
            at_relays: states,
        }
    }
}

/// A cell on its way: the circuit it is of is at the same place of a list.
#[derive(Clone, Copy)]
struct Way {
    /// The hop that it is for, or is from.
    hop: usize,
    command: u8,
    cell: Cell,
    /// A byte that somebody changes, after the hop of a number.
    changed: Option<(usize, usize)>,
}

/// Any order of cells: in each round, every circuit has one, all the same way. Batches do those of all circuits, or of one.
fn circuits<C: UivCipher>(seed: u64, count: usize, rounds: usize, kernels: &[Kernel]) {
    let mut random = Random(seed);
    let mut circuits: Vec<_> = (0..count).map(|_| Circuit::<C>::new(&mut random, kernels)).collect();
    for round in 0..rounds {
        let to_relays = random.up_to(1) == 0;
        let alone = random.up_to(2) == 0;
        let mut ways: Vec<_> = (circuits.iter())
            .map(|circuit| Way {
                hop: random.up_to(circuit.hops.len() - 1),
                command: [RELAY, RELAY_EARLY, 0, 0xff][random.up_to(3)],
                cell: any_cell(&mut random),
                changed: None,
            })
            .collect();
        // Seldom, and only in the last round: a circuit does not go on after that.
        if round + 1 == rounds {
            for (way, circuit) in ways.iter_mut().zip(&circuits) {
                way.changed = Some((random.up_to(circuit.hops.len() - 1), random.up_to(CELL - 1)));
            }
        }
        if to_relays {
            away(&mut circuits, &mut ways, alone);
        } else {
            back(&mut circuits, &mut ways, alone);
        }
    }
}

/// Does something for all items of a list in one call, or for each by itself.
fn in_batches<T>(alone: bool, items: &mut [T], batch: impl Fn(&mut [T])) {
    if alone { items.chunks_mut(1).for_each(batch) } else { batch(items) }
}

/// Cells of clients, each for a relay of its circuit.
fn away<C: UivCipher>(circuits: &mut [Circuit<C>], ways: &mut [Way], alone: bool) {
    let before: Vec<_> = ways.iter().map(|way| way.cell).collect();
    let mut items: Vec<_> = (circuits.iter_mut().zip(&mut *ways))
        .map(|(circuit, way)| ClientCell::new(&mut circuit.hops, way.hop, way.command, &mut way.cell))
        .collect();
    in_batches(alone, &mut items, |items| cgo::client_originate(items));
    let results: Vec<_> = items.iter().map(|item| item.result).collect();
    let mut tags = Vec::new();
    for (((circuit, way), result), cell) in circuits.iter_mut().zip(&*ways).zip(results).zip(&before) {
        let mut expected = *cell;
        let (last, nearer) = circuit.at_client[..=way.hop].split_last_mut().expect("a hop");
        let tag = last[0].client_originate(way.command, &mut expected);
        nearer.iter_mut().rev().for_each(|states| states[0].client_forward(way.command, &mut expected));
        assert!(way.cell == expected, "a cell that a client originates for hop {}", way.hop);
        assert_eq!(result, Ok(Received { hop: way.hop, tag }));
        tags.push(tag);
    }
    for hop in 0..4 {
        let (mut at, mut items) = (Vec::new(), Vec::new());
        let mut expected = Vec::new();
        for (i, (circuit, way)) in circuits.iter_mut().zip(&mut *ways).enumerate() {
            if hop > way.hop {
                continue;
            }
            let mut cell = way.cell;
            let received = circuit.at_relays[hop][0].relay_forward(way.command, &mut cell);
            if way.changed.is_none() {
                assert_eq!(
                    received,
                    (hop == way.hop).then_some(tags[i]),
                    "the reference, hop {hop} of {}",
                    way.hop
                );
            }
            expected.push((cell, received));
            at.push(i);
            items.push(RelayCell::new(&mut circuit.relays[hop], way.command, &mut way.cell));
        }
        in_batches(alone, &mut items, |items| cgo::forward(items));
        let results: Vec<_> = items.iter().map(|item| (*item.cell, item.tag)).collect();
        assert!(results == expected, "cells forward at hop {hop}");
        for i in at {
            let way = &mut ways[i];
            if hop == way.hop && way.changed.is_none() {
                assert_eq!(way.cell[16..], before[i][16..], "what the client sent to hop {hop}");
            }
            if let Some((after, byte)) = way.changed
                && after == hop
            {
                way.cell[byte] ^= 0x10;
            }
        }
    }
}

/// Cells of relays to their clients.
fn back<C: UivCipher>(circuits: &mut [Circuit<C>], ways: &mut [Way], alone: bool) {
    let before: Vec<_> = ways.iter().map(|way| way.cell).collect();
    let mut tags = vec![[0; 16]; ways.len()];
    for hop in (0..4).rev() {
        let (mut passed, mut originated) = (Vec::new(), Vec::new());
        let mut expected = [Vec::new(), Vec::new()];
        for (i, (circuit, way)) in circuits.iter_mut().zip(&mut *ways).enumerate() {
            if hop > way.hop {
                continue;
            }
            let mut cell = way.cell;
            let (state, own) = (&mut circuit.at_relays[hop][1], hop == way.hop);
            let tag = own.then(|| state.relay_originate(way.command, &mut cell));
            if let Some(tag) = tag {
                tags[i] = tag;
            } else {
                state.relay_backward(way.command, &mut cell);
            }
            expected[usize::from(own)].push((cell, tag));
            let item = RelayCell::new(&mut circuit.relays[hop], way.command, &mut way.cell);
            if own { originated.push(item) } else { passed.push(item) }
        }
        in_batches(alone, &mut passed, |items| cgo::backward(items));
        in_batches(alone, &mut originated, |items| cgo::originate(items));
        for (items, expected) in [passed, originated].iter().zip(&expected) {
            let results: Vec<_> = items.iter().map(|item| (*item.cell, item.tag)).collect();
            assert!(results == *expected, "cells backward at hop {hop}");
        }
        for way in ways.iter_mut() {
            if let Some((after, byte)) = way.changed
                && after == hop
                && hop <= way.hop
            {
                way.cell[byte] ^= 0x10;
            }
        }
    }
    let mut items: Vec<_> = (circuits.iter_mut().zip(&mut *ways))
        .map(|(circuit, way)| ClientCell::new(&mut circuit.hops, usize::MAX, way.command, &mut way.cell))
        .collect();
    let arrived: Vec<_> = items.iter().map(|item| *item.cell).collect();
    in_batches(alone, &mut items, |items| cgo::client_backward(items));
    let results: Vec<_> = items.iter().map(|item| item.result).collect();
    for (i, (circuit, way)) in circuits.iter_mut().zip(&*ways).enumerate() {
        let mut expected = arrived[i];
        let states = circuit.at_client.iter_mut().enumerate();
        let received = { states }
            .find_map(|(hop, states)| {
                let tag = states[1].client_backward(way.command, &mut expected)?;
                Some(Received { hop, tag })
            })
            .ok_or(CgoError::Unrecognized);
        assert_eq!(results[i], received);
        assert!(way.cell == expected, "a cell back at the client");
        if way.changed.is_none() {
            assert_eq!(received, Ok(Received { hop: way.hop, tag: tags[i] }));
            assert_eq!(way.cell[16..], before[i][16..], "what hop {} sent", way.hop);
        }
    }
}

/// Every kernel by itself, and all together.
#[test]
fn circuits_of_aes_128() {
    for (i, kernel) in kernels().into_iter().enumerate() {
        circuits::<Aes128>(i as u64, 5, 8, &[kernel]);
    }
    circuits::<Aes128>(90, 12, 40, &kernels());
}

#[test]
fn circuits_of_aes_256() {
    for (i, kernel) in kernels().into_iter().enumerate() {
        circuits::<Aes256>(100 + i as u64, 5, 8, &[kernel]);
    }
    circuits::<Aes256>(190, 12, 40, &kernels());
}

/// Numbers of circuits around those that go together.
#[test]
fn batches_of_every_size() {
    for count in [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97] {
        circuits::<Aes128>(200 + count as u64, count, 4, &kernels()[..1]);
    }
}

/// An empty batch does nothing, and neither does a circuit without hops.
#[test]
fn hops_that_are_not_there() {
    cgo::forward::<Aes128>(&mut []);
    cgo::client_originate::<Aes256>(&mut []);
    let mut cell = [3; CELL];
    let mut none: [Hop<Aes128>; 0] = [];
    assert_eq!(Client(&mut none).originate(0, RELAY, &mut cell), Err(CgoError::Hop { given: 0, hops: 0 }));
    assert_eq!(Client(&mut none).backward(RELAY, &mut cell), None);
    let seeds = Seeds::<Aes128>::of(&[1; 180]).expect("the right length");
    let mut hops = [Hop::new(&seeds), Hop::new(&seeds)];
    for given in [2, 3, usize::MAX] {
        let refused = Client(&mut hops).originate(given, RELAY, &mut cell);
        assert_eq!(refused, Err(CgoError::Hop { given, hops: 2 }));
    }
    assert_eq!(cell, [3; CELL]);
    // Refused cells keep nothing from others in their batch.
    let mut other = [Hop::new(&seeds)];
    let [mut first, mut second] = [[4; CELL]; 2];
    let mut batch = [
        ClientCell::new(&mut other, 1, RELAY, &mut first),
        ClientCell::new(&mut hops, 1, RELAY, &mut second),
    ];
    cgo::client_originate(&mut batch);
    assert_eq!(batch[0].result, Err(CgoError::Hop { given: 1, hops: 1 }));
    assert!(batch[1].result.is_ok());
    assert_eq!(first, [4; CELL]);
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for given in (0..300).filter(|len| *len != 180) {
        let keys = vec![0; given];
        assert_eq!(Seeds::<Aes128>::of(&keys).err(), Some(CgoError::Length { given, accepted: 180 }));
    }
    for given in (0..300).filter(|len| *len != 244) {
        let keys = vec![0; given];
        assert_eq!(Seeds::<Aes256>::of(&keys).err(), Some(CgoError::Length { given, accepted: 244 }));
    }
    let keys: Vec<u8> = (0..180).collect();
    let seeds = Seeds::<Aes128>::of(&keys).expect("the right length");
    assert_eq!(seeds.binding()[..], keys[160..]);
}

/// A relay that changes any byte of a cell makes noise of it, for the relay after it and for the client.
#[test]
fn changed_cells_are_noise() {
    let keys: Vec<u8> = (0..180).collect();
    let seeds = Seeds::<Aes128>::of(&keys).expect("the right length");
    for byte in 0..CELL {
        let (mut hops, mut relay) = ([Hop::new(&seeds)], Relay::new(&seeds));
        let mut cell = [0; CELL];
        Client(&mut hops).originate(0, RELAY, &mut cell).expect("a hop");
        cell[byte] ^= 1;
        assert_eq!(relay.forward(RELAY, &mut cell), None, "byte {byte}");
        assert!(cell.iter().filter(|byte| **byte == 0).count() < 30, "byte {byte}");
    }
    let (mut hops, mut relay) = ([Hop::new(&seeds)], Relay::new(&seeds));
    let mut cell = [0; CELL];
    Client(&mut hops).originate(0, RELAY, &mut cell).expect("a hop");
    assert_eq!(relay.forward(RELAY_EARLY, &mut cell), None, "another command");
}
