"""Outputs of every kind are read, and the event that tells them apart is found and said."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.audit.atoms import Outputs, views
from sfumato.audit.certify import Ahead
from sfumato.audit.edges import edges
from sfumato.audit.encoding import encode
from sfumato.audit.learn import learn
from sfumato.audit.outcomes import Aspect, OutputKind, Raised, joined
from sfumato.audit.statistics import last_bits, lowest_bit, place_words
from sfumato.audit.views import Bins

AHEAD = Ahead(4000, 1.0, 0.0, 0.999)


def told_apart(left: list[Any], right: list[Any]) -> tuple[float, str]:
    found = learn(encode(left), encode(right), AHEAD).events[0]
    event = found.event
    more, less = (left, right) if found.first else (right, left)
    assert event.count(encode(more)) >= event.count(encode(less))
    return found.promise(AHEAD), str(event)


@pytest.mark.parametrize(
    ("left", "right", "word"),
    [
        ([0.5] * 400, [1.5] * 400, "output"),
        ([True] * 400, [False] * 400, "output"),
        ([None] * 400, [3.0] * 400, "output"),
        (["yes"] * 400, ["no"] * 400, "output"),
        ([[1, 2]] * 400, [[1]] * 400, "output"),
        ([{"a": 1}] * 400, [{"a": 1, "b": 2}] * 400, "output"),
        ([Raised("ValueError", "7 is bad")] * 400, [1.0] * 400, "error"),
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
        found = learn(encode(left), encode(right), AHEAD).events
        assert not found or found[0].promise(AHEAD) < 0.1


def test_rare_outputs_that_fit_one_half_do_not_win() -> None:
    """Without a second half any collection of rare outputs would promise a large ε; a shift must be found instead."""
    rng = np.random.default_rng(2)
    left, right = rng.laplace(size=8000), 1 + rng.laplace(size=8000)
    rounded = np.round(left, 4), np.round(right, 4)
    found = learn(encode(rounded[0]), encode(rounded[1]), AHEAD).events[0]
    assert isinstance(found.event.view, Bins)
    assert 0.6 < found.promise(AHEAD) < 1


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


def test_unseen_outputs_are_one_event_together_and_parts_join() -> None:
    seen = encode(["a", "b", "a", "b"])
    view = Outputs.of(seen, seen, shapes=False)
    assert view is not None
    assert view.codes(encode(["a", "c", "d"])).tolist()[1:] == [2, 2]
    assert view.words(np.array([False, False, True])).startswith("not (")
    assert view.words(np.array([True, True, True])) == "any output"
    both = joined(encode([1.0, 2.0]), encode(["x"]))
    assert both.count == 3
    assert both.column(()).kinds.tolist() == [OutputKind.NUMBER, OutputKind.NUMBER, OutputKind.ABSENT]
    assert views(encode([1, 2, 3] * 10), encode([1, 2, 3] * 10))


def test_what_is_read_beside_an_output_is_no_key_of_it() -> None:
    """A key named `length` or `text` has a column of its own, whatever else is read off the mapping."""
    found = encode([{"length": 7.0, "text": "x"}] * 2)
    assert found.column(("length",)).values.tolist() == [7.0, 7.0]
    assert found.column((Aspect.LENGTH,)).values.tolist() == [2.0, 2.0]
    assert place_words(("length",)) == "output['length']"
    assert place_words((Aspect.LENGTH,)) == "length of output"


def test_every_kind_of_output_is_read_and_told_apart_from_its_like() -> None:
    pairs: list[tuple[Any, Any]] = [
        (3, 3.0),
        (2**60, 2**60 + 1),
        (Fraction(1, 3), Fraction(10**20 + 1, 3 * 10**20)),
        (Decimal("1.5"), Decimal("1.50")),
        (Decimal("NaN"), Decimal("1")),
        (complex(1, 2), complex(1, 3)),
        ({1, 2}, {1, 3}),
        (frozenset(), {1}),
        ("row 17!", "row 18?"),
        (True, 1),
        (list(range(200)), [*range(199), 7]),
        ({"a": 1}, {"a": 1, "b": 1}),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (b"a", b"b"),
        (slice(1), slice(2)),
    ]
    for one, other in pairs:
        promise, _ = told_apart([one] * 200, [other] * 200)
        assert promise > 2, (one, other)
    large = np.full(400, 2**60)
    promise, said = told_apart(large, large + 1)  # type: ignore[arg-type]
    assert promise > 2
    assert "last bits" in said


def test_keys_that_never_repeat_do_not_make_a_column_each() -> None:
    found = encode([{"a": 1.0, f"k{row}": 2.0} for row in range(2000)])
    assert len(found.columns) < 300
    assert found.column(("a",)).values.tolist() == [1.0] * 2000
    assert found.column((Aspect.FURTHER,)).values.sum() == pytest.approx(2000, abs=300)


# ---- cells in the tails ------------------------------------------------------------------------------------


def test_cells_end_at_the_extreme_order_statistics_of_both_sides() -> None:
    rng = np.random.default_rng(6)
    left, right = rng.laplace(size=20_000), rng.laplace(size=20_000) + 1
    found = edges(left, right, 128)
    for side in (np.sort(left), np.sort(right)):
        assert {side[0], side[-1], side[1], side[-2]} <= set(found.tolist())
    inner = (found > np.quantile(left, 0.01)) & (found < np.quantile(right, 0.99))
    assert inner.sum() < 0.9 * len(found) < 600
    assert np.all(np.diff(found) > 0)


def test_an_interval_where_one_side_is_alone_has_edges_of_its_own() -> None:
    """In the middle of the bulk, far narrower than any quantile cell; quantiles alone would not cut there."""
    rng = np.random.default_rng(7)
    left, right = rng.laplace(size=40_000), rng.laplace(size=40_000)
    left[:80] = 0.25 + rng.random(80) / 10**5
    found = edges(left, right, 128)
    inside = (found >= 0.2499) & (found <= 0.2502)
    assert inside.sum() >= 2
    quantiles = np.quantile(np.concatenate([left, right]), np.linspace(0, 1, 129))
    assert ((quantiles >= 0.2499) & (quantiles <= 0.2502)).sum() < 2


@pytest.mark.parametrize("sides", [([], [1.0, 2.0]), ([1.0] * 5, [1.0] * 5), ([math.inf, -math.inf, 0.0], [0.0])])
def test_edges_of_few_or_no_numbers_are_the_numbers(sides: tuple[list[float], list[float]]) -> None:
    left, right = (np.array(side, dtype=np.float64) for side in sides)
    assert edges(left, right, 4).tolist() == sorted({*left.tolist(), *right.tolist()})


def test_rare_events_are_compared_with_rare_ones_only() -> None:
    """One in 400 draws on one side alone, beside a bulk that shows ε = 1: each is the best of its decade."""
    rng = np.random.default_rng(8)
    left, right = rng.laplace(size=40_000), 1 + rng.laplace(size=40_000)
    right[:100] = 1000.0
    rng.shuffle(right)
    ahead = Ahead(400_000, 1.0, 0.0, 0.999)
    events = learn(encode(left), encode(right), ahead).events
    assert {event.decade for event in events} >= {0, 2}
    rare = next(event for event in events if event.decade == 2)
    assert rare.promise(ahead) > 1
    assert rare.event.count(encode(right)) >= 95
    assert rare.event.count(encode(left)) <= 5


def test_the_last_bits_of_floats_are_not_values_and_those_of_a_lattice_are() -> None:
    rng = np.random.default_rng(9)
    floats = encode(np.concatenate([rng.laplace(size=5000), 1 + rng.laplace(size=5000)]))
    assert last_bits((), floats) is None  # float arithmetic alone: --leaks looks at that
    round_ones = np.concatenate([rng.laplace(size=5000), np.arange(5.0) + 1])
    odd = last_bits((), encode(round_ones))
    assert odd is not None  # a whole number among floats is a value
    placed = encode(np.round(rng.laplace(size=5000) * 2**16) / 2**16)
    assert last_bits((), placed) is not None
    assert last_bits((), encode(np.zeros(100))) is None
