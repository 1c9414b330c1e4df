"""Sealed files: authenticated encryption of whole files in the format C2SP chunked encryption (Cobblestone).

>>> import os, tempfile
>>> from abreast.sealed import FileKey, Key, SealedFile, load_key, open_file, save_key, seal_file, verify_file
>>> os.chdir(tempfile.mkdtemp())
>>> _ = open("notes.txt", "w").write("many chunks go over many cores")
>>> key = Key.generate()
>>> save_key(key, "my.key")
>>> seal_file("notes.txt", "notes.txt.abreast", load_key("my.key"))
30
>>> with SealedFile("notes.txt.abreast", key) as file:
...     _ = file.seek(5)
...     file.read(6)
b'chunks'
>>> open_file("notes.txt.abreast", "copy.txt", key)

The command ``abreast`` seals and opens the same files with the same key files.

Encrypted streams of Apache Iceberg (AGS1) are a second format, whose key is a :class:`FileKey`. Nothing marks their end, so the length of
the sealed file is needed to open one, as Iceberg keeps it in key metadata (``FileKey.from_key_metadata`` reads that):

>>> key = FileKey.ags1(os.urandom(16), b"the AAD prefix")
>>> _ = seal_file("notes.txt", "notes.ags1", key)
>>> length = os.path.getsize("notes.ags1")
>>> with SealedFile("notes.ags1", key, sealed_length=length) as file:
...     file.read(4)
b'many'
>>> verify_file("notes.ags1", key, sealed_length=length)
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from ._abreast import (
    CHUNK,
    HEADER,
    SEALED_CHUNK,
    FileCipher,
    FileKey,
    Key,
    Part,
    Plan,
    message_len,
    open_path,
    seal_path,
)
from ._arguments import instance, number, wrong
from ._arguments import path as path_of
from ._publish import refuse_same
from ._ranges import Reader, SealedLength, check_length

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "CHUNK",
    "HEADER",
    "SEALED_CHUNK",
    "FileCipher",
    "FileKey",
    "Key",
    "Part",
    "Plan",
    "SealedFile",
    "load_key",
    "message_len",
    "open_file",
    "save_key",
    "seal_file",
    "verify_file",
]

Path = str | os.PathLike[str]


def load_key(path: Path) -> Key:
    """Returns the key of a key file."""
    name = path_of(path, "path")
    with open(name, "rb") as file:
        line = file.read(4096)
    try:
        return Key.from_line(line)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def save_key(key: Key, path: Path) -> None:
    """Writes a key file, which must not exist yet and which only its owner can read."""
    instance(key, "key", Key, "a Key")
    name = path_of(path, "path")
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(key.to_line())
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(name)
        raise


def seal_file(
    source: Path,
    target: Path,
    key: Key | FileKey | None = None,
    *,
    passphrase: bytes | None = None,
    aead: str = "aes-256-gcm",
    replace: bool = False,
    threads: int | None = None,
) -> int:
    """Seals a file with a key or a passphrase and returns the length of the message.

    ``target`` appears complete or not at all, whatever ends the process: it has no name before it is complete, where the file system
    has such files. If its folder is renamed or replaced during the work, nothing is left and an OSError raised. It must not exist,
    unless ``replace`` is true; on file systems that cannot replace a file in one step that is refused. A key of ``FileKey.ags1`` makes
    a stream of AGS1, of which the length of ``target`` is to be kept with the key. ``aead`` chooses the cipher under a passphrase; a
    key has its own. ``threads`` is the number of cores unless it is given.
    """
    source, target = path_of(source, "source"), path_of(target, "target")
    refuse_same(source, target)
    return seal_path(source, target, key, passphrase, aead, replace, threads)


def open_file(
    source: Path,
    target: Path,
    key: Key | FileKey | None = None,
    *,
    passphrase: bytes | None = None,
    sealed_length: SealedLength = None,
    replace: bool = False,
    threads: int | None = None,
) -> None:
    """Opens a sealed file with its key or passphrase, or raises InvalidTag.

    ``target`` appears once all of it is authentic, or not at all. ``sealed_length`` is the trusted length of a stream of AGS1, or
    "unknown".
    """
    source, target = path_of(source, "source"), path_of(target, "target")
    refuse_same(source, target)
    open_path(source, target, key, passphrase, check_length(key, sealed_length), replace, threads)


def verify_file(
    source: Path,
    key: Key | FileKey | None = None,
    *,
    passphrase: bytes | None = None,
    sealed_length: SealedLength = None,
    threads: int | None = None,
) -> None:
    """Authenticates all of a sealed file, or raises InvalidTag. ``sealed_length`` is as in :func:`open_file`."""
    open_path(path_of(source, "source"), None, key, passphrase, check_length(key, sealed_length), False, threads)


class _Raw(io.RawIOBase):
    """The message of a sealed file as a file, without a buffer."""

    def __init__(
        self, file: BinaryIO, owned: bool, key: Key | FileKey | None, passphrase: bytes | None, length: SealedLength
    ) -> None:
        super().__init__()
        self.name = getattr(file, "name", None)
        self._file, self._owned, self._at = file, owned, 0
        size = file.seek(0, os.SEEK_END)
        self._reader = Reader(self._fetch, size, key, passphrase, length)

    def _fetch(self, start: int, stop: int) -> bytes:
        self._file.seek(start)
        pieces: list[bytes] = []
        left = stop - start
        # An object whose read returns more than it is asked for is not read for ever.
        while left > 0 and (piece := self._file.read(left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._reader.read(self._at, self._at + len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._reader.message_len}.get(whence)
        if base is None:
            raise ValueError(f"whence is 0, 1 or 2, and not {whence}")
        if base + offset < 0:
            raise ValueError(f"the position would be {base + offset}, before the beginning of the file")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed and self._owned:
            self._file.close()
        super().close()


class SealedFile(io.BufferedReader):
    """The message of a sealed file as a seekable file object.

    ``file`` is a path or a seekable file object. All bytes read are authentic; the length is checked to begin with. A
    chunk that was changed raises InvalidTag when it is read. ``sealed_length`` is as in :func:`open_file`.
    """

    def __init__(
        self,
        file: Path | BinaryIO,
        key: Key | FileKey | None = None,
        *,
        passphrase: bytes | None = None,
        sealed_length: SealedLength = None,
        buffer_size: int = 1 << 18,
    ) -> None:
        owned = isinstance(file, (str, os.PathLike))
        if not owned and not (hasattr(file, "read") and hasattr(file, "seek")):
            raise wrong("file", "a path or a seekable file object", file)
        buffer_size = number(buffer_size, "buffer_size", 1, sys.maxsize)
        opened: Any = open(path_of(file, "file"), "rb") if owned else file
        try:
            raw = _Raw(opened, owned, key, passphrase, sealed_length)
        except BaseException:
            if owned:
                opened.close()
            raise
        super().__init__(raw, buffer_size)
