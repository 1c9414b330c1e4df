#!/usr/bin/env python3
"""Sealed files against the implementation in Python's `cryptography` (50 or later), both ways.

Usage: interop_cobblestone.py PATH_OF_ABREAST

Ends with 0 if all cases agree, and with 1 and one line for each that does not.
"""

import base64
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from cryptography.cobblestone import (
    Cobblestone128Decryptor,
    Cobblestone128Encryptor,
    Cobblestone256Decryptor,
    Cobblestone256Encryptor,
)
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

CIPHERS = [
    ("aes-128-gcm", "AEAD_AES_128_GCM", 16, Cobblestone128Encryptor, Cobblestone128Decryptor),
    ("aes-256-gcm", "AEAD_AES_256_GCM", 32, Cobblestone256Encryptor, Cobblestone256Decryptor),
]
CHUNK = 16384
SIZES = [0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 16 * CHUNK, 16 * CHUNK + 1, 40 * CHUNK + 5]
HEADER = 56
# Seconds for a run of a program. The slowest take a few.
LIMIT = 120


def message(size):
    """Bytes that are the same in every run."""
    return random.Random(size).randbytes(size)


def seal_in_python(encryptor, key, context, plain):
    """Seals, in pieces of odd sizes."""
    sealer = encryptor(key, context)
    parts = [sealer.update(plain[i : i + 70001]) for i in range(0, len(plain), 70001)]
    return b"".join(parts) + sealer.finalize()


def open_in_python(decryptor, key, context, sealed):
    """Opens, in pieces of odd sizes."""
    opener = decryptor(key, context)
    parts = [opener.update(sealed[i : i + 50021]) for i in range(0, len(sealed), 50021)]
    return b"".join(parts) + opener.finalize()


class Cases:
    """Counts the cases, and says which ones disagree."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.count = 0
        self.failed = 0

    def run(self, *args, stdin=b""):
        """The exit code and the standard output of a run."""
        done = subprocess.run([self.binary, *args], input=stdin, capture_output=True, cwd=self.folder, timeout=LIMIT)
        return done.returncode, done.stdout

    def check(self, agrees, what):
        """One case."""
        self.count += 1
        if not agrees:
            self.failed += 1
            print(f"disagree: {what}")


def keys(cases):
    """Key files, every size, both directions, and refusals in both."""
    for name, aead, key_len, encryptor, decryptor in CIPHERS:
        key = os.urandom(key_len)
        (cases.folder / "key").write_text(f"abreast-key/1 {aead} {key.hex()}\n")
        for size in SIZES:
            plain = message(size)
            code, sealed = cases.run("seal", "-", "--allow-empty", "--key-file", "key", stdin=plain)
            opened = open_in_python(decryptor, key, b"", sealed)
            cases.check(code == 0 and opened == plain, f"{name}, {size} bytes, sealed here")
            sealed = seal_in_python(encryptor, key, b"", plain)
            code, opened = cases.run("open", "-", "--key-file", "key", stdin=sealed)
            cases.check(code == 0 and opened == plain, f"{name}, {size} bytes, sealed in Python")

        sealed = bytearray(seal_in_python(encryptor, key, b"", message(2 * CHUNK + 5)))
        for position in [0, HEADER - 1, HEADER, HEADER + CHUNK + 16, len(sealed) - 1]:
            sealed[position] ^= 1
            code, _ = cases.run("verify", "-", "--key-file", "key", stdin=bytes(sealed))
            try:
                open_in_python(decryptor, key, b"", bytes(sealed))
                python_refuses = False
            except (InvalidTag, ValueError):
                python_refuses = True
            cases.check(code == 3 and python_refuses, f"{name}, byte {position} changed")
            sealed[position] ^= 1


def passphrases(cases):
    """Passphrase lines, with Argon2id and the context done in Python."""
    passphrase = b"correct horse battery staple"
    (cases.folder / "passphrase").write_bytes(passphrase + b"\n")
    for name, aead, key_len, encryptor, decryptor in CIPHERS:
        plain = message(CHUNK + 1)
        args = ["--passphrase-file", "passphrase", "--cipher", name]
        code, sealed = cases.run("seal", "-", "--allow-empty", *args, stdin=plain)
        line, _, body = sealed.partition(b"\n")
        magic, named, kdf, costs, salt = line.decode().split(" ")
        shape = (magic, named, kdf, costs) == ("abreast/1", aead, "argon2id", "m=65536,t=3,p=4")
        salt = base64.b64decode(salt + "==")
        key = Argon2id(salt=salt, length=key_len, iterations=3, lanes=4, memory_cost=65536).derive(passphrase)
        opened = open_in_python(decryptor, key, line + b"\n", body)
        cases.check(code == 0 and shape and opened == plain, f"{name}, passphrase, sealed here")

        salt = hashlib.sha256(aead.encode()).digest()[:16]
        key = Argon2id(salt=salt, length=key_len, iterations=1, lanes=2, memory_cost=8192).derive(passphrase)
        text = base64.b64encode(salt).decode().rstrip("=")
        line = f"abreast/1 {aead} argon2id m=8192,t=1,p=2 {text}\n".encode()
        sealed = line + seal_in_python(encryptor, key, line, plain)
        code, opened = cases.run("open", "-", "--passphrase-file", "passphrase", stdin=sealed)
        cases.check(code == 0 and opened == plain, f"{name}, passphrase, sealed in Python")


def main():
    """Runs all cases against the command given as the argument."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        keys(cases)
        passphrases(cases)
    print(f"{cases.count - cases.failed} of {cases.count} cases agree")
    sys.exit(1 if cases.failed else 0)


if __name__ == "__main__":
    main()
