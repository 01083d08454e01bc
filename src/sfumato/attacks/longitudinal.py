"""Reports day after day: fresh coins wear off, a remembered lie does not (Survey §7.4)."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.lesson import COIN, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.exact import BitSource, bernoulli
from sfumato.mechanisms import RandomizedResponse, Warner
from sfumato.pictures import Curve

DAYS, _DEVICES = 60, 2000
_PERMANENT = Fraction(1, 2)
Reports = NDArray[np.int64]


def fresh(truth: Reports, days: int, *, bits: BitSource | None = None) -> Reports:
    """A report a day, each with coins of its own at ε = 1."""
    ask = RandomizedResponse(epsilon=1)
    return np.column_stack([ask.release(truth, bits=bits) for _ in range(days)])


def remembered(truth: Reports, days: int, *, bits: BitSource | None = None) -> Reports:
    """RAPPOR's two steps for one bit: a lie that is remembered for ever, and fresh coins about that one.

    The permanent response tells the truth with probability 1 - f/2; here f = ½, which is ε = ln 3 for ever.
    """
    permanent = Warner(truth=1 - _PERMANENT).release(truth, bits=bits)
    return fresh(np.asarray(permanent), days, bits=bits)


def majority(reports: Reports) -> Reports:
    """What most reports of a device say; ties say no."""
    return np.asarray(2 * reports.sum(axis=1) > reports.shape[1]).astype(np.int64)


def run(bits: BitSource | None = None) -> Result:
    """A device's bit by majority over its reports, for fresh and for remembered coins."""
    truth: Reports = bernoulli(Fraction(1, 2), _DEVICES, bits=bits).astype(np.int64)
    daily, kept = fresh(truth, DAYS, bits=bits), remembered(truth, DAYS, bits=bits)
    days = [1, 3, 5, 9, 15, 25, 41, 59]
    cap = math.exp(math.log(3)) / (1 + math.exp(math.log(3)))
    return Result(
        success=f"a device's bit is told correctly from {DAYS} daily reports",
        sides=(
            Side("fresh coins every day at ε = 1", Rate.of(majority(daily) == truth)),
            Side("a remembered response, ε = ln 3 for ever", Rate.of(majority(kept) == truth), protected=True),
        ),
        chance=COIN,
        remarks=(f"at ε = ln 3 for ever no guess is right more often than {100 * cap:.0f} %, however many days go by",),
        curves=(
            Curve("fresh coins", days, [float((majority(daily[:, :d]) == truth).mean()) for d in days]),
            Curve("remembered", days, [float((majority(kept[:, :d]) == truth).mean()) for d in days]),
            Curve("bound at ε = ln 3", days, [cap] * len(days)),
        ),
        x_label="days",
        y_label="share of devices told correctly",
        log_x=True,
    )


LESSON = Lesson(
    name="longitudinal",
    title="A coin a day gives the secret away",
    story=(
        "Every report is private by itself: the truth, or a lie by a coin. A device that reports the same fact "
        "every day with fresh coins is found out by counting, as the truth is the commoner answer."
    ),
    defence=(
        "The device draws its lie once and keeps it, and adds fresh coins to that. Counting finds the remembered "
        "response, which is itself deniable for ever."
    ),
    run=run,
    source="Survey §7.4",
)
