"""Sealed files by the workers of a Dask cluster: seal, open, re-key and verify what is too much for one machine.

    report = abreast.dask.seal("s3://bucket/table.parquet", key, client="tls://scheduler:8786")
    print(report)
    8000.0 MB in 954 parts of 1 file by 3 workers: 20.0 s, 400 MB/s, at most 130 MB of memory in a worker

A file is cut into parts (:class:`abreast.sealed.Plan`). Each is a task: a worker fetches its range of the source, seals
it piece by piece, and sends it to the store as a part of a multipart upload. The result is the file that one machine
would have made with the same salt, byte for byte, and appears in its place as a whole or not at all. URLs are those of
fsspec; local files have to be on a file system that all workers share.

**Keys.** The key itself stays in the process that calls. Each file has keys of its own, derived from the key and its
salt; tasks carry these sealed by AES-256-GCM under a key of the run, which every worker has from a plugin for as long as
the run lasts. So neither task graphs nor logs nor the scheduler's state hold anything that opens a file, but who
controls the scheduler's process can take the run's key from the plugin as it passes. Where that matters, use TLS
(``tls://``) against who listens, and :class:`WorkerKey` against the scheduler: workers read the key from a file of
theirs, and nothing secret travels.

**Failures.** A worker that ends has its parts done again by another one. A part that is done twice has the same bytes, as
the source is pinned by its length and ETag (a local file: its inode and time of change): one that changes meanwhile is
an error, and then nothing is left in the store, as after any other error. Only where the calling process itself is
killed does an upload stay unfinished: S3 removes those by a lifecycle rule (AbortIncompleteMultipartUpload), and local
ones are called ``.abreast-*.tmp``. To go on, run the same call again.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import resource
import secrets
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from .._abreast import AESGCM, HEADER, FileCipher, FileKey, Key, Plan
from .._errors import InvalidTag
from .._extras import require
from .._stores import Options, Part, Pin, SourceChanged, Store, store

if TYPE_CHECKING:
    from distributed import Client, Future, Worker, WorkerPlugin
    from typing_extensions import Buffer
else:
    WorkerPlugin = require("distributed", "dask").WorkerPlugin

__all__ = [
    "ClusterLost",
    "FileReport",
    "Report",
    "SourceChanged",
    "WorkerKey",
    "open",
    "reseal",
    "seal",
    "verify",
]

_PIECE = 4 << 20
"""How much of a part a worker holds at a time, where the store takes parts piece by piece."""

_SUFFIX = ".abreast"


class ClusterLost(RuntimeError):
    """The scheduler went away. Nothing was left in the store; run the call again."""


@dataclass(frozen=True)
class WorkerKey:
    """A key that workers read from a key file of theirs. The caller need not have it."""

    path: str

    def load(self) -> Key:
        """The key, where this is called."""
        from ..sealed import load_key

        return load_key(self.path)


@dataclass(frozen=True)
class FileReport:
    """What became of a file."""

    source: str
    target: str | None
    bytes: int
    """Bytes of the message."""
    parts: int


@dataclass
class Report:
    """What a run did."""

    files: list[FileReport] = field(default_factory=list)
    seconds: float = 0.0
    """Of the work, without the start of a cluster of its own."""
    peak_memory: dict[str, int] = field(default_factory=dict)
    """The most bytes that each worker's process had in memory since it began."""

    @property
    def bytes(self) -> int:
        """Bytes of all messages."""
        return sum(file.bytes for file in self.files)

    def __str__(self) -> str:
        def plural(count: int, name: str) -> str:
            return f"{count} {name}{'' if count == 1 else 's'}"

        megabytes, parts = self.bytes / 1e6, sum(file.parts for file in self.files)
        return (
            f"{megabytes:.1f} MB in {plural(parts, 'part')} of {plural(len(self.files), 'file')} by "
            f"{plural(len(self.peak_memory), 'worker')}: {self.seconds:.1f} s, "
            f"{megabytes / max(self.seconds, 1e-9):.0f} MB/s, at most "
            f"{max(self.peak_memory.values(), default=0) / 1e6:.0f} MB of memory in a worker"
        )


_run_keys: dict[str, AESGCM] = {}
"""The keys of the runs that this process works for."""


class _RunKey(WorkerPlugin):
    """Brings a worker the key of a run, under which the keys of files travel, and takes it away in the end."""

    def __init__(self, run: str, key: bytes) -> None:
        self.name, self._run, self._key = f"abreast-{run}", run, key

    def __repr__(self) -> str:
        return f"<key of run {self._run}>"

    def setup(self, worker: Worker) -> None:
        _run_keys[self._run] = AESGCM(self._key)

    def teardown(self, worker: Worker) -> None:
        _run_keys.pop(self._run, None)


@dataclass(frozen=True)
class _SealedKey:
    """The keys of a file as tasks carry them: sealed under the key of the run, for this file alone."""

    run: str
    nonce: bytes
    sealed: bytes

    @staticmethod
    def of(run: str, key: AESGCM, file_key: FileKey, file: str) -> _SealedKey:
        nonce = secrets.token_bytes(12)
        return _SealedKey(run, nonce, key.encrypt(nonce, file_key.to_bytes(), file.encode()))

    def open(self, file: str) -> FileKey:
        key = _run_keys.get(self.run)
        if key is None:
            raise RuntimeError("this worker has no key of the run; it joined as the run ended")
        return FileKey.from_bytes(key.decrypt(self.nonce, self.sealed, file.encode()))


_CarriedKey = _SealedKey | WorkerKey
_What = Literal["seal", "open", "reseal", "verify"]


@dataclass(frozen=True)
class _Job:
    """What is done with a file: all that a task needs, nothing of it secret but what is sealed."""

    what: _What
    plan: Plan
    pin: Pin
    header: bytes
    """The header of a sealed source."""
    source: str
    target: str | None
    source_options: Options | None = field(repr=False)
    target_options: Options | None = field(repr=False)
    key: _CarriedKey = field(repr=False)
    new_key: _CarriedKey | None = field(repr=False, default=None)
    new_salt: bytes = b""
    upload: str = ""

    def cipher(self) -> FileCipher:
        """What seals a message that is sealed, or opens a file that is opened."""
        if isinstance(self.key, _SealedKey):
            return FileCipher(self.key.open(self.source))
        key = self.key.load()
        sealing = self.what == "seal"
        return FileCipher(FileKey.of_plan(key, self.plan) if sealing else FileKey.from_header(key, self.header))

    def new_cipher(self) -> FileCipher:
        """What seals a file that is resealed."""
        if isinstance(self.new_key, _SealedKey):
            return FileCipher(self.new_key.open(self.source))
        assert self.new_key is not None
        return FileCipher(FileKey.of_plan(self.new_key.load(), Plan(self.plan.message_len, salt=self.new_salt)))

    def pieces(self, number: int, source: Store) -> Iterator[Buffer]:
        """What a part of the target consists of."""
        cipher = self.cipher()
        new_cipher = self.new_cipher() if self.what == "reseal" else None
        for piece in self.plan.pieces(number, _PIECE):
            start, stop = piece.plain if self.what == "seal" else piece.sealed
            data = source.read(start, stop, self.pin)
            if self.what == "seal":
                yield cipher.seal_part(piece, data)
            elif new_cipher is None:
                yield cipher.open_part(piece, data)
            else:
                buffer = data if isinstance(data, bytearray) else bytearray(data)
                del data
                cipher.reseal_part(new_cipher, piece, buffer)
                yield buffer


@dataclass(frozen=True)
class _Done:
    """What a task says."""

    number: int
    proof: str
    worker: str
    peak_memory: int
    failed: Exception | None = None


def _do_part(job: _Job, number: int) -> _Done:
    """The task: a part of a file, from store to store."""
    from distributed import get_worker

    failed: Exception | None = None
    proof = ""
    try:
        source = store(job.source, job.source_options)
        if job.target is None:
            for _ in job.pieces(number, source):
                pass
        else:
            part = job.plan[number]
            start, stop = part.plain if job.what == "open" else part.sealed
            made = Part(number, start, stop, lambda: job.pieces(number, source))
            proof = store(job.target, job.target_options).put(job.upload, made)
    except (InvalidTag, SourceChanged, ValueError, FileNotFoundError) as error:
        # To try again would not help.
        failed = error.with_traceback(None)
        failed.__context__ = failed.__cause__ = None
    return _Done(number, proof, str(get_worker().address), _peak_memory(), failed)


def _peak_memory() -> int:
    """The most bytes that this process had in memory."""
    # What getrusage says begins with what the process had that started this one.
    with contextlib.suppress(OSError), builtins.open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _targets(sources: list[str], to: str | Sequence[str] | None, what: _What) -> list[str | None]:
    """Where the files go."""
    if what == "verify":
        return [None] * len(sources)
    if isinstance(to, str):
        if len(sources) == 1 and not to.endswith("/"):
            return [to]
        folder = to.rstrip("/")
        names = [source.rstrip("/").rsplit("/", 1)[-1] for source in sources]
        return [f"{folder}/{name}" if what == "reseal" else f"{folder}/{_renamed(name, what)}" for name in names]
    if to is None:
        if what == "reseal":
            raise ValueError("pass to=, the place of the resealed files")
        return [_renamed(source, what) for source in sources]
    if len(to) != len(sources):
        raise ValueError(f"there are {len(sources)} files and {len(to)} targets; there has to be one for each")
    return list(to)


def _check_targets(sources: list[str], targets: list[str | None]) -> None:
    """Refuses a target that would replace a source or another target."""
    places = set(map(_place, sources))
    for source, target in zip(sources, targets, strict=True):
        if target is None:
            continue
        place = _place(target)
        if place == _place(source):
            raise ValueError(f"{source} would be its own target")
        if place in places:
            raise ValueError(f"{target} would be written twice, or is one of the sources; pass a list of targets as to=")
        places.add(place)


def _place(url: str) -> str:
    """A name that equal places share: local paths are made absolute, URLs stay as they are."""
    parts = urlsplit(url)
    if parts.scheme in ("", "file", "local"):
        return os.path.abspath(url if parts.scheme == "" else parts.path)
    return url


def _renamed(name: str, what: _What) -> str:
    if what == "seal":
        return name + _SUFFIX
    if not name.endswith(_SUFFIX):
        raise ValueError(f"{name} does not end in {_SUFFIX}; pass to=, the place of the opened file")
    return name.removesuffix(_SUFFIX)


@contextlib.contextmanager
def _cluster(client: Client | str | None) -> Generator[Client]:
    """The client that was passed, or one of a scheduler's address, or one of this machine alone."""
    distributed = require("distributed", "dask")
    if client is not None and not isinstance(client, str):
        yield client
    elif client is not None:
        with distributed.Client(client, set_as_default=False) as made:
            yield made
    else:
        cores = os.cpu_count() or 1
        with (
            distributed.LocalCluster(
                n_workers=cores, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as made,
        ):
            yield made


class _Run:
    """Files on their way through a cluster."""

    def __init__(self, client: Client, what: _What, replace: bool, part_size: int | None) -> None:
        self.client, self.replace, self.part_size = client, replace, part_size
        self.what: _What = what
        self.id, self._key = secrets.token_hex(8), AESGCM.generate_key()
        self._aead = AESGCM(self._key)
        self._plugin = _RunKey(self.id, self._key)
        self.begun: list[tuple[Store, str]] = []

    def __enter__(self) -> _Run:
        self.client.register_plugin(self._plugin)
        return self

    def __exit__(self, *_: object) -> None:
        # A scheduler that is gone has no workers with plugins any more.
        if self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.unregister_worker_plugin(self._plugin.name)
        for target, upload in self.begun:
            target.abort(upload)

    def _carried(self, key: Key | WorkerKey, file_key: FileKey | None, source: str) -> _CarriedKey:
        if isinstance(key, WorkerKey):
            return key
        assert file_key is not None
        return _SealedKey.of(self.id, self._aead, file_key, source)

    def job(
        self,
        source: str,
        target: str | None,
        key: Key | WorkerKey,
        new_key: Key | WorkerKey | None,
        options: Options | None,
        target_options: Options | None,
    ) -> _Job:
        """Pins the source, plans its parts, and begins the target."""
        origin = store(source, options)
        pin = origin.pin()
        place = None if target is None else store(target, target_options)
        if place is not None and not self.replace and place.exists():
            raise FileExistsError(f"{target} exists already; replace=True replaces it")
        header, file_key, new_file_key, new_salt = b"", None, None, b""
        if self.what == "seal":
            plan = Plan(pin.size, preferred_part=self.part_size)
            if isinstance(key, Key):
                file_key = FileKey.of_plan(key, plan)
            length = plan.sealed_len
        else:
            if pin.size < HEADER:
                raise InvalidTag(f"{source}: authentication failed: cut off, or no sealed file")
            header = bytes(origin.read(0, HEADER, pin))
            if header.startswith(b"abreast/"):
                raise ValueError(f"{source} is sealed with a passphrase; only files sealed with a key have parts")
            plan = Plan.of_sealed(header, pin.size, preferred_part=self.part_size)
            if isinstance(key, Key):
                try:
                    file_key = FileKey.from_header(key, header)
                except InvalidTag as error:
                    raise InvalidTag(f"{source}: {error}") from None
            length = plan.sealed_len if self.what == "reseal" else plan.message_len
        if new_key is not None:
            new_plan = Plan(plan.message_len)
            new_salt = new_plan.salt
            new_file_key = FileKey.of_plan(new_key, new_plan) if isinstance(new_key, Key) else None
        upload = secrets.token_hex(8)
        if place is not None:
            upload = place.begin(length)
            self.begun.append((place, upload))
        return _Job(
            self.what,
            plan,
            pin,
            header,
            source,
            target,
            options,
            target_options,
            self._carried(key, file_key, source),
            None if new_key is None else self._carried(new_key, new_file_key, source),
            new_salt,
            upload,
        )

    def finish(self, job: _Job, proofs: list[str]) -> None:
        """Gives a file its place once its source is seen not to have changed."""
        job.pin.check(store(job.source, job.source_options).pin(), job.source)
        if job.target is not None:
            place = store(job.target, job.target_options)
            place.complete(job.upload, proofs, replace=self.replace)
            self.begun = [(target, upload) for target, upload in self.begun if upload != job.upload]


def _run(
    what: _What,
    urls: str | Sequence[str],
    key: Key | WorkerKey,
    new_key: Key | WorkerKey | None = None,
    *,
    to: str | Sequence[str] | None,
    client: Client | str | None,
    storage_options: Options | None,
    target_options: Options | None,
    replace: bool,
    progress: bool,
    part_size: int | None,
) -> Report:
    sources = [urls] if isinstance(urls, str) else list(urls)
    if not sources:
        raise ValueError("there are no files: urls is empty")
    for one in (key, new_key) if what == "reseal" else (key,):
        if not isinstance(one, (Key, WorkerKey)):
            raise TypeError("a key is an abreast.sealed.Key, or a WorkerKey of a path that workers have")
    targets = _targets(sources, to, what)
    _check_targets(sources, targets)
    if part_size is not None and part_size < 1:
        raise ValueError(f"part_size is a number of bytes, and not {part_size}")
    places = storage_options if target_options is None else target_options
    tqdm = require("tqdm", "dask").tqdm
    report = Report()
    with _cluster(client) as made, _Run(made, what, replace, part_size) as run:
        start = time.monotonic()
        jobs = [
            run.job(source, target, key, new_key, storage_options, places)
            for source, target in zip(sources, targets, strict=True)
        ]
        size = sum(job.plan.message_len for job in jobs)
        with tqdm(total=size, unit="B", unit_scale=True, desc=what, disable=not progress) as bar:
            _work(run, jobs, report, bar)
        report.seconds = time.monotonic() - start
    return report


def _work(run: _Run, jobs: list[_Job], report: Report, bar: Any) -> None:
    """Has all parts done, and gives each file its place as its last part is."""
    distributed = require("distributed", "dask")
    futures: dict[Future[_Done], tuple[_Job, int]] = {}
    try:
        for file, job in enumerate(jobs):
            for number in range(len(job.plan)):
                name = f"abreast-{run.what}-{run.id}-{file}-{number}"
                future = run.client.submit(_do_part, job, number, key=name, pure=False, retries=1)
                futures[future] = job, number
        left = {id(job): len(job.plan) for job in jobs}
        done: dict[int, list[_Done]] = {id(job): [] for job in jobs}
        for future in distributed.as_completed(futures, loop=run.client.loop):
            job, number = futures[future]
            if future.status in ("cancelled", "lost"):
                raise ClusterLost("the scheduler went away; nothing was left in the store, run it again")
            answer: _Done = future.result()
            if isinstance(answer.failed, InvalidTag):
                raise InvalidTag(f"{job.source}: {answer.failed}")
            if answer.failed is not None:
                raise answer.failed
            start, stop = job.plan[number].plain
            bar.update(stop - start)
            done[id(job)].append(answer)
            peak = report.peak_memory.get(answer.worker, 0)
            report.peak_memory[answer.worker] = max(peak, answer.peak_memory)
            left[id(job)] -= 1
            if left[id(job)] == 0:
                answers = sorted(done.pop(id(job)), key=lambda answer: answer.number)
                run.finish(job, [answer.proof for answer in answers])
                report.files.append(
                    FileReport(job.source, job.target, job.plan.message_len, len(answers))
                )
    except (distributed.comm.CommClosedError, distributed.client.FutureCancelledError) as error:
        raise ClusterLost("the scheduler went away; nothing was left in the store, run it again") from error
    finally:
        # Parts that still run would write to what is given up.
        running = [future for future in futures if future.status == "pending"]
        if running and run.client.status == "running":
            with contextlib.suppress(Exception):
                run.client.cancel(running)
                distributed.wait(running, timeout=10)


def seal(
    urls: str | Sequence[str],
    key: Key | WorkerKey,
    *,
    to: str | Sequence[str] | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Seals files.

    ``urls`` and ``to`` are URLs of fsspec; ``to`` is the target of one file, a folder that ends in ``/``, or a list, and
    the source with ``.abreast`` unless it is given. ``client`` is a Dask client or the address of a scheduler; without it
    the cores of this machine work. ``storage_options`` are for the store of the sources, and for that of the targets
    unless these have ``target_options``; they travel with the tasks, so credentials are better where workers find them by
    themselves. ``part_size`` is how many bytes of a message are a part, 8 MiB unless that would be more than 10 000 parts.
    """
    return _run(
        "seal",
        urls,
        key,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        progress=progress,
        part_size=part_size,
    )


def open(
    urls: str | Sequence[str],
    key: Key | WorkerKey,
    *,
    to: str | Sequence[str] | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Opens sealed files, or raises InvalidTag. For the arguments see :func:`seal`."""
    return _run(
        "open",
        urls,
        key,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        progress=progress,
        part_size=part_size,
    )


def reseal(
    urls: str | Sequence[str],
    key: Key | WorkerKey,
    new_key: Key | WorkerKey,
    *,
    to: str | Sequence[str],
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Seals sealed files with another key, without their messages being anywhere but in a worker's buffer, and there a
    chunk at a time. For the arguments see :func:`seal`."""
    return _run(
        "reseal",
        urls,
        key,
        new_key,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        progress=progress,
        part_size=part_size,
    )


def verify(
    urls: str | Sequence[str],
    key: Key | WorkerKey,
    *,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Authenticates all of sealed files, or raises InvalidTag. For the arguments see :func:`seal`."""
    return _run(
        "verify",
        urls,
        key,
        to=None,
        client=client,
        storage_options=storage_options,
        target_options=None,
        replace=False,
        progress=progress,
        part_size=part_size,
    )
