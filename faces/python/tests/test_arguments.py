"""Arguments: all kinds of buffers and iterables that the types promise are taken, and text is refused."""

from __future__ import annotations

import array
import ctypes
import mmap
import os
import random
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import stubs
from stubs import MODE_CLASSES, Promise, call, promises

import abreast
from abreast import columns, keywrap, legacy
from abreast import InvalidTag
from abreast.arrow import Policy, decrypt_column, encrypt_column, encrypt_table
from abreast.columns import Values
from abreast.devices import DeviceError, devices
from abreast.fsspec import SealedFileSystem
from abreast.keyring import Keyring
from abreast.sealed import (
    FileKey,
    Key,
    Plan,
    SealedFile,
    open_file,
    save_key,
    seal_file,
    verify_file,
)

KEY, NONCE = bytes(range(16)), bytes(12)
FIX = re.escape('pass "abc".encode() or b"abc"') + "|" + re.escape('pass ["abc".encode()] or [b"abc"]')

# The functions below `abreast.sealed` work on files, and have a test of their own with text.
ON_FILES = ("seal_path", "open_path", "unlock_passphrase")


def have_device() -> bool:
    try:
        return bool(devices())
    except DeviceError:
        return False


def cases(part: str) -> list[Any]:
    """Each parameter of each callable whose annotation has a part."""
    found = []
    for promise in promises():
        for name in promise.of(part):
            marks = []
            if "Device" in (promise.owner or "") and not have_device() and os.environ.get("ABREAST_NO_SKIP") != "1":
                marks = [pytest.mark.skip(reason="there is no OpenCL device")]
            found.append(pytest.param(promise, name, id=f"{promise}-{name}", marks=marks))
    assert len(found) > 20, part
    return found


def outcome(promise: Promise, **changed: Any) -> tuple[object, ...]:
    """Returns the result and the output of a call, or its exception."""
    buf = changed.get("buf", bytearray(96))
    if "buf" in promise.parameters:
        changed["buf"] = buf
    try:
        result = call(promise, **changed)
    except Exception as error:
        return type(error), str(error)
    return comparable(result), bytes(memoryview(buf))


def comparable(result: Any) -> Any:
    """A result, or its type alone where it is an object that holds keys."""
    if isinstance(result, tuple | list):
        return tuple(map(comparable, result))
    return result if isinstance(result, (bytes, int, list, type(None))) else type(result)


@pytest.mark.parametrize(("promise", "name"), cases("Buffer"))
def test_text_is_refused_with_what_to_pass(promise: Promise, name: str) -> None:
    if promise.name not in ON_FILES:
        works = outcome(promise)
        assert not isinstance(works[0], type) or not issubclass(works[0], TypeError), works
    annotation = promise.parameters[name]
    wrong: list[Any] = ["abc", ""]
    if "Iterable[Buffer]" in annotation:
        good = stubs.argument(promise, name)
        wrong += [["abc"] * (len(good) if isinstance(good, list) else 1)]
    for text in wrong:
        with pytest.raises(TypeError, match=FIX):
            call(promise, **{name: text})
    for other in (1, 1.5, object()):
        with pytest.raises(TypeError):
            call(promise, **{name: other})


def is_number(promise: Promise, name: str) -> bool:
    return set(promise.parameters[name].split(" | ")) <= {"", "int", "None"} and promise.name != "__getitem__"


@pytest.mark.parametrize(("promise", "name"), [case for case in cases("int") if is_number(*case.values)])
def test_numbers_out_of_range_are_wrong_values(promise: Promise, name: str) -> None:
    for number in (-(2**200), 2**200):
        kind, *text = outcome(promise, **{name: number})
        assert isinstance(kind, type) and issubclass(kind, ValueError) and str(number) in text[0], (number, kind, text)  # type: ignore[operator]


# What an error says is accepted: numbers from one to another, or some of them.
RANGE = re.compile(r"(?<![\w^])(\d+) to (\d+|2\^\d+ - 1)(?! bytes)")


def power(text: str) -> int:
    """The number of a text such as 2^64 - 1."""
    base, mark, exponent = text.removesuffix(" - 1").partition("^")
    return int(base) ** int(exponent) - 1 if mark else int(text)


@pytest.mark.parametrize(("promise", "name"), [case for case in cases("int") if is_number(*case.values)])
def test_ranges_in_errors_are_those_that_are_accepted(promise: Promise, name: str, rng: random.Random) -> None:
    """A number that is refused is outside of the range that its error names, and the borders of the range are accepted."""
    numbers = [-(2**200), -1, 0, 1, 2, 2**16, 2**31, 2**32, 2**62, 2**64 - 1, 2**64, 2**200]
    numbers += [rng.getrandbits(rng.randrange(1, 70)) for _ in range(20)]
    for number in numbers:
        # A keystream is skipped byte by byte.
        if name == "bytes" and number > 2**20:
            continue
        kind, *rest = outcome(promise, **{name: number})
        if not isinstance(kind, type):
            continue
        text = str(rest[0])
        for least, most in RANGE.findall(text):
            assert not power(least) <= number <= power(most), (number, text)
            for border in {power(least), power(most)} if name != "bytes" else ():
                kind, *rest = outcome(promise, **{name: border})
                assert not isinstance(kind, type) or text.replace(str(number), "") != str(rest[0]).replace(str(border), ""), (border, rest)
        for side, border in re.findall(r"no number (below|above) (\S+(?: - 1)?) is taken", text):
            assert (number < power(border)) if side == "below" else (number > power(border)), (number, text)


class Whole:
    """A number that is no int."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __index__(self) -> int:
        return self._number


# Right numbers for parameters that calls leave out.
NUMBERS = {
    "min_part": 5, "max_parts": 5, "preferred_part": 5, "size": 5, "unit_size": 16, "bit_length": 5, "tag_length": 16, "counter_bits": 64,
    "cycles": 32, "skip": 5, "sealed_length": 5, "numbers": 7, "commands": 3, "sequences": 7, "uppers": 0, "numbers_at": 3, "expected": 1,
}


@pytest.mark.parametrize(("promise", "name"), cases("int"))
def test_numbers_of_all_types(promise: Promise, name: str) -> None:
    """Objects with ``__index__`` are numbers, as in the standard library, and bools are none."""
    number = NUMBERS[name] if name in NUMBERS else stubs.argument(promise, name)
    if not isinstance(number, int):
        pytest.skip("the parameter takes something else too")

    def result(given: Any) -> object:
        made = outcome(promise, **{name: given})
        # A new key is another one each time.
        return made if isinstance(made[0], type) or promise.name != "new_key" else "a key"

    right = result(number)
    assert isinstance(right, str) or not (isinstance(right[0], type) and issubclass(right[0], TypeError)), right  # type: ignore[index]
    for other in (Whole(number), np.int64(number), np.uint8(number)):
        assert result(other) == right, other
    for truth in (False, True, np.bool_(True)):
        kind, *text = result(truth)  # type: ignore[misc]
        assert kind is TypeError and re.search(r"whole number.* not bool|an iterable such as a list, not bool", text[0]), (truth, kind, text)
    each = stubs.argument(promise, name) if name not in NUMBERS or "Iterable" in promise.parameters[name] else None
    if isinstance(each, list):
        for wrap in (Whole, np.int64):
            assert result([wrap(one) for one in each]) == result(each)
        kind, *text = result([True] * len(each))  # type: ignore[misc]
        assert kind is TypeError and "a whole number is required, not bool" in text[0], text
    for wrong in (float(number), str(number)):
        kind, *_ = result(wrong)  # type: ignore[misc]
        assert isinstance(kind, type) and issubclass(kind, TypeError), (wrong, kind)


def test_numbers_of_functions_in_python(tmp_path: Path) -> None:
    source, sealed, stream = (tmp_path / name for name in ("source", "sealed", "stream"))
    source.write_bytes(bytes(100))
    key, streams = Key.generate(), FileKey.ags1(KEY)
    seal_file(source, sealed, key)
    seal_file(source, stream, streams)
    size, table = stream.stat().st_size, pa.table({"a": [1, 2]})
    ring = Keyring()
    ring.add("a", bytes(32), mode="siv", id=9)

    def generations(id: Any) -> Any:
        made = Keyring()
        made.add("a", bytes(32), mode="siv", id=id)
        made.add("a", bytes(32), mode="siv", id=99)
        made.set_primary("a", id)
        made.set_primary("a", 99)
        made.remove("a", id)
        return [key.id for key in made.generations("a")]

    def of_store(name: str, length: Any) -> Any:
        return SealedFileSystem(streams, target_protocol="file", sealed_lengths={name: length}).cat(name)

    calls: dict[str, tuple[int, Callable[[Any], object]]] = {
        "threads of a file": (2, lambda n: seal_file(source, tmp_path / "again", key, replace=True, threads=n)),
        "threads of a table": (2, lambda n: encrypt_table(table, {"a": Policy(key="a")}, ring, threads=n)),
        "threads of a column": (2, lambda n: encrypt_column(["a", "b"], ring["a"], threads=n).to_pylist()),
        "id": (7, generations),
        "sealed_length of verify_file": (size, lambda n: verify_file(stream, streams, sealed_length=n)),
        "sealed_length of open_file": (size, lambda n: open_file(stream, tmp_path / "opened", streams, sealed_length=n, replace=True)),
        "sealed_length of SealedFile": (size, lambda n: SealedFile(stream, streams, sealed_length=n).read()),
        "sealed_lengths": (size, lambda n: of_store(str(stream), n)),
        "seek": (7, lambda n: SealedFile(sealed, key).seek(n)),
        "read": (7, lambda n: SealedFile(sealed, key).read(n)),
        "buffer_size": (7, lambda n: SealedFile(sealed, key, buffer_size=n).read()),
        "block_size": (7, lambda n: SealedFileSystem(key, target_protocol="file").open(str(sealed), block_size=n).read(5)),
        "start": (7, lambda n: SealedFileSystem(key, target_protocol="file").cat_file(str(sealed), n, n)),
        "validity_offset": (2, lambda n: columns.encrypt(abreast.AESSIV(bytes(32)), Values(array.array("i", [0, 0]), b"", b"\2", n)).data),
        "a part": (0, lambda n: str(Plan(100)[n])),
    }

    def result(call: Callable[[Any], object], given: object) -> tuple[object, str]:
        try:
            return None, str(call(given))
        except Exception as error:
            return type(error), str(error)

    for name, (number, call) in calls.items():
        right = result(call, number)
        assert right[0] is None, (name, right)
        for other in (Whole(number), np.int64(number), np.uint16(number)):
            assert result(call, other) == right, name
        # Places in a SealedFile are those of the standard library's buffers.
        for truth in (False, True, np.bool_(True)) if name not in ("seek", "read") else ():
            kind, said = result(call, truth)
            assert kind is TypeError and re.search("whole number.* not bool", said), (name, kind, said)
        # Positions in files that are out of range are as in the standard library.
        if name.startswith(("threads", "id", "sealed", "validity")):
            for wrong in (2**70, -(2**70)):
                assert result(call, wrong)[0] is ValueError, name
        for text in ("7", 7.0):
            assert result(call, text)[0] is (ValueError if name.startswith("sealed") and text == "7" else TypeError), name
    for part in (-1, 1, 2**70, -(2**70)):
        assert result(calls["a part"][1], part)[0] is IndexError
    for length in (-1, size - 1, size + 1, 0):
        for name in [name for name in calls if name.startswith("sealed")]:
            assert result(calls[name][1], length)[0] is (ValueError if length == -1 else InvalidTag), name


def internal_names() -> list[str]:
    """The names of types in the module's source that no class of Python has."""
    folder = stubs.STUBS.parents[1] / "src"
    source = "".join(path.read_text() for path in folder.glob("*.rs"))
    public = re.findall(r"^class (\w+)", stubs.STUBS.read_text(), re.MULTILINE)
    found = set(re.findall(r"\b(?:struct|enum|trait|type) ([A-Z]\w+)", source)) - set(public)
    assert {"AnyKey", "OneOrEach"} <= found
    return sorted(found)


@pytest.mark.parametrize(("promise", "name"), cases(""))
def test_errors_are_in_words_of_the_interface(promise: Promise, name: str) -> None:
    names = re.compile(r"\b(" + "|".join(internal_names()) + r")\b|failed to extract|PyErr|\n")
    wrongs: list[Any] = [None, -1, 2**70, 1.5, b"x", "x", object(), [], [1], [None], {}, [b""], [[]], [object()]]
    for wrong in wrongs:
        kind, *text = outcome(promise, **{name: wrong})
        if isinstance(kind, type):
            assert names.search(str(text)) is None, (wrong, text)


def test_wrong_keys_of_files(tmp_path: Path) -> None:
    source, sealed = tmp_path / "source", tmp_path / "sealed"
    source.write_bytes(b"text")
    seal_file(source, sealed, Key.generate())
    for wrong in (bytes(32), "a key", 1):
        for call in (
            lambda key: seal_file(source, tmp_path / "x", key),
            lambda key: open_file(sealed, tmp_path / "x", key),
            lambda key: verify_file(sealed, key),
        ):
            with pytest.raises(TypeError, match=rf"Key of abreast.sealed, .*FileKey.ags1\(...\), and not {type(wrong).__name__}"):
                call(wrong)
        for call in (
            lambda key: SealedFile(sealed, key),
            lambda key: save_key(key, tmp_path / "x"),
            lambda key: Keyring.load(sealed, key),
            lambda key: SealedFileSystem(key, target_protocol="memory"),
        ):
            with pytest.raises(TypeError, match=r"Key\b"):
                call(wrong)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sealed", "source"]


def test_iterables_without_an_end_and_with_faults() -> None:
    def endless() -> Iterable[bytes]:
        while True:
            yield b"a"

    with pytest.raises(ValueError, match="at most 126 strings of associated data, and there are more"):
        abreast.AESSIV(bytes(32)).encrypt(b"x", endless())

    class Faulty:
        def __iter__(self) -> Iterable[bytes]:
            raise RuntimeError("a fault of the caller")

    with pytest.raises(RuntimeError, match="a fault of the caller"):
        abreast.seal_many(abreast.AESGCM(KEY), Faulty(), [b"x"])  # type: ignore[arg-type]


def kinds_of(data: bytes) -> Iterable[tuple[str, Any]]:
    """Yields the bytes in each kind of buffer."""
    yield "bytearray", bytearray(data)
    yield "memoryview", memoryview(data)
    yield "array", array.array("B", data)
    yield "ctypes", (ctypes.c_ubyte * len(data))(*data)
    yield "ctypes of characters", (ctypes.c_char * len(data)).from_buffer_copy(data)
    yield "NumPy", np.frombuffer(data, np.uint8)
    yield "Arrow", pa.py_buffer(data)
    if data:
        mapped = mmap.mmap(-1, len(data))
        mapped[:] = data
        yield "mmap", mapped
        yield "NumPy without dimensions", np.frombuffer(data, f"V{len(data)}").reshape(())
        yield "array of one structure", type("S", (ctypes.Structure,), {"_fields_": [("b", ctypes.c_char * len(data))]}).from_buffer_copy(data)
    if len(data) % 4 == 0 and data:
        yield "numbers", array.array("I", data)
        yield "two dimensions", np.frombuffer(data, np.uint8).reshape(4, -1)
        yield "ctypes in two dimensions", ((ctypes.c_ubyte * 4) * (len(data) // 4)).from_buffer_copy(data)


def is_one_buffer(promise: Promise, name: str) -> bool:
    return promise.name not in ON_FILES and isinstance(stubs.argument(promise, name), (bytes, bytearray))


@pytest.mark.parametrize(("promise", "name"), [case for case in cases("Buffer") if is_one_buffer(*case.values)])
def test_every_kind_of_buffer(promise: Promise, name: str) -> None:
    writable = "_WritableBuffer" in promise.parameters[name]
    good = bytearray(96) if writable else stubs.argument(promise, name)
    expected = outcome(promise, **{name: good})
    for kind, buffer in kinds_of(bytes(good)):
        if writable and memoryview(buffer).readonly:
            continue
        assert outcome(promise, **{name: buffer}) == expected, kind
    strided = memoryview(bytearray(2 * max(len(good), 2)))[::2]
    for buffer in (strided, np.zeros((4, 8), np.uint8, order="F"), np.zeros((4, 8), np.uint8)[:, :4]):
        with pytest.raises(BufferError, match=r"not in one piece of memory.*bytes\(buffer\) copies it"):
            call(promise, **{name: buffer})
    # Its memory is addresses, and they are nobody's message. As several strings it is an iterable.
    if "Iterable" not in promise.parameters[name]:
        with pytest.raises(TypeError, match="holds objects"):
            call(promise, **{name: np.array([b"abc", b"def"], dtype=object)})


@pytest.mark.parametrize(("promise", "name"), cases("_WritableBuffer"))
def test_a_result_is_not_written_to_bytes(promise: Promise, name: str) -> None:
    for readonly in (bytes(96), memoryview(bytes(96)), np.frombuffer(bytes(96), np.uint8)):
        with pytest.raises(TypeError, match="read-only"):
            call(promise, **{name: readonly})


@pytest.mark.parametrize(("promise", "name"), cases("Iterable"))
def test_iterables_are_taken(promise: Promise, name: str) -> None:
    def several() -> list[Any]:
        good = stubs.argument(promise, name)
        return list(good) if isinstance(good, list) else [good]

    expected = outcome(promise, **{name: several()})
    makers: list[Callable[[list[Any]], Iterable[Any]]] = [
        tuple,
        iter,
        lambda items: (item for item in items),
        lambda items: map(lambda item: item, items),
        lambda items: dict.fromkeys(range(len(items))) and {at: item for at, item in enumerate(items)}.values(),
        lambda items: np.array([*items, None], dtype=object)[:-1],
        Once,
    ]
    for make in makers:
        assert outcome(promise, **{name: make(several())}) == expected, make
    if name != "keys":
        for unordered in (set(several()), frozenset(several())):
            with pytest.raises(TypeError, match="no order"):
                call(promise, **{name: unordered})

    def broken() -> Iterable[Any]:
        yield several()[0]
        raise OSError("the source is gone")

    if not (promise.owner or "").endswith(("GCM", "EAX")):
        with pytest.raises((OSError, TypeError), match="gone|only AEZ"):
            call(promise, **{name: broken()})


class Once:
    """An iterable that is nothing else."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)


def test_bytes_are_no_messages() -> None:
    for one in (b"abc", b"", bytearray(b"abc"), "", "abc"):
        with pytest.raises(TypeError, match="messages are an iterable such as a list, not"):
            abreast.seal_many(abreast.AESGCM(KEY), [], one)
        with pytest.raises(TypeError, match="messages are an iterable such as a list, not"):
            abreast.xtea_many(abreast.XTEA(KEY), one)
    for nothing in (None, 5):
        with pytest.raises(TypeError, match="messages are an iterable such as a list, not"):
            abreast.seal_many(abreast.AESGCM(KEY), [], nothing)  # type: ignore[call-overload]


class TestColumns:
    """Values, associated data, nonces and indices of a column, in `abreast.arrow` and `abreast.columns`."""

    key = abreast.AESSIV(bytes(32))
    rows = pa.array(["x", "x", "x"])

    @pytest.mark.parametrize("function", [encrypt_column, decrypt_column])
    def test_text(self, function: Callable[..., Any]) -> None:
        with pytest.raises(TypeError, match=FIX):
            function(self.rows, self.key, associated_data="abc")
        with pytest.raises(TypeError, match=FIX):
            function("abc", self.key)
        with pytest.raises(TypeError, match="key_index is an array of integers.*not str"):
            function(self.rows, [abreast.AESGCM(KEY)] * 3, key_index="012")
        with pytest.raises(TypeError, match="key_index is an array of integers, not of string"):
            function(self.rows, [abreast.AESGCM(KEY)] * 3, key_index=["0", "1", "2"])
        for other in ({"abc"}, {"a": 1, "b": 2, "c": 3}, pa.scalar(3), pa.scalar(None, pa.binary())):
            with pytest.raises(TypeError, match=f"associated_data is .* not {type(other).__name__}"):
                function(self.rows, self.key, associated_data=other)
        for other in (b"abc", bytearray(b"abc"), None, pa.scalar("abc"), {"abc"}):
            with pytest.raises(TypeError, match=f"the values of a column are .* not {type(other).__name__}"):
                function(other, self.key)

    def test_text_without_arrow(self) -> None:
        good = Values(array.array("i", [0, 1, 2]), b"ab")
        for function in (columns.encrypt, columns.decrypt):
            for wrong in (Values("abc", b"ab"), Values(good.offsets, "ab"), Values(good.offsets, b"ab", "abc")):  # type: ignore[arg-type]
                with pytest.raises(TypeError, match=FIX):
                    function(self.key, wrong)
            with pytest.raises(TypeError, match=FIX):
                function(self.key, good, associated_data="abc")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match=FIX):
                function([abreast.AESGCM(KEY)], good, key_index="abc")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=FIX):
            columns.encrypt(abreast.AESGCM(KEY), good, nonces="abc" * 8)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=FIX):
            encrypt_column(self.rows, abreast.AESGCM(KEY), nonces="abc" * 12)  # type: ignore[arg-type]

    def test_one_string_of_every_kind(self) -> None:
        expected = encrypt_column(self.rows, self.key, associated_data=b"abcd")
        assert self.key.decrypt(expected[1].as_py(), [b"abcd"]) == b"x"
        for kind, buffer in kinds_of(b"abcd"):
            assert encrypt_column(self.rows, self.key, associated_data=buffer).equals(expected), kind
            assert decrypt_column(expected, self.key, associated_data=buffer).cast(pa.string()).equals(self.rows), kind
        gcm, nonces = abreast.AESGCM(KEY), bytes(range(36))
        expected = encrypt_column(self.rows, gcm, nonces=nonces)
        for kind, buffer in kinds_of(nonces):
            assert encrypt_column(self.rows, gcm, nonces=buffer).equals(expected), kind
        with pytest.raises(BufferError, match="one piece of memory"):
            encrypt_column(self.rows, gcm, nonces=memoryview(bytes(72))[::2])

    def test_none_is_no_string(self) -> None:
        expected = encrypt_column(self.rows, self.key)
        assert encrypt_column(self.rows, self.key, associated_data=None).equals(expected)
        assert decrypt_column(expected, self.key, associated_data=None, type=pa.string()).equals(self.rows)

    @pytest.mark.parametrize("make", [list, tuple, np.array, pa.array, lambda rows: pa.chunked_array([rows[:1], rows[1:]])])
    def test_a_string_for_each_row(self, make: Callable[[list[str]], Any]) -> None:
        sealed = encrypt_column(self.rows, self.key, associated_data=make(["a", "b", ""]))
        assert [self.key.decrypt(one.as_py(), [aad]) for one, aad in zip(sealed, [b"a", b"b", b""], strict=True)] == [b"x"] * 3

    def test_a_null_is_not_the_empty_string(self) -> None:
        some = pa.array(["x", None, "x"])
        sealed = encrypt_column(some, self.key, associated_data=pa.array(["a", None, ""]))
        assert decrypt_column(sealed, self.key, associated_data=pa.array(["a", None, ""]), type=pa.string()).equals(some)
        for aad in (pa.array(["a", "b", None]), pa.array([None, "b", "c"])):
            with pytest.raises(ValueError, match="associated data of row [02] is null"):
                encrypt_column(some, self.key, associated_data=aad)
            with pytest.raises(ValueError, match="associated data of row [02] is null"):
                decrypt_column(sealed, self.key, associated_data=aad)

    def test_keys_are_an_iterable(self) -> None:
        keys = [abreast.AESGCM(bytes([n] * 16)) for n in range(3)]
        chunked, nonces = pa.chunked_array([["x"], ["y", "z"]]), bytes(36)
        expected = encrypt_column(chunked, keys, nonces=nonces)
        assert encrypt_column(chunked, iter(keys), nonces=nonces).equals(expected)
        assert decrypt_column(expected, (key for key in keys), type=pa.string()).equals(chunked)

    @pytest.mark.parametrize(
        "kind",
        [
            pa.binary(), pa.large_binary(), pa.string(), pa.large_string(), pa.string_view(), pa.binary_view(),
            pa.binary(4), pa.null(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int32(), pa.large_string()),
        ],
        ids=str,
    )
    def test_types_do_not_depend_on_chunks(self, kind: pa.DataType) -> None:
        whole = encrypt_column(pa.array([None], kind), self.key).type
        for chunks in ([], [pa.array([], kind)], [pa.array([None], kind)] * 2):
            chunked = encrypt_column(pa.chunked_array(chunks, kind), self.key)
            assert chunked.type == whole
            assert decrypt_column(chunked, self.key).type == decrypt_column(pa.array([], whole), self.key).type
            assert decrypt_column(chunked, self.key, type=pa.string()).type == pa.string()


def child(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], timeout=60, check=True, capture_output=True, text=True
    )
    return done.stdout


RAISERS = """
    import pickle, sys
    import abreast

    def raisers():
        gcm, mac = abreast.AESGCM(bytes(16)), abreast.CMAC(abreast.AES(bytes(16)))
        yield "InvalidTag", lambda: gcm.decrypt(bytes(12), bytes(30))
        yield "InvalidTag", lambda: abreast.open_many(gcm, [bytes(12)], [bytes(30)])
        yield "InvalidSignature", lambda: mac.verify(bytes(16))
        yield "AlreadyFinalized", lambda: mac.update(b"")
"""


def test_errors_are_those_of_pyca_where_it_is_imported() -> None:
    program = RAISERS + """
    import cryptography.exceptions as theirs
    for name, call in raisers():
        ours, other = getattr(abreast, name), getattr(theirs, name)
        try:
            call()
        except other as error:
            assert type(error) is ours and str(error), error
            copied = pickle.loads(pickle.dumps(error))
            assert type(copied) is ours and str(copied) == str(error) and vars(copied) == vars(error)
        else:
            raise SystemExit(name)
        wrong = [one for one in ("InvalidTag", "InvalidSignature", "AlreadyFinalized") if one != name]
        assert not issubclass(ours, tuple(getattr(theirs, one) for one in wrong))
        assert not issubclass(ours, tuple(getattr(abreast, one) for one in wrong))
    """
    child(program)
    # In whatever order they are imported, and for exceptions raised before.
    child("import cryptography.exceptions\n" + textwrap.dedent(program))
    child(RAISERS + """
    before = []
    for name, call in raisers():
        try:
            call()
        except getattr(abreast, name) as error:
            before.append((name, error))
    assert len(before) == 4 and not any("cryptography" in module for module in sys.modules)
    import cryptography.exceptions as theirs
    abreast.InvalidTag()
    for name, error in before:
        assert isinstance(error, getattr(theirs, name))
    """)


def test_pyca_is_not_imported_and_can_be_missing() -> None:
    program = RAISERS + """
    for blocked in (False, True):
        if blocked:
            sys.modules["cryptography"] = sys.modules["cryptography.exceptions"] = None
        for name, call in raisers():
            try:
                call()
            except getattr(abreast, name):
                pass
        assert blocked or not any("cryptography" in module for module in sys.modules)
    import types
    sys.modules["cryptography.exceptions"] = strange = types.ModuleType("strange")
    strange.InvalidTag, strange.InvalidSignature = type("InvalidTag", (int,), {}), 5
    for name, call in raisers():
        try:
            call()
        except getattr(abreast, name):
            pass
    """
    child(program)


def test_a_copy_of_a_cmac_goes_on_by_itself() -> None:
    from cryptography.hazmat.primitives.ciphers import algorithms
    from cryptography.hazmat.primitives.cmac import CMAC

    for length in (0, 1, 15, 16, 17, 100):
        for cipher, tag_length in ((abreast.AES(KEY), 16), (abreast.AES(KEY), 7), (abreast.XTEA(KEY), 8)):
            ours = abreast.CMAC(cipher, tag_length=tag_length)
            ours.update(bytes(length))
            copy = ours.copy()
            ours.update(b"one")
            copy.update(b"the other")
            again = copy.copy()
            made = ours.finalize(), copy.finalize(), again.finalize()
            assert made[1] == made[2] != made[0]
            for text, tag in zip((b"one", b"the other"), made, strict=False):
                alone = abreast.CMAC(cipher, tag_length=tag_length)
                alone.update(bytes(length) + text)
                alone.verify(tag)
            with pytest.raises(abreast.AlreadyFinalized):
                ours.copy()
        theirs = CMAC(algorithms.AES(KEY))
        theirs.update(bytes(length))
        ours = abreast.CMAC(abreast.AES(KEY))
        ours.update(bytes(length))
        assert ours.copy().finalize() == theirs.copy().finalize()


@pytest.mark.parametrize("length", [*range(1, 20), 63, 64, 65, 127, 128, 129, 1000])
def test_nonces_of_gcm(length: int) -> None:
    """All that pyca takes, 8 to 128 bytes, and the others that the standard has."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce, ours = os.urandom(length), abreast.AESGCM(KEY)
    sealed = ours.encrypt(nonce, b"data", b"aad")
    assert ours.decrypt(nonce, sealed, b"aad") == b"data"
    if 8 <= length <= 128:
        assert AESGCM(KEY).encrypt(nonce, b"data", b"aad") == sealed
    else:
        with pytest.raises(ValueError, match="[Nn]once"):
            AESGCM(KEY).encrypt(nonce, b"data", b"aad")


def test_empty_keys_and_tags_of_aez() -> None:
    for key in (b"", b"k", bytes(48)):
        plain = abreast.AEZ(key, tag_length=0)
        assert plain.tag_length == 0
        for data in (b"", b"d", bytes(100)):
            sealed = plain.encrypt(NONCE, data, b"aad")
            assert len(sealed) == len(data) and plain.decrypt(NONCE, sealed, b"aad") == data
            assert abreast.seal_many(plain, [NONCE], [data], b"aad") == [sealed]
            assert abreast.open_many(plain, [NONCE], [sealed], b"aad") == [data]
        assert plain.decrypt(NONCE, bytes(100)) != bytes(100)
    with pytest.raises(ValueError, match="tag"):
        abreast.AEZ(b"", tag_length=33)


def test_kernels_can_be_chosen_for_each_row() -> None:
    """Every class that is made of a key of a cipher takes the kernels that `kernels` has for it."""
    takes = {p.owner for p in promises() if p.name == "__new__" and "kernel" in p.parameters and "Device" not in str(p)}
    makers = {
        "AES": "aes-128", "AESGCM": "aes-128", "AESEAX": "aes-128", "AESSIV": "aes-128", "Serpent": "serpent-128",
        "SerpentGCM": "serpent-128", "SerpentEAX": "serpent-128", "XTEA": "xtea", "TEA": "tea", "AEZ": "aez",
    }
    makers |= {name: "aes-128" for name in MODE_CLASSES if name not in makers}
    assert takes == set(makers)
    table = abreast.kernels()
    assert set(makers.values()) <= set(table)
    for owner, row in makers.items():
        for kernel in table[row]:
            made = getattr(abreast, owner)(bytes(32) if owner == "AESSIV" else KEY, kernel=kernel)
            assert made.kernel == kernel
            if isinstance(made, abreast.BlockCipher):
                # Modes have the kernel of their cipher.
                assert kernel in repr(abreast.CTR(made, bytes(made.block_size)))
                assert abreast.EAX(made).kernel == kernel


def test_version() -> None:
    manifest = (Path(__file__).resolve().parents[3] / "Cargo.toml").read_text()
    assert f'version = "{abreast.__version__}"' in manifest and re.fullmatch(r"\d+\.\d+\.\d+.*", abreast.__version__)


def test_type_checkers_refuse_bytes_for_a_result(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    calls = {
        "good.py": "buf: bytearray | memoryview = bytearray(16)\n",
        "bad.py": "buf = bytes(16)\n",
    }
    for name, first in calls.items():
        (tmp_path / name).write_text(
            f"import abreast\n{first}abreast.AES(bytes(16)).encrypt_blocks_into(bytes(16), buf)\n"
        )
    package = Path(abreast.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "good.py", "bad.py"],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(package)}, timeout=120, capture_output=True, text=True,
    )
    found = [line for line in done.stdout.splitlines() if ": error:" in line and "abreast/" not in line]
    assert len(found) == 1 and found[0].startswith("bad.py:3:") and "arg-type" in found[0], done.stdout + done.stderr


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: legacy.rc4_many([KEY, b""], [b"a", b"b"]), ValueError, "key 1 has 0 bytes; RC4 takes 1 to 256"),
        (lambda: legacy.rc4_many([KEY] * 600 + [bytes(257)], [b"a"] * 601), ValueError, "key 600 has 257 bytes"),
        (lambda: legacy.rc4_many([KEY], [b"a", b"b"]), ValueError, "there are 2 messages and 1 key; there has to"),
        (lambda: legacy.rc4_many([KEY] * 2, [b"a"]), ValueError, "there is 1 message and 2 keys; there has to be one for it"),
        (lambda: legacy.rc4_many(iter([KEY] * 2), [b"a"]), ValueError, "there are more keys than messages"),
        (lambda: legacy.rc4_many([KEY], iter([b"a", b"b"])), ValueError, "more messages than the 1 key; there has"),
        (lambda: legacy.rc4_many([KEY], [b"a"], skip=65537), ValueError, "skip is 0 to 65536 here, and not 65537"),
        (lambda: legacy.rc4_many(KEY, [b"a"]), TypeError, "keys are an iterable such as a list, not bytes"),
        (lambda: keywrap.aes_key_wrap_many([KEY] * 3, [KEY, KEY]), ValueError, "there are 2 keys and 3 wrapping keys; "),
        (lambda: keywrap.aes_key_wrap_many(iter([KEY] * 3), [KEY]), ValueError, "more wrapping keys than keys"),
        (lambda: keywrap.aes_key_wrap_many(iter([KEY]), [KEY] * 2), ValueError, "fewer wrapping keys than keys"),
        (lambda: keywrap.aes_key_wrap_many([KEY, b"short"], [KEY] * 2), ValueError, "wrapping key 1: .*16, 24 or 32"),
        (lambda: keywrap.aes_key_wrap_many([KEY, 5], [KEY] * 2), TypeError, "wrapping key 1: "),
        (lambda: keywrap.aes_key_wrap_many(5, [KEY]), TypeError, "wrapping keys, unless one is for all, are an iter"),
        (lambda: keywrap.aes_key_wrap(abreast.XTEA(KEY[:16]), KEY), ValueError, "the wrapping key has blocks of 8 bytes"),
    ],
)
def test_texts_of_batches(call: Callable[[], object], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_rc4_ends_when_asked() -> None:
    stream = legacy.RC4(KEY)
    stream.skip(0)
    stream.skip(100_000)
    other = legacy.RC4(KEY)
    assert stream.update(bytes(10)) == other.update(bytes(100_010))[100_000:]
