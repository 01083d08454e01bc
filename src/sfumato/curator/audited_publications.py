"""Publications before the auditor: tiny ones, whose measurements are all that is ever released of the data.

Exact counts come the one way there is: charged to a ledger of their own. What is sealed, settled and built of the
measurements afterwards draws nothing from the data.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.curator.audited import DELTA, PEOPLE, Rows
from sfumato.curator.charge import Charge, ChargeRequest
from sfumato.demo.few_rows import few_rows
from sfumato.engines import Engine, ExactCells
from sfumato.exact.parameters import amount
from sfumato.ledger import Budget, SqliteLedger
from sfumato.query import Spend
from sfumato.query.workload import workload
from sfumato.synth.publication import PricedPublication, price_publication, read_plan
from sfumato.synth.publication.pricing import places_of

_NAME = "audit"
_RELATION = "SELECT person, amount > 4 AS high, kind = 'a' AS first FROM rows"
PLANS: Mapping[str, tuple[Any, ...]] = {
    "marginals": ({"kind": "marginals", "all": 1}, {"kind": "total"}),
    "table": ({"kind": "table"},),
    "ranges": ({"kind": "ranges", "of": "high", "branching": 2},),
    "hierarchy": ({"kind": "hierarchy", "weight": 2}, {"kind": "total"}),
    "queries": ({"kind": "queries", "rounds": 1, "ask": [{"where": "high = true"}, {"where": "first = true"}]},),
    "small database": ({"kind": "queries", "by": "small_database", "records": 2, "prefixes": "high"},),
}


@dataclass(frozen=True)
class AuditedPublication:
    """A publication as the curator prices and measures it."""

    plan: str
    spend: Spend

    @property
    def event(self) -> Event:
        """What the curator would charge."""
        return _priced(self.plan, self.spend).event

    def release(self, rows: Rows) -> list[int]:
        """Everything that is measured, cell by cell."""
        measured = _priced(self.plan, self.spend).measure(_exact(self.plan, rows, self.spend))
        return [int(cell) for table in measured for cell in table.reshape(-1)]


@lru_cache(maxsize=64)
def _priced(plan: str, spend: Spend) -> PricedPublication:
    engine = few_rows(())
    try:
        return _of(engine, plan, spend)
    finally:
        engine.close()


def _of(engine: Engine, plan: str, spend: Spend) -> PricedPublication:
    read = read_plan({"from": _RELATION, "columns": ["high", "first"], "measure": PLANS[plan]})
    return price_publication(
        read, lambda at: workload(read.question, engine.dataset, engine, places_of(read), at), spend
    )


@lru_cache(maxsize=64)
def _exact(plan: str, rows: Rows, spend: Spend) -> ExactCells:
    """The exact counts of rows, read once after a charge: an audit asks for them a million times."""
    engine = few_rows(rows)
    try:
        priced = _of(engine, plan, spend)
        enough = Budget.pure(epsilon=10**6, delta=Fraction(1, 2))
        with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "audit.ledger") as ledger:
            ledger.register(_NAME, enough)
            ledger.grant(_NAME, _NAME, enough)
            request = ChargeRequest(principal=_NAME, hash="0" * 64, event=priced.event, reads=priced.workload)
            made = Charge(engine, ledger, _NAME).make(request, lambda reader: ({}, reader.counted()))
            assert isinstance(made, tuple)
            return made[1]
    finally:
        engine.close()


def _published(plan: str, delta: float = 0.0) -> Callable[[Fraction], AuditedPublication]:
    return lambda epsilon: AuditedPublication(plan, Spend(epsilon, None, amount("delta", delta)))


PUBLICATIONS: tuple[AuditedMechanism, ...] = (
    *(AuditedMechanism(f"publication: {name}", _published(name), PEOPLE) for name in PLANS),
    AuditedMechanism("publication: with a delta", _published("marginals", DELTA), PEOPLE, delta=DELTA),
)
"""Publications of every kind of part."""
