//! Progress of the work, on standard error: a bar for people, lines of JSON for programs.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::args::TalkArgs;
use crate::files::entry::{Entry, EntryKind};
use crate::names;
use crate::os;
use crate::shown::{hide, shown};
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

/// The narrowest terminal, in columns, that has room for a name beside the bar and all figures.
const WIDE: u16 = 90;

/// The longest name that is shown whole beside a bar, in bytes, which are no fewer than columns. Of a longer
/// name, as many columns are shown.
const MAX_NAME: usize = 30;

/// The progress of a call.
pub(crate) struct Bar {
    style: Style,
    /// True if there is a terminal to show a bar on.
    person: bool,
    /// The number of files.
    files: usize,
    /// The bytes of all files, if they are known.
    total: Option<u64>,
    /// The files that are done or begun.
    begun: AtomicUsize,
    /// The bytes that are done.
    done: AtomicU64,
    /// When the work began.
    start: Instant,
}

/// The progress of one file of a call.
pub(crate) struct Meter<'a> {
    bar: &'a Bar,
    /// Its name, made safe for people.
    name: String,
    /// The length of the input, if it is known.
    total: Option<u64>,
    /// Bytes of the input that are done.
    done: AtomicU64,
    /// When a program was last told.
    told: Mutex<Instant>,
}

impl Bar {
    /// Starts to measure a call on these files.
    pub(crate) fn new(style: Style, talk: &TalkArgs, entries: &[Entry]) -> Bar {
        let lengths = entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::File(length) => Some(length),
            EntryKind::Folder | EntryKind::Link | EntryKind::End => None,
        });
        let mut bar = Bar::of_one(style, talk);
        bar.files = lengths.clone().count();
        bar.total = lengths.sum();
        bar
    }

    /// Starts to measure a call on one file, of which the length is known later.
    pub(crate) fn of_one(style: Style, talk: &TalkArgs) -> Bar {
        Bar {
            style,
            person: style == Style::Auto && !talk.quiet && io::stderr().is_terminal(),
            files: 1,
            total: None,
            begun: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    /// Starts to measure the work on a file.
    pub(crate) fn meter(&self, path: &Path, total: Option<u64>) -> Meter<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let name = match self.style {
            Style::Json => names::json_path("file", path.as_os_str()),
            Style::Auto | Style::None => names::escape(path.as_os_str()),
        };
        Meter { bar: self, name, total, done: AtomicU64::new(0), told: Mutex::new(self.start) }
    }

    /// Counts a file that is skipped.
    pub(crate) fn pass(&self, entry: &Entry) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        if let EntryKind::File(Some(length)) = entry.kind {
            self.done.fetch_add(length, Ordering::Relaxed);
        }
    }

    /// Shows the bar at a place, or moves it there.
    fn show(&self, meter: &Meter<'_>, done: u64) {
        let mut shown = shown();
        let bar = shown.get_or_insert_with(|| self.shape(meter));
        if self.files > 1 {
            bar.set_prefix(format!("{}/{} ", self.begun.load(Ordering::Relaxed), self.files));
            bar.set_message(meter.name.clone());
        }
        bar.set_position(done);
    }

    /// Returns the bar as it first shows.
    fn shape(&self, meter: &Meter<'_>) -> ProgressBar {
        let columns = os::columns();
        let total = if self.files > 1 { self.total } else { meter.total };
        let name = match columns {
            ..WIDE => "",
            _ if meter.name.len() > MAX_NAME || self.files > 1 => "{msg:30!} ",
            _ => "{msg} ",
        };
        let (bar, shape) = match total {
            Some(total) if columns < WIDE => {
                (ProgressBar::new(total), "{prefix}{wide_bar} {percent}% {speed} {left}".to_owned())
            }
            Some(total) => (
                ProgressBar::new(total),
                format!(
                    "{name}{{prefix}}{{wide_bar}} {{percent}}% of {{binary_total_bytes}}, {{speed}}, {{left}} left"
                ),
            ),
            None => (
                ProgressBar::new_spinner(),
                format!("{name}{{prefix}}{{spinner}} {{binary_bytes}}, {{speed}}"),
            ),
        };
        // Means since the beginning. The bar's own estimates begin when it first shows, with a jump.
        let style = ProgressStyle::with_template(&shape)
            .expect("the template is well-formed")
            .with_key("speed", |state: &ProgressState, f: &mut dyn fmt::Write| {
                let _ = write!(f, "{}/s", BinaryBytes(speed(state) as u64));
            })
            .with_key("left", |state: &ProgressState, f: &mut dyn fmt::Write| {
                let rest = state.len().unwrap_or(0).saturating_sub(state.pos());
                if state.pos() > 0 {
                    let left = Duration::from_secs_f64((rest as f64 / speed(state)).min(1e9));
                    let _ = write!(f, "{:#}", HumanDuration(left));
                }
            });
        bar.with_style(style).with_message(meter.name.clone()).with_elapsed(self.start.elapsed())
    }
}

impl Drop for Bar {
    /// Takes the bar away, also before the message of a failure.
    fn drop(&mut self) {
        hide();
    }
}

impl Meter<'_> {
    /// The work succeeded: the last line.
    pub(crate) fn finish(&self) {
        if self.bar.style == Style::Json {
            self.print_json(true);
        }
    }

    /// A line for a program.
    fn print_json(&self, finished: bool) {
        let total = self.total.map_or("null".into(), |total| total.to_string());
        let (file, done) = (&self.name, self.done.load(Ordering::Relaxed));
        let line = format!("{{{file},\"done\":{done},\"total\":{total},\"finished\":{finished}}}\n");
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// Bytes per second since the beginning.
fn speed(state: &ProgressState) -> f64 {
    state.pos() as f64 / state.elapsed().as_secs_f64().max(0.001)
}

impl Progress for Meter<'_> {
    fn advance(&self, bytes: u64) {
        let own = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let all = self.bar.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.bar.person && self.bar.start.elapsed() > PATIENCE {
            self.bar.show(self, if self.bar.files > 1 { all } else { own });
        }
        if self.bar.style == Style::Json
            // Who finds another thread at it leaves it to that one.
            && let Ok(mut told) = self.told.try_lock()
            && told.elapsed() > INTERVAL
        {
            *told = Instant::now();
            self.print_json(false);
        }
    }
}
