"""The files of a run: sources by name, by prefix or by pattern, and the target of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .. import _urls
from .._arguments import path as path_of
from .._extras import require
from .._s3 import Options
from .._stores import S3Store, store

What = Literal["seal", "open", "reseal", "verify"]
Url = str | os.PathLike[str]

SUFFIX = ".abreast"

_MAGIC = re.compile(r"[*?\[]")

_UNFINISHED = re.compile(r"(^|/)\.abreast-[^/]*\.tmp$|\.abreast-[0-9a-f]{12}\.(parts|tmp)(/|$)")
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
    error: ValueError | None = None
    """Why a listed file cannot be named, or its target not."""
    listed: bool = False
    """True if it was found below a prefix, so that folders for its target may have to be made."""
    sealed_length: int | None = None
    """The trusted length of a stream of AGS1."""


def text(url: object, name: str) -> str:
    """Returns a name as text."""
    return path_of(url, name, "a URL or a path as a str or a pathlib.Path")


def _several(urls: Url | Iterable[Url]) -> list[Url] | None:
    """Returns the names of an iterable, or None for a single name and for anything that is not iterable."""
    return None if isinstance(urls, (str, bytes, os.PathLike)) or not hasattr(urls, "__iter__") else [*urls]


def chosen(
    what: What,
    urls: Url | Iterable[Url] | None,
    prefix: Url | None,
    glob: Url | None,
    to: Url | Sequence[Url] | None,
    options: Options | None,
    target_options: Options | None,
    replace: bool,
    streams: bool = False,
) -> list[Source]:
    """Returns the files of a run with their targets. Nothing is written before all of them are seen to fit.

    Streams of AGS1 have names of any kind, which stay, as those of resealed files do.
    """
    given = [name for name, one in (("urls", urls), ("prefix", prefix), ("glob", glob)) if one is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} were" if given else "none was"
        raise ValueError(f"pass files as urls, or prefix=, or glob=, and only one of them: {found} given")
    places: str | list[str] | None = None
    if to is not None:
        places = text(to, "to") if (several := _several(to)) is None else [text(one, "each of to") for one in several]
    if urls is not None:
        names = [text(urls, "urls")] if (several := _several(urls)) is None else [text(one, "each of urls") for one in several]
        if not names:
            raise ValueError("there are no files: urls is empty")
        targets = _targets(what, names, places, streams)
        sources = [Source(name, target) for name, target in zip(names, targets, strict=True)]
    else:
        if isinstance(places, list):
            raise ValueError("to is one folder for the files of a prefix= or glob=, and not a list")
        sources = _listed(what, prefix, glob, places, options, streams)
    _check([source for source in sources if not source.left_out and not source.error], options, target_options, replace)
    return sources


def _stay(what: What, streams: bool, to: object) -> bool:
    """True if targets have the names of their sources, in another place."""
    stay = what == "reseal" or (what == "open" and streams)
    if stay and to is None:
        raise ValueError(f"pass to=, the place of the {what}ed files")
    return stay


def _targets(what: What, names: list[str], to: str | list[str] | None, streams: bool) -> list[str | None]:
    """Returns the targets of files that are named."""
    if what == "verify":
        return [None] * len(names)
    stay = _stay(what, streams, to)
    if to is None:
        return [_renamed(what, name) for name in names]
    if isinstance(to, list):
        if len(to) != len(names):
            raise ValueError(f"there are {len(names)} files and {len(to)} targets; there has to be one for each")
        return list(to)
    if len(names) == 1 and not to.endswith("/"):
        return [to]
    return [_below(to, _last(name) if stay else _renamed(what, _last(name))) for name in names]


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
    """Returns the URL of a name in a folder. A name from a store cannot leave a local folder."""
    url = (folder if folder.endswith("/") else folder + "/") + relative
    if _urls.is_local(folder) and any(part in ("", ".", "..") for part in relative.split("/")):
        raise ValueError(f"{relative!r} cannot be the name of a file in {folder}; pass to= as a list of targets")
    return url


def _listed(
    what: What, prefix: Url | None, glob: Url | None, to: str | None, options: Options | None, streams: bool
) -> list[Source]:
    """Returns the files below a prefix or that match a pattern."""
    stay = _stay(what, streams, to)
    asked = text(glob or "", "glob") if prefix is None else text(prefix, "prefix")
    if isinstance(prefix, os.PathLike):
        # A path cannot end in a slash, and is a folder all the same.
        asked += "/"
    fixed = asked if prefix is not None else asked[: match.start()] if (match := _MAGIC.search(asked)) else asked
    root = fixed[: fixed.rfind("/") + 1]
    if root and _urls.is_s3(root) and root.endswith("://"):
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
        elif what != "seal" and not streams and glob is None and not relative.endswith(SUFFIX):
            reason = f"its name does not end in {SUFFIX}"
        target, error = None, None
        try:
            if not reason and what != "verify":
                name = relative if stay else _renamed(what, relative)
                target = root + name if to is None else _below(to, name)
            if not reason:
                _urls.identity(url, options)
        except ValueError as refused:
            error = refused
        found.append(Source(url, target, size, reason, error, listed=True))
    if not found:
        raise FileNotFoundError(f"{asked}: there are no such files")
    return found


def _files(root: str, start: str, depth: int | None, options: Options | None) -> Iterator[tuple[str, int]]:
    """Returns the files below a folder whose names begin with `start`: names below the folder, and sizes."""
    if not root or _urls.is_local(root):
        yield from _local_files(_urls.split(root)[1] if root else "", start[len(root) :], depth)
    elif _urls.is_s3(root):
        yield from _s3_files(root, start, options)
    else:
        kind = require("fsspec", "fsspec").get_filesystem_class(_urls.split(root)[0])
        how = {name: value for name, value in (options or {}).items() if name != "allow_gap"}
        fs = kind(**{**kind._get_kwargs_from_urls(root), **how})
        path: str = fs._strip_protocol(root)
        for name, info in fs.find(path, detail=True).items():
            yield name[len(path.rstrip("/")) :].removeprefix("/"), info["size"]


def _local_files(root: str, start: str, depth: int | None) -> Iterator[tuple[str, int]]:
    def failed(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(root or ".", onerror=failed):
        below = os.path.relpath(folder, root or ".")
        # The files of a folder whose own name does not begin with the prefix are not looked at.
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


def _check(sources: list[Source], options: Options | None, target_options: Options | None, replace: bool) -> None:
    """Refuses a target that would replace a source or another target, or that its store cannot replace."""
    places: set[tuple[object, ...]] = set()
    own = [_urls.identity(source.url, options) for source in sources]
    places.update(*own)
    for source, mine in zip(sources, own, strict=True):
        if source.target is None:
            continue
        place = _urls.identity(source.target, target_options)
        if place & mine:
            raise ValueError(f"{source.url} would be its own target")
        if place & places:
            raise ValueError(
                f"{source.target} would be written twice, or is one of the sources; pass a list of targets as to="
            )
        places |= place
        if replace:
            store(source.target, target_options).refuse_gap()
