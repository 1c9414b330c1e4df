"""Round keys are wiped when the last object that uses them is gone: the memory of a process is searched for them."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from abreast import _abreast

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read by /proc")

# Reads keys into memory that it wipes itself, makes an object and may let it go, and writes to a file all that the
# process may write to, but for the stack.
CHILD = """
import gc, os, sys
import abreast, abreast.cgo, abreast.esp, abreast.quic, abreast.srtp

keys = bytearray(180)
assert os.readv(0, [keys]) == len(keys)
first, second = memoryview(keys)[:32], memoryview(keys)[32:64]
made = eval(sys.argv[1])
keys[:] = bytes(180)
if sys.argv[2] == "gone":
    del made
    gc.collect()
memory = os.open("/proc/self/mem", os.O_RDONLY)
with open("/proc/self/maps") as maps, open(sys.argv[3], "wb") as output:
    for line in list(maps):
        place, rights, *rest = line.split()
        if rights.startswith("rw") and rest[3:] != ["[stack]"]:
            start, end = (int(part, 16) for part in place.split("-"))
            output.write(os.pread(memory, end - start, start))
"""

# The key schedule of AES begins with the key, and XTEA keeps the words of its key.
OBJECTS = [
    "abreast.AES(first)",
    "abreast.AES(first[:16])",
    "abreast.XTEA(first[:16])",
    "abreast.AESGCM(first)",
    "abreast.AESGCM(first).encryptor(bytes(12))",
    "abreast.AESEAX(first)",
    "abreast.AESSIV(memoryview(keys)[:64])",
    "abreast.CTR(abreast.AES(first), bytes(16)).encryptor()",
    "abreast.CMAC(abreast.AES(first))",
    "abreast.XTS(abreast.AES(first), abreast.AES(second))",
    "abreast.HCTR2(first)",
    "abreast.HMAC(first, 'sha256')",
    "abreast.cgo.Relay(keys)",
    "abreast.cgo.Client([keys, keys])",
    "abreast.srtp.Session('aes-256-gcm', first, second[:12])",
    "abreast.srtp.Session('aes-256-cm-sha1-80', first, second[:14])",
    "abreast.esp.Association('aes-gcm', 7, memoryview(keys)[:36])",
    "abreast.esp.Association('aes-cbc-hmac-sha256-128', 7, first, second)",
    "abreast.quic.PacketKeys(first, second[:12], second)",
    "abreast.quic.PacketKeys(first[:16], second[:12], second[:16]).updated(second[16:], first[16:28])",
]

OBJECTS += [
    f"abreast._abreast._aead_of({mode!r}, memoryview(keys)[:{max(lengths)}])" for mode, lengths in _abreast._AEAD_MODES if mode != "aez"
]

PIECE = 8


def pieces_found(made: str, when: str, folder: Path) -> int:
    """Counts the pieces of the keys in the memory of a process that made an object of them."""
    keys, file = secrets.token_bytes(180), folder / "memory"
    command = [sys.executable, "-c", CHILD, made, when, str(file)]
    subprocess.run(command, input=keys, check=True, timeout=60)
    memory = file.read_bytes()
    return sum(keys[i : i + PIECE] in memory for i in range(0, len(keys), PIECE))


def test_keys_in_use_are_found(tmp_path: Path) -> None:
    """Otherwise the tests below would find nothing, whatever is left."""
    assert pieces_found("abreast.XTEA(first[:16])", "there", tmp_path) >= 2


@pytest.mark.parametrize("made", OBJECTS)
def test_nothing_is_left_of_keys(made: str, tmp_path: Path) -> None:
    assert pieces_found(made, "gone", tmp_path) == 0
