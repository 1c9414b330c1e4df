//! Speeds of the steps of a ladder: columns on a linear axis that begins at 0, and dots on a logarithmic one.

use super::{Picture, WIDTH, px};
use crate::report::StepReport;

/// A step as a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The speed relative to the first step, by the medians.
    pub times: f64,
    /// The ends of the whisker, by the quartiles.
    pub quartiles: Option<(f64, f64)>,
    /// True if the samples scatter so much that no length would be true.
    pub noisy: bool,
}

impl Column {
    /// Returns the column of a step, from the median of the first step; `None` if either was not measured.
    #[must_use]
    pub fn of(step: &StepReport, first: Option<f64>) -> Option<Self> {
        let (cycles, first) = (step.cpb?, first?);
        let quartiles = cycles.q3.zip(cycles.q1).map(|(slow, fast)| (first / slow, first / fast));
        Some(Self { times: first / cycles.median, quartiles, noisy: cycles.is_noisy() })
    }
}

/// All steps of a workload as columns, with one axis for all cards of a page.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// The steps; `None` for one that was not measured.
    pub steps: &'a [Option<Column>],
    /// The name and the number of steps of each branch.
    pub parts: &'a [(&'a str, usize)],
    /// The speed that nothing passes.
    pub floor: Option<f64>,
}

/// The left end of the axis, its base line, and the height of the longest column.
const LEFT: f64 = 36.0;
const BASE: f64 = 150.0;
const HEIGHT: f64 = 128.0;

impl Columns<'_> {
    /// Returns the largest number of the axis and the distance of its marks, which are at most six.
    fn axis(&self) -> (f64, f64) {
        let steps = self.steps.iter().flatten().map(|step| step.times);
        let most = steps.chain(self.floor).fold(1.0, f64::max);
        let distances = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0];
        let every = distances.into_iter().find(|every| most / every <= 6.0).unwrap_or(5000.0);
        ((most / every).ceil() * every, every)
    }

    /// Returns the height of a column in pixels.
    #[must_use]
    pub fn height(&self, times: f64) -> f64 {
        HEIGHT * times / self.axis().0
    }

    /// Returns the left end and the width of a column.
    fn place(&self, i: usize) -> (f64, f64) {
        let pitch = (WIDTH - LEFT) / self.steps.len() as f64;
        (LEFT + pitch * (i as f64 + 0.19), pitch * 0.62)
    }

    /// Draws the axis and all columns in grey, for all cards.
    #[must_use]
    pub fn ground(&self) -> Picture {
        let mut picture = Picture::new();
        let (most, every) = self.axis();
        let marks = (most / every).round() as usize;
        for mark in 0..=marks {
            let times = mark as f64 * every;
            let y = BASE - self.height(times);
            picture.line((LEFT, y), (WIDTH, y), if mark == 0 { "axis" } else { "grid" });
            let words = if every < 1.0 { format!("{times:.1}×") } else { format!("{times:.0}×") };
            picture.text((LEFT - 4.0, y + 4.0), &words, "s e", 11.0);
        }
        for (i, step) in self.steps.iter().enumerate() {
            let (x, width) = self.place(i);
            let Some(step) = step else { continue };
            self.column(&mut picture, (x, width), step, if step.noisy { "hollow" } else { "rest" });
        }
        if let Some(floor) = self.floor {
            let y = BASE - self.height(floor);
            picture.line((LEFT, y), (WIDTH, y), "least");
            picture.text((LEFT + 4.0, y - 4.0), "floor", "f halo", 11.0);
        }
        self.braces(&mut picture);
        picture.height = BASE + 42.0;
        picture
    }

    fn column(&self, picture: &mut Picture, (x, width): (f64, f64), step: &Column, class: &str) {
        let height = self.height(step.times).max(1.0);
        picture.rect((x, BASE - height), (width, height), class);
    }

    /// Draws the names of the branches below their steps.
    fn braces(&self, picture: &mut Picture) {
        let pitch = (WIDTH - LEFT) / self.steps.len() as f64;
        let mut first = 0;
        for (name, count) in self.parts {
            let (left, right) =
                (LEFT + pitch * first as f64 + 2.0, LEFT + pitch * (first + count) as f64 - 2.0);
            let [a, b, y] = [left, right, BASE + 20.0].map(px);
            picture.path(&format!("M{a} {y}v4H{b}v-4"), "class=\"brace\"");
            picture.text(((left + right) / 2.0, BASE + 37.0), name, "s m", 11.0);
            first += count;
        }
    }

    /// Draws one step over the ground, with its number and its whisker.
    #[must_use]
    pub fn step(&self, i: usize) -> Picture {
        let mut picture = Picture::new();
        picture.height = BASE + 42.0;
        let (x, width) = self.place(i);
        let middle = x + width / 2.0;
        picture.text((middle, BASE + 14.0), &(i + 1).to_string(), "b m", 11.0);
        let Some(step) = &self.steps[i] else { return picture };
        if !step.noisy {
            self.column(&mut picture, (x, width), step, "a");
        }
        let mut top = self.height(step.times);
        if let Some((low, high)) = step.quartiles {
            let [low, high] = [low, high].map(|times| self.height(times).min(BASE - 14.0));
            top = top.max(high);
            let [x, low, high] = [middle, BASE - low, BASE - high].map(px);
            picture.path(&format!("M{x} {high}V{low}m-3 0h6M{x} {high}m-3 0h6"), "class=\"whisker\"");
        }
        let class = if step.noisy { "w b m halo" } else { "a b m halo" };
        let at = (middle.clamp(LEFT + 20.0, WIDTH - 28.0), BASE - top.min(BASE - 20.0) - 6.0);
        picture.text(at, &times(step.times), class, 14.0);
        picture
    }
}

/// A factor, with as many digits as it deserves.
#[must_use]
pub fn times(factor: f64) -> String {
    match factor {
        _ if factor >= 100.0 => format!("{factor:.0}×"),
        _ if factor >= 9.95 => format!("{factor:.1}×"),
        _ => format!("{factor:.2}×"),
    }
}

/// A dot for each step on a logarithmic axis of core cycles per byte, left of which nothing goes.
#[derive(Clone, Debug)]
pub struct Roof<'a> {
    /// The name of a step and its cycles per byte.
    pub steps: &'a [(String, f64)],
    /// The cycles per byte that nothing goes below.
    pub floor: f64,
}

impl Roof<'_> {
    /// Draws the dots.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let mut picture = Picture::new();
        let (names, figures, row) = (200.0, 42.0, 20.0);
        let most = self.steps.iter().map(|step| step.1).fold(self.floor, f64::max) * 1.1;
        let least = self.floor * 0.8;
        let at =
            |cycles: f64| names + (WIDTH - names - figures) * (cycles / least).ln() / (most / least).ln();
        let (top, bottom) = (26.0, 26.0 + row * self.steps.len() as f64);
        picture.text((at(self.floor) + 4.0, top - 10.0), "floor", "f b", 11.0);
        picture.text((WIDTH, top - 10.0), "c/B", "s e", 11.0);
        picture.line((at(self.floor), top - 18.0), (at(self.floor), bottom), "least");
        for power in -3..3 {
            let mark = 10_f64.powi(power);
            if mark > self.floor * 1.3 && mark < most {
                picture.line((at(mark), top - 4.0), (at(mark), bottom), "grid");
                picture.text((at(mark), bottom + 13.0), &format!("{mark}"), "s m", 11.0);
            }
        }
        for (i, (name, cycles)) in self.steps.iter().enumerate() {
            let y = top + row * (i as f64 + 0.5);
            picture.text((0.0, y + 4.0), name, "", 11.0);
            picture.path(
                &format!("M{} {}m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0", px(at(*cycles)), px(y)),
                "class=\"a\"",
            );
            picture.text((WIDTH, y + 4.0), &crate::table::number(*cycles), "e", 11.0);
        }
        picture.text((WIDTH, bottom + 29.0), "logarithmic: left is faster", "s e", 11.0);
        picture.height = bottom + 34.0;
        picture
    }
}
