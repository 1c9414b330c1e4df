"""The caller's side of a run: the order of tasks, and the outcome of each file."""

from __future__ import annotations

import contextlib
import queue
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Job
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from .._abreast import FileKey, Key, Plan
from .._errors import InvalidTag
from .._extras import require
from .._ranges import chunk_of
from .._s3 import Options
from .._stores import Store
from .._worker_key import WorkerKey
from . import _keys, _objects
from ._names import Source, What
from ._report import FileReport, Outcome, Report
from ._tasks import Begun, CarriedKey, Done, Order, do_files, do_part

if TYPE_CHECKING:
    from distributed import Client, Future

SMALL = 8 << 20
"""The longest message that one task takes as a whole."""

_BATCH = 32 << 20
"""Bytes of the files that one task takes together. A file of unknown size counts as if it were of the longest."""

_FILES = 32
"""Files that one task takes together."""

_ASKS = 20
"""Times that a worker may lose the key of a run and ask again."""

_WAITS = 60.0
"""Seconds after which a worker that was given the key, and still asks for it, is given up."""

_DRAIN = 60.0
"""Seconds that what still runs has to come to its end once the first error is met."""

_SIDE_BY_SIDE = 8
"""Uploads that the caller begins and completes at the same time."""

_DONE: dict[What, Outcome] = {"seal": "sealed", "open": "opened", "reseal": "resealed", "verify": "verified"}


class ClusterLost(RuntimeError):
    """The scheduler went away. No upload was left unfinished; run the call again."""


@dataclass
class _File:
    """A file on its way."""

    order: Order
    source: Source
    outcome: Outcome = "not done"
    reason: str = ""
    error: BaseException | None = None
    bytes: int = 0
    plan: Plan | None = None
    place: Store | None = None
    proofs: dict[int, str] = field(default_factory=dict)
    next_part: int = 0
    running: int = 0
    """Tasks and jobs that work on it."""
    ended: bool = False
    completed: bool = False
    """True once a file of parts has its place."""

    @property
    def length(self) -> int:
        """Bytes of the message of a file of parts."""
        return 0 if self.plan is None else self.plan.message_len

    @property
    def url(self) -> str:
        return self.source.url


@dataclass
class _Small:
    """A task of small files."""

    files: list[_File]
    worker: str | None = None


@dataclass
class _Long:
    """A task of a part of a file."""

    file: _File
    number: int


_Task = _Small | _Long


class Run:
    """A run of one call over a cluster."""

    def __init__(
        self,
        client: Client,
        what: What,
        key: Key | WorkerKey | FileKey,
        new_key: Key | WorkerKey | None,
        *,
        storage_options: Options | None,
        target_options: Options | None,
        replace: bool,
        skip_existing: bool,
        stop_at_error: bool,
        part_size: int | None,
        bar: Any,
    ) -> None:
        self._what: What = what
        self._client, self._key, self._new_key = client, key, new_key
        self._options, self._target_options = storage_options, target_options
        self._replace, self._skip_existing, self._stop_at_error = replace, skip_existing, stop_at_error
        self._part_size, self._bar = part_size, bar
        self._run_key = _keys.RunKey(client) if isinstance(key, Key | FileKey) or isinstance(new_key, Key) else None
        plan = Plan.ags1 if isinstance(key, FileKey) else Plan
        parts = plan(1 << 30, preferred_part=part_size).part_chunks * chunk_of(key)
        self._limit = min(SMALL, parts)
        self._files: list[_File] = []
        self._waiting: deque[_File] = deque()
        self._open: deque[_File] = deque()
        """Files with parts that no task has yet."""
        self._next: deque[_Task] = deque()
        """Tasks that come before all others."""
        self._tasks: dict[Future[Done], _Task] = {}
        self._jobs: dict[Job[Any], tuple[_File, Callable[[Any], None]]] = {}
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked: dict[str, dict[bytes, tuple[float, float]]] = {}
        """By worker and public key: when it was first asked with, and last answered."""
        self._workers: set[str] = set()
        self._threads = 1
        self._lost_worker = False
        self._peaks: dict[str, int] = {}
        self._first_error: BaseException | None = None
        self._stopped = False
        self._id, self._number = secrets.token_hex(8), 0
        self._pool = ThreadPoolExecutor(_SIDE_BY_SIDE, "abreast-uploads")

    # Orders and keys.

    def _carried(self, key: Key | WorkerKey | FileKey, file_key: Callable[[Key], FileKey], url: str) -> CarriedKey:
        if isinstance(key, WorkerKey):
            return key
        assert self._run_key is not None
        return self._run_key.sealed(key if isinstance(key, FileKey) else file_key(key), url)

    def _order(self, number: int, source: Source) -> Order:
        """Returns the order for a file, as its first task carries it."""
        key: CarriedKey | None = None
        new_key: CarriedKey | None = None
        fresh = Plan(0)
        salt = fresh.salt
        # Streams of AGS1 alone have none.
        assert salt is not None
        if not source.left_out and source.error is None:
            if isinstance(self._key, WorkerKey | FileKey) or self._what == "seal":
                key = self._carried(self._key, lambda key: FileKey.of_plan(key, fresh), source.url)
            if self._new_key is not None:
                new_key = self._carried(self._new_key, lambda key: FileKey.of_plan(key, fresh), source.url)
        return Order(
            number,
            self._what,
            source.url,
            source.target,
            self._options,
            self._target_options,
            self._replace,
            self._skip_existing,
            source.listed,
            self._part_size,
            self._limit,
            key,
            new_key,
            salt,
            streams=isinstance(self._key, FileKey),
            sealed_length=source.sealed_length,
        )

    # The loop.

    def work(self, sources: Sequence[Source]) -> Report:
        """Does all files, or as many as can be done; the report says which. The error of the first goes with it."""
        distributed = require("distributed", "dask")
        start = time.monotonic()
        error: BaseException | None = None
        for number, source in enumerate(sources):
            file = _File(self._order(number, source), source)
            self._files.append(file)
            if source.left_out:
                file.outcome, file.reason, file.ended = "skipped", source.left_out, True
            elif source.error is not None:
                self._fail(file, source.error)
            else:
                self._waiting.append(file)
        try:
            self._begin()
            self._loop()
        except (distributed.comm.CommClosedError, distributed.client.FutureCancelledError) as caught:
            error = self._lost(caught)
        except BaseException as caught:
            error = caught
        finally:
            self._give_up()
        error = error or (self._first_error if self._stop_at_error else None)
        report = self._report(time.monotonic() - start)
        if error is not None:
            # The error carries the report, so that the caller learns of the files that are done.
            error.report = report  # type: ignore[attr-defined]
            raise error
        return report

    def _begin(self) -> None:
        self._count_workers()
        if self._run_key is not None and self._waiting:
            self._run_key.begin()

    def _count_workers(self) -> None:
        try:
            # The types of distributed know asynchronous clients alone.
            threads: dict[str, int] = cast("Any", self._client.nthreads())
        except OSError:
            # The status of the client tells the reason.
            return
        self._lost_worker = self._lost_worker or not self._workers.issubset(threads)
        self._workers |= set(threads)
        self._threads = max(1, sum(threads.values()))

    def _loop(self) -> None:
        counted = time.monotonic()
        deadline: float | None = None
        self._fill()
        while self._tasks or self._jobs:
            event: Any = None
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=1)
            if event in self._tasks:
                self._answered(event)
            elif event in self._jobs:
                file, then = self._jobs.pop(event)
                self._job_ended(file, event, then)
            if self._client.status not in ("running", "connecting"):
                raise self._lost()
            if time.monotonic() - counted > 5:
                self._count_workers()
                counted = time.monotonic()
            if self._stopped:
                deadline = deadline or time.monotonic() + _DRAIN
                if time.monotonic() > deadline:
                    return
            self._fill()

    @staticmethod
    def _lost(cause: BaseException | None = None) -> ClusterLost:
        error = ClusterLost("the scheduler went away; nothing was left unfinished in the store, run it again")
        error.__cause__ = cause
        return error

    def _fill(self) -> None:
        """Gives the cluster as many tasks as keep it busy: parts of files that are begun come first."""
        while len(self._tasks) < 3 * self._threads + 2:
            task = self._next_task()
            if task is None:
                return
            self._submit(task)

    def _next_task(self) -> _Task | None:
        if self._stopped:
            return None
        while self._next:
            task = self._next.popleft()
            if isinstance(task, _Small) or not task.file.ended:
                return task
        while self._open:
            file = self._open[0]
            assert file.plan is not None
            if file.ended or file.next_part == len(file.plan):
                self._open.popleft()
                continue
            file.next_part += 1
            return _Long(file, file.next_part - 1)
        if not self._waiting:
            return None
        # As few together as give each thread something.
        most = min(_FILES, -(-len(self._waiting) // (2 * self._threads)))
        batch: list[_File] = []
        weight = 0
        while self._waiting and len(batch) < most and weight < _BATCH:
            size = self._waiting[0].source.size
            weight += SMALL if size is None else min(size, SMALL)
            if batch and weight > _BATCH:
                break
            batch.append(self._waiting.popleft())
        return _Small(batch)

    def _submit(self, task: _Task) -> None:
        how: dict[str, Any] = {"pure": False, "retries": 1}
        if isinstance(task, _Small):
            if task.worker is not None:
                how |= {"workers": [task.worker], "allow_other_workers": True, "priority": 1}
            name = None if self._run_key is None else self._run_key.name
            future = self._client.submit(do_files, name, [file.order for file in task.files], key=self._name(task), **how)
            files = task.files
        else:
            future = self._client.submit(do_part, task.file.order, task.number, key=self._name(task), **how)
            files = [task.file]
        for file in files:
            file.running += 1
        self._tasks[future] = task
        future.add_done_callback(self._events.put)

    def _name(self, task: _Task) -> str:
        self._number += 1
        return f"abreast-{self._what}-{self._id}-{self._number}"

    # Answers of workers.

    def _answered(self, future: Future[Done]) -> None:
        distributed = require("distributed", "dask")
        task = self._tasks.pop(future)
        files = task.files if isinstance(task, _Small) else [task.file]
        for file in files:
            file.running -= 1
        if future.status in ("cancelled", "lost"):
            raise self._lost()
        try:
            answer = future.result()
        except (distributed.comm.CommClosedError, distributed.client.FutureCancelledError) as error:
            raise self._lost(error) from error
        except Exception as error:
            # A worker's end that was met too often, or a package that workers have not.
            for file in files:
                self._not_done(file, error, again=isinstance(task, _Small))
        else:
            self._peaks[answer.worker] = max(self._peaks.get(answer.worker, 0), answer.peak_memory)
            if answer.asks is not None:
                self._asks(answer.worker, answer.asks, task, files)
            elif isinstance(task, _Long):
                self._part_done(task, answer)
            else:
                self._small_done(task, answer)
        for file in files:
            self._settle(file)

    def _asks(self, worker: str, public: bytes, task: _Task, files: list[_File]) -> None:
        """Gives a worker the key of the run, and the task once more."""
        assert self._run_key is not None
        if self._stopped:
            return
        asked, now = self._asked.setdefault(worker, {}), time.monotonic()
        # All threads of a worker ask at the same time, with the same key, and one answer is enough for them.
        first, last = asked.get(public, (now, 0.0))
        if now - last > 1:
            self._run_key.give({worker: public})
            last = time.monotonic()
        asked[public] = first, last
        if len(asked) > _ASKS or now - first > _WAITS:
            for file in files:
                self._fail(file, RuntimeError(f"the worker {worker} does not keep the key of the run"))
        else:
            self._next.append(task)

    def _small_done(self, task: _Small, answer: Done) -> None:
        by_number = {file.order.number: file for file in task.files}
        keyed: list[_File] = []
        for begun in answer.files:
            file = by_number[begun.number]
            if begun.state == "done":
                self._small_ended(file, begun)
            elif begun.state == "skipped":
                self._skip(file)
            elif begun.state == "failed":
                assert begun.error is not None
                if begun.same and self._is_ours():
                    self._small_ended(file, begun)
                else:
                    self._not_done(file, begun.error, again=begun.again)
            elif self._has_key(file, begun):
                if begun.state == "header":
                    keyed.append(file)
                else:
                    self._begin_parts(file, begun)
        if keyed and not self._stopped:
            self._next.append(_Small(keyed, answer.worker))

    def _small_ended(self, file: _File, begun: Begun) -> None:
        self._bar.total += begun.size
        self._bar.update(begun.size)
        self._end(file, begun.size)

    def _is_ours(self) -> bool:
        """True if a target that has the right bytes is of this run.

        A sealed file has a salt of its own, so it is. An opened one may have been written by a worker that then ended.
        """
        if self._what == "open":
            self._count_workers()
            return self._lost_worker
        return True

    def _has_key(self, file: _File, begun: Begun) -> bool:
        """Adds the header of a file, and its key, to its order."""
        order = replace(file.order, pin=begun.pin, header=begun.header)
        try:
            if order.key is None:
                key = self._carried(self._key, lambda key: FileKey.from_header(key, begun.header), file.url)
                order = replace(order, key=key)
        except (InvalidTag, ValueError) as error:
            self._fail(file, error)
            return False
        file.order = order
        return True

    def _part_done(self, task: _Long, answer: Done) -> None:
        file = task.file
        if file.ended:
            return
        if answer.error is not None:
            self._fail(file, answer.error)
            return
        assert file.plan is not None
        file.proofs[task.number] = answer.proof
        start, stop = file.plan[task.number].plain
        self._bar.update(stop - start)
        if len(file.proofs) == len(file.plan):
            proofs = [file.proofs[number] for number in range(len(file.plan))]
            self._job(file, lambda: self._complete(file, proofs), lambda _: self._end(file, file.length))

    # Long files: the caller begins and completes them.

    def _begin_parts(self, file: _File, begun: Begun) -> None:
        assert begun.pin is not None
        file.plan = file.order.plan(begun.pin.size)
        self._bar.total += file.length
        self._bar.refresh()

        def ready(_: Any) -> None:
            if not file.ended:
                self._open.append(file)

        if file.order.target is None:
            ready(None)
        elif not self._stopped:
            self._job(file, lambda: self._begin_target(file, begun), ready)

    @staticmethod
    def _begin_target(file: _File, begun: Begun) -> None:
        assert file.plan is not None
        place = file.order.place()
        if file.order.make_folders:
            _objects.make_folder(place)
        upload = _objects.begin(place, file.order.target_len(file.plan), begun.facts)
        file.place, file.order = place, replace(file.order, upload=upload)

    @staticmethod
    def _complete(file: _File, proofs: list[str]) -> None:
        """Gives a file its place once its source is seen not to have changed."""
        order = file.order
        assert order.pin is not None
        order.pin.check(order.origin().pin(), order.source)
        if file.place is not None:
            file.place.complete(order.upload, proofs, replace=order.replace)
            file.place, file.completed = None, True

    def _job(self, file: _File, call: Callable[[], Any], then: Callable[[Any], None]) -> None:
        job = self._pool.submit(call)
        file.running += 1
        self._jobs[job] = file, then
        job.add_done_callback(self._events.put)

    def _job_ended(self, file: _File, job: Job[Any], then: Callable[[Any], None]) -> None:
        file.running -= 1
        error = job.exception()
        if isinstance(error, FileExistsError) and file.order.skip_existing:
            self._skip(file)
        elif isinstance(error, Exception):
            self._fail(file, error)
        elif error is not None:
            raise error
        else:
            then(job.result())
        self._settle(file)

    # Ends of files.

    def _end(self, file: _File, size: int) -> None:
        file.outcome, file.bytes, file.ended = _DONE[self._what], size, True

    def _skip(self, file: _File) -> None:
        file.outcome, file.reason, file.ended = "skipped", "its target exists", True

    def _not_done(self, file: _File, error: BaseException, *, again: bool) -> None:
        """Tries a small file once more, alone, or fails it."""
        if again and file.order.attempt == 0 and not self._stopped:
            file.order = replace(file.order, attempt=1)
            self._next.append(_Small([file]))
        else:
            self._fail(file, error)

    def _fail(self, file: _File, error: BaseException) -> None:
        if file.ended:
            return
        if isinstance(error, InvalidTag):
            error = InvalidTag(f"{file.url}: {error}")
        file.outcome, file.reason, file.error, file.ended = "failed", str(error), error, True
        self._first_error = self._first_error or error
        self._stopped = self._stopped or self._stop_at_error

    def _settle(self, file: _File) -> None:
        """Removes the upload of a file that has ended without a place, once nothing writes to it any more."""
        if file.ended and not file.running and file.place is not None:
            place, file.place = file.place, None
            self._job(file, lambda: self._abort(file, place), lambda _: None)

    @staticmethod
    def _abort(file: _File, place: Store) -> None:
        try:
            place.abort(file.order.upload)
        except Exception as error:
            file.reason += f"; what was written of it could not be removed: {error}"

    def _give_up(self) -> None:
        """Ends everything that is still on its way. After a run without errors that is nothing."""
        if self._tasks and self._client.status == "running":
            with contextlib.suppress(Exception):
                self._client.cancel(list(self._tasks))
        for task in self._tasks.values():
            for file in task.files if isinstance(task, _Small) else [task.file]:
                file.reason = file.reason or "a worker had it as the run was ended"
        for job in self._jobs:
            job.cancel()
        wait(self._jobs)
        for file in self._files:
            if file.completed and file.outcome == "not done":
                self._end(file, file.length)
            if file.place is not None:
                self._pool.submit(self._abort, file, file.place)
        self._pool.shutdown()
        if self._run_key is not None:
            self._run_key.end()

    def _report(self, seconds: float) -> Report:
        files = [
            FileReport(
                file.url,
                file.source.target,
                file.bytes,
                0 if file.outcome != _DONE[self._what] else 1 if file.plan is None else len(file.plan),
                file.outcome,
                file.reason or ("the run ended before its turn" if file.outcome == "not done" else ""),
                file.error,
            )
            for file in self._files
        ]
        return Report(files, seconds, self._peaks)
