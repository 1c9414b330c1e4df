//! Miri, which runs a program step by step and sees what is undefined behaviour in it: accesses beyond a buffer or after it
//! was freed, memory that was not initialised, references that a pointer bypasses, data races; and leaks.
//!
//! It takes about a thousand times as long as the machine. So it is given what goes every way once: the calls of the C
//! interface; the laws of the vectors; and every operation of `judges/constant-time`, whose tests see to it that no mode, no
//! batch and no function for C is left out. Which references may be used after which is not decided yet for Rust: `--long`
//! takes both sets of rules, Stacked Borrows and Tree Borrows.
//!
//! Assembly is left out there (two places in `crates/simd`, which emit no instruction). Miri knows the instructions of
//! x86-64 from SSE2 to AVX2, of AES-NI and VAES, and most of AVX-512; the flags of the compiler tell it which of them the CPU
//! has.

use std::process::Command;

use crate::outcome::{Outcome, Stop};
use crate::process::{capture, caught, run};
use crate::test_programs::short;

/// Without vectors, with bytes in the same order as on x86-64 and in the other one.
const PORTABLE: &str = "riscv64gc-unknown-linux-gnu";
const BIG_ENDIAN: &str = "s390x-unknown-linux-gnu";
const X86_64: &str = "x86_64-unknown-linux-gnu";

/// Instruction sets of x86-64, as flags of the compiler.
const AES_NI: &str = "-Ctarget-feature=+sse4.1,+aes,+pclmulqdq";
const VAES: &str = "-Ctarget-feature=+avx2,+aes,+pclmulqdq,+vaes,+vpclmulqdq";
const AVX_512: &str =
    "-Ctarget-feature=+avx2,+aes,+pclmulqdq,+vaes,+vpclmulqdq,+avx512f,+avx512bw,+avx512dq,+avx512vl";

/// The rules about references.
#[derive(Clone, Copy)]
enum Rules {
    Stacked,
    /// Stacked borrows, each thread run to its end before another: in the midst of calls, their references would be reported first.
    /// Memory that one has freed is not given to another, which would put the writes of the one before those of the other.
    InTurn,
    Tree,
}
use Rules::{InTurn, Stacked, Tree};

/// A run of Miri: a target, flags of the compiler, rules, the arguments of `cargo miri` before `--target TARGET`, and the
/// arguments of the program.
type Run = (&'static str, &'static str, Rules, &'static [&'static str], &'static [&'static str]);

const CAPI: &[&str] = &["test", "--package", "abreast-capi", "--lib"];
const LAWS: &[&str] = &["test", "--package", "abreast-simd", "--tests"];
const OPERATIONS: &[&str] = &["run", "--quiet", "--package", "abreast-constant-time"];

/// The runs that are always made.
const SHORT: &[Run] = &[(PORTABLE, "", Stacked, CAPI, WITHOUT_SLOW)];

/// Tests of the C interface that take Miri half of the time of all: the same calls with other data are among the rest.
const SLOW: &[&str] = &[
    "tests::strings::strings_in_one_buffer",
    "tests::placed::they_compute_the_same_and_leave_zeros",
    "tests::misuse::keys_of_the_right_type_and_another_mode",
];
const WITHOUT_SLOW: &[&str] = &["--skip", SLOW[0], "--skip", SLOW[1], "--skip", SLOW[2]];

/// The runs that `--long` adds.
const LONG: &[Run] = &[
    (PORTABLE, "", Stacked, CAPI, SLOW),
    (PORTABLE, "", Tree, CAPI, &[]),
    (PORTABLE, "", Stacked, CAPI, &["--ignored", "tests::batches", "circuits_through_c"]),
    (BIG_ENDIAN, "", Stacked, CAPI, &[]),
    (BIG_ENDIAN, "", Tree, LAWS, &[]),
    (X86_64, VAES, Tree, LAWS, &[]),
    (X86_64, AVX_512, Tree, LAWS, UNKNOWN_OF_AVX_512),
    (X86_64, AES_NI, Stacked, OPERATIONS, SUBJECTS),
    (X86_64, AES_NI, Tree, OPERATIONS, SUBJECTS),
];

/// Laws whose instructions of AVX-512 Miri does not know: `vpternlogd`, shifts by a register, gathers and scatters.
const UNKNOWN_OF_AVX_512: &[&str] = &[
    "--skip",
    "ternary",
    "--skip",
    "shifts",
    "--skip",
    "swap_bits",
    "--skip",
    "times_",
    "--skip",
    "tables::",
];

/// A cipher of each kind.
const SUBJECTS: &[&str] = &["operations", "xtea sse2", "serpent-256 sse2", "aes-256 aesni", "aez aesni"];

/// Faults in calls of the C interface, and how Miri calls them.
const PLANTED: &[(&str, &str)] = &[
    ("a_byte_beyond_is_read", "going beyond the bounds of its allocation"),
    ("a_reference_is_bypassed", "Undefined Behavior"),
    ("threads_race", "Undefined Behavior: Data race detected"),
];

/// The C interface, and with `long` the rest; and that faults are seen.
pub(crate) fn check(long: bool) -> Outcome {
    capture(nightly().arg("--version")).map_err(|_| {
        Stop::Skipped(
            "Miri is not installed: rustup toolchain install nightly -c miri -c rust-src".to_owned(),
        )
    })?;
    for (fault, report) in PLANTED {
        let name = format!("tests::planted::{fault}");
        let arguments = ["--exact", "--ignored", name.as_str()];
        caught(&mut command(&(PORTABLE, "", InTurn, CAPI, &[]), &arguments), report)?;
    }
    for it in SHORT.iter().chain(LONG).take(if long { usize::MAX } else { SHORT.len() }) {
        run(&mut command(it, it.4))?;
    }
    Ok(())
}

/// `cargo miri` of a nightly toolchain. `cargo` and its toolchain are those of this task unless they are named.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "miri"]).env_remove("CARGO").env_remove("RUSTC");
    command
}

fn command((target, flags, rules, cargo, _): &Run, arguments: &[&str]) -> Command {
    let mut command = nightly();
    command.args(*cargo).args(["--target", target, "--"]).args(arguments);
    // Tests and operations read the environment. Code for AES instructions is not used without them, which the compiler tells.
    let rules = match rules {
        Stacked => "-Zmiri-disable-isolation",
        InTurn => {
            "-Zmiri-disable-isolation -Zmiri-preemption-rate=0 -Zmiri-address-reuse-cross-thread-rate=0"
        }
        Tree => "-Zmiri-disable-isolation -Zmiri-tree-borrows",
    };
    command.env("MIRIFLAGS", rules).env("RUSTFLAGS", format!("--allow=warnings {flags}"));
    // A backtrace takes Miri seconds, and many tests expect a panic.
    command.env("RUST_BACKTRACE", "0");
    short(&mut command);
    command
}
