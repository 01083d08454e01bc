"""A dialect: the SQL of one engine for what differs between engines, each piece total whatever the cells.

What is written here must not fail on any value: where there is none, it is NULL. Integers are 64 bits wide, numbers
that are computed are IEEE doubles, and nothing depends on a locale, a time zone or the order of rows.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from sfumato.data import Kind
from sfumato.query.functions.record import Words


class Dialect(Words, Protocol):
    """How one engine writes what engines write differently, besides the words that a function's record needs."""

    @property
    def adds_doubles(self) -> bool:
        """Whether sums of whole doubles are faster than those of whole numbers, and as exact in every order."""
        ...

    @property
    def weighs_by_window(self) -> bool:
        """Whether people's weights are found by windows over their rows, which are then read once, not by a join."""
        ...

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        ...

    def literal(self, value: object, kind: Kind) -> str:
        """A constant."""
        ...

    def tried(self, made: str) -> str:
        """The same, and NULL where anything in it still fails."""
        ...

    def shortened(self, made: str, most: int) -> str:
        """The first characters of a text, in time that does not grow with a short text."""
        ...

    def ranked(self, rows: str, rank: str, most: int, *, also: str = "") -> str:
        """The rows whose rank, a window function, is at most so high, and those for which `also` is true."""
        ...

    def divided(self, whole: str, by: str) -> str:
        """A whole number divided by one that is not zero, cut towards zero."""
        ...

    def root(self, whole: str) -> str:
        """⌈√x⌉ of a column of whole numbers from 1 to 2**62, exactly."""
        ...

    def wide(self, made: str) -> str:
        """A whole number in a type that holds the product of two of 64 bits."""
        ...

    def scaled(self, number: str, step: Fraction) -> str:
        """A double in steps; infinite where it is too large."""
        ...

    def common(self, name: str, rows: str, *, twice: bool) -> str:
        """Rows under a name, as WITH lists them; those of one table are read twice rather than kept."""
        ...

    def summed(self, term: str, *, narrow: bool, over: str = "") -> str:
        """The sum of whole numbers, NULL of none; 64 bits where it is known to fit. `over` is a window, or a FILTER."""
        ...

    def total(self, term: str, *, narrow: bool) -> str:
        """The sum of whole numbers, 0 of none; as 64 bits where it is known to fit, else as text of its digits."""
        ...

    def by_sets(self, names: Sequence[str], sets: Sequence[Sequence[str]], totals: Sequence[str], source: str) -> str:
        """One line a set of names and a group of it: `s`, which set; the names, NULL if not in it; the totals.

        Every name is in one of the sets. `s` is SQL's GROUPING of all the names: a bit for each, the first the highest,
        which is 1 if it is not in it.
        """
        ...

    def xor(self, left: str, right: str) -> str:
        """The bits that are in one of two whole numbers and not in both."""
        ...

    def text_number(self, made: str) -> str:
        """The first eight bytes of the MD5 of a text in UTF-8, the least significant first, cut to 60 bits."""
        ...

    def moment_number(self, made: str, kind: Kind) -> str:
        """A day as days, a moment as microseconds, since the beginning of 1970."""
        ...
