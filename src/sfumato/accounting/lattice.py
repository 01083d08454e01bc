"""Loss laws on a lattice: one that dominates the true law, one that the true law dominates.

Upper: a law's mass between two lattice points is divided between them so that both its P-mass and its Q-mass
are kept ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022). Lower: outcomes are merged.

Laws that are composed share the step of their lattices; each has an offset of its own, where much of its mass is.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.losslaw import LossLaw, Reals

MOST_POINTS = 1 << 18
"""Of one law: a law of extreme extent gets a coarser lattice, which is valid all the same."""
_ON_IT = 1e-9  # of a step: a loss within it of a lattice point is on it, and the difference is remembered
_LOST = 1e-300  # masses that floats cannot hold


@dataclass(frozen=True, slots=True)
class Lattice:
    """Masses at the losses offset + (first + i)·step, and a mass at infinity."""

    first: int
    step: float
    masses: Reals
    infinite: float
    lift: float = 0.0
    """How far a loss may lie beyond the lattice point it was put on, within rounding: above it in an upper bound,
    below it in a lower one."""
    offset: float = 0.0

    def losses(self) -> Reals:
        """The losses of the masses."""
        return self.offset + (self.first + np.arange(len(self.masses))) * self.step


@dataclass(frozen=True, slots=True)
class Survey:
    """Where a law's mass lies: what its lattice is chosen by."""

    low: float
    high: float
    """Losses outside of which there is no more than exp(-depth) at either end."""
    spread: float
    """About the standard deviation of the loss, without the rarest tails."""
    middle: float
    """A loss near which much of the mass is: the heaviest atom, or the median where there is none."""


_RARE = math.exp(-20)


def survey(law: LossLaw, depth: float) -> Survey:
    """Where the law's mass lies."""
    losses, masses = law.nodes(depth)
    order = np.argsort(losses)
    losses, masses = losses[order], masses[order]
    below, above = np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
    kept = (below > math.exp(-depth)) & (above > math.exp(-depth))
    low, high = (float(losses[kept][0]), float(losses[kept][-1])) if kept.any() else (losses[0], losses[-1])
    usual = (below > _RARE) & (above > _RARE)
    weights, at = masses[usual], losses[usual]
    total = max(float(weights.sum()), 1e-300)
    mean = float((at * weights).sum() / total)
    spread = math.sqrt(max(float(((at - mean) ** 2 * weights).sum() / total), 1e-300))
    own, logs = law.atoms()
    median = min(int(np.searchsorted(below, total / 2)), len(losses) - 1)
    middle = own[np.argmax(logs)] if len(own) else losses[median]
    return Survey(low, high, spread, float(middle))


def connect_the_dots(law: LossLaw, step: float, at: Survey, depth: float) -> Lattice:
    """A law on the lattice that dominates the given one."""
    offset = at.middle
    first, last = math.floor((at.low - offset) / step) - 1, math.ceil((at.high - offset) / step) + 1
    losses, masses, left_out = _within(law, at, depth, breaks=offset + np.arange(first, last + 1) * step)
    position = (losses - offset) / step
    nearest = np.rint(position)
    on_it = np.abs(position - nearest) < _ON_IT
    below = np.where(on_it, nearest, np.floor(position)).astype(np.int64)
    beyond = np.maximum(losses - offset - below * step, 0.0)
    lift = float(beyond[on_it].max(initial=0.0)) + _roundings(at)
    share = np.where(on_it, 0.0, np.expm1(-beyond) / math.expm1(-step))  # to the upper point: keeps ∫e^-ℓ
    out = np.bincount(below - first, weights=masses * (1 - share), minlength=last - first + 2)
    out += np.bincount(below - first + 1, weights=masses * share, minlength=last - first + 2)
    # The smooth part was cut at both ends. Its quadrature errs by L⁶·f⁽⁶⁾/2016000 of a mass, with pieces of L = 1/16 of
    # the length over which f changes: less than 2**-43, with the roundings.
    off = 1 + 2.0**-43 + law.hidden(depth)
    lost = law.cut + _LOST + left_out * off + (0.0 if law.smooth is None else 2 * math.exp(-depth))
    return Lattice(first, step, out * off, min(1.0, law.infinite * off + lost), lift, offset)


def merge_the_cells(law: LossLaw, step: float, at: Survey, depth: float) -> Lattice:
    """A law on the lattice that the given one dominates: outcomes near a lattice point are taken for one outcome.

    Merging outcomes is post-processing (Survey Proposition 3.7), so it cannot raise a divergence. Outcomes are merged
    cell by cell; then those between two points are merged with parts of others so that ln(P/Q) of what is
    merged is a point, and what cannot be is rounded down.
    """
    positions, masses = _merged_cells(law, step, at, depth)
    if at.high - at.low < 4 * step and np.any(
        np.abs(positions - np.rint(positions)) >= _ON_IT
    ):  # too narrow: one outcome
        positions = np.array([np.log(masses.sum() / (masses * np.exp(-positions * step)).sum()) / step])
        masses = masses.sum(keepdims=True)
    heaviest = int(np.argmax(masses))
    moved = positions[heaviest] - round(positions[heaviest])  # the heaviest cell is on a point
    places, merged, lift = _merged(positions - moved, masses, step)
    first = int(places.min())
    out = np.bincount(places - first, weights=merged) * (1 - 2.0**-43 - law.hidden(depth))
    return Lattice(first, step, out, law.infinite, lift + _roundings(at), at.middle + moved * step)


def _within(law: LossLaw, at: Survey, depth: float, breaks: Reals) -> tuple[Reals, Reals, float]:
    """The law's nodes where it has mass worth a point, and the mass of the others."""
    losses, masses = law.nodes(depth, breaks=breaks)
    inside = (losses >= at.low) & (losses <= at.high)
    return losses[inside], masses[inside], float(masses[~inside].sum())


def _roundings(at: Survey) -> float:
    """What computing a loss of the law may hide."""
    return 2.0**-50 * (abs(at.low) + abs(at.high) + abs(at.middle))


def _merged_cells(law: LossLaw, step: float, at: Survey, depth: float) -> tuple[Reals, Reals]:
    """The cells around lattice points: where each lies as one outcome, in steps from the middle, and its mass."""
    first, last = math.floor((at.low - at.middle) / step) - 1, math.ceil((at.high - at.middle) / step) + 1
    points = np.arange(first, last + 1)
    losses, masses, _ = _within(law, at, depth, breaks=at.middle + (np.append(points, last + 1) - 0.5) * step)
    cell = np.rint((losses - at.middle) / step).astype(np.int64) - first
    away = losses - at.middle - points[cell] * step
    in_p = np.bincount(cell, weights=masses, minlength=len(points))
    in_q = np.bincount(cell, weights=masses * np.exp(-away), minlength=len(points))
    filled = in_p > 0
    return points[filled] + np.log(in_p[filled] / in_q[filled]) / step, in_p[filled]


def _merged(positions: Reals, masses: Reals, step: float) -> tuple[NDArray[np.int64], Reals, float]:
    """Lattice places, their masses, and how far a place may lie above what was put there."""
    nearest = np.rint(positions)
    if np.all(np.abs(positions - nearest) < _ON_IT):
        return nearest.astype(np.int64), masses, max(0.0, float(np.max(nearest - positions))) * step
    up, down = _from_below(positions, masses, step), _from_above(positions, masses, step)
    best = max(up, down, key=lambda placed: math.fsum(place * mass for place, mass in placed))
    places, weights = zip(*best, strict=True)
    return np.array(places, np.int64), np.array(weights), 2 * _ON_IT * step


def _from_below(positions: Reals, masses: Reals, step: float) -> list[tuple[int, float]]:
    """Atoms merged with parts of those above them, lattice point by lattice point.

    An atom between two points is merged with as much of the atoms above the upper one as makes ln(P/Q) of the merged
    outcome that point; where too little is left above, the rest is rounded down.
    """
    return _swept(positions, masses, step, way=1)


def _from_above(positions: Reals, masses: Reals, step: float) -> list[tuple[int, float]]:
    """The same from the largest loss down: where too little is left below, the merged outcome is rounded down too."""
    return _swept(positions[::-1], masses[::-1], step, way=-1)


def _swept(positions: Reals, masses: Reals, step: float, *, way: int) -> list[tuple[int, float]]:
    """Atoms merged in their order, which is upwards (`way` = 1) or downwards (-1)."""
    placed: list[tuple[int, float]] = []
    positions, left = positions.tolist(), masses.tolist()
    at, n = 0, len(left)
    while at < n:
        point = round(positions[at])
        if abs(positions[at] - point) < _ON_IT:
            placed.append((point, left[at]))
            at += 1
            continue
        point = math.ceil(positions[at]) if way > 0 else math.floor(positions[at])
        surplus = taken = 0.0  # Σ m·(e^-ℓ - e^-point)·e^point, or less it on the way down, and Σ m
        while at < n and way * (positions[at] - point) < 0:
            surplus += way * left[at] * math.expm1((point - positions[at]) * step)
            taken += left[at]
            at += 1
        while at < n and surplus > 0:
            if way * (positions[at] - point) < _ON_IT:  # on the point: nothing to balance with
                placed.append((point, left[at]))
                at += 1
                continue
            relief = -way * math.expm1((point - positions[at]) * step)
            part = min(left[at], surplus / relief)
            taken += part
            surplus -= part * relief
            left[at] -= part
            if left[at] > 0:
                surplus = 0.0
            else:
                at += 1
        placed.append((point if surplus <= 0 or way < 0 else point - 1, taken))
    return placed


def common_step(laws: list[tuple[LossLaw, int]], surveys: list[Survey], wanted: float) -> float:
    """A step near the wanted one on which atoms lie: all of them if they have a unit in common, else the heaviest."""
    gaps, weights = [], []
    for (law, n), at in zip(laws, surveys, strict=True):
        losses, logs = law.atoms()
        away = np.abs(losses - at.middle)
        counts = (away > 0) & (losses >= at.low) & (losses <= at.high)
        gaps.append(away[counts])
        weights.append(logs[counts] + math.log(n))
    apart = np.concatenate([np.zeros(0), *gaps])
    if len(apart) == 0:
        return wanted
    discrete = all(law.smooth is None for law, _ in laws)
    unit = _unit(apart, apart.max() / MOST_POINTS if discrete else wanted / 8)
    if unit is not None:
        return unit if discrete else unit / max(1, math.ceil(unit / wanted))
    wide = apart >= wanted
    if not wide.any():
        return wanted
    heaviest = float(apart[wide][np.argmax(np.concatenate(weights)[wide])])
    return heaviest / math.ceil(heaviest / wanted)


def _unit(apart: Reals, least: float) -> float | None:
    """A length of which all given ones are multiples, within rounding, if one of at least `least` is found."""
    unit = float(apart.min())
    for _ in range(8):
        if unit < least:
            return None
        ratios = apart / unit
        rest = np.abs(ratios - np.rint(ratios))
        off = rest > 1e-9 * ratios
        if not off.any():
            return unit
        unit = float(rest[off].min()) * unit
    return None
