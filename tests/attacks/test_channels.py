"""Channels beside the answer: floats, error messages, noise that depends on data, and the census block's pieces."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.attacks import census, census_lesson, error_channel, floating, median, own_channel
from sfumato.attacks.census import Person, Row
from sfumato.engines.duckdb.first_version import FAR_AWAY
from sfumato.errors import InvalidParameter
from sources import SeededBits

# ---- floats ------------------------------------------------------------------------------------------------------


def test_textbook_noise_is_laplace_to_the_eye() -> None:
    noise = floating.textbook_laplace(np.zeros(20_000), epsilon=0.5, bits=SeededBits(1))
    assert abs(float(np.median(noise))) < 0.2
    assert abs(float(np.abs(noise).mean()) - 2) < 7 * 2 / math.sqrt(20_000)
    assert abs(float((noise > 0).mean()) - 0.5) < 7 * 0.5 / math.sqrt(20_000)


def test_an_output_with_one_origin_is_told_and_others_are_guessed_by_distance() -> None:
    answers = np.array([0.0, 1.0] * 300)
    outputs = floating.textbook_laplace(answers, epsilon=0.01, bits=SeededBits(2))
    zero, one = (floating.reachable(outputs, answer, epsilon=0.01) for answer in (0.0, 1.0))
    assert (zero | one).all()  # each has its own origin at least
    only = zero != one
    told = floating.guess(outputs, epsilon=0.01)
    assert (told[only] == answers[only]).all()
    assert (told[~only] == (outputs[~only] > 0.5)).all()
    assert only.sum() > 100


def test_whole_numbers_and_halves_are_guessed_by_distance_alone() -> None:
    """What no uniform float gives exactly is reached from neither answer."""
    outputs = np.array([-3.0, 0.25, 0.75, 1e9])
    assert not floating.reachable(np.array([1e9]), 0.0, epsilon=0.01).any()
    assert floating.guess(outputs, epsilon=0.01)[3] == 1.0


def test_looking_at_one_float_only_would_miss_origins() -> None:
    """The broken twin: without the floats next to the rounded one some outputs seem to come from nowhere."""
    outputs = floating.textbook_laplace(np.zeros(500), epsilon=0.01, bits=SeededBits(3))
    u = np.clip(np.round(np.exp(-np.abs(outputs) * 0.01) * 2**53), 1, 2**53 - 1) / 2**53
    narrow = (-np.log(u) / 0.01 == outputs) | (np.log(u) / 0.01 == outputs)
    assert floating.reachable(outputs, 0.0, epsilon=0.01).all()
    assert not narrow.all()


# ---- noise by local sensitivity ----------------------------------------------------------------------------------


def test_the_two_databases_are_neighbours_with_one_median() -> None:
    assert sum(a != b for a, b in zip(median.HERE, median.THERE, strict=True)) == 1
    assert sorted(median.HERE)[3] == sorted(median.THERE)[3] == 0


def test_the_best_threshold_is_what_tells_the_two_apart() -> None:
    def loud(rows: tuple[int, ...]) -> int:
        return 50 if rows == median.THERE else 3

    limit = median.threshold(loud)
    assert 3 <= limit < 50
    assert median._accuracy(loud, SeededBits(4)).share == 1


def test_an_answer_that_does_not_depend_on_the_rows_tells_nothing() -> None:
    bits = SeededBits(5)
    share = median._accuracy(lambda rows: 7, bits).share
    assert abs(share - 0.5) < 7 * 0.5 / math.sqrt(600)


@pytest.mark.parametrize("epsilon", [1, 4])
def test_noise_by_local_sensitivity_is_as_wide_as_the_median_can_jump(epsilon: int) -> None:
    said = [
        abs(median.by_local_sensitivity(median.THERE, epsilon=epsilon, bits=SeededBits(seed))) for seed in range(600)
    ]
    assert abs(np.mean(said) - 1000 / epsilon) < 7 * (1000 / epsilon) / math.sqrt(600)


# ---- error messages ----------------------------------------------------------------------------------------------


def test_a_careless_sum_is_a_number_or_an_error() -> None:
    assert error_channel.careless([3, 5], 4) == "0.000"
    assert error_channel.careless([6], 4) == "0.500"
    assert error_channel.careless([], 4) == "0.000"
    assert error_channel.careless([4], 4).startswith("error: ")


@pytest.mark.parametrize(("row", "steps"), [(4, 0), (5, 100), (3, -100), (6, 50), (7, 33), (44, 2), (204, 0)])
def test_a_total_term_is_in_hundredths_and_clipped(row: int, steps: int) -> None:
    """At an ε so large that there is no noise."""
    ask = error_channel.total_expression(Fraction(10**6), SeededBits(6))
    assert float(ask([row], 4)) == steps / 100


def test_one_row_moves_a_total_sum_by_no_more_than_its_noise_is_for() -> None:
    ask = error_channel.total_expression(Fraction(10**6), SeededBits(7))
    for row in range(40):
        for suspected in (0, 17, 39):
            moved = float(ask([9, 11, row], suspected)) - float(ask([9, 11], suspected))
            assert abs(moved) <= 1


def test_a_suspicion_is_confirmed_by_an_error_or_by_what_is_left_of_the_sum() -> None:
    others = np.array([3, 9, 12])
    assert error_channel.suspects(error_channel.careless, others, 5, 5)
    assert not error_channel.suspects(error_channel.careless, others, 6, 5)
    assert not error_channel.suspects(error_channel.careless, others, 39, 5)

    def silent(rows: Any, suspected: int) -> str:
        return f"{sum(1 / (row - suspected) for row in rows if row != suspected):.6f}"

    assert error_channel.suspects(silent, others, 5, 5)  # a zero term shows where nothing else is hidden
    assert not error_channel.suspects(silent, others, 4, 5)


# ---- the channel of our own --------------------------------------------------------------------------------------


def test_the_question_names_the_person_the_amount_and_the_day_without_a_week() -> None:
    text = own_channel.asked(7, 3)
    assert "person = 7 AND amount <= 3" in text
    assert f"'{FAR_AWAY}'" in text
    assert text.startswith("SELECT COUNT(*) FROM rows")


def test_a_failure_is_taken_for_yes() -> None:
    rate = own_channel.told([True, False, True, False], [True, False, False, True])
    assert (rate.successes, rate.trials) == (2, 4)
    with pytest.raises(ValueError, match="longer"):
        own_channel.told([True], [True, False])


# ---- the census block --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "person", "holds"),
    [
        (Row("a", "", 1), Person(30, "F", "B", "S"), True),
        (Row("a", "", 1, sex="M"), Person(30, "F", "B", "S"), False),
        (Row("a", "", 1, race="B", status="S"), Person(30, "F", "B", "S"), True),
        (Row("a", "", 1, race="B", status="M"), Person(30, "F", "B", "S"), False),
        (Row("a", "", 1, low=18), Person(18, "F", "B", "S"), True),
        (Row("a", "", 1, low=18), Person(17, "F", "B", "S"), False),
        (Row("a", "", 1, high=17), Person(17, "F", "B", "S"), True),
        (Row("a", "", 1, high=17), Person(18, "F", "B", "S"), False),
    ],
)
def test_a_group_holds_whom_its_row_names(row: Row, person: Person, holds: bool) -> None:
    assert row.holds(person) is holds


def test_the_printed_numbers_are_those_of_the_printed_people() -> None:
    for row in census.PUBLISHED:
        ages = sorted(person.age for person in census.TRUTH if row.holds(person))
        assert len(ages) == row.count
        assert row.mean is not None
        assert abs(Fraction(sum(ages), len(ages)) - row.mean) <= Fraction(1, 20)
        assert row.median == Fraction(ages[(len(ages) - 1) // 2] + ages[len(ages) // 2], 2)
    hidden = [row for row in census.TABLE if row.count is None]
    assert all(sum(map(row.holds, census.TRUTH)) < 3 for row in hidden)
    assert " ".join(map(str, census.TRUTH)).startswith("8FBS 18MWS")


def test_a_block_of_two_is_solved_by_hand_and_by_the_solver_alike() -> None:
    """One woman, mean age 20, one person of 40 or more: their ages are 0 and 40, whoever is married is 15 or over."""
    rows = [
        Row("all", "", 2, Fraction(20), Fraction(20)),
        Row("women", "", 1, sex="F"),
        Row("old", "", 1, low=40),
        Row("white", "", 2, race="W"),
        Row("single", "", 2, status="S"),
    ]
    found = census.reconstruct(rows, people=2)
    ages = {(a, 40 - a) for a in range(21) if 40 - a >= 40}
    expected = {
        tuple(sorted((Person(a, first, "W", "S"), Person(b, second, "W", "S"))))
        for a, b in ages
        for first, second in (("F", "M"), ("M", "F"))
    }
    assert found.complete
    assert {tuple(sorted(block)) for block in found.blocks} == expected


def test_rows_that_contradict_each_other_have_no_block() -> None:
    rows = [Row("a", "", 2), Row("b", "", 3)]
    found = census.reconstruct(rows, people=2)
    assert found.blocks == ()
    assert found.complete


def test_nobody_is_married_before_fifteen() -> None:
    rows = [Row("all", "", 1, Fraction(14), Fraction(14)), Row("married", "", 1, status="M")]
    assert census.reconstruct(rows, people=1).blocks == ()
    older = [Row("all", "", 1, Fraction(15), Fraction(15)), Row("married", "", 1, status="M")]
    assert len(census.reconstruct(older, people=1).blocks) == 4


def test_records_are_near_within_five_years_and_alike_in_everything_else() -> None:
    one = Person(30, "F", "B", "S")
    assert census_lesson.right((one,), (one._replace(age=35),)) == 1
    assert census_lesson.right((one,), (one._replace(age=36),)) == 0
    for other in (one._replace(sex="M"), one._replace(race="W"), one._replace(status="M")):
        assert census_lesson.right((one,), (other,)) == 0
    assert census_lesson.right((one, one), (one,)) == 1


def test_imagined_blocks_are_in_order_and_of_every_kind() -> None:
    blocks = census_lesson.imagine(300, bits=SeededBits(8))
    assert all(list(block) == sorted(block) and len(block) == 7 for block in blocks)
    people = [person for block in blocks for person in block]
    assert {person.sex + person.race for person in people} == {"FB", "FW", "MB", "MW"}
    assert max(person.age for person in people) <= census.OLDEST


def test_published_numbers_without_noise_are_those_of_the_block() -> None:
    counts, sums = census_lesson.publish(census.TRUTH, epsilon=10**7, bits=SeededBits(9))
    (exact_counts,), (exact_sums,) = census_lesson._statistics([census.TRUTH])
    assert counts.tolist() == exact_counts.tolist()
    assert sums.tolist() == exact_sums.tolist()
    with pytest.raises(InvalidParameter, match="epsilon"):
        census_lesson.publish(census.TRUTH, epsilon=0)


def test_an_attacker_who_sees_exact_numbers_settles_on_the_true_block() -> None:
    blocks = [*census_lesson.imagine(200, bits=SeededBits(10)), census.TRUTH]
    known = census_lesson._statistics(blocks)
    said = census_lesson.publish(census.TRUTH, epsilon=10**7, bits=SeededBits(11))
    assert census_lesson.infer(said, known, epsilon=10**5, bits=SeededBits(12)) == 200
    chosen = {census_lesson.infer(said, known, epsilon=Fraction(1, 10**6), bits=SeededBits(s)) for s in range(30)}
    assert len(chosen) > 20  # with almost no ε every block is as likely
