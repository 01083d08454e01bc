"""The figures of docs/mechanisms.md: real draws and real `error(beta)` values. `make plots` draws them anew."""

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from sfumato import exact
from sfumato.core import Change, Neighbours, Norm, Sensitivity
from sfumato.mechanisms import (
    AboveThreshold,
    Additive,
    DiscreteGaussian,
    ExponentialMechanism,
    Gaussian,
    GaussianKeys,
    Geometric,
    KeySelection,
    Laplace,
    LaplaceKeys,
    Median,
    NumericSparse,
    OneSidedNoisyMax,
    Quantile,
    RandomizedResponse,
    ReportNoisyMax,
    Selection,
    SmoothSensitivity,
    Sparse,
    TruncatedGeometric,
    TruncatedGeometricKeys,
    above_threshold_accuracy,
    classical_sigma,
    numeric_sparse_accuracy,
    sparse_accuracy,
)

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DRAWS = 50_000
DELTA = 1e-6
BETA = 0.05

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, PURPLE, SKY, GREY, INK = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#8A8A8A",
    "#222222",
)
STYLE: Any = {
    "svg.hashsalt": "sfumato",
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.7,
    "legend.frameon": False,
    "legend.fontsize": 8,
}

Floats = NDArray[np.float64]
COUNT = Neighbours().histogram(Norm.L1)
ONE = Neighbours().histogram(Norm.LINF)


def _sheet(columns: int, rows: int = 1, *, height: float = 3.3) -> tuple[Figure, list[Axes]]:
    """A figure with a row or two of panels, and the panels in reading order."""
    figure = Figure(figsize=(10, height * rows))
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _log_log(axes: Axes, ticks: Sequence[float], *, y_ticks: Sequence[float] = ()) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain(axes, ticks)
    if y_ticks:
        axes.set_yticks(y_ticks, labels=[f"{tick:g}" for tick in y_ticks])
        axes.yaxis.minorticks_off()


def _plain(axes: Axes, ticks: Sequence[float]) -> None:
    """Ticks as plain numbers on a logarithmic axis."""
    axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    axes.xaxis.minorticks_off()


# ---- noise --------------------------------------------------------------------------------------------


def _bars(axes: Axes, drawn: NDArray[Any], reach: int, law: Callable[[Floats], Floats], colour: str) -> None:
    """Shares of whole-numbered draws as bars, the exact law as dots."""
    k = np.arange(-reach, reach + 1)
    shares = np.array([np.count_nonzero(drawn == each) for each in k]) / len(drawn)
    axes.bar(k, shares, width=0.8, color=colour, alpha=0.35, label="drawn")
    axes.plot(k, law(k.astype(np.float64)), "o", color=colour, ms=3.2, label="exact")


def _density(axes: Axes, drawn: Floats, reach: float, law: Callable[[Floats], Floats], colour: str) -> None:
    """Draws of real-valued noise as a histogram, the exact density as a line."""
    edges = np.linspace(-reach, reach, 42)
    counts, _ = np.histogram(drawn, edges)
    axes.stairs(counts / len(drawn) / np.diff(edges), edges, fill=True, color=colour, alpha=0.35, label="drawn")
    z = np.linspace(-reach, reach, 81)
    axes.plot(z, law(z), color=colour, label="exact")


def _normalised(weights: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    whole = float(weights(np.arange(-2000.0, 2001.0)).sum())
    return lambda k: weights(k) / whole


def _name(axes: Axes, name: str, parameters: str) -> None:
    axes.set_title(name)
    axes.text(0.03, 0.97, parameters, transform=axes.transAxes, va="top", fontsize=8, color=INK)


def noise(folder: Path, draws: int = DRAWS) -> Path:
    """Small multiples: what each mechanism adds to a true answer of zero, drawn and exact."""
    figure, panels = _sheet(4, 2, height=2.3)
    lap, geo, cut, normal, whole, heavy, response, tails = panels
    vector: dict[str, Any] = {"epsilon": 1, "sensitivity": COUNT, "dimension": draws}
    zeros = np.zeros(draws, dtype=np.int64)

    real = Laplace(**vector, grid=0.001).release(zeros)
    _density(lap, real, 6, lambda z: np.exp(-abs(z)) / 2, BLUE)
    _name(lap, "Laplace", "ε = 1")

    ratio = math.exp(-1)
    _bars(geo, Geometric(**vector).release(zeros), 6, lambda k: (1 - ratio) / (1 + ratio) * ratio ** abs(k), BLUE)
    _name(geo, "Geometric", "ε = 1")

    bounded = TruncatedGeometric.calibrated(**vector, delta=0.05)
    bound, end = bounded.bound, ratio**bounded.bound / (1 + ratio)
    _bars(
        cut,
        bounded.release(zeros),
        bound + 1,
        lambda k: np.where(
            abs(k) < bound, (1 - ratio) / (1 + ratio) * ratio ** abs(k), np.where(abs(k) == bound, end, 0)
        ),
        GREEN,
    )
    _name(cut, "Truncated geometric", f"ε = 1\nδ = 0.05\nat most ±{bound}")

    gauss = Gaussian.calibrated(**vector, delta=DELTA, grid=0.001)
    sigma = float(gauss.sigma)
    _density(
        normal,
        gauss.release(zeros),
        4 * sigma,
        lambda z: np.exp(-((z / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
        ORANGE,
    )
    _name(normal, "Gaussian", "ε = 1\nδ = 10⁻⁶")

    discrete = DiscreteGaussian.calibrated(**vector, delta=DELTA)
    spread = float(discrete.sigma)
    _bars(whole, discrete.release(zeros), 16, _normalised(lambda k: np.exp(-((k / spread) ** 2) / 2)), ORANGE)
    _name(whole, "Discrete Gaussian", "ε = 1\nδ = 10⁻⁶")

    z = exact.rounded_heavy_tail(4, 10_000, draws) / 1000.0  # 2(γ + 1)/ε = 10 times the smooth bound, in 1/1000
    _density(heavy, z, 60, lambda z: math.sqrt(2) / math.pi / 10 / (1 + (z / 10) ** 4), PURPLE)
    _name(heavy, "Heavy tail", "ε = 1\nγ = 4\nS = 1")

    ask = RandomizedResponse(epsilon=1, values=(0, 1, 2, 3))
    reports = ask.release(np.ones(draws, dtype=np.int64))
    response.bar(range(4), np.bincount(reports, minlength=4) / draws, color=SKY, alpha=0.5, label="drawn")
    channel = ask.channel
    response.plot(range(4), [channel.other, channel.holder, channel.other, channel.other], "o", color=BLUE, ms=4)
    response.set_xticks(range(4), labels=["rarely", "weekly", "daily", "never"], fontsize=7.5)
    _name(response, "Randomised response", "ε = 1")
    response.text(1.55, channel.holder, "the truth", fontsize=8, va="center")

    for axes in panels[:7]:
        axes.set_ylim(bottom=0)
        axes.tick_params(labelsize=7.5)
        axes.grid(axis="x", visible=False)
    for axes in panels[:6]:
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    lap.legend(loc="upper right", handlelength=1.2)
    geo.legend(loc="upper right", handlelength=1.2)

    _tails(tails, {"Laplace": (real, BLUE), "Gaussian": (gauss.release(zeros), ORANGE), "heavy tail": (z, PURPLE)})
    figure.supxlabel("noise", fontsize=9)
    figure.supylabel("share or density", fontsize=9)
    return _save(figure, folder, "noise")


def _tails(axes: Axes, drawn: dict[str, tuple[Floats, str]]) -> None:
    """How often noise is larger than a multiple of its own median size."""
    for name, (values, colour) in drawn.items():
        size = np.sort(abs(values))[::-1]
        median = float(np.median(size))
        rank = np.unique(np.geomspace(1, len(size), 50).astype(int)) - 1
        axes.plot(size[rank] / median, (rank + 1) / len(size), color=colour, label=name, lw=1.4)
    axes.set_yscale("log")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0, 20)
    axes.set_title("Pr[|noise| > t · median]")
    axes.tick_params(labelsize=7.5)
    axes.legend(fontsize=7, handlelength=1.2, loc="upper right")


# ---- error of additive mechanisms and of randomised response ------------------------------------------


def _curve(axes: Axes, x: Floats, error: Callable[[float], float], *, steps: bool = False, **look: Any) -> None:
    y = np.array([error(float(each)) for each in x])
    y[y <= 0] = np.nan  # an error of zero has no place on a logarithmic axis
    axes.plot(x, y, drawstyle="steps-mid" if steps else "default", **look)


def error_against_epsilon(folder: Path, points: int = 60) -> Path:
    """error(0.05) against ε: one count, a hundred counts that one person moves together, and reports of people."""
    figure, (one, many, people) = _sheet(3)
    epsilons = np.geomspace(0.05, 3, points)
    hundred: dict[str, Any] = {"dimension": 100}
    moves = {
        norm: Sensitivity(norm, Fraction(100), Neighbours(), coordinates=100) for norm in (Norm.L1, Norm.L2)
    }  # ℓ2: 10²
    _additive_errors(one, epsilons, COUNT, COUNT, {})
    _additive_errors(many, epsilons, moves[Norm.L1], moves[Norm.L2], hundred)
    _label(one, "One count", "ε", "error at 95 %")
    _label(many, "100 counts, all moved by one person", "ε", "largest of 100 errors at 95 %")
    _log_log(one, (0.05, 0.1, 0.3, 1, 3), y_ticks=(1, 3, 10, 30, 100, 300))
    _log_log(many, (0.05, 0.1, 0.3, 1, 3), y_ticks=(100, 1000, 10000))
    one.legend(handlelength=1.6, loc="lower left")
    many.annotate(
        "the classical σ\nends at ε = 1",
        (0.999, _classical(0.999, moves[Norm.L2], hundred).error(BETA).alpha),
        (0.055, 120),
        fontsize=8,
        color=INK,
        arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.8},
    )

    for k, colour in ((2, BLUE), (8, SKY), (64, PURPLE)):
        values = tuple(range(k))
        _curve(
            people,
            epsilons,
            lambda e, v=values: RandomizedResponse(epsilon=e, values=v).error(BETA, people=100_000).alpha,  # type: ignore[misc]
            color=colour,
            label=f"{k} values",
        )
    _label(people, "Randomised response, 10⁵ people", "ε", "error of a share at 95 %")
    _log_log(people, (0.05, 0.1, 0.3, 1, 3), y_ticks=(0.01, 0.1, 1, 10))
    people.axhline(1, color=GREY, lw=0.8, ls=":")
    people.text(3, 1.08, "no information", fontsize=7.5, color=GREY, ha="right")
    people.legend(loc="lower left")
    return _save(figure, folder, "error-against-epsilon")


def _additive_errors(axes: Axes, epsilons: Floats, l1: Sensitivity, l2: Sensitivity, shape: dict[str, Any]) -> None:
    pure: dict[str, Any] = {**shape, "sensitivity": l1}
    both: dict[str, Any] = {**shape, "sensitivity": l2, "delta": DELTA}
    below_one = np.append(epsilons[epsilons < 0.99], 0.999)
    makes: dict[str, Callable[[float], Additive]] = {
        "Laplace": lambda e: Laplace(epsilon=e, grid=0.01, **pure),
        "geometric": lambda e: Geometric(epsilon=e, **pure),
        "truncated geometric": lambda e: TruncatedGeometric.calibrated(epsilon=e, delta=DELTA, **pure),
        "classical Gaussian σ": lambda e: _classical(e, l2, shape),
        "discrete Gaussian": lambda e: DiscreteGaussian.calibrated(epsilon=e, **both),
        "Gaussian": lambda e: Gaussian.calibrated(epsilon=e, grid=0.01, **both),
    }
    looks: dict[str, dict[str, Any]] = {
        "Laplace": {"color": SKY, "lw": 3.4, "alpha": 0.7},
        "geometric": {"color": BLUE, "lw": 1.2},
        "truncated geometric": {"color": GREEN, "lw": 1.6, "ls": (0, (1, 1.2))},
        "classical Gaussian σ": {"color": GREY, "ls": "--"},
        "discrete Gaussian": {"color": PURPLE, "lw": 1.2},
        "Gaussian": {"color": ORANGE},
    }
    for name, make in makes.items():
        if shape and name == "truncated geometric":
            continue  # made for answers that move by one
        x = below_one if name.startswith("classical") else epsilons
        whole = not shape and name in {"geometric", "truncated geometric", "discrete Gaussian"}
        _curve(axes, x, lambda e, make=make: make(e).error(BETA).alpha, steps=whole, label=name, **looks[name])  # type: ignore[misc]
    axes.plot(0.999, _classical(0.999, l2, shape).error(BETA).alpha, "o", mfc="white", mec=GREY, ms=5)


def _classical(epsilon: float, l2: Sensitivity, shape: dict[str, Any]) -> Gaussian:
    sigma = classical_sigma(epsilon=epsilon, delta=DELTA, sensitivity=l2)
    return Gaussian(sigma=sigma, sensitivity=l2, grid=0.01, **shape)


# ---- selection ----------------------------------------------------------------------------------------

CHOOSERS = (
    (ReportNoisyMax, "report noisy max", GREEN),
    (ExponentialMechanism, "exponential mechanism", BLUE),
    (OneSidedNoisyMax, "one-sided noisy max", ORANGE),
)


def selection(folder: Path, draws: int = 2000, points: int = 60) -> Path:
    """How far the choice falls short, how often A-or-B is right, and how near a quantile comes."""
    figure, (short, right, rank) = _sheet(3)
    epsilons = np.geomspace(0.05, 3, points)
    names: dict[str, Any] = {"candidates": range(1000), "sensitivity": ONE, "monotone": True}
    for place, (kind, name, colour) in enumerate(CHOOSERS):
        make: Callable[..., Any] = kind
        _curve(
            short,
            epsilons,
            lambda e, make=make: make(epsilon=e, **names).error(BETA).alpha,  # type: ignore[misc]
            color=colour,
            label=name,
        )
        for e in np.geomspace(0.07, 1.8, 5) * 1.15**place:  # beside one another
            short.plot(e, _measured(make(epsilon=float(e), **names), draws // 4), "o", color=colour, ms=4, mec="white")
    _label(short, "Choice among 1000", "ε", "below the best by, at 95 %")
    _log_log(short, (0.05, 0.1, 0.3, 1, 3), y_ticks=(3, 10, 30, 100, 200))
    short.legend(loc="lower left")
    _a_or_b(right, draws)

    for steps, colour in ((120, SKY), (12_000, BLUE), (1_200_000, PURPLE)):
        for change, line in ((Change.REPLACE, "--"), (Change.ADD_REMOVE, "-")):
            relation = Neighbours(change)
            make_median: dict[str, Any] = {"q": 0.5, "lower": 0, "upper": 120, "neighbours": relation}
            grid = 120 / steps
            _curve(
                rank,
                epsilons,
                lambda e, make=make_median, grid=grid: Quantile(epsilon=e, grid=grid, **make).error(BETA).alpha,  # type: ignore[misc]
                color=colour,
                ls=line,
                label=f"{steps:,} grid points".replace(",", " ") if line == "-" else None,
            )
    _label(rank, "Median: distance in ranks", "ε", "people at 95 %")
    _log_log(rank, (0.05, 0.1, 0.3, 1, 3), y_ticks=(3, 10, 30, 100, 300))
    rank.plot([], [], color=GREY, ls="--", label="the same, replace-one")
    rank.legend(loc="lower left")
    return _save(figure, folder, "selection")


def _measured(chooser: Selection, draws: int) -> float:
    """The largest lead of one candidate over level rivals, the worst case, that is lost in 5 % of draws."""
    low, high = 0, 2 * math.ceil(chooser.error(BETA).alpha)
    while high - low > max(1, high // 40):
        lead = (low + high) // 2
        scores = np.zeros(len(chooser.candidates), dtype=np.int64)
        scores[0] = lead
        lost = sum(chooser.release(scores) != 0 for _ in range(draws)) > BETA * draws
        low, high = (lead, high) if lost else (low, lead)
    return high


def _a_or_b(axes: Axes, draws: int) -> None:
    """Counts 0 and c at ε = 1 for any neighbours: exact curves, shares of draws, and Corollary 4.6."""
    c = np.linspace(0, 10, 101)
    x = c / 2  # rate times gap
    wrong = {
        ReportNoisyMax: np.exp(-x) * (1 + x / 2) / 2,
        ExponentialMechanism: 1 / (1 + np.exp(x)),
        OneSidedNoisyMax: np.exp(-x) / 2,
    }
    for kind, _, colour in CHOOSERS:
        make: Callable[..., Any] = kind
        axes.plot(c, 1 - wrong[kind], color=colour)
        chooser = make(epsilon=1, candidates=("A", "B"), sensitivity=ONE)
        for gap in range(11):
            share = sum(chooser.release([0, gap]) == "B" for _ in range(draws)) / draws
            axes.plot(gap, share, "o", color=colour, ms=3.5, mew=0)
    axes.plot(c[c > 1.3], 1 - 2 * np.exp(-x[c > 1.3]), ls=":", color=GREY, lw=1.3)
    axes.text(3.6, 0.58, "bound of\nCorollary 4.6", fontsize=8, color=GREY)
    axes.set_ylim(0.48, 1.01)
    _label(axes, "A or B, ε = 1", "lead of B over A", "probability of the right answer")


# ---- sparse vector ------------------------------------------------------------------------------------


def sparse_vector(folder: Path, points: int = 40) -> Path:
    """α against the number of questions and against ε, as this library gives it and as the theorems state it."""
    figure, (pure, approximate, price) = _sheet(3)
    queries = np.unique(np.geomspace(1, 1_000_000, points).astype(int))
    base: dict[str, Any] = {"threshold": 1000, "sensitivity": COUNT}
    kinds = (
        (NumericSparse, numeric_sparse_accuracy, "NumericSparse, c = 100", ORANGE),
        (Sparse, sparse_accuracy, "Sparse, c = 100", BLUE),
    )
    for kind, theorem, name, colour in kinds:
        for axes, delta in ((pure, 0.0), (approximate, DELTA)):
            made = kind(epsilon=1, delta=delta, cutoff=100, **base)
            given: dict[str, Any] = {"beta": BETA, "epsilon": 1, "cutoff": 100, "delta": delta}
            axes.plot(queries, [made.error(BETA, queries=int(k)).alpha for k in queries], color=colour, label=name)
            axes.plot(queries, [theorem(queries=int(k), **given).alpha for k in queries], color=colour, ls=":", lw=1.3)
        _curve(
            price,
            np.geomspace(0.1, 3, points),
            lambda e, kind=kind: kind(epsilon=e, cutoff=100, **base).error(BETA, queries=1000).alpha,  # type: ignore[misc]
            color=colour,
        )
        _curve(
            price,
            np.geomspace(0.1, 3, points),
            lambda e, kind=kind: kind(epsilon=e, delta=DELTA, cutoff=100, **base).error(BETA, queries=1000).alpha,  # type: ignore[misc]
            color=colour,
            ls="--",
        )
    first = AboveThreshold(epsilon=1, **base)
    pure.plot(queries, [first.error(BETA, queries=int(k)).alpha for k in queries], color=GREEN)
    halting = [above_threshold_accuracy(queries=int(k), beta=BETA, epsilon=1).alpha for k in queries]
    pure.plot(queries, halting, color=GREEN, ls=":", lw=1.3)
    _curve(
        price,
        np.geomspace(0.1, 3, points),
        lambda e: AboveThreshold(epsilon=e, **base).error(BETA, queries=1000).alpha,
        color=GREEN,
    )
    for axes, title in ((pure, "ε = 1"), (approximate, "ε = 1, δ = 10⁻⁶")):
        _label(axes, title, "questions asked", "α at 95 %")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(12, 40_000)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xticks([1, 100, 10_000, 1_000_000])
        axes.xaxis.set_minor_locator(NullLocator())
    approximate.plot([], [], color=GREEN, label="AboveThreshold, c = 1")
    approximate.plot([], [], color=GREY, ls=":", lw=1.3, label="as the theorem states it")
    approximate.legend(loc="lower left")
    _label(price, "1000 questions", "ε", "α at 95 %")
    _log_log(price, (0.1, 0.3, 1, 3), y_ticks=(10, 100, 1000, 10_000, 100_000))
    price.plot([], [], color=GREY, label="δ = 0")
    price.plot([], [], color=GREY, ls="--", label="δ = 10⁻⁶")
    price.legend(loc="upper right")
    return _save(figure, folder, "sparse-vector")


# ---- keys ---------------------------------------------------------------------------------------------


def keys(folder: Path, draws: int = 4000) -> Path:
    """The chance that a key is shown against the people who hold it: exact curves and shares of releases."""
    figure, panels = _sheet(2)
    kinds: tuple[tuple[type[KeySelection], str, str], ...] = (
        (TruncatedGeometricKeys, "truncated geometric", GREEN),
        (LaplaceKeys, "Laplace", BLUE),
        (GaussianKeys, "Gaussian", ORANGE),
    )
    for axes, per_person, most in ((panels[0], 1, 45), (panels[1], 10, 360)):
        for kind, name, colour in kinds:
            made = kind(epsilon=1, delta=DELTA, keys_per_person=per_person)
            people = np.unique(np.linspace(1, most, 110).astype(int))
            broad: dict[str, Any] = {"lw": 3.4, "alpha": 0.55} if kind is TruncatedGeometricKeys else {}
            axes.plot(
                people,
                [made.chance(int(n)) for n in people],
                color=colour,
                label=f"{name}: threshold {made.threshold}",
                **broad,
            )
            for n in np.unique(np.linspace(1, most, 16).astype(int)):
                shown = made.release({key: int(n) for key in range(draws)})
                axes.plot(n, len(shown) / draws, "o", color=colour, ms=3.2, mew=0)
        plural = "One key" if per_person == 1 else f"{per_person} keys"
        _label(axes, f"{plural} a person, ε = 1, δ = 10⁻⁶", "people who hold the key", "chance that it is shown")
        axes.set_ylim(-0.03, 1.03)
        axes.legend(loc="lower right")
    return _save(figure, folder, "keys")


# ---- smooth sensitivity -------------------------------------------------------------------------------


def _ages(people: int) -> Floats:
    """A bell of ages around 40 years without chance: its quantiles at (i - ½)/n."""
    from scipy.special import ndtri

    return np.clip(40 + 15 * np.asarray(ndtri((np.arange(people) + 0.5) / people), dtype=np.float64), 0, 120)


def smooth(folder: Path, draws: int = 1500, points: int = 24) -> Path:
    """Noise on the median by smooth and by global sensitivity: against people, against ε, and as drawn."""
    figure, (size, price, drawn) = _sheet(3)
    median = Median(lower=0, upper=120, grid=0.01)
    span = Sensitivity(Norm.L1, Fraction(120), Neighbours(Change.REPLACE))

    def error(people: int, epsilon: float, delta: float) -> float:
        made = SmoothSensitivity(bound=median, epsilon=epsilon, delta=delta)
        bound = median.measure(_ages(people), made.beta).smooth * 0.01
        return made.error(BETA, smooth=bound).alpha

    def flat(epsilon: float) -> float:
        return Laplace(epsilon=epsilon, sensitivity=span, grid=0.01).error(BETA).alpha

    counts = np.unique(np.geomspace(10, 100_000, points).astype(int))
    epsilons = np.geomspace(0.1, 3, points)
    for axes, x, at in (
        (size, counts.astype(np.float64), lambda n, delta: error(int(n), 1, delta)),
        (price, epsilons, lambda e, delta: error(10_000, e, delta)),
    ):
        _curve(axes, x, lambda v, at=at: at(v, 0), color=PURPLE, label="heavy tail, δ = 0")  # type: ignore[misc]
        _curve(axes, x, lambda v, at=at: at(v, DELTA), color=BLUE, label="Laplace, δ = 10⁻⁶")  # type: ignore[misc]
    size.axhline(flat(1), color=GREY, ls="--", label="global sensitivity, δ = 0")
    _curve(price, epsilons, flat, color=GREY, ls="--")
    for axes in (size, price):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_yticks([0.01, 0.1, 1, 10, 100, 1000], labels=["0.01", "0.1", "1", "10", "100", "1000"])
        axes.yaxis.minorticks_off()
    size.set_xticks([10, 100, 1000, 10_000, 100_000], labels=["10", "100", "1000", "10 000", "100 000"])
    size.xaxis.minorticks_off()
    _plain(price, (0.1, 0.3, 1, 3))
    _label(size, "Median age, ε = 1", "people", "error in years at 95 %")
    _label(price, "Median age, 10 000 people", "ε", "error in years at 95 %")
    size.legend(loc="lower left")

    ages = _ages(10_000)
    rank = Quantile(q=0.5, epsilon=1, lower=0, upper=120, grid=0.01, neighbours=Neighbours(Change.REPLACE))
    edges = 40 + 0.03 * (np.arange(36) - 17.5)  # three grid points a bar
    for name, colour, release in (
        ("smooth, Laplace", BLUE, SmoothSensitivity(bound=median, epsilon=1, delta=DELTA).release),
        ("smooth, heavy tail", PURPLE, SmoothSensitivity(bound=median, epsilon=1).release),
        ("exponential", GREEN, rank.release),
    ):
        values = np.array([release(ages) for _ in range(draws)])
        share, _ = np.histogram(values, edges)
        drawn.stairs(share / draws, edges, color=colour, lw=1.4, label=name)
        drawn.stairs(share / draws, edges, color=colour, alpha=0.15, fill=True)
    drawn.axvline(40, color=GREY, lw=0.8, ls=":")
    _label(drawn, "Releases for 10 000 people, ε = 1", "released median (years)", "share")
    drawn.set_ylim(0, 1.4)  # room for the legend
    drawn.set_yticks([0, 0.25, 0.5, 0.75, 1])
    drawn.legend(loc="upper left")
    return _save(figure, folder, "smooth-median")


# ---- all of them --------------------------------------------------------------------------------------


def _save(figure: Figure, folder: Path, name: str) -> Path:
    """One SVG, the same for the same draws: no date, no random identifiers."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    return path


FIGURES: tuple[Callable[[Path], Path], ...] = (noise, error_against_epsilon, selection, sparse_vector, keys, smooth)


def draw_all(figures: Sequence[Callable[[Path], Path]], folder: Path) -> None:
    """Draw figures into a folder, in one style."""
    with mpl.rc_context(STYLE):
        for figure in figures:
            path = figure(folder)
            print(f"{path.name:28} {path.stat().st_size // 1024:4} kB")


def main(folder: Path = IMAGES) -> None:
    """Draw every figure into a folder."""
    draw_all(FIGURES, folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
