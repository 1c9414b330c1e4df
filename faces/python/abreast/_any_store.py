"""Targets in stores of fsspec that have neither writes at an offset nor multipart uploads of many machines."""

from __future__ import annotations

import contextlib
import secrets
import warnings

from . import _urls
from ._parts import Part, Pin, SourceChanged
from ._s3 import Options
from ._targets import Way, inner, read_range, refused, way

_VERSIONS = (
    "ETag", "etag", "versionId", "version_id", "generation", "md5Hash", "content_md5", "crc32c",
    "mtime", "modified", "last_modified", "LastModified", "updated", "created", "ino",
)  # fmt: skip
"""Fields in which stores report what changes with an object."""

_COPIED = 4 << 20
"""Bytes that are copied at a time where parts become one file."""


class AnyStore:
    """A file of any store that fsspec knows. Its parts are files beside it until one process has put them together.

    The whole is made beside the target too, and moved there in one step where the store has one. Without such a step the
    store refuses to replace a file, unless ``allow_gap`` is true.
    """

    def __init__(self, url: str, options: Options, *, allow_gap: bool = False) -> None:
        self._fs, self._path = inner(*_urls.open_store(url, options))
        self._url, self._gap = url, allow_gap

    def refuse_gap(self) -> None:
        if not self._gap and way(self._fs) is Way.COPY:
            raise refused(self._url)

    def pin(self) -> Pin:
        info = self._fs.info(self._path)
        if info.get("size") is None:
            raise OSError(f"{self._url}: the store does not say how long the file is")
        versions = {name: str(info[name]) for name in _VERSIONS if info.get(name) is not None}
        if not versions:
            warnings.warn(
                f"{self._url}: the store reports no version and no time of files; a change that keeps the length is not seen",
                stacklevel=2,
            )
        return Pin(info["size"], " ".join(f"{name}={value}" for name, value in versions.items()))

    def exists(self) -> bool:
        # Not by the method of that name: it answers no where the store fails, and a file would be replaced.
        try:
            info = self._fs.info(self._path)
        except FileNotFoundError:
            return False
        if info.get("type") == "directory":
            raise IsADirectoryError(f"{self._url} is a folder")
        return True

    def read(self, start: int, stop: int, pin: Pin) -> bytes:
        pin.check(self.pin(), self._url)
        data: bytes = read_range(self._fs, self._path, start, stop) if start < stop else b""
        if len(data) != stop - start:
            raise SourceChanged(f"{self._url} was cut off while it was read")
        return data

    def begin(self, size: int) -> str:
        beside = f"{self._path}.abreast-{secrets.token_hex(6)}.parts"
        self._fs.makedirs(beside, exist_ok=True)
        return beside

    def put(self, upload: str, part: Part) -> str:
        name, length = f"{upload}/{part.number:05}", 0
        with self._fs.open(name, "wb") as file:
            for piece in part.pieces():
                view = memoryview(piece).cast("B")
                file.write(view)
                length += len(view)
        if length != part.stop - part.start:
            raise RuntimeError("a part has a length other than that of its plan")
        return f"{length} {name}"

    def complete(self, upload: str, proofs: list[str], *, replace: bool) -> None:
        how, whole = way(self._fs), _whole(upload)
        if replace:
            self.refuse_gap()
        if self.exists() and not replace:
            raise FileExistsError(f"{self._url} exists already; replace=True replaces it")
        if how is Way.MEMORY:
            self._in_memory(proofs, replace=replace)
        else:
            self._put_together(whole, proofs)
            if not replace and self.exists():
                raise FileExistsError(f"{self._url} was made by another writer meanwhile; replace=True replaces it")
            if how in (Way.MOVE, Way.LOCAL):
                self._fs.mv(whole, self._path)
            else:
                self._copy(whole, replace=replace)
        try:
            self.abort(upload)
        except Exception as error:
            warnings.warn(f"{self._url} is complete; {error}", stacklevel=2)

    def _part(self, proof: str) -> tuple[str, int]:
        length, _, name = proof.partition(" ")
        size = self._fs.info(name)["size"]
        if size != int(length):
            raise OSError(f"{self._url}: {name} has {size} bytes in the store, and {length} were written")
        return name, size

    def _in_memory(self, proofs: list[str], *, replace: bool) -> None:
        """Puts all parts into the dictionary of the store at once."""
        from fsspec.implementations.memory import MemoryFile

        file = MemoryFile(self._fs, self._path, b"".join(self._fs.cat_file(self._part(proof)[0]) for proof in proofs))
        if replace:
            file.commit()
        elif self._fs.store.setdefault(self._path, file) is not file:
            raise FileExistsError(f"{self._url} exists already; replace=True replaces it")

    def _put_together(self, whole: str, proofs: list[str]) -> None:
        length = 0
        with self._fs.open(whole, "wb") as target:
            for proof in proofs:
                name, size = self._part(proof)
                for at in range(0, size, _COPIED):
                    piece = read_range(self._fs, name, at, min(size, at + _COPIED))
                    target.write(piece)
                    length += len(piece)
        if self._fs.info(whole)["size"] != length or length != sum(int(proof.partition(" ")[0]) for proof in proofs):
            raise OSError(f"{self._url}: the store has not all bytes that were written to {whole}")

    def _copy(self, whole: str, *, replace: bool) -> None:
        """Copies the whole to its place. A failure removes the incomplete copy, unless an object was to be replaced."""
        try:
            self._fs.cp_file(whole, self._path)
        except BaseException:
            if not replace:
                self._remove_partial(whole)
            raise

    def _remove_partial(self, whole: str) -> None:
        """Removes the beginning of a copy that failed, and nothing that another writer put there."""
        size = self._fs.info(whole)["size"]
        try:
            there = self._fs.info(self._path)["size"]
        except FileNotFoundError:
            return
        ours = there <= size and all(
            read_range(self._fs, self._path, at, min(there, at + _COPIED))
            == read_range(self._fs, whole, at, min(there, at + _COPIED))
            for at in range(0, there, _COPIED)
        )
        if ours:
            self._fs.rm_file(self._path)

    def abort(self, upload: str) -> None:
        left: list[str] = []
        for remove in (self._remove_whole, self._remove_parts):
            try:
                remove(upload)
            except FileNotFoundError:
                pass
            except Exception as error:
                left.append(f"{_whole(upload) if remove == self._remove_whole else upload} ({error})")
        if left:
            raise OSError(f"{self._url}: could not remove {' and '.join(left)}")

    def _remove_whole(self, upload: str) -> None:
        # It is not there before all parts are, nor after it was moved.
        try:
            self._fs.info(_whole(upload))
        except FileNotFoundError:
            return
        self._fs.rm_file(_whole(upload))

    def _remove_parts(self, upload: str) -> None:
        # Not by a recursive removal, which would take signs of the name for a pattern, nor by a walk, which passes over errors.
        self._fs.invalidate_cache()
        for name in self._fs.ls(upload, detail=False):
            if name.startswith(upload + "/"):
                self._fs.rm_file(name)
        with contextlib.suppress(FileNotFoundError, NotImplementedError):
            self._fs.rmdir(upload)


def _whole(upload: str) -> str:
    """Returns the name that a file has beside its target once its parts are put together."""
    return upload.removesuffix(".parts") + ".tmp"
