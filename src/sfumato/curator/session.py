"""An analyst's session: the verbs, each prepared without data, charged, computed, and given when it may leave."""

# A session and its curator are two halves of one object: what stays hidden from everybody else is shared here.
# pyright: reportPrivateUsage=false

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from sfumato.core.closing import Closing
from sfumato.core.printing import Json
from sfumato.curator import watching
from sfumato.curator.amounts import Amount
from sfumato.curator.asks import Ask
from sfumato.curator.building import Asking
from sfumato.curator.charge import ChargeRequest, Reader, failed
from sfumato.curator.choosing import Weights, exponential, noisy_max, top_k
from sfumato.curator.explanation import Explanation, explained
from sfumato.curator.for_nothing import exact_release
from sfumato.curator.least_epsilon import Within
from sfumato.curator.measuring import counted, sql
from sfumato.curator.median import smooth_median
from sfumato.curator.pace import Paced
from sfumato.curator.pricing import AskedPrice, cost_of
from sfumato.curator.recalling import asked_again, given_to
from sfumato.curator.refusals import error_of, shortfalls, unaffordable
from sfumato.curator.release import NOTHING, Left, Release, Shown
from sfumato.curator.two_steps import COUNT, at_most
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.ledger import Answered, Balance, Refused
from sfumato.mechanisms import SparseTechnique
from sfumato.query import Question
from sfumato.query.parse import stands_alone
from sfumato.query.public_question import public_question

if TYPE_CHECKING:
    from sfumato.curator.curator import Curator

R = TypeVar("R")
T = TypeVar("T")
VERBS: Mapping[str, Callable[..., Ask[Shown]]] = {
    "sql": sql,
    "noisy_max": noisy_max,
    "top_k": top_k,
    "exponential": exponential,
    "smooth_median": smooth_median,
}
"""Every verb that ends in a release: the desk and its arguments into what is to be charged."""
WATCHES: Mapping[str, Callable[..., SparseTechnique]] = {
    "above_threshold": watching.above_threshold,
    "sparse": watching.sparse,
    "numeric_sparse": watching.numeric_sparse,
}
"""Every verb that begins a watch: the desk and its arguments into the mechanism that runs."""
_KEPT = ("release", "secret", "declaration")  # of an entry, for those who may read the ledger itself


class Session(Closing):
    """What one analyst asks of one dataset, each question charged before data are read.

    `sfumato.open` gives one that closes its curator with it; `Curator.session` one beside others. Threads may share it,
    and event loops, through the verbs that end in `_async`.
    """

    def __init__(self, curator: "Curator", analyst: str, *, closes: bool = False) -> None:
        self.curator, self.analyst = curator, analyst
        self.dataset, self.pace = curator.dataset, curator._pace
        self._desk, self._ledger, self._closes = curator._desk, curator._ledger, closes

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
        rows: int | None = None,
        groups: int | None = None,
        beyond: bool = False,
        weigh: Mapping[str, Amount] | None = None,
        bar: Amount | None = None,
        key: str | None = None,
        label: str = "",
    ) -> Release:
        """The private answer to a SQL question, priced by ε, by ρ, or by the accuracy that is wanted.

        `key` names the request: asked again with the same key, the stored answer comes back and nothing is charged.
        `label` says what the question is for, in the analyst's words. `rows` lets less of a person count than the
        owner allows, for less noise; `groups` so many of the groups that are not public. `beyond` spends a tenth of the
        price on how many people have more than counts. `weigh` says what columns are worth beside each other, as
        {"n": 2}; `bar` what of a quantile's price each end of its error bar takes, an eighth unless it says so.
        """
        return self._answer(
            "sql", text, epsilon=epsilon, delta=delta, rho=rho, within=within, confidence=confidence, rows=rows,
            groups=groups, beyond=beyond, weigh=weigh, bar=bar, key=key, label=label,
        )  # fmt: skip

    async def sql_async(
        self, text: str, *, key: str | None = None, label: str = "", **price: Unpack[AskedPrice]
    ) -> Release:
        """`sql` for an event loop, which goes on meanwhile."""
        return await self.ask_async("sql", text, key=key, label=label, **price)

    async def ask_async(self, verb: str, /, *words: Any, **more: Any) -> Release:
        """Any verb that ends in a release, by name, for an event loop: `await session.ask_async("top_k", …)`."""
        paced = await self._in_pool(lambda: self.paced(verb, *words, **more))
        return await self.pace.waited_async(paced)

    def explain(self, text: str, **price: Unpack[AskedPrice]) -> Explanation:
        """The plan, price and expected error of a question, for nothing and without reading data.

        It is priced by the names that `sql` takes.
        """
        with self.curator._gate.using():
            return self._explained(text, **price)

    def _explained(self, text: str, **price: Any) -> Explanation:
        steps, query = at_most(self._desk, text, **price)
        cost = cost_of(query) if steps is None else cost_of(query) + cost_of(steps.count)
        cheap = self._desk.too_cheap(cost)
        if cheap is not None:
            raise cheap
        event = query.event if steps is None else steps.most_event
        quotes = self._ledger.quote(dataset=self.dataset.name, principal=self.analyst, event=event)
        short = shortfalls(each.shortfall for each in quotes if each.shortfall is not None)
        # as `budget` lists them: one's own last
        left = tuple(_left(each.after) for each in sorted(quotes, key=lambda each: each.now.principal != ""))
        more = () if steps is None else (steps.planned_note,)
        return explained(query, self.dataset, cost, left, short, more=more, engine=self.curator.engine_name)

    def statements(self, text: str, **price: Unpack[AskedPrice]) -> tuple[str, ...]:
        """What the engine would be asked, in its own SQL, for the owner to look at; nothing is read or charged."""
        with self.curator._gate.using():
            return self.curator.written(at_most(self._desk, text, **price)[1])

    def table(self, source: str) -> Asking:
        """A question built in Python about a table or a subquery: where, group_by, select, …, then release.

        `session.table("visits").where("day < 9").group_by("ward").select(n="COUNT(*)").release(epsilon=0.5)`
        """
        return Asking(self, stands_alone("table", source))

    # ---- choices ----

    def noisy_max(self, text: str, *, epsilon: Amount, key: str | None = None, label: str = "") -> Release:
        """The public group with the largest aggregate, by one-sided noisy max: its key, and not its value.

        The question has one aggregate, a count or a sum, over groups that are public.
        """
        return self._answer("noisy_max", text, epsilon=epsilon, key=key, label=label)

    def top_k(self, text: str, *, k: int, epsilon: Amount, key: str | None = None, label: str = "") -> Release:
        """The k public groups with the largest aggregates, best first: their keys, and not their values."""
        return self._answer("top_k", text, k=k, epsilon=epsilon, key=key, label=label)

    def exponential(
        self,
        text: str,
        *,
        epsilon: Amount,
        weights: Weights | None = None,
        key: str | None = None,
        label: str = "",
    ) -> Release:
        """A candidate of high utility, by the exponential mechanism.

        The candidates are the question's public groups, by their aggregates; or those that `weights` names, each by the
        sum of the groups' aggregates times its weights: `weights={"north": {"surgery": 1, "oncology": 0.5}}`.
        """
        return self._answer("exponential", text, epsilon=epsilon, weights=weights, key=key, label=label)

    def smooth_median(self, text: str, *, epsilon: Amount, key: str | None = None, label: str = "") -> Release:
        """The answer to `SELECT MEDIAN(x) …`, of all rows or of public groups, with noise that follows the data.

        Where many people are near the median it is far nearer than the error that can be stated.
        """
        return self._answer("smooth_median", text, epsilon=epsilon, key=key, label=label)

    # ---- watches ----

    def above_threshold(
        self, threshold: int, *, epsilon: Amount, sensitivity: int | None = None, label: str = ""
    ) -> watching.Watch:
        """A run of AboveThreshold over a stream of counts: ε is charged now, for a run of up to 1 000 questions.

        `sensitivity` is the most one person may move a count that will be asked; by default the largest of any table.
        """
        return self._begun("above_threshold", threshold, epsilon=epsilon, sensitivity=sensitivity, label=label)

    def sparse(
        self, threshold: int, *, epsilon: Amount, cutoff: int, sensitivity: int | None = None, label: str = ""
    ) -> watching.Watch:
        """A watch that goes on until `cutoff` counts were above: ε is charged now, for all of them."""
        return self._begun("sparse", threshold, epsilon=epsilon, cutoff=cutoff, sensitivity=sensitivity, label=label)

    def numeric_sparse(
        self, threshold: int, *, epsilon: Amount, cutoff: int, sensitivity: int | None = None, label: str = ""
    ) -> watching.Watch:
        """A watch that also tells the noisy value of each of the `cutoff` counts above: ε is charged now."""
        return self._begun(
            "numeric_sparse", threshold, epsilon=epsilon, cutoff=cutoff, sensitivity=sensitivity, label=label
        )

    async def begin_async(self, verb: str, /, *words: Any, **more: Any) -> watching.Watch:
        """A watch, by its verb, for an event loop: `await session.begin_async("sparse", 100, epsilon=1, cutoff=3)`."""
        paced = await self._in_pool(lambda: self.begun_paced(verb, *words, **more))
        return await self.pace.waited_async(paced)

    def begun_paced(self, verb: str, /, *words: Any, label: str = "", **more: Any) -> Paced[watching.Watch]:
        """The watch that a verb begins and when it may be had, for who waits in a way of their own."""
        mechanism = _verb(WATCHES, verb)(self._desk, *words, **more)
        ask: Ask[None] = watching.begun(mechanism, lambda _: None, label)

        def leave(answer: Answered, _: bool, __: None) -> watching.Watch:
            return watching.Watch(self, self._desk, mechanism, answer.sequence)

        return self.pace.paced(lambda: self._settled(ask, leave))

    def _begun(self, verb: str, *words: Any, **more: Any) -> watching.Watch:
        return self.pace.waited(self.begun_paced(verb, *words, **more))

    # ---- what is known ----

    def budget(self) -> tuple[Balance, ...]:
        """Every budget that this analyst's questions count against, with what was spent of it."""
        with self.curator._gate.using():
            return self._balances()

    def _balances(self) -> tuple[Balance, ...]:
        whole, own = (self._ledger.balances(self.dataset.name, who) for who in ("", self.analyst))
        return (*whole, *own)

    def remaining(self) -> tuple[Left, ...]:
        """What is left of each budget."""
        return tuple(map(_left, self.budget()))

    def log(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The ledger's entries about this dataset: this analyst's own, without the released answers, and the caps."""
        self.curator._gate.check()
        return self._entries()

    def _entries(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for entry in self._ledger.entries():
            self.curator._gate.check()
            body = entry.body
            if not self.pace.has_left(body["time"]):
                return  # that an answer is ready is as telling as its time: it is not there before it may leave
            if body.get("dataset") == self.dataset.name and body.get("principal", "") in ("", self.analyst):
                shown = {name: value for name, value in body.items() if name not in _KEPT}
                # what is written down between charge and settlement must not tell what the pace hides
                yield entry.sequence, {**shown, "time": self.pace.no_finer(body["time"])}

    def recall(self, receipt: str) -> Release:
        """The stored answer that a receipt names, or the number of its entry, for nothing and without reading data."""
        return self.pace.waited(self.pace.paced(lambda: self._recalled(receipt)))

    def _recalled(self, receipt: str) -> Release:
        with self.curator._gate.using():
            whose = {"dataset": self.dataset.name, "analyst": self.analyst}
            given = given_to(self._ledger, **whose, receipt=receipt, has_left=self.pace.has_left)
            ask = asked_again(self._desk, {**VERBS, COUNT: counted}, given, self.curator.hash_of)
            with _one_text():
                return self._release(ask, given.answer, True, ask.show(given.answer.release))

    def verify(self) -> str:
        """Walk the ledger's whole chain; its anchor, to be kept apart.

        The anchor tells how far the ledger is, so it is taken when answers may leave, and not at any moment.
        """
        self.pace.waited(self.pace.paced(lambda: None))
        with self.curator._gate.using():
            return self._ledger.verify()

    def question(self, text: str) -> Question:
        """A checked question about this dataset."""
        with self.curator._gate.using():
            return self._desk.question(text)

    # ---- charge, then read ----

    def paced(self, verb: str, /, *words: Any, **more: Any) -> Paced[Release]:
        """What a verb ends in and when it may leave, for who waits in a way of their own.

        A question that is refused for its words raises at once: that took no data.
        """
        if verb == "sql" and words and (public := public_question(words[0], self.dataset)) is not None:
            return self.pace.paced(lambda: exact_release(self.curator._ask_public(public), self.remaining()))
        ask = _verb(VERBS, verb)(self._desk, *words, **more)
        return self.pace.paced(lambda: self._in_steps(ask))

    def _in_steps(self, ask: Ask[Shown]) -> Release:
        """The release of a question; of one in two steps that of the second, which costs what both do."""
        then = ask.then
        if then is None:
            return self._settled(ask, lambda *found: self._release(ask, *found))
        assert ask.most is not None
        with self.curator._gate.using():
            quotes = self._ledger.quote(dataset=self.dataset.name, principal=self.analyst, event=ask.most)
        unpaid = ask.unpaid or unaffordable(quotes)  # then both steps are given if they are stored, and none is charged
        cost, second = self._settled(
            replace(ask, unpaid=unpaid), lambda _, free, shown: (NOTHING if free else ask.cost, then(shown))
        )
        release = self._in_steps(second if unpaid is None else replace(second, unpaid=unpaid))
        return replace(release, cost=release.cost + cost)

    def _answer(self, verb: str, *words: Any, **more: Any) -> Release:
        return self.pace.waited(self.paced(verb, *words, **more))

    async def _in_pool(self, work: Callable[[], T]) -> T:
        """What the work gives, done by one of the curator's threads."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self.curator.pool(), work)

    def _shown(self, ask: Ask[T]) -> T:
        """What can be seen of a question once it is charged and stored; nobody may be told before its time."""
        return self._settled(ask, lambda _, __, shown: shown)

    def _settled(self, ask: Ask[T], leave: Callable[[Answered, bool, T], R]) -> R:
        """What leaves of a question: computed after a durable charge and stored, or what was stored before."""
        request = ChargeRequest(
            principal=self.analyst,
            hash=self.curator.hash_of(ask.about),
            event=ask.event,
            reads=ask.reads,
            run=ask.run,
            key=ask.key,
            charge=ask.unpaid is None,
            question=ask.said,
            label=ask.label,
        )

        def work(reader: Reader) -> tuple[Json, T]:
            stored = ask.compute(reader)
            return stored, ask.show(stored)

        with self.curator._gate.using():
            outcome = self.curator._gate.decided(lambda: self.curator._charge.make(request, work))
            if isinstance(outcome, Refused):
                raise self._refusal(outcome, ask)
            with _one_text():
                if isinstance(outcome, Answered):
                    return leave(outcome, True, ask.show(outcome.release))
                answer, shown = outcome
                return leave(answer, False, shown)

    def _refusal(self, refused: Refused, ask: Ask[Any]) -> SfumatoError:
        if ask.unpaid is not None and refused.reason == "new":
            return ask.unpaid
        return error_of(refused)

    def _release(self, ask: Ask[Shown], answer: Answered, repeated: bool, shown: Shown) -> Release:
        return Release(
            schema=shown.schema,
            bars=shown.bars,
            cost=NOTHING if repeated else ask.cost,
            confidence=shown.confidence,
            remaining=tuple(map(_left, self._balances())),  # the last question answers while others are kept out
            receipt=f"{answer.sequence}-{answer.head[:12]}",
            sequence=answer.sequence,
            repeated=repeated,
            notes=shown.notes,
        )

    # ---- the end ----

    def close(self) -> None:
        """Close the curator, if it was opened for this session alone, after the questions that are under way."""
        if self._closes:
            self.curator.close()

    def __repr__(self) -> str:
        return f"<session of {self.analyst} on {self.dataset.name}>"


def _verb(known: Mapping[str, Callable[..., T]], verb: str) -> Callable[..., T]:
    if verb not in tuple(known):  # what is no text is in no mapping either
        others = (
            f"begun_paced and begin_async begin: {', '.join(WATCHES)}" if known is VERBS else "paced asks the others"
        )
        raise InvalidParameter("verb", f"must be one of {', '.join(known)}", verb, hint=others)
    return known[verb]


def _left(balance: Balance) -> Left:
    whose = (balance.dataset, balance.group, balance.principal, balance.period)
    return Left(*whose, balance.currency, balance.remaining, balance.delta_cap - balance.delta_spent)


@contextmanager
def _one_text() -> Generator[None]:
    try:
        yield
    except Exception:
        raise failed() from None
