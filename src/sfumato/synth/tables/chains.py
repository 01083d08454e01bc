"""Rows as chains: every row walks through the pairwise maximum-entropy model while the model is fitted to the targets.

Each step draws one column of a block of rows anew, given all their other columns, from potentials and a tilt towards
what the rows lack of the targets at that moment. The potentials learn slowly from the same lack, so that rows end up
near the model of maximum entropy with these pairs; the tilt makes counts meet the targets far better than draws would.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.conditionals import Weights, count_changes, draw_column, no_weights, seen_from
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes, table_of
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream
from sfumato.synth.tables.tree import spanning_tree

_LEARN = 0.05
_TILT_ONE, _TILT_TWO = 0.7, 0.4
_STEEPEST = 3.0
_SMOOTH = 1.0  # rows that are added to every cell before logarithms
_FLOOR = 1e-3


@dataclass
class StepSizes:
    """How far a step goes; smaller after a step back."""

    learn: float = _LEARN
    one: float = _TILT_ONE
    two: float = _TILT_TWO

    def shorten(self) -> None:
        """Go on more carefully."""
        self.learn, self.one, self.two = self.learn * 0.6, self.one * 0.8, self.two * 0.6


@dataclass
class Chains:
    """Rows, their counts, and the potentials that they walk under."""

    shape: TableShape
    codes: Codes
    pairs: tuple[Marginal, ...]
    stream: RowStream
    alone: list[Weights]
    joined: dict[Marginal, Weights]
    steps: StepSizes = field(default_factory=StepSizes)
    ones: list[NDArray[np.int64]] = field(init=False)
    twos: dict[Marginal, NDArray[np.int64]] = field(init=False)

    def __post_init__(self) -> None:
        self.recount()

    def recount(self) -> None:
        """Count the rows anew."""
        shape = self.shape
        self.ones = [table_of(self.codes, single, shape.sizes_of(single)) for single in shape.singles]
        self.twos = {pair: table_of(self.codes, pair, shape.sizes_of(pair)) for pair in self.pairs}

    def replace_rows(self, codes: Codes) -> None:
        """Walk on from other rows."""
        self.codes = codes
        self.recount()

    def around(self, column: int) -> list[Marginal]:
        """The pairs that a column is in."""
        return [pair for pair in self.pairs if column in pair]

    def loss(self, targets: Mapping[Marginal, Floats]) -> float:
        """How many rows are in the wrong cell, over all pairs, twice."""
        return float(sum(np.abs(targets[pair] - self.twos[pair]).sum() for pair in self.pairs))

    def round(self, targets: "LogTargets", share: float, *, learn: bool) -> None:
        """One step for each column, on a share of the rows each."""
        for column in self.stream.order(len(self.codes)).tolist():
            rows = self.codes.shape[1]
            length = max(1, int(share * rows))
            start = self.stream.below(rows - length + 1)
            self.draw(column, slice(start, start + length), targets, share, learn=learn)

    def draw(self, column: int, block: slice, targets: "LogTargets", share: float, *, learn: bool) -> None:
        """One step: a column of a block drawn anew under potentials and tilt."""
        lack = targets.ones[column] - np.log(self.ones[column] + _SMOOTH)
        around = self.around(column)
        pull = self.steps.two / (share * max(1, len(around)))
        joined = list[tuple[int, Weights]]()
        for pair in around:
            gap = targets.twos[pair] - np.log(self.twos[pair] + _SMOOTH)
            if learn:
                self.joined[pair] += (self.steps.learn * np.clip(gap, -2, 2)).astype(np.float32)
            gap -= lack[None, :] if pair[1] == column else lack[:, None]
            tilted = self.joined[pair] + np.clip(pull * gap, -_STEEPEST, _STEEPEST).astype(np.float32)
            joined.append((_other(pair, column), seen_from(pair, tilted, column)))
        tilt = np.clip(self.steps.one / share * lack, -_STEEPEST, _STEEPEST)
        alone = (self.alone[column] + tilt).astype(np.float32)
        self._step(column, block, alone, joined)

    def walk(self, column: int, block: slice) -> None:
        """One step under the potentials alone."""
        joined = [(_other(pair, column), seen_from(pair, self.joined[pair], column)) for pair in self.around(column)]
        self._step(column, block, self.alone[column], joined)

    def settle(self, column: int, wanted: Floats) -> None:
        """Draw anew the rows that are too many of a value of a column, among the values that have too few."""
        lack = np.rint(wanted).astype(np.int64) - self.ones[column]
        order = self.stream.order(self.codes.shape[1])
        values = self.codes[column, order]
        grouped = np.argsort(values, kind="stable")
        within = np.arange(len(values)) - np.repeat(np.cumsum(self.ones[column]) - self.ones[column], self.ones[column])
        rows = np.sort(order[grouped[within < -lack[values[grouped]]]])
        if not len(rows) or lack.max() <= 0:
            return
        few = np.log(np.maximum(lack, 1e-9) / np.maximum(wanted, _FLOOR)).astype(np.float32)
        joined = [(_other(pair, column), seen_from(pair, self.joined[pair], column)) for pair in self.around(column)]
        part, block = np.ascontiguousarray(self.codes[:, rows]), slice(0, len(rows))
        alone = self.alone[column] + few
        drawn = draw_column(part, column, block, alone=alone, joined=joined, shape=self.shape, stream=self.stream)
        self._put(column, rows, drawn)

    def _step(self, column: int, block: slice, alone: Weights, joined: list[tuple[int, Weights]]) -> None:
        """Draw new values, put them in, and keep the counts."""
        drawn = draw_column(self.codes, column, block, alone=alone, joined=joined, shape=self.shape, stream=self.stream)
        changed = np.flatnonzero(drawn != self.codes[column, block])
        self._put(column, changed + block.start, drawn[changed])

    def _put(self, column: int, where: NDArray[np.int64], new: NDArray[np.int32]) -> None:
        """Give rows other values of a column, and keep the counts."""
        old, size = self.codes[column, where], len(self.ones[column])
        for pair in self.around(column):
            other = self.codes[_other(pair, column), where]
            count_changes(self.twos[pair], other, old=old, new=new, across=pair[1] == column)
        self.ones[column] += np.bincount(new, minlength=size) - np.bincount(old, minlength=size)
        self.codes[column, where] = new


def _other(pair: Marginal, column: int) -> int:
    return pair[0] if pair[1] == column else pair[1]


@dataclass(frozen=True, eq=False)
class LogTargets:
    """Targets as logarithms, in as many rows as there are."""

    ones: list[Floats]
    twos: dict[Marginal, Floats]

    @classmethod
    def of(cls, singles: Sequence[Floats], pairs: Mapping[Marginal, Floats]) -> "LogTargets":
        """The logarithms of targets."""
        return cls(
            [np.log(table + _SMOOTH) for table in singles],
            {pair: np.log(table + _SMOOTH) for pair, table in pairs.items()},
        )


def tree_weights(
    shape: TableShape, singles: Sequence[Floats], pairs: Mapping[Marginal, Floats]
) -> tuple[list[Weights], dict[Marginal, Weights]]:
    """Potentials under which rows of the tree are at rest."""
    alone, joined = no_weights(shape.sizes, tuple(pairs))
    for branch in spanning_tree(singles, pairs):
        if branch.given is None:
            alone[branch.column] += np.log(np.maximum(branch.table, 1e-6)).astype(np.float32)
            continue
        table = np.maximum(branch.table, _FLOOR)
        given = np.log(table / table.sum(axis=1, keepdims=True)).astype(np.float32)
        pair = (min(branch.column, branch.given), max(branch.column, branch.given))
        joined[pair] += given if pair[0] == branch.given else given.T
    return alone, joined
