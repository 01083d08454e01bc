"""Comparisons and truths: true, false, or NULL where it is not known."""

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import Call
from sfumato.query.functions.cost import looked_up
from sfumato.query.functions.numbers import is_nan, ordered
from sfumato.query.functions.record import ALIKE, ANY, BOOLEAN, Function, Node, Operand, Sort, Writer

_TWO = ("this", "expression")
_LISTED = Operand(Sort.ALIKE, "constants", "compare columns with =")


def _equal(a: object, b: object) -> bool:
    return ordered(a) == ordered(b)


def _all(*values: bool | None) -> bool | None:
    return False if False in values else None if None in values else True


def _any(*values: bool | None) -> bool | None:
    return True if True in values else None if None in values else False


def _within(write: Writer, call: Call) -> str:
    of, *listed = write.operands(call)
    return f"({of} IN ({', '.join(listed)}))"


COMPARISONS = (
    Function(
        op="and", takes=(BOOLEAN,), many=True, gives=Kind.BOOLEAN, value=_all, listed="AND", lenient=True, total=True,
        writes=lambda write, call: f"({' AND '.join(write.operands(call))})", unordered_from=0,
    ),
    Function(
        op="or", takes=(BOOLEAN,), many=True, gives=Kind.BOOLEAN, value=_any, listed="OR", lenient=True, total=True,
        writes=lambda write, call: f"({' OR '.join(write.operands(call))})", unordered_from=0,
    ),
    Function(
        op="not", takes=(BOOLEAN,), gives=Kind.BOOLEAN, value=lambda a: not a, sql="(NOT {0})", listed="NOT",
        total=True,
    ),
    Function(
        op="eq", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=_equal, sql="({0} = {1})", listed="=", total=True,
        nodes=(Node(exp.EQ, _TWO),), mirror="eq", unordered_from=0,
    ),
    Function(
        op="ne", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=lambda a, b: not _equal(a, b), sql="({0} <> {1})",
        listed="<>", nodes=(Node(exp.NEQ, _TWO),), mirror="ne", unordered_from=0, total=True,
    ),
    Function(
        op="lt", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=lambda a, b: ordered(a) < ordered(b), listed="<",
        sql="({0} < {1})", nodes=(Node(exp.LT, _TWO),), mirror="gt", total=True,
    ),
    Function(
        op="le", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=lambda a, b: ordered(a) <= ordered(b), listed="<=",
        sql="({0} <= {1})", nodes=(Node(exp.LTE, _TWO),), mirror="ge", total=True,
    ),
    Function(
        op="gt", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=lambda a, b: ordered(a) > ordered(b), listed=">",
        sql="({0} > {1})", nodes=(Node(exp.GT, _TWO),), mirror="lt", total=True,
    ),
    Function(
        op="ge", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=lambda a, b: ordered(a) >= ordered(b), listed=">=",
        sql="({0} >= {1})", nodes=(Node(exp.GTE, _TWO),), mirror="le", total=True,
    ),
    Function(
        op="in", takes=(ALIKE, _LISTED), many=True, least=2, gives=Kind.BOOLEAN, listed="IN", cost=looked_up,
        total=True, value=lambda a, *others: any(_equal(a, other) for other in others), unordered_from=1,
        writes=_within,
    ),
    Function(
        op="same", takes=(ALIKE, ALIKE), gives=Kind.BOOLEAN, value=_equal, listed="IS NOT DISTINCT FROM", lenient=True,
        writes=lambda write, call: write.dialect.same(*write.operands(call)), total=True,
    ),
    Function(
        op="is_null", takes=(ANY,), gives=Kind.BOOLEAN, value=lambda a: a is None or is_nan(a), listed="IS NULL",
        writes=lambda write, call: f"(NOT {write.present(call.args[0])})", lenient=True, repeats=2, total=True,
    ),
)  # fmt: skip
"""What is true or false; NaN is taken for a missing value by `is_null`, and ordered above all numbers by the rest."""
