"""How chains come to their targets: rounds of steps, targets that follow the rows, a step back where it went wrong."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.chains import Chains, LogTargets
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes, table_of
from sfumato.synth.tables.scores import chance_distance, implied_pair
from sfumato.synth.tables.shape import Marginal
from sfumato.synth.tables.triple_targets import all_targets
from sfumato.synth.tables.unmeasured import distances_known, is_contradicted

_Tables = dict[Marginal, Floats]
_SHARE, _LAST_SHARE, _LAST = 0.1, 0.05, 10
_SETTLE = 3
_EVERY, _MEMORY = 4, 0.6
_BACK, _FORGIVE = 1.8, 1.6  # a step back is for a loss that much above the best; new targets forgive that much


def _times(tables: Mapping[Marginal, Floats] | Mapping[Marginal, NDArray[np.int64]], factor: float) -> _Tables:
    return {marginal: np.asarray(table * factor, dtype=np.float64) for marginal, table in tables.items()}


def fit_chains(
    chains: Chains, measured: TableMeasurements, singles: list[Floats], *, rounds: int
) -> dict[Marginal, Floats]:
    """Let the chains walk towards targets that are shrunk towards what the rows imply; the targets at the end."""
    factor = chains.codes.shape[1] / float(singles[0].sum())
    ones = [table * factor for table in singles]
    smooth = _times(chains.tables, 1 / factor)
    targets = all_targets(measured, singles, smooth)
    best, kept = np.inf, chains.codes.copy()
    last, near = max(0, rounds - _LAST), distances_known(measured, singles)
    for count in range(rounds):
        if count <= last and count % _EVERY == 0 and count:
            if follow_contradicted(chains, smooth, singles, near):
                best = np.inf  # another sum of losses
            targets, best = all_targets(measured, singles, smooth, near), _FORGIVE * best
        wanted = _times(targets, factor)
        share = _LAST_SHARE if count >= last else _SHARE
        chains.round(LogTargets.of(ones, wanted), share, learn=count < last)
        loss = chains.loss(wanted)
        if loss < best:
            best, kept = loss, chains.codes.copy()
        elif loss > _BACK * best:
            chains.replace_rows(kept.copy())
            chains.steps.shorten()
        for marginal, table in chains.tables.items():
            smooth[marginal] = _MEMORY * smooth[marginal] + (1 - _MEMORY) * table / factor
    chains.replace_rows(kept)
    settle_columns(chains, ones)
    return targets


def follow_contradicted(chains: Chains, smooth: _Tables, singles: list[Floats], near: Mapping[Marginal, float]) -> bool:
    """Follow pairs whose scores say that they are nearer to independence than the rows are; whether there are more."""
    factor, before = chains.codes.shape[1] / float(singles[0].sum()), len(chains.marginals)
    for (a, b), known in near.items():
        if (a, b) not in chains.tables:
            apart = implied_pair(singles[a], singles[b])
            table = table_of(chains.codes, (a, b), apart.shape) / factor
            if is_contradicted(table, apart, known, drawn=chance_distance(apart * factor) / factor):
                chains.follow((a, b))
                smooth[a, b] = table
    return len(chains.marginals) > before


def settle_columns(chains: Chains, ones: Sequence[Floats]) -> None:
    """Make every column by itself what it should be, to a row or so."""
    for _ in range(_SETTLE):
        for column, wanted in enumerate(ones):
            chains.settle(column, wanted)


def rows_again(codes: Codes, start: int, end: int) -> Codes:
    """The rows from one place to another of as many copies of all of them as it takes."""
    return np.ascontiguousarray(codes[:, np.arange(start, end) % codes.shape[1]])


def grow_chains(chains: Chains, codes: Codes, singles: list[Floats], targets: Mapping[Marginal, Floats]) -> None:
    """More rows than chains: copies that walk on by themselves, and are polished as the chains were."""
    wanted = codes.shape[1]
    chains.replace_rows(codes)
    for column in chains.stream.order(len(codes)).tolist():
        chains.walk(column, slice(0, wanted))
    factor = wanted / float(singles[0].sum())
    ones = [table * factor for table in singles]
    logs = LogTargets.of(ones, _times(targets, factor))
    for _ in range(_LAST):
        chains.round(logs, _LAST_SHARE, learn=False)
    settle_columns(chains, ones)
