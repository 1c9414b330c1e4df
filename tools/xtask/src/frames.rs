//! Frames of kernels: vectors of more than 16 bytes that do not fit into registers lie in frames that are aligned.
//!
//! A vector of 32 bytes at a multiple of 8 crosses a page at some places of the stack, and a kernel that loads it again takes up to
//! twice its time there: one process in ten is slow, whatever it is that it encrypts. A kernel that keeps many calls
//! `Isa::align_frame`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use rustc_demangle::demangle;

use crate::outcome::Stop;
use crate::process::{capture, need};

/// Vectors that a kernel may keep on the stack without being looked at: outside of loops a few cost nothing.
const FEW: usize = 4;

/// Returns a complaint for each function of a library for x86-64 that keeps more than a few wide vectors in an unaligned frame.
pub(crate) fn complaints(rlib: &Path) -> Result<Vec<String>, Stop> {
    need("objdump")?;
    let mut objdump = Command::new("objdump");
    objdump.args(["--disassemble", "--no-show-raw-insn", "--no-addresses"]);
    Ok(judge(&capture(objdump.arg(rlib))?))
}

/// Judges the functions of a disassembly.
fn judge(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut function = Function::default();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            complaints.extend(function.complaint());
            function = Function { name: name.to_owned(), ..Function::default() };
        } else {
            function.add(line);
        }
    }
    complaints.extend(function.complaint());
    complaints
}

/// The facts about a function.
#[derive(Default)]
struct Function {
    name: String,
    /// True if it aligns its frame to 32 bytes or more.
    is_aligned: bool,
    /// Places on the stack that wide vectors were stored to.
    stored: BTreeSet<String>,
    /// Places among them that were loaded again.
    kept: BTreeSet<String>,
}

impl Function {
    /// Takes up an instruction.
    fn add(&mut self, line: &str) {
        let mut parts = line.split_whitespace();
        let (Some(instruction), Some(operands)) = (parts.next(), parts.next()) else { return };
        if instruction == "and" && operands.ends_with(",%rsp") {
            self.is_aligned = true;
        }
        let is_wide = operands.contains("%ymm") || operands.contains("%zmm");
        if !is_wide || !operands.contains("(%rsp)") {
            return;
        }
        match operands.rsplit_once(',') {
            Some((_, place)) if place.ends_with("(%rsp)") => {
                if instruction.starts_with("vmovu") || instruction.starts_with("vmovdqu") {
                    self.stored.insert(place.to_owned());
                }
            }
            _ => {
                let place = operands.split(',').find(|operand| operand.ends_with("(%rsp)"));
                self.kept.extend(place.filter(|place| self.stored.contains(*place)).map(str::to_owned));
            }
        }
    }

    /// Returns the complaint about the function, if there is one.
    fn complaint(&self) -> Option<String> {
        let is_fine = self.is_aligned || self.kept.len() <= FEW;
        (!is_fine).then(|| {
            format!(
                "{} wide vectors in an unaligned frame, which Isa::align_frame aligns: {:#}",
                self.kept.len(),
                demangle(&self.name)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores five vectors and loads them again.
    fn function(name: &str, begin: &str, store: &str) -> String {
        let mut text = format!("<{name}>:\n\t{begin}\n");
        for place in 0..5 {
            text +=
                &format!("\t{store} %ymm{place},0x{place}0(%rsp)\n\tvpaddd 0x{place}0(%rsp),%ymm1,%ymm2\n");
        }
        text + "\tret\n"
    }

    #[test]
    fn unaligned_frames_are_seen() {
        let unaligned = function("bad", "push %rbp", "vmovdqu");
        let aligned = function("good", "and $0xffffffffffffffc0,%rsp", "vmovdqa");
        let narrow = function("narrow", "push %rbp", "vmovdqu").replace("ymm", "xmm");
        let complaints = judge(&(aligned.clone() + &unaligned + &narrow));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].starts_with("5 wide vectors") && complaints[0].ends_with("bad"),
            "{complaints:?}"
        );
        assert!(judge(&(aligned + &narrow)).is_empty());
    }
}
