"""The figures of docs/local.md: real reports, real estimates. `make plots` draws them anew."""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mechanism_plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, _label, _log_log, _sheet, draw_all
from sfumato.accounting import events, total
from sfumato.local import (
    Aggregator,
    Client,
    Devices,
    Hadamard,
    Hybrid,
    KAry,
    LocalHash,
    OneBitMean,
    Piecewise,
    Protocol,
    Rappor,
    SubsetSelection,
    Unary,
    compare,
    decode,
    over_time,
)

IMAGES = Path(__file__).parents[1] / "docs" / "local"
EPSILONS = (0.25, 0.5, 1, 2, 4)


def _save(figure: Any, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    return path


def _estimate(protocol: Protocol, values: Any) -> Any:
    server = Aggregator(protocol)
    server.add(Devices(protocol).report(values))
    return server.estimate()


# ---- frequencies ------------------------------------------------------------------------------------------


def frequencies(folder: Path, people: int = 20_000, points: int = 25) -> Path:
    """The noise of each protocol against ε as a line, and measured over all values of a run as dots."""
    figure, panels = _sheet(2)
    line = np.geomspace(EPSILONS[0], EPSILONS[-1], points)
    kinds: dict[str, tuple[Callable[..., Protocol], dict[str, Any], str]] = {
        "k-ary": (KAry, {}, ORANGE),
        "symmetric unary": (Unary, {"coding": "symmetric"}, SKY),
        "optimised unary": (Unary, {}, BLUE),
        "local hashing": (LocalHash, {}, GREEN),
        "Hadamard": (Hadamard, {}, PURPLE),
        "subset selection": (SubsetSelection, {}, INK),
    }
    for panel, d in zip(panels, (16, 256), strict=True):
        values = np.arange(people) % d
        for name, (kind, options, colour) in kinds.items():
            made = [kind(name="plot", domain=d, epsilon=Fraction(float(e)), **options) for e in line]
            panel.plot(line, [math.sqrt(p.variance(1 / d) / people) for p in made], color=colour, label=name, lw=1.3)
            for epsilon in EPSILONS:
                protocol = kind(name="plot", domain=d, epsilon=epsilon, **options)
                error = float(np.sqrt(np.mean((_estimate(protocol, values).shares - 1 / d) ** 2)))
                panel.plot(epsilon, error, "o", color=colour, ms=3)
        _log_log(panel, EPSILONS, y_ticks=(0.003, 0.01, 0.03, 0.1, 0.3))
        _label(panel, f"{d} values", "ε of one report", f"error of a share, {people:,} people")
    panels[1].legend(loc="lower left")
    return _save(figure, folder, "frequencies")


# ---- what trusting nobody costs ----------------------------------------------------------------------------


def trust(folder: Path, points: int = 25, crowds: int = 20) -> Path:
    """Central against local, and what a shuffler gives back."""
    figure, (left, right) = _sheet(2)
    people = np.geomspace(100, 10**7, points).astype(int)
    found = [compare(epsilon=1, people=int(n)) for n in people]
    left.plot(people, [c.local for c in found], color=ORANGE, label="local: one bit a person (Theorem 7.7)")
    left.plot(people, [c.central for c in found], color=BLUE, label="central: Laplace noise")
    for n in (1000, 10_000, 100_000):
        protocol = OneBitMean(name="plot", upper=1, epsilon=1)
        errors = [abs(_estimate(protocol, np.arange(n) % 2).value - 0.5) for _ in range(40)]
        left.plot(n, np.quantile(errors, 0.95), "o", color=ORANGE, ms=4)
    left.axhline(0.01, color=GREY, lw=0.8, ls=":")
    _log_log(left, (100, 10_000, 1_000_000), y_ticks=(1e-6, 1e-4, 0.01, 1))
    left.set_xticks((100, 10_000, 1_000_000), labels=["100", "10 000", "1 000 000"])
    _label(left, "A mean of bits, ε = 1", "people", "error at 95 %")
    left.legend(loc="lower left")
    sizes = np.geomspace(100, 10**6, crowds).astype(int)
    for epsilon, colour in ((0.5, SKY), (1, BLUE), (2, GREEN), (4, ORANGE)):
        prices = [total([events.Shuffled(epsilon, int(n))]).epsilon(1e-6) for n in sizes]
        right.plot(sizes, prices, color=colour, label=f"ε = {epsilon:g} a report")
    _log_log(right, (100, 10_000, 1_000_000), y_ticks=(0.001, 0.01, 0.1, 1, 4))
    right.set_xticks((100, 10_000, 1_000_000), labels=["100", "10 000", "1 000 000"])
    _label(right, "Shuffled: what the server can tell, δ = 10⁻⁶", "people", "ε of the shuffled reports")
    right.legend(loc="lower left")
    return _save(figure, folder, "trust")


# ---- RAPPOR -------------------------------------------------------------------------------------------------


def rappor(folder: Path, people: int = 200_000) -> Path:
    """Homepages found among candidates, and what a device spends over a year."""
    figure, (left, right) = _sheet(2, height=3.8)
    protocol = Rappor(name="homepages", f=Fraction(1, 4), p=Fraction(1, 4), q=Fraction(3, 4))
    names = [f"site {i}" for i in range(1, 31)]
    shares = 1 / np.arange(1.0, 31)
    shares /= shares.sum()
    strings = [name for name, share in zip(names, shares, strict=True) for _ in range(round(share * people))]
    server = Aggregator(protocol)
    server.add(Devices(protocol).report(strings))
    found = decode(server, names + [f"nobody's {i}" for i in range(270)])
    places = [names.index(one.string) + 1 for one in found.detected if one.string in names]
    centres = [one.share for one in found.detected if one.string in names]
    reach = [one.high - one.share for one in found.detected if one.string in names]
    left.bar(range(1, len(names) + 1), shares, color=SKY, alpha=0.5, label="truth")
    left.errorbar(places, centres, reach, fmt="o", color=BLUE, ms=3, lw=1, label="decoded, 95 %")
    left.axhline(found.detection_limit, color=ORANGE, lw=1, ls="--", label="detection limit")
    left.set_yscale("log")
    left.set_yticks((0.003, 0.01, 0.03, 0.1, 0.3), labels=["0.3 %", "1 %", "3 %", "10 %", "30 %"])
    left.yaxis.minorticks_off()
    _label(left, f"{people:,} reports, {found.candidates} candidates", "homepage, by rank", "share")
    left.legend(loc="upper right")
    days = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256, 365])
    device = Rappor(name="default")
    for values, colour in ((1, BLUE), (3, GREEN)):
        spent = [float(over_time(device, reports=int(day), values=values).spent) for day in days]
        right.plot(days, spent, "o-", color=colour, ms=3, label=f"with memory, {values} value{'s' * (values > 1)}")
    fresh = [float(over_time(device, reports=int(day)).without_memory) for day in days]
    right.plot(days, fresh, "o-", color=ORANGE, ms=3, label="without memory")
    _log_log(right, (1, 7, 30, 100, 365), y_ticks=(1, 10, 100))
    _label(right, "A report a day, RAPPOR's defaults", "days", "ε of the device")
    right.legend(loc="upper left")
    return _save(figure, folder, "rappor")


# ---- numbers --------------------------------------------------------------------------------------------------


def numbers(folder: Path, points: int = 25, days: int = 120) -> Path:
    """Variances of means, and a number that drifts past its α-point."""
    figure, (left, right) = _sheet(2)
    line = np.geomspace(0.25, 6, points)
    left.plot(line, 8 / line**2, color=GREY, label="Laplace noise")
    for name, kind, colour in (
        ("one bit", OneBitMean, ORANGE),
        ("piecewise", Piecewise, BLUE),
        ("hybrid", Hybrid, GREEN),
    ):
        made = [kind(name="plot", lower=-1, upper=1, epsilon=Fraction(float(e))) for e in line]
        left.plot(line, [max(p.variance(t / 8) for t in range(9)) for p in made], color=colour, label=name)
    _log_log(left, (0.25, 0.5, 1, 2, 4), y_ticks=(0.1, 1, 10, 100))
    _label(left, "A mean on [-1, 1], at its worst", "ε of one report", "variance of one person's estimate")
    left.legend(loc="lower left")
    _drift(right, days)
    return _save(figure, folder, "numbers")


def _drift(axes: Axes, days: int) -> None:
    """What the server sees of eight devices whose number grows a little every day, with memory and without."""
    for row, (memo, colour) in enumerate(((True, BLUE), (False, ORANGE))):
        protocol = OneBitMean(name="drift", upper=days, epsilon=1, memo=memo, interaction="full")
        for device in range(8):
            told = [
                Client(protocol.document() | {"round": day}, bytes([device]) * 16).report(day)[16]
                for day in range(days)
            ]
            ones = [day for day in range(days) if told[day]]
            height = 17 - 9 * row - device
            axes.plot(ones, [height] * len(ones), "|", color=colour, ms=4.5, mew=0.9)
    axes.set_yticks((13.5, 4.5), labels=["α-point,\nremembered", "fresh coins"])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(0.3, 17.7)
    axes.grid(visible=False)
    _label(axes, "Eight devices, a number that grows: days that say 1", "day", "")


FIGURES: tuple[Callable[[Path], Path], ...] = (frequencies, trust, rappor, numbers)


def main(folder: Path = IMAGES) -> None:
    """Draw every figure into a folder."""
    draw_all(FIGURES, folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
