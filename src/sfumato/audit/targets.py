"""What is audited: something that draws, the neighbouring inputs to try, and the claim."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.accounting import total
from sfumato.accounting.events import Event as PrivacyEvent
from sfumato.audit.outcomes import Raised
from sfumato.audit.pairs import Pair
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, non_negative, probability

Draw = Callable[[Any, int], Sequence[Any]]
"""n outputs on one input; an error that is raised is an output too."""


@dataclass(frozen=True, slots=True)
class Claim:
    """(ε, δ)-differential privacy, as somebody promises it."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        epsilon, delta = non_negative("epsilon", self.epsilon), probability("delta", self.delta)
        if delta == 1:
            raise InvalidParameter("delta", "must be below 1", self.delta)
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "delta", float(delta))

    def __str__(self) -> str:
        return f"ε = {self.epsilon:.4g}" + (f", δ = {self.delta:.4g}" if self.delta else "")


@dataclass(frozen=True, slots=True)
class Target:
    """A mechanism under audit."""

    name: str
    draw: Draw
    pairs: tuple[Pair, ...]
    claim: Claim

    def __post_init__(self) -> None:
        if not self.pairs:
            raise InvalidParameter("pairs", "must be at least one pair of neighbouring inputs, got", "none")


def claim_of_event(event: PrivacyEvent, delta: float = 0.0) -> Claim:
    """What an event promises at a δ, by the accountant."""
    return Claim(total([event]).epsilon(delta), delta)


def one_by_one(release: Callable[[Any], Any]) -> Draw:
    """Draws of a callable that answers once a call."""

    def draw(data: Any, n: int) -> list[Any]:
        return [_answer(release, data) for _ in range(n)]

    return draw


def _answer(release: Callable[[Any], Any], data: Any) -> Any:
    try:
        return release(data)
    except Exception as error:  # whatever a mechanism raises is seen by whoever asked
        return Raised.of(error)


def by_size(release: Callable[..., Any]) -> Draw:
    """Draws of a callable that takes `size` and gives as many outputs at once."""

    def draw(data: Any, n: int) -> Sequence[Any]:
        try:
            outputs: Sequence[Any] = release(data, size=n)
        except Exception:  # an error of all is an error of some: each is asked for by itself
            return one_by_one(lambda given: _only(release(given, size=1)))(data, n)
        if len(outputs) != n:
            raise InvalidParameter("size", f"must give as many outputs as asked for, {n}, got", len(outputs))
        return outputs

    return draw


def _only(outputs: Any) -> Any:
    """The one output that was asked for."""
    if len(outputs) != 1:
        raise InvalidParameter("size", "must give as many outputs as asked for, 1, got", len(outputs))
    return outputs[0]


def draw_of(release: Callable[..., Any]) -> Draw:
    """Draws of any callable: by the array where it has a parameter `size`, otherwise one by one."""
    if not callable(release):
        raise InvalidParameter("target", "must be callable on the data, got", type(release))
    try:
        parameters = inspect.signature(release).parameters
    except (TypeError, ValueError):
        return one_by_one(release)
    return by_size(release) if "size" in parameters else one_by_one(release)


def target_of(
    release: Callable[..., Any], pairs: Sequence[Pair], *, epsilon: Real, delta: Real = 0, name: str = ""
) -> Target:
    """Anybody's callable with its claim."""
    claim = Claim(float(non_negative("epsilon", epsilon)), float(probability("delta", delta)))
    return Target(name or getattr(release, "__name__", "callable"), draw_of(release), tuple(pairs), claim)
