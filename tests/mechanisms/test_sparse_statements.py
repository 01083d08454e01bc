"""Statements about the sparse vector family, against exact laws of runs: prices are reached, and pay for every stage."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mechanism_laws as laws
from sfumato.accounting import total
from sfumato.core import Accuracy, Neighbours, Norm, Sensitivity
from sfumato.mechanisms import (
    AboveThreshold,
    GeometricNoise,
    NonNegativeSparseVector,
    NumericSparse,
    Sparse,
    SparseTechnique,
    SparseVector,
    StagewiseSparseVector,
    above_threshold_accuracy,
    sparse_accuracy,
)

ONE = Neighbours().histogram(Norm.L1)


def renyi(p: laws.Law, q: laws.Law, alpha: float) -> float:
    """The Rényi divergence of two laws by its definition."""
    logs = [alpha * math.log(m) + (1 - alpha) * math.log(q[o]) for o, m in p.items() if m > 1e-290 and q[o] > 1e-290]
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(log - top) for log in logs))) / (alpha - 1)


def told_apart(mechanism: SparseTechnique, rounds: int, alpha: float, *, reach: int = 28) -> float:
    """The divergence of one stage's answers when `rounds` queries rise and the last one falls, in its worse direction."""
    x, y = [0] * rounds + [1], [1] * rounds + [0]
    p, q = (laws.sparse(mechanism, answers, reach) for answers in (x, y))
    return max(renyi(p, q, alpha), renyi(q, p, alpha))


def loss_of_a_long_run(mechanism: SparseTechnique, *, moved: int = 1, rounds: int = 400) -> float:
    """The loss of ⊥ for all of many queries and then ⊤, as the queries rise and the last one falls."""
    scales = [float(noise.scale) for noise in mechanism.noises]  # type: ignore[attr-defined]
    reach = int(60 * max(scales))
    levels = np.arange(-reach, reach + 1)
    ratio = [math.exp(-1 / scale) for scale in scales]
    threshold = (1 - ratio[0]) / (1 + ratio[0]) * ratio[0] ** np.abs(levels)

    def below(m: Any) -> Any:  # Pr[noise < m]
        return np.where(
            m > 0,
            1 - ratio[1] ** np.maximum(m, 0) / (1 + ratio[1]),
            ratio[1] ** (1 - np.minimum(m, 0)) / (1 + ratio[1]),
        )

    def mass(low: int, high: int) -> float:
        return float((threshold * below(levels - low) ** rounds * (1 - below(levels - high))).sum())

    return abs(math.log(mass(0, moved) / mass(moved, 0)))


# ---- prices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moved", [1, 2, 5])
def test_queries_that_move_by_delta_cost_epsilon_with_noise_for_delta(moved: int) -> None:
    mechanism = AboveThreshold(epsilon=1, threshold=0, sensitivity=Sensitivity.linf(moved, Neighbours()))
    assert 0.99 < loss_of_a_long_run(mechanism, moved=moved) <= 1 + 1e-9


@pytest.mark.parametrize("cutoff", [1, 3, 10])
def test_c_runs_of_sparse_lose_its_price_and_no_more(cutoff: int) -> None:
    """Each run to a ⊤ can lose its whole share, so c of them lose c shares."""
    mechanism = Sparse(epsilon=1, threshold=0, sensitivity=ONE, cutoff=cutoff)
    lost = cutoff * loss_of_a_long_run(mechanism)
    assert len(mechanism.stages) == cutoff
    assert 0.98 < lost <= total([mechanism.event]).epsilon(0) * (1 + 1e-9)
    assert total([mechanism.event]).epsilon(0) == pytest.approx(1)


@pytest.mark.parametrize("cutoff", [1, 4])
def test_numeric_sparse_pays_for_its_bits_and_for_its_values(cutoff: int) -> None:
    """A value's noise of scale b hides a move of one at 1/b; a run's bits lose what a long run loses."""
    mechanism = NumericSparse(epsilon=2, threshold=0, sensitivity=ONE, cutoff=cutoff)
    values = 1 / float(mechanism.value_noise.scale)  # type: ignore[attr-defined]
    lost = cutoff * (loss_of_a_long_run(mechanism) + values)
    assert 0.98 * 2 < lost <= total([mechanism.event]).epsilon(0) * (1 + 1e-9)


def test_generalised_svt_pays_for_the_threshold_and_for_twice_the_move_of_a_query() -> None:
    """Exact divergences of whole runs stay below the price, and above what either noise alone would cost."""
    alone: list[float] = []
    for sigma, scale, threshold, rounds in ((2, 4, 3, 40), (8, 4, 12, 60)):
        mechanism = SparseVector.hybrid(sigma=sigma, scale=scale, threshold=threshold, sensitivity=ONE)
        for alpha in (2.0, 8.0, 32.0):
            found = told_apart(mechanism, rounds, alpha, reach=60)
            assert found <= mechanism.event.rdp(alpha)
            alone += [found / (alpha / (2 * sigma**2)), found / (2 / scale)]
    assert max(alone[0::2]) > 1.4  # of the threshold's ε
    assert max(alone[1::2]) > 2.4  # of the queries' ε
    pure = SparseVector(
        threshold=0,
        sensitivity=ONE,
        threshold_noise=GeometricNoise(Fraction(2)),
        query_noise=GeometricNoise(Fraction(4)),
    )
    assert 0.99 < loss_of_a_long_run(pure) <= float(pure.event.pure() or 0) * (1 + 1e-9)
    assert pure.event.pure() == 1


@pytest.mark.parametrize(("cutoff", "length"), [(1, 12), (2, 6)])
def test_a_length_cap_pays_for_the_number_of_outputs_there_are(cutoff: int, length: int) -> None:
    """1 + Σ C(length, k) of them (errata B10: the logarithm of all, with the one outside): every output is counted."""
    mechanism = SparseVector.gaussian(
        sigma=2, query_sigma=4, length=length, cutoff=cutoff, threshold=3, sensitivity=ONE
    )
    x, y = [0] * (length - 1) + [1], [1] * (length - 1) + [0]
    p, q = (laws.sparse(mechanism, answers, 24) for answers in (x, y))
    strings = [bits for bits in itertools.product((0, 1), repeat=length) if sum(bits) <= cutoff]
    for alpha in (2.0, 8.0, 32.0):
        assert max(renyi(p, q, alpha), renyi(q, p, alpha)) <= mechanism.event.rdp(alpha)
        theorem = alpha / 8 + cutoff * alpha * 4 / 32 + math.log(1 + len(strings)) / (alpha - 1)
        assert mechanism.event.rdp(alpha) == pytest.approx(theorem, rel=1e-6)


def test_twenty_stages_lose_more_than_one_stage_is_priced_at() -> None:
    """Stages have fresh thresholds, so the divergences of what is answered in each add up over all of them."""
    length, count, alpha = 10, 20, 8.0
    stage = SparseVector.gaussian(sigma=2, query_sigma=4, length=length, threshold=6, sensitivity=ONE)
    staged = StagewiseSparseVector.gaussian(
        sigma=2, query_sigma=4, length=length, cutoff=count, stage_cutoff=1, threshold=6, sensitivity=ONE
    )
    found = count * told_apart(stage, length - 1, alpha)
    assert found > 4 * stage.event.rdp(alpha)
    assert found <= staged.event.rdp(alpha)
    assert staged.event.rdp(alpha) == pytest.approx(count * stage.event.rdp(alpha), rel=1e-9)


def test_stages_fail_with_a_delta_each_also_the_last_that_is_not_full() -> None:
    """Errata E3: five ⊤ in stages of four are two stages and fail with 2δ', not with 5/4 of it."""
    share = Fraction(1, 10**9)
    for cutoff, each, count in ((5, 4, 2), (40, 2, 20), (3, 3, 1)):
        staged = StagewiseSparseVector.gaussian(
            sigma=60, query_sigma=120, length=50, cutoff=cutoff, stage_cutoff=each, threshold=0, sensitivity=ONE
        )
        boxes = staged.event_by_stages(share)
        assert boxes.extra_delta() == count * share
        full, last = (
            total([staged._stage_event(tops)]).epsilon(float(share)) for tops in (each, cutoff - each * (count - 1))
        )
        assert float(boxes.pure() or 0) == pytest.approx((count - 1) * full + last)


def test_thirty_tops_of_non_negative_queries_lose_more_than_one_is_priced_at() -> None:
    """One run's answers by their exact law; with a fresh threshold after each ⊤ thirty runs add up."""
    alpha, count = 8.0, 30
    one = NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=2, sensitivity=ONE)
    many = NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=2, sensitivity=ONE, cutoff=count)
    found = count * told_apart(one, 20, alpha)
    assert found > 8 * one.event.rdp(alpha)
    assert found <= many.event.rdp(alpha)
    assert len(many.stages) == count
    assert many.event.rdp(alpha) == pytest.approx(count * one.event.rdp(alpha), rel=1e-9)


# ---- runs ------------------------------------------------------------------------------------------------------------


class Scripted(SparseVector):
    """Generalised SVT whose noises are given, to follow every combination of them."""

    script: Any = None

    @property
    def noises(self) -> Any:
        return self.script


@pytest.mark.parametrize("resample", [False, True])
def test_generalised_svt_answers_by_the_first_noise_and_halts_after_its_cutoff(resample: bool) -> None:
    """On every combination of small noises: ⊤ if and only if q + ν ≥ T + ρ, with a fresh ρ only after a ⊤."""
    answers, level, cutoff, draws = [0, 2, 1], 1, 2, (-2, 0, 1)
    noise = GeometricNoise(Fraction(1))
    mechanism = Scripted(
        threshold=level, sensitivity=ONE, threshold_noise=noise, query_noise=noise, cutoff=cutoff, resample=resample
    )
    for thresholds in itertools.product(draws, repeat=2):
        for noises in itertools.product(draws, repeat=3):
            object.__setattr__(mechanism, "script", (laws.Script(thresholds, noise), laws.Script(noises, noise)))
            expected: list[bool] = []
            fresh = 0
            for answer, nu in zip(answers, noises, strict=True):
                if sum(expected) < cutoff:
                    expected.append(answer + nu >= level + thresholds[fresh])
                    fresh += expected[-1] and resample and sum(expected) < cutoff
            assert mechanism.release(answers).tolist() == expected  # type: ignore[union-attr]


@pytest.mark.parametrize("moved", [1, 3])
def test_above_threshold_halts_at_its_first_top_and_has_noise_for_twice_and_four_times_the_move(moved: int) -> None:
    """Lap(2Δ/ε) on the threshold and Lap(4Δ/ε) on each query, so that the answers together lose ε and no more."""
    epsilon, far = Fraction(1, 2), 10**6
    mechanism = AboveThreshold(epsilon=epsilon, threshold=0, sensitivity=Sensitivity.linf(moved, Neighbours()))
    assert [noise.scale for noise in mechanism.noises] == [4 * moved, 8 * moved]  # type: ignore[attr-defined]
    assert 0.99 * epsilon < loss_of_a_long_run(mechanism, moved=moved) <= float(epsilon) * (1 + 1e-9)
    assert mechanism.release([-far, -far, far, far, -far]).tolist() == [False, False, True]  # type: ignore[union-attr]
    run = mechanism.start()
    assert [run.ask(-far), run.halted, run.ask(far), run.halted] == [False, False, True, True]


# ---- accuracy --------------------------------------------------------------------------------------------------------


def chance_of_a_wrong_answer(mechanism: SparseTechnique, queries: int, accuracy: Accuracy) -> float:
    """Exactly, for one stage of queries just more than α below the threshold and a last one as far above it."""
    threshold, query = (laws.pmf_of(noise) for noise in mechanism.noises)
    reach = int(40 * max(float(noise.scale) for noise in mechanism.noises))  # type: ignore[attr-defined]
    span = np.arange(-reach, reach + 1)
    levels, noises = (np.array([pmf(int(k)) for k in span]) for pmf in (threshold, query))
    tail = np.append(np.cumsum(noises[::-1])[::-1], 0.0)  # Pr[ν ≥ m] at m = place - reach
    far = math.floor(accuracy.alpha) + 1

    def above(m: Any) -> Any:
        return tail[np.clip(m + reach, 0, 2 * reach + 1)]

    return 1 - float((levels * (1 - above(span + far)) ** (queries - 1) * above(span - far)).sum())


@pytest.mark.parametrize(("queries", "beta"), [(20, 0.05), (200, 0.3), (200, 0.05)])
def test_a_run_is_wrong_beyond_its_error_no_more_often_than_said(queries: int, beta: float) -> None:
    mechanism = AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE)
    promised = mechanism.error(beta, queries=queries)
    assert chance_of_a_wrong_answer(mechanism, queries, promised) <= beta
    half = Accuracy(promised.alpha / 2, promised.beta)
    assert chance_of_a_wrong_answer(mechanism, queries, half) > beta


@pytest.mark.parametrize(("queries", "beta"), [(10, 0.05), (300, 0.2)])
def test_the_accuracy_of_above_threshold_covers_its_exact_failures(queries: int, beta: float) -> None:
    """8(ln k + ln(2/β))/ε (errata B3), which the noises' own law keeps, and a third of which it does not."""
    for epsilon in (Fraction(1, 2), Fraction(2)):
        mechanism = AboveThreshold(epsilon=epsilon, threshold=0, sensitivity=ONE)
        theorem = above_threshold_accuracy(queries=queries, beta=beta, epsilon=epsilon)
        assert theorem.alpha == pytest.approx(8 * (math.log(queries) + math.log(2 / beta)) / epsilon)
        assert chance_of_a_wrong_answer(mechanism, queries, theorem) <= beta
        third = Accuracy(theorem.alpha / 3, theorem.beta)
        assert chance_of_a_wrong_answer(mechanism, queries, third) > beta


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_accuracy_of_sparse_covers_its_exact_failures(delta: float) -> None:
    """c stages that split k queries among them; each has its own threshold to be wrong about."""
    queries, cutoff, beta = 200, 20, 0.05
    mechanism = Sparse(epsilon=1, delta=delta, threshold=0, sensitivity=ONE, cutoff=cutoff)
    theorem = sparse_accuracy(queries=queries, beta=beta, epsilon=1, cutoff=cutoff, delta=delta)
    log = math.log(queries) + math.log(2 * cutoff / beta)
    factor = 8 * cutoff if delta == 0 else math.sqrt(512 * cutoff * math.log(1 / delta))
    assert theorem.alpha == pytest.approx(factor * log)

    def wrong(accuracy: Accuracy) -> float:
        return 1 - (1 - chance_of_a_wrong_answer(mechanism, queries // cutoff, accuracy)) ** cutoff

    assert wrong(theorem) <= beta
    assert wrong(Accuracy(theorem.alpha / (4 if delta == 0 else 10), theorem.beta)) > beta


@pytest.mark.parametrize(("queries", "cutoff"), [(1, 1), (10, 10)])
def test_values_stray_beyond_the_error_no_more_often_than_said(queries: int, cutoff: int) -> None:
    """Discrete Laplace tails: 1 - (1 - Pr[|noise| > α])^c for c values."""
    beta = 0.05
    mechanism = NumericSparse(epsilon=1, threshold=0, sensitivity=ONE, cutoff=cutoff)
    scale = float(mechanism.value_noise.scale)  # type: ignore[attr-defined]
    alpha = mechanism.error(beta, queries=queries).alpha

    def strays(t: float) -> float:
        beyond = 2 * math.exp(-(math.floor(t) + 1) / scale) / (1 + math.exp(-1 / scale))
        return 1 - (1 - min(1.0, beyond)) ** cutoff

    assert strays(alpha) <= beta / 2
    assert strays(0.7 * alpha) > beta / 2
