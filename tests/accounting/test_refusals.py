"""Bad input and overflowing intermediates: an error or ε = ∞, never a smaller number."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.accounting import events as e
from sfumato.accounting import from_json, total
from sfumato.accounting.serial import REGISTRY
from sfumato.errors import InvalidParameter

BAD = [math.nan, math.inf, -1, "a tenth", None, True, 1j, [1]]


@pytest.mark.parametrize("bad", BAD, ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        e.Pure, e.Laplace, e.Gaussian, e.DiscreteGaussian, e.Geometric, e.ZCDP, e.Exponential, e.RandomizedResponse,
        e.PermuteAndFlip, e.NoisyMax, e.AboveThreshold,
        lambda v: e.Approximate(0.1, v), lambda v: e.Renyi(2, v), lambda v: e.Renyi(-1 if v == math.inf else v, 1),
        lambda v: e.Subsampled(v, e.Gaussian(1)), lambda v: e.Group(v, e.Pure(1)), lambda v: e.Gaussian(1, v),
        lambda v: e.CensoredGeometric(1, v), lambda v: e.Thresholded(e.Pure(1), v), lambda v: e.Composition([(e.Pure(1), v)]),
        lambda v: e.Converted(e.Gaussian(1), v), lambda v: e.Converted(v, 0.1), e.Converted.aim,
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_by_name(make: Any, bad: Any) -> None:
    with pytest.raises(InvalidParameter) as caught:
        make(bad)
    assert " " in str(caught.value)


@pytest.mark.parametrize("bad", [*BAD, 1.5])
def test_bad_deltas_are_refused(bad: Any) -> None:
    if bad is None or bad == -1 or not isinstance(bad, float) or math.isnan(bad) or bad > 1:
        with pytest.raises(InvalidParameter, match="delta"):
            total([e.Pure(1)]).epsilon(bad)


@pytest.mark.parametrize("bad", [math.nan, -1, True, "one", None])
def test_bad_epsilons_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidParameter, match="epsilon"):
        total([e.Pure(1)]).delta(bad)


def test_what_has_no_price_is_infinite_and_not_zero() -> None:
    assert total([e.Gaussian(1)]).epsilon(0) == math.inf
    assert total([e.Approximate(1, 1e-3)]).epsilon(1e-6) == math.inf
    assert total([(e.Approximate(0.01, 1e-7), 100)]).epsilon(1e-6) == math.inf
    assert total([e.ZCDP(1)]).epsilon(0) == math.inf
    assert total([]).epsilon(0) == 0
    assert total([(e.Laplace(1), 0)]).epsilon(0) == 0
    assert total([e.Pure(1)]).epsilon(1) == 0


@pytest.mark.parametrize(
    "event",
    [e.Gaussian(1e-8), e.Gaussian(1e8), e.Laplace(1e-9), e.Laplace(700), e.Pure(1e6), e.ZCDP(1e9), e.DiscreteGaussian(1e-3),
     e.DiscreteGaussian(1e7), e.RandomizedResponse(800), e.Exponential(1e5), e.Subsampled(1e-9, e.Gaussian(0.3)),
     e.Geometric(600, 2)],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("n", [1, 1000])
def test_extreme_parameters_never_come_out_smaller(event: e.Event, n: int) -> None:
    """Against the crudest bounds that hold: pure is a ceiling, the Rényi curve is a ceiling, nothing is NaN."""
    loss = total([(event, n)])
    found = loss.epsilon(1e-6)
    assert not math.isnan(found)
    assert found >= 0
    if event.pure() is not None:
        assert found <= float(n * event.pure()) * (1 + 1e-12)  # type: ignore[operator]
    assert found >= loss.lower_epsilon(1e-6) * (1 - 1e-9)
    one = total([event]).epsilon(1e-6)
    assert found >= one * (1 - 2e-3) - 1e-9


def test_known_extremes() -> None:
    assert total([e.Pure(1e6)]).epsilon(1e-6) == pytest.approx(1e6)
    assert total([e.RandomizedResponse(800)]).epsilon(1e-6) == pytest.approx(800, rel=1e-6)
    assert total([e.Laplace(700)]).epsilon(1e-6) == pytest.approx(700, rel=1e-6)
    assert total([e.Gaussian(1e-8)]).epsilon(1e-6) > 1e15


@pytest.mark.parametrize(
    "data",
    [
        None, 3, "laplace", [], {}, {"kind": 3}, {"kind": "telepathy"}, {"kind": "laplace"},
        {"kind": "laplace", "epsilon": "0.1"}, {"kind": "laplace", "epsilon": "1/0"}, {"kind": "laplace", "epsilon": math.nan},
        {"kind": "laplace", "epsilon": -1}, {"kind": "laplace", "epsilon": True}, {"kind": "laplace", "epsilon": None},
        {"kind": "laplace", "epsilon": "1", "sigma": 2}, {"kind": "laplace", "epsilon": " 1"}, {"kind": "laplace", "epsilon": "1_0"},
        {"kind": "gaussian", "sigma": "0"}, {"kind": "parallel", "parts": []}, {"kind": "parallel", "parts": "x"},
        {"kind": "parallel", "parts": [3]}, {"kind": "composition", "parts": [[1, 2]]}, {"kind": "composition", "parts": [3]},
        {"kind": "composition", "parts": [[{"kind": "pure", "epsilon": "1"}, -1]]}, {"kind": "group", "k": 0, "inner": {"kind": "pure", "epsilon": "1"}},
        {"kind": "group", "k": 2}, {"kind": "subsampled", "rate": "2", "event_": {}}, {"kind": "laplace", "epsilon": {"kind": "pure", "epsilon": "1"}},
        {"kind": "converted", "inner": "1", "delta": "1/9"}, {"kind": "converted", "inner": {"kind": "pure", "epsilon": "1"}, "delta": "0"},
        {"kind": "converted", "inner": {"kind": "pure", "epsilon": "1"}, "delta": "1"}, {"kind": "converted", "delta": "1/9"},
    ],
    ids=repr,
)  # fmt: skip
def test_bad_json_is_refused(data: Any) -> None:
    with pytest.raises(InvalidParameter):
        from_json(data)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5),
                    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["kind", "epsilon", "parts"]), x)))  # fmt: skip
def test_arbitrary_json_never_becomes_an_event_by_accident(data: Any) -> None:
    try:
        event = from_json(data)
    except InvalidParameter:
        return
    assert event.tag in REGISTRY


def test_every_event_class_is_registered() -> None:
    named = {getattr(e, name) for name in e.__all__ if isinstance(getattr(e, name), type)} - {e.Event}
    assert set(REGISTRY.values()) == named
    assert len(REGISTRY) == len({kind.tag for kind in named})
