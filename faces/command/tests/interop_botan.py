"""`raw` against Botan 2, through the Python module of Debian's package python3-botan.

Usage: /usr/bin/python3 interop_botan.py PATH_OF_ABREAST

Serpent, XTEA with big-endian words and AES, in every mode that both sides have, in both directions, at
random lengths. Ends with 0 if all cases agree, and with 1 and one line for each that does not.
"""

import random
import subprocess
import sys

import botan2

# The name here, the name there, bytes of a key and of a block.
CIPHERS = [
    ("aes-128", "AES-128", 16, 16),
    ("aes-192", "AES-192", 24, 16),
    ("aes-256", "AES-256", 32, 16),
    ("serpent-128", "Serpent", 16, 16),
    ("serpent-192", "Serpent", 24, 16),
    ("serpent-256", "Serpent", 32, 16),
    ("xtea-be", "XTEA", 16, 8),
]
SEED = random.SystemRandom().randrange(1 << 32)
RANDOM = random.Random(SEED)
# Beyond the batches that the command works in, once for each cipher and mode.
LONG = 300_000
# Seconds for a run of a program. The slowest take a few.
LIMIT = 120


class Cases:
    """Counts the cases, and says which ones disagree."""

    def __init__(self, binary):
        self.binary = binary
        self.count = 0
        self.failed = 0

    def run(self, direction, cipher, mode, key, stdin, **options):
        """The standard output of a run, or None if it fails."""
        args = [self.binary, "raw", direction, "--cipher", cipher, "--mode", mode, "--key", key.hex()]
        for name, value in options.items():
            value = value.hex() if isinstance(value, bytes) else str(value)
            args += ["--" + name.replace("_", "-"), value]
        done = subprocess.run(args, input=stdin, capture_output=True, timeout=LIMIT)
        return done.stdout if done.returncode == 0 else None

    def check(self, agrees, what):
        """One case."""
        self.count += 1
        if not agrees:
            self.failed += 1
            print(f"disagree: {what}")

    def both_ways(self, cipher, mode, key, plain, expected, **options):
        """One message, whose ciphertext Botan tells."""
        what = f"{cipher}-{mode}, {len(plain)} bytes"
        self.check(self.run("encrypt", cipher, mode, key, plain, **options) == expected, what + ", encrypted")
        self.check(self.run("decrypt", cipher, mode, key, expected, **options) == plain, what + ", decrypted")


def botan(name, encrypt, key, nonce, text, aad=None):
    """A message in Botan."""
    cipher = botan2.SymmetricCipher(name, encrypt)
    cipher.set_key(key)
    if aad is not None:
        cipher.set_assoc_data(aad)
    cipher.start(nonce)
    return cipher.finish(text)


def lengths(least=0, multiple=1):
    """Some lengths: the shortest, random short ones, a long one."""
    some = [least] + [RANDOM.randrange(least, 700) for _ in range(5)] + [LONG + RANDOM.randrange(100)]
    return [max(least, length // multiple * multiple) for length in some]


def streams(cases, name, botan_name, key_len, block):
    """Modes without a tag, at any length or at whole blocks."""
    for mode, botan_mode, multiple in [
        ("cbc", "CBC/NoPadding", block),
        ("cfb", "CFB", 1),
        ("cfb8", "CFB(8)", 1),
        ("ofb", "OFB", 1),
        ("ctr", "CTR-BE", 1),
    ]:
        for length in lengths(multiple=multiple):
            key, iv, plain = (RANDOM.randbytes(n) for n in (key_len, block, length))
            expected = botan(f"{botan_name}/{botan_mode}", True, key, iv, plain)
            cases.both_ways(name, mode, key, plain, expected, iv=iv)


def padding(cases, name, botan_name, key_len, block):
    """CBC with padding. Botan's Python module has room for a message, but not for its padding."""
    for length in [*range(2 * block + 1), *lengths()]:
        key, iv, plain = (RANDOM.randbytes(n) for n in (key_len, block, length))
        more = block - length % block
        expected = botan(f"{botan_name}/CBC/NoPadding", True, key, iv, plain + bytes([more]) * more)
        assert botan(f"{botan_name}/CBC/PKCS7", False, key, iv, expected) == plain
        cases.both_ways(name, "cbc-pkcs7", key, plain, expected, iv=iv)


def sectors(cases, name, botan_name, key_len, block):
    """XTS, whose data units Botan takes one by one."""
    for length in [*range(16, 34), *lengths(16)]:
        key, plain = RANDOM.randbytes(2 * key_len), RANDOM.randbytes(length)
        first = RANDOM.choice([RANDOM.randrange(1 << 64), (1 << 32) - 1, (1 << 64) - 1])
        unit = RANDOM.choice([17, 512, 4096, length])
        if 0 < length % unit < 16:
            unit = length
        parts = [plain[at : at + unit] for at in range(0, length, unit)]
        if len(parts) > 1000:
            continue
        numbers = [(first + i).to_bytes(16, "little") for i in range(len(parts))]
        xts = f"{botan_name}/XTS"
        expected = b"".join(botan(xts, True, key, number, part) for number, part in zip(numbers, parts))
        cases.both_ways(name, "xts", key, plain, expected, iv=numbers[0], unit=unit)


def tagged(cases, name, botan_name, key_len, block):
    """EAX and GCM, with nonces, associated data and tags of many lengths; messages changed by a bit."""
    modes = [("eax", "EAX", range(8, block + 1), 0)]
    if block == 16:
        modes.append(("gcm", "GCM", range(12, 17), 1))
    for mode, botan_mode, tags, shortest_nonce in modes:
        for length in lengths():
            tag_len = RANDOM.choice(tags)
            nonce = RANDOM.randbytes(RANDOM.choice([shortest_nonce, 12, block, RANDOM.randrange(1, 100)]))
            key, aad, plain = (RANDOM.randbytes(n) for n in (key_len, RANDOM.randrange(100), length))
            expected = botan(f"{botan_name}/{botan_mode}({tag_len})", True, key, nonce, plain, aad)
            options = {"iv": nonce, "aad": aad, "tag_len": tag_len}
            cases.both_ways(name, mode, key, plain, expected, **options)
            changed = bytearray(expected)
            changed[RANDOM.randrange(len(changed))] ^= 1 << RANDOM.randrange(8)
            opened = cases.run("decrypt", name, mode, key, bytes(changed), **options)
            cases.check(opened is None, f"{name}-{mode}, {length} bytes, changed")


def tags(cases, name, botan_name, key_len, block):
    """CMAC."""
    for length in [*range(2 * block + 1), *lengths()]:
        key, plain = RANDOM.randbytes(key_len), RANDOM.randbytes(length)
        mac = botan2.MsgAuthCode(f"CMAC({botan_name})")
        mac.set_key(key)
        mac.update(plain)
        tag = cases.run("encrypt", name, "cmac", key, plain)
        cases.check(tag == mac.final(), f"{name}-cmac, {length} bytes")


def main():
    """Runs all cases against the command given as the argument."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"{botan2.version_string()}, seed {SEED}")
    cases = Cases(sys.argv[1])
    for cipher in CIPHERS:
        streams(cases, *cipher)
        padding(cases, *cipher)
        if cipher[3] == 16:
            sectors(cases, *cipher)
        tagged(cases, *cipher)
        tags(cases, *cipher)
    print(f"{cases.count - cases.failed} of {cases.count} cases agree")
    sys.exit(1 if cases.failed else 0)


if __name__ == "__main__":
    main()
