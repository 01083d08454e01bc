"""How far off answers are at one price: ours and six peers', every question on three tables at two ε.

An error is that of the noise alone, against what the tool itself would answer without it. Ours: the question is priced and
the exact table computed once; then noise is drawn and answers are made 2 000 times or more, by the functions that make a release.
Peers get tables that are bounded already (5 rows a group, 3 groups a person), so their own cutting changes nothing, and
run in venvs of their own; where the law of a peer's noise is known it is computed or drawn from, else the peer draws.
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sfumato
from accuracy_tables import CACHE, TABLES, data, declaration
from report import Row, publish
from sfumato.curator import Session
from sfumato.curator.noise import add_noise
from sfumato.curator.pricing import price_question
from sfumato.query import PricedQuery
from sfumato.query.postprocess import post_process
from sfumato.query.priced import NoisyCells
from sfumato.query.quantiles import PricedQuantile

HERE = Path(__file__).parent
VENVS = HERE.parent / ".venv-bench"
DELTA = "1e-6"
EPSILONS = ("0.1", "1")
DRAWS, MOST_DRAWS, PATIENCE = 2000, 20_000, 6.0
"""Draws of ours: the first number at least, the second at most, and no more than these seconds of processor time in between."""
TOP = 10
LIMIT = 600.0
"""Seconds after which a peer's process is ended; what it found until then counts."""


class Asked(NamedTuple):
    """A question: what is selected, what follows the table, and what its outputs are called."""

    select: str
    rest: str = ""
    outputs: tuple[str, ...] = ("",)
    goal: float = 1.05
    quantile: float | None = None


QUESTIONS = {
    "COUNT(*)": Asked("COUNT(*)"),
    "COUNT(DISTINCT person)": Asked("COUNT(DISTINCT id)"),
    "SUM WHERE": Asked("SUM(amount)", " WHERE ward < 4"),
    "AVG [0,200]": Asked("AVG(amount)", goal=0.78),
    "AVG [10000,11000]": Asked("AVG(y)", goal=0.78),
    "VARIANCE": Asked("VARIANCE(amount)", goal=0.5),
    "MEDIAN": Asked("MEDIAN(amount)", goal=1.2, quantile=0.5),
    "QUANTILE 0.9": Asked("QUANTILE(amount, 0.9)", goal=1.2, quantile=0.9),
    "8 public groups": Asked(
        "ward, COUNT(*), SUM(amount), AVG(amount)", " GROUP BY ward", ("COUNT", "SUM", "AVG"), goal=0.78
    ),
    "unknown keys": Asked("key, COUNT(*)", " GROUP BY key", ("COUNT of the top 10",)),
}
PEERS = {
    "OpenDP": "opendp", "PipelineDP": "pipelinedp", "PyDP": "pydp", "SmartNoise SQL": "smartnoise", "Qrlew": "qrlew",
    "Tumult Analytics": "tumult",
}  # fmt: skip


# ---- ours ----


class Ours(NamedTuple):
    """A priced question and its exact table."""

    query: PricedQuery
    exact: Any


def priced(session: Session, text: str, epsilon: str, delta: str | None, *, bar: bool = True) -> Ours:
    """The question at its price and its exact table; without `bar` all of ε is for a quantile's value."""
    query = price_question(session._desk, text, epsilon=epsilon, delta=delta, bar=None if bar else 0)
    return Ours(query, session.curator._engine.aggregate(query))


def draws(ours: Ours, n: int) -> Iterator[list[list[Any]]]:
    """So many releases, each a list of rows of bars; up to ten times as many while that is quick."""
    end, drawn = time.process_time() + PATIENCE, 0
    while drawn < n or (drawn < MOST_DRAWS and time.process_time() < end):
        drawn += 1
        keys, noisy = add_noise(ours.query, ours.exact)
        yield post_process(ours.query, keys, noisy, Fraction(5, 100))


def truth(ours: Ours) -> list[list[Any]]:
    """The same without noise; of keys that are not public, all that there are."""
    query, exact = ours
    groups = query.question.groups
    keys = list(exact.keys) if groups is None else [tuple(group) for group in groups]
    at = {key: i for i, key in enumerate(exact.keys)}
    cells: list[list[Any]] = [[] for _ in keys]
    for each in query.priced:
        for row, key in zip(cells, keys, strict=True):
            if isinstance(each, PricedQuantile):
                row.append([true_quantile(*exact.values[each.columns[0]][key], float(each.q))] * 3)
                continue
            columns = [
                int(exact.columns[place][at[key]]) if place in exact.columns else int(exact.people[at[key]]) << each.bits
                for place in each.columns
            ] if key in at else [0] * len(each.columns)  # fmt: skip
            row.extend(each.of(columns) if isinstance(each, NoisyCells) else columns)
    return post_process(query, keys, cells, Fraction(5, 100))


def true_quantile(values: Any, weights: Any, q: float) -> int:
    """The least value that q of all weight is at or below."""
    return int(values[np.searchsorted(np.cumsum(weights), q * np.sum(weights))])


def off_in_ranks(ours: Ours, q: float, values: list[float]) -> float:
    """The root mean square, in rows, of how far q of all rows is from what is below and at each value."""
    ((held, weights),) = next(iter(ours.exact.values.values())).values()
    below = np.concatenate([[0], np.cumsum(weights)])
    chosen = np.array(values)
    low, high = (below[np.searchsorted(held, chosen, side=side)] for side in ("left", "right"))  # type: ignore[call-overload]
    aim = q * below[-1]
    rows = next(each.bits for each in ours.query.priced if isinstance(each, PricedQuantile))
    return float(np.sqrt(np.mean(np.maximum(0, np.maximum(low - aim, aim - high)) ** 2))) / 2**rows


class Output(NamedTuple):
    """What was drawn of an output: its errors and its bars, pooled over groups."""

    errors: Any
    low: Any
    high: Any
    truth: Any
    whole: bool
    missing: int

    @property
    def rmse(self) -> float:
        """The root mean square of errors."""
        return float(np.sqrt(np.mean(self.errors**2)))

    @property
    def unsure(self) -> float:
        """The standard error of the root mean square, relative."""
        squares = self.errors**2
        return float(np.std(squares) / (2 * np.mean(squares) * math.sqrt(len(squares)))) if squares.any() else 0.0

    def coverage(self, less: int = 0) -> float:
        """The share of bars, made shorter at both ends, that hold the truth."""
        return float(np.mean((self.low + less <= self.truth) & (self.truth <= self.high - less)))

    @property
    def at_level(self) -> bool:
        """Whether bars cover 95 % and not more than 97 %, but where a bar of whole numbers one shorter covers less."""
        return self.coverage() >= 0.945 and (self.coverage() <= 0.97 or (self.whole and self.coverage(1) < 0.95))


class Found(NamedTuple):
    """Of a question on a table at an ε."""

    outputs: dict[str, Output]
    keys: float | None = None
    ranks: float | None = None


def found(session: Session, table: str, asked: Asked, epsilon: str) -> Found:
    """Our errors and bars, and the rank error of a quantile that has all of ε."""
    text = f"SELECT {asked.select} FROM {table}{asked.rest}"
    keyed = asked.select.startswith("key")
    ours = priced(session, text, epsilon, DELTA if keyed else None)
    exact = truth(ours)
    if keyed:
        exact = sorted(exact, key=lambda row: -row[1].value)[:TOP]
    first = 1 if asked.rest.startswith(" GROUP") else 0  # after the key
    known = {row[0].value if first else 0: row for row in exact}
    known.pop(None, None)  # nobody is in the group of NULL
    seen: dict[Any, list[list[Any]]] = {key: [] for key in known}
    shown = []
    for rows in draws(ours, DRAWS):
        shown.append(len(rows))
        for row in rows:
            key = row[0].value if first else 0
            if key in seen:
                seen[key].append(row)
    # Where a key is often hidden, the errors that can be seen are not those of the noise
    often = {key: rows for key, rows in seen.items() if len(rows) >= 0.99 * len(shown)}
    outputs = {}
    for i, name in enumerate(asked.outputs, start=first):
        bars = [
            (row[i].value, row[i].low, row[i].high, known[key][i].value) for key, rows in often.items() for row in rows
        ]
        if bars:
            outputs[name] = pool(bars)
    ranks = None
    if asked.quantile is not None:
        whole = priced(session, text, epsilon, None, bar=False)
        ranks = off_in_ranks(whole, asked.quantile, [rows[0][0].value for rows in draws(whole, DRAWS)])
    return Found(outputs, sum(shown) / len(shown) if keyed else None, ranks)


def pool(drawn: list[tuple[Any, ...]]) -> Output:
    """Of values, ends of bars and truths; what is NULL is counted."""
    there = [each for each in drawn if None not in each]
    value, low, high, true = (np.array(each, dtype=float) for each in zip(*there, strict=True))
    whole = all(isinstance(each[0], int) and isinstance(each[3], int) for each in there)
    return Output(value - true, low, high, true, whole, len(drawn) - len(there))


def all_ours() -> dict[tuple[str, str, str], Found]:
    made = {}
    for table in TABLES:
        with (
            tempfile.TemporaryDirectory() as folder,
            sfumato.open(declaration(table), ledger=Path(folder) / "spent.ledger") as session,
        ):
            for name, asked in QUESTIONS.items():
                for epsilon in EPSILONS:
                    print(f"… {name}, {table}, ε = {epsilon}", file=sys.stderr)
                    made[name, table, epsilon] = found(session, table, asked, epsilon)
    return made


# ---- the peers ----


def peer(name: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """What a peer's script found by question, table and ε."""
    print(f"… {name}", file=sys.stderr)
    python = VENVS / PEERS[name] / "bin/python"
    if not (VENVS / PEERS[name] / "ready").exists():
        return {at: {"cannot": "could not be installed"} for at in asked_of_all()}
    command = [str(python), str(HERE / "peers" / f"accuracy_{PEERS[name]}.py"), str(CACHE / "facts.json")]
    try:
        text = subprocess.run(
            [*command, str(LIMIT - 60)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT, check=False
        ).stdout
    except subprocess.TimeoutExpired as ended:
        text = ended.stdout or b""
    made: dict[tuple[str, str, str], dict[str, Any]] = {at: {"cannot": "gave no answer"} for at in asked_of_all()}
    for line in map(json.loads, text.decode().splitlines()):
        made[line["question"], line["table"], line["epsilon"]] = line
    return made


def asked_of_all() -> list[tuple[str, str, str]]:
    return [(name, table, epsilon) for name in QUESTIONS for table in TABLES for epsilon in EPSILONS]


# ---- the table ----


def against(figure: str, ours: float, unsure: float, theirs: dict[str, tuple[float, str]], goal: float) -> list[Row]:
    """Ours beside every peer's, the best first and with the goal; below half a unit of ranks nothing is told apart."""
    least = 0.5 if figure.startswith("ranks") else 0.0
    rows = []
    for name, (value, how) in sorted(theirs.items(), key=lambda each: each[1][0]):
        below, above = max(value, least), max(ours, least)
        ratio = above / below if below else None if above else 1.0
        best = not rows
        said = f"{name}, {how}; ours ± {100 * unsure:.1f} %" if unsure else f"{name}, {how}"
        rows.append(Row(figure, ours, value, said, ratio,
                        f"<= {goal:g}" if best else "", (ratio is not None and ratio <= goal) if best else None))  # fmt: skip
    return rows or [Row(figure, ours, None, "no peer", None, "", None)]


def how_known(line: dict[str, Any], unsure: float) -> str:
    return "its law" if line["law"] else f"± {100 * unsure:.1f} %"


def compared(
    at: tuple[str, str, str], ours: Found, peers: dict[str, dict[tuple[str, str, str], dict[str, Any]]]
) -> list[Row]:
    """RMSE against the peers', then bias, coverage and half-width of ours."""
    name, table, epsilon = at
    asked = QUESTIONS[name]
    lines = {each: lines[at] for each, lines in peers.items() if "outputs" in lines[at]}
    rows: list[Row] = []
    for output, drawn in ours.outputs.items():
        where = f"{name}{': ' if output else ''}{output}, {table}, ε = {epsilon}"
        theirs = {
            peer: (line["outputs"][output]["rmse"], how_known(line, line["outputs"][output]["unsure"]))
            for peer, line in lines.items()
            if output in line["outputs"]
        }
        judged = against(f"RMSE, {where}", drawn.rmse, drawn.unsure, theirs, asked.goal)
        # Quantiles are judged by ranks at an equal share; here a part of ours buys the bar
        rows += [replace(row, goal="", met=None) for row in judged] if asked.quantile else judged
        rows += [
            Row(f"RMSE, {where}", drawn.rmse, None, f"{peer}: {line[at]['cannot']}", None, "", None)
            for peer, line in peers.items()
            if "cannot" in line[at]
        ]
        best = min(theirs, key=lambda peer: theirs[peer][0], default="")
        bias = lines[best]["outputs"][output]["bias"] if best else None
        rows.append(Row(f"bias, {where}", float(np.mean(drawn.errors)), bias, best, None, "", None))
        rows.append(Row(f"coverage, {where}", drawn.coverage(), None, "", None, "95 to 97 %", drawn.at_level))
        needed = float(np.quantile(np.abs(drawn.errors), 0.95))
        half = float(np.median(drawn.high - drawn.low)) / 2
        wide = half / needed if needed else None
        rows.append(Row(f"half-width against needed, {where}", half, needed, "needed", wide, "", None))
        if drawn.missing:
            share = drawn.missing / (drawn.missing + len(drawn.errors))
            rows.append(Row(f"share that is NULL, {where}", share, None, "", None, "", None))
    where = f"{name}, {table}, ε = {epsilon}"
    if ours.ranks is not None:
        theirs = {peer: (line["ranks"], how_known(line, line["outputs"][""]["unsure"])) for peer, line in lines.items()}
        rows += against(f"ranks off, all of ε for the value, {where}", ours.ranks, 0.0, theirs, asked.goal)
    if ours.keys is not None:
        shown = {peer: line["keys"] for peer, line in lines.items()}
        for peer, keys in sorted(shown.items(), key=lambda each: -each[1]):
            best = keys == max(shown.values())
            ratio = ours.keys / keys if keys else None
            rows.append(Row(f"keys shown, {where}", ours.keys, keys, peer, ratio, ">= 0.95" if best else "",
                            (ratio is None or ratio >= 0.95) if best else None))  # fmt: skip
    return rows


def main() -> None:
    data()
    with ThreadPoolExecutor(2) as pool_of_two:  # nothing is timed here
        found_by = dict(zip(PEERS, pool_of_two.map(peer, PEERS), strict=True))
    ours = all_ours()
    rows = [row for at, each in ours.items() for row in compared(at, each, found_by)]
    publish("accuracy", rows)


if __name__ == "__main__":
    main()
