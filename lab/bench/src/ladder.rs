//! `abreast-bench ladder`: the ladders of the lab, measured on this machine.

use std::io::{self, IsTerminal};
use std::time::Duration;

use abreast_cli::{Exit, Failure, print};
use abreast_lab::chart::{self, DrawError};
use abreast_lab::ladder::Ladder;
use abreast_lab::ladders;
use abreast_lab::machine::Machine;
use abreast_lab::page;
use abreast_lab::report::LaddersReport;
use abreast_lab::sample::Effort;
use abreast_lab::table;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::opencl::OpenClSteps;
use crate::reports::{self, Contents, ReportArgs, Reports};

/// The name that stands for all ladders.
const ALL: &str = "all";

/// The time for each step of each workload.
const BUDGET: Duration = Duration::from_millis(600);
/// The time for each step of each workload with `--quick`.
const QUICK: Duration = Duration::from_millis(50);

/// Show how ciphers become fast, step by step, measured on this machine
///
/// A ladder is one cipher, from the textbook's way to this library's, after a published article each: xtea in
/// a game server, rc4 and its stalls, aez in Rust, aes for packets, serpent with SIMD. Each step is checked
/// against a reference and measured beside the others by turns.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
The table:
  GB/s and c/B (core cycles per byte) are medians; MEAN, DEVIATION, P99 and MAX are
  cycles per byte, too. P99 is '-' for fewer than 100 samples, of which the 99th
  percentile would be the maximum. TIMES is how many times as fast as the first
  step a step is, THEN what the article reports. OF FLOOR is the share of what the
  arithmetic units of this core could do at best. Steps that this CPU cannot run
  are named. The ladder of xtea ends on an OpenCL device, if there is one, from host
  memory, without --quick with a message of 64 MiB too; below the table is what copies and kernels take of a call.

Examples:
  abreast-bench ladder xtea
  abreast-bench ladder all --quick --html ladders.html")]
pub(crate) struct Args {
    /// The ladders to measure
    #[arg(value_name = "NAME", required = true, value_parser = names())]
    names: Vec<String>,
    /// Take fewer samples: all ladders in about twenty seconds
    #[arg(long)]
    quick: bool,
    /// The reports to write.
    #[command(flatten)]
    reports: ReportArgs,
}

/// The names that are known.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(ladders::NAMES.into_iter().chain([ALL]))
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let asked = |name: &&str| args.names.iter().any(|asked| asked == ALL || asked == name);
    let known = ladders::NAMES.into_iter().filter(asked).filter_map(ladders::by_name);
    let mut ladders: Vec<Ladder> = known.collect();
    let on_device: Vec<OpenClSteps> =
        ladders.iter_mut().map(|ladder| OpenClSteps::add_to(ladder, args.quick)).collect();
    let pictures: Vec<String> = ladders.iter().flat_map(picture_names).collect();
    let reports = Reports::open(&args.reports, &pictures)?;

    let bar = progress(&ladders);
    let mut measured = LaddersReport { machine: Machine::this(), quick: args.quick, ladders: Vec::new() };
    if !args.reports.json_is_output() {
        print(&format!("{}\n\n", measured.machine))?;
    }
    for (ladder, on_device) in ladders.iter_mut().zip(&on_device) {
        bar.set_message(ladder.name);
        let report = ladder.measure(&effort(args.quick), |workload| bar.inc(workload.steps.len() as u64));
        let mut report = report
            .map_err(|error| Failure::plain(Exit::Io, format_args!("ladder {}: {error}", ladder.name)))?;
        let mut apart = String::new();
        for workload in &mut report.workloads {
            let Some(line) = on_device.apart(&workload.name) else { continue };
            // Reports have it with what changes in the step, which is the last one.
            if let Some(step) = workload.steps.last_mut() {
                step.change.push_str(&format!(" {line}."));
            }
            apart.push_str(&line);
            apart.push('\n');
        }
        if !args.reports.json_is_output() {
            bar.suspend(|| print(&(table::of_ladder(&report) + &apart)))?;
        }
        measured.ladders.push(report);
    }
    bar.finish_and_clear();
    if reports.is_empty() {
        return Ok(());
    }
    let drawn = |error: DrawError| Failure::plain(Exit::Io, error);
    let html = page::of_ladders(&measured).map_err(drawn)?;
    let mut pictures = Vec::new();
    for ladder in &measured.ladders {
        for workload in &ladder.workloads {
            let title = format!("{}, {}", ladder.title, workload.name);
            pictures.push(chart::of_workload(Some(&title), workload).map_err(drawn)?);
        }
    }
    reports.write(Contents { json: reports::json(&measured)?, html, pictures })
}

/// Returns the effort for each step.
fn effort(quick: bool) -> Effort {
    let budget = if quick { QUICK } else { BUDGET };
    let sample = Duration::from_micros(if quick { 20 } else { 50 });
    Effort { sample, most: 2500, fewest: 5, budget }
}

/// The names of the pictures of a ladder, one for each workload.
fn picture_names(ladder: &Ladder) -> Vec<String> {
    let name = |workload: &abreast_lab::ladder::Workload| {
        reports::file_name(&format!("{} {}", ladder.name, workload.name))
    };
    ladder.workloads.iter().map(name).collect()
}

/// A bar on a terminal; on anything else, nothing.
fn progress(ladders: &[Ladder]) -> ProgressBar {
    let steps = ladders
        .iter()
        .flat_map(|ladder| &ladder.workloads)
        .map(|workload| workload.steps.len())
        .sum::<usize>();
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len} steps, {eta} left");
    ProgressBar::with_draw_target(Some(steps as u64), target)
        .with_style(style.expect("the template is well-formed"))
}
