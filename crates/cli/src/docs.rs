//! `abreast completions` and `abreast man`.

use std::path::Path;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::print;

/// Runs `completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "abreast", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Runs `man`.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let command = Cli::command();
    if let Some(folder) = &args.folder {
        return clap_mangen::generate_to(command, folder).map_err(|error| Failure::io(folder, &error));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::output(Path::new("-"), &error))?;
    print(&String::from_utf8_lossy(&page))
}
