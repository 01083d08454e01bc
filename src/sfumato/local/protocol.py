"""What a device and a server share: one frozen object, written as JSON; a new kind is a file and a line in `kinds`."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event, Pure
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, amount, probability, truth, whole
from sfumato.local import client, thresholds
from sfumato.local.estimates import Frequencies, Mean

Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]
Domain = int | tuple[str, ...]
"""The values 0 … n - 1 for an integer n, or names."""

MOST_ROUNDS = 1 << 16
_MOST_VALUES = 1 << 32


@dataclass(frozen=True, kw_only=True)
class Protocol(ABC):
    """A collection's name, its ε and its coins; versioned, and equal for equal documents.

    `epsilon` prices one report. With `memo` a device answers from memory, and it prices all its reports of one value.
    """

    name: str
    epsilon: Real
    round: int = 1
    interaction: str = "non-interactive"
    memo: bool = False
    kind: ClassVar[str]
    holds: ClassVar[Literal["values", "numbers", "strings"]] = "values"
    """What a device has: one of the values, a number of an interval, or a string that may be any."""
    epsilon_is_given: ClassVar[bool] = True
    """Whether ε is chosen, and does not follow from other parameters."""

    def __post_init__(self) -> None:
        name: object = self.name  # callers may not run a type checker
        if not isinstance(name, str) or not 0 < len(name) <= 200:
            raise InvalidParameter("name", "must be a text of 1 to 200 characters", self.name)
        if self.interaction not in client.INTERACTIONS:
            raise InvalidParameter("interaction", f"must be one of {client.INTERACTIONS}", self.interaction)
        if whole("round", self.round) >= MOST_ROUNDS:
            raise InvalidParameter("round", f"must be below {MOST_ROUNDS}", self.round)
        truth("memo", self.memo)
        self._set("epsilon", thresholds.budget(self.epsilon))
        self.derive(self.epsilon)  # type: ignore[arg-type]
        self.verify()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def coin(self, name: str, derived: Fraction) -> None:
        """Keep a coin as the document states it, or as derived where nothing was stated."""
        given = getattr(self, name)
        self._set(name, derived if given is None else probability(name, given))

    def verify(self) -> None:
        """The device's own check of the coins, made where the protocol is born."""
        try:
            client.checked(self.document())
        except client.ProtocolRefused as error:
            raise InvalidParameter("epsilon", f"cannot be kept: {error}; stated", float(self.epsilon)) from None

    # ---- what a kind says about itself --------------------------------------------------------------------------

    @abstractmethod
    def derive(self, epsilon: Fraction) -> None:
        """Check the kind's own fields and fill in the coins that ε calls for."""

    @abstractmethod
    def domain_document(self) -> dict[str, Any]:
        """The domain as JSON."""

    @abstractmethod
    def coins(self) -> dict[str, Fraction]:
        """The probabilities that the device's coins have."""

    def parameters(self) -> dict[str, Any]:
        """Whole numbers the device needs beside the coins."""
        return {}

    def hash_document(self) -> dict[str, Any] | None:
        """The hash that device and server share."""
        return None

    @property
    @abstractmethod
    def payload(self) -> int:
        """Bytes of a report after its head and tag."""

    @abstractmethod
    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        """Payloads for many devices at once, of the law of the client's own."""

    @abstractmethod
    def empty(self) -> Counts:
        """The counts of no reports."""

    @abstractmethod
    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        """Which payloads some device could have sent."""

    @abstractmethod
    def tally(self, payloads: Bytes) -> Counts:
        """The counts of valid payloads; sums of counts are the counts of all."""

    def possible(self, counts: Counts, people: int) -> bool:
        """Whether so many reports can have given these counts; by default each is counted once at most in each cell."""
        return bool((counts >= 0).all() and (counts <= people).all())

    @abstractmethod
    def estimate(self, counts: Counts, people: int) -> Frequencies | Mean:
        """What the counts say about the people who reported."""

    @abstractmethod
    def variance(self, share: float = 0.0) -> float:
        """The variance that one person's report has in an estimated share (or mean); divide by the people."""

    @property
    def memories(self) -> int | None:
        """How many different values a device can have, None if there is no telling."""
        return None

    # ---- what follows ----------------------------------------------------------------------------------------------

    @property
    def event(self) -> Event:
        """The price of one report, or with `memo` of all reports of one value (Survey Definition 7.1)."""
        return Pure(Fraction(self.spent))

    @property
    def spent(self) -> Decimal:
        """The exact ε of the coins, rounded up; never above `epsilon`."""
        return client.epsilon_of(self.document())

    @property
    def report_bytes(self) -> int:
        """Bytes of a whole report."""
        return client.HEAD + client.TAG + self.payload

    def document(self) -> dict[str, Any]:
        """Plain JSON values: everything a device needs."""
        return {
            "format": client.FORMAT,
            "kind": self.kind,
            "name": self.name,
            "domain": self.domain_document(),
            "epsilon": str(self.epsilon),
            "coins": {name: str(p) for name, p in self.coins().items()},
            "parameters": self.parameters(),
            "hash": self.hash_document(),
            "memo": self.memo,
            "round": self.round,
            "interaction": self.interaction,
        }

    def to_json(self) -> str:
        """The document that devices are given; a long one without blanks, as devices take a limited text."""
        text = json.dumps(self.document(), indent=1)
        return text if len(text) <= client.MOST_TEXT else client.canonical(self.document()).decode()

    def next_round(self) -> Self:
        """The same protocol a round later."""
        return replace(self, round=self.round + 1)

    @classmethod
    @abstractmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        """The protocol a document describes; `common` holds the fields that every kind has."""


@dataclass(frozen=True, kw_only=True)
class Listed(Protocol):
    """A protocol over a public list of values: numbered, or by name."""

    domain: Domain

    @property
    def size(self) -> int:
        """How many values there are."""
        return size_of(self.domain)

    @property
    def memories(self) -> int:
        return self.size

    def domain_document(self) -> dict[str, Any]:
        return domain_json(self.domain)


@dataclass(frozen=True, kw_only=True)
class Numbers(Protocol):
    """A protocol over the numbers of an interval, told by a coin that is true with probability p."""

    upper: Real
    lower: Real = 0
    p: Fraction | None = None
    holds: ClassVar[Literal["values", "numbers", "strings"]] = "numbers"

    def keep_ends(self) -> tuple[Fraction, Fraction]:
        """The ends, checked, and kept as the rationals they are."""
        low, high = interval_of(self.lower, self.upper)
        self._set("lower", low)
        self._set("upper", high)
        return low, high

    @property
    def _ends(self) -> tuple[Fraction, Fraction]:
        return amount("lower", self.lower), amount("upper", self.upper)

    @property
    def span(self) -> float:
        """m, the length of the interval."""
        return float(self._ends[1] - self._ends[0])

    def domain_document(self) -> dict[str, Any]:
        return {name: str(end) for name, end in zip(("lower", "upper"), self._ends, strict=True)}

    def coins(self) -> dict[str, Fraction]:
        return {"p": Fraction(self.p or 0)}


def interval_of(lower: object, upper: object) -> tuple[Fraction, Fraction]:
    """The ends of an interval as the rationals they are."""
    low, high = amount("lower", lower), amount("upper", upper)
    if low >= high:
        raise InvalidParameter("lower", f"must be below upper = {upper}", lower)
    return low, high


def numbers_from(document: dict[str, Any], *sizes: str) -> dict[str, Any]:
    """The interval, the coin and the whole numbers that a document about numbers states."""
    ends = {name: client.rational(document["domain"][name]) for name in ("lower", "upper")}
    return (
        ends | {name: document["parameters"][name] for name in sizes} | {"p": client.rational(document["coins"]["p"])}
    )


def domain_of(name: str, values: object, *, most: int = _MOST_VALUES) -> Domain:
    """A domain of at least two different names, or of a number of codes."""
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        names = tuple(values)
        if not all(isinstance(value, str) for value in names):
            raise InvalidParameter(name, "must be a number of values or a tuple of names", values)
        if len(set(names)) != len(names):
            raise InvalidParameter(name, "must not name a value twice", names)
        size: int = len(names)
        found: Domain = names
    else:
        found = size = whole(name, values)
    if not 2 <= size <= most:
        raise InvalidParameter(name, f"must have between 2 and {most} values", size)
    return found


def size_of(domain: Domain) -> int:
    """How many values a domain has."""
    return domain if isinstance(domain, int) else len(domain)


def domain_json(domain: Domain) -> dict[str, Any]:
    """A domain as JSON."""
    return {"size": domain} if isinstance(domain, int) else {"values": list(domain)}


def domain_from(document: dict[str, Any]) -> Domain:
    """A domain from JSON."""
    return tuple(document["values"]) if "values" in document else int(document["size"])


def codes_of(domain: Domain, values: Any) -> NDArray[np.int64]:
    """Values as their places in the domain; a stray one is refused without being shown."""
    stray = InvalidParameter("values", "must all be in the protocol's domain, found", "another")
    if isinstance(domain, int):
        array = np.asarray(values, dtype=None if len(values) else np.int64)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise InvalidParameter("values", "must be a row of whole numbers, found", array.dtype.name)
        if array.size and (int(array.min()) < 0 or int(array.max()) >= domain):
            raise stray
        return array.astype(np.int64, copy=False)
    places = {value: i for i, value in enumerate(domain)}
    found = [places.get(value, -1) for value in values]
    if -1 in found:
        raise stray
    return np.array(found, dtype=np.int64)


def codes_as_bytes(codes: NDArray[Any], size: int) -> Bytes:
    """Codes as little-endian bytes, a row each."""
    return np.ascontiguousarray(codes.astype(f"<u{size}")).view(np.uint8).reshape(len(codes), size)


def read(payloads: Bytes, start: int, size: int) -> NDArray[np.uint64]:
    """Codes from the bytes `start` to `start + size` of each row."""
    return payloads[:, start : start + size].view(f"<u{size}")[:, 0].astype(np.uint64)
