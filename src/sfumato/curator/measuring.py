"""SQL questions: measured with noise, stored as noisy columns, shown as the outputs that are asked for."""

from typing import Any

from sfumato.core.printing import Json
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.charge import Reader
from sfumato.curator.explanation import columns_of, notes
from sfumato.curator.noise import add_noise, noisy_beyond
from sfumato.curator.pricing import cost_of, price_question
from sfumato.curator.release import Shown, read_value, stored_value
from sfumato.data import Dataset
from sfumato.query import PricedQuery
from sfumato.query.postprocess import post_process


def sql(desk: Desk, text: str, *, key: str | None = None, label: str = "", **price: Any) -> Ask[Shown]:
    """A question in SQL, at its price."""
    query = price_question(desk, text, **price)
    cost = cost_of(query)

    def noisy(reader: Reader) -> Json:
        exact = reader.exact()
        keys, columns = add_noise(query, exact, bits=desk.bits)
        shown_keys = [[stored_value(part) for part in key] for key in keys]
        told = {} if query.beyond is None else {"beyond": list[Json](noisy_beyond(query, exact, bits=desk.bits))}
        return {"keys": list(shown_keys), "noisy": list(columns), "spend": _spend(query), **told}

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


def _spend(query: PricedQuery) -> Json:
    """The price as it was named, by which the question can be prepared again to show what is stored."""
    spend = query.spend
    named = {"epsilon": spend.epsilon, "rho": spend.rho, "delta": spend.delta, "confidence": query.confidence}
    wish = {"rows": query.wish.rows, "groups": query.wish.groups, "beyond": 1 if query.wish.beyond else None}
    said: dict[str, Json] = {name: str(value) for name, value in wish.items() if value is not None}
    return {**{name: None if value is None else str(value) for name, value in named.items()}, **said}


def shown(query: PricedQuery, dataset: Dataset, stored: Any) -> Shown:
    """The columns, values and notes of a release, from noisy columns."""
    kinds = [key.kind for key in query.question.keys]
    keys = [tuple(read_value(part, kind) for part, kind in zip(key, kinds, strict=True)) for key in stored["keys"]]
    bars = post_process(query, keys, stored["noisy"], 1 - query.confidence)
    return Shown(
        columns_of(query.question),
        tuple(tuple(row) for row in bars),
        query.confidence,
        notes(query, dataset, stored.get("beyond", ())),
    )
