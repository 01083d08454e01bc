"""The page of a publication: what it is good for, how near it is, and what it cost, in one file without scripts."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from importlib.resources import files
from math import ceil, exp
from typing import Any

from sfumato.core.printing import for_page
from sfumato.pictures import Bars, DrawnBar, Role, as_svg
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.comparison import Nearness, TableDistance, TwinDistance, counts_of
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.rows import MadeRows
from sfumato.synth.publication.singles import single_counts
from sfumato.synth.publication.statement import SettledPublication

_SURE = Fraction(95, 100)
_MOST_LINES, _MOST_FIGURES, _MOST_BARS = 30, 6, 14
_FLOOR_ROOM = 1.25  # of the floor and the noise together: above it, the model shows


def page(
    settled: SettledPublication,
    tables: Sequence[CellTable],
    rows: MadeRows | None,
    found: Nearness,
    asked: Sequence[tuple[str, PublishedAnswer]] = (),
) -> str:
    """The whole page."""
    title = f"{settled.name}, published"
    body = [
        f'<header class="head"><div><h1>{_t(title)}</h1><p class="lead">{_t(_lead(settled, tables, rows))}</p></div>',
        f'<p class="row">{"".join(_buttons(rows))}</p></header>',
        '<div class="side"><div class="stack">',
        *([_twin(found.twin)] if found.twin else []),
        _distances(found.tables, rows),
        *([_queries(asked)] if asked else []),
        f'<div class="two">{"".join(_figures(settled, tables, rows))}</div>',
        '</div><div class="stack">',
        _privacy(settled, tables),
        _bullets("Good for", _good(settled, tables, rows)),
        _bullets("Not good for", _bad(settled, tables, rows)),
        "</div></div>",
        f'<footer class="foot">Every number here is made of released tables. {_t(_unit(settled))}</footer>',
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_t(title)} · Sfumato</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_style()}</style></head>'
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _style() -> str:
    return files("sfumato.synth.publication").joinpath("report.css").read_text(encoding="utf-8")


# ---- words ----


def _t(text: str) -> str:
    return for_page(text)


def _lead(settled: SettledPublication, tables: Sequence[CellTable], rows: MadeRows | None) -> str:
    day = datetime.fromtimestamp(settled.time // 10**9, UTC)
    number = "one noisy table" if len(tables) == 1 else f"{len(tables)} noisy tables"
    what = number if rows is None else f"{rows.size:,} invented rows, made of {number}"
    begun = f"{what[:1].upper()}{what[1:]} of dataset {settled.dataset}"
    return f"{begun}. Published {day.day} {day:%B %Y}. Anyone may have it."


def _buttons(rows: MadeRows | None) -> Iterable[str]:
    if rows is not None:
        if rows.weights is None:
            yield '<a class="button" href="rows.csv" download>CSV</a>'
        yield '<a class="button" href="rows.parquet" download>Parquet</a>'
    yield '<a class="button" href="tables.json">Tables</a><a class="button" href="privacy.json">Statement</a>'


def _unit(settled: SettledPublication) -> str:
    whose = "one row" if settled.unit == "each row" else f"one person ({settled.unit})"
    return f"What was spent is for {whose}: {settled.neighbours}."


def _price(settled: SettledPublication) -> str:
    if settled.epsilon is not None:
        return f"ε = {float(settled.epsilon):.4g}"
    return f"ρ = {float(settled.rho or 0):.4g}"


def guesses(epsilon: Fraction, delta: Fraction) -> str:
    """How often of 100 a guess of yes or no is right at most, rounded up.

    >>> guesses(Fraction(1, 2), Fraction(0))
    '62.3'
    """
    odds = exp(min(float(epsilon), 700.0))
    return f"{min(100.0, ceil(1000 * (odds + float(delta)) / (1 + odds)) / 10):g}"


def _privacy(settled: SettledPublication, tables: Sequence[CellTable]) -> str:
    whose = "row" if settled.unit == "each row" else "person"
    kinds = ", ".join(dict.fromkeys(str(part["noise"]["kind"]) for part in settled.parts if "noise" in part))  # type: ignore[index, call-overload]
    errors = sorted({table.standard_error for table in tables})
    width = f"standard error {_number(errors[0])}" + (f" to {_number(errors[-1])}" if len(errors) > 1 else "")
    facts = {
        "one person": "each row is protected by itself"
        if whose == "row"
        else f"{settled.unit}, up to "
        f"{settled.rows_per_person:,} {'row' if settled.rows_per_person == 1 else 'rows'} in full",
        "neighbours": settled.neighbours,
        "δ": "0" if not settled.delta else f"{float(settled.delta):.3g}",
        "noise": f"{kinds.replace('_', ' ')}, exact; {width} a cell",
        "receipt": settled.receipt,
        "measured": f"{settled.measured[:16]}…",
    }
    if public := [part["invariant"] for part in settled.parts if part.get("invariant")]:
        facts["not protected"] = ", ".join(_public_counts(each) for each in public)
    told = ""
    if settled.epsilon is not None:
        often = guesses(settled.epsilon, settled.delta)
        told = (
            f"<p>Whoever guesses a yes-or-no fact about one {whose} is right at most <b>{often} times in 100</b> "
            "because of this release, instead of 50.</p>"
        )
    lines = "".join(f"<dt>{_t(name)}</dt><dd>{_t(value)}</dd>" for name, value in facts.items())
    return (
        f'<section class="card"><h2>Privacy</h2><p class="big">{_t(_price(settled))} <small>per {whose}</small></p>'
        f'{told}<dl class="facts">{lines}</dl></section>'
    )


def _public_counts(known: Any) -> str:
    """Counts that the owner has declared to be public: nothing is promised of those."""
    return f"counts by {known['level']}, public by the owner's word, from {known['table']}.{known['count']}"


def _good(settled: SettledPublication, tables: Sequence[CellTable], rows: MadeRows | None) -> Iterable[str]:
    widest = max((len(table.columns) for table in tables), default=0)
    names = ", ".join(settled.columns)
    if widest == len(settled.columns) or widest == 0:
        yield "Counts by any of the columns, each with an error bar." if widest else "How many rows there are."
    else:
        how = {1: "each of", 2: "measured pairs of", 3: "measured triples of"}.get(
            widest, f"measured sets of {widest} of"
        )
        yield f"Counts by {how} {names}, each with an error bar."
    if rows is not None:
        yield "Trying out questions before anything is spent on the real data."
        yield "Teaching, tests, prototypes."


def _bad(settled: SettledPublication, tables: Sequence[CellTable], rows: MadeRows | None) -> Iterable[str]:
    widest = max((len(table.columns) for table in tables), default=0)
    if widest < len(settled.columns):
        yield f"{widest + 1} columns at once: no table of so many was measured, and nothing is promised of them."
    worst = max((table.standard_error for table in tables), default=0.0)
    yield f"Small groups. Cells below about {_number(2 * worst)} are mostly noise."
    if rows is not None:
        yield "Looking somebody up. No row is a person."


def _bullets(title: str, lines: Iterable[str]) -> str:
    inside = "".join(f"<li>{_t(line)}</li>" for line in lines)
    return f'<section class="card"><h2>{_t(title)}</h2><ul class="bullets">{inside}</ul></section>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# ---- distances ----


def _twin(found: Sequence[TwinDistance]) -> str:
    bars = []
    for each in found:
        some = "" if each.tables == each.of else f" ({each.tables} of them)"
        name = f"{each.columns}-way: {each.of} {'table' if each.of == 1 else 'tables'}{some}"
        bars.append(DrawnBar(name, each.mean, mark=each.floor, words=f"{each.mean:.4f}, floor {each.floor:.4f}"))
        bars.append(DrawnBar("worst of them", each.worst, role=Role.COMPARED, words=f"{each.worst:.4f}"))
    picture = as_svg(Bars("", bars, label="total variation distance from the twin"))
    return (
        '<section class="card"><h2>How near are the rows to the public twin?</h2>'
        f'<div class="picture">{picture}</div><p class="hint"><b>Dot</b>: the floor, the mean distance of a bootstrap '
        "sample of the twin with as many rows; no sample does better on average. The twin is public, so nothing was "
        "spent on this.</p></section>"
    )


def _distances(found: Sequence[TableDistance], rows: MadeRows | None) -> str:
    shown = sorted(found, key=lambda each: -(each.distance if each.distance is not None else each.noise))[:_MOST_LINES]
    most = max([each.distance or 0.0 for each in shown] + [each.floor + each.noise for each in shown] + [1e-9])
    head = ["table", "cells", *(["TVD"] if rows is not None else []), f"0 to {most:.2g}", "floor", "noise"]
    classes = ["", "n", *(["n"] if rows is not None else []), "e", "n", "n"]
    cells = "".join(f'<th scope="col" class="{kind}">{_t(name)}</th>' for name, kind in zip(head, classes, strict=True))
    lines = "".join(_distance(each, most, rows is not None) for each in shown)
    more = f"<p class=quiet>The {len(shown)} farthest of {len(found)} tables.</p>" if len(shown) < len(found) else ""
    title = (
        "How near are the rows to what was measured?" if rows is not None else "How large is the noise of each table?"
    )
    return (
        f'<section class="card"><h2>{title}</h2><p class="sub">Total variation distance, TVD: the share of rows one '
        'would have to move. 0 is the same, 1 has nothing in common.</p><div class="scroll"><table>'
        f"<thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table></div>{more}"
        '<p class="hint"><b>Floor</b>: the mean distance of a bootstrap sample of '
        "the same size. <b>Noise</b>: how far the noise itself moves the measured table, on average. Both are computed "
        "from released tables alone, and cost nothing.</p></section>"
    )


def _distance(each: TableDistance, most: float, rows: bool) -> str:
    expected = each.floor + each.noise
    bar = f'<rect x="0" width="{100 * expected / most:.2f}%" y="3" height="12" class="c-fill"/>'
    if each.distance is not None:
        bar += f'<circle cx="{100 * each.distance / most:.2f}%" cy="9" r="4" class="c-dot"/>'
    svg = f'<svg class="ebar" aria-hidden="true"><line x1="0" x2="100%" y1="9" y2="9" class="c-grid"/>{bar}</svg>'
    chip = ""
    if rows and each.distance is not None:
        near = each.distance <= _FLOOR_ROOM * expected
        chip = f'<span class="chip{"" if near else " warn"}">{"within noise" if near else "beyond noise"}</span>'
    number = "" if each.distance is None else f"<b>{each.distance:.4f}</b>"
    told = f'<td class="n">{number}</td>' if rows else ""
    return (
        f'<tr><th scope="row">{_t(each.table.name)}</th><td class="n">{each.table.cells:,}</td>{told}'
        f'<td class="e">{svg}</td><td class="n">{each.floor:.4f}</td><td class="n">{each.noise:.4f}</td>'
        f"<td>{chip}</td></tr>"
    )


def _queries(asked: Sequence[tuple[str, PublishedAnswer]]) -> str:
    lines = "".join(
        f'<tr><th scope="row">{_t(name)}</th><td class="n"><b>{_number(each.value)}</b></td>'
        f'<td class="n">{_ends(each)}</td><td>{_t(each.tables[0])}</td></tr>'
        for name, each in asked[:_MOST_LINES]
    )
    more = f"<p class=quiet>The first {_MOST_LINES} of {len(asked)} queries.</p>" if len(asked) > _MOST_LINES else ""
    head = '<th scope="col">query</th><th scope="col" class="n">rows</th><th scope="col" class="n">95 %</th><th></th>'
    return (
        '<section class="card"><h2>What was asked</h2><div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>{more}</section>"
    )


def _ends(each: PublishedAnswer) -> str:
    return "" if each.low is None or each.high is None else f"{_number(each.low)} to {_number(each.high)}"


# ---- figures ----


def _figures(settled: SettledPublication, tables: Sequence[CellTable], rows: MadeRows | None) -> Iterable[str]:
    sizes = {name: len(values) for name, values in settled.domains.items()}
    shown = 0
    for name, values in settled.domains.items():
        alone = single_counts(tables, name)
        if alone is None or shown == _MOST_FIGURES:
            continue
        shown += 1
        counts, off = alone.rows(), alone.reach(1 - _SURE)
        made = None if rows is None or name not in rows.columns else counts_of(rows, [name], sizes)
        bars = []
        for at in range(min(len(values), _MOST_BARS)):
            count, word = float(counts[at]), settled.word(name, at)
            mark = None if made is None else int(made[at])
            bars.append(DrawnBar(word, max(count, 0.0), count - off, count + off, mark=mark, words=f"{count:,.0f}"))
        left = f" The first {_MOST_BARS} of {len(values)} values." if len(values) > _MOST_BARS else ""
        dots = "" if rows is None else " Dots: the invented rows."
        yield (
            f'<figure class="card"><h2>{_t(name)}</h2><div class="picture">{as_svg(Bars("", bars, label="rows"))}</div>'
            f"<figcaption>Measured, with 95 % error bars, ± {_number(off)}.{dots}{left} The truth is in neither."
            "</figcaption></figure>"
        )
