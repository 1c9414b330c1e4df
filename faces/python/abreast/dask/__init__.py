"""Sealed files by the workers of a Dask cluster: seal, open, re-key and verify more data than one machine can handle.

    report = abreast.dask.seal("s3://bucket/table.parquet", key, client="tls://scheduler:8786")
    print(report)
    8000.0 MB in 954 parts of 1 file by 3 workers: 20.0 s, 400 MB/s, at most 130 MB of memory in a worker

    report = abreast.dask.seal(key=key, prefix="s3://bucket/days/", to="s3://bucket/sealed/",
                               on_error="continue", skip_existing=True)
    print(*report.failed, sep="\\n")

A long file is cut into parts (:class:`abreast.sealed.Plan`). Each is a task: a worker fetches its range of the source, seals
it piece by piece, and sends it to the store as a part of a multipart upload. A file of at most 8 MiB is read once and
written once by one worker (on S3 by one request each), and workers do many of them side by side. The result is the file that one machine would have made
with the same salt, byte for byte, and appears in its place as a whole or not at all. URLs are those of fsspec; local files
have to be on a file system that all workers share. Objects of S3 keep their content type, metadata and the headers about
content and caching; tags and access lists stay behind.

**Failures.** The report has the outcome of each file: done, skipped, failed with its error, or not done. Unless
``on_error="continue"``, the first error ends the run and is raised, with the report as its attribute ``report``; other files
that are done stay. The same call with ``skip_existing=True`` does the missing ones. A worker that ends has its work done again
by another one. Work done twice gives the same bytes, as the source is pinned by its length and ETag (a local file: its inode
and times of change): one that changes meanwhile is an error. Of a file that failed nothing is left in the store. Only where the
calling process itself is killed does an upload stay unfinished: S3 removes those by a lifecycle rule
(AbortIncompleteMultipartUpload), and local ones are called ``.abreast-*.tmp``.

**Streams of Apache Iceberg** (AGS1) are opened and verified with a key of ``FileKey.ags1`` and their trusted lengths, ``sealed_lengths``,
as by :mod:`abreast.fsspec`. They are not sealed here: each of their blocks has a random nonce, so that work done twice would give
other bytes.

Security
--------
The key itself stays in the process that calls. Each file has keys of its own, derived from the key and its salt. Tasks carry
these sealed by AES-256-GCM under a key of the run, and workers get that key by HPKE (RFC 9180; X25519, HKDF-SHA256,
AES-256-GCM) from the package cryptography: each makes a key pair for each run, and the private half stays in its process. A
worker that joins later, or is started again, asks for the key and is answered as long as the caller lives. Workers drop the
key as the run ends, or 60 seconds after the last word of a caller that was killed; the memory that Python had it in is freed
and not wiped.

The scheduler sees names, sizes and ETags of files, headers of sealed files (they are not secret), ``storage_options``, the
path of a :class:`WorkerKey`, public keys, and ciphertext. Neither its state nor its memory nor its logs hold anything that
opens a file, during a run, after it, or when the caller is killed. Who *controls* the scheduler can do more than look: it
can have workers run any program, or name a public key of its own as a worker's. That is true of all that Dask does. Use TLS
(``tls://``) with certificates for scheduler, workers and clients against all others.

A key of ``FileKey.ags1`` is that of its streams, and travels as the keys of files do.

With a :class:`WorkerKey` workers read the key from a file of theirs, and nothing secret travels. ``storage_options`` travel
with the tasks in clear, so credentials are better where workers find them by themselves.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Literal

from .. import _arguments
from .._abreast import FileKey, Key
from .._extras import require
from .._ranges import SealedLengths, check_length, check_lengths, length_of
from .._s3 import Options
from .._stores import SourceChanged
from .._worker_key import WorkerKey
from ._names import Source, Url, What, chosen
from ._report import FileReport, Outcome, Report
from ._run import ClusterLost, Run

if TYPE_CHECKING:
    from distributed import Client
else:
    require("distributed", "dask")

# Without `open`, which an import of all names would put in the place of Python's own: it is called abreast.dask.open.
__all__ = [
    "ClusterLost",
    "FileReport",
    "Outcome",
    "Report",
    "SourceChanged",
    "WorkerKey",
    "reseal",
    "seal",
    "verify",
]

OnError = Literal["raise", "continue"]


@contextlib.contextmanager
def _cluster(client: Client | str | None) -> Generator[Client]:
    """Yields the client that was passed, or one of a scheduler's address, or one of this machine alone."""
    distributed = require("distributed", "dask")
    if client is not None and not isinstance(client, str):
        if not isinstance(client, distributed.Client):
            raise _arguments.wrong("client", "a Client of dask or the address of a scheduler", client)
        if client.asynchronous:
            raise TypeError("client is asynchronous; pass one that was made without asynchronous=True, or an address")
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


def _run(
    what: What,
    urls: Url | Iterable[Url] | None,
    key: Key | WorkerKey | FileKey | None,
    new_key: Key | WorkerKey | None = None,
    *,
    sealed_lengths: SealedLengths = None,
    prefix: Url | None,
    glob: Url | None,
    to: Url | Sequence[Url] | None,
    client: Client | str | None,
    storage_options: Options | None,
    target_options: Options | None,
    replace: bool,
    allow_gap: bool,
    skip_existing: bool,
    on_error: OnError,
    progress: bool,
    part_size: int | None,
) -> Report:
    _arguments.one_of(on_error, "on_error", ("raise", "continue"))
    flags = {"replace": replace, "allow_gap": allow_gap, "skip_existing": skip_existing, "progress": progress}
    replace, allow_gap, skip_existing, progress = (_arguments.flag(given, name) for name, given in flags.items())
    for name, given in (("storage_options", storage_options), ("target_options", target_options)):
        _arguments.options(given, name)
    if replace and skip_existing:
        raise ValueError("replace=True and skip_existing=True do not go together; pass one of them")
    part_size = None if part_size is None else _arguments.number(part_size, "part_size", 1)
    check_lengths(key, sealed_lengths)
    streams = isinstance(key, FileKey)
    if streams and what in ("seal", "reseal"):
        raise ValueError(
            "streams of AGS1 are opened and verified by clusters, and not sealed: each block has a random nonce, so that work done"
            " twice would write other bytes; seal them with seal_file or a SealedFileSystem"
        )
    keys = (key, new_key) if what == "reseal" else () if streams else (key,)
    for name, one in zip(("key", "new_key"), keys, strict=False):
        if not isinstance(one, (Key, WorkerKey)):
            raise _arguments.wrong(name, "a Key of abreast.sealed, or a WorkerKey of a path that workers have", one)
    assert key is not None
    places = storage_options if target_options is None else target_options
    if allow_gap:
        places = {**(places or {}), "allow_gap": True}
    sources = chosen(what, urls, prefix, glob, to, storage_options, places, replace, streams)
    if isinstance(key, FileKey):
        sources = [_with_length(source, key, sealed_lengths) for source in sources]
    for source in sources:
        if source.error is not None and on_error == "raise":
            raise source.error
    tqdm = require("tqdm", "dask").tqdm
    with (
        _cluster(client) as made,
        tqdm(total=0, unit="B", unit_scale=True, desc=what, disable=not progress) as bar,
    ):
        run = Run(
            made,
            what,
            key,
            new_key,
            storage_options=storage_options,
            target_options=places,
            replace=replace,
            skip_existing=skip_existing,
            stop_at_error=on_error == "raise",
            part_size=part_size,
            bar=bar,
        )
        return run.work(sources)


def _with_length(source: Source, key: FileKey, lengths: SealedLengths) -> Source:
    """Adds the trusted length of a stream, or the error that there is none."""
    if source.left_out or source.error is not None:
        return source
    try:
        length = check_length(key, length_of(key, lengths, source.url))
    except ValueError as error:
        return replaced(source, error=error)
    return replaced(source, sealed_length=length)


def seal(
    urls: Url | Iterable[Url] | None = None,
    key: Key | WorkerKey | None = None,
    *,
    prefix: Url | None = None,
    glob: Url | None = None,
    to: Url | Sequence[Url] | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    allow_gap: bool = False,
    skip_existing: bool = False,
    on_error: OnError = "raise",
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Seals files.

    ``urls`` is a URL of fsspec, a path, or several of them; they are names, and never patterns. ``prefix`` takes the place of
    ``urls``: all files whose names begin with it (a path: all files in that folder), except those that end in ``.abreast``.
    So does ``glob``, a pattern in which ``*``, ``?`` and ``[...]`` match within a segment and ``**`` across segments. Both keep
    paths: a name below the last ``/`` of the prefix, or of the part of the pattern without signs, becomes the same name below
    the folder ``to``. Files that they leave out are in the report as skipped.

    ``to`` is the target of one file, a folder that ends in ``/``, or a list, and the source with ``.abreast`` unless it is
    given. A target that exists is an error, unless it is to be replaced (``replace``) or its file to be skipped
    (``skip_existing``). Stores that cannot replace an object in one step refuse that, unless ``allow_gap`` accepts that a
    failure in the middle loses the object that was there. ``on_error="continue"`` goes on after a file that fails.

    ``client`` is a Dask client or the address of a scheduler; without it the cores of this machine work.
    ``storage_options`` are for the store of the sources, and for the store of the targets unless ``target_options`` are given.
    ``part_size`` is how many bytes of a message are a part, 8 MiB unless that would be more than 10 000 parts.
    """
    return _run(
        "seal",
        urls,
        key,
        prefix=prefix,
        glob=glob,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        allow_gap=allow_gap,
        skip_existing=skip_existing,
        on_error=on_error,
        progress=progress,
        part_size=part_size,
    )


def open(
    urls: Url | Iterable[Url] | None = None,
    key: Key | WorkerKey | FileKey | None = None,
    *,
    sealed_lengths: SealedLengths = None,
    prefix: Url | None = None,
    glob: Url | None = None,
    to: Url | Sequence[Url] | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    allow_gap: bool = False,
    skip_existing: bool = False,
    on_error: OnError = "raise",
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Opens sealed files. A file that is not authentic fails with InvalidTag.

    ``prefix`` takes the files whose names end in ``.abreast``. For the arguments see :func:`seal`.

    A key of ``FileKey.ags1`` takes streams of Apache Iceberg, of any names. ``sealed_lengths`` are their trusted lengths by their
    names, URLs as they are here, or a function of the name, or "unknown", which accepts streams that were cut off between two blocks.
    ``to`` has to be given, and keeps their names.
    """
    return _run(
        "open",
        urls,
        key,
        sealed_lengths=sealed_lengths,
        prefix=prefix,
        glob=glob,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        allow_gap=allow_gap,
        skip_existing=skip_existing,
        on_error=on_error,
        progress=progress,
        part_size=part_size,
    )


def reseal(
    urls: Url | Iterable[Url] | None = None,
    key: Key | WorkerKey | None = None,
    new_key: Key | WorkerKey | None = None,
    *,
    prefix: Url | None = None,
    glob: Url | None = None,
    to: Url | Sequence[Url] | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    target_options: Options | None = None,
    replace: bool = False,
    allow_gap: bool = False,
    skip_existing: bool = False,
    on_error: OnError = "raise",
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Seals sealed files with another key. Their messages are nowhere but in a worker's buffer, a chunk at a time.

    ``prefix`` takes the files whose names end in ``.abreast``. For the arguments see :func:`seal`.
    """
    return _run(
        "reseal",
        urls,
        key,
        new_key,
        prefix=prefix,
        glob=glob,
        to=to,
        client=client,
        storage_options=storage_options,
        target_options=target_options,
        replace=replace,
        allow_gap=allow_gap,
        skip_existing=skip_existing,
        on_error=on_error,
        progress=progress,
        part_size=part_size,
    )


def verify(
    urls: Url | Iterable[Url] | None = None,
    key: Key | WorkerKey | FileKey | None = None,
    *,
    sealed_lengths: SealedLengths = None,
    prefix: Url | None = None,
    glob: Url | None = None,
    client: Client | str | None = None,
    storage_options: Options | None = None,
    on_error: OnError = "raise",
    progress: bool = True,
    part_size: int | None = None,
) -> Report:
    """Authenticates all of sealed files. A file that is not authentic fails with InvalidTag.

    ``prefix`` takes the files whose names end in ``.abreast``. For the arguments see :func:`seal`.

    A key of ``FileKey.ags1`` takes streams of Apache Iceberg, of any names. ``sealed_lengths`` are their trusted lengths by their
    names, URLs as they are here, or a function of the name, or "unknown", which accepts streams that were cut off between two blocks.
    """
    return _run(
        "verify",
        urls,
        key,
        sealed_lengths=sealed_lengths,
        prefix=prefix,
        glob=glob,
        to=None,
        client=client,
        storage_options=storage_options,
        target_options=None,
        replace=False,
        allow_gap=False,
        skip_existing=False,
        on_error=on_error,
        progress=progress,
        part_size=part_size,
    )
