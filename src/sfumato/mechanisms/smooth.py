"""Smooth sensitivity: noise that follows the data's own sensitivity without betraying it.

The local sensitivity LS(D) of a function may not be used for noise, as the noise would tell D from a neighbour. A
β-smooth bound S may: S(D) ≥ LS(D), and S(D) ≤ e^β·S(D') for all neighbours D, D' (slides "Smooth Bound", corrected by
errata A9 and A11; Nissim, Raskhodnikova, Smith 2007, Definition 2.1).
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sfumato.accounting import events
from sfumato.core import Accuracy, Categories, Change, IntegerInterval, Neighbours, Product, histogram
from sfumato.errors import InvalidParameter
from sfumato.exact import floats, rounded_heavy_tail, rounded_laplace
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, cell, nearest, non_negative, open_probability, positive, probability
from sfumato.exact.rounding import down, exp_up, log_up, up
from sfumato.mechanisms.additive import least_whole, log_inverse
from sfumato.mechanisms.answers import Answers, Noisy

# A bound S computed in floats at β' = β - ALLOWANCE is off by a factor within 1 ± 2**-37 (an exponential and a few
# roundings, met once a level of a search at most 45 levels deep: 45·2·(2·FUNCTION_ERROR + 2**-46) < 2**-37).
# Multiplied by 1 + 2**-37 it is not below S, and not above S·exp(ALLOWANCE): what is handed out is β-smooth.
ALLOWANCE = Fraction(1, 2**36)
_LEAST_BETA = Fraction(1, 2**30)
_MOST_BETA = 8  # a smaller β than a theorem asks for is always allowed, and this one keeps exponentials in range
FLOOR = 2.0**-64  # in steps: far below what rounding to whole steps shows; a maximum with a constant stays smooth

FiniteDomain = IntegerInterval | Categories | Product


def local_sensitivity(
    function: Callable[[tuple[Any, ...]], Any],
    rows: Sequence[Hashable],
    domain: FiniteDomain,
    *,
    neighbours: Neighbours,
) -> Fraction:
    """The most the function moves, in ℓ1, from these rows to a neighbouring database (slides "Local sensitivity").

    >>> median = lambda rows: sorted(rows)[len(rows) // 2]
    >>> replace = Neighbours(Change.REPLACE)
    >>> local_sensitivity(median, (0, 0, 0, 0, 0, 9, 9), IntegerInterval(0, 9), neighbours=replace)
    Fraction(0, 1)
    >>> local_sensitivity(median, (0, 0, 0, 0, 9, 9, 9), IntegerInterval(0, 9), neighbours=replace)
    Fraction(9, 1)
    """
    here = tuple(rows)
    histogram(here, domain)  # refuses rows outside the domain
    answer = _answer(function(here))
    return max(
        (_distance(answer, _answer(function(there))) for there in _around(here, domain, neighbours)),
        default=Fraction(0),
    )


def _around(rows: tuple[Hashable, ...], domain: FiniteDomain, neighbours: Neighbours) -> Iterator[tuple[Hashable, ...]]:
    if neighbours.change is Change.REPLACE:
        for i in range(len(rows)):
            yield from ((*rows[:i], other, *rows[i + 1 :]) for other in domain)
    else:
        yield from (rows[:i] + rows[i + 1 :] for i in range(len(rows)))
        yield from ((*rows, other) for other in domain)


def _answer(answer: Any) -> tuple[Fraction, ...]:
    parts = answer if isinstance(answer, list | tuple | np.ndarray) else (answer,)
    return tuple(cell("answer", part) for part in parts)


def _distance(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> Fraction:
    if len(one) != len(other):
        raise InvalidParameter("function", "must answer with as many numbers on every neighbour, found", "two lengths")
    return sum((abs(a - b) for a, b in zip(one, other, strict=True)), Fraction(0))


def computed_at(beta: Real) -> float:
    """The β' below β at which floats may compute a β-smooth bound."""
    exact = min(positive("beta", beta), Fraction(_MOST_BETA))
    if nearest(exact) < _LEAST_BETA:
        raise InvalidParameter("beta", "must be at least 2**-30 to be smooth in spite of rounding", beta)
    floats.trust()
    return down(exact - ALLOWANCE)


def handed_out(computed: float) -> float:
    """A β-smooth bound in steps, from a maximum of exp(-k·β')·A(k) computed in floats at β' = computed_at(β)."""
    return max(FLOOR, computed * (1 + 2.0**-37))


def smooth_sensitivity(at_distance: Sequence[int], *, beta: Real) -> float:
    """max over k of exp(-k·β)·A(k), rounded so that it is a β-smooth bound (slides "An Idea of Computing S*").

    A(k) is the largest local sensitivity within k changes; the last one given holds for all further k
    (Nissim, Raskhodnikova, Smith 2007, section 3).

    >>> round(smooth_sensitivity([0, 0, 5, 5, 10], beta=0.5), 6)  # exp(-1)·5 beats exp(-2)·10
    1.839397
    """
    if not len(at_distance):
        raise InvalidParameter("at_distance", "must not be empty, got", "no local sensitivities")
    a = np.array([nearest(cell("at_distance", local)) for local in at_distance])
    if (a < 0).any() or (a[1:] < a[:-1]).any() or a[-1] > 2.0**62:
        raise InvalidParameter("at_distance", "must grow from 0 or more to 2**62 at most, found", "others")
    with np.errstate(under="ignore"):
        return handed_out(float((a * np.exp(-computed_at(beta) * np.arange(len(a)))).max()))


class Measured(NamedTuple):
    """An exact answer and its smooth bound, both in steps."""

    value: int
    smooth: float


@runtime_checkable
class SmoothBound(Protocol):
    """A function with a β-smooth bound on its local sensitivity, both in steps of a grid.

    For every β, `measure(D, β).smooth` is at least LS(D) and at most e^β times that of every neighbour of D.
    """

    @property
    def neighbours(self) -> Neighbours:
        """Which databases are neighbours."""
        ...

    @property
    def grid(self) -> Real | None:
        """How much one step is worth; None if answers are whole numbers."""
        ...

    @property
    def largest(self) -> int:
        """The global sensitivity, in steps."""
        ...

    @property
    def rounding(self) -> Fraction:
        """The most that placing people's values on the grid moves the answer, in steps."""
        ...

    def measure(self, data: Any, beta: Real) -> Measured:
        """The exact answer and a β-smooth bound."""
        ...


@dataclass(frozen=True, kw_only=True)
class SmoothSensitivity:
    """f(D) plus noise in proportion to S(D), a smooth bound on how f moves near D.

    With delta = 0 the noise is 2(γ + 1)·S/ε times a draw of density ∝ 1/(1 + |z|**γ), S is β-smooth for
    β = ε/(2(γ + 1)), and the release is ε-differentially private. With delta > 0 it is 2·S/ε·Lap(1),
    β = ε/(2·ln(2/δ)), and the release is (ε, δ)-differentially private (slides "Smooth Sensitivity Brings
    Differential Privacy"; Nissim, Raskhodnikova, Smith 2007, Corollary 2.4). Answers are whole numbers, or floats on
    the grid of the bound if it has one.

    >>> from sfumato.mechanisms.order_statistic import Median
    >>> ages = SmoothSensitivity(bound=Median(lower=0, upper=120, grid=0.5), epsilon=1)
    >>> print(ages.error(0.05))
    within 2,181 with probability 95 %
    >>> print(ages.error(0.05, smooth=0.5))
    within 9.25 with probability 95 %
    """

    bound: SmoothBound
    epsilon: Real
    delta: Real = 0
    gamma: Real = 4
    beta: Fraction = field(init=False, repr=False, compare=False)
    """How smooth the bound must be."""
    factor: Fraction = field(init=False, repr=False, compare=False)
    """The scale of the noise over the bound."""
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        epsilon, delta = positive("epsilon", self.epsilon), probability("delta", self.delta)
        gamma = amount("gamma", self.gamma)
        if not Fraction(33, 32) <= gamma <= 1024:
            raise InvalidParameter("gamma", "must be between 33/32 and 1024", self.gamma)
        if not isinstance(self.bound, SmoothBound):
            raise InvalidParameter("bound", "must be a SmoothBound, such as a Median, got", type(self.bound))
        event: events.Event
        if delta == 0:
            factor = 2 * (gamma + 1) / epsilon
            beta, event = 1 / factor, events.Pure(epsilon)
        else:
            factor = 2 / epsilon
            beta, event = _laplace_beta(epsilon, delta), events.Approximate(epsilon, delta)
        if beta < _LEAST_BETA or factor < Fraction(1, 2**900):
            raise InvalidParameter("epsilon", "must be between about 1e-8 and 1e270 for smooth noise", self.epsilon)
        for name, exact in (("epsilon", epsilon), ("delta", delta), ("gamma", gamma)):
            object.__setattr__(self, name, exact)  # `release` chooses its noise by delta: it must be a number
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "event", event)

    def release(self, data: Any, *, bits: BitSource | None = None) -> Noisy:
        """A noisy answer: a whole number if the bound has no grid, a float on the grid if it has one."""
        stream = source(bits)
        value, smooth = self.bound.measure(data, self.beta)
        if type(value) is not int or not 0 < smooth < math.inf:  # a bound of the caller's own may break its word
            raise InvalidParameter("bound", "must measure a whole number and a positive finite bound, got", "others")
        scale = self._bounded(Fraction(smooth)) * self.factor
        if self.delta == 0:
            steps = rounded_heavy_tail(self.gamma, scale, center=value, bits=stream)
        else:
            steps = rounded_laplace(scale, center=value, bits=stream)
        return Answers(self.bound.grid).give(steps)

    def error(self, beta: Real, *, smooth: Real | None = None) -> Accuracy:
        """How far off the answer is, with probability 1 - beta, for data inside their declared bounds.

        It is known before data are seen, so it is that of the largest sensitivity; `smooth`, in the units of the
        answer, shows it for data whose smooth bound is not above that.
        """
        fails, step = open_probability("beta", beta), Answers(self.bound.grid).step
        steps = Fraction(self.bound.largest) if smooth is None else non_negative("smooth", smooth) / step
        quantile = self._heavy_tail(nearest(fails)) if self.delta == 0 else log_inverse(fails)
        reach = up(self._bounded(steps) * self.factor) * quantile - 0.5  # |round(Z)| > t means |Z| ≥ t + ½
        if math.isinf(reach):
            return Accuracy(math.inf, nearest(fails))
        return Accuracy(up((least_whole(reach) + self.bound.rounding) * step), nearest(fails))

    def _bounded(self, smooth: Fraction) -> Fraction:
        """Between constants, which keeps a smooth bound smooth: the global sensitivity is one itself."""
        return min(Fraction(self.bound.largest), max(Fraction(FLOOR), smooth))

    def _heavy_tail(self, beta: float) -> float:
        """A z with Pr[|η| > z] ≤ beta, the smaller of two bounds on the tail.

        ∫₀^∞ du/(1 + u**γ) = I = (π/γ)/sin(π/γ). Beyond z it is at most z**(1 - γ)/(γ - 1); below a z of at most 1
        it is at least z·γ/(γ + 1).
        """
        gamma = nearest(amount("gamma", self.gamma))
        half = (math.pi / gamma) / math.sin(math.pi / gamma)
        exponent = -(math.log(gamma - 1) + math.log(half) + math.log(beta)) / (gamma - 1) if beta > 0 else math.inf
        far = math.exp(exponent) * (1 + 1e-9) if exponent < 700 else math.inf
        close = (1 - beta) * half * (gamma + 1) / gamma * (1 + 1e-9)
        return min(far, close) if close <= 1 else far


def _laplace_beta(epsilon: Fraction, delta: Real) -> Fraction:
    """β = ε/(2·ln(2/δ)), where the theorem is proved.

    Noise Z and e^λ·Z, |λ| ≤ β, have densities within e^(ε/2) of each other where |z|·(e^β - 1) ≤ ε/2 + β, and if
    β ≤ ε/2; elsewhere Z has mass exp(-(ε/2 + β)/(e^β - 1)), which must not be above δ. Moving by S then costs a pure
    ε/2. Nissim, Raskhodnikova, Smith 2007 state it for ε, δ < 1; this holds up to ε = 5 for every δ.
    """
    exact = open_probability("delta", delta)
    beta = epsilon / (2 * max(Fraction(1), Fraction(log_up(2 / exact))))
    if beta > _MOST_BETA or epsilon / 2 + beta < Fraction(log_up(1 / exact)) * (Fraction(exp_up(beta)) - 1):
        raise InvalidParameter(
            "epsilon",
            "is beyond what Laplace noise is proved for with smooth bounds",
            nearest(epsilon),
            hint="it is proved up to epsilon = 5; with delta=0 every epsilon is allowed",
        )
    return beta
