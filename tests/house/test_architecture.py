"""ARCHITECTURE.md names every file, in the section of its room, and no file that is not there."""

import re
from pathlib import Path

import pytest

import sfumato

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "sfumato"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
ROOMS = [room for room in sfumato.ROOMS if (SOURCE / room).is_dir()]


def files(room: str) -> set[str]:
    """The files of a room, by their names: those of packages within it too."""
    return {path.name for path in (SOURCE / room).rglob("*.py") if path.name != "__init__.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_of_a_room_is_named_in_its_section(room: str) -> None:
    named = {Path(name).name for name in re.findall(r"`([\w/]+\.py)`", SECTIONS[room])}
    assert files(room) - named == set()
    everywhere = {path.name for path in ROOT.rglob("*.py") if ".venv" not in path.parts}
    assert named - everywhere == set()


def test_the_drawing_of_rooms_is_the_layers() -> None:
    drawn = re.search(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert drawn is not None
    names = [re.findall(r"\w+", re.split(r"  +", line.strip())[0]) for line in drawn[1].splitlines()]
    layers = re.search(
        r"^layers = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert layers is not None
    assert names == [re.findall(r"\w+", line) for line in layers[1].splitlines()]


def test_it_stays_short() -> None:
    assert len(TEXT.splitlines()) <= 480
