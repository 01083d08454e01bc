"""A small census: people in blocks of an irregular tree, a declaration, and plans of hierarchies."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato
from sfumato.curator import Curator

BLOCKS = 11
TRACT = (10, 10, 10, 11, 20, 20, 21, 21, 21, 30, 30)
COUNTY = {10: "Ash", 11: "Ash", 20: "Birch", 21: "Cedar", 30: "Dogwood"}
STATE = {"Ash": "East", "Birch": "East", "Cedar": "West", "Dogwood": "West"}
CELLS = ("f", "m")
LEVELS = ("state", "county", "tract", "block")
HIERARCHY: dict[str, Any] = {"kind": "hierarchy", "tree": "geography", "of": list(LEVELS), "cells": ["sex"]}
PLAN: dict[str, Any] = {
    "name": "census", "from": "people", "columns": ["sex", "block"], "rows": "weighted", "measure": [HIERARCHY],
}  # fmt: skip
INVARIANT = {"level": "state", "table": "apportioned", "count": "people"}
HELD: dict[str, Any] = {**PLAN, "measure": [{**HIERARCHY, "invariant": INVARIANT}]}
DECLARATION = """\
name = "census"
[budget]
epsilon = "1000"
[unit]
{unit}
[tables.people]
source = "people.csv"
{bound}
[tables.people.columns]
block = {{ type = "integer", lower = 0, upper = {most}, null = false }}
sex = {{ values = ["f", "m"], null = false }}
[tables.geography]
source = "geography.csv"
public = true
columns.block = {{ type = "integer" }}
columns.tract = {{ type = "integer" }}
[tables.apportioned]
source = "apportioned.csv"
public = true
columns.people = {{ type = "integer" }}
"""


def rows(people: int) -> list[tuple[int, int, str]]:
    """Two rows a person, in blocks of which some stay empty."""
    return [
        (person, (person * person + visit) % BLOCKS // 2 * 2, CELLS[(person + visit) % 2])
        for person in range(people)
        for visit in range(2)
    ]


def census(folder: Path, *, people: int = 60, unit: str = "rows = true", bound: str = "") -> Path:
    """The declaration of a census, with its files beside it."""
    made = rows(people)
    _write(folder / "people.csv", ("person", "block", "sex"), made)
    places = [(b, TRACT[b], COUNTY[TRACT[b]], STATE[COUNTY[TRACT[b]]]) for b in (*range(5, BLOCKS), *range(5))]
    _write(folder / "geography.csv", ("block", "tract", "county", "state"), places)
    east = sum(STATE[COUNTY[TRACT[block]]] == "East" for _, block, _ in made)
    _write(folder / "apportioned.csv", ("state", "people"), [("West", len(made) - east), ("East", east)])
    path = folder / "census.toml"
    path.write_text(DECLARATION.format(unit=unit, bound=bound, most=BLOCKS - 1), encoding="utf-8")
    return path


def _write(path: Path, head: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *lines])


@contextmanager
def curator_of(folder: Path, **about: Any) -> Iterator[Curator]:
    """The curator of such a census; opened again, it is the same one."""
    path = folder / "census.toml"
    with sfumato.open_curator(path if path.exists() else census(folder, **about)) as made:
        yield made


def truth(people: int = 60) -> list[NDArray[np.int64]]:
    """What is counted at every level (node, cell), nodes in the order of their values."""
    names: list[list[Any]] = [[0], ["East", "West"], sorted(STATE), sorted(COUNTY), list(range(BLOCKS))]
    found = [np.zeros((len(level), 2), dtype=np.int64) for level in names]
    for _, block, sex in rows(people):
        county = COUNTY[TRACT[block]]
        for level, known, at in zip(found, names, (0, STATE[county], county, TRACT[block], block), strict=True):
            level[known.index(at), CELLS.index(sex)] += 1
    return found
