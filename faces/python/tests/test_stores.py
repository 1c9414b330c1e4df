"""Replacing an object is atomic or refused: each call of a store fails once, and the old object is still there."""

from __future__ import annotations

import errno
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from flat import ArrowLocal, Flat
from fsspec.implementations.memory import MemoryFileSystem
from stores import Server

from abreast import _publish, _stores

OLD, NEW = b"the object that was there", b"the new object, " * 40
LONG = b"parts of S3 have at least 5 MiB " * (6 << 15)


def parts_of(data: bytes) -> list[_stores.Part]:
    """Two parts, the second of two pieces."""
    half = 5 << 20 if len(data) > 5 << 20 else len(data) // 2
    return [
        _stores.Part(0, 0, half, lambda: iter([data[:half]])),
        _stores.Part(1, half, len(data), lambda: iter([data[half : half + 9], data[half + 9 :]])),
    ]


PARTS = parts_of(NEW)


class Failed(OSError):
    """The call that a test has fail."""


class Calls:
    """Counts calls, and fails the n-th."""

    def __init__(self) -> None:
        self.count, self.fail, self.names = 0, 0, list[str]()

    def __call__(self, name: str) -> None:
        self.count += 1
        self.names.append(name)
        if self.count == self.fail:
            raise Failed(errno.EIO, f"call {self.count}, {name}, fails")

    def begin(self, fail: int) -> None:
        self.count, self.fail, self.names = 0, fail, []


class _Os:
    """The module os, whose functions about files count."""

    def __init__(self, calls: Calls, missing: set[str]) -> None:
        self._calls, self._missing = calls, missing

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in ("open", "ftruncate", "pwrite", "fsync", "link", "unlink", "replace", "rename", "fstat", "stat"):
            return real

        def call(*arguments: Any, **named: Any) -> Any:
            self._calls(name)
            if name in self._missing:
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
            return real(*arguments, **named)

        return call


Place = tuple[Callable[[], Any], Callable[[bytes | None], None], Callable[[], dict[str, bytes]]]
"""Makes the store; has an object or none, and nothing else; and what is there, without this package."""


def _local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Calls, missing: set[str]) -> Place:
    module = _Os(calls, missing)
    monkeypatch.setattr(_stores, "os", module)
    monkeypatch.setattr(_publish, "os", module)
    rename_new = _publish.rename_new

    def counted(source: str, target: str) -> None:
        calls("renameat2")
        if "renameat2" in missing:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        rename_new(source, target)

    monkeypatch.setattr(_publish, "rename_new", counted)
    return _folder(tmp_path, lambda: _stores.LocalStore(f"{tmp_path}/target"))


def _folder(folder: Path, make: Callable[[], Any]) -> Place:
    def reset(old: bytes | None) -> None:
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        if old is not None:
            (folder / "target").write_bytes(old)

    def contents() -> dict[str, bytes]:
        return {str(path.relative_to(folder)): b"" if path.is_dir() else path.read_bytes() for path in folder.rglob("*")}

    return make, reset, contents


def _arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Calls) -> Place:
    monkeypatch.setattr(ArrowLocal, "hook", staticmethod(calls))
    return _folder(tmp_path, lambda: _stores.AnyStore(f"arrowlocal://{tmp_path}/target", {}))


def _flat(monkeypatch: pytest.MonkeyPatch, calls: Calls, gap: bool) -> Place:
    monkeypatch.setattr(Flat, "hook", staticmethod(calls))

    def reset(old: bytes | None) -> None:
        Flat.objects.clear()
        if old is not None:
            Flat.objects["target"] = old

    return lambda: _stores.AnyStore("flat://target", {}, allow_gap=gap), reset, lambda: dict(Flat.objects)


def _memory(monkeypatch: pytest.MonkeyPatch, calls: Calls) -> Place:
    for name in ("info", "makedirs", "_open", "cat_file", "rm_file", "rmdir", "find", "cp_file"):
        real = getattr(MemoryFileSystem, name)

        def call(self: Any, *arguments: Any, _name: str = name, _real: Any = real, **named: Any) -> Any:
            calls(_name)
            return _real(self, *arguments, **named)

        monkeypatch.setattr(MemoryFileSystem, name, call)
    fs = fsspec.filesystem("memory")

    def reset(old: bytes | None) -> None:
        fs.store.clear()
        fs.pseudo_dirs[:] = [""]
        if old is not None:
            from fsspec.implementations.memory import MemoryFile

            fs.store["/target"] = MemoryFile(fs, "/target", old)

    def contents() -> dict[str, bytes]:
        files = {name[1:]: file.getvalue() for name, file in fs.store.items()}
        return files | {name[1:]: b"" for name in fs.pseudo_dirs if name}

    return lambda: _stores.AnyStore("memory://target", {}), reset, contents


def _s3(server: Server, calls: Calls) -> Place:
    def fault(environ: Any) -> int | None:
        if not counting:
            return None
        try:
            calls(f"{environ['REQUEST_METHOD']} {environ['QUERY_STRING'][:10]}")
        except Failed:
            return 500
        return None

    counting: list[bool] = []
    server.fault = fault
    options = server.options | {"config_kwargs": {"retries": {"total_max_attempts": 1}}}

    def reset(old: bytes | None) -> None:
        counting.clear()
        client = server.client
        for name in server.names():
            client.delete_object(Bucket="bucket", Key=name)
        for one in client.list_multipart_uploads(Bucket="bucket").get("Uploads", []):
            client.abort_multipart_upload(Bucket="bucket", Key=one["Key"], UploadId=one["UploadId"])
        if old is not None:
            server.put("target", old)
        counting.append(True)

    def contents() -> dict[str, bytes]:
        counting.clear()
        found = {name: server.get(name) for name in server.names()}
        uploads = server.client.list_multipart_uploads(Bucket="bucket").get("Uploads", [])
        return found | {one["UploadId"]: b"" for one in uploads}

    return lambda: _stores.S3Store("s3://bucket/target", options), reset, contents


STORES = ["local", "local-links", "local-neither", "memory", "arrow", "flat", "flat-gap", "s3"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


def _place(which: str, calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Place:
    if which.startswith("local"):
        missing = {"local": set[str](), "local-links": {"renameat2"}, "local-neither": {"renameat2", "link"}}[which]
        return _local(tmp_path, monkeypatch, calls, missing)
    if which == "memory":
        return _memory(monkeypatch, calls)
    if which == "arrow":
        return _arrow(tmp_path, monkeypatch, calls)
    if which.startswith("flat"):
        return _flat(monkeypatch, calls, which == "flat-gap")
    return _s3(request.getfixturevalue("server"), calls)


def _named(left: str, said: str) -> bool:
    """True if a message names the leftover, or a folder that holds it."""
    return any(part in said for part in (left, left.rpartition("/")[0]) if part)


@pytest.mark.parametrize("how", ["new", "replace", "refused", "abort"])
@pytest.mark.parametrize("which", STORES)
def test_each_call_fails_once(
    which: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    calls = Calls()
    make, reset, contents = _place(which, calls, tmp_path, monkeypatch, request)
    old = None if how == "new" else OLD
    new = LONG if which == "s3" else NEW
    lost = runs = in_place = 0
    for fail in range(1, 200):
        reset(old)
        calls.begin(fail)
        store, upload, said, problem = make(), "", "", None
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                try:
                    upload = store.begin(len(new))
                    proofs = [store.put(upload, part) for part in parts_of(new)]
                    if how == "abort":
                        raise Failed(errno.ECANCELED, "given up")
                    store.complete(upload, proofs, replace=how == "replace")
                except BaseException as error:
                    problem = error
                    if upload:
                        try:
                            store.abort(upload)
                        except OSError as another:
                            said += str(another)
            finally:
                count = calls.count
                calls.begin(0)
        said += "".join(str(one.message) for one in warned) + str(problem)
        runs += 1
        found = contents()
        there = found.pop("target", None)
        context = (which, how, fail, calls.names, problem, found, there)
        if problem is None:
            assert how in ("new", "replace") and there == new, context
        elif there == new and how in ("new", "replace"):
            # In its place, and the error says so.
            assert "complete and in its place" in said, context
            in_place += 1
        elif which == "flat-gap" and how == "replace" and there != old:
            lost += 1
        else:
            assert there == old, context
        for name in found:
            assert _named(name, said), context
        if count < fail:
            break
    else:
        raise AssertionError("there was no clean run")
    reset(None)
    clean = {"new": None, "refused": FileExistsError, "abort": Failed, "replace": ValueError if which == "flat" else None}[how]
    assert problem is None if clean is None else isinstance(problem, clean), context
    assert (lost > 0) == (which == "flat-gap" and how == "replace") and found == {}, context
    print(f"{which} {how}: {runs} runs, {in_place} of them in place in spite of an error, {lost} lost")


def test_stores_without_a_step_refuse_before_they_write() -> None:
    Flat.objects.clear()
    Flat.objects["target"] = OLD
    with pytest.raises(ValueError, match="allow_gap=True"):
        _stores.store("flat://target", {}).refuse_gap()
    _stores.store("flat://target", {"allow_gap": True}).refuse_gap()
    for url in ("memory://a", "s3://bucket/a", "/a"):
        _stores.store(url, {}).refuse_gap()
    assert Flat.objects == {"target": OLD}


def test_a_part_that_is_missing_loses_nothing() -> None:
    """Keeps the old object if the store has lost a part, or cut it off."""
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    fs.pipe_file("/old.abreast", OLD)
    for damage in (fs.rm_file, lambda name: fs.pipe_file(name, b"cut")):
        store = _stores.AnyStore("memory://old.abreast", {})
        upload = store.begin(len(NEW))
        proofs = [store.put(upload, part) for part in PARTS]
        damage(f"{upload}/00001")
        with pytest.raises(OSError):
            store.complete(upload, proofs, replace=True)
        assert fs.cat_file("/old.abreast") == OLD
        store.abort(upload)
    assert fs.find("/") == ["/old.abreast"]
    fs.rm_file("/old.abreast")


@pytest.mark.parametrize("missing", [set[str](), {"renameat2"}, {"renameat2", "link"}])
def test_one_of_many_writers_wins(missing: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs eight writers at once, also without hard links and without renames that replace nothing."""
    _local(tmp_path, monkeypatch, Calls(), missing)
    results: list[object] = []
    barrier = threading.Barrier(8)

    def write(number: int) -> None:
        store, data = _stores.LocalStore(f"{tmp_path}/target"), bytes([number]) * 1000
        upload = store.begin(1000)
        store.put(upload, _stores.Part(0, 0, 1000, lambda: iter([data])))
        barrier.wait(30)
        try:
            store.complete(upload, [""], replace=False)
            results.append(data)
        except FileExistsError as error:
            store.abort(upload)
            results.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    won = [one for one in results if isinstance(one, bytes)]
    assert len(results) == 8 and len(won) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["target"] and (tmp_path / "target").read_bytes() == won[0]


def test_a_pin_sees_what_times_can_hide(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"first")
    status, store = path.stat(), _stores.LocalStore(str(path))
    pin = store.pin()
    with open(path, "r+b") as file:
        file.write(b"other")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns and path.stat().st_ino == status.st_ino
    with pytest.raises(_stores.SourceChanged):
        store.read(0, 5, pin)


def test_a_store_without_versions_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    Flat.objects["source"] = b"text"
    _stores.AnyStore("flat://source", {}).pin()
    monkeypatch.setattr(Flat, "facts", {})
    with pytest.warns(UserWarning, match="no version and no time"):
        _stores.AnyStore("flat://source", {}).pin()


def test_long_names_have_room_beside_them(tmp_path: Path) -> None:
    store = _stores.LocalStore(str(tmp_path / ("n" * 255)))
    upload = store.begin(3)
    store.put(upload, _stores.Part(0, 0, 3, lambda: iter([b"abc"])))
    store.complete(upload, [""], replace=False)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"abc"]
