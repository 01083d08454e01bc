"""What one person really moves of a synthetic table: every exact vector that is paid for, written down."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from sfumato.exact.bits import BitSource
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables import TableShape, TableSynthesiser
from sfumato.synth.tables.paid import Purse
from sources import SeededBits
from synthetic_cases import Table, marginals_of


@dataclass
class Tape:
    """What went into each payment; said again, what came out."""

    exact: list[list[int]] = field(default_factory=list)
    said: list[Any] = field(default_factory=list)
    squares: list[tuple[int, Fraction]] = field(default_factory=list)


def taped(monkeypatch: pytest.MonkeyPatch, mechanism: TableSynthesiser, data: Table, said: list[Any] | None) -> Tape:
    """A run whose every exact vector is written down; with `said`, one that is told what it is to have said."""
    tape, honest = Tape(), Purse.pay

    def pay(self: Purse, exact: Any, noise: GaussianNoise, squared_move: int, *, bits: BitSource) -> Any:
        tape.exact.append([int(value) for value in exact])
        tape.squares.append((squared_move, noise.sigma**2))
        noisy = honest(self, exact.copy(), noise, squared_move, bits=bits)
        tape.said.append(noisy if said is None else said[len(tape.said)].copy())
        return tape.said[-1].copy()

    with monkeypatch.context() as patch:
        patch.setattr(Purse, "pay", pay)
        mechanism.measure(marginals_of(data), bits=SeededBits(11))
    return tape


def neighbours(shape: TableShape, data: Table) -> Iterator[Table]:
    """Everybody who may come: all parts in one cell, or in several."""
    for cell in product(*map(range, shape.sizes)):
        more = data.copy()
        more[cell] += shape.moved
        yield more
    if shape.moved > 1:
        for seed in range(5):
            spread = np.random.default_rng(seed).multinomial(shape.moved, np.full(shape.cells, 1 / shape.cells))
            yield data + spread.reshape(shape.sizes)


def moved_squares(one: Tape, other: Tape) -> list[int]:
    return [
        sum((a - b) ** 2 for a, b in zip(first, second, strict=True))
        for first, second in zip(one.exact, other.exact, strict=True)
    ]


def largest_cost(
    monkeypatch: pytest.MonkeyPatch, mechanism: TableSynthesiser, data: Table
) -> tuple[Fraction, Fraction]:
    """The most that a neighbour really costs, given the same answers before, and what is charged."""
    base = taped(monkeypatch, mechanism, data, None)
    worst = Fraction(0)
    for other in neighbours(mechanism.shape, data):
        tape = taped(monkeypatch, mechanism, other, base.said)
        assert tape.squares == base.squares, "what is measured, and how, must follow from noisy values alone"
        cost = sum((m / s for m, (_, s) in zip(moved_squares(base, tape), base.squares, strict=True)), Fraction(0))
        worst = max(worst, cost)
    return worst, mechanism.squared_mu
