"""Mechanisms: what a release adds to its raw sampler, and quantiles of a million values beside diffprivlib."""

import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from diffprivlib import tools

from report import Row, at_least, publish, speeds
from sfumato import exact
from sfumato.core import Neighbours, Norm
from sfumato.mechanisms import (
    AboveThreshold,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    Median,
    Quantile,
    RandomizedResponse,
    SmoothSensitivity,
)

warnings.filterwarnings("ignore")
SIZE = 1_000_000
COUNT, COUNT_L2 = Neighbours().histogram(Norm.L1), Neighbours().histogram(Norm.L2)
RNG = np.random.default_rng(1)
WHOLE, REAL = RNG.integers(0, 10_000, SIZE), RNG.normal(50, 15, SIZE)

RELEASES: dict[str, tuple[Any, np.ndarray[Any, Any], Callable[[], Any]]] = {
    "geometric": (
        Geometric(epsilon=1, sensitivity=COUNT, dimension=SIZE),
        WHOLE,
        lambda: exact.discrete_laplace(1, SIZE),
    ),
    "discrete gaussian": (
        DiscreteGaussian(sigma=10, sensitivity=COUNT_L2, dimension=SIZE),
        WHOLE,
        lambda: exact.discrete_gaussian(10, SIZE),
    ),
    "laplace, whole numbers": (
        Laplace(epsilon=1, sensitivity=COUNT, dimension=SIZE),
        WHOLE,
        lambda: exact.rounded_laplace(1, SIZE),
    ),
    "laplace, reals on a grid of 0.001": (
        Laplace(epsilon=1, sensitivity=COUNT, dimension=SIZE, grid=0.001),
        REAL,
        lambda: exact.rounded_laplace(1000, SIZE),
    ),
    "gaussian, reals on a grid of 1/100": (
        Gaussian(sigma=10, sensitivity=COUNT_L2, dimension=SIZE, grid=Fraction(1, 100)),
        REAL,
        lambda: exact.rounded_gaussian(1000, SIZE),
    ),
}


def release_rows() -> list[Row]:
    rows = []
    for name, (mechanism, answers, raw) in RELEASES.items():
        print(f"… {name}", file=sys.stderr)
        found = speeds(
            {"release": (lambda m=mechanism, a=answers: m.release(a), SIZE), "raw": (raw, SIZE)}, rounds=9, budget=0.2
        )
        rows.append(
            at_least(
                f"released per second, {name}, 1e6 at once",
                ours=found["release"],
                theirs=found["raw"],
                peer="our own raw sampler",
                goal=1 / 1.5,
            )
        )
    return rows


def quantile_rows() -> list[Row]:
    print("… quantiles of a million values", file=sys.stderr)
    relation = Neighbours()
    exponential = Quantile(q=0.5, epsilon=1, lower=0, upper=120, grid=1e-6, neighbours=relation)
    ninety = Quantile(q=0.9, epsilon=1, lower=0, upper=120, grid=1e-6, neighbours=relation)
    smooth = SmoothSensitivity(bound=Median(lower=0, upper=120, grid=1e-6), epsilon=1)
    found = speeds(
        {
            "median": (lambda: exponential.release(REAL), 1),
            "quantile": (lambda: ninety.release(REAL), 1),
            "smooth": (lambda: smooth.release(REAL), 1),
            "theirs median": (lambda: tools.median(REAL, epsilon=1, bounds=(0, 120)), 1),
            "theirs quantile": (lambda: tools.quantile(REAL, 0.9, epsilon=1, bounds=(0, 120)), 1),
        },
        rounds=5,
        budget=0.5,
    )
    pairs = [
        ("exponential median of 1e6 values", "median", "theirs median"),
        ("exponential 0.9-quantile of 1e6 values", "quantile", "theirs quantile"),
        ("smooth median of 1e6 values", "smooth", "theirs median"),
    ]
    return [
        at_least(f"{name}, per second", ours=found[ours], theirs=found[theirs], peer="diffprivlib (float)", goal=10)
        for name, ours, theirs in pairs
    ]


def other_rows() -> list[Row]:
    print("… responses and sparse vectors", file=sys.stderr)
    ask, bit = RandomizedResponse(epsilon=1, values=tuple(range(16))), WHOLE % 16
    first = AboveThreshold(epsilon=1, threshold=10**6, sensitivity=COUNT)
    found = speeds(
        {
            "responses": (lambda: ask.release(bit), SIZE),
            "coins": (lambda: (exact.bernoulli_odds(1, 15, SIZE), exact.integers(15, SIZE)), SIZE),
            "queries": (lambda: first.release(WHOLE), SIZE),
            "noise": (lambda: exact.discrete_laplace(4, SIZE), SIZE),
        },
        rounds=7,
    )
    return [
        at_least(
            "randomised responses per second, 16 values",
            ours=found["responses"],
            theirs=found["coins"],
            peer="our own raw samplers",
            goal=1 / 1.5,
        ),
        at_least(
            "AboveThreshold queries per second, 1e6 at once",
            ours=found["queries"],
            theirs=found["noise"],
            peer="our own raw sampler",
            goal=1 / 1.5,
        ),
    ]


if __name__ == "__main__":
    publish("mechanisms", release_rows() + quantile_rows() + other_rows())
