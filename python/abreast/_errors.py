"""The exceptions of the package, with the names of pyca/cryptography."""

from __future__ import annotations

__all__ = ["AlreadyFinalized", "InvalidTag"]


class InvalidTag(Exception):
    """Data is not authentic: another key, nonce or associated data, or it was changed.

    ``rows`` has the numbers of the messages that are not, where the call had many, and is empty otherwise.
    """

    # Where users have it from.
    __module__ = "abreast"
    rows: list[int]

    def __init__(self, message: str = "the data is not authentic", rows: list[int] | None = None) -> None:
        super().__init__(message)
        self.rows = [] if rows is None else rows

    @classmethod
    def of_rows(cls, rows: list[int]) -> InvalidTag:
        """The exception for rows of many."""
        more = f" and {len(rows) - 1} more are" if len(rows) > 1 else " is"
        return cls(f"row {rows[0]}{more} not authentic", rows)


class AlreadyFinalized(Exception):
    """The message in pieces has ended; another one begins with another context."""

    __module__ = "abreast"
