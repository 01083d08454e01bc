"""k-anonymity: every combination of quasi-identifiers is shared by k people (Survey §1.1.1; Samarati, Sweeney 1998)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from sfumato.anonymity.hierarchies import Hierarchy
from sfumato.anonymity.tables import Microdata, Roles
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, probability, whole

_MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class Check:
    """How anonymous a table is: the size of its smallest class, and how many rows are in classes below k."""

    k: int
    smallest: int
    classes: int
    rows: int
    exposed: int

    @property
    def holds(self) -> bool:
        """Whether every class has k rows; a table without rows holds every k."""
        return self.exposed == 0

    def __str__(self) -> str:
        verdict = "holds" if self.holds else f"fails: {self.exposed} of {self.rows} rows are in smaller classes"
        return f"{self.k}-anonymity {verdict} ({self.classes} classes, the smallest of {self.smallest})"


def check(table: Microdata, quasi: tuple[str, ...], *, k: int) -> Check:
    """Whether any combination of quasi-identifiers that occurs is shared by k rows.

    >>> people = Microdata.of([{"zip": "02138", "sex": sex} for sex in "ffm"])
    >>> print(check(people, ("zip", "sex"), k=2))
    2-anonymity fails: 1 of 3 rows are in smaller classes (2 classes, the smallest of 1)
    """
    whole("k", k, least=1)
    sizes = table.classes(quasi).values()
    return Check(k, min(sizes, default=0), len(sizes), len(table), sum(size for size in sizes if size < k))


@dataclass(frozen=True, slots=True)
class Anonymised:
    """A table made k-anonymous: how coarse each column became, and how many rows were left out."""

    table: Microdata
    levels: Mapping[str, int]
    suppressed: int


def generalise(table: Microdata, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Microdata:
    """The table with each column at its level."""
    for name, level in levels.items():
        ladder = hierarchies[name]
        table = table.with_column(name, [ladder.at(level, value) for value in table.column(name)])
    return table


def anonymise(
    table: Microdata, roles: Roles, hierarchies: Mapping[str, Hierarchy], *, k: int, most_suppressed: Real = 0.02
) -> Anonymised:
    """The least generalised table in which every class has k rows; identifiers are removed.

    Every column has one level for all rows. Among the levels of least total height that need to leave out no more than
    `most_suppressed` of the rows, the one that leaves out fewest is taken.
    """
    whole("k", k, least=1)
    missing = [name for name in roles.quasi if name not in hierarchies]
    if missing:
        raise InvalidParameter("hierarchies", "must have one for each quasi-identifier, but not for", missing)
    allowed = int(probability("most_suppressed", most_suppressed) * len(table))
    bare = table.without(roles.identifiers) if roles.identifiers else table
    best: tuple[int, dict[str, int], Microdata] | None = None
    height = 0
    for levels in _by_height(roles.quasi, hierarchies):
        if best is not None and sum(levels.values()) > height:
            break
        coarse = generalise(bare, hierarchies, levels)
        exposed = check(coarse, roles.quasi, k=k).exposed
        if exposed <= allowed and (best is None or exposed < best[0]):
            best, height = (exposed, levels, coarse), sum(levels.values())
    if best is None:
        raise InvalidParameter(
            "k", "cannot be reached without leaving out more rows", k, hint="allow more in most_suppressed"
        )
    exposed, levels, coarse = best
    sizes = coarse.classes(roles.quasi)
    kept = coarse.where([sizes[key] >= k for key in coarse.keys(roles.quasi)])
    return Anonymised(kept, levels, exposed)


def _by_height(quasi: tuple[str, ...], hierarchies: Mapping[str, Hierarchy]) -> Iterator[dict[str, int]]:
    """Every combination of levels, the least generalised first."""
    ranges = [range(hierarchies[name].levels) for name in quasi]
    nodes = 1
    for levels in ranges:
        nodes *= len(levels)
    if nodes > _MOST_NODES:
        raise InvalidParameter("hierarchies", f"must have at most {_MOST_NODES} combinations of levels", nodes)
    for combination in sorted(product(*ranges), key=lambda levels: (sum(levels), levels)):
        yield dict(zip(quasi, combination, strict=True))
