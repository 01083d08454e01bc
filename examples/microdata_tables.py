"""What private microdata cost: squared errors of cells and of their sum, for six ways to make them of noisy counts.

    python examples/microdata_tables.py                 # both tables, 500 runs each
    python examples/microdata_tables.py --runs 5000

The design is that of the experiments of Abowd et al. 2021: one cell of 10 000, all others small. Noise is that of the
continuous Laplace law, in steps of 1/1024.
"""

import argparse
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import discrete_laplace
from sfumato.synth import (
    Clip,
    LaplaceErrors,
    LeastSquares,
    NonNegativeLeastSquares,
    PostProcessor,
    ReweightedFit,
    WaterFilling,
)

Reals = NDArray[np.float64]
BIG, STEPS = 10_000, 1024


class Errors(NamedTuple):
    """Mean squared errors over runs: of the sum, of the worst cell, of all cells together, of the big cell."""

    sum: float
    worst: float
    all: float
    big: float


def level(value: int, d: int = 100) -> Reals:
    """One big cell, and all others equal."""
    return np.array([BIG] + [value] * (d - 1), dtype=np.float64)


def stair(d: int = 100) -> Reals:
    """The big cell, then 2, 3, … d."""
    return np.array([BIG, *range(2, d + 1)], dtype=np.float64)


def step(value: int, d: int = 100) -> Reals:
    """The first half zero, the second equal."""
    return np.array([BIG] + [0] * (d // 2 - 1) + [value] * (d - d // 2), dtype=np.float64)


def split_stairs(d: int = 100) -> Reals:
    """The big cell, a stair over the first half, then zeros."""
    return np.array([BIG, *range(1, d // 2)] + [0] * (d - d // 2), dtype=np.float64)


DATASETS: dict[str, Reals] = {
    "Level00": level(0),
    "Level01": level(1),
    "Level16": level(16),
    "Level32": level(32),
    "Stair": stair(),
    "Step16": step(16),
    "Step50": step(50),
    "SplitStairs": split_stairs(),
}


def laplace(scale: Fraction, shape: tuple[int, ...]) -> Reals:
    """Laplace noise to a thousandth of a count."""
    return np.asarray(discrete_laplace(scale * STEPS, shape), dtype=np.float64) / STEPS


def algorithms(epsilon: Fraction) -> dict[str, PostProcessor]:
    """How measurements become weights; all but `clip` measure the cells and their sum with scale 2/ε."""
    return {
        "ols": LeastSquares(),
        "clip": Clip(),
        "nnls": NonNegativeLeastSquares(),
        "water-filling": WaterFilling(),
        "reweighted": ReweightedFit(LaplaceErrors(2 / float(epsilon))),
    }


def measured(cells: Reals, runs: int, *, epsilon: Fraction, name: str) -> tuple[Reals, Reals]:
    """Noisy cells (run, cell) and noisy sums (run) at this price; `clip` asks for no sum, and has all for its cells."""
    scale = (1 if name == "clip" else 2) / epsilon
    return cells + laplace(scale, (runs, len(cells))), cells.sum() + laplace(scale, (runs,))


def errors(cells: Reals, weights: Reals) -> Errors:
    """What runs of weights (run, cell) are off by."""
    missed = weights - cells
    by_cell = (missed**2).mean(axis=0)
    squared_sum = float((missed.sum(axis=1) ** 2).mean())
    return Errors(squared_sum, float(by_cell.max()), float(by_cell.sum()), float(by_cell[0]))


def run(cells: Reals, name: str, *, runs: int, epsilon: Fraction = Fraction(1)) -> Errors:
    """One way's errors on one dataset."""
    return errors(cells, algorithms(epsilon)[name](*measured(cells, runs, epsilon=epsilon, name=name)))


def clipped_sum_error(d: int, *, epsilon: float = 1.0) -> float:
    """E[(sum error)²] of clipping where all cells but a big one are zero: a closed form.

    With b = 1/ε, E[max(0, Z)] = b/2 and E[max(0, Z)²] = b².
    """
    return ((d - 1) + (d - 1) * (d - 2) / 4 + 2) / epsilon**2


def table(names: tuple[str, ...], rows: Iterator[tuple[str, Callable[[str], str]]], first: str) -> None:
    """Print a row a dataset, a column a way."""
    print(f"| {first} | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for title, cell in rows:
        print(f"| {title} | " + " | ".join(cell(name) for name in names) + " |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=500)
    runs = parser.parse_args().runs

    def one(cells: Reals, epsilon: Fraction) -> Callable[[str], str]:
        def cell(name: str) -> str:
            found = run(cells, name, runs=runs, epsilon=epsilon)
            return f"{found.sum:.1f} / {found.worst:.1f} / {found.all:.0f}"

        return cell

    names = tuple(algorithms(Fraction(1)))
    for epsilon in (Fraction(1), Fraction(1, 10)):
        print(f"\n100 cells, ε = {float(epsilon):g}, {runs} runs: squared error of the sum / worst cell / all cells\n")
        table(names, ((title, one(cells, epsilon)) for title, cells in DATASETS.items()), "dataset")
    print(f"\nother cells 0 or 1, ε = 1, {runs} runs: squared error of the sum / worst cell\n")

    def swept(cells: Reals) -> Callable[[str], str]:
        def cell(name: str) -> str:
            found = run(cells, name, runs=min(runs, max(10, 4_000_000 // len(cells))))
            return f"{found.sum:.1f} / {found.worst:.1f}"

        return cell

    sizes = [(value, d) for value in (0, 1) for d in (10, 100, 1000, 10_000)]
    rows = ((f"level {value}, d = {d}", swept(level(value, d))) for value, d in sizes)
    table(tuple(name for name in names if name != "reweighted"), rows, "cells")
    print("\nclip on zeros, exactly: " + ", ".join(f"{clipped_sum_error(10**k):,.1f}" for k in (1, 2, 3, 4)))


if __name__ == "__main__":
    main()
