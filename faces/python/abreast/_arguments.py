"""Arguments of functions in Python, by the rules of the compiled module: each function returns a right one, and refuses a wrong one in a
sentence that says what it is, the type or value that was given, and what is accepted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Buffer

T = TypeVar("T")

FIX = ': pass "abc".encode() or b"abc"'


def wrong(name: str, accepted: str, given: object) -> TypeError:
    """Returns the error for an argument of a wrong type."""
    return TypeError(f"{name} is {accepted}, and not {type(given).__name__}")


def whole(given: SupportsIndex, name: str) -> int:
    """Returns a whole number of any type with ``__index__``, except bool: True in the place of a number is a mistake."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise wrong(name, "a whole number", given)
    return index(given)


def number(given: SupportsIndex, name: str, least: int = 0, most: int = (1 << 64) - 1) -> int:
    """Returns a whole number from one to another, or raises a ValueError."""
    found = whole(given, name)
    if found < least:
        raise ValueError(f"{name} is at least {least}, and not {found}")
    if found > most:
        raise ValueError(f"{name} is at most {most}, and not {found}")
    return found


def path(given: object, name: str, accepted: str = "a path as a str or a pathlib.Path") -> str:
    """Returns the path of a file as text. Refuses numbers, which the system would take for open files, and close."""
    found = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if not isinstance(found, str):
        raise wrong(name, accepted, given)
    return found


def instance(given: T, name: str, kind: type[T], accepted: str) -> T:
    """Returns an object of a class, of which ``accepted`` is the name with its article."""
    if not isinstance(given, kind):
        raise wrong(name, accepted, given)
    return given


def text(given: str, name: str) -> str:
    """Returns a text."""
    return instance(given, name, str, "a str")


def flag(given: bool, name: str) -> bool:
    """Returns a bool, also for one of NumPy."""
    if not isinstance(given, bool) and type(given).__name__ not in ("bool", "bool_"):
        raise wrong(name, "True or False", given)
    return bool(given)


def function(given: Any, name: str, accepted: str) -> Any:
    """Returns a function, or anything else that can be called."""
    if not callable(given):
        raise wrong(name, accepted, given)
    return given


def one_of(given: Any, name: str, accepted: Iterable[str]) -> Any:
    """Returns a text that is one of several."""
    accepted = [*accepted]
    if not isinstance(given, str) or given not in accepted:
        *others, last = map(repr, accepted)
        raise ValueError(f"{name} is {', '.join(others)} or {last}, and not {given!r}")
    return given


def mapping(given: Mapping[Any, T], name: str, accepted: str) -> Mapping[Any, T]:
    """Returns a mapping, such as a dict."""
    if not isinstance(given, Mapping):
        raise wrong(name, accepted, given)
    return given


def options(given: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """Returns arguments by their names, or no arguments for None."""
    found = mapping({} if given is None else given, name, "a mapping of options by their names")
    return {text(key, f"the name of an option in {name}"): value for key, value in found.items()}


def names(given: Iterable[str], name: str, example: str) -> list[str]:
    """Returns the texts of an iterable. Refuses a single text, whose items are letters."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"{name} are several names, such as [{example!r}], and not {type(given).__name__}")
    return [text(one, f"each of {name}") for one in given]


def flat(buffer: Buffer) -> memoryview:
    """Returns the bytes of a buffer, which is copied if its items have a type that Python does not know."""
    try:
        view = memoryview(buffer)
    except TypeError:
        fix = FIX if isinstance(buffer, str) else ""
        raise TypeError(f"a bytes-like object is required, not {type(buffer).__name__}{fix}") from None
    if "O" in view.format:
        raise TypeError("the buffer holds objects of Python, and bytes are required")
    if not view.c_contiguous:
        raise BufferError("the buffer is not in one piece of memory; bytes(buffer) copies it into one")
    try:
        return view.cast("B")
    except (TypeError, ValueError, NotImplementedError):
        return memoryview(view.tobytes())
