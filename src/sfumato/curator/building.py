"""Questions built in Python: the same clauses as SQL, put together and asked the same way."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.query.parse import stands_alone

if TYPE_CHECKING:
    from sfumato.curator.explanation import Explanation
    from sfumato.curator.release import Release
    from sfumato.curator.session import Session


@dataclass(frozen=True, slots=True)
class Asking:
    """A question under construction; every step gives a new one, and `sql` is what it says so far.

    Conditions and expressions are SQL fragments; the whole is parsed and checked like any other question.
    """

    session: "Session"
    source: str
    joins: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()
    filters: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    most: int | None = None

    def join(self, table: str, *, on: str = "", using: str = "", left: bool = False) -> "Asking":
        """Rows paired with those of another table."""
        if bool(on) == bool(using):
            raise InvalidParameter("on", "or using must be given, one of them", on)
        condition = f"ON {_whole('on', on)}" if on else f"USING ({stands_alone('using', using)})"
        joined = f"{'LEFT ' if left else ''}JOIN {stands_alone('join', table)} {condition}"
        return replace(self, joins=(*self.joins, joined))

    def where(self, *conditions: str) -> "Asking":
        """Rows for which all the conditions hold."""
        return replace(self, conditions=(*self.conditions, *(_whole("where", each) for each in conditions)))

    def group_by(self, *keys: str) -> "Asking":
        """One row for each of the keys' groups; the keys are columns of the answer."""
        return replace(self, keys=(*self.keys, *(stands_alone("group_by", each) for each in keys)))

    def select(self, *outputs: str, **named: str) -> "Asking":
        """Aggregates, by name or as they are: `select(n="COUNT(*)")`."""
        plain = tuple((stands_alone("select", output), "") for output in outputs)
        by_name = tuple((stands_alone("select", value), name) for name, value in named.items())
        return replace(self, outputs=(*self.outputs, *plain, *by_name))

    def having(self, *conditions: str) -> "Asking":
        """Groups whose released values meet the conditions."""
        return replace(self, filters=(*self.filters, *(_whole("having", each) for each in conditions)))

    def order_by(self, *order: str) -> "Asking":
        """The order of the answer, by released values."""
        return replace(self, order=(*self.order, *(stands_alone("order_by", each) for each in order)))

    def limit(self, most: int) -> "Asking":
        """The first rows of the answer."""
        return replace(self, most=whole("limit", most))

    @property
    def sql(self) -> str:
        """The question as SQL."""
        shown = [*self.keys, *(f"{value} AS {_named(name)}" if name else value for value, name in self.outputs)]
        if not self.outputs:
            raise InvalidParameter("select", "needs an aggregate", "", hint='select(n="COUNT(*)")')
        parts = [f"SELECT {', '.join(shown)}", f"FROM {self.source}", *self.joins]
        parts += [f"WHERE {_all(self.conditions)}"] if self.conditions else []
        parts += [f"GROUP BY {', '.join(self.keys)}"] if self.keys else []
        parts += [f"HAVING {_all(self.filters)}"] if self.filters else []
        parts += [f"ORDER BY {', '.join(self.order)}"] if self.order else []
        parts += [f"LIMIT {self.most}"] if self.most is not None else []
        return "\n".join(parts)

    def release(self, **price: Any) -> "Release":
        """The private answer; keywords as for `Session.sql`."""
        return self.session.sql(self.sql, **price)

    def explain(self, **price: Any) -> "Explanation":
        """Plan, price and expected error; keywords as for `Session.explain`."""
        return self.session.explain(self.sql, **price)

    def __repr__(self) -> str:
        return f"<question: {' '.join(self.sql.split())}>" if self.outputs else f"<question about {self.source}>"


def _whole(name: str, condition: str) -> str:
    """A condition inside brackets of its own: nothing in it, not even a comment, reaches what stands around it."""
    return f"({stands_alone(name, condition)}\n)"


def _named(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _all(conditions: tuple[str, ...]) -> str:
    return " AND ".join(conditions)
