"""Pictures of a lesson: bars for a terminal, a figure for a page."""

import io
from typing import Any

from sfumato.attacks.lesson import Lesson, Result
from sfumato.errors import InvalidParameter, MissingExtra

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, GREY, INK = "#0072B2", "#D55E00", "#009E73", "#8A8A8A", "#222222"
_WIDTH = 40
_FORMATS = ("svg", "png", "pdf")


def bars(result: Result) -> str:
    """The success rates as lines of blocks, with a mark where guessing stands."""
    named = [(side.answerer, side.rate.share, str(side.rate)) for side in result.sides]
    named.append((result.chance.guess, result.chance.share, str(result.chance)))
    longest = max(len(name) for name, _, _ in named)
    mark = round(result.chance.share * _WIDTH)
    lines = []
    for name, share, words in named:
        full = round(share * _WIDTH)
        blocks = "".join("█" if i < full else "│" if i == mark else "·" for i in range(_WIDTH))
        lines.append(f"{name:>{longest}}  {blocks}  {words}")
    return "\n".join(lines)


def draw(lesson: Lesson, result: Result, form: str = "svg") -> bytes:
    """The figure of a lesson: rates with their intervals, and the curves if there are any."""
    if form not in _FORMATS:
        raise InvalidParameter("picture", "must end in .svg, .png or .pdf", form)
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "attacks") from None
    style: Any = {
        "svg.hashsalt": "sfumato",
        "font.size": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
    with mpl.rc_context(style):
        panels = 2 if result.curves else 1
        figure = Figure(figsize=(5.2 * panels, 2.9), layout="constrained")
        axes = list(figure.subplots(1, panels, squeeze=False).flat)
        _rates(axes[0], result)
        axes[0].set_title(lesson.title)
        if result.curves:
            _curves(axes[1], result)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=110, metadata={"Date": None} if form == "svg" else None)
    return out.getvalue()


def _rates(axes: Any, result: Result) -> None:
    for place, side in enumerate(result.sides):
        low, high = side.rate.interval
        colour = BLUE if side.protected else ORANGE
        axes.barh([place], [side.rate.share], color=colour, alpha=0.8, height=0.55)
        axes.plot([low, high], [place, place], color=INK, lw=1.5)
    axes.axvline(result.chance.share, color=GREY, lw=1.2, ls="--")
    axes.annotate(
        f"{result.chance.guess}: {result.chance}",
        (result.chance.share, len(result.sides) - 0.42),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=7.5,
        color="#555555",
        va="center",
    )
    axes.set_yticks(range(len(result.sides)), labels=[_folded(side.answerer) for side in result.sides])
    axes.set_ylim(len(result.sides) - 0.15, -0.5)
    axes.set_xlim(0, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], labels=["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("attack succeeds")


def _folded(text: str, width: int = 24) -> str:
    """A label on several short lines."""
    import textwrap

    kept = text.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return "\n".join(textwrap.wrap(kept, width))


def _curves(axes: Any, result: Result) -> None:
    if result.x_names:
        curve = result.curves[0]
        axes.bar(list(curve.x), list(curve.y), color=ORANGE, alpha=0.8, width=0.6)
        for x, y in zip(curve.x, curve.y, strict=True):
            axes.annotate(f"{y:g}", (x, y), ha="center", va="bottom", fontsize=8)
        axes.set_xticks(list(curve.x), labels=list(result.x_names))
    else:
        colours = iter((ORANGE, BLUE, GREEN))
        for curve in result.curves:
            colour = GREY if len(set(curve.y)) == 1 else next(colours)  # what never changes is there for comparison
            axes.plot(
                list(curve.x), list(curve.y), "o-" if colour != GREY else "--", color=colour, ms=3.5, label=curve.name
            )
        if result.log_x:
            axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.legend()
    axes.set_xlabel(result.x_label)
    axes.set_ylabel(result.y_label)
