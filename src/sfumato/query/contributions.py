"""How much of what a person has counts: as the owner declared it for tables, in relations made of them, in questions.

What bounds a person is a weight, so any number would do for a relation; these are such that nobody who keeps to what
was declared of the tables is weighted down by a join along the unit or by a union.
"""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, assert_never

from sfumato.data import Dataset, Table
from sfumato.errors import InvalidParameter
from sfumato.query.bounds import NO_WISH, Bounds, Wish
from sfumato.query.expression import refs
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, parts_of, tables
from sfumato.query.question import Question

_MOST_ROWS = 2**40  # nobody has more
_FEW = 3  # groups that are not public, of a person of whom only the number of rows is bounded


@dataclass(frozen=True, slots=True)
class Declared:
    """Rows of a person in a group, groups, and rows in all; None where nothing is declared."""

    rows: int | None = None
    groups: int | None = None
    total: int | None = None

    @property
    def in_all(self) -> int:
        """What a person's rows may weigh in all groups together."""
        return least(self.total, None if self.rows is None or self.groups is None else self.rows * self.groups)

    @property
    def in_one(self) -> int:
        """What they may weigh where all of them are in one group."""
        return least(self.total, self.rows)


def least(*known: int | None) -> int:
    """The smallest of the numbers that are known, of which there is one at least.

    >>> least(None, 3, 2)
    2
    """
    return min(each for each in known if each is not None)


_ONE = Declared(1, 1)


def declared(plan: Plan, dataset: Dataset) -> Declared:
    """What bounds a person's rows in a relation."""
    match plan:
        case Scan():
            table = dataset.table(plan.table)
            return _ONE if dataset.unit is None or plan.single or table is None else _of_table(table)
        case Where() | Project():
            return declared(plan.of, dataset)
        case PerPerson():  # lines of person and key count as rows do
            return _ONE if plan.single else declared(plan.of, dataset)
        case Join():
            sides = [declared(side, dataset) for side in (plan.left, plan.right) if side.private]
            total = max((side.in_all for side in sides), default=1) if any(side.total for side in sides) else None
            return Declared(_most([s.rows for s in sides]), _most([s.groups for s in sides]), total)
        case Union():
            parts = [declared(part, dataset) for part in plan.parts]
            total = sum(part.in_all for part in parts)
            return Declared(_sum([p.rows for p in parts]), _sum([p.groups for p in parts]), total)
        case _:
            assert_never(plan)


def _of_table(table: Table) -> Declared:
    return Declared(table.rows_per_group, table.groups_per_person, table.rows_per_person)


def _most(known: list[int | None]) -> int | None:
    return None if None in known else max((each for each in known if each is not None), default=1)


def _sum(known: list[int | None]) -> int | None:
    return None if None in known else sum(each for each in known if each is not None)


def excess(plan: Plan, dataset: Dataset) -> int | None:
    """How many rows of a person beyond what counts may be told of, if the owner says so of every table it reads."""
    known = [dataset.table(name) for name in tables(plan)]
    said = [
        table.excess for table in known if table is not None and not table.public and not dataset.holds_people(table)
    ]
    return _sum(said) if said else None


def lines_of_people(plan: Plan, dataset: Dataset) -> list[int]:
    """Of every line that adds up a person's own rows, how many of them are expected, where there may be more."""
    found = [each for part in parts_of(plan) for each in lines_of_people(part, dataset)]
    if isinstance(plan, PerPerson) and plan.aggregates and not plan.of.single:
        found.insert(0, own_rows(plan.of, dataset))
    return found


def own_rows(plan: Plan, dataset: Dataset) -> int:
    """How many of a person's own rows an aggregate over them is expected to see: more count as so many."""
    return plan.cut if plan.cut is not None else declared(plan, dataset).in_one


def person_bounds(
    question: Question, dataset: Dataset, *, apart: bool = False, wish: Wish = NO_WISH, cells: bool = False
) -> Bounds:  # fmt: skip
    """How a person's part is bounded in this question.

    Where noise is drawn for what a person moves in all groups together, what may be in one group decides nothing, and
    one weight a person keeps at least as much of everybody. `apart` says that it decides: for ρ, where squares add up,
    and for whoever looks at one group at a time. `cells` says that no group is chosen, however many there are.
    """
    cut, there = question.plan.cut, _public(question, cells=cells)
    many = 1 if there is not None and one_group(question) else there
    if (wish.rows, wish.groups) != (None, None):
        _check_wish(wish, dataset, many)
    if cut is not None and wish.groups is None and wish.rows in (None, cut):
        return Bounds(cut, keys=cut if there is None else min(cut, there), cut=True)
    said = declared(question.plan, dataset) if cut is None else Declared(total=cut)
    made = _unknown_groups(said, wish.groups, apart=apart) if many is None else _public_groups(said, many, apart=apart)
    total = min(made.total if wish.rows is None else _within("rows", wish.rows, made.total), _MOST_ROWS)
    rows = None if made.rows is None or made.rows >= total else made.rows
    if there is not None:
        # in as many groups as there are: that all rows of a person are in one is not left to be believed
        return replace(made, total=total, rows=rows, in_parts=made.keys < there)
    assert made.picked is not None
    picked = min(made.picked, total)
    return replace(made, total=total, rows=rows, picked=picked, keys=picked)


def _check_wish(wish: Wish, dataset: Dataset, many: int | None) -> None:
    if dataset.unit is None:
        given = "rows" if wish.rows is not None else "groups"
        problem = "is for people who have several rows; here each row is protected"
        raise InvalidParameter(given, problem, getattr(wish, given), hint="leave it out")
    if wish.groups is not None and many is not None:
        raise InvalidParameter("groups", "is for groups that are not public", wish.groups, hint="leave it out")


def _within(name: str, asked: Any, most: int) -> int:
    if not isinstance(asked, int) or isinstance(asked, bool) or not 1 <= asked <= most:
        problem = f"must be a whole number from 1 to {most}, which the owner allows"
        raise InvalidParameter(name, problem, asked, hint=f"{name}={most}, or leave it out")
    return asked


def _public_groups(said: Declared, many: int, *, apart: bool) -> Bounds:
    """At most so many groups are there, and no group of a person is left out."""
    groups = many if said.groups is None else min(said.groups, many)
    total = least(said.total, None if said.rows is None else said.rows * groups)
    rows = said.rows if apart else None
    keys = min(many, total if said.groups is None else said.groups)
    return Bounds(total, rows, None, keys)


def _unknown_groups(said: Declared, asked: int | None, *, apart: bool) -> Bounds:
    """Some groups of a person are picked: how many a person is in decides what showing a group may cost."""
    most = said.in_all if said.groups is None else said.groups
    groups = most if said.groups is not None else min(most, _FEW)
    if asked is not None:
        groups = _within("groups", asked, most)
    total = least(said.total, None if said.rows is None else said.rows * groups)
    # one row of a person in a group: then rows are people, who are counted already to choose the groups
    rows = said.rows if apart or said.rows == 1 else None
    return Bounds(total, rows, groups, groups)


def _public(question: Question, *, cells: bool) -> int | None:
    """How many groups there are, or None if those that show are chosen."""
    if not question.keys:
        return 1
    if cells:
        return prod(len(domain) for domain in question.domains if domain is not None)
    return None if question.groups is None else len(question.groups)


def one_group(question: Question) -> bool:
    """Whether all rows of a person fall into one group, because the keys are the person's own."""
    return all(ref.field.own for key in question.keys for ref in refs(key))
