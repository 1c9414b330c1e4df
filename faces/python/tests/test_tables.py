"""Tables of which columns of all types of Arrow are encrypted, in pyarrow and by way of other engines."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import random
import signal
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PycaGCM
from cryptography.hazmat.primitives.ciphers.aead import AESSIV as PycaSIV
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import abreast
from abreast import _arrow_types, _arrow_values
from abreast.arrow import (
    EncryptedType,
    Policy,
    decrypt_column,
    decrypt_table,
    encrypt_column,
    encrypt_table,
    reencrypt_column,
    reencrypt_table,
)
from abreast.keyring import Keyring, KeyNotFound, UnknownKey

GCM, SIV = bytes(range(32)), bytes(range(64))


def ring_of() -> Keyring:
    ring = Keyring()
    ring.add("siv", SIV, mode="siv", id=1)
    ring.add("gcm", GCM, mode="gcm", id=2)
    ring.add("gcm-siv", GCM, mode="gcm-siv")
    return ring


RING = ring_of()

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TIMES = [
    pa.date32(),
    pa.time32("s"),
    pa.time32("ms"),
    pa.time64("us"),
    pa.time64("ns"),
    *(pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "Europe/Berlin")),
    *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
DECIMALS = [pa.decimal32(5, 2), pa.decimal64(12, 2), pa.decimal128(30, 2), pa.decimal256(60, 2)]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
LEAVES = [
    *INTEGERS, *TIMES, *TEXTS, *BYTES, *DECIMALS, *FLOATS, pa.bool_(), pa.null(), pa.date64(), pa.month_day_nano_interval(),
    pa.binary(0), pa.binary(1), pa.binary(16), pa.uuid(), pa.json_(), pa.bool8(),
]


def nested(inner: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
    keys = st.sampled_from([pa.string(), pa.int32()])
    return st.one_of(
        st.builds(pa.list_, inner),
        st.builds(pa.large_list, inner),
        st.builds(pa.list_view, inner),
        # Beside a dictionary, slices of fixed lists of nothing but nulls are invalid when pyarrow has made them.
        st.builds(lambda kind: pa.list_(kind, 2), inner.filter(lambda kind: not pa.types.is_null(kind))),
        st.builds(lambda kinds: pa.struct([(f"f{at}", kind) for at, kind in enumerate(kinds)]), st.lists(inner, min_size=1, max_size=3)),
        st.builds(pa.map_, keys, inner),
    )


def coded(kinds: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
    return st.builds(pa.dictionary, st.sampled_from(INTEGERS[:4]), kinds, st.booleans())


SIMPLE = st.sampled_from([kind for kind in LEAVES if not isinstance(kind, pa.BaseExtensionType)])
WITH_CODES = st.sampled_from([*INTEGERS, *TIMES, *TEXTS[:2], *BYTES[:2], *FLOATS[1:], pa.binary(16), pa.decimal128(30, 2)])
# What a dictionary may have, or a run: all that Python can make an array of with indices.
IN_RUNS = st.one_of(WITH_CODES, st.just(pa.bool_()), coded(WITH_CODES))


def with_runs(kinds: st.SearchStrategy[pa.DataType]) -> st.SearchStrategy[pa.DataType]:
    return st.builds(pa.run_end_encoded, st.sampled_from([pa.int16(), pa.int32(), pa.int64()]), kinds)


NESTED = nested(st.recursive(st.one_of(SIMPLE, coded(WITH_CODES), with_runs(IN_RUNS)), nested, max_leaves=3))
KINDS = st.one_of(st.sampled_from(LEAVES), coded(WITH_CODES), with_runs(IN_RUNS), NESTED)


def values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    """Values of a type as Python has them."""
    types = pa.types
    if types.is_null(kind):
        return st.none()
    if types.is_boolean(kind):
        return st.booleans()
    if types.is_integer(kind):
        signed = types.is_signed_integer(kind)
        bits = kind.bit_width - signed
        return st.integers(-(1 << bits) if signed else 0, (1 << bits) - 1)
    if types.is_floating(kind):
        return st.floats(width=kind.bit_width, allow_nan=False)
    if types.is_decimal(kind):
        most = 10**kind.precision - 1
        with decimal.localcontext(prec=80):
            return st.integers(-most, most).map(lambda number: decimal.Decimal(number).scaleb(-kind.scale, decimal.Context(prec=80)))
    if types.is_date64(kind):
        return st.integers(-1000, 1000).map(lambda day: day * 86_400_000)
    if types.is_time(kind):
        return st.integers(0, 86_399)
    if types.is_date(kind):
        # Python's dates begin with the year 1, and PyArrow shows no others.
        return st.integers(-719_162, 10**6)
    if types.is_timestamp(kind) or types.is_duration(kind):
        return st.integers(-(10**6), 10**6)
    if types.is_interval(kind):
        return st.tuples(st.integers(-99, 99), st.integers(-99, 99), st.integers(-(2**62), 2**62))
    if types.is_fixed_size_binary(kind):
        return st.binary(min_size=kind.byte_width, max_size=kind.byte_width)
    if kind in TEXTS:
        return st.text(max_size=40)
    if kind in BYTES:
        return st.binary(max_size=40)
    if types.is_struct(kind):
        return st.fixed_dictionaries({field.name: maybe(field.type) for field in kind})
    if types.is_map(kind):
        pairs = st.tuples(values(kind.key_type), maybe(kind.item_type))
        return st.lists(pairs, max_size=3, unique_by=lambda pair: pair[0])
    if types.is_dictionary(kind):
        return values(kind.value_type)
    if types.is_run_end_encoded(kind):
        return maybe(kind.value_type)
    size = kind.list_size if types.is_fixed_size_list(kind) else None
    return st.lists(maybe(kind.value_type), min_size=size or 0, max_size=3 if size is None else size)


def maybe(kind: pa.DataType) -> st.SearchStrategy[Any]:
    return st.none() | values(kind)


def built(rows: list[Any], kind: pa.DataType) -> pa.Array:
    """An array of a type of values of Python, which pyarrow itself does not make with runs below another type."""
    types = pa.types
    if types.is_run_end_encoded(kind):
        inner = built(rows, kind.value_type)
        if not types.is_dictionary(kind.value_type):
            return pc.run_end_encode(inner, run_end_type=kind.run_end_type)
        # A run for each row, of equal ones too.
        return pa.RunEndEncodedArray.from_arrays(pa.array(range(1, len(rows) + 1), kind.run_end_type), inner)
    if types.is_dictionary(kind):
        different = list(dict.fromkeys(row for row in rows if row is not None))
        index = pa.array([None if row is None else different.index(row) for row in rows], kind.index_type)
        return pa.DictionaryArray.from_arrays(index, built(different, kind.value_type), ordered=kind.ordered)
    missing = pa.array([row is None for row in rows], pa.bool_())
    if types.is_struct(kind):
        columns = [built([None if row is None else row[field.name] for row in rows], field.type) for field in kind]
        return pa.StructArray.from_arrays(columns, fields=list(kind), mask=missing)
    if types.is_fixed_size_list(kind):
        inner = built([item for row in rows for item in (row or [None] * kind.list_size)], kind.value_type)
        return pa.FixedSizeListArray.from_arrays(inner, type=kind, mask=missing)
    if not types.is_nested(kind):
        return pa.array(rows, kind)
    flat, ends = [item for row in rows for item in row or ()], [0]
    for row in rows:
        ends.append(ends[-1] + len(row or ()))
    if types.is_list_view(kind):
        sizes = pa.array([len(row or ()) for row in rows], pa.int32())
        return pa.ListViewArray.from_arrays(pa.array(ends[:-1], pa.int32()), sizes, built(flat, kind.value_type), type=kind, mask=missing)
    offsets = pa.array([None if row is None else end for row, end in zip(rows, ends, strict=False)] + ends[-1:], pa.int32())
    if types.is_map(kind):
        keys, items = (built([pair[part] for pair in flat], field.type) for part, field in enumerate((kind.key_field, kind.item_field)))
        return pa.MapArray.from_arrays(offsets, keys, items, type=kind)
    if types.is_large_list(kind):
        return pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), built(flat, kind.value_type), type=kind)
    return pa.ListArray.from_arrays(offsets, built(flat, kind.value_type), type=kind)


@st.composite
def arrays(draw: st.DrawFn, kind: pa.DataType, count: int) -> pa.Array:
    """An array of a type, a slice of a longer one."""
    before = draw(st.integers(0, 9))
    total = count + before + draw(st.integers(0, 2))
    if isinstance(kind, pa.BaseExtensionType):
        if kind == pa.json_():
            rows = pa.array(draw(st.lists(st.none() | st.just("[1]"), min_size=total, max_size=total)), pa.string())
        else:
            rows = draw(arrays(kind.storage_type, total))
        return pa.ExtensionArray.from_storage(kind, rows)[before : before + count]
    if pa.types.is_dictionary(kind):
        dictionary = draw(st.lists(values(kind.value_type), min_size=1, max_size=5, unique=True))
        index = draw(st.lists(st.none() | st.integers(0, len(dictionary) - 1), min_size=total, max_size=total))
        made = pa.DictionaryArray.from_arrays(
            pa.array(index, kind.index_type), pa.array(dictionary, kind.value_type), ordered=kind.ordered
        )
        return made[before : before + count]
    nothing = draw(st.integers(0, 5)) == 0
    rows = [None] * total if nothing else draw(st.lists(maybe(kind), min_size=total, max_size=total))
    return built(rows, kind)[before : before + count]


def plain(column: pa.ChunkedArray) -> list[Any]:
    return [value for chunk in column.chunks for value in _arrow_types.encode(chunk).to_pylist()]


def is_valid(column: pa.ChunkedArray) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def same(one: pa.Table, other: pa.Table) -> None:
    assert one.schema.equals(other.schema, check_metadata=True)
    for name in one.column_names:
        old, new = one[name], other[name]
        # Arrow itself makes indices that are out of bounds below nulls.
        new.validate(full=is_valid(old))
        if old.equals(new):
            continue
        # Dictionaries may be others for the same values.
        assert pa.types.is_nested(old.type) or plain(old) == plain(new)
        assert old.to_pylist() == new.to_pylist()


def alike(one: pa.Table, other: pa.Table) -> None:
    """Equal values, and equal types of encrypted columns."""
    assert one.column_names == other.column_names and one.to_pylist() == other.to_pylist()
    assert all(one.schema.field(name).type == other.schema.field(name).type for name in POLICIES)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_table(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 20))
    kinds = data.draw(st.lists(KINDS, min_size=1, max_size=3))
    columns, policies = {}, {}
    for at, kind in enumerate(kinds):
        cut = data.draw(st.integers(0, count))
        if pa.types.is_dictionary(kind) and kind.ordered:
            # Two orders may contradict each other, which is refused.
            whole = data.draw(arrays(kind, count))
            parts = [whole[:cut], whole[cut:]]
        else:
            parts = [data.draw(arrays(kind, size)) for size in (cut, count - cut)]
        columns[f"column {at}"] = pa.chunked_array(parts, kind)
        policies[f"column {at}"] = Policy(
            key=data.draw(st.sampled_from(["siv", "gcm", "gcm-siv"])),
            associated_data=data.draw(st.sampled_from([None, b"", b"bound"])),
            associated_data_column=None,
        )
    columns["clear"] = pa.chunked_array([pa.array(range(count), pa.int64())])
    if policies["column 0"].associated_data is None and data.draw(st.booleans()):
        policies["column 0"] = Policy(key="siv", associated_data_column="clear")
    table = pa.table(columns)
    old = _arrow_values.PIECE_ROWS
    _arrow_values.PIECE_ROWS = data.draw(st.sampled_from([1, 3, old]))
    try:
        threads = data.draw(st.sampled_from([1, 2]))
        seen: list[tuple[int, int]] = []
        sealed = encrypt_table(table, policies, RING, threads=threads, progress=lambda *now: seen.append(now))
        assert seen[-1] == (count * len(kinds),) * 2 and seen == sorted(seen)
        sealed.validate(full=True)
        for name, column in columns.items():
            if name == "clear":
                assert sealed[name].equals(column)
                continue
            assert isinstance(sealed[name].type, EncryptedType)
            nulls = sum(value is None for value in plain(column))
            assert sealed[name].null_count == nulls
        same(table, decrypt_table(sealed, RING, threads=threads))
        same(table, decrypt_table(reencrypt_table(sealed, RING, threads=threads), RING))
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, sealed.schema) as writer:
            writer.write_table(sealed)
        same(table, decrypt_table(pa.ipc.open_stream(stream.getvalue()).read_all(), RING))
    finally:
        _arrow_values.PIECE_ROWS = old


@pytest.mark.parametrize("dense", [True, False])
def test_unions(dense: bool) -> None:
    kinds = pa.array([0, 1, 0, 1], pa.int8())
    numbers, texts = pa.array([1, 2, None, 4]), pa.array(["a", "b", "c", None])
    offsets = pa.array([0, 1, 2, 3], pa.int32())
    union = pa.UnionArray.from_dense(kinds, offsets, [numbers, texts]) if dense else pa.UnionArray.from_sparse(kinds, [numbers, texts])
    table = pa.table({"u": union})
    sealed = encrypt_table(table, {"u": Policy(key="gcm")}, RING)
    opened = decrypt_table(sealed, RING)
    assert opened["u"].to_pylist() == [1, "b", None, None] and opened["u"].type == union.type


def test_bits_of_numbers() -> None:
    """Every bit of a number comes back: of NaN, too, and the sign of zero."""
    bits = np.array([0x7FF8000000000001, 0xFFF0000000000123, 1 << 63, 0], np.uint64)
    table = pa.table({"x": bits.view(np.float64)})
    opened = decrypt_table(encrypt_table(table, {"x": Policy(key="siv")}, RING), RING)
    assert opened["x"].chunk(0).to_numpy().view(np.uint64).tolist() == bits.tolist()


def test_lengths_tell_nothing_of_numbers(rng: random.Random) -> None:
    rows = [rng.choice([0, 1, 10**18, None]) for _ in range(300)]
    table = pa.table({"n": pa.array(rows, pa.int64())})
    for key, length in (("siv", 5 + 16 + 8), ("gcm", 5 + 28 + 8), ("gcm-siv", 28 + 8)):
        column = encrypt_table(table, {"n": Policy(key=key)}, RING)["n"]
        assert {len(value) for value in column.cast(pa.binary()).to_pylist() if value is not None} == {length}


@pytest.mark.parametrize("name", ["siv", "gcm"])
def test_results_lie_in_arrows_pool(name: str) -> None:
    ring, values = ring_of(), pa.array(["a" * 1000] * 1000)

    def pooled(work: Any) -> Any:
        before = pa.total_allocated_bytes()
        made = work()
        assert pa.total_allocated_bytes() - before >= made.buffers()[2].size >= 1_000_000
        return made

    sealed = pooled(lambda: encrypt_column(values, ring[name]))
    pooled(lambda: decrypt_column(sealed, ring[name]))
    ring.add(name, GCM if name == "gcm" else SIV, mode=name, id=9)
    pooled(lambda: reencrypt_column(sealed, ring[name]))


def test_other_libraries_open_the_values() -> None:
    table = pa.table({"email": ["ann", "bob"], "amount": [1.5, 2.5], "id": [7, 8]})
    policies = {
        "email": Policy(key="siv", mode="siv"),
        "amount": Policy(key="gcm", mode="gcm", associated_data_column="id"),
    }
    sealed = encrypt_table(table, policies, RING)
    emails, amounts = (sealed[name].cast(pa.binary()).to_pylist() for name in policies)
    assert [PycaSIV(SIV).decrypt(value[5:], [b"email"]) for value in emails] == [b"ann", b"bob"]
    for value, row, amount in zip(amounts, (7, 8), (1.5, 2.5), strict=True):
        opened = PycaGCM(GCM).decrypt(value[5:17], value[17:], row.to_bytes(8, "little"))
        assert np.frombuffer(opened, "<f8")[0] == amount
    assert decrypt_column(sealed["email"], RING["siv"], associated_data=b"email", type=pa.string()).to_pylist() == ["ann", "bob"]


def table_of(count: int = 100) -> pa.Table:
    rng = random.Random(7)
    return pa.table(
        {
            "email": [None if at % 7 == 3 else f"user {rng.randrange(9)}" for at in range(count)],
            "amount": pa.array([rng.randrange(10**9) for _ in range(count)], pa.decimal128(15, 2)),
            "day": pa.array([datetime.date(2020, 1, 1 + at % 28) for at in range(count)]),
            "tags": pa.array([None if at % 5 == 0 else ["x"] * (at % 3) for at in range(count)]),
            "tenant": [f"tenant {at % 3}" for at in range(count)],
            "id": range(count),
        }
    )


POLICIES = {
    "email": Policy(key="siv"),
    "amount": Policy(key="gcm", associated_data_column="id"),
    "day": Policy(key="gcm-siv", associated_data=b"days"),
    "tags": Policy(key="gcm"),
}


@pytest.mark.parametrize("extension", [True, False])
def test_engines(extension: bool, tmp_path: Path) -> None:
    table = table_of()
    sealed = encrypt_table(table, POLICIES, RING, extension=extension)
    pq.write_table(sealed, tmp_path / "table.parquet")
    same(table, decrypt_table(pq.read_table(tmp_path / "table.parquet"), RING))
    frame = pl.read_parquet(tmp_path / "table.parquet")
    alike(table, decrypt_table(frame, RING, schema=sealed.schema))
    if extension:
        alike(table, decrypt_table(pl.from_arrow(sealed), RING))
    frame.write_parquet(tmp_path / "other.parquet")
    alike(table, decrypt_table(pq.read_table(tmp_path / "other.parquet"), RING, schema=sealed.schema))
    rows = duckdb.connect().sql("select * from sealed order by id")
    alike(table, decrypt_table(rows, RING, schema=sealed.schema))
    with pytest.raises(ValueError, match="pass the schema"):
        decrypt_table(rows, RING)
    pandas = decrypt_table(sealed.to_pandas(types_mapper=pd.ArrowDtype if not extension else None), RING, schema=sealed.schema)
    assert pandas.select(table.column_names).to_pylist() == table.to_pylist()
    # Equal values join, in the engine.
    other = encrypt_table(pa.table({"email": ["user 3", "user 4"]}), {"email": Policy(key="siv")}, RING, extension=extension)
    found = duckdb.connect().sql("select count(*) from sealed join other on sealed.email = other.email").fetchall()
    assert found == [(sum(value in ("user 3", "user 4") for value in table["email"].to_pylist()),)]


def test_results_of_engines() -> None:
    frame = pl.DataFrame(
        {
            "c": pl.Series(["x", "y", None], dtype=pl.Categorical),
            "e": pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x", "z"])),
            "l": [[1], [2, 3], None],
            "s": [{"a": 1, "b": "x"}, None, {"a": None, "b": None}],
            "t": pl.Series([datetime.datetime(2020, 1, 1), None, datetime.datetime(2021, 1, 1)], dtype=pl.Datetime("us", "UTC")),
            "d": pl.Series(["1.50", None, "2.25"]).cast(pl.Decimal(20, 2)),
        }
    )
    sealed = encrypt_table(frame, {name: Policy(key="gcm") for name in frame.columns}, RING)
    back = pl.from_arrow(decrypt_table(sealed, RING))
    assert isinstance(back, pl.DataFrame)
    assert back.schema == frame.schema and back.equals(frame)
    pandas = pd.DataFrame(
        {
            "o": pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"], ordered=True),
            "u": pd.Categorical(["x", "y", None]),
            "n": pd.array([1, None, 3], dtype="Int64"),
            "f": [1.5, float("nan"), 2.5],
            "t": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "s": ["a", None, "b"],
        },
        index=[5, 6, 9],
    )
    sealed = encrypt_table(pandas, {name: Policy(key="siv") for name in pandas.columns}, RING)
    pd.testing.assert_frame_equal(decrypt_table(sealed, RING).to_pandas(), pandas)
    relation = duckdb.sql("select range as i, 'a' || range as s, [range] as l, range::decimal(18,3) as d, interval 1 day as v from range(3000)")
    expected = pa.table(relation)
    sealed = encrypt_table(relation, {name: Policy(key="gcm") for name in "isdv"}, RING)
    same(expected, decrypt_table(sealed, RING))


def test_record_batches() -> None:
    batch = table_of(30).combine_chunks().to_batches()[0]
    sealed = encrypt_table(batch, POLICIES, RING)
    assert isinstance(sealed, pa.RecordBatch)
    assert decrypt_table(sealed, RING).equals(batch)
    empty = batch.slice(0, 0)
    assert decrypt_table(encrypt_table(empty, POLICIES, RING), RING).equals(empty)
    chunkless = pa.table({"email": pa.chunked_array([], pa.string())})
    assert decrypt_table(encrypt_table(chunkless, {"email": Policy(key="siv")}, RING), RING).equals(chunkless)


def test_a_key_for_each_row() -> None:
    ring = Keyring()
    for tenant in range(3):
        ring.add(f"tenant {tenant}", random.Random(tenant).randbytes(64), mode="siv", id=3)
    table = table_of()
    for tenants in (table["tenant"], table["tenant"].dictionary_encode(), table["tenant"].cast(pa.large_string())):
        one = table.set_column(table.column_names.index("tenant"), "tenant", tenants)
        sealed = encrypt_table(one, {"email": Policy(key_column="tenant"), "day": Policy(key_column="tenant")}, ring)
        assert decrypt_table(sealed, ring).equals(one)
    # Equal for one tenant, and not between them.
    found: dict[Any, set[Any]] = {}
    for value, email, tenant in zip(*(one.to_pylist() for one in (sealed["email"], table["email"], table["tenant"])), strict=True):
        found.setdefault(value, set()).add((tenant, email) if email else None)
    assert all(len(origins) == 1 for origins in found.values())
    assert len(found) == len(set().union(*found.values()))
    # All tenants get another generation.
    for tenant in range(3):
        ring.add(f"tenant {tenant}", random.Random(tenant + 9).randbytes(32), mode="gcm", id=4)
    new = reencrypt_table(sealed, ring)
    for tenant in range(3):
        ring.remove(f"tenant {tenant}", 3)
    assert decrypt_table(new, ring).equals(one)
    with pytest.raises(UnknownKey, match="column 'email': row 0 and 85 more name keys that the ring does not have: 3"):
        decrypt_table(sealed, ring)
    nobody = one.set_column(one.column_names.index("tenant"), "tenant", pa.array([None, *one["tenant"].to_pylist()[1:]]))
    with pytest.raises(ValueError, match="column 'email': row 0 has a value, and in 'tenant' no name of a key"):
        encrypt_table(nobody, {"email": Policy(key_column="tenant")}, ring)
    stranger = one.set_column(one.column_names.index("tenant"), "tenant", pa.array(["nobody"] * 100))
    with pytest.raises(KeyNotFound, match="column 'email': the ring has no key 'nobody'"):
        encrypt_table(stranger, {"email": Policy(key_column="tenant")}, ring)
    ordered = pa.table({"o": pc.dictionary_encode(pa.array(["a", "b"])).cast(pa.dictionary(pa.int8(), pa.string(), True)), "tenant": ["tenant 0"] * 2})
    with pytest.raises(TypeError, match="column 'o' has an ordered dictionary"):
        encrypt_table(ordered, {"o": Policy(key_column="tenant")}, ring)


def damaged(table: pa.Table, name: str, change: Any) -> pa.Table:
    column = table[name]
    values = change(column.cast(pa.binary()).to_pylist())
    array = pa.ExtensionArray.from_storage(column.type, pa.array(values, pa.binary()))
    return table.set_column(table.column_names.index(name), table.schema.field(name), array)


def test_tampering() -> None:
    table = table_of()
    sealed = encrypt_table(table, POLICIES, RING)

    def swapped(values: list[Any]) -> list[Any]:
        values[1], values[2] = values[2], values[1]
        return values

    def flipped(values: list[Any]) -> list[Any]:
        values[9] = values[9][:-1] + bytes([values[9][-1] ^ 1])
        return values

    # Rows that are bound to their numbers cannot change places; others can.
    with pytest.raises(abreast.InvalidTag, match="column 'amount': row 1 and 1 more are not authentic") as caught:
        decrypt_table(damaged(sealed, "amount", swapped), RING)
    assert (caught.value.rows, caught.value.column) == ([1, 2], "amount")
    opened = decrypt_table(damaged(sealed, "email", swapped), RING)["email"].to_pylist()
    assert opened == swapped(table["email"].to_pylist())
    with pytest.raises(abreast.InvalidTag, match="column 'email': row 9 is not authentic") as caught:
        decrypt_table(damaged(sealed, "email", flipped), RING)
    assert (caught.value.rows, caught.value.column) == ([9], "email")
    opened = decrypt_table(damaged(sealed, "email", flipped), RING, invalid="null")
    assert opened["email"].to_pylist() == [None if at == 9 else value for at, value in enumerate(table["email"].to_pylist())]
    # A column under the name of another, of the same key.
    two = encrypt_table(pa.table({"a": ["x"], "b": ["y"]}), {"a": Policy(key="siv"), "b": Policy(key="siv")}, RING)
    crossed = pa.table({"a": two["b"], "b": two["a"]})
    with pytest.raises(abreast.InvalidTag, match="column 'a': row 0 is not authentic"):
        decrypt_table(crossed, RING)
    # Metadata of the table is not authentic, and that of a trusted schema is.
    text = json.loads(two.schema.field("a").type.description)
    text["associated_data"] = base64.b64encode(b"b").decode()
    forged = pa.table({"a": pa.ExtensionArray.from_storage(EncryptedType(pa.binary(), json.dumps(text)), crossed["a"].chunk(0).storage)})
    assert decrypt_table(forged, RING)["a"].to_pylist() == ["y"]
    with pytest.raises(abreast.InvalidTag):
        decrypt_table(forged, RING, schema=two.schema)
    # Rows after the first piece.
    old = _arrow_values.PIECE_ROWS
    _arrow_values.PIECE_ROWS = 4
    try:
        for threads in (1, 2):
            with pytest.raises(abreast.InvalidTag, match="column 'email': row 9 is"):
                decrypt_table(damaged(sealed, "email", flipped), RING, threads=threads)
    finally:
        _arrow_values.PIECE_ROWS = old


def test_generations_of_a_table() -> None:
    ring, table = ring_of(), pa.table({"o": pd.Categorical(["x", "y", "x"], categories=["y", "x"], ordered=True), "n": [1, 2, None]})
    policies = {"o": Policy(key="siv"), "n": Policy(key="gcm")}
    old = encrypt_table(table, policies, ring)
    ring.add("siv", bytes(64), mode="siv", id=11)
    ring.add("gcm", bytes(32), mode="gcm", id=12)
    new = encrypt_table(table, policies, ring)
    # Both in one column, of the description of one.
    both = pa.table({name: pa.chunked_array([*old[name].chunks, *(pa.ExtensionArray.from_storage(old[name].type, chunk.storage) for chunk in new[name].chunks)]) for name in policies})
    assert decrypt_table(both, ring).to_pylist() == table.to_pylist() * 2
    rotated = reencrypt_table(both, ring)
    assert [json.loads(rotated.schema.field(name).type.description)["ids"] for name in policies] == [[11], [12]]
    column = reencrypt_column(both["n"], ring["gcm"], associated_data=b"n")
    ring.remove("siv", 1)
    ring.remove("gcm", 2)
    assert decrypt_table(rotated, ring).to_pylist() == table.to_pylist() * 2
    assert decrypt_table(reencrypt_table(rotated, ring, columns=["n"]), ring).equals(decrypt_table(rotated, ring))
    assert decrypt_column(column, ring["gcm"], associated_data=b"n").null_count == 2
    with pytest.raises(UnknownKey, match="column 'o': its categories, as row 0 names keys that the ring does not have: 1"):
        decrypt_table(both, ring)
    with pytest.raises(UnknownKey, match="column 'n': row 0 and 1 more name") as caught:
        decrypt_table(both, ring, columns=["n"])
    assert (caught.value.rows, caught.value.ids, caught.value.column) == ([0, 1], [2], "n")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda table: encrypt_table(table, {"mail": Policy(key="siv")}, RING), ValueError, "the column 'mail' is not in the table, whose columns are 'email', "),
        (lambda table: encrypt_table(table, {"email": Policy(key="ids")}, RING), KeyNotFound, "column 'email': the ring has no key 'ids'; it has 'siv', 'gcm'"),
        (lambda table: encrypt_table(table, {"email": Policy(key="gcm", mode="siv")}, RING), ValueError, "column 'email' is for mode siv, and its key is of gcm"),
        (lambda table: encrypt_table(table, {"email": "siv"}, RING), TypeError, "'email' is a Policy, and not str"),
        (lambda table: encrypt_table(table, {3: Policy(key="siv")}, RING), TypeError, "name of a column is a str, and not int"),
        (lambda table: encrypt_table([1], {}, RING), TypeError, "not list"),
        (lambda table: encrypt_table(table, {"email": Policy(key_column="who")}, RING), ValueError, "the column with the names of keys 'who' is not in"),
        (lambda table: encrypt_table(table, {"email": Policy(key_column="tags")}, RING), TypeError, "'tags', is text, and not list"),
        (lambda table: encrypt_table(table, {"email": Policy(key="siv", associated_data_column="day"), "day": Policy(key="gcm")}, RING), ValueError, "'day', is encrypted itself"),
        (lambda table: encrypt_table(table, {"id": Policy(key="siv", associated_data_column="email")}, RING), ValueError, "column 'id': the associated data of row 3 is null"),
        (lambda table: encrypt_table(encrypt_table(table, {"id": Policy(key="siv")}, RING), {"id": Policy(key="siv")}, RING), ValueError, "column 'id' is encrypted already"),
        (lambda table: encrypt_table(pa.table([[1], [2]], names=["a", "a"]), {"a": Policy(key="siv")}, RING), ValueError, "'a' is there 2 times"),
        (lambda table: encrypt_table(table, {"id": Policy(key="siv")}, RING, threads=0), ValueError, "threads is at least 1, and not 0"),
        (lambda table: decrypt_table(table, RING), ValueError, "no column of the table is described"),
        (lambda table: decrypt_table(table, RING, columns=["id"]), ValueError, "column 'id' is not described"),
        (lambda table: decrypt_table(table, RING, columns="id"), TypeError, "several names"),
        (lambda table: decrypt_table(encrypt_table(table, {"id": Policy(key="siv")}, RING), Keyring()), KeyNotFound, "column 'id': the ring has no key 'siv'; it has none"),
        (lambda table: decrypt_table(encrypt_table(table, {"id": Policy(key="siv")}, RING), RING, invalid="zero"), ValueError, "'raise' or 'null'"),
        (lambda table: decrypt_table(table, RING, schema=encrypt_table(table, {"id": Policy(key="siv")}, RING).schema), TypeError, "column 'id' is described as an encrypted one, and its type is int64"),
        (lambda table: decrypt_table(described(table, b"{}"), RING), ValueError, "column 'id' has no description that can be read"),
        (lambda table: decrypt_table(described(table, b"\xff"), RING), ValueError, "column 'id' has no description that can be read"),
        (lambda table: encrypt_table(table, {"id": Policy(key="siv", associated_data_column="tags")}, RING), TypeError, "'tags', is of type list<item: string>, which is nested"),
        (lambda table: Policy(key="siv", associated_data="text"), TypeError, "not str"),
        (lambda table: Policy(key="siv", associated_data=5), TypeError, "int"),
        (lambda table: Policy(), ValueError, "a policy has key, .*: this one has neither"),
        (lambda table: Policy(key="a", key_column="b"), ValueError, "a policy has key, .*: this one has both"),
        (lambda table: Policy(key="a", associated_data=b"", associated_data_column="b"), ValueError, "not both"),
    ],
)
def test_what_does_not_fit(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call(table_of(10))


def described(table: pa.Table, text: bytes) -> pa.Table:
    return table.set_column(5, pa.field("id", pa.int64(), metadata={b"abreast": text}), table["id"])


@pytest.mark.parametrize(
    ("value", "kind", "says"),
    [
        (b"1234567", pa.int64(), "column 'x': row 1 is none of int64: its bytes are not the 8 of its type"),
        (b"\2", pa.bool_(), "column 'x': row 1 is none of bool: a boolean is the byte 0 or 1"),
        (b"\xff", pa.string(), "column 'x': row 1 is none of string"),
        (b"\xff", pa.list_(pa.int8()), "column 'x': row 1 is none of list"),
        (b"x", pa.null(), "column 'x': row 1 is none of null"),
        (b"12", pa.binary(3), "column 'x': row 1 is none of fixed_size_binary"),
        (b"\1", pa.list_(pa.dictionary(pa.int8(), pa.string())), "column 'x': row 1 is none of list"),
    ],
)
def test_values_of_another_type(value: bytes, kind: pa.DataType, says: str) -> None:
    good = _arrow_types.encode(pa.nulls(1, kind))
    sealed = encrypt_table(pa.table({"x": [*good.to_pylist(), value]}), {"x": Policy(key="siv")}, RING)
    field = encrypt_table(pa.table({"x": pa.nulls(1, kind)}), {"x": Policy(key="siv")}, RING).schema
    with pytest.raises(ValueError, match=says):
        decrypt_table(sealed, RING, schema=field)


def test_descriptions_that_name_no_key() -> None:
    sealed = encrypt_table(pa.table({"x": [1]}), {"x": Policy(key="gcm")}, RING)
    for change in ({"key": None}, {"key_column": "x"}, {"version": 2}, {"field": ""}, {"ids": 3}, {"associated_data": "?"}):
        text = json.dumps(json.loads(sealed.schema.field("x").type.description) | change)
        hostile = pa.table({"x": pa.ExtensionArray.from_storage(EncryptedType(pa.binary(), text), sealed["x"].chunk(0).storage)})
        for call in (decrypt_table, reencrypt_table):
            with pytest.raises(ValueError, match="column 'x' has no description that can be read"):
                call(hostile, RING)


def test_hostile_descriptions(rng: random.Random) -> None:
    """A description that was changed anywhere is refused, or opens as something, and nothing else happens."""
    table = pa.table({"x": pa.array([[1], None, [2]]), "c": pd.Categorical(["x", "y", "x"], ordered=True)})
    sealed = encrypt_table(table, {"x": Policy(key="gcm"), "c": Policy(key="gcm")}, RING)
    for _ in range(300):
        name = rng.choice(["x", "c"])
        text = bytearray(sealed.schema.field(name).type.description.encode())
        for _ in range(rng.randint(1, 3)):
            text[rng.randrange(len(text))] = rng.choice(b'{}[]",:ABCabc0129=/+ ')
        column = sealed[name].cast(pa.binary())
        hostile = pa.table([column], pa.schema([pa.field(name, pa.binary(), metadata={b"abreast": bytes(text)})]))
        try:
            decrypt_table(hostile, RING)
        except (ValueError, TypeError, LookupError, abreast.InvalidTag):
            continue


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c(threads: int) -> None:
    column = pa.chunked_array([pa.array([b"x" * 50] * 200_000)] * 100)
    table = pa.table({"x": column})
    main, begun = threading.main_thread().ident, threading.Event()
    assert main is not None

    def interrupt() -> None:
        begun.wait(60)
        signal.pthread_kill(main, signal.SIGINT)

    def progress(done: int, total: int) -> None:
        if done > total // 100:
            begun.set()

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        encrypt_table(table, {"x": Policy(key="siv")}, RING, threads=threads, progress=progress)
    other.join()
    # Ends also by an exception of the caller's.
    with pytest.raises(ZeroDivisionError):
        encrypt_table(table, {"x": Policy(key="siv")}, RING, threads=threads, progress=lambda done, total: 1 // 0)


def test_equal_nested_values_may_differ() -> None:
    """The type of a value is all that a message of the IPC format leaves out; its bytes are read back as they are."""
    table = pa.table({"x": pa.array([[1, None], [1, None], [2]], pa.list_(pa.int64()))})
    one, two, three = encrypt_table(table, {"x": Policy(key="siv")}, RING)["x"].cast(pa.binary()).to_pylist()
    assert one == two != three


def test_nested_values_with_dictionaries() -> None:
    """Dictionaries with nulls among their values; and each value with those of its own, and not of the column."""
    some = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", None]))
    others = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array([None, "b"]))
    lists = [pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), one) for one in (some, others)]
    structs = [pa.StructArray.from_arrays([one], names=["x"]) for one in (some, others)]
    table = pa.table({"list": pa.chunked_array(lists), "struct": pa.chunked_array(structs)})
    policies = {name: Policy(key="gcm") for name in table.column_names}
    opened = decrypt_table(encrypt_table(table, policies, RING), RING)
    assert opened.schema == table.schema
    assert opened.to_pylist() == table.to_pylist()

    many = pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), pa.array([f"value {n}" for n in range(100)]))
    wide = pa.table({"v": pa.ListArray.from_arrays(pa.array(range(101), pa.int32()), many)})
    sealed = encrypt_table(wide, {"v": Policy(key="gcm")}, RING, extension=False)
    assert max(len(value.as_buffer()) for value in sealed["v"]) < 1000
    assert decrypt_table(sealed, RING).to_pylist() == wide.to_pylist()


@pytest.mark.parametrize("kind", [pa.list_(pa.uuid()), pa.list_view(pa.uuid()), pa.dense_union([pa.field("i", pa.int64())])])
def test_nested_chunks_without_rows(kind: pa.DataType) -> None:
    table = pa.table({"v": pa.chunked_array([pa.nulls(0, kind)])})
    opened = decrypt_table(encrypt_table(table, {"v": Policy(key="gcm")}, RING), RING)
    assert (opened.schema, opened.num_rows) == (table.schema, 0)


def test_arguments_of_tables() -> None:
    table = pa.table({"v": [1, 2]})
    with pytest.raises(ValueError, match="mode is 'gcm', 'gcm-siv' or 'siv', and not 'xx'"):
        Policy(key="gcm", mode="xx")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="keyring is a Keyring, and not NoneType"):
        encrypt_table(table, {"v": Policy(key="gcm")}, None)  # type: ignore[arg-type]
    sealed = encrypt_table(table, {"v": Policy(key="gcm")}, RING)
    with pytest.raises(ValueError, match="the name of one that the schema describes"):
        decrypt_table(sealed.rename_columns(["w"]), RING, schema=sealed.schema)
    deep = "[" * 100_000
    forged = sealed.replace_schema_metadata(None).cast(pa.schema([pa.field("v", pa.binary(), metadata={b"abreast": deep.encode()})]))
    with pytest.raises(ValueError, match="no description that can be read"):
        decrypt_table(forged, RING)


def test_ordered_dictionaries_of_several_chunks() -> None:
    ring = Keyring()
    ring.add("k", bytes(range(32)), mode="gcm", id=1)
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)

    def chunk(indices: list[int | None], words: list[Any]) -> Any:
        return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(words), ordered=True)

    same = pa.table({"v": pa.chunked_array([chunk([0, 1], ["low", "high"]), chunk([1, None], ["low", "high"])], kind)})
    made = encrypt_table(same, {"v": Policy(key="k")}, ring)
    assert decrypt_table(made, ring).equals(same)
    longer = pa.table({"v": pa.chunked_array([chunk([0], ["low"]), chunk([1], ["low", "high"])], kind)})
    assert decrypt_table(encrypt_table(longer, {"v": Policy(key="k")}, ring), ring)["v"].to_pylist() == ["low", "high"]
    for words, cause in ((["high", "low"], "contradict"), (["low", None], "with nulls")):
        other = pa.table({"v": pa.chunked_array([chunk([0], ["low", "high"]), chunk([0], words)], kind)})
        with pytest.raises(ValueError, match=f"column 'v' has ordered dictionaries that differ between its chunks, .*{cause}"):
            encrypt_table(other, {"v": Policy(key="k")}, ring)


@given(orders=st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, unique=True).map(sorted), min_size=2, max_size=4), shuffled=st.permutations("abcdefg"))
def test_orders_that_agree(orders: list[list[str]], shuffled: list[str]) -> None:
    """Chunks with parts of one order come back in an order that has all of these parts."""
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    name = dict(zip("abcdefg", shuffled, strict=True))
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([len(order) - 1, None, 0], pa.int8()), pa.array([name[one] for one in order]), ordered=True)
        for order in orders
    ]
    table = pa.table({"v": pa.chunked_array(chunks, kind)})
    opened = decrypt_table(encrypt_table(table, {"v": Policy(key="gcm")}, RING), RING)["v"]
    assert opened.to_pylist() == table["v"].to_pylist() and opened.type == kind
    whole = opened.chunk(0).dictionary.to_pylist()
    assert all(chunk.dictionary.to_pylist() == whole for chunk in opened.chunks)
    for order in orders:
        places = [whole.index(name[one]) for one in order]
        assert places == sorted(places)


def test_more_keys_than_rows_in_chunks() -> None:
    keys = [abreast.AESGCM(bytes([number] * 16)) for number in range(5)]
    for column in (pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]])):
        with pytest.raises(ValueError, match="5 keys for 2 rows"):
            encrypt_column(column, keys)
