"""Known algorithms, sound and broken: what an auditor must let pass and what it must convict.

Each takes exact answers and `size`, and claims to be ε-differentially private. Noise is Laplace on a grid of 2**-16, so
that answers and moves which are multiples of it lose nothing to rounding. The sparse vector algorithms are numbered as
in Lyu, Su, Li 2017, Figure 1; ⊥ is 0, ⊤ is 1, and what comes after the algorithm stopped is -1; where
values are given the rest is NaN.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.pairs import Inputs, Pair, pairs_of
from sfumato.audit.targets import Target, target_of
from sfumato.exact import bernoulli, discrete_laplace
from sfumato.exact.parameters import Real, positive

_GRID = 2**16
_CUTOFF = 2
_QUERIES = 10
Reals = NDArray[np.float64]
Release = Callable[..., Any]


def laplace_noise(scale: Fraction, size: Any) -> Reals:
    """Laplace noise on the grid."""
    drawn: Reals = discrete_laplace(scale * _GRID, size) / _GRID
    return drawn


def scaled_laplace(epsilon: Fraction, factor: Fraction) -> Release:
    """An answer with Laplace noise of `factor` times the scale that ε asks for."""

    def release(answer: float, size: int) -> Reals:
        return answer + laplace_noise(factor / epsilon, size)

    return release


def no_noise(answer: float, size: int) -> Reals:
    """The exact answer."""
    return np.full(size, float(answer))


def truth_telling(truth: Fraction) -> Release:
    """A bit that is told as it is with probability `truth`, and turned round otherwise."""

    def release(bit: int, size: int) -> NDArray[np.int64]:
        return np.where(bernoulli(truth, size), bit, 1 - bit)

    return release


def resampled_truncation(epsilon: Fraction, upper: int = 10) -> Release:
    """Laplace noise drawn again until the answer lies in [0, upper]: what is cut off depends on the answer."""

    def release(answer: float, size: int) -> Reals:
        out = answer + laplace_noise(1 / epsilon, size)
        while (outside := (out < 0) | (out > upper)).any():
            out[outside] = answer + laplace_noise(1 / epsilon, int(outside.sum()))
        return out

    return release


def clamped(epsilon: Fraction, upper: int = 10) -> Release:
    """Laplace noise, then clamping: post-processing, which costs nothing."""

    def release(answer: float, size: int) -> Reals:
        noisy: Reals = np.clip(answer + laplace_noise(1 / epsilon, size), 0, upper)
        return noisy

    return release


def noisy_max(epsilon: Fraction) -> Release:
    """Which answer is largest after Laplace noise of scale 2/ε."""

    def release(answers: Sequence[float], size: int) -> NDArray[np.int64]:
        noisy = np.asarray(answers, dtype=np.float64) + laplace_noise(2 / epsilon, (size, len(answers)))
        return np.asarray(np.argmax(noisy, axis=1))

    return release


def noisy_max_value(epsilon: Fraction) -> Release:
    """The largest noisy answer itself, which the price of its index does not cover."""

    def release(answers: Sequence[float], size: int) -> Reals:
        noisy = np.asarray(answers, dtype=np.float64) + laplace_noise(2 / epsilon, (size, len(answers)))
        largest: Reals = noisy.max(axis=1)
        return largest

    return release


def _stopped(above: NDArray[np.bool_], cutoff: int | None) -> NDArray[np.int64]:
    """⊤ and ⊥ up to the cutoff-th ⊤."""
    said = above.astype(np.int64)
    if cutoff is not None:
        before = np.cumsum(said, axis=1) - said
        said[before >= cutoff] = -1
    return said


@dataclass(frozen=True, slots=True)
class SparseVectorVariant:
    """One column of Lyu, Su, Li's table: scales of the noises in units of 1/ε, a cutoff or none."""

    threshold_scale: Fraction
    query_scale: Fraction
    cutoff: int | None
    resample: bool = False
    values: bool = False

    def release(self, epsilon: Fraction) -> Release:
        """The algorithm, with a threshold of zero and queries of sensitivity 1."""

        def release(answers: Sequence[float], size: int) -> NDArray[Any]:
            noisy = np.asarray(answers, dtype=np.float64) + self._query_noise(epsilon, (size, len(answers)))
            threshold = laplace_noise(self.threshold_scale / epsilon, size)
            if self.resample:
                return _resampled(noisy, threshold, self.threshold_scale / epsilon, self.cutoff or len(answers))
            said = _stopped(noisy >= threshold[:, None], self.cutoff)
            return np.where(said == 1, noisy, np.nan) if self.values else said

        return release

    def _query_noise(self, epsilon: Fraction, shape: tuple[int, int]) -> Reals:
        return laplace_noise(self.query_scale / epsilon, shape) if self.query_scale else np.zeros(shape)


def _resampled(noisy: Reals, threshold: Reals, scale: Fraction, cutoff: int) -> NDArray[np.int64]:
    """A fresh threshold after every ⊤."""
    said = np.zeros(noisy.shape, dtype=np.int64)
    tops = np.zeros(len(noisy), dtype=np.int64)
    for place in range(noisy.shape[1]):
        open_ = tops < cutoff
        above = open_ & (noisy[:, place] >= threshold)
        said[:, place] = np.where(open_, above, -1)
        tops += above
        threshold[above] = laplace_noise(scale, int(above.sum()))
    return said


SPARSE_VECTOR: dict[int, SparseVectorVariant] = {
    1: SparseVectorVariant(Fraction(2), Fraction(4 * _CUTOFF), _CUTOFF),
    2: SparseVectorVariant(Fraction(2 * _CUTOFF), Fraction(4 * _CUTOFF), _CUTOFF, resample=True),
    3: SparseVectorVariant(Fraction(2), Fraction(2), 1, values=True),
    4: SparseVectorVariant(Fraction(4), Fraction(4, 3), _CUTOFF),
    5: SparseVectorVariant(Fraction(2), Fraction(0), None),
    6: SparseVectorVariant(Fraction(2), Fraction(2), None),
}
"""ε₁ = ε/2 (ε/4 in the fourth) for the threshold, two ⊤ (one in the third); 1 and 2 are sound, 3 to 6 are not."""


_PLAIN = Inputs()
_LONG = Inputs(length=_QUERIES)
_BOUNDED = Inputs(lower=0, upper=10)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A named algorithm, whether it keeps its promise, and how to put it before the auditor."""

    name: str
    sound: bool
    what: str
    release: Callable[[Fraction], Release]
    inputs: str
    shape: Inputs = _PLAIN
    claim: Fraction | None = None
    """The ε it is sold as, where its noise does not follow from one."""

    def target(self, epsilon: Real = 1) -> Target:
        """The algorithm at a claimed ε."""
        claimed = positive("epsilon", epsilon) if self.claim is None else self.claim
        pairs: tuple[Pair, ...] = pairs_of(self.inputs, self.shape)
        return target_of(self.release(claimed), pairs, epsilon=claimed, name=self.name)


_SVT = {
    1: "sparse vector as it should be",
    2: "sparse vector with a fresh threshold after every ⊤",
    3: "sparse vector that gives the noisy value it compared",
    4: "sparse vector whose query noise forgets the number of ⊤",
    5: "sparse vector without noise on the queries",
    6: "sparse vector that never stops",
}
SPECIMENS: tuple[Specimen, ...] = (
    Specimen("laplace-exact", True, "Laplace noise of scale 1/ε", lambda e: scaled_laplace(e, Fraction(1)), "number"),
    Specimen(
        "laplace-0.9", False, "Laplace noise, 10 % too little", lambda e: scaled_laplace(e, Fraction(9, 10)), "number"
    ),
    Specimen("laplace-0.5", False, "Laplace noise, half of it", lambda e: scaled_laplace(e, Fraction(1, 2)), "number"),
    Specimen("no-noise", False, "the exact answer", lambda _: no_noise, "number"),
    Specimen("clamped", True, "Laplace noise, then clamped to [0, 10]", clamped, "number", _BOUNDED),
    Specimen(
        "resampled", False, "Laplace noise, drawn again until in [0, 10]", resampled_truncation, "number", _BOUNDED
    ),
    Specimen(
        "response-3/4",
        False,
        "three truths in four, sold as ε = 1",
        lambda _: truth_telling(Fraction(3, 4)),
        "bit",
        claim=Fraction(1),
    ),
    Specimen(
        "response-0.731",
        True,
        "731 truths in 1000, sold as ε = 1",
        lambda _: truth_telling(Fraction(731, 1000)),
        "bit",
        claim=Fraction(1),
    ),
    Specimen("noisy-max", True, "index of the largest noisy answer", noisy_max, "answers", Inputs(length=5)),
    Specimen("noisy-max-value", False, "the largest noisy answer itself", noisy_max_value, "answers", Inputs(length=5)),
    *(
        Specimen(f"svt-{number}", number <= 2, what, SPARSE_VECTOR[number].release, "answers", _LONG)
        for number, what in _SVT.items()
    ),
)
"""Every specimen, for the self-check, the command line and tests."""
