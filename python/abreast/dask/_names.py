"""The files of a run: sources by name, by prefix or by pattern, and the target of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .._extras import require
from .._s3 import Options
from .._stores import S3Store, store

What = Literal["seal", "open", "reseal", "verify"]
Url = str | os.PathLike[str]

SUFFIX = ".abreast"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)

_MAGIC = re.compile(r"[*?\[]")

_UNFINISHED = re.compile(r"(^|/)\.abreast-[^/]*\.tmp$|\.abreast-[0-9a-f]+\.(parts|tmp)(/|$)")
"""Names of files that another run has not finished, or left as its machine went down."""


@dataclass(frozen=True)
class Source:
    """A file that a run reads."""

    url: str
    target: str | None = None
    size: int | None = None
    """Its size, where a listing says it."""
    left_out: str = ""
    """Why a listed file is not touched."""
    listed: bool = False
    """True if it was found below a prefix, so that folders for its target may have to be made."""


def text(url: Url) -> str:
    """Returns a name as text."""
    name = os.fspath(url)
    if not isinstance(name, str):
        raise TypeError(f"a file is named by a str or a path, and not by {type(name).__name__}")
    return name


def chosen(
    what: What,
    urls: Url | Iterable[Url] | None,
    prefix: Url | None,
    glob: Url | None,
    to: Url | Sequence[Url] | None,
    options: Options | None,
) -> list[Source]:
    """Returns the files of a run with their targets. Nothing is written before all of them are seen to fit."""
    if sum(one is not None for one in (urls, prefix, glob)) != 1:
        raise ValueError("pass files as urls, or prefix=, or glob=, and only one of them")
    places: str | list[str] | None = None
    if to is not None:
        places = text(to) if isinstance(to, (str, os.PathLike)) else [text(one) for one in to]
    if urls is not None:
        names = [text(urls)] if isinstance(urls, (str, os.PathLike)) else [text(one) for one in urls]
        if not names:
            raise ValueError("there are no files: urls is empty")
        targets = _targets(what, names, places)
        sources = [Source(name, target) for name, target in zip(names, targets, strict=True)]
    else:
        if isinstance(places, list):
            raise ValueError("to is one folder for the files of a prefix= or glob=, and not a list")
        sources = _listed(what, prefix, glob, places, options)
    _check([source for source in sources if not source.left_out])
    return sources


def _targets(what: What, names: list[str], to: str | list[str] | None) -> list[str | None]:
    """Returns the targets of files that are named."""
    if what == "verify":
        return [None] * len(names)
    if to is None:
        if what == "reseal":
            raise ValueError("pass to=, the place of the resealed files")
        return [_renamed(what, name) for name in names]
    if isinstance(to, list):
        if len(to) != len(names):
            raise ValueError(f"there are {len(names)} files and {len(to)} targets; there has to be one for each")
        return list(to)
    if len(names) == 1 and not to.endswith("/"):
        return [to]
    return [_below(to, _renamed(what, _last(name)) if what != "reseal" else _last(name)) for name in names]


def _last(name: str) -> str:
    """Returns the last segment of a name."""
    last = name.rpartition("/")[2]
    if not last:
        raise ValueError(f"{name} ends in /, and names no file; prefix= takes all files below a folder")
    return last


def _renamed(what: What, name: str) -> str:
    if what == "seal":
        return name + SUFFIX
    if not name.endswith(SUFFIX):
        raise ValueError(f"{name} does not end in {SUFFIX}; pass to=, the place of the opened file")
    return name.removesuffix(SUFFIX)


def _below(folder: str, relative: str) -> str:
    """Returns the URL of a name in a folder. A local folder is not left by what a name in a store holds."""
    url = (folder if folder.endswith("/") else folder + "/") + relative
    if is_local(folder) and any(part in ("", ".", "..") for part in relative.split("/")):
        raise ValueError(f"{relative!r} cannot be the name of a file in {folder}; pass to= as a list of targets")
    return url


def _listed(what: What, prefix: Url | None, glob: Url | None, to: str | None, options: Options | None) -> list[Source]:
    """Returns the files below a prefix or that match a pattern."""
    if what == "reseal" and to is None:
        raise ValueError("pass to=, the place of the resealed files")
    asked = text(prefix if prefix is not None else glob or "")
    fixed = asked if prefix is not None else asked[: match.start()] if (match := _MAGIC.search(asked)) else asked
    root = fixed[: fixed.rfind("/") + 1]
    scheme = _SCHEME.match(root)
    if scheme is not None and scheme.end() == len(root) and not is_local(root) and store_is_s3(root):
        # A bucket alone, which is a folder all the same.
        if prefix is None:
            raise ValueError(f"{asked} has a pattern in place of a bucket")
        fixed = asked = root = asked + "/"
    matches, depth = None, None
    if glob is not None:
        if "**" not in asked:
            depth = asked[len(root) :].count("/")
        pattern: str = require("fsspec.utils", "fsspec").glob_translate(asked[len(root) :])
        matches = re.compile(pattern)
    inside = to[len(root) :].rstrip("/") + "/" if to and to.startswith(root) and len(to) > len(root) else None
    found: list[Source] = []
    for relative, size in sorted(_files(root, fixed, depth, options)):
        url = root + relative
        if not url.startswith(fixed) or (matches is not None and not matches.match(relative)):
            continue
        reason = ""
        if relative.endswith("/") or not relative:
            reason = "it stands for a folder"
        elif _UNFINISHED.search(relative):
            reason = "another run has not finished it"
        elif inside is not None and relative.startswith(inside):
            reason = "it lies below the targets"
        elif what == "seal" and relative.endswith(SUFFIX):
            reason = f"its name ends in {SUFFIX}"
        elif what != "seal" and glob is None and not relative.endswith(SUFFIX):
            reason = f"its name does not end in {SUFFIX}"
        target = None
        if not reason and what != "verify":
            name = relative if what == "reseal" else _renamed(what, relative)
            target = root + name if to is None else _below(to, name)
        found.append(Source(url, target, size, reason, listed=True))
    if not found:
        raise FileNotFoundError(f"{asked}: there are no such files")
    return found


def _files(root: str, start: str, depth: int | None, options: Options | None) -> Iterator[tuple[str, int]]:
    """Returns the files below a folder whose names begin with `start`: names below the folder, and sizes."""
    if is_local(root):
        yield from _local_files(local_path(root), start[len(root) :], depth)
    elif store_is_s3(root):
        yield from _s3_files(root, start, options)
    else:
        fs, path = require("fsspec.core", "fsspec").url_to_fs(root, **(options or {}))
        for name, info in fs.find(path, detail=True).items():
            yield name[len(path.rstrip("/")) :].removeprefix("/"), info["size"]


def _local_files(root: str, start: str, depth: int | None) -> Iterator[tuple[str, int]]:
    def failed(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(root or ".", onerror=failed):
        below = os.path.relpath(folder, root or ".")
        # The files of a folder whose own name is not that of the prefix are not looked at.
        if below == ".":
            folders[:] = [name for name in folders if name.startswith(start.split("/")[0])]
        if depth is not None and (0 if below == "." else below.count("/") + 1) >= depth:
            folders.clear()
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                yield (name if below == "." else f"{below}/{name}"), os.stat(path).st_size


def _s3_files(root: str, start: str, options: Options | None) -> Iterator[tuple[str, int]]:
    folder = root.partition("://")[2].partition("/")[2]
    place = store(f"{root}x", options)
    assert isinstance(place, S3Store)
    prefix = folder + start[len(root) :]
    more: dict[str, str] = {}
    while True:
        page = place._call("list_objects_v2", Prefix=prefix, **more)
        for one in page.get("Contents", []):
            yield one["Key"][len(folder) :], one["Size"]
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


def is_local(url: str) -> bool:
    """True for the name of a local file."""
    scheme = _SCHEME.match(url)
    return scheme is None or scheme[1].lower() in ("file", "local")


def local_path(url: str) -> str:
    """Returns the path of a local name."""
    scheme = _SCHEME.match(url)
    return url if scheme is None else url[scheme.end() :]


def store_is_s3(url: str) -> bool:
    """True for the name of an object of S3."""
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[1] in ("s3", "s3a")


def _place(url: str) -> str:
    """Returns a name that equal places share: local paths are made absolute, others are left alone."""
    return os.path.abspath(local_path(url)) if is_local(url) else url


def _check(sources: list[Source]) -> None:
    """Refuses a target that would replace a source or another target."""
    places = {_place(source.url) for source in sources}
    for source in sources:
        if source.target is None:
            continue
        place = _place(source.target)
        if place == _place(source.url):
            raise ValueError(f"{source.url} would be its own target")
        if place in places:
            raise ValueError(
                f"{source.target} would be written twice, or is one of the sources; pass a list of targets as to="
            )
        places.add(place)
