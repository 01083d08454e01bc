"""The file of what was measured: a line of JSON, then every number in 64 bits; and the same sealed under a key.

What is sealed is combined with the stream that SHAKE-256 makes of a fresh key of 256 bits. The key is in memory, and
from the moment of settlement in the ledger; until then what lies on a disk says nothing to anybody.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.ledger.canon import canonical

FORMAT, VERSION = "sfumato/measurements", 1
KEY = 32
_SEAL = b"sfumato/sealed-measurements\0"
_LONGEST_HEAD = 1 << 20


def written(publication: str, measured: Sequence[NDArray[Any]]) -> bytes:
    """The file of some tables, every number within 64 bits.

    A noisy number beyond is set to the nearest that fits. It was noisy before, so that is post-processing (Survey
    Proposition 3.7); to fail there instead would tell of the data, as one person may decide whether a number fits.
    """
    head = {
        "format": FORMAT,
        "version": VERSION,
        "publication": publication,
        "shapes": [list(table.shape) for table in measured],
    }
    parts = [canonical(head).encode(), b"\n"]
    for table in measured:
        parts.append(np.ascontiguousarray(_fitted(table), dtype="<i8").tobytes())
    return b"".join(parts)


def _fitted(table: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers of a table, those beyond 64 bits set to the ends."""
    if table.dtype.kind == "i":
        return table
    ends = np.iinfo(np.int64)
    return np.array([min(max(int(each), ends.min), ends.max) for each in table.reshape(-1)], dtype=np.int64)


def read(data: bytes) -> tuple[str, list[NDArray[np.int64]]]:
    """Which publication a file is of, and its tables."""
    line, mark, rest = data[:_LONGEST_HEAD].partition(b"\n")
    try:
        head = json.loads(line)
        shapes = [tuple(int(size) for size in shape) for shape in head["shapes"]]
        known = mark and (head["format"], head["version"]) == (FORMAT, VERSION)
        name = str(head["publication"])
    except (ValueError, KeyError, TypeError):
        raise _unreadable() from None
    rest = data[len(line) + 1 :]
    if not known or len(rest) != 8 * sum(map(prod, shapes)) or any(size < 0 for shape in shapes for size in shape):
        raise _unreadable()
    numbers = np.frombuffer(rest, dtype="<i8").astype(np.int64)
    found, at = [], 0
    for shape in shapes:
        found.append(numbers[at : at + prod(shape)].reshape(shape))
        at += prod(shape)
    return name, found


def sealed(data: bytes) -> tuple[bytes, bytes]:
    """The data under a fresh key, and the key."""
    key = os.urandom(KEY)
    return _combined(data, key), key


def opened(data: bytes, key: bytes) -> bytes:
    """What was sealed under the key."""
    return _combined(data, key)


def digest(data: bytes) -> str:
    """Its SHA-256."""
    return hashlib.sha256(data).hexdigest()


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file, which may be long."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _combined(data: bytes, key: bytes) -> bytes:
    stream = hashlib.shake_256(_SEAL + key).digest(len(data))
    return (np.frombuffer(data, dtype=np.uint8) ^ np.frombuffer(stream, dtype=np.uint8)).tobytes()


def _unreadable() -> InvalidParameter:
    return InvalidParameter(
        "measurements", "is no file of measurements of version", VERSION, hint="publish again, or find the whole folder"
    )
