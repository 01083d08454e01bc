"""Coins by the row and draws by whole weights: each lane decides as a lone uniform real would, on fast and slow paths."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import statistics_of_samples as samples
from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli_rows, packed, weighted
from sources import ConstantBits, SeededBits

CHANCES = [
    Fraction(1, 2),
    Fraction(1, 3),
    Fraction(5, 8),
    Fraction(1, 1000),
    Fraction(2**64 - 1, 2**64),
    Fraction(269, 1000),
]


class Recorder(SeededBits):
    """Remembers every word, so that lanes can be decided again one by one."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.drawn: list[int] = []

    def words(self, n: int) -> np.ndarray:
        words = super().words(n)
        self.drawn.extend(int(word) for word in words)
        return words


@pytest.mark.parametrize("p", CHANCES)
def test_each_lane_compares_its_own_bits_with_p(p: Fraction) -> None:
    source, words = Recorder(1), 24
    rows = bernoulli_rows(p, words, 64, bits=source)
    told = np.unpackbits(rows, axis=1)
    lanes = [
        np.unpackbits(np.array(source.drawn[i : i + words], dtype=np.uint64).view(np.uint8))
        for i in range(0, len(source.drawn), words)
    ]
    settled, used = 0, len(lanes[: packed._ROUNDS])
    for lane, heads in enumerate(told.reshape(-1)):
        uniform = sum(Fraction(int(bits[lane]), 2 ** (j + 1)) for j, bits in enumerate(lanes[:used]))
        if uniform + Fraction(1, 2**used) <= p:
            assert heads == 1
        elif uniform >= p:
            assert heads == 0
        else:
            settled += 1
    if p.denominator > 2**packed._ROUNDS:
        assert settled > 0, "the slow path must have been met"


@pytest.mark.parametrize("p", CHANCES)
@pytest.mark.parametrize("word_bits", [8, 64])
def test_coins_fall_as_often_as_they_should(p: Fraction, word_bits: int) -> None:
    rows = bernoulli_rows(p, 2000, 61, bits=SeededBits(2, word_bits))
    ones = int(np.unpackbits(rows).sum())
    assert samples.binomial(ones, 2000 * 61, float(p)) > samples.THRESHOLD
    if 0.01 < p < 0.99:  # power: a tenth off is seen
        assert samples.binomial(ones, 2000 * 61, float(p) * 0.9) < samples.THRESHOLD


def test_rounding_p_to_the_fast_rounds_would_be_caught() -> None:
    """The broken variant: lanes left level after the fast bits all fall tails."""
    p = Fraction(1, 1000)
    rows = bernoulli_rows(Fraction(int(p * 256), 256), 2000, 61, bits=SeededBits(2))
    assert samples.binomial(int(np.unpackbits(rows).sum()), 2000 * 61, float(p)) < samples.THRESHOLD


def test_rows_are_independent_and_padding_is_zero() -> None:
    rows = bernoulli_rows(Fraction(1, 3), 4000, 13, bits=SeededBits(4))
    assert rows.shape == (4000, 2)
    assert (rows[:, 1] >> 5 == 0).all()
    told = np.unpackbits(rows, axis=1, count=13, bitorder="little")
    together = int((told[:, 0] & told[:, 12]).sum()), int((told[:-1, 5] & told[1:, 5]).sum())
    assert samples.binomial(together[0], 4000, 1 / 9) > samples.THRESHOLD
    assert samples.binomial(together[1], 3999, 1 / 9) > samples.THRESHOLD


def test_certain_coins_and_empty_tables() -> None:
    assert bernoulli_rows(0, 3, 9).sum() == 0
    assert bernoulli_rows(1, 1, 9).tolist() == [[255, 1]]
    assert bernoulli_rows(0.5, 0, 9).shape == (0, 2)
    with pytest.raises(InvalidParameter, match="columns"):
        bernoulli_rows(0.5, 1, 0)
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        bernoulli_rows(1.5, 1, 1)


@pytest.mark.parametrize("word_bits", [3, 8, 64])
@pytest.mark.parametrize("weights", [[1, 2, 3, 4], [1, 0, 10**30, 3 * 10**30], [7], [0, 1, 0, 1]])
def test_weights_are_met_exactly_often_enough(weights: list[int], word_bits: int) -> None:
    drawn = Counter(weighted(weights, 20_000, bits=SeededBits(5, word_bits)).tolist())
    for i, weight in enumerate(weights):
        assert samples.binomial(drawn[i], 20_000, weight / sum(weights)) > samples.THRESHOLD


def test_a_word_on_a_boundary_is_extended_and_not_rounded() -> None:
    # Thirds end inside a word of 2 bits: word 1 holds both 1/4 … 1/3 and 1/3 … 1/2.
    first, second = weighted([1, 1, 1], 1, bits=Then(1, 0)), weighted([1, 1, 1], 1, bits=Then(1, 3))
    assert (int(first[0]), int(second[0])) == (0, 1)
    assert weighted([1, 1], 4, bits=ConstantBits(2**64 - 1)).tolist() == [1] * 4
    with pytest.raises(InvalidParameter, match="positive sum"):
        weighted([0, 0], 1)


class Then(ConstantBits):
    """One word for arrays, another for single draws."""

    def __init__(self, first: int, then: int) -> None:
        super().__init__(first, 2)
        self._then = then

    def word(self) -> int:
        return self._then
