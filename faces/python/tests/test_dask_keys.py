"""Keys of a cluster: the scheduler never has one, workers have them no longer than they need, and ask if they have none."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest
from clusters import Apart, in_memory, in_objects, masked
from stores import Server, until

import abreast
import abreast.dask as cluster
from abreast.dask import _keys
from abreast.sealed import Key, verify_file

pytestmark = pytest.mark.cluster

# At random, as bytes in order lie in the memory of any program.
SECRET = secrets.token_bytes(32)
KEY = Key(SECRET)
PART = 8 << 20


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart() as made:
        made.worker()
        made.worker()
        yield made


@pytest.fixture
def client(apart: Apart) -> Iterator[Any]:
    with distributed.Client(apart.address, set_as_default=False, timeout=60) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


@pytest.fixture
def s3() -> Iterator[Server]:
    with Server() as server:
        yield server


def recorded(known: dict[str, bytes], begin: Any = _keys.RunKey.__init__, sealed: Any = _keys.RunKey.sealed) -> tuple[Any, Any]:
    """Methods of a run's key that record the keys they make."""

    def begins(self: Any, client: Any) -> None:
        begin(self, client)
        known[f"the key of run {len(known)}"] = self._key

    def seals(self: Any, file_key: Any, file: str) -> Any:
        # Without the byte that says which cipher it is.
        known[f"the key of file {len(known)}"] = file_key.to_bytes()[1:33]
        return sealed(self, file_key, file)

    return begins, seals


CALLER = """
import sys
import test_dask_keys as test
from abreast.dask import _keys
from abreast.sealed import Key
import abreast.dask
known = {}
_keys.LIVES = 3.0
begins, seals = test.recorded(known)
def tells(self, *arguments):
    carried = seals(self, *arguments)
    print(*(f"{name}={secret.hex()}" for name, secret in known.items()), sep=";", flush=True)
    return carried
_keys.RunKey.__init__, _keys.RunKey.sealed = begins, tells
abreast.dask.seal("s3://bucket/message", Key.generate(), client=sys.argv[1], storage_options=eval(sys.argv[2]), progress=False)
"""


@pytest.mark.drawn(3)
def test_the_scheduler_has_no_key(client: Any, apart: Apart, s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while workers seal, nor after that, nor when the caller is killed: nowhere in its objects or its memory."""
    scheduler = apart.scheduler.pid
    known: dict[str, bytes] = {"the key": SECRET}
    begins, seals = recorded(known)
    monkeypatch.setattr(_keys.RunKey, "__init__", begins)
    monkeypatch.setattr(_keys.RunKey, "sealed", seals)

    def found() -> set[str]:
        objects, count = client.run_on_scheduler(in_objects, masked(known))
        assert count > 50_000
        return in_memory(scheduler, known) | set(objects)

    s3.put("message", bytes(6 * PART))
    during: list[set[str]] = []

    def fault(environ: Any) -> None:
        if "partNumber=3" in environ["QUERY_STRING"] and not during:
            during.append(set())
            during.append(found())

    s3.fault = fault
    cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    sealed = s3.get("message.abreast")
    assert during == [set(), set()] and len(known) == 3
    # Likewise where small files are opened, whose keys come second, and resealed.
    for number in range(2):
        s3.put(f"in/{number}.abreast", small(number))
    cluster.open(key=KEY, prefix="s3://bucket/in/", client=client, storage_options=s3.options, progress=False)
    cluster.reseal(
        None, KEY, Key.generate(), prefix="s3://bucket/in/", to="s3://bucket/new/", client=client, storage_options=s3.options, progress=False
    )
    assert len(known) == 11 and found() == set()

    # A caller that is killed.
    path = f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"
    command = [sys.executable, "-c", CALLER, apart.address, repr(s3.options)]
    s3.client.delete_object(Bucket="bucket", Key="message.abreast")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}) as caller:
        killed = threading.Event()

        def kill(environ: Any) -> None:
            if "partNumber=2" in environ["QUERY_STRING"]:
                caller.kill()
                killed.set()
                time.sleep(0.5)

        s3.fault = kill
        assert caller.stdout is not None
        for pair in caller.stdout.readline().decode().strip().split(";"):
            name, _, value = pair.partition("=")
            known[f"{name} of the caller that was killed"] = bytes.fromhex(value)
        assert killed.wait(60) and caller.wait(60) == -signal.SIGKILL
    s3.fault = lambda environ: None
    assert len(known) == 13 and found() == set()
    # Workers forget the key, as no caller lives.
    until(lambda: not any(client.run(runs).values()), 20)

    # Planted keys are found, in the objects and in memory: as a plugin of workers, and as an argument.
    planted = {"a planted key": secrets.token_bytes(32), "another": secrets.token_bytes(32)}
    client.register_plugin(Plugin(planted["a planted key"]))
    held = client.submit(len, [planted["another"].hex()], pure=False)
    held.result(30)
    known |= planted
    assert client.run_on_scheduler(in_objects, masked(known))[0] == set(planted)
    assert in_memory(scheduler, known) == set(planted)


class Plugin(distributed.WorkerPlugin):
    """Brings a key to workers past the eyes of the scheduler, as it should not be done."""

    def __init__(self, key: bytes) -> None:
        self.name, self.key = "planted", key


def small(number: int) -> bytes:
    """A sealed file of a few bytes."""
    from abreast.sealed import FileCipher, FileKey, Plan

    plan = Plan(number)
    return FileCipher(FileKey.of_plan(KEY, plan)).seal_part(plan[0], bytes(number))


def runs() -> list[str]:
    """Returns the runs that a worker has secrets of."""
    return list(_keys._held)


@pytest.mark.drawn(3)
def test_a_worker_that_joins_asks(s3: Server, rng: random.Random) -> None:
    """The only worker is killed, and one that comes in its place gets the key by asking."""
    message = rng.randbytes(5 * PART)
    s3.put("message", message)
    with Apart() as apart:
        first = apart.worker()
        second: list[Any] = []

        def fault(environ: Any) -> None:
            if "partNumber=3" in environ["QUERY_STRING"] and not second:
                first.kill()
                second.append(apart.worker())

        with distributed.Client(apart.address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            s3.fault = fault
            report = cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
            assert second and len(report.peak_memory) == 2 and report.files[0].outcome == "sealed"
            assert not any(client.run(runs).values())
        sealed = s3.get("message.abreast")
        assert s3.uploads() == []
    assert opened(sealed) == message


def opened(sealed: bytes) -> bytes:
    import io

    from abreast.sealed import SealedFile

    with SealedFile(io.BytesIO(sealed), KEY) as file:
        return file.read()


@pytest.mark.drawn(3)
def test_a_key_that_workers_forgot(client: Any, s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that is not heard for a while is asked again."""
    monkeypatch.setattr(_keys, "LIVES", 0.2)
    monkeypatch.setattr(_keys.RunKey, "_beat", lambda self: None)
    asks: list[str] = []
    give = _keys.RunKey.give

    def given(self: Any, workers: dict[str, bytes]) -> None:
        asks.extend(workers)
        give(self, workers)

    monkeypatch.setattr(_keys.RunKey, "give", given)
    s3.put("message", bytes(4 * PART))
    s3.fault = lambda environ: time.sleep(0.4 if environ["REQUEST_METHOD"] == "GET" else 0)
    report = cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    assert report.files[0].outcome == "sealed" and len(asks) > 2
    s3.fault = lambda environ: None
    assert opened(s3.get("message.abreast")) == bytes(4 * PART)


@pytest.mark.drawn(3)
def test_all_threads_of_a_worker_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker with many threads that joins has as many tasks as threads, which all ask before the first is answered."""
    monkeypatch.setattr(_keys.RunKey, "begin", lambda self: self._heart.start())
    (tmp_path / "in").mkdir()
    for number in range(1000):
        (tmp_path / "in" / f"{number}.abreast").write_bytes(small(number))
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=32, dashboard_address="127.0.0.1:0", memory_limit=0) as workers,
        distributed.Client(workers, set_as_default=False) as client,
    ):
        gives: list[Any] = []
        give = _keys.RunKey.give
        monkeypatch.setattr(_keys.RunKey, "give", lambda self, workers: (gives.append(workers), give(self, workers)))
        report = cluster.verify(key=KEY, prefix=tmp_path / "in", client=client, progress=False)
    assert len(report.done) == 1000 and len(gives) < 5


@pytest.mark.drawn(3)
def test_a_caller_that_lives_is_heard(client: Any, s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_keys, "LIVES", 8.0)
    kept: list[Any] = []
    s3.put("message", bytes(PART + 1))

    def fault(environ: Any) -> None:
        if environ["REQUEST_METHOD"] == "POST" and not kept:
            time.sleep(10)
            kept.append(client.run(runs))

    s3.fault = fault
    cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    assert kept and all(len(one) == 1 for one in kept[0].values())
    assert not any(client.run(runs).values())


def test_a_worker_without_the_package_for_the_exchange(client: Any, tmp_path: Path) -> None:
    """The error names the package to install; a key of the workers' own needs no exchange."""
    (tmp_path / "message").write_bytes(b"m")
    client.run(block)
    try:
        with pytest.raises(ImportError, match=r"pip install 'abreast\[dask\]'"):
            cluster.seal(tmp_path / "message", KEY, client=client, progress=False)
        abreast.sealed.save_key(KEY, tmp_path / "my.key")
        own = cluster.WorkerKey(str(tmp_path / "my.key"))
        cluster.seal(tmp_path / "message", own, client=client, progress=False)
    finally:
        client.run(unblock)
    verify_file(tmp_path / "message.abreast", KEY)


_BLOCKED = "cryptography.hazmat.primitives.asymmetric.x25519"


def block() -> None:
    sys.modules[_BLOCKED] = None  # type: ignore[assignment]


def unblock() -> None:
    del sys.modules[_BLOCKED]


@pytest.mark.drawn(3)
def test_workers_keep_quiet_after_an_error(client: Any, tmp_path: Path) -> None:
    """Tasks that come too late for their run say nothing of its key in the log."""
    (tmp_path / "message").write_bytes(bytes(12 * PART))
    cluster.seal(tmp_path / "message", KEY, client=client, progress=False)
    sealed = tmp_path / "message.abreast"
    changed = bytearray(sealed.read_bytes())
    changed[100] ^= 1
    sealed.write_bytes(changed)
    before = {worker: len(lines) for worker, lines in client.get_worker_logs().items()}
    with pytest.raises(abreast.InvalidTag):
        cluster.verify(sealed, KEY, client=client, progress=False)
    time.sleep(1)
    for worker, lines in client.get_worker_logs().items():
        new = lines[: len(lines) - before[worker]]
        assert not [line for level, line in new if level in ("WARNING", "ERROR") or "key" in line], new
