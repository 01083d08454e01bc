"""Who answers: the same questions put to an answerer without protection, with noise alone, and under a total.

An attack sees an `Answerer` and nothing else. A curator's session is one more of them: ask, and an answer or a refusal.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import PureFilter
from sfumato.core import Neighbours, Norm
from sfumato.errors import BudgetExceeded
from sfumato.exact import BitSource
from sfumato.exact.parameters import Real, positive
from sfumato.ledger import Answered, Ledger, Refused
from sfumato.mechanisms import Geometric

Bits = NDArray[np.bool_]
ONE = Neighbours().histogram(Norm.L1)


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """How many of these people have the secret bit? `members` says who is counted."""

    members: Bits

    @property
    def hash(self) -> str:
        """Equal for equal questions, as a memo needs it."""
        return sha256(json.dumps(np.flatnonzero(self.members).tolist()).encode()).hexdigest()


class Answerer(Protocol):
    """Whoever holds the data: asked for a count, it answers or refuses."""

    def ask(self, question: CountQuestion) -> float:
        """An answer; BudgetExceeded where no more is given."""
        ...


@dataclass(frozen=True)
class Unprotected:
    """The exact count, as most systems give it."""

    secrets: Bits

    def ask(self, question: CountQuestion) -> float:
        """The exact count."""
        return float(np.count_nonzero(self.secrets & question.members))


class NoisyWithoutTotal:
    """Noise for each answer and no end to the answers: what a library gives to those who do not keep count."""

    def __init__(self, secrets: Bits, *, epsilon: Real, bits: BitSource | None = None) -> None:
        self._secrets, self._bits = secrets, bits
        self._mechanism = Geometric(epsilon=epsilon, sensitivity=ONE)

    def ask(self, question: CountQuestion) -> float:
        """A noisy count, for ever."""
        exact = int(np.count_nonzero(self._secrets & question.members))
        return float(self._mechanism.release(exact, bits=self._bits))


class UnderTotal:
    """Noise for each answer, and a filter that refuses what the total ε does not hold."""

    def __init__(self, secrets: Bits, *, total: Real, share: Real, bits: BitSource | None = None) -> None:
        self._secrets, self._bits = secrets, bits
        self._mechanism = Geometric(epsilon=share, sensitivity=ONE)
        self._budget = PureFilter(positive("total", total))

    def ask(self, question: CountQuestion) -> float:
        """A noisy count while the total lasts."""
        self._budget = self._budget.spend(self._mechanism.event)
        exact = int(np.count_nonzero(self._secrets & question.members))
        return float(self._mechanism.release(exact, bits=self._bits))


class UnderLedger:
    """The same with a ledger: charged before data are read, and an equal question answered from the record."""

    def __init__(
        self, secrets: Bits, ledger: Ledger, *, share: Real, dataset: str = "people", bits: BitSource | None = None
    ) -> None:
        self._secrets, self._ledger, self._dataset, self._bits = secrets, ledger, dataset, bits
        self._mechanism, self._asked = Geometric(epsilon=share, sensitivity=ONE), 0

    def ask(self, question: CountQuestion) -> float:
        """A noisy count, the recorded one if this was asked before, or a refusal."""
        self._asked += 1
        outcome = self._ledger.reserve(
            dataset=self._dataset,
            principal="analyst",
            event=self._mechanism.event,
            request_hash=question.hash,
            idempotency_key=f"question {self._asked}",
            data_version="1",
        )
        if isinstance(outcome, Refused):
            raise BudgetExceeded("the total does not hold this question")
        if isinstance(outcome, Answered):
            return float(_number(outcome.release))
        exact = int(np.count_nonzero(self._secrets & question.members))
        settled = self._ledger.settle(outcome, self._mechanism.release(exact, bits=self._bits))
        return float(_number(settled.release))


def _number(release: Any) -> float:
    return float(release)


def asked(answerer: Answerer, questions: Sequence[CountQuestion]) -> list[float | None]:
    """An answer to each question, None where it was refused."""
    said: list[float | None] = []
    for question in questions:
        try:
            said.append(answerer.ask(question))
        except BudgetExceeded:
            said.append(None)
    return said


def people(*members: int, of: int) -> Bits:
    """A set of people by their numbers."""
    mask = np.zeros(of, dtype=np.bool_)
    mask[list(members)] = True
    return mask


Make = Callable[[Bits], Answerer]
"""An answerer made around somebody's secrets."""
