"""What a cluster needs of a store: ranges of a source that must not change, and a target that is put together of parts.

Local files and S3 have what this takes: writes at any offset, and multipart uploads. With other stores of fsspec the
parts are objects beside the target, which one process puts together in the end.
"""

from __future__ import annotations

import io
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from ._extras import require
from ._s3 import ATTEMPTS, Options, connection

if TYPE_CHECKING:
    from typing_extensions import Buffer

_IN_MEMORY = 32 << 20
"""Parts up to this size are put together in memory; longer ones are made piece by piece as they are sent."""


class SourceChanged(OSError):
    """The source of a file is not what it was when the work on it began. Nothing of the target is left."""


@dataclass(frozen=True)
class Pin:
    """What a source was when the work on it began: its length, and what its store calls its version."""

    size: int
    version: str

    def check(self, other: Pin, url: str) -> None:
        """Refuses a source that has become another one."""
        if other != self:
            raise SourceChanged(f"{url} was changed while it was read; nothing was written, run it again")


@dataclass(frozen=True)
class Part:
    """A part of a target: its number from 0, where it lies, and pieces that are made when they are asked for."""

    number: int
    start: int
    stop: int
    pieces: Callable[[], Iterator[Buffer]] = field(repr=False)

    def whole(self) -> bytes:
        """All of it."""
        data = b"".join(self.pieces())
        if len(data) != self.stop - self.start:
            raise RuntimeError("a part has another length than its plan says")
        return data


class Store(Protocol):
    """A place with one file at a URL."""

    def pin(self) -> Pin:
        """What is there now; FileNotFoundError if nothing is."""
        ...

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        """Bytes of what was pinned, or SourceChanged."""
        ...

    def exists(self) -> bool:
        """Whether there is a file."""
        ...

    def begin(self, size: int) -> str:
        """Begins a file of that size; returns what names it until it is complete."""
        ...

    def put(self, upload: str, part: Part) -> str:
        """Writes a part, again if it is there already; returns what proves it."""
        ...

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        """Gives the file its place once all parts are written, or raises FileExistsError."""
        ...

    def abort(self, upload: str) -> None:
        """Removes whatever was written of a file that has not its place yet."""
        ...


def store(url: str, options: Options | None) -> Store:
    """The store of a URL."""
    scheme = urlsplit(url).scheme
    if scheme in ("", "file", "local"):
        return LocalStore(url if scheme == "" else urlsplit(url).path)
    if scheme in ("s3", "s3a"):
        return S3Store(url, options or {})
    return AnyStore(url, options or {})


class LocalStore:
    """A file of this machine, or of a file system that all workers share."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)

    def pin(self) -> Pin:
        status = os.stat(self._path)
        return Pin(status.st_size, f"{status.st_ino}-{status.st_mtime_ns}")

    def exists(self) -> bool:
        return os.path.lexists(self._path)

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        with open(self._path, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            pin.check(Pin(status.st_size, f"{status.st_ino}-{status.st_mtime_ns}"), self._path)
            data = bytearray(stop - start)
            view, at = memoryview(data), 0
            while at < len(data):
                got = os.preadv(file.fileno(), [view[at:]], start + at)
                if not got:
                    raise SourceChanged(f"{self._path} was cut off while it was read")
                at += got
        view.release()
        return data  # type: ignore[return-value]

    def begin(self, size: int) -> str:
        folder, name = os.path.split(self._path)
        beside = os.path.join(folder, f".abreast-{name}-{secrets.token_hex(6)}.tmp")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            # Whoever reads the message knows the target, and not the file that was to become it.
            error.filename = self._path
            raise
        try:
            os.ftruncate(descriptor, size)
        finally:
            os.close(descriptor)
        return beside

    def put(self, upload: str, part: Part) -> str:
        with open(upload, "r+b", buffering=0) as file:
            at = part.start
            for piece in part.pieces():
                view = memoryview(piece).cast("B")
                while len(view):
                    written = os.pwrite(file.fileno(), view, at)
                    at, view = at + written, view[written:]
            if at != part.stop:
                raise RuntimeError("a part has another length than its plan says")
            os.fsync(file.fileno())
        return ""

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        if replace:
            os.replace(upload, self._path)
        else:
            # Unlike a renamed file, a link never replaces what is there.
            os.link(upload, self._path)
            os.unlink(upload)
        folder = os.open(os.path.dirname(self._path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def abort(self, upload: str) -> None:
        try:
            os.unlink(upload)
        except FileNotFoundError:
            pass


class _Body(io.RawIOBase):
    """A part as a file that an upload reads, and reads again from its beginning if it has to send it again."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self._part, self._at = part, 0
        self._pieces, self._piece = part.pieces(), memoryview(b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def __len__(self) -> int:
        return self._part.stop - self._part.start

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        target = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self)}[whence]
        if target == len(self) or target == self._at:
            # Whoever asks for the length goes to the end and comes back.
            self._at = target
        elif target == 0:
            self._at, self._pieces, self._piece = 0, self._part.pieces(), memoryview(b"")
        else:
            raise io.UnsupportedOperation("a part is sent from its beginning")
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer).cast("B")
        if self._at == len(self):
            return 0
        while not len(self._piece):
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._piece = memoryview(piece).cast("B")
        size = min(len(view), len(self._piece))
        view[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        self._at += size
        return size


class S3Store:
    """An object of S3, or of a store that speaks its protocol, by boto3.

    ``options`` are those of s3fs: ``key``, ``secret``, ``token``, ``endpoint_url``, ``profile``, ``anon``, ``use_ssl``,
    ``client_kwargs``, ``config_kwargs``, ``s3_additional_kwargs`` and ``requester_pays``. Without them boto3 looks where it
    always does: the environment, its files, the machine's role.
    """

    def __init__(self, url: str, options: Options) -> None:
        parts = urlsplit(url)
        self._url, self._bucket, self._name = url, parts.netloc, parts.path.lstrip("/")
        if not self._bucket or not self._name:
            raise ValueError(f"{url} names no object: an object of S3 is s3://BUCKET/NAME")
        self._connection = connection(options)
        errors: Any = require("botocore.exceptions", "s3")
        self._error, self._no_answer = errors.ClientError, errors.BotoCoreError

    def _call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A request about the object, or the bucket; errors that have a meaning become exceptions of Python."""
        about: Options = {"Bucket": self._bucket}
        if name != "list_objects_v2":
            about["Key"] = self._name
        try:
            answer: dict[str, Any] = getattr(self._connection.client, name)(
                **{**arguments, **self._connection.added(name), **about}
            )
            return answer
        except self._error as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            code = error.response.get("Error", {}).get("Code")
            if status == 404 and code != "NoSuchUpload":
                raise FileNotFoundError(f"{self._url} does not exist") from None
            if status == 412 and "IfMatch" in arguments:
                raise SourceChanged(
                    f"{self._url} was changed while it was read; nothing was written, run it again"
                ) from None
            refused = status == 412 or (status == 409 and code == "ConditionalRequestConflict")
            if refused and "IfNoneMatch" in arguments:
                raise FileExistsError(f"{self._url} exists already; replace=True replaces it") from None
            raise OSError(f"{self._url}: the store answered {status} {code} to {name}") from error
        except self._no_answer as error:
            # Without an address, credentials or a connection.
            text = str(error).rstrip(".")
            raise OSError(f"{self._url}: the store gave no answer, see storage_options: {text}") from None

    def pin(self) -> Pin:
        head = self._call("head_object")
        return Pin(head["ContentLength"], head["ETag"])

    def exists(self) -> bool:
        try:
            self._call("head_object")
        except FileNotFoundError:
            return False
        return True

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        if start == stop:
            return b""
        problem: Exception | None = None
        for attempt in range(ATTEMPTS):
            answer = self._call("get_object", Range=f"bytes={start}-{stop - 1}", IfMatch=pin.version)
            try:
                data: bytes = answer["Body"].read()
                if len(data) == stop - start:
                    return data
                problem = OSError(f"{self._url}: the store ended an answer early")
            except Exception as error:  # Of several libraries below, which all mean that the connection broke.
                problem = error
            time.sleep(min(5.0, 0.1 * 2**attempt))
        raise OSError(f"{self._url}: cannot be read: {problem}") from problem

    def begin(self, size: int) -> str:
        upload: str = self._call("create_multipart_upload")["UploadId"]
        return upload

    def put(self, upload: str, part: Part) -> str:
        size = part.stop - part.start
        body: Any = part.whole() if size <= _IN_MEMORY else io.BufferedReader(_Body(part), 1 << 20)
        answer = self._call(
            "upload_part", UploadId=upload, PartNumber=part.number + 1, Body=body, ContentLength=size
        )
        etag: str = answer["ETag"]
        return etag

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(proofs, 1)]
        condition = {} if replace else {"IfNoneMatch": "*"}
        self._call("complete_multipart_upload", UploadId=upload, MultipartUpload={"Parts": parts}, **condition)

    def abort(self, upload: str) -> None:
        try:
            self._call("abort_multipart_upload", UploadId=upload)
        except OSError as error:
            if "NoSuchUpload" not in str(error):
                raise


class AnyStore:
    """A file of any store that fsspec knows. Its parts are files beside it until one process has put them together."""

    def __init__(self, url: str, options: Options) -> None:
        self._fs, self._path = require("fsspec.core", "fsspec").url_to_fs(url, **options)
        self._url = url

    def pin(self) -> Pin:
        info = self._fs.info(self._path)
        version = next((info[name] for name in ("ETag", "etag", "mtime", "created", "updated") if name in info), "")
        return Pin(info["size"], str(version))

    def exists(self) -> bool:
        found: bool = self._fs.exists(self._path)
        return found

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        pin.check(self.pin(), self._url)
        data: bytes = self._fs.cat_file(self._path, start=start, end=stop) if start < stop else b""
        if len(data) != stop - start:
            raise SourceChanged(f"{self._url} was cut off while it was read")
        return data

    def begin(self, size: int) -> str:
        beside = f"{self._path}.abreast-{secrets.token_hex(6)}.parts"
        self._fs.makedirs(beside, exist_ok=True)
        return beside

    def put(self, upload: str, part: Part) -> str:
        name = f"{upload}/{part.number:05}"
        with self._fs.open(name, "wb") as file:
            for piece in part.pieces():
                file.write(piece)
        return name

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        if not replace and self.exists():
            raise FileExistsError(f"{self._url} exists already; replace=True replaces it")
        try:
            with self._fs.open(self._path, "wb") as target:
                for name in proofs:
                    with self._fs.open(name, "rb") as part:
                        while piece := part.read(4 << 20):
                            target.write(piece)
        except BaseException:
            if self._fs.exists(self._path):
                self._fs.rm_file(self._path)
            raise
        self.abort(upload)

    def abort(self, upload: str) -> None:
        if self._fs.exists(upload):
            self._fs.rm(upload, recursive=True)
