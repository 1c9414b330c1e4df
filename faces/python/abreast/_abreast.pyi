"""The compiled module. The package ``abreast`` and its modules have its names."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias, TypedDict, TypeVar, final, overload

from typing_extensions import Buffer, disjoint_base

from .columns import MadeValues, Values

_T = TypeVar("_T")

__all__ = [
    "_AEAD_MODES",
    "_Halt",
    "_aead_of",
    "_look",
    "AEAD",
    "AEADContext",
    "AES",
    "AESEAX",
    "AESGCM",
    "AESGCMKeys",
    "AESGCMSIV",
    "AESSIV",
    "AEZ",
    "Association",
    "BATCH_WINDOW",
    "BlockCipher",
    "CBC",
    "CELL",
    "CFB",
    "CFB8",
    "AGS1_BLOCK",
    "AGS1_SEALED_BLOCK",
    "CHUNK",
    "CMAC",
    "CTR",
    "CipherContext",
    "Client",
    "Device",
    "DeviceCipher",
    "DeviceXTS",
    "EAX",
    "FileCipher",
    "FileKey",
    "HCTR2",
    "HEADER",
    "HMAC",
    "Key",
    "KeyTools",
    "MAX_HEADER",
    "Mode",
    "OFB",
    "PacketKeys",
    "Part",
    "Plan",
    "RC4",
    "RELAY",
    "RELAY_EARLY",
    "Relay",
    "SEALED_CHUNK",
    "Serpent",
    "SerpentEAX",
    "SerpentGCM",
    "Session",
    "StreamingAEAD",
    "TEA",
    "XTEA",
    "XTEAKeys",
    "XTS",
    "__version__",
    "column",
    "device_rows",
    "aes_key_unwrap",
    "aes_key_unwrap_many",
    "aes_key_unwrap_with_padding",
    "aes_key_wrap",
    "aes_key_wrap_many",
    "aes_key_wrap_with_padding",
    "backward_many",
    "decrypt_parquet",
    "ecb_many",
    "encrypt_parquet",
    "esp_open_many",
    "esp_seal_many",
    "estimated_index",
    "forward_many",
    "full_number",
    "hmac_many",
    "inspect_parquet",
    "kernels",
    "message_len",
    "open_many",
    "open_path",
    "originate_many",
    "protect_many",
    "quic_open_many",
    "quic_seal_many",
    "rc4_many",
    "rewrap_parquet",
    "ring_column",
    "ring_reencrypt",
    "seal_many",
    "seal_path",
    "unlock_passphrase",
    "unprotect_many",
    "xtea_many",
]

__version__: Final[str]

_Byteorder: TypeAlias = Literal["little", "big"]

class _KmsClient(Protocol):
    """A key service, as those of pyarrow."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str, /) -> str | bytes: ...
    def unwrap_key(self, wrapped_key: str, master_key_identifier: str, /) -> Buffer: ...

class _WritableBuffer(Protocol):
    """A buffer that results can be written to: unlike bytes, its items can be set."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __setitem__(self, key: Any, value: Any, /) -> Any: ...

@disjoint_base
class BlockCipher:
    @property
    def name(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def block_size(self) -> int: ...
    def encrypt_blocks(self, data: Buffer) -> bytes: ...
    def decrypt_blocks(self, data: Buffer) -> bytes: ...
    def encrypt_blocks_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def decrypt_blocks_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...

@final
class AES(BlockCipher):
    def __new__(cls, key: Buffer, *, kernel: str | None = None) -> AES: ...

@final
class Serpent(BlockCipher):
    def __new__(cls, key: Buffer, *, kernel: str | None = None) -> Serpent: ...

@final
class XTEA(BlockCipher):
    def __new__(
        cls, key: Buffer, *, byteorder: _Byteorder = "little", cycles: int = 32, kernel: str | None = None
    ) -> XTEA: ...

@final
class TEA(BlockCipher):
    def __new__(cls, key: Buffer, *, byteorder: _Byteorder = "little", kernel: str | None = None) -> TEA: ...

@disjoint_base
class AEAD:
    @property
    def tag_length(self) -> int: ...
    @property
    def kernel(self) -> str: ...
    def encrypt(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | Iterable[Buffer] | None = None
    ) -> bytes: ...
    def decrypt(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | Iterable[Buffer] | None = None
    ) -> bytes: ...
    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | Iterable[Buffer] | None, buf: _WritableBuffer
    ) -> int: ...
    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | Iterable[Buffer] | None, buf: _WritableBuffer
    ) -> int: ...

class StreamingAEAD(AEAD):
    def encryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADContext: ...
    def decryptor(self, nonce: Buffer, associated_data: Buffer | None = None) -> AEADContext: ...

@final
class AEADContext:
    @property
    def tag(self) -> bytes: ...
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def finalize(self) -> bytes: ...
    def finalize_with_tag(self, tag: Buffer) -> bytes: ...

@final
class AESGCM(StreamingAEAD):
    def __new__(cls, key: Buffer, *, tag_length: int = 16, kernel: str | None = None) -> AESGCM: ...
    @classmethod
    def generate_key(cls, bit_length: int = 256) -> bytes: ...

@final
class SerpentGCM(StreamingAEAD):
    def __new__(cls, key: Buffer, *, tag_length: int = 16, kernel: str | None = None) -> SerpentGCM: ...
    @classmethod
    def generate_key(cls, bit_length: int = 256) -> bytes: ...

@final
class AESEAX(StreamingAEAD):
    def __new__(cls, key: Buffer, *, tag_length: int = 16, kernel: str | None = None) -> AESEAX: ...
    @classmethod
    def generate_key(cls, bit_length: int = 256) -> bytes: ...

@final
class SerpentEAX(StreamingAEAD):
    def __new__(cls, key: Buffer, *, tag_length: int = 16, kernel: str | None = None) -> SerpentEAX: ...
    @classmethod
    def generate_key(cls, bit_length: int = 256) -> bytes: ...

@final
class EAX(StreamingAEAD):
    def __new__(cls, cipher: BlockCipher, *, tag_length: int | None = None) -> EAX: ...

@final
class AEZ(AEAD):
    def __new__(cls, key: Buffer, *, tag_length: int = 16, kernel: str | None = None) -> AEZ: ...
    @classmethod
    def generate_key(cls) -> bytes: ...

@final
class AESGCMSIV(AEAD):
    def __new__(cls, key: Buffer, *, kernel: str | None = None) -> AESGCMSIV: ...
    @classmethod
    def generate_key(cls, bit_length: int = 256) -> bytes: ...

@final
class AESSIV:
    def __new__(cls, key: Buffer, *, kernel: str | None = None) -> AESSIV: ...
    @classmethod
    def generate_key(cls, bit_length: int = 512) -> bytes: ...
    def encrypt(self, data: Buffer, associated_data: Iterable[Buffer] | None = None) -> bytes: ...
    def decrypt(self, data: Buffer, associated_data: Iterable[Buffer] | None = None) -> bytes: ...
    def encrypt_into(self, data: Buffer, associated_data: Iterable[Buffer] | None, buf: _WritableBuffer) -> int: ...
    def decrypt_into(self, data: Buffer, associated_data: Iterable[Buffer] | None, buf: _WritableBuffer) -> int: ...
    @property
    def kernel(self) -> str: ...

@final
class AESGCMKeys:
    def __new__(cls, raw: Buffer, *, key_size: int) -> AESGCMKeys: ...
    def __len__(self) -> int: ...

@final
class XTEAKeys:
    def __new__(cls, raw: Buffer) -> XTEAKeys: ...
    def __len__(self) -> int: ...

@disjoint_base
class Mode:
    def encrypt(self, data: Buffer) -> bytes: ...
    def decrypt(self, data: Buffer) -> bytes: ...
    def encrypt_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def decrypt_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def encryptor(self) -> CipherContext: ...
    def decryptor(self) -> CipherContext: ...

@final
class CTR(Mode):
    def __new__(
        cls, cipher: BlockCipher, counter_block: Buffer, *, counter_bits: int | None = None
    ) -> CTR: ...

@final
class CBC(Mode):
    def __new__(cls, cipher: BlockCipher, iv: Buffer) -> CBC: ...
    def encrypt_padded(self, data: Buffer) -> bytes: ...
    def decrypt_padded(self, data: Buffer) -> bytes: ...

@final
class CFB(Mode):
    def __new__(cls, cipher: BlockCipher, iv: Buffer) -> CFB: ...

@final
class CFB8(Mode):
    def __new__(cls, cipher: BlockCipher, iv: Buffer) -> CFB8: ...

@final
class OFB(Mode):
    def __new__(cls, cipher: BlockCipher, iv: Buffer) -> OFB: ...

@final
class CipherContext:
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def finalize(self) -> bytes: ...
    def seek(self, position: int) -> None: ...
    def tell(self) -> int | None: ...

@final
class XTS:
    def __new__(cls, cipher: BlockCipher, tweak_cipher: BlockCipher) -> XTS: ...
    def encrypt(self, number: int, data: Buffer, *, unit_size: int | None = None) -> bytes: ...
    def decrypt(self, number: int, data: Buffer, *, unit_size: int | None = None) -> bytes: ...
    def encrypt_into(self, number: int, data: Buffer, buf: _WritableBuffer, *, unit_size: int | None = None) -> int: ...
    def decrypt_into(self, number: int, data: Buffer, buf: _WritableBuffer, *, unit_size: int | None = None) -> int: ...

@final
class HCTR2:
    def __new__(cls, key: Buffer | BlockCipher) -> HCTR2: ...
    def encrypt(self, data: Buffer, tweak: Buffer) -> bytes: ...
    def decrypt(self, data: Buffer, tweak: Buffer) -> bytes: ...
    def encrypt_into(self, data: Buffer, tweak: Buffer, buf: _WritableBuffer) -> int: ...
    def decrypt_into(self, data: Buffer, tweak: Buffer, buf: _WritableBuffer) -> int: ...
    def encrypt_many(self, messages: Iterable[Buffer], tweaks: Iterable[Buffer]) -> list[bytes]: ...
    def decrypt_many(self, messages: Iterable[Buffer], tweaks: Iterable[Buffer]) -> list[bytes]: ...

@final
class CMAC:
    def __new__(cls, cipher: BlockCipher, *, tag_length: int | None = None) -> CMAC: ...
    def update(self, data: Buffer) -> None: ...
    def finalize(self) -> bytes: ...
    def verify(self, tag: Buffer) -> None: ...
    def copy(self) -> CMAC: ...

@final
class HMAC:
    def __new__(cls, key: Buffer, hash: Literal["sha1", "sha256"], *, tag_length: int | None = None) -> HMAC: ...
    def update(self, data: Buffer) -> None: ...
    def finalize(self) -> bytes: ...
    def verify(self, tag: Buffer) -> None: ...
    def copy(self) -> HMAC: ...

@final
class RC4:
    def __new__(cls, key: Buffer) -> RC4: ...
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def skip(self, bytes: int) -> None: ...

def rc4_many(keys: Iterable[Buffer], messages: Iterable[Buffer], *, skip: int = 0) -> list[bytes]: ...

@final
class Session:
    def __new__(cls, profile: str, master_key: Buffer, master_salt: Buffer) -> Session: ...
    @property
    def profile(self) -> str: ...
    def protect(self, packet: Buffer, rollovers: int) -> bytes: ...
    def unprotect(self, packet: Buffer, rollovers: int) -> bytes: ...
    def protect_rtcp(self, packet: Buffer, index: int, *, encrypted: bool = True) -> bytes: ...
    def unprotect_rtcp(self, packet: Buffer) -> bytes: ...
    def rtcp_index(self, packet: Buffer) -> tuple[int, bool]: ...

def protect_many(
    sessions: Session | Iterable[Session],
    packets: Iterable[Buffer],
    numbers: int | Iterable[int],
    *,
    rtcp: bool | Iterable[bool] = False,
) -> list[bytes]: ...
@overload
def unprotect_many(
    sessions: Session | Iterable[Session],
    packets: Iterable[Buffer],
    numbers: int | Iterable[int],
    *,
    rtcp: bool | Iterable[bool] = False,
    invalid: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def unprotect_many(
    sessions: Session | Iterable[Session],
    packets: Iterable[Buffer],
    numbers: int | Iterable[int],
    *,
    rtcp: bool | Iterable[bool] = False,
    invalid: Literal["none"],
) -> list[bytes | None]: ...
def estimated_index(rollovers: int, highest: int, sequence: int) -> int: ...

@final
class Association:
    def __new__(
        cls, suite: str, spi: int, key: Buffer, authentication_key: Buffer = b"", *, extended: bool = False
    ) -> Association: ...
    @property
    def suite(self) -> str: ...
    @property
    def spi(self) -> int: ...
    @property
    def extended(self) -> bool: ...
    def seal(self, text: Buffer, sequence: int, iv: Buffer | None = None) -> bytes: ...
    def open(self, packet: Buffer, upper: int = 0) -> bytes: ...

def esp_seal_many(
    associations: Association | Iterable[Association],
    texts: Iterable[Buffer],
    sequences: int | Iterable[int],
    ivs: Iterable[Buffer] | None = None,
) -> list[bytes]: ...
@overload
def esp_open_many(
    associations: Association | Iterable[Association],
    packets: Iterable[Buffer],
    uppers: int | Iterable[int] = 0,
    *,
    invalid: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def esp_open_many(
    associations: Association | Iterable[Association],
    packets: Iterable[Buffer],
    uppers: int | Iterable[int] = 0,
    *,
    invalid: Literal["none"],
) -> list[bytes | None]: ...
@final
class PacketKeys:
    def __new__(cls, key: Buffer, iv: Buffer, header_key: Buffer) -> PacketKeys: ...
    def updated(self, key: Buffer, iv: Buffer) -> PacketKeys: ...
    @property
    def phase(self) -> int: ...
    def seal(self, header: Buffer, payload: Buffer, number: int) -> bytes: ...
    def open(self, packet: Buffer, number_at: int, expected: int) -> tuple[bytes, bytes, int]: ...
    def mask(self, sample: Buffer) -> bytes: ...

def quic_seal_many(
    keys: PacketKeys | Iterable[PacketKeys],
    headers: Iterable[Buffer],
    payloads: Iterable[Buffer],
    numbers: int | Iterable[int],
) -> list[bytes]: ...
@overload
def quic_open_many(
    keys: PacketKeys | Iterable[PacketKeys],
    packets: Iterable[Buffer],
    numbers_at: int | Iterable[int],
    expected: int | Iterable[int],
    *,
    invalid: Literal["raise"] = "raise",
) -> list[tuple[bytes, bytes, int]]: ...
@overload
def quic_open_many(
    keys: PacketKeys | Iterable[PacketKeys],
    packets: Iterable[Buffer],
    numbers_at: int | Iterable[int],
    expected: int | Iterable[int],
    *,
    invalid: Literal["none"],
) -> list[tuple[bytes, bytes, int] | None]: ...
def full_number(expected: int, sent: int, length: int) -> int: ...

CELL: int
RELAY: int
RELAY_EARLY: int

@final
class Relay:
    def __new__(cls, keys: Buffer) -> Relay: ...
    def forward(self, cell: Buffer, command: int = 3) -> tuple[bytes, bytes | None]: ...
    def backward(self, cell: Buffer, command: int = 3) -> bytes: ...
    def originate(self, cell: Buffer, command: int = 3) -> tuple[bytes, bytes]: ...

@final
class Client:
    def __new__(cls, keys: Iterable[Buffer] = ()) -> Client: ...
    def add_hop(self, keys: Buffer) -> None: ...
    def originate(self, hop: int, cell: Buffer, command: int = 3) -> tuple[bytes, bytes]: ...
    def backward(self, cell: Buffer, command: int = 3) -> tuple[int, bytes, bytes]: ...

def forward_many(
    relays: Relay | Iterable[Relay], cells: Iterable[Buffer], commands: int | Iterable[int] = 3
) -> list[tuple[bytes, bytes | None]]: ...
def backward_many(
    relays: Relay | Iterable[Relay], cells: Iterable[Buffer], commands: int | Iterable[int] = 3
) -> list[bytes]: ...
def originate_many(
    relays: Relay | Iterable[Relay], cells: Iterable[Buffer], commands: int | Iterable[int] = 3
) -> list[tuple[bytes, bytes]]: ...

class _DeviceRow(TypedDict):
    name: str
    kind: str
    driver: str
    memory: int
    kernel: str
    unusable: str | None

_OnDevice: TypeAlias = Literal["opencl", "auto"]

@final
class Device:
    def __new__(
        cls,
        name: str | None = None,
        *,
        cache: str | os.PathLike[str] | None = None,
        time_limit: float | None = None,
    ) -> Device: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    def xtea_many(
        self,
        keys: Buffer,
        messages: Iterable[Buffer],
        *,
        byteorder: _Byteorder = "little",
        decrypt: bool = False,
    ) -> list[bytes]: ...
    def rc4_many(self, keys: Iterable[Buffer], messages: Iterable[Buffer], *, skip: int = 0) -> list[bytes]: ...
    def xtea_try_keys(
        self,
        keys: Buffer,
        ciphertext: Buffer,
        text: Buffer,
        *,
        mask: Buffer | None = None,
        byteorder: _Byteorder = "little",
    ) -> list[int]: ...
    def rc4_try_keys(
        self,
        keys: Iterable[Buffer],
        ciphertext: Buffer,
        text: Buffer,
        *,
        mask: Buffer | None = None,
        skip: int = 0,
    ) -> list[int]: ...

@final
class DeviceCipher:
    def __new__(cls, device: Device, cipher: str, key: Buffer, *, kernel: _OnDevice = "opencl") -> DeviceCipher: ...
    @property
    def name(self) -> str: ...
    @property
    def block_size(self) -> int: ...
    def encrypt_blocks(self, data: Buffer) -> bytes: ...
    def decrypt_blocks(self, data: Buffer) -> bytes: ...
    def encrypt_blocks_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def decrypt_blocks_into(self, data: Buffer, buf: _WritableBuffer) -> int: ...
    def ctr(self, counter_block: Buffer, data: Buffer, *, counter_bits: int | None = None) -> bytes: ...
    def ctr_into(
        self, counter_block: Buffer, data: Buffer, buf: _WritableBuffer, *, counter_bits: int | None = None
    ) -> int: ...

@final
class DeviceXTS:
    def __new__(
        cls, device: Device, cipher: str, key: Buffer, tweak_key: Buffer, *, kernel: _OnDevice = "opencl"
    ) -> DeviceXTS: ...
    def encrypt(self, number: int, data: Buffer, *, unit_size: int | None = None) -> bytes: ...
    def decrypt(self, number: int, data: Buffer, *, unit_size: int | None = None) -> bytes: ...
    def encrypt_into(self, number: int, data: Buffer, buf: _WritableBuffer, *, unit_size: int | None = None) -> int: ...
    def decrypt_into(self, number: int, data: Buffer, buf: _WritableBuffer, *, unit_size: int | None = None) -> int: ...

_AEAD_MODES: list[tuple[str, list[int]]]

@final
class _Halt:
    def __new__(cls) -> _Halt: ...
    def ask(self) -> None: ...
    def run(self, task: Callable[[], _T]) -> _T: ...

def _look() -> None: ...

BATCH_WINDOW: int
AGS1_BLOCK: int
AGS1_SEALED_BLOCK: int
CHUNK: int
SEALED_CHUNK: int
HEADER: int
MAX_HEADER: int

@final
class Key:
    def __new__(cls, key: Buffer, *, aead: str = "aes-256-gcm") -> Key: ...
    @classmethod
    def generate(cls, *, aead: str = "aes-256-gcm") -> Key: ...
    @classmethod
    def from_line(cls, line: Buffer) -> Key: ...
    def to_line(self) -> bytes: ...
    @property
    def aead(self) -> str: ...

@final
class FileKey:
    @classmethod
    def generate(cls, key: Key) -> FileKey: ...
    @classmethod
    def of_plan(cls, key: Key, plan: Plan) -> FileKey: ...
    @classmethod
    def ags1(cls, key: Buffer, aad_prefix: Buffer | None = None) -> FileKey: ...
    @classmethod
    def from_key_metadata(cls, metadata: Buffer) -> tuple[FileKey, int | None]: ...
    @property
    def format(self) -> Literal["cobblestone", "ags1"]: ...
    @classmethod
    def from_header(cls, key: Key, header: Buffer) -> FileKey: ...
    @classmethod
    def from_bytes(cls, secret: Buffer) -> FileKey: ...
    def to_bytes(self) -> bytes: ...
    @property
    def header(self) -> bytes: ...

@final
class FileCipher:
    def __new__(cls, key: FileKey) -> FileCipher: ...
    def seal_chunks(self, first_chunk: int, data: Buffer, *, last: bool) -> bytes: ...
    def open_chunks(self, first_chunk: int, data: Buffer, *, last: bool) -> bytes: ...
    def seal_part(self, part: Part, data: Buffer) -> bytes: ...
    def open_part(self, part: Part, data: Buffer) -> bytes: ...
    def reseal_part(self, to: FileCipher, part: Part, buf: _WritableBuffer) -> None: ...

@final
class Plan:
    def __new__(
        cls,
        message_len: int,
        *,
        min_part: int | None = None,
        max_parts: int | None = None,
        preferred_part: int | None = None,
        salt: Buffer | None = None,
    ) -> Plan: ...
    @classmethod
    def of_sealed(
        cls,
        header: Buffer,
        sealed_len: int,
        *,
        min_part: int | None = None,
        max_parts: int | None = None,
        preferred_part: int | None = None,
    ) -> Plan: ...
    @classmethod
    def ags1(
        cls,
        message_len: int,
        *,
        min_part: int | None = None,
        max_parts: int | None = None,
        preferred_part: int | None = None,
    ) -> Plan: ...
    @classmethod
    def parse(cls, text: str) -> Plan: ...
    @property
    def salt(self) -> bytes | None: ...
    @property
    def message_len(self) -> int: ...
    @property
    def sealed_len(self) -> int: ...
    @property
    def part_chunks(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> Part: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def share(self, share: int, shares: int) -> list[Part]: ...
    def pieces(self, number: int, size: int = ...) -> list[Part]: ...
    def __reduce__(self) -> tuple[Callable[[str], Plan], tuple[str]]: ...

@final
class Part:
    @property
    def number(self) -> int: ...
    @property
    def first_chunk(self) -> int: ...
    @property
    def plain(self) -> tuple[int, int]: ...
    @property
    def sealed(self) -> tuple[int, int]: ...
    @property
    def last(self) -> bool: ...

def _aead_of(mode: str, key: Buffer, *, kernel: str | None = None) -> AEAD: ...
def column(
    key: object,
    values: tuple[object, ...],
    nonces: Buffer | None,
    associated_data: Buffer | tuple[object, ...],
    key_index: Buffer | None,
    opening: bool,
    to_null: bool,
) -> tuple[bytes, bytes, bytes | None]: ...
def ring_column(
    ring: list[list[tuple[bytes, object]]],
    values: tuple[object, ...],
    associated_data: Buffer | tuple[object, ...],
    key_index: Buffer | None,
    opening: bool,
    to_null: bool,
) -> tuple[bytes, bytes, bytes | None]: ...
def ring_reencrypt(
    ring: list[list[tuple[bytes, object]]],
    to: list[list[tuple[bytes, object]]],
    values: tuple[object, ...],
    associated_data: Buffer | tuple[object, ...],
    to_associated_data: Buffer | tuple[object, ...],
    key_index: Buffer | None,
    keep: bool,
) -> tuple[tuple[bytes, bytes, bytes | None], int]: ...
def message_len(sealed_len: int, *, format: Literal["cobblestone", "ags1"] = "cobblestone") -> int: ...
def unlock_passphrase(start: Buffer, passphrase: Buffer) -> tuple[int, FileKey]: ...
def seal_path(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    key: Key | FileKey | None,
    passphrase: Buffer | None,
    aead: str,
    replace: bool,
    threads: int | None,
) -> int: ...
def open_path(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None,
    key: Key | FileKey | None,
    passphrase: Buffer | None,
    sealed_length: int | None,
    replace: bool,
    threads: int | None,
) -> None: ...
def encrypt_parquet(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    footer_key: Buffer,
    footer_key_metadata: Buffer | None,
    column_keys: Sequence[tuple[str, object, object]],
    algorithm: str,
    plaintext_footer: bool,
    aad_prefix: Buffer | None,
    store_aad_prefix: bool,
    replace: bool,
) -> None: ...
def decrypt_parquet(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    key_of: Callable[[bytes | None, str | None], object],
    aad_prefix: Buffer | None,
    empty_aad: bool,
    replace: bool,
) -> None: ...
def rewrap_parquet(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    key_of: Callable[[bytes | None, str | None], object],
    wrap: Callable[[bytes], object],
    aad_prefix: Buffer | None,
    empty_aad: bool,
    replace: bool,
) -> None: ...
def inspect_parquet(
    source: str | os.PathLike[str],
) -> tuple[Literal["AES_GCM_V1", "AES_GCM_CTR_V1"], bool, bytes | None, bytes, bool, bytes | None] | None: ...
@final
class KeyTools:
    """Keys of Parquet files, wrapped by a key service, in key metadata as pyarrow and parquet-java write it.

    The service is an object with ``wrap_key`` and ``unwrap_key``, such as a ``pyarrow.parquet.encryption.KmsClient``. ``material`` is the
    contents of the file of key material beside the data, ``_KEY_MATERIAL_FOR_<name>.json``, if there is one. With ``double_wrapping`` the
    service wraps a key encryption key for each master key, and that one the keys of files.
    """

    def __new__(
        cls, kms_client: _KmsClient, *, double_wrapping: bool = True, material: Buffer | None = None
    ) -> KeyTools: ...
    def new_key(self, master_key_id: str, *, footer: bool = False, key_size: int = 16) -> tuple[bytes, bytes]:
        """Returns a new key under a master key, and its metadata, for ``encrypt``. That of a footer names the key service."""

    def rewrap(self, metadata: Buffer, master_key_id: str | None = None) -> bytes:
        """Returns the metadata of the same key, wrapped anew under the same master key or another one."""

    def __call__(self, metadata: Buffer | None, column: str | None = None) -> bytes | None:
        """Returns the key of metadata, or None if there is none: ``keys`` of ``decrypt`` can be these tools."""

def kernels() -> dict[str, list[str]]: ...
def hmac_many(
    keys: Buffer | Iterable[Buffer],
    messages: Iterable[Buffer],
    hash: Literal["sha1", "sha256"],
    *,
    tag_length: int | None = None,
) -> list[bytes]: ...
def aes_key_wrap(wrapping_key: Buffer | BlockCipher, key_to_wrap: Buffer) -> bytes: ...
def aes_key_unwrap(wrapping_key: Buffer | BlockCipher, wrapped_key: Buffer) -> bytes: ...
def aes_key_wrap_with_padding(wrapping_key: Buffer | BlockCipher, key_to_wrap: Buffer) -> bytes: ...
def aes_key_unwrap_with_padding(wrapping_key: Buffer | BlockCipher, wrapped_key: Buffer) -> bytes: ...
def aes_key_wrap_many(
    wrapping_keys: Buffer | BlockCipher | Iterable[Buffer | BlockCipher],
    keys_to_wrap: Iterable[Buffer],
    *,
    padding: bool = False,
) -> list[bytes]: ...
@overload
def aes_key_unwrap_many(
    wrapping_keys: Buffer | BlockCipher | Iterable[Buffer | BlockCipher],
    wrapped_keys: Iterable[Buffer],
    *,
    padding: bool = False,
    invalid: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def aes_key_unwrap_many(
    wrapping_keys: Buffer | BlockCipher | Iterable[Buffer | BlockCipher],
    wrapped_keys: Iterable[Buffer],
    *,
    padding: bool = False,
    invalid: Literal["none"],
) -> list[bytes | None]: ...
@overload
def seal_many(
    keys: AEAD | Iterable[AEAD],
    nonces: Buffer | Iterable[Buffer],
    messages: Values,
    associated_data: Buffer | Iterable[Buffer] | None = None,
) -> MadeValues: ...
@overload
def seal_many(
    keys: AEAD | Iterable[AEAD],
    nonces: Buffer | Iterable[Buffer],
    messages: Iterable[Buffer],
    associated_data: Buffer | Iterable[Buffer] | None = None,
) -> list[bytes]: ...
@overload
def open_many(
    keys: AEAD | Iterable[AEAD],
    nonces: Buffer | Iterable[Buffer],
    messages: Values,
    associated_data: Buffer | Iterable[Buffer] | None = None,
    *,
    invalid: Literal["raise", "none"] = "raise",
) -> MadeValues: ...
@overload
def open_many(
    keys: AEAD | Iterable[AEAD],
    nonces: Buffer | Iterable[Buffer],
    messages: Iterable[Buffer],
    associated_data: Buffer | Iterable[Buffer] | None = None,
    *,
    invalid: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def open_many(
    keys: AEAD | Iterable[AEAD],
    nonces: Buffer | Iterable[Buffer],
    messages: Iterable[Buffer],
    associated_data: Buffer | Iterable[Buffer] | None = None,
    *,
    invalid: Literal["none"],
) -> list[bytes | None]: ...
@overload
def ecb_many(
    keys: BlockCipher | XTEAKeys | Iterable[BlockCipher], messages: Values, *, decrypt: bool = False
) -> MadeValues: ...
@overload
def ecb_many(
    keys: BlockCipher | XTEAKeys | Iterable[BlockCipher], messages: Iterable[Buffer], *, decrypt: bool = False
) -> list[bytes]: ...
@overload
def xtea_many(keys: XTEA | XTEAKeys | Iterable[XTEA], messages: Values, *, decrypt: bool = False) -> MadeValues: ...
@overload
def xtea_many(
    keys: XTEA | XTEAKeys | Iterable[XTEA], messages: Iterable[Buffer], *, decrypt: bool = False
) -> list[bytes]: ...
def device_rows() -> list[_DeviceRow]: ...
