"""Counter Galois Onion: Tor's encryption of relay cells (eprint 2025/583, proposal 359), with AES-128.

A cell is here without its header: 509 bytes, of which the first 16 are its tag. Relays encrypt and the client decrypts, whatever the
direction. A client and two relays, with the keys of two handshakes:

>>> from abreast.cgo import CELL, Client, Relay, forward_many
>>> keys = [bytes([1]) * 180, bytes([2]) * 180]
>>> client, relays = Client(keys), [Relay(one) for one in keys]
>>> cell, tag = client.originate(1, bytes(16) + bytes(CELL - 16))
>>> cell, for_this_relay = relays[0].forward(cell)
>>> for_this_relay is None
True
>>> cell, for_this_relay = relays[1].forward(cell)
>>> for_this_relay == tag and cell[16:] == bytes(CELL - 16)
True

The second relay answers:

>>> cell, tag = relays[1].originate(bytes(16) + b"hello".ljust(CELL - 16))
>>> hop, cell, same_tag = client.backward(relays[0].backward(cell))
>>> hop, cell[16:21], same_tag == tag
(1, b'hello', True)

A relay has cells of many circuits, which go side by side:

>>> circuits = [Relay(bytes([number]) * 180) for number in range(100)]
>>> done = forward_many(circuits, [bytes(CELL)] * 100)
>>> [tag for _, tag in done] == [None] * 100
True

``command`` is the byte of the header that tells ``RELAY`` cells, for which cells are taken, from ``RELAY_EARLY`` cells; a cell keeps it on
its way. The keys of a hop are 180 bytes: the seeds of both directions and the binding of the circuit.
"""

from ._abreast import CELL, RELAY, RELAY_EARLY, Client, Relay, backward_many, forward_many, originate_many
from ._errors import InvalidTag

__all__ = [
    "CELL",
    "InvalidTag",
    "RELAY",
    "RELAY_EARLY",
    "Client",
    "Relay",
    "backward_many",
    "forward_many",
    "originate_many",
]
