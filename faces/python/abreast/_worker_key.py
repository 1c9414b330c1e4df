"""A key by its path, which can travel where a key must not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _arguments

if TYPE_CHECKING:
    from ._abreast import Key


@dataclass(frozen=True)
class WorkerKey:
    """A key that workers read from a key file of theirs. The caller need not have it."""

    path: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", _arguments.path(self.path, "path"))

    def load(self) -> Key:
        """Returns the key, where this is called."""
        from .sealed import load_key

        return load_key(self.path)
