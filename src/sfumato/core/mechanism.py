"""What a mechanism is to the rest of the house: a price, a release, and an accuracy statement."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource

Exact_contra = TypeVar("Exact_contra", contravariant=True)
Noisy_co = TypeVar("Noisy_co", covariant=True)


class PrivacyLoss(Protocol):
    """A price: composes with + and n *, and is read as (ε, δ)."""

    def epsilon(self, delta: float) -> float:
        """The least ε for which (ε, δ)-differential privacy is known to hold, rounded up."""
        ...

    def delta(self, epsilon: float) -> float:
        """The least δ for which (ε, δ)-differential privacy is known to hold, rounded up."""
        ...


class PrivacyEvent(Protocol):
    """What happened: the parameters of one application, from which any accountant can price it."""

    def to_json(self) -> dict[str, Any]:
        """The event as plain JSON values, readable for ever."""
        ...


@dataclass(frozen=True, slots=True)
class Accuracy:
    """With probability at least 1 - beta the error is at most alpha.

    >>> print(Accuracy(alpha=12.2, beta=0.05))
    within 12.2 with probability 95 %
    >>> print(Accuracy(alpha=2180, beta=1e-10))
    within 2,180 with probability 1 - 1e-10
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        if not 0 < self.beta < 1:
            raise InvalidParameter("beta", "must be between 0 and 1", self.beta)
        if not self.alpha >= 0:
            raise InvalidParameter("alpha", "must not be negative", self.alpha)

    def __str__(self) -> str:
        alpha = f"{self.alpha:.3g}" if self.alpha < 1000 else f"{self.alpha:,.0f}"
        chance = f"{100 * (1 - self.beta):.6g} %" if self.beta >= 1e-6 else f"1 - {self.beta:.3g}"
        return f"within {alpha} with probability {chance}"


class Mechanism(Protocol[Exact_contra, Noisy_co]):
    """A frozen object whose parameters fix its price before any data are seen (Survey Definition 3.1)."""

    @property
    def event(self) -> PrivacyEvent:
        """The price of one release."""
        ...

    def release(self, exact: Exact_contra, *, bits: BitSource | None = None) -> Noisy_co:
        """A noisy answer; `bits` is for tests."""
        ...

    def error(self, beta: float) -> Accuracy:
        """The accuracy theorem as a number, known before anything is spent."""
        ...
