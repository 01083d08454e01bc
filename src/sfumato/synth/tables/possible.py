"""Whether some row is possible at all, by looking for one: known from what is declared, before anything is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter

Masks = Mapping[tuple[int, ...], NDArray[np.bool_]]
_MOST_WORK = 2 * 10**8  # cells of masks that are looked at


def possible_row(sizes: Sequence[int], masks: Masks) -> tuple[int, ...]:
    """A row that no mask forbids; refused where there is none, or none is found with bounded work.

    >>> possible_row((2, 2), {(0, 1): np.array([[False, True], [False, False]])})
    (0, 1)
    """
    search = _Search(sizes, masks)
    order = sorted(range(len(sizes)), key=search.freedom)
    return search.found(order)


@dataclass
class _Search:
    """Values are tried column by column, the tightest first, where every mask leaves something beside those chosen."""

    sizes: Sequence[int]
    masks: Masks
    left: int = _MOST_WORK
    chosen: dict[int, int] = field(default_factory=dict[int, int])

    def freedom(self, column: int) -> float:
        """The least share that a mask over a column leaves possible."""
        return min((float(mask.mean()) for marginal, mask in self.masks.items() if column in marginal), default=2.0)

    def found(self, order: Sequence[int]) -> tuple[int, ...]:
        """The first row in that order of columns."""
        depth, begin = 0, [0] * len(order)
        while depth < len(order):
            column = order[depth]
            value = next((v for v in range(begin[depth], self.sizes[column]) if self._is_open(column, v)), None)
            if value is not None:
                self.chosen[column], begin[depth] = value, value + 1
                depth += 1
                continue
            if depth == 0:
                raise _nothing("none is")
            begin[depth], depth = 0, depth - 1
            del self.chosen[order[depth]]
        return tuple(self.chosen[column] for column in range(len(self.sizes)))

    def _is_open(self, column: int, value: int) -> bool:
        """Whether every mask over a column leaves something, given what is chosen and a value of it."""
        for marginal, mask in self.masks.items():
            if column in marginal:
                known = {**self.chosen, column: value}
                part = mask[tuple(known.get(place, slice(None)) for place in marginal)]
                self.left -= max(1, part.size)
                if self.left < 0:
                    raise _nothing("none was found in a long search")
                if not part.any():
                    return False
        return True


def _nothing(why: str) -> InvalidParameter:
    return InvalidParameter("impossible", "must leave some row possible, and", why, hint="forbid less")
