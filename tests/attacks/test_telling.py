"""How an attack's figures are told: rates, results, pictures and pages."""

import itertools
import math
from fractions import Fraction

import pytest

import svg_reading
from sfumato.attacks.lesson import COIN, Chance, Lesson, Result, Side
from sfumato.attacks.lessons import LESSONS, lesson
from sfumato.attacks.pages import page
from sfumato.attacks.picture import bars, draw
from sfumato.attacks.rates import Rate
from sfumato.errors import InvalidParameter
from sfumato.pictures import Curve


def result(*, curves: tuple[Curve, ...] = (), x_names: tuple[str, ...] = ()) -> Result:
    sides = (
        Side("open", Rate(9, 10)),
        Side("half closed", Rate(7, 10), protected=True),
        Side("closed", Rate(5, 10), protected=True),
    )
    return Result("a bit is told", sides, COIN, ("one remark", "another"), curves, "x", "y", False, x_names, {"n": 3})


def told(made: Result) -> Lesson:
    return Lesson("name", "A <title>", "A story.", "A defence.", lambda bits: made, "a source")


def tail(successes: int, trials: int, p: Fraction, *, above: bool) -> Fraction:
    """Pr[Bin(n, p) ≥ k], or ≤ k, exactly."""
    counts = range(successes, trials + 1) if above else range(successes + 1)
    return sum((math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in counts), Fraction(0))


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (0, 30), (30, 30), (9, 10), (37, 120)])
def test_an_interval_covers_with_95_percent_and_is_not_wider_than_it_must(successes: int, trials: int) -> None:
    """Clopper and Pearson by their definition: at an end the observed count has a tail of 2½ %, in exact arithmetic."""
    low, high = Rate(successes, trials).interval
    aim, close = Fraction(1, 40), Fraction(1, 10**6)
    if successes:
        assert abs(tail(successes, trials, Fraction(low), above=True) - aim) < close
    else:
        assert low == 0
    if successes < trials:
        assert abs(tail(successes, trials, Fraction(high), above=False) - aim) < close
    else:
        assert high == 1


def test_rates_add_up_and_count_what_is_true() -> None:
    assert Rate(1, 2) + Rate(3, 4) == Rate(4, 6)
    assert Rate.of([1, "", None, "x"]) == Rate(2, 4)
    with pytest.raises(InvalidParameter, match="successes"):
        Rate.of([])


@pytest.mark.parametrize(
    ("rate", "words"),
    [(Rate(1, 2), "50 % (1.3 to 98.7 %)"), (Rate(0, 7), "0 % (0 to 41 %)"), (Rate(10, 10), "100 % (69.2 to 100 %)")],
)
def test_a_rate_is_said_in_percent_without_needless_zeros(rate: Rate, words: str) -> None:
    assert str(rate) == words


@pytest.mark.parametrize(("share", "words"), [(0.5, "50 %"), (0.333, "33.3 %"), (1.0, "100 %"), (0.0004, "0 %")])
def test_chance_is_said_in_percent(share: float, words: str) -> None:
    assert str(Chance("a guess", share)) == words


def test_before_is_the_first_open_side_and_after_the_last_closed_one() -> None:
    made = result()
    assert made.before == Rate(9, 10)
    assert made.after == Rate(5, 10)
    with pytest.raises(StopIteration):
        _ = Result("x", made.sides[1:], COIN).before
    with pytest.raises(StopIteration):
        _ = Result("x", made.sides[:1], COIN).after


def test_a_result_is_plain_values_that_say_everything() -> None:
    document = result().to_json()
    assert [side["share"] for side in document["sides"]] == [0.9, 0.7, 0.5]
    assert [side["protected"] for side in document["sides"]] == [False, True, True]
    assert all(side["low"] < side["share"] < side["high"] for side in document["sides"])
    assert document["chance"] == {"guess": "a coin", "share": 0.5}
    assert document["remarks"] == ["one remark", "another"]
    assert document["facts"] == {"n": 3}


def test_bars_stand_in_the_order_of_the_sides_with_their_words() -> None:
    lines = bars(result()).splitlines()
    assert [name in line for name, line in zip(("open", "half closed", "closed"), lines, strict=False)] == [True] * 3
    assert "90 % (55.5 to 99.7 %)" in lines[0]
    lengths = [line.count("█") for line in lines[:3]]
    assert all(one > other for one, other in itertools.pairwise(lengths))


def test_a_picture_has_bars_alone_or_bars_and_curves_or_named_bars() -> None:
    plain, curved, named = (
        svg_reading.check(draw(told(made), made))
        for made in (
            result(),
            result(curves=(Curve("a", [1, 2], [0.1, 0.2]), Curve("flat", [1, 2], [0.5, 0.5]))),
            result(curves=(Curve("a", [0, 1], [3.0, 4.0]),), x_names=("left", "right")),
        )
    )
    assert len(svg_reading.bars(plain)) == len(svg_reading.bars(curved)) == 3
    assert len(svg_reading.bars(named)) == 5
    assert [sum(shape.tag == "polyline" for shape in found) for found in (plain, curved, named)] == [0, 2, 0]


def test_a_title_with_signs_of_markup_is_text_in_the_picture() -> None:
    drawn = draw(told(result()), result())
    assert b"A &lt;title&gt;" in drawn
    assert b"<title>A <title>" not in drawn


def test_a_page_tells_story_figures_remarks_and_how_to_run_it() -> None:
    text = page(told(result()), result(), "images/name.svg")
    lines = text.splitlines()
    assert lines[0] == "# A <title>"
    assert "![A <title>](images/name.svg)" in lines
    assert "| before | open | 90 % (55.5 to 99.7 %) |" in lines
    assert [line.split(" | ")[0] for line in lines if line.startswith(("| before", "| after", "| guessing"))] == [
        "| before", "| after", "| after", "| guessing",
    ]  # fmt: skip
    assert "- One remark." in lines
    assert "- Another." in lines
    assert "$ sfumato attack name" in lines
    assert lines.index("A story.") < lines.index("## Before and after") < lines.index("A defence.")


def test_a_long_story_is_wrapped_and_loses_no_word() -> None:
    story = " ".join(f"word{i}" for i in range(200))
    made = Lesson("n", "t", story, "d.", lambda bits: result(), "s")
    text = page(made, result(), "x.svg")
    assert max(map(len, text.splitlines())) <= 118
    assert " ".join(text.split()).count(story) == 1


def test_every_lesson_says_what_it_is_about_and_an_unknown_one_is_refused_with_the_names() -> None:
    for known in LESSONS:
        assert lesson(known.name) is known
        assert all((known.title, known.story.endswith("."), known.defence.endswith("."), known.source))
    with pytest.raises(InvalidParameter, match="known ones") as caught:
        lesson("linkages")
    assert all(known.name in str(caught.value) for known in LESSONS)
