"""What a plan is made of: a part says which exact tables it needs, what it costs, how it measures, how it answers.

A kind of part is one file with a class that reads its entry of a plan, and one line in `kinds.py`. Its life:

    read       an entry of the plan -> PlanPart                                    words, and nothing else
    tables     which marginals the engine counts for it                        the engine counts all parts' in one pass
    price      an offer -> PricedPart: its event and what errors to expect     before any data are seen
    measure    exact integers and bits -> noisy arrays of whole numbers        the only step that sees data
    opened     its words of the file and the noisy arrays -> MeasuredPart      answers and bars, for ever

`measure` must give arrays whose number and shapes are those of `PricedPart.shapes`, whatever the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.exact.bits import BitSource
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.noises import NoiseKind
from sfumato.synth.publication.tables import NoisyTable, Places

if TYPE_CHECKING:
    from sfumato.synth.publication.public_tree import PublicTables

Columns = tuple[str, ...]
Measured = Sequence[NDArray[np.int64]]
Domains = Mapping[str, tuple[Any, ...]]
"""The public values of each column, in order."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be spent on one part, in which noise, and on what."""

    amount: Fraction
    """ε or ρ, as the kind of noise is paid."""
    noise: NoiseKind
    moved: int
    """How far one person moves any one exact table, in 2**bits of a row."""
    bits: int
    shapes: Mapping[Columns, tuple[int, ...]]
    """How many values the columns of each of its tables have."""
    domains: Domains = field(default_factory=dict)
    """The public values of every column."""


@dataclass(frozen=True, slots=True)
class ExpectedTable:
    """What to expect of one table that will be published: how many cells, and the standard error of each in rows."""

    columns: Columns
    cells: int
    standard_error: float


class PricedPart(Protocol):
    """A part with its noise: what it costs is known, and no data were seen."""

    @property
    def event(self) -> Event:
        """What one run of `measure` costs."""
        ...

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of what `measure` gives."""
        ...

    def expected(self) -> tuple[ExpectedTable, ...]:
        """The errors to expect."""
        ...

    def measure(self, exact: Mapping[Columns, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        """Noisy whole numbers of the exact tables."""
        ...

    def to_json(self) -> dict[str, Any]:
        """All that is needed to answer from what was measured."""
        ...


class PlanPart(Protocol):
    """One entry of a plan."""

    kind: ClassVar[str]

    @property
    def worth(self) -> Fraction:
        """What it is worth beside the others: what is spent is shared in proportion."""
        ...

    @property
    def tables(self) -> tuple[Columns, ...]:
        """The marginals that the engine counts for it."""
        ...

    @property
    def published(self) -> tuple[Columns, ...]:
        """The tables of counts that it publishes, of which rows can be made."""
        ...

    def price(self, offer: Offer) -> PricedPart:
        """The part with the noise that the offer pays for."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The entry as a plan writes it."""
        ...


@runtime_checkable
class NeedsPublicTables(Protocol):
    """A part that is priced once it has read what public tables say."""

    def placed(self, domains: Domains, public: "PublicTables | None") -> PlanPart:
        """The same part, with what they say."""
        ...


class MeasuredPart(Protocol):
    """What was measured of a part, ready to answer."""

    @property
    def tables(self) -> tuple[NoisyTable, ...]:
        """Tables of counts whose cells have independent noise of a known law."""
        ...

    @property
    def estimated(self) -> tuple[EstimatedTable, ...]:
        """Tables of unbiased counts whose cells are not independent, beside those."""
        ...

    def answer(self, chosen: Mapping[str, Places], confidence: Fraction) -> "PublishedAnswer | None":
        """What it says of a count by a way of its own, beside its tables; None where it has none."""
        ...


class PartKind(Protocol):
    """How a kind of part is read: from a plan, and from a published folder."""

    kind: ClassVar[str]

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> PlanPart:
        """The part that an entry of a plan over these columns says, or one clear error."""
        ...

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> MeasuredPart:
        """The part as a published folder holds it."""
        ...
