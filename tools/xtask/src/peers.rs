//! abreast beside its peers: `lab/peers`, which is a workspace of its own because it compiles OpenSSL and others.

use crate::outcome::Outcome;
use crate::process::{cargo, run};
use crate::workspace::Workspace;

/// Builds it and runs it with these arguments.
pub(crate) fn measure(workspace: &Workspace, arguments: &[&str]) -> Outcome {
    let mut command = cargo(&["run", "--release", "--locked", "--manifest-path", "lab/peers/Cargo.toml"]);
    // A folder of its own: with other versions of what both depend on, each build would undo the other's.
    command.arg("--target-dir").arg(workspace.target.join("peers")).arg("--").args(arguments);
    run(&mut command)
}
