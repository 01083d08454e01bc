"""The uncertainty principle of private microdata, drawn: `python examples/uncertainty_principle.py`.

One cell holds 10 000 people and all others none. Whoever keeps the sum loses cells, whoever keeps cells loses the sum,
and no algorithm escapes: what is measured here lies between the bounds of both theorems.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.exact import discrete_laplace
from sfumato.pictures import Beside, Curve, Curves, Picture, Role, as_svg_file
from sfumato.synth import (
    Clip,
    ClippedGeometric,
    FilledGeometric,
    LaplaceErrors,
    NonNegativeLeastSquares,
    PostProcessor,
    PureLimit,
    ReweightedFit,
    WaterFilling,
    least_point_error,
    least_sum_error,
)

IMAGES = Path(__file__).parents[1] / "docs" / "images"
BIG, EPSILON = 10_000, 1
CELLS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
BOUNDED = tuple(round(10 ** (k / 4)) for k in range(4, 33))  # sizes for which bounds are drawn


@dataclass(frozen=True)
class Measured:
    """Root mean squared errors of the sum and of the worst cell, which is the one that people are in."""

    sum: float
    point: float


@dataclass(frozen=True)
class Way:
    """An algorithm: the scale of its noise at ε = 1, and what is made of the measurements."""

    scale: int
    fit: PostProcessor


WAYS = {
    "clipped, cells alone (M_ε)": Way(1, Clip()),
    "water-filled onto the sum (M'_ε)": Way(2, WaterFilling()),
    "non-negative least squares": Way(2, NonNegativeLeastSquares()),
    "re-weighted fit": Way(2, ReweightedFit(LaplaceErrors(2))),
}


def measure(way: Way, d: int, runs: int) -> Measured:
    """The errors of an algorithm on d cells."""
    cells = np.append(BIG, np.zeros(d - 1))
    noise = np.asarray(discrete_laplace(way.scale, (runs, d + 1)), dtype=np.float64)
    missed = way.fit(cells + noise[:, :-1], BIG + noise[:, -1]) - cells
    return Measured(math.sqrt(float((missed.sum(axis=1) ** 2).mean())), math.sqrt(float((missed[:, 0] ** 2).mean())))


def measured(sizes: tuple[int, ...], most_runs: int) -> dict[str, list[Measured]]:
    """Every algorithm at every size; the re-weighted fit, which takes longest, with fewer runs."""
    found: dict[str, list[Measured]] = {}
    for name, way in WAYS.items():
        budget = 1_000_000 if isinstance(way.fit, ReweightedFit) else 10_000_000
        found[name] = [measure(way, d, max(100, min(most_runs, budget // d))) for d in sizes]
    return found


def plane(found: dict[str, list[Measured]], sizes: tuple[int, ...]) -> Curves:
    """The error of the sum against that of the worst cell; each algorithm is a path, along which d grows."""
    most = sizes[-1]
    sums = [float(s) for s in np.geomspace(1, most, 120)]
    least = [least_point_error(points=most, sum_error=s, limit=PureLimit(EPSILON)) for s in sums]
    drawn = [(s, point) for s, point in zip(sums, least, strict=True) if point > 0.05]
    frontier = Curve(
        f"no algorithm is below, at d = {most:,}", [s for s, _ in drawn], [point for _, point in drawn], Role.COMPARED
    )
    paths = [
        Curve(name, [each.sum for each in all_of_them], [each.point for each in all_of_them])
        for name, all_of_them in found.items()
    ]
    return Curves(
        f"What is kept and what is lost, ε = 1: d = {sizes[0]} … {sizes[-1]:,} cells",
        [*paths, frontier],
        x_label="error of the sum (root mean square)",
        y_label="error of the worst cell (root mean square)",
        log_x=True,
        log_y=True,
    )


def growth(found: dict[str, list[Measured]], sizes: tuple[int, ...]) -> Beside:
    """On the left who keeps the sum, on the right who keeps the cells, each between the bounds of both theorems."""

    def curves(names: tuple[str, ...], of: Callable[[Measured], float]) -> list[Curve]:
        return [Curve(name, list(sizes), [of(each) for each in found[name]]) for name in names]

    clipped, filled, softly, again = WAYS
    limit = PureLimit(EPSILON)
    filling = [FilledGeometric(points=d, epsilon=EPSILON).squared_errors for d in BOUNDED]
    clipping = [ClippedGeometric(points=d, epsilon=EPSILON).squared_errors for d in BOUNDED]
    least_point = [
        least_point_error(points=d, sum_error=math.sqrt(bound.sum), limit=limit) or None
        for d, bound in zip(BOUNDED, filling, strict=True)
    ]
    least_sum = [
        least_sum_error(points=d, point_error=math.sqrt(bound.point), limit=limit) or None
        for d, bound in zip(BOUNDED, clipping, strict=True)
    ]
    left = Curves(
        "The sum is kept: the worst cell pays",
        [
            *curves((filled, softly, again), lambda each: each.point),
            Curve("at most (Theorem 9.6)", list(BOUNDED), [math.sqrt(bound.point) for bound in filling], Role.COMPARED),
            Curve("at least (Theorem 9.3)", list(BOUNDED), least_point, Role.COMPARED),
        ],
        x_label="cells",
        y_label="error of the worst cell",
        log_x=True,
        log_y=True,
    )
    right = Curves(
        "Cells are kept: the sum pays",
        [
            *curves((clipped, filled), lambda each: each.sum),
            Curve(
                "at most, clipped (Theorem 9.6)",
                list(BOUNDED),
                [math.sqrt(bound.sum) for bound in clipping],
                Role.COMPARED,
            ),
            Curve("at least, clipped (Theorem 9.3)", list(BOUNDED), least_sum, Role.COMPARED),
        ],
        x_label="cells",
        y_label="error of the sum",
        log_x=True,
        log_y=True,
    )
    return Beside("Growth with the number of cells", [left, right])


def draw(folder: Path = IMAGES, *, sizes: tuple[int, ...] = CELLS, runs: int = 1000) -> list[Path]:
    """Write both pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    found = measured(sizes, runs)
    pictures: dict[str, Picture] = {
        "uncertainty.svg": plane(found, sizes),
        "uncertainty-growth.svg": growth(found, sizes),
    }
    for name, picture in pictures.items():
        (folder / name).write_bytes(as_svg_file(picture))
    return [folder / name for name in pictures]


if __name__ == "__main__":
    for path in draw():
        print(path, file=sys.stderr)
