"""No row has a combination that cannot be: columns are drawn anew where they contradict, the rest are copies."""

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.conditionals import allowed_values
from sfumato.synth.tables.rows import Codes, possible_rows
from sfumato.synth.tables.shape import TableShape
from sfumato.synth.tables.stream import RowStream


def repaired(codes: Codes, shape: TableShape, stream: RowStream) -> Codes:
    """The rows without impossible combinations: always, as it runs between stages that measure.

    Column by column a value that contradicts earlier ones is drawn anew among those that do not; what is impossible
    even so is replaced by a possible row of those that were made, or by the one that the shape knows.
    """
    if not shape.masks:
        return codes
    bad = np.flatnonzero(~possible_rows(codes, shape))
    if not len(bad):
        return codes
    codes = codes.copy()
    codes[:, bad] = _without_contradictions(codes[:, bad], shape, stream)
    fine = possible_rows(codes, shape)
    good, bad = np.flatnonzero(fine), np.flatnonzero(~fine)
    if not len(good):
        codes[:] = np.array(shape.possible_row, dtype=codes.dtype)[:, None]
    elif len(bad):
        picks = (stream.fine_uniforms(len(bad)) * len(good)).astype(np.int64)
        codes[:, bad] = codes[:, good[np.minimum(picks, len(good) - 1)]]
    return codes


def _without_contradictions(codes: Codes, shape: TableShape, stream: RowStream) -> Codes:
    """Every column in turn: kept where it agrees with the columns before it, else drawn evenly among what does."""
    found, rows = codes.copy(), codes.shape[1]
    for column, size in enumerate(shape.sizes):
        mine = [(m, mask) for m, mask in shape.masks.items() if column == max(m)]
        if not mine:
            continue
        open_: NDArray[np.bool_] = np.ones((rows, size), dtype=np.bool_)
        for marginal, mask in mine:
            open_ &= allowed_values(found, marginal, mask, column, slice(0, rows))
        wrong = np.flatnonzero(~open_[np.arange(rows), found[column]] & open_.any(axis=1))
        ends = np.cumsum(open_[wrong], axis=1)
        marks = np.floor(stream.fine_uniforms(len(wrong)) * ends[:, -1]) if len(wrong) else np.zeros(0)
        found[column, wrong] = (ends <= marks[:, None]).sum(axis=1)
    return found
