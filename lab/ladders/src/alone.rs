//! Steps that stand alone: a program with the measured code of a step and all that it calls, and a link that opens it in
//! Compiler Explorer.
//!
//! The program is put together from the files of the ladder when the page is made: the items that the step names, those that
//! they name, and so on. What a file takes from the SIMD crate is written out.

use data_encoding::BASE64;
use serde_json::json;

use crate::source::{Source, SourceError, end_of_item, name_of};

/// A step as a program.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The files in which names are looked up, in this order.
    pub sources: &'static [Source],
    /// The arguments of the function that the program exports.
    pub arguments: &'static str,
    /// Its body: the call that is measured.
    pub call: &'static str,
}

/// Names that steps have from the SIMD crate, as far as a program can have them without it.
const SIMD: Source = Source {
    path: "abreast_simd",
    text: r#"
/// The ladder has this code compiled for each instruction set. Here an option of the compiler chooses one.
macro_rules! dispatch {
    ($level:expr, $isa:ident => $code:block) => { $code };
}

/// A number that stays in a general register of its own.
#[inline(always)]
fn scalar(mut x: u32) -> u32 {
    unsafe { std::arch::asm!("/* {0:e} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
    x
}
"#,
};

/// The compiler of the links: the steps need no feature that is not stable.
const COMPILER: &str = "nightly";

/// Its options: the release profile, for the vectors that most computers have.
const OPTIONS: &str = "--edition=2024 -Copt-level=3 -Ctarget-cpu=x86-64-v3";

/// The address at which Compiler Explorer takes a whole state.
pub const ADDRESS: &str = "https://godbolt.org/clientstate/";

/// An item of a file: its lines, with its attributes and sentences, and the names that it and its head have.
struct Found<'t> {
    file: usize,
    lines: &'t [&'t str],
    name: Option<&'t str>,
    head: String,
    is_wanted: bool,
}

impl Alone {
    /// Returns the text of the program.
    ///
    /// # Errors
    /// If a file has an item without an end, or no item of the step is found.
    pub fn program(&self) -> Result<String, SourceError> {
        let files: Vec<Source> = [SIMD].into_iter().chain(self.sources.iter().copied()).collect();
        let texts: Vec<Vec<&str>> = files.iter().map(|file| file.text.lines().collect()).collect();
        let mut program = Program::default();
        for (file, lines) in texts.iter().enumerate() {
            program.add(files[file], file, lines)?;
        }
        let entry =
            format!("#[unsafe(no_mangle)]\npub fn measured({}) {{\n    {}\n}}\n", self.arguments, self.call);
        if program.want(None, &entry) == 0 {
            return Err(SourceError::new(format!("no file has what '{}' names", self.call)));
        }
        let pieces = |of_simd: bool| -> String {
            let items = program.items.iter().filter(|item| item.is_wanted && (item.file == 0) == of_simd);
            items.map(|item| item.lines.join("\n") + "\n\n").collect()
        };
        // A macro stands before its use.
        let text = [program.of_std(), pieces(true), entry, "\n".into(), pieces(false)].concat();
        Ok(text.replace("pub(super) ", "pub ").trim_end().to_owned() + "\n")
    }

    /// Returns the link that opens the program.
    ///
    /// # Errors
    /// Like [`Alone::program`].
    pub fn link(&self) -> Result<String, SourceError> {
        let state = json!({
            "sessions": [{
                "id": 1,
                "language": "rust",
                "source": self.program()?,
                "compilers": [{ "id": COMPILER, "options": OPTIONS }],
            }],
        });
        let text = BASE64.encode(state.to_string().as_bytes());
        Ok(ADDRESS.to_owned() + &text.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"))
    }
}

/// The items of some files, and what each of the files imports.
#[derive(Default)]
struct Program<'t> {
    items: Vec<Found<'t>>,
    imports: Vec<(usize, &'t str)>,
}

impl<'t> Program<'t> {
    /// Takes a file apart.
    fn add(&mut self, source: Source, file: usize, lines: &'t [&'t str]) -> Result<(), SourceError> {
        let mut at = 0;
        while at < lines.len() {
            if lines[at].is_empty() || lines[at].starts_with("//!") {
                at += 1;
                continue;
            }
            let is_before = |line: &&&str| line.starts_with("//") || line.starts_with("#[");
            let head = at + lines[at..].iter().take_while(is_before).count();
            let Some(line) = lines.get(head) else { break };
            if line.starts_with("use ") {
                let more = lines[head..].iter().position(|line| line.ends_with(';')).unwrap_or(0);
                self.imports.extend(lines[head..=head + more].iter().map(|line| (file, *line)));
                at = head + more + 1;
                continue;
            }
            let end = end_of_item(source, lines, head)?;
            let opens = head + lines[head..=end].iter().position(|line| line.contains('{')).unwrap_or(0);
            self.items.push(Found {
                file,
                lines: &lines[at..=end],
                name: name_of(line),
                head: lines[head..=opens].join("\n"),
                is_wanted: false,
            });
            at = end + 1;
        }
        Ok(())
    }

    /// Returns the imports from the standard library of which an item needs a name.
    fn of_std(&self) -> String {
        let needed = |import: &str| {
            let words = || self.items.iter().filter(|item| item.is_wanted).flat_map(|item| item.lines);
            names(import).skip(2).any(|name| words().any(|line| names(line).any(|word| word == name)))
        };
        let imports = self.imports.iter().map(|import| import.1);
        let text: String = imports
            .filter(|import| import.starts_with("use std::") && needed(import))
            .map(|import| format!("{import}\n"))
            .collect();
        if text.is_empty() { text } else { text + "\n" }
    }

    /// Returns the item that a name means in a file: one of the file itself, or of another if the file imports it. The call
    /// of the step is in no file, and may name everything.
    fn named(&self, file: Option<usize>, name: &str) -> Option<usize> {
        let is_imported = || {
            file.is_none_or(|file| {
                let mut imports = self.imports.iter().filter(|import| import.0 == file);
                imports.any(|import| names(import.1).any(|word| word == name))
            })
        };
        let mut named = (0..self.items.len()).filter(|&i| self.items[i].name == Some(name));
        named
            .clone()
            .find(|&i| Some(self.items[i].file) == file)
            .or_else(|| named.next().filter(|_| is_imported()))
    }

    /// Marks the items that a code names, and all that these name, and returns the number of the first. An `impl` is taken
    /// when all is that its head names.
    fn want(&mut self, file: Option<usize>, code: &str) -> usize {
        let mut named = 0;
        for name in names(code) {
            if let Some(i) = self.named(file, name) {
                named += 1;
                self.take(i);
            }
        }
        while let Some(i) = (0..self.items.len()).find(|&i| {
            let item = &self.items[i];
            let of_head = |name| self.named(Some(item.file), name);
            let mut heads = names(&item.head).filter_map(of_head).peekable();
            item.name.is_none()
                && !item.is_wanted
                && heads.peek().is_some()
                && heads.all(|i| self.items[i].is_wanted)
        }) {
            self.take(i);
        }
        named
    }

    /// Marks an item and what it names.
    fn take(&mut self, i: usize) {
        if !self.items[i].is_wanted {
            self.items[i].is_wanted = true;
            let (file, code) = (self.items[i].file, self.items[i].lines.join("\n"));
            self.want(Some(file), &code);
        }
    }
}

/// Iterates over the words of a code that can be names.
fn names(code: &str) -> impl Iterator<Item = &str> {
    code.lines()
        .filter_map(|line| line.split("//").next())
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .filter(|word| !word.is_empty())
}
