"""Hadamard response: one entry of the value's row of ±1, at a place drawn at random, told by one coin."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import bernoulli, integers
from sfumato.exact.bits import BitSource, source
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
    read,
)

_MOST = 1 << 24


def signed_codes(
    columns: NDArray[np.int64], order: int, p: Fraction, bits: BitSource
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Rows drawn at random, and whether the entry told there is -1: the law of the client's `_signed`."""
    rows: NDArray[np.int64] = integers(order, len(columns), bits=bits)
    odd = (np.bitwise_count(rows & columns) & 1).astype(np.bool_)
    return rows, odd ^ ~bernoulli(p, len(columns), bits=bits)


def transform(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Walsh-Hadamard transform along the last axis, whose length is a power of two.

    >>> transform(np.array([1.0, 0, 0, 1])).tolist()
    [2.0, 0.0, 0.0, 2.0]
    """
    shape, n, span = values.shape, values.shape[-1], 1
    out = values.copy()
    while span < n:
        pairs = out.reshape(-1, n // (2 * span), 2, span)
        out = np.concatenate([pairs[:, :, :1] + pairs[:, :, 1:], pairs[:, :, :1] - pairs[:, :, 1:]], axis=2)
        span *= 2
    return out.reshape(shape)


def signs_of(counts: Counts, people: int) -> bool:
    """Whether so many reports, each one more or one less in one cell, can add up to these numbers."""
    inside = bool((abs(counts.astype(object)) <= people).all())
    met = sum(abs(int(count)) for count in counts.reshape(-1)) if inside else people + 1
    return met <= people and (people - met) % 2 == 0


@dataclass(frozen=True, kw_only=True)
class Hadamard(Listed):
    """A random row and the sign at the value's column, true with probability e^ε/(e^ε + 1).

    Columns are orthogonal, so a transform of the signed counts estimates all shares at once.
    """

    p: Fraction | None = None
    kind: ClassVar[str] = "hadamard"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain, most=_MOST))
        self.coin("p", thresholds.truth(epsilon))

    @property
    def order(self) -> int:
        """The order of the matrix: the least power of two that holds the domain."""
        return 1 << (self.size - 1).bit_length()

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}

    def parameters(self) -> dict[str, Any]:
        return {"order": self.order}

    @property
    def payload(self) -> int:
        return client.width(2 * self.order)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        rows, minus = signed_codes(codes_of(self.domain, values), self.order, Fraction(self.p or 0), source(bits))
        return codes_as_bytes(rows << 1 | minus, self.payload)

    def empty(self) -> Counts:
        return np.zeros(self.order, dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return read(payloads, 0, self.payload) < np.uint64(2 * self.order)

    def tally(self, payloads: Bytes) -> Counts:
        codes = read(payloads, 0, self.payload).view(np.int64)
        found = np.bincount(codes, minlength=2 * self.order).reshape(self.order, 2)
        return (found[:, 0] - found[:, 1]).astype(np.int64, copy=False)

    def possible(self, counts: Counts, people: int) -> bool:
        return signs_of(counts, people)

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        labels, gap = labels_of(self.domain), float(2 * Fraction(self.p or 0) - 1)
        if people == 0:
            return Frequencies(labels, np.full(self.size, np.nan), np.full(self.size, np.inf), 0)
        shares = transform(counts.astype(np.float64))[: self.size] / (people * gap)
        noise = 1 / gap**2 - np.clip(shares, 0.0, 1.0)
        return Frequencies(labels, shares, np.sqrt(noise / people), people)

    def variance(self, share: float = 0.0) -> float:
        return 1 / float(2 * Fraction(self.p or 0) - 1) ** 2 - share

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        return cls(domain=domain_from(document["domain"]), p=client.rational(document["coins"]["p"]), **common)
