//! `book/src/dependencies.md`: a row for each crate that what is published or shipped depends on, and what the row says is so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::files;
use crate::outcome::{Outcome, Stop, none_of};
use crate::sbom;
use crate::source;
use crate::workspace::{Workspace, list, text};

const NOTES: &str = "book/src/dependencies.md";

/// The platform beside this one whose dependencies count.
const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// Shipped without being published as crates.
const SHIPPED: [&str; 2] = ["abreast-ossl-provider", "abreast-python"];

/// The facts of a row that can be looked up: all columns of the table except those in words.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    version: String,
    used_by: String,
    licence: String,
    has_unsafe: bool,
    build_script: bool,
    is_macro: bool,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |it| if it { "yes" } else { "no" };
        let Self { version, used_by, licence, .. } = self;
        let [has_unsafe, build_script, is_macro] =
            [self.has_unsafe, self.build_script, self.is_macro].map(yes);
        write!(f, "`{version} | {used_by} | {licence} | {has_unsafe} | {build_script} | {is_macro}`")
    }
}

/// Compares the rows with the crates.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let rows = files::read(NOTES)?;
    let facts = facts(&sbom::metadata(&[&workspace.host, WINDOWS])?, &workspace.published)?;
    let complaints = compare(&parsed(&rows)?, &facts);
    none_of(&complaints)
}

/// The direct dependencies of what is published or shipped, but for those on each other and of tests.
fn facts(metadata: &Value, published: &[String]) -> Result<BTreeMap<String, Facts>, Stop> {
    let packages: BTreeMap<_, _> = list(&metadata["packages"]).map(|it| (text(&it["id"]), it)).collect();
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let Some(package) = packages.get(&text(&node["id"])) else { continue };
        let name = text(&package["name"]);
        if !package["source"].is_null() || !(published.contains(&name) || SHIPPED.contains(&&*name)) {
            continue;
        }
        let product = |edge: &&Value| list(&edge["dep_kinds"]).any(|kind| kind["kind"] != "dev");
        for edge in list(&node["deps"]).filter(product) {
            let short = name.strip_prefix("abreast-").unwrap_or(&name);
            users.entry(text(&edge["pkg"])).or_default().insert(short.to_owned());
        }
    }
    let mut facts = BTreeMap::new();
    for (id, users) in users {
        let Some(package) = packages.get(&id).filter(|package| !package["source"].is_null()) else {
            continue;
        };
        let is = |kind: &str| {
            list(&package["targets"]).flat_map(|target| list(&target["kind"])).any(|it| it == kind)
        };
        let manifest = text(&package["manifest_path"]);
        let sources = Path::new(&manifest).with_file_name("src");
        facts.insert(
            text(&package["name"]),
            Facts {
                version: text(&package["version"]),
                used_by: users.into_iter().collect::<Vec<_>>().join(", "),
                licence: text(&package["license"]),
                has_unsafe: source::has_word(&sources, "unsafe")?,
                build_script: is("custom-build"),
                is_macro: is("proc-macro"),
            },
        );
    }
    if facts.is_empty() { Err(Stop::Failed("cargo names no dependency".to_owned())) } else { Ok(facts) }
}

/// The rows of the table.
fn parsed(document: &str) -> Result<BTreeMap<String, Facts>, Stop> {
    let rows = document.lines().filter(|line| line.starts_with("| ")).skip(1);
    let row = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, version, words, used_by, by, licence, has_unsafe, build_script, is_macro] = cells[..]
        else {
            return None;
        };
        let [has_unsafe, build_script, is_macro] = [has_unsafe, build_script, is_macro].map(|it| it == "yes");
        let (version, used_by, licence) = (version.to_owned(), used_by.to_owned(), licence.to_owned());
        let facts = Facts { version, used_by, licence, has_unsafe, build_script, is_macro };
        (!words.is_empty() && !by.is_empty()).then(|| (name.to_owned(), facts))
    };
    let row = |line| row(line).ok_or_else(|| Stop::Failed(format!("{NOTES}: nine cells are wanted: {line}")));
    rows.map(row).collect()
}

fn compare(rows: &BTreeMap<String, Facts>, facts: &BTreeMap<String, Facts>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, facts) in facts {
        match rows.get(name) {
            None => complaints.push(format!("{NOTES} has no row for {name} {}", facts.version)),
            Some(row) if row != facts => {
                complaints.push(format!("{NOTES}: the row of {name} has to say {facts}, and says {row}"));
            }
            Some(_) => {}
        }
    }
    let gone = rows.keys().filter(|name| !facts.contains_key(*name));
    complaints.extend(gone.map(|name| format!("{NOTES} has a row for {name}, on which nothing depends")));
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
| crate | version | what for | used by | published by | licence | unsafe | build script | macro |
|---|---|---|---|---|---|---|---|---|
| clap | 4.6.7 | The command line. | cli | clap | MIT | no | no | no |
";

    #[test]
    fn rows_and_crates_agree() {
        let rows = parsed(ROWS).unwrap();
        assert!(compare(&rows, &rows).is_empty());
        let other = parsed(&ROWS.replace("4.6.7", "4.7.0").replace("| no |", "| yes |")).unwrap();
        assert!(compare(&rows, &other)[0].contains("has to say `4.7.0 | cli | MIT | yes |"));
        assert_eq!(compare(&BTreeMap::new(), &rows), ["book/src/dependencies.md has no row for clap 4.6.7"]);
        assert!(compare(&rows, &BTreeMap::new())[0].contains("on which nothing depends"));
        assert!(parsed(&ROWS.replace("The command line.", "")).is_err());
    }
}
