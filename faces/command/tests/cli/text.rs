//! Output of the command for people and for other programs.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use abreast::kernels::algorithms;
use abreast::table::{MODES, ModeBlocks, ModeKeys};

use crate::support::*;

/// Standard output of a run, as text.
fn printed<const N: usize>(place: &Place, args: [&str; N]) -> String {
    String::from_utf8(place.run(args).succeeds().stdout).unwrap()
}

/// Returns the names of the commands, which the help lists.
fn commands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = list.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    let names: Vec<_> = names.filter(|name| name != "help").collect();
    assert!(names.len() > 10, "{help}");
    names
}

#[test]
fn help() {
    let place = Place::new();
    let all = printed(&place, ["--help"]);
    assert!(all.contains("Exit codes:"));
    for command in &commands(&all) {
        let help = printed(&place, [command, "--help"]);
        assert!(help.contains(&format!("Usage: abreast {command}")), "{help}");
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }
    for direction in ["encrypt", "decrypt"] {
        assert!(printed(&place, ["raw", direction, "--help"]).contains("every user of this machine can see"));
    }
    assert!(printed(&place, ["--version"]).starts_with("abreast 0."));
    place.refuses(["seal"], 2, "give FILE");
    place.refuses(["sael"], 2, "sael");
    for command in ["bench", "ladder"] {
        let answer = format!("is in another program: run abreast-bench {command}");
        for args in [&[command][..], &[command, "xtea", "--quick"], &[command, "--help"], &["help", command]]
        {
            place.refuses(args, 2, &answer);
        }
    }
    assert_eq!(place.run([""; 0]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn manual_pages_and_completions() {
    let place = Place::new();
    assert!(printed(&place, ["man"]).contains(".TH abreast 1"));
    fs::create_dir(place.path("man")).unwrap();
    place.run(["man", "man"]).succeeds();
    for command in commands(&printed(&place, ["--help"])) {
        assert!(place.path("man").join(format!("abreast-{command}.1")).is_file(), "{command}");
    }
    place.refuses(["man", "missing"], 1, "missing: No such file");
    // Everybody may read them, and there is no part of one.
    let page = place.path("man").join("abreast-seal.1");
    assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o644);
    fs::write(&page, b"old").unwrap();
    let limited = place.shell("ulimit -f 1 && exec \"$ABREAST\" man man");
    feed(limited, b"").fails(1, "File too large");
    assert_eq!(fs::read(&page).unwrap(), b"old");
    let pages: Vec<_> = fs::read_dir(place.path("man")).unwrap().map(Result::unwrap).collect();
    assert!(pages.iter().all(|page| page.file_name().to_string_lossy().ends_with(".1")), "{pages:?}");
    assert_eq!(pages.iter().filter(|page| page.metadata().unwrap().len() == 0).count(), 0);
    for shell in ["bash", "zsh", "fish"] {
        assert!(printed(&place, ["completions", shell]).contains("passphrase-file"), "{shell}");
    }
}

#[test]
fn licences_of_the_command_and_its_crates() {
    let printed = printed(&Place::new(), ["licenses"]);
    assert!(printed.starts_with("abreast, under MIT"), "{printed}");
    for part in ["The abreast developers", "the Rust standard library", "clap 4.", "zeroize 1."] {
        assert!(printed.contains(part), "{part}");
    }
}

#[test]
fn kernels() {
    let place = Place::new();
    let table = printed(&place, ["kernels"]);
    assert!(table.starts_with("cipher "));
    for cipher in ["aes-128", "aes-192", "aes-256", "serpent-256", "xtea-be", "aez", "rc4"] {
        assert!(table.lines().any(|line| line.starts_with(cipher)), "{table}");
    }
    let json = printed(&place, ["kernels", "--json"]);
    assert!(json.starts_with("[{\"cipher\":\"") && json.ends_with("}]\n"), "{json}");
}

/// One cipher: the kernel that a key really takes is the one that the table names, each of those that run can be asked for,
/// and every mode that `raw` has for the cipher has a row.
#[test]
fn kernels_of_a_cipher() {
    let place = Place::new();
    for cipher in algorithms() {
        let text = printed(&place, ["kernels", cipher.name()]);
        let begins = format!("{} runs on {}: ", cipher.name(), cipher.best_kernel().unwrap().name());
        assert!(text.starts_with(&begins), "{text}");
        let (kernels, modes) = text.split_once("\nmode ").expect("two tables");
        let run = kernels.lines().filter(|line| line.contains("takes it") || line.contains("can run it"));
        let run: Vec<_> = run.filter_map(|line| line.split(' ').next()).collect();
        let listed: Vec<_> = cipher.kernels().into_iter().map(|kernel| kernel.name()).collect();
        assert_eq!(run, listed, "{text}");
        for mode in MODES.iter().filter(|mode| mode.keys == ModeKeys::OfCiphers(1)) {
            let is_of = mode.blocks == ModeBlocks::Any || cipher.block_size() == 16;
            assert_eq!(modes.contains(&format!("\n{} ", mode.name)), is_of, "{}: {text}", mode.name);
        }
        let json = printed(&place, ["kernels", cipher.name(), "--json"]);
        assert!(
            json.starts_with(&format!("[{{\"cipher\":\"{}\"", cipher.name())) && json.lines().count() == 1,
            "{json}"
        );
        let runs = listed.iter().map(|name| format!("{{\"kernel\":\"{name}\",\"runs\":true,\"needs\":["));
        let with_rows = modes
            .lines()
            .skip(1)
            .filter_map(|line| line.split(' ').next())
            .take_while(|name| !name.is_empty());
        let rows = with_rows.map(|name| format!("{{\"mode\":\"{name}\",\"blocks_encrypting\":"));
        for part in runs.chain(rows) {
            assert!(json.contains(&part), "{part} is not in {json}");
        }
    }
    assert!(printed(&place, ["kernels", "aez"]).contains("\naez   "));
    place.refuses(["kernels", "aes-265"], 2, "aes-256");
}

#[test]
fn inspect() {
    let place = Place::new();
    place.seal(&message(100_000));
    let text = printed(&place, ["inspect", "sealed"]);
    for fact in [
        "100168 bytes",
        "100000 bytes",
        "7, of 16384 bytes each but the last",
        "could be Cobblestone by its size",
    ] {
        assert!(text.contains(fact), "{text} lacks {fact}");
    }
    place.write("sealed", &sealed_with_passphrase("x", b"hello"));
    let text = printed(&place, ["inspect", "sealed"]);
    for fact in ["AEAD_AES_256_GCM, passphrase", "argon2id, memory 8 MiB, passes 1, lanes 1", " 5 bytes"] {
        assert!(text.contains(fact), "{text} lacks {fact}");
    }
    place.refuses(["inspect", "key"], 2, "is a key file");
    place.write("short", &[0; 71]);
    place.refuses(["inspect", "short"], 3, "cut off");
    place.refuses(["inspect", "-"], 2, "regular file");
}

#[cfg(unix)]
#[test]
fn progress_for_programs() {
    let place = Place::new();
    place.write("a \"b\"", &message(3 << 20));
    let run = place.run(["seal", "a \"b\"", "-k", "key", "--progress=json"]);
    let last = run.stderr.lines().last().unwrap();
    assert_eq!(last, r#"{"file":"a \"b\"","done":3145728,"total":3145728,"finished":true}"#);
    assert!(run.stderr.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{}", run.stderr);
    let run = place.run(["verify", "a \"b\".abreast", "-k", "key", "--progress=json"]);
    let last = run.stderr.lines().last().unwrap();
    assert_eq!(last, r#"{"file":"a \"b\".abreast","done":3148872,"total":3148872,"finished":true}"#);
    let run = place.pipe(["seal", "-", "-k", "key", "--progress=json"], b"hello");
    assert_eq!(run.stderr, "{\"file\":\"-\",\"done\":5,\"total\":null,\"finished\":true}\n");
}
