//! Arguments that the commands for files share.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

/// The folders of a call.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Take all files in folders, and in their folders
    #[arg(short, long)]
    pub recursive: bool,
    /// With --recursive, leave out folders on other file systems
    #[arg(long, requires = "recursive")]
    pub one_file_system: bool,
}

impl TreeArgs {
    /// Returns true if the call is on several files, and not on one that was named.
    pub(crate) fn several(&self, inputs: &[PathBuf]) -> bool {
        inputs.len() > 1 || self.recursive
    }
}

/// The outputs of a call.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Write to this file, - for standard output, or into this folder
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// Write into this folder, which is made if it is missing; what -r takes keeps its names, as with cp -r
    #[arg(long, value_name = "DIR", conflicts_with = "output", value_hint = ValueHint::DirPath)]
    pub output_dir: Option<PathBuf>,
    /// Replace an existing output
    #[arg(short, long)]
    pub force: bool,
    /// Skip a file whose output exists, so that the same call again does what is missing
    #[arg(long, conflicts_with = "force")]
    pub skip_existing: bool,
    /// Give outputs the permissions and the times of their inputs, as -r does
    #[arg(long)]
    pub preserve: bool,
}

impl OutputArgs {
    /// Returns true if a file is skipped since its output exists. Folders, pipes and dangling links do not count.
    pub(crate) fn skips(&self, output: &Path) -> bool {
        self.skip_existing && fs::metadata(output).is_ok_and(|output| output.is_file())
    }
}

/// The report of a call.
#[derive(Debug, Args)]
pub struct TalkArgs {
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Print a line for each file
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print a line of JSON for each file, and one for the summary
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    pub json: bool,
}
