"""The audit itself: search pairs, learn an event on some draws, certify it on others.

The draws that certify are fresh: pair, direction and event are fixed before the first of them, so one test is made and
its confidence is the audit's (no correction for the many events that were looked at is needed).
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.audit.certify import Detectable, epsilon_at_least, smallest_violation
from sfumato.audit.learn import Learned, Looking, learn
from sfumato.audit.outcomes import Outcomes, encode, joined
from sfumato.audit.pairs import Pair
from sfumato.audit.targets import Draw, Target
from sfumato.audit.views import Anything, Event, views
from sfumato.errors import InvalidParameter, shown
from sfumato.exact.parameters import open_probability, positive, whole

CONFIDENCE = 0.999
MOST_DRAWS = 1_000_000
_LEAST_DRAWS = 400
_SEARCHED, _LEARNED, _COMPARED = 0.2, 0.2, 0.1  # shares of the draws; the rest certifies
_MOST_SEARCHED, _MOST_LEARNED = 20_000, 60_000  # draws a pair; more would be better spent on certifying
_FINALISTS, _EVENTS = 3, 8  # pairs that go on, and events of each that are compared again
_LEAST_A_PAIR = 20
_PILOT = 64
_SHARE_OF_TIME = 0.45  # of the seconds goes into draws; the rest is for reading them

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit found: a certified lower bound on ε at the claim's δ, and what it could have found."""

    name: str
    epsilon: float
    delta: float
    bound: float
    confidence: float
    event: str
    likelier: str
    rarer: str
    why: str
    hits: int
    others: int
    certified_on: int
    draws: int
    pairs: int
    smallest_violation: float
    best_violation: float
    seconds: float

    @property
    def convicted(self) -> bool:
        """Whether the claim is refuted, with the stated confidence."""
        return self.bound > self.epsilon

    def __str__(self) -> str:
        claim = f"ε = {self.epsilon:.4g}" + (f", δ = {self.delta:.4g}" if self.delta else "")
        head = f"{self.name}: claims {claim}; ε ≥ {self.bound:.4g} with confidence {100 * self.confidence:g} %"
        if self.convicted:
            return (
                f"{head}: the claim is FALSE\n"
                f"  the event “{self.event}” came {self.hits:,} times on {self.likelier}\n"
                f"  and {self.others:,} times on {self.rarer}, out of {self.certified_on:,} draws each"
                + (f" ({self.why})" if self.why else "")
            )
        could = f"would have convicted a true ε of {self.smallest_violation:.4g} or more"
        if math.isinf(self.smallest_violation):
            could = "could not have convicted any ε by it"
        return f"{head}: not refuted\n  best event “{self.event}”; {self.certified_on:,} draws a side {could}"

    def to_json(self) -> dict[str, Any]:
        """Plain values; an infinite ε is null."""
        plain = {key: None if value == float("inf") else value for key, value in asdict(self).items()}
        return {**plain, "convicted": self.convicted}


class _Sampler:
    """Draws with a count of them and of what they took, so that a bar can be shown."""

    def __init__(self, draw: Draw, progress: Progress | None) -> None:
        self._draw, self._progress = draw, progress
        self.per_side, self.total = 0, 1

    def both(self, pair: Pair, n: int) -> tuple[Outcomes, Outcomes]:
        left, right = (encode(self._draw(data, n)) for data in (pair.left, pair.right))
        self.per_side += n
        if self._progress is not None:
            self._progress(min(1.0, self.per_side / self.total))
        return left, right


def audit(
    target: Target,
    *,
    draws: int | None = None,
    seconds: float = 10.0,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    looking: Looking = views,
) -> Finding:
    """A certified lower bound on the ε of a target, from `draws` a side or as many as fit into `seconds`.

    `looking` narrows what is looked at, for tests of one kind of leak.
    """
    started = time.perf_counter()
    level = float(open_probability("confidence", confidence))
    sampler = _Sampler(target.draw, progress)
    total = _affordable(target, float(positive("seconds", seconds))) if draws is None else _enough(target, draws)
    sampler.total = total
    pair, found, searched = _search(target, sampler, total, looking)
    certifying = total - sampler.per_side
    left, right = sampler.both(pair, certifying)
    one, other = found.event.count(left), found.event.count(right)
    hits, others = (one, other) if found.first else (other, one)
    claim = target.claim
    bound = float(epsilon_at_least(hits, others, certifying, delta=claim.delta, confidence=level))
    detectable = _detectable(target, certifying, level, found)
    likelier, rarer = (pair.left, pair.right) if found.first else (pair.right, pair.left)
    return Finding(
        name=target.name,
        epsilon=claim.epsilon,
        delta=claim.delta,
        bound=bound,
        confidence=level,
        event=str(found.event),
        likelier=shown(likelier),
        rarer=shown(rarer),
        why=pair.why,
        hits=hits,
        others=others,
        certified_on=certifying,
        draws=sampler.per_side,
        pairs=searched,
        smallest_violation=detectable.here,
        best_violation=detectable.best,
        seconds=time.perf_counter() - started,
    )


def _least(target: Target) -> int:
    """As many draws as try every pair and leave half of them to certify."""
    return max(_LEAST_DRAWS, 3 * _LEAST_A_PAIR * len(target.pairs))


def _enough(target: Target, draws: int) -> int:
    if whole("draws", draws) < _least(target):
        raise InvalidParameter("draws", f"must be at least {_least(target)} a side for these pairs", draws)
    return draws


def _affordable(target: Target, seconds: float) -> int:
    """How many draws a side fit into a share of the seconds, by a few trial draws on the slowest pair."""
    target.draw(target.pairs[0].left, 1)  # what is loaded on first use is not the price of a draw
    slowest, worst = 1e-9, target.pairs[0]
    for pair in target.pairs:
        taken = _seconds_a_draw(target, pair, _PILOT)
        if taken > slowest:
            slowest, worst = taken, pair
        if slowest * _PILOT > 0.1 * seconds:
            break  # so slow that trying every pair would take the time for the audit itself
    more = min(50_000, int(0.02 * seconds / slowest))
    if more > _PILOT:  # by the array, draws are cheaper the more there are
        slowest = _seconds_a_draw(target, worst, more)
    return max(_least(target), min(MOST_DRAWS, int(_SHARE_OF_TIME * seconds / slowest)))


def _seconds_a_draw(target: Target, pair: Pair, n: int) -> float:
    """The time of one draw a side, with the reading of it; of this process alone, whatever else the machine does."""
    start = time.process_time()
    for data in (pair.left, pair.right):
        encode(target.draw(data, n))
    return (time.process_time() - start) / n


def _search(target: Target, sampler: _Sampler, total: int, looking: Looking) -> tuple[Pair, Learned, int]:
    """The pair and the event that promise most, by draws that certify nothing."""
    # Events are compared on fewer draws than certify; the more there are, the less caution a comparison needs.
    delta, rank = target.claim.delta, 1 - min(0.02, max(0.01, total / 10**7))
    pairs = target.pairs
    each = max(_LEAST_A_PAIR, min(_MOST_SEARCHED, int(_SEARCHED * total / len(pairs))))
    tried: list[tuple[float, int, tuple[Outcomes, Outcomes]]] = []
    for place, pair in enumerate(pairs):
        seen = sampler.both(pair, each)
        found = learn(*seen, delta=delta, confidence=rank, looking=looking)
        tried.append((found[0].promise(delta=delta, confidence=rank) if found else -1.0, -place, seen))
    finalists = sorted(tried, key=lambda entry: entry[:2], reverse=True)[:_FINALISTS]
    more = max(1, min(_MOST_LEARNED, int(_LEARNED * total / len(finalists))))
    again = max(1, int(_COMPARED * total / len(finalists)))
    best: tuple[float, Pair, Learned] | None = None
    for _, place, seen in finalists:
        pair = pairs[-place]
        left, right = (joined(a, b) for a, b in zip(seen, sampler.both(pair, more), strict=True))
        known = learn(left, right, delta=delta, confidence=rank, looking=looking, most=_EVENTS)
        fresh = sampler.both(pair, again)  # the best of many is partly luck, which does not come twice
        for event in known:
            compared = event.seen_on(*fresh)
            promise = compared.promise(delta=delta, confidence=rank)
            if best is None or promise > best[0]:
                best = promise, pair, compared
    if best is None:
        anything = Learned(Event(Anything(), np.ones(1, dtype=np.bool_)), True, True, 0, 0, 1)
        return pairs[-finalists[0][1]], anything, len(pairs)
    return best[1], best[2], len(pairs)


def _detectable(target: Target, draws: int, confidence: float, found: Learned) -> Detectable:
    claim = target.claim
    return smallest_violation(
        draws, epsilon=claim.epsilon, delta=claim.delta, confidence=confidence, likelihood=found.likelihood
    )
