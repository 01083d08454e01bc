"""Microdata, trees and ranges for the audit: each algorithm on a few cells, for both kinds of neighbours."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accounting import events
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.core import Change, Neighbours
from sfumato.synth import (
    ClippedGaussian,
    ClippedGeometric,
    FilledGaussian,
    FilledGeometric,
    FilledTruncated,
    Ranges,
    RangeTree,
    TopDown,
    Tree,
)

DELTA = 0.01
_REPLACE = Neighbours(Change.REPLACE)
ADDED: tuple[Pair, ...] = (
    Pair([1, 0, 0], [0, 0, 0], "the only person"),
    Pair([3, 2, 0], [3, 1, 0], "a person goes"),
    Pair([0, 0, 4], [0, 0, 5], "a person comes"),
)
REPLACED: tuple[Pair, ...] = (
    Pair([1, 0, 0], [0, 1, 0], "a lone person moves"),
    Pair([3, 2, 4], [2, 2, 5], "a person moves"),
)


@dataclass(frozen=True)
class Written:
    """A mechanism whose output is written down as lists of numbers, as the audit reads them."""

    mechanism: Any
    read: Callable[[Any], Any]

    @property
    def event(self) -> events.Event:
        """What the mechanism charges."""
        found: events.Event = self.mechanism.event
        return found

    def release(self, exact: Any) -> list[Any]:
        """What it releases."""
        found: list[Any] = self.read(self.mechanism.release(exact))
        return found


@dataclass(frozen=True)
class WholeCounts:
    """A mechanism by its whole counts instead of its weights."""

    mechanism: FilledGeometric

    @property
    def event(self) -> events.Event:
        """What the mechanism charges."""
        return self.mechanism.event

    def release(self, exact: Any) -> list[int]:
        """The counts."""
        counts: list[int] = self.mechanism.release_counts(exact).tolist()
        return counts


def _levels(levels: Any) -> list[Any]:
    return [level.tolist() for level in levels]


def _bins(synopsis: Any) -> list[Any]:
    return list(synopsis.levels[-1].tolist())


def _pure(kind: Any, **more: Any) -> Callable[[Fraction], Any]:
    return lambda epsilon: kind(points=3, epsilon=epsilon, **more)


def _zcdp(kind: Any, **more: Any) -> Callable[[Fraction], Any]:
    return lambda epsilon: kind(points=3, rho=epsilon**2 / 2, **more)


_TREE, _BINS = Tree.of([[0, 0], [0, 0, 1]]), RangeTree(bins=3, branching=2)

MICRODATA: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("microdata: clipped geometric", _pure(ClippedGeometric), ADDED),
    AuditedMechanism("microdata: clipped geometric, replace", _pure(ClippedGeometric, neighbours=_REPLACE), REPLACED),
    AuditedMechanism("microdata: clipped gaussian", _zcdp(ClippedGaussian), ADDED, DELTA),
    AuditedMechanism(
        "microdata: clipped gaussian, replace", _zcdp(ClippedGaussian, neighbours=_REPLACE), REPLACED, DELTA
    ),
    AuditedMechanism("microdata: filled geometric", _pure(FilledGeometric), ADDED),
    AuditedMechanism("microdata: filled geometric, replace", _pure(FilledGeometric, neighbours=_REPLACE), REPLACED),
    AuditedMechanism("microdata: whole counts", lambda e: WholeCounts(FilledGeometric(points=3, epsilon=e)), ADDED),
    AuditedMechanism("microdata: filled gaussian", _zcdp(FilledGaussian), ADDED, DELTA),
    AuditedMechanism(
        "microdata: filled gaussian, replace", _zcdp(FilledGaussian, neighbours=_REPLACE), REPLACED, DELTA
    ),
    AuditedMechanism("microdata: filled truncated", _pure(FilledTruncated, delta=DELTA), ADDED, DELTA),
    AuditedMechanism(
        "microdata: filled truncated, replace",
        _pure(FilledTruncated, delta=DELTA, neighbours=_REPLACE),
        REPLACED,
        DELTA,
    ),
    AuditedMechanism("top-down", lambda e: Written(TopDown.pure(tree=_TREE, epsilon=e), _levels), ADDED),
    AuditedMechanism(
        "top-down, replace",
        lambda e: Written(TopDown.pure(tree=_TREE, epsilon=e, neighbours=_REPLACE), _levels),
        REPLACED,
    ),
    AuditedMechanism(
        "top-down, gaussian", lambda e: Written(TopDown.zcdp(tree=_TREE, rho=e**2 / 2), _levels), ADDED, DELTA
    ),
    AuditedMechanism("ranges", lambda e: Written(Ranges.pure(tree=_BINS, epsilon=e), _bins), ADDED),
    AuditedMechanism(
        "ranges, replace", lambda e: Written(Ranges.pure(tree=_BINS, epsilon=e, neighbours=_REPLACE), _bins), REPLACED
    ),
)
"""Every algorithm that releases cells, a tree or ranges."""
