"""Programs on OpenSSL as Debian ships them, with the provider and without: `openssl`, curl, OpenSSH, cryptsetup, and the
bindings of Ruby and M2Crypto.

Usage: python3 programs.py NAME MODULES ABREAST EVP

NAME is one of the functions at the end. MODULES is the folder with abreast.so, ABREAST the command, EVP the client of that
name in `clients`. That bytes went through the provider is read in its report (`report = FILE` in OpenSSL's configuration),
which has a line for each context: process, cipher, direction, bytes. Ends with 0 if all is as it should be.
"""

import contextlib
import hashlib
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

# Seconds for a run of a program. The slowest take a few.
LIMIT = 60

PREFERRED = pathlib.Path(__file__).resolve().parent / "preferred.cnf"


class Bench:
    """A folder to work in, the environments with and without the provider, and its report."""

    def __init__(self, folder, modules, abreast, evp):
        self.folder, self.modules, self.abreast, self.evp = pathlib.Path(folder), modules, abreast, evp
        self.report = self.lines = self.folder / "report"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("OPENSSL_")}
        self.without = clean
        self.with_provider, self.with_legacy = (
            clean | {"OPENSSL_MODULES": modules, "OPENSSL_CONF": self.configuration(legacy)} for legacy in ("no", "yes")
        )

    def configuration(self, legacy, activate=True):
        """Writes a configuration, with or without the legacy ciphers of the provider, and returns its path."""
        path = self.folder / f"legacy-{legacy}-{activate}.cnf"
        active = "activate = 1\n" if activate else ""
        path.write_text(f"{PREFERRED.read_text()}[abreast_section]\n{active}report = {self.report}\nlegacy = {legacy}\n")
        return str(path)

    def run(self, command, environment, data=None, code=0):
        """Returns the output of a program, which has to end with a code."""
        done = subprocess.run(command, input=data, env=environment, capture_output=True, timeout=LIMIT, cwd=self.folder)
        if done.returncode != code:
            sys.exit(f"{command}: {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr.decode(errors='replace')}")
        return done.stdout

    def report_by_pipe(self):
        """Has the report go through a pipe: the sandbox of sshd allows no writing to files."""
        os.mkfifo(self.report)
        self.lines = self.folder / "lines"
        # Open for writing too, so that it does not end with the first writer.
        pipe = os.open(self.report, os.O_RDWR)

        def copy():
            with self.lines.open("ab", buffering=0) as lines:
                while True:
                    lines.write(os.read(pipe, 1 << 16))

        threading.Thread(target=copy, daemon=True).start()

    def bytes_of(self, cipher):
        """Bytes of a cipher in the report so far."""
        lines = self.lines.read_text().splitlines() if self.lines.exists() else []
        return sum(int(line.split()[3]) for line in lines if line.split()[1] == cipher)

    @contextlib.contextmanager
    def went_through(self, cipher, least):
        """Checks that at least so many bytes go through the provider meanwhile."""
        before = self.bytes_of(cipher)
        yield
        # The other end of a connection may take a moment to free its context.
        for _ in range(100):
            counted = self.bytes_of(cipher) - before
            if counted >= least:
                return
            time.sleep(0.05)
        sys.exit(f"{cipher}: {counted} bytes of {least} went through the provider")

    def raw(self, cipher, mode, key, iv, data, *more):
        """Encrypts a message by the command, without OpenSSL."""
        command = [self.abreast, "raw", "encrypt", "--cipher", cipher, "--key", key.hex(), *more]
        command += ["--mode", mode] if mode else []
        command += ["--iv", iv.hex()] if iv else []
        return self.run(command, self.without, data)


def enc(bench):
    """`openssl enc`: every cipher that it takes, beside OpenSSL's own or the command."""
    names = [f"{cipher}-{bits}" for cipher in ("aes", "serpent") for bits in (128, 192, 256)]
    checked = 0
    for name in [*names, "xtea-128"]:
        cipher, bits = name.split("-")
        modes = ["ecb", "cbc", "ctr"] if cipher == "xtea" else ["ecb", "cbc", "cfb", "ofb", "ctr"]
        block = 8 if cipher == "xtea" else 16
        for mode in modes:
            key, iv = random.randbytes(int(bits) // 8), random.randbytes(block)
            message = random.randbytes(int(2 ** random.uniform(0, 18)))
            # `enc` reads and updates by so many bytes.
            command = ["openssl", "enc", f"-{name}-{mode}", "-K", key.hex(), "-bufsize", str(random.randint(8, 5000))]
            command += ["-iv", iv.hex()] if mode != "ecb" else []
            reported = f"{'xtea-be' if cipher == 'xtea' else name}-{mode}"
            with bench.went_through(reported, len(message)):
                ciphertext = bench.run([*command, "-e"], bench.with_provider, message)
            if cipher == "aes":
                expected = bench.run([*command, "-e"], bench.without, message)
            else:
                padded = message + bytes([block - len(message) % block] * (block - len(message) % block))
                whole = padded if mode in ("ecb", "cbc") else message
                raw = "xtea-be" if cipher == "xtea" else name
                own_mode = "ctr" if mode == "ctr" else mode
                expected = bench.raw(raw, own_mode, key, iv if mode != "ecb" else None, whole)
            assert ciphertext == expected, (name, mode, len(message))
            assert bench.run([*command, "-d"], bench.with_provider, ciphertext) == message, (name, mode)
            checked += 1
    # What has no mode that `enc` takes.
    for name, cipher, mode in [
        ("AES-192-XTS", "aes-192", "xts"),
        ("SERPENT-128-XTS", "serpent-128", "xts"),
        ("SERPENT-192-XTS", "serpent-192", "xts"),
        ("SERPENT-256-XTS", "serpent-256", "xts"),
        ("SERPENT-128-GCM", "serpent-128", "gcm"),
        ("SERPENT-192-GCM", "serpent-192", "gcm"),
        ("SERPENT-256-GCM", "serpent-256", "gcm"),
        *((f"ABREAST-{name.upper()}-EAX", name, "eax") for name in names),
        ("AES-128-GCM-SIV", "aes-128", "gcm-siv"),
        ("AES-256-GCM-SIV", "aes-256", "gcm-siv"),
        ("ABREAST-AEZ", "aez", None),
    ]:
        for _ in range(3):
            bits = 384 if cipher == "aez" else int(cipher.split("-")[1])
            key = random.randbytes(bits // 8 * (2 if mode == "xts" else 1))
            iv = random.randbytes({"xts": 16, "gcm-siv": 12}.get(mode) or random.randint(1, 16))
            aad, message = random.randbytes(random.randint(1, 200)), random.randbytes(random.randint(16, 2000))
            tag = 0 if mode == "xts" else 16
            command = [bench.evp, "crypt", name, key.hex(), iv.hex(), aad.hex(), str(tag), message.hex()]
            got = bytes.fromhex(bench.run(command, bench.with_provider).decode())
            more = ["--unit", str(len(message))] if mode == "xts" else ["--aad", aad.hex()]
            assert got == bench.raw(cipher, mode, key, iv, message, *more), (name, len(message))
            checked += 1
    checked += rc4(bench)
    print(f"{checked} messages by `openssl enc` and by EVP")


def rc4(bench):
    """RC4 where the configuration has it, beside the command and OpenSSL's legacy provider, and nowhere else."""
    own = subprocess.run(["openssl", "list", "-providers", "-provider", "legacy"], env=bench.without, capture_output=True)
    by_hand = bench.without | {"OPENSSL_CONF": bench.configuration("yes", activate=False)}
    checked = 0
    for name, key_len in [("rc4", 16), ("rc4-40", 5)] * 3:
        key, message = random.randbytes(key_len), random.randbytes(int(2 ** random.uniform(0, 18)))
        command = ["openssl", "enc", f"-{name}", "-K", key.hex(), "-bufsize", str(random.randint(1, 5000))]
        with bench.went_through("rc4-stream", 2 * len(message)):
            expected = bench.run([*command, "-e"], bench.with_legacy, message)
            assert bench.run([*command, "-d"], bench.with_legacy, expected) == message, name
        assert expected == bench.raw("rc4", None, key, None, message, "--legacy"), (name, len(message))
        if own.returncode == 0:
            theirs = [*command, "-provider", "legacy", "-provider", "default"]
            assert expected == bench.run(theirs, bench.without, message), (name, len(message))
        path = ["-provider-path", bench.modules, "-provider", "abreast", "-provider", "default"]
        with bench.went_through("rc4-stream", len(message)):
            assert expected == bench.run([*command, *path], by_hand, message), (name, len(message))
        # Without the setting there is none.
        assert b"" == bench.run(command, bench.with_provider, message, code=1), name
        assert b"" == bench.run([*command, *path], bench.without, message, code=1), name
        checked += 1
    return checked


def cmac(bench):
    """`openssl dgst -mac CMAC`: OpenSSL's CMAC over CBC of the provider."""
    for name in [f"{cipher}-{bits}" for cipher in ("aes", "serpent") for bits in (128, 192, 256)]:
        key, message = random.randbytes(int(name.split("-")[1]) // 8), random.randbytes(random.randint(1, 5000))
        command = ["openssl", "dgst", "-mac", "CMAC", "-macopt", f"cipher:{name}-cbc"]
        command += ["-macopt", f"hexkey:{key.hex()}", "-binary"]
        with bench.went_through(f"{name}-cbc", len(message)):
            tag = bench.run(command, bench.with_provider, message)
        assert tag == bench.raw(name, "cmac", key, None, message), name
        if name.startswith("aes"):
            assert tag == bench.run(command, bench.without, message), name


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(bench, command, environment, port):
    """A server that takes connections."""
    log = (bench.folder / "server.log").open("ab")
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=bench.folder
    )
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if process.poll() is not None:
                break
            time.sleep(0.05)
        else:
            sys.exit(f"{command} takes no connection")
        if process.poll() is not None:
            sys.exit(f"{command} ended: {(bench.folder / 'server.log').read_text(errors='replace')}")
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def tls(bench):
    """s_server, s_client and curl: a file by HTTPS, the provider at either end and at both."""
    certificate = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    bench.run([*certificate, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "cert.pem"], bench.without)
    page = random.randbytes(1_000_000)
    (bench.folder / "page.bin").write_bytes(page)
    suites = [
        ("aes-256-gcm", ["-ciphersuites", "TLS_AES_256_GCM_SHA384"], ["--tls13-ciphers", "TLS_AES_256_GCM_SHA384"]),
        (
            "aes-128-gcm",
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
            ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"],
        ),
        (
            "aes-256-cbc",
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384"],
            ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES256-SHA384"],
        ),
    ]
    mine, others = bench.with_provider, bench.without
    for cipher, of_server, of_curl in suites:
        for of_one, of_other in [(others, mine), (mine, others), (mine, mine)]:
            port = free_port()
            command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-WWW", "-cert", "cert.pem"]
            with (
                server(bench, [*command, "-key", "key.pem", "-quiet", *of_server], of_one, port),
                bench.went_through(cipher, len(page)),
            ):
                curl = ["curl", "--silent", "--show-error", "--insecure", "--http0.9", "--max-time", str(LIMIT)]
                # s_server says nothing of the length in a header that curl could check: the bytes are compared.
                got = bench.run([*curl, *of_curl, f"https://127.0.0.1:{port}/page.bin"], of_other)
                assert got.endswith(page), (cipher, len(got))
    port = free_port()
    command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-WWW", "-cert", "cert.pem", "-key", "key.pem"]
    with server(bench, command, bench.without, port), bench.went_through("aes-256-gcm", len(page)):
        client = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-quiet"]
        got = bench.run(client, bench.with_provider, b"GET /page.bin HTTP/1.0\r\n\r\n")
        assert got.endswith(page), ("s_client", len(got))


def sftp(bench):
    """A file over OpenSSH, with the provider at both ends."""
    bench.report_by_pipe()
    for name in ("host", "user"):
        bench.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name], bench.without)
    port = free_port()
    (bench.folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {bench.folder}/host\nPidFile none\nUsePAM no\n"
        f"StrictModes no\nAuthorizedKeysFile {bench.folder}/user.pub\nSubsystem sftp internal-sftp\n"
        "PermitRootLogin yes\n"
    )
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    contents = random.randbytes(1_500_000)
    (bench.folder / "sent").write_bytes(contents)
    (bench.folder / "batch").write_text(f"put sent {bench.folder}/arrived\nget {bench.folder}/arrived back\n")
    daemon = [shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-e", "-f", str(bench.folder / "sshd_config")]
    with server(bench, daemon, bench.with_provider, port):
        for ssh_name, cipher in [
            ("aes256-gcm@openssh.com", "aes-256-gcm"),
            ("aes128-gcm@openssh.com", "aes-128-gcm"),
            ("aes128-ctr", "aes-128-ctr"),
        ]:
            for name in ("arrived", "back"):
                (bench.folder / name).unlink(missing_ok=True)
            command = ["sftp", "-F", "none", "-q", "-P", str(port), "-i", "user", "-c", ssh_name, "-b", "batch"]
            command += ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
            # Keys are exchanged anew on the way.
            command += ["-o", "RekeyLimit=700K", "-o", "KexAlgorithms=curve25519-sha256", "-o", "BatchMode=yes", "127.0.0.1"]
            # The client's bytes both ways, and the server's.
            with bench.went_through(cipher, 3 * len(contents)):
                bench.run(command, bench.with_provider)
            for name in ("arrived", "back"):
                assert (bench.folder / name).read_bytes() == contents, (ssh_name, name)


def luks(bench):
    """Volumes with Serpent by cryptsetup, without a device mapper, read by the command and by QEMU."""
    # cryptsetup loads `default` and `legacy` by name, whatever the configuration says.
    modules = bench.folder / "modules"
    modules.mkdir()
    shutil.copy(pathlib.Path(bench.modules) / "abreast.so", modules / "legacy.so")
    environment = bench.without | {"OPENSSL_MODULES": str(modules)}
    (bench.folder / "passphrase").write_text("open sesame")
    new = ["--type", "luks2", "--cipher", "serpent-xts-plain64", "--key-size", "512", "--hash", "sha256"]
    new += ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "passphrase"]

    with (bench.folder / "new.img").open("wb") as image:
        image.truncate(32 << 20)
    # Without the provider nothing here knows Serpent.
    bench.run(["cryptsetup", "luksFormat", "--batch-mode", *new, "new.img"], bench.without, code=1)
    bench.run(["cryptsetup", "luksFormat", "--batch-mode", *new, "new.img"], environment)
    test = ["cryptsetup", "open", "--test-passphrase", "--key-file", "passphrase", "new.img"]
    bench.run(test, environment)
    bench.run(test, bench.without, code=1)

    plain = random.randbytes(4 << 20)
    (bench.folder / "volume.img").write_bytes(plain + bytes(16 << 20))
    encrypt = ["cryptsetup", "reencrypt", "--encrypt", "--batch-mode", "--reduce-device-size", "16M"]
    bench.run([*encrypt, *new, "volume.img"], environment)
    dump = ["cryptsetup", "luksDump", "--batch-mode", "--dump-volume-key", "--volume-key-file", "key"]
    bench.run([*dump, "--key-file", "passphrase", "volume.img"], environment)
    key = (bench.folder / "key").read_bytes()
    offset = 8 << 20
    sectors = (bench.folder / "volume.img").read_bytes()[offset : offset + len(plain)]
    command = [bench.abreast, "raw", "decrypt", "--cipher", "serpent-256", "--mode", "xts", "--unit", "512"]
    opened = bench.run([*command, "--key", key.hex(), "--iv", "00" * 16], bench.without, sectors)
    assert hashlib.sha256(opened).digest() == hashlib.sha256(plain).digest(), "the sectors"

    # QEMU knows Serpent by itself, and version 1 of the format.
    bench.run(["cryptsetup", "convert", "--batch-mode", "--type", "luks1", "volume.img"], environment)
    image = "driver=luks,file.driver=file,file.filename=volume.img,key-secret=passphrase"
    secret = ["--object", "secret,id=passphrase,file=passphrase"]
    bench.run(["qemu-img", "convert", *secret, "--image-opts", image, "-O", "raw", "opened.img"], bench.without)
    with (bench.folder / "opened.img").open("rb") as opened:
        assert opened.read(len(plain)) == plain, "QEMU reads something else"


# Messages in CBC and ECB, encrypted and decrypted with a padding that is changed on the way: each line is a cipher, a key, a
# vector, a direction and steps, "p0" and "p1" for the padding and hexadecimal digits for a piece.
RUBY = """
require "openssl"
STDIN.each_line do |line|
  name, key, iv, way, *steps = line.split
  cipher = OpenSSL::Cipher.new(name)
  way == "1" ? cipher.encrypt : cipher.decrypt
  cipher.key = [key].pack("H*")
  cipher.iv = [iv].pack("H*") unless name.end_with?("ecb")
  out = "".b
  begin
    steps.each do |step|
      step[0] == "p" ? cipher.padding = step[1].to_i : out << cipher.update([step].pack("H*"))
    end
    out << cipher.final
  rescue OpenSSL::Cipher::CipherError
    out << "refused"
  end
  puts out.unpack1("H*")
end
"""

M2CRYPTO = """
import sys
from M2Crypto import EVP
for line in sys.stdin:
    name, key, iv, way, *steps = line.split()
    cipher = EVP.Cipher(name.replace("-", "_"), bytes.fromhex(key), bytes.fromhex(iv), int(way))
    out = b""
    try:
        for step in steps:
            if step[0] == "p":
                cipher.set_padding(int(step[1]))
            else:
                out += cipher.update(bytes.fromhex(step))
        out += cipher.final()
    except EVP.EVPError:
        out += b"refused"
    print(out.hex())
"""


def padding_script():
    """Lines for these programs."""
    lines = []
    for _ in range(300):
        name, way = f"aes-{random.choice((128, 192, 256))}-{random.choice(('cbc', 'ecb'))}", random.choice("01")
        steps = []
        for _ in range(random.randint(1, 6)):
            steps += random.choice(([], ["p0"], ["p1"], ["p1", "p0"]))
            steps.append(random.randbytes(random.choice((1, 4, 12, 15, 16, 17, 31, 32, 48, random.randint(1, 200)))).hex())
        steps += random.choice(([], ["p0"], ["p0"], ["p1"]))
        lines.append(" ".join([name, random.randbytes(int(name[4:7]) // 8).hex(), random.randbytes(16).hex(), way, *steps]))
    return "\n".join(lines).encode() + b"\n"


def padding_midway(bench, command):
    """A program that changes the padding on the way: the same bytes with the provider and without."""
    script = padding_script()
    expected = bench.run(command, bench.without, script)
    for bits in (128, 192, 256):
        for mode in ("cbc", "ecb"):
            with bench.went_through(f"aes-{bits}-{mode}", 100):
                got = bench.run(command, bench.with_provider, script)
            for line, one, other in zip(script.splitlines(), got.splitlines(), expected.splitlines(), strict=True):
                assert one == other, (line, one, other)
    lines = expected.split(b"\n")
    refused = sum(line.endswith(b"refused".hex().encode()) for line in lines)
    assert len(lines) == 301 and 20 < refused < 280, f"{refused} of {len(lines)} messages are refused"
    print(f"{len(lines) - 1} messages with changes of padding, {refused} refused, the same with and without the provider")


def ruby(bench):
    """Ruby's stock binding of OpenSSL."""
    padding_midway(bench, ["ruby", "-e", RUBY])


def m2crypto(bench):
    """M2Crypto, for Debian's Python."""
    padding_midway(bench, ["/usr/bin/python3", "-c", M2CRYPTO])


PROGRAMS = {"enc": enc, "cmac": cmac, "tls": tls, "sftp": sftp, "luks": luks, "ruby": ruby, "m2crypto": m2crypto}


def main():
    name, modules, abreast, evp = sys.argv[1:]
    modules, abreast, evp = (os.path.abspath(path) for path in (modules, abreast, evp))
    seed = int(os.environ.get("ABREAST_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}", flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        PROGRAMS[name](Bench(folder, modules, abreast, evp))


if __name__ == "__main__":
    main()
