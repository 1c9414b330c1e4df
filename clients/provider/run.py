#!/usr/bin/env python3
"""Runs programs of Debian, unmodified, with abreast as their provider of OpenSSL: the rows of programs.toml.

Each row is a script for the shell, and the ciphers whose bytes the provider must have reported when it has ended. In a folder of its
own, with a certificate, a key and a page, the script finds `$ours`, words before a command that is to have the provider; `port 1` to
`port 9`, ports that nobody listens at; and `patiently COMMAND`, which waits until a command succeeds; `listens PORT`. What it starts in the background is ended with it.
"""

import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent

# Debian keeps servers where users do not look.
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"

PREFERRED = HERE.parent.parent / "faces" / "openssl" / "tests" / "preferred.cnf"

PRELUDE = """\
set -eu
ours="env OPENSSL_CONF=$PWD/ours.cnf OPENSSL_MODULES=$MODULES"
port() { echo "$PORTS" | cut -d' ' -f"$1"; }
patiently() { n=0; while ! "$@" > /dev/null 2>&1; do n=$((n + 1)); [ $n -lt 300 ] || { echo "waited in vain: $*" >&2; return 1; }; sleep 0.1; done; }
listens() { patiently python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1"; }
"""


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [str(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def modules_of_tree():
    """Returns the folder with the provider in the install tree, a whole path: programs run elsewhere."""
    return str(next(pathlib.Path(os.environ["TREE"]).resolve().glob("lib/**/abreast.so")).parent)


def furnish(folder, settings=""):
    """Writes a certificate with its key to a folder, and the configuration that prefers the provider, with these settings."""
    (folder / "ours.cnf").write_text(f"{PREFERRED.read_text()}[abreast_section]\nactivate = 1\n{settings}")
    certificate = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    certificate += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(certificate, cwd=folder, check=True, capture_output=True)


def run(row, modules):
    """Runs a row and returns the bytes of each cipher."""
    with tempfile.TemporaryDirectory(prefix="abreast-") as folder:
        folder = pathlib.Path(folder)
        # Servers that give up their rights read and write here.
        folder.chmod(0o755)
        report = folder / "report"
        report.touch()
        report.chmod(0o666)
        furnish(folder, f"report = {report}\n")
        (folder / "page.bin").write_bytes(random.randbytes(1_000_000))
        (folder / "both.pem").write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
        environment = os.environ | {"MODULES": modules, "PATH": PATH, "PORTS": " ".join(free_ports(9)), "HERE": str(HERE)}
        for name in ("OPENSSL_CONF", "OPENSSL_MODULES"):
            environment.pop(name, None)
        script = subprocess.Popen(
            ["sh", "-c", PRELUDE + row["script"]], cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            status = script.wait(row.get("limit", 60))
        except subprocess.TimeoutExpired:
            status = "time limit"
        finally:
            end(script)
        if status:
            sys.exit(f"{row['name']}: exit status {status}")
        counts = collections.Counter()
        for line in report.read_text().splitlines():
            _, cipher, _, count = line.split()
            counts[cipher] += int(count)
        return counts


def end(script):
    """Ends a script and all that it has started, which are a session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(script.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            script.wait(10)
            break


def main():
    # Ended as by Ctrl-C, so that what a script has started ends with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows = tomllib.loads((HERE / "programs.toml").read_text())["program"]
    modules = modules_of_tree()
    names = sys.argv[1:]
    ran = failed = missing = 0
    for row in rows:
        if names and row["name"] not in names or not names and row.get("long") and not os.environ.get("LONG"):
            continue
        lacking = [it for it in row["needs"] if not os.path.exists(it) and not shutil.which(it, path=PATH)]
        if lacking:
            print(f"{row['name']}: not run: {', '.join(lacking)} of {row['package']} is not installed", flush=True)
            missing += 1
            continue
        version = subprocess.run(["dpkg-query", "-Wf", "${Version}", row["package"]], capture_output=True, text=True).stdout
        try:
            counts = run(row, modules)
            for cipher, least in row["report"].items():
                if counts[cipher] < least:
                    sys.exit(f"{row['name']}: {counts[cipher]} bytes of {cipher} went through the provider, of at least {least}")
            bytes_of = ", ".join(f"{counts[cipher]} bytes of {cipher}" for cipher in row["report"])
            print(f"{row['name']} {version}: passed, {bytes_of}", flush=True)
            ran += 1
        except (SystemExit, OSError, ValueError, subprocess.SubprocessError) as why:
            print(f"{row['name']} {version}: FAILED: {why}", flush=True)
            failed += 1
    if failed:
        sys.exit(1)
    if missing and not ran:
        sys.exit(77)
    if missing and os.environ.get("ABREAST_NO_SKIP") == "1":
        sys.exit("no program may be missing here")


if __name__ == "__main__":
    main()
