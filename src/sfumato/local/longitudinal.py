"""What a device gives away over time, with memory and without (Survey Definition 7.3).

Without memory every report costs its ε again (Survey Theorem 3.9). With memory all reports of one value together cost
what the memory holds, so it is the number of different values that counts; and no report costs more than it shows by
itself. Memory does not hide when a value changed: the price is of what the values were, given when they changed.
Instantaneous noise (RAPPOR's) blurs that too, and reports with fresh coins alone hide it at the price of their sum.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sfumato.accounting.events import Event, Pure, Shuffled
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact.parameters import Real, positive, whole
from sfumato.exact.rounding import up
from sfumato.local import client
from sfumato.local.protocol import Protocol


@dataclass(frozen=True)
class Longitudinal:
    """ε of a device over `reports` of which `values` differ: what it is, and what it would be without memory."""

    reports: int
    values: int
    spent: Fraction
    without_memory: Fraction

    @property
    def event(self) -> Event:
        """The price as an event."""
        return Pure(self.spent)

    def __str__(self) -> str:
        return f"ε = {up(self.spent):.6g} after {self.reports} reports ({up(self.without_memory):.6g} without memory)"


def one_report(protocol: Protocol) -> Decimal:
    """The ε of a single report by itself: for RAPPOR with memory ε₁, for others the protocol's ε."""
    return client.epsilon_of(
        protocol.document() | ({"memo": False} if client.KINDS[protocol.kind].pays_memory_apart else {})
    )


def over_time(protocol: Protocol, *, reports: int, values: int | None = None) -> Longitudinal:
    """What a device has spent after `reports`, with at most `values` different ones among them (else: all different).

    A domain of k values has at most k memories, and a memoised number (`OneBitMean`) one for each multiple of its
    granularity: two, if the granularity is the whole interval.

    >>> from sfumato.local import Rappor
    >>> print(over_time(Rappor(name="homepage"), reports=365, values=1))
    ε = 4.39445 after 365 reports (392.114 without memory)
    """
    n = whole("reports", reports)
    limit = n if protocol.memories is None else min(n, protocol.memories)
    different = limit if values is None else min(limit, whole("values", values, least=1))
    alone, memory = Fraction(one_report(protocol)), Fraction(protocol.spent)
    fresh = n * alone
    if not protocol.memo:
        return Longitudinal(n, different, fresh, fresh)
    # Each value costs the lesser of its memory and its reports; the worst split has as many full memories as fit.
    return Longitudinal(n, different, min(fresh, different * memory), fresh)


def most_reports(protocol: Protocol, *, epsilon: Real, values: int | None = None) -> int | None:
    """How many reports stay within ε; None if any number does."""
    cap, alone = positive("epsilon", epsilon), Fraction(one_report(protocol))
    different = protocol.memories if values is None else whole("values", values, least=1)
    if protocol.memo and different is not None and different * Fraction(protocol.spent) <= cap:
        return None
    return int(cap / alone)


def enforce(protocol: Protocol, *, reports: int, epsilon: Real, values: int | None = None) -> Longitudinal:
    """The spending, refused if it is above ε; nothing is sent.

    >>> from sfumato.local import KAry
    >>> enforce(KAry(name="mood", domain=3, epsilon=1), reports=11, epsilon=10)
    Traceback (most recent call last):
        ...
    sfumato.errors.BudgetExceeded: 11 reports of `mood` would spend ε = 11, above 10
    <BLANKLINE>
    hint: 10 reports fit; with memo=True what counts is how many values differ
    """
    cap, plan = positive("epsilon", epsilon), over_time(protocol, reports=reports, values=values)
    if plan.spent > cap:
        fit = most_reports(protocol, epsilon=cap, values=values)
        problem = (
            f"{plan.reports} reports of `{protocol.name}` would spend ε = {up(plan.spent):g}, above {float(cap):g}"
        )
        raise BudgetExceeded(problem, hint=f"{fit} reports fit; with memo=True what counts is how many values differ")
    return plan


def days_of(protocol: Protocol, *, reports_a_day: int, days: int) -> Fraction:
    """ε of a device that sends so many fresh reports a day, as per-donation budgets are counted.

    >>> from sfumato.local import KAry
    >>> float(days_of(KAry(name="words", domain=9, epsilon=8), reports_a_day=2, days=1))
    16.0
    """
    if protocol.memo:
        raise InvalidParameter(
            "protocol", "must have no memory to be counted by the day", protocol.name, hint="over_time"
        )
    count = whole("reports_a_day", reports_a_day) * whole("days", days)
    return Fraction(up(count * Fraction(one_report(protocol))))


def shuffled(protocol: Protocol, *, people: int) -> Event:
    """The price of one round of reports that reach the server in random order, without heads that tell senders apart.

    >>> from sfumato.accounting import total
    >>> from sfumato.local import KAry
    >>> print(f"{total([shuffled(KAry(name='mood', domain=3, epsilon=1), people=10_000)]).epsilon(1e-6):.3f}")
    0.053
    """
    return Shuffled(Fraction(one_report(protocol)), people)
