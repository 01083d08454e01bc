"""The price of a question: what is split among measures, how groups are chosen, and what the ledger knows it by."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from planned import DATASETS, VISITS, PublicRows
from sfumato.accounting import events
from sfumato.data import Dataset, Kind
from sfumato.errors import InvalidParameter, InvalidQuestion
from sfumato.mechanisms import LaplaceKeys, TruncatedGeometricKeys
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.bounds import NO_WISH, Bounds, Wish
from sfumato.query.expression import Field, Ref
from sfumato.query.measures import Values
from sfumato.query.postprocess import answers_of
from sfumato.query.price import person_bounds
from sfumato.query.priced import NoisyCells, SelectedCounts
from sfumato.query.quantiles import PricedQuantile
from sfumato.query.range import Range

ONE = Spend(Fraction(1), None, Fraction(1, 10**6))
RHO = Spend(None, Fraction(1), Fraction(1, 10**6))


def asked(text: str, spend: Spend = ONE, dataset: str = "people", **other: Any) -> PricedQuery:
    """A question with its price."""
    return price(plan_question(text, DATASETS[dataset], PublicRows()), DATASETS[dataset], spend, **other)


# ---- how a person is bounded ----


def bounded(text: str, dataset: str, **other: Any) -> Bounds:
    return person_bounds(plan_question(text, DATASETS[dataset], PublicRows()), DATASETS[dataset], **other)


ALL, BY_WARD = "SELECT COUNT(*) FROM visits", "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
BY_TOWN, BY_DAY = "SELECT town, COUNT(*) FROM visits GROUP BY town", "SELECT day, COUNT(*) FROM visits GROUP BY day"
BY_AGE = "SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age"
WAYS: tuple[tuple[str, str, Bounds, Bounds], ...] = (
    # k rows in each of ℓ groups: k·ℓ in all, and where squares add up k in one
    (ALL, "people", Bounds(3), Bounds(3)),
    (BY_WARD, "people", Bounds(6, keys=2, in_parts=True), Bounds(6, 3, keys=2, in_parts=True)),
    ("SELECT paid, COUNT(*) FROM visits GROUP BY paid", "people",
     Bounds(6, keys=2, in_parts=True), Bounds(6, 3, keys=2, in_parts=True)),  # true, false, and neither
    ("SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 1 ELSE 1 END", "people", Bounds(3), Bounds(3)),
    (BY_TOWN, "people", Bounds(6, None, 2, 2), Bounds(6, 3, 2, 2)),
    (BY_AGE, "people", Bounds(3, in_parts=True), Bounds(3, in_parts=True)),  # a person has one age, and is held to it
    ("SELECT p.age, v.town, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age, v.town", "people",
     Bounds(6, None, 2, 2), Bounds(6, 3, 2, 2)),
    ("SELECT p.age, v.ward, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age, v.ward", "total",
     Bounds(6, keys=6, in_parts=True), Bounds(6, keys=6, in_parts=True)),  # one of the keys is not the person's own
    # R in all
    (ALL, "total", Bounds(6), Bounds(6)),
    (BY_WARD, "total", Bounds(6, keys=4), Bounds(6, keys=4)),  # three wards, and none
    (BY_DAY, "total", Bounds(6, keys=6, in_parts=True), Bounds(6, keys=6, in_parts=True)),
    (BY_TOWN, "total", Bounds(6, None, 3, 3), Bounds(6, None, 3, 3)),  # three groups, unless the asker says otherwise
    (BY_AGE, "total", Bounds(6, in_parts=True), Bounds(6, in_parts=True)),
    # both: whatever is less
    (ALL, "both", Bounds(3), Bounds(3)),
    (BY_WARD, "both", Bounds(4, keys=2, in_parts=True), Bounds(4, 3, keys=2, in_parts=True)),
    (BY_DAY, "both", Bounds(4, keys=2, in_parts=True), Bounds(4, 3, keys=2, in_parts=True)),
    (BY_TOWN, "both", Bounds(4, None, 2, 2), Bounds(4, 3, 2, 2)),
    # a table that was cut, and protected rows: nobody has more
    (ALL, "cut", Bounds(6, cut=True), Bounds(6, cut=True)),
    (BY_WARD, "cut", Bounds(6, keys=4, cut=True), Bounds(6, keys=4, cut=True)),
    (BY_DAY, "cut", Bounds(6, keys=6, cut=True), Bounds(6, keys=6, cut=True)),
    (BY_TOWN, "cut", Bounds(6, keys=6, cut=True), Bounds(6, keys=6, cut=True)),
    (BY_AGE, "cut", Bounds(3, in_parts=True), Bounds(3, in_parts=True)),
    (ALL, "rows", Bounds(1, cut=True), Bounds(1, cut=True)),
    ("SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region", "rows", Bounds(2, keys=2, cut=True), Bounds(2, keys=2, cut=True)),
    # one row a person, and several of their own
    ("SELECT age, COUNT(*) FROM people GROUP BY age", "people", Bounds(1, in_parts=True), Bounds(1, in_parts=True)),
    ("SELECT town, COUNT(*) FROM people GROUP BY town", "people", Bounds(1, None, 1, 1), Bounds(1, None, 1, 1)),
    ("SELECT COUNT(*) FROM people", "several", Bounds(2), Bounds(2)),
    # unions and lines of a person and key
    ("SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward", "both",
     Bounds(8, keys=4), Bounds(8, 6, keys=4)),
    ("SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward", "both",
     Bounds(4, keys=2, in_parts=True), Bounds(4, 3, keys=2, in_parts=True)),
    ("SELECT COUNT(*) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t", "total", Bounds(1, cut=True), Bounds(1, cut=True)),
)  # fmt: skip


@pytest.mark.parametrize(("text", "dataset", "made", "apart"), WAYS, ids=[f"{way[1]}: {way[0]}" for way in WAYS])
def test_a_person_is_bounded_as_was_declared_and_in_no_more_groups_than_there_are(
    text: str, dataset: str, made: Bounds, apart: Bounds
) -> None:
    """Where noise is for all groups together what is in one decides nothing; it does where squares add up."""
    assert bounded(text, dataset) == made
    assert asked(text, dataset=dataset).bounds == _as_taken(text, made, apart)
    assert bounded(text, dataset, apart=True) == asked(text, RHO, dataset).bounds == apart
    assert asked(text, ONE, dataset, apart=True).bounds == apart
    assert asked(text, RHO, dataset, apart=False).bounds == made


def _as_taken(text: str, made: Bounds, apart: Bounds) -> Bounds:
    """Where groups are found by the rows that are counted, what may be in one of them decides."""
    return apart if apart.picked is not None and "COUNT(*)" in text else made


def test_one_row_of_a_person_in_a_group_makes_rows_of_people() -> None:
    """Then they are counted already, to choose the groups; so this bound is kept even where it decides nothing."""
    visits = replace(VISITS, rows_per_group=1, groups_per_person=5)
    known = replace(DATASETS["people"], tables=(DATASETS["people"].tables[0], visits, *DATASETS["people"].tables[2:]))
    question = plan_question(BY_TOWN, known, PublicRows())
    assert person_bounds(question, known) == Bounds(5, 1, 5, 5)
    assert [type(each) for each in price(question, known, ONE).priced] == [SelectedCounts]
    assert person_bounds(plan_question(BY_WARD, known, PublicRows()), known) == Bounds(4, keys=4)


def test_nobody_has_more_rows_than_numbers_hold() -> None:
    """However much is declared, a person weighs 2**40 rows at most; what is less is kept."""
    for groups, total in ((10**3, 10**12), (1100, 2**40), (10**9, 2**40)):
        visits = replace(VISITS, rows_per_group=10**9, groups_per_person=groups)
        known = replace(
            DATASETS["people"], tables=(DATASETS["people"].tables[0], visits, *DATASETS["people"].tables[2:])
        )
        assert person_bounds(plan_question(BY_TOWN, known, PublicRows()), known).total == total


WISHES: tuple[tuple[str, str, Wish, Bounds], ...] = (
    (ALL, "people", Wish(rows=2), Bounds(2)),
    (ALL, "people", Wish(rows=3), Bounds(3)),
    (BY_WARD, "total", Wish(rows=1), Bounds(1, keys=4)),
    (BY_WARD, "both", Wish(rows=2), Bounds(2, keys=2, in_parts=True)),
    (BY_TOWN, "total", Wish(groups=1), Bounds(6, None, 1, 1)),
    (BY_TOWN, "total", Wish(groups=6), Bounds(6, None, 6, 6)),  # more than the few that are usual, and no more than rows
    (BY_TOWN, "total", Wish(rows=2, groups=5), Bounds(2, None, 2, 2)),
    (BY_TOWN, "people", Wish(groups=1), Bounds(3, None, 1, 1)),  # fewer groups, fewer rows
    (BY_TOWN, "both", Wish(groups=2), Bounds(4, None, 2, 2)),
    (ALL, "cut", Wish(rows=6), Bounds(6, cut=True)),
    (ALL, "cut", Wish(rows=5), Bounds(5)),  # less than was cut: then rows are weighted
    (BY_TOWN, "cut", Wish(groups=2), Bounds(6, None, 2, 2)),
)  # fmt: skip


@pytest.mark.parametrize(("text", "dataset", "wish", "made"), WISHES, ids=[f"{w[1]} {w[2]}: {w[0]}" for w in WISHES])
def test_an_asker_may_let_less_of_a_person_count(text: str, dataset: str, wish: Wish, made: Bounds) -> None:
    assert bounded(text, dataset, wish=wish) == made
    apart = bounded(text, dataset, wish=wish, apart=True)
    assert asked(text, dataset=dataset, wish=wish).bounds == _as_taken(text, made, apart)
    assert asked(text, dataset=dataset, wish=wish).wish == wish


def test_less_of_a_person_is_less_noise_and_another_question() -> None:
    full, less = asked(BY_WARD, dataset="total"), asked(BY_WARD, dataset="total", wish=Wish(rows=2))
    (one,), (other,) = full.priced, less.priced
    assert isinstance(one, NoisyCells)
    assert isinstance(other, NoisyCells)
    assert (one.noise.scale, other.noise.scale) == (6 * 2**30, 2 * 2**30)  # type: ignore[attr-defined]
    assert full.canonical() != less.canonical()


@pytest.mark.parametrize(
    ("text", "dataset", "wish", "problem"),
    [
        (ALL, "people", Wish(rows=4), "rows must be a whole number from 1 to 3"), (ALL, "people", Wish(rows=0), "from 1 to 3"),
        (ALL, "people", Wish(rows=-1), "from 1 to 3"), (ALL, "people", Wish(rows=True), "a whole number"),
        (ALL, "people", Wish(rows=2.0), "a whole number"),  # type: ignore[arg-type]
        (BY_TOWN, "people", Wish(groups=3), "groups must be a whole number from 1 to 2"), (BY_TOWN, "people", Wish(groups=0), "from 1 to 2"),
        (BY_TOWN, "total", Wish(groups=7), "from 1 to 6"), (BY_TOWN, "people", Wish(rows=4, groups=1), "from 1 to 3"),
        (BY_TOWN, "both", Wish(rows=5), "from 1 to 4"), (ALL, "cut", Wish(rows=7), "from 1 to 6"),
        (BY_WARD, "people", Wish(groups=1), "is for groups that are not public"), (ALL, "people", Wish(groups=1), "not public"),
        (ALL, "rows", Wish(rows=1), "each row is protected"), (BY_TOWN, "rows", Wish(groups=1), "each row is protected"),
    ],
)  # fmt: skip
def test_a_wish_is_within_what_the_owner_allows(text: str, dataset: str, wish: Wish, problem: str) -> None:
    with pytest.raises(InvalidParameter, match=problem):
        bounded(text, dataset, wish=wish)


def test_no_wish_is_the_owners_word() -> None:
    assert Wish() == NO_WISH
    assert bounded(BY_TOWN, "total", wish=Wish()) == bounded(BY_TOWN, "total")
    assert bounded(ALL, "rows", wish=Wish()) == Bounds(1, cut=True)


def with_totals(dataset: str) -> Dataset:
    """The dataset with totals of cost and age that are less than what rows may add up to."""
    totals, known = {"cost": Fraction(150), "age": Fraction(50)}, DATASETS[dataset]
    tables = [replace(t, columns=tuple(replace(c, total=totals.get(c.name)) for c in t.columns)) for t in known.tables]
    return replace(known, tables=tuple(tables))


def hidden_without_being_held(dataset: str, text: str) -> bool:
    """Whether a sum is priced for less than its rows may add up to, and no weight sees to it."""
    known = with_totals(dataset)
    query = price(plan_question(text, known, PublicRows()), known, ONE)
    (measure,) = query.measures.measures
    return (
        query.weights.alone is None
        and measure.moves(query.bounds, grouped=False).l1 < query.bounds.total * measure.unit
    )


@pytest.mark.parametrize("text", ["SELECT SUM(cost) FROM visits", "SELECT SUM(age) FROM people"])
@pytest.mark.parametrize("dataset", ["people", "total", "both"])
def test_a_declared_total_is_the_price_where_totals_are_held(dataset: str, text: str) -> None:
    assert not hidden_without_being_held(dataset, text)


@pytest.mark.parametrize(
    ("dataset", "text"), [("cut", "SELECT SUM(cost) FROM visits"), ("rows", "SELECT SUM(age) FROM people")]
)
def test_a_total_that_nothing_holds_is_no_price(dataset: str, text: str) -> None:
    assert not hidden_without_being_held(dataset, text)


def test_bounds_are_known_by_all_that_they_say() -> None:
    made = Bounds(6, 3, 4, 5, in_parts=True)
    assert made.canonical() == [6, 3, 4, 5, True, False]
    every = [made, replace(made, total=7), replace(made, rows=None), replace(made, picked=None), replace(made, keys=1),
             replace(made, in_parts=False), replace(made, cut=True)]  # fmt: skip
    assert len({repr(each.canonical()) for each in every}) == len(every)
    assert [Bounds(6).rows_in_group, Bounds(6, 3).rows_in_group, Bounds(2, 3).rows_in_group] == [6, 3, 2]


def test_the_heaviest_groups_hold_as_much_as_they_may() -> None:
    assert Bounds(6).heaviest([5, 3]) == 30
    assert Bounds(6, 4).heaviest([5, 3]) == 4 * 5 + 2 * 3
    assert Bounds(6, 2).heaviest([5, 3]) == 2 * 5 + 2 * 3
    assert Bounds(6, 2).heaviest([]) == 0


def test_an_amount_is_in_one_currency() -> None:
    assert (ONE.amount, RHO.amount) == (1, 1)  # type: ignore[comparison-overlap]
    assert Spend(Fraction(1, 3), None, Fraction(0)).amount == Fraction(1, 3)
    assert Spend(None, Fraction(1, 4), Fraction(0)).amount == Fraction(1, 4)


# ---- the split ----


def shares(made: PricedQuery) -> dict[tuple[str, ...], Fraction]:
    """What is spent on every block, by the kinds of its columns in their order."""
    kinds = [each.kind for each in made.measures.measures]
    return {tuple(sorted(kinds[place] for place in each.columns if place >= 0)): each.share for each in made.priced}


def test_every_answer_has_an_even_share_and_all_together_cost_what_is_spent() -> None:
    """Columns that are measured together have what all answers that are made of them have."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    for text, wanted in (
        ("SELECT COUNT(*) FROM visits", {("rows",): Fraction(1)}),
        ("SELECT AVG(cost) FROM visits", {("present", "sum"): Fraction(1)}),
        ("SELECT COUNT(*), COUNT(DISTINCT person), SUM(day), MEDIAN(cost) FROM visits",
         {("rows", "sum"): half, ("people",): quarter, ("quantile",): quarter}),
        ("SELECT town, COUNT(*) FROM visits GROUP BY town", {("rows",): Fraction(1)}),  # which chooses towns as well
        ("SELECT town, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY town", {("people", "rows"): Fraction(1)}),
        ("SELECT town, COUNT(DISTINCT day) FROM visits GROUP BY town", {("distinct",): half}),  # and the choice of towns
        ("SELECT ward, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY ward", {("people",): half, ("rows",): half}),
    ):  # fmt: skip
        made = asked(text)
        assert shares(made) == wanted, text
        assert made.event.pure() == 1, text
        if "town" not in text:
            assert sum(shares(asked(text, RHO)).values()) == sum(wanted.values()), text


def test_an_answer_that_is_worth_more_has_as_much_more() -> None:
    """What is named is worth so much beside one for all others; an answer made of several lends its worth to each."""
    text = "SELECT COUNT(*) AS n, COUNT(DISTINCT person) AS p, MEDIAN(cost) AS m FROM visits"
    made = asked(text, wish=Wish(weigh=(("n", Fraction(2)),)))
    assert shares(made) == {("rows",): Fraction(1, 2), ("people",): Fraction(1, 4), ("quantile",): Fraction(1, 4)}
    assert made.event.pure() == 1
    assert made.canonical() != asked(text).canonical()
    both = "SELECT COUNT(*) / COUNT(DISTINCT person) AS r, MEDIAN(cost) AS m FROM visits"
    worth = shares(asked(both, wish=Wish(weigh=(("r", Fraction(3)), ("m", Fraction(1, 2))))))
    assert worth == {("rows",): Fraction(6, 13), ("people",): Fraction(6, 13), ("quantile",): Fraction(1, 13)}
    chosen = "SELECT town, COUNT(DISTINCT day) AS n FROM visits GROUP BY town"  # the choice of groups is worth one
    assert shares(asked(chosen, wish=Wish(weigh=(("n", Fraction(3)),)))) == {("distinct",): Fraction(3, 4)}


def test_what_is_told_of_those_who_have_more_is_taken_before_the_rest_is_split() -> None:
    text = "SELECT COUNT(*), COUNT(DISTINCT person) FROM visits"
    made = asked(text, wish=Wish(beyond=True), dataset="total")
    assert set(shares(made).values()) == {Fraction(9, 20)}


def test_one_event_stands_alone_and_several_are_composed() -> None:
    assert not isinstance(asked("SELECT COUNT(*) FROM visits").event, events.Composition)
    chosen = asked("SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town")
    assert chosen.keys is not None
    assert chosen.event == chosen.keys.event
    assert isinstance(asked("SELECT COUNT(*), COUNT(DISTINCT person) FROM visits").event, events.Composition)


def test_counts_that_choose_groups_are_paid_once() -> None:
    """Two counts of people: the groups are chosen by the first, and the other has noise of its own."""
    text = (
        "SELECT town, COUNT(DISTINCT person), COUNT(DISTINCT person) FILTER (WHERE age > 30) FROM people GROUP BY town"
    )
    made = asked(text)
    assert [type(each) for each in made.priced] == [SelectedCounts, NoisyCells]
    assert made.keys is not None
    assert made.priced[0].event == made.keys.event
    assert made.event.pure() == 1
    public = asked("SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward")
    assert (public.keys, [type(each) for each in public.priced]) == (None, [NoisyCells])
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


def quantiles(text: str, spend: Spend, dataset: str = "people") -> PricedQuantile:
    (made,) = asked(text, spend, dataset).priced
    assert isinstance(made, PricedQuantile)
    return made


@pytest.mark.parametrize(
    ("text", "dataset", "rows", "times", "bits"),
    [
        ("SELECT MEDIAN(age) FROM people", "people", 1, 1, 0),
        ("SELECT MEDIAN(day) FROM visits", "people", 3, 1, 12),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "people", 3, 2, 12),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "total", 6, 1, 12),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "both", 3, 2, 12),  # four in threes are twice as many
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "cut", 6, 1, 0),
        ("SELECT ward, MEDIAN(day) FROM visits GROUP BY ward", "rows", 1, 1, 0),
    ],
)
def test_a_quantile_has_three_quarters_of_the_share_and_its_bar_the_rest(
    text: str, dataset: str, rows: int, times: int, bits: int
) -> None:
    """ε is whole in every group, for what a person weighs in all; ρ is for `times` groups of what is in one."""
    parts = (Fraction(3, 4), Fraction(1, 4))
    made, total = quantiles(text, ONE, dataset), asked(text, ONE, dataset).bounds.total
    assert made.bits == bits
    assert tuple(Fraction(each.epsilon) * total * 2**bits for each in made.quantiles) == parts  # type: ignore[arg-type]
    assert made.event.pure() == 1
    assert isinstance(made.event, events.Composition)
    assert {type(event) for event, _ in made.event.parts} == {events.PermuteAndFlip}
    assert {each.by for each in made.quantiles} == {made.by} == {"permute_and_flip"}
    assert sum(many for _, many in made.event.parts) == 2
    made = quantiles(text, RHO, dataset)
    spent = [(Fraction(each.epsilon) * rows * 2**bits) ** 2 * times / 8 for each in made.quantiles]  # type: ignore[arg-type]
    for found, part in zip(spent, parts, strict=True):
        assert part * (1 - Fraction(1, 10**12)) < found <= part
    assert made.event.zcdp() == sum(spent)
    assert isinstance(made.event, events.Composition)
    assert {type(event) for event, _ in made.event.parts} == {events.Exponential}
    assert {each.by for each in made.quantiles} == {made.by} == {"exponential"}
    assert sum(many for _, many in made.event.parts) == 2 * times


DAY = Ref(0, Field("day", Kind.INTEGER, Range(Fraction(0), Fraction(9), Fraction(1))))
VALUES = Values(of=DAY, step=Fraction(1), low=0, high=9, q=Fraction(1, 2))


@pytest.mark.parametrize(("total", "rows"), [(1, None), (6, 3), (4, 3), (7, 2), (5, 1), (3, None), (2, 5)])
def test_all_groups_of_a_person_together_lose_what_a_quantile_costs(total: int, rows: int | None) -> None:
    """Over every way to place rows: losses add up to ε at most, and at ρ their squares over eight to ρ."""
    limits = Bounds(total, rows)
    placings = [made for made in product(range(limits.rows_in_group + 1), repeat=3) if sum(made) <= total]
    for bits in (0, 12):
        pure = VALUES.price(Fraction(1), limits, ONE, bits=bits, beta=Fraction(1, 20), place=0)
        lost = [Fraction(each.epsilon) * 2**bits for each in pure.quantiles]  # type: ignore[arg-type]
        assert max(sum(lost) * sum(made) for made in placings) <= pure.event.pure()  # type: ignore[operator]
        made = VALUES.price(Fraction(1), limits, RHO, bits=bits, beta=Fraction(1, 20), place=0)
        lost = [Fraction(each.epsilon) * 2**bits for each in made.quantiles]  # type: ignore[arg-type]
        squares = [sum((each * part) ** 2 for each in lost for part in placed) / 8 for placed in placings]
        assert max(squares) <= made.event.zcdp() <= 1  # type: ignore[operator]


def test_a_quantile_whose_groups_were_paid_once_would_be_caught() -> None:
    """A twin: at ρ the ε of one group, for a person who fills two, is more than was paid."""
    made = VALUES.price(Fraction(1), Bounds(6, 3), RHO, bits=0, beta=Fraction(1, 20), place=0)
    alone = VALUES.price(Fraction(1), Bounds(3, 3), RHO, bits=0, beta=Fraction(1, 20), place=0)

    def in_two_groups(each: PricedQuantile) -> Fraction:
        return sum((2 * (3 * Fraction(q.epsilon)) ** 2 / 8 for q in each.quantiles), Fraction(0))  # type: ignore[arg-type]

    assert in_two_groups(made) <= 1 < in_two_groups(alone)


def test_a_bar_aims_at_a_margin_that_so_few_intervals_need() -> None:
    made = quantiles("SELECT MEDIAN(day) FROM visits", ONE)
    assert made.bar is not None
    own, bar = made.quantiles
    assert bar is made.bar.of
    off = made.bar.error(Fraction(1, 20)).alpha  # all of 1 - 95 %, for both ends are one choice
    assert made.bar.margin - 1 < off <= made.bar.margin
    assert made.bar.margin < bar.error(Fraction(1, 20)).alpha, "fewer than all points of the grid"
    assert made.q == Fraction(1, 2)
    assert made.bits == 12
    assert made.expected(Fraction(1, 20)) == own.error(Fraction(1, 20)).alpha / 2**12  # ranks of whole rows
    assert [(each.lower, each.upper, each.grid, each.shift) for each in made.quantiles] == [(0, 364, 1, 0)] * 2


def test_error_bars_are_for_ninety_five_in_a_hundred_unless_said() -> None:
    text = "SELECT MEDIAN(day) FROM visits"
    assert asked(text).confidence == Fraction(95, 100)
    (surer,), usual = asked(text, confidence=Fraction(99, 100)).priced, quantiles(text, ONE)
    assert isinstance(surer, PricedQuantile)
    assert surer.bar is not None
    assert usual.bar is not None
    assert surer.bar.margin > usual.bar.margin


@pytest.mark.parametrize("spend", [ONE, RHO])
@pytest.mark.parametrize("bar", [Fraction(0), Fraction(1, 100), Fraction(1, 8), Fraction(1, 4)])
def test_what_a_bar_costs_is_the_askers(bar: Fraction, spend: Spend) -> None:
    """Twice the share of a side; with none there is nothing but the quantile, at the whole price."""
    made = VALUES.price(Fraction(1), Bounds(1), spend, bits=0, beta=Fraction(1, 20), bar=bar)
    assert (made.bar is None) == (bar == 0)
    power, over = (1, 1) if spend is ONE else (2, 8)
    parts = [float(each.epsilon) ** power / over for each in made.quantiles]
    assert parts == pytest.approx([float(1 - 2 * bar), float(2 * bar)] if bar else [1.0])
    assert made.canonical() != VALUES.price(
        Fraction(1), Bounds(1), spend, bits=0, beta=Fraction(1, 20), bar=Fraction(1, 16)
    ).canonical()  # fmt: skip
    price = made.event.pure() if spend is ONE else made.event.zcdp()
    assert 1 - Fraction(1, 10**12) < price <= 1  # type: ignore[operator]


@pytest.mark.parametrize("bar", [Fraction(-1, 8), Fraction(251, 1000), Fraction(1, 2)])
def test_a_bar_of_more_than_half_of_the_price_is_refused(bar: Fraction) -> None:
    with pytest.raises(InvalidParameter, match="bar"):
        VALUES.price(Fraction(1), Bounds(1), ONE, bits=0, beta=Fraction(1, 20), bar=bar)


# ---- what the ledger knows a question by ----


def test_a_priced_question_is_known_by_what_decides_its_release() -> None:
    """Stored answers are found by this document: it must not change, and everything in it must count."""
    made = asked("SELECT COUNT(*), MEDIAN(day) FROM visits")
    assert made.canonical() == {
        "question": made.question.canonical(),
        "measures": [each.canonical() for each in made.measures.measures],
        "bounds": [3, None, None, 1, False, False],
        "weights": [30, None, False],
        "event": made.event.to_json(),
        "cells": [
            [
                "quantile",
                [0],
                ["1/32768", "permute_and_flip"],
                ["1/98304", "permute_and_flip", 504870, "halves of octaves"],
            ],
            ["separate", [1], [[1]], 30],
        ],
    }
    joint = asked("SELECT COUNT(*), AVG(day) FROM visits")
    cells = [[1, 182, 0], [-1, 182, 0], [0, -364, 364]]  # x - l, u - x, and rows without a value
    assert joint.canonical()["cells"] == [["joint_cells", [2, 0, 1], cells, 30]]
    chosen = asked("SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town")
    assert chosen.canonical()["cells"] == [["selected", [0]]]


def test_what_bounds_a_person_and_how_is_part_of_what_a_question_is_known_by() -> None:
    text = "SELECT ward, SUM(day) FROM visits GROUP BY ward"
    made = asked(text)
    others = [replace(made, bounds=replace(made.bounds, total=5)), replace(made, bounds=replace(made.bounds, keys=3)),
              replace(made, weights=replace(made.weights, bits=29)), replace(made, weights=replace(made.weights, alone=None)),
              replace(made, weights=replace(made.weights, picks=True)), asked(text, wish=Wish(rows=5)), asked(text, apart=True)]  # fmt: skip
    assert len({repr(each.canonical()) for each in (made, *others)}) == 1 + len(others)


# ---- errors ----


def test_counts_that_chose_the_groups_are_as_far_off_as_the_choice() -> None:
    query = asked("SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town")
    (made,) = query.priced
    assert isinstance(made, SelectedCounts)
    beta = Fraction(1, 20)
    ((_, off),) = answers_of(query, beta)
    assert off.reach(1) == int(made.selection.error(beta).alpha) > 0
    query = asked("SELECT COUNT(*) FROM visits")
    (noisy,), ((_, off),) = query.priced, answers_of(query, beta)
    assert isinstance(noisy, NoisyCells)
    assert off.reach(1) == Fraction(noisy.noise.reach(beta), 2**30) > 0


# ---- how many have more than counts ----


def told(text: str, spend: Spend, excess: int | None) -> Any:
    known = DATASETS["total"]
    visits = replace(known.tables[1], excess=excess)
    known = replace(known, tables=(known.tables[0], visits, *known.tables[2:]))
    return price(plan_question(text, known, PublicRows()), known, spend, wish=Wish(beyond=True))


@pytest.mark.parametrize("spend", [ONE, RHO])
@pytest.mark.parametrize("excess", [None, 7])
def test_how_many_have_more_is_a_tenth_of_the_price_and_part_of_the_question(spend: Spend, excess: int | None) -> None:
    made = told(ALL, spend, excess)
    (each,) = made.priced
    assert each.share == Fraction(9, 10)
    spent = made.event.pure() if spend is ONE else made.event.zcdp()
    alone = each.event.pure() if spend is ONE else each.event.zcdp()
    assert alone <= Fraction(9, 10) < spent <= 1, "both are paid for"
    assert Fraction(999, 1000) < spent
    assert made.canonical()["beyond"] == made.beyond.canonical()
    assert "beyond" not in asked(ALL, spend, "total").canonical()
    assert (made.beyond.most, made.beyond.rows is None) == ((0, True) if excess is None else (7, False))


def test_rows_beyond_are_told_as_the_private_tables_that_are_read_declare() -> None:
    """A public table and the person's own say nothing of it; a sum alone has totals, and no rows, beyond."""
    for text, most in (
        ("SELECT COUNT(*) FROM visits v JOIN people p USING (person)", 7),
        ("SELECT COUNT(*) FROM visits JOIN towns USING (town)", 7),
        ("SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t", 7),
        ("SELECT COUNT(*) FROM items i JOIN visits v ON i.visit = v.visit", 0),  # items do not say
        ("SELECT SUM(day) FROM visits", 0),
        ("SELECT SUM(day), COUNT(*) FROM visits", 7),
    ):
        assert told(text, ONE, 7).beyond.most == most, text
