"""New files in stores of fsspec, which come to their place in one step when they are complete."""

from __future__ import annotations

import contextlib
import enum
import os
import secrets
from typing import TYPE_CHECKING, Any, Protocol

from ._publish import publish_new

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Way(enum.Enum):
    """The step by which a store gives a file its place."""

    MEMORY = "an entry of a dictionary"
    LOCAL = "a rename of the system"
    UPLOAD = "the end of an upload, or a copy by the store itself"
    MOVE = "a rename of the store"
    COPY = "a copy that may end in the middle, as far as fsspec says"


_WAYS = {
    ("fsspec.implementations.memory", "MemoryFileSystem"): Way.MEMORY,
    ("fsspec.implementations.local", "LocalFileSystem"): Way.LOCAL,
    ("fsspec.implementations.arrow", "ArrowFSWrapper"): Way.MOVE,
    ("fsspec.implementations.sftp", "SFTPFileSystem"): Way.MOVE,
    ("s3fs.core", "S3FileSystem"): Way.UPLOAD,
    ("gcsfs.core", "GCSFileSystem"): Way.UPLOAD,
}


def inner(fs: Any, path: str) -> tuple[Any, str]:
    """Returns the store below a folder of it that is a file system of its own, and the path there."""
    while type(fs).__name__ == "DirFileSystem":
        fs, path = fs.fs, fs._join(path)
    return fs, path


def way(fs: Any) -> Way:
    """Returns the step of a store."""
    fs, _ = inner(fs, "")
    for kind in type(fs).__mro__:
        if found := _WAYS.get((kind.__module__, kind.__name__)):
            return found
    return Way.COPY


def refused(name: str) -> ValueError:
    """Returns the error for a file that a store could not replace in one step."""
    return ValueError(
        f"{name} exists, and its store cannot replace a file in one step: a failure would lose it;"
        " remove it first, or pass allow_gap=True"
    )


def read_range(fs: Any, path: str, start: int, stop: int) -> bytes:
    """Reads bytes of a file, by one request where the store has ranges."""
    fs, path = inner(fs, path)
    if way(fs) is not Way.MOVE:
        data: bytes = fs.cat_file(path, start=start, end=stop)
        return data
    # Arrow's cat_file opens a stream that cannot seek.
    with fs.open(path, "rb") as file:
        file.seek(start)
        read: bytes = file.read(stop - start)
        return read
