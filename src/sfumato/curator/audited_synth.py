"""What is published once, before the auditor: small databases, fitted models and checked guesses on tiny domains."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.core import IntegerInterval, Sensitivity
from sfumato.synth import (
    CountedPeople,
    GuessAndCheck,
    GuessedPeople,
    HistogramDatabase,
    KnownPeople,
    MultiplicativeWeights,
    NumericCheck,
    OnlineMultiplicativeWeights,
    PrefixWorkload,
    RangeWorkload,
    SmallDatabase,
)

DELTA = 0.01
DOMAIN = IntegerInterval(0, 2)
QUERIES = RangeWorkload(DOMAIN, ((0, 0), (0, 1), (1, 2)))
COUNTS = 4
"""How many people the databases with a public number hold."""
REPLACED: tuple[Pair, ...] = (
    Pair([4, 0, 0], [3, 0, 1], "one record from end to end"),
    Pair([2, 1, 1], [1, 2, 1], "one record to its neighbour"),
)
ADDED: tuple[Pair, ...] = (
    Pair([4, 0, 0], [5, 0, 0], "one record more"),
    Pair([0, 2, 2], [0, 2, 1], "one record less"),
    Pair([1, 0, 0], [0, 0, 0], "the only record"),
)


@dataclass(frozen=True)
class Published:
    """A mechanism and how what it releases on counts is read as a list of numbers."""

    mechanism: Any
    read: Callable[[Any, HistogramDatabase], list[int | float]]

    @property
    def event(self) -> Event:
        """What it charges."""
        charged: Event = self.mechanism.event
        return charged

    def release(self, counts: list[int]) -> list[int | float]:
        """What leaves."""
        return self.read(self.mechanism, HistogramDatabase(DOMAIN, counts))


def small_counts(mechanism: SmallDatabase, data: HistogramDatabase) -> list[int | float]:
    """How many records of each value, and what one stands for."""
    released = mechanism.release(data)
    return [*(released.counts.get(value, 0) for value in DOMAIN), float(released.factor)]


def fitted_values(mechanism: MultiplicativeWeights, data: HistogramDatabase) -> list[int | float]:
    """Which queries were measured, and their noisy answers: the models are made of these."""
    released = mechanism.release(data)
    said = [(group.queries.start, *map(float, group.values)) for group in released.measured]
    return [*(number for numbers in said for number in numbers), round(float(released.model.weights.sum()))]


def online_answers(mechanism: OnlineMultiplicativeWeights, data: HistogramDatabase) -> list[int | float]:
    """The answers to three queries and whether each was measured; -1 from where it halted."""
    said = [number for answer in mechanism.start(data).ask_all(QUERIES) for number in (answer.value, answer.measured)]
    return [*said, *[-1] * (2 * len(QUERIES) - len(said))]


def _small(people: Callable[[Fraction], Any], share: Fraction = Fraction(1)) -> Callable[[Fraction], Published]:
    return lambda e: Published(
        SmallDatabase(workload=QUERIES, epsilon=share * e, records=2, people=people(e)), small_counts
    )


def _mwem(people: Callable[[Fraction], Any], share: Fraction = Fraction(1)) -> Callable[[Fraction], Published]:
    workload = PrefixWorkload(DOMAIN)
    return lambda e: Published(
        MultiplicativeWeights(workload=workload, epsilon=share * e, rounds=2, people=people(e)), fitted_values
    )


def _online(epsilon: Fraction) -> Published:
    known = KnownPeople(COUNTS)
    check = NumericCheck(epsilon=epsilon, cutoff=1, threshold=1, sensitivity=Sensitivity.linf(1, known.neighbours))
    return Published(OnlineMultiplicativeWeights(domain=DOMAIN, check=check, people=known), online_answers)


def _checked(epsilon: Fraction) -> Published:
    guess = GuessedPeople(COUNTS)
    check = GuessAndCheck(
        sigma=4 / epsilon,
        query_sigma=8 / epsilon,
        value_sigma=4 / epsilon,
        threshold=2,
        sensitivity=Sensitivity.linf(1, guess.neighbours),
    )
    return Published(OnlineMultiplicativeWeights(domain=DOMAIN, check=check, people=guess), online_answers)


def _counted(epsilon: Fraction) -> CountedPeople:
    return CountedPeople(epsilon / 2)


_HALF = Fraction(1, 2)
PUBLISHED: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("synth: small database", _small(lambda _: KnownPeople(COUNTS)), REPLACED),
    AuditedMechanism("synth: small database, guessed", _small(lambda _: GuessedPeople(COUNTS)), ADDED),
    AuditedMechanism("synth: small database, counted", _small(_counted, _HALF), ADDED),
    AuditedMechanism("synth: mwem", _mwem(lambda _: KnownPeople(COUNTS)), REPLACED),
    AuditedMechanism("synth: mwem, counted", _mwem(_counted, _HALF), ADDED),
    AuditedMechanism("synth: online", _online, REPLACED),
    AuditedMechanism("synth: guess and check", _checked, ADDED, delta=DELTA),
)
"""Every mechanism that publishes from a histogram."""
