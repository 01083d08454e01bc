"""The error message as a channel: a question that fails only if somebody's value is what the attacker suspects."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.core import Neighbours, Sensitivity
from sfumato.exact import BitSource, bernoulli, integers
from sfumato.mechanisms import Geometric

_PEOPLE, _TRIALS = 50, 400
_GRADES = 40
Values = NDArray[np.int64]
Ask = Callable[[Sequence[int], int], str]


def careless(rows: Sequence[int], suspected: int) -> str:
    """SUM(1/(grade - suspected)), noisy where it can be computed, with the engine's own error where it cannot."""
    try:
        total = sum(1 / (row - suspected) for row in rows)
    except ZeroDivisionError as error:
        return f"error: {error}"
    return f"{total:.3f}"


def total_expression(epsilon: Fraction, bits: BitSource | None = None) -> Ask:
    """The same question as a plan of total steps: x/0 is 0, every row is clipped, and noise is added to the sum.

    Terms are counted in hundredths and clipped to [-1, 1], so that one person moves the sum by 100 steps at the most.
    """
    noise = Geometric(epsilon=epsilon, sensitivity=Sensitivity.l1(100, Neighbours()))

    def ask(rows: Sequence[int], suspected: int) -> str:
        terms = [0 if row == suspected else max(-100, min(100, round(100 / (row - suspected)))) for row in rows]
        return f"{noise.release(sum(terms), bits=bits) / 100:.2f}"

    return ask


def suspects(ask: Ask, others: Values, target: int, suspected: int) -> bool:
    """Whether the target's grade is the suspected one: the question failed, or what is left of the sum is near zero.

    The attacker knows everybody else's grade, and so the sum without the target.
    """
    said = ask([*others.tolist(), target], suspected)
    if said.startswith("error"):
        return True
    rest = float(said) - sum(1 / (int(other) - suspected) for other in others.tolist())
    return abs(rest) < 1 / (2 * _GRADES)  # the smallest term anybody else could add is 1/_GRADES


def _accuracy(ask: Ask, bits: BitSource | None) -> Rate:
    hits: list[bool] = []
    for _ in range(_TRIALS):
        suspected = integers(_GRADES, bits=bits)
        others = (suspected + 1 + integers(_GRADES - 1, _PEOPLE - 1, bits=bits)) % _GRADES  # nobody else has it
        holds = bool(bernoulli(0.5, bits=bits))
        target = suspected if holds else (suspected + 1 + integers(_GRADES - 1, bits=bits)) % _GRADES
        hits.append(suspects(ask, others, target, suspected) == holds)
    return Rate.of(hits)


def run(bits: BitSource | None = None) -> Result:
    """Is the target's grade the suspected one? Asked by a division that fails if it is."""
    return Result(
        success="whether the target holds the suspected value is told correctly",
        sides=(
            Side("the engine's own errors", _accuracy(careless, bits)),
            Side("total expressions at ε = 1", _accuracy(total_expression(Fraction(1), bits), bits), protected=True),
        ),
        chance=COIN,
        remarks=("a refusal that depends on data is an answer without noise",),
    )


LESSON = Lesson(
    name="error-message",
    title="A refusal is an answer",
    story=(
        "A system adds noise to every sum and lets errors pass. The sum of 1/(grade - 17) fails with a division "
        "by zero exactly if somebody in the department has grade 17, and no noise was added to that."
    ),
    defence=(
        "Every row expression is total: what cannot be computed counts as zero, rows are clipped, and whatever is "
        "refused is refused before data are read, in the same words for all data."
    ),
    run=run,
    source="Survey §1.3",
)
