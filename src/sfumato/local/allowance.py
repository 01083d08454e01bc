"""A device's own limit over time: standard library only, to be vendored beside `client.py`.

    allowance = DeviceAllowance(cap="10")                 # ε this device will ever give to this collection
    report = allowance.report(client, value)        # raises Exhausted instead of spending more
    save(allowance.to_json())                       # the only thing a device has to keep, and only if it wants a cap

It remembers what each value's memory has cost, under a keyed hash, so that what is kept names no value. One
allowance may cover several protocols: each report is charged at the prices of its own.

The cap is read here, without the parser of amounts that other rooms share and a device has not; it means the same.
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


class DeviceAllowance:
    """A cap on ε, and what was spent of it."""

    def __init__(self, cap: str | int | float, used: dict[str, str] | None = None) -> None:
        self.cap = Fraction(str(cap))
        self._used = {name: Fraction(cost) for name, cost in (used or {}).items()}

    @property
    def spent(self) -> Fraction:
        """ε so far: each memory costs the lesser of its reports and itself; reports without memory add up."""
        return sum(self._used.values(), Fraction(0))

    def report(self, device: Device, value: Any) -> bytes:
        """A report, if the cap covers it; the charge is made before the report exists."""
        alone, memory = (Fraction(price) for price in device.prices)
        name = device.memory(value)
        key = "" if name is None else name.hex()
        before = self._used.get(key, Fraction(0))
        after = before + alone if name is None else min(before + alone, memory)
        if self.spent - before + after > self.cap:
            raise Exhausted("the allowance of this device does not cover another report")
        self._used[key] = after
        return device.report(value)

    def to_json(self) -> str:
        """What to keep."""
        return json.dumps({"cap": str(self.cap), "used": {name: str(cost) for name, cost in self._used.items()}})

    @classmethod
    def from_json(cls, text: str) -> "DeviceAllowance":
        """What was kept."""
        kept = json.loads(text)
        return cls(kept["cap"], kept["used"])
