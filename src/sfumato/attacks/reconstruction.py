"""Linear reconstruction: noise too small for the number of answers gives everything away (Dinur, Nissim 2003)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.answerers import Answerer, Bits, CountQuestion, NoisyWithoutTotal, UnderTotal, Unprotected, asked
from sfumato.attacks.counting import secrets
from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.exact import BitSource, bernoulli
from sfumato.exact.parameters import whole
from sfumato.pictures import Curve

PEOPLE, QUERIES = 128, 512


def random_questions(queries: int, people: int, *, bits: BitSource | None = None) -> list[CountQuestion]:
    """Subsets of people, each a member of each by a fair coin."""
    members = bernoulli(Fraction(1, 2), (whole("queries", queries, least=1), people), bits=bits)
    return [CountQuestion(row) for row in members]


def solve(questions: list[CountQuestion], answers: list[float | None]) -> Bits:
    """Everybody's bit: the point nearest to all answers in least squares, rounded."""
    kept = [(q.members, a) for q, a in zip(questions, answers, strict=True) if a is not None]
    if not kept:
        return np.zeros(len(questions[0].members), dtype=np.bool_)
    matrix: NDArray[np.float64] = np.array([members for members, _ in kept], dtype=np.float64)
    squares = matrix.T @ matrix + 1e-6 * np.eye(matrix.shape[1])  # a touch of ridge where answers are few
    found = np.linalg.solve(squares, matrix.T @ np.array([a for _, a in kept]))
    return np.asarray(found > 0.5)


def reconstruct(answerer: Answerer, people: int, queries: int, *, bits: BitSource | None = None) -> Bits:
    """Everybody's bit from the answers to random subsets."""
    questions = random_questions(queries, people, bits=bits)
    return solve(questions, asked(answerer, questions))


def recovered(secret: Bits, found: Bits) -> Rate:
    """The share of bits that are right."""
    return Rate.of(secret == found)


def run(bits: BitSource | None = None) -> Result:
    """128 bits, 512 subset counts: exact, at ε = 1 each, and at ε = 1 in total."""
    rounds = 12
    exact: list[Rate] = []
    each: list[Rate] = []
    total: list[Rate] = []
    for _ in range(rounds):
        secret = secrets(PEOPLE, bits=bits)
        share = Fraction(1, QUERIES)
        for found, answerer in (
            (exact, Unprotected(secret)),
            (each, NoisyWithoutTotal(secret, epsilon=1, bits=bits)),
            (total, UnderTotal(secret, total=1, share=share, bits=bits)),
        ):
            found.append(recovered(secret, reconstruct(answerer, PEOPLE, QUERIES, bits=bits)))
    epsilons = [3.0, 1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.01, 1 / QUERIES]
    secret = secrets(PEOPLE, bits=bits)
    shares = [
        recovered(
            secret,
            reconstruct(NoisyWithoutTotal(secret, epsilon=epsilon, bits=bits), PEOPLE, QUERIES, bits=bits),
        ).share
        for epsilon in epsilons
    ]
    return Result(
        success="a person's secret bit is told correctly",
        sides=(
            Side("exact counts", sum(exact[1:], exact[0])),
            Side("noise at ε = 1 a query, no total", sum(each[1:], each[0])),
            Side("noise at a total of ε = 1", sum(total[1:], total[0]), protected=True),
        ),
        chance=COIN,
        remarks=(f"{QUERIES} queries at ε = 1 each are ε = {QUERIES} together: noise without a total is decoration",),
        curves=(
            Curve("bits recovered", [1.4 / epsilon for epsilon in epsilons], shares),
            Curve("a coin", [1.4 / epsilon for epsilon in epsilons], [0.5] * len(epsilons)),
        ),
        x_label="noise of an answer (standard deviation)",
        y_label="share of bits recovered",
        log_x=True,
    )


LESSON = Lesson(
    name="reconstruction",
    title="Too many accurate answers destroy privacy",
    story=(
        "Ask for the count of secrets in 512 random subsets of 128 people. With noise of a person or two in each "
        "answer the equations still have one solution near the truth, and least squares finds nearly everybody's "
        "bit. This was the observation from which differential privacy started."
    ),
    defence=(
        "A total. The same 512 answers at a total of ε = 1 carry noise of hundreds, and the solution is a coin "
        "for every person; or fewer questions are answered well and the rest refused."
    ),
    run=run,
    source="Survey §1.3; Dinur, Nissim 2003",
)
