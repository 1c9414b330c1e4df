//! UIV+ and Counter Galois Onion: cells alone and in batches, new keys, and what relays and clients do with cells.

use abreast::modes::{Uiv, UivCell, UivCipher, UivUpdate};
use abreast::{Error, Kernel};
use abreast_frames::cgo::{self, CELL, Cell, Client, Hop, RELAY, Relay, RelayCell, Seeds};

use super::batches::counts;
use crate::examiner::{Examiner, Secret, public};

/// Everything that there is of both with one cipher.
#[inline(never)]
pub(super) fn run<C: UivCipher>(x: &Examiner, kernel: Kernel) {
    let seed = x.secret(C::SEED);
    let uiv = x.run(format_args!("uiv key"), || Uiv::<C>::with_kernel(&seed, kernel));
    let mut uiv = uiv.expect("its kernel");
    let (tweak, mut data) = (x.secret(17), x.secret(CELL));
    let tweak = tweak.first_chunk().expect("17 bytes");
    x.run(format_args!("uiv, encrypt"), || uiv.encrypt(tweak, cell(&mut data)));
    x.run(format_args!("uiv, decrypt"), || uiv.decrypt(tweak, cell(&mut data)));
    let tag = *tweak.first_chunk().expect("16 bytes");
    x.run(format_args!("uiv, update"), || uiv.update(&tag));
    let nonce = *uiv.nonce();
    let verdict = |tag| if uiv.is_nonce(tag) { Ok(()) } else { Err(Error::TagMismatch) };
    x.try_run(format_args!("uiv, the nonce"), || verdict(&nonce));
    let wrong = x.outcome(format_args!("uiv, another nonce"), || verdict(&tag));
    assert_eq!(wrong, Err(Error::TagMismatch));
    x.run(format_args!("uiv, drop"), || drop(uiv));
    for &count in counts(x) {
        batch::<C>(x, kernel, count);
    }
    circuit::<C>(x, kernel);
}

/// Bytes as a cell.
fn cell(bytes: &mut Secret) -> &mut Cell {
    bytes.first_chunk_mut().expect("a cell")
}

/// Cells of many circuits.
#[inline(never)]
fn batch<C: UivCipher>(x: &Examiner, kernel: Kernel, count: usize) {
    let mut items: Vec<_> = (0..count)
        .map(|_| {
            let uiv = Uiv::<C>::with_kernel(&x.secret(C::SEED), kernel).expect("its kernel");
            // The tag of a cell that was sent before.
            let tag = *public(16, 7).first_chunk().expect("16 bytes");
            (uiv, tag, x.secret(CELL))
        })
        .collect();
    let mut cells: Vec<_> =
        (items.iter_mut()).map(|(uiv, tag, data)| Some(UivCell::new(uiv, tag, RELAY, cell(data)))).collect();
    x.run(format_args!("batch of {count}, uiv, encrypt"), || Uiv::encrypt_each(&mut cells));
    x.run(format_args!("batch of {count}, uiv, decrypt"), || Uiv::decrypt_each(&mut cells));
    let mut updates: Vec<_> = items.iter_mut().map(|(uiv, tag, _)| Some(UivUpdate::new(uiv, tag))).collect();
    x.run(format_args!("batch of {count}, uiv, update"), || Uiv::update_each(&mut updates));
    x.run(format_args!("batch of {count}, uiv, drop"), || drop(items));
}

/// A circuit of two hops, there and back.
#[inline(never)]
fn circuit<C: UivCipher>(x: &Examiner, kernel: Kernel) {
    let keys = [0, 1].map(|_| x.secret(Seeds::<C>::LEN));
    let seeds = [0, 1].map(|hop| Seeds::<C>::of(&keys[hop]).expect("the right length"));
    let made = x.run(format_args!("cgo keys"), || {
        seeds.map(|it| (Relay::with_kernel(&it, kernel), Hop::with_kernel(&it, kernel)))
    });
    let [first, last] = made.map(|(relay, hop)| (relay.expect("its kernel"), hop.expect("its kernel")));
    let (mut relays, mut hops) = ([first.0, last.0], [first.1, last.1]);
    let mut data = x.secret(CELL);
    let sent = x.run(format_args!("cgo, client, originate"), || {
        Client(&mut hops).originate(1, RELAY, cell(&mut data)).expect("a hop")
    });
    for (i, relay) in relays.iter_mut().enumerate() {
        let received =
            x.run(format_args!("cgo, forward, relay {i}"), || relay.forward(RELAY, cell(&mut data)));
        assert_eq!(received.is_some(), i == 1);
    }
    let [first, last] = &mut relays;
    let back = x.run(format_args!("cgo, originate"), || last.originate(RELAY, cell(&mut data)));
    x.run(format_args!("cgo, backward"), || first.backward(RELAY, cell(&mut data)));
    let received =
        x.run(format_args!("cgo, client, backward"), || Client(&mut hops).backward(RELAY, cell(&mut data)));
    assert_eq!(received.map(|received| received.hop), Some(1));
    for tag in [sent, back] {
        x.publish(&tag);
    }
    let mut cells = [0, 1].map(|_| x.secret(CELL));
    let [one, other] = &mut cells;
    let mut batch = [RelayCell::new(first, RELAY, cell(one)), RelayCell::new(last, RELAY, cell(other))];
    x.run(format_args!("batch, cgo, forward"), || cgo::forward(&mut batch));
    x.run(format_args!("batch, cgo, backward"), || cgo::backward(&mut batch));
    x.run(format_args!("batch, cgo, originate"), || cgo::originate(&mut batch));
    x.run(format_args!("cgo, drop"), || drop((relays, hops)));
}
