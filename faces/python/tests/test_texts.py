"""Texts of errors: every parameter of the module gets what it does not take, and what the error says is a sentence of this package."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest
from stubs import KEY, OBJECTS, STUBS, Promise, call, promises

import abreast
from abreast import keywrap
from abreast.cgo import Client, Relay, forward_many
from abreast.columns import AESGCMKeys, XTEAKeys
from abreast.legacy import RC4
from abreast.sealed import Key, Plan


SOURCES = STUBS.parents[1] / "src"


class Odd:
    """An object of no type that anything takes."""


# Functions that take what the package itself has made, and are not documented.
INTERNAL = ("column", "ring_column", "ring_reencrypt", "seal_path", "open_path")
WRONG: list[Any] = [
    None, -1, 0, 2**70, 1.5, "x", "", b"", b"x", bytes(1000), Odd(), [], [1], [None], [b""], [b"x"], [b"x"] * 3, {}, True
]
# Words of the bindings and of the languages below them, which are no help to a caller.
FOREIGN = re.compile(
    r"is not an instance of|[Cc]an't extract|cannot be interpreted|borrowed|NoneType object|panick|unwrap\(|Err\(|out of range integral"
    r"|PyErr|\n|: :|  "
)
ONE = re.compile(r"\b1 (bytes|keys|messages|nonces|bits)\b|\bthere are 1\b")
KINDS = (TypeError, ValueError, IndexError, OSError, OverflowError, abreast.InvalidTag, abreast.InvalidSignature, keywrap.InvalidUnwrap)


def cases() -> list[Any]:
    found = []
    for promise in promises():
        if promise.name in INTERNAL or "Device" in str(promise) or promise.name == "device_rows":
            continue
        # The list of columns is made by `abreast.parquet`.
        names = [name for name in promise.parameters if name != "column_keys"]
        found += [pytest.param(promise, name, id=f"{promise}-{name}") for name in names]
    assert len(found) > 250
    return found


@pytest.mark.parametrize(("promise", "name"), cases())
def test_errors_are_sentences(promise: Promise, name: str) -> None:
    for wrong in WRONG:
        try:
            call(promise, **{name: wrong})
        except KINDS as error:
            text = str(error)
            assert text and FOREIGN.search(text) is None, (wrong, text)
            assert not text.endswith("."), (wrong, text)
            assert ONE.search(text) is None, (wrong, text)
            if type(error) is TypeError and not isinstance(wrong, (list, dict, bytes)):
                # What was given, by its class.
                assert type(wrong).__name__ in text, (wrong, text)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: abreast.HMAC(b"k", None), TypeError, "a str is required, not NoneType"),  # type: ignore[arg-type]
        (lambda: keywrap.aes_key_wrap_many(KEY, [KEY], padding="no"), TypeError, "True or False is required, not str"),  # type: ignore[arg-type]
        (lambda: abreast.CTR(KEY, KEY), TypeError, "an abreast.BlockCipher is required, not bytes"),  # type: ignore[arg-type]
        (lambda: Plan("5"), TypeError, "a whole number is required, not str"),  # type: ignore[arg-type]
        (lambda: Plan(-1), ValueError, r"-1 is too small: no number below 0 is taken here"),
        (lambda: Plan(2**64), ValueError, r"18446744073709551616 is too large: no number above 2\^64 - 1 is taken here"),
        (lambda: Plan(5, preferred_part=0), ValueError, "0 is too small: no number below 1 is taken here"),
        (lambda: Plan(5, max_parts=0), ValueError, "0 is too small: no number below 1 is taken here"),
        (lambda: Plan(2**51, max_parts=1), ValueError, "a message of 2251799813685248 bytes cannot be cut into at most 1 part of"),
        (lambda: Plan(5).pieces(1), ValueError, "the plan has no part 1: it has 1 part, counted from 0"),
        (lambda: Plan(5)[1], IndexError, "the plan has no part 1: it has 1 part, counted from 0"),
        (lambda: abreast.AES(True), TypeError, "a bytes-like object is required, not bool"),  # type: ignore[arg-type]
        (lambda: XTEAKeys(b""), ValueError, "one after the other have 0 bytes; they have to have 16 or a multiple of it"),
        (lambda: AESGCMKeys(b"x", key_size=16), ValueError, "have 1 byte; they have to have 16 or"),
        (lambda: AESGCMKeys(KEY, key_size=17), ValueError, "key_size is 17, not 16, 24 or 32"),
        (lambda: RC4(b""), ValueError, "the key has 0 bytes; RC4 takes 1 to 256"),
        (lambda: Key(b"x"), ValueError, "the key has 1 byte: aes-256-gcm takes 32"),
        (lambda: abreast.AES(KEY).encrypt_blocks(b"x"), ValueError, "not a whole number of blocks of 16 bytes; it has 1 byte$"),
        (lambda: abreast.CBC(abreast.XTEA(KEY), bytes(8)).encrypt(bytes(9)), ValueError, "blocks of 8 bytes; it has 9 bytes"),
        (lambda: abreast.CBC(abreast.AES(KEY), KEY).decrypt_padded(bytes(17)), ValueError, "blocks of 16 bytes; it has 17 bytes"),
        (lambda: abreast.ecb_many(abreast.AES(KEY), [KEY, b"x"]), ValueError, "message 1: the data is .* it has 1 byte$"),
        (lambda: abreast.xtea_many(XTEAKeys(KEY * 2), [bytes(8), bytes(9)]), ValueError, "message 1: .*blocks of 8 bytes; it has 9"),
        (lambda: abreast.xtea_many(XTEAKeys(KEY), [KEY, KEY]), ValueError, "there are 2 messages and 1 key; there has to be one for each"),
        (lambda: abreast.HCTR2(KEY).encrypt(b"x", b""), ValueError, "the message has 1 byte; HCTR2 takes 16 or more"),
        (lambda: abreast.HCTR2(KEY).encrypt_many([KEY, bytes(15)], [b"", b""]), ValueError, "message 1: the message has 15 bytes; HCTR2"),
        (lambda: abreast.XTS(abreast.AES(KEY), abreast.AES(bytes(16))).encrypt(0, b"x"), ValueError, "data of 1 byte in units of 1 .*16 bytes to"),
        (lambda: abreast.seal_many(abreast.AESGCMSIV(KEY), [bytes(12), b"x"], [b"", b""]), ValueError, "message 1: the nonce has 1 byte, and gcm-siv accepts 12"),
        (lambda: abreast.seal_many(abreast.AESGCM(KEY), [b""], [b""]), ValueError, "message 0: the nonce has 0 bytes, and gcm accepts 1 or more"),
        (lambda: abreast.seal_many(abreast.AES(KEY), [bytes(12)], [b""]), TypeError, "keys, unless an AEAD such as AESGCM is for all messages, are .* not AES"),  # type: ignore[arg-type]
        (lambda: abreast.open_many(abreast.AESGCM(KEY), [bytes(12)], [bytes(16)]), abreast.InvalidTag, "message 0 is not authentic"),
        (lambda: keywrap.aes_key_unwrap_many(KEY, [KEY, b"x"]), keywrap.InvalidUnwrap, "wrapped key 0 and 1 more are not right: a wrapped key has 24 bytes or more, .* has 16$"),
        (lambda: abreast.CTR(abreast.AES(KEY), KEY, counter_bits=16).encryptor().seek(2**21), ValueError, "byte 2097152 is beyond the end of the stream"),
    ],
)
def test_what_was_given_and_what_is_taken(call: Callable[[], object], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_pieces_of_any_size() -> None:
    plan = Plan(100)
    for size in (2**63, 2**64 - 1):
        assert [str(piece) for piece in plan.pieces(0, size)] == [str(piece) for piece in plan.pieces(0)]


# Objects with the state of a message, a call that takes long, and what they have in the end.
SHARED: dict[str, tuple[Callable[[], Any], Callable[[Any, bytes], object], Callable[[Any], object]]] = {
    "HMAC": (lambda: abreast.HMAC(KEY, "sha256"), lambda one, data: one.update(data), lambda one: one.finalize()),
    "CMAC": (lambda: abreast.CMAC(abreast.AES(KEY)), lambda one, data: one.update(data), lambda one: one.finalize()),
    "CipherContext": (
        lambda: abreast.CTR(abreast.AES(KEY), KEY).encryptor(), lambda one, data: one.update(data), lambda one: one.update(bytes(16))
    ),
    "AEADContext": (
        lambda: abreast.AESGCM(KEY).encryptor(bytes(12)), lambda one, data: one.update(data), lambda one: (one.finalize(), len(one.tag))
    ),
    "RC4": (lambda: RC4(KEY), lambda one, data: one.update(data), lambda one: one.update(bytes(16))),
    "Relay": (
        lambda: Relay(bytes(180)), lambda one, data: forward_many(one, [data[:509]] * 500), lambda one: one.forward(bytes(509)) and None
    ),
    "Client": (
        lambda: Client([bytes(180)]), lambda one, data: one.originate(0, data[:509]), lambda one: len(one.originate(0, bytes(509))[0])
    ),
}


def test_every_object_with_a_state_is_shared_here() -> None:
    """A class that is not frozen in the module would say of its objects that they are borrowed."""
    assert set(SHARED) <= set(OBJECTS)
    for name in OBJECTS:
        source = "".join(path.read_text() for path in SOURCES.glob("*.rs"))
        found = re.search(rf'#\[pyclass\(name = "{name}"[^\]]*\]', source)
        assert found is not None and "frozen" in found[0], name


@pytest.mark.parametrize("name", SHARED)
def test_threads_take_turns(name: str) -> None:
    make, work, end = SHARED[name]
    data, shared, alone, failed = bytes(1 << 20), make(), make(), []

    def several() -> None:
        for _ in range(10):
            try:
                work(shared, data)
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=several, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not failed and not any(thread.is_alive() for thread in threads)
    for _ in range(40):
        work(alone, data)
    assert end(shared) == end(alone)


def test_batches_that_share_circuits_do_not_wait_for_each_other() -> None:
    relays, failed = [Relay(bytes([number] * 180)) for number in range(8)], []

    def batches(order: list[Relay]) -> None:
        for _ in range(200):
            try:
                forward_many(order, [bytes(509)] * len(order))
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=batches, args=(order,), daemon=True) for order in (relays, relays[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not failed and not any(thread.is_alive() for thread in threads)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that send signals")
def test_a_handler_that_uses_the_same_object_is_told() -> None:
    mac, said = abreast.HMAC(KEY, "sha256"), []

    def handler(_signal: int, _frame: object) -> None:
        try:
            mac.update(b"x")
        except RuntimeError as error:
            said.append(str(error))

    before = signal.signal(signal.SIGALRM, handler)
    data = bytes(64 << 20)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        for _ in range(200):
            mac.update(data)
            if said:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert said and "in use by the call that was interrupted" in said[0]
