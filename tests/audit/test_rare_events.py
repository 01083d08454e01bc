"""What happens rarely is found: shifts, cut tails, texts, errors, last bits; and what is said of the rest is true."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato import audit
from sfumato.audit import Inputs, Pair, pairs_of, target_of
from sfumato.audit.auditor import CONFIDENCE
from sfumato.audit.certify import POWER, Ahead, epsilon_at_least, family_power, shares
from sfumato.audit.encoding import encode
from sfumato.audit.learn import learn
from sfumato.audit.outcomes import Raised
from sfumato.audit.rare_specimens import RARE_SPECIMENS, on_one, shifted
from sfumato.audit.targets import by_size

pytestmark = pytest.mark.slow

BIT = [Pair(0, 1)]
BROKEN = {specimen.name: specimen for specimen in RARE_SPECIMENS if not specimen.sound}
ALLOWED = {specimen.name: specimen for specimen in RARE_SPECIMENS if specimen.sound}
DRAWS = {"rarer-shift": 1_000_000, "rare-place": 250_000, "rare-sign": 400_000}


@pytest.mark.parametrize("name", BROKEN)
def test_what_only_one_input_ever_does_is_convicted_however_rare(name: str) -> None:
    """A miss has a probability below 1e-6: of some 100 to 300 certifying hits about 30 would do.

    How many of the other input's draws fall into the event too is chance: of a shift, where the learned cut lies.
    """
    found = audit.audit(BROKEN[name].target(1), draws=DRAWS.get(name, 300_000))
    assert found.convicted
    assert found.draws <= 1_000_000
    assert found.hits > math.e * found.others


@pytest.mark.parametrize("name", ALLOWED)
def test_what_both_inputs_do_as_often_as_the_claim_allows_is_not(name: str) -> None:
    found = audit.audit(ALLOWED[name].target(1), draws=100_000, confidence=1 - 1e-9)
    assert not found.convicted


def test_a_thousand_and_one_instead_of_one_once_in_500_draws_is_worth_an_epsilon_far_above_one() -> None:
    """The specimen that got away: sold as ε = 1 on all pairs of numbers, it leaks on one of them, once in 500 draws."""
    rare = shifted(on_one(Fraction(1, 500)))
    target = target_of(lambda x, size: x + rare(int(x == 1), size), pairs_of("number", Inputs()), epsilon=1)
    found = audit.audit(target, draws=1_000_000)
    assert found.convicted
    assert found.bound > 3.5
    assert {found.likelier, found.rarer} <= {"0", "1"}


def test_quantile_cells_alone_are_blind_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: 128 quantile cells, the outermost of which hold 0.8 % of the draws each."""

    def quantiles(left: Any, right: Any, bins: int) -> Any:
        return np.unique(np.quantile(np.concatenate([left, right]), np.linspace(0, 1, bins + 1)[1:-1], method="lower"))

    monkeypatch.setattr("sfumato.audit.views.edges", quantiles)
    assert not audit.audit(BROKEN["rare-shift"].target(1), draws=300_000).convicted


def test_one_order_for_all_sizes_is_blind_where_the_bulk_is_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: one event of any size, which few draws make a common one, though the rare one is worth more."""
    rng = np.random.default_rng(12)
    left, right = rng.laplace(size=24_000), 1 + rng.laplace(size=24_000)
    right[rng.random(24_000) < 5e-4] = 1000.0
    ahead = Ahead(400_000, 1.0, 0.0, CONFIDENCE)

    def rare() -> bool:
        return any(event.likelihood < 0.01 for event in learn(encode(left), encode(right), ahead, most=2).events)

    assert rare()
    monkeypatch.setattr("sfumato.audit.learn.DECADES", 1)
    assert not rare()


# ---- errors --------------------------------------------------------------------------------------------------


def test_an_error_that_is_really_raised_once_in_500_calls_is_convicted() -> None:
    rng = np.random.default_rng()

    def release(x: int) -> float:
        u = float(rng.random())
        if x and u < 0.002:
            raise ValueError(f"no answer for {u}")
        return 0.0

    found = audit.audit(target_of(release, BIT, epsilon=1), draws=100_000)
    assert found.convicted
    assert "error" in found.event


def test_an_error_of_many_draws_at_once_is_not_taken_for_an_error_of_each() -> None:
    """A call for many that fails says nothing of each: they are asked for one by one. The broken twin copies it."""
    calls: list[int] = []

    def once(x: int, size: int) -> Any:
        calls.append(size)
        if len(calls) == 1:
            raise ValueError("a hiccup")
        return np.zeros(size)

    drawn = by_size(once)(0, 50)
    assert not any(isinstance(output, Raised) for output in drawn)
    assert calls == [50] + [1] * 50

    def always(x: int, size: int) -> Any:
        raise ValueError("never")

    assert by_size(always)(0, 3) == [Raised("ValueError", "never")] * 3


# ---- one error for all events ----------------------------------------------------------------------------------


def test_certified_events_share_one_error() -> None:
    """Sixteen tight events at once: with the whole error for each, far too many audits would be wrong."""
    rng = np.random.default_rng(11)
    draws, level, runs, events = 2000, 0.5, 1000, 16
    p, q = 0.3, 0.3 * math.exp(-1)
    hits, others = rng.binomial(draws, p, (runs, events)), rng.binomial(draws, q, (runs, events))

    def wrong(split: tuple[float, ...]) -> float:
        bounds = [
            epsilon_at_least(hits[:, place], others[:, place], draws, delta=0, confidence=1 - (1 - level) * share)
            for place, share in enumerate(split)
        ]
        return float((np.max(bounds, axis=0) > 1).mean())

    assert wrong(shares(events)) < 1 - level
    assert wrong((1.0,) * events) > 1 - level
    for n in range(1, 40):
        assert sum(shares(n)) == pytest.approx(1)
        assert sum(shares(n)) <= 1 + 1e-9
        assert min(shares(n)) > 0


# ---- what could have been found ---------------------------------------------------------------------------------


def planted(likelihood: float, epsilon: float) -> Any:
    """Noise that says nothing, and far away an event of this likelihood that breaks ε by this much."""
    rng = np.random.default_rng()

    def release(x: int, size: int) -> Any:
        chance = likelihood if x else likelihood * math.exp(-epsilon)
        return rng.laplace(size=size) + np.where(rng.random(size) < chance, 100.0, 0.0)

    return target_of(release, BIT, epsilon=1)


@pytest.mark.parametrize("likelihood", [0.1, 0.01])
def test_what_is_said_to_be_found_is_found(likelihood: float) -> None:
    """At a true power of 95 % fewer than 29 of 40 come once in 10⁷ runs; it is nearer to 100 %."""
    draws, runs = 60_000, 40
    quiet = audit.audit(planted(likelihood, 0.0), draws=draws)
    said = {power.likelihood: power.epsilon for power in quiet.power}[likelihood]
    assert 1 < said < 10
    found = [audit.audit(planted(likelihood, said), draws=draws) for _ in range(runs)]
    assert sum(finding.convicted for finding in found) >= 29
    below = [audit.audit(planted(likelihood, 1 + (said - 1) / 6), draws=draws) for _ in range(10)]
    assert sum(finding.convicted for finding in below) <= 5  # and it is no idle statement


def test_the_power_of_the_chosen_event_was_not_that_of_all_that_was_searched() -> None:
    """The broken twin: “would have convicted ε ≥ 1.1” is true of a common event and false of a rare one."""
    ahead = Ahead(50_000, 1.0, 0.0, CONFIDENCE)
    common = audit.smallest_violation(50_000, epsilon=1, delta=0, confidence=CONFIDENCE, likelihood=0.5).here
    said = {power.likelihood: power.epsilon for power in family_power(ahead, seen=25_000, events=10)}
    assert common < said[0.5] < said[0.1] < said[0.03] < said[0.01]
    assert math.isinf(said[1e-4])
    found = [audit.audit(planted(0.01, common), draws=100_000).convicted for _ in range(5)]
    assert not any(found)


def test_the_sentence_says_what_may_hide() -> None:
    quiet = audit.audit(planted(0.01, 0.0), draws=60_000)
    said = str(quiet)
    assert f"{100 * POWER:g} %" in said
    assert "events looked at" in said
    assert "may hide" in said
    assert quiet.to_json()["power"]["0.0001"] is None
    small = audit.audit(target_of(lambda _: 1, BIT, epsilon=1, delta=0.6), draws=400)
    assert "anything else may hide" in str(small)


def test_more_draws_find_more_and_more_pairs_less() -> None:
    def least(draws: int, seen: int) -> float:
        ahead = Ahead(draws, 1.0, 0.0, CONFIDENCE)
        return {p.likelihood: p.epsilon for p in family_power(ahead, seen=seen, events=12)}[0.01]

    assert least(10**6, 10**5) < least(10**5, 10**5) <= least(10**5, 10**4)
    delta = family_power(Ahead(10**6, 1.0, 0.02, CONFIDENCE), seen=10**5, events=12)
    assert math.isinf({p.likelihood: p.epsilon for p in delta}[0.01])  # δ covers it
