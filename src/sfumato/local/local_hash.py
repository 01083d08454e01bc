"""Local hashing: the value is hashed to a few buckets by a function of the device's choice, and the bucket is told."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.bits import BitSource, leading, source
from sfumato.exact.parameters import whole
from sfumato.local import client, thresholds
from sfumato.local.estimates import Frequencies, flag_variance, from_flags
from sfumato.local.k_ary import labels_of, respond
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

_USERS = 4096  # at a time: the arrays of a pass stay in the first-level cache
_MOST_BUCKETS_OF_32 = 256


@dataclass(frozen=True, kw_only=True)
class LocalHash(Listed):
    """Hash to g buckets, then k-ary response over them; g = round(e^ε) + 1 unless said ("optimal local hashing").

    The hash is multiply-shift, which is pairwise independent in the device's random seed, so the chance of a false
    match is known exactly. With g = 2 it is binary local hashing.

    >>> LocalHash(name="words", domain=1024, epsilon=1).buckets
    4
    """

    buckets: int | None = None
    p: Fraction | None = None
    word: int | None = None
    kind: ClassVar[str] = "local-hash"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain))
        if self.buckets is None:
            self._set("buckets", min(1 << 16, round(thresholds.exp_below(epsilon)) + 1))
        g = whole("buckets", self.buckets, least=2)
        if self.word is None:
            self._set("word", 32 if self.size <= 1 << 16 and g <= _MOST_BUCKETS_OF_32 else 64)
        if self.word not in (32, 64):
            raise ValueError("word")
        self.coin("p", thresholds.truth(epsilon, g - 1))

    @property
    def _g(self) -> int:
        return int(self.buckets or 0)

    @property
    def _seed(self) -> int:
        return int(self.word or 0) // 8

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}

    def hash_document(self) -> dict[str, Any]:
        return {"name": "multiply-shift", "word": self.word, "buckets": self.buckets}

    @property
    def payload(self) -> int:
        return 2 * self._seed + client.width(self._g)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        codes, stream, half = codes_of(self.domain, values), source(bits), 4 * self._seed
        a, b = (leading(stream, 8 * self._seed, len(codes)) for _ in range(2))
        with np.errstate(over="ignore"):
            mixed = client.multiply_shift(a, b, codes.view(np.uint64), 8 * self._seed)
        shift = np.uint64(half)
        hashed = ((mixed >> shift) * np.uint64(self._g)) >> shift
        said = respond(hashed.view(np.int64), self._g, Fraction(self.p or 0), stream)
        return np.concatenate(
            [codes_as_bytes(a, self._seed), codes_as_bytes(b, self._seed), codes_as_bytes(said, client.width(self._g))],
            axis=1,
        )

    def empty(self) -> Counts:
        return np.zeros(self.size, dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return read(payloads, 2 * self._seed, client.width(self._g)) < np.uint64(self._g)

    def tally(self, payloads: Bytes) -> Counts:
        """How many reports each value supports: those whose bucket is the one the value is hashed to.

        A bucket is an interval of the upper half of a·x + b, so the test is one addition and one comparison modulo
        2^word, and going from x to x + 1 adds a.
        """
        word, kind = int(self.word or 0), np.dtype(f"u{self._seed}")
        a, b = (read(payloads, i * self._seed, self._seed).astype(kind) for i in range(2))
        said = read(payloads, 2 * self._seed, client.width(self._g))
        starts, widths = self._intervals()
        shift = kind.type(word // 2)
        place = b - (starts.astype(kind)[said] << shift)
        reach = ((widths - 1).astype(kind)[said] << shift) | kind.type((1 << word // 2) - 1)
        return self._supports(a, place, reach)

    def _supports(self, a: NDArray[Any], place: NDArray[Any], reach: NDArray[Any]) -> Counts:
        counts = self.empty()
        for start in range(0, len(a), _USERS):
            here = slice(start, start + _USERS)
            step, at, end = a[here], place[here].copy(), reach[here]
            match = np.empty(len(at), dtype=np.bool_)
            for x in range(self.size):
                np.less_equal(at, end, out=match)
                counts[x] += np.count_nonzero(match)
                at += step
        return counts

    def _intervals(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each bucket begins among the halves 0 … 2^(word/2) - 1, and how many it has."""
        halves, g = 1 << (int(self.word or 0) // 2), self._g
        ends = np.array([-(-y * halves // g) for y in range(g + 1)], dtype=np.int64)
        return ends[:-1], np.diff(ends)

    def chances(self) -> tuple[Fraction, Fraction]:
        """That a report supports its sender's value, and another one: exact, by pairwise independence."""
        p, halves, g = Fraction(self.p or 0), 1 << (int(self.word or 0) // 2), self._g
        _, widths = self._intervals()
        squares = Fraction(sum(int(w) ** 2 for w in widths), halves * halves)  # Pr[h(x) = h(x')]
        return p, p * squares + (1 - p) * (1 - squares) / (g - 1)

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        p, q = self.chances()
        return from_flags(labels_of(self.domain), counts, people, p=float(p), q=float(q), gap=float(p - q))

    def variance(self, share: float = 0.0) -> float:
        p, q = self.chances()
        return flag_variance(float(p), float(q), share)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        spec, p = document["hash"], client.rational(document["coins"]["p"])
        return cls(domain=domain_from(document["domain"]), buckets=spec["buckets"], word=spec["word"], p=p, **common)
