//! The book: `SUMMARY.md` lists each page, mdbook builds them, and the command prints the output in its examples.

use std::path::Path;
use std::process::Command;

use crate::files;
use crate::links::{BOOK, listed};
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, need, run};
use crate::workspace::{Workspace, program_of};

/// The pages with examples of the command.
const SESSIONS: [&str; 3] = ["start.md", "files.md", "raw.md"];

/// The documents in the root, and their most bytes: longer text goes to the book.
const ROOT: [(&str, usize); 4] =
    [("README.md", 10_000), ("ARCHITECTURE.md", 12_000), ("CONTRIBUTING.md", 8_000), ("SECURITY.md", 4_000)];

/// Checks the list of pages and the sizes of the documents in the root, and builds the book in a folder, which any static server takes.
pub(crate) fn build(folder: &Path) -> Outcome {
    let summary = files::read(format!("{BOOK}/SUMMARY.md"))?;
    let pages = listed(&format!("{BOOK}/*.md"))?;
    let pages = pages.iter().filter_map(|page| page.strip_prefix(BOOK)?.strip_prefix('/'));
    let missing = pages.filter(|page| *page != "SUMMARY.md" && !summary.contains(&format!("]({page})")));
    let missing: Vec<_> = missing.collect();
    if !missing.is_empty() {
        return Err(Stop::Failed(format!("{BOOK}/SUMMARY.md does not list {}", missing.join(", "))));
    }
    for (document, most) in ROOT {
        let bytes = files::read(document)?.len();
        if bytes > most {
            return Err(Stop::Failed(format!("{document} has {bytes} bytes, and {most} are the most")));
        }
    }
    need("mdbook")?;
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    run(Command::new("mdbook").args(["build", "book", "--dest-dir"]).arg(&folder))?;
    // The index of the search is a script, for pages that are opened as files.
    let index = folder.join("searchindex.js");
    if index.exists() {
        Ok(())
    } else {
        Err(Stop::Failed("mdbook was compiled without its feature search".to_owned()))
    }
}

/// Runs the examples of the command, each page as one session in a folder of its own.
pub(crate) fn examples(workspace: &Workspace) -> Outcome {
    let made = workspace.release()?;
    SESSIONS.iter().try_for_each(|page| session(page, program_of(&made, "abreast-cli")?))
}

/// Runs the `console` blocks of a page, and compares the output with the lines below each command.
fn session(page: &str, command: &Path) -> Outcome {
    let text = files::read(format!("{BOOK}/{page}"))?;
    let blocks = text.split("\n```console\n").skip(1).filter_map(|block| block.split("\n```").next());
    let mut script = String::from("seq 20000 > notes.txt\n");
    let mut shown = String::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(line) => script += &format!("{line}\n"),
            None if script.ends_with("\\\n") => script += &format!("{line}\n"),
            None => shown += &format!("{line}\n"),
        }
    }
    let failed = |error: std::io::Error| Stop::Failed(error.to_string());
    let place = tempfile::tempdir().map_err(failed)?;
    let programs = std::env::var("PATH").unwrap_or_default();
    let programs = format!("{}:{programs}", command.with_file_name("").display());
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("exec 2>&1\n{script}true")]).current_dir(&place).env("PATH", programs);
    let printed = capture(&mut shell)?;
    if printed == shown {
        return Ok(());
    }
    let differs = shown.lines().zip(printed.lines()).find(|(shown, printed)| shown != printed);
    let (shown, printed) = differs.unwrap_or(("as many lines", "more or fewer"));
    Err(Stop::Failed(format!("{BOOK}/{page} shows {shown:?}, and the command prints {printed:?}")))
}
