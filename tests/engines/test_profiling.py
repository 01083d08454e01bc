"""What an owner's profile reads, against plain Python over the same rows; and twins, each of which is another number."""

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import ceil, isclose
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.data import declared, read_declaration
from sfumato.engines import profiled
from sfumato.engines.duckdb import opening
from sfumato.engines.figures import Spread, TableFigures, candidates
from sfumato.errors import InvalidDeclaration, InvalidParameter

Row = tuple[int | None, str | None, int | None]
PERSON, WARD, COST = range(3)
ROWS: list[Row] = [
    *((1, "a", cost) for cost in (5, 6, 7)), *((1, "b", cost) for cost in (900, None, 8)), (1, None, 9),
    (2, "a", 10), (2, "a", 40), (3, "b", 20), (4, None, 30), (4, "b", None), (5, "c", None), (None, "a", 77), (None, "d", 1),
]  # fmt: skip
"""Whose, where, and what it cost; 900 is above the bound, and two rows are nobody's."""
LOWER, UPPER = Fraction(0), Fraction(100)


def toml(source: str = "visits.parquet", *, bounds: str = "", cost: str = ", lower = 0, upper = 100") -> str:
    return f"""
[budget]
epsilon = "1"
[unit]
person = "visits.who"
[tables.visits]
source = "{source}"
{bounds}
[tables.visits.columns]
who = {{ type = "integer" }}
ward = {{ type = "text" }}
cost = {{ type = "integer"{cost} }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    columns = list(zip(*ROWS, strict=True))
    names = ("who", "ward", "cost")
    pq.write_table(
        pa.table({name: list(cells) for name, cells in zip(names, columns, strict=True)}), tmp_path / "visits.parquet"
    )
    (tmp_path / "visits.toml").write_text(toml(), encoding="utf-8")
    return tmp_path


def figures(folder: Path, *, by: str = "ward", average: str = "cost", text: str = "") -> TableFigures:
    if text:
        (folder / "visits.toml").write_text(text, encoding="utf-8")
    (found,) = profiled(read_declaration(folder / "visits.toml"), by=by, average=average)[1]
    return found


def lines(numbers: Any) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(numbers).items()))


# ---- rows and groups a person ----

OWNED = [row for row in ROWS if row[PERSON] is not None]
ROWS_OF = Counter(row[PERSON] for row in OWNED)
PAIRS = Counter((row[PERSON], row[WARD]) for row in OWNED)
GROUPS_OF = Counter(person for person, _ in PAIRS)


def test_rows_and_groups_a_person_are_those_of_the_rows(folder: Path) -> None:
    found = figures(folder)
    assert found.rows == len(ROWS)
    assert found.nobody == 2
    assert found.a_person is not None
    assert found.a_person.lines == lines(ROWS_OF.values())
    assert found.groups is not None
    assert found.groups.groups_a_person.lines == lines(GROUPS_OF.values())
    assert found.groups.rows_in_a_group.lines == lines(PAIRS.values())
    assert found.groups.groups == 4  # a, b, c and NULL; d is nobody's
    ward = next(column for column in found.columns if column.name == "ward")
    assert ward.keys_a_person is not None
    assert ward.keys_a_person.lines == lines(GROUPS_OF.values())
    # twins: nobody as a person, a missing key as no group, a group's rows for a person's
    assert found.a_person.lines != lines(Counter(row[PERSON] for row in ROWS).values())
    assert ward.keys_a_person.lines != lines(Counter(person for person, key in PAIRS if key is not None).values())
    assert found.a_person.lines != lines(PAIRS.values())


def quantile(numbers: list[int], share: Fraction, rank: Callable[[Fraction], int] = ceil) -> int:
    return sorted(numbers)[max(rank(share * len(numbers)), 1) - 1]


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3, 5), Fraction(9, 10), Fraction(99, 100), Fraction(1)])
def test_a_quantile_is_the_least_number_that_so_many_do_not_exceed(folder: Path, share: Fraction) -> None:
    spread = figures(folder).a_person
    assert spread is not None
    numbers = list(ROWS_OF.values())
    assert spread.quantile(share) == quantile(numbers, share)


def test_a_quantile_with_its_rank_rounded_down_would_be_seen() -> None:
    numbers = list(ROWS_OF.values())
    assert quantile(numbers, Fraction(9, 10), int) != quantile(numbers, Fraction(9, 10))
    assert Spread().quantile(Fraction(1, 2)) == 0


@pytest.mark.parametrize("bound", [1, 2, 5, 6, 7, 10])
def test_what_a_bound_keeps_and_who_is_above_it(folder: Path, bound: int) -> None:
    spread = figures(folder).a_person
    assert spread is not None
    assert spread.kept(bound) == sum(min(rows, bound) for rows in ROWS_OF.values())
    assert spread.above(bound) == sum(rows > bound for rows in ROWS_OF.values())
    if bound < 7:  # a twin that bounds by group keeps more of whoever is in several
        assert spread.kept(bound) != sum(min(rows, bound) for rows in PAIRS.values())
    if bound == 7:
        assert spread.above(bound) != sum(rows >= bound for rows in ROWS_OF.values())


@pytest.mark.parametrize(("most", "found"), [(0, (1,)), (1, (1,)), (2, (1, 2)), (3, (1, 2, 5)), (5, (1, 2, 5)), (6, (1, 2, 5, 10)), (101, (1, 2, 5, 10, 20, 50, 100, 200))])  # fmt: skip
def test_candidates_are_round_and_end_where_nobody_has_more(most: int, found: tuple[int, ...]) -> None:
    assert candidates(most) == found


# ---- groups and averages ----


def test_what_each_group_loses_by_a_bound_is_in_proportion(folder: Path) -> None:
    groups = figures(folder).groups
    assert groups is not None
    in_group: defaultdict[Any, int] = defaultdict(int)
    for (_, ward), rows in PAIRS.items():
        in_group[ward] += rows
    assert groups.squares == sum(rows**2 for rows in in_group.values())
    assert [bound for bound, _ in groups.lost_squares] == [1, 2, 5, 10]
    for bound, square in groups.lost_squares:
        lost: defaultdict[Any, Fraction] = defaultdict(Fraction)
        for (person, ward), rows in PAIRS.items():
            lost[ward] += rows * (1 - min(Fraction(1), Fraction(bound, ROWS_OF[person])))
        assert isclose(square, sum(each**2 for each in lost.values()))
        if bound < 7:  # twins: the square of all together; each group bounded by itself
            assert not isclose(square, sum(lost.values()) ** 2)
            by_group = defaultdict[Any, int](int)
            for (_, ward), rows in PAIRS.items():
                by_group[ward] += max(rows - bound, 0)
            assert not isclose(square, sum(each**2 for each in by_group.values()))


def test_public_values_are_groups_whether_or_not_somebody_is_in_them(folder: Path) -> None:
    listed = toml().replace('ward = { type = "text" }', 'ward = { values = ["a", "b", "c", "d", "e", "f"] }')
    groups = figures(folder, text=listed).groups
    assert groups is not None
    assert groups.groups == 6


def values(rows: list[Row], *, clamped: bool = True, missing: bool = False) -> tuple[tuple[int, int, Fraction], ...]:
    own: defaultdict[Any, list[Fraction]] = defaultdict(list)
    for person, _, cost in rows:
        if cost is not None or missing:
            held = Fraction(cost or 0)
            own[person].append(min(max(held, LOWER), UPPER) if clamped else held)
    by: defaultdict[int, list[Fraction]] = defaultdict(list)
    for each in own.values():
        by[len(each)].append(sum(each, Fraction(0)))
    return tuple((number, len(sums), Fraction(sum(sums))) for number, sums in sorted(by.items()))


def test_values_are_those_that_questions_see(folder: Path) -> None:
    average = figures(folder).average
    assert average is not None
    assert (average.lower, average.upper, average.is_declared) == (LOWER, UPPER, True)
    assert average.lines == values(OWNED)
    # twins: values outside of the bounds, missing cells as rows, nobody's rows
    assert average.lines != values(OWNED, clamped=False)
    assert average.lines != values(OWNED, missing=True)
    assert average.lines != values(ROWS)


def test_without_bounds_the_ends_are_those_of_peoples_rows(folder: Path) -> None:
    average = figures(folder, text=toml(cost="")).average
    assert average is not None
    assert (average.lower, average.upper, average.is_declared) == (Fraction(5), Fraction(900), False)
    assert average.lines == values(OWNED, clamped=False)
    assert figures(folder, average="").average is None, "nothing is averaged that nobody named or bounded"


def test_reals_that_are_no_numbers_do_not_count(tmp_path: Path) -> None:
    table = pa.table({"who": [1, 1, 2, 2, 3], "x": [1.5, float("nan"), float("inf"), 2.0, None]})
    for name, more, lines_, ends in (
        (
            "bounded",
            {"lower": 0, "upper": 4, "grid": 0.5},
            ((1, 1, Fraction(3, 2)), (2, 1, Fraction(6))),
            (Fraction(0), Fraction(4)),
        ),
        ("free", {}, ((1, 2, Fraction(7, 2)),), (Fraction(3, 2), Fraction(2))),
    ):
        made = declared({
            "name": name, "budget": {"epsilon": "1"}, "unit": {"person": "t.who"},
            "tables": {"t": {"source": table, "columns": {"x": {"type": "real", **more}}}},
        })  # fmt: skip
        (found,) = profiled(made, average="x")[1]
        assert found.average is not None
        assert found.average.lines == lines_, "an endless number is at the bound, if there is one"
        assert (found.average.lower, found.average.upper) == ends
        (x,) = [column for column in found.columns if column.name == "x"]
        assert (x.nulls, x.least, x.greatest) == (1, 1.5, 2.0)


def test_sums_beyond_all_numbers_have_no_average() -> None:
    frame = pa.table({"who": [1, 2], "x": [1.7e308, 1.7e308]})
    made = {"budget": {"epsilon": "1"}, "unit": {"person": "t.who"}, "tables": {"t": {"source": frame}}}
    (found,) = profiled(declared(made), average="x")[1]
    assert found.average is None


# ---- columns ----


def test_columns_tell_missing_cells_keys_and_ends(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "id,n,d,t,ok\n1,5,2026-01-02,x,true\n2,many,2025-12-31,y,\n3,-7,,x,false\n,,,,\n", encoding="utf-8"
    )
    (tmp_path / "visits.toml").write_text(
        """
[budget]
epsilon = "1"
[unit]
person = "t.id"
[tables.t]
source = "t.csv"
[tables.t.columns]
id = { type = "integer" }
n = { type = "integer" }
d = { type = "date" }
t = { type = "text" }
ok = { type = "boolean" }
""",
        encoding="utf-8",
    )
    found = figures(tmp_path, by="", average="")
    told = {
        each.name: (each.nulls, each.lost, each.keys, str(each.least), str(each.greatest)) for each in found.columns
    }
    assert told == {
        "id": (1, 0, None, "1", "3"),
        "n": (2, 1, None, "-7", "5"),
        "d": (2, 0, None, "2025-12-31", "2026-01-02"),
        "t": (1, 0, 2, "None", "None"),
        "ok": (2, 0, 2, "None", "None"),
    }
    assert [each.is_key for each in found.columns] == [True, False, False, False, False]


# ---- ways to the person, and kinds of sources ----


def linked(folder: Path) -> Path:
    """Lines of orders of users: a line leads to a user by two keys, one order has two users and one nobody."""
    run = duckdb.connect(str(folder / "shop.duckdb")).execute
    run("CREATE TABLE users (id INTEGER, age INTEGER)")
    run("INSERT INTO users VALUES (1, 30), (2, 40), (3, 50)")
    run("CREATE TABLE orders (order_id INTEGER, user_id INTEGER)")
    run("INSERT INTO orders VALUES (10, 1), (11, 1), (12, 2), (12, 3), (13, NULL)")
    run("CREATE TABLE lines (order_id INTEGER, what TEXT)")
    run("INSERT INTO lines VALUES (10, 'a'), (10, 'b'), (11, 'a'), (12, 'c'), (13, 'd'), (14, 'e'), (NULL, 'f')")
    run("CHECKPOINT")
    path = folder / "shop.toml"
    path.write_text(
        """
[budget]
epsilon = "1"
[unit]
person = "users.id"
[tables.users]
source = "shop.duckdb"
[tables.orders]
source = "shop.duckdb"
foreign_keys = { user_id = "users.id" }
[tables.lines]
source = "shop.duckdb"
foreign_keys = { order_id = "orders.order_id" }
""",
        encoding="utf-8",
    )
    return path


def test_the_person_is_found_by_a_path_of_keys(tmp_path: Path) -> None:
    users, orders, found = profiled(read_declaration(linked(tmp_path)), by="what")[1]
    assert users.a_person == Spread(((1, 3),))
    assert (orders.nobody, orders.a_person) == (1, Spread(((1, 2), (2, 1))))
    # user 1 has three lines, users 2 and 3 share one; 13 is nobody's, 14 is no order, and one line names none
    assert found.a_person == Spread(((1, 2), (3, 1)))
    assert found.rows == 7
    assert found.nobody == 3, "and not 1, the missing key, nor 7 - 5, where a shared line counts twice"
    assert found.groups is not None
    assert (found.groups.groups, found.groups.groups_a_person) == (3, Spread(((1, 2), (2, 1))))


@pytest.mark.parametrize("kind", ["csv", "parquet", "folder", "duckdb", "pandas", "arrow"])
def test_every_kind_of_source_has_the_same_figures(kind: str, folder: Path) -> None:
    table = pq.read_table(folder / "visits.parquet")
    source: Any = f"visits.{kind}"
    if kind == "csv":
        table.to_pandas().astype({"who": "Int64", "cost": "Int64"}).to_csv(folder / source, index=False)
    elif kind == "folder":
        source = "parts/"
        (folder / "parts").mkdir()
        pq.write_table(table.slice(0, 5), folder / "parts" / "a.parquet")
        pq.write_table(table.slice(5), folder / "parts" / "b.parquet")
    elif kind == "duckdb":
        with duckdb.connect(str(folder / source)) as connection:
            connection.register("given", table)
            connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    elif kind in ("pandas", "arrow"):
        source = table if kind == "arrow" else table.to_pandas().astype({"who": "Int64", "cost": "Int64"})
    given = {
        "budget": {"epsilon": "1"},
        "unit": {"person": "visits.who"},
        "tables": {
            "visits": {
                "source": source,
                "columns": {
                    "who": {"type": "integer"}, "ward": {"type": "text"},
                    "cost": {"type": "integer", "lower": 0, "upper": 100},
                },
            }
        },
    }  # fmt: skip
    (found,) = profiled(declared(given, folder=folder), by="ward", average="cost")[1]
    expected = figures(folder)
    assert (found.rows, found.nobody, found.a_person, found.groups) == (
        expected.rows, expected.nobody, expected.a_person, expected.groups
    )  # fmt: skip
    assert found.average == expected.average
    assert [(each.nulls, each.keys, each.least) for each in found.columns] == [
        (each.nulls, each.keys, each.least) for each in expected.columns
    ]


def test_a_declared_bound_hides_nothing_from_the_owner(folder: Path) -> None:
    free = figures(folder)
    assert figures(folder, text=toml(bounds="rows_per_person = 1")).a_person == free.a_person
    assert figures(folder, text=toml(bounds="rows_per_group = 2\ngroups_per_person = 1")).a_person == free.a_person


def test_rows_that_are_the_unit_have_no_people(folder: Path) -> None:
    found = figures(folder, text=toml().replace('person = "visits.who"', "rows = true"))
    assert (found.a_person, found.nobody, found.groups, found.average) == (None, 0, None, None)
    assert found.rows == len(ROWS)
    assert [each.keys for each in found.columns] == [None, 4, None]


def test_an_empty_table_has_no_people(folder: Path) -> None:
    pq.write_table(pq.read_table(folder / "visits.parquet").slice(0, 0), folder / "visits.parquet")
    found = figures(folder)
    assert (found.rows, found.a_person) == (0, Spread())
    assert figures(folder, text=toml(cost="")).average is None


# ---- who, and what is left ----


def test_nothing_is_left_and_nothing_registered_is_changed(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    figures(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_only_who_owns_the_folder_may_look(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.engines.duckdb.profiling.owns", lambda _: False)
    assert opening.owns(folder)
    with pytest.raises(InvalidDeclaration, match="not yours to profile"):
        figures(folder)


@pytest.mark.parametrize(("words", "told"), [
    ({"by": "wrad"}, "did you mean `ward`"), ({"average": "ward"}, "must be a number of a private table"),
    ({"by": "other.ward"}, "must be a column of a private table"),
])  # fmt: skip
def test_a_column_that_is_not_there_is_refused(folder: Path, words: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidParameter, match=told):
        figures(folder, **words)


def test_a_name_may_say_its_table(folder: Path) -> None:
    assert figures(folder, by="VISITS.Ward").groups == figures(folder).groups


def test_what_figures_hold_is_not_shown_by_accident(folder: Path) -> None:
    found = figures(folder)
    assert "900" not in repr(found)
    assert "Spread(lines" not in repr(found.a_person)
    frame = pd.DataFrame({"who": [4711]}).convert_dtypes()
    made = declared({"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"t": {"source": frame}}})
    dataset, _ = profiled(made)
    assert "4711" not in repr(dataset)
