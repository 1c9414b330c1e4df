//! The licences of all third-party crates in a product, as a file that is handed out with it.
//!
//! The crates are those that cargo compiles into the product for any platform that it is shipped for; each text is that
//! of the crate's own archive, because the copyright line is part of it. Where a crate may be used under one of several
//! licences, the shortest that keeps its author's name is taken (MIT first). The parser of licence expressions, and the
//! text for the crates whose archive has none, are those of the crate `spdx`. `cargo about` would compile four hundred
//! crates to find the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::sbom;
use crate::workspace::text;

/// The file that the install tree has and the command prints.
pub(crate) const TREE: &str = "faces/command/THIRD-PARTY.txt";

/// The notices: file, the product in words, and the packages whose crates are in it.
const NOTICES: [(&str, &str, &[&str]); 2] = [
    (
        TREE,
        "the command abreast, in libabreast and in the provider for OpenSSL",
        &["abreast-cli", "abreast-capi", "abreast-ossl-provider"],
    ),
    ("faces/python/THIRD-PARTY.txt", "the Python module abreast", &["abreast-python"]),
];

/// The platforms that products are shipped for; others need no crate besides.
const PLATFORMS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "aarch64-apple-darwin",
];

/// The accepted licences, the preferred one first, each with words that only its text has.
const LICENCES: [(&str, &str); 5] = [
    ("MIT", "permission is hereby granted, free of charge"),
    ("Apache-2.0", "apache license"),
    ("BSD-3-Clause", "redistribution and use in source and binary forms"),
    ("Unicode-3.0", "unicode license v3"),
    ("Zlib", "this software is provided 'as-is'"),
];

/// The part of every product that is no crate of its own.
const STANDARD_LIBRARY: (&str, &str) = ("the Rust standard library", "The Rust Project contributors");

/// Data in the command that is from no crate: its name, its licence, and the words that its author asks for.
const WORDS: (&str, &str, &str) = (
    "the large word list for passphrases",
    "CC-BY-3.0-US",
    "Copyright (c) 2016 Electronic Frontier Foundation, by Joseph Bonneau: https://www.eff.org/dice\n\nCreative Commons \
     Attribution 3.0 United States License: https://creativecommons.org/licenses/by/3.0/us/\nThe list is here without the \
     numbers of the dice.",
);

/// Fails if a file is not what the crates say.
pub(crate) fn check() -> Outcome {
    for (file, notices) in render_all()? {
        let committed = fs::read_to_string(file).unwrap_or_default();
        if committed != notices {
            return Err(Stop::Failed(format!("{file} is out of date: run `cargo xtask notices --write`")));
        }
    }
    Ok(())
}

/// Writes the files.
pub(crate) fn write() -> Outcome {
    for (file, notices) in render_all()? {
        files::write(file, notices)?;
    }
    Ok(())
}

fn render_all() -> Result<Vec<(&'static str, String)>, Stop> {
    let metadata = sbom::metadata(&PLATFORMS)?;
    let render = |(file, product, packages): (_, _, &[&str])| {
        let mut texts = Texts::default();
        let (name, authors) = STANDARD_LIBRARY;
        texts.add("MIT", standard_text("MIT", authors)?, name.to_owned());
        if packages.contains(&"abreast-cli") {
            let (name, licence, words) = WORDS;
            texts.add(licence, words.to_owned(), name.to_owned());
        }
        let mut crates = BTreeMap::new();
        for package in packages {
            crates.extend(sbom::compiled(&metadata, package)?);
        }
        for package in crates.values().filter(|package| !package["source"].is_null()) {
            texts.add_crate(package)?;
        }
        Ok((file, texts.render(product)))
    };
    NOTICES.into_iter().map(render).collect()
}

/// Licence texts, each once, with the parts that it is for.
#[derive(Default)]
struct Texts(BTreeMap<(String, String), BTreeSet<String>>);

impl Texts {
    fn add(&mut self, licence: &str, text: String, part: String) {
        self.0.entry((licence.to_owned(), text)).or_default().insert(part);
    }

    /// Adds the texts of one crate.
    fn add_crate(&mut self, package: &Value) -> Outcome {
        let part = format!("{} {}", text(&package["name"]), text(&package["version"]));
        let manifest = text(&package["manifest_path"]);
        let own = own_texts(Path::new(&manifest).parent().unwrap_or(Path::new(".")))?;
        for licence in chosen(&text(&package["license"])).map_err(|why| format!("{part}: {why}"))? {
            let mark = LICENCES.iter().find(|(name, _)| *name == licence).map_or("", |(_, mark)| mark);
            let found = own.iter().find(|own| folded(own).contains(mark)).cloned();
            let text = match found {
                Some(text) => text,
                None => standard_text(licence, &authors(package))?,
            };
            self.add(licence, text, part.clone());
        }
        Ok(())
    }

    /// Returns the file: an opening, then each text below the parts that it is for.
    fn render(&self, product: &str) -> String {
        let rule = "=".repeat(80);
        let mut file = format!(
            "Third-party software in {product},\nwith the licence of each part. abreast itself is under MIT or \
             Apache-2.0, at your choice.\n"
        );
        for ((licence, text), parts) in &self.0 {
            let parts: Vec<_> = parts.iter().map(String::as_str).collect();
            file.push_str(&format!("\n{rule}\n{licence}: {}\n\n{text}\n", parts.join(", ")));
        }
        file
    }
}

/// Picks the licences under which a crate is used: one of alternatives, all that hold together.
fn chosen(expression: &str) -> Result<Vec<&'static str>, String> {
    let parsed = Expression::parse_mode(expression, ParseMode::LAX)
        .map_err(|error| format!("{expression:?} is no licence expression: {error}"))?;
    let accepted: Vec<Licensee> =
        LICENCES.iter().filter_map(|(name, _)| Licensee::parse(name).ok()).collect();
    let wanted = parsed
        .minimized_requirements(accepted.iter())
        .map_err(|error| format!("{expression:?} asks for another licence than those accepted: {error}"))?;
    let name = |wanted: &LicenseReq| {
        let at = accepted.iter().position(|licensee| licensee.satisfies(wanted));
        at.map(|at| LICENCES[at].0).ok_or_else(|| format!("{wanted} is not among the accepted licences"))
    };
    wanted.iter().map(name).collect()
}

/// Returns the licence texts of a crate's folder, by name of the file.
fn own_texts(folder: &Path) -> Result<Vec<String>, Stop> {
    let failed = |error: std::io::Error| Stop::Failed(format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && ["LICEN", "COPYING", "COPYRIGHT"].iter().any(|word| name.contains(word)) {
            files.push(path);
        }
    }
    files.sort();
    // Ends of lines differ between archives whose texts are the same.
    let read = |path| Ok(tidy(&fs::read_to_string(path).map_err(failed)?));
    files.iter().map(read).collect()
}

/// Returns the text of a licence as SPDX has it, below the names of its holders.
fn standard_text(licence: &str, holders: &str) -> Result<String, Stop> {
    let id = spdx::license_id(licence).ok_or_else(|| format!("SPDX has no licence {licence}"))?;
    let placeholders = ["Copyright (c) <year> <copyright holders>", "Copyright (c) <year> <owner>."];
    let own = placeholders.iter().fold(id.text().to_owned(), |text, it| text.replace(it, ""));
    Ok(tidy(&format!("Copyright (c) {holders}\n\n{}", own.trim_start_matches("MIT License").trim_start())))
}

/// Returns the authors that a crate's manifest names, or the crate's name for them.
fn authors(package: &Value) -> String {
    let named: Vec<String> = crate::workspace::list(&package["authors"]).map(text).collect();
    let holders = format!("the authors of {}", text(&package["name"]));
    if named.is_empty() { holders } else { named.join(", ") }
}

/// Returns a text without spaces at the ends of lines and without empty lines around it.
fn tidy(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Returns a text in small letters with single spaces, for comparison.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_alternatives_and_all_that_hold_together_are_chosen() {
        assert_eq!(chosen("MIT OR Apache-2.0"), Ok(vec!["MIT"]));
        assert_eq!(chosen("Apache-2.0/MIT"), Ok(vec!["MIT"]));
        assert_eq!(chosen("Apache-2.0 OR GPL-2.0-only"), Ok(vec!["Apache-2.0"]));
        let mut both = chosen("(MIT OR Apache-2.0) AND Unicode-3.0").unwrap();
        both.sort_unstable();
        assert_eq!(both, ["MIT", "Unicode-3.0"]);
        assert!(chosen("GPL-3.0-only").unwrap_err().contains("GPL-3.0-only"));
        assert!(chosen("nonsense of its own").is_err());
    }

    #[test]
    fn a_crate_brings_its_own_text_and_else_the_standard_one() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str| {
            serde_json::json!({
                "name": name,
                "version": "1.0.0",
                "license": "MIT OR Apache-2.0",
                "authors": ["Ann Author"],
                "manifest_path": folder.path().join(name).join("Cargo.toml"),
            })
        };
        for name in ["with", "alike", "without"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let own = "Copyright Bob\r\n\r\nPermission is hereby granted, free of\r\ncharge, to all\r\n";
        fs::write(folder.path().join("with/LICENSE-MIT"), own).unwrap();
        fs::write(folder.path().join("alike/license.md"), own.replace('\r', "")).unwrap();
        let mut texts = Texts::default();
        for name in ["with", "alike", "without"] {
            texts.add_crate(&package(name)).unwrap();
        }
        let file = texts.render("a test");
        assert!(file.contains("MIT: alike 1.0.0, with 1.0.0\n\nCopyright Bob\n"), "{file}");
        assert!(file.contains("MIT: without 1.0.0\n\nCopyright (c) Ann Author\n"), "{file}");
    }
}
