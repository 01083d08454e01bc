"""Keys and cells jointly: the exact δ by enumeration, lone and shared keys, both directions; broken twins are caught."""

import copy
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import events, total
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import positive
from sfumato.mechanisms import joint_keys
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.mechanisms.joint_keys import GaussianJointKeys, GeometricSum, JointKeys, JointSelection, best_joint_keys
from sfumato.mechanisms.thresholds import UP, any_of, least
from sources import SeededBits
from statistics_of_samples import THRESHOLD, binomial

KINDS = (JointKeys, GaussianJointKeys)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
SLACK = 1e-11  # what the windows cut off


# ---- the law of a release, from the definition and not from the mechanism ----------------------------------


def laplace_masses(scale: float) -> Any:
    """Discrete Laplace masses on -w, …, w; what is cut off is below 1e-14."""
    x = np.abs(np.arange(-math.ceil(34 * scale), math.ceil(34 * scale) + 1))
    return math.tanh(1 / (2 * scale)) * np.exp(-x / scale)


def normal_masses(sigma: float) -> Any:
    """Masses of a rounded normal on -w, …, w."""
    from scipy.special import ndtr

    w = math.ceil(9 * sigma)
    upper = ndtr(-(np.arange(0, w + 2) - 0.5) / sigma)  # of k - ½ and more
    half = upper[:-1] - upper[1:]
    return np.concatenate([half[:0:-1], half])


@dataclass(frozen=True)
class Rule:
    """A way to release cells: noise on each, and the key is shown where the cells that are summed reach a threshold."""

    masses: Any
    threshold: int
    summed: int
    """How many of the cells are summed, the first ones."""

    def key(self, before: tuple[int, ...] | None, move: tuple[int, ...]) -> Any:
        """Pairs of masses without and with the person: of the key hidden, and of it shown with each loss.

        `before` has the cells of the others, or None where there are none; `move` is what the person adds.
        """
        base = before or (0,) * len(move)
        logs, parts = [], []
        for cell, (start, moved) in enumerate(zip(base, move, strict=True)):
            pad = np.zeros(abs(moved))
            low, high = np.append(self.masses, pad), np.append(pad, self.masses)
            parts.append((low, high) if moved >= 0 else (high, low))
            first = start - len(self.masses) // 2 + min(moved, 0)
            logs.append((first + np.arange(len(low))) if cell < self.summed else np.zeros(len(low), dtype=int))
        without, with_him = (reduce(np.multiply.outer, [part[side] for part in parts]) for side in (0, 1))
        shown = reduce(np.add.outer, logs) >= self.threshold
        p, q = without[shown], with_him[shown]
        if before is None:
            return np.array([[1.0, 0.0], [1 - q.sum(), q.sum()]])
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.round(np.log(p) - np.log(q), 6)
        _, at = np.unique(loss, return_inverse=True)
        merged = [np.bincount(at.ravel(), weights=side.ravel()) for side in (p, q)]
        return np.array([[1 - p.sum(), *merged[0]], [1 - q.sum(), *merged[1]]])


def rule_of(mechanism: JointSelection) -> Rule:
    """What a mechanism says it does."""
    if isinstance(mechanism, GaussianJointKeys):
        return Rule(normal_masses(float(mechanism.sigma)), mechanism.threshold, mechanism.cells)
    scale = mechanism.keys_per_person * mechanism.whole / positive("epsilon", mechanism.epsilon)
    return Rule(laplace_masses(float(scale)), mechanism.threshold, mechanism.cells)


def hockey_stick(p: Any, q: Any, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def together(keys: Iterable[Any]) -> Any:
    """The joint masses of independent keys, without and with the person."""
    chosen = list(keys)
    return [reduce(np.multiply.outer, [key[side] for key in chosen]).ravel() for side in (0, 1)]


def divergence(keys: Iterable[Any], epsilon: float) -> float:
    """The larger of both directions."""
    p, q = together(keys)
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def splits(whole: int, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to share out a whole over cells."""
    if cells == 1:
        yield (whole,)
        return
    for first in range(whole + 1):
        yield from ((first, *rest) for rest in splits(whole - first, cells - 1))


def others(whole: int, cells: int, people: int) -> tuple[int, ...] | None:
    """The cells of so many others; only their sum matters."""
    return (people * whole - cells + 1,) + (1,) * (cells - 1) if people else None


def laws(rule: Rule, mechanism: JointSelection, moves: Iterable[tuple[int, ...]] | None = None) -> list[Any]:
    """A key's law with a person who joins it by each of the moves: alone, beside one other, beside many."""
    near = max(1, round(float(mechanism.people_threshold)))
    steps = list(moves or splits(mechanism.whole, mechanism.cells))
    return [
        rule.key(others(mechanism.whole, mechanism.cells, people), move)
        for people, move in itertools.product((0, 1, near, 2 * near), steps)
    ]


def worst_of(found: list[Any], held: int, epsilon: float) -> float:
    """The largest divergence over all that a person's keys may be."""
    return max(divergence(keys, epsilon) for keys in itertools.combinations_with_replacement(found, held))


def worst(rule: Rule, mechanism: JointSelection, *, moves: Any = None) -> float:
    """The same at the mechanism's own ε."""
    return worst_of(laws(rule, mechanism, moves), mechanism.keys_per_person, float(mechanism.epsilon))


def alone(rule: Rule, mechanism: JointSelection) -> float:
    """The chance that one of a lone person's ℓ keys shows, at any of his rows."""
    moves = splits(mechanism.whole, mechanism.cells)
    return max(1 - float(rule.key(None, move)[1][0]) ** mechanism.keys_per_person for move in moves)


# (k, ℓ), the units a row is cut into, ε and δ
SMALL = [
    ((3, 1), 1, 1.5, 0.02),
    ((3, 2), 1, 2.5, 0.02),
    ((2, 2), 1, 2.0, 0.05),
    ((4, 2), 1, 3.0, 0.01),
    ((3, 1), 4, 3.0, 0.02),  # weighted rows, in quarters
    ((2, 2), 4, 4.0, 0.03),
]
CASES = [
    pytest.param({"keys_per_person": held, "whole": k * units, "cells": 2, "epsilon": e, "delta": d}, id=f"{k}-{held}-{units}")
    for (k, held), units, e, d in SMALL
]  # fmt: skip
THREE = [
    pytest.param({"keys_per_person": 1, "whole": 3, "cells": 3, "epsilon": 3.0, "delta": 0.02}, id="three-cells"),
    pytest.param({"keys_per_person": 2, "whole": 2, "cells": 3, "epsilon": 6.0, "delta": 0.02}, id="three-cells-2"),
]


@pytest.mark.parametrize("asked", CASES + THREE)
def test_the_enumerated_delta_is_never_above_the_claimed_one_and_reaches_it(asked: Any) -> None:
    """Lone and shared keys, every r, both directions."""
    mechanism = JointKeys(**asked)
    rule = rule_of(mechanism)
    found = worst(rule, mechanism)
    assert found <= mechanism.lone_delta <= asked["delta"]
    assert found == pytest.approx(mechanism.lone_delta, rel=1e-9)
    assert alone(rule, mechanism) == pytest.approx(mechanism.lone_delta, rel=1e-9)


@pytest.mark.parametrize("asked", CASES[:3] + CASES[5:] + THREE[:1])
def test_the_event_covers_the_enumerated_loss_at_every_epsilon(asked: Any) -> None:
    mechanism = JointKeys(**asked)
    found, spent = laws(rule_of(mechanism), mechanism), total([mechanism.event])
    for share in (0.0, 0.2, 0.55, 0.9, 1.0):
        epsilon = share * asked["epsilon"]
        assert worst_of(found, mechanism.keys_per_person, epsilon) <= spent.delta(epsilon) + SLACK


@pytest.mark.parametrize("asked", CASES[:4] + THREE)
def test_a_move_in_one_cell_is_the_worst_and_costs_what_geometric_noise_costs(asked: Any) -> None:
    """Keys that always show: the curve of the noise itself, at every loss and between."""
    mechanism = replace(JointKeys(**asked), keys_per_person=1)
    seen = replace(rule_of(mechanism), threshold=-(10**6))
    by_move = {move: seen.key((0,) * mechanism.cells, move) for move in splits(mechanism.whole, mechanism.cells)}
    corner = (mechanism.whole,) + (0,) * (mechanism.cells - 1)
    noise = events.Geometric(mechanism.epsilon, mechanism.whole)
    for share in np.linspace(0, 1, 13):
        epsilon = float(share) * asked["epsilon"]
        one = divergence([by_move[corner]], epsilon)
        assert all(divergence([law], epsilon) <= one + SLACK for law in by_move.values())
        assert one == pytest.approx(total([noise]).delta(epsilon), rel=1e-6, abs=SLACK)


@pytest.mark.parametrize("asked", CASES)
def test_the_next_lower_threshold_would_betray_a_lone_person(asked: Any) -> None:
    mechanism = JointKeys(**asked)
    rule = rule_of(mechanism)
    assert alone(replace(rule, threshold=mechanism.threshold - 1), mechanism) > asked["delta"]


# ---- broken twins ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", CASES + THREE)
def test_a_threshold_without_the_noise_of_one_cell_is_convicted(asked: Any) -> None:
    mechanism = JointKeys(**asked)
    scale = mechanism.whole * mechanism.keys_per_person / Fraction(asked["epsilon"])
    fewer = GeometricSum(scale, mechanism.cells - 1)
    t = least(lambda t: any_of(fewer.tail(t) * UP, mechanism.keys_per_person) <= asked["delta"], 1)
    broken = replace(rule_of(mechanism), threshold=mechanism.whole + t)
    assert broken.threshold < mechanism.threshold
    assert worst(broken, mechanism, moves=[corner(mechanism)]) > 1.1 * asked["delta"]


def corner(mechanism: JointSelection) -> tuple[int, ...]:
    return (mechanism.whole,) + (0,) * (mechanism.cells - 1)


@pytest.mark.parametrize("asked", CASES)
def test_a_threshold_that_forgets_what_a_person_adds_is_convicted(asked: Any) -> None:
    mechanism = JointKeys(**asked)
    broken = replace(rule_of(mechanism), threshold=mechanism.threshold - mechanism.whole)
    assert worst(broken, mechanism, moves=[corner(mechanism)]) > 1.4 * asked["delta"]


@pytest.mark.parametrize("asked", [case for case in CASES if case.values[0]["keys_per_person"] == 2])  # type: ignore[index]
def test_noise_that_forgets_the_number_of_keys_is_convicted(asked: Any) -> None:
    """The threshold is right for that noise, so the shared keys alone are told apart."""
    mechanism = JointKeys(**asked)
    scale = mechanism.whole / Fraction(asked["epsilon"])
    fewer = GeometricSum(scale, mechanism.cells)
    t = least(lambda t: any_of(fewer.tail(t) * UP, mechanism.keys_per_person) <= asked["delta"], 1)
    broken = Rule(laplace_masses(float(scale)), mechanism.whole + t, mechanism.cells)
    assert alone(broken, mechanism) <= asked["delta"] + SLACK
    assert worst(broken, mechanism) > 2 * asked["delta"]


@pytest.mark.parametrize(("epsilon", "delta"), [(2.0, 0.01), (1.5, 0.009)])
def test_cells_of_one_less_than_r_with_weighted_rows_are_convicted(epsilon: float, delta: float) -> None:
    """(r - 1, k - r) with noise for k - 1: right for whole rows, wrong for half a row (k = 2, in halves)."""
    k, units = 2, 2
    small = JointKeys(epsilon=epsilon, delta=delta, cells=2, whole=(k - 1) * units)
    rule = rule_of(small)

    def shifted(r: int) -> tuple[int, int]:
        return r - units, k * units - r

    whole_rows = [shifted(r) for r in (units, 2 * units)]
    assert worst(rule, small, moves=whole_rows) <= small.lone_delta
    assert worst(rule, small, moves=[*whole_rows, shifted(1)]) > 3 * delta
    # The cells (r, k - r) hold for both.
    right = JointKeys(epsilon=epsilon, delta=delta, cells=2, whole=k * units)
    assert worst(rule_of(right), right) <= right.lone_delta


class EveryDraw(GeometricNoise):
    """Noise that says a prepared list instead of drawing."""

    given: Any

    def draw(self, size: Any, bits: Any) -> Any:
        assert size == self.given.size
        return self.given.ravel().copy()


def shown_by_select(mechanism: JointSelection, cells: tuple[int, ...], people: int) -> float:
    """The chance that `select` shows a key, by handing it a key for every noise there is."""
    masses = rule_of(mechanism).masses
    reach = len(masses) // 2
    grid = np.array(list(itertools.product(range(-reach, reach + 1), repeat=mechanism.cells)), dtype=np.int64)
    weights = reduce(np.multiply.outer, [masses] * mechanism.cells).ravel()
    copied, noise = copy.copy(mechanism), EveryDraw(Fraction(1))
    object.__setattr__(noise, "given", grid)
    object.__setattr__(copied, "noise", noise)
    places, noisy = copied.select(np.full(len(grid), people), np.tile(np.array(cells), (len(grid), 1)))
    assert (noisy == grid[places] + np.array(cells)).all()
    return float(weights[places].sum())


ENUMERABLE = {"epsilon": 3.0, "delta": 0.02, "keys_per_person": 1, "whole": 4, "cells": 2}


@every_kind
def test_select_shows_a_key_with_the_chance_of_its_people_whatever_their_rows(kind: Any) -> None:
    mechanism = kind(**ENUMERABLE)
    near = math.ceil(mechanism.people_threshold)
    for people in (1, near - 1, near, near + 2):
        for first in (0, 1, 2 * people, 4 * people):
            found = shown_by_select(mechanism, (first, 4 * people - first), people)
            assert found == pytest.approx(mechanism.chance(people), abs=1e-12 if kind is JointKeys else 1e-5)


def test_a_sum_that_forgets_a_cell_is_convicted(monkeypatch: Any) -> None:
    mechanism = JointKeys(**ENUMERABLE)  # type: ignore[arg-type]
    people = math.ceil(mechanism.people_threshold)
    monkeypatch.setattr(joint_keys, "_sums", lambda table: table[:, :-1].sum(axis=1))
    off = [
        abs(shown_by_select(mechanism, (first, 4 * people - first), people) - mechanism.chance(people))
        for first in (0, 4 * people)
    ]
    assert max(off) > 0.1
    monkeypatch.setattr(joint_keys, "_sums", lambda table: table[:, 1:].sum(axis=1))
    # With the other cell forgotten a lone person of no rows shows too often where the threshold knows one noise only.
    fewer = GeometricSum(mechanism.whole / Fraction(3), 1)
    low = copy.copy(mechanism)
    object.__setattr__(low, "threshold", least(lambda t: fewer.tail(t) <= 0.02, 1))
    assert shown_by_select(low, (0, 4), 1) > 3 * 0.02


# ---- the tail of a sum -------------------------------------------------------------------------------------


def two_cells(t: int, alpha: float) -> float:
    """The closed form for two noises."""
    factor = (1 - alpha) / (1 + alpha) ** 2 * alpha**t
    return factor * (t + (1 + alpha + 2 * alpha**2) / (1 - alpha**2))


def three_cells(t: int, a: float) -> float:
    """The closed form for three noises."""
    beta, square = a / (1 - a), 1 - a**2
    inner = t**2 + 2 * t * beta + a * (1 + a) / (1 - a) ** 2 + 3 * (t + beta) * (1 + a**2) / square
    return (1 - a) ** 5 / (2 * square**3) * a**t * (inner + 2 * (1 + 4 * a**2 + a**4) / square**2)


def test_the_tail_of_two_and_three_noises_is_the_closed_form() -> None:
    for scale in (Fraction(1, 3), Fraction(2), Fraction(15), Fraction(401, 7)):
        alpha = math.exp(-1 / scale)
        for t in (1, 2, 3, 10, 77, 400):
            if t / scale < 600:
                assert GeometricSum(scale, 2).tail(t) == pytest.approx(two_cells(t, alpha), rel=1e-11)
                assert GeometricSum(scale, 3).tail(t) == pytest.approx(three_cells(t, alpha), rel=1e-11)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_the_tail_is_that_of_the_convolution(count: int) -> None:
    for scale in (0.3, 1.0, 4.5, 20.0):
        masses = laplace_masses(1.5 * scale)
        masses = math.tanh(1 / (2 * scale)) * np.exp(-np.abs(np.arange(len(masses)) - len(masses) // 2) / scale)
        law = reduce(np.convolve, [masses] * count)
        middle = len(law) // 2
        for t in (1, 2, 5, math.ceil(6 * scale), math.ceil(15 * scale)):
            assert GeometricSum(Fraction(scale), count).tail(t) == pytest.approx(law[middle + t :].sum(), rel=1e-12)


def exact_tail(t: int, count: int, scale: Fraction) -> Any:
    """The tail in balls of 3000 bits: the mass at s is α^s times a polynomial, summed by its differences.

    The polynomial is C(s + d - 1, d - 1)·(1 - α)^(2d)·(1 - α²)^(1 - 2d)·₂F₁(1 - d, s + 1 - d; s + 1; α²).
    """
    from flint import arb, fmpq

    alpha = (-arb(fmpq(scale.denominator, scale.numerator))).exp()
    square = alpha**2

    def polynomial(s: int) -> Any:
        found = arb(0)
        for i in range(count):
            rising = Fraction(
                math.prod(s + 1 - count + j for j in range(i)), math.prod(s + 1 + j for j in range(i))
            ) * ((-1) ** i * math.comb(count - 1, i))
            found += arb(fmpq(rising.numerator, rising.denominator)) * square**i
        choose = math.prod(s + 1 + j for j in range(count - 1)) // math.factorial(count - 1)
        return choose * found

    values, whole = [polynomial(t + j) for j in range(count)], arb(0)
    for j in range(count):
        whole += values[0] * alpha**j / (1 - alpha) ** (j + 1)
        values = [later - earlier for earlier, later in itertools.pairwise(values)]
    return whole * alpha**t * (1 - alpha) ** (2 * count) / (1 - square) ** (2 * count - 1)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 16])
@pytest.mark.parametrize(
    "scale", [Fraction(1, 5), Fraction(7, 2), Fraction(2**20, 3), Fraction(2**60), Fraction(2**90)]
)
def test_the_tail_has_twelve_digits_at_every_scale_and_rounds_up(count: int, scale: Fraction) -> None:
    from flint import ctx

    for far in (Fraction(1, 10**6), Fraction(1), Fraction(17), Fraction(120), Fraction(600)):
        t = max(1, math.ceil(far * scale))
        with ctx.workprec(3000):
            known = exact_tail(t, count, scale)
            found = GeometricSum(scale, count).tail(t)
            assert abs(found / known - 1) < 1e-12
            assert found * UP > known


def test_the_tail_ends_below_every_delta_there_is() -> None:
    summed = GeometricSum(Fraction(10**6), 16)
    assert 0 < summed.tail(700 * 10**6) < 1e-260
    assert summed.tail(1399 * 10**6) == summed.tail(10**400) == 0
    assert any_of(summed.tail(10**400), 3) > 0


@every_kind
@pytest.mark.parametrize(("cells", "whole"), [(1, 3), (2, 4), (3, 5)])
def test_a_lone_person_shows_as_often_as_reported(kind: Any, cells: int, whole: int) -> None:
    for held in (1, 2, 7):
        mechanism = kind(epsilon=1.3, delta=1e-4, keys_per_person=held, cells=cells, whole=whole)
        law = reduce(np.convolve, [rule_of(mechanism).masses] * cells)
        shows = law[len(law) // 2 + mechanism.threshold - whole :].sum()
        found = 1 - (1 - shows) ** held
        assert found <= mechanism.lone_delta * (1 + 1e-8) <= 1e-4 * (1 + 1e-8)
        assert found == pytest.approx(mechanism.lone_delta, rel=1e-8 if kind is JointKeys else 0.35)


# ---- prices ------------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("held", [1, 3, 40])
def test_the_event_costs_no_more_than_was_asked_for(kind: Any, held: int) -> None:
    for epsilon, delta in ((1, Fraction(1, 10**6)), (Fraction(3, 10), Fraction(1, 10**9)), (4, Fraction(1, 100))):
        mechanism = kind(epsilon=epsilon, delta=delta, keys_per_person=held, cells=3, whole=5 * 2**30)
        assert total([mechanism.event]).meets(epsilon, delta)
        assert 0 < mechanism.lone_delta <= delta
        assert mechanism.event.extra_delta() == Fraction(mechanism.lone_delta)


def test_the_event_is_a_noise_for_a_move_of_the_whole_in_each_key() -> None:
    mechanism = JointKeys(epsilon=1, delta=1e-6, keys_per_person=3, cells=2, whole=5 * 2**40)
    assert mechanism.noise == GeometricNoise(Fraction(15 * 2**40))
    assert mechanism.event.pure() == 1
    assert mechanism.event.zcdp() == Fraction(1, 6)  # three times (1/3)²/2
    (one, two), (last, once) = mechanism.event.parts  # type: ignore[attr-defined]
    assert one == last.event == events.Geometric(Fraction(1, 3), 5 * 2**40)
    assert (two, once) == (2, 1)


def test_normal_noise_is_priced_for_all_keys_at_once() -> None:
    mechanism = GaussianJointKeys(epsilon=1, delta=1e-6, keys_per_person=16, cells=2, whole=7)
    assert mechanism.event.pure() is None
    assert mechanism.event.zcdp() == 16 * 49 / (2 * mechanism.sigma**2)
    noise = mechanism.event.event  # type: ignore[attr-defined]
    assert noise == events.Gaussian(mechanism.sigma, 28)
    assert total([noise]).delta(1) + mechanism.lone_delta <= 1e-6
    # Power: noise that forgets the number of keys, or a threshold that forgets a cell's noise, is not within it.
    assert total([events.Gaussian(mechanism.sigma / 4, 28)]).delta(1) > 1e-6
    forgetful = replace(mechanism, cells=1)
    lower = replace(rule_of(mechanism), threshold=forgetful.threshold)
    assert 1 - lower.key(None, (7, 0))[1][0] ** 16 > 1e-5


@pytest.mark.parametrize("cells", [1, 2])
def test_normal_noise_keeps_its_promise_on_one_key(cells: int) -> None:
    mechanism = GaussianJointKeys(epsilon=2.0, delta=0.02, cells=cells, whole=4)
    found, spent = laws(rule_of(mechanism), mechanism), total([mechanism.event])
    for epsilon in (0.5, 1.0, 2.0):
        assert worst_of(found, 1, epsilon) <= spent.delta(epsilon) + SLACK
    assert 0.005 < worst_of(found, 1, 2.0) <= 0.02


def test_one_more_person_moves_the_cells_by_what_the_noise_is_made_for() -> None:
    """Any keys, lone or shared, any cells: ℓ1 is κ in each of them, ℓκ at the most."""
    rng = np.random.default_rng(19)
    for _ in range(200):
        held, cells, whole, keys = (int(rng.integers(low, high)) for low, high in ((1, 5), (1, 7), (1, 10**6), (5, 9)))
        mechanism = JointKeys(epsilon=1, delta=1e-3, keys_per_person=held, cells=cells, whole=whole)

        def joins(table: Any, held: int, cells: int, whole: int) -> Any:
            after = table.copy()
            for key in rng.choice(len(table), size=int(rng.integers(0, held + 1)), replace=False):
                after[key] += rng.multinomial(whole, rng.dirichlet(np.ones(cells)))
            return after

        table = np.zeros((keys, cells), dtype=np.int64)
        for _ in range(int(rng.integers(0, 6))):
            table = joins(table, held, cells, whole)
        moved = joins(table, held, cells, whole) - table
        assert set(np.abs(moved).sum(axis=1).tolist()) <= {0, whole}
        assert np.abs(moved).sum() <= held * whole
        assert Fraction(int(np.abs(moved).sum())) / mechanism.noise.scale <= mechanism.event.pure()  # type: ignore[attr-defined]


# ---- what a user reads -------------------------------------------------------------------------------------


def test_thresholds_of_the_reference() -> None:
    """Five rows in each of three keys at δ = 1e-6: 50.6 people for rows, 55.8 beside a sum, 494.4 at a tenth of ε."""
    asked = {"delta": 1e-6, "keys_per_person": 3, "whole": 5}
    assert JointKeys(epsilon=1, cells=2, **asked).people_threshold == Fraction(253, 5)  # type: ignore[arg-type]
    assert JointKeys(epsilon=0.1, cells=2, **asked).people_threshold == Fraction(2472, 5)  # type: ignore[arg-type]
    fine = asked | {"whole": 5 * 2**30}
    assert float(JointKeys(epsilon=1, cells=2, **fine).people_threshold) == pytest.approx(50.327, abs=1e-3)  # type: ignore[arg-type]
    assert float(JointKeys(epsilon=1, cells=3, **fine).people_threshold) == pytest.approx(55.620, abs=1e-3)  # type: ignore[arg-type]


@every_kind
@pytest.mark.parametrize(("cells", "whole"), [(2, 5), (3, 2**40)])
def test_people_for_is_the_least_number_that_reaches_the_probability(kind: Any, cells: int, whole: int) -> None:
    mechanism = kind(epsilon=1, delta=1e-4, keys_per_person=2, cells=cells, whole=whole)
    for probability in (1e-3, 0.1, 0.5, 0.9, 0.999):
        people = mechanism.people_for(probability)
        assert mechanism.chance(people) >= probability
        assert mechanism.chance(people - 1) < probability
    assert mechanism.people_for(0.5) == math.ceil(mechanism.people_threshold)
    assert mechanism.chance(0) == 0


@every_kind
def test_chance_is_the_mass_from_the_threshold_on(kind: Any) -> None:
    mechanism = kind(epsilon=0.8, delta=1e-3, keys_per_person=2, cells=3, whole=2)
    law = reduce(np.convolve, [rule_of(mechanism).masses] * 3)
    for people in range(1, 2 * math.ceil(mechanism.people_threshold)):
        shown = law[max(0, len(law) // 2 + mechanism.threshold - 2 * people) :].sum()
        assert mechanism.chance(people) == pytest.approx(shown, abs=1e-12 if kind is JointKeys else 1e-6)


@every_kind
def test_the_deviation_is_that_of_the_noise(kind: Any) -> None:
    for epsilon, whole in ((1.5, 1), (0.7, 3), (4, 2)):
        mechanism = kind(epsilon=epsilon, delta=0.05, cells=2, whole=whole)
        masses = rule_of(mechanism).masses
        x = np.arange(len(masses)) - len(masses) // 2
        assert mechanism.deviation == pytest.approx(math.sqrt((masses * x**2).sum()), rel=1e-9)
    assert JointKeys(epsilon=10**6, delta=0.05, cells=2, whole=1).deviation < 1e-300


def test_best_takes_the_fewest_people_and_normal_noise_wins_for_many_keys() -> None:
    for held, expected in ((1, JointKeys), (3, JointKeys), (5, GaussianJointKeys), (50, GaussianJointKeys)):
        asked = {"epsilon": 1, "delta": 1e-6, "keys_per_person": held, "cells": 3, "whole": 5 * 2**20}
        best = best_joint_keys(**asked)  # type: ignore[arg-type]
        assert best.people_for(0.5) == min(kind(**asked).people_for(0.5) for kind in KINDS)  # type: ignore[arg-type]
        assert type(best) is expected
    extreme = {"epsilon": 1e-30, "delta": 1e-25, "cells": 2, "whole": 5}
    with pytest.raises(InvalidParameter, match="epsilon"):
        GaussianJointKeys(**extreme)  # type: ignore[arg-type]
    assert type(best_joint_keys(**extreme)) is JointKeys  # type: ignore[arg-type]


# ---- what is released --------------------------------------------------------------------------------------

MANY = 20_000


@every_kind
def test_keys_are_shown_as_often_as_chance_says(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.01, keys_per_person=2, cells=3, whole=2**12)
    people = math.floor(mechanism.people_threshold)
    cells = np.tile(np.array([2**12 - 5, 5, 0]) * people, (MANY, 1))
    places, noisy = mechanism.select(np.full(MANY, people), cells, bits=SeededBits(3))
    assert noisy.shape == (len(places), 3)
    assert (noisy.sum(axis=1) >= mechanism.threshold).all()
    assert binomial(len(places), MANY, mechanism.chance(people)) > THRESHOLD
    assert binomial(len(places), MANY, mechanism.chance(people + 1)) < THRESHOLD
    # Cells have noise of their own.
    noise = noisy - cells[0]
    assert (noise[:, :-1] == noise[:, 1:]).mean() < 0.01


@every_kind
def test_places_are_in_order_and_keys_without_people_are_not_in_the_data(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.01, cells=2, whole=5)
    people = np.array([0, 10**6, 0, 10**6, 1, 10**6])
    cells = np.array([[10**9, 10**9], *[[people[i] * 2, people[i] * 3] for i in range(1, 6)]])
    places, noisy = mechanism.select(people, cells, bits=SeededBits(1))
    assert [place for place in places.tolist() if place != 4] == [1, 3, 5]
    assert np.abs(noisy[0] - cells[1]).max() < 500
    places, noisy = mechanism.select(np.zeros(6, dtype=np.int64), cells)
    assert places.shape == (0,)
    assert noisy.shape == (0, 2)
    assert mechanism.select([], [])[1].shape == (0, 2)
    assert mechanism.select([], np.zeros((0, 2), dtype=np.int64))[1].shape == (0, 2)


@every_kind
def test_cells_of_any_size_stay_exact(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.01, cells=3, whole=2**60)
    far = 2**62
    table = np.array([[far * 2**60, 0, 3], [2**60, 0, 0]], dtype=object)
    places, noisy = mechanism.select([far, 1], table, bits=SeededBits(5))
    assert 0 in places.tolist()
    assert noisy.dtype == np.object_
    assert abs(noisy[0][0] - far * 2**60) < 2**70
    assert noisy[0][0] % 2**40  # no float was in between
    small = kind(epsilon=1, delta=0.01, cells=3, whole=4)
    near = np.array([[2**62, 2**62, 2**62], [2**61, 0, 0]], dtype=np.uint64)
    places, noisy = small.select([3 * 2**60, 2**59], near, bits=SeededBits(5))
    assert places.tolist() == [0, 1]  # a sum that wrapped would be below the threshold
    assert noisy.dtype == np.int64


def test_what_is_not_shown_does_not_decide_how_the_rest_is_held() -> None:
    mechanism = JointKeys(epsilon=1, delta=0.01, cells=2, whole=2)
    # A key far below the threshold, with cells no honest caller has.
    table = np.array([[-(2**90), 0], [4000, 2000]], dtype=object)
    places, noisy = mechanism.select([1, 3000], table, bits=SeededBits(5))
    assert places.tolist() == [1]
    assert noisy.dtype == np.int64


# ---- refusals ----------------------------------------------------------------------------------------------

GOOD = {"epsilon": 1, "delta": 1e-6, "keys_per_person": 2, "cells": 2, "whole": 5}


@every_kind
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0), ("epsilon", -1), ("epsilon", math.nan), ("epsilon", "one"), ("epsilon", Fraction(1, 2**1010)),
        ("delta", 0), ("delta", 1), ("delta", -1e-9), ("delta", Fraction(1, 2**1010)),
        ("keys_per_person", 0), ("keys_per_person", 1.5), ("keys_per_person", True),
        ("cells", 0), ("cells", 17), ("cells", 2.0), ("cells", True),
        ("whole", 0), ("whole", -5), ("whole", 5.0), ("whole", Fraction(5, 2)),
    ],
)  # fmt: skip
def test_parameters_outside_the_theorem_are_refused(kind: Any, name: str, value: Any) -> None:
    for build in (kind, best_joint_keys):
        with pytest.raises(InvalidParameter, match=name):
            build(**GOOD | {name: value})


@every_kind
@pytest.mark.parametrize(
    ("name", "people", "cells"),
    [
        ("people", [1.0], [[31337, 0]]),
        ("people", [[1]], [[31337, 0]]),
        ("people", ["31337"], [[31337, 0]]),
        ("people", [True], [[31337, 0]]),
        ("cells", [1], [[31337.0, 0]]),
        ("cells", [1], [31337, 0]),
        ("cells", [1], [[31337, 0, 0]]),
        ("cells", [1, 1], [[31337, 0]]),
        ("cells", [1], [[Fraction(31337), 0]]),
        ("cells", [1], [["31337", "0"]]),
        ("cells", [1], [[True, False]]),
        ("cells", [1], [[None, 31337]]),
    ],
)
def test_data_of_another_type_or_shape_are_refused_and_not_shown(kind: Any, name: str, people: Any, cells: Any) -> None:
    with pytest.raises(InvalidParameter, match=name) as refusal:
        kind(**GOOD).select(people, cells)
    assert "31337" not in str(refusal.value)


@every_kind
def test_questions_about_impossible_people_and_probabilities_are_refused(kind: Any) -> None:
    mechanism = kind(**GOOD)
    for people in (-1, 1.5):
        with pytest.raises(InvalidParameter, match="people"):
            mechanism.chance(people)
    with pytest.raises(InvalidParameter, match="probability"):
        mechanism.people_for(1)
