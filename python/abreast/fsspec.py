"""Sealed files in any store that fsspec knows, as files: ranged reads with read-ahead, and writes as one stream.

>>> import fsspec
>>> from abreast.fsspec import SealedFileSystem
>>> from abreast.sealed import Key
>>> fs = SealedFileSystem(Key.generate(), target_protocol="memory")
>>> with fs.open("/reports/q1.txt", "wb") as file:
...     _ = file.write(b"sealed on its way")
>>> fs.info("/reports/q1.txt")["size"]
17
>>> with fs.open("/reports/q1.txt", "rb") as file:
...     _ = file.seek(-3, 2)
...     file.read()
b'way'

A reader fetches the header, the last chunk, which authenticates the length, and then the chunks that hold what is read:
``pyarrow.parquet`` fetches one row group of a sealed file and not the others. A writer seals chunk by chunk into what
the store has for new files, such as a multipart upload in parts of ``block_size``, which is completed when the file is
closed. It is given up if the ``with`` block ends with an exception, or if the file is dropped without having been closed.

Neither is the key part of ``storage_options`` anywhere, nor does the file system pickle: it is an object of the process
that has the key.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from ._abreast import CHUNK, FileCipher, FileKey, Key, message_len
from ._extras import require
from ._ranges import Reader

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem
    from fsspec.spec import AbstractBufferedFile
    from typing_extensions import Buffer
else:
    AbstractFileSystem = require("fsspec", "fsspec").AbstractFileSystem
    AbstractBufferedFile = require("fsspec.spec", "fsspec").AbstractBufferedFile

__all__ = ["SealedFileSystem"]

_WRITTEN_TOGETHER = 256 * CHUNK
"""How many bytes of a message are sealed at a time: 4 MiB."""


class SealedFileSystem(AbstractFileSystem):
    """The files of another file system, which are sealed there, as their messages.

    ``fs`` is the other one, or ``target_protocol`` and ``target_options`` say what it is. Names are the same in both.
    """

    protocol = "sealed"
    cachable = False

    def __init__(
        self,
        key: Key,
        fs: AbstractFileSystem | None = None,
        *,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if (fs is None) == (target_protocol is None):
            raise ValueError("pass fs, the file system of the sealed files, or target_protocol, its name")
        if not isinstance(key, Key):
            raise TypeError(f"a key is an abreast.sealed.Key, and not {type(key).__name__}")
        if fs is not None and not isinstance(fs, AbstractFileSystem):
            raise TypeError(f"fs is a file system of fsspec, and not {type(fs).__name__}; a name is target_protocol=")
        self._key = key
        self.fs = require("fsspec", "fsspec").filesystem(target_protocol, **(target_options or {})) if fs is None else fs

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path

    def __reduce__(self) -> Any:
        raise TypeError("a SealedFileSystem has a key and cannot be pickled; make one where the key is")

    def to_json(self, *_: Any, **__: Any) -> Any:
        """Refused: a file system with a key is not written to text."""
        raise TypeError("a SealedFileSystem has a key and is not written as JSON; make one where the key is")

    to_dict = to_json

    def _message(self, info: dict[str, Any]) -> dict[str, Any]:
        """What is said of a sealed file, of its message."""
        if info.get("type") == "file" and info.get("size") is not None:
            try:
                return {**info, "size": message_len(info["size"]), "sealed_size": info["size"]}
            except Exception:
                # Something else that lies there; opening it says so.
                return {**info, "size": None, "sealed_size": info["size"]}
        return info

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        """What is known of a file. Its size is that of the message, which is authentic once it is opened."""
        return self._message(self.fs.info(path, **options))

    def ls(self, path: str, detail: bool = True, **options: Any) -> list[Any]:
        """The files of a folder."""
        listed = self.fs.ls(path, detail=True, **options)
        return [self._message(info) if detail else info["name"] for info in listed]

    def mkdir(self, path: str, create_parents: bool = True, **options: Any) -> None:
        """Makes a folder."""
        self.fs.mkdir(path, create_parents=create_parents, **options)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Makes a folder and those above."""
        self.fs.makedirs(path, exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        """Removes an empty folder."""
        self.fs.rmdir(path)

    def rm_file(self, path: str) -> None:
        """Removes a file."""
        self.fs.rm_file(path)

    def cp_file(self, path1: str, path2: str, **options: Any) -> None:
        """Copies a file as it is, sealed."""
        self.fs.cp_file(path1, path2, **options)

    def mv(self, path1: str, path2: str, recursive: bool = False, maxdepth: int | None = None, **options: Any) -> None:
        """Moves files as they are, sealed."""
        self.fs.mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **options)

    def created(self, path: str) -> Any:
        """When a file was made."""
        return self.fs.created(path)

    def modified(self, path: str) -> Any:
        """When a file was changed."""
        return self.fs.modified(path)

    def open(self, path: str, mode: str = "rb", *rest: Any, **options: Any) -> Any:
        """Opens a file to read it, or to write it as a whole. Text is written as fsspec does, and given up as bytes are."""
        if "b" in mode or not set(mode) & set("wx"):
            return super().open(path, mode, *rest, **options)
        how = {name: options.pop(name) for name in ("encoding", "errors", "newline") if name in options}
        return _SealedText(self.open(path, mode.replace("t", "") + "b", *rest, **options), **how)

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        if mode == "rb":
            how = {"block_size": block_size or _WRITTEN_TOGETHER, "cache_options": cache_options}
            if "cache_type" in options:
                how["cache_type"] = options["cache_type"]
            return _SealedReader(self, path, how)
        if mode in ("wb", "xb"):
            if not autocommit:
                raise ValueError("a sealed file is committed when it is closed, and cannot be part of a transaction")
            if not path.rpartition("/")[2]:
                raise IsADirectoryError(f"{path!r} is no name of a file")
            if self.fs.isdir(path):
                raise IsADirectoryError(f"{path} is a folder")
            if mode == "xb" and self.fs.exists(path):
                raise FileExistsError(f"{path} exists already")
            if block_size is not None:
                options["block_size"] = block_size
            return _SealedWriter(_Raw(self.fs, path, self._key, options))
        raise ValueError(f"a sealed file is read ('rb') or written as a whole ('wb'), and not opened as {mode!r}")


class _SealedReader(AbstractBufferedFile):
    """A sealed file that is read; the caches of fsspec decide what is fetched."""

    def __init__(self, fs: SealedFileSystem, path: str, how: dict[str, Any]) -> None:
        store: Any = fs.fs

        def fetch(start: int, stop: int) -> bytes:
            data: bytes = store.cat_file(path, start=start, end=stop)
            return data

        self._reader = Reader(fetch, store.info(path)["size"], fs._key)
        super().__init__(fs, path, "rb", size=self._reader.message_len, **how)

    def _fetch_range(self, start: int, end: int) -> bytes:
        return self._reader.read(start, end)


class _Raw(io.RawIOBase):
    """A file that is sealed on its way into a store."""

    def __init__(self, fs: AbstractFileSystem, path: str, key: Key, options: dict[str, Any]) -> None:
        super().__init__()
        file_key = FileKey.generate(key)
        self._cipher, self._chunk, self._rest = FileCipher(file_key), 0, bytearray()
        self._fs, self._path, self._new = fs, path, not fs.exists(path)
        self._given_up = False
        self._file = fs._open(path, mode="wb", autocommit=False, **options)
        self._file.write(file_key.header)

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        view = memoryview(data).cast("B")
        if not self._given_up:
            self._rest += view
            whole = len(self._rest) - len(self._rest) % CHUNK
            if whole >= _WRITTEN_TOGETHER:
                self._put(whole, last=False)
        return len(view)

    def _put(self, length: int, *, last: bool) -> None:
        with memoryview(self._rest) as rest, rest[:length] as piece:
            self._file.write(self._cipher.seal_chunks(self._chunk, piece, last=last))
        self._chunk += length // CHUNK
        del self._rest[:length]

    def give_up(self) -> None:
        """Nothing of the file is to stay in the store: whatever is written from now on is dropped, and so is the file when
        it is closed."""
        self._given_up = True
        self._rest.clear()

    def dropped(self) -> None:
        """Gives up a file that nobody can close any more."""
        if not self.closed and not self._given_up:
            self.give_up()
            warnings.warn(f"{self._path} was not closed, and is not written", ResourceWarning, stacklevel=3)

    def _discard(self) -> None:
        self._file.discard()
        # Some stores, such as that in memory, have a file in its place from its first byte on.
        if self._new and self._fs.exists(self._path):
            self._fs.rm_file(self._path)

    def close(self) -> None:
        if self.closed:
            return
        try:
            if self._given_up:
                try:
                    self._file.close()
                finally:
                    self._discard()
                return
            try:
                self._put(len(self._rest), last=True)
                self._file.close()
                self._file.commit()
            except BaseException:
                self._discard()
                raise
        finally:
            super().close()


class _SealedWriter(io.BufferedWriter):
    """A file that is written. It is given up unless a ``with`` block comes to its end or it is closed."""

    def __init__(self, sealed: _Raw) -> None:
        super().__init__(sealed, _WRITTEN_TOGETHER)
        self.sealed = sealed

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None and not self.closed:
            self.sealed.give_up()
        self.close()

    def __del__(self) -> None:
        self.sealed.dropped()
        super().__del__()


class _SealedText(io.TextIOWrapper):
    """As :class:`_SealedWriter`, for text."""

    def __init__(self, writer: _SealedWriter, **how: Any) -> None:
        super().__init__(writer, **how)
        self.sealed = writer.sealed

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None and not self.closed:
            self.sealed.give_up()
        self.close()

    def __del__(self) -> None:
        # Unless the encoding was none, and this was never made.
        if hasattr(self, "sealed"):
            self.sealed.dropped()
        super().__del__()
