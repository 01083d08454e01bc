"""Each attack piece by piece, on people few enough to see through; broken pieces must fail."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.attacks import counting, linkage, longitudinal, membership, ratings, reconstruction
from sfumato.attacks.answerers import CountQuestion, NoisyWithoutTotal, Unprotected
from sfumato.attacks.people import DIAGNOSES, ZIPS, Town, some, town
from sfumato.errors import BudgetExceeded, InvalidParameter, LedgerMisuse
from sfumato.ledger import Budget
from sources import SeededBits

# ---- people who do not exist -------------------------------------------------------------------------------------


def test_a_town_has_as_many_people_as_asked_for_within_its_ranges() -> None:
    people = town(3000, bits=SeededBits(1))
    assert len(people) == 3000
    assert set(people.zip.tolist()) == set(range(ZIPS))
    assert set(people.sex.tolist()) == {0, 1}
    assert 0 <= people.born.min() <= people.born.max() < 80 * 365
    assert set(people.decade.tolist()) <= set(range(9))
    with pytest.raises(InvalidParameter, match="people"):
        town(0)


def test_diagnoses_have_their_frequencies() -> None:
    counts = np.bincount(town(20_000, bits=SeededBits(2)).diagnosis, minlength=len(DIAGNOSES))
    for count, weight in zip(counts.tolist(), (34, 24, 18, 14, 7, 3), strict=True):
        spread = math.sqrt(20_000 * weight / 100 * (1 - weight / 100))
        assert abs(count - 200 * weight) < 7 * spread


def test_a_triple_is_one_number_for_each_combination() -> None:
    codes = [(z, b, s) for z in (0, 1, 11) for b in (0, 1, 80 * 365 - 1) for s in (0, 1)]
    zips, born, sex = (np.array(part) for part in zip(*codes, strict=True))
    people = Town(zips, born, sex, np.zeros(len(codes), dtype=np.int64))
    assert len(set(people.quasi.tolist())) == len(codes)


def test_some_people_are_different_ones() -> None:
    chosen = some(30, 40, bits=SeededBits(3))
    assert len(set(chosen.tolist())) == 30
    assert set(chosen.tolist()) <= set(range(40))
    assert len(some(0, 5)) == 0


# ---- linkage -----------------------------------------------------------------------------------------------------


def test_a_roll_without_a_match_gets_no_diagnosis_even_beyond_the_largest_triple() -> None:
    released, diagnoses = np.array([3, 5]), np.array([1, 2])
    assert linkage.link(released, diagnoses, np.array([0, 4, 99])).tolist() == [-1, -1, -1]
    assert linkage.link(released, diagnoses, np.array([5, 3])).tolist() == [2, 1]


def test_a_linker_that_took_the_first_of_equal_triples_would_be_wrong() -> None:
    released, diagnoses = np.array([7, 7]), np.array([1, 2])
    assert linkage.link(released, diagnoses, np.array([7])).tolist() == [-1]


def test_the_table_tells_the_commonest_diagnosis_of_a_sex_and_decade_where_noise_is_small() -> None:
    n = 4000
    sex, born = np.arange(n) % 2, np.full(n, 3650 * 3)
    people = Town(np.zeros(n, dtype=np.int64), born, sex, np.where(sex == 1, 4, 2))
    guessed = linkage.guess_from_table(people, np.arange(10), epsilon=50, bits=SeededBits(4))
    assert guessed.tolist() == [2, 4] * 5


def test_the_table_at_one_epsilon_does_not_tell_a_lone_person_from_their_group() -> None:
    """One person with a rare diagnosis among a hundred others of their sex and decade is guessed as the others are."""
    n = 100
    diagnosis = np.zeros(n, dtype=np.int64)
    diagnosis[17] = 5
    same = np.zeros(n, dtype=np.int64)
    people = Town(same, same, same, diagnosis)
    guesses = [
        linkage.guess_from_table(people, np.array([17]), epsilon=1, bits=SeededBits(seed))[0] for seed in range(20)
    ]
    assert guesses == [0] * 20


# ---- ratings -----------------------------------------------------------------------------------------------------


def test_everybody_rates_some_films_once_with_stars_and_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "_PEOPLE", 60)
    made = ratings.viewers(bits=SeededBits(5))
    each = (made.stars > 0).sum(axis=1)
    assert made.stars.shape == (60, 600)
    assert each.max() == 24
    assert each.min() > 12
    assert set(np.unique(made.stars)) == set(range(6))
    assert not made.days[made.stars == 0].any()
    low, high = (made.stars[:, :300] > 0).sum(), (made.stars[:, 300:] > 0).sum()
    assert low > 2 * high  # low numbers are popular


def two_viewers() -> ratings.Ratings:
    stars = np.array([[5, 0, 3, 0], [5, 4, 0, 0], *([[5, 0, 0, 0]] * 30)])
    return ratings.Ratings(stars, np.where(stars > 0, 100, 0))


@pytest.mark.parametrize(
    ("films", "stars", "days", "who"),
    [
        ([0, 2], [5, 3], [100, 100], 0),
        ([0, 2], [4, 4], [114, 86], 0),  # a star and a fortnight off
        ([0, 1], [5, 4], [100, 100], 1),
        ([0, 2], [5, 5], [100, 100], None),  # two stars off
        ([0, 2], [5, 3], [100, 115], None),  # a day beyond the fortnight
        ([0], [5], [100], None),  # what everybody rated tells nobody apart
        ([3], [1], [0], None),  # nobody rated it
    ],
)
def test_a_record_stands_out_by_what_few_rated(films: Any, stars: Any, days: Any, who: int | None) -> None:
    found = ratings.recognise(two_viewers(), np.array(films), np.array(stars), np.array(days))
    assert found == who


# ---- counting ----------------------------------------------------------------------------------------------------


def test_secrets_are_fair_coins() -> None:
    drawn = counting.secrets(10_000, bits=SeededBits(6))
    assert drawn.dtype == np.bool_
    assert abs(int(drawn.sum()) - 5000) < 7 * 50


@pytest.mark.parametrize("refused", [0, 1])
def test_a_difference_of_which_half_is_refused_tells_nothing(refused: int) -> None:
    """With one of the two counts missing the guess is no, whatever the bit is."""

    class Once:
        def __init__(self, secret: Any) -> None:
            self.inner, self.times = Unprotected(secret), 0

        def ask(self, question: CountQuestion) -> float:
            self.times += 1
            if self.times - 1 == refused:
                raise BudgetExceeded("no")
            return self.inner.ask(question)

    for bit in (True, False):
        assert counting.difference(Once(np.array([bit, True])), 0, 2) is False


def test_an_average_stops_at_the_first_refusal_and_is_zero_without_answers() -> None:
    class Few:
        def __init__(self, left: int) -> None:
            self.left = left

        def ask(self, question: CountQuestion) -> float:
            if not self.left:
                raise BudgetExceeded("no more")
            self.left -= 1
            return 10.0 - self.left

    question = CountQuestion(np.ones(1, dtype=np.bool_))
    assert counting.average(Few(0), question, 9) == 0.0
    assert counting.average(Few(3), question, 9) == 9.0  # 8, 9, 10
    assert counting.average(Few(3), question, 2) == 8.5
    assert counting.average(Few(3), question, 0) == 0.0


def test_one_answer_is_exact_as_often_as_the_geometric_law_says() -> None:
    """(1 - p)/(1 + p) = tanh(ε/2)."""
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
        p = math.exp(-float(epsilon))
        assert math.isclose(counting._alone(epsilon), (1 - p) / (1 + p), rel_tol=1e-12)


def test_a_lessons_ledger_is_thrown_away() -> None:
    with counting.ledger(Fraction(1, 2)) as opened:
        assert {balance.cap for balance in opened.balances("people")} == {Fraction(1, 2)}
    with pytest.raises(LedgerMisuse, match="closed"):
        opened.grant("people", "another", Budget.pure(epsilon=1))


# ---- reconstruction ----------------------------------------------------------------------------------------------


def test_exact_answers_to_each_person_alone_are_solved_exactly() -> None:
    secret = np.array([True, False, True, True])
    questions = [CountQuestion(row) for row in np.eye(4, dtype=np.bool_)]
    answers = [Unprotected(secret).ask(question) for question in questions]
    assert reconstruction.solve(questions, list(answers)).tolist() == secret.tolist()
    kept: list[float | None] = [None, *answers[1:]]
    assert reconstruction.solve(questions, kept).tolist() == [False, False, True, True]  # unknown is no


def test_nothing_answered_is_nobody_found() -> None:
    questions = reconstruction.random_questions(3, 5, bits=SeededBits(7))
    assert not reconstruction.solve(questions, [None] * 3).any()


def test_random_questions_hold_half_of_the_people_each() -> None:
    questions = reconstruction.random_questions(400, 50, bits=SeededBits(8))
    sizes = [int(question.members.sum()) for question in questions]
    assert abs(sum(sizes) - 10_000) < 7 * math.sqrt(20_000 / 4)
    assert len({question.hash for question in questions}) == 400
    with pytest.raises(InvalidParameter, match="queries"):
        reconstruction.random_questions(0, 5)


@pytest.mark.parametrize("people", [1, 7, 31])
def test_four_exact_answers_a_person_give_everybody_away(people: int) -> None:
    bits = SeededBits(people)
    secret = counting.secrets(people, bits=bits)
    found = reconstruction.reconstruct(Unprotected(secret), people, 4 * people + 8, bits=bits)
    assert reconstruction.recovered(secret, found).share == 1


def test_fewer_answers_and_more_noise_recover_less() -> None:
    bits = SeededBits(9)
    secret = counting.secrets(96, bits=bits)

    def share(epsilon: Any, queries: int) -> float:
        noisy = NoisyWithoutTotal(secret, epsilon=epsilon, bits=bits)
        return reconstruction.recovered(secret, reconstruction.reconstruct(noisy, 96, queries, bits=bits)).share

    assert share(4, 400) > 0.98
    assert share(4, 20) < 0.80  # fewer equations than people
    assert share(Fraction(1, 100), 400) < 0.75


# ---- membership --------------------------------------------------------------------------------------------------


def test_variants_come_with_their_frequencies_and_certain_ones_always() -> None:
    frequencies = np.array([0.0, 0.25, 0.9, 1.0])
    drawn = membership.genomes(4000, frequencies, bits=SeededBits(10))
    shares = drawn.mean(axis=0)
    assert shares[0] == 0
    assert shares[3] == 1
    assert np.abs(shares[1:3] - frequencies[1:3]).max() < 7 * 0.5 / math.sqrt(4000)


def test_a_score_leans_towards_those_who_were_averaged() -> None:
    frequencies = np.full(4, 0.5)
    published = np.array([1.0, 1.0, 0.0, 0.5])
    inside, opposite = np.array([True, True, False, True]), np.array([False, False, True, True])
    assert membership.score(inside, published, frequencies) == 0.75
    assert membership.score(opposite, published, frequencies) == -0.75
    assert membership.score(inside, frequencies, frequencies) == 0  # the population's means tell nothing


def test_members_are_told_by_exact_means_and_not_by_the_populations() -> None:
    bits = SeededBits(12)
    frequencies = np.full(1500, 0.5)
    study, strangers = (membership.genomes(40, frequencies, bits=bits) for _ in range(2))
    exact = membership._accuracy(study.mean(axis=0), study, strangers, frequencies)
    fake = membership._accuracy(strangers.mean(axis=0), study, strangers, frequencies)
    assert exact.share > 0.95
    assert fake.share < 0.05  # the others are called members: the rule follows what was published


# ---- reports day after day ---------------------------------------------------------------------------------------


def test_most_reports_decide_and_ties_say_no() -> None:
    reports = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]])
    assert longitudinal.majority(reports).tolist() == [1, 0, 1]
    assert longitudinal.majority(reports[:, :2]).tolist() == [1, 0, 0]


def test_fresh_coins_lie_as_often_as_epsilon_one_says_and_anew_each_day() -> None:
    reports = longitudinal.fresh(np.ones(4000, dtype=np.int64), 3, bits=SeededBits(13))
    truth = math.e / (1 + math.e)
    spread = math.sqrt(truth * (1 - truth) / 4000)
    assert np.abs(reports.mean(axis=0) - truth).max() < 7 * spread
    both = float((reports[:, 0] & reports[:, 1]).mean())
    assert abs(both - truth**2) < 7 * spread  # independent days


def test_a_remembered_lie_is_told_every_day() -> None:
    """Days of one device agree more often than fresh coins would: they speak of one permanent response."""
    reports = longitudinal.remembered(np.ones(4000, dtype=np.int64), 201, bits=SeededBits(14))
    said = longitudinal.majority(reports)
    assert abs(float(said.mean()) - 0.75) < 7 * math.sqrt(0.75 * 0.25 / 4000)
