"""What an auditor reads off outputs, by hand: columns, statistics, cells, and the words for them."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.audit.atoms import Crossed, Outputs, views
from sfumato.audit.edges import _excess, _gaps, _intervals, edges, spaced
from sfumato.audit.encoding import encode, pattern
from sfumato.audit.outcomes import Aspect, Outcomes, OutputKind, Path, Raised, joined
from sfumato.audit.statistics import Statistic, coordinate, linear, lowest_bit, negative_zero, place_words, summaries
from sfumato.audit.views import Anything, Bins, OutputEvent, either

# ---- columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "kind", "value"),
    [
        (None, OutputKind.NOTHING, 0.0),
        (math.nan, OutputKind.NOTHING, 1.0),  # no number, and not the same as nothing
        (True, OutputKind.TRUTH, 1.0),
        (False, OutputKind.TRUTH, 0.0),
        (3, OutputKind.WHOLE, 3.0),
        (np.int32(3), OutputKind.WHOLE, 3.0),
        (3.5, OutputKind.NUMBER, 3.5),
        (Fraction(7, 2), OutputKind.NUMBER, 3.5),
        (Decimal("3.5"), OutputKind.NUMBER, 3.5),
        (10**400, OutputKind.WHOLE, math.inf),
        (-(10**400), OutputKind.WHOLE, -math.inf),
    ],
)
def test_a_thing_has_a_kind_and_a_number(output: Any, kind: OutputKind, value: float) -> None:
    column = encode([output]).column(())
    assert column.kinds.tolist() == [kind]
    assert column.values.tolist() == [value]


def test_a_place_that_no_output_has_is_absent_everywhere() -> None:
    column = encode([1, 2]).column(("nowhere",))
    assert column.kinds.tolist() == [OutputKind.ABSENT] * 2
    assert not column.numeric.any()
    assert not column.ordered.any()


def test_truths_have_an_order_and_are_no_numbers() -> None:
    column = encode([True, 1, 1.5, "x", None]).column(())
    assert column.numeric.tolist() == [False, True, True, False, False]
    assert column.ordered.tolist() == [True, True, True, False, False]


def test_things_within_things_have_their_paths() -> None:
    found = encode([{"a": [1, {"b": "x"}]}, {"a": [2]}])
    assert found.column(("a", 0)).values.tolist() == [1.0, 2.0]
    assert found.column(("a", Aspect.LENGTH)).values.tolist() == [2.0, 1.0]
    inner = found.column(("a", 1, "b", Aspect.TEXT))
    assert inner.kinds.tolist() == [OutputKind.LABEL, OutputKind.ABSENT]
    assert found.names[inner.values[0]] == "x"


def test_a_text_is_read_as_itself_by_length_by_pattern_and_by_what_it_says() -> None:
    found = encode(['{"n": 41}', '{"n": 7}', "nothing"])
    assert found.column((Aspect.CHARACTERS,)).values.tolist() == [9.0, 8.0, 7.0]
    assert found.column(("n",)).values.tolist()[:2] == [41.0, 7.0]
    patterns = found.column((Aspect.PATTERN,)).values
    assert patterns[0] == patterns[1] != patterns[2]
    assert len(set(found.column((Aspect.TEXT,)).values.tolist())) == 3


@pytest.mark.parametrize("text", ["{", "[1, ", '"quoted"', "word", "", "1e", "[" * 100_000])
def test_a_text_that_is_no_json_says_nothing_more(text: str) -> None:
    assert set(encode([text]).columns) == {
        (Aspect.TEXT,), (Aspect.CHARACTERS,), (Aspect.PATTERN,), (Aspect.FORM,),
    }  # fmt: skip


def test_an_error_is_its_kind_and_text_and_pattern_and_never_a_value() -> None:
    found = encode([Raised("ValueError", "row 7"), Raised("ValueError", "row 8"), Raised("KeyError", "row 7")])
    texts = found.column((Aspect.RAISED,)).values
    patterns = found.column((Aspect.RAISED, Aspect.PATTERN)).values
    assert len(set(texts.tolist())) == 3
    assert patterns[0] == patterns[1] != patterns[2]
    assert () not in found.columns


def test_an_array_is_read_as_its_rows_and_agrees_with_the_same_as_lists() -> None:
    array = np.array([[1.5, math.nan], [2.5, 4.0]])
    fast, slow = encode(array), encode([row.tolist() for row in array])
    for place in ((0,), (1,)):
        assert fast.column(place).kinds.tolist() == slow.column(place).kinds.tolist()
        assert fast.column(place).values.tolist() == slow.column(place).values.tolist()
    assert encode(np.array([True, False])).column(()).kinds.tolist() == [OutputKind.TRUTH] * 2


def test_whole_numbers_beyond_floats_keep_their_last_bits() -> None:
    large = [2**60 + 5, 2**60 + 6]
    for found in (encode(large), encode(np.array(large))):
        assert found.column((Aspect.LAST_BITS,)).values.tolist() == [5.0, 6.0]
    assert (Aspect.LAST_BITS,) not in encode([2**53, 1]).columns


def test_what_comes_after_many_places_is_one_label() -> None:
    found = encode([list(range(130)), list(range(128))])
    assert found.column((127,)).values.tolist() == [127.0, 127.0]
    assert (128,) not in found.columns
    assert found.column((Aspect.REST,)).kinds.tolist() == [OutputKind.LABEL, OutputKind.ABSENT]


def test_sets_are_equal_in_any_order() -> None:
    found = encode([{1, 2, 3}, {3, 2, 1}, frozenset({1, 2})])
    values = found.column(()).values
    assert values[0] == values[1] != values[2]


def test_parts_and_their_join_are_the_whole() -> None:
    whole = encode([1, "a", None, 2.5])
    again = joined(whole.part(0, 2), whole.part(2, 4))
    assert again.count == 4
    for path, column in whole.columns.items():
        assert again.column(path).kinds.tolist() == column.kinds.tolist()
        assert again.column(path).values.tolist() == column.values.tolist()


@pytest.mark.parametrize(
    ("text", "said"), [("", ""), ("17 of 20", "0 of 0"), ("a1b22c333", "a0b0c0"), ("-0.5", "-0.0")]
)
def test_a_pattern_has_one_zero_for_each_run_of_digits(text: str, said: str) -> None:
    assert pattern(text) == said


# ---- statistics --------------------------------------------------------------------------------------------------

TABLE = [[3.0, 1.0, 2.0], [0.0, 5.0, 5.0], [-1.0, -2.0, -4.0]]
READ = {
    "sum of the output": [6.0, 10.0, -7.0],
    "largest of the output": [3.0, 5.0, -1.0],
    "smallest of the output": [1.0, 0.0, -4.0],
    "range of the output": [2.0, 5.0, 3.0],
    "place of the largest": [0.0, 1.0, 0.0],
    "place of the smallest": [1.0, 0.0, 2.0],
    "smallest gap between places": [1.0, 0.0, 1.0],
    "number of places below the one before": [1.0, 0.0, 2.0],
    "first number of the output": [3.0, 0.0, -1.0],
    "last number of the output": [2.0, 5.0, -4.0],
    "output[0]": [3.0, 0.0, -1.0],
}


@pytest.mark.parametrize("name", READ)
def test_a_statistic_is_what_it_is_called(name: str) -> None:
    outcomes = encode(TABLE)
    found = {statistic.words: statistic for statistic in summaries(outcomes, outcomes)}
    assert found[name].of(outcomes).tolist() == READ[name]


def test_statistics_pass_over_what_is_missing() -> None:
    outcomes = encode([[1.0, None, 3.0], [None, None, None], [2.0]])
    found = {statistic.words: statistic.of(outcomes) for statistic in summaries(outcomes, outcomes)}
    assert found["sum of the output"][[0, 2]].tolist() == [4.0, 2.0]
    assert math.isnan(found["sum of the output"][1])
    assert found["last number of the output"][[0, 2]].tolist() == [3.0, 2.0]
    assert found["smallest gap between places"][2] == math.inf


def test_one_number_has_no_statistics_of_many() -> None:
    outcomes = encode([1.0, 2.0])
    assert [s.words for s in summaries(outcomes, outcomes)][:1] == ["output"]
    assert not any("sum" in statistic.words for statistic in summaries(outcomes, outcomes))


@pytest.mark.parametrize(
    ("value", "exponent"), [(1.0, 0), (-1.0, 0), (12.0, 2), (0.75, -2), (2.0**-1074, -1074), (1 + 2.0**-52, -52)]
)
def test_the_lowest_set_bit(value: float, exponent: int) -> None:
    assert lowest_bit(np.array([value])).tolist() == [exponent]
    assert Fraction(value) % Fraction(2) ** exponent == 0
    assert Fraction(value) % Fraction(2) ** (exponent + 1) != 0


@pytest.mark.parametrize("value", [0.0, -0.0, math.inf, -math.inf, math.nan])
def test_what_has_no_bits_has_no_lowest_one(value: float) -> None:
    assert math.isnan(lowest_bit(np.array([value]))[0])


def test_a_zero_with_a_minus_sign_is_told_from_one_without() -> None:
    outcomes = encode([0.0, -0.0, 1.0])
    read = negative_zero(()).of(outcomes)
    assert read[:2].tolist() == [0.0, 1.0]
    assert math.isnan(read[2])


def test_the_best_weights_point_from_one_side_to_the_other() -> None:
    """Only the second place differs; the score must follow it and no other."""
    rng = np.random.default_rng(3)
    left, right = rng.normal(size=(2000, 3)), rng.normal(size=(2000, 3))
    left[:, 1] += 2
    score = linear(((0,), (1,), (2,)), encode(left), encode(right))
    probe = encode(np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, -5.0, 0.0]]))
    base, first, up, down = score.of(probe).tolist()
    assert up > base + 1 > base - 1 > down
    assert abs(first - base) < 0.5


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((), "output"),
        ((0,), "output[0]"),
        (("a", 1), "output['a'][1]"),
        ((Aspect.CHARACTERS,), "characters of output"),
        ((Aspect.RAISED, Aspect.PATTERN), "pattern of error"),
    ],
)
def test_a_place_is_said_as_a_person_would(path: Path, words: str) -> None:
    assert place_words(path) == words


# ---- edges -------------------------------------------------------------------------------------------------------


def test_few_values_are_edges_all() -> None:
    assert edges(np.array([3.0, 1.0, 3.0]), np.array([2.0]), 8).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("most", [1, 2, 3, 10, 100])
def test_steps_inwards_grow_by_half_and_end_in_time(most: int) -> None:
    steps = spaced(most).tolist()
    assert steps[0] == 1
    assert steps == sorted(set(steps))
    assert steps[-1] <= most
    assert all(b <= max(a + 1, a * 1.5) for a, b in itertools.pairwise(steps))


def test_an_excess_is_found_from_both_ends_and_for_both_sides() -> None:
    found = set(_excess(np.array([0, 1, 1, 0, 0, -2])).tolist())
    assert {1, 2, 5} <= found


def test_the_interval_of_largest_surplus_is_the_one() -> None:
    more, less = np.array([1, 1, 9, 9, 1, 1]), np.array([1, 1, 1, 1, 1, 1])
    found = [places.tolist() for places in _intervals(more, less)]
    assert [1, 3] in found  # it begins after the second place and ends with the fourth


def test_gaps_are_halved_and_infinite_ones_left_alone() -> None:
    distinct = np.array([-math.inf, 0.0, 4.0, math.inf])
    assert _gaps(distinct, np.array([0.0, 4.0])).tolist() == [2.0]


# ---- cells -------------------------------------------------------------------------------------------------------


def number() -> Statistic:
    return coordinate(())


def test_cells_hold_their_upper_end_and_what_is_no_number_has_its_own() -> None:
    bins = Bins(number(), np.array([0.0, 1.0]))
    assert bins.cells == 4
    assert bins.codes(encode([-1.0, 0.0, 0.5, 1.0, 2.0, None])).tolist() == [0, 0, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ([1, 0, 0, 0], "output ≤ 0"),
        ([0, 1, 0, 0], "0 < output ≤ 1"),
        ([0, 0, 1, 0], "output > 1"),
        ([1, 1, 0, 0], "output ≤ 1"),
        ([0, 1, 1, 0], "output > 0"),
        ([1, 0, 1, 0], "output ≤ 0 or output > 1"),
        ([1, 1, 1, 0], "output is a number"),
        ([0, 0, 0, 1], "output is no number"),
        ([0, 0, 0, 0], "nothing"),
    ],
)
def test_a_union_of_cells_is_said_as_intervals(chosen: list[int], words: str) -> None:
    mask = np.array(chosen, dtype=np.bool_)
    assert Bins(number(), np.array([0.0, 1.0])).words(mask) == words


def test_an_event_counts_the_outputs_in_its_cells() -> None:
    event = OutputEvent(Bins(number(), np.array([0.0, 1.0])), np.array([True, False, False, True]))
    assert event.count(encode([-5.0, 0.5, 0.5, None, 9.0])) == 2
    assert str(event) == "output ≤ 0 or output is no number"


def test_where_nothing_varies_there_are_no_cells() -> None:
    same = encode([1.0] * 5)
    assert Bins.of(number(), same, same) is None
    assert Bins.of(number(), encode(["a"]), encode(["b"])) is None
    assert Bins.of(number(), same, encode([1.0, None])) is not None  # that a number is missing varies


def test_anything_is_one_cell() -> None:
    view = Anything()
    assert view.codes(encode([1, 2])).tolist() == [0, 0]
    assert view.words(np.array([True])) == "any output"
    assert view.words(np.array([False])) == "nothing"


def test_many_events_are_said_in_part() -> None:
    assert either(list("abcd")) == "a or b or c or d"
    assert either(list("abcdef")) == "a or b or c or d or 2 more cells"


def outputs(left: list[Any], right: list[Any], *, shapes: bool = False) -> tuple[Outputs, Outcomes]:
    made = Outputs.of(encode(left), encode(right), shapes=shapes)
    assert made is not None
    return made, joined(encode(left), encode(right))


def test_each_output_that_came_twice_has_a_cell_and_all_others_one() -> None:
    view, seen = outputs(["a", "b", "a", "c"], ["b", "d"])
    assert view.cells == 3
    codes = view.codes(seen).tolist()
    assert codes[0] == codes[2]
    assert codes[1] == codes[4]
    assert codes[3] == codes[5] == 2
    fresh = view.codes(encode(["zzz", "a"])).tolist()
    assert fresh == [2, codes[0]]
    assert Outputs.of(encode(["a"]), encode(["b"]), shapes=False) is None  # nothing came twice


def test_chosen_outputs_are_said_or_those_that_are_not() -> None:
    view, _ = outputs(["a", "a", "b", "b"], ["c", "c"])
    chosen = np.zeros(view.cells, dtype=np.bool_)
    chosen[0] = True
    assert view.words(chosen).startswith("output = ")
    assert view.words(~chosen).startswith("not (output = ")
    assert view.words(np.ones(view.cells, dtype=np.bool_)) == "any output"


def test_shapes_leave_numbers_out() -> None:
    view, seen = outputs([[1.5], [2.5], [1.0, 2.0]], [[9.0], [3.0, 4.0]], shapes=True)
    codes = view.codes(seen).tolist()
    assert codes[0] == codes[1] == codes[3]
    assert codes[2] == codes[4] != codes[0]


def test_a_number_beside_a_shape_is_a_pair_of_cells() -> None:
    left, right = encode([[1.0], [2.0], [1.0, 5.0]]), encode([[1.0], [2.0], [1.0, 5.0]])
    shape = Outputs.of(left, right, shapes=True)
    assert shape is not None
    bins = Bins(coordinate((0,)), np.array([1.0]))
    crossed = Crossed(shape, bins)
    assert crossed.cells == shape.cells * bins.cells
    assert len(set(crossed.codes(left).tolist())) == 3
    chosen = np.zeros(crossed.cells, dtype=np.bool_)
    chosen[crossed.codes(left)[0]] = True
    assert " and (output[0] ≤ 1)" in crossed.words(chosen)


def test_every_view_sorts_every_output_into_one_of_its_cells() -> None:
    rng = np.random.default_rng(4)
    left = [[float(x), "yes" if x > 0 else None] for x in rng.normal(size=300)]
    right = [[float(x), "no"] for x in rng.normal(size=300)]
    one, other = encode(left), encode(right)
    tried = views(one, other)
    assert len(tried) > 8
    for view in tried:
        for side in (one, other):
            codes = view.codes(side)
            assert len(codes) == 300
            assert 0 <= codes.min() <= codes.max() < view.cells
        assert view.words(np.ones(view.cells, dtype=np.bool_))
