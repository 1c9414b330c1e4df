//! The page of a ladder, in sections: what is in the book is on the page of a run, too.

use std::fmt::Write as _;

use super::cards::Cards;
use super::text::{PageError, REPOSITORY, about_machine, between, prose};
use super::{live, rows};
use crate::picture::{Chain, Fill, Lanes, Layout, Picture, Roof, Stage, escaped, times};
use crate::report::{LadderReport, LaddersReport, StepReport, WorkloadReport};
use crate::source::Listing;
use crate::story::{self, Article, Story};
use crate::table::number;

/// A part of a page, below a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The level of the heading, 1 or 2.
    pub level: usize,
    /// The name that links have for it.
    pub id: String,
    /// The heading.
    pub title: String,
    /// HTML without an empty line, as documents in Markdown can hold it.
    pub html: String,
}

/// The number of noisy steps, from which on the page says that the machine was busy.
const BUSY: usize = 3;

/// Returns the sections of the page of a ladder; the first has the title.
///
/// # Errors
/// If a listing or a figure of a text is not there, or if a step has no words.
pub fn sections(run: &LaddersReport, ladder: &LadderReport) -> Result<Vec<Section>, PageError> {
    let story = story::by_name(&ladder.name)
        .ok_or_else(|| PageError::Words(format!("the ladder '{}'", ladder.name)))?;
    let workload = ladder
        .workloads
        .iter()
        .find(|workload| workload.name == story.workload)
        .ok_or_else(|| PageError::Words(format!("a report without '{}'", story.workload)))?;
    let told = workload.steps.iter().zip(story.steps).all(|(step, words)| step.name == words.name);
    if !told || workload.steps.len() < story.steps.len() {
        return Err(PageError::Words(format!("the steps of '{}'", workload.name)));
    }
    let cards = Cards::new(story, ladder, workload);
    let mut sections = vec![(story.title, opening(run, ladder, story, workload)?)];
    sections.push(("Three ideas", ideas(story)));
    if let Some(article) = &story.article {
        sections.push(("Then and now", then_and_now(article, run, ladder, workload)?));
    }
    let floor = if workload.floor_cpb.is_some() {
        " The floor is the limit: what the instructions alone would take, if nothing ever waited."
    } else {
        ""
    };
    let way = format!(
        "<p class=\"soft\">{}: how many times as fast as the first step each step is. A bar is as long as its number, from 0; \
         figures are medians. On the cards, c/B are CPU cycles for a byte.{floor} Steps on a line that branches off are a dead end: no later step builds on them.</p>\n{}{}{}",
        escaped(&workload.name),
        rows::with_branches(story, workload),
        live::part(ladder, workload)?,
        cards.ground()
    );
    sections.push(("The ladder", way));
    let mut first = 0;
    for part in story.parts {
        sections.push((part.title, cards.of_part(part, first)?));
        first += part.steps;
    }
    if workload.steps.len() > story.steps.len() {
        sections.push(("On other devices", cards.of_others()?));
    }
    sections.push(("How much is left", bound(ladder, story, workload)?));
    sections.push(("Other lengths", others(ladder, workload)));
    let lessons =
        story.lessons.iter().map(|lesson| Ok(format!("<li>{}</li>\n", prose(lesson, ladder, workload)?)));
    let lessons: String = lessons.collect::<Result<_, PageError>>()?;
    let (name, path) = story.library;
    let library = format!("<p>The library's own code: <a href=\"{REPOSITORY}{path}\">{name}</a>.</p>\n");
    sections.push(("What to take from it", format!("<ul>\n{lessons}</ul>\n{library}")));
    sections.push(("All figures", figures(run, ladder)));
    let section = |(i, (title, html)): (usize, (&str, String))| Section {
        level: if i == 0 { 1 } else { 2 },
        id: if i == 0 { ladder.name.clone() } else { format!("{}-{}", ladder.name, id_of(title)) },
        title: title.into(),
        html,
    };
    Ok(sections.into_iter().enumerate().map(section).collect())
}

/// A name for links, from a heading.
fn id_of(title: &str) -> String {
    let letters = title.to_lowercase();
    let words = letters.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

fn opening(
    run: &LaddersReport,
    ladder: &LadderReport,
    story: &Story,
    workload: &WorkloadReport,
) -> Result<String, PageError> {
    let mut html = banner(run, workload);
    for paragraph in story.opening {
        let _ = writeln!(html, "<p>{}</p>", prose(paragraph, ladder, workload)?);
    }
    let listing = Listing::of(story.cipher)?;
    let (path, line) = listing.place.unwrap_or_default();
    let name = path.trim_start_matches("lab/ladders/src/ladders/");
    let _ = writeln!(
        html,
        "<figure><pre><code>{}</code></pre><figcaption><a href=\"{REPOSITORY}{path}#L{line}\">{name}</a></figcaption></figure>",
        listing.html(None)
    );
    Ok(html)
}

/// Returns the warnings about the run, if there are any.
fn banner(run: &LaddersReport, workload: &WorkloadReport) -> String {
    let is_noisy = |step: &&StepReport| step.cpb.is_some_and(|cycles| cycles.is_noisy());
    let noisy = workload.steps.iter().filter(is_noisy).count();
    let mut warnings = Vec::new();
    if noisy >= BUSY {
        warnings.push(format!(
            "<b>This machine was busy.</b> {noisy} of {} steps scatter by more than 10 %. Their bars are hollow: do not compare \
             them. Close what runs beside, and measure again.",
            workload.steps.len()
        ));
    } else if run.was_busy() {
        warnings.push(format!(
            "<b>Other programs wanted this CPU</b> when the run began: the load was {:.1} on {} threads. Take the figures with care.",
            run.load.unwrap_or_default(),
            run.machine.threads
        ));
    }
    if run.quick {
        warnings.push("Few samples were taken (<code>--quick</code>).".into());
    }
    warnings.into_iter().map(|warning| format!("<p class=\"banner warn\">{warning}</p>\n")).collect()
}

/// Two chains of a core that begins four instructions in a cycle.
const IDEA_OF_CHAINS: Chain = Chain {
    heading: "One chain",
    stages: &[
        Stage { label: "1", instructions: 1, latency: 2 },
        Stage { label: "2", instructions: 1, latency: 1 },
        Stage { label: "3", instructions: 1, latency: 2 },
    ],
    chains: 1,
    row: "chain",
    slots: 4,
    cycles: 14,
    skip: 0,
    note: "a box: an instruction begins",
};

fn ideas(story: &Story) -> String {
    let many = Chain { heading: "Six chains", chains: 6, skip: 10, note: "", ..IDEA_OF_CHAINS };
    let chains = Picture::stacked(&[IDEA_OF_CHAINS.drawn(), many.drawn()]);
    let half = Lanes {
        heading: "Every second lane",
        right: "half of the work",
        widest: 16,
        registers: &[("512 bits", 16, Fill::EverySecond)],
    };
    let full = Lanes {
        heading: "Every lane",
        right: "in the same time",
        registers: &[("512 bits", 16, Fill::All)],
        ..half
    };
    let lanes = Picture::stacked(&[half.drawn(), full.drawn()]);
    let layout = Layout {
        heading: "From memory to lanes",
        right: "sorted once",
        blocks: 6,
        words: &[("1st", "a"), ("2nd", "b")],
    }
    .drawn();
    let ideas = [
        (
            "A chain leaves room",
            "In every CPU cycle a core has several slots, each of which can begin an instruction whose inputs are there. In a \
             chain, an instruction needs the result of the one before, so one slot is taken at a time and the others stay empty \
             (pale boxes). Another chain takes empty slots, and until all are full neither gets slower. (The pictures of chains are a \
             model: it knows how long instructions take and how many can begin, and no loads.)",
            chains,
        ),
        (
            "A lane costs nothing",
            "A vector register is cut into lanes. One instruction computes in all of them, and takes as long if half of \
             them hold nothing. So it pays to fill every lane. (A wider register is another matter: some cores begin fewer \
             instructions a CPU cycle with their widest ones.)",
            lanes,
        ),
        (
            "Layout decides",
            "Memory has the words of one block side by side; lanes want the same word of many blocks. Sorting once on \
             the way in and once on the way out is cheap. Sorting in every round is not.",
            layout,
        ),
    ];
    let mut html = String::from("<div class=\"ideas\">\n");
    for (i, ((title, words, picture), here)) in ideas.into_iter().zip(story.ideas).enumerate() {
        let drawn = picture.inline(&format!("{}-idea-{i}", story.ladder), title, words);
        let here = between(&escaped(here), "`", "code");
        let _ = writeln!(html, "<div><h3>{title}</h3>{drawn}<p>{words} <b>Here:</b> {here}</p></div>");
    }
    html + "</div>\n"
}

fn then_and_now(
    article: &Article,
    run: &LaddersReport,
    ladder: &LadderReport,
    workload: &WorkloadReport,
) -> Result<String, PageError> {
    let design = run.machine.design().map_or(String::new(), |design| format!("{design}, "));
    let here = format!("{design}{}, {} threads", run.machine.cpu, run.machine.threads);
    let mut html = format!(
        "<div class=\"then\"><div><p><a href=\"{}\">{}</a><br><span class=\"soft\">{}, {}</span></p>\n<p>{}</p></div>\n",
        article.address,
        escaped(article.title),
        escaped(article.author),
        article.date,
        prose(article.about, ladder, workload)?
    );
    let _ = writeln!(
        html,
        "<table>\n<thead><tr><th></th><th>then</th><th>here</th></tr></thead>\n<tr><td>machine</td><td>{}</td><td>{}</td></tr>",
        escaped(article.machine),
        escaped(&here)
    );
    for (what, then, here) in article.rows {
        let here = prose(here, ladder, workload)?;
        let _ =
            writeln!(html, "<tr><td>{}</td><td>{}</td><td>{here}</td></tr>", escaped(what), escaped(then));
    }
    Ok(html + "</table></div>\n")
}

fn bound(ladder: &LadderReport, story: &Story, workload: &WorkloadReport) -> Result<String, PageError> {
    let mut html = String::from("<div class=\"two\"><div>\n");
    for paragraph in story.bound {
        let _ = writeln!(html, "<p>{}</p>", prose(paragraph, ladder, workload)?);
    }
    if !ladder.instructions.is_empty() {
        html += "<table>\n<thead><tr><th>instruction, probed here</th><th>CPU cycles until its result is there</th><th>begun in a CPU cycle</th></tr></thead>\n";
        for instruction in &ladder.instructions {
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td>{:.1}</td><td>{:.1}</td></tr>",
                escaped(&instruction.name),
                instruction.latency,
                instruction.per_cycle
            );
        }
        html += "</table>\n";
    }
    html += "</div><div class=\"pictures\">\n";
    if let Some(floor) = workload.floor_cpb {
        let steps: Vec<(String, f64)> =
            workload.steps.iter().filter_map(|step| Some((step.name.clone(), step.cpb?.median))).collect();
        let words = format!("CPU cycles per byte of each step, and the floor of {}.", number(floor));
        let roof = Roof { steps: &steps, floor }.drawn();
        html += &roof.inline(&format!("{}-roof", story.ladder), "All steps and the floor", &words);
    }
    Ok(html + "</div></div>\n")
}

/// Returns the rows of all other workloads.
fn others(ladder: &LadderReport, shown: &WorkloadReport) -> String {
    let others = ladder.workloads.iter().filter(|workload| workload.name != shown.name);
    others
        .map(|workload| format!("<h3>{}</h3>\n{}", escaped(&workload.name), rows::plain(workload)))
        .collect()
}

/// Returns the tables of all workloads.
fn figures(run: &LaddersReport, ladder: &LadderReport) -> String {
    let mut html = format!(
        "<p>{}</p>\n<p class=\"soft\">{} Core cycles for a byte. The steps take turns, sample by sample, and every output is compared \
         with the reference. <code>abreast-bench ladder {} --html FILE</code> makes this page for your machine.</p>\n",
        about_machine(&run.machine, run.quick),
        escaped(&ladder.about),
        ladder.name
    );
    for workload in &ladder.workloads {
        let _ = write!(
            html,
            "<details><summary>{}</summary><div class=\"scroll\"><table>\n<thead><tr><th>step</th><th>median</th><th>quartiles</th>\
             <th>fastest</th><th>99 %</th><th>slowest</th><th>times</th><th>article</th></tr></thead>\n",
            escaped(&workload.name)
        );
        for (step, factor) in workload.steps.iter().zip(workload.factors()) {
            let cell = |number: Option<f64>| number.map_or("–".into(), |number| format!("{number:.3}"));
            let of = |field: fn(&crate::sample::Summary) -> f64| cell(step.cpb.as_ref().map(field));
            let quartiles = step.cpb.and_then(|cycles| cycles.q1.zip(cycles.q3));
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&step.name),
                of(|cycles| cycles.median),
                quartiles.map_or("–".into(), |(low, high)| format!("{low:.3} to {high:.3}")),
                of(|cycles| cycles.min),
                cell(step.cpb.and_then(|cycles| cycles.p99)),
                of(|cycles| cycles.max),
                factor.map_or("–".into(), times),
                step.then.map_or("–".into(), times)
            );
        }
        html += "</table></div></details>\n";
    }
    html
}
