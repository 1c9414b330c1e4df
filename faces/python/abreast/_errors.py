"""The exceptions of the package, with the names of pyca/cryptography."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Literal, TypeAlias

__all__ = [
    "AlreadyFinalized",
    "DeviceError",
    "InvalidSignature",
    "InvalidTag",
    "InvalidUnwrap",
    "MissingKey",
    "UnknownKey",
]


class _Shared(Exception):
    """The base of exceptions that pyca/cryptography has too.

    Once a program has imported that package's exceptions, each class below has the one of the same name as another base, so
    that ``except cryptography.exceptions.InvalidTag`` catches it. A program that has not imported them cannot name them, so
    it is early enough to look when an exception is made.
    """

    # The module in which pyca/cryptography has the class. Importing it takes longer than all of abreast, so it is never
    # imported here.
    _theirs = "cryptography.exceptions"

    def __init__(self, *args: object) -> None:
        if self._theirs in sys.modules:
            _join(self._theirs, sys.modules[self._theirs])
        super().__init__(*args)


def _join(name: str, theirs: ModuleType) -> None:
    """Makes a module's classes of the same names further bases of these classes, unless they are already."""
    for ours in (InvalidTag, InvalidSignature, AlreadyFinalized, InvalidUnwrap):
        if ours._theirs != name:
            continue
        other = getattr(theirs, ours.__name__, None)
        if isinstance(other, type) and not issubclass(ours, other):
            try:
                setattr(ours, "__bases__", (_Shared, other))
            except TypeError:
                # The package's class cannot be a base: another layout, or no exception.
                continue


class InvalidTag(_Shared):
    """Data is not authentic: another key, nonce or associated data, or it was changed.

    ``rows`` has the numbers of the messages that are not, where the call had many, and is empty otherwise. ``column`` is the
    name of their column, where the call had a table.
    """

    # Where users have it from.
    __module__ = "abreast"
    rows: list[int]
    column: str | None = None

    def __init__(self, message: str = "the data is not authentic", rows: list[int] | None = None) -> None:
        super().__init__(message)
        self.rows = [] if rows is None else rows

    @classmethod
    def of_rows(cls, rows: list[int], what: str = "row") -> InvalidTag:
        """Returns the exception for some of many things of that name."""
        more = f" and {len(rows) - 1} more are" if len(rows) > 1 else " is"
        return cls(f"{what} {rows[0]}{more} not authentic", rows)


class UnknownKey(InvalidTag):
    """Values name keys that the ring does not have: they are of another ring, or were changed.

    ``rows`` has the numbers of the values, ``ids`` those of the keys.
    """

    __module__ = "abreast.keyring"
    ids: list[int]

    def __init__(
        self, message: str = "the ring has no such key", rows: list[int] | None = None, ids: list[int] | None = None
    ) -> None:
        super().__init__(message, rows)
        self.ids = [] if ids is None else ids

    @classmethod
    def of_ids(cls, rows: list[int], ids: list[int]) -> UnknownKey:
        """Returns the exception for rows of many."""
        names = ", ".join(map(str, ids[:3])) + (" and others" if len(ids) > 3 else "")
        more = f" and {len(rows) - 1} more name" if len(rows) > 1 else " names"
        return cls(f"row {rows[0]}{more} keys that the ring does not have: {names}", rows, ids)


class InvalidUnwrap(_Shared):
    """A wrapped key is not right: another wrapping key, or it was changed.

    ``rows`` has the numbers of the keys that are not, where the call had many, and is empty otherwise.
    """

    __module__ = "abreast.keywrap"
    _theirs = "cryptography.hazmat.primitives.keywrap"
    rows: list[int]

    def __init__(self, message: str = "the wrapped key is not right", rows: list[int] | None = None) -> None:
        super().__init__(message)
        self.rows = [] if rows is None else rows

    @classmethod
    def of_rows(cls, rows: list[int], reason: str) -> InvalidUnwrap:
        """Returns the exception for some keys of many, with the reason for the first."""
        more = f" and {len(rows) - 1} more are" if len(rows) > 1 else " is"
        return cls(f"wrapped key {rows[0]}{more} not right: {reason}", rows)


class MissingKey(ValueError):
    """There is no key for the footer or for a column of a Parquet file.

    ``column`` is the path of the column, or None for the footer, and ``row_group`` the first row group in which it was met.
    """

    __module__ = "abreast.parquet"
    column: str | None
    row_group: int | None

    def __init__(self, message: str, column: str | None = None, row_group: int | None = None) -> None:
        super().__init__(message)
        self.column = column
        self.row_group = row_group

    def __reduce__(self) -> tuple[type[MissingKey], tuple[str, str | None, int | None]]:
        return type(self), (str(self), self.column, self.row_group)


class InvalidSignature(_Shared):
    """A CMAC or an HMAC does not match the message: another key, or one of them was changed."""

    __module__ = "abreast"


class AlreadyFinalized(_Shared):
    """The message in pieces has ended; another one begins with another context."""

    __module__ = "abreast"


Reason: TypeAlias = Literal[
    "no-opencl",
    "no-device",
    "name",
    "unsuitable",
    "kernels",
    "wrong-result",
    "memory",
    "lost",
    "timed-out",
    "dropped",
    "unsupported",
]


class DeviceError(Exception):
    """An OpenCL device is missing, or did not do its work.

    ``reason`` is the cause: there is no OpenCL library or no device, or none of this name; the device cannot run the kernels,
    or they do not compile for it; it computed something wrong, has no memory, was lost, or did not answer in time; it failed
    before; or it has no kernel for the operation. ``done`` is how many bytes of the message, from its beginning, are done;
    the others are as they were. Wrong results are never handed out.
    """

    __module__ = "abreast.devices"
    reason: Reason
    done: int

    def __init__(self, message: str, reason: Reason, done: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.done = done

    def __reduce__(self) -> tuple[type[DeviceError], tuple[str, Reason, int]]:
        return type(self), (str(self), self.reason, self.done)
