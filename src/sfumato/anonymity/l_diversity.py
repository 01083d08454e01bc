"""ℓ-diversity: a class whose people all have the same secret hides nobody (Machanavajjhala and others 2007)."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

from sfumato.anonymity.tables import Microdata, Row
from sfumato.exact.parameters import Real, positive


@dataclass(frozen=True, slots=True)
class Diversity:
    """The least number of different secrets in a class, the least entropy of them as a number, and who is exposed."""

    l: float  # noqa: E741 - the theory's name
    distinct: int
    entropy: float
    classes: int
    failing: int

    @property
    def holds(self) -> bool:
        """Whether every class has ℓ different secrets."""
        return self.failing == 0

    def __str__(self) -> str:
        verdict = "holds" if self.holds else f"fails in {self.failing} of {self.classes} classes"
        return (
            f"{self.l:g}-diversity {verdict} (fewest different secrets: {self.distinct}, "
            f"by entropy: {self.entropy:.2f})"
        )


def diversity(table: Microdata, quasi: tuple[str, ...], sensitive: str, *, l: Real) -> Diversity:  # noqa: E741
    """Whether every class of quasi-identifiers holds ℓ different values of a sensitive column.

    >>> people = Microdata.of([{"age": "30-39", "illness": "flu"}] * 3)
    >>> print(diversity(people, ("age",), "illness", l=2))
    2-diversity fails in 1 of 1 classes (fewest different secrets: 1, by entropy: 1.00)
    """
    wanted = float(positive("l", l))
    secrets: defaultdict[Row, Counter[object]] = defaultdict(Counter)
    for key, value in zip(table.keys(quasi), table.column(sensitive), strict=True):
        secrets[key][value] += 1
    distinct = [len(counts) for counts in secrets.values()]
    entropies = [_effective(counts) for counts in secrets.values()]
    return Diversity(
        wanted,
        min(distinct, default=0),
        min(entropies, default=0.0),
        len(secrets),
        sum(count < wanted for count in distinct),
    )


def _effective(counts: Counter[object]) -> float:
    """e to the entropy: as many equally likely secrets would be as uncertain."""
    total = sum(counts.values())
    return math.exp(-sum(n / total * math.log(n / total) for n in counts.values()))
