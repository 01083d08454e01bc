"""The composition attack: two releases, each k-anonymous, that together are not (Ganta, Kasiviswanathan, Smith 2008).

Two hospitals share patients and each publishes a k-anonymous table. A target's class in the one holds some diagnoses
and the class in the other some; only what is in both can be theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.anonymity.hierarchies import Hierarchy, Intervals, Prefixes
from sfumato.anonymity.k_anonymity import Anonymised, anonymise
from sfumato.anonymity.tables import Microdata, Roles
from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low
from sfumato.exact import BitSource, integers
from sfumato.exact.parameters import whole

QUASI = ("zip", "age", "sex")
SENSITIVE = "diagnosis"
LADDERS: tuple[dict[str, Hierarchy], dict[str, Hierarchy]] = (
    {"zip": Prefixes((4, 3)), "age": Intervals((2, 5, 10, 20)), "sex": Prefixes(())},
    {"zip": Prefixes((3,)), "age": Intervals((3, 6, 12, 24)), "sex": Prefixes(())},
)
"""Each hospital makes ages and places coarser in its own way."""
_DIAGNOSES = 1000  # a short list of codes; real ones have tens of thousands


@dataclass(frozen=True, slots=True)
class Composed:
    """How many targets were told for certain from one release, and from both together."""

    targets: int
    from_one: int
    from_both: int
    k: int
    classes: tuple[float, float]
    """The mean number of candidates a target has, in one release and in both."""

    def interval(self, told: int) -> tuple[float, float]:
        """Clopper and Pearson's limits at 95 %."""
        low = float(clopper_pearson_low(told, self.targets, 0.025))
        return low, float(clopper_pearson_high(told, self.targets, 0.025))

    def __str__(self) -> str:
        one, both = self.interval(self.from_one), self.interval(self.from_both)
        return (
            f"of {self.targets} patients of both hospitals, each table {self.k}-anonymous: "
            f"told from one table {self.from_one / self.targets:.1%} ({one[0]:.1%} to {one[1]:.1%}), "
            f"from both {self.from_both / self.targets:.1%} ({both[0]:.1%} to {both[1]:.1%})"
        )


def candidates(released: Anonymised, person: Mapping[str, Any], ladders: Mapping[str, Hierarchy]) -> set[Any]:
    """The secrets that a person known by their quasi-identifiers may have, according to one release."""
    key = tuple(ladders[name].at(released.levels[name], person[name]) for name in QUASI)
    rows = zip(released.table.keys(QUASI), released.table.column(SENSITIVE), strict=True)
    return {secret for found, secret in rows if found == key}


def patients(n: int, *, bits: BitSource | None = None) -> list[dict[str, Any]]:
    """Synthetic patients of a town."""
    count = whole("n", n, least=1)
    columns = (
        integers(40, count, bits=bits),
        integers(90, count, bits=bits),
        integers(2, count, bits=bits),
        integers(_DIAGNOSES, count, bits=bits),
    )
    return [
        {"name": f"patient {i}", "zip": f"021{z:02d}", "age": int(a), "sex": "fm"[s], "diagnosis": f"illness {d}"}
        for i, (z, a, s, d) in enumerate(zip(*(column.tolist() for column in columns), strict=True))
    ]


def release(records: Sequence[Mapping[str, Any]], ladders: Mapping[str, Hierarchy], *, k: int) -> Anonymised:
    """What a hospital publishes: names gone, k-anonymous, a few rows left out."""
    roles = Roles(QUASI, (SENSITIVE,), ("name",))
    return anonymise(Microdata.of(records), roles, ladders, k=k, most_suppressed=0.05)


def compose(*, k: int = 5, shared: int = 100, each: int = 3000, bits: BitSource | None = None) -> Composed:
    """Two hospitals with some patients in common, each k-anonymous, attacked together."""
    people = patients(shared + 2 * each, bits=bits)
    both, one, other = people[:shared], people[shared : shared + each], people[shared + each :]
    first = release([*both, *one], LADDERS[0], k=k)
    second = release([*both, *other], LADDERS[1], k=k)
    alone = together = targets = 0
    sizes = [0, 0]
    for person in both:
        here, there = candidates(first, person, LADDERS[0]), candidates(second, person, LADDERS[1])
        if person[SENSITIVE] not in here & there:
            continue  # the person's row was left out of one of the two
        targets += 1
        alone += here == {person[SENSITIVE]}
        together += here & there == {person[SENSITIVE]}
        sizes[0] += len(here)
        sizes[1] += len(here & there)
    return Composed(targets, alone, together, k, (sizes[0] / max(1, targets), sizes[1] / max(1, targets)))
