//! Names under which Windows makes no file, but opens a device, a stream of another file, or a file of another name.

use std::path::{Component, Path, Prefix};

/// The devices that have a name in every folder.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The devices that have a digit in their names: these, and the digits that stand for numbers in a code page of Windows.
const PORTS: [&str; 2] = ["COM", "LPT"];

/// Returns why a path names no file, if it is one that leads Windows elsewhere.
pub(super) fn fault(path: &Path) -> Option<&'static str> {
    path.components().find_map(|component| match component {
        Component::Prefix(prefix) => match prefix.kind() {
            Prefix::Disk(_) | Prefix::UNC(..) | Prefix::VerbatimDisk(_) | Prefix::VerbatimUNC(..) => None,
            Prefix::DeviceNS(_) | Prefix::Verbatim(_) => Some("is the name of a device, and no file"),
        },
        Component::Normal(name) => fault_of_name(&name.to_string_lossy()),
        Component::RootDir | Component::CurDir | Component::ParentDir => None,
    })
}

/// Returns why a name in a folder is that of no file.
fn fault_of_name(name: &str) -> Option<&'static str> {
    if name.contains(':') {
        return Some("has a colon in its name, by which Windows would write to a stream of another file");
    }
    if name.ends_with(['.', ' ']) {
        return Some("ends in a dot or a space, which Windows would leave away from its name");
    }
    // Whatever follows the first dot does not count, nor do spaces before it.
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    let is_device = DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device));
    (is_device || is_port(stem)).then_some("is the name of a device of Windows, and no file")
}

/// Returns true for the name of a port, such as `com1`.
fn is_port(stem: &str) -> bool {
    let mut chars = stem.chars();
    let digit = chars.next_back();
    let is_digit = digit.is_some_and(|it| it.is_ascii_digit() || "\u{b9}\u{b2}\u{b3}".contains(it));
    is_digit && PORTS.iter().any(|port| chars.as_str().eq_ignore_ascii_case(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere() {
        for (name, part) in [
            ("nul", "device"),
            ("Con", "device"),
            ("aux.txt", "device"),
            ("PRN .tar.gz", "device"),
            ("conin$", "device"),
            ("COM1", "device"),
            ("lpt9.abreast", "device"),
            ("com\u{b2}", "device"),
            ("a/NUL/b", "device"),
            ("notes.txt:hidden", "stream"),
            ("a:b/c", "stream"),
            ("out.", "dot or a space"),
            ("out ", "dot or a space"),
            ("out . /a", "dot or a space"),
        ] {
            // A letter and a colon are a drive on Windows itself.
            if cfg!(windows) && name.starts_with("a:") {
                continue;
            }
            assert!(fault(Path::new(name)).is_some_and(|it| it.contains(part)), "{name}");
        }
        for name in
            ["nula", "xnul", "com", "com10", "comx", ".nul", "con-1", "a.nul", "a b", "../.", "lptone.txt"]
        {
            assert_eq!(fault(Path::new(name)), None, "{name}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn devices_by_their_whole_names() {
        for path in
            [r"\\.\PhysicalDrive0", r"\\.\pipe\x", r"\\?\GLOBALROOT\Device\Null", r"\\?\C:\NUL", r"C:\a\con"]
        {
            assert!(fault(Path::new(path)).is_some(), "{path}");
        }
        for path in [r"C:\a", r"C:a", r"\\server\share\a", r"\\?\C:\a", r"\\?\UNC\server\share\a", r"..\a"] {
            assert_eq!(fault(Path::new(path)), None, "{path}");
        }
    }
}
