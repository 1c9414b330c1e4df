"""A source, its parts, and a store as tasks of a cluster see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing_extensions import Buffer


class SourceChanged(OSError):
    """The source of a file has changed since the work on it began. Nothing of the target is left."""


@dataclass(frozen=True)
class Pin:
    """The state of a source when the work on it began: its length, and the version that its store reports.

    Of a local file that is the inode and the times of writing and of status change, of an object of S3 its ETag. A store
    that reports neither a version nor a time pins the length alone, with a warning.
    """

    size: int
    version: str

    def check(self, other: Pin, url: str) -> None:
        """Refuses a source that has become another one."""
        if other != self:
            raise SourceChanged(f"{url} was changed while it was read; nothing was written, run it again")


@dataclass(frozen=True)
class Part:
    """A part of a target: its number from 0, where it lies, and pieces that are made when they are asked for."""

    number: int
    start: int
    stop: int
    pieces: Callable[[], Iterator[Buffer]] = field(repr=False)

    def whole(self) -> bytes:
        """Returns all of it."""
        data = b"".join(self.pieces())
        if len(data) != self.stop - self.start:
            raise RuntimeError("a part has a length other than that of its plan")
        return data


class Store(Protocol):
    """A place with one file at a URL."""

    def pin(self) -> Pin:
        """Returns the state of the file; FileNotFoundError if there is none."""
        ...

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        """Reads bytes of the file that was pinned, or raises SourceChanged."""
        ...

    def exists(self) -> bool:
        """True if there is a file."""
        ...

    def refuse_gap(self) -> None:
        """Raises ValueError if the store cannot replace an object in one step, and nobody allowed more."""
        ...

    def begin(self, size: int) -> str:
        """Begins a file of that size; returns a name for it until it is complete."""
        ...

    def put(self, upload: str, part: Part) -> str:
        """Writes a part, again if it is there already; returns the proof that it is written."""
        ...

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        """Gives the file its place once all parts are written, or raises FileExistsError."""
        ...

    def abort(self, upload: str) -> None:
        """Removes all that was written of an unfinished file; an error names the leftovers."""
        ...
