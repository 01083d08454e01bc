"""What the ledger hands back: a receipt, a stored answer, or a refusal; and how a balance reads."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sfumato.core.printing import Json

Reason = Literal["budget", "unknown", "pending", "conflict", "lost", "refunded", "new", "busy", "locked"]
"""`new`: nothing is stored and no charge was wanted; `busy`: as many are open as may fail; `locked`: too many did."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A charge that is durable: data may be read now, once, and the answer settled with this receipt."""

    sequence: int
    head: str
    dataset: str
    principal: str
    time: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A release the ledger already holds; nothing was drawn and the dataset was not charged again."""

    sequence: int
    head: str
    release: Json
    sha256: str = ""
    """Of the release's canonical JSON; `Ledger.stream(sequence)` gives that in pieces."""
    size: int = 0
    """How many bytes it is."""

    def __repr__(self) -> str:
        return f"Answered(sequence={self.sequence}, head={self.head!r}, release=…)"


@dataclass(frozen=True, slots=True)
class MissingAmount:
    """A budget that does not hold what is asked of it, in one currency."""

    dataset: str
    group: str
    """A name for several datasets of the same people that share a cap; nothing for a cap of one."""
    principal: str
    period: str
    currency: str
    """What the budget counts in; `delta` where δ is what is missing."""
    cost: Fraction | None
    """None where it is infinite, or where the event has no price in the currency."""
    left: Fraction


@dataclass(frozen=True, slots=True)
class Shortfall(MissingAmount):
    """One budget that refuses: what the event would cost there and what is left (for Rényi, where least is lacking)."""

    delta_cost: Fraction | None = None
    """Of δ, where δ is what refuses; None as well where it is infinite."""
    delta_left: Fraction | None = None
    """Of δ, where δ is what refuses."""
    problem: str = ""
    """Why the event has no price here, if it has none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """No charge and no answer; it was decided without data and cost nothing."""

    reason: Reason
    problem: str
    hint: str = ""
    shortfalls: tuple[Shortfall, ...] = ()
    """Every budget that refuses; problem and hint speak of the first."""

    def __str__(self) -> str:
        return f"{self.problem}\n\nhint: {self.hint}" if self.hint else self.problem


@dataclass(frozen=True, slots=True)
class Patience:
    """How many questions may fail, of one principal and of a dataset, before its owner must look.

    Those that are open may fail as well, so no more are let in than may still fail.
    """

    principal: int
    dataset: int


@dataclass(frozen=True, slots=True)
class Balance:
    """One cap and what was spent under it, in the currency's amount (for Rényi, at the order that is kept best)."""

    dataset: str
    principal: str
    period: str
    turn: str
    currency: str
    cap: Fraction
    spent: Fraction
    delta_cap: Fraction
    delta_spent: Fraction
    group: str = ""
    """The group of datasets whose cap it is; then dataset and principal are empty."""

    @property
    def remaining(self) -> Fraction:
        """What is left of the cap."""
        return self.cap - self.spent


@dataclass(frozen=True, slots=True)
class Quote:
    """What one budget would say to an event that is not charged: how it stands, how it would, and why it refuses.

    Where any budget refuses nothing is charged, and all of them would stand as they do.
    """

    now: Balance
    after: Balance
    shortfall: Shortfall | None = None

    @property
    def charged(self) -> Fraction:
        """What would be charged, in the currency."""
        return self.after.spent - self.now.spent


@dataclass(frozen=True, slots=True)
class Approval:
    """The owner's word on one request of one principal."""

    sequence: int
    granted: bool
    note: str
    time: int
