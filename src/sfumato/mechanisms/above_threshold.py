"""AboveThreshold, Sparse and NumericSparse, with their accuracy theorems."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.accounting import events, largest_epsilon
from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.exact.parameters import Real, amount, open_probability, positive, probability, whole
from sfumato.mechanisms.additive import Noise, log_inverse, stated
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.mechanisms.stream import SparseTechnique, Stage

_ROOT = math.sqrt(512)
_ROUNDED_UP = 1 + 2.0**-40  # covers a few roundings


def _noises(moved: Fraction, share: Fraction) -> tuple[Noise, Noise]:
    """Scales 2Δ/ε on the threshold and 4Δ/ε on each query."""
    return GeometricNoise(2 * moved / share), GeometricNoise(4 * moved / share)


@dataclass(frozen=True, kw_only=True)
class AboveThreshold(SparseTechnique):
    """The first query above a threshold, then halt: ε-differentially private (Survey Algorithm 5, errata A1).

    >>> from sfumato.core import Neighbours, Norm
    >>> first = AboveThreshold(epsilon=1, threshold=1000, sensitivity=Neighbours().histogram(Norm.L1))
    >>> first.release([3, 17, 5000, 12]).tolist()
    [False, False, True]
    >>> print(first.error(0.05, queries=100))
    within 40 with probability 95 %
    """

    epsilon: Real

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @property
    def event(self) -> Event:
        """ε for the whole run (Survey Theorem 6.1)."""
        return events.AboveThreshold(self.epsilon)

    @property
    def noises(self) -> tuple[Noise, Noise]:
        """Discrete Laplace noise of scales 2Δ/ε and 4Δ/ε."""
        return _noises(self.moved, positive("epsilon", self.epsilon))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One, until the first ⊤."""
        return (Stage(1),)


@dataclass(frozen=True, kw_only=True)
class Sparse(SparseTechnique):
    """Up to `cutoff` queries above a threshold: AboveThreshold again and again (Survey Algorithm 6, Theorem 6.4).

    Each run takes ε/c, or with a δ as much as the accountant allows for c runs in a row (errata A21): for a few ⊤ that
    is ε/c as well, for a hundred it is several times as much.
    """

    epsilon: Real
    delta: Real = 0
    cutoff: int = 1
    share: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "delta", probability("delta", self.delta))
        object.__setattr__(self, "share", self._share())

    def _run(self, share: Fraction) -> Event:
        """The price of the run to one ⊤."""
        return events.AboveThreshold(share)

    def _share(self) -> Fraction:
        epsilon, cutoff = positive("epsilon", self.epsilon), whole("cutoff", self.cutoff, least=1)
        if probability("delta", self.delta) == 0:
            return epsilon / cutoff
        delta = open_probability("delta", self.delta)
        most = largest_epsilon(self._run, epsilon=epsilon, delta=delta, times=cutoff)
        return max(epsilon / cutoff, amount("epsilon", most))

    @property
    def event(self) -> Event:
        """c runs in a row."""
        return events.Composition([(self._run(self.share), self.cutoff)])

    @property
    def noises(self) -> tuple[Noise, Noise]:
        """Discrete Laplace noise for one run; the threshold's is drawn anew after every ⊤."""
        return _noises(self.moved, self.share)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One for each ⊤."""
        return (Stage(1),) * self.cutoff


@dataclass(frozen=True, kw_only=True)
class NumericSparse(Sparse):
    """Sparse that also gives the noisy values of the queries above (Survey Algorithm 7, Theorem 6.6).

    Of each run's share 8/9 decide and 1/9 is for the value, so that values carry noise of scale 9cΔ/ε (errata A2).

    >>> from sfumato.core import Neighbours, Norm
    >>> alarms = NumericSparse(epsilon=50, threshold=1000, cutoff=2, sensitivity=Neighbours().histogram(Norm.L1))
    >>> run = alarms.start()
    >>> run.ask(12) is None, abs(run.ask(5000) - 5000) < 200, run.halted
    (True, True, False)
    """

    def _run(self, share: Fraction) -> Event:
        test, value = self._parts(share)
        return events.Composition([events.AboveThreshold(test), self._value_noise(value).hiding(self.moved)])

    def _parts(self, share: Fraction) -> tuple[Fraction, Fraction]:
        return share * 8 / 9, share / 9

    def _value_noise(self, epsilon: Fraction) -> Noise:
        return GeometricNoise(self.moved / epsilon)

    @property
    def noises(self) -> tuple[Noise, Noise]:
        """Discrete Laplace noise for one run's 8/9."""
        return _noises(self.moved, self._parts(self.share)[0])

    @property
    def value_noise(self) -> Noise:
        """Discrete Laplace noise for one run's 1/9."""
        return self._value_noise(self._parts(self.share)[1])

    def error(self, beta: Real, *, queries: int | None = None) -> Accuracy:
        """With probability 1 - beta values are off by at most α and every ⊥ at most T + α (Survey Definition 6.7)."""
        fails = open_probability("beta", beta)
        bits = super().error(fails / 2, queries=queries)
        values = self.answers.error_of(self.value_noise.reach(fails / 2 / self.cutoff))
        return stated(max(bits.alpha, values), fails)


def _counts(queries: int, cutoff: int) -> tuple[int, int]:
    return whole("queries", queries, least=1), whole("cutoff", cutoff, least=1)


def above_threshold_accuracy(*, queries: int, beta: Real, epsilon: Real) -> Accuracy:
    """α = 8(ln k + ln(2/β))/ε for k queries of sensitivity 1 (Survey Theorem 6.3, errata B3).

    >>> print(above_threshold_accuracy(queries=100, beta=0.05, epsilon=1))
    within 66.4 with probability 95 %
    """
    return sparse_accuracy(queries=queries, beta=beta, epsilon=epsilon, cutoff=1)


def sparse_accuracy(*, queries: int, beta: Real, epsilon: Real, cutoff: int, delta: Real = 0) -> Accuracy:
    """8c(ln k + ln(2c/β))/ε, or (ln k + ln(2c/β))·√(512·c·ln(1/δ))/ε with a δ (Survey Theorem 6.5)."""
    (k, c), fails, e = _counts(queries, cutoff), open_probability("beta", beta), float(positive("epsilon", epsilon))
    log = math.log(k) + math.log(2 * c) + log_inverse(fails)
    if probability("delta", delta) == 0:
        return stated(8 * c * log / e * _ROUNDED_UP, fails)
    return stated(log * _ROOT * math.sqrt(c * log_inverse(open_probability("delta", delta))) / e * _ROUNDED_UP, fails)


def numeric_sparse_accuracy(*, queries: int, beta: Real, epsilon: Real, cutoff: int, delta: Real = 0) -> Accuracy:
    """9c·l/ε, l = ln k + ln(4c/β); with a δ max(l, √8·ln(2c/β))·√(c·ln(2/δ))·(√512 + 1)/ε (Survey Theorem 6.8).

    The released values carry Laplace noise √8 times as wide as what decides would allow for, so they have a bound of
    their own (errata B2 and E1).
    """
    (k, c), fails, e = _counts(queries, cutoff), open_probability("beta", beta), float(positive("epsilon", epsilon))
    log = math.log(k) + math.log(4 * c) + log_inverse(fails)
    if probability("delta", delta) == 0:
        return stated(9 * c * log / e * _ROUNDED_UP, fails)
    values = math.sqrt(8) * (math.log(2 * c) + log_inverse(fails))
    unit = math.sqrt(c * log_inverse(open_probability("delta", delta) / 2)) * (_ROOT + 1) / e
    return stated(max(log, values) * unit * _ROUNDED_UP, fails)
