#!/usr/bin/env python3
"""Runs other people's programs on abreast, each with its program's own tests: `cargo xtask programs`.

usage: run.py TREE WORK [--long] [--sources DIR] [NAME..]

TREE is an install tree, WORK a folder for sources and builds, NAME a client of clients.toml. A source is taken from DIR, from WORK,
or from Debian by apt-get, jars by mvn, and checksums are compared. A client that lacks its source or a program says so, and is not
run.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# The time limit of a client.
LIMIT = 3000


class NotRun(Exception):
    """A client that cannot be run here, and the reason."""


def right(folder, files):
    """True if all files of a source are in a folder, with their checksums."""
    paths = [folder / name for name in files]
    if not all(path.is_file() for path in paths):
        return False
    for path, checksum in zip(paths, files.values()):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != checksum:
            sys.exit(f"{path} has the SHA-256 {found}: it must have {checksum}")
    return True


def debian(package, version, files, given, work):
    """Returns the folder of a source package of Debian, unpacked."""
    store = work / "sources"
    store.mkdir(parents=True, exist_ok=True)
    unpacked = store / f"{package}-{version}"
    if unpacked.exists():
        return unpacked
    if given and right(given, files):
        store = given
    elif not right(store, files):
        fetch(package, version, store)
        if not right(store, files):
            raise NotRun(f"its source {package} {version} is not there: name its folder by --sources")
    description = next(name for name in files if name.endswith(".dsc"))
    if not shutil.which("dpkg-source"):
        raise NotRun("dpkg-source of dpkg-dev is not installed")
    part = unpacked.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    subprocess.run(["dpkg-source", "--no-check", "-x", store / description, part], check=True, stdout=subprocess.DEVNULL)
    part.rename(unpacked)
    return unpacked


def fetch(package, version, store):
    """Downloads a source package by apt-get, with lists of its own: the machine's may name no sources."""
    lists, places = store / "lists", store / "places"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    places.mkdir(exist_ok=True)
    for path in pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"):
        text = path.read_text()
        if "debian" in text:
            (places / path.name).write_text(re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M))
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=-", "-o", f"Dir::Etc::sourceparts={places}"]
    apt += ["-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    for arguments in (["update"], ["source", "--download-only", f"{package}={version}"]):
        # The answer is whether the files are there.
        subprocess.run([*apt, *arguments], cwd=store, timeout=120, check=False)


def jars(rows, given, work):
    """Returns the class path of jars, which are named by group, name and version."""
    files = {"-".join(name.split(":")[1:]) + ".jar": checksum for name, checksum in rows.items()}
    store = work / "sources"
    store.mkdir(parents=True, exist_ok=True)
    if given and right(given, files):
        store = given
    elif not right(store, files):
        for name in rows if shutil.which("mvn") else ():
            copy = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={name}", f"-DoutputDirectory={store}"]
            # The answer is whether the files are there.
            subprocess.run(copy, cwd=store, timeout=120, check=False, stdout=subprocess.DEVNULL)
        if not right(store, files):
            raise NotRun(f"its jars {', '.join(files)} are not there: name their folder by --sources, or install mvn")
    return ":".join(str(store / name) for name in files)


def client(row, options):
    """Runs one client."""
    for program in row.get("needs", []):
        if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
            raise NotRun(f"{program} is not installed")
    work = options.work / row["name"]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    environment = os.environ | {
        "TREE": str(options.tree),
        "WORK": str(work),
        "LONG": "1" if options.long else "",
        "SOURCES": str(options.sources or ""),
        # Builds of crates are kept from run to run.
        "CARGO_TARGET_DIR": str(options.work / "crates"),
    }
    if "debian" in row:
        source = debian(row["debian"], row["version"], row["files"], options.sources, options.work)
        shutil.copytree(source, work / "source", symlinks=True)
    if "jars" in row:
        environment["CLASSPATH"] = jars(row["jars"], options.sources, options.work)
    command = [HERE / row["name"] / word if word.startswith("run.") else word for word in row["command"]]
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) as program:
        try:
            program.wait(LIMIT)
        except subprocess.TimeoutExpired:
            # It ends what it has started before it ends itself.
            program.terminate()
            try:
                program.wait(30)
            except subprocess.TimeoutExpired:
                program.kill()
            sys.exit(f"it has not ended within {LIMIT} s")
    # By the words on standard error, a program that is missing or a source.
    if program.returncode == 77:
        raise NotRun("what it lacks is named above")
    if program.returncode:
        sys.exit(f"exit status {program.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    options.tree, options.work = options.tree.resolve(), options.work.resolve()
    options.sources = options.sources and options.sources.resolve()
    rows = tomllib.loads((HERE / "clients.toml").read_text())["client"]
    known = [row["name"] for row in rows]
    for name in options.names:
        if name not in known:
            sys.exit(f"{name} is no client: {', '.join(known)}")
    results = []
    for row in rows:
        if options.names and row["name"] not in options.names:
            continue
        if not options.names and row.get("long") and not options.long:
            results.append((row["name"], "not run: it is for --long", None))
            continue
        print(f"== {row['name']}", flush=True)
        begin = time.monotonic()
        try:
            client(row, options)
            results.append((row["name"], f"passed, {time.monotonic() - begin:.1f} s", True))
        except NotRun as why:
            results.append((row["name"], f"not run: {why}", None))
        except (SystemExit, OSError, subprocess.SubprocessError) as why:
            results.append((row["name"], f"FAILED: {why}", False))
    for name, result, _ in results:
        print(f"{name}: {result}")
    count = [sum(ended is which for *_, ended in results) for which in (True, False, None)]
    print(f"clients: {count[0]} passed, {count[1]} failed, {count[2]} not run")
    if not count[0] and not count[1]:
        print("no client has run, which is no pass")
    sys.exit(0 if count[0] and not count[1] else 1)


if __name__ == "__main__":
    main()
