"""The platform's functions are as exact as the fast paths assume, and a platform that lies is refused."""

import math

import numpy as np
import pytest

from sfumato.errors import BrokenRandomness
from sfumato.exact import floats


@pytest.fixture(autouse=True)
def forget_the_verdict() -> None:
    floats.trust.cache_clear()


def test_this_machine_is_trusted() -> None:
    floats.trust()
    floats.trust()
    assert floats.trust.cache_info().misses == 1, "a machine is asked once"


@pytest.mark.parametrize("name", ["log", "exp", "log1p", "expm1"])
def test_a_lying_function_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = getattr(np, name)
    monkeypatch.setattr(np, name, lambda x, **k: honest(x, **k) * (1 + 2.0**-47))
    with pytest.raises(BrokenRandomness, match="less exact"):
        floats.trust()
    monkeypatch.undo()
    floats.trust.cache_clear()


@pytest.mark.parametrize("name", ["log", "exp"])
def test_a_lying_c_library_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = getattr(math, name)
    monkeypatch.setattr(math, name, lambda x: honest(x) * (1 + 2.0**-47))
    with pytest.raises(BrokenRandomness, match="less exact"):
        floats.trust()
    monkeypatch.undo()
    floats.trust.cache_clear()


def test_float_functions_hold_on_many_arguments() -> None:
    """Wider than the check at run time: arguments as the samplers use them."""
    words = np.random.default_rng(1).integers(2**40, 2**63, 3000).astype(np.float64)
    assert floats.check_log(np.log(words + 0.5), words + 0.5)
    exponents = -np.random.default_rng(2).uniform(0, 45, 3000)
    assert floats.check_exp(np.exp(exponents), exponents)


def test_the_normal_quantile_holds_on_many_arguments() -> None:
    from flint import arb, ctx
    from scipy.special import ndtri

    v = np.exp2(-np.random.default_rng(3).uniform(0, 21, 2000))
    with ctx.workprec(160):
        for x, q in zip(v, -ndtri(v / 2), strict=True):
            true = arb(float(x)).erfcinv() * arb(2).sqrt()
            assert abs(arb(float(q)) - true) <= floats.QUANTILE_ERROR / 16 * (1 + true)
