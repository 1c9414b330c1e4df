"""SealedFileSystem by all its names: every public method, chains, compressions, the ranges fetched, and other processes."""

from __future__ import annotations

import bz2
import gzip
import inspect
import os
import pickle
import random
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
import s3fs
from flat import ArrowLocal, Flat
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from stores import Server

import abreast
from abreast._worker_key import WorkerKey
from abreast.fsspec import SealedFileSystem
from abreast.sealed import CHUNK, Key, save_key

KEY = Key.generate()

BY_OTHERS = {
    "cat": "cat_file of each",
    "checksum": "info, which changes with the sealed bytes",
    "clear_instance_cache": "nothing is cached: cachable is false",
    "copy": "cp_file of each",
    "cp": "copy",
    "delete": "rm",
    "disk_usage": "du",
    "download": "get",
    "expand_path": "glob, find and exists",
    "get": "get_file of each",
    "get_mapper": "a mapping that calls cat, pipe_file, find and rm",
    "head": "open",
    "listdir": "ls",
    "makedir": "mkdir",
    "mkdirs": "makedirs",
    "move": "mv",
    "pipe": "pipe_file of each",
    "put": "put_file of each",
    "read_block": "open",
    "read_bytes": "cat_file",
    "read_text": "open",
    "rename": "mv",
    "size": "info",
    "sizes": "size of each",
    "stat": "info",
    "tail": "open",
    "transaction_type": "a class, which transaction does not use",
    "tree": "ls",
    "ukey": "info",
    "unstrip_protocol": "the name of the protocol, put before a path",
    "upload": "put",
    "walk": "ls",
    "write_bytes": "pipe_file",
    "write_text": "open",
}
"""Public methods of the base class that are right as they are, and what they call."""


def test_every_public_method_is_looked_at() -> None:
    base = fsspec.AbstractFileSystem
    public = {
        name for name in dir(base) if not name.startswith("_") and (callable(getattr(base, name)) or isinstance(inspect.getattr_static(base, name), property))
    }
    own = {name for name in vars(SealedFileSystem) if not name.startswith("_")}
    assert len(public) > 60
    assert public - own - BY_OTHERS.keys() == set(), "neither overridden nor listed"
    assert BY_OTHERS.keys() & own == set() and BY_OTHERS.keys() <= public, "listed in vain"


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    fs = MemoryFileSystem()
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]
    yield fs
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]


def test_the_methods_of_the_base_class_see_messages(memory: MemoryFileSystem, tmp_path: Path) -> None:
    fs = SealedFileSystem(KEY, memory)
    fs.write_bytes("/d/a", b"0123456789")
    fs.write_text("/d/b.txt", "one\ntwo\n")
    assert fs.cat("/d/*") == {"/d/a": b"0123456789", "/d/b.txt": b"one\ntwo\n"} and fs.cat("/d/a") == b"0123456789"
    assert fs.read_bytes("/d/a", 2, -1) == b"2345678" and fs.read_text("/d/b.txt") == "one\ntwo\n"
    assert (fs.head("/d/a", 3), fs.tail("/d/a", 3), fs.read_block("/d/a", 2, 3)) == (b"012", b"789", b"234")
    assert (fs.size("/d/a"), fs.sizes(["/d/a", "/d/b.txt"]), fs.stat("/d/a")["size"]) == (10, [10, 8], 10)
    assert fs.info("sealed:///d/a")["size"] == 10 and fs.unstrip_protocol("/d/a") == "sealed:///d/a"
    assert fs.cat_ranges(["/d/a", "/d/b.txt", "/d/none"], [1, -3, 0], [3, None, 1])[:2] == [b"12", b"wo\n"]
    assert isinstance(fs.cat_ranges(["/d/none"], 0, 1)[0], FileNotFoundError)
    memory.pipe_file("/d/plain", b"unsealed")
    assert fs.du("/d") == 26 and fs.du("/d", total=False) == {"/d/a": 10, "/d/b.txt": 8, "/d/plain": 8}
    assert fs.disk_usage("sealed:///d") == 26
    memory.rm_file("/d/plain")
    assert [sizes for _, _, files in fs.walk("/d", detail=True) for sizes in [one["size"] for one in files.values()]] == [10, 8]
    assert fs.glob("/d/*.txt", detail=True)["/d/b.txt"]["size"] == 8 and fs.find("/") == ["/d/a", "/d/b.txt"]
    assert "10" not in fs.tree("/d") or fs.tree("/d", display_size=True)
    mapper = fs.get_mapper("/map")
    mapper["key"] = b"value"
    assert dict(mapper) == {"key": b"value"} and memory.cat_file("/map/key") != b"value"
    ukey, checksum = fs.ukey("/d/a"), fs.checksum("/d/a")
    fs.pipe({"/d/a": b"abcdefghij"})
    assert (fs.ukey("/d/a"), fs.checksum("/d/a")) != (ukey, checksum)
    fs.copy("/d/a", "/d/c")
    fs.mv("/d/c", "/d/e")
    assert fs.cat_file("/d/e") == b"abcdefghij" and not fs.exists("/d/c")
    fs.touch("/d/empty")
    assert fs.size("/d/empty") == 0 and fs.isfile("/d/empty") and fs.lexists("/d/empty") and fs.isdir("/d")
    assert fs.modified("/d/a") and fs.created("/d/a")
    fs.upload(str(Path(__file__)), "/d/up")
    fs.download("/d/up", str(tmp_path / "down"))
    assert (tmp_path / "down").read_bytes() == Path(__file__).read_bytes()
    fs.rm("/d", recursive=True)
    assert not fs.exists("/d") and fs.find("/") == ["/map/key"]
    fs.delete("/map/key")
    for refused in (lambda: fs.sign("/d/a"), lambda: fs.transaction, fs.start_transaction, fs.end_transaction):
        with pytest.raises(NotImplementedError):
            refused()
    for refused in (SealedFileSystem.current, lambda: SealedFileSystem.from_json("{}"), lambda: SealedFileSystem.from_dict({})):
        with pytest.raises(TypeError, match="key"):
            refused()


def test_folders_of_local_files(tmp_path: Path) -> None:
    fs = SealedFileSystem(KEY, target_protocol="file")
    fs.makedirs(f"{tmp_path}/a/b")
    fs.pipe_file(f"{tmp_path}/a/b/c", b"text")
    (tmp_path / "a" / "plain").write_bytes(b"unsealed")
    assert fs.du(f"{tmp_path}/a") == 12
    fs.rm(f"{tmp_path}/a", recursive=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("store", ["memory", "file", "dir", "arrowlocal", "flat"])
@pytest.mark.parametrize(("compression", "suffix", "undo"), [("gzip", "gz", gzip.decompress), ("bz2", "bz2", bz2.decompress)])
def test_compression(store: str, compression: str, suffix: str, undo: Any, tmp_path: Path, memory: MemoryFileSystem) -> None:
    inner = {
        "memory": lambda: memory,
        "file": lambda: fsspec.filesystem("file"),
        "dir": lambda: DirFileSystem("/sub", memory),
        "arrowlocal": ArrowLocal,
        "flat": Flat,
    }[store]()
    Flat.objects.clear()
    fs, root = SealedFileSystem(KEY, inner, allow_gap=store == "flat"), str(tmp_path) if store in ("file", "arrowlocal") else ""
    data = b"some text\n" * 30_000
    for how in (compression, "infer"):
        with fs.open(f"{root}/t.csv.{suffix}", "wb", compression=how) as file:
            file.write(data)
        assert undo(fs.cat_file(f"{root}/t.csv.{suffix}")) == data
        with fs.open(f"{root}/t.csv.{suffix}", "rb", compression=how) as file:
            assert file.read(10) == data[:10] and file.read() == data[10:]
        with fs.open(f"{root}/t.csv.{suffix}", "wt", compression=how, encoding="latin-1") as file:
            file.write("z\u00f6lf\nzwei\n")
        with fs.open(f"{root}/t.csv.{suffix}", "rt", compression=how, encoding="latin-1") as file:
            assert list(file) == ["z\u00f6lf\n", "zwei\n"]
    before = fs.cat_file(f"{root}/t.csv.{suffix}")
    for mode in ("wb", "wt"):
        with pytest.raises(ZeroDivisionError), fs.open(f"{root}/t.csv.{suffix}", mode, compression=compression) as file:
            file.write(data if mode == "wb" else "text")
            1 / 0  # noqa: B018
        file = fs.open(f"{root}/t.csv.{suffix}", mode, compression=compression)
        file.write(data if mode == "wb" else "text")
        with pytest.warns(ResourceWarning, match="was not closed"):
            del file
    assert fs.cat_file(f"{root}/t.csv.{suffix}") == before and len(fs.find(root or "/" if store != "flat" else "")) == 1
    with pytest.raises(ValueError, match="compression is one of"):
        fs.open(f"{root}/t.csv", "rb", compression="none")
    with fs.open(f"{root}/plain", "xb", compression="infer") as file:
        file.write(b"plain")
    assert fs.cat_file(f"{root}/plain") == b"plain"
    with pytest.raises(FileExistsError):
        fs.open(f"{root}/plain", "xb")


def test_what_was_there_stays_if_a_writer_fails(tmp_path: Path, memory: MemoryFileSystem) -> None:
    for inner, root in ((memory, ""), (fsspec.filesystem("file"), str(tmp_path)), (ArrowLocal(), str(tmp_path))):
        fs = SealedFileSystem(KEY, inner)
        fs.pipe_file(f"{root}/old", b"old")
        with pytest.raises(ZeroDivisionError), fs.open(f"{root}/old", "wb") as file:
            file.write(bytes(600 * CHUNK))
            1 / 0  # noqa: B018
        assert fs.cat_file(f"{root}/old") == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    Flat.objects.clear()
    fs = SealedFileSystem(KEY, Flat())
    fs.pipe_file("new", b"new")
    for refused in (lambda: fs.pipe_file("new", b"again"), lambda: fs.cp_file("new", "new"), lambda: fs.mv("new", "new")):
        with pytest.raises(ValueError, match="allow_gap"):
            refused()
    assert fs.cat_file("new") == b"new" and list(Flat.objects) == ["new"]


@pytest.mark.parametrize(
    ("names", "source", "target", "recursive"),
    [
        (["/e/f1"], "/e/f1", "/e/", False),
        (["/e/f1"], "/e/f1", "//e//f1", False),
        (["/e/f1"], "/e/f1", "/e", False),
        (["/a/f1"], "/a", "/a/inner", True),
        (["/a/f1"], "/a/", "/a", True),
        (["/g/f1"], ["/g/f1"], ["//g/f1"], False),
        (["/h/f1", "/h/f2"], ["/h/f1", "/h/f2"], ["/h/f2", "/h/f1"], False),
        (["/i/f1", "/i/f2"], ["/i/f1", "/i/f2"], ["/i/x", "/i/x"], False),
    ],
)
def test_a_move_onto_itself_loses_nothing(names: list[str], source: Any, target: Any, recursive: bool) -> None:
    MemoryFileSystem.store.clear()
    fs = SealedFileSystem(KEY, target_protocol="memory")
    for name in names:
        fs.pipe_file(name, name.encode())
    # A folder that is its own name but for a slash may be moved nowhere, which is nothing to do.
    try:
        fs.mv(source, target, recursive=recursive)
    except ValueError as error:
        assert "moved" in str(error)
    assert {name: fs.cat_file(name) for name in fs.find("/")} == {name: name.encode() for name in names}


def test_moves_that_are_none_of_these_move() -> None:
    MemoryFileSystem.store.clear()
    fs = SealedFileSystem(KEY, target_protocol="memory")
    fs.pipe({"/a/f1": b"1", "/a/b/f2": b"2"})
    fs.mv("/a", "/ab", recursive=True)
    fs.mv("/ab/f1", "/ab/b/")
    fs.mv(["/ab/b/f1", "/ab/b/f2"], ["/x", "/y"])
    assert fs.find("/") == ["/x", "/y"] and fs.cat(["/x", "/y"]) == {"/x": b"1", "/y": b"2"}


def test_ranges_are_those_of_slices() -> None:
    fs = SealedFileSystem(KEY, target_protocol="memory")
    message = bytes(range(256)) * 1000
    fs.pipe_file("/ranges", message)
    places = [None, 0, 3, 5, CHUNK, 255_999, 256_000, 300_000, -1, -CHUNK, -300_000]
    for start in places:
        for end in places:
            assert fs.cat_file("/ranges", start, end) == message[start:end], (start, end)


def test_an_open_file_travels(tmp_path: Path) -> None:
    save_key(KEY, tmp_path / "key")
    fs = SealedFileSystem(WorkerKey(str(tmp_path / "key")), target_protocol="file")
    fs.pipe_file(f"{tmp_path}/message", b"0123456789")
    with fs.open(f"{tmp_path}/message") as file:
        file.seek(4)
        with pickle.loads(pickle.dumps(file)) as again:
            assert again.read() == b"456789"


def test_a_file_that_is_not_authentic_leaves_no_plaintext(tmp_path: Path) -> None:
    fs = SealedFileSystem(KEY, target_protocol="file")
    fs.pipe_file(f"{tmp_path}/sealed", bytes(700 * CHUNK))
    sealed = bytearray((tmp_path / "sealed").read_bytes())
    sealed[-3 * CHUNK] ^= 1
    (tmp_path / "sealed").write_bytes(sealed)
    (tmp_path / "there").write_bytes(b"before")
    for name in ("there", "new"):
        with pytest.raises(abreast.InvalidTag):
            fs.get(f"{tmp_path}/sealed", f"{tmp_path}/{name}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sealed", "there"]
    assert (tmp_path / "there").read_bytes() == b"before"


class Counted(MemoryFileSystem):
    """A store that counts requests for bytes, and bytes."""

    fetched: list[int] = []

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        data = super().cat_file(path, start, end, **options)
        self.fetched.append(len(data))
        return data

    def info(self, path: str, **options: Any) -> Any:
        self.fetched.append(0)
        return super().info(path, **options)


@pytest.mark.parametrize("piece", [4096, 65536, 1 << 20, 5 << 20, -1])
def test_requests(piece: int, memory: MemoryFileSystem, rng: random.Random) -> None:
    store = Counted()
    fs, size = SealedFileSystem(KEY, store), 100_000_000
    fs.pipe_file("/long", bytes(size))
    Counted.fetched.clear()
    with fs.open("/long", "rb") as file:
        read = 0
        while data := file.read(piece):
            read += len(data)
    assert read == size and len(Counted.fetched) <= 40, len(Counted.fetched)
    assert sum(Counted.fetched) < size * 1.01
    most = 0
    for _ in range(50):
        at = rng.randrange(size - 100)
        Counted.fetched.clear()
        with fs.open("/long", "rb") as file:
            file.seek(at)
            assert file.read(100) == bytes(100)
        most = max(most, sum(Counted.fetched))
        Counted.fetched.clear()
        fs.cat_file("/long", at, at + 100)
        most = max(most, sum(Counted.fetched))
    print(f"pieces of {piece}: {read} bytes; 100 bytes anywhere fetch at most {most}")
    assert most <= 128 << 10


def test_chains_and_options(memory: MemoryFileSystem, tmp_path: Path) -> None:
    fsspec.register_implementation("sealed", SealedFileSystem, clobber=True)
    with fsspec.open("sealed::memory://b/o", "wb", sealed={"key": KEY}) as file:
        file.write(b"by a chain")
    with fsspec.open("sealed::memory://b/o", sealed={"key": KEY}) as file:
        assert file.read() == b"by a chain"
    assert b"by a chain" not in memory.cat_file("/b/o")
    with fsspec.open("sealed:///b/o", key=KEY, target_protocol="memory") as file:
        assert file.read() == b"by a chain"
    fs, path = fsspec.url_to_fs("sealed::memory://b/o", sealed={"key": KEY})
    assert path == "/b/o" and isinstance(fs, SealedFileSystem) and "key" not in fs.storage_options and fs.storage_args == ()
    pandas = pytest.importorskip("pandas")
    options = {"key": KEY, "target_protocol": "memory"}
    pandas.DataFrame({"a": [1, 2]}).to_csv("sealed:///b/t.csv.gz", storage_options=options, index=False)
    assert list(pandas.read_csv("sealed:///b/t.csv.gz", storage_options=options)["a"]) == [1, 2]
    assert fs != SealedFileSystem(Key.generate(), memory) and fs == SealedFileSystem(KEY, memory)


def test_the_entry_point(tmp_path: Path) -> None:
    """Uses the entry point of an installed package, in a process that knows nothing else."""
    settings = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    points: dict[str, str] = settings["project"]["entry-points"]["fsspec.specs"]
    facts = tmp_path / "abreast-0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: abreast\nVersion: 0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (facts / "entry_points.txt").write_text(f"[fsspec.specs]\n{lines}")
    program = (
        "import fsspec, abreast.sealed as s; k = s.Key.generate()\n"
        "with fsspec.open('sealed::memory://b/o', 'wb', sealed={'key': k}) as f: f.write(b'text')\n"
        "with fsspec.open('sealed::memory://b/o', sealed={'key': k}) as f: print(f.read().decode())\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(abreast.__file__).parent.parent)])
    ran = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout == "text\n", ran.stderr


def test_a_file_system_travels_with_the_path_of_its_key(tmp_path: Path) -> None:
    save_key(KEY, tmp_path / "my.key")
    fs = SealedFileSystem(WorkerKey(str(tmp_path / "my.key")), fsspec.filesystem("file"))
    fs.pipe_file(f"{tmp_path}/sealed", b"read elsewhere")
    travelled = pickle.dumps(fs)
    again: SealedFileSystem = pickle.loads(travelled)
    assert again == fs and hash(again) == hash(fs) and again.cat_file(f"{tmp_path}/sealed") == b"read elsewhere"
    # The path has to be there where it is used, and not where it is made.
    absent = pickle.loads(pickle.dumps(SealedFileSystem(WorkerKey(str(tmp_path / "none")), fsspec.filesystem("file"))))
    with pytest.raises(FileNotFoundError, match="none"):
        absent.cat_file(f"{tmp_path}/sealed")
    with pytest.raises(TypeError, match="WorkerKey"):
        pickle.dumps(SealedFileSystem(KEY, target_protocol="file"))


@pytest.mark.cluster
def test_dask_reads_tables_on_workers(tmp_path: Path) -> None:
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    save_key(KEY, tmp_path / "my.key")
    fs = SealedFileSystem(WorkerKey(str(tmp_path / "my.key")), fsspec.filesystem("file"))
    fs.makedirs(f"{tmp_path}/t")
    for number in range(3):
        with fs.open(f"{tmp_path}/t/{number}.parquet", "wb") as file:
            pandas.DataFrame({"n": range(number * 10, number * 10 + 10)}).to_parquet(file)
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        table = frames.read_parquet(f"{tmp_path}/t", filesystem=fs)
        assert client.compute(table["n"].sum()).result(timeout=120) == sum(range(30))


def test_listings_of_s3_that_are_remembered() -> None:
    """Lists own files at once, and others' files after the cache is invalidated."""
    with Server() as s3:
        store = s3fs.S3FileSystem(
            key="test", secret="test", endpoint_url=s3.url, client_kwargs={"region_name": "us-east-1"}, skip_instance_cache=True
        )
        fs = SealedFileSystem(KEY, store)
        s3.put("d/plain", b"unsealed")
        assert fs.ls("bucket/d", detail=False) == ["bucket/d/plain"]
        fs.pipe_file("sealed://bucket/d/new", b"text")
        assert fs.ls("bucket/d", detail=False) == ["bucket/d/new", "bucket/d/plain"] and fs.du("bucket/d") == 12
        s3.put("d/other", b"unsealed")
        assert len(fs.ls("bucket/d")) == 2
        fs.invalidate_cache("sealed://bucket/d")
        assert len(fs.ls("bucket/d")) == 3
        with pytest.raises(FileExistsError):
            fs.pipe_file("bucket/d/new", b"more", mode="create")
        # Another writer is first while this one writes: S3 itself refuses the end of the upload.
        with pytest.raises(FileExistsError), fs.open("bucket/d/race", "xb") as file:
            file.write(b"late")
            s3.put("d/race", b"first")
        assert s3.get("d/race") == b"first" and s3.uploads() == []
        fs.rm("bucket/d", recursive=True)
        assert s3.names() == []


def test_duckdb(memory: MemoryFileSystem) -> None:
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    fs = SealedFileSystem(KEY, memory)
    with fs.open("/a.parquet", "wb") as file:
        pandas.DataFrame({"n": [1, 2, 3]}).to_parquet(file)
    connection = duckdb.connect()
    connection.register_filesystem(fs)
    assert connection.sql("select sum(n) from 'sealed:///a.parquet'").fetchall() == [(6,)]
    assert connection.sql("select count(*) from read_parquet('sealed:///*.parquet')").fetchall() == [(3,)]
