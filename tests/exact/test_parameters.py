"""Bad input: one clear error that names the parameter and the value, before anything is drawn."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import exact
from sfumato.errors import BrokenRandomness, InvalidParameter, SfumatoError
from sfumato.exact.parameters import nearest, rational
from sources import ConstantBits, EdgeBits

POSITIVE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "discrete_laplace": ("scale", exact.discrete_laplace),
    "discrete_laplace array": ("scale", lambda v: exact.discrete_laplace(v, 3)),
    "geometric": ("scale", exact.geometric),
    "discrete_gaussian": ("sigma", exact.discrete_gaussian),
    "discrete_gaussian array": ("sigma", lambda v: exact.discrete_gaussian(v, 3)),
    "censored": ("scale", lambda v: exact.censored_discrete_laplace(v, 5)),
    "truncated": ("scale", lambda v: exact.truncated_discrete_laplace(v, 5)),
    "rounded_laplace": ("scale", exact.rounded_laplace),
    "rounded_gaussian": ("sigma", exact.rounded_gaussian),
    "rounded_exponential": ("scale", exact.rounded_exponential),
    "rounded_gumbel": ("scale", exact.rounded_gumbel),
    "rounded_heavy_tail": ("scale", lambda v: exact.rounded_heavy_tail(2, v)),
    "rounded_heavy_tail gamma": ("gamma", exact.rounded_heavy_tail),
    "grid": ("grid", lambda v: exact.rounded_laplace(1, grid=v)),
    "permute_and_flip": ("epsilon", lambda v: exact.permute_and_flip([1, 2], v, 1)),
    "exponential_mechanism": ("epsilon", lambda v: exact.exponential_mechanism([1, 2], v, 1)),
    "permute_and_flip sensitivity": ("sensitivity", lambda v: exact.permute_and_flip([1, 2], 1, v)),
}
NOT_NUMBERS = [
    math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf"), "1e99999", "one", "", True, False,
    np.bool_(True), 1j, 1 + 0j, np.complex128(1), None, [1], (1,), {}, b"1", object(), np.array([1.0]),
    Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999999"), Decimal("1e-999999999"),
    10**10**5,
]  # fmt: skip
NOT_POSITIVE = [0, 0.0, -0.0, -1, -1e-300, Fraction(-1, 3), Decimal(0), np.int64(-4)]


def assert_refused(call: Callable[[], Any], name: str, value: Any) -> None:
    with pytest.raises(InvalidParameter) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(f"{name} ")
    assert caught.value.name == name
    shown = repr(value) if not isinstance(value, int) or value.bit_length() < 10_000 else "too long to show"
    assert shown[:40] in text
    assert "Traceback" not in text
    assert len(text) < 250


@pytest.mark.parametrize("name", POSITIVE)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda v: str(type(v).__name__))
def test_what_is_not_a_finite_number_is_refused(name: str, value: Any) -> None:
    parameter, call = POSITIVE[name]
    assert_refused(lambda: call(value), parameter, value)


@pytest.mark.parametrize("name", POSITIVE)
@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
def test_what_is_not_positive_is_refused(name: str, value: Any) -> None:
    parameter, call = POSITIVE[name]
    assert_refused(lambda: call(value), parameter, value)


@given(
    st.one_of(
        st.floats(max_value=0), st.integers(max_value=0), st.fractions(max_value=0),
        st.decimals(max_value=0), st.text(st.characters(exclude_categories=["Nd"]), max_size=20), st.booleans(), st.complex_numbers(), st.none(),
        st.lists(st.integers(), max_size=3), st.binary(max_size=5), st.just(math.nan), st.just(math.inf),
    ),
    st.sampled_from(sorted(set(POSITIVE) - {"rounded_heavy_tail gamma"})),
)  # fmt: skip
def test_nothing_bad_gets_through(value: Any, name: str) -> None:
    parameter, call = POSITIVE[name]
    with pytest.raises(InvalidParameter, match=f"^{parameter} "):
        call(value)


@pytest.mark.parametrize("value", [-0.1, 1.1, "1.5", math.nan, True, None, [0.5]])
def test_probabilities_outside_the_unit_interval_are_refused(value: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^p "):
        exact.bernoulli(value)


@pytest.mark.parametrize("value", [-0.1, "-0.5", math.nan, math.inf, True, None])
def test_negative_exponents_are_refused(value: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^x "):
        exact.bernoulli_exp(value)


@pytest.mark.parametrize("value", [-1, 0, 1.5, 2.0, "3", None, True, math.nan])
def test_integers_needs_a_whole_positive_bound(value: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^n "):
        exact.integers(value)


@pytest.mark.parametrize("value", [-1, 1.5, "3", True, (2, -1), (2, None), [3]])
def test_sizes_must_be_whole(value: Any) -> None:
    for call in (exact.discrete_laplace, exact.discrete_gaussian, exact.bernoulli_exp, exact.rounded_laplace):
        with pytest.raises(InvalidParameter, match=r"^size "):
            call(1, value)


def test_other_bad_shapes_and_bounds() -> None:
    for call, name in (
        (lambda: exact.permutation(-1), "n"),
        (lambda: exact.choice(3, 4), "k"),
        (lambda: exact.choice(3, -1), "k"),
        (lambda: exact.choice(2**70, 3), "n"),
        (lambda: exact.censored_discrete_laplace(1, -1), "bound"),
        (lambda: exact.truncated_discrete_laplace(1, 1.5), "bound"),  # type: ignore[call-overload]
        (lambda: exact.rounded_laplace(1, center=math.nan), "center"),
        (lambda: exact.rounded_laplace(1, center=[1.0, math.inf]), "center"),
        (lambda: exact.rounded_laplace(1, center=[1, "x"]), "center"),
        (lambda: exact.rounded_laplace(1, 3, center=[1.0, 2.0]), "size"),
        (lambda: exact.rounded_heavy_tail(1), "gamma"),
        (lambda: exact.rounded_laplace(Fraction(2) ** 1001), "scale"),
        (lambda: exact.discrete_laplace(Fraction(2) ** 1001), "scale"),
        (lambda: exact.discrete_gaussian(Fraction(2) ** 1001), "sigma"),
    ):
        with pytest.raises(InvalidParameter, match=rf"^{name} "):
            call()


@pytest.mark.parametrize(
    "center",
    [
        np.array([1234.5, math.inf]),
        "1234.5",
        ["1234.5", 1],
        {1234},
        Decimal("1.234e20000"),
        [1234, None],
        [[1234], [1, 2]],
    ],
    ids=repr,
)
def test_errors_about_centers_do_not_show_the_answer(center: Any) -> None:
    """The center is the exact answer: an error may not carry it."""
    with pytest.raises(InvalidParameter, match=r"^center ") as caught:
        exact.rounded_laplace(1, center=center)
    assert "234" not in str(caught.value)


def test_centers_are_never_rounded() -> None:
    """NumPy would make one float64 array of these lists and lose the last digit."""
    assert exact.rounded_laplace(1e-9, center=[2**60 + 1, 0.25]).tolist() == [2**60 + 1, 0]
    assert exact.rounded_laplace(1e-9, center=[2**63 + 1, -1]).tolist() == [2**63 + 1, -1]
    assert exact.rounded_laplace(1e-9, center=[Fraction(1, 3), 2], grid=Fraction(1, 3)).tolist() == [1, 6]
    for center in ([True, 2], [True, 2.5]):
        with pytest.raises(InvalidParameter, match="bool"):
            exact.rounded_laplace(1, center=center)


@pytest.mark.parametrize("sigma", [1e-310, Fraction(1, 10**400), 1e-300, 1e-200, 1e-160, 1e-20])
def test_tiny_scales_neither_hang_nor_warn(sigma: Any) -> None:
    assert exact.discrete_gaussian(sigma, 20).tolist() == [0] * 20
    assert exact.discrete_laplace(sigma, 20).tolist() == [0] * 20
    assert exact.discrete_gaussian(sigma) == exact.geometric(sigma) == 0
    assert exact.truncated_discrete_laplace(sigma, 5, 3).tolist() == [0] * 3


@pytest.mark.parametrize("word_bits", range(1, 65))
def test_words_at_the_ends_give_draws_inside_the_support(word_bits: int) -> None:
    for value in (0, 1, 2**word_bits - 1, 2 ** (word_bits - 1)):
        for scale in (Fraction(1, 10**30), 1e-9, 2):
            bits = EdgeBits(min(value, 2**word_bits - 1), word_bits)
            assert exact.geometric(scale, bits=bits) >= 0
            assert (exact.geometric(scale, 3, bits=bits) >= 0).all()
            exact.rounded_gumbel(scale, 2, bits=bits)


def test_extreme_grids_do_not_warn() -> None:
    assert exact.rounded_laplace(1, center=np.array([1e308]), grid=1e-10)[0] > 10**300
    assert exact.rounded_laplace(1, center=np.array([np.longdouble(1) * 3])).dtype == np.int64
    with pytest.raises(InvalidParameter, match="2\\*\\*-1000"):
        exact.rounded_laplace(Decimal("1e-2000"), center=0.5)


def test_what_no_array_could_hold_is_refused() -> None:
    for call in (
        lambda: exact.discrete_laplace(1, 10**30),
        lambda: exact.discrete_laplace(1, (0, 10**30)),
        lambda: exact.discrete_laplace(1, (1,) * 70),
        lambda: exact.integers(2**100, 10**30),
        lambda: exact.discrete_laplace(1, np.array([1, 2])),  # type: ignore[call-overload]
        lambda: exact.integers(np.array([1, 2])),  # type: ignore[call-overload]
        lambda: exact.permutation(10**30),
        lambda: exact.choice(2**63, 2**60),
        lambda: exact.discrete_laplace(np.timedelta64(5, "s")),  # type: ignore[call-overload]
    ):
        with pytest.raises(InvalidParameter):
            call()


def test_every_kind_of_number_means_the_rational_it_is() -> None:
    same = [0.5, np.float32(0.5), np.float16(0.5), Fraction(1, 2), Decimal("0.5")]
    assert {rational("x", value) for value in same} == {Fraction(1, 2)}
    assert rational("x", np.int8(-3)) == -3
    assert rational("x", 0.1) == Fraction(0.1) != Fraction(1, 10)
    for value in (0.5, np.float32(0.5), Decimal("0.5")):
        assert isinstance(exact.discrete_laplace(value), int)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12, 1e15])
def test_scales_from_a_millionth_to_a_thousand_million_million_work(scale: float) -> None:
    for draw in (
        exact.discrete_laplace, exact.discrete_gaussian, exact.geometric, exact.rounded_laplace,
        exact.rounded_gaussian, exact.rounded_gumbel, exact.rounded_exponential,
    ):  # fmt: skip
        sample = draw(scale, 200)
        assert sample.dtype == np.int64
        assert np.abs(sample).max() <= 200 * scale + 1
        assert np.abs(sample).max() >= scale / 3 or scale < 1
        assert isinstance(draw(scale), int)


@pytest.mark.parametrize("scale", [1e17, 2**70, Fraction(10) ** 250])
def test_draws_beyond_64_bits_are_python_integers(scale: Any) -> None:
    for draw in (
        exact.discrete_laplace, exact.discrete_gaussian, exact.geometric, exact.rounded_laplace,
        exact.rounded_heavy_tail,
    ):  # fmt: skip
        sample = draw(2, scale, 20) if draw is exact.rounded_heavy_tail else draw(scale, 20)
        assert all(isinstance(int(k), int) for k in sample)  # type: ignore[union-attr]
        assert max(abs(int(k)) for k in sample) > scale / 10  # type: ignore[union-attr]
    huge = exact.discrete_laplace(2**70, (2, 2))
    assert huge.dtype == np.object_
    assert huge.shape == (2, 2)
    assert type(huge[0, 0]) is int
    assert exact.integers(2**100, 3).dtype == np.object_
    assert exact.censored_discrete_laplace(2**70, 5, 4).tolist() == pytest.approx([0] * 4, abs=5)
    assert abs(exact.truncated_discrete_laplace(2**70, 2**80)) <= 2**80
    assert exact.truncated_discrete_laplace(2**70, 5, 3).dtype == np.int64


def test_centers_beyond_64_bits_are_kept() -> None:
    assert exact.rounded_laplace(1e-9, center=10**30) == 10**30
    assert exact.rounded_laplace(1e-9, center=[10**30, 1]).tolist() == [10**30, 1]
    assert exact.rounded_laplace(1e-9, center=np.array([1.5, -2.25]), grid=0.25).tolist() == [6, -9]


def test_shapes() -> None:
    assert exact.discrete_laplace(1, 0).shape == (0,)
    assert exact.discrete_gaussian(1, (2, 0, 3)).shape == (2, 0, 3)
    assert exact.bernoulli(0.5, (2, 2)).dtype == np.bool_
    assert exact.permutation(0).tolist() == []
    assert exact.choice(0, 0).tolist() == []
    assert exact.choice(10**15, 3).shape == (3,)
    assert isinstance(exact.bernoulli(0.5), bool)
    assert isinstance(exact.permute_and_flip([1.0, 2.0], 1, 1), int)


@pytest.mark.parametrize("word", [0, 2**64 - 1])
def test_a_source_that_repeats_itself_is_found_out_and_never_wraps(word: int) -> None:
    """All zeros would be noise of any size; nothing may loop for ever or come out wrong."""
    bits = ConstantBits(word)
    for draw in (exact.discrete_laplace, exact.geometric, exact.rounded_laplace, exact.rounded_gaussian):
        for size in (None, 2):
            try:
                drawn = draw(3, size, bits=bits)
            except BrokenRandomness:
                continue
            assert np.abs(drawn).max() < 1000


def test_nearest_is_total() -> None:
    assert nearest(Fraction(10) ** 400) == math.inf
    assert nearest(-(Fraction(10) ** 400)) == -math.inf
    assert nearest(Fraction(1, 10**400)) == 0


def test_errors_survive_a_trip_between_processes() -> None:
    import pickle

    original = InvalidParameter("scale", "must be positive", -1, hint="try 1")
    revived = pickle.loads(pickle.dumps(original))
    assert (str(revived), revived.name, revived.hint) == (str(original), "scale", "try 1")
    assert isinstance(revived, SfumatoError)
