"""Sparse and NumericSparse: runs that go on until as many counts passed as were paid for."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import clinic
from sfumato.accounting import events
from sfumato.core import Sensitivity
from sfumato.curator import Session, Watch
from sfumato.curator.watching import MOST_ASKED
from sfumato.engines import DuckDBEngine
from sfumato.errors import BudgetExceeded, EngineFailed, Halted, InvalidParameter, InvalidQuestion
from sfumato.mechanisms import NumericSparse
from sfumato.query.price import PEOPLE

NO_NOISE = 10**5
COUNT = "SELECT COUNT(*) FROM visits WHERE day < {}"


def test_sparse_goes_on_until_as_many_passed_as_were_paid_for(session: Session) -> None:
    watch = session.sparse(1000, epsilon=NO_NOISE, cutoff=3)
    assert clinic.spent(session) == NO_NOISE
    answers: list[bool] = []
    for day in (1, 360, 2, 350, 3):
        assert watch.still_to_pass == 3 - sum(answers)
        answers.append(watch.ask(COUNT.format(day)))  # type: ignore[arg-type]
    assert answers == [False, True, False, True, False]
    assert watch.ask(COUNT.format(340)) is True
    assert (watch.halted, watch.still_to_pass) == (True, 0)
    with pytest.raises(Halted):
        watch.ask(COUNT.format(330))
    assert clinic.spent(session) == NO_NOISE
    session.verify()


def test_numeric_sparse_gives_the_values_of_counts_above(session: Session, clean: Path) -> None:
    watch = session.numeric_sparse(1000, epsilon=NO_NOISE, cutoff=2)
    (exact,) = clinic.truth(clean, COUNT.format(360))[0]
    assert watch.ask(COUNT.format(1)) is None
    assert watch.ask(COUNT.format(360)) == exact
    assert watch.ask(COUNT.format(360)) == exact
    assert watch.halted
    assert clinic.spent(session) == NO_NOISE


def test_the_price_is_the_mechanisms_own_event_for_the_whole_run(session: Session) -> None:
    session.sparse(10**9, epsilon="0.6", cutoff=3)
    assert clinic.spent(session) == Fraction(3, 5)
    session.numeric_sparse(10**9, epsilon="0.6", cutoff=3)
    charged = [entry["event"] for _, entry in session.log() if entry["kind"] == "reserve"]
    one = events.AboveThreshold(Fraction(1, 5))
    own = NumericSparse(threshold=10**9, epsilon=Fraction(3, 5), cutoff=3, sensitivity=Sensitivity.linf(5, PEOPLE))
    assert charged == [events.Composition([(one, 3)]).to_json(), own.event.to_json()]
    assert clinic.spent(session) == Fraction(6, 5)


def test_the_stated_accuracy_is_the_mechanisms(session: Session) -> None:
    watch = session.numeric_sparse(10**9, epsilon="0.6", cutoff=3)
    own = NumericSparse(threshold=10**9, epsilon=Fraction(3, 5), cutoff=3, sensitivity=Sensitivity.linf(5, PEOPLE))
    assert watch.accuracy == own.error(Fraction(1, 20), queries=MOST_ASKED)


@pytest.mark.parametrize("verb", ["sparse", "numeric_sparse"])
def test_what_does_not_fit_is_refused_for_nothing(session: Session, verb: str, reads: list[Any]) -> None:
    begin = getattr(session, verb)
    for wrong, why in (
        ({"epsilon": "0.0001", "cutoff": 1}, "at least"),
        ({"epsilon": 1, "cutoff": 0}, "cutoff"),
        ({"epsilon": 1, "cutoff": MOST_ASKED + 1}, "at most 1000"),
        ({"epsilon": 1, "cutoff": 1, "sensitivity": 0}, "sensitivity"),
        ({"epsilon": 1, "cutoff": 1, "sensitivity": 10**13}, "so that a run ends"),
    ):
        with pytest.raises(InvalidParameter, match=why):
            begin(10, **wrong)
    begin(10, epsilon=1000000, cutoff=1)
    with pytest.raises(BudgetExceeded):
        begin(10, epsilon=1, cutoff=1)
    assert reads == []


@pytest.mark.parametrize("verb", ["sparse", "numeric_sparse"])
def test_counts_that_one_person_moves_further_are_refused(session: Session, verb: str) -> None:
    watch: Watch = getattr(session, verb)(10**9, epsilon=1, cutoff=2, sensitivity=1)
    with pytest.raises(InvalidQuestion, match="by 5, and the watch was begun for 1"):
        watch.ask(COUNT.format(4))
    with pytest.raises(InvalidQuestion, match="one count at a time"):
        watch.ask("SELECT category, COUNT(*) FROM visits GROUP BY category")
    assert not watch.ask("SELECT COUNT(*) FROM users")
    assert not watch.halted


def test_a_failure_ends_the_run_and_is_counted(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = session.sparse(10**9, epsilon=1, cutoff=5)

    def failing(self: DuckDBEngine, query: Any) -> Any:
        raise ValueError("cell 42")

    with monkeypatch.context() as broken:
        broken.setattr(DuckDBEngine, "aggregate", failing)
        with pytest.raises(EngineFailed) as caught:
            watch.ask(COUNT.format(6))
    assert "42" not in str(caught.value)
    assert watch.halted
    assert watch.still_to_pass == 0
    assert session._ledger.failures("clinic", "analyst") == 1
