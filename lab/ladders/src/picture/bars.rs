//! Steps as horizontal bars: a picture for a file of its own.

use super::{Column, Picture, px, times};
use crate::report::{StepReport, WorkloadReport};

/// The steps of a workload, with a bar for each as long as its number says.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The heading.
    pub title: String,
    /// The name of each step, its figures, and true for steps of the library.
    pub rows: Vec<(String, Option<Column>, bool)>,
    /// The speed that nothing passes.
    pub floor: Option<f64>,
}

/// The width of the picture, the room for names and for numbers, and the height of a row.
const WIDTH: f64 = 620.0;
const NAMES: f64 = 222.0;
const NUMBERS: f64 = 62.0;
const ROW: f64 = 24.0;

impl Bars {
    /// Returns the bars of a workload.
    #[must_use]
    pub fn of(title: &str, workload: &WorkloadReport) -> Self {
        let first = workload.steps.first().and_then(|step| step.cpb).map(|cycles| cycles.median);
        let row = |step: &StepReport| {
            (step.name.clone(), Column::of(step, first), step.name.starts_with("library"))
        };
        Self {
            title: title.into(),
            rows: workload.steps.iter().map(row).collect(),
            floor: workload.floor_cpb.zip(first).map(|(floor, first)| first / floor),
        }
    }

    /// Returns the length of a bar in pixels.
    #[must_use]
    pub fn length(&self, times: f64) -> f64 {
        let known = self.rows.iter().filter_map(|(_, column, _)| Some((*column)?.times));
        (WIDTH - NAMES - NUMBERS) * times / known.chain(self.floor).fold(1.0, f64::max)
    }

    /// Draws the bars.
    #[must_use]
    pub fn drawn(&self) -> Picture {
        let mut picture = Picture { width: WIDTH, ..Picture::default() };
        picture.heading(&self.title, "times as fast as the first step");
        let mut y = 24.0;
        for (name, column, is_ours) in &self.rows {
            let middle = y + ROW / 2.0;
            picture.text((NAMES - 8.0, middle + 4.0), name, if *is_ours { "b e" } else { "e" }, 12.0);
            if let Some(column) = column {
                self.bar(&mut picture, y, column, *is_ours);
            } else {
                picture.text((NAMES, middle + 4.0), "not measured", "s", 12.0);
            }
            y += ROW;
        }
        if let Some(floor) = self.floor {
            let (x, middle) = (NAMES + self.length(floor), y + ROW / 2.0);
            picture.text((NAMES - 8.0, middle + 4.0), "floor", "f e", 12.0);
            picture.line((NAMES, middle), (x, middle), "least");
            picture.text((WIDTH, middle + 4.0), &times(floor), "f e", 12.0);
            y += ROW;
        }
        picture.line((NAMES, 22.0), (NAMES, y), "axis");
        picture.height = y + 2.0;
        picture
    }

    fn bar(&self, picture: &mut Picture, y: f64, column: &Column, is_ours: bool) {
        let class = match () {
            () if column.noisy => "hollow",
            () if is_ours => "a",
            () => "seen",
        };
        picture.rect((NAMES, y + 4.0), (self.length(column.times), ROW - 8.0), class);
        let middle = y + ROW / 2.0;
        if let Some((low, high)) = column.quartiles {
            let [low, high] = [low, high].map(|times| NAMES + self.length(times).min(WIDTH - NAMES));
            let [low, high, above] = [low, high, middle - 4.0].map(px);
            picture.path(
                &format!("M{low} {above}v8M{high} {above}v8M{low} {}H{high}", px(middle)),
                "class=\"whisker\"",
            );
        }
        let (class, mark) = if column.noisy { ("w b e", "? ") } else { ("b e", "") };
        picture.text((WIDTH, middle + 4.0), &format!("{mark}{}", times(column.times)), class, 12.0);
    }
}
