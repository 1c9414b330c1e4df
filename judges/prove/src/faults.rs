//! Faults that are planted in the library, each of which a proof has to see.
//!
//! The library is changed as a file, so that it can be loaded as well: an input that a failed proof gives is then run on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use iced_x86::{FlowControl, Instruction, OpKind};

use crate::claims::Subject;
use crate::machine::Machine;
use crate::machine::image::Image;
use crate::proof::{self, Verdict};

/// A way to make a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An instruction becomes one that does nothing.
    LeftOut,
    /// An instruction and the next one change places.
    Exchanged,
    /// A bit of an immediate.
    Immediate,
    /// A bit of a constant in memory.
    Constant,
}

/// All of them.
pub(crate) const KINDS: [Kind; 4] = [Kind::LeftOut, Kind::Exchanged, Kind::Immediate, Kind::Constant];

/// Changes to bytes of the library, by address.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    changes: Vec<(u64, u8)>,
}

impl Fault {
    /// The library with this fault.
    pub(crate) fn planted(&self, library: &[u8], image: &Image) -> Result<Vec<u8>, String> {
        let mut changed = library.to_vec();
        for (at, byte) in &self.changes {
            let place = image.in_the_file(*at).ok_or("a fault outside of the library")?;
            changed[place] = *byte;
        }
        Ok(changed)
    }
}

/// Random numbers on which a fault may show.
const NUMBERS: u64 = 2;

/// The outcome of a proof about a planted fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// An input shows it, on the changed library as well.
    Shown,
    /// An input shows it by the forms, and this CPU cannot run the changed kernel, or its registers held by chance what is right.
    NotRun,
    /// The changed code does what no code may, so there is no proof.
    Stopped,
    /// There is no proof, and no input was found.
    NoProof,
    /// The changed code is proved to compute the same, at this length.
    Harmless,
    /// An input shows it by the forms, and the changed library disagrees: an error of this judge.
    Contradicted(String),
}

/// The faults of a kind that the code of a proof has room for, in the order of the code.
///
/// `machine` is as it was after the last call, which begins at place `from` in its list of instructions on data.
pub(crate) fn possible(image: &Image, machine: &Machine<'_>, from: usize, kind: Kind) -> Vec<Fault> {
    let mut places: Vec<u64> = machine.on_data[from..].to_vec();
    places.sort_unstable();
    places.dedup();
    let bytes = |at: u64, len: usize| image.bytes(at, len);
    let of = |at: &u64| machine.seen.get(at);
    let fault = |changes: Vec<(u64, u8)>| Fault { changes };
    match kind {
        Kind::LeftOut => {
            let left_out = |x: &Instruction| fault((x.ip()..x.next_ip()).map(|at| (at, 0x90)).collect());
            places.iter().filter_map(of).map(left_out).collect()
        }
        Kind::Exchanged => {
            let plain =
                |x: &&Instruction| x.flow_control() == FlowControl::Next && !x.is_ip_rel_memory_operand();
            let exchanged = |x: &Instruction| {
                let next = machine.seen.get(&x.next_ip()).filter(plain)?;
                let both = [bytes(next.ip(), next.len())?, bytes(x.ip(), x.len())?].concat();
                Some(fault((x.ip()..).zip(both).collect()))
            };
            places.iter().filter_map(of).filter(plain).filter_map(exchanged).collect()
        }
        Kind::Immediate => {
            let changed = |x: &Instruction| {
                let last = x.op_count().checked_sub(1)?;
                if x.op_kind(last) != OpKind::Immediate8 {
                    return None;
                }
                let at = x.next_ip() - 1;
                Some(fault(vec![(at, bytes(at, 1)?[0] ^ 1)]))
            };
            places.iter().filter_map(of).filter_map(changed).collect()
        }
        Kind::Constant => {
            let changed = |(at, len): &(u64, usize)| {
                let at = at + *len as u64 / 2;
                Some(fault(vec![(at, bytes(at, 1)?[0] ^ 4)]))
            };
            machine.constants.iter().filter(|(_, len)| *len >= 8).filter_map(changed).collect()
        }
    }
}

/// Plants a fault and runs the code on random numbers. If these do not show it, tries the proof where `proving` asks for that, and
/// returns None otherwise.
pub(crate) fn plant(
    library: &[u8],
    image: &Image,
    folder: &Path,
    subject: &Subject,
    limit: Duration,
    fault: &Fault,
    proving: bool,
) -> Result<Option<Seen>, String> {
    let changed = fault.planted(library, image)?;
    let faulty = Image::parse(&changed)?;
    // Most faults show on numbers, and forms that have gone wrong grow without end.
    let mut verdict = Verdict::Exhausted;
    let mut by_proof = false;
    for seed in 1..=NUMBERS {
        verdict = proof::refute(&faulty, seed, limit, || subject.claim(image));
        if !matches!(verdict, Verdict::NotProved(_)) {
            break;
        }
    }
    if proving && matches!(verdict, Verdict::NotProved(_)) {
        by_proof = true;
        verdict = proof::prove(&faulty, limit, || subject.claim(image)).0.verdict;
    }
    Ok(Some(match verdict {
        Verdict::NotProved(_) if !proving => return Ok(None),
        Verdict::Proved => Seen::Harmless,
        Verdict::Refused(_) => Seen::Stopped,
        Verdict::NotProved(_) | Verdict::Exhausted => Seen::NoProof,
        Verdict::Different(witness) => {
            let name = format!("faulty-{:?}.so", std::thread::current().id()).replace(['(', ')'], "-");
            let path: PathBuf = folder.join(name);
            std::fs::write(&path, &changed).map_err(|error| format!("{}: {error}", path.display()))?;
            match proof::confirm(&path, &witness) {
                Ok(Some(true)) => Seen::Shown,
                Ok(None) => Seen::NotRun,
                Ok(Some(false)) if by_proof => Seen::NotRun,
                Ok(Some(false)) => Seen::Contradicted("the changed library gives what is right".to_owned()),
                Err(reason) => Seen::Contradicted(reason),
            }
        }
    }))
}
