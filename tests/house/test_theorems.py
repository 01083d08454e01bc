"""docs/theorems.md and the code cite each other."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "theorems.md").read_text()
HEADS = ("| Survey", "| Slides", "|---")
ALL = [
    [cell.strip().strip("`") for cell in line.strip("|").split("|")]
    for line in TABLE.splitlines()
    if line.startswith("|") and not line.startswith(HEADS)
]
NUMBERED = re.compile(r"(?:Theorem|Definition|Algorithm|Lemma|Proposition|Corollary) |§")
ROWS = [row for row in ALL if NUMBERED.match(row[0])]
SLIDES = [row for row in ALL if not NUMBERED.match(row[0])]
KINDS = r"(?:Theorem|Definition|Algorithm|Lemma|Proposition|Corollary)"
CITATION = re.compile(rf"({KINDS})s? ([0-9]+(?:\.[0-9]+)?)(?:-([0-9.]+))?|(§[0-9.]*[0-9])")


def cited(text: str) -> set[str]:
    """The survey numbers a text cites; a range cites its two ends."""
    found = set()
    for sentence in re.findall(r"Survey ((?:[^()\n]|\n)*?)(?:[);:]|$|\.\s|\.\")", text):
        for kind, first, last, section in CITATION.findall(sentence):
            found |= {section} if section else {f"{kind} {first}"} | ({f"{kind} {last}"} if last else set())
    return found


@pytest.mark.parametrize("row", ALL, ids=lambda row: row[0])
def test_every_row_names_a_symbol_and_a_test_that_exist(row: list[str]) -> None:
    _, _, symbol, test = row
    module, name = symbol.rsplit(".", 1)
    assert hasattr(importlib.import_module(module), name)
    path, function = test.split("::")
    assert f"def {function}(" in (ROOT / path).read_text()


def test_every_citation_in_the_code_has_a_row() -> None:
    numbers = {row[0] for row in ROWS}
    for path in sorted((ROOT / "src").rglob("*.py")):
        missing = cited(path.read_text()) - numbers
        assert not missing, f"{path.name} cites {missing} which docs/theorems.md does not know"


def test_every_row_is_cited_in_the_code() -> None:
    everything = set().union(*(cited(path.read_text()) for path in (ROOT / "src").rglob("*.py")))
    assert {row[0] for row in ROWS} <= everything


def test_the_slides_and_the_code_cite_each_other() -> None:
    titles = set()
    for path in (ROOT / "src").rglob("*.py"):
        titles |= {" ".join(title.split()) for title in re.findall(r'slides\s+"([^"]+)"', path.read_text())}
    assert titles == {row[0] for row in SLIDES}
    assert len(titles) >= 5


def test_the_citation_reader_sees_what_is_written() -> None:
    assert cited("x (Survey Definitions 3.2-3.4) y") == {"Definition 3.2", "Definition 3.4"}
    assert cited("TDGeo of Survey §9.1.3.") == {"§9.1.3"}
    assert cited("(Survey Theorem 2.2, errata B1)") == {"Theorem 2.2"}
