"""An error bar for a quantile: how far around a released value one must go to be sure that the quantile is in between.

Around a public value v there are few intervals to choose among: v ± 0, 1, 2, 3, 4, 6, 8, 12, … steps, and last the
whole grid. Of an interval [l, h], the margin is min(q·n - L, U - q·n), with L the people below l and U those up to h:
where it is above zero, every q-quantile lies inside. An end at the end of the grid is safe whatever the data are, so
that its side does not count. Margins grow with the width. The narrowest interval whose margin is at least s has a score
of zero; another is behind by as many people as its own margin is short of s, or as the next narrower one's is above.

One person moves a margin, and so a score, by at most max(q, 1 - q), as they move a rank (`quantile.py`). So choosing by
score is a selection like any other, and costs its ε. An interval that misses has a margin of at most zero, and is s
behind the best: s is as large as keeps all of them together from being chosen but with probability β (Survey Corollary
4.6). Being wrong is paid for by the logarithm of a few dozen intervals, not of all points of the grid; both ends are
chosen at once, with all of the ε and all of β.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from sfumato.accounting import events
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, nearest, open_probability, positive
from sfumato.exact.selection import exponential_mechanism, permute_and_flip
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.quantile import Quantile, Steps, most_people, shortfall

RULE = "halves of octaves"
"""The name of the rule by which intervals are made, for documents: another rule has another name."""
_SAFE = 2**62


@dataclass(frozen=True, kw_only=True)
class QuantileBar:
    """An interval around a public value that holds the q-quantiles with probability 1 - beta: ε-differentially private.

    Of `of` it takes q, ε, the grid, the relation and how one is selected.

    >>> from sfumato.core import Neighbours
    >>> one = Quantile(q=0.5, epsilon=1, lower=0, upper=120, grid=1, neighbours=Neighbours())
    >>> bar = QuantileBar(of=one, beta=0.05)
    >>> bar.release([20] * 300 + [45] * 300 + [80] * 300, around=46)
    (45, 47)
    """

    of: Quantile
    beta: Real
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if getattr(self.of, "shift", None) != 0:
            raise InvalidParameter("of", "must be a Quantile without a shift", type(self.of).__name__)
        object.__setattr__(self, "beta", open_probability("beta", self.beta))
        object.__setattr__(self, "event", self.of.event)

    @cached_property
    def widths(self) -> Steps:
        """How many steps the intervals reach to either side: half an octave apart, and last the whole grid."""
        span = len(self.of.domain.ends) - 1
        octaves = [width << i for i in range(span.bit_length()) for width in (2, 3)]
        return np.array([*(w for w in (0, 1, *octaves) if w < span), span], dtype=np.int64)

    @cached_property
    def margin(self) -> int:
        """The people that an end aims to have between itself and the quantile."""
        rate = positive("epsilon", self.of.epsilon) / (2 * self.of.moved)
        short = shortfall(self.of.by, len(self.widths), amount("beta", self.beta))
        return ceil(Fraction(short) / rate)

    def canonical(self) -> list[object]:
        """Everything that decides which interval is likely."""
        return [str(self.of.epsilon), self.of.by, self.margin, RULE]

    def release(
        self, exact: Any, *, around: Real | None = None, bits: BitSource | None = None
    ) -> tuple[int | float, int | float]:
        """The ends of the interval; `around` is public, such as a quantile that was released before, or the middle."""
        values, counts = np.unique(self.of.places(exact), return_counts=True)
        domain = self.of.domain
        centre = domain.value((domain.ends.lower + domain.ends.upper) // 2) if around is None else around
        return self.of_counted(values, counts, centre, source(bits))

    def of_counted(
        self, values: Steps, counts: Steps, around: Real, bits: BitSource
    ) -> tuple[int | float, int | float]:
        """The same from different grid points in growing order and how many people share each."""
        ends = self.of.domain.ends
        middle = self.of.domain.place(around)
        low, high = np.maximum(ends.lower, middle - self.widths), np.minimum(ends.upper, middle + self.widths)
        draw = permute_and_flip if self.of.by == "permute_and_flip" else exponential_mechanism
        unit = amount("q", self.of.q).denominator
        chosen = draw(self._scores(values, counts, low, high), self.of.epsilon, self.of.moved * unit, bits=bits)
        return self._value(int(low[chosen])), self._value(int(high[chosen]))

    def _scores(self, values: Steps, counts: Steps, low: Steps, high: Steps) -> Any:
        """Scores in people/denominator of q, so that they are whole."""
        ends, q, n = self.of.domain.ends, amount("q", self.of.q), most_people(int(counts.sum()))
        rank = np.concatenate([[0], np.cumsum(counts)])
        below, upto = rank[np.searchsorted(values, low, side="left")], rank[np.searchsorted(values, high, side="right")]
        target = self.margin * q.denominator
        kind: Any = np.int64 if target < _SAFE // 2 else object  # Python's integers where 64 bits might not do
        sure = max(_SAFE, 4 * target)
        left = np.where(low == ends.lower, sure, (n * q.numerator - below * q.denominator).astype(kind))
        right = np.where(high == ends.upper, sure, (upto * q.denominator - n * q.numerator).astype(kind))
        margins = np.minimum(left, right)
        narrower = np.concatenate([np.array([-sure], dtype=kind), margins[:-1]])
        return -np.maximum(0, np.maximum(target - margins, narrower - target))

    def _value(self, place: int) -> int | float:
        value = self.of.domain.value(place)
        return int(value) if amount("grid", self.of.grid).denominator == 1 else nearest(value)

    def error(self, beta: Real) -> Accuracy:
        """The margin of the interval is that near to the one aimed at, with probability 1 - beta."""
        fails = open_probability("beta", beta)
        rate = positive("epsilon", self.of.epsilon) / (2 * self.of.moved)
        return stated(nearest(1 / rate) * shortfall(self.of.by, len(self.widths), fails) * (1 + 1e-12), fails)
