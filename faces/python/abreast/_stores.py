"""Stores for a cluster: ranges of a source that must not change, and a target that is put together of parts.

Local files and S3 can do this, by writes at any offset and by multipart uploads. With other stores of fsspec the parts are
objects beside the target, which one process puts together in the end (``_any_store.py``).

A target is replaced in one step, or it is not replaced. Local files, S3, Google Cloud Storage (``gs``, ``gcs``), ``memory``,
``sftp`` and the file systems of Arrow (``hdfs``, ``arrow_hdfs``) have such a step. Azure (``abfs``, ``az``), ``smb``, ``ftp``,
``webhdfs`` and every store that is not named here have none, as far as fsspec says: they refuse ``replace=True`` unless
``allow_gap=True`` accepts that a failure in the middle loses the object that was there.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import time
from typing import TYPE_CHECKING, Any

from . import _urls
from ._any_store import AnyStore
from ._extras import require
from ._parts import Part, Pin, SourceChanged, Store
from ._publish import publish_new, replace_file, sync_folder
from ._s3 import ATTEMPTS, Options, connection

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["AnyStore", "LocalStore", "Part", "Pin", "S3Store", "SourceChanged", "Store", "store"]

_IN_MEMORY = 32 << 20
"""Parts up to this size are put together in memory; longer ones are made piece by piece as they are sent."""


def store(url: str, options: Options | None) -> Store:
    """Returns the store of a URL. The name is taken unchanged: see ``_urls.py``."""
    options = dict(options or {})
    gap = bool(options.pop("allow_gap", False))
    if _urls.is_local(url):
        return LocalStore(_urls.local_path(url))
    if _urls.is_s3(url):
        return S3Store(url, options)
    return AnyStore(url, options, allow_gap=gap)


def local_pin(status: os.stat_result) -> Pin:
    """Returns the pin of a local file. The time of status change is the one that no program can set."""
    return Pin(status.st_size, f"{status.st_ino}-{status.st_mtime_ns}-{status.st_ctime_ns}")


class LocalStore:
    """A file of this machine, or of a file system that all workers share."""

    def __init__(self, path: str) -> None:
        self._path = os.path.join(os.getcwd(), path)

    def refuse_gap(self) -> None:
        pass

    def pin(self) -> Pin:
        return local_pin(os.stat(self._path))

    def exists(self) -> bool:
        return os.path.lexists(self._path)

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        with open(self._path, "rb", buffering=0) as file:
            pin.check(local_pin(os.fstat(file.fileno())), self._path)
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
        # Without the name of the target, which may be as long as a name can be.
        beside = os.path.join(os.path.dirname(self._path), f".abreast-{secrets.token_hex(12)}.tmp")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            # Whoever reads the message knows the target, and not the file that was to become it.
            error.filename = self._path
            raise
        try:
            os.ftruncate(descriptor, size)
        except BaseException:
            self.abort(beside)
            raise
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
                raise RuntimeError("a part has a length other than that of its plan")
            os.fsync(file.fileno())
        return ""

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        if replace:
            replace_file(upload, self._path)
        else:
            publish_new(upload, self._path)
        try:
            sync_folder(self._path)
        except OSError as error:
            raise OSError(
                error.errno, "the file is complete and in its place, but its folder cannot be synced", self._path
            ) from error

    def abort(self, upload: str) -> None:
        try:
            os.unlink(upload)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise OSError(error.errno, "a file that was not finished could not be removed", upload) from error


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


def _etag_of_parts(proofs: list[str]) -> str:
    """Returns the ETag of an object of parts, unless the store encrypts it by a key service."""
    try:
        parts = [bytes.fromhex(proof.strip('"')) for proof in proofs]
    except ValueError:
        return ""
    return f"{hashlib.md5(b''.join(parts), usedforsecurity=False).hexdigest()}-{len(parts)}"


class S3Store:
    """An object of S3, or of a store that speaks its protocol, by boto3.

    ``options`` are those of s3fs: ``key``, ``secret``, ``token``, ``endpoint_url``, ``profile``, ``anon``, ``use_ssl``,
    ``client_kwargs``, ``config_kwargs``, ``s3_additional_kwargs`` and ``requester_pays``. Without them boto3 looks where it
    always does: the environment, its files, the machine's role.
    """

    def __init__(self, url: str, options: Options) -> None:
        self._url = url
        self._bucket, self._name = _urls.bucket_and_name(url)
        self._connection = connection(options)
        self._retried = False
        """True if the last request that failed was not the first attempt at it."""
        errors: Any = require("botocore.exceptions", "s3")
        self._error, self._no_answer = errors.ClientError, errors.BotoCoreError

    def refuse_gap(self) -> None:
        pass

    def _call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Sends a request about the object, or the bucket; errors that have a meaning become exceptions of Python."""
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
            self._retried = bool(error.response.get("ResponseMetadata", {}).get("RetryAttempts"))
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
        try:
            self._call("complete_multipart_upload", UploadId=upload, MultipartUpload={"Parts": parts}, **condition)
        except OSError:
            if not self.was_written(_etag_of_parts(proofs)):
                raise

    def was_written(self, etag: str) -> bool:
        """True if a request that failed had been done before: its first answer was lost, and the second says it is late."""
        if not self._retried:
            return False
        try:
            return self.pin().version.strip('"') == etag
        except OSError:
            return False

    def abort(self, upload: str) -> None:
        try:
            self._call("abort_multipart_upload", UploadId=upload)
        except OSError as error:
            if "NoSuchUpload" not in str(error):
                raise OSError(f"{self._url}: the unfinished upload {upload} could not be removed: {error}") from error
