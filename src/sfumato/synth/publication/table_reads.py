"""What is read for a synthetic table: fine grids first, then all marginals by the codes that were found.

Everything that could be refused is tried with as many values as there could be, before anything is charged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.query.bounds import Spend
from sfumato.query.question import Question
from sfumato.query.recoded import CodedKey, recoded
from sfumato.query.workload import Marginal, PricedWorkload, counted_workload
from sfumato.synth.publication.table_columns import BinnedColumn, ListedColumn, TableColumn


@dataclass(frozen=True)
class TableReads:
    """What will be read for a table, and by which values at most."""

    asked: Question
    columns: tuple[TableColumn, ...]
    dataset: Dataset
    spend: Spend
    triples: tuple[Marginal, ...] = ()
    """Those that may be measured, by the most values that there could be."""

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        """The total, every column, every pair, and triples that may be measured."""
        places = range(len(self.columns))
        return (*(each for size in range(3) for each in combinations(places, size)), *self.triples)

    def grid(self, event: Event) -> PricedWorkload | None:
        """The counts on fine grids of columns that are put into bins."""
        fine = {place: column for place, column in enumerate(self.columns) if isinstance(column, BinnedColumn)}
        if not fine:
            return None
        keys = {place: column.fine(self.asked.keys[place]) for place, column in fine.items()}
        some = _only(recoded(self.asked, keys), tuple(fine))
        marginals = [(place,) for place in range(len(fine))]
        return counted_workload(some, self.dataset, marginals, self.spend).at(event)

    def last(self, keys: Mapping[int, CodedKey], event: Event) -> PricedWorkload:
        """The counts of all marginals, by these codes of the columns that need one."""
        return counted_workload(recoded(self.asked, keys), self.dataset, self.marginals, self.spend).at(event)

    def codes(self, found: Mapping[str, Sequence[Any]]) -> dict[int, CodedKey]:
        """The codes of the columns whose values were found."""
        return {
            place: column.key(key, found[column.name])
            for place, (column, key) in enumerate(zip(self.columns, self.asked.keys, strict=True))
            if not isinstance(column, ListedColumn)
        }

    def largest(self) -> dict[int, CodedKey]:
        """Codes with as many values as there could be: what is refused of these is refused before the charge."""
        return self.codes({each.name: each.largest() for each in self.columns if not isinstance(each, ListedColumn)})


def _only(asked: Question, places: Sequence[int]) -> Question:
    """The question with some of its keys alone."""
    return replace(
        asked,
        keys=tuple(asked.keys[place] for place in places),
        domains=tuple(asked.domains[place] for place in places),
        outputs=tuple(asked.outputs[place] for place in places),
    )
