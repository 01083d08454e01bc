"""Rows as chains: every row walks through the maximum-entropy model while the model is fitted to the targets.

Each step draws one column of a block of rows anew, given all their other columns, from potentials and a tilt towards
what the rows lack of the targets at that moment. The potentials learn slowly from the same lack, so that rows end up
near the model of maximum entropy with these tables; the tilt makes counts meet the targets far better than draws would.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.conditionals import Weights, count_changes, draw_column, no_weights, others, seen_from
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes, table_of
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream
from sfumato.synth.tables.tree import spanning_tree

_LEARN, _LEARN_THREE = 0.05, 0.08
_TILT_ONE, _TILT_TWO, _TILT_THREE = 0.7, 0.4, 0.05
_STEEPEST = 3.0
_SMOOTH = 1.0  # rows that are added to every cell before logarithms
_FLOOR = 1e-3


@dataclass
class StepSizes:
    """How far a step goes; smaller after a step back."""

    learn: float = _LEARN
    learn_three: float = _LEARN_THREE
    one: float = _TILT_ONE
    two: float = _TILT_TWO
    three: float = _TILT_THREE

    def shorten(self) -> None:
        """Go on more carefully."""
        self.learn, self.one, self.two = self.learn * 0.6, self.one * 0.8, self.two * 0.6
        self.learn_three, self.three = self.learn_three * 0.6, self.three * 0.6

    def learning(self, marginal: Marginal) -> float:
        """How much of what lacks its potentials take up; of a triple less, as its pairs learn too."""
        return self.learn if len(marginal) == 2 else self.learn_three

    def pull(self, marginal: Marginal, around: Sequence[Marginal]) -> float:
        """How much of what lacks is made up for at once, shared by all tables of that size around a column."""
        alike = sum(len(other) == len(marginal) for other in around)
        return (self.two if len(marginal) == 2 else self.three) / alike


@dataclass
class Chains:
    """Rows, their counts, and the potentials that they walk under."""

    shape: TableShape
    codes: Codes
    marginals: tuple[Marginal, ...]
    stream: RowStream
    alone: list[Weights]
    joined: dict[Marginal, Weights]
    steps: StepSizes = field(default_factory=StepSizes)
    ones: list[NDArray[np.int64]] = field(init=False)
    tables: dict[Marginal, NDArray[np.int64]] = field(init=False)

    def __post_init__(self) -> None:
        self.recount()

    def recount(self) -> None:
        """Count the rows anew."""
        shape = self.shape
        self.ones = [table_of(self.codes, single, shape.sizes_of(single)) for single in shape.singles]
        self.tables = {joint: table_of(self.codes, joint, shape.sizes_of(joint)) for joint in self.marginals}

    def follow(self, marginal: Marginal) -> None:
        """Count one more table, and have potentials for it, which say nothing yet."""
        sizes = self.shape.sizes_of(marginal)
        self.marginals = (*self.marginals, marginal)
        self.joined[marginal] = np.zeros(sizes, dtype=np.float32)
        self.tables[marginal] = table_of(self.codes, marginal, sizes)

    def replace_rows(self, codes: Codes) -> None:
        """Walk on from other rows."""
        self.codes = codes
        self.recount()

    def around(self, column: int) -> list[Marginal]:
        """The pairs and triples that a column is in."""
        return [marginal for marginal in self.marginals if column in marginal]

    def loss(self, targets: Mapping[Marginal, Floats]) -> float:
        """How many rows are in the wrong cell, over all pairs and triples, twice."""
        return float(sum(np.abs(targets[joint] - self.tables[joint]).sum() for joint in self.marginals))

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
        joined = list[tuple[Marginal, Weights]]()
        for marginal in around:
            gap = targets.joint[marginal] - np.log(self.tables[marginal] + _SMOOTH)
            if learn:
                self.joined[marginal] += (self.steps.learning(marginal) * np.clip(gap, -2, 2)).astype(np.float32)
            gap -= lack.reshape([-1 if place == column else 1 for place in marginal])
            pull = self.steps.pull(marginal, around) / share
            tilted = self.joined[marginal] + np.clip(pull * gap, -_STEEPEST, _STEEPEST).astype(np.float32)
            joined.append((others(marginal, column), seen_from(marginal, tilted, column)))
        tilt = np.clip(self.steps.one / share * lack, -_STEEPEST, _STEEPEST)
        alone = (self.alone[column] + tilt).astype(np.float32)
        self._step(column, block, alone, joined)

    def walk(self, column: int, block: slice) -> None:
        """One step under the potentials alone."""
        self._step(column, block, self.alone[column], self._potentials(column))

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
        joined = self._potentials(column)
        part, block = np.ascontiguousarray(self.codes[:, rows]), slice(0, len(rows))
        alone = self.alone[column] + few
        drawn = draw_column(part, column, block, alone=alone, joined=joined, shape=self.shape, stream=self.stream)
        self._put(column, rows, drawn)

    def _potentials(self, column: int) -> list[tuple[Marginal, Weights]]:
        """The potentials around a column, as a step needs them."""
        return [(others(m, column), seen_from(m, self.joined[m], column)) for m in self.around(column)]

    def _step(self, column: int, block: slice, alone: Weights, joined: list[tuple[Marginal, Weights]]) -> None:
        """Draw new values, put them in, and keep the counts."""
        drawn = draw_column(self.codes, column, block, alone=alone, joined=joined, shape=self.shape, stream=self.stream)
        changed = np.flatnonzero(drawn != self.codes[column, block])
        self._put(column, changed + block.start, drawn[changed])

    def _put(self, column: int, where: NDArray[np.int64], new: NDArray[np.int32]) -> None:
        """Give rows other values of a column, and keep the counts."""
        old, size = self.codes[column, where], len(self.ones[column])
        for marginal in self.around(column):
            count_changes(self.tables[marginal], self.codes, marginal, column=column, where=where, new=new)
        self.ones[column] += np.bincount(new, minlength=size) - np.bincount(old, minlength=size)
        self.codes[column, where] = new


@dataclass(frozen=True, eq=False)
class LogTargets:
    """Targets as logarithms, in as many rows as there are."""

    ones: list[Floats]
    joint: dict[Marginal, Floats]

    @classmethod
    def of(cls, singles: Sequence[Floats], joint: Mapping[Marginal, Floats]) -> "LogTargets":
        """The logarithms of targets."""
        return cls(
            [np.log(table + _SMOOTH) for table in singles],
            {marginal: np.log(table + _SMOOTH) for marginal, table in joint.items()},
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
