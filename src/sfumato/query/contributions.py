"""How much of what a person has counts, as the owner declared it for tables, in relations made of them."""

from typing import assert_never

from sfumato.data import Dataset
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where


def bounds(plan: Plan, dataset: Dataset) -> tuple[int, int]:
    """How many rows of a person count in a group, and in how many groups a person counts."""
    match plan:
        case Scan():
            table = dataset.table(plan.table)
            if dataset.unit is None or plan.single or table is None:
                return 1, 1
            return table.rows_per_group, table.groups_per_person
        case Where() | Project():
            return bounds(plan.of, dataset)
        case PerPerson():
            return (1, 1) if plan.single else (1, bounds(plan.of, dataset)[1])
        case Join():
            sides = [bounds(side, dataset) for side in (plan.left, plan.right) if side.private]
            return max((s[0] for s in sides), default=1), max((s[1] for s in sides), default=1)
        case Union():
            sides = [bounds(part, dataset) for part in plan.parts]
            return sum(s[0] for s in sides), sum(s[1] for s in sides)
        case _:
            assert_never(plan)
