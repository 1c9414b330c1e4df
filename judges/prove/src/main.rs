//! Proofs that the machine code of the shared library, as it is shipped, computes the ciphers and modes: for every key, every
//! vector and every message of a length.
//!
//! `abreast-prove LIBRARY FOLDER [--long] [--show] [TEXT]` proves all claims whose titles contain a text; the folder is for libraries with
//! planted faults. `abreast-prove --opinion LIBRARY FOLDER` asks another program about circuits. `cargo xtask prove` and
//! `cargo xtask opinion` build the library and call it.

mod bits;
mod claims;
mod faults;
mod forms;
mod hardware;
mod kept;
mod machine;
mod native;
mod opinion;
mod plan;
mod proof;
mod run;
mod script;
mod sizes;
mod spec;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let long = arguments.contains(&"--long");
    let show = arguments.contains(&"--show");
    let rest: Vec<&str> = arguments.into_iter().filter(|it| !["--long", "--show"].contains(it)).collect();
    let prove = |library: &str, folder: &str, only| {
        run::all(Path::new(library), Path::new(folder), run::Choice { long, show, only })
    };
    let result = match rest[..] {
        ["--opinion", library, folder] => opinion::all(Path::new(library), Path::new(folder)),
        ["--run", library] => run_script(Path::new(library)).map(|()| true),
        [library, folder] => prove(library, folder, ""),
        [library, folder, only] => prove(library, folder, only),
        _ => Err("usage: abreast-prove [--opinion] LIBRARY FOLDER [--long] [--show] [TEXT]".to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the calls that come from standard input on a library, and prints the statuses and the buffers.
fn run_script(library: &Path) -> Result<(), String> {
    let text = std::io::read_to_string(std::io::stdin()).map_err(|error| error.to_string())?;
    let script = script::Script::from_text(&text).ok_or("no script")?;
    let (statuses, buffers) = native::run(library, &script)?;
    println!("{}", statuses.iter().map(i32::to_string).collect::<Vec<_>>().join(" "));
    for buffer in buffers {
        println!("{}", buffer.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
    Ok(())
}
