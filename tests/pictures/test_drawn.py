"""Whatever is drawn stands inside its picture, is escaped, and is the same each time."""

import ast
import doctest
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato.pictures
import svg_reading
from sfumato.errors import InvalidParameter
from sfumato.pictures import (
    Bars,
    Beside,
    Curve,
    Curves,
    DrawnBar,
    Meter,
    Picture,
    Reference,
    Role,
    as_svg,
    as_svg_file,
    as_text,
    of_answer,
)
from sfumato.pictures import svg as writer
from sfumato.pictures.scales import Linear, Log, Named

ROOM = Path(sfumato.pictures.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
HOSTILE = (
    "<script>alert(1)</script>",
    '"\' onload="alert(1)',
    "]]>&amp;&#x3C;",
    "\u202eeman\u2066",
    "two\nlines\r\ttab",
    "\x00\x1b[31m",
    "\ud800",
    "x" * 10_000,
    "a b " * 2_500,
    "\u0301" * 10_000,
    "日本" * 5_000,
    "﷽" * 50,
    "",
    " ",
)
NAMES = st.one_of(st.sampled_from(range(len(HOSTILE))).map(lambda i: HOSTILE[i]), st.text(max_size=60))
VALUES = st.one_of(
    st.none(),
    st.floats(),
    st.integers(-100, 100),
    st.fractions(max_denominator=100),
    st.sampled_from([0.0, -0.0, 1e16, 1e16 + 2, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308]),
    st.sampled_from([400, 4999]).map(lambda size: 10**size),
    st.sampled_from([400, 4999]).map(lambda size: Fraction(-1, 10**size)),
    st.sampled_from([math.nan, math.inf, -math.inf]),
)
BAR = st.builds(DrawnBar, NAMES, VALUES, VALUES, VALUES, st.sampled_from(Role), VALUES, NAMES)
REFERENCES = st.none() | st.builds(Reference, NAMES, VALUES, NAMES)
BARS = st.builds(Bars, NAMES, st.lists(BAR, max_size=15), NAMES, REFERENCES, VALUES, VALUES, st.booleans())
POINTS = st.lists(st.tuples(VALUES, VALUES), max_size=8)
CURVE = st.builds(
    lambda name, points, role: Curve(name, [x for x, _ in points], [y for _, y in points], role),
    NAMES,
    POINTS,
    st.none() | st.sampled_from(Role),
)
CURVES = st.builds(
    Curves, NAMES, st.lists(CURVE, max_size=5), NAMES, NAMES, st.booleans(), st.booleans(), st.booleans(),
    st.lists(NAMES, max_size=4),
)  # fmt: skip
METERS = st.builds(Meter, NAMES, VALUES, VALUES, NAMES)
PICTURES: st.SearchStrategy[Picture] = st.recursive(
    BARS | CURVES | METERS, lambda inner: st.builds(Beside, NAMES, st.lists(inner, max_size=3)), max_leaves=3
)


@given(PICTURES)
@example(Bars("", []))
@example(Curves("", []))
@example(Beside("", []))
@example(Meter("", None, None))
@example(Curves("", [Curve("", [1], [1])], log_x=True, log_y=True))
@example(Curves("", [Curve("", [5e-324], [5e-324])], log_x=True))
@example(Bars("", [DrawnBar("a", -1.7e308), DrawnBar("b", 1.7e308)]))
def test_everything_drawn_is_finite_inside_and_harmless(picture: Picture) -> None:
    svg_reading.check(as_svg(picture))
    svg_reading.check(as_svg_file(picture))


@given(PICTURES)
def test_the_same_picture_gives_the_same_bytes(picture: Picture) -> None:
    assert as_svg_file(picture) == as_svg_file(picture)
    assert as_text(picture, 30) == as_text(picture, 30)


@given(PICTURES, st.integers(1, 80))
def test_a_terminal_gets_lines_that_it_can_show(picture: Picture, width: int) -> None:
    lines = as_text(picture, width).split("\n")
    assert all(
        character.isprintable() or character in "\xa0\u3000" or character.isspace()
        for line in lines
        for character in line
    )
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    assert max(map(len, lines)) <= 10 * (width + 200)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_words_and_never_elements(name: str) -> None:
    found = svg_reading.check(as_svg_file(Bars(name, [DrawnBar(name, 1, words=name)], name, Reference(name, 2, name))))
    assert sum(shape.tag == "title" for shape in found) == 2  # the picture's and the bar's
    assert len(as_svg(Bars(name, [DrawnBar(name, 1)]))) < 8_000


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from sfumato.pictures import *;"
        "print(hashlib.sha256(as_svg_file(Beside('t', [Bars('a', [DrawnBar('x', 1, 0, 2)]),"
        "Curves('b', [Curve('c', [1, 2], [3, 4])]), Meter('m', 1, 3)]))).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(seen) == 1


# ---- axes --------------------------------------------------------------------------------------------------------


@given(st.lists(VALUES, max_size=6), st.booleans())
def test_ticks_are_few_different_and_in_order(values: list[float], from_zero: bool) -> None:
    for scale in (Linear.over(values, from_zero=from_zero), Log.over(values)):
        ticks = scale.ticks()
        assert len(ticks) <= 7
        assert len({tick.words for tick in ticks}) == len(ticks)
        assert [tick.share for tick in ticks] == sorted(tick.share for tick in ticks)
        assert all(0 <= tick.share <= 1 and len(tick.words) <= 30 for tick in ticks)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Linear.over([0, 1]), "0 0.2 0.4 0.6 0.8 1.0"),
        (Linear.over([0, 1], percent=True), "0 %|20 %|40 %|60 %|80 %|100 %"),
        (Linear.over([3, 3]), "2 3 4"),
        (Linear.over([-5, 10]), "-5 0 5 10"),
        (Linear.over([0, 12345678]), "0 5e6 1e7"),
        (Linear.over([0, 90_000]), "0 20,000 40,000 60,000 80,000"),
        (Linear.over([]), "0 0.2 0.4 0.6 0.8 1.0"),
        (Log.over([1, 1000]), "1 10 100 1,000"),
        (Log.over([1e-3, 1e-2]), "0.001 0.002 0.005 0.01"),
        (Log.over([3, 4]), "3 4"),
        (Log.over([1e-300, 1e300]), "1e-300 1e-179 1e-58 1e63 1e184"),
        (Named(["a", "b"]), "a b"),
    ],
)
def test_ticks_can_be_read(scale: Linear | Log | Named, words: str) -> None:
    found = [tick.words for tick in scale.ticks()]
    assert found == (words.split("|") if "|" in words else words.split(" "))


def test_ticks_stand_where_their_words_say() -> None:
    for scale in (Linear.over([-3, 17]), Log.over([0.002, 40])):
        for tick in scale.ticks():
            assert tick.share == pytest.approx(scale.share(float(tick.words)), abs=1e-9)


# ---- colours, sizes, words -----------------------------------------------------------------------------------------


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("ground", ["#ffffff", "#161616"])
def test_colours_stand_out_on_light_and_dark(role: Role, ground: str) -> None:
    """Web Content Accessibility Guidelines 2.1 ask for a contrast of 3 for parts of graphics."""
    light, dark = sorted((_luminance(role.value), _luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 3


def test_a_page_lends_its_ink_and_a_file_brings_its_own() -> None:
    picture = Meter("budget", 1, 4)
    assert "currentColor" in as_svg(picture)
    assert "<style" not in as_svg(picture)
    assert as_svg_file(picture).startswith(b"<?xml")
    assert b"prefers-color-scheme:dark" in as_svg_file(picture)


def test_what_is_hidden_from_eyes_is_told_in_words() -> None:
    found = svg_reading.check(
        as_svg(Bars("visits", [DrawnBar("flu", 12, 10, 14), DrawnBar("cold", None)], reference=Reference("all", 20)))
    )
    assert found[1].text == "visits"
    assert found[2].text == "flu: 12 (10 to 14); cold: —; compared with all: 20"
    found = svg_reading.check(as_svg(Curves("", [Curve("a", [1, None, 3], [4, 5, 6]), Curve("b", [None], [1])])))
    assert found[2].text == "a: (1, 4) to (3, 6); b: no points"


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="y must have as many values as x, 2: 1"):
        Curve("a", [1, 2], [1])
    with pytest.raises(InvalidParameter, match="values must be as many as names, 1: 0"):
        of_answer(["a"], [], [], [])
    with pytest.raises(InvalidParameter, match="width"):
        as_text(Meter("", 1, 2), 0)
    with pytest.raises(ValueError, match="finite"):
        writer.number(math.nan)


def test_a_long_answer_shows_its_first_rows_and_says_so() -> None:
    n = 1_000
    found = svg_reading.check(of_answer(range(n), [1] * n, [0] * n, [2] * n, "long"))
    assert len(svg_reading.bars(found)) == 40
    assert "and 960 more rows" in svg_reading.texts(found)


def test_the_kept_figure_is_what_its_page_draws() -> None:
    said: dict[str, Any] = {}
    for part in doctest.DocTestParser().get_examples((DOCS / "pictures.md").read_text(encoding="utf-8")):
        exec(part.source, said)
    assert (DOCS / "images" / "pictures.svg").read_bytes() == as_svg_file(said["picture"])


# ---- the room ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(ROOM.glob("*.py")), ids=lambda path: path.name)
def test_the_room_needs_the_standard_library_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert all(name.split(".")[0] in {*sys.stdlib_module_names, "sfumato"} for name in names)


# ---- power: what the checks above must catch -------------------------------------------------------------------------


def _unescaped(text: str) -> str:
    return text


def test_text_that_is_not_escaped_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "for_page", _unescaped)
    with pytest.raises((AssertionError, SyntaxError)):  # an element that may not be there, or no XML at all
        test_names_are_words_and_never_elements(HOSTILE[0])


def test_a_place_beyond_the_end_of_an_axis_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def unbounded(self: Linear, value: float) -> float:
        return float((Fraction(value) - self.low) / (self.high - self.low))

    monkeypatch.setattr(Linear, "share", unbounded)
    with pytest.raises(AssertionError):
        svg_reading.check(as_svg(Bars("", [DrawnBar("a", 3)], most=1)))


def test_names_that_are_not_cut_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sfumato.pictures.bars, "fitted", lambda text, *_: text)
    with pytest.raises(AssertionError):
        svg_reading.check(as_svg(Bars("", [DrawnBar("a", 3, words="x" * 200)])))
