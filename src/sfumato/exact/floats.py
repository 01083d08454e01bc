"""What the fast paths assume of float64 functions, and the check that it holds on this machine.

The basic operations are correctly rounded by IEEE 754. `log`, `exp` and the rest are not, so each fast path
allows them a relative error of FUNCTION_ERROR = 2**-46, that is 64 units in the last place. The libraries
NumPy and Python call document at most 4 (glibc's manual: 1 for exp and log, 2 for log1p; the vector library
NumPy uses under AVX-512: 4; SciPy's ndtri: relative 5e-16 in the body, 1e-14 in the tails, for which
QUANTILE_ERROR = 2**-40 is allowed). `trust` evaluates them on a spread of arguments against ball arithmetic
once a process and refuses to draw if a result is out by more than a quarter of the allowance.
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


def check_exp(results: NDArray[np.float64], arguments: NDArray[np.float64]) -> bool:
    """Whether each result is the exponential of its argument to a quarter of the allowance."""
    from flint import arb, ctx

    with ctx.workprec(128):
        return all(
            abs(arb(float(r)) - arb(float(x)).exp()) <= FUNCTION_ERROR / 4 * arb(float(x)).exp()
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
    log1p_holds = check_log(-np.log1p(-np.float64(0.5)) * np.ones(1), np.array([2.0]))
    if not (log_holds and exp_holds and log1p_holds):
        raise BrokenRandomness(
            "log or exp on this machine is less exact than the samplers' proofs assume",
            hint="report the processor, the C library and the NumPy version",
        )
