"""Columns of the C interface against those of `abreast.arrow`, by Arrow's C data interface: pyarrow hands over arrays and takes them."""

from __future__ import annotations

import ctypes
import os
import random
from typing import Any

import pytest

from abreast import AESGCM, AESSIV, InvalidTag
from abreast.arrow import Policy, decrypt_column, decrypt_table, encrypt_column, encrypt_table
from abreast.keyring import Keyring

pa = pytest.importorskip("pyarrow")

PATH = os.environ.get("ABREAST_LIBRARY")
if PATH is None:
    pytest.skip("ABREAST_LIBRARY does not name libabreast.so", allow_module_level=True)
C = ctypes.CDLL(PATH)
TAG_MISMATCH, COLUMN_TYPE, OFFSETS, COLUMN_ROWS = 19, 136, 138, 139


class Handle:
    """A key of C's, in the mode of a key of Python's."""

    def __init__(self, key: bytes, mode: str) -> None:
        self.size, self.at = 12 if mode == "gcm" else 0, ctypes.c_void_p()
        halves = [key] if mode == "gcm" else [key[: len(key) // 2], key[len(key) // 2 :]]
        ciphers = [ctypes.c_void_p() for _ in halves]
        for half, cipher in zip(halves, ciphers, strict=True):
            name = f"aes-{8 * len(half)}".encode()
            assert C.abreast_cipher_new(name, half, ctypes.c_size_t(len(half)), None, ctypes.byref(cipher)) == 0
        new = C.abreast_gcm_new if mode == "gcm" else C.abreast_siv_new
        assert new(*ciphers, ctypes.byref(self.at)) == 0
        for cipher in ciphers:
            C.abreast_cipher_free(cipher)

    def __del__(self) -> None:
        C.abreast_aead_free(self.at)


class Structs:
    """Room for the two structs of Arrow, with an array in them if one is given."""

    def __init__(self, array: Any = None) -> None:
        self.schema, self.array = ctypes.create_string_buffer(72), ctypes.create_string_buffer(80)
        self.given = array is not None
        if self.given:
            array._export_to_c(ctypes.addressof(self.array), ctypes.addressof(self.schema))

    def take(self) -> Any:
        """Returns the array, which these structs lose."""
        return pa.Array._import_from_c(ctypes.addressof(self.array), ctypes.addressof(self.schema))

    def pointers(self) -> tuple[Any, Any]:
        return (self.schema, self.array) if self.given else (None, None)


def in_c(
    key: Handle, values: Any, *, opening: bool, aad: Any = b"", prefix: bytes = b"", to_null: bool = False
) -> tuple[int, Any, int]:
    """Calls C with an array, and returns the status, the array and the number of rows that are not authentic."""
    given, to, invalid = Structs(values), Structs(), ctypes.c_size_t()
    one, each = (aad, Structs()) if isinstance(aad, bytes) else (b"", Structs(aad))
    size = ctypes.c_size_t
    begin = [key.at, given.schema, given.array, prefix, size(len(prefix))]
    middle = [one, size(len(one)), *each.pointers()]
    if opening:
        end = [ctypes.byref(invalid) if to_null else None, to.schema, to.array]
        status = C.abreast_column_decrypt(*begin, *middle, *end)
    else:
        nonces = os.urandom(key.size * len(values))
        status = C.abreast_column_encrypt(*begin, nonces, size(len(nonces)), *middle, to.schema, to.array)
    # C does not release what it reads: pyarrow has it back.
    back = given.take()
    assert back.type == values.type and back.equals(values)
    if status:
        assert to.array.raw == bytes(80) and to.schema.raw == bytes(72)
        return status, None, 0
    made = to.take()
    made.validate(full=True)
    return 0, made, invalid.value


def columns() -> list[Any]:
    """Arrays of each type, with and without nulls, and slices of them."""
    rng = random.Random(45)
    rows = [None if rng.random() < 0.2 else rng.randbytes(int(2 ** rng.uniform(0, 10)) - 1) for _ in range(700)]
    words = [None if row is None else row.hex() for row in rows]
    fixed = [None if row is None else (row + bytes(13))[:13] for row in rows]
    whole = [
        pa.array(rows, pa.binary()),
        pa.array(rows, pa.large_binary()),
        pa.array(words, pa.string()),
        pa.array(words, pa.large_string()),
        pa.array(fixed, pa.binary(13)),
        pa.array([row or b"" for row in rows], pa.binary()),
        pa.array([], pa.binary()),
        pa.array([None] * 9, pa.string()),
        pa.array([b""] * 9, pa.binary(0)),
    ]
    slices = [(0, 1), (1, 7), (8, 129), (63, 600), (699, 1), (700, 0)]
    return whole + [array.slice(*part) for array in whole[:6] for part in slices]


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("mode", ["gcm", "siv"])
def test_both_ways(mode: str, size: int) -> None:
    raw = os.urandom(size if mode == "gcm" else 2 * size)
    key, handle = AESGCM(raw) if mode == "gcm" else AESSIV(raw), Handle(raw, mode)
    for values in columns():
        ids = pa.array([str(row) for row in range(len(values))], pa.string())
        for aad in (b"", b"users.name", ids, ids.cast(pa.large_binary())):
            status, theirs, _ = in_c(handle, values, opening=False, aad=aad)
            assert status == 0 and theirs.null_count == values.null_count
            opened = decrypt_column(theirs, key, associated_data=aad)
            expected = values.cast(opened.type)
            assert opened.equals(expected)
            ours = encrypt_column(values, key, associated_data=aad)
            assert ours.type == theirs.type and (mode == "gcm" or ours.equals(theirs))
            status, opened, _ = in_c(handle, ours, opening=True, aad=aad)
            assert status == 0 and opened.equals(expected)
            # A slice of what Python made.
            cut = ours.slice(len(ours) // 3)
            part = aad if isinstance(aad, bytes) else aad.slice(len(ours) // 3)
            status, opened, _ = in_c(handle, cut, opening=True, aad=part)
            assert status == 0 and opened.equals(expected.slice(len(ours) // 3))


def test_changed_rows() -> None:
    raw = os.urandom(32)
    key, handle = AESSIV(raw), Handle(raw, "siv")
    values = pa.array([b"value %d" % row if row % 5 else None for row in range(300)])
    rows = encrypt_column(values, key).to_pylist()
    wrong = [7, 64, 299]
    for row in wrong:
        rows[row] = rows[row][:-1] + bytes([rows[row][-1] ^ 1])
    rows[8] = b"short"
    changed = pa.array(rows, pa.binary())
    assert in_c(handle, changed, opening=True)[0] == TAG_MISMATCH
    status, opened, count = in_c(handle, changed, opening=True, to_null=True)
    assert (status, count) == (0, 4)
    assert opened.equals(decrypt_column(changed, key, invalid="null"))
    assert in_c(Handle(os.urandom(32), "siv"), changed, opening=True, to_null=True)[2] == 240
    with pytest.raises(InvalidTag):
        decrypt_column(in_c(handle, values, opening=False, aad=b"other")[1], key)


def test_tables() -> None:
    raw = os.urandom(32)
    ring = Keyring()
    ring.add("ids", raw, mode="siv", id=7)
    table = pa.table({"mail": ["ann@example.org", None, "bob@example.org"]})
    encrypted = encrypt_table(table, {"mail": Policy(key="ids", mode="siv")}, ring, extension=False)
    handle, prefix = Handle(raw, "siv"), b"\x01" + (7).to_bytes(4, "big")
    column = encrypted["mail"].chunk(0)
    status, opened, _ = in_c(handle, column, opening=True, aad=b"mail", prefix=prefix)
    assert status == 0 and opened.cast(pa.string()).equals(table["mail"].chunk(0))
    status, theirs, _ = in_c(handle, table["mail"].chunk(0), opening=False, aad=b"mail", prefix=prefix)
    assert status == 0
    other = pa.Table.from_arrays([theirs], schema=encrypted.schema)
    assert decrypt_table(other, ring).equals(table)
    assert in_c(handle, column, opening=True, aad=b"mail", prefix=prefix[:4])[0] == TAG_MISMATCH


def test_refusals() -> None:
    handle = Handle(os.urandom(32), "siv")
    for values in (pa.array([1]), pa.array(["a"], pa.string_view()), pa.array(["a"]).dictionary_encode(), pa.array([["a"]])):
        assert in_c(handle, values, opening=False)[0] == COLUMN_TYPE
    two = pa.array(["a", "b"])
    assert in_c(handle, two, opening=False, aad=pa.array(["a"]))[0] == COLUMN_ROWS
    assert in_c(handle, two, opening=False, aad=pa.array(["a", None]))[0] == COLUMN_ROWS
    # Offsets that pyarrow does not look at; those that it does are in the tests in C.
    offsets = b"".join(at.to_bytes(4, "little") for at in (0, 5, 3))
    bad = pa.Array.from_buffers(pa.binary(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"abc")])
    given, to, nothing = Structs(bad), Structs(), ctypes.c_size_t(0)
    arguments = [None, nothing, None, nothing, None, nothing, None, None]
    assert C.abreast_column_encrypt(handle.at, given.schema, given.array, *arguments, to.schema, to.array) == OFFSETS
    given.take()
