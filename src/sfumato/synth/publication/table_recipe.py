"""What a plan says of a synthetic table: `make = "table"` and, where wanted, bins, texts and what cannot be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.core.naming import known_names
from sfumato.data.entries import mapping, one_of, said, text
from sfumato.errors import InvalidDeclaration
from sfumato.synth.publication.entries import columns_of, whole_of
from sfumato.synth.publication.parts import Columns
from sfumato.synth.tables import ChainRows, ExplicitRows, RowBuilder, TreeRows

ENTRIES = ("make", "bins", "texts", "impossible", "triples", "by")
"""What only a plan that makes a table may say."""
BUILDERS: Mapping[str, type[RowBuilder]] = {"chains": ChainRows, "cells": ExplicitRows, "tree": TreeRows}
"""Ways to make rows: chains that walk, a model of all cells, a tree of pairs, which is the fastest and the roughest."""
_LEAST_BINS, _MOST_BINS, _MOST_TEXTS = 2, 200, 500
_MOST_CONDITIONS, _MOST_TRIPLES = 100, 50


@dataclass(frozen=True)
class TableRecipe:
    """How a synthetic table is made, in the owner's words."""

    bins: Mapping[str, int] = field(default_factory=dict[str, int])
    """Columns that are put into private bins, and how many at most."""
    texts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Columns whose texts are found, and how many of them are values of their own at most."""
    impossible: tuple[str, ...] = ()
    """Conditions that no row meets."""
    triples: bool | tuple[Columns, ...] | None = None
    """Whether triples of columns are measured: always, never, these, or by the price."""
    by: str = ""
    """How rows are made: by the default for the size of the table, or by one of `BUILDERS`."""

    def to_json(self) -> dict[str, Any]:
        """The entries as a plan writes them."""
        return {
            "make": "table",
            "bins": dict(self.bins),
            "texts": dict(self.texts),
            "impossible": list(self.impossible),
            **({} if self.triples is None else {"triples": _listed(self.triples)}),
            **({"by": self.by} if self.by else {}),
        }


def read_recipe(top: Mapping[str, Any], columns: Columns) -> TableRecipe | None:
    """What a plan says of a table; None if it makes none."""
    if "make" not in top:
        if (stray := next((each for each in ENTRIES if each in top), None)) is not None:
            raise InvalidDeclaration(f'`{stray}` is for plans that say make = "table"', hint='make = "table"')
        return None
    if top["make"] != "table":
        raise InvalidDeclaration(f"nothing is made that is called {said(top['make'])}", hint='make = "table"')
    said_too = [each for each in ("measure", "rows") if top.get(each) and top[each] != "weighted"]
    if both := next(iter(said_too), None):
        raise InvalidDeclaration(
            f'make = "table" decides by itself what is measured and how rows are made, and the plan says `{both}`',
            hint='leave one of them out; rows = "weighted" alone may be said, for rows that are alike in one line',
        )
    conditions = top.get("impossible", [])
    if not isinstance(conditions, list | tuple) or len(conditions) > _MOST_CONDITIONS:
        raise InvalidDeclaration(
            f"impossible must be a list of up to {_MOST_CONDITIONS} conditions: {said(conditions)}",
            hint="impossible = [\"sex = 'M' AND pregnant = TRUE\"]",
        )
    return TableRecipe(
        _numbers("bins", top, columns, least=_LEAST_BINS, most=_MOST_BINS),
        _numbers("texts", top, columns, least=1, most=_MOST_TEXTS),
        tuple(text("impossible", each) for each in conditions),
        _triples(top.get("triples"), columns),
        one_of("by", top.get("by", ""), ("", *BUILDERS)),
    )


def _listed(triples: bool | tuple[Columns, ...]) -> bool | list[list[str]]:
    return triples if isinstance(triples, bool) else [list(each) for each in triples]


def _triples(given: object, columns: Columns) -> bool | tuple[Columns, ...] | None:
    if given is None or isinstance(given, bool):
        return given
    hint = 'triples = true, or [["month", "day", "weekday"]]'
    if not isinstance(given, list | tuple) or not given or len(given) > _MOST_TRIPLES:
        raise InvalidDeclaration(
            f"triples must be true, false or a list of up to {_MOST_TRIPLES} lists of three columns: {said(given)}",
            hint=hint,
        )
    found = tuple(columns_of("triples", each, columns) for each in given)
    if any(len(each) != 3 for each in found):
        raise InvalidDeclaration("triples must name three columns each", hint=hint)
    return tuple(dict.fromkeys(found))


def _numbers(entry: str, top: Mapping[str, Any], columns: Columns, *, least: int, most: int) -> dict[str, int]:
    given = mapping(entry, top.get(entry, {}), hint=f"[{entry}] with column = {least}")
    for name in given:
        if name not in columns:
            raise InvalidDeclaration(
                f"{entry} names a column that the plan has not: {said(name)}", hint=known_names(name, columns)
            )
    return {name: whole_of(f"{entry} {name}", given[name], least=least, most=most) for name in columns if name in given}
