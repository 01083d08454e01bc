"""Groups that are not public, found by the cells that answer: a person adds one and the same to each group's cells.

The cells of one expression add up to unit times the rows of a person in a group, which weigh k at most; one more cell
holds what is missing of unit·k. So a person adds exactly unit·k to each group they are in, whatever their rows: the
sum of a group's cells is its number of people, and a threshold on it hides a lone person with an exact δ
(`mechanisms/joint_keys.py`). Nothing is spent on finding groups beside what answers.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.joint_keys import GaussianJointKeys, JointKeys, JointSelection
from sfumato.query.measures import Measure, People
from sfumato.query.priced import NoisyCells
from sfumato.query.strategies.base import Block, Pricing, WeightedColumn, refined
from sfumato.query.strategies.cells import JointCells
from sfumato.query.strategies.separate import ONE

_MANY = 3  # from so many groups of a person on normal noise may be the better one
UNASKED = -1
"""The place of the number of people where nobody asks for it."""


@dataclass(frozen=True, kw_only=True)
class KeyedCells(NoisyCells):
    """Cells by which groups are found; the last of its columns is the number of people, in parts of a row."""

    selection: JointSelection

    def canonical(self) -> list[object]:
        """How its cells are made, and from what sum on a group shows."""
        return [*NoisyCells.canonical(self), self.selection.threshold]


def keyed(measures: Sequence[Measure], at: Pricing) -> Block | None:
    """The cells of all weighted columns and of people, where the columns are of one expression."""
    columns = [WeightedColumn(i, each) for i, each in enumerate(measures) if each.is_weighted and each.is_additive]
    if not columns or at.spend.epsilon is None or at.bounds.picked is None or at.bounds.cut:
        return None
    if len(columns) == 1:
        unit = columns[0].measure.unit
        if not columns[0].counts:
            return None
        one = Block((columns[0].place,), ONE, unit)
    else:
        found = JointCells().blocks(columns)
        if found is None or len(found) != 1:
            return None
        one = found[0]
    people = next((i for i, each in enumerate(measures) if isinstance(each, People) and each.where is None), UNASKED)
    rest = (*(-sum(cell[j] for cell in one.cells) for j in range(len(one.columns))), one.unit * at.bounds.rows_in_group)
    cells = (*((*cell, 0) for cell in one.cells), rest)
    return Block((*one.columns, people), cells, one.unit)


def price_keyed(block: Block, share: Fraction, delta: Fraction, at: Pricing) -> list[KeyedCells]:
    """The block with its noise and its threshold: geometric, and where it may be better normal."""
    assert at.bounds.picked is not None
    block = refined(block, share, at)
    whole = block.unit * at.bounds.rows_in_group << at.bits
    return [
        KeyedCells(
            "joint_keys", block.columns, block.cells, selection.noise, event, share, at.bits, event.pure_delta(),
            selection=selection,
        )
        for selection, event in _selections(share, delta, at.bounds.picked, len(block.cells), whole)
    ]  # fmt: skip


@lru_cache(maxsize=256)
def _selections(
    epsilon: Fraction, delta: Fraction, keys: int, cells: int, whole: int
) -> tuple[tuple[JointSelection, Event], ...]:
    """The selections there are, and what a budget of ε charges: of normal noise at what its threshold leaves of δ."""
    asked: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "keys_per_person": keys, "cells": cells, "whole": whole
    }  # fmt: skip
    laplace = JointKeys(**asked)
    found: list[tuple[JointSelection, Event]] = [(laplace, laplace.event)]
    if keys >= _MANY:
        with suppress(InvalidParameter):  # the parameters are good, but extreme ones have no price
            normal = GaussianJointKeys(**asked)
            event = events.Converted(normal.event, delta - Fraction(normal.lone_delta))
            known = event.pure()
            if known is not None and known <= epsilon:
                found.append((normal, event))
    return tuple(found)
