//! Checks the machine code of the library for timing that depends on secrets, and the memory of its programs for remains
//! of keys.
//!
//! `cargo xtask ct`, `cargo xtask residue`, `cargo xtask miri` and `cargo xtask sanitize` run this program.
//!
//! * Memcheck runs every operation in Valgrind with secrets marked as undefined: a jump or an address that depends on one
//!   is an error there. Valgrind knows no AVX-512, VAES and GFNI and hides them, so the library takes lesser kernels.
//! * The steps run every operation step by step under several secrets, and compare the addresses of instructions and data.
//!   `ct-aarch64` does so in qemu, with the program for AArch64.
//! * `residue` runs every operation under several secrets, and compares the memory after all keys are dropped;
//!   `residue-command` looks for known secrets in the memory of the command when it exits.
//! * `operations` runs every operation and looks at nothing: that is for a tool around it, Miri or a sanitizer.
//! * `subjects` lists the subjects of operations on this machine: each cipher on each of its kernels.
//!
//! In each of them, but for the last two, something is planted that has to be found.

mod child;
#[cfg(target_arch = "x86_64")]
mod command;
mod examiner;
mod findings;
mod image;
mod memcheck;
mod memory;
mod operations;
mod planted;
mod public;
mod residue;
mod stepper;
mod steps;
mod table;
mod trace;

use std::process::ExitCode;

use examiner::{Examiner, Extent, Tool, line};
use stepper::Stepper;
use steps::Machine;
use table::Table;

const USAGE: &str = "\
usage: abreast-constant-time ct [--long] [--without-valgrind]
       abreast-constant-time ct-aarch64 PLUGIN ROOT PROGRAM [--long]
       abreast-constant-time residue [--long]
       abreast-constant-time residue-command PROGRAM
       abreast-constant-time operations [--long] [SUBJECT]...
       abreast-constant-time subjects";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let extent = if args.contains(&"--long") { Extent::Long } else { Extent::Short };
    let done = match args[..] {
        ["watched", tool, extent, ref wanted @ ..] => {
            watched(tool, extent, wanted);
            return ExitCode::SUCCESS;
        }
        ["subjects"] => {
            operations::subjects().iter().for_each(|subject| line(format_args!("{subject}")));
            return ExitCode::SUCCESS;
        }
        ["ct", ..] => ct(extent, !args.contains(&"--without-valgrind")),
        ["ct-aarch64", plugin, root, program, ..] => {
            aarch64(&Machine::aarch64(plugin.as_ref(), root.as_ref(), program.as_ref(), extent), extent)
        }
        ["residue", ..] => residue::run(extent).inspect(|wrong| show(wrong)),
        #[cfg(target_arch = "x86_64")]
        ["residue-command", program, ..] => command::run(program.as_ref()).inspect(|wrong| show(wrong)),
        ["operations", ref wanted @ ..] => {
            let wanted: Vec<String> =
                wanted.iter().filter(|it| **it != "--long").map(|it| (*it).to_owned()).collect();
            let known = operations::subjects();
            if let Some(other) = wanted.iter().find(|subject| !known.contains(*subject)) {
                eprintln!("abreast-constant-time: {other} is not among {known:?}");
                return ExitCode::from(2);
            }
            operations::run(&Examiner::new(Tool::Around, extent, wanted));
            return ExitCode::SUCCESS;
        }
        #[cfg(target_arch = "x86_64")]
        ["leave", file] => {
            command::leave(file.as_ref());
            return ExitCode::SUCCESS;
        }
        ["--help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(wrong) if wrong.is_empty() => ExitCode::SUCCESS,
        Ok(wrong) => {
            println!("{} findings", wrong.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("abreast-constant-time: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the errors.
fn show(wrong: &[String]) {
    wrong.iter().for_each(|line| println!("WRONG: {line}"));
}

/// Runs both checks of constant time. Subjects that memcheck does not cover are left to the steps.
fn ct(extent: Extent, valgrind: bool) -> std::io::Result<Vec<String>> {
    let (mut table, mut wrong) = (Table::default(), Vec::new());
    let mut subjects = operations::subjects();
    if valgrind {
        let findings = findings::run(extent, &mut table)?;
        println!("memcheck: {} planted leaks caught", findings.caught);
        wrong.extend(findings.wrong);
        subjects.retain(|subject| !findings.subjects.contains(subject));
    }
    // Findings of memcheck are shown even if the steps take too long.
    show(&wrong);
    wrong.extend(stepped(&Machine::this(extent)?, extent, &subjects, &mut table)?);
    table.print();
    Ok(wrong)
}

/// Every operation on an AArch64 in an emulator, whose steps are quick.
fn aarch64(machine: &Machine, extent: Extent) -> std::io::Result<Vec<String>> {
    let mut table = Table::default();
    let wrong = stepped(machine, extent, &machine.subjects()?, &mut table)?;
    table.print();
    Ok(wrong)
}

/// The steps of a machine.
fn stepped(
    machine: &Machine,
    extent: Extent,
    subjects: &[String],
    table: &mut Table,
) -> std::io::Result<Vec<String>> {
    let differences = steps::run(machine, extent, subjects, table)?;
    println!("{}: {} planted leaks caught", machine.tool, differences.caught);
    show(&differences.wrong);
    Ok(differences.wrong)
}

/// The process that is watched.
fn watched(tool: &str, extent: &str, wanted: &[&str]) {
    let record = |text: &str| text.parse().expect("a number");
    let tool = match tool {
        "memcheck" => Tool::Memcheck,
        "residue" => Tool::Residue,
        tool => {
            let record = tool.strip_prefix("steps=").map(record);
            Tool::Steps(Stepper::new(record).expect("a CPU and a system that take single steps"))
        }
    };
    if matches!(tool, Tool::Memcheck) {
        assert!(memcheck::is_watching(), "not in Valgrind");
    }
    let tool_is_residue = matches!(tool, Tool::Residue);
    let extent = if extent == Extent::Long.name() { Extent::Long } else { Extent::Short };
    line(format_args!("loaded {:x}", image::load_address()));
    let examiner = Examiner::new(tool, extent, wanted.iter().copied().map(str::to_owned).collect());
    if tool_is_residue {
        operations::run(&examiner);
        // Last, since the planted copy stays in memory.
        planted::leave(&examiner);
    } else {
        planted::run(&examiner);
        operations::run(&examiner);
    }
}
