"""What one call of a function does for one row at most, in bytes of text and in steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.query.expression import MOST_CHARACTERS, Call, longest

BYTES = 4  # of a character, at most
_COMPARED = 128  # characters that a search compares in the time of a step: measured on texts that agree for long


@dataclass(frozen=True, slots=True)
class Work:
    """Leaves that are written, bytes of text that are held at once, and steps, each about one character looked at."""

    leaves: int = 0
    bytes: int = 0
    steps: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.leaves + other.leaves, self.bytes + other.bytes, self.steps + other.steps)

    def times(self, many: int) -> "Work":
        """As much, written so many times."""
        return Work(self.leaves * many, self.bytes * many, self.steps * many)

    def of_rows(self, many: int) -> "Work":
        """As much, written once and done for so many rows."""
        return Work(self.leaves, self.bytes * many, self.steps * many)


Cost = Callable[[Call, Sequence[int]], Work]
"""The work of a call, from how many characters its operands have; texts that are cut are counted beside it."""


def looked_at(_: Call, lengths: Sequence[int]) -> Work:
    """Every character is looked at once."""
    return Work(1, 0, 1 + sum(lengths))


def read_over(_: Call, lengths: Sequence[int]) -> Work:
    """A part of a text is found by a pattern, and read."""
    return Work(1, BYTES * sum(lengths), 1 + 2 * sum(lengths))


def made_anew(call: Call, lengths: Sequence[int]) -> Work:
    """A text is made."""
    known = longest(call)
    made = MOST_CHARACTERS if known is None else known
    return Work(1, BYTES * made, sum(lengths) + made)


def joined(_: Call, lengths: Sequence[int]) -> Work:
    """Texts are joined one by one, and cut at every step."""
    steps = [min(MOST_CHARACTERS, sum(lengths[: i + 1])) for i in range(len(lengths))]
    return Work(1, BYTES * 2 * sum(steps), sum(lengths) + 2 * sum(steps))


def searched(call: Call, lengths: Sequence[int]) -> Work:
    """A text is looked for in another; patterns with _ are compared letter by letter."""
    at_once = 1 if "_" in str(getattr(call.args[1], "value", "")) else _COMPARED
    return Work(1, 0, sum(lengths) + lengths[0] * lengths[1] // at_once)


def searched_in_lower_case(_: Call, lengths: Sequence[int]) -> Work:
    """The same with letters of either case, which are made one case first and compared one by one."""
    return Work(1, BYTES * lengths[0], sum(lengths) + lengths[0] * lengths[1])


def looked_up(call: Call, _: Sequence[int]) -> Work:
    """Every operand is a leaf."""
    return Work(len(call.args), 0, len(call.args))
