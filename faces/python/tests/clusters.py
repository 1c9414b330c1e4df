"""Processes of a cluster apart from the test's, and a search of the memory of a process."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MASK = bytes((byte + 91) % 256 for byte in range(256))
"""Hides what is looked for. Done twice it is another one still, so that the search cannot bring out what it looks for."""


@contextlib.contextmanager
def refusing() -> Iterator[int]:
    """Holds a port at which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        yield port


def started(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Starts a process of a cluster, as `dask scheduler` and `dask worker` do, with the modules of the tests in its path."""
    path = f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s", "PYTHONPATH": path}
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)


class Apart:
    """A scheduler and workers, each a process of its own."""

    def __init__(self) -> None:
        self.scheduler, self.address = self._scheduler()
        self.workers: list[subprocess.Popen[bytes]] = []

    @staticmethod
    def _scheduler() -> tuple[subprocess.Popen[bytes], str]:
        """Starts a scheduler, and reads the address that it chose: a port chosen here could be another program's by then."""
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "scheduler.json"
            process = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
            for _ in range(600):
                # The file is there before its contents are.
                with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                    return process, json.loads(told.read_text())["address"]
                time.sleep(0.1)
        process.kill()
        process.wait(30)
        raise TimeoutError("the scheduler did not start in 60 seconds")

    def restart_scheduler(self) -> None:
        """Starts another scheduler in the place of one that was killed. Its workers are still to be started."""
        self.scheduler.kill()
        self.scheduler.wait(30)
        self.scheduler, self.address = self._scheduler()

    def worker(self) -> subprocess.Popen[bytes]:
        self.workers.append(started("worker", self.address, "--nthreads", "1", "--no-nanny", "--death-timeout", "20"))
        return self.workers[-1]

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        for process in [self.scheduler, *self.workers]:
            process.kill()
            process.wait(30)


def forms(secret: bytes) -> list[bytes]:
    """A secret as it may lie in memory: its bytes, in hexadecimal, and in Base64 after any number of other bytes."""
    texts = [base64.b64encode(bytes(before) + secret)[4:-4] for before in range(3)]
    return [secret, secret.hex().encode(), *texts]


def in_memory(pid: int, secrets: dict[str, bytes]) -> set[str]:
    """Returns the names of the secrets that a process has anywhere in its memory."""
    wanted = {form: name for name, secret in secrets.items() for form in forms(secret)}
    found: set[str] = set()
    regions = 0
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, stop = (int(end, 16) for end in span.split("-"))
            # Regions that cannot be written to are of files.
            if not rights.startswith("rw"):
                continue
            # Some regions are mapped and not there.
            with contextlib.suppress(OSError, OverflowError):
                memory.seek(start)
                data = bytearray(stop - start)
                size = memory.readinto(data) or 0
                found |= {name for form, name in wanted.items() if data.find(form, 0, size) >= 0}
                regions += 1
    assert regions > 20, "the memory of the process cannot be read"
    return found


def masked(secrets: dict[str, bytes]) -> dict[str, list[bytes]]:
    """Returns the secrets hidden, so that a search for them does not bring them into the process."""
    return {name: [form.translate(_MASK) for form in forms(secret)] for name, secret in secrets.items()}


def in_objects(wanted: dict[str, list[bytes]]) -> tuple[set[str], int]:
    """Returns the names of the secrets that objects of this process hold, and how many objects can be reached."""
    found: set[str] = set()
    stack: list[Any] = gc.get_objects()
    seen = {id(stack)}
    count = 0
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        count += 1
        if isinstance(one, str):
            content = one.encode("latin-1", "replace")
        elif isinstance(one, (bytes, bytearray)):
            content = bytes(one)
        elif isinstance(one, memoryview) and one.contiguous:
            content = one.tobytes()
        else:
            stack.extend(gc.get_referents(one))
            continue
        if len(content) >= 16:
            hidden = content.translate(_MASK)
            found |= {name for name, some in wanted.items() if any(form in hidden for form in some)}
    return found, count
