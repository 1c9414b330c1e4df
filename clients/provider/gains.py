#!/usr/bin/env python3
"""Prints the time that unmodified programs take with OpenSSL's own ciphers and with abreast's, in turns: for a quiet machine.

usage: TREE=DIR gains.py [PROGRAM..]

TREE is an install tree with the provider, PROGRAM the first word of a row: python, sqlcipher, nginx, haproxy, tor. Each program moves much data, so that little of its time is the start. The provider reports
nothing meanwhile: a report is a call of the system for each context, and SQLCipher has one for each page. A run before proves that the
provider is used.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from run import HERE, PATH, PRELUDE, end, free_ports, furnish, modules_of_tree

TRIALS = 5
MEGABYTES = 400

KEY = "PRAGMA key = 'open sesame';"
ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
WRITE = f"{KEY} PRAGMA journal_mode = OFF; CREATE TABLE t(i, b); INSERT INTO t {ROWS} SELECT i, hex(zeroblob(i % 900)) FROM n;"
READ = f"{KEY} SELECT sum(length(b)) FROM t;"

TLS = f"""
import time
from tls import SUITES, ends, until_done
client, server = ends(*SUITES[SUITE])
until_done(client.do_handshake, server.do_handshake)
piece = bytes(1 << 14)
begin = time.process_time()
for _ in range({MEGABYTES} * 64):
    client.write(piece)
    server.read(1 << 14)
print(time.process_time() - begin)
"""

NGINX = """
daemon off; master_process off; pid {place}/nginx.pid; error_log {place}/error.log;
events {{}}
http {{ access_log off; client_body_temp_path {place}/b; proxy_temp_path {place}/p; fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u;
scgi_temp_path {place}/s;
server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {place}/cert.pem; ssl_certificate_key {place}/key.pem; root {place}; }} }}
"""

HAPROXY = """
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
frontend front
    bind 127.0.0.1:{port} ssl crt both.pem ciphersuites TLS_AES_256_GCM_SHA384
    default_backend back
backend back
    server one 127.0.0.1:{plain}
"""


TOR = """
. "$HERE/tor.sh"
network
echo $relays > relays
wait
"""


def processor_time(pid):
    """Returns the seconds of CPU time that the threads of a process have taken, which end with it."""
    return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def by_ssl(suite):
    def run(place, environment):
        script = ["/usr/bin/python3", "-c", TLS.replace("SUITE]", f"{suite}]")]
        environment = environment | {"PYTHONPATH": str(HERE)}
        return float(subprocess.run(script, cwd=place, env=environment, check=True, capture_output=True, text=True).stdout)

    return run


def by_sqlcipher(statements, anew):
    def run(place, environment):
        if anew:
            (place / "one.db").unlink(missing_ok=True)
        before = os.times()
        subprocess.run(["sqlcipher", "one.db"], input=statements, cwd=place, env=environment, check=True, capture_output=True, text=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return run


def fetched(server, port, place, environment):
    """Returns the CPU time of a server for the page, which curl has asked for once before."""
    with subprocess.Popen(server, cwd=place, env=environment) as server:
        try:
            get = ["curl", "--silent", "--fail", "--retry", "20", "--retry-connrefused", "--retry-delay", "1", "--cacert", "cert.pem"]
            get += ["--output", "/dev/null", f"https://localhost:{port}/page.bin"]
            subprocess.run(get, cwd=place, check=True)
            before = processor_time(server.pid)
            subprocess.run(get, cwd=place, check=True)
            return processor_time(server.pid) - before
        finally:
            server.terminate()


def by_nginx(place, environment):
    port = free_ports(1)[0]
    (place / "nginx.conf").write_text(NGINX.format(place=place, port=port))
    return fetched(["nginx", "-e", "error.log", "-c", place / "nginx.conf"], port, place, environment)


@contextlib.contextmanager
def serving(folder, port):
    """Has the files of a folder to hand out, without TLS."""
    command = ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", port]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.terminate()


def by_haproxy(place, environment):
    port, plain = free_ports(2)
    (place / "haproxy.cfg").write_text(HAPROXY.format(port=port, plain=plain))
    (place / "both.pem").write_text((place / "cert.pem").read_text() + (place / "key.pem").read_text())
    with serving(place, plain):
        return fetched(["haproxy", "-db", "-f", "haproxy.cfg"], port, place, environment)


# The networks of tor that run, by the configuration of OpenSSL: one takes a minute to start.
NETWORKS = {}


def network(place, environment):
    """Returns the port of a network's client and the numbers of its processes, and starts it if it does not run."""
    configuration = environment.get("OPENSSL_CONF")
    if configuration not in NETWORKS:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tor-", dir=place))
        ports = free_ports(7)
        given = environment | {"HERE": str(HERE), "PORTS": " ".join(ports), "MODULES": ""}
        # The environment has the provider, or has none: the scripts' words before a command are not wanted.
        script = subprocess.Popen(["sh", "-c", f"{PRELUDE}ours=\n{TOR}"], cwd=folder, env=given, start_new_session=True)
        NETWORKS[configuration] = script, folder / "relays", ports[6]
    script, relays, port = NETWORKS[configuration]
    while not relays.exists() or not relays.read_text().endswith("\n"):
        if script.poll() is not None:
            raise SystemExit("the network of tor has not started")
        time.sleep(0.1)
    return port, relays.read_text().split()


def by_tor(place, environment):
    port, processes = network(place, environment)
    (place / "part").mkdir(exist_ok=True)
    with (place / "part" / "page.bin").open("wb") as page:
        page.truncate(MEGABYTES << 16)
    plain = free_ports(1)[0]
    with serving(place / "part", plain):
        get = ["curl", "--silent", "--fail", "--retry", "20", "--retry-all-errors", "--retry-delay", "1", "--output", "/dev/null"]
        get += ["--proxy", f"socks5h://127.0.0.1:{port}", f"http://127.0.0.1:{plain}/page.bin"]
        before = sum(map(processor_time, processes))
        subprocess.run(get, cwd=place, check=True)
        return sum(map(processor_time, processes)) - before


PROGRAMS = {
    f"Python's ssl, {MEGABYTES} MB by TLS 1.3, AES-256-GCM": by_ssl(0),
    f"Python's ssl, {MEGABYTES} MB by TLS 1.2, AES-128-GCM": by_ssl(1),
    "SQLCipher, 200000 rows written": by_sqlcipher(WRITE, True),
    "SQLCipher, 200000 rows read": by_sqlcipher(READ, False),
    f"nginx, {MEGABYTES} MB to curl": by_nginx,
    f"haproxy, {MEGABYTES} MB from a server without TLS to curl": by_haproxy,
    f"tor, {MEGABYTES >> 4} MB from a server without TLS to curl, a client and three relays": by_tor,
}


def end_networks():
    """Ends the networks of tor."""
    for script, _, _ in NETWORKS.values():
        end(script)
    NETWORKS.clear()


def main():
    os.environ["PATH"] = PATH
    modules = modules_of_tree()
    with tempfile.TemporaryDirectory(prefix="abreast-", ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        place = pathlib.Path(folder)
        report = place / "report"
        furnish(place)
        (place / "reporting.cnf").write_text(f"{(place / 'ours.cnf').read_text()}report = {report}\n")
        with (place / "page.bin").open("wb") as page:
            page.truncate(MEGABYTES << 20)
        theirs = {name: value for name, value in os.environ.items() if not name.startswith("OPENSSL_")}
        ours = theirs | {"OPENSSL_CONF": str(place / "ours.cnf"), "OPENSSL_MODULES": modules}
        print(f"CPU seconds, the least of {TRIALS}: OpenSSL's own, abreast's, and the gain")
        stack.callback(end_networks)
        for name, run in PROGRAMS.items():
            program = name.split()[0].rstrip(",").removesuffix("'s").lower()
            if sys.argv[1:] and program not in sys.argv[1:]:
                continue
            if program != "python" and not shutil.which(program):
                print(f"{name}: not installed")
                continue
            best = [float("inf")] * 2
            report.write_text("")
            run(place, ours | {"OPENSSL_CONF": str(place / "reporting.cnf")})
            end_networks()
            if not report.read_text():
                raise SystemExit(f"{name}: nothing went through the provider")
            for _ in range(TRIALS):
                for at, environment in enumerate((theirs, ours)):
                    best[at] = min(best[at], run(place, environment))
            print(f"{name}: {best[0]:.2f}, {best[1]:.2f}, {best[0] / best[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
