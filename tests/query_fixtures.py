"""Write the expected lines of fixtures anew: `python tests/query_fixtures.py price measured`. Read the difference."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import planned  # noqa: E402
from query.test_passes import PASSES  # noqa: E402
from sfumato.errors import InvalidQuestion  # noqa: E402


def anew(stem: str) -> str:
    """The fixture of a pass, with what its lines become now."""
    run, usual = PASSES[stem]
    lines, variant, expected = [], usual, False
    for line in (HERE / "query" / f"{stem}.sql").read_text(encoding="utf-8").splitlines():
        if expected:
            expected = False
            continue
        lines.append(line)
        said = re.fullmatch(r"-- (?:in (\w+): )?(.+)", line)
        if said is not None:
            variant = said[1] or usual
            continue
        try:
            lines.append(run(line, variant))
        except InvalidQuestion as error:
            lines.append(planned.refusal(error))
        expected = True
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for each in sys.argv[1:] or sorted(PASSES):
        (HERE / "query" / f"{each}.sql").write_text(anew(each), encoding="utf-8")
