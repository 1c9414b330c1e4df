//! Vectors and the data in them: lanes, words in memory, and the registers of an instruction set.

use super::{BLOCKS, Picture, WIDTH, px};

/// The contents of the lanes of a register.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// Blocks 1, 2, 3 and so on, one in each lane.
    All,
    /// Blocks 1, 2, 3 and so on in every second lane; nothing in the others.
    EverySecond,
    /// Blocks in the first lanes, by their number, and nothing in the others.
    First(usize),
    /// Block 1 everywhere.
    Same,
}

impl Fill {
    /// Returns the block of a lane, counted from 0.
    fn block(self, lane: usize) -> Option<usize> {
        match self {
            Self::All => Some(lane),
            Self::EverySecond => lane.is_multiple_of(2).then_some(lane / 2),
            Self::First(blocks) => (lane < blocks).then_some(lane),
            Self::Same => Some(0),
        }
    }
}

/// Registers as cells, one for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// The heading.
    pub heading: &'static str,
    /// Words at its right.
    pub right: &'static str,
    /// The lanes of the widest register that this one is to be compared with.
    pub widest: usize,
    /// The registers: the name, the lanes, and what is in them.
    pub registers: &'static [(&'static str, usize, Fill)],
}

/// The height of a cell.
const CELL: f64 = 22.0;

impl Lanes {
    /// Draws the registers.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let mut picture = Picture::new();
        picture.heading(self.heading, self.right);
        let names = 52.0;
        let cell = (WIDTH - names) / self.widest as f64;
        let mut y = 21.0;
        for (name, lanes, fill) in self.registers {
            picture.text((0.0, y + 15.0), name, "s", 11.0);
            for lane in 0..*lanes {
                let x = names + lane as f64 * cell;
                let block = fill.block(lane);
                let class = block.map_or("empty", |block| BLOCKS[block % 8]);
                picture.rect((x + 0.5, y), (cell - 1.0, CELL), class);
                if let Some(block) = block {
                    picture.text((x + cell / 2.0, y + 15.0), &(block + 1).to_string(), "c", 11.0);
                }
            }
            y += CELL + 3.0;
        }
        picture.height = y;
        picture
    }
}

/// Blocks as they lie in memory, and their words apart.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The heading.
    pub heading: &'static str,
    /// Words at its right.
    pub right: &'static str,
    /// The number of blocks.
    pub blocks: usize,
    /// The words of a block: the name of a row, and the letter in its cells.
    pub words: &'static [(&'static str, &'static str)],
}

impl Layout {
    /// Draws the words in memory, in vectors, and the ways between.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let mut picture = Picture::new();
        picture.heading(self.heading, self.right);
        let names = 52.0;
        let count = self.words.len();
        let cell = (WIDTH - names) / (self.blocks * count) as f64;
        let (top, size) = (21.0, 24.0);
        let row = |word: usize| top + size + 38.0 + word as f64 * (size + 4.0);
        let places = (0..self.blocks).flat_map(|block| (0..count).map(move |word| (block, word)));
        let from = |block: usize, word: usize| names + (block * count + word) as f64 * cell;
        let to = |block: usize| names + (block * count) as f64 * cell;
        let wide = cell * count as f64;
        // The ways of the first words alone: the others are the same way, one row lower.
        for block in 0..self.blocks {
            let (x, end) = (from(block, 0) + cell / 2.0, to(block) + wide / 2.0);
            let (high, low) = (top + size, row(0));
            let [x, end, high, low, first, second] = [x, end, high, low, high + 20.0, low - 20.0].map(px);
            let way = format!("M{x} {high}C{x} {first} {end} {second} {end} {low}");
            picture.path(&way, &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", BLOCKS[block % 8]));
        }
        picture.text((0.0, top + 16.0), "memory", "s", 11.0);
        for (word, (name, _)) in self.words.iter().enumerate() {
            picture.text((0.0, row(word) + 16.0), name, "s", 11.0);
        }
        for (block, word) in places {
            let (x, end) = (from(block, word), to(block));
            let label = format!("{}{}", self.words[word].1, block + 1);
            let size_of_letters = if cell < 14.0 { 10.0 } else { 11.0 };
            picture.rect((x + 0.5, top), (cell - 1.0, size), BLOCKS[block % 8]);
            if cell >= 15.0 {
                picture.text((x + cell / 2.0, top + 16.0), &label, "c", size_of_letters);
            } else {
                picture.text((x + cell / 2.0, top + 16.0), self.words[word].1, "c", size_of_letters);
            }
            picture.rect((end + 0.5, row(word)), (wide - 1.0, size), BLOCKS[block % 8]);
            picture.text((end + wide / 2.0, row(word) + 16.0), &label, "c", 11.0);
        }
        picture.height = row(count - 1) + size + 2.0;
        picture
    }
}

/// Registers of one use.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The letters before the number of each.
    pub label: &'static str,
    /// Their number.
    pub count: usize,
    /// Their colour, among [`BLOCKS`].
    pub colour: usize,
}

/// The registers of an instruction set and what they hold. Those that are not there are in memory.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The heading.
    pub heading: &'static str,
    /// Words at its right.
    pub right: &'static str,
    /// The number of registers that there are.
    pub total: usize,
    /// The uses of them.
    pub held: &'static [Held],
}

impl Registers {
    /// Draws the registers, eight in a row.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let mut picture = Picture::new();
        picture.heading(self.heading, self.right);
        let (in_a_row, gap) = (8, 3.0);
        let cell = (WIDTH - gap * (in_a_row - 1) as f64) / in_a_row as f64;
        let held: Vec<(String, usize)> = self
            .held
            .iter()
            .flat_map(|held| (1..=held.count).map(|n| (format!("{}{n}", held.label), held.colour)))
            .collect();
        let mut y = 20.0;
        for i in 0..self.total.max(held.len()) {
            let column = if i < self.total { i % in_a_row } else { (i - self.total) % in_a_row };
            if i == self.total {
                y += CELL + gap;
                picture.text((0.0, y + 11.0), "no register left: in memory", "w", 11.0);
                y += 16.0;
            } else if i > 0 && column == 0 {
                y += CELL + gap;
            }
            let x = column as f64 * (cell + gap);
            match held.get(i) {
                Some((label, colour)) => {
                    picture.rect((x, y), (cell, CELL), BLOCKS[*colour]);
                    picture.text((x + cell / 2.0, y + 15.0), label, "c", 11.0);
                }
                None => {
                    picture.rect((x, y), (cell, CELL), "empty");
                    picture.text((x + cell / 2.0, y + 15.0), "free", "s m", 11.0);
                }
            }
        }
        picture.height = y + CELL + 2.0;
        picture
    }
}
