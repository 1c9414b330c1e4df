//! Counter Galois Onion from "Counter Galois Onion: Fast Non-Malleable Onion Encryption for Tor" by Jean Paul Degabriele, Alessandro
//! Melloni, Jean-Pierre Münch and Martijn Stam (eprint 2025/583), as Tor's proposal 359 has it, with AES-128 and AES-256.

use crate::aes::Aes;
use crate::block::{BlockCipher, xor};
use crate::gcm_siv::{padded, polyval};

/// A cell without its header: the tag, and 493 bytes.
pub type Cell = [u8; 509];

/// `ENC_ET`: a block under the keys `KB || KU`, with a tweak of any length.
pub fn et_encrypt(j: &[u8], tweak: &[u8], block: &[u8; 16]) -> [u8; 16] {
    let (kb, h) = (Aes::new(&j[..j.len() - 16]), hash(j, tweak));
    xor(&kb.encrypt_block(&xor(block, &h)), &h)
}

/// `DEC_ET`.
pub fn et_decrypt(j: &[u8], tweak: &[u8], block: &[u8; 16]) -> [u8; 16] {
    let (kb, h) = (Aes::new(&j[..j.len() - 16]), hash(j, tweak));
    xor(&kb.decrypt_block(&xor(block, &h)), &h)
}

/// `PRF`: some bytes under the keys `K || B`, for `t` 0 or 1.
///
/// ```
/// use abreast_reference::cgo;
///
/// let stream = cgo::prf(&[7; 32], &[1; 16], 0, 600);
/// assert_eq!(stream[31 * 16..][..80], cgo::prf(&[7; 32], &[1; 16], 1, 80));
/// ```
pub fn prf(s: &[u8], input: &[u8; 16], t: u128, len: usize) -> Vec<u8> {
    let k = Aes::new(&s[..s.len() - 16]);
    let begin = u128::from_be_bytes(hash(s, input)) & !0x3f;
    let blocks = (begin + 31 * t..).take(len.div_ceil(16));
    let mut output: Vec<u8> = blocks.flat_map(|block| k.encrypt_block(&block.to_be_bytes())).collect();
    output.truncate(len);
    output
}

/// `UH`, under the last 16 bytes of some keys.
fn hash(keys: &[u8], input: &[u8]) -> [u8; 16] {
    polyval(keys.last_chunk().expect("keys of more than 16 bytes"), &padded(input))
}

/// `ENC_UIV`: a cell under the keys `J || S`, with a tweak of a tag and a byte.
pub fn encrypt(keys: &[u8], tweak: &[u8; 17], cell: &Cell) -> Cell {
    let (j, s) = keys.split_at(keys.len() / 2);
    let (left, right) = cell.split_first_chunk().expect("a tag");
    let left = et_encrypt(j, &[&tweak[..], right].concat(), left);
    join(&left, &stream(s, &left, right))
}

/// `DEC_UIV`.
///
/// ```
/// use abreast_reference::cgo;
///
/// let cell = cgo::encrypt(&[7; 64], &[1; 17], &[9; 509]);
/// assert_eq!(cgo::decrypt(&[7; 64], &[1; 17], &cell), [9; 509]);
/// ```
pub fn decrypt(keys: &[u8], tweak: &[u8; 17], cell: &Cell) -> Cell {
    let (j, s) = keys.split_at(keys.len() / 2);
    let (left, right) = cell.split_first_chunk().expect("a tag");
    let right = stream(s, left, right);
    join(&et_decrypt(j, &[&tweak[..], &right].concat(), left), &right)
}

/// The right part with the keystream of the left one.
fn stream(s: &[u8], left: &[u8; 16], right: &[u8]) -> Vec<u8> {
    prf(s, left, 0, right.len()).iter().zip(right).map(|(stream, byte)| stream ^ byte).collect()
}

fn join(left: &[u8; 16], right: &[u8]) -> Cell {
    [&left[..], right].concat().try_into().expect("a cell")
}

/// `UPDATE_UIV`: the next keys `J || S`, and the next nonce.
pub fn update(keys: &[u8], nonce: &[u8; 16]) -> (Vec<u8>, [u8; 16]) {
    let (_, s) = keys.split_at(keys.len() / 2);
    let mut output = prf(s, nonce, 1, keys.len() + 16);
    let nonce = output.split_off(keys.len()).try_into().expect("16 bytes");
    (output, nonce)
}

/// One direction of a hop, at a relay or at the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// `J || S`.
    pub keys: Vec<u8>,
    /// `N`.
    pub nonce: [u8; 16],
    /// `T'`.
    pub tag: [u8; 16],
}

impl State {
    /// A state at the beginning of a circuit, from `J || S || N`.
    pub fn new(seed: &[u8]) -> Self {
        let (keys, nonce) = seed.split_at(seed.len() - 16);
        Self { keys: keys.to_vec(), nonce: nonce.try_into().expect("16 bytes"), tag: [0; 16] }
    }

    fn tweak(&self, command: u8) -> [u8; 17] {
        [&self.tag[..], &[command]].concat().try_into().expect("17 bytes")
    }

    fn update(&mut self, input: [u8; 16]) {
        (self.keys, self.nonce) = update(&self.keys, &input);
    }

    /// A cell that a relay passes on to the client.
    pub fn relay_backward(&mut self, command: u8, cell: &mut Cell) {
        *cell = encrypt(&self.keys, &self.tweak(command), cell);
        self.tag = tag_of(cell);
    }

    /// A cell that a relay passes on from the client, with its tag if it was for this relay.
    pub fn relay_forward(&mut self, command: u8, cell: &mut Cell) -> Option<[u8; 16]> {
        let tag = tag_of(cell);
        self.relay_backward(command, cell);
        (self.tag == self.nonce).then(|| {
            self.update(self.nonce);
            tag
        })
    }

    /// A cell that a relay originates, with its tag.
    pub fn relay_originate(&mut self, command: u8, cell: &mut Cell) -> [u8; 16] {
        cell[..16].copy_from_slice(&self.nonce);
        self.relay_backward(command, cell);
        self.update(self.tag);
        self.tag
    }

    /// A layer that the client puts around a cell.
    pub fn client_forward(&mut self, command: u8, cell: &mut Cell) {
        let tag = tag_of(cell);
        *cell = decrypt(&self.keys, &self.tweak(command), cell);
        self.tag = tag;
    }

    /// A cell that the client originates for this hop, with its tag; the layers of the hops before come after.
    pub fn client_originate(&mut self, command: u8, cell: &mut Cell) -> [u8; 16] {
        cell[..16].copy_from_slice(&self.nonce);
        self.client_forward(command, cell);
        self.update(self.nonce);
        tag_of(cell)
    }

    /// A layer that the client takes off a cell, with the cell's tag if it was from this hop.
    pub fn client_backward(&mut self, command: u8, cell: &mut Cell) -> Option<[u8; 16]> {
        self.client_forward(command, cell);
        (tag_of(cell) == self.nonce).then(|| {
            self.update(self.tag);
            self.tag
        })
    }
}

fn tag_of(cell: &Cell) -> [u8; 16] {
    *cell.first_chunk().expect("a tag")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A relay and a client that begin with the same seeds.
    #[test]
    fn circuits_of_one_hop() {
        for seed in [80, 112] {
            let seed: Vec<u8> = (0..seed).collect();
            let (mut relay, mut client) = (State::new(&seed), State::new(&seed));
            for command in [3, 9, 3] {
                let mut cell = [command; 509];
                let tag = client.client_originate(command, &mut cell);
                assert_eq!(relay.relay_forward(command, &mut cell), Some(tag));
                assert_eq!(cell[16..], [command; 493]);
            }
            let (mut relay, mut client) = (State::new(&seed), State::new(&seed));
            for command in [3, 9, 3] {
                let mut cell = [command; 509];
                let tag = relay.relay_originate(command, &mut cell);
                assert_eq!(client.client_backward(command, &mut cell), Some(tag));
                assert_eq!(cell[16..], [command; 493]);
            }
            assert_eq!(relay, client);
        }
    }
}
