"""Operands by names: what a guard looks at several times is computed once, and written once.

PostgreSQL has no let. A subquery of one row binds operands to names, and OFFSET 0 keeps the planner from writing them
out again, and from computing with constants before the guards around them have looked at them:

    (SELECT CASE WHEN sfumato_0 > 0 THEN ln(sfumato_0) END FROM (SELECT (…) AS sfumato_0 OFFSET 0) sfumato_row)

Operands stand where none of the names is seen, so that all subqueries may have the same ones. A subquery in an operand
becomes the row that the next is made of: a chain of subqueries is planned much faster than subqueries in subqueries.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isinf, isnan

_ROW = "sfumato_row"
_COLUMN = re.compile(r'(?:CAST\()?(?:[a-z]+[0-9]*|"[^"]+")(?: AS double precision\))?')
_TEXTS = re.compile(r"'(?:[^']|'')*'")
_AGGREGATE = re.compile(r"\b(?:count|sum|min|max|bool_and|bool_or)\(|\bOVER\b")
_DOUBLE = re.compile(r"CAST\('([^']*)' AS double precision\)")
_WHOLE = re.compile(r"CAST\((?:\((-[0-9]+)\)|([0-9]+)|CAST\('(-?[0-9]+)' AS bigint\)) AS double precision\)")

Body = Callable[..., str]
"""The SQL of something, from the names of its operands."""


class Bound(str):
    """A subquery that binds operands: its text, and the two parts of it."""

    body: str
    rows: str

    @classmethod
    def of(cls, body: str, rows: str) -> "Bound":
        """What is computed, of which row."""
        made = cls(f"(SELECT {body} FROM {rows})")
        made.body, made.rows = body, rows
        return made


def double(value: float | Fraction) -> str:
    """A constant as a double.

    >>> double(0.5), double(float("-inf"))
    ("CAST('0.5' AS double precision)", "CAST('-Infinity' AS double precision)")
    """
    number = float(value)
    text = "NaN" if isnan(number) else f"{'-' if number < 0 else ''}Infinity" if isinf(number) else repr(number)
    return f"CAST('{text}' AS double precision)"


def constant(made: str) -> float | None:
    """The value of a text that is a constant double; None of every other.

    >>> constant(double(2.5)), constant("CAST((-3) AS double precision)"), constant("c0")
    (2.5, -3.0, None)
    """
    found = _DOUBLE.fullmatch(made) or _WHOLE.fullmatch(made)
    return None if found is None else float(next(each for each in found.groups() if each is not None))


def is_column(made: str) -> bool:
    """Whether a text names a column, perhaps as a double: to compute it again costs nothing."""
    return _COLUMN.fullmatch(made) is not None


def has_aggregate(made: str) -> bool:
    """Whether something in a text is computed of many rows: in a subquery it would be of others."""
    return _AGGREGATE.search(_TEXTS.sub("''", made)) is not None


def bound(operands: Sequence[str], body: Body, *, columns: bool = False) -> str:
    """The SQL of operands that it names as often as it likes.

    Where `columns` may stand in the body as they are, no subquery is needed for them. The planner may know their value
    and compute with it at once: each part of the body that fails for a value must then be behind a test of that value.
    """
    if any(map(has_aggregate, operands)) or (columns and all(map(is_column, operands))):
        return f"({body(*[f'({each})' for each in operands])})" if operands else body()
    names = [f"sfumato_{at}" for at in range(len(operands))]
    subqueries = [at for at, each in enumerate(operands) if isinstance(each, Bound)]
    chained = max(subqueries, key=lambda at: len(operands[at]), default=-1)
    parts, rows = [], ""
    for at, (name, operand) in enumerate(zip(names, operands, strict=True)):
        if at == chained and isinstance(operand, Bound):
            parts.append(f"({operand.body}) AS {name}")
            rows = f" FROM {operand.rows}"
        else:
            parts.append(f"({operand}) AS {name}")
    return Bound.of(body(*names), f"(SELECT {', '.join(parts)}{rows} OFFSET 0) {_ROW}")
