"""The promises of the stubs, and arguments with which each callable of the module works: tests draw their cases from both."""

from __future__ import annotations

import ast
import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import abreast
from abreast import _abreast
from abreast.cgo import Client, Relay
from abreast.columns import AESGCMKeys, XTEAKeys
from abreast.devices import Device, DeviceCipher, DeviceXTS
from abreast.esp import Association
from abreast.keywrap import aes_key_wrap, aes_key_wrap_many, aes_key_wrap_with_padding
from abreast.legacy import RC4
from abreast.parquet import KeyTools
from abreast.quic import PacketKeys
from abreast.sealed import FileCipher, FileKey, Key, Plan
from abreast.srtp import Session, protect_many

STUBS = Path(__file__).resolve().parents[1] / "abreast" / "_abreast.pyi"


def constant(source: str, name: str) -> int:
    """A constant of the module that decides a path, which is ``number << number`` there."""
    text = (STUBS.parents[1] / "src" / source).read_text()
    found = re.search(rf"const {name}: usize = (\d+) << (\d+);", text)
    assert found is not None, name
    return int(found[1]) << int(found[2])


@dataclass
class Promise:
    """A callable of the stubs: the annotations of its parameters, joined from all overloads."""

    owner: str | None
    name: str
    parameters: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name if self.owner is None else f"{self.owner}.{self.name}"

    def of(self, part: str) -> list[str]:
        """The parameters whose annotations have a part."""
        return [name for name, annotation in self.parameters.items() if part in annotation]


def promises() -> list[Promise]:
    """Every public function and method of the stubs; methods of base classes once for each subclass."""
    tree = ast.parse(STUBS.read_text())
    found: dict[str, Promise] = {}
    bases: dict[str, list[str]] = {}
    methods: dict[str, list[ast.FunctionDef]] = {}

    def add(owner: str | None, function: ast.FunctionDef) -> None:
        promise = found.setdefault(f"{owner}.{function.name}", Promise(owner, function.name))
        for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]:
            if argument.annotation is not None:
                old = promise.parameters.get(argument.arg, "")
                promise.parameters[argument.arg] = f"{old} | {ast.unparse(argument.annotation)}"

    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            add(None, node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases[node.name] = [ast.unparse(base) for base in node.bases]
            methods[node.name] = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    for owner in methods:
        if owner not in OBJECTS:
            continue
        line, todo = set(), [owner]
        while todo:
            name = todo.pop()
            todo += bases.get(name, [])
            for function in methods.get(name, []):
                if function.name not in line and (function.name == "__new__" or not function.name.startswith("__")):
                    line.add(function.name)
                    add(owner, function)
    return list(found.values())


@cache
def device() -> Device:
    """A device, whose kernels are compiled once."""
    return Device()


KEY = bytes(range(16))


def key_of(_metadata: bytes | None, _column: str | None) -> bytes:
    """A source of keys that has one."""
    return KEY


class Service:
    """A key service that hides nothing."""

    def wrap_key(self, key: bytes, _master: str, /) -> str:
        return key.hex()

    def unwrap_key(self, wrapped: str, _master: str, /) -> bytes:
        return bytes.fromhex(wrapped)


_file_key = Key(bytes(32))
_plan = Plan(16)
_session = Session("aes-128-gcm", KEY, bytes(12))
_ring = [[(b"\1\0\0\0\1", abreast.AESSIV(bytes(32)))]]
_made = _abreast.ring_column(_ring, (array("i", [0, 3]), b"abc", None, 0, None), b"sent in clear", None, False, False)
_packets = [bytes.fromhex("80000001000000000000000a") + KEY[:size] for size in (0, 7, 16)]

_association = Association("aes-gcm", 7, bytes(20))
_keys = PacketKeys(KEY, bytes(12), KEY)
_headers = [b"\x41id\0" + bytes([number]) for number in range(3)]

# An object of each class that can be made, new for each call: some end with it.
OBJECTS: dict[str, Callable[[], Any]] = {
    "AES": lambda: abreast.AES(KEY),
    "Serpent": lambda: abreast.Serpent(KEY),
    "XTEA": lambda: abreast.XTEA(KEY),
    "TEA": lambda: abreast.TEA(KEY),
    "AESGCM": lambda: abreast.AESGCM(KEY),
    "SerpentGCM": lambda: abreast.SerpentGCM(KEY),
    "AESEAX": lambda: abreast.AESEAX(KEY),
    "SerpentEAX": lambda: abreast.SerpentEAX(KEY),
    "EAX": lambda: abreast.EAX(abreast.AES(KEY)),
    "AEZ": lambda: abreast.AEZ(KEY),
    "AESSIV": lambda: abreast.AESSIV(bytes(32)),
    "AESGCMKeys": lambda: AESGCMKeys(KEY, key_size=16),
    "XTEAKeys": lambda: XTEAKeys(KEY),
    "AEADContext": lambda: abreast.AESGCM(KEY).encryptor(bytes(12)),
    "CTR": lambda: abreast.CTR(abreast.AES(KEY), KEY),
    "CBC": lambda: abreast.CBC(abreast.AES(KEY), KEY),
    "CFB": lambda: abreast.CFB(abreast.AES(KEY), KEY),
    "CFB8": lambda: abreast.CFB8(abreast.AES(KEY), KEY),
    "OFB": lambda: abreast.OFB(abreast.AES(KEY), KEY),
    "CipherContext": lambda: abreast.CTR(abreast.AES(KEY), KEY).encryptor(),
    "XTS": lambda: abreast.XTS(abreast.AES(KEY), abreast.AES(bytes(16))),
    "HCTR2": lambda: abreast.HCTR2(KEY),
    "CMAC": lambda: abreast.CMAC(abreast.AES(KEY)),
    "HMAC": lambda: abreast.HMAC(KEY, "sha256"),
    "RC4": lambda: RC4(KEY),
    "Session": lambda: _session,
    "Association": lambda: _association,
    "PacketKeys": lambda: _keys,
    "Relay": lambda: Relay(bytes(180)),
    "Client": lambda: Client([bytes(180)]),
    "Device": lambda: device(),
    "DeviceCipher": lambda: DeviceCipher(device(), "aes-128", KEY),
    "DeviceXTS": lambda: DeviceXTS(device(), "aes-128", KEY, bytes(16)),
    "KeyTools": lambda: KeyTools(Service(), double_wrapping=False),
    "Key": lambda: _file_key,
    "FileKey": lambda: FileKey.of_plan(_file_key, _plan),
    "FileCipher": lambda: FileCipher(FileKey.of_plan(_file_key, _plan)),
    "Plan": lambda: _plan,
    "Part": lambda: _plan[0],
}

# The classes that are named after a mode of the library's table, in which a key of AES has the lengths that it has there.
MODE_CLASSES = {f"AES{mode.replace('-', '').upper()}": (mode, lengths) for mode, lengths in _abreast._AEAD_MODES}
MODE_CLASSES = {name: row for name, row in MODE_CLASSES.items() if hasattr(abreast, name)}


def _of_mode(name: str) -> Callable[[], Any]:
    return lambda: getattr(abreast, name)(bytes(MODE_CLASSES[name][1][0]))


OBJECTS |= {name: _of_mode(name) for name in MODE_CLASSES if name not in OBJECTS}

# Arguments that are right by their names, and where they are not, by the callable's name before them.
ARGUMENTS: dict[str, Any] = {
    "key": KEY,
    "tweak_key": bytes(16),
    "raw": KEY,
    "key_size": 16,
    "iv": KEY,
    "counter_block": KEY,
    "nonce": bytes(12),
    "data": bytes(range(48)),
    "associated_data": b"sent in clear",
    "cipher": abreast.AES(KEY),
    "tweak_cipher": abreast.AES(bytes(16)),
    "number": 3,
    "position": 5,
    "bytes": 5,
    "tag": bytes(16),
    "AESSIV.__new__.key": bytes(range(32)),
    "AESSIV.associated_data": [b"sent", b"in clear"],
    "seal_many.keys": [abreast.AESGCM(KEY)] * 3,
    "open_many.keys": [abreast.AESGCM(KEY)] * 3,
    "open_many.associated_data": [b"a", b"b", b""],
    "open_many.messages": abreast.seal_many(
        abreast.AESGCM(KEY), bytes(12) + b"\1" * 12 + b"\2" * 12, [bytes(16), bytes(range(32)), KEY], [b"a", b"b", b""]
    ),
    "nonces": [bytes([n] * 12) for n in range(3)],
    "messages": [bytes(16), bytes(range(32)), KEY],
    "seal_many.associated_data": [b"a", b"b", b""],
    "padding": False,
    "tweak": bytes(16),
    "tweaks": [b"", bytes(3), KEY],
    "wrapping_key": KEY,
    "key_to_wrap": bytes(16),
    "aes_key_unwrap.wrapped_key": aes_key_wrap(KEY, bytes(16)),
    "aes_key_unwrap_with_padding.wrapped_key": aes_key_wrap_with_padding(KEY, b"key"),
    "wrapping_keys": [KEY] * 3,
    "keys_to_wrap": [bytes(16), bytes(range(32)), KEY],
    "wrapped_keys": aes_key_wrap_many(KEY, [bytes(16), bytes(range(32)), KEY]),
    "ecb_many.keys": [abreast.AES(KEY)] * 3,
    "hash": "sha256",
    "hmac_many.keys": [KEY] * 3,
    "xtea_many.keys": [abreast.XTEA(KEY)] * 3,
    "Device.xtea_many.keys": KEY * 3,
    "Device.rc4_many.keys": [KEY] * 3,
    "rc4_many.keys": [KEY] * 3,
    "Device.xtea_try_keys.keys": KEY * 3,
    "Device.rc4_try_keys.keys": [KEY] * 3,
    "profile": "aes-128-gcm",
    "master_key": KEY,
    "master_salt": bytes(12),
    "packet": _packets[1],
    "Session.unprotect.packet": _session.protect(_packets[1], 0),
    "Session.unprotect_rtcp.packet": _session.protect_rtcp(_packets[1], 1),
    "Session.rtcp_index.packet": _session.protect_rtcp(_packets[1], 1),
    "rollovers": 0,
    "index": 1,
    "encrypted": True,
    "sessions": [_session] * 3,
    "packets": _packets,
    "unprotect_many.packets": protect_many(_session, _packets, [0, 1, 2], rtcp=[False, True, False]),
    "numbers": [0, 1, 2],
    "rtcp": [False, True, False],
    "suite": "aes-gcm",
    "spi": 7,
    "Association.__new__.key": bytes(20),
    "authentication_key": b"",
    "extended": True,
    "Association.seal.iv": bytes(8),
    "Association.open.packet": _association.seal(KEY, 1),
    "upper": 0,
    "associations": [_association] * 3,
    "texts": [b"", bytes(7), KEY],
    "sequences": [1, 2, 3],
    "ivs": [bytes(8), bytes([1] * 8), bytes([2] * 8)],
    "esp_open_many.packets": [_association.seal(text, 1) for text in (b"", bytes(7), KEY)],
    "uppers": [0, 1, 2],
    "PacketKeys.__new__.iv": bytes(12),
    "PacketKeys.updated.iv": bytes(12),
    "header_key": KEY,
    "PacketKeys.seal.header": _headers[1],
    "payload": KEY,
    "PacketKeys.open.packet": _keys.seal(_headers[1], KEY, 1),
    "number_at": 3,
    "expected": 1,
    "sample": KEY,
    "quic_seal_many.keys": [_keys] * 3,
    "headers": _headers,
    "payloads": [bytes(2), bytes(7), KEY],
    "quic_open_many.keys": [_keys] * 3,
    "quic_open_many.packets": [_keys.seal(header, KEY, number) for number, header in enumerate(_headers)],
    "numbers_at": [3, 3, 3],
    "quic_open_many.expected": [0, 1, 2],
    "sent": 7,
    "length": 2,
    "highest": 1,
    "sequence": 2,
    "Relay.__new__.keys": bytes(180),
    "Client.__new__.keys": [bytes(180), bytes(range(180))],
    "Client.add_hop.keys": bytes(180),
    "hop": 0,
    "cell": bytes(509),
    "Client.backward.cell": Relay(bytes(180)).originate(bytes(509))[0],
    "command": 3,
    "cells": [bytes(509), bytes([1] * 509), bytes([2] * 509)],
    "commands": [3, 3, 9],
    "ciphertext": bytes(16),
    "text": b"text",
    "mask": b"\x0f\xff\xff\xff",
    "DeviceCipher.cipher": "aes-128",
    "DeviceXTS.cipher": "aes-128",
    "Key.__new__.key": bytes(range(32)),
    "line": _file_key.to_line(),
    "generate.key": _file_key,
    "of_plan.key": _file_key,
    "from_header.key": _file_key,
    "plan": _plan,
    "FileKey.from_header.header": FileKey.of_plan(_file_key, _plan).header,
    "Plan.of_sealed.header": FileKey.of_plan(_file_key, _plan).header,
    "sealed_len": _plan.sealed_len,
    "secret": FileKey.of_plan(_file_key, _plan).to_bytes(),
    "FileCipher.__new__.key": FileKey.of_plan(_file_key, _plan),
    "first_chunk": 0,
    "share": 1,
    "shares": 1,
    "last": True,
    "part": _plan[0],
    "seal_part.data": bytes(16),
    "to": FileCipher(FileKey.of_plan(_file_key, _plan)),
    "message_len": 16,
    "salt": bytes(_plan.salt or b""),
    "format": "cobblestone",
    "ags1.key": bytes(range(24)),
    "from_key_metadata.metadata": bytes([1, 32, *range(16), 0, 2, 72]),
    "sealed_length": None,
    "start": FileKey.of_plan(_file_key, _plan).header,
    "passphrase": b"twelve words",
    "source": "no such file",
    "target": "nor this",
    "seal_path.key": None,
    "open_path.key": None,
    "aead": "aes-256-gcm",
    "threads": 1,
    "replace": False,
    "kms_client": Service(),
    "material": b"{}",
    "master_key_id": "a master key",
    "footer": False,
    "KeyTools.metadata": KeyTools(Service()).new_key("a master key")[1],
    "double_wrapping": True,
    "column_keys": [("name", KEY, None)],
    "footer_key": KEY,
    "footer_key_metadata": b"the key's",
    "algorithm": "AES_GCM_V1",
    "plaintext_footer": False,
    "aad_prefix": b"a prefix",
    "store_aad_prefix": True,
    "empty_aad": False,
    "key_of": key_of,
    "wrap": bytes,
    "column.key": abreast.AESSIV(bytes(32)),
    "values": (memoryview(bytes(8)).cast("i"), b"", None, 0, None),
    "column.nonces": b"",
    "key_index": None,
    "ring": _ring,
    "ring_reencrypt.to": _ring,
    "ring_reencrypt.values": (memoryview(_made[0]).cast("i"), _made[1], None, 0, None),
    "to_associated_data": b"sent in clear too",
    "keep": False,
    "opening": False,
    "to_null": False,
}


def argument(promise: Promise, name: str) -> Any:
    """A right argument; a buffer for a result is a new one, and so are circuits, which go on with each cell."""
    if name == "device":
        return device()
    if name == "buf":
        return bytearray(96)
    if name == "relays":
        return [Relay(bytes([number] * 180)) for number in range(3)]
    for place in (f"{promise}.{name}", f"{promise.owner}.{name}", f"{promise.name}.{name}", name):
        if place in ARGUMENTS:
            return ARGUMENTS[place]
    raise AssertionError(f"tests/stubs.py has no argument {name} for {promise}")


def call(promise: Promise, **changed: Any) -> Any:
    """Calls it on a new object, with right arguments for all parameters except the changed ones."""
    from abreast import _abreast

    arguments = {name: argument(promise, name) for name in promise.parameters if needed(promise, name)} | changed
    if promise.owner is None:
        return getattr(_abreast, promise.name)(**arguments)
    if promise.name == "__new__":
        return getattr(_abreast, promise.owner)(**arguments)
    return getattr(OBJECTS[promise.owner](), promise.name)(**arguments)


def needed(promise: Promise, name: str) -> bool:
    """True if a call passes it: those with a default that are no bytes are left out."""
    return name not in (
        "kernel", "tag_length", "byteorder", "cycles", "counter_bits", "unit_size", "bit_length", "decrypt", "invalid",
        "min_part", "max_parts", "preferred_part", "skip", "cache", "time_limit", "name", "size",
    )
