"""The same results as pyca/cryptography, PyCryptodome and Botan's module, for lengths from nothing to some pieces."""

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
from cryptography.hazmat.decrepit.ciphers.modes import CFB, CFB8, OFB
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import abreast
from abreast import legacy

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
        abreast.CBC(abreast.AES(key), iv).decrypt_padded(bytes(16))


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
