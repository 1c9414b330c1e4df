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
        }
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
        write!(f, "{}, core clock about {:.2} GHz", self.cpu, self.clock / 1e9)
    }
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
