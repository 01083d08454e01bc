"""Published figures ([P]) and figures recomputed from published formulas ([F]), as listed in the project's reference table.

Sources: Wang, Blocki, Li, Jha (USENIX Security 2017); Duchi, Jordan, Wainwright (2018); N. Wang et al. (ICDE 2019); Ding,
Kulkarni, Yekhanin (NIPS 2017); Erlingsson, Pihur, Korolova (CCS 2014) and google/rappor; Chromium's rappor_service.cc;
OpenDP's documentation; Apple's overview; Feldman, McMillan, Talwar (2021); Gursoy et al. (TDSC 2021).
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import statistics_of_samples as samples
from sfumato.local import (
    Condensed,
    DBitFlip,
    Hadamard,
    Hybrid,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    Protocol,
    Rappor,
    SubsetSelection,
    Unary,
    duchi,
    epsilon_infinity,
    epsilon_one,
    google,
)
from sfumato.local.client import bloom_bits
from sources import SeededBits

EPSILONS = (0.5, 1, 2, 4)


def made(kind: Any, epsilon: float, **options: Any) -> Protocol:
    return kind(name="figure", epsilon=epsilon, **options)  # type: ignore[no-any-return]


# §1 [F]: Var/n of an estimated count at low frequency
VARIANCES: dict[str, tuple[Any, dict[str, Any], tuple[float, ...]]] = {
    "GRR d=2": (KAry, {"domain": 2}, (3.9177, 0.9207, 0.1810, 0.0190)),
    "GRR d=32": (KAry, {"domain": 32}, (75.2038, 11.0816, 0.9159, 0.0294)),
    "GRR d=1024": (KAry, {"domain": 1024}, (2432.3982, 347.0689, 25.2177, 0.3748)),
    "SUE": (Unary, {"domain": 128, "coding": "symmetric"}, (15.9169, 3.9177, 0.9207, 0.1810)),
    "OUE": (Unary, {"domain": 128}, (15.6708, 3.6827, 0.7241, 0.0760)),
    "OLH": (LocalHash, {"domain": 128}, (15.8174, 3.6917, 0.7246, 0.0760)),
    "Hadamard": (Hadamard, {"domain": 128}, (16.6708, 4.6827, 1.7241, 1.0760)),
    "BLH": (LocalHash, {"domain": 128, "buckets": 2}, (16.6708, 4.6827, 1.7241, 1.0760)),
    "subset d=128": (SubsetSelection, {"domain": 128}, (15.4114, 3.6098, 0.6971, 0.0584)),
    "subset d=1024": (SubsetSelection, {"domain": 1024}, (15.6383, 3.6736, 0.7207, 0.0739)),
}


@pytest.mark.parametrize("name", VARIANCES)
def test_variances_of_frequency_oracles(name: str) -> None:
    kind, options, figures = VARIANCES[name]
    for epsilon, figure in zip(EPSILONS, figures, strict=True):
        # OLH at g = 3: the hash's buckets differ by one in 2¹⁶, which moves the variance by 3 in 10⁵ at most.
        assert made(kind, epsilon, **options).variance() == pytest.approx(figure, abs=6e-5, rel=3e-5)


def test_buckets_and_the_optimal_variance_of_local_hashing() -> None:
    assert [made(LocalHash, e, domain=9).buckets for e in EPSILONS] == [3, 4, 8, 56]  # type: ignore[attr-defined]
    for epsilon in EPSILONS:
        optimal = 4 * math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2
        found = made(LocalHash, epsilon, domain=9).variance()
        assert optimal <= found <= 1.01 * optimal


def test_binary_hashing_costs_exactly_one_more_than_optimised_unary() -> None:
    for epsilon in EPSILONS:
        gap = made(Hadamard, epsilon, domain=8).variance() - made(Unary, epsilon, domain=8).variance()
        assert gap == pytest.approx(1, abs=1e-9)


def test_k_ary_response_wins_below_3e_to_the_epsilon_plus_2() -> None:
    for epsilon, limit in zip(EPSILONS, (6.95, 10.15, 24.17, 165.79), strict=True):
        assert 3 * math.exp(epsilon) + 2 == pytest.approx(limit, abs=0.006)
        unary = made(Unary, epsilon, domain=8).variance()
        assert made(KAry, epsilon, domain=math.floor(limit)).variance() < unary
        assert made(KAry, epsilon, domain=math.ceil(limit)).variance() > unary


# §2 [F]: the variance of one person's estimate of a mean on [-1, 1]
MEANS = {
    0.5: (16.6708, 15.6708, 17.7018, 21.2226, 16.6708),
    1: (4.6827, 3.6827, 3.6821, 5.2236, 4.2890),
    1.29: (3.0964, 2.0964, 1.9923, 3.0961, 2.5716),
    2: (1.7241, 0.7241, 0.6456, 1.2276, 1.0423),
    4: (1.0760, 0.0760, 0.0848, 0.2414, 0.2190),
}


@pytest.mark.parametrize("epsilon", MEANS)
def test_variances_of_means(epsilon: float) -> None:
    middle, end, piecewise, piecewise_end, hybrid = MEANS[epsilon]
    lean = duchi(name="figure", epsilon=epsilon)
    assert lean.variance(0.5) == pytest.approx(middle, abs=6e-5)
    assert [lean.variance(1.0), lean.variance(0.0)] == pytest.approx([end, end], abs=6e-5)
    # Ours has 2¹⁴ cells where the paper has a continuum.
    mechanism = made(Piecewise, epsilon, lower=-1, upper=1)
    assert mechanism.variance(0.5) == pytest.approx(piecewise, rel=3e-4, abs=6e-5)
    assert mechanism.variance(1.0) == pytest.approx(piecewise_end, rel=3e-4, abs=6e-5)
    mixed = made(Hybrid, epsilon, lower=-1, upper=1)
    assert max(mixed.variance(t / 20) for t in range(21)) == pytest.approx(hybrid, rel=3e-4, abs=6e-5)


def test_piecewise_beats_one_bit_at_its_worst_above_1_29() -> None:
    for epsilon, wins in ((1.28, False), (1.30, True)):
        worst = made(Piecewise, epsilon, lower=-1, upper=1).variance(1.0)
        assert (worst < duchi(name="figure", epsilon=epsilon).variance(0.5)) == wins


# §3 [F]: Survey Theorem 7.7 at 95 %, in units of m
BOUNDS = {0.5: (0.01012, 0.00555, 0.00320), 1: (0.00537, 0.00294, 0.00170), 2: (0.00326, 0.00178, 0.00103)}


@pytest.mark.parametrize("epsilon", BOUNDS)
def test_the_bound_of_theorem_7_7(epsilon: float) -> None:
    for people, figure in zip((300_000, 1_000_000, 3_000_000), BOUNDS[epsilon], strict=True):
        protocol = OneBitMean(name="figure", upper=86_400, epsilon=epsilon)
        assert protocol.error(0.05, people=people).alpha / 86_400 == pytest.approx(figure, abs=6e-6)


def test_the_d_bit_histograms_variance_and_bound() -> None:
    k, d, n = 32, 4, 200_000
    protocol = DBitFlip(name="figure", domain=k, bits=d, epsilon=1)
    shares = np.full(k, 1 / k)
    assert math.sqrt(np.mean([protocol.variance(f) for f in shares]) / n) == pytest.approx(0.01257, abs=1e-5)
    assert protocol.error(0.05, people=n).alpha == pytest.approx(0.1659, abs=1e-4)
    s, f = math.exp(0.5), 0.3
    assert protocol.variance(f) / n == pytest.approx(k / (n * d) * (s / (s - 1) ** 2 + f) - f * f / n, rel=1e-9)


# §4: k, h, m | f, p, q | p*, q*, ε₁, ε∞
RAPPORS = {
    "rappor.py Params() default [P]": (2, (0.5, 0.5, 0.75), (0.5625, 0.6875, 1.0743, 4.3944)),
    "Chrome homepages": (2, (0.75, 0.5, 0.75), (0.59375, 0.65625, 0.5343, 2.0433)),
    "Chromium UMA_RAPPOR_TYPE [P]": (2, (0.5, 0.25, 0.75), (0.375, 0.625, 2.0433, 4.3944)),
    "Chromium flags [P]": (1, (0.25, 0.125, 0.875), (0.21875, 0.78125, 2.5459, 3.8918)),
    "regtest eps_1_1 [P]": (2, (0.45, 0.39, 0.61), (0.4395, 0.5605, 0.9728, 4.9471)),
    "regtest eps_1_5 [P]": (2, (0, 0.225, 0.775), (0.225, 0.775, 4.9471, math.inf)),
    "demo1-5 [P]": (1, (0.5, 0.25, 0.75), (0.375, 0.625, 1.0217, 2.1972)),
    "rappor-analysis sample [P]": (2, (0, 0.5, 0.75), (0.5, 0.75, 2.1972, math.inf)),
    "basic one-time f=1/2": (1, (0.5, 0, 1), (0.25, 0.75, 2.1972, 2.1972)),
}


@pytest.mark.parametrize("name", RAPPORS)
def test_the_epsilons_of_rappor(name: str) -> None:
    hashes, (f, p, q), (zero, one, e_one, e_infinity) = RAPPORS[name]
    assert epsilon_one(f, p, q, hashes) == pytest.approx(e_one, abs=6e-5)
    assert epsilon_infinity(f, hashes) == pytest.approx(e_infinity, abs=6e-5)
    protocol = Rappor(name="figure", hashes=hashes, f=f, p=p, q=q, memo=f > 0)
    assert [float(c) for c in protocol.effective] == pytest.approx([one, zero], abs=1e-12)
    assert float(protocol.spent) == pytest.approx(e_infinity if f else e_one, abs=6e-5)


def test_opendps_bit_vector_response() -> None:
    """make_randomized_response_bitvec(max_weight=4, f=.95).map(1) = 0.8006676684558611 [P]."""
    assert epsilon_infinity(0.95, 4) == pytest.approx(0.8006676684558611, rel=1e-12)
    assert epsilon_infinity(0.95, 4) >= 2 * 4 * math.log(1.05 / 0.95) * (1 - 1e-15)


# §4a [P]: google/rappor, bit for bit
def test_the_python_client_of_google_rappor_bit_for_bit() -> None:
    bloom = sum(1 << i for i in set(bloom_bits(b"abc", 0, 16, 2, "md5")))
    assert bloom == 8256
    assert google.permanent_masks(b"secret", bloom, 16, 0.5) == (50360, 56237)
    permanent = google.permanent(b"secret", bloom, 16, 0.5)
    assert permanent == 57576
    uniforms = [(0.0, 0.6, 0.0)[i % 3] for i in range(16)]
    p_bits, q_bits = (sum((u < chance) << i for i, u in enumerate(uniforms)) for chance in (0.5, 0.75))
    assert (p_bits & ~permanent) | (q_bits & permanent) == 64493


@pytest.mark.parametrize(("word", "bits"), [("Whizbang", {2, 7}), ("Xyzzy", {6, 9}), ("Thud", {4, 5})])
def test_the_java_clients_bloom_filter(word: str, bits: set[int]) -> None:
    assert set(bloom_bits(word.encode(), 0, 12, 2, "md5-java")) == bits


def test_the_java_clients_permanent_noise_has_the_law_of_ours() -> None:
    """EncoderTest.java: 10,000 users, f = 1/32, 0b11111101: ones per bit, from a generator of their own."""
    theirs = (9843, 173, 9839, 9831, 9848, 9828, 9834, 9837)
    half, own = 1 / 64, Rappor(name="figure", domain=("a", "b"), f=Fraction(1, 32), p=0, q=1, memo=False)
    for bit, ones in enumerate(theirs):
        assert samples.binomial(ones, 10_000, half if bit == 1 else 1 - half) > 1e-4
    told = own.encode(["a"] * 10_000, bits=SeededBits(1))[:, 2]
    assert samples.binomial(int((told & 1).sum()), 10_000, 1 - half) > samples.THRESHOLD
    assert samples.binomial(int((told >> 1).sum()), 10_000, half) > samples.THRESHOLD


def test_the_cpp_clients_cohort() -> None:
    assert google.cohort(b"client-secret", 128) == 3
    assert google.effective_f(0.5) == Fraction(1, 2)
    assert google.effective_f(0.45) == Fraction(58, 128)


# §5 [P]: Apple
def test_apples_factors_and_user_days() -> None:
    for epsilon, cms, hcms in ((2, 2.1640, 1.3130), (4, 1.3130, 1.0373), (8, 1.0373, 1.0007)):
        unary = Unary(name="figure", domain=8, epsilon=epsilon, coding="symmetric")
        signs = Hadamard(name="figure", domain=8, epsilon=epsilon)
        p, q = float(unary.p or 0), float(unary.q or 0)
        assert 1 / (p - q) == pytest.approx(cms, abs=6e-5)
        assert unary.variance() == pytest.approx((cms**2 - 1) / 4, abs=1e-4)
        assert math.sqrt(signs.variance()) == pytest.approx(hcms, abs=6e-5)
        assert signs.variance() == pytest.approx(hcms**2, abs=2e-4)


# §7 [F]: condensed local privacy
@pytest.mark.parametrize(
    ("alpha", "d", "figures"),
    [
        (1, 10, (0.7118, 4.5, 0.2668, 0.3961)),
        (0.5, 100, (0.4089, 24.75, 0.1244, 0.2212)),
        (0.05, 100, (0.0487, 2.475, 0.0175, 0.0269)),
    ],
)
def test_condensed_privacy_on_a_line(alpha: float, d: int, figures: tuple[float, ...]) -> None:
    steepest, worst, middle, edge = figures
    protocol = Condensed(name="figure", domain=d, alpha=alpha)
    channel = protocol.channel()
    logs = np.log(channel)
    gaps = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)
    apart = np.abs(np.arange(d)[:, None] - np.arange(d)[None, :])
    ratios = gaps[apart > 0] / apart[apart > 0]
    assert ratios.max() <= alpha
    assert ratios.max() == pytest.approx(steepest, abs=6e-5)
    assert gaps.max() == pytest.approx(worst, abs=1e-6)
    assert float(protocol.spent) == pytest.approx(worst, rel=1e-6)
    assert f"{worst:g}" in str(protocol)
    assert channel[d // 2, d // 2] == pytest.approx(middle, abs=6e-5)
    assert channel[0, 0] == pytest.approx(edge, abs=6e-5)
