"""Loss laws on a lattice: one that dominates the true law, one that the true law dominates.

Upper: a law's mass between two lattice points is divided between them so that both its P-mass and its Q-mass
are kept ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022). Lower: outcomes are merged.
"""

import math
from dataclasses import dataclass

import numpy as np

from sfumato.accounting.losslaw import LossLaw, Reals

MOST_POINTS = 1 << 18
"""Of one law: a law of extreme extent gets a coarser lattice, which is valid all the same."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Masses at the losses (first + i)·step, and a mass at infinity."""

    first: int
    step: float
    masses: Reals
    infinite: float
    lift: float = 0.0
    """How far a loss may lie above the lattice point it was put on, within rounding."""

    def losses(self) -> Reals:
        """The losses of the masses."""
        return (self.first + np.arange(len(self.masses))) * self.step


def connect_the_dots(law: LossLaw, step: float, depth: float) -> Lattice:
    """A law on the lattice that dominates the given one."""
    low, high = extent(law, depth)
    first, last = math.floor(low / step) - 1, math.ceil(high / step) + 1
    breaks = np.arange(first, last + 1) * step
    losses, masses = law.nodes(depth, breaks=breaks)
    position = losses / step
    nearest = np.rint(position)
    # a loss within rounding of a lattice point is on it
    on_it = np.abs(position - nearest) < 1e-9
    below = np.where(on_it, nearest, np.floor(position)).astype(np.int64)
    beyond = np.maximum(losses - below * step, 0.0)
    lift = float(beyond[on_it].max(initial=0.0))
    share = np.where(on_it, 0.0, np.expm1(-beyond) / math.expm1(-step))  # to the upper point: keeps ∫e^-ℓ
    out = np.bincount(below - first, weights=masses * (1 - share), minlength=last - first + 2)
    out += np.bincount(below - first + 1, weights=masses * share, minlength=last - first + 2)
    # The smooth part was cut at both ends. Its quadrature errs by L⁶·f⁽⁶⁾/2016000 of a mass, with pieces of L = 1/16 of
    # the length over which f changes: less than 2**-43, with the roundings.
    lost = 0.0 if law.smooth is None else 2 * math.exp(-depth)
    return Lattice(first, step, out * (1 + 2.0**-43), law.infinite + lost, lift)


def merge_the_cells(law: LossLaw, step: float, depth: float) -> Lattice:
    """A law on the lattice that the given one dominates: outcomes of a cell are taken for one outcome.

    Merging outcomes is post-processing (Survey Proposition 3.7), so it cannot raise a divergence; the merged
    outcome's loss ln(P/Q) is then rounded down to the lattice. Cells are moved up a little, so
    that most need no rounding.
    """
    low, high = extent(law, depth)
    first, last = math.floor(low / step) - 2, math.ceil(high / step) + 2
    size, atoms = last - first + 1, len(law.losses)
    shift = 0.0
    merged: Reals = np.zeros(0)
    in_p: Reals = np.zeros(0)
    for _ in range(2):
        edges = (np.arange(first, last + 2) - 0.5) * step + shift
        losses, masses = (part[atoms:] for part in law.nodes(depth, breaks=edges))
        cell = np.clip(np.searchsorted(edges, losses, side="right") - 1, 0, size - 1)
        in_p = np.bincount(cell, weights=masses, minlength=size)
        in_q = np.bincount(cell, weights=masses * np.exp(-losses), minlength=size)
        with np.errstate(divide="ignore", invalid="ignore"):
            merged = np.where(in_p > 0, np.log(in_p / in_q), 0.0)
        short = (first + np.arange(size)) * step - merged
        if len(losses):
            order = np.argsort(short)
            covered = np.searchsorted(np.cumsum(in_p[order]), 0.995 * in_p.sum())
            shift += max(0.0, float(short[order[min(covered, size - 1)]]) * 1.01)
    own, weight = (part[:atoms] for part in law.nodes(depth))
    below = np.floor(np.concatenate([merged[in_p > 0], own]) / step + 1e-10).astype(np.int64) - first
    mass = np.concatenate([in_p[in_p > 0], weight])
    return Lattice(
        first,
        step,
        np.bincount(np.maximum(below, 0), weights=mass, minlength=size),
        law.infinite if law.infinite > 1e-30 else 0.0,  # less is where a law was cut, not what it has
    )


def extent(law: LossLaw, depth: float) -> tuple[float, float]:
    """The least and the largest loss that the law gives mass to, but for its tails; `forward` is monotone."""
    base = [float(x) for x in law.losses]
    if law.smooth is not None:
        base += law.smooth.interval(depth)
    ends = law.forward(np.array([min(base), max(base)]))
    return float(ends.min()), float(ends.max())


def common_step(laws: list[tuple[LossLaw, int]], wanted: float) -> float:
    """A step near the wanted one on which atoms lie: all of them if they have a unit in common, else the heaviest."""
    atoms = [(law.forward(law.losses), law.masses * n, law.smooth) for law, n in laws if len(law.losses)]
    if not atoms:
        return wanted
    losses = np.abs(np.concatenate([loss for loss, _, _ in atoms]))
    masses = np.concatenate([mass for _, mass, _ in atoms])
    masses, losses = masses[losses > 0], losses[losses > 0]
    if len(losses) == 0:
        return wanted
    discrete = len(atoms) == len(laws) and all(smooth is None for _, _, smooth in atoms)
    least = float(losses.min())
    for unit in (least, least / 2):
        ratios = losses / unit
        if np.all(np.abs(ratios - np.rint(ratios)) < 1e-9 * ratios):
            if discrete and losses.max() / unit < MOST_POINTS:
                return unit
            if unit > wanted / 8:
                return unit / max(1, math.ceil(unit / wanted))
    wide = losses >= wanted
    if not wide.any():
        return wanted
    heaviest = float(losses[wide][np.argmax(masses[wide])])
    return heaviest / math.ceil(heaviest / wanted)
