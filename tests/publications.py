"""A small clinic to publish from: visits of people who do not exist, a declaration and plans."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import sfumato
from sfumato.curator import Curator

WARDS = ("cardiology", "oncology", "surgery")
COLUMNS = ("ward", "sex", "age")
PLAN: dict[str, Any] = {
    "name": "visits",
    "from": "visits",
    "columns": list(COLUMNS),
    "rows": "tree",
    "measure": [{"kind": "marginals", "all": 2}, {"kind": "total"}],
}
TABLE: dict[str, Any] = {"name": "visits", "from": "visits", "columns": list(COLUMNS), "make": "table",
                         "bins": {"age": 2}}  # fmt: skip
WHOLE: dict[str, Any] = {**PLAN, "rows": "cells", "measure": [{"kind": "table"}]}
DECLARATION = """\
name = "clinic"
[budget]
epsilon = "{epsilon}"
delta = "1e-5"
[unit]
person = "visits.person"
[rules]
failures_per_analyst = {failures}
failures = {failures}
[tables.visits]
source = "visits.csv"
rows_per_person = 2
[tables.visits.columns]
ward.values = ["cardiology", "oncology", "surgery"]
sex.values = ["F", "M"]
age = {{ type = "integer", lower = 0, upper = 3 }}
"""


def rows(people: int) -> list[tuple[int, str, str, int]]:
    """Three visits a person, of whom two count."""
    return [
        (person, WARDS[(person + visit) % 3], "FM"[person % 2], (person * 7 + visit) % 4)
        for person in range(people)
        for visit in range(3)
    ]


def clinic(folder: Path, *, people: int = 40, epsilon: str = "100", failures: int = 5) -> Path:
    """The declaration of a clinic, with its visits beside it."""
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("person", "ward", "sex", "age"), *rows(people)])
    path = folder / "clinic.toml"
    path.write_text(DECLARATION.format(epsilon=epsilon, failures=failures), encoding="utf-8")
    return path


@contextmanager
def curator_of(folder: Path, **about: Any) -> Iterator[Curator]:
    """The curator of such a clinic; opened again, it is the same one."""
    path = folder / "clinic.toml"
    with sfumato.open_curator(path if path.exists() else clinic(folder, **about)) as made:
        yield made


def spent(curator: Curator) -> Fraction:
    """What was charged to the clinic in ε."""
    return curator.session().budget()[0].spent


def kinds(curator: Curator) -> list[str]:
    """The entries about questions, in order."""
    words = ("reserve", "resume", "settle", "lose")
    return [body["kind"] for _, body in curator.session().log() if body["kind"] in words]
