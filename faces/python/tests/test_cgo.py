"""Counter Galois Onion: known answers, circuits of clients and relays, batches against single cells, and what is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from conftest import cases

from abreast import cgo
from abreast._abreast import BATCH_WINDOW
from abreast.cgo import CELL, RELAY, RELAY_EARLY, Client, Relay

KEYS = bytes(180)


def test_known_answers() -> None:
    """Known answers of circuits at their beginning: the tag of the previous cell is zero."""
    done = set()
    for case in cases("cgo"):
        states = [bytes.fromhex(state) for state in re.findall("[0-9a-f]+", case["States"])]
        if any(any(state[80:]) for state in states):
            continue
        # The same seed for both directions.
        keys = [2 * state[:80] + bytes(20) for state in states]
        command, cell, expected = int(case["Command"], 16), bytes.fromhex(case["Cell"]), bytes.fromhex(case["NewCell"])
        match case["Operation"]:
            case "forward":
                assert Relay(keys[0]).forward(cell, command)[0] == expected
                assert cgo.forward_many(Relay(keys[0]), [cell], command)[0][0] == expected
            case "backward":
                assert Relay(keys[0]).backward(cell, command) == expected
                assert cgo.backward_many([Relay(keys[0])], [cell], [command]) == [expected]
            case "originate":
                assert Relay(keys[0]).originate(cell, command) == (expected, expected[:16])
                assert cgo.originate_many(Relay(keys[0]), [cell], command) == [(expected, expected[:16])]
            case "client":
                made, _ = Client(keys).originate(int(case["Hop"]) - 1, cell, command)
                assert made == expected
        done.add(case["Operation"])
    assert done == {"forward", "backward", "originate", "client"}


def a_cell(rng: random.Random) -> bytes:
    return rng.randbytes(CELL)


@pytest.mark.parametrize("hops", [1, 2, 3, 8])
def test_circuits(hops: int, rng: random.Random) -> None:
    keys = [rng.randbytes(180) for _ in range(hops)]
    client, relays = Client(keys[:1]), [Relay(one) for one in keys]
    for one in keys[1:]:
        client.add_hop(one)
    for _ in range(30):
        hop, command, sent = rng.randrange(hops), rng.choice((RELAY, RELAY_EARLY)), a_cell(rng)
        if rng.random() < 0.5:
            cell, tag = client.originate(hop, sent, command)
            for at, relay in enumerate(relays[: hop + 1]):
                cell, found = relay.forward(cell, command)
                assert found == (tag if at == hop else None)
            assert cell[16:] == sent[16:]
        else:
            cell, tag = relays[hop].originate(sent, command)
            for relay in reversed(relays[:hop]):
                cell = relay.backward(cell, command)
            number, cell, found = client.backward(cell, command)
            assert (number, found, cell[16:]) == (hop, tag, sent[16:])
    # A changed cell comes out as noise, and so do those after it.
    cell, _ = relays[0].originate(a_cell(rng))
    with pytest.raises(cgo.InvalidTag, match="from no hop of the circuit"):
        client.backward(cell[:-1] + bytes([cell[-1] ^ 1]))
    cell, _ = relays[0].originate(a_cell(rng))
    with pytest.raises(cgo.InvalidTag):
        client.backward(cell)


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, BATCH_WINDOW - 1, BATCH_WINDOW, BATCH_WINDOW + 1, 3 * BATCH_WINDOW])
def test_batches_as_single_cells(count: int, rng: random.Random) -> None:
    """Circuits are there once or many times, in any order."""
    for circuits in (1, 5, max(count, 1)):
        keys = [rng.randbytes(180) for _ in range(circuits)]
        together, alone = [Relay(one) for one in keys], [Relay(one) for one in keys]
        clients = [Client([one]) for one in keys]
        for _ in range(2):
            rows = [rng.randrange(circuits) for _ in range(count)]
            commands = [rng.choice((RELAY, RELAY_EARLY)) for _ in range(count)]
            # Cells for this relay and others.
            cells = [a_cell(rng) for _ in range(count)]
            for at, row in enumerate(rows):
                if rng.random() < 0.7:
                    cells[at], _ = clients[row].originate(0, cells[at], commands[at])
            relays = [together[row] for row in rows]
            expected = [alone[row].forward(cell, command) for row, cell, command in zip(rows, cells, commands, strict=True)]
            assert cgo.forward_many(relays, cells, commands) == expected
            answers = [alone[row].originate(cell, command) for row, cell, command in zip(rows, cells, commands, strict=True)]
            assert cgo.originate_many(iter(relays), iter(cells), iter(commands)) == answers
            passed = [alone[row].backward(cell) for row, cell in zip(rows, cells, strict=True)]
            assert cgo.backward_many(relays, cells) == passed
        one, other = Relay(keys[0]), Relay(keys[0])
        assert cgo.originate_many(one, cells, RELAY_EARLY) == [other.originate(cell, RELAY_EARLY) for cell in cells]


def test_a_batch_that_is_refused_changes_nothing(rng: random.Random) -> None:
    relay, other, cell = Relay(KEYS), Relay(KEYS), a_cell(rng)
    for refused in ([cell] * BATCH_WINDOW + [b""], [cell] * 3 + ["text"]):
        with pytest.raises((ValueError, TypeError)):
            cgo.originate_many(relay, refused)  # type: ignore[arg-type]

    def cells() -> object:
        yield cell
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        cgo.originate_many(relay, cells())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="more commands than cells"):
        cgo.originate_many(relay, [cell], iter([3, 3]))
    assert relay.originate(cell) == other.originate(cell)


RELAY_OF_ZEROS, CLIENT = Relay(KEYS), Client([KEYS, KEYS])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: Relay(bytes(179)), ValueError, "the keys of the circuit have 179 bytes instead of 180"),
        (lambda: Relay("text"), TypeError, "bytes-like"),  # type: ignore[arg-type]
        (lambda: Client([KEYS, b""]), ValueError, "hop 1: the keys of the circuit have 0 bytes instead of 180"),
        (lambda: Client([KEYS] * 9), ValueError, "hop 8: a circuit has at most 8 hops"),
        (lambda: Client(KEYS), TypeError, "keys of hops are an iterable such as a list, not bytes"),  # type: ignore[arg-type]
        (lambda: Client({KEYS}), TypeError, "keys of hops in a set have no order"),
        (lambda: Client().add_hop(bytes(181)), ValueError, "181 bytes instead of 180"),
        (lambda: Client([KEYS] * 8).add_hop(KEYS), ValueError, "a circuit has at most 8 hops"),
        (lambda: CLIENT.originate(2, bytes(CELL)), ValueError, "hop 2 does not exist: the circuit has 2 hops, numbered from 0"),
        (lambda: CLIENT.originate(0, bytes(508)), ValueError, "the cell has 508 bytes; it has 509 without its header"),
        (lambda: CLIENT.backward(bytes(514)), ValueError, "the cell has 514 bytes"),
        (lambda: RELAY_OF_ZEROS.forward(bytes(508)), ValueError, "the cell has 508 bytes"),
        (lambda: RELAY_OF_ZEROS.backward("text"), TypeError, "bytes-like"),  # type: ignore[arg-type]
        (lambda: RELAY_OF_ZEROS.originate(bytes(CELL), 256), ValueError, "256 is too large: no number above 255"),
        (lambda: cgo.forward_many(RELAY_OF_ZEROS, [bytes(CELL), b""]), ValueError, "cell 1: the cell has 0 bytes"),
        (lambda: cgo.forward_many([RELAY_OF_ZEROS], [bytes(CELL)] * 2), ValueError, "there are 2 cells and 1 relay;"),
        (lambda: cgo.forward_many(RELAY_OF_ZEROS, [bytes(CELL)], [3, 3]), ValueError, "there is 1 cell and 2 commands;"),
        (lambda: cgo.forward_many(RELAY_OF_ZEROS, [bytes(CELL)], [256]), ValueError, "command 0: 256 is too large: no number above 255"),
        (lambda: cgo.backward_many([KEYS], [bytes(CELL)]), TypeError, "relay 0: an abreast.cgo.Relay is required, not bytes"),  # type: ignore[list-item]
        (lambda: cgo.backward_many(CLIENT, [bytes(CELL)]), TypeError, "relays, unless one is for all, are an iterable"),  # type: ignore[arg-type]
        (lambda: cgo.originate_many(RELAY_OF_ZEROS, bytes(CELL)), TypeError, "cells are an iterable such as a list, not bytes"),  # type: ignore[arg-type]
        (lambda: cgo.originate_many(RELAY_OF_ZEROS, [bytes(CELL)], "3"), TypeError, "commands, unless one is for all"),  # type: ignore[arg-type]
    ],
)
def test_errors(call: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        call()
