//! Chains in time: a row for each, and below them the slots of the core, which are full or empty.

use super::{BLOCKS, Picture, WIDTH};

/// A part of a chain, which waits for the part before it.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// A letter or two for it.
    pub label: &'static str,
    /// Its instructions, which do not wait for each other.
    pub instructions: usize,
    /// The cycles from its begin to that of the next part.
    pub latency: usize,
}

/// Chains that take turns on a core.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// The heading.
    pub heading: &'static str,
    /// The parts of a chain, over and over.
    pub stages: &'static [Stage],
    /// The chains that are under way together.
    pub chains: usize,
    /// The name of a row, before its number.
    pub row: &'static str,
    /// The instructions that begin in a cycle at most.
    pub slots: usize,
    /// The cycles that are drawn.
    pub cycles: usize,
    /// The cycles before them, after which all chains are under way.
    pub skip: usize,
    /// Words below the picture: the meaning of the labels.
    pub note: &'static str,
}

/// Instructions of a chain that begin in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Begun {
    cycle: usize,
    chain: usize,
    stage: usize,
    instructions: usize,
}

/// The room for names at the left.
const NAMES: f64 = 52.0;
/// The height of a slot.
const SLOT: f64 = 9.0;

impl Chain {
    /// Returns the order in which a core begins the instructions, if it prefers the chain that has waited longest.
    fn schedule(&self) -> Vec<Begun> {
        let mut ready = vec![0; self.chains];
        let mut stage = vec![0; self.chains];
        let mut left = vec![self.stages[0].instructions; self.chains];
        let mut begun = Vec::new();
        for cycle in 0..self.skip + self.cycles {
            let mut free = self.slots;
            let mut order: Vec<usize> = (0..self.chains).collect();
            order.sort_by_key(|&chain| (ready[chain], chain));
            for chain in order {
                let instructions = left[chain].min(free);
                if ready[chain] > cycle || instructions == 0 {
                    continue;
                }
                free -= instructions;
                left[chain] -= instructions;
                begun.push(Begun { cycle, chain, stage: stage[chain], instructions });
                if left[chain] == 0 {
                    ready[chain] = cycle + self.stages[stage[chain]].latency;
                    stage[chain] = (stage[chain] + 1) % self.stages.len();
                    left[chain] = self.stages[stage[chain]].instructions;
                }
            }
        }
        begun.retain(|begun| begun.cycle >= self.skip);
        begun.iter_mut().for_each(|begun| begun.cycle -= self.skip);
        begun
    }

    /// Returns the share of the slots that are full, in percent.
    #[must_use]
    pub fn filled(&self) -> u32 {
        let filled: usize = self.schedule().iter().map(|begun| begun.instructions).sum();
        (100.0 * filled as f64 / (self.slots * self.cycles) as f64).round() as u32
    }

    /// Draws the chains.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let begun = self.schedule();
        let mut picture = Picture::new();
        picture.heading(self.heading, &format!("{} % of slots full", self.filled()));
        let cell = (WIDTH - NAMES) / self.cycles as f64;
        let mut y = 22.0;
        let (row, labelled) = if self.chains > 2 { (12.0, false) } else { (17.0, true) };
        for chain in 0..self.chains {
            let name = format!("{} {}", self.row, chain + 1);
            picture.text((0.0, y + row - 3.0), &name, "s", 11.0);
            picture.line((NAMES, y + row / 2.0), (WIDTH, y + row / 2.0), "grid");
            for begun in begun.iter().filter(|begun| begun.chain == chain) {
                let x = NAMES + begun.cycle as f64 * cell;
                picture.rect((x + 0.5, y), (cell - 1.0, row - 1.0), BLOCKS[chain % 8]);
                if labelled {
                    let label = self.stages[begun.stage].label;
                    picture.text((x + cell / 2.0, y + 12.0), label, "c", 11.0);
                }
            }
            y += row + 2.0;
        }
        y = self.slots_drawn(&mut picture, &begun, y + 4.0);
        // A veil moves to the right and uncovers one cycle after the other, where motion is welcome.
        picture.rect((NAMES, 21.0), (WIDTH - NAMES, y - 20.0), "veil");
        picture.text((NAMES, y + 15.0), self.note, "s", 11.0);
        picture.text((WIDTH, y + 15.0), &format!("{} CPU cycles", self.cycles), "s e", 11.0);
        picture.height = y + 19.0;
        picture
    }

    /// Draws the slots of the core over time; returns their lower end.
    fn slots_drawn(&self, picture: &mut Picture, begun: &[Begun], y: f64) -> f64 {
        let cell = (WIDTH - NAMES) / self.cycles as f64;
        let height = self.slots as f64 * SLOT;
        picture.text((0.0, y + height / 2.0 + 4.0), "core", "s", 11.0);
        for cycle in 0..self.cycles {
            let here = begun.iter().filter(|begun| begun.cycle == cycle);
            let full: Vec<usize> =
                here.flat_map(|begun| std::iter::repeat_n(begun.chain, begun.instructions)).collect();
            for slot in 0..self.slots {
                let at = (NAMES + cycle as f64 * cell + 0.5, y + (self.slots - 1 - slot) as f64 * SLOT);
                let class = full.get(slot).map_or("empty", |chain| BLOCKS[chain % 8]);
                picture.rect(at, (cell - 1.0, SLOT - 1.2), class);
            }
        }
        picture.line((NAMES, y + height + 2.0), (WIDTH, y + height + 2.0), "axis");
        y + height + 2.0
    }
}
