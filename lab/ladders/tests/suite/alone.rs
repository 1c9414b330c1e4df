//! Steps that stand alone: each link holds the code that is measured, and a compiler takes it as it is.

use std::fs;
use std::process::Command;

use abreast_lab::alone::{ADDRESS, Alone};
use abreast_lab::source::Source;
use abreast_lab::story;
use data_encoding::BASE64;
use serde_json::Value;

/// Returns the program of a link and the options of its compiler, as Compiler Explorer reads them.
fn opened(link: &str) -> (String, String) {
    let state = link.strip_prefix(ADDRESS).expect("the address of a state");
    assert!(
        state.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'%'),
        "not a part of an address: {state}"
    );
    let state = state.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
    let state = BASE64.decode(state.as_bytes()).expect("base64");
    let state: Value = serde_json::from_slice(&state).expect("a state");
    let session = &state["sessions"][0];
    assert_eq!(session["language"], "rust");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&session["source"]), text(&session["compilers"][0]["options"]))
}

/// Each program compiles as it is, without a warning about something that it does not need, and there are more instructions
/// than a call alone would have.
#[test]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    ignore = "the links have options for x86-64"
)]
fn links_compile() {
    let folder = std::env::temp_dir().join(format!("abreast-alone-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (program, assembly) = (folder.join("program.rs"), folder.join("program.s"));
    let mut stories_with_links = Vec::new();
    for story in story::ALL {
        for step in story.steps {
            let Some(alone) = step.alone else { continue };
            let (text, options) = opened(&alone.link().expect("a link"));
            fs::write(&program, &text).expect("a file");
            let run = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
                .args(options.split(' '))
                .args(["--crate-type=lib", "--emit=asm", "-o"])
                .args([&assembly, &program])
                .output()
                .expect("rustc");
            let errors = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{}, {}: {errors}\n{text}", story.ladder, step.name);
            for lint in ["unused_imports", "dead_code"] {
                assert!(!errors.contains(lint), "{}, {}: {errors}", story.ladder, step.name);
            }
            let assembly = fs::read_to_string(&assembly).expect("assembly");
            assert!(assembly.contains("\nmeasured:\n"), "{}, {}", story.ladder, step.name);
            let instructions =
                assembly.lines().filter(|line| line.starts_with('\t') && !line.starts_with("\t."));
            assert!(instructions.count() > 30, "{}, {}: hardly any code", story.ladder, step.name);
            stories_with_links.push(story.ladder);
        }
    }
    fs::remove_dir_all(&folder).expect("the folder goes");
    stories_with_links.dedup();
    assert_eq!(stories_with_links, ["xtea", "rc4", "aes", "serpent"]);
}

const ONE: Source = Source {
    path: "one.rs",
    text: "//! One.\nuse super::two::{Kind, help};\n\n/// The step.\npub(super) fn step(x: u32) -> u32 {\n    help(x) // not other\n}\n\n\
           fn other() {}\n",
};
const TWO: Source = Source {
    path: "two.rs",
    text: "use std::hint::black_box;\nuse std::mem::swap;\n\n#[inline(always)]\nfn help(x: u32) -> u32 {\n    Kind.of(black_box(x))\n}\n\n\
           struct Kind;\n\nimpl Kind {\n    fn of(&self, x: u32) -> u32 {\n        x + LEAST\n    }\n}\n\nstruct Another;\n\n\
           impl From<Kind> for Another {\n    fn from(_: Kind) -> Self {\n        Self\n    }\n}\n\nconst LEAST: u32 = 2;\n\
           const MOST: u32 = 3;\n",
};

/// A program has what its step needs, and nothing else.
#[test]
fn programs_hold_what_is_needed() {
    let program =
        Alone { sources: &[ONE, TWO], arguments: "x: u32", call: "step(x);" }.program().expect("a program");
    for needed in [
        "fn measured(x: u32) {\n    step(x);",
        "pub fn step",
        "#[inline(always)]\nfn help",
        "LEAST: u32 = 2",
        "impl Kind {",
        "hint::black_box",
    ] {
        assert!(program.contains(needed), "{needed} is not in\n{program}");
    }
    for other in ["other()", "Another", "MOST", "mem::swap", "super", "//!", "macro_rules", "asm!"] {
        assert!(!program.contains(other), "{other} is in\n{program}");
    }
    let error =
        Alone { sources: &[TWO], arguments: "", call: "nothing();" }.program().expect_err("no such function");
    assert!(error.to_string().contains("nothing()"), "{error}");
}
