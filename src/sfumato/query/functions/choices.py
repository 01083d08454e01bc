"""Choices: CASE, COALESCE and NULLIF give one of their operands."""

from sfumato.data import Kind
from sfumato.query.expression import Call
from sfumato.query.functions.numbers import ordered
from sfumato.query.functions.record import ALIKE, CHOSEN, Args, Function, Writer, same_length
from sfumato.query.range import Range


def of_case(args: Args) -> Args:
    """The values of CASE: every second operand, and the last if there is one for all others."""
    return (*args[1::2], *(args[-1:] if len(args) % 2 else ()))


def _first(args: Args) -> Args:
    return args[:1]


def _all(args: Args) -> Args:
    return args


def _kind(values: Args) -> Kind:
    kinds = {value.kind for value in values}
    return kinds.pop() if len(kinds) == 1 else Kind.REAL


def _range(values: Args) -> Range:
    """The range of all; zero lies on every grid."""
    if not all(value.kind.is_number for value in values):
        return Range()
    found = values[0].range
    for value in values[1:]:
        whole = found.join(value.range)
        is_zero = value.range.lower == value.range.upper == 0
        found = Range(whole.lower, whole.upper, found.grid if is_zero else whole.grid)
    return found


def _met(*values: object) -> int | None:
    for i in range(0, len(values) - 1, 2):
        if values[i] is True:
            return i + 1
    return len(values) - 1 if len(values) % 2 else None


def _known(*values: object) -> int | None:
    return next((i for i, value in enumerate(values) if value is not None), None)


def _unless_equal(a: object, b: object) -> int | None:
    return None if a is None or (b is not None and ordered(a) == ordered(b)) else 0


def _case(write: Writer, call: Call) -> str:
    args = call.args
    pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    body = " ".join(
        f"WHEN {write.tried(condition, Kind.BOOLEAN)} THEN {write.tried(value, call.kind)}"
        for condition, value in pairs
    )
    default = f" ELSE {write.tried(args[-1], call.kind)}" if len(args) % 2 else ""
    return f"CASE {body}{default} END"


def _nullif(write: Writer, call: Call) -> str:
    left, right = write.operands(call)
    return f"CASE WHEN {left} = {right} THEN NULL ELSE {write.tried(call.args[0], call.kind)} END"


CHOICES = (
    Function(
        op="case", takes=(CHOSEN,), many=True, least=2, gives=lambda args: _kind(of_case(args)), value=_met,
        range=lambda args: _range(of_case(args)), writes=_case, choices=of_case, listed="CASE", lenient=True,
        total=True, longest=lambda call, _: same_length(of_case(call.args)),
    ),
    Function(
        op="coalesce", takes=(CHOSEN,), many=True, least=1, gives=_kind, value=_known, range=_range, choices=_all,
        sql="coalesce({all})", lenient=True, total=True, longest=lambda call, _: same_length(call.args),
    ),
    Function(
        op="nullif", takes=(ALIKE, ALIKE), gives=lambda args: args[0].kind, value=_unless_equal, choices=_first,
        range=lambda args: args[0].range, writes=_nullif, lenient=True, total=True, repeats=2,
        longest=lambda call, _: same_length(call.args[:1]),
    ),
)  # fmt: skip
"""What gives one of its operands, with its error bar; `value` is the place of that operand."""
