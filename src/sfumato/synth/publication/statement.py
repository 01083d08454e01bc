"""The statement of a publication: who is protected, what was spent, and what lies in the folder, for programs.

It is written last, and it names the digest of every other file: a folder whose files are others is not opened.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from sfumato import __version__
from sfumato.accounting.events import Event
from sfumato.core.printing import Json
from sfumato.data import Kind
from sfumato.errors import InvalidParameter
from sfumato.query.question import MEANING
from sfumato.query.workload import MOST_CELLS
from sfumato.synth.publication.parts import Domains
from sfumato.synth.publication.public_tree import as_range

FORMAT, VERSION = "sfumato/publication", 1
ROWS_FILE = "rows.parquet"
ALWAYS = ("measurements.bin", "tables.json", "metadata.json", "report.html")
"""Files that every publication has."""
Bins = tuple[tuple[float | int, float | int] | None, ...]
"""Of each value, from and up to but without; None for the place of what has no value."""
_READERS = {Kind.DATE: date.fromisoformat, Kind.TIMESTAMP: datetime.fromisoformat}


@dataclass(frozen=True)
class SettledPublication:
    """What the curator knows of a publication once it is settled."""

    publication: str
    name: str
    dataset: str
    unit: str
    neighbours: str
    event: Event
    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction
    receipt: str
    time: int
    """Of the entry that settled it, in nanoseconds since 1970."""
    plan: Mapping[str, Json]
    kinds: Mapping[str, Kind]
    domains: Domains
    rows_per_person: int
    """What the rows of one person weigh in all at most."""
    parts: tuple[Mapping[str, Json], ...]
    measured: str
    """The SHA-256 of the file of measurements, as the ledger has it."""
    bins: Mapping[str, Bins] = field(default_factory=dict)
    """Of columns whose values stand for bins, the ends of each."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Of columns whose texts were found, the value that stands for all that are not listed."""

    def word(self, column: str, place: int) -> str:
        """A value of a column, as people read it: of a bin its ends."""
        value = self.domains[column][place]
        ends = self.bins[column][place] if column in self.bins else None
        if value is None:
            return "none"
        return str(value) if ends is None else bin_words(ends, whole=self.kinds[column] is Kind.INTEGER)

    def listed(self, name: str) -> tuple[Kind, tuple[Any, ...]]:
        """The kind and the public values of a column, or of a level of a hierarchy."""
        return self.kinds[name], self.domains[name]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the plan, which rows have; levels of a hierarchy are beside them."""
        named: Any = self.plan.get("columns", list(self.domains))
        return tuple(named)

    def to_json(self) -> dict[str, Json]:
        """All of it but the files, which are named once they are there."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "publication": self.publication,
            "name": self.name,
            "dataset": self.dataset,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "rows_per_person": self.rows_per_person,
            "epsilon": amount_json(self.epsilon),
            "rho": amount_json(self.rho),
            "delta": amount_json(self.delta),
            "event": self.event.to_json(),
            "receipt": self.receipt,
            "time": self.time,
            "measured": self.measured,
            "plan": dict(self.plan),
            "columns": {
                name: {
                    "kind": self.kinds[name].value,
                    **values_json(values),
                    **({"bins": bins_json(self.bins[name])} if name in self.bins else {}),
                    **({"other": self.others[name]} if name in self.others else {}),
                }
                for name, values in self.domains.items()
            },
            "parts": [dict(part) for part in self.parts],
            "versions": {"sfumato": __version__, "meaning": MEANING},
        }


def bin_words(ends: tuple[float | int, float | int], *, whole: bool) -> str:
    """A bin, as people read it.

    >>> bin_words((0, 10), whole=True), bin_words((7, 8), whole=True), bin_words((0.0, 2.5), whole=False)
    ('0 to 9', '7', '0 to 2.5')
    """
    low, high = ends
    if whole:
        return f"{low}" if high - low == 1 else f"{low} to {high - 1}"
    return f"{low:g} to {high:g}"


def amount_json(value: Fraction | None) -> dict[str, Json] | None:
    """An amount as a number, which may be rounded, and exactly.

    >>> amount_json(Fraction(1, 3))
    {'number': 0.3333333333333333, 'exact': '1/3'}
    """
    return None if value is None else {"number": float(value), "exact": str(value)}


def bins_json(bins: Bins) -> list[Json]:
    """Bins as JSON writes them."""
    return [None if each is None else list[Json](each) for each in bins]


def value_json(value: Any) -> Json:
    """A public value as JSON writes it."""
    return value.isoformat() if isinstance(value, date) else value


def values_json(values: tuple[Any, ...]) -> dict[str, Json]:
    """Public values in order; whole numbers one after the other by their ends.

    >>> values_json((3, 4, 5)), values_json(("a", None))
    ({'from': 3, 'to': 5}, {'values': ['a', None]})
    """
    found = as_range(values)
    if found is not None:
        return {"from": found[0], "to": found[-1]}
    return {"values": [value_json(value) for value in values]}


def read_values(about: Mapping[str, Any]) -> tuple[Kind, tuple[Any, ...]]:
    """The kind of a column and its public values, as a statement writes them."""
    kind = Kind(about["kind"])
    if "values" not in about:
        first, last = int(about["from"]), int(about["to"])
        if last - first >= MOST_CELLS:
            raise ValueError("no table has so many cells")
        return kind, tuple(range(first, last + 1))
    reader = _READERS.get(kind)
    return kind, tuple(value if value is None or reader is None else reader(value) for value in about["values"])


def check_format(document: object) -> Mapping[str, Any]:
    """A statement of the version that is read here, or one clear error."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise InvalidParameter(
            "publication", "has no statement of format", FORMAT, hint="open the folder it was written to"
        )
    if document.get("version") != VERSION:
        raise InvalidParameter(
            "publication", f"must be of version {VERSION}", document.get("version"),
            hint="open it with the version of sfumato that the statement names",
        )  # fmt: skip
    return document
