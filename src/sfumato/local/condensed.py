"""Condensed local privacy: near values are hidden better than far ones (Survey Definition 7.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import weighted
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, positive, whole
from sfumato.local import client, thresholds
from sfumato.local.estimates import Frequencies
from sfumato.local.k_ary import labels_of
from sfumato.local.protocol import (
    Bytes,
    Counts,
    Listed,
    codes_as_bytes,
    codes_of,
    domain_from,
    domain_of,
)

_GUARD = 80  # bits of the smallest weight: rounding moves α by less than 2⁻⁷⁸
_SLACK = Fraction(10**9 - 1, 10**9)  # the weights are made for a little less than α, so that rounding cannot reach it
_MOST_VALUES, _MOST_LENGTH = 1024, 64

Distances = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Condensed(Listed):
    """Report y with probability proportional to e^(-α·d(x, y)/2), so that ratios are at most e^(α·d(x, x')).

    Ordinal: d is the distance of places in the domain. Items: `distances` is a table of whole numbers, a metric.
    Sequences: `length` items, one after the other; the last value of the domain stands for "no item", and distances
    add up. `epsilon` is the worst case over the whole domain: α alone says little.

    >>> floors = Condensed(name="floor", domain=10, alpha=1)
    >>> print(floors)
    floor: α = 1 for each step, ε = 4.5 in the worst case
    """

    epsilon: Real = 0
    alpha: Real
    distances: Distances | None = None
    length: int = 1
    weights: tuple[int, ...] | None = None
    kind: ClassVar[str] = "condensed"
    epsilon_is_given: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._set("domain", domain_of("domain", self.domain, most=_MOST_VALUES))
        self._set("alpha", positive("alpha", self.alpha))
        if not 1 <= whole("length", self.length) <= _MOST_LENGTH:
            raise InvalidParameter("length", f"must be between 1 and {_MOST_LENGTH}", self.length)
        if self.distances is not None:
            self._set("distances", metric(self.distances, self.size))
        if self.weights is None:
            self._set("weights", tuple(weights_of(Fraction(self.alpha), self._farthest())))  # type: ignore[arg-type]
        if not self.epsilon:
            self._set("epsilon", Fraction(client.log_up(client.KINDS[self.kind].odds(self.document(), {}))))
        super().__post_init__()

    def __str__(self) -> str:
        return f"{self.name}: α = {float(self.alpha):g} for each step, ε = {float(self.spent):g} in the worst case"

    def derive(self, epsilon: Fraction) -> None:
        """ε follows from the weights."""

    def _farthest(self) -> int:
        return self.size - 1 if self.distances is None else max(map(max, self.distances))

    @property
    def memories(self) -> int:
        return int(self.size**self.length)

    def coins(self) -> dict[str, Fraction]:
        return {}

    def parameters(self) -> dict[str, Any]:
        table = None if self.distances is None else [list(row) for row in self.distances]
        weights = [str(weight) for weight in self.weights or ()]
        return {"alpha": str(self.alpha), "length": self.length, "distances": table, "weights": weights}

    @property
    def payload(self) -> int:
        return self.length * client.width(self.size)

    def row(self, x: int) -> list[int]:
        """The weights of all reports for a value."""
        masses = self.weights or ()
        apart = [abs(x - y) for y in range(self.size)] if self.distances is None else self.distances[x]
        return [masses[d] for d in apart]

    def channel(self) -> NDArray[np.float64]:
        """The chance of each report (column) for each value (row)."""
        rows = [self.row(x) for x in range(self.size)]
        return np.array([[float(Fraction(mass, sum(row))) for mass in row] for row in rows])

    def _codes(self, values: Any) -> NDArray[np.int64]:
        if self.length == 1:
            return codes_of(self.domain, values)[:, None]
        nothing = self.size - 1
        rows = [list(codes_of(self.domain, np.asarray(v) if isinstance(self.domain, int) else v)) for v in values]
        if any(len(row) > self.length or nothing in row for row in rows):
            raise InvalidParameter("values", f"must be sequences of at most {self.length} items, found", "another")
        return np.array([row + [nothing] * (self.length - len(row)) for row in rows], dtype=np.int64)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        codes, stream = self._codes(values), source(bits)
        out = np.empty_like(codes)
        for x in np.unique(codes):
            here = codes == x
            out[here] = weighted(self.row(int(x)), int(here.sum()), bits=stream)
        return codes_as_bytes(out.reshape(-1), client.width(self.size)).reshape(len(codes), self.payload)

    def _read(self, payloads: Bytes) -> NDArray[np.int64]:
        return np.ascontiguousarray(payloads).view(f"<u{client.width(self.size)}").astype(np.int64)

    def empty(self) -> Counts:
        """For each place of the sequence how often each value was reported."""
        return np.zeros((self.length, self.size), dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return np.asarray((self._read(payloads) < self.size).all(axis=1))

    def tally(self, payloads: Bytes) -> Counts:
        codes = self._read(payloads)
        return np.stack([np.bincount(codes[:, i], minlength=self.size) for i in range(self.length)]).astype(np.int64)

    def possible(self, counts: Counts, people: int) -> bool:
        return super().possible(counts, people) and bool((counts.sum(axis=1) == people).all())

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        """The shares behind the reports' shares, by the inverse of the channel: unbiased."""
        names = labels_of(self.domain)
        labels: Sequence[Any] = names if self.length == 1 else [(i, name) for i in range(self.length) for name in names]
        if people == 0:
            return Frequencies(labels, np.full(len(labels), np.nan), np.full(len(labels), np.inf), 0)
        back = np.linalg.inv(self.channel().T)
        told = counts / people  # (place, report) -> share
        shares = told @ back.T
        noise = np.maximum(0.0, told @ (back.T**2) - shares**2)
        return Frequencies(labels, shares.reshape(-1), np.sqrt(noise / people).reshape(-1), people)

    def variance(self, share: float = 0.0) -> float:
        """The largest variance that one report adds to any share, whatever its sender's value."""
        channel = self.channel()
        back = np.linalg.inv(channel.T)
        return float((channel @ (back.T**2)).max())

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        given = document["parameters"]
        table = None if given["distances"] is None else tuple(tuple(row) for row in given["distances"])
        weights = tuple(int(weight) for weight in given["weights"])
        return cls(
            domain=domain_from(document["domain"]),
            alpha=client.rational(given["alpha"]),
            distances=table,
            length=given["length"],
            weights=weights,
            **common,
        )


def metric(table: object, size: int) -> Distances:
    """A table of whole distances, if it is symmetric, zero on the diagonal alone and obeys the triangle inequality."""
    try:
        rows = tuple(tuple(whole("distances", d) for d in row) for row in table)  # type: ignore[attr-defined]
    except TypeError:
        raise InvalidParameter("distances", "must be a table of whole numbers, found", type(table)) from None
    if len(rows) != size or any(len(row) != size for row in rows):
        raise InvalidParameter("distances", f"must have {size} rows of {size}, found", len(rows))
    array = np.array(rows, dtype=np.int64)
    off = array[~np.eye(size, dtype=np.bool_)]
    if (array != array.T).any() or np.diag(array).any() or (off == 0).any():
        raise InvalidParameter(
            "distances", "must be symmetric, and zero between a value and itself alone, found", "other"
        )
    for via in range(size):
        if (array > array[:, via : via + 1] + array[via : via + 1, :]).any():
            raise InvalidParameter("distances", "must obey the triangle inequality", "a detour is shorter")
    return rows


def weights_of(alpha: Fraction, farthest: int) -> list[int]:
    """e^(-α·k/2) for k = 0 … farthest as whole numbers, to 80 bits at least."""
    rate = alpha * _SLACK / 2
    if rate * farthest > 2000:
        raise InvalidParameter("alpha", f"is too large for distances up to {farthest}", float(alpha))
    step = 1 / thresholds.exp_below(rate)
    powers = [Fraction(1)]
    for _ in range(farthest):
        powers.append(_short(powers[-1] * step))
    scale = (1 << _GUARD) / powers[-1]
    return [round(power * scale) for power in powers]


def _short(power: Fraction) -> Fraction:
    """A fraction cut to some 200 significant bits, so that products do not grow."""
    shift = 200 + power.denominator.bit_length() - power.numerator.bit_length()
    return Fraction((power.numerator << shift) // power.denominator, 1 << shift)
