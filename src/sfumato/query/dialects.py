"""The dialects a question may be written in, and what each of them means otherwise than we compute it.

A dialect decides how a text is read: its quotes, operators and names of functions. What functions compute is the same
for all of them; where a word means something else in a dialect, it is refused and not computed otherwise.
"""

from collections.abc import Callable

from sqlglot import Dialect, exp

from sfumato.errors import InvalidQuestion

DIALECT = "duckdb"
"""The dialect of questions that name none, and of names that are made of a text."""

Otherwise = Callable[[exp.Expression], tuple[str, str] | None]
"""What is said of a node that a dialect means otherwise: the problem and a hint."""

_WHOLE = ("INT", "BIGINT", "SMALLINT", "TINYINT", "INT128")
_DAY_OF_WEEK = ("DOW", "DAYOFWEEK", "DOW_ISO", "DAYOFWEEK_ISO")


def _whole_quotients(node: exp.Expression) -> tuple[str, str] | None:
    """A quotient of whole numbers is cut off there, and kinds are not known yet: one side must say that it is real."""
    match node:
        case exp.Div() if node.args.get("typed") and not (_is_real(node.this) or _is_real(node.expression)):
            return "`/` cuts quotients of whole numbers off in this dialect", "CAST(x AS double precision) / y"
        case _:
            return None


def _is_real(node: exp.Expression) -> bool:
    match node:
        case exp.Paren():
            return _is_real(node.this)
        case exp.Cast() | exp.TryCast():
            return node.args["to"].sql(dialect=DIALECT) in ("DOUBLE", "REAL")
        case exp.Literal():
            return not node.args.get("is_string") and "." in str(node.this)
        case _:
            return False


def _cut_quotients(node: exp.Expression) -> tuple[str, str] | None:
    match node:
        case exp.IntDiv():
            return (
                "DIV cuts quotients off towards zero in this dialect",
                "FLOOR(CAST(x AS double precision) / y), where x is not negative",
            )
        case _:
            return None


def _escapes(node: exp.Expression) -> tuple[str, str] | None:
    match node:
        case exp.Like() | exp.ILike() if "\\" in node.expression.name:
            return "a backslash in LIKE escapes in this dialect", "use STARTS_WITH, or = for the whole text"
        case _:
            return None


def _cut_casts(node: exp.Expression) -> tuple[str, str] | None:
    match node:
        case exp.Cast() | exp.TryCast() if node.args["to"].sql(dialect=DIALECT) in _WHOLE:
            return "CAST to whole numbers cuts off in this dialect", "FLOOR(x), CEIL(x) or ROUND(x)"
        case _:
            return None


def _days_from_one(node: exp.Expression) -> tuple[str, str] | None:
    match node:
        case exp.Extract() if node.name.upper() not in _DAY_OF_WEEK:
            return None
        case exp.DayOfWeek() | exp.Extract():
            return "days of the week count from 1 in this dialect", "write the question in duckdb's, where Sunday is 0"
        case _:
            return None


DIALECTS: dict[str, tuple[Otherwise, ...]] = {
    DIALECT: (),
    "postgres": (_whole_quotients, _cut_quotients, _escapes),
    "spark": (_cut_quotients, _escapes, _cut_casts, _days_from_one),
}
"""The dialects there are, and what is looked for in each."""


def reader_of(dialect: object) -> Dialect:
    """What reads texts of a dialect; names that are not listed are refused."""
    if dialect not in DIALECTS:
        raise InvalidQuestion(f"questions are not read in the dialect {str(dialect)[:40]}",
                              hint=f"dialect is one of {', '.join(DIALECTS)}")  # fmt: skip
    return Dialect.get_or_raise(str(dialect))
