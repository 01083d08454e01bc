"""The file of measurements: read back alike, refused if it is anything else, and unreadable under its seal."""

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.synth.publication import measurements

TABLES = [np.arange(6, dtype=np.int64).reshape(2, 3) - 3, np.array(-(2**62)), np.zeros((0, 4), dtype=np.int64)]


def test_tables_are_read_back_alike() -> None:
    name, found = measurements.read(measurements.written("abc", TABLES))
    assert name == "abc"
    assert all(
        np.array_equal(one, other) and one.shape == other.shape for one, other in zip(TABLES, found, strict=True)
    )


@pytest.mark.parametrize("spoil", [
    lambda data: data[:-1],
    lambda data: data + b"\0" * 8,
    lambda data: b"",
    lambda data: b"{}\n",
    lambda data: b"[1]\n" + data,
    lambda data: data.replace(b'"version":1', b'"version":2'),
    lambda data: data.replace(b"[2,3]", b"[3,3]"),
    lambda data: data.replace(b"[2,3]", b"[-2,-3]"),
])  # fmt: skip
def test_what_is_no_such_file_is_refused(spoil: object) -> None:
    with pytest.raises(InvalidParameter, match="no file of measurements"):
        measurements.read(spoil(measurements.written("abc", TABLES)))  # type: ignore[operator]


def test_a_number_that_does_not_fit_is_not_cut() -> None:
    with pytest.raises(OverflowError):
        measurements.written("abc", [np.array([2**70], dtype=object)])


def test_what_is_sealed_says_nothing_without_its_key() -> None:
    data = measurements.written("abc", [np.zeros(20_000, dtype=np.int64)])
    hidden, key = measurements.sealed(data)
    assert len(hidden) == len(data)
    assert measurements.opened(hidden, key) == data
    assert measurements.opened(hidden, bytes(32)) != data
    again, other = measurements.sealed(data)
    assert other != key
    assert again != hidden
    bits = np.unpackbits(np.frombuffer(hidden, dtype=np.uint8))
    assert abs(bits.mean() - 0.5) < 6 * 0.5 / np.sqrt(bits.size)
