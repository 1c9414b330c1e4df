"""The abstract suites of fsspec, over sealed files in memory, in a folder, and in S3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec.tests.abstract as abstract
import pytest
import s3fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from stores import Server

from abreast.fsspec import SealedFileSystem
from abreast.sealed import Key


class _InMemory(abstract.AbstractFixtures):  # type: ignore[misc]
    @pytest.fixture
    def fs(self) -> Iterator[SealedFileSystem]:
        store = MemoryFileSystem()
        store.store.clear()
        store.pseudo_dirs[:] = [""]
        yield SealedFileSystem(Key.generate(), store)
        store.store.clear()
        store.pseudo_dirs[:] = [""]

    @pytest.fixture
    def fs_join(self) -> Callable[..., str]:
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def fs_path(self) -> str:
        return ""


class _InFolder(abstract.AbstractFixtures):  # type: ignore[misc]
    @pytest.fixture
    def fs(self) -> SealedFileSystem:
        return SealedFileSystem(Key.generate(), LocalFileSystem(auto_mkdir=True))

    @pytest.fixture
    def fs_path(self, tmp_path: Path) -> str:
        (tmp_path / "sealed").mkdir()
        return str(tmp_path / "sealed")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


class _InS3(abstract.AbstractFixtures):  # type: ignore[misc]
    # Minutes of requests; the other two places run the same tests each time.
    pytestmark = pytest.mark.long

    @pytest.fixture
    def fs(self, server: Server) -> SealedFileSystem:
        for name in server.names():
            server.client.delete_object(Bucket="bucket", Key=name)
        store = s3fs.S3FileSystem(
            key="test", secret="test", endpoint_url=server.url, client_kwargs={"region_name": "us-east-1"}, skip_instance_cache=True
        )
        return SealedFileSystem(Key.generate(), store)

    @pytest.fixture
    def fs_join(self) -> Callable[..., str]:
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def fs_path(self) -> str:
        return "bucket"

    @pytest.fixture
    def supports_empty_directories(self) -> bool:
        return False


def _suites(place: type) -> dict[str, Any]:
    suites = [name for name in vars(abstract) if name.startswith("Abstract") and name.endswith("Tests")]
    assert {"AbstractCopyTests", "AbstractGetTests", "AbstractOpenTests", "AbstractPipeTests", "AbstractPutTests"} <= set(suites)
    return {
        f"Test{name.removeprefix('Abstract').removesuffix('Tests')}{place.__name__.removeprefix('_')}": type(
            name, (place, getattr(abstract, name)), {}
        )
        for name in suites
    }


for _place in (_InMemory, _InFolder, _InS3):
    globals().update(_suites(_place))
