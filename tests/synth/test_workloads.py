"""Workloads against their own matrices: answers, sensitivities, disjointness; asked of data and of what was released."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from sfumato.core import Categories, Change, IntegerInterval, Neighbours, Norm, Product
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import LinearQueries
from sfumato.mechanisms.linear import FiniteDomain
from sfumato.synth import (
    HierarchyWorkload,
    HistogramDatabase,
    HistogramModel,
    MarginalWorkload,
    MatrixWorkload,
    PrefixWorkload,
    RangeWorkload,
    RowDatabase,
    WeightedDatabase,
    Workload,
    point_and_sum_queries,
)

FOUR = IntegerInterval(5, 8)
SEXES, AGES, PLACES = Categories(("f", "m")), IntegerInterval(0, 2), Categories(("here",))
ATTRIBUTES: dict[str, IntegerInterval | Categories] = {"sex": SEXES, "age": AGES, "place": PLACES}
MAKERS: dict[str, Callable[..., Workload]] = {
    "marginals": lambda size=None: MarginalWorkload(ATTRIBUTES, ((), ("sex",), ("age", "sex"), ("place",)), size=size),
    "one marginal": lambda size=None: MarginalWorkload(ATTRIBUTES, (("place", "age"),), size=size),
    "prefixes": lambda size=None: PrefixWorkload(FOUR, size=size),
    "ranges": lambda size=None: RangeWorkload(FOUR, ((0, 1), (1, 3), (1, 1), (2, 2), (0, 3)), size=size),
    "all ranges": lambda size=None: RangeWorkload.all(FOUR, size=size),
    "cells": lambda size=None: HierarchyWorkload(FOUR, ((0,), (2,), (3,)), size=size),
    "tree": lambda size=None: HierarchyWorkload.tree(FOUR, branching=2, size=size),
    "uneven": lambda size=None: HierarchyWorkload(FOUR, ((0, 1, 2), (1, 2), (2,), (2,), (3,), ()), size=size),
    "matrix": lambda size=None: MatrixWorkload(
        LinearQueries([[1, 0, Fraction(1, 2), 0], [0, 1, 1, Fraction(1, 3)]], domain=FOUR, size=size)
    ),
    "predicates": lambda size=None: MatrixWorkload.of([lambda v: v < 7, lambda v: v == 8], FOUR, size=size),
}


def counts_for(domain: FiniteDomain, seed: int) -> list[int]:
    return [(seed * (place + 2) ** 2) % 7 for place in range(len(domain))]


def table(workload: Workload) -> np.ndarray[tuple[int, ...], np.dtype[np.object_]]:
    """The matrix, entry by entry."""
    rows = [workload.weights_of(query).tolist() for query in range(len(workload))]
    return np.array([[Fraction(w, workload.denominator) for w in row] for row in rows], dtype=np.object_)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", [1, 3])
def test_all_kinds_of_databases_are_answered_as_the_matrix_answers_their_histogram(name: str, seed: int) -> None:
    workload = MAKERS[name]()
    counts, values = counts_for(workload.domain, seed), list(workload.domain)
    expected = (table(workload) @ np.array(counts, dtype=np.object_)).tolist()
    rows = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    sparse = {value: count for value, count in zip(values, counts, strict=True) if count}
    for data in (
        RowDatabase(workload.domain, rows),
        HistogramDatabase(workload.domain, counts),
        HistogramDatabase(workload.domain, sparse),
        HistogramDatabase(workload.domain, np.array(counts, dtype=np.uint8)),
    ):
        assert workload.answers(data).tolist() == expected
        assert not data.is_released
    small = WeightedDatabase(workload.domain, sparse, factor=Fraction(5, 2))
    assert workload.answers(small).tolist() == [answer * Fraction(5, 2) for answer in expected]
    model = HistogramModel(workload.domain, np.array(counts) / 3)
    assert workload.answers(model) == pytest.approx([float(answer) / 3 for answer in expected])
    normalised, n = MAKERS[name](size=sum(counts)), sum(counts)
    shares = [Fraction(answer, n) for answer in expected]
    assert normalised.answers(HistogramDatabase(workload.domain, counts)).tolist() == shares
    assert normalised.answers(small).tolist() == shares  # by its own size, whatever it stands for
    assert normalised.answers(model) == pytest.approx([float(share) for share in shares])


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("change", Change)
@pytest.mark.parametrize("norm", Norm)
def test_sensitivities_known_by_structure_are_those_of_the_matrix(name: str, change: Change, norm: Norm) -> None:
    neighbours = Neighbours(change)
    workload = MAKERS[name]()
    matrix = LinearQueries(table(workload), domain=workload.domain)
    found = workload.sensitivity(norm, neighbours)
    assert found == matrix.sensitivity(norm, neighbours)
    assert workload.linear().sensitivity(norm, neighbours) == found
    if change is Change.REPLACE:
        normalised = MAKERS[name](size=10).sensitivity(norm, neighbours)
        assert normalised.amount == found.amount / (100 if norm is Norm.L2 else 10)
    else:
        with pytest.raises(InvalidParameter, match="replace one for normalised queries"):
            MAKERS[name](size=10).sensitivity(norm, neighbours)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("change", Change)
def test_queries_are_disjoint_iff_no_change_of_one_record_affects_two(name: str, change: Change) -> None:
    """By the definition, over all changes of one record (Survey Definition 9.1)."""
    workload = MAKERS[name]()
    columns = table(workload).T.tolist()
    moves = (
        [[entry != 0 for entry in column] for column in columns]
        if change is Change.ADD_REMOVE
        else [[a != b for a, b in zip(*pair, strict=True)] for pair in itertools.combinations(columns, 2)]
    )
    assert workload.is_disjoint(Neighbours(change)) == all(sum(move) <= 1 for move in moves)
    if change is Change.ADD_REMOVE:
        assert workload.is_disjoint() == workload.is_disjoint(Neighbours())
        assert workload.is_disjoint() == (name in {"one marginal", "cells", "predicates"})


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("change", Change)
def test_queries_of_a_group_are_disjoint_and_move_together_as_said(name: str, change: Change) -> None:
    workload = MAKERS[name]()
    assert [query for group in workload.groups for query in group] == list(range(len(workload)))
    most = 0
    for place, group in enumerate(workload.groups):
        part = LinearQueries(table(workload)[group.start : group.stop])
        most = max(most, int(part.sensitivity(Norm.L1, Neighbours(change)).amount * workload.denominator))
        assert (table(workload)[group.start : group.stop] > 0).sum(axis=0).max() <= 1
        cells = workload.cells_of_group(place)
        for offset, query in enumerate(group):
            assert ((cells == offset) == (workload.weights_of(query) > 0)).all()
    assert workload.group_move(change) >= most
    if name not in {"matrix"}:
        assert workload.group_move(change) <= max(most, 2 if name == "marginals" else 1)


def test_point_queries_and_their_sum_query_move_as_errata_a21_says() -> None:
    """q* is the sum of the q_i on every database; ℓ1 is 2 and ℓ2 √2 either way (Survey Definition 9.2, errata C1)."""
    points = HierarchyWorkload(FOUR, ((0,), (2,), (3,)))
    both = point_and_sum_queries(points)
    for seed in (1, 2, 3):
        answers = both.answers(HistogramDatabase(FOUR, counts_for(FOUR, seed))).tolist()
        assert answers[-1] == sum(answers[:-1])
        assert answers[:-1] == points.answers(HistogramDatabase(FOUR, counts_for(FOUR, seed))).tolist()
    for change in Change:
        assert both.sensitivity(Norm.L1, Neighbours(change)).amount == 2
        assert both.sensitivity(Norm.L2, Neighbours(change)).amount == 2
    for crossing in (PrefixWorkload(FOUR), MAKERS["matrix"]()):
        with pytest.raises(InvalidParameter, match="disjoint counting queries"):
            point_and_sum_queries(crossing)


def test_sensitivities_of_large_workloads_need_no_matrix() -> None:
    wide = MarginalWorkload({f"a{i}": IntegerInterval(0, 9) for i in range(8)}, (("a0", "a1"), ("a7",), ()))
    assert len(wide.domain) == 10**8
    assert wide.sensitivity(Norm.L1, Neighbours()).amount == 3
    assert wide.sensitivity(Norm.L2, Neighbours(Change.REPLACE)).amount == 4
    million = PrefixWorkload(IntegerInterval(0, 10**6 - 1))
    assert million.sensitivity(Norm.L1, Neighbours()).amount == 10**6
    ranges = RangeWorkload(IntegerInterval(0, 10**6 - 1), tuple((i, i + 5000) for i in range(0, 900_000, 300)))
    assert ranges.sensitivity(Norm.L1, Neighbours()).amount == 17
    assert ranges.sensitivity(Norm.L1, Neighbours(Change.REPLACE)).amount == 34
    with pytest.raises(InvalidParameter, match="written as a matrix"):
        million.linear()


@pytest.mark.parametrize("name", MAKERS)
def test_counts_beyond_64_bits_do_not_wrap(name: str) -> None:
    workload = MAKERS[name]()
    huge = [2**62 + place for place in range(len(workload.domain))]
    expected = (table(workload) @ np.array(huge, dtype=np.object_)).tolist()
    sparse = dict(zip(workload.domain, huge, strict=True))
    for counts in (huge, sparse):
        assert workload.answers(HistogramDatabase(workload.domain, counts)).tolist() == expected


def test_cells_are_weighed_by_a_row_exactly() -> None:
    for counts in ([1, 2, 3, 4], {5: 2**60, 8: 2**61}):
        cells = HistogramDatabase(FOUR, counts).cells()
        row = np.array([3, 0, 1, 5])
        dense = cells.dense(4).tolist()
        assert cells.weighed(row) == sum(int(w) * int(c) for w, c in zip(row, dense, strict=True))


def test_what_is_no_data_is_refused_without_showing_it() -> None:
    for bad, words in (
        (lambda: RowDatabase(FOUR, [5, 99]), "a value outside it"),
        (lambda: RowDatabase(Product((SEXES, AGES)), [("f", 1, 2)]), "a value outside it"),
        (lambda: RowDatabase(FOUR, [[5]]), "a value outside it"),  # type: ignore[list-item]
        (lambda: HistogramDatabase(FOUR, {99: 1}), "a value outside it"),
        (lambda: HistogramDatabase(FOUR, [1, 2, 3, -17]), "below zero"),
        (lambda: HistogramDatabase(FOUR, [1.5, 2, 3, 4]), "whole numbers"),
        (lambda: HistogramDatabase(FOUR, [1, 2]), "must be 4 counts"),
        (lambda: HistogramModel(FOUR, np.array([1.0, np.nan, 0, 0])), "finite"),
        (lambda: HistogramModel(FOUR, np.ones(3)), "must be 4 numbers"),
        (lambda: WeightedDatabase(FOUR, {5: 1}, factor=Fraction(0)), "factor must be positive"),
    ):
        with pytest.raises(InvalidParameter, match=words) as refused:
            bad()
        assert "99" not in str(refused.value)
        assert "17" not in str(refused.value)
    assert "6" not in repr(HistogramDatabase(FOUR, [6, 6, 6, 6])).replace("upper=8", "")
    assert repr(RowDatabase(FOUR, [6, 6])) == "RowDatabase(domain=IntegerInterval(lower=5, upper=8))"


def test_bad_workloads_are_refused() -> None:
    for bad, words in (
        (lambda: MarginalWorkload(ATTRIBUTES, ()), "at least one marginal"),
        (lambda: MarginalWorkload({}, ((),)), "attributes must be at least one"),
        (lambda: MarginalWorkload(ATTRIBUTES, (("sex", "sex"),)), "different attributes"),
        (lambda: MarginalWorkload(ATTRIBUTES, (("height",),)), "known: sex, age, place"),
        (lambda: MarginalWorkload(ATTRIBUTES, (("sex",),)).weights_of(9), "below 2"),
        (lambda: RangeWorkload(FOUR, ()), "at least one"),
        (lambda: RangeWorkload(FOUR, ((2, 1),)), "within places"),
        (lambda: RangeWorkload(FOUR, ((0, 4),)), "within places"),
        (lambda: HierarchyWorkload(FOUR, ((0, 1), (1, 2))), "two that cross"),
        (lambda: HierarchyWorkload(FOUR, ((4,),)), "below 4"),
        (lambda: HierarchyWorkload(FOUR, ()), "at least one"),
        (lambda: MatrixWorkload(LinearQueries([[2, 0, 0, 0]], upper=2, domain=FOUR)), r"in \[0, 1\]"),
        (lambda: MatrixWorkload([[1]]), "LinearQueries"),  # type: ignore[arg-type]
        (lambda: PrefixWorkload(FOUR, size=0), "size"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            bad()
    for nobody in (WeightedDatabase(FOUR, {}), HistogramModel(FOUR, np.zeros(4))):
        with pytest.raises(InvalidParameter, match="asked for shares"):
            PrefixWorkload(FOUR, size=3).answers(nobody)
    with pytest.raises(InvalidParameter, match="over the domain of the queries"):
        PrefixWorkload(FOUR).answers(HistogramDatabase(AGES, [1, 2, 3]))
    with pytest.raises(InvalidParameter, match="as many records as the declared size: 3"):
        PrefixWorkload(FOUR, size=3).answers(HistogramDatabase(FOUR, [1, 1, 1, 1]))
