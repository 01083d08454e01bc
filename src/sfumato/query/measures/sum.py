"""The sum of a number, in steps from a centre."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, Place, at_most, kept_of
from sfumato.query.measures.steps import InSteps

_WIDE = 2**30  # sums of this many steps a person stay within 64 bits for 2**33 people
_LIGHT = 2**16  # sums of whole doubles of this size are exact up to 2**37 rows, and twice as fast as 128 bits
_FEW = 2**9  # a light sum times this many rows stays within 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(InSteps, AdditiveMeasure):
    """The sum of what rows are above `centre`.

    Where a person has more than `rows` rows in a group, the rows count in part: all of them with weight rows/n, which
    is what keeping `rows` of them at random gives on average.
    """

    kind: ClassVar[str] = "sum"
    words: ClassVar[str] = "sum"

    shared: bool = False
    """It belongs to a split count, whose share of the rows it keeps."""

    @property
    def unit(self) -> int:
        """The end that is farther from the centre."""
        return max(abs(self.low - self.centre), abs(self.high - self.centre), 1)

    @property
    def is_light(self) -> bool:
        """Whether whole doubles add up exactly, whatever the order, so that wide sums are not needed."""
        return self.unit <= _LIGHT

    @property
    def needs_rows(self) -> bool:
        """Where it keeps a share of all rows."""
        return self.shared and self.where is None

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        ends = (self.low, self.high)
        return self._canonical(self.of, step=self.step, ends=ends, centre=self.centre, shared=self.shared)

    def _term(self, at: Place) -> str:
        """What is added up of a row."""
        return f"m{at.own}"

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """The steps of a row; 1 where the condition holds, if a share of those rows is kept."""
        own = f"{self.steps(write, light=self.is_light)} AS m{at.own}"
        if not self.shared or self.where is None:
            return [own]
        return [own, f"CASE WHEN {write.sql(self.where)} THEN 1 END AS f{at.own}"]

    def of_person(self, at: Place, write: ColumnWriter) -> list[str]:
        """The sum, and how many rows add to it."""
        del write
        own = [f"sum({self._term(at)}) AS s{at.own}", f"count(m{at.own}) AS x{at.own}"]
        return [*own, f"count(f{at.own}) AS n{at.own}"] if self.shared and self.where is not None else own

    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """The sums of people, those of more rows than count weighted down."""
        i = at.own
        kept = at_most(f"x{i}", most)
        if self.shared:
            kept = f"({kept_of(f'x{i}', 'n' if self.where is None else f'n{i}', most, write)})"
        whole = write.whole(f"s{i}") if self.is_light and most <= _FEW else write.wide(f"s{i}")
        share = write.divided(f"{whole} * {kept}", f"x{i}")
        part = f"CASE WHEN x{i} > 0 AND {kept} < x{i} THEN {share} ELSE {whole} END"
        return [f"{write.total(part, narrow=self.unit * most < _WIDE)} AS a{i}"]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """All of them."""
        del person
        return [f"{write.total(self._term(at), narrow=self.unit < _WIDE)} AS a{at.own}"]
