"""What errors to expect of a synthetic table, before anything is measured."""

from fractions import Fraction
from math import sqrt

from sfumato.synth.tables.paid import affordable
from sfumato.synth.tables.plan import StageShares, single_noises
from sfumato.synth.tables.shape import TableShape


def single_errors(shape: TableShape, sigma: Fraction, shares: StageShares | None = None) -> list[float]:
    """The standard error of one value of each column, in rows, by the shares of total and single columns alone."""
    given = shares or StageShares()
    square = 1 / sigma**2
    total = affordable({(): 1.0}, {(): shape.moved**2}, square * given.total)[()].sigma ** 2
    found = []
    for (place,), noise in single_noises(shape, square * given.singles).items():
        size = shape.sizes[place]
        cell = (noise.sigma / size) ** 2 * Fraction(size - 1, size)
        found.append(sqrt(total / size**2 + cell) / shape.parts)
    return found
