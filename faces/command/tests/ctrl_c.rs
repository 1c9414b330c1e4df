//! Ctrl-C on Windows, in a program of its own: the system sends it to all processes of a console, the other tests among them.
#![cfg(windows)]
#![forbid(unsafe_code)]

use std::io::{Cursor, Write};
use std::process::Stdio;

use abreast_runs::{Place, spawn, wait_until};
use rpassword::{ConfigBuilder, read_password_with_config};

/// Sends Ctrl-C to this console, as the reader of passwords does when it reads one.
fn press() {
    let config = ConfigBuilder::new().input_reader(Cursor::new("\u{3}")).output_discard().build();
    let pressed = read_password_with_config(config);
    assert_eq!(pressed.unwrap_err().kind(), std::io::ErrorKind::Interrupted, "the console has no Ctrl-C");
}

#[test]
fn leaves_nothing() {
    ctrlc::set_handler(|| {}).unwrap();
    for force in [&[][..], &["--force"]] {
        for new_key in [false, true] {
            let place = Place::of(env!("CARGO_BIN_EXE_abreast"));
            let secret = if new_key { ["--new-key", "new"] } else { ["-k", "key"] };
            place.run(["keygen", "-o", "key"]).succeeds();
            if !force.is_empty() {
                place.write("out", b"old");
            }
            let before = place.contents();
            let mut command = place.command([&["seal", "-", "-o", "out"], &secret[..], force].concat());
            let mut child = spawn(command.stdin(Stdio::piped()));
            child.child.stdin.as_mut().unwrap().write_all(&[1; 1 << 20]).unwrap();
            wait_until("a temporary file", || {
                place.names().iter().any(|name| name.starts_with(".abreast-") && !name.ends_with(".new"))
            });
            press();
            let run = child.end();
            assert_eq!((run.code, &*run.stderr), (Some(130), ""));
            assert!(place.contents() == before, "left behind: {:?}", place.names());
        }
    }
}
