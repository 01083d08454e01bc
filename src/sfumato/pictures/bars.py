"""Horizontal bars with intervals, a line to compare them with, and words."""

import math
from fractions import Fraction

from sfumato.pictures.axes import Plot, below
from sfumato.pictures.numbers import finite, real, short
from sfumato.pictures.scales import Linear
from sfumato.pictures.svg import (
    SMALL,
    TITLE,
    Drawing,
    Markup,
    cut,
    element,
    fitted,
    folded,
    joined,
    length,
    line,
    paragraph,
    words,
)
from sfumato.pictures.values import Bars, DrawnBar, Reference, Role

WIDTH, _PAD, _LINE = 560.0, 10.0, 14.0
_NAME_ROOM, _WORDS_ROOM = 215.0, 150.0
_SAID = 20  # bars that a description names


def scale_of(picture: Bars) -> Linear:
    """The axis of the bars: from zero, over all ends, unless its ends are given."""
    everything = [value for bar in picture.bars for value in (bar.value, bar.low, bar.high, bar.mark)]
    everything += [picture.reference.value] if picture.reference else []
    found = Linear.over(everything, from_zero=True, percent=picture.percent)
    least, most = finite(picture.least), finite(picture.most)
    low = found.low if least is None else Fraction(least)
    high = found.high if most is None else Fraction(most)
    return Linear.between(low, high, percent=picture.percent)


def said(bar: DrawnBar | Reference) -> str:
    """The words beside a bar: its own, or its value."""
    return bar.words or short(bar.value)


def interval(bar: DrawnBar) -> tuple[float, float] | None:
    """The ends of a bar's interval, the lower first, if it has both."""
    low, high = real(bar.low), real(bar.high)
    return None if low is None or high is None else (min(low, high), max(low, high))


def draw(picture: Bars) -> Drawing:
    """The bars as SVG."""
    names = [folded(bar.name, _NAME_ROOM) for bar in picture.bars]
    beside = [fitted(said(bar), _WORDS_ROOM, SMALL) for bar in picture.bars]
    title = folded(picture.title, WIDTH - 2 * _PAD, TITLE * 1.1, 2) if picture.title else []
    row = 20.0 if len(names) > 12 else 28.0
    heights = [max(row, _LINE * len(lines) + 8) for lines in names]
    top = _PAD + 20 * len(title) + (18 if picture.reference else 4)
    plot = Plot(
        _PAD + max((length(text) for lines in names for text in lines), default=0) + 8,
        top,
        WIDTH - _PAD - max((length(text, SMALL) for text in beside), default=0) - 10,
        top + max(sum(heights), row),
    )
    scale = scale_of(picture)
    parts, y = [], plot.top
    for bar, lines, text, height in zip(picture.bars, names, beside, heights, strict=True):
        middle = y + height / 2
        parts.append(paragraph(lines, plot.left - 8, middle + 4 - _LINE * (len(lines) - 1) / 2, _LINE, anchor="end"))
        parts.append(words(text, WIDTH - _PAD, middle + 4, anchor="end", size=SMALL))
        parts.append(_bar(bar, scale, plot, middle, min(16.0, 0.62 * height)))
        y += height
    label = folded(picture.label, WIDTH - 2 * _PAD, SMALL, 2) if picture.label else []
    height = plot.bottom + 22 + 4 * bool(label) + _LINE * len(label) + _PAD
    body = joined(
        paragraph(title, _PAD, _PAD + TITLE, 20, size=TITLE, font_weight="bold"),
        below(scale, plot, WIDTH),
        *parts,
        _reference(picture.reference, scale, plot) if picture.reference else Markup(""),
        _label(label, plot),
    )
    return Drawing(WIDTH, height, body, describe(picture))


def _label(lines: list[str], plot: Plot) -> Markup:
    """The words under the axis, in its middle if they fit there."""
    half = max((length(text, SMALL) for text in lines), default=0) / 2
    middle = min(max((plot.left + plot.right) / 2, _PAD + half), WIDTH - _PAD - half)
    return paragraph(lines, middle, plot.bottom + 34, _LINE, anchor="middle", size=SMALL)


def _bar(bar: DrawnBar, scale: Linear, plot: Plot, middle: float, thick: float) -> Markup:
    value, ends, mark = real(bar.value), interval(bar), real(bar.mark)
    parts = [element("title", cut(f"{bar.name}: {_in_words(bar)}"))]
    if value is not None:
        here, zero = plot.x(scale.share(value)), plot.x(scale.share(0.0))
        left, wide = min(here, zero), abs(here - zero)
        shape = {"x": left, "y": middle - thick / 2, "width": wide, "height": thick}
        parts.append(element("rect", fill=bar.role.value, class_="bar", **shape))
        if not scale.holds(value):
            parts.append(_arrow(here, middle, value))
    if ends is not None:
        parts.append(_whisker(ends, scale, plot, middle))
    if mark is not None:
        at = plot.x(scale.share(mark))
        dot = element("circle", cx=at, cy=middle, r=2.6, class_="mark")
        parts.append(dot if scale.holds(mark) else _arrow(at, middle, mark))
    return element("g", *parts)


def _whisker(ends: tuple[float, float], scale: Linear, plot: Plot, middle: float) -> Markup:
    """The interval as a line, with a stroke across each end that is within the axis."""
    left, right = (plot.x(scale.share(end)) for end in ends)
    caps = [
        line(x, middle - 4, x, middle + 4, stroke_width=1.4)
        for x, end in ((left, ends[0]), (right, ends[1]))
        if scale.holds(end)
    ]
    return joined(line(left, middle, right, middle, stroke_width=1.4, class_="interval"), *caps)


def _arrow(x: float, y: float, value: float) -> Markup:
    """A sign that a value is beyond the end of the axis."""
    away = math.copysign(6, value)
    points = " ".join(f"{x + dx:.2f},{y + dy:.2f}" for dx, dy in ((away, 0), (0, -4), (0, 4)))
    return element("polygon", points=points, class_="beyond")


def _reference(reference: Reference, scale: Linear, plot: Plot) -> Markup:
    value = real(reference.value)
    if value is None:
        return Markup("")
    x = plot.x(scale.share(value))
    on_right = WIDTH - x > x
    room = (WIDTH - x if on_right else x) - _PAD - 4
    text = fitted(f"{reference.name}: {said(reference)}" if reference.name else said(reference), room, SMALL)
    return joined(
        line(x, plot.top - 6, x, plot.bottom, stroke=Role.COMPARED.value, stroke_width=1.4, stroke_dasharray="5 3"),
        words(text, x + (4 if on_right else -4), plot.top - 5, anchor="start" if on_right else "end", size=SMALL),
    )


def _in_words(bar: DrawnBar) -> str:
    ends = interval(bar)
    return said(bar) + (f" ({short(ends[0])} to {short(ends[1])})" if ends and not bar.words else "")


def describe(picture: Bars) -> str:
    """The bars as a sentence."""
    listed = [f"{bar.name[:100]}: {_in_words(bar)}" for bar in picture.bars[:_SAID]]
    listed += [f"and {len(picture.bars) - _SAID} more"] if len(picture.bars) > _SAID else []
    compared = picture.reference
    listed += [f"compared with {compared.name[:100]}: {said(compared)}"] if compared else []
    return "; ".join(listed)
