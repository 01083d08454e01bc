"""`sfumato demo`: a hospital's visits, questions that tell a story, and a budget that ends."""

import argparse
import os
import shlex
import shutil
import sys
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import sfumato
from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.curator import Release, Session, profile_page
from sfumato.curator.documents import DEMO, headed
from sfumato.demo import hospital
from sfumato.errors import BudgetExceeded, InvalidParameter


class Scene(NamedTuple):
    """One question of the story."""

    title: str
    sql: str
    epsilon: str


SCENES = (
    Scene("How busy are we?", "SELECT COUNT(*) AS visits FROM visits", "0.1"),
    Scene(
        "Which wards? Their names are public, so all are returned.",
        "SELECT ward, COUNT(*) AS visits, AVG(cost) AS mean_cost FROM visits WHERE ward IS NOT NULL GROUP BY ward "
        "ORDER BY visits DESC",
        "0.6",
    ),
    Scene("How old are our patients?", "SELECT AVG(age) AS mean_age, STDDEV(age) AS spread FROM patients", "0.2"),
    Scene("What does a typical visit cost?", "SELECT MEDIAN(cost) AS median_cost FROM visits WHERE days > 0", "0.5"),
    Scene(
        "Where do they live? Nobody listed the towns, so a town with one patient must not show.",
        "SELECT town, COUNT(DISTINCT patient) AS patients FROM patients GROUP BY town ORDER BY patients DESC LIMIT 5",
        "0.4",
    ),
)
ELDERLY = (
    "SELECT town, COUNT(DISTINCT patient) AS elderly FROM patients WHERE age >= 65 "
    "GROUP BY town ORDER BY elderly DESC LIMIT 5"
)
"""What a reader asks first: towns differ by far more than the noise."""
TARGET = hospital.PEOPLE  # the one patient of Anchiano
DIFFERENCE = (
    Scene("", "SELECT COUNT(*) AS patients FROM patients WHERE age = 57", "0.1"),
    Scene("", f"SELECT COUNT(*) AS patients FROM patients WHERE age = 57 AND patient <> {TARGET}", "0.1"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where the hospital's files go."""
    parser.add_argument("--folder", help="where to build the hospital, new or empty; by default ./sfumato-demo")
    parser.add_argument("--json", action="store_true", help="the answers as JSON Lines on stdout")


def run(arguments: argparse.Namespace) -> Exit:
    """Build the hospital, ask, try to cheat, and run out of budget."""
    folder = _folder(arguments.folder)
    with terminal.waiting("building a hospital of a million visits"):
        declaration = hospital.build(folder)
    with sfumato.open(declaration) as curator:
        told = _Told(curator, folder, json=arguments.json)
        told.say(
            f"A hospital that does not exist: {hospital.VISITS:,} visits of {hospital.PEOPLE:,} people, in {folder}/"
        )
        told.say("Answers are shown beside the truth because this is a demo; a curator never shows it.\n")
        for number, scene in enumerate(SCENES, 1):
            _ask(told, scene, number)
            if number == 1:
                _for_the_owner(told, declaration, scene.epsilon)
        _differencing(told, len(SCENES) + 1)
        _averaging(told)
        _the_end(told)
    told.say("\nNext:")
    for line in next_commands(folder):
        told.say(f"  {line}")
    return Exit.DONE


class _Told(NamedTuple):
    """The story as it is told: with its tables on stdout, or beside JSON on stderr."""

    curator: Session
    folder: Path
    json: bool

    def say(self, text: str) -> None:
        """A line of the story."""
        (terminal.say if self.json else terminal.show)(text)


def next_commands(folder: Path) -> list[str]:
    """What to type next: lines that work as they are printed, wherever this command is."""
    called = _called_from(folder)
    return [
        f"cd {shlex.quote(str(folder))}",
        f"{called} explain '{ELDERLY}' -e 0.5",
        f"{called} sql '{ELDERLY}' -e 0.5",
        f"{called} budget",
        f"{called} log --verify",
        f"{called} init patients.parquet visits.parquet -o -",
        f"{called} profile --by ward",
    ]


def _called_from(folder: Path) -> str:
    """How this command is called from a folder: by its name if a shell finds it, else by its place."""
    program = Path(sys.argv[0])
    found = shutil.which("sfumato")
    if program.name != "sfumato":  # python -m sfumato
        return f"{shlex.quote(sys.executable)} -m sfumato"
    if found is not None and Path(found).resolve() == program.resolve():
        return "sfumato"
    return shlex.quote(os.path.relpath(program, folder))


def _folder(given: str | None) -> Path:
    """A new or empty folder: nothing of anybody's is overwritten or removed."""
    if given:
        folder = Path(given)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            used = any(folder.iterdir())
        except OSError:
            raise InvalidParameter("folder", "cannot be made", given, hint="name another") from None
        if used:
            raise InvalidParameter("folder", "is not empty", given, hint="name a new one: nothing is overwritten")
        return folder
    for at in count(1):
        folder = Path("sfumato-demo" if at == 1 else f"sfumato-demo-{at}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError


def _ask(told: _Told, scene: Scene, number: int) -> None:
    told.say(f"{number}. {scene.title}")
    told.say(f"   {scene.sql}   -- ε = {scene.epsilon}")
    answer = told.curator.sql(scene.sql, epsilon=scene.epsilon)
    if told.json:
        terminal.emit(answer.to_json())
        return
    terminal.show(_beside(answer, hospital.truth(told.folder, scene.sql)))
    told.say(f"   {answer.footer()}")
    for note in answer.notes if number == 1 else ():
        told.say(f"   {note.text}")
    told.say("")


def _for_the_owner(told: _Told, declaration: Path, epsilon: str) -> None:
    """What the bound leaves out, which is exact: no session leads to it."""
    told.say("   How many visits of one patient should count? The owner alone may look (sfumato profile):")
    with terminal.waiting("reading all visits for their owner"):
        found = sfumato.profile(declaration, epsilon=epsilon)
    (trade,) = (table.trade for table in found.tables if table.trade is not None and not table.one_row_a_person)
    if told.json:
        return
    counts = profile_page.COUNTS
    terminal.show(terminal.table(counts, profile_page.count_cells(trade), right=counts[:-1]))
    told.say("")


def _beside(answer: Release, truth: list[tuple[Any, ...]]) -> Any:
    """The answer with the truth beside each number."""
    columns: list[str] = []
    numbers = [i for i in range(len(answer.columns)) if any(row[i].has_interval for row in answer.bars)]
    keys = [i for i in range(len(answer.columns)) if i not in numbers]
    exact = {tuple(row[i] for i in keys): row for row in truth}
    for i, name in enumerate(answer.columns):
        columns += [name, "truth"] if i in numbers else [name]
    rows = []
    for cells, bars in zip(answer.cells(), answer.bars, strict=True):
        known = exact.get(tuple(bars[i].value for i in keys))
        line: list[str] = []
        for i, cell in enumerate(cells):
            line.append(cell)
            if i in numbers:
                line.append("" if known is None else f"{known[i]:,.2f}".rstrip("0").rstrip("."))
        rows.append(line)
    return terminal.table(
        columns, rows, right=[name for name in columns if name not in {answer.columns[i] for i in keys}]
    )


def _differencing(told: _Told, number: int) -> None:
    told.say(f"{number}. A cheat: count everyone of age 57, then everyone but patient {TARGET}, and subtract.")
    values: list[int] = []
    exact: list[int] = []
    for scene in DIFFERENCE:
        answer = told.curator.sql(scene.sql, epsilon=scene.epsilon)
        values.append(int(answer.value))
        exact.append(int(hospital.truth(told.folder, scene.sql)[0][0]))
        if told.json:
            terminal.emit(answer.to_json())
    bar = told.curator.explain(DIFFERENCE[0].sql, epsilon=DIFFERENCE[0].epsilon).columns[0].error.figure
    told.say(f"   exactly: {exact[0]:,} - {exact[1]:,} = {exact[0] - exact[1]}: the patient is 57")
    told.say(f"   released: {values[0]:,} - {values[1]:,} = {values[0] - values[1]}, each ± {bar}: it says nothing\n")


def _averaging(told: _Told) -> None:
    told.say("   So ask the same thing a hundred times and average?")
    answers = [told.curator.sql(DIFFERENCE[0].sql, epsilon=DIFFERENCE[0].epsilon) for _ in range(100)]
    seen = {answer.value for answer in answers}
    charged = sum(not answer.repeated for answer in answers)
    told.say(f"   {len(answers)} times the same question: {len(seen)} answer, {charged} more charges\n")
    if told.json:
        terminal.emit({**headed(DEMO), "asked": len(answers), "different": len(seen)})


def _the_end(told: _Told) -> None:
    told.say("7. And when the budget ends:")
    question = "SELECT diagnosis, COUNT(*) AS visits FROM visits GROUP BY diagnosis"
    told.say(f"   {question}   -- ε = 1.5")
    try:
        told.curator.sql(question, epsilon="1.5")
    except BudgetExceeded as refusal:
        told.say(f"error: {refusal}")
