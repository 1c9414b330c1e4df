"""OpenCL devices: they give the CPU's results on lengths around blocks and chunks, and refuse wrong arguments."""

from __future__ import annotations

import os
import pickle
import random
import threading
import time
from collections.abc import Iterator

import pytest
from conftest import log_uniform

import abreast
from abreast.devices import Device, DeviceCipher, DeviceError, DeviceXTS, devices
from abreast.legacy import RC4

CHUNK = 16 << 20
MAKERS = {
    "aes-128": abreast.AES,
    "aes-192": abreast.AES,
    "aes-256": abreast.AES,
    "serpent-128": abreast.Serpent,
    "serpent-256": abreast.Serpent,
    "tea": abreast.TEA,
    "xtea": abreast.XTEA,
    "xtea-be": lambda key: abreast.XTEA(key, byteorder="big"),
}
KEY_SIZES = {"aes-192": 24, "aes-256": 32, "serpent-256": 32}


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    try:
        yield Device()
    except DeviceError as error:
        if error.reason not in ("no-opencl", "no-device") or os.environ.get("ABREAST_NO_SKIP") == "1":
            raise
        pytest.skip(str(error))


def test_list(device: Device) -> None:
    rows = devices()
    assert any(row.name == device.name and row.kind == device.kind for row in rows)
    assert all(row.kernel == "opencl" and row.memory > 0 and row.driver for row in rows)
    assert device.name in repr(device)


@pytest.mark.parametrize("name", MAKERS)
def test_blocks_and_counters(device: Device, name: str, rng: random.Random) -> None:
    key = rng.randbytes(KEY_SIZES.get(name, 16))
    ours, theirs = DeviceCipher(device, name, key), MAKERS[name](key)
    size = theirs.block_size
    assert (ours.name, ours.block_size) == (theirs.name, size)
    for length in [0, size, 63 * size, 64 * size, 65 * size, 40_000 // size * size]:
        data = rng.randbytes(length)
        assert ours.encrypt_blocks(data) == theirs.encrypt_blocks(data)
        assert ours.decrypt_blocks(data) == theirs.decrypt_blocks(data)
        buf = bytearray(data)
        assert ours.encrypt_blocks_into(buf, buf) == length
        assert ours.decrypt_blocks_into(buf, buf) == length
        assert buf == data
    for bits in (16, 32, 64, 8 * size):
        # It wraps in the first blocks.
        counter = rng.randbytes(size - bits // 8) + b"\xff" * (bits // 8)
        data = rng.randbytes(log_uniform(rng, 100_000))
        expected = abreast.CTR(theirs, counter, counter_bits=bits).encrypt(data)
        assert ours.ctr(counter, data, counter_bits=bits) == expected
        buf = bytearray(data)
        assert ours.ctr_into(counter, buf, buf, counter_bits=bits) == len(data)
        assert buf == expected


def test_around_a_chunk(device: Device, rng: random.Random) -> None:
    ours, theirs = DeviceCipher(device, "xtea", bytes(16)), abreast.XTEA(bytes(16))
    for more in (-8, 0, 8):
        data = rng.randbytes(CHUNK + more)
        assert ours.ctr(bytes(8), data) == abreast.CTR(theirs, bytes(8)).encrypt(data)


def test_xts(device: Device, rng: random.Random) -> None:
    keys = rng.randbytes(32), rng.randbytes(32)
    ours = DeviceXTS(device, "aes-256", *keys)
    auto = DeviceXTS(device, "aes-256", *keys, kernel="auto")
    theirs = abreast.XTS(*map(abreast.AES, keys))
    number = rng.getrandbits(128)
    for unit in (16, 48, 512, 4096):
        for length in (16, unit, unit + 17, 10 * unit, 10_000):
            if 0 < length % unit < 16:
                continue
            data = rng.randbytes(length)
            sealed = theirs.encrypt(number, data, unit_size=unit)
            assert ours.encrypt(number, data, unit_size=unit) == sealed
            assert ours.decrypt(number, sealed, unit_size=unit) == data
            buf = bytearray(data)
            assert ours.encrypt_into(number, buf, buf, unit_size=unit) == length and buf == sealed
            assert ours.decrypt_into(number, buf, buf, unit_size=unit) == length and buf == data
    data = rng.randbytes(520 * 3)
    with pytest.raises(DeviceError) as caught:
        ours.encrypt(0, data, unit_size=520)
    assert caught.value.reason == "unsupported"
    assert auto.encrypt(0, data, unit_size=520) == theirs.encrypt(0, data, unit_size=520)


@pytest.mark.parametrize("byteorder", ["little", "big"])
def test_a_key_for_each_message(device: Device, byteorder: str, rng: random.Random) -> None:
    raw = rng.randbytes(16 * 300)
    keys = [raw[at : at + 16] for at in range(0, len(raw), 16)]
    messages = [rng.randbytes(8 * log_uniform(rng, 300)) for _ in keys]
    sealed = device.xtea_many(raw, messages, byteorder=byteorder)
    assert sealed == [
        abreast.XTEA(key, byteorder=byteorder).encrypt_blocks(one) for key, one in zip(keys, messages, strict=True)
    ]
    assert device.xtea_many(raw, sealed, byteorder=byteorder, decrypt=True) == messages
    found = device.xtea_try_keys(raw, abreast.XTEA(keys[123], byteorder=byteorder).encrypt_blocks(b"PK\3\4 and"),
                                 b"PK\3", byteorder=byteorder)
    assert found == [123]
    assert device.xtea_try_keys(raw, bytes(8), b"\0", mask=b"\0") == list(range(300))


def test_rc4(device: Device, rng: random.Random) -> None:
    keys = [rng.randbytes(1 + n % 40) for n in range(200)]
    messages = [rng.randbytes(log_uniform(rng, 2000)) for _ in keys]

    def on_cpu(key: bytes, data: bytes) -> bytes:
        rc4 = RC4(key)
        rc4.skip(3)
        return rc4.update(data)

    assert device.rc4_many(keys, messages, skip=3) == [on_cpu(*one) for one in zip(keys, messages, strict=True)]
    assert device.rc4_try_keys(keys, on_cpu(keys[77], b"%PDF-1.3"), b"%PDF-", skip=3) == [77]


def test_refused(device: Device) -> None:
    cipher = DeviceCipher(device, "aes-128", bytes(16))
    for call, says in [
        (lambda: DeviceCipher(device, "aes", bytes(16)), "no cipher"),
        (lambda: DeviceCipher(device, "aes-128", bytes(15)), "key"),
        (lambda: DeviceCipher(device, "aes-128", bytes(16), kernel="vaes"), "opencl, auto"),  # type: ignore[arg-type]
        (lambda: DeviceXTS(device, "aes-128", bytes(16), bytes(16)), "same"),
        (lambda: DeviceXTS(device, "xtea", bytes(16), bytes([1] * 16)), "blocks of this size"),
        (lambda: cipher.encrypt_blocks(bytes(17)), "whole number of blocks"),
        (lambda: cipher.encrypt_blocks_into(bytes(16), bytearray(15)), "takes 16"),
        (lambda: cipher.ctr(bytes(15), b""), "counter block"),
        (lambda: cipher.ctr(bytes(16), b"", counter_bits=20), "16, 32, 64 or 128"),
        (lambda: device.xtea_many(bytes(17), [b""]), "key"),
        (lambda: device.xtea_many(bytes(32), [b""]), "one for each"),
        (lambda: device.xtea_many(bytes(16), [bytes(7)]), "whole number of blocks"),
        (lambda: device.xtea_try_keys(bytes(16), bytes(72), b""), "longer"),
        (lambda: device.xtea_try_keys(bytes(16), bytes(8), b"x", mask=b""), "mask"),
        (lambda: device.rc4_many([b""], [b"x"]), "key"),
        (lambda: Device(time_limit=0), "above 0"),
        (lambda: Device(time_limit=float("nan")), "above 0"),
    ]:
        with pytest.raises(ValueError, match=says):
            call()
    with pytest.raises(DeviceError) as caught:
        Device("there is none of this name")
    assert caught.value.reason == "name"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.reason, again.done) == (str(caught.value), "name", 0)


def test_other_threads_go_on(device: Device) -> None:
    """The interpreter's lock is free while a device works, and threads may share a key."""
    cipher, data = DeviceCipher(device, "serpent-128", bytes(16)), bytes(CHUNK)
    expected = abreast.Serpent(bytes(16)).encrypt_blocks(data)
    results: list[bool] = []
    threads = [
        threading.Thread(target=lambda: results.append(cipher.encrypt_blocks(data) == expected)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    steps = 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.001)
        steps += 1
    assert results == [True, True]
    # With the lock held for the whole of a call there would be a step for each call.
    assert device.kind != "CPU" or steps > 10


def test_a_device_that_is_late(device: Device) -> None:
    if device.kind != "CPU":
        pytest.skip("a GPU may be fast enough")
    buf = bytearray(range(256)) * (CHUNK // 256 + 1)
    before = bytes(buf)
    with pytest.raises(DeviceError) as caught:
        # Where it is late before the message, nothing of it is done.
        DeviceCipher(Device(device.name, time_limit=0.001), "serpent-128", bytes(16)).encrypt_blocks_into(buf, buf)
    assert caught.value.reason == "timed-out"
    assert buf[caught.value.done :] == before[caught.value.done :]
