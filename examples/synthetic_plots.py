"""Draws the figure of docs/synthetic.md from the kept results of `make bench-synth`: run by `make plots`."""

import json
from pathlib import Path

from sfumato.pictures import Bars, Beside, DrawnBar, Role, as_svg_file

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "synth.json"
FIGURE = ROOT / "docs" / "synthetic" / "distances.svg"
COLUMNS = {"1-way": "one column", "2-way": "two columns", "3-way": "three columns"}


def figures() -> dict[str, float]:
    """Every figure of the kept run by its name."""
    return {row["figure"].partition(" (")[0]: row["ours"] for row in json.loads(RESULTS.read_text(encoding="utf-8"))}


def picture(kept: dict[str, float]) -> Beside:
    """The distance of rows from Adult, by ε, beside that of a bootstrap."""
    groups = list[Bars]()
    for key, words in COLUMNS.items():
        bars = [DrawnBar("bootstrap", kept[f"adult: floor {key}"], role=Role.COMPARED)]
        bars += [DrawnBar(f"ε = {epsilon}", kept[f"adult, ε = {epsilon}: {key}"]) for epsilon in ("10", "1", "0.1")]
        groups.append(Bars(words, bars, label="mean total variation", least=0))
    return Beside("Adult, 10 columns: what rows lose", groups)


def main() -> None:
    """Write the figure."""
    FIGURE.write_bytes(as_svg_file(picture(figures())))


if __name__ == "__main__":
    main()
