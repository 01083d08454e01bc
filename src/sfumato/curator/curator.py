"""The curator: the one place where a question, a ledger and an engine meet, in an order that cannot be changed.

Parse, plan, price: free and without data. Reserve: one durable charge, or a refusal. Only then the engine reads data,
exact noise is added, the release is stored in the ledger, and leaves. What fails after the charge leaves the charge.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from types import TracebackType
from typing import Any, Self

from sfumato.accounting.events import Event
from sfumato.curator.accuracy import Within, least_epsilon
from sfumato.curator.building import Asking
from sfumato.curator.explanation import Explanation, explained, notes
from sfumato.curator.gate import Gate
from sfumato.curator.interactive import Watch, above_threshold, noisy_max
from sfumato.curator.noise import released
from sfumato.curator.release import Cost, Release, exact_text, written, written_down
from sfumato.data import Dataset, Kind
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.errors import BudgetExceeded, InvalidParameter, InvalidQuestion, SfumatoError
from sfumato.exact.amounts import Real, sized
from sfumato.exact.bits import BitSource
from sfumato.ledger import Answered, Balance, Ledger, Refused
from sfumato.query import PricedQuery, Question, Spend, price, question
from sfumato.query.parse import stands_alone
from sfumato.query.postprocess import finished

Amount = Real
_KEPT = ("release", "secret", "declaration")  # of an entry, for those who may read the ledger itself
_NEARLY = Fraction(999, 1000)
_NOTHING = Cost(None, None, Fraction(0))


class Curator:
    """Answers an analyst's questions about one dataset, each charged before data are read.

    `sfumato.open` makes one. Threads may share it; after a fork, open another.
    """

    def __init__(self, engine: DuckDBEngine, ledger: Ledger, analyst: str, *, bits: BitSource | None = None) -> None:
        self._engine, self._ledger, self._analyst, self._bits = engine, ledger, analyst, bits
        self.dataset: Dataset = engine.dataset
        self._gate = Gate(engine, ledger, analyst)

    # ---- questions ----

    def sql(
        self,
        text: str,
        *,
        epsilon: Amount | None = None,
        delta: Amount | None = None,
        rho: Amount | None = None,
        within: Within | Mapping[str, Within] | None = None,
        confidence: Amount | None = None,
        key: str | None = None,
    ) -> Release:
        """The private answer to a SQL question, priced by ε, by ρ, or by the accuracy that is wanted.

        `key` names the request: asked again with the same key, the stored answer comes back and nothing is charged.
        """
        query = self._priced(text, epsilon=epsilon, delta=delta, rho=rho, within=within, confidence=confidence)
        about = {**query.canonical(), "declared": query.question.declared(self.dataset)}
        cost = cost_of(query)
        return self._released(
            query.event,
            about,
            lambda: self._noisy(query),
            lambda stored: self._shown(query, stored),
            cost=cost,
            key=key,
            unpaid=self._too_cheap(cost),
        )

    def explain(
        self,
        text: str,
        *,
        epsilon: Amount | None = None,
        delta: Amount | None = None,
        rho: Amount | None = None,
        within: Within | Mapping[str, Within] | None = None,
        confidence: Amount | None = None,
    ) -> Explanation:
        """The plan, price and expected error of a question, for nothing and without reading data."""
        query = self._priced(text, epsilon=epsilon, delta=delta, rho=rho, within=within, confidence=confidence)
        cost = cost_of(query)
        cheap = self._too_cheap(cost)
        if cheap is not None:
            raise cheap
        left = self._left()
        after = tuple((name, _minus(value, _amount_in(cost, currency))) for name, value, currency in left)
        affordable = all(
            balance.remaining >= _amount_in(cost, balance.currency)
            and balance.delta_cap - balance.delta_spent >= cost.delta
            for balance in self.budget()
        )
        return explained(query, self.dataset, cost, after, affordable=affordable)

    def table(self, source: str) -> Asking:
        """A question built in Python about a table or a subquery: where, group_by, select, …, then release.

        `curator.table("visits").where("day < 9").group_by("ward").select(n="COUNT(*)").release(epsilon=0.5)`
        """
        return Asking(self, stands_alone("table", source))

    def noisy_max(self, text: str, *, epsilon: Amount, key: str | None = None) -> Release:
        """The public group with the largest aggregate, by one-sided noisy max: its key, and not its value.

        The question has one aggregate, a count or a sum, over groups that are public.
        """
        price = amount("epsilon", epsilon)
        return noisy_max(self, text, price, key, self._too_cheap(Cost(price, None, Fraction(0))))

    def above_threshold(self, threshold: int, *, epsilon: Amount, sensitivity: int | None = None) -> Watch:
        """A run of AboveThreshold over a stream of counts: ε is charged now, for a run of up to 1 000 questions.

        `sensitivity` is the most one person may move a count that will be asked; by default the largest of any table.
        """
        price = amount("epsilon", epsilon)
        cheap = self._too_cheap(Cost(price, None, Fraction(0)))
        if cheap is not None:
            raise cheap
        return above_threshold(self, threshold, price, sensitivity)

    def budget(self) -> tuple[Balance, ...]:
        """Every budget that this analyst's questions count against, with what was spent of it."""
        whole, own = (self._ledger.balances(self.dataset.name, who) for who in ("", self._analyst))
        return (*whole, *own)

    def log(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The ledger's entries about this dataset: this analyst's own, without the released answers, and the caps."""
        for entry in self._ledger.entries():
            body = entry.body
            if body.get("dataset") == self.dataset.name and body.get("principal", "") in ("", self._analyst):
                yield entry.sequence, {name: value for name, value in body.items() if name not in _KEPT}

    def verify(self) -> str:
        """Walk the ledger's whole chain; its anchor, to be kept apart."""
        return self._ledger.verify()

    # ---- price ----

    def _priced(
        self,
        text: str,
        *,
        epsilon: Amount | None,
        delta: Amount | None,
        rho: Amount | None,
        within: Within | Mapping[str, Within] | None,
        confidence: Amount | None,
    ) -> PricedQuery:
        sure = self.dataset.defaults.confidence if confidence is None else amount("confidence", confidence)
        if not 0 < sure < 1:
            raise InvalidParameter("confidence", "must lie between 0 and 1", confidence, hint="confidence=0.95")
        asked = self.question(text)
        if within is not None:
            if epsilon is not None or rho is not None:
                raise InvalidParameter("within", "stands instead of epsilon or rho, and not beside them", within)
            least = least_epsilon(lambda e: self._price(asked, e, delta, None, sure), within, sure)
            epsilon = max(least, self.dataset.rules.least_epsilon)
        return self._price(asked, epsilon, delta, rho, sure)

    def question(self, text: str) -> Question:
        """A checked question about this dataset."""
        return question(text, self.dataset, self._engine)

    def _price(
        self, asked: Question, epsilon: Amount | None, delta: Amount | None, rho: Amount | None, sure: Fraction
    ) -> PricedQuery:
        if epsilon is None and rho is None:
            epsilon = self.dataset.defaults.epsilon
        if (epsilon is None) == (rho is None):
            raise InvalidParameter("epsilon", "or rho must be given, one of them", epsilon, hint="epsilon=0.5")
        spent = amount("epsilon" if rho is None else "rho", epsilon if rho is None else rho)  # type: ignore[arg-type]
        unknown = bool(asked.keys) and asked.groups is None
        fails = Fraction(0)
        if unknown:
            fails = self._share_of_delta(spent) if delta is None else amount("delta", delta, zero=True)
        elif delta is not None:
            amount("delta", delta, zero=True)
        if fails >= 1:
            raise InvalidParameter("delta", "must be below 1", delta, hint="delta=1e-9")
        spend = Spend(spent if rho is None else None, spent if rho is not None else None, fails)
        return price(asked, self.dataset, spend, confidence=sure)

    def _share_of_delta(self, spent: Fraction) -> Fraction:
        """The δ of a question that names none: the owner's default, or δ in proportion to what is spent of ε."""
        if self.dataset.defaults.delta is not None:
            return self.dataset.defaults.delta
        whole = self.dataset.budget
        return whole.delta * min(Fraction(1), spent / whole.amount)

    def _too_cheap(self, cost: Cost) -> SfumatoError | None:
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

    # ---- charge, then read ----

    def _released(
        self,
        event: Event,
        about: Any,
        compute: Callable[[], Any],
        show: Callable[[Any], dict[str, Any]],
        *,
        cost: Cost,
        key: str | None,
        unpaid: SfumatoError | None,
    ) -> Release:
        """What leaves for an event: computed after the charge, or stored before; with its receipt and what remains."""

        def leave(answer: Answered, repeated: bool, shown: dict[str, Any]) -> Release:
            return Release(
                **shown,
                cost=_NOTHING if repeated else cost,
                remaining=self.remaining(),
                receipt=f"{answer.sequence}-{answer.head[:12]}",
                sequence=answer.sequence,
                repeated=repeated,
            )

        return self._gate.through(
            event,
            about,
            compute,
            show,
            leave,
            key=key,
            refusal=lambda outcome: self._refusal(outcome, event),
            unpaid=unpaid,
        )

    def _exact(self, query: PricedQuery) -> ExactTable:
        """The exact answer, for mechanisms of this room alone; it is only asked for inside the gate."""
        return self._engine.aggregate(query)

    def _noisy(self, query: PricedQuery) -> Any:
        keys, noisy = released(query, self._exact(query), bits=self._bits)
        return {"keys": [[stored_key(part) for part in key] for key in keys], "noisy": noisy}

    def _refusal(self, outcome: Refused, event: Event) -> SfumatoError:
        """The error that a refusal is to an analyst, in the words of the question's price."""
        if outcome.reason != "budget":
            return InvalidQuestion(outcome.problem, hint=outcome.hint)
        for name, left, currency in self._left():
            cost = event.zcdp() if currency.startswith("zcdp") else event.pure()
            if cost is not None and cost > left:
                letter = symbol(currency)
                return BudgetExceeded(
                    f"the question costs {letter} = {written(cost)}, and {letter} = {written(left)} is left of {name}",
                    hint=f"ask for at most {letter} = {written_down(left)}, or ask the owner"
                    if left > 0
                    else "ask the owner",
                )
        return BudgetExceeded(outcome.problem, hint=outcome.hint)

    # ---- what leaves ----

    @staticmethod
    def _shown(query: PricedQuery, stored: Any) -> dict[str, Any]:
        """The columns, values and notes of a release, from noisy columns."""
        kinds = [key.kind for key in query.question.keys]
        keys = [tuple(read_key(part, kind) for part, kind in zip(key, kinds, strict=True)) for key in stored["keys"]]
        bars = finished(query, keys, stored["noisy"], 1 - query.confidence)
        return {
            "columns": tuple(name for name, _ in query.question.outputs),
            "bars": tuple(tuple(row) for row in bars),
            "confidence": query.confidence,
            "notes": tuple(notes(query)),
        }

    def _left(self) -> list[tuple[str, Fraction, str]]:
        """Each budget's name, what is left of it, and its currency."""
        return [(budget_name(balance), balance.remaining, balance.currency) for balance in self.budget()]

    def remaining(self) -> tuple[tuple[str, str], ...]:
        """What is left of each budget, by name."""
        return tuple((name, f"{symbol(currency)} = {float(value):.6g}") for name, value, currency in self._left())

    # ---- the end ----

    def close(self) -> None:
        """Close the engine and the ledger, after the questions that are under way."""
        self._gate.close()
        self._engine.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<curator of {self.dataset.name} for {self._analyst}>"


def budget_name(balance: Balance) -> str:
    """Whose budget it is, and of which window."""
    whose = f"analyst {balance.principal}" if balance.principal else f"dataset {balance.dataset}"
    return f"{whose} this {balance.period}" if balance.period else whose


def amount(name: str, value: Amount, *, zero: bool = False) -> Fraction:
    """The exact amount that is meant, within what a question may cost."""
    exact = sized(name, value, least=-60, most=6)
    if exact == 0 and not zero:
        raise InvalidParameter(name, "must be positive", value, hint=f"{name}=0.5")
    return exact


def cost_of(query: PricedQuery) -> Cost:
    """What a question costs, recomputed from the mechanisms that will run."""
    event = query.event
    if query.spend.epsilon is not None:
        epsilon = event.pure()
        if epsilon is None:
            epsilon = query.spend.epsilon
        return Cost(epsilon, None, event.extra_delta())
    return Cost(None, event.zcdp(), event.extra_delta())


def stored_key(value: Any) -> Any:
    """A part of a group's key as JSON."""
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    return value.isoformat() if isinstance(value, date) else value


def read_key(value: Any, kind: Kind) -> Any:
    """A part of a group's key from JSON."""
    if value is None or not isinstance(value, str):
        return value
    if kind is Kind.REAL:
        return float(value)
    if kind is Kind.DATE:
        return date.fromisoformat(value)
    return datetime.fromisoformat(value) if kind is Kind.TIMESTAMP else value


def _amount_in(cost: Cost, currency: str) -> Fraction:
    if currency.startswith("zcdp"):
        return cost.rho if cost.rho is not None else (cost.epsilon or Fraction(0)) ** 2 / 2
    return cost.epsilon or Fraction(0)


def _minus(value: Fraction, spent: Fraction) -> str:
    left = value - spent
    return exact_text(left) if left.denominator < 10**12 else f"{float(left):.6g}"


def symbol(currency: str) -> str:
    """The letter of a currency."""
    return "ρ" if currency.startswith("zcdp") else "ε"
