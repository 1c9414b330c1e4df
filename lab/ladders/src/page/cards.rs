//! A card for each step: its code, its diagrams, its figures, and a question before them.

use std::fmt::Write as _;

use super::text::{PageError, REPOSITORY, prose};
use crate::picture::{Column, Columns, Picture, escaped, times};
use crate::report::{LadderReport, WorkloadReport};
use crate::source::Listing;
use crate::story::{Part, StepStory, Story};
use crate::table::{number, speed};

/// The cards of a page, and all that they share.
pub(super) struct Cards<'a> {
    story: &'a Story,
    ladder: &'a LadderReport,
    workload: &'a WorkloadReport,
    columns: Vec<Option<Column>>,
    parts: Vec<(&'a str, usize)>,
    floor: Option<f64>,
}

impl<'a> Cards<'a> {
    pub(super) fn new(story: &'a Story, ladder: &'a LadderReport, workload: &'a WorkloadReport) -> Self {
        let first = workload.steps.first().and_then(|step| step.cpb).map(|cycles| cycles.median);
        let mut parts: Vec<(&str, usize)> = story.parts.iter().map(|part| (part.short, part.steps)).collect();
        let known: usize = parts.iter().map(|part| part.1).sum();
        if workload.steps.len() > known {
            parts.push(("", workload.steps.len() - known));
        }
        Self {
            story,
            ladder,
            workload,
            columns: workload.steps.iter().map(|step| Column::of(step, first)).collect(),
            parts,
            floor: workload.floor_cpb.zip(first).map(|(floor, first)| first / floor),
        }
    }

    /// Returns the picture of all steps, which the cards draw theirs over.
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { steps: &self.columns, parts: &self.parts, floor: self.floor }
    }

    /// Returns the part of the page that no reader sees: the grey columns of all cards.
    pub(super) fn ground(&self) -> String {
        let ground = self.columns().ground().inline("ground", "", "");
        let body = ground.split_once("</desc>").map_or("", |(_, body)| body).replace("</svg>", "");
        format!(
            "<svg class=\"fig\" aria-hidden=\"true\" width=\"0\" height=\"0\" style=\"position:absolute\"><defs><g id=\"{}-ground\" class=\"fig\">{body}</g></defs></svg>\n",
            self.story.ladder
        )
    }

    /// Returns the cards of a part, whose first step has this number.
    pub(super) fn of_part(&self, part: &Part, first: usize) -> Result<String, PageError> {
        let mut html = format!("<p>{}</p>\n", prose(part.about, self.ladder, self.workload)?);
        for i in first..first + part.steps {
            html += &self.card(i, first)?;
        }
        Ok(html)
    }

    /// Returns the cards of steps that the story does not know: those that were added on a device.
    pub(super) fn of_others(&self) -> Result<String, PageError> {
        let first = self.story.steps.len();
        (first..self.workload.steps.len()).map(|i| self.card(i, first)).collect()
    }

    /// Returns a card.
    fn card(&self, i: usize, first_of_part: usize) -> Result<String, PageError> {
        let (step, words) = (&self.workload.steps[i], self.story.steps.get(i));
        let id = format!("{}-{}", self.story.ladder, i + 1);
        let mut html = format!(
            "<article class=\"card\" id=\"{id}\">\n<h3><span>{}</span>{}</h3>\n<div class=\"two\"><div>\n",
            i + 1,
            escaped(&step.name)
        );
        let change = escaped(&step.change);
        let listing = words.map_or(Ok(String::new()), |words| self.listing(words, i))?;
        html += &match words.and_then(|words| words.question) {
            Some(question) => format!(
                "<p class=\"question\"><b>Guess first.</b> {}</p>\n{listing}<p><b>{}</b> {change}</p>\n",
                escaped(question),
                self.verdict(i, first_of_part)
            ),
            None => format!("<p>{change}</p>\n{listing}"),
        };
        if let Some(more) = words.and_then(|words| words.more) {
            let _ = writeln!(html, "<p>{}</p>", prose(more, self.ladder, self.workload)?);
        }
        if let Some(differs) = &step.differs {
            let _ = writeln!(html, "<p class=\"soft\">Then and now: {}</p>", escaped(differs));
        }
        html += "</div><div class=\"pictures\">\n";
        for (n, diagram) in words.iter().flat_map(|words| words.diagrams).enumerate() {
            let drawn = diagram.drawn().inline(&format!("{id}-{n}"), &step.name, &diagram.words());
            html += &(drawn + "\n");
        }
        html += &self.facts(i, first_of_part);
        html += &self.bar(i, &id);
        Ok(html + "</div></div>\n</article>\n")
    }

    fn listing(&self, words: &StepStory, i: usize) -> Result<String, PageError> {
        let listing = Listing::of(words.items)?;
        let before = match words.against {
            Some(name) => self.story.steps.iter().find(|step| step.name == name),
            None => i.checked_sub(1).map(|before| &self.story.steps[before]),
        };
        let marks = match before {
            Some(before) => Some(listing.new_lines(&Listing::of(before.items)?)),
            None => None,
        };
        let note = match &marks {
            Some(Some(marks)) if marks.contains(&true) => "<b>▌</b> new in this step",
            Some(None) => "all of it is new",
            _ => "",
        };
        let marks = marks.flatten();
        let (path, line) = listing.place.unwrap_or_default();
        let name = path.trim_start_matches("lab/ladders/src/ladders/");
        let open = match words.alone {
            Some(alone) => format!(" · <a href=\"{}\">open in Compiler Explorer</a>", alone.link()?),
            None => String::new(),
        };
        Ok(format!(
            "<figure><pre><code>{}</code></pre><figcaption><span><a href=\"{REPOSITORY}{path}#L{line}\">{name}</a>{open}</span>\
             <span>{note}</span></figcaption></figure>\n",
            listing.html(marks.as_deref())
        ))
    }

    /// Returns the speed of a step relative to the one that it goes on from: the step before, or, where a part begins, the
    /// fastest of all before.
    fn gain(&self, i: usize, first_of_part: usize) -> Option<(f64, String)> {
        let this = self.columns[i]?;
        let mut before = (0..i).filter(|&before| self.columns[before].is_some());
        let speed = |i: usize| self.columns[i].map_or(0.0, |column| column.times);
        let (with, name) = if i == first_of_part && i > 0 {
            let best = before.max_by(|&a, &b| speed(a).total_cmp(&speed(b)))?;
            (best, format!("step {}, the best so far", best + 1))
        } else {
            (before.next_back()?, "the step before".into())
        };
        Some((this.times / speed(with), name))
    }

    /// Returns the answer to a question, by the figures alone.
    fn verdict(&self, i: usize, first_of_part: usize) -> String {
        if self.columns[i].is_none_or(|column| column.noisy) {
            return "This run cannot tell.".into();
        }
        let Some((gain, with)) = self.gain(i, first_of_part) else { return String::new() };
        let verdict = match gain {
            _ if gain > 1.05 => "Faster",
            _ if gain < 0.95 => "Slower",
            _ => "No change",
        };
        format!("{verdict}: {}.", compared(gain, &with))
    }

    fn facts(&self, i: usize, first_of_part: usize) -> String {
        let step = &self.workload.steps[i];
        let (Some(cycles), Some(column)) = (step.cpb, self.columns[i]) else {
            let why = step.missing.as_deref().unwrap_or("it was not measured");
            return format!("<p class=\"facts\">Not measured: {}.</p>\n", escaped(why));
        };
        let mut facts = vec![format!("{} c/B", number(cycles.median))];
        facts.extend(step.gbps.map(speed));
        facts.extend(self.gain(i, first_of_part).map(|(gain, with)| compared(gain, &with)));
        facts.extend(step.then.map(|then| format!("article: {}", times(then))));
        let facts: String = facts.iter().map(|fact| format!("<span>{fact}</span>")).collect();
        let class = if column.noisy { "facts unsteady" } else { "facts" };
        let mut html = format!("<p class=\"{class}\"><b>{}</b>{facts}</p>\n", times(column.times));
        if let Some(scatter) = cycles.scatter().filter(|_| column.noisy) {
            let _ = writeln!(
                html,
                "<p class=\"soft warn\">The samples scatter by {:.0} %: the median says little, and no bar is drawn.</p>",
                100.0 * scatter
            );
        }
        if step.dropped > 0 {
            let samples = if step.dropped == 1 { "sample was" } else { "samples were" };
            let _ = writeln!(
                html,
                "<p class=\"soft\">{} {samples} disturbed by other programs and left out.</p>",
                step.dropped
            );
        }
        html
    }

    /// Returns the columns with this step in front.
    fn bar(&self, i: usize, id: &str) -> String {
        let step: Picture = self.columns().step(i);
        let name = &self.workload.steps[i].name;
        let words = self.columns[i].map_or("not measured".into(), |column| times(column.times));
        let svg = step.inline(
            &format!("{id}-bar"),
            &format!("{name}: {words}"),
            "Columns of all steps from 0: how many times as fast as the first. This step is coloured.",
        );
        let ground = format!("</desc><use href=\"#{}-ground\"/>", self.story.ladder);
        svg.replacen("</desc>", &ground, 1) + "\n"
    }
}

/// A comparison in words, which are those for a loss where the step is much slower.
fn compared(gain: f64, with: &str) -> String {
    if gain < 0.6 {
        format!("{} as slow as {with}", times(1.0 / gain))
    } else {
        format!("{} as fast as {with}", times(gain))
    }
}
