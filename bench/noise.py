"""Exact noise against OpenDP (exact), diffprivlib (popular) and NumPy's insecure generator, in one run."""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp
from diffprivlib import mechanisms as ibm
from scipy import stats

from report import Row, at_least, at_most, publish, speeds
from sfumato import exact

dp.enable_features("contrib")
warnings.filterwarnings("ignore")

VECTOR, PEER_VECTOR = 1_000_000, 10_000
INSECURE_NAME = "numpy (insecure, float)"
SCALES = (1.0, 10.0, 1000.0, 1e6)
CANDIDATES = 10_000
INSECURE = np.random.default_rng()


def opendp_noise(kind: str, scale: float, *, vector: bool) -> Callable[[Any], Any]:
    atom = dp.atom_domain(T=int)
    if kind == "laplace":
        metric = dp.l1_distance(T=int) if vector else dp.absolute_distance(T=int)
        return dp.m.make_laplace(dp.vector_domain(atom) if vector else atom, metric, scale)
    metric = dp.l2_distance(T=int) if vector else dp.absolute_distance(T=int)
    return dp.m.make_gaussian(dp.vector_domain(atom) if vector else atom, metric, scale)


def diffprivlib_noise(kind: str, scale: float) -> Callable[[int], int]:
    if kind == "laplace":
        return ibm.Geometric(epsilon=1 / scale, sensitivity=1).randomise
    mechanism = ibm.GaussianDiscrete(epsilon=1, delta=1e-5, sensitivity=1)
    mechanism._scale = scale  # its constructor takes a privacy target, not a sigma
    return mechanism.randomise


def noise_rows(kind: str, scale: float) -> list[Row]:
    ours = {"laplace": exact.discrete_laplace, "gaussian": exact.discrete_gaussian}[kind]
    numpy_draw = {"laplace": INSECURE.laplace, "gaussian": INSECURE.normal}[kind]
    zeros = [0] * PEER_VECTOR
    peer_vector = opendp_noise(kind, scale, vector=True)
    peer_single = opendp_noise(kind, scale, vector=False)
    ibm_single = diffprivlib_noise(kind, scale)
    name = f"discrete {kind}, scale {scale:g}"
    print(f"… {name}", file=sys.stderr)
    vector = speeds(
        {
            "ours": (lambda: ours(scale, VECTOR), VECTOR),
            "opendp": (lambda: peer_vector(zeros), PEER_VECTOR),
            "numpy": (lambda: numpy_draw(0, scale, VECTOR), VECTOR),
        }
    )
    single = speeds(
        {
            "ours": (lambda: ours(scale), 1),
            "opendp": (lambda: peer_single(0), 1),
            "diffprivlib": (lambda: ibm_single(0), 1),
            "numpy": (lambda: numpy_draw(0, scale), 1),
        }
    )
    numpy_goal = {"laplace": 0.4, "gaussian": 0.1}[kind]  # within 2.5× and within 10×
    return [
        at_least(f"{name}: draws/s, {form}", ours=speed["ours"], theirs=speed[key], peer=peer, goal=goal)
        for form, speed, key, peer, goal in (
            ("vector", vector, "opendp", "opendp", 150),
            ("vector", vector, "numpy", INSECURE_NAME, numpy_goal),
            ("single", single, "opendp", "opendp", 10),
            ("single", single, "diffprivlib", "diffprivlib", None),
            ("single", single, "numpy", INSECURE_NAME, None),
        )
    ]


def selection_rows() -> list[Row]:
    uniform = INSECURE.random(CANDIDATES) * 100
    peaked = np.zeros(CANDIDATES)
    peaked[CANDIDATES // 3] = 1e6
    shapes = {"flat": np.zeros(CANDIDATES), "uniform": uniform, "peaked": peaked}
    noisy_max = dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T=float, nan=False)),
        dp.linf_distance(T=float),
        dp.max_divergence(),
        scale=2.0,
    )
    taken: dict[str, dict[str, float]] = {}
    for shape, scores in shapes.items():
        print(f"… selection, {shape} scores", file=sys.stderr)
        listed = scores.tolist()
        flip = ibm.PermuteAndFlip(epsilon=1, sensitivity=1, utility=listed)
        taken[shape] = speeds(
            {
                "ours": (lambda s=scores: exact.permute_and_flip(s, 1, 1), 1),
                "ours, exponential": (lambda s=scores: exact.exponential_mechanism(s, 1, 1), 1),
                "opendp": (lambda s=listed: noisy_max(s), 1),
                "diffprivlib": (lambda f=flip: f.randomise(), 1),
            },
            rounds=15,
        )
    rows = [
        at_least(
            f"selection of {CANDIDATES:,}, {shape} scores: choices/s",
            ours=speed["ours"],
            theirs=speed[peer],
            peer=peer,
            goal=goal,
        )
        for shape, speed in taken.items()
        for peer, goal in (("opendp", 10.0), ("diffprivlib", None))
    ]

    def unevenness(name: str) -> float:
        found = [speed[name] for speed in taken.values()]
        return max(found) / min(found)

    for name, peer in (("ours", "opendp"), ("ours, exponential", "diffprivlib")):
        rows.append(
            at_most(
                f"time of a selection ({name}), slowest over fastest scores",
                ours=unevenness(name),
                theirs=unevenness(peer),
                peer=peer,
                goal=1.25,
            )
        )
    return rows


def correlation(draw: Callable[[], int], n: int) -> float:
    """Spearman's rank correlation of the time of a draw with its magnitude: the median of five tries."""
    return float(np.median([_correlation(draw, n // 5) for _ in range(5)]))


def _correlation(draw: Callable[[], int], n: int) -> float:
    clock = time.perf_counter_ns
    taken, drawn = np.empty(n), np.empty(n)
    for i in range(n):
        start = clock()
        value = draw()
        taken[i] = clock() - start
        drawn[i] = abs(value)
    return float(abs(stats.spearmanr(taken, drawn).statistic))


def timing_rows() -> list[Row]:
    rows = []
    for kind, ours in (("laplace", exact.discrete_laplace), ("gaussian", exact.discrete_gaussian)):
        for scale in (10.0, 1e6):
            peer = opendp_noise(kind, scale, vector=False)
            rows.append(
                at_most(
                    f"discrete {kind}, scale {scale:g}: |rank correlation| of time and |value|",
                    ours=correlation(lambda s=scale, f=ours: f(s), 50_000),
                    theirs=correlation(lambda m=peer: m(0), 3_000),
                    peer="opendp",
                    goal=0.03,
                )
            )
    return rows


def import_row() -> Row:
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"

    def cpu(module: str) -> float:
        command = [sys.executable, "-c", code.format(module)]
        return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3))

    return at_most("import: seconds of CPU", ours=cpu("sfumato.exact"), theirs=cpu("opendp"), peer="opendp", goal=0.3)


def main() -> None:
    rows = [row for kind in ("laplace", "gaussian") for scale in SCALES for row in noise_rows(kind, scale)]
    publish("noise", rows + selection_rows() + timing_rows() + [import_row()])


if __name__ == "__main__":
    main()
