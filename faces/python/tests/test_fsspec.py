"""Sealed files in stores: the ranges fetched, the objects written, and the remains of failures."""

from __future__ import annotations

import errno
import gc
import io
import pickle
import random
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import s3fs
from conftest import log_uniform
from fsspec.implementations.memory import MemoryFileSystem
from stores import Server

import abreast
from abreast.fsspec import SealedFileSystem
from abreast.sealed import CHUNK, HEADER, SEALED_CHUNK, Key, SealedFile, open_file, seal_file

KEY = Key.generate()


class Counted(MemoryFileSystem):
    """A store that records the ranges fetched."""

    store: dict[str, object] = {}
    pseudo_dirs: list[str] = [""]

    def __init__(self) -> None:
        super().__init__(global_store=False)
        self.store, self.fetched = {}, []

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: object) -> bytes:
        data = super().cat_file(path, start=start, end=end, **options)
        self.fetched.append(len(data))
        return data


@pytest.fixture
def counted() -> Counted:
    Counted.clear_instance_cache()
    return Counted()


# Something changes at chunks and at the parts that are written together.
@pytest.mark.parametrize(
    "length",
    [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 256 * CHUNK - 1, 256 * CHUNK, 256 * CHUNK + 1, 600 * CHUNK + 5],
)
def test_what_is_written_is_read(length: int, counted: Counted, rng: random.Random, tmp_path: Path) -> None:
    fs, data = SealedFileSystem(KEY, counted), rng.randbytes(length)
    with fs.open("/file", "wb") as file:
        at = 0
        while at < length:
            piece = 1 + log_uniform(rng, 3 * CHUNK * 100)
            file.write(data[at : at + piece])
            at += piece
    assert fs.info("/file")["size"] == length
    with fs.open("/file", "rb") as file:
        assert file.read() == data
        for _ in range(20):
            start = rng.randrange(length + 1)
            size = log_uniform(rng, 5 * CHUNK)
            file.seek(start)
            assert file.read(size) == data[start : start + size]
    assert fs.cat_file("/file", start=length // 2) == data[length // 2 :]
    # The same file by the other functions.
    (tmp_path / "sealed").write_bytes(counted.cat_file("/file"))
    open_file(tmp_path / "sealed", tmp_path / "opened", KEY)
    assert (tmp_path / "opened").read_bytes() == data


def test_a_row_group_is_fetched_and_no_more(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    table = pa.table({"n": list(range(400_000)), "text": [f"row {n} of many" for n in range(400_000)]})
    with fs.open("/table.parquet", "wb") as file:
        pq.write_table(table, file, row_group_size=50_000, compression=None, use_dictionary=False)
    sealed = counted.info("/table.parquet")["size"]
    counted.fetched.clear()
    with fs.open("/table.parquet", "rb", cache_type="none") as file:
        group = pq.ParquetFile(file).read_row_group(3)
    assert group.equals(table.slice(150_000, 50_000))
    assert sum(counted.fetched) < sealed / 4, (sum(counted.fetched), sealed)


def test_s3_by_parts_and_ranges() -> None:
    ranges: list[tuple[int, int]] = []

    def seen(environ: Any) -> None:
        if environ["REQUEST_METHOD"] == "GET" and "HTTP_RANGE" in environ:
            first, last = environ["HTTP_RANGE"].removeprefix("bytes=").split("-")
            ranges.append((int(first), int(last) + 1))

    with Server() as s3:
        store = s3fs.S3FileSystem(
            key="test", secret="test", endpoint_url=s3.url, client_kwargs={"region_name": "us-east-1"}, skip_instance_cache=True
        )
        fs = SealedFileSystem(KEY, store)
        table = pa.table({"n": list(range(600_000)), "text": [f"row {n} of many" for n in range(600_000)]})
        with fs.open("bucket/table.parquet", "wb", block_size=5 << 20) as file:
            pq.write_table(table, file, row_group_size=50_000, compression=None, use_dictionary=False)
        size = store.info("bucket/table.parquet")["size"]
        parts = [path for method, path in s3.requests if method == "PUT" and "partNumber=" in path]
        assert len(parts) == max(1, size // (5 << 20)) >= 3 and s3.uploads() == []
        s3.fault = seen
        with fs.open("bucket/table.parquet", "rb", cache_type="none") as file:
            group = pq.ParquetFile(file).read_row_group(3)
        assert group.equals(table.slice(150_000, 50_000))
        fetched = sum(stop - start for start, stop in ranges)
        assert 0 < fetched < size / 6, (fetched, size)
        # Nothing of a file that fails stays, nor of its upload.
        with pytest.raises(ZeroDivisionError), fs.open("bucket/half", "wb", block_size=5 << 20) as file:
            file.write(bytes(12 << 20))
            1 / 0  # noqa: B018
        assert s3.names() == ["table.parquet"] and s3.uploads() == []


def test_what_fails_leaves_nothing(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    with pytest.raises(ZeroDivisionError), fs.open("/half", "wb") as file:
        file.write(bytes(10 * 1024 * CHUNK))
        1 / 0  # noqa: B018
    assert not counted.exists("/half")
    with pytest.raises(FileNotFoundError):
        fs.open("/none", "rb")
    with pytest.raises(ValueError, match="not opened as 'ab'"):
        fs.open("/file", "ab")
    counted.pipe_file("/text", b"this is no sealed file, and long enough to be one, as far as its length goes")
    with pytest.raises(abreast.InvalidTag):
        fs.open("/text", "rb")


# A new file replaces nothing.
@pytest.mark.parametrize(
    ("mode", "replaced"), [("w", False), ("w", True), ("wt", False), ("wt", True), ("wb", False), ("wb", True), ("x", False), ("xb", False)]
)
def test_a_file_that_is_not_closed_is_not_written(mode: str, replaced: bool, tmp_path: Path) -> None:
    fs, path = SealedFileSystem(KEY, target_protocol="file"), str(tmp_path / "file")
    if replaced:
        fs.pipe_file(path, b"before")
    piece: Any = bytes(600 * CHUNK) if "b" in mode else "text" * 150 * CHUNK
    with pytest.raises(ZeroDivisionError), fs.open(path, mode) as file:
        file.write(piece)
        1 / 0  # noqa: B018
    file = fs.open(path, mode)
    file.write(piece)
    with pytest.warns(ResourceWarning, match="was not closed, and is not written"):
        del file
        gc.collect()
    assert [one.name for one in tmp_path.iterdir()] == ["file"] * replaced
    assert not replaced or fs.cat_file(path) == b"before"
    with fs.open(path, mode) as file:
        file.write(piece)
        file.write(piece[:5])
    assert fs.info(path)["size"] == len(piece) + 5


def test_text(tmp_path: Path) -> None:
    fs, path = SealedFileSystem(KEY, target_protocol="file"), str(tmp_path / "file")
    with fs.open(path, "w", encoding="latin-1", newline="\r\n") as file:
        file.write("one\nzw\u00f6lf\n")
    assert fs.cat_file(path).decode("latin-1") == "one\r\nzw\u00f6lf\r\n"
    with fs.open(path, "r", encoding="latin-1") as file:
        assert file.read() == "one\nzw\u00f6lf\n"


def test_folders_are_no_files(tmp_path: Path) -> None:
    fs = SealedFileSystem(KEY, target_protocol="file")
    (tmp_path / "folder").mkdir()
    for name in (f"{tmp_path}/folder", f"{tmp_path}/folder/", ""):
        with pytest.raises(IsADirectoryError):
            fs.open(name, "wb")
    assert [one.name for one in tmp_path.rglob("*")] == ["folder"]


def test_what_is_no_file_system_or_no_key() -> None:
    with pytest.raises(TypeError, match="file system of fsspec"):
        SealedFileSystem(KEY, "file")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key is a Key of abreast.sealed"):
        SealedFileSystem(b"key", target_protocol="memory")  # type: ignore[arg-type]
    for written in (pickle.dumps, lambda fs: fs.to_json(), lambda fs: fs.to_dict()):
        with pytest.raises(TypeError, match="has a key"):
            written(SealedFileSystem(KEY, target_protocol="memory"))


def test_changes_are_seen_where_they_are(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    with fs.open("/file", "wb") as file:
        file.write(bytes(10 * CHUNK))
    sealed = bytearray(counted.cat_file("/file"))
    sealed[HEADER + 4 * SEALED_CHUNK] ^= 1
    counted.pipe_file("/file", bytes(sealed))
    with fs.open("/file", "rb", cache_type="none") as file:
        assert file.read(CHUNK) == bytes(CHUNK)
        file.seek(4 * CHUNK)
        with pytest.raises(abreast.InvalidTag, match="chunk 4"):
            file.read(1)
    counted.pipe_file("/file", bytes(sealed[:-SEALED_CHUNK]))
    with pytest.raises(abreast.InvalidTag):
        fs.open("/file", "rb")


def test_local_files_and_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    fs = SealedFileSystem(KEY, target_protocol="file")
    frame = pandas.DataFrame({"a": [1, 2, 3]})
    with fs.open(str(tmp_path / "frame.parquet"), "wb") as file:
        frame.to_parquet(file)
    with fs.open(str(tmp_path / "frame.parquet"), "rb") as file:
        assert pandas.read_parquet(file).equals(frame)
    assert [Path(name).name for name in fs.ls(str(tmp_path), detail=False)] == ["frame.parquet"]
    with SealedFile(tmp_path / "frame.parquet", KEY) as sealed:
        assert pandas.read_parquet(sealed).equals(frame)


def test_sealed_file_objects(tmp_path: Path, rng: random.Random) -> None:
    data = rng.randbytes(40 * CHUNK + 77)
    (tmp_path / "message").write_bytes(data)
    seal_file(tmp_path / "message", tmp_path / "sealed", KEY)
    with SealedFile(tmp_path / "sealed", KEY, buffer_size=100) as file:
        assert file.seek(0, 2) == len(data)
        for _ in range(100):
            at, size = rng.randrange(len(data)), log_uniform(rng, 3 * CHUNK)
            assert file.seek(at) == at
            assert file.read(size) == data[at : at + size]
    with pytest.raises(abreast.InvalidTag):
        SealedFile(tmp_path / "sealed", Key.generate())
    with pytest.raises(ValueError, match="key or with a passphrase"):
        SealedFile(tmp_path / "sealed")
    with pytest.raises(abreast.InvalidTag):
        SealedFile(tmp_path / "message", KEY)
    with fsspec.open(str(tmp_path / "sealed"), "rb") as inner, SealedFile(inner, KEY) as file:
        assert file.read() == data


class Liar(io.BytesIO):
    """A file object whose reads return more than was asked for."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size) + b"more"


def test_file_objects_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(bytes(3 * CHUNK))
    seal_file(tmp_path / "message", tmp_path / "sealed", KEY)
    with pytest.raises(TypeError, match="path or a seekable file object, and not NoneType"):
        SealedFile(None, KEY)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        SealedFile(Liar((tmp_path / "sealed").read_bytes()), KEY)
    with SealedFile(tmp_path / "sealed", KEY) as file:
        assert str(file.name) == str(tmp_path / "sealed")
        with pytest.raises(ValueError, match="whence"):
            file.seek(0, 3)


def test_a_closed_file(tmp_path: Path, counted: Counted) -> None:
    (tmp_path / "message").write_bytes(b"text")
    seal_file(tmp_path / "message", tmp_path / "sealed", KEY)
    sealed = SealedFile(tmp_path / "sealed", KEY)
    fs = SealedFileSystem(KEY, counted)
    written = fs.open("/file", "wb")
    written.close()
    for file in (sealed, fs.open("/file", "rb")):
        file.close()
        file.close()
        with pytest.raises(ValueError, match="closed file"):
            file.read(1)
    with pytest.raises(ValueError, match="closed file"):
        written.write(b"more")


def test_errors_of_the_system_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(b"text")
    target = tmp_path / "none" / "sealed"
    with pytest.raises(FileNotFoundError) as caught:
        seal_file(tmp_path / "message", target, KEY)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(target))
    with pytest.raises(FileNotFoundError) as caught:
        seal_file(tmp_path / "other", tmp_path / "sealed", KEY)
    assert (caught.value.errno, str(caught.value.filename)) == (errno.ENOENT, str(tmp_path / "other"))
    with pytest.raises(IsADirectoryError) as caught:
        seal_file(tmp_path, tmp_path / "sealed", KEY)
    assert (caught.value.errno, str(caught.value.filename)) == (errno.EISDIR, str(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["message"]


def test_passphrases(tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(b"short")
    seal_file(tmp_path / "message", tmp_path / "sealed", passphrase=b"correct horse")
    with SealedFile(tmp_path / "sealed", passphrase=b"correct horse") as file:
        assert file.read() == b"short"
    open_file(tmp_path / "sealed", tmp_path / "opened", passphrase=b"correct horse")
    assert (tmp_path / "opened").read_bytes() == b"short"
    with pytest.raises(ValueError, match="passphrase"):
        SealedFile(tmp_path / "sealed", KEY)
    with pytest.raises(abreast.InvalidTag):
        open_file(tmp_path / "sealed", tmp_path / "other", passphrase=b"wrong")
    assert not (tmp_path / "other").exists()
    with pytest.raises(FileExistsError, match="replace=True"):
        open_file(tmp_path / "sealed", tmp_path / "opened", passphrase=b"correct horse")
    with pytest.raises(ValueError, match="same file"):
        seal_file(tmp_path / "message", tmp_path / "message", KEY, replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["message", "opened", "sealed"]
