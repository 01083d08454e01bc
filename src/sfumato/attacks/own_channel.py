"""The error channel of our own: what version 0.1 of this project let through, asked again, before and after."""

from fractions import Fraction

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.demo.few_rows import Row, few_rows
from sfumato.engines.duckdb.first_version import FAR_AWAY, FirstVersion, fails_today
from sfumato.exact import BitSource, bernoulli, integers
from sfumato.query import Spend, plan_question, price

_PEOPLE, _TRIALS, _AMOUNTS = 40, 200, 10
_ALLOWED = 3
"""How many questions of an analyst may fail, by default, before the owner must look."""


def asked(person: int, amount: int) -> str:
    """The question: a condition about one person decides whether a day that has no week is met."""
    return (
        f"SELECT COUNT(*) FROM rows WHERE WEEK(CAST(CASE WHEN person = {person} AND amount <= {amount} "
        f"THEN '{FAR_AWAY}' ELSE '2020-01-01' END AS DATE)) > 1"
    )


def told(failed: list[bool], holds: list[bool]) -> Rate:
    """How often a failure is the truth: who sees one says yes, and who sees none says no."""
    return Rate.of([guess == truth for guess, truth in zip(failed, holds, strict=True)])


def run(bits: BitSource | None = None) -> Result:
    """Whether one person's amount is at most so much, asked of many people in turn."""
    rows: list[Row] = [(i, "k", float(integers(_AMOUNTS, bits=bits))) for i in range(_PEOPLE)]
    asks: list[tuple[int, int]] = []
    holds: list[bool] = []
    for _ in range(_TRIALS):
        person, holding = integers(_PEOPLE, bits=bits), bool(bernoulli(0.5, bits=bits))
        amount = int(rows[person][2] or 0)
        asks.append((person, amount if holding else amount - 1))
        holds.append(holding)
    then, now = FirstVersion(rows), few_rows(rows)
    try:
        before = [then.fails(*ask) for ask in asks]
        after = []
        for ask in asks:
            asking = plan_question(asked(*ask), now.dataset, now)
            spend = Spend(Fraction(1, 1000), None, Fraction(0))
            after.append(fails_today(now, price(asking, now.dataset, spend)))
    finally:
        then.close()
        now.close()
    counted = [failed and sum(before[:i]) < _ALLOWED for i, failed in enumerate(before)]
    return Result(
        success="whether one person's amount is at most the suspected one is told correctly",
        sides=(
            Side("version 0.1: the week of a day as it came", told(before, holds)),
            Side("the same, if failures were counted and nothing else mended", told(counted, holds), protected=True),
            Side("today: total, tried, and planned so that nothing is taken out", told(after, holds), protected=True),
        ),
        chance=COIN,
        remarks=(
            "version 0.1 had no least price: 64 questions read six people whole for an ε of 6.4e-59 in all",
            f"counting failures alone leaves an analyst the first {_ALLOWED}: few bits, and dear ones",
        ),
        facts={"failed before": sum(before), "failed after": sum(after)},
    )


LESSON = Lesson(
    name="own-error-channel",
    title="The error channel of our own",
    story=(
        "Version 0.1 of this project claimed that no cell can make a question fail. Its noise and its ledger were "
        "sound, and every function of a row was written to be total, but one: the week of a day was computed as "
        "the day came, and DuckDB has no week for the first days it can hold. A question that let only one "
        "person's row meet such a day failed exactly if a condition about that person held. The charge stayed, the "
        "text was the same for all data, and that it came at all was the answer."
    ),
    defence=(
        "Each function is total by its own SQL, and again by the engine, which gives NULL where anything still "
        "fails; a generated test tries every function on every hostile value, in every place, with each wall "
        "alone. What fails all the same is counted against the analyst and the dataset and ends after a few, and a "
        "question has a least price, so that a hole nobody knows of gives a few bits and no more."
    ),
    run=run,
    source="found in this project, 2026",
)
