"""What is audited and on which inputs: neighbours as they must be, claims, and draws of anybody's callable."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sfumato import mechanisms as m
from sfumato.accounting import events
from sfumato.audit.infer import FAMILIES, mechanism_target, pairs_for
from sfumato.audit.outcomes import Raised
from sfumato.audit.own import ONE, OUR_MECHANISMS, by_array
from sfumato.audit.pairs import HOSTILE, KINDS, Inputs, Pair, hostile_rows, pairs_of
from sfumato.audit.targets import Claim, Target, by_size, claim_of_event, draw_of, one_by_one, target_of
from sfumato.core import Change, Neighbours, Sensitivity
from sfumato.errors import InvalidParameter

# ---- inputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact", "number"),
    [(3, 3), (np.int64(3), 3), (Fraction(6, 2), 3), (0.5, 0.5), (Fraction(1, 4), 0.25), (2**70, 2**70)],
)
def test_a_whole_number_is_an_int_and_another_a_float(exact: Any, number: int | float) -> None:
    made = Inputs().number(exact)
    assert made == number
    assert type(made) is type(number)


def test_a_float_among_inputs_is_data_and_exactly_what_it_is() -> None:
    """0.1 is no amount here: its nearest decimal would be another input."""
    assert Fraction(Inputs().number(0.1)) == Fraction(0.1)


@pytest.mark.parametrize(
    ("given", "ends"),
    [({}, (0, 1)), ({"lower": 5}, (5, 6)), ({"upper": 9}, (0, 9)), ({"lower": -1, "upper": 0.5}, (-1, 0.5))],
)
def test_ends_are_zero_and_one_unless_they_are_declared(given: dict[str, Any], ends: tuple[float, float]) -> None:
    assert Inputs(**given).ends == ends


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"sensitivity": 0}, "sensitivity"),
        ({"sensitivity": -1}, "sensitivity"),
        ({"length": 0}, "length"),
        ({"lower": 1, "upper": 1}, "upper"),
        ({"lower": 2, "upper": 1}, "upper"),
    ],
)
def test_inputs_that_nothing_could_take_are_refused(given: dict[str, Any], word: str) -> None:
    with pytest.raises(InvalidParameter, match=word):
        Inputs(**given)


# ---- pairs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, Fraction(1, 4), 7])
def test_a_number_moves_by_exactly_the_sensitivity_everywhere(step: Any) -> None:
    pairs = pairs_of("number", Inputs(sensitivity=step))
    assert [Fraction(pair.right) - Fraction(pair.left) for pair in pairs] == [Fraction(step)] * 3
    assert [pair.why for pair in pairs] == ["", "below", "far away"]


def test_a_bounded_number_stays_inside_and_is_tried_at_both_ends() -> None:
    pairs = pairs_of("number", Inputs(lower=0, upper=10))
    assert (0, 1) in [(pair.left, pair.right) for pair in pairs]
    assert (9, 10) in [(pair.left, pair.right) for pair in pairs]
    assert all(0 <= pair.left < pair.right <= 10 for pair in pairs)
    assert pairs_of("number", Inputs(lower=0, upper=1, sensitivity=2)) == ()  # nothing fits


@pytest.mark.parametrize("length", [1, 2, 3, 4, 10])
def test_answers_move_by_no_more_than_the_sensitivity_each(length: int) -> None:
    for pair in pairs_of("answers", Inputs(sensitivity=3, around=100, length=length)):
        assert len(pair.left) == len(pair.right) == length
        moves = [b - a for a, b in zip(pair.left, pair.right, strict=True)]
        assert max(map(abs, moves)) == 3
    assert any("fall" in pair.why for pair in pairs_of("answers", Inputs(length=length)))


@pytest.mark.parametrize("length", [1, 2, 5])
def test_monotone_answers_move_in_one_direction(length: int) -> None:
    for pair in pairs_of("monotone", Inputs(length=length)):
        moves = {b - a for a, b in zip(pair.left, pair.right, strict=True)}
        assert moves <= {0, 1} or moves <= {0, -1}
        assert moves != {0}


def test_answers_that_are_not_monotone_are_among_the_others_and_not_here() -> None:
    def both(pair: Pair) -> bool:
        moves = {b - a for a, b in zip(pair.left, pair.right, strict=True)}
        return {1, -1} <= moves

    assert any(map(both, pairs_of("answers", Inputs(length=5))))
    assert not any(map(both, pairs_of("monotone", Inputs(length=5))))


@pytest.mark.parametrize(("step", "rises"), [(1, False), (2, True), (3, False), (4, True), (Fraction(1, 2), False)])
def test_counts_move_by_the_sensitivity_in_all(step: Any, rises: bool) -> None:
    pairs = pairs_of("counts", Inputs(sensitivity=step, length=6))
    for pair in pairs:
        moved = [abs(Fraction(b) - Fraction(a)) for a, b in zip(pair.left, pair.right, strict=True)]
        assert sum(moved) == Fraction(step)
    assert any(pair.why == "one rises, one falls" for pair in pairs) is rises
    assert len(pairs_of("counts", Inputs(length=1))) == 1


def test_halves_that_swap_sides_cross_where_something_happens() -> None:
    pairs = [pair for pair in pairs_of("answers", Inputs(around=50, length=6)) if "swap" in pair.why]
    assert {pair.why for pair in pairs} == {"3 of 6 swap sides", "4 of 6 swap sides", "5 of 6 swap sides"}
    for pair in pairs:
        assert sorted(set(pair.left)) == [50, 51]
        assert all(a != b for a, b in zip(pair.left, pair.right, strict=True))


@pytest.mark.parametrize("change", list(Change))
def test_rows_differ_by_one_person(change: Change) -> None:
    for pair in pairs_of("rows", Inputs(lower=0, upper=10, change=change, tame=True)):
        if change is Change.REPLACE:
            assert len(pair.left) == len(pair.right)
            assert sum(a != b for a, b in zip(pair.left, pair.right, strict=True)) == 1
        else:
            assert pair.right[:-1] == pair.left
        assert all(0 <= row <= 10 for row in pair.right)
        assert not pair.hostile


def test_hostile_rows_are_tried_unless_the_data_are_tame() -> None:
    wild = pairs_of("rows", Inputs(lower=0, upper=10))
    assert [pair.why for pair in wild if pair.hostile] == [why for why, _ in HOSTILE]
    values = [pair.right[-1] for pair in hostile_rows(Inputs())]
    assert math.isnan(values[0])
    assert values[1:] == [math.inf, None, 10**9, -(10**9), 2**70, "x"]


def test_a_pair_is_said_with_its_reason_and_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    assert str(Pair(0, 1)) == "0 and 1"
    assert str(Pair([0], [1], "one rises")) == "[0] and [1] (one rises)"
    with pytest.raises(InvalidParameter) as caught:
        pairs_of("graphs", Inputs())
    assert all(kind in str(caught.value) for kind in KINDS)


# ---- claims and targets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (math.nan, 0), (1, -0.1), (1, 1), (1, 1.5)])
def test_a_claim_that_is_none_is_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(InvalidParameter, match=r"epsilon|delta"):
        Claim(epsilon, delta)


def test_a_claim_is_said_with_its_delta_if_it_has_one() -> None:
    assert str(Claim(1)) == "ε = 1"
    assert str(Claim(0.123456, 1e-6)) == "ε = 0.1235, δ = 1e-06"


def test_an_event_claims_what_the_accountant_says_and_rounds_up() -> None:
    assert claim_of_event(events.Pure(Fraction(1, 3))).epsilon >= 1 / 3
    assert claim_of_event(events.Pure(1)).epsilon == pytest.approx(1, abs=1e-9)
    gaussian = events.Gaussian(2)
    epsilons = [claim_of_event(gaussian, delta).epsilon for delta in (1e-9, 1e-6, 1e-3)]
    assert all(more > less for more, less in pairwise(epsilons))


def test_a_target_needs_a_pair() -> None:
    with pytest.raises(InvalidParameter, match="pairs"):
        Target("empty", one_by_one(lambda data: data), (), Claim(1))


# ---- draws -------------------------------------------------------------------------------------------------------


def test_draws_one_by_one_keep_errors_in_their_places() -> None:
    times = iter(range(10))

    def release(data: int) -> int:
        n = next(times)
        if n % 3 == 2:
            raise KeyError(f"row {n}")
        return data + n

    assert one_by_one(release)(100, 5) == [100, 101, Raised("KeyError", "'row 2'"), 103, 104]


def test_what_ends_a_program_is_no_output() -> None:
    def release(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one_by_one(release)(0, 1)


def test_a_long_error_text_is_cut() -> None:
    assert len(Raised.of(ValueError("x" * 1000)).text) == 200


def test_draws_by_size_are_as_many_as_were_asked_for() -> None:
    assert list(by_size(lambda data, size: np.full(size, data))(7, 3)) == [7, 7, 7]
    with pytest.raises(InvalidParameter, match="as many outputs as asked for, 3"):
        by_size(lambda data, size: [data] * (size - 1))(7, 3)


def test_a_callable_that_fails_by_size_is_asked_one_by_one_and_must_give_one() -> None:
    def moody(data: int, size: int) -> list[int]:
        if size > 1:
            raise MemoryError
        return [data]

    assert by_size(moody)(5, 3) == [5, 5, 5]

    def wrong(data: int, size: int) -> list[int]:
        if size > 1:
            raise MemoryError
        return [data, data]

    found = by_size(wrong)(5, 2)
    assert all(isinstance(each, Raised) and each.kind == "InvalidParameter" for each in found)


@pytest.mark.parametrize("thing", [3, "text", None])
def test_what_cannot_be_called_is_no_target(thing: Any) -> None:
    with pytest.raises(InvalidParameter, match="callable"):
        draw_of(thing)


def test_a_parameter_called_size_decides_how_draws_are_made() -> None:
    calls: list[int] = []

    def many(data: int, size: int) -> list[int]:
        calls.append(size)
        return [data] * size

    def one(data: int) -> int:
        calls.append(1)
        return data

    assert draw_of(many)(1, 4) == [1] * 4
    assert draw_of(one)(1, 4) == [1] * 4
    assert calls == [4, 1, 1, 1, 1]


def test_a_callable_is_named_by_itself_or_as_told() -> None:
    def shout(data: Any) -> Any:
        return data

    assert target_of(shout, [Pair(0, 1)], epsilon=1).name == "shout"
    assert target_of(shout, [Pair(0, 1)], epsilon=1, name="other").name == "other"
    assert target_of(m.Geometric(epsilon=1, sensitivity=ONE).release, [Pair(0, 1)], epsilon=1).name == "release"


# ---- mechanisms by family ----------------------------------------------------------------------------------------


def test_every_family_gives_pairs_that_its_mechanisms_take() -> None:
    used = set()
    for known in OUR_MECHANISMS:
        mechanism = known.make(Fraction(1))
        family = next((family for family, _ in FAMILIES if isinstance(mechanism, family)), None)
        if family is None:
            continue
        used.add(family)
        for pair in pairs_for(mechanism):
            mechanism.release(pair.left)
            mechanism.release(pair.right)
    assert used == {family for family, _ in FAMILIES}


def test_a_vector_of_counts_and_one_that_moves_everywhere_have_pairs_of_their_own() -> None:
    counts = m.Geometric(epsilon=1, sensitivity=Sensitivity.l1(2, Neighbours()), dimension=4)
    assert {pair.why for pair in pairs_for(counts)} == {"one moves", "the last moves", "one rises, one falls"}
    gaussian = m.Gaussian(sigma=1, sensitivity=Sensitivity.l2(3, Neighbours()), grid=1)
    assert all(pair.right - pair.left == 3 for pair in pairs_for(gaussian))


def test_a_mechanism_may_be_sold_for_less_than_it_charges_and_then_claims_that() -> None:
    geometric = m.Geometric(epsilon=1, sensitivity=ONE)
    assert mechanism_target(geometric).claim == claim_of_event(geometric.event)
    assert mechanism_target(geometric, epsilon="0.5").claim == Claim(0.5)
    assert mechanism_target(geometric, name="mine", pairs=(Pair(0, 1),)).pairs == (Pair(0, 1),)
    with pytest.raises(InvalidParameter, match="epsilon"):
        mechanism_target(geometric, epsilon=-1)


def test_draws_by_the_array_are_draws_of_one_answer_each() -> None:
    """Made by one release of equal answers, and as wide as single ones: a vector is not paid for as a whole."""
    mechanism = m.Geometric(epsilon=Fraction(1, 10), sensitivity=ONE)
    drawn = np.asarray(by_array(mechanism)(50, 4000), dtype=np.float64)
    p = math.exp(-0.1)
    spread = math.sqrt(2 * p) / (1 - p)
    assert abs(drawn.mean() - 50) < 7 * spread / math.sqrt(4000)
    assert 0.85 * spread < drawn.std() < 1.15 * spread
