//! Manual pages, made from the definition of the command line.

use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::{EXIT_CODES, FILES, FORMAT};

/// The title that the examples have in the help of a command.
const EXAMPLES: [&str; 2] = ["Examples:", "Example:"];

/// Returns the name of the page of a command, as `abreast-seal`.
pub(crate) fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// Returns the page of a built command, which refers to those of `all`.
pub(crate) fn page(command: &Command, all: &[String]) -> io::Result<Vec<u8>> {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage:").unwrap_or(&usage).trim();
    // The usage of clap_mangen lists all options, without their values.
    let man = command.clone().override_usage(usage.to_owned()).subcommand_help_heading("COMMANDS");
    let man = Man::new(man);
    // No date: it is the version that tells which page this is.
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(".TH {} 1 \"\" \"abreast {version}\" \"abreast\"\n", name(command)).into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map_or(String::new(), ToString::to_string);
    // The first paragraph is the summary, which stands under the name already.
    section(&mut page, "DESCRIPTION", about.split_once("\n\n").map_or(&about[..], |(_, text)| text))?;
    man.render_options_section(&mut page)?;
    let is_whole = command.get_subcommands().next().is_some();
    if is_whole {
        man.render_subcommands_section(&mut page)?;
    }
    let after = command.get_after_help().map_or(String::new(), ToString::to_string);
    if let Some(examples) = EXAMPLES.iter().find_map(|title| after.strip_prefix(title)) {
        section(&mut page, "EXAMPLES", examples)?;
    }
    if name(command) == "abreast" {
        section(&mut page, "FORMAT", FORMAT.trim_start_matches("Format:"))?;
    }
    table(&mut page, "EXIT STATUS", EXIT_CODES)?;
    table(&mut page, "FILES", FILES)?;
    see_also(&mut page, name(command), all)?;
    Ok(page)
}

/// Writes a section of paragraphs. Lines that are indented are put out as they are.
fn section(page: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    let mut literal = false;
    for line in text.trim_matches('\n').lines() {
        let indented = line.starts_with("  ");
        if indented != literal {
            if indented {
                roff.control("PP", []);
            }
            roff.control(if indented { "EX" } else { "EE" }, []);
            literal = indented;
        }
        match line {
            "" => roff.control("PP", []),
            line => roff.text([roman(if literal { &line[2..] } else { line })]),
        };
    }
    if literal {
        roff.control("EE", []);
    }
    roff.to_writer(page)
}

/// Writes a section of things and what they are.
fn table(page: &mut Vec<u8>, title: &str, rows: &[(&str, &str)]) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (thing, text) in rows {
        roff.control("TP", []);
        roff.text([bold(*thing)]);
        roff.text([roman(*text)]);
    }
    roff.to_writer(page)
}

/// Writes the names of the other pages.
fn see_also(page: &mut Vec<u8>, own: &str, all: &[String]) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let others = all.iter().filter(|name| *name != own).map(|name| (name.as_str(), "1"));
    let mut others = others.chain([("age", "1")]).peekable();
    while let Some((name, section)) = others.next() {
        let comma = if others.peek().is_some() { ", " } else { "" };
        roff.text([bold(name), roman(format!("({section}){comma}"))]);
    }
    roff.control("PP", []);
    roff.text([roman("The book has guides: share/doc/abreast/book of an installation.")]);
    roff.to_writer(page)
}
