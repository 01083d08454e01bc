"""RAPPOR decoded: what is there is found with its share, what is not there is not, and pairs show their association."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.local import Aggregator, Devices, KAry, Rappor, Variable, associate, decode, detection_limit
from sfumato.local.decoding import _bit_shares, _Fit, _fitted, _non_negative, _pivoted, _significant, design
from sources import SeededBits

NAMES = [f"https://site-{i}.example" for i in range(150)]
SHARES = np.array([0.25, 0.2, 0.15, 0.1, 0.08, 0.05, 0.05, 0.04, 0.04, 0.04])
PROTOCOL = Rappor(name="homepage", bits=64, hashes=2, cohorts=16, f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4))


def collected(protocol: Rappor, strings: list[str], seed: int) -> Aggregator:
    server = Aggregator(protocol)
    assert server.add(Devices(protocol).report(strings, bits=SeededBits(seed))).accepted == len(strings)
    return server


def crowd(n: int, names: list[str] = NAMES, shares: Any = SHARES) -> list[str]:
    return [name for name, share in zip(names, shares, strict=False) for _ in range(round(share * n))]


@pytest.mark.parametrize("seed", range(3))
def test_frequent_strings_are_found_with_their_shares_and_no_others(seed: int) -> None:
    found = decode(collected(PROTOCOL, crowd(60_000), seed), NAMES)
    assert {one.string for one in found.detected} == set(NAMES[:10])
    assert found.detected[0].string == NAMES[0]
    for one in found.detected:
        truth = SHARES[NAMES.index(one.string)]
        assert abs(one.share - truth) < 6.2 * one.standard_error
        assert one.low < one.share < one.high
        assert one.p_value < 0.05 / len(NAMES)
    assert found.unlisted < 0.05
    assert found.detection_limit < 0.04
    assert found[NAMES[3]].share == pytest.approx(0.1, abs=0.03)
    with pytest.raises(KeyError):
        found[NAMES[77]]


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    inside = total = 0
    for seed in range(25):
        for one in decode(collected(PROTOCOL, crowd(20_000), seed), NAMES[:40]).detected:
            total += 1
            inside += one.low <= SHARES[NAMES.index(one.string)] <= one.high if one.string in NAMES[:10] else 0
    assert total > 100
    assert abs(inside / total - 0.95) < 6.2 * math.sqrt(0.95 * 0.05 / total)


def test_strings_that_nobody_listed_do_not_become_strings_that_nobody_has() -> None:
    strangers = [f"unlisted-{i}" for i in range(3000) for _ in range(10)]
    found = decode(collected(PROTOCOL, crowd(30_000) + strangers, 5), NAMES)
    assert {one.string for one in found.detected} <= set(NAMES[:10])
    assert NAMES[0] in {one.string for one in found.detected}
    for one in found.detected:
        assert abs(one.share - SHARES[NAMES.index(one.string)] / 2) < 6.2 * one.standard_error
    assert found.unlisted == pytest.approx(0.5, abs=0.2)


def test_noise_alone_detects_nothing() -> None:
    strings = [f"once-{i}" for i in range(20_000)]
    assert [len(decode(collected(PROTOCOL, strings, seed), NAMES).detected) for seed in range(4)] == [0] * 4


def test_decoding_without_a_threshold_for_all_candidates_finds_ghosts() -> None:
    """The broken variant: significance for one candidate, used on all of them."""
    ghosts = real = 0
    for seed in range(4):
        server = collected(PROTOCOL, crowd(20_000), seed)
        fit = _Fit(design(PROTOCOL, NAMES), *_bit_shares(PROTOCOL, server.counts))
        uncorrected = _significant(fit, NAMES, _fitted(fit), alpha=0.05 * len(NAMES), confidence=0.95)
        ghosts += sum(one.string not in NAMES[:10] for one in uncorrected)
        real += sum(one.string not in NAMES[:10] for one in decode(server, NAMES).detected)
    assert ghosts > 4
    assert real == 0


def test_detection_limits_are_the_published_ones() -> None:
    """The sample app of google/rappor: N = 1e7, 300 candidates, α = 0.05; and f = .5, p = .5, q = .75."""
    sample = Rappor(name="s", cohorts=8, f=0, p=Fraction(1, 2), q=Fraction(3, 4), memo=False)
    assert detection_limit(sample, 10**7, 300) == pytest.approx(0.0022692, abs=6e-8)
    default = Rappor(name="s")
    for people, figure in ((10**5, 0.0450), (10**6, 0.01424), (10**7, 0.00450)):
        assert detection_limit(default, people, 300) == pytest.approx(figure, abs=6e-5)


def test_the_detection_limit_parts_what_is_found_from_what_is_not() -> None:
    limit = detection_limit(PROTOCOL, 40_000, len(NAMES))
    shares = [0.6, 2.5 * limit, limit / 6]
    found = [decode(collected(PROTOCOL, crowd(40_000, NAMES, [*shares, 0.0]), seed), NAMES) for seed in range(3)]
    for one in found:
        assert {NAMES[0], NAMES[1]} == {detected.string for detected in one.detected}


def test_least_squares_are_non_negative_and_sum_to_one_at_most() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((60, 5))
    for truth in ([0.2, 0.1, 0.0, 0.3, 0.1], [0.9, 0.8, 0.0, 0.3, 0.1], [-0.5, 0.4, 0.2, 0.1, 0.0]):
        y = x @ np.array(truth)
        found = _non_negative(x.T @ x, x.T @ y)
        assert (found >= 0).all()
        assert found[:-1].sum() <= 1 + 1e-3
        if min(truth) >= 0 and sum(truth[:-1]) <= 1:
            assert found == pytest.approx(truth, abs=1e-6)


def test_what_cannot_be_decoded_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="RAPPOR over strings"):
        decode(Aggregator(KAry(name="t", domain=3, epsilon=1)), ["a"])
    with pytest.raises(InvalidParameter, match="RAPPOR over strings"):
        decode(Aggregator(Rappor(name="t", domain=("a", "b"))), ["a"])
    with pytest.raises(InvalidParameter, match="at least one string"):
        decode(Aggregator(PROTOCOL), [])
    nothing = decode(Aggregator(PROTOCOL), ["a"])
    assert (nothing.detected, nothing.people, nothing.detection_limit) == ((), 0, math.inf)


def test_decoding_survives_empty_cohorts_and_equal_columns() -> None:
    few = decode(collected(PROTOCOL, ["a"] * 5, 1), ["a", "b", "a"])
    assert few.candidates == 2
    tiny = Rappor(name="t", bits=2, hashes=1, cohorts=1, f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4))
    assert decode(collected(tiny, ["a"] * 2000, 1), [str(i) for i in range(30)]).candidates == 30


# ---- two variables -------------------------------------------------------------------------------------------------

LEFT = Rappor(name="os", domain=("linux", "mac", "windows"), f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4))
RIGHT = Rappor(name="page", bits=32, hashes=2, cohorts=8, f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4))
PAGES = ["news", "mail", "games"]
JOINT = np.array([[0.25, 0.05, 0.0], [0.05, 0.2, 0.05], [0.0, 0.1, 0.3]])


def pairs(joint: Any, n: int, seed: int) -> tuple[Variable, Variable]:
    cells = [(a, b) for a in range(3) for b in range(3) for _ in range(round(float(joint[a, b]) * n))]
    one = Devices(LEFT).report([LEFT.domain[a] for a, _ in cells], bits=SeededBits(seed))  # type: ignore[index]
    two = Devices(RIGHT).report([PAGES[b] for _, b in cells], bits=SeededBits(seed + 100))
    return Variable(LEFT, one), Variable(RIGHT, two, PAGES)


def test_the_joint_law_of_two_variables_is_recovered() -> None:
    found = associate(*pairs(JOINT, 20_000, 1))
    assert found.rows == ("linux", "mac", "windows")
    assert found.columns == tuple(PAGES)
    assert found.joint.sum() == pytest.approx(1)
    assert np.abs(found.joint - JOINT).max() < 0.03
    assert found.standard_errors is not None
    inside = JOINT > 0.01
    scores = (found.joint - JOINT)[inside] / found.standard_errors[inside]
    assert np.abs(scores).max() < 6.2
    assert found.p_value < 1e-9
    assert found["linux", "news"] == found.joint[0, 0]


def test_independent_variables_are_not_called_associated() -> None:
    independent = np.outer([0.3, 0.3, 0.4], [0.3, 0.35, 0.35])
    ratios = [associate(*pairs(independent, 6000, seed)).log_likelihood_ratio for seed in range(8)]
    # Twice the log-likelihood ratio is about chi-square with 4 degrees of freedom.
    assert max(ratios) < 50
    assert 0.5 < np.mean(ratios) < 12
    assert associate(*pairs(JOINT, 6000, 3)).log_likelihood_ratio > 200


def test_strings_off_the_list_go_to_other() -> None:
    strings = ["news"] * 2000 + [f"rare-{i}" for i in range(2000)]
    two = Devices(RIGHT).report(strings, bits=SeededBits(4))
    one = Devices(LEFT).report(["mac"] * 4000, bits=SeededBits(5))
    found = associate(Variable(LEFT, one), Variable(RIGHT, two, PAGES, other=True))
    assert found["mac", "(other)"] == pytest.approx(0.5, abs=0.12)
    assert found["mac", "news"] == pytest.approx(0.5, abs=0.12)
    without = associate(Variable(LEFT, one), Variable(RIGHT, two, PAGES))
    assert without["mac", "news"] > found["mac", "news"]


def test_pairs_that_do_not_match_are_refused() -> None:
    first, second = pairs(JOINT, 200, 1)
    with pytest.raises(InvalidParameter, match="as many"):
        associate(first, Variable(RIGHT, second.reports[:-1], PAGES))
    broken = second.reports.copy()
    broken[3, 0] ^= 1
    with pytest.raises(InvalidParameter, match="well-formed"):
        associate(first, Variable(RIGHT, broken, PAGES))
    with pytest.raises(InvalidParameter, match="as many"):
        associate(Variable(LEFT, b""), Variable(RIGHT, b"", PAGES))


def test_large_tables_have_no_standard_errors() -> None:
    many = tuple(f"v{i}" for i in range(21))
    wide = Rappor(name="wide", domain=many)
    told = Devices(wide).report(list(many) * 3, bits=SeededBits(1))
    assert associate(Variable(wide, told), Variable(wide, told), most_steps=5).standard_errors is None


def test_block_pivoting_is_the_least_squares_of_scipy() -> None:
    from scipy.optimize import nnls

    rng = np.random.default_rng(2)
    for columns in (3, 20, 80):
        x = rng.random((120, columns)) < 0.1
        y = x @ np.maximum(0, rng.normal(0, 0.1, columns)) + rng.normal(0, 0.2, 120)
        gram = x.T.astype(float) @ x + 1e-9 * np.eye(columns)
        assert _pivoted(gram, x.T @ y) == pytest.approx(nnls(x.astype(float), y)[0], abs=1e-6)
