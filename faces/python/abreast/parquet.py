"""Parquet modular encryption (``AES_GCM_V1``, ``AES_GCM_CTR_V1``): files of Parquet, encrypted and decrypted as they are.

Pages are not decoded: a file that pyarrow or another writer made is encrypted in one pass, and readers of the format read it.

>>> import os, tempfile, pyarrow, pyarrow.parquet as pq, pyarrow.parquet.encryption as pe
>>> from abreast.parquet import decrypt, encrypt, inspect
>>> os.chdir(tempfile.mkdtemp())
>>> pq.write_table(pyarrow.table({"id": [1, 2, 3], "name": ["a", "b", "c"]}), "plain.parquet")
>>> key = os.urandom(32)
>>> encrypt("plain.parquet", "secret.parquet", footer_key=key)
>>> pq.read_table("secret.parquet", decryption_properties=pe.create_decryption_properties(key))["name"].to_pylist()
['a', 'b', 'c']
>>> inspect("secret.parquet").algorithm
'AES_GCM_V1'
>>> decrypt("secret.parquet", "back.parquet", keys=key)
>>> pq.read_table("back.parquet")["id"].to_pylist()
[1, 2, 3]

Columns can have keys of their own, and the others are in clear then:

>>> column_key = os.urandom(16)
>>> encrypt("plain.parquet", "name.parquet", footer_key=key, column_keys={"name": column_key}, plaintext_footer=True)
>>> decrypt("name.parquet", "names.parquet", keys={None: key, "name": column_key})

Keys wrapped by a key service, as pyarrow and parquet-java store them, are those of ``KeyTools``, over an object with the methods of
``pyarrow.parquet.encryption.KmsClient``.
"""

from __future__ import annotations

import base64
import os
from array import array
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from . import columns
from . import _arguments
from ._abreast import KeyTools, decrypt_parquet, encrypt_parquet, inspect_parquet, rewrap_parquet
from ._errors import InvalidTag, MissingKey
from ._extras import require
from ._publish import refuse_same

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .keyring import Keyring

__all__ = ["Encryption", "InvalidTag", "KeyTools", "MissingKey", "decrypt", "encrypt", "inspect", "kms_client", "rewrap"]

Path: TypeAlias = str | os.PathLike[str]
Algorithm: TypeAlias = Literal["AES_GCM_V1", "AES_GCM_CTR_V1"]


class Encryption(NamedTuple):
    """The encryption of a file, which everybody can see."""

    algorithm: Algorithm
    encrypted_footer: bool
    aad_prefix: bytes | None
    """The AAD prefix, if the file stores it."""
    aad_file_unique: bytes
    supply_aad_prefix: bool
    """True if readers must give the AAD prefix."""
    footer_key_metadata: bytes | None


def _with_metadata(key: Buffer | tuple[Buffer, Buffer]) -> tuple[Buffer, Buffer | None]:
    if isinstance(key, tuple) and len(key) != 2:
        raise ValueError(f"a key that is a tuple has two parts, the key and its metadata, and not {len(key)}")
    return key if isinstance(key, tuple) else (key, None)


def _source_and_target(source: Path, target: Path) -> tuple[str, str]:
    """Returns two paths, unless they are of one file."""
    names = _arguments.path(source, "source"), _arguments.path(target, "target")
    refuse_same(*names)
    return names


def encrypt(
    source: Path,
    target: Path,
    *,
    footer_key: Buffer | tuple[Buffer, Buffer],
    column_keys: Mapping[str, Buffer | tuple[Buffer, Buffer]] | None = None,
    algorithm: Algorithm = "AES_GCM_V1",
    plaintext_footer: bool = False,
    aad_prefix: Buffer | None = None,
    store_aad_prefix: bool = True,
    replace: bool = False,
) -> None:
    """Encrypts a file in clear.

    A key has 16, 24 or 32 bytes, or is a tuple of a key and the metadata that the file stores for readers to find it by. Without
    ``column_keys`` the footer's key encrypts all columns; with them, columns that have none stay in clear. A path joins the names of
    nested columns by dots, and stands for all columns below it. With ``plaintext_footer`` the footer is in clear and signed. An
    ``aad_prefix`` that is not stored has to be given by readers.

    ``target`` appears complete or not at all, and must not exist unless ``replace`` is true.
    """
    names = _source_and_target(source, target)
    key, metadata = _with_metadata(footer_key)
    table = _arguments.mapping({} if column_keys is None else column_keys, "column_keys", "a mapping from paths of columns to keys")
    columns = [(_arguments.text(path, "the path of a column"), *_with_metadata(key)) for path, key in table.items()]
    encrypt_parquet(
        *names, key, metadata, columns, algorithm, plaintext_footer, aad_prefix, store_aad_prefix, replace
    )


Keys: TypeAlias = "Buffer | Mapping[Any, Buffer] | Callable[[bytes | None, str | None], Buffer | None]"


def _key_of(keys: Keys) -> Callable[[bytes | None, str | None], Buffer | None]:
    if callable(keys):
        return keys
    if not isinstance(keys, Mapping):
        key = keys
        return lambda metadata, column: key if column is None else None
    table = keys

    def key_of(metadata: bytes | None, column: str | None) -> Buffer | None:
        if column is None:
            found = table.get(None)
        else:
            path, found = column, table.get(column)
            while found is None and "." in path:
                path = path.rpartition(".")[0]
                found = table.get(path)
        return table.get(metadata) if found is None and metadata is not None else found

    return key_of


def decrypt(
    source: Path,
    target: Path,
    *,
    keys: Keys,
    aad_prefix: Buffer | None = None,
    empty_aad: bool = False,
    replace: bool = False,
) -> None:
    """Decrypts an encrypted file, all of it, or raises InvalidTag, MissingKey or ValueError.

    ``keys`` is the key of the footer and of columns that have none of their own; or a mapping to keys from paths of columns, from the
    metadata of keys (bytes), and from None for the footer; or a function of metadata and column, such as KeyTools. ``aad_prefix`` is
    required if the file does not store it, and compared if it does. With ``empty_aad`` files are read whose writer left the associated
    data empty, as DuckDB does: modules that were moved or come from another file are not found out in them.

    ``target`` appears complete or not at all, and must not exist unless ``replace`` is true.
    """
    decrypt_parquet(*_source_and_target(source, target), _key_of(keys), aad_prefix, empty_aad, replace)


def rewrap(
    source: Path,
    target: Path,
    *,
    keys: Keys,
    wrap: Callable[[bytes], Buffer],
    aad_prefix: Buffer | None = None,
    empty_aad: bool = False,
    replace: bool = False,
) -> None:
    """Copies an encrypted file with other metadata of its keys, which stay what they are.

    ``wrap`` returns the new metadata for the old one, as ``KeyTools.rewrap`` does after a master key has changed. Data is copied as it
    is, so that ``keys`` need to have the key of the footer only.
    """
    _arguments.function(wrap, "wrap", "a function of the old metadata")
    rewrap_parquet(*_source_and_target(source, target), _key_of(keys), wrap, aad_prefix, empty_aad, replace)


def inspect(source: Path) -> Encryption | None:
    """Returns the encryption of a file, or None if it is in clear. No key is needed."""
    seen = inspect_parquet(_arguments.path(source, "source"))
    return None if seen is None else Encryption(*seen)


def kms_client(keyring: Keyring) -> Any:
    """Returns a ``KmsClient`` of PyArrow over a ring, whose master keys are the keys of the ring by their names.

    >>> import pyarrow, pyarrow.parquet as pq, pyarrow.parquet.encryption as pe
    >>> from abreast.keyring import Keyring
    >>> ring = Keyring()
    >>> ring.add("master", bytes(range(32)), mode="gcm", id=1)
    >>> factory = pe.CryptoFactory(lambda config: kms_client(ring))
    >>> wanted = pe.EncryptionConfiguration(footer_key="master", uniform_encryption=True)
    >>> properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), wanted)
    >>> pq.write_table(pyarrow.table({"id": [1, 2]}), "kms.parquet", encryption_properties=properties)
    >>> decrypt("kms.parquet", "plain.parquet", keys=KeyTools(kms_client(ring)), replace=True)

    ``CryptoFactory`` and :class:`KeyTools` take it. The primary generation wraps, bound to the name of the key, and each
    generation that the ring still has unwraps. Wrapped keys are text in base64.
    """
    from .keyring import Keyring

    client = _kms_class()()
    client.ring = _arguments.instance(keyring, "keyring", Keyring, "a Keyring")
    return client


def _kms_class() -> type[Any]:
    """Returns the class of clients, which is made when PyArrow is asked for."""
    base: Any = require("pyarrow.parquet.encryption", "arrow").KmsClient
    found: type[Any] = _KMS_CLASSES.setdefault(base, type("KeyringKms", (base,), {"wrap_key": _wrap_key, "unwrap_key": _unwrap_key}))
    return found


_KMS_CLASSES: dict[Any, type[Any]] = {}


def _wrap_key(self: Any, key_bytes: Buffer, master_key_identifier: str) -> bytes:
    key = bytes(key_bytes)
    one = columns.Values(array("i", [0, len(key)]), key)
    made = columns.encrypt(self.ring[master_key_identifier], one, associated_data=_bound_to(master_key_identifier))
    return base64.b64encode(made.data)


def _unwrap_key(self: Any, wrapped_key: str | bytes, master_key_identifier: str) -> bytes:
    try:
        wrapped = base64.b64decode(wrapped_key, validate=True)
    except ValueError:
        raise ValueError(f"the key wrapped by {master_key_identifier!r} is not base64") from None
    one = columns.Values(array("i", [0, len(wrapped)]), wrapped)
    return columns.decrypt(self.ring[master_key_identifier], one, associated_data=_bound_to(master_key_identifier)).data


def _bound_to(master_key_identifier: str) -> bytes:
    return b"abreast.parquet master key " + master_key_identifier.encode()
