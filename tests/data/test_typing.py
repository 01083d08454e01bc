"""Typing a dataset from schemas is a pure function: no engine, no file, the same for the same words."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.data import Allowance, Column, Dataset, Kind, Memory, SourceColumn, Table, Typed, typed, typing
from sfumato.errors import InvalidDeclaration

NAMES = ("id", "account", "x", "Y")
KINDS = st.sampled_from(list(Kind))


@st.composite
def sources(draw: Any) -> list[SourceColumn]:
    """The columns of a source as some engine might tell them: any kinds, loose, uncertain, inexact."""
    made = []
    for name in NAMES:
        spelled = draw(st.sampled_from([name, name.upper(), name.lower()]))
        uncertain, odd = draw(st.integers(0, 29)) == 0, draw(st.integers(0, 19)) == 0
        usual = {"id": [Kind.INTEGER, Kind.TEXT], "account": [Kind.TEXT]}.get(name, list(Kind))
        kind = Kind.TEXT if uncertain else draw(st.sampled_from([*Kind, None] if odd else usual))
        made.append(
            SourceColumn(
                spelled, f"type of {name}", kind, loose=uncertain or (kind is Kind.TEXT and draw(st.booleans())), uncertain=uncertain,
                likely=draw(KINDS), inexact=tuple(draw(st.sets(KINDS, max_size=1))) if draw(st.integers(0, 19)) == 0 else (),
            )
        )  # fmt: skip
    return draw(st.permutations(made))  # type: ignore[no-any-return]


@st.composite
def columns(draw: Any) -> tuple[Column, ...]:
    made = []
    for name in draw(st.sets(st.sampled_from(NAMES), max_size=3)):
        usual = {"id": Kind.INTEGER, "account": Kind.TEXT, "x": Kind.REAL}.get(name, Kind.TEXT)
        kind = draw(KINDS) if draw(st.integers(0, 9)) == 0 else usual
        how = draw(st.sampled_from(["typed", "bounds", "nothing", "nothing", "typed bounds"]))
        bounds = (Fraction(0), Fraction(9)) if "bounds" in how and kind.is_number else (None, None)
        made.append(Column(name, kind, *bounds, typed="typed" in how))  # type: ignore[misc]
    return tuple(made)


@st.composite
def datasets(draw: Any) -> Dataset:
    """People, their accounts, what is done with these, and something public, in every spelling."""

    def table(name: str, **more: Any) -> Table:
        hidden = tuple(draw(st.sets(st.sampled_from([*NAMES, "X", "y"]), max_size=1)))
        return Table(name, Memory(), draw(columns()), hidden=hidden, **more)

    person = draw(st.sampled_from([("users", "id"), ("users", "ID"), None]))
    tables = (
        table("users"),
        table("accounts", foreign_keys=(("id", "users", draw(st.sampled_from(["id", "Id"]))),)),
        table("moves", foreign_keys=(("account", "accounts", "account"),)),
        table("places", public=True),
    )
    return Dataset("d", tables, person, Allowance(Fraction(1))).spelled().check()


def schemas() -> st.SearchStrategy[dict[str, list[SourceColumn]]]:
    return st.fixed_dictionaries({name: sources() for name in ("users", "accounts", "moves", "places")})


def holds(dataset: Dataset, found: dict[str, list[SourceColumn]]) -> Typed | None:
    """What must be true of everything that is typed; None where it is refused, in words and with a remedy."""
    try:
        made = typed(dataset, found)
    except InvalidDeclaration as error:
        refused = error
    else:
        assert made == typed(dataset, found), "the same for the same"
        _holds(dataset, found, made)
        return made
    assert refused.hint
    return None


def _holds(dataset: Dataset, found: dict[str, list[SourceColumn]], made: Typed) -> None:
    for before, table in zip(dataset.tables, made.dataset.tables, strict=True):
        there = {column.name: column for column in found[table.name]}
        hidden = {name.lower() for name in before.hidden}
        shown = [column.name for column in table.columns]
        assert shown == [name for name in there if name in shown], "in the source's order and spelling"
        assert not {name.lower() for name in shown} & hidden
        assert all(there[name].kind is not None for name in shown)
        for column in table.columns:
            declared, source = before.column(column.name), there[column.name]
            assert source.kind is not None
            assert typing.can_be(source.kind, column.kind) or made.key_kind(table.name, column.name)
            if declared is not None:
                assert (column.lower, column.upper, column.values) == (declared.lower, declared.upper, declared.values)
            if declared is not None and declared.typed:
                assert column.kind is declared.kind, "the owner's word decides"
            if source.uncertain:
                assert declared is not None or column.name.lower() in ("id", "account"), "rows decide nothing"
    _one_person_is_one_value(found, made)


def _one_person_is_one_value(found: dict[str, list[SourceColumn]], made: Typed) -> None:
    if made.dataset.unit is None:
        assert made.key_kinds == {}
        return
    for table in made.dataset.tables:
        for column, target, there in (made.dataset.path(table) or ())[:1]:
            assert made.key_kind(table.name, column) is made.key_kind(target, there) is not None
    for (name, column), kind in made.key_kinds.items():
        source = next(each for each in found[name] if each.name == column)
        assert kind not in source.inexact
        assert source.kind is kind or source.kind is Kind.TEXT or (source.kind, kind) in (
            (Kind.INTEGER, Kind.TEXT), (Kind.REAL, Kind.INTEGER), (Kind.INTEGER, Kind.REAL))  # fmt: skip
        shown = made.dataset.table(name)
        assert shown is not None
        visible = shown.column(column)
        assert visible is None or visible.kind is kind


@examples(200)
@given(datasets(), schemas())
def test_whatever_schemas_an_engine_tells_a_dataset_is_typed_soundly_or_refused_in_words(
    dataset: Dataset, found: dict[str, list[SourceColumn]]
) -> None:
    holds(dataset, found)


PEOPLE = Dataset(
    "d",
    (Table("users", Memory()), Table("accounts", Memory(), foreign_keys=(("id", "users", "id"),))),
    ("users", "id"),
    Allowance(Fraction(1)),
)


def schema(users: SourceColumn, accounts: SourceColumn) -> dict[str, list[SourceColumn]]:
    return {"users": [users, SourceColumn("x", "t", Kind.REAL)], "accounts": [accounts]}


TEXTS, REALS = SourceColumn("id", "t", Kind.TEXT), SourceColumn("id", "t", Kind.REAL)
NARROW = SourceColumn("id", "narrow", Kind.REAL, inexact=(Kind.INTEGER, Kind.REAL))
UNSURE = SourceColumn("x", "t", Kind.TEXT, loose=True, uncertain=True)


def _integers(dataset: Dataset) -> Dataset:
    users = replace(dataset.tables[0], columns=(Column("id", Kind.INTEGER),))
    return replace(dataset, tables=(users, dataset.tables[1]))


@contextmanager
def _inexact_is_ignored() -> Iterator[None]:
    real = typing._Typing._check_keys

    def check(self: Any) -> None:
        self._schemas = {name: [replace(each, inexact=()) for each in found] for name, found in self._schemas.items()}
        real(self)

    with mock.patch.object(typing._Typing, "_check_keys", check):
        yield


@pytest.mark.parametrize(("broken", "dataset", "found", "words"), [
    (lambda: mock.patch.object(typing, "can_be_key", return_value=True), PEOPLE, schema(TEXTS, REALS), "says whose a row is as text"),
    (_inexact_is_ignored, _integers(PEOPLE), schema(TEXTS, NARROW), "does not hold every integer exactly"),
    (lambda: mock.patch.object(typing._Typing, "_check_certain"), PEOPLE, {**schema(TEXTS, TEXTS), "users": [TEXTS, UNSURE]}, "cells decide the type"),
    (lambda: mock.patch.object(typing, "can_be", return_value=True),
     replace(PEOPLE, tables=(replace(PEOPLE.tables[0], columns=(Column("x", Kind.DATE),)), PEOPLE.tables[1])), schema(TEXTS, TEXTS), "is declared as date"),
], ids=["keys of any kind", "inexact keys", "rows decide", "any kind of cell"])  # fmt: skip
def test_each_check_refuses_and_without_it_what_must_hold_does_not(
    broken: Any, dataset: Dataset, found: dict[str, list[SourceColumn]], words: str
) -> None:
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        typed(dataset, found)
    assert refused.value.hint
    with broken():
        made = typed(dataset, found)
    with pytest.raises(AssertionError):
        _holds(dataset, found, made)


def test_keys_are_told_by_table_and_column_hidden_ones_too() -> None:
    hidden = replace(PEOPLE, tables=tuple(replace(table, hidden=("ID",)) for table in PEOPLE.tables))
    made = typed(hidden, schema(TEXTS, SourceColumn("id", "t", Kind.INTEGER)))
    assert made.keys() == {"users.id": "text", "accounts.id": "text"}
    assert [column.name for table in made.dataset.tables for column in table.columns] == ["x"]


def test_typing_knows_no_engine() -> None:
    """In the code itself: it imports nothing but what is declared, and names no type of an engine's."""
    path = Path(typing.__file__)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert all(name.startswith(("sfumato.data", "sfumato.errors", "collections", "dataclasses")) for name in imported)
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not [
        word for word in words if any(name in word for name in ("VARCHAR", "DOUBLE", "BIGINT", "duckdb", "SELECT"))
    ]


def test_a_schema_is_typed_without_a_file_or_a_connection() -> None:
    with mock.patch("builtins.open", side_effect=AssertionError), mock.patch("os.stat", side_effect=AssertionError):
        assert typed(PEOPLE, schema(TEXTS, TEXTS)).keys() == {"users.id": "text", "accounts.id": "text"}
