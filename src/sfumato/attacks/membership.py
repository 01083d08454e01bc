"""Membership in aggregates: whether a person is among those averaged (Homer and others 2008)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.core import Neighbours, Sensitivity
from sfumato.exact import BitSource, integers
from sfumato.mechanisms import Geometric

_STUDY, _SITES, _TESTED = 100, 2000, 150
Reals = NDArray[np.float64]


def genomes(people: int, frequencies: Reals, *, bits: BitSource | None = None) -> NDArray[np.bool_]:
    """A variant at each site by its frequency, independently."""
    drawn = integers(2**32, (people, len(frequencies)), bits=bits)
    return np.asarray(drawn < frequencies * 2**32)


def score(person: NDArray[np.bool_], published: Reals, frequencies: Reals) -> float:
    """How far the published means lean from the population's towards this person."""
    return float((person - frequencies) @ (published - frequencies))


def _accuracy(published: Reals, inside: NDArray[np.bool_], outside: NDArray[np.bool_], frequencies: Reals) -> Rate:
    """Half the people tested are in the study; whoever scores above the middle of all is called a member."""
    scores = [score(person, published, frequencies) for person in (*inside, *outside)]
    truth = [True] * len(inside) + [False] * len(outside)
    middle = float(np.median(scores))
    return Rate.of((s > middle) == t for s, t in zip(scores, truth, strict=True))


def run(bits: BitSource | None = None) -> Result:
    """Means of 2 000 sites over 100 people, exact and at a total of ε = 1."""
    frequencies: Reals = 0.1 + 0.8 * integers(1000, _SITES, bits=bits) / 1000
    exact: list[Rate] = []
    private: list[Rate] = []
    for _ in range(3):
        study = genomes(_STUDY, frequencies, bits=bits)
        strangers = genomes(_TESTED // 2, frequencies, bits=bits)
        counts = study.sum(axis=0)
        noise = Geometric(epsilon=1, sensitivity=Sensitivity.l1(_SITES, Neighbours()), dimension=_SITES)
        tested = study[: _TESTED // 2]
        exact.append(_accuracy(counts / _STUDY, tested, strangers, frequencies))
        private.append(_accuracy(noise.release(counts, bits=bits) / _STUDY, tested, strangers, frequencies))
    return Result(
        success="whether a person took part in the study is told correctly",
        sides=(
            Side("exact means of 2 000 sites", sum(exact[1:], exact[0])),
            Side("the means at a total of ε = 1", sum(private[1:], private[0]), protected=True),
        ),
        chance=COIN,
        remarks=("the attacker knows the person's genome and the population's frequencies, not the study's",),
        facts={"share": float(Fraction(1, _SITES))},
    )


LESSON = Lesson(
    name="membership",
    title="A thousand averages remember who was averaged",
    story=(
        "A study publishes how common each of 2 000 variants is among its 100 patients. Every average leans a "
        "little towards each patient, and over thousands of sites the leanings add up: who knows a person's "
        "genome can tell whether they were a patient."
    ),
    defence=(
        "One total for all sites together. At ε = 1 for 2 000 means the noise drowns every leaning; a study that "
        "needs means must publish fewer of them, or have more patients."
    ),
    run=run,
    source="Homer and others 2008",
)
