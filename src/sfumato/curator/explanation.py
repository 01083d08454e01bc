"""What a question would do and cost: known without data, shown for nothing."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.core.printing import for_terminal
from sfumato.curator.release import Cost, written
from sfumato.data import Dataset
from sfumato.exact.parameters import nearest
from sfumato.query.plan import Join, PerPerson, Plan, Scan, Union, Where
from sfumato.query.postprocess import reaches
from sfumato.query.price import Priced, PricedQuery

_WORDS = {
    "rows": "number of rows", "split": "rows with and without a value", "present": "rows with a value",
    "people": "number of people", "distinct": "different values", "sum": "sum", "square": "sum of squares",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One mechanism of a plan: what it measures, by which noise, at what share, and how far it will be off."""

    measures: str
    by: str
    share: str
    error: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan of a question, its mechanisms, its price, what bounding leaves out, and what would remain."""

    question: str
    plan: tuple[str, ...]
    groups: str
    bounding: str
    mechanisms: tuple[Mechanism, ...]
    columns: tuple[tuple[str, str], ...]
    """What error to expect in each column of the answer."""
    cost: Cost
    confidence: Fraction
    remaining: tuple[tuple[str, str], ...]
    affordable: bool
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "question": self.question,
            "plan": list(self.plan),
            "groups": self.groups,
            "bounding": self.bounding,
            "mechanisms": [
                {"measures": m.measures, "by": m.by, "share": m.share, "error": m.error} for m in self.mechanisms
            ],
            "columns": dict(self.columns),
            "cost": self.cost.to_json(),
            "confidence": float(self.confidence),
            "remaining": dict(self.remaining),
            "affordable": self.affordable,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = ["plan"]
        lines += [f"  {line}" for line in self.plan]
        lines += [f"groups      {self.groups}", f"bounding    {self.bounding}", "mechanisms"]
        lines += [f"  {m.measures}: {m.by}, {m.share}, {m.error}" for m in self.mechanisms]
        lines += [f"expected error ({100 * float(self.confidence):g} % of the time)"]
        lines += [f"  {name}: {error}" for name, error in self.columns]
        left = "; ".join(f"{value} of {name}" for name, value in self.remaining)
        lines += [f"cost        {self.cost}", f"then left   {left}", *self.notes]
        return for_terminal("\n".join(lines), lines=True)

    def __repr__(self) -> str:
        return str(self)


def explained(
    query: PricedQuery, dataset: Dataset, cost: Cost, remaining: tuple[tuple[str, str], ...], *, affordable: bool
) -> Explanation:
    """The explanation of a priced question."""
    beta = 1 - query.confidence
    mechanisms = [_mechanism(each, query, beta) for i, each in enumerate(query.priced) if i != query.counted_keys]
    if query.keys is not None:
        mechanisms.insert(0, _selection(query))
    return Explanation(
        question=query.question.text,
        plan=tuple(described(query.question.plan)),
        groups=_groups(query),
        bounding=_bounding(query, dataset),
        mechanisms=tuple(mechanisms),
        columns=tuple(expected(query, beta)),
        cost=cost,
        confidence=query.confidence,
        remaining=remaining,
        affordable=affordable,
        notes=tuple(notes(query)),
    )


def notes(query: PricedQuery) -> list[str]:
    """What a reader of the answer must know."""
    found = []
    for aggregate in query.question.aggregates:
        if aggregate.kind == "quantile" and aggregate.q in (Fraction(1, 100), Fraction(99, 100)):
            found.append(
                "MIN and MAX are answered as the 1 % and 99 % quantiles: the extremes are single people's values"
            )
            break
    if query.keys is not None:
        found.append(f"groups show if about {query.keys.threshold} people or more are in them")
    return found


def described(plan: Plan, depth: int = 0) -> list[str]:
    """The plan as lines, the last step first."""
    pad = "  " * depth
    if isinstance(plan, Scan):
        cut = f", at most {plan.cut} rows a person" if plan.cut is not None and plan.private else ""
        return [f"{pad}{plan.table} ({'private' if plan.private else 'public'}{cut})"]
    if isinstance(plan, Join):
        on = ", ".join(f"{plan.left.fields[i].name} = {plan.right.fields[j].name}" for i, j in plan.equal)
        return [f"{pad}join on {on}", *described(plan.left, depth + 1), *described(plan.right, depth + 1)]
    if isinstance(plan, Union):
        return [f"{pad}all rows of", *[line for part in plan.parts for line in described(part, depth + 1)]]
    if isinstance(plan, PerPerson):
        what = ", ".join(each.kind for each in plan.aggregates) or "nothing"
        return [f"{pad}one line a person{' and key' if plan.keys else ''}: {what}", *described(plan.of, depth + 1)]
    word = "rows that pass WHERE" if isinstance(plan, Where) else "computed columns"
    return [f"{pad}{word} of", *described(plan.of, depth + 1)]


def _groups(query: PricedQuery) -> str:
    if not query.question.keys:
        return "one answer for all rows"
    known = query.question.groups
    if known is not None:
        return f"{len(known)} public groups, all returned"
    return "groups are not public: those with too few people are left out"


def _bounding(query: PricedQuery, dataset: Dataset) -> str:
    limits = query.bounds
    if dataset.unit is None:
        return "each row is protected by itself; nothing is left out"
    if limits.cut is not None:
        return (
            f"a person has at most {limits.cut} {'row' if limits.cut == 1 else 'rows'} here; nothing more is left out"
        )
    rows = f"of a person's rows in a group {limits.rows} count (more are weighted down to as many)"
    if not query.question.keys:
        return rows.replace(" in a group", "")
    known = query.question.groups
    if known is not None and len(known) <= limits.groups:
        return rows
    groups = "1 group" if limits.groups == 1 else f"{limits.groups} groups"
    return f"{rows}, and a person counts in {groups}, chosen by a hash"


def _selection(query: PricedQuery) -> Mechanism:
    assert query.keys is not None
    people = query.keys.people_for(Fraction(95, 100))
    share = query.spend.amount / _parts(query)
    return Mechanism(
        "groups by their number of people",
        type(query.keys).__name__,
        f"{_symbol(query)} = {written(share)}, δ = {written(query.spend.delta)}",
        f"a group of {people} people shows with 95 %, a lone person's with δ",
    )


def _parts(query: PricedQuery) -> int:
    return len(query.priced) + (1 if query.keys is not None and query.counted_keys is None else 0)


def _symbol(query: PricedQuery) -> str:
    return "ε" if query.spend.epsilon is not None else "ρ"


def _mechanism(priced: Priced, query: PricedQuery, beta: Fraction) -> Mechanism:
    share = f"{_symbol(query)} = {written(priced.share)}"
    measure = priced.measure
    if priced.quantiles is not None:
        off = priced.quantiles[0].error(beta).alpha
        rank = f"rank within {off:,.0f} rows"
        return Mechanism(
            f"quantile {float(measure.q or 0):g}", "exponential mechanism, with two more for its error bar", share, rank
        )
    assert priced.noise is not None
    reach = priced.noise.reach(beta) * measure.step
    name = {"GeometricNoise": "geometric noise", "DiscreteGaussianNoise": "discrete Gaussian noise"}[
        type(priced.noise).__name__
    ]
    return Mechanism(_WORDS[measure.kind], name, share, f"within {nearest(reach):,.6g}")


def expected(query: PricedQuery, beta: Fraction) -> list[tuple[str, str]]:
    """The error of each column of the answer that can be told before data are seen."""
    off = reaches(query, beta)
    found: list[tuple[str, str]] = []
    at = len(query.question.keys)
    for name, output in query.question.outputs:
        index = getattr(output, "index", None)
        if index is None:
            found.append((name, "follows from the columns it is made of"))
        elif index < at:
            found.append((name, "a key, exact"))
        else:
            recipe = query.measures.recipes[index - at]
            found.append(
                (name, _error(recipe.kind, [off[c] for c in recipe.columns], recipe.step, query, recipe.columns))
            )
    return found


def _error(kind: str, off: list[int], step: Fraction, query: PricedQuery, columns: tuple[int, ...]) -> str:
    if kind == "count":
        return f"± {sum(off):,}"
    if kind == "sum":
        return f"± {nearest(off[0] * step):,.6g}"
    if kind == "avg":
        return f"± {nearest(off[0] * step):,.6g}/n, with n the rows in the group"
    if kind == "variance":
        return f"± about {nearest(off[0] * step * step):,.6g}/n, with n the rows in the group"
    at = query.measures.starts.index(columns[0])
    quantiles = query.priced[at].quantiles
    assert quantiles is not None
    return f"rank within {quantiles[0].error(1 - query.confidence).alpha:,.0f} rows"
