"""The same pictures for a terminal, drawn with characters."""

import unicodedata

from sfumato.core.printing import for_terminal
from sfumato.pictures import bars, curves, meter
from sfumato.pictures.numbers import MISSING, real
from sfumato.pictures.scales import Scale
from sfumato.pictures.values import Bars, Curves, DrawnBar, Meter, Reference

_NAME_ROOM, _WORDS_ROOM = 60, 60
_POINTS = "o×+*#@"
_MOST_ROWS = 16


def of_bars(picture: Bars, width: int) -> str:
    """A line of blocks a bar, with a mark where the value stands that they are compared with."""
    scale = bars.scale_of(picture)
    rows: list[DrawnBar | Reference] = [*picture.bars, *([picture.reference] if picture.reference else [])]
    compared = real(picture.reference.value) if picture.reference else None
    mark = -1 if compared is None else round(scale.share(compared) * width)
    names = [_shown(row.name, _NAME_ROOM) for row in rows]
    longest = max(map(_cells, names), default=0)
    lines = [_shown(picture.title, width + _NAME_ROOM)] if picture.title else []
    for row, name in zip(rows, names, strict=True):
        value = real(row.value)
        ends = (0.0, 0.0 if value is None else value)
        start, end = sorted(round(scale.share(end) * width) for end in ends)
        cells = "".join("█" if start <= i < end else "│" if i == mark else "·" for i in range(width))
        lines.append(f"{' ' * (longest - _cells(name))}{name}  {cells}  {_shown(bars.said(row), _WORDS_ROOM)}")
    return "\n".join(lines)


def of_meter(picture: Meter, width: int) -> str:
    """Full blocks for what is spent; the name and the words if it has any."""
    full = round(meter.share_of(picture) * width)
    parts = _shown(picture.name, _NAME_ROOM), "█" * full + "░" * (width - full), _shown(picture.words, _WORDS_ROOM)
    return "  ".join(part for part in parts if part)


def of_curves(picture: Curves, width: int) -> str:
    """A grid of characters, a kind for each curve, with the first and last tick of both axes."""
    across, upward = curves.scales_of(picture)
    rows = min(_MOST_ROWS, max(4, width // 4))
    grid = [[" "] * width for _ in range(rows)]
    for turn, curve in enumerate(picture.curves):
        for run in curves.runs(curve, across, upward):
            for x, y in run:
                grid[rows - 1 - round(y * (rows - 1))][round(x * (width - 1))] = _POINTS[turn % len(_POINTS)]
    words = _at_rows(upward, rows)
    longest = max(map(len, words))
    lines = [_shown(text, width + _NAME_ROOM) for text in (picture.title, picture.y_label) if text]
    lines += [f"{word:>{longest}} │{''.join(cells)}".rstrip() for word, cells in zip(words, grid, strict=True)]
    lines.append(f"{' ' * longest} └{'─' * width}")
    ends = [_shown(tick.words, max(width // 2 - 1, 1)) for tick in across.ticks()]
    first, last = (ends[0], ends[-1] if len(ends) > 1 else "") if ends else (MISSING, "")
    lines.append(f"{' ' * longest}  {first}{' ' * (width - _cells(first) - _cells(last))}{last}".rstrip())
    lines += [_shown(picture.x_label, width + _NAME_ROOM)] if picture.x_label else []
    lines += [
        f"{_POINTS[turn % len(_POINTS)]} {_shown(curve.name, _NAME_ROOM)}" for turn, curve in enumerate(picture.curves)
    ]
    return "\n".join(lines)


def _at_rows(scale: Scale, rows: int) -> list[str]:
    """The words of an axis's first and last tick, by the row of the grid that each stands on."""
    found, ticks = [""] * rows, scale.ticks()
    for tick in (*ticks[:1], *ticks[-1:]):
        found[rows - 1 - round(tick.share * (rows - 1))] = tick.words
    return found


def _shown(text: str, room: int) -> str:
    """The text as a terminal can show it, cut where the room ends."""
    shown = for_terminal(text[: room + 1])
    if _cells(shown) <= room:
        return shown
    while shown and _cells(shown) > room - 1:
        shown = shown[:-1]
    return f"{shown}…"


def _cells(text: str) -> int:
    """How many places of a terminal a text takes."""
    return sum(
        0 if unicodedata.category(each) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )
