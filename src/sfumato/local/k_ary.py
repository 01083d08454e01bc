"""k-ary randomised response: the report is a value of the domain, the true one most often."""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import bernoulli, integers
from sfumato.exact.bits import BitSource, source
from sfumato.local import client, thresholds
from sfumato.local.estimates import Frequencies, flag_variance, from_flags
from sfumato.local.protocol import (
    Bytes,
    Counts,
    Domain,
    Listed,
    codes_as_bytes,
    codes_of,
    domain_from,
    domain_of,
    read,
)


def respond(codes: NDArray[np.int64], size: int, p: Fraction, bits: BitSource) -> NDArray[np.int64]:
    """Each code with probability p, else one of the others alike: the law of the client's `_choice_of`."""
    kept = bernoulli(p, len(codes), bits=bits)
    out: NDArray[np.int64] = integers(size - 1, len(codes), bits=bits)
    out += out >= codes
    np.copyto(out, codes, where=kept)
    return out


def labels_of(domain: Domain) -> Sequence[Hashable]:
    """The values in order."""
    return range(domain) if isinstance(domain, int) else domain


@dataclass(frozen=True, kw_only=True)
class Flags(Listed):
    """Reports that name or do not name each value; a share is estimated from how many named it."""

    @abstractmethod
    def _chances(self) -> tuple[float, float]:
        """That a report names its sender's value, and that it names another one."""

    def empty(self) -> Counts:
        return np.zeros(self.size, dtype=np.int64)

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        p, q = self._chances()
        return from_flags(labels_of(self.domain), counts, people, p=p, q=q)

    def variance(self, share: float = 0.0) -> float:
        return flag_variance(*self._chances(), share)


@dataclass(frozen=True, kw_only=True)
class KAry(Flags):
    """The true value with probability e^ε/(e^ε + k - 1), each other one alike (Survey §4.1.3).

    >>> round(KAry(name="smokes", domain=("no", "yes"), epsilon=1).variance(), 4)
    0.9207
    """

    p: Fraction | None = None
    kind: ClassVar[str] = "k-ary"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain))
        self.coin("p", thresholds.truth(epsilon, self.size - 1))

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}

    @property
    def payload(self) -> int:
        return client.width(self.size)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        said = respond(codes_of(self.domain, values), self.size, Fraction(self.p or 0), source(bits))
        return codes_as_bytes(said, self.payload)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return read(payloads, 0, self.payload) < np.uint64(self.size)

    def tally(self, payloads: Bytes) -> Counts:
        codes = read(payloads, 0, self.payload).view(np.int64)
        return np.bincount(codes, minlength=self.size).astype(np.int64, copy=False)

    def possible(self, counts: Counts, people: int) -> bool:
        return super().possible(counts, people) and int(counts.sum()) == people

    def _chances(self) -> tuple[float, float]:
        p = Fraction(self.p or 0)
        return float(p), float((1 - p) / (self.size - 1))

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        return cls(domain=domain_from(document["domain"]), p=client.rational(document["coins"]["p"]), **common)
