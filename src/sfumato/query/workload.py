"""A workload for publications: the cells of a table over public attributes, and the marginals that will be measured.

What an engine computes is the table of cells that occur, as counts in 2**bits of a row, bounded as a question that
groups by all of the attributes is: the rows of a person weigh `total`, so every marginal moves by that in ℓ1, and in ℓ2
too, because one of its cells may gather them all (Survey Definition 3.2: databases as histograms).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.mechanisms.additive import Noise
from sfumato.query.aggregates import CountRows
from sfumato.query.bounds import Moves
from sfumato.query.context import Public
from sfumato.query.expression import Ref
from sfumato.query.measured import measured
from sfumato.query.planning import plan_question
from sfumato.query.price import Bounds, PricedQuery, Spend, person_bounds
from sfumato.query.priced import hide
from sfumato.query.question import Question
from sfumato.query.weights import Weights, weights_of

Marginal = tuple[int, ...]
"""Which attributes a marginal is over, by their position."""
_MOST_ATTRIBUTES, _MOST_MARGINALS = 100, 100_000


@dataclass(frozen=True)
class PricedWorkload:
    """What will be measured of which cells, and what it costs, known before data are seen."""

    question: Question
    """The relation with its WHERE, and the attributes as its keys."""
    bounds: Bounds
    weights: Weights
    spend: Spend
    marginals: tuple[Marginal, ...]
    noise: Noise
    """Of every cell of every marginal."""
    event: Event
    declared: str
    """A digest of what is declared of the tables: cells are places in lists of public values, in their order."""

    @property
    def attributes(self) -> tuple[tuple[Any, ...], ...]:
        """The public values of each attribute, in order."""
        return tuple(domain for domain in self.question.domains if domain is not None)

    def counted(self) -> PricedQuery:
        """The same as a question, for what an engine counts."""
        return PricedQuery(
            self.question,
            measured(self.question.aggregates),
            self.bounds,
            self.weights,
            self.spend,
            (),
            None,
            Fraction(1, 2),
            self.event,
        )

    def canonical(self) -> dict[str, object]:
        """What decides what is measured."""
        return {
            "workload": self.question.canonical(),
            "declared": self.declared,
            "bounds": self.bounds.canonical(),
            "weights": self.weights.canonical(),
            "marginals": [list(each) for each in self.marginals],
            "event": self.event.to_json(),
        }


def workload(
    text: str, dataset: Dataset, public: Public, marginals: Sequence[Marginal], spend: Spend
) -> PricedWorkload:
    """A workload over the attributes that a question groups by: `SELECT a, b, COUNT(*) FROM t WHERE … GROUP BY a, b`.

    Every marginal gets the same share of what is spent.
    """
    asked = plan_question(text, dataset, public)
    if not asked.keys or any(domain is None for domain in asked.domains):
        raise InvalidQuestion(
            "the attributes of a workload have public values", hint="GROUP BY columns with declared values or bounds"
        )
    if asked.aggregates != (CountRows(),):
        raise InvalidQuestion("a workload counts rows", hint="SELECT a, b, COUNT(*) … GROUP BY a, b")
    plain = all(isinstance(output, Ref) for _, output in asked.outputs)
    if not plain or asked.having is not None or asked.order or asked.limit is not None or asked.offset:
        raise InvalidQuestion(
            "a workload has no arithmetic, HAVING, ORDER BY or LIMIT", hint="SELECT a, b, COUNT(*) … GROUP BY a, b"
        )
    chosen = tuple(tuple(sorted(set(each))) for each in marginals)
    known = range(len(asked.keys))
    if len(known) > _MOST_ATTRIBUTES or not 0 < len(chosen) <= _MOST_MARGINALS:
        raise InvalidQuestion(
            f"a workload has 1 to {_MOST_MARGINALS} marginals over up to {_MOST_ATTRIBUTES} attributes",
            hint="name the marginals that are wanted, such as (0, 1)",
        )
    if any(place not in known for each in chosen for place in each):
        raise InvalidQuestion(
            f"a marginal names attributes by position, from 0 to {known[-1]}", hint="such as (0, 1) for the first two"
        )
    limits, share = person_bounds(asked, dataset, cells=True), spend.amount / len(chosen)
    weights = weights_of(measured(asked.aggregates).measures, limits, share, spend, single=asked.plan.single)
    noise, event = _noise(limits.total * weights.whole, spend, len(chosen))
    return PricedWorkload(asked, limits, weights, spend, chosen, noise, event, asked.declared(dataset))


def _noise(moved: int, spend: Spend, marginals: int) -> tuple[Noise, Event]:
    """The noise of every cell, and the price of all marginals together; one person moves a marginal by `moved`."""
    moves = Moves(Fraction(moved), Fraction(moved**2))
    noise, each = hide(moves, spend.amount / marginals, spend, scalar=False)
    return noise, each if marginals == 1 else events.Composition([(each, marginals)])
