//! The Python package: what it says of its types is true, its tests and examples pass, and its wheels.
//!
//! The module is the one of the release build, put beside the package's files, so that it is not compiled a second time. How
//! pip builds it is for `--long`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::abi;
use crate::archives::epoch;
use crate::outcome::{Outcome, Stop};
use crate::process::{need, need_target, run, run_for};
use crate::workspace::{AARCH64, Workspace, fixed_names};

/// The member that the module is built of.
const PACKAGE: &str = "abreast-python";
const FOLDER: &str = "faces/python";

/// The packages from PyPI that the tests and examples need.
const PACKAGES: [&str; 19] = [
    "argon2-cffi>=25",
    "cryptography>=50",
    "dask[distributed]>=2026.1",
    "duckdb>=1.4",
    "fsspec>=2026.1",
    "hypothesis>=6.100",
    // Moto brings boto3 in a version that goes with what s3fs brings. With a boto3 asked for besides, some versions of pip
    // find no solution.
    "moto[server,s3]>=5.1",
    "mypy>=1.18",
    "numpy>=2",
    "pandas>=2.2",
    "pandas-stubs>=2.2",
    "polars>=1.30",
    "pyarrow>=20",
    "pycryptodome>=3.20",
    "pyright[nodejs]>=1.1.400",
    "pytest>=8",
    "s3fs>=2025.1",
    "tqdm>=4",
    "typing-extensions>=4.13",
];

/// The time limit of all tests of the package.
const LIMIT: Duration = Duration::from_secs(900);

/// A Python with packages from PyPI.
pub(crate) fn environment(workspace: &Workspace, packages: &[&str]) -> Result<PathBuf, Stop> {
    let venv = workspace.target.join("venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        need("python3")?;
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
            .map_err(|_| Stop::Skipped("python3 cannot make a virtual environment".to_owned()))?;
    }
    // Most of the modules are never imported: those that are compile when they are.
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-compile"]).args(packages))
        .map_err(|_| Stop::Skipped(format!("pip cannot install {}", packages.join(", "))))?;
    Ok(python)
}

/// Types, tests, documentation and examples.
pub(crate) fn check(workspace: &Workspace, long: bool) -> Outcome {
    let python = environment(workspace, &PACKAGES)?;
    let installed = lay_out(workspace)?;
    // The C interface, whose columns and those of Python open each other.
    let made = workspace.release()?;
    let library = abi::library(&made)?;
    let tool = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.arg("-m").args(arguments).env("PYTHONPATH", &installed);
        command.env("ABREAST_LIBRARY", library);
        // Without the folder of the sources on the path, where the package has no module.
        command.current_dir(&installed);
        command
    };
    let sources = std::env::current_dir().map_err(|error| error.to_string())?.join(FOLDER);
    let path = |name: &str| sources.join(name).to_string_lossy().into_owned();
    let settings = path("pyproject.toml");
    run(&mut tool(&["mypy", "--config-file", &settings, "--strict", "abreast"]))?;
    run(&mut tool(&["mypy.stubtest", "--mypy-config-file", &settings, "abreast._abreast"]))?;
    run(tool(&["pyright", "--project", &settings]).arg("--pythonpath").arg(&python))?;
    let chosen = if long { "long or not long" } else { "not long" };
    run_for(LIMIT, &mut tool(&["pytest", "-c", &settings, "-m", chosen, &path("tests")]))?;
    run_for(LIMIT, &mut tool(&["pytest", "-c", &settings, "--doctest-modules", "--pyargs", "abreast"]))?;
    let book = ["python", "porting", "columns", "parquet"].map(|page| format!("../../book/src/{page}.md"));
    for document in book.iter().map(String::as_str).chain(["README.md"]) {
        run(&mut tool(&["pytest", "-c", &settings, "--doctest-glob=*.md", &path(document)]))?;
    }
    let readme = fs::read_to_string("README.md").map_err(|error| format!("README.md: {error}"))?;
    let block = readme.split_once("\n```py\n").and_then(|(_, rest)| rest.split_once("\n```\n"));
    let (text, _) = block.ok_or_else(|| "README.md has no example in py".to_owned())?;
    run(Command::new(&python).args(["-c", text]).env("PYTHONPATH", &installed).current_dir(&installed))?;
    for program in ["columns.py", "cluster.py", "engines.py"] {
        example(&python, &installed, program, &[])?;
    }
    // The measurements of columns, with too few values for figures: that they run, and that other packages open the values.
    let mut measured = Command::new(&python);
    measured.arg(path("bench/columns.py")).args(["--rows", "2000", "--trials", "1"]);
    run_for(LIMIT, measured.env("PYTHONPATH", &installed).current_dir(&installed))?;
    if long {
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"])
            .arg(&sources))?;
        let once = "import abreast; assert abreast.AESGCM(bytes(16)).encrypt(bytes(12), b'') != b''";
        run(Command::new(&python).args(["-c", once]).current_dir(&workspace.target))?;
        run(Command::new(&python).args(["-m", "pip", "uninstall", "--quiet", "--yes", "abreast"]))?;
    }
    Ok(())
}

/// The examples by Ray and by Spark, which are 600 MB to download.
pub(crate) fn engines(workspace: &Workspace) -> Outcome {
    need("java")?;
    let python = environment(workspace, &PACKAGES)?;
    environment(workspace, &["pyspark>=4", "ray>=2.50"])?;
    let installed = lay_out(workspace)?;
    example(&python, &installed, "columns.py", &[])?;
    example(&python, &installed, "engines.py", &["ray"])?;
    example(&python, &installed, "engines.py", &["spark"])
}

/// Runs an example.
fn example(python: &Path, installed: &Path, program: &str, arguments: &[&str]) -> Outcome {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?.join("examples");
    let mut command = Command::new(python);
    command.arg(folder.join(program)).args(arguments);
    run_for(LIMIT, command.env("PYTHONPATH", installed).current_dir(installed))
}

/// The package with the module of the release build, in a folder for `PYTHONPATH`.
fn lay_out(workspace: &Workspace) -> Result<PathBuf, Stop> {
    let made = workspace.release()?;
    let mut files = made.iter().filter(|made| made.package == PACKAGE).flat_map(|made| &made.files);
    let module = files.rfind(|file| file.extension().is_some_and(|it| it == "so"));
    let module = module.ok_or_else(|| Stop::Failed("cargo built no module for Python".to_owned()))?;
    let folder = workspace.target.join("python");
    let package = folder.join("abreast");
    let failed = |error: std::io::Error| Stop::Failed(format!("{}: {error}", package.display()));
    if package.exists() {
        fs::remove_dir_all(&package).map_err(failed)?;
    }
    copy_sources(&Path::new(FOLDER).join("abreast"), &package).map_err(failed)?;
    fs::copy(module, package.join("_abreast.abi3.so")).map_err(failed)?;
    Ok(folder)
}

/// Copies the files of a package and of those in it.
fn copy_sources(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_file() {
            fs::copy(&path, to.join(name))?;
        } else if name != "__pycache__" {
            copy_sources(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// The targets of wheels, and the oldest C library that each takes.
const WHEELS: [(&str, &str); 4] = [
    ("x86_64-unknown-linux-gnu", "manylinux_2_28"),
    (AARCH64, "manylinux_2_28"),
    ("x86_64-unknown-linux-musl", "musllinux_1_2"),
    ("aarch64-unknown-linux-musl", "musllinux_1_2"),
];

/// Wheels for both architectures with kernels of their own, by maturin; zig links them for old C libraries.
pub(crate) fn wheels(workspace: &Workspace, folder: &Path) -> Outcome {
    let python = environment(workspace, &["maturin==1.16.0", "ziglang==0.17.1"])?;
    // Maturin runs zig as a module of the first `python3` on the path.
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = python.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&inherited));
    let path = std::env::join_paths(folders).map_err(|error| error.to_string())?;
    let manifest = Path::new(FOLDER).join("Cargo.toml");
    let sources = std::env::current_dir().map_err(|error| error.to_string())?;
    // Maturin takes flags from the environment, and adds its own to them, instead of those of `.cargo/config.toml`.
    let flags = format!("-Csymbol-mangling-version=v0 {}", fixed_names(&sources)?.join(" "));
    for (target, compatibility) in WHEELS {
        need_target(target)?;
        let mut command = Command::new(&python);
        command.env("PATH", &path).env("SOURCE_DATE_EPOCH", epoch()?);
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.replace(' ', "\x1f"));
        command.args([
            "-m",
            "maturin",
            "build",
            "--release",
            "--locked",
            "--zig",
            "--compatibility",
            compatibility,
        ]);
        command.args(["--target", target, "--manifest-path"]).arg(&manifest).arg("--out").arg(folder);
        run(&mut command)?;
    }
    Ok(())
}
