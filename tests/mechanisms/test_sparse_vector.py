"""The sparse vector family: every combination of noises followed, broken twins convicted, runs that halt."""

import copy
import itertools
import math
import os
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import mechanism_laws as laws
import statistics_of_samples as samples
from sfumato.accounting import events, from_json, total
from sfumato.accounting.rdp import log_stopping_moment
from sfumato.core import Change, Neighbours, Norm, Sensitivity
from sfumato.errors import Halted, InvalidParameter
from sfumato.mechanisms import (
    AboveThreshold,
    DiscreteGaussianNoise,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    NonNegativeSparseVector,
    NumericSparse,
    Sparse,
    SparseTechnique,
    SparseVector,
    StagewiseSparseVector,
    above_threshold_accuracy,
    numeric_sparse_accuracy,
    sparse_accuracy,
)
from sfumato.mechanisms.stream import Stage
from sources import SeededBits

pytestmark = pytest.mark.slow

ONE = Neighbours().histogram(Norm.L1)


def law_of(mechanism: SparseTechnique, answers: list[int], reach: int, monkeypatch: pytest.MonkeyPatch) -> laws.Law:
    """The law of a run's bits: the mechanism's own code run on every combination of noises up to `reach`.

    Thresholds come first in a script of their own, so that the code decides which of them it draws.
    """
    threshold, query = mechanism.noises
    t, q = laws.pmf_of(threshold), laws.pmf_of(query)
    draws = range(-reach, reach + 1)
    fresh = len(mechanism.stages)
    out: laws.Law = {}
    kind = type(mechanism)
    for combination in itertools.product(draws, repeat=fresh + len(answers)):
        levels, noises = combination[:fresh], combination[fresh:]
        pair = laws.Script(levels, threshold), laws.Script(noises, query)
        monkeypatch.setattr(kind, "noises", property(lambda self, pair=pair: pair))  # type: ignore[misc]
        found = tuple(mechanism.release(answers).tolist())  # type: ignore[union-attr]
        mass = math.prod(map(t, levels)) * math.prod(map(q, noises))
        out[found] = out.get(found, 0.0) + mass
    monkeypatch.undo()
    assert math.fsum(out.values()) > 1 - 1e-5
    return out


NEIGHBOURS = [([0, 1], [1, 0]), ([0, 0], [1, 1]), ([1, 0], [0, 1]), ([0, 2], [1, 1])]
# AboveThreshold at ε = 8 has scales 1/4 and 1/2: noise beyond 6 has a mass below 1e-5.
STRONG = AboveThreshold(epsilon=8, threshold=1, sensitivity=ONE)


@pytest.mark.parametrize(("x", "y"), NEIGHBOURS)
def test_above_threshold_is_private_over_all_noises(
    x: list[int], y: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    p, q = (law_of(STRONG, answers, 7, monkeypatch) for answers in (x, y))
    assert max(laws.loss(p, q), laws.loss(q, p)) <= 8 + 1e-2  # the allowance is for the noise cut off
    assert laws.violation(STRONG.event, p, q) < 1e-5


class GoesOn(AboveThreshold):
    """As printed (errata A1): the loop never stops."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(10**6),)


class HalfNoise(AboveThreshold):
    """Both noises at half their scale."""

    @property
    def noises(self) -> Any:
        first, second = super().noises
        return GeometricNoise(first.scale / 2), GeometricNoise(second.scale / 2)  # type: ignore[attr-defined]


class NoQueryNoise(AboveThreshold):
    """Noise on the threshold only."""

    @property
    def noises(self) -> Any:
        return super().noises[0], GeometricNoise(Fraction(1, 1000))


def made(kind: Any, epsilon: float = 8) -> Any:
    return kind(epsilon=epsilon, threshold=1, sensitivity=ONE)


def test_a_query_without_noise_is_convicted_by_the_same_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = made(NoQueryNoise)
    p, q = (law_of(mechanism, answers, 7, monkeypatch) for answers in ([0, 1], [1, 0]))
    assert laws.violation(mechanism.event, p, q) > 1e-2


def long_run_loss(mechanism: Any, rounds: int) -> float:
    """The loss of ⊥^r and then as many ⊤ as the mechanism gives, up to r: q is 0 then 1, or 1 then 0."""
    threshold, query = (samples.discrete_laplace(float(noise.scale)) for noise in mechanism.noises)
    sums = stats.dlaplace(1 / float(mechanism.noises[1].scale))
    assert sums.pmf(3) == pytest.approx(query(3))
    tops = min(rounds, mechanism.stages[0].cutoff)

    def mass(low: int, high: int) -> float:
        levels = range(-300, 301)
        return math.fsum(threshold(t) * sums.cdf(t - low - 1) ** rounds * sums.sf(t - high - 1) ** tops for t in levels)

    return abs(math.log(mass(0, 1) / mass(1, 0)))


def test_long_runs_come_up_to_the_price_and_broken_ones_go_beyond() -> None:
    assert 0.999 < long_run_loss(made(AboveThreshold, 1), 100) <= 1 + 1e-9
    assert long_run_loss(made(HalfNoise, 1), 100) > 1.99
    assert long_run_loss(made(GoesOn, 1), 100) > 45  # errata A1: 46 in the limit of continuous noise
    assert made(GoesOn, 1).release([10**6] * 100).tolist() == [True] * 100
    assert made(AboveThreshold, 1).release([10**6] * 100).tolist() == [True]


def test_noise_that_is_not_refreshed_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one noise for all queries ⊥ at 0, ⊤ at 1 can happen for (0, 1) and never for (1, 0)."""
    mechanism = AboveThreshold(epsilon=1, threshold=1, sensitivity=ONE)
    outcome = [False, True]

    def seen(answers: list[int], seed: int) -> int:
        bits = SeededBits(seed)
        return sum(mechanism.release(answers, bits=bits).tolist() == outcome for _ in range(4000))  # type: ignore[union-attr]

    honest = seen([0, 1], 1), seen([1, 0], 2)
    assert honest[0] <= math.e * honest[1] + 6.2 * math.e * math.sqrt(honest[1]) + 6.2 * math.sqrt(honest[0])
    draw = GeometricNoise.draw

    def once(self: Any, size: Any, bits: Any) -> Any:
        one = draw(self, None, bits)
        return one if size is None else np.full(size, one)

    monkeypatch.setattr(GeometricNoise, "draw", once)
    assert seen([1, 0], 2) == 0
    assert seen([0, 1], 1) > 100


PAIR: dict[str, Any] = {
    "threshold": 1,
    "sensitivity": ONE,
    "threshold_noise": GeometricNoise(Fraction(1)),
    "query_noise": GeometricNoise(Fraction(2)),
    "cutoff": 2,
}
FAMILY: list[tuple[str, SparseTechnique, int]] = [
    ("above threshold", AboveThreshold(epsilon=2, threshold=1, sensitivity=ONE), 40),
    ("sparse", Sparse(epsilon=4, threshold=1, sensitivity=ONE, cutoff=2), 40),
    ("sparse with δ", Sparse(epsilon=4, delta=1e-3, threshold=1, sensitivity=ONE, cutoff=2), 40),
    (
        "generalised",
        SparseVector(**PAIR),
        45,
    ),
    (
        "generalised, resampled",
        SparseVector(**PAIR, resample=True),
        45,
    ),
    ("hybrid", SparseVector.hybrid(sigma=2, scale=3, threshold=1, sensitivity=ONE), 60),
    ("length-capped", SparseVector.gaussian(sigma=2, query_sigma=4, length=3, threshold=1, sensitivity=ONE), 30),
    (
        "length-capped, discrete, c = 2",
        SparseVector(
            threshold=1,
            sensitivity=ONE,
            threshold_noise=DiscreteGaussianNoise(Fraction(2)),
            query_noise=DiscreteGaussianNoise(Fraction(4)),
            cutoff=2,
            length=3,
        ),
        30,
    ),
    (
        "stage-wise",
        StagewiseSparseVector.gaussian(
            sigma=2, query_sigma=4, length=2, cutoff=2, stage_cutoff=1, threshold=1, sensitivity=ONE
        ),
        24,
    ),
    ("non-negative", NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=2, sensitivity=ONE), 30),
]
family = pytest.mark.parametrize(("mechanism", "reach"), [row[1:] for row in FAMILY], ids=[row[0] for row in FAMILY])
INPUTS = [([0, 0, 0], [1, 1, 1]), ([0, 0, 1], [1, 1, 0]), ([1, 0, 1], [0, 1, 0]), ([0, 1, 3], [1, 0, 2])]


@family
def test_the_price_is_not_below_the_audited_loss(mechanism: SparseTechnique, reach: int) -> None:
    found = 0.0
    for x, y in INPUTS:
        p, q = laws.sparse(mechanism, x, reach), laws.sparse(mechanism, y, reach)
        assert math.fsum(p.values()) > 1 - 1e-7
        assert laws.violation(mechanism.event, p, q) < 1e-6
        found = max(found, laws.hockey_stick(p, q, 0.0))
    assert found > 0.05  # the inputs can be told apart at all


@family
def test_a_release_has_the_audited_law(mechanism: SparseTechnique, reach: int) -> None:
    x, bits = [0, 1, 2], SeededBits(12)
    law, other = laws.sparse(mechanism, x, reach), laws.sparse(mechanism, [2, 1, 0], reach)
    outcomes = sorted(law, key=lambda o: -law[o])
    seen = [tuple(mechanism.release(x, bits=bits).tolist()) for _ in range(2500)]  # type: ignore[union-attr]
    sample = [outcomes.index(outcome) for outcome in seen]
    reached = len(outcomes)
    chance, wrong = ([table.get(o, 0.0) for o in outcomes] + [0.0] for table in (law, other))
    assert samples.chi_square(sample, lambda k: chance[k] if k >= 0 else 0.0, reach=reached) > samples.THRESHOLD
    assert samples.chi_square(sample, lambda k: wrong[k] if k >= 0 else 0.0, reach=reached) < samples.THRESHOLD


@family
def test_asking_one_by_one_has_the_law_of_the_array(mechanism: SparseTechnique, reach: int) -> None:
    x, bits = [0, 1, 2], SeededBits(13)
    law = laws.sparse(mechanism, x, reach)
    outcomes = sorted(law, key=lambda o: -law[o])
    sample = []
    for _ in range(2000):
        run, seen = mechanism.start(bits=bits), []
        for answer in x:
            if run.halted:
                break
            seen.append(run.ask(answer))
            assert isinstance(seen[-1], bool)
        sample.append(outcomes.index(tuple(seen)))
    chance = [law[o] for o in outcomes] + [0.0]
    assert samples.chi_square(sample, lambda k: chance[k] if k >= 0 else 0.0, reach=len(outcomes)) > samples.THRESHOLD


def test_small_noise_laws_by_brute_force_and_in_closed_form_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Sparse(epsilon=16, threshold=1, sensitivity=ONE, cutoff=2)
    brute, closed = law_of(mechanism, [0, 2], 6, monkeypatch), laws.sparse(mechanism, [0, 2], 30)
    for outcome, mass in closed.items():
        assert brute.get(outcome, 0.0) == pytest.approx(mass, abs=2e-5)


# ---- runs --------------------------------------------------------------------------------------------------


def test_a_run_refuses_after_its_last_top() -> None:
    sparse = Sparse(epsilon=100, threshold=1000, sensitivity=ONE, cutoff=2)
    run = sparse.start()
    assert [run.ask(0), run.ask(10**6), run.ask(0), run.ask(10**6)] == [False, True, False, True]
    assert run.halted
    for _ in range(2):
        with pytest.raises(Halted, match="all the answers") as error:
            run.ask(0)
        assert "new run" in str(error.value)
    with pytest.raises(Halted):
        run.ask_all(np.array([1, 2]))
    assert sparse.release([0, 10**6, 0, 10**6, 0, 10**6]).tolist() == [False, True, False, True]  # type: ignore[union-attr]


def test_a_length_cap_ends_a_run_too() -> None:
    capped = SparseVector.gaussian(sigma=1, query_sigma=2, length=3, threshold=1000, sensitivity=ONE)
    assert capped.release([0] * 10).tolist() == [False] * 3  # type: ignore[union-attr]
    run = capped.start()
    for _ in range(3):
        assert run.ask(0) is False
    with pytest.raises(Halted):
        run.ask(0)


def test_stages_follow_each_other() -> None:
    staged = StagewiseSparseVector.gaussian(
        sigma=1, query_sigma=2, length=4, cutoff=5, stage_cutoff=2, threshold=1000, sensitivity=ONE
    )
    big = 10**6
    assert [stage.cutoff for stage in staged.stages] == [2, 2, 1]
    assert len(staged.release([big] * 10)) == 5
    assert len(staged.release([0] * 100)) == 12  # three stages of four questions
    assert len(staged.release([0, 0, 0, big] * 10)) == 12
    one_by_one = staged.start()
    for _ in range(5):
        one_by_one.ask(big)
    assert one_by_one.halted


def test_a_bad_question_costs_no_answer() -> None:
    run = AboveThreshold(epsilon=100, threshold=1000, sensitivity=ONE).start()
    for bad in (1.5, None, float("nan"), "7", [1]):
        with pytest.raises(InvalidParameter):
            run.ask(bad)
    assert not run.halted
    assert run.ask(10**6) is True


def test_a_run_cannot_be_copied_or_pickled_and_shows_nothing() -> None:
    run = AboveThreshold(epsilon=1, threshold=123456, sensitivity=ONE).start()
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Halted, match="copied"):
            attempt(run)
    assert repr(run) == "<run of AboveThreshold: open>"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of forks beside threads
def test_a_run_does_not_cross_a_fork() -> None:
    run = AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE).start()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run.ask(5)
            os.write(writer, b"answered")
        except Halted:
            os.write(writer, b"refused")
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"refused"
    os.close(reader)
    run.ask(5)


def test_numeric_sparse_gives_numbers_for_tops_and_none_for_the_rest() -> None:
    numeric = NumericSparse(epsilon=1000, threshold=1000, sensitivity=ONE, cutoff=2)
    answers = numeric.release([0, 5000, 3, 9000, 8000])
    assert answers[0] is None
    assert answers[2] is None
    assert len(answers) == 4
    assert all(isinstance(value, int) for value in (answers[1], answers[3]))
    assert abs(answers[1] - 5000) < 10  # type: ignore[operator]
    real = NumericSparse(epsilon=1000, threshold=1000, sensitivity=ONE, cutoff=1, grid=0.5)
    assert isinstance(real.release([5000.25])[0], float)


def test_the_value_is_drawn_afresh_and_not_from_the_comparison() -> None:
    """A value that reused the comparison's noise could never lie below the noisy threshold (errata A2's neighbour)."""
    numeric = NumericSparse(epsilon=1, threshold=0, sensitivity=ONE, cutoff=1)
    bits = SeededBits(3)
    values = [numeric.release([0] * 50, bits=bits)[-1] for _ in range(2000)]
    below = sum(value is not None and value < 0 for value in values)
    assert below > 600
    law = samples.discrete_laplace(float(numeric.value_noise.scale))  # type: ignore[attr-defined]
    drawn = [value for value in values if value is not None]
    assert samples.chi_square(drawn, law, reach=60) > samples.THRESHOLD


def test_numeric_sparse_has_the_corrected_scales() -> None:
    """Errata A2: Lap(2c/ε₁) with ε₁ = 8ε/9 decides and Lap(9c/ε) is released."""
    numeric = NumericSparse(epsilon=3, threshold=0, sensitivity=ONE, cutoff=4)
    assert numeric.value_noise.scale == Fraction(9 * 4, 3)  # type: ignore[attr-defined]
    assert numeric.noises[0].scale == Fraction(2 * 4 * 9, 8 * 3)  # type: ignore[attr-defined]
    assert total([numeric.event]).epsilon(0) == pytest.approx(3)


@pytest.mark.parametrize("kind", [Sparse, NumericSparse])
def test_a_delta_buys_less_noise_for_many_tops_within_the_price(kind: Any) -> None:
    pure = kind(epsilon=1, threshold=0, sensitivity=ONE, cutoff=100)
    approximate = kind(epsilon=1, delta=1e-6, threshold=0, sensitivity=ONE, cutoff=100)
    assert approximate.share > 1.5 * pure.share
    assert total([approximate.event]).epsilon(1e-6) <= 1
    one = kind(epsilon=1, delta=1e-6, threshold=0, sensitivity=ONE, cutoff=1)
    assert one.share >= 1
    assert total([one.event]).epsilon(1e-6) <= 1 + 1e-12


def test_replacing_one_person_doubles_nothing_that_is_not_moved_twice() -> None:
    """Each single query of sensitivity 1 moves by 1, whatever the relation."""
    one = AboveThreshold(
        epsilon=1, threshold=0, sensitivity=Sensitivity(Norm.LINF, Fraction(1), Neighbours(Change.REPLACE))
    )
    assert one.noises == AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE).noises


# ---- accuracy ------------------------------------------------------------------------------------------------


def test_the_accuracy_theorems_are_the_corrected_ones() -> None:
    k, beta, epsilon, c, delta = 1000, 0.05, 0.5, 10, 1e-6
    log = math.log(k) + math.log(2 * c / beta)
    assert above_threshold_accuracy(queries=k, beta=beta, epsilon=epsilon).alpha == pytest.approx(
        8 * (math.log(k) + math.log(2 / beta)) / epsilon
    )
    assert sparse_accuracy(queries=k, beta=beta, epsilon=epsilon, cutoff=c).alpha == pytest.approx(
        8 * c * log / epsilon
    )
    assert sparse_accuracy(queries=k, beta=beta, epsilon=epsilon, cutoff=c, delta=delta).alpha == pytest.approx(
        log * math.sqrt(512 * c * math.log(1 / delta)) / epsilon
    )
    log = math.log(k) + math.log(4 * c / beta)
    assert numeric_sparse_accuracy(queries=k, beta=beta, epsilon=epsilon, cutoff=c).alpha == pytest.approx(
        9 * c * log / epsilon
    )
    width = math.sqrt(c * math.log(2 / delta)) * (math.sqrt(512) + 1) / epsilon
    assert numeric_sparse_accuracy(queries=k, beta=beta, epsilon=epsilon, cutoff=c, delta=delta).alpha == pytest.approx(
        max(log, math.sqrt(8) * math.log(2 * c / beta)) * width
    )


def numeric_failure(alpha: float, *, queries: int, cutoff: int, delta: float, epsilon: float) -> tuple[float, float]:
    """How likely Algorithm 7 with its corrected scales strays beyond α: by its released values, and by its bits.

    With S = √(c·ln(2/δ))·(√512 + 1)/ε the values carry Lap(√8·S), thresholds Lap(S/4) and queries Lap(S/2) (errata A3);
    the bits are bounded as the proof does, thresholds and queries by α/2 each.
    """
    scale = math.sqrt(cutoff * math.log(2 / delta)) * (math.sqrt(512) + 1) / epsilon
    values = -math.expm1(cutoff * math.log1p(-math.exp(-alpha / (math.sqrt(8) * scale))))
    bits = cutoff * math.exp(-alpha / 2 / (scale / 4)) + queries * math.exp(-alpha / 2 / (scale / 2))
    return values, bits


@pytest.mark.parametrize(("queries", "cutoff"), [(1000, 10), (1, 1), (10**6, 3), (50, 50)])
def test_numeric_sparse_with_a_delta_is_accurate_and_its_printed_bound_is_not(queries: int, cutoff: int) -> None:
    """Errata E1: the values alone fail with .079 at k = 1000, c = 10, and with .212 at k = c = 1, where β is .05."""
    beta, at = 0.05, {"queries": queries, "cutoff": cutoff, "delta": 1e-6, "epsilon": 0.5}
    stated = numeric_sparse_accuracy(beta=beta, **at).alpha  # type: ignore[arg-type]
    values, bits = numeric_failure(stated, **at)  # type: ignore[arg-type]
    assert values <= beta / 2 * (1 + 1e-9)
    assert bits <= beta / 2 * (1 + 1e-9)
    if (queries, cutoff) != (10**6, 3):  # there the queries are what is far
        unit = math.sqrt(cutoff * math.log(2e6)) * (math.sqrt(512) + 1) / 0.5
        printed = (math.log(queries) + math.log(4 * cutoff / beta)) * unit
        found = numeric_failure(printed, **at)[0]  # type: ignore[arg-type]
        assert found > beta
        expected = {(1000, 10): 0.079, (1, 1): 0.212}
        assert found == pytest.approx(expected.get((queries, cutoff), found), abs=5e-4)


@pytest.mark.parametrize("queries", [1, 10, 1000])
@pytest.mark.parametrize("cutoff", [1, 7])
def test_what_a_mechanism_promises_is_within_its_theorem(queries: int, cutoff: int) -> None:
    common: dict[str, Any] = {"threshold": 0, "sensitivity": ONE}
    for delta in (0, 1e-6):
        sparse = Sparse(epsilon=0.5, delta=delta, cutoff=cutoff, **common)
        theorem = sparse_accuracy(queries=queries, beta=0.05, epsilon=0.5, cutoff=cutoff, delta=delta)
        assert sparse.error(0.05, queries=queries).alpha <= theorem.alpha + 1
        numeric = NumericSparse(epsilon=0.5, delta=delta, cutoff=cutoff, **common)
        theorem = numeric_sparse_accuracy(queries=queries, beta=0.05, epsilon=0.5, cutoff=cutoff, delta=delta)
        assert numeric.error(0.05, queries=queries).alpha <= theorem.alpha + 1
    above = AboveThreshold(epsilon=0.5, **common)
    theorem = above_threshold_accuracy(queries=queries, beta=0.05, epsilon=0.5)
    assert above.error(0.05, queries=queries).alpha <= theorem.alpha + 1


def strays(mechanism: SparseTechnique, alpha: float, rounds: int, seed: int) -> int:
    """How often 20 queries at T ± alpha, the last far above, are answered wrongly somewhere."""
    bits, wrong = SeededBits(seed), 0
    step = math.ceil(alpha) + 1
    for _ in range(rounds):
        answers = [mechanism.level - step] * 19 + [mechanism.level + step]
        wrong += mechanism.release(answers, bits=bits).tolist() != [False] * 19 + [True]  # type: ignore[union-attr]
    return wrong


@pytest.mark.parametrize(
    "mechanism",
    [
        AboveThreshold(epsilon=1, threshold=50, sensitivity=ONE),
        SparseVector.hybrid(sigma=3, scale=4, threshold=50, sensitivity=ONE),
    ],
)
def test_accuracy_holds_with_its_probability_and_is_not_absurd(mechanism: SparseTechnique) -> None:
    alpha = mechanism.error(0.2, queries=20).alpha
    assert samples.binomial(max(400, strays(mechanism, alpha, 2000, 1)), 2000, 0.2) > samples.THRESHOLD
    assert strays(mechanism, alpha * 0.35, 2000, 2) > 500


def test_accuracy_needs_to_know_how_many_questions_come() -> None:
    with pytest.raises(InvalidParameter, match="queries"):
        AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE).error(0.05)
    capped = SparseVector.gaussian(sigma=1, query_sigma=2, length=30, threshold=0, sensitivity=ONE)
    assert capped.error(0.05) == capped.error(0.05, queries=30)
    coarse = AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE, grid=1)
    assert (
        coarse.error(0.05, queries=9).alpha
        == AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE).error(0.05, queries=9).alpha + 1
    )


# ---- prices -------------------------------------------------------------------------------------------------


def test_noise_in_the_callers_unit_is_noise_in_steps() -> None:
    whole = SparseVector.gaussian(sigma=2, query_sigma=4, length=9, threshold=5, sensitivity=ONE)
    fine = SparseVector.gaussian(sigma=2, query_sigma=4, length=9, threshold=5, sensitivity=ONE, grid=Fraction(1, 8))
    assert fine.threshold_noise == GaussianNoise(Fraction(16))
    assert fine.level == 40
    assert total([whole.event]).epsilon(1e-6) == pytest.approx(total([fine.event]).epsilon(1e-6))


def test_gaussian_query_noise_without_a_length_has_no_price() -> None:
    with pytest.raises(InvalidParameter, match="length"):
        SparseVector(
            threshold=0,
            sensitivity=ONE,
            threshold_noise=GaussianNoise(Fraction(1)),
            query_noise=GaussianNoise(Fraction(2)),
        )
    with pytest.raises(InvalidParameter, match="query_noise"):
        SparseVector(threshold=0, sensitivity=ONE, threshold_noise=LaplaceNoise(Fraction(1)), query_noise=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="resample"):
        StagewiseSparseVector.hybrid(sigma=1, scale=2, threshold=0, sensitivity=ONE, stage_cutoff=1, resample=True)


def test_the_query_noise_is_priced_for_twice_the_sensitivity() -> None:
    """Errata A8."""
    mechanism = SparseVector(
        threshold=0,
        sensitivity=ONE,
        threshold_noise=GeometricNoise(Fraction(2)),
        query_noise=GeometricNoise(Fraction(4)),
    )
    assert mechanism.event.pure() == Fraction(1, 2) + Fraction(2, 4)


def test_stages_can_be_priced_by_their_curves_or_by_their_boxes() -> None:
    staged = StagewiseSparseVector.gaussian(
        sigma=60, query_sigma=120, length=50, cutoff=40, stage_cutoff=2, threshold=0, sensitivity=ONE
    )
    curves, boxes = total([staged.event]), total([staged.event_by_stages(1e-9)])
    assert 0 < curves.epsilon(1e-6) < 20
    assert 0 < boxes.epsilon(1e-6) < 60
    assert total([staged.event_by_stages(1e-9)]).epsilon(1e-9) == math.inf  # twenty stages fail with 2e-8


def staged_of(cutoff: int, stage_cutoff: int) -> StagewiseSparseVector:
    return StagewiseSparseVector.gaussian(
        sigma=60, query_sigma=120, length=50, cutoff=cutoff, stage_cutoff=stage_cutoff, threshold=0, sensitivity=ONE
    )


def non_negative_of(cutoff: int, stage_cutoff: int = 1) -> NonNegativeSparseVector:
    return NonNegativeSparseVector(
        sigma=60, query_sigma=120, cutoff=cutoff, stage_cutoff=stage_cutoff, threshold=100, sensitivity=ONE
    )


@pytest.mark.parametrize("made", [staged_of, non_negative_of])
@pytest.mark.parametrize(
    ("cutoff", "stage_cutoff", "stages"), [(5, 4, 2), (4, 4, 1), (30, 1, 30), (7, 3, 3), (2, 9, 1)]
)
def test_every_stage_pays_its_delta_the_last_one_too(made: Any, cutoff: int, stage_cutoff: int, stages: int) -> None:
    """⌈c/c'⌉·δ' and not (c/c')·δ' (errata E3): two stages for five ⊤ of four each, not one and a quarter."""
    mechanism, delta = made(cutoff, stage_cutoff), Fraction(1, 10**9)
    assert mechanism.event_by_stages(delta).extra_delta() == stages * delta
    assert math.ceil(Fraction(cutoff, stage_cutoff)) == stages
    if cutoff % stage_cutoff:
        assert Fraction(cutoff, stage_cutoff) * delta < stages * delta  # what is printed forgets the rest


@pytest.mark.parametrize("alpha", [2.0, 7.0, 33.0])
def test_the_curves_of_all_stages_add_up(alpha: float) -> None:
    """Thirty ⊤ are not priced as one, nor the first of the stages alone (Survey Theorems 9.13 and 9.14)."""
    one = staged_of(4, 4).event.rdp(alpha)
    assert staged_of(8, 4).event.rdp(alpha) == pytest.approx(2 * one, rel=1e-9)
    assert staged_of(9, 4).event.rdp(alpha) == pytest.approx(2 * one + staged_of(1, 4).event.rdp(alpha), rel=1e-9)
    threshold, query = alpha / (2 * 60**2), alpha * 4 / (2 * 120**2)
    outputs = 1 + sum(math.comb(50, tops) for tops in range(5))
    assert one == pytest.approx(threshold + 4 * query + math.log(outputs) / (alpha - 1), rel=1e-6)
    run = events.NonNegativeSparseVector(60, 120, 100).rdp(alpha)
    for stage_cutoff in (1, 4, 30):
        assert non_negative_of(30, stage_cutoff).event.rdp(alpha) == pytest.approx(30 * run, rel=1e-9)


def test_a_stage_of_several_tops_is_read_once_by_its_curve() -> None:
    """c' changes the price by stages, and no draw (Survey Theorem 9.14)."""
    delta = Fraction(1, 10**10)
    boxes = [total([non_negative_of(12, c).event_by_stages(delta)]).epsilon(1e-6) for c in (1, 3, 12)]
    assert boxes[0] > boxes[1] > boxes[2]  # ever more is composed where composing is cheap
    one_box = total([events.Composition([(events.NonNegativeSparseVector(60, 120, 100), 12)])]).epsilon(float(delta))
    assert boxes[2] == pytest.approx(one_box, rel=1e-5)
    answers = [0, 150, 10**6, 90] * 5
    drawn = [non_negative_of(12, c).release(answers, bits=SeededBits(4)).tolist() for c in (1, 3, 12)]  # type: ignore[union-attr]
    assert drawn[0] == drawn[1] == drawn[2]
    assert [stage.cutoff for stage in non_negative_of(12, 3).stages] == [1] * 12


# ---- thresholds that differ by query -------------------------------------------------------------------------------

WITH_OWN = [row for row in FAMILY if row[0] not in ("stage-wise", "sparse with δ")]


@pytest.mark.parametrize(("mechanism", "reach"), [row[1:] for row in WITH_OWN], ids=[row[0] for row in WITH_OWN])
def test_a_query_against_its_own_threshold_has_the_law_of_the_difference(
    mechanism: SparseTechnique, reach: int
) -> None:
    """Queries q_i against T_i are queries q_i - T_i + T against T: same law, hence same price."""
    x, own, bits = [3, 0, 2], [mechanism.level - step for step in (0, 1, 2)], SeededBits(21)
    same = [answer + mechanism.level - level for answer, level in zip(x, own, strict=True)]
    law = laws.sparse(mechanism, same, reach)
    wrong = laws.sparse(mechanism, [2 * a - b for a, b in zip(x, same, strict=True)], reach)  # the sign turned round
    outcomes = sorted(law, key=lambda o: -law[o])
    seen = [tuple(mechanism.release(x, thresholds=own, bits=bits).tolist()) for _ in range(2500)]  # type: ignore[union-attr]
    sample = [outcomes.index(outcome) for outcome in seen]
    for table, holds in ((law, True), (wrong, False)):
        chance = [table.get(outcome, 0.0) for outcome in outcomes] + [0.0]
        p = samples.chi_square(sample, lambda k, c=chance: c[k] if k >= 0 else 0.0, reach=len(outcomes))  # type: ignore[misc]
        assert (p > samples.THRESHOLD) == holds


@pytest.mark.parametrize(("x", "y"), NEIGHBOURS)
def test_thresholds_of_their_own_cost_nothing_over_all_noises(
    x: list[int], y: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Own(AboveThreshold):
        """The same mechanism asked with thresholds 2 and -1."""

        def release(self, exact: Any, **rest: Any) -> Any:
            return super().release(exact, thresholds=[2, -1], **rest)

    mechanism = made(Own)
    p, q = (law_of(mechanism, answers, 7, monkeypatch) for answers in (x, y))
    assert laws.violation(mechanism.event, p, q) < 1e-5
    one = {outcome: mass for outcome, mass in p.items() if mass > 1e-4}
    assert len(one) >= 2


class Follows(AboveThreshold):
    """A twin whose thresholds follow the data, as a threshold that is not public would."""

    def release(self, exact: Any, **rest: Any) -> Any:
        return super().release(exact, thresholds=[10 * answer for answer in exact], **rest)


def test_thresholds_that_depend_on_data_are_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = made(Follows)
    p, q = (law_of(mechanism, answers, 7, monkeypatch) for answers in ([0, 0], [1, 1]))
    assert laws.violation(mechanism.event, p, q) > 1e-2


def test_a_value_is_that_of_the_answer_and_not_of_its_distance_from_a_threshold() -> None:
    numeric = NumericSparse(epsilon=2000, threshold=0, sensitivity=ONE, cutoff=2)
    assert [round(v, -2) for v in numeric.release([5000, 9000], thresholds=[1000, 8000])] == [5000, 9000]  # type: ignore[arg-type]
    run = numeric.start()
    assert run.ask(5000, threshold=6000) is None
    assert abs(run.ask(5000, threshold=4000) - 5000) < 50  # type: ignore[operator]


def test_a_run_takes_a_threshold_with_each_question() -> None:
    run = Sparse(epsilon=1000, threshold=0, sensitivity=ONE, cutoff=3).start()
    assert [run.ask(500, threshold=1000), run.ask(500, threshold=100), run.ask(500)] == [False, True, True]
    assert run.ask_all([500, 500], thresholds=(10**6, -(10**6))).tolist() == [False, True]  # type: ignore[union-attr]
    assert run.halted
    real = AboveThreshold(epsilon=1000, threshold=0.5, sensitivity=ONE, grid=0.25)
    assert real.release([7.5, 7.5], thresholds=[9.25, 6]).tolist() == [False, True]  # type: ignore[union-attr]
    assert AboveThreshold(epsilon=1000, threshold=0, sensitivity=ONE).release(  # type: ignore[union-attr]
        [2**70, 2**70], thresholds=[2**70 + 10**4, 2**70 - 10**4]
    ).tolist() == [False, True]


@pytest.mark.parametrize("thresholds", [[1], [1, 2, 3], 1, "ab", [1, None], [1, 0.5], {1, 2}])
def test_thresholds_that_do_not_fit_the_queries_are_refused(thresholds: Any) -> None:
    with pytest.raises(InvalidParameter, match="threshold"):
        AboveThreshold(epsilon=1, threshold=0, sensitivity=ONE).release([1, 2], thresholds=thresholds)


def test_queries_that_are_never_negative_take_lower_thresholds_only() -> None:
    """The price is for T: a lower T_i makes q + T - T_i, which is not negative either, and a higher one does not."""
    mechanism = NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=50, sensitivity=ONE)
    assert mechanism.release([0, 10**6], thresholds=[-400, 50]).tolist() == [True]  # type: ignore[union-attr]
    for ask in (
        lambda: mechanism.release([0, 0], thresholds=[50, 51]),
        lambda: mechanism.start().ask(0, threshold=51),
    ):
        with pytest.raises(InvalidParameter, match="must be at most 50") as error:
            ask()
        assert "highest" in str(error.value)


def test_the_moment_bound_of_non_negative_queries_holds() -> None:
    """E[(1/Pr[ν ≥ T + ρ])²] by quadrature is just below what the price takes for it (errata A7)."""
    for first, second, level in ((1.0, 1.7321, 0.0), (1.0, 2.0, 1.0), (2.0, 4.0, 5.0), (1.0, 2.0, 4.0)):

        def integrand(z: float, first: float = first, second: float = second, level: float = level) -> float:
            log = stats.norm.logpdf(z, scale=first) - 2 * stats.norm.logsf(level + z, scale=second)
            return float(math.exp(log))

        found = integrate.quad(integrand, -40 * first, 40 * first, limit=500)[0]
        assert math.log(found) <= log_stopping_moment(2.0, second / first, level / first) <= math.log(found) + 0.01
        alpha = 5.0
        event = events.NonNegativeSparseVector(first, second, level)
        theorem = (
            (alpha - 0.5) / (alpha - 1) * alpha / first**2 + 2 * alpha / second**2 + math.log(found) / (2 * (alpha - 1))
        )
        assert event.rdp(alpha) <= theorem * 1.01  # γ = 2 is one of the choices
        printed = alpha / first**2 + 2 * alpha / second**2 + math.log(found) / (2 * (alpha - 1))
        assert printed < theorem  # the printed first term forgets a factor


def test_the_printed_closed_form_of_the_moment_is_false_at_a_threshold_of_zero() -> None:
    """1 + 2√3·π = 11.88, and the moment that it should bound is 12.96: the price computes the moment instead."""

    def integrand(z: float) -> float:
        return float(math.exp(stats.norm.logpdf(z) - 2 * stats.norm.logsf(z / math.sqrt(3))))

    found = integrate.quad(integrand, -40, 40, limit=500)[0]
    assert found > 1 + 2 * math.sqrt(3) * math.pi
    assert log_stopping_moment(2.0, math.sqrt(3), 0.0) >= math.log(found)


def test_non_negative_prices_are_refused_where_the_theorem_does_not_reach() -> None:
    with pytest.raises(InvalidParameter, match="√3"):
        NonNegativeSparseVector(sigma=2, query_sigma=3, threshold=2, sensitivity=ONE)
    event = NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=2, sensitivity=ONE, cutoff=3).event
    assert from_json(event.to_json()) == event
    below_zero = events.NonNegativeSparseVector(1, 2, -5)
    assert below_zero.rdp(4) < events.NonNegativeSparseVector(1, 2, 0).rdp(4)
    assert events.NonNegativeSparseVector(1, 2, 10**6).rdp(4) == math.inf


def test_negative_answers_are_taken_for_zero() -> None:
    mechanism = NonNegativeSparseVector(sigma=2, query_sigma=4, threshold=0, sensitivity=ONE)
    bits = SeededBits(1), SeededBits(1)
    assert [mechanism.release([-(10**6)] * 5, bits=bits[0]).tolist() for _ in range(50)] == [  # type: ignore[union-attr]
        mechanism.release([0] * 5, bits=bits[1]).tolist()  # type: ignore[union-attr]
        for _ in range(50)
    ]
