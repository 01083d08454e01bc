"""What a reader of an answer must know beside it: from the declaration, the question and what was released alone."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from sfumato.curator.release import Note
from sfumato.data import Dataset
from sfumato.mechanisms.joint_keys import JointSelection
from sfumato.mechanisms.thresholds import KeyThreshold
from sfumato.query import PricedQuery
from sfumato.query.aggregates import Average, QuantileOf
from sfumato.query.contributions import lines_of_people, one_group
from sfumato.query.measures import Distinct, People
from sfumato.query.plan import tables
from sfumato.query.postprocess import answers_of


def notes(query: PricedQuery, dataset: Dataset, beyond: Sequence[int] = ()) -> tuple[Note, ...]:
    """What a reader of the answer must know, with the noisy numbers of those who have more than counts."""
    found = []
    if any(isinstance(each, QuantileOf) and each.is_extreme for each in query.question.aggregates):
        found.append(Note.of("extremes"))
    if query.keys is not None:
        found.append(Note.of("threshold", people=_threshold(query.keys)))
    return (*found, *bounding_notes(query, dataset), *_beyond(query, beyond))


def _threshold(keys: KeyThreshold) -> int:
    """The threshold in people."""
    return ceil(keys.people_threshold) if isinstance(keys, JointSelection) else keys.threshold


def _beyond(query: PricedQuery, told: Sequence[int]) -> list[Note]:
    if query.beyond is None or not told:
        return []
    beta, known = 1 - query.confidence, query.beyond
    found = [Note.of("beyond", people=told[0], within=known.people.reach(beta))]
    if known.rows is not None:
        found.append(Note.of("excess", n=told[1], within=known.rows.reach(beta), most=known.most))
    return found


def bounding_notes(query: PricedQuery, dataset: Dataset) -> list[Note]:
    """What may have been left out of each person's part: from the declaration and the question alone."""
    limits, plan, found = query.bounds, query.question.plan, list[Note]()
    if dataset.unit is None:
        return found
    cuts = [
        cut for name in tables(plan) if (table := dataset.table(name)) is not None and (cut := table.cut) is not None
    ]
    found += [Note.of("cut", rows=max(cuts))] if cuts else []
    found += [Note.of("own", rows=rows) for rows in lines_of_people(plan, dataset)[:1]]
    if limits.cut or plan.single:
        return found
    measures = query.measures.measures
    if any(measure.is_weighted for measure in measures):
        found.append(Note.of(_weighted(query), rows=limits.total))
    if any(isinstance(measure, Distinct) for measure in measures):
        found.append(Note.of("values", values=limits.total))
    if limits.picked is not None:
        found.append(Note.of("picked", groups=limits.picked))
    if limits.in_parts and not one_group(query.question) and any(isinstance(measure, People) for measure in measures):
        found.append(Note.of("parts", groups=limits.keys))
    return found


def _weighted(query: PricedQuery) -> str:
    """How the rows of who has more than counts are bounded."""
    if query.weights.picks:
        return "sampled"
    return "weighted" if query.weights.length is None else "lengths"


def wide_notes(query: PricedQuery, beta: Fraction) -> list[Note]:
    """From how few rows on an average's error bar is as wide as its column, which is all that is known then."""
    few = []
    for (_, off), asked in zip(answers_of(query, beta), query.question.aggregates, strict=True):
        found = asked.range
        if isinstance(asked, Average) and found.lower is not None and found.upper is not None:
            width = float(found.upper - found.lower)
            few.append(ceil(2 * asked.expected(off).figure / width) if width else 0)
    return [Note.of("wide", rows=max(few))] if few and max(few) > 1 else []
