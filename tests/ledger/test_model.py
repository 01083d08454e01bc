"""The ledger against a model of it that fits on a page, by random histories."""

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ledger_cases import Clock, Opener, ask
from sfumato.accounting import events, total
from sfumato.errors import LedgerRolledBack
from sfumato.ledger import Answered, Budget, Limits, Receipt, Refused
from sfumato.ledger.budgets import turn

pytestmark = pytest.mark.slow
COSTS = st.sampled_from([Fraction(1, 10), Fraction(1, 7), Fraction(3, 10), Fraction(2)])
WHO = st.sampled_from(["ada", "bob"])
CAP, OWN, DAILY = Fraction(3), Fraction(2), Fraction(1)
DAY = 86_400


class Model:
    """What a ledger is: sums under caps, and the fate of every key and question."""

    def __init__(self) -> None:
        self.spent: dict[str, Fraction] = {"": Fraction(0), "ada": Fraction(0), "bob": Fraction(0)}
        self.today, self.day = Fraction(0), 0
        self.keys: dict[tuple[str, str], tuple[str, Fraction, int]] = {}  # (who, key) -> question, cost, version
        self.fate: dict[tuple[str, str], str] = {}  # (who, key) -> open, settled, lost
        self.answers: dict[tuple[str, int], tuple[str, Fraction]] = {}  # (question, version) -> asker, cost
        self.seen: set[tuple[str, str, int]] = set()

    def reserve(  # noqa: PLR0911
        self, who: str, key: str, *, question: str, cost: Fraction, version: int, day: int
    ) -> str:
        if (who, key) in self.keys:
            return self.fate[who, key] if self.keys[who, key] == (question, cost, version) else "conflict"
        answered = (question, version) in self.answers
        if answered and self.answers[question, version][1] != cost:
            return "conflict"
        if answered and (self.answers[question, version][0] == who or (who, question, version) in self.seen):
            return "settled"
        if not answered and any(
            fate == "open" and self.keys[name][::2] == (question, version) for name, fate in self.fate.items()
        ):
            return "open"
        today = self.today if day == self.day else Fraction(0)
        if self.spent[who] + cost > OWN or (not answered and (self.spent[""] + cost > CAP or today + cost > DAILY)):
            return "budget"
        self.spent[who] += cost
        self.keys[who, key] = (question, cost, version)
        if answered:
            self.seen.add((who, question, version))
            self.fate[who, key] = "settled"
            return "settled"
        self.spent[""] += cost
        self.today, self.day = today + cost, day
        self.fate[who, key] = "open"
        return "receipt"


def outcome(found: Receipt | Answered | Refused) -> str:
    if isinstance(found, Receipt | Answered):
        return "receipt" if isinstance(found, Receipt) else "settled"
    return {"pending": "open", "lost": "lost"}.get(found.reason, found.reason)


class LedgerMachine(RuleBasedStateMachine):
    @initialize()
    def register(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.clock.now -= self.clock.now % (DAY * 10**9)
        self.first = self.clock.now // (DAY * 10**9)
        self.opener = Opener(self.folder / "ledger", "", "", self.clock)
        self.anchor = self.folder / "elsewhere"
        self.ledger = self.opener(self.anchor)
        self.model, self.day, self.version = Model(), 0, 0
        self.receipts: dict[tuple[str, str], Receipt] = {}
        self.ledger.register("visits", Limits(Budget.pure(epsilon=CAP), day=Budget.pure(epsilon=DAILY)))
        for who in ("ada", "bob"):
            self.ledger.grant("visits", who, Budget.pure(epsilon=OWN))
        self.backup()

    def backup(self) -> None:
        self.ledger.close()
        shutil.copy(self.folder / "ledger", self.folder / "backup")
        self.ledger = self.opener(self.anchor)

    @rule(who=WHO, key=st.integers(0, 30), question=st.integers(0, 8), cost=COSTS)
    def reserve(self, who: str, key: int, question: int, cost: Fraction) -> None:
        event = events.Laplace(cost)
        expected = self.model.reserve(
            who, str(key), question=str(question), cost=cost, version=self.version, day=self.day
        )
        found = ask(self.ledger, str(question), key=str(key), principal=who, event=event, version=f"v{self.version}")
        assert outcome(found) == expected
        if isinstance(found, Receipt):
            self.receipts[who, str(key)] = found

    @precondition(lambda self: self.receipts)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        who, key = data.draw(st.sampled_from(sorted(self.receipts)))
        self.ledger.settle(self.receipts.pop((who, key)), {"answer": key})
        question, cost, version = self.model.keys[who, key]
        self.model.fate[who, key] = "settled"
        self.model.answers[question, version] = (who, cost)

    @precondition(lambda self: self.receipts)
    @rule(data=st.data())
    def refund(self, data: st.DataObject) -> None:
        who, key = data.draw(st.sampled_from(sorted(self.receipts)))
        receipt = self.receipts.pop((who, key))
        self.ledger.refund(receipt, reason="not begun")
        _, cost, _ = self.model.keys[who, key]
        self.model.fate[who, key] = "refunded"
        self.model.spent[""] -= cost
        self.model.spent[who] -= cost
        if receipt.time // (DAY * 10**9) - self.first == self.model.day == self.day:
            self.model.today -= cost

    @precondition(lambda self: self.model.fate)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        who, key = data.draw(st.sampled_from(sorted(self.model.fate)))
        question, cost, version = self.model.keys[who, key]
        again = ask(self.ledger, question, key=key, principal=who, event=events.Laplace(cost), version=f"v{version}")
        assert outcome(again) == self.model.fate[who, key]

    @rule()
    def crash(self) -> None:
        """The process is gone: what was open is spent, and recovery says that its answer is lost."""
        self.ledger.close()
        self.ledger = self.opener(self.anchor)
        assert self.ledger.recover() == len(self.receipts)
        for name in self.receipts:
            self.model.fate[name] = "lost"
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
        """An older copy is refused; put the newest back."""
        entries = len(list(self.ledger.entries()))
        self.ledger.close()
        shutil.copy(self.folder / "ledger", self.folder / "newest")
        shutil.copy(self.folder / "backup", self.folder / "ledger")
        if entries > 3:
            with pytest.raises(LedgerRolledBack):
                self.opener(self.anchor)
        shutil.copy(self.folder / "newest", self.folder / "ledger")
        self.ledger = self.opener(self.anchor)
        self.ledger.restore(reason="a drill", anchor=self.anchor)
        self.model.fate.update(dict.fromkeys(self.receipts, "lost"))
        self.receipts.clear()

    @rule()
    def price_again(self) -> None:
        spent = self.ledger.spent(dataset="visits")
        assert total(spent).bounds(1e-6).get("pure", 0) == pytest.approx(float(self.model.spent[""]))
        assert self.ledger.total(dataset="visits").epsilon(1e-6) <= float(self.model.spent[""]) * (1 + 1e-9)

    @invariant()
    def sums_agree_and_nothing_overspends(self) -> None:
        for who, spent in self.model.spent.items():
            balance = self.ledger.balances("visits", who)[0]
            assert balance.spent == spent <= balance.cap
        today = self.ledger.balances("visits")[1].spent
        assert today == (self.model.today if self.model.day == self.day else 0)

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.verify(self.anchor.read_text())
            self.opener.close()
            shutil.rmtree(self.folder)


LedgerMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None, derandomize=True)
TestLedgerAgainstItsModel = LedgerMachine.TestCase
