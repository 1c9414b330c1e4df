"""HMAC against the standard library: in pieces, many messages, what is refused."""

import hmac
import random

import pytest

import abreast

HASHES = {"sha1": 20, "sha256": 32}
# Around the blocks of both hashes and the padding.
LENGTHS = [0, 1, 31, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 70_000]


@pytest.mark.parametrize("hash", HASHES)
def test_as_the_standard_library(hash: str) -> None:
    rng = random.Random(hash)
    for length in LENGTHS:
        for key_length in (0, 20, 64, 65, 200):
            key, message = rng.randbytes(key_length), rng.randbytes(length)
            expected = hmac.digest(key, message, hash)
            mac = abreast.HMAC(key, hash)  # type: ignore[arg-type]
            cut = rng.randint(0, length)
            mac.update(message[:cut])
            other = mac.copy()
            mac.update(memoryview(message)[cut:])
            other.update(message[cut:])
            assert mac.finalize() == expected
            other.verify(expected)
            short = abreast.HMAC(key, hash, tag_length=10)  # type: ignore[arg-type]
            short.update(message)
            assert short.finalize() == expected[:10]


@pytest.mark.parametrize("hash", HASHES)
def test_many_as_the_standard_library(hash: str) -> None:
    rng = random.Random(hash)
    for count in (0, 1, 2, 17, 64, 65, abreast._abreast.BATCH_WINDOW + 3):
        messages = [rng.randbytes(rng.choice(LENGTHS[:-1])) for _ in range(count)]
        keys = [rng.randbytes(rng.randint(0, 100)) for _ in range(count)]
        expected = [hmac.digest(key, message, hash) for key, message in zip(keys, messages, strict=True)]
        assert abreast.hmac_many(keys, messages, hash) == expected  # type: ignore[arg-type]
        assert abreast.hmac_many(iter(keys), iter(messages), hash, tag_length=4) == [tag[:4] for tag in expected]  # type: ignore[arg-type]
        one = [hmac.digest(b"one key", message, hash) for message in messages]
        assert abreast.hmac_many(b"one key", messages, hash) == one  # type: ignore[arg-type]


@pytest.mark.parametrize(("hash", "length"), HASHES.items())
def test_what_is_refused(hash: str, length: int) -> None:
    for wrong in (0, length + 1):
        with pytest.raises(ValueError, match=f"has {wrong} bytes; it has to have 1 to {length}"):
            abreast.HMAC(b"", hash, tag_length=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=f"1 to {length}"):
            abreast.hmac_many(b"", [], hash, tag_length=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="md5"):
        abreast.HMAC(b"", "md5")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is 1 message and 2 keys"):
        abreast.hmac_many([b"a", b"b"], [b""], hash)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        abreast.hmac_many(["a"], [b""], hash)  # type: ignore[list-item, arg-type]
    mac = abreast.HMAC(b"key", hash)  # type: ignore[arg-type]
    mac.update(b"message")
    tag = mac.copy().finalize()
    for wrong_tag in (tag[:-1], tag + b"x", bytes(length), b""):
        with pytest.raises(abreast.InvalidSignature):
            mac.copy().verify(wrong_tag)
    mac.verify(tag)
    for call in (mac.finalize, mac.copy, lambda: mac.update(b""), lambda: mac.verify(tag)):
        with pytest.raises(abreast.AlreadyFinalized):
            call()
