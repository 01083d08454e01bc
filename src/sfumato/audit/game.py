"""The adaptive experiment as a game: an adversary, a keeper with a budget, and a hidden bit.

A bit b is hidden. Move by move the adversary names two neighbouring databases and a mechanism, each chosen from what
was answered before, and is given the mechanism's output on the b-th of them, or a refusal (Survey Definition 5.6). The
family of mechanisms that a budget lets through is (ε, δ)-private under adaptive composition if no adversary's view
tells b = 0 from b = 1 any better than that (Survey Definition 5.7). What the adversary says at the end is an event of
its view: how often it says 1 on either bit bounds both its advantage and the ε that was really spent.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from sfumato.accounting.events import Event
from sfumato.audit.targets import Claim
from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low
from sfumato.errors import BudgetExceeded
from sfumato.exact.parameters import open_probability, whole

ROUNDS = 24
"""The most moves of one play."""
PLAYS = 4000
CONFIDENCE = 0.999


class GameMechanism(Protocol):
    """What a move asks for: its price, and its output on a database."""

    @property
    def event(self) -> Event:
        """What it costs."""
        ...

    def release(self, exact: Any) -> object:
        """One output."""
        ...


@dataclass(frozen=True)
class Move:
    """Two neighbouring databases, a mechanism with its parameters, and how the adversary reads an output of it.

    `evidence` is ln(Pr[output | one]/Pr[output | zero]), which only the adversary uses.
    """

    zero: Any
    one: Any
    mechanism: GameMechanism
    evidence: Callable[[Any], float]

    def database(self, bit: int) -> object:
        """The database of a bit."""
        return self.one if bit else self.zero


@dataclass(frozen=True, slots=True)
class Turn:
    """A move, and what came of it: an answer and what it says about the bit, or a refusal."""

    move: Move
    answer: Any = None
    refused: bool = False

    @property
    def evidence(self) -> float:
        """What the answer says for 1 and against 0."""
        return 0.0 if self.refused else self.move.evidence(self.answer)


@dataclass(frozen=True, slots=True)
class View:
    """All that an adversary has seen."""

    steps: tuple[Turn, ...] = ()

    @property
    def evidence(self) -> float:
        """The logarithm of the likelihood ratio of the whole view."""
        return sum(step.evidence for step in self.steps)

    @property
    def answers(self) -> tuple[Turn, ...]:
        """The steps that were answered."""
        return tuple(step for step in self.steps if not step.refused)

    @property
    def refusals(self) -> int:
        """How many moves were refused since the last answer."""
        return next((back for back, step in enumerate(reversed(self.steps)) if not step.refused), len(self.steps))


@dataclass(frozen=True, slots=True)
class Adversary:
    """Who plays: the next move by what was seen so far, None to end; and how much evidence makes it say 1."""

    name: str
    what: str
    move: Callable[[View], Move | None]
    sure: float = 0.0

    def guess(self, view: View) -> int:
        """1 where the view speaks for it strongly enough."""
        return int(view.evidence > self.sure)


class Keeper(Protocol):
    """Who holds the hidden bit and a budget."""

    def ask(self, move: Move) -> object:
        """The mechanism's output on the bit's database; BudgetExceeded where the budget does not hold it."""
        ...


def play(adversary: Adversary, keeper: Keeper, rounds: int = ROUNDS) -> View:
    """One play of the experiment (Survey Definition 5.6): all that the adversary sees of it."""
    steps: tuple[Turn, ...] = ()
    for _ in range(rounds):
        move = adversary.move(View(steps))
        if move is None:
            break
        try:
            steps = (*steps, Turn(move, keeper.ask(move)))
        except BudgetExceeded:
            steps = (*steps, Turn(move, refused=True))
    return View(steps)


def greatest_advantage(epsilon: float, delta: float = 0.0) -> float:
    """The most by which (ε, δ)-privacy lets anyone say 1 oftener on b = 1 than on b = 0.

    p ≤ e^ε·q + δ and 1 - q ≤ e^ε·(1 - p) + δ (Survey Definition 5.7, on the event that 1 is said and on its
    complement) add up to p - q ≤ (e^ε - 1 + 2δ)/(e^ε + 1).

    >>> round(greatest_advantage(1), 4), greatest_advantage(0, 0.25)
    (0.4621, 0.25)
    """
    shrunk = math.exp(-epsilon)
    return min(1.0, (1 - shrunk + 2 * delta * shrunk) / (1 + shrunk))


@dataclass(frozen=True, slots=True)
class GameFinding:
    """What a game showed: the advantage with its interval, what the budget allows, and the ε that was surely spent."""

    adversary: str
    keeper: str
    epsilon: float
    delta: float
    confidence: float
    plays: int
    ones_on_one: int
    ones_on_zero: int
    low: float
    high: float
    allowed: float
    bound: float
    answers: float

    @property
    def name(self) -> str:
        """Who played against whom."""
        return f"{self.adversary} against {self.keeper}"

    @property
    def advantage(self) -> float:
        """How much oftener 1 was said on b = 1 than on b = 0."""
        return (self.ones_on_one - self.ones_on_zero) / self.plays

    @property
    def convicted(self) -> bool:
        """Whether the budget was passed, with the stated confidence."""
        return self.low > self.allowed or self.bound > self.epsilon

    def __str__(self) -> str:
        claim = f"ε = {self.epsilon:.4g}" + (f", δ = {self.delta:.4g}" if self.delta else "")
        verdict = "the budget was PASSED" if self.convicted else "not passed"
        return (
            f"{self.name}: {verdict}\n"
            f"  said 1 in {self.ones_on_one:,} of {self.plays:,} plays on b = 1 and in {self.ones_on_zero:,} on b = 0, "
            f"after {self.answers:.3g} answers on average\n"
            f"  advantage {self.advantage:.4f}, in [{self.low:.4f}, {self.high:.4f}] with confidence "
            f"{100 * self.confidence:g} %; {claim} allows {self.allowed:.4f}; ε ≥ {self.bound:.4g} was spent"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "advantage": self.advantage, "convicted": self.convicted}


def game(
    adversary: Adversary,
    make: Callable[[int], Keeper],
    claim: Claim,
    *,
    keeper: str,
    plays: int = PLAYS,
    confidence: float = CONFIDENCE,
    rounds: int = ROUNDS,
) -> GameFinding:
    """So many plays on either bit, each against a fresh keeper, and what they certify (Survey Definition 5.7)."""
    level, n = float(open_probability("confidence", confidence)), whole("plays", plays, least=1)
    said, answers = [0, 0], 0
    for bit in (0, 1):
        for _ in range(n):
            view = play(adversary, make(bit), rounds)
            said[bit] += adversary.guess(view)
            answers += len(view.answers)
    low, high = _limits(said[1], n, level), _limits(said[0], n, level)
    return GameFinding(
        adversary=adversary.name,
        keeper=keeper,
        epsilon=claim.epsilon,
        delta=claim.delta,
        confidence=level,
        plays=n,
        ones_on_one=said[1],
        ones_on_zero=said[0],
        low=low[0] - high[1],
        high=low[1] - high[0],
        allowed=greatest_advantage(claim.epsilon, claim.delta),
        bound=_spent(low, high, claim.delta),
        answers=answers / (2 * n),
    )


def _limits(hits: int, plays: int, confidence: float) -> tuple[float, float]:
    """A probability's limits; those of two probabilities, four in all, hold together."""
    alpha = (1 - confidence) / 4
    return float(clopper_pearson_low(hits, plays, alpha)), float(clopper_pearson_high(hits, plays, alpha))


def _spent(on_one: tuple[float, float], on_zero: tuple[float, float], delta: float) -> float:
    """The ε that the limits show at δ, by the event that 1 is said, by its complement, and by either bit."""
    (p_low, p_high), (q_low, q_high) = on_one, on_zero
    pairs = ((p_low, q_high), (q_low, p_high), (1 - q_high, 1 - p_low), (1 - p_high, 1 - q_low))
    shown = (math.log((more - delta) / less) for more, less in pairs if more > delta and less > 0)
    return max(0.0, max(shown, default=0.0))
