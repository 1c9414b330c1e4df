//! Known answers of UIV+ and Counter Galois Onion: by the Python reference of Tor's proposal 359, as arti has them. All are with AES-128.

use crate::reader::{Fields, File};

/// A block of ET, the tweakable block cipher in UIV+.
#[derive(Clone, Debug)]
pub struct EtCase {
    /// Source and place in it, such as `UIV+ ET, zeros, encrypt`.
    pub name: String,
    /// `KB || KU`.
    pub key: Vec<u8>,
    /// The tweak, 510 bytes: that of UIV+ and the right part of a cell.
    pub tweak: Vec<u8>,
    /// A block.
    pub plaintext: Vec<u8>,
    /// The block that it encrypts to.
    pub ciphertext: Vec<u8>,
}

/// Some bytes of PRF, the keystream in UIV+.
#[derive(Clone, Debug)]
pub struct PrfCase {
    /// Source and place in it, such as `UIV+ PRF, all zeros, t=0`.
    pub name: String,
    /// `K || B`.
    pub key: Vec<u8>,
    /// `t`, 0 for a cell and 1 for new keys.
    pub t: u32,
    /// The block that the output depends on.
    pub input: Vec<u8>,
    /// The output, of any length.
    pub output: Vec<u8>,
}

/// A cell under UIV+.
#[derive(Clone, Debug)]
pub struct UivCase {
    /// Source and place in it, such as `UIV+, all zeros, encrypt`.
    pub name: String,
    /// `J || S`.
    pub key: Vec<u8>,
    /// The tweak, 17 bytes.
    pub tweak: Vec<u8>,
    /// A cell of 509 bytes.
    pub plaintext: Vec<u8>,
    /// The cell that it encrypts to.
    pub ciphertext: Vec<u8>,
}

/// A seed of UIV+, and the next one that it makes.
#[derive(Clone, Debug)]
pub struct UivUpdateCase {
    /// Source and place in it, such as `UIV+ update 1`.
    pub name: String,
    /// `J || S || N`.
    pub seed: Vec<u8>,
    /// The new `J || S || N`.
    pub new_seed: Vec<u8>,
}

/// An operation of Counter Galois Onion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgoOperation {
    /// A relay passes a cell on to the client.
    Backward,
    /// A relay passes a cell on from the client.
    Forward,
    /// A relay originates a cell.
    Originate,
    /// The client originates a cell for a hop.
    Client,
}

/// A cell of Counter Galois Onion.
#[derive(Clone, Debug)]
pub struct CgoCase {
    /// Source and place in it, such as `CGO relay, all zeros, inbound`.
    pub name: String,
    /// The operation.
    pub operation: CgoOperation,
    /// The number of the hop that the client originates for, from 1 on.
    pub hop: usize,
    /// The state of each hop that takes part: `J || S || N || T'`.
    pub states: Vec<Vec<u8>>,
    /// The byte of associated data.
    pub command: u8,
    /// The cell before, 509 bytes.
    pub cell: Vec<u8>,
    /// The states after the operation.
    pub new_states: Vec<Vec<u8>>,
    /// The cell after the operation.
    pub new_cell: Vec<u8>,
}

/// Blocks of ET: 20.
///
/// ```
/// assert!(abreast_vectors::uiv_et().iter().all(|case| case.tweak.len() == 510));
/// ```
pub fn uiv_et() -> Vec<EtCase> {
    File::embedded("uiv_et.txt", include_str!("../data/uiv_et.txt")).cases(|case| EtCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        tweak: case.bytes("Tweak"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    })
}

/// Bytes of PRF, for cells and for new keys: 20.
///
/// ```
/// assert!(abreast_vectors::uiv_prf().iter().any(|case| case.t == 1));
/// ```
pub fn uiv_prf() -> Vec<PrfCase> {
    File::embedded("uiv_prf.txt", include_str!("../data/uiv_prf.txt")).cases(|case| PrfCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        t: case.number("T"),
        input: case.bytes("Input"),
        output: case.bytes("Output"),
    })
}

/// Cells under UIV+: 12.
///
/// ```
/// assert!(abreast_vectors::uiv().iter().all(|case| case.plaintext.len() == 509));
/// ```
pub fn uiv() -> Vec<UivCase> {
    File::embedded("uiv.txt", include_str!("../data/uiv.txt")).cases(|case| UivCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        tweak: case.bytes("Tweak"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    })
}

/// New keys of UIV+: 10.
///
/// ```
/// assert!(abreast_vectors::uiv_update().iter().all(|case| case.new_seed.len() == 80));
/// ```
pub fn uiv_update() -> Vec<UivUpdateCase> {
    File::embedded("uiv_update.txt", include_str!("../data/uiv_update.txt")).cases(|case| UivUpdateCase {
        name: case.text("Name"),
        seed: case.bytes("Seed"),
        new_seed: case.bytes("NewSeed"),
    })
}

/// Cells of Counter Galois Onion, at relays and at a client of three hops: 32. None goes backward at a client.
///
/// ```
/// assert!(abreast_vectors::cgo().iter().any(|case| case.states.len() == 3 && case.hop == 2));
/// ```
pub fn cgo() -> Vec<CgoCase> {
    File::embedded("cgo.txt", include_str!("../data/cgo.txt")).cases(|case| CgoCase {
        name: case.text("Name"),
        operation: operation(case),
        hop: case.number("Hop") as usize,
        states: case.list("States"),
        command: case.bytes("Command")[0],
        cell: case.bytes("Cell"),
        new_states: case.list("NewStates"),
        new_cell: case.bytes("NewCell"),
    })
}

fn operation(case: &mut Fields) -> CgoOperation {
    match &*case.text("Operation") {
        "backward" => CgoOperation::Backward,
        "forward" => CgoOperation::Forward,
        "originate" => CgoOperation::Originate,
        "client" => CgoOperation::Client,
        other => panic!("`{other}` is no operation"),
    }
}
