"""The figure of docs/synthetic.md is what the script draws from the kept results, and the page's table says the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

synthetic_plots: Any = pytest.importorskip("synthetic_plots")
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "synthetic.md").read_text(encoding="utf-8")
PEERS = ROOT / "bench" / "results" / "synth_peers.json"
OURS = "`TableSynthesiser`, mean of 5"


def test_the_figure_is_drawn_from_the_kept_results() -> None:
    drawn = synthetic_plots.as_svg_file(synthetic_plots.picture(synthetic_plots.figures()))
    assert synthetic_plots.FIGURE.read_bytes() == drawn
    assert "synthetic/distances.svg" in PAGE


def test_the_table_of_the_page_says_what_was_kept() -> None:
    kept = synthetic_plots.figures()
    rows = re.findall(
        r"^\|[^|]*\| ((?:0\.1|1|10)(?:, with(?:out)? triples)?) \| (\.\d+) \| (\.\d+) \| (\.\d+) \|", PAGE, re.MULTILINE
    )
    tables = ["adult"] * 4 + ["binned"] * 3 + ["flights"] * 5 + ["weather"] * 3 + ["million"]
    assert len(rows) == len(tables)
    for name, (which, *said) in zip(tables, rows, strict=True):
        for columns, figure in enumerate(said, 1):
            places = len(figure) - 1
            assert float(figure) == round(kept[f"{name}, ε = {which}: {columns}-way"], places), (name, which, columns)


def test_the_table_of_peers_says_what_was_kept() -> None:
    kept: dict[tuple[str, str], float] = {}
    unable = list[str]()
    for row in json.loads(PEERS.read_text(encoding="utf-8")):
        figure = row["figure"].partition(": ")[2].partition(" (")[0]
        if row["theirs"] is None:
            unable.append(row["peer"].partition(":")[0])
        else:
            kept[OURS, figure], kept[row["peer"], figure] = row["ours"], row["theirs"]
    rows = re.findall(r"^\| ([^|]*) \| (\.\d+) \| (\.\d+) \| (\.\d+) \| [^|]* \| ([\d.,]+) \|", PAGE, re.MULTILINE)
    assert {name for name, *_ in rows} == {name for name, _ in kept}
    for name, *said, seconds in rows:
        for columns, figure in enumerate(said, 1):
            assert float(figure) == round(kept[name, f"{columns}-way"], len(figure) - 1), (name, columns)
        assert abs(float(seconds.replace(",", "")) - kept[name, "CPU s"]) < (0.06 if "." in seconds else 0.6)
    assert all(name in PAGE for name in unable)
