//! Known answers of UIV+ and Counter Galois Onion.

use abreast_reference::cgo::{self, Cell, State};
use abreast_vectors::{CgoOperation, cgo, uiv, uiv_et, uiv_prf, uiv_update};

#[test]
fn parts_of_uiv() {
    for case in uiv_et() {
        let [plaintext, ciphertext] =
            [&case.plaintext, &case.ciphertext].map(|block| block[..].try_into().expect("a block"));
        assert_eq!(cgo::et_encrypt(&case.key, &case.tweak, &plaintext), ciphertext, "{}", case.name);
        assert_eq!(cgo::et_decrypt(&case.key, &case.tweak, &ciphertext), plaintext, "{}", case.name);
    }
    for case in uiv_prf() {
        let input = case.input[..].try_into().expect("a block");
        let output = cgo::prf(&case.key, &input, case.t.into(), case.output.len());
        assert_eq!(output, case.output, "{}", case.name);
    }
}

#[test]
fn cells_and_new_keys_of_uiv() {
    for case in uiv() {
        let tweak = case.tweak[..].try_into().expect("17 bytes");
        let [plaintext, ciphertext] =
            [&case.plaintext, &case.ciphertext].map(|cell| cell[..].try_into().expect("a cell"));
        assert_eq!(cgo::encrypt(&case.key, &tweak, &plaintext), ciphertext, "{}", case.name);
        assert_eq!(cgo::decrypt(&case.key, &tweak, &ciphertext), plaintext, "{}", case.name);
    }
    for case in uiv_update() {
        let State { keys, nonce, .. } = State::new(&case.seed);
        let (keys, nonce) = cgo::update(&keys, &nonce);
        assert_eq!([&keys[..], &nonce].concat(), case.new_seed, "{}", case.name);
    }
}

#[test]
fn onions() {
    let state = |bytes: &Vec<u8>| {
        let (seed, tag) = bytes.split_last_chunk().expect("a tag");
        State { tag: *tag, ..State::new(seed) }
    };
    for case in cgo() {
        let mut states: Vec<State> = case.states.iter().map(state).collect();
        let mut cell: Cell = case.cell[..].try_into().expect("a cell");
        match case.operation {
            CgoOperation::Backward => states[0].relay_backward(case.command, &mut cell),
            CgoOperation::Forward => {
                states[0].relay_forward(case.command, &mut cell);
            }
            CgoOperation::Originate => {
                states[0].relay_originate(case.command, &mut cell);
            }
            CgoOperation::Client => {
                states[case.hop - 1].client_originate(case.command, &mut cell);
                states[..case.hop - 1]
                    .iter_mut()
                    .rev()
                    .for_each(|hop| hop.client_forward(case.command, &mut cell));
            }
        }
        assert_eq!(cell[..], case.new_cell, "{}", case.name);
        assert_eq!(states, case.new_states.iter().map(state).collect::<Vec<_>>(), "{}", case.name);
    }
}
