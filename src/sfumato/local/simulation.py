"""Many devices at once, for simulations and for back-filling a collection from values one already holds."""

from dataclasses import dataclass
from typing import Any

from sfumato.exact.bits import BitSource, source
from sfumato.local import wire
from sfumato.local.protocol import Bytes, Protocol


@dataclass(frozen=True)
class Devices:
    """A crowd of devices that each answer once: `report(values)` gives a row of bytes a device.

    The law is that of as many clients, and coins are as exact. Tags are random, so nothing here is remembered: for many
    rounds of RAPPOR's memory see `Rappor.permanent`.

    >>> from sfumato.local import KAry
    >>> Devices(KAry(name="coins", domain=2, epsilon=1)).report([0, 1, 1]).shape
    (3, 17)
    """

    protocol: Protocol

    def report(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        """One report for each value."""
        stream = source(bits)
        return wire.assembled(self.protocol, self.protocol.encode(values, bits=stream), bits=stream)
