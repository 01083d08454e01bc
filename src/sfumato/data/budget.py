"""How much may be learned: ε, ε and δ, or ρ, as the owner writes it."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidDeclaration

_PLAIN = re.compile(r"[0-9]{1,18}(\.[0-9]{1,40})?(e-?[0-9]{1,3})?|[0-9]{1,40}/[0-9]{1,40}", re.IGNORECASE)
_WINDOWS = ("hour", "day", "month", "year")


def exactly(name: str, value: Any) -> Fraction:
    """The rational that a declared amount is; a float of a TOML file means the decimal that was written."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        raise InvalidDeclaration(f"{name} must be a number: {value!r}", hint=f'for example {name} = "0.5"')
    text = repr(value) if isinstance(value, float) else str(value)
    if not _PLAIN.fullmatch(text):
        raise InvalidDeclaration(f"{name} must be a plain positive number: {text}", hint=f'for example {name} = "0.5"')
    try:
        return Fraction(text) if "/" in text else Fraction(Decimal(text))
    except (InvalidOperation, ZeroDivisionError):
        raise InvalidDeclaration(f"{name} must be a plain positive number: {text}") from None


@dataclass(frozen=True, slots=True)
class Allowance:
    """A cap on everything that is learned: `epsilon` (with `delta`), or `rho` (with `delta` for unknown keys).

    `accounting` says how ε is kept: "sum" adds ε and δ, "renyi" keeps (ε, δ) by a Rényi filter.
    """

    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    accounting: str = "sum"
    windows: tuple[tuple[str, "Allowance"], ...] = ()

    @property
    def amount(self) -> Fraction:
        """ε or ρ, whichever is kept."""
        found = self.epsilon if self.rho is None else self.rho
        return found if found is not None else Fraction(0)

    @property
    def currency(self) -> str:
        """The word for what is kept."""
        return "epsilon" if self.rho is None else "rho"

    @classmethod
    def declared(cls, where: str, given: Any, *, window: bool = False) -> "Allowance":
        """The allowance that a table of the declaration writes down."""
        if not isinstance(given, dict):
            raise InvalidDeclaration(f"[{where}] must be a table", hint='for example epsilon = "3"')
        known = {"epsilon", "delta", "rho", "accounting", *(() if window else _WINDOWS)}
        for name in given:
            if name not in known:
                raise InvalidDeclaration(f"[{where}] has an unknown entry `{name}`", hint=f"known: {sorted(known)}")
        if ("epsilon" in given) == ("rho" in given):
            raise InvalidDeclaration(f"[{where}] needs either epsilon or rho", hint='for example epsilon = "3"')
        made = cls(
            epsilon=exactly("epsilon", given["epsilon"]) if "epsilon" in given else None,
            delta=exactly("delta", given.get("delta", 0)),
            rho=exactly("rho", given["rho"]) if "rho" in given else None,
            accounting=given.get("accounting", "sum"),
            windows=tuple(
                (period, cls.declared(f"{where}.{period}", given[period], window=True))
                for period in _WINDOWS
                if period in given and not window
            ),
        )
        return made._checked(where)

    def _checked(self, where: str) -> "Allowance":
        if self.amount <= 0:
            raise InvalidDeclaration(f"[{where}] {self.currency} must be positive", hint='for example epsilon = "3"')
        if not 0 <= self.delta < 1:
            raise InvalidDeclaration(f"[{where}] delta must be at least 0 and below 1", hint='for example "1e-7"')
        if self.accounting not in ("sum", "renyi"):
            raise InvalidDeclaration(f"[{where}] accounting must be sum or renyi: {self.accounting!r}")
        if self.accounting == "renyi" and (self.rho is not None or self.delta == 0):
            raise InvalidDeclaration(f"[{where}] accounting by Rényi curves needs epsilon and a delta above 0")
        return self
