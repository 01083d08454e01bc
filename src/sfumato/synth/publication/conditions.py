"""Conditions of a plan: `ward = 'surgery' AND stay < 3`, read by a small grammar and never handed to an engine.

    either      both OR both …
    both        single AND single …
    single      NOT single | (either) | column test
    test        = value | <> value | < <= > >= value | [NOT] IN (value, …) | [NOT] BETWEEN value AND value
                | IS [NOT] NULL
    value       'text' | number | TRUE | FALSE

A condition counts where it is true, as in SQL: a NULL is compared with nothing. NOT is carried to the tests, where it
turns each into its opposite, which is not true of a NULL either; so what is left are ANDs and ORs of sets of values.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.naming import known_names
from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration
from sfumato.synth.publication.parts import Columns, Domains

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<quoted>"[^"]+")|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<sign><>|!=|<=|>=|[=<>(),]))""",
    re.VERBOSE,
)
_WORDS = ("and", "or", "not", "in", "between", "is", "null", "true", "false")
_LONGEST, _DEEPEST = 4000, 30
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
Mask = NDArray[np.bool_]
Resolved = Mapping[str, Any]
"""A condition over places, as a file says it: {"column", "places"}, or {"all": […]}, or {"any": […]}."""


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """A test of one column; with `opposite` it is true where the test is false, and never of a NULL."""

    column: str
    sign: str
    values: tuple[Any, ...]
    opposite: bool = False

    def resolved(self, domains: Domains) -> Resolved:
        """The places of the values for which it is true."""
        known = domains[self.column]
        wanted = [_like(self.column, value, known) for value in self.values]
        if self.sign in ("=", "in"):
            for value, said_ in zip(wanted, self.values, strict=True):
                if value not in known:
                    raise InvalidDeclaration(f"`{self.column}` has no value {said(said_)}", hint=_some(known))
        if self.sign not in ("=", "in", "is null") and not all(_is_ordered(value) for value in wanted):
            raise InvalidDeclaration(
                f"the values of `{self.column}` are compared by = and IN", hint=f"{self.column} IN (…)"
            )
        return {"column": self.column, "places": [at for at, value in enumerate(known) if self._is_true(value, wanted)]}

    def _is_true(self, value: Any, wanted: list[Any]) -> bool:
        if self.sign == "is null":
            return (value is None) is not self.opposite
        if value is None:
            return False
        if self.sign in ("=", "in"):
            return any(type(value) is type(each) and value == each for each in wanted) is not self.opposite
        if self.sign == "between":
            return (wanted[0] <= value <= wanted[1]) is not self.opposite
        return _ORDER[self.sign](value, wanted[0]) is not self.opposite


@dataclass(frozen=True, slots=True)
class Combined:
    """Conditions all of which are true, or any."""

    how: str
    parts: tuple["Condition", ...]

    def resolved(self, domains: Domains) -> Resolved:
        """Each of them."""
        return {self.how: [part.resolved(domains) for part in self.parts]}


Condition = ColumnTest | Combined


def columns_in(condition: Condition) -> set[str]:
    """Every column that a condition tests."""
    if isinstance(condition, ColumnTest):
        return {condition.column}
    return set[str]().union(*map(columns_in, condition.parts))


def mask(resolved: Resolved, columns: Columns, sizes: tuple[int, ...]) -> Mask:
    """Of every cell over these columns, whether the condition is true there.

    >>> mask({"any": [{"column": "a", "places": [1]}, {"column": "b", "places": [0]}]}, ("a", "b"), (2, 2)).tolist()
    [[True, False], [True, True]]
    """
    if "column" in resolved:
        axis = columns.index(resolved["column"])
        line = np.zeros(sizes[axis], dtype=np.bool_)
        line[list(resolved["places"])] = True
        shape = [size if at == axis else 1 for at, size in enumerate(sizes)]
        return np.asarray(np.broadcast_to(line.reshape(shape), sizes))
    join: Any = np.logical_and if "all" in resolved else np.logical_or
    parts: Iterable[Resolved] = resolved["all"] if "all" in resolved else resolved["any"]
    return np.asarray(reduce(join, (mask(part, columns, sizes) for part in parts)))


def read_condition(where: str, text: str, columns: Columns) -> Condition:
    """The condition that a text says over these columns, or one clear error.

    >>> read_condition("where", "stay < 3", ("ward", "stay"))
    ColumnTest(column='stay', sign='<', values=(Fraction(3, 1),), opposite=False)
    """
    return _Reader(where, text, columns).read()


class _Reader:
    """Reads one condition from left to right."""

    def __init__(self, where: str, text: str, columns: Columns) -> None:
        self._where, self._columns, self._at = where, columns, 0
        if len(text) > _LONGEST:
            raise InvalidDeclaration(f"{where} is longer than {_LONGEST} characters", hint="ask in parts")
        self._tokens, place = list[tuple[str, str]](), 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None:
                raise self._wrong(text[place:].strip()[:12])
            kind = str(found.lastgroup)
            word = found[kind]
            if kind == "word" and word.lower() in _WORDS:
                kind, word = "sign", word.lower()
            self._tokens.append((kind, word))
            place = found.end()

    def read(self) -> Condition:
        """All of it."""
        found = self._either(opposite=False, depth=0)
        if self._at < len(self._tokens):
            raise self._wrong(self._tokens[self._at][1])
        return found

    def _either(self, *, opposite: bool, depth: int) -> Condition:
        return self._joined("or", "all" if opposite else "any", self._both, opposite=opposite, depth=depth)

    def _both(self, *, opposite: bool, depth: int) -> Condition:
        return self._joined("and", "any" if opposite else "all", self._single, opposite=opposite, depth=depth)

    def _joined(self, word: str, how: str, part: Callable[..., Condition], *, opposite: bool, depth: int) -> Condition:
        parts = [part(opposite=opposite, depth=depth)]
        while self._take("sign", word):
            parts.append(part(opposite=opposite, depth=depth))
        return parts[0] if len(parts) == 1 else Combined(how, tuple(parts))

    def _single(self, *, opposite: bool, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise InvalidDeclaration(f"{self._where} has too many brackets in brackets", hint="ask in parts")
        if self._take("sign", "not"):
            return self._single(opposite=not opposite, depth=depth + 1)
        if self._take("sign", "("):
            found = self._either(opposite=opposite, depth=depth + 1)
            self._need(")")
            return found
        return self._test(opposite=opposite)

    def _test(self, *, opposite: bool) -> ColumnTest:
        kind, word = self._next()
        if kind not in ("word", "quoted"):
            raise self._wrong(word)
        column = word.strip('"')
        if column not in self._columns:
            raise InvalidDeclaration(
                f"{self._where} names a column that the plan has not: {said(column)}",
                hint=known_names(column, self._columns),
            )
        if self._take("sign", "is"):
            turned = self._take("sign", "not")
            self._need("null")
            return ColumnTest(column, "is null", (), opposite is not turned)
        if self._take("sign", "not"):
            opposite = not opposite
            if self._tokens[self._at : self._at + 1] not in ([("sign", "in")], [("sign", "between")]):
                raise self._wrong("NOT")
        if self._take("sign", "in"):
            self._need("(")
            values = [self._value()]
            while self._take("sign", ","):
                values.append(self._value())
            self._need(")")
            return ColumnTest(column, "in", tuple(values), opposite)
        if self._take("sign", "between"):
            low = self._value()
            self._need("and")
            return ColumnTest(column, "between", (low, self._value()), opposite)
        _, sign = self._next()
        if sign in ("<>", "!="):
            return ColumnTest(column, "=", (self._value(),), not opposite)
        if sign != "=" and sign not in _ORDER:
            raise self._wrong(sign)
        return ColumnTest(column, sign, (self._value(),), opposite)

    def _value(self) -> Any:
        kind, word = self._next()
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if kind == "number":
            return Fraction(word)
        if (kind, word) in (("sign", "true"), ("sign", "false")):
            return word == "true"
        raise self._wrong(word)

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise self._wrong("its end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, kind: str, word: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == (kind, word)
        self._at += found
        return found

    def _need(self, word: str) -> None:
        if self._next() != ("sign", word):
            raise self._wrong(self._tokens[self._at - 1][1])

    def _wrong(self, near: str) -> InvalidDeclaration:
        return InvalidDeclaration(
            f"{self._where} is no condition, near {said(near)}",
            hint="ward = 'surgery' AND (stay < 3 OR sex IN ('F')), with AND, OR, NOT, BETWEEN, IS NULL",
        )


def _like(column: str, value: Any, known: tuple[Any, ...]) -> Any:
    """A value as the column has its values: a whole number, a date of a text; of another type it is refused."""
    kinds = {type(each) for each in known if each is not None}
    if isinstance(value, Fraction):
        if int in kinds and value.denominator == 1:
            return int(value)
        if kinds & {int, float}:
            return float(value) if float in kinds else value
    elif type(value) in kinds:
        return value
    elif isinstance(value, str) and kinds & {date, datetime}:
        try:
            return (datetime if datetime in kinds else date).fromisoformat(value)
        except ValueError:
            pass
    shown = value if isinstance(value, str | bool) else float(value)
    raise InvalidDeclaration(f"`{column}` is compared with a value of another type: {said(shown)}", hint=_some(known))


def _is_ordered(value: Any) -> bool:
    return isinstance(value, int | float | Fraction | date) and not isinstance(value, bool)


def _some(known: tuple[Any, ...]) -> str:
    return f"such as {', '.join(str(value) for value in known[:5] if value is not None)}"
