"""A small database at work: 128 records over 64 values, drawn exactly from 10**51 candidates."""

import time

from sfumato.core import IntegerInterval
from sfumato.synth import HierarchyWorkload, HistogramDatabase, KnownPeople, PrefixWorkload, SmallDatabase

AGES = IntegerInterval(0, 63)
COUNTS = [round(9000 * (age + 1) ** 2 * 0.9**age) for age in AGES]
RECORDS = 128


def main() -> None:
    """Prefixes, a binary tree and single cells of one histogram, each answered by a database of its own."""
    data = HistogramDatabase(AGES, COUNTS)
    people = KnownPeople(sum(COUNTS))
    print(f"{people.people:,} people, 64 values, {RECORDS} records, ε = 1\n")
    print(
        f"{'workload':22} {'queries':>8} {'candidates':>11} {'seconds':>8} {'largest error':>14} {'bound (95 %)':>13}"
    )
    for name, workload in (
        ("prefixes", PrefixWorkload(AGES)),
        ("binary tree", HierarchyWorkload.tree(AGES, branching=2)),
        ("cells", HierarchyWorkload(AGES, tuple((place,) for place in range(64)))),
    ):
        start = time.perf_counter()
        mechanism = SmallDatabase(workload=workload, epsilon=1, records=RECORDS, people=people)
        small = mechanism.release(data)
        taken = time.perf_counter() - start
        pairs = zip(workload.answers(data), workload.answers(small), strict=True)
        off = max(float(abs(a - b)) for a, b in pairs) / people.people
        bound = mechanism.error(0.05).alpha / people.people
        candidates = f"{mechanism.space.total:.1e}"
        print(f"{name:22} {len(workload):8} {candidates:>11} {taken:8.2f} {off:14.2%} {bound:13.2%}")


if __name__ == "__main__":
    main()
