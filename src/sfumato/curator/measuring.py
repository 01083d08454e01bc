"""SQL questions: measured with noise, stored as noisy cells, shown as the outputs that are asked for."""

from dataclasses import replace
from typing import Any

from sfumato.core.printing import Json
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.charge import Reader
from sfumato.curator.explanation import columns_of
from sfumato.curator.noise import add_noise, noisy_beyond
from sfumato.curator.notes import notes
from sfumato.curator.pricing import cost_of, price_question
from sfumato.curator.release import Note, Shown, read_value, stored_value
from sfumato.curator.two_steps import COUNT, count_of, two_steps
from sfumato.data import Dataset
from sfumato.query import PricedQuery
from sfumato.query.bounds import Wish
from sfumato.query.postprocess import post_process


def sql(desk: Desk, text: str, *, key: str | None = None, label: str = "", **price: Any) -> Ask[Shown]:
    """A question in SQL, at its price; an average within a wanted error is asked in two steps."""
    steps = two_steps(desk, text, **price)
    if steps is None:
        return _prepared(desk, price_question(desk, text, **price), text, key=key, label=label)

    def second(counted: Shown) -> Ask[Shown]:
        query, note = steps.second(counted.bars)
        return _prepared(desk, query, text, key=key, label=label, steps=note)

    first = _prepared(desk, steps.count, text, key=None, label=label, averages=tuple(steps.wanted))
    return replace(first, verb=COUNT, then=second, most=steps.most_event)


def counted(desk: Desk, text: str, **price: Any) -> Ask[Shown]:
    """The first step of such a question as it was stored, to be shown again."""
    query = count_of(desk, text, **price)
    return replace(_prepared(desk, query, text, key=None, label=""), verb=COUNT)


def _prepared(
    desk: Desk,
    query: PricedQuery,
    text: str,
    *,
    key: str | None,
    label: str,
    steps: Note | None = None,
    averages: tuple[int, ...] = (),
) -> Ask[Shown]:
    """What is charged, computed and shown; `steps` of a second step, `averages` of a first: what it counts rows for."""
    cost = cost_of(query)

    def noisy(reader: Reader) -> Json:
        exact = reader.exact()
        keys, columns = add_noise(query, exact, bits=desk.bits)
        shown_keys = [list[Json](stored_value(part) for part in key) for key in keys]
        told: dict[str, Json] = {}
        if query.beyond is not None:
            told["beyond"] = list[Json](noisy_beyond(query, exact, bits=desk.bits))
        if steps is not None:
            told["steps"] = {"code": steps.code, "figures": dict[str, Json](steps.figures)}
        spend: dict[str, Json] = {**_spend(query), **({"averages": list[Json](averages)} if averages else {})}
        return {"keys": list[Json](shown_keys), "noisy": list[Json](columns), "spend": spend, **told}

    return Ask(
        event=query.event,
        about={**query.canonical(), "declared": query.question.declared(desk.dataset)},
        reads=query,
        compute=noisy,
        show=lambda stored: shown(query, desk.dataset, stored),
        cost=cost,
        key=key,
        unpaid=desk.too_cheap(cost),
        text=text,
        label=label,
    )


def _spend(query: PricedQuery) -> dict[str, Json]:
    """The price as it was named, by which the question can be prepared again to show what is stored."""
    spend = query.spend
    named = {"epsilon": spend.epsilon, "rho": spend.rho, "delta": spend.delta, "confidence": query.confidence}
    wish = {"rows": query.wish.rows, "groups": query.wish.groups, "beyond": 1 if query.wish.beyond else None}
    said: dict[str, Json] = {name: str(value) for name, value in wish.items() if value is not None}
    if query.wish.weigh:
        said["weigh"] = {name: str(worth) for name, worth in query.wish.weigh}
    if query.wish.bar != Wish().bar:
        said["bar"] = str(query.wish.bar)
    return {**{name: None if value is None else str(value) for name, value in named.items()}, **said}


def shown(query: PricedQuery, dataset: Dataset, stored: Any) -> Shown:
    """The columns, values and notes of a release, from noisy cells."""
    kinds = [key.kind for key in query.question.keys]
    keys = [tuple(read_value(part, kind) for part, kind in zip(key, kinds, strict=True)) for key in stored["keys"]]
    bars = post_process(query, keys, stored["noisy"], 1 - query.confidence)
    steps = stored.get("steps")
    told = () if steps is None else (Note.of(steps["code"], **steps["figures"]),)
    return Shown(
        columns_of(query.question),
        tuple(tuple(row) for row in bars),
        query.confidence,
        (*notes(query, dataset, stored.get("beyond", ())), *told),
    )
