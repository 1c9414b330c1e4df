"""Ranges of the message of a sealed file, wherever the file is."""

from __future__ import annotations

from collections.abc import Callable

from ._abreast import (
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

Fetch = Callable[[int, int], bytes]
"""Returns the bytes of a file from one offset to another."""


class Reader:
    """Reads ranges of the message of a sealed file of ``size`` bytes.

    To begin with, the header and the last chunk are fetched: the last chunk authenticates the length. ``read`` fetches
    the chunks that hold the range and no others, in one call.
    """

    def __init__(self, fetch: Fetch, size: int, key: Key | None, passphrase: bytes | None = None) -> None:
        if (key is None) == (passphrase is None):
            raise ValueError("a file is opened with a key or with a passphrase: pass one of them")
        if size < HEADER:
            raise InvalidTag("authentication failed: cut off, or no sealed file")
        self._fetch = fetch
        if key is not None:
            start = fetch(0, HEADER)
            if start.startswith(b"abreast/"):
                raise ValueError("this file is sealed with a passphrase: pass passphrase= and no key")
            file_key, self._offset = FileKey.from_header(key, start), HEADER
        else:
            assert passphrase is not None
            self._offset, file_key = unlock_passphrase(fetch(0, min(size, MAX_HEADER)), passphrase)
        self._cipher = FileCipher(file_key)
        self.message_len = message_len(size - self._offset + HEADER)
        self._last = self.message_len // CHUNK
        self._size = size
        self._tail = self._open(self._last, self._last)

    def _open(self, first: int, last: int) -> bytes:
        """The chunks of these numbers, both included."""
        begin = self._offset + first * SEALED_CHUNK
        end = min(self._size, self._offset + (last + 1) * SEALED_CHUNK)
        sealed = self._fetch(begin, end)
        if len(sealed) != end - begin:
            raise InvalidTag("authentication failed: the file ends before the length that it was said to have")
        return self._cipher.open_chunks(first, sealed, last=last == self._last)

    def read(self, start: int, stop: int) -> bytes:
        """The bytes of the message from ``start`` to ``stop``, as far as it goes."""
        start, stop = max(0, start), min(stop, self.message_len)
        if start >= stop:
            return b""
        first, last = start // CHUNK, (stop - 1) // CHUNK
        if first == self._last:
            return self._tail[start - first * CHUNK : stop - first * CHUNK]
        message = self._open(first, last)
        return message[start - first * CHUNK : stop - first * CHUNK]
