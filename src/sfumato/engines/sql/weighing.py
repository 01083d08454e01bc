"""What a person's rows count, in SQL: the weights of `query/weights.py`, and what is added up with them.

Where one weight a person is enough, rows are joined with it (`r JOIN q`). Where groups are picked or hold a part of it
each, where people are counted, and where totals of groups may cancel out, lines of person and group come first (`l`).
Rows that add nothing to any aggregate are no part of a person's number of rows.
"""

from collections.abc import Callable, Sequence

from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.measures import MeasureWriter
from sfumato.query.measures import AdditiveMeasure, People, Place, Values
from sfumato.query.measures.base import NARROW
from sfumato.query.measures.people import PARTS_OF_PEOPLE
from sfumato.query.plan import Plan, Project, Scan, Where
from sfumato.query.price import PricedQuery
from sfumato.query.weights import LengthBound

_LONGEST = 2**62
_OF_PERSON = " OVER (PARTITION BY p)"


class Weighing:
    """Writes the weighted statements of one question, of its rows p, k0, k1, …, m0, m1, …"""

    def __init__(
        self,
        query: PricedQuery,
        measures: Sequence[tuple[AdditiveMeasure, Place]],
        rows: str,
        *,
        names: list[str],
        write: MeasureWriter,
        few_groups: Callable[[str], str],
        sets: Sequence[Sequence[str]] | None = None,
        numbered: bool = False,
    ) -> None:
        self._query, self._bounds, self._weights = query, query.bounds, query.weights
        self._names, self._dialect, self._write, self._few_groups = names, write.dialect, write, few_groups
        self._people = [(each, at) for each, at in measures if isinstance(each, People)]
        self._added = [(each, at) for each, at in measures if each.is_weighted]
        self._values = [i for i, each in enumerate(query.measures.measures) if isinstance(each, Values)]
        self._counts = self._rows_that_count()
        self._rows, self._sets = rows, sets
        self._chosen = numbered and query.bounds.picked is not None

    # ---- one weight a person: rows joined with it ----

    def additive(self) -> str:
        """One line a group: its keys, its people, and the exact integers of every additive column."""
        if self._needs_lines:
            return self._over_lines()
        totals = ["0 AS people", *self._totals("w", of_rows=True)]
        begin, rows = self._weighted_rows(self._weights.bits)
        return f"{begin}{self._added_up(totals, rows)}"

    def _added_up(self, totals: Sequence[str], source: str) -> str:
        """One line a group; of every set of keys, where sets are asked for."""
        return added_up(self._dialect, self._names, self._sets, totals, source)

    def values(self, at: int) -> str:
        """One line a group and value: its keys, the value in steps, and what its rows weigh."""
        bits = self._query.bits_of(at)
        grouped = ", ".join([*self._names, "v"])
        total = self._dialect.total("w", narrow=True)
        if not self._apart:
            begin, weighted = self._weighted_rows(bits)
            rows = f"SELECT {', '.join([*self._names, f'm{at} AS v', 'w'])} FROM {weighted}"
        else:
            same = " AND ".join(["r.p = l.p", *(self._dialect.same(f"r.{k}", f"l.{k}") for k in self._names)])
            keys = [f"r.{k} AS {k}" for k in self._names]
            rows = f"SELECT {', '.join([*keys, f'r.m{at} AS v', 'l.w AS w'])} FROM r JOIN l ON {same}"
            begin = f"WITH r AS ({self._counting}), l AS ({self._weighted_lines(bits)}) "
        return (
            f"{begin}SELECT {grouped}, {total} AS n FROM ({rows}) t WHERE v IS NOT NULL "
            f"GROUP BY {grouped} ORDER BY {grouped}"
        )

    def beyond(self, most: int) -> str:
        """One line: how many people have more than counts, and their rows beyond, of each at most so many.

        Of a sum whose totals are scaled there are no such rows: there it is how many people.
        """
        total = self._literal(self._weights.most(self._bounds.total))
        if self._apart or self._cancels:
            lines = self._few_groups(self._lines())
            narrow = self._weights.alone is None or self._weights.alone.is_narrow
            sums = [self._dialect.summed(each, narrow=narrow) for each in ("n", self._capped)]
            people = f"SELECT {sums[0]} AS n, {sums[1]} AS t FROM ({lines}) t GROUP BY p"
        else:
            people = f"SELECT {self._size()} AS n, {self._size()} AS t FROM ({self._counting}) t GROUP BY p"
        above = f"t > {total} OR n > t"
        kept = f"CASE WHEN t > {total} THEN {total} ELSE t END"
        rows = f"CASE WHEN n - {kept} > {most} THEN {most} ELSE n - {kept} END" if self._weights.alone is None else "0"
        told = f"count(CASE WHEN {above} THEN 1 END) AS people, {self._dialect.total(rows, narrow=True)} AS n"
        return f"SELECT {told} FROM ({people}) t"

    def _weighted_rows(self, bits: int) -> tuple[str, str]:
        """What a statement begins with, and the rows that count with the weight of their person.

        r: the rows; q: people and their weights. Rows of one table are read twice, which costs less.
        """
        if self._dialect.weighs_by_window:
            sized = f"SELECT *, {self._size(_OF_PERSON)} AS t FROM ({self._counting}) t"
            return "", f"(SELECT *, {self._weight('t', bits)} AS w FROM ({sized}) t) t"
        people = f"SELECT p, {self._weight(self._size(), bits)} AS w FROM r GROUP BY p"
        rows = self._dialect.common("r", self._counting, twice=_is_one_table(self._query.question.plan))
        return f"WITH {rows}, q AS ({people}) ", "r JOIN q USING (p)"

    def _size(self, over: str = "") -> str:
        """What is bounded of a person: how many rows count, or how far they are from zero together."""
        return f"count(*){over}" if self._weights.alone is None else f"abs({self._sum(*self._only(), over)})"

    @property
    def _counting(self) -> str:
        """The rows that add something to an aggregate."""
        return self._rows if self._counts == "TRUE" else f"SELECT * FROM ({self._rows}) t WHERE {self._counts}"

    def _rows_that_count(self) -> str:
        made = [each.counts(at) for each, at in self._added] + [f"m{i} IS NOT NULL" for i in self._values]
        return "TRUE" if "TRUE" in made or not made else " OR ".join(dict.fromkeys(made))

    # ---- lines of person and group ----

    @property
    def _apart(self) -> bool:
        """Whether groups are picked, or hold a part each."""
        return self._bounds.picked is not None or self._bounds.rows is not None

    @property
    def _needs_lines(self) -> bool:
        return self._apart or not self._names or bool(self._people) or self._cancels or self._weights.length is not None

    @property
    def _cancels(self) -> bool:
        """Whether what is bounded is the size of totals by group, in which rows may cancel out."""
        return self._weights.alone is not None and self._weights.alone.has_signs

    def _over_lines(self) -> str:
        totals = ["count(*) AS people", *self._totals("w", of_rows=False), *self._people_totals()]
        return self._added_up(totals, f"({self._weighted_lines(self._weights.bits)}) t")

    def _weighted_lines(self, bits: int) -> str:
        """The lines that count, each with the weight of its rows."""
        lines = self._few_groups(self._lines())
        weighted = bool(self._added or self._values)
        if not self._names:  # one line a person
            return f"SELECT *, {self._weight('n', bits)} AS w FROM ({lines}) t" if weighted else lines
        over = _OF_PERSON if self._dialect.weighs_by_window else ""
        of_people = [
            f"{self._dialect.summed(f'e{at.own}', narrow=True, over=over)} AS g{at.own}"
            for _, at in self._shared_people()
        ]
        if weighted:
            of_people += self._bounded(over)
        if not of_people:
            return lines
        weights = [f"{self._of_person(bits)} AS w"]
        parts = [self._part(at) for _, at in self._shared_people()]
        if over:
            made = ", ".join(["*", *(weights if weighted else []), *parts])
            return f"SELECT {made} FROM (SELECT *, {', '.join(of_people)} FROM ({lines}) l) l"
        made = ", ".join(["l.*", *(weights if weighted else []), *parts])
        people = f"SELECT p, {', '.join(of_people)} FROM l GROUP BY p"
        begin = f"WITH {self._dialect.common('l', lines, twice=False)}, q AS ({people})"
        return f"{begin} SELECT {made} FROM l JOIN q ON l.p = q.p"

    def _lines(self) -> str:
        grouped = ", ".join(["p", *self._names])
        made = [grouped, *(["min(o) AS o"] if self._chosen else [])]  # of one person they are the same
        made += [f"{self._summed(each, each.amount(at))} AS y{at.own}" for each, at in self._added]
        if self._weights.alone is not None:
            made.append(f"abs({self._sum(*self._only())}) AS n")
        elif self._added or self._values:
            made.append(f"count({'*' if self._counts == 'TRUE' else f'CASE WHEN {self._counts} THEN 1 END'}) AS n")
        for each, at in self._people:
            there = "1" if each.where is None else f"CASE WHEN count(m{at.own}) > 0 THEN 1 ELSE 0 END"
            made.append(f"{there} AS e{at.own}")
        return f"SELECT {', '.join(made)} FROM ({self._rows}) t GROUP BY {grouped}"

    def _only(self) -> tuple[AdditiveMeasure, str]:
        """The one measure whose totals are scaled, and what a row adds to it."""
        ((measure, at),) = self._added
        return measure, measure.amount(at)

    def _sum(self, measure: AdditiveMeasure, amount: str, over: str = "") -> str:
        return f"coalesce({self._summed(measure, amount, over)}, 0)"

    def _summed(self, measure: AdditiveMeasure, amount: str, over: str = "") -> str:
        if measure.adds_ones:  # counts are faster than sums
            return f"count({'*' if amount == '1' else amount}){over}"
        return self._dialect.summed(amount, narrow=measure.is_narrow, over=over)

    # ---- weights ----

    def _bounded(self, over: str) -> list[str]:
        """t: what is bounded of a person, over lines; or t: the squares of it, and h: the largest."""
        squares, alone = self._weights.length, self._weights.alone
        if squares is None:
            narrow = alone is None or alone.is_narrow
            return [f"{self._dialect.summed(self._capped, narrow=narrow, over=over)} AS t"]
        most = self._literal(squares.most)
        part = f"{self._dialect.divided('n', str(1 << squares.coarse))} + 1" if squares.coarse else "n"
        held = self._write.whole(f"CASE WHEN {part} > {most} THEN {most} ELSE {part} END")
        squared = self._dialect.summed(f"{held} * {held}", narrow=True, over=over)
        return [f"{squared} AS t", f"max({held}){over} AS h"]

    def _of_person(self, bits: int) -> str:
        """The weight of a line's rows."""
        if self._weights.length is not None:
            return self._by_length(self._weights.length, bits)
        return self._weight("t", bits) if self._bounds.rows is None else self._in_group(bits)

    def _by_length(self, squares: LengthBound, bits: int) -> str:
        """⌊T·2^F/(2^j·⌈√t⌉)⌋ where that is less than 2^F; nothing of who has more in one group than is squared."""
        total = self._weights.most(self._bounds.total)
        fits = (total >> squares.coarse) ** 2
        share = self._write.whole(
            self._dialect.divided(self._literal(total << bits >> squares.coarse), self._dialect.root("t"))
        )
        return (
            f"CASE WHEN h >= {self._literal(squares.most)} THEN {self._write.whole('0')} "
            f"WHEN t > {self._literal(fits)} THEN {share} ELSE {self._write.whole(str(1 << bits))} END"
        )

    def _weight(self, size: str, bits: int) -> str:
        """⌊T·2^F/t⌋ where a person has t > T, else 2^F."""
        return self._share(size, self._weights.most(self._bounds.total), bits)

    def _share(self, size: str, most: int, bits: int) -> str:
        share = self._write.whole(self._dialect.divided(self._literal(most << bits), size))
        return f"CASE WHEN {size} > {self._literal(most)} THEN {share} ELSE {self._write.whole(str(1 << bits))} END"

    @property
    def _capped(self) -> str:
        """What of a line may count, whatever else the person has."""
        if self._bounds.rows is None:
            return "n"
        most = self._literal(self._weights.most(self._bounds.rows))
        return f"CASE WHEN n > {most} THEN {most} ELSE n END"

    def _in_group(self, bits: int) -> str:
        """⌊⌊k·2^F/n⌋·⌊T·2^F/t⌋/2^F⌋: of what is in a group at most k, and of all that is left at most T."""
        assert self._bounds.rows is not None
        here = self._share("n", self._weights.most(self._bounds.rows), bits)
        product = f"({here}) * ({self._weight('t', bits)})"
        return self._write.whole(self._dialect.divided(product, str(1 << bits)))

    def _literal(self, number: int) -> str:
        return self._write.whole(str(number)) if number < _LONGEST else self._write.wide(str(number))

    def _shared_people(self) -> list[tuple[People, Place]]:
        """Those who may be in more groups than they count in."""
        return self._people if self._bounds.in_parts and self._names else []

    def _part(self, at: Place) -> str:
        most, whole = self._bounds.keys, 1 << PARTS_OF_PEOPLE
        share = self._dialect.divided(str(most * whole), f"g{at.own}")
        return f"{self._write.whole(f'CASE WHEN g{at.own} > {most} THEN {share} ELSE {whole} END')} AS w{at.own}"

    # ---- sums ----

    def _totals(self, weight: str, *, of_rows: bool) -> list[str]:
        """Every column: what rows or lines add, times their weight."""
        terms = [
            (at, self._term(each, each.amount(at) if of_rows else f"y{at.own}", weight)) for each, at in self._added
        ]
        return [f"{self._dialect.total(term, narrow=False)} AS a{at.own}" for at, term in terms]

    def _term(self, measure: AdditiveMeasure, amount: str, weight: str) -> str:
        """A product of whole numbers, as wide as it may be."""
        if amount == "1":
            return weight
        largest = self._bounds.total * measure.unit << self._weights.bits
        whole = self._write.whole if largest < _LONGEST and measure.unit < NARROW else self._write.wide
        return f"{whole(amount)} * {weight}"

    def _people_totals(self) -> list[str]:
        shared = {at.own for _, at in self._shared_people()}
        terms = [(at, f"e{at.own} * w{at.own}" if at.own in shared else f"e{at.own}") for _, at in self._people]
        return [f"{self._dialect.total(term, narrow=True)} AS a{at.own}" for at, term in terms]


def added_up(
    dialect: Dialect, names: Sequence[str], sets: Sequence[Sequence[str]] | None, totals: Sequence[str], source: str
) -> str:  # fmt: skip
    """One line a group of the names, or of each set of them."""
    if sets is not None:
        used = [name for name in names if any(name in one for one in sets)]
        return dialect.by_sets(used, sets, totals, source)
    grouped = f" GROUP BY {', '.join(names)}" if names else ""
    return f"SELECT {', '.join([*names, *totals])} FROM {source}{grouped}"


def _is_one_table(plan: Plan) -> bool:
    """Whether rows are those of one table, which are read as fast twice as they are kept."""
    match plan:
        case Scan():
            return True
        case Where() | Project():
            return _is_one_table(plan.of)
        case _:
            return False
