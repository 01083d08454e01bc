"""What a publication may read under an open charge: in the order, and no more than, what was charged."""

from collections.abc import Sequence
from typing import Any, Protocol

from sfumato.engines import ExactCells
from sfumato.query.workload import PricedWorkload


class PublicationReader(Protocol):
    """Reads under an open charge, each part once."""

    def found(self) -> Sequence[tuple[Any, float]]:
        """The values that the next question finds, each with a noisy number of rows."""
        ...

    def counted(self) -> ExactCells:
        """The exact counts that were charged for."""
        ...

    def counted_last(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of the last of several reads."""
        ...
