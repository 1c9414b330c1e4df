//! `abreast kernels`.

use abreast::Kernel;
use abreast::aez::Aez;
use abreast::kernels::algorithms;
use abreast::rc4::Rc4;

use crate::args::KernelsArgs;
use crate::choice::Choice;
use crate::failure::Failure;
use crate::names;
use crate::opencl::{self, DeviceRow};
use crate::program::deliver;
use crate::table::aligned;

/// Runs the command.
pub(crate) fn run(args: &KernelsArgs) -> Result<(), Failure> {
    if let Some(name) = &args.cipher {
        let rows = rows().into_iter().filter(|row| row.cipher == name).collect();
        let choice = Choice::of(name);
        return deliver(&match choice {
            _ if args.json => {
                json(rows, &choice.map_or_else(String::new, |choice| choice.json()), &Ok(Vec::new()))
            }
            Some(choice) => choice.text(),
            None => table(rows),
        });
    }
    let devices = opencl::devices();
    deliver(&if args.json {
        json(rows(), "", &devices)
    } else {
        format!("{}\n{}", table(rows()), devices_table(&devices))
    })
}

/// The facts that are printed about a cipher.
struct Row {
    /// Its name.
    cipher: &'static str,
    /// Bytes of a key, or a text if there are several lengths.
    key: Result<usize, &'static str>,
    /// Bytes of a block, if it has blocks.
    block: Option<usize>,
    /// The kernel that it takes if nobody asks for another; of RC4, for many streams.
    chosen: &'static str,
    /// Its kernels, best first.
    kernels: Vec<&'static str>,
}

/// All ciphers.
fn rows() -> Vec<Row> {
    let names = |kernels: Vec<Kernel>| kernels.into_iter().map(Kernel::name).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for cipher in algorithms() {
        let keyed = cipher.with_key(&vec![0; cipher.key_len()], None).expect("a key of the right length");
        rows.push(Row {
            cipher: cipher.name(),
            key: Ok(cipher.key_len()),
            block: Some(cipher.block_size()),
            chosen: keyed.kernel().name(),
            kernels: names(cipher.kernels()),
        });
    }
    rows.push(Row {
        cipher: "aez",
        key: Err("any"),
        block: None,
        chosen: Aez::new(&[]).kernel().name(),
        kernels: names(Aez::kernels().collect()),
    });
    let kernels = names(Rc4::kernels().collect());
    rows.push(Row { cipher: "rc4", key: Err("8 to 2048 bits"), block: None, chosen: kernels[0], kernels });
    rows
}

/// Returns the lines of ciphers.
fn table(rows: Vec<Row>) -> String {
    let bits = |bytes: usize| format!("{} bits", bytes * 8);
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|row| {
            vec![
                row.cipher.into(),
                row.key.map_or_else(str::to_owned, bits),
                row.block.map_or("-".into(), bits),
                row.chosen.into(),
                row.kernels.join(", "),
            ]
        })
        .collect();
    rows.insert(0, ["cipher", "key", "block", "chosen", "kernels, best first"].map(String::from).to_vec());
    aligned(&rows)
}

/// One row for each OpenCL device, or the reason why there is none.
fn devices_table(devices: &Result<Vec<DeviceRow>, String>) -> String {
    let devices = match devices {
        Ok(devices) => devices,
        Err(why) => return format!("{why}\n"),
    };
    let mut rows: Vec<_> = devices
        .iter()
        .map(|device| {
            let memory = format!("{:.1} GiB", device.memory as f64 / (1 << 30) as f64);
            vec![device.name.clone(), device.kind.clone(), memory, device.driver.clone(), device.pays.clone()]
        })
        .collect();
    let head = ["OpenCL device", "kind", "memory", "driver", "faster than a CPU thread, from bytes in ctr"];
    rows.insert(0, head.map(String::from).to_vec());
    aligned(&rows)
}

/// An array of objects, one for each cipher, with more fields of each, and then one for each OpenCL device.
fn json(rows: Vec<Row>, more: &str, devices: &Result<Vec<DeviceRow>, String>) -> String {
    let bytes = |len: Option<usize>| len.map_or("null".into(), |len| len.to_string());
    let objects = rows.into_iter().map(|row| {
        format!(
            "{{\"cipher\":{},\"key_bytes\":{},\"block_bytes\":{},\"chosen\":{},\"kernels\":[{}]{}{more}}}",
            names::json(row.cipher),
            bytes(row.key.ok()),
            bytes(row.block),
            names::json(row.chosen),
            row.kernels.into_iter().map(names::json).collect::<Vec<_>>().join(","),
            if more.is_empty() { "" } else { "," }
        )
    });
    let devices = devices.iter().flatten().map(|device| {
        format!(
            "{{\"device\":{},\"kind\":{},\"memory_bytes\":{},\"driver\":{}}}",
            names::json(&device.name),
            names::json(&device.kind),
            device.memory,
            names::json(&device.driver)
        )
    });
    format!("[{}]\n", objects.chain(devices).collect::<Vec<_>>().join(",\n "))
}
