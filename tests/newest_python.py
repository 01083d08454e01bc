"""Prints the newest CPython that is installed, if it is newer than the one that runs this; else nothing.

Looked for on the PATH and, as shims there may lead nowhere, asked for its version.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

NAME = re.compile(r"python3\.(\d+)")


def candidates(folders: Iterable[str]) -> list[tuple[int, str]]:
    """Minor version and path of every `python3.N` in the folders, the newest first; the first of a version counts."""
    found: dict[int, str] = {}
    for folder in folders:
        for path in sorted(Path(folder).glob("python3.*")) if folder else []:
            named = NAME.fullmatch(path.name)
            if named and os.access(path, os.X_OK):
                found.setdefault(int(named[1]), str(path))
    return sorted(found.items(), reverse=True)


def answers(path: str, minor: int) -> str | None:
    """The interpreter itself, if it is there, is of this version and can make a venv."""
    code = "import ensurepip, sys, venv; print(*sys.version_info[:2], sys.executable)"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False, env=_free_to_choose(minor))
    words = done.stdout.split(maxsplit=2)
    return words[2].strip() if done.returncode == 0 and words[:2] == ["3", str(minor)] else None


def _free_to_choose(minor: int) -> dict[str, str]:
    """The environment in which a shim may choose any version that is installed."""
    installed = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/3.{minor}.*"))
    return os.environ | ({"PYENV_VERSION": installed[-1].name} if installed else {})


def newest(folders: Iterable[str], than: int) -> str | None:
    """The newest interpreter above a minor version that answers."""
    for minor, path in candidates(folders):
        if minor > than and (executable := answers(path, minor)):
            return executable
    return None


if __name__ == "__main__":
    sys.stdout.write(newest(os.environ.get("PATH", "").split(os.pathsep), sys.version_info.minor) or "")
