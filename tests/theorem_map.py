"""docs/theorems.md as rows, and tests/breaks/*.toml as the breaks of these rows.

A table's first heading names the document, a row's first cell the place in it: together they are the row's name,
such as `Survey Theorem 3.9`. A break is a change of the text in src/sfumato that changes a quantity of the row's
statement; the row's test must then fail. One file of breaks a room, the room of the row's symbol:

    [["Survey Theorem 3.9"]]
    file = "accounting/composition.py"      # under src/sfumato
    old = "math.fsum(epsilons) * _UP"       # occurs exactly once in the file
    new = "max(epsilons) * _UP"
    why = "the largest ε instead of the sum"
    sample = true                           # optional: also tried by every run of the whole suite
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "theorems.md"
BREAKS = ROOT / "tests" / "breaks"
LEAST = 2  # breaks a row


@dataclass(frozen=True, slots=True)
class Row:
    """One statement: where it is written, what it says, what stands on it and the test that tries to break it."""

    document: str
    place: str
    says: str
    symbol: str
    test: str

    @property
    def name(self) -> str:
        """Document and place: `Survey Theorem 3.9`."""
        return f"{self.document} {self.place}"

    @property
    def room(self) -> str:
        """The room the symbol lives in."""
        return self.symbol.split(".")[1]


@dataclass(frozen=True, slots=True)
class Break:
    """A change of one file's text that a row's test must notice."""

    row: str
    room: str
    file: str
    old: str
    new: str
    why: str
    sample: bool = False

    def broken(self, text: str) -> str:
        """The text with the change made, which must have exactly one place for it."""
        found = text.count(self.old)
        if found != 1:
            raise LookupError(f"{self.row}: {self.old!r} occurs {found} times in {self.file}")
        return text.replace(self.old, self.new)


def read_rows(page: str) -> list[Row]:
    """The rows of every table of the page."""
    rows: list[Row] = []
    document = ""
    for line in page.splitlines():
        if not line.startswith("|") or line.startswith("|---"):
            continue
        first, *others = (cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line.strip("|")))
        if others == ["what it says", "symbol", "test"]:
            document = first
        else:
            rows.append(Row(document, first, *others))
    return rows


def read_breaks(folder: Path = BREAKS) -> list[Break]:
    """The breaks of every room, in the order they are written."""
    return [
        Break(row, path.stem, **fields)
        for path in sorted(folder.glob("*.toml"))
        for row, breaks in tomllib.loads(path.read_text()).items()
        for fields in breaks
    ]


ROWS = read_rows(PAGE.read_text())

SCORE = re.compile(r"^\*\*(\d+) of (\d+) breaks of (\d+) rows are caught by the named test\*\*", re.MULTILINE)


def score_line(caught: int, breaks: int, rows: int) -> str:
    """The sentence in docs/theorems.md that says how many breaks were caught."""
    return f"**{caught} of {breaks} breaks of {rows} rows are caught by the named test**"
