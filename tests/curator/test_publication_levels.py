"""A hierarchy from rows to files: levels are whole and consistent, a restart goes on where it was, the same bytes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

import censuses
from sfumato.errors import InvalidParameter
from sfumato.synth import Publication
from sfumato.synth.publication import level_files
from sfumato.synth.publication.folder import STATEMENT, PublicationFolder
from sfumato.synth.publication.level_fit import LevelFit
from sfumato.synth.publication.measurements import digest_of_file

PARENT = {"state": "1", "county": "state", "tract": "county", "block": "tract"}


def found(text: str) -> Any:
    """What plain SQL finds in published files."""
    return duckdb.sql(text)


def published(folder: Path, plan: Any = censuses.PLAN, *, epsilon: Any = 5, **about: Any) -> Publication:
    with censuses.curator_of(folder, **about) as curator:
        return curator.publish(plan, out=folder / "release", epsilon=epsilon)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file that anybody may have."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".publication" not in path.parts
    }


def levels_of(folder: Path) -> dict[str, NDArray[np.int64]]:
    """The fitted counts of every level, by its name."""
    told = json.loads((folder / "tables.json").read_bytes())["levels"]
    return {
        each["level"]: np.asarray(found(f"SELECT count FROM '{folder / each['file']}'").fetchnumpy()["count"])
        for each in told
    }


def summed(folder: Path, low: str, high: str) -> list[tuple[Any, ...]]:
    """The finest level added up by a level above it, and what differs of that level's own file."""
    told = {each["level"]: each["file"] for each in json.loads((folder / "tables.json").read_bytes())["levels"]}
    tree = f"SELECT DISTINCT {low}, {high} AS above FROM '{folder / 'levels/01-tree.parquet'}'"
    below = f"SELECT above, sex, sum(count) AS n FROM '{folder / told[low]}' JOIN ({tree}) USING ({low}) GROUP BY ALL"
    own = f"SELECT {'1' if high == '1' else high} AS above, sex, count AS n FROM '{folder / told['all rows' if high == '1' else high]}'"
    lines: list[tuple[Any, ...]] = found(f"(({below}) EXCEPT ({own})) UNION ALL (({own}) EXCEPT ({below}))").fetchall()
    return lines


@pytest.mark.parametrize("plan", [censuses.PLAN, censuses.HELD], ids=["measured", "held to public counts"])
def test_every_level_adds_up_to_the_one_above_it(tmp_path: Path, plan: dict[str, Any]) -> None:
    published(tmp_path, plan)
    for low, high in PARENT.items():
        assert summed(tmp_path / "release", low, high) == []
    for level in levels_of(tmp_path / "release").values():
        assert int(level.min()) >= 0


def test_with_hardly_any_noise_the_truth_comes_back(tmp_path: Path) -> None:
    made = published(tmp_path, epsilon=900)
    for level, known in zip(levels_of(tmp_path / "release").values(), censuses.truth(), strict=True):
        assert level.tolist() == known.reshape(-1).tolist()
    assert made.count({"county": "Ash", "sex": "f"}).value == censuses.truth()[2][0, 0]
    assert made.count({"block": 3}).value == censuses.truth()[4][3].sum()
    assert made.count({"state": ["East", "West"]}).tables == ("state × sex",)


def test_weighted_rows_are_the_finest_level_without_its_empty_cells(tmp_path: Path) -> None:
    made = published(tmp_path)
    finest = levels_of(tmp_path / "release")["block"]
    assert made.rows is not None
    columns, lines = made.sql("SELECT * FROM census")
    assert columns == ("sex", "block", "count")
    assert len(lines) == np.count_nonzero(finest) == made.statement["rows"]["lines"]
    assert sum(line[2] for line in lines) == finest.sum() == made.statement["rows"]["number"]
    assert made.count({"sex": "f", "block": [1, 2]}, rows=True).value is not None
    assert not (tmp_path / "release/rows.csv").exists()
    assert set(made.kinds) == {"sex", "block", "state", "county", "tract"}


def test_weighted_rows_are_counted_with_their_weights(tmp_path: Path) -> None:
    """What no table holds is counted in the rows, each line as often as it stands for."""
    made = published(tmp_path)
    counted = made._in_rows({"sex": [0]}, 0.95).value
    assert counted == levels_of(tmp_path / "release")["block"].reshape(-1, 2)[:, 0].sum()


def test_noisy_measurements_stand_beside_with_their_standard_errors(tmp_path: Path) -> None:
    made = published(tmp_path)
    told = json.loads((tmp_path / "release/tables.json").read_bytes())
    assert [each["cells"] for each in told["tables"]] == [2, 4, 8, 10, 22]
    assert [each["standard_error"] for each in told["tables"]] == [table.standard_error for table in made.tables]
    assert (tmp_path / "release/measurements.bin").is_file()
    first = (tmp_path / "release" / told["tables"][2]["file"]).read_text(encoding="utf-8").splitlines()
    assert first[0] == "county,sex,count,standard_error,low,high"


def test_long_tables_are_parquet_with_the_same_numbers(tmp_path: Path) -> None:
    from sfumato.synth.publication import table_files

    made = published(tmp_path)
    table, release = made.tables[2], tmp_path / "release"
    file = json.loads((release / "tables.json").read_bytes())["tables"][2]["file"]
    folder = PublicationFolder(tmp_path / "long", "x", "y")
    folder.path.mkdir()
    settled: Any = mock.Mock(listed=lambda name: (made.kinds[name], made.columns[name]))
    with mock.patch.object(table_files, "MOST_LINES", 0):
        name = table_files.write_table(folder, 1, table, settled)
    assert name.endswith(".parquet")
    text = "SELECT county, sex, count, standard_error, count - bar AS low, count + bar AS high FROM"
    short = found(f"SELECT * FROM read_csv('{release / file}', header = true) ORDER BY ALL")
    assert found(f"{text} '{folder.path / name}' ORDER BY ALL").fetchall() == short.fetchall()


def test_public_counts_are_kept_and_said_to_be_unprotected(tmp_path: Path) -> None:
    made = published(tmp_path, censuses.HELD)
    levels = levels_of(tmp_path / "release")
    assert levels["state"].reshape(-1, 2).sum(axis=1).tolist() == censuses.truth()[1].sum(axis=1).tolist()
    assert levels["all rows"].sum() == 120
    assert [table.columns for table in made.tables] == [(each, "sex") for each in censuses.LEVELS]
    (part,) = made.statement["parts"]
    assert {name: part["invariant"][name] for name in ("level", "table", "count")} == censuses.INVARIANT
    assert "public by the owner" in (tmp_path / "release/report.html").read_text(encoding="utf-8")


def test_public_counts_without_cells_leave_their_level_unmeasured(tmp_path: Path) -> None:
    entry = {**censuses.HIERARCHY, "cells": [], "invariant": censuses.INVARIANT}
    plan = {**censuses.PLAN, "columns": ["block"], "measure": [entry]}
    made = published(tmp_path, plan)
    assert [table.columns for table in made.tables] == [("county",), ("tract",), ("block",)]
    assert levels_of(tmp_path / "release")["state"].tolist() == censuses.truth()[1].sum(axis=1).tolist()
    assert made.epsilon == Fraction(5)


def test_another_tree_is_another_publication(tmp_path: Path) -> None:
    """Public tables that were changed in between would fit the same measurements otherwise: refused, and not spent."""
    published(tmp_path)
    text = (tmp_path / "geography.csv").read_text(encoding="utf-8").replace("3,11,Ash", "3,12,Ash")
    (tmp_path / "geography.csv").write_text(text, encoding="utf-8")
    from sfumato.data import read_declaration
    from sfumato.engines.duckdb.engine import register

    register(read_declaration(tmp_path / "census.toml"))
    with pytest.raises(InvalidParameter, match="another plan, price or dataset"):
        published(tmp_path)


# ---- restarts ----


class Killed(BaseException):
    """As if the process had ended here."""


@contextmanager
def killed_before(depth: int) -> Iterator[list[int]]:
    """Every fit ends before it makes this level; the list tells which were made."""
    made, honest = list[int](), LevelFit.level

    def level(self: LevelFit, at: int, beside: Any) -> Any:
        if at == depth:
            raise Killed
        made.append(at)
        return honest(self, at, beside)

    with mock.patch.object(LevelFit, "level", level):
        yield made


def test_a_restart_makes_only_the_levels_that_are_missing_and_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "release"
    for depth in range(5):  # each attempt comes one level further
        with killed_before(depth) as made, pytest.raises(Killed):
            published(tmp_path)
        assert made == ([depth - 1] if depth else []), "what was finished is not made again"
        assert not (path / STATEMENT).exists()
        assert (path / "measurements.bin").exists()
    with (
        mock.patch(
            "sfumato.engines.duckdb.engine.DuckDBEngine.contingency", side_effect=AssertionError("measured again")
        ),
        killed_before(-1) as made,
    ):
        published(tmp_path)
    assert made == [4]
    first = bytes_of(path)
    for each in [*(path / "levels").iterdir(), path / STATEMENT]:
        each.unlink()
    published(tmp_path)
    assert bytes_of(path) == first, "the levels follow from the measurements alone"
    with censuses.curator_of(tmp_path) as curator:
        assert curator.session().budget()[0].spent == 5, "charged once"


def test_a_kill_while_a_level_is_written_leaves_no_half_of_it(tmp_path: Path) -> None:
    def torn(part: Path, *words: Any) -> None:
        part.write_bytes(b"PAR1")
        raise Killed

    with mock.patch.object(level_files, "write_counts", torn), pytest.raises(Killed):
        published(tmp_path)
    assert list((tmp_path / "release/levels").iterdir()) == []
    published(tmp_path)


def test_a_level_that_is_another_file_than_was_finished_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "release"
    published(tmp_path)
    first = bytes_of(path)
    (path / STATEMENT).unlink()
    county = path / "levels/01-02-county.parquet"
    found(f"COPY (SELECT * REPLACE (count + 1 AS count) FROM '{county}') TO '{tmp_path / 'other.parquet'}'")
    county.write_bytes((tmp_path / "other.parquet").read_bytes())
    with killed_before(-1) as made:
        published(tmp_path)
    assert made == [2]
    assert bytes_of(path) == first


def test_a_level_that_is_trusted_without_its_digest_is_noticed(tmp_path: Path) -> None:
    """The broken twin: whatever lies there is taken."""
    path = tmp_path / "release"
    published(tmp_path)
    (path / STATEMENT).unlink()
    county = path / "levels/01-02-county.parquet"
    found(f"COPY (SELECT * REPLACE (count + 1 AS count) FROM '{county}') TO '{tmp_path / 'other.parquet'}'")
    county.write_bytes((tmp_path / "other.parquet").read_bytes())
    noted = (path / ".publication" / "levels 01-02-county.parquet").read_text(encoding="utf-8")
    honest = digest_of_file

    def trusting(place: Path) -> str:
        return noted if place == county else honest(place)

    with mock.patch.object(level_files, "digest_of_file", trusting), pytest.raises(InvalidParameter):
        published(tmp_path)  # the statement names a digest that the file has not
