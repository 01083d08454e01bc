"""The census block of the survey's Table 1, reconstructed from what was published (Survey §1.3.1).

Garfinkel, Abowd, Martindale 2018 give the block; a constraint solver finds every set of seven people that agrees with
the published counts, medians and means.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from sfumato.core.libraries import library
from sfumato.errors import InvalidParameter

OLDEST = 125
_FEW = 3  # what is marked (D) counts fewer people than this


class Person(NamedTuple):
    """One record of the block."""

    age: int
    sex: str
    race: str
    status: str

    def __str__(self) -> str:
        return f"{self.age}{self.sex}{self.race}{self.status}"


Block = tuple[Person, ...]
TRUTH: Block = tuple(
    Person(int(text[:-3]), text[-3], text[-2], text[-1])
    for text in ("8FBS", "18MWS", "24FWS", "30MWM", "36FBM", "66FBM", "84MBM")
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: a group, and its count, median and mean, or (D) where it counts too few to show.

    `low` and `high` are ages; None in `sex`, `race` or `status` means anybody.
    """

    name: str
    group: str
    count: int | None
    median: Fraction | None = None
    mean: Fraction | None = None
    sex: str | None = None
    race: str | None = None
    status: str | None = None
    low: int = 0
    high: int = OLDEST

    def holds(self, person: Person) -> bool:
        """Whether a person belongs to the group."""
        named = ((self.sex, person.sex), (self.race, person.race), (self.status, person.status))
        return all(want in (None, have) for want, have in named) and self.low <= person.age <= self.high


def _row(name: str, group: str, count: int, median: str, mean: str, **who: Any) -> Row:
    return Row(name, group, count, Fraction(median), Fraction(mean), **who)


TABLE: tuple[Row, ...] = (
    _row("1A", "total population", 7, "30", "38"),
    _row("2A", "female", 4, "30", "33.5", sex="F"),
    _row("2B", "male", 3, "30", "44", sex="M"),
    _row("2C", "black or African American", 4, "51", "48.5", race="B"),
    _row("2D", "white", 3, "24", "24", race="W"),
    Row("3A", "single adults", None, status="S", low=18),
    _row("3B", "married adults", 4, "51", "54", status="M", low=18),
    _row("4A", "black or African American female", 3, "36", "36.7", sex="F", race="B"),
    Row("4B", "black or African American male", None, sex="M", race="B"),
    Row("4C", "white male", None, sex="M", race="W"),
    Row("4D", "white female", None, sex="F", race="W"),
    Row("5A", "persons under 5 years", None, high=4),
    Row("5B", "persons under 18 years", None, high=17),
    Row("5C", "persons 64 years or older", None, low=64),
)
PUBLISHED: tuple[Row, ...] = tuple(row for row in TABLE if row.count is not None)


@dataclass(frozen=True, slots=True)
class Solutions:
    """The blocks that agree with what was published; `complete` is False where the search was cut off."""

    blocks: tuple[Block, ...]
    complete: bool


def reconstruct(rows: Sequence[Row], *, people: int = 7, most: int = 1000, seconds: float = 20.0) -> Solutions:
    """Every block of so many people that agrees with the rows, up to `most` of them.

    Married persons are 15 or over, and a suppressed row counts fewer than three.
    """
    model, cells = _model(rows, people)
    library("ortools.sat.python.cp_model", "solving a census block")
    from ortools.sat.python import cp_model

    found: set[Block] = set()

    class Collect(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.add(
                tuple(
                    Person(
                        self.value(age),
                        "F" if self.value(female) else "M",
                        "B" if self.value(black) else "W",
                        "M" if self.value(married) else "S",
                    )
                    for age, female, black, married in cells
                )
            )
            if len(found) >= most:
                self.stop_search()

    solver: Any = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model, Collect())
    done = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) and len(found) < most
    return Solutions(tuple(sorted(found)), bool(done))


def _model(rows: Iterable[Row], people: int) -> tuple[Any, list[tuple[Any, Any, Any, Any]]]:
    """The constraints: people in order of age, so that no block is counted twice."""
    library("ortools.sat.python.cp_model", "solving a census block")
    from ortools.sat.python import cp_model

    if people < 1:
        raise InvalidParameter("people", "must be at least 1", people)
    model: Any = cp_model.CpModel()
    cells: list[tuple[Any, Any, Any, Any]] = []
    codes: list[Any] = []
    for i in range(people):
        age = model.new_int_var(0, OLDEST, f"age {i}")
        female, black, married = (model.new_bool_var(f"{what} {i}") for what in ("female", "black", "married"))
        model.add(age >= 15).only_enforce_if(married)
        cells.append((age, female, black, married))
        codes.append(age * 8 + female * 4 + black * 2 + married)
        if i:
            model.add(codes[i - 1] <= codes[i])
    for row in rows:
        _publish(model, cells, row)
    return model, cells


def _publish(model: Any, cells: list[tuple[Any, Any, Any, Any]], row: Row) -> None:
    """The constraints that one row puts on the people."""
    members = [_member(model, cell, row, i) for i, cell in enumerate(cells)]
    if row.count is None:
        model.add(sum(members) < _FEW)
        return
    model.add(sum(members) == row.count)
    parts = [_gated(model, cell[0], member) for cell, member in zip(cells, members, strict=True)]
    if row.mean is not None:
        # Means are rounded to one decimal: every sum that rounds to the published mean is possible.
        half = Fraction(1, 20)
        low, high = (row.mean - half) * row.count, (row.mean + half) * row.count
        model.add(sum(parts) * low.denominator >= low.numerator)
        model.add(sum(parts) * high.denominator <= high.numerator)
    if row.median is not None:
        middle = ((row.count + 1) // 2, row.count // 2 + 1)  # the ranks whose ages' mean is the median
        chosen = [_ranked(model, cells, members, rank) for rank in middle]
        model.add(sum(chosen) * row.median.denominator == 2 * row.median.numerator)


def _member(model: Any, cell: tuple[Any, Any, Any, Any], row: Row, i: int) -> Any:
    """Whether a person belongs to the group, as a variable of the model."""
    age, female, black, married = cell
    parts: list[Any] = []
    for want, letter, flag in ((row.sex, "F", female), (row.race, "B", black), (row.status, "M", married)):
        if want is not None:
            parts.append(flag if want == letter else flag.negated())
    for bound, is_low in ((row.low, True), (row.high, False)):
        if (is_low and bound > 0) or (not is_low and bound < OLDEST):
            inside = model.new_bool_var(f"{row.name} age {i} {is_low}")
            model.add(age >= bound if is_low else age <= bound).only_enforce_if(inside)
            model.add(age < bound if is_low else age > bound).only_enforce_if(inside.negated())
            parts.append(inside)
    member = model.new_bool_var(f"{row.name} {i}")
    model.add_bool_and(parts).only_enforce_if(member)
    model.add_bool_or([part.negated() for part in parts] + [member])
    return member


def _gated(model: Any, age: Any, member: Any) -> Any:
    """The age of a member, 0 of anybody else."""
    part = model.new_int_var(0, OLDEST, "")
    model.add(part == age).only_enforce_if(member)
    model.add(part == 0).only_enforce_if(member.negated())
    return part


def _ranked(model: Any, cells: list[tuple[Any, Any, Any, Any]], members: list[Any], rank: int) -> Any:
    """The age of the rank-th member; people are in order of age, so it is the first with so many up to it."""
    chosen = [model.new_bool_var("") for _ in cells]
    for i, pick in enumerate(chosen):
        model.add(sum(members[: i + 1]) == rank).only_enforce_if(pick)
        model.add_implication(pick, members[i])
    model.add_exactly_one(chosen)
    return sum(_gated(model, cell[0], pick) for cell, pick in zip(cells, chosen, strict=True))
