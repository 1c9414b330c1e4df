//! The words of the pages about ladders: all that is on a page beside figures, and the places of the listings.
//!
//! A figure in a text is a place that the report fills: see [`fill`]. So no figure is typed, and a page of another machine tells
//! its own.

mod aes;
mod aez;
mod packets;
mod rc4;
mod serpent;
mod words;
mod xtea;

pub use words::{Article, Diagram, Part, StepStory, Story};

use crate::report::{LadderReport, StepReport, WorkloadReport};
use crate::table::{number, speed};

/// All stories, in the order of the ladders.
pub const ALL: [&Story; 6] =
    [&xtea::STORY, &rc4::STORY, &aez::STORY, &aes::STORY, &serpent::STORY, &packets::STORY];

/// Returns the story of a ladder.
#[must_use]
pub fn by_name(ladder: &str) -> Option<&'static Story> {
    ALL.into_iter().find(|story| story.ladder == ladder)
}

/// A place in a text that nothing can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlace(String);

impl std::fmt::Display for UnknownPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a text asks for '{}', which the ladder does not have", self.0)
    }
}

impl std::error::Error for UnknownPlace {}

/// Fills the places of a text. `{x:STEP}` is how many times as fast as the first step a step is, `{c:STEP}` its cycles per byte,
/// `{s:STEP}` its speed, `{f:STEP}` the share of the floor's speed in percent, and `{r:STEP|OTHER}` the speed of a step relative
/// to that of another. `WORKLOAD/STEP` is a step of another workload. A step that was not measured gives "?".
///
/// # Errors
/// A place with a step that the report does not have.
pub fn fill(text: &str, ladder: &LadderReport, workload: &str) -> Result<String, UnknownPlace> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, behind) = after.split_once('}').ok_or_else(|| UnknownPlace(after.into()))?;
        filled += before;
        filled += &figure(place, ladder, workload).ok_or_else(|| UnknownPlace(place.into()))?;
        rest = behind;
    }
    Ok(filled + rest)
}

/// Returns the figure of a place.
fn figure(place: &str, ladder: &LadderReport, workload: &str) -> Option<String> {
    let (kind, name) = place.split_once(':')?;
    let (name, other) = name.split_once('|').map_or((name, None), |(name, other)| (name, Some(other)));
    let (of, step) = find(name, ladder, workload)?;
    let first = of.steps.first()?;
    let cycles = |step: &StepReport| step.cpb.map(|cycles| cycles.median);
    let figure = match kind {
        "x" => ratio(cycles(first), cycles(step)),
        "r" => ratio(cycles(find(other?, ladder, workload)?.1), cycles(step)),
        "c" => cycles(step).map(number),
        "s" => step.gbps.map(speed),
        "f" => of.floor_cpb.zip(cycles(step)).map(|(floor, cycles)| format!("{:.0}", 100.0 * floor / cycles)),
        _ => return None,
    };
    Some(figure.unwrap_or_else(|| "?".into()))
}

fn ratio(slower: Option<f64>, faster: Option<f64>) -> Option<String> {
    slower.zip(faster).map(|(slower, faster)| crate::picture::times(slower / faster).replace('×', ""))
}

/// Returns a step and its workload by the name in a place.
fn find<'r>(
    name: &str,
    ladder: &'r LadderReport,
    workload: &str,
) -> Option<(&'r WorkloadReport, &'r StepReport)> {
    let (workload, step) = name.split_once('/').unwrap_or((workload, name));
    let workload = ladder.workloads.iter().find(|known| known.name == workload)?;
    Some((workload, workload.steps.iter().find(|known| known.name == step)?))
}
