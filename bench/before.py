"""The questions of `bench/query.py` at another commit and here, in turns: what a change of the engine costs.

`make bench-before BEFORE=<commit>`; without a commit, the one before this. Processor time of the whole process, the
least of several turns.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import query
from report import Row, publish

ROOT = Path(__file__).parent.parent
SIZE, TURNS = 1_000_000, 7
MORE = {
    "GROUP BY whole numbers": "SELECT visited, COUNT(*) AS n FROM visits GROUP BY visited",
    "MEDIAN by whole numbers": "SELECT category, MEDIAN(amount) AS m FROM visits GROUP BY category",
    "COUNT(DISTINCT text)": "SELECT COUNT(DISTINCT city) AS n FROM visits",
    "GROUP BY text and whole numbers": "SELECT city, category, COUNT(*) AS n FROM visits GROUP BY city, category",
}
TEXT = ("GROUP BY unknown key", "COUNT(DISTINCT text)", "GROUP BY text and whole numbers")
WORKER = """
import json, sys, time, tempfile
from pathlib import Path
import sfumato
given = json.loads(sys.stdin.readline())
curators = {mode: sfumato.open(about, ledger=Path(tempfile.mkdtemp()) / "spent.ledger") for mode, about in given.items()}
print("open", flush=True)
for i, line in enumerate(sys.stdin):
    mode, text = json.loads(line)
    start = time.process_time()
    curators[mode].sql(text, epsilon=f"1.{i:06}", delta="1e-7")
    print(time.process_time() - start, flush=True)
"""


class Worker:
    """A process of one version that answers questions and says how long each took."""

    def __init__(self, source: Path, about: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(source)},
        )  # fmt: skip
        self._say(about)

    def _say(self, given: object) -> str:
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        into.write(json.dumps(given) + "\n")
        into.flush()
        return out.readline().strip()

    def seconds(self, mode: str, text: str) -> float:
        """Processor time of one question."""
        return float(self._say([mode, text]))

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(60)


def _cut_without_a_word(source: Path) -> bool:
    """Whether a version cut tables at registration wherever it was told `rows_per_person`."""
    return "materialise" not in (source / "sfumato/data/declaration.py").read_text(encoding="utf-8")


def _as_before(about: dict[str, Any]) -> dict[str, Any]:
    made = json.loads(json.dumps(about))
    for each in made.values():
        each["tables"]["visits"].pop("materialise", None)
    return made  # type: ignore[no-any-return]


def main(before: str) -> None:
    """Both versions side by side."""
    file = query.data(SIZE)
    about = {mode: query.declaration(mode, file) for mode in query.MODES}
    rows = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        packed = subprocess.run(["git", "archive", before, "src"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        older = _as_before(about) if _cut_without_a_word(Path(folder) / "src") else about
        here, there = Worker(ROOT / "src", about), Worker(Path(folder) / "src", older)
        stack.callback(here.close)
        stack.callback(there.close)
        for name, text in {**query.QUESTIONS, **MORE}.items():
            for mode, said in query.MODES.items():
                took = [(here.seconds(mode, text), there.seconds(mode, text)) for _ in range(TURNS)]
                ours, theirs = (min(each) for each in zip(*took, strict=True))
                goal = 1.6 if name in TEXT and mode != "row" else 1.2
                ratio = ours / theirs
                rows.append(Row(f"{name}, {said}", ours, theirs, before[:10], ratio, f"<= {goal:g}", ratio <= goal))
                print(f"… {name}, {said}: {ratio:.2f}", file=sys.stderr)
    publish("before", rows)


if __name__ == "__main__":
    main(os.environ.get("BEFORE") or "HEAD~1")
