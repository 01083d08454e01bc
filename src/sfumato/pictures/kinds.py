"""Every kind of picture with the two ways to draw it: as SVG and as blocks."""

from collections.abc import Callable
from typing import Any

from sfumato.core.printing import for_terminal
from sfumato.errors import InvalidParameter
from sfumato.pictures import bars, blocks, curves, meter, svg
from sfumato.pictures.values import Bars, Beside, Curves, Meter, Picture


def _beside(picture: Beside) -> svg.Drawing:
    """Pictures from left to right."""
    drawings = [_drawn(each) for each in picture.pictures]
    parts, x = [], 0.0
    for drawing in drawings:
        parts.append(svg.nested(drawing, x, 0))
        x += drawing.width
    tallest = max((drawing.height for drawing in drawings), default=10)
    return svg.Drawing(max(x, 10), tallest, svg.joined(*parts), "; ".join(drawing.says for drawing in drawings))


def _under_each_other(picture: Beside, width: int) -> str:
    parts = [as_text(each, width) for each in picture.pictures]
    return "\n\n".join([*([for_terminal(svg.cut(picture.title))] if picture.title else []), *parts])


_KINDS: dict[type[Any], tuple[Callable[[Any], svg.Drawing], Callable[[Any, int], str]]] = {
    Bars: (bars.draw, blocks.of_bars),
    Curves: (curves.draw, blocks.of_curves),
    Meter: (meter.draw, blocks.of_meter),
    Beside: (_beside, _under_each_other),
}


def _drawn(picture: Picture) -> svg.Drawing:
    return _KINDS[type(picture)][0](picture)


def _title(picture: Picture) -> str:
    return picture.name if isinstance(picture, Meter) else picture.title


def as_svg(picture: Picture) -> str:
    """The picture as an SVG element for a page or a notebook; its ink is the colour of the text around it.

    >>> as_svg(Meter("budget", 1, 4)).startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 52"')
    True
    """
    return svg.inline(_drawn(picture), _title(picture))


def as_svg_file(picture: Picture) -> bytes:
    """The picture as the bytes of an SVG file, readable on light and on dark grounds."""
    return svg.alone(_drawn(picture), _title(picture)).encode()


def as_text(picture: Picture, width: int = 40) -> str:
    """The picture for a terminal; `width` is how many characters the drawn part takes.

    >>> print(as_text(Meter("budget", 1, 4), 8))
    budget  ██░░░░░░
    """
    if width < 1:
        raise InvalidParameter("width", "must be positive", width)
    return _KINDS[type(picture)][1](picture, width)
