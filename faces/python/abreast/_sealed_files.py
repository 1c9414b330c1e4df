"""Files of a SealedFileSystem: readers, and writers that are given up as a whole."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from ._abreast import CHUNK, FileCipher, FileKey, Key
from ._ahead import Ahead
from ._arguments import number
from ._extras import require
from ._ranges import Reader, SealedLength, chunk_of
from ._targets import NewFile, read_range

if TYPE_CHECKING:
    from fsspec.spec import AbstractBufferedFile
    from typing_extensions import Buffer
else:
    AbstractBufferedFile = require("fsspec.spec", "fsspec").AbstractBufferedFile

WRITTEN_TOGETHER = 256 * CHUNK
"""Bytes of a message that are sealed at a time: 4 MiB."""

READ_AHEAD = 512 * CHUNK
"""Bytes that are fetched ahead of a file that is read in order: 8 MiB at most."""


def reader(store: Any, path: str, key: Key | FileKey, length: SealedLength = None) -> Reader:
    """Returns a reader of a sealed file: three requests, for its length, its header and its last chunk."""
    return Reader(lambda start, stop: read_range(store, path, start, stop), store.info(path)["size"], key, None, length)


class SealedReader(AbstractBufferedFile):
    """A sealed file that is read. Unless another cache of fsspec is asked for, read-ahead grows while reads are in order."""

    def __init__(
        self,
        fs: Any,
        path: str,
        key: Key | FileKey,
        block_size: int | None,
        cache_type: str | None,
        cache_options: dict[str, Any] | None,
        length: SealedLength = None,
    ) -> None:
        self._reader = reader(fs.fs, path, key, length)
        size = self._reader.message_len
        ahead = (None if block_size is None else number(block_size, "block_size")) or READ_AHEAD
        how: dict[str, Any] = {"block_size": ahead, "size": size, "cache_type": cache_type or "none"}
        how["cache_options"] = cache_options if cache_type else None
        super().__init__(fs, path, "rb", **how)
        if cache_type is None:
            self.cache = Ahead(ahead, self._fetch_range, size)
        self._how = {"block_size": block_size, "cache_type": cache_type, "cache_options": cache_options}

    def __reduce__(self) -> Any:
        return _opened_again, (self.fs, self.path, self.loc, self._how)

    def _fetch_range(self, start: int, end: int) -> bytes:
        return self._reader.read(start, end)


def _opened_again(fs: Any, path: str, loc: int, how: dict[str, Any]) -> Any:
    """Opens a file in another process, at the same place."""
    file = fs.open(path, **how)
    file.seek(loc)
    return file


class Raw(io.RawIOBase):
    """A file that is sealed on its way into a store."""

    def __init__(self, file: NewFile, path: str, key: Key | FileKey, done: Any) -> None:
        super().__init__()
        file_key = key if isinstance(key, FileKey) else FileKey.generate(key)
        self._cipher, self._chunk, self._rest = FileCipher(file_key), 0, bytearray()
        self._unit = chunk_of(key)
        self._file, self._path, self._done = file, path, done
        self._given_up = False
        try:
            self._file.write(file_key.header)
        except BaseException:
            self._file.discard()
            self._given_up = True
            raise

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        view = memoryview(data).cast("B")
        if not self._given_up:
            self._rest += view
            whole = len(self._rest) - len(self._rest) % self._unit
            if whole >= WRITTEN_TOGETHER:
                self._put(whole, last=False)
        return len(view)

    def _put(self, length: int, *, last: bool) -> None:
        with memoryview(self._rest) as rest, rest[:length] as piece:
            self._file.write(self._cipher.seal_chunks(self._chunk, piece, last=last))
        self._chunk += length // self._unit
        del self._rest[:length]

    def give_up(self) -> None:
        """Drops all that was written and will be, so that nothing of the file stays in the store."""
        self._given_up = True
        self._rest.clear()

    def dropped(self) -> None:
        """Gives up a file that nobody can close any more."""
        if not self.closed and not self._given_up:
            self.give_up()
            warnings.warn(f"{self._path} was not closed, and is not written", ResourceWarning, stacklevel=3)

    def close(self) -> None:
        if self.closed:
            return
        try:
            if self._given_up:
                self._file.discard()
                return
            try:
                self._put(len(self._rest), last=True)
                self._file.commit()
            except BaseException:
                self._file.discard()
                raise
            self._done(self._path)
        finally:
            super().close()


class _Whole:
    """A writer that is given up unless a ``with`` block comes to its end or it is closed."""

    sealed: Raw

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None and not self.sealed.closed:
            self.sealed.give_up()
        self.close()

    def close(self) -> None:
        """Completes the file."""
        super().close()  # type: ignore[misc]

    def __del__(self) -> None:
        # The attribute is missing if the constructor failed before it was set.
        if hasattr(self, "sealed"):
            self.sealed.dropped()
        super().__del__()  # type: ignore[misc]


class SealedWriter(_Whole, io.BufferedWriter):
    """A file that is written."""

    def __init__(self, sealed: Raw) -> None:
        super().__init__(sealed, WRITTEN_TOGETHER)
        self.sealed = sealed


class SealedText(_Whole, io.TextIOWrapper):
    """Text that is written."""

    def __init__(self, file: Any, **how: Any) -> None:
        super().__init__(file, **how)
        self.sealed = file.sealed


class Decompressed(io.BufferedIOBase):
    """A file through a compression of fsspec, which does not close the wrapped file."""

    def __init__(self, file: Any, wrapped: Any) -> None:
        super().__init__()
        self._file, self._wrapped = file, wrapped

    def readable(self) -> bool:
        return bool(self._file.readable())

    def writable(self) -> bool:
        return bool(self._file.writable())

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def read(self, size: int | None = -1) -> bytes:
        data: bytes = self._file.read(-1 if size is None else size)
        return data

    def read1(self, size: int = -1) -> bytes:
        return self.read(size if size >= 0 else io.DEFAULT_BUFFER_SIZE)

    def write(self, data: Buffer) -> int:
        written: int = self._file.write(data)
        return written

    def seek(self, offset: int, whence: int = 0) -> int:
        at: int = self._file.seek(offset, whence)
        return at

    def tell(self) -> int:
        at: int = self._file.tell()
        return at

    def flush(self) -> None:
        if not self._file.closed and self._file.writable():
            self._file.flush()

    def close(self) -> None:
        if self.closed:
            return
        try:
            try:
                self._file.close()
            except BaseException:
                if isinstance(self._wrapped, SealedWriter):
                    self._wrapped.sealed.give_up()
                raise
            finally:
                self._wrapped.close()
        finally:
            super().close()


class Compressed(_Whole, Decompressed):
    """A file that is compressed, then sealed."""

    def __init__(self, file: Any, wrapped: SealedWriter) -> None:
        super().__init__(file, wrapped)
        self.sealed = wrapped.sealed
