"""The ledger against a model of it that fits on a page, by random histories."""

import shutil
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ledger_cases import Clock, Opener, ask, memory
from sfumato.accounting import events, total
from sfumato.errors import LedgerMisuse, LedgerRolledBack
from sfumato.ledger import Answered, Budget, Limits, Receipt, Refused
from sfumato.ledger.budgets import turn

pytestmark = pytest.mark.slow
COSTS = st.sampled_from([Fraction(1, 10), Fraction(1, 7), Fraction(3, 10), Fraction(2)])
WHO = st.sampled_from(["ada", "bob"])
CAPS = {"": Fraction(3), "ada": Fraction(2), "bob": Fraction(2)}
GROUP, WIDE = Fraction(4), Fraction(1000)
DAILY, DAY = Fraction(1), 86_400
Name = tuple[str, str]  # who, key
Request = tuple[str, int, Fraction]  # question, version of the data, cost


@dataclass
class Model:
    """What a ledger is: sums under caps, and the fate of every key."""

    spent: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    today: Fraction = Fraction(0)
    day: int = 0
    asked: dict[Name, Request] = field(default_factory=dict)
    fate: dict[Name, str] = field(default_factory=dict)  # open, settled, lost, refunded
    group: Fraction = Fraction(0)  # of the people, who have another dataset too
    elsewhere: Fraction = Fraction(0)  # what was asked of that one
    charged: Fraction = Fraction(0)  # to this dataset, whatever its cap
    joined: bool = False
    within: set[Name] = field(default_factory=set)  # what was charged to the group when it was asked

    def reserve(self, name: Name, request: Request, day: int) -> str:
        if name in self.asked:
            return self.fate[name] if self.asked[name] == request else "conflict"
        equal = [other for other in self.asked if self.asked[other][:2] == request[:2]]
        answered = [other for other in equal if self.fate[other] == "settled"]
        if answered and self.asked[answered[0]] != request:
            return "conflict"
        if name[0] in {who for who, _ in answered}:
            return "settled"
        if not answered and any(self.fate[other] == "open" for other in equal):
            return "open"
        charged, today = name[:1] if answered else ("", name[0]), self.today if day == self.day else Fraction(0)
        full = any(self.spent[who] + request[2] > CAPS[who] for who in charged)
        full = full or (not answered and self.joined and self.group + request[2] > GROUP)
        if full or (not answered and today + request[2] > DAILY):
            return "budget"
        self.spent.update({who: self.spent[who] + request[2] for who in charged})
        if not answered:
            self.today, self.day = today + request[2], day
            self.charge(name, request[2])
        self.asked[name], self.fate[name] = request, "settled" if answered else "open"
        return "settled" if answered else "receipt"

    def charge(self, name: Name, cost: Fraction) -> None:
        self.charged += cost
        if self.joined:
            self.group += cost
            self.within.add(name)

    def refund(self, name: Name) -> None:
        cost = self.asked[name][2]
        self.charged -= cost
        self.group -= cost if name in self.within else 0
        for who in ("", name[0]):
            self.spent[who] -= cost


def outcome(found: Receipt | Answered | Refused) -> str:
    if isinstance(found, Receipt | Answered):
        return "receipt" if isinstance(found, Receipt) else "settled"
    return {"pending": "open", "lost": "lost"}.get(found.reason, found.reason)


class LedgerMachine(RuleBasedStateMachine):
    @initialize()
    def register(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=memory()))
        self.clock = Clock()
        self.clock.now -= self.clock.now % (DAY * 10**9)
        self.first = self.clock.now // (DAY * 10**9)
        self.opener = Opener(self.folder / "ledger", "", "", self.clock)
        self.anchor = self.folder / "elsewhere"
        self.ledger = self.opener(self.anchor)
        self.model, self.day, self.version, self.uncounted = Model(), 0, 0, False
        self.receipts: dict[Name, Receipt] = {}
        self.ledger.register("visits", Limits(Budget.pure(epsilon=CAPS[""]), day=Budget.pure(epsilon=DAILY)))
        for who in ("ada", "bob"):
            self.ledger.grant("visits", who, Budget.pure(epsilon=CAPS[who]))
        self.ledger.register("stays", Budget.pure(epsilon=WIDE))
        self.ledger.grant("stays", "ada", Budget.pure(epsilon=WIDE))
        self.ledger.group("people", Budget.pure(epsilon=GROUP))
        self.ledger.join("stays", "people")
        self.elsewhere = 0
        self.backup()

    @rule()
    def backup(self) -> None:
        """A copy of the live ledger, and the model as it is now."""
        (self.folder / "backup").unlink(missing_ok=True)
        self.kept_at = self.ledger.backup(self.folder / "backup")
        assert self.kept_at == self.ledger.anchor()
        self.kept, self.kept_uncounted = deepcopy(self.model), self.uncounted

    @rule(who=WHO, key=st.integers(0, 30), question=st.integers(0, 8), cost=COSTS)
    def reserve(self, who: str, key: int, question: int, cost: Fraction) -> None:
        name, request = (who, str(key)), (str(question), self.version, cost)
        expected = self.model.reserve(name, request, self.day)
        found = self.ask(name, request)
        assert outcome(found) == expected
        if isinstance(found, Receipt):
            self.receipts[name] = found

    def ask(self, name: Name, request: Request) -> Receipt | Answered | Refused:
        who, key = name
        question, version, cost = request
        event = events.Laplace(cost)
        return ask(self.ledger, question, key=key, principal=who, event=event, version=f"v{version}")

    @precondition(lambda self: self.receipts)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.receipts)))
        self.ledger.settle(self.receipts.pop(name), {"answer": name[1]})
        self.model.fate[name] = "settled"

    @precondition(lambda self: self.receipts)
    @rule(data=st.data())
    def refund(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.receipts)))
        receipt = self.receipts.pop(name)
        self.ledger.refund(receipt, reason="not begun")
        self.model.fate[name] = "refunded"
        cost = self.model.asked[name][2]
        self.model.refund(name)
        if receipt.time // (DAY * 10**9) - self.first == self.model.day == self.day:
            self.model.today -= cost

    @precondition(lambda self: self.model.fate)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.model.fate)))
        assert outcome(self.ask(name, self.model.asked[name])) == self.model.fate[name]

    @rule(cost=COSTS)
    def ask_elsewhere(self, cost: Fraction) -> None:
        """The same people under another name."""
        self.elsewhere += 1
        found = ask(self.ledger, f"other {self.elsewhere}", dataset="stays", event=events.Laplace(cost))
        assert isinstance(found, Receipt) == (self.model.group + cost <= GROUP)
        if isinstance(found, Receipt):
            self.ledger.settle(found, self.elsewhere)
            self.model.group += cost
            self.model.elsewhere += cost

    @precondition(lambda self: not self.model.joined)
    @rule()
    def join(self) -> None:
        """The dataset turns out to be about the same people: what it spent counts, if there is room for it."""
        fits = self.model.group + self.model.charged <= GROUP
        if not fits:
            with pytest.raises(LedgerMisuse, match="does not fit"):
                self.ledger.join("visits", "people")
            return
        self.ledger.join("visits", "people")
        self.model.joined = True
        self.model.group += self.model.charged

    @rule()
    def crash(self) -> None:
        """The process is gone: what was open is spent, and recovery says that its answer is lost."""
        self.ledger.close()
        self.ledger = self.opener(self.anchor)
        assert self.ledger.recover() == len(self.receipts)
        self.lose_what_is_open()

    def lose_what_is_open(self) -> None:
        opened = [name for name, fate in self.model.fate.items() if fate == "open"]
        self.model.fate.update(dict.fromkeys(opened, "lost"))
        self.receipts.clear()

    @rule()
    def rotate(self) -> None:
        """The data have a new version, and a day has passed."""
        self.version += 1
        self.day += 1
        self.clock.pass_(DAY)

    @rule()
    def clock_is_set_back(self) -> None:
        """Nothing renews by a clock that runs backward; the ledger stays on the day it has reached."""
        self.clock.pass_(-DAY)
        found = self.ledger.balances("visits")
        reached = max(self.clock.now, list(self.ledger.entries())[-1].body["time"])
        self.clock.pass_(DAY)
        assert found[0].spent == self.model.spent[""]
        (day,) = [balance for balance in found if balance.period == "day"]
        assert day.turn == turn("day", reached)

    @rule()
    def restore(self) -> None:
        """The newest copy is gone: an older one is put back, and what each has spent since is charged to them."""
        newer = self.ledger.anchor() != self.kept_at
        self.ledger.close()
        shutil.copy(self.folder / "backup", self.folder / "ledger")
        if newer:
            with pytest.raises(LedgerRolledBack):
                self.opener(self.anchor)
        lost = {who: max(Fraction(0), self.model.spent[who] - self.kept.spent[who]) for who in ("ada", "bob")}
        with self.opener() as ledger:
            told = {("visits", who): events.Pure(cost) for who, cost in lost.items() if cost}
            away = self.model.elsewhere - self.kept.elsewhere
            told |= {("stays", "ada"): events.Pure(away)} if away else {}
            ledger.restore(reason="a drill", anchor=self.anchor, lost=told)  # type: ignore[arg-type]
        self.ledger = self.opener(self.anchor)
        self.model = deepcopy(self.kept)
        self.lose_what_is_open()
        if any(lost.values()):
            self.model.today = min(DAILY, (self.model.today if self.model.day == self.day else 0) + sum(lost.values()))  # type: ignore[assignment]
            self.model.day = self.day
        self.uncounted = self.kept_uncounted or self.model.spent[""] + sum(lost.values()) > CAPS[""]
        for who, cost in ({"": sum(lost.values())} | lost).items():
            self.model.spent[who] = min(CAPS[who], self.model.spent[who] + cost)
        self.model.charged += sum(lost.values())
        self.model.elsewhere += away
        gone = away + (sum(lost.values()) if self.model.joined else 0)
        self.model.group = min(GROUP, self.model.group + gone)
        self.backup()

    @rule()
    def price_again(self) -> None:
        events_say = total(self.ledger.spent(dataset="visits")).bounds(1e-6).get("pure", 0)
        if self.uncounted:  # what passed a cap after the fact is in the events, and its account is full
            assert events_say >= self.model.spent[""]
            return
        assert events_say == pytest.approx(float(self.model.spent[""]))
        assert self.ledger.total(dataset="visits").epsilon(1e-6) <= float(self.model.spent[""]) * (1 + 1e-9)

    @invariant()
    def sums_agree_and_nothing_overspends(self) -> None:
        for who, spent in self.model.spent.items():
            balance = self.ledger.balances("visits", who)[0]
            assert balance.spent == spent <= balance.cap
        assert self.ledger.balances("stays")[1].spent == self.model.group <= GROUP
        assert self.ledger.groups_of("visits") == (("people",) if self.model.joined else ())
        today = self.ledger.balances("visits")[1].spent
        assert today == (self.model.today if self.model.day == self.day else 0)

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.verify(self.anchor)
            self.opener.close()
            shutil.rmtree(self.folder)


LedgerMachine.TestCase.settings = settings(max_examples=settings().max_examples // 5, stateful_step_count=40)
TestLedgerAgainstItsModel = LedgerMachine.TestCase
