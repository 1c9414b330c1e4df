"""Shared parts of the tests: the repository's known answers, and lengths that meet in the same places."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[3] / "judges" / "vectors" / "data"


def cases(name: str) -> list[dict[str, str]]:
    """The cases of a file of known answers: fields ``Key = value``, cases set apart by empty lines."""
    found: list[dict[str, str]] = []
    case: dict[str, str] = {}
    for line in [*(DATA / f"{name}.txt").read_text().splitlines(), ""]:
        if line.startswith("#"):
            continue
        if not line:
            if case:
                found.append(case)
            case = {}
            continue
        key, _, value = line.partition("=")
        case[key.strip()] = value.strip()
    assert found, f"{name} has no cases"
    return found


def log_uniform(rng: random.Random, limit: int) -> int:
    """A length of 0 to ``limit``, as likely short as long."""
    return min(limit, int(2 ** rng.uniform(0, limit.bit_length())) - 1)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Iterator[random.Random]:
    """Random numbers whose seed a failure shows."""
    seed = random.SystemRandom().getrandbits(64)
    print(f"seed {seed}")
    yield random.Random(seed)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draws some of the tests of each module that take long, unless all were asked for."""
    if config.option.markexpr != "not long":
        return
    groups: dict[tuple[Path, int], list[pytest.Item]] = {}
    for item in items:
        if mark := item.get_closest_marker("drawn"):
            groups.setdefault((item.path, mark.args[0]), []).append(item)
    seed = int(os.environ.get("ABREAST_SEED") or random.SystemRandom().getrandbits(32))
    print(f"tests are drawn by ABREAST_SEED={seed}")
    draw, left = random.Random(seed), set[pytest.Item]()
    for (_, one_of), group in groups.items():
        left.update(draw.sample(group, len(group) - -(-len(group) // one_of)))
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Keeps the modules that were imported out of each later search for garbage, which tests ask for."""
    gc.freeze()


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A cluster of two processes on this machine, which modules of tests share."""
    import dask
    import distributed

    # Workers look a hundred times a second at what they do, busy or not.
    dask.config.set({"distributed.worker.profile.enabled": False})
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0) as workers,
        distributed.Client(workers, set_as_default=False) as made,
    ):
        yield made
