"""Every row of the reference table: tight, never below the truth, and each theorem by its name."""

from functools import cache

import pytest

from accounting_cases import CASES, rows
from sfumato.accounting import advanced_composition, total
from sfumato.accounting.gaussian import epsilon as gaussian_epsilon

pytestmark = pytest.mark.slow

ROWS = {row["id"]: row for row in rows()}
NAMES = {
    "basic": "basic",
    "advanced_seed_theorem_5_9": "advanced_seed",
    "zcdp_seed_theorem_8_13": "zcdp_seed",
    "zcdp_improved": "zcdp",
    "rdp_seed_theorem_8_8": "rdp_seed",
    "rdp_improved": "rdp_standard",
}


def test_the_table_and_the_cases_are_the_same() -> None:
    assert set(ROWS) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_within_one_in_two_thousand_of_the_tight_value(name: str) -> None:
    row = ROWS[name]
    found = total(CASES[name]).epsilon(float(row["delta"]))
    assert found <= float(row["tight_upper"]) * 1.0005
    assert found >= float(row["tight_lower"]) * (1 - 1e-6)  # the table has six digits


@pytest.mark.parametrize("name", CASES)
def test_the_lower_bound_is_below_the_upper_and_close(name: str) -> None:
    loss = total(CASES[name])
    low, high = loss.lower_epsilon(1e-6), loss.epsilon(1e-6)
    assert low <= high
    assert low <= float(ROWS[name]["tight_upper"]) * (1 + 1e-5)
    assert low >= 0.97 * high or name == "em0.1_k100"


@cache
def _bounds(name: str) -> dict[str, float]:
    return total(CASES[name]).bounds(1e-6)


@pytest.mark.parametrize("column", NAMES)
@pytest.mark.parametrize("name", CASES)
def test_each_named_bound_is_reproduced_to_four_digits(name: str, column: str) -> None:
    if not ROWS[name][column]:
        return
    if name == "dgauss1_k10" and column in {"basic", "advanced_seed_theorem_5_9"}:
        # The table prices one discrete Gaussian as a continuous one, which at δ = 1e-7 is below the truth
        # (5.349 for 5.433). Ours is the exact price; the table's figure follows from its own premise.
        single = gaussian_epsilon(1e-6 / 20, 1.0)
        printed = advanced_composition(single, 0.0, 10, 0.5e-6, tight=False)[0]
        assert printed == pytest.approx(float(ROWS[name]["advanced_seed_theorem_5_9"]), rel=1e-4)
        assert total([CASES[name][0][0]]).epsilon(1e-7) > 5.43
        return
    found = _bounds(name)[NAMES[column]]
    assert found == pytest.approx(float(ROWS[name][column]), rel=4e-4)
