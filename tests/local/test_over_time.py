"""Spending over time, allowances on devices, rounds under a model of interaction, and what trust would save."""

import json
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import total
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.local import (
    Aggregator,
    Client,
    Collection,
    Condensed,
    DeviceAllowance,
    Devices,
    Exhausted,
    Hadamard,
    KAry,
    LocalHash,
    OneBitMean,
    Rappor,
    Unary,
    allowance,
    choose,
    compare,
    days_of,
    enforce,
    most_reports,
    over_time,
    people_needed,
)
from sources import SeededBits

SECRET = bytes(range(32))


def test_without_memory_every_report_is_paid_again() -> None:
    plain = KAry(name="t", domain=3, epsilon=1)
    year = over_time(plain, reports=365)
    assert year.spent == year.without_memory == 365 * Fraction(plain.spent)
    assert total([year.event]).epsilon(0.0) == pytest.approx(365)
    assert most_reports(plain, epsilon=10) == 10
    assert over_time(plain, reports=0).spent == 0


def test_with_memory_the_values_count_and_not_the_reports() -> None:
    remembering = Rappor(name="t")
    assert over_time(remembering, reports=365, values=1).spent == Fraction(remembering.spent)
    assert over_time(remembering, reports=365, values=3).spent == 3 * Fraction(remembering.spent)
    # A single report costs its own ε₁, not the memory's ε∞.
    assert float(over_time(remembering, reports=1).spent) == pytest.approx(remembering.epsilon_one)
    assert float(over_time(remembering, reports=2, values=1).spent) == pytest.approx(2 * remembering.epsilon_one)
    assert most_reports(remembering, epsilon=5, values=1) is None
    assert most_reports(remembering, epsilon=4, values=1) == 3


def test_a_small_domain_has_few_memories() -> None:
    assert over_time(KAry(name="t", domain=3, epsilon=1, memo=True), reports=365).spent <= 3
    crossing = OneBitMean(name="t", upper=100, epsilon=1, memo=True)
    assert over_time(crossing, reports=10_000).spent <= 2
    fine = OneBitMean(name="t", upper=100, epsilon=1, memo=True, granularity=25)
    assert over_time(fine, reports=10_000).spent <= 5
    assert most_reports(crossing, epsilon=2) is None


def test_a_plan_above_the_cap_is_refused_with_what_would_fit() -> None:
    plain = Unary(name="mood", domain=8, epsilon=Fraction(1, 2))
    assert enforce(plain, reports=20, epsilon=10).spent <= 10
    with pytest.raises(BudgetExceeded, match="21 reports") as refused:
        enforce(plain, reports=21, epsilon=10)
    assert "20 reports fit" in refused.value.hint


@pytest.mark.parametrize(("epsilon", "a_day", "figure"), [(8, 2, 16), (4, 1, 4), (4, 2, 8), (2, 1, 2)])
def test_apples_user_days(epsilon: int, a_day: int, figure: int) -> None:
    """Per-donation ε and donations a day of Apple's overview, as published."""
    found = days_of(Unary(name="t", domain=8, epsilon=epsilon, coding="symmetric"), reports_a_day=a_day, days=1)
    assert float(found) == pytest.approx(figure, rel=1e-9)
    assert found <= figure * (1 + Fraction(1, 10**15))
    with pytest.raises(InvalidParameter, match="no memory"):
        days_of(KAry(name="t", domain=8, epsilon=1, memo=True), reports_a_day=1, days=1)


# ---- the device's own cap -------------------------------------------------------------------------------------------


def test_an_allowance_stops_a_device_that_forgets() -> None:
    device, cap = Client(KAry(name="t", domain=3, epsilon=1).document(), SECRET), DeviceAllowance(5)
    for _ in range(5):
        cap.report(device, 1)
    assert float(cap.spent) == pytest.approx(5)
    with pytest.raises(Exhausted):
        cap.report(device, 1)
    assert float(cap.spent) == pytest.approx(5)


def test_an_allowance_lets_a_device_that_remembers_repeat_itself() -> None:
    device, cap = Client(Rappor(name="t").document(), SECRET), DeviceAllowance(9)
    for _ in range(400):
        cap.report(device, "home")
    assert float(cap.spent) == pytest.approx(4.3944, abs=1e-4)
    for _ in range(400):
        cap.report(device, "work")
    with pytest.raises(Exhausted):
        cap.report(device, "elsewhere")
    assert cap.report(device, "home")


def test_an_allowance_counts_crossings_and_not_days() -> None:
    device, cap = Client(OneBitMean(name="t", upper=100, epsilon=1, memo=True).document(), SECRET), DeviceAllowance(2)
    for day in range(101):
        cap.report(device, day)
    assert float(cap.spent) == pytest.approx(2)


def test_what_an_allowance_keeps_names_no_value_and_survives() -> None:
    device, cap = Client(Rappor(name="t").document(), SECRET), DeviceAllowance(9)
    cap.report(device, "home")
    cap.report(device, "work")
    kept = cap.to_json()
    assert "home" not in kept
    assert set(json.loads(kept)) == {"cap", "used"}
    again = DeviceAllowance.from_json(kept)
    assert again.spent == cap.spent
    assert again.cap == 9


@pytest.mark.parametrize("memo", [False, True])
def test_an_allowance_charges_each_protocol_at_its_own_price(memo: bool) -> None:
    dear, cheap = (
        Client(KAry(name="t", domain=3, epsilon=epsilon, round=i, memo=memo).document(), SECRET)  # type: ignore[arg-type]
        for i, epsilon in enumerate((8, Fraction(1, 10)))
    )
    cap = DeviceAllowance(9)
    cap.report(dear, 1)
    for value in range(3):
        cap.report(cheap, value)
    assert float(cap.spent) == pytest.approx(8.3)
    with pytest.raises(Exhausted):
        cap.report(dear, 2)


def test_two_memories_of_different_values_have_different_names() -> None:
    device = Client(Unary(name="t", domain=9, epsilon=1, memo=True).document(), SECRET)
    assert len({device.memory(value) for value in range(9)}) == 9
    assert device.memory(3) == device.memory(3)
    assert Client(Unary(name="t", domain=9, epsilon=1).document(), SECRET).memory(3) is None
    assert device.prices == (Decimal(device.prices[0]), device.prices[1])


def test_the_allowance_runs_under_a_bare_interpreter() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import allowance; print(allowance.DeviceAllowance('1/2').cap)"
    folder = str(Path(allowance.__file__).parent)
    command = [sys.executable, "-I", "-S", "-c", code, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "1/2"


# ---- rounds ----------------------------------------------------------------------------------------------------------


def told(protocol: Any, devices: range, value: Any) -> list[bytes]:
    return [Client(protocol.document(), i.to_bytes(16, "big")).report(value) for i in devices]


def test_a_collection_is_resumed_with_everybody_it_has_heard() -> None:
    protocol = KAry(name="t", domain=3, epsilon=1, interaction="sequential")
    before = Collection("t", interaction="sequential")
    before.open(protocol).add(told(protocol, range(5), 1))
    before.open(protocol.next_round()).add(told(protocol.next_round(), range(5, 8), 1))
    kept = [Aggregator.from_bytes(server.to_bytes()) for server in before.rounds]
    after = Collection.resumed("t", interaction="sequential", rounds=kept)
    assert [(server.people, server.closed, server.doubled) for server in after.rounds] == [(5, True, 0), (3, False, 0)]
    added = after.rounds[1].add(told(protocol.next_round(), range(10), 1))
    assert (added.accepted, added.rejected) == (2, {"replayed": 8})
    third = after.open(protocol.next_round().next_round())
    assert third.add(told(third.protocol, range(10), 1)).rejected == {"replayed": 10}
    assert after.rounds[1].closed


@pytest.mark.parametrize("interaction", ["non-interactive", "full"])
def test_a_resumed_collection_keeps_its_policy(interaction: str) -> None:
    protocol = KAry(name="t", domain=3, epsilon=1, interaction=interaction)
    cap = 1 if interaction == "full" else None
    after = Collection.resumed("t", interaction=interaction, rounds=[Aggregator(protocol)], most_epsilon=cap)
    with pytest.raises(BudgetExceeded):
        after.open(protocol.next_round())


def test_a_non_interactive_collection_has_one_round() -> None:
    survey = Collection("mood", interaction="non-interactive")
    first = survey.open(KAry(name="mood", domain=3, epsilon=1))
    assert first.add(told(first.protocol, range(10), 1)).accepted == 10
    with pytest.raises(BudgetExceeded, match="non-interactive"):
        survey.open(first.protocol.next_round())
    assert survey.rounds == (first,)


def test_a_sequential_collection_hears_a_device_once_over_all_rounds() -> None:
    survey = Collection("mood", interaction="sequential")
    first = survey.open(KAry(name="mood", domain=3, epsilon=1, interaction="sequential"))
    assert first.add(told(first.protocol, range(10), 1)).accepted == 10
    # The next round's protocol may depend on what the first has shown.
    second = survey.open(Unary(name="mood", domain=9, epsilon=2, interaction="sequential", round=2))
    assert second.add(told(second.protocol, range(5, 20), 4)).rejected == {"replayed": 5}
    assert second.people == 10
    assert first.add(told(first.protocol, range(30, 33), 1)).rejected == {"round closed": 3}
    assert survey.spent() == Fraction(second.protocol.spent)


def test_a_fully_interactive_collection_hears_a_device_every_round_within_its_cap() -> None:
    survey = Collection("mood", interaction="full", most_epsilon=2)
    protocol = KAry(name="mood", domain=3, epsilon=1, interaction="full")
    first, second = survey.open(protocol), survey.open(protocol.next_round())
    for server in (first, second):
        assert server.add(told(server.protocol, range(10), 1)).accepted == 10
    assert second.add(told(second.protocol, range(3), 1)).rejected == {"replayed": 3}
    assert survey.spent() <= 2
    with pytest.raises(BudgetExceeded, match="above 2"):
        survey.open(second.protocol.next_round())
    assert len(survey.rounds) == 2


def test_repeated_rounds_with_memory_cost_its_memories() -> None:
    survey = Collection("mood", interaction="full", most_epsilon=4)
    protocol: Any = KAry(name="mood", domain=3, epsilon=1, interaction="full", memo=True)
    for _ in range(20):
        survey.open(protocol)
        protocol = protocol.next_round()
    assert survey.spent() <= 3


def test_a_round_that_does_not_belong_is_refused() -> None:
    survey = Collection("mood", interaction="sequential")
    with pytest.raises(InvalidParameter, match="must be of 'mood'"):
        survey.open(KAry(name="other", domain=3, epsilon=1, interaction="sequential"))
    with pytest.raises(InvalidParameter, match="sequential"):
        survey.open(KAry(name="mood", domain=3, epsilon=1))
    survey.open(KAry(name="mood", domain=3, epsilon=1, interaction="sequential", round=4))
    with pytest.raises(InvalidParameter, match="after 4"):
        survey.open(KAry(name="mood", domain=3, epsilon=1, interaction="sequential", round=4))
    with pytest.raises(InvalidParameter, match="most_epsilon"):
        Collection("mood", interaction="full")
    with pytest.raises(InvalidParameter, match="most_epsilon"):
        Collection("mood", interaction="sequential", most_epsilon=1)
    with pytest.raises(InvalidParameter, match="one of"):
        Collection("mood", interaction="chatty")


# ---- choosing, comparing ---------------------------------------------------------------------------------------------


def test_the_choice_follows_domain_and_epsilon() -> None:
    for epsilon, limit in ((0.5, 6.95), (1, 10.15), (2, 24.17), (4, 165.79)):
        assert isinstance(choose(name="t", domain=math.floor(limit), epsilon=epsilon), KAry)
        assert not isinstance(choose(name="t", domain=math.ceil(limit), epsilon=epsilon), KAry)
    assert isinstance(choose(name="t", domain=512, epsilon=1), Unary)
    assert isinstance(choose(name="t", domain=512, epsilon=1, most_bytes=10), LocalHash)
    assert isinstance(choose(name="t", domain=10**6, epsilon=1), Hadamard)
    assert choose(name="t", domain=("a", "b"), epsilon=1, memo=True).memo


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
@pytest.mark.parametrize("size", [2, 8, 30, 200, 500])
def test_no_alternative_of_small_reports_has_less_variance(epsilon: float, size: int) -> None:
    chosen = choose(name="t", domain=size, epsilon=epsilon)
    others = [kind(name="t", domain=size, epsilon=epsilon) for kind in (KAry, Unary, LocalHash, Hadamard)]
    assert chosen.variance() <= min(other.variance() for other in others) * (1 + 1e-9)


def test_trusting_nobody_costs_the_square_of_the_people() -> None:
    small, large = (compare(epsilon=1, people=n) for n in (10_000, 1_000_000))
    assert large.ratio / small.ratio == pytest.approx(10, rel=1e-6)
    central, local = people_needed(epsilon=1, error=0.01)
    assert compare(epsilon=1, people=central).central <= 0.01 < compare(epsilon=1, people=central - 1).central
    assert compare(epsilon=1, people=local).local <= 0.01 < compare(epsilon=1, people=local - 10).local
    tighter = people_needed(epsilon=1, error=0.001)
    assert tighter[0] / central == pytest.approx(10, rel=0.01)
    assert tighter[1] / local == pytest.approx(100, rel=0.01)
    with pytest.raises(InvalidParameter, match="below 1"):
        people_needed(epsilon=1, error=2)


def test_the_printed_central_error_is_not_a_bound() -> None:
    """Survey §7.2 prints |error| ≤ 1/(εn); Laplace noise passes that with probability 1/e (errata B14)."""
    from sfumato.exact import rounded_laplace

    draws = np.abs(np.asarray(rounded_laplace(1000, 4000, bits=SeededBits(1)), dtype=np.float64)) / 1000
    assert 0.3 < (draws > 1).mean() < 0.45
    at = compare(epsilon=1, people=1, beta=0.05)
    assert (draws > at.central).mean() < 0.1


def test_condensed_privacy_always_shows_its_worst_case() -> None:
    protocol = Condensed(name="floor", domain=100, alpha=0.5)
    assert "ε = 24.75" in str(protocol)
    assert float(protocol.event.pure() or 0) == pytest.approx(24.75, rel=1e-6)
    assert over_time(protocol, reports=2).spent == 2 * Fraction(protocol.spent)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (((0, 1), (2, 0)), "symmetric"),
        (((0, 0), (0, 0)), "symmetric"),
        (((0, 1),), "rows"),
        (((0, 9, 1), (9, 0, 1), (1, 1, 0)), "triangle"),
        (7, "table"),
    ],
)
def test_distances_that_are_no_metric_are_refused(table: Any, words: str) -> None:
    domain = 3 if table != 7 and len(table[0]) == 3 else 2
    with pytest.raises(InvalidParameter, match=words):
        Condensed(name="t", domain=domain, alpha=1, distances=table)
    with pytest.raises(InvalidParameter, match="too large"):
        Condensed(name="t", domain=1000, alpha=10)


def test_shuffled_reports_are_priced_by_the_accountant() -> None:
    protocol = Unary(name="t", domain=64, epsilon=1)
    from sfumato.local import shuffled

    price = total([shuffled(protocol, people=10_000)])
    assert price.epsilon(1e-6) == pytest.approx(0.0530, abs=1e-4)
    assert Devices(protocol).report(np.zeros(3, dtype=np.int64)).shape == (3, 24)
