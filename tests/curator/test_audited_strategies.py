"""Every strategy through the curator's release path, audited; noise for less than a person moves is convicted."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from sfumato import audit
from sfumato.curator import audited
from sfumato.curator.audited import CURATOR, PEOPLE
from sfumato.query.price import PricedQuery
from sfumato.query.priced import NoisyCells
from sfumato.query.strategies import STRATEGIES

pytestmark = pytest.mark.slow

NAMES = tuple(audited.STRATEGIES)


def target(name: str) -> Any:
    return next(own for own in CURATOR if own.name == f"curator: {name}").target(Fraction(1))


def test_every_strategy_has_a_question_that_it_measures() -> None:
    """Separate columns are those of every other question."""
    assert {*NAMES, "separate"} == {each.name for each in STRATEGIES}
    for name, (text, paid) in audited.STRATEGIES.items():
        query = audited.asked(text, **paid)(Fraction(1)).query
        assert [each.strategy for each in query.priced if isinstance(each, NoisyCells)] == [name]
        assert len(query.priced[0].columns) > 1


@pytest.mark.parametrize("name", NAMES)
def test_what_is_claimed_of_a_strategy_is_what_it_is_charged(name: str) -> None:
    """Of ε the whole of it; of ρ = ½ what the accountant finds at the δ of the audit."""
    claim = target(name).claim
    assert claim.delta == (0.01 if audited.STRATEGIES[name][1] else 0.0)
    assert claim.epsilon == pytest.approx({"discrete_gaussian": 2.753}.get(name, 1.0), rel=0.01)


def _narrow(query: PricedQuery) -> PricedQuery:
    """The same with an eighth of the noise."""
    made = []
    for each in query.priced:
        assert isinstance(each, NoisyCells)
        noise: Any = each.noise
        less = (
            replace(noise, scale=noise.scale / 8) if hasattr(noise, "scale") else replace(noise, sigma=noise.sigma / 8)
        )
        made.append(replace(each, noise=less))
    return replace(query, priced=tuple(made))


@pytest.mark.parametrize("name", NAMES)
def test_an_eighth_of_the_noise_is_convicted(name: str) -> None:
    text, paid = audited.STRATEGIES[name]
    honest = audited.asked(text, **paid)(Fraction(1))
    broken = replace(honest, query=_narrow(honest.query))
    claim = target(name).claim
    found = audit.audit(
        audit.target_of(broken.release, PEOPLE[:1], epsilon=claim.epsilon, delta=claim.delta), draws=2000
    )
    assert found.convicted
