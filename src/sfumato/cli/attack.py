"""`sfumato attack`: the lessons, each an attack that runs against an unprotected answerer and against Sfumato."""

import argparse
from pathlib import Path

from sfumato.attacks.lesson import Lesson, Result
from sfumato.attacks.lessons import LESSONS, lesson
from sfumato.attacks.pages import page
from sfumato.attacks.picture import bars, draw
from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.errors import InvalidParameter


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the lesson and what becomes of it."""
    parser.add_argument("lesson", nargs="?", help="a lesson's name; without one they are listed")
    parser.add_argument("--picture", type=Path, help="write the figure here, as SVG")
    parser.add_argument(
        "--pages", type=Path, help="write a page and a figure of the lesson, or of all, into this folder"
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")


def run(arguments: argparse.Namespace) -> Exit:
    """Run one lesson, or list them all."""
    chosen = None if arguments.lesson is None else lesson(arguments.lesson)
    if arguments.pages is not None:
        for known in terminal.progress(LESSONS if chosen is None else (chosen,), "lessons"):
            _write(known, known.run(None), arguments.pages)
        return Exit.DONE
    if chosen is None:
        return _list(arguments)
    if arguments.picture is not None and arguments.picture.suffix != ".svg":
        hint = "a browser opens the SVG and prints it as PDF"
        raise InvalidParameter("picture", "must end in .svg", str(arguments.picture), hint=hint)
    terminal.say(f"running {chosen.name} …")
    result = chosen.run(None)
    if arguments.json:
        terminal.emit({"lesson": chosen.name, **result.to_json()})
    else:
        _show(chosen, result)
    if arguments.picture is not None:
        arguments.picture.write_bytes(draw(chosen, result))
        terminal.say(f"the figure is in {arguments.picture}")
    return Exit.DONE


def _list(arguments: argparse.Namespace) -> Exit:
    if arguments.json:
        terminal.emit([{"name": known.name, "title": known.title, "source": known.source} for known in LESSONS])
    else:
        terminal.show(terminal.table(["lesson", "title"], [(known.name, known.title) for known in LESSONS]))
        terminal.say("sfumato attack <lesson> runs one")
    return Exit.DONE


def _show(chosen: Lesson, result: Result) -> None:
    for text in (chosen.title, chosen.story, f"Success: {result.success}.", bars(result)):
        terminal.show(f"{text}\n")
    for remark in result.remarks:
        terminal.show(f"- {remark}")
    terminal.show(f"\n{chosen.defence}")


def _write(chosen: Lesson, result: Result, folder: Path) -> None:
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    (images / f"{chosen.name}.svg").write_bytes(draw(chosen, result))
    (folder / f"{chosen.name}.md").write_text(page(chosen, result, f"images/{chosen.name}.svg"), encoding="utf-8")
