"""Lengths and places say what the values are: in SVG and in blocks, for bars, intervals, dots, curves and meters."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import svg_reading
from sfumato.pictures import Bars, Curve, Curves, DrawnBar, Meter, Reference, Role, as_svg, as_text, bars
from sfumato.pictures.scales import Linear, Log, Named

VALUES = st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), min_size=1, max_size=12)
ROUNDED = 0.03  # each end is written in two decimals


def check_bars(values: list[float]) -> None:
    """Bars are in order, all from one zero, and as long as their values are large, by one factor for all."""
    found = svg_reading.check(as_svg(Bars("", [DrawnBar(str(i), value) for i, value in enumerate(values)])))
    drawn = svg_reading.bars(found)
    assert len(drawn) == len(values)
    assert [bar.number("y") for bar in drawn] == sorted({bar.number("y") for bar in drawn})
    names = [text for text in svg_reading.texts(found) if text in map(str, range(len(values)))]
    assert [name for name in names if name == str(len(values) - 1)]
    largest = max(values, key=abs)
    if largest == 0:
        assert all(bar.number("width") == 0 for bar in drawn)
        return
    longest = max(bar.number("width") for bar in drawn)
    span = (max(*values, 0) - min(*values, 0)) / abs(largest)
    assert longest * span > 150  # the axis is as long as the widest names leave it
    zeros = set()
    for bar, value in zip(drawn, values, strict=True):
        left, wide = bar.number("x"), bar.number("width")
        assert wide == pytest.approx(longest * abs(value / largest), abs=ROUNDED)
        zeros.add(left if value >= 0 else left + wide)
    assert max(zeros) - min(zeros) <= ROUNDED


@given(VALUES)
def test_a_bar_is_as_long_as_its_value_is_large(values: list[float]) -> None:
    check_bars(values)


def _from_the_least(_: Bars) -> Linear:
    return Linear.over([2, 3])


@pytest.mark.parametrize("broken", ["crooked", "cut", "backwards"])
def test_a_drawing_that_is_not_true_to_scale_is_caught(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Linear.share

    def crooked(self: Linear, value: float) -> float:
        return math.sqrt(true(self, value))

    def backwards(self: Linear, value: float) -> float:
        return 1 - true(self, value) if value else true(self, value)

    check_bars([2.0, 3.0, 2.5])
    if broken == "cut":  # an axis that does not begin at zero
        monkeypatch.setattr(bars, "scale_of", _from_the_least)
    else:
        monkeypatch.setattr(Linear, "share", crooked if broken == "crooked" else backwards)
    with pytest.raises(AssertionError):
        check_bars([2.0, 3.0, 2.5])


def test_bars_are_drawn_in_the_order_given_with_names_and_words_beside_them() -> None:
    found = svg_reading.check(
        as_svg(Bars("", [DrawnBar("first", 3), DrawnBar("second", 1, words="one"), DrawnBar("third", None)]))
    )
    rows = {shape.text: shape.number("y") for shape in found if shape.tag == "text"}
    first, second = svg_reading.bars(found)
    for bar, name, words in ((first, "first", "3"), (second, "second", "one")):
        assert bar.number("y") < rows[name] < bar.number("y") + bar.number("height")
        assert rows[name] == rows[words]
    assert rows["first"] < rows["second"] < rows["third"] == rows["—"]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_intervals_dots_and_the_line_stand_where_their_values_are(
    low: float, high: float, mark: float, line: float
) -> None:
    picture = Bars("", [DrawnBar("a", 1, low, high, mark=mark)], reference=Reference("r", line), least=0, most=1)
    found = svg_reading.check(as_svg(picture))
    (bar,) = svg_reading.bars(found)
    zero, whole = bar.number("x"), bar.number("width")
    (drawn,) = (shape for shape in found if shape.is_a("interval"))
    (dot,) = (shape for shape in found if shape.is_a("mark"))
    (compared,) = (shape for shape in found if shape.attributes.get("stroke-dasharray"))
    places = drawn.number("x1"), drawn.number("x2"), dot.number("cx"), compared.number("x1")
    wanted = min(low, high), max(low, high), mark, line
    assert places == pytest.approx([zero + whole * share for share in wanted], abs=ROUNDED)


def test_what_is_beyond_the_axis_gets_an_arrow_and_an_open_end_no_stroke() -> None:
    found = svg_reading.check(
        as_svg(
            Bars("", [DrawnBar("a", 5, mark=9), DrawnBar("b", 1, 0.5, math.inf), DrawnBar("c", -3)], least=0, most=2)
        )
    )
    assert sum(shape.is_a("beyond") for shape in found) == 3
    assert sum(shape.attributes.get("stroke-width") == "1.4" for shape in found) == 2  # the line, and one end


def test_missing_values_have_no_bar_and_half_an_interval_is_none() -> None:
    found = svg_reading.check(
        as_svg(Bars("", [DrawnBar("a", None), DrawnBar("b", math.nan, 1, 2), DrawnBar("c", 1, 0.5)]))
    )
    assert len(svg_reading.bars(found)) == 1
    assert sum(shape.is_a("interval") for shape in found) == 1
    assert svg_reading.texts(found).count("—") == 2


# ---- curves --------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(-1000, 1000)), min_size=2, max_size=10), st.booleans())
def test_points_of_a_curve_stand_where_their_values_are(points: list[tuple[int, int]], log: bool) -> None:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    found = svg_reading.check(as_svg(Curves("", [Curve("a", xs, ys)], log_x=log)))
    (drawn,) = (shape for shape in found if shape.tag == "polyline")
    places = drawn.points()
    across = [math.log10(x) if log else float(x) for x in xs]
    for values, coordinates, sign in ((across, [x for x, _ in places], 1), (ys, [y for _, y in places], -1)):
        span, reach = max(values) - min(values), max(coordinates) - min(coordinates)
        if span == 0:
            assert reach == 0
            continue
        first = min(coordinates) if sign > 0 else max(coordinates)
        for value, place in zip(values, coordinates, strict=True):
            assert sign * (place - first) == pytest.approx(reach * (value - min(values)) / span, abs=ROUNDED)


def test_a_curve_is_parted_where_a_point_is_missing() -> None:
    xs = [1, 2, 3, 4, 5, 6, 0]
    ys = [1, 2, None, 4, math.inf, 6, 7]
    found = svg_reading.check(as_svg(Curves("", [Curve("a", xs, ys)], log_x=True)))
    assert sum(shape.tag == "polyline" for shape in found) == 1
    assert sum(shape.tag == "circle" for shape in found) == 4


def test_curves_have_a_legend_and_places_have_names() -> None:
    picture = Curves(
        "t", [Curve("one", [0, 1], [1, 2]), Curve("two", [0, 1], [2, 1])], "month", "visits", x_names=["May", "June"]
    )
    found = svg_reading.check(as_svg(picture))
    assert {"one", "two", "month", "visits", "May", "June"} <= set(svg_reading.texts(found))
    assert len({shape.attributes["stroke"] for shape in found if shape.tag == "polyline"}) == 2
    alone = svg_reading.texts(svg_reading.check(as_svg(Curves("t", [Curve("one", [0, 1], [1, 2])]))))
    assert "one" not in alone


def test_nine_curves_can_be_told_apart() -> None:
    found = svg_reading.check(as_svg(Curves("", [Curve(str(i), [0, 1], [i, i + 1]) for i in range(9)])))
    drawn = [shape.attributes for shape in found if shape.tag == "polyline"]
    assert len({(each["stroke"], each["stroke-dasharray"]) for each in drawn}) == 9


def test_many_points_are_a_line_without_markers_and_one_point_is_a_marker() -> None:
    many, one = Curve("many", range(100), range(100)), Curve("one", [50], [2], Role.COMPARED)
    found = svg_reading.check(as_svg(Curves("", [many, one])))
    markers = [shape for shape in found if shape.tag == "circle"]
    assert [shape.attributes["fill"] for shape in markers] == [
        Role.ALARM.value,
        Role.COMPARED.value,
    ]  # one in the legend


def test_a_comparison_with_nothing_draws_no_line() -> None:
    found = svg_reading.check(as_svg(Bars("", [DrawnBar("שלום", 1)], reference=Reference("r", None))))
    assert not any(shape.attributes.get("stroke-dasharray") for shape in found)
    assert as_text(Bars("", [DrawnBar("a", 1)], reference=Reference("r", None)), 2) == "a  ██  1\nr  ··  —"


def test_names_are_at_the_middle_of_their_slots() -> None:
    assert [tick.share for tick in Named(["a", "b"]).ticks()] == [0.25, 0.75]
    assert not Named([]).holds(0)
    assert not Named(["a"]).holds(1)
    assert Log.over([1, 100]).share(10) == 0.5
    assert [Log.over([1, 100]).share(value) for value in (-1.0, 0.0, math.inf)] == [0, 0, 1]


# ---- meters and blocks -----------------------------------------------------------------------------------------------


@given(st.fractions(0, 2), st.integers(1, 60))
def test_a_meter_is_filled_as_far_as_is_spent(share: Fraction, width: int) -> None:
    shown = as_text(Meter("", share * 7, 7), width)
    assert len(shown) == width
    assert shown.count("█") == min(width, round(float(share) * width))
    found = svg_reading.check(as_svg(Meter("m", share * 7, 7)))
    (spent,) = (shape for shape in found if shape.is_a("spent"))
    assert spent.number("width") == pytest.approx(340 * min(1, float(share)), abs=ROUNDED)


@pytest.mark.parametrize("unknown", [None, math.nan, math.inf, 0, -1])
def test_a_budget_that_is_not_known_is_shown_as_spent(unknown: float | None) -> None:
    assert as_text(Meter("", 1, unknown), 5) == "█████"
    assert as_text(Meter("a", None, 1, "w"), 3) == "a  ███  w"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0, 1), st.integers(1, 60))
def test_blocks_are_as_many_as_the_value_is_large(values: list[float], line: float, width: int) -> None:
    picture = Bars(
        "", [DrawnBar(str(i), value) for i, value in enumerate(values)], reference=Reference("r", line), least=0, most=1
    )
    rows = as_text(picture, width).split("\n")
    assert [row.count("█") for row in rows] == [round(value * width) for value in (*values, line)]
    for row, value in zip(rows, values, strict=False):
        assert ("│" in row) == (round(value * width) <= round(line * width) < width)


def test_blocks_of_negative_values_end_at_zero() -> None:
    assert as_text(Bars("t", [DrawnBar("a", -1), DrawnBar("日", 3), DrawnBar("c", None)]), 8) == "\n".join(
        ["t", " a  ██······  -1", "日  ··██████  3", " c  ········  —"]
    )


def test_curves_are_drawn_with_characters_too() -> None:
    text = as_text(Curves("t", [Curve("up", [0, 1, 2], [0, 1, 2]), Curve("down", [0, 2], [2, 0])], "x", "y"), 16)
    assert text.split("\n") == [
        "t",
        "y",
        "2.0 │×              o",
        "    │        o",
        "    │",
        "  0 │o              ×",
        "    └────────────────",
        "     0            2.0",
        "x",
        "o up",
        "× down",
    ]
