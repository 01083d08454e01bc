"""The accountant: the price of a list of events, as the least of all bounds that hold for it.

Every bound here holds for events fixed in advance or chosen adaptively from a fixed list of parameters. When
the parameters themselves are chosen as answers come in, use a filter (`accounting.budgets`).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accounting import closed, conversion, events, gaussian, lattice, losslaw, pld, shuffle
from sfumato.accounting.composition import advanced_heterogeneous
from sfumato.accounting.events import Counted, Event
from sfumato.accounting.rdp import STANDARD_ORDERS
from sfumato.exact.parameters import Real, non_negative, probability, whole
from sfumato.exact.rounding import down, up, written_up

Bound = Callable[[tuple[Counted, ...], Fraction], float]
"""ε of a list of plain events at δ."""

_MOST_MU_SQUARED = 10**8  # beyond, a Gaussian in a mixed list has no law worth having


def total(parts: Iterable[Event | Counted]) -> "Total":
    """The privacy loss of events, each given alone or with how often it happened.

    >>> from sfumato.accounting import events
    >>> spent = total([(events.Laplace(epsilon=0.1), 100), events.Gaussian(sigma=20)])
    >>> round(spent.epsilon(delta=1e-6), 2)
    4.7
    """
    return Total(events.counted(parts))


@dataclass(frozen=True)
class Total:
    """A privacy loss that composes with + and n *, and answers as (ε, δ)."""

    parts: tuple[Counted, ...]

    def __add__(self, other: "Total") -> "Total":
        return total([*self.parts, *other.parts])

    def __rmul__(self, n: int) -> "Total":
        times = whole("n", n)
        return total([(event, times * count) for event, count in self.parts])

    def group(self, k: int) -> "Total":
        """The loss for neighbours k steps apart: each event's own (Survey Theorem 3.8 and Theorem 8.12)."""
        return total([(events.Group(k, event), n) for event, n in self.parts])

    def epsilon(self, delta: Real) -> float:
        """The least ε any known bound gives at δ, rounded up; infinite if none does."""
        d = probability("delta", delta)
        return max((_or_else(math.inf, _least_epsilon, choice, d) for choice in _choices(self.parts)), default=0.0)

    def delta(self, epsilon: Real) -> float:
        """The least δ any known bound gives at ε, rounded up."""
        e = _or_infinite("epsilon", epsilon)
        return max((_or_else(1.0, _least_delta, choice, e) for choice in _choices(self.parts)), default=0.0)

    def meets(self, epsilon: Real, delta: Real) -> bool:
        """Whether the loss is within (ε, δ): sums of ε and δ are compared exactly, other bounds as they are rounded.

        >>> from sfumato.accounting import events
        >>> total([(events.Laplace(epsilon="1/30"), 3)]).meets(epsilon=0.1, delta=0)
        True
        """
        e, d = non_negative("epsilon", epsilon), probability("delta", delta)
        if _is_within(self.parts, e, d):  # as stated: each event with its own ε, parallel ones with their largest
            return True
        return all(_is_within(choice, e, d) for choice in _choices(self.parts)) or _at_most(self.epsilon(d), e)

    def lower_epsilon(self, delta: Real) -> float:
        """An ε that the events, taken at their worst, certainly spend at δ."""
        d = up(probability("delta", delta))
        return max((_or_else(0.0, _certain_epsilon, choice, d) for choice in _choices(self.parts)), default=0.0)

    def bounds(self, delta: Real) -> dict[str, float]:
        """ε by each bound alone; infinite where a bound does not apply."""
        d = probability("delta", delta)
        found: dict[str, float] = {}
        for choice in _choices(self.parts):
            for name, bound in BOUNDS.items():
                found[name] = max(found.get(name, 0.0), _or_else(math.inf, bound, choice, d))
        return found


def _or_else(
    safe: float, price: Callable[[tuple[Counted, ...], Any], float], choice: tuple[Counted, ...], at: Any
) -> float:
    """A price, or the safe one where numbers leave the floats."""
    try:
        return price(choice, at)
    except OverflowError:
        return safe


def _or_infinite(name: str, value: Any) -> Fraction | float:
    """The amount, or an infinity."""
    return value if isinstance(value, float) and value == math.inf else non_negative(name, value)


def _down(value: Fraction | float) -> float:
    """The number as a float, rounded down: against us, where more of it would be cheaper."""
    return down(value) if isinstance(value, Fraction) else value


def _at_most(price: float, cap: Fraction) -> bool:
    return price < math.inf and Fraction(price) <= cap


# ---- which events, when some are parallel ---------------------------------------------------------------


def _choices(parts: tuple[Counted, ...]) -> list[tuple[Counted, ...]]:
    """The lists of plain events that neighbours could face.

    A list that is one parallel event, once, is each of its parts in turn. In a longer list which part is met
    may depend on earlier answers, so a parallel event stays whole and is priced by the currencies that take
    a maximum.
    """
    plain = events.counted(piece for event, n in parts for piece in _flat(event, n))
    if len(plain) == 1 and plain[0][1] == 1 and isinstance(plain[0][0], events.Parallel):
        return [choice for part in _undominated(plain[0][0].parts) for choice in _choices(((part, 1),))]
    return [plain] if plain else []


def _flat(event: Event, n: int) -> list[Counted]:
    """Groups, conversions, compositions and parallel events of one part taken apart: what was really done."""
    if isinstance(event, events.Group | events.Converted):
        return _flat(event.inner, n)
    if isinstance(event, events.Composition):
        return [piece for part, times in event.parts for piece in _flat(part, n * times)]
    if isinstance(event, events.Parallel):
        parts = _undominated(event.parts)
        if len(parts) == 1:
            return _flat(parts[0], n)
    return [(event, n)]


def _undominated(parts: tuple[Event, ...]) -> list[Event]:
    """Parts without those that another of the same kind covers at every parameter."""
    kept: list[Event] = []
    for part in dict.fromkeys(parts):
        if not any(_covers(other, part) for other in parts if other != part):
            kept.append(part)
    return kept


def _covers(large: Event, small: Event) -> bool:
    if type(large) is not type(small):
        return False
    if isinstance(large, events.Gaussian) and isinstance(small, events.Gaussian):
        return large.mu_squared() > small.mu_squared()
    if isinstance(large, events.Pure | events.Laplace | events.Exponential):
        less = small.pure()
        return less is not None and large.pure() > less
    return False


# ---- the bounds, each for a list of plain events ---------------------------------------------------------


def _extra(choice: tuple[Counted, ...]) -> Fraction:
    """What curves may fail with."""
    return sum((n * event.extra_delta() for event, n in choice), Fraction(0))


def _failing(choice: tuple[Counted, ...]) -> Fraction:
    """What the events' own ε may fail with."""
    return sum((n * event.pure_delta() for event, n in choice), Fraction(0))


def _left(choice: tuple[Counted, ...], delta: Fraction) -> float:
    """What of δ is left after what curves may fail with, rounded down."""
    return _rest(delta, _extra(choice))


def _rest(delta: Fraction, taken: Fraction) -> float:
    """δ less what is taken of it, rounded down."""
    return float(delta - taken) * (1 - 2.0**-50)


def _sum(choice: tuple[Counted, ...]) -> Fraction | None:
    """Σ nε, exactly; None where an event has no pure price."""
    total_ = Fraction(0)
    for event, n in choice:
        epsilon = event.pure()
        if epsilon is None:
            return None
        total_ += n * epsilon
    return total_


def _is_within(choice: tuple[Counted, ...], epsilon: Fraction | float, delta: Fraction) -> bool:
    """Whether the sums of ε and of δ are within their caps, exactly."""
    spent = _sum(choice)
    return spent is not None and spent <= epsilon and _failing(choice) <= delta


def _pure(choice: tuple[Counted, ...], delta: Fraction) -> float:
    """Σ nε, rounded up (Survey Theorem 3.9 and Corollary 3.11)."""
    spent = _sum(choice)
    return math.inf if spent is None or _failing(choice) > delta else written_up(spent)


def _gaussian(choice: tuple[Counted, ...], delta: Fraction) -> float:
    squared, d = closed.only_gaussian(choice), down(delta)
    return math.inf if squared is None or d == 0 else gaussian.epsilon(d, gaussian.mu_of(squared))


def _curve(choice: tuple[Counted, ...]) -> Callable[[float], float]:
    return lambda alpha: math.fsum(n * event.rdp(alpha) for event, n in choice) * (1 + 2.0**-50)


def _rdp(choice: tuple[Counted, ...], delta: Fraction) -> float:
    """The improved conversion at the best of all orders."""
    left, curve = _left(choice, delta), _curve(choice)
    if left <= 0 or not _has_curve(choice):
        return math.inf
    return conversion.best_order(lambda alpha: conversion.rdp_to_dp_improved(alpha, curve(alpha), left))[0]


def _has_curve(choice: tuple[Counted, ...]) -> bool:
    return all(math.isfinite(event.rdp(1.001)) for event, _ in choice)


def _rdp_standard(seed: bool) -> Bound:
    def bound(choice: tuple[Counted, ...], delta: Fraction) -> float:
        left = _left(choice, delta)
        if left <= 0 or not _has_curve(choice):
            return math.inf
        convert = conversion.rdp_to_dp if seed else conversion.rdp_to_dp_improved
        return conversion.over_orders(_curve(choice), STANDARD_ORDERS, lambda alpha, value: convert(alpha, value, left))

    return bound


def _zcdp(seed: bool) -> Bound:
    """ρ adds up (Survey Theorem 8.10) and is converted as printed or improved."""

    def bound(choice: tuple[Counted, ...], delta: Fraction) -> float:
        left = _left(choice, delta)
        rhos = [(event.zcdp(), n) for event, n in choice]
        if left <= 0 or any(rho is None for rho, _ in rhos):
            return math.inf
        rho = up(sum((n * r for r, n in rhos if r is not None), Fraction(0)))
        return (conversion.zcdp_to_dp if seed else conversion.zcdp_to_dp_improved)(rho, left)

    return bound


def _shares(choice: tuple[Counted, ...], delta: Fraction) -> list[tuple[float, int]] | None:
    """Each event's own ε, with δ shared equally among those that need some."""
    needy = sum(n for event, n in choice if event.pure() is None)
    left = _rest(delta, _failing(choice))
    if left <= 0 and needy:
        return None
    found = []
    for event, n in choice:
        epsilon = event.pure()
        own = up(epsilon) if epsilon is not None else _least_epsilon(((event, 1),), Fraction(left / needy))
        found.append((own, n))
    return found


def _basic(choice: tuple[Counted, ...], delta: Fraction) -> float:
    """Each event at its share of δ, added up (Survey Theorem 3.13)."""
    if _failing(choice) > delta:
        return math.inf
    shares = _shares(choice, delta)
    return math.inf if shares is None else math.fsum(n * e for e, n in shares) * (1 + 2.0**-50)


def _advanced(tight: bool) -> Bound:
    def bound(choice: tuple[Counted, ...], delta: Fraction) -> float:
        pure = all(event.pure() is not None for event, _ in choice)
        left = _rest(delta, _failing(choice))
        if left <= 0:
            return math.inf
        slack = left if pure else left / 2
        shares = _shares(choice, _failing(choice) + Fraction(left - (0.0 if pure else slack)))
        if shares is None:
            return math.inf
        return advanced_heterogeneous(shares, slack, tight=tight)

    return bound


def _laws(choice: tuple[Counted, ...], *, certain: bool = False) -> list[list[tuple[losslaw.LossLaw, int]]] | None:
    """The laws of both directions, Gaussians joined to one; None if an event has none."""
    squared = sum((n * e.mu_squared() for e, n in choice if isinstance(e, events.Gaussian)), Fraction(0))
    directions: list[list[tuple[losslaw.LossLaw, int]]] = [[], []]
    one_sided = False
    for event, n in choice:
        if isinstance(event, events.Gaussian):
            continue
        laws = event.certain_laws() if certain else event.laws()
        if laws is None:
            return None
        one_sided |= laws[0] is not laws[1]
        for direction, law in zip(directions, laws, strict=True):
            direction.append((law, n))
    if squared > _MOST_MU_SQUARED:
        return None
    if squared:
        for direction in directions:
            direction.append((losslaw.gaussian(gaussian.mu_of(squared)), 1))
    return directions if one_sided else directions[:1]


def _all_lost(laws: list[list[tuple[losslaw.LossLaw, int]]]) -> bool:
    """Whether a law has no finite loss at all."""
    return any(law.infinite >= 1 for direction in laws for law, _ in direction)


def _pld(choice: tuple[Counted, ...], delta: Fraction) -> float:
    laws, d = _laws(choice), down(delta)
    if laws is None or d == 0 or _all_lost(laws):
        return math.inf
    worst = pld.compose(laws[0], d).epsilon(d)
    for direction in laws[1:]:
        if pld.compose(direction, d, coarser=4).epsilon(d) > worst:  # else it cannot be the worse direction
            worst = max(worst, pld.compose(direction, d).epsilon(d))
    return worst


BOUNDS: dict[str, Bound] = {
    "pure": _pure,
    "basic": _basic,
    "advanced": _advanced(tight=True),
    "advanced_seed": _advanced(tight=False),
    "zcdp": _zcdp(seed=False),
    "zcdp_seed": _zcdp(seed=True),
    "rdp": _rdp,
    "rdp_standard": _rdp_standard(seed=False),
    "rdp_seed": _rdp_standard(seed=True),
    "gaussian": _gaussian,
    "pld": _pld,
}
"""Every bound by name; those that end in `_seed` are the survey's theorems as printed and corrected."""


def _least_epsilon(choice: tuple[Counted, ...], delta: Fraction) -> float:
    """The least of the bounds that could be least: closed forms first, Rényi where the law is not all."""
    if not choice or delta >= 1:
        return 0.0
    exact = closed.epsilon(choice, down(delta))
    if exact is not None:
        return min(exact, _pure(choice, delta))
    composed, simple = _pld(choice, delta), min(_pure(choice, delta), _zcdp(seed=False)(choice, delta))
    best = min(simple, composed)
    # A law is composed with an allowance for each application; where that is worse than a plain sum, curves may help.
    if composed >= 0.999 * simple or not all(event.law_is_tight for event, _ in choice):
        best = min(best, _rdp(choice, delta))
    return best


_MANY = 1000  # applications beyond which a composed law's allowances may outweigh its precision


def _least_delta(choice: tuple[Counted, ...], cap: Fraction | float) -> float:
    if not choice or _is_within(choice, cap, Fraction(0)):
        return 0.0
    epsilon, squared = _down(cap), closed.only_gaussian(choice)
    if squared is not None:
        return gaussian.delta(epsilon, gaussian.mu_of(squared))
    if len(choice) == 1 and choice[0][1] == 1 and isinstance(choice[0][0], events.Shuffled):
        event = choice[0][0]
        return shuffle.delta(up(event.pure()), event.people, epsilon)
    extra = min(1.0, up(_extra(choice)))
    found = [1.0]
    if _is_within(choice, cap, Fraction(1)):
        found.append(min(1.0, up(_failing(choice))))
    laws = _laws(choice)
    if laws is not None and not _all_lost(laws):
        found.append(max(pld.compose(direction, 1e-12).delta(epsilon) for direction in laws))
    many = sum(n for _, n in choice) > _MANY
    if laws is None or many or not all(event.law_is_tight for event, _ in choice):
        curve = _curve(choice)
        if _has_curve(choice):
            best, _ = conversion.best_order(lambda alpha: conversion.rdp_delta(alpha, curve(alpha), epsilon))
            found.append(min(1.0, best + extra))
    return min(found)


def _certain_epsilon(choice: tuple[Counted, ...], delta: float) -> float:
    if not choice or delta >= 1:
        return 0.0
    squared = closed.only_gaussian(choice)
    if squared is not None and delta > 0:
        return gaussian.epsilon_below(delta, down(Fraction(gaussian.mu_of(squared)) * (1 - Fraction(1, 2**50))))
    laws = _laws(choice, certain=True)
    if laws is None or delta == 0 or _all_lost(laws):
        return 0.0
    found = max(pld.compose(direction, delta, lattice.merge_the_cells).epsilon_below(delta) for direction in laws)
    return max(0.0, found - 2 * losslaw.LEAST * sum(n for _, n in choice))  # laws are not made for less
