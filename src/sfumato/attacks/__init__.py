"""Attacks: the seeds' stories as programs, each run against an unprotected answerer and against Sfumato."""

from sfumato.attacks.answerers import Answerer, CountQuestion, NoisyWithoutTotal, UnderLedger, UnderTotal, Unprotected
from sfumato.attacks.lesson import Lesson, Result, Side
from sfumato.attacks.lessons import lesson
from sfumato.attacks.rates import Rate

__all__ = [
    "Answerer",
    "CountQuestion",
    "Lesson",
    "NoisyWithoutTotal",
    "Rate",
    "Result",
    "Side",
    "UnderLedger",
    "UnderTotal",
    "Unprotected",
    "lesson",
]
