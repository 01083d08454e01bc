"""The curator's release paths and the local protocols, audited; a path that claims less than it spends is convicted."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from sfumato import audit, local
from sfumato.audit import AuditedMechanism
from sfumato.audit.targets import Claim
from sfumato.curator.asks import Desk
from sfumato.curator.audited import CURATOR, PEOPLE, PROTOCOLS, asked, exact
from sfumato.curator.choosing import exponential, noisy_max, top_k
from sfumato.curator.median import smooth_median
from sfumato.demo.few_rows import few_rows
from sfumato.local.kinds import KINDS

pytestmark = pytest.mark.slow

PRICED_OTHERWISE = {"condensed"}  # in α; its worst-case ε is tested with its channel


@pytest.mark.parametrize("own", [*CURATOR, *PROTOCOLS], ids=lambda own: own.name)
def test_no_path_of_ours_is_convicted(own: AuditedMechanism) -> None:
    found = audit.audit(own.target(Fraction(1)), draws=2000, confidence=1 - 1e-9)
    assert not found.convicted


@pytest.mark.parametrize("name", ["curator: count", "curator: sum", "local: k-ary", "local: one bit, remembered"])
def test_a_path_that_claims_a_third_of_what_it_spends_is_convicted(name: str) -> None:
    own = next(own for own in (*CURATOR, *PROTOCOLS) if own.name == name)
    target = own.target(Fraction(1))
    broken = replace(target, claim=Claim(target.claim.epsilon / 3, target.claim.delta))
    assert audit.audit(broken, draws=6000).convicted


def test_a_curator_that_counts_all_rows_of_a_person_is_convicted() -> None:
    one_row = asked("SELECT COUNT(DISTINCT person) FROM rows")(Fraction(1)).query
    all_rows = asked("SELECT COUNT(*) FROM rows")(Fraction(1)).query

    def release(rows: object) -> int:
        table = exact(all_rows.question.text, rows, all_rows.spend)
        noise = one_row.priced[0].noise  # type: ignore[union-attr]
        assert noise is not None
        from sfumato.exact.bits import source

        return int(table.columns[0][0]) + int(noise.draw(None, source(None)))

    found = audit.audit(audit.target_of(release, PEOPLE, epsilon=1), draws=6000)
    assert found.convicted


def test_every_kind_of_protocol_is_audited() -> None:
    audited = {own.make(Fraction(1)).protocol.kind for own in PROTOCOLS}
    assert audited | PRICED_OTHERWISE == {kind.kind for kind in KINDS}
    assert local.Condensed.kind in PRICED_OTHERWISE


# ---- verbs that choose, through what they prepare ----


class Kept:
    """A reader of what was read before: an audit asks the same thing thousands of times."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def exact(self) -> Any:
        return self._table


GROUPS = "SELECT kind = 'a' AS a, {} FROM rows GROUP BY kind = 'a'"
CHOICES: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "noisy max": (noisy_max, GROUPS.format("COUNT(*)"), {}),
    "top k": (top_k, GROUPS.format("SUM(amount)"), {"k": 2}),
    "exponential": (exponential, GROUPS.format("COUNT(*)"), {"weights": {"x": {True: 2, False: -1}, "y": {False: 1}}}),
    "smooth median": (smooth_median, "SELECT MEDIAN(amount) FROM rows", {}),
    "smooth medians": (smooth_median, GROUPS.format("MEDIAN(amount)"), {}),
}


def released_by(name: str, epsilon: int) -> Any:
    """What a verb releases about rows, at ε."""
    verb, text, more = CHOICES[name]
    engine = few_rows(())
    try:
        ask = verb(Desk(engine.dataset, engine), text, epsilon=epsilon, **more)
    finally:
        engine.close()
    assert ask.event.pure() == epsilon

    read: dict[Any, Any] = {}

    def release(rows: Any) -> Any:
        if rows not in read:  # what the verb asks for, not what the same text would be measured by
            made = few_rows(rows)
            read[rows] = made.aggregate(ask.reads)
            made.close()
        return [[bar.value for bar in row] for row in ask.show(ask.compute(Kept(read[rows]))).bars]

    return release


@pytest.mark.parametrize("name", CHOICES)
def test_no_choice_tells_more_than_it_is_charged_for(name: str) -> None:
    found = audit.audit(audit.target_of(released_by(name, 1), PEOPLE, epsilon=1), draws=2000, confidence=1 - 1e-9)
    assert not found.convicted


@pytest.mark.parametrize(("name", "spent"), [("noisy max", 8), ("exponential", 20), ("smooth median", 60)])
def test_a_choice_that_claims_a_twentieth_of_what_it_spends_is_convicted(name: str, spent: int) -> None:
    found = audit.audit(audit.target_of(released_by(name, spent), PEOPLE, epsilon=spent / 20), draws=4000)
    assert found.convicted
