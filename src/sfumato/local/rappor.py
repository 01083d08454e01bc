"""RAPPOR: a Bloom filter, permanent noise that is remembered, instantaneous noise that is not (Survey §7.4.1)."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, bernoulli_rows, integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, probability, whole
from sfumato.local import client
from sfumato.local.bitsums import column_sums
from sfumato.local.estimates import Frequencies, flag_variance, from_flags
from sfumato.local.k_ary import labels_of
from sfumato.local.protocol import (
    Bytes,
    Counts,
    Domain,
    Protocol,
    codes_as_bytes,
    codes_of,
    domain_from,
    domain_json,
    domain_of,
    read,
    size_of,
)
from sfumato.local.unary import padding_is_zero, put_flag

HASHES = client.HASH_NAMES
_MOST_COHORTS, _MOST_BITS = 1 << 16, 1 << 12


def epsilon_infinity(f: Real, hashes: int = 1) -> float:
    """ε∞ = 2h·ln((1 - f/2)/(f/2)): what all reports of one value give away (Survey Theorem 7.4, errata C7)."""
    half = probability("f", f) / 2
    if half == 0:
        return math.inf
    return float(client.log_up(((1 - half) / half) ** (2 * whole("hashes", hashes, least=1))))


def epsilon_one(f: Real, p: Real, q: Real, hashes: int = 1) -> float:
    """ε₁ = h·ln(q*(1 - p*)/(p*(1 - q*))): what one report gives away (errata C7)."""
    one, zero = effective(f, p, q)
    if zero == 0 or one == 1:
        return math.inf
    return float(client.log_up((one * (1 - zero) / (zero * (1 - one))) ** whole("hashes", hashes, least=1)))


def effective(f: Real, p: Real, q: Real) -> tuple[Fraction, Fraction]:
    """q* and p*: the chance that a bit of a report is 1 where the Bloom filter has a 1, and where it has a 0."""
    lie, zero, one = (probability(name, value) for name, value in (("f", f), ("p", p), ("q", q)))
    return lie * (zero + one) / 2 + (1 - lie) * one, lie * (zero + one) / 2 + (1 - lie) * zero


@dataclass(frozen=True, kw_only=True)
class Rappor(Protocol):
    """RAPPOR over strings, with cohorts; give a `domain` for basic RAPPOR, which needs no Bloom filter.

    `epsilon` follows from f, p, q and the hashes: ε∞, or with `memo=False` the ε₁ of a report by itself.

    >>> round(float(Rappor(name="homepage").epsilon), 4)
    4.3944
    """

    epsilon: Real = 0
    domain: Domain | None = None
    bits: int = 128
    hashes: int = 2
    cohorts: int = 32
    f: Real = Fraction(1, 2)
    p: Real = Fraction(1, 2)
    q: Real = Fraction(3, 4)
    hash_name: str = "blake2b"
    memo: bool = True
    kind: ClassVar[str] = "rappor"
    epsilon_is_given: ClassVar[bool] = False
    holds: ClassVar[Literal["values", "numbers", "strings"]] = "strings"

    def __post_init__(self) -> None:
        for name in ("f", "p", "q"):
            self._set(name, probability(name, getattr(self, name)))
        if not amount("p", self.p) < amount("q", self.q):
            raise InvalidParameter("p", f"must be below q = {self.q}", self.p, hint="q tells a 1 of the memory, p a 0")
        if self.domain is not None:
            self._set("domain", domain_of("domain", self.domain, most=_MOST_BITS))
            for name, value in (("bits", size_of(self.domain)), ("hashes", 1), ("cohorts", 1)):
                self._set(name, value)
        self._whole("bits", 2, _MOST_BITS)
        self._whole("cohorts", 1, _MOST_COHORTS)
        self._whole("hashes", 1, 8)
        if self.hash_name not in HASHES:
            raise InvalidParameter("hash_name", f"must be one of {', '.join(HASHES)}", self.hash_name)
        if self.hash_name == "md5" and self.bits > 256:
            raise InvalidParameter("bits", "must be at most 256 with the hash md5", self.bits)
        if not self.epsilon:
            spent = (
                epsilon_infinity(self.f, self.hashes) if self.memo else epsilon_one(self.f, self.p, self.q, self.hashes)
            )
            if not math.isfinite(spent):
                raise InvalidParameter("f", "must be above 0 where reports are remembered", self.f, hint="memo=False")
            self._set("epsilon", Fraction(math.nextafter(spent, math.inf)))
        super().__post_init__()

    def _whole(self, name: str, least: int, most: int) -> None:
        if not least <= whole(name, getattr(self, name)) <= most:
            raise InvalidParameter(name, f"must be between {least} and {most}", getattr(self, name))

    def derive(self, epsilon: Fraction) -> None:
        """The coins are given, ε follows."""

    def one_time(self) -> "Rappor":
        """The variant for a single collection: no instantaneous noise (Survey §7.4.1)."""
        return replace(self, p=Fraction(0), q=Fraction(1), epsilon=0)

    @property
    def size(self) -> int:
        """How many bits a filter has: for basic RAPPOR, how many values there are."""
        return self.bits

    @property
    def epsilon_one(self) -> float:
        """What one report gives away."""
        return epsilon_one(self.f, self.p, self.q, self.hashes)

    @property
    def epsilon_infinity(self) -> float:
        """What all reports of one value give away."""
        return epsilon_infinity(self.f, self.hashes)

    @property
    def effective(self) -> tuple[Fraction, Fraction]:
        """q* and p*."""
        return effective(self.f, self.p, self.q)

    @property
    def memories(self) -> int | None:
        return None if self.domain is None else self.bits

    def domain_document(self) -> dict[str, Any]:
        return {"strings": True} if self.domain is None else domain_json(self.domain)

    def coins(self) -> dict[str, Fraction]:
        return {name: amount(name, getattr(self, name)) for name in ("f", "p", "q")}

    def parameters(self) -> dict[str, Any]:
        return {"bits": self.bits, "cohorts": self.cohorts}

    def hash_document(self) -> dict[str, Any] | None:
        return None if self.domain is not None else {"name": self.hash_name, "hashes": self.hashes}

    @property
    def payload(self) -> int:
        return 2 + -(-self.bits // 8)

    # ---- many devices at once ---------------------------------------------------------------------------------------

    def places(self, values: Any, cohorts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bits each value sets in its cohort's filter, `hashes` of them a row."""
        if self.domain is not None:
            return codes_of(self.domain, values)[:, None]
        texts: list[Any] = list(values)
        if not all(isinstance(text, str) for text in texts):
            raise InvalidParameter("values", "must be strings, found", "another kind")
        names = list(dict.fromkeys(texts))
        row = {name: i for i, name in enumerate(names)}
        rows = np.array([row[text] for text in texts], dtype=np.int64)
        wanted, back = np.unique(rows * self.cohorts + cohorts, return_inverse=True)
        table = np.array(
            [self.bits_of(names[int(w) // self.cohorts], int(w) % self.cohorts) for w in wanted], dtype=np.int64
        )
        return table.reshape(-1, self.hashes)[back]

    def bits_of(self, text: str, cohort: int) -> list[int]:
        """The bits of a string in a cohort: the device's own function."""
        return client.bloom_bits(text.encode(), cohort, self.bits, self.hashes, self.hash_name)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        """One report a device: both noises in one coin a bit, of probabilities q* and p*."""
        stream, one_zero = source(bits), self.effective
        cohorts: NDArray[np.int64] = integers(self.cohorts, len(values), bits=stream)
        return self._reports(cohorts, self._noisy(values, cohorts, *one_zero, stream))

    def permanent(self, values: Any, cohorts: NDArray[np.int64], *, bits: BitSource | None = None) -> Bytes:
        """What each device remembers: rows of packed bits, for simulations of many rounds."""
        half = amount("f", self.f) / 2
        return self._noisy(values, cohorts, 1 - half, half, source(bits))

    def instantaneous(self, cohorts: NDArray[np.int64], permanent: Bytes, *, bits: BitSource | None = None) -> Bytes:
        """Payloads of one round from what is remembered."""
        stream, n = source(bits), len(permanent)
        ones = bernoulli_rows(self.q, n, self.bits, bits=stream)
        zeros = bernoulli_rows(self.p, n, self.bits, bits=stream)
        return self._reports(cohorts, (permanent & ones) | (~permanent & zeros))

    def _noisy(
        self, values: Any, cohorts: NDArray[np.int64], one: Fraction, zero: Fraction, stream: BitSource
    ) -> Bytes:
        places = self.places(values, cohorts)
        rows = bernoulli_rows(zero, len(places), self.bits, bits=stream)
        for column in range(places.shape[1]):  # two hashes that meet draw the bit twice, and the last draw stands
            put_flag(rows, places[:, column], bernoulli(one, len(places), bits=stream))
        return rows

    def _reports(self, cohorts: NDArray[np.int64], rows: Bytes) -> Bytes:
        return np.concatenate([codes_as_bytes(cohorts, 2), rows], axis=1)

    # ---- the server ---------------------------------------------------------------------------------------------

    def empty(self) -> Counts:
        """A row a cohort: its bits' sums, and how many reported."""
        return np.zeros((self.cohorts, self.bits + 1), dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return (read(payloads, 0, 2) < np.uint64(self.cohorts)) & padding_is_zero(payloads[:, 2:], self.bits)

    def possible(self, counts: Counts, people: int) -> bool:
        sizes = counts[:, -1]
        told = super().possible(counts, people) and int(sizes.sum()) == people
        return told and bool((counts[:, :-1] <= sizes[:, None]).all())

    def tally(self, payloads: Bytes) -> Counts:
        counts = self.empty()
        cohorts = payloads[:, :2].view("<u2")[:, 0].astype(np.uint16)
        if self.cohorts == 1:
            counts[0, :-1], counts[0, -1] = column_sums(payloads[:, 2:], self.bits), len(payloads)
            return counts
        order = np.argsort(cohorts, kind="stable")
        wide = payloads.shape[1] - 2
        rows = payloads[:, 2:].view(f"V{wide}")[:, 0][order].view(np.uint8).reshape(-1, wide)  # whole rows at a time
        sizes = np.bincount(cohorts, minlength=self.cohorts)
        ends = np.cumsum(sizes)
        for cohort in np.flatnonzero(sizes):
            counts[cohort, :-1] = column_sums(rows[ends[cohort] - sizes[cohort] : ends[cohort]], self.bits)
        counts[:, -1] = sizes
        return counts

    def estimate(self, counts: Counts, people: int) -> Frequencies:
        """Shares of the values for basic RAPPOR; otherwise of each (cohort, bit), which `decode` turns into strings."""
        one, zero = (float(c) for c in self.effective)
        if self.domain is not None:
            return from_flags(labels_of(self.domain), counts[0, :-1], people, p=one, q=zero)
        parts = [
            from_flags([(j, i) for i in range(self.bits)], counts[j, :-1], int(counts[j, -1]), p=one, q=zero)
            for j in range(self.cohorts)
        ]
        labels = [label for part in parts for label in part.labels]
        shares, errors = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("shares", "standard_errors")
        )
        return Frequencies(labels, shares, errors, people)

    def variance(self, share: float = 0.0) -> float:
        one, zero = self.effective
        return flag_variance(float(one), float(zero), share)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        coins: dict[str, Any] = {name: client.rational(document["coins"][name]) for name in ("f", "p", "q")}
        if document["hash"] is None:
            return cls(domain=domain_from(document["domain"]), **coins, **common)
        spec, sizes = document["hash"], document["parameters"]
        return cls(
            bits=sizes["bits"],
            cohorts=sizes["cohorts"],
            hashes=spec["hashes"],
            hash_name=spec["name"],
            **coins,
            **common,
        )
