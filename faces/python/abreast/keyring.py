"""Named keys for columns, each with its generations: the primary encrypts new values, and the retired ones still decrypt.

>>> import pyarrow as pa
>>> from abreast.arrow import decrypt_column, encrypt_column, reencrypt_column
>>> from abreast.keyring import Keyring
>>> ring = Keyring()
>>> ring.add("ids", bytes(range(64)), mode="siv", id=1)
>>> old = encrypt_column(pa.array(["ann", "bob"]), ring["ids"])
>>> old[0].as_py()[:5].hex()
'0100000001'
>>> ring.add("ids", bytes(range(64, 128)), mode="siv", id=2)
>>> ring
<Keyring ids: siv, primary 2, retired 1>
>>> new = reencrypt_column(old, ring["ids"])
>>> new[0].as_py()[:5].hex()
'0100000002'
>>> decrypt_column(pa.chunked_array([old, new]), ring["ids"], type=pa.string()).to_pylist()
['ann', 'bob', 'ann', 'bob']

A generation with a number (``id``) writes five bytes before each value, 1 and the number, as Tink does: they tell generations
apart, and are not authenticated. Without a number nothing comes before a value, and such generations are tried one after the
other. Tink opens the values with the same keys, and :meth:`Keyring.add_tink` reads Tink's keysets:

=============  =======================  ==============  ====================================  ===========================
mode           class                    key in bytes    after the prefix, a value becomes     equal values
=============  =======================  ==============  ====================================  ===========================
``gcm``        ``AESGCM``               16, 24, 32      nonce, ciphertext, tag                become different
``gcm-siv``    ``AESGCMSIV``            16, 32          nonce, ciphertext, tag                become different
``siv``        ``AESSIV``               32, 48, 64      tag, ciphertext                       become equal, so they join
=============  =======================  ==============  ====================================  ===========================

Tink itself has GCM with 16 and 32 bytes and SIV with 64. Nonces are random.

A ring holds prepared keys and no bytes of keys; a key is never shown, copied or pickled. Bytes that were passed as a
``bytearray``, and a ``bytearray`` that ``unwrap`` returned, are zeros afterwards; other objects of Python cannot be wiped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from . import _arguments, _tink
from ._abreast import AESGCM, AESGCMSIV, AESSIV, FileCipher, FileKey
from ._errors import UnknownKey
from .sealed import Key, SealedFile

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Generation",
    "KeyNotFound",
    "Keyring",
    "RingKey",
    "UnknownKey",
    "add_generation",
    "new_keyset",
    "save_keysets",
]

Mode = Literal["gcm", "gcm-siv", "siv"]
Prefix = Literal["tink", "crunchy", "raw"]
Path = str | os.PathLike[str]

_CLASSES: dict[str, type[AESGCM | AESGCMSIV | AESSIV]] = {"gcm": AESGCM, "gcm-siv": AESGCMSIV, "siv": AESSIV}


class KeyNotFound(LookupError):
    """A ring has no key of a name, or no generation of a number."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A key of a ring. ``prefix`` are the bytes before each of its values."""

    id: int | None
    mode: Mode
    prefix: bytes
    status: Literal["primary", "retired"]
    _key: AESGCM | AESGCMSIV | AESSIV = field(repr=False, compare=False)

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


class Keyring:
    """Keys by their names, as the module describes them."""

    def __init__(self) -> None:
        # The generations of each name, the primary first.
        self._keys: dict[str, list[Generation]] = {}

    @classmethod
    def load(cls, path: Path, key: Key | None = None, *, unwrap: Callable[[bytes], bytes] | None = None) -> Keyring:
        """Makes a ring of a file: an object of JSON with a keyset of Tink for each name.

        With ``key``, the key of a key file, the file is a sealed one, as :func:`save_keysets` writes it. ``unwrap`` opens the keysets
        if they are wrapped. The functions raise ValueError for a file of another form, and InvalidTag for a changed sealed one.
        """
        place = _arguments.path(path, "path")
        if key is None:
            with open(place, "rb") as file:
                text = file.read()
        else:
            with SealedFile(place, key) as sealed:
                text = sealed.read()
        ring = cls()
        for name, keyset in _tink.of_text(text, f"{place} is not a file of keysets").items():
            if not isinstance(keyset, str | dict):
                raise ValueError(f"{place} is not a file of keysets: the keyset {name!r} is not a JSON object")
            ring.add_tink(name, keyset, unwrap=unwrap)
        return ring

    def add(
        self,
        name: str,
        key: Buffer | AESGCM | AESGCMSIV | AESSIV,
        *,
        mode: Mode | None = None,
        id: int | None = None,
        prefix: Prefix | None = None,
        primary: bool = True,
    ) -> None:
        """Adds a key of a name, which becomes the primary unless ``primary`` is false; the primary so far is retired.

        ``key`` are the bytes of a key of ``mode``, or an object that has one. ``id`` is its number, of 32 bits, which its values
        begin with; without it they begin with nothing. ``prefix="crunchy"`` is Tink's other one, whose first byte is 0, and ``"raw"``
        none beside a number.
        """
        if isinstance(key, (AESGCM, AESGCMSIV, AESSIV)):
            found: Mode = "gcm" if isinstance(key, AESGCM) else "siv" if isinstance(key, AESSIV) else "gcm-siv"
            if mode not in (None, found):
                raise ValueError(f"mode is {mode!r}, and the key is of {found}")
            if not isinstance(key, AESSIV) and key.tag_length != 16:
                raise ValueError(f"the values of a column have tags of 16 bytes, and the key's have {key.tag_length}")
            mode, made = found, key
        else:
            _arguments.one_of(mode, "mode", _CLASSES)
            assert mode is not None
            try:
                made = _CLASSES[mode](key)
            finally:
                _wipe(key)
        id = _id(id)
        kind = ("raw" if id is None else "tink") if prefix is None else _arguments.one_of(prefix, "prefix", _PREFIXES)
        if id is None and kind != "raw":
            raise ValueError(f"the prefix {kind!r} has the number of the key; pass id")
        before = b"" if id is None else _tink.prefix_of(id, {"tink": 1, "crunchy": 4, "raw": 3}[kind])
        self._add(name, Generation(id, mode, before, "retired", made), _arguments.flag(primary, "primary"))

    def add_wrapped(
        self,
        name: str,
        wrapped: bytes,
        unwrap: Callable[[bytes], Buffer],
        *,
        mode: Mode,
        id: int | None = None,
        prefix: Prefix | None = None,
        primary: bool = True,
    ) -> None:
        """Adds a key that something else wrapped, such as a service for keys: ``unwrap`` returns its bytes.

        With AWS: ``unwrap=lambda blob: client.decrypt(CiphertextBlob=blob)["Plaintext"]``.
        """
        _arguments.function(unwrap, "unwrap", _UNWRAP)
        self.add(name, unwrap(wrapped), mode=mode, id=id, prefix=prefix, primary=primary)

    def add_tink(
        self,
        name: str,
        keyset: str | bytes | Mapping[str, Any],
        *,
        unwrap: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """Adds the keys of a keyset of Tink, as JSON or in its binary form; its primary becomes the primary.

        ``unwrap`` is for wrapped keysets, from their encrypted bytes to those of the keyset. The types are AesGcmKey, AesGcmSivKey and
        AesSivKey; disabled keys are left out. Raises ValueError for anything else, and then the ring is as it was.
        """
        if unwrap is not None:
            _arguments.function(unwrap, "unwrap", _UNWRAP)
        primary, entries = _tink.read(keyset, unwrap)
        before = {name: [*keys] for name, keys in self._keys.items()}
        try:
            for entry in entries:
                if entry.enabled:
                    try:
                        key = _CLASSES[entry.mode](entry.key)
                    except ValueError as error:
                        raise ValueError(f"key {entry.id}: {error}") from None
                    mode: Any = entry.mode
                    self._add(name, Generation(entry.id, mode, entry.prefix, "retired", key), entry.id == primary)
            if not any(entry.id == primary and entry.enabled for entry in entries):
                raise ValueError(f"the primary key {primary} of the keyset is not there, or disabled")
        except BaseException:
            self._keys = before
            raise
        finally:
            for entry in entries:
                _wipe(entry.key)

    def _add(self, name: str, made: Generation, primary: bool) -> None:
        _arguments.text(name, "the name of a key")
        keys = self._keys.get(name, [])
        if made.id is not None and any(key.id == made.id for key in keys):
            raise ValueError(f"{name!r} has a key of the number {made.id} already")
        self._keys[name] = _ordered([*keys, made], made if primary or not keys else keys[0])

    def set_primary(self, name: str, id: int | None) -> None:
        """Makes a generation the primary one, and retires the one that was."""
        self._keys[name] = _ordered(self._of(name), self._one(name, id))

    def remove(self, name: str, id: int | None = None) -> None:
        """Removes a retired generation. Its values open no more."""
        one = self._one(name, id)
        if one.status == "primary":
            raise ValueError(f"the primary key {id} of {name!r} cannot be removed; make another one the primary first")
        self._keys[name] = [key for key in self._of(name) if key is not one]

    def generations(self, name: str) -> list[Generation]:
        """Returns the generations of a name, the primary first."""
        return [*self._of(name)]

    def primary(self, name: str) -> Generation:
        """Returns the generation that encrypts new values."""
        return self._of(name)[0]

    def _of(self, name: str) -> list[Generation]:
        _arguments.text(name, "the name of a key")
        try:
            return self._keys[name]
        except KeyError:
            names = ", ".join(map(repr, self._keys)) or "none"
            raise KeyNotFound(f"the ring has no key {name!r}; it has {names}") from None

    def _one(self, name: str, id: int | None) -> Generation:
        id = _id(id)
        for key in self._of(name):
            if key.id == id:
                return key
        raise KeyNotFound(f"the key {name!r} has no generation {id}")

    def __getitem__(self, name: str) -> RingKey:
        """Returns a key for the functions of columns."""
        return self.of([name])

    def of(self, names: Iterable[str]) -> RingKey:
        """Returns several keys for the functions of columns, whose ``key_index`` has for each row the place of a name among these."""
        names = _arguments.names(names, "names", "ids")
        return RingKey(tuple(names), [[(key.prefix, key._key) for key in self._of(name)] for name in names])

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        names = []
        for name, keys in self._keys.items():
            retired = ", ".join(_name(key) for key in keys[1:])
            names.append(f" {name}: {keys[0].mode}, primary {_name(keys[0])}" + (f", retired {retired}" if retired else ""))
        return f"<Keyring{';'.join(names)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled; load the ring where it is used")


def _id(id: int | None) -> int | None:
    return None if id is None else _arguments.number(id, "id", most=(1 << 32) - 1)


def _name(key: Generation) -> str:
    return "without a number" if key.id is None else str(key.id)


def _ordered(keys: list[Generation], primary: Generation) -> list[Generation]:
    """Returns the generations with the primary first."""

    def with_status(key: Generation) -> Generation:
        return Generation(key.id, key.mode, key.prefix, "primary" if key is primary else "retired", key._key)

    rest = [with_status(key) for key in keys if key is not primary]
    return [with_status(primary), *rest]


def _wipe(key: object) -> None:
    """Overwrites bytes of a key where they can be."""
    if isinstance(key, bytearray):
        key[:] = bytes(len(key))


@dataclass(frozen=True, slots=True)
class RingKey:
    """One or several keys of a ring as they were, for ``encrypt``, ``decrypt`` and ``reencrypt`` of columns."""

    names: tuple[str, ...]
    _ring: list[list[tuple[bytes, object]]] = field(repr=False, compare=False)

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled")


_UNWRAP = "a function of wrapped bytes"
_PREFIXES = ("tink", "crunchy", "raw")
_SIZES = {"gcm": 32, "gcm-siv": 32, "siv": 64}


def new_keyset(mode: Mode = "gcm", *, prefix: Literal["tink", "raw", "crunchy"] = "tink") -> str:
    """Returns a keyset of Tink with one new key, as JSON in the clear: of 32 bytes for GCM and GCM-SIV, of 64 for SIV."""
    _arguments.one_of(mode, "mode", _SIZES)
    _arguments.one_of(prefix, "prefix", _PREFIXES)
    return json.dumps(_tink.with_new_key(None, mode, _SIZES[mode], prefix.upper()))


def add_generation(keyset: str, mode: Mode | None = None) -> str:
    """Returns a keyset in the clear with one more key, of the primary's mode unless another is named, which is the new primary."""
    primary, entries = _tink.read(_arguments.text(keyset, "keyset"), None)
    try:
        last = next((entry for entry in entries if entry.id == primary), None)
    finally:
        for entry in entries:
            _wipe(entry.key)
    if last is None:
        raise ValueError(f"the primary key {primary} of the keyset is not there")
    kind_of_key = _arguments.one_of(last.mode if mode is None else mode, "mode", _SIZES)
    kind = "RAW" if not last.prefix else "TINK" if last.prefix[0] else "CRUNCHY"
    return json.dumps(_tink.with_new_key(_tink.of_text(keyset), kind_of_key, _SIZES[kind_of_key], kind))


def save_keysets(keysets: Mapping[str, str], path: Path, key: Key) -> None:
    """Writes keysets, as JSON by their names, to a sealed file for :meth:`Keyring.load`, which must not exist yet."""
    table = _arguments.mapping(keysets, "keysets", "a mapping from names of keys to keysets")
    place = _arguments.path(path, "path")
    _arguments.instance(key, "key", Key, "a Key of abreast.sealed")
    texts = {_arguments.text(name, "the name of a key"): keyset for name, keyset in table.items()}
    message = json.dumps({name: _tink.of_text(_arguments.text(keyset, f"the keyset of {name!r}")) for name, keyset in texts.items()}).encode()
    file_key = FileKey.generate(key)
    sealed = FileCipher(file_key).seal_chunks(0, message, last=True)
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(file_key.header + sealed)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(place)
        raise
