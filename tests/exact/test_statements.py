"""The law of a randomised algorithm by following its bits, and the geometric laws that the survey's proofs draw from."""

import math
from fractions import Fraction
from typing import Any

import pytest

from sfumato import exact
from sfumato.exact import output_law
from sfumato.exact.bits import BitSource


def two_coins(bits: BitSource) -> str:
    """Says "early" if the first of four faces is 0, else what a second draw of four says."""
    if bits.word() == 0:
        return "early"
    return "even" if bits.word() % 2 == 0 else "odd"


def test_the_law_of_a_randomised_algorithm_is_a_point_of_the_simplex() -> None:
    """By hand: a quarter, and three quarters in two equal parts."""
    found = output_law(two_coins, word_bits=2, runs=100)
    assert found.unexplored == 0
    assert found.probabilities == {"early": Fraction(1, 4), "even": Fraction(3, 8), "odd": Fraction(3, 8)}
    cut = output_law(two_coins, word_bits=2, runs=2)  # the first word is asked for, and one of its four values followed
    assert cut.unexplored == 1 - sum(cut.probabilities.values()) == Fraction(3, 4)
    assert cut.agrees("even", Fraction(3, 8), Fraction(3, 8))
    assert not cut.agrees("early", Fraction(1, 5), Fraction(1, 5))


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
@pytest.mark.parametrize("bound", [1, 3])
def test_truncated_double_geometric_noise_has_the_mass_beyond_its_ends_on_them(epsilon: Fraction, bound: int) -> None:
    """(1 - p)/(1 + p)·p^|k| inside and p^B/(1 + p) at ±B, p = e^-ε; between two counts a bound of e^ε holds inside."""
    p = math.exp(-float(epsilon))
    found = output_law(
        lambda bits: exact.censored_discrete_laplace(1 / epsilon, bound, bits=bits), word_bits=1, runs=800
    )
    chances: dict[Any, float] = {k: (1 - p) / (1 + p) * p ** abs(k) for k in range(1 - bound, bound)}
    chances |= dict.fromkeys((-bound, bound), p**bound / (1 + p))
    assert math.fsum(chances.values()) == pytest.approx(1)
    for k, chance in chances.items():
        assert found.agrees(k, Fraction(chance) - Fraction(1, 10**9), Fraction(chance) + Fraction(1, 10**9))
    assert found.unexplored < Fraction(1, 1000)
    assert set(found.probabilities) == set(chances)
    spread = sum(k * k * float(chance) for k, chance in found.probabilities.items())
    assert spread <= 2 / float(epsilon) ** 2  # the variance of DGeo(ε), which clipping can only lower
