"""A device's own limit over time: standard library only, to be vendored beside `client.py`.

    allowance = Allowance(cap="10")                 # ε this device will ever give to this collection
    report = allowance.report(client, value)        # raises Exhausted instead of spending more
    save(allowance.to_json())                       # the only thing a device has to keep, and only if it wants a cap

It remembers how often each value's memory was used, under a keyed hash, so that what is kept names no value.
"""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol


class Device(Protocol):
    """What an allowance needs of a client."""

    def report(self, value: Any) -> bytes:
        """A report."""
        ...

    def memory(self, value: Any) -> bytes | None:
        """A name for the memory a report of the value would draw on; None if it draws on none."""
        ...

    @property
    def prices(self) -> tuple[Decimal, Decimal]:
        """ε of one report by itself, and of all reports from one memory."""
        ...


class Exhausted(Exception):
    """The allowance does not cover another report; nothing was sent."""


class Allowance:
    """A cap on ε, and what was spent of it."""

    def __init__(self, cap: str | int, used: dict[str, int] | None = None) -> None:
        self.cap, self._used = Fraction(cap), dict(used or {})

    def spent(self, device: Device) -> Fraction:
        """ε so far: each memory costs the lesser of its reports and itself; reports without memory add up."""
        alone, memory = (Fraction(price) for price in device.prices)
        fresh = self._used.get("", 0) * alone
        return fresh + sum((min(n * alone, memory) for name, n in self._used.items() if name), Fraction(0))

    def report(self, device: Device, value: Any) -> bytes:
        """A report, if the cap covers it; the charge is made before the report exists."""
        name = device.memory(value)
        key = "" if name is None else name.hex()
        after = Allowance("0", {**self._used, key: self._used.get(key, 0) + 1})
        if after.spent(device) > self.cap:
            raise Exhausted("the allowance of this device does not cover another report")
        self._used = after._used
        return device.report(value)

    def to_json(self) -> str:
        """What to keep."""
        return json.dumps({"cap": str(self.cap), "used": self._used})

    @classmethod
    def from_json(cls, text: str) -> "Allowance":
        """What was kept."""
        kept = json.loads(text)
        return cls(kept["cap"], kept["used"])
