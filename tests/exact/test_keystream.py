"""Repeatable bytes: the same for a name, whatever the lengths they are read in, even, and no source of noise."""

import numpy as np
import pytest
from scipy import stats

from sfumato.exact import discrete_laplace
from sfumato.exact.keystream import Keystream


def test_a_name_has_one_stream_however_it_is_read() -> None:
    whole = Keystream(b"name").read(200_000)
    other = Keystream(b"name")
    parts = np.concatenate([other.read(length) for length in (1, 15, 17, 65_536, 65_537, 68_894)])
    assert (whole == parts).all()
    assert (Keystream(b"another").read(100) != whole[:100]).any()


def test_bytes_are_even() -> None:
    counts = np.bincount(Keystream(b"even").read(1 << 18), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-9
    assert stats.chisquare(counts + 100 * (np.arange(256) < 128)).pvalue < 1e-9


def test_no_sampler_takes_it_for_a_source_of_noise() -> None:
    with pytest.raises(AttributeError):
        discrete_laplace(3, bits=Keystream(b"noise"))  # type: ignore[call-overload]
