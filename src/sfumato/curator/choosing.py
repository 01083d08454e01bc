"""Mechanisms that choose instead of measure: noisy max and top-k over public groups, and any public utility of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from sfumato.core import Sensitivity
from sfumato.core.printing import Json
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.charge import Reader
from sfumato.curator.notes import bounding_notes
from sfumato.curator.release import AnswerColumn, Cost, Note, Shown, stored_value
from sfumato.curator.scoring import Scores, at, move, scores, weighted_move
from sfumato.data import Kind
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import integer
from sfumato.mechanisms import ExponentialMechanism, OneSidedNoisyMax, Selection, TopK
from sfumato.query.bars import Bar
from sfumato.query.price import PEOPLE

Weights = Mapping[str, Mapping[Any, Amount]]
"""Of each candidate, how much each group counts for it; a group that is not named counts nothing."""
_MOST_CANDIDATES = 10_000
_MOST_WEIGHTS = 10**6  # worked through before anything is charged
_FINEST = 10**9


def noisy_max(desk: Desk, text: str, *, epsilon: Amount, key: str | None = None, label: str = "") -> Ask[Shown]:
    """The key of a public group whose aggregate is likely the largest (Survey Theorem 4.7)."""
    price, found = amount("epsilon", epsilon), scores(desk, text, "noisy max")
    mechanism = OneSidedNoisyMax(
        epsilon=price,
        candidates=found.groups,
        sensitivity=Sensitivity.linf(move(found.query), PEOPLE),
        monotone=found.only_adds,
    )

    def choose(reader: Reader) -> Json:
        return {"chosen": found.groups.index(mechanism.release(found.exact(reader), bits=desk.bits))}

    below = mechanism.error(1 - desk.dataset.defaults.confidence).alpha * float(found.scale)
    return _ask(
        desk,
        mechanism,
        found,
        about=found.about(desk, "noisy max", mechanism.event),
        compute=choose,
        show=lambda stored: _groups_shown(desk, found, [stored["chosen"]], Note.of("choice", below=below)),
        key=key,
        verb="max",
        text=text,
        label=label,
    )


def top_k(desk: Desk, text: str, *, k: int, epsilon: Amount, key: str | None = None, label: str = "") -> Ask[Shown]:
    """The keys of k public groups with likely the largest aggregates, best first: each draw costs ε/k."""
    price, found = amount("epsilon", epsilon), scores(desk, text, "top-k")
    if not 1 <= integer("k", k) <= len(found.groups):
        raise InvalidParameter(
            "k", f"must be 1 to {len(found.groups)}, the number of groups", k, hint=f"k={min(3, len(found.groups))}"
        )
    mechanism = TopK(
        k=k,
        epsilon=price,
        candidates=found.groups,
        sensitivity=Sensitivity.linf(move(found.query), PEOPLE),
        monotone=found.only_adds,
    )

    def choose(reader: Reader) -> Json:
        drawn = mechanism.release(found.exact(reader), bits=desk.bits)
        return {"chosen": [found.groups.index(group) for group in drawn]}

    below = mechanism.error(1 - desk.dataset.defaults.confidence).alpha * float(found.scale)
    return _ask(
        desk,
        mechanism,
        found,
        about={**found.about(desk, "top k", mechanism.event), "k": k},
        compute=choose,
        show=lambda stored: _groups_shown(desk, found, stored["chosen"], Note.of("choices", below=below)),
        key=key,
        verb=f"top {k}",
        text=text,
        label=label,
    )


def exponential(
    desk: Desk,
    text: str,
    *,
    epsilon: Amount,
    weights: Weights | None = None,
    key: str | None = None,
    label: str = "",
) -> Ask[Shown]:
    """A candidate whose public utility is likely the largest, by the exponential mechanism (Survey Algorithm 4).

    Without `weights` the candidates are the public groups, and a group's utility is its aggregate. With them a
    candidate's utility is the sum of the groups' aggregates, each times its weight for the candidate.
    """
    price, found = amount("epsilon", epsilon), scores(desk, text, "the exponential mechanism")
    utility = _groups_themselves(found) if weights is None else _weighted(found, weights)
    mechanism = ExponentialMechanism(
        epsilon=price,
        candidates=tuple(range(len(utility.candidates))),
        sensitivity=Sensitivity.linf(utility.moved, PEOPLE),
        monotone=found.only_adds and utility.only_adds,
    )

    def choose(reader: Reader) -> Json:
        chosen = mechanism.release(utility.of(found.exact(reader)), bits=desk.bits)
        return {"chosen": mechanism.candidates.index(chosen)}  # candidates are their own numbers

    unit = found.scale / utility.scale
    note = Note.of("utility", below=mechanism.error(1 - desk.dataset.defaults.confidence).alpha * float(unit))
    about = {**found.about(desk, "exponential", mechanism.event), "utility": utility.canonical()}

    def shown(stored: Any) -> Shown:
        if weights is None:
            return _groups_shown(desk, found, [stored["chosen"]], note)
        row = (Bar(utility.candidates[stored["chosen"]]),)
        column = AnswerColumn("candidate", Kind.TEXT, "key")
        return Shown((column,), (row,), desk.dataset.defaults.confidence, _notes(desk, found, note))

    return _ask(
        desk,
        mechanism,
        found,
        about=about,
        compute=choose,
        show=shown,
        key=key,
        verb="choose",
        text=text,
        label=label,
    )


@dataclass(frozen=True)
class _Utility:
    """Candidates, and of each the whole-number weight of every group, which are `scale` times the weights given."""

    candidates: tuple[Any, ...]
    weights: tuple[tuple[int, ...], ...] | None
    scale: int
    moved: int

    @property
    def only_adds(self) -> bool:
        """Whether no weight is negative."""
        return self.weights is None or all(weight >= 0 for row in self.weights for weight in row)

    def of(self, exact: Sequence[int]) -> list[int]:
        """The candidates' utilities, from the groups' aggregates."""
        if self.weights is None:
            return list(exact)
        return [sum(weight * value for weight, value in zip(row, exact, strict=True)) for row in self.weights]

    def canonical(self) -> Json:
        """Everything that decides which candidate is chosen."""
        named = [[stored_value(part) for part in each] if isinstance(each, tuple) else each for each in self.candidates]
        return [named, None if self.weights is None else [list(row) for row in self.weights], self.scale]


def _groups_themselves(found: Scores) -> _Utility:
    return _Utility(found.groups, None, 1, move(found.query))


def _weighted(found: Scores, weights: Weights) -> _Utility:
    given: object = weights
    if not isinstance(given, Mapping) or not 0 < len(weights) <= _MOST_CANDIDATES:
        raise InvalidParameter(
            "weights", f"must name 1 to {_MOST_CANDIDATES} candidates, each with the weights of groups",
            type(weights).__name__, hint='weights={"north": {"surgery": 1, "oncology": 0.5}}',
        )  # fmt: skip
    if len(weights) * len(found.groups) > _MOST_WEIGHTS:
        raise InvalidParameter(
            "weights", f"must be at most {_MOST_WEIGHTS}, candidates times groups",
            len(weights) * len(found.groups), hint="ask about fewer groups at a time, or fewer candidates",
        )  # fmt: skip
    rows = [_row(found, name, each) for name, each in weights.items()]
    scale = lcm(*(weight.denominator for row in rows for weight in row))
    if scale > _FINEST:
        raise InvalidParameter("weights", "must have fewer decimals", scale, hint="nine at most, in common fractions")
    whole = tuple(tuple(int(weight * scale) for weight in row) for row in rows)
    moved = max(weighted_move(found.query, list(row)) for row in whole)
    if moved == 0:
        raise InvalidParameter("weights", "must not all be zero", 0, hint="a constant needs no mechanism")
    return _Utility(tuple(weights), whole, scale, moved)


def _row(found: Scores, name: object, weights: object) -> list[Fraction]:
    """A candidate's weights, in the groups' order; a group of one key is named by its value alone."""
    if not isinstance(name, str) or not name or not isinstance(weights, Mapping):
        raise InvalidParameter("weights", "must give each candidate, named by a text, a mapping of groups", name)
    places = {group[0] if len(group) == 1 else group: i for i, group in enumerate(found.groups)}
    row = [Fraction(0)] * len(found.groups)
    for group, weight in weights.items():
        if group not in places:
            known = ", ".join(str(each) for each in list(places)[:8])
            raise InvalidParameter("weights", "names a group that is not there", group, hint=f"groups: {known}")
        row[places[group]] = _weight(weight)
    return row


def _weight(value: Any) -> Fraction:
    sign, bare = (-1, value[1:]) if isinstance(value, str) and value.startswith("-") else (1, value)
    if isinstance(bare, int | float | Fraction) and not isinstance(bare, bool) and bare < 0:
        sign, bare = -1, -bare
    return sign * amount("weights", bare, zero=True)


def _groups_shown(desk: Desk, found: Scores, chosen: Sequence[int], note: Note) -> Shown:
    bars = tuple(tuple(Bar(part) for part in found.groups[at]) for at in chosen)
    return Shown(found.columns, bars, desk.dataset.defaults.confidence, _notes(desk, found, note))


def _notes(desk: Desk, found: Scores, note: Note) -> tuple[Note, ...]:
    """How near the choice is, and what was left out of what it was made by."""
    return (note, *bounding_notes(found.query, desk.dataset))


def _ask(desk: Desk, mechanism: Selection, found: Scores, **rest: Any) -> Ask[Shown]:
    """What is to be charged: the price is the mechanism's own."""
    cost = Cost(mechanism.event.pure(), None, mechanism.event.pure_delta())
    return Ask(
        event=mechanism.event, reads=at(found.query, mechanism.event), cost=cost, unpaid=desk.too_cheap(cost), **rest
    )
