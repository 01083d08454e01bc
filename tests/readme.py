"""The README as something to follow: its commands, in order, with what they are said to show."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


class Step(NamedTuple):
    """A command, and what the page shows after it."""

    command: str
    shown: str


def steps() -> list[Step]:
    """Every command of every console block, from the top."""
    blocks = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    return [
        Step(command, shown)
        for block in blocks
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE)
    ]


def shape(text: str) -> str:
    """A text without its noise: digits, receipts, runs of lines and of spaces."""
    text = re.sub(r"receipt \S+", "receipt", re.sub(r"[━─┏┓┡┩┳╇┴└┘]+", "─", text))
    text = re.sub(r"\d[\d.,]*(e-\d+)?", "#", re.sub(r" +", " ", text)).strip()
    return re.sub(r"± #|\[# #\]", "bar", text)
