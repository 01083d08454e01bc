"""Several reads under one charge: what is read last may be written from what the ones before it released."""

from dataclasses import dataclass

from sfumato.accounting.events import Event
from sfumato.query.price import PricedQuery
from sfumato.query.workload import PricedWorkload


@dataclass(frozen=True)
class PricedSteps:
    """Questions that find values, counts on fine grids, and then one workload over the same rows, for one price.

    `event` is the price of all of it. Whoever counts last is told by what was released before what to count by, and
    never which rows: those are fixed here.
    """

    finding: tuple[PricedQuery, ...]
    grid: PricedWorkload | None
    last: PricedWorkload
    """The last read with as many values as there could be; the one that is read has the same rows and marginals."""
    event: Event

    def allows(self, workload: PricedWorkload) -> bool:
        """Whether a workload is the last read of these: the same rows, tables and price, by whatever values."""
        return (
            workload.event == self.event
            and workload.rows == self.last.rows
            and workload.marginals == self.last.marginals
        )
