"""The file of measurements: read back alike, refused if it is anything else, and unreadable under its seal."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import SystemBits
from sfumato.synth.publication import measurements
from sfumato.synth.publication.marginals import PricedMarginals
from sfumato.synth.publication.noises import GEOMETRIC

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


def test_a_number_beyond_64_bits_is_set_to_the_nearest_that_fits_whatever_it_is() -> None:
    """To fail there would tell of the data: with x one person decides whether a noisy number fits."""
    for x in (2**63 - 1, 2**63, 2**70, -(2**63) - 1):
        noisy = np.array([[x, 3]], dtype=object)
        _, (found,) = measurements.read(measurements.written("abc", [noisy]))
        assert found.shape == (1, 2)
        assert found[0].tolist() == [min(max(x, -(2**63)), 2**63 - 1), 3]
    _, (alone,) = measurements.read(measurements.written("abc", [np.array(2**80, dtype=object)]))
    assert (alone.shape, int(alone)) == ((), 2**63 - 1)


def test_counts_near_the_end_of_64_bits_are_measured_and_never_fail() -> None:
    """The noise takes about half of them beyond; every one is written."""
    noise, event = GEOMETRIC.hiding(1, Fraction(1, 10))
    part = PricedMarginals("table", (("a",),), ((64,),), noise, GEOMETRIC, 0, event)
    for _ in range(10):
        measured = part.measure({("a",): np.full(64, 2**63 - 1)}, SystemBits())
        _, (found,) = measurements.read(measurements.written("abc", measured))
        assert found.max() == 2**63 - 1
        assert found.min() > 2**63 - 10_000


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
