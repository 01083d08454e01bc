"""What is drawn, as data: bars, curves and meters. A value that is None or no number is shown as missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from sfumato.errors import InvalidParameter

Value = int | float | Fraction | None
"""A number as it comes; None and NaN are missing, and what is beyond every float counts as infinite."""


class Role(Enum):
    """What a colour says; each is one of Okabe and Ito's, or a grey, and can be seen on light and on dark."""

    PLAIN = "#0072B2"
    ALARM = "#D55E00"
    OTHER = "#009E73"
    COMPARED = "#8A8A8A"


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """A named value, with the ends of its interval, a dot, and the words that stand beside it."""

    name: str
    value: Value
    low: Value = None
    high: Value = None
    role: Role = Role.PLAIN
    mark: Value = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that all bars are compared with."""

    name: str
    value: Value
    words: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars from zero, in the order given; `least` and `most` fix the ends of the axis."""

    title: str
    bars: Sequence[DrawnBar]
    label: str = ""
    reference: Reference | None = None
    least: Value = None
    most: Value = None
    percent: bool = False
    """The values are shares, and the axis shows them as percent."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A named line through points."""

    name: str
    x: Sequence[Value]
    y: Sequence[Value]
    role: Role | None = None

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise InvalidParameter("y", f"must have as many values as x, {len(self.x)}", len(self.y))


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over one pair of axes; with `x_names` the places 0, 1, … of the x axis have names instead of numbers."""

    title: str
    curves: Sequence[Curve]
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False
    from_zero: bool = False
    """The y axis begins at zero if it is linear."""
    x_names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of a budget is spent."""

    name: str
    spent: Value
    cap: Value
    words: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """Several pictures in a row."""

    title: str
    pictures: "Sequence[Picture]"


Picture = Bars | Curves | Meter | Beside
"""Everything that can be drawn."""
