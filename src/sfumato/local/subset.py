"""Subset selection: a set of k values, which holds the true one more often than chance."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, bernoulli_rows, integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import whole
from sfumato.local import client, thresholds
from sfumato.local.bitsums import column_sums
from sfumato.local.k_ary import Flags
from sfumato.local.protocol import (
    Bytes,
    Counts,
    codes_of,
    domain_from,
    domain_of,
)
from sfumato.local.unary import padding_is_zero, put_flag

_FLAGS = 1 << 21  # at a time, so that they stay in the cache


def _weights(rows: Bytes) -> NDArray[np.int64]:
    return np.asarray(np.bitwise_count(rows).sum(axis=1, dtype=np.int64))


def subsets(own: NDArray[np.int64], sizes: NDArray[np.int64], d: int, bits: BitSource) -> Bytes:
    """For each row a set of the given size among the d - 1 values other than its own, all equally likely.

    Coins give a set of nearly the size. Then as many places as are missing (or too many) are drawn at random, and those
    that are free join (or, if members, leave), until the size is met. Every step treats all other values alike, so
    every set of that size has the same chance.
    """
    target = int(sizes.max(initial=0))
    short = math.isqrt(max(0, target * (d - 1 - target) // (d - 1)))  # joining is quicker than leaving
    rows = bernoulli_rows(Fraction(max(0, target - short), d - 1), len(own), d, bits=bits)
    put_flag(rows, own, np.zeros(len(own), dtype=np.bool_))
    flags = np.unpackbits(rows, axis=1, bitorder="little")
    flat, claims = flags.reshape(-1), np.empty(flags.size, dtype=np.int32)
    excess = _weights(rows) - sizes
    active = np.flatnonzero(excess)
    while len(active):
        missing = np.abs(excess[active])
        who, joins = np.repeat(active, missing), np.repeat(excess[active] < 0, missing)
        place: NDArray[np.int64] = integers(d - 1, len(who), bits=bits)
        place += place >= own[who]
        place += who * flags.shape[1]
        draws = np.arange(len(who), dtype=np.int32)
        claims[place] = draws
        moved = (flat[place] != joins) & (claims[place] == draws)  # a place drawn twice moves once
        flat[place] = joins
        moves = np.add.reduceat(moved, np.cumsum(missing) - missing, dtype=np.int64)
        excess[active] += np.where(excess[active] < 0, moves, -moves)
        active = active[excess[active] != 0]
    return np.packbits(flags, axis=1, bitorder="little")


@dataclass(frozen=True, kw_only=True)
class SubsetSelection(Flags):
    """k values of d, the true one among them with probability k·e^ε/(k·e^ε + d - k); k = round(d/(e^ε + 1)).

    Ye and Barg (2018); the least variance of all for frequencies. A report is a map of d bits with k ones.
    """

    subset: int | None = None
    p: Fraction | None = None
    kind: ClassVar[str] = "subset"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain, most=1 << 16))
        if self.subset is None:
            self._set("subset", max(1, round(self.size / (thresholds.exp_below(epsilon) + 1))))
        if not 1 <= whole("subset", self.subset) < self.size:
            raise InvalidParameter("subset", "must be at least 1 and smaller than the domain", self.subset)
        self.coin("p", thresholds.truth(epsilon, Fraction(self.size - self._k, self._k)))

    @property
    def _k(self) -> int:
        return int(self.subset or 0)

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}

    def parameters(self) -> dict[str, Any]:
        return {"subset": self.subset}

    @property
    def payload(self) -> int:
        return -(-self.size // 8)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        codes, stream = codes_of(self.domain, values), source(bits)
        out = np.empty((len(codes), self.payload), dtype=np.uint8)
        step = max(64, _FLAGS // self.size)
        for start in range(0, len(codes), step):
            own = codes[start : start + step]
            inside = bernoulli(Fraction(self.p or 0), len(own), bits=stream)
            rows = subsets(own, self._k - inside.astype(np.int64), self.size, stream)
            put_flag(rows, own, inside)
            out[start : start + step] = rows
        return out

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return np.asarray(padding_is_zero(payloads, self.size) & (_weights(payloads) == self._k))

    def tally(self, payloads: Bytes) -> Counts:
        return column_sums(payloads, self.size)

    def possible(self, counts: Counts, people: int) -> bool:
        return super().possible(counts, people) and int(counts.sum()) == people * self._k

    def _chances(self) -> tuple[float, float]:
        """That a set holds its sender's value, and that it holds another one: (k - p)/(d - 1)."""
        p = Fraction(self.p or 0)
        return float(p), float((self._k - p) / (self.size - 1))

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        subset, p = document["parameters"]["subset"], client.rational(document["coins"]["p"])
        return cls(domain=domain_from(document["domain"]), subset=subset, p=p, **common)
