"""The tasks of workers: whole small files, and parts of longer ones."""

from __future__ import annotations

import contextlib
import pickle
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from .._abreast import HEADER, FileCipher, FileKey, Plan, message_len
from .._errors import InvalidTag
from .._ranges import check_stream
from .._s3 import Options
from .._stores import Part, Pin, SourceChanged, Store, store
from .._worker_key import WorkerKey
from . import _keys, _objects
from ._names import What
from ._objects import Facts, Taken

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PIECE = 4 << 20
"""Bytes of a part that a worker holds at a time, where the store accepts parts piece by piece."""

_AT_ONCE = 4
"""Small files that a task reads and writes at the same time: a store takes longer to answer than a CPU to seal them."""


CarriedKey = _keys.SealedKey | WorkerKey


@dataclass(frozen=True)
class Order:
    """The work on a file: all that a task needs; its only secrets are sealed."""

    number: int
    what: What
    source: str
    target: str | None
    source_options: Options | None = field(repr=False)
    target_options: Options | None = field(repr=False)
    replace: bool
    skip_existing: bool
    make_folders: bool
    part_size: int | None
    limit: int
    """The longest message that one task takes as a whole."""
    key: CarriedKey | None = field(repr=False, default=None)
    """None where the header of the source has to be seen first."""
    new_key: CarriedKey | None = field(repr=False, default=None)
    salt: bytes = b""
    """The salt of a file that is made."""
    pin: Pin | None = None
    header: bytes = b""
    """The header of a sealed source."""
    streams: bool = False
    """True for streams of AGS1."""
    sealed_length: int | None = None
    """The trusted length of a stream, if it is known."""
    upload: str = ""
    attempt: int = 0

    def plan(self, size: int) -> Plan:
        """Returns the plan of a source of some bytes."""
        if self.streams:
            return Plan.ags1(message_len(size, format="ags1"), preferred_part=self.part_size)
        if self.what == "seal":
            return Plan(size, preferred_part=self.part_size, salt=self.salt)
        return Plan.of_sealed(self.header, size, preferred_part=self.part_size)

    def target_len(self, plan: Plan) -> int:
        """Returns the length of the target."""
        return plan.message_len if self.what == "open" else plan.sealed_len

    def ciphers(self, plan: Plan) -> tuple[FileCipher, FileCipher | None]:
        """Returns the cipher that opens or seals the source, and the one that seals it again."""
        assert self.key is not None
        if isinstance(self.key, _keys.SealedKey):
            file_key = self.key.open(self.source)
        elif self.what == "seal":
            file_key = FileKey.of_plan(self.key.load(), plan)
        else:
            file_key = FileKey.from_header(self.key.load(), self.header)
        if self.new_key is None:
            return FileCipher(file_key), None
        if isinstance(self.new_key, _keys.SealedKey):
            new_key = self.new_key.open(self.source)
        else:
            new_key = FileKey.of_plan(self.new_key.load(), Plan(plan.message_len, salt=self.salt))
        return FileCipher(file_key), FileCipher(new_key)

    def origin(self) -> Store:
        """Returns the store of the source."""
        return store(self.source, self.source_options)

    def place(self) -> Store:
        """Returns the store of the target."""
        assert self.target is not None
        return store(self.target, self.target_options)


@dataclass(frozen=True)
class Begun:
    """The answer of a task about one file."""

    number: int
    state: Literal["done", "skipped", "header", "long", "failed"]
    """Done, skipped, waiting for a key to its header, too long for one task, or failed."""
    size: int = 0
    """Bytes of the source, or of the message of what is done."""
    pin: Pin | None = None
    facts: Facts | None = None
    header: bytes = b""
    error: Exception | None = None
    same: bool = False
    """True if the target exists, and has just the bytes that it was to have."""
    again: bool = False
    """True if another attempt may help."""


@dataclass(frozen=True)
class Done:
    """The answer of a task."""

    worker: str
    peak_memory: int = 0
    asks: bytes | None = None
    """The public key of a worker that has no key of the run; nothing was done."""
    files: tuple[Begun, ...] = ()
    proof: str = ""
    error: Exception | None = None


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _peak_memory() -> int:
    """Returns the most bytes that this process had in memory."""
    # The peak of getrusage begins with the memory of the parent process.
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


_FINAL = (
    InvalidTag,
    SourceChanged,
    ValueError,
    TypeError,
    ImportError,
    FileNotFoundError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)
"""Errors that another attempt would meet again."""


def _portable(error: Exception) -> Exception:
    """Returns an error as it can travel: without frames, and as text where its type has no way of its own."""
    error = error.with_traceback(None)
    error.__context__ = error.__cause__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def do_files(run: _keys.RunName | None, orders: list[Order]) -> Done:
    """Does small files as a whole, each by one read and one write, and returns the lengths of longer ones."""
    try:
        if run is not None:
            _keys.key_of(run)
    except _keys.KeyMissing as missing:
        return Done(_worker(), asks=missing.public)
    if len(orders) == 1:
        files = [_do_file(run, orders[0])]
    else:
        with ThreadPoolExecutor(min(_AT_ONCE, len(orders)), "abreast-small") as threads:
            files = list(threads.map(partial(_do_file, run), orders))
    return Done(_worker(), _peak_memory(), files=tuple(files))


def _do_file(run: _keys.RunName | None, order: Order) -> Begun:
    try:
        return _whole(run, order)
    except Exception as error:
        again = not isinstance(error, _FINAL)
        return Begun(order.number, "failed", error=_portable(error), again=again)


def _whole(run: _keys.RunName | None, order: Order) -> Begun:
    """Does a file if it is small."""
    place = None if order.target is None else order.place()
    if order.skip_existing and place is not None and order.pin is None and place.exists():
        return Begun(order.number, "skipped")
    whole = Plan.ags1 if order.streams else Plan
    limit = order.limit if order.what == "seal" else whole(order.limit).sealed_len
    taken = _taken(run, order, limit)
    if order.streams:
        check_stream(order.sealed_length, taken.pin.size, taken.data)
    elif order.what != "seal":
        order = replace(order, header=bytes(taken.data[:HEADER]))
        if len(order.header) < HEADER:
            raise InvalidTag("authentication failed: cut off, or no sealed file")
        if order.header.startswith(b"abreast/"):
            raise ValueError(f"{order.source} is sealed with a passphrase; only files sealed with a key have parts")
    plan = order.plan(taken.pin.size)
    facts = Begun(order.number, "long", taken.pin.size, taken.pin, taken.facts, order.header)
    if len(taken.data) < taken.pin.size or len(plan) > 1:
        if place is not None and not order.replace and place.exists():
            if order.skip_existing:
                return Begun(order.number, "skipped")
            raise FileExistsError(f"{order.target} exists already; replace=True replaces it")
        return facts
    if order.key is None:
        assert run is not None
        _keys.put_aside(run, order.number, taken)
        return replace(facts, state="header")
    made = _made(order, plan, taken.data)
    done = Begun(order.number, "done", plan.message_len)
    if place is None:
        return done
    try:
        _put(order, place, made, taken)
    except FileExistsError as error:
        if order.skip_existing:
            return Begun(order.number, "skipped")
        # A worker that ended after it had written, or an answer that was lost, has this one find its own target.
        same = False
        with contextlib.suppress(Exception):
            there = _objects.take(place, order.target_len(plan), 0, order.target or "")
            same = there.data == bytes(made)
        return Begun(order.number, "failed", plan.message_len, error=_portable(error), same=same)
    return done


def _taken(run: _keys.RunName | None, order: Order, limit: int) -> Taken:
    """Returns a source up to some length, or as much as its header."""
    if order.pin is not None and run is not None:
        held = _keys.take_back(run, order.number)
        if held is not None:
            return held
    taken = _objects.take(order.origin(), limit, HEADER, order.source)
    if order.pin is not None:
        order.pin.check(taken.pin, order.source)
    return taken


def _made(order: Order, plan: Plan, data: bytes) -> Buffer:
    """Returns the target of a small file."""
    cipher, new_cipher = order.ciphers(plan)
    if order.what == "seal":
        return cipher.seal_part(plan[0], data)
    if new_cipher is None:
        return cipher.open_part(plan[0], data)
    buffer = bytearray(data)
    cipher.reseal_part(new_cipher, plan[0], buffer)
    return buffer


def _put(order: Order, place: Store, made: Buffer, taken: Taken) -> None:
    if order.make_folders:
        _objects.make_folder(place)
    _objects.put(place, made, taken.facts, replace=order.replace)


def do_part(order: Order, number: int) -> Done:
    """Does a part of a file, from store to store."""
    assert order.pin is not None
    error: Exception | None = None
    proof = ""
    try:
        plan, source = order.plan(order.pin.size), order.origin()
        if order.target is None:
            for _ in _pieces(order, plan, number, source):
                pass
        else:
            start, stop = plan[number].plain if order.what == "open" else plan[number].sealed
            part = Part(number, start, stop, lambda: _pieces(order, plan, number, source))
            proof = order.place().put(order.upload, part)
    except _keys.KeyMissing as missing:
        return Done(_worker(), asks=missing.public)
    except _FINAL as failed:
        error = _portable(failed)
    return Done(_worker(), _peak_memory(), proof=proof, error=error)


def _pieces(order: Order, plan: Plan, number: int, source: Store) -> Iterator[Buffer]:
    """Makes a part of the target piece by piece."""
    assert order.pin is not None
    cipher, new_cipher = order.ciphers(plan)
    for piece in plan.pieces(number, _PIECE):
        start, stop = piece.plain if order.what == "seal" else piece.sealed
        data = source.read(start, stop, order.pin)
        if order.what == "seal":
            yield cipher.seal_part(piece, data)
        elif new_cipher is None:
            yield cipher.open_part(piece, data)
        else:
            buffer = data if isinstance(data, bytearray) else bytearray(data)
            del data
            cipher.reseal_part(new_cipher, piece, buffer)
            yield buffer
