//! `abreast-bench bench --device`: what devices have, from host memory and back, beside one thread of the CPU.

use std::sync::Arc;
use std::time::Instant;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr, Direction, Xts as CpuXts};
use abreast::packets::{self, CipherKey, Packet};
use abreast::rc4::{self, Message};
use abreast::xtea::ByteOrder;
use abreast_cli::opencl::{NO_GPU, failure, open};
use abreast_cli::{Failure, print};
use abreast_gpu::{
    Cipher, Costs, DeviceKind, Error, Gpu, KeyedMessage, Stopped, Times, Xts, rc4_apply_keys,
    xtea_encrypt_many,
};

use crate::bench::work::{How, InMode, Mode, Packets, SECTOR, What};

/// The work that is measured by default.
const USUAL: [&str; 8] = [
    "aes-128-ctr",
    "aes-256-ctr",
    "serpent-256-ctr",
    "xtea-ctr",
    "xtea-ecb",
    "aes-128-xts-512",
    "packets-xtea-ecb",
    "packets-rc4",
];
/// Bytes that are taken where no sizes are asked for.
const SIZES: [usize; 5] = [16 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20];
/// Measurements of each; the fastest counts.
const TRIALS: usize = 5;
/// Bytes of a message of a batch, the last one of which is shorter.
const MESSAGE: usize = 1600;
/// Bytes of a key of a message.
const KEY: usize = 16;

/// Something on the device, in place.
type OnDevice = Box<dyn FnMut(&mut [u8]) -> Result<Times, Error>>;
/// A call on one thread of the CPU, in place.
type OnCpu = Box<dyn FnMut(&mut [u8]) -> Result<(), abreast::Error>>;

/// Returns true if devices have the work.
fn is_on_devices(what: What) -> bool {
    match what {
        What::InMode(InMode { mode, .. }) => {
            use Mode::{Ctr, Ecb, EcbDecrypt, XtsSectors, XtsSectorsDecrypt};
            matches!(mode, Ecb | EcbDecrypt | Ctr | XtsSectors | XtsSectorsDecrypt)
        }
        What::Packets(Packets {
            how: How::InMode(InMode { cipher, mode: Mode::Ecb, .. }),
            threads: None,
            ..
        }) => cipher.name().starts_with("xtea"),
        What::Packets(Packets { how: How::Rc4, threads: None, .. }) => true,
        _ => false,
    }
}

/// Measures on the device of a name.
pub(crate) fn bench(name: &str, whats: &[What], sizes: &[usize]) -> Result<(), Failure> {
    let usual: Vec<What> = USUAL.into_iter().filter_map(What::from_name).collect();
    let whats = if whats.is_empty() { &usual } else { whats };
    if let Some(what) = whats.iter().find(|what| !is_on_devices(**what)) {
        return Err(Failure::usage(format_args!(
            "--device measures CIPHER-ecb, -ecb-decrypt, -ctr, -xts-512 and -xts-512-decrypt, packets-xtea-ecb, \
             packets-xtea-be-ecb and packets-rc4, and not {what}"
        )));
    }
    let sizes = if sizes.is_empty() { &SIZES } else { sizes };
    let gpu = open(Some(name).filter(|name| !name.is_empty()))?;
    let device = gpu.device();
    let width = whats.iter().map(|what| what.to_string().len()).max().unwrap_or(0);
    let mut head = format!("{}, {}, driver {}\n", device.name(), device.kind(), device.driver());
    if device.kind() == DeviceKind::Cpu {
        head.push_str(&format!("{NO_GPU}\n"));
    }
    head.push_str(&format!(
        "Fastest of {TRIALS}, in GB/s. COPIES and KERNELS are the device's own times; CPU is one thread. Packets have {MESSAGE} \
         bytes.\n\n\
         {:width$}  {:>10}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}\n",
        "WHAT", "SIZE", "TOTAL", "COPY TO", "KERNELS", "COPY BACK", "CPU"
    ));
    print(&head)?;
    for what in whats {
        let (mut on_device, mut on_cpu) = work(&gpu, *what).map_err(failure)?;
        for &size in sizes {
            let row = row(&gpu, &mut on_device, &mut on_cpu, size).map_err(failure)?;
            // Not padded by `what` itself, which writes its parts one by one.
            print(&format!("{:width$}  {size:>10}{row}\n", what.to_string()))?;
        }
        if let What::InMode(InMode { cipher, mode: Mode::Ctr, .. }) = what {
            let costs = Costs::measure(&gpu, *cipher).map_err(failure)?;
            let from = match costs.crossover() {
                Some(bytes) => format!("faster than one thread of the CPU from {bytes} bytes on"),
                None => "never faster than one thread of the CPU".into(),
            };
            let call = costs.device_call * 1e6;
            print(&format!("{:width$}  a call takes {call:.0} us, {from}\n", what.to_string()))?;
        }
    }
    Ok(())
}

/// Something on the device and on the CPU.
fn work(gpu: &Arc<Gpu>, what: What) -> Result<(OnDevice, OnCpu), Error> {
    match what {
        What::InMode(InMode { cipher, mode, .. }) => in_mode(gpu, cipher, mode),
        What::Packets(Packets { how: How::InMode(InMode { cipher, .. }), .. }) => xtea_packets(gpu, cipher),
        _ => Ok(rc4_packets(gpu)),
    }
}

fn in_mode(gpu: &Arc<Gpu>, algorithm: Algorithm, mode: Mode) -> Result<(OnDevice, OnCpu), Error> {
    let key = vec![0x5a; algorithm.key_len()];
    let stopped = |Stopped { error, .. }| error;
    let direction = match mode {
        Mode::EcbDecrypt | Mode::XtsSectorsDecrypt => Direction::Decrypt,
        _ => Direction::Encrypt,
    };
    if matches!(mode, Mode::XtsSectors | Mode::XtsSectorsDecrypt) {
        let tweak_key = vec![0xa5; algorithm.key_len()];
        let keyed = |key: &[u8]| algorithm.with_key_128(key, None);
        let (xts, cpu) =
            (Xts::new(gpu, algorithm, &key, &tweak_key)?, CpuXts::new(keyed(&key)?, keyed(&tweak_key)?)?);
        return Ok((
            Box::new(move |data| match direction {
                Direction::Encrypt => xts.encrypt_units(0, SECTOR, data.into()).map_err(stopped),
                Direction::Decrypt => xts.decrypt_units(0, SECTOR, data.into()).map_err(stopped),
            }),
            Box::new(move |data| match direction {
                Direction::Encrypt => cpu.encrypt_units(0, SECTOR, data),
                Direction::Decrypt => cpu.decrypt_units(0, SECTOR, data),
            }),
        ));
    }
    let (cipher, cpu) = (Cipher::new(gpu, algorithm, &key)?, algorithm.with_key(&key, None)?);
    if mode == Mode::Ctr {
        let width = if algorithm.block_size() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        let counter = vec![3; algorithm.block_size()];
        let again = counter.clone();
        return Ok((
            Box::new(move |data| cipher.ctr(&counter, width)?.apply(data.into()).map_err(stopped)),
            Box::new(move |data| Ctr::from_cipher(&cpu, &again, width)?.apply(data)),
        ));
    }
    Ok((
        Box::new(move |data| match direction {
            Direction::Encrypt => cipher.encrypt_raw_blocks(data.into()).map_err(stopped),
            Direction::Decrypt => cipher.decrypt_raw_blocks(data.into()).map_err(stopped),
        }),
        Box::new(move |data| match direction {
            Direction::Encrypt => cpu.encrypt_raw_blocks(data.into()),
            Direction::Decrypt => cpu.decrypt_raw_blocks(data.into()),
        }),
    ))
}

/// The key of a message of a batch.
fn key_of(message: usize) -> [u8; KEY] {
    (message as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes()
}

/// The keys of the messages of so many bytes. Device and CPU both begin with them, and not with keys that are prepared.
fn keys(len: usize) -> Vec<[u8; KEY]> {
    (0..len.div_ceil(MESSAGE)).map(key_of).collect()
}

fn xtea_packets(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<(OnDevice, OnCpu), Error> {
    let order = if algorithm.name() == "xtea" { ByteOrder::LittleEndian } else { ByteOrder::BigEndian };
    let gpu = gpu.clone();
    Ok((
        Box::new(move |data| {
            let keys = keys(data.len());
            let messages = keys.iter().zip(data.chunks_mut(MESSAGE));
            let mut batch: Vec<_> =
                messages.map(|(key, text)| KeyedMessage { key, buffer: InOutBuf::from(text) }).collect();
            xtea_encrypt_many(&gpu, order, &mut batch)
        }),
        Box::new(move |data| {
            let keyed = |key: [u8; KEY]| algorithm.with_key(&key, None);
            let ciphers = keys(data.len()).into_iter().map(keyed).collect::<Result<Vec<_>, _>>()?;
            let mut batch: Vec<_> = ciphers
                .iter()
                .zip(data.chunks_mut(MESSAGE))
                .map(|(cipher, text)| Packet::new(CipherKey::from(cipher), &[], text))
                .collect();
            packets::ecb_encrypt(&mut batch);
            batch.iter().try_for_each(|packet| packet.result)
        }),
    ))
}

fn rc4_packets(gpu: &Arc<Gpu>) -> (OnDevice, OnCpu) {
    fn batch<'d>(keys: &'d [[u8; KEY]], data: &'d mut [u8]) -> Vec<Message<'d, 'd, 'd>> {
        let messages = keys.iter().zip(data.chunks_mut(MESSAGE));
        messages.map(|(key, text)| Message { key, skip: 0, buffer: text.into() }).collect()
    }
    let gpu = gpu.clone();
    (
        Box::new(move |data| rc4_apply_keys(&gpu, &mut batch(&keys(data.len()), data))),
        Box::new(|data| rc4::apply_keys(&mut batch(&keys(data.len()), data))),
    )
}

/// The speeds of one size; what the device does is compared with the CPU.
fn row(gpu: &Gpu, on_device: &mut OnDevice, on_cpu: &mut OnCpu, size: usize) -> Result<String, Error> {
    let (mut data, mut expected) = (vec![0; size], vec![0; size]);
    let mut best: [f64; 5] = [f64::INFINITY; 5];
    for _ in 0..TRIALS {
        let start = Instant::now();
        let times = on_device(&mut data);
        let total = start.elapsed().as_secs_f64();
        let Times { to_device, kernels, from_device } = times?;
        let start = Instant::now();
        on_cpu(&mut expected)?;
        let cpu = start.elapsed().as_secs_f64();
        for (best, new) in best.iter_mut().zip([total, to_device, kernels, from_device, cpu]) {
            *best = best.min(new);
        }
        if data != expected {
            return Err(Error::WrongResult { device: gpu.device().name().into() });
        }
    }
    let cell = |seconds: f64| match size as f64 / seconds / 1e9 {
        speed if speed.is_finite() => format!("  {speed:>8.3}"),
        _ => format!("  {:>8}", "-"),
    };
    Ok(best.map(cell).concat())
}
