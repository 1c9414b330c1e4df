"""Columns: each value as its key by itself would encrypt it, in every kind of array that pyarrow has for bytes."""

from __future__ import annotations

import random
from array import array
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import log_uniform
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PycaGCM
from cryptography.hazmat.primitives.ciphers.aead import AESSIV as PycaSIV
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import abreast
from abreast.arrow import decrypt_column, encrypt_column
from abreast.columns import AESGCMKeys, Values, XTEAKeys, decrypt, encrypt

GCM, SIV, AEZ = abreast.AESGCM(bytes(16)), abreast.AESSIV(bytes(32)), abreast.AEZ(b"a key")

KINDS = [
    pa.binary(),
    pa.large_binary(),
    pa.string(),
    pa.large_string(),
    pa.binary_view(),
    pa.dictionary(pa.int32(), pa.string()),
]


def rows_of(rng: random.Random, count: int) -> list[bytes | None]:
    return [None if rng.random() < 0.1 else rng.randbytes(log_uniform(rng, 300)).hex().encode() for _ in range(count)]


def alone(key: Any, value: bytes, aad: bytes) -> bytes:
    """A value that was encrypted, opened by itself."""
    if isinstance(key, abreast.AESGCM):
        return key.decrypt(value[:12], value[12:], aad)
    if isinstance(key, abreast.AESSIV):
        return key.decrypt(value, [aad])
    return key.decrypt(b"", value, aad)  # type: ignore[no-any-return]


@pytest.mark.parametrize("key", [GCM, SIV, AEZ, abreast.SerpentGCM(bytes(32))], ids=repr)
@pytest.mark.parametrize("kind", KINDS, ids=str)
# 127 to 129 are where a window of the library ends.
@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 1000])
def test_every_kind_of_array(key: Any, kind: pa.DataType, count: int, rng: random.Random) -> None:
    rows = rows_of(rng, count)
    values = pa.array(rows, pa.binary()).cast(pa.string()).cast(kind)
    sealed = encrypt_column(values, key, associated_data=b"table.column")
    assert [row is None for row in sealed.to_pylist()] == [row is None for row in rows]
    if not isinstance(key, abreast.SerpentGCM):
        for value, row in zip(sealed.to_pylist(), rows, strict=True):
            assert value is None or alone(key, value, b"table.column") == row
    opened = decrypt_column(sealed, key, associated_data=b"table.column")
    assert opened.to_pylist() == rows
    sealed.validate(full=True)
    opened.validate(full=True)
    # Slices, and arrays of slices.
    start, stop = sorted((rng.randint(0, count), rng.randint(0, count)))
    part = encrypt_column(values[start:stop], key, associated_data=b"table.column")
    assert decrypt_column(part, key, associated_data=b"table.column").to_pylist() == rows[start:stop]
    chunked = pa.chunked_array([values[:start], values[start:stop], values[stop:]])
    sealed = encrypt_column(chunked, key)
    assert sealed.num_chunks == 3
    assert decrypt_column(sealed, key).to_pylist() == rows
    assert decrypt_column(sealed[start:stop], key).to_pylist() == rows[start:stop]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_rows(data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.none() | st.binary(max_size=200), max_size=300))
    aads = data.draw(st.lists(st.binary(max_size=20), min_size=len(rows), max_size=len(rows)))
    kind = data.draw(st.sampled_from([pa.binary(), pa.large_binary()]))
    start = data.draw(st.integers(0, len(rows)))
    stop = data.draw(st.integers(start, len(rows)))
    key = data.draw(st.sampled_from([GCM, SIV, AEZ]))
    values = pa.array([*rows], kind)[start:stop]
    strings = pa.array(aads, pa.binary())[start:stop]
    sealed = encrypt_column(values, key, associated_data=strings)
    for value, row, aad in zip(sealed.to_pylist(), rows[start:stop], aads[start:stop], strict=True):
        assert value is None if row is None else alone(key, value, aad) == row
    assert decrypt_column(sealed, key, associated_data=strings).to_pylist() == rows[start:stop]
    present = [at for at, row in enumerate(rows[start:stop]) if row is not None]
    if present:
        bad = data.draw(st.sampled_from(present))
        damaged = sealed.to_pylist()
        damaged[bad] = damaged[bad][: data.draw(st.integers(0, len(damaged[bad]) - 1))]
        damaged = pa.array(damaged, kind)
        with pytest.raises(abreast.InvalidTag) as caught:
            decrypt_column(damaged, key, associated_data=strings)
        assert caught.value.rows == [bad]
        opened = decrypt_column(damaged, key, associated_data=strings, invalid="null").to_pylist()
        assert opened == [None if at == bad else row for at, row in enumerate(rows[start:stop])]


def test_as_pyca(rng: random.Random) -> None:
    for _ in range(200):
        key, aad, value = rng.randbytes(32), rng.randbytes(log_uniform(rng, 50)), rng.randbytes(log_uniform(rng, 5000))
        sealed = encrypt_column(pa.array([value]), abreast.AESSIV(key), associated_data=aad)[0].as_py()
        assert PycaSIV(key).decrypt(sealed, [aad]) == value if value or aad else True
        strings = [rng.randbytes(log_uniform(rng, 50)) for _ in range(rng.randrange(4))]
        if value:
            assert abreast.AESSIV(key).encrypt(value, strings) == PycaSIV(key).encrypt(value, strings)
        assert abreast.AESSIV(key).decrypt(abreast.AESSIV(key).encrypt(value, strings), strings) == value
        sealed = encrypt_column(pa.array([value]), abreast.AESGCM(key), associated_data=aad)[0].as_py()
        assert PycaGCM(key).decrypt(sealed[:12], sealed[12:], aad) == value


def test_equal_values(rng: random.Random) -> None:
    values = pa.array([b"same", b"same", b"other"])
    for key, equal in ((SIV, True), (AEZ, True), (GCM, False)):
        one, two, three = encrypt_column(values, key).to_pylist()
        assert (one == two) == equal and one != three
    assert len(set(encrypt_column(pa.array([b""] * 100_000), GCM).to_pylist())) == 100_000


@pytest.mark.parametrize("size", [16, 24, 32])
def test_a_key_for_each_row(size: int, rng: random.Random) -> None:
    count = 1000
    rows, raw = rows_of(rng, count), rng.randbytes(50 * size)
    index = [rng.randrange(50) for _ in range(count)]
    keys = [abreast.AESGCM(raw[at * size :][:size]) for at in range(50)]
    values = pa.array(rows, pa.binary())
    for many in (keys, AESGCMKeys(raw, key_size=size)):
        sealed = encrypt_column(values, many, key_index=pa.array(index))
        for value, row, at in zip(sealed.to_pylist(), rows, index, strict=True):
            assert value is None or keys[at].decrypt(value[:12], value[12:]) == row
        assert decrypt_column(sealed, many, key_index=index).to_pylist() == rows
        chunked = pa.chunked_array([sealed[:333], sealed[333:]])
        assert decrypt_column(chunked, many, key_index=np.array(index)).to_pylist() == rows
    own = AESGCMKeys(rng.randbytes(count * size), key_size=size)
    chunked = pa.chunked_array([values[:333], values[333:]])
    sealed = encrypt_column(chunked, own)
    assert decrypt_column(sealed, own).to_pylist() == rows
    with pytest.raises(abreast.InvalidTag):
        decrypt_column(sealed, own, key_index=[0] * count)


def test_xtea(rng: random.Random) -> None:
    count = 500
    rows, raw, nonces = [rng.randbytes(log_uniform(rng, 200)) for _ in range(count)], rng.randbytes(16 * count), rng.randbytes(8 * count)
    sealed = encrypt_column(pa.array(rows), XTEAKeys(raw), nonces=nonces)
    for at, (value, row) in enumerate(zip(sealed.to_pylist(), rows, strict=True)):
        assert value[:8] == nonces[8 * at :][:8]
        stream = abreast.CTR(abreast.XTEA(raw[16 * at :][:16]), value[:8])
        assert stream.encrypt(value[8:]) == row
    assert decrypt_column(sealed, XTEAKeys(raw)).to_pylist() == rows


@pytest.mark.parametrize(
    ("offsets", "says"),
    [
        ([], "no offsets"),
        ([-1, 0], "negative"),
        ([0, 5, 3], "row 1 ends before it begins"),
        ([0, 9], "row 0 is beyond"),
        ([9, 9], "beyond"),
        ([0, -(2**31)], "negative"),
        ([2**31 - 1, 2**31 - 1], "beyond"),
    ],
)
@pytest.mark.parametrize("kind", ["i", "q"])
def test_hostile_offsets(offsets: list[int], says: str, kind: str) -> None:
    for key in (GCM, SIV, AEZ, XTEAKeys(bytes(16 * 10))):
        with pytest.raises(ValueError, match=says):
            encrypt(key, Values(array(kind, offsets), b"8 bytes."))
        with pytest.raises(ValueError, match=says):
            decrypt(key, Values(array(kind, offsets), b"8 bytes."))


def test_two_gibibytes_are_too_many_for_32_bits() -> None:
    # 76 700 000 rows of nothing become 28 bytes each: more than offsets of 32 bits can say. The offsets are all zeros,
    # of which the system makes pages when they are read.
    values = Values(memoryview(np.zeros(76_700_001, np.int32)), b"")
    with pytest.raises(OverflowError, match="large_binary"):
        encrypt(GCM, values, nonces=b"")


@pytest.mark.parametrize("key", [GCM, SIV, AEZ], ids=repr)
def test_values_beyond_two_and_four_gibibytes(key: Any) -> None:
    # More memory than is ever touched: the system makes its pages when they are.
    data = np.zeros((1 << 32) + 4096, np.uint8)
    places = [0, 100, 2**31 - 7, 2**31 - 1, 2**31, 2**31 + 50, 2**32 - 3, 2**32 + 9, 2**32 + 4096]
    rows = []
    for start, stop in zip(places, places[1:], strict=False):
        rows.append(bytes(range(min(stop - start, 200))))
        data[stop - len(rows[-1]) : stop] = np.frombuffer(rows[-1], np.uint8)
    # Only short values are encrypted; the bytes between them belong to null rows.
    offsets = [0, *(at for stop, row in zip(places[1:], rows, strict=True) for at in (stop - len(row), stop))]
    validity = bytes([0b10101010, 0b10101010])
    large = pa.Array.from_buffers(
        pa.large_binary(),
        len(offsets) - 1,
        [pa.py_buffer(validity), pa.py_buffer(np.array(offsets, np.int64)), pa.py_buffer(data)],
    )
    before = pa.total_allocated_bytes()
    sealed = encrypt_column(large, key, associated_data=b"far")
    assert sealed.type == pa.large_binary() and pa.total_allocated_bytes() - before < 1 << 20
    found = [value for value in sealed.to_pylist() if value is not None]
    assert [alone(key, value, b"far") for value in found] == rows
    assert [row for row in decrypt_column(sealed, key, associated_data=b"far").to_pylist() if row is not None] == rows
    again = encrypt_column(large[9:], key, associated_data=b"far")
    assert [alone(key, value, b"far") for value in again.to_pylist() if value is not None] == rows[4:]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: encrypt_column(pa.array([1]), GCM), TypeError, "binary or string, and these are int64"),
        (lambda: encrypt_column(pa.array([b""]), abreast.AES(bytes(16))), TypeError, "not AES"),
        (lambda: encrypt_column(pa.array([b""]), abreast.AESEAX(bytes(16))), TypeError, "not AESEAX"),
        (lambda: encrypt_column(pa.array([b""]), abreast.AESGCM(bytes(16), tag_length=12)), ValueError, "16 bytes"),
        (lambda: encrypt_column(pa.array([b""]), GCM, key_index=[0]), ValueError, "one for all rows"),
        (lambda: encrypt_column(pa.array([b""]), [GCM], key_index=[1]), ValueError, "no key for row 0"),
        (lambda: encrypt_column(pa.array([b""]), [], key_index=None), ValueError, "keys for 0"),
        (lambda: encrypt_column(pa.array([b""]), AESGCMKeys(bytes(16), key_size=16), key_index=[7]), ValueError, "no key for row 0"),
        (lambda: encrypt_column(pa.array([b""]), GCM, nonces=bytes(11)), ValueError, "nonces have not the length"),
        (lambda: encrypt_column(pa.array([b""]), GCM, associated_data=pa.array([b"", b""])), ValueError, "2 strings"),
        (lambda: decrypt_column(pa.array([b""]), GCM, invalid="zero"), ValueError, "'raise' or 'null'"),  # type: ignore[arg-type]
        (lambda: AESGCMKeys(bytes(17), key_size=16), ValueError, "have 17 bytes; they have to have 16 or a multiple of it"),
        (lambda: AESGCMKeys(bytes(16), key_size=17), ValueError, "16, 24 or 32"),
        (lambda: encrypt(GCM, Values(array("h", [0]), b"")), TypeError, "32 or 64 bits"),
        (lambda: encrypt(Values(array("i", [0]), b""), GCM), TypeError, "are abreast.columns.Values, and not AESGCM"),  # type: ignore[arg-type]
        (lambda: encrypt(GCM, Values(array("i", [0, 0]), b"", b"")), ValueError, "fewer bits"),
        (lambda: encrypt(XTEAKeys(bytes(16)), Values(array("i", [0, 0]), b""), associated_data=b"x"), ValueError, "associated data"),
    ],
)
def test_what_does_not_fit(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_nothing_is_copied_on_the_way_in() -> None:
    before = pa.total_allocated_bytes()
    values = pa.array([b"x" * 1000] * 10_000)
    made = pa.total_allocated_bytes() - before
    encrypt_column(values, GCM)
    encrypt_column(values[10:100], SIV)
    assert pa.total_allocated_bytes() - before == made


def test_more_keys_than_rows() -> None:
    values = Values(array("i", [0, 1, 2]), b"ab")
    three = [abreast.AESGCM(bytes([number] * 16)) for number in range(3)]
    raw = AESGCMKeys(bytes(48), key_size=16)
    for keys in (three, raw, XTEAKeys(bytes(48))):
        with pytest.raises(ValueError, match="3 keys for 2 rows"):
            encrypt(keys, values)
        # With numbers, there may be as many as there are.
        made = encrypt(keys, values, key_index=array("I", [2, 0]))
        assert bytes(decrypt(keys, made, key_index=array("I", [2, 0])).data) == b"ab"
