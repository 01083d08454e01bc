"""The price of a question: what is split among measures, how groups are chosen, and what the ledger knows it by."""

from fractions import Fraction
from typing import Any

import pytest

from planned import DATASETS, PublicRows
from sfumato.accounting import events
from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.mechanisms import LaplaceKeys, TruncatedGeometricKeys
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.bounds import Bounds
from sfumato.query.expression import Field, Ref
from sfumato.query.measures import Values
from sfumato.query.price import person_bounds
from sfumato.query.priced import NoisyColumns, SelectedCounts, ThreeQuantiles
from sfumato.query.range import Range

ONE = Spend(Fraction(1), None, Fraction(1, 10**6))
RHO = Spend(None, Fraction(1), Fraction(1, 10**6))


def asked(text: str, spend: Spend = ONE, dataset: str = "people", **other: Any) -> PricedQuery:
    """A question with its price."""
    return price(plan_question(text, DATASETS[dataset], PublicRows()), DATASETS[dataset], spend, **other)


# ---- how a person is bounded ----


@pytest.mark.parametrize(
    ("text", "dataset", "made"),
    [
        ("SELECT COUNT(*) FROM visits", "people", Bounds(3, 1, None)),  # one group, whatever is declared
        ("SELECT town, COUNT(*) FROM visits GROUP BY town", "people", Bounds(3, 2, None)),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "people", Bounds(3, 2, None)),  # the fewer of 2 and 3
        ("SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 1 ELSE 1 END", "people", Bounds(3, 1, None)),
        ("SELECT age, COUNT(*) FROM people GROUP BY age", "people", Bounds(1, 1, None)),
        ("SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age", "people", Bounds(3, 1, None)),
        ("SELECT p.age, v.town, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age, v.town", "people", Bounds(3, 2, None)),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "cut", Bounds(3, 2, 6)),
        ("SELECT COUNT(*) FROM visits", "rows", Bounds(1, 1, 1)),
    ],
)  # fmt: skip
def test_a_person_is_in_as_many_groups_as_are_declared_and_no_more_than_there_are(
    text: str, dataset: str, made: Bounds
) -> None:
    assert person_bounds(plan_question(text, DATASETS[dataset], PublicRows()), DATASETS[dataset]) == made


def test_bounds_of_a_cut_plan_are_its_cut() -> None:
    free, cut = Bounds(3, 2, None), Bounds(3, 2, 6)
    assert (free.keys, free.rows_in_group, cut.keys, cut.rows_in_group) == (2, 3, 6, 6)
    assert (free.canonical(), cut.canonical()) == ([3, 2, None], [3, 2, 6])


def test_an_amount_is_in_one_currency() -> None:
    assert (ONE.amount, RHO.amount) == (1, 1)  # type: ignore[comparison-overlap]
    assert Spend(Fraction(1, 3), None, Fraction(0)).amount == Fraction(1, 3)
    assert Spend(None, Fraction(1, 4), Fraction(0)).amount == Fraction(1, 4)


# ---- the split ----


def test_every_measure_has_an_even_share_and_all_together_cost_what_is_spent() -> None:
    for text, parts in (
        ("SELECT COUNT(*) FROM visits", 1),
        ("SELECT AVG(cost) FROM visits", 2),
        ("SELECT COUNT(*), COUNT(DISTINCT person), SUM(day), MEDIAN(cost) FROM visits", 4),
        ("SELECT town, COUNT(*) FROM visits GROUP BY town", 2),  # and the choice of towns
        ("SELECT town, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY town", 2),  # chosen by its counts
        ("SELECT ward, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY ward", 2),
    ):
        made = asked(text)
        assert {each.share for each in made.priced} == {Fraction(1, parts)}, text
        assert made.event.pure() == 1, text


def test_one_event_stands_alone_and_several_are_composed() -> None:
    assert not isinstance(asked("SELECT COUNT(*) FROM visits").event, events.Composition)
    chosen = asked("SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town")
    assert chosen.keys is not None
    assert chosen.event == chosen.keys.event
    assert isinstance(asked("SELECT COUNT(*), SUM(day) FROM visits").event, events.Composition)


def test_counts_that_choose_groups_are_paid_once() -> None:
    """Two counts of people: the groups are chosen by the first, and the other has noise of its own."""
    text = "SELECT town, COUNT(DISTINCT person), COUNT(*) FROM people GROUP BY town"
    made = asked(text)
    assert [type(each) for each in made.priced] == [SelectedCounts, NoisyColumns]
    assert made.keys is not None
    assert made.priced[0].event == made.keys.event
    assert made.event.pure() == 1
    public = asked("SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward")
    assert (public.keys, [type(each) for each in public.priced]) == (None, [NoisyColumns])
    assert asked("SELECT COUNT(DISTINCT person) FROM visits").keys is None


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(2), Fraction(-1, 2)])
@pytest.mark.parametrize("amounts", [(Fraction(1), None), (None, Fraction(1))])
def test_groups_that_are_not_public_need_a_delta(amounts: tuple[Any, Any], delta: Fraction) -> None:
    spend = Spend(*amounts, delta)
    with pytest.raises(InvalidQuestion, match="needs a delta between 0 and 1"):
        asked("SELECT town, COUNT(*) FROM visits GROUP BY town", spend)
    assert asked("SELECT ward, COUNT(*) FROM visits GROUP BY ward", spend).keys is None


def test_groups_are_chosen_by_what_shows_groups_of_the_fewest_people() -> None:
    for delta in (Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 3)):
        for keys, text in ((2, "SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town"),
                           (1, "SELECT town, COUNT(*) FROM people GROUP BY town")):  # fmt: skip
            for epsilon in (Fraction(1, 10), Fraction(1), Fraction(5)):
                made = asked(text, Spend(epsilon, None, delta)).keys
                known = {"epsilon": epsilon, "delta": delta, "keys_per_person": keys}
                every = [kind(**known) for kind in (TruncatedGeometricKeys, LaplaceKeys)]  # type: ignore[arg-type]
                half = Fraction(1, 2)
                assert made is not None
                assert made.people_for(half) == min(each.people_for(half) for each in every)


def test_in_zcdp_the_keys_have_the_noise_that_their_share_pays() -> None:
    """Noise of ε/ℓ on each of ℓ keys is ε²/(2ℓ)-zCDP: ε is the largest float that is not above √(2ρℓ)."""
    made = asked("SELECT town, COUNT(*) FROM visits GROUP BY town", RHO).keys
    assert isinstance(made, LaplaceKeys)
    assert made.keys_per_person == 2
    spent = made.epsilon**2 / 4  # type: ignore[operator]
    assert Fraction(1, 2) * (1 - Fraction(1, 10**12)) < spent <= Fraction(1, 2)


# ---- quantiles ----


def quantiles(text: str, spend: Spend, dataset: str = "people") -> ThreeQuantiles:
    (made,) = asked(text, spend, dataset).priced
    assert isinstance(made, ThreeQuantiles)
    return made


@pytest.mark.parametrize(
    ("text", "dataset", "rows", "groups", "spread"),
    [
        ("SELECT MEDIAN(age) FROM people", "people", 1, 1, False),
        ("SELECT MEDIAN(day) FROM visits", "people", 3, 1, False),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "people", 3, 2, False),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "cut", 6, 1, True),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "rows", 1, 1, False),
    ],
)
def test_a_quantile_has_half_of_the_share_and_its_ends_a_quarter_each(
    text: str, dataset: str, rows: int, groups: int, spread: bool
) -> None:
    """A person holds `rows` values a group and moves every score by so many: ε is for all of them, and all groups."""
    made = quantiles(text, ONE, dataset)
    assert [Fraction(each.epsilon) * rows * groups for each in made.quantiles] == [  # type: ignore[arg-type]
        Fraction(1, 2), Fraction(1, 4), Fraction(1, 4),
    ]  # fmt: skip
    assert made.event.pure() == 1
    made = quantiles(text, RHO, dataset)
    # of bounded range ε²/8; of a person whose rows may be in any groups ε²/2
    spent = [(Fraction(each.epsilon) * rows) ** 2 * groups / (2 if spread else 8) for each in made.quantiles]  # type: ignore[arg-type]
    for found, part in zip(spent, (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), strict=True):
        assert part * (1 - Fraction(1, 10**12)) < found <= part
    assert made.event.zcdp() == sum(spent)
    assert isinstance(made.event, events.Composition)
    assert {type(event) for event, _ in made.event.parts} == {events.Pure if spread else events.Exponential}


@pytest.mark.parametrize(("cut", "kind", "rho"), [(1, events.Exponential, 8), (2, events.Pure, 2), (3, events.Pure, 2)])
def test_two_rows_in_all_may_already_be_in_two_groups(cut: int, kind: type, rho: int) -> None:
    """Then losses of several groups add up, and the bound of one group's range, ε²/8, does not hold for their sum."""
    day = Ref(0, Field("day", Kind.INTEGER, Range(Fraction(0), Fraction(9), Fraction(1))))
    values = Values(of=day, step=Fraction(1), low=0, high=9, q=Fraction(1, 2))
    made = values.price(Fraction(1), Bounds(1, 1, cut), RHO, grouped=True, beta=Fraction(1, 20))
    assert isinstance(made.event, events.Composition)
    assert {type(event) for event, _ in made.event.parts} == {kind}
    spent = (Fraction(made.quantiles[0].epsilon) * cut) ** 2 / rho  # type: ignore[arg-type]
    assert Fraction(1, 2) * (1 - Fraction(1, 10**12)) < spent <= Fraction(1, 2)


def test_the_ends_aim_beyond_the_quantile_by_what_it_is_off() -> None:
    made = quantiles("SELECT MEDIAN(day) FROM visits", ONE)
    middle, low, high = made.quantiles
    assert (middle.shift, low.shift) == (0, -high.shift)
    off = low.error(Fraction(1, 40)).alpha  # each end fails with half of 1 - 95 %
    assert high.shift - 1 < off <= high.shift
    assert made.q == Fraction(1, 2)
    assert made.reach(Fraction(1, 20)) == 0
    assert made.expected(Fraction(1, 20)) == middle.error(Fraction(1, 20)).alpha
    assert [(each.lower, each.upper, each.grid) for each in made.quantiles] == [(0, 364, 1)] * 3


def test_error_bars_are_for_ninety_five_in_a_hundred_unless_said() -> None:
    text = "SELECT MEDIAN(day) FROM visits"
    assert asked(text).confidence == Fraction(95, 100)
    surer = asked(text, confidence=Fraction(99, 100))
    assert isinstance(surer.priced[0], ThreeQuantiles)
    assert surer.priced[0].quantiles[2].shift > quantiles(text, ONE).quantiles[2].shift


# ---- what the ledger knows a question by ----


def test_a_priced_question_is_known_by_what_decides_its_release() -> None:
    """Stored answers are found by this document: it must not change, and everything in it must count."""
    made = asked("SELECT COUNT(*), MEDIAN(day) FROM visits")
    assert made.canonical() == {
        "question": made.question.canonical(),
        "measures": [each.canonical() for each in made.measures.measures],
        "bounds": [3, 1, None],
        "event": made.event.to_json(),
        "quantiles": [["1/12", 0], ["1/24", -231], ["1/24", 231]],
    }


# ---- errors ----


def test_counts_that_chose_the_groups_are_as_far_off_as_the_choice() -> None:
    (made,) = asked("SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town").priced
    assert isinstance(made, SelectedCounts)
    beta = Fraction(1, 20)
    assert made.reach(beta) == made.expected(beta) == int(made.selection.error(beta).alpha) > 0
    (noisy,) = asked("SELECT COUNT(*) FROM visits").priced
    assert isinstance(noisy, NoisyColumns)
    assert noisy.reach(beta) == noisy.expected(beta) == noisy.noise.reach(beta) > 0
