//! Files of the cache that were changed, cut off, or are of other kernels.

use std::fs;
use std::path::{Path, PathBuf};

use abreast::kernels::Algorithm;
use abreast_gpu::{Cipher, Gpu, Options};
use sha2::{Digest, Sha256};

use crate::common::all_devices;

/// Opens a device with a cache, and uses it.
fn open_and_use(device: &abreast_gpu::Device, folder: &Path, names: &[&str]) {
    let gpu = Gpu::open(device, &Options::with_cache(folder)).unwrap();
    for name in names {
        let cipher = Cipher::new(&gpu, Algorithm::from_name(name).unwrap(), &[7; 16]).unwrap();
        let mut data = vec![5; 1000 * 8];
        cipher.encrypt_raw_blocks((&mut data[..]).into()).unwrap();
    }
}

/// The file of a program in a folder.
fn file_of(folder: &Path, program: &str) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let prefix = format!("{program}-");
    let mut fitting = files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix));
    let file = fitting.next().expect("the program was kept");
    assert!(fitting.next().is_none());
    file
}

#[test]
fn what_was_changed_is_compiled_anew() {
    for device in all_devices() {
        let folder = tempfile::tempdir().unwrap();
        open_and_use(&device, folder.path(), &["xtea"]);
        let file = file_of(folder.path(), "xtea");
        let whole = fs::read(&file).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        let changes = [
            Vec::new(),
            whole[..31].to_vec(),
            whole[..32].to_vec(),
            whole[..whole.len() - 1].to_vec(),
            [&whole[..], b"\n"].concat(),
            flipped(0),
            flipped(32),
            flipped(whole.len() - 1),
            vec![0; whole.len()],
        ];
        for changed in changes {
            fs::write(&file, &changed).unwrap();
            open_and_use(&device, folder.path(), &["xtea"]);
            assert!(fs::read(&file).unwrap() != changed, "the file was written again");
        }
    }
}

/// A file that is whole but has other contents than its name says is found out by the self-test: the kernels of one
/// cipher under the name of another, and bytes that no driver takes.
#[test]
fn what_is_wrong_is_compiled_anew() {
    for device in all_devices() {
        let folder = tempfile::tempdir().unwrap();
        open_and_use(&device, folder.path(), &["xtea", "tea"]);
        let [xtea, tea] = ["xtea", "tea"].map(|program| file_of(folder.path(), program));
        let binary = fs::read(&xtea).unwrap()[32..].to_vec();
        for wrong in [binary, b"no binary of any driver".to_vec()] {
            let name = tea.file_name().unwrap().to_str().unwrap();
            let mut hash = Sha256::new();
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
            hash.update(&wrong);
            let bytes = [&hash.finalize()[..], &wrong].concat();
            fs::write(&tea, &bytes).unwrap();
            open_and_use(&device, folder.path(), &["tea"]);
            assert!(fs::read(&tea).unwrap() != bytes, "the file was written again");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    for device in all_devices() {
        let file = tempfile::NamedTempFile::new().unwrap();
        open_and_use(&device, &file.path().join("below a file"), &["tea"]);
    }
}
