"""A file that the tasks of another engine than Dask seal: Ray's, Spark's, or processes of this machine.

    pip install './faces/python' ray       # or pyspark, which needs Java 17
    python examples/engines.py ray
    python examples/engines.py spark
    python examples/engines.py       # processes of this machine

`seal_part` is all that an engine runs. A task that is run twice writes the same bytes, since the source is pinned. The key
stays in a file that workers have: tasks say where it is and do not carry it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from abreast.sealed import FileCipher, FileKey, Key, Plan, load_key, save_key, verify_file


@dataclass(frozen=True)
class Job:
    """The knowledge of a task, nothing of it secret. All paths are of a file system that workers share."""

    plan: str
    source: str
    pinned: tuple[int, int]
    target: str
    key_file: str


def version(descriptor: int) -> tuple[int, int]:
    """Returns values that change when a file does."""
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns


def seal_part(number: int, job: Job) -> int:
    """Seals a part of the source to its place in the target, and returns how many bytes it has."""
    plan = Plan.parse(job.plan)
    part, cipher = plan[number], FileCipher(FileKey.of_plan(load_key(job.key_file), plan))
    with open(job.source, "rb") as source, open(job.target, "r+b") as target:
        # Other bytes under the same plan and key would give both away.
        if version(source.fileno()) != job.pinned:
            raise RuntimeError(f"{job.source} was changed; plan it anew")
        source.seek(part.plain[0])
        target.seek(part.sealed[0])
        target.write(cipher.seal_part(part, source.read(part.plain[1] - part.plain[0])))
    return part.plain[1] - part.plain[0]


def by_processes(parts: int, job: Job) -> int:
    with ProcessPoolExecutor(2) as workers:
        return sum(workers.map(partial(seal_part, job=job), range(parts)))


def by_ray(parts: int, job: Job) -> int:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        task = ray.remote(seal_part)
        return sum(ray.get([task.remote(number, job) for number in range(parts)]))
    finally:
        ray.shutdown()


def by_spark(parts: int, job: Job) -> int:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        return int(spark.sparkContext.parallelize(range(parts), parts).map(partial(seal_part, job=job)).sum())
    finally:
        spark.stop()


def main() -> None:
    engine = sys.argv[1] if len(sys.argv) > 1 else "processes"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, beside, target = folder / "measurements", folder / "measurements.tmp", folder / "measurements.abreast"
        source.write_bytes(os.urandom(50_000_000))
        key = Key.generate()
        save_key(key, folder / "my.key")
        with open(source, "rb") as file:
            pinned = version(file.fileno())
        plan = Plan(pinned[0])
        with open(beside, "wb") as file:
            file.truncate(plan.sealed_len)
        job = Job(str(plan), str(source), pinned, str(beside), str(folder / "my.key"))
        done = {"processes": by_processes, "ray": by_ray, "spark": by_spark}[engine](len(plan), job)
        assert done == pinned[0]
        # The file has its place once all of its parts are there.
        beside.rename(target)
        verify_file(target, key)
        print(f"{engine}: {len(plan)} parts, {done} bytes")


if __name__ == "__main__":
    main()
