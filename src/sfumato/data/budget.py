"""How much may be learned: ε, ε and δ, or ρ, as the owner writes it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.data.entries import mapping, only, said, text
from sfumato.data.numbers import exactly
from sfumato.errors import InvalidDeclaration

__all__ = ["Allowance", "exactly"]

_WINDOWS = ("hour", "day", "month", "year")


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
        given = mapping(f"[{where}]", given, 'for example epsilon = "3"')
        only(f"[{where}]", given, ("epsilon", "delta", "rho", "accounting", *(() if window else _WINDOWS)))
        if ("epsilon" in given) == ("rho" in given):
            raise InvalidDeclaration(f"[{where}] needs either epsilon or rho", hint='for example epsilon = "3"')
        made = cls(
            epsilon=exactly(f"[{where}] epsilon", given["epsilon"]) if "epsilon" in given else None,
            delta=exactly(f"[{where}] delta", given.get("delta", 0)),
            rho=exactly(f"[{where}] rho", given["rho"]) if "rho" in given else None,
            accounting=text(f"[{where}] accounting", given.get("accounting", "sum"), 'accounting = "renyi"'),
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
            raise InvalidDeclaration(
                f"[{where}] accounting must be sum or renyi: {said(self.accounting)}", hint='accounting = "renyi"'
            )
        if self.accounting == "renyi" and (self.rho is not None or self.delta == 0):
            raise InvalidDeclaration(
                f"[{where}] accounting by Rényi curves needs epsilon and a delta above 0",
                hint='epsilon = "3" and delta = "1e-7"',
            )
        return self
