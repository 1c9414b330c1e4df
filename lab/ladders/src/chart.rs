//! Curves as SVG, light and dark, for speeds over the length of messages or the number of threads.
//!
//! They have logarithmic axes, since short messages take a hundred times as many cycles per byte as long ones. No fonts are
//! measured: labels have as much room as
//! their longest text can take.

use std::fmt;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::BenchReport;
use crate::table::size;

const PAPER: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(36, 41, 47);
const FAINT: RGBColor = RGBColor(110, 119, 129);
const GRID: RGBColor = RGBColor(225, 228, 232);
/// Colours that colour-blind people tell apart, by Okabe and Ito.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The colours in place of those above where the reader's screen is dark; for a page that holds pictures.
pub const DARK_STYLE: &str = "@media (prefers-color-scheme: dark) {
svg [fill='#FFFFFF'] { fill: #0d1117 } svg [fill='#24292F'] { fill: #e6edf3 } svg [stroke='#24292F'] { stroke: #e6edf3 }
svg [fill='#6E7781'] { fill: #9198a1 } svg [stroke='#6E7781'] { stroke: #9198a1 }
svg [stroke='#E1E4E8'] { stroke: #30363d } svg [fill='#E1E4E8'] { fill: #30363d }
svg [fill='#0072B2'] { fill: #4aa3e0 } svg [stroke='#0072B2'] { stroke: #4aa3e0 }
}";

/// A picture that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawError(String);

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the picture cannot be drawn: {}", self.0)
    }
}

impl std::error::Error for DrawError {}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

/// The area that pictures are drawn in.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A logarithmic axis from one number to another, over pixels.
#[derive(Clone, Copy)]
struct Axis {
    numbers: (f64, f64),
    pixels: (i32, i32),
}

impl Axis {
    /// The pixel of a number, at the end of the axis if it lies beyond.
    fn at(&self, number: f64) -> i32 {
        let (low, high) = self.numbers;
        let (first, last) = self.pixels;
        let share = (number.clamp(low, high) / low).ln() / (high / low).ln();
        first + (f64::from(last - first) * share).round() as i32
    }

    /// The numbers to be named: 1, 2 and 5 times powers of ten, or powers of ten alone if these are many; and numbers
    /// between these where the axis is so short that it has one of them at most.
    fn marks(&self) -> Vec<f64> {
        let (low, high) = self.numbers;
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let marks = |factors: &[u32]| -> Vec<f64> {
            let of_power =
                |power| factors.iter().map(move |&factor| f64::from(factor) * 10_f64.powi(power - 1));
            let marks = powers.clone().flat_map(of_power);
            marks.filter(|mark| (low * 0.999..=high * 1.001).contains(mark)).collect()
        };
        if (high / low).log10() > 3.5 {
            return marks(&[10]);
        }
        let every = |step| (10..100).step_by(step).collect::<Vec<u32>>();
        let sets = [vec![10, 20, 50], every(10), every(5), every(1)].map(|factors| marks(&factors));
        sets.into_iter().find(|marks| marks.len() > 1).unwrap_or_default()
    }
}

/// A mark of an axis, without zeros that say nothing.
fn mark(x: f64) -> String {
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text of a size in pixels, at a place relative to its anchor.
fn text(
    area: &Area<'_>,
    words: &str,
    (at, size): ((i32, i32), f64),
    (horizontal, colour): (HPos, RGBColor),
) -> Result<(), DrawError> {
    // The backend divides sizes by 1.24, which is what a font of the system would make of them.
    let style = ("sans-serif", size * 1.24).into_font().color(&colour);
    let style = style.pos(Pos::new(horizontal, VPos::Center));
    area.draw(&Text::new(words.to_owned(), at, style))?;
    Ok(())
}

fn line(area: &Area<'_>, points: [(i32, i32); 2], colour: RGBColor, width: u32) -> Result<(), DrawError> {
    area.draw(&PathElement::new(points, colour.stroke_width(width)))?;
    Ok(())
}

/// A picture that follows the colours of the reader's screen, from one with the colours of paper.
fn with_style(svg: &str) -> String {
    match svg.split_once(">\n") {
        Some((open, rest)) => format!("{open}>\n<style>{DARK_STYLE}</style>\n{rest}"),
        None => svg.to_owned(),
    }
}

/// Pixels at the right of curves for their labels, at least; and for two letters of a label.
const LABELS: i32 = 130;
const TWO_LETTERS: i32 = 13;

/// The prefix of the label of a floor's curve, before the kernel.
const FLOOR_OF: &str = "floor, ";

/// The prefix of the names of work on several threads.
const ON_THREADS: &str = "threads-";

/// A curve: its label and its points, such as lengths in bytes and core cycles per byte.
pub type Curve = (String, Vec<(f64, f64)>);

/// The axes of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// Core cycles per byte over the length of a message.
    Lengths,
    /// 10^9 bytes per second over the number of threads.
    Threads,
}

/// A picture of a benchmark, which is not drawn yet.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The common heading of its curves.
    pub title: String,
    /// The curves.
    pub curves: Vec<Curve>,
    over: Over,
}

impl Picture {
    /// Draws it, with a title if there is to be one.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn drawn(&self, title: Option<&str>) -> Result<String, DrawError> {
        curves_over(title, &self.curves, self.over)
    }
}

/// The pictures of a benchmark. Each cipher and mode has one of its own, with a curve for each kernel and one for the floor
/// of the first of them that has a floor. Work on several threads shares one for each size, with a curve for each
/// cipher and mode at a kernel.
#[must_use]
pub fn of_bench(report: &BenchReport) -> Vec<Picture> {
    let mut pictures: Vec<Picture> = Vec::new();
    for row in &report.rows {
        let batch = row.batch.map_or(String::new(), |batch| format!(", {batch} a batch"));
        if let Some(threads) = row.threads {
            let title = format!("Threads: messages of {} bytes{batch}", row.size);
            let curves = curves_of(&mut pictures, title, Over::Threads);
            // The title says already that these are threads.
            let what = row.what.strip_prefix(ON_THREADS).unwrap_or(&row.what);
            entry(curves, format!("{what}, {}", row.kernel)).push((threads as f64, row.gbps));
            continue;
        }
        let curves = curves_of(&mut pictures, format!("{}{batch}", row.what), Over::Lengths);
        let size = row.size as f64;
        entry(curves, row.kernel.clone()).push((size, row.cpb));
        if let Some(floor) = row.floor_cpb {
            let label = format!("{FLOOR_OF}{}", row.kernel);
            if !curves.iter().any(|(known, _)| known.starts_with(FLOOR_OF) && *known != label) {
                entry(curves, label).push((size, floor));
            }
        }
    }
    pictures
}

/// The curves of the picture of a title, which is added if there is none.
fn curves_of(pictures: &mut Vec<Picture>, title: String, over: Over) -> &mut Vec<Curve> {
    let at = pictures.iter().position(|picture| picture.title == title).unwrap_or_else(|| {
        pictures.push(Picture { title, curves: Vec::new(), over });
        pictures.len() - 1
    });
    &mut pictures[at].curves
}

/// Returns the entry of a list under a name; adds an empty one if there is none.
fn entry<T: Default>(list: &mut Vec<(String, T)>, name: String) -> &mut T {
    let at = list.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
        list.push((name, T::default()));
        list.len() - 1
    });
    &mut list[at].1
}

/// Curves of core cycles per byte over the length of a message, each with its label at its end.
///
/// # Errors
/// If there is nothing to draw.
pub fn of_curves(title: Option<&str>, curves: &[Curve]) -> Result<String, DrawError> {
    curves_over(title, curves, Over::Lengths)
}

/// Curves, each with its label at its end.
fn curves_over(title: Option<&str>, curves: &[Curve], over: Over) -> Result<String, DrawError> {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (numbers, heights) = (range(|point| point.0), range(|point| point.1));
    if heights.1 <= 0.0 {
        return Err(DrawError("nothing was measured".into()));
    }
    let top = if title.is_some() { 44 } else { 12 };
    let (width, height) = (640, 356 + top);
    let longest = curves.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0) as i32;
    let x = Axis {
        numbers: (numbers.0 * 0.9, numbers.1 * 1.1),
        pixels: (60, width - LABELS.max(12 + TWO_LETTERS * longest / 2)),
    };
    let y = Axis { numbers: (heights.0 * 0.8, heights.1 * 1.25), pixels: (height - 52, top) };

    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
        area.fill(&PAPER)?;
        if let Some(title) = title {
            text(&area, title, ((16, 20), 16.0), (HPos::Left, INK))?;
        }
        for height in y.marks() {
            let at = y.at(height);
            line(&area, [(x.pixels.0, at), (x.pixels.1, at)], GRID, 1)?;
            text(&area, &mark(height), ((x.pixels.0 - 6, at), 11.0), (HPos::Right, FAINT))?;
        }
        let mut ticks: Vec<usize> = points().map(|point| point.0 as usize).collect();
        ticks.sort_unstable();
        ticks.dedup();
        for tick in ticks {
            let at = x.at(tick as f64);
            let words = if over == Over::Threads { tick.to_string() } else { size(tick) };
            line(&area, [(at, y.pixels.0), (at, y.pixels.0 + 5)], FAINT, 1)?;
            text(&area, &words, ((at, y.pixels.0 + 14), 11.0), (HPos::Center, FAINT))?;
        }
        let legend = match over {
            Over::Lengths => "core cycles per byte over bytes of a message (both logarithmic)",
            Over::Threads => "GB/s over the number of threads (both logarithmic)",
        };
        text(&area, legend, ((16, height - 14), 11.0), (HPos::Left, FAINT))?;
        let mut ends = Vec::new();
        let mut colours = COLOURS.into_iter().cycle();
        for (label, points) in curves {
            let is_floor = label.starts_with(FLOOR_OF);
            let colour = if is_floor { FAINT } else { colours.next().unwrap_or(INK) };
            let places: Vec<(i32, i32)> = points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
            area.draw(&PathElement::new(places.clone(), colour.stroke_width(if is_floor { 1 } else { 2 })))?;
            for place in places.iter().filter(|_| !is_floor) {
                area.draw(&Circle::new(*place, 3, colour.filled()))?;
            }
            if let Some(&(_, last)) = places.last() {
                ends.push((last, label, colour));
            }
        }
        for (at, label, colour) in apart(ends, 14) {
            text(&area, label, ((x.pixels.1 + 8, at), 12.0), (HPos::Left, colour))?;
        }
        area.present()?;
    }
    Ok(with_style(&svg))
}

/// Labels moved up and down until each has its own `room`.
fn apart<T>(mut labels: Vec<(i32, T, RGBColor)>, room: i32) -> Vec<(i32, T, RGBColor)> {
    labels.sort_by_key(|(at, ..)| *at);
    // From below, since many curves end near the bottom of the picture.
    let mut free = i32::MAX;
    for (at, ..) in labels.iter_mut().rev() {
        *at = (*at).min(free);
        free = *at - room;
    }
    labels
}
