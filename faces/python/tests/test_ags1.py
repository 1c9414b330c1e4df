"""Streams of Apache Iceberg (AGS1), against a second implementation over pyca/cryptography, both ways."""

from __future__ import annotations

import io
import os
import random
import struct
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Pyca

from abreast import InvalidTag
from abreast.sealed import (
    FileCipher,
    FileKey,
    Key,
    Plan,
    SealedFile,
    message_len,
    open_file,
    seal_file,
    verify_file,
)

BLOCK = 1 << 20
SEALED_BLOCK = BLOCK + 28
PREFIX = b"the AAD prefix"
HEADER = b"AGS1" + struct.pack("<I", BLOCK)


def pyca_seal(key: bytes, prefix: bytes, message: bytes) -> bytes:
    """Seals as the specification of Iceberg says."""
    out = [HEADER]
    for number in range(max(1, -(-len(message) // BLOCK))):
        nonce = os.urandom(12)
        text = message[number * BLOCK : (number + 1) * BLOCK]
        out.append(nonce + Pyca(key).encrypt(nonce, text, prefix + struct.pack("<I", number)))
    return b"".join(out)


def pyca_open(key: bytes, prefix: bytes, stream: bytes) -> bytes:
    """Opens as the specification of Iceberg says."""
    assert stream[:8] == HEADER
    out = []
    for number, at in enumerate(range(8, len(stream), SEALED_BLOCK)):
        block = stream[at : at + SEALED_BLOCK]
        out.append(Pyca(key).decrypt(block[:12], block[12:], prefix + struct.pack("<I", number)))
    return b"".join(out)


def lengths() -> list[int]:
    """Lengths at every border, and log-uniform ones around them."""
    rng = random.Random(45)
    around = [border + rng.randrange(1 << rng.randrange(1, 20)) for border in (0, BLOCK, 2 * BLOCK) for _ in range(3)]
    return [0, 1, 28, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, *around]


def test_both_ways(tmp_path: Path) -> None:
    rng = random.Random(1)
    source, target, back = (tmp_path / name for name in ("source", "target", "back"))
    for length in lengths():
        for size in (16, 24, 32):
            raw = rng.randbytes(size)
            key, message = FileKey.ags1(raw, PREFIX), rng.randbytes(length)
            source.write_bytes(message)
            assert seal_file(source, target, key, replace=True) == length
            stream = target.read_bytes()
            assert pyca_open(raw, PREFIX, stream) == message
            theirs = pyca_seal(raw, PREFIX, message)
            assert len(theirs) == len(stream) and message_len(len(stream), format="ags1") == length
            target.write_bytes(theirs)
            open_file(target, back, key, sealed_length=len(stream), replace=True)
            assert back.read_bytes() == message
            verify_file(target, key, sealed_length="unknown")
            with SealedFile(io.BytesIO(theirs), key, sealed_length=len(stream)) as file:
                assert file.read() == message
                for _ in range(3):
                    start = rng.randrange(length + 1)
                    stop = rng.randrange(start, length + 1)
                    file.seek(start)
                    assert file.read(stop - start) == message[start:stop]


def test_parts() -> None:
    raw, message = os.urandom(16), os.urandom(5 * BLOCK + 77)
    key = FileKey.ags1(raw, PREFIX)
    plan = Plan.parse(str(Plan.ags1(len(message), min_part=0, preferred_part=2 * BLOCK)))
    assert (plan.salt, len(plan), key.format) == (None, 3, "ags1")
    stream = bytearray(plan.sealed_len)
    for part in reversed(list(plan)):
        # A worker has the keys as bytes.
        cipher = FileCipher(FileKey.from_bytes(key.to_bytes()))
        stream[slice(*part.sealed)] = cipher.seal_part(part, message[slice(*part.plain)])
    assert pyca_open(raw, PREFIX, bytes(stream)) == message
    for number in range(len(plan)):
        for piece in plan.pieces(number, BLOCK):
            opened = FileCipher(key).open_part(piece, bytes(stream[slice(*piece.sealed)]))
            assert opened == message[slice(*piece.plain)]
    with pytest.raises(ValueError, match="another format"):
        FileKey.of_plan(Key.generate(), plan)


def avro(number: int) -> bytes:
    """A number that is not negative, as Avro has it."""
    number, out = number << 1, bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize("length", [0, 36, 8191, 8192, 1 << 40, None])
@pytest.mark.parametrize("size", [16, 24, 32])
def test_key_metadata(size: int, length: int | None) -> None:
    raw = os.urandom(size)
    end = b"" if length is None else avro(1) + avro(length)
    metadata = b"\x01" + avro(size) + raw + avro(1) + avro(len(PREFIX)) + PREFIX + end
    key, found = FileKey.from_key_metadata(metadata)
    assert (key.to_bytes(), found) == (FileKey.ags1(raw, PREFIX).to_bytes(), length)
    for bad in (b"", b"\x02" + metadata[1:], metadata[:20], metadata + b"\x00\x00"):
        with pytest.raises(ValueError, match="key metadata"):
            FileKey.from_key_metadata(bad)


def test_refusals(tmp_path: Path) -> None:
    raw, message = os.urandom(16), os.urandom(2 * BLOCK + 5)
    key, stream = FileKey.ags1(raw, PREFIX), pyca_seal(raw, PREFIX, message)
    path = tmp_path / "stream"
    blocks = [stream[at : at + SEALED_BLOCK] for at in range(8, len(stream), SEALED_BLOCK)]
    swapped = HEADER + blocks[1] + blocks[0] + blocks[2]
    cuts = [stream[:cut] for border in (8, 8 + SEALED_BLOCK, 8 + 2 * SEALED_BLOCK) for cut in (border - 1, border, border + 30)]
    for bad in [swapped, b"AGS2" + stream[4:], stream + b"\0", *cuts]:
        path.write_bytes(bad)
        with pytest.raises(InvalidTag):
            verify_file(path, key, sealed_length=len(stream))
        with pytest.raises(InvalidTag):
            SealedFile(path, key, sealed_length=len(stream)).read()
    path.write_bytes(stream)
    for other in (FileKey.ags1(raw), FileKey.ags1(raw, PREFIX + b"x"), FileKey.ags1(os.urandom(16), PREFIX)):
        with pytest.raises(InvalidTag, match="AAD prefix"):
            verify_file(path, other, sealed_length=len(stream))
        with pytest.raises(InvalidTag):
            SealedFile(path, other, sealed_length=len(stream))
    with pytest.raises(InvalidTag, match=f"trusted length is {len(stream) + 1}"):
        verify_file(path, key, sealed_length=len(stream) + 1)
    # A cut at a border opens where the length is not known, and the caller has to say so.
    path.write_bytes(stream[: 8 + 2 * SEALED_BLOCK])
    assert SealedFile(path, key, sealed_length="unknown").read() == message[: 2 * BLOCK]
    with pytest.raises(TypeError, match="sealed_length is a whole number, and not float"):
        verify_file(path, key, sealed_length=1.5)  # type: ignore[arg-type]
    for wrong in (None, "no"):
        with pytest.raises(ValueError, match="does not mark its end"):
            verify_file(path, key, sealed_length=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="does not mark its end"):
            SealedFile(path, key, sealed_length=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="streams of AGS1"):
        verify_file(path, Key.generate(), sealed_length=5)
    with pytest.raises(ValueError, match="one file"):
        seal_file(path, tmp_path / "x", FileKey.generate(Key.generate()))
    with pytest.raises(ValueError, match="17 bytes"):
        FileKey.ags1(bytes(17))


def test_stores() -> None:
    fsspec = pytest.importorskip("fsspec")
    from abreast.fsspec import SealedFileSystem

    raw, message = os.urandom(32), os.urandom(6 * BLOCK)
    key, memory = FileKey.ags1(raw, PREFIX), fsspec.filesystem("memory")
    for length in (0, 5, BLOCK, len(message)):
        fs = SealedFileSystem(key, memory, sealed_lengths="unknown")
        with fs.open("/ags1/file", "wb") as file:
            for at in range(0, length, 700_000):
                file.write(message[at : min(length, at + 700_000)])
        stream = memory.cat("/ags1/file")
        assert pyca_open(raw, PREFIX, stream) == message[:length]
        assert fs.info("/ags1/file")["size"] == length
        kept = {"/ags1/file": len(stream)}
        for known in (kept, kept.get):
            fs = SealedFileSystem(key, memory, sealed_lengths=known)  # type: ignore[arg-type]
            assert fs.cat("/ags1/file") == message[:length]
            with fs.open("/ags1/file") as file:
                file.seek(max(0, length - 3))
                assert file.read() == message[max(0, length - 3) : length]
    memory.pipe("/ags1/file", stream[: 8 + 2 * SEALED_BLOCK])
    with pytest.raises(InvalidTag, match="trusted length"):
        fs.open("/ags1/file")
    memory.pipe("/ags1/other", stream)
    with pytest.raises(ValueError, match="has no length"):
        fs.open("/ags1/other")
    with pytest.raises(ValueError, match="does not mark its end"):
        SealedFileSystem(key, memory).open("/ags1/file")
    with pytest.raises(ValueError, match="AGS1"):
        SealedFileSystem(Key.generate(), memory, sealed_lengths={})
    memory.rm("/ags1", recursive=True)
