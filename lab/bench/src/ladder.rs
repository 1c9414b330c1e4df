//! `abreast-bench ladder`: the ladders of the lab, measured on this machine.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use abreast_cli::{Exit, Failure, print};
use abreast_lab::ladder::Ladder;
use abreast_lab::ladders;
use abreast_lab::machine::{Machine, load};
use abreast_lab::page;
use abreast_lab::picture::Bars;
use abreast_lab::report::{LadderReport, LaddersReport};
use abreast_lab::sample::Effort;
use abreast_lab::story;
use abreast_lab::table;
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::opencl::OpenClSteps;
use crate::reports::{self, Contents, ReportArgs, Reports};

/// The name that stands for all ladders.
const ALL: &str = "all";

/// The beginning of the module of a page.
const MODULE: &str = "ABREAST_LIVE='";

/// The time for each step of each workload.
const BUDGET: Duration = Duration::from_millis(600);
/// The time for each step of each workload with `--quick`.
const QUICK: Duration = Duration::from_millis(50);

/// Show how ciphers become fast, step by step, measured on this machine
///
/// A ladder is one cipher, from the textbook's way to this library's, most after a published article: --list names
/// them. Each step is checked against a reference and measured beside the others by turns. `--html` makes a page
/// with the code of each step, diagrams and figures.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
The table:
  c/B is core cycles per byte, TIMES how many times as fast as the first step a step is;
  both are medians, and a bar is as long as TIMES. The floor is what the arithmetic units
  of this core could do at best. A '?' stands for a bar that would lie, since the samples
  scatter by more than 10 %. Samples that other programs have disturbed are left out.
  --full has GB/s, mean, deviation, 99th percentile (P99, '-' for fewer than 100
  samples), maximum, the article's factor (THEN) and the share of the floor's speed, too.
  Steps that this CPU cannot run are named. The ladder of xtea ends on an OpenCL device,
  if there is one, from host memory, without --quick with a message of 64 MiB too;
  below the table is what copies and kernels take of a call.

Examples:
  abreast-bench ladder --list
  abreast-bench ladder xtea
  abreast-bench ladder all --quick --html ladders.html")]
pub(crate) struct Args {
    /// The ladders to measure
    #[arg(value_name = "NAME", required_unless_present = "list", value_parser = names())]
    names: Vec<String>,
    /// Name the ladders, and say what each is about
    #[arg(long)]
    list: bool,
    /// Take fewer samples: all ladders in about twenty seconds
    #[arg(long)]
    quick: bool,
    /// Print all figures, in more than 80 columns
    #[arg(long)]
    full: bool,
    /// Give the page of --html a button that runs steps in the reader's browser: the module that `cargo xtask live` has written
    #[arg(long, value_name = "FILE", requires = "html", value_hint = ValueHint::FilePath)]
    live: Option<PathBuf>,
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
    if args.list {
        return print(&list());
    }
    let asked = |name: &&str| args.names.iter().any(|asked| asked == ALL || asked == name);
    let known = ladders::NAMES.into_iter().filter(asked).filter_map(ladders::by_name);
    let mut ladders: Vec<Ladder> = known.collect();
    let on_device: Vec<OpenClSteps> =
        ladders.iter_mut().map(|ladder| OpenClSteps::add_to(ladder, args.quick)).collect();
    let module = args.live.as_ref().map(|path| {
        let text = fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
        let begins = text.starts_with(MODULE) && !text.contains('<');
        let wrong =
            || Failure::usage(format_args!("--live: {} is no module of `cargo xtask live`", path.display()));
        begins.then_some(text).ok_or_else(wrong)
    });
    let module = module.transpose()?;
    let pictures: Vec<String> = ladders.iter().flat_map(picture_names).collect();
    let reports = Reports::open(&args.reports, &pictures)?;

    let load = load();
    let mut measured =
        LaddersReport { machine: Machine::this(), quick: args.quick, load, ladders: Vec::new() };
    let is_printed = !args.reports.json_is_output();
    if is_printed {
        print(&preface(&measured, &ladders, args.quick))?;
    }
    let bar = progress(&ladders);
    for (ladder, on_device) in ladders.iter_mut().zip(&on_device) {
        bar.set_message(ladder.name);
        let (report, apart) = measure(ladder, on_device, args.quick, &bar)?;
        if is_printed {
            bar.suspend(|| print(&(table::of_ladder(&report, args.full) + &apart)))?;
        }
        measured.ladders.push(report);
    }
    bar.finish_and_clear();
    if reports.is_empty() {
        return Ok(());
    }
    let html =
        page::of_ladders(&measured, module.as_deref()).map_err(|error| Failure::plain(Exit::Io, error))?;
    let mut pictures = Vec::new();
    for ladder in &measured.ladders {
        for workload in &ladder.workloads {
            let title = format!("{}, {}", ladder.title, workload.name);
            let picture = Bars::of(&title, workload).drawn();
            pictures.push(
                picture.alone(&title, "Bars from 0: how many times as fast as the first step each is."),
            );
        }
    }
    let csv = reports::csv_of_ladders(&measured);
    reports.write(Contents { json: reports::json(&measured)?, csv, html, pictures })
}

/// Measures a ladder. Returns its report, and lines about calls on a device.
fn measure(
    ladder: &mut Ladder,
    on_device: &OpenClSteps,
    quick: bool,
    bar: &ProgressBar,
) -> Result<(LadderReport, String), Failure> {
    let report = ladder.measure(&effort(quick), |workload| bar.inc(workload.steps.len() as u64));
    let mut report =
        report.map_err(|error| Failure::plain(Exit::Io, format_args!("ladder {}: {error}", ladder.name)))?;
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
    Ok((report, apart))
}

/// Returns the names of the ladders, with the title of the page of each.
fn list() -> String {
    let line = |story: &&story::Story| format!("{:10}{}\n", story.ladder, story.title);
    story::ALL.iter().map(line).collect()
}

/// Returns the lines before the tables: the machine, the time that all will take, and a warning if others want the CPU.
fn preface(run: &LaddersReport, ladders: &[Ladder], quick: bool) -> String {
    let steps = ladders.iter().flat_map(|ladder| &ladder.workloads).map(|workload| workload.steps.len());
    let steps = steps.sum::<usize>();
    // A step ends at its budget at the latest; a part of it more is for finding out how many calls fill a sample.
    let seconds = (effort(quick).budget.mul_f64(1.3 * steps as f64).as_secs() + 1).next_multiple_of(5);
    let mut text = format!("{}\n{steps} steps, at most about {seconds} seconds\n", run.machine);
    if run.was_busy() {
        let load = run.load.unwrap_or_default();
        text += &format!(
            "other programs want this CPU: the load is {load:.1} on {} threads\n",
            run.machine.threads
        );
    }
    text + "\n"
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
