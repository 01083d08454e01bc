"""Cuts: the law over levels, whatever the blocks, and that few counts are asked for."""

import math
from fractions import Fraction

import pytest

from sfumato.errors import InvalidParameter
from sfumato.exact import cuts
from sfumato.exact.law import output_law
from sources import SeededBits


def masses(counts: list[int], rate: float) -> list[float]:
    """count(T)·(w(T) - w(T + 1)), the last with everything beyond; over their sum."""
    last = len(counts) - 1
    raw = [c * math.exp(-rate * t) * (-math.expm1(-rate) if t < last else 1) for t, c in enumerate(counts)]
    return [mass / math.fsum(raw) for mass in raw]


COUNTS = [[1], [0, 5], [3, 3, 3], [0, 0, 1, 3, 3, 7, 20, 20, 21], [1, 10**40, 10**60]]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(2)])
def test_the_law_of_a_cut_is_the_one_stated(counts: list[int], rate: Fraction) -> None:
    law = output_law(
        lambda bits: cuts.cut(counts.__getitem__, last=len(counts) - 1, rate=rate, bits=bits), word_bits=8, runs=2000
    )
    assert law.unexplored < Fraction(1, 1000)
    for level, mass in enumerate(masses(counts, float(rate))):
        assert law.agrees(level, Fraction(mass) * (1 - Fraction(1, 10**12)), Fraction(mass) * (1 + Fraction(1, 10**12)))


def test_the_law_is_the_same_with_blocks_of_several_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels drawn within a block and refused in part: rejections leave some of the law unexplored, and no error."""
    counts = COUNTS[3]
    monkeypatch.setattr(cuts, "_FEW", 0)
    blocks = cuts._blocks(counts.__getitem__, 8, 0.5)
    assert any(block.stop - block.first > 1 for block in blocks)
    law = output_law(
        lambda bits: cuts.cut(counts.__getitem__, last=8, rate=Fraction(1, 2), bits=bits), word_bits=4, runs=8_000
    )
    assert law.unexplored < Fraction(1, 4)
    found = sum(law.probabilities.values())
    for level, mass in enumerate(masses(counts, 0.5)):
        assert law.agrees(level, Fraction(mass) * (1 - Fraction(1, 10**12)), Fraction(mass) * (1 + Fraction(1, 10**12)))
        assert abs(float(law.at(level) / found) - mass) < 0.03


def test_few_counts_are_asked_for_among_a_million_levels_and_the_cut_is_where_the_mass_is() -> None:
    asked: list[int] = []

    def count(level: int) -> int:
        asked.append(level)
        return 0 if level < 1000 else math.comb(level - 940, 60)

    drawn = [cuts.cut(count, last=10**6, rate=Fraction(1, 200), bits=SeededBits(seed)) for seed in range(30)]
    assert len(asked) < 30 * 400
    # T - 1000 is about a sum of 61 exponentials of mean 200: 12 200 ± 1 560, and six deviations are enough
    assert all(abs(level - 13_200) < 6 * 1560 for level in drawn)
    assert abs(sum(drawn) / 30 - 13_200) < 6 * 1560 / math.sqrt(30)


@pytest.mark.parametrize("rate", [Fraction(1, 10**30), Fraction(10**12)])
def test_extreme_rates_are_drawn_at_too(rate: Fraction) -> None:
    level = cuts.cut(lambda t: t // 7, last=10**4, rate=rate, bits=SeededBits(1))
    assert level == (7 if rate > 1 else 10**4)


def test_bad_parameters_are_refused() -> None:
    for last, rate in ((-1, 1), (3, 0)):
        with pytest.raises(InvalidParameter):
            cuts.cut(lambda _: 1, last=last, rate=rate)
