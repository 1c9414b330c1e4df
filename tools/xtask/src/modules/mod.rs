//! The order of the modules of the library: which file may import from which, that no files import in a circle, and that
//! no name denotes two types.
//!
//! A file belongs to the lowest entry of [`LAYERS`] that names it or a folder above it. It may import from its own layer
//! and from those below. A `pub use` hands on and is no import: a path is followed through it to the file that defines
//! the item, so that the table of contents of a folder may name what is in the folder.

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::files;
use crate::outcome::Stop;
use names::{File, Module};

/// The layers of the library, lowest first, each with the modules that it consists of.
const LAYERS: &[(&str, &[&str])] = &[
    ("errors", &["error"]),
    ("small arithmetic", &["gf128", "masks", "wipe", "ghash", "key_search"]),
    ("engine", &["engine"]),
    ("ciphers", &["ciphers"]),
    ("loops of the modes", &["loops"]),
    ("from a mode to a cipher", &["mode_call", "block_cipher"]),
    ("modes and AEADs", &["modes", "aez", "hmac", "serpent"]),
    ("batches", &["packets"]),
    ("columns", &["columns"]),
    ("registry and faces", &["kernels", "rustcrypto", "in_place", "for_devices", "boundaries", "table", ""]),
];

/// The offences of the library whose sources are in a folder.
pub(crate) fn check(folder: &Path) -> Result<Vec<String>, Stop> {
    offences(&sources(folder)?).map_err(Stop::Failed)
}

/// The circles of imports of a crate without layers.
pub(crate) fn check_circles(folder: &Path) -> Result<Vec<String>, Stop> {
    let sources = sources(folder)?;
    let files = read(&sources).map_err(Stop::Failed)?;
    Ok(circles(&edges(&files)))
}

/// The sources of a folder, by their modules.
fn sources(folder: &Path) -> Result<BTreeMap<Module, String>, Stop> {
    let mut files = BTreeMap::new();
    for path in rust_files(folder)? {
        let text = files::read(&path)?;
        files.insert(module_of(path.strip_prefix(folder).unwrap_or(&path)), text);
    }
    Ok(files)
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The module of a file: `engine/words.rs` and `engine/mod.rs` are `engine::words` and `engine`, `lib.rs` and `main.rs` the
/// crate.
fn module_of(file: &Path) -> Module {
    let mut module: Module =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] || module == ["main"] {
        module.pop();
    }
    module
}

/// Reads the names that each file imports, hands on and defines.
fn read(sources: &BTreeMap<Module, String>) -> Result<BTreeMap<&Module, File>, String> {
    let mut files = BTreeMap::new();
    for (module, text) in sources {
        let parsed = syn::parse_file(text).map_err(|error| format!("{}: {error}", name(module)))?;
        files.insert(module, File::of(module, sources, &parsed));
    }
    Ok(files)
}

/// Returns the files that each file imports from.
fn edges<'f>(files: &BTreeMap<&'f Module, File>) -> BTreeMap<&'f Module, BTreeSet<&'f Module>> {
    files
        .iter()
        .map(|(module, file)| {
            let targets =
                file.imports.iter().filter_map(|path| definer(path, files)).filter(|target| target != module);
            (*module, targets.collect())
        })
        .collect()
}

/// The offences of sources, by their modules.
fn offences(sources: &BTreeMap<Module, String>) -> Result<Vec<String>, String> {
    let files = read(sources)?;
    let edges = edges(&files);
    let mut found = Vec::new();
    for (module, targets) in &edges {
        let Some(own) = layer(module) else {
            found.push(format!("{} is in no layer", name(module)));
            continue;
        };
        for target in targets {
            if let Some(other) = layer(target).filter(|other| *other > own) {
                let (own, other) = (LAYERS[own].0, LAYERS[other].0);
                found.push(format!(
                    "{} ({own}) imports from {} ({other}), which is above it",
                    name(module),
                    name(target)
                ));
            }
        }
    }
    found.extend(circles(&edges));
    let mut defined: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (module, file) in &files {
        for name_of_type in &file.types {
            defined.entry(name_of_type).or_default().push(name(module));
        }
    }
    let twice = defined.iter().filter(|(_, modules)| modules.len() > 1);
    found.extend(
        twice.map(|(name, modules)| {
            format!("{name} is the name of a type in each of: {}", modules.join(", "))
        }),
    );
    Ok(found)
}

fn name(module: &Module) -> String {
    if module.is_empty() { "the crate".to_owned() } else { module.join("::") }
}

/// The number of the layer of a module.
fn layer(module: &Module) -> Option<usize> {
    let top = module.first().map_or("", String::as_str);
    LAYERS.iter().position(|(_, modules)| modules.contains(&top))
}

/// The file that defines what a path names: the deepest module on the path, or where that module has the item
/// from. None if the item is another crate's.
fn definer<'f>(path: &Module, files: &BTreeMap<&'f Module, File>) -> Option<&'f Module> {
    let mut path = path.clone();
    // Each step goes through one `pub use`; more than there are files would be a circle of them.
    for _ in 0..=files.len() {
        let depth =
            (0..=path.len()).rev().find(|depth| files.contains_key(&path[..*depth].to_vec())).unwrap_or(0);
        let (module, file) = files.get_key_value(&path[..depth].to_vec())?;
        match path.get(depth).and_then(|item| file.handed_on.get(item)) {
            Some(source) => path = source.as_ref()?.iter().chain(&path[depth + 1..]).cloned().collect(),
            None => return Some(module),
        }
    }
    None
}

/// Each circle of imports, as one line.
fn circles(edges: &BTreeMap<&Module, BTreeSet<&Module>>) -> Vec<String> {
    let reachable = |start: &Module| {
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        let mut open: Vec<&Module> = edges.get(start).into_iter().flatten().copied().collect();
        while let Some(module) = open.pop() {
            if seen.insert(module) {
                open.extend(edges.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (*module, reachable(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, seen) in &reach {
        let members: Vec<&Module> =
            seen.iter().copied().filter(|other| reach[*other].contains(*module)).collect();
        if members.is_empty() {
            continue;
        }
        let imports = members.iter().map(|member| {
            let from = edges[*member].iter().filter(|other| members.contains(other)).map(|other| name(other));
            format!("{} from {}", name(member), from.collect::<Vec<_>>().join(" and "))
        });
        let imports = imports.collect::<Vec<_>>().join(", ");
        circles.insert(format!("these import from each other in a circle: {imports}"));
    }
    circles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences_of(files: &[(&str, &str)]) -> Vec<String> {
        let files =
            files.iter().map(|(file, text)| (module_of(Path::new(file)), (*text).to_owned())).collect();
        offences(&files).expect("the sources are Rust")
    }

    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let files =
            files.iter().map(|(file, text)| (module_of(Path::new(file)), (*text).to_owned())).collect();
        circles(&edges(&read(&files).expect("the sources are Rust")))
    }

    #[test]
    fn imports_go_down() {
        let up = [("lib.rs", ""), ("error.rs", "use crate::modes::Gcm;"), ("modes/mod.rs", "")];
        assert_eq!(offences_of(&up).len(), 1);
        let down = [("lib.rs", ""), ("error.rs", ""), ("modes/mod.rs", "use crate::error::Error;")];
        assert!(offences_of(&down).is_empty());
        let expression =
            [("lib.rs", ""), ("engine/mod.rs", "fn f() { crate::modes::g() }"), ("modes/mod.rs", "")];
        assert_eq!(offences_of(&expression).len(), 1);
        let in_macro = [
            ("lib.rs", ""),
            ("engine/mod.rs", "macro_rules! m { () => { crate::modes::g() } }"),
            ("modes/mod.rs", ""),
        ];
        assert_eq!(offences_of(&in_macro).len(), 1);
        assert_eq!(offences_of(&[("lib.rs", ""), ("novelty.rs", "")]), ["novelty is in no layer"]);
    }

    #[test]
    fn what_is_handed_on_counts_where_it_is_defined() {
        let through = [
            ("lib.rs", "pub use modes::Gcm; pub use inout::InOutBuf;"),
            ("engine/mod.rs", "use crate::{Gcm, InOutBuf};"),
            ("modes/mod.rs", "mod gcm; pub use gcm::Gcm;"),
            ("modes/gcm.rs", "use super::other;"),
        ];
        let found = offences_of(&through);
        assert_eq!(found, ["engine (engine) imports from modes::gcm (modes and AEADs), which is above it"]);
    }

    #[test]
    fn a_name_denotes_one_type() {
        let twice = [("lib.rs", ""), ("engine/mod.rs", "struct Group;"), ("modes/mod.rs", "enum Group {}")];
        assert_eq!(offences_of(&twice), ["Group is the name of a type in each of: engine, modes"]);
    }

    #[test]
    fn circles_are_found_and_tests_are_left_out() {
        let circle = [
            ("lib.rs", ""),
            ("engine/mod.rs", "mod a; mod b; use a::x;"),
            ("engine/a.rs", "use super::b::y;"),
            ("engine/b.rs", "use crate::engine::a::x;"),
        ];
        assert_eq!(
            offences_of(&circle),
            ["these import from each other in a circle: engine::a from engine::b, engine::b from engine::a"]
        );
        let in_macro = [
            ("main.rs", "mod a; pub fn f() {}"),
            ("a.rs", "macro_rules! m { () => { $crate::b::g() } }"),
            ("b.rs", "use crate::a::h;"),
        ];
        assert_eq!(circles_of(&in_macro).len(), 1);
        let test = [
            ("lib.rs", ""),
            ("engine/mod.rs", "#[cfg(all(test, feature = \"full\"))] mod tests { use crate::modes::x; }"),
            ("modes/mod.rs", ""),
        ];
        assert!(offences_of(&test).is_empty());
    }
}
