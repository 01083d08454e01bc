"""The neighbouring inputs of a mechanism, from what it says of itself: one line a family."""

from collections.abc import Callable
from typing import Any

from sfumato import mechanisms as m
from sfumato.audit.pairs import Inputs, Pair, pairs_of
from sfumato.audit.targets import Claim, Target, claim_of_event, one_by_one
from sfumato.core import Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, non_negative, probability

_FEW = 5


def _additive(mechanism: m.Additive) -> tuple[Pair, ...]:
    change = mechanism.sensitivity
    distance = change.value if change.norm is Norm.L2 else change.amount
    if mechanism.dimension is None:
        return pairs_of("number", Inputs(sensitivity=distance))
    kind = "answers" if change.norm is Norm.LINF else "counts"
    return pairs_of(kind, Inputs(sensitivity=distance, length=mechanism.dimension))


def _selection(mechanism: m.Selection) -> tuple[Pair, ...]:
    kind = "monotone" if mechanism.monotone else "answers"
    return pairs_of(kind, Inputs(sensitivity=mechanism.sensitivity.value, length=len(mechanism.candidates)))


def _sparse(mechanism: m.SparseTechnique) -> tuple[Pair, ...]:
    return pairs_of(
        "answers", Inputs(sensitivity=mechanism.sensitivity.value, around=mechanism.threshold, length=2 * _FEW)
    )


def _response(mechanism: m.RandomizedResponse | m.Warner) -> tuple[Pair, ...]:
    return (Pair(mechanism.values[0], mechanism.values[-1]),)


def _quantile(mechanism: m.Quantile) -> tuple[Pair, ...]:
    inputs = Inputs(lower=mechanism.lower, upper=mechanism.upper, change=mechanism.neighbours.change, tame=True)
    return pairs_of("rows", inputs)


def _keys(mechanism: m.KeySelection) -> tuple[Pair, ...]:
    at = mechanism.threshold
    return (
        Pair({"a": at, "b": 1}, {"a": at}, "a lone person's key"),
        Pair({"a": at}, {"a": at - 1}, "near the threshold"),
    )


FAMILIES: tuple[tuple[type, Callable[[Any], tuple[Pair, ...]]], ...] = (
    (m.Additive, _additive),
    (m.Selection, _selection),
    (m.SparseTechnique, _sparse),
    (m.RandomizedResponse, _response),
    (m.Warner, _response),
    (m.Quantile, _quantile),
    (m.KeySelection, _keys),
)
"""Which pairs a mechanism is tried on, by its family."""


def pairs_for(mechanism: Any) -> tuple[Pair, ...]:
    """The pairs of a mechanism's family."""
    for family, pairs in FAMILIES:
        if isinstance(mechanism, family):
            return pairs(mechanism)
    raise InvalidParameter(
        "target", "is of no family whose inputs are known", type(mechanism).__name__, hint="give the pairs yourself"
    )


def mechanism_target(
    mechanism: Any,
    *,
    epsilon: Real | None = None,
    delta: Real = 0,
    pairs: tuple[Pair, ...] = (),
    name: str = "",
) -> Target:
    """A mechanism as a target; without an ε it claims what it charges at the δ."""
    d = float(probability("delta", delta))
    claim = claim_of_event(mechanism.event, d) if epsilon is None else Claim(float(non_negative("epsilon", epsilon)), d)
    return Target(name or type(mechanism).__name__, one_by_one(mechanism.release), pairs or pairs_for(mechanism), claim)
