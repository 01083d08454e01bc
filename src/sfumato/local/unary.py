"""Unary encodings: one flag a value, each told by a coin of its own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, bernoulli_rows
from sfumato.exact.bits import BitSource, source
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

CODINGS = {"optimised": thresholds.optimised, "symmetric": thresholds.symmetric}


def put_flag(rows: Bytes, columns: NDArray[np.int64], flags: NDArray[np.bool_]) -> None:
    """Set or clear one bit of each row of an array that is its own."""
    flat, shift = rows.reshape(-1), (columns & 7).astype(np.uint8)
    at = np.arange(0, flat.size, rows.shape[1])
    at += columns >> 3
    cleared = flat[at] & ~(np.uint8(1) << shift)
    flat[at] = cleared | (flags.view(np.uint8) << shift)


def padding_is_zero(rows: Bytes, columns: int) -> NDArray[np.bool_]:
    """Which rows have no bit set beyond their columns."""
    if columns % 8 == 0:
        return np.ones(len(rows), dtype=np.bool_)
    return np.asarray(rows[:, (columns - 1) // 8] >> np.uint8(columns % 8) == 0)


@dataclass(frozen=True, kw_only=True)
class Unary(Flags):
    """Flags told with p for one's own value and q for the others; `coding` is "optimised" or "symmetric".

    Symmetric is basic one-time RAPPOR (Survey §7.4.1). Optimised has p = 1/2 and q = 1/(e^ε + 1).

    >>> Unary(name="homepages", domain=128, epsilon=1).report_bytes
    32
    """

    coding: str = "optimised"
    p: Fraction | None = None
    q: Fraction | None = None
    kind: ClassVar[str] = "unary"

    def derive(self, epsilon: Fraction) -> None:
        self._set("domain", domain_of("domain", self.domain, most=1 << 16))
        if self.coding not in CODINGS:
            raise InvalidParameter("coding", f"must be one of {', '.join(CODINGS)}", self.coding)
        p, q = CODINGS[self.coding](epsilon)
        self.coin("p", p)
        self.coin("q", q)

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0), "q": Fraction(self.q or 0)}

    def parameters(self) -> dict[str, Any]:
        return {"coding": self.coding}

    @property
    def payload(self) -> int:
        return -(-self.size // 8)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        codes, stream = codes_of(self.domain, values), source(bits)
        rows = bernoulli_rows(Fraction(self.q or 0), len(codes), self.size, bits=stream)
        put_flag(rows, codes, bernoulli(Fraction(self.p or 0), len(codes), bits=stream))
        return rows

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return padding_is_zero(payloads, self.size)

    def tally(self, payloads: Bytes) -> Counts:
        return column_sums(payloads, self.size)

    def _chances(self) -> tuple[float, float]:
        return float(self.p or 0), float(self.q or 0)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        coins: dict[str, Any] = {name: client.rational(document["coins"][name]) for name in ("p", "q")}
        coding = document["parameters"]["coding"]
        return cls(domain=domain_from(document["domain"]), coding=coding, **coins, **common)
