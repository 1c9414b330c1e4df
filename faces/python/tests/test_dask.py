"""Sealed files by a cluster: the same bytes as alone, whatever becomes of workers, stores and sources meanwhile."""

from __future__ import annotations

import logging
import os
import pickle
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import pytest
from botocore.config import Config
from cryptography.cobblestone import Cobblestone256Decryptor
from clusters import Apart, refusing
from stores import Server

import abreast
import abreast.dask as cluster
from abreast import _stores
from abreast.sealed import CHUNK, HEADER, FileCipher, FileKey, Key, Plan, open_file, save_key, verify_file

pytestmark = pytest.mark.cluster

KEY = Key(bytes(range(32)))
PART = 8 << 20
MIB = 1 << 20

dask.config.set({"distributed.comm.timeouts.connect": "5s", "distributed.scheduler.allowed-failures": 5})


@pytest.fixture
def s3() -> Iterator[Server]:
    with Server() as server:
        yield server


def alone(message: bytes, sealed: bytes) -> bytes:
    """Seals a message on one machine with the salt of a sealed file."""
    plan = Plan(len(message), salt=sealed[:24])
    cipher = FileCipher(FileKey.of_plan(KEY, plan))
    return b"".join(cipher.seal_part(part, message[slice(*part.plain)]) for part in plan)


def opened_by_pyca(sealed: bytes) -> bytes:
    decryptor = Cobblestone256Decryptor(bytes(range(32)), b"")
    return bytes(decryptor.update(sealed) + decryptor.finalize())


# Where the number of parts changes, and where the last chunk is empty.
@pytest.mark.parametrize("length", [0, 1, CHUNK, PART - 1, PART, PART + 1, 3 * PART - CHUNK, 2 * PART + CHUNK + 5])
def test_the_same_bytes_as_alone(length: int, client: Any, tmp_path: Path, rng: random.Random) -> None:
    message = rng.randbytes(length)
    (tmp_path / "message").write_bytes(message)
    url = f"file://{tmp_path}/message"
    report = cluster.seal(url, KEY, client=client, progress=False)
    assert (report.bytes, report.files[0].parts) == (length, max(1, -(-length // PART)))
    sealed = (tmp_path / "message.abreast").read_bytes()
    assert sealed == alone(message, sealed)
    assert opened_by_pyca(sealed) == message
    cluster.verify(url + ".abreast", KEY, client=client, progress=False)
    cluster.open(url + ".abreast", KEY, to=f"{tmp_path}/opened", client=client, progress=False)
    assert (tmp_path / "opened").read_bytes() == message
    other = Key.generate(aead="aes-128-gcm")
    cluster.reseal(url + ".abreast", KEY, other, to=f"{tmp_path}/resealed", client=client, progress=False)
    resealed = (tmp_path / "resealed").read_bytes()
    assert len(resealed) == len(sealed) and resealed[:HEADER] != sealed[:HEADER]
    open_file(tmp_path / "resealed", tmp_path / "again", other)
    assert (tmp_path / "again").read_bytes() == message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "message", "message.abreast", "opened", "resealed"]


def test_s3_and_many_files(client: Any, s3: Server, rng: random.Random) -> None:
    messages = {f"in/{name}": rng.randbytes(size) for name, size in (("a", 20 * MIB), ("b", 5), ("c", 0))}
    for name, message in messages.items():
        s3.put(name, message)
    urls = [f"s3://bucket/{name}" for name in messages]
    report = cluster.seal(urls, KEY, to="s3://bucket/out/", client=client, storage_options=s3.options, progress=False)
    assert len(report.files) == 3 and "25.0 MB" not in str(report) and "MB/s" in str(report)
    for name, message in messages.items():
        sealed = s3.get(f"out/{name[3:]}.abreast")
        assert sealed == alone(message, sealed)
    assert s3.uploads() == []
    with pytest.raises(FileExistsError, match="replace=True"):
        cluster.seal(urls, KEY, to="s3://bucket/out/", client=client, storage_options=s3.options, progress=False)
    sealed_urls = [f"s3://bucket/out/{name[3:]}.abreast" for name in messages]
    cluster.open(sealed_urls, KEY, to="s3://bucket/back/", client=client, storage_options=s3.options, progress=False)
    for name, message in messages.items():
        assert s3.get(f"back/{name[3:]}") == message


def test_targets_that_meet(tmp_path: Path) -> None:
    """No client is asked before the targets are seen to be different."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"text")
    a, b = str(tmp_path / "a"), f"file://{tmp_path}/b"
    for sources, to, says in (
        ([a, b], [f"{tmp_path}/c", f"file://{tmp_path}/x/../c"], "written twice"),
        ([a, b], [b, f"{tmp_path}/c"], "one of the sources"),
        ([a], [f"{tmp_path}/./a"], "own target"),
        ([a, "s3://bucket/a"], "s3://other/", "written twice"),
    ):
        with pytest.raises(ValueError, match=says):
            cluster.seal(sources, KEY, to=to, client="tcp://127.0.0.1:1", progress=False)
    with pytest.raises(ValueError, match="part_size"):
        cluster.seal(a, KEY, part_size=0, client="tcp://127.0.0.1:1", progress=False)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]


def test_errors_name_the_file(client: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(100_000))
    cluster.seal(f"{tmp_path}/a", KEY, client=client, progress=False)
    with pytest.raises(abreast.InvalidTag, match="a.abreast: "):
        cluster.open(f"{tmp_path}/a.abreast", Key.generate(), to=f"{tmp_path}/b", client=client, progress=False)
    sealed = bytearray((tmp_path / "a.abreast").read_bytes())
    sealed[-1] ^= 1
    (tmp_path / "a.abreast").write_bytes(sealed)
    with pytest.raises(abreast.InvalidTag, match="a.abreast: "):
        cluster.open(f"{tmp_path}/a.abreast", KEY, to=f"{tmp_path}/b", client=client, progress=False)
    with pytest.raises(FileNotFoundError) as caught:
        cluster.seal(f"{tmp_path}/a", KEY, to=f"{tmp_path}/none/b", client=client, progress=False)
    assert caught.value.filename == f"{tmp_path}/none/b"


def test_any_other_store_of_fsspec(tmp_path: Path, rng: random.Random) -> None:
    """A store without writes at an offset or uploads, in this process, as one process holds its objects."""
    message = rng.randbytes(3 * PART // 2)
    store = _stores.AnyStore("memory://folder/message", {})
    upload = store.begin(len(message))
    halves = [_stores.Part(0, 0, PART, lambda: iter([message[:PART]])), _stores.Part(1, PART, len(message), lambda: iter([message[PART:]]))]
    proofs = [store.put(upload, part) for part in halves]
    store.put(upload, halves[0])
    store.complete(upload, proofs, replace=False)
    pin = store.pin()
    assert store.read(5, len(message), pin) == message[5:]
    with pytest.raises(FileExistsError):
        store.complete(upload, proofs, replace=False)
    with pytest.raises(cluster.SourceChanged):
        store.read(0, 5, _stores.Pin(len(message) + 1, pin.version))


@pytest.mark.drawn(3)
def test_a_worker_that_is_killed(client: Any, s3: Server, rng: random.Random) -> None:
    message = rng.randbytes(10 * PART)
    s3.put("message", message)
    killed = threading.Event()

    def fault(environ: Any) -> None:
        if environ["REQUEST_METHOD"] == "PUT" and "partNumber=3" in environ["QUERY_STRING"] and not killed.is_set():
            killed.set()
            os.kill(pids[0], signal.SIGKILL)

    pids = list(client.run(os.getpid).values())
    s3.fault = fault
    report = cluster.seal(
        "s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False
    )
    assert killed.is_set() and report.files[0].parts == 10
    sealed = s3.get("message.abreast")
    assert sealed == alone(message, sealed) and s3.uploads() == []
    client.wait_for_workers(2, timeout=60)


@pytest.mark.drawn(3)
def test_a_store_that_fails_for_a_while_and_is_slow(client: Any, s3: Server, rng: random.Random) -> None:
    message = rng.randbytes(4 * PART)
    s3.put("message", message)
    seen: dict[str, int] = {}

    def fault(environ: Any) -> int | None:
        request = environ["REQUEST_METHOD"] + environ["PATH_INFO"] + environ["QUERY_STRING"]
        seen[request] = seen.get(request, 0) + 1
        # Every other answer is that the store is busy, and every fifth takes its time.
        if len(seen) % 5 == 0:
            threading.Event().wait(0.3)
        return 503 if seen[request] == 1 and environ["REQUEST_METHOD"] in ("PUT", "GET", "POST") else None

    s3.fault = fault
    cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    s3.fault = lambda environ: None
    sealed = s3.get("message.abreast")
    assert sealed == alone(message, sealed) and s3.uploads() == []


def test_a_file_that_another_one_wrote_meanwhile(client: Any, s3: Server) -> None:
    """The store refuses to complete the upload (412), and the existing object stays."""
    s3.put("message", bytes(2 * PART))

    def fault(environ: Any) -> None:
        if environ["REQUEST_METHOD"] == "PUT" and "partNumber=2" in environ["QUERY_STRING"]:
            s3.put("message.abreast", b"of another one")

    s3.fault = fault
    with pytest.raises(FileExistsError, match="replace=True"):
        cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    assert s3.get("message.abreast") == b"of another one" and s3.uploads() == []
    # A source that has changed, by the answer of the store.
    s3.fault = lambda environ: 412 if environ["REQUEST_METHOD"] == "GET" and "HTTP_IF_MATCH" in environ else None
    with pytest.raises(cluster.SourceChanged, match="message was changed while it was read"):
        cluster.seal("s3://bucket/message", KEY, to="s3://bucket/x", client=client, storage_options=s3.options, progress=False)
    assert s3.names() == ["message", "message.abreast"] and s3.uploads() == []


def test_a_store_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing() as port:
        options: dict[str, Any] = {"key": "test", "secret": "test", "endpoint_url": f"http://127.0.0.1:{port}"}
        options["client_kwargs"] = {"region_name": "us-east-1", "config": Config(retries={"total_max_attempts": 1})}
        with pytest.raises(OSError, match="^s3://bucket/message: the store gave no answer, see storage_options: Could not connect"):
            _stores.S3Store("s3://bucket/message", options).pin()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(OSError, match="see storage_options: Unable to locate credentials"):
        _stores.S3Store("s3://bucket/message", {"endpoint_url": options["endpoint_url"]}).pin()


def test_progress(client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "message").write_bytes(bytes(3 * PART))
    cluster.seal(f"{tmp_path}/message", KEY, client=client)
    shown = capsys.readouterr()
    assert "seal: 100%" in shown.err and "25.2M/25.2M" in shown.err and shown.out == ""
    cluster.verify(f"{tmp_path}/message.abreast", KEY, client=client, progress=False)
    assert capsys.readouterr().err == ""


def test_a_store_that_fails_for_good(client: Any, s3: Server) -> None:
    s3.put("message", bytes(2 * PART))
    s3.fault = lambda environ: 500 if "partNumber=2" in environ["QUERY_STRING"] else None
    options = {**s3.options, "client_kwargs": {**s3.options["client_kwargs"], "config": Config(retries={"total_max_attempts": 2})}}
    with pytest.raises(OSError, match="the store answered 500"):
        cluster.seal("s3://bucket/message", KEY, client=client, storage_options=options, progress=False)
    assert s3.names() == ["message"] and s3.uploads() == []


def test_a_source_that_changes(client: Any, s3: Server, tmp_path: Path) -> None:
    s3.put("message", bytes(4 * PART))
    changed = threading.Event()

    def fault(environ: Any) -> None:
        if environ["REQUEST_METHOD"] == "PUT" and "partNumber" in environ["QUERY_STRING"] and not changed.is_set():
            changed.set()
            s3.put("message", b"x" * (4 * PART))

    s3.fault = fault
    with pytest.raises(cluster.SourceChanged, match="was changed while it was read"):
        cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
    assert changed.is_set() and s3.names() == ["message"] and s3.uploads() == []
    # A local file of the same length, with another time.
    source = tmp_path / "message"
    source.write_bytes(bytes(PART))
    job_pin = _stores.LocalStore(str(source)).pin()
    os.utime(source, ns=(1, 1))
    with pytest.raises(cluster.SourceChanged):
        _stores.LocalStore(str(source)).read(0, 1, job_pin)


@pytest.mark.drawn(3)
def test_a_scheduler_that_is_restarted(s3: Server, rng: random.Random) -> None:
    """Its end is told to the caller, and nothing is left. The same call does it once there is a scheduler again."""
    message = rng.randbytes(6 * PART)
    s3.put("message", message)
    with Apart() as apart:
        apart.worker()

        def fault(environ: Any) -> None:
            if "partNumber=2" in environ["QUERY_STRING"]:
                apart.scheduler.kill()

        with distributed.Client(apart.address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            s3.fault = fault
            with pytest.raises(cluster.ClusterLost, match="run it again"):
                cluster.seal("s3://bucket/message", KEY, client=client, storage_options=s3.options, progress=False)
        assert s3.names() == ["message"] and s3.uploads() == []
        s3.fault = lambda environ: None
        apart.restart_scheduler()
        apart.worker()
        with distributed.Client(apart.address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
        # By the address of the scheduler.
        cluster.seal("s3://bucket/message", KEY, client=apart.address, storage_options=s3.options, progress=False)
        sealed = s3.get("message.abreast")
        assert sealed == alone(message, sealed) and s3.uploads() == []


def test_keys_are_not_in_what_travels(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sent: list[bytes] = []
    submit = distributed.Client.submit

    def seen(self: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        sent.append(pickle.dumps(arguments))
        sent.append(repr(arguments).encode())
        return submit(self, function, *arguments, **options)

    monkeypatch.setattr(distributed.Client, "submit", seen)
    (tmp_path / "message").write_bytes(bytes(100))
    with caplog.at_level(logging.DEBUG):
        cluster.seal(str(tmp_path / "message"), KEY, client=client, progress=False)
    sent += [repr(one).encode() for one in caplog.get_records("call")]
    sent += [repr(client.get_worker_logs()).encode(), repr(client.get_scheduler_logs()).encode()]
    header = (tmp_path / "message.abreast").read_bytes()[:HEADER]
    file_key = FileKey.from_header(KEY, header).to_bytes()
    assert len(sent) >= 4
    for secret in (bytes(range(32)), file_key, file_key[1:33]):
        for one in sent:
            assert secret not in one and secret.hex().encode() not in one
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(KEY)
    # The key of the run is gone from the workers when the run is over.
    assert all(not runs for runs in client.run(lambda: list(cluster._keys._held)).values())


def test_keys_that_workers_have(client: Any, tmp_path: Path) -> None:
    save_key(KEY, tmp_path / "my.key")
    (tmp_path / "message").write_bytes(b"m" * PART)
    key = cluster.WorkerKey(str(tmp_path / "my.key"))
    cluster.seal(str(tmp_path / "message"), key, client=client, progress=False)
    verify_file(tmp_path / "message.abreast", KEY)
    cluster.verify(str(tmp_path / "message.abreast"), key, client=client, progress=False)
    save_key(Key.generate(), tmp_path / "other.key")
    other = cluster.WorkerKey(str(tmp_path / "other.key"))
    cluster.reseal(str(tmp_path / "message.abreast"), key, other, to=str(tmp_path / "new"), client=client, progress=False)
    verify_file(tmp_path / "new", other.load())
    with pytest.raises(abreast.InvalidTag):
        cluster.verify(str(tmp_path / "new"), key, client=client, progress=False)


def test_what_is_not_authentic(client: Any, tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(b"m" * 3 * PART)
    cluster.seal(str(tmp_path / "message"), KEY, client=client, progress=False)
    sealed = bytearray((tmp_path / "message.abreast").read_bytes())
    sealed[2 * PART] ^= 1
    (tmp_path / "message.abreast").write_bytes(sealed)
    for call in (
        lambda: cluster.open(str(tmp_path / "message.abreast"), KEY, to=str(tmp_path / "o"), client=client, progress=False),
        lambda: cluster.verify(str(tmp_path / "message.abreast"), KEY, client=client, progress=False),
        lambda: cluster.reseal(str(tmp_path / "message.abreast"), KEY, Key.generate(), to=str(tmp_path / "o"), client=client, progress=False),
        lambda: cluster.open(str(tmp_path / "message"), KEY, to=str(tmp_path / "o"), client=client, progress=False),
    ):
        with pytest.raises(abreast.InvalidTag):
            call()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["message", "message.abreast"]


@pytest.mark.long
def test_memory_of_a_worker(s3: Server, tmp_path: Path) -> None:
    """A part that is longer than the memory that a worker may take."""
    size = 160 * MIB
    with open(tmp_path / "message", "wb") as file:
        file.truncate(size)
    report = cluster.seal(
        str(tmp_path / "message"), KEY, to="s3://bucket/sealed", target_options=s3.options, part_size=size, progress=False
    )
    assert report.files[0].parts == 1
    assert max(report.peak_memory.values()) < 200e6, report
    assert s3.client.head_object(Bucket="bucket", Key="sealed")["ContentLength"] == Plan(size).sealed_len
    start = s3.client.get_object(Bucket="bucket", Key="sealed", Range="bytes=0-999")["Body"].read()
    plan = Plan(size, salt=start[:24])
    assert start == FileCipher(FileKey.of_plan(KEY, plan)).seal_part(plan.pieces(0)[0], bytes(4 * MIB))[:1000]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: cluster.seal([], KEY), ValueError, "no files"),
        (lambda: cluster.seal("a", b"key"), TypeError, "key is a Key of abreast.sealed"),  # type: ignore[arg-type]
        (lambda: cluster.open("a", KEY), ValueError, "does not end in .abreast"),
        (lambda: cluster.seal(["a", "b"], KEY, to=["c"]), ValueError, "2 files and 1 targets"),
        (lambda: cluster.seal(["x/a", "y/a"], KEY, to="z/"), ValueError, "written twice"),
    ],
)
def test_what_does_not_fit(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()
