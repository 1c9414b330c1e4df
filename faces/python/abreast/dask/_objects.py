"""Whole objects: one read, one write, and the properties that a store keeps with the bytes."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._stores import LocalStore, Part, Pin, S3Store, Store

if TYPE_CHECKING:
    from typing_extensions import Buffer

Facts = dict[str, Any]
"""Properties that S3 keeps with an object: its type, its metadata and headers about content and caching."""

_FACTS = (
    "CacheControl",
    "ContentDisposition",
    "ContentEncoding",
    "ContentLanguage",
    "ContentType",
    "Metadata",
    "WebsiteRedirectLocation",
)


@dataclass(frozen=True)
class Taken:
    """A source as one read found it."""

    pin: Pin
    data: bytes = field(repr=False)
    """All of it if it is small, or its beginning."""
    facts: Facts = field(default_factory=dict)


def take(store: Store, limit: int, head: int, url: str) -> Taken:
    """Reads a source by one request: all of it if it has at most `limit` bytes, or its first `head` bytes."""
    if not isinstance(store, S3Store):
        pin = store.pin()
        return Taken(pin, store.read(0, pin.size if pin.size <= limit else min(head, pin.size), pin))
    problem: Exception | None = None
    for _ in range(3):
        answer = store._call("get_object")
        body, size = answer["Body"], answer["ContentLength"]
        wanted = size if size <= limit else min(head, size)
        try:
            data: bytes = body.read(wanted)
        except Exception as error:  # Of several libraries below, which all mean that the connection broke.
            problem = error
            continue
        finally:
            body.close()
        if len(data) == wanted:
            return Taken(Pin(size, answer["ETag"]), data, {name: answer[name] for name in _FACTS if answer.get(name)})
        problem = OSError("the store ended an answer early")
    raise OSError(f"{url}: cannot be read: {problem}") from problem


def put(store: Store, data: Buffer, facts: Facts, *, replace: bool) -> None:
    """Writes a target by one request, where the store has one that is whole or nothing; or raises FileExistsError."""
    if not isinstance(store, S3Store):
        size = memoryview(data).nbytes
        upload = store.begin(size)
        try:
            proofs = [store.put(upload, Part(0, 0, size, lambda: iter([data])))]
            store.complete(upload, proofs, replace=replace)
        except BaseException:
            store.abort(upload)
            raise
        return
    condition = {} if replace else {"IfNoneMatch": "*"}
    body = bytes(data)
    try:
        store._call("put_object", Body=body, **condition, **facts)
    except FileExistsError:
        if not store.was_written(hashlib.md5(body, usedforsecurity=False).hexdigest()):
            raise


def begin(store: Store, size: int, facts: Facts | None) -> str:
    """Begins a target of parts."""
    if isinstance(store, S3Store) and facts:
        upload: str = store._call("create_multipart_upload", **facts)["UploadId"]
        return upload
    return store.begin(size)


def make_folder(store: Store) -> None:
    """Makes the folder of a target, where there are folders."""
    if isinstance(store, LocalStore):
        os.makedirs(os.path.dirname(store._path), exist_ok=True)
