//! A folder to work in, and the command run in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use argon2::{Algorithm, Argon2, Params, Version};
use cobblestone::Key256;
use data_encoding::BASE64_NOPAD;
use tempfile::TempDir;

pub(crate) use crate::process::*;

/// Plaintext in a chunk.
pub(crate) const CHUNK: usize = 16384;
/// A chunk in a sealed file.
pub(crate) const SEALED_CHUNK: usize = CHUNK + 16;
/// What precedes the chunks.
pub(crate) const HEADER: usize = 56;

/// Bytes in which no two chunks are alike.
pub(crate) fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
}

/// A temporary folder with a key in it.
pub(crate) struct Place(TempDir);

impl Place {
    /// A new folder, with a key file `key`.
    pub(crate) fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.run(["keygen", "-o", "key"]).succeeds();
        place
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.path().join(name.as_ref())
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Reads a file.
    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<OsStr>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// All files with their contents; of other things, the names.
    pub(crate) fn contents(&self) -> BTreeMap<OsString, Vec<u8>> {
        let entries = fs::read_dir(self.0.path()).unwrap().map(Result::unwrap);
        let content = |path: PathBuf| if path.is_file() { fs::read(path).unwrap() } else { Vec::new() };
        entries.map(|entry| (entry.file_name(), content(entry.path()))).collect()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.contents().into_keys().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// The command in this folder, without a standard input.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_abreast"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// A shell in this folder; `$ABREAST` is the command.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("ABREAST", env!("CARGO_BIN_EXE_abreast"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// The shell command `$ABREAST arguments` on a file system that lacks something: one of the constants below. What
    /// is in `strace` here are rules for its calls about this folder. The process that is started is the command.
    pub(crate) fn lacking(&self, rules: &str, arguments: &str) -> Command {
        let folder = self.0.path().canonicalize().unwrap();
        let mut command = self.shell(&format!(
            "exec strace -D -f -qq -o /dev/null -P \"$FOLDER\" -e trace=openat,linkat,renameat2,renameat,fcntl {rules} \
             \"$ABREAST\" {arguments}"
        ));
        command.env("FOLDER", folder).env_remove("LD_LIBRARY_PATH");
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        spawn(&mut self.command(args)).end()
    }

    /// Runs the command with that input.
    pub(crate) fn pipe<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
        feed(self.command(args), input)
    }

    /// The command refuses, and the folder is as it was.
    #[track_caller]
    pub(crate) fn refuses<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>, code: i32, cause: &str) {
        let before = self.contents();
        let run = self.run(args).fails(code, cause);
        assert_eq!(run.stdout, b"");
        assert!(self.contents() == before, "left behind or changed: {:?}", self.names());
    }

    /// Seals a message with the key file into `sealed`, and returns what that holds.
    pub(crate) fn seal(&self, message: &[u8]) -> Vec<u8> {
        self.write("message", message);
        self.run(["seal", "message", "-k", "key", "-o", "sealed"]).succeeds();
        fs::remove_file(self.path("message")).unwrap();
        self.read("sealed")
    }
}

/// No files without a name. The first time that a folder is opened by its descriptor is to look for what is left over.
pub(crate) const NAMED: &str = "-e inject=openat:error=EOPNOTSUPP:when=2";

/// Neither these nor renames that replace nothing.
pub(crate) const LINKED: &str = "-e inject=openat:error=EOPNOTSUPP:when=2 -e inject=renameat2:error=EINVAL";

/// Nor links.
pub(crate) const RESERVED: &str = "-e inject=openat:error=EOPNOTSUPP:when=2 -e inject=renameat2:error=EINVAL \
                                   -e inject=linkat:error=EPERM";

/// Nor renames of any kind.
pub(crate) const IN_PLACE: &str =
    "-e inject=openat:error=EOPNOTSUPP:when=2 -e inject=renameat2,linkat,renameat:error=EPERM";

/// Files without a name, and no links, which comes as a surprise.
pub(crate) const UNLINKED: &str = "-e inject=linkat:error=EPERM";

/// Feeds a command more than a pipe holds: then it has created its output.
pub(crate) fn begins_to_work(stdin: &mut ChildStdin) {
    stdin.write_all(&message(1 << 20)).unwrap();
}

/// A passphrase file of the lowest costs, made without the command.
pub(crate) fn sealed_with_passphrase(passphrase: &str, message: &[u8]) -> Vec<u8> {
    let salt = b"0123456789abcdef";
    let params = Params::new(8192, 1, 1, Some(32)).unwrap();
    let mut key = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password_into(passphrase.as_bytes(), salt, &mut key).unwrap();
    let salt = BASE64_NOPAD.encode(salt);
    let line = format!("abreast/1 AEAD_AES_256_GCM argon2id m=8192,t=1,p=1 {salt}\n");
    let body = cobblestone::encrypt(&Key256::from_bytes(&key), line.as_bytes(), message).unwrap();
    [line.as_bytes(), &body].concat()
}

/// Waits until something is so, and fails if it is not within 20 seconds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain for {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a program that some tests need is there. Where nothing may be skipped its absence is a failure;
/// elsewhere the test says that it is skipped, past the capture of what tests print.
pub(crate) fn has(program: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("command -v {program}")]);
    if feed(shell, b"").code == Some(0) {
        return true;
    }
    let skipped = format!("{} skipped: {program} is not installed", test_name());
    assert!(std::env::var_os("ABREAST_NO_SKIP").is_none_or(|value| value != "1"), "may not be {skipped}");
    tell(&skipped);
    false
}

/// Says something on standard error, also where what a test prints is shown only if it fails.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The name of the running test, which is that of its thread.
fn test_name() -> String {
    thread::current().name().unwrap_or("a test").to_owned()
}
