"""Sealed files in any store that fsspec knows, as files: ranged reads with read-ahead, and writes as one stream.

>>> import fsspec
>>> from abreast.fsspec import SealedFileSystem
>>> from abreast.sealed import Key
>>> fs = SealedFileSystem(Key.generate(), target_protocol="memory")
>>> with fs.open("/reports/q1.txt", "wb") as file:
...     _ = file.write(b"sealed on its way")
>>> fs.info("/reports/q1.txt")["size"]
17
>>> with fs.open("/reports/q1.txt", "rb") as file:
...     _ = file.seek(-3, 2)
...     file.read()
b'way'

An installed package is known to fsspec by the name ``sealed``, alone and in chains:

    fsspec.open("sealed::s3://bucket/object", sealed={"key": key}, s3={"profile": "work"})
    pandas.read_parquet("sealed://bucket/object", storage_options={"key": key, "target_protocol": "s3"})

**Reading.** A reader fetches the header, the last chunk, which authenticates the length, and then the chunks that hold the
range: ``pyarrow.parquet`` fetches one row group of a sealed file and not the others. A file that is read in order is fetched
ahead, by twice as much each time, up to ``block_size`` (8 MiB). ``cache_type`` takes the caches of fsspec instead.

**Writing.** A writer seals chunk by chunk into a new file of the store, such as a multipart upload in parts of ``block_size``,
which comes to its place in one step when the file is closed. It is given up if the ``with`` block ends with an exception, or
if the file is dropped without having been closed. (``fsspec.open`` closes its file after an exception too, as it does in all
stores: use ``fs.open`` where half a file must not appear.) Stores that have no such step, those that ``abreast.dask`` does
not replace objects in either, refuse to replace a file unless ``allow_gap=True``.

**Keys.** A :class:`abreast.sealed.Key` is not part of ``storage_options`` of the file system, nor does the file system
pickle: it is an object of the process that has the key. With a :class:`abreast.dask.WorkerKey`, the path of a key file, it
pickles, and each process that uses it reads the key there:

    dask.dataframe.read_parquet("bucket/table", filesystem=SealedFileSystem(WorkerKey("/run/my.key"), s3))

**Streams of Apache Iceberg.** A key of ``FileKey.ags1`` reads and writes encrypted streams (AGS1). Nothing marks their end, so
``sealed_lengths`` has the trusted length of each file that is read, by its name, or is a function of the name; "unknown" accepts files
that were cut off between two blocks of 1 MiB.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import shutil
from typing import TYPE_CHECKING, Any, Literal

from . import _arguments
from ._abreast import FileKey, Key, message_len
from ._errors import InvalidTag
from ._extras import require
from ._ranges import Reader, SealedLength, SealedLengths, check_lengths, length_of
from ._sealed_files import Compressed, Decompressed, Raw, SealedReader, SealedText, SealedWriter, reader
from ._targets import Way, new_file, refused, way
from ._worker_key import WorkerKey

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem
    from fsspec.implementations.chained import ChainedFileSystem
else:
    AbstractFileSystem = require("fsspec", "fsspec").AbstractFileSystem
    ChainedFileSystem = require("fsspec.implementations.chained", "fsspec").ChainedFileSystem

__all__ = ["SealedFileSystem"]

_COPIED = 4 << 20


class SealedFileSystem(ChainedFileSystem):
    """The files of another file system, which are sealed there, as their messages.

    ``fs`` is the other one, or is made from ``target_protocol`` and ``target_options``. Names are the same in both.
    ``allow_gap`` lets files be replaced where the store cannot do that in one step.
    """

    protocol = "sealed"
    cachable = False

    def __init__(
        self,
        key: Key | WorkerKey | FileKey,
        fs: AbstractFileSystem | None = None,
        *,
        sealed_lengths: SealedLengths = None,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        allow_gap: bool = False,
        fo: str | None = None,
    ) -> None:
        # The name of the file in a chain, which open gets too, is not needed here.
        del fo
        super().__init__()
        if (fs is None) == (target_protocol is None):
            given = "neither was" if fs is None else "both were"
            raise ValueError(f"pass fs, the file system of the sealed files, or target_protocol, its name: {given} given")
        if not isinstance(key, (Key, WorkerKey, FileKey)):
            raise _arguments.wrong("key", "a Key of abreast.sealed, a WorkerKey or FileKey.ags1(...)", key)
        check_lengths(key, sealed_lengths)
        self._lengths: SealedLengths = sealed_lengths
        self._format: Literal["cobblestone", "ags1"] = "ags1" if isinstance(key, FileKey) else "cobblestone"
        if fs is not None and not isinstance(fs, AbstractFileSystem):
            raise _arguments.wrong("fs", "a file system of fsspec, whose name would be target_protocol=", fs)
        if target_protocol is not None:
            _arguments.text(target_protocol, "target_protocol")
        how = _arguments.options(target_options, "target_options")
        self._key, self._gap = key, _arguments.flag(allow_gap, "allow_gap")
        self._loaded: Key | FileKey | None = None if isinstance(key, WorkerKey) else key
        made: Any = fs
        if made is None:
            made = require("fsspec", "fsspec").filesystem(target_protocol, **how)
        self.fs: Any = made
        self.root_marker = self.fs.root_marker
        # Names belong to the other file system, which differs between objects of this class.
        setattr(self, "_strip_protocol", self._name)
        setattr(self, "_parent", self._folder)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        """Returns a path without the name of this file system. In an object, `_name` takes its place."""
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = require("fsspec.utils", "fsspec").stringify_path(path)
        if not isinstance(text, str):
            raise _arguments.wrong("path", "the name of a file as a str or a pathlib.Path", path)
        for prefix in ("sealed://", "sealed::"):
            text = text.removeprefix(prefix)
        return text

    def _name(self, path: Any) -> Any:
        """Returns a path, or each of a list, as the other file system has it."""
        if isinstance(path, list):
            return [self._name(one) for one in path]
        return self.fs._strip_protocol(type(self)._strip_protocol(path))

    def _folder(self, path: str) -> str:
        """Returns the folder of a path."""
        folder: str = self.fs._parent(self._name(_one(path)))
        return folder

    def _length(self, name: str) -> SealedLength:
        """Returns the trusted length of a stream."""
        return length_of(self._key, self._lengths, name)

    def _file_key(self) -> Key | FileKey:
        if self._loaded is None:
            assert isinstance(self._key, WorkerKey)
            self._loaded = self._key.load()
        return self._loaded

    # The metaclass of fsspec puts all arguments there.
    @property
    def storage_options(self) -> dict[str, Any]:
        """The arguments of this file system, without a key."""
        return self._options

    @storage_options.setter
    def storage_options(self, options: dict[str, Any]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._options = {name: value for name, value in options.items() if not isinstance(value, Key | FileKey)}

    @property
    def storage_args(self) -> tuple[Any, ...]:
        """The arguments without names, without a key."""
        return self._arguments

    @storage_args.setter
    def storage_args(self, arguments: tuple[Any, ...]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._arguments = tuple(value for value in arguments if not isinstance(value, Key | FileKey))

    @property
    def _fs_token(self) -> Any:
        # Equal file systems have one key and one store. A key is told by its object, and not by anything made of it.
        key = self._key.path if isinstance(self._key, WorkerKey) else f"{os.getpid()}-{id(self._key)}"
        token: str = require("fsspec.utils", "fsspec").tokenize(self.fs._fs_token, key, self._gap)
        return token

    @property
    def fsid(self) -> str:
        """The name of the other file system, sealed."""
        return f"sealed_{self.fs.fsid}"

    def __reduce__(self) -> Any:
        if not isinstance(self._key, WorkerKey):
            raise TypeError(
                "a SealedFileSystem has a key and cannot be pickled; make one where the key is,"
                " or with a WorkerKey, the path of a key file"
            )
        return _made_again, (self._key, self.fs, self._gap)

    def to_json(self, *_: Any, **__: Any) -> Any:
        """Raises TypeError: a file system with a key is not written to text."""
        raise TypeError("a SealedFileSystem has a key and is not written as JSON; make one where the key is")

    to_dict = to_json

    @classmethod
    def current(cls) -> Any:
        """Raises TypeError: each file system has a key of its own."""
        raise TypeError("there is no SealedFileSystem without a key; make one with it")

    @classmethod
    def from_json(cls, *_: Any, **__: Any) -> Any:
        """Raises TypeError: text has no key."""
        raise TypeError("a SealedFileSystem has a key and is not read from JSON; make one where the key is")

    @classmethod
    def from_dict(cls, *_: Any, **__: Any) -> Any:
        """Raises TypeError, as for JSON."""
        return cls.from_json()

    def sign(self, path: str, *_: Any, **__: Any) -> Any:
        """Raises NotImplementedError: who has a signed URL would get ciphertext."""
        raise NotImplementedError(f"{path}: a signed URL would give sealed bytes; sign it by the attribute fs")

    @property
    def transaction(self) -> Any:
        """Nothing but a NotImplementedError: each file is committed when it is closed."""
        raise NotImplementedError("a sealed file is committed when it is closed, and cannot be part of a transaction")

    def start_transaction(self) -> Any:
        """Raises NotImplementedError, as there are no transactions."""
        return self.transaction

    def end_transaction(self) -> Any:
        """Raises NotImplementedError, as there are no transactions."""
        return self.transaction

    def _message(self, info: dict[str, Any]) -> dict[str, Any]:
        """Returns the facts about a sealed file with the length of its message."""
        if info.get("type") == "file" and info.get("size") is not None:
            try:
                return {**info, "size": message_len(info["size"], format=self._format), "sealed_size": info["size"]}
            except (ValueError, InvalidTag):
                # Something else that lies there; opening it says so.
                return {**info, "size": None, "sealed_size": info["size"]}
        return info

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        """Returns the facts about a file. Its size is the length of the message, which is authentic once it is opened."""
        return self._message(self.fs.info(self._name(_one(path)), **options))

    def ls(self, path: str, detail: bool = True, **options: Any) -> list[Any]:
        """Lists a folder."""
        listed = self.fs.ls(self._name(_one(path)), detail=True, **options)
        return [self._message(info) if detail else info["name"] for info in listed]

    def find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **options: Any
    ) -> Any:
        """Finds all files below a folder."""
        found = self.fs.find(self._name(_one(path)), maxdepth=maxdepth, withdirs=withdirs, detail=True, **options)
        return {name: self._message(info) for name, info in found.items()} if detail else list(found)

    def glob(self, path: str, maxdepth: int | None = None, **options: Any) -> Any:
        """Finds files by a pattern."""
        detail = options.pop("detail", False)
        # With the slash at its end, which asks for folders.
        found = self.fs.glob(type(self)._strip_protocol(_one(path)), maxdepth=maxdepth, detail=True, **options)
        return {name: self._message(info) for name, info in found.items()} if detail else list(found)

    def du(
        self, path: str, total: bool = True, maxdepth: int | None = None, withdirs: bool = False, **options: Any
    ) -> Any:
        """Returns the lengths of messages, added up or by name. A file that is not sealed counts with its own length."""
        found = self.find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **options)
        sizes = {
            name: info["size"] if info.get("size") is not None else info.get("sealed_size") or 0
            for name, info in found.items()
        }
        if withdirs and self.isdir(path):
            sizes.setdefault(self._name(_one(path)), self.info(path).get("size") or 0)
        return sum(sizes.values()) if total else sizes

    def exists(self, path: str, **options: Any) -> bool:
        """True if there is a file or folder."""
        return bool(self.fs.exists(self._name(_one(path)), **options))

    def lexists(self, path: str, **options: Any) -> bool:
        """True if there is a file, a folder, or a link to nothing."""
        return bool(self.fs.lexists(self._name(_one(path)), **options))

    def isdir(self, path: str) -> bool:
        """True if there is a folder."""
        return bool(self.fs.isdir(self._name(_one(path))))

    def isfile(self, path: str) -> bool:
        """True if there is a file."""
        return bool(self.fs.isfile(self._name(_one(path))))

    def invalidate_cache(self, path: str | None = None) -> None:
        """Forgets the listings that the other file system has cached."""
        self.fs.invalidate_cache(None if path is None else self._name(_one(path)))

    def mkdir(self, path: str, create_parents: bool = True, **options: Any) -> None:
        """Makes a folder."""
        self.fs.mkdir(self._name(_one(path)), create_parents=create_parents, **options)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Makes a folder and those above."""
        self.fs.makedirs(self._name(_one(path)), exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        """Removes an empty folder."""
        self.fs.rmdir(self._name(_one(path)))

    def rm_file(self, path: str) -> None:
        """Removes a file."""
        self.fs.rm_file(self._name(_one(path)))

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Removes files, and folders with all in them if ``recursive``."""
        self.fs.rm(self._name(path), recursive=recursive, maxdepth=maxdepth)

    def cp_file(self, path1: str, path2: str, **options: Any) -> None:
        """Copies a file unchanged, sealed."""
        source, target = self._name(_one(path1)), self._name(_one(path2))
        how = way(self.fs)
        if how is Way.COPY and not self._gap and self.fs.isfile(target):
            raise refused(target)
        if how is not Way.LOCAL or not self.fs.isfile(source):
            self.fs.cp_file(source, target, **options)
            return
        # The copy of local files would be cut off if it failed.
        file = new_file(self.fs, target, exclusive=False, allow_gap=self._gap, options={})
        try:
            with self.fs.open(source, "rb") as sealed:
                while piece := sealed.read(_COPIED):
                    file.write(piece)
            file.commit()
        except BaseException:
            file.discard()
            raise

    def mv(self, path1: str, path2: str, recursive: bool = False, maxdepth: int | None = None, **options: Any) -> None:
        """Moves files unchanged, sealed. Refuses a target that is a source, lies in one, or is the target of another."""
        source, target = type(self)._strip_protocol(path1), type(self)._strip_protocol(path2)
        if isinstance(source, list) != isinstance(target, list):
            raise _arguments.wrong("path2", "a list of names if path1 is one, and else a name", path2)
        if source != target:
            self._refuse_overlaps(source, target, recursive, maxdepth)
        if way(self.fs) is Way.COPY and not self._gap and self.fs.isfile(self._name(path2)):
            raise refused(target)
        self.fs.mv(source, target, recursive=recursive, maxdepth=maxdepth, **options)

    def _refuse_overlaps(self, source: Any, target: Any, recursive: bool, maxdepth: int | None) -> None:
        """Refuses a move that would remove its own result: stores move by a copy and a removal."""
        sources = [_spelled(path) for path in self.fs.expand_path(self._name(source), recursive=recursive, maxdepth=maxdepth)]
        if isinstance(target, list):
            targets = [_spelled(path) for path in self._name(target)]
        else:
            into, name = str(target).endswith("/") or self.fs.isdir(self._name(target)), _spelled(self._name(target))
            targets = [f"{name}/{path.rpartition('/')[2]}" for path in sources] if into and not recursive else [name]
        for path in targets:
            if path in sources or any(recursive and path.startswith(f"{one}/") for one in sources):
                raise ValueError(f"{path} is moved onto or into itself; pass a target that is no source")
        if len(set(targets)) < len(targets):
            raise ValueError("two files are moved to one target; pass a target for each")

    def created(self, path: str) -> Any:
        """Returns the time at which a file was made."""
        return self.fs.created(self._name(_one(path)))

    def modified(self, path: str) -> Any:
        """Returns the time of the last change of a file."""
        return self.fs.modified(self._name(_one(path)))

    def touch(self, path: str, truncate: bool = True, **options: Any) -> None:
        """Makes an empty file, or sets the time of one if ``truncate`` is false."""
        if truncate or not self.exists(path):
            with self.open(path, "wb", **options):
                pass
        else:
            self.fs.touch(self._name(_one(path)), truncate=False, **options)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        """Returns a range of a message, as a slice of bytes has it. Nothing is fetched ahead."""
        del options
        data: bytes = self.cat_ranges([path], [start], [end], on_error="raise")[0]
        return data

    def cat_ranges(
        self, paths: Any, starts: Any, ends: Any, max_gap: int | None = None, on_error: str = "return", **options: Any
    ) -> list[Any]:
        """Returns ranges of messages. Each file is opened once."""
        del max_gap
        _arguments.instance(paths, "paths", list, "a list of names")
        starts = starts if isinstance(starts, list) else [starts] * len(paths)
        ends = ends if isinstance(ends, list) else [ends] * len(paths)
        if not len(paths) == len(starts) == len(ends):
            raise ValueError(f"there are {len(paths)} paths, {len(starts)} starts and {len(ends)} ends; pass equal numbers")
        readers: dict[str, Reader] = {}
        out: list[Any] = []
        for path, start, end in zip(paths, starts, ends, strict=True):
            try:
                name = self._name(_one(path))
                file = readers.get(name) or reader(self.fs, name, self._file_key(), self._length(name))
                readers[name] = file
                first, last, _ = slice(_place(start, "start"), _place(end, "end")).indices(file.message_len)
                out.append(file.read(first, last))
            except Exception as error:
                if on_error != "return":
                    raise
                out.append(error)
        return out

    def pipe_file(self, path: str, value: Any, mode: str = "overwrite", **options: Any) -> None:
        """Writes a message as a whole; ``mode="create"`` replaces nothing."""
        with self.open(path, "xb" if mode == "create" else "wb", **options) as file:
            file.write(value)

    def put_file(self, lpath: Any, rpath: str, callback: Any = None, mode: str = "overwrite", **options: Any) -> None:
        """Seals a local file; ``mode="create"`` replaces nothing."""
        local = _arguments.path(lpath, "lpath")
        if os.path.isdir(local):
            self.makedirs(rpath, exist_ok=True)
            return
        with open(local, "rb") as source:
            if callback is not None:
                callback.set_size(os.fstat(source.fileno()).st_size)
            self.makedirs(self._parent(rpath), exist_ok=True)
            with self.open(rpath, "xb" if mode == "create" else "wb", **options) as file:
                while piece := source.read(_COPIED):
                    file.write(piece)
                    if callback is not None:
                        callback.relative_update(len(piece))

    def get_file(self, rpath: str, lpath: Any = None, callback: Any = None, outfile: Any = None, **options: Any) -> None:
        """Opens a file into a local one, which appears as a whole and authentic, or into a file object."""
        if outfile is None and hasattr(lpath, "write"):
            outfile = lpath
        local = "" if outfile is not None else _arguments.path(lpath, "lpath")
        if outfile is None and self.isdir(rpath):
            os.makedirs(local, exist_ok=True)
            return
        with self.open(rpath, "rb", **options) as file:
            if callback is not None:
                callback.set_size(file.size)
            if outfile is not None:
                self._copied(file, outfile, callback)
                return
            folder = os.path.dirname(os.path.abspath(local))
            os.makedirs(folder, exist_ok=True)
            beside = os.path.join(folder, f".abreast-{secrets.token_hex(12)}.tmp")
            try:
                with open(beside, "xb") as made:
                    self._copied(file, made, callback)
                if os.path.lexists(local) and not os.path.isfile(local):
                    # A pipe or a device, which is written and not replaced.
                    with open(beside, "rb") as whole, open(local, "wb") as target:
                        shutil.copyfileobj(whole, target)
                else:
                    os.replace(beside, local)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(beside)

    @staticmethod
    def _copied(source: Any, target: Any, callback: Any) -> None:
        while piece := source.read(_COPIED):
            target.write(piece)
            if callback is not None:
                callback.relative_update(len(piece))

    def open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        cache_options: dict[str, Any] | None = None,
        compression: str | None = None,
        **options: Any,
    ) -> Any:
        """Opens a file to read it, or to write it as a whole; as text, and through a compression, as fsspec does."""
        path, mode = _one(path), _arguments.text(mode, "mode")
        if "b" not in mode:
            how = {name: options.pop(name) for name in ("encoding", "errors", "newline") if name in options}
            plain = self.open(path, mode.replace("t", "") + "b", block_size, cache_options, compression, **options)
            try:
                return io.TextIOWrapper(plain, **how) if "r" in mode else SealedText(plain, **how)
            except BaseException:
                if "r" not in mode:
                    plain.sealed.give_up()
                plain.close()
                raise
        if compression is not None:
            return self._compressed(path, mode, compression, block_size=block_size, cache_options=cache_options, **options)
        if mode != "rb" and type(self)._strip_protocol(path).rpartition("/")[2] == "":
            raise IsADirectoryError(f"{path!r} is no name of a file")
        return self._open(self._name(_one(path)), mode, block_size=block_size, cache_options=cache_options, **options)

    def _compressed(self, path: str, mode: str, compression: str, **options: Any) -> Any:
        known = require("fsspec.compression", "fsspec").compr
        name: str | None = compression
        if name == "infer":
            name = require("fsspec.utils", "fsspec").infer_compression(path)
        if not isinstance(name, str | None) or name not in known:
            raise ValueError(f"compression is one of {sorted(filter(None, known))} or 'infer', and not {compression!r}")
        file = self.open(path, mode, **options)
        if name is None:
            return file
        try:
            wrapped = known[name](file, mode=mode[0].replace("x", "w"))
        except BaseException:
            if mode != "rb":
                file.sealed.give_up()
            file.close()
            raise
        return Decompressed(wrapped, file) if mode == "rb" else Compressed(wrapped, file)

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        if mode == "rb":
            cache = options.get("cache_type")
            return SealedReader(self, path, self._file_key(), block_size, cache, cache_options, self._length(path))
        if mode not in ("wb", "xb"):
            raise ValueError(f"a sealed file is read ('rb') or written as a whole ('wb', 'xb'), and not opened as {mode!r}")
        if not autocommit:
            raise ValueError("a sealed file is committed when it is closed, and cannot be part of a transaction")
        if self.fs.isdir(path):
            raise IsADirectoryError(f"{path} is a folder")
        if mode == "xb" and self.fs.exists(path):
            raise FileExistsError(f"{path} exists already")
        if block_size is not None:
            options["block_size"] = block_size
        key = self._file_key()
        file = new_file(self.fs, path, exclusive=mode == "xb", allow_gap=self._gap, options=options)
        return SealedWriter(Raw(file, path, key, self.invalidate_cache))


def _one(path: Any) -> Any:
    """Returns a path where several are not taken."""
    if isinstance(path, list):
        raise _arguments.wrong("path", "the name of one file as a str or a pathlib.Path", path)
    return path


def _place(given: int | None, name: str) -> int | None:
    """Returns a border of a range, as a slice of bytes has it."""
    return None if given is None else _arguments.whole(given, name)


def _spelled(path: str) -> str:
    """Returns a name in the one spelling that all names of the same file share in stores with folders."""
    return "/".join(part for part in path.split("/") if part)


def _made_again(key: WorkerKey, fs: AbstractFileSystem, allow_gap: bool) -> SealedFileSystem:
    """Makes a file system in another process, by the path of its key."""
    return SealedFileSystem(key, fs, allow_gap=allow_gap)
