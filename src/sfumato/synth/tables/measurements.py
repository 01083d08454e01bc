"""What was measured of a table: noisy whole numbers and their noises, which is all that rows are made of."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import nearest, positive, whole
from sfumato.exact.sampler import Integers, objects
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables.paid import Handed, step_of
from sfumato.synth.tables.residuals import Floats, centred, squared_move
from sfumato.synth.tables.scores import GRAIN, squared_score_move
from sfumato.synth.tables.shape import Marginal, TableShape

_FORMATS = (1, 2)  # the second has triples; what has none is still written as the first


@dataclass(frozen=True, eq=False)
class MeasuredResidual:
    """The residual of a marginal with noise on it: d times what it is in parts, as whole numbers."""

    marginal: Marginal
    values: Integers = field(repr=False)
    noise: GaussianNoise

    @property
    def scale(self) -> int:
        """d, the number of cells."""
        return int(math.prod(self.values.shape))

    def table(self, parts: int) -> Floats:
        """The residual in rows, unbiased."""
        return centred(np.asarray(self.values, dtype=np.float64) / (self.scale * parts))

    def deviation(self, parts: int) -> float:
        """The standard deviation of the noise of a cell in rows, before it is centred."""
        return nearest(self.noise.sigma / (self.scale * parts))

    def rounding(self, parts: int) -> float:
        """What rounding moves a cell by at most, in rows."""
        return step_of(self.noise.sigma) / (2 * self.scale * parts)


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """How far marginals are from what is public of them, with noise, in steps of scores."""

    marginals: tuple[Marginal, ...]
    values: Integers = field(repr=False)
    noise: GaussianNoise


@dataclass(frozen=True, eq=False)
class TableMeasurements:
    """Everything that left the data: residuals, in the order they were measured, and scores of pairs and triples.

    `to_json` writes it whole; rows and answers are made of it again without the data.
    """

    shape: TableShape
    sigma: Fraction
    residuals: tuple[MeasuredResidual, ...]
    scores: MeasuredScores | None
    triple_scores: MeasuredScores | None = None

    @property
    def handed(self) -> tuple[Handed, ...]:
        """The noise that was handed out with what one person moves by, for whoever prices it again."""
        square = self.shape.moved**2
        given = [Handed(each.noise, square * squared_move(each.values.shape)) for each in self.residuals]
        for scores in (self.scores, self.triple_scores):
            if scores is not None:
                given.append(Handed(scores.noise, square * squared_score_move(len(scores.marginals))))
        return tuple(given)

    @cached_property
    def tables(self) -> Mapping[Marginal, tuple[Floats, float]]:
        """Each residual in rows and the variance of its noise; what was measured twice is joined by precision."""
        found: dict[Marginal, tuple[Floats, float]] = {}
        for each in self.residuals:
            table, variance = each.table(self.shape.parts), each.deviation(self.shape.parts) ** 2
            if each.marginal in found:
                before, known = found[each.marginal]
                weight = variance / (variance + known)
                table, variance = weight * before + (1 - weight) * table, weight * known
            found[each.marginal] = table, variance
        return found

    @cached_property
    def roundings(self) -> Mapping[Marginal, float]:
        """What rounding moves a cell of each residual by at most, in rows."""
        found: dict[Marginal, float] = {}
        for each in self.residuals:
            found[each.marginal] = max(found.get(each.marginal, 0.0), each.rounding(self.shape.parts))
        return found

    @property
    def total(self) -> float:
        """How many rows there are, with noise."""
        return float(self.tables[()][0])

    @property
    def measured_pairs(self) -> tuple[Marginal, ...]:
        """The pairs that were worth their price."""
        return tuple(marginal for marginal in self.tables if len(marginal) == 2)

    @property
    def measured_triples(self) -> tuple[Marginal, ...]:
        """The triples that were named, or worth their price."""
        return tuple(marginal for marginal in self.tables if len(marginal) == 3)

    def distances(self, scores: MeasuredScores | None) -> dict[Marginal, float]:
        """The total variation distance of each scored marginal from what was public of it, in rows, with noise."""
        if scores is None:
            return {}
        unit = 2 * GRAIN * self.shape.parts
        return {scored: int(value) / unit for scored, value in zip(scores.marginals, scores.values, strict=True)}

    def doubt(self, scores: MeasuredScores | None) -> float:
        """The standard deviation of the noise of such a distance, in rows."""
        return 0.0 if scores is None else nearest(scores.noise.sigma / (2 * GRAIN * self.shape.parts))

    @cached_property
    def digest(self) -> bytes:
        """A name of these measurements, which rows are made under."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).digest()

    def to_json(self) -> dict[str, Any]:
        """Plain values, without loss."""
        triples = {} if self.triple_scores is None else {"triple_scores": _written(self.triple_scores)}
        return {
            "format": 2 if triples or self.measured_triples else 1,
            "columns": dict(self.shape.columns),
            "moved": self.shape.moved,
            "parts": self.shape.parts,
            "impossible": [[list(m), (~mask).astype(int).ravel().tolist()] for m, mask in self.shape.masks.items()],
            "sigma": str(self.sigma),
            "residuals": [
                [list(each.marginal), str(each.noise.sigma), [int(v) for v in each.values.ravel()]]
                for each in self.residuals
            ],
            "scores": None if self.scores is None else _written(self.scores),
            **triples,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "TableMeasurements":
        """What `to_json` wrote."""
        if document.get("format") not in _FORMATS:
            raise InvalidParameter("format", f"must be one of {_FORMATS}, got", document.get("format"))
        columns = {str(name): whole("size", size, least=2) for name, size in document["columns"].items()}
        names, sizes = tuple(columns), tuple(columns.values())
        impossible = {
            tuple(names[place] for place in marginal): np.array(mask).reshape([sizes[place] for place in marginal])
            for marginal, mask in document["impossible"]
        }
        shape = TableShape(columns, impossible, moved=document["moved"], parts=document["parts"])
        residuals = tuple(
            MeasuredResidual(tuple(m), _integers(values).reshape(shape.sizes_of(tuple(m))), _noise(sigma))
            for m, sigma, values in document["residuals"]
        )
        scores, triples = _read(document["scores"]), _read(document.get("triple_scores"))
        return cls(shape, positive("sigma", Fraction(document["sigma"])), residuals, scores, triples)


def _written(scores: MeasuredScores) -> list[Any]:
    return [[list(m) for m in scores.marginals], str(scores.noise.sigma), [int(v) for v in scores.values]]


def _read(scored: list[Any] | None) -> MeasuredScores | None:
    if scored is None:
        return None
    return MeasuredScores(tuple(tuple(m) for m in scored[0]), _integers(scored[2]), _noise(scored[1]))


def _noise(sigma: str) -> GaussianNoise:
    return GaussianNoise(Fraction(sigma))


def _integers(values: list[int]) -> Integers:
    fits = all(-(2**63) <= value < 2**63 for value in values)
    return np.array(values, dtype=np.int64) if fits else objects(values)
