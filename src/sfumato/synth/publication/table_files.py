"""The noisy tables of a publication as files: CSV that people read, and Parquet where there are very many cells."""

import csv
import io
from fractions import Fraction

import numpy as np

from sfumato.core.printing import for_csv
from sfumato.engines.duckdb.published_counts import write_counts
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.folder import PublicationFolder
from sfumato.synth.publication.level_files import places_of_cells
from sfumato.synth.publication.statement import SettledPublication, value_json
from sfumato.synth.publication.tables import NoisyTable

SURE = Fraction(95, 100)
MOST_LINES = 100_000
"""Of CSV: a table with more cells is Parquet."""
_LONGEST_NAME = 120
_NUMBERS = ("count", "standard_error", "low", "high")


def write_table(folder: PublicationFolder, number: int, table: CellTable, settled: SettledPublication) -> str:
    """The file of a table, with standard errors and 95 % bars of this table alone; its name."""
    name = _file_name(number, table)
    if table.cells <= MOST_LINES:
        folder.write(f"{name}.csv", _csv(table, settled).encode())
        return f"{name}.csv"
    columns = {each: settled.listed(each) for each in table.columns}
    counts = table.counts if isinstance(table, NoisyTable) and not table.bits else table.rows()
    places = dict(zip(columns, places_of_cells(counts.shape), strict=True))
    # one number a column, which takes no room: a bar is from count - bar to count + bar
    made = {
        beside("standard_error", table): f"CAST('{table.standard_error!r}' AS DOUBLE)",
        beside("bar", table): f"CAST('{table.reach(1 - SURE)!r}' AS DOUBLE)",
    }
    numbers = {beside("count", table): counts.reshape(-1)}
    folder.write_by(f"{name}.parquet", lambda part: write_counts(part, columns, places, numbers, made))
    return f"{name}.parquet"


def beside(name: str, table: CellTable) -> str:
    """What a column of numbers is called beside the columns of a table: its name, unless one of those has it."""
    while name.lower() in (column.lower() for column in table.columns):
        name = f"{name}_"
    return name


def _file_name(number: int, table: CellTable) -> str:
    """A name that every system takes, in which people find the columns."""
    words = "-".join("".join(c if c.isalnum() else "_" for c in name) for name in table.columns) or "all"
    cut = words.encode()[:_LONGEST_NAME].decode(errors="ignore")  # systems count bytes
    return f"tables/{number:04d}-{cut}"


def _csv(table: CellTable, settled: SettledPublication) -> str:
    """The cells of a table with their standard errors and 95 % bars, each of this table alone."""
    off = table.reach(1 - SURE)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*map(for_csv, table.columns), *(beside(name, table) for name in _NUMBERS)])
    rows, error = table.rows(), repr(table.standard_error)
    for place in np.ndindex(*rows.shape):
        values = [settled.domains[name][at] for name, at in zip(table.columns, place, strict=True)]
        count = float(rows[place])
        shown = ["" if value is None else for_csv(value_json(value)) for value in values]
        lines.writerow([*shown, repr(count), error, repr(count - off), repr(count + off)])
    return text.getvalue()
