"""Arguments of functions in Python: every parameter gets what it does not take, and what the error says is a sentence of this package."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
import types
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abreast
import abreast.arrow
import abreast.columns
import abreast.dask
import abreast.devices
import abreast.fsspec
import abreast.keyring
import abreast.parquet
import abreast.sealed
import abreast.sql
from abreast.arrow import EncryptedType, Policy
from abreast.columns import AESGCMKeys, Values
from abreast.keyring import Generation, Keyring
from abreast.sealed import FileKey, Key, SealedFile

MODULES = (
    abreast.arrow, abreast.columns, abreast.keyring, abreast.sealed, abreast.parquet, abreast.fsspec, abreast.sql, abreast.dask, abreast.devices,
)

# Words of Python and of the packages below, which are no help to a caller.
FOREIGN = re.compile(
    r"has no attribute|is not iterable|not callable|not subscriptable|not a mapping|unhashable|has no len|not supported between|unpack"
    r"|a bytes-like object is required, not '|expected str, bytes|must be (str|int|a|real|bytes|called)|cannot be interpreted|concatenate"
    r"|argument of type|unexpected keyword|positional argument|should return|NoneType object|is not an instance|\n"
)


class Odd:
    """An object of no type that anything takes."""


WRONG: list[Any] = [None, -1, 0, True, 2**70, 1.5, "x", "", b"", b"x", Odd(), [], [1], [None], ["x"], (1, 2, 3), {}, {"x": 1}, {1: "x"}]


@dataclass
class Place:
    """A folder with files of each kind, in which each call writes to names of its own."""

    folder: Path
    numbers: Any = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.key, self.streams = Key(bytes(range(32))), FileKey.ags1(bytes(range(16)))
        self.plain, self.table = self.folder / "plain", self.folder / "table.parquet"
        self.plain.write_bytes(b"a message")
        self.sealed = self.folder / "sealed"
        abreast.sealed.seal_file(self.plain, self.sealed, self.key)
        pq.write_table(pa.table({"a": [1]}), self.table)
        self.secret = self.folder / "secret.parquet"
        abreast.parquet.encrypt(self.table, self.secret, footer_key=bytes(16))
        self.keyset = abreast.keyring.new_keyset("gcm")
        self.keysets = self.folder / "keysets"
        abreast.keyring.save_keysets({"a": self.keyset}, self.keysets, self.key)
        abreast.sealed.save_key(self.key, self.folder / "key")

    @property
    def ring(self) -> Keyring:
        """A new ring, of the same keys each time."""
        ring = Keyring()
        ring.add("a", bytes(range(32)), mode="gcm", id=1)
        ring.add("a", bytes(range(16)), mode="gcm", id=2)
        return ring

    def new(self) -> str:
        """A name that no file has."""
        return str(self.folder / f"new {next(self.numbers)}")

    def tables(self) -> tuple[Any, Any]:
        """A table in clear, and the same encrypted."""
        table = pa.table({"a": ["x", "y"], "b": [1, 2]})
        return table, abreast.arrow.encrypt_table(table, {"a": Policy(key="a")}, self.ring)

    def store(self) -> Any:
        """A file system with one file."""
        made = abreast.fsspec.SealedFileSystem(self.key, target_protocol="memory")
        # All file systems in memory are one.
        made.fs.store.clear()
        made.fs.pseudo_dirs[:] = [""]
        made.pipe_file("/file", b"a message")
        made.mkdir("/folder")
        return made


ROWS = Values(array("i", [0, 1, 3]), b"abc")


def of_name(place: Place, where: str, name: str) -> Any:
    """Returns a right argument, by the name of the callable and of its parameter."""
    table, sealed = place.tables()
    ring = place.ring
    column = abreast.arrow.encrypt_column(pa.array(["x", "y"]), ring["a"])
    known: dict[str, Callable[[], Any]] = {
        "keyring": lambda: ring,
        "keyrings": lambda: ring,
        "path": lambda: "/file" if "fsspec" in where else place.folder / "key",
        "fsspec.SealedFileSystem.mkdir.path": lambda: "/other",
        "fsspec.SealedFileSystem.makedirs.path": lambda: "/other",
        "fsspec.SealedFileSystem.rmdir.path": lambda: "/folder",
        "keyring.Keyring.load.path": lambda: place.keysets,
        "dask.WorkerKey.path": lambda: place.folder / "key",
        "keyring.save_keysets.path": place.new,
        "sealed.save_key.path": place.new,
        "source": lambda: place.plain,
        "sealed.open_file.source": lambda: place.sealed,
        "sealed.verify_file.source": lambda: place.sealed,
        "parquet.encrypt.source": lambda: place.table,
        "parquet.decrypt.source": lambda: place.secret,
        "parquet.rewrap.source": lambda: place.secret,
        "parquet.inspect.source": lambda: place.secret,
        "target": place.new,
        "to": place.new,
        "file": lambda: place.sealed,
        "key": lambda: ring["a"] if where.startswith(("arrow", "columns")) else place.key,
        "arrow.Policy.key": lambda: "a",
        "keyring.Keyring.add.key": lambda: bytes(16),
        "keyring.Keyring.add.mode": lambda: "gcm",
        "keyring.Keyring.add_wrapped.mode": lambda: "gcm",
        "sql.encrypted.key": lambda: "a",
        "sql.decrypted.key": lambda: "a",
        "values": lambda: ROWS if where.startswith("columns") else pa.array(["x", "y"]),
        "arrow.decrypt_column.values": lambda: column,
        "arrow.reencrypt_column.values": lambda: column,
        "columns.decrypt.values": lambda: abreast.columns.encrypt(ring["a"], ROWS),
        "columns.reencrypt.values": lambda: abreast.columns.encrypt(ring["a"], ROWS),
        "table": lambda: table if where.endswith(".encrypt_table") else sealed,
        "policies": lambda: {"a": Policy(key="a")},
        "storage": pa.binary,
        "description": lambda: "{}",
        "offsets": lambda: ROWS.offsets,
        "data": lambda: ROWS.data,
        "name": lambda: "a",
        "keyring.Keyring.add.id": lambda: 9,
        "keyring.Keyring.set_primary.id": lambda: 1,
        "keyring.Keyring.remove.id": lambda: 1,
        "names": lambda: ["a"],
        "wrapped": lambda: b"wrapped",
        "unwrap": lambda: lambda _: bytes(16),
        "keyset": lambda: place.keyset,
        "keysets": lambda: {"a": place.keyset},
        "footer_key": lambda: bytes(16),
        "keys": lambda: bytes(16),
        "wrap": lambda: lambda old: old,
        "target_protocol": lambda: "memory",
        "connection": duckdb.connect,
        "column": lambda: "a",
        "batches": lambda: iter(table.to_batches()),
        "load": lambda: lambda: ring,
        "lpath": lambda: place.plain if where.endswith("put_file") else place.new(),
        "rpath": lambda: "/other" if where.endswith("put_file") else "/file",
        "path1": lambda: "/file",
        "path2": lambda: "/other",
        "paths": lambda: ["/file"],
        "starts": lambda: 0,
        "ends": lambda: 1,
        "value": lambda: b"a message",
        "urls": lambda: str(place.plain),
        "new_key": lambda: place.key,
        # Refused last, so that no cluster is started.
        "client": lambda: 5,
    }
    for key in (f"{where}.{name}", name):
        if key in known:
            return known[key]()
    raise AssertionError(f"there is no argument for {where}.{name}")


@dataclass
class Function:
    """A function, a class that is called, or a method of an object that is made for each call."""

    where: str
    call: Callable[..., Any]
    method: bool

    def __str__(self) -> str:
        return self.where

    @property
    def parameters(self) -> list[inspect.Parameter]:
        made = self.call.__init__ if inspect.isclass(self.call) else self.call  # type: ignore[misc]
        found = list(inspect.signature(made).parameters.values())
        kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return [one for one in found[self.method or inspect.isclass(self.call) :] if one.kind not in kinds]

    @property
    def is_run(self) -> bool:
        """True if it is one of the functions that a cluster works for."""
        return self.where in ("dask.seal", "dask.open", "dask.reseal", "dask.verify")

    def run(self, place: Place, **changed: Any) -> Any:
        """Calls it with right arguments for all that it needs, except those that are changed."""
        needed = [one.name for one in self.parameters if one.default is one.empty]
        more, instead = NEEDED.get("a run" if self.is_run else self.where, ((), ()))
        needed += [name for name in more if name in {one.name for one in self.parameters}]
        if set(instead) & set(changed):
            needed.remove(more[0])
        given = {name: of_name(place, self.where, name) for name in needed if name not in changed} | changed
        owner: list[Any] = []
        if self.method:
            key = abreast.dask.WorkerKey(str(place.folder / "key"))
            owner = [place.store() if self.where.startswith("fsspec") else key if self.where.startswith("dask") else place.ring]
        done = self.call(*owner, **given)
        return list(done) if isinstance(done, types.GeneratorType) else done


# Parameters with a default that calls need, and others that take the place of the first one.
NEEDED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "arrow.Policy": (("key",), ("key_column",)),
    "fsspec.SealedFileSystem": (("target_protocol",), ("fs",)),
    "a run": (("urls", "key", "new_key", "to", "client"), ("prefix", "glob")),
    "fsspec.SealedFileSystem.get_file": (("lpath",), ()),
    "keyring.Keyring.load": (("key",), ()),
    "keyring.Keyring.add": (("mode",), ()),
    "keyring.Keyring.remove": (("id",), ()),
    "sealed.seal_file": (("key",), ("passphrase",)),
    "sealed.open_file": (("key",), ("passphrase",)),
    "sealed.verify_file": (("key",), ("passphrase",)),
    "sealed.SealedFile": (("key",), ("passphrase",)),
}

# Classes whose objects the package itself makes.
MADE = (Generation, abreast.keyring.RingKey, abreast.columns.MadeValues, abreast.parquet.Encryption, abreast.devices.DeviceInfo)
MADE += (abreast.dask.FileReport, abreast.dask.Report)


def functions() -> list[Function]:
    """Every public function, class and method that is written in Python."""
    found = []
    for module in MODULES:
        short = module.__name__.removeprefix("abreast.")
        names = [*module.__all__, *(["open"] if module is abreast.dask else [])]
        for name in names:
            one = getattr(module, name)
            if inspect.isfunction(one):
                found.append(Function(f"{short}.{name}", one, False))
            elif inspect.isclass(one) and not issubclass(one, BaseException) and one not in MADE and not one.__module__.startswith("builtins"):
                if not inspect.isfunction(getattr(one, "__init__", None)) and one is not EncryptedType:
                    continue
                found.append(Function(f"{short}.{name}", one, False))
                if issubclass(one, (pa.ExtensionType, Values, SealedFile)):
                    continue
                for method, what in vars(one).items():
                    if method.startswith("_") and method != "__getitem__":
                        continue
                    if isinstance(what, classmethod):
                        found.append(Function(f"{short}.{name}.{method}", functools.partial(what.__func__, one), False))
                    elif inspect.isfunction(what):
                        found.append(Function(f"{short}.{name}.{method}", what, True))
    assert len({str(one) for one in found}) == len(found) > 60
    return found


# Methods that take anything and refuse it all, and parameters that are handed on to another file system.
ALL_REFUSED = ("to_json", "to_dict", "from_json", "from_dict", "sign", "current", "start_transaction", "end_transaction", "transaction")
PATHS = ("path", "path1", "path2", "lpath", "rpath", "paths")


def cases() -> list[Any]:
    found = []
    for one in functions():
        if one.where.rpartition(".")[2] in ALL_REFUSED:
            continue
        for parameter in one.parameters:
            if one.where.startswith("fsspec.SealedFileSystem.") and parameter.name not in (*PATHS, "mode", "compression", "block_size"):
                continue
            found.append(pytest.param(one, parameter.name, id=f"{one}-{parameter.name}"))
    assert len(found) > 200
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("arguments"))


def wrongs(one: Function, name: str) -> list[Any]:
    if name == "client":
        # Text is the address of a scheduler, which is waited for.
        return [wrong for wrong in WRONG if not isinstance(wrong, str | None)]
    return WRONG


@pytest.mark.parametrize("one", [pytest.param(one, id=str(one)) for one in functions() if one.where.rpartition(".")[2] not in ALL_REFUSED])
def test_right_arguments_are_taken(one: Function, place: Place) -> None:
    if one.is_run:
        with pytest.raises(TypeError, match="client is a Client of dask"):
            one.run(place)
    else:
        one.run(place)


@pytest.mark.parametrize(("one", "name"), cases())
def test_errors_are_sentences(one: Function, name: str, place: Place) -> None:
    for wrong in wrongs(one, name):
        try:
            one.run(place, **{name: wrong})
        except (TypeError, ValueError, LookupError, OSError, BufferError, NotImplementedError, OverflowError, abreast.InvalidTag) as error:
            text = str(error)
            # A store has its own words for names that it does not have.
            assert text or isinstance(error, OSError), (wrong, type(error))
            assert FOREIGN.search(text) is None, (wrong, type(error), text)
            if type(error) is TypeError and not isinstance(wrong, (list, dict, bytes, tuple)) and "client is" not in text:
                assert type(wrong).__name__ in text, (wrong, text)


def is_path(one: Function, name: str) -> bool:
    annotation = next(str(parameter.annotation) for parameter in one.parameters if parameter.name == name)
    return bool(re.search(r"\bPath\b|\bUrl\b", annotation)) or (one.where.startswith("fsspec.SealedFileSystem.") and name in PATHS)


@pytest.mark.parametrize(("one", "name"), [case for case in cases() if is_path(*case.values)])
def test_numbers_are_no_paths(one: Function, name: str, place: Place) -> None:
    """The system would take a number for an open file, read it and close it."""
    reading, writing = os.pipe()
    try:
        os.write(writing, place.key.to_line())
        for wrong in (reading, writing, True, 1.5, b"key", Odd(), [reading]):
            if isinstance(wrong, bytes | list) and one.where.startswith(("fsspec", "dask")):
                continue
            with pytest.raises(TypeError) as caught:
                one.run(place, **{name: wrong})
            assert re.search(r"\ba str or a pathlib.Path|a path\b|a list of names", str(caught.value)), (wrong, str(caught.value))
            assert type(wrong).__name__ in str(caught.value)
        os.fstat(reading), os.fstat(writing)
        assert os.read(reading, 1000) == place.key.to_line()
    finally:
        os.close(reading)
        os.close(writing)


def test_paths_of_every_kind(place: Place) -> None:
    class Named(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(place.folder / "key")

    for path in (place.folder / "key", str(place.folder / "key"), Named()):
        assert abreast.sealed.load_key(path).to_line() == place.key.to_line()
        assert abreast.dask.WorkerKey(path).load().to_line() == place.key.to_line()  # type: ignore[arg-type]


def test_objects_are_no_nonces(place: Place) -> None:
    """The memory of an array of objects is addresses."""
    import numpy as np

    nonces = np.array([b"n" * 12] * 3, dtype=object)
    with pytest.raises(TypeError, match="holds objects"):
        abreast.arrow.encrypt_column(pa.array(["x"] * 2), AESGCMKeys(bytes(32), key_size=16), nonces=nonces)


def test_lengths_of_no_kind_are_not_unknown_ones(place: Place) -> None:
    for wrong in (5, 1.5, True, Odd()):
        with pytest.raises(TypeError, match="sealed_lengths is lengths by names"):
            abreast.fsspec.SealedFileSystem(place.streams, fsspec.filesystem("memory"), sealed_lengths=wrong)  # type: ignore[arg-type]


def test_expressions_of_polars(place: Place) -> None:
    frame = pl.DataFrame({"a": ["x", "y"]})
    sealed = frame.with_columns(abreast.sql.encrypted(pl.col("a"), place.ring, "a"))
    assert sealed.with_columns(abreast.sql.decrypted("a", place.ring, "a")).equals(frame)
