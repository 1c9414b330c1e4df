//! The module of the pages about ladders: `lab/live` for WebAssembly with vectors, as the text of a script that pages opened as
//! files can read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::BASE64;

use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, need, need_target, say};
use crate::workspace::Workspace;

/// The script, in the folder of the pages.
const SCRIPT: &str = "live-module.js";
/// The target, whose programs a page can run with a few functions of its own.
const TARGET: &str = "wasm32-wasip1";
/// The most bytes of the script, which is a part of pages.
const MOST: usize = 360_000;

/// Builds the module, and writes the script to a folder. Returns its path.
pub(crate) fn build(workspace: &Workspace, folder: &Path) -> Result<PathBuf, Stop> {
    need_target(TARGET)?;
    need("gzip")?;
    let mut build = cargo(&["build", "--release", "--target", TARGET, "-p", "abreast-live"]);
    build.env("RUSTFLAGS", "-Csymbol-mangling-version=v0 -Ctarget-feature=+simd128 -Cstrip=symbols");
    build.env_remove("CARGO_ENCODED_RUSTFLAGS");
    // In one unit the module is a fifth smaller.
    build.env("CARGO_PROFILE_RELEASE_LTO", "fat").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1");
    let made = workspace.build(&mut build)?;
    let module = made.iter().find(|artifact| artifact.package == "abreast-live");
    let module = module.and_then(|artifact| artifact.executable.as_ref());
    let module = module.ok_or_else(|| Stop::Failed("cargo built no module".to_owned()))?;
    let failed = |error: std::io::Error| Stop::Failed(error.to_string());
    let output = Command::new("gzip").args(["-9nc"]).arg(module).output().map_err(failed)?;
    if !output.status.success() {
        return Err(Stop::Failed(format!("gzip: {}", output.status)));
    }
    let text = format!("ABREAST_LIVE='{}';\n", BASE64.encode(&output.stdout));
    say(&format!("{SCRIPT}: {} bytes", text.len()));
    if text.len() > MOST {
        return Err(Stop::Failed(format!("{SCRIPT} has {} bytes, and {MOST} are the most", text.len())));
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(SCRIPT);
    fs::write(&path, text).map_err(failed)?;
    Ok(path)
}

/// Builds the module for those who want it: in `live` of the target folder, or in another.
pub(crate) fn write(workspace: &Workspace, folder: &Path) -> Outcome {
    let path = build(workspace, folder)?;
    say(&path.display().to_string());
    Ok(())
}
