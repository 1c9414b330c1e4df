//! Words of Rust code, with comments, strings and doc comments out of the way.

use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use crate::files;
use crate::outcome::Stop;
use crate::workspace::Package;

/// A keyword or identifier of the code proper.
#[derive(Debug, PartialEq)]
pub(crate) struct Word {
    /// The word as written.
    pub(crate) text: String,
    /// Line in the file, from 1.
    pub(crate) line: usize,
    /// Is it in test code: under `#[cfg(test)]`, or in a file of tests?
    pub(crate) test: bool,
    /// Is it the name of a macro that is called here, like the `env` of `env!`?
    pub(crate) called_as_macro: bool,
}

/// The Rust files of a package, in order.
pub(crate) fn files(package: &Package) -> Result<Vec<PathBuf>, Stop> {
    files_in(&package.folder)
}

/// Does a word stand in the code below a folder?
pub(crate) fn has_word(folder: &Path, word: &str) -> Result<bool, Stop> {
    for path in files_in(folder)? {
        if words(&path)?.iter().any(|it| it.text == word) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            // Fixtures are wrong on purpose, and `target` is not ours.
            if path.is_dir() && !path.ends_with("fixtures") && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The words of one file.
pub(crate) fn words(path: &Path) -> Result<Vec<Word>, Stop> {
    let source = files::read(path)?;
    let test = path.components().any(|part| {
        ["tests", "tests.rs", "benches", "examples"].iter().any(|name| part.as_os_str() == *name)
    });
    words_of(&source, test).map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))
}

/// The words of a source text; `test` says that all of it is test code.
pub(crate) fn words_of(source: &str, test: bool) -> Result<Vec<Word>, String> {
    let tokens: TokenStream = source.parse().map_err(|error| format!("not Rust: {error}"))?;
    let mut words = Vec::new();
    walk(tokens, test, &mut words);
    Ok(words)
}

fn walk(tokens: TokenStream, test: bool, words: &mut Vec<Word>) {
    let mut tokens = tokens.into_iter().peekable();
    // Set by `#[cfg(test)]`, until the end of the item it stands on.
    let mut test_item = false;
    let mut attribute = false;
    while let Some(token) = tokens.next() {
        let hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        match token {
            TokenTree::Ident(ident) => words.push(Word {
                text: ident.to_string(),
                line: ident.span().start().line,
                test: test || test_item,
                called_as_macro: matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!'),
            }),
            TokenTree::Group(group) => {
                let inner = group.stream();
                if attribute && inner.to_string().replace(' ', "").starts_with("cfg(test)") {
                    test_item = true;
                }
                walk(inner, test || test_item, words);
                if group.delimiter() == proc_macro2::Delimiter::Brace {
                    test_item = false;
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => test_item = false,
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        attribute = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, test: bool) -> Vec<String> {
        let words = words_of(source, false).expect("the source is Rust");
        words.into_iter().filter(|word| word.test == test).map(|word| word.text).collect()
    }

    #[test]
    fn comments_and_literals_hold_no_words() {
        let source =
            "/// unsafe\n/* unsafe /* unsafe */ */ fn f<'a>() { \"unsafe\"; r#\"unsafe\"#; 'u' } // unsafe";
        assert_eq!(texts(source, false), ["doc", "fn", "f", "a"]);
    }

    #[test]
    fn test_code_ends_with_its_item() {
        let source = "#[cfg(test)] mod t { fn a() {} } fn b() {} #[cfg(test)] use x; fn c() {}";
        assert_eq!(texts(source, false).join(" "), "fn b fn c");
        assert_eq!(texts(source, true).join(" "), "cfg test mod t fn a cfg test use x");
    }

    #[test]
    fn lines_and_macro_calls() {
        let words = words_of("env!(\"A\");\nenv::var(\"A\")", false).expect("the source is Rust");
        let env: Vec<_> = words.iter().filter(|word| word.text == "env").collect();
        assert_eq!([env[0].line, env[1].line], [1, 2]);
        assert!(env[0].called_as_macro && !env[1].called_as_macro);
    }
}
