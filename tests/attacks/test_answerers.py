"""Who answers, one by one: what is given, what is refused, and what the noise of each one is exactly."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.attacks import counting
from sfumato.attacks.answerers import (
    ONE,
    Answerer,
    Bits,
    CountQuestion,
    NoisyWithoutTotal,
    UnderLedger,
    UnderTotal,
    Unprotected,
    asked,
    people,
)
from sfumato.audit import Pair, Verdict, exact_audit
from sfumato.errors import BudgetExceeded, InvalidParameter, LedgerMisuse
from sources import SeededBits

SECRET = np.array([True, False, True, True, False])
EVERYBODY = CountQuestion(np.ones(5, dtype=np.bool_))


def some(*members: int) -> CountQuestion:
    return CountQuestion(people(*members, of=5))


@pytest.mark.parametrize(
    ("members", "count"), [((), 0), ((0,), 1), ((1, 4), 0), ((0, 1, 2, 3, 4), 3), ((2, 3), 2), ((3, 3), 1)]
)
def test_an_exact_count_is_of_those_who_are_asked_about(members: tuple[int, ...], count: int) -> None:
    assert Unprotected(SECRET).ask(some(*members)) == count


def test_a_set_of_people_has_them_and_nobody_else() -> None:
    assert people(0, 3, of=5).tolist() == [True, False, False, True, False]
    assert not people(of=3).any()
    with pytest.raises(IndexError):
        people(5, of=5)


def test_equal_questions_have_one_hash_and_others_have_others() -> None:
    again = CountQuestion(np.array([1, 1, 1, 1, 1]).astype(np.bool_))
    assert again.hash == EVERYBODY.hash
    hashes = {some(*(i for i in range(5) if mask >> i & 1)).hash for mask in range(32)}
    assert len(hashes) == 32


def test_a_memo_that_looked_at_how_many_are_asked_about_would_mix_questions_up() -> None:
    """The broken twin of the hash: two sets of one size would get one answer."""
    careless = {str(int(question.members.sum())) for question in (some(0), some(1))}
    assert len(careless) == 1
    assert some(0).hash != some(1).hash


MAKERS: dict[str, Callable[[Bits, Any], Answerer]] = {
    "without a total": lambda secret, bits: NoisyWithoutTotal(secret, epsilon=1, bits=bits),
    "under a total": lambda secret, bits: UnderTotal(secret, total=1, share=1, bits=bits),
}


@pytest.mark.parametrize("name", MAKERS)
def test_one_noisy_count_keeps_its_promise_exactly_and_would_not_keep_less(name: str) -> None:
    """By the exact law of the noise, on people who differ in one bit."""
    without = SECRET.copy()
    without[0] = False

    def release(secret: Bits, bits: Any) -> float:
        return MAKERS[name](secret, bits).ask(EVERYBODY)

    pair = Pair(SECRET, without)
    assert exact_audit(release, pair, epsilon=1.0, runs=250).verdict is not Verdict.REFUTED
    assert exact_audit(release, pair, epsilon=0.9, runs=250).verdict is Verdict.REFUTED


def test_noise_is_centred_on_the_exact_count_and_as_wide_as_its_epsilon_says() -> None:
    answerer = NoisyWithoutTotal(SECRET, epsilon=Fraction(1, 2), bits=SeededBits(11))
    said = np.array([answerer.ask(EVERYBODY) for _ in range(4000)])
    p = math.exp(-0.5)
    deviation = math.sqrt(2 * p) / (1 - p)
    assert abs(said.mean() - 3) < 7 * deviation / math.sqrt(4000)
    assert 0.85 * deviation < said.std() < 1.15 * deviation
    assert all(answer == int(answer) for answer in said.tolist())


@pytest.mark.parametrize(("share", "answers"), [(1, 1), (Fraction(1, 3), 3), (Fraction(2, 5), 2), (Fraction(3, 2), 0)])
def test_a_total_of_one_holds_as_many_answers_as_fit(share: Fraction, answers: int) -> None:
    answerer = UnderTotal(SECRET, total=1, share=share, bits=SeededBits(2))
    said = asked(answerer, [EVERYBODY] * 5)
    assert [answer is not None for answer in said] == [i < answers for i in range(5)]


def test_a_refused_question_draws_no_noise() -> None:
    """What was refused leaves the random bits where they were: the next answer is the one that would have come."""

    class Counted(SeededBits):
        drawn = 0

        def words(self, n: int) -> Any:
            self.drawn += n
            return super().words(n)

    bits = Counted(3)
    answerer = UnderTotal(SECRET, total=1, share=1, bits=bits)
    answerer.ask(EVERYBODY)
    after = bits.drawn
    assert after > 0
    with pytest.raises(BudgetExceeded):
        answerer.ask(EVERYBODY)
    assert bits.drawn == after


@pytest.mark.parametrize("total", [0, -1, "nan"])
def test_a_total_must_be_positive(total: Any) -> None:
    with pytest.raises(InvalidParameter, match="total"):
        UnderTotal(SECRET, total=total, share=1)


@pytest.mark.parametrize("epsilon", [0, -1, math.inf])
def test_noise_needs_a_positive_epsilon(epsilon: float) -> None:
    with pytest.raises(InvalidParameter, match="epsilon"):
        NoisyWithoutTotal(SECRET, epsilon=epsilon)


def test_refusals_stand_in_their_places_among_the_answers() -> None:
    class Every:
        """Refuses every second question."""

        def __init__(self) -> None:
            self.times = 0

        def ask(self, question: CountQuestion) -> float:
            self.times += 1
            if self.times % 2 == 0:
                raise BudgetExceeded("not this one")
            return float(self.times)

    assert asked(Every(), [EVERYBODY] * 5) == [1.0, None, 3.0, None, 5.0]
    assert asked(Every(), []) == []


def test_what_is_no_refusal_is_not_taken_for_one() -> None:
    class Broken:
        def ask(self, question: CountQuestion) -> float:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asked(Broken(), [EVERYBODY])


# ---- under a ledger ----------------------------------------------------------------------------------------------


def test_a_ledger_charges_each_new_question_once_and_never_an_old_one() -> None:
    with counting.ledger(Fraction(1)) as opened:
        answerer = UnderLedger(SECRET, opened, share=Fraction(1, 4), bits=SeededBits(5))
        first = [answerer.ask(some(i)) for i in range(4)]
        assert all(balance.spent == 1 for balance in opened.balances("people"))
        assert [answerer.ask(some(i)) for i in range(4)] == first
        with pytest.raises(BudgetExceeded, match="total does not hold"):
            answerer.ask(EVERYBODY)
        assert all(balance.spent == 1 for balance in opened.balances("people"))


def test_two_answerers_on_one_ledger_share_its_answers() -> None:
    """Whoever asks anew after a restart gets the recorded answer, though its own noise would be another."""
    with counting.ledger(Fraction(1)) as opened:
        one = UnderLedger(SECRET, opened, share=Fraction(1, 2), bits=SeededBits(1)).ask(EVERYBODY)
        again = {
            UnderLedger(SECRET, opened, share=Fraction(1, 2), bits=SeededBits(seed)).ask(some(0, 1, 2, 3, 4))
            for seed in range(2, 3)
        }
        assert again == {one}
    fresh = Counter(
        NoisyWithoutTotal(SECRET, epsilon=Fraction(1, 2), bits=SeededBits(seed)).ask(EVERYBODY) for seed in range(40)
    )
    assert len(fresh) > 4


def test_a_dataset_that_nobody_registered_is_refused_before_anything_is_read() -> None:
    class Unread:
        def __and__(self, other: object) -> Any:
            raise AssertionError("read")

    with counting.ledger(Fraction(1)) as opened:
        answerer = UnderLedger(Unread(), opened, share=1, dataset="others")  # type: ignore[arg-type]
        with pytest.raises((BudgetExceeded, LedgerMisuse)):
            answerer.ask(EVERYBODY)


def test_the_sensitivity_of_a_count_is_one_person() -> None:
    assert ONE.amount == 1
