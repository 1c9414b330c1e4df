"""A file that several workers seal, open, re-key and verify, by Dask and by a plan alone.

    pip install './faces/python[dask]'
    python examples/cluster.py                       # local files, workers of this machine
    python examples/cluster.py tls://scheduler:8786  # a real cluster; the folder has to be shared
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import abreast.dask
from abreast.sealed import FileCipher, FileKey, Key, Part, Plan, SealedFile, verify_file


def by_dask(folder: Path, key: Key, client: str | None) -> None:
    url = f"file://{folder}/measurements"
    print(abreast.dask.seal(url, key, client=client, progress=False))
    # One machine opens what the workers sealed.
    verify_file(folder / "measurements.abreast", key)
    with SealedFile(folder / "measurements.abreast", key) as file:
        file.seek(-16, os.SEEK_END)
        print("the last bytes:", file.read().hex())
    new_key = Key.generate()
    print(abreast.dask.reseal(url + ".abreast", key, new_key, to=url + ".new", client=client, progress=False))
    print(abreast.dask.open(url + ".new", new_key, to=url + ".copy", client=client, progress=False))
    assert (folder / "measurements.copy").read_bytes() == (folder / "measurements").read_bytes()


def many_files(folder: Path, key: Key, client: str | None) -> None:
    """A report of each file; the same call again does what is missing."""
    (folder / "days").mkdir()
    for day in range(20):
        (folder / "days" / f"{day}.csv").write_text(f"day,{day}\n")
    for _ in range(2):
        report = abreast.dask.seal(
            key=key,
            prefix=f"file://{folder}/days/",
            to=folder / "sealed",
            client=client,
            on_error="continue",
            skip_existing=True,
            progress=False,
        )
        print(f"{len(report.done)} sealed, {len(report.skipped)} skipped, {len(report.failed)} failed")
    verify_file(folder / "sealed" / "7.csv.abreast", key)


def by_a_plan(folder: Path, key: Key) -> None:
    """Seals as every engine does: Ray's tasks and Spark's partitions run `work` for the parts that they have."""
    source, target = folder / "measurements", folder / "by-a-plan.abreast"
    plan = Plan(source.stat().st_size)
    file_key = FileKey.of_plan(key, plan).to_bytes()  # secret; hand it to workers over a channel that is
    with open(target, "wb") as file:
        file.truncate(plan.sealed_len)

    def work(part: Part) -> None:
        cipher = FileCipher(FileKey.from_bytes(file_key))
        with open(source, "rb") as read, open(target, "r+b") as write:
            read.seek(part.plain[0])
            write.seek(part.sealed[0])
            write.write(cipher.seal_part(part, read.read(part.plain[1] - part.plain[0])))

    with ThreadPoolExecutor(3) as workers:
        list(workers.map(work, plan))
    verify_file(target, key)
    print(f"{len(plan)} parts by the plan {plan}")


def main() -> None:
    client = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "measurements").write_bytes(os.urandom(50_000_000))
        key = Key.generate()
        by_dask(folder, key, client)
        many_files(folder, key, client)
        by_a_plan(folder, key)


if __name__ == "__main__":
    main()
