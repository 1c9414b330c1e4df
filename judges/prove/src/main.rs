//! Proofs that the machine code of the shared library, as it is shipped, computes the ciphers and modes: for every key, every
//! vector and every message of a length.

mod bits;
mod claims;
mod forms;
mod machine;
mod native;
mod proof;
mod script;
mod spec;

use std::path::PathBuf;
use std::time::Duration;

use claims::{Mode, Subject};
use machine::image::Image;

fn main() {
    let work = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread");
    work.join().expect("no panic");
}

fn run() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments[0] == "--run" {
        let text = std::io::read_to_string(std::io::stdin()).expect("text");
        let script = script::Script::from_text(&text).expect("a script");
        let (statuses, buffers) = native::run(&PathBuf::from(&arguments[1]), &script).expect("a library");
        println!("{}", statuses.iter().map(i32::to_string).collect::<Vec<_>>().join(" "));
        for buffer in buffers {
            println!("{}", buffer.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        }
        return;
    }
    let library = PathBuf::from(&arguments[0]);
    let image = Image::load(&library).expect("a library");
    for cipher in ["aes-128", "serpent-256", "xtea", "tea"] {
        println!("{cipher}: {:?}", claims::kernels(&image, cipher));
    }
    let filter = arguments.get(1).cloned().unwrap_or_default();
    let mode = match arguments.get(2).map(String::as_str) {
        Some("ecb-") => Mode::Ecb(false),
        Some("cbc") => Mode::Cbc(true),
        Some("cbc-") => Mode::Cbc(false),
        Some("ctr") => Mode::Ctr(128, 0xffff_ffff_ffff_fffe),
        Some("ctr32") => Mode::Ctr(32, 0xffff_fffe),
        Some("ctr64") => Mode::Ctr(64, 0xffff_ffff_ffff_fffe),
        Some("cfb") => Mode::Cfb(true),
        Some("cfb-") => Mode::Cfb(false),
        Some("cfb8") => Mode::Cfb8(true),
        Some("ofb") => Mode::Ofb,
        Some("xts") => Mode::Xts(true),
        Some("xts-") => Mode::Xts(false),
        Some("gcm") => Mode::Gcm(20),
        Some("cmac") => Mode::Cmac,
        _ => Mode::Ecb(true),
    };
    let len: usize = arguments.get(3).map_or(16, |it| it.parse().expect("a number"));
    for cipher in ["aes-128", "aes-192", "aes-256", "serpent-256", "xtea", "xtea-be", "tea", "tea-be"] {
        for kernel in claims::kernels(&image, cipher) {
            let subject = Subject { cipher, kernel, mode, len, offsets: (0, 0), in_place: false };
            if !subject.title().contains(&filter) {
                continue;
            }
            let (tried, claim) = proof::prove(&image, Duration::from_secs(100), || subject.claim(&image));
            let mut verdict = format!("{:?}", tried.verdict);
            verdict.truncate(300);
            println!(
                "{}: {verdict}, {:.2} s, {} + {} steps, {} forms, {:?}",
                subject.title(),
                tried.time.as_secs_f64(),
                tried.before,
                tried.machine.steps - tried.before,
                proof::size(),
                proof::sample(&library, &claim, 3)
            );
        }
    }
}
