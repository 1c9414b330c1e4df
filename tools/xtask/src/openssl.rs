//! The provider for OpenSSL as it is installed: through EVP and TLS, in programs of Debian, with and without Valgrind and
//! AddressSanitizer.
//!
//! All steps take the shared object from an install tree of their own, which the first of them lays out.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::dist;
use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, need, run_for};
use crate::steps::Plan;
use crate::workspace::{Workspace, program_of};

const SOURCES: &str = "faces/openssl/tests/clients";
const PROGRAMS: &str = "faces/openssl/tests/programs.py";
/// The differences from OpenSSL's own ciphers that are meant, and the page that shows them.
const DIFFERENCES: &str = "faces/openssl/tests/differences.txt";
const PAGE: &str = "book/src/openssl.md";
/// The step that lays out the tree and builds the clients.
const CLIENTS: &str = "openssl, clients";

/// The time limit of a run. Most take seconds.
const LIMIT: Duration = Duration::from_secs(300);
/// The limit of a million sequences: five minutes when nothing else runs.
const LONG: Duration = Duration::from_secs(1800);

/// Rounds of messages for each cipher, in each of 16 threads; messages over TLS for each suite, at each end.
const ROUNDS: &str = "30";
const MESSAGES: &str = "560";

/// Random sequences of calls: for so many seconds, or so many of them.
const SEQUENCES_SECONDS: &str = "30";
const SEQUENCES_LONG: &str = "1000000";

/// A step with programs of others, and what it needs to be installed: a program, and the package that has it.
struct Programs {
    name: &'static str,
    needs: &'static [(&'static str, &'static str)],
}

const WITH_PROGRAMS: &[Programs] = &[
    Programs { name: "enc", needs: &[] },
    Programs { name: "cmac", needs: &[] },
    Programs { name: "tls", needs: &[("curl", "curl")] },
    Programs {
        name: "sftp",
        needs: &[("sftp", "openssh-client"), ("ssh-keygen", "openssh-client"), ("sshd", "openssh-server")],
    },
    Programs { name: "luks", needs: &[("cryptsetup", "cryptsetup-bin"), ("qemu-img", "qemu-utils")] },
    Programs { name: "ruby", needs: &[("ruby", "ruby")] },
    Programs { name: "m2crypto", needs: &[] },
];

/// Adds the steps.
pub(crate) fn all<'w>(plan: &mut Plan<'w>, workspace: &'w Workspace, release: &str, long: bool) {
    plan.step("openssl, its differences", 1, differences_are_shown);
    plan.step(CLIENTS, 25, || clients(workspace)).after(release);
    plan.step("openssl, sequences", if long { 400 } else { 35 }, move || sequences(workspace, long))
        .after(CLIENTS);
    plan.step("openssl, known answers", 1, || known_answers(workspace)).after(CLIENTS);
    plan.step("openssl, its test data", 1, || test_data(workspace)).after(CLIENTS);
    for programs in WITH_PROGRAMS {
        plan.step(format!("openssl, {}", programs.name), 4, || with_programs(workspace, programs))
            .after(CLIENTS);
    }
}

/// Returns the folder of the tree, the clients and the configurations.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("openssl")
}

/// The folder of the modules in the tree.
fn modules(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("tree/lib/ossl-modules")
}

/// Skips the step unless OpenSSL 3 is here, with its headers where that is wanted.
fn need_openssl(headers: bool) -> Outcome {
    need("openssl")?;
    let version = capture(Command::new("openssl").arg("version"))?;
    if !version.starts_with("OpenSSL 3") {
        return Err(Stop::Skipped(format!("no OpenSSL 3: {}", version.trim())));
    }
    if headers {
        need("cc")?;
        need("pkg-config")?;
        capture(Command::new("pkg-config").args(["--modversion", "libssl"]))
            .map_err(|_| Stop::Skipped("libssl-dev is not installed".to_owned()))?;
    }
    Ok(())
}

/// Lays out the tree, builds the clients and runs them.
fn clients(workspace: &Workspace) -> Outcome {
    need_openssl(true)?;
    need("valgrind")?;
    let folder = folder(workspace);
    files::remove_folder(&folder)?;
    dist::dist(workspace, || workspace.release(), &folder.join("tree"), "lib", dist::Extent::All)?;
    let counting = configuration(workspace, "counting", "activate = 1\ncount = yes")?;
    let legacy = legacy_configuration(workspace)?;

    let (evp, tls) = (build(workspace, "evp", &[], &[])?, build(workspace, "tls", &[], &[])?);
    run_client(workspace, Command::new(&evp).arg("load"))?;
    // With the counter.
    let mut counted = Command::new(&evp);
    run_client(workspace, counted.arg("load").env("OPENSSL_CONF", &counting).env("COUNTED", "1"))?;
    let with_legacy = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).env("OPENSSL_CONF", &legacy).env("LEGACY", "1");
        run_client(workspace, &mut command)
    };
    with_legacy(&evp, &["load"])?;
    with_legacy(&evp, &["compare", &seed(), ROUNDS])?;
    with_legacy(&build(workspace, "residue", &[], &[])?, &[&seed()])?;
    for setting in ["count", "legacy"] {
        // Without activation, so that the program hears of it.
        let refused = configuration(workspace, "refused", &format!("{setting} = 5%d%n"))?;
        let reason =
            format!("{setting} is \"5%d%n\" in the configuration of the provider, and can be yes or no");
        let mut command = Command::new(&evp);
        run_client(workspace, command.args(["refused", &reason]).env("OPENSSL_CONF", &refused))?;
    }
    run_client(workspace, Command::new(&tls).args([&counting, seed().as_str(), MESSAGES]))?;

    // Valgrind shows a CPU without AVX-512, so other kernels run there.
    let valgrind = |arguments: &[&str]| {
        let mut command = Command::new("valgrind");
        command.env("OPENSSL_CONF", &legacy).env("LEGACY", "1");
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]).args(arguments);
        run_client(workspace, &mut command)
    };
    valgrind(&[&evp.to_string_lossy(), "load"])?;
    valgrind(&[&evp.to_string_lossy(), "compare", &seed(), "1"])?;
    valgrind(&[&tls.to_string_lossy(), &counting, &seed(), "3"])?;

    let sanitizer = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let (evp, tls) = (build(workspace, "evp", &sanitizer, &[])?, build(workspace, "tls", &sanitizer, &[])?);
    run_client(workspace, Command::new(&evp).arg("load"))?;
    with_legacy(&evp, &["compare", &seed(), "5"])?;
    run_client(workspace, Command::new(&tls).args([&counting, seed().as_str(), "60"]))
}

/// Runs random sequences of calls beside OpenSSL's own ciphers, and other ciphers beside the library.
fn sequences(workspace: &Workspace, long: bool) -> Outcome {
    need_openssl(true)?;
    let tree = folder(workspace).join("tree");
    let library = tree.join("lib/libabreast.a");
    let include = format!("-I{}", tree.join("include").display());
    let program = build(
        workspace,
        "sequences",
        &["-D_GNU_SOURCE", &include],
        &[library.as_os_str(), OsStr::new("-lm")],
    )?;
    let mut command = Command::new(program);
    command.args([DIFFERENCES, "--seed", &seed()]).env("OPENSSL_CONF", legacy_configuration(workspace)?);
    if long {
        command.args(["--sequences", SEQUENCES_LONG, "--every-row"]);
    } else {
        command.args(["--sequences", SEQUENCES_LONG, "--seconds", SEQUENCES_SECONDS]);
    }
    run_client_for(if long { LONG } else { LIMIT }, workspace, &mut command)
}

/// Checks that the page shows the differences as the file has them.
fn differences_are_shown() -> Outcome {
    let (file, page) = (files::read(DIFFERENCES)?, files::read(PAGE)?);
    let mut shown = page.lines().skip_while(|line| *line != TABLE_HEAD).skip(2);
    for row in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let expected = format!("| {} |", row.replace('*', "\\*"));
        let line = shown.next().unwrap_or_default();
        if line != expected {
            return Err(Stop::Failed(format!("{PAGE} has {line:?} where {DIFFERENCES} has {expected:?}")));
        }
    }
    match shown.next() {
        Some(line) if line.starts_with('|') => {
            Err(Stop::Failed(format!("{PAGE} has a row that {DIFFERENCES} has not: {line}")))
        }
        _ => Ok(()),
    }
}

/// The head of the table in the page.
const TABLE_HEAD: &str = "| cipher | state | call | OpenSSL | here | reason |";

/// Writes a configuration with the provider, which is preferred, and with lines for its section, and returns its path.
fn configuration(workspace: &Workspace, name: &str, settings: &str) -> Result<String, Stop> {
    let path = folder(workspace).join(name).with_extension("cnf");
    let text = format!(
        "{}[abreast_section]\n{settings}\n",
        include_str!("../../../faces/openssl/tests/preferred.cnf")
    );
    files::write(&path, text)?;
    Ok(path.to_string_lossy().into_owned())
}

/// Writes a configuration with the legacy ciphers of the provider, and with OpenSSL's own if it has them.
fn legacy_configuration(workspace: &Workspace) -> Result<String, Stop> {
    let folder = capture(Command::new("openssl").args(["version", "-m"]))?;
    let module = Path::new(folder.split('"').nth(1).unwrap_or_default()).join("legacy.so");
    let own = if module.exists() {
        let sections = "[provider_section]\nlegacy = legacy_section\n[legacy_section]\nactivate = 1\n";
        format!("{sections}module = {}\n", module.display())
    } else {
        String::new()
    };
    configuration(workspace, "legacy", &format!("activate = 1\nlegacy = yes\n{own}"))
}

/// The seed of the random tests: that of the environment, or another each time, which the command line shows.
fn seed() -> String {
    let drawn = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |time| time.as_nanos() as u64).to_string()
    };
    std::env::var("ABREAST_SEED").unwrap_or_else(|_| drawn())
}

/// Builds a client.
///
/// `flags` are for the compiler, `libraries` for the linker.
fn build(workspace: &Workspace, name: &str, flags: &[&str], libraries: &[&OsStr]) -> Result<PathBuf, Stop> {
    let sanitized = flags.iter().any(|flag| flag.starts_with("-fsanitize"));
    let program =
        folder(workspace).join(if sanitized { format!("{name}-sanitized") } else { name.to_owned() });
    let of_openssl = capture(Command::new("pkg-config").args(["--cflags", "--libs", "libssl", "libcrypto"]))?;
    let mut compile = Command::new("cc");
    compile
        .args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pthread"])
        .args(flags);
    compile.arg(Path::new(SOURCES).join(name).with_extension("c")).arg("-o").arg(&program);
    compile.args(libraries).args(of_openssl.split_whitespace());
    run_for(LIMIT, &mut compile)?;
    Ok(program)
}

/// Runs a client, which finds the provider in the tree.
fn run_client(workspace: &Workspace, command: &mut Command) -> Outcome {
    run_client_for(LIMIT, workspace, command)
}

/// Runs a client with a limit of its own.
fn run_client_for(limit: Duration, workspace: &Workspace, command: &mut Command) -> Outcome {
    run_for(limit, command.env("OPENSSL_MODULES", modules(workspace)))
}

/// OpenSSL's own data, which its packages do not have: `ABREAST_OPENSSL_SOURCE` is a folder with its source.
fn test_data(workspace: &Workspace) -> Outcome {
    need_openssl(true)?;
    let source = std::env::var_os("ABREAST_OPENSSL_SOURCE").ok_or_else(|| {
        Stop::Skipped("ABREAST_OPENSSL_SOURCE, the source of OpenSSL, is not set".to_owned())
    })?;
    let file = Path::new(&source).join("test/recipes/30-test_evp_data/evpciph_aes_common.txt");
    let data = build(workspace, "data", &["-D_GNU_SOURCE"], &[])?;
    run_client(workspace, Command::new(data).arg(file))
}

/// The known answers of messages with tags, through EVP.
fn known_answers(workspace: &Workspace) -> Outcome {
    need_openssl(true)?;
    let made = workspace.release()?;
    let lines = capture(&mut Command::new(program_of(&made, "abreast-vectors")?))?;
    let file = folder(workspace).join("lines");
    files::write(&file, lines)?;
    let data = build(workspace, "data", &["-D_GNU_SOURCE"], &[])?;
    run_client(workspace, Command::new(data).arg("lines").arg(file))
}

/// Programs that know nothing of the provider.
fn with_programs(workspace: &Workspace, programs: &Programs) -> Outcome {
    need_openssl(false)?;
    need("python3")?;
    for (program, package) in programs.needs {
        need(program).map_err(|_| Stop::Skipped(format!("{package} is not installed")))?;
    }
    // A module of Debian's Python, whatever other Python is found first.
    if programs.name == "m2crypto" {
        capture(Command::new("/usr/bin/python3").args(["-c", "import M2Crypto"]))
            .map_err(|_| Stop::Skipped("python3-m2crypto is not installed".to_owned()))?;
    }
    let abreast = program_of(&workspace.release()?, "abreast-cli")?.to_owned();
    let mut command = Command::new("python3");
    command.args([PROGRAMS, programs.name]).arg(modules(workspace)).arg(abreast);
    run_for(LIMIT, command.arg(folder(workspace).join("evp")))
}
