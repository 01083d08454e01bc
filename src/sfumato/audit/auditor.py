"""The audit itself: search pairs, learn events on some draws, certify them on others.

The draws that certify are fresh: the pair, and a few events with their directions, are fixed before the first of them.
Each event is given its share of the error beforehand, so all bounds hold together with the audit's confidence (no
correction for the thousands of events that were looked at is needed).
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.audit.atoms import views
from sfumato.audit.certify import POWER, Ahead, Power, epsilon_at_least, family_power, shares, smallest_violation
from sfumato.audit.encoding import encode
from sfumato.audit.learn import Learned, Looking, learn
from sfumato.audit.outcomes import Outcomes, joined
from sfumato.audit.pairs import Pair
from sfumato.audit.targets import Draw, Target
from sfumato.audit.views import Anything, OutputEvent, count_all
from sfumato.errors import InvalidParameter, shown
from sfumato.exact.parameters import open_probability, positive, whole

CONFIDENCE = 0.999
MOST_DRAWS = 1_000_000
_LEAST_DRAWS = 400
_SEARCHED, _LEARNED, _COMPARED = 0.2, 0.2, 0.1  # shares of the draws; the rest certifies
_MOST_SEARCHED, _MOST_LEARNED = 60_000, 120_000  # draws a pair; more would be better spent on certifying
_FINALISTS, _EVENTS = 3, 4  # pairs that go on, and events of each decade that are compared again and certified
_AT_ONCE = 65_536  # certifying draws that are held at a time
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
    looked_at: int
    certified: int
    smallest_violation: float
    best_violation: float
    power: tuple[Power, ...]
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
        return f"{head}: not refuted\n  best event “{self.event}”; {self.could_show}"

    @property
    def could_show(self) -> str:
        """What so many draws would have convicted: on the best event, and on any of those that were looked at."""
        here = f"a true ε of {self.smallest_violation:.4g} or more on it"
        if math.isinf(self.smallest_violation):
            here = "no ε on it"
        finite = [power for power in self.power if math.isfinite(power.epsilon)]
        said = [f"{power.epsilon:.3g} on one of {100 * power.likelihood:g} %" for power in finite]
        any_of_them = f"of the {self.looked_at:,} events looked at, a true ε of {', '.join(said)} of draws"
        hidden = (
            f"what is rarer than {100 * finite[-1].likelihood:g} % may hide" if finite else "anything else may hide"
        )
        sure = f"with probability {100 * POWER:g} %"
        return (
            f"{self.certified_on:,} draws a side would have convicted, {sure}, {here}"
            + (f";\n  {any_of_them}" if finite else "")
            + f"; {hidden}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values; an infinite ε is null."""
        plain = {key: None if value == math.inf else value for key, value in asdict(self).items()}
        power = {f"{p.likelihood:g}": None if math.isinf(p.epsilon) else p.epsilon for p in self.power}
        return {**plain, "power": power, "convicted": self.convicted}


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
    found = _search(target, sampler, total, level, looking)
    claim, pair, certifying = target.claim, found.pair, total - sampler.per_side
    counts = _certifying_counts(sampler, found, certifying)
    split = [1 - (1 - level) * share for share in shares(len(found.events))]
    bounds = [
        float(epsilon_at_least(hits, others, certifying, delta=claim.delta, confidence=sure))
        for (hits, others), sure in zip(counts, split, strict=True)
    ]
    top = max(range(len(bounds)), key=lambda place: bounds[place])
    best, (hits, others) = found.events[top], counts[top]
    detectable = smallest_violation(
        certifying, epsilon=claim.epsilon, delta=claim.delta, confidence=split[top], likelihood=best.likelihood
    )
    ahead = Ahead(certifying, claim.epsilon, claim.delta, level)
    likelier, rarer = (pair.left, pair.right) if best.first else (pair.right, pair.left)
    return Finding(
        name=target.name,
        epsilon=claim.epsilon,
        delta=claim.delta,
        bound=bounds[top],
        confidence=level,
        event=str(best.event),
        likelier=shown(likelier),
        rarer=shown(rarer),
        why=pair.why,
        hits=hits,
        others=others,
        certified_on=certifying,
        draws=sampler.per_side,
        pairs=len(target.pairs),
        looked_at=found.looked_at,
        certified=len(found.events),
        smallest_violation=detectable.here,
        best_violation=detectable.best,
        power=family_power(ahead, seen=found.seen, events=len(found.events)),
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


@dataclass(frozen=True)
class _Found:
    """The pair and the events that will be certified, the likeliest to convict first."""

    pair: Pair
    events: tuple[Learned, ...]
    looked_at: int
    seen: int
    """On how many draws a side an event had to stand out."""


def _search(target: Target, sampler: _Sampler, total: int, confidence: float, looking: Looking) -> _Found:
    """The pair and the events that promise most, by draws that certify nothing."""
    pairs = target.pairs
    each = max(_LEAST_A_PAIR, min(_MOST_SEARCHED, int(_SEARCHED * total / len(pairs))))
    finalists = min(_FINALISTS, len(pairs))
    more = max(1, min(_MOST_LEARNED, int(_LEARNED * total / finalists)))
    again = max(1, int(_COMPARED * total / finalists))
    certifying = max(1, total - each * len(pairs) - (more + again) * finalists)
    ahead = Ahead(certifying, target.claim.epsilon, target.claim.delta, confidence)
    tried: list[tuple[float, int, tuple[Outcomes, Outcomes]]] = []
    looked_at = 0
    for place, pair in enumerate(pairs):
        seen = sampler.both(pair, each)
        lesson = learn(*seen, ahead, looking=looking)
        looked_at += lesson.looked_at
        tried.append((max((event.chance(ahead) for event in lesson.events), default=-math.inf), -place, seen))
    best: tuple[float, Pair, tuple[Learned, ...]] | None = None
    for _, place, seen in sorted(tried, key=lambda entry: entry[:2], reverse=True)[:finalists]:
        pair = pairs[-place]
        left, right = (joined(a, b) for a, b in zip(seen, sampler.both(pair, more), strict=True))
        lesson = learn(left, right, ahead, looking=looking, most=_EVENTS)
        looked_at += lesson.looked_at
        fresh = sampler.both(pair, again)  # the best of many is partly luck, which does not come twice
        events = sorted(
            (event.seen_on(*fresh) for event in lesson.events), key=lambda event: event.chance(ahead), reverse=True
        )
        if events and (best is None or events[0].chance(ahead) > best[0]):
            best = events[0].chance(ahead), pair, tuple(events)
    stood_out = (each if len(pairs) > finalists else each + more) // 2
    if best is None:
        anything = Learned(OutputEvent(Anything(), np.ones(1, dtype=np.bool_)), True, True, 0, 0, 1)
        return _Found(pairs[0], (anything,), looked_at, stood_out)
    return _Found(best[1], best[2], looked_at, stood_out)


def _certifying_counts(sampler: _Sampler, found: _Found, draws: int) -> list[tuple[int, int]]:
    """How often each event came on the side it is likelier on, and on the other, in fresh draws."""
    events = [learned.event for learned in found.events]
    seen = np.zeros((len(events), 2), dtype=np.int64)
    for start in range(0, draws, _AT_ONCE):
        sides = sampler.both(found.pair, min(_AT_ONCE, draws - start))
        seen += np.column_stack([count_all(events, side) for side in sides])
    both = zip(found.events, seen.tolist(), strict=True)
    return [(left, right) if learned.first else (right, left) for learned, (left, right) in both]
