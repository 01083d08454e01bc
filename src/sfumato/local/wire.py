"""Reports as bytes: how a batch is taken apart, and why a report is refused."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.bits import leading as leading_bits
from sfumato.local import client
from sfumato.local.protocol import Bytes, Protocol

Batch = bytes | bytearray | memoryview | Iterable[bytes] | Bytes
"""Reports end to end, or one by one, or a row of an array each."""

_PREFIX = client.HEAD + client.TAG


class Reason(StrEnum):
    """Why a report was not counted."""

    LENGTH = "wrong length"
    VERSION = "wrong version"
    PROTOCOL = "unknown protocol"
    ROUND = "another round"
    CLOSED = "round closed"
    MALFORMED = "malformed payload"
    REPLAYED = "replayed"


def rows_of(batch: Any, size: int) -> tuple[Bytes, int]:
    """The reports of the right length as rows, and how many had another."""
    if isinstance(batch, memoryview):
        batch = batch.tobytes()
    if isinstance(batch, bytes | bytearray):
        whole = len(batch) // size
        table = np.frombuffer(batch, dtype=np.uint8, count=whole * size).reshape(whole, size)
        return table, int(len(batch) % size != 0)
    if isinstance(batch, np.ndarray):
        if batch.ndim == 2 and batch.shape[1] and batch.strides[1] != 1:
            batch = np.ascontiguousarray(batch)
        if batch.ndim != 2 or batch.dtype != np.uint8:
            raise InvalidParameter("batch", "must be rows of bytes, found an array of", batch.dtype.name)
        return (batch, 0) if batch.shape[1] == size else (np.zeros((0, size), dtype=np.uint8), len(batch))
    if isinstance(batch, str) or not isinstance(batch, Iterable):
        raise InvalidParameter("batch", "must be bytes, an array of them or a list of reports, found", type(batch))
    reports = [r.tobytes() if isinstance(r, memoryview) else r for r in batch]
    good = [bytes(r) for r in reports if isinstance(r, bytes | bytearray) and len(r) == size]
    table = np.frombuffer(b"".join(good), dtype=np.uint8).reshape(len(good), size)
    return table, len(reports) - len(good)


def heads_of(rows: Bytes) -> NDArray[np.uint64]:
    """The first eight bytes of every report as one number."""
    return _column(rows, 0)


def tags_of(rows: Bytes) -> NDArray[np.uint64]:
    """The tags of every report."""
    return _column(rows, client.HEAD)


def _column(rows: Bytes, start: int) -> NDArray[np.uint64]:
    """Eight bytes of each row as a number; a view where rows lie side by side."""
    return rows[:, start : start + 8].view("<u8")[:, 0]


def payloads_of(rows: Bytes) -> Bytes:
    """What follows head and tag."""
    return rows[:, _PREFIX:]


def head_number(protocol: Protocol) -> np.uint64:
    """The head that reports of a protocol have, as one number."""
    return np.uint64(int.from_bytes(client.head(protocol.document()), "little"))


def why(head: np.uint64, expected: np.uint64) -> Reason:
    """What is wrong with a head."""
    mine, theirs = int(expected).to_bytes(8, "little"), int(head).to_bytes(8, "little")
    if mine[0] != theirs[0]:
        return Reason.VERSION
    return Reason.PROTOCOL if mine[1:6] != theirs[1:6] else Reason.ROUND


def assembled(protocol: Protocol, payloads: Bytes, *, bits: BitSource | None = None) -> Bytes:
    """Whole reports of as many devices: tags are random, which is what keyed hashes of different secrets are."""
    n, size = payloads.shape
    rows = np.empty((n, _PREFIX + size), dtype=np.uint8)
    heads_of(rows)[:] = head_number(protocol)
    tags_of(rows)[:] = leading_bits(source(bits), 64, n)
    if size in (1, 2, 4, 8):  # one number a row is written faster than a few bytes
        rows[:, _PREFIX:].view(f"u{size}")[:] = payloads.view(f"u{size}")
    else:
        rows[:, _PREFIX:] = payloads
    return rows
