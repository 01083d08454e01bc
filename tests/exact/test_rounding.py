"""Directed rounding: on the stated side, and as close as floats allow."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.exact import rounding as r
from sfumato.exact.lazy import ball_of

finite = st.floats(allow_nan=False, allow_infinity=False)
BASIC: list[tuple[Callable[[float, float], float], Callable[[float, float], float], Callable[..., Fraction]]] = [
    (r.add_up, r.add_down, lambda a, b: a + b),
    (r.sub_up, r.sub_down, lambda a, b: a - b),
    (r.mul_up, r.mul_down, lambda a, b: a * b),
    (r.div_up, r.div_down, lambda a, b: a / b),
]


@given(finite, finite, st.sampled_from(BASIC))
def test_basic_operations_enclose_the_real_result_in_adjacent_floats(a: float, b: float, row: tuple) -> None:  # type: ignore[type-arg]
    up, down, operation = row
    if up is r.div_up and b == 0:
        with pytest.raises(InvalidParameter):
            up(a, b)
        return
    exact = operation(Fraction(a), Fraction(b))
    high, low = up(a, b), down(a, b)
    assert high == math.inf or Fraction(high) >= exact
    assert low == -math.inf or Fraction(low) <= exact
    assert low == high or math.nextafter(low, math.inf) == high


@given(st.floats(-1000, 1000))
def test_exp_is_enclosed(x: float) -> None:
    with ctx.workprec(2000):
        true = ball_of(Fraction(x)).exp()
    high, low = r.exp_up(x), r.exp_down(x)
    assert low <= high
    with ctx.workprec(2000):
        assert high == math.inf or ball_of(Fraction(high)) >= true or x == 0
        assert ball_of(Fraction(low)) <= true or x == 0
    assert math.nextafter(math.nextafter(low, math.inf), math.inf) >= high


@given(st.floats(min_value=5e-324, allow_infinity=False))
def test_log_and_sqrt_are_enclosed(x: float) -> None:
    with ctx.workprec(2000):
        cases = (
            (r.log_up, r.log_down, ball_of(Fraction(x)).log()),
            (r.sqrt_up, r.sqrt_down, ball_of(Fraction(x)).sqrt()),
        )
    for up, down, true in cases:
        high, low = up(x), down(x)
        with ctx.workprec(2000):
            assert not ball_of(Fraction(high)) < true
            assert not ball_of(Fraction(low)) > true
        assert math.nextafter(math.nextafter(low, math.inf), math.inf) >= high


def test_ends_of_the_float_range() -> None:
    assert r.exp_up(1e6) == math.inf
    assert r.exp_down(1e6) == r._MAX
    assert r.exp_up(-1e6) == 5e-324
    assert r.exp_down(-1e6) == 0.0
    assert r.add_up(r._MAX, r._MAX) == math.inf
    assert r.add_down(r._MAX, r._MAX) == r._MAX
    assert r.add_up(-r._MAX, -r._MAX) == -r._MAX
    assert (r.exp_up(0), r.exp_down(0), r.log_up(1), r.log_down(1)) == (1.0, 1.0, 0.0, 0.0)
    assert (r.sqrt_up(0), r.sqrt_down(0), r.sqrt_up(4), r.sqrt_down(4)) == (0.0, 0.0, 2.0, 2.0)


def test_rounding_to_nearest_would_be_convicted() -> None:
    """The broken twin: plain float arithmetic lands on the wrong side for some operands."""
    assert Fraction(0.1 + 0.7) < Fraction(0.1) + Fraction(0.7) <= Fraction(r.add_up(0.1, 0.7))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_operands_must_be_finite(bad: float) -> None:
    for call in (r.add_up, r.add_down, r.mul_up, r.mul_down, r.div_up, r.div_down):
        with pytest.raises(InvalidParameter, match="finite"):
            call(bad, 1.0)
    for single, word in ((r.log_up, "positive"), (r.sqrt_up, "negative")):
        with pytest.raises(InvalidParameter, match=word):
            single(-1.0)
    for single in (r.exp_up, r.exp_down, r.log_up, r.log_down, r.sqrt_up, r.sqrt_down):
        for value in (bad, "1"):
            with pytest.raises(InvalidParameter, match="operand"):
                single(value)  # type: ignore[arg-type]
