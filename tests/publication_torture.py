"""Publications whose process is killed with SIGKILL: `python tests/publication_torture.py --kills 100`.

A child publishes and dies at the n-th of the moments below, or at any moment of the clock; then the ledger and the folder
are looked at, and another child goes on. Prints one line of JSON that says what was found.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import publications
from sfumato.ledger import SqliteLedger
from sfumato.synth import Publication
from sfumato.synth.publication.folder import MEASUREMENTS, STATEMENT

TABLE = "SFUMATO_TORTURE_TABLE"
"""Set to 1, a synthetic table is published, whose stages read one after the other."""


def moments(at: int | str) -> Callable[[], int]:
    """Kill this process at the n-th moment: before and after each of the calls that make something durable or read.

    `at` may also be the name of a call: then it is killed before it.
    """
    from sfumato.engines.duckdb.engine import DuckDBEngine
    from sfumato.ledger import Ledger
    from sfumato.synth.publication import building, measurements
    from sfumato.synth.publication.folder import PublicationFolder

    seen = 0

    def moment(name: str = "") -> None:
        nonlocal seen
        seen += 1
        if at in (seen, name or "nowhere"):
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(where: Any, name: str) -> None:
        honest = getattr(where, name)

        def call(*words: Any, **more: Any) -> Any:
            moment(name)
            found = honest(*words, **more)
            moment()
            return found

        setattr(where, name, call)

    for where, name in (
        (Ledger, "reserve"), (Ledger, "settle"), (DuckDBEngine, "contingency"), (PublicationFolder, "seal"),
        (PublicationFolder, "unseal"), (PublicationFolder, "write"), (measurements, "digest"), (building, "make_rows"),
        (building, "write_places"), (os, "fsync"), (os, "replace"),
    ):  # fmt: skip
        watched(where, name)
    return lambda: seen


def publish(folder: Path, out: Path, at: int | str, broken: str = "") -> None:
    """One attempt, in a process of its own."""
    if broken:
        BROKEN[broken]()
    seen = moments(at)
    with publications.curator_of(folder) as curator:
        table = os.environ.get(TABLE) == "1"
        plan = publications.TABLE if table else publications.PLAN
        curator.publish(plan, out=out, epsilon=1, delta="1e-6" if table else None)
    (folder / "moments").write_text(str(seen()), encoding="utf-8")


def _in_plain_sight() -> None:
    """A twin that writes measurements as they are before they are settled."""
    from sfumato.synth.publication.folder import PublicationFolder

    PublicationFolder.seal = PublicationFolder.unseal  # type: ignore[method-assign]
    setattr(sys.modules["sfumato.curator.publishing"], "sealed", lambda data: (data, bytes(32)))  # noqa: B010


def _measured_anew() -> None:
    """A twin that forgets what was settled: every attempt is a new publication in the same folder."""
    from sfumato.synth.publication import folder

    honest = folder._named

    def forgetful(place: Path, request: str) -> dict[str, Any]:
        return {**honest(place, request), "publication": uuid.uuid4().hex}

    folder._named = forgetful


BROKEN: dict[str, Callable[[], None]] = {
    "in plain sight": _in_plain_sight, "measured anew": _measured_anew,
}  # fmt: skip


def attempt(work: Callable[[], None], delay: float | None = None) -> bool:
    """Whether a child that did the work was killed; after a delay it is killed from here."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    if delay is not None:
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)  # one that has ended already is not reaped yet, and does not mind
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"an attempt failed with {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status)


def look(folder: Path, outs: list[Path], seen: dict[str, str]) -> None:
    """What must hold at any moment, whatever was killed."""
    with SqliteLedger(folder / "clinic.ledger") as ledger:
        entries = [entry.body for entry in ledger.entries()]
        ledger.verify()
        charged = ledger.balances("clinic")[0].spent
        settled = {
            body["key"]: json.loads(b"".join(ledger.stream(body["sequence"])))
            for body in entries
            if body["kind"] == "settle"
        }
    keys = [body["key"] for body in entries if body["kind"] == "reserve"]
    assert len(keys) == len(set(keys)) == charged <= len(outs), "each is charged once"
    assert len(settled) == sum(body["kind"] == "settle" for body in entries)
    for out in outs:
        name = json.loads((out / ".publication" / "name").read_bytes())["publication"] if (
            out / ".publication" / "name"
        ).exists() else ""  # fmt: skip
        stored = settled.get(f"publication {name}")
        if (out / MEASUREMENTS).exists():
            assert stored is not None, "nothing can be read that is not settled"
            digest = hashlib.sha256((out / MEASUREMENTS).read_bytes()).hexdigest()
            assert digest == stored["sha256"]
            assert seen.setdefault(out.name, digest) == digest, "the same measurements for ever"
        if (out / STATEMENT).exists():
            assert stored is not None
            Publication.open(out)


def kill_twin(broken: str) -> None:
    """One twin, killed before and after it is settled, and let go on: what must hold does not."""
    with tempfile.TemporaryDirectory() as place:
        folder, seen = Path(place), dict[str, str]()
        publications.clinic(folder, people=20, epsilon="1000", failures=10_000)
        for at in ("settle", "unseal", 0):
            attempt(lambda: publish(folder, folder / "release", at, broken))  # noqa: B023
            look(folder, [folder / "release"], seen)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="publish a synthetic table")
    parser.add_argument("--broken", choices=BROKEN, default="", help="a twin, killed once before it settles")
    asked = parser.parse_args()
    os.environ[TABLE] = str(int(asked.table))
    if asked.broken:
        kill_twin(asked.broken)
        return
    chance, kills, attempts = random.Random(asked.seed), 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        publications.clinic(folder, people=20, epsilon="1000", failures=10_000)
        attempt(lambda: publish(folder, folder / "release-0", 0))
        known = int((folder / "moments").read_text(encoding="utf-8"))
        outs, seen = [folder / "release-0"], dict[str, str]()
        look(folder, outs, seen)
        while kills < asked.kills:
            out = outs[-1]
            if (out / STATEMENT).exists():
                outs.append(out := folder / f"release-{len(outs)}")
            at, delay = chance.randint(1, known), chance.uniform(0.02, 0.5) if chance.random() < 0.3 else None
            target, moment = out, 0 if delay is not None else at
            killed = attempt(lambda: publish(folder, target, moment), delay)  # noqa: B023
            kills, attempts = kills + killed, attempts + 1
            look(folder, outs, seen)
        last = outs[-1]
        attempt(lambda: publish(folder, last, 0))
        look(folder, outs, seen)
        assert all((out / STATEMENT).exists() for out in outs)
    told = {"kills": kills, "attempts": attempts, "publications": len(outs), "moments": known}
    sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main()
