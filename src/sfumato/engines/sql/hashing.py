"""Which contributions of a person count: an order of our own, the same on every engine.

Where a person has more groups, rows or values than count, those come first whose hash is least. The hash is keyed by
the dataset's name and never by data: a key made of data would let one person change what counts of everybody else. It
is arithmetic of 64 bits alone, so that every engine gives the same order, and a question the same answer wherever it
is asked. What it must be is even, not secret: privacy does not depend on it. Where hashes agree, the values decide.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.data import Dataset, Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.query.range import Range

_PRIME, _MASK = 2**31 - 1, 2**31 - 1
_FIRST, _SECOND = 0x85EBCA6B & _MASK, 0xC2B2AE35 & _MASK  # multipliers of MurmurHash3's last step (Appleby 2011)
_MISSING = 1
_FINE = Fraction(1, 10**6)
"""The step of reals that nobody has bounded."""
LINEAR, ORDER = "h", "g"
"""The columns that stand beside rows while they are put in order: a sum of their values, and the hash of it."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """A column that the order depends on: its SQL, its kind, and for reals the step they are rounded to."""

    sql: str
    kind: Kind
    step: Fraction | None = None

    @classmethod
    def within(cls, sql: str, kind: Kind, known: Range) -> "Hashed":
        """A column of which a range is known."""
        return cls(sql, kind, known.step if known.is_bounded else None)


def seed_of(dataset: Dataset) -> int:
    """Keys the choice of rows and groups: the same in every process, and never made of the data.

    A seed that depends on the data would let one person change which groups everybody else counts in.
    """
    return int(hashlib.sha256(f"groups of {dataset.name}".encode()).hexdigest()[:15], 16)


def in_order(rows: str, columns: Sequence[Hashed], seed: int, dialect: Dialect, *, prefix: str = "") -> str:
    """The rows with their hash beside them, as `ORDER`; a prefix tells it apart where columns have others' names."""
    linear, order = prefix + LINEAR, prefix + ORDER
    summed = f"SELECT *, {_linear(columns, seed, dialect)} AS {linear} FROM ({rows}) t"
    return f"SELECT *, {_mixed(linear, dialect)} AS {order} FROM ({summed}) t"


def number_of(column: Hashed, dialect: Dialect) -> str:
    """What of a value the order depends on: less than 2**31 in size, never missing, and its own number."""
    return f"coalesce({_number(column, dialect)} % {_PRIME}, {_MISSING})"


def ordered(names: Sequence[str]) -> str:
    """An order by columns in which missing values are last: engines differ in where they put them."""
    return ", ".join(f"{name} NULLS LAST" for name in names)


def _linear(columns: Sequence[Hashed], seed: int, dialect: Dialect) -> str:
    """A sum of multiples, folded before the third column and every second after it: less than 2**63 in size."""

    def whole(number: int) -> str:
        return f"CAST({number} AS {dialect.type_of(Kind.INTEGER)})"  # 64 bits, not what its size would suggest

    made = whole(_multiplier(seed, 0))
    for place, column in enumerate(columns, 1):
        if place > 1 and place % 2:
            made = f"({made}) % {_PRIME} * {whole(_multiplier(seed, 0))}"
        made += f" + {number_of(column, dialect)} * {whole(_multiplier(seed, place))}"
    return made


def _mixed(x: str, dialect: Dialect) -> str:
    """Thirty-one bits, the leading ones of which depend on all: shifts and products in turn."""
    made = f"({dialect.xor(x, f'({x} >> 31)')} & {_MASK})"
    for shift, factor in ((16, _FIRST), (13, _SECOND)):
        made = f"({dialect.xor(made, f'({made} >> {shift})')} * {factor} & {_MASK})"
    return made


def _number(column: Hashed, dialect: Dialect) -> str:
    kind = column.kind
    if kind is Kind.TEXT:
        return dialect.text_number(column.sql)
    if kind is Kind.BOOLEAN:
        return f"CASE WHEN {column.sql} THEN 1 WHEN NOT {column.sql} THEN 0 END"
    if kind is Kind.REAL:
        step = dialect.double(column.step or _FINE)
        steps = f"{dialect.function('div', [column.sql, step], Kind.REAL)} + {dialect.double(0.5)}"
        return dialect.cast(dialect.function("floor", [steps], Kind.REAL), Kind.INTEGER, Kind.REAL)
    return column.sql if kind is Kind.INTEGER else dialect.moment_number(column.sql, kind)


def _multiplier(seed: int, place: int) -> int:
    """An odd number of thirty bits."""
    drawn = hashlib.sha256(f"{seed}:{place}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") % 2**29 + 2**29 | 1
