"""QUIC: known packets, other implementations' parts put together, batches against single packets, and what is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from conftest import cases, log_uniform
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from abreast import quic
from abreast._abreast import BATCH_WINDOW


def test_known_packets() -> None:
    """RFC 9001, appendix A: the Initial packets of client and server."""
    for case in cases("quic"):
        key, iv, header_key, header, payload, packet, mask = (
            bytes.fromhex(case[field]) for field in ("Key", "IV", "HeaderKey", "Header", "Payload", "Packet", "Mask")
        )
        number, number_at = int(case["Number"]), len(header) - 1 - (header[0] & 3)
        keys = quic.PacketKeys(key, iv, header_key)
        assert keys.seal(header, payload, number) == packet
        assert keys.open(packet, number_at, 0) == (header, payload, number)
        assert keys.mask(packet[number_at + 4 :][:16]) == mask
        assert quic.seal_many(keys, [header] * 3, [payload] * 3, number) == [packet] * 3
        assert quic.open_many(keys, [packet] * 3, number_at, 0) == [(header, payload, number)] * 3


class Theirs:
    """Keys of pyca/cryptography's AES and GCM, as RFC 9001 puts them together."""

    def __init__(self, key: bytes, iv: bytes, header_key: bytes) -> None:
        self.gcm, self.iv, self.header_key = AESGCM(key), iv, header_key

    def mask(self, sample: bytes) -> bytes:
        return Cipher(algorithms.AES(self.header_key), modes.ECB()).encryptor().update(sample)[:5]

    def seal(self, header: bytes, payload: bytes, number: int) -> bytes:
        nonce = (int.from_bytes(self.iv) ^ number).to_bytes(12)
        packet = bytearray(header + self.gcm.encrypt(nonce, payload, header))
        number_len = (header[0] & 3) + 1
        number_at = len(header) - number_len
        mask = self.mask(bytes(packet[number_at + 4 :][:16]))
        packet[0] ^= mask[0] & (15 if header[0] & 0x80 else 31)
        for at in range(number_len):
            packet[number_at + at] ^= mask[1 + at]
        return bytes(packet)


def some_keys(rng: random.Random) -> tuple[quic.PacketKeys, list[Theirs]]:
    """Keys of both phases."""
    size = rng.choice((16, 32))
    header_key, (even, odd) = rng.randbytes(size), [(rng.randbytes(size), rng.randbytes(12)) for _ in range(2)]
    ours = quic.PacketKeys(*even, header_key).updated(*odd)
    return ours, [Theirs(*even, header_key), Theirs(*odd, header_key)]


def some_packet(rng: random.Random) -> tuple[bytes, bytes, int]:
    """A header, a payload and a full number."""
    first, number = rng.randrange(256), rng.getrandbits(rng.choice((0, 1, 8, 30, 62)))
    number_len = (first & 3) + 1
    header = bytes([first]) + rng.randbytes(rng.randrange(40)) + (number % 256**number_len).to_bytes(number_len)
    return header, rng.randbytes(4 - number_len + log_uniform(rng, 1500)), number


def phase_of(header: bytes) -> int:
    return 0 if header[0] & 0x80 else header[0] >> 2 & 1


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 63, 64, 65, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1])
def test_batches(count: int, rng: random.Random) -> None:
    connections = [some_keys(rng) for _ in range(12)]
    chosen = [rng.choice(connections) for _ in range(count)]
    keys = [ours for ours, _ in chosen]
    clear = [some_packet(rng) for _ in range(count)]
    headers, payloads, numbers = ([one[part] for one in clear] for part in range(3))
    expected = [theirs[phase_of(header)].seal(header, *rest) for (_, theirs), (header, *rest) in zip(chosen, clear, strict=True)]
    assert quic.seal_many(keys, headers, payloads, numbers) == expected
    places = [len(header) - 1 - (header[0] & 3) for header in headers]
    near = [max(0, number - rng.randrange(100)) for number in numbers]
    for ours, packet, parts, at, expects in zip(keys, expected, clear, places, near, strict=True):
        assert ours.seal(*parts) == packet and ours.open(packet, at, expects) == parts
    # Iterables without a length.
    assert quic.seal_many(iter(keys), iter(headers), iter(payloads), iter(numbers)) == expected
    assert quic.open_many(iter(keys), iter(expected), iter(places), iter(near)) == clear
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged: list[bytes | bytearray] = [bytearray(one) for one in expected]
    for row in bad:
        damaged[row][rng.randrange(len(damaged[row]))] ^= 1 << rng.randrange(8)
    for row, malformed in ((3, b""), (4, bytes(20)), (5, bytes(70))):
        if row < count:
            damaged[row] = malformed
            bad = sorted({*bad, row})
    remaining = [None if row in bad else parts for row, parts in enumerate(clear)]
    assert quic.open_many(keys, damaged, places, near, invalid="none") == remaining
    if bad:
        with pytest.raises(quic.InvalidTag) as caught:
            quic.open_many(keys, damaged, places, near)
        assert caught.value.rows == bad


def test_updates(rng: random.Random) -> None:
    """Each update is of the other phase, and keeps the keys of the phase before alone."""
    header_key, secrets = rng.randbytes(16), [(rng.randbytes(16), rng.randbytes(12)) for _ in range(5)]
    keys = [quic.PacketKeys(*secrets[0], header_key)]
    for one in secrets[1:]:
        keys.append(keys[-1].updated(*one))
    assert [one.phase for one in keys] == [0, 1, 0, 1, 0]
    for number, one in enumerate(secrets):
        header = bytes([0x40 | number % 2 << 2, 9, number])
        packet = Theirs(*one, header_key).seal(header, b"payload", number)
        for at, of_receiver in enumerate(keys):
            if at - number in (0, 1):
                assert of_receiver.open(packet, 2, number) == (header, b"payload", number)
            else:
                with pytest.raises(quic.InvalidTag, match="does not match|whose keys are not there"):
                    of_receiver.open(packet, 2, number)


def test_masks(rng: random.Random) -> None:
    for _ in range(100):
        ours, (theirs, _) = some_keys(rng)
        sample = rng.randbytes(16)
        assert ours.mask(sample) == theirs.mask(sample)


def test_full_number(rng: random.Random) -> None:
    """RFC 9000, A.3, and numbers near the one that is expected."""
    assert quic.full_number(0xA82F30EA + 1, 0x9B32, 2) == 0xA82F9B32
    for _ in range(1000):
        length = rng.randrange(1, 5)
        half = 1 << 8 * length - 1
        expected = rng.getrandbits(rng.randrange(1, 63))
        number = max(0, min(2**62 - 1, expected + rng.randrange(1 - half, half)))
        assert quic.full_number(expected, number % (2 * half), length) == number


KEYS = quic.PacketKeys(bytes(16), bytes(12), bytes(32))
HEADER = b"\x40\0"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: quic.PacketKeys(bytes(24), bytes(12), bytes(16)), ValueError, "the key has 24 bytes; it has 16 or 32"),
        (lambda: quic.PacketKeys(bytes(16), bytes(13), bytes(16)), ValueError, "the iv has 13 bytes; it has 12"),
        (lambda: quic.PacketKeys(bytes(16), bytes(12), bytes(15)), ValueError, "the header key has 15 bytes; it has 16 or 32"),
        (lambda: KEYS.updated(bytes(16), b""), ValueError, "the iv has 0 bytes; it has 12"),
        (lambda: KEYS.updated(b"", bytes(12)), ValueError, "the key has 0 bytes; it has 16 or 32"),
        (lambda: KEYS.mask(bytes(15)), ValueError, "the sample has 15 bytes; it has 16"),
        (lambda: KEYS.seal(HEADER, bytes(2), 0), ValueError, "too short for a sample of it: the header has 2 bytes and the payload 2"),
        (lambda: KEYS.seal(b"\x41\0", bytes(9), 0), ValueError, "too short for a sample of it: the header has 2 bytes and the payload 9"),
        (lambda: KEYS.seal(b"", bytes(30), 0), ValueError, "too short for a sample of it"),
        (lambda: KEYS.seal(b"\x44\0", bytes(9), 0), ValueError, "of a phase whose keys are not there"),
        (lambda: KEYS.seal(HEADER, bytes(9), 1 << 64), ValueError, "18446744073709551616 is too large: no number above 2^64 - 1"),
        (lambda: KEYS.seal("text", bytes(9), 0), TypeError, "bytes-like"),  # type: ignore[arg-type]
        (lambda: KEYS.open(bytes(20), 1, 0), quic.InvalidTag, "too short for a sample of it; it has 20 bytes"),
        (lambda: KEYS.open(bytes(40), 0, 0), quic.InvalidTag, "too short for a sample of it"),
        (lambda: KEYS.open(bytes(40), 2**63, 0), quic.InvalidTag, "too short for a sample of it"),
        (lambda: KEYS.open(bytes([0x80]) * 40, 1, 0), quic.InvalidTag, "its tag does not match"),
        (lambda: KEYS.open(bytes(40), -1, 0), ValueError, "-1 is too small: no number below 0"),
        (lambda: quic.full_number(0, 0, 0), ValueError, "in 1 to 4 bytes, and not in 0"),
        (lambda: quic.full_number(0, 0, 5), ValueError, "in 1 to 4 bytes, and not in 5"),
        (lambda: quic.seal_many(KEYS, [HEADER] * 2, [bytes(9), b""], 0), ValueError, "packet 1: the packet is too short"),
        (lambda: quic.seal_many(KEYS, [HEADER], [bytes(9)] * 2, 0), ValueError, "there are 2 payloads and 1 header;"),
        (lambda: quic.seal_many([KEYS], [HEADER] * 2, [bytes(9)] * 2, 0), ValueError, "there are 2 payloads and 1 key;"),
        (lambda: quic.seal_many(KEYS, [HEADER], [bytes(9)], [0, 1]), ValueError, "there is 1 payload and 2 numbers;"),
        (lambda: quic.seal_many([b""], [HEADER], [bytes(9)], 0), TypeError, "key 0: an abreast.quic.PacketKeys is required, not bytes"),  # type: ignore[list-item]
        (lambda: quic.seal_many(KEYS, [HEADER], bytes(9), 0), TypeError, "payloads are an iterable such as a list, not bytes"),
        (lambda: quic.seal_many(KEYS, HEADER, [bytes(9)], 0), TypeError, "headers are an iterable such as a list, not bytes"),
        (lambda: quic.open_many(KEYS, [bytes(40)], 1, 0, invalid="no"), ValueError, "invalid is 'raise' or 'none'"),  # type: ignore[call-overload]
        (lambda: quic.open_many(KEYS, [bytes(40)] * 2, 1, 0), quic.InvalidTag, "packet 0 and 1 more are not authentic"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
