//! The loops of a ladder's steps as llvm-mca sees them: cycles per iteration, as a bracket.
//!
//! Virtual machines have no hardware counters to show where a core stalls. llvm-mca simulates the loop on a model of this
//! CPU instead: once as if no load read what a store before it has written, once as if every load did. The truth lies
//! between them. The model knows neither caches nor branches that are predicted wrongly nor the time that a load takes to
//! get its value from a store, and it knows CPUs only as well as its tables do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, need, run, say};
use crate::workspace::Workspace;

/// Iterations that are simulated.
const ITERATIONS: u32 = 500;
/// This CPU, and one with AVX-512 for what this one cannot run.
const CPUS: [&str; 2] = ["native", "icelake-server"];
/// The fewest instructions of a loop that is shown: fewer are those of a remainder.
const LEAST: usize = 8;

/// Shows the loops of the functions whose paths contain `ladders::NAME::`.
pub(crate) fn show(workspace: &Workspace, name: &str) -> Outcome {
    need("llvm-mca")?;
    let folder = workspace.target.join("mca");
    run(cargo(&["rustc", "--quiet", "--release", "-p", "abreast-lab", "--lib"])
        .args(["--target-dir".as_ref(), folder.as_os_str()])
        .args(["--", "--emit", "asm", "-C", "lto=no"]))?;
    let mut rows = Vec::new();
    for file in assembly(&folder.join("release/deps"))? {
        let text = fs::read_to_string(&file).map_err(|error| Stop::Failed(error.to_string()))?;
        for function in functions(&text, &format!("ladders::{name}::")) {
            let Some(body) = longest_loop(&function.lines) else { continue };
            let snippet = folder.join("loop.s");
            fs::write(&snippet, body.join("\n")).map_err(|error| Stop::Failed(error.to_string()))?;
            for cpu in CPUS {
                let [never, always] = [true, false].map(|apart| cycles(&snippet, cpu, apart));
                if let (Some(never), Some(always)) = (never?, always?) {
                    let path = shortened(&function.path, name);
                    rows.push(format!("{never:8.2} {always:8.2} {:6}  {cpu:16}  {path}", body.len()));
                    break;
                }
            }
        }
    }
    if rows.is_empty() {
        return Err(Stop::Failed(format!("the ladder '{name}' has no function with a loop")));
    }
    rows.sort();
    say(
        "Cycles of an iteration of each loop, as if no load waited for a store before it, and as if every load did.\n",
    );
    say("   NEVER   ALWAYS  INSTR.  MODEL             FUNCTION");
    rows.iter().for_each(|row| say(row));
    Ok(())
}

/// A path without what is the same for all of them.
fn shortened(path: &str, name: &str) -> String {
    let same = [
        &format!("abreast_lab::ladders::{name}::"),
        "abreast_lab::",
        "abreast_simd::isa::",
        "abreast_simd::",
    ];
    same.iter().fold(path.to_owned(), |path, same| path.replace(*same, ""))
}

/// The files of assembly of the lab.
fn assembly(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let entries =
        folder.read_dir().map_err(|error| Stop::Failed(format!("{}: {error}", folder.display())))?;
    let is_of_lab = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("abreast_lab-") && name.ends_with(".s")
    };
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_of_lab).collect())
}

/// A function of a file of assembly.
struct Function<'t> {
    /// Its path in Rust.
    path: String,
    lines: Vec<&'t str>,
}

/// The functions whose paths contain some text.
fn functions<'t>(text: &'t str, wanted: &str) -> Vec<Function<'t>> {
    let mut functions: Vec<Function<'t>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(symbol) = line.strip_suffix(':').filter(|label| !label.starts_with(['.', '\t'])) {
            let path = format!("{:#}", rustc_demangle::demangle(symbol));
            inside = path.contains(wanted);
            if inside {
                functions.push(Function { path, lines: Vec::new() });
            }
        } else if line.contains(".cfi_endproc") {
            inside = false;
        } else if inside && let Some(function) = functions.last_mut() {
            function.lines.push(line);
        }
    }
    functions
}

/// Returns the innermost loop with the most instructions, without its labels.
fn longest_loop<'t>(lines: &[&'t str]) -> Option<Vec<&'t str>> {
    let label = |line: &str| line.strip_suffix(':').map(str::to_owned);
    let target = |line: &str| {
        let (jump, target) = line.trim().split_once('\t')?;
        jump.starts_with('j').then(|| target.to_owned())
    };
    let mut best: Vec<&str> = Vec::new();
    for (end, line) in lines.iter().enumerate() {
        let Some(target_of) = target(line) else { continue };
        let Some(start) = lines[..end].iter().rposition(|line| label(line).as_ref() == Some(&target_of))
        else {
            continue;
        };
        let inner = &lines[start..end];
        let holds_loop = inner.iter().enumerate().any(|(at, line)| {
            target(line).is_some_and(|to| inner[..at].iter().any(|line| label(line).as_ref() == Some(&to)))
        });
        let is_instruction = |line: &&str| line.starts_with('\t') && !line.trim().starts_with(['.', '#']);
        let body: Vec<&str> = lines[start..=end].iter().copied().filter(is_instruction).collect();
        // A call leaves what can be simulated.
        let calls = body.iter().any(|line| line.trim().starts_with("call"));
        if !holds_loop && !calls && body.len() > best.len() {
            best = body;
        }
    }
    (best.len() >= LEAST).then_some(best)
}

/// Cycles of an iteration; `None` if the CPU does not have an instruction.
fn cycles(snippet: &Path, cpu: &str, apart: bool) -> Result<Option<f64>, Stop> {
    let mut command = Command::new("llvm-mca");
    command.args(["--instruction-info=false", "--resource-pressure=false", &format!("-mcpu={cpu}")]);
    command.args([format!("-iterations={ITERATIONS}"), format!("-noalias={apart}")]).arg(snippet);
    let output = command.output().map_err(|error| Stop::Failed(format!("llvm-mca: {error}")))?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let total = text.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    Ok(total.and_then(|cycles| cycles.trim().parse::<f64>().ok()).map(|total| total / f64::from(ITERATIONS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_loop_is_found() {
        let lines = ["a:", "\tmov\t1", ".L1:", "\tadd\t2", ".L2:"];
        let inner = ["\tsub\t3"; 9];
        let ends = ["\tjne\t.L2", "\tjne\t.L1", "\tret"];
        let lines = [&lines[..], &inner, &ends].concat();
        assert_eq!(longest_loop(&lines), Some([&inner[..], &["\tjne\t.L2"]].concat()));
        assert_eq!(longest_loop(&lines[..5]), None);
    }
}
