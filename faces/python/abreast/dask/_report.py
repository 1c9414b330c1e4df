"""The report of a run: the outcome of each file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["sealed", "opened", "resealed", "verified", "skipped", "failed", "not done"]


@dataclass(frozen=True)
class FileReport:
    """The outcome of one file."""

    source: str
    target: str | None
    bytes: int
    """Bytes of the message, 0 unless it was read."""
    parts: int
    """Parts that were done at the same time, 0 unless all of them were."""
    outcome: Outcome = "not done"
    reason: str = ""
    """Why it was skipped, failed or not done."""
    error: BaseException | None = field(default=None, repr=False)
    """The exception of a file that failed."""

    def __str__(self) -> str:
        return f"{self.source}: {self.outcome}{f', {self.reason}' if self.reason else ''}"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


@dataclass
class Report:
    """The outcome of a run, file by file in the order of the sources."""

    files: list[FileReport] = field(default_factory=list)
    seconds: float = 0.0
    """Time of the work, without the start of a cluster of its own."""
    peak_memory: dict[str, int] = field(default_factory=dict)
    """The most bytes that each worker's process had in memory since it began."""

    @property
    def bytes(self) -> int:
        """Bytes of all messages."""
        return sum(file.bytes for file in self.done)

    @property
    def done(self) -> list[FileReport]:
        """The files that were sealed, opened, resealed or verified."""
        return [file for file in self.files if file.outcome not in ("skipped", "failed", "not done")]

    @property
    def skipped(self) -> list[FileReport]:
        """The files that were left as they were, because their target exists or by their names."""
        return [file for file in self.files if file.outcome == "skipped"]

    @property
    def failed(self) -> list[FileReport]:
        """The files that could not be done, each with its error."""
        return [file for file in self.files if file.outcome == "failed"]

    def __str__(self) -> str:
        done, megabytes = self.done, self.bytes / 1e6
        others = Counter(file.outcome for file in self.files)
        more = "".join(f", {others[name]} {name}" for name in ("skipped", "failed", "not done") if others[name])
        return (
            f"{megabytes:.1f} MB in {_counted(sum(file.parts for file in done), 'part')} of "
            f"{_counted(len(done), 'file')}{more} by "
            f"{_counted(len(self.peak_memory), 'worker')}: {self.seconds:.1f} s, "
            f"{megabytes / max(self.seconds, 1e-9):.0f} MB/s, at most "
            f"{max(self.peak_memory.values(), default=0) / 1e6:.0f} MB of memory in a worker"
        )
