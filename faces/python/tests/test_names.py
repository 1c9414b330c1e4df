"""Names of objects are names: a URL leads to the store's own object of that name, or raises ValueError."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
import pytest
from flat import Flat
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stores import Server

from abreast import _stores, _urls

PRINTABLE = "".join(map(chr, range(32, 127)))

# Signs that something on the way could take for more than a sign are as frequent as all others together.
_SIGNS = st.one_of(
    st.sampled_from(" #?%*[]/:&;=+@!~\\'\"."), st.sampled_from(PRINTABLE), st.characters(codec="utf-8", exclude_categories=["C"])
)
NAMES = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "/", "//", " ", "./", "#", "?"]),
        st.text(_SIGNS, min_size=1, max_size=12),
        st.sampled_from(["", " ", "/", "//", "#2", "?versionId=1", "%2F", "%20", "[1]", "*", "::b", "://x", "/..", "/a//b"]),
    ),
)


@dataclass
class Place:
    """A store, with ways to its contents that are not those under test."""

    url: Callable[[str], str]
    options: dict[str, Any]
    put: Callable[[str, bytes], None]
    contents: Callable[[], dict[str, bytes]]
    clear: Callable[[], None]
    keeps: Callable[[str], bool]
    """True if the store itself has different objects for a name and any other."""


def _local(root: Path, scheme: str) -> Place:
    def contents() -> dict[str, bytes]:
        found = {}
        for folder, _, files in os.walk(root):
            for name in files:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, root)] = Path(path).read_bytes()
        return found

    def put(name: str, data: bytes) -> None:
        path = f"{root}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def clear() -> None:
        shutil.rmtree(root)
        root.mkdir()

    def keeps(name: str) -> bool:
        return not any(part in ("", ".", "..") for part in name.split("/"))

    return Place(lambda name: f"{scheme}{root}/{name}", {}, put, contents, clear, keeps)


def _memory() -> Place:
    fs = fsspec.filesystem("memory")

    def clear() -> None:
        fs.store.clear()
        fs.pseudo_dirs[:] = [""]

    def put(name: str, data: bytes) -> None:
        from fsspec.implementations.memory import MemoryFile

        path = name if name in fs.store else "/" + name
        fs.store[path] = MemoryFile(fs, path, data)

    def contents() -> dict[str, bytes]:
        return {name.removeprefix("/"): file.getvalue() for name, file in fs.store.items()}

    return Place(
        lambda name: f"memory://{name}",
        {},
        put,
        contents,
        clear,
        lambda name: name.strip("/") == name and "://" not in name and "::" not in name,
    )


def _flat() -> Place:
    def put(name: str, data: bytes) -> None:
        Flat.objects[name] = data

    return Place(lambda name: f"flat://{name}", {}, put, lambda: dict(Flat.objects), Flat.objects.clear, lambda name: True)


def _s3(server: Server) -> Place:
    client = server.client

    def put(name: str, data: bytes) -> None:
        client.put_object(Bucket="bucket", Key=name, Body=data)

    def contents() -> dict[str, bytes]:
        return {name: client.get_object(Bucket="bucket", Key=name)["Body"].read() for name in server.names()}

    def clear() -> None:
        for name in server.names():
            client.delete_object(Bucket="bucket", Key=name)

    return Place(lambda name: f"s3://bucket/{name}", server.options, put, contents, clear, lambda name: True)


@pytest.fixture(scope="module")
def s3() -> Iterator[Server]:
    with Server() as server:
        yield server


def _place(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if which == "s3":
        return _s3(request.getfixturevalue("s3"))
    if which in ("file", "arrowlocal", "path"):
        (tmp_path / "root").mkdir()
        return _local(tmp_path / "root", "" if which == "path" else f"{which}://")
    return _memory() if which == "memory" else _flat()


def written(store: Any, data: bytes, *, replace: bool = False) -> None:
    """Writes an object of one part."""
    upload = store.begin(len(data))
    try:
        proofs = [store.put(upload, _stores.Part(0, 0, len(data), lambda: iter([data])))]
        store.complete(upload, proofs, replace=replace)
    except BaseException:
        store.abort(upload)
        raise


CASES = {"path": 40, "file": 40, "memory": 200, "flat": 200, "arrowlocal": 40, "s3": 10}
LONG = {"path": 1000, "file": 1000, "arrowlocal": 1000, "s3": 200}


@pytest.mark.parametrize(("which", "cases"), [*CASES.items(), *(pytest.param(*long, marks=pytest.mark.long) for long in LONG.items())])
def test_a_name_is_one_object(which: str, cases: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """An object and a decoy beside it, by the store's own interface; ours reads and writes the one that is named."""
    place = _place(which, request, tmp_path)
    counts = {"kept": 0, "refused": 0}

    @settings(max_examples=cases, deadline=None, derandomize=False)
    @given(NAMES)
    @example(PRINTABLE.replace("/", "").replace(".", "") + "x")
    @example("report#2")
    @example("day[1]")
    @example("a*b")
    @example("x?")
    @example(" both ends ")
    @example("100%25")
    @example("n\u00e4me \u2603 \U0001f600")
    @example("/leading")
    @example("//doubled//slashes")
    @example("folder/")
    @example("memory://x")
    def check(name: str) -> None:
        place.clear()
        url = place.url(name)
        try:
            if len(name.encode()) > 200:
                return
            store = _stores.store(url, place.options)
            _urls.identity(url, place.options)
        except ValueError as error:
            assert str(error) and place.contents() == {}
            counts["refused"] += 1
            return
        counts["kept"] += 1
        expected = name
        if which not in ("s3", "flat"):
            # These have a folder as their root, with or without a slash before the name.
            expected = name.removeprefix("/") if which == "memory" else os.path.relpath(f"/r/{name}", "/r")
        # Whatever a parser would make of the name is another object, and no folder of it.
        short = name.strip("/ ").partition("#")[0].partition("?")[0].partition("%")[0].strip("/ ")
        decoys = {short: b"decoy"} if short and place.keeps(short) and not (expected + "/").startswith(short + "/") else {}
        for decoy, data in decoys.items():
            place.put(decoy, data)
        written(store, b"ours")
        found = place.contents()
        ours = [one for one, data in found.items() if data == b"ours"]
        assert ours == [expected] and {one: data for one, data in found.items() if one not in ours} == decoys, found
        pin = store.pin()
        assert store.read(0, 4, pin) == b"ours" and store.exists()
        with pytest.raises(FileExistsError):
            written(store, b"more")
        place.put(expected, b"others")
        assert store.read(0, 6, store.pin()) == b"others"
        written(store, b"new", replace=True) if which != "flat" else None
        assert place.contents() == {expected: b"new" if which != "flat" else b"others", **decoys}

    if which in ("path", "file", "arrowlocal"):
        # As the folder of a target is there.
        begin = _stores.store

        def with_folders(url: str, options: Any) -> Any:
            made = begin(url, options)
            path = os.path.join(str(tmp_path), "root") + url.partition(str(tmp_path / "root"))[2]
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return made

        request.getfixturevalue("monkeypatch").setattr(_stores, "store", with_folders)
    check()
    place.clear()
    print(which, counts)
    assert counts["kept"] >= 10


def test_what_a_name_cannot_be(tmp_path: Path) -> None:
    """Each is refused, and nothing is written."""
    for url, words in {
        "": "empty",
        "s3://bucket": "names no object",
        "s3://bucket/": "names no object",
        "s3:///name": "names no object",
        "s3://bucket/" + "n" * 1025: "at most 1024",
        "s3://bucket/a\nb": "control character",
        "s3://bucket/a/../b": "do not keep",
        "s3://bucket/\udcff": "surrogate",
        "simplecache::s3://bucket/name": "chain of stores",
        "memory://a//": "it would become",
        "memory:////a": "it would become",
        "memory://memory://a": "it would become",
        "memory://": "it would become",
        "memory://a/b::c": "it would become",
        f"{tmp_path}/": "names no local file",
        f"file://{tmp_path}/..": "names no local file",
        f"{tmp_path}/a\0b": "names no local file",
        f"arrowlocal://{tmp_path}/a?b": "it would become",
    }.items():
        with pytest.raises(ValueError, match=words):
            _stores.store(url, {})
    assert list(tmp_path.iterdir()) == []


def test_equal_objects_by_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identity is decided by the store: links, inodes, spellings of a scheme."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "symlink").symlink_to("a")
    os.link(tmp_path / "a", tmp_path / "hard")
    (tmp_path / "other").symlink_to("folder")
    (tmp_path / "folder" / "b").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    same = [
        ("a", f"{tmp_path}/a"),
        ("a", f"file://{tmp_path}//a"),
        (f"local://{tmp_path}/a", "./a"),
        ("a", "symlink"),
        ("a", "hard"),
        ("folder/b", "other/b"),
        ("folder/new", "other/../folder/new"),
        ("s3://b/n", "s3a://b/n"),
        ("memory://a/b", "memory:///a/b"),
        (f"arrowlocal://{tmp_path}/a", f"arrowlocal://{tmp_path}/a"),
    ]
    for one, other in same:
        assert _urls.identity(one, {}) & _urls.identity(other, {}), (one, other)
    other = [
        ("a", "b"), ("a", "folder/b"), ("s3://b/n", "s3://b//n"), ("s3://b/n", "s3://b/n#"), ("s3://b/n", "s3://c/n"),
        ("memory://a", "memory://a#"), ("a", "a "),
    ]  # fmt: skip
    for one, another in other:
        assert not _urls.identity(one, {}) & _urls.identity(another, {}), (one, another)
    elsewhere = {"endpoint_url": "http://127.0.0.1:1"}
    assert not _urls.identity("s3://b/n", {}) & _urls.identity("s3://b/n", elsewhere)
    assert _urls.identity("s3://b/n", elsewhere) & _urls.identity("s3://b/n", {"client_kwargs": elsewhere})
    # Not by text: in a path, .. follows the link.
    (tmp_path / "deep" / "below").mkdir(parents=True)
    (tmp_path / "to").symlink_to("deep/below")
    (tmp_path / "deep" / "n").write_bytes(b"deep")
    assert _stores.store("to/../n", {}).pin().size == 4
