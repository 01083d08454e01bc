"""A refusal is part of the output: of two neighbouring inputs both are answered, or both are refused.

What is refused is a matter of type and shape. For answers, neighbours are within the declared sensitivity; for people's
values, one person holds anything that a value of that type can be. Two refusals stay, and are no leak: NaN and infinity
are within no sensitivity of a number, so no answer that keeps its word has them for a neighbour; and a value outside a
*declared list* (randomised response, the domain of linear queries) is not of the type that was declared.
"""

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato import mechanisms
from sfumato.core import Change, IntegerInterval, Neighbours, Norm, Sensitivity
from sfumato.errors import InvalidParameter, shown
from sfumato.mechanisms import (
    AboveThreshold,
    DiscreteGaussian,
    ExponentialMechanism,
    Gaussian,
    GaussianKeys,
    Geometric,
    Laplace,
    LaplaceKeys,
    LinearQueries,
    Median,
    NonNegativeSparseVector,
    NumericSparse,
    OneSidedNoisyMax,
    OrderStatistic,
    Quantile,
    Quantiles,
    RandomizedResponse,
    ReportNoisyMax,
    SmoothSensitivity,
    SpanningTree,
    Sparse,
    SparseVector,
    StagewiseSparseVector,
    TopK,
    TruncatedGeometric,
    TruncatedGeometricKeys,
    Warner,
)
from sources import SeededBits

ONE = Neighbours().histogram(Norm.L1)
ONE_L2 = Neighbours().histogram(Norm.L2)
TOP = Neighbours().histogram(Norm.LINF)
REPLACE = Neighbours(Change.REPLACE)
HUGE = 10**20_000


def answered(release: Callable[[Any], Any], exact: Any) -> bool:
    """Whether an input gets an answer; any refusal but the declared one is a failure."""
    try:
        release(exact)
    except InvalidParameter:
        return False
    return True


# ---- neighbours of every mechanism ---------------------------------------------------------------------------------

WHOLE_EDGES = [0, -1, 2**31, 2**53, 2**62, 2**63 - 1, -(2**63), 2**64, 2**16384 - 1, 2**16384, 2**65536 - 1, HUGE]
REAL_EDGES: list[Any] = [
    0.25, -0.0, 1e-300, 1e15 + 0.5, float(2**53), 1e300, Fraction(1, 3), Decimal("0.1"), Decimal("1e400"),
    Decimal("9e16384"), Decimal("1e-16385"), Fraction(1, 3**50_000), 2**65536 - 1, HUGE,
]  # fmt: skip


def one_more(value: Any) -> Any:
    """A number of the same type that is at most 1 further."""
    return type(value)(value + 1) if not isinstance(value, float) else value + 1.0


def scalars(values: list[Any]) -> list[tuple[Any, Any]]:
    return [(value, one_more(value)) for value in values]


def rows(values: list[Any]) -> list[tuple[Any, Any]]:
    """Rows of two or three answers, of which one moves; as lists, tuples and arrays."""
    pairs: list[tuple[Any, Any]] = []
    for value in values:
        pairs += [([value, 3], [one_more(value), 3]), ((3, value), (3, one_more(value)))]
    pairs += [
        (np.array([2**62, 3]), np.array([2**62 + 1, 3])),
        (np.array([255, 0], np.uint8), np.array([254, 0], np.uint8)),
    ]
    pairs += [(np.array([2**63 - 1, 0], np.uint64), np.array([2**63, 0], np.uint64))]
    return pairs


def typed(kind: Callable[[int], Any]) -> list[tuple[Any, Any]]:
    """Whole values of a type that need not be whole, and neighbours of which one is not."""
    return [([kind(2), kind(4)], [kind(3), kind(4)]), ([kind(2), kind(4)], [kind(5) / 2, kind(4)])]


UNEVEN = typed(Fraction) + typed(float) + typed(Decimal)
OBJECTS = [(np.array(x, dtype=object), np.array(y, dtype=object)) for x, y in typed(Fraction)]

WILD: list[Any] = [
    0.0, 9.0, -1e308, 1e308, math.nan, math.inf, -math.inf, 1e-308, 0.1, float(2**62),
    np.float64(3.5), np.float64("nan"), np.float32("inf"),
]  # fmt: skip
WILD_DECIMALS = [Decimal(1), Decimal("nan"), Decimal("inf"), Decimal("-1e999999"), Decimal("1e-999999")]
WILD_INTEGERS = [0, 9, -5, 2**53 + 1, 2**63, -(2**63) - 1, HUGE, -HUGE]


def people(values: list[Any], *, fill: Any) -> list[tuple[Any, Any]]:
    """Three people of whom one may hold anything of the type."""
    return [([a, fill, fill], [b, fill, fill]) for a, b in itertools.combinations(values, 2)]


def arrays(values: list[Any]) -> list[tuple[Any, Any]]:
    plain = [float(v) for v in values]
    return [(np.array([a, 1.0, 2.0]), np.array([b, 1.0, 2.0])) for a, b in itertools.combinations(plain, 2)]


@dataclass(frozen=True)
class Contract:
    """A mechanism and pairs of neighbouring inputs."""

    name: str
    release: Callable[[Any], Any] = field(repr=False)
    pairs: list[tuple[Any, Any]] = field(repr=False)


def drawn(mechanism: Any) -> Callable[[Any], Any]:
    bits = SeededBits(1)
    return lambda exact: mechanism.release(exact, bits=bits)


NUMBERS = rows(WHOLE_EDGES) + UNEVEN + OBJECTS
REALS = rows(REAL_EDGES) + UNEVEN + OBJECTS
MEDIAN = Quantile(q=0.5, epsilon=1, lower=0, upper=9, grid=0.5, neighbours=REPLACE)
STAGES = StagewiseSparseVector.gaussian(
    sigma=2, query_sigma=4, length=2, cutoff=2, stage_cutoff=1, threshold=1, sensitivity=ONE
)
COUNTS: list[tuple[Any, Any]] = [
    ({"a": 1, "b": 7}, {"a": 0, "b": 7}),
    ({"a": 1}, {}),
    ({"a": 1}, {"a": 0}),
    ({"a": 0}, {}),
    ({"a": 2**62 - 1}, {"a": 2**62}),
    ({"a": 2**63 - 1}, {"a": 2**63}),
    ({"a": HUGE}, {"a": HUGE + 1}),
]
COUNT_ROWS = [
    (np.array([1, 7]), np.array([0, 7])), (np.array([1]), np.array([0])), (np.array([0]), np.array([], dtype=np.int64)),
    (np.array([2**62 - 1, 4]), np.array([2**62, 4])), (np.array([2**63], np.uint64), np.array([2**63 - 1], np.uint64)),
]  # fmt: skip
TREE = SpanningTree(edges=((0, 1), (1, 2), (2, 0)), upper=9, grid=0.5)
WHOLE_TREE = SpanningTree(edges=((0, 1), (1, 2), (2, 0)), upper=9)

CONTRACTS = [
    Contract("geometric", drawn(Geometric(epsilon=1, sensitivity=ONE)), scalars(WHOLE_EDGES)),
    Contract("geometric row", drawn(Geometric(epsilon=1, sensitivity=ONE, dimension=2)), NUMBERS),
    Contract("geometric on a grid", drawn(Geometric(epsilon=1, sensitivity=ONE, grid=0.5)), scalars(REAL_EDGES)),
    Contract("laplace row", drawn(Laplace(epsilon=1, sensitivity=ONE, dimension=2)), NUMBERS),
    Contract("laplace row on a grid", drawn(Laplace(epsilon=1, sensitivity=ONE, grid=0.5, dimension=2)), REALS),
    Contract("gaussian row", drawn(Gaussian(sigma=3, sensitivity=ONE_L2, dimension=2)), NUMBERS),
    Contract("gaussian row on a grid", drawn(Gaussian(sigma=3, sensitivity=ONE_L2, grid=1, dimension=2)), REALS),
    Contract("discrete gaussian row", drawn(DiscreteGaussian(sigma=3, sensitivity=ONE_L2, dimension=2)), NUMBERS),
    Contract("truncated geometric row", drawn(TruncatedGeometric(epsilon=1, bound=9, sensitivity=ONE, dimension=2)), NUMBERS),
    *(
        Contract(kind.__name__, drawn(kind(epsilon=1, candidates="ab", sensitivity=TOP)), NUMBERS)  # type: ignore[arg-type]
        for kind in (ExponentialMechanism, ReportNoisyMax, OneSidedNoisyMax)
    ),
    *(
        Contract(f"{kind.__name__} on a grid", drawn(kind(epsilon=1, candidates="ab", sensitivity=TOP, grid=0.5)), REALS)  # type: ignore[arg-type]
        for kind in (ExponentialMechanism, ReportNoisyMax, OneSidedNoisyMax)
    ),
    Contract("top k", drawn(TopK(k=2, epsilon=1, candidates="ab", sensitivity=TOP)), NUMBERS),  # type: ignore[arg-type]
    Contract("above threshold", drawn(AboveThreshold(epsilon=1, threshold=1, sensitivity=ONE)), NUMBERS),
    Contract("above threshold on a grid", drawn(AboveThreshold(epsilon=1, threshold=1, sensitivity=ONE, grid=0.5)), REALS),
    Contract("sparse", drawn(Sparse(epsilon=1, threshold=1, cutoff=2, sensitivity=ONE)), NUMBERS),
    Contract("numeric sparse", drawn(NumericSparse(epsilon=1, threshold=1, cutoff=2, sensitivity=ONE)), NUMBERS),
    Contract("hybrid", drawn(SparseVector.hybrid(sigma=2, scale=3, threshold=1, sensitivity=ONE)), NUMBERS),
    Contract("stages", drawn(STAGES), NUMBERS),
    Contract("non-negative", drawn(NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=1, sensitivity=ONE)), NUMBERS),
    Contract(
        "a run asked one by one",
        lambda exact: AboveThreshold(epsilon=1, threshold=1, sensitivity=ONE).start().ask(exact),
        scalars(WHOLE_EDGES),
    ),
    Contract("quantile", drawn(MEDIAN), people(WILD, fill=1.0) + people(WILD_DECIMALS, fill=1.0)),
    Contract("quantile of whole numbers", drawn(MEDIAN), people(WILD_INTEGERS, fill=3)),
    Contract("quantile of an array", drawn(MEDIAN), arrays(WILD)),
    Contract("quantile of nobody", drawn(MEDIAN), [([], [math.nan]), ([], [1.0]), ([], [HUGE])]),
    Contract("quantiles", drawn(Quantiles(qs=(0.2, 0.8), of=MEDIAN)), people(WILD, fill=1.0)),
    *(
        Contract(
            f"smooth {type(bound).__name__}, grid {bound.grid}",
            drawn(SmoothSensitivity(bound=bound, epsilon=1)),
            people(WILD, fill=1.0) + people(WILD_DECIMALS, fill=1.0) + arrays(WILD)
            + people(WILD_INTEGERS, fill=3)
            + [([Fraction(2), 1, 1], [Fraction(5, 2), 1, 1])],
        )
        for bound in (
            Median(lower=0, upper=9, grid=0.5), Median(lower=0, upper=9), OrderStatistic(lower=0, upper=9, rank=2),
            TREE, WHOLE_TREE,
        )
    ),
    *(
        Contract(kind.__name__, drawn(kind(epsilon=1, delta=0.01)), COUNTS)
        for kind in (LaplaceKeys, TruncatedGeometricKeys, GaussianKeys)
    ),
    *(
        Contract(f"{kind.__name__} of an array", kind(epsilon=1, delta=0.01).select, COUNT_ROWS)
        for kind in (LaplaceKeys, TruncatedGeometricKeys, GaussianKeys)
    ),
    Contract("randomised response", drawn(RandomizedResponse(epsilon=1)), [(0, 1), ([0, 1], [1, 1]), (True, False)]),
    Contract("Warner's coins", drawn(Warner()), [(0, 1), ([0, 1], [1, 1])]),
    Contract(
        "linear queries",
        LinearQueries([[0, 0.5, 1]]).answer,
        [
            ([0, 0, 0], [1, 0, 0]), ([2, 2, 2], [2, 2, 1]), ({0: 1}, {}), ({0: 1}, {0: 0}), ([2**63, 0, 0], [2**63 + 1, 0, 0]),
            ([Fraction(2), 0, 0], [Fraction(5, 2), 0, 0]),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_neighbours_are_both_answered_or_both_refused(contract: Contract) -> None:
    for x, y in contract.pairs:
        assert answered(contract.release, x) == answered(contract.release, y), shown((x, y))
    assert any(answered(contract.release, x) for x, _ in contract.pairs)


def test_every_mechanism_is_under_the_contract() -> None:
    """What has a release is named above; noises, accuracy functions and abstract classes have none."""
    abstract = {"Additive", "Selection", "SparseTechnique", "KeySelection"}
    abstract |= {"QuantileBar"}  # its release is around another's: tests/mechanisms/test_quantile_bar.py
    having = {
        name for name in mechanisms.__all__
        if isinstance(getattr(mechanisms, name), type) and hasattr(getattr(mechanisms, name), "release")
    }  # fmt: skip
    source = Path(__file__).read_text()
    assert {
        name for name in having - abstract if len(re.findall(rf"\b{name}\b", source)) < 2
    } == set()  # imported, used


def by_value(release: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A twin that takes fractions if they happen to be whole, as it was before."""

    def release_if_whole(exact: Any) -> Any:
        if any(Fraction(value).denominator != 1 for value in exact):
            raise InvalidParameter("exact", "must be whole numbers, found", "others")
        return release([int(value) for value in exact])

    return release_if_whole


def test_a_refusal_by_value_is_caught_by_the_same_contract() -> None:
    twin = by_value(drawn(Geometric(epsilon=1, sensitivity=ONE, dimension=2)))
    assert any(answered(twin, x) != answered(twin, y) for x, y in UNEVEN)

    def strict(exact: Any) -> Any:
        if not all(math.isfinite(value) for value in exact):
            raise InvalidParameter("exact", "must be finite, found", "nan or inf")
        return MEDIAN.release(exact)

    assert any(answered(strict, x) != answered(strict, y) for x, y in people(WILD, fill=1.0))


# ---- linear queries with weights that are not whole ----------------------------------------------------------------

HALVES = LinearQueries([[0, 0.5, 1], [1, 0.5, 0]])


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2, Norm.LINF])
def test_queries_in_halves_are_refused_where_the_mechanism_is_made(norm: Norm) -> None:
    """The sensitivity is whole and the answers are not: (1, 1, 1) has 3/2 and (2, 0, 1) has 1, so it depended on data."""
    moved = HALVES.sensitivity(norm, REPLACE)
    makers: dict[Norm, list[Callable[..., Any]]] = {
        Norm.L1: [lambda **k: Geometric(epsilon=1, dimension=2, **k), lambda **k: Laplace(epsilon=1, dimension=2, **k)],
        Norm.L2: [
            lambda **k: DiscreteGaussian(sigma=1, dimension=2, **k),
            lambda **k: Gaussian(sigma=1, dimension=2, **k),
        ],
        Norm.LINF: [
            lambda **k: ExponentialMechanism(epsilon=1, candidates="ab", **k),  # type: ignore[arg-type]
            lambda **k: AboveThreshold(epsilon=1, threshold=1, **k),
        ],
    }
    for make in makers[norm]:
        with pytest.raises(InvalidParameter, match=r"multiples of: 0\.5") as error:
            make(sensitivity=moved)
        assert "grid=Fraction(1, 2)" in str(error.value)
        assert "in_units" in str(error.value)
        on_grid = make(sensitivity=moved, grid=Fraction(1, 2))  # both remedies work, on every histogram
        counted = make(sensitivity=HALVES.in_units.sensitivity(norm, REPLACE))
        for histogram in itertools.product(range(3), repeat=3):
            assert answered(on_grid.release, HALVES.answer(histogram))
            assert answered(counted.release, HALVES.in_units.answer(histogram))


def test_a_whole_sensitivity_used_to_hide_answers_that_are_not() -> None:
    one, other = HALVES.answer([1, 1, 1]), HALVES.answer([2, 0, 1])
    assert one.tolist() == [Fraction(3, 2)] * 2
    assert all(value.denominator == 1 for value in other.tolist())
    assert HALVES.sensitivity(Norm.L1, REPLACE).amount == 2
    said = Sensitivity(Norm.L1, Fraction(2), REPLACE)  # by somebody who does not know the unit: refused by type
    mechanism = Geometric(epsilon=1, sensitivity=said, dimension=2)
    assert not answered(mechanism.release, one)
    assert not answered(mechanism.release, other)


def test_whole_weights_need_no_grid_and_a_unit_is_a_positive_number() -> None:
    ages = LinearQueries.of([lambda age: age < 18], IntegerInterval(0, 120))
    assert ages.sensitivity(Norm.L1, Neighbours()).unit == 1
    assert answered(Geometric(epsilon=1, sensitivity=ages.sensitivity(Norm.L1, Neighbours()), dimension=1).release, [3])
    for unit in (0, -1, math.nan, "one"):
        with pytest.raises(InvalidParameter, match="unit"):
            Sensitivity(Norm.L1, Fraction(1), REPLACE, unit=unit)  # type: ignore[arg-type]


# ---- what a wild value counts as -------------------------------------------------------------------------------------


def test_a_wild_value_counts_as_the_end_of_the_interval() -> None:
    for bound, low, high in ((Median(lower=-3, upper=9, grid=0.5), -6, 18), (Median(lower=-3, upper=9, grid=1), -3, 9)):
        for wild, place in ((math.nan, low), (-math.inf, low), (math.inf, high), (Decimal("nan"), low), (HUGE, high)):
            assert bound.value([wild] * 3) == place
        assert bound.value(np.array([math.nan, math.inf, -math.inf])) == low
    sure = Quantile(q=0.5, epsilon=10**6, lower=-3, upper=9, grid=1, neighbours=REPLACE)
    for wild, place in ((math.nan, -3), (-math.inf, -3), (math.inf, 9), (Decimal("nan"), -3), (-HUGE, -3)):
        assert sure.release([wild] * 3) == place
        assert sure.release(np.array([float(wild)] * 3) if wild != -HUGE else [wild] * 3) == place


def test_answers_beyond_the_range_count_as_its_end_and_move_no_further() -> None:
    mechanism = Geometric(epsilon=1, sensitivity=ONE, dimension=2)
    end = 2**16384
    placed = mechanism.answers.place([HUGE, -HUGE])
    assert placed.tolist() == [end, -end]  # type: ignore[union-attr]
    assert mechanism.answers.place([end - 1, 5]).tolist() == [end - 1, 5]  # type: ignore[union-attr]
    assert abs(mechanism.release([HUGE, 0])[0] - end) < 10**6
    fine = Laplace(epsilon=1, sensitivity=ONE, grid=0.5)
    assert fine.answers.place(Decimal("1e-999999")) == 0
    assert fine.answers.place(Decimal("-1e999999")) == -end
    assert fine.release(HUGE) == math.inf  # beyond every float, and so is its neighbour
    assert fine.release(HUGE + 1) == math.inf


def test_keys_that_nobody_holds_are_not_in_the_data() -> None:
    for kind in (LaplaceKeys, TruncatedGeometricKeys, GaussianKeys):
        mechanism = kind(epsilon=1, delta=0.4)
        for seed in range(30):
            assert set(mechanism.release({"a": 0, "b": 10**6, "c": 0}, bits=SeededBits(seed))) == {"b"}
            places, _ = mechanism.select(np.array([0, 10**6, 0, 10**6]), bits=SeededBits(seed))
            assert places.tolist() == [1, 3]
        assert mechanism.release({"a": 0}) == {}
        assert mechanism.select(np.array([0, 0]))[0].tolist() == []
        for bad in (np.array([-1, 5]), np.array([1.0])):
            with pytest.raises(InvalidParameter, match="counts"):
                mechanism.select(bad)
