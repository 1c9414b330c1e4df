//! Manual pages of libabreast, from the header: one for each function, struct and enum, and abreast(3) for what all of them have
//! in common.
//!
//! The header is parts with an empty line between them: a comment, and what it is about. Doxygen would make pages for files and
//! not for functions.

use std::path::Path;

use crate::files;
use crate::outcome::Outcome;

const HEADER: &str = "faces/c/include/abreast.h";

/// Writes the pages into a folder.
pub(crate) fn write(version: &str, folder: &Path) -> Outcome {
    let header = files::read(HEADER)?;
    files::make_folder(folder)?;
    for (name, page) in pages(&header, version) {
        let path = folder.join(format!("{name}.3"));
        files::write(&path, page)?;
    }
    Ok(())
}

/// Returns the pages of a header, by name.
fn pages(header: &str, version: &str) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut list = String::new();
    for part in header.split("\n\n").filter(|part| part.starts_with("//")) {
        let code: Vec<_> = part.lines().skip_while(|line| line.starts_with("//")).collect();
        let code = code.join("\n");
        let Some(name) = name_of(&code) else { continue };
        let text: Vec<_> = part.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
        let first = text.iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>().join(" ");
        let first = sentence(&first);
        list.push_str(&format!(".TP\n.BR {name} (3)\n{}\n", escaped(first)));
        let body = paragraphs(&text, false);
        pages.push((name.clone(), page(&name, version, first, &code, &body, "SEE ALSO\n.BR abreast (3)")));
    }
    let opening = header.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
    let body = paragraphs(&opening.collect::<Vec<_>>(), true);
    let first = "symmetric encryption of many blocks, messages and keys side by side";
    let synopsis = "cc program.c $(pkg-config --cflags --libs abreast)";
    let list = format!("FUNCTIONS, STRUCTS AND ENUMS\n{}", list.trim_end());
    pages.push(("abreast".to_owned(), page("abreast", version, first, synopsis, &body, &list)));
    pages
}

/// Returns the first sentence of a paragraph, or its part before a colon, without the sign at its end. A sentence ends before a space,
/// so that no number cuts it, and not after an abbreviation.
fn sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', ':', '?']).map(|(at, _)| (&text[..at], &text[at + 1..]));
    let mut ends = ends.filter(|(before, after)| {
        let abbreviated = ["i.e", "e.g", " etc"].iter().any(|it| before.ends_with(it));
        after.is_empty() || after.starts_with(' ') && !abbreviated
    });
    ends.next().map_or(text, |(before, _)| before)
}

/// Returns the name that a declaration declares: of a function, a struct or an enum.
fn name_of(code: &str) -> Option<String> {
    let head = code.split(['(', '{']).next().filter(|head| head.len() < code.len())?;
    let name = head.trim_end().rsplit([' ', '*']).next()?;
    name.starts_with("abreast_").then(|| name.to_owned())
}

fn page(name: &str, version: &str, first: &str, synopsis: &str, body: &str, end: &str) -> String {
    format!(
        ".TH {name} 3 \"\" \"abreast {version}\" \"abreast\"\n.SH NAME\n{name} \\- {}\n.SH SYNOPSIS\n.nf\n#include <abreast.h>\n\n\
         {}\n.fi\n.SH DESCRIPTION\n{body}.SH {end}\n",
        escaped(first),
        escaped(synopsis),
    )
}

/// Returns the paragraphs of a comment, with each argument on a line of its own; those of the opening below the word in capitals
/// that they begin with.
fn paragraphs(text: &[&str], opening: bool) -> String {
    let mut body = String::new();
    for lines in text.split(|line| line.is_empty()) {
        let first = lines.first().copied().unwrap_or_default();
        let word: String = first.chars().take_while(char::is_ascii_uppercase).collect();
        if opening && word.len() > 3 {
            body.push_str(&format!(".SS {word}\n"));
        } else if !body.is_empty() {
            body.push_str(".PP\n");
        }
        for line in lines {
            let word = line.split(':').next().unwrap_or_default();
            let argument =
                word.len() < line.len() && word.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
            body.push_str(&format!(
                "{}{}\n",
                if argument && *line != first { ".br\n" } else { "" },
                escaped(line)
            ));
        }
    }
    body
}

/// Returns a text with what troff would take for its own.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let line = |line: &str| {
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_the_next() {
        for (text, first) in [
            ("Waits 0.5 s, i.e. half a second. Then it ends.", "Waits 0.5 s, i.e. half a second"),
            ("Is it ready? True if so.", "Is it ready"),
            ("Has the arguments of another. done: a place.", "Has the arguments of another"),
            ("Frees a key: NULL is accepted.", "Frees a key"),
            ("Reads abreast.h, e.g. 1.2.3.", "Reads abreast.h, e.g. 1.2.3"),
            ("No sign", "No sign"),
        ] {
            assert_eq!(sentence(text), first);
        }
    }

    #[test]
    fn a_page_is_made_of_each_declaration() {
        let header = "// abreast: words.\n//\n// STATUS. More.\n\n#define X 1\n\n// Frees a key. It may be NULL.\n//\n// .dot\n// key: one.\nvoid \
                      abreast_free(int key);\n\n// A pair.\nstruct abreast_pair {\n  // One.\n  int a;\n};\n";
        let pages = pages(header, "1.2.3");
        let names: Vec<_> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["abreast_free", "abreast_pair", "abreast"]);
        let free = &pages[0].1;
        assert!(free.contains(".SH NAME\nabreast_free \\- Frees a key\n"), "{free}");
        assert!(
            free.contains("void abreast_free(int key);") && free.contains("\n\\&.dot\n.br\nkey: one.\n"),
            "{free}"
        );
        assert!(pages[1].1.contains("  // One.\n  int a;\n"), "{}", pages[1].1);
        assert!(
            pages[2].1.contains(".SS STATUS\nSTATUS. More.") && pages[2].1.contains(".BR abreast_pair (3)")
        );
    }
}
