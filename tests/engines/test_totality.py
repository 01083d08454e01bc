"""No operation, alone or two deep, on any hostile literal or cell, in any place of a question, makes the engine fail.

Each of the walls must hold by itself: the SQL of an operation without `TRY(…)` behind it, and `TRY(…)` without the SQL's
own guards. What was broken on purpose is found by the same questions.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any
from unittest import mock

import pytest

import totality
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb.dialect import DUCKDB, DuckDB, type_of
from sfumato.engines.duckdb.engine import DuckDBEngine as Opened
from sfumato.engines.sql.expressions import Expressions
from sfumato.engines.sql.measures import MeasureWriter
from sfumato.engines.sql.relations import RelationWriter
from sfumato.query.functions import FUNCTIONS
from totality import CALLS, COLUMNS, alone, ended, first_failure, places, together, two_deep

Patches = list[Any]
HOLE = """SELECT COUNT(*) FROM h WHERE WEEK(CAST(CASE WHEN p = 5 AND i <= 56 THEN '5877642-06-25 (BC)' ELSE '2020-01-01' END
    AS DATE)) > 1"""
KNOWN = set(FUNCTIONS)
"""Every operation there is."""


@contextmanager
def patched(*patches: Any) -> Iterator[None]:
    if not patches:
        yield
        return
    with patches[0], patched(*patches[1:]):
        yield


def without_net() -> Any:
    return mock.patch.object(Expressions, "_is_tried", return_value=False)


def planned_as_ever() -> Any:
    return mock.patch.object(Opened, "_plan_carefully", return_value=None)


@pytest.fixture(scope="module")
def pairs() -> Iterator[DuckDBEngine]:
    made = totality.engine(totality.pairs())
    yield made
    made.close()


@pytest.fixture(scope="module")
def singles() -> Iterator[DuckDBEngine]:
    made = totality.engine(totality.singles())
    yield made
    made.close()


def check(made: DuckDBEngine, questions: Iterator[str]) -> set[str]:
    """The operations that were seen; every question must be answered."""
    seen: set[str] = set()
    ends = [(text, end) for text in questions if (end := ended(made, text, seen)) != "answered"]
    assert ends == []
    return seen


@pytest.mark.slow
def test_every_operation_on_every_hostile_operand_and_pair(pairs: DuckDBEngine) -> None:
    bounded = check(pairs, iter(["SELECT SUM(x2 + i2), MEDIAN(ABS(x2)) FROM h"]))
    assert check(pairs, together(alone())) | bounded == KNOWN
    with without_net():
        check(pairs, together(alone()))


@pytest.mark.slow
def test_the_engine_alone_gives_null_where_no_guard_is_left() -> None:
    """The last wall: with every guard of ours removed nothing fails, but for moments that end the engine itself."""
    made = totality.engine(totality.pairs(without=totality.UNWRITABLE))
    try:
        with patched(*GUARDS):
            check(made, together(alone()))
            check(made, iter([HOLE]))
    finally:
        made.close()


one_in = pytest.mark.parametrize("one_in", [7, pytest.param(1, marks=pytest.mark.torture)])
"""The suite asks one question in seven, spread over all; the long form asks every one."""


@pytest.mark.slow
@one_in
def test_every_operation_on_what_every_operation_gives(singles: DuckDBEngine, one_in: int) -> None:
    with without_net():
        check(singles, islice(together(two_deep()), 0, None, one_in))


@pytest.mark.slow
@one_in
def test_every_operation_in_every_place_of_a_question(singles: DuckDBEngine, one_in: int) -> None:
    calls = [(gives, form.format(*[COLUMNS[sort][-1] for sort in takes])) for gives, form, takes in CALLS]
    with without_net():
        check(singles, islice((text for gives, made in calls for text in places(gives, made)), 0, None, one_in))


@pytest.mark.slow
@pytest.mark.parametrize("column", ["d", "s", "i", "x"])
def test_a_column_whose_extremes_are_hostile_is_planned_like_any_other(column: str) -> None:
    """Statistics of a column reach functions while a statement is planned, where nothing catches."""
    for name, rows in totality.extremes():
        if name.split()[0] != column:
            continue
        about = [(gives, form.format(*[COLUMNS[sort][0 if column != "x" else -1] for sort in takes])) for gives, form, takes in CALLS
                 if any(column in COLUMNS[sort] for sort in takes)]  # fmt: skip
        made = totality.engine(rows)
        try:
            for net in ((), (without_net(),)):
                with patched(*net):
                    check(made, together(about))
                    check(made, (f"SELECT COUNT(*) FROM h WHERE {truth}" for truth in _truths(about, column)))
        finally:
            made.close()


def test_statistics_of_an_extreme_day_would_fail_while_planning() -> None:
    """The error that TRY(…) does not catch, seen: guards removed, statistics left on, one hostile column."""
    rows = next(table for name, table in totality.extremes() if name == f"d = {totality.DAYS[0]}")
    made = totality.engine(rows)
    text = "SELECT COUNT(*) FROM h WHERE WEEK(d) > 1"
    try:
        with patched(_bare("_moment")):
            assert ended(made, text) == "answered"
            with patched(planned_as_ever()):
                assert ended(made, text) == "failed"
        assert ended(made, text) == "answered"
    finally:
        made.close()


def _truths(about: list[tuple[str, str]], column: str) -> Iterator[str]:
    for gives, text in about:
        if gives == totality.N and column in "ds":
            yield f"{text} > 1"


# ---- what is broken on purpose ----


def _bare(name: str) -> Any:
    return mock.patch.object(Expressions, name, lambda self, expression: self._written(expression))


def _no_calendar() -> Any:
    return mock.patch.object(Expressions, "within_calendar", lambda self, made, kind: made)


def _any_text() -> Any:
    """No pattern says which texts are numbers and days: the engine reads what it can."""
    return mock.patch.object(DuckDB, "matched", lambda self, made, pattern: made)


def _rewritten(*ops: str, to: Callable[[Any, Any], str]) -> Any:
    """Records whose SQL is written otherwise."""
    return mock.patch.dict(FUNCTIONS, {op: replace(FUNCTIONS[op], writes=to) for op in ops})


def _careless_casts() -> Any:
    ops = [op for op in FUNCTIONS if op.startswith("cast_")]
    return _rewritten(*ops, to=lambda write, call: f"CAST({write._written(call.args[0])} AS {type_of(call.kind)})")


def _whole_arithmetic() -> Any:
    """Whole numbers stay 64 bits wide when they are computed with."""
    return mock.patch.object(Expressions, "_as_double", lambda self, expression, made: made)


def _untried(where: Any, name: str) -> Any:
    """What one function writes, with plain casts for those that are tried."""
    honest = getattr(where, name)

    def careless(*given: Any) -> Any:
        made = honest(*given)
        return (
            [each.replace("TRY_CAST", "CAST") for each in made]
            if isinstance(made, list)
            else made.replace("TRY_CAST", "CAST")
        )

    return mock.patch.object(where, name, careless)


def _careless_key() -> Any:
    honest = RelationWriter.key
    return mock.patch.object(RelationWriter, "key", lambda self, key: honest(self, key).replace("TRY_CAST", "CAST"))


def _careless_steps() -> Any:
    return mock.patch.object(
        MeasureWriter,
        "placed",
        lambda self, of, step, low, high: f"CAST({self._expressions.number(of)} / {DUCKDB.double(step)} AS BIGINT)",
    )


GUARDS = (
    _bare("_moment"), _no_calendar(), _careless_casts(),
    _rewritten("mod", to=lambda write, call: "(CAST({} AS BIGINT) % CAST({} AS BIGINT))".format(*write.operands(call))),
)  # fmt: skip


def _about(*words: str) -> Callable[[], Iterator[str]]:
    """Those of all questions whose expressions have one of some words: the first of them that fails is found sooner."""
    return lambda: together(each for each in alone() if any(word in each[1] for word in words))


BROKEN: dict[str, tuple[Patches, Callable[[], Iterator[str]]]] = {
    "hole 1: the week of a day far away": ([without_net(), _any_text(), _bare("_moment"), _no_calendar()], lambda: iter([HOLE])),
    "a part of a day that is not held within the calendar": ([without_net(), _bare("_moment")], _about("EXTRACT", "WEEK")),
    "a text that becomes any day": ([without_net(), _any_text(), _no_calendar()], lambda: together(alone())),
    "a cast that is not tried": ([without_net(), _careless_casts()], _about("CAST")),
    "a day beside a moment, cast": ([without_net(), _untried(Expressions, "_alike")], _about("d < s", "d2 < s", "d < s2")),
    "the remainder of whole numbers": ([without_net(), GUARDS[3]], lambda: together(alone())),
    "sums of 64 bits": ([without_net(), _whole_arithmetic()], lambda: together(alone())),
    "a root of anything": ([without_net(), _rewritten("sqrt", to=lambda write, call: f"sqrt(CAST({write.operands(call)[0]} AS DECIMAL(18,3)))")], _about("SQRT")),
    "rounding by a cast": ([without_net(), _rewritten("round", to=lambda write, call: f"CAST(CAST({write.operands(call)[0]} AS BIGINT) AS DOUBLE)")], lambda: together(alone())),
    "a key that is cast": ([_careless_key()], lambda: (text for call in ("FLOOR(x)", "CEIL(x2 * 1e300)") for text in places("number", call))),
    "steps that are cast": ([_careless_steps()], lambda: iter(["SELECT SUM(x2), MEDIAN(x2) FROM h"])),
    "text cut by nothing but a cast": ([without_net(), mock.patch.object(Expressions, "_text", lambda self, e: f"CAST(CAST({self._written(e)} AS BLOB) AS VARCHAR)")], _about("LENGTH", "UPPER")),
    "planned with common subexpressions, guards removed": ([planned_as_ever(), *GUARDS], lambda: iter(["SELECT COUNT(MOD(i, i)) FROM h"])),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_same_questions_find_what_is_broken(name: str) -> None:
    patches, questions = BROKEN[name]
    made = totality.engine(totality.pairs(without=totality.UNWRITABLE))
    try:
        assert first_failure(made, list(questions())[:1]) is None
        with patched(*patches):
            assert first_failure(made, questions()) is not None
        assert ended(made, HOLE) == "answered"
    finally:
        made.close()


def test_hole_1_is_answered_by_each_wall_alone(pairs: DuckDBEngine) -> None:
    assert ended(pairs, HOLE) == "answered"
    for walls in ([without_net()], list(GUARDS)):
        with patched(*walls):
            assert ended(pairs, HOLE) == "answered"


def test_a_moment_that_no_engine_can_write_is_no_value(pairs: DuckDBEngine) -> None:
    """Behind the last guard is an error that ends the engine, and with it every later question."""
    assert (
        ended(pairs, "SELECT COUNT(CAST(s AS TEXT)), COUNT(DATE_TRUNC('week', s)), COUNT(CAST(s AS DATE)) FROM h")
        == "answered"
    )
