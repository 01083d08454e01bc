"""One person moves no exact table of a publication further than it is priced for; twins that forget weights are caught."""

from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import neighbours
from engines.test_one_person_moves_little import HEAVY
from neighbours import Database, databases
from property_profile import examples
from sfumato.accounting import events
from sfumato.engines.sql.weighing import Weighing
from sfumato.query import Spend
from sfumato.query.workload import CountedWorkload, workload

pytestmark = pytest.mark.slow

TEXT = "SELECT category, paid, day, COUNT(*) FROM visits GROUP BY category, paid, day"
TABLES = [(), (0,), (1,), (0, 1), (0, 2), (0, 1, 2)]
SPENDS = (Spend(Fraction(1), None, Fraction(0)), Spend(None, Fraction(1, 10), Fraction(0)))
PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def tables(database: Database, spend: Spend) -> tuple[CountedWorkload, list[Any]]:
    with neighbours.engine(database) as engine:
        planned = workload(TEXT, engine.dataset, engine, TABLES, spend)
        return planned, list(engine.contingency(planned.at(events.Pure(1))).tables)


def furthest(database: Database, person: int, spend: Spend) -> Fraction:
    """How far a person moves any table, as a share of what it is priced for: the larger of ℓ1 and ℓ2."""
    planned, mine = tables(database, spend)
    _, without = tables(database.without(person), spend)
    worst = Fraction(0)
    for one, other in zip(mine, without, strict=True):
        off = np.abs(np.asarray(one, dtype=object) - np.asarray(other, dtype=object))
        worst = max(worst, Fraction(int(off.sum()), planned.moved), Fraction(int((off**2).sum()), planned.moved**2))
    return worst


@examples(8, **PLAIN)
@given(databases(), st.sampled_from((1, 2)), st.sampled_from(SPENDS))
def test_neighbours_are_no_further_apart_than_priced(database: Database, person: int, spend: Spend) -> None:
    assert furthest(database, person, spend) <= 1


GREEDY = replace(HEAVY, visits=tuple((1, i, i % 3, "a", i % 2, 9.0, "n", None, None, bool(i % 2)) for i in range(40)))
"""A person with ten times as many rows as count."""


def test_all_that_is_priced_is_used_by_whoever_has_more() -> None:
    assert Fraction(99, 100) < furthest(GREEDY, 1, SPENDS[0]) <= 1


def test_weights_that_are_forgotten_are_noticed() -> None:
    """The broken twin: every row counts whole."""
    with mock.patch.object(Weighing, "_weight", lambda self, size, bits: str(1 << bits)):
        assert furthest(GREEDY, 1, SPENDS[0]) > 5
