"""Noise by local sensitivity: the amount is itself the answer (slides "Privacy Branch of Local Sensitivity")."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.exact import BitSource, bernoulli, discrete_laplace
from sfumato.mechanisms import Median, SmoothSensitivity

_LARGEST = 1000
HERE = (0, 0, 0, 0, 0, _LARGEST, _LARGEST)
THERE = (0, 0, 0, 0, _LARGEST, _LARGEST, _LARGEST)
"""Two neighbouring databases with the same median; near the second one it can jump."""
_TRIALS = 600


def by_local_sensitivity(rows: tuple[int, ...], *, epsilon: int = 1, bits: BitSource | None = None) -> int:
    """The median with Laplace noise in proportion to how far it can move from these very rows."""
    median = Median(lower=0, upper=_LARGEST)
    local = median.local_sensitivity(rows)
    noise = discrete_laplace(Fraction(local) / epsilon, bits=bits) if local else 0
    return median.value(rows) + noise


def threshold(release: Callable[[tuple[int, ...]], Any]) -> float:
    """How large an answer speaks for the second database, by the attacker's own trials of a mechanism they know."""
    here, there = (sorted(abs(release(rows)) for _ in range(_TRIALS)) for rows in (HERE, THERE))
    return max(
        {0.0, *map(float, here), *map(float, there)}, key=lambda t: sum(a > t for a in there) - sum(a > t for a in here)
    )


def _accuracy(release: Callable[[tuple[int, ...]], Any], bits: BitSource | None) -> Rate:
    hits: list[bool] = []
    limit = threshold(release)
    for _ in range(_TRIALS):
        there = bool(bernoulli(0.5, bits=bits))
        hits.append((abs(release(THERE if there else HERE)) > limit) == there)
    return Rate.of(hits)


def run(bits: BitSource | None = None) -> Result:
    """The slides' two databases, told apart by the noise itself."""
    bound: Any = Median(lower=0, upper=_LARGEST)
    smooth = SmoothSensitivity(bound=bound, epsilon=1)
    return Result(
        success="which of two neighbouring databases was asked is told correctly",
        sides=(
            Side("noise by local sensitivity", _accuracy(lambda rows: by_local_sensitivity(rows, bits=bits), bits)),
            Side(
                "noise by a smooth bound, ε = 1",
                _accuracy(lambda rows: smooth.release(rows, bits=bits), bits),
                protected=True,
            ),
        ),
        chance=COIN,
        remarks=("no guess from one answer at ε = 1 is right more often than e/(1 + e), 73.1 %",),
    )


LESSON = Lesson(
    name="median",
    title="How much noise there is tells what it hides",
    story=(
        "The median of five zeros and two thousands cannot move if one person changes, so noise by local "
        "sensitivity adds none. Change one zero to a thousand: the median is still zero, but now it could jump, "
        "and the noise is large. Both databases have the same answer, and one look at the noise tells them apart."
    ),
    defence=(
        "A smooth bound on the local sensitivity changes by a small factor between neighbours, so the amount of "
        "noise says little about anybody."
    ),
    run=run,
    source='slides "Local sensitivity"',
)
