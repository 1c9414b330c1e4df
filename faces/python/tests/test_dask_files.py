"""Many files of a cluster: the outcome of each is reported, and the same call again does the missing ones."""

from __future__ import annotations

import builtins
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest
from stores import Server, until

import abreast
import abreast.dask as cluster
from abreast.dask import _names
from abreast.sealed import CHUNK, FileCipher, FileKey, Key, Plan, message_len, open_file, verify_file

pytestmark = pytest.mark.cluster

KEY = Key(bytes(range(32)))
PART = 8 << 20


@pytest.fixture
def s3() -> Iterator[Server]:
    with Server() as server:
        yield server


def sealed(message: bytes, key: Key = KEY) -> bytes:
    plan = Plan(len(message))
    cipher = FileCipher(FileKey.of_plan(key, plan))
    return b"".join(cipher.seal_part(part, message[slice(*part.plain)]) for part in plan)


def opened(data: bytes, key: Key = KEY) -> bytes:
    plan = Plan.of_sealed(data[:56], len(data))
    cipher = FileCipher(FileKey.from_header(key, data[:56]))
    return b"".join(cipher.open_part(part, data[slice(*part.sealed)]) for part in plan)


def outcomes(report: cluster.Report) -> Counter[str]:
    return Counter(file.outcome for file in report.files)


def folder_of(path: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(one.relative_to(path)): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}


def test_one_of_thirty_is_corrupt(client: Any, tmp_path: Path, rng: random.Random) -> None:
    """The report is there whatever happens; the same call again does the missing files."""
    messages = {f"{number:02}": rng.randbytes(rng.randrange(100_000)) for number in range(30)}
    for name, message in messages.items():
        (tmp_path / f"{name}.abreast").write_bytes(sealed(message))
    bad = tmp_path / "12.abreast"
    good = bad.read_bytes()
    bad.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    names = [tmp_path / f"{name}.abreast" for name in messages]

    with pytest.raises(abreast.InvalidTag, match=r"12\.abreast: ") as caught:
        cluster.open(names, KEY, client=client, progress=False)
    report: cluster.Report = caught.value.report  # type: ignore[attr-defined]
    assert [file.source for file in report.files] == [str(name) for name in names]
    assert report.files[12].error is caught.value and report.failed == [report.files[12]]
    # The files that the report calls done are there and whole, and no others are there.
    assert {file.target for file in report.done} == {str(path) for path in tmp_path.iterdir() if not path.name.endswith(".abreast")}
    for file in report.done:
        assert Path(str(file.target)).read_bytes() == messages[Path(str(file.target)).name]

    report = cluster.open(names, KEY, client=client, progress=False, on_error="continue", skip_existing=True)
    assert outcomes(report) == {"opened": 30 - 1 - len(report.skipped), "skipped": len(report.skipped), "failed": 1}
    assert isinstance(report.files[12].error, abreast.InvalidTag) and "12.abreast: failed, " in str(report.files[12])
    assert "skipped, 1 failed by" in str(report) or not report.skipped
    bad.write_bytes(good)
    report = cluster.open(names, KEY, client=client, progress=False, on_error="continue", skip_existing=True)
    assert outcomes(report) == {"opened": 1, "skipped": 29} and report.bytes == len(messages["12"])
    assert {name: data for name, data in folder_of(tmp_path).items() if not name.endswith(".abreast")} == messages


# The faults, each with the exception that it causes.
FAULTS: dict[str, type[Exception]] = {
    "missing": FileNotFoundError,
    "exists": FileExistsError,
    "passphrase": ValueError,
    "short": abreast.InvalidTag,
    "other": abreast.InvalidTag,
    "late": abreast.InvalidTag,
    "folder": OSError,
}


@pytest.mark.parametrize("what", ["seal", "open", "reseal", "verify"])
def test_each_file_has_an_outcome_of_its_own(what: str, client: Any, tmp_path: Path, rng: random.Random) -> None:
    """Small files and files of parts, with one fault of each kind among them."""
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    target.mkdir()
    other, names, expected = Key.generate(), [], {}
    sizes = {"small": 5, "empty": 0, "long": 2 * PART + 7}
    for name, size in sizes.items():
        message = rng.randbytes(size)
        (source / name).write_bytes(message if what == "seal" else sealed(message))
        expected[name] = message
        names.append(name)
    (source / "exists").write_bytes((source / "small").read_bytes())
    (source / "folder").mkdir()
    (target / "exists").write_bytes(b"there before")
    names += ["missing", "exists", "folder"]
    if what != "seal":
        (source / "passphrase").write_bytes(b"abreast/1" + bytes(1000))
        (source / "short").write_bytes(sealed(b"")[:50])
        (source / "other").write_bytes(sealed(b"other", other))
        long = bytearray(sealed(rng.randbytes(2 * PART)))
        long[-1] ^= 1
        (source / "late").write_bytes(long)
        names += ["passphrase", "short", "other", "late"]
    rng.shuffle(names)
    to: Any = {} if what == "verify" else {"to": [target / name for name in names]}
    keys = [KEY, Key.generate()] if what == "reseal" else [KEY]
    report = getattr(cluster, what)([source / name for name in names], *keys, client=client, on_error="continue", progress=False, **to)
    done = {"seal": "sealed", "open": "opened", "reseal": "resealed", "verify": "verified"}[what]
    for name, file in zip(names, report.files, strict=True):
        if name in sizes or (name == "exists" and what == "verify"):
            assert (file.outcome, file.error) == (done, None), file
            assert file.bytes == sizes.get(name, 5) and file.parts == (3 if name == "long" else 1)
        else:
            assert file.outcome == "failed" and isinstance(file.error, FAULTS[name]), (name, file.error)
            assert file.reason == str(file.error) and name in file.reason and file.bytes == file.parts == 0
    if what == "verify":
        assert list(target.iterdir()) == [target / "exists"]
        return
    made = folder_of(target)
    assert made.pop("exists") == b"there before"
    assert {name: data if what == "open" else opened(data, keys[-1]) for name, data in made.items()} == expected


def test_skipped_and_refused(client: Any, s3: Server) -> None:
    """Targets that exist, of small files and of parts, with and without skip_existing; nothing of them is touched."""
    for name, size in (("small", 5), ("long", PART + 1)):
        s3.put(name, bytes(size))
        s3.put(f"{name}.abreast", b"before")
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False, "on_error": "continue"}
    urls = ["s3://bucket/small", "s3://bucket/long"]
    report = cluster.seal(urls, KEY, **how)
    assert [type(file.error) for file in report.files] == [FileExistsError] * 2
    assert all("replace=True" in file.reason for file in report.files)
    report = cluster.seal(urls, KEY, skip_existing=True, **how)
    assert [(file.outcome, file.reason) for file in report.files] == [("skipped", "its target exists")] * 2
    assert s3.get("small.abreast") == s3.get("long.abreast") == b"before" and s3.uploads() == []
    # One that appears in the meantime.
    s3.client.delete_object(Bucket="bucket", Key="small.abreast")
    s3.client.delete_object(Bucket="bucket", Key="long.abreast")
    there: set[str] = set()

    def fault(environ: Any) -> None:
        for name in ("small", "long"):
            if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"] == f"/bucket/{name}" and name not in there:
                there.add(name)
                s3.put(f"{name}.abreast", b"of another one")

    s3.fault = fault
    report = cluster.seal(urls, KEY, skip_existing=True, **how)
    assert [file.outcome for file in report.files] == ["skipped"] * 2 and there == {"small", "long"}
    assert s3.get("small.abreast") == s3.get("long.abreast") == b"of another one" and s3.uploads() == []
    s3.fault = lambda environ: None
    report = cluster.seal(urls, KEY, replace=True, **how)
    assert outcomes(report) == {"sealed": 2} and opened(s3.get("long.abreast")) == bytes(PART + 1)


@pytest.mark.drawn(3)
def test_requests_for_small_objects(client: Any, s3: Server) -> None:
    """One read and one write for each, whatever is done, and a listing."""
    count = 40
    for number in range(count):
        s3.put(f"in/{number % 3}/{number}", bytes(number))
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False}

    def requests(call: Callable[[], Any]) -> dict[str, int]:
        s3.requests.clear()
        report = call()
        assert len(report.done) == count and all(file.parts == 1 for file in report.files)
        return dict(Counter("LIST" if "list-type" in path else method for method, path in s3.requests))

    urls = [f"s3://bucket/in/{number % 3}/{number}" for number in range(count)]
    once = {"GET": count, "PUT": count}
    assert requests(lambda: cluster.seal(urls, KEY, to="s3://bucket/named/", **how)) == once
    assert requests(lambda: cluster.seal(key=KEY, prefix="s3://bucket/in/", to="s3://bucket/out", **how)) == {**once, "LIST": 1}
    new = Key.generate()
    assert requests(
        lambda: cluster.reseal(None, KEY, new, prefix="s3://bucket/out/", to="s3://bucket/new/", **how)
    ) == {**once, "LIST": 1}
    assert requests(lambda: cluster.open(key=new, prefix="s3://bucket/new/", to="s3://bucket/back/", **how)) == {**once, "LIST": 1}
    assert requests(lambda: cluster.verify(key=new, glob="s3://bucket/new/*/*.abreast", **how)) == {"GET": count, "LIST": 1}
    for number in range(count):
        assert s3.get(f"back/{number % 3}/{number}") == bytes(number)
        assert opened(s3.get(f"named/{number}.abreast")) == opened(s3.get(f"out/{number % 3}/{number}.abreast")) == bytes(number)


@pytest.mark.drawn(3)
def test_a_small_file_that_is_written_twice(client: Any, s3: Server) -> None:
    """A worker that ends after it wrote, so that another one finds the target, is no error: the file there is this run's."""
    for name in ("a", "b.abreast"):
        s3.put(name, b"message" if name == "a" else sealed(b"message"))
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False}
    for call in (
        lambda: cluster.seal("s3://bucket/a", KEY, **how),
        lambda: cluster.open("s3://bucket/b.abreast", KEY, **how),
    ):
        killed: list[str] = []

        def after(environ: Any, killed: list[str] = killed) -> None:
            if environ["REQUEST_METHOD"] == "PUT" and not killed:
                pids = client.run(os.getpid)
                killed.extend(worker for worker, tasks in client.processing().items() if tasks)
                for worker in killed:
                    os.kill(pids[worker], signal.SIGKILL)

        s3.after = after
        assert call().done and killed
        s3.after = lambda environ: None
        client.wait_for_workers(2, timeout=60)
    assert opened(s3.get("a.abreast")) == s3.get("b") == b"message"
    # A file that was there before is an error even if its bytes are the right ones.
    with pytest.raises(FileExistsError):
        cluster.open("s3://bucket/b.abreast", KEY, **how)


def test_an_answer_that_is_lost(client: Any, s3: Server) -> None:
    """The store has written, and the client hears of an error and asks again: the target is this run's, and no error."""
    s3.put("small.abreast", sealed(b"small"))
    s3.put("long.abreast", sealed(bytes(PART + 1)))
    s3.put("small", b"small")
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False, "on_error": "continue"}
    for call, size in (
        (lambda: cluster.open("s3://bucket/small.abreast", KEY, to="s3://bucket/opened", **how), 5),
        (lambda: cluster.open("s3://bucket/long.abreast", KEY, to="s3://bucket/opened", **how), PART + 1),
    ):
        lost: list[str] = []

        def after(environ: Any, lost: list[str] = lost) -> None:
            query = environ["QUERY_STRING"]
            ends = environ["REQUEST_METHOD"] == "POST" and "uploadId" in query
            if (ends or (environ["REQUEST_METHOD"] == "PUT" and not query)) and not lost:
                lost.append(query)
                raise RuntimeError("the answer is lost")

        s3.after = after
        report = call()
        s3.after = lambda environ: None
        assert lost and [file.outcome for file in report.files] == ["opened"], report.files
        assert len(s3.get("opened")) == size and s3.uploads() == []
        # It is an error where it was there before.
        assert isinstance(call().files[0].error, FileExistsError)
        s3.client.delete_object(Bucket="bucket", Key="opened")


@pytest.mark.parametrize("store", ["local", "s3"])
def test_prefixes_and_patterns(store: str, client: Any, s3: Server, tmp_path: Path) -> None:
    """Paths stay below the target, and files that are left out are reported."""
    files = {name: name.encode() for name in ("a", "day[1]", "day1", "sub/b.csv", "sub/deep/c.csv", "sub2/d", "sub/e.csv.abreast")}
    files["sub/.abreast-x-0123456789ab.tmp"] = b""
    base = "s3://bucket/in" if store == "s3" else f"{tmp_path}/in"
    out = "s3://bucket/out" if store == "s3" else f"{tmp_path}/out"
    for name, data in files.items():
        if store == "s3":
            s3.put(f"in/{name}", data)
        else:
            (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "in" / name).write_bytes(data)
    if store == "s3":
        s3.put("in/sub/", b"")
        s3.put("input", b"")
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False}

    def made() -> dict[str, bytes]:
        if store == "local":
            found = folder_of(tmp_path / "out")
        else:
            found = {name[4:]: s3.get(name) for name in s3.names() if name.startswith("out/")}
        return {name: opened(data) for name, data in found.items()}

    expected = {f"{name}.abreast": data for name, data in files.items() if "abreast" not in name}
    report = cluster.seal(key=KEY, prefix=f"{base}/", to=out, **how)
    assert made() == expected
    reasons = {file.source.removeprefix(f"{base}/"): file.reason for file in report.skipped}
    assert reasons == {
        "sub/.abreast-x-0123456789ab.tmp": "another run has not finished it",
        "sub/e.csv.abreast": "its name ends in .abreast",
        **({"sub/": "it stands for a folder"} if store == "s3" else {}),
    }
    # A pattern, and a prefix that ends within a name.
    for chosen, names in (
        ({"glob": f"{base}/**/*.csv"}, ["sub/b.csv", "sub/deep/c.csv"]),
        ({"glob": f"{base}/sub/*.csv"}, ["b.csv"]),
        ({"glob": f"{base}/day?"}, ["day1"]),
        ({"glob": f"{base}/day[[]*"}, ["day[1]"]),
        ({"glob": f"{base}/*/*.csv"}, ["sub/b.csv"]),
        ({"prefix": f"{base}/sub"}, ["sub/b.csv", "sub/deep/c.csv", "sub2/d"]),
        ({"prefix": f"{base}/d"}, ["day[1]", "day1"]),
    ):
        report = cluster.seal(key=KEY, to=f"{out}-{len(names)}/", replace=True, **chosen, **how)
        assert [str(file.target).removeprefix(f"{out}-{len(names)}/") for file in report.done] == sorted(f"{name}.abreast" for name in names)
    # A name with signs of patterns is a name.
    report = cluster.seal(f"{base}/day[1]", KEY, to=f"{out}-name", **how)
    assert len(report.done) == 1
    with pytest.raises(FileNotFoundError):
        cluster.seal(f"{base}/*", KEY, to=f"{out}-none", **how)
    with pytest.raises(FileNotFoundError, match="no such files"):
        cluster.seal(key=KEY, glob=f"{base}/*.none", to=f"{out}-none", **how)

    # The same call again, with targets beside the sources and one missing.
    beside = cluster.seal(key=KEY, prefix=f"{base}/sub2/", **how)
    again = cluster.seal(key=KEY, prefix=f"{base}/sub2/", skip_existing=True, **how)
    assert (outcomes(beside), outcomes(again)) == ({"sealed": 1}, {"skipped": 2})
    assert [file.target for file in cluster.open(key=KEY, prefix=f"{out}/", to=f"{out}/plain", **how).done] == sorted(
        f"{out}/plain/{name.removesuffix('.abreast')}" for name in expected
    )
    # Targets below the prefix are no sources.
    report = cluster.reseal(None, KEY, KEY, prefix=f"{out}/", to=f"{out}/new", **how)
    assert len(report.done) == len(expected)
    report = cluster.reseal(None, KEY, KEY, prefix=f"{out}/", to=f"{out}/new", skip_existing=True, **how)
    assert all(file.outcome == "skipped" for file in report.files)
    assert Counter(file.reason for file in report.files)["it lies below the targets"] == len(expected)


def test_names_that_leave_a_folder(client: Any, s3: Server, tmp_path: Path) -> None:
    """An object's name is no path of the caller's: it does not lead out of the folder of the targets."""
    names = ("../out", "a/../../out", "/out", "a//out", "./out")
    how: dict[str, Any] = {"prefix": "s3://bucket/in/", "to": tmp_path / "to", "storage_options": s3.options}
    for name in names:
        s3.client.put_object(Bucket="bucket", Key=f"in/{name}.abreast", Body=sealed(b""))
        with pytest.raises(ValueError, match="cannot be the name of a file in"):
            cluster.open(key=KEY, client="tcp://127.0.0.1:1", **how)
        s3.client.delete_object(Bucket="bucket", Key=f"in/{name}.abreast")
    assert list(tmp_path.iterdir()) == []
    s3.put("in//out.abreast", sealed(b""))
    s3.put("in/good.abreast", sealed(b"good"))
    report = cluster.open(key=KEY, client=client, on_error="continue", progress=False, **how)
    assert [file.outcome for file in report.files] == ["failed", "opened"]
    assert folder_of(tmp_path) == {"to/good": b"good"}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("store", ["s3", "local"])
def test_names_are_names(store: str, client: Any, s3: Server, tmp_path: Path) -> None:
    """Signs of URLs and patterns, spaces and more in names of sources and targets: each is an object of its own."""
    names = ["report", "report#2", "report?2", "report%32", "report 2 ", " r", "day[1]", "*", "é\N{CJK UNIFIED IDEOGRAPH-4E2D}", "data:2024.bin", "a=b&c;d+e,f"]
    if store == "s3":
        names += ["a//b", "x/", "/leading"]
    root = "s3://bucket/in/" if store == "s3" else f"file://{tmp_path}/in/"
    (tmp_path / "in").mkdir()
    messages = {name: name.encode() for name in names}
    for name, message in messages.items():
        if store == "s3":
            s3.put(f"in/{name}", message)
        else:
            (tmp_path / "in" / name).write_bytes(message)

    def there() -> dict[str, bytes]:
        if store == "s3":
            return {name[3:]: s3.get(name) for name in s3.names()}
        return folder_of(tmp_path / "in")

    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False}
    assert len(cluster.seal([root + name for name in names], KEY, **how).done) == len(names)
    made = there()
    assert {name.removesuffix(".abreast"): opened(data) for name, data in made.items() if name.endswith(".abreast")} == messages
    assert {name: made[name] for name in names} == messages
    # Each alone, in place of the existing file.
    for name in names[:4]:
        new = Key.generate()
        cluster.seal(root + name, new, replace=True, **how)
        assert opened(there()[f"{name}.abreast"], new) == messages[name] and there()[name] == messages[name]
        cluster.seal(root + name, KEY, replace=True, **how)
    report = cluster.open(key=KEY, prefix=root, to=root.replace("/in/", "/in/to/"), **how)
    found = {name.removeprefix("to/"): data for name, data in there().items() if name.startswith("to/")}
    assert len(report.done) == len(names) and found == messages


def test_targets_are_compared_in_the_store(tmp_path: Path) -> None:
    """By another name, a link or another spelling of the same place, a source is still no target."""
    (tmp_path / "a").write_bytes(b"a")
    os.link(tmp_path / "a", tmp_path / "linked")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "sub")
    (tmp_path / "sub" / "a").write_bytes(b"a")
    for source, target in (
        ("a", "linked"),
        ("a", "./a"),
        ("a", "sub/../a"),
        ("sub/a", "link/a"),
        ("link/a", "sub/a"),
    ):
        for first, second in ((f"{tmp_path}/{source}", f"file://{tmp_path}/{target}"), (f"file://{tmp_path}/{source}", f"{tmp_path}/{target}")):
            with pytest.raises(ValueError, match="own target"):
                cluster.seal(first, KEY, to=second, replace=True, client="tcp://127.0.0.1:1")
    assert folder_of(tmp_path)["a"] == b"a"


def test_type_and_metadata_are_kept(client: Any, s3: Server) -> None:
    """From source to sealed to opened, of small objects and of parts."""
    facts: dict[str, Any] = {
        "ContentType": "text/csv",
        "Metadata": {"owner": "ann", "row-count": "7"},
        "CacheControl": "max-age=60",
        "ContentDisposition": 'attachment; filename="a.csv"',
        "ContentLanguage": "fr",
        "ContentEncoding": "gzip",
    }
    how: dict[str, Any] = {"client": client, "storage_options": s3.options, "progress": False}
    for name, size in (("small", 10), ("long", PART + 1)):
        s3.client.put_object(Bucket="bucket", Key=name, Body=bytes(size), **facts)
        cluster.seal(f"s3://bucket/{name}", KEY, **how)
        new = Key.generate()
        cluster.reseal(f"s3://bucket/{name}.abreast", KEY, new, to=f"s3://bucket/{name}.new", **how)
        cluster.open(f"s3://bucket/{name}.new", new, to=f"s3://bucket/{name}.back", **how)
        for made in (f"{name}.abreast", f"{name}.new", f"{name}.back"):
            head = s3.client.head_object(Bucket="bucket", Key=made)
            assert {fact: head.get(fact) for fact in facts} == facts, made


def test_options_of_s3fs(client: Any, s3: Server) -> None:
    """Options go with each request that takes them; options about buffers are ignored; others are reported."""
    headers: list[tuple[str, dict[str, str]]] = []

    def fault(environ: Any) -> None:
        request = environ["REQUEST_METHOD"] + ("?" if "=" in environ["QUERY_STRING"] else "")
        headers.append((request, {name[5:]: value for name, value in environ.items() if name.startswith("HTTP_")}))

    sources = {
        **s3.options,
        "requester_pays": True,
        "config_kwargs": {"user_agent_extra": "of-the-source", "s3": {"addressing_style": "path"}},
        "default_block_size": 1 << 20,
    }
    targets = {
        "username": "test",
        "password": "test",
        "endpoint_url": s3.url,
        "client_kwargs": {"region_name": "us-east-1"},
        "config_kwargs": {"user_agent_extra": "of-the-target"},
        "s3_additional_kwargs": {"ServerSideEncryption": "AES256", "StorageClass": "STANDARD_IA"},
    }
    for name, size in (("in/small", 10), ("in/long", PART + 1)):
        s3.put(name, bytes(size))
    s3.fault = fault
    how: dict[str, Any] = {"client": client, "progress": False, "storage_options": sources}
    cluster.seal(key=KEY, prefix="s3://bucket/in/", to="s3://bucket/out/", target_options=targets, **how)
    s3.fault = lambda environ: None
    assert {request for request, _ in headers} >= {"GET", "GET?", "PUT", "PUT?", "POST?", "HEAD"}
    for request, sent in headers:
        source = "of-the-source" in sent["USER_AGENT"]
        assert source != ("of-the-target" in sent["USER_AGENT"])
        assert (sent.get("X_AMZ_REQUEST_PAYER") == "requester") == source
        begins = not source and "X_AMZ_STORAGE_CLASS" in sent
        assert begins == ("X_AMZ_SERVER_SIDE_ENCRYPTION" in sent) and (begins or request != "PUT")
    for name in ("small", "long"):
        head = s3.client.head_object(Bucket="bucket", Key=f"out/{name}.abreast")
        assert (head["StorageClass"], head["ServerSideEncryption"]) == ("STANDARD_IA", "AES256")
    with pytest.raises(ValueError, match=r"may have .*requester_pays.*, and not \['secrit'\]"):
        cluster.verify("s3://bucket/x", KEY, client=client, progress=False, storage_options={"secrit": "x"})


def test_equal_options_share_a_client() -> None:
    """One client serves equal options, pickled with a task or not, whose Config is its own: a client is 30 MB and takes a second."""
    import pickle

    from botocore.config import Config

    from abreast import _s3

    options: dict[str, Any] = {"key": "a", "secret": "b", "client_kwargs": {"region_name": "x", "config": Config(retries={"total_max_attempts": 1})}}
    first = _s3.connection(options)
    assert _s3.connection(pickle.loads(pickle.dumps(options))) is first
    options["client_kwargs"]["config"] = Config(retries={"total_max_attempts": 2})
    assert _s3.connection(options) is not first


def test_paths_and_names(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, several of them, and a path as target; a type that is none is told."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(name.encode())
    monkeypatch.chdir(tmp_path)
    how: dict[str, Any] = {"client": client, "progress": False}
    assert cluster.seal(tmp_path / "a", KEY, **how).files[0].target == f"{tmp_path}/a.abreast"
    assert len(cluster.seal((path for path in (tmp_path / "a", tmp_path / "b")), KEY, to=[tmp_path / "c", tmp_path / "d"], **how).done) == 2
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "e.abreast").write_bytes(sealed(b"e"))
    (tmp_path / "in2.abreast").write_bytes(b"of another folder")
    assert [file.source for file in cluster.verify(key=KEY, prefix=tmp_path / "in", **how).files] == [f"{tmp_path}/in/e.abreast"]
    with pytest.raises(TypeError, match="urls is a URL or a path as a str or a pathlib.Path, and not bytes"):
        cluster.seal(b"a", KEY, **how)  # type: ignore[arg-type]
    for wrong in ({"urls": b"a"}, {"urls": [1]}, {"urls": 1}, {"prefix": b"a"}, {"urls": "a", "to": 1}):
        with pytest.raises(TypeError):
            cluster.seal(key=KEY, **wrong, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({}, ValueError, "prefix="),
        ({"urls": "a", "prefix": "b"}, ValueError, "only one"),
        ({"prefix": "b", "to": ["c"]}, ValueError, "one folder"),
        ({"urls": "a", "on_error": "ignore"}, ValueError, "'ignore'"),
        ({"urls": "a", "replace": True, "skip_existing": True}, ValueError, "do not go together"),
        ({"urls": "a/", "to": "b/"}, ValueError, "prefix= takes all files below a folder"),
        ({"urls": "a", "key": None}, TypeError, "key is a Key of abreast.sealed"),
        ({"glob": "s3://*/a"}, ValueError, "in place of a bucket"),
        ({"urls": "a", "client": 1}, TypeError, "Client of dask or the address"),
    ],
)
def test_arguments_that_do_not_fit(how: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        cluster.seal(**{"key": KEY, "client": "tcp://127.0.0.1:1", "progress": False, **how})


STREAMS = FileKey.ags1(bytes(range(16)), b"the AAD prefix")
BLOCK = 1 << 20


def stream(message: bytes) -> bytes:
    plan = Plan.ags1(len(message))
    return b"".join(FileCipher(STREAMS).seal_part(part, message[slice(*part.plain)]) for part in plan)


@pytest.mark.parametrize("store", ["local", "s3"])
def test_streams_of_iceberg(store: str, client: Any, s3: Server, tmp_path: Path, rng: random.Random) -> None:
    """Small streams and longer ones, by names and by prefix, with their trusted lengths, in stores and parts of several kinds."""
    sizes = {"empty": 0, "small": rng.randrange(1, 50_000), "block": BLOCK, "long": PART + rng.randrange(1, 3 * BLOCK)}
    messages = {name: rng.randbytes(size) for name, size in sizes.items()}
    streams = {name: stream(message) for name, message in messages.items()}
    base, options = (str(tmp_path), None) if store == "local" else ("s3://bucket", s3.options)

    def write(name: str, data: bytes) -> None:
        if store == "local":
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
        else:
            s3.put(name, data)

    def read(name: str) -> bytes:
        return (tmp_path / name).read_bytes() if store == "local" else s3.get(name)

    for name, data in streams.items():
        write(f"in/{name}", data)
    lengths = {f"{base}/in/{name}": len(data) for name, data in streams.items()}
    how: dict[str, Any] = {"client": client, "progress": False, "storage_options": options}
    for place, known in enumerate((lengths, lengths.get, "unknown")):
        part_size = rng.choice([None, 1, BLOCK, 3 * BLOCK])
        report = cluster.open(
            prefix=f"{base}/in/", key=STREAMS, to=f"{base}/out{place}/", sealed_lengths=known, part_size=part_size, **how  # type: ignore[arg-type]
        )
        assert outcomes(report) == {"opened": 4} and report.bytes == sum(sizes.values())
        assert {name: read(f"out{place}/{name}") for name in sizes} == messages
        report = cluster.verify(list(lengths), STREAMS, sealed_lengths=known, part_size=part_size, **how)  # type: ignore[arg-type]
        assert outcomes(report) == {"verified": 4}

    # A cut at a border shows by the length alone; everything else by itself.
    whole = streams["long"]
    blocks = [whole[at : at + BLOCK + 28] for at in range(8, len(whole), BLOCK + 28)]
    flipped = bytearray(whole)
    flipped[rng.randrange(8, len(whole))] ^= 1 << rng.randrange(8)
    faults = {
        "cut": whole[: -len(blocks[-1])],
        "moved": whole[:8] + b"".join([blocks[1], blocks[0], *blocks[2:]]),
        "flipped": bytes(flipped),
        "head": b"AGS2" + whole[4:],
        "longer": whole + b"x",
        "nothing": b"",
    }
    for name, data in faults.items():
        write(f"bad/{name}", data)
    names = [f"{base}/bad/{name}" for name in faults]
    for trusted in (dict.fromkeys(names, len(whole)), "unknown"):
        report = cluster.verify(names, STREAMS, sealed_lengths=trusted, on_error="continue", **how)  # type: ignore[arg-type]
        good = {"cut"} if trusted == "unknown" else set()
        for file in report.files:
            assert (file.outcome == "verified") == (file.source.rpartition("/")[2] in good), file
            assert file.error is None or isinstance(file.error, abreast.InvalidTag)
    # Another prefix is another key; and a length has to be there.
    other = FileKey.ags1(bytes(range(16)), b"another prefix")
    report = cluster.verify(list(lengths), other, sealed_lengths=lengths, on_error="continue", **how)
    assert outcomes(report) == {"failed": 4}
    del lengths[f"{base}/in/small"]
    report = cluster.verify(prefix=f"{base}/in/", key=STREAMS, sealed_lengths=lengths, on_error="continue", **how)
    assert outcomes(report) == {"verified": 3, "failed": 1}
    assert report.failed[0].source.endswith("/in/small") and "has no length of this stream" in report.failed[0].reason
    with pytest.raises(ValueError, match="has no length of this stream"):
        cluster.verify(prefix=f"{base}/in/", key=STREAMS, sealed_lengths=lengths, **how)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cluster.seal("a", STREAMS), "random nonce"),  # type: ignore[arg-type]
        (lambda: cluster.reseal("a", STREAMS, KEY, to="b"), "random nonce"),  # type: ignore[arg-type]
        (lambda: cluster.open("a", STREAMS, sealed_lengths="unknown"), "pass to=, the place of the opened files"),
        (lambda: cluster.open(prefix="a/", key=STREAMS, sealed_lengths="unknown"), "pass to=, the place of the opened files"),
        (lambda: cluster.verify("a", STREAMS), "does not mark its end"),
        (lambda: cluster.verify("a", STREAMS, sealed_lengths={"a": -1}), "at least 0, and not -1"),
        (lambda: cluster.verify("a", STREAMS, sealed_lengths="no"), "lengths by names, a function of the name, or 'unknown', and not 'no'"),  # type: ignore[arg-type]
        (lambda: cluster.verify("a", KEY, sealed_lengths={"a": 5}), "is for streams of AGS1"),
        (lambda: cluster.verify("a", FileKey.generate(KEY)), "the keys of one file"),
    ],
)
def test_arguments_of_streams(call: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_star_import_leaves_open_alone() -> None:
    names: dict[str, Any] = {}
    exec("from abreast.dask import *", names)
    assert "open" not in names and "seal" in names and callable(cluster.open)
    assert {name for name in names if hasattr(builtins, name)} == {"__builtins__"} - {"__builtins__"}


@pytest.mark.drawn(3)
def test_interrupted(client: Any, s3: Server) -> None:
    """Ctrl-C leaves no upload behind, and the report lists the files that are done."""
    for name, size in (("small", 10), ("long", 5 * PART)):
        s3.put(name, bytes(size))

    def fault(environ: Any) -> None:
        if "partNumber=2" in environ["QUERY_STRING"]:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    # The server of the test answers parts of an upload that is gone with 500, which is tried again.
    options = {**s3.options, "config_kwargs": {"retries": {"total_max_attempts": 2}}}
    s3.fault = fault
    report: cluster.Report | None = None
    for _ in range(3):
        try:
            cluster.seal(
                ["s3://bucket/small", "s3://bucket/long"], KEY, client=client, storage_options=options, progress=False
            )
        except KeyboardInterrupt as caught:
            report = caught.report  # type: ignore[attr-defined]
            break
        # Python drops an exception that comes in a destructor or a callback: that run went on to its end.
        for name in ("small.abreast", "long.abreast"):
            s3.client.delete_object(Bucket="bucket", Key=name)
    s3.fault = lambda environ: None
    assert report is not None, "three runs went on in spite of the signal"
    assert [file.outcome for file in report.files] == ["sealed", "not done"]
    assert "as the run was ended" in report.files[1].reason
    assert s3.names() == ["long", "small", "small.abreast"] and s3.uploads() == []
    # Cancelled tasks come to their end while there is a store.
    until(lambda: not any(client.run(lambda dask_worker: len(dask_worker.active_threads)).values()), 60)


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("status", "replace"), [(403, True), (500, False)])
def test_each_request_of_a_run_fails_once(replace: bool, status: int, client: Any, s3: Server) -> None:
    """The n-th request is refused, for each n: nothing is lost or half written, and the report tells the truth."""
    from botocore.config import Config

    options = {**s3.options, "client_kwargs": {**s3.options["client_kwargs"], "config": Config(retries={"total_max_attempts": 1})}}
    part = 5 << 20
    messages = {"small": bytes(10), "long": bytes(part + 1)}
    for name, message in messages.items():
        s3.put(name, message)
    urls = [f"s3://bucket/{name}" for name in messages]
    failures, total = 0, 1
    for number in range(100):
        if number == total:
            break
        for name in messages:
            s3.client.delete_object(Bucket="bucket", Key=f"{name}.abreast")
            if replace:
                s3.put(f"{name}.abreast", b"before")
        seen: list[str] = []

        def fault(environ: Any, seen: list[str] = seen, number: int = number) -> int | None:
            seen.append(environ["REQUEST_METHOD"])
            return status if len(seen) == number + 1 else None

        s3.fault = fault
        report = cluster.seal(
            urls, KEY, part_size=part, replace=replace, on_error="continue", client=client, storage_options=options, progress=False
        )
        s3.fault = lambda environ: None
        if number == 0:
            total = len(seen)
        for (name, message), file in zip(messages.items(), report.files, strict=True):
            failures += file.outcome == "failed"
            if file.outcome == "sealed":
                assert opened(s3.get(f"{name}.abreast")) == message
            elif replace:
                assert s3.get(f"{name}.abreast") == b"before"
            else:
                assert f"{name}.abreast" not in s3.names()
        # Only where the request to remove an upload is the one that is refused, that upload is left, and it is told.
        assert s3.uploads() == [] or "could not be removed" in report.files[1].reason
    print(f"{total} requests, {failures} files failed")
    assert 10 <= total and failures


def test_stores_in_memory() -> None:
    """A store of fsspec without a way of its own here; workers are threads of this process, as its memory is."""
    import fsspec

    fs = fsspec.filesystem("memory")
    messages = {"a": b"a", "sub/b": bytes(100_000), "sub/long": bytes(PART + 1)}
    try:
        for name, message in messages.items():
            fs.pipe_file(f"/in/{name}", message)
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as workers,
            distributed.Client(workers, set_as_default=False) as client,
        ):
            how: dict[str, Any] = {"client": client, "progress": False}
            report = cluster.seal(key=KEY, prefix="memory://in/", to="memory://out/", **how)
            assert [file.target for file in report.done] == [f"memory://out/{name}.abreast" for name in messages]
            cluster.open(key=KEY, glob="memory://out/**/*.abreast", to="memory://back", **how)
            again = cluster.open(key=KEY, glob="memory://out/**/*.abreast", to="memory://back", skip_existing=True, **how)
            assert outcomes(again) == {"skipped": 3}
        assert {name: fs.cat_file(f"/back/{name}") for name in messages} == messages
        assert [len(fs.find(folder)) for folder in ("/in", "/out", "/back")] == [3, 3, 3]
    finally:
        for folder in ("/in", "/out", "/back"):
            if fs.exists(folder):
                fs.rm(folder, recursive=True)
