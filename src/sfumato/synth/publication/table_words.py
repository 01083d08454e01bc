"""What was measured for a synthetic table as one array of words, of a size that is known before anything is measured.

Which pairs were worth their price, and how many bins and texts there are, is noisy, and would show in the size of what
is sealed and not settled yet. So the array has as many words as the most that there could be.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import positive
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.publication.impossible import Impossible
from sfumato.synth.publication.table_columns import BinnedColumn, TableColumn
from sfumato.synth.publication.table_stages import TableStages, shape_of, sizes_of
from sfumato.synth.tables import TableMeasurements
from sfumato.synth.tables.grids import MeasuredGrid

_WORD = 62
_LARGEST = 1 << (2 * _WORD - 1)


def packed(stages: TableStages, size: int) -> NDArray[np.int64]:
    """Everything that was measured in so many words: a description, then every number as two words, then zeros."""
    numbers = list[int]()

    def counted(values: Sequence[int]) -> int:
        numbers.extend(values)
        return len(values)

    table = stages.table.to_json()
    del table["impossible"]
    table["residuals"] = [[marginal, sigma, counted(values)] for marginal, sigma, values in table["residuals"]]
    if table["scores"] is not None:
        table["scores"] = [table["scores"][1], counted(table["scores"][2])]
    if "triple_scores" in table:
        table["triple_scores"] = [*table["triple_scores"][:2], counted(table["triple_scores"][2])]
    levels = [[int(value) for level in grid.levels for value in level] for grid in stages.grids]
    about = {
        "found": {name: list(each) for name, each in stages.found.items()},
        "grids": [[str(grid.noise.sigma), counted(of)] for grid, of in zip(stages.grids, levels, strict=True)],
        "table": table,
    }
    head = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    text = np.frombuffer(head + b" " * (-len(head) % 8), dtype="<i8").astype(np.int64)
    held = [max(-_LARGEST, min(_LARGEST - 1, value)) for value in numbers]  # as in `measurements.written`
    high = np.array([value >> _WORD for value in held], dtype=np.int64)
    low = np.array([value & ((1 << _WORD) - 1) for value in held], dtype=np.int64)
    found = np.concatenate([np.array([len(text), len(numbers)], dtype=np.int64), text, high, low])
    if len(found) > size:
        raise ValueError("a table needs more words than were set apart for it")
    return np.concatenate([found, np.zeros(size - len(found), dtype=np.int64)])


def unpacked(words: NDArray[np.int64], columns: Sequence[TableColumn], impossible: Sequence[Impossible]) -> TableStages:
    """What `packed` wrote of a table of these columns."""
    try:
        length, number = int(words[0]), int(words[1])
        about = json.loads(words[2 : 2 + length].astype("<i8").tobytes())
        rest = words[2 + length : 2 + length + 2 * number].tolist()
        values = [(high << _WORD) + low for high, low in zip(rest[:number], rest[number:], strict=True)]
        return _stages(about, values, columns, impossible)
    except (ValueError, KeyError, TypeError, IndexError):
        raise InvalidParameter("measurements", "hold no synthetic table", "that can be read") from None


def _stages(
    about: Mapping[str, Any], values: list[int], columns: Sequence[TableColumn], impossible: Sequence[Impossible]
) -> TableStages:
    at = 0

    def taken(count: int) -> list[int]:
        nonlocal at
        at += count
        return values[at - count : at]

    table = dict(about["table"])
    table["residuals"] = [[marginal, sigma, taken(count)] for marginal, sigma, count in table["residuals"]]
    if table["scores"] is not None:
        sigma, count = table["scores"]
        table["scores"] = [list(combinations(range(len(columns)), 2)), sigma, taken(count)]
    if "triple_scores" in table:
        triples, sigma, count = table["triple_scores"]
        table["triple_scores"] = [triples, sigma, taken(count)]
    binned = [column for column in columns if isinstance(column, BinnedColumn)]
    grids = [_grid(column, sigma, taken(count)) for column, (sigma, count) in zip(binned, about["grids"], strict=True)]
    coded = [column.coded(about["found"].get(column.name, ())) for column in columns]
    shape = shape_of(sizes_of(coded), impossible, moved=table["moved"], parts=table["parts"])
    read = TableMeasurements.from_json({**table, "impossible": []})
    measured = TableMeasurements(shape, read.sigma, read.residuals, read.scores, read.triple_scores)
    return TableStages(about["found"], tuple(grids), measured)


def _grid(column: BinnedColumn, sigma: str, values: list[int]) -> MeasuredGrid:
    levels, at = list[NDArray[np.int64]](), 0
    for depth in range(column.grid.levels):
        size = 10 ** (depth + 1)
        levels.append(np.array(values[at : at + size], dtype=object))
        at += size
    return MeasuredGrid(column.grid, tuple(levels), GaussianNoise(positive("sigma", sigma)))
