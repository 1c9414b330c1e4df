//! The binary interface of libabreast, against the one that is committed: what programs that were linked with an earlier
//! library rely on.
//!
//! The interface is a list of one line for each function, constant and struct, from `abreast.h`, which is made from the
//! sources. Names of arguments are left out, since no program depends on them. That the library has exactly the functions
//! of the header is read from its symbols. Tools that read debug information (abidiff) would see the types too; the
//! library is shipped without it, and all its types are in the header.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol as _};

use crate::files;
use crate::outcome::{Outcome, Stop, none_of};
use crate::workspace::{Artifact, Workspace};

const HEADER: &str = "faces/c/include/abreast.h";
const BASELINE: &str = "faces/c/install/abi.txt";
const PACKAGE: &str = "abreast-capi";
/// The constant that has to grow when something is added.
const VERSION: &str = "ABREAST_ABI_VERSION";

const OPENING: &str = "\
# The binary interface of libabreast: what a program that was linked with it relies on. `cargo xtask abi` compares it with the
# header and the library, and fails on what was removed or changed unless the major version is another, and on what was
# added unless ABREAST_ABI_VERSION is. `cargo xtask abi --write` writes this file: with a release, and until the first one
# with each change.
";

/// One line for each part of the interface, by what it declares.
type Interface = BTreeMap<String, String>;

/// Compares the header with the baseline, and the library that was built with the header.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let now = present(workspace)?;
    let baseline = files::read(BASELINE)?;
    compare(&parsed(&baseline), &now)?;
    has_functions(&workspace.release()?, &now)
}

/// Writes the baseline.
pub(crate) fn write(workspace: &Workspace) -> Outcome {
    let lines: Vec<_> = present(workspace)?.into_values().collect();
    let text = format!("{OPENING}{}\n", lines.join("\n"));
    files::write(BASELINE, text)
}

/// The interface of the header, and the name that programs ask the loader for.
fn present(workspace: &Workspace) -> Result<Interface, Stop> {
    let header = files::read(HEADER)?;
    let package = workspace.packages.iter().find(|package| package.name == PACKAGE);
    let major = package.and_then(|package| package.version.split('.').next()).unwrap_or_default();
    let mut lines = declarations(&header);
    lines.push(format!("soname libabreast.so.{major}"));
    Ok(parsed(&lines.join("\n")))
}

/// Lines by what they declare: the name, which is the last word in front of a parenthesis, an equals sign or a brace.
fn parsed(text: &str) -> Interface {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let name = |line: &str| {
        let end = line.find(['(', '=', '{']).unwrap_or(line.len());
        let words: Vec<_> = line[..end].split([' ', '*']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["soname", ..] => "soname".to_owned(),
            [kind @ ("struct" | "enum" | "typedef"), .., name] => format!("{kind} {name}"),
            [.., name] => name.to_owned(),
            [] => String::new(),
        }
    };
    lines.map(|line| (name(line), line.to_owned())).collect()
}

/// Fails on what the baseline has and the interface has not, or has otherwise.
fn compare(baseline: &Interface, now: &Interface) -> Outcome {
    if baseline.get("soname") != now.get("soname") {
        // Programs ask for the old name, and never meet the new library.
        return Ok(());
    }
    let mut complaints = Vec::new();
    for (name, line) in baseline {
        match now.get(name) {
            None => complaints.push(format!("removed: {line}")),
            // A struct may grow at its end: callers say how large theirs is.
            Some(other) if other == line || name == VERSION => {}
            Some(other) if line.starts_with("struct") && other.starts_with(line.trim_end_matches('}')) => {}
            Some(other) => complaints.push(format!("changed: {line}\n     now: {other}")),
        }
    }
    if !complaints.is_empty() {
        complaints.push(format!(
            "programs that were linked with libabreast would break: that takes another major version. Before the first \
             release, `cargo xtask abi --write` renews {BASELINE}"
        ));
        return Err(Stop::Failed(complaints.join("\n")));
    }
    let added: Vec<_> = now.iter().filter(|(name, line)| baseline.get(*name) != Some(line)).collect();
    if !added.is_empty() && baseline.get(VERSION) == now.get(VERSION) {
        let lines: Vec<_> = added.iter().map(|(_, line)| format!("added: {line}")).collect();
        return Err(Stop::Failed(format!(
            "{}\n{VERSION} is what it was before; an addition takes the next number, and before the first release \
             `cargo xtask abi --write` renews {BASELINE}",
            lines.join("\n")
        )));
    }
    Ok(())
}

/// The shared library among what was built.
pub(crate) fn library(made: &[Artifact]) -> Result<&PathBuf, Stop> {
    let mut files = made.iter().filter(|artifact| artifact.package == PACKAGE).flat_map(|it| &it.files);
    let library = files.rfind(|file| file.extension().is_some_and(|it| it == "so"));
    library.ok_or_else(|| Stop::Failed(format!("cargo built no library .so of {PACKAGE}")))
}

/// Does the shared library export the functions of the header, and no others?
fn has_functions(made: &[Artifact], now: &Interface) -> Outcome {
    let exported = exported(library(made)?)?;
    let declared: BTreeSet<_> =
        now.iter().filter(|(_, line)| line.ends_with(')')).map(|(name, _)| name.clone()).collect();
    let missing = declared.difference(&exported).map(|name| format!("{name} is not in the library"));
    let surplus = exported.difference(&declared).map(|name| format!("{name} is not in {HEADER}"));
    let complaints: Vec<_> = missing.chain(surplus).collect();
    none_of(&complaints)
}

/// The names of all that a shared library exports.
fn exported(library: &Path) -> Result<BTreeSet<String>, Stop> {
    let failed = |why: String| Stop::Failed(format!("{}: {why}", library.display()));
    let bytes = fs::read(library).map_err(|error| failed(error.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|error| failed(error.to_string()))?;
    let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    Ok(symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}

/// Returns the parts of the interface that a header declares, each on a line with single spaces.
fn declarations(header: &str) -> Vec<String> {
    let lines =
        header.lines().filter_map(|line| line.strip_prefix("#define ").and_then(|line| line.split_once(' ')));
    let constants = lines.map(|(name, number)| format!("{name} = {number}"));
    constants.chain(statements(header).iter().flat_map(|statement| declaration(statement))).collect()
}

/// Returns the statements of a header, each on a line with single spaces and without its semicolon.
pub(crate) fn statements(header: &str) -> Vec<String> {
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned();
    let kept = |line: &String| !line.starts_with('#') && !line.starts_with("extern \"C\"") && line != "}";
    let text = header.lines().map(code).filter(kept).collect::<Vec<_>>().join(" ");
    let (mut depth, mut begin, mut statements) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                statements.push(text[begin..at].split_whitespace().collect::<Vec<_>>().join(" "));
                begin = at + 1;
            }
            _ => {}
        }
    }
    statements
}

/// The lines of one declaration: the constants of an enum, a struct or type in whole, a function without the names of its
/// arguments.
fn declaration(text: &str) -> Vec<String> {
    let inner = |open| {
        text.split_once(open).map(|(head, rest)| (head.trim(), rest.trim_end_matches(['}', ')', ' '])))
    };
    if let Some((_, members)) = text.starts_with("enum ").then(|| inner('{')).flatten() {
        return members.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
    }
    if text.starts_with("struct ") || text.starts_with("typedef ") {
        return vec![text.to_owned()];
    }
    let Some((head, arguments)) = inner('(') else { return vec![text.to_owned()] };
    let types: Vec<_> = arguments.split(',').map(|argument| without_name(argument.trim())).collect();
    vec![format!("{head}({})", types.join(", "))]
}

/// The type of an argument.
fn without_name(argument: &str) -> &str {
    let name =
        argument.rfind([' ', '*']).filter(|at| argument[at + 1..].starts_with(|it: char| it.is_alphabetic()));
    name.map_or(argument, |at| argument[..=at].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
#define ABREAST_ABI_VERSION 1
// A key.
typedef struct abreast_cipher abreast_cipher;
enum abreast_status {
  // Done.
  ABREAST_OK = 0,
  ABREAST_LENGTH = 101,
};
struct abreast_string {
  const uint8_t *data;
};
#ifdef __cplusplus
extern \"C\" {
#endif
int abreast_stream_new(const abreast_cipher *cipher,
                       int operation);
const char *abreast_version(void);
#ifdef __cplusplus
}  // extern \"C\"
#endif
";

    fn interface(header: &str) -> Interface {
        parsed(&format!("{}\nsoname libabreast.so.0", declarations(header).join("\n")))
    }

    fn complaint(now: &str) -> String {
        match compare(&interface(TEXT), &interface(now)) {
            Err(Stop::Failed(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_header_is_lines() {
        assert_eq!(
            declarations(TEXT),
            [
                "ABREAST_ABI_VERSION = 1",
                "typedef struct abreast_cipher abreast_cipher",
                "ABREAST_OK = 0",
                "ABREAST_LENGTH = 101",
                "struct abreast_string { const uint8_t *data; }",
                "int abreast_stream_new(const abreast_cipher *, int)",
                "const char *abreast_version(void)",
            ]
        );
        let functions = interface(TEXT).into_keys().filter(|name| name.starts_with("abreast_"));
        assert_eq!(functions.collect::<Vec<_>>(), ["abreast_stream_new", "abreast_version"]);
    }

    #[test]
    fn what_breaks_programs_is_told() {
        assert!(compare(&interface(TEXT), &interface(TEXT)).is_ok());
        assert!(
            complaint(&TEXT.replace("int operation", "long operation"))
                .starts_with("changed: int abreast_stream_new")
        );
        assert!(
            complaint(&TEXT.replace("ABREAST_OK = 0", "ABREAST_OK = 2"))
                .starts_with("changed: ABREAST_OK = 0")
        );
        assert!(
            complaint(&TEXT.replace("const uint8_t *data", "uint8_t *data")).starts_with("changed: struct")
        );
        assert!(
            complaint(&TEXT.replace("const char *abreast_version(void);", ""))
                .starts_with("removed: const char")
        );
        // The name of an argument is nobody's concern.
        assert!(compare(&interface(TEXT), &interface(&TEXT.replace("int operation", "int mode"))).is_ok());
    }

    #[test]
    fn what_is_added_needs_a_version() {
        let more = TEXT.replace(
            "const char *abreast_version",
            "void abreast_free(int it);\nconst char *abreast_version",
        );
        assert!(
            complaint(&more).starts_with("added: void abreast_free(int)\nABREAST_ABI_VERSION is what it was")
        );
        let longer = TEXT.replace("*data;", "*data;\n  size_t len;");
        assert!(complaint(&longer).starts_with("added: struct abreast_string"));
        for text in [more, longer] {
            let text = text.replace("VERSION 1", "VERSION 2");
            assert!(compare(&interface(TEXT), &interface(&text)).is_ok());
        }
    }

    #[test]
    fn another_major_version_may_change_all() {
        let (old, mut new) = (interface(TEXT), interface(""));
        new.insert("soname".to_owned(), "soname libabreast.so.1".to_owned());
        assert!(compare(&old, &new).is_ok());
    }
}
