"""SVG as text: elements in which every text and number is escaped, and words that fit their room."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.core.printing import for_page, for_terminal

SIZE, SMALL, TITLE = 12, 11, 14  # of letters
_FONT = "system-ui, sans-serif"
_NARROW, _WIDE = frozenset("fijlrtI-.,:;'|!()[]/ \N{NO-BREAK SPACE}"), frozenset("mwMW%@")
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
_LONGEST = 400  # characters of a title or description, for those who hear it
_FILE_STYLE = (
    "svg{color:#222}.ground{fill:#fff}@media(prefers-color-scheme:dark){svg{color:#e6e6e6}.ground{fill:#161616}}"
)


class Markup(str):
    """Text that is SVG already; everything else is escaped when it is put into an element."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture that is drawn: its size, its elements, and what it shows in words."""

    width: float
    height: float
    body: Markup
    says: str


def number(value: float) -> str:
    """A coordinate in at most two decimals.

    >>> number(1 / 3), number(-0.001), number(20.0)
    ('0.33', '0', '20')
    """
    if not math.isfinite(value):
        raise ValueError("a coordinate must be finite")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *children: str, **attributes: str | float) -> Markup:
    """An element; an underscore in an attribute's name stands for a hyphen.

    >>> element("text", "a < b", x=1.5, font_size=12)
    '<text x="1.5" font-size="12">a &lt; b</text>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{for_page(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
    )
    inside = joined(*children)
    return Markup(f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>")


def joined(*parts: str) -> Markup:
    """Elements and texts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else for_page(part) for part in parts))


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float) -> Markup:
    """A straight line in the colour of the text around the picture."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": "currentColor", **attributes})


def words(text: str, x: float, y: float, *, anchor: str = "start", size: float = SIZE, **more: str | float) -> Markup:
    """A text in the colour of the text around the picture; one in letters of unknown width is held to its room."""
    if not text:
        return Markup("")
    held: dict[str, str | float] = (
        {} if all(map(_known, text)) else {"textLength": length(text, size), "lengthAdjust": "spacingAndGlyphs"}
    )
    return element("text", text, **{"x": x, "y": y, "font_size": size, "text_anchor": anchor, **held, **more})


def _known(character: str) -> bool:
    """Whether `_advance` is sure of a character: alphabets from Latin to Arabic, signs, and squares of one size."""
    code = ord(character)
    return code < 0x700 or 0x2000 <= code < 0x2300 or unicodedata.east_asian_width(character) in "WF"


def length(text: str, size: float = SIZE) -> float:
    """How long a text is at most, in the usual fonts."""
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    """The advance of a character in the widest of the usual fonts, over the size of letters."""
    if character in _NARROW:
        return 0.42
    if character in _WIDE:
        return 1.0
    kind, code = unicodedata.category(character), ord(character)
    if kind.startswith("M"):
        return 0.1
    if kind in ("Ll", "Nd"):
        return 0.65 if code < 0x100 else 0.9
    if character.isascii() or 0x530 <= code < 0x700:
        return 0.84
    return 1.0 if unicodedata.east_asian_width(character) in "WF" or 0x2000 <= code < 0x2300 else 1.1


def fitted(text: str, room: float, size: float = SIZE) -> str:
    """The text as it can be shown, cut where the room ends.

    >>> fitted("a long name", 40), fitted("one\\ntwo", 100)
    ('a lo…', 'one\\\\ntwo')
    """
    most = max(int(room / size / 0.1), 1)
    shown = for_terminal(text[: most + 1])
    if length(shown, size) <= room:
        return shown
    used, kept = length("…", size), 0
    for character in shown:
        used += length(character, size)
        if used > room:
            break
        kept += 1
    return f"{shown[:kept].rstrip()}…"


def folded(text: str, room: float, size: float = SIZE, lines: int = 3) -> list[str]:
    """The text on several short lines, cut where the last one ends.

    >>> folded("the table as printed", 70)
    ['the table', 'as printed']
    """
    kept = for_terminal(text[:1000]).replace(" = ", _EQUALS)  # an equation stays on one line
    rest = [fitted(word, room, size) for word in kept.split(" ")[:100] if word]
    found = [rest.pop(0)] if rest else [""]
    while rest:
        longer = f"{found[-1]} {rest[0]}"
        if length(longer, size) <= room:
            found[-1] = longer
        elif len(found) < lines:
            found.append(rest[0])
        else:
            found[-1] = fitted(f"{found[-1]} {' '.join(rest)}", room, size)
            break
        del rest[0]
    return found


def paragraph(lines: Sequence[str], x: float, y: float, step: float, **more: str | float) -> Markup:
    """Lines of text under each other."""
    anchor = str(more.pop("anchor", "start"))
    size = float(more.pop("size", SIZE))
    return joined(*(words(text, x, y + i * step, anchor=anchor, size=size, **more) for i, text in enumerate(lines)))


def cut(text: str) -> str:
    """A title or description of bounded length."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def inline(drawing: Drawing, title: str) -> str:
    """The picture as an element of a page: its ink is the colour of the page's text."""
    return _root(drawing, title, Markup(""))


def alone(drawing: Drawing, title: str) -> str:
    """The picture as a file: light or dark as its reader prefers, on a ground of its own."""
    ground = element("rect", class_="ground", x=0, y=0, width=drawing.width, height=drawing.height)
    root = _root(drawing, title, joined(element("style", Markup(_FILE_STYLE)), ground))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def _root(drawing: Drawing, title: str, before: Markup) -> str:
    return element(
        "svg",
        element("title", cut(title) or "picture"),
        element("desc", cut(drawing.says) or "nothing to show"),
        before,
        drawing.body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(drawing.width)} {number(drawing.height)}",
        width=drawing.width,
        height=drawing.height,
        style="max-width:100%;height:auto",
        role="img",
        direction="ltr",
        font_family=_FONT,
        fill="currentColor",
    )


def nested(drawing: Drawing, x: float, y: float) -> Markup:
    """The picture as a part of a larger one."""
    box = f"0 0 {number(drawing.width)} {number(drawing.height)}"
    return element("svg", drawing.body, x=x, y=y, width=drawing.width, height=drawing.height, viewBox=box)
