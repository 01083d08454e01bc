"""Row expressions in SQL, written so that no cell can make a statement fail.

Two walls here, and one in the engine. Every operation is total by the SQL of its record (`query.functions`):
arithmetic is on doubles, which overflow to infinity and not to an error, days are held within the calendar, texts are
cut, casts are tried; what has no value is NULL or NaN, and NaN is taken for NULL where values are added up. What is not
total whatever the engine, as its record says, is tried as a whole (`Dialect.tried`), which gives NULL where anything
still fails. `is_plain` tells an engine whether a statement holds such an operation, so that it can be planned with more
care. Whole-number columns are compared as they are, so that large keys stay exact.
"""

from collections.abc import Callable
from datetime import datetime

from sfumato.data import Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, in_calendar, longest
from sfumato.query.functions import Sort
from sfumato.query.functions.reading import FIRST_DAY, LAST_DAY
from sfumato.query.functions.record import Writer

_EXACT = 2**53  # whole numbers below it are doubles


def is_plain(expression: Expression) -> bool:
    """Whether there are only operations in it that are total whatever the engine."""
    match expression:
        case Call(args=args, function=function):
            return function.total and all(is_plain(arg) for arg in args)
        case _:
            return True


def is_whole(expression: Expression) -> bool:
    """Whether the SQL is a whole number as it stands."""
    return expression.kind is Kind.INTEGER and type(expression) is not Call


def _is_of_constants(expression: Expression) -> bool:
    """Whether it is a choice of whole constants, each a double of its own: to cast it cannot fail."""
    match expression:
        case Call(args=args, function=function) if function.choices is not None:
            return all(_is_of_constants(each) for each in function.choices(args))
        case Literal(value=int() as value):
            return abs(value) < _EXACT
        case _:
            return False


class Expressions(Writer):
    """Writes expressions in a dialect; the columns of the relation are c0, c1, …"""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @property
    def dialect(self) -> Dialect:
        """The words it writes in."""
        return self._dialect

    def sql(self, expression: Expression) -> str:
        """The SQL of an expression; numbers that are computed are doubles, columns and constants are what they are."""
        made = self._written(expression)
        return self.dialect.tried(made) if self._is_tried(expression) else made

    def number(self, expression: Expression) -> str:
        """The same as a double."""
        return self._as_double(expression, self.sql(expression))

    def present(self, expression: Expression) -> str:
        """Whether there is a value: NaN is none."""
        made = self.sql(expression)
        real = expression.kind.is_number and not is_whole(expression)
        return f"coalesce(NOT {self.dialect.is_nan(made)}, FALSE)" if real else f"({made} IS NOT NULL)"

    def on_calendar(self, expression: Expression) -> str:
        """A day or moment of the years 1 to 9999, as every calendar can write it; NULL for others."""
        made = self.sql(expression)
        return made if in_calendar(expression) else self.within_calendar(made, expression.kind)

    def column(self, expression: Expression) -> str:
        """An expression as a column: a whole number is 64 bits wide, so that columns are equal where values are.

        Computed ones are doubles inside of expressions, and many large whole numbers are equal to one double.
        """
        made = self.sql(expression)
        if expression.kind is not Kind.INTEGER or is_whole(expression):
            return made
        # DuckDB 2.0 takes TRY_CAST(CASE WHEN p THEN 1 ELSE 0 END …) IN (0, 1) for p IS NOT NULL, and loses rows
        known = _is_of_constants(expression)
        return (
            f"CAST({made} AS {self.dialect.type_of(Kind.INTEGER)})"
            if known
            else self.dialect.cast(made, Kind.INTEGER, Kind.REAL)
        )

    def _is_tried(self, expression: Expression) -> bool:
        """Whether something in it that makes all of it NULL is not total by itself."""
        match expression:
            case Call(args=args, function=function) if not function.lenient:
                return not function.total or any(self._is_tried(arg) for arg in args)
            case _:
                return False

    def _written(self, expression: Expression) -> str:
        """The SQL as it stands: what is not total in it is to be tried as a whole."""
        match expression:
            case Ref(index=index):
                return f"c{index}"
            case Literal(value=value, kind=kind):
                return self.dialect.literal(value, kind)
            case Call(op=op, kind=kind, function=function):
                if function.writes is not None:
                    return function.writes(self, expression)
                return self.dialect.function(op, self.operands(expression), kind)

    def _as_double(self, expression: Expression, made: str) -> str:
        return f"CAST({made} AS {self.dialect.type_of(Kind.REAL)})" if is_whole(expression) else made

    # ---- operands ----

    def operands(self, call: Call) -> list[str]:
        """All operands as the function takes them; where it is lenient, each is tried by itself."""
        function, args = call.function, call.args
        write: Callable[[Expression], str] = self.sql if function.lenient else self._written
        if function.operand(0).sort is Sort.ALIKE:
            return self._alike(args, [write(arg) for arg in args])
        if function.lenient:
            return [self.tried(arg, call.kind) for arg in args]
        return [
            write(arg) if operand.is_constant else self.prepared(operand.sort, arg)
            for operand, arg in ((function.operand(i), arg) for i, arg in enumerate(args))
        ]

    def prepared(self, sort: Sort, arg: Expression) -> str:
        """One operand as a sort of value."""
        match sort.prepared_for(arg.kind):
            case Sort.NUMBER:
                return self._as_double(arg, self._written(arg))
            case Sort.TEXT:
                return self._text(arg)
            case Sort.DATE:
                return self._moment(arg)
            case _:
                return self._written(arg)

    def tried(self, arg: Expression, kind: Kind) -> str:
        """One operand as a value of a kind, tried by itself."""
        return self.number(arg) if kind.is_number else self.sql(arg)

    def _text(self, expression: Expression) -> str:
        """A text of at most so many characters: one long cell must not cost what a table does."""
        made = self._written(expression)
        return made if longest(expression) is not None else self.dialect.shortened(made, MOST_CHARACTERS)

    def _moment(self, expression: Expression) -> str:
        made = self._written(expression)
        return made if in_calendar(expression) else self.within_calendar(made, expression.kind)

    def within_calendar(self, made: str, kind: Kind) -> str:
        """A day or moment of the years 1 to 9999; NULL for others."""
        ends = (end if kind is Kind.DATE else datetime(*end.timetuple()[:3]) for end in (FIRST_DAY, LAST_DAY))
        low, high = (self.dialect.literal(end, kind) for end in ends)
        return f"CASE WHEN {made} >= {low} AND {made} < {high} THEN {made} END"

    def _alike(self, args: tuple[Expression, ...], made: list[str]) -> list[str]:
        """Numbers as doubles unless all are whole as they stand, and days beside moments as moments."""
        kinds = {arg.kind for arg in args}
        if kinds <= {Kind.INTEGER, Kind.REAL}:
            if all(is_whole(each) for each in args):
                return made
            return [self._as_double(arg, each) for arg, each in zip(args, made, strict=True)]
        if kinds == {Kind.DATE, Kind.TIMESTAMP}:
            return [self.dialect.cast(each, Kind.TIMESTAMP, arg.kind) for arg, each in zip(args, made, strict=True)]
        return made
