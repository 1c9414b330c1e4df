"""Symmetric encryption of many blocks, messages and keys side by side.

>>> import os, abreast
>>> key = abreast.AESGCM.generate_key()
>>> aead, nonce = abreast.AESGCM(key), os.urandom(12)
>>> sealed = aead.encrypt(nonce, b"attack at dawn", b"sent in clear")
>>> aead.decrypt(nonce, sealed, b"sent in clear")
b'attack at dawn'
"""

from __future__ import annotations

from ._abreast import (
    AEAD,
    AEADContext,
    AES,
    AESEAX,
    AESGCM,
    AESGCMSIV,
    AESSIV,
    AEZ,
    CBC,
    CFB,
    CFB8,
    CMAC,
    CTR,
    EAX,
    HCTR2,
    HMAC,
    OFB,
    TEA,
    XTEA,
    XTS,
    BlockCipher,
    CipherContext,
    Mode,
    Serpent,
    SerpentEAX,
    SerpentGCM,
    StreamingAEAD,
    ecb_many,
    hmac_many,
    kernels,
    open_many,
    seal_many,
    __version__,
    xtea_many,
)
from ._errors import AlreadyFinalized, InvalidSignature, InvalidTag

__all__ = [
    "AEAD",
    "AEADContext",
    "AES",
    "AESEAX",
    "AESGCM",
    "AESGCMSIV",
    "AESSIV",
    "AEZ",
    "CBC",
    "CFB",
    "CFB8",
    "CMAC",
    "CTR",
    "EAX",
    "HCTR2",
    "HMAC",
    "OFB",
    "TEA",
    "XTEA",
    "XTS",
    "AlreadyFinalized",
    "BlockCipher",
    "CipherContext",
    "InvalidSignature",
    "InvalidTag",
    "Mode",
    "Serpent",
    "SerpentEAX",
    "SerpentGCM",
    "StreamingAEAD",
    "__version__",
    "ecb_many",
    "hmac_many",
    "kernels",
    "open_many",
    "seal_many",
    "xtea_many",
]
