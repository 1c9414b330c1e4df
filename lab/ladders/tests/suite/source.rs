//! Listings from sources: what is not there is an error, and marks tell what is new.

use abreast_lab::source::{Item, Listing, Source};
use abreast_lab::story;

const TEXT: &str = "\
#[inline(always)]
pub(super) fn first(x: u32) -> u32 {
    let y = x + 1;
    y
}

pub(super) fn second(x: u32) -> u32 {
    let y = x + 1;
    let z = 2 * y;
    let a = 1;
    z
}

impl A {
    fn third() {
        first(1);
    }
}

impl B {
    fn third() {
        second(1);
    }
}

const FOUR: u32 = 4;

fn steps() {
    step(
        \"a step\",
        \"A sentence that is longer than any name of a step can be, and \\
         goes on.\",
        third,
    );
}
";
const SOURCE: Source = Source { path: "a.rs", text: TEXT };

fn lines(item: Item) -> Vec<String> {
    item.lines().expect("it is there").lines
}

#[test]
fn items_are_found_or_refused() {
    assert_eq!(lines(Item::Whole(SOURCE, "first"))[1], "    let y = x + 1;");
    assert_eq!(Item::Whole(SOURCE, "second").lines().expect("it is there").first, 7);
    assert_eq!(lines(Item::Whole(SOURCE, "FOUR")), ["const FOUR: u32 = 4;"]);
    assert_eq!(lines(Item::Within(SOURCE, "impl B", "third"))[1], "    second(1);");
    let part = lines(Item::Part(SOURCE, "second", "let z", "let z"));
    assert_eq!(part, ["pub(super) fn second(x: u32) -> u32 {", "    ⋯", "    let z = 2 * y;", "    ⋯", "}"]);
    assert_eq!(
        lines(Item::Call(SOURCE, "a step")),
        ["step(", "    \"a step\",", "    ⋯", "    third,", ");"]
    );
    for (item, why) in [
        (Item::Whole(SOURCE, "fifth"), "'fifth' is there 0 times"),
        (Item::Whole(SOURCE, "fir"), "'fir' is there 0 times"),
        (Item::Whole(SOURCE, "third"), "'third' is there 0 times"),
        (Item::Within(SOURCE, "impl", "third"), "'impl' is there 2 times"),
        (Item::Within(SOURCE, "impl B", "fourth"), "'fourth' is not in that block"),
        (Item::Part(SOURCE, "second", "let", "z"), "'let' is there 3 times"),
        (Item::Part(SOURCE, "second", "let z", "let q"), "'let q' is not after 'let z'"),
        (Item::Call(SOURCE, "no step"), "'no step' is there 0 times"),
    ] {
        let error = item.lines().expect_err(why).to_string();
        assert!(error.starts_with("a.rs: ") && error.contains(why), "{error}");
    }
}

#[test]
fn new_lines_are_marked() {
    let listing = |name| Listing::of(&[Item::Whole(SOURCE, name)]).expect("it is there");
    let marks = listing("second").new_lines(&listing("first"));
    // The name of a function is no news.
    assert_eq!(marks, Some(vec![false, false, true, true, true, false]));
    let other = Listing::of(&[Item::Whole(SOURCE, "FOUR")]).expect("it is there");
    assert_eq!(listing("second").new_lines(&other), None, "all of it is new");
    let html = listing("second").html(Some(&[false, false, true, false, false, false]));
    assert_eq!(html.matches("class=\"l new\"").count(), 1);
    assert!(html.contains("-&gt; u32") && html.contains("<i class=\"i-k\">let</i> z = 2 * y;"));
}

/// The listing of each step of XTEA is of a function that the call names which makes the step.
#[test]
fn listings_are_of_the_code_that_is_measured() {
    let story = story::by_name("xtea").expect("a story");
    let ladder = include_str!("../../src/ladders/xtea/mod.rs");
    for step in &story.steps[..10] {
        let Some(Item::Whole(_, name) | Item::Part(_, name, ..)) = step.items.last() else {
            panic!("{} has no listing of a function", step.name);
        };
        let call = ladder.rsplit(&format!("\"{}\",", step.name)).next().unwrap_or_default();
        let call = call.split(",\n            ),").next().unwrap_or_default();
        assert!(call.contains(&format!("::{name}::<D")), "{} does not run {name}", step.name);
    }
}
