"""A workload for publications: the marginals of public attributes that will be counted, each a table of its own.

What an engine computes is one table of counts a marginal, in 2**bits of a row, bounded as a question that groups by all
of the attributes is: the rows of a person weigh `total`, so every marginal moves by that in ℓ1, and in ℓ2 too, because
one of its cells may gather them all (Survey Definition 3.2: databases as histograms).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.query.aggregates import CountRows
from sfumato.query.context import Public
from sfumato.query.expression import Ref
from sfumato.query.measured import measured
from sfumato.query.passes.public_groups import long_domains
from sfumato.query.planning import plan_question
from sfumato.query.price import Bounds, PricedQuery, Spend, person_bounds
from sfumato.query.question import Question
from sfumato.query.weights import Weights, weights_of

Marginal = tuple[int, ...]
"""Which attributes a marginal is over, by their position; none of them: how many rows there are."""
MOST_ATTRIBUTES, MOST_MARGINALS = 60, 5000
"""Of one workload: the engine tells by a whole number of 64 bits which marginal a line belongs to."""
MOST_CELLS = 20_000_000
"""Of all marginals together: they are held in memory, and each has a noise of its own."""


@dataclass(frozen=True)
class CountedWorkload:
    """What will be counted, before it is known what will be spent on it."""

    question: Question
    """The relation with its WHERE, and the attributes as its keys."""
    bounds: Bounds
    weights: Weights
    spend: Spend
    marginals: tuple[Marginal, ...]
    declared: str
    """A digest of what is declared of the tables: cells are places in lists of public values, in their order."""

    @property
    def attributes(self) -> tuple[tuple[Any, ...], ...]:
        """The public values of each attribute, in order."""
        return tuple(domain for domain in self.question.domains if domain is not None)

    @property
    def moved(self) -> int:
        """How far one person moves any one marginal, in ℓ1 and in ℓ2, in 2**bits of a row."""
        return self.bounds.total * self.weights.whole

    def shape(self, marginal: Marginal) -> tuple[int, ...]:
        """How many values the attributes of a marginal have."""
        attributes = self.attributes
        return tuple(len(attributes[place]) for place in marginal)

    def at(self, event: Event) -> "PricedWorkload":
        """The same, with what is charged for it."""
        return PricedWorkload(self, event)


@dataclass(frozen=True)
class PricedWorkload:
    """What will be counted, and what is charged for it."""

    workload: CountedWorkload
    event: Event

    @property
    def question(self) -> Question:
        """The relation, and the attributes as its keys."""
        return self.workload.question

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        """The tables to count."""
        return self.workload.marginals

    @property
    def rows(self) -> dict[str, object]:
        """Which rows are counted, and how a person's are bounded: whatever they are counted by."""
        return {"plan": self.question.plan.canonical(), "declared": self.workload.declared}

    def counted(self) -> PricedQuery:
        """The same as a question, for what an engine counts."""
        of = self.workload
        counts = measured(of.question.aggregates)
        half = Fraction(1, 2)
        return PricedQuery(of.question, counts, of.bounds, of.weights, of.spend, (), None, half, self.event)

    def canonical(self) -> dict[str, object]:
        """What decides what is measured."""
        return {
            "workload": self.question.canonical(),
            "declared": self.workload.declared,
            "bounds": self.workload.bounds.canonical(),
            "weights": self.workload.weights.canonical(),
            "marginals": [list(each) for each in self.marginals],
            "event": self.event.to_json(),
        }


def workload(
    text: str, dataset: Dataset, public: Public, marginals: Sequence[Marginal], spend: Spend
) -> CountedWorkload:
    """A workload over the attributes that a question groups by: `SELECT a, b, COUNT(*) FROM t WHERE … GROUP BY a, b`.

    `spend` is what will be spent on all of it: rows are weighed as finely as noise of that size is drawn fast.
    """
    asked = asked_columns(text, dataset, public)
    domains = long_domains(asked.keys, asked.domains, asked.plan, public, MOST_CELLS)
    return counted_workload(replace(asked, domains=domains), dataset, marginals, spend)


def asked_columns(text: str, dataset: Dataset, public: Public) -> Question:
    """The question of a workload: `SELECT a, b, COUNT(*) FROM t WHERE … GROUP BY a, b`, and nothing else."""
    asked = plan_question(text, dataset, public)
    if not asked.keys:
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
    return asked


def counted_workload(asked: Question, dataset: Dataset, marginals: Sequence[Marginal], spend: Spend) -> CountedWorkload:
    """A workload over the keys of a question, all of which have public values."""
    for (name, _), domain in zip(asked.outputs, asked.domains, strict=False):  # keys stand first, in their order
        if domain is None:
            raise InvalidQuestion(
                f"the attributes of a workload have public values, and `{name}` has none, or too many",
                hint="have the owner declare its values, or bounds of whole numbers; or publish a coarser one: "
                "a CASE, a condition, or age / 10 * 10 as a whole number",
            )
    chosen = tuple(dict.fromkeys(tuple(sorted(set(each))) for each in marginals))
    _check(asked, chosen)
    limits, share = person_bounds(asked, dataset, cells=True), spend.amount / len(chosen)
    weights = weights_of(measured(asked.aggregates).measures, limits, share, spend, single=asked.plan.single)
    return CountedWorkload(asked, limits, weights, spend, chosen, asked.declared(dataset))


def _check(asked: Question, chosen: Sequence[Marginal]) -> None:
    """Refuse what an engine could not tell apart, or what no memory holds."""
    known = range(len(asked.keys))
    if len(known) > MOST_ATTRIBUTES or not 0 < len(chosen) <= MOST_MARGINALS:
        raise InvalidQuestion(
            f"a workload has 1 to {MOST_MARGINALS} marginals over up to {MOST_ATTRIBUTES} attributes",
            hint="name the marginals that are wanted, such as (0, 1)",
        )
    if any(place not in known for each in chosen for place in each):
        raise InvalidQuestion(
            f"a marginal names attributes by position, from 0 to {known[-1]}", hint="such as (0, 1) for the first two"
        )
    cells = sum(prod(len(asked.domains[place] or ()) for place in each) for each in chosen)
    if cells > MOST_CELLS:
        raise InvalidQuestion(
            f"the marginals have {cells:,} cells, and {MOST_CELLS:,} can be measured",
            hint="leave out the largest, or make an attribute coarser, such as age / 10",
        )
