"""A published folder, asked without data, ledger or network: every question of its workload, each with an error bar.

The offline curator (Survey §3.2): once released, the object answers by itself and the data may be destroyed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

from sfumato.accounting.serial import from_json
from sfumato.core.naming import known_names
from sfumato.data import Kind
from sfumato.engines.duckdb.published import asked, counts_in
from sfumato.errors import InvalidParameter, InvalidQuestion
from sfumato.exact.parameters import Real, open_probability
from sfumato.synth.publication.answers import PublishedAnswer, answer, combined
from sfumato.synth.publication.building import parts_of, shown_tables
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.folder import MEASUREMENTS, STATEMENT
from sfumato.synth.publication.measurements import digest_of_file, read
from sfumato.synth.publication.parts import MeasuredPart
from sfumato.synth.publication.query_part import MeasuredQueries
from sfumato.synth.publication.range_answers import PublishedQuantile, cumulative, quantile_of
from sfumato.synth.publication.range_levels import MeasuredRanges
from sfumato.synth.publication.statement import ALWAYS, ROWS_FILE, check_format, read_values
from sfumato.synth.publication.table_part import MeasuredTable
from sfumato.synth.publication.tables import NoisyTable

Wanted = Mapping[str, Any]
"""Columns, and for each a value, or a list of values."""
_SHOWN = 5


@dataclass(frozen=True)
class PublishedMarginal:
    """The counts of every cell of some columns: values, and an answer for each, all with one bar."""

    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[Any, ...], PublishedAnswer], ...]

    def __iter__(self) -> Iterator[tuple[tuple[Any, ...], PublishedAnswer]]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


@dataclass(frozen=True)
class Publication:
    """What was published once, and is asked for nothing: `Publication.open("release/")`."""

    path: Path
    statement: Mapping[str, Any]
    """`privacy.json`, as it was checked."""
    columns: Mapping[str, tuple[Any, ...]]
    """Every column and its public values, in order."""
    kinds: Mapping[str, Kind]
    parts: tuple[MeasuredPart, ...]

    @property
    def tables(self) -> tuple[NoisyTable, ...]:
        """Every noisy table."""
        return tuple(table for part in self.parts for table in part.tables)

    @classmethod
    def open(cls, path: Path | str) -> "Publication":
        """The publication in a folder, once every file is found to be the one its statement names."""
        folder = Path(path)
        try:
            document = json.loads((folder / STATEMENT).read_bytes())
        except (OSError, ValueError):
            raise InvalidParameter(
                "publication", f"has no statement ({STATEMENT}), so it is none, or not finished", str(folder),
                hint="publish into it again with the same plan: what was charged is not charged twice",
            ) from None  # fmt: skip
        statement = check_format(document)
        try:
            _check_files(folder, statement["files"])
            _check_price(statement)
            needed = (*ALWAYS, *(() if statement["rows"] is None else (ROWS_FILE,)))
            if missing := [each for each in needed if each not in statement["files"]]:
                raise _altered(missing[0])
            name, measured = read((folder / MEASUREMENTS).read_bytes())
            if statement["files"].get(MEASUREMENTS) != statement["measured"] or name != statement["publication"]:
                raise _altered(MEASUREMENTS)
            read_columns = {column: read_values(about) for column, about in statement["columns"].items()}
            parts = parts_of(statement["parts"], measured)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InvalidParameter):
                raise
            raise InvalidParameter("publication", "has a statement that says too little", str(folder)) from None
        kinds = {column: kind for column, (kind, _) in read_columns.items()}
        values = {column: listed for column, (_, listed) in read_columns.items()}
        return cls(folder, statement, values, kinds, parts)

    # ---- what it is ----

    @property
    def receipt(self) -> str:
        """The entry of the ledger that settled it."""
        return str(self.statement["receipt"])

    @property
    def epsilon(self) -> Fraction | None:
        """What was spent in ε, if it was."""
        said = self.statement["epsilon"]
        return None if said is None else Fraction(said["exact"])

    @property
    def delta(self) -> Fraction:
        """What was spent in δ."""
        return Fraction(self.statement["delta"]["exact"])

    @property
    def rows(self) -> Path | None:
        """The file of made-up rows, if there is one."""
        about = self.statement["rows"]
        return None if about is None else self.path / ROWS_FILE

    # ---- what it answers ----

    def count(
        self, wanted: Wanted | None = None, *, confidence: Real = Fraction(95, 100), rows: bool = False
    ) -> PublishedAnswer:
        """How many rows have these values: `count({"ward": "surgery", "age": [60, 70]})`; all of them, if none is said.

        A person's rows count with the curator's weights. What no measured table holds is refused; with `rows=True` it
        is counted in the made-up rows, and nothing is promised of its error.
        """
        chosen = self._chosen(wanted or {})
        sure = 1 - open_probability("confidence", 1 - open_probability("confidence", confidence))
        ways = [answer(self.tables, chosen, sure), *(part.answer(chosen, sure) for part in self.parts)]
        found = [each for each in ways if each is not None and each.standard_error is not None]
        if found:
            return min(found, key=lambda each: each.standard_error or 0.0)
        if not rows:
            raise self._outside(chosen)
        return self._in_rows(chosen, float(sure))

    def marginal(self, *columns: str, confidence: Real = Fraction(95, 100)) -> PublishedMarginal:
        """The counts of every cell of some columns, each with its error bar."""
        for name in columns:
            self._known(name)
        if len(set(columns)) != len(columns):
            raise InvalidQuestion("a column is named twice", hint="name it once")
        sure = open_probability("confidence", confidence)
        how = combined(self.tables, dict.fromkeys(columns, 1))
        if how is None:
            for part in self.parts:
                if isinstance(part, MeasuredTable) and part.holds(columns):
                    return self._estimated(part.estimate(columns), sure)
            raise self._outside(dict.fromkeys(columns, ()))
        sums = [table.over(columns) for table in how.tables]
        off, error = how.reach(1 - sure), sqrt(how.variance)
        names, cells = tuple(table.name for table in how.tables), []
        for place in product(*(range(len(self.columns[name])) for name in columns)):
            parts = zip(how.tables, how.weights, sums, strict=True)
            value = sum((weight * Fraction(int(each[place]), 1 << t.bits) for t, weight, each in parts), Fraction(0))
            values = tuple(self.columns[name][at] for name, at in zip(columns, place, strict=True))
            ends = float(value - off), float(value + off)
            cells.append((values, PublishedAnswer(float(value), error, *ends, float(sure), names)))
        return PublishedMarginal(tuple(columns), tuple(cells))

    def _estimated(self, table: EstimatedTable, sure: Fraction) -> PublishedMarginal:
        """The cells of a table that was estimated from residuals."""
        off, cells = table.reach(1 - sure), []
        for place in product(*(range(size) for size in table.counts.shape)):
            values = tuple(self.columns[name][at] for name, at in zip(table.columns, place, strict=True))
            value = float(table.counts[place])
            found = PublishedAnswer(value, table.deviation, value - off, value + off, float(sure), (table.name,))
            cells.append((values, found))
        return PublishedMarginal(table.columns, tuple(cells))

    def cdf(self, column: str, *, confidence: Real = Fraction(95, 100)) -> PublishedMarginal:
        """How many rows have at most each value of a column whose ranges were measured, each with its error bar."""
        part, values = self._ranges(column)
        sure = open_probability("confidence", confidence)
        found = cumulative(part, len(values), sure)
        return PublishedMarginal((column,), tuple(((value,), each) for value, each in zip(values, found, strict=True)))

    def quantile(self, column: str, q: Real, *, confidence: Real = Fraction(95, 100)) -> PublishedQuantile:
        """The first value up to which at least a share q of the rows are, and between which values it surely lies.

        Rows without a value in the column do not count. Quantiles of any order cost nothing.
        """
        part, values = self._ranges(column)
        sure, share = open_probability("confidence", confidence), open_probability("q", q)
        places = quantile_of(part, len(values), share, sure)
        value, low, high = (values[place] for place in places)
        return PublishedQuantile(value, low, high, float(sure))

    def _ranges(self, column: str) -> tuple[MeasuredRanges, tuple[Any, ...]]:
        """The most precise ranges of a column, and its values but NULL."""
        known = self._known(column)
        found = [part for part in self.parts if isinstance(part, MeasuredRanges) and part.column == column]
        if not found:
            raise InvalidQuestion(
                f"no ranges of `{column}` were published", hint='[[measure]] with kind = "ranges" in the plan'
            )
        values = tuple(value for value in known if value is not None)
        if known[: len(values)] != values or not values:
            raise InvalidQuestion(f"the values of `{column}` have no order without NULL", hint="ask count instead")
        return min(found, key=lambda part: part.noise.variance / 4.0**part.bits), values

    @property
    def queries(self) -> tuple[str, ...]:
        """The linear queries that were measured, by name."""
        return tuple(name for part in self._asked for name in part.names)

    def query(self, name: str, *, confidence: Real = Fraction(95, 100)) -> PublishedAnswer:
        """What is said of a linear query of the plan: R(A, v), with how far it may be off where that is known."""
        sure = 1 - open_probability("confidence", 1 - open_probability("confidence", confidence))
        for part in self._asked:
            if name in part.names:
                return part.query(name, sure)
        raise InvalidQuestion(f"no query `{name}` was published", hint=known_names(name, self.queries))

    @property
    def _asked(self) -> tuple[MeasuredQueries, ...]:
        return tuple(part for part in self.parts if isinstance(part, MeasuredQueries))

    def sql(self, text: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """What SQL finds in the made-up rows, for nothing: columns, and lines. Nothing is promised of their errors.

        The one table has the name of the publication.
        """
        if self.rows is None:
            raise InvalidQuestion("no rows were published", hint='count({"ward": "surgery"}) answers from its tables')
        columns, lines = asked(self.rows, str(self.statement["name"]), text)
        return tuple(columns), lines

    def _chosen(self, wanted: Wanted) -> dict[str, Sequence[int]]:
        """The places of the values that are wanted."""
        if not isinstance(wanted, Mapping):
            raise InvalidQuestion("a count is asked by columns and values", hint='count({"ward": "surgery"})')
        found: dict[str, Sequence[int]] = {}
        for name, value in wanted.items():
            known = self._known(name)
            values = list(value) if isinstance(value, list | tuple | set | frozenset | range) else [value]
            places = set()
            for each in values:
                if not any(type(each) is type(other) and each == other for other in known):
                    shown = ", ".join(map(repr, known[:_SHOWN]))
                    raise InvalidQuestion(
                        f"`{name}` has no value {each!r}", hint=f"such as {shown}{', …' if known[_SHOWN:] else ''}"
                    )
                places.add(next(at for at, other in enumerate(known) if type(each) is type(other) and each == other))
            found[name] = sorted(places)
        return found

    def _known(self, name: object) -> tuple[Any, ...]:
        if name not in self.columns:
            raise InvalidQuestion(f"no column `{name}` was published", hint=known_names(name, self.columns))
        return self.columns[str(name)]

    def _outside(self, chosen: Mapping[str, Sequence[int]]) -> InvalidQuestion:
        names = " × ".join(chosen) or "all rows"
        also = "; with rows=True it is counted in the made-up rows, without any bound" if self.rows is not None else ""
        every = shown_tables(self.parts)
        measured = ", ".join(table.name for table in every[:_SHOWN])
        return InvalidQuestion(
            f"no measured table holds {names}", hint=f"measured: {measured}{', …' if every[_SHOWN:] else ''}{also}"
        )

    def _in_rows(self, chosen: Mapping[str, Sequence[int]], confidence: float) -> PublishedAnswer:
        if self.rows is None:
            raise self._outside(chosen)
        listed = {name: (self.kinds[name], self.columns[name]) for name in chosen}
        weight = str(self.statement["rows"].get("weight", ""))
        ((names, table),) = zip([tuple(chosen)], counts_in(self.rows, listed, [tuple(chosen)], weight), strict=True)
        for axis, name in enumerate(names):
            table = table.take(list(chosen[name]), axis=axis)
        return PublishedAnswer(float(table.sum()), None, None, None, confidence, ())

    def __repr__(self) -> str:
        number = len(shown_tables(self.parts))
        return f"<publication {self.statement['name']}: {number} tables of {', '.join(self.columns)}>"


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, known in files.items():
        place = folder / name
        if place.resolve().is_relative_to(folder.resolve()) and place.is_file() and digest_of_file(place) == known:
            continue
        raise _altered(name)


def _check_price(statement: Mapping[str, Any]) -> None:
    """What is said to have been spent is the price of the event that is said to have happened."""
    event = from_json(statement["event"])
    said, delta = statement["epsilon"], Fraction(statement["delta"]["exact"])
    price = (event.zcdp(), event.extra_delta()) if said is None else (event.pure(), event.pure_delta())
    spent = Fraction((statement["rho"] if said is None else said)["exact"])
    if price != (spent, delta):
        raise InvalidParameter(
            "publication", "has a statement whose price is not that of its event", STATEMENT,
            hint="find the whole folder as it was published; the ledger has its digests",
        )  # fmt: skip


def _altered(name: str) -> InvalidParameter:
    return InvalidParameter(
        "publication", "has a file that is missing or is not the one that was published", name,
        hint="publish into it again with the same plan, which is free; or find the whole folder",
    )  # fmt: skip
