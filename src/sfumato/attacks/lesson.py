"""What a lesson is: a story, an attack that runs, the figures before and after, and a picture of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.attacks.rates import Rate
from sfumato.exact import BitSource
from sfumato.pictures import Curve


@dataclass(frozen=True, slots=True)
class Side:
    """One answerer under attack: who answered, and how often the attack was right."""

    answerer: str
    rate: Rate
    protected: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        low, high = self.rate.interval
        return {
            "answerer": self.answerer,
            "protected": self.protected,
            "successes": self.rate.successes,
            "trials": self.rate.trials,
            "share": self.rate.share,
            "low": low,
            "high": high,
        }


@dataclass(frozen=True, slots=True)
class Chance:
    """What a guess achieves that the target's data had no part in."""

    guess: str
    share: float

    def __str__(self) -> str:
        return f"{100 * self.share:.1f}".removesuffix(".0") + " %"


COIN = Chance("a coin", 0.5)


@dataclass(frozen=True, slots=True)
class Result:
    """What an attack achieved against each answerer; `chance` is what guessing without the target's data achieves."""

    success: str
    """What counts as a success, in words."""
    sides: tuple[Side, ...]
    chance: Chance
    remarks: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    x_names: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def before(self) -> Rate:
        """Against the answerer without protection."""
        return next(side.rate for side in self.sides if not side.protected)

    @property
    def after(self) -> Rate:
        """Against Sfumato."""
        return next(side.rate for side in reversed(self.sides) if side.protected)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "success": self.success,
            "sides": [side.to_json() for side in self.sides],
            "chance": {"guess": self.chance.guess, "share": self.chance.share},
            "remarks": list(self.remarks),
            "facts": dict(self.facts),
        }


@dataclass(frozen=True, slots=True)
class Lesson:
    """An attack as a lesson: its name, its story, what protects, and the function that runs it."""

    name: str
    title: str
    story: str
    defence: str
    run: Callable[[BitSource | None], Result]
    source: str
