"""Keysets of Tink: read from JSON and from the bytes of its protocol buffers, and written as JSON.

The messages are those of Tink's ``tink.proto``, ``aes_gcm.proto``, ``aes_gcm_siv.proto`` and ``aes_siv.proto``; the bytes before
a value are those of Tink's page "wire format": 1 and the number of the key in four bytes, the highest first.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._arguments import flat

_URL = "type.googleapis.com/google.crypto.tink."

# The mode of a type, and the field in which it has its bytes.
_TYPES = {"AesGcmKey": ("gcm", 3), "AesGcmSivKey": ("gcm-siv", 3), "AesSivKey": ("siv", 2)}

# The numbers of names, as JSON has either.
_STATUS = {"ENABLED": 1, "DISABLED": 2, "DESTROYED": 3}
_PREFIX = {"TINK": 1, "LEGACY": 2, "RAW": 3, "CRUNCHY": 4}

# The first of the bytes before a value, where there are any.
_FIRST = {1: 1, 2: 0, 4: 0}


@dataclass
class Entry:
    """A key of a keyset."""

    id: int
    mode: str
    prefix: bytes
    enabled: bool
    key: bytearray = field(repr=False)


def prefix_of(id: int, kind: int) -> bytes:
    """Returns the bytes before the values of a key."""
    return bytes([_FIRST[kind]]) + id.to_bytes(4, "big") if kind in _FIRST else b""


def read(keyset: str | bytes | Mapping[str, Any], unwrap: Callable[[bytes], bytes] | None) -> tuple[int, list[Entry]]:
    """Returns the number of the primary, and the keys of a keyset, which is wrapped if there is something that unwraps it."""
    if isinstance(keyset, (bytes, bytearray, memoryview)) and bytes(keyset[:1]).strip() in (b"", b"{"):
        keyset = of_text(bytes(keyset))
    if isinstance(keyset, str):
        keyset = of_text(keyset)
    if isinstance(keyset, Mapping):
        return _of_json(keyset, unwrap)
    if not isinstance(keyset, (bytes, bytearray, memoryview)):
        raise TypeError(f"a keyset is text, bytes or a mapping, and not {type(keyset).__name__}")
    if unwrap is None:
        return _of_message(memoryview(keyset))
    found = [value for number, value in _fields(memoryview(keyset)) if number == 2]
    if not found or not isinstance(found[-1], memoryview):
        raise ValueError("the keyset has no wrapped keys; without unwrap it is read as one in the clear")
    return _of_message(flat(unwrap(bytes(found[-1]))))


def of_text(text: str | bytes, refusal: str = "the text is no keyset") -> dict[str, Any]:
    """The object of a text of JSON; ValueError that begins with a refusal if it is none."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError(f"{refusal}: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{refusal}: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{refusal}: it is not a JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the same name is there twice in an object of JSON")
    return found


def _get(message: Mapping[str, Any], name: str) -> Any:
    """Returns a field by its name in JSON or in the protocol buffer."""
    if not isinstance(message, Mapping):
        raise ValueError(f"the keyset is not one of Tink: an object has to have the field {name}")
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    value = message.get(name, message.get(snake))
    if value is None:
        raise ValueError(f"the keyset is not one of Tink: the field {name} is missing")
    return value


def _bytes(text: Any) -> bytes:
    if not isinstance(text, str):
        raise ValueError("the keyset is not one of Tink: bytes are in Base64")
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except ValueError:
        raise ValueError("the keyset is not one of Tink: bytes are in Base64") from None


def _number(value: Any, names: Mapping[str, int]) -> int:
    return names.get(value, 0) if isinstance(value, str) else value if isinstance(value, int) else 0


def _of_json(keyset: Mapping[str, Any], unwrap: Callable[[bytes], bytes] | None) -> tuple[int, list[Entry]]:
    wrapped = "encryptedKeyset" in keyset or "encrypted_keyset" in keyset
    if wrapped and unwrap is None:
        raise ValueError("the keyset is wrapped; pass unwrap, a function from its bytes to those of the keyset")
    if unwrap is not None:
        if not wrapped:
            raise ValueError("the keyset is in the clear; leave out unwrap")
        return _of_message(flat(unwrap(_bytes(_get(keyset, "encryptedKeyset")))))
    keys = _get(keyset, "key")
    if not isinstance(keys, list):
        raise ValueError("the keyset is not one of Tink: its keys are a list")
    entries = [
        _entry(
            str(_get(_get(one, "keyData"), "typeUrl")),
            memoryview(_bytes(_get(_get(one, "keyData"), "value"))),
            _number(_get(one, "status"), _STATUS),
            _get(one, "keyId"),
            _number(_get(one, "outputPrefixType"), _PREFIX),
        )
        for one in keys
    ]
    return _id(_get(keyset, "primaryKeyId")), entries


def _id(value: Any) -> int:
    """The number of a key."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"the number of a key is one of 32 bits, and not of type {type(value).__name__}")
    if not 0 <= value < 1 << 32:
        raise ValueError(f"the number of a key is one of 32 bits, and not {value}")
    return value


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: numbers, and pieces of bytes."""
    at, end = 0, len(message)

    def number() -> int:
        nonlocal at
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            at += 1
            value |= (message[at - 1] & 0x7F) << shift
            if message[at - 1] < 0x80:
                return value
        raise ValueError("the keyset is not one of Tink: a number is cut")

    while at < end:
        tag = number()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, number()
            continue
        if kind not in (1, 2, 5):
            raise ValueError("the keyset is not one of Tink: a field is of an unknown kind")
        size = {1: 8, 5: 4}[kind] if kind != 2 else number()
        if size > end - at:
            raise ValueError("the keyset is not one of Tink: a field is cut")
        at += size
        yield tag >> 3, message[at - size : at]


def _of_message(message: memoryview) -> tuple[int, list[Entry]]:
    primary, entries = 0, []
    for number, value in _fields(message):
        if number == 1 and isinstance(value, int):
            primary = value
        if number == 2 and isinstance(value, memoryview):
            entries.append(_of_key(value))
    return primary, entries


def _of_key(message: memoryview) -> Entry:
    url, value, numbers = "", memoryview(b""), {2: 0, 3: 0, 4: 0}
    for number, part in _fields(message):
        if number == 1 and isinstance(part, memoryview):
            for inner, data in _fields(part):
                if inner == 1 and isinstance(data, memoryview):
                    url = bytes(data).decode(errors="replace")
                if inner == 2 and isinstance(data, memoryview):
                    value = data
        elif number in numbers and isinstance(part, int):
            numbers[number] = part
    return _entry(url, value, *numbers.values())


def _entry(url: str, value: memoryview, status: int, id: Any, prefix: int) -> Entry:
    id = _id(id)
    known = _TYPES.get(url.removeprefix(_URL))
    if known is None or not url.startswith(_URL):
        kinds = ", ".join(_TYPES)
        raise ValueError(f"key {id} is of type {url.removeprefix(_URL)!r}, and those that are read are {kinds}")
    if prefix not in _PREFIX.values():
        raise ValueError(f"key {id} has the unknown kind of prefix {prefix}")
    if status not in _STATUS.values():
        raise ValueError(f"key {id} has the unknown status {status}")
    mode, place = known
    key = bytearray()
    for number, part in _fields(value):
        if number == 1 and part != 0:
            raise ValueError(f"key {id} is of version {part}, and the one that is known is 0")
        if number == place and isinstance(part, memoryview):
            key[:] = part
    return Entry(id, mode, prefix_of(id, prefix), status == 1, key)


def _write(id: int, mode: str, key: bytes, prefix: str) -> dict[str, Any]:
    name, (_, place) = next((name, row) for name, row in _TYPES.items() if row[0] == mode)
    value = bytes([place << 3 | 2, len(key)]) + key
    data = {"typeUrl": _URL + name, "value": base64.b64encode(value).decode(), "keyMaterialType": "SYMMETRIC"}
    return {"keyData": data, "status": "ENABLED", "keyId": id, "outputPrefixType": prefix}


def with_new_key(keyset: Mapping[str, Any] | None, mode: str, size: int, prefix: str) -> dict[str, Any]:
    """Returns a keyset in JSON with one more key, which is the primary."""
    keys = [] if keyset is None else [*_get(keyset, "key")]
    taken = {_get(one, "keyId") for one in keys}
    id = secrets.randbelow(1 << 31) + (1 << 30)
    while id in taken:
        id = secrets.randbelow(1 << 31) + (1 << 30)
    return {"primaryKeyId": id, "key": [*keys, _write(id, mode, secrets.token_bytes(size), prefix)]}
