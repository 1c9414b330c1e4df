"""The key of a run on its way to the workers, past a scheduler that never sees it.

Keys of files travel in tasks, sealed under a key of the run. For that key each worker makes a key pair of its own, for this
run alone, and the caller encrypts to the public half by HPKE (RFC 9180). The private half never leaves the worker's process
and is dropped when the key of the run has come, so that recorded messages stay closed. A worker that joins later, or is
started again, asks: its first task returns a public key in place of a result.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from .._abreast import AESGCM, FileKey
from .._extras import require
from ._objects import Taken

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from distributed import Client

LIVES = 60.0
"""Seconds for which a worker keeps the key of a run without a word of its caller."""

_BEATS = 4
"""Times that the caller is heard in these seconds."""

_TOGETHER = 64
"""Workers whose encrypted keys are sent in one message."""


def _suite() -> Any:
    hpke = require("cryptography.hazmat.primitives.hpke", "dask")
    return hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)


def _info(run: RunName) -> bytes:
    return f"abreast.dask key of run {run.id}".encode()


@dataclass(frozen=True)
class RunName:
    """The name of a run, and for how many seconds workers keep its key without a word of its caller."""

    id: str
    lives: float


class KeyMissing(Exception):
    """This worker has no key of the run yet, or no longer. The caller answers to its public key."""

    def __init__(self, public: bytes) -> None:
        super().__init__(public)
        self.public = public


@dataclass
class _Held:
    """The secrets that a worker has of one run, until the timer ends."""

    private: X25519PrivateKey | None = None
    key: AESGCM | None = None
    data: dict[int, Taken] = field(default_factory=dict)
    timer: threading.Timer | None = None


_held: dict[str, _Held] = {}
"""The runs that this process works for."""

_lock = threading.Lock()


def _extend(run: RunName, held: _Held) -> None:
    if held.timer is not None:
        held.timer.cancel()
    held.timer = threading.Timer(run.lives, forget, (run,))
    held.timer.daemon = True
    held.timer.start()


def introduce(run: RunName) -> bytes:
    """Returns the public key of this worker for a run."""
    asymmetric = require("cryptography.hazmat.primitives.asymmetric.x25519", "dask")
    with _lock:
        held = _held.setdefault(run.id, _Held())
        private: X25519PrivateKey = held.private or asymmetric.X25519PrivateKey.generate()
        held.private = private
        _extend(run, held)
        return private.public_key().public_bytes_raw()


def receive(run: RunName, sealed: dict[bytes, bytes]) -> None:
    """Decrypts the key of a run, if one of these public keys is this worker's."""
    with _lock:
        held = _held.get(run.id)
        if held is None or held.private is None:
            return
        mine = sealed.get(held.private.public_key().public_bytes_raw())
        if mine is not None:
            held.key = AESGCM(_suite().decrypt(mine, held.private, info=_info(run)))
            held.private = None
            _extend(run, held)


def keep(run: RunName) -> None:
    """Keeps the key of a run for longer, as its caller lives."""
    with _lock:
        held = _held.get(run.id)
        if held is not None:
            _extend(run, held)


def forget(run: RunName) -> None:
    """Drops everything that this worker has of a run."""
    with _lock:
        held = _held.pop(run.id, None)
        if held is not None and held.timer is not None:
            held.timer.cancel()


def key_of(run: RunName) -> AESGCM:
    """Returns the key of a run, or raises KeyMissing."""
    with _lock:
        held = _held.get(run.id)
        if held is not None and held.key is not None:
            return held.key
    raise KeyMissing(introduce(run))


def put_aside(run: RunName, number: int, data: Taken) -> None:
    """Holds a sealed file for the task that will have its key."""
    with _lock:
        held = _held.get(run.id)
        if held is not None:
            held.data[number] = data


def take_back(run: RunName, number: int) -> Taken | None:
    """Returns the file that was put aside, if this worker has it."""
    with _lock:
        held = _held.get(run.id)
        return None if held is None else held.data.pop(number, None)


@dataclass(frozen=True)
class SealedKey:
    """The keys of a file as tasks carry them: sealed under the key of the run, for this file alone."""

    run: RunName
    nonce: bytes
    sealed: bytes

    def open(self, file: str) -> FileKey:
        """Returns the keys where the key of the run is."""
        return FileKey.from_bytes(key_of(self.run).decrypt(self.nonce, self.sealed, file.encode()))


class RunKey:
    """The key of a run, where the caller is."""

    def __init__(self, client: Client) -> None:
        self.name, self._client = RunName(secrets.token_hex(8), LIVES), client
        self._key = AESGCM.generate_key()
        self._aead = AESGCM(self._key)
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="abreast-heartbeat", daemon=True)

    def sealed(self, file_key: FileKey, file: str) -> SealedKey:
        """Returns the keys of a file as tasks carry them."""
        nonce = secrets.token_bytes(12)
        return SealedKey(self.name, nonce, self._aead.encrypt(nonce, file_key.to_bytes(), file.encode()))

    def begin(self) -> None:
        """Gives the key to all workers that there are."""
        answers = cast("dict[str, Any]", self._client.run(introduce, self.name, on_error="return"))
        for answer in answers.values():
            if isinstance(answer, ImportError):
                raise answer
        # A worker that ends meanwhile gives none, and one that comes in its place asks.
        self.give({worker: answer for worker, answer in answers.items() if isinstance(answer, bytes)})
        self._heart.start()

    def give(self, workers: dict[str, bytes]) -> None:
        """Encrypts the key to the public keys of workers, and sends it."""
        suite, public = _suite(), require("cryptography.hazmat.primitives.asymmetric.x25519", "dask").X25519PublicKey
        names = list(workers)
        for start in range(0, len(names), _TOGETHER):
            some = names[start : start + _TOGETHER]
            sealed = {
                key: suite.encrypt(self._key, public.from_public_bytes(key), info=_info(self.name))
                for key in {workers[name] for name in some}
            }
            self._client.run(receive, self.name, sealed, workers=some, on_error="ignore")

    def _beat(self) -> None:
        while not self._ended.wait(self.name.lives / _BEATS):
            with contextlib.suppress(Exception):
                self._client.run(keep, self.name, on_error="ignore")

    def end(self) -> None:
        """Has all workers forget the run. Those that cannot be reached do so by themselves."""
        self._ended.set()
        if self._client.status == "running":
            with contextlib.suppress(Exception):
                self._client.run(forget, self.name, on_error="ignore")
