"""Axes: ticks, their words and faint lines across the plot, shared by bars and curves."""

from dataclasses import dataclass

from sfumato.pictures.scales import Scale
from sfumato.pictures.svg import SMALL, Markup, fitted, joined, length, line, words

FAINT = 0.18  # opacity of the lines across a plot


@dataclass(frozen=True, slots=True)
class Plot:
    """The rectangle that values are drawn in."""

    left: float
    top: float
    right: float
    bottom: float

    def x(self, share: float) -> float:
        """A share of the way from left to right."""
        return self.left + share * (self.right - self.left)

    def y(self, share: float) -> float:
        """A share of the way from the bottom up."""
        return self.bottom - share * (self.bottom - self.top)


def below(scale: Scale, plot: Plot, room: float, *, every: bool = False) -> Markup:
    """The axis under a plot, in the room between 0 and `room`; words that would touch are left out unless `every`."""
    parts, free = [line(plot.left, plot.bottom, plot.right, plot.bottom)], 0.0
    ticks = scale.ticks()
    slot = (plot.right - plot.left) / max(len(ticks), 1) - 6
    for tick in ticks:
        x = plot.x(tick.share)
        parts.append(line(x, plot.top, x, plot.bottom + 4, stroke_opacity=FAINT))
        text = fitted(tick.words, max(slot, 0.0), SMALL) if every else tick.words
        half = length(text, SMALL) / 2
        x = min(max(x, half + 2), room - half - 2)
        if x - half >= free:
            parts.append(words(text, x, plot.bottom + 16, anchor="middle", size=SMALL))
            free = x + half + 2
    return joined(*parts)


def beside(scale: Scale, plot: Plot) -> Markup:
    """The axis on the left of a plot."""
    parts = [line(plot.left, plot.top, plot.left, plot.bottom)]
    for tick in scale.ticks():
        y = plot.y(tick.share)
        parts.append(line(plot.left - 4, y, plot.right, y, stroke_opacity=FAINT))
        parts.append(words(tick.words, plot.left - 7, y + 4, anchor="end", size=SMALL))
    return joined(*parts)
