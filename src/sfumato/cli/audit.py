"""`sfumato audit`: put a mechanism, ours or anybody's, before the auditor."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import audit
from sfumato.audit import everything as whole
from sfumato.audit.auditor import CONFIDENCE
from sfumato.audit.controls import KNOWN
from sfumato.audit.game import PLAYS
from sfumato.audit.infer import mechanism_target
from sfumato.audit.outcomes import Raised
from sfumato.audit.pairs import KINDS
from sfumato.audit.report import page
from sfumato.cli import terminal
from sfumato.cli.amounts import number
from sfumato.cli.command import Exit
from sfumato.core import Change
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import positive

_TRIED = 20
_LEAKS = 20_000  # draws of each leak test, or more where more are asked for
SOURCES: tuple[str, ...] = (
    whole.SOURCE,
    "sfumato.curator.audited:CURATOR",
    "sfumato.curator.audited:PROTOCOLS",
    "sfumato.curator.audited_microdata:MICRODATA",
    "sfumato.curator.audited_synth:PUBLISHED",
    "sfumato.curator.audited_publications:PUBLICATIONS",
    "sfumato.curator.audited_tables:TABLES",
)
"""Where targets of ours are listed, as `module:attribute`; a room adds its release paths with one line."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is audited, on which inputs, and how long."""
    parser.add_argument("target", nargs="?", help="a known name (see --list), or module:function or module:mechanism")
    parser.add_argument("--list", action="store_true", help="list the known names")
    parser.add_argument("--all", action="store_true", help="audit everything of this project")
    parser.add_argument("--game", action="store_true", help="play adaptive adversaries against filters and a ledger")
    parser.add_argument("--report", type=Path, help="with --all: write a page with plots here")
    parser.add_argument("--epsilon", type=number, help="the claimed ε (a known mechanism is made with it)")
    parser.add_argument("--delta", type=number, default=Fraction(0), help="the claimed δ (0)")
    parser.add_argument("--inputs", choices=sorted(KINDS), help="what a function takes; a single number unless said")
    parser.add_argument("--sensitivity", type=float, default=1, help="how far one person moves an answer (1)")
    parser.add_argument("--lower", type=float, help="the least that a number or row may be")
    parser.add_argument("--upper", type=float, help="the most that a number or row may be")
    parser.add_argument("--around", type=float, default=0, help="where something happens, such as a threshold (0)")
    parser.add_argument("--length", type=int, default=10, help="how many answers are given at once (10)")
    parser.add_argument("--replace", action="store_true", help="neighbours replace a row instead of adding one")
    parser.add_argument("--tame", action="store_true", help="leave out rows that are missing, NaN or no numbers")
    parser.add_argument("--pairs", help="module:function that gives pairs of neighbouring inputs")
    parser.add_argument("--draws", type=int, help="draws a side (as many as fit into --seconds); with --game, plays")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long, about (10)")
    parser.add_argument("--confidence", type=number, default=CONFIDENCE, help="of the bound (0.999)")
    parser.add_argument("--leaks", action="store_true", help="also test precision, reachable outputs and writing")
    parser.add_argument("--json", action="store_true", help="findings as JSON")


def run(arguments: argparse.Namespace) -> Exit:
    """Audit, report, and say by the exit code whether a claim was refuted."""
    if arguments.list:
        return _list(arguments)
    if arguments.all:
        return _all(arguments)
    if arguments.game:
        return _game(arguments)
    if not arguments.target:
        raise InvalidParameter("target", "must be named", arguments.target, hint="sfumato audit --list shows names")
    target = _target(arguments)
    terminal.say("self-check of the auditor …")
    audit.checked()
    with terminal.bar(f"auditing {target.name}") as progress:
        found = [
            audit.audit(
                target,
                draws=arguments.draws,
                seconds=arguments.seconds,
                confidence=arguments.confidence,
                progress=progress,
            )
        ]
    if arguments.inputs == "rows" and not arguments.tame:
        found += _hostile(target, arguments)
    if not arguments.leaks and not any(finding.convicted for finding in found):
        terminal.say("values were looked at, not the bits of floats: --leaks tests those")
    if arguments.leaks:
        often = max(_LEAKS, arguments.draws or 0)
        found += audit.leaks(target, draws=often, confidence=arguments.confidence).values()
    if arguments.json:
        terminal.emit({"findings": [finding.to_json() for finding in found]})
    else:
        for finding in found:
            terminal.show(str(finding))
    return Exit.FOUND if any(finding.convicted for finding in found) else Exit.DONE


def _hostile(target: audit.Target, arguments: argparse.Namespace) -> list[audit.Finding]:
    """A finding for each hostile row that convicts, apart from the audit proper, which they would drown."""
    found = audit.hostile(target, _inputs(arguments), confidence=arguments.confidence)
    guilty = [finding for finding in found.values() if finding.convicted]
    terminal.say(f"{len(guilty)} of {len(found)} kinds of hostile rows tell neighbours apart; --tame leaves them out")
    return guilty


def _list(arguments: argparse.Namespace) -> Exit:
    known = [(own.name, "a mechanism of this project") for own in _own()]
    known += [(s.name, f"{'sound' if s.sound else 'broken'}: {s.what}") for s in KNOWN]
    if arguments.json:
        terminal.emit([{"name": name, "what": what} for name, what in known])
    else:
        terminal.show(terminal.table(["name", "what"], known))
    return Exit.DONE


def _own() -> list[audit.AuditedMechanism]:
    return [own for source in SOURCES for own in whole.load(source)]


def _all(arguments: argparse.Namespace) -> Exit:
    def step(name: str, done: int, total: int) -> None:
        terminal.say(f"[{done:>2}/{total}] {name}")

    found = whole.everything(sources=SOURCES, seconds=arguments.seconds, step=step)
    if arguments.report is not None:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text(page(found), encoding="utf-8")
        terminal.say(f"the page is in {arguments.report}")
    if arguments.json:
        terminal.emit({"convicted": list(found.convicted), "findings": [f.to_json() for f in found.findings]})
    else:
        rows = [
            (f.name, f"{f.epsilon:.3f}", f"{f.bound:.3f}", f"{f.smallest_violation:.3f}", f"{f.draws:,}", _word(f))
            for f in found.findings
        ]
        columns = ["mechanism", "claims ε", "shown ε ≥", "could show", "draws", "verdict"]
        terminal.show(terminal.table(columns, rows, right=columns[1:5]))
        terminal.show(f"{len(found.findings)} targets, {len(found.convicted)} convicted, {found.seconds:.0f} s")
    return Exit.FOUND if found.convicted else Exit.DONE


def _game(arguments: argparse.Namespace) -> Exit:
    terminal.say("adversaries play against broken budgets, then against ours …")
    controls, found = audit.play_all(PLAYS if arguments.draws is None else arguments.draws)
    if arguments.json:
        said = {"controls": controls, "games": found}
        terminal.emit({name: [finding.to_json() for finding in games] for name, games in said.items()})
    else:
        columns = ["game", "advantage", "allowed", "spent ε ≥", "promised", "verdict"]
        rows = [
            (
                finding.name,
                f"{finding.advantage:.3f} ({finding.low:.3f} … {finding.high:.3f})",
                f"{finding.allowed:.3f}",
                f"{finding.bound:.3f}",
                f"{finding.epsilon:.3f}",
                "PASSED" if finding.convicted else "holds",
            )
            for finding in (*controls, *found)
        ]
        terminal.show(terminal.table(columns, rows, right=columns[1:5]))
        passed = sum(finding.convicted for finding in found)
        terminal.show(f"{len(controls)} broken budgets passed, as they must be; {passed} of {len(found)} of ours")
    return Exit.FOUND if any(finding.convicted for finding in found) else Exit.DONE


def _word(finding: audit.Finding) -> str:
    return "CONVICTED" if finding.convicted else "holds"


def _target(arguments: argparse.Namespace) -> audit.Target:
    name = arguments.target
    epsilon = None if arguments.epsilon is None else positive("epsilon", arguments.epsilon)
    for specimen in KNOWN:
        if specimen.name == name:
            return specimen.target(epsilon or 1)
    for own in _own():
        if own.name == name:
            return own.target() if epsilon is None else own.target(epsilon)
    if ":" not in name:
        raise InvalidParameter(
            "target",
            "must be a known name, or module:function",
            name,
            hint="sfumato audit --list shows the names",
        )
    found = _load("target", name)
    if isinstance(found, audit.Target):
        return found if epsilon is None else replace(found, claim=audit.Claim(float(epsilon), arguments.delta))
    if hasattr(found, "release") and hasattr(found, "event"):
        pairs = _pairs(arguments, found.release) if arguments.pairs or arguments.inputs else ()
        return mechanism_target(found, epsilon=arguments.epsilon, delta=arguments.delta, pairs=tuple(pairs), name=name)
    if epsilon is None:
        raise InvalidParameter("epsilon", "must be given for a function", None, hint="--epsilon 1")
    return audit.target_of(found, _pairs(arguments, found), epsilon=epsilon, delta=arguments.delta, name=name)


def _load(what: str, name: str) -> Any:
    """What `module:attribute` names; the working folder is searched first, as `python -m` does."""
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return getattr(import_module(module), attribute)
    except ImportError as error:
        raise InvalidParameter(what, "must name a module that can be imported", name, hint=str(error)) from None
    except AttributeError:
        raise InvalidParameter(what, f"must name something that {module} has", name) from None


def _pairs(arguments: argparse.Namespace, release: Callable[..., Any]) -> Sequence[audit.Pair]:
    if arguments.pairs:
        given: Any = _load("pairs", arguments.pairs)
        listed: Any = given() if callable(given) else given
        return [pair if isinstance(pair, audit.Pair) else audit.Pair(*pair) for pair in listed]
    inputs = replace(_inputs(arguments), tame=True)  # hostile rows have findings of their own
    return audit.pairs_of(arguments.inputs or _guessed(release, inputs), inputs)


def _inputs(arguments: argparse.Namespace) -> audit.Inputs:
    return audit.Inputs(
        sensitivity=arguments.sensitivity,
        lower=arguments.lower,
        upper=arguments.upper,
        around=arguments.around,
        length=arguments.length,
        change=Change.REPLACE if arguments.replace else Change.ADD_REMOVE,
        tame=arguments.tame,
    )


def _guessed(release: Callable[..., Any], inputs: audit.Inputs) -> str:
    """A bit where 0 and 1 give nothing but bits, a number where one is taken; a list only its owner can tell."""
    draw = audit.target_of(release, [audit.Pair(0, 1)], epsilon=1).draw
    seen = [*draw(0, _TRIED), *draw(1, _TRIED)]
    if not any(isinstance(output, Raised) for output in seen):
        if all(output in (0, 1) for output in _scalars(seen)) and len(set(_scalars(seen))) == 2:
            terminal.say("taken for one person's bit, 0 or 1; --inputs number for an answer")
            return "bit"
        return "number"
    if not any(isinstance(output, Raised) for output in draw(inputs.ends[0], _TRIED)):
        return "number"
    raise InvalidParameter(
        "inputs",
        "must be said, as the function does not take a single number",
        None,
        hint="--inputs rows for a list of people's values, --inputs answers for a list of queries' answers",
    )


def _scalars(outputs: Sequence[Any]) -> list[Any]:
    """Outputs that are single numbers or bools, None for any other."""
    return [output if np.isscalar(output) and not isinstance(output, str | bytes) else None for output in outputs]
