"""Words for people, made of what leaves as data: how a release, an explanation and a refusal read."""

from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING, Any, Protocol

from sfumato.core.printing import for_page, for_terminal
from sfumato.curator.noted import several
from sfumato.query.bars import Bar
from sfumato.query.measures import MEASURES

if TYPE_CHECKING:
    from sfumato.curator.explanation import (
        Bounding,
        Error,
        Explanation,
        OtherBounding,
        PlannedMechanism,
        ReturnedGroups,
        Step,
    )
    from sfumato.curator.release import Cost, Left, Release

ANYONE = "analyst"
"""Who asks where no analysts are declared."""


class Budgeted(Protocol):
    """Whatever says whose budget it is about."""

    @property
    def dataset(self) -> str:
        """The dataset."""
        ...

    @property
    def group(self) -> str:
        """The group of datasets whose cap it is, or none."""
        ...

    @property
    def principal(self) -> str:
        """The analyst, or nobody for the dataset's own."""
        ...

    @property
    def period(self) -> str:
        """The window, or nothing for all time."""
        ...

    @property
    def currency(self) -> str:
        """What it counts in."""
        ...


class Short(Budgeted, Protocol):
    """A budget that refuses: what was asked of it, and what it has."""

    @property
    def cost(self) -> Fraction | None:
        """What the question costs in its currency; None where it has no price there."""
        ...

    @property
    def left(self) -> Fraction:
        """What is left of it."""
        ...


# ---- amounts ----


def exact_text(value: Fraction) -> str:
    """A rational as a decimal if it is one, else as a ratio.

    >>> exact_text(Fraction(1, 8)), exact_text(Fraction(1, 3))
    ('0.125', '1/3')
    """
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    if bottom != 1:
        return str(value)
    context = Context(prec=400)
    text = format(context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context), "f")
    return text if Fraction(text) == value else str(value)


def six_digits(value: Fraction) -> str:
    """An amount for people: six digits, rounded to nearest."""
    return f"{float(value):.6g}"


def told_apart(value: Fraction, other: Fraction) -> tuple[str, str]:
    """Two amounts for people, with as many digits as show that they differ.

    >>> told_apart(Fraction(1), Fraction(3, 10)), told_apart(Fraction(1), 1 - Fraction(1, 10**9))
    (('1', '0.3'), ('1', '0.999999999'))
    >>> told_apart(Fraction(1), 1 - Fraction(1, 10**30))
    ('1', '1 less 1e-30')
    """
    if value == other or six_digits(value) != six_digits(other):
        return six_digits(value), six_digits(other)
    for digits in (9, 12, 15, 18):
        context = Context(prec=digits)
        shown = [
            f"{context.divide(Decimal(x.numerator), Decimal(x.denominator)).normalize():f}" for x in (value, other)
        ]
        if shown[0] != shown[1]:
            return shown[0], shown[1]
    sign = "less" if other < value else "and"
    return six_digits(value), f"{six_digits(value)} {sign} {float(abs(value - other)):.3g}"


def not_above(value: Fraction) -> str:
    """An amount for people that is not above it: six decimals."""
    return f"{floor(value * 10**6) / 10**6:.6g}" if value >= Fraction(1, 10**6) else exact_text(value)


def symbol(currency: str) -> str:
    """The letter of a currency."""
    if currency == "delta":
        return "δ"
    return "ρ" if currency.startswith("zcdp") else "ε"


def cost(of: "Cost") -> str:
    """What a question costs."""
    parts = [f"{name} = {six_digits(value)}" for name, value in (("ε", of.epsilon), ("ρ", of.rho)) if value is not None]
    return ", ".join([*parts, *([f"δ = {six_digits(of.delta)}"] if of.delta else [])]) or "nothing"


# ---- budgets ----


def budget_name(of: Budgeted) -> str:
    """Whose budget it is, and of which window."""
    whose = f"group {of.group}" if of.group else f"dataset {of.dataset}"
    if of.principal:
        whose = f"analyst {of.principal}"
    return f"{whose} this {of.period}" if of.period else whose


def left(of: "Left") -> str:
    """What is left of a budget."""
    return f"{symbol(of.currency)} = {six_digits(of.left)} of {budget_name(of)}"


def would_remain(of: "Left") -> str:
    """What would be left of a budget, as exactly as can be shown."""
    shown = exact_text(of.left) if of.left.denominator < 10**12 else six_digits(of.left)
    return f"{shown} of {budget_name(of)}"


def refused(short: Sequence[Short]) -> tuple[str, str]:
    """Why budgets refuse a question, whether it is too dear or has no price that they can count, and what to do."""
    dear, unpriced = ([each for each in short if (each.cost is None) is none] for none in (False, True))
    if not unpriced:
        return too_dear(dear)
    letters = list(dict.fromkeys(symbol(each.currency) for each in unpriced))
    parts = [_uncounted([each for each in unpriced if symbol(each.currency) == letter]) for letter in letters]
    problem = f"the question {'; it '.join(parts)}"
    if dear:
        problem = f"{problem}; {too_dear(dear)[0].replace('the question', 'it', 1)}"
    asked = {"ε": "this budget counts in ε: ask with epsilon", "ρ": "this budget counts in ρ: ask with rho"}
    return problem, asked.get(letters[0], "ask the owner")


def _uncounted(short: Sequence[Short]) -> str:
    """In what a question has no price, and whose budgets count in it."""
    whose = ", ".join(budget_name(each) for each in _named(short))
    return f"has no finite price in {symbol(short[0].currency)}, in which the budget of {whose} is counted"


def too_dear(short: Sequence[Short]) -> tuple[str, str]:
    """Why budgets refuse a question, all of them named, and what to do about it."""
    letters = list(dict.fromkeys(symbol(each.currency) for each in short))
    parts = [_lacking([each for each in short if symbol(each.currency) == letter]) for letter in letters]
    least = {letter: min(each.left for each in short if symbol(each.currency) == letter) for letter in letters}
    most = " and ".join(f"{letter} = {not_above(left)}" for letter, left in least.items())
    hint = f"ask for at most {most}, or ask the owner" if all(left > 0 for left in least.values()) else "ask the owner"
    return f"the question {'; it '.join(parts)}", hint


def _lacking(short: Sequence[Short]) -> str:
    """What is asked in one currency, and whose budgets do not hold it."""
    first, *others = _named(short)
    price = Fraction(0) if first.cost is None else first.cost
    nearest = max(short, key=lambda each: each.left).left  # the price is shown so that it is above all that are left
    shown = told_apart(price, nearest)[0]
    whose = f"costs {symbol(first.currency)} = {shown}, and {_has(first, price)} is left of {budget_name(first)}"
    return ", ".join([whose, *(f"{_has(each, price)} of {budget_name(each)}" for each in others)])


def _has(short: Short, price: Fraction) -> str:
    return f"{symbol(short.currency)} = {told_apart(price, short.left)[1]}"


def _named(short: Sequence[Short]) -> list[Short]:
    """Without the stand-in for analysts where none are declared: that budget is the dataset's own under a name."""
    own = {(each.period, each.currency, each.left) for each in short if not each.principal}
    return [s for s in short if s.principal != ANYONE or (s.period, s.currency, s.left) not in own]


# ---- notes ----


# ---- releases ----


def cell(bar: Bar) -> str:
    """A value with its error bar, with no more digits than its error is worth."""
    if bar.value is None:
        return "NULL" if bar.low is None or bar.high is None else f"NULL [{bar.low:,.6g}, {bar.high:,.6g}]"
    if not isinstance(bar.value, int | float) or isinstance(bar.value, bool):
        return str(bar.value)
    if bar.low is None or bar.high is None:
        shown = f"{bar.value:,}" if isinstance(bar.value, int) else f"{bar.value:,.6g}"
        return f"≈ {shown}" if bar.uncertain else shown  # it is not exact, and how far it is off is not known
    exact = isinstance(bar.value, int)
    middle = float(bar.value)
    up, down = bar.high - middle, middle - bar.low
    digits = 0 if exact else _digits(max(up, down, 0.0))
    value = f"{bar.value:,}" if exact else f"{bar.value:,.{digits}f}"
    if abs(up - down) <= max(0.1 * max(up, down), 1.0 if exact else 0.0):  # a whole number was rounded to be one
        return f"{value} ± {max(up, down):,.{digits}f}"
    return f"{value} [{bar.low:,.{digits}f}, {bar.high:,.{digits}f}]"


def _digits(off: float) -> int:
    """How many decimals are worth showing beside an error: its two leading digits."""
    return 0 if off >= 10 or off == 0 else min(12, 1 - floor(log10(off)))


def cells(release: "Release") -> list[list[str]]:
    """Every value with its error bar, as text that can be shown."""
    return [[for_terminal(cell(bar)) for bar in row] for row in release.bars]


def footer(release: "Release") -> str:
    """Cost, what remains, and the receipt, on one line."""
    remaining = "; ".join(left(each) for each in release.remaining)
    if not release.receipt:
        return f"free: public tables only · left {remaining}"
    paid = "free: released before" if release.repeated else f"cost {cost(release.cost)}"
    return f"{paid} · left {remaining} · receipt {release.receipt}"


def as_text(release: "Release") -> str:
    """A release as a table of text."""
    names = [for_terminal(name) for name in release.columns]
    lines = [names, *cells(release)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    body = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    about = [for_terminal(line) for line in (footer(release), *(each.text for each in release.notes))]
    return "\n".join([body[0], "  ".join("─" * width for width in widths), *body[1:], "", *about])


def as_page(release: "Release") -> str:
    """A release as a table of a page."""
    head = "".join(f"<th>{for_page(name)}</th>" for name in release.columns)
    body = "".join(f"<tr>{''.join(f'<td>{for_page(text)}</td>' for text in row)}</tr>" for row in cells(release))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{for_page(footer(release))}</p>"


# ---- explanations ----

_MEASURES = {"keys": "groups by their number of people", **{name: each.words for name, each in MEASURES.items()}}
_BY = {
    "geometric": "geometric noise", "discrete_gaussian": "discrete Gaussian noise",
    "joint_cells": "joint cells", "joint_keys": "joint cells, shown by their sum",
    "box": "box noise on all of them together", "gaussian": "normal noise on all of them together",
    "exponential": "exponential mechanism", "permute_and_flip": "permute-and-flip",
    "truncated_geometric_keys": "TruncatedGeometricKeys", "laplace_keys": "LaplaceKeys",
}  # fmt: skip


def plan(step: "Step", depth: int = 0) -> list[str]:
    """The plan as lines, the last step first."""
    below = [line for each in step.of for line in plan(each, depth + 1)]
    return [f"{'  ' * depth}{_STEPS[step.kind](step)}", *below]


def _scan(step: "Step") -> str:
    cut = f", at most {step.cut} rows a person" if step.cut is not None else ""
    return f"{step.table} ({'private' if step.private else 'public'}{cut})"


def _person(step: "Step") -> str:
    return f"one line a person{' and key' if step.keyed else ''}: {', '.join(step.aggregates) or 'nothing'}"


_STEPS: Mapping[str, Any] = {
    "scan": _scan,
    "join": lambda step: f"join on {', '.join(f'{one} = {other}' for one, other in step.on)}",
    "union": lambda _: "all rows of",
    "person": _person,
    "where": lambda _: "rows that pass WHERE of",
    "project": lambda _: "computed columns of",
}


def groups(of: "ReturnedGroups") -> str:
    """Which groups are returned."""
    if of.kind == "one":
        return "one answer for all rows"
    if of.kind == "public":
        return f"{of.count} public groups{', NULL among them' if of.null else ''}, all returned"
    return "groups are not public: those with too few people are left out"


def bounding(of: "Bounding") -> str:
    """What of a person counts."""
    if of.kind == "row":
        return "each row is protected by itself; nothing is left out"
    if of.kind == "cut":
        return f"a person has at most {of.rows} {'row' if of.rows == 1 else 'rows'} here; nothing more is left out"
    if of.kind == "lengths":
        many = f"{several(of.rows or 0, 'row')} count in a group, or as many as have that length over groups"
        return f"of a person {many} (the root of the sum of squares), and of more every row counts in part"
    rows = f"of a person {several(of.rows or 0, 'row')} count, and of more every row counts in part"
    within = "" if of.in_group is None else f", {of.in_group} of them in one group"
    chosen = "" if of.groups is None else f"; a person counts in {several(of.groups, 'group')}, chosen by a hash"
    return rows.replace(" count,", f" count{within},") + chosen


def not_chosen(of: "OtherBounding") -> str:
    """A way of bounding that was not taken, and its noise."""
    return f"{bounding(of.bounding)}: within {of.within:,.6g}"


def error(of: "Error") -> str:
    """How far off a column of an answer will be."""
    figure = "" if of.figure is None else f"{of.figure:,}" if isinstance(of.figure, int) else f"{of.figure:,.6g}"
    even = "" if of.least is None else f", of {of.least:,g} with even odds"
    if of.least is not None:
        figure = f"{of.least:,.6g}/n to {figure}"
    return {
        "exact": "a key, exact",
        "derived": "follows from the columns it is made of",
        "within": f"± {figure}",
        "within_over_rows": f"± {figure}/n, with n the rows in the group",
        "about_over_rows": f"± about {figure}/n, with n the rows in the group",
        "rank": f"rank within {of.figure:,.0f} rows" if of.figure is not None else "",
        "shows": f"a group of {of.figure} people shows with 95 %{even}, a lone person's with δ",
    }[of.kind]


def mechanism(of: "PlannedMechanism") -> tuple[str, str, str, str]:
    """What a mechanism measures, by what, at which share, and how far it will be off."""
    measures = f"quantile {float(of.q):g}" if of.q is not None else ", ".join(_MEASURES[each] for each in of.measures)
    share = f"{'ε' if of.currency == 'epsilon' else 'ρ'} = {six_digits(of.share)}"
    share = share if of.delta is None else f"{share}, δ = {six_digits(of.delta)}"
    off = f"within {of.error.figure:,.6g}" if of.error.kind == "within" else error(of.error)
    return measures, _BY[of.by], share, "" if of.error.kind == "derived" else off


def afterwards(made: "Explanation") -> dict[str, str]:
    """What would be left of every budget; where one refuses, what is left, and every one that does."""
    remaining = "; ".join(would_remain(each) for each in made.remaining)
    if made.affordable:
        return {"then left": remaining}
    problem, hint = refused(made.shortfalls)
    return {"left": remaining, "refused": problem, "hint": hint}


def as_lines(made: "Explanation") -> str:
    """An explanation as lines of text."""
    lines = ["plan", *(f"  {line}" for line in plan(made.plan))]
    lines += [f"groups      {groups(made.groups)}", f"bounding    {bounding(made.bounding)}"]
    lines += [f"not chosen  {not_chosen(each)}" for each in made.not_chosen]
    lines += ["mechanisms"]
    lines += [
        f"  {name}: {', '.join(each for each in rest if each)}" for name, *rest in map(mechanism, made.mechanisms)
    ]
    lines += [f"expected error ({100 * float(made.confidence):g} % of the time)"]
    lines += [f"  {each.name}: {error(each.error)}" for each in made.columns]
    lines += [f"without {each.without}, {each.column} would be ± {each.within:,.6g}" for each in made.savings]
    lines += [f"cost        {cost(made.cost)}", *(f"{name:<12}{text}" for name, text in afterwards(made).items())]
    lines += [each.text for each in made.notes]
    return for_terminal("\n".join(lines), lines=True)
