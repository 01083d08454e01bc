"""A document cannot hang a device: steps are counted, not timed, for the worst documents that are let through.

A step is a line that runs in the client's file, a comparison of two numbers that came from a loop or a draw, a word of a
number that is shifted, or a byte drawn. `in` on a list runs no lines, so numbers count how often they are compared.
"""

import builtins
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import FrameType
from typing import Any

import pytest

from sfumato.errors import InvalidParameter
from sfumato.local import (
    Client,
    Condensed,
    DBitFlip,
    Hadamard,
    Hybrid,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    PrefixTree,
    Rappor,
    SubsetSelection,
    Unary,
    client,
    from_document,
)
from sfumato.local.client import ProtocolRefused

SECRET = bytes(range(32))
FILE = client.__file__


class Work:
    """Steps so far."""

    def __init__(self) -> None:
        self.lines = self.compared = self.words = self.drawn = 0

    @property
    def steps(self) -> int:
        return self.lines + self.compared + self.words + self.drawn


class Watched(int):
    """A number that counts how often it is compared, and how many words shifts by it make."""

    work = Work()
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Watched.work.compared += 1
        return int.__eq__(self, other) is True

    def __rlshift__(self, other: int) -> int:
        Watched.work.words += int(self) // 64 + 1
        return other << int(self)


def watched_range(*ends: int) -> Iterator[int]:
    return map(Watched, builtins.range(*ends))


def watched_enumerate(items: Any) -> Iterator[tuple[int, Any]]:
    return zip(watched_range(len(items)), items, strict=True)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Work]:
    """What a call costs in steps."""
    below = client.Coins.below
    take = client.Coins._take

    def taken(self: client.Coins, count: int) -> bytes:
        Watched.work.drawn += count
        return take(self, count)

    def measure(call: Callable[[], Any]) -> Work:
        work = Watched.work = Work()

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if frame.f_code.co_filename != FILE:
                return None
            if event == "line":
                work.lines += 1
            return trace

        with monkeypatch.context() as patch:
            patch.setattr(client, "range", watched_range, raising=False)
            patch.setattr(client, "enumerate", watched_enumerate, raising=False)
            patch.setattr(client.Coins, "below", lambda self, n: Watched(below(self, int(n))))
            patch.setattr(client.Coins, "_take", taken)
            before = sys.gettrace()
            sys.settrace(trace)
            try:
                call()
            finally:
                sys.settrace(before)
        return work

    return measure


# ---- the worst documents that are let through ----------------------------------------------------------------------

WIDEST = Fraction(1, 2**416 + 1)  # as many digits as a coin may have, and every other draw is drawn again
PLAIN = Fraction(10**62 + 7, 3 * 10**62 + 1)


def long_coins(document: dict[str, Any], **coins: Fraction) -> dict[str, Any]:
    """The same document with coins of as many digits as are let through, and an ε that allows them."""
    changed: dict[str, Any] = json.loads(json.dumps(document))
    changed["coins"] |= {name: str(p) for name, p in coins.items()}
    changed["epsilon"] = "100000"
    return changed


def condensed(size: int, weights: list[int], *, table: bool, length: int = 1) -> dict[str, Any]:
    document = json.loads(Condensed(name="t", domain=3, alpha=1).to_json())
    document["domain"] = {"size": size}
    rows = [[abs(x - y) % len(weights) for y in range(size)] for x in range(size)] if table else None
    document["parameters"] = {
        "alpha": "1000", "length": length, "distances": rows, "weights": [str(weight) for weight in weights],
    }  # fmt: skip
    document["epsilon"] = "1000000"
    return document  # type: ignore[no-any-return]


HEAVY = [10**63 + 17 * i for i in range(1024)]  # as long as a weight may be


def worst(size: int, p: Fraction = WIDEST) -> dict[str, tuple[dict[str, Any], Any]]:
    """Every kind at a size, with the longest coins: a document and a value. 2**16 is the largest of all kinds."""
    q = p if p == WIDEST else p / 2
    bits, values = min(size, 1 << 12), min(size, 1 << 10)
    names = tuple(f"{i:x}" for i in range(size))
    return {
        "k-ary": (long_coins(KAry(name="t", domain=names, epsilon=1).document(), p=p), names[-1]),
        "unary": (long_coins(Unary(name="t", domain=size, epsilon=1).document(), p=p, q=q), size - 1),
        "unary from memory": (
            long_coins(Unary(name="t", domain=size, epsilon=1, memo=True).document(), p=p, q=q),
            size - 1,
        ),
        "local-hash": (long_coins(LocalHash(name="t", domain=size, epsilon=1, word=64).document(), p=p), 1),
        "hadamard": (long_coins(Hadamard(name="t", domain=size, epsilon=1).document(), p=p), 1),
        "subset": (
            long_coins(SubsetSelection(name="t", domain=size, epsilon=1, subset=size - 1).document(), p=p),
            1,
        ),
        "rappor": (long_coins(Rappor(name="t", bits=bits, hashes=8).document(), f=p, p=q, q=p), "x"),
        "basic rappor": (
            long_coins(Rappor(name="t", domain=bits).document(), f=p, p=q, q=p),
            bits - 1,
        ),
        "one-bit": (
            long_coins(OneBitMean(name="t", upper=1, lower=-PLAIN, epsilon=1, memo=True).document(), p=p),
            0.1,
        ),
        "d-bit": (long_coins(DBitFlip(name="t", domain=size, bits=size, epsilon=1).document(), p=p, q=q), 0),
        "piecewise": (long_coins(Piecewise(name="t", lower=-PLAIN, upper=1, epsilon=1).document(), p=p), 0.3),
        "hybrid": (
            long_coins(Hybrid(name="t", lower=-PLAIN, upper=1, epsilon=1).document(), p=p, mix=q, p_bit=p),
            0.3,
        ),
        "condensed": (condensed(values, HEAVY[:values], table=False, length=64), [0] * 64),
        "condensed, table": (condensed(values, HEAVY[: min(9, values)], table=True), 1),
        "prefix-tree": (
            long_coins(PrefixTree(name="t", length=64, rows=256, order=1 << 15, epsilon=1).document(), p=p),
            "x" * 64,
        ),
    }


WORST = worst(1 << 16)
assert len(str(WIDEST)) == client.COIN_DIGITS


def test_every_kind_is_among_the_worst_documents() -> None:
    assert {document["kind"] for document, _ in WORST.values()} == set(client.KINDS)


@pytest.mark.parametrize("name", WORST)
def test_the_worst_document_of_a_kind_is_read_and_answered_within_the_stated_steps(name: str, measured: Any) -> None:
    document, value = WORST[name]
    text = json.dumps(document)
    assert len(text) <= client.MOST_TEXT
    reading = measured(lambda: Client(text, SECRET))
    device = Client(text, SECRET)
    report = measured(lambda: device.report(value))
    assert reading.steps + len(text) <= client.MOST_STEPS
    assert report.steps <= client.MOST_STEPS
    memory = measured(lambda: device.memory(value))
    assert memory.steps <= client.MOST_STEPS


SIZES = [1 << 7, 1 << 8, 1 << 9]


@pytest.mark.parametrize("name", WORST)
def test_work_grows_with_the_size_and_not_with_its_square(name: str, measured: Any) -> None:
    """Doubling what a document asks for at most doubles a report; only reading condensed privacy takes its square."""
    reports, readings = [], []
    for size in SIZES:
        document, value = worst(size)[name]
        readings.append(measured(lambda document=document: Client(document, SECRET)).steps)
        device = Client(document, SECRET)
        told = partial(device.report, value)
        reports.append(max(measured(told).steps for _ in range(3)))
    for size in SIZES:  # with coins of which a third say 1, so that there is something to look up
        document, value = worst(size, PLAIN)[name]
        found = measured(partial(Client(document, SECRET).report, value))
        assert found.compared + found.words <= 4 * size
    for before, after in itertools.pairwise(reports):
        assert after <= 2.5 * before + 5000  # rejected draws come and go
    for before, after in itertools.pairwise(readings):
        assert after <= (4.2 if "condensed" in name else 2.2) * before + 500
    assert reports[-1] <= 1024 * SIZES[-1] + 20_000
    assert readings[-1] <= 32 * SIZES[-1] ** 2 if "condensed" in name else readings[-1] <= 1000


# ---- fuzz: kinds × sizes × digits ----------------------------------------------------------------------------------

DIGITS = [20, 60, client.COIN_DIGITS // 2 + 1, 300, 1900, 4200]


def of_digits(p: Fraction, digits: int) -> str:
    """Nearly the same number, with as many digits above and below the line."""
    scale = 10 ** (digits - 1)
    return f"{p.numerator * scale // p.denominator}/{scale}"


@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("name", WORST)
def test_whatever_is_let_through_is_cheap_and_the_rest_is_refused_cheaply(
    name: str, digits: int, measured: Any
) -> None:
    """Both sides of every cap: a device and a server refuse alike, in no more steps than they would take to answer."""
    for size in (2, 64, 128):
        document, value = worst(size, PLAIN)[name]
        for place, field in [("coins", coin) for coin in document["coins"]] + [("epsilon", None)]:
            changed = json.loads(json.dumps(document))
            if field is None:
                changed[place] = of_digits(Fraction(1000), digits)
            else:
                changed[place][field] = of_digits(Fraction(changed[place][field]), digits)
            outcome = list[bool]()

            def attempt(changed: Any = changed, value: Any = value, outcome: list[bool] = outcome) -> None:
                try:
                    device = Client(changed, SECRET)
                except ProtocolRefused:
                    outcome.append(False)
                    return
                outcome.append(True)
                device.report(value)

            work = measured(attempt)
            assert work.steps <= 1 << 20
            longest = client.MOST_DIGITS if field is None else client.COIN_DIGITS
            number = changed[place] if field is None else changed[place][field]
            assert outcome == [len(number) <= longest]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["parameters"].update(weights=["9" * 3900] * 3), "outside the range"),
        (lambda d: d["parameters"].update(weights=["9" * 65] * 3), "outside the range"),
        (lambda d: d["parameters"].update(weights=["1"] * ((1 << 16) + 1)), "outside the range"),
        (lambda d: d["parameters"].update(weights=["1_0", "1", "1"]), "outside the range"),
        (lambda d: d["parameters"].update(weights=["٣", "1", "1"]), "outside the range"),
        (lambda d: d["parameters"].update(distances=[[0, 1, -1]] * 3), "outside the range"),
        (lambda d: d["parameters"].update(distances=[[0, 1, True]] * 3), "outside the range"),
        (lambda d: d["parameters"].update(alpha="1" * 600), "at most 512"),
        (lambda d: d.update(name="x" * (1 << 22)), "more than"),
        (lambda d: d["coins"].update({f"c{i}": "1" for i in range(9)}), "other coins"),
        (lambda d: d["domain"].update(size=1 << 11), "outside the range"),
    ],
)
def test_what_is_too_long_or_too_large_is_refused_before_it_is_computed_with(
    change: Callable[[Any], Any], words: str, measured: Any
) -> None:
    document = json.loads(Condensed(name="t", domain=3, alpha=1).to_json())
    change(document)

    def attempt() -> None:
        with pytest.raises(ProtocolRefused, match=words):
            Client(document, SECRET)

    assert measured(attempt).steps <= 400_000
    with pytest.raises((InvalidParameter, ProtocolRefused)):
        from_document(document)


# ---- the same count convicts what was there before -----------------------------------------------------------------


def quadratic_d_bit(doc: Any, r: Any, value: Any, memo: Any) -> bytes:
    """`in` on a list: d²/2 comparisons."""
    k, d, x = client._size(doc), int(doc["parameters"]["bits"]), client._position(doc, value)
    coins, chosen = memo(b"buckets"), list[int]()
    for j in watched_range(k - d, k):
        place = coins.below(j + 1)
        chosen.append(j if place in chosen else place)
    chosen.sort()
    ones = {i for i, place in enumerate(chosen) if place == x}
    told = client._packed(client._flags(memo(b"%d" % x), ones, d, r["p"], r["q"]))
    return b"".join(int(place).to_bytes(2, "little") for place in chosen) + told


def quadratic_packed(bits: Any) -> bytes:
    """One long number, shifted and added n times."""
    return sum(bit << i for i, bit in watched_enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")  # type: ignore[no-any-return]


def quadratic_flags(coins: Any, ones: Any, count: int, p: Fraction, q: Fraction) -> list[int]:
    """Places looked up in a list."""
    listed = list(ones)
    return [int(coins.coin(p if i in listed else q)) for i in watched_range(count)]


@pytest.mark.parametrize(
    ("name", "where", "twin"),
    [
        ("d-bit", None, quadratic_d_bit),
        ("unary", "_packed", quadratic_packed),
        ("rappor", "_flags", quadratic_flags),
    ],
)
def test_quadratic_work_is_seen(
    name: str, where: str | None, twin: Any, measured: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 1 << 11
    document, value = worst(size, PLAIN)[name]
    device = Client(document, SECRET)
    honest = measured(lambda: device.report(value))
    if where is None:
        monkeypatch.setitem(client.KINDS, document["kind"], replace(client.KINDS[document["kind"]], encode=twin))
    else:
        monkeypatch.setattr(client, where, twin)
    broken = measured(lambda: device.report(value))
    assert honest.compared + honest.words <= 4 * size
    assert broken.compared + broken.words > size * size / 200 > 4 * size


def test_the_odds_of_condensed_privacy_are_those_of_the_definition() -> None:
    """Compared crosswise, without a fraction for every pair."""
    for weights, length in (([9, 4, 2], 1), ([7, 5, 5, 1], 2), ([10**40, 10**39, 10**38 + 1], 3)):
        size = len(weights)
        document = condensed(size, weights, table=False, length=length)
        rows = [[Fraction(weights[abs(x - y)]) for y in range(size)] for x in range(size)]
        chances = [[mass / sum(row) for mass in row] for row in rows]
        worst_ratio = max(one[y] / other[y] for one in chances for other in chances for y in range(size))
        assert client.KINDS["condensed"].odds(document, {}) == worst_ratio**length
        assert client.epsilon_of(document) >= Decimal(worst_ratio.numerator).ln() * length - Decimal(
            worst_ratio.denominator
        ).ln() * length - Decimal("1e-20")


def test_a_large_table_still_fits_into_a_document() -> None:
    size = 300
    table = tuple(tuple(abs(x - y) for y in range(size)) for x in range(size))
    protocol = Condensed(name="t", domain=size, alpha=Fraction(1, 10), distances=table)
    assert len(protocol.to_json()) <= client.MOST_TEXT
    assert Client(protocol.to_json(), SECRET).document == json.loads(protocol.to_json())
