"""Floating point: which floats can come out tells the exact answer (Mironov 2012)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.core import Neighbours, Norm
from sfumato.exact import BitSource, integers
from sfumato.mechanisms import Laplace

Reals = NDArray[np.float64]
_EPSILON = Fraction(1, 100)
_TRIALS = 2000
_UNIFORM = 2**53
_NEAR = 3


def textbook_laplace(answers: Reals, *, epsilon: float, bits: BitSource | None = None) -> Reals:
    """answer ± ln(u)/ε with a uniform float u: what textbooks and many libraries do."""
    u = (integers(_UNIFORM - 1, len(answers), bits=bits) + 1) / _UNIFORM
    sign = np.where(integers(2, len(answers), bits=bits) == 1, 1.0, -1.0)
    return np.asarray(answers + sign * (-np.log(u) / epsilon), dtype=np.float64)


def reachable(outputs: Reals, answer: float, *, epsilon: float) -> NDArray[np.bool_]:
    """Whether each output can come from an answer at all: some uniform float must give it exactly.

    The u that gives an output is e^(-ε·|noise|) up to rounding, so only the floats next to it are tried.
    """
    noise = outputs - answer
    middle = np.round(np.exp(-np.abs(noise) * epsilon) * _UNIFORM)
    found = np.zeros(len(outputs), dtype=np.bool_)
    for step in range(-_NEAR, _NEAR + 1):
        u = np.clip(middle + step, 1, _UNIFORM - 1) / _UNIFORM
        for sign in (1.0, -1.0):
            found |= answer + sign * (-np.log(u) / epsilon) == outputs
    return found


def guess(outputs: Reals, *, epsilon: float) -> Reals:
    """0 or 1, whichever can have given the output; the nearer one where both or neither can."""
    zero, one = (reachable(outputs, answer, epsilon=epsilon) for answer in (0.0, 1.0))
    nearer = (outputs > 0.5).astype(np.float64)
    return np.where(zero & ~one, 0.0, np.where(one & ~zero, 1.0, nearer))


def run(bits: BitSource | None = None) -> Result:
    """An answer of 0 or 1 behind noise a hundred times as large, in floats and on a grid."""
    truth: Reals = integers(2, _TRIALS, bits=bits).astype(np.float64)
    floats = textbook_laplace(truth, epsilon=float(_EPSILON), bits=bits)
    placed = Laplace(
        epsilon=_EPSILON,
        sensitivity=Neighbours().histogram(Norm.L1),
        grid=Fraction(1, 1024),
        dimension=_TRIALS,
    )
    exact = placed.release(truth, bits=bits)
    only = reachable(floats, 0.0, epsilon=float(_EPSILON)) != reachable(floats, 1.0, epsilon=float(_EPSILON))
    return Result(
        success="whether the exact answer was 0 or 1 is told correctly",
        sides=(
            Side("textbook Laplace noise in floats, ε = 0.01", Rate.of(guess(floats, epsilon=0.01) == truth)),
            Side("Laplace noise on a grid, ε = 0.01", Rate.of(guess(exact, epsilon=0.01) == truth), protected=True),
        ),
        chance=COIN,
        remarks=(f"{int(only.sum())} of {_TRIALS} float outputs can come from one of the two answers only",),
        facts={"told by one output": int(only.sum())},
    )


LESSON = Lesson(
    name="floating-point",
    title="The theorem is about reals, the program about floats",
    story=(
        "Laplace noise computed in floats takes only some of the floats near an answer, and which ones depends on "
        "the answer. One output at ε = 0.01, whose noise should hide a difference of one a hundred times over, "
        "often has only one possible origin."
    ),
    defence=(
        "The answer is placed on a grid and the noise is drawn on that grid exactly: every output is possible "
        "from every answer, with the probabilities of the theorem."
    ),
    run=run,
    source="Mironov 2012",
)
