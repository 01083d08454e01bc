"""What a verb prepares without data: an event, what will be read, and what is done with it after the charge."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from sfumato.accounting.events import Event
from sfumato.core.printing import Json
from sfumato.curator.charge import Reader
from sfumato.curator.release import Cost
from sfumato.curator.words import exact_text
from sfumato.data import Dataset
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.exact.bits import BitSource
from sfumato.ledger.given import LONGEST_QUESTION
from sfumato.query import PricedQuery, Question, plan_question
from sfumato.query.context import Public

T = TypeVar("T")
_NEARLY = Fraction(999, 1000)
_LONGEST_LABEL = 200


@dataclass(frozen=True)
class Ask(Generic[T]):
    """A question that is ready to be charged.

    `compute` runs after the charge and gives what is stored; `show` makes what can be seen of what is stored. With an
    `unpaid` error no charge is made: what is stored is given, else the error.
    """

    event: Event
    """What is charged; of a question of a run, what was charged for the run."""
    about: Any
    """What decides the answer, as JSON values."""
    reads: PricedQuery | None
    compute: Callable[[Reader], Json]
    show: Callable[[Any], T]
    cost: Cost
    key: str | None = None
    unpaid: SfumatoError | None = None
    run: int | None = None
    """The entry of the run that it is a question of, which was charged as a whole."""
    verb: str = ""
    """What is done with the text, in a word that the log shows; nothing for SQL that is answered as it is."""
    text: str = ""
    label: str = ""
    then: "Callable[[T], Ask[T]] | None" = None
    """Of a first step the second, from what can be seen of it."""
    most: Event | None = None
    """What both steps may cost, which must be there before the first is charged."""

    def __post_init__(self) -> None:
        label: object = self.label
        if not isinstance(label, str) or len(label) > _LONGEST_LABEL or not (label or " ").isprintable():
            raise InvalidParameter(
                "label", f"must be printable text of at most {_LONGEST_LABEL} characters", label,
                hint='label="weekly report"',
            )  # fmt: skip
        key: object = self.key
        if key is not None and not (isinstance(key, str) and 0 < len(key) <= _LONGEST_LABEL and key.isprintable()):
            raise InvalidParameter(
                "key", f"must be printable text of 1 to {_LONGEST_LABEL} characters, or be left out", key,
                hint='key="report-7"',
            )  # fmt: skip

    @property
    def said(self) -> str:
        """The question's text as an entry keeps it: the verb first, and no longer than is kept."""
        return (f"{self.verb}: {self.text}" if self.verb else self.text)[:LONGEST_QUESTION]


class Desk:
    """Where questions are prepared: the declaration, public values and a source of bits, and no way to private data."""

    def __init__(self, dataset: Dataset, public: Public, bits: BitSource | None = None) -> None:
        self.dataset, self.bits = dataset, bits
        self.public = public

    def question(self, text: str) -> Question:
        """A checked question about this dataset."""
        return plan_question(text, self.dataset, self.public)

    def too_cheap(self, cost: Cost) -> SfumatoError | None:
        """Why a question is not charged at its price: a failure tells something, so a question has a least price."""
        for name, value, least in (
            ("epsilon", cost.epsilon, self.dataset.rules.least_epsilon),
            ("rho", cost.rho, self.dataset.rules.least_rho),
        ):
            if value is not None and value < least * _NEARLY:  # noise is rounded up, and what it costs down
                return InvalidParameter(
                    name, f"must be at least {exact_text(least)} for a question", float(value),
                    hint=f"{name}={exact_text(least)}",
                )  # fmt: skip
        return None
