"""Key wrap: known answers, pyca/cryptography's functions of the same names, and batches."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from conftest import cases, log_uniform
from cryptography.hazmat.primitives import keywrap as pyca

import abreast
from abreast import keywrap
from abreast._abreast import BATCH_WINDOW

KEY = bytes(range(16))


@pytest.mark.parametrize("name", ["key_wrap", "cavp_key_wrap"])
def test_known_answers(name: str) -> None:
    done = 0
    all_kernels = abreast.kernels()
    for case in cases(name):
        key, plaintext, wrapped = (bytes.fromhex(case[field]) for field in ("Key", "Plaintext", "Ciphertext"))
        padding = case["Padding"] == "zeros"
        wrap = keywrap.aes_key_wrap_with_padding if padding else keywrap.aes_key_wrap
        unwrap = keywrap.aes_key_unwrap_with_padding if padding else keywrap.aes_key_unwrap
        for wrapping in [key, *(abreast.AES(key, kernel=kernel) for kernel in all_kernels[case["Cipher"]])]:
            if case["Valid"] == "yes":
                assert wrap(wrapping, plaintext) == wrapped, case["Name"]
                assert unwrap(wrapping, wrapped) == plaintext, case["Name"]
            else:
                with pytest.raises(keywrap.InvalidUnwrap):
                    unwrap(wrapping, wrapped)
        done += 1
    assert done >= 8


@pytest.mark.parametrize("padding", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1])
def test_many_as_pyca(padding: bool, count: int, rng: random.Random) -> None:
    theirs = pyca.aes_key_wrap_with_padding if padding else pyca.aes_key_wrap
    wrapping = [rng.randbytes(rng.choice((16, 24, 32))) for _ in range(count)]
    keys = [rng.randbytes(1 + log_uniform(rng, 400) if padding else 16 + 8 * log_uniform(rng, 40)) for _ in range(count)]
    wrapped = keywrap.aes_key_wrap_many(wrapping, keys, padding=padding)
    assert wrapped == [theirs(one, key) for one, key in zip(wrapping, keys, strict=True)]
    assert keywrap.aes_key_unwrap_many(wrapping, wrapped, padding=padding) == keys
    # One for all, as bytes and as a cipher; ciphers and bytes in one list; iterables without a length.
    same = keywrap.aes_key_wrap_many(KEY, keys, padding=padding)
    assert same == [theirs(KEY, key) for key in keys]
    assert keywrap.aes_key_wrap_many(abreast.AES(KEY), iter(keys), padding=padding) == same
    mixed = [abreast.AES(one) if row % 2 else one for row, one in enumerate(wrapping)]
    assert keywrap.aes_key_unwrap_many(iter(mixed), iter(wrapped), padding=padding) == keys
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged = [bytearray(one) for one in wrapped]
    for row in bad:
        damaged[row][rng.randrange(len(damaged[row]))] ^= 1
    if count > 4:
        bad = sorted({*bad, 4})
        damaged[4] = damaged[4][:3]
    expected = [None if row in bad else key for row, key in enumerate(keys)]
    assert keywrap.aes_key_unwrap_many(wrapping, damaged, padding=padding, invalid="none") == expected
    if bad:
        with pytest.raises(keywrap.InvalidUnwrap) as caught:
            keywrap.aes_key_unwrap_many(wrapping, damaged, padding=padding)
        assert caught.value.rows == bad


def outcome(call: Callable[[], bytes]) -> bytes | str:
    """A result, or the name of the exception."""
    try:
        return call()
    except (ValueError, pyca.InvalidUnwrap) as error:
        return "ValueError" if isinstance(error, ValueError) else "InvalidUnwrap"


@pytest.mark.parametrize("key_len", [16, 24, 32])
def test_every_length_as_pyca(key_len: int) -> None:
    wrapping = bytes(key_len)
    for length in range(70):
        data = bytes(range(length))
        for name in ("aes_key_wrap", "aes_key_unwrap", "aes_key_wrap_with_padding", "aes_key_unwrap_with_padding"):
            if name == "aes_key_wrap_with_padding" and length == 0:
                # A key of no bytes, which RFC 5649 does not have: pyca gives the header alone.
                assert outcome(lambda: keywrap.aes_key_wrap_with_padding(wrapping, b"")) == "ValueError"
                continue
            ours, theirs = getattr(keywrap, name), getattr(pyca, name)
            assert outcome(lambda: ours(wrapping, data)) == outcome(lambda: theirs(wrapping, data)), (name, length)


@pytest.mark.parametrize("key_len", [0, 15, 17, 33])
def test_wrapping_keys_of_other_lengths_as_pyca(key_len: int) -> None:
    for name in ("aes_key_wrap", "aes_key_unwrap", "aes_key_wrap_with_padding", "aes_key_unwrap_with_padding"):
        for module in (keywrap, pyca):
            with pytest.raises(ValueError):
                getattr(module, name)(bytes(key_len), bytes(24))


def test_changed_keys_as_pyca(rng: random.Random) -> None:
    for length in (1, 8, 9, 16, 21, 32):
        wrapped = keywrap.aes_key_wrap_with_padding(KEY, rng.randbytes(length))
        for bit in range(8 * len(wrapped)):
            changed = bytearray(wrapped)
            changed[bit // 8] ^= 1 << bit % 8
            with pytest.raises(keywrap.InvalidUnwrap, match="not wrapped by this one"):
                keywrap.aes_key_unwrap_with_padding(KEY, changed)
            with pytest.raises(pyca.InvalidUnwrap):
                keywrap.aes_key_unwrap_with_padding(KEY, bytes(changed))


def test_serpent() -> None:
    wrapping = abreast.Serpent(bytes(32))
    wrapped = keywrap.aes_key_wrap(wrapping, KEY)
    assert keywrap.aes_key_unwrap(wrapping, wrapped) == KEY
    assert wrapped != keywrap.aes_key_wrap(bytes(32), KEY)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: keywrap.aes_key_wrap(b"short", KEY), ValueError, "16, 24 or 32 bytes, and this one has 5"),
        (lambda: keywrap.aes_key_wrap(KEY, bytes(17)), ValueError, "16 bytes or more, a multiple of 8, and this one has 17"),
        (lambda: keywrap.aes_key_wrap_with_padding(KEY, b""), ValueError, "1 byte to 2^32 - 1, and this one has 0"),
        (lambda: keywrap.aes_key_unwrap(KEY, bytes(16)), keywrap.InvalidUnwrap, "24 bytes or more, a multiple of 8, and this one has 16"),
        (lambda: keywrap.aes_key_wrap(abreast.XTEA(KEY), KEY), ValueError, "the wrapping key has blocks of 8 bytes"),
        (lambda: keywrap.aes_key_wrap("text", KEY), TypeError, "bytes-like"),
        (lambda: keywrap.aes_key_wrap(KEY, "text"), TypeError, "bytes-like"),
        (lambda: keywrap.aes_key_wrap_many(KEY, KEY), TypeError, "keys are an iterable such as a list"),
        (lambda: keywrap.aes_key_wrap_many([KEY], [KEY, KEY]), ValueError, "2 keys and 1 wrapping key;"),
        (lambda: keywrap.aes_key_wrap_many(iter([KEY] * 3), [KEY, KEY]), ValueError, "more wrapping keys than"),
        (lambda: keywrap.aes_key_wrap_many(KEY, [KEY, bytes(3)]), ValueError, "key 1: a key to wrap has 16"),
        (lambda: keywrap.aes_key_unwrap_many(KEY, [KEY], invalid="no"), ValueError, "invalid is 'raise' or 'none'"),
        (lambda: keywrap.aes_key_unwrap_many(KEY, [KEY, KEY]), keywrap.InvalidUnwrap, "wrapped key 0 and 1 more are not right"),
    ],
)
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
