"""What the survey says of past attacks, on tables small enough to see through."""

import numpy as np
import pytest

from sfumato.attacks import census, counting, median
from sfumato.attacks.answerers import Unprotected
from sfumato.attacks.ratings import Ratings, recognise
from sources import SeededBits


def test_one_record_fits_what_is_known_of_a_person_and_nobody_else_does() -> None:
    """Forty people, three of whom rated the same obscure films; stars may be off by one and days by a fortnight."""
    stars, days = np.zeros((40, 6), dtype=np.int64), np.zeros((40, 6), dtype=np.int64)
    stars[:, 0] = 3  # everybody rated the first film
    stars[[5, 6, 7], 2:5] = 4
    days[5, 2:5], days[6, 2:5], days[7, 2:5] = 100, 200, 300
    released, films = Ratings(stars, days), np.array([0, 2, 3, 4])
    known = np.array([3, 5, 4, 3])
    assert recognise(released, films, known, np.array([0, 210, 188, 200])) == 6
    assert recognise(released, films, known, np.array([0, 160, 160, 160])) is None  # more than a fortnight from anybody
    assert recognise(released, films, np.array([3, 1, 1, 1]), np.array([0, 200, 200, 200])) is None
    stars[8], days[8] = stars[6], days[6]
    assert recognise(released, films, known, np.array([0, 200, 200, 200])) is None  # two fit alike


def test_the_census_block_of_the_printed_table_is_found_and_no_other() -> None:
    found = census.reconstruct(census.TABLE)
    assert found.complete
    assert found.blocks == (census.TRUTH,)
    without = [row for row in census.PUBLISHED if row.name != "4A"]
    assert len(census.reconstruct(without).blocks) == 2


@pytest.mark.parametrize("target", [0, 2, 4])
def test_two_counts_that_differ_by_one_person_tell_that_persons_bit(target: int) -> None:
    """The slides' D and D': three have the flu with Bob, two without."""
    flu = np.array([True, False, True, False, True])
    assert counting.difference(Unprotected(flu), target, 5) is bool(flu[target])
    assert counting.difference(Unprotected(~flu), target, 5) is not bool(flu[target])


def test_noise_by_local_sensitivity_is_nothing_here_and_much_there() -> None:
    """(0,0,0,0,0,M,M) cannot move and is told exactly; (0,0,0,0,M,M,M) is as noisy as the whole interval."""
    here = {median.by_local_sensitivity(median.HERE, bits=SeededBits(seed)) for seed in range(40)}
    there = [median.by_local_sensitivity(median.THERE, bits=SeededBits(seed)) for seed in range(400)]
    assert here == {0}
    assert sum(abs(answer) > 300 for answer in there) > 200  # Pr = e^-0.3 = 0.74
    assert sum(abs(answer) > 2000 for answer in there) < 120  # Pr = e^-2 = 0.14
