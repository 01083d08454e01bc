"""What the fast paths assume of float64 functions, and the check that it holds on this machine.

The basic operations are correctly rounded by IEEE 754. `log`, `exp` and the rest are not, so each fast path
allows them a relative error of FUNCTION_ERROR = 2**-46, that is 64 units in the last place. The libraries
NumPy and Python call document at most 4 (glibc's manual: 1 for exp and log, 2 for log1p; the vector library
NumPy uses under AVX-512: 4; SciPy's ndtri: relative 5e-16 in the body, 1e-14 in the tails, for which
QUANTILE_ERROR = 2**-40 is allowed). `trust` and `trust_quantile` evaluate them on a spread of arguments against
ball arithmetic once a process, and refuse to draw if a result is out by more than a quarter of the allowance.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BrokenRandomness

FUNCTION_ERROR = 2.0**-46
QUANTILE_ERROR = 2.0**-40
ROUNDING = 2.0**-53
"""Relative error of one IEEE 754 operation."""


def _arguments() -> NDArray[np.float64]:
    """Magnitudes from 2**-70 to 2**64 with mantissas spread by the golden ratio, in an odd number."""
    index = np.arange(269, dtype=np.float64)
    spread: NDArray[np.float64] = np.exp2(np.floor(index / 2) - 70)
    spread *= 1 + np.mod(index * 0.6180339887498949, 1)
    return spread


def check_log(results: NDArray[np.float64], arguments: NDArray[np.float64]) -> bool:
    """Whether each result is the logarithm of its argument to a quarter of the allowance."""
    from flint import arb, ctx

    with ctx.workprec(128):
        return all(
            abs(arb(float(r)) - arb(float(x)).log()) <= FUNCTION_ERROR / 4 * abs(arb(float(r)))
            for r, x in zip(results, arguments, strict=True)
        )


def check_log1p(results: NDArray[np.float64], arguments: NDArray[np.float64]) -> bool:
    """Whether each result is ln(1 + its argument) to a quarter of the allowance."""
    from flint import arb, ctx

    with ctx.workprec(256):
        return all(
            abs(arb(float(r)) - arb(float(x)).log1p()) <= FUNCTION_ERROR / 4 * abs(arb(float(r)))
            for r, x in zip(results, arguments, strict=True)
        )


def check_exp(results: NDArray[np.float64], arguments: NDArray[np.float64]) -> bool:
    """Whether each result is the exponential of its argument to a quarter of the allowance."""
    from flint import arb, ctx

    with ctx.workprec(128):
        return all(
            abs(arb(float(r)) - arb(float(x)).exp()) <= FUNCTION_ERROR / 4 * arb(float(x)).exp()
            for r, x in zip(results, arguments, strict=True)
        )


def check_expm1(results: NDArray[np.float64], arguments: NDArray[np.float64]) -> bool:
    """Whether each result is exp(its argument) - 1 to a quarter of the allowance."""
    from flint import arb, ctx

    with ctx.workprec(256):
        return all(
            abs(arb(float(r)) - arb(float(x)).expm1()) <= FUNCTION_ERROR / 4 * abs(arb(float(r)))
            for r, x in zip(results, arguments, strict=True)
        )


@lru_cache(maxsize=1)
def trust() -> None:
    """Return if this platform's logarithm and exponential are as exact as the fast paths assume."""
    wide = _arguments()
    wide = wide[wide != 1.0]
    small = -wide[wide < 700]
    log_holds = check_log(np.log(wide), wide) and check_log(np.array([math.log(x) for x in wide]), wide)
    exp_holds = check_exp(np.exp(small), small) and check_exp(np.array([math.exp(x) for x in small]), small)
    exp_holds = exp_holds and check_expm1(np.expm1(small), small)
    low = -wide[wide <= 0.5]  # log1p is asked for arguments in [-½, 0) only, and for exp(-1/t) in (0, 1]
    log1p_holds = check_log1p(np.log1p(low), low)
    for sign in (-1, 1):
        near = sign * wide[wide <= 0.5]
        log1p_holds = log1p_holds and check_log1p(np.array([math.log1p(x) for x in near]), near)
    if not (log_holds and exp_holds and log1p_holds):
        raise BrokenRandomness(
            "log or exp on this machine is less exact than the samplers' proofs assume",
            hint="report the processor, the C library and the NumPy version",
        )


@lru_cache(maxsize=1)
def trust_quantile() -> None:
    """Return if SciPy's normal quantile is as exact as the Gaussian's fast path assumes."""
    from flint import arb, ctx
    from scipy.special import ndtri

    arguments = np.exp2(-np.arange(1, 22, 0.37))
    with ctx.workprec(128):
        for x, q in zip(arguments, -ndtri(arguments / 2), strict=True):
            true = arb(float(x)).erfcinv() * arb(2).sqrt()
            if not abs(arb(float(q)) - true) <= QUANTILE_ERROR / 4 * (1 + true):
                raise BrokenRandomness("the normal quantile on this machine is less exact than the proof assumes")
