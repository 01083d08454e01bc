"""Watches: runs over a stream of counts, charged when they begin, that answer until so many counts have passed."""

import uuid
from collections.abc import Callable
from fractions import Fraction
from threading import Lock
from typing import Any, TypeVar

from sfumato.core import Accuracy, Sensitivity
from sfumato.core.printing import Json
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.charge import Reader
from sfumato.curator.documents import WATCH, WATCH_ANSWER, amount_json, headed
from sfumato.curator.pace import Paced
from sfumato.curator.release import NOTHING, Cost
from sfumato.curator.scoring import COUNTS, at, bits, one_measure
from sfumato.data import Dataset
from sfumato.errors import Halted, InvalidParameter, InvalidQuestion
from sfumato.exact.parameters import integer, whole
from sfumato.mechanisms import AboveThreshold, NumericSparse, Sparse, SparseTechnique
from sfumato.query.price import PEOPLE

T = TypeVar("T")
Found = bool | int | None
"""Whether a count is above; of a watch that gives values, a noisy value above and None below."""
MOST_ASKED = 1000
"""How many questions a watch answers."""
_FARTHEST = 10**12


class Watch:
    """A run that answers whether counts pass a threshold, until as many did as it was priced for, then halts.

    Its price was charged when it began, and covers any number of questions (Survey Theorems 6.1, 6.4 and 6.6). Each is
    an entry of the ledger all the same, as it reads data: there are at most 1 000, and one that fails ends the run.
    """

    def __init__(self, session: Any, desk: Desk, mechanism: SparseTechnique, sequence: int) -> None:
        self.cost = _cost(mechanism)
        self._session, self._desk, self._mechanism, self._sequence = session, desk, mechanism, sequence
        self._run = mechanism.start(bits=desk.bits)
        self._left, self._ended, self._turn = MOST_ASKED, False, Lock()
        self._passed = 0

    def __repr__(self) -> str:
        return f"<watch: {'halted' if self.halted else 'open'}>"

    @property
    def halted(self) -> bool:
        """Whether as many counts passed as were paid for, or a question failed: nothing more is answered."""
        return self._ended or self._run.halted

    @property
    def still_to_pass(self) -> int:
        """How many counts may still pass before it halts."""
        return 0 if self.halted else len(self._mechanism.stages) - self._passed

    @property
    def accuracy(self) -> Accuracy:
        """How far from the threshold a count may be that is told apart wrongly, over all the questions of a run."""
        return self._mechanism.error(1 - self._desk.dataset.defaults.confidence, queries=MOST_ASKED)

    def to_json(self) -> dict[str, Any]:
        """What was begun and what it cost, as JSON values."""
        mechanism, sure = self._mechanism, self._desk.dataset.defaults.confidence
        return {
            **headed(WATCH),
            "threshold": mechanism.level,
            "sensitivity": int(mechanism.moved),
            "cutoff": len(mechanism.stages),
            "values": mechanism.value_noise is not None,
            "questions": MOST_ASKED,
            "within": self.accuracy.alpha,
            "confidence": amount_json(sure),
            "cost": self.cost.to_json(),
            "remaining": [each.to_json() for each in self._session.remaining()],
            "sequence": self._sequence,
        }

    def answer_json(self, text: str, answer: Any) -> dict[str, Any]:
        """One answer of this watch, as JSON values."""
        above = answer is not None and answer is not False
        return {
            **headed(WATCH_ANSWER),
            "question": text,
            "above": above,
            "value": answer if above and answer is not True else None,
            "halted": self.halted,
            "still_to_pass": self.still_to_pass,
            "sequence": self._sequence,
        }

    def ask(self, text: str, *, label: str = "") -> Found:
        """Whether one count is above the noisy threshold; a question that does not fit is refused and costs nothing.

        A watch that gives values (`numeric_sparse`) answers with a noisy value for a count above, and None below.
        """
        found: Found = self._session.pace.waited(self._paced(text, label))
        return found

    async def ask_async(self, text: str, *, label: str = "") -> Found:
        """The same, without holding up an event loop."""
        paced = await self._session._in_pool(lambda: self._paced(text, label))
        found: Found = await self._session.pace.waited_async(paced)
        return found

    def _paced(self, text: str, label: str) -> Paced[Found]:
        def one_at_a_time() -> Found:
            with self._turn:  # what one finds decides whether the next is answered
                return self._asked(text, label)

        paced: Paced[Found] = self._session.pace.paced(one_at_a_time)
        return paced

    def _asked(self, text: str, label: str) -> Found:
        if self.halted:
            raise Halted("the watch has halted", hint="begin a new one, at its own price")
        query = self._fitting(text)
        if not self._left:
            raise Halted(f"the watch has answered {MOST_ASKED} questions", hint="begin a new one, at its own price")

        def compare(reader: Reader) -> Json:
            self._left, self._ended = self._left - 1, True  # until it is known to have ended well
            found = self._run.ask(_nearest(int(reader.exact().columns[0][0]), bits(query)))
            return {"above": found} if isinstance(found, bool) else {"above": found is not None, "value": found}

        answer: Found = self._session._shown(
            Ask(
                event=self._mechanism.event,
                about={"ask": uuid.uuid4().hex, "of": query.question.canonical(), "watch": self._sequence},
                reads=at(query, self._mechanism.event),
                compute=compare,
                show=lambda stored: stored["value"] if "value" in stored else stored["above"],
                cost=NOTHING,
                run=self._sequence,
                verb="watch",
                text=text,
                label=label,
            )
        )
        self._ended = False
        self._passed += answer is not None and answer is not False
        return answer

    def _fitting(self, text: str) -> Any:
        """The question, if it is one count that no person moves further than the run was priced for."""
        asked = self._desk.question(text)
        if asked.keys:
            raise InvalidQuestion("a watch asks for one count at a time", hint="leave GROUP BY out")
        query, most = one_measure(self._desk, asked, COUNTS), self._mechanism.moved
        moved = query.measures.measures[0].most(query.bounds)
        if moved > most:
            raise InvalidQuestion(
                f"one person may move this count by {moved}, and the watch was begun for {most}",
                hint=f"begin one with sensitivity={moved}",
            )
        return query


def _nearest(parts: int, fine: int) -> int:
    """A count in whole rows: whoever moves the parts by at most a whole number of rows moves it by no more."""
    return (2 * parts + (1 << fine)) >> (fine + 1)


def above_threshold(desk: Desk, threshold: int, *, epsilon: Amount, sensitivity: int | None = None) -> SparseTechnique:
    """A run that ends with the first count above (Survey Algorithm 5)."""
    price = _price(desk, epsilon)
    return AboveThreshold(threshold=threshold, epsilon=price, sensitivity=_moved(desk, threshold, sensitivity))


def sparse(
    desk: Desk, threshold: int, *, epsilon: Amount, cutoff: int, sensitivity: int | None = None
) -> SparseTechnique:
    """A run that ends with the last of `cutoff` counts above, each at ε/cutoff (Survey Algorithm 6)."""
    return Sparse(**_several(desk, threshold, epsilon, cutoff, sensitivity))


def numeric_sparse(
    desk: Desk, threshold: int, *, epsilon: Amount, cutoff: int, sensitivity: int | None = None
) -> SparseTechnique:
    """The same, which also gives the noisy values of counts above (Survey Algorithm 7)."""
    return NumericSparse(**_several(desk, threshold, epsilon, cutoff, sensitivity))


def _several(desk: Desk, threshold: int, epsilon: Amount, cutoff: int, sensitivity: int | None) -> dict[str, Any]:
    price = _price(desk, epsilon)
    if whole("cutoff", cutoff, least=1) > MOST_ASKED:
        raise InvalidParameter("cutoff", f"must be at most {MOST_ASKED}, the questions of a watch", cutoff)
    moved = _moved(desk, threshold, sensitivity)
    return {"threshold": threshold, "epsilon": price, "cutoff": cutoff, "sensitivity": moved}


def _price(desk: Desk, epsilon: Amount) -> Fraction:
    """The ε of a run, which must be worth a question."""
    price = amount("epsilon", epsilon)
    cheap = desk.too_cheap(Cost(price, None, Fraction(0)))
    if cheap is not None:
        raise cheap
    return price


def _moved(desk: Desk, threshold: int, sensitivity: int | None) -> Sensitivity:
    """The most one person may move a count that will be asked; by default the largest of any table."""
    most = sensitivity
    if most is None:
        most = max(_rows_in_a_count(desk.dataset), default=1)
    most = whole("sensitivity", most, least=1)
    if abs(integer("threshold", threshold)) > _FARTHEST or most > _FARTHEST:
        raise InvalidParameter(
            "threshold", "and sensitivity must be at most 10**12, so that a run ends", (threshold, most),
            hint="a threshold that no count reaches is never passed",
        )  # fmt: skip
    return Sensitivity.linf(most, PEOPLE)


def _rows_in_a_count(dataset: Dataset) -> list[int]:
    """How many rows of a person count in each private table, if all of them are counted."""
    private = [table for table in dataset.tables if not table.public]
    declared = [(table.rows_per_group, table.rows_per_person) for table in private if dataset.unit is not None]
    return [min(known) for each in declared if (known := [number for number in each if number is not None])]


def begun(mechanism: SparseTechnique, show: Callable[[Any], T], label: str = "") -> Ask[T]:
    """The charge of a run: every run is one of its own, and reads nothing yet."""
    return Ask(
        event=mechanism.event,
        about={"watch": uuid.uuid4().hex, "threshold": mechanism.level, "sensitivity": str(mechanism.moved)},
        reads=None,
        compute=lambda _: {"watch": "begun"},
        show=show,
        cost=_cost(mechanism),
        verb="begin a watch",
        text=_told(mechanism),
        label=label,
    )


def _told(mechanism: SparseTechnique) -> str:
    """A run in words, for its entry."""
    values = ", with values" if mechanism.value_noise is not None else ""
    return f"counts above {mechanism.level}, until {len(mechanism.stages)} passed{values}"


def _cost(mechanism: SparseTechnique) -> Cost:
    return Cost(mechanism.event.pure(), None, mechanism.event.pure_delta())
