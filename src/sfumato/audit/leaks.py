"""Leaks of numbers: which outputs can be reached, how precise they are, how they are written, and hostile rows.

Each test is an audit that looks at one thing only, so what it finds is certified as any finding is.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.audit.atoms import Outputs
from sfumato.audit.auditor import CONFIDENCE, Finding, audit
from sfumato.audit.outcomes import Aspect, Outcomes, Path, Reals, joined
from sfumato.audit.pairs import Inputs, Pair, hostile_rows
from sfumato.audit.statistics import Statistic, place_words, precision
from sfumato.audit.targets import Target
from sfumato.audit.views import Bins, Partition
from sfumato.exact.parameters import Real, rational

_MOST_PLACES = 8
_DRAWS = 20_000


def _numeric(outcomes: Outcomes) -> list[Path]:
    return [path for path, column in outcomes.columns.items() if column.numeric.any()][:_MOST_PLACES]


def looking_at_precision(left: Outcomes, right: Outcomes) -> list[Partition]:
    """The lowest set bit of each number."""
    paths = _numeric(joined(left, right))
    return [bins for path in paths if (bins := Bins.of(precision(path), left, right, 2048))]


def looking_at_reach(left: Outcomes, right: Outcomes) -> list[Partition]:
    """Which outputs come at all, and where they lie on the lattice of the first input's outputs."""
    pooled = joined(left, right)
    found: list[Partition] = []
    whole = Outputs.of(left, right, shapes=False)
    if whole is not None:
        found.append(whole)
    for path in _numeric(pooled):
        for side in (left, right):
            step = lattice_step(side.column(path).values[side.column(path).numeric])
            if step:
                bins = Bins.of(_residue(path, step), left, right)
                found += [bins] if bins else []
    return found


def lattice_step(values: Reals) -> float:
    """The largest step of which all differences of the values are multiples, or 0 where there is none to speak of.

    >>> lattice_step(np.array([0.5, 2.0, 3.5])), lattice_step(np.array([0.1, 0.7]))
    (1.5, 0.0)
    """
    finite = values[np.isfinite(values)][:2000]
    if len(finite) < 3 or np.ptp(finite) == 0:
        return 0.0
    first = Fraction(float(finite[0]))
    differences = [abs(Fraction(float(value)) - first) for value in finite[1:]]
    denominator = max(d.denominator for d in differences)  # powers of two, so the largest is a multiple of all
    step = Fraction(math.gcd(*(int(d * denominator) for d in differences)), denominator)
    return float(step) if step > Fraction(float(np.ptp(finite))) / 2**30 else 0.0


def _residue(path: Path, step: float) -> Statistic:
    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        with np.errstate(invalid="ignore"):
            rest = np.mod(column.values, step)
        return np.where(column.numeric, rest, math.nan)

    return Statistic(f"{place_words(path)} modulo {step:g}", read)


def looking_at_writing(left: Outcomes, right: Outcomes) -> list[Partition]:
    """How many characters were written, in which order keys came, and what kinds of things stand where."""
    lengths = [
        bins
        for path in joined(left, right).columns
        if path[-1:] == (Aspect.CHARACTERS,) and (bins := Bins.of(_characters(path), left, right))
    ]
    shape = Outputs.of(left, right, shapes=True)
    return [*lengths, *([shape] if shape else [])]


def _characters(path: Path) -> Statistic:
    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        return np.where(column.numeric, column.values, math.nan)

    return Statistic(place_words(path), read)


LEAKS: dict[str, Callable[[Outcomes, Outcomes], list[Partition]]] = {
    "reachable outputs": looking_at_reach,
    "precision": looking_at_precision,
    "writing": looking_at_writing,
}
"""The tests that look at draws, by name."""


def leaks(target: Target, *, draws: int = _DRAWS, confidence: float = CONFIDENCE) -> dict[str, Finding]:
    """Each leak test on a numeric release path, at the target's own claim."""
    share = 1 - (1 - confidence) / len(LEAKS)  # so that all of them hold together
    return {
        name: audit(replace(target, name=f"{target.name}, {name}"), draws=draws, confidence=share, looking=looking)
        for name, looking in LEAKS.items()
    }


def hostile(target: Target, inputs: Inputs, *, draws: int = 2000, confidence: float = CONFIDENCE) -> dict[str, Finding]:
    """A finding for each kind of row that no careful owner lets in; a target's pairs are replaced by those rows."""
    pairs = tuple(hostile_rows(inputs))
    share = 1 - (1 - confidence) / len(pairs)
    return {
        pair.why: audit(
            replace(target, name=f"{target.name}, {pair.why}", pairs=(pair,)), draws=draws, confidence=share
        )
        for pair in pairs
    }


def serialised(release: Callable[[Any], Any], write: Callable[[Any], str | bytes]) -> Callable[[Any], str | bytes]:
    """A release as it leaves: written by `write`, for example json.dumps."""
    return lambda data: write(release(data))


def far_pairs(step: Real) -> tuple[Pair, ...]:
    """Answers at which floats are spaced differently: around zero, one, and powers of two beyond."""
    inputs, move = Inputs(sensitivity=step), rational("step", step)
    return tuple(
        Pair(inputs.number(start), inputs.number(start + move), f"near {start}") for start in (0, 1, 1023, 2**20 - 1)
    )
