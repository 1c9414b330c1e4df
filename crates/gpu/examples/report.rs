//! All kernels on each device of this machine: checked against the CPU, then measured. `cargo xtask gpu-report` builds and
//! runs it. It needs no network; the argument is the name of a device, or a part of it.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use abreast::BlockCipher;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr, Xts as CpuXts};
use abreast::rc4::{self, Message};
use abreast::xtea::{ByteOrder, Xtea};
use abreast_gpu::{
    Cipher, Device, DeviceKind, Error, Gpu, KeyedMessage, Options, Times, Wanted, Xts, devices, find_device,
    rates, rc4_apply_keys, rc4_try_keys, xtea_decrypt_many, xtea_encrypt_many, xtea_try_keys,
};

/// Bytes of the message from pageable memory: sixteen chunks of usual length.
const LONG: usize = 256 << 20;
/// Messages of a batch, their bytes, and keys that are tried.
const MESSAGES: usize = 40_000;
const MESSAGE: usize = 1600;
const KEYS: usize = 1 << 20;

/// A cipher and about how many instructions on words its rounds take for a byte.
struct Cost {
    name: &'static str,
    /// Logic and shifts to the right, for which there is one kind of unit.
    logic: f64,
    /// All, with additions and shifts to the left, which the units of multiplications do too.
    all: f64,
}

impl Cost {
    /// The cost of rounds of gates, where a gate has three inputs.
    const fn of_gates(name: &'static str, gates: f64) -> Self {
        Self { name, logic: gates, all: gates }
    }
}

/// XTEA: 64 halves of two shifts, two gates and two additions for 8 bytes; TEA: one gate less, and one
/// addition more, where the shift to the left is a part of another. Serpent:
/// 32 rounds of about 7 gates for the S-box and 16 operations for the linear transformation and the round key for 16 bytes.
/// AES, for 32 bytes and each round: about 85 gates for the S-box, of which neighbours are one, 66 for `MixColumns`, and 8.
const CIPHERS: [Cost; 8] = [
    Cost::of_gates("aes-128", 10.0 * 159.0 / 32.0),
    Cost::of_gates("aes-192", 12.0 * 159.0 / 32.0),
    Cost::of_gates("aes-256", 14.0 * 159.0 / 32.0),
    Cost::of_gates("serpent-256", 32.0 * 23.0 / 16.0),
    Cost { name: "xtea", logic: 64.0 * 3.0 / 8.0, all: 64.0 * 6.0 / 8.0 },
    Cost { name: "xtea-be", logic: 64.0 * 3.0 / 8.0, all: 64.0 * 6.0 / 8.0 },
    Cost { name: "tea", logic: 64.0 * 2.0 / 8.0, all: 64.0 * 6.0 / 8.0 },
    Cost { name: "tea-be", logic: 64.0 * 2.0 / 8.0, all: 64.0 * 6.0 / 8.0 },
];

fn main() -> ExitCode {
    match report() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu-report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report() -> Result<(), Error> {
    let folder = env::temp_dir().join("abreast-gpu-report");
    // Before there is a second thread. Where it cannot be done, the drivers that are known have to do.
    let _ = abreast_gpu::find_drivers(&folder);
    let devices = match env::args().nth(1) {
        Some(name) => vec![find_device(Some(&name))?],
        None => devices()?,
    };
    devices.iter().try_for_each(of_device)
}

/// Bytes per second of a cipher, where the units are known: a multiprocessor of NVIDIA's begins 64 operations of logic in a
/// cycle ("Throughput of Native Arithmetic Instructions" in the CUDA C++ Programming Guide, compute capability 8.0 and 9.0),
/// and its four schedulers 128 operations of any kind.
fn bound(device: &Device, cost: &Cost) -> Option<f64> {
    let is_known = device.vendor().contains("NVIDIA");
    let cycles = f64::from(device.compute_units()) * f64::from(device.megahertz()) * 1e6;
    is_known.then(|| cycles / (cost.logic / 64.0).max(cost.all / 128.0))
}

fn of_device(device: &Device) -> Result<(), Error> {
    println!(
        "{}, {}, driver {}, {} compute units, {} MHz, {:.1} GiB",
        device.name(),
        device.kind(),
        device.driver(),
        device.compute_units(),
        device.megahertz(),
        device.memory() as f64 / (1 << 30) as f64
    );
    if device.kind() == DeviceKind::Cpu {
        println!("This is a CPU device: none of the figures below is one of a GPU.");
    }
    let gpu = Gpu::open(device, &Options::default())?;
    println!(
        "\nGB/s. RESIDENT: kernels on data on the device. BOUND: what its arithmetic units allow, an estimate. PINNED: from \
         pinned host\nmemory and back, copies and kernels side by side. OF COPY: PINNED over the slower direction of copies \
         alone. PAGEABLE: from\nany host memory and back, with some blocks checked by the CPU.\n"
    );
    println!(
        "{:15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "RESIDENT", "BOUND", "OF BOUND", "COPY TO", "BACK", "PINNED", "OF COPY", "PAGEABLE"
    );
    // A CPU device takes minutes as it is.
    let mut data = vec![0; if device.kind() == DeviceKind::Cpu { LONG / 8 } else { LONG }];
    for cost in CIPHERS {
        let name = cost.name;
        let algorithm = Algorithm::from_name(name).ok_or(Error::Cipher(abreast::Error::KernelUnavailable))?;
        let key: Vec<u8> = (0..algorithm.key_len() as u8).collect();
        let cipher = Cipher::new(&gpu, algorithm, &key)?;
        check(&cipher, &key)?;
        let bound = bound(device, &cost).map(|bound| bound / 1e9);
        for counter in [false, true] {
            let all = rates(&cipher, counter)?;
            let pageable = pageable(&cipher, counter, &mut data)?;
            let resident = all.resident / 1e9;
            let copy = all.to_device.min(all.from_device);
            let percent = |share: f64| format!("{:.0} %", 100.0 * share);
            let known = |value: Option<String>| value.unwrap_or_else(|| "-".into());
            println!(
                "{:15} {resident:>9.2} {:>9} {:>9} {:>9.2} {:>9.2} {:>9.2} {:>9} {pageable:>9.2}",
                format!("{name}-{}", if counter { "ctr" } else { "ecb" }),
                known(bound.map(|bound| format!("{bound:.0}"))),
                known(bound.map(|bound| percent(resident / bound))),
                all.to_device / 1e9,
                all.from_device / 1e9,
                all.pinned / 1e9,
                percent(all.pinned / copy),
            );
        }
    }
    many_keys(&gpu)?;
    if device.kind() == DeviceKind::Cpu {
        println!(
            "\nA CPU device: every kernel gave what the CPU gives, and no figure above is one of a GPU."
        );
    }
    Ok(())
}

/// Every mode and direction of a cipher on some chunks, against the CPU.
fn check(cipher: &Cipher, key: &[u8]) -> Result<(), Error> {
    let algorithm = cipher.algorithm();
    let input: Vec<u8> = (0..40_000_048_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let same = |what: &str, ours: &[u8], theirs: &[u8]| {
        if ours == theirs {
            return Ok(());
        }
        eprintln!("gpu-report: {} is wrong in {what}", algorithm.name());
        Err(Error::WrongResult { device: cipher.gpu().device().name().into() })
    };
    let cpu: Box<dyn BlockCipher> = algorithm.with_key(key, None)?;
    let [mut ours, mut theirs] = [input.clone(), input.clone()];
    cipher.encrypt_raw_blocks((&mut ours[..]).into()).map_err(|stopped| stopped.error)?;
    cpu.encrypt_raw_blocks((&mut theirs[..]).into())?;
    same("ECB", &ours, &theirs)?;
    cipher.decrypt_raw_blocks((&mut ours[..]).into()).map_err(|stopped| stopped.error)?;
    same("the decryption of ECB", &ours, &input)?;
    let counter = vec![0xff; algorithm.block_size()];
    cipher
        .ctr(&counter, CounterWidth::Bits64)?
        .apply((&mut ours[..]).into())
        .map_err(|stopped| stopped.error)?;
    theirs.copy_from_slice(&input);
    Ctr::from_cipher(&cpu, &counter, CounterWidth::Bits64)?.apply(&mut theirs[..])?;
    same("CTR", &ours, &theirs)?;
    if algorithm.block_size() == 16 {
        let other: Vec<u8> = key.iter().map(|byte| !byte).collect();
        let xts = Xts::new(cipher.gpu(), algorithm, key, &other)?;
        let [data, tweak] = [algorithm.with_key_128(key, None)?, algorithm.with_key_128(&other, None)?];
        let [mut ours, mut theirs] = [input.clone(), input.clone()];
        xts.encrypt_units(1, 4096, (&mut ours[..]).into()).map_err(|stopped| stopped.error)?;
        CpuXts::new(data, tweak)?.encrypt_units(1, 4096, &mut theirs[..])?;
        same("XTS", &ours, &theirs)?;
        xts.decrypt_units(1, 4096, (&mut ours[..]).into()).map_err(|stopped| stopped.error)?;
        same("the decryption of XTS", &ours, &input)?;
    }
    Ok(())
}

/// GB/s from host memory that is not pinned, and back.
fn pageable(cipher: &Cipher, counter: bool, data: &mut [u8]) -> Result<f64, Error> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        if counter {
            let zeros = vec![0; cipher.algorithm().block_size()];
            cipher.ctr(&zeros, CounterWidth::Bits64)?.apply((&mut *data).into())
        } else {
            cipher.encrypt_raw_blocks((&mut *data).into())
        }
        .map_err(|stopped| stopped.error)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(data.len() as f64 / best / 1e9)
}

/// Messages of RC4, each under its key.
fn under_keys<'a>(keys: &'a [[u8; 16]], texts: &'a mut [Vec<u8>]) -> Vec<Message<'a, 'a, 'a>> {
    let pairs = keys.iter().zip(texts);
    pairs.map(|(key, text)| Message { key, skip: 0, buffer: (&mut text[..]).into() }).collect()
}

/// A key for each message, and many keys for one message.
fn many_keys(gpu: &std::sync::Arc<Gpu>) -> Result<(), Error> {
    let wrong = || Error::WrongResult { device: gpu.device().name().into() };
    println!(
        "\nA key for each message: {MESSAGES} of {MESSAGE} bytes; RESIDENT adds up the times of kernels\n"
    );
    println!("{:15} {:>9} {:>9}", "", "RESIDENT", "PAGEABLE");
    let key = |n: usize| (n as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes();
    let keys: Vec<[u8; 16]> = (0..KEYS).map(key).collect();
    let inputs = vec![vec![7_u8; MESSAGE]; MESSAGES];
    let show = |what: &str, times: Times, start: Instant| {
        let bytes = (MESSAGES * MESSAGE) as f64 / 1e9;
        println!("{what:15} {:>9.2} {:>9.2}", bytes / times.kernels, bytes / start.elapsed().as_secs_f64());
    };
    for encrypt in [true, false] {
        let mut texts = inputs.clone();
        let mut messages: Vec<_> = keys
            .iter()
            .zip(&mut texts)
            .map(|(key, text)| KeyedMessage { key, buffer: (&mut text[..]).into() })
            .collect();
        let many = if encrypt { xtea_encrypt_many } else { xtea_decrypt_many };
        // The first call compiles and tests.
        many(gpu, ByteOrder::LittleEndian, &mut [])?;
        let start = Instant::now();
        let times = many(gpu, ByteOrder::LittleEndian, &mut messages)?;
        show(if encrypt { "xtea" } else { "xtea, back" }, times, start);
        for (key, text) in keys.iter().zip(&mut texts).step_by(997) {
            let cipher = Xtea::new(key);
            match encrypt {
                true => cipher.decrypt_raw_blocks((&mut text[..]).into())?,
                false => cipher.encrypt_raw_blocks((&mut text[..]).into())?,
            }
            if *text != inputs[0] {
                return Err(wrong());
            }
        }
    }
    let mut texts = inputs.clone();
    rc4_apply_keys(gpu, &mut [])?;
    let start = Instant::now();
    let times = rc4_apply_keys(gpu, &mut under_keys(&keys, &mut texts))?;
    show("rc4", times, start);
    rc4::apply_keys(&mut under_keys(&keys, &mut texts))?;
    if texts != inputs {
        return Err(wrong());
    }

    println!("\nMillions of keys per second, tried on 16 bytes: {KEYS} keys");
    let mut text = *b"%PDF-1.7 and so ";
    Xtea::new(&keys[77_777]).encrypt_raw_blocks((&mut text[..]).into())?;
    let wanted = Wanted::beginning(b"%PDF-1.");
    let start = Instant::now();
    let found = xtea_try_keys(gpu, ByteOrder::LittleEndian, &keys, &text, &wanted)?;
    println!("{:15} {:>9.2}", "xtea", KEYS as f64 / start.elapsed().as_secs_f64() / 1e6);
    let mut text = *b"%PDF-1.7 and so ";
    rc4::apply_keys(&mut [Message { key: &keys[77_777], skip: 0, buffer: (&mut text[..]).into() }])?;
    let start = Instant::now();
    let found_rc4 = rc4_try_keys(gpu, &keys, 0, &text, &wanted)?;
    println!("{:15} {:>9.2}\n", "rc4", KEYS as f64 / start.elapsed().as_secs_f64() / 1e6);
    if found != [77_777] || found_rc4 != [77_777] { Err(wrong()) } else { Ok(()) }
}
