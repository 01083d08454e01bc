"""Which expressions may be NULL, whatever the cells: told from the plan and from public tables alone."""

from typing import assert_never

from sfumato.data import Kind
from sfumato.query.context import Public
from sfumato.query.expression import Call, Expression, Literal, Ref, conjuncts, refs
from sfumato.query.functions.choices import of_case
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where

_NEVER = ("is_null", "same")
_WHERE_OPERANDS_ARE = (
    "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "concat", "lower", "upper", "trim", "length",
    "substring", "replace", "starts_with", "contains", "like", "ilike",
)  # fmt: skip
"""What has a value wherever its operands do."""
_NUMBERS = ("add", "sub", "mul", "neg", "abs", "sign", "floor", "ceil", "trunc", "round", "clip", "cast_integer")
"""Likewise, where what they give is known to be within bounds: else it may be beyond all whole numbers."""
_COUNTS = ("count", "present", "distinct")
_AS_THEY_ARE = (Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN)
"""Kinds whose every value is a key of its own: NaN, and days beyond the calendar, are the key NULL."""


def may_be_missing(made: Expression, public: Public, present: frozenset[int]) -> bool:
    """Whether an expression may be NULL in a row; `present` are the fields that have a value in every row."""
    match made:
        case Literal():
            return made.value is None
        case Ref(index=index, field=field):
            if index in present:
                return False
            if field.public is None or field.missing:
                return True
            known = public.values(*field.public)
            return known is None or None in known
        case Call(op="case", args=args):
            no_default = len(args) % 2 == 0
            return no_default or any(may_be_missing(each, public, present) for each in of_case(args))
        case Call(op="coalesce" | "least" | "greatest", args=args):
            return all(may_be_missing(each, public, present) for each in args)
        case Call(op="div" | "mod", args=(of, Literal(value=divisor))) if divisor and made.range.is_bounded:
            return may_be_missing(of, public, present)
        case Call(op=op, args=args) if op in _WHERE_OPERANDS_ARE or (op in _NUMBERS and made.range.is_bounded):
            return any(may_be_missing(each, public, present) for each in args)
        case Call(op=op):
            return op not in _NEVER


def present_fields(plan: Plan) -> frozenset[int]:
    """The fields that have a value in every row, because a condition of the question is not true without."""
    match plan:
        case Where():
            said = [_needed(part) for part in conjuncts(plan.predicate)]
            return present_fields(plan.of).union(*said)
        case Project():
            below = present_fields(plan.of)
            return frozenset(
                i for i, each in enumerate(plan.expressions) if isinstance(each, Ref) and each.index in below
            )
        case Join():
            at = len(plan.left.fields)
            left, right = present_fields(plan.left), present_fields(plan.right)
            if plan.outer:
                return left
            equal = [*(i for i, _ in plan.equal), *(at + j for _, j in plan.equal)]
            return left | {at + i for i in right} | {i for i in equal if plan.fields[i].kind in _AS_THEY_ARE}
        case Union():
            return frozenset.intersection(*map(present_fields, plan.parts))
        case PerPerson():
            at = 1 + len(plan.keys)
            below = present_fields(plan.of)
            keys = [i for i, key in enumerate(plan.keys, 1) if isinstance(key, Ref) and key.index in below]
            return frozenset((0, *keys, *(at + i for i, each in enumerate(plan.aggregates) if each.kind in _COUNTS)))
        case Scan():
            return frozenset()
        case _:
            assert_never(plan)


def _needed(condition: Expression) -> frozenset[int]:
    """The fields without whose value a condition is not true."""
    match condition:
        case Call(op="not", args=(Call(op="is_null", args=(Ref(index=index, field=field),)),)):
            return frozenset(() if field.kind.is_time else (index,))
        case _ if _is_strict(condition):
            return frozenset(ref.index for ref in refs(condition) if ref.kind in _AS_THEY_ARE)
        case _:
            return frozenset()


def _is_strict(made: Expression) -> bool:
    """Whether NULL in any field makes all of it NULL."""
    match made:
        case Call(args=args, function=function):
            return not function.lenient and all(map(_is_strict, args))
        case _:
            return True
