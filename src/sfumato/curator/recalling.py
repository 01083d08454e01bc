"""A stored answer shown again, by its receipt: from the ledger alone, for nothing, to whom it was given."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accounting import from_json
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.release import Shown
from sfumato.curator.two_steps import COUNT
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.ledger import Answered, Ledger
from sfumato.ledger.releases import decoded

_RECEIPT = re.compile(r"#?([0-9]{1,18})(?:-([0-9a-f]{4,64}))?")
_SAID = re.compile(r"(max|choose|median|count|top (?P<k>[0-9]+)): (?P<text>.*)", re.DOTALL)
_VERBS = {"max": "noisy_max", "choose": "exponential", "median": "smooth_median", COUNT: COUNT}
Verbs = Mapping[str, Callable[..., Ask[Shown]]]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was given to an analyst: what is stored, and the entry by which they asked for it."""

    answer: Answered
    asked: Mapping[str, Any]


def given_to(
    ledger: Ledger, *, dataset: str, analyst: str, receipt: str, has_left: Callable[[int], bool] = lambda _: True
) -> GivenAnswer:
    """The answer that a receipt names, or the number of an entry, if it was given to this analyst.

    One that is stored and may not leave yet is not there: whoever asks for it often must not learn when it was ready.
    """
    named = _RECEIPT.fullmatch(str(receipt).strip())
    if named is None:
        raise InvalidParameter(
            "receipt", "must be as an answer or the log shows it", receipt, hint="18-42f2eb780bbb, or 18"
        )
    number, own, heads = int(named[1]), dict[int, dict[str, Any]](), dict[int, str]()
    settled: int | None = None
    asked: dict[str, Any] | None = None
    for entry in ledger.entries():
        body = entry.body
        if body.get("dataset") != dataset or not has_left(body["time"]):
            continue
        if body["kind"] == "settle":
            heads[entry.sequence] = entry.head
        if body.get("principal") != analyst:
            continue
        if body["kind"] == "reserve":
            own[entry.sequence] = body
        elif body["kind"] == "settle" and number in (entry.sequence, body["reserve"]):
            settled, asked = entry.sequence, own.get(body["reserve"])
        elif body["kind"] == "share" and number in (entry.sequence, body["answer"]):
            settled, asked = body["answer"], body
    if settled is None or asked is None or not heads.get(settled, "").startswith(named[2] or ""):
        raise InvalidParameter(
            "receipt", "names no answer that was given to you", receipt, hint="sfumato log lists them"
        )
    return GivenAnswer(Answered(settled, heads[settled], decoded(ledger.stream(settled))), asked)


def asked_again(desk: Desk, verbs: Verbs, given: GivenAnswer, hash_of: Callable[[Any], str]) -> Ask[Shown]:
    """The question of an answer, prepared as it was, to show what is stored; where it no longer is, that is said."""
    text = str(given.asked.get("question", ""))
    if text.startswith("publish: "):
        raise SfumatoError(
            f"entry {given.answer.sequence} settled a publication, whose tables lie in its folder",
            hint='open the folder: sfumato.Publication.open("release/")',
        )
    said = _SAID.fullmatch(text)
    verb = "sql" if said is None else _VERBS.get(said[1], "top_k")
    more: dict[str, Any] = {"k": int(said["k"])} if said is not None and said["k"] else {}
    stored = said is None or verb == COUNT
    for price in _prices(given) if stored else _prices_of_a_choice(given):
        try:
            ask = verbs[verb](desk, text if said is None else said["text"], **price, **more)
        except SfumatoError:
            continue
        if hash_of(ask.about) == given.asked["request_hash"]:
            return ask
    raise SfumatoError(
        f"what entry {given.answer.sequence} holds can no longer be read as it was asked",
        hint="the declaration or a public table has changed, or it was asked with weights",
    )


def _prices(given: GivenAnswer) -> list[dict[str, Any]]:
    """The price that is stored with an answer, or those that its event may have been asked at."""
    stored: Any = given.answer.release
    spend = stored.get("spend") if isinstance(stored, dict) else None
    if isinstance(spend, dict):
        return [{name: _named(name, value) for name, value in spend.items()}]
    event = from_json(given.asked["event"])
    found: list[dict[str, Fraction | None]] = []
    for name, value, fails in (
        ("epsilon", event.pure(), event.pure_delta()),
        ("rho", event.zcdp(), event.extra_delta()),
    ):
        for delta in (None, fails) if value is not None else ():
            found.append({name: value, "delta": delta})
    return found


def _named(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "averages":
        return [int(place) for place in value]
    if name == "weigh":
        return {column: Fraction(worth) for column, worth in value.items()}
    return int(value) if name in ("rows", "groups", "beyond") else Fraction(value)


def _prices_of_a_choice(given: GivenAnswer) -> list[dict[str, Fraction | None]]:
    """The ε that a choice was asked at: its event's own."""
    epsilon = from_json(given.asked["event"]).pure()
    return [] if epsilon is None else [{"epsilon": epsilon}]
