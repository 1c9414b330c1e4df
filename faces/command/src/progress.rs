//! Progress of the work, on standard error: a bar for people, lines of JSON for programs.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{BinaryBytes, ProgressBar, ProgressState, ProgressStyle};
use rustix::termios::tcgetwinsize;

use crate::names;
use abreast_sealed::Progress;

/// The styles of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// A bar if standard error is a terminal
    Auto,
    /// One line of JSON several times a second
    Json,
    /// Nothing
    None,
}

/// Work that is done within this time shows no bar.
const PATIENCE: Duration = Duration::from_millis(300);

/// The time between two lines for a program.
const INTERVAL: Duration = Duration::from_millis(200);

/// The narrowest terminal, in columns, that has room for a name, a bar and all figures.
const WIDE: u16 = 90;

/// The longest name that is shown whole beside a bar, in bytes, which are no fewer than columns. Of a longer
/// name, as many columns are shown.
const MAX_NAME: usize = 30;

/// The progress of one file.
pub(crate) struct Meter {
    /// Its name, made safe.
    name: String,
    /// The length of the input, if it is known.
    total: Option<u64>,
    /// Bytes of the input that are done.
    done: AtomicU64,
    /// When the work began.
    start: Instant,
    /// The recipient of the progress.
    audience: Audience,
}

/// The recipients of progress.
enum Audience {
    /// A person, once it takes long enough.
    Person(OnceLock<ProgressBar>),
    /// A program; the time of the last line.
    Program(Mutex<Instant>),
    /// Nobody.
    Nobody,
}

impl Meter {
    /// Starts to measure the work on a file.
    pub(crate) fn new(style: Style, path: &Path, total: Option<u64>) -> Meter {
        let start = Instant::now();
        let audience = match style {
            Style::Auto if io::stderr().is_terminal() => Audience::Person(OnceLock::new()),
            Style::Json => Audience::Program(Mutex::new(start)),
            Style::Auto | Style::None => Audience::Nobody,
        };
        let name = match audience {
            Audience::Program(_) => path.to_string_lossy().into_owned(),
            _ => names::escape(path.as_os_str()),
        };
        Meter { name, total, done: AtomicU64::new(0), start, audience }
    }

    /// The work succeeded: the last line.
    pub(crate) fn finish(&self) {
        if matches!(self.audience, Audience::Program(_)) {
            self.print_json(true);
        }
    }

    /// The bar, as it is when it first shows.
    fn bar(&self) -> ProgressBar {
        let columns = tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col);
        let name = if self.name.len() > MAX_NAME { "{msg:30!}" } else { "{msg}" };
        let (bar, shape) = match self.total {
            // `wide_msg` is as much of the name as there is room for.
            Some(total) if columns < WIDE => {
                (ProgressBar::new(total), "{wide_msg} {percent}%, {speed}".into())
            }
            Some(total) => (
                ProgressBar::new(total),
                format!("{name} {{wide_bar}} {{percent}}% of {{binary_total_bytes}}, {{speed}}, {{left}}"),
            ),
            None if columns < WIDE => {
                (ProgressBar::new_spinner(), "{wide_msg} {binary_bytes}, {speed}".into())
            }
            None => (ProgressBar::new_spinner(), format!("{name} {{spinner}} {{binary_bytes}}, {{speed}}")),
        };
        // Means since the beginning. The bar's own estimates begin when it first shows, with a jump.
        let style = ProgressStyle::with_template(&shape)
            .expect("the template is well-formed")
            .with_key("speed", |state: &ProgressState, f: &mut dyn fmt::Write| {
                let _ = write!(f, "{}/s", BinaryBytes(speed(state) as u64));
            })
            .with_key("left", |state: &ProgressState, f: &mut dyn fmt::Write| {
                let rest = state.len().unwrap_or(0).saturating_sub(state.pos());
                let _ = write!(f, "{:.0} s left", rest as f64 / speed(state));
            });
        bar.with_style(style).with_message(self.name.clone()).with_elapsed(self.start.elapsed())
    }

    /// A line for a program.
    fn print_json(&self, finished: bool) {
        let total = self.total.map_or("null".into(), |total| total.to_string());
        let (file, done) = (names::json(&self.name), self.done.load(Ordering::Relaxed));
        let line = format!("{{\"file\":{file},\"done\":{done},\"total\":{total},\"finished\":{finished}}}\n");
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// Bytes per second since the beginning.
fn speed(state: &ProgressState) -> f64 {
    state.pos() as f64 / state.elapsed().as_secs_f64().max(0.001)
}

impl Progress for Meter {
    fn advance(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match &self.audience {
            Audience::Person(bar) if bar.get().is_some() || self.start.elapsed() > PATIENCE => {
                bar.get_or_init(|| self.bar()).set_position(done);
            }
            Audience::Program(last) => {
                // Who finds another thread at it leaves it to that one.
                if let Ok(mut last) = last.try_lock()
                    && last.elapsed() > INTERVAL
                {
                    *last = Instant::now();
                    self.print_json(false);
                }
            }
            Audience::Person(_) | Audience::Nobody => {}
        }
    }
}

impl Drop for Meter {
    /// Takes the bar away, also before the message of a failure.
    fn drop(&mut self) {
        if let Audience::Person(bar) = &self.audience
            && let Some(bar) = bar.get()
        {
            bar.finish_and_clear();
        }
    }
}
