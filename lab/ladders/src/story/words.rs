//! The parts of a story: texts, the places of listings, and diagrams as data.

use crate::alone::Alone;
use crate::picture::{Chain, Lanes, Layout, Picture, Registers, Stage};
use crate::source::{Item, Source};

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
    /// The measurements: the name of each, the article's figure, and the figure here.
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
    /// A text at the end of the card, with figures.
    pub more: Option<&'static str>,
    /// Diagrams, one below the other.
    pub diagrams: &'static [Diagram],
    /// The step as a program, if it stands alone.
    pub alone: Option<Alone>,
}

impl StepStory {
    /// A step with a listing alone.
    pub(super) const fn new(name: &'static str, items: &'static [Item]) -> Self {
        Self { name, items, against: None, question: None, more: None, diagrams: &[], alone: None }
    }

    /// With a question.
    pub(super) const fn asks(self, question: &'static str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// With a text at the end.
    pub(super) const fn tells(self, more: &'static str) -> Self {
        Self { more: Some(more), ..self }
    }

    /// With diagrams.
    pub(super) const fn shows(self, diagrams: &'static [Diagram]) -> Self {
        Self { diagrams, ..self }
    }

    /// With a program that has the step alone: the files of its code, and the call of the function with these arguments.
    pub(super) const fn alone(
        self,
        sources: &'static [Source],
        arguments: &'static str,
        call: &'static str,
    ) -> Self {
        Self { alone: Some(Alone { sources, arguments, call }), ..self }
    }

    /// With a listing that is compared with that of another step.
    pub(super) const fn against(self, step: &'static str) -> Self {
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
                "{}: {} at a time on a core that begins {} instructions a CPU cycle; {} percent of these slots are full.",
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

/// AES rounds of one block, one after the other, of four cycles each.
pub(super) const AES_ROUNDS: Chain = Chain {
    heading: "One block",
    stages: &[Stage { label: "r", instructions: 1, latency: 4 }],
    chains: 1,
    row: "block",
    slots: 2,
    cycles: 16,
    skip: 0,
    note: "r: an AES round",
};
