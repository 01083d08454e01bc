"""Every pass over its fixtures: `<pass>.sql` holds a question on one line and what it becomes on the next.

A comment names the case; `-- in rows: …` says which dataset of `planned` is asked, or for texts which dialect it is in.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import planned
from sfumato.errors import InvalidQuestion
from sfumato.query import (
    dialects,
    joins,
    over_released,
    parse,
    passes,
    per_person,
    person_aggregates,
    planted,
    reach,
    relations,
    rows,
    scope,
    unions,
)
from sfumato.query.parse import parse as parsed
from sfumato.query.passes import Draft

HERE = Path(__file__).parent


def _tree(text: str, variant: str) -> str:
    return parsed(text, variant)[0].sql(dialect="duckdb")


def _plan(text: str, variant: str) -> str:
    return planned.written(planned.planned(text, variant), variant)


def _draft(name: str, shown: Callable[[Draft], str]) -> Callable[[str, str], str]:
    """A question as far as the pass of a name."""
    until = next(each for each in passes.PASSES if each.__name__ == name)
    return lambda text, variant: shown(planned.drafted(text, variant, until))


PASSES: dict[str, tuple[Callable[[str, str], str], str]] = {
    "parse": (_tree, "duckdb"),
    "dialects": (_tree, "duckdb"),
    "relations": (_plan, "people"),
    "joins": (_plan, "people"),
    "unions": (_plan, "people"),
    "per_person": (_plan, "people"),
    "reach": (_plan, "people"),
    "scope": (planned.columns, "people"),
    "group_by": (_draft("group_by", planned.keys), "people"),
    "outputs": (_draft("outputs", planned.outputs), "people"),
    "having": (_draft("having", planned.having), "people"),
    "order_by": (_draft("order_by", planned.order), "people"),
    "limit": (_draft("limit", planned.limit), "people"),
    "no_rows": (_draft("no_rows", planned.outputs), "people"),
    "public_groups": (_draft("public_groups", planned.domains), "people"),
    "within_work": (_draft("within_work", planned.keys), "people"),
    "measured": (planned.measures, "people"),
    "price": (planned.prices, "people"),
    "rows": (planned.known, "people"),
    "measures": (planned.in_columns, "people"),
    "weighing": (planned.statements, "people"),
    "question": (planned.canonical, "people"),
    "functions": (planned.in_sql, "people"),
    "evaluate": (planned.after_noise, "people"),
}
"""What runs over the fixtures of a name, and the dataset or dialect where none is said."""


@dataclass(frozen=True)
class Case:
    """A line, what it becomes, and where it stands."""

    name: str
    variant: str
    given: str
    expected: str
    place: str


def cases(path: Path) -> list[Case]:
    """The cases of a fixture file."""
    found: list[Case] = []
    name, variant, given = "", PASSES[path.stem][1], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("--"):
            said = re.fullmatch(r"-- (?:in (\w+): )?(.+)", line)
            assert said is not None, f"{path.name}:{number}"
            name, variant = said[2], said[1] or PASSES[path.stem][1]
        elif not given:
            given = line
        else:
            found.append(Case(name, variant, given, line, f"{path.name}:{number}"))
            given = ""
    assert not given, f"{path.name} ends within a case"
    return [case for case in found if case.given]


CASES = {path.stem: cases(path) for path in sorted(HERE.glob("*.sql"))}
FLAT = [(stem, case) for stem, known in CASES.items() for case in known]


@pytest.mark.parametrize(("stem", "case"), FLAT, ids=[f"{stem}: {case.name}" for stem, case in FLAT])
def test_a_line_becomes_what_stands_below_it(stem: str, case: Case) -> None:
    run, _ = PASSES[stem]
    try:
        made = run(case.given, case.variant)
    except InvalidQuestion as error:
        made = planned.refusal(error)
    assert made == case.expected, case.place


def test_every_pass_has_fixtures() -> None:
    assert set(CASES) == set(PASSES)
    assert min(len(known) for known in CASES.values()) > 5


ELSEWHERE = {"the question is longer than", "the question has more than", "a question is SQL text", "takes SQL text",
             "the question holds characters", "nested too deeply", "questions are not read in the dialect",
             "holds a comment", "closes what it did not open", "is one piece of a question", " is longer than",
             "does not close what it opens"}  # fmt: skip
"""Refusals that no single line of a fixture reaches: of texts that are too long, of pieces, of no texts."""


def refusals(module: object) -> set[str]:
    """The longest fixed piece of every message that a module refuses with."""
    found = set()
    for node in ast.walk(ast.parse(Path(str(getattr(module, "__file__", ""))).read_text(encoding="utf-8"))):
        name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in ("refused", "InvalidQuestion") and node.args:
            texts = [each.value for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)]
            pieces = [text for text in texts if isinstance(text, str) and len(text) > 3]
            found |= {max(pieces, key=len)} if pieces else set()
    return found


@pytest.mark.parametrize(
    "module",
    [
        parse,
        dialects,
        scope,
        rows,
        relations,
        joins,
        unions,
        reach,
        per_person,
        person_aggregates,
        planted,
        over_released,
    ],
    ids=lambda module: module.__name__,
)
def test_every_refusal_is_reached_by_a_line(module: object) -> None:
    reached = [case.expected for _, case in FLAT if case.expected.startswith("refused: ")]
    missed = [text for text in refusals(module) if not any(text in line for line in reached)]
    assert [text for text in missed if not any(each in text for each in ELSEWHERE)] == []
