"""What is published once, audited: nothing of ours is convicted, and twins that forget something are."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from sfumato import audit
from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.cli.audit import SOURCES
from sfumato.core import Sensitivity
from sfumato.curator.audited_synth import (
    COUNTS,
    DOMAIN,
    PUBLISHED,
    QUERIES,
    REPLACED,
    Published,
    fitted_values,
    online_answers,
    small_counts,
)
from sfumato.mechanisms import GeometricNoise
from sfumato.synth import (
    KnownPeople,
    MultiplicativeWeights,
    NumericCheck,
    OnlineMultiplicativeWeights,
    PrefixWorkload,
    SmallDatabase,
)

pytestmark = pytest.mark.slow
KNOWN = KnownPeople(COUNTS)


@pytest.mark.parametrize("own", PUBLISHED, ids=lambda own: own.name)
def test_nothing_that_is_published_is_convicted(own: AuditedMechanism) -> None:
    found = audit.audit(own.target(Fraction(1)), draws=400, confidence=1 - 1e-9)
    assert not found.convicted


def test_the_command_line_knows_them() -> None:
    assert "sfumato.curator.audited_synth:PUBLISHED" in SOURCES


class UnscaledScore(SmallDatabase):
    """Levels in sixths of a person, taken to move by one."""

    @property
    def rate(self) -> Fraction:
        return 6 * super().rate


class NarrowNoise(MultiplicativeWeights):
    """Noise of a tenth of the width that is paid for."""

    @property
    def noise(self) -> GeometricNoise:
        return GeometricNoise(super().noise.scale / 10)


def small(kind: type[SmallDatabase]) -> Published:
    return Published(kind(workload=QUERIES, epsilon=1, records=2, people=KNOWN), small_counts)


def mwem(kind: type[MultiplicativeWeights]) -> Published:
    return Published(kind(workload=PrefixWorkload(DOMAIN), epsilon=1, rounds=1, people=KNOWN), fitted_values)


def online(epsilon: int) -> Published:
    one = Sensitivity.linf(1, KNOWN.neighbours)
    check = NumericCheck(epsilon=epsilon, cutoff=1, threshold=0, sensitivity=one)
    return Published(OnlineMultiplicativeWeights(domain=DOMAIN, check=check, people=KNOWN), online_answers)


@dataclass(frozen=True)
class Twin:
    """What releases as one mechanism and charges as another."""

    releases: Published
    charges: Published

    @property
    def event(self) -> Event:
        return self.charges.event

    def release(self, counts: list[int]) -> Any:
        return self.releases.release(counts)


TWINS: dict[str, Callable[[], Twin]] = {
    "a score in finer steps": lambda: Twin(small(UnscaledScore), small(SmallDatabase)),
    "narrower noise": lambda: Twin(mwem(NarrowNoise), mwem(MultiplicativeWeights)),
    "checks at another price": lambda: Twin(online(40), online(1)),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins_that_charge_less_than_they_lose_are_convicted(name: str) -> None:
    target = AuditedMechanism(name, lambda _: TWINS[name](), REPLACED[:1]).target(Fraction(1))
    assert audit.audit(target, draws=1500).convicted
