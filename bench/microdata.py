"""Water-filling against quadratic-program solvers, and what a census of a million leaves takes, in one run.

Clarabel and OSQP are asked for the same minimum. Weights are compared with OSQP's, which polishes its solution; an
interior point keeps some way from zero, and Clarabel's differ from both where a weight is zero.
"""

import sys
import time
from itertools import pairwise

import clarabel
import numpy as np
import osqp
from scipy import sparse

from report import Row, at_least, at_most, publish, speeds
from sfumato.synth import CellGroups, NonNegativeLeastSquares, TopDown, Tree, water_filled, water_filled_wholes

RANDOM = np.random.default_rng(20)
CELLS = (100, 1000, 10_000)


def by_clarabel(measured: np.ndarray, total: float) -> np.ndarray:
    """The minimum of ½|w - measured|², w ≥ 0, Σw = total."""
    d = len(measured)
    rows = sparse.vstack([sparse.csc_matrix(np.ones((1, d))), -sparse.identity(d, format="csc")], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(d)]
    problem = clarabel.DefaultSolver(
        sparse.identity(d, format="csc"), -measured, rows, np.append(total, np.zeros(d)), cones, settings
    )
    return np.asarray(problem.solve().x)


def by_osqp(measured: np.ndarray, total: float) -> np.ndarray:
    """The same by OSQP at the settings of the published experiments: 1e-9, polished."""
    d = len(measured)
    rows = sparse.vstack([sparse.csc_matrix(np.ones((1, d))), sparse.identity(d, format="csc")], format="csc")
    problem = osqp.OSQP()
    low, high = np.append(total, np.zeros(d)), np.append(total, np.full(d, np.inf))
    problem.setup(
        sparse.identity(d, format="csc"), -measured, rows, low, high,
        verbose=False, eps_abs=1e-9, eps_rel=1e-9, polishing=True, max_iter=100_000,
    )  # fmt: skip
    return np.asarray(problem.solve().x)


def filling_rows(d: int) -> list[Row]:
    print(f"… {d} cells", file=sys.stderr)
    measured, total = RANDOM.laplace(0, 2, d), float(d // 10)
    speed = speeds(
        {
            "ours": (lambda: water_filled(measured, total=total), 1),
            "clarabel": (lambda: by_clarabel(measured, total), 1),
            "osqp": (lambda: by_osqp(measured, total), 1),
        }
    )
    ours, theirs = water_filled(measured, total=total), by_osqp(measured, total)
    print(
        f"  from clarabel's: {np.abs(ours - by_clarabel(measured, total)).max():.1e}; OSQP's from clarabel's: "
        f"{np.abs(theirs - by_clarabel(measured, total)).max():.1e}",
        file=sys.stderr,
    )
    return [
        at_least(
            f"water-filling, {d:,} cells: a second",
            ours=speed["ours"],
            theirs=speed["clarabel"],
            peer="clarabel",
            goal=20,
        ),
        at_least(
            f"water-filling, {d:,} cells: a second", ours=speed["ours"], theirs=speed["osqp"], peer="osqp", goal=20
        ),
        at_most(
            f"water-filling, {d:,} cells: largest difference of a weight",
            ours=float(np.abs(ours - theirs).max()),
            goal=1e-7,
            peer="osqp",
        ),
    ]


def seconds(call: object) -> float:
    start = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - start


def large_rows() -> list[Row]:
    print("… a million cells, and a census of a million leaves", file=sys.stderr)
    million = RANDOM.laplace(0, 2, 1_000_000)
    whole = np.rint(million).astype(np.int64)
    groups, totals = CellGroups.of(np.full(100_000, 10)), RANDOM.integers(0, 30, 100_000)
    sizes = (1, 51, 3143, 84_000, 1_000_000)
    parents = [
        np.sort(np.concatenate([np.arange(above), RANDOM.integers(0, above, below - above)]))
        for above, below in pairwise(sizes)
    ]
    made = TopDown.zcdp(tree=Tree.of(parents), rho=0.5, cells=8)
    leaves = RANDOM.geometric(1 / 40, (sizes[-1], 8)) * (RANDOM.random((sizes[-1], 8)) > 0.5)
    start = time.perf_counter()
    measured = made.measure(leaves)
    noise = time.perf_counter() - start
    return [
        at_most("water-filling, 1,000,000 cells: seconds", ours=seconds(lambda: water_filled(million, total=10_000.0)), goal=1),
        at_most("water-filling, 100,000 groups of 10: seconds", ours=seconds(lambda: water_filled_wholes(whole, groups=groups, totals=totals)), goal=1),
        at_most("non-negative least squares, 1,000,000 cells: seconds", ours=seconds(lambda: NonNegativeLeastSquares()(million, 10_000.0)), goal=1),
        at_most("top-down, 1,000,000 leaves of 8 cells, 5 levels: seconds for the noise", ours=noise, goal=30),
        at_most("top-down, 1,000,000 leaves of 8 cells, 5 levels: seconds for the fit", ours=seconds(lambda: made.fit(measured)), goal=30),
    ]  # fmt: skip


def main() -> None:
    publish("microdata", [row for d in CELLS for row in filling_rows(d)] + large_rows())


if __name__ == "__main__":
    main()
