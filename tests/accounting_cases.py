"""The problems of accounting.csv as events."""

import csv
import math
from pathlib import Path

from sfumato.accounting import events as e
from sfumato.accounting.events import Counted

CASES: dict[str, list[Counted]] = {
    "lap0.1_k1": [(e.Laplace(0.1), 1)],
    "lap0.1_k10": [(e.Laplace(0.1), 10)],
    "lap0.1_k100": [(e.Laplace(0.1), 100)],
    "lap0.1_k10000": [(e.Laplace(0.1), 10_000)],
    "lap1_k1": [(e.Laplace(1), 1)],
    "lap1_k100": [(e.Laplace(1), 100)],
    "lap1_k1000": [(e.Laplace(1), 1000)],
    "gauss1_k1": [(e.Gaussian(1), 1)],
    "gauss10_k100": [(e.Gaussian(10), 100)],
    "gauss50_k1000": [(e.Gaussian(50), 1000)],
    "sgm_q0.01_s0.8_T1000": [(e.Subsampled(0.01, e.Gaussian(0.8)), 1000)],
    "sgm_q0.01_s1.0_T10000": [(e.Subsampled(0.01, e.Gaussian(1)), 10_000)],
    "sgm_q0.001_s0.8_T100000": [(e.Subsampled(0.001, e.Gaussian(0.8)), 100_000)],
    "sgm_q0.001_s2.0_T100000": [(e.Subsampled(0.001, e.Gaussian(2)), 100_000)],
    "rr_ln3_k1": [(e.RandomizedResponse(math.log(3)), 1)],
    "rr_ln3_k100": [(e.RandomizedResponse(math.log(3)), 100)],
    "dgauss1_k10": [(e.DiscreteGaussian(1), 10)],
    "dlap0.1_k100": [(e.Geometric(0.1), 100)],
    "pure0.1_k100": [(e.Pure(0.1), 100)],
    "pure1_k10": [(e.Pure(1), 10)],
    "approx0.1_1e-9_k100": [(e.Approximate(0.1, 1e-9), 100)],
    "em0.1_k100": [(e.Exponential(0.1), 100)],
    "mix_lap_gauss_rr": [(e.Laplace(0.1), 50), (e.Gaussian(20), 50), (e.RandomizedResponse(0.5), 20)],
    "mix_dpsgd_hist": [
        (e.Subsampled(0.01, e.Gaussian(1.1)), 10_000),
        (e.Laplace(0.05), 200),
        (e.DiscreteGaussian(10), 10),
    ],
}


def rows() -> list[dict[str, str]]:
    """The rows of the table, with their comments left out."""
    lines = (Path(__file__).parent / "accounting" / "accounting.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
