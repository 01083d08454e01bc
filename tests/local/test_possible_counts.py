"""Counts that no reports give are refused when they are read back, and nobody is counted twice by a merge."""

import hashlib
import json
import struct
from typing import Any

import numpy as np
import pytest

from local_cases import SMALL
from sfumato.errors import InvalidParameter
from sfumato.local import Aggregator, Client

_MAGIC = b"sfumato-local-counts/1\n"


def filled(name: str, times: int = 4) -> Aggregator:
    protocol, values = SMALL[name]
    made = Aggregator(protocol)
    for i, value in enumerate(values * times):
        secret = hashlib.sha256(f"{name} {i}".encode()).digest()
        made.add([Client(protocol.document(), secret=secret).report(value)])
    return made


def changed(made: Aggregator, change: Any = lambda counts: None, **about: Any) -> bytes:
    """Its bytes with other counts or another heading, and the right checksum, which anybody can compute."""
    body = made.to_bytes()[len(_MAGIC) + 32 :]
    (length,) = struct.unpack_from("<Q", body)
    heading = json.loads(body[8 : 8 + length]) | about
    size = made.counts.size
    counts = np.frombuffer(body, "<i8", size, 8 + length).copy().reshape(made.counts.shape)
    change(counts)
    text = json.dumps(heading).encode()
    whole = struct.pack("<Q", len(text)) + text + counts.astype("<i8").tobytes() + body[8 + length + 8 * size :]
    return _MAGIC + hashlib.sha256(whole).digest() + whole


@pytest.mark.parametrize("name", SMALL)
def test_what_was_counted_is_read_back(name: str) -> None:
    made = filled(name)
    again = Aggregator.from_bytes(changed(made))
    assert (again.counts == made.counts).all()
    assert again.people == made.people


def _negative(counts: Any) -> None:
    counts.reshape(-1)[0] = -(2**62)


def _huge(counts: Any) -> None:
    counts.reshape(-1)[-1] = 2**62


def _all_huge(counts: Any) -> None:
    counts[...] = 2**40


@pytest.mark.parametrize("change", [_negative, _huge, _all_huge])
@pytest.mark.parametrize("name", SMALL)
def test_counts_that_no_reports_give_are_refused(name: str, change: Any) -> None:
    with pytest.raises(InvalidParameter, match="that an aggregator wrote"):
        Aggregator.from_bytes(changed(filled(name), change))


@pytest.mark.parametrize("name", SMALL)
def test_a_number_of_people_that_does_not_fit_is_refused(name: str) -> None:
    made = filled(name)
    for people in (0, made.people + 1, 2**60):
        with pytest.raises(InvalidParameter, match="that an aggregator wrote"):
            Aggregator.from_bytes(changed(made, people=people))
    with pytest.raises(InvalidParameter, match="that an aggregator wrote"):
        Aggregator.from_bytes(changed(made, doubled=made.people + 1))


def test_the_check_is_what_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Aggregator, "_is_possible", lambda self: True)
    assert Aggregator.from_bytes(changed(filled("k-ary"), _negative)).counts.min() < 0


def test_a_server_is_not_merged_with_itself_or_its_copy() -> None:
    made = filled("k-ary")
    before = made.people
    for other in (made, Aggregator.from_bytes(made.to_bytes())):
        with pytest.raises(InvalidParameter, match="other must"):
            made.merge(other)
    assert (made.people, made.doubled, int(made.counts.sum())) == (before, 0, before)
    sum_of_both = Aggregator(made.protocol)
    sum_of_both.merge(made)
    with pytest.raises(InvalidParameter, match="not counted here"):
        sum_of_both.merge(made)
    assert sum_of_both.people == before
