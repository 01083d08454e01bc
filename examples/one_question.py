"""One question's way through the rooms: every file it enters, and how often it goes from one room to another.

    python examples/one_question.py

The way is what Python calls while the question is asked, after everything has been opened and a first question has
loaded what is loaded late.
"""

import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa

import sfumato

HERE = str(Path(sfumato.__file__).parent) + "/"
QUESTION = "SELECT ward, AVG(days) AS days FROM visits GROUP BY ward"


def place(frame: FrameType | None) -> str:
    """The file of a frame, from the package on; nothing for files of others."""
    name = "" if frame is None else frame.f_code.co_filename
    return name.removeprefix(HERE) if name.startswith(HERE) else ""


def asked() -> list[str]:
    """The files that one question goes through, in order, each named when it is entered from another."""
    visits = pa.table({
        "patient": [i % 500 for i in range(5000)],
        "ward": ["cardiology" if i % 3 else "surgery" for i in range(5000)],
        "days": [i % 30 for i in range(5000)],
    })  # fmt: skip
    about = {
        "budget": {"epsilon": "10"},
        "unit": {"person": "visits.patient"},
        "tables": {
            "visits": {
                "source": visits,
                "rows_per_person": 10,
                "columns": {"ward": {"values": ["cardiology", "surgery"]}, "days": {"lower": 0, "upper": 30}},
            }
        },
    }
    way: list[str] = []

    def called(frame: FrameType, event: str, _: Any) -> None:
        here = place(frame)
        if event == "call" and here and (not way or way[-1] != here):
            way.append(here)
        elif event == "return" and here:
            back = place(frame.f_back)
            if back and way[-1] != back:
                way.append(back)

    with tempfile.TemporaryDirectory() as folder, sfumato.open(about, ledger=Path(folder) / "ledger") as session:
        session.sql(QUESTION, epsilon="0.25")
        sys.setprofile(called)
        try:
            session.sql(QUESTION, epsilon="0.5")
        finally:
            sys.setprofile(None)
    return way


def main() -> None:
    """Print each file once, in the order of its first visit, and the number of changes of room."""
    way = asked()
    for name in dict.fromkeys(way):
        print(name)
    rooms = [name.split("/")[0] for name in way]
    changes = sum(one != other for one, other in pairwise(rooms))
    print(f"{len(dict.fromkeys(way))} files, {changes} changes of room")


if __name__ == "__main__":
    main()
