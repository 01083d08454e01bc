"""The whole audit's parts, and mechanisms whose inputs are inferred from what they say of themselves."""

from fractions import Fraction
from typing import Any

import pytest

from sfumato import audit
from sfumato.audit import everything as whole
from sfumato.audit.infer import mechanism_target, pairs_for
from sfumato.audit.own import OUR_MECHANISMS
from sfumato.audit.targets import draw_of
from sfumato.core import Neighbours, Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import Gaussian, Geometric, Median, SmoothSensitivity

KNOWN = {own.name: own for own in OUR_MECHANISMS}
FAMILIES = [
    "laplace",
    "geometric-histogram",
    "gaussian",
    "exponential",
    "exponential-monotone",
    "randomized-response",
    "warner",
    "quantile",
    "quantile-flipped",
    "above-threshold",
    "laplace-keys",
]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_mechanism_is_its_own_target_at_its_own_price(name: str) -> None:
    own = KNOWN[name]
    mechanism = own.make(Fraction(1))
    target = mechanism_target(mechanism, delta=own.delta)
    assert target.claim == own.target().claim
    assert target.name == type(mechanism).__name__
    found = audit.audit(target, draws=max(400, 60 * len(target.pairs)), confidence=1 - 1e-9)
    assert not found.convicted


def test_inferred_inputs_convict_a_mechanism_that_is_sold_for_less() -> None:
    count = Geometric(epsilon=2, sensitivity=Neighbours().histogram(Norm.L1), dimension=3)
    assert audit.audit(mechanism_target(count, epsilon=0.5, name="cheap"), draws=8000).convicted


def test_pairs_move_as_far_as_the_sensitivity_says() -> None:
    wide = Geometric(epsilon=1, sensitivity=Sensitivity.l1(6, Neighbours()))
    assert all(pair.right - pair.left == 6 for pair in pairs_for(wide))
    plane = Gaussian(sigma=1, sensitivity=Sensitivity.l2(3, Neighbours()), dimension=2)
    assert max(abs(a - b) for pair in pairs_for(plane) for a, b in zip(pair.left, pair.right, strict=True)) == 3


def test_a_family_that_is_not_known_asks_for_pairs() -> None:
    bound: Any = Median(lower=0, upper=9)
    smooth = SmoothSensitivity(bound=bound, epsilon=1)
    with pytest.raises(InvalidParameter, match="family"):
        mechanism_target(smooth)
    pairs = (audit.Pair([0, 1, 9], [0, 9, 9]),)
    assert mechanism_target(smooth, pairs=pairs).pairs == pairs


def test_exact_laws_leaks_and_time_are_parts_of_the_whole() -> None:
    proved = next(found for found in whole._laws() if found.name == "laplace")
    assert proved.verdict is audit.Verdict.PROVED
    names = [name for name, found in whole._leaks(draws=800) if not found.convicted or found.bound < 2]
    assert len(names) == 9
    timed = whole._timings(draws=40)
    assert {found.draws for found in timed.values()} == {40}
    assert all("probability" in str(found) for found in timed.values())


def test_a_builtin_without_a_signature_is_called_one_by_one() -> None:
    class Odd:
        __signature__ = "not a signature"

        def __call__(self, data: int) -> int:
            return data

    assert draw_of(Odd())(3, 2) == [3, 3]


def test_an_error_by_size_is_every_output() -> None:
    def fails(data: int, size: int) -> list[int]:
        raise ValueError(f"nothing for {data > 0}")

    found = audit.audit(audit.target_of(fails, [audit.Pair(0, 1)], epsilon=1), draws=400)
    assert found.convicted
