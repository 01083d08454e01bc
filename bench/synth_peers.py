"""Synthetic tables beside AIM and MST of three libraries: the same table, price and figures, each peer once and ours five times.

    make bench-synth-peers                       # a generated table of Adult's shape
    make bench-synth-peers DATA=path/adult.csv   # coded columns; path/adult-domain.json says how many values each has

AIM takes some 15 minutes of CPU, so this is not a part of `make bench`. Figures are of rows, as in bench/synth.py, and what is best of AIM is the best of
all of them at that figure. Ratios are theirs over ours. A peer that could not be installed, fails or takes too long is named with the reason.

A peer's rows and figures are kept in bench/tmp-synth by table, price and script, so that a run which was interrupted goes on; `make bench-synth-peers FRESH=1`
makes all of them again.
"""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from report import Row, publish
from synth import CACHE, DELTA, SEEDS, Data, adult, apart, judged

HERE = Path(__file__).parent
VENVS = HERE.parent / ".venv-bench"
EPSILON = 1.0
MOST_SECONDS, MOST_GIGABYTES = 1200, 12
"""The CPU and the memory that a peer may take before it is ended."""
PEERS = {
    "AIM on mbi (written here)": ("mbi", "AIM"),
    "MST on mbi (written here)": ("mbi", "MST"),
    "dpmm AIM": ("dpmm", "AIM"),
    "dpmm MST": ("dpmm", "MST"),
    "SmartNoise AIM": ("smartnoise_synth", "AIM"),
    "SmartNoise MST": ("smartnoise_synth", "MST"),
}
GOALS = {"2-way": 1.0, "3-way": 1.0, "CPU s": 100.0}
"""How many times ours the best AIM has to be at least."""


def written(data: Data) -> Path:
    """The table as files that every peer reads, in a folder of its own."""
    folder = CACHE / f"peers-{hashlib.sha256(repr(data.columns).encode() + data.codes.tobytes()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    header = ",".join(data.columns)
    np.savetxt(folder / "table.csv", data.codes.T, fmt="%d", delimiter=",", header=header, comments="")
    (folder / "table-domain.json").write_text(json.dumps(data.columns))
    return folder


def script(name: str) -> Path:
    return HERE / "peers" / (f"{name}.py" if name.endswith("_synth") else f"{name}_synth.py")


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_GIGABYTES << 30, MOST_GIGABYTES << 30))


def peer(name: str, method: str, folder: Path) -> tuple[dict[str, Any], Path]:
    """What a peer says of its rows or why there are none, and where they are."""
    told = script(name).read_text() + (HERE / "peers" / f"{name}.txt").read_text()
    key = hashlib.sha256(f"{told} {EPSILON} {DELTA} {MOST_SECONDS} {MOST_GIGABYTES}".encode()).hexdigest()[:16]
    out, figures = folder / f"{name}-{method}-{key}.csv", folder / f"{name}-{method}-{key}.json"
    if os.environ.get("FRESH") or not figures.exists():
        found = run(name, method, folder, out)
        figures.write_text(json.dumps(found))
    kept: dict[str, Any] = json.loads(figures.read_text())
    return kept, out


def run(name: str, method: str, folder: Path, out: Path) -> dict[str, Any]:
    files = [str(folder / "table.csv"), str(folder / "table-domain.json"), str(out)]
    command = [str(VENVS / name / "bin/python"), str(script(name)), method, *files, str(EPSILON), str(DELTA)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    said = subprocess.run(
        command, capture_output=True, text=True, check=False, env=inherited | threads, preexec_fn=limited
    )
    if said.returncode == -signal.SIGXCPU:
        return {"cannot": f"not done in {MOST_SECONDS:,} s of CPU"}
    if said.returncode or not said.stdout.strip():
        last = (said.stderr.strip().splitlines() or ["without a word"])[-1]
        return {"cannot": f"ended with {said.returncode} in {MOST_GIGABYTES} GB: {last[:160]}"}
    found: dict[str, Any] = json.loads(said.stdout.strip().splitlines()[-1])
    return found


def compared(name: str, method: str, data: Data, folder: Path) -> dict[str, Any]:
    """The figures of a peer, or why there are none."""
    if not (VENVS / name / "ready").exists():
        return {"cannot": "could not be installed"}
    figures, out = peer(name, method, folder)
    if "cannot" in figures:
        return figures
    made = np.ascontiguousarray(np.loadtxt(out, delimiter=",", skiprows=1, dtype=np.int32).T)
    sizes = np.array(list(data.columns.values()))
    if made.shape[0] != len(sizes) or made.min() < 0 or (made.max(axis=1) >= sizes).any():
        return {"cannot": "made rows that are not of the declared domain"}
    return judged(made, data, "") | figures


def ours() -> dict[str, float]:
    runs = [apart("adult", EPSILON) for _ in range(SEEDS)]
    return {key: (max if key == "peak MB" else np.mean)([run[key] for run in runs]) for key in runs[0]}


def less(figure: str, own: float, theirs: float, name: str, goal: float | None = None) -> Row:
    """A figure where less is better; the ratio is theirs over ours."""
    ratio = theirs / own
    met = None if goal is None else ratio >= goal
    return Row(figure, own, theirs, name, ratio, "" if goal is None else f">= {goal:g}", met)


def main() -> None:
    data = adult()
    title = f"{Path(os.environ['DATA']).stem if os.environ.get('DATA') else 'generated'}, ε = {EPSILON:g}"
    folder, found = written(data), dict[str, dict[str, Any]]()
    for name, (library, method) in PEERS.items():
        print(f"… {name}", file=sys.stderr, flush=True)
        found[name] = compared(library, method, data, folder)
        print(f"  {json.dumps(found[name])}", file=sys.stderr, flush=True)
    own = {key: float(value) for key, value in ours().items()}
    rows = list[Row]()
    for key, value in own.items():
        figure = f"{title}: {key}" + ("" if key == "peak MB" else f" (ours: mean of {SEEDS})")
        able = {name: figures[key] for name, figures in found.items() if "cannot" not in figures}
        rows += [less(figure, value, theirs, name) for name, theirs in able.items()]
        best = min((name for name in able if "AIM" in name), key=lambda name: able[name], default="")
        if key in GOALS and best:
            rows.append(less(f"{figure}, best AIM", value, able[best], best, GOALS[key]))
    for name, figures in found.items():
        if "cannot" in figures:
            rows.append(
                Row(f"{title}: 2-way", own["2-way"], None, f"{name}: cannot, {figures['cannot']}", None, "", None)
            )
    publish("synth_peers", rows)


if __name__ == "__main__":
    main()
