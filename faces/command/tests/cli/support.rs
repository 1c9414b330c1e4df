//! A folder to work in, and the command run in it.

use std::fs;
use std::io::Write;
use std::ops::Deref;
use std::process::{ChildStdin, Command};

use argon2::{Algorithm, Argon2, Params, Version};
use cobblestone::Key256;
use data_encoding::BASE64_NOPAD;

pub(crate) use abreast_runs::{Process, Run, feed, has, spawn, tell, wait_until};

/// Plaintext in a chunk.
pub(crate) const CHUNK: usize = 16384;
/// A chunk in a sealed file.
pub(crate) const SEALED_CHUNK: usize = CHUNK + 16;
/// The header before the chunks.
pub(crate) const HEADER: usize = 56;

/// Bytes in which no two chunks are alike.
pub(crate) fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
}

/// A folder for runs of the command, with a key file `key` in it.
pub(crate) struct Place(abreast_runs::Place);

impl Deref for Place {
    type Target = abreast_runs::Place;

    fn deref(&self) -> &abreast_runs::Place {
        &self.0
    }
}

impl Place {
    /// Makes a folder, and a key.
    pub(crate) fn new() -> Place {
        let place = Place(abreast_runs::Place::of(env!("CARGO_BIN_EXE_abreast")));
        place.run(["keygen", "-o", "key"]).succeeds();
        place
    }

    /// The shell command `$ABREAST arguments` on a file system that lacks something: one of the constants below. The
    /// rules apply only to calls about this folder. The process that is started is the command.
    pub(crate) fn lacking(&self, rules: &str, arguments: &str) -> Command {
        let folder = self.path("").canonicalize().unwrap();
        let mut command = self.shell(&format!(
            "exec strace -D -f -qq -o /dev/null -P \"$FOLDER\" -e trace=openat,linkat,renameat2,renameat,fcntl {rules} \
             \"$ABREAST\" {arguments}"
        ));
        command.env("FOLDER", folder).env_remove("LD_LIBRARY_PATH");
        command
    }

    /// Returns the names in a folder, in order.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Seals a message with the key file into `sealed`, and returns the contents of that file.
    pub(crate) fn seal(&self, message: &[u8]) -> Vec<u8> {
        self.write("message", message);
        self.run(["seal", "message", "-k", "key", "-o", "sealed"]).succeeds();
        fs::remove_file(self.path("message")).unwrap();
        self.read("sealed")
    }
}

/// No files without a name. The first time that a folder is opened by its descriptor is to look for leftovers.
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
    sealed_with_salt(passphrase, b"0123456789abcdef", message)
}

/// A passphrase file like [`sealed_with_passphrase`], with a salt that no other file has.
pub(crate) fn sealed_with(passphrase: &str, message: &[u8]) -> Vec<u8> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).unwrap();
    sealed_with_salt(passphrase, &salt, message)
}

/// Makes such a file with a given salt in its line.
fn sealed_with_salt(passphrase: &str, salt: &[u8; 16], message: &[u8]) -> Vec<u8> {
    let params = Params::new(8192, 1, 1, Some(32)).unwrap();
    let mut key = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password_into(passphrase.as_bytes(), salt, &mut key).unwrap();
    let salt = BASE64_NOPAD.encode(salt);
    let line = format!("abreast/1 AEAD_AES_256_GCM argon2id m=8192,t=1,p=1 {salt}\n");
    let body = cobblestone::encrypt(&Key256::from_bytes(&key), line.as_bytes(), message).unwrap();
    [line.as_bytes(), &body].concat()
}
