//! The machine that figures are from: they say nothing about another one.

use std::fs;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::clock;

/// A machine, and when it was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU in the words of its maker, with its family and model where the system tells them.
    pub cpu: String,
    /// Its architecture, such as `x86_64`.
    pub architecture: String,
    /// The operating system, such as `linux`.
    pub system: String,
    /// The number of threads that can run at once.
    pub threads: usize,
    /// The clock of a core in cycles per second, as measured.
    pub clock: f64,
    /// The version of this library.
    pub version: String,
    /// The day, as `2026-11-23`, in UTC.
    pub date: String,
    /// Its instruction sets for ciphers, caches, governor, and "virtual" in a virtual machine, as far as the system tells them;
    /// empty in an older record.
    #[serde(default)]
    pub more: String,
}

impl Machine {
    /// This machine, now.
    #[must_use]
    pub fn this() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            cpu: cpu(),
            architecture: std::env::consts::ARCH.into(),
            system: std::env::consts::OS.into(),
            threads: available_parallelism().map_or(1, Into::into),
            clock: (0..100).map(|_| clock::reading()).fold(0.0, f64::max),
            version: env!("CARGO_PKG_VERSION").into(),
            date: date(now / 86_400),
            more: more(),
        }
    }

    /// Returns the name that engineers have for the design of the CPU, such as "Zen 5", by its family and model.
    #[must_use]
    pub fn design(&self) -> Option<&'static str> {
        let number = |word: &str| {
            let digits = self.cpu.split_once(word)?.1;
            digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u32>().ok()
        };
        Some(match (number("(family ")?, number(", model ")?) {
            (23, 49 | 96 | 104 | 113 | 144) => "Zen 2",
            (25, 16..=31 | 96..=127 | 160..=175) => "Zen 4",
            (25, _) => "Zen 3",
            (26, _) => "Zen 5",
            (6, 85) => "Skylake or Cascade Lake",
            (6, 106 | 108) => "Ice Lake",
            (6, 143) => "Sapphire Rapids",
            (6, 207) => "Emerald Rapids",
            (6, 173) => "Granite Rapids",
            _ => return None,
        })
    }

    /// Returns true if figures of `other` can be compared with those of this one: the CPU, the system and the number of
    /// threads count, and not the clock, the version and the date.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let same = |machine: &Self| {
            (machine.cpu.clone(), machine.architecture.clone(), machine.system.clone(), machine.threads)
        };
        same(self) == same(other)
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let design = self.design().map_or(String::new(), |design| format!("{design}, "));
        write!(f, "{}, {design}core clock about {:.2} GHz", self.cpu, self.clock / 1e9)
    }
}

/// Returns the programs that want a CPU, on average over the last minute, where the system tells it.
#[must_use]
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// The CPU in the words of its maker. Makers give the same words to CPUs that are years apart, so family and model are
/// added.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name| {
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
    };
    let Some(name) = field("model name") else {
        return format!("unknown CPU ({})", std::env::consts::ARCH);
    };
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => name.into(),
    }
}

/// Flags of the system for instruction sets that ciphers use, and the names that engineers have for them.
const FLAGS: [(&str, &str); 9] = [
    ("avx2", "AVX2"),
    ("avx512f", "AVX-512"),
    ("aes", "AES"),
    ("vaes", "VAES"),
    ("pclmulqdq", "PCLMUL"),
    ("vpclmulqdq", "VPCLMUL"),
    ("gfni", "GFNI"),
    ("sha_ni", "SHA"),
    ("pmull", "PMULL"),
];

/// Returns the details of the CPU that the system tells.
fn more() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_flags = |line: &&str| line.starts_with("flags") || line.starts_with("Features");
    let flags: Vec<&str> =
        info.lines().find(is_flags).map_or(Vec::new(), |line| line.split_whitespace().collect());
    let sets: Vec<&str> =
        FLAGS.iter().filter(|(flag, _)| flags.contains(flag)).map(|(_, name)| *name).collect();
    let mut parts = Vec::new();
    if !sets.is_empty() {
        parts.push(sets.join(" "));
    }
    let cpu = "/sys/devices/system/cpu/cpu0";
    let read = |path: String| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    for index in 0..5 {
        let field = |name: &str| read(format!("{cpu}/cache/index{index}/{name}"));
        if let (Some(level), Some(kind), Some(size)) = (field("level"), field("type"), field("size"))
            && kind != "Instruction"
        {
            parts.push(format!("L{level} {size}"));
        }
    }
    parts.extend(
        read(format!("{cpu}/cpufreq/scaling_governor")).map(|governor| format!("governor {governor}")),
    );
    if flags.contains(&"hypervisor") {
        parts.push("virtual".into());
    }
    parts.join(", ")
}

/// The date of a day since 1970-01-01, in the Gregorian calendar.
fn date(days: u64) -> String {
    // Years from March to February, so that the day that some years have more is the last.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
