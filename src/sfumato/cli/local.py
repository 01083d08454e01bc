"""`sfumato local`: make a protocol, simulate devices, aggregate reports, decode strings; files in and out."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli import output, terminal
from sfumato.cli.amounts import number
from sfumato.cli.command import Exit
from sfumato.errors import InvalidParameter

if TYPE_CHECKING:
    from sfumato.local import Aggregator, Protocol

_LINES = 100_000  # values simulated at a time
_REPORTS = 1 << 16  # reports aggregated at a time


class _Kinds:
    """The names `--kind` takes, read where they are needed: the room of local protocols loads slowly."""

    def __iter__(self) -> Iterator[str]:
        from sfumato.local.kinds import BY_NAME

        return iter(("auto", *BY_NAME))

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the four steps."""
    steps = parser.add_subparsers(metavar="step", required=True)
    new = steps.add_parser("new", help="make a protocol that devices and servers share")
    new.add_argument("--name", required=True, help="the collection's name")
    new.add_argument(
        "--kind", choices=_Kinds(), metavar="KIND", default="auto", help="%(choices)s; auto chooses by domain and ε"
    )
    new.add_argument("--epsilon", type=number, help="ε of one report (with --memo: of all reports of one value)")
    new.add_argument("--domain", type=int, metavar="N", help="values 0 … N-1")
    new.add_argument("--values", type=Path, metavar="FILE", help="a file with one value a line")
    new.add_argument("--lower", type=number, default="0", help="the least number, for a mean")
    new.add_argument("--upper", type=number, help="the largest number, for a mean")
    new.add_argument("--alpha", type=number, help="α of condensed privacy")
    for name, what in (("bits", "bits of a report"), ("hashes", "hashes of the Bloom filter"), ("cohorts", "cohorts")):
        new.add_argument(f"--{name}", type=int, help=f"{what} (rappor, d-bit)")
    for name in "fpq":
        new.add_argument(f"-{name}", type=number, help=f"RAPPOR's {name}")
    new.add_argument("--length", type=int, help="bytes of a string (prefix-tree), items of a sequence (condensed)")
    new.add_argument("--coding", choices=("optimised", "symmetric"), help="of unary encoding")
    new.add_argument("--memo", action=argparse.BooleanOptionalAction, help="devices answer from memory")
    new.add_argument("--round", type=int, default=1, help="which round it is, if devices are asked again (1)")
    new.add_argument(
        "--interaction", choices=("non-interactive", "sequential", "full"), default="non-interactive",
        help="what a round may depend on",
    )  # fmt: skip
    new.set_defaults(step=_new)
    simulate = steps.add_parser("simulate", help="reports of as many devices as a file has lines")
    simulate.add_argument("protocol", type=Path, help="what `new` wrote")
    simulate.add_argument("input", type=Path, metavar="values", help="one value a line")
    simulate.set_defaults(step=_simulate)
    aggregate = steps.add_parser("aggregate", help="count reports, merge counts, and estimate")
    aggregate.add_argument("protocol", type=Path, help="what `new` wrote")
    aggregate.add_argument("inputs", type=Path, nargs="+", metavar="file", help="reports, or counts of another server")
    aggregate.add_argument(
        "--postprocess", default="raw", metavar="METHOD", help="raw, positive, cut, norm, norm-sub, …"
    )
    aggregate.add_argument("--top", type=int, default=20, help="how many shares to show (0: all)")
    aggregate.add_argument("--confidence", type=number, default=0.95, help="of error bars (0.95)")
    aggregate.set_defaults(step=_aggregate)
    decode = steps.add_parser("decode", help="the strings behind RAPPOR's or a prefix tree's counts")
    decode.add_argument("counts", type=Path, help="what `aggregate` wrote")
    decode.add_argument("candidates", type=Path, nargs="?", help="one string a line; a prefix tree needs none")
    decode.add_argument(
        "--significance", type=number, default=0.05, help="the chance that a string which nobody sent is found (0.05)"
    )
    decode.add_argument("--confidence", type=number, default=0.95, help="of error bars (0.95)")
    decode.set_defaults(step=_decode)
    for step in (new, simulate, aggregate):
        step.add_argument("-o", "--output", type=Path, help="the file to write")
        step.add_argument("--force", action="store_true", help="write over an existing file")
    for step in (new, simulate, aggregate, decode):
        step.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(arguments: argparse.Namespace) -> Exit:
    """Do the step that is named."""
    step: Callable[[argparse.Namespace], Exit] = arguments.step
    return step(arguments)


# ---- steps -----------------------------------------------------------------------------------------------------------


def _new(given: argparse.Namespace) -> Exit:
    protocol = _made(given)
    if given.output is None:
        sys.stdout.write(protocol.to_json() + "\n")
        return Exit.DONE
    output.write(given.output, protocol.to_json().encode() + b"\n", force=given.force)
    facts = {
        "protocol": f"{protocol.kind}, version 1, round {protocol.round}, {protocol.interaction}",
        "ε": f"{float(protocol.epsilon):.6g} stated, {float(protocol.spent):.6g} by its coins"
        + (" for all reports of one value" if protocol.memo else " a report"),
        "report": f"{protocol.report_bytes} bytes",
        "written": str(given.output),
    }
    if protocol.kind == "condensed":
        facts = {"α": str(protocol)} | facts
    if given.json:
        terminal.emit(protocol.document())
    else:
        terminal.show(terminal.facts(facts))
    return Exit.DONE


def _made(given: argparse.Namespace) -> "Protocol":
    from sfumato import local
    from sfumato.local.kinds import BY_NAME

    options: dict[str, Any] = {name: getattr(given, name) for name in ("name", "round", "interaction")}
    if given.memo is not None:
        options["memo"] = given.memo
    named = ("epsilon", "alpha", "bits", "hashes", "cohorts", "f", "p", "q", "length", "coding")
    options |= {name: getattr(given, name) for name in named if getattr(given, name) is not None}
    known = BY_NAME.get(given.kind)
    holds = "values" if known is None else known.holds
    if holds == "numbers":
        options |= {"lower": given.lower, "upper": _needed(given, "upper")}
    elif given.values is not None:
        options["domain"] = tuple(dict.fromkeys(_lines(given.values)))
    elif given.domain is not None or holds != "strings":
        options["domain"] = _needed(given, "domain")
    if known is None or known.epsilon_is_given:
        _needed(given, "epsilon")
    kind = local.choose if known is None else known
    try:
        return kind(**options)
    except TypeError:
        allowed = f"see `sfumato local new --help`; {given.kind} does not take all of: {', '.join(options)}"
        raise InvalidParameter("options", "do not fit the kind", given.kind, hint=allowed) from None


def _needed(given: argparse.Namespace, name: str) -> Any:
    if getattr(given, name) is None:
        raise InvalidParameter(f"--{name}", "is needed for the kind", given.kind)
    return getattr(given, name)


def _simulate(given: argparse.Namespace) -> Exit:
    from sfumato.local import Devices

    protocol, total = _protocol(given.protocol), 0
    devices, out = Devices(protocol), _output(given)
    values = _lines(given.input)
    with output.whole_file(out) as file:
        for start in terminal.progress(range(0, len(values), _LINES), "simulating"):
            batch = _values(protocol, values[start : start + _LINES])
            file.write(devices.report(batch).tobytes())
            total += len(batch)
    told = {"reports": total, "bytes": total * protocol.report_bytes, "written": str(out)}
    if given.json:
        terminal.emit(told)
    else:
        terminal.show(terminal.facts(told))
    return Exit.DONE


def _aggregate(given: argparse.Namespace) -> Exit:
    from sfumato.local import Aggregator

    server, merged = Aggregator(_protocol(given.protocol)), set[bytes]()
    given.left_out = []
    for path in given.inputs:
        head = _read(path, 64)
        if head.startswith(b"sfumato-local-counts/"):
            counts = Aggregator.from_bytes(_read(path))
            # The checksum in the head tells a copy where there are no tags to tell it.
            if head in merged or server.has_counted(counts):
                given.left_out.append(str(path))
            else:
                server.merge(counts)
            merged.add(head)
            continue
        size = server.protocol.report_bytes
        pieces = -(-path.stat().st_size // (size * _REPORTS))
        for piece in terminal.progress(_pieces(path, size * _REPORTS), f"counting {path.name}", total=pieces):
            server.add(piece)
    if given.output is not None:
        output.write(given.output, server.to_bytes(), force=given.force)
    _report(server, given)
    return Exit.DONE


def _decode(given: argparse.Namespace) -> Exit:
    from sfumato.local import Aggregator, PrefixTree, decode

    server = Aggregator.from_bytes(_read(given.counts))
    if isinstance(server.protocol, PrefixTree) and given.candidates is None:
        _report(server, argparse.Namespace(json=given.json, top=0, postprocess="raw", confidence=given.confidence))
        return Exit.DONE
    if given.candidates is None:
        raise InvalidParameter("candidates", "are needed to decode", server.protocol.kind)
    with terminal.waiting("decoding"):
        found = decode(server, _lines(given.candidates), significance=given.significance, confidence=given.confidence)
    if given.json:
        terminal.emit(
            {
                "people": found.people,
                "candidates": found.candidates,
                "detection_limit": _finite(found.detection_limit),
                "not_detected": found.unlisted,
                "detected": [asdict(one) for one in found.detected],
            }
        )
        return Exit.DONE
    rows = [
        (one.string, f"{one.share:.2%}", f"{one.low:.2%} … {one.high:.2%}", f"{max(one.p_value, 1e-300):.1e}")
        for one in found.detected
    ]
    title = f"{len(found.detected)} of {found.candidates} candidates found among {found.people:,} reports"
    terminal.show(terminal.table(("string", "share", "interval", "p"), rows, title=title, right=("share", "p")))
    terminal.say(
        f"a string needs about {found.detection_limit:.3%} to be found; {found.unlisted:.1%} have none of these"
    )
    return Exit.DONE


# ---- what is shown ---------------------------------------------------------------------------------------------------


def _report(server: "Aggregator", given: argparse.Namespace) -> None:
    from sfumato.local import Mean

    if server.protocol.kind == "rappor" and server.protocol.hash_document() and not given.json:
        terminal.say("bits of Bloom filters say little by themselves: `sfumato local decode` finds the strings")
        given = argparse.Namespace(**vars(given) | {"top": 5})
    estimate = server.estimate()
    about: dict[str, Any] = {"people": server.people, "rejected": dict(server.rejected), "doubled": server.doubled}
    if left_out := getattr(given, "left_out", []):
        about["left_out"] = left_out
    if isinstance(estimate, Mean):
        low, high = estimate.interval(given.confidence)
        found = {"mean": estimate.value, "standard_error": estimate.standard_error, "low": low, "high": high}
        if given.json:
            terminal.emit(about | {name: _finite(value) for name, value in found.items()})
        else:
            terminal.show(
                terminal.facts({"mean": estimate, f"{given.confidence:.0%} interval": f"{low:.6g} … {high:.6g}"})
            )
    else:
        _shares(estimate, about, given)
    if not given.json:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in server.rejected.items()) or "none"
        terminal.say(f"{server.people:,} reports counted; refused: {reasons}")
        if server.doubled:
            terminal.say(
                f"{server.doubled:,} of them are counted twice, as two servers had counted them, and estimates lean "
                "towards them; aggregate the reports themselves to count each once"
            )
        for name in left_out:
            terminal.say(f"left out, as all of it is counted already: {name}")


def _shares(estimate: Any, about: dict[str, Any], given: argparse.Namespace) -> None:
    low, high = estimate.interval(given.confidence)
    shown = estimate.postprocess(given.postprocess)
    order = sorted(range(len(shown)), key=lambda i: _last_if_unknown(shown.shares[i]))[: given.top or None]
    rows = [
        {
            "value": estimate.labels[i],
            "share": _finite(float(shown.shares[i])),
            "standard_error": _finite(float(estimate.standard_errors[i])),
            "low": _finite(float(low[i])),
            "high": _finite(float(high[i])),
        }
        for i in order
    ]
    if given.json:
        terminal.emit(about | {"postprocess": given.postprocess, "estimates": rows})
        return
    table = [
        (
            r["value"],
            _percent(r["share"]),
            _percent(r["standard_error"]),
            f"{_percent(r['low'])} … {_percent(r['high'])}",
        )
        for r in rows
    ]
    columns = ("value", "share", "± error", f"{given.confidence:.0%} interval")
    title = f"{len(rows)} of {len(shown)} shares, {given.postprocess}"
    terminal.show(terminal.table(columns, table, title=title, right=columns[1:3]))


def _last_if_unknown(share: float) -> float:
    return -share if _finite(share) is not None else float("inf")


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2%}"


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


# ---- files -----------------------------------------------------------------------------------------------------------


def _read(path: Path, count: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise InvalidParameter("file", f"cannot be read ({error.strerror})", str(path)) from None


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(size):
            yield piece


def _lines(path: Path) -> list[str]:
    try:
        return _read(path).decode().splitlines()
    except UnicodeDecodeError:
        raise InvalidParameter("file", "must be text in UTF-8", str(path)) from None


def _output(given: argparse.Namespace) -> Path:
    if given.output is None:
        raise InvalidParameter("--output", "is needed: reports are bytes", None)
    output.refuse_existing(given.output, force=given.force)
    return Path(given.output)


def _protocol(path: Path) -> "Protocol":
    from sfumato.local import from_json

    return from_json(_read(path))


def _values(protocol: "Protocol", lines: list[str]) -> Any:
    """Lines as what the protocol's devices hold; a line that does not fit is refused without being shown."""
    import numpy as np

    domain = getattr(protocol, "domain", None)
    try:
        if protocol.holds == "numbers":
            return np.array([float(line) for line in lines])
        if isinstance(domain, int):
            if getattr(protocol, "length", 1) > 1:
                return [[int(item) for item in line.split()] for line in lines]
            return np.array([int(line) for line in lines], dtype=np.int64)
    except ValueError:
        raise InvalidParameter("values", "must be numbers, found", "another line") from None
    return (
        [line.split() for line in lines]
        if getattr(protocol, "length", 1) > 1 and protocol.kind == "condensed"
        else lines
    )
