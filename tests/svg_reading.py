"""An SVG read back: where everything stands, and what must hold of any picture whatever it shows."""

import math
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.pictures.svg import length

SPACE = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "title", "desc", "style", "g", "rect", "line", "circle", "polyline", "polygon", "text"}
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
EDGE = 0.011  # coordinates are rounded to two decimals


@dataclass(frozen=True)
class Shape:
    """An element, the size of the picture it stands in, and its text."""

    tag: str
    attributes: dict[str, str]
    width: float
    height: float
    text: str

    def number(self, name: str) -> float:
        return float(self.attributes[name])

    def is_a(self, kind: str) -> bool:
        return self.attributes.get("class") == kind

    def points(self) -> list[tuple[float, float]]:
        return [(float(x), float(y)) for x, y in (pair.split(",") for pair in self.attributes["points"].split())]


def shapes(text: str | bytes) -> list[Shape]:
    root = ET.fromstring(text)
    return list(_walk(root, math.nan, math.nan))


def _walk(element: ET.Element, width: float, height: float) -> Iterator[Shape]:
    tag = element.tag.removeprefix(SPACE)
    assert element.tag.startswith(SPACE)
    yield Shape(tag, dict(element.attrib), width, height, element.text or "")
    if tag == "svg":
        zero, other, width, height = map(float, element.attrib["viewBox"].split())
        assert zero == other == 0
    for child in element:
        yield from _walk(child, width, height)


def check(text: str | bytes) -> list[Shape]:
    """Everything stands inside its picture, nothing runs or is fetched, and every character can be seen."""
    found = shapes(text)
    assert found[0].tag == "svg"
    assert found[0].attributes["role"] == "img"
    assert [shape.tag for shape in found[1:3]] == ["title", "desc"]
    assert all(shape.text for shape in found[1:3])
    for shape in found:
        assert shape.tag in TAGS
        for name, value in shape.attributes.items():
            assert not name.lower().startswith("on")
            assert "href" not in name
            assert "url(" not in value
            assert "nan" not in value.lower()
            assert "inf" not in value.lower()
        assert not {unicodedata.category(character) for character in shape.text} & UNSEEN
        for x, y in _corners(shape):
            assert -EDGE <= x <= shape.width + EDGE, shape
            assert -EDGE <= y <= shape.height + EDGE, shape
    return found


def _corners(shape: Shape) -> Iterator[tuple[float, float]]:
    match shape.tag:
        case "rect":
            x, y, wide, high = map(shape.number, ("x", "y", "width", "height"))
            assert wide >= 0
            assert high >= 0
            yield from ((x, y), (x + wide, y + high))
        case "svg" if not math.isnan(shape.width):
            x, y, wide, high = map(shape.number, ("x", "y", "width", "height"))
            yield from ((x, y), (x + wide, y + high))
        case "line":
            yield from ((shape.number("x1"), shape.number("y1")), (shape.number("x2"), shape.number("y2")))
        case "circle":
            x, y, r = map(shape.number, ("cx", "cy", "r"))
            yield from ((x - r, y - r), (x + r, y + r))
        case "polyline" | "polygon":
            yield from shape.points()
        case "text":
            size, x = shape.number("font-size"), shape.number("x")
            bold = 1.1 if shape.attributes.get("font-weight") == "bold" else 1
            wide = bold * length(shape.text, size)
            left = {"start": x, "middle": x - wide / 2, "end": x - wide}[shape.attributes["text-anchor"]]
            yield from ((left, shape.number("y") - 0.75 * size), (left + wide, shape.number("y") + 0.25 * size))


def bars(found: list[Shape]) -> list[Shape]:
    return [shape for shape in found if shape.is_a("bar")]


def texts(found: list[Shape]) -> list[str]:
    return [shape.text for shape in found if shape.tag == "text"]
