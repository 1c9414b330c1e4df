"""The package as a whole: errors that name the remedy, buffers, threads, interpreters and memory."""

from __future__ import annotations

import array
import copy
import mmap
import os
import pickle
import re
import resource
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import pytest

import abreast
from abreast import legacy

KEY, NONCE = bytes(range(16)), bytes(12)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: abreast.AES(b"short"), ValueError, "16, 24 or 32 bytes, and this one has 5"),
        (lambda: abreast.XTEA(b"short"), ValueError, "16 bytes, and this one has 5"),
        (lambda: abreast.XTEA(KEY, cycles=0), ValueError, "XTEA does not take 0 cycles; it takes 1 to 255"),
        (lambda: abreast.XTEA(KEY, cycles=256), ValueError, "XTEA does not take 256 cycles; it takes 1 to 255"),
        (lambda: abreast.CBC(abreast.AES(KEY), b"12"), ValueError, "iv has 2 bytes, and a block of aes-128 has 16"),
        (lambda: abreast.CTR(abreast.AES(KEY), b"12"), ValueError, "counter_block has 2 bytes, and a block of aes-128 has 16"),
        (lambda: abreast.CTR(abreast.AES(KEY), KEY, counter_bits=8), ValueError, "no counter has 8 bits; counter_bits is 16, 32, 64 or 128"),
        (lambda: abreast.XTEA(KEY, byteorder="middle"), ValueError, "'little' or 'big'"),
        (lambda: abreast.AES(KEY, kernel="magic"), ValueError, 'no kernel "magic" on this CPU; there are: '),
        (lambda: abreast.AES("sixteen letters!"), TypeError, 'not str: pass "abc".encode() or b"abc"'),
        (lambda: abreast.AESGCM(KEY).encrypt(b"", b""), ValueError, "the nonce has 0 bytes, and gcm accepts 1 or more"),
        (lambda: abreast.AESGCM(KEY).encryptor(b""), ValueError, "the nonce has 0 bytes, and gcm accepts 1 or more"),
        (lambda: abreast.AESGCMSIV(KEY).encrypt(bytes(16), b""), ValueError, "the nonce has 16 bytes, and gcm-siv accepts 12"),
        (lambda: abreast.AESGCMSIV(bytes(24)), ValueError, "a key of gcm-siv has 16 or 32 bytes, and this one has 24"),
        (lambda: abreast.AESGCM(KEY).encrypt(NONCE, "text"), TypeError, "bytes-like"),
        (lambda: abreast.AESGCM(KEY).encrypt(NONCE, b"", [b""]), TypeError, "only AEZ and AES-SIV"),
        (lambda: abreast.AESGCM(KEY).decrypt(NONCE, b"short"), abreast.InvalidTag, "not authentic"),
        (lambda: abreast.AESGCM(KEY, tag_length=3), ValueError, "no tag of gcm has 3 bytes; tag_length is 4, 8, 12, 13, 14, 15 or 16"),
        (lambda: abreast.AESGCM.generate_key(100), ValueError, "bit_length is 100, not 128, 192 or 256"),
        (lambda: abreast.AESGCM.generate_key(-1), ValueError, "bit_length is -1, not 128, 192 or 256"),
        (lambda: abreast.AESGCMSIV.generate_key(-1), ValueError, "bit_length is -1, not 128 or 256"),
        (lambda: abreast.AESGCMSIV.generate_key(192), ValueError, "bit_length is 192, not 128 or 256"),
        (lambda: abreast.AESSIV.generate_key(1 << 70), ValueError, "not 256, 384 or 512"),
        (lambda: abreast.AESGCM.generate_key("128"), TypeError, "a whole number is required, not str"),
        (lambda: abreast.AESSIV(bytes(32)).encrypt(b"", b"x"), TypeError, "several bytes-like objects, such as"),
        (lambda: abreast.AESSIV(bytes(32)).encrypt(b"", {b"x"}), TypeError, "in a set has no order"),
        (lambda: abreast.AEZ(b"").encrypt(b"", b"", frozenset([b"x"])), TypeError, "in a set has no order"),
        (lambda: abreast.AESSIV(bytes(32)).encrypt(b"", [b""] * 127), ValueError, "at most 126 strings"),
        (lambda: abreast.CBC(abreast.AES(KEY), b"iv"), ValueError, "iv has 2 bytes"),
        (lambda: abreast.CBC(abreast.AES(KEY), bytes(16)).encrypt(b"odd"), ValueError, "whole number of blocks"),
        (lambda: abreast.CTR(abreast.AES(KEY), bytes(16), counter_bits=20), ValueError, "16, 32, 64 or 128"),
        (lambda: abreast.CTR(abreast.AES(KEY), b"x"), ValueError, "counter_block has 1 byte, and a block of aes-128 has 16"),
        (lambda: abreast.OFB(abreast.AES(KEY), bytes(16)).encryptor().seek(1), ValueError, "only counter mode"),
        (lambda: abreast.XTS(abreast.XTEA(KEY), abreast.XTEA(KEY)), ValueError, "blocks of this size"),
        (lambda: legacy.RC4(b""), ValueError, "the key has 0 bytes; RC4 takes 1 to 256"),
    ],
)
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()


def test_ended_messages() -> None:
    for context in (
        abreast.AESGCM(KEY).encryptor(NONCE),
        abreast.CTR(abreast.AES(KEY), bytes(16)).encryptor(),
    ):
        context.finalize()
        with pytest.raises(abreast.AlreadyFinalized, match="begin another"):
            context.update(b"")
        with pytest.raises(abreast.AlreadyFinalized):
            context.finalize()
    mac = abreast.CMAC(abreast.AES(KEY))
    mac.finalize()
    with pytest.raises(abreast.AlreadyFinalized):
        mac.update(b"")
    with pytest.raises(ValueError, match="finalize_with_tag"):
        abreast.AESGCM(KEY).decryptor(NONCE).finalize()
    with pytest.raises(ValueError, match="after finalize"):
        _ = abreast.AESGCM(KEY).encryptor(NONCE).tag


@pytest.mark.parametrize("tag", [b"", bytes(3), bytes(15), bytes(16), bytes(17), bytes(1000)])
def test_tags_of_any_length_are_refused_alike(tag: bytes) -> None:
    mac, stream = abreast.CMAC(abreast.AES(KEY)), abreast.AESGCM(KEY).decryptor(NONCE)
    with pytest.raises(abreast.InvalidSignature):
        mac.verify(tag)
    with pytest.raises(abreast.InvalidTag):
        stream.finalize_with_tag(tag)
    with pytest.raises(abreast.AlreadyFinalized):
        mac.verify(tag)
    with pytest.raises(abreast.AlreadyFinalized):
        stream.finalize_with_tag(tag)


def test_buffers_of_any_kind() -> None:
    aead, data = abreast.AESGCM(KEY), bytes(range(64))
    expected = aead.encrypt(NONCE, data)
    with mmap.mmap(-1, 64) as mapped:
        mapped[:] = data
        assert aead.encrypt(NONCE, mapped) == expected
    for buffer in (bytearray(data), memoryview(data), array.array("Q", data), memoryview(data).cast("b")):
        assert aead.encrypt(NONCE, buffer) == expected
    with pytest.raises(BufferError, match="one piece of memory"):
        aead.encrypt(NONCE, memoryview(bytes(128))[::2])
    with pytest.raises(TypeError, match="read-only"):
        aead.encrypt_into(NONCE, data, None, bytes(80))
    with pytest.raises(ValueError, match="has 79 bytes, and the result takes 80"):
        aead.encrypt_into(NONCE, data, None, bytearray(79))


def test_buffers_that_overlap() -> None:
    aead = abreast.AESGCM(KEY)
    view = memoryview(bytearray(200))
    with pytest.raises(ValueError, match="overlaps the data"):
        aead.encrypt_into(NONCE, view[1:101], None, view[:116])
    with pytest.raises(ValueError, match="overlaps the data"):
        aead.encrypt_into(NONCE, view[:100], None, view[1:])
    with pytest.raises(ValueError, match="overlaps the nonce"):
        aead.encrypt_into(view[:12], view[20:40], None, view[:60])
    with pytest.raises(ValueError, match="overlaps the nonce"):
        aead.encrypt_into(NONCE, view[20:40], view[30:35], view[20:60])
    assert aead.encrypt_into(NONCE, view[:84], None, view[84:184]) == 100


OVERLAPPING: dict[str, Callable[[], Any]] = {
    "AESGCM": lambda: abreast.AESGCM(KEY),
    "AESGCMSIV": lambda: abreast.AESGCMSIV(KEY),
    "AESEAX": lambda: abreast.AESEAX(KEY),
    "SerpentGCM": lambda: abreast.SerpentGCM(KEY),
    "SerpentEAX": lambda: abreast.SerpentEAX(KEY),
    "AEZ": lambda: abreast.AEZ(KEY * 3),
}


@pytest.mark.parametrize("name", OVERLAPPING)
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 40])
def test_every_place_of_a_result(name: str, length: int) -> None:
    """A result that begins anywhere around its data: the right one, or a ValueError and nothing changed."""
    aead = OVERLAPPING[name]()
    message = bytes(range(100, 100 + length))
    sealed = aead.encrypt(NONCE, message)
    for call, data, expected in ((aead.encrypt_into, message, sealed), (aead.decrypt_into, sealed, message)):
        middle = len(sealed) + 2
        for start in range(2 * middle):
            memory = bytearray(3 * middle)
            memory[middle : middle + len(data)] = data
            before = bytes(memory)
            view = memoryview(memory)
            apart = start + len(expected) <= middle or middle + len(data) <= start
            if apart or start == middle or not data or not expected:
                assert call(NONCE, view[middle : middle + len(data)], None, view[start:]) == len(expected)
                assert memory[start : start + len(expected)] == expected
            else:
                with pytest.raises(ValueError, match="overlaps the data"):
                    call(NONCE, view[middle : middle + len(data)], None, view[start:])
                assert memory == before


def test_a_wrong_tag_leaves_zeros() -> None:
    aead = abreast.AESGCM(KEY)
    sealed = bytearray(aead.encrypt(NONCE, b"secret" * 20))
    sealed[3] ^= 1
    buffer = bytearray(b"x" * 120)
    with pytest.raises(abreast.InvalidTag):
        aead.decrypt_into(NONCE, sealed, None, buffer)
    assert buffer == bytes(120)


def test_keys_are_neither_pickled_nor_copied_nor_shown() -> None:
    for key in (abreast.AESGCM(KEY), abreast.AES(KEY), abreast.AEZ(KEY), abreast.CTR(abreast.AES(KEY), bytes(16))):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(key)
        with pytest.raises(TypeError):
            copy.copy(key)
        assert KEY.hex() not in repr(key) and repr(KEY) not in repr(key)


def test_threads() -> None:
    aead, data = abreast.AESGCM(KEY), os.urandom(100_000)
    expected = aead.encrypt(NONCE, data)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(50):
            if aead.encrypt(NONCE, data) != expected or aead.decrypt(NONCE, expected) != data:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_threads_that_share_a_stream_take_turns() -> None:
    stream, data = abreast.CTR(abreast.AES(KEY), bytes(16)).encryptor(), bytes(1 << 24)
    refused: list[BaseException] = []

    def work() -> None:
        for _ in range(10):
            try:
                stream.update(data)
            except BaseException as error:
                refused.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not refused and stream.tell() == 40 * len(data)


def test_subinterpreters() -> None:
    """Another interpreter in the process refuses the module or works with it, and this one goes on."""
    inside = """
        try:
            import abreast
        except ImportError as error:
            assert "interpreter" in str(error), error
        else:
            aead = abreast.AESGCM(bytes(16))
            assert aead.decrypt(bytes(12), aead.encrypt(bytes(12), b"inside")) == b"inside"
    """
    program = f"""
        import abreast
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        for _ in range(3):
            one = interpreters.create()
            failed = interpreters.run_string(one, {textwrap.dedent(inside)!r})
            assert failed is None, failed
            interpreters.destroy(one)
            aead = abreast.AESGCM(bytes(16))
            assert aead.decrypt(bytes(12), aead.encrypt(bytes(12), b"outside")) == b"outside"
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [("arrow", "pyarrow", "arrow"), ("fsspec", "fsspec", "fsspec"), ("dask", "distributed", "dask")],
)
def test_a_package_that_is_not_installed(module: str, missing: str, extra: str) -> None:
    program = f"""
        import sys
        sys.modules[{missing!r}] = None
        try:
            import abreast.{module}
        except ImportError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60, capture_output=True, text=True
    )
    assert done.stdout == f"this needs {missing}, which is not installed: pip install 'abreast[{extra}]'\n"


def test_a_million_calls_leak_nothing() -> None:
    aead, data = abreast.AESGCM(KEY), b"x" * 64
    ciphers = [abreast.AES, abreast.Serpent, abreast.XTEA]

    def calls(times: int) -> None:
        for _ in range(times):
            sealed = aead.encrypt(NONCE, data, None)
            aead.decrypt(NONCE, memoryview(sealed))
            try:
                aead.decrypt(NONCE, data)
            except abreast.InvalidTag:
                pass
        for turn in range(times // 20):
            ciphers[turn % 3](KEY)
            aead.encryptor(NONCE).update(data)
            abreast.seal_many(aead, [NONCE], [data])

    calls(20_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(330_000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # 10^6 calls that each lost an object of 50 bytes would make 50 MB.
    assert grown < 8 * 1024, f"{grown} KiB more"
