"""Steps of a model: the progress that they promise, on models and truths of all kinds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.synth import MultiplicativeStep, ProportionalStep

Floats = NDArray[np.float64]


def divergence(p: Floats, model: Floats) -> float:
    """KL(p‖A)."""
    held = p > 0
    return float((p[held] * np.log(p[held] / model[held])).sum())


def instances(count: int, *, sets: bool) -> list[tuple[Floats, Floats, Floats, float]]:
    """Truths, models, queries and measured shares, some of them far off."""
    generator = np.random.Generator(np.random.PCG64(7))
    found = []
    for _ in range(count):
        d = int(generator.integers(2, 9))
        sharp = float(generator.choice([0.1, 1.0, 10.0]))
        p, model = generator.dirichlet([sharp] * d), generator.dirichlet([1.0] * d)
        query = generator.random(d)
        if sets:
            query = (query < 0.5).astype(np.float64)
            query[0], query[-1] = 1, 0
        measured = float(p @ query + generator.normal() * generator.choice([0.0, 0.02, 0.3]))
        found.append((p, model, query, measured))
    return found


@pytest.mark.parametrize("people", [1.0, 5000.0])
def test_a_multiplicative_step_makes_the_progress_of_hoeffdings_lemma(people: float) -> None:
    for p, model, query, measured in instances(600, sets=False):
        weights = people * model
        MultiplicativeStep().take(weights, query, people * measured, floor=0.0)
        assert weights.sum() == pytest.approx(people)
        v, r = float(p @ query - model @ query), float(measured - p @ query)
        progress = divergence(p, model) - divergence(p, weights / people)
        assert progress >= 2 * (v * v - r * r) - 1e-9
        assert (
            progress
            >= 2 * v * v
            - float(MultiplicativeStep().loss(off=Fraction(abs(r)), scale=Fraction(1), people=Fraction(1)))
            - 1e-9
        )
    weights, p = people * np.array([0.5, 0.5]), np.array([0.55, 0.45])
    MultiplicativeStep().take(weights, np.array([1.0, 0.0]), people * 0.55, floor=0.0)
    assert divergence(p, np.array([0.5, 0.5])) - divergence(p, weights / people) == pytest.approx(2 * 0.05**2, rel=0.01)


@pytest.mark.parametrize("people", [1.0, 5000.0])
def test_a_proportional_step_meets_what_was_measured_and_makes_the_progress_of_pinskers_inequality(
    people: float,
) -> None:
    for p, model, query, measured in instances(600, sets=True):
        for floor in (0.01, 0.2):
            weights = people * model
            ProportionalStep().take(weights, query, people * measured, floor=people * floor)
            kept = min(max(measured, floor), 1 - floor)
            assert weights.sum() == pytest.approx(people)
            assert float(weights @ query) == pytest.approx(people * kept)
            v, r = float(p @ query - model @ query), abs(float(measured - p @ query))
            undone = ProportionalStep().loss(off=Fraction(r), scale=Fraction(floor), people=Fraction(1))
            assert undone is not None
            progress = divergence(p, model) - divergence(p, weights / people)
            assert progress >= 2 * v * v - float(undone) - 1e-9
    assert ProportionalStep().loss(off=Fraction(1), scale=Fraction(1, 2), people=Fraction(1)) is None


def test_disjoint_sets_and_the_rest_are_fitted_at_once() -> None:
    cells = np.array([0, 0, 1, 1, -1])
    weights = np.array([1.0, 3.0, 2.0, 2.0, 2.0])
    ProportionalStep().fit(weights, cells, np.array([2.0, 5.0]), floor=0.1)
    assert weights.tolist() == pytest.approx([0.5, 1.5, 2.5, 2.5, 3.0])
    partition = np.array([0, 1, 1])
    weights = np.array([2.0, 4.0, 4.0])
    ProportionalStep().fit(weights, partition, np.array([-3.0, 8.0]), floor=1.0)
    assert weights.sum() == pytest.approx(10)
    assert weights[0] == pytest.approx(10 / 9)  # kept at the floor, then both to the whole
    one_by_one = np.array([5.0, 5.0])
    MultiplicativeStep().fit(one_by_one, np.array([0, 1]), np.array([8.0, 2.0]), floor=0.0)
    assert one_by_one[0] > 7


def test_wild_measurements_leave_a_model_that_is_one() -> None:
    for step in (MultiplicativeStep(), ProportionalStep()):
        for measured in (-1e12, 1e12):
            weights = np.array([1e-9, 1.0, 2.0])
            for _ in range(50):
                step.take(weights, np.array([1.0, 0.0, 1.0]), measured, floor=0.5)
            assert np.isfinite(weights).all()
            assert (weights >= 0).all()
            assert weights.sum() == pytest.approx(3.0)
            assert math.isfinite(float(np.log(weights[1] + weights[2])))
