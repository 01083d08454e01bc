"""What a person sees: tables and JSON on stdout, messages and progress on stderr."""

import io
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, track
from rich.table import Table

from sfumato.core.printing import for_terminal, json_text
from sfumato.errors import SfumatoError

T = TypeVar("T")


def _out() -> Console:
    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)


def _err() -> Console:
    sys.stdout.flush()  # what was shown before stays before, where both go to one place
    return Console(file=sys.stderr, highlight=False, soft_wrap=True, emoji=False)


def _safe(text: object, *, lines: bool = False) -> str:
    """A text that is shown as it is: no markup of rich's, no character that moves a terminal."""
    return escape(for_terminal(str(text), lines=lines))


def prepare() -> None:
    """A terminal that knows few characters shows the others by their numbers, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(message: str) -> None:
    """A message to the person, on stderr, as plain text."""
    _err().print(_safe(message, lines=True))


def complain(error: SfumatoError) -> None:
    """An error and its hint, on stderr."""
    console = _err()
    console.print(f"[bold red]error:[/] {_safe(error.problem, lines=True)}")
    if error.hint:
        console.print(f"\n[cyan]hint:[/] {_safe(error.hint, lines=True)}")


def show(renderable: Any) -> None:
    """Text, a table or another rich object, on stdout; text is plain."""
    _out().print(_safe(renderable, lines=True) if isinstance(renderable, str) else renderable)


def emit(value: Any) -> None:
    """One JSON document on stdout."""
    text = json_text(value)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text(value, ascii_only=True)
    sys.stdout.write(f"{text}\n")


def write(text: str) -> None:
    """A text on stdout exactly as it is: it has been escaped for where it goes."""
    sys.stdout.write(text)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "", right: Iterable[str] = ()
) -> Table:
    """A table of plain text; the columns named in `right` are aligned as numbers are."""
    made, numbers = Table(title=_safe(title) or None, title_justify="left"), set(right)
    for column in columns:
        made.add_column(_safe(column), justify="right" if column in numbers else "left")
    for row in rows:
        made.add_row(*(_safe(cell) for cell in row))
    return made


def facts(pairs: Mapping[str, object]) -> Table:
    """Names and values in two columns without lines."""
    made = Table.grid(padding=(0, 2))
    for name, value in pairs.items():
        made.add_row(f"[dim]{_safe(name)}[/]", _safe(value, lines=True))
    return made


def progress(items: Iterable[T], what: str, total: float | None = None) -> Iterator[T]:
    """The items, with a bar on stderr if a person is looking."""
    return iter(
        track(
            items,
            description=_safe(what),
            total=total,
            console=_err(),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
    )


def waiting(what: str) -> AbstractContextManager[object]:
    """A sign on stderr that something takes its time, if a person is looking."""
    return _err().status(_safe(what)) if sys.stderr.isatty() else nullcontext()


@contextmanager
def bar(what: str) -> Generator[Callable[[float], None]]:
    """A bar on stderr if a person is looking; what is given is called with the share that is done."""
    with Progress(console=_err(), transient=True, disable=not sys.stderr.isatty()) as shown:
        task = shown.add_task(_safe(what), total=1.0)
        yield lambda share: shown.update(task, completed=share)


def close_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
