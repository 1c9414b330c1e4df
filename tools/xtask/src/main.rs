//! Development tasks: `cargo xtask test` runs every test there is, `cargo xtask ci` every other check.
//!
//! The checks live here rather than in scripts so that they are the same on every machine. A task is a list
//! of [`steps`]; what a machine cannot run is skipped by name, and `ABREAST_NO_SKIP=1` makes that a failure.
#![forbid(unsafe_code)]

mod abi;
mod answers;
mod archives;
mod bindings;
mod book;
mod bundles;
mod ci;
mod clients;
mod ct;
mod dependencies;
mod dist;
mod files;
mod frames;
mod gate;
mod gpu;
mod header;
mod layering;
mod links;
mod live;
mod man;
mod mca;
mod miri;
mod modules;
mod notices;
mod openssl;
mod outcome;
mod packages;
mod pages;
mod peers;
mod process;
mod prose;
mod prove;
mod python;
mod release;
mod reproducible;
mod sanitize;
mod sbom;
mod source;
mod steps;
mod tally;
mod targets;
mod test;
mod test_programs;
mod weight;
mod workspace;

use std::process::ExitCode;

use outcome::Stop;
use steps::{Plan, alone};
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask TASK

  all [--long]               all tests and all checks, two steps at a time; what each writes is in target/steps too
  test [--long]              every test there is; --long runs the ignored ones too, the game server for a
                             minute, and the differential tester for an hour
  clients [opencl]           the programs in C and C++ among them; opencl: those for OpenCL devices
  answers [--write]          the known answers of each set, through Rust and through C at every kernel, beside the counts of
                             judges/vectors/answers.txt, which may only grow; --write writes them
  programs [NAME..] [--sources DIR] [--long]
                             other people's programs on abreast, with their own tests: clients/clients.toml; DIR has sources that
                             cannot be downloaded
  python [--long]            the Python package: its types, its tests, its examples; --long installs it by pip too
  engines                    its examples by Ray and by Spark, which needs Java
  wheels DIR                 wheels of it for x86-64 and AArch64 Linux
  ct [--long]                nothing that the machine code does depends on secrets: memcheck with secrets marked as
                             undefined, single steps for AVX-512, VAES and GFNI, and in qemu for AArch64; --long has
                             more lengths and secrets, and takes steps through all modes
  prove [TEXT] [--long]      the machine code of libabreast computes the ciphers and modes, for all keys and all messages of some
                             lengths; TEXT: the claims whose titles hold it; --long has every kernel, mode and length
  opinion                    another program, ABC, compares some of the code with its specifications as circuits of gates
  residue [--long]           nothing of keys and messages is left in memory, of the library and of the command
  targets [--long]           compiles for Windows, macOS and WebAssembly; --long runs the tests in Wine, Node and Chromium,
                             on i686, s390x, RISC-V and AArch64, and prints the answers checked on each
  miri [--long]              the C interface in Miri, which needs a nightly compiler; --long adds the laws of the vectors, every
                             operation, another order of bytes, and both sets of rules about references
  sanitize                   tests, operations and the programs in C and C++ with AddressSanitizer, all that has threads with
                             ThreadSanitizer; needs a nightly compiler
  ci [--long]                every check below; --long for that of the dependencies, and of the command by the oldest
                             compiler, too

  fmt                        formatting
  locks                      the locks of what is apart from the workspace, the peers, the fuzzer and the proofs, are true
  clippy                     lints, warnings denied
  doc                        documentation of what is published, warnings denied
  links                      links, headings and paths in back-ticks of the documents are there
  book [DIR]                 the book, by mdbook, as a folder for any static server: target/book or DIR
  live [DIR]                 the module that runs steps of ladders in the reader's browser: in target/live or DIR, for
                             abreast-bench ladder --html FILE --live target/live/live-module.js, or beside a built book
  book --examples            the command prints what the book shows
  gate [--target TRIPLE]     no vector intrinsic is called out of line, the kernels are there, and their frames are aligned
  gate --levels              the same at the other levels of optimisation, without optimisation across units
  gate --self-test           the gate catches what it is for
  layering                   who may depend on whom, down to the files of the library, and who may write `unsafe`
  prose                      no summary of documentation begins with a word such as What, Where or Whether
  header --check             the C header is what its sources say; without --check, writes it
  abi [--write]              libabreast has all that programs linked with the baseline, faces/c/install/abi.txt, rely on;
                             --write renews the baseline
  deny                       licences, advisories and sources of all dependencies, by cargo-deny
  dependencies               book/src/dependencies.md has a true row for each crate that what is shipped depends on
  notices [--write]          the licences of third-party crates that are handed out with each product are those of its crates;
                             --write writes them
  reproducible [DIR DIR]     two releases of the last commit, made in two folders, and an install tree made of the
                             archive of sources without a network, are the same bytes; DIR DIR: those in two folders
  features                   the library compiles with each set of features, without `std` too
  pages                      the pages that abreast-bench writes, in Chromium: light and dark, wide and narrow, and steps
                             that run in the browser
  packages                   what is published compiles with its tests without the rest of the repository
  weight [--long]            what a dependent pays: seconds and memory of builds, bytes of the library and of the command,
                             beside the limits of tools/xtask/weight.txt; --long adds builds with all features
  msrv                       what is published builds with the oldest compiler it promises

  peers [ARGUMENTS]          measures abreast beside OpenSSL, AWS-LC, Botan and others, which takes minutes to build;
                             --quick, --only PATTERN, --json FILE
  places [TEXT]              what the place of the stack does to each kernel, called from C; TEXT: to those whose rows hold it
  gpu-report [NAME]          every kernel on the OpenCL devices of this machine, or on that of a name: checked against the CPU
                             and measured; after a first build it needs no network
  mca LADDER                 the loops of a ladder's steps, rc4 or serpent, as llvm-mca sees them
  dist DIR [LIBDIR]          the command, the C and C++ library and the provider for OpenSSL as an install tree, the libraries in lib
                             or in LIBDIR below DIR, with bills of materials
  dist DIR [LIBDIR] --ciphers LIST
                             the C and C++ library alone, with AES and the ciphers of LIST: aes,aez,rc4,serpent,tea,xtea
  bundles [DIR]              the command as a static program for x86-64 and AArch64, in archives and packages of Debian, in
                             DIR; without DIR, those of the release build and the packages of libabreast, twice, to compare
  sbom DIR                   the bills of materials alone: CycloneDX in JSON for all products
  release [DIR | --dry-run]  all files of a release, of the last commit, in target/release-VERSION or in DIR; --dry-run says
                             what it would do and what is in the way of it
  release --try DIR          installs them on a new Debian and in an empty root, and seals a file, imports the Python package
                             and compiles a program in C, each with its seconds

ABREAST_NO_SKIP=1 in the environment turns a skipped step into a failed one.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let workspace = match Workspace::enter() {
        Ok(workspace) => workspace,
        Err(Stop::Failed(why) | Stop::Skipped(why)) => {
            eprintln!("xtask: {why}");
            return ExitCode::FAILURE;
        }
    };

    if let Err(error) = process::catch_signals() {
        eprintln!("xtask: signals: {error}");
        return ExitCode::FAILURE;
    }
    let long = args.contains(&"--long");
    let task: Vec<&str> = args.into_iter().filter(|arg| *arg != "--long").collect();
    let mut plan = Plan::default();
    match task.as_slice() {
        ["all"] => {
            ci::quick(&mut plan, &workspace);
            test::all(&mut plan, &workspace, long);
            ci::slow(&mut plan, &workspace, long);
        }
        ["test"] => test::all(&mut plan, &workspace, long),
        ["ci"] => {
            ci::quick(&mut plan, &workspace);
            ci::slow(&mut plan, &workspace, long);
        }
        ["python"] => return alone(|| python::check(&workspace, long)),
        ["engines"] => return alone(|| python::engines(&workspace)),
        ["wheels", folder] => return alone(|| python::wheels(&workspace, folder.as_ref())),
        ["ct"] => ct::all(&mut plan, &workspace, long),
        ["prove", only @ ..] if only.len() <= 1 => return alone(|| prove::check(&workspace, long, only)),
        ["opinion"] => return alone(|| prove::opinion(&workspace)),
        ["residue"] => return alone(|| ct::residue(&workspace, long)),
        ["targets"] => return alone(|| targets::check(&workspace, long)),
        ["miri"] => return alone(|| miri::check(long)),
        ["sanitize"] => return alone(|| sanitize::check(&workspace)),
        ["fmt"] => return alone(ci::fmt),
        ["locks"] => return alone(ci::locks),
        ["clippy"] => return alone(ci::clippy),
        ["doc"] => return alone(|| ci::doc(&workspace)),
        ["links"] => return alone(links::check),
        ["book"] => return alone(|| book::build(&workspace.target.join("book"))),
        ["book", "--examples"] => return alone(|| book::examples(&workspace)),
        ["book", folder] => return alone(|| book::build(folder.as_ref())),
        ["answers"] => return alone(|| answers::check(&workspace)),
        ["answers", "--write"] => return alone(|| answers::write(&workspace)),
        ["abi"] => return alone(|| abi::check(&workspace)),
        ["abi", "--write"] => return alone(|| abi::write(&workspace)),
        ["deny"] => return alone(ci::deny),
        ["dependencies"] => return alone(|| dependencies::check(&workspace)),
        ["notices"] => return alone(notices::check),
        ["notices", "--write"] => return alone(notices::write),
        ["reproducible"] => return alone(|| reproducible::check(&workspace)),
        ["reproducible", one, other] => return alone(|| reproducible::same(one.as_ref(), other.as_ref())),
        ["bundles"] => return alone(|| bundles::check_form(&workspace)),
        ["bundles", folder] => return alone(|| bundles::build(&workspace, folder.as_ref())),
        ["sbom", folder] => return alone(|| sbom::write(&workspace, folder.as_ref())),
        ["release"] => return alone(|| release::release(&workspace, None, false)),
        ["release", "--dry-run"] => return alone(|| release::rehearse(&workspace)),
        ["release", "--try", folder] => return alone(|| release::try_out(folder)),
        ["release", folder] => return alone(|| release::release(&workspace, Some(folder), false)),
        ["features"] => return alone(|| ci::features(true)),
        ["gate"] => return alone(|| gate::gate(&workspace, &workspace.host)),
        ["gate", "--target", target] => return alone(|| gate::gate(&workspace, target)),
        ["gate", "--levels"] => return alone(|| gate::levels(&workspace)),
        ["gate", "--self-test"] => return alone(|| gate::self_test(&workspace)),
        ["layering"] => return alone(|| layering::check(&workspace)),
        ["prose"] => return alone(prose::check),
        ["clients"] => return alone(|| clients::run_all(&workspace)),
        ["clients", "opencl"] => return alone(|| clients::devices(&workspace)),
        ["programs", arguments @ ..] => return alone(|| clients::programs(&workspace, arguments, long)),
        ["places", pattern @ ..] if pattern.len() <= 1 => {
            return alone(|| clients::places(&workspace, pattern));
        }
        ["peers", arguments @ ..] => return alone(|| peers::measure(&workspace, arguments)),
        ["gpu-report", name @ ..] if name.len() <= 1 => return alone(|| gpu::report(name)),
        ["mca", ladder] => return alone(|| mca::show(&workspace, ladder)),
        ["dist", folder] => return alone(|| dist::build(&workspace, folder.as_ref(), "lib")),
        ["dist", folder, "--ciphers", ciphers] => {
            return alone(|| dist::build_library(&workspace, folder.as_ref(), "lib", ciphers));
        }
        ["dist", folder, libdir, "--ciphers", ciphers] => {
            return alone(|| dist::build_library(&workspace, folder.as_ref(), libdir, ciphers));
        }
        ["dist", folder, libdir] => return alone(|| dist::build(&workspace, folder.as_ref(), libdir)),
        ["header"] => return alone(header::write),
        ["header", "--check"] => return alone(header::check),
        ["live"] => return alone(|| live::write(&workspace, &workspace.target.join("live"))),
        ["live", folder] => return alone(|| live::write(&workspace, folder.as_ref())),
        ["pages"] => return alone(|| pages::check(&workspace)),
        ["packages"] => return alone(|| packages::check(&workspace)),
        ["weight"] => return alone(|| weight::check(&workspace, long)),
        ["msrv"] => return alone(|| ci::msrv(&workspace, true)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    plan.run(&workspace.target.join("steps"))
}
