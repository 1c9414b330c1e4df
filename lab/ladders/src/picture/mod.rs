//! Diagrams as SVG, drawn from data: what waits for what, how full a vector is, where data lies, who holds the registers, and
//! how fast the steps of a ladder are.
//!
//! A diagram is [`WIDTH`] pixels wide and never scaled, so that its text is as large on a phone as on a desk. Its colours are
//! variables of the page that it stands on. Labels are kept beside the drawing, so that tests can tell without a browser
//! that none leaves the picture or hides another.

mod bars;
mod chain;
mod columns;
mod machine;

pub use bars::Bars;
pub use chain::{Chain, Stage};
pub use columns::{Column, Columns, Roof, times};
pub use machine::{Fill, Held, Lanes, Layout, Registers};

use std::fmt::Write as _;

/// The width of every diagram: that of a phone, less its margins.
pub const WIDTH: f64 = 340.0;

/// The width of a letter relative to its size, in the widest of the usual fonts.
const LETTER: f64 = 0.6;

/// The colours of blocks, which carry dark letters on any paper.
pub const BLOCKS: [&str; 8] =
    ["#7cc4f0", "#f5b955", "#6fcfae", "#e59ac6", "#b9a6f0", "#f2906f", "#c7cc5a", "#a5b8ca"];

/// The colours of a page: the name of each, as it is in light and in dark.
pub const COLOURS: [(&str, &str, &str); 15] = [
    ("ink", "#1f2328", "#e6edf3"),
    ("soft", "#57606a", "#9da7b1"),
    ("line", "#d0d7de", "#3a424c"),
    ("paper", "#ffffff", "#0d1117"),
    ("seen", "#8c959f", "#6e7781"),
    ("rest", "#d3dae1", "#343c45"),
    ("accent", "#0969da", "#4493f8"),
    ("warn", "#9a4a00", "#f0a044"),
    ("floor", "#0b7a57", "#45c79b"),
    ("empty", "#f1f4f7", "#161c24"),
    ("code", "#f6f8fa", "#151b23"),
    ("mark", "#dcecff", "#14304f"),
    ("comment", "#59636e", "#9198a1"),
    ("string", "#116329", "#7ee2a0"),
    ("keyword", "#8a2f86", "#e09be6"),
];

/// Returns the variables of the colours.
pub(crate) fn colours(dark: bool) -> String {
    let pair =
        |(name, light, shade): &(&str, &str, &str)| format!("--{name}:{};", if dark { shade } else { light });
    COLOURS.iter().map(pair).collect()
}

/// The rules for the insides of diagrams, for a page that holds some.
pub const RULES: &str = "\
.fig text{fill:var(--ink);font-size:12px}.fig .s{fill:var(--soft)}.fig .b{font-weight:600}.fig .m{text-anchor:middle}\
.fig .e{text-anchor:end}.fig .c{fill:#14222f;text-anchor:middle}.fig .a{fill:var(--accent)}.fig .w{fill:var(--warn)}\
.fig .f{fill:var(--floor)}.fig .empty{fill:var(--empty);stroke:var(--line)}.fig .grid{stroke:var(--line)}\
.fig .axis{stroke:var(--soft)}.fig .seen{fill:var(--seen)}.fig .rest{fill:var(--rest)}\
.fig .whisker{stroke:var(--ink);stroke-width:1.3;fill:none}.fig .hollow{fill:var(--paper);stroke:var(--warn);stroke-dasharray:3 2}\
.fig .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}\
.fig .least{stroke:var(--floor);stroke-width:1.5;stroke-dasharray:4 3}.fig .brace{stroke:var(--soft);fill:none}\
.fig .veil{fill:var(--paper);opacity:0}\
@media (prefers-reduced-motion:no-preference){.fig .veil{opacity:.75;animation:passing 14s linear infinite}}\
@keyframes passing{0%,50%{transform:translateX(300px)}50.01%{transform:translateX(0)}100%{transform:translateX(300px)}}";

/// The place of a text, as far as it can be known without a font.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The words.
    pub words: String,
    /// Its left and right end.
    pub x: (f64, f64),
    /// Its upper and lower end.
    pub y: (f64, f64),
    /// The size of its letters, in pixels.
    pub size: f64,
}

/// A diagram.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Its width in pixels.
    pub width: f64,
    /// Its height in pixels.
    pub height: f64,
    /// Its texts.
    pub labels: Vec<Label>,
    body: String,
}

/// Text with the letters that HTML takes for its own written as entities.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A number of pixels, to a tenth.
fn px(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

impl Picture {
    /// Returns an empty picture of the usual width.
    #[must_use]
    pub fn new() -> Self {
        Self { width: WIDTH, ..Self::default() }
    }

    /// Adds a text, at the left end, the middle or the right end of its base line: by the class `m` or `e`.
    fn text(&mut self, (x, y): (f64, f64), words: &str, class: &str, size: f64) {
        let long = words.chars().count() as f64 * size * LETTER;
        let has = |wanted| class.split(' ').any(|class| class == wanted);
        let left = match () {
            () if has("m") || has("c") => x - long / 2.0,
            () if has("e") => x - long,
            () => x,
        };
        let (x_ends, y_ends) = ((left, left + long), (y - 0.75 * size, y + 0.2 * size));
        self.labels.push(Label { words: words.into(), x: x_ends, y: y_ends, size });
        let size = if size == 12.0 { String::new() } else { format!(" style=\"font-size:{size}px\"") };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ =
            write!(self.body, "<text x=\"{}\" y=\"{}\"{class}{size}>{}</text>", px(x), px(y), escaped(words));
    }

    /// Adds a box of a class, or of a colour, which begins with `#`.
    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        let paint = if class.starts_with('#') { "fill" } else { "class" };
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\" {paint}=\"{class}\"/>",
            px(x),
            px(y),
            px(width),
            px(height)
        );
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(px);
        let _ =
            write!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>");
    }

    fn path(&mut self, path: &str, attributes: &str) {
        let _ = write!(self.body, "<path d=\"{path}\" {attributes}/>");
    }

    /// Adds the heading of a diagram, and words at its right.
    fn heading(&mut self, heading: &str, right: &str) {
        self.text((0.0, 12.0), heading, "b", 12.0);
        if !right.is_empty() {
            self.text((self.width, 12.0), right, "s e", 12.0);
        }
    }

    /// Returns pictures one below the other.
    #[must_use]
    pub fn stacked(pictures: &[Self]) -> Self {
        let mut all = Self::new();
        for (i, picture) in pictures.iter().enumerate() {
            let top = if i == 0 { 0.0 } else { all.height + 16.0 };
            let _ = write!(all.body, "<g transform=\"translate(0 {})\">{}</g>", px(top), picture.body);
            let moved = |label: &Label| Label { y: (label.y.0 + top, label.y.1 + top), ..label.clone() };
            all.labels.extend(picture.labels.iter().map(moved));
            all.height = top + picture.height;
        }
        all
    }

    /// Returns the picture for a page that has the colours and the rules. The name tells its parts from those of other pictures
    /// of the page.
    #[must_use]
    pub fn inline(&self, name: &str, title: &str, words: &str) -> String {
        let size = format!("width=\"{}\" height=\"{}\"", px(self.width), px(self.height));
        format!(
            "<svg class=\"fig\" role=\"img\" aria-labelledby=\"{name}-t {name}-d\" viewBox=\"0 0 {} {}\" {size}>\
             <title id=\"{name}-t\">{}</title><desc id=\"{name}-d\">{}</desc>{}</svg>",
            px(self.width),
            px(self.height),
            escaped(title),
            escaped(words),
            self.body
        )
    }

    /// Returns the picture as a file of its own, with the colours of the reader's system.
    #[must_use]
    pub fn alone(&self, title: &str, words: &str) -> String {
        let margin = 12.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" role=\"img\" aria-labelledby=\"t d\" \
             viewBox=\"-{margin} -{margin} {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
             <title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n<style>svg{{{}font-family:system-ui,sans-serif}}{RULES}\
             @media (prefers-color-scheme:dark){{svg{{{}}}}}</style>\n\
             <rect x=\"-{margin}\" y=\"-{margin}\" width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n{}\n</svg>\n",
            escaped(title),
            escaped(words),
            colours(false),
            colours(true),
            self.body,
            width = px(self.width + 2.0 * margin),
            height = px(self.height + 2.0 * margin),
        )
    }
}
