"""Mechanisms that choose instead of measure: noisy max over groups, and a watch over a stream of counts."""

import uuid
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING, Any

from sfumato.core import Sensitivity
from sfumato.curator.release import Cost, Release
from sfumato.errors import Halted, InvalidParameter, InvalidQuestion, SfumatoError
from sfumato.exact.parameters import integer, whole
from sfumato.mechanisms import AboveThreshold, OneSidedNoisyMax
from sfumato.query import PricedQuery, Question, Spend, price
from sfumato.query.expression import Ref
from sfumato.query.price import PEOPLE
from sfumato.query.released import Bar

if TYPE_CHECKING:
    from sfumato.curator.curator import Curator

MOST_ASKED = 1000
"""How many questions a watch answers."""
_FARTHEST = 10**12
_COUNTS = ("rows", "people", "present", "distinct")


def noisy_max(
    curator: "Curator", text: str, epsilon: Fraction, key: str | None, unpaid: SfumatoError | None = None
) -> Release:
    """The key of a public group whose aggregate is likely the largest (Survey Theorem 4.7)."""
    asked = curator.question(text)
    groups = asked.groups
    if not asked.keys or groups is None:
        raise InvalidQuestion("noisy max chooses among public groups", hint="GROUP BY a column with declared values")
    query = _one_measure(asked, curator, ("sum", *_COUNTS))
    measure = query.measures.measures[0]
    mechanism = OneSidedNoisyMax(
        epsilon=epsilon,
        candidates=groups,
        sensitivity=Sensitivity.linf(_move(query), PEOPLE),
        monotone=measure.low >= 0,  # a person who comes only adds
    )

    def choose() -> Any:
        exact = curator._exact(query)
        at = {group: i for i, group in enumerate(exact.keys)}
        column = exact.columns[query.measures.starts[0]]
        scores = [int(column[at[group]]) if group in at else 0 for group in groups]
        return {"chosen": groups.index(mechanism.release(scores, bits=curator._bits))}

    about = {
        "noisy max": query.question.canonical(),
        "bounds": query.bounds.canonical(),
        "declared": query.question.declared(curator.dataset),
        "event": mechanism.event.to_json(),
    }
    off = mechanism.error(1 - curator.dataset.defaults.confidence).alpha * float(measure.step)
    names = [f"key {i + 1}" for i in range(len(asked.keys))]
    for name, output in asked.outputs:
        index = getattr(output, "index", None)
        if index is not None and index < len(names):
            names[index] = name

    def show(stored: Any) -> dict[str, Any]:
        return {
            "columns": tuple(names),
            "bars": (tuple(Bar(part) for part in groups[stored["chosen"]]),),
            "confidence": curator.dataset.defaults.confidence,
            "notes": (f"its aggregate is at most {off:,.6g} below the largest, with the stated confidence",),
        }

    cost = Cost(mechanism.event.pure(), None, Fraction(0))
    return curator._released(mechanism.event, about, choose, show, cost=cost, key=key, unpaid=unpaid)


class Watch:
    """A run of AboveThreshold: it answers whether counts pass the threshold until one does, then halts.

    Its price was charged when it began, and covers any number of questions (Survey Theorem 6.1). Each is an entry of
    the ledger all the same, as it reads data: there are at most 1 000, and one that fails ends the run.
    """

    def __init__(self, curator: "Curator", mechanism: AboveThreshold, most: int, sequence: int) -> None:
        self._curator, self._mechanism, self._most, self._sequence = curator, mechanism, most, sequence
        self._run = mechanism.start(bits=curator._bits)
        self._left, self._ended, self._turn = MOST_ASKED, False, Lock()

    def __repr__(self) -> str:
        return f"<watch: {'halted' if self.halted else 'open'}>"

    @property
    def halted(self) -> bool:
        """Whether a count passed, or a question failed, after which nothing more is answered."""
        return self._ended or self._run.halted

    def ask(self, text: str) -> bool:
        """Whether one count is above the noisy threshold; a question that does not fit is refused and costs nothing."""
        with self._turn:  # one at a time: what one finds decides whether the next is answered
            return self._asked(text)

    def _asked(self, text: str) -> bool:
        if self.halted:
            raise Halted("the watch has halted", hint="begin a new one, at its own price")
        curator = self._curator
        asked = curator.question(text)
        if asked.keys:
            raise InvalidQuestion("a watch asks for one count at a time", hint="leave GROUP BY out")
        query = _one_measure(asked, curator, _COUNTS)
        if _move(query) > self._most:
            raise InvalidQuestion(
                f"one person may move this count by {_move(query)}, and the watch was begun for {self._most}",
                hint=f"begin one with sensitivity={_move(query)}",
            )
        if not self._left:
            raise Halted(f"the watch has answered {MOST_ASKED} questions", hint="begin a new one, at its own price")
        about = {"ask": uuid.uuid4().hex, "of": query.question.canonical(), "watch": self._sequence}

        def compare() -> bool:
            self._left, self._ended = self._left - 1, True  # until it is known to have ended well
            return bool(self._run.ask(int(curator._exact(query).columns[0][0])))

        above = curator._gate.asked(
            self._sequence, about, compare, lambda outcome: InvalidQuestion(outcome.problem, hint=outcome.hint)
        )
        self._ended = False
        return above


def above_threshold(curator: "Curator", threshold: int, epsilon: Fraction, sensitivity: int | None) -> Watch:
    """A watch, charged now (Survey Algorithm 5)."""
    most = sensitivity
    if most is None:
        most = max((table.rows_per_group for table in curator.dataset.tables if not table.public), default=1)
    most = whole("sensitivity", most, least=1)
    if abs(integer("threshold", threshold)) > _FARTHEST or most > _FARTHEST:
        raise InvalidParameter(
            "threshold", "and sensitivity must be at most 10**12, so that a run ends", (threshold, most),
            hint="a threshold that no count reaches is never passed",
        )  # fmt: skip
    mechanism = AboveThreshold(threshold=threshold, epsilon=epsilon, sensitivity=Sensitivity.linf(most, PEOPLE))
    about = {"watch": uuid.uuid4().hex, "threshold": threshold, "sensitivity": most}  # every run is one of its own
    return curator._gate.through(
        mechanism.event,
        about,
        lambda: {"watch": "begun"},
        lambda _: None,
        lambda answer, _, __: Watch(curator, mechanism, most, answer.sequence),
        refusal=lambda outcome: curator._refusal(outcome, mechanism.event),
    )


def _one_measure(asked: Question, curator: "Curator", kinds: tuple[str, ...]) -> PricedQuery:
    """The question with its bounds; the price within is not used, only one measure of a listed kind is let through."""
    if len(asked.aggregates) != 1 or asked.aggregates[0].kind not in kinds:
        raise InvalidQuestion(
            f"one aggregate is needed, of: {', '.join(kinds)}", hint="SELECT key, COUNT(*) … GROUP BY key"
        )
    shown = all(isinstance(output, Ref) for _, output in asked.outputs)
    if not shown or asked.having is not None or asked.order or asked.limit is not None or asked.offset:
        raise InvalidQuestion(
            "the aggregate is compared as it is, without arithmetic, HAVING, ORDER BY or LIMIT",
            hint="SELECT key, SUM(-x) … GROUP BY key asks for the least; sql() computes with what is released",
        )
    return price(asked, curator.dataset, Spend(Fraction(1), None, Fraction(0)))


def _move(query: PricedQuery) -> int:
    """The most one person moves the aggregate of any one group."""
    measure, limits = query.measures.measures[0], query.bounds
    if measure.kind == "people":
        return 1
    return (limits.rows if limits.cut is None else limits.cut) * measure.unit
