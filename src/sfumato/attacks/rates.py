"""How often an attack succeeds, with an interval that says how sure that is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low
from sfumato.errors import InvalidParameter

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """Successes out of trials.

    >>> print(Rate(9, 10))
    90 % (55.5 to 99.7 %)
    """

    successes: int
    trials: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.trials or self.trials < 1:
            raise InvalidParameter("successes", f"must be between 0 and {self.trials} trials", self.successes)

    @classmethod
    def of(cls, outcomes: Iterable[Any]) -> "Rate":
        """The rate of what is true."""
        listed = [bool(outcome) for outcome in outcomes]
        return cls(sum(listed), len(listed))

    def __add__(self, other: "Rate") -> "Rate":
        return Rate(self.successes + other.successes, self.trials + other.trials)

    @property
    def share(self) -> float:
        """Successes over trials."""
        return self.successes / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson's limits at 95 %."""
        alpha = (1 - CONFIDENCE) / 2
        low = float(clopper_pearson_low(self.successes, self.trials, alpha))
        return low, float(clopper_pearson_high(self.successes, self.trials, alpha))

    def __str__(self) -> str:
        low, high = self.interval
        return f"{_percent(self.share)} % ({_percent(low)} to {_percent(high)} %)"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".rstrip("0").rstrip(".")
