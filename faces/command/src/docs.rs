//! `abreast completions`, `abreast man` and `abreast licenses`.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::program::deliver;
use crate::target::{Replace, Target};

/// The licences of the crates in the command, which `cargo xtask notices` compares with the crates.
const THIRD_PARTY: &str = include_str!("../THIRD-PARTY.txt");

/// Runs `completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "abreast", &mut script);
    deliver(&String::from_utf8_lossy(&script))
}

/// Runs `man`.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let command = Cli::command();
    if let Some(folder) = &args.folder {
        fs::metadata(folder).map_err(|error| Failure::io(folder, &error))?;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        return write_pages(command, folder, &mut Outputs::without_inputs());
    }
    deliver(&String::from_utf8_lossy(&page(&Man::new(command))?))
}

/// Runs `licenses`.
pub(crate) fn licenses() -> Result<(), Failure> {
    let own = include_str!("../LICENSE-MIT");
    deliver(&format!("abreast, under MIT (below) or Apache-2.0, at your choice\n\n{own}\n{THIRD_PARTY}"))
}

/// Writes the pages of a command and of its subcommands. A page is there whole or not at all.
fn write_pages(command: clap::Command, folder: &Path, outputs: &mut Outputs) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below.clone(), folder, outputs)?;
    }
    let man = Man::new(command);
    let page = page(&man)?;
    let mut target = Target::create(&folder.join(man.get_filename()), Replace::Yes, outputs)?;
    target.show_to_all()?;
    target.write_all(&page).map_err(|error| Failure::output(target.path(), &error))?;
    target.commit(outputs)
}

/// A page.
fn page(man: &Man) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| Failure::output(Path::new("-"), &error))?;
    Ok(page)
}
