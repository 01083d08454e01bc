"""Exact laws: proofs and refutations without sampling error."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest

from sfumato import exact
from sfumato.accounting import total
from sfumato.audit import Pair, Verdict, check_law, exact_audit
from sfumato.audit.own import OUR_MECHANISMS, exact_targets
from sfumato.core import Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import Geometric

ONE = Neighbours().histogram(Norm.L1)


def released(mechanism: Any) -> Any:
    return lambda data, bits: mechanism.release(data, bits=bits)


@pytest.mark.parametrize("name", [name for name in exact_targets() if name not in ("gaussian", "laplace")])
def test_mechanisms_are_proved_at_their_price_and_tight_ones_refuted_below_it(name: str) -> None:
    own, pair = exact_targets()[name]
    mechanism = own.make(Fraction(1))
    price = total([mechanism.event]).epsilon(own.delta)
    found = exact_audit(released(mechanism), pair, epsilon=price, delta=own.delta)
    assert found.verdict is Verdict.PROVED
    assert found.at_least <= found.at_most <= price * (1 + 1e-9)
    assert found.allowed < 1e-9
    if name not in ("exponential", "quantile"):  # whose price covers other pairs than this one
        below = exact_audit(released(mechanism), pair, epsilon=price * 0.999, delta=own.delta)
        assert below.verdict is Verdict.REFUTED
        assert below.convicted
        assert below.at_least > price * 0.999


def test_one_in_a_thousand_too_little_noise_is_refuted() -> None:
    """No number of draws a person would wait for could show this."""
    less = Geometric(epsilon=Fraction(1001, 1000), sensitivity=ONE)
    assert exact_audit(released(less), Pair(0, 1), epsilon=1).verdict is Verdict.REFUTED
    assert exact_audit(released(less), Pair(0, 1), epsilon=Fraction(1001, 1000)).verdict is Verdict.PROVED


def test_a_reachable_output_that_the_neighbour_never_gives_is_infinite() -> None:
    found = exact_audit(lambda bit, bits: bit * exact.bernoulli(0.5, bits=bits), Pair(0, 1), epsilon=50)
    assert found.verdict is Verdict.REFUTED
    assert math.isinf(found.at_least)
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["at_least"] is None
    rare = exact_audit(
        lambda bit, bits: bit * exact.bernoulli(Fraction(1, 1024), bits=bits),
        Pair(0, 1),
        epsilon=1,
        delta=Fraction(1, 1024),
    )
    assert rare.verdict is Verdict.PROVED


def test_what_was_not_followed_leaves_the_question_open() -> None:
    found = exact_audit(released(OUR_MECHANISMS[3].make(Fraction(1))), Pair(0, 1), epsilon=1, runs=20)
    assert found.verdict is Verdict.OPEN
    assert math.isinf(found.at_most)


def test_a_law_is_proved_or_refuted_against_what_is_stated() -> None:
    third = Fraction(1, 3)

    def coin(bits: exact.BitSource) -> bool:
        return bool(exact.bernoulli(third, bits=bits))

    stated = {True: (third, third), False: (1 - third, 1 - third)}
    assert check_law(coin, stated) is Verdict.PROVED
    off = Fraction(1, 10**9)
    assert (
        check_law(coin, {True: (third + off, third + off), False: (1 - third - off, 1 - third - off)})
        is Verdict.REFUTED
    )
    assert check_law(coin, {True: (Fraction(1), Fraction(1))}) is Verdict.REFUTED
    assert check_law(coin, stated, runs=3) is Verdict.OPEN
    with pytest.raises(InvalidParameter, match="stated"):
        check_law(coin, {})
