"""No row has a combination that cannot be: the few that would are replaced by others that were made."""

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.synth.tables.rows import Codes, possible_rows
from sfumato.synth.tables.shape import TableShape
from sfumato.synth.tables.stream import RowStream


def nothing_left(rows: int) -> InvalidParameter:
    """The refusal of masks that leave nothing, or next to nothing, possible."""
    return InvalidParameter(
        "impossible", "leaves too little: no possible row was found among", rows, hint="check that some row is possible"
    )


def repaired(codes: Codes, shape: TableShape, stream: RowStream) -> Codes:
    """The rows with every impossible one replaced by a copy of a possible one, drawn at random."""
    if not shape.masks:
        return codes
    fine = possible_rows(codes, shape)
    good, bad = np.flatnonzero(fine), np.flatnonzero(~fine)
    if not len(good):
        raise nothing_left(codes.shape[1])
    if len(bad):
        codes = codes.copy()
        picks = (stream.fine_uniforms(len(bad)) * len(good)).astype(np.int64)
        codes[:, bad] = codes[:, good[np.minimum(picks, len(good) - 1)]]
    return codes
