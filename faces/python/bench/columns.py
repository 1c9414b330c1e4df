"""The speed of columns: lineitem of TPC-H in Python, DuckDB and Polars, a key for each tenant, and rotation.

    pip install './faces/python[arrow]' duckdb polars cryptography     # and tink, which opens some of the values
    python faces/python/bench/columns.py lineitem
    python faces/python/bench/columns.py tenants rotation --rows 100000

Without names of tables it makes all three. A row of a table has the best of several trials on one core, in millions of values a second;
texts are drawn by a seed as dbgen draws its own. Figures count on a machine that does nothing else: the load is printed before and after.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TABLES = ("lineitem", "tenants", "rotation")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"which of {', '.join(TABLES)}; all of them by default")
    parser.add_argument("--rows", type=int, help="values; 6 million in lineitem and 5 million in the others by default")
    parser.add_argument("--tenants", type=int, default=40, help="keys of the table of tenants (default 40)")
    parser.add_argument("--mode", choices=["siv", "gcm", "gcm-siv"], help="one mode of lineitem; all by default")
    parser.add_argument("--trials", type=int, default=5, help="trials, of which the best counts (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of texts and numbers (default 1)")
    parser.add_argument("--cpu", type=int, help="the core to work on; the first that this process may use by default")
    found = parser.parse_args()
    if wrong := set(found.tables) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(wrong))}; there are {', '.join(TABLES)}")
    return found


GIVEN = arguments() if __name__ == "__main__" else argparse.Namespace()
if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0)) if GIVEN.cpu is None else GIVEN.cpu})
    # Read as Polars is imported.
    os.environ["POLARS_MAX_THREADS"] = "1"

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV, AESSIV

from abreast.arrow import (
    Policy,
    decrypt_column,
    decrypt_table,
    encrypt_column,
    encrypt_table,
    reencrypt_column,
)
from abreast.keyring import Keyring, new_keyset
from abreast.sql import decrypted, encrypted, register

pa.set_cpu_count(1)

# Words of the grammar in the specification of TPC-H, 4.2.2.14.
NOUNS = """foxes ideas theodolites pinto beans instructions dependencies excuses platelets asymptotes courts dolphins multipliers
sauternes warthogs frets dinos attainments somas braids hockey players frays warhorses dugouts notornis epitaphs pearls tithes waters orbits
gifts sheaves depths sentiments decoys realms pains grouches escapades""".split()
VERBS = """sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was lose sublate solve thrash promise engage hinder
print x-ray breach eat grow impress mold poach serve run dazzle snooze doze unwind kindle play hang believe doubt""".split()
ADJECTIVES = """furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring brave stealthy permanent enticing idle
busy regular final ironic even bold silent""".split()
ADVERBS = """sometimes always never furiously slyly carefully blithely quickly fluffily slowly quietly ruthlessly thinly closely doggedly
daringly bravely stealthily permanently enticingly idly busily regularly finally ironically evenly boldly silently""".split()
PREPOSITIONS = "about above across after against along among around at before between beyond by despite during for from in into".split()
ENDS = [".", ".", ".", ";", ":", "?", "!", "--"]


def pool(rng: random.Random, size: int) -> bytes:
    """Sentences one after the other, out of which texts are cut."""

    def noun_phrase() -> str:
        words = [rng.choice(NOUNS)]
        if rng.random() < 0.7:
            words.insert(0, rng.choice(ADJECTIVES))
        if rng.random() < 0.2:
            words.insert(0, rng.choice(ADVERBS))
        return " ".join(words)

    made, length = [], 0
    while length < size:
        words = [noun_phrase(), rng.choice(VERBS)]
        if rng.random() < 0.5:
            words.append(rng.choice(ADVERBS))
        if rng.random() < 0.6:
            words += [rng.choice(PREPOSITIONS), "the", noun_phrase()]
        made.append(" ".join(words) + rng.choice(ENDS) + " ")
        length += len(made[-1])
    return "".join(made).encode()


def texts(rows: int, seed: int, least: int = 10, most: int = 43) -> pa.Array:
    """Texts of the lengths of l_comment."""
    source = np.frombuffer(pool(random.Random(seed), 1 << 20), np.uint8)
    numbers = np.random.default_rng(seed)
    sizes = numbers.integers(least, most + 1, rows)
    offsets = np.zeros(rows + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    data = np.empty(int(offsets[-1]), np.uint8)
    starts = numbers.integers(0, len(source) - most, rows)
    for first in range(0, rows, 1 << 18):
        stop = min(rows, first + (1 << 18))
        begin, end = int(offsets[first]), int(offsets[stop])
        places = np.arange(begin, end) - np.repeat(offsets[first:stop], sizes[first:stop]) + np.repeat(starts[first:stop], sizes[first:stop])
        data[begin:end] = source[places]
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(data))


def prices(rows: int, seed: int) -> pa.Array:
    """Decimals as l_extendedprice has them: a quantity of 1 to 50 times the price of a part."""
    numbers = np.random.default_rng(seed + 1)
    parts = numbers.integers(0, 200_000, rows)
    cents = numbers.integers(1, 51, rows) * (90_000 + parts // 10 % 20_001 + 100 * (parts % 1000))
    words = np.zeros((rows, 2), np.int64)
    words[:, 0] = cents
    return pa.Array.from_buffers(pa.decimal128(15, 2), rows, [None, pa.py_buffer(words)])


def rate(call: Callable[[], object], rows: int) -> float:
    """Millions of values a second, by the best trial."""
    best = float("inf")
    for _ in range(GIVEN.trials):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return rows / best / 1e6


def row(name: str, *cells: float | str) -> None:
    print(f"| {name} | " + " | ".join(cell if isinstance(cell, str) else f"{cell:.3g}" for cell in cells) + " |", flush=True)


def head(text: str, *columns: str) -> None:
    print(f"\n{text}\n\n| | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns), flush=True)


def opened_by_others(mode: str, keyset: str, name: str, plain: pa.Array, sealed: pa.Array) -> str:
    """Says which other packages open values, of which some are tried."""
    raw = next(iter(keys_of(keyset)))
    some = random.Random(GIVEN.seed).sample(range(len(plain)), min(1000, len(plain)))
    aad = name.encode()
    theirs: dict[str, Callable[[bytes], bytes]] = {}
    if mode == "siv":
        siv = AESSIV(raw)
        theirs["pyca"] = lambda value: siv.decrypt(value[5:], [aad])
    else:
        one = AESGCM(raw) if mode == "gcm" else AESGCMSIV(raw)
        theirs["pyca"] = lambda value: one.decrypt(value[5:17], value[17:], aad)
    try:
        from tink import aead, daead, json_proto_keyset_format, secret_key_access
        missing = ""
    except ImportError:
        missing = "; Tink is not installed"
    else:
        (daead if mode == "siv" else aead).register()
        handle = json_proto_keyset_format.parse(keyset, secret_key_access.TOKEN)
        if mode == "siv":
            by_tink = handle.primitive(daead.DeterministicAead).decrypt_deterministically
        else:
            by_tink = handle.primitive(aead.Aead).decrypt
        theirs["Tink"] = lambda value: by_tink(value, aad)
    for at in some:
        for other, opens in theirs.items():
            if opens(sealed[at].as_py()) != plain[at].as_py().encode():
                raise SystemExit(f"{other} opens row {at} to something else")
    return f"{mode}: {len(some)} values, drawn by the seed, were opened by {' and '.join(theirs)}{missing}"


def keys_of(keyset: str) -> Iterator[bytes]:
    """The bytes of the keys of a keyset."""
    from abreast import _tink

    for entry in _tink.read(keyset, None)[1]:
        yield bytes(entry.key)


def lineitem() -> None:
    rows = GIVEN.rows or 6_000_000
    table = pa.table({"l_comment": texts(rows, GIVEN.seed), "l_extendedprice": prices(rows, GIVEN.seed)})
    frame: Any = pl.from_arrow(table)
    head(f"lineitem, {rows} rows, one core, million values a second:", "encrypted", "decrypted")
    others = []
    for mode in [GIVEN.mode] if GIVEN.mode else ["siv", "gcm", "gcm-siv"]:
        keyset = new_keyset(mode)  # type: ignore[arg-type]
        ring = Keyring()
        ring.add_tink("key", keyset)
        for name in table.column_names:
            one = table.select([name])
            policy = {name: Policy(key="key")}
            done = encrypt_table(one, policy, ring, threads=1)
            assert decrypt_table(done, ring, threads=1).equals(one)
            row(
                f"{name}, {mode}, `encrypt_table`",
                rate(lambda: encrypt_table(one, policy, ring, threads=1), rows),
                rate(lambda: decrypt_table(done, ring, threads=1), rows),
            )
        plain = table["l_comment"].chunk(0)
        key, aad = ring["key"], b"l_comment"
        done = encrypt_column(plain, key, associated_data=aad)
        row(
            f"l_comment, {mode}, `encrypt_column`",
            rate(lambda: encrypt_column(plain, key, associated_data=aad), rows),
            rate(lambda: decrypt_column(done, key, associated_data=aad, type=pa.string()), rows),
        )
        sealed_frame = frame.select(encrypted("l_comment", ring, "key", associated_data=aad))
        row(
            f"l_comment, {mode}, Polars",
            rate(lambda: frame.select(encrypted("l_comment", ring, "key", associated_data=aad)), rows),
            rate(lambda: sealed_frame.select(decrypted("l_comment", ring, "key", associated_data=aad)), rows),
        )
        with duckdb.connect() as database:
            database.execute("SET threads = 1")
            register(database, ring, associated_data=aad)
            database.register("arrow", table)
            database.execute("CREATE TABLE lineitem AS SELECT * FROM arrow")
            for name in table.column_names:
                # The price as text, which is what the functions take.
                value = f"{name}::VARCHAR" if name != "l_comment" else name
                database.execute(f"CREATE OR REPLACE TABLE sealed AS SELECT abreast_encrypt({value}, 'key') AS v FROM lineitem")
                row(
                    f"{name}, {mode}, DuckDB",
                    rate(lambda: database.execute(f"SELECT sum(octet_length(abreast_encrypt({value}, 'key'))) FROM lineitem").fetchall(), rows),
                    rate(lambda: database.execute("SELECT sum(octet_length(abreast_decrypt_blob(v, 'key'))) FROM sealed").fetchall(), rows),
                )
        others.append(opened_by_others(mode, keyset, "l_comment", plain, done))
    print("", *others, sep="\n")


def tenants() -> None:
    rows, count = GIVEN.rows or 5_000_000, GIVEN.tenants
    names = [f"tenant {number}" for number in range(count)]
    ring = Keyring()
    for name in ["one", *names]:
        ring.add(name, random.Random(name).randbytes(64), mode="siv", id=7)
    index = np.random.default_rng(GIVEN.seed).integers(0, count, rows).astype(np.uint32)
    values = texts(rows, GIVEN.seed)
    table = pa.table({"tenant": pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names)), "value": values})
    one, many, numbers = ring["one"], ring.of(names), pa.array(index)
    head(f"AES-SIV, {rows} values, {count} tenants, one core, million values a second:", "one key", "a key for each tenant", "ratio")

    def both(name: str, by_one: Callable[[], object], by_many: Callable[[], object]) -> None:
        # By turns, so that both meet the same machine.
        first, second = rate(by_one, rows), rate(by_many, rows)
        row(name, first, second, f"{second / first:.2f}")

    both("`encrypt_column`", lambda: encrypt_column(values, one), lambda: encrypt_column(values, many, key_index=numbers))
    sealed, sealed_many = encrypt_column(values, one), encrypt_column(values, many, key_index=numbers)
    both("`decrypt_column`", lambda: decrypt_column(sealed, one), lambda: decrypt_column(sealed_many, many, key_index=numbers))
    assert decrypt_column(sealed_many, many, key_index=numbers, type=pa.string()).equals(values)
    # The column with the names is a dictionary, as engines keep names.
    with_one, with_many = {"value": Policy(key="one")}, {"value": Policy(key_column="tenant")}
    both(
        "`encrypt_table`",
        lambda: encrypt_table(table, with_one, ring, threads=1),
        lambda: encrypt_table(table, with_many, ring, threads=1),
    )
    made, made_many = encrypt_table(table, with_one, ring), encrypt_table(table, with_many, ring)
    both("`decrypt_table`", lambda: decrypt_table(made, ring, threads=1), lambda: decrypt_table(made_many, ring, threads=1))


def rotation() -> None:
    rows = GIVEN.rows or 5_000_000
    values = texts(rows, GIVEN.seed)
    first = np.random.default_rng(GIVEN.seed).random(rows) < 0.5
    head(f"Rotation of {rows} values, one core, million values a second:", "all are old", "half are new already", "decrypted and encrypted")
    for mode in ("siv", "gcm", "gcm-siv"):
        size = 64 if mode == "siv" else 32
        ring = Keyring()
        ring.add("key", bytes(range(size)), mode=mode, id=1)  # type: ignore[arg-type]
        old = encrypt_column(values, ring["key"])
        ring.add("key", bytes(range(64, 64 + size)), mode=mode, id=2)  # type: ignore[arg-type]
        key = ring["key"]
        new = reencrypt_column(old, key)
        # New and old values at random among each other.
        places = np.arange(rows) + np.where(first, 0, rows)
        half = pa.chunked_array([new, old]).cast(pa.large_binary()).combine_chunks().take(pa.array(places)).cast(pa.binary())
        assert decrypt_column(reencrypt_column(half, key), key, type=pa.string()).equals(values)
        row(
            mode,
            rate(lambda: reencrypt_column(old, key), rows),
            rate(lambda: reencrypt_column(half, key), rows),
            rate(lambda: encrypt_column(decrypt_column(old, key), key), rows),
        )


def load() -> str:
    return " ".join(f"{one:.2f}" for one in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def machine() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def main() -> None:
    print(f"{machine()}; Python {platform.python_version()}, pyarrow {pa.__version__}, DuckDB {duckdb.__version__}, Polars {pl.__version__}")
    print(f"load before: {load()}")
    for name in GIVEN.tables or TABLES:
        {"lineitem": lineitem, "tenants": tenants, "rotation": rotation}[name]()
    print(f"\nload after: {load()}")


if __name__ == "__main__":
    main()
