"""How a question writes an aggregate, and what is checked of it while it is read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from sfumato.query.aggregates.base import Aggregate
from sfumato.query.expression import Expression, bounded
from sfumato.query.own_kinds import OWN_KINDS
from sfumato.query.parse import only, refused, sql_of, word
from sfumato.query.plan import OwnAggregate
from sfumato.query.range import Range
from sfumato.query.rows import RowReader

_MOST_SUMMED = 10**200  # a sum of as many as there can be is within doubles
_SHARE = re.compile(r"[01]|[01]?\.[0-9]{1,12}|1\.")
_OF_ANYTHING = ("present", "distinct")
_BOUND_OWN = "the owner declares lower and upper; or LEAST and GREATEST bound it here"
_BOUND_IT = "the owner declares lower and upper; or bound it here: LEAST(GREATEST(x, 0), 100), where NULL is 0"


@dataclass(frozen=True)
class AggregateReader:
    """Reads the operands of aggregates over the rows of a relation."""

    rows: RowReader

    @property
    def text(self) -> str:
        """The question, for places in refusals."""
        return self.rows.text

    def number(self, node: exp.Expression, inner: exp.Expression | None, what: str) -> Expression:
        """The bounded number that an aggregate is of; `what` is the aggregate in refusals."""
        only(node, self.text, "this", "expression", "quantile", "big_int")
        if inner is None or isinstance(inner, exp.Distinct):
            raise refused(f"{what} over DISTINCT is not answered", node, self.text, hint="COUNT(DISTINCT x) is")
        of = self.rows(inner)
        if not of.kind.is_number:
            raise refused(
                f"{what} needs a number, found {of.kind.value}", node, self.text, hint="COUNT works on anything"
            )
        if _is_tiny(of.range):
            raise refused(f"{what} of numbers too small to be added up", node, self.text, hint="leave the division out")
        if largest(of.range) > _MOST_SUMMED:
            raise refused(f"{what} of numbers too large to be added up", node, self.text, hint="divide them first")
        if not of.range.is_bounded:
            raise refused(f"{what} needs bounds, and `{sql_of(inner)}` has none", node, self.text, hint=_BOUND_IT)
        return bounded(of)

    def own(self, kind: str, node: exp.Expression, where: Expression | None) -> OwnAggregate:
        """An aggregate over one person's rows, of what stands in a node's brackets."""
        only(node, self.text, "this", "big_int")
        if node.this is None or isinstance(node.this, exp.Distinct):
            hint = "COUNT(DISTINCT x) is answered, of one column"
            raise refused(
                f"{word(node, self.text)} takes one column here, without DISTINCT", node, self.text, hint=hint
            )
        of = self.rows(node.this)
        if kind not in _OF_ANYTHING:
            of = bounded(of)
        if OWN_KINDS[kind].of_bounded_numbers and not (of.kind.is_number and of.range.is_bounded):
            raise refused(f"{kind.upper()} needs a number with declared bounds", node, self.text, hint=_BOUND_OWN)
        return OwnAggregate(kind, of, where)

    def share(self, node: exp.Expression | None, at: exp.Expression) -> Fraction:
        """The share of a quantile: a constant between 0 and 1."""
        if isinstance(node, exp.Literal) and not node.is_string and _SHARE.fullmatch(str(node.this)):
            q = Fraction(str(node.this))
            if q <= 1 and q.denominator <= 10**6:
                return q
        raise refused("a quantile takes a constant between 0 and 1", at, self.text, hint="QUANTILE(x, 0.9)")


def no_own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> None:
    """An aggregate that is not answered over one person's rows."""
    del node, where, reading


@dataclass(frozen=True)
class Spelling:
    """How an aggregate is written: the nodes of the parser that are it, its names, and how such a node is read."""

    nodes: tuple[type[exp.Expression], ...]
    names: tuple[str, ...]
    """As they stand in the list of what is answered."""
    read: Callable[[exp.Expression, Expression | None, AggregateReader], Aggregate]
    own: Callable[[exp.Expression, Expression | None, AggregateReader], OwnAggregate | None] = no_own
    """The same over one person's rows, in a subquery; None where it is not answered there."""
    own_names: tuple[str, ...] = ()


def largest(found: Range) -> Fraction:
    """The largest end of a range, whatever its sign; 0 where none is known."""
    return max((abs(end) for end in (found.lower, found.upper) if end is not None), default=Fraction(0))


def _is_tiny(found: Range) -> bool:
    ends = [abs(end) for end in (found.lower, found.upper) if end]
    return bool(ends) and max(ends) < Fraction(1, 10**200)
