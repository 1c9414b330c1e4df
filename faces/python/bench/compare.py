"""abreast beside pyca/cryptography, PyCryptodome and Botan's module: calls per second and bytes per second, best of many.

    pip install ./faces/python cryptography pycryptodome pyarrow     # and Debian's python3-botan
    python faces/python/bench/compare.py
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from Crypto.Cipher import AES as CryptodomeAES
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PycaGCM

import abreast
from abreast.columns import AESGCMKeys, Values, XTEAKeys, encrypt

ROWS, SIZE = 200_000, 32


def botan() -> Any:
    for path in Path("/usr/lib/python3/dist-packages").glob("botan*.py"):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    return None


def seconds(call: Callable[[], object], trials: int = 15, trial: float = 0.03) -> float:
    """Returns the seconds of one call, the best of many trials."""
    call()
    count, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - start
        if took > trial or count > 1_000_000:
            break
        count *= 2
    for _ in range(trials):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def row(name: str, calls: dict[str, Callable[[], object]], show: Callable[[float], str]) -> None:
    cells = [show(seconds(calls[peer])) if peer in calls else "" for peer in PEERS]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


PEERS = ["abreast", "pyca", "PyCryptodome", "Botan"]


def main() -> None:
    key, nonce, module = os.urandom(16), os.urandom(12), botan()
    print("| | " + " | ".join(PEERS) + " |\n|---|" + "--:|" * len(PEERS))
    ours, pyca = abreast.AESGCM(key), PycaGCM(key)
    botan_gcm = module and module.SymmetricCipher("AES-128/GCM", True)

    def by_botan(data: bytes) -> None:
        botan_gcm.set_key(key)
        botan_gcm.start(nonce)
        botan_gcm.finish(data)

    for size in (16, 64, 256, 1600, 16384):
        data = os.urandom(size)
        calls: dict[str, Callable[[], object]] = {
            "abreast": lambda: ours.encrypt(nonce, data, None),
            "pyca": lambda: pyca.encrypt(nonce, data, None),
            "PyCryptodome": lambda: CryptodomeAES.new(key, CryptodomeAES.MODE_GCM, nonce=nonce).encrypt_and_digest(data),
        }
        if module:
            calls["Botan"] = lambda: by_botan(data)
        row(f"AES-128-GCM, {size} bytes, million calls/s", calls, lambda s: f"{1e-6 / s:.3g}")
    data, out = os.urandom(1 << 20), bytearray((1 << 20) + 16)
    calls = {
        "abreast": lambda: ours.encrypt_into(nonce, data, None, out),
        "pyca": lambda: pyca.encrypt_into(nonce, data, None, out),
        "PyCryptodome": lambda: CryptodomeAES.new(key, CryptodomeAES.MODE_GCM, nonce=nonce).encrypt_and_digest(data),
    }
    rate = lambda s: f"{(1 << 20) / s / 1e9:.3g}"  # noqa: E731
    row("AES-128-GCM, 1 MiB into a buffer, GB/s", calls, rate)
    calls = {
        "abreast": lambda: abreast.AESGCM(key).encrypt(nonce, data[:64], None),
        "pyca": lambda: PycaGCM(key).encrypt(nonce, data[:64], None),
    }
    row("a new key for each 64 bytes, million calls/s", calls, lambda s: f"{1e-6 / s:.3g}")
    serpent_key, iv = os.urandom(32), os.urandom(16)
    serpent, xtea = abreast.CTR(abreast.Serpent(serpent_key), iv), abreast.XTEA(key, byteorder="big")
    calls, blocks = {"abreast": lambda: serpent.encrypt(data)}, {"abreast": lambda: xtea.encrypt_blocks(data)}
    if module:
        theirs = module.SymmetricCipher("Serpent/CTR-BE", True)
        theirs.set_key(serpent_key)

        def serpent_by_botan() -> None:
            theirs.start(iv)
            theirs.finish(data)

        calls["Botan"] = serpent_by_botan
        botan_xtea = module.BlockCipher("XTEA")
        botan_xtea.set_key(key)
        blocks["Botan"] = lambda: botan_xtea.encrypt(data)
    row("Serpent-256-CTR, 1 MiB, GB/s", calls, rate)
    row("XTEA, 1 MiB, GB/s", blocks, rate)

    offsets = np.arange(0, (ROWS + 1) * SIZE, SIZE, dtype=np.int32)
    flat, raw = os.urandom(ROWS * SIZE), os.urandom(ROWS * 16)
    values, messages = Values(memoryview(offsets), flat), [flat[at : at + SIZE] for at in range(0, len(flat), SIZE)]
    nonces = [os.urandom(12) for _ in messages]
    keys, many = [raw[at : at + 16] for at in range(0, len(raw), 16)], XTEAKeys(raw)
    million = lambda s: f"{ROWS * 1e-6 / s:.3g}"  # noqa: E731
    print(f"\n{ROWS} values of {SIZE} bytes, million a second:\n\n| | |\n|---|--:|")
    for name, call in {
        "a column, AES-128-GCM, random nonces": lambda: encrypt(ours, values),
        "a loop over `encrypt`": lambda: [ours.encrypt(n, m, None) for n, m in zip(nonces, messages, strict=True)],
        "a loop over pyca's": lambda: [pyca.encrypt(n, m, None) for n, m in zip(nonces, messages, strict=True)],
        "`seal_many` of lists": lambda: abreast.seal_many(ours, nonces, messages),
        "a column, AES-128-GCM, a key for each": lambda: encrypt(AESGCMKeys(raw, key_size=16), values),
        "a loop, AES-128-GCM, a key for each": lambda: [
            abreast.AESGCM(k).encrypt(n, m, None) for k, n, m in zip(keys, nonces, messages, strict=True)
        ],
        "a column, AES-SIV": lambda: encrypt(abreast.AESSIV(key + key), values),
        "a column, AEZ": lambda: encrypt(abreast.AEZ(key), values),
        "a column, XTEA in counter mode, a key for each": lambda: encrypt(XTEAKeys(raw), values),
    }.items():
        print(f"| {name} | {million(seconds(call, trials=5))} |", flush=True)

    print(f"\n{ROWS} messages of {SIZE} bytes in raw blocks of XTEA, a key for each, milliseconds:\n\n| | |\n|---|--:|")
    milliseconds = lambda s: f"{s * 1e3:.3g}"  # noqa: E731
    objects = [abreast.XTEA(key) for key in keys]
    calls = {
        "the keys one by one": lambda: [abreast.XTEA(key) for key in keys],
        "the messages one by one, keys ready": lambda: [k.encrypt_blocks(m) for k, m in zip(objects, messages, strict=True)],
        "`xtea_many` of lists, keys ready": lambda: abreast.xtea_many(objects, messages),
        "`XTEAKeys` and `xtea_many` of lists": lambda: abreast.xtea_many(XTEAKeys(raw), messages),
        "`XTEAKeys`": lambda: XTEAKeys(raw),
        "`xtea_many` of one buffer under `XTEAKeys`": lambda: abreast.xtea_many(many, values),
    }
    for name, call in calls.items():
        print(f"| {name} | {milliseconds(seconds(call, trials=5))} |", flush=True)


if __name__ == "__main__":
    main()
