//! Modules of an encrypted Parquet file opened from memory: batches of abreast-parquet beside a loop over ring, as the `parquet`
//! crate has it.
//!
//! Pages have 10 to 160 KB, and each has a header of 30 to 90 bytes. What a reader pays in either way is in the times: the keys of
//! columns, the copies out of the file, the associated data.

use std::hint::black_box;
use std::time::Instant;

use abreast_lab::sample::Random;
use abreast_parquet::{Algorithm, FileContext, Job, Module, ModuleKey, ModuleKind};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

/// Bytes of all modules.
const FILE: usize = 200_000_000;
const COLUMNS: u16 = 16;
/// Data pages of a column chunk.
const PAGES: u16 = 32;
/// Trials, by turns, of which the best counts.
const TRIALS: usize = 15;
const HEAD: usize = 16;
const TAG: usize = 16;

/// A module as it is stored, and its place in the file.
struct Stored {
    module: Module,
    bytes: Vec<u8>,
}

fn main() {
    println!("{:30} {:>9} {:>9} {:>7}", "modules", "ring, ms", "ours, ms", "ratio");
    for key_len in [16, 32, 24] {
        let keys: Vec<Vec<u8>> = (0..COLUMNS).map(|column| vec![column as u8 + 1; key_len]).collect();
        let context = FileContext::new(Algorithm::AesGcmV1, b"", b"12345678");
        let all = file(&context, &keys);
        for (name, least, most) in
            [("all", 0, usize::MAX), ("headers under 100 bytes", 0, 132), ("pages", 133, usize::MAX)]
        {
            let modules: Vec<&Stored> =
                all.iter().filter(|it| (least..=most).contains(&it.bytes.len())).collect();
            let (mut theirs, mut ours) = (f64::MAX, f64::MAX);
            for _ in 0..TRIALS {
                if key_len != 24 {
                    theirs = theirs.min(seconds(|| by_ring(&context, &keys, &modules)));
                }
                ours = ours.min(seconds(|| by_batches(&context, &keys, &modules)));
            }
            let name = format!("AES-{}, {name}", 8 * key_len);
            if key_len == 24 {
                println!("{name:30} {:>9} {:9.2} {:>7}", "none", 1e3 * ours, "");
            } else {
                println!("{name:30} {:9.2} {:9.2} {:7.2}", 1e3 * theirs, 1e3 * ours, ours / theirs);
            }
        }
    }
}

fn seconds(work: impl FnOnce() -> u8) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// The modules of a file, in the order in which it has them.
fn file(context: &FileContext, keys: &[Vec<u8>]) -> Vec<Stored> {
    let mut random = Random::new(1);
    let keys: Vec<ModuleKey> = keys.iter().map(|key| ModuleKey::new(key).expect("a key")).collect();
    let (mut all, mut total) = (Vec::new(), 0);
    for row_group in 0.. {
        for (column, key) in keys.iter().enumerate() {
            for page in 0..PAGES {
                let header = 30 + random.below(60) as usize;
                let text = (10_000.0 * 16_f64.powf(random.below(1000) as f64 / 1000.0)) as usize;
                for (kind, len) in [(ModuleKind::DataPageHeader, header), (ModuleKind::DataPage, text)] {
                    let module = Module { kind, row_group, column: column as u16, page };
                    let mut bytes = vec![7; HEAD + len + TAG];
                    let mut jobs = [Job::new(key, module, &mut bytes)];
                    context.seal(&mut jobs).expect("random numbers");
                    jobs[0].result.expect("sealed");
                    total += bytes.len();
                    all.push(Stored { module, bytes });
                }
            }
            if total >= FILE {
                return all;
            }
        }
    }
    all
}

/// Opens modules one after the other, each in a buffer of its own.
fn by_ring(context: &FileContext, keys: &[Vec<u8>], modules: &[&Stored]) -> u8 {
    let algorithm = if keys[0].len() == 16 { &AES_128_GCM } else { &AES_256_GCM };
    let (mut read, mut key) = (0, None);
    for stored in modules {
        // A key for each column chunk, as its reader makes it.
        let place = (stored.module.row_group, stored.module.column);
        let key = match &mut key {
            Some((at, key)) if *at == place => key,
            other => {
                let bytes = &keys[usize::from(stored.module.column)];
                let new = LessSafeKey::new(UnboundKey::new(algorithm, bytes).expect("a key"));
                &mut other.insert((place, new)).1
            }
        };
        let nonce = Nonce::try_assume_unique_for_key(&stored.bytes[4..HEAD]).expect("a nonce");
        let mut text = stored.bytes[HEAD..].to_vec();
        key.open_in_place(nonce, Aad::from(context.aad(&stored.module)), &mut text).expect("authentic");
        read ^= text[0];
    }
    read
}

/// Opens the modules of each column chunk in one call, from where they are into one buffer for all, which grows to the longest chunk.
fn by_batches<'m>(context: &FileContext, keys: &[Vec<u8>], modules: &[&'m Stored]) -> u8 {
    let place = |stored: &&Stored| (stored.module.row_group, stored.module.column);
    let (mut read, mut buffer) = (0, Vec::new());
    for chunk in modules.chunk_by(|a, b| place(a) == place(b)) {
        let key = ModuleKey::new(&keys[usize::from(chunk[0].module.column)]).expect("a key");
        let len = chunk.iter().map(|stored| stored.bytes.len()).sum();
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let mut rest = buffer.as_mut_slice();
        let job = |stored: &&'m Stored| {
            let place = rest.split_off_mut(..stored.bytes.len()).unwrap_or_default();
            Job::from_stored(&key, stored.module, &stored.bytes, place)
        };
        let mut jobs: Vec<_> = chunk.iter().map(job).collect();
        context.open(&mut jobs);
        for job in &jobs {
            job.result.expect("authentic");
            read ^= job.buffer[HEAD];
        }
    }
    read
}
