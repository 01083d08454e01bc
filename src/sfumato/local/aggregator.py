"""The server: counts of what arrived, which merge, survive a restart, and hold no report of anybody."""

import hashlib
import json
import struct
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import truth, whole
from sfumato.local import wire
from sfumato.local.kinds import from_document
from sfumato.local.protocol import Bytes, Counts, Protocol
from sfumato.local.tags import SeenTags
from sfumato.local.wire import Reason

_MAGIC = b"sfumato-local-counts/1\n"
_MOST_PEOPLE = 1 << 50
_CHUNK = 1 << 18  # reports handled at a time, so that a batch of any size needs little memory


@dataclass(frozen=True)
class Added:
    """What became of a batch."""

    accepted: int
    rejected: dict[str, int]


class Aggregator:
    """Counts the reports of one round of a protocol; refuses what does not belong, by reason, and never fails on bytes.

    >>> from sfumato.local import Client, KAry
    >>> protocol = KAry(name="browsers", domain=("fox", "globe", "compass"), epsilon=1)
    >>> server = Aggregator(protocol)
    >>> server.add([Client(protocol.document(), secret=bytes(range(32))).report("fox"), b"not a report"])
    Added(accepted=1, rejected={'wrong length': 1})
    """

    def __init__(self, protocol: Protocol, *, check_replays: bool = True, seen: SeenTags | None = None) -> None:
        """Without `check_replays` tags are not looked at: only behind something that has removed copies already."""
        self.protocol = protocol
        self.check_replays = truth("check_replays", check_replays)
        self.people = 0
        self.rejected: Counter[str] = Counter()
        self.doubled = 0
        """Reports that two merged servers had both counted."""
        self.closed = False
        self._counts = protocol.empty()
        self._seen = SeenTags() if seen is None else seen
        self._head = wire.head_number(protocol)

    def __repr__(self) -> str:
        return f"<Aggregator of {self.protocol.name!r}, round {self.protocol.round}: {self.people} reports>"

    @property
    def counts(self) -> Counts:
        """The sufficient statistic, a copy."""
        return self._counts.copy()

    def add(self, batch: Any) -> Added:
        """Count a batch: bytes of reports end to end, a list of reports, or rows of an array."""
        rows, strays = wire.rows_of(batch, self.protocol.report_bytes)
        refused: Counter[str] = Counter({Reason.LENGTH.value: strays} if strays else {})
        accepted = 0
        if self.closed:
            refused[Reason.CLOSED.value] += len(rows)
        else:
            for start in range(0, len(rows), _CHUNK):
                accepted += self._count(rows[start : start + _CHUNK], refused)
        self.people += accepted
        self.rejected += refused
        return Added(accepted, {reason: n for reason, n in refused.items() if n})

    def _count(self, rows: Bytes, refused: Counter[str]) -> int:
        heads = wire.heads_of(rows)
        mine = heads == self._head
        if not mine.all():
            strange, times = np.unique(heads[~mine], return_counts=True)
            for head, n in zip(strange, times, strict=True):
                refused[wire.why(head, self._head).value] += int(n)
            rows = rows[mine]
        payloads = wire.payloads_of(rows)
        rows, payloads = self._keep(rows, payloads, self.protocol.valid(payloads), Reason.MALFORMED, refused)
        if self.check_replays:
            fresh = self._seen.add(wire.tags_of(rows))
            rows, payloads = self._keep(rows, payloads, fresh, Reason.REPLAYED, refused)
        if len(rows):
            self._counts += self.protocol.tally(payloads)
        return len(rows)

    @staticmethod
    def _keep(
        rows: Bytes, payloads: Bytes, good: NDArray[np.bool_], reason: Reason, refused: Counter[str]
    ) -> tuple[Bytes, Bytes]:
        if good.all():
            return rows, payloads
        refused[reason.value] += int(len(rows) - good.sum())
        return rows[good], payloads[good]

    def merge(self, other: "Aggregator") -> None:
        """Take in what another server counted of the same round.

        Reports that both had counted stay in the counts twice and are numbered in `doubled`: counts cannot tell which
        they were. Send a report to the server that its tag names, and copies meet in one place.
        """
        if other is self:
            raise InvalidParameter("other", "must be another server", other.protocol.name, hint="it is counted already")
        if other.protocol != self.protocol:
            raise InvalidParameter("other", "must count the same protocol and round", other.protocol.name)
        if self.closed or other.closed:
            raise InvalidParameter("other", "must be merged before either round is closed", other.protocol.name)
        met = self._met(other)
        if met and met == len(other._seen):
            raise InvalidParameter(
                "other", "must have counted somebody who is not counted here", other.protocol.name,
                hint="it was merged before, or is a copy",
            )  # fmt: skip
        self._counts += other._counts
        self.people += other.people
        self.rejected += other.rejected
        self.doubled += other.doubled
        self.doubled += met
        if other._seen is not self._seen:
            self._seen.union(other._seen)

    def _met(self, other: "Aggregator") -> int:
        """How many of the other's tags are known here; rounds in turn share them, and meet nobody."""
        return 0 if other._seen is self._seen else self._seen.overlap(other._seen)

    def has_counted(self, other: "Aggregator") -> bool:
        """Whether every report that another server counted is counted here already, as far as tags tell."""
        return 0 < len(other._seen) == self._met(other)

    def share_tags(self, seen: SeenTags) -> None:
        """Look for copies among these tags too from now on, as rounds of one collection do."""
        seen.union(self._seen)
        self._seen = seen

    def close(self) -> None:
        """End the round: tags are forgotten and every later report is refused."""
        self.closed = True
        self._seen = SeenTags()

    def estimate(self) -> Any:
        """Shares or a mean with standard errors and intervals: unbiased, whoever reported what."""
        return self.protocol.estimate(self._counts, self.people)

    def to_bytes(self) -> bytes:
        """Everything there is to know, with a checksum."""
        tags = self._seen.all().astype("<u8")
        about = {
            "protocol": self.protocol.document(),
            "people": self.people,
            "rejected": dict(self.rejected),
            "doubled": self.doubled,
            "closed": self.closed,
            "check_replays": self.check_replays,
            "tags": len(tags),
        }
        text = json.dumps(about).encode()
        body = struct.pack("<Q", len(text)) + text + self._counts.astype("<i8").tobytes() + tags.tobytes()
        return _MAGIC + hashlib.sha256(body).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> "Aggregator":
        """The aggregator that `to_bytes` wrote; a damaged one is refused."""
        start = len(_MAGIC)
        digest, body = data[start : start + 32], data[start + 32 :]
        if data[:start] != _MAGIC or hashlib.sha256(body).digest() != digest:
            raise InvalidParameter("data", "must be the whole bytes of an aggregator, found", f"{len(data)} others")
        try:
            return cls._read(body)
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            MemoryError,
            struct.error,
        ):  # a checksum anybody can compute proves no good will
            raise InvalidParameter(
                "data", "must be bytes that an aggregator wrote, found", f"{len(data)} others"
            ) from None

    @classmethod
    def _read(cls, body: bytes) -> "Aggregator":
        (length,) = struct.unpack_from("<Q", body)
        about, at = json.loads(body[8 : 8 + length]), 8 + length
        made = cls(from_document(about["protocol"]), check_replays=about["check_replays"])
        shape, size = made._counts.shape, made._counts.size
        made.people, made.doubled = (whole(name, about[name]) for name in ("people", "doubled"))
        made.closed = truth("closed", about["closed"])
        made.rejected = Counter({Reason(name).value: whole(name, n) for name, n in about["rejected"].items()})
        if len(body) != at + 8 * (size + whole("tags", about["tags"])):
            raise ValueError("length")
        made._counts = np.frombuffer(body, "<i8", size, at).astype(np.int64).reshape(shape)
        made._seen = SeenTags(np.frombuffer(body, "<u8", about["tags"], at + 8 * size).astype(np.uint64))
        if len(made._seen) != about["tags"] or not made._is_possible():
            raise ValueError("counts that no reports give")
        return made

    def _is_possible(self) -> bool:
        """Whether some reports give what was read: counts of so many people, and a tag of each that was not doubled."""
        tagged = self.closed or not self.check_replays or len(self._seen) >= self.people - self.doubled
        known = self.people <= _MOST_PEOPLE and self.doubled <= self.people and tagged
        return known and self.protocol.possible(self._counts, self.people)


def sum_of(aggregators: list[Aggregator]) -> Aggregator:
    """One aggregator that counted what all did."""
    if not aggregators:
        raise InvalidParameter("aggregators", "must be at least one", "none")
    summed = Aggregator.from_bytes(aggregators[0].to_bytes())
    for other in aggregators[1:]:
        summed.merge(other)
    return summed
