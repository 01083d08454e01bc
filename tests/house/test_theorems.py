"""docs/theorems.md and the code cite each other."""

import importlib
import re

import pytest

from theorem_map import ROOT, ROWS, Row, read_rows

SOURCES = {path: path.read_text() for path in sorted((ROOT / "src").rglob("*.py"))}
KINDS = r"(?:Theorem|Definition|Algorithm|Lemma|Proposition|Corollary)"
CITATION = re.compile(rf"({KINDS})s? ([0-9]+(?:\.[0-9]+)?)(?:-([0-9.]+))?|(§[0-9.]*[0-9])")
QUOTING = ("Slides", "Notes", "Reading", "Lecture")  # documents that code cites as: slides "title of the slide"


def of(document: str) -> list[Row]:
    return [row for row in ROWS if row.document == document]


def cited(text: str) -> set[str]:
    """The survey numbers a text cites; a range cites its two ends."""
    found = set()
    for sentence in re.findall(r"Survey ((?:[^()\n]|\n)*?)(?:[);:]|$|\.\s|\.\")", text):
        for kind, first, last, section in CITATION.findall(sentence):
            found |= {section} if section else {f"{kind} {first}"} | ({f"{kind} {last}"} if last else set())
    return found


def quoted(document: str, text: str) -> set[str]:
    """The places of another document that a text cites by their words."""
    found = re.findall(rf'\b{document.lower()}\s+"([^"]+)"', text)
    return {" ".join(re.sub(r"\n\s*#?\s*", " ", place).split()) for place in found}


def test_the_page_names_a_row_once_and_only_documents_that_are_known() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert {row.document for row in ROWS} <= {"Survey", *QUOTING}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_names_a_symbol_and_a_test_that_exist(row: Row) -> None:
    module, name = row.symbol.rsplit(".", 1)
    assert hasattr(importlib.import_module(module), name)
    path, function = row.test.split("::")
    assert f"def {function}(" in (ROOT / path).read_text()


def test_every_citation_in_the_code_has_a_row() -> None:
    numbers = {row.place for row in of("Survey")}
    for path, text in SOURCES.items():
        missing = cited(text) - numbers
        assert not missing, f"{path.name} cites {missing} which docs/theorems.md does not know"


def test_every_row_is_cited_in_the_code() -> None:
    everything = set().union(*(cited(text) for text in SOURCES.values()))
    assert {row.place for row in of("Survey")} <= everything


@pytest.mark.parametrize("document", QUOTING)
def test_the_other_documents_and_the_code_cite_each_other(document: str) -> None:
    """A row that repeats a statement of the survey says so, and is cited by the survey's number."""
    places = set().union(*(quoted(document, text) for text in SOURCES.values()))
    numbers = {row.place for row in of("Survey")}
    own, repeated = set(), 0
    for row in of(document):
        same = re.search(r"\(= (.+?)[,)]", row.says)
        if same:
            assert same[1] in numbers, row.name
            repeated += 1
        else:
            own.add(row.place)
    assert places == own
    assert len(own) + repeated >= 5


def test_the_readers_see_what_is_written() -> None:
    assert cited("x (Survey Definitions 3.2-3.4) y") == {"Definition 3.2", "Definition 3.4"}
    assert cited("TDGeo of Survey §9.1.2.") == {"§9.1.2"}
    assert cited("(Survey Theorem 2.2, errata B1)") == {"Theorem 2.2"}
    assert quoted("Slides", 'of the slides "Local\n    sensitivity", and') == {"Local sensitivity"}
    page = "| Slides | what it says | symbol | test |\n|---|---|---|---|\n| A | b | `c.d` | `e::f` |\n"
    assert read_rows(page) == [Row("Slides", "A", "b", "c.d", "e::f")]
    assert read_rows(page)[0].room == "d"
