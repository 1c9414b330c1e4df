//! Programs in C and C++ against the install tree: as others build them, and run with and without Valgrind. The game
//! server among the examples, too.
//!
//! The tree is laid out in one place and moved to another, so that what names the first place is noticed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist;
use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, caught, need, run, say};
use crate::workspace::Workspace;

const SOURCES: &str = "faces/c/tests/clients";
const HEADER: &str = "faces/c/include/abreast.h";
/// The folder of the libraries in the install tree. It is not `lib` itself, so that a file that takes `lib` for granted fails.
const LIBDIR: &str = "lib/abreast-clients";
const GAME_SERVER: &str = "examples/game-server";
const PROGRAMS: &str = "clients/run.py";

/// A client that `pkg-config` helps to build.
struct Client {
    name: &'static str,
    compiler: &'static str,
    flags: &'static [&'static str],
    sources: &'static [&'static str],
    /// True if it is linked with static libraries alone, and loads nothing when it runs.
    linked: bool,
}

const CPP: &[&str] = &["client.cpp", "macros.cpp", "xtea.cpp"];
const CLIENTS: &[Client] = &[
    Client { name: "c11", compiler: "cc", flags: &["-std=c11"], sources: &["client.c"], linked: false },
    Client { name: "batches", compiler: "cc", flags: &["-std=c11"], sources: &["batches.c"], linked: false },
    Client { name: "columns", compiler: "cc", flags: &["-std=c11"], sources: &["columns.c"], linked: false },
    Client { name: "misuse", compiler: "cc", flags: &["-std=c11"], sources: &["misuse.c"], linked: false },
    Client { name: "static", compiler: "cc", flags: &["-std=c11"], sources: &["client.c"], linked: true },
    Client { name: "c++17", compiler: "c++", flags: &["-std=c++17"], sources: CPP, linked: false },
    Client { name: "c++20", compiler: "c++", flags: &["-std=c++20"], sources: CPP, linked: false },
    Client {
        name: "no-exceptions",
        compiler: "c++",
        flags: &["-std=c++20", "-fno-exceptions", "-fno-rtti"],
        sources: CPP,
        linked: false,
    },
];

/// The clients that work with OpenCL devices.
const DEVICES: [Client; 2] = [
    Client { name: "devices", compiler: "cc", flags: &["-std=c11"], sources: &["devices.c"], linked: false },
    Client {
        name: "devices-cpp",
        compiler: "c++",
        flags: &["-std=c++17"],
        sources: &["devices.cpp"],
        linked: false,
    },
];

/// The examples of the documents. A name of the form `DOCUMENT LANGUAGE` is that document's first one in a language.
const EXAMPLES: &[Client] = &[
    Client {
        name: "readme-c",
        compiler: "cc",
        flags: &["-std=c11"],
        sources: &["README.md c"],
        linked: false,
    },
    Client {
        name: "book-c",
        compiler: "cc",
        flags: &["-std=c11"],
        sources: &["book/src/c.md c"],
        linked: false,
    },
    Client { name: "readme-cpp", compiler: "c++", flags: CPP17, sources: &["README.md cpp"], linked: false },
    Client {
        name: "book-cpp",
        compiler: "c++",
        flags: CPP17,
        sources: &["book/src/c.md cpp"],
        linked: false,
    },
    Client {
        name: "book-tick",
        compiler: "c++",
        flags: CPP17,
        sources: &["book/src/packets.md cpp"],
        linked: false,
    },
];
const CPP17: &[&str] = &["-std=c++17"];

/// The text before and after the few lines of README.md in a language, which make a program of them.
const AROUND: [(&str, &str, &str); 2] = [
    (
        "c",
        "#include <abreast.h>\n#include <string.h>\nint main(void) {\nuint8_t key[32] = {7}, nonce[12] = {1}, tag[16];\n\
         uint8_t message[] = \"attack at dawn\";\n",
        "abreast_aead_free(gcm);\nreturn memcmp(message, \"attack at dawn\", 14);\n}",
    ),
    (
        "cpp",
        "#include <abreast.hpp>\n#include <array>\n#include <vector>\nint main() {\n\
         const std::array<std::uint8_t, 32> key{7};\nconst std::array<std::uint8_t, 12> nonce{1};\n\
         const std::vector<std::uint8_t> header(3);\nstd::vector<std::uint8_t> message(100, 5);\n\
         std::array<std::uint8_t, 16> tag;\n",
        "return message == std::vector<std::uint8_t>(100, 5) ? 0 : 1;\n}",
    ),
];

/// Every function where memory and stack are short. With an allocator of its own, so neither with Valgrind nor sanitized.
const EDGES: Client = Client {
    name: "edges",
    compiler: "cc",
    flags: &["-std=c11", "-pthread"],
    sources: &["edges.c"],
    linked: false,
};

/// Faults that sanitizers have to see.
const PLANTED: Client =
    Client { name: "planted", compiler: "cc", flags: &["-std=c11"], sources: &["planted.c"], linked: false };

/// The places of the stack, which tell by measuring and fail at nothing.
const PLACES: Client = Client {
    name: "places",
    compiler: "cc",
    flags: &["-std=gnu11", "-O2"],
    sources: &["places.c"],
    linked: false,
};

/// Measures what the place of the stack does to the kernels whose rows hold a text.
pub(crate) fn places(workspace: &Workspace, pattern: &[&str]) -> Outcome {
    let folder = workspace.target.join("places");
    let tree = lay_out(workspace, &folder, LIBDIR)?;
    let program = build(&PLACES, &tree, &folder)?;
    run(loading(Command::new(program).args(pattern), &tree))
}

/// Builds and runs them all.
pub(crate) fn run_all(workspace: &Workspace) -> Outcome {
    for program in ["cc", "c++", "pkg-config", "cmake", "valgrind"] {
        need(program)?;
    }
    let folder = workspace.target.join("clients");
    let tree = lay_out(workspace, &folder, LIBDIR)?;
    for client in CLIENTS.iter().chain(EXAMPLES) {
        let program = build(client, &tree, &folder)?;
        run(loading(&mut Command::new(&program), &tree))?;
        // Valgrind shows a CPU without AVX-512, so other kernels run there. Fully static programs keep from it what
        // it looks at.
        if !client.linked {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]).arg(&program);
            run(loading(&mut valgrind, &tree))?;
        }
    }
    edges(&build(&EDGES, &tree, &folder)?, &tree)?;
    for library in ["abreast", "abreast_static"] {
        by_cmake(library, &tree, &folder.join(library))?;
    }
    let folder = workspace.target.join("game-server");
    game_server(&lay_out(workspace, &folder, "lib")?, &folder, "50", "2")
}

/// Runs each mode of `edges.c`, of which each has to call every function of the header.
fn edges(program: &Path, tree: &Path) -> Outcome {
    let header = files::read(HEADER)?;
    let functions = functions(&header);
    for mode in ["allocations", "refusals", "stack", "thread"] {
        // The loader looks symbols up at once, rather than on the stack of each first call.
        let text = capture(loading(&mut Command::new(program), tree).arg(mode).env("LD_BIND_NOW", "1"))?;
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
        let called = |function: &str| lines.iter().any(|line| line.first() == Some(&function));
        if let Some(missing) = functions.iter().find(|function| !called(function)) {
            let wants = "call it in faces/c/tests/clients/every.h";
            return Err(Stop::Failed(format!("edges {mode} does not call {missing}: {wants}")));
        }
        let numbers = lines.iter().filter_map(|line| line.last()?.parse::<u64>().ok());
        let counted = match mode {
            "stack" => format!("{} bytes of stack at most", numbers.max().unwrap_or(0)),
            "thread" => "a thread with 64 KiB of stack".to_owned(),
            _ => format!("{} calls refused, 0 aborts, nothing changed", numbers.sum::<u64>()),
        };
        say(&format!("edges {mode}: {} functions, {counted}", functions.len()));
    }
    Ok(())
}

/// Returns the names of the functions of the header, but for those of OpenCL devices: what a driver allocates and how much
/// stack it takes is its own affair.
fn functions(header: &str) -> Vec<&str> {
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code.filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next());
    names.filter(|name| name.starts_with("abreast_") && !name.starts_with("abreast_device_")).collect()
}

/// The programs with AddressSanitizer and UndefinedBehaviorSanitizer, linked with a static library that has the first of
/// them in it, too.
pub(crate) fn sanitized(workspace: &Workspace, library: &Path) -> Outcome {
    for program in ["cc", "c++"] {
        need(program)?;
    }
    let folder = workspace.target.join("clients-sanitized");
    files::make_folder(&folder)?;
    let library = library.to_string_lossy();
    let flags = ["-Ifaces/c/include", &*library, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let flags = [&flags[..], &["-lpthread", "-ldl", "-lm"]].concat();
    for client in CLIENTS.iter().chain(EXAMPLES).filter(|client| !client.linked) {
        run(&mut Command::new(compile(client, &flags, &folder)?))?;
    }
    let program = compile(&PLANTED, &flags, &folder)?;
    let faults =
        [("overflow", "signed integer overflow"), ("beyond", "AddressSanitizer: heap-buffer-overflow")];
    faults.into_iter().try_for_each(|(fault, report)| caught(Command::new(&program).arg(fault), report))
}

/// The programs that work with OpenCL devices; and on a machine without such, which is made by a loader that is no library,
/// and by drivers that are nowhere.
pub(crate) fn devices(workspace: &Workspace) -> Outcome {
    for program in ["cc", "c++", "pkg-config", "valgrind"] {
        need(program)?;
    }
    let folder = workspace.target.join("clients-devices");
    let tree = lay_out(workspace, &folder, LIBDIR)?;
    let programs =
        DEVICES.iter().map(|client| build(client, &tree, &folder)).collect::<Result<Vec<_>, _>>()?;
    let loader = tree.join(LIBDIR).join("libOpenCL.so.1");
    files::write(&loader, "no library")?;
    let mut valgrind = Command::new("valgrind");
    // Why the library was not loaded is kept as long as the process runs, in errors of `std`, whose pointers are marked in
    // their lowest bits: Valgrind takes what they point to for possibly lost.
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite"]);
    valgrind.args(["--errors-for-leak-kinds=definite"]).arg(&programs[0]).arg("no-opencl");
    run(loading(&mut valgrind, &tree))?;
    fs::remove_file(&loader).map_err(|error| files::failed(&loader, &error))?;
    let mut without = Command::new(&programs[0]);
    run(loading(without.arg("no-device").env("OCL_ICD_VENDORS", "/nonexistent"), &tree))?;
    for program in &programs {
        let text = capture(loading(&mut Command::new(program), &tree))?;
        say(text.trim_end());
        if let Some(why) = text.trim_end().strip_prefix("skipped: ") {
            return Err(Stop::Skipped(why.to_owned()));
        }
    }
    Ok(())
}

/// Other people's programs, with the provider and the library of an install tree.
pub(crate) fn programs(workspace: &Workspace, arguments: &[&str], long: bool) -> Outcome {
    need("python3")?;
    let folder = workspace.target.join("programs");
    let tree = lay_out(workspace, &folder, "lib")?;
    // Sources and builds are kept from run to run, apart from the tree.
    let mut command = Command::new("python3");
    command.arg(PROGRAMS).args([&tree, &workspace.target.join("programs-kept")]).args(arguments);
    run(command.args(long.then_some("--long")))
}

/// The game server with as many clients as it has by default, for a minute.
pub(crate) fn soak(workspace: &Workspace) -> Outcome {
    for program in ["c++", "cmake"] {
        need(program)?;
    }
    let folder = workspace.target.join("soak");
    game_server(&lay_out(workspace, &folder, "lib")?, &folder, "300", "60")
}

/// Makes a folder anew, with an install tree in it.
pub(crate) fn lay_out(workspace: &Workspace, folder: &Path, libdir: &str) -> Result<PathBuf, Stop> {
    files::remove_folder(folder)?;
    dist::dist(workspace, || workspace.release(), &folder.join("first"), libdir, dist::Extent::All)?;
    let tree = folder.join("moved");
    fs::rename(folder.join("first"), &tree).map_err(|error| files::failed(&tree, &error))?;
    Ok(tree)
}

/// Asks `pkg-config` for the flags of the library in a folder, with those of a static one if asked to.
pub(crate) fn flags_of(libraries: &Path, linked: bool) -> Result<String, Stop> {
    let mut ask = Command::new("pkg-config");
    ask.args(["--cflags", "--libs", "abreast"]).env("PKG_CONFIG_PATH", libraries.join("pkgconfig"));
    if linked {
        ask.arg("--static");
    }
    capture(&mut ask)
}

/// Builds with the flags that `pkg-config` names.
fn build(client: &Client, tree: &Path, folder: &Path) -> Result<PathBuf, Stop> {
    let answer = flags_of(&tree.join(LIBDIR), client.linked)?;
    let mut flags: Vec<&str> = answer.split_whitespace().collect();
    if client.linked {
        flags.push("-static");
    }
    compile(client, &flags, folder)
}

/// Builds with flags that say where the header and the library are.
fn compile(client: &Client, flags: &[&str], folder: &Path) -> Result<PathBuf, Stop> {
    let program = folder.join(client.name);
    let mut compile = Command::new(client.compiler);
    compile.args(client.flags).args(["-g", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]);
    for source in client.sources {
        compile.arg(match source.split_once(' ') {
            Some((document, language)) => example(document, language, client.name, folder)?,
            None => Path::new(SOURCES).join(source),
        });
    }
    run(compile.arg("-o").arg(&program).args(flags))?;
    Ok(program)
}

/// Writes a document's first example in a language to a file; that of README.md is completed.
fn example(document: &str, language: &str, name: &str, folder: &Path) -> Result<PathBuf, Stop> {
    let text = files::read(document)?;
    let text =
        text.split_once(&format!("\n```{language}\n")).and_then(|(_, rest)| rest.split_once("\n```\n"));
    let (text, _) = text.ok_or_else(|| Stop::Failed(format!("{document} has no example in {language}")))?;
    let around = AROUND.iter().find(|it| it.0 == language && document == "README.md");
    let (before, after) = around.map_or(("", ""), |(_, before, after)| (*before, *after));
    let path = folder.join(format!("{name}.{language}"));
    files::write(&path, format!("{before}{text}\n{after}\n"))?;
    Ok(path)
}

/// Lets a program find the library.
fn loading<'c>(command: &'c mut Command, tree: &Path) -> &'c mut Command {
    command.env("LD_LIBRARY_PATH", tree.join(LIBDIR))
}

/// Builds with what `find_package` finds, and runs.
fn by_cmake(library: &str, tree: &Path, folder: &Path) -> Outcome {
    let package = tree.join(LIBDIR).join("cmake/abreast");
    let package = format!("-Dabreast_DIR={}", package.display());
    cmake(SOURCES, folder, &[package, format!("-DLIBRARY={library}")])?;
    for name in ["client", "batches", "misuse", "client_cpp"] {
        run(&mut Command::new(folder.join(name)))?;
    }
    Ok(())
}

/// Builds the game server and runs it with so many clients for so many seconds; a wrong byte is a failure.
fn game_server(tree: &Path, folder: &Path, clients: &str, seconds: &str) -> Outcome {
    let built = folder.join("game-server");
    cmake(GAME_SERVER, &built, &[format!("-DCMAKE_PREFIX_PATH={}", tree.display())])?;
    run(Command::new(built.join("game-server")).args(["--clients", clients, "--seconds", seconds]))
}

/// Builds what has a `CMakeLists.txt`.
fn cmake(sources: &str, folder: &Path, definitions: &[String]) -> Outcome {
    run(Command::new("cmake").args(["-S", sources, "-B"]).arg(folder).args(definitions))?;
    run(Command::new("cmake").arg("--build").arg(folder))
}
