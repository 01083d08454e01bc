"""A cut through candidates that are too many to list, of which only this is known: how many have at most a level.

The exponential mechanism over candidates with whole levels L(y), Pr[y] ∝ w(L(y)) with w(t) = exp(-rate·t) (Survey
Algorithm 4), is the same as: draw a cut T with Pr[T] ∝ C(T)·(w(T) - w(T + 1)), where C(T) is the number of candidates
of level at most T, then one of those C(T) uniformly. For y has then the probability Σ_{T ≥ L(y)} (w(T) - w(T + 1)),
which is w(L(y)), over the sum of that for all.

C never falls, so the levels are divided into blocks, on each of which C is at most its value at the end. A block is
drawn in proportion to that bound, by inversion in ball arithmetic; a cut within it in proportion to w, likewise; and
the cut is kept with probability C(T) over the bound, otherwise all is drawn anew. The law is exact whatever the
blocks are; they are made, by floats, such that two tries are enough on average.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.exact.bits import BitSource, source
from sfumato.exact.coins import rational_coin
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of, is_below
from sfumato.exact.parameters import Real, nearest, positive, whole

_FEW = 32  # levels that are blocks of their own without further ado
_MOST_BLOCKS = 1 << 12
_FAR = 64.0
_RATES = (1e-200, 1e6)  # the rates that floats make blocks for; at others the blocks are those of the nearest

Count = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class LevelBlock:
    """The levels from `first` to before `stop`; `low` candidates have at most the first, `high` at most the last."""

    first: int
    stop: int
    low: int
    high: int

    def log_bound(self, rate: float) -> float:
        """The logarithm of high·(w(first) - w(stop)), about."""
        return math.log(self.high) - rate * self.first + math.log(-math.expm1(-rate * (self.stop - self.first)))

    def excess(self, rate: float) -> float:
        """The logarithm of the part of the bound that may be too much, about."""
        share = 1 - self.low / self.high
        return self.log_bound(rate) + math.log(share) if share > 0 else -math.inf


def cut(count: Count, *, last: int, rate: Real, bits: BitSource | None = None) -> int:
    """A cut T with probability proportional to count(T)·(exp(-rate·T) - exp(-rate·(T + 1))), at most `last`.

    `count` never falls from 0 to `last`, where it is positive and stays: the cuts beyond are one with `last`.

    >>> cut(lambda level: 1 if level >= 3 else 0, last=3, rate=1)
    3
    """
    end, slope, stream = whole("last", last), positive("rate", rate), source(bits)
    known: dict[int, int] = {}

    def counted(level: int) -> int:
        if level not in known:
            known[level] = count(level)
        return known[level]

    blocks = _blocks(counted, end, max(_RATES[0], min(nearest(slope), _RATES[1])))
    while True:
        block = _drawn_block(blocks, counted(end), end, slope, stream)
        if block is None:
            return end
        level = _drawn_level(block, slope, stream)
        here = counted(level)
        if here == block.high or _accepted(Fraction(here, block.high), stream):
            return level


def _blocks(count: Count, end: int, rate: float) -> list[LevelBlock]:
    """Blocks from the first level that any candidate has to before the last, fine where it matters."""
    first = _first_above_zero(count, end)
    if first == end:
        return []
    if end - first <= _FEW:
        return [LevelBlock(t, t + 1, count(t), count(t)) for t in range(first, end)]
    blocks = [LevelBlock(first, end, count(first), count(end - 1))]
    tail = math.log(count(end)) - rate * end
    while len(blocks) < _MOST_BLOCKS:
        excess = [block.excess(rate) for block in blocks]
        top = max(*(block.log_bound(rate) for block in blocks), tail)
        bound = math.fsum(math.exp(block.log_bound(rate) - top) for block in blocks) + math.exp(tail - top)
        if math.fsum(math.exp(spare - top) for spare in excess) <= bound / 2:
            break
        worst = excess.index(max(excess))
        old = blocks[worst]
        middle = _middle(old, rate)
        blocks[worst : worst + 1] = [
            LevelBlock(old.first, middle, old.low, count(middle - 1)),
            LevelBlock(middle, old.stop, count(middle), old.high),
        ]
    return blocks


def _middle(block: LevelBlock, rate: float) -> int:
    """Where a block is cut in two: not where w has fallen by more than the counts rise."""
    rise = math.log(block.high) - math.log(block.low)
    far = min((_FAR + rise) / rate, float(block.stop - block.first))
    return max(block.first + 1, min((block.first + block.stop) // 2, block.first + math.ceil(far)))


def _first_above_zero(count: Count, end: int) -> int:
    low, high = -1, end
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if count(middle) else (middle, high)
    return high


def _weight(block: LevelBlock, slope: Fraction) -> Ball:
    """high·(w(first) - w(stop))."""
    fallen = -(-ball_of(slope * (block.stop - block.first))).expm1()
    return block.high * (-ball_of(slope * block.first)).exp() * fallen


def _drawn_block(
    blocks: list[LevelBlock], everything: int, end: int, slope: Fraction, bits: BitSource
) -> LevelBlock | None:
    """A block in proportion to its bound, or None for the cuts from the last level on."""
    if not blocks:
        return None
    uniform = LazyUniform(bits, bits.word(), bits.word_bits)

    def attempt() -> tuple[LevelBlock | None] | None:
        masses = [_weight(block, slope) for block in blocks]
        rest = everything * (-ball_of(slope * end)).exp()
        goal = uniform.ball() * sum(masses, rest)
        reached = ball_of(Fraction(0))
        for block, mass in zip(blocks, masses, strict=True):
            reached = reached + mass
            here = is_below(goal, reached)
            if here is None:
                return None
            if here:
                return (block,)
        return (None,)

    magnitude = int(slope * end).bit_length() + len(blocks).bit_length()
    return decide([uniform], attempt, magnitude=magnitude)[0]


def _drawn_level(block: LevelBlock, slope: Fraction, bits: BitSource) -> int:
    """A level of the block with probability proportional to w: floor(-ln(1 - U·(1 - w(width)))/rate) beyond the first.

    Pr[first + g or less] is (1 - w(g + 1))/(1 - w(width)), which U is below iff that floor is at most g.
    """
    width = block.stop - block.first
    if width == 1:
        return block.first
    uniform = LazyUniform(bits, bits.word(), bits.word_bits)

    def attempt() -> int | None:
        fallen = -(-ball_of(slope * width)).expm1()
        return floor_of(-(-(uniform.ball() * fallen)).log1p() / ball_of(slope))

    return block.first + decide([uniform], attempt, magnitude=2 * width.bit_length())


def _accepted(share: Fraction, bits: BitSource) -> bool:
    return rational_coin(share, bits.word_bits).one(bits)
