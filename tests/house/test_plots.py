"""The figures of the tutorial are drawn by the script, and the tutorial names figures that exist."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.slow

mpl: Any = pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mechanisms.md"
NAMED = re.findall(r"!\[[^\]]+\]\((images/[^)]+)\)", PAGE.read_text(encoding="utf-8"))
SMALL: dict[str, dict[str, int]] = {
    "noise": {"draws": 400},
    "error_against_epsilon": {"points": 4},
    "selection": {"draws": 40, "points": 3},
    "sparse_vector": {"points": 3},
    "keys": {"draws": 50},
    "smooth": {"draws": 5, "points": 3},
}


@pytest.fixture(scope="module")
def plots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mechanism_plots", ROOT / "examples" / "mechanism_plots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", SMALL)
def test_a_figure_is_drawn_where_it_is_asked_for(plots: ModuleType, name: str, tmp_path: Path) -> None:
    with mpl.rc_context(plots.STYLE):
        path = getattr(plots, name)(tmp_path, **SMALL[name])
    text = path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]
    assert text.count("<path") > 50
    assert "<dc:date>" not in text


def test_every_figure_is_drawn_by_make_plots(plots: ModuleType) -> None:
    assert {figure.__name__ for figure in plots.FIGURES} == set(SMALL)


def test_figures_without_noise_are_the_same_each_time(plots: ModuleType, tmp_path: Path) -> None:
    with mpl.rc_context(plots.STYLE):
        one, two = (plots.sparse_vector(tmp_path / folder, points=3) for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_the_tutorial_shows_every_figure_and_no_other() -> None:
    drawn = {f"images/{path.name}" for path in (ROOT / "docs" / "images").iterdir()}
    others = {"pictures.svg", "publication.png", "uncertainty.svg", "uncertainty-growth.svg"}  # which other pages show
    assert sorted(NAMED) == sorted(drawn - {f"images/{name}" for name in others})


@pytest.mark.parametrize("name", NAMED)
def test_a_figure_in_the_tutorial_is_a_small_svg(name: str) -> None:
    path = ROOT / "docs" / name
    assert path.read_text(encoding="utf-8").startswith("<?xml")
    assert path.stat().st_size < 160_000
