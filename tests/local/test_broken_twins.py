"""For every kind a client with one mistake: the exact channel of each convicts it, as it passes the real one."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from local_cases import SMALL, exact_law, worst_ratio
from sfumato.local import client

Encoder = Callable[[dict[str, Any], dict[str, Fraction], Any, Any], bytes]
Rationals = dict[str, Fraction]


def keeps_too_often(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """k-ary: a liar draws among all k values, so that the truth is told once more."""
    x, coins = client._position(doc, value), memo(b"x")
    said = x if coins.coin(r["p"]) else coins.below(client._size(doc))
    return bytes([said])


def tells_its_own_flag(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Unary: one's own flag is always set."""
    x, coins = client._position(doc, value), memo(b"x")
    return client._packed([1 if i == x else int(coins.coin(r["q"])) for i in range(client._size(doc))])


def flips_with_one_coin(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Unary: one coin for all the other flags, drawn once and broadcast."""
    x, coins = client._position(doc, value), memo(b"x")
    own, rest = int(coins.coin(r["p"])), int(coins.coin(r["q"]))
    return client._packed([own if i == x else rest for i in range(client._size(doc))])


def tells_its_bucket(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Local hashing: the hash alone, without randomised response."""
    x, word, g = client._position(doc, value), int(doc["hash"]["word"]), int(doc["hash"]["buckets"])
    coins = memo(b"x")
    a, b = coins.below(1 << word), coins.below(1 << word)
    size = word // 8
    return a.to_bytes(size, "little") + b.to_bytes(size, "little") + bytes([client.bucket(a, b, x, word, g)])  # type: ignore[no-any-return]


def never_lies(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Hadamard: the sign as it is."""
    x, coins = client._position(doc, value), memo(b"x")
    row = coins.below(int(doc["parameters"]["order"]))
    return bytes([row << 1 | client.hadamard_bit(row, x)])


def always_inside(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Subset selection: the true value is always a member."""
    return client._subset(doc, r | {"p": Fraction(1)}, value, memo)


def never_clears_a_bit(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """RAPPOR: permanent noise sets bits and never clears one, as a published client did."""
    ones, bits = [client._position(doc, value)], int(doc["parameters"]["bits"])
    coins = memo(b"permanent")
    permanent = [1 if i in ones else int(coins.coin(r["f"] / 2)) for i in range(bits)]
    return b"\0\0" + client._packed(permanent)


def swaps_p_and_q_once(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """One bit: the truth is told with probability p² + …, by keeping the coin that agrees."""
    coins, bit = memo(b"x"), int(Fraction(value) * 2 >= Fraction(doc["domain"]["upper"]))
    return bytes([bit if coins.coin(r["p"]) or coins.coin(r["p"]) else 1 - bit])


def own_bucket_first(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """d-bit: the device answers for its own bucket among the others, which shows which it is."""
    x, k = client._position(doc, value), client._size(doc)
    chosen = sorted([x, (x + 1) % k])
    told = [int(memo(b"x").coin(r["p"] if place == x else r["q"])) for place in chosen]
    return b"".join(place.to_bytes(2, "little") for place in chosen) + client._packed(told)


def window_alone(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Piecewise: never outside the window."""
    return client._piecewise(doc, r | {"p": Fraction(1)}, value, memo)


def wrong_metric(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Condensed: distances counted twice."""
    x, coins = client._position(doc, value), memo(b"x")
    weights = [int(w) for w in doc["parameters"]["weights"]]
    row = [weights[min(len(weights) - 1, 2 * abs(x - y))] for y in range(client._size(doc))]
    return bytes([coins.pick(row)])


def prefix_told_plainly(doc: Any, r: Rationals, value: Any, memo: Any) -> bytes:
    """Prefix tree: the sign without its coin."""
    return client._prefix(doc, r | {"p": Fraction(1)}, value, memo)


TWINS: list[tuple[str, Encoder]] = [
    ("k-ary", keeps_too_often),
    ("symmetric", tells_its_own_flag),
    ("optimised", tells_its_own_flag),
    ("optimised", flips_with_one_coin),
    ("local hashing", tells_its_bucket),
    ("hadamard", never_lies),
    ("subset", always_inside),
    ("basic one-time rappor", never_clears_a_bit),
    ("one bit", swaps_p_and_q_once),
    ("d-bit", own_bucket_first),
    ("piecewise", window_alone),
    ("hybrid", window_alone),
    ("ordinal condensed", wrong_metric),
    ("prefix tree", prefix_told_plainly),
]


@pytest.mark.parametrize(("name", "broken"), TWINS, ids=[f"{name}-{twin.__name__}" for name, twin in TWINS])
def test_a_client_with_one_mistake_is_convicted_by_its_channel(name: str, broken: Encoder) -> None:
    protocol, values = SMALL[name]
    real = worst_ratio([exact_law(protocol, value) for value in values])
    wrong = worst_ratio([exact_law(protocol, value, encode=broken) for value in values])
    assert real is not None
    assert client.log_up(real) <= protocol.spent
    assert wrong is None or client.log_up(wrong) > protocol.spent


def test_every_kind_has_a_broken_twin() -> None:
    assert {SMALL[name][0].kind for name, _ in TWINS} == set(client.KINDS)


@pytest.mark.parametrize("name", ["symmetric", "hadamard", "subset", "d-bit"])
def test_a_server_with_one_wrong_coin_is_biased(name: str) -> None:
    """The exact mean of a single report's estimate, when the server takes p for a little less than it is."""
    protocol, values = SMALL[name]
    law = exact_law(protocol, values[0])
    wrong = replace(protocol, p=Fraction(protocol.p or 0) * Fraction(99, 100))  # type: ignore[attr-defined, call-arg]
    means = []
    for server in (protocol, wrong):
        rows = [np.frombuffer(told, dtype=np.uint8)[None, :] for told in law]
        shares = [server.estimate(server.tally(row), 1).shares[0] for row in rows]  # type: ignore[union-attr]
        means.append(sum(float(p) * share for p, share in zip(law.values(), shares, strict=True)))
    assert means[0] == pytest.approx(1, abs=1e-9)
    assert abs(means[1] - 1) > 1e-3
