"""The one parser of amounts: what each form means, what is refused, and that rounding against ourselves survives it."""

import math
import sys
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato import exact
from sfumato.accounting import (
    ZCDPFilter,
    events,
    from_json,
    largest_epsilon,
    smallest_noise,
    total,
    zcdp_to_dp_improved,
)
from sfumato.core import Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.amounts import amount, sized
from sfumato.exact.parameters import cell, rational
from sfumato.exact.rounding import down, sqrt_up, up, written_down, written_up
from sfumato.mechanisms import DiscreteGaussian, Gaussian, Median, SmoothSensitivity, Sparse, TopK, classical_sigma
from sources import SeededBits

MEANT: list[tuple[Any, Fraction]] = [
    (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), (".1", Fraction(1, 10)), ("+1/10", Fraction(1, 10)),
    ("1e-9", Fraction(1, 10**9)), ("1E+3", Fraction(1000)), ("1e0003", Fraction(1000)), ("007", Fraction(7)),
    (-0.0, Fraction(0)), ("-0", Fraction(0)), ("-0.0e5", Fraction(0)), (Decimal("-0"), Fraction(0)), ("0/7", Fraction(0)),
    ("-2/6", Fraction(-1, 3)), (7, Fraction(7)), (np.int8(-3), Fraction(-3)), (np.uint64(2**63), Fraction(2**63)),
    (5e-324, Fraction(5, 10**324)), (1.7976931348623157e308, Fraction(17976931348623157) * 10**292),
    (np.float64(0.1), Fraction(1, 10)), (np.float32(0.1), Fraction(1, 10)), (np.float16(0.1), Fraction(1, 10)),
    (np.longdouble("0.1"), Fraction(1, 10)), (np.float32(1e-9), Fraction(1, 10**9)), (np.str_("0.1"), Fraction(1, 10)),
    (Decimal("1.10"), Fraction(11, 10)), (Decimal("0e999999999"), Fraction(0)), (Fraction(1, 3), Fraction(1, 3)),
    ("9" * 600, Fraction(10**600 - 1)), (10**5000, Fraction(10**5000)), ("1e-9999", Fraction(1, 10**9999)),
]  # fmt: skip
NONE: list[tuple[Any, str]] = [
    *((text, "must be a real number") for text in ("", " ", " 1 ", "1 ", "1\n", "1_000", "0x1", "1.", ".", "e5", "1e", "1e5.5")),
    *((text, "must be a real number") for text in ("١٢", "１", "½", "1,5", "1/0", "1/-3", "1.5/2", "1/2/3", "--1", "ten", "1j")),
    *((text, "must be finite") for text in ("nan", "-nan", "inf", "+inf", "Infinity", math.nan, math.inf, np.float32("-inf"))),
    *((each, "must be finite") for each in (Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"))),
    *((text, "is outside the range") for text in ("1e999999999", "1e-99999", "9" * 601, "1/" + "9" * 601, "1" * 10**6)),
    *((each, "is outside the range") for each in (10**50_000, Decimal("1e999999999"), Fraction(1, 2**70_000))),
    *((each, "must be a real number") for each in (True, np.bool_(False), None, 1j, [1], (1,), {}, b"1", np.array(0.1))),  # type: ignore[var-annotated]
    *((each, "must be a real number") for each in (np.timedelta64(3), object())),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), MEANT, ids=lambda each: type(each).__name__)
def test_a_number_is_what_is_written(written: Any, meant: Fraction) -> None:
    assert amount("epsilon", written) == meant
    assert type(amount("epsilon", written)) is Fraction


@pytest.mark.parametrize(("bad", "why"), NONE, ids=lambda each: type(each).__name__)
def test_anything_else_is_one_clear_error_with_a_hint(bad: Any, why: str) -> None:
    with pytest.raises(InvalidParameter, match=rf"^epsilon {why}") as caught:
        amount("epsilon", bad)
    assert "hint: for example epsilon=0.5" in str(caught.value)
    assert len(str(caught.value)) < 250


def test_the_hint_works() -> None:
    for text in ("0.5", "1e-6", "1/3", 0.5):
        assert 0 < amount("epsilon", text) < 1


def test_text_is_read_under_the_least_limit_on_digits() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert amount("epsilon", "1/" + "9" * 600) == Fraction(1, 10**600 - 1)
        with pytest.raises(InvalidParameter, match="outside the range"):
            amount("epsilon", "9" * 700)
    finally:
        sys.set_int_max_str_digits(before)


class Lying(float):
    """A float whose own repr says something else."""

    def __repr__(self) -> str:
        return "1000"


def test_a_subclass_cannot_say_it_is_another_number() -> None:
    assert amount("epsilon", Lying(0.1)) == Fraction(1, 10)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_own_decimal_and_comes_back(value: float) -> None:
    meant = amount("x", value)
    assert meant == Fraction(repr(value)) == amount("x", repr(value)) == amount("x", Decimal(repr(value)))
    assert float(meant) == value


@given(st.one_of(st.text(max_size=30), st.text("0123456789.eE+-/_ ", max_size=30), st.binary(max_size=8), st.floats()))
@example("1e" + "9" * 400)
@example("0" * 1999 + "1")
def test_the_parser_is_total(value: Any) -> None:
    found = Fraction(0)
    with suppress(InvalidParameter):  # and no other error
        found = amount("x", value)
    assert type(found) is Fraction


def test_sizes_are_zero_or_between_two_powers_of_ten() -> None:
    assert [sized("x", each, least=-3, most=3) for each in (0, "1e-3", 1000)] == [0, Fraction(1, 1000), 1000]
    for bad in ("0.0009", 1001, -1):
        with pytest.raises(InvalidParameter, match=r"^x must"):
            sized("x", bad, least=-3, most=3)


# ---- data and computed floats are no amounts ----------------------------------------------------------------------


def test_a_cell_of_data_is_exactly_the_binary_number_it_is() -> None:
    assert cell("value", 0.1) == rational("value", 0.1) == Fraction(0.1) != Fraction(1, 10)
    for text in ("0.1", "1/3"):
        with pytest.raises(InvalidParameter) as caught:
            cell("value", text)
        assert text not in str(caught.value)


def test_directed_rounding_is_of_the_binary_number() -> None:
    assert up(Fraction(0.1)) == down(Fraction(0.1)) == 0.1
    assert down(Fraction(1, 10)) < 0.1
    assert Fraction(sqrt_up(0.1)) ** 2 >= Fraction(0.1)


def test_a_prepared_sampler_is_not_shared_by_a_float_and_the_fraction_it_exactly_is() -> None:
    """0.1 == Fraction(0.1) in Python, and they hash alike, but one is a tenth and the other is not."""
    for draw, parameter in ((exact.discrete_laplace, 0.1), (exact.discrete_gaussian, 0.1), (exact.bernoulli, 0.1)):
        draw(Fraction(parameter), bits=SeededBits(1))
        draw(parameter, bits=SeededBits(1))
    from sfumato.exact.coins import _bernoulli
    from sfumato.exact.exponentials import _laplace
    from sfumato.exact.normals import _gaussian

    for prepared in (_laplace, _gaussian, _bernoulli):
        assert prepared(0.1, 64) is not prepared(Fraction(0.1), 64)


# ---- what the house rounded against itself stays so ---------------------------------------------------------------


@given(st.fractions(Fraction(1, 10**9), 10**9))
@example(Fraction(sqrt_up(2)))
@example(Fraction(1, 10))
def test_what_is_rounded_up_stays_so_when_it_is_read_again(x: Fraction) -> None:
    above, below = written_up(x), written_down(x)
    assert amount("sigma", above) >= x <= Fraction(above)
    assert amount("sigma", below) <= x >= Fraction(below)
    assert above <= math.nextafter(up(x), math.inf)
    assert below >= math.nextafter(down(x), 0)


def test_reading_a_rounded_float_by_its_decimal_would_round_it_back() -> None:
    """The broken twin: for many roots the plain float, read as it is written, is below what it was rounded up to."""
    below = [n for n in range(2, 200) if amount("sigma", sqrt_up(n)) ** 2 < n]
    assert below
    for n in below:
        assert events.Gaussian.of_rho(Fraction(1, 2 * n)).zcdp() <= Fraction(1, 2 * n)


@given(st.fractions(Fraction(1, 10**4), 10**4))
def test_noise_for_a_price_never_costs_more_than_the_price(rho: Fraction) -> None:
    assert events.Gaussian.of_rho(rho).zcdp() <= rho


def test_calibrated_noise_meets_its_target_as_it_is_kept_and_as_it_is_written() -> None:
    one = Neighbours().histogram(Norm.L2)
    for epsilon in (0.1, "1/3", 1, 2.7):
        for kind in (Gaussian, DiscreteGaussian):
            made = kind.calibrated(epsilon=epsilon, delta=1e-6, sensitivity=one, grid=0.1 if kind is Gaussian else None)
            assert total([made.event]).meets(epsilon, 1e-6)
    scale = smallest_noise(events.Gaussian, epsilon=1, delta=1e-6)
    assert total([events.Gaussian(scale)]).meets(1, 1e-6)
    per_use = largest_epsilon(events.Pure, epsilon=1, delta=1e-6, times=50)
    assert total([(events.Pure(per_use), 50)]).meets(1, 1e-6)
    sigma = classical_sigma(epsilon=0.9, delta=1e-6, sensitivity=one)
    assert total([events.Gaussian(sigma)]).meets(0.9, 1e-6)


def test_shares_that_were_searched_for_are_the_shares_that_are_spent() -> None:
    one = Neighbours().histogram(Norm.LINF)
    for epsilon in (1, 0.7, "5/3"):
        many = Sparse(epsilon=epsilon, delta=1e-6, cutoff=60, threshold=0, sensitivity=one)
        assert total([many.event]).meets(epsilon, 1e-6)
        best = TopK.calibrated(k=30, epsilon=epsilon, delta=1e-6, candidates=range(40), sensitivity=one)
        assert total([best.event]).meets(epsilon, 1e-6)


def test_a_cap_that_was_rounded_down_is_kept_as_it_is() -> None:
    for epsilon in (0.1, 1, 3):
        kept = ZCDPFilter.for_target(epsilon, 1e-6)
        assert isinstance(kept.rho, Fraction)
        assert kept.rho == Fraction(float(kept.rho))
        price = zcdp_to_dp_improved(up(kept.rho), down(Fraction(1, 10**6)))
        assert Fraction(price) <= amount("epsilon", epsilon)


def test_an_event_is_within_a_budget_of_the_same_amount() -> None:
    """A tenth is not a float, so comparing rounded prices would refuse what fits to the last."""
    for epsilon in (0.1, "0.1", "1/3", 0.7):
        for delta in (0, 1e-6):
            loss = total([events.Approximate(epsilon, delta)])
            assert loss.meets(epsilon, delta)
            assert loss.epsilon(delta) == up(amount("epsilon", epsilon))
            assert loss.delta(epsilon) == (0 if delta == 0 else up(Fraction(str(delta))))
            assert not total([events.Approximate(epsilon, delta), events.Pure("1e-30")]).meets(epsilon, 0)


# ---- a zero is a zero, in whatever form -----------------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, "0", "0.0", Decimal(0), np.float32(0)])
def test_no_delta_means_heavy_tails_however_it_is_written(zero: Any) -> None:
    """Laplace noise is not purely private here, so a zero that is not known as one would break the promise."""
    made = SmoothSensitivity(bound=Median(lower=0, upper=9), epsilon=1, delta=zero)
    plain = SmoothSensitivity(bound=Median(lower=0, upper=9), epsilon=1)
    assert made == plain
    assert made.event == events.Pure(1)
    value, smooth = made.bound.measure([1, 2, 3], made.beta)
    heavy = exact.rounded_heavy_tail(4, Fraction(smooth) * made.factor, center=value, bits=SeededBits(5))
    assert made.release([1, 2, 3], bits=SeededBits(5)) == heavy


# ---- what was stored keeps its meaning ------------------------------------------------------------------------------


def test_stored_events_mean_what_they_meant() -> None:
    assert from_json({"kind": "laplace", "epsilon": "1/10"}) == events.Laplace(0.1)
    binary = events.Laplace(Fraction(0.1))
    assert binary.to_json()["epsilon"] == "3602879701896397/36028797018963968"
    assert from_json(binary.to_json()) == binary
    # No version writes a bare float, but the first read one as the binary number it is.
    assert from_json({"kind": "laplace", "epsilon": 0.1}) == binary
