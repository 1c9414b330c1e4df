"""IPsec ESP: known packets, other implementations' parts put together, batches against single packets, and what is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import cases, log_uniform
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from abreast import esp
from abreast._abreast import BATCH_WINDOW

# The bytes that follow the key, those of the key to authenticate with, of the vector and of a tag.
SUITES = {
    "aes-cbc-hmac-sha1-96": (0, 20, 16, 12),
    "aes-cbc-hmac-sha256-128": (0, 32, 16, 16),
    "aes-ctr-hmac-sha1-96": (4, 20, 8, 12),
    "aes-ctr-hmac-sha256-128": (4, 32, 8, 16),
    "aes-gcm": (4, 0, 8, 16),
}


def test_known_packets() -> None:
    done = set()
    for case in cases("esp"):
        suite, sequence = case["Suite"], bytes.fromhex(case["Sequence"])
        key, authentication_key, spi, text, packet = (
            bytes.fromhex(case[field]) for field in ("Key", "AuthenticationKey", "SPI", "Text", "Packet")
        )
        extended, number = len(sequence) == 8, int.from_bytes(sequence)
        association = esp.Association(suite, int.from_bytes(spi), key, authentication_key, extended=extended)
        iv = packet[8 : 8 + SUITES[suite][2]]
        sealed = association.seal(text, number, iv)
        # Those of RFC 3602 have no tags.
        assert sealed[: len(packet)] == packet and len(sealed) - len(packet) in (0, 12)
        assert association.open(sealed, number >> 32) == text
        assert esp.seal_many(association, [text] * 3, number, [iv] * 3) == [sealed] * 3
        assert esp.open_many(association, [sealed] * 3, number >> 32) == [text] * 3
        assert (association.suite, association.spi, association.extended) == (suite, int.from_bytes(spi), extended)
        done.add((suite, extended))
    assert len(done) == 7


class Theirs:
    """An association of pyca/cryptography's AES, HMAC and GCM, as RFC 4303 and its companions put them together."""

    def __init__(self, suite: str, spi: int, key: bytes, authentication_key: bytes, extended: bool) -> None:
        self.suite, self.spi, self.authentication_key, self.extended = suite, spi, authentication_key, extended
        salt, _, _, self.tag = SUITES[suite]
        self.key, self.salt = key[: len(key) - salt], key[len(key) - salt :]

    def seal(self, text: bytes, sequence: int, iv: bytes) -> bytes:
        spi, low, upper = self.spi.to_bytes(4), (sequence % 2**32).to_bytes(4), (sequence >> 32).to_bytes(4)
        upper = upper if self.extended else b""
        packet, aes = spi + low + iv, algorithms.AES(self.key)
        if self.suite == "aes-gcm":
            return packet + AESGCM(self.key).encrypt(self.salt + iv, text, spi + upper + low)
        mode: Any = modes.CBC(iv) if "cbc" in self.suite else modes.CTR(self.salt + iv + bytes([0, 0, 0, 1]))
        packet += Cipher(aes, mode).encryptor().update(text)
        hmac = HMAC(self.authentication_key, SHA1() if "sha1" in self.suite else SHA256())
        hmac.update(packet + upper)
        return packet + hmac.finalize()[: self.tag]


def pair(rng: random.Random, suite: str) -> tuple[esp.Association, Theirs]:
    salt, mac, _, _ = SUITES[suite]
    key, authentication_key = rng.randbytes(rng.choice((16, 24, 32)) + salt), rng.randbytes(mac)
    spi, extended = rng.getrandbits(32), rng.random() < 0.5
    ours = esp.Association(suite, spi, key, authentication_key, extended=extended)
    return ours, Theirs(suite, spi, key, authentication_key, extended)


def some_text(rng: random.Random, suite: str) -> bytes:
    return rng.randbytes(log_uniform(rng, 1500) // (16 if "cbc" in suite else 1) * (16 if "cbc" in suite else 1))


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 63, 64, 65, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1])
def test_batches(count: int, rng: random.Random) -> None:
    pairs = [pair(rng, suite) for suite in 3 * list(SUITES)]
    chosen = [rng.choice(pairs) for _ in range(count)]
    associations = [ours for ours, _ in chosen]
    sequences = [rng.getrandbits(64 if ours.extended else 32) for ours, _ in chosen]
    texts = [some_text(rng, ours.suite) for ours, _ in chosen]
    ivs = [rng.randbytes(SUITES[ours.suite][2]) for ours, _ in chosen]
    expected = [theirs.seal(*rest) for (_, theirs), *rest in zip(chosen, texts, sequences, ivs, strict=True)]
    sealed = esp.seal_many(associations, texts, sequences, ivs)
    assert sealed == expected
    uppers = [sequence >> 32 for sequence in sequences]
    for ours, text, sequence, iv, packet in zip(associations, texts, sequences, ivs, expected, strict=True):
        assert ours.seal(text, sequence, iv) == packet and ours.open(packet, sequence >> 32) == text
    # Iterables without a length.
    assert esp.seal_many(iter(associations), iter(texts), iter(sequences), iter(ivs)) == expected
    assert esp.open_many(iter(associations), iter(sealed), iter(uppers)) == texts
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged: list[bytes | bytearray] = [bytearray(one) for one in sealed]
    for row in bad:
        damaged[row][rng.randrange(len(damaged[row]))] ^= 1 << rng.randrange(8)
    for row, malformed in ((3, b""), (4, bytes(27)), (5, bytes(60))):
        if row < count:
            damaged[row] = malformed
            bad = sorted({*bad, row})
    remaining = [None if row in bad else text for row, text in enumerate(texts)]
    assert esp.open_many(associations, damaged, uppers, invalid="none") == remaining
    if bad:
        with pytest.raises(esp.InvalidTag) as caught:
            esp.open_many(associations, damaged, uppers)
        assert caught.value.rows == bad


@pytest.mark.parametrize("suite", SUITES)
def test_vectors_that_are_left_out(suite: str, rng: random.Random) -> None:
    """The sequence number, or in CBC random bytes."""
    ours, theirs = pair(rng, suite)
    iv_len = SUITES[suite][2]
    text, sequences = some_text(rng, suite), [1, 2, 2**32 - 1]
    packets = [ours.seal(text, sequence) for sequence in sequences] + esp.seal_many(ours, [text] * 3, sequences)
    ivs = [packet[8 : 8 + iv_len] for packet in packets]
    if iv_len == 16:
        assert len(set(ivs)) == 6
    else:
        assert ivs == 2 * [sequence.to_bytes(8) for sequence in sequences]
    assert packets == [theirs.seal(text, sequence, iv) for sequence, iv in zip(2 * sequences, ivs, strict=True)]


def test_upper_halves(rng: random.Random) -> None:
    """Another upper half is found, and is not looked at where numbers are not extended."""
    for suite, (salt, mac, _, _) in SUITES.items():
        for extended in (False, True):
            association = esp.Association(suite, 7, bytes(16 + salt), bytes(mac), extended=extended)
            packet = association.seal(bytes(32), 5 << 32 | 6 if extended else 6)
            assert association.open(packet, 5) == bytes(32)
            if extended:
                with pytest.raises(esp.InvalidTag, match="its tag does not match"):
                    association.open(packet, 4)
            else:
                assert association.open(packet) == association.open(packet, 9) == bytes(32)


def test_buffers() -> None:
    association = esp.Association("aes-gcm", 7, bytearray(20), memoryview(b""))
    packet = association.seal(memoryview(bytes(6))[::1], 1, bytearray(8))
    assert association.open(bytearray(packet)) == bytes(6)


GCM = esp.Association("aes-gcm", 7, bytes(20))
CBC = esp.Association("aes-cbc-hmac-sha1-96", 7, bytes(16), bytes(20))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: esp.Association("aes-ccm", 7, bytes(20)), ValueError, 'no suite "aes-ccm"; there are: aes-cbc-hmac-sha1-96,'),
        (lambda: esp.Association("aes-gcm", 7, bytes(16)), ValueError, "16 bytes and 0 to authenticate with; they have 20, 28 or 36 and 0 in"),
        (lambda: esp.Association("aes-gcm", 7, b""), ValueError, "the keys have 0 bytes"),
        (lambda: esp.Association("aes-gcm", 7, bytes(20), bytes(20)), ValueError, "20 bytes and 20 to authenticate with; they have 20, 28 or"),
        (lambda: esp.Association("aes-cbc-hmac-sha1-96", 7, bytes(16), bytes(32)), ValueError, "they have 16, 24 or 32 and 20 in aes-cbc-hmac-sha1"),
        (lambda: esp.Association("aes-ctr-hmac-sha256-128", 7, bytes(16), bytes(32)), ValueError, "they have 20, 28 or 36 and 32 in aes-ctr"),
        (lambda: esp.Association("aes-gcm", 1 << 32, bytes(20)), ValueError, "4294967296 is too large: no number above 4294967295"),
        (lambda: GCM.seal(b"", 1 << 32), ValueError, "that is not extended is 0 to 4294967295, and not 4294967296"),
        (lambda: GCM.seal(b"", -1), ValueError, "-1 is too small: no number below 0"),
        (lambda: GCM.seal(b"", 1, bytes(16)), ValueError, "the iv has 16 bytes; it has 8 in aes-gcm"),
        (lambda: CBC.seal(b"", 1, bytes(8)), ValueError, "the iv has 8 bytes; it has 16 in aes-cbc-hmac-sha1-96"),
        (lambda: CBC.seal(bytes(15), 1), ValueError, "not a whole number of blocks; it has 15 bytes"),
        (lambda: GCM.seal("text", 1), TypeError, "bytes-like"),  # type: ignore[arg-type]
        (lambda: GCM.open(bytes(31)), esp.InvalidTag, "shorter than its headers, its index and its tag; it has 31 bytes"),
        (lambda: GCM.open(bytes(32)), esp.InvalidTag, "its tag does not match"),
        (lambda: CBC.open(bytes(24 + 12 + 15)), esp.InvalidTag, "not a whole number of blocks"),
        (lambda: GCM.open(bytes(32), 1 << 32), ValueError, "4294967296 is too large: no number above 4294967295"),
        (lambda: esp.seal_many([GCM, CBC], [b"", b"1"], 0), ValueError, "packet 1: the text is not a whole number of blocks"),
        (lambda: esp.seal_many([GCM, CBC], [b"", b""], 0, [bytes(8), bytes(8)]), ValueError, "packet 1: the iv has 8 bytes"),
        (lambda: esp.seal_many(GCM, [b"", b""], [0, 1 << 32]), ValueError, "packet 1: a sequence number"),
        (lambda: esp.seal_many(GCM, [b""] * 2, [0]), ValueError, "there are 2 texts and 1 sequence;"),
        (lambda: esp.seal_many([GCM], [b""] * 2, 0), ValueError, "there are 2 texts and 1 association;"),
        (lambda: esp.seal_many(GCM, [b""] * 2, 0, [bytes(8)]), ValueError, "there are 2 texts and 1 iv;"),
        (lambda: esp.seal_many(GCM, [b""], iter([0, 1])), ValueError, "there are more sequences than texts"),
        (lambda: esp.seal_many([b""], [b""], 0), TypeError, "association 0: an abreast.esp.Association is required, not bytes"),  # type: ignore[list-item]
        (lambda: esp.seal_many(GCM, b"", 0), TypeError, "texts are an iterable such as a list, not bytes"),
        (lambda: esp.open_many(GCM, [bytes(32)], invalid="no"), ValueError, "invalid is 'raise' or 'none'"),  # type: ignore[call-overload]
        (lambda: esp.open_many(GCM, [bytes(32)] * 2), esp.InvalidTag, "packet 0 and 1 more are not authentic"),
        (lambda: esp.open_many(GCM, [bytes(32)], [-1]), ValueError, "upper 0: -1 is too small: no number below 0"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
