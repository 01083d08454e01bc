"""Weights: the statements of a question compute what the rule of `query/weights.py` says of each person's rows.

The rule is written once more below, over lists of rows and in fractions that are floored once; it and the statements run
over the same people: of no row that counts, of as many as count and of more, in one group and in several.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unittest import mock

import duckdb
import pytest

from neighbours import noise_excess
from planned import PublicRows
from query.test_measures import NAN, Told, amount, counts, holds, value
from sfumato.data import Column, Dataset, Kind, Memory, Table
from sfumato.data.budget import Allowance
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql import weighing
from sfumato.engines.sql.measures import placed
from sfumato.engines.sql.statements import Statements
from sfumato.engines.sql.weighing import Weighing
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.bounds import Bounds
from sfumato.query.measures import AdditiveMeasure, Measure, People, Place, Present, Rows, Square, Sum, Values
from sfumato.query.measures.people import PARTS_OF_PEOPLE
from sfumato.query.priced import NoisyCells
from sfumato.query.weights import Weights, weights_of

Row = tuple[int, int | None, float | None, bool | None, str | None]
Group = tuple[str | None, ...]
Cells = dict[Group, list[int]]
SPEND = Spend(Fraction(1), None, Fraction(1, 10**6))


def dataset(*columns: Column) -> Dataset:
    """People and their visits, which lie in three wards."""
    people = Table("people", Memory(), (Column("person", Kind.INTEGER),))
    ward, town = Column("ward", Kind.TEXT, values=("a", "b", "c")), Column("town", Kind.TEXT)
    visits = Table("visits", Memory(), (Column("person", Kind.INTEGER), *columns, ward, town), rows_per_person=3,
                   foreign_keys=(("person", "people", "person"),))  # fmt: skip
    return Dataset("small", (people, visits), ("people", "person"), Allowance(Fraction(1)))


SMALL = dataset(
    Column("day", Kind.INTEGER, Fraction(-3), Fraction(9)), Column("cost", Kind.REAL, Fraction(0), Fraction(2), Fraction(1, 4)),
    Column("paid", Kind.BOOLEAN),
)  # fmt: skip
HELD = dataset(  # what a person pays is held within 4.5, eighteen steps, where it is summed alone
    *SMALL.tables[1].columns[1:2], replace(SMALL.tables[1].columns[2], total=Fraction(9, 2)), SMALL.tables[1].columns[3]
)
LARGE = 2**50
WIDE = dataset(
    Column("day", Kind.INTEGER, Fraction(-LARGE), Fraction(LARGE), Fraction(1)),
    Column("cost", Kind.INTEGER, Fraction(0), Fraction(LARGE), Fraction(1)), Column("paid", Kind.BOOLEAN),
)  # fmt: skip
ROWS: tuple[Row, ...] = (
    (1, 5, 1.0, True, "a"),
    (2, None, None, None, "a"), (2, None, NAN, False, "b"), (2, None, None, None, "c"), (2, None, None, None, "c"),
    *[(3, 9, 2.0, True, "a")] * 7,
    (4, 7, 0.3, True, "a"), (4, -3, 1.9, False, "a"), (4, 100, -5.0, True, "b"), (4, -100, 1e300, None, "c"), (4, 2, 0.125, True, "c"),
    (5, 4, 1.5, True, "b"), (5, None, None, True, "b"), (5, None, None, True, "b"), (5, None, NAN, True, "a"), (5, 0, 0.0, False, "c"),
    *[(6, -3, 0.0, False, "a")] * 5, *[(6, 9, 0.25, True, "b")] * 3, (6, 0, 1.25, False, "c"), (6, 1, 1.0, True, None), (6, 1, 1.0, True, "z"),
    *[(7, 8, 1.1, ward == "b", ward) for ward in "aaaabbbbcccccc"], (7, None, 0.6, True, "a"), (7, 6, NAN, None, "b"),
    *[(8, -3, 0.5, True, "b")] * 3, *[(8, 9, 0.5, True, "b")], *[(8, 9, 2.0, True, "c")] * 2,
)  # fmt: skip
BOUNDS = (
    Bounds(3, keys=2, in_parts=True), Bounds(1, keys=1, in_parts=True), Bounds(6, keys=4), Bounds(4, 2, keys=2, in_parts=True),
    Bounds(3, 1, keys=4), Bounds(7, 3, keys=2, in_parts=True), Bounds(600, keys=4), Bounds(4, picked=9, keys=9),
    Bounds(5, 2, picked=9, keys=9),
)  # fmt: skip
ASKED = (
    "COUNT(*)", "COUNT(*) FILTER (WHERE paid)", "COUNT(day)", "COUNT(cost) FILTER (WHERE paid)", "SUM(day)", "SUM(cost)",
    "SUM(day) FILTER (WHERE paid)", "AVG(day)", "AVG(cost) FILTER (WHERE paid)", "VARIANCE(day)", "COUNT(DISTINCT person)",
    "COUNT(DISTINCT person) FILTER (WHERE paid)", "COUNT(*), COUNT(cost)", "COUNT(*), AVG(day), COUNT(DISTINCT person)",
    "SUM(cost), COUNT(day) FILTER (WHERE paid)", "SUM(day), COUNT(DISTINCT person) FILTER (WHERE paid)",
    "COUNT(*) FILTER (WHERE paid), AVG(cost) FILTER (WHERE paid)", "SUM(day), SUM(cost)", "SUM(cost), MEDIAN(day)",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    made = duckdb.connect(":memory:", config={"threads": 1})
    made.execute("CREATE TABLE visits (sfumato_person BIGINT, person BIGINT, day BIGINT, cost DOUBLE, paid BOOLEAN, "
                 "ward VARCHAR, town VARCHAR)")  # fmt: skip
    yield made
    made.close()


def filled(engine: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    engine.execute("DELETE FROM visits")
    engine.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?)", [(row[0], *row, row[4]) for row in rows])


@lru_cache(maxsize=1000)
def priced(text: str, limits: Bounds, *, wide: bool = False, held: bool = False) -> PricedQuery:
    """A question whose people are bounded as given."""
    known = WIDE if wide else HELD if held else SMALL
    with mock.patch("sfumato.query.price.person_bounds", return_value=limits):
        return price(plan_question(text, known, PublicRows()), known, SPEND)


def questions(limits: Bounds, asked: Sequence[str] = ASKED) -> Iterator[PricedQuery]:
    """Without keys, and in groups that are public, or picked; of what is paid also where a person's total is held."""
    key = "ward" if limits.picked is None else "town"
    for each in asked:
        for held in (False, True) if "SUM(cost)" in each else (False,):
            if limits.picked is None and limits.rows is None:
                yield priced(f"SELECT {each} FROM visits", limits, held=held)
            yield priced(f"SELECT {key}, {each} FROM visits GROUP BY {key}", limits, held=held)


# ---- the rule, over lists of rows ----


def groups_of(query: PricedQuery, rows: Sequence[Row]) -> dict[int, dict[Group, list[Row]]]:
    """The rows of every person by group, of those in public groups."""
    found: dict[int, dict[Group, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if not query.question.keys or query.question.groups is None or row[4] in ("a", "b", "c", None):
            found[row[0]][(row[4],) if query.question.keys else ()].append(row)
    return found


def weights(sizes: dict[Group, int], limits: Bounds, unit: int, bits: int, held: int | None = None) -> dict[Group, int]:
    """⌊T·2^F/t⌋ of t in all, of which T may be; where k may be in a group, ⌊k·2^F/n⌋ of n there, and both of them."""

    def most(rows: int) -> int:
        return rows * unit if held is None else min(rows * unit, held)

    def share(of: int, rows: int) -> int:
        return min(1 << bits, (most(rows) << bits) // of) if of else 1 << bits

    k = limits.rows
    in_all = share(sum(n if k is None else min(n, most(k)) for n in sizes.values()), limits.total)
    return {key: in_all if k is None else share(n, k) * in_all >> bits for key, n in sizes.items()}


def sized(query: PricedQuery, theirs: dict[Group, list[Row]]) -> dict[Group, int]:
    """What is bounded of a person in each group: rows that add something to an aggregate, or a sum's distance from 0."""
    weighted = [each for each in query.measures.measures if each.is_weighted]
    only = query.weights.alone
    if only is not None:
        return {key: abs(sum(amount(only, row[:4]) for row in rows)) for key, rows in theirs.items()}
    return {key: sum(any(counts(each, row[:4]) for each in weighted) for row in rows) for key, rows in theirs.items()}


def wanted(query: PricedQuery, rows: Sequence[Row]) -> Cells:
    """The columns of every group by the rule."""
    additive = [each for each in query.measures.measures if isinstance(each, AdditiveMeasure)]
    found: Cells = defaultdict(lambda: [0] * len(additive))
    for theirs in groups_of(query, rows).values():
        only = query.weights.alone
        unit, held = (1, None) if only is None else (only.unit, only.total)
        of_rows = weights(sized(query, theirs), query.bounds, unit, query.weights.bits, held)
        for key, own in theirs.items():
            for at, each in enumerate(additive):
                if isinstance(each, People):
                    found[key][at] += as_a_person(query, each, theirs, key)
                else:
                    found[key][at] += sum(amount(each, row[:4]) for row in own) * of_rows[key]
    return found


def as_a_person(query: PricedQuery, people: People, theirs: dict[Group, list[Row]], key: Group) -> int:
    """One where a person is, or a part of one where they are in more groups than they count in."""
    there = [key for key, rows in theirs.items() if any(holds(people, row[:4]) for row in rows)]
    if not query.bounds.in_parts or not query.question.keys:
        return int(key in there)
    return min(2**PARTS_OF_PEOPLE, query.bounds.keys * 2**PARTS_OF_PEOPLE // len(there)) if key in there else 0


def computed(engine: duckdb.DuckDBPyConnection, query: PricedQuery) -> Cells:
    """The same as an engine computes it."""
    made = engine.execute(Statements(SMALL, DUCKDB, 7).additive(query))
    names = [each[0] for each in made.description or []]
    width = len(query.question.keys)
    order = sorted(names[width + 1 :], key=lambda name: int(name[1:]))
    lines = [dict(zip(names, line, strict=True)) for line in made.fetchall()]
    return {tuple(line[f"k{i}"] for i in range(width)): [int(line[name]) for name in order] for line in lines}


def differences(engine: duckdb.DuckDBPyConnection, asked: Sequence[str] = ASKED) -> list[str]:
    """Questions of which an engine computes something else than the rule says, or nothing, in any way of bounding."""
    found = []
    filled(engine, ROWS)
    for limits in BOUNDS:
        for query in questions(limits, asked):
            try:
                made, right = computed(engine, query), wanted(query, ROWS)
                zero = [0] * max((len(each) for each in right.values()), default=0)
                same = all(made.get(key, zero) == right.get(key, zero) for key in {*made, *right})
            except duckdb.Error:
                same = False
            if not same:
                found.append(f"{query.question.text} by {limits}")
    return found


def excess(engine: duckdb.DuckDBPyConnection, asked: Sequence[str] = ASKED) -> list[str]:
    """Questions that one person moves farther than is paid for: column by column, and all cells of a block together."""
    found = []
    for person in (4, 6, 7):
        filled(engine, [row for row in ROWS if row[0] == person])
        for limits in BOUNDS:
            for query in questions(limits, asked):
                made = _by_place(query, computed(engine, query))
                moved = _columns_moved(query, made) + _cells_moved(query, made)
                found += [f"{query.question.text} by {limits}: {each} of {person}" for each in moved]
    return found


def _by_place(query: PricedQuery, cells: Cells) -> dict[Group, dict[int, int]]:
    """The columns of every group by the place of their measure: those with a statement of their own are left out."""
    places = [i for i, each in enumerate(query.measures.measures) if isinstance(each, AdditiveMeasure)]
    return {key: dict(zip(places, line, strict=True)) for key, line in cells.items()}


def _columns_moved(query: PricedQuery, made: dict[Group, dict[int, int]]) -> list[str]:
    found, grouped = [], bool(query.question.keys)
    for place, each in enumerate(query.measures.measures):
        moved = [abs(line[place]) for line in made.values() if place in line]
        moves = each.moves(query.bounds, grouped=grouped).times(1 << query.bits_of(place))
        if sum(moved) > moves.l1 or sum(x * x for x in moved) > moves.l2_squared:
            found.append(each.kind)
    return found


def _cells_moved(query: PricedQuery, made: dict[Group, dict[int, int]]) -> list[str]:
    found = []
    for each in query.priced:
        if isinstance(each, NoisyCells) and all(place in line for line in made.values() for place in each.columns):
            cells = {key: each.of([line[place] for place in each.columns]) for key, line in made.items()}
            found += noise_excess(each, cells, {})
    return found


def test_every_question_is_what_the_rule_says_in_every_way_of_bounding(engine: duckdb.DuckDBPyConnection) -> None:
    assert differences(engine) == []


def test_nobody_moves_more_than_is_paid_for_and_somebody_moves_that_much(engine: duckdb.DuckDBPyConnection) -> None:
    assert excess(engine, ASKED[::2]) == []
    filled(engine, [row for row in ROWS if row[0] == 3])  # seven rows at the upper end
    for limits in (Bounds(7), Bounds(3), Bounds(1)):
        for text in ("COUNT(*)", "SUM(day)", "SUM(cost)", "COUNT(day)"):
            query = priced(f"SELECT {text} FROM visits", limits)
            (added,) = computed(engine, query).values()
            measure = query.measures.measures[0]
            full = measure.moves(limits, grouped=False).l1 * 2**query.weights.bits
            assert 0 <= full - sum(added) <= 7 * measure.unit  # the floor takes less than a unit a row


# ---- wrong, and seen ----

_weight, _counting = Weighing._weight, Weighing._rows_that_count


def _ceiling(self: Weighing, size: str, bits: int) -> str:
    most = self._weights.most(self._bounds.total)
    up = self._dialect.divided(f"{most << bits} + {size} - 1", size)
    return f"CASE WHEN {size} > {most} THEN {up} ELSE {1 << bits} END"


def _first_alone(self: Weighing) -> str:
    return self._added[0][0].counts(self._added[0][1]) if self._added else "TRUE"


BROKEN: dict[str, tuple[str, Any, str, Any]] = {
    "a ceiling": ("COUNT(*)", Weighing, "_weight", _ceiling),
    "more is whole": ("COUNT(day)", Weighing, "_weight", lambda self, size, bits: str(1 << bits)),
    "a group's rows are all of them": (
        "COUNT(*), AVG(day), COUNT(DISTINCT person)", Weighing, "_weight",
        lambda self, size, bits: _weight(self, "n" if size == "t" else size, bits)),
    "groups hold what they hold": ("COUNT(*)", Weighing, "_in_group", lambda self, bits: _weight(self, "t", bits)),
    "of all as much as of a group": ("COUNT(*)", Weighing, "_in_group", lambda self, bits: self._share("n", self._bounds.rows, bits)),
    "what is in a group is not held": ("SUM(cost)", Weighing, "_capped", property(lambda self: "n")),
    "rows that add nothing count": ("COUNT(cost) FILTER (WHERE paid)", Weighing, "_rows_that_count", lambda self: "TRUE"),
    "rows that add to all count": (
        "SUM(cost), COUNT(day) FILTER (WHERE paid)", Weighing, "_rows_that_count",
        lambda self: _counting(self).replace(" OR ", " AND ")),
    "rows of the first count": ("SUM(cost), COUNT(day) FILTER (WHERE paid)", Weighing, "_rows_that_count", _first_alone),
    "rows of a quantile do not count": (
        "SUM(cost), MEDIAN(day)", Weighing, "_rows_that_count", lambda self: _counting(self).split(" OR ")[0]),
    "zeros of a sum count": ("SUM(day), SUM(cost)", Sum, "counts", lambda self, at: f"m{at.own} IS NOT NULL"),
    "totals cancel out": ("SUM(day)", Sum, "has_signs", property(lambda self: False)),
    "people are whole in every group": ("COUNT(DISTINCT person)", Weighing, "_part", lambda self, at: f"{2**20} AS w{at.own}"),
    "people are not in parts": ("COUNT(DISTINCT person)", Weighing, "_shared_people", lambda self: []),
    "people of a condition are all people": (
        "COUNT(DISTINCT person) FILTER (WHERE paid)", People, "of_row", lambda self, at, write: [f"1 AS m{at.own}"]),
    "one column is another's": ("COUNT(*), COUNT(cost)", Present, "amount", Rows.amount),
    "what is not weighted": (
        "SUM(day) FILTER (WHERE paid)", Weighing, "_term", lambda self, measure, amount, weight: f"{amount} * {1 << self._weights.bits}"),
}  # fmt: skip
MOVES_MORE = ("a ceiling", "more is whole", "a group's rows are all of them", "groups hold what they hold", "of all as much as of a group", "rows that add to all count",
              "rows of the first count", "people are whole in every group", "what is not weighted", "totals cancel out")  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_weight_that_is_broken_is_seen(
    engine: duckdb.DuckDBPyConnection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, owner, attribute, wrong = BROKEN[name]
    monkeypatch.setattr(owner, attribute, wrong)
    assert differences(engine, [asked]) != []


@pytest.mark.parametrize("name", MOVES_MORE)
def test_a_person_who_moves_more_by_a_broken_weight_is_seen(
    engine: duckdb.DuckDBPyConnection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, owner, attribute, wrong = BROKEN[name]
    monkeypatch.setattr(owner, attribute, wrong)
    assert excess(engine, [asked]) != []


def test_a_sum_that_is_alone_and_weighs_rows_would_be_another_number(engine: duckdb.DuckDBPyConnection) -> None:
    filled(engine, ROWS)
    query = priced("SELECT ward, SUM(day) FROM visits GROUP BY ward", BOUNDS[0])
    assert computed(engine, query) == wanted(query, ROWS)
    assert computed(engine, replace(query, weights=replace(query.weights, alone=None))) != wanted(query, ROWS)


# ---- a total that is declared of a column ----


def test_a_total_is_held_only_where_a_sum_is_alone(engine: duckdb.DuckDBPyConnection) -> None:
    """Seven times two is fourteen: three rows of two are six, and a total of 4.5 is less."""
    filled(engine, [row for row in ROWS if row[0] == 3])
    for text, alone, held in (("SUM(cost)", 24, 18), ("SUM(cost), COUNT(DISTINCT person)", 24, 18), ("SUM(cost), COUNT(*)", 24, 24),
                              ("SUM(cost), AVG(cost)", 24, 24), ("SUM(cost), MEDIAN(day)", 24, 24)):  # fmt: skip
        for total, query in ((alone, priced(f"SELECT {text} FROM visits", Bounds(3))),
                             (held, priced(f"SELECT {text} FROM visits", Bounds(3), held=True))):  # fmt: skip
            at = next(i for i, each in enumerate(query.measures.measures) if isinstance(each, Sum))
            ((_, line),) = _by_place(query, computed(engine, query)).items()
            (made,) = query.measures.recipes[0].values({place: Fraction(each) for place, each in line.items()})
            assert 0 <= total * query.weights.whole - made < 120
            halved = 2 if "AVG" in text else 1  # around the middle
            assert query.measures.measures[at].moves(Bounds(3), grouped=False).l1 * halved == total


# ---- the same number, however it is asked ----

SAME = (
    ("COUNT(*) FILTER (WHERE paid)", "SUM(CASE WHEN paid THEN 1 ELSE 0 END)", "COUNT(CASE WHEN paid THEN 1 END)", "COUNT_IF(paid)"),
    ("SUM(cost) FILTER (WHERE paid)", "SUM(CASE WHEN paid THEN cost ELSE 0 END)", "SUM(CASE WHEN paid THEN cost END)"),
    ("COUNT(*)", "SUM(1)", "COUNT(1)"),
)  # fmt: skip


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[0])
@pytest.mark.parametrize("limits", BOUNDS[:7], ids=repr)
def test_equal_questions_are_equal_integers(
    engine: duckdb.DuckDBPyConnection, texts: tuple[str, ...], limits: Bounds
) -> None:
    filled(engine, ROWS)
    for made in ("SELECT {} FROM visits", "SELECT ward, {} FROM visits GROUP BY ward"):
        if limits.rows is not None and "ward" not in made:
            continue
        found = [computed(engine, priced(made.format(text), limits)) for text in texts]
        if "WHERE paid" in texts[0]:
            inner = made.format(texts[0].split(" FILTER")[0]).replace("FROM visits", "FROM visits WHERE paid")
            found.append(computed(engine, priced(inner, limits)))
        some = [{key: cells for key, cells in each.items() if any(cells)} for each in found]
        assert all(each == some[0] for each in some), made


# ---- groups that are picked, and values ----


def test_of_groups_that_are_picked_the_rule_holds_and_the_others_are_not_there(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    for person in (2, 4, 6, 7, 8):
        theirs = [row for row in ROWS if row[0] == person]
        filled(engine, theirs)
        for most in (1, 2):
            for text in (
                "COUNT(*)",
                "SUM(day)",
                "COUNT(*) FILTER (WHERE paid), AVG(cost)",
                "COUNT(DISTINCT person), COUNT(day)",
            ):
                query = priced(f"SELECT town, {text} FROM visits GROUP BY town", Bounds(3, picked=most, keys=most))
                made = computed(engine, query)
                assert len(made) == min(most, len({row[4] for row in theirs}))
                assert made == wanted(query, [row for row in theirs if (row[4],) in made])


@pytest.mark.parametrize("text", ["MEDIAN(day)", "QUANTILE(cost, 0.9) FILTER (WHERE paid)", "COUNT(*), MEDIAN(cost)"])
def test_values_weigh_what_their_rows_weigh(engine: duckdb.DuckDBPyConnection, text: str) -> None:
    filled(engine, ROWS)
    for limits in BOUNDS:
        for query in questions(limits, [text]):
            at = next(i for i, each in enumerate(query.measures.measures) if isinstance(each, Values))
            bits = query.bits_of(at)
            right: dict[tuple[Any, ...], int] = defaultdict(int)
            for theirs in groups_of(query, ROWS).values():
                of_rows = weights(sized(query, theirs), limits, 1, bits)
                for key, rows in theirs.items():
                    for row in rows:
                        if (found := value(query.measures.measures[at], row[:4])) is not None:
                            right[*key, found] += of_rows[key]
            made = engine.execute(Statements(SMALL, DUCKDB, 7).values(query, at)).fetchall()
            assert {line[:-1]: line[-1] for line in made} == right, (query.question.text, limits)
            assert bits == 12


# ---- numbers of more than 64 bits ----

WIDE_ASKED = ("SUM(day)", "SUM(cost)", "AVG(cost)", "COUNT(*), SUM(cost)", "SUM(cost), COUNT(DISTINCT person)")


def wide_answers(limits: Bounds, rows: int) -> list[str]:
    """What goes wrong for a person with very many rows at the end of a very wide range; empty is right."""
    made, found = duckdb.connect(":memory:", config={"threads": 1}), []
    made.execute(
        f"CREATE TABLE visits AS SELECT 1 AS sfumato_person, 1 AS person, {LARGE} AS day, {LARGE} AS cost, TRUE AS paid, "
        f"['a', 'b', 'c'][1 + i % 3] AS ward, 'x' AS town FROM range({rows}) r(i)"
    )
    for text in WIDE_ASKED:
        query = priced(f"SELECT ward, {text} FROM visits GROUP BY ward", limits, wide=True)
        at = next(i for i, each in enumerate(query.measures.measures) if isinstance(each, Sum))
        measure = query.measures.measures[at]
        assert isinstance(measure, Sum)
        size, unit = (rows // 3, 1) if query.weights.alone is None else (rows // 3 * LARGE, LARGE)
        of_row = weights({(ward,): size for ward in "abc"}, limits, unit, query.weights.bits)[("a",)]
        right = of_row * (rows // 3) * (LARGE - measure.centre)
        try:
            lines = made.execute(Statements(WIDE, DUCKDB, 7).additive(query))
            names = [each[0] for each in lines.description or []]
            if {int(line[names.index(f"a{at}")]) for line in lines.fetchall()} != {right}:
                found.append(f"{text}: another number")
        except duckdb.Error as error:
            found.append(f"{text}: {type(error).__name__}")
    made.close()
    return found


def test_wide_sums_are_exact_and_no_number_of_rows_makes_an_error() -> None:
    for limits in (Bounds(3), Bounds(6, 3, keys=2), Bounds(6, picked=3, keys=3)):
        assert wide_answers(limits, 600) == []
    assert wide_answers(Bounds(4 * 10**5), 600) == []


@pytest.mark.parametrize("limits", [Bounds(6), Bounds(1500, 1000)], ids=["in all", "in groups"])
def test_very_many_rows_at_the_end_of_a_wide_range_are_no_error(limits: Bounds) -> None:
    assert wide_answers(limits, 60_000) == []


NARROWER: dict[str, tuple[Any, str, Any]] = {
    "literals of 64 bits": (weighing, "_LONGEST", 2**100),
    "sums of 64 bits": (AdditiveMeasure, "is_narrow", True),
    "products of 64 bits": (
        Weighing, "_term", lambda self, measure, amount, weight: f"{self._write.whole(amount)} * {weight}"),
}  # fmt: skip


@pytest.mark.parametrize("name", NARROWER)
def test_too_few_bits_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins that hold a number in fewer bits than it may need."""
    owner, attribute, wrong = NARROWER[name]
    monkeypatch.setattr(owner, attribute, wrong)
    found = [each for limits in (Bounds(4 * 10**5), Bounds(6, 3, keys=2)) for each in wide_answers(limits, 30_000)]
    assert any("SUM(cost)" in each for each in found)


class Written(Told):
    """Writes what it is asked for, also as a dialect."""

    @property
    def dialect(self) -> "Written":
        return self

    def summed(self, made: str, *, narrow: bool, over: str = "") -> str:
        return f"{'whole' if narrow else 'wide'}(sum({made}){over})"


def weighed(total: int, unit: int, bits: int) -> Weighing:
    """The weights of a sum with such a unit, beside a count."""
    query = priced("SELECT ward, COUNT(*), SUM(day) FROM visits GROUP BY ward", Bounds(total))
    query = replace(query, bounds=Bounds(total), weights=Weights(bits))
    return Weighing(query, placed(query.measures.measures), "rows", names=["k0"], write=Written(), few_groups=str)  # type: ignore[arg-type]


def step_of(unit: int, kind: type[Sum] = Sum) -> Sum:
    (of,) = plan_question("SELECT SUM(day) FROM visits", SMALL, PublicRows()).aggregates[0].inputs
    return kind(of=of, step=Fraction(1), low=0, high=unit)


@pytest.mark.parametrize(
    ("total", "unit", "bits", "wide"),
    [
        (1, 2**29, 32, False), (2, 2**29, 32, True), (1, 2**30 - 1, 31, False), (1, 2**30, 0, True), (2**61, 1, 0, False),
        (2**62, 1, 0, True), (2**32 - 1, 1, 30, False), (2**32, 1, 30, True), (4, 2**29, 30, False), (8, 2**29, 30, True),
    ],
)  # fmt: skip
def test_a_product_is_wide_where_it_may_be_more_than_62_bits(total: int, unit: int, bits: int, wide: bool) -> None:
    """All that a person may add in all groups, T·U·2^F, is the most that one product is; and so is one of its sums."""
    made = weighed(total, unit, bits)._term(step_of(unit), "m1", "w")
    assert made == f"{'wide' if wide else 'whole'}(m1) * w"
    assert weighed(total, unit, bits)._term(step_of(unit), "1", "w") == "w"


@pytest.mark.parametrize(
    ("number", "made"), [(5, "whole(5)"), (2**62 - 1, f"whole({2**62 - 1})"), (2**62, f"wide({2**62})")]
)
def test_a_literal_is_as_wide_as_it_is(number: int, made: str) -> None:
    assert weighed(3, 1, 30)._literal(number) == made


@pytest.mark.parametrize(
    ("measure", "whole"), [(step_of(2**30 - 1), True), (step_of(2**30), False), (step_of(2**15, Square), False)]
)
def test_a_persons_sum_is_wide_where_the_measure_is(measure: Sum, whole: bool) -> None:
    assert weighed(3, 1, 30)._summed(measure, "m1") == f"{'whole' if whole else 'wide'}(sum(m1))"
    assert weighed(3, 1, 30)._sum(measure, "m1") == f"coalesce({'whole' if whole else 'wide'}(sum(m1)), 0)"


# ---- how fine weights are ----


def bits_of(unit: int, total: int, share: Fraction, *, rho: bool = False, **other: Any) -> int:
    spend = Spend(None, share, Fraction(0)) if rho else Spend(share, None, Fraction(0))
    return weights_of([step_of(unit)], Bounds(total, **other), share, spend, single=False).bits


def test_weights_are_as_fine_as_noise_is_drawn_fast() -> None:
    """The noise is of a scale T·U·2^F/ε below 2**52, unless a weight would have fewer than 20 bits."""
    for unit, total, share in ((1, 1, Fraction(1)), (9, 3, Fraction(1, 10)), (2**20, 7, Fraction(1)), (2**22, 1, Fraction(1)),
                               (2**30, 5, Fraction(1, 3)), (2**40, 1, Fraction(1)), (1, 10**6, Fraction(1, 10**3))):  # fmt: skip
        made, scale = bits_of(unit, total, share), total * unit / share
        assert 20 <= made <= 30
        assert made == 20 or scale * 2**made < 2**52
        assert made == 30 or scale * 2 ** (made + 1) >= 2**52
    assert [bits_of(2**22 - 1, 1, Fraction(1)), bits_of(2**22, 1, Fraction(1))] == [30, 29]
    assert [bits_of(2**power, 1, Fraction(1)) for power in (30, 31, 32, 45)] == [21, 20, 20, 20]
    # at ρ of σ = √(T·k·U²/2ρ)
    assert [bits_of(2**power, 16, Fraction(8), rho=True, rows=1) for power in (21, 22, 23)] == [30, 29, 28]
    assert bits_of(2**22, 16, Fraction(8), rho=True) == 27
    # what very many people add stays within 128 bits, however coarse
    assert [bits_of(2**50, total, Fraction(1)) for total in (2**23 - 1, 2**23, 2**30, 2**40)] == [20, 20, 13, 3]


def test_rows_that_nobody_has_too_many_of_are_whole() -> None:
    day = step_of(9)
    known: Any = {"share": Fraction(1), "spend": SPEND}
    assert weights_of([day], Bounds(6, cut=True), single=False, **known) == Weights(0)
    assert weights_of([day], Bounds(1), single=True, **known) == Weights(0, day)
    assert weights_of([People()], Bounds(6), single=False, **known) == Weights(0)
    assert weights_of([day, People()], Bounds(6), single=False, **known) == Weights(30, day)
    assert (Weights(3).whole, Weights(3).most(5), Weights(0, day).most(5)) == (8, 5, 45)
    assert [Weights(0, replace(day, total=40)).most(rows) for rows in (1, 4, 5)] == [9, 36, 40]


def test_only_a_plain_sum_that_is_alone_scales_totals() -> None:
    query = [priced(f"SELECT {text} FROM visits", Bounds(3)) for text in ASKED]
    found = [text for text, each in zip(ASKED, query, strict=True) if each.weights.alone is not None]
    assert found == [
        "SUM(day)",
        "SUM(cost)",
        "SUM(day) FILTER (WHERE paid)",
        "SUM(day), COUNT(DISTINCT person) FILTER (WHERE paid)",
    ]
    assert all(each.weights.alone is None or each.weights.alone in each.measures.measures for each in query)


def test_weights_are_known_by_bits_and_rule() -> None:
    day: Measure = step_of(9)
    assert isinstance(day, Sum)
    made = [Weights(30), Weights(20), Weights(30, day), Weights(30, replace(day, high=8)), Weights(30, picks=True)]
    assert len({repr(each.canonical()) for each in made}) == len(made)
    assert Weights(30, day).canonical() == [30, day.canonical(), False]
    assert Place(1, 1).counts_itself
