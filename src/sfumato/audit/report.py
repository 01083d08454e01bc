"""The report page: one HTML file with its plots inside, readable without a network."""

import html
import math
from collections.abc import Iterable, Sequence

from sfumato.audit.auditor import Finding
from sfumato.audit.certify import POWER
from sfumato.audit.controls import KNOWN
from sfumato.audit.everything import Everything
from sfumato.pictures import Bars, DrawnBar, Reference, Role, as_svg

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem;margin-bottom:.2rem} h2{font-size:1.2rem;margin-top:2.2rem}
table{border-collapse:collapse;width:100%;font-size:.86rem} th{text-align:left;border-bottom:2px solid #222}
td,th{padding:.25rem .6rem .25rem 0;vertical-align:top} td{border-bottom:1px solid #e6e6e6}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.good{color:#00714f}.bad{color:#b34700;font-weight:600}.verdict{font-size:1.1rem}
small,.dim{color:#666}
"""


def page(found: Everything) -> str:
    """The whole report as HTML."""
    guilty = found.convicted
    verdict = (
        f'<p class="verdict bad">Convicted: {html.escape(", ".join(guilty))}</p>'
        if guilty
        else '<p class="verdict good">Nothing of ours was convicted, and every control came out as it must.</p>'
    )
    body = [
        f"<h1>Audit of Sfumato {html.escape(found.version)}</h1>",
        f'<p class="dim">{found.date} · {found.seconds:.0f} s · claims are the prices that mechanisms charge</p>',
        verdict,
        *_controls(found),
        *_mechanisms(found),
        *_laws(found),
        *_games(found),
        *_leaks(found),
        *_limits(),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Audit of Sfumato</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body>{''.join(body)}</body></html>\n"
    )


def _controls(found: Everything) -> Iterable[str]:
    yield (
        "<h2>Controls</h2><p>Broken specimens must be convicted and sound ones not, or there would be no page. The "
        "rare ones do one thing in 500 or 1000 draws that their neighbour never does (or, allowed, a factor e less "
        "often), and look sound otherwise.</p>"
    )
    said = {specimen.name: specimen.what for specimen in KNOWN}
    yield _table(
        ["control", "what it does", "claimed ε", "certified ε ≥", "by the event", "hits", "draws a side", "verdict"],
        [
            [
                f.name,
                said.get(f.name, ""),
                _short(f.epsilon),
                _short(f.bound),
                _brief(f.event, 60),
                f"{f.hits:,} : {f.others:,}",
                f"{f.draws:,}",
                _word(f.convicted),
            ]
            for f in found.controls
        ],
        numbers=(2, 3, 5, 6),
    )


_SHOWN = (0.1, 0.01, 1e-3)


def _mechanisms(found: Everything) -> Iterable[str]:
    yield (
        "<h2>Mechanisms</h2><p>The bar ends at the ε that draws certify; the line is the claim; the dot is the "
        "smallest true ε of an event as likely as the best one that so many draws would have convicted with "
        f"probability {100 * POWER:g} %. The columns “would convict” hold for every event that was searched, by how "
        "likely it is on one of the inputs; a dash means that such an event could hide.</p>"
    )
    yield as_svg(picture(found.findings))
    yield _table(
        [
            "mechanism",
            "claim",
            "certified ε ≥",
            *(f"would convict ε ≥, events of {100 * likelihood:g} %" for likelihood in _SHOWN),
            "draws a side",
            "best event",
            "verdict",
        ],
        [
            [
                f.name,
                f"ε = {f.epsilon:.4g}" + (f", δ = {f.delta:g}" if f.delta else ""),
                _short(f.bound),
                *(_short(power.epsilon) for power in f.power if power.likelihood in _SHOWN),
                f"{f.draws:,}",
                _brief(f.event, 90),
                _word(f.convicted),
            ]
            for f in found.findings
        ],
        numbers=(2, 3, 4, 5, 6),
    )


def _laws(found: Everything) -> Iterable[str]:
    yield (
        "<h2>Exact laws</h2><p>Every branch of the random bits followed, as rationals: no sampling error. A proof is "
        "for the pair shown and adds the last column to δ.</p>"
    )
    yield _table(
        ["mechanism", "claim", "verdict", "ε of this pair is", "pair", "adds to δ"],
        [
            [
                f.name,
                f"ε = {f.epsilon:.6g}" + (f", δ = {f.delta:g}" if f.delta else ""),
                f.verdict.value,
                f"{f.at_least:.6g}" if f.at_most - f.at_least < 1e-6 else f"{f.at_least:.4g} or more",
                f.pair,
                f"{f.allowed:.1e}",
            ]
            for f in found.laws
        ],
        numbers=(3, 5),
    )


def _games(found: Everything) -> Iterable[str]:
    yield (
        "<h2>The adaptive game</h2><p>A bit is hidden; an adversary names neighbouring databases, mechanisms and "
        "parameters, each chosen from earlier answers, until it is refused or has enough, and guesses. A budget is "
        "passed where the advantage is surely above what it allows, or more ε than promised was surely spent.</p>"
    )
    both = [(f"control: {f.keeper}", f) for f in found.game_controls] + [(f.keeper, f) for f in found.games]
    yield _table(
        [
            "plays against",
            "adversary",
            "promised",
            "plays a bit",
            "advantage",
            "between",
            "allowed",
            "spent ε ≥",
            "verdict",
        ],
        [
            [
                keeper,
                f.adversary,
                f"ε = {f.epsilon:.3g}" + (f", δ = {f.delta:g}" if f.delta else ""),
                f"{f.plays:,}",
                _short(f.advantage),
                f"{f.low:.3f} and {f.high:.3f}",
                _short(f.allowed),
                _short(f.bound),
                _word(f.convicted),
            ]
            for keeper, f in both
        ],
        numbers=(3, 4, 5, 6, 7),
    )


def _leaks(found: Everything) -> Iterable[str]:
    yield "<h2>Numeric leaks</h2>"
    both = {**{f"control: {name}": f for name, f in found.leak_controls.items()}, **found.leaks}
    yield _table(
        ["path and test", "certified ε ≥", "best event", "verdict"],
        [[name, _short(f.bound), _brief(f.event, 90), _word(f.convicted)] for name, f in both.items()],
        numbers=(1,),
    )
    yield "<h2>Sums, forks and time</h2>"
    rows: list[list[str]] = [[name, str(f), _word(f.convicted)] for name, f in found.sums.items()]
    rows += [[f"fork, {name}", str(f), _word(f.convicted)] for name, f in found.forks.items()]
    rows += [[f"time, {name}", str(f), "measured"] for name, f in found.timings.items()]
    yield _table(["what", "found", "verdict"], rows)


def _limits() -> Iterable[str]:
    yield (
        "<h2>What this does not say</h2><p>“Not convicted” is not a proof of privacy: an audit finds violations on the "
        "inputs and events it tries, of the size it states. Proofs are in the theorems that the code cites, and in the "
        "exact laws above for the pairs they name. Time is measured on this machine, in this process, and convicts "
        "nothing by itself.</p>"
    )


def _word(convicted: bool) -> str:
    return "CONVICTED" if convicted else "not convicted"


def _brief(text: str, most: int) -> str:
    return text if len(text) < most else f"{text[: most - 1]}…"


def _short(value: float) -> str:
    return "—" if math.isinf(value) else f"{value:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    def cell(tag: str, place: int, text: str) -> str:
        kinds = ["n"] if place in numbers else []
        kinds += ["bad"] if text == "CONVICTED" else []
        return f'<{tag} class="{" ".join(kinds)}">{html.escape(text)}</{tag}>'

    top = "".join(cell("th", place, text) for place, text in enumerate(head))
    lines = ("".join(cell("td", place, text) for place, text in enumerate(row)) for row in rows)
    return f"<table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def picture(findings: Sequence[Finding]) -> Bars:
    """Bars of certified ε over the claim, with a dot at what would have been convicted."""
    ratios = [finding.bound / finding.epsilon for finding in findings]
    bars = [
        DrawnBar(
            finding.name,
            ratio,
            role=Role.ALARM if finding.convicted else Role.PLAIN,
            mark=finding.smallest_violation / finding.epsilon,
            words=f"{ratio:.2f}",
        )
        for finding, ratio in zip(findings, ratios, strict=True)
    ]
    return Bars(
        "",
        bars,
        label="certified lower bound on ε over the claim; dots: the smallest violation these draws would convict",
        reference=Reference("the claim", 1),
        least=0,
        most=1.04 * max([1.6, *ratios]),
    )
