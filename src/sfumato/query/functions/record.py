"""What a function is: one record, from which names are resolved, ranges derived, SQL written and values computed.

Operands are prepared alike for an engine and for Python, by what a record takes: numbers are doubles, texts are cut,
days are held within the calendar, and what is compared is made alike. So the two cannot differ but in `sql` and
`value`, which stand beside each other, and a test runs both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Scalar, longest
from sfumato.query.functions.cost import Cost, looked_at
from sfumato.query.functions.intervals import Interval
from sfumato.query.range import Range

Args = Sequence[Expression]


class Sort(Enum):
    """What an operand may be, and how it is prepared."""

    NUMBER = "number"
    """A double."""
    TEXT = "text"
    """A text, cut to as many characters as are computed with."""
    BOOLEAN = "boolean"
    DATE = "date"
    """A day or a moment, within the calendar."""
    ALIKE = "alike"
    """Of one kind with its neighbours: whole numbers stay whole beside whole ones, days beside moments are moments."""
    CHOSEN = "chosen"
    """A value that the function may give: a double, if that is a number."""
    ANY = "any"
    """Anything as it stands."""
    SAFE = "safe"
    """Anything: texts are cut and days held within the calendar."""

    def admits(self, kind: Kind) -> bool:
        """Whether a value of a kind may be given."""
        match self:
            case Sort.NUMBER:
                return kind.is_number
            case Sort.TEXT:
                return kind is Kind.TEXT
            case Sort.BOOLEAN:
                return kind is Kind.BOOLEAN
            case Sort.DATE:
                return kind.is_time
            case _:
                return True

    def prepared_for(self, kind: Kind) -> "Sort":
        """How a value of a kind is prepared."""
        if self is not Sort.SAFE:
            return self
        return Sort.TEXT if kind is Kind.TEXT else Sort.DATE if kind.is_time else Sort.ANY


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: its sort, and if it must be a constant, which ones and how a refusal calls them."""

    sort: Sort
    constants: str = ""
    hint: str = ""
    allows: Callable[[Scalar], bool] = lambda _: True

    @property
    def is_constant(self) -> bool:
        """Whether a constant is wanted."""
        return bool(self.constants)

    def admits(self, arg: Expression) -> bool:
        """Whether an expression of the right kind may be given: any, or a constant that is allowed."""
        return not self.constants or (type(arg) is Literal and self.allows(arg.value))


NUMBER, TEXT, BOOLEAN, DATE = (Operand(sort) for sort in (Sort.NUMBER, Sort.TEXT, Sort.BOOLEAN, Sort.DATE))
ALIKE, CHOSEN, ANY, SAFE = (Operand(sort) for sort in (Sort.ALIKE, Sort.CHOSEN, Sort.ANY, Sort.SAFE))
POSITION = Operand(
    Sort.NUMBER,
    "constant positions from 1 to 10000",
    "write numbers",
    lambda value: type(value) is int and 0 <= value <= 10_000,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the parsed question that is a function, and the order of its operands."""

    type: type[exp.Expression]
    operands: tuple[str, ...] = ("this",)


class Words(Protocol):
    """What a record needs of a dialect."""

    @property
    def name(self) -> str:
        """The dialect's name, for SQL of its own."""
        ...

    def type_of(self, kind: Kind) -> str:
        """The type that holds a kind."""
        ...

    def double(self, value: float | Fraction) -> str:
        """A constant as a double."""
        ...

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        """A value of the kind that is held as one of another; NULL where it is none."""
        ...

    def matched(self, made: str, pattern: str) -> str:
        """What stands in the first brackets of a pattern that a whole text matches; no number or day if it does not."""
        ...

    def is_nan(self, made: str) -> str:
        """Whether a double is NaN; NULL for NULL."""
        ...

    def same(self, left: str, right: str) -> str:
        """Whether two values are the same, NULL being the same as NULL."""
        ...

    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        """A function of `query.functions`, by default as its record writes it.

        `made` are its operands, prepared as it takes them; `kind` is what it gives.
        """
        ...


class Writer(Protocol):
    """Writes the operands of a call in a dialect."""

    @property
    def dialect(self) -> Words:
        """The words it writes in."""
        ...

    def operands(self, call: Call) -> list[str]:
        """All operands, prepared as the record says."""
        ...

    def prepared(self, sort: Sort, arg: Expression) -> str:
        """One operand, prepared as a sort of value; what fails in it makes the whole NULL."""
        ...

    def tried(self, arg: Expression, kind: Kind) -> str:
        """One operand as a value of a kind, which is NULL by itself where it fails."""
        ...

    def present(self, expression: Expression) -> str:
        """Whether an operand has a value."""
        ...

    def within_calendar(self, made: str, kind: Kind) -> str:
        """A day or moment of the years 1 to 9999; NULL for others."""
        ...


def whole_or_real(args: Args) -> Kind:
    """A whole number if all operands are, else a real."""
    return Kind.INTEGER if all(arg.kind is Kind.INTEGER for arg in args) else Kind.REAL


def as_first(args: Args) -> Kind:
    """What the first operand is."""
    return args[0].kind


def unknown(_: Args) -> Range:
    """Nothing is known of the range."""
    return Range()


def by_ranges(of: Callable[..., Range]) -> Callable[[Args], Range]:
    """A range that follows from the operands' ranges."""
    return lambda args: of(*[arg.range for arg in args])


def all_together(_: Call, lengths: Sequence[int]) -> int | None:
    """As many characters as all operands have, and no more than are computed with."""
    return min(MOST_CHARACTERS, sum(lengths))


def no_constants(_: Call) -> tuple[object, ...]:
    """Nothing besides the operands."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """An operation with all that is known of it; the last operand may repeat if there are `many`."""

    op: str
    """Its name in the closed tree, and in what is stored."""
    takes: tuple[Operand, ...]
    gives: Kind | Callable[[Args], Kind]
    value: Callable[..., object]
    """In Python, of prepared operands; None where there is no value. A choice gives the place of the chosen operand."""
    sql: str = ""
    """Of prepared operands: {0}, {1}, … or {all}; {double} and {kind} are types. NULL where there is no value."""
    dialects: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """SQL of dialects that write it in another way, by their names."""
    writes: Callable[[Writer, Call], str] | None = None
    """Where more is written than the operands in `sql`."""
    names: tuple[str, ...] = ()
    """What a question calls it where the parser knows no function of that name."""
    nodes: tuple[Node, ...] = ()
    """What the parser makes of it."""
    words: tuple[str, ...] = ()
    """What a question writes for it in EXTRACT(word FROM …), DATE_TRUNC('word', …) or CAST(… AS word)."""
    listed: str | None = ""
    """What the reference calls it, if not by its own name; None if no question can call it."""
    many: bool = False
    least: int | None = None
    range: Callable[[Args], Range] = unknown
    interval: Interval | None = None
    """How error bars pass through; None: they do not."""
    choices: Callable[[Args], Args] | None = None
    """Which operands a choice may give."""
    lenient: bool = False
    """Gives a value where an operand has none: each operand is tried by itself. All others are NULL then."""
    total: bool = False
    """Whether it is total whatever the engine: comparisons, choices and arithmetic of IEEE doubles."""
    repeats: int = 1
    """How often an engine writes all operands."""
    repeats_text: int = 1
    """How often an engine writes an operand that is a text, besides."""
    longest: Callable[[Call, Sequence[int]], int | None] = all_together
    """How many characters a text has at most that it gives, from those of its operands."""
    cost: Cost = looked_at
    """What it does for one row."""
    constants: Callable[[Call], tuple[object, ...]] = no_constants
    """What `value` is given after the operands."""
    unordered_from: int | None = None
    """From which operand on their order does not count, if there is one."""
    mirror: str = ""
    """The comparison that says the same of exchanged operands."""

    @property
    def called(self) -> str | None:
        """What a question calls it, or the clause it comes from; None if none can."""
        return None if self.listed is None else self.listed or self.op.upper()

    def operand(self, at: int) -> Operand:
        """The operand at a place."""
        return self.takes[min(at, len(self.takes) - 1)]

    def takes_so_many(self, count: int) -> bool:
        """Whether there may be so many operands."""
        least = len(self.takes) if self.least is None else self.least
        return least <= count and (self.many or count <= len(self.takes))

    def call(self, args: Args) -> Call:
        """The call, with its kind and range; the operands are already checked."""
        match self.gives:
            case Kind() as kind:
                return Call(self.op, tuple(args), kind, self.range(args))
            case kind_of:
                return Call(self.op, tuple(args), kind_of(args), self.range(args))

    def filled(self, dialect: Words, made: Sequence[str], kind: Kind) -> str:
        """The SQL of prepared operands in a dialect."""
        template = self.dialects.get(dialect.name, self.sql)
        return template.format(
            *made, all=", ".join(made), double=dialect.type_of(Kind.REAL), kind=dialect.type_of(kind)
        )


def same_length(values: Args) -> int | None:
    """How many characters the longest of some texts has, if all are known."""
    known = [longest(value) for value in values]
    return None if None in known else max((each for each in known if each is not None), default=0)
