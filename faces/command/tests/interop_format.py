#!/usr/bin/env python3
"""Sealed files by the page book/src/sealed-format.md alone, against the vectors of that page and against the command.

Usage: interop_format.py PATH_OF_ABREAST

It shares no code with the command, and takes nothing but AES-GCM and Argon2id from libraries. Ends with 0 if all
cases agree, and with 1 and one line for each that does not.
"""

import base64
import hashlib
import hmac
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import argon2.low_level
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PAGE = pathlib.Path(__file__).resolve().parents[3] / "book/src/sealed-format.md"
KEY_LENGTHS = {"AEAD_AES_128_GCM": 16, "AEAD_AES_256_GCM": 32, "ABREAST_SERPENT_256_GCM": 32}
LABEL = b"c2sp.org/chunked-encryption@v1+"
CHUNK, TAG, SALT, NONCE, COMMITMENT = 16384, 16, 24, 12, 32
# The names of the ciphers in the options of the command.
OPTIONS = {"AEAD_AES_128_GCM": "aes-128-gcm", "AEAD_AES_256_GCM": "aes-256-gcm"}
# Seconds for a run of the command. The slowest take a few.
LIMIT = 120


class Refused(Exception):
    """The file is not one that opens."""


def derive(aead, key, salt, context):
    """The key of the AEAD, the base nonce and the commitment: HKDF-Expand with HMAC-SHA-512."""
    info = LABEL + aead.encode() + b"\0" + salt + context
    first = hmac.digest(key, info + b"\1", "sha512")
    okm = first + hmac.digest(key, first + info + b"\2", "sha512")
    length = KEY_LENGTHS[aead]
    end = length + NONCE
    return okm[:length], okm[length:end], okm[end : end + COMMITMENT]


def chunk_nonce(base, index):
    """The nonce of a chunk."""
    return (int.from_bytes(base, "big") ^ index).to_bytes(NONCE, "big")


def seal(aead, key, salt, context, message):
    """The sealed file."""
    aead_key, base, commitment = derive(aead, key, salt, context)
    cipher = AESGCM(aead_key)
    chunks = [message[at : at + CHUNK] for at in range(0, len(message) + 1, CHUNK)]
    sealed = [cipher.encrypt(chunk_nonce(base, index), chunk, None) for index, chunk in enumerate(chunks)]
    return context + salt + commitment + b"".join(sealed)


def open_body(aead, key, context, rest):
    """The message in the bytes after the passphrase line."""
    salt, commitment, body = rest[:SALT], rest[SALT : SALT + COMMITMENT], rest[SALT + COMMITMENT :]
    if len(body) % (CHUNK + TAG) < TAG:
        raise Refused("cut off")
    aead_key, base, expected = derive(aead, key, salt, context)
    if not hmac.compare_digest(commitment, expected):
        raise Refused("wrong key")
    message, step = b"", CHUNK + TAG
    for index, at in enumerate(range(0, len(body), step)):
        try:
            message += AESGCM(aead_key).decrypt(chunk_nonce(base, index), body[at : at + step], None)
        except InvalidTag:
            raise Refused(f"chunk {index}") from None
    return message


def parse_key_file(text):
    """The name of the AEAD and the key."""
    name, key = re.fullmatch(rb"abreast-key/1 ([A-Z0-9_]+) ((?:[0-9a-f]{2})+)\n?", text).groups()
    aead, key = name.decode(), bytes.fromhex(key.decode())
    assert len(key) == KEY_LENGTHS[aead]
    return aead, key


def passphrase_line(aead, m, t, p, salt):
    """A passphrase line, with its line feed."""
    return f"abreast/1 {aead} argon2id m={m},t={t},p={p} {base64.b64encode(salt).decode().rstrip('=')}\n".encode()


def stretch(passphrase, aead, m, t, p, salt):
    """The key that a passphrase leads to."""
    kind = argon2.low_level.Type.ID
    return argon2.low_level.hash_secret_raw(passphrase, salt, t, m, p, KEY_LENGTHS[aead], kind, 19)


def parse_line(sealed):
    """The context that a file begins with, and the fields of the line."""
    line, feed, _ = sealed[:128].partition(b"\n")
    number = rb"([1-9][0-9]{0,9})"
    shape = rb"abreast/1 ([A-Z0-9_]+) argon2id m=%b,t=%b,p=%b ([A-Za-z0-9+/]{22})" % (number, number, number)
    match = re.fullmatch(shape, line)
    if not feed or not match:
        raise Refused("passphrase line")
    aead, m, t, p = match[1].decode(), int(match[2]), int(match[3]), int(match[4])
    salt = base64.b64decode(match[5] + b"==")
    within = 8192 <= m <= 1 << 20 and 1 <= p <= 16 and m * t <= 1 << 22
    if aead not in KEY_LENGTHS or not within or passphrase_line(aead, m, t, p, salt) != line + feed:
        raise Refused("passphrase line")
    return line + feed, (aead, m, t, p, salt)


def open_with_key(key_file, sealed):
    """The message of a file that was sealed with a key file."""
    if sealed.startswith(b"abreast/"):
        raise Refused("sealed with a passphrase")
    aead, key = parse_key_file(key_file)
    return open_body(aead, key, b"", sealed)


def open_with_passphrase(passphrase, sealed):
    """The message of a file that was sealed with a passphrase."""
    if not sealed.startswith(b"abreast/"):
        raise Refused("sealed with a key file")
    line, fields = parse_line(sealed)
    return open_body(fields[0], stretch(passphrase, *fields), line, sealed[len(line) :])


class Cases:
    """Counts the cases, and says which ones disagree."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.count = self.failed = 0

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

    def both_open(self, option, secret, opener, sealed, message, what):
        """The command and this script find this message, or refuse where it is None. The script has `opener`."""
        (self.folder / "secret").write_bytes(secret)
        code, opened = self.run("open", "-", option, "secret", stdin=sealed)
        right = code in (1, 2, 3) if message is None else (code, opened) == (0, message)
        self.check(right, f"{what}, the command")
        if opener:
            try:
                opened = opener(secret, sealed)
            except Refused:
                opened = None
            self.check(opened == message, f"{what}, the page")


def by_rule(length):
    """The messages of the vectors that are too long to print."""
    return bytes(i % 251 for i in range(length))


def read_vectors():
    """The vectors of the page: blocks of lines `name: value`, where indented lines go on with the value."""
    blocks = re.findall(r"^```vector\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    found = []
    for block in blocks:
        assert re.fullmatch(r"(?:[a-z0-9 -]+:.*\n(?:  .*\n)*)+", block), block
        lines = re.findall(r"^([a-z0-9 -]+):(.*(?:\n  .*)*)", block, re.MULTILINE)
        found.append({name: "".join(part.strip() for part in value.split("\n")) for name, value in lines})
    return found


def vectors(cases):
    """The vectors of the page, value by value."""
    found = read_vectors()
    cases.check(len(found) == 6, f"{len(found)} vectors on the page")
    for vector in found:
        what, salt = vector["vector"], bytes.fromhex(vector["salt"])
        length = re.fullmatch(r"(\d+) bytes by the rule", vector["message"])
        message = by_rule(int(length[1])) if length else bytes.fromhex(vector["message"])
        if "passphrase" in vector:
            option, secret, opener = "--passphrase-file", vector["passphrase"].encode(), open_with_passphrase
            context, fields = parse_line(vector["passphrase line"].encode() + b"\n")
            aead, key = fields[0], stretch(secret, *fields)
            cases.check(key == bytes.fromhex(vector["stretched key"]), f"{what}: stretched key")
        else:
            option, secret, opener = "--key-file", vector["key file"].encode() + b"\n", open_with_key
            context, (aead, key) = b"", parse_key_file(secret)
        derived = [part.hex() for part in derive(aead, key, salt, context)]
        told = [vector["aead key"], vector["base nonce"], vector["commitment"]]
        cases.check(derived == told, f"{what}: derived keys")
        if aead == "ABREAST_SERPENT_256_GCM":
            # No library here has Serpent. The bytes on the page come from Botan, and the command must open them.
            sealed, opener = bytes.fromhex(vector["sealed"]), None
        else:
            sealed = seal(aead, key, salt, context, message)
        for number in (name for name in vector if name.startswith("nonce of chunk ")):
            nonce = chunk_nonce(bytes.fromhex(vector["base nonce"]), int(number.split()[-1]))
            cases.check(nonce.hex() == vector[number], f"{what}: {number}")
        begins, ends = vector.get("first chunk begins", ""), vector.get("last tag", "")
        begin = len(context) + SALT + COMMITMENT
        cases.check(sealed[begin:].hex().startswith(begins) and sealed.hex().endswith(ends), f"{what}: first and last")
        if "sealed" in vector:
            cases.check(sealed.hex() == vector["sealed"], f"{what}: sealed")
        cases.check(len(sealed) == int(vector["sealed length"]), f"{what}: length")
        cases.check(hashlib.sha256(sealed).hexdigest() == vector["sealed sha-256"], f"{what}: hash")
        cases.both_open(option, secret, opener, sealed, message, what)
        for end in range(len(sealed) - TAG, 0, -CHUNK - TAG):
            cases.both_open(option, secret, opener, sealed[:end], None, f"{what}, cut off at {end}")
        for at in [0, len(context), len(context) + SALT, len(sealed) - 1]:
            bad = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
            cases.both_open(option, secret, opener, bad, None, f"{what}, byte {at} changed")


def both_ways(cases):
    """Messages of many lengths, sealed here and opened there, and the other way round."""
    for aead, cipher in OPTIONS.items():
        code, secret = cases.run("keygen", "--cipher", cipher)
        cases.check(code == 0 and parse_key_file(secret)[0] == aead, f"{cipher}: new key file")
        key = parse_key_file(secret)[1]
        (cases.folder / "key").write_bytes(secret)
        for length in [0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 16 * CHUNK, 33 * CHUNK + 7]:
            message = os.urandom(length)
            code, sealed = cases.run("seal", "-", "--allow-empty", "--key-file", "key", stdin=message)
            what = f"{cipher}, {length} bytes"
            cases.check(code == 0 and open_with_key(secret, sealed) == message, f"{what}, sealed by the command")
            sealed = seal(aead, key, os.urandom(SALT), b"", message)
            cases.both_open("--key-file", secret, open_with_key, sealed, message, f"{what}, sealed by the page")
        for passphrase in [b"correct horse", bytes(range(1, 10)), "päßword ".encode(), b"x" * 4096]:
            (cases.folder / "passphrase").write_bytes(passphrase)
            message, what = os.urandom(CHUNK + 1), f"{cipher}, passphrase of {len(passphrase)} bytes"
            costs = [(8192, 1, 1), (8199, 2, 3), (8192, 3, 16)][len(passphrase) % 3]
            salt = os.urandom(16)
            line = passphrase_line(aead, *costs, salt)
            sealed = seal(aead, stretch(passphrase, aead, *costs, salt), os.urandom(SALT), line, message)
            cases.both_open("--passphrase-file", passphrase, open_with_passphrase, sealed, message, what)
        args = ["--passphrase-file", "passphrase", "--cipher", cipher]
        code, sealed = cases.run("seal", "-", "--allow-empty", *args, stdin=message)
        opened = open_with_passphrase(passphrase, sealed)
        cases.check(code == 0 and opened == message, f"{cipher}, passphrase, sealed by the command")


def refusals(cases):
    """Passphrase lines that are not written as the page says."""
    good = passphrase_line("AEAD_AES_128_GCM", 8192, 1, 1, bytes(16)).decode()
    for old, new in [
        ("=8192", "=08192"), ("=8192", "=+8192"), ("=8192", "=8191"), ("=8192", "=1048577"), ("t=1", "t=0"),
        ("t=1", "t=513"), ("p=1", "p=0"), ("p=1", "p=17"), ("m=8192,t=1", "t=1,m=8192"), ("p=1", "p=1,p=1"),
        ("A\n", "B\n"), ("A\n", "A=\n"), ("A\n", "A \n"), ("A\n", "A\r\n"), ("A\n", "\n"), (" m=", "  m="),
        ("abreast/1", "abreast/2"), ("id m", "i m"), ("128_GCM", "192_GCM"), ("A\n", "A" * 100 + "\n"),
    ]:  # fmt: skip
        line = good.replace(old, new)
        assert line != good
        what = f"{line!r}"
        sealed = line.encode() + bytes(SALT + COMMITMENT + TAG)
        cases.both_open("--passphrase-file", b"x", open_with_passphrase, sealed, None, what)


def main():
    """Runs all cases against the command given as the argument."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        vectors(cases)
        both_ways(cases)
        refusals(cases)
    print(f"{cases.count - cases.failed} of {cases.count} cases agree")
    sys.exit(1 if cases.failed else 0)


if __name__ == "__main__":
    main()
