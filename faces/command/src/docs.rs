//! `abreast completions`, `abreast man` and `abreast licenses`.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::process::{self, Stdio};

use clap::{Command, CommandFactory};

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::completions;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::pages;
use crate::program::print;
use crate::target::{Replace, Target};

/// The licences of the crates in the command, which `cargo xtask notices` compares with the crates.
const THIRD_PARTY: &str = include_str!("../THIRD-PARTY.txt");

/// Runs `completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    print(&completions::script(args.shell, Cli::command()))
}

/// Runs `man`. On a terminal the page is shown by the program `man`, where there is one.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut all = Vec::new();
    list_pages(&command, &mut all);
    let Some(folder) = &args.folder else {
        let page = page(&command, &all)?;
        return if io::stdout().is_terminal() && show(&page) {
            Ok(())
        } else {
            print(&String::from_utf8_lossy(&page))
        };
    };
    fs::metadata(folder).map_err(|error| Failure::io(folder, &error))?;
    write_pages(&command, &all, folder, &mut Outputs::without_inputs())
}

/// Runs `licenses`.
pub(crate) fn licenses() -> Result<(), Failure> {
    let own = include_str!("../LICENSE-MIT");
    print(&format!("abreast, under MIT (below) or Apache-2.0, at your choice\n\n{own}\n{THIRD_PARTY}"))
}

/// Collects the names of the pages of a command and of its subcommands.
fn list_pages(command: &Command, names: &mut Vec<String>) {
    names.push(pages::name(command).to_owned());
    command.get_subcommands().for_each(|below| list_pages(below, names));
}

/// Writes the pages of a command and of its subcommands. A page is there whole or not at all.
fn write_pages(
    command: &Command,
    all: &[String],
    folder: &Path,
    outputs: &mut Outputs,
) -> Result<(), Failure> {
    for below in command.get_subcommands() {
        write_pages(below, all, folder, outputs)?;
    }
    let page = page(command, all)?;
    let file = folder.join(format!("{}.1", pages::name(command)));
    let mut target = Target::create(&file, Replace::Yes, outputs)?;
    target.show_to_all()?;
    target.write_all(&page).map_err(|error| Failure::output(target.path(), &error))?;
    target.commit(outputs)
}

/// Returns a page.
fn page(command: &Command, all: &[String]) -> Result<Vec<u8>, Failure> {
    pages::page(command, all).map_err(|error| Failure::output(Path::new("-"), &error))
}

/// Shows a page by the program `man`, and returns true if that could.
fn show(page: &[u8]) -> bool {
    let reader = process::Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut reader) = reader else { return false };
    // A reader that ends early has shown what was wanted.
    let _ = reader.stdin.take().map(|mut pipe| pipe.write_all(page));
    reader.wait().is_ok_and(|status| status.success())
}
