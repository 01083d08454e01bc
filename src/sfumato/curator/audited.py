"""What the audit looks at beside mechanisms: the curator's release paths, and every local protocol.

The audit knows neither room; here, above all three, each path is one line. Exact answers are those of people who do not
exist, and come the one way there is: charged to a ledger of their own.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato import local
from sfumato.accounting import events
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.curator.charge import Charge, ChargeRequest
from sfumato.curator.noise import add_noise
from sfumato.demo.few_rows import Row, few_rows
from sfumato.engines import ExactTable
from sfumato.exact.parameters import amount
from sfumato.ledger import Budget, SqliteLedger
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.postprocess import post_process

Rows = tuple[Row, ...]
DELTA = 0.01
_SURE = Fraction(95, 100)
_NAME = "audit"
_ENOUGH, _ENOUGH_RHO = Budget.pure(epsilon=10**6, delta=Fraction(1, 2)), Budget.zcdp(rho=10**6, delta=Fraction(1, 2))

# ---- the curator -----------------------------------------------------------------------------------------------

_OTHERS: Rows = tuple((person, kind, 4.0) for person in (1, 2, 3) for kind in ("a", "b"))
_HEAVY: Rows = tuple((9, kind, 10.0) for kind in ("a", "a", "a", "b", "b", "c", "d"))
_HOSTILE: Rows = ((9, "a", float("nan")), (9, "b", float("inf")), (9, "a", -1e300), (9, "c", None))
PEOPLE: tuple[Pair, ...] = (
    Pair((*_OTHERS, *_HEAVY), _OTHERS, "a person with more rows than count"),
    Pair((*_OTHERS, (9, "a", 10.0)), _OTHERS, "a person with one row"),
    Pair((*_OTHERS, *_HOSTILE), _OTHERS, "a person with hostile cells", hostile=True),
    Pair(((9, "only theirs", 10.0),), (), "the only person"),
)


@dataclass(frozen=True)
class Asked:
    """A question as the curator prices and answers it; the ledger and the memo around it draw nothing."""

    query: PricedQuery

    @property
    def event(self) -> events.Event:
        """What the curator would charge."""
        return self.query.event

    def release(self, rows: Rows) -> dict[str, Any] | list[list[Any]]:
        """What leaves: rows of released values without their keys, or by key where keys are not public."""
        keys, noisy = add_noise(self.query, exact(self.query.question.text, rows, self.query.spend))
        bars = post_process(self.query, keys, noisy, 1 - _SURE)
        values = [[bar.value for bar in row] for row in bars]
        return {str(row[0]): row[1] for row in values} if self.query.keys is not None else values


@lru_cache(maxsize=64)
def exact(text: str, rows: Rows, spend: Spend) -> ExactTable:
    """The exact answer to a question about rows, computed once: an audit asks it a million times."""
    engine = few_rows(rows)
    try:
        query = price(plan_question(text, engine.dataset, engine), engine.dataset, spend, confidence=_SURE)
        with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "audit.ledger") as ledger:
            return _charged(Charge(engine, ledger, _NAME), ledger, query)
    finally:
        engine.close()


def _charged(charge: Charge, ledger: SqliteLedger, query: PricedQuery) -> ExactTable:
    """What was read for a charge to a ledger that nobody else has."""
    enough = _ENOUGH if query.spend.rho is None else _ENOUGH_RHO
    ledger.register(_NAME, enough)
    ledger.grant(_NAME, _NAME, enough)
    request = ChargeRequest(principal=_NAME, hash="0" * 64, event=query.event, reads=query)
    made = charge.make(request, lambda reader: ({}, reader.exact()))
    assert isinstance(made, tuple)
    return made[1]


def asked(text: str, *, delta: float = 0.0, rho: bool = False) -> Callable[[Fraction], Asked]:
    """The question at any ε; or, paid in ρ, at ε²/2, which is less."""

    def make(epsilon: Fraction) -> Asked:
        engine = few_rows(())
        try:
            spend = Spend(None, epsilon**2 / 2, Fraction(0)) if rho else Spend(epsilon, None, amount("delta", delta))
            return Asked(price(plan_question(text, engine.dataset, engine), engine.dataset, spend, confidence=_SURE))
        finally:
            engine.close()

    return make


QUESTIONS: dict[str, str] = {
    "count": "SELECT COUNT(*) FROM rows",
    "people": "SELECT COUNT(DISTINCT person) FROM rows",
    "distinct": "SELECT COUNT(DISTINCT kind) FROM rows",
    "sum": "SELECT SUM(amount) FROM rows",
    "average": "SELECT AVG(amount) FROM rows",
    "median": "SELECT MEDIAN(amount) FROM rows",
    "groups": "SELECT kind = 'a' AS a, COUNT(*) FROM rows GROUP BY kind = 'a'",
    "filter": "SELECT COUNT(*) FILTER (WHERE amount > 4), SUM(amount) FROM rows",
}
BY_KIND = ", ".join(f"COUNT(*) FILTER (WHERE kind = '{kind}')" for kind in "abcd")
BY_AMOUNT = ", ".join(f"COUNT(*) FILTER (WHERE amount > {at})" for at in (0, 3, 6, 9))
STRATEGIES: dict[str, tuple[str, dict[str, Any]]] = {
    "joint_cells": ("SELECT COUNT(*), COUNT(amount), SUM(amount) FROM rows", {}),
    "box": (f"SELECT SUM(amount), {BY_KIND} FROM rows", {}),
    "gaussian": (f"SELECT COUNT(*), {BY_KIND}, {BY_AMOUNT} FROM rows", {"delta": DELTA}),
    "discrete_gaussian": (f"SELECT COUNT(*), {BY_KIND} FROM rows", {"rho": True}),
}
"""A question that is measured by each of the strategies for several columns, and how it is paid."""
UNKNOWN = "SELECT kind, COUNT(DISTINCT person) FROM rows GROUP BY kind"
CURATOR: tuple[AuditedMechanism, ...] = (
    *(AuditedMechanism(f"curator: {name}", asked(text), PEOPLE) for name, text in QUESTIONS.items()),
    *(
        AuditedMechanism(f"curator: {name}", asked(text, **paid), PEOPLE, delta=DELTA if paid else 0.0)
        for name, (text, paid) in STRATEGIES.items()
    ),
    AuditedMechanism("curator: unknown groups", asked(UNKNOWN, delta=DELTA), PEOPLE, delta=DELTA),
)
"""Every release path of the curator."""

# ---- local protocols -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AuditedDevices:
    """Devices with secrets of their own that report a value once each; what is read is all but the tag."""

    protocol: local.Protocol

    @property
    def event(self) -> events.Event:
        """What the document states."""
        return events.Pure(amount("epsilon", self.protocol.epsilon))

    def release(self, value: Any) -> int:
        """A report's payload, as a number."""
        report = local.Client(self.protocol.document(), os.urandom(32)).report(value)
        return int.from_bytes(report[local.client.HEAD + local.client.TAG :], "big")


def _two(one: Any, other: Any) -> tuple[Pair, ...]:
    return (Pair(one, other, "a device with another value"),)


def _protocol(kind: Callable[..., local.Protocol], **about: Any) -> Callable[[Fraction], AuditedDevices]:
    return lambda epsilon: AuditedDevices(kind(name="audit", epsilon=epsilon, **about))


PROTOCOLS: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("local: k-ary", _protocol(local.KAry, domain=4), _two(0, 3)),
    AuditedMechanism("local: symmetric unary", _protocol(local.Unary, domain=3, coding="symmetric"), _two(0, 2)),
    AuditedMechanism("local: optimised unary", _protocol(local.Unary, domain=3), _two(0, 2)),
    AuditedMechanism("local: local hashing", _protocol(local.LocalHash, domain=4), _two(0, 3)),
    AuditedMechanism("local: hadamard", _protocol(local.Hadamard, domain=4), _two(0, 3)),
    AuditedMechanism("local: subset selection", _protocol(local.SubsetSelection, domain=5), _two(0, 4)),
    AuditedMechanism("local: one bit", _protocol(local.OneBitMean, upper=10), _two(0, 10)),
    AuditedMechanism("local: one bit, remembered", _protocol(local.OneBitMean, upper=6, memo=True), _two(0, 6)),
    AuditedMechanism("local: d-bit", _protocol(local.DBitFlip, domain=4, bits=2), _two(0, 3)),
    AuditedMechanism("local: piecewise", _protocol(local.Piecewise, lower=-1, upper=1, grid=6), _two(-1, 1)),
    AuditedMechanism("local: hybrid", _protocol(local.Hybrid, lower=-1, upper=1, grid=6), _two(-1, 1)),
    AuditedMechanism("local: prefix tree", _protocol(local.PrefixTree, length=2, rows=2, order=4), _two("ab", "zz")),
    AuditedMechanism(
        "local: rappor", lambda _: AuditedDevices(local.Rappor(name="audit", domain=("a", "b", "c"))), _two("a", "b")
    ),
)
"""Every kind of local protocol whose price is a plain ε."""
