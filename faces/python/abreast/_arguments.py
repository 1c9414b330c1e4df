"""Numbers that callers give, by the rules of the compiled module."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex


def number(given: SupportsIndex, name: str, least: int = 0, most: int = (1 << 64) - 1) -> int:
    """A whole number of any type with ``__index__``; ValueError for one out of range, TypeError for anything else."""
    found = index(given)
    if found < least:
        raise ValueError(f"{name} is at least {least}, and not {found}")
    if found > most:
        raise ValueError(f"{name} is at most {most}, and not {found}")
    return found
