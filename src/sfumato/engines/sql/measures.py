"""How measures are written in a dialect: what they share, and which of them are computed beforehand."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from sfumato.data import Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.expressions import Expressions, is_plain, is_whole
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.measures import AdditiveMeasure, Measure, OfValue, Place, Present, Sum

M = TypeVar("M", bound=Measure)
_EXACT = 2**52  # whole doubles below this are told apart from their halves


def lifted(measures: Sequence[M], at: int) -> tuple[list[M], list[Expression]]:
    """Measures whose functions are computed beforehand, as columns from `at` on, and what these compute.

    A measure names what it measures several times, and a function that may fail is not computed once for all of them:
    the optimiser that would see to it is left out for such questions.
    """
    computed: list[Expression] = []
    found: list[M] = []
    for measure in measures:
        if not isinstance(measure, OfValue) or is_plain(measure.of):
            found.append(measure)
            continue
        of = measure.of
        if of not in computed:
            computed.append(of)
        kind = Kind.REAL if of.kind.is_number else of.kind
        found.append(replace(measure, of=Ref(at + computed.index(of), Field("", kind, of.range))))
    return found, computed


def placed(measures: Sequence[Measure]) -> list[tuple[AdditiveMeasure, Place]]:
    """The measures that add up, each with its number and that of the one that counts its rows.

    A sum of the same values has the number of rows with a value at hand.
    """
    sums = [(i, each) for i, each in enumerate(measures) if isinstance(each, Sum)]
    found = []
    for i, measure in enumerate(measures):
        same: list[int] = []
        if isinstance(measure, Present):
            same = [j for j, each in sums if (each.of, each.where) == (measure.of, measure.where)]
        if isinstance(measure, AdditiveMeasure):
            found.append((measure, Place(i, same[0] if same else i)))
    return found


class MeasureWriter:
    """Writes what measures share in a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect, self._expressions = dialect, Expressions(dialect)
        self.sql, self.present = self._expressions.sql, self._expressions.present
        self.wide, self.total = dialect.wide, dialect.total
        self.adds_doubles = dialect.adds_doubles

    def whole(self, made: str) -> str:
        """A number that is whole as 64 bits."""
        return f"CAST({made} AS {self.dialect.type_of(Kind.INTEGER)})"

    def as_whole(self, made: str) -> str:
        """The same as 64 bits; NULL where it is too large."""
        return self.dialect.cast(made, Kind.INTEGER, Kind.INTEGER)

    def is_whole(self, of: Expression) -> bool:
        """Whether a number is whole as it stands."""
        return is_whole(of)

    def in_steps(self, made: str, step: Fraction) -> str:
        """So many steps as a double."""
        number = f"CAST({made} AS {self.dialect.type_of(Kind.REAL)})"
        return self.dialect.function("mul", [number, self.dialect.double(step)], Kind.REAL)

    def over(self, made: str, count: str) -> str:
        """A double divided by a number of rows; NULL where there are none."""
        return self.dialect.function("div", [made, f"CAST({count} AS {self.dialect.type_of(Kind.REAL)})"], Kind.REAL)

    def summed(self, made: str, where: str = "") -> str:
        """The sum of whole numbers of one person, where a condition holds."""
        return self.dialect.summed(made, narrow=False, over=where)

    def whole_steps(self, of: Expression) -> str:
        """The steps of a bounded number, as 64 bits."""
        found = of.range
        assert found.lower is not None
        assert found.upper is not None
        return self.whole(self.placed(of, found.step, round(found.lower / found.step), round(found.upper / found.step)))

    def placed(self, of: Expression, step: Fraction, low: int, high: int) -> str:
        """round(x/step) within low and high, a whole double (or 64 bits); NULL for NULL and for NaN."""
        if is_whole(of) and step == 1:
            x = self._expressions.sql(of)
            beyond = f"WHEN {x} < {low} THEN {low} WHEN {x} > {high} THEN {high}"
            return f"CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} {beyond} END"
        d, double = self.dialect, self.dialect.double
        x = self._expressions.number(of)
        scaled = d.scaled(x, step)
        if max(abs(low), abs(high)) >= _EXACT:
            rounded = d.function("floor", [f"{scaled} + 0.5"], Kind.REAL)
            held = d.function("least", [double(high), rounded], Kind.REAL)
            held = d.function("greatest", [double(low), held], Kind.REAL)
            whole = f"CAST({held} AS {d.type_of(Kind.INTEGER)})"
            return f"CASE WHEN {x} IS NOT NULL AND NOT {d.is_nan(x)} THEN {whole} END"
        # Comparisons on what is rounded, not on x: floor of [low, high + 1) is within the bounds whatever was lost
        # before. NaN is above infinity in every comparison, or in none; NULL is in none.
        y, ends = f"({scaled} + 0.5)", (double(low), double(high))
        return (
            f"CASE WHEN {y} >= {ends[0]} AND {y} < {double(high + 1)} THEN {d.function('floor', [y], Kind.REAL)} "
            f"WHEN {y} < {ends[0]} THEN {ends[0]} WHEN {y} <= {double(float('inf'))} THEN {ends[1]} END"
        )
