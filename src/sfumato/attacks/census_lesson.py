"""The block of Table 1 as a lesson: reconstructed from the table, and from the same table published with privacy."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.census import OLDEST, PUBLISHED, TABLE, TRUTH, Block, Person, Row, reconstruct
from sfumato.attacks.lesson import Chance, Lesson, Result, Side
from sfumato.attacks.rates import Rate
from sfumato.core import Categories, IntegerInterval, Neighbours, Norm, Product
from sfumato.exact import BitSource, integers
from sfumato.exact.parameters import Real, positive
from sfumato.mechanisms import Geometric, LinearQueries
from sfumato.pictures import Curve

_RELEASES = 60
_IMAGINED = 4000
_NEAR = 5
Reals = NDArray[np.float64]


def withheld(rows: tuple[Row, ...] = PUBLISHED, *, most: int = 1000) -> dict[str, int]:
    """How many blocks agree with the rows when one of them is left out.

    With PUBLISHED the rows marked (D) are not used at all; with TABLE they are known to count fewer than three.
    """
    return {row.name: len(reconstruct([r for r in rows if r is not row], most=most).blocks) for row in rows}


@lru_cache(maxsize=1)
def _queries() -> tuple[LinearQueries, LinearQueries]:
    """The count of every row of the table, and the sum of its ages, over all kinds of person."""
    kinds = Product(
        (IntegerInterval(0, OLDEST), Categories(("F", "M")), Categories(("B", "W")), Categories(("S", "M")))
    )

    def counting(row: Row) -> Callable[[tuple[int, str, str, str]], int]:
        return lambda kind: int(row.holds(Person(*kind)))

    def summing(row: Row) -> Callable[[tuple[int, str, str, str]], int]:
        return lambda kind: kind[0] if row.holds(Person(*kind)) else 0

    counts = LinearQueries.of([counting(row) for row in TABLE], kinds)
    return counts, LinearQueries.of([summing(row) for row in TABLE], kinds, upper=OLDEST)


def publish(block: Block, *, epsilon: Real, bits: BitSource | None = None) -> tuple[Reals, Reals]:
    """Noisy counts and sums of ages of every row, at a total of ε for one person more or less."""
    half = positive("epsilon", epsilon) / 2
    said: list[Reals] = []
    for queries in _queries():
        moved = queries.sensitivity(Norm.L1, Neighbours())
        noise = Geometric(epsilon=half, sensitivity=moved, dimension=len(TABLE))
        histogram = {tuple(person): block.count(person) for person in block}
        said.append(noise.release(queries.answer(histogram), bits=bits).astype(np.float64))
    return said[0], said[1]


def imagine(n: int, *, bits: BitSource | None = None) -> list[Block]:
    """Blocks as an attacker imagines them who has seen no table: everything uniform, the married at least 15."""
    ages, kinds = integers(OLDEST + 1, (n, 7), bits=bits), integers(8, (n, 7), bits=bits)
    return [
        tuple(
            sorted(
                Person(int(a), "FM"[k & 1], "BW"[(k >> 1) & 1], "M" if (k >> 2) and a >= 15 else "S")
                for a, k in zip(row, kind.tolist(), strict=True)
            )
        )
        for row, kind in zip(ages.tolist(), kinds, strict=True)
    ]


def _statistics(blocks: list[Block]) -> tuple[Reals, Reals]:
    inside = np.array([[[row.holds(p) for p in block] for row in TABLE] for block in blocks], dtype=np.float64)
    ages = np.array([[p.age for p in block] for block in blocks], dtype=np.float64)
    return inside.sum(axis=2), (inside * ages[:, None, :]).sum(axis=2)


def infer(
    released: tuple[Reals, Reals], known: tuple[Reals, Reals], *, epsilon: Real, bits: BitSource | None = None
) -> int:
    """Which imagined block the attacker settles on: one drawn by its likelihood given what was released."""
    half, weights = float(positive("epsilon", epsilon)) / 2, np.zeros(len(known[0]))
    for queries, noisy, exact in zip(_queries(), released, known, strict=True):
        scale = queries.sensitivity(Norm.L1, Neighbours()).value / half
        weights -= np.abs(exact - noisy).sum(axis=1) / scale
    chances = np.cumsum(np.exp(weights - weights.max()))
    return int(np.searchsorted(chances, chances[-1] * (integers(2**53, bits=bits) + 0.5) / 2**53))


def right(found: Block, truth: Block = TRUTH) -> int:
    """How many records are right: sex, race and status, and the age to within five years, each record used once."""
    left, hits = list(truth), 0
    for person in found:
        for other in left:
            if person[1:] == other[1:] and abs(person.age - other.age) <= _NEAR:
                left.remove(other)
                hits += 1
                break
    return hits


def run(bits: BitSource | None = None) -> Result:
    """The table as printed gives one block; the same table at a total of ε = 1 gives no more than imagination."""
    solved = reconstruct(PUBLISHED)
    counts, knowing = (
        withheld(),
        {name: n for name, n in withheld(TABLE).items() if name in {r.name for r in PUBLISHED}},
    )
    blocks = imagine(_IMAGINED, bits=bits)
    known = _statistics(blocks)
    after = [
        right(blocks[infer(publish(TRUTH, epsilon=1, bits=bits), known, epsilon=1, bits=bits)])
        for _ in range(_RELEASES)
    ]
    prior = [right(block) for block in blocks]
    exact = sum(person in TRUTH for person in solved.blocks[0]) if len(solved.blocks) == 1 else 0
    names = list(counts)
    return Result(
        success="a record of the block is told: sex, race, status, and age to within five years",
        sides=(
            Side("the table as printed", Rate(exact, 7)),
            Side("the table at a total of ε = 1", Rate(sum(after), 7 * _RELEASES), protected=True),
        ),
        chance=Chance("imagination, without any table", Rate(sum(prior), 7 * len(blocks)).share),
        remarks=(
            f"blocks that agree with the printed table: {len(solved.blocks)}: " + " ".join(map(str, solved.blocks[0])),
            "the rows marked (D) are not needed: suppressing them protected nobody",
            "blocks that agree when one row is withheld: "
            + ", ".join(f"{name} {count}" for name, count in counts.items()),
            "the same if (D) is known to mean fewer than three: "
            + ", ".join(f"{name} {count}" for name, count in knowing.items()),
        ),
        curves=(Curve("blocks that agree", list(range(len(names))), [float(c) for c in counts.values()]),),
        x_label="row withheld",
        y_label="blocks that agree",
        x_names=tuple(names),
        facts={
            "solutions": len(solved.blocks),
            "block": [str(p) for p in solved.blocks[0]],
            "withheld": counts,
            "withheld knowing (D)": knowing,
        },
    )


LESSON = Lesson(
    name="census",
    title="Aggregates can be solved",
    story=(
        "A block of seven people is published as counts, medians and means, with small groups suppressed. Each "
        "number is a constraint, and a solver asked for every set of seven people that satisfies them all finds "
        "exactly one: the people who live there."
    ),
    defence=(
        "The same rows as counts and sums with noise at a total of ε = 1, whatever the number of rows. Many "
        "blocks agree with such numbers about equally well, and who weighs them all does as well as who has seen "
        "no table."
    ),
    run=run,
    source="Survey §1.3.1, Table 1",
)
