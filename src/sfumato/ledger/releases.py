"""Releases: canonical JSON in pieces, kept beside the entries, which hold its SHA-256 and its size."""

import codecs
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.core.printing import Json
from sfumato.errors import InvalidParameter, LedgerDamaged
from sfumato.ledger.canon import canonical, quoted
from sfumato.ledger.store import Transaction

PIECE = 1 << 16
"""The most bytes of one piece."""
LARGEST = 64 << 20
"""The most bytes of one release."""
_DEEPEST = 100
_SMALL = 4096
_PIECE_OF = "SELECT content FROM releases WHERE sequence = ? AND part = ?"
_PIECES = "SELECT sequence, content FROM releases ORDER BY sequence, part"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A release as it is stored: pieces of UTF-8, the SHA-256 of them all and how many bytes they are."""

    pieces: tuple[bytes, ...]
    sha256: str
    size: int

    def fields(self) -> dict[str, Any]:
        """What the entry says of it."""
        return {"sha256": self.sha256, "size": self.size}


# ---- writing ------------------------------------------------------------------------------------------------


def encoded(release: object) -> Encoded:
    """The pieces of a release, made one after the other; what is not JSON is refused by its kind, never shown."""
    weight = _weighed(release)
    pieces, waiting, size, digest = [], bytearray(), 0, hashlib.sha256()
    try:
        for text in [canonical(release)] if weight < _SMALL else _texts(release):
            waiting += text.encode()
            while len(waiting) >= PIECE:
                pieces.append(bytes(waiting[:PIECE]))
                del waiting[:PIECE]
                size += PIECE
                digest.update(pieces[-1])
                if size > LARGEST:
                    raise _too_large(release)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, InvalidParameter) else _not_json(release) from None
    if waiting:
        pieces.append(bytes(waiting))
        digest.update(pieces[-1])
    if size + len(waiting) > LARGEST:
        raise _too_large(release)
    return Encoded(tuple(pieces), digest.hexdigest(), size + len(waiting))


def _weighed(release: object) -> int:
    """How many values and characters there are; without recursion, and what holds itself is too deep."""
    weight, level = 0, [(release, 0)]
    while level:
        found, depth = level.pop()
        weight += 1
        if isinstance(found, dict | list):
            if depth == _DEEPEST:
                raise InvalidParameter("release", f"must not be nested more than {_DEEPEST} deep, found", type(release))
            if isinstance(found, dict):
                if not all(isinstance(key, str) for key in found):
                    raise _not_json(release)
                weight += sum(map(len, found))
            level.extend((inner, depth + 1) for inner in (found.values() if isinstance(found, dict) else found))
        elif isinstance(found, str):
            weight += len(found)
        elif found is not None and not isinstance(found, int | float):
            raise _not_json(release)
        if weight > LARGEST:  # each is a byte at least
            raise _too_large(release)
    return weight


def _texts(value: Any) -> Iterator[str]:
    """What `canonical` writes, in parts that are never much longer than a piece."""
    if isinstance(value, dict) and value:
        before = "{"
        for key in sorted(value):
            yield f"{before}{quoted(key)}:"
            yield from _texts(value[key])
            before = ","
        yield "}"
    elif isinstance(value, list) and value:
        before = "["
        for each in value:
            yield before
            yield from _texts(each)
            before = ","
        yield "]"
    elif isinstance(value, str) and len(value) > PIECE:
        yield '"'
        for start in range(0, len(value), PIECE):
            yield quoted(value[start : start + PIECE])[1:-1]
        yield '"'
    else:
        yield canonical(value)


def _not_json(release: object) -> InvalidParameter:
    return InvalidParameter("release", "must be a JSON value without NaN, found", type(release))


def _too_large(release: object) -> InvalidParameter:
    return InvalidParameter(
        "release",
        f"must be at most {LARGEST} bytes of JSON, found a larger one of",
        type(release),
        hint="ask for fewer groups or columns; what was charged stays spent",
    )


# ---- reading ------------------------------------------------------------------------------------------------


def stored(run: Transaction, body: dict[str, Any]) -> Iterator[bytes]:
    """The pieces of the release that an entry settled; the last of them only if all are what was settled."""
    if "release" in body:  # before there was a table for them
        yield from encoded(body["release"]).pieces
        return
    digest, size, part, waiting = hashlib.sha256(), 0, 0, b""
    while size < body["size"]:
        found = [content for (content,) in run.execute(_PIECE_OF, (body["sequence"], part))]
        if not found:
            raise missing(body["sequence"])
        if part:
            yield waiting
        waiting = bytes(found[0])
        digest.update(waiting)
        size, part = size + len(waiting), part + 1
    if digest.hexdigest() != body["sha256"]:
        raise altered(body["sequence"])
    yield waiting


def decoded(pieces: Iterable[bytes]) -> Json:
    """The release that pieces are; the text is put together once."""
    reader, text = codecs.getincrementaldecoder("utf-8")("replace"), ""  # what is not UTF-8 has another hash
    for piece in pieces:
        text += reader.decode(piece)
    found: Json = json.loads(text)
    return found


class Kept:
    """Every stored release in order, compared with the entries as a walk passes them."""

    def __init__(self, run: Transaction) -> None:
        self._rows = iter(run.execute(_PIECES))
        self._next = next(self._rows, None)

    def compare(self, body: dict[str, Any]) -> None:
        """Raise LedgerDamaged unless what is stored for this entry, and before it, is what the entries say."""
        sequence = int(body["sequence"])
        self._foreign(sequence)
        digest, size = hashlib.sha256(), 0
        while self._next is not None and self._next[0] == sequence:
            digest.update(self._next[1])
            size += len(self._next[1])
            self._next = next(self._rows, None)
        if size < body["size"]:
            raise missing(sequence)
        if digest.hexdigest() != body["sha256"]:
            raise altered(sequence)

    def end(self) -> None:
        """Raise LedgerDamaged if more is stored than the entries say."""
        self._foreign(None)

    def _foreign(self, before: int | None) -> None:
        if self._next is not None and (before is None or self._next[0] < before):
            raise LedgerDamaged(f"a release is stored for entry {self._next[0]}, which names none")


def missing(sequence: int) -> LedgerDamaged:
    """A release that is gone, or a part of it."""
    return LedgerDamaged(f"the release of entry {sequence} is missing, or a part of it")


def altered(sequence: int) -> LedgerDamaged:
    """A release whose hash is not the one in the chain."""
    return LedgerDamaged(f"the release of entry {sequence} is not the one that was settled")
