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
from typing import Any, TypeVar

from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.curator.audited import DELTA, PEOPLE, Rows
from sfumato.curator.charge import Charge, ChargeRequest, Reader
from sfumato.demo.few_rows import few_rows
from sfumato.engines import Engine, ExactCells
from sfumato.exact.parameters import amount
from sfumato.ledger import Budget, SqliteLedger
from sfumato.query import Spend
from sfumato.query.steps import PricedSteps
from sfumato.query.workload import PricedWorkload, workload
from sfumato.synth.publication import PricedPublication, price_publication, read_plan
from sfumato.synth.publication.pricing import places_of
from sfumato.synth.publication.table_measuring import measure_table
from sfumato.synth.publication.table_pricing import PricedTable, price_table

T = TypeVar("T")
_NAME = "audit"
_TABLE = {
    "from": "SELECT person, amount, kind = 'a' AS first FROM rows",
    "columns": ["amount", "first"],
    "make": "table",
    "bins": {"amount": 2},
}
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
        return _charged(engine, _of(engine, plan, spend).workload, lambda reader: reader.counted())
    finally:
        engine.close()


def _charged(engine: Engine, reads: PricedWorkload | PricedSteps, exact: Callable[[Reader], T]) -> T:
    """What is read under a charge to a ledger of its own."""
    enough = Budget.pure(epsilon=10**6, delta=Fraction(1, 2))
    with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "audit.ledger") as ledger:
        ledger.register(_NAME, enough)
        ledger.grant(_NAME, _NAME, enough)
        request = ChargeRequest(principal=_NAME, hash="0" * 64, event=reads.event, reads=reads)
        made = Charge(engine, ledger, _NAME).make(request, lambda reader: ({}, exact(reader)))
        assert isinstance(made, tuple)
        return made[1]


@dataclass(frozen=True)
class AuditedTablePublication:
    """A synthetic table as the curator prices and measures it: a column of private bins beside one of two values."""

    spend: Spend

    @property
    def event(self) -> Event:
        """What the curator would charge."""
        return _priced_table(self.spend).event

    def release(self, rows: Rows) -> list[int]:
        """Everything that is measured: levels of the grid, residuals and scores."""
        stages = measure_table(_priced_table(self.spend), _StepsRead(rows, self.spend), None)
        said = [int(value) for grid in stages.grids for level in grid.levels for value in level]
        said += [int(value) for each in stages.table.residuals for value in each.values.ravel()]
        return said + [int(value) for value in ([] if stages.table.scores is None else stages.table.scores.values)]


@dataclass(frozen=True)
class _StepsRead:
    """The exact counts of some rows, as often as an audit wants them."""

    rows: Rows
    spend: Spend

    def found(self) -> list[tuple[Any, float]]:
        """No texts are found here."""
        return []

    def counted(self) -> ExactCells:
        """The exact counts on the grid."""
        return _exact_steps(self.rows, self.spend, None)[0]

    def counted_last(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts by the bins that were made."""
        return _exact_steps(self.rows, self.spend, workload)[1]


@lru_cache(maxsize=64)
def _priced_table(spend: Spend) -> PricedTable:
    engine = few_rows(())
    try:
        return price_table(read_plan(_TABLE), engine.dataset, engine, spend)
    finally:
        engine.close()


@lru_cache(maxsize=256)
def _exact_steps(rows: Rows, spend: Spend, last: PricedWorkload | None) -> tuple[ExactCells, ExactCells]:
    """Both reads of a table's charge; the last by the largest number of bins, or by those of a workload."""
    engine = few_rows(rows)
    try:
        reads = price_table(read_plan(_TABLE), engine.dataset, engine, spend).reads
        return _charged(engine, reads, lambda reader: (reader.counted(), reader.counted_last(last or reads.last)))
    finally:
        engine.close()


def _published(plan: str, delta: float = 0.0) -> Callable[[Fraction], AuditedPublication]:
    return lambda epsilon: AuditedPublication(plan, Spend(epsilon, None, amount("delta", delta)))


PUBLICATIONS: tuple[AuditedMechanism, ...] = (
    *(AuditedMechanism(f"publication: {name}", _published(name), PEOPLE) for name in PLANS),
    AuditedMechanism("publication: with a delta", _published("marginals", DELTA), PEOPLE, delta=DELTA),
    AuditedMechanism(
        "publication: synthetic table",
        lambda epsilon: AuditedTablePublication(Spend(epsilon, None, amount("delta", DELTA))),
        PEOPLE,
        delta=DELTA,
    ),
)
"""Publications of every kind of part."""
