"""How many people there are: public, guessed, or private and counted with noise (errata A20).

Normalised queries divide by the number of records. Where neighbours replace one record it is public; where they add or
remove one it is private, and whatever is divided by must be a guess, or a noisy count that is paid for.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.accounting.events import Event
from sfumato.core import Change, Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, positive, whole
from sfumato.mechanisms import Geometric, GeometricNoise


class PeopleCount(ABC):
    """What is known of the number of people, and between which neighbours it is told."""

    @property
    @abstractmethod
    def neighbours(self) -> Neighbours:
        """Replace one where the number is public, add or remove one where it is private."""

    @property
    @abstractmethod
    def events(self) -> tuple[Event, ...]:
        """The price of `about`."""

    @abstractmethod
    def about(self, people: int, *, bits: BitSource | None = None) -> int:
        """A number of people, at least one, that may be told; `people` is the private one."""

    @abstractmethod
    def reach(self, people: int, beta: Fraction) -> int:
        """How far `about` strays from so many people, but with probability beta."""

    def moved_by(self, each: int) -> "PeopleCount":
        """The same where one person is up to so many records, which come, go or are replaced together."""
        return self


@dataclass(frozen=True)
class KnownPeople(PeopleCount):
    """The number is public: neighbours replace one record.

    >>> str(KnownPeople(1000).neighbours)
    'replace one row'
    """

    people: int

    def __post_init__(self) -> None:
        whole("people", self.people, least=1)

    @property
    def neighbours(self) -> Neighbours:
        """Replace one."""
        return Neighbours(Change.REPLACE)

    @property
    def events(self) -> tuple[Event, ...]:
        """Nothing."""
        return ()

    def about(self, people: int, *, bits: BitSource | None = None) -> int:
        """The public number, which the data must have."""
        if people != self.people:
            raise InvalidParameter("database", "must have as many records as are declared", self.people)
        return self.people

    def reach(self, people: int, beta: Fraction) -> int:
        """Not at all."""
        return 0


@dataclass(frozen=True)
class GuessedPeople(PeopleCount):
    """The number is private, and guessed without looking: neighbours add or remove one record."""

    people: int

    def __post_init__(self) -> None:
        whole("people", self.people, least=1)

    @property
    def neighbours(self) -> Neighbours:
        """Add or remove one."""
        return Neighbours()

    @property
    def events(self) -> tuple[Event, ...]:
        """Nothing."""
        return ()

    def about(self, people: int, *, bits: BitSource | None = None) -> int:
        """The guess."""
        return self.people

    def reach(self, people: int, beta: Fraction) -> int:
        """As far as the guess is off."""
        return abs(self.people - people)


@dataclass(frozen=True)
class CountedPeople(PeopleCount):
    """The number is private and counted with noise at a price of its own: neighbours add or remove one record.

    Where one person is up to `each` records, the count moves by that, and its noise is as much wider.
    """

    epsilon: Real
    each: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        whole("each", self.each, least=1)

    @property
    def _count(self) -> Geometric:
        one = self.neighbours.histogram(Norm.L1)
        return Geometric(epsilon=self.epsilon, sensitivity=replace(one, amount=one.amount * self.each))

    @property
    def noise(self) -> GeometricNoise:
        """The noise of the count."""
        noise = self._count.noise
        assert isinstance(noise, GeometricNoise)
        return noise

    def moved_by(self, each: int) -> "CountedPeople":
        """Counted with noise that hides so many records."""
        return replace(self, each=each)

    @property
    def neighbours(self) -> Neighbours:
        """Add or remove one."""
        return Neighbours()

    @property
    def events(self) -> tuple[Event, ...]:
        """One noisy count."""
        return (self._count.event,)

    def about(self, people: int, *, bits: BitSource | None = None) -> int:
        """The noisy count, or 1 if it is less."""
        return max(1, int(self._count.release(people, bits=bits)))

    def reach(self, people: int, beta: Fraction) -> int:
        """As far as the noise goes; at least one person is never further from at least one."""
        return self._count.noise.reach(beta)
