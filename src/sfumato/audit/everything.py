"""The whole audit: controls first, then every mechanism, exact laws, numeric leaks, sums, forks and time."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from sfumato import __version__
from sfumato.audit import numeric_specimens as numeric
from sfumato.audit.adversaries import play_all
from sfumato.audit.auditor import Finding, audit
from sfumato.audit.controls import checked
from sfumato.audit.game import GameFinding
from sfumato.audit.laws import LawFinding, exact_audit
from sfumato.audit.leaks import far_pairs, leaks
from sfumato.audit.own import ONE, OUR_MECHANISMS, AuditedMechanism, exact_targets
from sfumato.audit.pairs import Inputs, Pair
from sfumato.audit.processes import ForkFinding, TimingFinding, fork_test, timing_test
from sfumato.audit.sums import SumFinding, sum_sensitivity
from sfumato.audit.targets import Target, claim_of_event, one_by_one, target_of
from sfumato.errors import BrokenAudit
from sfumato.exact import BitSource
from sfumato.mechanisms import Geometric

Step = Callable[[str, int, int], None]
SOURCE = "sfumato.audit.own:OUR_MECHANISMS"


@dataclass(frozen=True, slots=True)
class Everything:
    """Every finding of one run, with the controls that were judged beside them."""

    version: str
    date: str
    controls: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    laws: tuple[LawFinding, ...]
    leaks: dict[str, Finding]
    leak_controls: dict[str, Finding]
    sums: dict[str, SumFinding]
    forks: dict[str, ForkFinding]
    timings: dict[str, TimingFinding]
    seconds: float
    games: tuple[GameFinding, ...] = ()
    game_controls: tuple[GameFinding, ...] = ()

    @property
    def convicted(self) -> tuple[str, ...]:
        """The names of whatever of ours was convicted."""
        named: list[tuple[str, Any]] = [
            *((f.name, f) for f in self.findings),
            *((f.name, f) for f in self.laws),
            *((f.name, f) for f in self.games),
            *self.leaks.items(),
            *((name, f) for name, f in self.sums.items() if not name.startswith("control")),
            *((name, f) for name, f in self.forks.items() if not name.startswith("control")),
        ]
        return tuple(name for name, finding in named if finding.convicted)


def load(source: str) -> tuple[AuditedMechanism, ...]:
    """The targets that a room names as `module:attribute`."""
    module, attribute = source.split(":")
    found: tuple[AuditedMechanism, ...] = getattr(import_module(module), attribute)
    return found


def _one(source: str, name: str, seconds: float) -> Finding:
    """One target in a process of its own."""
    own = next(own for own in load(source) if own.name == name)
    return audit(own.target(), seconds=seconds)


def _silent(_name: str, _done: int, _total: int) -> None:
    """Nobody is looking."""


def _findings(sources: Sequence[str], seconds: float, workers: int) -> Iterator[Finding]:
    jobs = [(source, own.name, seconds) for source in sources for own in load(source)]
    if workers < 2:
        yield from (_one(*job) for job in jobs)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from (done.result() for done in as_completed([pool.submit(_one, *job) for job in jobs]))


def everything(
    *, sources: Sequence[str] = (SOURCE,), seconds: float = 8.0, workers: int = 2, step: Step | None = None
) -> Everything:
    """Audit all of it; refuses to report if a control comes out wrong."""
    started, say = time.perf_counter(), step or _silent
    order = [own.name for source in sources for own in load(source)]
    total = len(order) + 6
    say("controls", 0, total)
    controls = checked()
    leak_controls, forks, sums = _leak_controls(), _forks(), _sums()
    _must_differ(leak_controls, forks, sums)
    findings: list[Finding] = []
    for finding in _findings(sources, seconds, workers):
        findings.append(finding)
        say(finding.name, len(findings), total)
    say("exact laws", len(order) + 1, total)
    laws = tuple(_laws())
    say("numeric leaks", len(order) + 2, total)
    found_leaks = dict(_leaks())
    say("games", len(order) + 4, total)
    game_controls, games = play_all()
    say("time", len(order) + 5, total)
    timings = _timings()
    return Everything(
        version=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        controls=controls,
        findings=tuple(sorted(findings, key=lambda finding: order.index(finding.name))),
        laws=laws,
        leaks=found_leaks,
        leak_controls=leak_controls,
        sums=sums,
        forks=forks,
        timings=timings,
        seconds=time.perf_counter() - started,
        games=games,
        game_controls=game_controls,
    )


def _on_bits(mechanism: Any) -> Callable[[Any, BitSource], Any]:
    return lambda data, bits: mechanism.release(data, bits=bits)


def _laws() -> Iterator[LawFinding]:
    for name, (own, pair) in exact_targets().items():
        mechanism = own.make(Fraction(1))
        claim = claim_of_event(mechanism.event, own.delta)
        yield exact_audit(
            _on_bits(mechanism),
            pair,
            epsilon=claim.epsilon,
            delta=claim.delta,
            name=name,
        )


def _leaks(draws: int = 20_000) -> Iterator[tuple[str, Finding]]:
    for name in ("laplace-grid", "geometric", "gaussian-array"):
        own = next(own for own in OUR_MECHANISMS if own.name == name)
        target = own.target()
        for found in leaks(Target(name, target.draw, far_pairs(1), target.claim), draws=draws).values():
            yield found.name, found


def _leak_controls() -> dict[str, Finding]:
    """Naive float noise and unplaced answers, which must be convicted, and whole-numbered noise, which must not."""
    naive = target_of(numeric.naive_laplace(1.0), far_pairs(1), epsilon=1, name="control: float Laplace")
    steps = Geometric(epsilon=1, sensitivity=ONE)
    loose = Target(
        "control: unplaced answer",
        one_by_one(numeric.noise_off_the_lattice(steps)),
        (Pair(0.0, 0.5), Pair(3.0, 3.25)),
        claim_of_event(steps.event),
    )
    sound = Target("control: placed answer", one_by_one(steps.release), (Pair(0, 1),), claim_of_event(steps.event))
    return {
        "precision": leaks(naive)["precision"],
        "reachable outputs": leaks(loose)["reachable outputs"],
        "sound": leaks(sound)["reachable outputs"],
    }


def _must_differ(leak_controls: dict[str, Finding], forks: dict[str, ForkFinding], sums: dict[str, SumFinding]) -> None:
    caught: list[Any] = [leak_controls["precision"], leak_controls["reachable outputs"]]
    caught += [finding for found in (forks, sums) for name, finding in found.items() if name.startswith("control")]
    if leak_controls["sound"].convicted or not all(finding.convicted for finding in caught):
        raise BrokenAudit("the self-check of the leak tests failed, so nothing is reported")


def _forks() -> dict[str, ForkFinding]:
    found = {"control: a generator that a fork copies": fork_test(numeric.ClonedStream().release, 0.0)}
    for name in ("geometric", "laplace-grid", "discrete-gaussian"):
        own = next(own for own in OUR_MECHANISMS if own.name == name)
        found[name] = fork_test(own.make(Fraction(1, 1000)).release, 0)
    return found


def _sums() -> dict[str, SumFinding]:
    inputs = Inputs(lower=0, upper=100, sensitivity=100)
    large = Inputs(lower=0, upper=2**30, sensitivity=2**30)
    return {
        "control: a float sum": sum_sensitivity(numeric.float_sum, inputs),
        "control: a sum of 32 bits": sum_sensitivity(numeric.wrapping_sum, large),
        "sum on a grid": sum_sensitivity(numeric.fixed_point_sum(0, 100, Fraction(1, 1024)), inputs),
        "sum on a grid, large rows": sum_sensitivity(numeric.fixed_point_sum(0, 2**30, Fraction(1)), large),
    }


def _timings(draws: int = 4000) -> dict[str, TimingFinding]:
    found: dict[str, TimingFinding] = {}
    for name, pair in (
        ("geometric", Pair(0, 1)),
        ("laplace", Pair(0, 10**6)),
        ("report-noisy-max", Pair([0] * 4, [9] * 4)),
    ):
        own = next(own for own in OUR_MECHANISMS if own.name == name)
        found[name] = timing_test(own.make(Fraction(1)).release, pair, draws=draws)
    return found
