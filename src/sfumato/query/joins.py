"""JOIN: rows of one person in pairs, or with public rows; how many pairs a row makes is known beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.context import Context
from sfumato.query.expression import Call, Expression, Field, Ref, conjuncts
from sfumato.query.plan import Join, Plan, Scan, Where, filtered, once
from sfumato.query.reach import agreeing, few_tables, within_reach
from sfumato.query.rows import RowReader
from sfumato.query.scope import NamedPlan, Scope

Equal = tuple[tuple[int, int], ...]
"""Which fields of the left side equal which of the right."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two relations and what pairs their rows; `rest` is what ON says besides."""

    left: Plan
    right: Plan
    equal: Equal
    rest: tuple[Expression, ...]
    outer: bool
    node: exp.Join


Rule = Callable[[Pairing, Context], None]


def by_equal_columns(pairing: Pairing, context: Context) -> None:
    """Refuse a join that pairs every row with every other."""
    if not pairing.equal:
        raise context.refused("a join needs columns that are equal", pairing.node, hint="write JOIN … ON a.x = b.x")


def left_by_nothing_else(pairing: Pairing, context: Context) -> None:
    """Refuse conditions of a LEFT JOIN that are not equalities: they would drop rows it keeps."""
    if pairing.outer and pairing.rest:
        raise context.refused("a LEFT JOIN takes equalities only", pairing.node, hint="put the rest into WHERE")


def of_few_tables(pairing: Pairing, context: Context) -> None:
    """Refuse to read too many tables."""
    few_tables([pairing.left, pairing.right], pairing.node, context)


def rows_of_people_first(pairing: Pairing, context: Context) -> None:
    """Refuse a LEFT JOIN whose rows would be nobody's."""
    if pairing.outer and pairing.right.private and not pairing.left.private:
        raise context.refused("a LEFT JOIN keeps public rows that are nobody's", pairing.node,
                              hint="put the private table first")  # fmt: skip


RULES: tuple[Rule, ...] = (by_equal_columns, left_by_nothing_else, of_few_tables, rows_of_people_first)
"""What every join must keep to, in this order."""


def join(left: NamedPlan, right: NamedPlan, node: exp.Join, context: Context) -> NamedPlan:
    """Both sides in one sight, their rows paired, and what ON says besides as a filter."""
    outer = _is_left(node, context)
    scope = _sight(left, right, node, outer=outer)
    equal, rest = _conditions(node, left, right, scope, context)
    if outer and any(not (left.plan.fields[i].person and right.plan.fields[j].person) for i, j in equal):
        scope = _not_own(scope, len(left.plan.fields))
    pairing = Pairing(left.plan, right.plan, equal, rest, outer, node)
    for rule in RULES:
        rule(pairing, context)
    made: Plan = _joined(pairing, context)
    within_reach(made, node, context)
    for predicate in rest:
        made = filtered(made, predicate)
    return NamedPlan(made, scope)


def _is_left(node: exp.Join, context: Context) -> bool:
    context.only(node, "this", "on", "using", "kind", "side", "method")
    kind, side, method = (str(node.args.get(name) or "").upper() for name in ("kind", "side", "method"))
    if kind not in ("", "INNER", "OUTER") or side not in ("", "LEFT") or method:
        raise context.refused(
            f"{method or side or kind} joins are not answered", node, hint="use JOIN or LEFT JOIN … ON"
        )
    return side == "LEFT"


def _sight(left: NamedPlan, right: NamedPlan, node: exp.Join, *, outer: bool) -> Scope:
    """The names of both sides; fields on the right of a LEFT JOIN may be missing."""
    at, using = len(left.plan.fields), {each.name.lower() for each in node.args.get("using") or ()}
    names = [
        replace(
            n,
            index=n.index + at,
            merged=n.name.lower() in using,
            field=replace(n.field, missing=outer or n.field.missing),
        )
        for n in right.scope.names
    ]
    return Scope((*left.scope.names, *names), left.scope.text)


def _not_own(scope: Scope, at: int) -> Scope:
    """A LEFT JOIN by more than the person: of one person's rows some have a partner, and others have none."""
    names = [replace(n, field=replace(n.field, own=False)) if n.index >= at else n for n in scope.names]
    return Scope(tuple(names), scope.text)


# ---- conditions ----


def parts_of_where(condition: exp.Expression) -> list[exp.Expression]:
    """The conditions that WHERE joins by AND, from left to right."""
    parts, waiting = [], [condition]
    while waiting:
        each = waiting.pop()
        match each:
            case exp.And():
                waiting += [each.expression, each.this]
            case exp.Paren(this=exp.And()):
                waiting.append(each.this)
            case _:
                parts.append(each)
    return parts


def with_equalities(
    left: NamedPlan, right: NamedPlan, node: exp.Join, said: Sequence[exp.Expression]
) -> tuple[exp.Join, list[exp.Expression]]:
    """A join, and which parts of WHERE it was given as its ON: FROM a, b WHERE a.x = b.x is a join by x."""
    bare = not any(node.args.get(name) for name in ("on", "using", "side", "method"))
    if not bare or str(node.args.get("kind") or "CROSS").upper() != "CROSS":
        return node, []
    read, at = RowReader(_sight(left, right, node, outer=False)), len(left.plan.fields)
    equal: list[exp.Expression] = [part for part in said if type(part) is exp.EQ and _pairs(part, read, at)]
    if not equal:
        return node, []
    made = node.copy()
    made.set("kind", None)
    made.set("on", exp.and_(*equal, copy=True, wrap=False))
    return made, equal


def _pairs(part: exp.Expression, read: RowReader, at: int) -> bool:
    """Whether a part of WHERE equals a column of each side; one that names other tables does not."""
    try:
        return _equality(read.predicate(part), at) is not None
    except InvalidQuestion:
        return False


def _conditions(
    node: exp.Join, left: NamedPlan, right: NamedPlan, scope: Scope, context: Context
) -> tuple[Equal, tuple[Expression, ...]]:
    """The equalities between the sides that USING and ON say, and what else ON says."""
    equal = [_using(each, left, right, context) for each in node.args.get("using") or ()]
    on = node.args.get("on")
    if on is None:
        return tuple(equal), ()
    rest: list[Expression] = []
    for part in conjuncts(RowReader(scope).predicate(on)):
        pair = _equality(part, len(left.plan.fields))
        if pair is None:
            rest.append(part)
        else:
            equal.append(pair)
    return tuple(equal), tuple(rest)


def _using(each: exp.Expression, left: NamedPlan, right: NamedPlan, context: Context) -> tuple[int, int]:
    column = exp.Column(this=each.copy())
    a, b = left.scope.column(column), right.scope.column(column)
    if a.kind is not b.kind and not (a.kind.is_number and b.kind.is_number):
        raise context.refused(f"compares {a.kind.value} with {b.kind.value}", each, hint="join like with like")
    return a.index, b.index


def _equality(part: Expression, at: int) -> tuple[int, int] | None:
    """Which fields of the sides a condition equals, if that is all it does and no cast inside the join can fail."""
    match part:
        case Call(op="eq", args=(Ref() as a, Ref() as b)):
            first, second = sorted((a.index, b.index))
            alike = a.kind is b.kind or {a.kind, b.kind} == {Kind.INTEGER, Kind.REAL}
            return (first, second - at) if first < at <= second and alike else None
        case _:
            return None


# ---- pairs ----


def _joined(pairing: Pairing, context: Context) -> Join:
    left, right, equal, outer = pairing.left, pairing.right, pairing.equal, pairing.outer
    match left.private, right.private:
        case True, True:
            side = along_the_unit(pairing, context)
            # one row a person on one side: the pairs are as many as the rows of the other
            single = left.single and right.single
            return Join(left, right, equal, outer, private=True, single=single, cut=None, leads_to=side)
        case False, False:
            return Join(left, right, equal, outer, private=False, single=False, cut=None)
        case _:
            return _with_public_rows(pairing, context)


def _with_public_rows(pairing: Pairing, context: Context) -> Join:
    """Rows of people, each with the public rows that agree: how many those are at most is no secret."""
    left, right, equal = pairing.left, pairing.right, pairing.equal
    mine, other, at = (left, right, 1) if left.private else (right, left, 0)
    # where kinds differ, different keys may be equal
    alike = [pair for pair in equal if left.fields[pair[0]].kind is right.fields[pair[1]].kind]
    repeats = agreeing(context.public, other, tuple(pair[at] for pair in alike))
    whole = other.of if isinstance(other, Where) else other  # a condition takes rows away
    exact = isinstance(whole, Scan) and len(alike) == len(equal)
    cut = mine.cut * repeats if mine.cut is not None and exact else None
    if cut is None and context.dataset.unit is None:
        raise context.refused("the join may repeat rows, and how often is not known", pairing.node,
                              hint="join the public table itself, by columns of the same type")  # fmt: skip
    return Join(left, right, equal, pairing.outer, private=True, single=False, cut=cut, repeats=repeats)


def along_the_unit(pairing: Pairing, context: Context) -> str:
    """The side that a foreign key leads to, if the join is along one; else "": one side has one row a person."""
    left, right, node = pairing.left, pairing.right, pairing.node
    if context.dataset.unit is None:
        raise context.refused("two private tables cannot be joined where each row is protected", node,
                              hint="the owner can declare a person")  # fmt: skip
    pairs = [(left.fields[i], right.fields[j]) for i, j in pairing.equal]
    by_person = any(a.person and b.person for a, b in pairs)
    if by_person and (left.single or right.single):
        return ""
    led = [side for pair in pairing.equal for side in _led(pair, left, right, context)]
    if led:
        return led[0]
    if by_person or any(_is_foreign(a, b, context) or _is_foreign(b, a, context) for a, b in pairs):
        raise context.refused("the join pairs every row of a person with every other", node,
                              hint="bring one side to one row a person first: (SELECT … GROUP BY person)")  # fmt: skip
    person = ".".join(context.dataset.unit)
    raise context.refused("two private tables are joined by something other than the person", node,
                          hint=f"add {person} = … to ON")  # fmt: skip


def _led(pair: tuple[int, int], left: Plan, right: Plan, context: Context) -> list[str]:
    """The sides that a foreign key between two columns leads to, where every row of that reading is once."""
    a, b = left.fields[pair[0]], right.fields[pair[1]]
    found = ["right"] if _is_foreign(a, b, context) and pair[1] in once(right) else []
    return found + (["left"] if _is_foreign(b, a, context) and pair[0] in once(left) else [])


def _is_foreign(a: Field, b: Field, context: Context) -> bool:
    """Whether a declared foreign key leads from a to b."""
    if a.key is None or b.key is None:
        return False
    table = context.dataset.table(a.key[0])
    return table is not None and (a.key[1], *b.key) in table.foreign_keys
