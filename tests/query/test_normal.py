"""Conditions in one form are the conditions that were written, in every row; questions that differ stay apart."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from typing import Any
from unittest import mock

import duckdb
import pyarrow as pa
import pytest
import sqlglot

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.query import normal
from sfumato.query.expression import Expression, Field
from sfumato.query.functions import FUNCTIONS
from sfumato.query.rewritten import rewrite
from sfumato.query.rows import RowReader
from sfumato.query.scope import Name, Scope

EDGE = 2**53
COLUMNS: dict[str, tuple[Kind, Any, tuple[Any, ...]]] = {
    "i": (Kind.INTEGER, pa.int64(), (None, -1, 0, 1, 2, 42, EDGE - 1, EDGE, EDGE + 1)),
    "r": (Kind.REAL, pa.float64(), (None, float("nan"), float("inf"), -0.0, 1.0, 2.5, 42.0, float(EDGE))),
    "b": (Kind.BOOLEAN, pa.bool_(), (None, False, True)),
    "t": (Kind.TEXT, pa.string(), (None, "", "a", "b")),
}
NUMBERS = ("0", "1", "1.0", "2", "2.5", "42", "42.0", "-1", str(EDGE), f"{EDGE}.0", str(EDGE + 1))
TEXTS = ("''", "'a'", "'b'")
SIGNS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
DRAW = random.Random(20261117)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A table of every combination of values."""
    rows = list(product(*(values for _, _, values in COLUMNS.values())))
    columns = zip(COLUMNS.values(), zip(*rows, strict=True), strict=True)
    with duckdb.connect() as made:
        made.register("given", pa.table([pa.array(values, known[1]) for known, values in columns], names=list(COLUMNS)))
        named = ", ".join(f"{name} AS c{at}" for at, name in enumerate(COLUMNS))
        made.execute(f"CREATE TABLE t AS SELECT {named}, row_number() OVER () AS line FROM given")
        yield made


def atom() -> str:
    """A comparison at random, or a bare truth."""
    sort = DRAW.choice("iirrbt")
    constants = {"i": NUMBERS, "r": NUMBERS, "b": ("TRUE", "FALSE"), "t": TEXTS}[sort]
    column, one = DRAW.choice("ir") if sort in "ir" else sort, DRAW.choice(constants)
    # whole numbers beside 1.0 were compared as doubles, and are exact in one form, as DuckDB has them
    alike = constants if sort in "bt" else DRAW.choice((constants[:8], [each for each in constants if "." not in each]))
    listed = ", ".join(DRAW.choices(alike, k=DRAW.randrange(1, 4)))
    forms = [
        f"{column} {DRAW.choice(SIGNS)} {one}", f"{one} {DRAW.choice(SIGNS[:6])} {column}", f"{column} IN ({listed})",
        f"{column} NOT IN ({listed})", f"{column} BETWEEN {one} AND {DRAW.choice(constants)}", f"{column} IS NULL",
        f"CASE {column} WHEN {one} THEN b ELSE NOT b END", "b",
    ]  # fmt: skip
    return DRAW.choice(forms)


def condition(depth: int) -> str:
    """A condition at random."""
    if depth == 0 or DRAW.random() < 0.2:
        return atom()
    word, parts = DRAW.choice(("NOT", "AND", "OR", "OR")), [condition(depth - 1) for _ in range(DRAW.randrange(2, 4))]
    return f"NOT ({parts[0]})" if word == "NOT" else "(" + f" {word} ".join(parts) + ")"


def read(text: str) -> Expression:
    """A condition as questions read it."""
    fields = enumerate((name, kind) for name, (kind, _, _) in COLUMNS.items())
    names = tuple(Name("", name, at, Field(name, kind)) for at, (name, kind) in fields)
    root: Any = sqlglot.parse_one(f"SELECT {text}", read="duckdb")
    rewrite(root)
    return RowReader(Scope(names, text)).predicate(root.expressions[0])


def as_written(text: str) -> Expression:
    """A condition with none of the rules."""

    def call(op: str, *args: Expression) -> Expression:
        return FUNCTIONS[op].call(args)

    plain: dict[str, Callable[..., Any]] = {
        "compared": call,
        "joined": lambda op, parts: call(op, *parts),
        "negated": lambda made: call("not", made),
        "one_of": lambda of, listed: call("in", of, *listed),
        "whole_constant": lambda made: made,
    }
    with ExitStack() as patched:
        for name, value in plain.items():
            patched.enter_context(mock.patch(f"sfumato.query.rows.{name}", value))
        return read(text)


def otherwise(engine: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> list[str]:
    """The conditions that have another value in some row than they have as written."""
    write = Expressions(DUCKDB)
    pairs = [(write.sql(as_written(text)), write.sql(read(text))) for text in texts]
    tests = ", ".join(f"bool_or(({one}) IS DISTINCT FROM ({other}))" for one, other in pairs)
    (found,) = engine.execute(f"SELECT {tests} FROM t").fetchall()
    return [text for text, differs in zip(texts, found, strict=True) if differs]


def drawn(many: int) -> list[str]:
    """Conditions at random, and one that chance seldom makes."""
    return [f"i = {EDGE + 1} OR i = 2.5", *(condition(DRAW.randrange(4)) for _ in range(many))]


def test_conditions_in_one_form_have_the_value_they_had(engine: duckdb.DuckDBPyConnection) -> None:
    texts = drawn(300)
    assert otherwise(engine, texts) == []
    changed = [text for text in texts if read(text) != as_written(text)]
    assert len(changed) > 100


def test_conditions_of_one_canonical_form_have_one_value(engine: duckdb.DuckDBPyConnection) -> None:
    write = Expressions(DUCKDB)
    forms: dict[str, dict[str, str]] = {}
    for text in [atom() for _ in range(900)]:
        forms.setdefault(repr(read(text).canonical()), {})[text] = write.sql(as_written(text))
    several = [list(each.values()) for each in forms.values() if len(each) > 1]
    assert len(several) > 30
    tests = [f"bool_or(({one}) IS DISTINCT FROM ({other}))" for one, *rest in several for other in rest]
    (found,) = engine.execute(f"SELECT {', '.join(tests)} FROM t").fetchall()
    assert not any(found)


def _without_constants(part: Expression) -> tuple[Expression, list[Expression]]:
    """What is equalled, if anything is, and the first constant alone."""
    of, constants = HONEST(part)
    return of, constants[:1]


HONEST = normal._equalities
TWINS: dict[str, Callable[[], Any]] = {
    "NOT < is >": lambda: mock.patch.dict(normal._OPPOSITE, {"lt": "gt"}),
    "NOT = is =": lambda: mock.patch.dict(normal._OPPOSITE, {"eq": "eq"}),
    "constants are whole beyond doubles": lambda: mock.patch.object(normal, "_EXACT", 2**62),
    "whole constants beside real ones": lambda: mock.patch.object(
        normal, "frozenset", lambda kinds: bool([*kinds]), create=True
    ),
    "lists are cut": lambda: mock.patch.object(normal, "_equalities", _without_constants),
}


@pytest.mark.parametrize("name", TWINS)
def test_broken_rules_are_found(engine: duckdb.DuckDBPyConnection, name: str) -> None:
    with TWINS[name]():
        assert otherwise(engine, drawn(150)) != []
