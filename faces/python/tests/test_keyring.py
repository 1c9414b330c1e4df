"""Rings of keys: generations, rotation, keysets of Tink, files of keysets and services that wrap keys."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import log_uniform
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PycaGCM
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV as PycaGCMSIV
from cryptography.hazmat.primitives.ciphers.aead import AESSIV as PycaSIV

import abreast
from abreast import columns
from abreast.arrow import decrypt_column, encrypt_column, reencrypt_column
from abreast.columns import Values
from abreast.keyring import (
    Keyring,
    KeyNotFound,
    UnknownKey,
    add_generation,
    new_keyset,
    save_keysets,
)
from abreast.sealed import Key

TINK = json.loads((Path(__file__).parent / "data" / "tink.json").read_text())
SIZES = {"gcm": [16, 24, 32], "gcm-siv": [16, 32], "siv": [32, 48, 64]}
# 127 to 129 are where a window of the library ends.
COUNTS = [0, 1, 2, 127, 128, 129, 700]


def rows_of(rng: random.Random, count: int) -> list[bytes | None]:
    return [None if rng.random() < 0.1 else rng.randbytes(log_uniform(rng, 300)) for _ in range(count)]


def by_pyca(mode: str, key: bytes, value: bytes, aad: bytes) -> bytes:
    if mode == "siv":
        return PycaSIV(key).decrypt(value, [aad])
    one = PycaGCM(key) if mode == "gcm" else PycaGCMSIV(key)
    return one.decrypt(value[:12], value[12:], aad)


def by_hand(mode: str, key: bytes, value: bytes, aad: bytes, rng: random.Random) -> bytes:
    if mode == "siv":
        return abreast.AESSIV(key).encrypt(value, [aad])
    nonce = rng.randbytes(12)
    one: Any = abreast.AESGCM(key) if mode == "gcm" else abreast.AESGCMSIV(key)
    return nonce + one.encrypt(nonce, value, aad)


@pytest.mark.parametrize("mode", SIZES)
@pytest.mark.parametrize("prefix", ["tink", "crunchy", "raw", None])
@pytest.mark.parametrize("count", COUNTS)
def test_values_are_those_of_pyca_after_the_prefix(mode: Any, prefix: Any, count: int, rng: random.Random) -> None:
    key, id = rng.randbytes(rng.choice(SIZES[mode])), rng.randrange(1 << 32)
    ring = Keyring()
    ring.add("a", key, mode=mode, id=None if prefix is None else id, prefix=prefix)
    rows, first = rows_of(rng, count), {"tink": b"\1", "crunchy": b"\0"}.get(prefix)
    before = b"" if first is None else first + id.to_bytes(4, "big")
    sealed = encrypt_column(pa.array(rows, pa.binary()), ring["a"], associated_data=b"users.name")
    sealed.validate(full=True)
    for value, row in zip(sealed.to_pylist(), rows, strict=True):
        if row is None or value is None:
            assert row is value
            continue
        assert value.startswith(before)
        if row:
            # pyca refuses empty messages of some modes.
            assert by_pyca(mode, key, value[len(before) :], b"users.name") == row
    assert decrypt_column(sealed, ring["a"], associated_data=b"users.name").to_pylist() == rows


@pytest.mark.parametrize("count", COUNTS)
def test_generations_side_by_side(count: int, rng: random.Random) -> None:
    """Values of every generation in one column, with and without numbers, of all modes, as pyca makes them by hand."""
    ring, made = Keyring(), []
    for number in range(7):
        mode: Any = rng.choice(list(SIZES))
        key = rng.randbytes(rng.choice(SIZES[mode]))
        id = None if number in (2, 5) else rng.randrange(1 << 32)
        ring.add("a", key, mode=mode, id=id, primary=rng.random() < 0.5)
        made.append((mode, key, b"" if id is None else b"\1" + id.to_bytes(4, "big")))
    rows, strings = rows_of(rng, count), [rng.randbytes(log_uniform(rng, 30)) for _ in range(count)]
    values: list[bytes | None] = []
    for row, aad in zip(rows, strings, strict=True):
        mode, key, prefix = rng.choice(made)
        values.append(None if row is None else prefix + by_hand(mode, key, row, aad, rng))
    column, aads = pa.array(values, pa.binary()), pa.array(strings, pa.binary())
    assert decrypt_column(column, ring["a"], associated_data=aads).to_pylist() == rows
    start = rng.randint(0, count)
    part = decrypt_column(column[start:], ring["a"], associated_data=aads[start:])
    assert part.to_pylist() == rows[start:]
    # All of the primary, once and again.
    new = reencrypt_column(column, ring["a"], associated_data=aads)
    before = ring.primary("a").prefix
    assert all(value is None or value.startswith(before) for value in new.to_pylist())
    assert [value is None for value in new.to_pylist()] == [row is None for row in rows]
    assert decrypt_column(new, ring["a"], associated_data=aads).to_pylist() == rows
    if before:
        assert reencrypt_column(new, ring["a"], associated_data=aads).equals(new)
    # One that is not authentic, wherever it is.
    present = [at for at, value in enumerate(values) if value is not None]
    if present:
        bad = rng.choice(present)
        damaged = [*values]
        damaged[bad] = bytes([*damaged[bad][:-1], damaged[bad][-1] ^ 1])  # type: ignore[index]
        # Rotation does not look at the tags of those that stay.
        stays = bool(before) and damaged[bad].startswith(before)  # type: ignore[union-attr]
        for call in (decrypt_column,) if stays else (decrypt_column, reencrypt_column):
            with pytest.raises(abreast.InvalidTag) as caught:
                call(pa.array(damaged, pa.binary()), ring["a"], associated_data=aads)
            assert caught.value.rows == [bad]
        opened = decrypt_column(pa.array(damaged, pa.binary()), ring["a"], associated_data=aads, invalid="null")
        assert opened.to_pylist() == [None if at == bad else row for at, row in enumerate(rows)]


def test_half_is_new_already(rng: random.Random) -> None:
    ring = Keyring()
    ring.add("a", bytes(64), mode="siv", id=1)
    old = encrypt_column(pa.array(rows_of(rng, 1000), pa.binary()), ring["a"])
    ring.add("a", bytes(range(32)), mode="gcm", id=2)
    half = reencrypt_column(old[:500], ring["a"])
    both = pa.chunked_array([half, old[500:]])
    new = reencrypt_column(both, ring["a"])
    # Those of GCM would have other nonces.
    assert new.chunk(0).equals(half) and not new.chunk(1).equals(old[500:])
    offsets = memoryview(half.buffers()[1]).cast("i")
    values = Values(offsets, memoryview(half.buffers()[2]), memoryview(half.buffers()[0]))
    made, kept = columns.reencrypt(ring["a"], values)
    assert (kept, made.data) == (500 - half.null_count, bytes(half.buffers()[2]))
    # With other associated data nothing is kept, and the old is refused.
    moved = reencrypt_column(new, ring["a"], to_associated_data=b"moved")
    plain = decrypt_column(moved, ring["a"], associated_data=b"moved")
    assert plain.to_pylist() == decrypt_column(old, ring["a"]).to_pylist()
    with pytest.raises(abreast.InvalidTag):
        decrypt_column(moved, ring["a"])
    # To another key.
    ring.add("b", bytes(32), mode="gcm-siv")
    other = reencrypt_column(new, ring["a"], to=ring["b"])
    assert decrypt_column(other, ring["b"]).to_pylist() == plain.to_pylist()
    assert {len(a) + 28 - 33 - len(b) for a, b in zip(new.to_pylist(), other.to_pylist(), strict=True) if a} == {0}


@pytest.mark.parametrize("mode", SIZES)
def test_a_key_for_each_row(mode: Any, rng: random.Random) -> None:
    ring, keys = Keyring(), {}
    for tenant in range(40):
        name = f"tenant {tenant}"
        keys[name] = rng.randbytes(max(SIZES[mode]))
        ring.add(name, rng.randbytes(max(SIZES[mode])), mode=mode, id=7)
        ring.add(name, keys[name], mode=mode, id=9)
    names, rows = list(ring), rows_of(rng, 1000)
    index = [rng.randrange(40) for _ in rows]
    sealed = encrypt_column(pa.array(rows, pa.binary()), ring.of(names), key_index=index)
    for value, row, at in zip(sealed.to_pylist(), rows, index, strict=True):
        if row and value:
            assert value[:5] == b"\1\0\0\0\x09" and by_pyca(mode, keys[names[at]], value[5:], b"") == row
    assert decrypt_column(sealed, ring.of(names), key_index=index).to_pylist() == rows
    chunked = pa.chunked_array([sealed[:333], sealed[333:]])
    assert decrypt_column(chunked, ring.of(names), key_index=index).to_pylist() == rows
    for name in names:
        ring.set_primary(name, 7)
    new = reencrypt_column(chunked, ring.of(names), key_index=index)
    assert {value[:5] for value in new.to_pylist() if value} == {b"\1\0\0\0\x07"}
    assert decrypt_column(new, ring.of(names), key_index=index).to_pylist() == rows
    # Under the keys of others, nothing but nulls opens.
    other = [(at + 1) % 40 for at in index]
    with pytest.raises(abreast.InvalidTag) as caught:
        decrypt_column(sealed, ring.of(names), key_index=other)
    assert caught.value.rows == [at for at, row in enumerate(rows) if row is not None]
    # Keys without a ring.
    many = [getattr(abreast, {"siv": "AESSIV", "gcm": "AESGCM", "gcm-siv": "AESGCMSIV"}[mode])(key) for key in keys.values()]
    plain = encrypt_column(pa.array(rows, pa.binary()), many, key_index=index)
    assert decrypt_column(plain, many, key_index=index).to_pylist() == rows
    if mode == "siv":
        assert [value and value[5:] for value in sealed.to_pylist()] == plain.to_pylist()


def test_keysets_of_tink(rng: random.Random) -> None:
    wrapping = Keyring()
    wrapping.add_tink("kms", TINK["wrapping key"])

    def unwrap(blob: bytes) -> bytes:
        return decrypt_column([blob], wrapping["kms"], associated_data=b"a ring")[0].as_py()  # type: ignore[no-any-return]

    count = 0
    for keyset in TINK["keysets"]:
        ring = Keyring()
        ring.add_tink("json", keyset["json"])
        ring.add_tink("text", json.dumps(keyset["json"]))
        ring.add_tink("binary", base64.b64decode(keyset["binary"]))
        ring.add_tink("wrapped json", keyset["wrapped_json"], unwrap=unwrap)
        ring.add_tink("wrapped text", json.dumps(keyset["wrapped_json"]).encode(), unwrap=unwrap)
        ring.add_tink("wrapped binary", base64.b64decode(keyset["wrapped_binary"]), unwrap=unwrap)
        sealed, data, aads = (
            pa.array([base64.b64decode(value[part]) for value in keyset["values"]], pa.binary())
            for part in ("sealed", "data", "associated_data")
        )
        count += len(sealed)
        for name in ring:
            assert ring.primary(name).id == keyset["json"]["primaryKeyId"]
            assert len(ring.generations(name)) == 3
            assert decrypt_column(sealed, ring[name], associated_data=aads).equals(data)
            if ring.primary(name).mode == "siv":
                # The values that Tink made with the last generation are those that the ring makes.
                last = len(sealed) * 2 // 3
                again = encrypt_column(data[last:], ring[name], associated_data=aads[last:])
                assert again.equals(sealed[last:])
    assert count == sum(len(keyset["values"]) for keyset in TINK["keysets"]) >= 100


def test_keysets_that_are_none(rng: random.Random) -> None:
    keyset = next(one for one in TINK["keysets"] if one["template"] == "AES256_GCM")
    binary = base64.b64decode(keyset["binary"])
    ring = Keyring()
    ring.add_tink("here", binary)
    before = repr(ring)
    for _ in range(3000):
        cut = bytearray(binary[: rng.randint(0, len(binary))])
        for _ in range(rng.randint(0, 3)):
            if cut:
                cut[rng.randrange(len(cut))] = rng.randrange(256)
        try:
            ring.add_tink(f"new {rng.random()}", bytes(cut))
        except ValueError:
            continue
    for name in [name for name in ring if name != "here"]:
        del ring._keys[name]
    assert repr(ring) == before
    bad: list[tuple[Any, str]] = [
        ("{}", "primaryKeyId|key is missing"),
        ("[]", "it is not a JSON object"),
        ('{"key": [], "primaryKeyId": 3}', "primary key 3"),
        ('{"key": [7], "primaryKeyId": 3}', "not one of Tink"),
        ('{"key": [], "key": [], "primaryKeyId": 3}', "twice"),
        (keyset["wrapped_json"], "is wrapped; pass unwrap"),
        (3, "not int"),
    ]
    for change, says in (
        ({"keyId": 1 << 32}, "of 32 bits"),
        ({"outputPrefixType": "NEW"}, "unknown kind of prefix"),
        ({"keyData": {"typeUrl": "type.googleapis.com/google.crypto.tink.AesEaxKey", "value": ""}}, "'AesEaxKey'"),
        ({"keyData": {"typeUrl": "type.googleapis.com/google.crypto.tink.AesGcmKey", "value": "GgEA"}}, "key [0-9]+: "),
    ):
        other = copy.deepcopy(keyset["json"])
        other["key"][0] |= change
        bad.append((other, says))
    for text, says in bad:
        with pytest.raises((ValueError, TypeError), match=says):
            ring.add_tink("new", text)
        assert repr(ring) == before
    with pytest.raises(ValueError, match="is in the clear"):
        ring.add_tink("new", keyset["json"], unwrap=bytes)
    disabled = copy.deepcopy(keyset["json"])
    disabled["key"][0]["status"] = "DISABLED"
    ring.add_tink("new", disabled)
    assert len(ring.generations("new")) == 2
    first = pa.array([base64.b64decode(keyset["values"][0]["sealed"])])
    with pytest.raises(UnknownKey) as caught:
        decrypt_column(first, ring["new"])
    assert (caught.value.rows, caught.value.ids) == ([0], [disabled["key"][0]["keyId"]])


def test_unknown_keys(rng: random.Random) -> None:
    ring, other = Keyring(), Keyring()
    ring.add("a", bytes(64), mode="siv", id=5)
    other.add("a", bytes(64), mode="siv", id=6)
    values = pa.array([b"x", None, b"y", b"z"])
    mine, theirs = encrypt_column(values, ring["a"]), encrypt_column(values, other["a"])
    mixed = pa.chunked_array([mine, theirs, mine, theirs])
    for call in (decrypt_column, reencrypt_column):
        with pytest.raises(UnknownKey, match="row 4 and 5 more name keys that the ring does not have: 6") as caught:
            call(mixed, ring["a"])
        assert (caught.value.rows, caught.value.ids) == ([4, 6, 7, 12, 14, 15], [6])
    opened = decrypt_column(mixed, ring["a"], invalid="null").to_pylist()
    assert opened == [*values.to_pylist(), *[None] * 4] * 2
    for short in (b"", b"\1", b"\1\0\0\0", b"hello, world"):
        with pytest.raises(abreast.InvalidTag, match="row 0 is not authentic") as refused:
            decrypt_column(pa.array([short]), ring["a"])
        assert not isinstance(refused.value, UnknownKey)
    for short in (b"\1\0\0\0\5", b"\1\0\0\0\5" + bytes(15)):
        with pytest.raises(abreast.InvalidTag, match="row 0 is not authentic"):
            decrypt_column(pa.array([short]), ring["a"])


def test_files_of_keysets(tmp_path: Path) -> None:
    one = new_keyset("siv")
    two = add_generation(one)
    raw = add_generation(new_keyset("gcm", prefix="raw"), "gcm-siv")
    (tmp_path / "clear.json").write_text(json.dumps({"ids": json.loads(two), "raw": json.loads(raw)}))
    key = Key.generate()
    save_keysets({"ids": two, "raw": raw}, tmp_path / "ring.sealed", key)
    with pytest.raises(FileExistsError):
        save_keysets({}, tmp_path / "ring.sealed", key)
    assert (tmp_path / "ring.sealed").stat().st_mode & 0o077 == 0
    old = Keyring()
    old.add_tink("ids", one)
    sealed = encrypt_column(pa.array([b"a value"]), old["ids"])
    for ring in (Keyring.load(tmp_path / "clear.json"), Keyring.load(tmp_path / "ring.sealed", key)):
        assert [key.mode for key in ring.generations("ids")] == ["siv", "siv"]
        assert {key.prefix for key in ring.generations("raw")} == {b""}
        assert [key.mode for key in ring.generations("raw")] == ["gcm-siv", "gcm"]
        assert decrypt_column(sealed, ring["ids"]).to_pylist() == [b"a value"]
        assert ring.primary("ids").id != old.primary("ids").id
    with pytest.raises(abreast.InvalidTag):
        Keyring.load(tmp_path / "ring.sealed", Key.generate())
    with pytest.raises(ValueError, match=r"clear.json|ring.sealed"):
        Keyring.load(tmp_path / "ring.sealed")


def test_a_service_for_keys() -> None:
    boto3 = pytest.importorskip("boto3")
    moto = pytest.importorskip("moto")
    with moto.mock_aws():
        login = {"aws_access_key_id": "nobody", "aws_secret_access_key": "nothing", "region_name": "eu-west-1"}
        client = boto3.client("kms", **login)
        name = client.create_key()["KeyMetadata"]["KeyId"]
        context = {"ring": "ids"}
        data = client.generate_data_key(KeyId=name, NumberOfBytes=64, EncryptionContext=context)

        def unwrap(blob: bytes) -> bytes:
            return client.decrypt(CiphertextBlob=blob, EncryptionContext=context)["Plaintext"]  # type: ignore[no-any-return]

        ring = Keyring()
        ring.add_wrapped("ids", data["CiphertextBlob"], unwrap, mode="siv", id=1)
        sealed = encrypt_column(pa.array([b"a value"]), ring["ids"])
        assert PycaSIV(data["Plaintext"]).decrypt(sealed[0].as_py()[5:], [b""]) == b"a value"
        # The same for a whole keyset.
        keyset = next(one for one in TINK["keysets"] if one["template"] == "AES256_SIV")
        blob = client.encrypt(KeyId=name, Plaintext=base64.b64decode(keyset["binary"]), EncryptionContext=context)
        wrapped = {"encryptedKeyset": base64.b64encode(blob["CiphertextBlob"]).decode()}
        ring.add_tink("tink", wrapped, unwrap=unwrap)
        assert len(ring.generations("tink")) == 3


def test_nothing_shows_keys() -> None:
    key = bytearray(range(64))
    ring = Keyring()
    ring.add("ids", key, mode="siv", id=3)
    assert key == bytearray(64)
    wrapped = bytearray(range(32))
    ring.add_wrapped("more", b"wrapped", lambda _: wrapped, mode="gcm")
    assert wrapped == bytearray(32)
    assert repr(ring) == "<Keyring ids: siv, primary 3; more: gcm, primary without a number>"
    shown = repr(ring) + repr(ring["ids"]) + repr(ring.generations("ids")) + str(vars(ring))
    assert "0, 1, 2" not in shown and "\\x01\\x02" not in shown and "AESSIV(" not in shown
    for what in (ring, ring["ids"], ring.primary("ids")):
        for copier in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="pickled"):
                copier(what)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda ring: ring["b"], KeyNotFound, "no key 'b'; it has 'a'"),
        (lambda ring: Keyring()["b"], KeyNotFound, "it has none"),
        (lambda ring: ring.of("a"), TypeError, "names are several names, such as .*, and not str"),
        (lambda ring: ring.add("a", bytes(32)), ValueError, "mode is 'gcm', 'gcm-siv' or 'siv', and not None"),
        (lambda ring: ring.add("a", bytes(31), mode="gcm"), ValueError, "31"),
        (lambda ring: ring.add("a", bytes(32), mode="gcm", id=5), ValueError, "number 5 already"),
        (lambda ring: ring.add("a", bytes(32), mode="gcm", id=1 << 32), ValueError, "id is at most 4294967295"),
        (lambda ring: ring.add("a", bytes(32), mode="gcm", prefix="tink"), ValueError, "pass id"),
        (lambda ring: ring.add("a", bytes(32), mode="gcm", id=6, prefix="new"), ValueError, "not 'new'"),
        (lambda ring: ring.add("a", "text", mode="gcm", id=6), TypeError, "not str"),
        (lambda ring: ring.add(7, bytes(32), mode="gcm", id=6), TypeError, "is a str, and not int"),
        (lambda ring: ring.add("a", abreast.AESGCM(bytes(16)), mode="siv"), ValueError, "the key is of gcm"),
        (lambda ring: ring.add("a", abreast.AESGCM(bytes(16), tag_length=12)), ValueError, "have 12"),
        (lambda ring: ring.set_primary("a", 9), KeyNotFound, "no generation 9"),
        (lambda ring: ring.remove("a", 5), ValueError, "primary key 5 of 'a' cannot be removed"),
        (lambda ring: encrypt_column([b""], ring["a"], nonces=bytes(12)), ValueError, "leave out nonces"),
        (lambda ring: encrypt_column([b""], ring.of(["a", "a"])), ValueError, "there are 2 keys; pass key_index"),
        (lambda ring: encrypt_column([b""], ring.of([]), key_index=[0]), ValueError, "no key for row 0"),
        (lambda ring: encrypt_column([b""], ring["a"], key_index=[1]), ValueError, "no key for row 0"),
        (lambda ring: decrypt_column([b""], ring["a"], key_index=[1]), ValueError, "no key for row 0"),
        (lambda ring: reencrypt_column([b""], abreast.AESSIV(bytes(32))), TypeError, "key is a key of a ring, such as .*, and not "),
        (lambda ring: encrypt_column([b""], [abreast.AESGCM(bytes(16)), abreast.AESSIV(bytes(32))]), TypeError, "of one mode, and key 1 is not"),
        (lambda ring: new_keyset("ctr"), ValueError, "not 'ctr'"),
        (lambda ring: new_keyset(prefix="ctr"), ValueError, "not 'ctr'"),
    ],
)
def test_what_does_not_fit(call: Any, error: type[Exception], says: str) -> None:
    ring = Keyring()
    ring.add("a", bytes(64), mode="siv", id=5)
    with pytest.raises(error, match=says):
        call(ring)


def test_generations_come_and_go() -> None:
    ring = Keyring()
    ring.add("a", abreast.AESSIV(bytes(32)), id=1)
    ring.add("a", bytes(32), mode="gcm", id=2, primary=False)
    assert repr(ring) == "<Keyring a: siv, primary 1, retired 2>"
    ring.set_primary("a", 2)
    assert [(key.id, key.status) for key in ring.generations("a")] == [(2, "primary"), (1, "retired")]
    ring.remove("a", 1)
    assert (len(ring), list(ring), "a" in ring, "b" in ring) == (1, ["a"], True, False)
    assert len(ring.generations("a")) == 1


def any_json(rng: random.Random) -> Any:
    """A value of JSON that a field may have by mistake."""
    return rng.choice(
        [None, True, False, 0, 1, -1, 2, 3, 1.5, 1.0, 2**32 - 1, 2**32, 2**70, "", "a", "ENABLED", "TINK", "=", "AAAA", "Gh", [], [1], {}, {"key": 1}]
    )


def damaged(value: Any, rng: random.Random) -> Any:
    """A value of JSON with one place in it that is missing, there twice, or another."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return any_json(rng)
    if isinstance(value, dict):
        name = rng.choice(list(value))
        rest = {one: other for one, other in value.items() if one != name}
        return rest if rng.random() < 0.2 else {**rest, name: damaged(value[name], rng)}
    at = rng.randrange(len(value))
    if rng.random() < 0.2:
        return [*value[:at], *value[at + 1 :], *rng.choice([[], [value[at]] * 2])]
    return [*value[:at], damaged(value[at], rng), *value[at + 1 :]]


@pytest.mark.parametrize("text", ["garbage", "", "{", "[]", "1", '"text"', "null", "{}", '{"key": []}', "[" * 100_000, '{"a":' * 100_000, "\0", "9" * 5000])
def test_text_that_is_no_keyset(text: str, tmp_path: Path) -> None:
    """A ValueError with one plain sentence, and no other class that is one."""
    ring, path = Keyring(), tmp_path / "ring"
    path.write_text(text)
    calls = [
        lambda: ring.add_tink("x", text),
        lambda: add_generation(text),
        lambda: ring.add_tink("x", "{" + text.encode(errors="replace").decode()),
        lambda: ring.add_tink("x", b"{\xff" + text.encode()),
    ]
    if text not in ("{}", '{"key": []}'):
        calls += [lambda: save_keysets({"x": text}, tmp_path / "new", Key.generate()), lambda: Keyring.load(path)]
    for call in calls:
        with pytest.raises(ValueError, match="keyset") as caught:
            call()
        assert caught.type is ValueError and "\n" not in str(caught.value) and len(str(caught.value)) < 300
    assert len(ring) == 0 and not (tmp_path / "new").exists()
    for keyset in ([], 1, None, True):
        path.write_text(json.dumps({"x": keyset}))
        with pytest.raises(ValueError, match="the keyset 'x' is not a JSON object"):
            Keyring.load(path)


def test_mutated_keysets(rng: random.Random, tmp_path: Path) -> None:
    """Whatever is changed in a keyset, it is taken, or refused with a ValueError and a ring that is as it was."""
    refused = 0
    for turn in range(3000):
        keyset = TINK["keysets"][turn % len(TINK["keysets"])]
        whole, binary = keyset["json"], base64.b64decode(keyset["binary"])
        given: Any
        if turn % 3 == 0:
            given = damaged(whole, rng)
        elif turn % 3 == 1:
            letters = [*json.dumps(whole)]
            for _ in range(rng.randint(1, 3)):
                letters[rng.randrange(len(letters))] = rng.choice('{}[]",:truefalsn0189.-eE=/+ \\\0')
            given = "".join(letters)
        else:
            changed = bytearray(binary)
            for _ in range(rng.randint(1, 3)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            given = bytes(changed[: rng.randint(1, len(changed))] if rng.random() < 0.3 else changed)
        if turn % 3 == 0 and (not isinstance(given, dict) or rng.random() < 0.5):
            given = json.dumps(given)
        ring = Keyring()
        ring.add("x", bytes(32), mode="siv", id=1)
        before = ring.generations("x")
        try:
            ring.add_tink("x", given)
        except ValueError as error:
            refused += 1
            assert type(error) is ValueError and "\n" not in str(error) and len(str(error)) < 300, given
            assert ring.generations("x") == before
    assert refused > 1000
