"""Candidates counted without listing them, where queries ask for sets that are disjoint or one within the other.

Within a level every set's count lies in a window. The number of ways in which the members of a set can have a given
count is a product over its children and its own members, so a polynomial for each set, whose coefficients are these
numbers, is found from the leaves up (and a candidate is drawn from the root down). A polynomial is one long integer
with a slot of bits for each coefficient: products are products, windows are masks. No coefficient up to degree m
exceeds the number of all candidates, for which a slot has room; what higher degrees lose is above and cut off.
"""

import math
from dataclasses import dataclass, field

from sfumato.exact import weighted
from sfumato.exact.bits import BitSource
from sfumato.synth.candidates import Candidates, CandidateSpace, PrivateAnswers, databases_of, spread
from sfumato.synth.hierarchy_workload import LaminarSet, children_first

_MOST_WORK = 10**8  # about a third of a second for each level that is tried
_DIGIT = 30


@dataclass(frozen=True, eq=False)
class LaminarSpace(CandidateSpace):
    """All databases of m records, by a tree of sets."""

    root: LaminarSet
    records: int
    total: int = field(init=False)
    slot: int = field(init=False)
    nodes: list[LaminarSet] = field(init=False, repr=False)
    ways: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    """For a number of members, the polynomial of the ways in which they have each count."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", databases_of(len(self.root.members), self.records))
        object.__setattr__(self, "slot", self.total.bit_length() + 1)
        object.__setattr__(self, "nodes", children_first(self.root))
        for members in {len(node.own) for node in self.nodes}:
            self.ways[members] = sum(databases_of(members, s) << (self.slot * s) for s in range(self.records + 1))

    @staticmethod
    def is_feasible(root: LaminarSet, records: int) -> bool:
        """Whether a level is counted in a short time."""
        slots = databases_of(len(root.members), records).bit_length() * (records + 1)
        return bool(len(children_first(root)) * math.ceil(slots / _DIGIT) ** 1.585 <= _MOST_WORK)

    def around(self, target: PrivateAnswers) -> "LaminarCandidates":
        """The windows of all levels."""
        return LaminarCandidates(self, target)


class LaminarCandidates(Candidates):
    """Candidates in windows around the answers of one target."""

    def __init__(self, space: LaminarSpace, target: PrivateAnswers) -> None:
        self._space, self._target = space, target
        self._full = (1 << (space.slot * (space.records + 1))) - 1
        aims = [target.answers[query] for node in space.nodes for query in node.queries]
        furthest = max((max(aim, abs(aim - target.people)) for aim in aims), default=0)
        self.last = -(-furthest // target.each)

    def within(self, level: int) -> int:
        """The coefficient of degree m at the root."""
        done: dict[int, int] = {}
        for node in self._space.nodes:
            product = self._space.ways[len(node.own)]
            for child in node.children:
                product = (product * done.pop(id(child))) & self._full
            done[id(node)] = self._windowed(node, product, level)
        return done[id(self._space.root)] >> (self._space.slot * self._space.records)

    def _window(self, node: LaminarSet, level: int) -> tuple[int, int]:
        """The least and the largest count v of a set with |a - n̂·v/m| ≤ level·each."""
        low, high, m = 0, self._space.records, self._space.records
        off = level * self._target.each
        for query in node.queries:
            aim = self._target.answers[query]
            low = max(low, -((off - aim) * m // self._target.people))  # ⌈(a - off)·m/n̂⌉
            high = min(high, (aim + off) * m // self._target.people)
        return low, high

    def _windowed(self, node: LaminarSet, polynomial: int, level: int) -> int:
        if not node.queries:
            return polynomial
        low, high = self._window(node, level)
        if low > high:
            return 0
        width = self._space.slot
        return polynomial & ((1 << (width * (high + 1))) - 1) >> (width * low) << (width * low)

    def draw(self, level: int, bits: BitSource) -> dict[int, int]:
        """Counts of sets from the root down, each in proportion to the ways that are left for the others."""
        products: dict[int, list[int]] = {}  # node -> products over its own members and its first children
        done: dict[int, int] = {}
        for node in self._space.nodes:
            steps = [self._space.ways[len(node.own)]]
            for child in node.children:
                steps.append((steps[-1] * done[id(child)]) & self._full)
            products[id(node)], done[id(node)] = steps, self._windowed(node, steps[-1], level)
        found: dict[int, int] = {}
        open_nodes = [(self._space.root, self._space.records)]
        while open_nodes:
            node, left = open_nodes.pop()
            for place in range(len(node.children) - 1, -1, -1):
                child, before = node.children[place], products[id(node)][place]
                ways = [self._at(done[id(child)], t) * self._at(before, left - t) for t in range(left + 1)]
                taken = int(weighted(ways, 1, bits=bits)[0])
                open_nodes.append((child, taken))
                left -= taken
            found |= spread(left, node.own, bits)
        return found

    def _at(self, polynomial: int, degree: int) -> int:
        """A coefficient."""
        width = self._space.slot
        return (polynomial >> (width * degree)) & ((1 << width) - 1)
