"""Known answers through Python, on every kernel that this CPU has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import cases

import abreast
from abreast import legacy

BLOCK_CIPHERS = {"aes": abreast.AES, "serpent": abreast.Serpent}
GCM = {"aes": abreast.AESGCM, "serpent": abreast.SerpentGCM}
EAX = {"aes": abreast.AESEAX, "serpent": abreast.SerpentEAX}


def of(case: dict[str, str], field: str) -> bytes:
    return bytes.fromhex(case[field])


def cipher(name: str, key: bytes, kernel: str | None) -> abreast.BlockCipher:
    if name.startswith(("xtea", "tea")):
        made = {"xtea": abreast.XTEA, "tea": abreast.TEA}[name.removesuffix("-be")]
        return made(key, byteorder="big" if name.endswith("-be") else "little", kernel=kernel)
    return BLOCK_CIPHERS[name.split("-")[0]](key, kernel=kernel)


def each(name: str, default: str | None = None) -> list[object]:
    """Every case of a file with every kernel of its cipher."""
    all_kernels = abreast.kernels()
    made = []
    for case in cases(name):
        for kernel in all_kernels[case.get("Cipher", default or "")]:
            made.append(pytest.param(case, kernel, id=f"{case['Name']}, {kernel}"))
    return made


@pytest.mark.parametrize(("case", "kernel"), [*each("aes_gcm"), *each("generated_gcm")])
def test_gcm(case: dict[str, str], kernel: str) -> None:
    key = GCM[case["Cipher"].split("-")[0]](of(case, "Key"), tag_length=len(of(case, "Tag")), kernel=kernel)
    assert key.kernel == kernel
    aead(key, case)


@pytest.mark.parametrize(("case", "kernel"), each("eax"))
def test_eax(case: dict[str, str], kernel: str) -> None:
    tag_length = len(of(case, "Tag"))
    name = case["Cipher"].split("-")[0]
    if name in EAX:
        aead(EAX[name](of(case, "Key"), tag_length=tag_length, kernel=kernel), case)
    aead(abreast.EAX(cipher(case["Cipher"], of(case, "Key"), kernel), tag_length=tag_length), case)


def aead(key: abreast.StreamingAEAD, case: dict[str, str]) -> None:
    nonce, data, aad = of(case, "Nonce"), of(case, "Plaintext"), of(case, "AAD")
    sealed = of(case, "Ciphertext") + of(case, "Tag")
    assert key.encrypt(nonce, data, aad) == sealed
    assert key.decrypt(nonce, sealed, aad) == data
    buffer = bytearray(data) + bytearray(key.tag_length)
    view = memoryview(buffer)
    assert key.encrypt_into(nonce, view[: len(data)], aad, view) == len(sealed)
    assert buffer == sealed
    assert key.decrypt_into(nonce, view, aad, view) == len(data)
    assert buffer[: len(data)] == data
    encryptor, decryptor = key.encryptor(nonce, aad), key.decryptor(nonce, aad)
    half = len(data) // 2
    pieces = encryptor.update(data[:half]) + encryptor.update(data[half:]) + encryptor.finalize()
    assert pieces + encryptor.tag == sealed
    assert decryptor.update(pieces) + decryptor.finalize_with_tag(encryptor.tag) == data


def strings(text: str) -> list[bytes]:
    return [bytes.fromhex(part.strip("[]")) for part in text.split()]


@pytest.mark.parametrize("kernel", abreast.kernels()["aez"])
def test_aez(kernel: str) -> None:
    done = empty_keys = without_tags = 0
    for case in [*cases("aez"), *cases("generated_aez")]:
        tag_length = int(case["TagLength"])
        if tag_length > 32:
            continue
        key = abreast.AEZ(of(case, "Key"), tag_length=tag_length, kernel=kernel)
        aad, nonce = strings(case["AD"]), of(case, "Nonce")
        sealed = of(case, "Ciphertext")
        assert key.encrypt(nonce, of(case, "Plaintext"), aad) == sealed, case["Name"]
        assert key.decrypt(nonce, sealed, aad) == of(case, "Plaintext"), case["Name"]
        done += 1
        empty_keys += not of(case, "Key")
        without_tags += not tag_length
    assert done > 50 and empty_keys and without_tags


@pytest.mark.parametrize(("case", "kernel"), each("siv"))
def test_siv(case: dict[str, str], kernel: str) -> None:
    key, aad = abreast.AESSIV(of(case, "Key"), kernel=kernel), strings(case["AD"])
    assert key.kernel == kernel
    data, sealed = of(case, "Plaintext"), of(case, "Tag") + of(case, "Ciphertext")
    assert key.encrypt(data, aad) == sealed
    assert key.decrypt(sealed, aad) == data
    buffer = bytearray(len(sealed))
    assert key.encrypt_into(data, aad, buffer) == len(sealed)
    assert buffer == sealed
    opened = bytearray(len(data))
    assert key.decrypt_into(sealed, aad, opened) == len(data)
    assert opened == data
    with pytest.raises(abreast.InvalidTag):
        key.decrypt_into(sealed, [*aad, b"more"], opened)
    assert opened == bytes(len(data))


@pytest.mark.parametrize(
    ("mode", "name"),
    [(abreast.CBC, "cbc"), (abreast.CFB, "cfb"), (abreast.CFB8, "cfb8"), (abreast.OFB, "ofb")],
)
def test_modes_with_vectors(mode: Callable[[abreast.BlockCipher, bytes], abreast.Mode], name: str) -> None:
    all_kernels = abreast.kernels()
    for case in cases(name):
        for kernel in all_kernels[case["Cipher"]]:
            key = mode(cipher(case["Cipher"], of(case, "Key"), kernel), of(case, "IV"))
            both_ways(key, of(case, "Plaintext"), of(case, "Ciphertext"))


@pytest.mark.parametrize(("case", "kernel"), [*each("aes_ctr"), *each("generated_ctr")])
def test_ctr(case: dict[str, str], kernel: str) -> None:
    made = cipher(case["Cipher"], of(case, "Key"), kernel)
    key = abreast.CTR(made, of(case, "Counter"), counter_bits=int(case["Bits"]))
    both_ways(key, of(case, "Plaintext"), of(case, "Ciphertext"))
    stream = key.encryptor()
    half = len(of(case, "Plaintext")) // 2
    stream.seek(half)
    assert stream.tell() == half
    assert stream.update(of(case, "Plaintext")[half:]) == of(case, "Ciphertext")[half:]


def both_ways(key: abreast.Mode, plaintext: bytes, ciphertext: bytes) -> None:
    assert key.encrypt(plaintext) == ciphertext
    assert key.decrypt(ciphertext) == plaintext
    buffer = bytearray(plaintext)
    assert key.encrypt_into(buffer, buffer) == len(buffer)
    assert buffer == ciphertext
    assert key.decrypt_into(buffer, buffer) == len(buffer)
    assert buffer == plaintext
    encryptor, decryptor = key.encryptor(), key.decryptor()
    assert encryptor.update(plaintext) + encryptor.finalize() == ciphertext
    assert decryptor.update(ciphertext) + decryptor.finalize() == plaintext


@pytest.mark.parametrize(("case", "kernel"), each("ecb"))
def test_blocks(case: dict[str, str], kernel: str) -> None:
    made = cipher(case["Cipher"], of(case, "Key"), kernel)
    assert (made.name, made.kernel) == (case["Cipher"], kernel)
    assert made.encrypt_blocks(of(case, "Plaintext")) == of(case, "Ciphertext")
    assert made.decrypt_blocks(of(case, "Ciphertext")) == of(case, "Plaintext")
    assert abreast.ecb_many(made, [of(case, "Plaintext")]) == [of(case, "Ciphertext")]


@pytest.mark.parametrize("case", cases("xtea_blocks"), ids=lambda case: case["Name"])
def test_xtea(case: dict[str, str]) -> None:
    for kernel in abreast.kernels()["xtea"]:
        byteorder = "big" if case["Words"] == "big" else "little"
        key = abreast.XTEA(of(case, "Key"), byteorder=byteorder, cycles=int(case["Cycles"]), kernel=kernel)
        assert key.encrypt_blocks(of(case, "Plaintext")) == of(case, "Ciphertext")
        assert key.decrypt_blocks(of(case, "Ciphertext")) == of(case, "Plaintext")


@pytest.mark.parametrize(("case", "kernel"), each("cmac"))
def test_cmac(case: dict[str, str], kernel: str) -> None:
    made = cipher(case["Cipher"], of(case, "Key"), kernel)
    message, tag = of(case, "Message"), of(case, "Tag")
    mac = abreast.CMAC(made, tag_length=len(tag))
    mac.update(message[:5])
    mac.update(message[5:])
    assert mac.finalize() == tag
    again = abreast.CMAC(made, tag_length=len(tag))
    again.update(message)
    again.verify(tag)
    wrong = abreast.CMAC(made, tag_length=len(tag))
    wrong.update(message + b"x")
    with pytest.raises(abreast.InvalidSignature):
        wrong.verify(tag)


@pytest.mark.parametrize(("case", "kernel"), each("xts"))
def test_xts(case: dict[str, str], kernel: str) -> None:
    key = of(case, "Key")
    halves = [cipher(case["Cipher"], half, kernel) for half in (key[: len(key) // 2], key[len(key) // 2 :])]
    if key[: len(key) // 2] == key[len(key) // 2 :]:
        with pytest.raises(ValueError, match="same"):
            abreast.XTS(*halves)
        return
    xts, number = abreast.XTS(*halves), int.from_bytes(of(case, "IV"), "little")
    assert xts.encrypt(number, of(case, "Plaintext")) == of(case, "Ciphertext")
    assert xts.decrypt(number, of(case, "Ciphertext")) == of(case, "Plaintext")


@pytest.mark.parametrize(("case", "kernel"), each("hctr2"))
def test_hctr2(case: dict[str, str], kernel: str) -> None:
    hctr2 = abreast.HCTR2(cipher(case["Cipher"], of(case, "Key"), kernel))
    plain, tweak, sealed = (of(case, name) for name in ("Plaintext", "IV", "Ciphertext"))
    assert hctr2.encrypt(plain, tweak) == sealed
    assert hctr2.decrypt(sealed, tweak) == plain
    by_bytes = abreast.HCTR2(of(case, "Key"))
    assert by_bytes.encrypt_many([plain, b"." * 16], [tweak, b""])[0] == sealed
    assert by_bytes.decrypt_many((sealed,), iter([tweak])) == [plain]
    buffer = bytearray(plain)
    assert hctr2.encrypt_into(buffer, tweak, buffer) == len(plain) and buffer == sealed
    assert hctr2.decrypt_into(buffer, tweak, buffer) == len(plain) and buffer == plain


@pytest.mark.parametrize("kernel", abreast.kernels()["aes-256"])
def test_hctr2_wherever_its_key_is(kernel: str) -> None:
    keys = [abreast.HCTR2(abreast.AES(bytes(32), kernel=kernel)) for _ in range(60)]
    message, tweak = bytes(1500), bytes(700)
    sealed = {key.encrypt(message, tweak) for key in keys}
    assert len(sealed) == 1
    assert {key.decrypt(sealed.copy().pop(), tweak) for key in keys} == {message}
    assert {tuple(key.encrypt_many([message] * 3, [tweak] * 3)) for key in keys} == {tuple(sealed) * 3}


def test_hctr2_refuses() -> None:
    hctr2 = abreast.HCTR2(bytes(32))
    for call in (hctr2.encrypt, hctr2.decrypt):
        with pytest.raises(ValueError, match="the message has 15 bytes; HCTR2 takes 16 or more"):
            call(b"fifteen bytes..", b"tweak")
    with pytest.raises(ValueError, match="message 1: the message has 15 bytes; HCTR2 takes 16 or more"):
        hctr2.encrypt_many([bytes(16), bytes(15)], [b"", b""])
    with pytest.raises(ValueError, match="2 messages and 1 tweak;"):
        hctr2.encrypt_many([bytes(16)] * 2, [b""])
    with pytest.raises(ValueError, match="aes has 16, 24 or 32 bytes, and this one has 31"):
        abreast.HCTR2(bytes(31))
    with pytest.raises(ValueError, match="blocks of this size"):
        abreast.HCTR2(abreast.XTEA(bytes(16)))
    with pytest.raises(TypeError):
        abreast.HCTR2("text")  # type: ignore[arg-type]
    room = memoryview(bytearray(64))
    for call in (hctr2.encrypt_into, hctr2.decrypt_into):
        with pytest.raises(ValueError, match="overlaps the tweak"):
            call(room[:16], room[20:40], room[32:48])


def test_rc4() -> None:
    for case in cases("rc4"):
        rc4 = legacy.RC4(of(case, "Key"))
        rc4.skip(int(case["Offset"]))
        assert rc4.update(of(case, "Plaintext")) == of(case, "Ciphertext"), case["Name"]
        offset = int(case["Offset"])
        if offset <= 1 << 16:
            several = legacy.rc4_many([of(case, "Key")] * 3, [of(case, "Plaintext")] * 3, skip=offset)
            assert several == [of(case, "Ciphertext")] * 3, case["Name"]
