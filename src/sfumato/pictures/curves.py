"""Lines with markers over linear, logarithmic or named axes, with a legend."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sfumato.pictures.axes import Plot, below, beside
from sfumato.pictures.numbers import finite, short
from sfumato.pictures.scales import Linear, Log, Named, Scale
from sfumato.pictures.svg import (
    SMALL,
    TITLE,
    Drawing,
    Markup,
    element,
    fitted,
    folded,
    joined,
    length,
    line,
    number,
    paragraph,
    words,
)
from sfumato.pictures.values import Curve, Curves, Role, Value

WIDTH, _PAD, _PLOT = 560.0, 10.0, 200.0
_COLOURS = (Role.ALARM, Role.PLAIN, Role.OTHER)
_DASHES = ("none", "7 3", "2 3")
_COMPARED_DASH = "5 3"
_MOST_MARKERS = 60
_SAID = 20  # curves that a description tells of


@dataclass(frozen=True, slots=True)
class _Style:
    colour: str
    dash: str
    marked: bool


def scales_of(picture: Curves) -> tuple[Scale, Scale]:
    """The two axes: over every point that can be drawn."""
    xs = [x for curve in picture.curves for x in curve.x]
    ys = [y for curve in picture.curves for y in curve.y]
    across: Scale = Log.over(xs) if picture.log_x else Linear.over(xs)
    upward: Scale = Log.over(ys) if picture.log_y else Linear.over(ys, from_zero=picture.from_zero)
    return (Named(picture.x_names) if picture.x_names else across), upward


def runs(curve: Curve, across: Scale, upward: Scale) -> Iterator[list[tuple[float, float]]]:
    """The points of a curve as shares of both axes, parted where a point has no place."""
    run: list[tuple[float, float]] = []
    for x, y in zip(curve.x, curve.y, strict=True):
        if across.holds(x) and upward.holds(y):
            run.append((across.share(_float(x)), upward.share(_float(y))))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _float(value: Value) -> float:
    found = finite(value)
    return 0.0 if found is None else found


def draw(picture: Curves) -> Drawing:
    """The curves as SVG."""
    across, upward = scales_of(picture)
    title = folded(picture.title, WIDTH - 2 * _PAD, TITLE * 1.1, 2) if picture.title else []
    styles = list(_styles(picture.curves))
    top = _PAD + 20 * len(title)
    legend, used = _legend(picture.curves, styles, top) if len(picture.curves) > 1 else (Markup(""), 0.0)
    top += used + (24 if picture.y_label else 8)
    left = _PAD + max((length(tick.words, SMALL) for tick in upward.ticks()), default=0) + 8
    plot = Plot(min(left, WIDTH / 2), top, WIDTH - 2 * _PAD, top + _PLOT)
    lines = [_curve(curve, style, across, upward, plot) for curve, style in zip(picture.curves, styles, strict=True)]
    body = joined(
        paragraph(title, _PAD, _PAD + TITLE, 20, size=TITLE, font_weight="bold"),
        legend,
        words(fitted(picture.y_label, WIDTH - 2 * _PAD, SMALL), _PAD, top - 12, size=SMALL),
        below(across, plot, WIDTH, every=bool(picture.x_names)),
        beside(upward, plot),
        *lines,
        _label(picture.x_label, plot),
    )
    return Drawing(WIDTH, plot.bottom + 22 + (18 if picture.x_label else 0) + _PAD, body, describe(picture))


def _styles(curves: Sequence[Curve]) -> Iterator[_Style]:
    """Colours in turn; each round of colours has dashes of its own, as have curves that are there to compare with."""
    turn = 0
    for curve in curves:
        if curve.role is Role.COMPARED:
            yield _Style(Role.COMPARED.value, _COMPARED_DASH, False)
        else:
            colour = curve.role or _COLOURS[turn % len(_COLOURS)]
            yield _Style(colour.value, _DASHES[turn // len(_COLOURS) % len(_DASHES)], True)
            turn += curve.role is None


def _curve(curve: Curve, style: _Style, across: Scale, upward: Scale, plot: Plot) -> Markup:
    parts = [element("title", fitted(curve.name, WIDTH))]
    for run in runs(curve, across, upward):
        places = [(plot.x(x), plot.y(y)) for x, y in run]
        if len(places) > 1:
            points = " ".join(f"{number(x)},{number(y)}" for x, y in places)
            parts.append(
                element(
                    "polyline", points=points, fill="none", stroke=style.colour, stroke_width=1.8,
                    stroke_dasharray=style.dash,
                )
            )  # fmt: skip
        if len(places) == 1 or (style.marked and len(curve.x) <= _MOST_MARKERS):
            parts += [element("circle", cx=x, cy=y, r=2.8, fill=style.colour) for x, y in places]
    return element("g", *parts)


def _legend(curves: Sequence[Curve], styles: Iterable[_Style], top: float) -> tuple[Markup, float]:
    """A sample of each line and its name, in as many rows as it takes; and the height used."""
    parts: list[Markup] = []
    x, y = _PAD, top + 14
    for curve, style in zip(curves, styles, strict=True):
        name = fitted(curve.name, WIDTH / 2, SMALL)
        wide = 28 + length(name, SMALL) + 14
        if x > _PAD and x + wide > WIDTH - _PAD:
            x, y = _PAD, y + 16
        parts.append(line(x, y - 4, x + 22, y - 4, stroke=style.colour, stroke_width=1.8, stroke_dasharray=style.dash))
        parts += [element("circle", cx=x + 11, cy=y - 4, r=2.8, fill=style.colour)] if style.marked else []
        parts.append(words(name, x + 28, y, size=SMALL))
        x += wide
    return joined(*parts), y + 6 - top


def _label(text: str, plot: Plot) -> Markup:
    fit = fitted(text, plot.right - plot.left, SMALL)
    return (
        words(fit, (plot.left + plot.right) / 2, plot.bottom + 34, anchor="middle", size=SMALL) if text else Markup("")
    )


def describe(picture: Curves) -> str:
    """The curves as a sentence: where each begins and ends."""
    across, upward = scales_of(picture)
    told: list[str] = []
    for curve in picture.curves[:_SAID]:
        points = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if across.holds(x) and upward.holds(y)]
        ends = " to ".join(f"({short(x)}, {short(y)})" for x, y in (points[:1] + points[-1:])) or "no points"
        told.append(f"{curve.name[:100]}: {ends}")
    return "; ".join(told)
