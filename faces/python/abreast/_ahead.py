"""Read-ahead that a file earns by being read in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ._abreast import CHUNK
from ._extras import require

if TYPE_CHECKING:
    from fsspec.caching import BaseCache
else:
    BaseCache = require("fsspec.caching", "fsspec").BaseCache

_FIRST = 4 * CHUNK


class Ahead(BaseCache):
    """A cache of one range. A read anywhere fetches its own chunks; each one that goes on where the range ends fetches twice
    as much ahead as the one before, up to ``blocksize``."""

    name = "ahead"

    def __init__(self, blocksize: int, fetcher: Callable[[int, int], bytes], size: int) -> None:
        super().__init__(blocksize, fetcher, size)
        self._start, self._data, self._ahead = 0, b"", 0

    def _fetch(self, start: int | None, stop: int | None) -> bytes:
        start, stop = start or 0, self.size if stop is None else min(stop, self.size)
        if start >= stop:
            return b""
        end = self._start + len(self._data)
        if self._start <= start and stop <= end:
            return self._data[start - self._start : stop - self._start]
        if self._data and self._start <= start <= end:
            self._ahead = min(max(2 * self._ahead, _FIRST), self.blocksize)
            have = self._data[start - self._start :]
        else:
            self._ahead, have = 0, b""
        # Chunks are fetched as a whole anyway.
        until = min(self.size, -(-(stop + self._ahead) // CHUNK) * CHUNK)
        data: bytes = have + self.fetcher(start + len(have), until)
        # A long read is not kept, but the bytes behind it are.
        skipped = stop - start if stop - start > self.blocksize else 0
        self._start, self._data = start + skipped, data[skipped:]
        return data[: stop - start]
