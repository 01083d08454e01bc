"""Pictures of a lesson: bars for a terminal, a figure for a page."""

from sfumato.attacks.lesson import Lesson, Result
from sfumato.pictures import Bars, Beside, Curve, Curves, DrawnBar, Picture, Reference, Role, as_svg_file, as_text

_WIDTH = 40


def bars(result: Result) -> str:
    """The success rates as lines of blocks, with a mark where guessing stands."""
    return as_text(_rates("", result), _WIDTH)


def draw(lesson: Lesson, result: Result) -> bytes:
    """The figure of a lesson as an SVG file: rates with their intervals, and the curves if there are any."""
    rates = _rates(lesson.title, result)
    return as_svg_file(Beside(lesson.title, (rates, _curves(result))) if result.curves else rates)


def _rates(title: str, result: Result) -> Bars:
    bars = [
        DrawnBar(
            side.answerer,
            side.rate.share,
            *side.rate.interval,
            role=Role.PLAIN if side.protected else Role.ALARM,
            words=str(side.rate),
        )
        for side in result.sides
    ]
    guess = Reference(result.chance.guess, result.chance.share, str(result.chance))
    return Bars(title, bars, label="attack succeeds", reference=guess, least=0, most=1, percent=True)


def _curves(result: Result) -> Picture:
    if result.x_names:
        curve = result.curves[0]
        named = [DrawnBar(name, y, role=Role.ALARM) for name, y in zip(result.x_names, curve.y, strict=True)]
        return Bars(f"{result.y_label}, by {result.x_label}", named)
    return Curves(
        "",
        [_compared(curve) for curve in result.curves],
        x_label=result.x_label,
        y_label=result.y_label,
        log_x=result.log_x,
        from_zero=True,
    )


def _compared(curve: Curve) -> Curve:
    """A curve that never changes is there for comparison."""
    return Curve(curve.name, curve.x, curve.y, Role.COMPARED if len(set(curve.y)) == 1 else curve.role)
