"""Prints what pip is to install to try one end of a range: `lowest` or `newest` of sqlglot and duckdb."""

import re
import sys
import tomllib
from pathlib import Path

TRIED = ("sqlglot", "duckdb")


def ranges() -> dict[str, str]:
    """The ranges of pyproject.toml, by name."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    named = (re.fullmatch(r"([a-z-]+)(>=.+)", each) for each in project["dependencies"])
    return {match[1]: match[2] for match in named if match and match[1] in TRIED}


def wanted(end: str) -> list[str]:
    """What to install: the lowest version itself, or whatever is newest in the range."""
    found = ranges()
    if end == "newest":
        return [f"{name}{found[name]}" for name in TRIED]
    return [f"{name}=={found[name].split(',')[0].removeprefix('>=')}" for name in TRIED]


if __name__ == "__main__":
    sys.stdout.write(" ".join(wanted(sys.argv[1])))
