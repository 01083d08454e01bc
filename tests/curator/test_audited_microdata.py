"""Microdata, trees and ranges before the auditor: none is convicted, and all with half of their noise are."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato import audit
from sfumato.audit import AuditedMechanism
from sfumato.audit.targets import Claim, one_by_one
from sfumato.cli.audit import SOURCES
from sfumato.curator.audited_microdata import MICRODATA
from sfumato.mechanisms import DiscreteGaussianNoise, GeometricNoise
from sfumato.mechanisms.geometric import TruncatedGeometricNoise
from sfumato.synth import MicrodataMechanism, Ranges, TopDown

pytestmark = pytest.mark.slow
NAMED = {own.name: own for own in MICRODATA}


def test_they_are_among_what_is_audited() -> None:
    assert "sfumato.curator.audited_microdata:MICRODATA" in SOURCES
    assert len(NAMED) == len(MICRODATA) == 16


@pytest.mark.parametrize("own", MICRODATA, ids=lambda own: own.name)
def test_none_of_ours_is_convicted(own: AuditedMechanism) -> None:
    assert not audit.audit(own.target(Fraction(1)), draws=500, confidence=1 - 1e-9).convicted


def narrowed(noise: Any, times: int) -> Any:
    """The noise at a half, or another part, of its width."""
    match noise:
        case GeometricNoise():
            return GeometricNoise(noise.scale / times)
        case DiscreteGaussianNoise():
            return DiscreteGaussianNoise(noise.sigma / times)
        case TruncatedGeometricNoise():
            return TruncatedGeometricNoise(noise.epsilon * times, noise.bound)
    raise AssertionError(noise)


def with_less_noise(made: Any, times: int) -> Any:
    """A mechanism that hands out less noise than it is priced at."""
    if isinstance(made, MicrodataMechanism):
        object.__setattr__(made, "noise", narrowed(made.noise, times))
    elif isinstance(made, TopDown | Ranges):
        object.__setattr__(made, "noises", tuple(narrowed(noise, times) for noise in made.noises))
    else:
        with_less_noise(made.mechanism, times)
    return made


TWINS = [
    ("microdata: clipped geometric", 2, 2),
    ("microdata: filled geometric", 2, 2),
    ("microdata: whole counts", 2, 2),
    ("microdata: filled truncated", 2, 2),
    ("microdata: clipped gaussian", 1, 2),
    ("microdata: filled gaussian", 1, 3),
    ("top-down", 2, 4),
    ("ranges", 2, 3),
]


@pytest.mark.parametrize(("name", "epsilon", "times"), TWINS)
def test_half_of_the_noise_that_is_priced_is_convicted(name: str, epsilon: int, times: int) -> None:
    """Half, or less where a fit hides what it is given: as much as shows within a few thousand draws."""
    own = NAMED[name]
    target = replace(own.target(Fraction(epsilon)), pairs=own.pairs[1:2])
    twin = with_less_noise(own.make(Fraction(epsilon)), times)
    assert audit.audit(replace(target, draw=one_by_one(twin.release)), draws=3500).convicted


@dataclass(frozen=True)
class Printed:
    """M_ρ as it is printed: count + max(0, noise), which never falls below the count (errata A4)."""

    made: Any

    def release(self, exact: Any) -> list[int]:
        noisy = self.made.release(np.array(exact) + 1000) - 1000  # far from zero, so that nothing is clipped
        return [max(int(count), int(value)) for count, value in zip(exact, noisy, strict=True)]


def test_the_printed_form_of_clipping_is_convicted() -> None:
    own = NAMED["microdata: clipped gaussian"]
    target = own.target(Fraction(1))
    assert audit.audit(replace(target, draw=one_by_one(Printed(own.make(Fraction(1))).release)), draws=1500).convicted


def test_cells_priced_for_coming_and_going_are_convicted_if_people_move() -> None:
    """DGeo(ε) on cells alone is 2ε where a person is replaced."""
    added, replaced = NAMED["microdata: clipped geometric"], NAMED["microdata: clipped geometric, replace"]
    wrong = replace(added.target(Fraction(2)), pairs=replaced.pairs[1:])
    assert wrong.claim == Claim(2.0)
    assert audit.audit(wrong, draws=3500).convicted
