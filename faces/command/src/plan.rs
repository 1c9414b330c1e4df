//! `abreast plan`, and the plan by which `abreast seal` seals a share of a file.
//!
//! The file of a plan has two lines: the plan as the library writes it, and the time of modification of the file that it
//! is for.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::str::FromStr;

use abreast_sealed::{Limits, Plan, ReadAt};

use crate::args::PlanArgs;
use crate::failure::{Exit, Failure};
use crate::os::Facts as _;
use crate::outputs::Outputs;
use crate::source::Source;
use crate::target::{Replace, Target};

/// Error text for an input that no plan can be made of.
pub(crate) const ONLY_REGULAR: &str = "a plan is for a regular file given by name";

/// More bytes than the file of a plan has.
const MAX_LEN: u64 = 256;

/// The beginning of the second line.
const MODIFIED: &str = "modified=";

/// Runs the command.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::without_inputs();
    outputs.keep_input(&args.file, false);
    outputs.check_pipe(&args.output)?;
    let source = Source::open_regular(&args.file, ONLY_REGULAR)?;
    outputs.keep(source.metadata(), "is the input");
    let pinned = PinnedPlan::of_source(&source, limits(args.part_size))?;
    let mut target = Target::create(&args.output, Replace::by_force(args.force), &outputs)?;
    let written = target.write_all(pinned.to_string().as_bytes());
    written.map_err(|error| Failure::output(&args.output, &error))?;
    target.commit(&mut outputs)
}

/// Returns the limits for parts. The parts of files may be as small as the user likes.
fn limits(part_size: Option<usize>) -> Limits {
    match part_size {
        Some(size) => Limits { min_part: 0, preferred_part: size as u64, ..Limits::default() },
        None => Limits::default(),
    }
}

/// A plan and the file that it is for, which has its length and was last modified at that time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PinnedPlan {
    /// The plan.
    pub(crate) plan: Plan,
    /// Seconds since the beginning of 1970, which are negative before that.
    seconds: i64,
    /// Nanoseconds after that, fewer than 10^9.
    nanoseconds: u32,
}

impl fmt::Display for PinnedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PinnedPlan { plan, seconds, nanoseconds } = self;
        writeln!(f, "{plan}\n{MODIFIED}{seconds}.{nanoseconds:09}")
    }
}

/// Takes the one spelling that `Display` gives.
impl FromStr for PinnedPlan {
    type Err = String;

    fn from_str(text: &str) -> Result<PinnedPlan, String> {
        let (plan, rest) = text.split_once('\n').ok_or("not a plan of abreast plan")?;
        let plan = plan.parse().map_err(|error| format!("{error}"))?;
        let time = rest.strip_prefix(MODIFIED).and_then(|time| time.strip_suffix('\n')?.split_once('.'));
        let pinned = time.and_then(|(seconds, nanoseconds)| {
            Some(PinnedPlan { plan, seconds: seconds.parse().ok()?, nanoseconds: nanoseconds.parse().ok()? })
        });
        let pinned = pinned.filter(|pinned| pinned.nanoseconds < 1_000_000_000 && pinned.to_string() == text);
        pinned.ok_or_else(|| "the plan has no time of modification as abreast plan writes it".into())
    }
}

impl PinnedPlan {
    /// Plans a file.
    fn of_source(source: &Source, limits: Limits) -> Result<PinnedPlan, Failure> {
        let path = source.path();
        let no_length = || Failure::new(Exit::Usage, path, ONLY_REGULAR);
        let (file, len) = source.file().zip(source.len()).ok_or_else(no_length)?;
        // Files that the kernel makes up when they are read say that their length is 0.
        if file.read_at(&mut [0], len).map_err(|error| Failure::io(path, &error))? > 0 {
            return Err(Failure::new(
                Exit::Usage,
                path,
                "has more bytes than its length, which a plan needs",
            ));
        }
        let plan = Plan::new(len, limits).map_err(|error| Failure::sealed(path, Path::new("-"), &error))?;
        let (seconds, nanoseconds) = modified(source);
        Ok(PinnedPlan { plan, seconds, nanoseconds })
    }

    /// Reads the file of a plan, and has `outputs` keep it.
    pub(crate) fn read(path: &Path, outputs: &mut Outputs) -> Result<PinnedPlan, Failure> {
        let mut source = Source::open_regular(path, "a plan is a regular file given by name")?;
        outputs.keep(source.metadata(), "is the plan");
        let mut text = Vec::new();
        let read = source.reader().take(MAX_LEN).read_to_end(&mut text);
        read.map_err(|error| Failure::io(path, &error))?;
        let parsed = str::from_utf8(&text).map_err(|_| "not a plan of abreast plan".to_owned());
        parsed.and_then(str::parse).map_err(|cause| Failure::new(Exit::Usage, path, cause))
    }

    /// Refuses a file that is not as the one that was planned.
    pub(crate) fn check(&self, source: &Source) -> Result<(), Failure> {
        let len = source.len().unwrap_or_default();
        if len == self.plan.message_len() && modified(source) == (self.seconds, self.nanoseconds) {
            return Ok(());
        }
        let cause = "was changed since its plan was made, or is another file: make a new plan";
        Err(Failure::new(Exit::Io, source.path(), cause))
    }
}

/// When a file was last modified, in seconds and nanoseconds.
fn modified(source: &Source) -> (i64, u32) {
    let (seconds, nanoseconds) = source.metadata().modification();
    // Fewer than 10^9.
    (seconds, nanoseconds as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_as_text() {
        let plan = Plan::with_salt(20_000_000, Limits::default(), &[7; 24]).unwrap();
        for (seconds, nanoseconds) in
            [(0, 0), (1_732_431_234, 5), (-1, 999_999_999), (i64::MIN, 1), (i64::MAX, 0)]
        {
            let pinned = PinnedPlan { plan: plan.clone(), seconds, nanoseconds };
            let text = pinned.to_string();
            assert!((text.len() as u64) < MAX_LEN);
            assert_eq!(text.lines().next().unwrap().parse(), Ok(plan.clone()));
            assert_eq!(text.parse(), Ok(pinned));
            for cut in 0..text.len() {
                assert!(text[..cut].parse::<PinnedPlan>().is_err(), "{cut}");
            }
        }
        let good = PinnedPlan { plan, seconds: 12, nanoseconds: 345 }.to_string();
        assert!(good.ends_with("\nmodified=12.000000345\n"));
        for (from, to) in [
            ("=12.", "=+12."),
            ("=12.", "=012."),
            ("=12.", "=-0."),
            ("=12.", "=12,"),
            (".000", ".00"),
            (".000", ".0000"),
            (".000000345", ".4000000345"),
            ("345\n", "345\n\n"),
            ("345\n", "345\r\n"),
            ("345\n", "345 \n"),
            ("\nmod", "\n mod"),
            ("\nmod", "\r\nmod"),
        ] {
            assert!(good.replacen(from, to, 1).parse::<PinnedPlan>().is_err(), "{from:?} as {to:?}");
        }
    }

    /// The longest text that there is.
    #[test]
    fn the_longest_plan_is_read() {
        let limits = Limits { max_parts: 1 << 8, ..Limits::default() };
        let plan = Plan::with_salt((1 << 52) - 1, limits, &[7; 24]).unwrap();
        let text = PinnedPlan { plan, seconds: i64::MIN, nanoseconds: 0 }.to_string();
        assert!((text.len() as u64) < MAX_LEN);
    }
}
