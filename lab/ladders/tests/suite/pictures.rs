//! Diagrams: no text leaves its picture or hides another, and every colour can be read.

use abreast_lab::picture::{BLOCKS, COLOURS, Column, Columns, Picture, Roof};
use abreast_lab::story;

/// Checks the texts of a picture.
fn check(what: &str, picture: &Picture) {
    let labels = &picture.labels;
    for label in labels {
        let inside = label.x.0 >= -0.5
            && label.x.1 <= picture.width + 0.5
            && label.y.0 >= 0.0
            && label.y.1 <= picture.height;
        assert!(inside, "{what}: '{}' leaves the picture: {:?} {:?}", label.words, label.x, label.y);
        assert!(label.size >= 10.0, "{what}: '{}' is small", label.words);
    }
    for (i, one) in labels.iter().enumerate() {
        for other in &labels[i + 1..] {
            let apart = one.x.1 <= other.x.0 + 0.5
                || other.x.1 <= one.x.0 + 0.5
                || one.y.1 <= other.y.0 + 0.5
                || other.y.1 <= one.y.0 + 0.5;
            assert!(apart, "{what}: '{}' and '{}' overlap", one.words, other.words);
        }
    }
}

#[test]
fn texts_of_diagrams_stay_apart() {
    for story in story::ALL {
        for step in story.steps {
            for diagram in step.diagrams {
                check(&format!("{}: {}", story.ladder, step.name), &diagram.drawn());
                assert!(diagram.words().len() > 20);
            }
        }
        let parts: Vec<(&str, usize)> = story.parts.iter().map(|part| (part.short, part.steps)).collect();
        let steps: Vec<_> = (0..story.steps.len())
            .map(|i| Some(Column { times: 1.0 + 3.0 * i as f64, quartiles: None, noisy: false }))
            .collect();
        let columns = Columns { steps: &steps, parts: &parts, floor: Some(50.0) };
        check(story.ladder, &columns.ground());
        for (i, step) in steps.iter().enumerate() {
            check(story.ladder, &columns.step(i));
            let times = step.expect("it was measured").times;
            assert!((columns.height(times) - times * columns.height(1.0)).abs() < 1e-9);
        }
        let steps: Vec<(String, f64)> = story.steps.iter().map(|step| (step.name.to_owned(), 30.0)).collect();
        check(story.ladder, &Roof { steps: &steps, floor: 0.75 }.drawn());
    }
}

/// Returns the relative luminance of a colour (WCAG 2.1).
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits")) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn colours_can_be_read() {
    for dark in [false, true] {
        let colour = |wanted: &str| {
            let (_, light, shade) =
                COLOURS.into_iter().find(|(name, ..)| *name == wanted).expect("a colour of this name");
            if dark { shade } else { light }
        };
        for text in ["ink", "soft", "accent", "warn", "floor"] {
            assert!(contrast(colour(text), colour("paper")) >= 4.5, "{text}, dark: {dark}");
        }
        for text in ["ink", "comment", "string", "keyword"] {
            for paper in ["code", "mark"] {
                let contrast = contrast(colour(text), colour(paper));
                assert!(contrast >= 4.5, "{text} on {paper}, dark: {dark}: {contrast}");
            }
        }
        assert!(contrast(colour("seen"), colour("paper")) >= 3.0, "bars, dark: {dark}");
    }
    for block in BLOCKS {
        assert!(contrast("#14222f", block) >= 4.5, "{block}");
    }
}
