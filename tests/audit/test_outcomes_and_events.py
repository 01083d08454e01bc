"""Outputs of every kind are read, and the event that tells them apart is found and said."""

import json
import math
from typing import Any

import numpy as np
import pytest

from sfumato.audit.learn import learn
from sfumato.audit.outcomes import Kind, Raised, encode, joined
from sfumato.audit.statistics import lowest_bit
from sfumato.audit.views import Bins, Outputs, views


def told_apart(left: list[Any], right: list[Any]) -> tuple[float, str]:
    (found,) = learn(encode(left), encode(right), delta=0.0, confidence=0.999)
    event = found.event
    more, less = (left, right) if found.first else (right, left)
    assert event.count(encode(more)) >= event.count(encode(less))
    return found.promise(delta=0.0, confidence=0.999), str(event)


@pytest.mark.parametrize(
    ("left", "right", "word"),
    [
        ([0.5] * 400, [1.5] * 400, "output"),
        ([True] * 400, [False] * 400, "output"),
        ([None] * 400, [3.0] * 400, "output"),
        (["yes"] * 400, ["no"] * 400, "output"),
        ([[1, 2]] * 400, [[1]] * 400, "output"),
        ([{"a": 1}] * 400, [{"a": 1, "b": 2}] * 400, "output"),
        ([Raised("ValueError", "7 is bad")] * 400, [1.0] * 400, "output"),
        ([Raised("ValueError", "7 is bad")] * 400, [Raised("ValueError", "8 is bad")] * 400, "error"),
        ([math.nan] * 400, [1.0] * 400, "output"),
        ([json.dumps({"x": 1.5})] * 400, [json.dumps({"x": 1.25})] * 400, "output"),
        ([b"1.5"] * 400, [b"1.50"] * 400, "output"),
        ([10**400] * 400, [-(10**400)] * 400, "output"),
    ],
)
def test_outputs_that_always_differ_are_told_apart(left: list[Any], right: list[Any], word: str) -> None:
    promise, said = told_apart(left, right)
    assert promise > 3
    assert word in said


def test_equal_outputs_promise_nothing() -> None:
    rng = np.random.default_rng(1)
    for left, right in (
        (rng.laplace(size=4000), rng.laplace(size=4000)),
        (rng.integers(0, 50, 4000), rng.integers(0, 50, 4000)),
        (rng.integers(0, 2, (4000, 6)), rng.integers(0, 2, (4000, 6))),
    ):
        found = learn(encode(left), encode(right), delta=0.0, confidence=0.999)
        assert not found or found[0].promise(delta=0.0, confidence=0.999) < 0.05


def test_rare_outputs_that_fit_one_half_do_not_win() -> None:
    """Without a second half any collection of rare outputs would promise a large ε; a shift must be found instead."""
    rng = np.random.default_rng(2)
    left, right = rng.laplace(size=8000), 1 + rng.laplace(size=8000)
    rounded = np.round(left, 4), np.round(right, 4)
    (found,) = learn(encode(rounded[0]), encode(rounded[1]), delta=0.0, confidence=0.99)
    assert isinstance(found.event.view, Bins)
    assert 0.6 < found.promise(delta=0.0, confidence=0.99) < 1


def test_a_value_beside_what_came_before_it_is_an_event() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for side in (0, 1):
        first, value = rng.integers(0, 2, 6000), rng.normal(size=6000)
        together = np.where(first == side, np.abs(value), -np.abs(value))
        rows.append([[None if f else 0.5, float(v)] for f, v in zip(first, together, strict=True)])
    promise, said = told_apart(*rows)
    assert promise > 3
    assert "and" in said


def test_a_sum_that_no_coordinate_shows_is_found() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(6000, 2))
    left = np.column_stack([noise[:, 0], -noise[:, 0]]) + 0.05
    right = np.column_stack([noise[:, 1], -noise[:, 1]]) - 0.05
    promise, said = told_apart(list(map(list, left)), list(map(list, right)))
    assert promise > 3
    assert "sum" in said or "score" in said


def test_the_lowest_bit_is_that_of_the_exact_number() -> None:
    for value in (1.0, -6.0, 0.375, 0.1, 2.0**-1040, 3 * 2.0**60):
        numerator, denominator = value.as_integer_ratio()
        exponent = (abs(numerator) & -abs(numerator)).bit_length() - denominator.bit_length()
        assert lowest_bit(np.array([value]))[0] == exponent
    assert np.isnan(lowest_bit(np.array([0.0, math.inf, math.nan]))).all()


def test_unseen_outputs_are_in_no_cell_and_parts_join() -> None:
    seen = encode(["a", "b", "a", "b"])
    view = Outputs.of(seen, shapes=False)
    assert view is not None
    assert view.codes(encode(["a", "c"])).tolist()[1] == -1
    both = joined(encode([1.0, 2.0]), encode(["x"]))
    assert both.count == 3
    assert both.column(()).kinds.tolist() == [Kind.NUMBER, Kind.NUMBER, Kind.ABSENT]
    assert views(encode([1, 2, 3] * 10), encode([1, 2, 3] * 10))
