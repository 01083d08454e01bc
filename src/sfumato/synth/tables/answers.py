"""Answers of one and two columns from what was measured, with exact bars; rows have none.

A question gives every value of its columns a weight; its answer is the sum, over rows, of the product of the weights.
It is Σ c_A·⟨u_A, R_A⟩ over the residuals R_A of all subsets A of its columns, with u_A the product of the centred
weights of A and c_A that of the means of the others. Its noise is a sum of independent normals, of variance
Σ c_A²·‖u_A‖²·σ_A², but for rounding, which moves a cell by half a step at most.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.gaussian import two_sided_quantile
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.shape import Marginal

_ROUNDED_UP = 1 + 1e-9  # covers the roundings of sums of floats


@dataclass(frozen=True, slots=True)
class MeasuredAnswer:
    """An unbiased answer in rows, the deviation of its normal noise, and what rounding may add to that."""

    value: float
    deviation: float
    rounding: float

    def error(self, beta: Real) -> Accuracy:
        """With probability 1 - beta the answer is no further off."""
        fails = open_probability("beta", beta)
        reach = two_sided_quantile(fails) * self.deviation + self.rounding
        return stated(reach * _ROUNDED_UP, fails)


def can_answer(measured: TableMeasurements, columns: Sequence[str]) -> bool:
    """Whether every residual that a question of these columns needs was measured."""
    places = tuple(sorted(measured.shape.place(name) for name in columns))
    return all(
        marginal in measured.tables for size in range(len(places) + 1) for marginal in combinations(places, size)
    )


def answer(measured: TableMeasurements, weights: Mapping[str, Sequence[float] | Floats]) -> MeasuredAnswer:
    """The sum over rows of the product of the weights of their values, such as 1 for those that count and 0 else."""
    given = {measured.shape.place(name): _weights(measured, name, each) for name, each in weights.items()}
    places = tuple(sorted(given))
    if not can_answer(measured, tuple(weights)):
        raise InvalidParameter(
            "columns", "must be measured together for an answer with a bar, got", tuple(weights), hint="ask the rows"
        )
    value = variance = rounding = 0.0
    for marginal, factor, direction in _directions(places, given):
        table, noise = measured.tables[marginal]
        value += factor * float((direction * table).sum())
        variance += factor**2 * float((direction**2).sum()) * noise
        rounding += abs(factor) * float(np.abs(direction).sum()) * measured.roundings[marginal]
    return MeasuredAnswer(value, math.sqrt(variance), rounding)


def _weights(measured: TableMeasurements, name: str, given: Sequence[float] | Floats) -> Floats:
    found = np.asarray(given, dtype=np.float64)
    if found.shape != (measured.shape.columns[name],) or not np.isfinite(found).all():
        raise InvalidParameter(
            "weights", f"must be {measured.shape.columns[name]} numbers for {name!r}, got shape", found.shape
        )
    return found


def _directions(places: Marginal, given: Mapping[int, Floats]) -> Iterator[tuple[Marginal, float, Floats]]:
    """For each subset of columns the mean weight of the others, and the product of its own centred weights."""
    for size in range(len(places) + 1):
        for marginal in combinations(places, size):
            factor = math.prod(float(given[place].mean()) for place in places if place not in marginal)
            direction = np.ones(())
            for place in marginal:
                direction = np.multiply.outer(direction, given[place] - given[place].mean())
            yield marginal, factor, np.asarray(direction)
