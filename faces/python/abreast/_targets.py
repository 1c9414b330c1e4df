"""New files in stores of fsspec, which come to their place in one step when they are complete."""

from __future__ import annotations

import contextlib
import enum
import os
import secrets
from typing import TYPE_CHECKING, Any, Protocol

from ._publish import publish_new, replace_file

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


class NewFile(Protocol):
    """A file that is written, and is nowhere until it is committed."""

    def write(self, data: Buffer, /) -> object:
        """Writes the next bytes."""
        ...

    def commit(self) -> None:
        """Gives the file its place; nothing is there, or all of it."""
        ...

    def discard(self) -> None:
        """Removes all that was written."""
        ...


def new_file(fs: Any, path: str, *, exclusive: bool, allow_gap: bool, options: dict[str, Any]) -> NewFile:
    """Begins a file in a store; ValueError if it would replace one, and the store has no step for that."""
    fs, path = inner(fs, path)
    how = way(fs)
    if how is Way.MEMORY:
        return _InMemory(fs, path, exclusive)
    if how is Way.LOCAL:
        return _Local(fs, path, exclusive)
    if how is Way.UPLOAD:
        return _Upload(fs, path, exclusive, options)
    if how is Way.COPY and not allow_gap and fs.exists(path):
        raise refused(path)
    return _Beside(fs, path, exclusive, how, options)


class _InMemory:
    def __init__(self, fs: Any, path: str, exclusive: bool) -> None:
        from fsspec.implementations.memory import MemoryFile

        parent = path
        while len(parent) > 1:
            parent = fs._parent(parent)
            if fs.isfile(parent):
                raise NotADirectoryError(f"{parent} is a file, and no folder")
        self._file, self._exclusive = MemoryFile(fs, path), exclusive
        self.write = self._file.write

    def commit(self) -> None:
        file: Any = self._file
        if not self._exclusive:
            file.commit()
        elif file.fs.store.setdefault(file.path, file) is not file:
            raise FileExistsError(f"{file.path} exists already")

    def discard(self) -> None:
        pass


class _Local:
    def __init__(self, fs: Any, path: str, exclusive: bool) -> None:
        folder = os.path.dirname(path)
        if fs.auto_mkdir:
            os.makedirs(folder, exist_ok=True)
        self._path, self._exclusive = path, exclusive
        # In the same folder: a rename from another file system would be a copy.
        self._beside = os.path.join(folder, f".abreast-{secrets.token_hex(12)}.tmp")
        try:
            descriptor = os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError as error:
            error.filename = path
            raise
        self._file = os.fdopen(descriptor, "wb", buffering=0)

    def write(self, data: Buffer) -> None:
        view = memoryview(data).cast("B")
        while len(view):
            view = view[self._file.write(view) :]

    def commit(self) -> None:
        self._file.close()
        if self._exclusive:
            publish_new(self._beside, self._path)
        else:
            replace_file(self._beside, self._path)

    def discard(self) -> None:
        self._file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._beside)


class _Upload:
    def __init__(self, fs: Any, path: str, exclusive: bool, options: dict[str, Any]) -> None:
        self._fs, self._path, self._exclusive = fs, path, exclusive
        # Only s3fs is known to take the mode of new files.
        mode = "xb" if exclusive and type(fs).__module__.startswith("s3fs") else "wb"
        self._file = fs._open(path, mode=mode, autocommit=False, **options)
        self.write = self._file.write

    def commit(self) -> None:
        self._file.close()
        if self._exclusive and self._file.mode == "wb" and self._fs.exists(self._path):
            raise FileExistsError(f"{self._path} exists already")
        self._file.commit()

    def discard(self) -> None:
        try:
            self._file.close()
        finally:
            self._file.discard()


class _Beside:
    def __init__(self, fs: Any, path: str, exclusive: bool, how: Way, options: dict[str, Any]) -> None:
        self._fs, self._path, self._exclusive, self._how = fs, path, exclusive, how
        self._whole = f"{path}.abreast-{secrets.token_hex(6)}.tmp"
        self._file = fs._open(self._whole, mode="wb", **options)
        self.write = self._file.write

    def commit(self) -> None:
        self._file.close()
        if self._exclusive and self._fs.exists(self._path):
            raise FileExistsError(f"{self._path} exists already")
        if self._how is Way.MOVE:
            self._fs.mv(self._whole, self._path)
        else:
            self._fs.cp_file(self._whole, self._path)
            self._fs.rm_file(self._whole)

    def discard(self) -> None:
        try:
            self._file.close()
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._fs.rm_file(self._whole)
