"""Microsoft's d-bit histogram: a device answers for d of the k buckets, chosen once (Ding, Kulkarni, Yekhanin 2017)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, bernoulli_rows, integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, whole
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
from sfumato.local.unary import padding_is_zero
from sfumato.mechanisms.additive import stated


@dataclass(frozen=True, kw_only=True)
class DBitFlip(Listed):
    """For each of d random buckets a bit: 1 with odds e^(ε/2) for one's own bucket, against them for another.

    >>> DBitFlip(name="usage", domain=32, bits=4, epsilon=1).report_bytes
    25
    """

    bits: int = 4
    p: Fraction | None = None
    q: Fraction | None = None
    kind: ClassVar[str] = "d-bit"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain, most=1 << 16))
        if not 1 <= whole("bits", self.bits) <= self.size:
            raise InvalidParameter("bits", f"must be between 1 and the {self.size} buckets", self.bits)
        p, q = thresholds.symmetric(epsilon)
        self.coin("p", p)
        self.coin("q", q)

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0), "q": Fraction(self.q or 0)}

    def parameters(self) -> dict[str, Any]:
        return {"bits": self.bits}

    @property
    def payload(self) -> int:
        return 2 * self.bits + -(-self.bits // 8)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        codes, stream = codes_of(self.domain, values), source(bits)
        n, d, k = len(codes), self.bits, self.size
        chosen = np.empty((n, d), dtype=np.int64)
        for at, j in enumerate(range(k - d, k)):  # Floyd's algorithm, as the client's
            place: NDArray[np.int64] = integers(j + 1, n, bits=stream)
            taken = (chosen[:, :at] == place[:, None]).any(axis=1)
            chosen[:, at] = np.where(taken, j, place)
        chosen.sort(axis=1)
        told = np.unpackbits(
            bernoulli_rows(Fraction(self.q or 0), n, d, bits=stream), axis=1, count=d, bitorder="little"
        )
        own = bernoulli(Fraction(self.p or 0), n, bits=stream)
        told = np.where(chosen == codes[:, None], own[:, None], told)
        packed = np.packbits(told.astype(np.uint8), axis=1, bitorder="little")
        return np.concatenate([codes_as_bytes(chosen.reshape(-1), 2).reshape(n, 2 * d), packed], axis=1)

    def _buckets(self, payloads: Bytes) -> NDArray[np.int64]:
        ids = np.ascontiguousarray(payloads[:, : 2 * self.bits]).view("<u2")
        return ids.astype(np.int64)

    def empty(self) -> Counts:
        """For each bucket how many devices answered for it, and how many of them said 1."""
        return np.zeros((self.size, 2), dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        ids = self._buckets(payloads)
        ordered = (np.diff(ids, axis=1) > 0).all(axis=1) & (ids[:, -1] < self.size)
        return ordered & padding_is_zero(payloads[:, 2 * self.bits :], self.bits)

    def tally(self, payloads: Bytes) -> Counts:
        ids = self._buckets(payloads).reshape(-1)
        told = np.unpackbits(payloads[:, 2 * self.bits :], axis=1, count=self.bits, bitorder="little").reshape(-1)
        asked = np.bincount(ids, minlength=self.size)
        ones = np.bincount(ids[told.view(np.bool_)], minlength=self.size)
        return np.stack([asked, ones], axis=1).astype(np.int64, copy=False)

    def possible(self, counts: Counts, people: int) -> bool:
        asked, ones = counts[:, 0], counts[:, 1]
        every = int(asked.sum()) == people * self.bits and bool((ones <= asked).all())
        return super().possible(counts, people) and every

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        """Unbiased: (k/(nd))·Σ(b - q)/(p - q) over those who answered for the bucket."""
        labels, p, q = labels_of(self.domain), float(self.p or 0), float(self.q or 0)
        if people == 0:
            return Frequencies(labels, np.full(self.size, np.nan), np.full(self.size, np.inf), 0)
        shares = self.size / (people * self.bits) * (counts[:, 1] - counts[:, 0] * q) / (p - q)
        errors = np.sqrt([self.variance(float(f)) / people for f in np.clip(shares, 0.0, 1.0)])
        return Frequencies(labels, shares, errors, people)

    def variance(self, share: float = 0.0) -> float:
        """(k/d)·(s/(s-1)² + f) - f², with s = e^(ε/2)."""
        p, q = float(self.p or 0), float(self.q or 0)
        return self.size / self.bits * (q * (1 - q) / (p - q) ** 2 + share) - share**2

    def error(self, beta: Real, *, people: int) -> Accuracy:
        """No share is off by more than √(5k/(nd))·(s+1)/(s-1)·√ln(6k/β), except with probability β (DKY 2017)."""
        fails, n = open_probability("beta", beta), whole("people", people, least=1)
        scale = math.sqrt(5 * self.size / (n * self.bits)) / float(Fraction(self.p or 0) - Fraction(self.q or 0))
        return stated(scale * math.sqrt(math.log(6 * self.size / float(fails))) * (1 + 1e-12), fails)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        coins: dict[str, Any] = {name: client.rational(document["coins"][name]) for name in ("p", "q")}
        return cls(domain=domain_from(document["domain"]), bits=document["parameters"]["bits"], **coins, **common)
