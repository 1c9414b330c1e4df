//! The words of the pages about ladders: all that is on a page beside figures, and the places of the listings.
//!
//! A figure in a text is a place that the report fills: see [`fill`]. So no figure is typed, and a page of another machine tells
//! its own.

mod aes;
mod aez;
mod packets;
mod rc4;
mod serpent;
mod xtea;

use crate::picture::{Chain, Lanes, Layout, Picture, Registers};
use crate::report::{LadderReport, StepReport, WorkloadReport};
use crate::source::Item;
use crate::table::{number, speed};

/// The words of the page of a ladder.
#[derive(Debug)]
pub struct Story {
    /// The name of the ladder.
    pub ladder: &'static str,
    /// The title of the page.
    pub title: &'static str,
    /// The workload that the page is about.
    pub workload: &'static str,
    /// The paragraphs at the beginning.
    pub opening: &'static [&'static str],
    /// The cipher itself, as the steps compute it.
    pub cipher: &'static [Item],
    /// A sentence for each of the three ideas: their meaning in this ladder.
    pub ideas: [&'static str; 3],
    /// The article behind the ladder.
    pub article: Option<Article>,
    /// The steps in groups.
    pub parts: &'static [Part],
    /// The steps of the workload, in their order.
    pub steps: &'static [StepStory],
    /// The paragraphs about what bounds the cipher.
    pub bound: &'static [&'static str],
    /// The sentences to take away.
    pub lessons: &'static [&'static str],
    /// The library's own code: its name and its path in the repository.
    pub library: (&'static str, &'static str),
}

/// A published article.
#[derive(Debug)]
pub struct Article {
    /// Its title.
    pub title: &'static str,
    /// Its author.
    pub author: &'static str,
    /// The day, as far as it is known.
    pub date: &'static str,
    /// Its address; empty where none is known.
    pub address: &'static str,
    /// The CPU and the compiler.
    pub machine: &'static str,
    /// A paragraph about it.
    pub about: &'static str,
    /// What was measured: its name, the article's figure, and the figure here.
    pub rows: &'static [(&'static str, &'static str, &'static str)],
}

/// Steps that belong together.
#[derive(Debug)]
pub struct Part {
    /// The heading.
    pub title: &'static str,
    /// A short name, for pictures.
    pub short: &'static str,
    /// A sentence or two.
    pub about: &'static str,
    /// The number of steps.
    pub steps: usize,
    /// True for a way that no later step goes on from.
    pub is_side_branch: bool,
}

/// The words for a step.
#[derive(Debug)]
pub struct StepStory {
    /// The name of the step.
    pub name: &'static str,
    /// The listing.
    pub items: &'static [Item],
    /// The step whose listing this one is compared with, if that is not the step before.
    pub against: Option<&'static str>,
    /// A question to guess before one sees the figure.
    pub question: Option<&'static str>,
    /// Diagrams, one below the other.
    pub diagrams: &'static [Diagram],
}

impl StepStory {
    /// A step with a listing alone.
    const fn new(name: &'static str, items: &'static [Item]) -> Self {
        Self { name, items, against: None, question: None, diagrams: &[] }
    }

    /// With a question.
    const fn asks(self, question: &'static str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// With diagrams.
    const fn shows(self, diagrams: &'static [Diagram]) -> Self {
        Self { diagrams, ..self }
    }

    /// With a listing that is compared with that of another step.
    const fn against(self, step: &'static str) -> Self {
        Self { against: Some(step), ..self }
    }
}

/// A diagram, as data.
#[derive(Clone, Copy, Debug)]
pub enum Diagram {
    /// Chains in time.
    Chain(Chain),
    /// Lanes of registers.
    Lanes(Lanes),
    /// Words in memory and apart.
    Layout(Layout),
    /// The registers of an instruction set.
    Registers(Registers),
}

impl Diagram {
    /// Draws it.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        match self {
            Self::Chain(chain) => chain.drawn(),
            Self::Lanes(lanes) => lanes.drawn(),
            Self::Layout(layout) => layout.drawn(),
            Self::Registers(registers) => registers.drawn(),
        }
    }

    /// Describes it for those who do not see it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Chain(chain) => format!(
                "{}: {} at a time on a core that begins {} instructions a cycle; {} percent of these slots are full.",
                chain.heading,
                chain.chains,
                chain.slots,
                chain.filled()
            ),
            Self::Lanes(lanes) => format!("{}: {}.", lanes.heading, lanes.right),
            Self::Layout(layout) => {
                format!("{}: the words of {} blocks, {}.", layout.heading, layout.blocks, layout.right)
            }
            Self::Registers(registers) => format!(
                "{}: {} of {} registers are held; {}.",
                registers.heading,
                registers.held.iter().map(|held| held.count).sum::<usize>(),
                registers.total,
                registers.right
            ),
        }
    }
}

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
