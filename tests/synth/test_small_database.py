"""SmallDB against brute force: levels, the exact law, one person's mark on it, and its accuracy."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import pytest
from scipy import stats

from sfumato.accounting import total
from sfumato.core import Change, IntegerInterval
from sfumato.errors import InvalidParameter
from sfumato.exact.law import output_law
from sfumato.mechanisms import LinearQueries, small_database_accuracy, small_database_size
from sfumato.synth import (
    CountedPeople,
    GuessedPeople,
    HierarchyWorkload,
    HistogramDatabase,
    KnownPeople,
    MatrixWorkload,
    PrefixWorkload,
    RangeWorkload,
    SmallDatabase,
    Workload,
)
from sfumato.synth.candidates import ListedSpace, PrivateAnswers
from sfumato.synth.hierarchy_workload import laminar_tree
from sfumato.synth.laminar_candidates import LaminarSpace
from sources import SeededBits

Counts = tuple[int, ...]
THREE = IntegerInterval(0, 2)
ABOUT = 1 + 1e-12


def databases(types: int, records: int) -> list[Counts]:
    return [y for y in itertools.product(range(records + 1), repeat=types) if sum(y) == records]


def some_workloads() -> dict[str, Workload]:
    return {
        "prefixes": PrefixWorkload(THREE),
        "cells": HierarchyWorkload(THREE, ((0,), (1,), (2,))),
        "tree": HierarchyWorkload(THREE, ((0, 1, 2), (0, 1), (1,), (1,), ())),
        "one set": HierarchyWorkload(THREE, ((0, 2),)),
        "ranges that cross": RangeWorkload(THREE, ((0, 1), (1, 2))),
        "thirds": MatrixWorkload.of([lambda v: Fraction(v, 3), lambda v: v == 1], THREE),
    }


WORKLOADS = some_workloads()
TOLD_APART = [  # no two members are of one kind, so that a draw takes few words
    ("prefixes", (2, 0, 1)),
    ("cells", (0, 3, 0)),
    ("tree", (1, 1, 1)),
    ("ranges that cross", (0, 1, 2)),
    ("thirds", (1, 2, 0)),
]


def miss(workload: Workload, x: Counts, y: Counts, people: int) -> Fraction:
    """max |q(x) - (n̂/m)·q(y)| over the queries, in plain Fractions."""
    rows = [workload.weights_of(query).tolist() for query in range(len(workload))]
    of: list[list[int]] = [[sum(w * c for w, c in zip(row, z, strict=True)) for row in rows] for z in (x, y)]
    scale = Fraction(people, sum(y))
    return Fraction(max(abs(a - scale * b) for a, b in zip(*of, strict=True))) / workload.denominator


def level(workload: Workload, x: Counts, y: Counts, people: int, each: int = 1) -> int:
    return math.ceil(miss(workload, x, y, people) / each)


def law_of(mechanism: SmallDatabase, x: Counts, people: int) -> dict[Counts, float]:
    """Pr[y] by the mechanism's own rate and counts, and the levels of brute force."""
    seen = mechanism.candidates(HistogramDatabase(THREE, list(x)), people)
    rate = float(mechanism.rate)
    counts = [seen.within(t) - (seen.within(t - 1) if t else 0) for t in range(seen.last + 1)]
    whole = math.fsum(count * math.exp(-rate * t) for t, count in enumerate(counts))
    chosen = databases(3, mechanism.records)
    law = {y: math.exp(-rate * level(mechanism.workload, x, y, people, mechanism.each)) / whole for y in chosen}
    assert math.isclose(math.fsum(law.values()), 1)
    return law


# ---- counting --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("records", [1, 2, 4])
def test_candidates_are_counted_by_level_as_brute_force_counts_them(name: str, records: int) -> None:
    workload = WORKLOADS[name]
    mechanism = SmallDatabase(workload=workload, epsilon=1, records=records, people=GuessedPeople(3))
    for n, people in itertools.product((0, 1, 3), (1, 3, 5)):
        for x in databases(3, n):
            seen = mechanism.candidates(HistogramDatabase(THREE, list(x)), people)
            levels = [level(workload, x, y, people) for y in databases(3, records)]
            assert [seen.within(t) for t in range(7)] == [sum(found <= t for found in levels) for t in range(7)]
            assert seen.within(seen.last) == len(levels) == mechanism.space.total
            if n == 3:
                threes = replace(mechanism, each=3).candidates(HistogramDatabase(THREE, list(x)), people)
                assert [threes.within(t) for t in range(3)] == [
                    sum(found <= 3 * t for found in levels) for t in range(3)
                ]
                assert threes.within(threes.last) == len(levels)


@pytest.mark.parametrize("name", ["prefixes", "cells", "tree", "one set"])
@pytest.mark.parametrize("records", [1, 3, 5])
def test_counting_by_sets_and_by_listing_agree(name: str, records: int) -> None:
    """The same candidates through both roads, with answers that no database has among the targets."""
    workload = WORKLOADS[name]
    rows = [frozenset(i for i, w in enumerate(workload.weights_of(q)) if w) for q in range(len(workload))]
    root = laminar_tree(rows, 3)
    assert root is not None
    sets = LaminarSpace(root, records)
    listed = SmallDatabase(workload=workload, epsilon=1, records=records, people=GuessedPeople(3)).space
    assert isinstance(listed, ListedSpace)
    assert sets.total == listed.total
    for answers in itertools.product((0, 2, 7), repeat=len(workload)):
        if len(workload) > 3 and answers[2] != answers[3]:
            continue
        if name == "tree" and answers[4]:
            continue
        for each in (1, 3):
            target = PrivateAnswers(answers, 4, each=each)
            one, other = sets.around(target), listed.around(target)
            assert [one.within(t) for t in range(9)] == [other.within(t) for t in range(9)]
            assert one.within(one.last) == one.within(10**6)


def test_crossing_sets_have_no_tree_and_nested_ones_have_one_however_deep() -> None:
    assert laminar_tree([frozenset({0, 1}), frozenset({1, 2})], 3) is None
    deep = PrefixWorkload(IntegerInterval(0, 1199))
    root = laminar_tree([frozenset(range(i + 1)) for i in range(1200)], 1200)
    assert root is not None
    assert HierarchyWorkload(deep.domain, tuple(range(i + 1) for i in range(1200))).move(Change.REPLACE).l1 == 1199


# ---- the law ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "x"), TOLD_APART)
def test_the_output_law_is_that_of_brute_force(name: str, x: Counts) -> None:
    """Every branch of the bits followed: probabilities known to within what was not (Survey Algorithm 8)."""
    workload, epsilon = WORKLOADS[name], 2.0
    mechanism = SmallDatabase(workload=workload, epsilon=epsilon, records=2, people=KnownPeople(3))
    data = HistogramDatabase(THREE, list(x))

    def draw(bits: object) -> Counts:
        y = mechanism.release(data, bits=bits)  # type: ignore[arg-type]
        assert y.factor == Fraction(3, 2)
        return tuple(y.counts.get(v, 0) for v in THREE)

    law = output_law(draw, word_bits=4, runs=2500)
    assert law.unexplored < Fraction(1, 8)
    weights = {y: math.exp(-epsilon * level(workload, x, y, 3) / 2) for y in databases(3, 2)}
    for y, weight in weights.items():
        true = Fraction(weight / math.fsum(weights.values()))
        assert law.agrees(y, true * (1 - Fraction(1, 10**12)), true * (1 + Fraction(1, 10**12)))
        assert abs(law.at(y) / (1 - law.unexplored) - true) < Fraction(1, 50)


def chi_square(drawn: Counter[Counts], weights: dict[Counts, float]) -> float:
    """The p-value of draws over a handful of databases."""
    whole, draws = math.fsum(weights.values()), sum(drawn.values())
    expected = {y: draws * weight / whole for y, weight in weights.items()}
    distance = math.fsum((drawn[y] - mean) ** 2 / mean for y, mean in expected.items())
    return float(stats.chi2.sf(distance, len(weights) - 1))


@pytest.mark.parametrize("by_sets", [True, False])
def test_members_of_one_kind_and_candidates_counted_by_sets_are_drawn_at_their_rates(by_sets: bool) -> None:
    """3000 draws against brute force; another ε or other weights within a kind would be told from it."""
    root = laminar_tree([frozenset({0, 1})], 3)
    assert root is not None
    x, workload = (1, 0, 2), HierarchyWorkload(THREE, ((0, 1),))
    mechanism = SmallDatabase(workload=workload, epsilon=2, records=2, people=KnownPeople(3))
    if by_sets:
        object.__setattr__(mechanism, "space", LaminarSpace(root, 2))
    bits, data = SeededBits(20), HistogramDatabase(THREE, list(x))
    drawn: Counter[Counts] = Counter()
    for _ in range(3000):
        y = mechanism.release(data, bits=bits)
        drawn[tuple(y.counts.get(v, 0) for v in THREE)] += 1
    levels = {y: level(workload, x, y, 3) for y in databases(3, 2)}
    assert chi_square(drawn, {y: math.exp(-far) for y, far in levels.items()}) > 1e-9
    assert chi_square(drawn, {y: math.exp(-1.5 * far) for y, far in levels.items()}) < 1e-9
    by_rows = {y: math.exp(-far) * (1 + (1 in y)) for y, far in levels.items()}  # as if records had an order
    assert chi_square(drawn, by_rows) < 1e-9


# ---- one person ------------------------------------------------------------------------------------------------


def neighbours(people: int, change: Change) -> Iterator[tuple[Counts, Counts]]:
    for x in databases(3, people):
        for place in range(3):
            more = tuple(c + (i == place) for i, c in enumerate(x))
            if change is Change.ADD_REMOVE:
                yield x, more
            else:
                for other in range(3):
                    if other != place and more[other]:
                        yield x, tuple(c - (i == other) for i, c in enumerate(more))


def within_reach(people: int, each: int) -> Iterator[tuple[Counts, Counts]]:
    """Tables that one person of so many records tells apart: at most so far in ℓ1, whatever came and went."""
    for x in databases(3, people):
        for step in itertools.product(range(-each, each + 1), repeat=3):
            other = tuple(a + b for a, b in zip(x, step, strict=True))
            if 0 < sum(map(abs, step)) <= each and min(other) >= 0:
                yield x, other


def largest_loss(law: Callable[[Counts], dict[Counts, float]], pairs: Iterator[tuple[Counts, Counts]]) -> float:
    losses = [0.0]
    for x, other in pairs:
        one, two = law(x), law(other)
        if one.keys() != two.keys():
            return math.inf
        losses += [abs(math.log(one[y] / two[y])) for y in one]
    return max(losses)


@pytest.mark.parametrize("name", WORKLOADS)
def test_no_neighbour_changes_the_probability_of_a_database_by_more_than_the_price(name: str) -> None:
    """For all neighbours, n public and replaced, or private and added; the price is reached up to a quarter."""
    for people in (KnownPeople(4), GuessedPeople(1), GuessedPeople(4), GuessedPeople(9)):
        mechanism = SmallDatabase(workload=WORKLOADS[name], epsilon=1, records=3, people=people)
        price = total([mechanism.event]).epsilon(0.0)
        change = people.neighbours.change

        def law(x: Counts, mechanism: SmallDatabase = mechanism) -> dict[Counts, float]:
            return law_of(mechanism, x, mechanism.people.people)  # type: ignore[attr-defined]

        loss = largest_loss(law, neighbours(4, change))
        assert loss <= price * ABOUT
        if name != "one set" and people.people == 4:
            assert loss > 0.5 * price
    for each in (2, 3):
        several = SmallDatabase(workload=WORKLOADS[name], epsilon=1, records=3, people=GuessedPeople(9), each=each)
        loss = largest_loss(cache(partial(law_of, several, people=9)), within_reach(2, each))
        assert loss <= total([several.event]).epsilon(0.0) * ABOUT


def test_what_forgets_that_a_person_is_several_records_loses_more() -> None:
    """Two broken twins: levels in single records, and the count of records with the noise of one."""
    one = SmallDatabase(workload=WORKLOADS["cells"], epsilon=1, records=3, people=GuessedPeople(9))
    three = replace(one, each=3)
    assert largest_loss(cache(partial(law_of, three, people=9)), within_reach(4, 3)) <= 1 * ABOUT
    assert largest_loss(cache(partial(law_of, one, people=9)), within_reach(4, 3)) > 1.3
    counted = replace(three, people=CountedPeople(Fraction(1, 4)))
    assert total([counted.event]).epsilon(0.0) == 1.25
    assert isinstance(counted.people, CountedPeople)
    assert counted.people.noise.scale == 3 * CountedPeople(Fraction(1, 4)).noise.scale == 12
    forgetful = CountedPeople(Fraction(1, 4)).noise  # three records at the noise of one cost three times as much
    assert 3 / forgetful.scale == 3 * Fraction(1, 4)


def test_what_forgets_the_two_the_unit_or_that_n_is_private_loses_more() -> None:
    """Three broken twins: the rate not halved, levels in finer steps at the same rate, m from the private n."""
    workload = WORKLOADS["cells"]
    sound = SmallDatabase(workload=workload, epsilon=1, records=3, people=KnownPeople(4))

    def fine_steps(x: Counts) -> dict[Counts, float]:
        """⌊·⌋ of each query in steps of a third of a person, taken to move by one."""
        off = {y: max(0, math.floor(3 * miss(workload, x, y, 4))) for y in databases(3, 3)}
        weights = {y: math.exp(-found / 2) for y, found in off.items()}
        return {y: weight / math.fsum(weights.values()) for y, weight in weights.items()}

    def unhalved(x: Counts) -> dict[Counts, float]:
        weights = {y: math.exp(-level(workload, x, y, 4)) for y in databases(3, 3)}
        return {y: weight / math.fsum(weights.values()) for y, weight in weights.items()}

    def size_by_people(x: Counts) -> dict[Counts, float]:
        mechanism = replace_records(sound, 1 + sum(x) // 2)
        return law_of(mechanism, x, 4)

    for broken in (fine_steps, unhalved):
        assert largest_loss(broken, neighbours(4, Change.REPLACE)) > 1.1
    assert largest_loss(size_by_people, neighbours(4, Change.ADD_REMOVE)) == math.inf or (
        largest_loss(size_by_people, neighbours(3, Change.ADD_REMOVE)) == math.inf
    )
    assert largest_loss(lambda x: law_of(sound, x, 4), neighbours(4, Change.REPLACE)) <= 1 * ABOUT


def replace_records(mechanism: SmallDatabase, records: int) -> SmallDatabase:
    return replace(mechanism, records=records)


def test_a_counted_number_of_people_is_paid_for() -> None:
    plain = SmallDatabase(workload=WORKLOADS["cells"], epsilon=1, records=2, people=GuessedPeople(5))
    counted = replace(plain, people=CountedPeople(Fraction(1, 4)))
    assert total([plain.event]).epsilon(0.0) == 1
    assert total([counted.event]).epsilon(0.0) == 1.25
    data = HistogramDatabase(THREE, [40, 50, 60])
    factors = {counted.release(data).factor for _ in range(40)}
    assert len(factors) > 3
    assert plain.release(data).factor == Fraction(5, 2)


# ---- accuracy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKLOADS)
def test_some_database_of_m_records_is_as_near_as_the_theorem_says(name: str) -> None:
    workload = WORKLOADS[name]
    for alpha in (0.4, 0.6):
        m = small_database_size(queries=len(workload), alpha=alpha)
        mechanism = SmallDatabase(workload=workload, epsilon=1, alpha=alpha, people=KnownPeople(7))
        assert mechanism.records == m
        given = SmallDatabase(workload=workload, epsilon=1, records=m, people=KnownPeople(7))
        assert given.reach <= mechanism.reach
        for x in databases(3, 7):
            seen = given.candidates(HistogramDatabase(THREE, list(x)), 7)
            assert seen.within(math.ceil(given.reach * 7)) > 0
            assert seen.within(math.ceil(Fraction(str(alpha)) * 7)) > 0


@pytest.mark.parametrize("beta", [0.5, 0.05])
@pytest.mark.parametrize("name", ["prefixes", "thirds"])
def test_the_error_is_exceeded_no_more_often_than_said(name: str, beta: float) -> None:
    workload = WORKLOADS[name]
    for people, n, guess in ((KnownPeople(60), 60, 60), (GuessedPeople(50), 60, 50)):
        mechanism = SmallDatabase(workload=workload, epsilon=1, records=4, people=people)
        said = mechanism.error(beta, people=n).alpha
        for x in ((n, 0, 0), (n // 3, n // 3, n - 2 * (n // 3))):
            law = law_of(mechanism, x, guess)
            fails = math.fsum(p for y, p in law.items() if miss(workload, x, y, guess) > said)
            assert fails <= beta
            best = min(miss(workload, x, y, guess) for y in law)
            assert best <= said
        several = replace(mechanism, each=5)
        said = several.error(beta, people=n).alpha
        law = law_of(several, (n, 0, 0), guess)
        assert math.fsum(p for y, p in law.items() if miss(workload, (n, 0, 0), y, guess) > said) <= beta


def test_the_error_by_the_number_that_was_told_is_that_of_the_most_there_may_be() -> None:
    workload = PrefixWorkload(IntegerInterval(0, 15))
    counted = SmallDatabase(workload=workload, epsilon=2, alpha=0.2, people=CountedPeople(1), each=4)
    g = counted.people.reach(1000, Fraction(1, 40))
    assert g > 4
    assert counted.error(0.05, told=1000 - g).alpha == counted.error(0.05, people=1000).alpha
    with pytest.raises(InvalidParameter, match="people must be given"):
        replace(counted, people=GuessedPeople(9)).error(0.05, told=9)


def test_the_error_is_the_theorems_up_to_the_rounding_of_one_person() -> None:
    grades = PrefixWorkload(IntegerInterval(0, 15), size=1000)
    for alpha in (0.2, 0.3):
        mechanism = SmallDatabase(workload=grades, epsilon=2, alpha=alpha, people=KnownPeople(1000))
        printed = small_database_accuracy(queries=16, types=16, people=1000, alpha=alpha, epsilon=2, beta=0.05).alpha
        assert printed <= mechanism.error(0.05).alpha <= printed + 1 / 1000
    private = SmallDatabase(
        workload=PrefixWorkload(IntegerInterval(0, 15)), epsilon=2, alpha=0.2, people=CountedPeople(1)
    )
    with pytest.raises(InvalidParameter, match="people must be given"):
        private.error(0.05)
    assert private.error(0.05, people=1000).alpha > 200


# ---- refusals --------------------------------------------------------------------------------------------------


def test_what_cannot_be_counted_is_refused_with_its_number() -> None:
    many = IntegerInterval(0, 63)
    crossing = RangeWorkload(many, ((0, 40), (20, 63), (10, 50), *((i, i + 1) for i in range(60))))
    with pytest.raises(InvalidParameter, match=r"10\*\*51 candidate databases of 128 records.*cross"):
        SmallDatabase(workload=crossing, epsilon=1, records=128, people=KnownPeople(10))
    thirds = MatrixWorkload(LinearQueries([[Fraction((v * i) % 7, 7) for v in range(64)] for i in range(1, 30)]))
    with pytest.raises(InvalidParameter, match="weights are not all 0 or 1"):
        SmallDatabase(workload=thirds, epsilon=1, records=128, people=KnownPeople(10))
    with pytest.raises(InvalidParameter, match=r"10\*\*[0-9]+ candidate databases.*too long to work with"):
        SmallDatabase(workload=PrefixWorkload(IntegerInterval(0, 10**6)), epsilon=1, alpha=0.001, people=KnownPeople(9))
    with pytest.raises(InvalidParameter, match="takes too long"):
        SmallDatabase(workload=PrefixWorkload(IntegerInterval(0, 999)), epsilon=1, records=1000, people=KnownPeople(10))


def test_bad_parameters_are_refused() -> None:
    cells = WORKLOADS["cells"]
    with pytest.raises(InvalidParameter, match="alpha"):
        SmallDatabase(workload=cells, epsilon=1, people=KnownPeople(3))
    with pytest.raises(InvalidParameter, match="records must be 4 for that alpha"):
        SmallDatabase(workload=cells, epsilon=1, alpha=0.5, records=3, people=KnownPeople(3))
    again = replace(SmallDatabase(workload=cells, epsilon=1, alpha=0.5, people=KnownPeople(3)), epsilon=2)
    assert again.records == 4
    with pytest.raises(InvalidParameter, match="epsilon"):
        SmallDatabase(workload=cells, epsilon=0, alpha=0.5, people=KnownPeople(3))
    with pytest.raises(InvalidParameter, match="people"):
        SmallDatabase(workload=cells, epsilon=1, alpha=0.5, people=3)  # type: ignore[arg-type]
    normalised = PrefixWorkload(THREE, size=5)
    with pytest.raises(InvalidParameter, match="public size"):
        SmallDatabase(workload=normalised, epsilon=1, alpha=0.5, people=GuessedPeople(5))
    mechanism = SmallDatabase(workload=normalised, epsilon=1, alpha=0.5, people=KnownPeople(5))
    with pytest.raises(InvalidParameter, match="as many records as are declared: 5"):
        mechanism.release(HistogramDatabase(THREE, [1, 1, 1]))
    released = mechanism.release(HistogramDatabase(THREE, [2, 2, 1]))
    with pytest.raises(InvalidParameter, match="not what was released"):
        mechanism.release(replace(released, factor=Fraction(5, released.records)))
    with pytest.raises(InvalidParameter, match="domain"):
        mechanism.release(HistogramDatabase(IntegerInterval(0, 4), [1] * 5))


@pytest.mark.slow
def test_ten_to_the_fifty_candidates_are_within_reach() -> None:
    """|X| = 64, m = 128: prefixes, a tree and cells; no answer is off by more than the error at β = 1e-9."""
    domain = IntegerInterval(0, 63)
    data = HistogramDatabase(domain, [(7 * i * i) % 301 for i in range(64)])
    n = int(data.cells().total())
    for workload in (
        PrefixWorkload(domain),
        HierarchyWorkload.tree(domain, branching=2),
        HierarchyWorkload(domain, tuple((i,) for i in range(64))),
    ):
        mechanism = SmallDatabase(workload=workload, epsilon=1, records=128, people=KnownPeople(n))
        assert mechanism.space.total == math.comb(191, 63) > 10**51
        released = mechanism.release(data)
        assert released.records == 128
        assert released.people == n
        off = max(abs(a - b) for a, b in zip(workload.answers(data), workload.answers(released), strict=True))
        assert off <= mechanism.error(1e-9).alpha
