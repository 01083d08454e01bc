"""The figures of docs/local.md are drawn by the script, the page names those that exist, and the worked example runs."""

import re
from pathlib import Path
from typing import Any

import pytest

mpl: Any = pytest.importorskip("matplotlib")
local_plots: Any = pytest.importorskip("local_plots")
mechanism_plots: Any = pytest.importorskip("mechanism_plots")
telemetry: Any = pytest.importorskip("telemetry")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "local.md").read_text(encoding="utf-8")
NAMED = re.findall(r"!\[[^\]]+\]\((local/[^)]+)\)", PAGE)
SMALL: dict[str, dict[str, int]] = {
    "frequencies": {"people": 200, "points": 3},
    "trust": {"points": 3, "crowds": 2},
    "rappor": {"people": 4000},
    "numbers": {"points": 3, "days": 10},
}


@pytest.mark.parametrize("name", SMALL)
def test_a_figure_is_drawn_where_it_is_asked_for(name: str, tmp_path: Path) -> None:
    with mpl.rc_context(mechanism_plots.STYLE):
        path = getattr(local_plots, name)(tmp_path, **SMALL[name])
    text = path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]
    assert text.count("<path") > 30
    assert "<dc:date>" not in text


def test_every_figure_is_drawn_and_shown() -> None:
    assert {figure.__name__ for figure in local_plots.FIGURES} == set(SMALL)
    assert sorted(NAMED) == sorted(f"local/{path.name}" for path in (ROOT / "docs" / "local").iterdir())
    for name in NAMED:
        assert (ROOT / "docs" / name).stat().st_size < 160_000


def test_the_worked_example_finds_what_it_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.main(20_000)
    said = capsys.readouterr().out
    assert "https://news.example" in said
    assert "'replayed': 100" in said
    assert "Theorem 7.7" in said
