"""Curators that race for one budget and curators that are killed: `python tests/curator_torture.py race|kill …`.

Prints one line of JSON that says what was found; the suite runs it, shorter and at full length.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import clinic
import sfumato
from ledger_torture import drained, in_children
from sfumato.curator import Session
from sfumato.errors import BudgetExceeded
from sfumato.ledger import SqliteLedger

TENTH = Fraction(1, 10)


PATIENT = "\n[rules]\nfailures = 1000000\nfailures_per_analyst = 1000000\n"
"""Who is killed again and again is not stopped here."""


def opened(folder: Path) -> Session:
    return sfumato.open(folder / "clinic.toml", ledger=folder / "spent.ledger")


def spent(folder: Path) -> Fraction:
    with SqliteLedger(folder / "spent.ledger") as ledger:
        return ledger.balances("clinic")[0].spent


def text(name: str) -> str:
    return f"SELECT COUNT(*) AS n FROM visits WHERE note <> '{name}' AND day < 200"


def race(folder: Path, *, processes: int, questions: int, cap: str) -> dict[str, Any]:
    """Every process asks until the budget is over: the answers are as many as the budget pays for, to the unit."""
    clinic.declare(folder, epsilon=cap, delta="0", more=PATIENT)

    def work(number: int, outlet: int) -> None:
        answered = refused = 0
        with opened(folder) as curator:
            for i in range(questions):
                try:
                    curator.sql(text(f"{number}.{i}"), epsilon=TENTH)
                    answered += 1
                except BudgetExceeded:
                    refused += 1
        os.write(outlet, json.dumps([answered, refused]).encode())
        os.close(outlet)

    children = in_children(processes, work)
    found = [json.loads(drained(inlet)) for _, inlet in children]
    for pid, _ in children:
        os.waitpid(pid, 0)
    return {
        "answered": sum(a for a, _ in found),
        "refused": sum(r for _, r in found),
        "asked": processes * questions,
        "spent": str(spent(folder)),
        "cap": cap,
    }


def kill(folder: Path, *, times: int) -> dict[str, Any]:
    """A process that asks is killed at a random moment, again and again; then every answer it gave is looked up."""
    clinic.declare(folder, epsilon="100000", delta="0", more=PATIENT)
    chance, answers = random.Random(2026), {}
    died = 0
    for run in range(times):

        def work(number: int, outlet: int, run: int = run) -> None:
            with opened(folder) as curator:
                curator.sql(text(f"{run} first"), epsilon=TENTH)  # what a first question loads is not what is killed
                os.write(outlet, b"ready\n")
                for i in range(10_000):
                    name = f"{run}.{i}"
                    answer = curator.sql(text(name), epsilon=TENTH, key=name)
                    os.write(outlet, f"{name} {answer.value}\n".encode())  # the answer has left

        ((pid, inlet),) = in_children(1, work)
        while os.read(inlet, 1) != b"\n":
            pass
        time.sleep(chance.random() * 0.5)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        died += os.WIFSIGNALED(status)
        for line in drained(inlet).splitlines():
            name, value = line.split()
            answers[name] = int(value)
    return {"killed": died, **_looked_up(folder, answers, range(times))}


def _looked_up(folder: Path, answers: dict[str, int], first: range) -> dict[str, Any]:
    charged = spent(folder) / TENTH - len(first)
    wrong = charged_again = 0
    with opened(folder) as curator:
        for name, value in answers.items():
            again = curator.sql(text(name), epsilon=TENTH, key=name)
            wrong += again.value != value
            charged_again += not again.repeated
        curator._ledger.verify()
    return {
        "answered": len(answers),
        "charged": int(charged),
        "uncharged": max(0, len(answers) - int(charged)),
        "wrong": wrong,
        "charged_again": charged_again,
        "spent_by_looking": str(spent(folder) / TENTH - charged - len(first)),
    }


def built(folder: Path) -> None:
    """The files, made by a child: who forks must never have run an engine, whose threads and locks a fork would copy."""
    ((pid, inlet),) = in_children(1, lambda number, outlet: clinic.build(folder, users=100))
    drained(inlet)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("the files could not be made")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("race", "kill"))
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--questions", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        built(folder)
        if given.what == "race":
            found = race(folder, processes=8, questions=given.questions, cap="2.5")
        else:
            found = kill(folder, times=given.times)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
