"""A town to publish a table of: people who do not exist, with listed values, numbers without a list, and free texts."""

import csv
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sfumato
from sfumato.curator import Curator

COLUMNS = ("ward", "sex", "pregnant", "income", "town")
PLAN: dict[str, Any] = {"name": "people", "from": "people", "columns": list(COLUMNS), "make": "table"}
LISTED: dict[str, Any] = {**PLAN, "columns": ["ward", "sex", "pregnant"]}
PRICE: dict[str, Any] = {"epsilon": 2, "delta": "1e-6"}
DECLARATION = """\
name = "town"
[budget]
epsilon = "100"
delta = "1e-3"
[unit]
{unit}
[tables.people]
source = "people.csv"
{bound}
{more}
[tables.people.columns]
ward = {{ values = ["a", "b", "c"], null = false }}
sex = {{ values = ["F", "M"], null = false }}
pregnant = {{ values = [0, 1], null = false }}
income = {{ type = "real", lower = 0, upper = 5000 }}
town.type = "text"
"""
TOWNS = ("Aarau", "it's", 'say "b"', "Zug; DROP TABLE people", "other")


def people(number: int, *, rows_each: int = 1, seed: int = 1) -> list[tuple[Any, ...]]:
    """(person, ward, sex, pregnant, income, town): income is skewed and at times missing, one town has one person."""
    draw, found = random.Random(seed), list[tuple[Any, ...]]()
    for person in range(number):
        for _ in range(rows_each):
            sex = draw.choice("FM")
            pregnant = int(sex == "F" and draw.random() < 0.2)
            income = "" if draw.random() < 0.1 else round(min(draw.expovariate(1 / 400), 5000), 2)
            town = f"only {person}" if draw.random() < 0.01 else draw.choice(TOWNS)
            found.append((person, draw.choice("aabc"), sex, pregnant, income, town))
    return found


def declared(folder: Path, rows: list[tuple[Any, ...]], *, rows_each: int = 1, more: str = "") -> Path:
    """A declaration with these rows beside it: rows of people, or rows that are protected each by itself."""
    folder.mkdir(exist_ok=True)
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("person", "ward", "sex", "pregnant", "income", "town"), *rows])
    person = rows_each > 1
    unit = 'person = "people.person"' if person else "rows = true"
    bound = f"rows_per_person = {rows_each}" if person else ""
    path = folder / "town.toml"
    path.write_text(DECLARATION.format(unit=unit, bound=bound, more=more), encoding="utf-8")
    return path


@contextmanager
def town(folder: Path, number: int = 3000, *, rows_each: int = 1, more: str = "") -> Iterator[Curator]:
    """The curator of such a town; opened again, it is the same one."""
    path = folder / "town.toml"
    if not path.exists():
        declared(folder, people(number, rows_each=rows_each), rows_each=rows_each, more=more)
    with sfumato.open_curator(path) as made:
        yield made
