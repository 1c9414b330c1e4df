"""Stores of fsspec for tests: one that keeps each name byte for byte, and one of Arrow."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import fsspec
import pyarrow.fs
from fsspec.implementations.arrow import ArrowFSWrapper

Hook = Callable[[str], None]


class Flat(fsspec.AbstractFileSystem):
    """A store of objects in a dictionary. ``hook`` is called with the name of each request before it is done, and in the
    middle of a copy, so that it can fail there. ``facts`` is its information on an object beside the size."""

    protocol = "flat"
    cachable = False
    objects: dict[str, bytes] = {}
    facts: dict[str, Any] = {"etag": "1"}
    hook: Hook = staticmethod(lambda name: None)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("flat://")

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        self.hook("info")
        if path not in self.objects:
            raise FileNotFoundError(path)
        return {"name": path, "size": len(self.objects[path]), "type": "file", **self.facts}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        self.hook("ls")
        found = [name for name in self.objects if name.startswith(path + "/")]
        return [{"name": name, "size": len(self.objects[name]), "type": "file"} for name in found] if detail else found

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        self.hook("cat_file")
        if path not in self.objects:
            raise FileNotFoundError(path)
        return self.objects[path][start:end]

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        self.hook("cp_file")
        self.objects[path2] = self.objects[path1][:3]
        self.hook("cp_file, in the middle")
        self.objects[path2] = self.objects[path1]

    def rm_file(self, path: str) -> None:
        self.hook("rm_file")
        del self.objects[path]

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        assert mode == "wb"
        return _FlatFile(self, path)


class _FlatFile(io.BytesIO):
    def __init__(self, fs: Flat, path: str) -> None:
        super().__init__()
        fs.hook("open")
        self._fs, self._path = fs, path

    def write(self, data: Any) -> int:
        self._fs.hook("write")
        return super().write(data)

    def close(self) -> None:
        if not self.closed:
            self._fs.objects[self._path] = self.getvalue()[:3]
            try:
                self._fs.hook("close")
                self._fs.objects[self._path] = self.getvalue()
            finally:
                super().close()


class ArrowLocal(ArrowFSWrapper):
    """Local files by Arrow, as ``hdfs`` is a store by Arrow."""

    protocol = "arrowlocal"
    hook: Hook = staticmethod(lambda name: None)

    def __init__(self, **options: Any) -> None:
        super().__init__(pyarrow.fs.LocalFileSystem(), **options)

    def mv(self, path1: str, path2: str, **options: Any) -> None:
        self.hook("mv")
        super().mv(path1, path2, **options)

    def info(self, path: str, **options: Any) -> Any:
        self.hook("info")
        return super().info(path, **options)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> Any:
        self.hook("cat_file")
        return super().cat_file(path, start, end, **options)

    def rm_file(self, path: str) -> None:
        self.hook("rm_file")
        super().rm_file(path)

    def rmdir(self, path: str) -> None:
        self.hook("rmdir")
        super().rmdir(path)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self.hook("makedirs")
        super().makedirs(path, exist_ok=exist_ok)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        self.hook("open")
        return super()._open(path, mode, **options)


fsspec.register_implementation("flat", Flat, clobber=True)
fsspec.register_implementation("arrowlocal", ArrowLocal, clobber=True)
