//! Completions in the shells themselves, and manual pages in the programs that show them.

use std::fs;

use crate::support::*;

/// Lines that are completed, each with words that are offered and words that are not.
const LINES: [(&str, &[&str], &[&str]); 12] = [
    ("abreast op", &["open"], &["verify"]),
    ("abreast open ", &["a.abreast", "b c.abreast", "fold er"], &["notes.txt", "--force"]),
    ("abreast reseal ", &["a.abreast", "fold er"], &["notes.txt"]),
    ("abreast seal ", &["a.abreast", "notes.txt", "fold er"], &["--force"]),
    ("abreast open b", &["b c.abreast"], &["a.abreast"]),
    ("abreast open --passphrase-", &["--passphrase-file"], &["--force", "--passphrase "]),
    ("abreast open --cipher ", &["aes-256-gcm"], &["a.abreast"]),
    ("abreast open --cipher=aes-2", &["aes-256-gcm"], &["a.abreast"]),
    ("abreast open --key-file=n", &["notes.txt"], &["a.abreast"]),
    ("abreast open -- ", &["a.abreast"], &["--force", "notes.txt"]),
    ("abreast completions ", &["zsh"], &["notes.txt"]),
    ("abreast raw encrypt --mode c", &["ctr", "cbc"], &["eax"]),
];

/// Makes a folder with files to offer, and the script of a shell in `script`.
fn place_for(shell: &str) -> Place {
    let place = Place::new();
    let script = place.run(["completions", shell]).succeeds().stdout;
    fs::create_dir_all(place.path("files/fold er")).unwrap();
    for name in ["a.abreast", "b c.abreast", "notes.txt"] {
        place.write(format!("files/{name}"), b"");
    }
    place.write("script", &script);
    place
}

/// Completes each line by a script for a shell, which prints the offers for its first argument.
fn check(shell: &str, script: &str) {
    if !has(shell) {
        return;
    }
    let place = place_for(shell);
    place.write("complete", script.as_bytes());
    for (line, offered, others) in LINES {
        let run = feed(place.shell(&format!("cd files && {shell} ../complete '{line}'")), b"");
        let text = String::from_utf8_lossy(&run.stdout).replace('\\', "");
        let missing: Vec<_> = offered.iter().filter(|word| !text.contains(**word)).collect();
        let wrong: Vec<_> = others.iter().filter(|word| text.contains(**word)).collect();
        assert!(missing.is_empty() && wrong.is_empty(), "{shell}, {line:?}: {text}, {}", run.stderr);
    }
}

#[test]
fn bash() {
    check(
        "bash",
        r#"
. ../script
read -ra COMP_WORDS <<< "${1//=/ = }"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_abreast_files abreast "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s \n' "${COMPREPLY[@]}"
"#,
    );
}

#[test]
fn fish() {
    check("fish", ". ../script\ncomplete -C $argv[1]\n");
}

#[test]
fn zsh() {
    // A shell within the shell, at a terminal. Its offers end with the output of its next command.
    check(
        "zsh",
        r#"
zmodload zsh/zpty
mkdir -p ../functions && cp ../script ../functions/_abreast
zpty shell TERM=dumb zsh -f -i
zpty -w shell 'PS1=; fpath=(../functions $fpath); autoload -U compinit; compinit -D -u; setopt noautomenu; print READY'
zpty -r shell text '*READY*READY*'
zpty -w -n shell "$1"$'\t'
sleep 0.5
zpty -w shell $'\C-uprint E''ND'
zpty -r shell text '*END*'
print -r -- "$text"
zpty -d shell
"#,
    );
}

#[test]
fn manual_pages() {
    if !has("mandoc") {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.path("man")).unwrap();
    place.run(["man", "man"]).succeeds();
    for name in place.names_in("man") {
        let run = feed(
            place.shell(&format!("mandoc -T lint -W error man/{name}; mandoc -T ascii man/{name}")),
            b"",
        );
        let text = plain(&run.succeeds().stdout);
        for title in ["SYNOPSIS", "EXIT STATUS", "FILES", "SEE ALSO"] {
            assert!(text.lines().any(|line| line == title), "{name} lacks {title}: {text}");
        }
    }
    let page = feed(place.shell("mandoc -T ascii man/abreast-seal.1"), b"").succeeds();
    let page = plain(&page.stdout);
    for part in ["-k, --key-file <FILE>", "abreast seal [OPTIONS] [FILE]...", "abreast-reseal(1)", "128+n"] {
        assert!(page.contains(part), "{part} is missing: {page}");
    }
}

/// Returns a text without the letters that others are struck over, which makes bold and underlined ones.
fn plain(text: &[u8]) -> String {
    let mut plain = String::new();
    for letter in String::from_utf8_lossy(text).chars() {
        if letter == '\u{8}' {
            plain.pop();
        } else {
            plain.push(letter);
        }
    }
    plain
}
