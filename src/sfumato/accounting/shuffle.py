"""What shuffling adds: n reports, each ε₀-locally private, seen without their senders (Feldman, McMillan, Talwar 2021).

Every other person's report is, with probability e^(-ε₀), a fair imitation of either of the two reports to be told
apart. With C such clones, A of them on one side, the pair that dominates is (A + Δ, C - A + 1 - Δ) against its mirror,
where Δ is heads with probability e^ε₀/(e^ε₀ + 1) (their Theorem 3.1 and its proof). It holds for reports chosen one
after the other.
"""

import math
from functools import lru_cache

import numpy as np

from sfumato.accounting.losslaw import LossLaw, Reals

_BINS = 1500  # of the number of clones; a bin counts as its least member, and fewer clones hide less
_REACH = 12.0  # standard deviations of the clones that are looked at
_SIDE = 9.5  # standard deviations of their sides; what is beyond counts as a failure
_CELLS = 20_000
_ROUNDING = 1e-11  # of SciPy's binomial tails, relative, and of sums of them
_MOST_COUNTED = 10**15
_MOST_PEOPLE = 1 << 20  # beyond, a composed law is that of this many


def _clones(epsilon_0: float, people: int) -> tuple[Reals, Reals, float]:
    """Numbers of clones, their chances, and what chance was left out."""
    from scipy.stats import binom

    n, rate = min(people, _MOST_COUNTED) - 1, math.exp(-epsilon_0) * (1 - 2.0**-50)  # fewer people hide less
    spread = _REACH * math.sqrt(n * rate * (1 - rate)) + 50
    low, high = max(0, math.floor(n * rate - spread)), min(n, math.ceil(n * rate + spread))
    step = max(1, -(-(high - low + 1) // _BINS))
    starts = np.arange(low, high + 1, step)
    below = binom.cdf(np.append(starts, high + 1) - 1, n, rate)
    left_out = float(below[0]) + float(binom.sf(high, n, rate))
    return starts.astype(np.float64), np.diff(below), left_out


def delta(epsilon_0: float, people: int, epsilon: float) -> float:
    """δ of n shuffled reports at ε, rounded up."""
    from scipy.stats import binom

    if epsilon >= epsilon_0:
        return 0.0
    clones, chances, left_out = _clones(epsilon_0, people)
    heads, growth = 1 / (1 + math.exp(-epsilon_0)), math.exp(epsilon)
    # The ratio of the two chances grows with the side's size a; beyond this one it is above e^ε.
    gap = math.tanh(epsilon_0 / 2)  # 2·heads - 1
    sides = np.floor((clones + 1) * (growth * heads - (1 - heads)) / (gap * (1 + growth))) + 1
    with_own, without = binom.sf(sides - 2, clones, 0.5), binom.sf(sides - 1, clones, 0.5)
    mine = heads * with_own + (1 - heads) * without
    theirs = heads * without + (1 - heads) * with_own
    excess = np.maximum(0.0, mine - growth * theirs) + _ROUNDING * mine
    return min(1.0, float(chances @ excess) * (1 + 1e-12) + left_out)


def epsilon(epsilon_0: float, people: int, target: float) -> float:
    """The least ε at which δ is within the target, rounded up; never above ε₀."""
    if target <= 0 or people < 2:
        return epsilon_0
    low, high = 0.0, epsilon_0
    if delta(epsilon_0, people, 0.0) <= target:
        return 0.0
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if delta(epsilon_0, people, middle) > target else (low, middle)
    return high


def closed_form(epsilon_0: float, people: int, target: float) -> float:
    """The theorem as a formula, in the slightly larger form of apple/ml-shuffling-amplification.

    Infinite where it is not proved: ε₀ above ln(n/(16·ln(4/δ))). `epsilon` is never larger and often much less.
    """
    log = math.log(4 / target)
    if epsilon_0 > math.log(people / (16 * log)):
        return math.inf
    inner = 8 * math.sqrt(math.exp(epsilon_0) * log / people) + 8 * math.exp(epsilon_0) / people
    factor = -math.expm1(-epsilon_0) / (1 + math.exp(-epsilon_0) / (1 + inner))
    return math.log1p(factor * inner) * (1 + 1e-12)


@lru_cache(maxsize=16)
def law(epsilon_0: float, people: int) -> LossLaw:
    """The loss of the dominating pair, for composition: losses rounded up to a fine grid."""
    from scipy.stats import binom

    people = min(people, _MOST_PEOPLE)
    clones, chances, lost = _clones(epsilon_0, people)
    heads, cell = 1 / (1 + math.exp(-epsilon_0)), 2 * epsilon_0 / _CELLS
    masses = np.zeros(_CELLS + 2)
    for c, chance in zip(clones, chances, strict=True):
        if chance <= 0:
            continue
        reach = _SIDE * math.sqrt(c) / 2 + 30
        sides = np.arange(max(0, math.floor(c / 2 - reach)), min(c + 1, math.ceil(c / 2 + reach)) + 1)
        plain, shifted = binom.pmf(sides, c, 0.5), binom.pmf(sides - 1, c, 0.5)
        mass = (heads * shifted + (1 - heads) * plain) * chance * (1 + _ROUNDING)
        odds = (heads * sides + (1 - heads) * (c + 1 - sides)) / (heads * (c + 1 - sides) + (1 - heads) * sides)
        at = np.ceil((np.log(odds) + epsilon_0) / cell + 1e-6).astype(np.int64)
        masses += np.bincount(np.clip(at, 0, _CELLS + 1), weights=mass, minlength=_CELLS + 2)
        lost += chance * 2 * math.exp(-2 * (reach - 1) ** 2 / c) if c else 0.0  # Hoeffding, both sides
    kept = np.flatnonzero(masses)
    losses = np.minimum(kept * cell - epsilon_0, epsilon_0)
    return LossLaw(losses, np.log(masses[kept]), infinite=min(1.0, lost * (1 + 1e-9) + 1e-18))
