"""Measures a cluster of three worker processes with a few gigabytes, beside the store's own speed.

    pip install './faces/python[dask,s3]' 'moto[server]'
    python faces/python/bench/cluster.py FOLDER                 # 8 GB as one file on the file system of FOLDER
    python faces/python/bench/cluster.py FOLDER --s3            # as four objects of moto's server, which keeps them in FOLDER

Then the run is killed half way, and run again; and one machine opens the sealed files of the workers. FOLDER takes three times
as many bytes, and nothing is left in it. `--only copy`, `seal`, `crash` or `open` does one of the steps, and leaves the files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import distributed

import abreast.dask
from abreast.sealed import Key, load_key, save_key, verify_file

WORKERS, PART, PIECE = 3, 8 << 20, 4 << 20
MOTO = "http://127.0.0.1:5055"
OPTIONS = {"key": "test", "secret": "test", "endpoint_url": MOTO, "client_kwargs": {"region_name": "us-east-1"}}


def s3() -> Any:
    import boto3

    return boto3.client("s3", endpoint_url=MOTO, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")


def put_part(source: Path, number: int, upload: str) -> dict[str, Any]:
    with open(source, "rb") as file:
        file.seek(number * PART)
        answer = s3().upload_part(Bucket="bucket", Key=source.name, UploadId=upload, PartNumber=number + 1, Body=file.read(PART))
    return {"PartNumber": number + 1, "ETag": answer["ETag"]}


def copy(source: Path, use_s3: bool) -> None:
    """The file as it is, as fast as the store takes it from as many processes."""
    if not use_s3:
        with open(source, "rb") as read, open(source.with_suffix(".copy"), "wb") as write:
            shutil.copyfileobj(read, write, PIECE)
            os.fsync(write.fileno())
        source.with_suffix(".copy").unlink()
        return
    upload = s3().create_multipart_upload(Bucket="bucket", Key=source.name)["UploadId"]
    numbers = range(-(-source.stat().st_size // PART))
    with ProcessPoolExecutor(WORKERS) as workers:
        parts = list(workers.map(put_part, [source] * len(numbers), numbers, [upload] * len(numbers)))
    s3().complete_multipart_upload(Bucket="bucket", Key=source.name, UploadId=upload, MultipartUpload={"Parts": parts})
    s3().delete_object(Bucket="bucket", Key=source.name)


def seal(sources: list[Path], key: Key, use_s3: bool) -> abreast.dask.Report:
    with (
        distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        to = "s3://bucket/sealed/" if use_s3 else f"{sources[0].parent}/sealed/"
        options = OPTIONS if use_s3 else None
        names = [str(source) for source in sources]
        return abreast.dask.seal(names, key, to=to, client=client, target_options=options, replace=True, progress=False)


def timed(what: str, size: int, call: Callable[[], object]) -> None:
    start = time.monotonic()
    call()
    took = time.monotonic() - start
    print(f"{what}: {took:.1f} s, {size / took / 1e6:.0f} MB/s", flush=True)


def open_alone(sources: list[Path], key: Key, use_s3: bool) -> None:
    for source in sources:
        sealed = source.parent / "sealed" / f"{source.name}.abreast"
        if use_s3:
            with open(sealed, "wb") as file:
                body = s3().get_object(Bucket="bucket", Key=f"sealed/{sealed.name}")["Body"]
                shutil.copyfileobj(body, file, PIECE)
        verify_file(sealed, key)
        if use_s3:
            sealed.unlink()


def crash(arguments: list[str], after: float) -> None:
    """Runs this program in a process group of its own and kills it in the middle."""
    run = subprocess.Popen([sys.executable, __file__, *arguments, "--only", "seal"], start_new_session=True)
    time.sleep(after)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    print(f"killed after {after:.1f} s, exit status {run.returncode}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--s3", action="store_true")
    parser.add_argument("--gigabytes", type=float, default=8)
    parser.add_argument("--kill-after", type=float, default=15, metavar="SECONDS")
    parser.add_argument("--only", choices=["make", "copy", "seal", "crash", "open"])
    arguments = parser.parse_args()
    folder, count = arguments.folder, 4 if arguments.s3 else 1
    size = int(arguments.gigabytes * 1e9) // count
    (folder / "sealed").mkdir(parents=True, exist_ok=True)
    sources = [folder / f"data{number}" for number in range(count)]
    key_file, server = folder / "bench.key", None
    if not key_file.exists():
        save_key(Key.generate(), key_file)
        for source in sources:
            with open(source, "wb") as file:
                for at in range(0, size, PIECE):
                    file.write(os.urandom(min(PIECE, size - at)))
    key, steps = load_key(key_file), [arguments.only] if arguments.only else ["copy", "seal", "crash", "seal", "open"]
    if arguments.s3 and "MOTO_RUNNING" not in os.environ:
        environment = {**os.environ, "MOTO_RUNNING": "1", "TMPDIR": str(folder), "MOTO_S3_DEFAULT_KEY_BUFFER_SIZE": "65536"}
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", "5055"], env=environment, stderr=subprocess.DEVNULL)
        os.environ["MOTO_RUNNING"] = "1"
        time.sleep(5)
        s3().create_bucket(Bucket="bucket")
    try:
        for step in steps:
            if step == "copy":
                timed("the store's own speed", size * count, lambda: [copy(source, arguments.s3) for source in sources])
            elif step == "seal":
                report = seal(sources, key, arguments.s3)
                # The workers take some seconds to begin.
                arguments.kill_after = 2 + report.seconds / 2
                print(report, flush=True)
            elif step == "crash":
                crash(sys.argv[1:], arguments.kill_after)
                left = [path.name for path in (folder / "sealed").iterdir() if path.name.endswith(".tmp")]
                if arguments.s3:
                    left = [one["UploadId"] for one in s3().list_multipart_uploads(Bucket="bucket").get("Uploads", [])]
                print("left of it:", len(left), flush=True)
            elif step == "open":
                timed("opened by one machine", size * count, lambda: open_alone(sources, key, arguments.s3))
    finally:
        if server is not None:
            server.terminate()
            server.wait(60)
        if not arguments.only:
            for path in [*sources, key_file]:
                path.unlink()
            shutil.rmtree(folder / "sealed")


if __name__ == "__main__":
    main()
