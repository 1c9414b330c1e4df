"""Batches: each message as its key by itself would have done it, and each failure where it is."""

from __future__ import annotations

import array
import itertools
import random

import pytest
from conftest import log_uniform

import abreast
from abreast._abreast import BATCH_WINDOW
from abreast.columns import Values, XTEAKeys

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


COUNTS = [0, 1, 127, 128, 129, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1, 2 * BATCH_WINDOW + 3]


def values_of(messages: list[bytes], kind: str) -> Values:
    """Messages in one buffer, in the middle of other bytes."""
    ends = itertools.accumulate(map(len, messages), initial=5)
    return Values(array.array(kind, ends), b"other" + b"".join(messages) + b"more")


def messages_of(values: Values) -> list[bytes]:
    offsets, data = memoryview(values.offsets).tolist(), memoryview(values.data)
    return [bytes(data[start:stop]) for start, stop in itertools.pairwise(offsets)]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", ["i", "q"])
def test_one_buffer_with_offsets(maker: object, count: int, kind: str, rng: random.Random) -> None:
    keys = [maker(rng.randbytes(16)) for _ in range(count)]  # type: ignore[operator]
    nonces = [rng.randbytes(12) for _ in range(count)]
    messages = [rng.randbytes(log_uniform(rng, 3000)) for _ in range(count)]
    sealed = abreast.seal_many(keys, b"".join(nonces), values_of(messages, kind), b"all")
    assert messages_of(sealed) == abreast.seal_many(keys, nonces, messages, b"all")
    assert sealed.offsets.itemsize == (4 if kind == "i" else 8) and sealed.validity is None
    opened = abreast.open_many(keys, b"".join(nonces), sealed, b"all")
    assert messages_of(opened) == messages
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged = bytearray(sealed.data)
    for row in bad:
        damaged[sealed.offsets[row]] ^= 1
    changed = Values(sealed.offsets, damaged)
    left = abreast.open_many(keys, nonces, changed, b"all", invalid="none")
    expected = [bytes(len(one)) if row in bad else one for row, one in enumerate(messages)]
    assert messages_of(left) == expected
    if bad:
        assert left.validity is not None
        assert [row for row in range(count) if not left.validity[row // 8] >> row % 8 & 1] == bad
        with pytest.raises(abreast.InvalidTag) as caught:
            abreast.open_many(keys, nonces, changed, b"all")
        assert caught.value.rows == bad


@pytest.mark.parametrize("count", COUNTS)
def test_keys_of_xtea_as_bytes(count: int, rng: random.Random) -> None:
    raw = rng.randbytes(16 * count)
    keys = [abreast.XTEA(raw[at : at + 16]) for at in range(0, len(raw), 16)]
    messages = [rng.randbytes(8 * log_uniform(rng, 40)) for _ in range(count)]
    expected = [key.encrypt_blocks(one) for key, one in zip(keys, messages, strict=True)]
    assert abreast.xtea_many(keys, messages) == expected
    values = values_of(messages, "i")
    assert messages_of(abreast.xtea_many(keys, values)) == expected
    if not count:
        return
    many = XTEAKeys(raw)
    assert abreast.xtea_many(many, messages) == abreast.ecb_many(many, messages) == expected
    sealed = abreast.xtea_many(many, values)
    assert messages_of(sealed) == expected
    assert abreast.xtea_many(many, expected, decrypt=True) == messages
    assert messages_of(abreast.xtea_many(many, sealed, decrypt=True)) == messages
    with pytest.raises(ValueError, match=f"{count + 1} messages? and {count} keys?;"):
        abreast.xtea_many(many, [*messages, b""])


def test_what_does_not_fit() -> None:
    key = abreast.AESGCM(bytes(16))
    with pytest.raises(ValueError, match="2 messages and 1 nonce;"):
        abreast.seal_many(key, [bytes(12)], [b"", b""])
    with pytest.raises(ValueError, match="2 messages and 1 key;"):
        abreast.seal_many([key], [bytes(12)] * 2, [b"", b""])
    with pytest.raises(ValueError, match="message 1: the nonce"):
        abreast.seal_many(key, [bytes(12), b""], [b"", b""])
    with pytest.raises(TypeError, match="several modes"):
        abreast.seal_many([key, abreast.AEZ(b"key")], [bytes(12)] * 2, [b"", b""])
    with pytest.raises(TypeError, match="several modes"):
        keys = [key] * BATCH_WINDOW + [abreast.AEZ(b"key")]
        abreast.seal_many(keys, [bytes(12)] * len(keys), [b""] * len(keys))
    with pytest.raises(TypeError, match="a key of the batch is AES; all have to be an AEAD such as AESGCM"):
        abreast.seal_many([abreast.AES(bytes(16))], [bytes(12)], [b""])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="invalid is 'raise' or 'none'"):
        abreast.open_many(key, [], [], invalid="ignore")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a key of the batch is AES; all have to be an XTEA"):
        abreast.xtea_many([abreast.AES(bytes(16))], [bytes(16)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a key of the batch is TEA; all have to be an XTEA"):
        abreast.xtea_many(abreast.TEA(bytes(16)), [bytes(16)])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="same length for each of 2 messages, and these have 25 bytes"):
        abreast.seal_many(key, bytes(25), [b"", b""])
    with pytest.raises(ValueError, match="cannot be null; abreast.columns.encrypt"):
        abreast.seal_many(key, bytes(12), Values(array.array("i", [0, 0]), b"", b"\1"))
    with pytest.raises(ValueError, match="row 0 is beyond"):
        abreast.seal_many(key, bytes(12), Values(array.array("i", [0, 9]), b"short"))
    with pytest.raises(ValueError, match="message 1: .* whole number of blocks"):
        abreast.xtea_many(XTEAKeys(bytes(32)), Values(array.array("i", [0, 8, 15]), bytes(15)))
    with pytest.raises(ValueError, match="message 1: .* whole number of blocks"):
        abreast.ecb_many(abreast.XTEA(bytes(16)), [b"12345678", b"1234567"])


class Shrinking(list[bytes]):
    """A list that says it has more items than it has."""

    def __len__(self) -> int:
        return super().__len__() + 1


def test_iterables_that_have_no_end_or_lie() -> None:
    key, nonce = abreast.AESGCM(bytes(16)), bytes(12)
    with pytest.raises(ValueError, match="more messages than the 1 nonce;"):
        abreast.seal_many(key, [nonce], itertools.repeat(b""))
    with pytest.raises(ValueError, match="more messages than the 2 keys"):
        abreast.ecb_many([abreast.AES(bytes(16))] * 2, itertools.repeat(bytes(16)))
    with pytest.raises(ValueError, match="more nonces than messages"):
        abreast.seal_many(key, itertools.repeat(nonce), [b"", b""])
    with pytest.raises(ValueError, match="more keys than messages"):
        abreast.seal_many(itertools.repeat(key), [nonce], [b""])
    with pytest.raises(ValueError, match="more strings of associated data than messages"):
        abreast.seal_many(key, [nonce], [b""], itertools.repeat(b""))
    with pytest.raises(ValueError, match="fewer nonces than messages"):
        abreast.seal_many(key, iter([nonce]), [b"", b""])
    with pytest.raises(ValueError, match="fewer messages"):
        abreast.ecb_many(abreast.XTEA(bytes(16)), Shrinking([bytes(8)]))


@pytest.mark.parametrize("count", [0, 1, BATCH_WINDOW, BATCH_WINDOW + 1])
def test_iterators_give_what_lists_give(count: int, rng: random.Random) -> None:
    keys = [abreast.AESGCM(rng.randbytes(16)) for _ in range(count)]
    nonces, aads = [rng.randbytes(12) for _ in keys], [rng.randbytes(5) for _ in keys]
    messages = [rng.randbytes(log_uniform(rng, 300)) for _ in keys]
    sealed = abreast.seal_many(iter(keys), (n for n in nonces), map(bytes, messages), iter(aads))
    assert sealed == abreast.seal_many(keys, nonces, messages, aads)
    assert abreast.open_many(iter(keys), iter(nonces), iter(sealed), iter(aads)) == messages


def test_long_messages_among_short_ones(rng: random.Random) -> None:
    """Long ones go through pieces of their own."""
    lengths = [10, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 3000, (5 << 20) + 7, 0]
    messages = [rng.randbytes(length) for length in lengths]
    for maker in MAKERS[:1] + MAKERS[3:]:
        keys = [maker(rng.randbytes(16)) for _ in messages]
        nonces = [rng.randbytes(12) for _ in messages]
        sealed = abreast.seal_many(keys, nonces, messages, b"all")
        assert sealed == [k.encrypt(n, m, b"all") for k, n, m in zip(keys, nonces, messages, strict=True)]
        assert abreast.open_many(keys, nonces, sealed, b"all") == messages
        damaged = bytearray(sealed[5])
        damaged[1 << 20] ^= 1
        sealed[5] = bytes(damaged)
        assert abreast.open_many(keys, nonces, sealed, b"all", invalid="none")[4:6] == [messages[4], None]
    for cipher in (abreast.AES(bytes(16)), abreast.XTEA(bytes(16))):
        blocks = [message[: len(message) // 16 * 16] for message in messages]
        assert abreast.ecb_many(cipher, blocks) == [cipher.encrypt_blocks(one) for one in blocks]
        with pytest.raises(ValueError, match="message 1: .* whole number of blocks"):
            abreast.ecb_many(cipher, [blocks[0], messages[5]])
