"""A measure's columns: of a row, of a person in a group, and of a group.

Where a person has more than `rows` rows in a group, the rows count in part: all of them with weight rows/n, which is
what keeping `rows` of them at random gives on average, and sums and counts keep the same rows.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato.data import Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.expressions import Expressions, is_plain, is_whole
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.measures import Measure

_WIDE = 2**30  # sums of this many steps a person stay within 64 bits for 2**33 people
_LIGHT = 2**16  # sums of whole doubles of this size are exact up to 2**37 rows, and twice as fast as 128 bits
_EXACT = 2**52  # whole doubles below this are told apart from their halves
_FEW = 2**9  # a light sum times this many rows stays within 64 bits


def lifted(measures: Sequence[Measure], at: int) -> tuple[list[Measure], list[Expression]]:
    """Measures whose functions are computed beforehand, as columns from `at` on, and what these compute.

    A measure names what it measures several times, and a function that may fail is not computed once for all of them:
    the optimiser that would see to it is left out for such questions.
    """
    computed: list[Expression] = []
    found = []
    for measure in measures:
        of = measure.of
        if of is None or is_plain(of):
            found.append(measure)
            continue
        if of not in computed:
            computed.append(of)
        kind = Kind.REAL if of.kind.is_number else of.kind
        found.append(replace(measure, of=Ref(at + computed.index(of), Field("", kind, of.range))))
    return found, computed


def twins(measures: Sequence[Measure]) -> list[int]:
    """Of each measure the one whose rows are counted for it: a sum of the same values has them at hand."""
    found = []
    for i, measure in enumerate(measures):
        same = [j for j, each in enumerate(measures) if each.kind in ("sum", "square")
                and (each.of, each.where) == (measure.of, measure.where)]  # fmt: skip
        found.append(same[0] if same and measure.kind in ("split", "present") else i)
    return found


def needs_rows(measure: Measure) -> bool:
    """Whether a person's number of rows in a group decides how many of them count."""
    return measure.where is None and (measure.kind in ("rows", "split") or measure.shared)


def is_light(measure: Measure) -> bool:
    """Whether whole doubles add up exactly, whatever the order, so that wide sums are not needed."""
    return measure.kind == "sum" and measure.unit <= _LIGHT


class Columns:
    """Writes the columns of measures in a dialect; `i` is the measure's number (see the legend in `statements.py`)."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect, self._expressions = dialect, Expressions(dialect)

    # ---- one row's part ----

    def steps(self, measure: Measure) -> str:
        """The whole steps that a row adds, within its bounds and from the centre; NULL where it adds nothing."""
        assert measure.of is not None
        inner = self.placed(measure.of, measure.step, measure.low, measure.high)
        if measure.centre:
            inner = f"({inner} - ({measure.centre}))"
        if not is_light(measure):
            inner = f"CAST({inner} AS {self._dialect.type_of(Kind.INTEGER)})"
        return inner if measure.where is None else f"CASE WHEN {self._expressions.sql(measure.where)} THEN {inner} END"

    def placed(self, of: Expression, step: Fraction, low: int, high: int) -> str:
        """round(x/step) within low and high, a whole double (or 64 bits); NULL for NULL and for NaN."""
        if is_whole(of) and step == 1:
            x = self._expressions.sql(of)
            beyond = f"WHEN {x} < {low} THEN {low} WHEN {x} > {high} THEN {high}"
            return f"CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} {beyond} END"
        d, double = self._dialect, self._dialect.double
        x = self._expressions.number(of)
        scaled = f"{x} * {double(1 / step)}" if step.numerator == 1 else f"{x} / {double(step)}"
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

    def of_row(self, i: int, measure: Measure, *, twin: bool) -> list[str]:
        """m: what a row adds, or 1 where it counts; f: 1 where the measure's condition holds."""
        sql = self._expressions.sql
        where = "TRUE" if measure.where is None else sql(measure.where)
        both = measure.where is not None and (measure.shared or measure.kind == "split")
        filtered = [f"CASE WHEN {where} THEN 1 END AS f{i}"] if both else []
        if measure.kind in ("sum", "square"):
            return [f"{self.steps(measure)} AS m{i}", *filtered]
        if measure.kind in ("split", "present"):
            assert measure.of is not None
            own = [] if twin else [f"CASE WHEN {where} AND {self._expressions.present(measure.of)} THEN 1 END AS m{i}"]
            return [*own, *filtered]
        if measure.kind in ("rows", "people") and measure.where is not None:
            return [f"CASE WHEN {where} THEN 1 END AS m{i}"]
        return []

    # ---- a person's part in a group ----

    def of_person(self, i: int, measure: Measure, twin: int) -> list[str]:
        """s: the sum of a person's rows; x: how many add something; n: how many the condition holds for."""
        kind = measure.kind
        filtered = [f"count(f{i}) AS n{i}"] if measure.where is not None and (measure.shared or kind == "split") else []
        if kind in ("sum", "square"):
            term = f"m{i}" if kind == "sum" else f"m{i} * m{i}"
            return [f"sum({term}) AS s{i}", f"count(m{i}) AS x{i}", *filtered]
        counted = [f"count(m{i}) AS x{i}"] if twin == i else []
        if kind == "split":
            return [*counted, *filtered]
        if kind == "present" or (kind in ("rows", "people") and measure.where is not None):
            return counted
        return []

    # ---- a group ----

    def of_group(self, i: int, measure: Measure, twin: int, most: int) -> list[str]:
        """a, b: the measure's exact integers, of at most `most` rows a person."""
        kind, filtered = measure.kind, measure.where is not None
        x, n = f"x{twin}", f"n{i}" if filtered else "n"
        if kind == "rows":
            return [f"{self._total(self._least(x if filtered else 'n', most))} AS a{i}"]
        if kind == "present":
            return [f"{self._total(self._least(x, most))} AS a{i}"]
        if kind == "people":
            return [f"{self._total(self._least(x, 1)) if filtered else 'count(*)'} AS a{i}"]
        if kind == "split":
            kept = self._kept(x, n, most)
            return [f"{self._total(kept)} AS a{i}", f"{self._total(f'{self._least(n, most)} - ({kept})')} AS b{i}"]
        if kind in ("sum", "square"):
            kept = f"({self._kept(x, n, most)})" if measure.shared else self._least(x, most)
            narrow = f"CAST(s{i} AS {self._dialect.type_of(Kind.INTEGER)})"
            whole = narrow if is_light(measure) and most <= _FEW else self._dialect.wide(f"s{i}")
            share = self._dialect.divided(f"{whole} * {kept}", f"x{i}")
            part = f"CASE WHEN x{i} > 0 AND {kept} < x{i} THEN {share} ELSE {whole} END"
            return [f"{self._dialect.total(part, narrow=measure.unit * most < _WIDE)} AS a{i}"]
        return []

    def of_all_rows(self, i: int, measure: Measure, twin: int, person: str) -> list[str]:
        """The same straight from rows, where a table was cut at registration and every row counts."""
        kind, filtered = measure.kind, measure.where is not None
        if kind in ("sum", "square"):
            term = f"m{i}" if kind == "sum" else f"m{i} * m{i}"
            return [f"{self._dialect.total(term, narrow=measure.unit < _WIDE)} AS a{i}"]
        if kind == "split":
            whole = f"count(f{i})" if filtered else "count(*)"
            return [f"count(m{twin}) AS a{i}", f"{whole} - count(m{twin}) AS b{i}"]
        if kind == "present":
            return [f"count(m{twin}) AS a{i}"]
        if kind == "rows":
            return [f"count({'m' + str(i) if filtered else '*'}) AS a{i}"]
        if kind == "people":
            one = f"CASE WHEN m{i} = 1 THEN {person} END" if filtered else person
            rows = f"m{i}" if filtered else "*"
            return [f"count({'DISTINCT ' + one if person else rows}) AS a{i}"]
        return []

    def _total(self, term: str) -> str:
        return self._dialect.total(term, narrow=True)

    @staticmethod
    def _least(rows: str, most: int) -> str:
        return f"CASE WHEN {rows} < {most} THEN {rows} ELSE {most} END"

    def _kept(self, present_rows: str, rows: str, most: int) -> str:
        """How many of a person's rows with a value count, if at most `most` of all their rows do."""
        share = self._dialect.divided(f"{present_rows} * {most}", rows)
        return f"CASE WHEN {rows} > {most} THEN {share} ELSE {present_rows} END"
