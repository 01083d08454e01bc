"""Heavy hitters without a list of candidates: frequent prefixes grow byte by byte (Bassily et al. 2017, TreeHist).

A device tells about one prefix length, drawn at random, through a count sketch: the prefix is hashed to a column of a
Hadamard matrix and one of its signs is told by one coin. Sketches are sums, so servers merge, and a candidate of any
spelling can be looked up later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import open_probability, whole
from sfumato.local import client, thresholds
from sfumato.local.estimates import Frequencies
from sfumato.local.hadamard import signed_codes, signs_of, transform
from sfumato.local.protocol import Bytes, Counts, Protocol, codes_as_bytes, read

ANY_BYTE = bytes(range(1, 256))
_MOST_KEPT = 4096
_FAR = 4.0  # standard errors of a row between it and the median of the rows


@dataclass(frozen=True, kw_only=True)
class PrefixTree(Protocol):
    """Strings of up to `length` bytes; longer ones are cut. `rows` sketches of `order` columns for each prefix length.

    >>> PrefixTree(name="words", length=6, epsilon=4).report_bytes
    20
    """

    length: int = 6
    rows: int = 16
    order: int = 1024
    p: Fraction | None = None
    kind: ClassVar[str] = "prefix-tree"
    holds: ClassVar[Literal["values", "numbers", "strings"]] = "strings"

    def derive(self, epsilon: Fraction) -> None:
        for name, most in (("length", 64), ("rows", 256), ("order", 1 << 15)):
            if not 1 <= whole(name, getattr(self, name)) <= most:
                raise InvalidParameter(name, f"must be between 1 and {most}", getattr(self, name))
        if self.order < 2 or self.order & (self.order - 1):
            raise InvalidParameter("order", "must be a power of two", self.order)
        self.coin("p", thresholds.truth(epsilon))

    def domain_document(self) -> dict[str, Any]:
        return {"strings": True}

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}

    def parameters(self) -> dict[str, Any]:
        return {"length": self.length, "rows": self.rows, "order": self.order}

    def hash_document(self) -> dict[str, Any]:
        return {"name": "blake2b"}

    @property
    def payload(self) -> int:
        return 2 + client.width(2 * self.order)

    def padded(self, text: str) -> bytes:
        """A string as the bytes whose prefixes are told."""
        return text.encode()[: self.length].ljust(self.length, b"\0")

    def column(self, prefix: bytes, row: int) -> int:
        """Where a sketch's hash puts a prefix: the device's own function."""
        return client.word_of(prefix, b"%d|%d" % (len(prefix) - 1, row), 8) % self.order

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        texts, stream = list(values), source(bits)
        if not all(isinstance(text, str) for text in texts):
            raise InvalidParameter("values", "must be strings, found", "another kind")
        levels: NDArray[np.int64] = integers(self.length, len(texts), bits=stream)
        rows: NDArray[np.int64] = integers(self.rows, len(texts), bits=stream)
        known: dict[tuple[bytes, int], int] = {}
        columns = np.empty(len(texts), dtype=np.int64)
        for i, (text, level, row) in enumerate(zip(texts, levels.tolist(), rows.tolist(), strict=True)):
            key = self.padded(text)[: level + 1], row
            if key not in known:
                known[key] = self.column(*key)
            columns[i] = known[key]
        places, minus = signed_codes(columns, self.order, Fraction(self.p or 0), stream)
        return np.concatenate(
            [codes_as_bytes(levels, 1), codes_as_bytes(rows, 1), codes_as_bytes(places << 1 | minus, self.payload - 2)],
            axis=1,
        )

    def empty(self) -> Counts:
        """For each length and row the signed sums of the matrix's rows, and how many reported."""
        return np.zeros((self.length, self.rows, self.order + 1), dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        sketch = (payloads[:, 0] < self.length) & (payloads[:, 1] < self.rows)
        return sketch & (read(payloads, 2, self.payload - 2) < np.uint64(2 * self.order))

    def tally(self, payloads: Bytes) -> Counts:
        counts = self.empty()
        sketch = payloads[:, 0].astype(np.int64) * self.rows + payloads[:, 1]
        codes = read(payloads, 2, self.payload - 2).view(np.int64)
        slots = self.length * self.rows
        found = np.bincount(sketch * (2 * self.order) + codes, minlength=slots * 2 * self.order)
        signs = found.reshape(self.length, self.rows, self.order, 2)
        counts[:, :, :-1] = signs[..., 0] - signs[..., 1]
        counts[:, :, -1] = np.bincount(sketch, minlength=slots).reshape(self.length, self.rows)
        return counts

    def possible(self, counts: Counts, people: int) -> bool:
        sizes, signs = counts[:, :, -1], counts[:, :, :-1]
        told = super().possible(sizes, people) and int(sizes.sum()) == people
        slots = zip(signs.reshape(-1, self.order), sizes.reshape(-1), strict=True)
        return told and all(signs_of(each, int(size)) for each, size in slots)

    def variance(self, share: float = 0.0) -> float:
        """Of one report in the share of a whole string: a report tells about one length in `length`."""
        return self.length / float(2 * Fraction(self.p or 0) - 1) ** 2

    # ---- reading the sketches ---------------------------------------------------------------------------------------

    def look_up(self, counts: Counts, prefixes: Sequence[bytes]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shares of prefixes of one length, and the standard error of each where it is rare.

        A column holds its prefix and 1/order of all others, which is taken off: unbiased over the choice of hashes. A
        row in which a prefix met a frequent one stands far from the prefix's other rows, and is left out.
        """
        level = len(prefixes[0]) - 1
        asked = np.flatnonzero(counts[level, :, -1])
        if not len(asked):
            return np.full(len(prefixes), np.nan), np.full(len(prefixes), np.inf)
        reports, gap = counts[level, asked, -1:].astype(np.float64), float(2 * Fraction(self.p or 0) - 1)
        columns = transform(counts[level, asked, :-1].astype(np.float64)) / gap
        found = np.stack([columns[i][[self.column(p, int(row)) for p in prefixes]] for i, row in enumerate(asked)])
        shares = (found / reports - 1 / self.order) * self.order / (self.order - 1)  # (row, prefix) -> share
        apart = np.abs(shares - np.median(shares, axis=0)) * gap * np.sqrt(reports)
        weights = np.where(apart <= _FAR, reports, 0.0)
        heard = np.maximum(weights.sum(axis=0), 1.0)
        return (weights * shares).sum(axis=0) / heard, 1 / gap / np.sqrt(heard)

    def estimate(
        self, counts: Counts, people: int, *, alphabet: bytes = ANY_BYTE, significance: float = 0.05
    ) -> Frequencies:
        """The strings whose every prefix is significantly frequent, and their shares; found without a list."""
        alpha, kept = float(open_probability("significance", significance)), [b""]
        from scipy.special import ndtri

        shares, errors = np.zeros(0), np.zeros(0)
        for _ in range(self.length):
            # A string that has ended stays ended; others go on with every byte of the alphabet or end.
            grown = [p + bytes([c]) for p in kept for c in ((0,) if p.endswith(b"\0") else (*alphabet, 0))]
            grown = [p for p in grown if p != b"\0"]
            if not grown or people == 0:
                return Frequencies([], np.zeros(0), np.zeros(0), people)
            shares, errors = self.look_up(counts, grown)
            limits = float(ndtri(1 - alpha / len(grown))) * errors
            order = np.argsort(-shares, kind="stable")
            chosen = [int(i) for i in order[:_MOST_KEPT] if shares[i] > limits[i]]
            kept, shares, errors = [grown[i] for i in chosen], shares[chosen], errors[chosen]
        labels = [p.rstrip(b"\0").decode(errors="replace") for p in kept]
        return Frequencies(labels, shares, errors, people)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        sizes: dict[str, Any] = {name: document["parameters"][name] for name in ("length", "rows", "order")}
        return cls(**sizes, p=client.rational(document["coins"]["p"]), **common)
