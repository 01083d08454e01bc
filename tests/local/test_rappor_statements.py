"""RAPPOR's permanent response, response by response."""

import itertools
import math
from fractions import Fraction

import pytest

from sfumato.local import epsilon_infinity


@pytest.mark.parametrize("f", [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)])
@pytest.mark.parametrize("hashes", [1, 2, 3])
def test_permanent_responses_of_two_filters_differ_by_the_theorems_ratio_at_most(f: Fraction, hashes: int) -> None:
    """Every response of 2h bits where one value sets the first h and another the last h: the worst ratio is reached."""
    worst = Fraction(0)
    for response in itertools.product((0, 1), repeat=2 * hashes):
        chances = []
        for ones in (range(hashes), range(hashes, 2 * hashes)):
            stay = [
                1 - f / 2 if i in ones else f / 2 for i in range(2 * hashes)
            ]  # the chance that a bit is remembered as 1
            chances.append(
                math.prod((s if b else 1 - s for s, b in zip(stay, response, strict=True)), start=Fraction(1))
            )
        worst = max(worst, chances[0] / chances[1])
    assert epsilon_infinity(f, hashes) == pytest.approx(math.log(worst), rel=1e-12)
