"""Files that commands write: whole or not at all, never over another without a word, and refused before a charge."""

import argparse
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from sfumato.errors import InvalidParameter

_FORMS = {".csv": "csv", ".json": "json"}


def refuse_existing(path: Path, *, force: bool, option: str = "--output") -> None:
    """Refuse a name that is taken, unless whoever asks has said that it may be written over."""
    try:
        path.exists()
    except OSError as error:  # such as a name that is too long
        problem = f"cannot be a file ({error.strerror})"
        raise InvalidParameter(option, problem, str(path)[:60], hint="choose another name") from None
    if path.exists() and not path.is_file():  # a folder, a device, a pipe: none of them may be put aside
        raise InvalidParameter(option, "is not a file", str(path), hint="choose another name")
    if path.exists() and not force:
        raise InvalidParameter(option, "exists already", str(path), hint="choose another name, or --force")
    if not path.parent.is_dir():
        raise InvalidParameter(option, "is in no folder that is there", str(path), hint="make its folder first")
    if not os.access(path.parent, os.W_OK):
        raise InvalidParameter(option, "is in a folder that cannot be written", str(path), hint="choose another")


@contextmanager
def whole_file(path: Path, *, private: bool = False, option: str = "--output") -> Generator[IO[bytes]]:
    """A file that appears under its name when all of it is written, and not at all if something fails.

    A `private` one can be read by its owner alone.
    """
    part = None
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            yield file
        if not private:
            _as_usual(part)
        os.replace(part, path)
    except OSError as error:
        raise InvalidParameter(option, f"cannot be written ({error.strerror})", str(path)) from None
    finally:
        with suppress(OSError):
            if part is not None:
                os.unlink(part)


def _as_usual(part: str) -> None:
    """The rights that a new file of this user has; a temporary one has fewer."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(part, 0o666 & ~mask)


def write(path: Path, data: bytes, *, force: bool, private: bool = False, option: str = "--output") -> None:
    """Write a file, whole or not at all."""
    refuse_existing(path, force=force, option=option)
    with whole_file(path, private=private, option=option) as file:
        file.write(data)


# ---- of answers ----


def arguments(parser: argparse.ArgumentParser) -> None:
    """How an answer is written, and where."""
    parser.add_argument("--csv", action="store_true", help="CSV on stdout, the ends of error bars as columns")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a .csv or .json file instead of stdout"
    )
    parser.add_argument("--force", action="store_true", help="with --output: write over an existing file")


def check(arguments: argparse.Namespace) -> None:
    """Refuse what could not be written, while nothing is charged yet."""
    if getattr(arguments, "csv", False) and arguments.json:
        raise InvalidParameter("--csv", "and --json are two forms, and one is written", "both", hint="leave one out")
    path: Path | None = getattr(arguments, "output", None)
    if path is not None:
        form_of(arguments)
        refuse_existing(path, force=arguments.force)


def form_of(arguments: argparse.Namespace) -> str:
    """`csv`, `json` or `table`: as it is said, or as the file is called."""
    said = "csv" if arguments.csv else "json" if arguments.json else ""
    if arguments.output is None:
        return said or "table"
    found = said or _FORMS.get(arguments.output.suffix.lower(), "")
    if not found:
        raise InvalidParameter(
            "--output", "must end in .csv or .json", str(arguments.output), hint="or say which it is: --csv, --json"
        )
    return found
