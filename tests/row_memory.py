"""How much memory one row can make a question take, in a process of its own: `python row_memory.py guarded|broken met|unmet`.

One row of many meets the question's CASE or none does; prints the peak in megabytes. `broken` writes CONCAT without cuts,
as it was, and lets the question pass.
"""

import sys
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pyarrow as pa

from neighbours import priced
from sfumato.data import declared
from sfumato.engines import DuckDBEngine
from sfumato.query.functions import FUNCTIONS

ROWS = 5000


def question(operands: int, *, met: bool) -> str:
    text = "'" + "x" * 10_000 + "'"
    long = f"CASE WHEN p = {ROWS - 1 if met else ROWS} THEN {text} ELSE '' END AS v"
    return f"SELECT COUNT(*) FROM (SELECT p, {long} FROM t) q WHERE LENGTH(CONCAT({', '.join(['v'] * operands)})) > 3"


def peak() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def main(how: str, met: str) -> None:
    made = DuckDBEngine(declared({
        "budget": {"epsilon": "1"}, "unit": {"rows": True}, "defaults": {"threads": 1},
        "tables": {"t": {"source": pa.table({"p": list(range(ROWS))})}},
    }))  # fmt: skip
    operands = 25
    if how == "broken":
        operands = 250
        uncut = replace(FUNCTIONS["concat"], writes=lambda write, call: f"({' || '.join(write.operands(call))})")
        with (
            mock.patch.dict(FUNCTIONS, concat=uncut),
            mock.patch.object(sys.modules["sfumato.query.passes.within_work"], "refuse_too_much"),
            mock.patch("sfumato.query.rows._MOST_WRITTEN", 10**9),
        ):
            made.aggregate(priced(made, question(operands, met=met == "met")))
    else:
        made.aggregate(priced(made, question(operands, met=met == "met")))
    sys.stdout.write(f"{peak()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
