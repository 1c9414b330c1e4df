//! Keys, passphrases and messages that the command leaves in its memory when it exits.
//!
//! The command runs under ptrace, which stops it just before it exits, when its memory is still there. The secrets to look for
//! are known: the key, as bytes and as the text of its file, the keys that are derived from it for the file, their round keys,
//! the passphrase and its Argon2id hash, and the message.

#![allow(unsafe_code, reason = "ptrace")]

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use abreast::for_devices;
use abreast_sealed::{Aead, FileKey, Header, Key};

use crate::child;
use crate::memory;

/// The time limit of a command.
const LIMIT: Duration = Duration::from_secs(120);

/// The length of a part, in bytes: a secret is looked for by its parts.
const PART: usize = 16;

/// A secret with its description.
type Secret = (&'static str, Vec<u8>);

/// The secrets that were found: name, memory and number of parts of each.
type Found = Vec<(&'static str, &'static str, usize)>;

/// Runs the command in every way that handles secrets, and returns the errors found.
pub(crate) fn run(program: &Path) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    std::env::set_current_dir(folder.path())?;
    let mut message = vec![0; 40_000];
    io::Read::read_exact(&mut child::secrets(7)?, &mut message)?;
    fs::write("message", &message)?;
    fs::write("passphrase", "a passphrase of more than sixteen bytes\n")?;
    let message = || -> io::Result<Vec<Secret>> { Ok(vec![("message", fs::read("message")?)]) };

    let mut wrong = Vec::new();
    println!("COMMAND                FOUND WHEN IT EXITS");
    let look =
        |name: &str, program: &Path, arguments: &[&str], secrets: &dyn Fn() -> io::Result<Vec<Secret>>| {
            let found = watch(program.as_os_str(), arguments, secrets)?;
            let text: Vec<String> = found
                .iter()
                .map(|(what, place, count)| format!("{count} x {PART} bytes of {what} in {place}"))
                .collect();
            println!("{name:22} {}", if text.is_empty() { "nothing".to_owned() } else { text.join(", ") });
            io::Result::Ok(found)
        };
    let mut expect = |name: &str, found: &Found| {
        // The arguments of `raw` are on the stack, with the key among them (book/src/security.md), and so are copies that the
        // compiler made.
        for (what, place, count) in found.iter().filter(|(_, place, _)| *place != STACK) {
            wrong.push(format!("{name} leaves {count} parts of {what} in {place}"));
        }
    };
    for (cipher, key) in [("aes-256-gcm", "aes.key"), ("serpent-256-gcm", "serpent.key")] {
        let of_key = || keys(key);
        let found = look("keygen", program, &["keygen", "--cipher", cipher, "-o", key], &of_key)?;
        expect("keygen", &found);
        let (sealed, opened) = (format!("{cipher}.abreast"), format!("{cipher}.opened"));
        let of_file = || Ok([keys(key)?, of_file(key, &sealed)?, message()?].concat());
        let found = look("seal", program, &["seal", "message", "--key-file", key, "-o", &sealed], &of_file)?;
        expect("seal", &found);
        let found = look("open", program, &["open", &sealed, "--key-file", key, "-o", &opened], &of_file)?;
        expect("open", &found);
        let found = look("verify", program, &["verify", &sealed, "--key-file", key], &of_file)?;
        expect("verify", &found);
    }
    let of_passphrase = || Ok([of_passphrase("p.abreast")?, message()?].concat());
    let arguments = ["seal", "message", "--passphrase-file", "passphrase", "-o", "p.abreast"];
    let found = look("seal, passphrase", program, &arguments, &of_passphrase)?;
    expect("seal, passphrase", &found);
    let arguments = ["open", "p.abreast", "--passphrase-file", "passphrase", "-o", "p.opened"];
    let found = look("open, passphrase", program, &arguments, &of_passphrase)?;
    expect("open, passphrase", &found);
    for mode in ["gcm", "eax", "ctr"] {
        let raw = (0..32).map(|i: u8| i.wrapping_mul(73) ^ 0x5a).collect::<Vec<u8>>();
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        let of_raw = || Ok([round_keys("aes", &raw)?, vec![("key", raw.clone())], message()?].concat());
        let (iv, out) = (["00"; 16].concat(), format!("raw.{mode}"));
        let iv = if mode == "gcm" { &iv[..24] } else { &iv };
        let arguments = [
            "raw", "encrypt", "--cipher", "aes-256", "--mode", mode, "--key", &hex, "--iv", iv, "message",
            "-o", &out,
        ];
        let found = look("raw encrypt", program, &arguments, &of_raw)?;
        expect("raw encrypt", &found);
    }
    // The planted copy must be found.
    let own = std::env::current_exe()?;
    let found = look("a planted copy", &own, &["leave", "aes.key"], &|| keys("aes.key"))?;
    if !found.iter().any(|(_, place, _)| *place != STACK) {
        wrong.push("the copy that was planted was not found".to_owned());
    }
    Ok(wrong)
}

/// Reads a key file and does not wipe the bytes: the planted leak.
pub(crate) fn leave(file: &Path) {
    drop(black_box(fs::read(file).expect("a key file")));
    io::stdout().flush().expect("standard output");
}

/// The key of a file: its bytes, and the text.
fn keys(file: &str) -> io::Result<Vec<Secret>> {
    let line = fs::read(file)?;
    let key = Key::read(&mut &*line, None).map_err(io::Error::other)?;
    let digits = line.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    Ok(vec![("the key", key.bytes().to_vec()), ("the key's text", line[digits..].to_vec())])
}

/// The keys that belong to a sealed file.
fn of_file(key: &str, sealed: &str) -> io::Result<Vec<Secret>> {
    let key = Key::read(&mut &*fs::read(key)?, None).map_err(io::Error::other)?;
    derived(&key, sealed)
}

/// The passphrase, its hash and the keys that belong to a sealed file.
fn of_passphrase(sealed: &str) -> io::Result<Vec<Secret>> {
    let header = Header::read(&mut fs::File::open(sealed)?).map_err(io::Error::other)?;
    let line = header.passphrase_line().ok_or_else(|| io::Error::other("no passphrase line"))?;
    let mut passphrase = fs::read("passphrase")?;
    passphrase.pop();
    let key = line.stretch(&passphrase).map_err(io::Error::other)?;
    let mut secrets = derived(&key, sealed)?;
    secrets.push(("the passphrase's hash", key.bytes().to_vec()));
    secrets.push(("the passphrase", passphrase));
    Ok(secrets)
}

fn derived(key: &Key, sealed: &str) -> io::Result<Vec<Secret>> {
    let header = Header::read(&mut fs::File::open(sealed)?).map_err(io::Error::other)?;
    let context = header.passphrase_line().map(ToString::to_string).unwrap_or_default();
    let (file_key, _) = FileKey::derive(key, header.salt(), context.as_bytes());
    // A number, the AEAD's key, and less secret bytes.
    let bytes = file_key.to_bytes();
    let aead_key = &bytes[1..][..key.aead().key_len()];
    let cipher = if key.aead() == Aead::Serpent256Gcm { "serpent" } else { "aes" };
    let mut secrets = round_keys(cipher, aead_key)?;
    secrets.push(("the file's key", aead_key.to_vec()));
    Ok(secrets)
}

fn round_keys(cipher: &str, key: &[u8]) -> io::Result<Vec<Secret>> {
    Ok(match cipher {
        "serpent" => {
            let keys = for_devices::of_serpent(key).map_err(io::Error::other)?;
            keys.iter().map(|keys| ("round keys", keys.to_vec())).collect()
        }
        _ => vec![("round keys", for_devices::of_aes(key).map_err(io::Error::other)?.to_vec())],
    })
}

/// The memory in which the compiler may put anything, and the kernel puts the arguments.
const STACK: &str = "the stack";

/// Runs a program until it is about to exit, and looks for secrets in its memory.
fn watch(
    program: &OsStr,
    arguments: &[&str],
    secrets: &dyn Fn() -> io::Result<Vec<Secret>>,
) -> io::Result<Found> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    // SAFETY: one system call, which allocates nothing, between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    let mut traced = command.spawn()?;
    let found = until_exit(traced.id().cast_signed(), secrets);
    child::end(&mut traced);
    match found? {
        (found, 0) => Ok(found),
        (_, status) => Err(io::Error::other(format!("{arguments:?} failed: {status:#x}"))),
    }
}

/// Waits for a traced process and returns the secrets found when it was about to exit, and its status.
fn until_exit(
    process: libc::pid_t,
    secrets: &dyn Fn() -> io::Result<Vec<Secret>>,
) -> io::Result<(Found, libc::c_int)> {
    let start = Instant::now();
    let mut begun = false;
    let mut found = None;
    loop {
        let mut status = 0;
        // SAFETY: a place for the status, of any thread of the process, which is the only child.
        let thread = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) };
        if thread == 0 {
            if start.elapsed() > LIMIT {
                return Err(io::Error::other("the command does not end"));
            }
            sleep(Duration::from_millis(1));
            continue;
        }
        if thread < 0 {
            return Err(io::Error::last_os_error());
        }
        if !libc::WIFSTOPPED(status) {
            if thread == process {
                return found
                    .map(|found| (found, status))
                    .ok_or_else(|| io::Error::other("it was not seen to exit"));
            }
            continue;
        }
        let mut signal = libc::WSTOPSIG(status);
        let event = status >> 16;
        if !begun {
            begun = true;
            let options = libc::PTRACE_O_TRACEEXIT | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
            // SAFETY: a request for a process that is traced and stopped.
            unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, process, 0, options) };
            signal = 0;
        } else if event == libc::PTRACE_EVENT_EXIT {
            signal = 0;
            if thread == process {
                found = Some(search(thread, &secrets()?)?);
            }
        } else if event != 0 || signal == libc::SIGSTOP || signal == libc::SIGTRAP {
            // A thread that begins, or tells of one.
            signal = 0;
        }
        // SAFETY: a request for a thread that is traced and stopped.
        unsafe { libc::ptrace(libc::PTRACE_CONT, thread, 0, signal) };
    }
}

/// Looks for parts of secrets at every place.
fn search(process: libc::pid_t, secrets: &[Secret]) -> io::Result<Found> {
    let mut parts: HashMap<[u8; PART], &'static str> = HashMap::new();
    for (what, secret) in secrets {
        parts.extend(secret.as_chunks().0.iter().map(|part| (*part, *what)));
    }
    if parts.is_empty() {
        return Err(io::Error::other("there is nothing to look for"));
    }
    // Most places are excluded by two bytes.
    let mut begins = vec![false; 1 << 16];
    parts.keys().for_each(|part| begins[usize::from(u16::from_ne_bytes([part[0], part[1]]))] = true);
    let mut counts: HashMap<(&'static str, &'static str), usize> = HashMap::new();
    for piece in memory::of(process.cast_unsigned())? {
        let place = match piece.name.as_str() {
            "[stack]" => STACK,
            "[heap]" => "the heap",
            "" => "memory without a name",
            _ => "data of a library or the program",
        };
        for at in 0..piece.bytes.len().saturating_sub(PART - 1) {
            if begins[usize::from(u16::from_ne_bytes([piece.bytes[at], piece.bytes[at + 1]]))]
                && let Some(part) = piece.bytes[at..].first_chunk::<PART>()
                && let Some(what) = parts.get(part)
            {
                *counts.entry((what, place)).or_default() += 1;
            }
        }
    }
    let mut found: Found = counts.into_iter().map(|((what, place), count)| (what, place, count)).collect();
    found.sort_unstable();
    Ok(found)
}
