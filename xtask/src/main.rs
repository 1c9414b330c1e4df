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
mod modules;
mod picture;
mod sboxes;
mod source;
mod steps;
mod test;
mod unsafe_count;
mod workspace;

use std::process::ExitCode;

use steps::{Steps, Stop};
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--long]              every test there is; --long runs the ignored ones too, the game server for a
                             minute, and the differential tester for an hour
  clients                    the programs in C and C++ among them
  miri                       the C interface in Miri, which needs a nightly compiler
  ci                         every check below, one after another

  fmt                        formatting
  clippy                     lints, warnings denied
  doc                        documentation, warnings denied
  links                      what the documents link to is there
  gate [--target TRIPLE]     no vector intrinsic is called out of line, and the kernels are there
  gate --self-test           the gate catches what it is for
  layering                   who may depend on whom, down to the files of the library, and who may write `unsafe`
  unsafe-count [--update]    the committed count of `unsafe` does not grow
  header --check             the C header is what its sources say; without --check, writes it
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

    let mut steps = Steps::default();
    match args.as_slice() {
        ["test"] => test::all(&mut steps, &workspace, false),
        ["miri"] => steps.run("miri, c interface", test::miri),
        ["test", "--long"] => test::all(&mut steps, &workspace, true),
        ["ci"] => ci::all(&mut steps, &workspace),
        ["fmt"] => steps.run("fmt", ci::fmt),
        ["clippy"] => steps.run("clippy", ci::clippy),
        ["doc"] => steps.run("doc", ci::doc),
        ["links"] => steps.run("links", links::check),
        ["gate"] => steps.run("gate", || gate::gate(&workspace, &workspace.host)),
        ["gate", "--target", target] => steps.run("gate", || gate::gate(&workspace, target)),
        ["gate", "--self-test"] => steps.run("gate self-test", || gate::self_test(&workspace)),
        ["layering"] => steps.run("layering", || layering::check(&workspace)),
        ["unsafe-count"] => steps.run("unsafe-count", || unsafe_count::check(&workspace)),
        ["unsafe-count", "--update"] => steps.run("unsafe-count", || unsafe_count::update(&workspace)),
        ["picture"] => steps.run("picture", || picture::draw(None)),
        ["picture", record] => steps.run("picture", || picture::draw(Some(record))),
        ["sboxes"] => steps.run("sboxes", || sboxes::sboxes(false)),
        ["sboxes", "--quick"] => steps.run("sboxes", || sboxes::sboxes(true)),
        ["clients"] => steps.run("c and c++ clients", || clients::run_all(&workspace)),
        ["dist", folder] => steps.run("dist", || dist::dist(&workspace, folder.as_ref())),
        ["header"] => steps.run("header", header::write),
        ["header", "--check"] => steps.run("header", header::check),
        ["msrv"] => steps.run("msrv", || ci::msrv(&workspace)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    steps.finish()
}
