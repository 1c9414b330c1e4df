"""Batches: each message as its key by itself would have done it, and each failure where it is."""

from __future__ import annotations

import itertools
import random

import pytest
from conftest import log_uniform

import abreast
from abreast._abreast import BATCH_WINDOW

MAKERS = [
    lambda key: abreast.AESGCM(key),
    lambda key: abreast.SerpentGCM(key),
    lambda key: abreast.AESEAX(key, tag_length=12),
    lambda key: abreast.EAX(abreast.XTEA(key)),
    lambda key: abreast.AEZ(key),
]


@pytest.mark.parametrize("maker", MAKERS)
# 63 to 65 and 127 to 129 are where windows of the library end.
@pytest.mark.parametrize(
    "count", [0, 1, 2, 63, 64, 65, 127, 128, 129, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1, 2 * BATCH_WINDOW + 3]
)
def test_seal_and_open(maker: object, count: int, rng: random.Random) -> None:
    keys = [maker(rng.randbytes(16)) for _ in range(count)]  # type: ignore[operator]
    nonces = [rng.randbytes(12) for _ in range(count)]
    messages = [rng.randbytes(log_uniform(rng, 3000)) for _ in range(count)]
    aads = [rng.randbytes(log_uniform(rng, 40)) for _ in range(count)]
    sealed = abreast.seal_many(keys, nonces, messages, aads)
    assert sealed == [k.encrypt(n, m, a) for k, n, m, a in zip(keys, nonces, messages, aads, strict=True)]
    assert abreast.open_many(keys, nonces, sealed, aads) == messages
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged = [bytearray(one) for one in sealed]
    for row in bad:
        damaged[row][rng.randrange(len(damaged[row]))] ^= 1
    if count > 4:
        bad = sorted({*bad, 4})
        damaged[4] = damaged[4][:3]
    expected = [None if row in bad else message for row, message in enumerate(messages)]
    assert abreast.open_many(keys, nonces, damaged, aads, invalid="none") == expected
    if bad:
        with pytest.raises(abreast.InvalidTag) as caught:
            abreast.open_many(keys, nonces, damaged, aads)
        assert caught.value.rows == bad


def test_one_key_and_one_associated_data(rng: random.Random) -> None:
    key, nonces = abreast.AESGCM(rng.randbytes(16)), [rng.randbytes(12) for _ in range(9)]
    messages = [rng.randbytes(n) for n in range(9)]
    sealed = abreast.seal_many(key, nonces, messages, b"all")
    assert sealed == [key.encrypt(n, m, b"all") for n, m in zip(nonces, messages, strict=True)]
    assert abreast.seal_many(key, nonces, messages) == abreast.seal_many(key, nonces, messages, None)


def test_blocks_with_keys(rng: random.Random) -> None:
    for maker in (abreast.XTEA, abreast.Serpent, abreast.AES, abreast.TEA):
        keys = [maker(rng.randbytes(16)) for _ in range(BATCH_WINDOW + 9)]
        messages = [rng.randbytes(16 * log_uniform(rng, 20)) for _ in keys]
        sealed = abreast.ecb_many(keys, messages)
        assert sealed == [key.encrypt_blocks(one) for key, one in zip(keys, messages, strict=True)]
        assert abreast.ecb_many(keys, sealed, decrypt=True) == messages


def test_what_does_not_fit() -> None:
    key = abreast.AESGCM(bytes(16))
    with pytest.raises(ValueError, match="2 messages and 1 nonces"):
        abreast.seal_many(key, [bytes(12)], [b"", b""])
    with pytest.raises(ValueError, match="2 messages and 1 keys"):
        abreast.seal_many([key], [bytes(12)] * 2, [b"", b""])
    with pytest.raises(ValueError, match="message 1: the nonce"):
        abreast.seal_many(key, [bytes(12), b""], [b"", b""])
    with pytest.raises(TypeError, match="one mode"):
        abreast.seal_many([key, abreast.AEZ(b"key")], [bytes(12)] * 2, [b"", b""])
    with pytest.raises(TypeError, match="one mode"):
        keys = [key] * BATCH_WINDOW + [abreast.AEZ(b"key")]
        abreast.seal_many(keys, [bytes(12)] * len(keys), [b""] * len(keys))
    with pytest.raises(TypeError, match="has to be an AEAD such as AESGCM, and this one is AES"):
        abreast.seal_many([abreast.AES(bytes(16))], [bytes(12)], [b""])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="invalid is 'raise' or 'none'"):
        abreast.open_many(key, [], [], invalid="ignore")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="message 1: .* whole number of blocks"):
        abreast.ecb_many(abreast.XTEA(bytes(16)), [b"12345678", b"1234567"])


class Shrinking(list[bytes]):
    """A list that says it has more items than it has."""

    def __len__(self) -> int:
        return super().__len__() + 1


def test_sequences_that_have_no_end_or_lie() -> None:
    key = abreast.AESGCM(bytes(16))
    for endless in (itertools.repeat(b""), (b"" for _ in range(2))):
        with pytest.raises(TypeError, match="messages have to be in a sequence that knows its length"):
            abreast.seal_many(key, [bytes(12)], endless)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="nonces have to be in a sequence"):
            abreast.seal_many(key, endless, [b""])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="messages became shorter"):
        abreast.ecb_many(abreast.XTEA(bytes(16)), Shrinking([bytes(8)]))
