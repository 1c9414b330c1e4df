"""Equal results with pyca/cryptography, PyCryptodome and Botan's module, for lengths from nothing to some pieces."""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path
from types import ModuleType

import pytest
from conftest import log_uniform
from Crypto.Cipher import AES as CryptodomeAES
from Crypto.Cipher import ARC4
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.modes import CFB, CFB8, OFB
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from stubs import constant

import abreast
from abreast import _abreast, legacy

ROUNDS = 300


def key_of(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice([16, 24, 32]))


def test_gcm_as_pyca(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        key, nonce = key_of(rng), rng.randbytes(rng.choice([12, 12, 8, 13, 64]))
        data, aad = rng.randbytes(log_uniform(rng, 100_000)), rng.randbytes(log_uniform(rng, 500))
        sealed = AESGCM(key).encrypt(nonce, data, aad)
        ours = abreast.AESGCM(key)
        assert ours.encrypt(nonce, data, aad) == sealed
        assert ours.decrypt(nonce, sealed, aad) == data
        damaged = bytearray(sealed)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        with pytest.raises(abreast.InvalidTag):
            ours.decrypt(nonce, damaged, aad)


def test_every_mode_of_the_table_as_pyca(rng: random.Random) -> None:
    """The modes of authenticated encryption of the library's table, each by pyca's class of the same name, if it has one."""
    visited = set()
    for mode, key_lengths in _abreast._AEAD_MODES:
        name = "AES" + mode.replace("-", "").upper()
        theirs = getattr(aead, name, None)
        if theirs is None:
            continue
        for _ in range(ROUNDS):
            key, nonce = rng.randbytes(rng.choice(key_lengths)), rng.randbytes(12)
            data, aad = rng.randbytes(log_uniform(rng, 100_000)), rng.randbytes(log_uniform(rng, 500))
            try:
                peer = theirs(key)
            except UnsupportedAlgorithm:
                pytest.skip(f"the OpenSSL of pyca/cryptography has no {name}")
            if mode == "siv":
                # There the tag comes first, and the nonce is the last of several strings.
                tagged = peer.encrypt(data or b"-", [aad, nonce])
                data = data or b"-"
                sealed = tagged[16:] + tagged[:16]
            else:
                sealed = peer.encrypt(nonce, data, aad)
            ours = [_abreast._aead_of(mode, key)]
            if mode != "siv":
                ours.append(getattr(abreast, name)(key))
            for one in ours:
                assert one.encrypt(nonce, data, aad) == sealed
                assert one.decrypt(nonce, sealed, aad) == data
                damaged = bytearray(sealed)
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
                with pytest.raises(abreast.InvalidTag):
                    one.decrypt(nonce, damaged, aad)
        visited.add(mode)
    assert visited == {mode for mode, _ in _abreast._AEAD_MODES} - {"eax", "aez"}, "pyca has no EAX and no AEZ"


def test_modes_as_pyca(rng: random.Random) -> None:
    pairs = [
        (abreast.CTR, modes.CTR),
        (abreast.CBC, modes.CBC),
        (abreast.CFB, CFB),
        (abreast.CFB8, CFB8),
        (abreast.OFB, OFB),
    ]
    for _ in range(ROUNDS):
        key, iv = key_of(rng), rng.randbytes(16)
        ours, theirs = rng.choice(pairs)
        length = log_uniform(rng, 20_000)
        data = rng.randbytes(length - length % 16 if ours is abreast.CBC else length)
        expected = Cipher(algorithms.AES(key), theirs(iv)).encryptor().update(data)
        mode = ours(abreast.AES(key), iv)
        stream, pieces, rest = mode.encryptor(), [], data
        while rest:
            piece = 16 * (1 + log_uniform(rng, 500)) if ours is abreast.CBC else 1 + log_uniform(rng, 5000)
            pieces.append(stream.update(rest[:piece]))
            rest = rest[piece:]
        assert b"".join(pieces) == mode.encrypt(data) == expected, ours
        assert mode.decrypt(expected) == data


PIECES = [constant("signals.rs", "PIECE"), constant("signals.rs", "PIECE_BYTEWISE")]

# Lengths around one piece, several pieces, and whole pieces with a remainder.
AROUND = [n * piece + more for n in (1, 2, 5) for piece in PIECES for more in (-17, -16, -1, 0, 1, 16, 17)]


@pytest.mark.parametrize("length", AROUND)
def test_long_messages_as_pyca(length: int, rng: random.Random) -> None:
    """They are done in pieces, with looks at signals between them."""
    from cryptography.hazmat.primitives.padding import PKCS7

    key, iv, data = rng.randbytes(16), rng.randbytes(16), rng.randbytes(length)
    whole = data[: length // 16 * 16]
    aes = abreast.AES(key)
    for ours, theirs in [(abreast.CTR, modes.CTR), (abreast.CFB, CFB), (abreast.CFB8, CFB8), (abreast.OFB, OFB)]:
        expected = Cipher(algorithms.AES(key), theirs(iv)).encryptor().update(data)
        mode, buffer = ours(aes, iv), bytearray(data)
        assert mode.encrypt(data) == expected and mode.decrypt(expected) == data
        assert mode.encrypt_into(buffer, buffer) == length and buffer == expected
        stream = mode.encryptor()
        assert stream.update(data[:7]) + stream.update(data[7:]) == expected
    expected = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(whole)
    cbc = abreast.CBC(aes, iv)
    assert cbc.encrypt(whole) == expected and cbc.decrypt(expected) == whole
    padder = PKCS7(128).padder()
    padded = padder.update(data) + padder.finalize()
    expected = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(padded)
    assert cbc.encrypt_padded(data) == expected and cbc.decrypt_padded(expected) == data
    # One block in 256 ends like padding by chance: the peer says which this is.
    changed = expected[:-16] + bytes(16)
    unpadder, decryptor = PKCS7(128).unpadder(), Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    opened = unpadder.update(decryptor.update(changed))
    try:
        opened += unpadder.finalize()
    except ValueError:
        with pytest.raises(ValueError, match="padding"):
            cbc.decrypt_padded(changed)
    else:
        assert cbc.decrypt_padded(changed) == opened
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(whole)
    assert aes.encrypt_blocks(whole) == expected and aes.decrypt_blocks(expected) == whole
    xts = abreast.XTS(aes, abreast.AES(iv))
    number = rng.choice([rng.getrandbits(100), 2**128 - 2])
    for unit in (16, 512, 520, 4096, *(piece + more for piece in PIECES for more in (-16, 16)), length):
        if length % unit and length % unit < 16:
            with pytest.raises(ValueError, match="unit"):
                xts.encrypt(number, data, unit_size=unit)
            continue
        sealed = xts.encrypt(number, data, unit_size=unit)
        for at in rng.sample(range(0, length, unit), min(5, -(-length // unit))):
            tweak = modes.XTS((number + at // unit).__mod__(2**128).to_bytes(16, "little"))
            one = Cipher(algorithms.AES(key + iv), tweak).encryptor().update(data[at : at + unit])
            assert sealed[at : at + unit] == one, (unit, at)
        assert xts.decrypt(number, sealed, unit_size=unit) == data
    reference, mac = cmac.CMAC(algorithms.AES(key)), abreast.CMAC(aes)
    reference.update(data)
    mac.update(data)
    assert mac.finalize() == reference.finalize()
    assert legacy.RC4(key).update(data) == ARC4.new(key).encrypt(data)
    nonce, gcm, eax = iv[:12], abreast.AESGCM(key), abreast.AESEAX(key)
    for aad in (b"", b"short", data):
        sealed = AESGCM(key).encrypt(nonce, data, aad)
        reference = CryptodomeAES.new(key, CryptodomeAES.MODE_EAX, nonce=nonce)
        reference.update(aad)
        for mode, expected in ((gcm, sealed), (eax, b"".join(reference.encrypt_and_digest(data)))):
            assert mode.encrypt(nonce, data, aad) == expected and mode.decrypt(nonce, expected, aad) == data
            stream = mode.encryptor(nonce, aad)
            assert stream.update(data) + stream.finalize() + stream.tag == expected
            stream = mode.encryptor(nonce, aad)
            stream.finalize()
            assert mode.encrypt(nonce, b"", aad) == stream.tag
            buffer, damaged = bytearray(b"x" * length), bytearray(expected)
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            with pytest.raises(abreast.InvalidTag):
                mode.decrypt_into(nonce, damaged, aad, buffer)
            assert buffer == bytes(length)


@pytest.mark.parametrize("length", AROUND)
def test_what_is_refused_changes_nothing(length: int) -> None:
    """Long messages that are no whole blocks, or longer than a counter can count."""
    data, buffer = bytes(length), bytearray(b"x" * length)
    aes = abreast.AES(bytes(16))
    if length % 16:
        for into in (abreast.CBC(aes, bytes(16)).encrypt_into, aes.encrypt_blocks_into, aes.decrypt_blocks_into):
            with pytest.raises(ValueError, match="block"):
                into(data, buffer)
            assert buffer == b"x" * length
    with pytest.raises(ValueError, match="unit"):
        abreast.XTS(aes, abreast.AES(b"k" * 16)).encrypt_into(0, data, buffer, unit_size=15)
    assert buffer == b"x" * length
    # Counters of 16 bits end after a mebibyte.
    stream = abreast.CTR(aes, bytes(16), counter_bits=16).encryptor()
    stream.seek((16 << 16) - length)
    assert stream.update(data[:-1]) != data[:-1]
    stream.seek((16 << 16) - length + 1)
    with pytest.raises(ValueError, match="counter"):
        stream.update_into(data, buffer)
    assert buffer == b"x" * length and stream.tell() == (16 << 16) - length + 1


def test_padding_as_pyca(rng: random.Random) -> None:
    from cryptography.hazmat.primitives.padding import PKCS7

    for length in [*range(34), 1000, 5000]:
        key, iv, data = key_of(rng), rng.randbytes(16), rng.randbytes(length)
        padder = PKCS7(128).padder()
        padded = padder.update(data) + padder.finalize()
        expected = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(padded)
        cbc = abreast.CBC(abreast.AES(key), iv)
        assert cbc.encrypt_padded(data) == expected
        assert cbc.decrypt_padded(expected) == data
    with pytest.raises(ValueError, match="padding"):
        # The block ends with 0x3a under this key; under a random one it may end like padding.
        abreast.CBC(abreast.AES(bytes(16)), bytes(16)).decrypt_padded(bytes(16))


def test_xts_and_cmac_as_pyca(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        key, number = rng.randbytes(rng.choice([32, 64])), rng.getrandbits(128)
        half = len(key) // 2
        data = rng.randbytes(16 + log_uniform(rng, 10_000))
        expected = Cipher(algorithms.AES(key), modes.XTS(number.to_bytes(16, "little"))).encryptor().update(data)
        ours = abreast.XTS(abreast.AES(key[:half]), abreast.AES(key[half:]))
        assert ours.encrypt(number, data) == expected
        assert ours.decrypt(number, expected) == data
        reference = cmac.CMAC(algorithms.AES(key[:32]))
        reference.update(data)
        mac = abreast.CMAC(abreast.AES(key[:32]))
        mac.update(data)
        assert mac.finalize() == reference.finalize()


def test_eax_and_rc4_as_pycryptodome(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        key, nonce, aad = key_of(rng), rng.randbytes(1 + log_uniform(rng, 40)), rng.randbytes(log_uniform(rng, 100))
        data = rng.randbytes(log_uniform(rng, 10_000))
        reference = CryptodomeAES.new(key, CryptodomeAES.MODE_EAX, nonce=nonce)
        reference.update(aad)
        ciphertext, tag = reference.encrypt_and_digest(data)
        ours = abreast.AESEAX(key)
        assert ours.encrypt(nonce, data, aad) == ciphertext + tag
        assert ours.decrypt(nonce, ciphertext + tag, aad) == data
        assert legacy.RC4(key).update(data) == ARC4.new(key).encrypt(data)


def test_rc4_many_as_pycryptodome(rng: random.Random) -> None:
    for _ in range(ROUNDS // 10):
        count = log_uniform(rng, 1500)
        # PyCryptodome takes no key of fewer than 5 bytes.
        keys = [rng.randbytes(rng.randint(5, 256)) for _ in range(count)]
        messages = [rng.randbytes(log_uniform(rng, 3000)) for _ in range(count)]
        skip = rng.choice([0, 1, 3, 256, 768, 3072, 65536]) if count < 50 else 0
        expected = [ARC4.new(key, drop=skip).encrypt(message) for key, message in zip(keys, messages, strict=True)]
        assert legacy.rc4_many(iter(keys), messages, skip=skip) == expected
        assert legacy.rc4_many(keys, iter(expected), skip=skip) == messages


def botan() -> ModuleType:
    """Botan's module, which Debian installs for its own Python; it is ctypes alone and works in any."""
    for folder in Path("/usr/lib/python3/dist-packages").glob("botan*.py"):
        spec = importlib.util.spec_from_file_location(folder.stem, folder)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    if os.environ.get("ABREAST_NO_SKIP"):
        pytest.fail("python3-botan is not installed")
    pytest.skip("python3-botan is not installed")


def test_serpent_and_xtea_as_botan(rng: random.Random) -> None:
    module = botan()
    for _ in range(ROUNDS):
        key, iv = rng.randbytes(32), rng.randbytes(16)
        data = rng.randbytes(8 * (1 + log_uniform(rng, 3000)))
        reference = module.SymmetricCipher("Serpent/CTR-BE", True)
        reference.set_key(key)
        reference.start(iv)
        assert abreast.CTR(abreast.Serpent(key), iv).encrypt(data) == bytes(reference.finish(data))
        blocks = module.BlockCipher("XTEA")
        blocks.set_key(key[:16])
        assert abreast.XTEA(key[:16], byteorder="big").encrypt_blocks(data) == bytes(blocks.encrypt(data))
