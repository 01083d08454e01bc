"""Domains and neighbours: membership, clipping, and sensitivities that name their relation."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import (
    Categories,
    Change,
    Domain,
    Grid,
    IntegerInterval,
    Neighbours,
    Norm,
    Product,
    Sensitivity,
    Unit,
    histogram,
)
from sfumato.errors import InvalidParameter

ADD, REPLACE = Neighbours(), Neighbours(Change.REPLACE, Unit.PERSON)


def test_every_domain_is_a_domain() -> None:
    for domain in (
        IntegerInterval(0, 1),
        Grid(0, 1, 0.5),
        Categories(("a",)),
        Product((Categories(("a",)),)),
    ):
        assert isinstance(domain, Domain)


@given(st.integers(-5, 5), st.integers(0, 5), st.integers(-20, 20))
def test_clipping_lands_inside_and_leaves_members_alone(low: int, width: int, value: int) -> None:
    domain = IntegerInterval(low, low + width)
    assert domain.clip(value) in domain
    assert (domain.clip(value) == value) is (value in domain)
    assert len(domain) == len(list(domain)) == width + 1


@given(st.floats(-1e6, 1e6, allow_nan=False))
def test_grid_rounds_to_the_nearest_point_and_clips(value: float) -> None:
    grid = Grid(-100, 100, Fraction(1, 10))
    k = grid.place(value)
    assert grid.value(k) in grid
    if abs(value) <= 100:
        assert abs(grid.value(k) - Fraction(value)) <= Fraction(1, 20)
    else:
        assert abs(grid.value(k)) == 100


def test_domains_refuse_nonsense() -> None:
    for call in (
        lambda: IntegerInterval(2, 1),
        lambda: Grid(2, 1, 1),
        lambda: Grid(0, 1, 0),
        lambda: Categories(("a", "a")),
        lambda: Sensitivity(Norm.L1, Fraction(-1), ADD),
        lambda: Sensitivity(Norm.L1, float("nan"), ADD),  # type: ignore[arg-type]
        lambda: IntegerInterval("a", "b"),  # type: ignore[arg-type]
        lambda: IntegerInterval(float("nan"), 1),  # type: ignore[arg-type]
        lambda: Categories(([1],)),  # type: ignore[arg-type]
        lambda: histogram([[1]], IntegerInterval(0, 1)),  # type: ignore[list-item]
    ):
        with pytest.raises(InvalidParameter):
            call()
    assert True not in IntegerInterval(0, 1)
    assert Fraction(1, 3) not in Grid(0, 1, 0.5)
    people = Product((Categories(("f", "m")), IntegerInterval(0, 120)))
    assert ("f", 30) in people
    assert ("f", 130) not in people
    assert ("f",) not in people
    assert len(people) == 242


def test_a_histogram_refuses_a_stray_value_without_showing_it() -> None:
    assert histogram(["a", "b", "a"], Categories(("a", "b"))) == {"a": 2, "b": 1}
    for domain in (Categories(("a",)), Grid(0, 1, 1), IntegerInterval(0, 3)):
        with pytest.raises(InvalidParameter) as caught:
            histogram(["secret"], domain)
        assert "secret" not in str(caught.value)
    with pytest.raises(InvalidParameter) as caught:
        Grid(0, 1, 1).place("secret")
    assert "secret" not in str(caught.value)
    assert histogram(np.array([1, 1, 3]), IntegerInterval(0, 3)) == {1: 2, 3: 1}
    assert Sensitivity(Norm.L1, 1.5, ADD).value == 1.5  # type: ignore[arg-type]


def test_histogram_sensitivity_depends_on_the_relation() -> None:
    """Errata C1: 1 and 1 when a row comes or goes, 2 and √2 when it is replaced."""
    assert [ADD.histogram(norm).value for norm in Norm] == [1, 1, 1]
    assert REPLACE.histogram(Norm.L1).value == 2
    assert REPLACE.histogram(Norm.L2).amount == 2
    assert REPLACE.histogram(Norm.L2).value == pytest.approx(2**0.5)
    assert REPLACE.histogram(Norm.LINF).value == 1
    assert "replace one person" in str(REPLACE.histogram(Norm.L2).neighbours)


def test_distance_counts_steps() -> None:
    assert ADD.distance({"a": 1}, {}) == 1
    assert REPLACE.distance({"a": 1}, {}) is None
    assert REPLACE.distance({"a": 2, "b": 1}, {"a": 1, "b": 2}) == 1


@given(
    st.lists(st.one_of(st.floats(-5, 5), st.integers(-5, 5), st.fractions(-5, 5, max_denominator=40)), max_size=6),
    st.one_of(st.floats(-5, 5), st.integers(-5, 5), st.fractions(-5, 5, max_denominator=40)),
    st.sampled_from([0.1, 0.2, 0.05, 0.01, 0.08, 1, Fraction(1, 3), 0.25]),
)
def test_where_a_value_is_placed_depends_on_that_value_alone(values: list[Any], other: Any, grid: Any) -> None:
    """One person's number must not move anybody else's, whatever kind of number it is."""
    domain = Grid(-3, 3, grid)
    alone = [int(domain.places([value])[0]) for value in values]
    assert domain.places([*values, other])[:-1].tolist() == alone
    assert [domain.place(value) for value in values] == alone


@pytest.mark.parametrize("grid", [0.1, 0.2, 0.05, 0.01, 0.08])
def test_half_steps_are_placed_alike_in_every_company(grid: float) -> None:
    domain = Grid(-5, 5, grid)
    halves = [(k + 0.5) * grid for k in range(-50, 50)]
    floats = domain.places(halves).tolist()
    for company in (1, np.float64(1), Fraction(1, 3), 2**70, Decimal("0.5")):
        assert domain.places([*halves, company])[:-1].tolist() == floats
    assert domain.places(np.array(halves)).tolist() == floats
    assert floats == [domain.place(half) for half in halves]


def test_large_whole_numbers_are_placed_alike_in_every_company() -> None:
    """Beyond 2**53 a float is not the number, and near a midpoint it would be placed elsewhere."""
    domain = Grid(-(2**70), 2**70, 2**40)
    values = [2**60 + 2**39 - 1, 2**60 + 2**39, -(2**62) - 2**39 - 1, 2**53 + 1]
    alone = [domain.place(value) for value in values]
    assert domain.places(values).tolist() == alone
    assert domain.places(np.array(values)).tolist() == alone
    for company in (0.5, 2**80, Fraction(1, 3)):
        assert domain.places([*values, company])[:-1].tolist() == alone
    assert domain.places(np.array([2**64 - 1], dtype=np.uint64)).tolist() == [domain.place(2**64 - 1)]
