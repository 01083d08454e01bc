"""Attacks by counting: differences of two sets, and one question asked again and again."""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sfumato.attacks.answerers import (
    Answerer,
    Bits,
    CountQuestion,
    NoisyWithoutTotal,
    UnderLedger,
    UnderTotal,
    Unprotected,
    asked,
    people,
)
from sfumato.attacks.lesson import COIN, Chance, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.errors import BudgetExceeded
from sfumato.exact import BitSource, bernoulli, integers
from sfumato.ledger import Budget, SqliteLedger
from sfumato.pictures import Curve

_PEOPLE = 100
_TRIALS = 400
_REPEATS = 4000


def secrets(n: int, *, bits: BitSource | None = None) -> Bits:
    """A secret bit a person, by fair coins."""
    drawn: Bits = bernoulli(Fraction(1, 2), n, bits=bits)
    return drawn


def difference(answerer: Answerer, target: int, people_: int) -> bool:
    """The target's bit, from the count of everybody less that of everybody else."""
    everybody = np.ones(people_, dtype=np.bool_)
    others = everybody & ~people(target, of=people_)
    first, second = asked(answerer, [CountQuestion(everybody), CountQuestion(others)])
    return first is not None and second is not None and first - second > 0.5


def _differencing(make: Callable[[Bits], Answerer], bits: BitSource | None) -> Rate:
    hits: list[bool] = []
    for _ in range(_TRIALS):
        secret, target = secrets(_PEOPLE, bits=bits), integers(_PEOPLE, bits=bits)
        hits.append(difference(make(secret), target, _PEOPLE) == bool(secret[target]))
    return Rate.of(hits)


def run_differencing(bits: BitSource | None = None) -> Result:
    """Two counts that differ by one person, with and without noise."""
    return Result(
        success="the target's secret bit is told correctly",
        sides=(
            Side("exact counts", _differencing(Unprotected, bits)),
            Side(
                "both counts at a total of ε = 1",
                _differencing(lambda s: UnderTotal(s, total=1, share=Fraction(1, 2), bits=bits), bits),
                protected=True,
            ),
        ),
        chance=COIN,
        remarks=("no guess from answers at a total of ε = 1 is right more often than e/(1 + e), 73.1 %",),
    )


def average(answerer: Answerer, question: CountQuestion, repeats: int) -> float:
    """The mean of the answers to one question asked again and again, until it is refused."""
    said: list[float] = []
    for _ in range(repeats):
        try:
            said.append(answerer.ask(question))
        except BudgetExceeded:
            break
    return float(np.mean(said)) if said else 0.0


@contextmanager
def ledger(epsilon: Fraction) -> Generator[SqliteLedger]:
    """A ledger for one lesson, thrown away afterwards."""
    with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "lesson.db") as opened:
        opened.register("people", Budget.pure(epsilon=epsilon))
        opened.grant("people", "analyst", Budget.pure(epsilon=epsilon))
        yield opened


def run_averaging(bits: BitSource | None = None) -> Result:
    """The exact count behind noise at ε = 0.1, asked for again and again."""
    share, trials = Fraction(1, 10), 30
    everybody = CountQuestion(np.ones(_PEOPLE, dtype=np.bool_))
    fresh: list[bool] = []
    kept: list[bool] = []
    for _ in range(trials):
        secret = secrets(_PEOPLE, bits=bits)
        truth = int(np.count_nonzero(secret))
        noisy = NoisyWithoutTotal(secret, epsilon=share, bits=bits)
        fresh.append(round(average(noisy, everybody, _REPEATS)) == truth)
        with ledger(Fraction(1)) as opened:
            curated = UnderLedger(secret, opened, share=share, bits=bits)
            kept.append(round(average(curated, everybody, 20)) == truth)
    secret = secrets(_PEOPLE, bits=bits)
    repeats = [1, 3, 10, 30, 100, 300, 1000, 3000]
    errors = [
        float(
            np.mean(
                [_error(NoisyWithoutTotal(secret, epsilon=share, bits=bits), everybody, n, secret) for _ in range(4)]
            )
        )
        for n in repeats
    ]
    with ledger(Fraction(1)) as opened:
        curated = UnderLedger(secret, opened, share=share, bits=bits)
        said = {curated.ask(everybody) for _ in range(30)}
    once = float(
        np.mean([_error(NoisyWithoutTotal(secret, epsilon=share, bits=bits), everybody, 1, secret) for _ in range(300)])
    )
    return Result(
        success="the exact count is found",
        sides=(
            Side("fresh noise at ε = 0.1, 4 000 times", Rate.of(fresh)),
            Side("a ledger that remembers its answers", Rate.of(kept), protected=True),
        ),
        chance=Chance("the answer at ε = 0.1, once", _alone(share)),
        remarks=("thirty equal questions to the ledger got one and the same answer, and cost ε = 0.1 once",),
        curves=(
            Curve("fresh noise", repeats, errors),
            Curve("remembered", repeats, [once] * len(repeats)),
        ),
        x_label="times asked",
        y_label="mean error of the average",
        log_x=True,
        facts={"answers": len(said)},
    )


def _alone(epsilon: Fraction) -> float:
    """The probability that one noisy count is exact: (1 - p)/(1 + p) with p = e^(-ε)."""
    return math.tanh(float(epsilon) / 2)


def _error(answerer: Answerer, question: CountQuestion, repeats: int, secret: Bits) -> float:
    return abs(average(answerer, question, repeats) - int(np.count_nonzero(secret)))


DIFFERENCING = Lesson(
    name="differencing",
    title="Two harmless counts, one harmful difference",
    story=(
        "How many people in the department have the condition? How many, not counting the new colleague? Neither "
        "question names anybody's answer; their difference does. Refusing small sets does not help, as both sets "
        "are large."
    ),
    defence=(
        "Noise in both counts under one total ε. The difference carries the noise of both, and a guess is right "
        "hardly more often than a coin; how much more is bounded by the total."
    ),
    run=run_differencing,
    source="Survey §1.3",
)
AVERAGING = Lesson(
    name="averaging",
    title="Fresh noise wears off",
    story=(
        "If every answer carries fresh noise and may be asked for again, the noise averages out: four thousand "
        "answers at ε = 0.1 are one answer at almost no noise."
    ),
    defence=(
        "The ledger keeps the answer it gave. The same question on the same data gets the same answer for "
        "nothing, and a question that is put differently is charged until the total is spent."
    ),
    run=run_averaging,
    source="Survey §1.3",
)
