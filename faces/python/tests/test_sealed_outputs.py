"""The files that are left where ``seal_file`` and ``open_file`` write, whatever happens during the work."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import abreast
from abreast.sealed import Key, load_key, open_file, save_key, seal_file

KEY = Key.generate()


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class Slowly:
    """A call whose source is a pipe, so that things can happen in the middle of it."""

    def __init__(self, folder: Path, target: Path, message: bytes, *, opening: bool, replace: bool = False) -> None:
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        self.error: BaseException | None = None
        call = open_file if opening else seal_file

        def work() -> None:
            try:
                call(self.pipe, target, KEY, replace=replace)
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()
        self.writer = open(self.pipe, "wb")
        # More than a pipe holds: when it is written, the work has begun and the output is there.
        self.rest = message[1 << 20 :]
        self.writer.write(message[: 1 << 20])
        self.writer.flush()

    def end(self) -> BaseException | None:
        self.writer.write(self.rest)
        self.writer.close()
        self.thread.join(60)
        assert not self.thread.is_alive(), "the call does not end"
        self.pipe.unlink()
        return self.error


@pytest.fixture
def message() -> bytes:
    return random.Random(1).randbytes(3 << 20)


@pytest.fixture
def sealed(tmp_path_factory: pytest.TempPathFactory, message: bytes) -> bytes:
    folder = tmp_path_factory.mktemp("made")
    (folder / "message").write_bytes(message)
    seal_file(folder / "message", folder / "sealed", KEY)
    return (folder / "sealed").read_bytes()


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("change", ["renamed", "exchanged", "removed", "parent"])
def test_a_folder_that_goes_away_takes_nothing_along(
    tmp_path: Path, message: bytes, sealed: bytes, opening: bool, replace: bool, change: str
) -> None:
    folder = tmp_path / "parent" / "folder"
    folder.mkdir(parents=True)
    source = sealed if opening else message
    call = Slowly(tmp_path, folder / "out", source, opening=opening, replace=replace)
    if change == "parent":
        folder.parent.rename(tmp_path / "other")
    elif change == "removed":
        folder.rmdir()
    else:
        folder.rename(tmp_path / "other")
    if change == "exchanged":
        folder.mkdir()
    error = call.end()
    assert isinstance(error, OSError) and "run it again" in str(error), error
    assert names(tmp_path) == []


@pytest.mark.parametrize("opening", [False, True])
def test_nothing_shows_before_the_end(tmp_path: Path, message: bytes, sealed: bytes, opening: bool) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    call = Slowly(tmp_path, folder / "out", sealed if opening else message, opening=opening)
    assert names(folder) == []
    assert call.end() is None
    assert names(folder) == ["out"]
    assert (folder / "out").stat().st_mode & 0o777 == 0o600


def test_what_came_to_be_there_is_kept(tmp_path: Path, message: bytes) -> None:
    target = tmp_path / "out"
    call = Slowly(tmp_path, target, message, opening=False)
    target.write_bytes(b"precious")
    error = call.end()
    assert isinstance(error, FileExistsError) and "replace=True" in str(error), error
    assert target.read_bytes() == b"precious" and names(tmp_path) == ["out"]
    # Where it was asked for it is replaced, and not before the end.
    call = Slowly(tmp_path, target, message, opening=False, replace=True)
    assert target.read_bytes() == b"precious"
    assert call.end() is None
    open_file(target, tmp_path / "again", KEY)
    assert (tmp_path / "again").read_bytes() == message


def test_a_failure_leaves_what_was_there(tmp_path: Path, sealed: bytes) -> None:
    bad = bytearray(sealed)
    bad[-1] ^= 1
    (tmp_path / "bad").write_bytes(bad)
    (tmp_path / "old").write_bytes(b"precious")
    for replace, target in [(True, "old"), (False, "new")]:
        with pytest.raises(abreast.InvalidTag):
            open_file(tmp_path / "bad", tmp_path / target, KEY, replace=replace)
    call = Slowly(tmp_path, tmp_path / "old", bytes(bad), opening=True, replace=True)
    assert isinstance(call.end(), abreast.InvalidTag)
    assert names(tmp_path) == ["bad", "old"] and (tmp_path / "old").read_bytes() == b"precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_not_replaced(tmp_path: Path, message: bytes, sealed: bytes) -> None:
    """Nor devices, in whose place the next program would write a file."""
    pipe, source = tmp_path / "pipe", tmp_path / "source"
    os.mkfifo(pipe)
    for bytes_of, run in ((message, seal_file), (sealed, open_file)):
        source.write_bytes(bytes_of)
        with pytest.raises(OSError, match="a pipe, a socket or a device"):
            run(source, pipe, KEY, replace=True)
        assert pipe.is_fifo() and sorted(one.name for one in tmp_path.iterdir()) == ["pipe", "source"]


def test_names_that_name_no_file(tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(b"hello")
    for name in ["out/", "out/.", ".."]:
        with pytest.raises((ValueError, OSError)):
            seal_file(tmp_path / "message", f"{tmp_path}/{name}", KEY)
    with pytest.raises(FileNotFoundError) as caught:
        seal_file(tmp_path / "message", tmp_path / "no" / "where", KEY)
    assert os.fspath(caught.value.filename) == str(tmp_path / "no" / "where")
    assert names(tmp_path) == ["message"]


PROGRAM = """
import resource, sys
from abreast.sealed import load_key, open_file, seal_file
call = {"seal": seal_file, "open": open_file}[sys.argv[1]]
if len(sys.argv) > 5:
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + int(sys.argv[5])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print("begins", flush=True)
try:
    call(sys.argv[2], sys.argv[3], load_key(sys.argv[4]), threads=2)
except MemoryError:
    sys.exit(9)
except KeyboardInterrupt:
    sys.exit(10)
"""


def program(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_process_that_is_ended_leaves_nothing(tmp_path: Path, end: signal.Signals) -> None:
    save_key(KEY, tmp_path / "key")
    with open(tmp_path / "message", "wb") as file:
        file.truncate(4 << 30)
    for delay in [0.0, 0.05, 0.3]:
        process = program(tmp_path, "seal", "message", "out", "key")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(end)
        begin = time.monotonic()
        process.communicate(timeout=60)
        assert process.returncode in (-end, 10), process.returncode
        # Ctrl-C is answered within a tenth of a second; the rest is for the end of Python on a busy machine.
        assert time.monotonic() - begin < 2
        assert names(tmp_path) == ["key", "message"]


def test_no_memory_is_an_error(tmp_path: Path) -> None:
    save_key(KEY, tmp_path / "key")
    (tmp_path / "message").write_bytes(bytes(2 << 20))
    ended = set()
    for room in range(0, 24 << 20, 1 << 19):
        process = program(tmp_path, "seal", "message", "out", "key", str(room))
        _, errors = process.communicate(timeout=60)
        ended.add(process.returncode)
        if process.returncode == 0:
            open_file(tmp_path / "out", tmp_path / "opened", load_key(tmp_path / "key"))
            assert (tmp_path / "opened").read_bytes() == bytes(2 << 20)
            (tmp_path / "out").unlink()
            (tmp_path / "opened").unlink()
        assert names(tmp_path) == ["key", "message"], errors
    assert ended == {0, 9}, ended


@pytest.fixture
def fat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system without links and without files that have no name."""
    folder = tmp_path_factory.mktemp("fat")
    if os.geteuid() != 0 or not shutil.which("mkfs.vfat"):
        pytest.skip("a file system can be made and mounted by root alone, with mkfs.vfat")
    image, mounted = folder / "image", folder / "mounted"
    mounted.mkdir()
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.vfat", str(image)], check=True, capture_output=True, timeout=60)
    done = subprocess.run(["mount", "-o", "loop", str(image), str(mounted)], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr.decode()}")
    try:
        yield mounted
    finally:
        subprocess.run(["umount", str(mounted)], check=True, timeout=60)


def test_a_file_system_without_links(fat: Path, message: bytes) -> None:
    (fat / "message").write_bytes(message)
    with pytest.raises(OSError):
        os.link(fat / "message", fat / "link")
    assert seal_file(fat / "message", fat / "sealed", KEY) == len(message)
    open_file(fat / "sealed", fat / "opened", KEY)
    assert (fat / "opened").read_bytes() == message
    with pytest.raises(FileExistsError):
        open_file(fat / "sealed", fat / "opened", KEY)
    open_file(fat / "sealed", fat / "opened", KEY, replace=True)
    with pytest.raises(abreast.InvalidTag):
        open_file(fat / "sealed", fat / "other", Key.generate())
    assert names(fat) == ["message", "opened", "sealed"]
