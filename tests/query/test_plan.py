"""What is known of a plan before data are read decides sensitivities: each rule of it by the smallest plans there are."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sqlglot import exp, parse_one

from planned import CODES, DATASETS, ITEMS, PEOPLE, TOWNS, VISITS, PublicRows, context, planned
from sfumato.data import Column, Kind, Table
from sfumato.errors import InvalidQuestion
from sfumato.query.context import Context
from sfumato.query.contributions import Declared, declared, least, own_rows
from sfumato.query.expression import Call, Field, Literal, Ref
from sfumato.query.fields import computed_field, declared_field, merged_field
from sfumato.query.joins import Pairing, along_the_unit
from sfumato.query.plan import (
    Join,
    OwnAggregate,
    PerPerson,
    Plan,
    Project,
    Scan,
    Union,
    Where,
    all_expressions,
    filtered,
    once,
    own_expressions,
    parts_of,
    relations_in,
    spread,
    tables,
)
from sfumato.query.range import Range
from sfumato.query.reach import agreeing, carries_the_person, few_tables, within_reach
from sfumato.query.unions import together

TRUE = Literal(True, Kind.BOOLEAN)
NODE = parse_one("SELECT 1 FROM a JOIN b ON a.x = b.x")
JOINED = NODE.find(exp.Join)


def scan(table: Table, dataset: str = "people", **other: Any) -> Scan:
    """A table as a question reads it."""
    made = planned(f"SELECT 1 FROM {table.name}", dataset)
    assert isinstance(made, Scan)
    return replace(made, **other)


V, P, IT, T, C = (scan(table) for table in (VISITS, PEOPLE, ITEMS, TOWNS, CODES))


def paired(left: Plan, right: Plan, **other: Any) -> Join:
    """A join of the first fields of two plans."""
    known: dict[str, Any] = {"private": left.private or right.private, "single": False, "cut": None, **other}
    return Join(left, right, ((0, 0),), False, **known)


def lines(of: Plan, *keys: Ref) -> PerPerson:
    """A line a person and key."""
    return PerPerson(of, keys, (OwnAggregate("count", None, None),), (of.fields[0],))


WARD = Ref(3, V.fields[3])
TWICE = Union((V, V), V.fields, private=True, cut=None)


# ---- how many rows one row becomes ----

SPREADS: tuple[tuple[str, Plan, int], ...] = (
    ("a table", V, 1),
    ("some rows", Where(TWICE, TRUE), 2),
    ("other columns", Project(TWICE, (WARD,), (V.fields[3],)), 2),
    ("a union", TWICE, 2),
    ("a union of different spreads", Union((TWICE, V), V.fields, private=True, cut=None), 3),
    ("a line a person", lines(TWICE), 1),
    ("a line a person and key", lines(TWICE, WARD), 2),
    ("rows with public rows", paired(V, T, repeats=5), 5),
    ("public rows with rows", paired(T, V, repeats=5), 5),
    ("public rows do not count by themselves", paired(V, Union((T, T), T.fields, private=False, cut=None)), 1),
    ("rows with rows", paired(TWICE, TWICE), 4),
    ("repeated rows with rows", paired(TWICE, paired(V, T, repeats=3)), 6),
    ("joins of joins", paired(paired(V, T, repeats=3), C, repeats=7), 21),
)


@pytest.mark.parametrize(("plan", "expected"), [case[1:] for case in SPREADS], ids=[case[0] for case in SPREADS])
def test_one_row_becomes_as_many_as_joins_and_unions_make_of_it(plan: Plan, expected: int) -> None:
    assert spread(plan) == expected


# ---- whose rows are there once ----

SINGLE = lines(V)
SOME = Project(
    V, (WARD, Literal(1, Kind.INTEGER), Ref(0, V.fields[0])), (V.fields[3], Field("one", Kind.INTEGER), V.fields[0])
)
ALL_V, ALL_P = frozenset(range(10)), frozenset(range(3))
ONCE: tuple[tuple[str, Plan, frozenset[int]], ...] = (
    ("a table", V, ALL_V),
    ("some rows", Where(V, TRUE), ALL_V),
    ("bare columns and no others", SOME, frozenset({0, 2})),
    ("columns of what is not there once", Project(TWICE, (WARD,), (V.fields[3],)), frozenset()),
    ("a union", TWICE, frozenset()),
    ("a line a person", SINGLE, frozenset()),
    ("rows with one public row each", paired(V, C), ALL_V),
    ("one public row with each", paired(C, V), frozenset(range(2, 12))),
    ("rows with two public rows each", paired(V, T, repeats=2), frozenset()),
    ("two public rows with each", paired(T, V, repeats=2), frozenset()),
    ("public rows alone", paired(T, C), frozenset()),
    ("rows with one row a person", paired(V, P), ALL_V),
    ("one row a person with rows", paired(P, V), frozenset(range(3, 13))),
    ("one row a person with one row a person", paired(P, P), frozenset(range(6))),
    ("rows that a key leads from, to the right", paired(IT, V, leads_to="right"), frozenset(range(3))),
    ("rows that a key leads from, to the left", paired(V, IT, leads_to="left"), frozenset(range(10, 13))),
    ("rows with rows, by nothing of the kind", paired(V, IT), frozenset()),
    ("of rows that are there once no more than those", paired(SOME, P), frozenset({0, 2})),
    ("of what is not there once nothing", paired(TWICE, P), frozenset()),
    ("rows that were joined before", paired(paired(IT, V, leads_to="right"), P), frozenset(range(3))),
)  # fmt: skip


@pytest.mark.parametrize(("plan", "expected"), [case[1:] for case in ONCE], ids=[case[0] for case in ONCE])
def test_a_row_is_there_once_if_nothing_repeats_it(plan: Plan, expected: frozenset[int]) -> None:
    assert once(plan) == expected


# ---- how much of what a person has counts ----

ONE = Declared(1, 1)
COUNTS: tuple[tuple[str, Plan, Declared], ...] = (
    ("as declared", V, Declared(3, 2)),
    ("as declared of another", IT, Declared(4, 5)),
    ("one row a person", P, ONE),
    ("a table of several rows that says it has one a person", replace(V, single=True), ONE),
    ("a table that nobody declared", replace(V, table="gone"), ONE),
    ("some rows", Where(V, TRUE), Declared(3, 2)),
    ("other columns", Project(V, (WARD,), (V.fields[3],)), Declared(3, 2)),
    ("a line a person", lines(V), ONE),
    ("a line a person and key counts as a row does", lines(V, WARD), Declared(3, 2)),
    ("rows with one row a person", paired(V, P), Declared(3, 2)),
    ("one row a person with rows", paired(P, V), Declared(3, 2)),
    ("the most of both", paired(replace(V, table="visits"), IT), Declared(4, 5)),
    ("the most of each", paired(lines(IT, WARD), V), Declared(4, 5)),
    ("public rows count for nobody", paired(V, T), Declared(3, 2)),
    ("a public table is not counted", paired(T, P), ONE),
    ("public rows alone", paired(T, C), ONE),
    ("all parts", Union((V, IT), V.fields, private=True, cut=None), Declared(7, 7, 26)),
    ("all parts, three of them", Union((V, V, P), V.fields, private=True, cut=None), Declared(7, 5, 13)),
)


@pytest.mark.parametrize(("plan", "expected"), [case[1:] for case in COUNTS], ids=[case[0] for case in COUNTS])
def test_a_person_counts_with_what_was_declared_of_tables(plan: Plan, expected: Declared) -> None:
    assert declared(plan, DATASETS["people"]) == expected


TOTALS: tuple[tuple[str, Plan, Declared, Declared], ...] = (
    ("a table", V, Declared(total=6), Declared(3, 2, 4)),
    ("some rows", Where(V, TRUE), Declared(total=6), Declared(3, 2, 4)),
    ("a line a person", lines(V), ONE, ONE),
    ("a line a person and key", lines(V, WARD), Declared(total=6), Declared(3, 2, 4)),
    ("rows with one row a person", paired(V, P), Declared(total=6), Declared(3, 2, 4)),
    ("rows with rows of a table without a total", paired(V, IT), Declared(total=20), Declared(4, 5, 20)),
    ("and of that with one row a person", paired(P, IT), Declared(4, 5), Declared(4, 5)),
    ("rows with public rows", paired(V, T), Declared(total=6), Declared(3, 2, 4)),
    ("all parts", TWICE, Declared(total=12), Declared(6, 4, 8)),
    ("parts of which one has no total", Union((V, IT), V.fields, private=True, cut=None), Declared(total=26), Declared(7, 7, 24)),
    ("one row a person beside them", Union((P, V), P.fields, private=True, cut=None), Declared(total=7), Declared(4, 3, 5)),
    ("joined parts", paired(TWICE, P), Declared(total=12), Declared(6, 4, 8)),
)  # fmt: skip


@pytest.mark.parametrize(("plan", "total", "both"), [case[1:] for case in TOTALS], ids=[case[0] for case in TOTALS])
def test_a_total_is_carried_along_and_what_is_not_declared_is_not_known(
    plan: Plan, total: Declared, both: Declared
) -> None:
    assert declared(plan, DATASETS["total"]) == total
    assert declared(plan, DATASETS["both"]) == both


def test_nobody_who_keeps_to_what_was_declared_is_weighted_down_by_a_union_or_a_join() -> None:
    """Of every relation as many rows count as its tables' may be; a sum where there is a most would be seen."""
    for dataset, own in (("people", 6), ("total", 6), ("both", 4)):
        known = DATASETS[dataset]
        assert declared(V, known).in_all == declared(paired(V, P), known).in_all == own
        assert declared(TWICE, known).in_all == 2 * own
        assert declared(paired(TWICE, P), known).in_all == 2 * own


def test_the_least_of_what_is_known_bounds() -> None:
    assert [Declared(3, 2).in_all, Declared(3, 2).in_one] == [6, 3]
    assert [Declared(total=5).in_all, Declared(total=5).in_one] == [5, 5]
    assert [Declared(3, 2, 4).in_all, Declared(3, 2, 4).in_one] == [4, 3]
    assert [Declared(3, 2, 2).in_all, Declared(3, 2, 2).in_one] == [2, 2]
    assert [Declared(3, 2, 9).in_all, Declared(3, 2, 9).in_one] == [6, 3]
    assert Declared(3, None, 9).in_all == Declared(None, 2, 9).in_all == 9
    assert (least(None, 4, 2), least(7)) == (2, 7)


def test_of_a_persons_own_rows_as_many_are_expected_as_may_be_in_one_group() -> None:
    """What is computed of a person's own rows is held within what so many may make; of a table that was cut, all."""
    assert [own_rows(V, DATASETS[each]) for each in ("people", "total", "both")] == [3, 6, 3]
    assert own_rows(scan(VISITS, "cut"), DATASETS["cut"]) == 6
    assert own_rows(P, DATASETS["people"]) == 1


def test_where_each_row_is_protected_a_row_counts_once() -> None:
    assert declared(V, DATASETS["rows"]) == ONE
    assert declared(TWICE, DATASETS["rows"]) == Declared(2, 2, 2)


# ---- how many public rows agree ----


class Asked(PublicRows):
    """Public rows that say which columns were asked for."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, ...]] = []

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows agree on these columns at most."""
        self.columns.append((table, *columns))
        return super().repeats(table, columns)


TOWN, REGION = (Ref(i, T.fields[i]) for i in (0, 1))
TURNED = Project(T, (REGION, Literal("x", Kind.TEXT), TOWN), (T.fields[1], Field("x", Kind.TEXT), T.fields[0]))
BY_LABEL = Join(T, C, ((1, 1),), False, private=False, single=False, cut=None)
BY_CODE = Join(C, C, ((0, 0),), False, private=False, single=False, cut=None)
UNLIKE = Join(C, replace(C, fields=(replace(C.fields[0], kind=Kind.REAL), C.fields[1])), ((0, 0),), False,
              private=False, single=False, cut=None)  # fmt: skip
AGREEING: tuple[tuple[str, Plan, tuple[int, ...], int, list[tuple[str, ...]]], ...] = (
    ("by a column", T, (0,), 2, [("towns", "town")]),
    ("by another", T, (1,), 2, [("towns", "region")]),
    ("by both, in the table's order and once each", T, (1, 0, 1), 1, [("towns", "town", "region")]),
    ("by nothing all rows do", T, (), 5, [("towns",)]),
    ("some rows as all", Where(T, TRUE), (0,), 2, [("towns", "town")]),
    ("columns that were turned", TURNED, (0,), 2, [("towns", "region")]),
    ("columns that were turned, the other", TURNED, (2,), 2, [("towns", "town")]),
    ("computed columns say nothing", TURNED, (1,), 5, [("towns",)]),
    ("computed columns beside others", TURNED, (1, 2), 2, [("towns", "town")]),
    ("a union adds up", Union((T, T), T.fields, private=False, cut=None), (0,), 4, [("towns", "town")] * 2),
    ("a join multiplies", BY_LABEL, (), 10, [("towns",), ("codes", "label")]),
    ("a join by a column of the left", BY_LABEL, (0,), 4, [("towns", "town"), ("codes", "label")]),
    ("a join by a column of the right", BY_LABEL, (2,), 5, [("towns",), ("codes", "code", "label")]),
    ("a join by columns of both", BY_LABEL, (0, 2), 2, [("towns", "town"), ("codes", "code", "label")]),
    ("a join by its last column", BY_LABEL, (3,), 10, [("towns",), ("codes", "label")]),
    ("a join by equal keys", BY_CODE, (0,), 1, [("codes", "code"), ("codes", "code")]),
    ("a join by keys of different kinds", UNLIKE, (0,), 3, [("codes", "code"), ("codes",)]),
)


@pytest.mark.parametrize(
    ("plan", "columns", "expected", "asked"), [case[1:] for case in AGREEING], ids=[case[0] for case in AGREEING]
)
def test_public_rows_agree_as_often_as_their_tables_say(
    plan: Plan, columns: tuple[int, ...], expected: int, asked: list[tuple[str, ...]]
) -> None:
    public = Asked()
    assert agreeing(public, plan, columns) == expected
    assert public.columns == asked


def test_lines_of_people_are_no_public_rows() -> None:
    with pytest.raises(AssertionError, match="nobody's public row"):
        agreeing(PublicRows(), lines(V), ())


# ---- the rows of all parts ----


def cut(table: Scan, at: int | None) -> Scan:
    return replace(table, cut=at)


def test_cuts_of_parts_add_up_for_a_person() -> None:
    people = DATASETS["people"]
    assert together([cut(V, 3), cut(P, 4)], people) == 7
    assert together([cut(V, 3), cut(V, 4)], people) == 7
    assert together([cut(V, 3), cut(P, None)], people) is None
    assert together([cut(V, None), cut(P, 3)], people) is None
    assert together([cut(V, None)], people) is None


def test_a_protected_row_is_in_one_part_if_tables_differ() -> None:
    rows = DATASETS["rows"]
    assert together([cut(V, 3), cut(P, 4)], rows) == 4
    assert together([cut(P, 4), cut(V, 3)], rows) == 4
    assert together([cut(V, 3), cut(V, 4)], rows) == 7
    assert together([cut(V, 3), cut(P, 4), cut(V, 1)], rows) == 8
    assert together([paired(cut(V, 3), T, cut=6), paired(cut(P, 2), C, cut=2)], rows) == 6
    assert together([paired(cut(V, 3), T, cut=6), paired(cut(P, 2), T, cut=2)], rows) == 8
    assert together([cut(V, 3), cut(P, None)], rows) is None


# ---- joins of two private relations ----


def led(left: Plan, right: Plan, *equal: tuple[int, int], dataset: str = "people") -> str:
    """The side that a key leads to, or what is refused."""
    assert JOINED is not None
    try:
        return along_the_unit(Pairing(left, right, equal, (), False, JOINED), context("", dataset)) or "by person"
    except InvalidQuestion as error:
        return str(error).partition(" (line")[0]


ALL_WITH_ALL = "the join pairs every row of a person with every other"
OTHERWISE = "two private tables are joined by something other than the person"
OUTER_ITEMS = paired(IT, V, leads_to="right")
"""Items with their visits: visits may be there several times."""


def test_people_are_joined_by_person_where_one_side_has_one_row_each() -> None:
    assert led(V, P, (0, 0)) == "by person"
    assert led(P, V, (0, 0)) == "by person"
    assert led(P, P, (0, 0)) == "by person"
    assert led(V, P, (5, 2), (0, 0)) == "by person"
    assert led(lines(V), V, (0, 0)) == "by person"


def test_a_key_is_followed_to_a_row_that_is_there_once() -> None:
    assert led(IT, V, (0, 1)) == "right"
    assert led(V, IT, (1, 0)) == "left"
    assert led(IT, Where(V, TRUE), (0, 1)) == "right"
    assert led(IT, V, (2, 5), (0, 1)) == "right"
    assert led(IT, OUTER_ITEMS, (0, 4)) == ALL_WITH_ALL
    assert led(OUTER_ITEMS, IT, (4, 0)) == ALL_WITH_ALL
    assert led(IT, OUTER_ITEMS, (2, 2), (0, 4)) == ALL_WITH_ALL
    assert led(IT, Union((V, V), V.fields, private=True, cut=None), (0, 1)) == ALL_WITH_ALL


def test_a_key_is_followed_in_its_own_direction_only() -> None:
    several = scan(PEOPLE, "several")
    assert led(V, several, (0, 0), dataset="several") == "right"
    assert led(several, V, (0, 0), dataset="several") == "left"
    assert led(several, several, (0, 0), dataset="several") == ALL_WITH_ALL
    assert led(V, Union((several, several), several.fields, private=True, cut=None), (0, 0), dataset="several") == (
        ALL_WITH_ALL
    )


def test_rows_of_a_person_are_not_paired_with_all_their_other_rows() -> None:
    assert led(V, V, (0, 0)) == ALL_WITH_ALL
    assert led(V, lines(V, WARD), (0, 0)) == ALL_WITH_ALL
    assert led(V, V, (0, 0), (1, 1)) == ALL_WITH_ALL


def test_rows_are_not_joined_by_what_is_no_key() -> None:
    assert led(V, P, (5, 2)) == OTHERWISE
    assert led(V, V, (1, 1)) == OTHERWISE
    assert led(V, P, (1, 0)) == OTHERWISE
    assert led(P, V, (0, 1)) == OTHERWISE
    assert led(P, P, (2, 2)) == OTHERWISE
    bare = Project(V, (Ref(1, V.fields[1]),), (replace(V.fields[1], key=None),))
    assert led(IT, bare, (0, 0)) == OTHERWISE
    assert led(bare, IT, (0, 0)) == OTHERWISE
    assert led(IT, Project(V, (Ref(1, V.fields[1]),), (V.fields[1],)), (0, 0)) == "right"
    lost = replace(IT, fields=(replace(IT.fields[0], key=("gone", "visit")),))
    assert led(lost, V, (0, 1)) == OTHERWISE


def test_where_each_row_is_protected_private_tables_are_not_joined() -> None:
    assert led(V, P, (0, 0), dataset="rows") == "two private tables cannot be joined where each row is protected"


# ---- what relations keep to ----


def test_32_tables_are_read_and_not_33() -> None:
    few_tables([V] * 32, NODE, context(""))  # type: ignore[arg-type]
    few_tables([paired(V, P)] * 16, NODE, context(""))  # type: ignore[arg-type]
    for many in ([V] * 33, [paired(V, P)] * 16 + [V], [Union((V,) * 33, V.fields, private=True, cut=None)]):
        with pytest.raises(InvalidQuestion, match="more than 32 tables"):
            few_tables(many, NODE, context(""))  # type: ignore[arg-type]


def test_a_row_may_become_as_many_as_are_allowed() -> None:
    within_reach(paired(V, T, repeats=3), NODE, context("", "short"))  # type: ignore[arg-type]
    within_reach(Union((T,) * 9, T.fields, private=False, cut=None), NODE, context("", "short"))  # type: ignore[arg-type]
    for many, shown in ((4, "4 rows"), (10**12 - 1, "999,999,999,999 rows"), (10**12, "more than 10¹² rows")):
        with pytest.raises(InvalidQuestion, match=f"may become {shown} here, and 3 are allowed"):
            within_reach(paired(V, T, repeats=many), NODE, context("", "short"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "kept", "dataset", "carried"),
    [
        (V, 0, "people", True), (V, 1, "people", False), (P, 0, "people", True), (P, 1, "people", False),
        (IT, 0, "people", True), (IT, 1, "people", False), (T, 0, "people", True), (V, 1, "rows", True),
    ],
)  # fmt: skip
def test_rows_of_people_carry_the_person_or_the_first_key_on_the_way(
    table: Scan, kept: int, dataset: str, carried: bool
) -> None:
    made = Project(table, (Ref(kept, table.fields[kept]),), (table.fields[kept],))
    if carried:
        carries_the_person(made, NODE, context("", dataset))  # type: ignore[arg-type]
        return
    with pytest.raises(InvalidQuestion, match="drops the person column `person`"):
        carries_the_person(made, NODE, context("", dataset))  # type: ignore[arg-type]


def test_a_field_of_no_declared_table_carries_nobody() -> None:
    field = replace(IT.fields[0], key=("gone", "visit"))
    for known in (field, replace(field, key=None)):
        with pytest.raises(InvalidQuestion, match="drops the person"):
            carries_the_person(Project(IT, (Ref(0, known),), (known,)), NODE, context(""))  # type: ignore[arg-type]


# ---- the tree ----


def test_a_plan_is_walked_through_all_its_parts() -> None:
    whole = Where(Union((paired(V, T), lines(IT, WARD)), V.fields, private=True, cut=None), TRUE)
    assert relations_in(whole) == 3
    assert tables(whole) == ("visits", "towns", "items")
    assert tables(paired(V, paired(T, V))) == ("visits", "towns")
    assert parts_of(V) == ()
    assert parts_of(paired(V, T)) == (V, T)
    assert list(all_expressions(whole)) == [TRUE, WARD]


def test_a_relation_computes_its_own_expressions() -> None:
    counted = OwnAggregate("sum", WARD, TRUE)
    assert own_expressions(PerPerson(V, (WARD,), (counted,), V.fields)) == (WARD, WARD, TRUE)
    assert own_expressions(SOME) == SOME.expressions
    assert own_expressions(Where(V, TRUE)) == (TRUE,)
    assert own_expressions(V) == own_expressions(paired(V, T)) == own_expressions(TWICE) == ()


def test_whose_rows_they_are_is_handed_on() -> None:
    for plan in (cut(V, 6), P, T, lines(V), lines(V, WARD)):
        for other in (Where(plan, TRUE), Project(plan, (), ())):
            assert (other.private, other.single, other.cut) == (plan.private, plan.single, plan.cut)
    assert (lines(V).single, lines(V).cut) == (True, 1)
    assert (lines(V, WARD).single, lines(V, WARD).cut) == (False, None)
    assert not TWICE.single
    public = planned("SELECT 1 FROM towns t JOIN codes c ON t.region = c.label")
    assert (public.private, public.single, public.cut) == (False, False, None)


def test_what_decides_a_value_is_canonical() -> None:
    joined = paired(V, P)
    assert joined.canonical() != replace(joined, outer=True).canonical()
    assert replace(joined, equal=((1, 1), (0, 0))).canonical() == replace(joined, equal=((0, 0), (1, 1))).canonical()
    assert joined.canonical()[:2] == ["join", "inner"]
    assert OwnAggregate("sum", WARD, None).canonical() == ["sum", ["ref", 3], None]
    assert OwnAggregate("count", None, TRUE).canonical() == ["count", None, ["literal", "boolean", True]]
    union = Union((V, P), V.fields, private=True, cut=None)
    assert union.canonical() == replace(union, parts=(P, V)).canonical()
    assert T.canonical() == ["scan", "towns", ["town", "text"], ["region", "text"]]
    assert Where(T, TRUE).canonical() == ["where", T.canonical(), ["literal", "boolean", True]]
    assert TURNED.canonical() == ["project", T.canonical(), ["ref", 1], ["literal", "text", "x"], ["ref", 0]]
    assert lines(T, TOWN).canonical() == ["person", T.canonical(), [["ref", 0]], ["count", None, None]]


def test_conditions_are_asked_together() -> None:
    other = Call("not", (TRUE,), Kind.BOOLEAN)
    assert filtered(V, TRUE) == Where(V, TRUE)
    assert filtered(Where(V, TRUE), other) == Where(V, Call("and", (TRUE, other), Kind.BOOLEAN))


# ---- fields ----


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (Column("x", Kind.INTEGER, Fraction(1), Fraction(9)), Range(Fraction(1), Fraction(9), Fraction(1))),
        (Column("x", Kind.REAL, Fraction(1), Fraction(9), Fraction(1, 2)), Range(Fraction(1), Fraction(9), Fraction(1, 2))),
        (Column("x", Kind.INTEGER, values=(3, -2, 5)), Range(Fraction(-2), Fraction(5), Fraction(1))),
        (Column("x", Kind.REAL, values=(3.5, -2.0)), Range(Fraction(-2), Fraction(7, 2), None)),
        (Column("x", Kind.INTEGER), Range(None, None, Fraction(1))),
        (Column("x", Kind.REAL), Range()),
        (Column("x", Kind.TEXT, values=("a",)), Range()),
    ],
)  # fmt: skip
def test_a_declared_column_has_the_range_of_its_bounds_or_values(column: Column, expected: Range) -> None:
    assert declared_field(VISITS, column, person=False, own=False).range == expected


def test_a_declared_field_knows_its_table() -> None:
    private = declared_field(VISITS, VISITS.columns[0], person=True, own=True)
    assert (private.person, private.own, private.public, private.key) == (True, True, None, ("visits", "person"))
    public = declared_field(TOWNS, TOWNS.columns[0], person=False, own=False)
    assert (public.person, public.own, public.public, public.key) == (
        False,
        False,
        ("towns", "town"),
        ("towns", "town"),
    )


def test_a_computed_field_is_only_as_much_a_persons_own_as_all_it_is_made_of() -> None:
    own, other = Ref(0, P.fields[1]), Ref(1, V.fields[2])
    both = Call("add", (own, other), Kind.INTEGER)
    assert computed_field(Call("neg", (own,), Kind.INTEGER), "x").own
    assert not computed_field(both, "x").own
    assert not computed_field(TRUE, "x").own
    assert computed_field(own, "x") == replace(own.field, name="x")


def test_a_computed_field_knows_how_long_its_texts_are_and_which_days_are_on_the_calendar() -> None:
    at, town = Ref(8, V.fields[8]), Ref(5, V.fields[5])
    month = computed_field(Call("trunc_month", (at,), Kind.TIMESTAMP), "x")
    assert (month.on_calendar, month.longest) == (True, None)
    day = computed_field(Call("coalesce", (at,), Kind.TIMESTAMP), "x")
    assert not day.on_calendar
    text = computed_field(Call("substring", (town, Literal(1, Kind.INTEGER), Literal(3, Kind.INTEGER)), Kind.TEXT), "x")
    assert (text.on_calendar, text.longest) == (False, 3)
    assert not computed_field(Call("year", (at,), Kind.INTEGER), "x").on_calendar


def test_a_merged_field_holds_what_all_parts_hold() -> None:
    person, text = V.fields[0], Field("t", Kind.TEXT, longest=3, on_calendar=True)
    assert merged_field((person, person)).person
    assert not merged_field((person, person)).traces
    assert not merged_field((person, V.fields[1])).person
    assert merged_field((V.fields[1], person)).traces
    assert merged_field((V.fields[1], replace(V.fields[1], traces=True))).traces
    assert merged_field((text, replace(text, longest=7))).longest == 7
    assert merged_field((text, replace(text, longest=None))).longest is None
    assert merged_field((text, text)).on_calendar
    assert not merged_field((text, replace(text, on_calendar=False))).on_calendar
    assert merged_field((text, replace(text, missing=True))).missing
    assert not merged_field((text, text)).missing
    assert merged_field((person, person)).key is None


def test_contexts_are_of_one_question() -> None:
    error = Context(DATASETS["people"], PublicRows(), "SELECT 1").refused("no", NODE, hint="yes")  # type: ignore[arg-type]
    assert str(error).startswith("no (line 1, column ")
    assert error.hint == "yes"


def test_rows_of_nobody_are_not_cut() -> None:
    assert [scan(table, dataset).cut for dataset in ("people", "rows", "cut") for table in (VISITS, TOWNS)] == [
        None, None, 1, None, 6, None,
    ]  # fmt: skip


# ---- what the ledger knows plans by ----


def test_plans_are_known_by_everything_that_decides_their_rows() -> None:
    """Stored answers are found by these words: they must not change, and everything in them must count."""
    small = replace(P, fields=P.fields[:2])
    seen = ["scan", "people", ["person", "integer"], ["age", "integer"]]
    age, own = Ref(1, P.fields[1]), OwnAggregate("sum", Ref(1, P.fields[1]), TRUE)
    assert small.canonical() == seen
    assert Where(small, TRUE).canonical() == ["where", seen, TRUE.canonical()]
    assert Project(small, (age, TRUE), P.fields[:2]).canonical() == ["project", seen, age.canonical(), TRUE.canonical()]
    other = ["scan", "codes", ["code", "integer"], ["label", "text"]]
    join = Join(small, C, ((1, 0), (0, 0)), False, private=True, single=False, cut=None)
    assert join.canonical() == ["join", "inner", seen, other, [[0, 0], [1, 0]]]
    assert replace(join, outer=True).canonical()[1] == "left"
    assert Union((small, C), P.fields[:2], private=True, cut=None).canonical() == ["union", other, seen]
    assert OwnAggregate("count", None, None).canonical() == ["count", None, None]
    assert own.canonical() == ["sum", age.canonical(), TRUE.canonical()]
    assert PerPerson(small, (age,), (own, own), P.fields[:1]).canonical() == [
        "person", seen, [age.canonical()], own.canonical(), own.canonical(),
    ]  # fmt: skip


def test_a_line_a_person_holds_the_person_then_keys_then_aggregates() -> None:
    text = "SELECT 1 FROM (SELECT SUM(cost) AS s, ward, person, COUNT(*) AS n FROM visits GROUP BY person, ward) t"
    made = planned(text)
    assert isinstance(made, PerPerson)
    assert [field.name for field in made.fields] == ["person", "key 0", "SUM(cost)", "COUNT(*)"]
    assert [(field.person, field.own) for field in made.fields] == [(True, True), *[(False, False)] * 3]
    alone = planned("SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t")
    assert isinstance(alone, PerPerson)
    assert [field.own for field in alone.fields] == [True, True]
