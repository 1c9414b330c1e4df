"""SRTP: packets of libsrtp, other implementations' parts put together, batches against single packets, and what is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from conftest import log_uniform
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.hmac import HMAC

from abreast import srtp
from abreast._abreast import BATCH_WINDOW

# The lengths of keys, salts, and of tags of RTP and RTCP.
PROFILES = {
    "aes-128-cm-sha1-80": (16, 14, 10, 10),
    "aes-128-cm-sha1-32": (16, 14, 4, 10),
    "aes-192-cm-sha1-80": (24, 14, 10, 10),
    "aes-192-cm-sha1-32": (24, 14, 4, 10),
    "aes-256-cm-sha1-80": (32, 14, 10, 10),
    "aes-256-cm-sha1-32": (32, 14, 4, 10),
    "aes-128-gcm": (16, 12, 16, 16),
    "aes-256-gcm": (32, 12, 16, 16),
}
KEY, SALT = bytes(range(16)), bytes(range(12))
AB = "ab" * 16
RTP, RTCP = f"800f1234decafbadcafebabe{AB}", f"81c8000bcafebabe{AB}"


@pytest.mark.parametrize(
    ("profile", "key", "salt", "index", "plain", "protected"),
    [
        (
            "aes-128-cm-sha1-80", "e1f97a0d3e018be0d64fa32c06de4139", "0ec675ad498afeebb6960b3aabe6", None, RTP,
            "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb",
        ),
        (
            "aes-128-cm-sha1-80", "e1f97a0d3e018be0d64fa32c06de4139", "0ec675ad498afeebb6960b3aabe6", 1, RTCP,
            "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798",
        ),
        (
            "aes-128-gcm", "000102030405060708090a0b0c0d0e0f", "a0a1a2a3a4a5a6a7a8a9aaab", None, RTP,
            "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392",
        ),
        (
            "aes-128-gcm", "000102030405060708090a0b0c0d0e0f", "a0a1a2a3a4a5a6a7a8a9aaab", 1, RTCP,
            "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea31123ba88ce61e80000001",
        ),
        (
            "aes-192-cm-sha1-80", "73edc66c4fa15776fb57f9505c17136550ffda71f3e8e5f1", "c8522f3acd4ce86d5add78edbb11", None,
            f"800f0000decafbad00000000{AB}", "800f0000decafbad00000000d98865552f2762c3ef37f837acfdb7122d6bc4dc84c76f74aea5",
        ),
        (
            "aes-256-cm-sha1-80", "f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6", "3b04803de51ee7c96423ab5b78d2",
            None, RTP, "800f1234decafbadcafebabef1d9de17ff251ff1aa007774b0b4b40da08d9d9a5b3a55d8873b",
        ),
    ],
)  # fmt: skip
def test_packets_of_libsrtp(profile: str, key: str, salt: str, index: int | None, plain: str, protected: str) -> None:
    """Packets of test/srtp_driver.c."""
    session = srtp.Session(profile, bytes.fromhex(key), bytes.fromhex(salt))
    before, after = bytes.fromhex(plain), bytes.fromhex(protected)
    if index is None:
        assert session.protect(before, 0) == after and session.unprotect(after, 0) == before
    else:
        assert session.protect_rtcp(before, index) == after and session.unprotect_rtcp(after) == before
        assert session.rtcp_index(after) == (index, True)
    rtcp, number = index is not None, index or 0
    assert srtp.protect_many(session, [before] * 3, number, rtcp=rtcp) == [after] * 3
    assert srtp.unprotect_many(session, [after] * 3, 0, rtcp=rtcp) == [before] * 3


def counter_mode(key: bytes, block: int, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.CTR(block.to_bytes(16))).encryptor().update(text)


class Theirs:
    """A session of pyca/cryptography's counter mode, HMAC and GCM, as RFC 3711 and RFC 7714 put them together."""

    def __init__(self, profile: str, key: bytes, salt: bytes) -> None:
        self.gcm = profile.endswith("gcm")
        self.tags = PROFILES[profile][2:]
        master = int.from_bytes(salt.ljust(14, b"\0"))

        def derived(label: int, length: int) -> bytes:
            return counter_mode(key, (master ^ label << 48) << 16, bytes(length))

        self.keys = [[derived(label, len(key)), derived(label + 1, 20), derived(label + 2, len(salt))] for label in (0, 3)]

    def protect(self, rtcp: bool, packet: bytes, number: int, encrypted: bool = True) -> bytes:
        key, mac, salt = self.keys[rtcp]
        header, ssrc, index, trailer = 12 + 4 * (packet[0] & 15), packet[8:12], number << 16 | int.from_bytes(packet[2:4]), b""
        if rtcp:
            header, ssrc, index = 8, packet[4:8], number
            trailer = (number | encrypted << 31).to_bytes(4)
        if not encrypted:
            header = len(packet)
        if self.gcm:
            nonce = int.from_bytes(salt) ^ int.from_bytes(bytes(2) + ssrc + index.to_bytes(6))
            sealed = AESGCM(key).encrypt(nonce.to_bytes(12), packet[header:], packet[:header] + trailer)
            return packet[:header] + sealed + trailer
        block = (int.from_bytes(salt) ^ int.from_bytes(ssrc + index.to_bytes(6))) << 16
        packet = packet[:header] + counter_mode(key, block, packet[header:]) + trailer
        hmac = HMAC(mac, SHA1())
        hmac.update(packet + (b"" if rtcp else number.to_bytes(4)))
        return packet + hmac.finalize()[: self.tags[rtcp]]


def some_packet(rng: random.Random, rtcp: bool) -> bytes:
    sources = 0 if rtcp else rng.choice((0, 0, 1, 15))
    return bytes([0x80 | sources]) + rng.randbytes((7 if rtcp else 11) + 4 * sources + log_uniform(rng, 1500))


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 63, 64, 65, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1])
def test_batches(count: int, rng: random.Random) -> None:
    masters = [(profile, rng.randbytes(key), rng.randbytes(salt)) for profile, (key, salt, _, _) in PROFILES.items()]
    ours, theirs = [srtp.Session(*master) for master in masters], [Theirs(*master) for master in masters]
    which = [rng.randrange(len(masters)) for _ in range(count)]
    sessions = [ours[one] for one in which]
    rtcp = [rng.random() < 0.4 for _ in range(count)]
    numbers = [rng.getrandbits(31 if one else 32) for one in rtcp]
    packets = [some_packet(rng, one) for one in rtcp]
    expected = [theirs[at].protect(*rest) for at, *rest in zip(which, rtcp, packets, numbers, strict=True)]
    protected = srtp.protect_many(sessions, packets, numbers, rtcp=rtcp)
    assert protected == expected
    for session, packet, number, kind, after in zip(sessions, packets, numbers, rtcp, expected, strict=True):
        assert (session.protect_rtcp if kind else session.protect)(packet, number) == after
        if kind:
            assert session.rtcp_index(after) == (number, True) and session.unprotect_rtcp(after) == packet
        else:
            assert session.unprotect(after, number) == packet
    # Iterables without a length; the number of a packet of RTCP is not looked at.
    received = [0 if kind else number for kind, number in zip(rtcp, numbers, strict=True)]
    assert srtp.unprotect_many(iter(sessions), iter(protected), iter(received), rtcp=iter(rtcp)) == packets
    bad = sorted(rng.sample(range(count), min(count, 3)))
    damaged: list[bytes | bytearray] = [bytearray(one) for one in protected]
    for row in bad:
        damaged[row][-1 - rng.randrange(4)] ^= 1 << rng.randrange(8)
    for row, malformed in ((3, b""), (4, bytes(60)), (5, b"\x80" * 9)):
        if row < count:
            damaged[row] = malformed
            bad = sorted({*bad, row})
    remaining = [None if row in bad else packet for row, packet in enumerate(packets)]
    assert srtp.unprotect_many(sessions, damaged, received, rtcp=rtcp, invalid="none") == remaining
    if bad:
        with pytest.raises(srtp.InvalidTag) as caught:
            srtp.unprotect_many(sessions, damaged, received, rtcp=rtcp)
        assert caught.value.rows == bad


@pytest.mark.parametrize("profile", PROFILES)
def test_rtcp_in_the_clear(profile: str, rng: random.Random) -> None:
    key, salt, _, tag = PROFILES[profile]
    master = rng.randbytes(key), rng.randbytes(salt)
    session, theirs = srtp.Session(profile, *master), Theirs(profile, *master)
    assert session.profile == profile
    for index in (0, 1, 2**31 - 1):
        packet = some_packet(rng, True)
        protected = session.protect_rtcp(packet, index, encrypted=False)
        assert protected == theirs.protect(True, packet, index, encrypted=False)
        assert protected[: len(packet)] == packet and len(protected) == len(packet) + 4 + tag
        assert session.rtcp_index(protected) == (index, False)
        assert session.unprotect_rtcp(protected) == packet


def test_another_number_of_roll_overs() -> None:
    for profile, (key, salt, _, _) in PROFILES.items():
        session = srtp.Session(profile, bytes(key), bytes(salt))
        protected = session.protect(bytes.fromhex(RTP), 7)
        with pytest.raises(srtp.InvalidTag, match="its tag does not match"):
            session.unprotect(protected, 8)
        assert session.unprotect(protected, 7).hex() == RTP


def test_estimated_index() -> None:
    """RFC 3711, section 3.3.1, at the edges of both halves."""
    for rollovers in (0, 7, 2**32 - 1):
        for highest in (0, 1, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
            for sequence in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
                expected = rollovers
                if highest < 0x8000:
                    expected -= sequence - highest > 0x8000
                else:
                    expected += highest - 0x8000 > sequence
                expected = expected % 2**32 << 16 | sequence
                assert srtp.estimated_index(rollovers, highest, sequence) == expected, (rollovers, highest, sequence)


SESSION = srtp.Session("aes-128-gcm", KEY, SALT)
PACKET = bytes.fromhex(RTP)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: srtp.Session("aes-192-gcm", KEY, SALT), ValueError, 'no profile "aes-192-gcm"; there are: aes-128-cm-sha1-80,'),
        (lambda: srtp.Session("aes-256-gcm", KEY, SALT), ValueError, "the master key has 16 bytes; it has 32 in aes-256-gcm"),
        (lambda: srtp.Session("aes-128-gcm", KEY, KEY), ValueError, "the master salt has 16 bytes; it has 12 in aes-128-gcm"),
        (lambda: SESSION.protect(bytes(11), 0), ValueError, "shorter than its headers, its index and its tag; it has 11 bytes"),
        (lambda: SESSION.protect(b"\x81" + bytes(14), 0), ValueError, "shorter than its headers"),
        (lambda: SESSION.protect(bytes(12), 0), ValueError, "not one of version 2 of RTP"),
        (lambda: SESSION.protect_rtcp(b"\x80" + bytes(7), 1 << 31), ValueError, "is 0 to 2147483647, and not 2147483648"),
        (lambda: SESSION.protect(PACKET, 1 << 32), ValueError, "4294967296 is too large: no number above 4294967295"),
        (lambda: SESSION.protect("text", 0), TypeError, "bytes-like"),  # type: ignore[arg-type]
        (lambda: SESSION.unprotect(bytes(11), 0), srtp.InvalidTag, "shorter than its headers"),
        (lambda: SESSION.unprotect_rtcp(bytes(28)), srtp.InvalidTag, "not one of version 2"),
        (lambda: SESSION.rtcp_index(bytes(27)), ValueError, "shorter than its headers, its index and its tag; it has 27 bytes"),
        (lambda: srtp.protect_many(SESSION, [PACKET, b""], 0), ValueError, "packet 1: the packet is shorter"),
        (lambda: srtp.protect_many([SESSION], [PACKET] * 2, 0), ValueError, "there are 2 packets and 1 session;"),
        (lambda: srtp.protect_many(SESSION, [PACKET] * 2, [0]), ValueError, "there are 2 packets and 1 number;"),
        (lambda: srtp.protect_many(SESSION, [PACKET], [0], rtcp=[]), ValueError, "there is 1 packet and 0 rtcp flags;"),
        (lambda: srtp.protect_many(SESSION, [PACKET], iter([0, 1])), ValueError, "there are more numbers than packets"),
        (lambda: srtp.protect_many(SESSION, [PACKET] * 2, iter([0])), ValueError, "there are fewer numbers than packets"),
        (lambda: srtp.protect_many(SESSION, [PACKET] * 2, [0, -1]), ValueError, "number 1: -1 is too small: no number below 0"),
        (lambda: srtp.protect_many(SESSION, [PACKET] * 2, -1), ValueError, "-1 is too small: no number below 0"),
        (lambda: srtp.protect_many(SESSION, [PACKET], 1 << 31, rtcp=True), ValueError, "packet 0: the index of a packet of RTCP is"),
        (lambda: srtp.protect_many(KEY, [PACKET], 0), TypeError, "sessions, unless one is for all, are an iterable"),  # type: ignore[arg-type]
        (lambda: srtp.protect_many([KEY], [PACKET], 0), TypeError, "session 0: an abreast.srtp.Session is required, not bytes"),  # type: ignore[list-item]
        (lambda: srtp.protect_many(SESSION, PACKET, 0), TypeError, "packets are an iterable such as a list, not bytes"),  # type: ignore[arg-type]
        (lambda: srtp.protect_many(SESSION, [PACKET], 0.5), TypeError, "numbers, unless one is for all, are an iterable"),  # type: ignore[arg-type]
        (lambda: srtp.protect_many(SESSION, [PACKET], "0"), TypeError, "numbers, unless one is for all, are an iterable"),  # type: ignore[arg-type]
        (lambda: srtp.protect_many(SESSION, [PACKET], 0, rtcp=1), TypeError, "rtcp flags, unless one is for all, are"),  # type: ignore[call-overload]
        (lambda: srtp.protect_many(SESSION, [PACKET], 0, rtcp=[1]), TypeError, "rtcp flag 0: "),  # type: ignore[list-item]
        (lambda: srtp.unprotect_many(SESSION, [PACKET], 0, invalid="no"), ValueError, "invalid is 'raise' or 'none'"),  # type: ignore[call-overload]
        (lambda: srtp.unprotect_many(SESSION, [PACKET] * 2, 0), srtp.InvalidTag, "packet 0 and 1 more are not authentic"),
    ],
)
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
