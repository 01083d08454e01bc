"""Declarations: every error is one clear sentence with its remedy, before any data are read."""

import ast
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.data import (
    Allowance,
    Column,
    Dataset,
    Defaults,
    EngineOptions,
    File,
    Kind,
    Memory,
    Table,
    TableDraft,
    declared,
    draft,
    read_declaration,
)
from sfumato.data.budget import exactly
from sfumato.data.written import declaration_json
from sfumato.errors import InvalidDeclaration, MissingExtra

GOOD: dict[str, Any] = {
    "budget": {"epsilon": "3", "delta": "1e-7"},
    "unit": {"person": "users.user_id"},
    "tables": {
        "users": {"source": "users.parquet", "columns": {"age": {"lower": 18, "upper": 90}, "city": {}}},
        "visits": {"source": "visits.parquet", "foreign_keys": {"user_id": "users.user_id"}, "rows_per_group": 5, "groups_per_person": 3},
        "cities": {"source": "cities.parquet", "public": True},
    },
}  # fmt: skip


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(given: dict[str, Any]) -> None:
        at = given
        for name in path[:-2]:
            at = at[name]
        at[path[-2]] = path[-1]

    return change


def _drop(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(given: dict[str, Any]) -> None:
        at = given
        for name in path[:-1]:
            at = at[name]
        del at[path[-1]]

    return change


COLUMNS = ("tables", "users", "columns")
WRONG: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no budget": (_drop("budget"), "no [budget] is declared"),
    "two currencies": (_set("budget", "rho", "1"), "either epsilon or rho"),
    "no currency": (_drop("budget", "epsilon"), "either epsilon or rho"),
    "nothing to spend": (_set("budget", "epsilon", "0"), "must be positive"),
    "negative": (_set("budget", "epsilon", "-3"), "plain positive number"),
    "a word": (_set("budget", "epsilon", "three"), "plain positive number"),
    "infinite": (_set("budget", "epsilon", float("inf")), "plain positive number"),
    "not a number": (_set("budget", "epsilon", float("nan")), "plain positive number"),
    "true": (_set("budget", "epsilon", True), "must be a number"),
    "a list": (_set("budget", "epsilon", [3]), "must be a number"),
    "a ratio by zero": (_set("budget", "epsilon", "1/0"), "plain positive number"),
    "delta of one": (_set("budget", "delta", "1"), "below 1"),
    "an unknown entry of the budget": (_set("budget", "epsilom", "3"), "unknown entry `epsilom`"),
    "a budget that is no table": (_set("budget", "3"), "must be a table"),
    "a window in a window": (_set("budget", "day", {"epsilon": "1", "hour": {"epsilon": "1"}}), "unknown entry `hour`"),
    "unknown accounting": (_set("budget", "accounting", "guess"), "sum or renyi"),
    "Rényi without delta": (_set("budget", {"epsilon": "3", "accounting": "renyi"}), "delta above 0"),
    "an unknown entry at the top": (_set("bugdet", {}), "unknown entry `bugdet`"),
    "no unit": (_drop("unit"), "what one person is"),
    "two units": (_set("unit", "rows", True), "what one person is"),
    "rows = false": (_set("unit", {"rows": False}), "what one person is"),
    "rows = 1": (_set("unit", {"rows": 1}), "rows"),
    "a unit without a table": (_set("unit", "person", "user_id"), "table.column"),
    "a unit that is a number": (_set("unit", "person", 3), "must be text"),
    "a unit nobody declared": (_set("unit", "person", "people.id"), "names no private table"),
    "a public unit": (_set("unit", "person", "cities.city"), "names no private table"),
    "a table that leads nowhere": (_drop("tables", "visits", "foreign_keys"), "does not lead to the person"),
    "a key that leads nowhere": (_set("tables", "visits", "foreign_keys", {"x": "nowhere.x"}), "not declared"),
    "two people a row": (_set("tables", "visits", "foreign_keys", {"a": "users.user_id", "b": "users.user_id"}), "two people"),
    "no table": (_set("tables", {}), "no table"),
    "tables that are a list": (_set("tables", []), "table of names"),
    "no source": (_drop("tables", "users", "source"), "no source"),
    "a name with a space": (_set("tables", "two words", {"source": "x", "public": True}), "letters, digits"),
    "an unknown entry of a table": (_set("tables", "users", "sauce", "x"), "unknown entry `sauce`"),
    "no rows": (_set("tables", "visits", "rows_per_group", 0), "whole number from 1"),
    "half a row": (_set("tables", "visits", "rows_per_group", 1.5), "whole number from 1"),
    "rows = true": (_set("tables", "visits", "groups_per_person", True), "whole number from 1"),
    "no rows at registration": (_set("tables", "visits", "rows_per_person", 0), "whole number from 1"),
    "public = yes": (_set("tables", "cities", "public", "yes"), "true or false"),
    "an unknown entry of a column": (_set(*COLUMNS, "age", {"lowest": 3}), "unknown entry `lowest`"),
    "a column that is a number": (_set(*COLUMNS, "age", 3), "table of names"),
    "one bound": (_set(*COLUMNS, "age", {"lower": 3}), "needs two"),
    "swapped bounds": (_set(*COLUMNS, "age", {"lower": 3, "upper": 2}), "lower is above upper"),
    "a grid alone": (_set(*COLUMNS, "age", {"grid": 1}), "no bounds"),
    "a grid of nothing": (_set(*COLUMNS, "age", {"lower": 0, "upper": 9, "grid": 0}), "grid must be positive"),
    "too fine a grid": (_set(*COLUMNS, "age", {"lower": 0, "upper": 10**12, "grid": "0.000001"}), "2**53 steps"),
    "bounds of text": (_set(*COLUMNS, "age", {"lower": 0, "upper": 9, "type": "text"}), "bounds are for numbers"),
    "an unknown type": (_set(*COLUMNS, "age", {"type": "blob"}), "unknown type"),
    "no values": (_set(*COLUMNS, "city", {"values": []}), "values is empty"),
    "values that are text": (_set(*COLUMNS, "city", {"values": "abc"}), "must be a list"),
    "a value twice": (_set(*COLUMNS, "city", {"values": ["a", "a"]}), "listed twice"),
    "values of two kinds": (_set(*COLUMNS, "city", {"values": ["a", 3]}), "a public value is not"),
    "too many values": (_set(*COLUMNS, "city", {"values": list(range(100_001))}), "public values"),
    "no confidence": (_set("defaults", {"confidence": "1"}), "between 0 and 1"),
    "half a thread": (_set("defaults", {"threads": 0.5}), "whole number"),
    "an unknown default": (_set("defaults", {"speed": 3}), "unknown entry `speed`"),
    "a ledger that is a number": (_set("ledger", 3), "must be text"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_declaration_is_one_clear_error(name: str) -> None:
    change, words = WRONG[name]
    given = deepcopy(GOOD)
    change(given)
    with pytest.raises(InvalidDeclaration) as caught:
        declared(given)
    assert words in str(caught.value)
    assert "\n" not in caught.value.problem
    assert caught.value.hint


def test_a_right_declaration_says_what_it_says() -> None:
    made = declared(GOOD, name="clinic")
    assert made.budget == Allowance(Fraction(3), Fraction(1, 10**7))
    visits, users = made.table("Visits"), made.table("users")
    assert visits is not None
    assert users is not None
    assert (visits.rows_per_group, visits.groups_per_person, visits.rows_per_person) == (5, 3, None)
    assert made.person(visits) == "user_id"
    assert made.path(users) == ()
    assert made.table("nowhere") is None
    assert made.budget.currency == "epsilon"
    assert users.column("AGE") == Column("age", Kind.INTEGER, Fraction(18), Fraction(90), typed=False)


def test_a_chain_of_foreign_keys_is_followed() -> None:
    given = deepcopy(GOOD)
    given["tables"]["items"] = {"source": "i.parquet", "foreign_keys": {"visit": "visits.visit"}}
    made = declared(given)
    items, visits = made.table("items"), made.table("visits")
    assert items is not None
    assert visits is not None
    assert made.path(visits) == (("user_id", "users", "user_id"),)
    assert made.person(items) is None
    assert len(made.path(items) or ()) == 2


TWO_PATHS: dict[str, tuple[str, dict[str, Any], str]] = {
    "through another table": ("transfers", {"sender": "users.user_id", "account": "accounts.id"}, "sender → users.user_id and account → accounts.id"),
    "by another column": ("transfers", {"sender": "users.user_id", "mail": "users.email"}, "sender → users.user_id and mail → users.email"),
    "in other letters": ("transfers", {"sender": "users.user_id", "receiver": "Users.user_id"}, "sender → users.user_id and receiver → users.user_id"),
    "both through tables": ("transfers", {"a": "accounts.id", "b": "ACCOUNTS.id"}, "a → accounts.id and b → accounts.id"),
    "to itself": ("transfers", {"sender": "users.user_id", "before": "transfers.id"}, "before → transfers.id"),
    "among people": ("users", {"boss": "users.user_id"}, "boss → users.user_id"),
    "of people through a table": ("users", {"account": "accounts.id"}, "account → accounts.id"),
    "round a circle of two": ("transfers", {"sender": "users.user_id", "batch": "batches.id"}, "sender → users.user_id and batch → batches.id"),
    "round a circle of three": ("transfers", {"sender": "users.user_id", "day": "days.id"}, "sender → users.user_id and day → days.id"),
    "through people of a circle": ("threads", {"first": "transfers.id", "topic": "topics.id"}, "first → transfers.id and topic → topics.id"),
    "a public table": ("towns", {"mayor": "users.user_id"}, "is public and leads to people: mayor → users.user_id"),
    "a public table through others": ("towns", {"bank": "accounts.id"}, "is public and leads to people: bank → accounts.id"),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_PATHS)
def test_rows_that_lead_to_two_people_are_refused_with_both_named(name: str) -> None:
    """Only one of them would be protected: sixty transfers to one receiver moved a count by sixty, priced two."""
    table, keys, named = TWO_PATHS[name]
    given = deepcopy(GOOD)
    given["tables"]["accounts"] = {"source": "a.parquet", "foreign_keys": {"holder": "users.user_id"}}
    around = {"batches": {"first": "transfers.id"}, "weeks": {"first": "transfers.id"}, "days": {"week": "weeks.id"},
              "topics": {"first": "threads.id"}}  # fmt: skip
    needed = {"batch": ["batches"], "day": ["days", "weeks"], "topic": ["topics", "transfers"]}
    for each in [name for key in keys for name in needed.get(key, [])]:
        leads = around.get(each, {"sender": "users.user_id"})
        given["tables"][each] = {"source": f"{each}.parquet", "foreign_keys": leads}
    given["tables"].setdefault(table, {"source": "t.parquet", "public": table == "towns"})["foreign_keys"] = keys
    with pytest.raises(InvalidDeclaration, match=named) as refused:
        declared(given)
    assert refused.value.hint


def test_the_persons_table_may_be_spelled_in_other_letters() -> None:
    given = deepcopy(GOOD)
    given["unit"]["person"] = given["unit"]["person"].replace("users", "USERS")
    assert declared(given).unit == ("users", "user_id")
    public = deepcopy(GOOD)
    public["tables"]["towns"] = {"source": "t.parquet", "public": True, "foreign_keys": {"part_of": "towns.id"}}
    public["tables"]["visits"]["foreign_keys"]["town"] = "towns.id"
    declared(public)  # a public table holds nobody's data


def test_a_circle_of_foreign_keys_ends() -> None:
    given = deepcopy(GOOD)
    given["tables"]["a"] = {"source": "a", "foreign_keys": {"x": "b.x"}}
    given["tables"]["b"] = {"source": "b", "foreign_keys": {"x": "a.x"}}
    with pytest.raises(InvalidDeclaration, match="does not lead to the person"):
        declared(given)


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "clinic.toml").write_text("""
name = "clinic"
[budget]
epsilon = 0.1
delta = 1e-7
[budget.day]
epsilon = "0.05"
[analysts.ann]
rho = "0.5"
[unit]
rows = true
[defaults]
confidence = 0.9
timeout = 5
threads = 2
rows_per_group = 4
[tables.t]
source = "t.parquet"
hidden = ["secret"]
[tables.t.columns]
x = { lower = -1.5, upper = "2.5", grid = 0.1 }
y = { values = [1, 2.5] }
d = { values = [2026-01-31] }
""")
    (tmp_path / "clinic.yaml").write_text("""
name: clinic
budget: {epsilon: "0.1", delta: "1e-7", day: {epsilon: "0.05"}}
analysts: {ann: {rho: "0.5"}}
unit: {rows: true}
defaults: {confidence: 0.9, timeout: 5, threads: 2, rows_per_group: 4}
tables:
  t:
    source: t.parquet
    hidden: [secret]
    columns:
      x: {lower: -1.5, upper: "2.5", grid: 0.1}
      y: {values: [1, 2.5]}
      d: {values: [2026-01-31]}
""")
    toml, yaml = read_declaration(tmp_path / "clinic.toml"), read_declaration(tmp_path / "clinic.yaml")
    assert toml == yaml
    assert toml.budget.epsilon == Fraction(1, 10)
    assert toml.budget.windows == (("day", Allowance(Fraction(1, 20))),)
    assert toml.analysts["ann"].currency == "rho"
    assert toml.defaults == Defaults(confidence=Fraction(9, 10))
    assert toml.engine == EngineOptions(timeout=5.0, threads=2)
    (table,) = toml.tables
    assert table.rows_per_group == 4
    assert table.source == File((str(tmp_path / "t.parquet"),))
    x, y, d = table.columns
    assert (x.kind, x.lower, x.upper, x.step) == (Kind.REAL, Fraction(-3, 2), Fraction(5, 2), Fraction(1, 10))
    assert (y.kind, d.kind, d.values) == (Kind.REAL, Kind.DATE, (date(2026, 1, 31),))


@pytest.mark.parametrize(("name", "text", "words"), [
    ("a.toml", "[budget", "is not TOML"), ("a.yaml", "a: [", "is not YAML"), ("a.toml", "3 = 4 = 5", "is not TOML"), ("a.yaml", "- 1", "table of names"),
    ("a.yaml", "budget:\n  epsilon: 3\nbudget:\n  epsilon: 30\n", "line 3: `budget` stands there twice"),
    ("a.yaml", "tables: !!map none\n", "line 1: no mapping stands there"),
    ("a.yaml", "budget:\n  epsilon: !!seq 3\n", "line 2: no list stands there"),
    ("a.yaml", "budget:\n  epsilon: 1\n  epsilon: 9\n", "line 3: `epsilon` stands there twice"),
    ("a.yaml", "budget:\n  epsilon: 010\n", "line 2: 010 is not a plain whole number"), ("a.yaml", "budget:\n  epsilon: 0x10\n", "0x10 is not a plain"),
    ("a.yaml", "? [1, 2]\n: 3\n", "a name must be text"),
    ("a.toml", "a = " + "[" * 5000 + "]" * 5000, "nested too deeply"), ("a.yaml", "[" * 5000 + "]" * 5000, "nested too deeply"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_says_so(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidDeclaration, match=words):
        read_declaration(tmp_path / name)


@pytest.mark.parametrize(("change", "words", "hint"), [
    (_set("tables", "users", "hidden", "ssn"), "hidden must be a list: 'ssn'", 'hidden = ["ssn"]'),
    (_set("tables", "users", "hidden", [3]), "hidden must be text", None),
    (_set("defaults", {"memory": "abc"}), "memory must be an amount: 'abc'", 'memory = "4GB"'),
    (_set("tables", "users", "format", "xlsx"), "format must be one of parquet, csv, duckdb: 'xlsx'", "parquet"),
    (_set("tables", "users", "unreadable", "skip"), "unreadable must be one of refuse, null: 'skip'", "null"),
    (_set("tables", "users", "dialect", ";"), "dialect must be a table", "separator"),
    (_set("tables", "users", "dialect", {"separator": ";;"}), "separator must be one ASCII sign", "separator"),
    (_set("tables", "users", "dialect", {"separator": '"'}), "separator and quote are the same", None),
    (_set("tables", "users", "dialect", {"quote": " "}), "quote must be a sign that can be seen: ' '", "separator"),
    (_set("tables", "users", "dialect", {"encoding": "rot13"}), "unknown encoding 'rot13'", "latin-1"),
    (_set("tables", "users", "dialect", {"header": "no"}), "unknown entry `header`", "separator"),
    (_set("tables", "users", "source", []), "source must be a file or a list of files", "2025.csv"),
    (_set("tables", "users", "source", ["a.csv", "a.csv"]), "lists a file twice", None),
])  # fmt: skip
def test_what_would_be_taken_silently_is_refused(
    change: Callable[[dict[str, Any]], None], words: str, hint: str | None
) -> None:
    given = deepcopy(GOOD)
    change(given)
    with pytest.raises(InvalidDeclaration, match=re.escape(words)) as refused:
        declared(given)
    assert hint is None or hint in refused.value.hint


# ---- numbers, values and names in every shape ----

ODD: list[Any] = [
    None, True, -1, 2**70, 10**6000, 0.5, -0.0, float("nan"), float("inf"), 1e300, 1e-320, "", "abc", "1e999", "1e-320", "-5",
    "\0", "\ud800", "a.b.c", "users.nope", [], [1], [[]], [None], {}, {"a": 1}, {1: 2}, {"": ""}, b"x", object(),
    date(2020, 1, 1), datetime(2020, 1, 1), datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))), Decimal("NaN"),
    Decimal("sNaN"), Decimal("-Infinity"), Decimal("1e999999"), Fraction(1, 3), {1, 2}, "x" * 9000, "1" * 5000, "999999999TB", "0%",
    "200%", "1KB", time(7), float,
]  # fmt: skip
WHOLE: dict[str, Any] = {
    **GOOD, "name": "clinic", "analysts": {"ann": {"epsilon": "1"}}, "ledger": "l.ledger", "anchor": "a", "version": "1",
    "budget": {"epsilon": "9", "delta": "0.1", "accounting": "sum", "day": {"epsilon": "1"}},
    "defaults": {
        "epsilon": "0.1", "delta": "1e-9", "confidence": "0.95", "timeout": 60, "memory": "1GB", "threads": 1, "answer_every": 0,
        "rows_per_group": 1, "groups_per_person": 1},
    "rules": {"least_epsilon": "0.001", "least_rho": "1e-6", "rows_per_row": 10, "failures_per_analyst": 3, "failures": 10},
}  # fmt: skip
WHOLE["tables"] = {
    **GOOD["tables"],
    "users": {
        "source": ["u.csv"], "format": "csv", "public": False, "foreign_keys": {}, "rows_per_person": 2, "hidden": ["z"],
        "dialect": {"separator": ",", "quote": '"', "encoding": "utf-8", "decimal": "."}, "unreadable": "refuse",
        "columns": {"x": {"type": "real", "lower": 0, "upper": 9, "grid": 1}, "z": {"values": ["a"]}}},
}  # fmt: skip


def _places(given: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(given, dict):
        for name in given:
            yield from _places(given[name], (*path, name))


@pytest.mark.parametrize("path", list(_places(WHOLE)), ids=".".join)
def test_whatever_stands_anywhere_in_a_declaration_is_taken_or_refused_in_words(path: tuple[str, ...]) -> None:
    declared(WHOLE)
    for odd in ODD:
        given = deepcopy(WHOLE)
        if path:
            _set(*path, odd)(given)
        refused = None
        try:
            made = declared(given if path else odd)
        except InvalidDeclaration as error:
            refused = error
        if refused is not None:
            assert refused.hint
            assert len(str(refused)) < 700
        else:
            assert 0 <= made.engine.timeout <= 10**7
            for column in made.tables[0].columns:
                assert column.lower is None or 0 < float(column.step) < float("inf")


def test_a_value_of_another_library_is_named_by_its_type_and_not_shown() -> None:
    class Frame:
        def __repr__(self) -> str:
            return "secret cells"

    for path in [p for p in _places(WHOLE) if p and p[-1] != "source"]:
        given = deepcopy(WHOLE)
        _set(*path, Frame())(given)
        with pytest.raises(InvalidDeclaration) as refused:
            declared(given)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [("-1e3", "1e3"), (-1000, 1e3), (Decimal("-1E+3"), Decimal("1E+3")), (Fraction(-1000), "1000/1")],
)
def test_a_number_is_the_same_however_it_is_written(lower: Any, upper: Any) -> None:
    given = deepcopy(GOOD)
    given["tables"]["users"]["columns"] = {"x": {"type": "real", "lower": lower, "upper": upper}}
    column = declared(given).tables[0].columns[0]
    assert (column.lower, column.upper) == (-1000, 1000)  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(("name", "text", "words"), [
    ("a.toml", "[tables.t]\ncolumns = { x = { lower = 0, upper = 9 }, X = { lower = 0, upper = 99999 } }", "a column stands there twice: `x` and `X`"),
    ("a.toml", '[tables.t]\nforeign_keys = { x = "a.b", X = "c.d" }', "foreign_keys: a column stands there twice"),
    ("a.yaml", "budget: {epsilon: 1:30.5}", "line 1: 1:30.5 is not a plain number"),
    ("a.yaml", "version: 2024-13-45", "line 1: 2024-13-45 is not in the calendar"),
    ("a.yaml", f"defaults: {{threads: {'9' * 5000}}}", "is not a plain whole number"),
    ("a.toml", f"[defaults]\nthreads = {'9' * 5000}", "a value in it is out of range"),
    ("a.yaml", "tables: {t: {columns: {x: {values: [no, se, dk]}}}}", "`no` is a text or a truth"),
    ("a.yaml", "tables: {t: &a {source: x}, u: {<<: *a}}", "<< is not read"),
    ("a.yaml", "tables: {t: {columns: {~: {}}}}", "a name must be text"),
])  # fmt: skip
def test_nothing_in_a_file_is_taken_silently_for_something_else(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    rest = '\n[budget]\nepsilon = "9"\n[unit]\nrows = true\n'
    if name == "a.toml" and "[tables.t]" in text:
        text = text.replace("[tables.t]", '[tables.t]\nsource = "t.csv"') + rest
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidDeclaration, match=re.escape(words)) as refused:
        read_declaration(tmp_path / name)
    assert refused.value.hint


def test_a_column_may_be_declared_to_have_a_value_in_every_row(tmp_path: Path) -> None:
    """`null` is a word of YAML, and here a name as it stands there; what is written for the ledger says it too."""
    (tmp_path / "a.yaml").write_text(
        "name: a\nunit: {rows: true}\nbudget: {epsilon: 1}\n"
        "tables: {t: {source: t.csv, columns: {x: {lower: 0, upper: 9, null: false}, y: {null: true}, z: {}}}}\n"
    )
    (tmp_path / "a.toml").write_text(
        'name = "a"\nunit = {rows = true}\nbudget = {epsilon = 1}\n[tables.t]\nsource = "t.csv"\n'
        "columns = {x = {lower = 0, upper = 9, null = false}, y = {null = true}, z = {}}\n"
    )
    yaml, toml = read_declaration(tmp_path / "a.yaml"), read_declaration(tmp_path / "a.toml")
    assert yaml == toml
    assert [each.null for each in toml.tables[0].columns] == [False, True, True]
    written = declaration_json(toml, {}, "digest")["tables"]["t"]["columns"]
    assert [each.get("null", True) for each in written.values()] == [False, True, True]


def test_names_in_yaml_are_the_text_that_stands_there(tmp_path: Path) -> None:
    """`no` is Norway, and was the table False; `on` was the analyst True."""
    text = "budget: {epsilon: 9}\nunit: {rows: true}\ntables: {no: {source: t.csv}}\nanalysts: {on: {epsilon: 1}, 07: {epsilon: 1}}\n"
    (tmp_path / "a.yaml").write_text(text)
    made = read_declaration(tmp_path / "a.yaml")
    assert ([table.name for table in made.tables], list(made.analysts)) == (["no"], ["on", "07"])


def test_a_mark_of_the_byte_order_before_a_declaration_is_no_part_of_it(tmp_path: Path) -> None:
    text = '[budget]\nepsilon = "9"\n[unit]\nrows = true\n[tables.t]\nsource = "t.csv"\n'
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_declaration(tmp_path / "a.toml").budget.epsilon == 9


@pytest.mark.parametrize(("kind", "value", "kept"), [
    ("timestamp", datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=2))), datetime(2023, 12, 31, 22)),
    ("date", datetime(2024, 1, 1, 5), None), ("timestamp", date(2024, 1, 1), None), ("integer", 2**63, None),
    ("integer", 2**63 - 1, 2**63 - 1), ("real", float("nan"), None), ("real", Decimal("inf"), None), ("text", "\ud800", None),
    ("text", "a\0b", "a\0b"), ("real", Decimal("0.5"), 0.5), ("text", time(7), None), ("boolean", 1, None), ("integer", True, None),
    ("timestamp", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))), None),
])  # fmt: skip
def test_a_public_value_is_one_that_the_column_can_hold(kind: str, value: Any, kept: Any) -> None:
    """A moment in a list of days made every question fail after its charge; one with an offset was counted as nobody's."""
    given = deepcopy(GOOD)
    given["tables"]["users"]["columns"] = {"x": {"type": kind, "values": [value]}}
    if kept is not None:
        assert declared(given).tables[0].columns[0].values == (kept,)
        return
    with pytest.raises(InvalidDeclaration, match=r"a public value|not UTF-8") as refused:
        declared(given)
    assert refused.value.hint


def test_moments_that_are_one_moment_are_listed_twice() -> None:
    given = deepcopy(GOOD)
    east = datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    given["tables"]["users"]["columns"] = {"x": {"type": "timestamp", "values": [east, datetime(2024, 1, 1)]}}
    with pytest.raises(InvalidDeclaration, match="listed twice"):
        declared(given)


def test_a_column_with_dots_can_be_the_person_and_what_a_key_leads_to() -> None:
    given = deepcopy(GOOD)
    given["unit"]["person"] = "users.user.id"
    given["tables"]["visits"]["foreign_keys"] = {"who.is": "users.user.id"}
    made = declared(given)
    assert made.unit == ("users", "user.id")
    assert made.tables[1].foreign_keys == (("who.is", "users", "user.id"),)


def test_every_refusal_of_a_declaration_says_what_to_do() -> None:
    """In the code itself: no InvalidDeclaration without a hint."""
    root = Path(sfumato.__file__).parent
    without = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sorted(root.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "InvalidDeclaration"
        and not any(word.arg == "hint" for word in node.keywords)
    ]
    assert without == []


def test_yaml_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    (tmp_path / "a.yml").write_text("a: 1")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra, match="PyYAML"):
        read_declaration(tmp_path / "a.yml")


@pytest.mark.parametrize(("value", "kind"), [
    (True, Kind.BOOLEAN), (3, Kind.INTEGER), (3.5, Kind.REAL), ("x", Kind.TEXT), (date(2026, 1, 1), Kind.DATE), (datetime(2026, 1, 1), Kind.TIMESTAMP),
])  # fmt: skip
def test_the_kind_of_a_column_is_that_of_its_values(value: Any, kind: Kind) -> None:
    given = deepcopy(GOOD)
    given["tables"]["users"]["columns"] = {"x": {"values": [value]}}
    assert declared(given).tables[0].columns[0].kind is kind


def test_amounts_are_exactly_what_is_written() -> None:
    assert (
        exactly("x", 0.1)
        == exactly("x", "0.1")
        == exactly("x", Decimal("0.1"))
        == exactly("x", "1/10")
        == Fraction(1, 10)
    )
    assert exactly("x", 3) == 3
    for wrong in ("1e9999", "0x10", "1_000", " 1", "", "1e", "5.", "--1", "-1", "1/0", "١"):
        with pytest.raises(InvalidDeclaration):
            exactly("x", wrong)


def test_a_draft_is_a_declaration_once_it_is_read(tmp_path: Path) -> None:
    columns = [("user_id", Kind.INTEGER), ("age", Kind.INTEGER), ("odd name", Kind.TEXT), ("naïve", Kind.REAL)]
    (tmp_path / "draft.toml").write_text(
        draft([TableDraft("users.parquet", "users", columns)], person="users.user_id"), encoding="utf-8"
    )
    made = read_declaration(tmp_path / "draft.toml")
    assert made.unit == ("users", "user_id")
    assert [column.name for column in made.tables[0].columns] == ["age", "odd name", "naïve"]
    (tmp_path / "rows.toml").write_text(
        draft([TableDraft("users.parquet", "users", columns)], rows=True), encoding="utf-8"
    )
    assert read_declaration(tmp_path / "rows.toml").unit is None


def test_a_column_that_is_declared_twice_is_refused_in_python_too() -> None:
    columns = Column("x", Kind.TEXT), Column("X", Kind.TEXT)
    with pytest.raises(InvalidDeclaration, match="a column stands there twice: `x` and `X`"):
        Dataset("d", (Table("t", File(("t.csv",)), columns),), None, Allowance(Fraction(1))).check()


def test_a_dataset_shows_no_source() -> None:
    secret = {"cells": "secret cells"}
    table = Table("t", Memory(secret))
    assert "secret" not in repr(Dataset("d", (table,), None, Allowance(Fraction(1))))
