"""The picture of the uncertainty principle: drawn where it is asked for, with measurements between the bounds."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sfumato.pictures import Curves
from sfumato.synth import FilledGeometric, PureLimit, least_point_error
from uncertainty_principle import WAYS, draw, growth, measured

SIZES = (10, 300)


def test_both_pictures_are_drawn_where_they_are_asked_for(tmp_path: Path) -> None:
    for path in draw(tmp_path, sizes=SIZES, runs=100):
        root = ET.fromstring(path.read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")
        text = "".join(root.itertext())
        assert "water-filled onto the sum" in text
        assert "nan" not in text
    assert {path.name for path in tmp_path.iterdir()} == {"uncertainty.svg", "uncertainty-growth.svg"}


def test_what_is_kept_stays_and_what_pays_grows() -> None:
    found = measured(SIZES, 400)
    clipped, filled, *_ = WAYS
    few, many = found[clipped]
    assert many.sum > 15 * few.sum
    assert many.point == pytest.approx(few.point, rel=0.5)
    few, many = found[filled]
    assert many.point > 1.5 * few.point
    assert many.sum == pytest.approx(math.sqrt(7.8), rel=0.5)


def test_measurements_lie_between_the_bounds_that_are_drawn() -> None:
    found = measured((3000,), 200)
    point = found[list(WAYS)[1]][0].point
    bounds = FilledGeometric(points=3000, epsilon=1).squared_errors
    assert point < math.sqrt(bounds.point)
    assert point > least_point_error(points=3000, sum_error=math.sqrt(bounds.sum), limit=PureLimit(1)) > 0
    left, right = growth(found, (3000,)).pictures
    assert isinstance(left, Curves)
    assert isinstance(right, Curves)
    assert [len(curve.x) for curve in left.curves][:3] == [1, 1, 1]
    assert right.curves[-1].name == "at least, clipped (Theorem 9.3)"
