"""Tables cut at registration: cut once, kept privately, cut anew when data or declaration change."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration


def opened(folder: Path, rows: int = 2) -> Session:
    text = clinic.DECLARATION.format(epsilon="1000", delta="1e-3").replace(
        "groups_per_person = 3", f"groups_per_person = 3\nrows_per_person = {rows}\nmaterialise = true"
    )
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    return sfumato.open(folder / "clinic.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    clinic.build(tmp_path, users=1000, hostile=True)
    return tmp_path


def kept(folder: Path) -> list[Path]:
    """The tables that were cut; those that were only converted are beside them."""
    record = json.loads((folder / "clinic.registration").read_text(encoding="utf-8"))
    return [folder / table["cut"]["path"] for table in record["tables"].values() if table["cut"] is not None]


def test_a_table_is_cut_once_and_its_file_is_private(folder: Path) -> None:
    with opened(folder):
        first = [(path, path.stat().st_mtime_ns) for path in kept(folder)]
    assert len(first) == 1
    assert stat.S_IMODE(first[0][0].stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / ".sfumato").stat().st_mode) == 0o700
    with opened(folder) as again:
        assert [(path, path.stat().st_mtime_ns) for path in kept(folder)] == first
        told = again.explain("SELECT COUNT(*) FROM visits", epsilon=1)
        assert (told.bounding.kind, told.bounding.rows) == ("cut", 2)
        assert "at most 2 rows" in str(told)


def test_the_cut_holds_and_is_what_is_counted(folder: Path) -> None:
    with opened(folder) as curator:
        answer = curator.sql("SELECT COUNT(*) AS n FROM visits", epsilon=100)
    (exact,) = clinic.truth(
        folder,
        "SELECT sum(least(n, 2)) FROM (SELECT count(*) AS n FROM visits WHERE user_id IS NOT NULL GROUP BY user_id)",
    )[0]
    assert abs(answer.value - int(exact)) <= 2


def test_a_cut_that_fails_leaves_nothing_and_shows_nothing_of_the_engine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Views.cut

    def failing(self: Views, table: Any, most: int) -> str:
        return f"SELECT error('a cell: ' || note) FROM ({real(self, table, most)})"

    monkeypatch.setattr(Views, "cut", failing)
    with pytest.raises(InvalidDeclaration, match=r"\[tables.visits\] could not be prepared") as refused:
        opened(folder)
    assert "a cell" not in str(refused.value)
    assert list((folder / ".sfumato" / "clinic").glob("*.duckdb")) == []


def test_another_cut_or_other_data_make_another_file(folder: Path) -> None:
    with opened(folder):
        first = kept(folder)
    with opened(folder, rows=3):
        second = kept(folder)
    clinic.build(folder, users=900)
    sfumato.register(folder / "clinic.toml")
    with opened(folder, rows=3):
        third = kept(folder)
    assert len({*first, *second, *third}) == 3
    assert len(third) == 1
