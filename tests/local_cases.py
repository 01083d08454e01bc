"""Small protocols of every kind, and the exact law of the client's own code by following every coin."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sfumato.local import (
    Condensed,
    DBitFlip,
    Hadamard,
    Hybrid,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    PrefixTree,
    Protocol,
    Rappor,
    SubsetSelection,
    Unary,
    client,
)

Law = dict[bytes, Fraction]
METRIC = ((0, 1, 3), (1, 0, 2), (3, 2, 0))
NAMES = ("red", "green", "blue")
F = Fraction

SMALL: dict[str, tuple[Protocol, list[Any]]] = {
    "binary": (KAry(name="t", domain=("no", "yes"), epsilon=1), ["no", "yes"]),
    "k-ary": (KAry(name="t", domain=5, epsilon=2), list(range(5))),
    "k-ary, small ε": (KAry(name="t", domain=5, epsilon=0.01), list(range(5))),
    "k-ary, large ε": (KAry(name="t", domain=3, epsilon=30), list(range(3))),
    "symmetric": (Unary(name="t", domain=NAMES, epsilon=1, coding="symmetric"), list(NAMES)),
    "optimised": (Unary(name="t", domain=4, epsilon=1), list(range(4))),
    "optimised, large ε": (Unary(name="t", domain=3, epsilon=12), list(range(3))),
    "local hashing": (LocalHash(name="t", domain=5, epsilon=1), list(range(5))),
    "binary local hashing": (LocalHash(name="t", domain=5, epsilon=1, buckets=2), list(range(5))),
    "local hashing, 64 bits": (LocalHash(name="t", domain=5, epsilon=F(3, 2), word=64), list(range(5))),
    "hadamard": (Hadamard(name="t", domain=6, epsilon=1), list(range(6))),
    "subset": (SubsetSelection(name="t", domain=6, epsilon=F(1, 2)), list(range(6))),
    "subset of one": (SubsetSelection(name="t", domain=4, epsilon=2), list(range(4))),
    "rappor": (Rappor(name="t", bits=4, hashes=2, cohorts=2), ["a", "b", "c", "d"]),
    "rappor, forgetful": (Rappor(name="t", bits=4, hashes=1, cohorts=2, memo=False), ["a", "b", "c"]),
    "one-time rappor": (Rappor(name="t", bits=5, hashes=2, cohorts=2).one_time(), ["a", "b", "c", "d"]),
    "basic rappor": (Rappor(name="t", domain=NAMES), list(NAMES)),
    "basic one-time rappor": (Rappor(name="t", domain=NAMES).one_time(), list(NAMES)),
    "one bit": (OneBitMean(name="t", upper=10, epsilon=1), [0, 1, F(7, 3), 5, 10]),
    "one bit with an α-point": (OneBitMean(name="t", upper=6, epsilon=1, memo=True), list(range(7))),
    "one bit with α-points": (OneBitMean(name="t", upper=6, epsilon=1, granularity=3, memo=True), list(range(7))),
    "d-bit": (DBitFlip(name="t", domain=5, bits=2, epsilon=1), list(range(5))),
    "d-bit, all": (DBitFlip(name="t", domain=3, bits=3, epsilon=2, memo=True), list(range(3))),
    "piecewise": (Piecewise(name="t", lower=-1, upper=1, grid=6, epsilon=1), [-1, F(-1, 2), 0, F(1, 4), 1]),
    "hybrid": (Hybrid(name="t", lower=-1, upper=1, grid=5, epsilon=2), [-1, F(-1, 5), 0, F(1, 3), 1]),
    "hybrid, small ε": (Hybrid(name="t", lower=-1, upper=1, grid=4, epsilon=F(1, 2)), [-1, 0, 1]),
    "ordinal condensed": (Condensed(name="t", domain=6, alpha=1), list(range(6))),
    "item condensed": (Condensed(name="t", domain=NAMES, alpha=F(1, 2), distances=METRIC), list(NAMES)),
    "sequence condensed": (Condensed(name="t", domain=3, alpha=1, length=2), [[], [0], [1], [0, 0], [1, 1]]),
    "prefix tree": (PrefixTree(name="t", length=2, rows=2, order=4, epsilon=1), ["ab", "ac", "b", ""]),
}

_PUBLIC = 1 << 20  # a draw below this or more is the hash's seed, which the report shows: privacy holds given it
SEEDS = [(0x9E3779B9, 0x7F4A7C15), (1, 0), (0xDEADBEEF12345678, 0x0123456789ABCDEF), (0, 5)]


class Tree:
    """Coins that take every way once: the same interface as `client.Coins`, with the chance of the way taken."""

    def __init__(self, way: list[int], seed: tuple[int, int]) -> None:
        self.way, self.at, self.chance, self.forks, self._seed = way, 0, Fraction(1), list[int](), list(seed)

    def _fork(self, chances: list[Fraction]) -> int:
        if self.at == len(self.way):
            self.way.append(0)
        taken = self.way[self.at]
        self.forks.append(len(chances))
        self.at += 1
        self.chance *= chances[taken]
        return taken

    def below(self, n: int) -> int:
        if n > _PUBLIC:
            return self._seed.pop(0) % n
        return 0 if n == 1 else self._fork([Fraction(1, n)] * n)

    def coin(self, p: Fraction) -> bool:
        return p == 1 if p in (0, 1) else not self._fork([p, 1 - p])

    def pick(self, weights: list[int]) -> int:
        return self._fork([Fraction(weight, sum(weights)) for weight in weights])


Encoder = Callable[[dict[str, Any], dict[str, Fraction], Any, Any], bytes]


def exact_law(
    protocol: Protocol, value: Any, *, seed: tuple[int, int] = SEEDS[0], encode: Encoder | None = None
) -> Law:
    """Every payload of a value and its exact probability, from the client's own encoder."""
    document = protocol.document()
    coins, encoder = client.coins_of(document), encode or client.KINDS[protocol.kind].encode
    law: Law = {}
    way: list[int] = []
    while True:
        tree = Tree(way, seed)
        told = encoder(document, coins, value, lambda label, tree=tree: tree)  # type: ignore[misc]
        law[told] = law.get(told, Fraction(0)) + tree.chance
        del way[tree.at :]
        while way and way[-1] == tree.forks[len(way) - 1] - 1:
            way.pop()
        if not way:
            return law
        way[-1] += 1


def worst_ratio(laws: list[Law]) -> Fraction | None:
    """The largest ratio of two values' chances of one report; None if a report tells them apart for certain."""
    worst = Fraction(1)
    for told in set().union(*laws):
        chances = [law.get(told, Fraction(0)) for law in laws]
        if min(chances) == 0:
            return None
        worst = max(worst, max(chances) / min(chances))
    return worst
