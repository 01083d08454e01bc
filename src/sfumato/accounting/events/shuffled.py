"""Local reports seen in random order: what the crowd adds to each one's own coins."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting import shuffle
from sfumato.accounting.events.base import Exact, both, whole_from_one
from sfumato.accounting.losslaw import LossLaw
from sfumato.exact.parameters import Real, amount, positive
from sfumato.exact.rounding import up

_MOST_EPSILON = 20  # beyond, clones are too rare for a law of their own


@dataclass(frozen=True)
class Shuffled(Exact):
    """One ε-locally private report from each of `people`, in an order that tells nothing; one person's value changes.

    The pure price stays ε; a δ buys much less (Feldman, McMillan, Talwar 2021). It rests on a shuffler that is trusted
    to mix and to drop whatever names the sender, and on all `people` reporting honestly.
    """

    epsilon: Real
    people: int
    tag: ClassVar[str] = "shuffled"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive, "people": whole_from_one}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        if self.people < 2 or self.pure() > _MOST_EPSILON:
            return super().laws()
        return both(shuffle.law(up(self.pure()), self.people))

    def certain_laws(self) -> None:
        """The dominating pair is not always reached."""
        return
