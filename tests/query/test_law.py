"""The law of a sum of noises: its reach, against convolutions that are computed term by term and against closed forms."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, gcd, lcm, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sfumato.accounting.events import Pure
from sfumato.exact.bits import SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query import law
from sfumato.query.law import Errors, reach
from sfumato.query.measured import Recipe
from sfumato.query.priced import NoisyCells

Cells = tuple[tuple[Noise, Fraction], ...]
BETAS = tuple(map(Fraction, ("1/2", "1/10", "1/20", "1/100", "1/1000")))
FAR = 34  # of a deviation: beyond are less than 1e-16, of Laplace's law too


def geometric(scale: Any) -> GeometricNoise:
    return GeometricNoise(Fraction(scale))


def masses(noise: Noise, size: int) -> NDArray[np.float64]:
    """The law of a noise from -size to size, from its definition."""
    k = np.arange(-size, size + 1)
    match noise:
        case GeometricNoise(scale=scale):
            a = exp(-1 / float(scale))
            return (1 - a) / (1 + a) * a ** np.abs(k)
        case DiscreteGaussianNoise(sigma=sigma):
            found = np.exp(-(k**2) / (2 * float(sigma) ** 2))
            return np.asarray(found / found.sum())
        case GaussianNoise(sigma=sigma):
            s = float(sigma)
            return np.asarray(ndtr(-(np.abs(k) - 0.5) / s) - ndtr(-(np.abs(k) + 0.5) / s))
        case _:
            raise TypeError(type(noise))


@lru_cache(maxsize=64)
def tails(cells: Cells) -> tuple[Fraction, NDArray[np.float64]]:
    """The step of a sum, and the chances that it is more than 0, 1, 2, … of them away from zero."""
    bottom = lcm(*(weight.denominator for _, weight in cells))
    step = Fraction(gcd(*(int(abs(weight) * bottom) for _, weight in cells)), bottom)
    found = np.ones(1)
    for noise, weight in cells:
        size, times = int(FAR * sqrt(noise.variance)) + 4, int(abs(weight) / step)
        wide = np.zeros(2 * size * times + 1)
        wide[::times] = masses(noise, size)
        if len(found) * len(wide) < 10**7:
            found = np.convolve(found, wide)
        else:
            length = len(found) + len(wide) - 1
            padded = 1 << length.bit_length()
            found = np.fft.irfft(np.fft.rfft(found, padded) * np.fft.rfft(wide, padded), padded)[:length]
    middle = len(found) // 2
    beyond = found[middle + 1 :] + found[:middle][::-1]
    return step, np.concatenate([np.cumsum(beyond[::-1])[::-1], [0.0]])


def missed(cells: Cells, t: Fraction) -> float:
    """The chance that a sum is farther than t."""
    step, beyond = tails(cells)
    return float(beyond[min(int(t / step), len(beyond) - 1)])


def least(cells: Cells, beta: Fraction) -> Fraction:
    """The least t with that chance at most beta."""
    step, beyond = tails(cells)
    return step * int(np.argmax(beyond <= float(beta)))


def weighted(cells: Cells) -> law.Weighted:
    return tuple((noise, (weight,)) for noise, weight in cells)


F = Fraction
COARSE: dict[str, Cells] = {
    "two alike": ((geometric(5), F(1)), (geometric(5), F(1))),
    "two unlike": ((geometric(5), F(1)), (geometric(2), F(1))),
    "of two weights": ((geometric(5), F(1)), (geometric(5), F(3))),
    "of opposite signs": ((geometric(5), F(1, 2)), (geometric(3), F(-1, 3))),
    "three": ((geometric(3), F(2)), (geometric(5), F(-1, 3)), (geometric(1), F(7))),
    "three tiny": ((geometric("1/2"), F(57, 100)), (geometric("1/2"), F(43, 100)), (geometric("1/2"), F(1))),
    "one far wider": ((geometric(20), F(1)), (geometric("1/3"), F(1))),
    "normal": ((DiscreteGaussianNoise(F(5)), F(1)), (DiscreteGaussianNoise(F(5)), F(2, 3))),
    "rounded normal": ((GaussianNoise(F(25)), F(1)), (GaussianNoise(F(30)), F(2))),
    "of both kinds": ((geometric(4), F(1)), (DiscreteGaussianNoise(F(7)), F(1))),
}
FINE: dict[str, Cells] = {
    "two alike": ((geometric(500), F(1)), (geometric(500), F(1))),
    "unlike": ((geometric(70), F(1)), (geometric(200), F(3)), (geometric(100), F(-2))),
    "hardly above coarse": ((geometric(50), F(1)), (geometric(80), F(1))),
    "of weights without a common step": ((geometric(300), F(7, 10)), (geometric(200), F(9, 20))),
    "normal": ((DiscreteGaussianNoise(F(300)), F(1)), (DiscreteGaussianNoise(F(70)), F(2))),
    "of both kinds": ((geometric(400), F(1)), (DiscreteGaussianNoise(F(700)), F(1))),
}


@pytest.mark.parametrize("beta", BETAS, ids=str)
@pytest.mark.parametrize("name", COARSE)
def test_on_a_lattice_it_is_the_least_step(name: str, beta: Fraction) -> None:
    assert reach(weighted(COARSE[name]), beta) == least(COARSE[name], beta)


@pytest.mark.parametrize("beta", BETAS, ids=str)
@pytest.mark.parametrize("name", FINE)
def test_where_steps_are_fine_it_is_within_a_step_of_the_least(name: str, beta: Fraction) -> None:
    """A step of the widest noise; what is missed is beta up to a hundredth of it."""
    cells = FINE[name]
    found, step = reach(weighted(cells), beta), max(abs(weight) for _, weight in cells)
    assert abs(found - least(cells, beta)) <= step
    assert missed(cells, found) <= float(beta) * 1.02


UNEVEN: dict[str, Cells] = {
    "Laplace": ((geometric(1), F(879, 1000)), (geometric(1), F(121, 1000))),
    "Laplace, less": ((geometric("1/3"), F(683, 1000)), (geometric("1/3"), F(317, 1000))),
    "normal": ((DiscreteGaussianNoise(F(1)), F(501, 1000)), (DiscreteGaussianNoise(F(1)), F(499, 1000))),
    "less normal": ((DiscreteGaussianNoise(F(7, 10)), F(977, 1000)), (DiscreteGaussianNoise(F(7, 10)), F(23, 1000))),
}


@pytest.mark.parametrize("name", UNEVEN)
def test_coarse_noises_of_fine_weights_hold_their_level(name: str) -> None:
    assert missed(UNEVEN[name], reach(weighted(UNEVEN[name]), F(1, 20))) <= 0.055


@pytest.mark.parametrize(
    ("noise", "weights", "beta"),
    [(DiscreteGaussianNoise(F(7, 10)), (F(1), F(3, 7)), F(1, 100)), (GaussianNoise(F(1, 2)), (F(1), F(1)), F(1, 20))],
    ids=["discrete", "rounded"],
)  # fmt: skip
def test_narrow_normal_noises_hold_their_level(noise: Noise, weights: tuple[Fraction, ...], beta: Fraction) -> None:
    cells = tuple((noise, each) for each in weights)
    assert missed(cells, reach(weighted(cells), beta)) <= float(beta)


# ---- closed forms ----


def test_two_laplace_noises_reach_as_far_as_their_closed_form() -> None:
    """Of scales a > b, P(|X| > t) = (a²·exp(-t/a) - b²·exp(-t/b))/(a² - b²)."""
    scale = 10**9
    for a, b in ((3.0, 1.0), (1.0, 0.9), (5.0, 0.01), (2.0, 1.9)):
        for beta in BETAS:
            made = (geometric(scale), F(a)), (geometric(scale), F(-b))
            t = brentq(
                lambda x, a=a, b=b, beta=beta: (
                    (a * a * exp(-x / a) - b * b * exp(-x / b)) / (a * a - b * b) - float(beta)
                ),
                0,
                99 * a,
            )
            assert float(reach(weighted(made), beta)) / scale == pytest.approx(t, rel=5e-5)


def test_two_equal_laplace_noises() -> None:
    """P(|X| > t) = (1 + t/2)·exp(-t)."""
    for beta in BETAS:
        t = brentq(lambda x, beta=beta: (1 + x / 2) * exp(-x) - float(beta), 0, 99)
        made = (geometric(10**9), F(1)), (geometric(10**9), F(1))
        assert float(reach(weighted(made), beta)) / 1e9 == pytest.approx(t, rel=1e-5)


def test_sums_of_normal_noises_are_normal() -> None:
    for weights in ((F(1), F(1)), (F(3), F(4)), (F(1), F(-2), F(2)), (F(1, 7), F(5))):
        for kind in (GaussianNoise, DiscreteGaussianNoise):
            made, deviation = (
                tuple((kind(F(10**6)), each) for each in weights),
                sqrt(sum(float(each) ** 2 for each in weights)),
            )
            for beta in BETAS:
                wanted = 10**6 * deviation * -float(ndtri(float(beta) / 2))
                assert float(reach(weighted(made), beta)) == pytest.approx(wanted, rel=1e-5)


# ---- what holds of every reach ----


@pytest.mark.parametrize("name", [*COARSE, *FINE])
def test_it_is_the_farther_the_surer(name: str) -> None:
    made = weighted({**COARSE, **FINE}[name])
    found = [reach(made, beta) for beta in (F(9, 10), *BETAS, F(1, 10**4), F(1, 10**6), F(1, 10**12))]
    assert all(a <= b for a, b in pairwise(found))


@pytest.mark.parametrize(
    "noise", [geometric(7), GaussianNoise(F(9)), DiscreteGaussianNoise(F(3)), BoxNoise(F(50), 1)], ids=repr
)
def test_a_noise_by_itself_says_its_own_reach(noise: Noise) -> None:
    for beta in (*BETAS, F(1, 10**30)):
        assert reach(((noise, (F(-3, 7),)),), beta) == F(3, 7) * noise.reach(beta)
    assert reach(((noise, (F(0),)),), F(1, 20)) == reach((), F(1, 20)) == 0


def test_of_failures_that_are_rare_bounds_are_told() -> None:
    """What a transform in floats does not tell is bounded noise by noise, or by moments: never nearer than the law."""
    for beta in (F(1, 10**6), F(1, 10**9), F(1, 10**12)):
        for cells in COARSE.values():
            found = reach(weighted(cells), beta)
            assert found <= sum(abs(weight) * noise.reach(beta / len(cells)) for noise, weight in cells)
            assert missed(cells, found) <= float(beta)
            assert found <= 3 * len(cells) * max(abs(w) * n.reach(beta) for n, w in cells)


def test_a_reach_does_not_depend_on_signs_or_order() -> None:
    for cells in {**COARSE, **FINE}.values():
        found = reach(weighted(cells), F(1, 20))
        assert reach(weighted(tuple((noise, -weight) for noise, weight in cells)), F(1, 20)) == found
        assert float(reach(weighted(cells[::-1]), F(1, 20))) == pytest.approx(float(found), rel=1e-6)


def test_of_a_box_the_reach_is_that_of_its_draws() -> None:
    """20 000 draws; the number beyond is within six deviations of what a chance of 5 % gives."""
    noise, weights, draws = BoxNoise(F(10**6), 3), (F(1), F(-2), F(1, 2)), 20_000
    t = reach(((noise, weights),), F(1, 20))
    made = np.asarray(noise.draw((draws, 3), SystemBits())).astype(np.float64) @ np.array(
        [float(each) for each in weights]
    )
    beyond = int((np.abs(made) > float(t)).sum())
    assert abs(beyond - draws / 20) <= 6.1 * sqrt(draws * 0.05 * 0.95)


def test_of_a_box_beside_something_else_nothing_is_too_near() -> None:
    box = BoxNoise(F(100), 2)
    both = reach(((box, (F(1), F(1))), (geometric(50), (F(1),))), F(1, 20))
    assert both >= reach(((box, (F(1), F(1))),), F(1, 20))
    assert both == 2 * box.reach(F(1, 60)) + geometric(50).reach(F(1, 60))


# ---- the errors of what was priced ----

PRICED = (
    NoisyCells("joint_cells", (2, 0), ((1, 5), (-1, 5)), geometric(40), Pure(F(1)), F(1), bits=3),
    NoisyCells("separate", (1,), ((1,),), geometric(6), Pure(F(1)), F(1)),
)


def test_errors_of_columns_are_those_of_their_cells() -> None:
    """Column 2 is (a - b)/2 and column 0 (a + b)/10, in eighths: their cells go together as these weights say."""
    errors, one = Errors(PRICED), F(1)
    variance = geometric(40).variance
    assert errors.covariance({2: one}, {2: one}) == pytest.approx(variance / 2 / 64)
    assert errors.covariance({0: one}, {0: one}) == pytest.approx(variance / 50 / 64)
    assert errors.covariance({0: one}, {2: one}) == 0
    assert errors.covariance({0: one, 2: one}, {2: F(3)}) == pytest.approx(3 * variance / 2 / 64)
    assert errors.covariance({1: one}, {2: one}) == 0
    assert errors.reach({1: F(2)}, F(1, 20)) == 2 * geometric(6).reach(F(1, 20))
    assert errors.reach({2: one}, F(1, 20)) == least(((geometric(40), F(1, 16)), (geometric(40), F(1, 16))), F(1, 20))
    assert errors.reach({2: one, 0: F(5)}, F(1, 20)) == F(1, 8) * geometric(40).reach(F(1, 20))  # one cell alone
    mixed = (geometric(40), F(1, 16)), (geometric(40), F(1, 16)), (geometric(6), F(1))
    assert abs(errors.reach({2: one, 1: one}, F(1, 20)) - least(mixed, F(1, 20))) < F(1, 16)
    assert errors.reach({2: F(0)}, F(1, 20)) == 0


def test_the_noise_of_columns_is_that_of_cells_that_are_drawn() -> None:
    """What is estimated of noisy cells is the columns and the weights times the noises, exactly."""
    block = PRICED[0]
    exact, noises = [16, 40], [7, -3]
    noisy = [cell + noise for cell, noise in zip(block.of(exact), noises, strict=True)]
    for coefficients in ((F(1), F(0)), (F(0), F(1)), (F(2), F(-3))):
        off = sum(c * (e - F(x, 8)) for c, e, x in zip(coefficients, block.estimated(noisy), exact, strict=True))
        assert off == sum(w * z for w, z in zip(block.weights(coefficients), noises, strict=True))


def test_the_ratio_is_the_reach_in_deviations() -> None:
    class Nothing:
        pass

    recipe = Recipe(Nothing(), (((2, F(1)),), ((0, F(1)),)))  # type: ignore[arg-type]
    off = law.AnswerErrors(Errors(PRICED), recipe, F(1, 20))
    squares = off.covariances()
    for x in (F(0), F(1), F(-5), F(7, 3)):
        deviation = sqrt(squares[0, 0] - 2 * float(x) * squares[0, 1] + float(x) ** 2 * squares[1, 1])
        assert off.ratio(1, -x) == pytest.approx(float(off.reach(1, -x)) / deviation)
    assert off.ratio(0, 0) == 0


# ---- laws that are wrong, and that it is seen ----


def too_near(cells: Cells, beta: Fraction) -> bool:
    return missed(cells, reach(weighted(cells), beta)) > float(beta) * 1.02


def test_a_law_that_forgets_a_noise_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "_of_sum", lambda cells, beta: honest(cells[1:], beta))
    reach.cache_clear()
    assert too_near(COARSE["two alike"], F(1, 20))
    assert too_near(FINE["two alike"], F(1, 20))
    reach.cache_clear()


def test_a_normal_approximation_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin that takes every sum for a normal one: two Laplace noises have heavier ends."""

    def normal(cells: list[law.Times], beta: Fraction) -> Fraction:
        deviation = sqrt(sum(times * noise.variance * float(weight) ** 2 for noise, weight, times in cells))
        return Fraction(-float(ndtri(float(beta) / 2)) * deviation)

    monkeypatch.setattr(law, "_of_sum", normal)
    reach.cache_clear()
    assert too_near(FINE["two alike"], F(1, 100))
    reach.cache_clear()


honest = law._of_sum


@pytest.mark.parametrize("noise", [GeometricNoise(F(3)), GeometricNoise(F(2**30)), GaussianNoise(F(2**20))])
@pytest.mark.parametrize("times", [1, 2, 7])
def test_many_equal_noises_are_as_far_as_each_by_itself_says(noise: Noise, times: int) -> None:
    other, beta = (GeometricNoise(F(5)), F(1, 3)), F(1, 20)
    together = law.reach_of_many(((noise, F(1, 2), times), (*other, 2)), beta)
    one_by_one = reach(((noise, (F(1, 2),) * times), (other[0], (other[1],) * 2)), beta)
    assert float(together) == pytest.approx(float(one_by_one), rel=1e-9)
    fewer = law.reach_of_many(((noise, F(1, 2), 1), (*other, 2)), beta)
    assert fewer < together if times > 1 else fewer == together
    assert law.reach_of_many((), beta) == 0


@pytest.mark.parametrize(
    "weights", [(1, 1), (1, 2), (1, "1/1000"), (1, "1000001/1000000"), (1, 2, 3), (1, "103/100", 5), (1, 2, 4, 7), (1, 1, 1)]
)  # fmt: skip
def test_few_laplace_noises_have_a_closed_form_that_is_their_transform(weights: tuple[Any, ...]) -> None:
    cells = [(geometric(3000), Fraction(each), 1) for each in weights]
    deviation = sqrt(sum(noise.variance * float(weight) ** 2 for noise, weight, _ in cells))
    closed, other = law._laplace_tail(cells), law._tail(cells, deviation)
    assert (closed is None) == (weights == (1, 1, 1))
    for t in (0.1, 0.5, 1, 2, 3, 5) if closed is not None else ():
        assert closed is not None
        assert closed(t * deviation) == pytest.approx(other(t * deviation), rel=2e-5, abs=2e-7)


def test_narrow_and_other_noises_have_no_closed_form() -> None:
    for odd in (geometric(50), GaussianNoise(Fraction(9000)), DiscreteGaussianNoise(Fraction(9000))):
        assert law._laplace_tail([(odd, Fraction(1), 1), (geometric(3000), Fraction(1), 1)]) is None
    assert law._laplace_tail([(geometric(3000), Fraction(1), 2), (geometric(3000), Fraction(2), 1)]) is None


@pytest.mark.parametrize(
    "noise", [GaussianNoise(F(1, 3)), GaussianNoise(F(1)), DiscreteGaussianNoise(F(1)), geometric(2)]
)
@pytest.mark.parametrize("beta", [F(1, 20), F(1, 10**6)])
def test_sums_of_many_narrow_noises_reach_about_as_far_as_they_should(noise: Noise, beta: Fraction) -> None:
    """One by one their failures add up, which is dozens of times too far; an exponential moment is not. It still holds."""
    for many in (60, 1000):
        deviation = sqrt(many * noise.variance)
        found = float(law.reach_of_many(((noise, F(1), many),), beta)) / deviation
        needed = -float(ndtri(float(beta) / 2))
        assert needed * 0.95 < found < 3 * needed + 1


def test_exponential_moments_hold() -> None:
    """Against the masses themselves; the twin forgets what rounding adds."""
    for noise in (GaussianNoise(F(1, 3)), GaussianNoise(F(2)), DiscreteGaussianNoise(F(1)), geometric(3)):
        k, mass = np.arange(-200, 201), masses(noise, 200)
        for s in (0.01, 0.1, 0.25, 0.3):
            true = float(np.log((mass * np.exp(s * k)).sum()))
            assert true <= law._log_moment(noise, s) + 1e-12
    narrow = GaussianNoise(F(1, 2))
    k, mass = np.arange(-50, 51), masses(narrow, 50)
    assert float(np.log((mass * np.exp(k)).sum())) > 0.5**2 / 2, "the twin without the half"
    assert law._log_moment(geometric(2), 0.5) == law._log_moment(BoxNoise(F(3), 2), 0.1) == float("inf")
