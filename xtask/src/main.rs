//! Development tasks: `cargo xtask test` runs every test there is, `cargo xtask ci` every other check.
//!
//! The checks live here rather than in scripts so that they are the same on every machine. A task is a list
//! of [`steps`]; what a machine cannot run is skipped by name, and `ABREAST_NO_SKIP=1` makes that a failure.

mod ci;
mod clients;
mod dist;
mod gate;
mod header;
mod layering;
mod links;
mod picture;
mod process;
mod sboxes;
mod source;
mod steps;
mod test;
mod unsafe_count;
mod workspace;

use std::process::ExitCode;

use steps::{Plan, Stop, alone};
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask TASK

  all [--long]               all tests and all checks, two steps at a time; what each writes is in target/steps too
  test [--long]              every test there is; --long runs the ignored ones too, the game server for a
                             minute, and the differential tester for an hour
  clients                    the programs in C and C++ among them
  miri                       the C interface in Miri, which needs a nightly compiler
  ci                         every check below

  fmt                        formatting
  clippy                     lints, warnings denied
  doc                        documentation, warnings denied
  links                      what the documents link to is there
  gate [--target TRIPLE]     no vector intrinsic is called out of line, and the kernels are there
  gate --self-test           the gate catches what it is for
  layering                   who may depend on whom, and who may write `unsafe`
  unsafe-count [--update]    the committed count of `unsafe` does not grow
  header --check             the C header is what its sources say; without --check, writes it
  features                   the library compiles with each set of features, without `std` too
  msrv                       the workspace builds with the oldest compiler it promises

  dist DIR                   the C and C++ library as an install tree

  sboxes [--quick]           the circuits of Serpent's S-boxes; --quick checks and writes those there are,
                             the search takes minutes with `cargo run --release --package xtask sboxes`
  picture [RECORD]           docs/speed.svg and the figures of README.md, from a record of `abreast bench`

ABREAST_NO_SKIP=1 in the environment turns a skipped step into a failed one.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let workspace = match Workspace::enter() {
        Ok(workspace) => workspace,
        Err(Stop::Failed(why) | Stop::Skipped(why)) => {
            eprintln!("xtask: {why}");
            return ExitCode::FAILURE;
        }
    };

    if let Err(error) = process::catch_signals() {
        eprintln!("xtask: signals: {error}");
        return ExitCode::FAILURE;
    }
    let long = args.contains(&"--long");
    let task: Vec<&str> = args.into_iter().filter(|arg| *arg != "--long").collect();
    let mut plan = Plan::default();
    match task.as_slice() {
        ["all"] => {
            ci::quick(&mut plan, &workspace);
            test::all(&mut plan, &workspace, long);
            ci::slow(&mut plan, &workspace);
        }
        ["test"] => test::all(&mut plan, &workspace, long),
        ["ci"] => {
            ci::quick(&mut plan, &workspace);
            ci::slow(&mut plan, &workspace);
        }
        ["miri"] => return alone(test::miri),
        ["fmt"] => return alone(ci::fmt),
        ["clippy"] => return alone(ci::clippy),
        ["doc"] => return alone(ci::doc),
        ["links"] => return alone(links::check),
        ["features"] => return alone(ci::features),
        ["gate"] => return alone(|| gate::gate(&workspace, &workspace.host)),
        ["gate", "--target", target] => return alone(|| gate::gate(&workspace, target)),
        ["gate", "--self-test"] => return alone(|| gate::self_test(&workspace)),
        ["layering"] => return alone(|| layering::check(&workspace)),
        ["unsafe-count"] => return alone(|| unsafe_count::check(&workspace)),
        ["unsafe-count", "--update"] => return alone(|| unsafe_count::update(&workspace)),
        ["picture"] => return alone(|| picture::draw(None)),
        ["picture", record] => return alone(|| picture::draw(Some(record))),
        ["sboxes"] => return alone(|| sboxes::sboxes(false)),
        ["sboxes", "--quick"] => return alone(|| sboxes::sboxes(true)),
        ["clients"] => return alone(|| clients::run_all(&workspace)),
        ["dist", folder] => return alone(|| dist::dist(&workspace, folder.as_ref())),
        ["header"] => return alone(header::write),
        ["header", "--check"] => return alone(header::check),
        ["msrv"] => return alone(|| ci::msrv(&workspace)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    plan.run(&workspace.target.join("steps"))
}
