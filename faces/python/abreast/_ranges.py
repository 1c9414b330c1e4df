"""Ranges of the message of a sealed file, wherever the file is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, SupportsIndex

from ._abreast import (
    AGS1_BLOCK,
    AGS1_SEALED_BLOCK,
    CHUNK,
    HEADER,
    MAX_HEADER,
    SEALED_CHUNK,
    FileCipher,
    FileKey,
    Key,
    message_len,
    unlock_passphrase,
)
from ._errors import InvalidTag
from ._arguments import number, wrong

Fetch = Callable[[int, int], bytes]
"""Returns the bytes of a file from one offset to another."""


_AGS1_HEADER = b"AGS1" + AGS1_BLOCK.to_bytes(4, "little")

SealedLength = SupportsIndex | Literal["unknown"] | None
"""The trusted length of a stream of AGS1, or that it is not known. Files of other formats have none."""


SealedLengths = Mapping[str, SupportsIndex] | Callable[[str], SealedLength] | Literal["unknown"] | None
"""The trusted lengths of streams by their names, or a function of the name, or that they are not known."""


def chunk_of(key: object) -> int:
    """Returns the bytes of a message in a full chunk of files of a key."""
    return AGS1_BLOCK if isinstance(key, FileKey) else CHUNK


def check_length(key: object, sealed_length: SealedLength) -> int | None:
    """Returns the trusted length of a file, if there is one, or a ValueError that says what is missing."""
    if not isinstance(key, FileKey):
        if sealed_length is not None:
            raise ValueError("sealed_length is for streams of AGS1; other files authenticate theirs")
        return None
    if key.format != "ags1":
        raise ValueError("these are the keys of one file; pass a Key, or FileKey.ags1(...)")
    if sealed_length == "unknown":
        return None
    if sealed_length is None or isinstance(sealed_length, str):
        given = "" if sealed_length is None else f", and not {sealed_length!r}"
        raise ValueError(
            "a stream of AGS1 does not mark its end: pass sealed_length=, its length from a trusted place,"
            f' or "unknown" to accept one that was cut off between two blocks{given}'
        )
    return number(sealed_length, "sealed_length")


def check_lengths(key: object, lengths: SealedLengths) -> None:
    """Refuses a key of one file, and lengths of files that have their own."""
    if isinstance(key, FileKey) and key.format != "ags1":
        raise ValueError("these are the keys of one file; pass a Key, a WorkerKey or FileKey.ags1(...)")
    if lengths is not None and not isinstance(key, FileKey):
        raise ValueError("sealed_lengths is for streams of AGS1; other files authenticate their lengths")
    accepted = "lengths by names, a function of the name, or 'unknown'"
    if isinstance(lengths, str) and lengths != "unknown":
        raise ValueError(f"sealed_lengths is {accepted}, and not {lengths!r}")
    if not isinstance(lengths, str | Mapping | None) and not callable(lengths):
        raise wrong("sealed_lengths", accepted, lengths)


def length_of(key: object, lengths: SealedLengths, name: str) -> SealedLength:
    """The trusted length of the file of a name, or a ValueError if there has to be one."""
    length: SealedLength = None
    if isinstance(lengths, Mapping):
        length = lengths.get(name)
    elif callable(lengths):
        length = lengths(name)
    else:
        # A ValueError comes of it where there is none.
        return "unknown" if lengths is not None else None
    if length is None:
        raise ValueError(f"{name}: sealed_lengths has no length of this stream of AGS1")
    check_length(key, length)
    return length


def check_stream(trusted: int | None, size: int, start: bytes) -> None:
    """Refuses a stream of another length than the trusted one, or that begins in another way; InvalidTag."""
    if trusted is not None and trusted != size:
        raise InvalidTag(f"authentication failed: the stream has {size} bytes, and its trusted length is {trusted}")
    if not start.startswith(_AGS1_HEADER):
        raise InvalidTag("authentication failed: it does not begin as a stream of AGS1 with blocks of 1 MiB")


class Reader:
    """Reads ranges of the message of a sealed file of ``size`` bytes.

    To begin with, the header and the last chunk are fetched: the last chunk authenticates the length. ``read`` fetches
    the chunks that hold the range and no others, in one call. In a stream of AGS1 nothing authenticates the length: it is compared with
    ``sealed_length``.
    """

    def __init__(
        self,
        fetch: Fetch,
        size: int,
        key: Key | FileKey | None,
        passphrase: bytes | None = None,
        sealed_length: SealedLength = None,
    ) -> None:
        if (key is None) == (passphrase is None):
            given = "neither was" if key is None else "both were"
            raise ValueError(f"a file is opened with a key or with a passphrase, one of them: {given} given")
        trusted = check_length(key, sealed_length)
        self._fetch, self._size = fetch, size
        self._chunk = chunk_of(key)
        if isinstance(key, FileKey):
            self._offset, file_key, self._sealed_chunk = len(_AGS1_HEADER), key, AGS1_SEALED_BLOCK
            same = trusted is None or trusted == size
            check_stream(trusted, size, fetch(0, min(size, self._offset)) if same else b"")
            self.message_len = message_len(size, format="ags1")
            self._last = -(-(size - self._offset) // self._sealed_chunk) - 1
        else:
            self._sealed_chunk = SEALED_CHUNK
            if size < HEADER:
                raise InvalidTag("authentication failed: cut off, or no sealed file")
            if key is not None:
                start = fetch(0, HEADER)
                if start.startswith(b"abreast/"):
                    raise ValueError("this file is sealed with a passphrase: pass passphrase= and no key")
                file_key, self._offset = FileKey.from_header(key, start), HEADER
            else:
                assert passphrase is not None
                self._offset, file_key = unlock_passphrase(fetch(0, min(size, MAX_HEADER)), passphrase)
            self.message_len = message_len(size - self._offset + HEADER)
            self._last = self.message_len // CHUNK
        self._cipher = FileCipher(file_key)
        self._tail = self._open(self._last, self._last)

    def _open(self, first: int, last: int) -> bytes:
        """Returns the chunks of these numbers, both included."""
        begin = self._offset + first * self._sealed_chunk
        end = min(self._size, self._offset + (last + 1) * self._sealed_chunk)
        sealed = self._fetch(begin, end)
        if len(sealed) != end - begin:
            raise InvalidTag("authentication failed: the file ends before the length that it was said to have")
        return self._cipher.open_chunks(first, sealed, last=last == self._last)

    def read(self, start: int, stop: int) -> bytes:
        """Returns the bytes of the message from ``start`` to ``stop``, as far as it goes."""
        start, stop = max(0, start), min(stop, self.message_len)
        if start >= stop:
            return b""
        chunk = self._chunk
        first, last = start // chunk, (stop - 1) // chunk
        if first == self._last:
            return self._tail[start - first * chunk : stop - first * chunk]
        message = self._open(first, last)
        return message[start - first * chunk : stop - first * chunk]
