"""Publishing end to end: charged once and whole, measured once, written last, and answered without data or ledger."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import publications
import sfumato
from json_schema import faults
from publications import PLAN, WHOLE, curator_of, kinds, spent
from sfumato import Publication
from sfumato.accounting import from_json
from sfumato.curator import publishing
from sfumato.curator.documents import schema
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.errors import (
    BudgetExceeded,
    EngineFailed,
    InvalidDeclaration,
    InvalidParameter,
    InvalidQuestion,
    Locked,
    SfumatoError,
)
from sfumato.ledger import Ledger
from sfumato.synth.publication import building, folder, measurements, report

pytestmark = pytest.mark.slow


def contents(path: Path) -> dict[str, bytes]:
    """Every file that is for readers."""
    return {str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()
            and ".publication" not in each.parts}  # fmt: skip


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Publication]:
    place = tmp_path_factory.mktemp("clinic")
    with curator_of(place, people=4000) as curator:
        return place, curator.publish(PLAN, out=place / "release", epsilon=3)


# ---- price ----


def test_explaining_says_price_size_and_errors_and_costs_nothing(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        told = curator.explain_publication(PLAN, epsilon=1)
        assert (told.cost.epsilon, told.cost.delta) == (Fraction(1), Fraction(0))
        assert told.noise == ("geometric",)
        assert [each.cells for each in told.expected] == [12, 20, 15, 1]  # NULL is a value of each
        assert told.cells == 48
        assert told.rows_per_person == 2
        assert {round(each.standard_error, 2) for each in told.expected} == {round(2**0.5 * 2 * 4, 2)}
        assert not told.shortfalls
        assert spent(curator) == 0
        assert kinds(curator) == []
        document = json.loads(json.dumps(told.to_json()))
        assert document["affordable"]
        assert faults(document, schema()) == []


@pytest.mark.parametrize(("price", "noise"), [
    ({"epsilon": "0.5"}, "geometric"),
    ({"epsilon": 1, "delta": "1e-6"}, "geometric"),
    ({"rho": "0.1"}, "discrete_gaussian"),
])  # fmt: skip
def test_what_is_charged_is_the_event_of_the_statement(tmp_path: Path, price: dict[str, Any], noise: str) -> None:
    with curator_of(tmp_path) as curator:
        if "rho" in price:
            with pytest.raises(BudgetExceeded):  # the clinic's budget counts in ε, and nothing was charged
                curator.publish(PLAN, out=tmp_path / "release", **price)
            assert curator.explain_publication(PLAN, **price).noise == (noise,)
            assert spent(curator) == 0
            return
        made = curator.publish(PLAN, out=tmp_path / "release", **price)
        assert {part["noise"]["kind"] for part in made.statement["parts"]} == {noise}
        event = from_json(made.statement["event"])
        assert spent(curator) == event.pure() == made.epsilon == Fraction(str(price["epsilon"]))
        assert made.delta == event.pure_delta()


def test_many_tables_with_a_delta_get_normal_noise_and_one_converted_price(tmp_path: Path) -> None:
    """Twenty tables: composed as normal noise they cost less than one by one, and the ledger is charged ε and δ once."""
    plan = {**PLAN, "measure": [{"kind": "marginals", "all": 1}] * 7}
    with curator_of(tmp_path) as curator:
        pure, both = (curator.explain_publication(plan, epsilon=1, **more) for more in ({}, {"delta": "1e-6"}))
        assert both.noise == ("gaussian",)
        assert both.expected[0].standard_error < pure.expected[0].standard_error
        made = curator.publish(plan, out=tmp_path / "release", epsilon=1, delta="1e-6")
        assert made.statement["event"]["kind"] == "converted"
        balance = curator.session().budget()[0]
        assert Fraction(999, 1000) < balance.spent <= 1
        assert balance.delta_spent == made.delta == Fraction(1, 10**6)


def test_a_budget_that_does_not_hold_it_refuses_and_nothing_is_left(tmp_path: Path) -> None:
    with curator_of(tmp_path, epsilon="0.5") as curator:
        with pytest.raises(BudgetExceeded):
            curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert curator.explain_publication(PLAN, epsilon=1).shortfalls
        assert spent(curator) == 0
        assert contents(tmp_path / "release") == {}
        with pytest.raises(InvalidParameter, match="no statement"):
            Publication.open(tmp_path / "release")


# ---- charged once ----


def test_published_again_it_is_what_is_there_and_costs_nothing(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        first = contents(tmp_path / "release")
        with mock.patch.object(publishing, "build", side_effect=AssertionError("nothing is to be done")):
            curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert spent(curator) == 1
        assert contents(tmp_path / "release") == first
        with pytest.raises(InvalidParameter, match="another plan, price or dataset"):
            curator.publish(PLAN, out=tmp_path / "release", epsilon=2)
        with pytest.raises(InvalidParameter, match="another plan, price or dataset"):
            curator.publish(WHOLE, out=tmp_path / "release", epsilon=1)
        assert spent(curator) == 1


def test_into_another_folder_it_is_another_release_with_other_noise(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        one, other = (curator.publish(PLAN, out=tmp_path / name, epsilon=1) for name in ("one", "other"))
        assert spent(curator) == 2
    assert any((a.counts != b.counts).any() for a, b in zip(one.tables, other.tables, strict=True))


def test_files_that_are_made_can_be_made_again_the_same(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        first = contents(tmp_path / "release")
        for name in first:
            if name != folder.MEASUREMENTS:
                (tmp_path / "release" / name).unlink()
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert contents(tmp_path / "release") == first
        assert spent(curator) == 1
        assert kinds(curator) == ["reserve", "settle"]


def interrupted(where: Any, name: str, *, after: bool) -> Any:
    """An interruption just before or after something is done, as Ctrl-C would be; a kill is tried by the torture."""
    honest = getattr(where, name)

    def stop(*words: Any, **more: Any) -> Any:
        if after:
            honest(*words, **more)
        raise KeyboardInterrupt

    return mock.patch.object(where, name, stop)


PLACES: dict[str, Callable[[], Any]] = {
    "before the charge": lambda: interrupted(Ledger, "reserve", after=False),
    "after the charge": lambda: interrupted(Ledger, "reserve", after=True),
    "before counting": lambda: interrupted(DuckDBEngine, "contingency", after=False),
    "after counting": lambda: interrupted(DuckDBEngine, "contingency", after=True),
    "before it is sealed": lambda: interrupted(folder.PublicationFolder, "seal", after=False),
    "after it is sealed": lambda: interrupted(folder.PublicationFolder, "seal", after=True),
    "before it is settled": lambda: interrupted(Ledger, "settle", after=False),
    "after it is settled": lambda: interrupted(Ledger, "settle", after=True),
    "before it is opened": lambda: interrupted(folder.PublicationFolder, "unseal", after=False),
    "after it is opened": lambda: interrupted(folder.PublicationFolder, "unseal", after=True),
    "while rows are made": lambda: interrupted(building, "make_rows", after=False),
    "before the report": lambda: interrupted(report, "page", after=False),
}


@pytest.mark.parametrize("place", PLACES)
def test_interrupted_anywhere_it_goes_on_and_is_charged_once(tmp_path: Path, place: str) -> None:
    out = tmp_path / "release"
    with curator_of(tmp_path) as curator:
        with PLACES[place](), pytest.raises(KeyboardInterrupt):
            curator.publish(PLAN, out=out, epsilon=1)
        settled = "settle" in kinds(curator)
        assert (out / folder.MEASUREMENTS).exists() <= settled, "what is not settled cannot be read"
        with pytest.raises(InvalidParameter):
            Publication.open(out)
    with curator_of(tmp_path) as curator:
        curator.publish(PLAN, out=out, epsilon=1)
        assert spent(curator) == 1
        assert kinds(curator).count("reserve") == kinds(curator).count("settle") == 1
        charged = place not in ("before the charge",)
        assert kinds(curator).count("resume") == (1 if charged and not settled else 0)


def test_what_was_measured_before_a_stop_is_what_is_published_after_it(tmp_path: Path) -> None:
    out, seen = tmp_path / "release", list[bytes]()
    with curator_of(tmp_path) as curator:
        honest = measurements.written

        def watched(*words: Any) -> bytes:
            seen.append(honest(*words))
            return seen[-1]

        with (
            mock.patch.object(publishing, "written", watched),
            interrupted(folder.PublicationFolder, "unseal", after=False),
            pytest.raises(KeyboardInterrupt),
        ):
            curator.publish(PLAN, out=out, epsilon=1)
        assert seen[0] not in {each.read_bytes() for each in out.rglob("*") if each.is_file()}
        with mock.patch.object(DuckDBEngine, "contingency", side_effect=AssertionError("read twice")):
            curator.publish(PLAN, out=out, epsilon=1)
    assert [(out / folder.MEASUREMENTS).read_bytes()] == seen


def test_a_failure_after_the_charge_is_one_error_and_can_be_gone_on_with(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        for problem in (RuntimeError("cell 17"), OSError(28, "No space left"), InvalidParameter("x", "is", 17)):
            broken = mock.patch.object(folder.PublicationFolder, "seal", side_effect=problem)
            with broken, pytest.raises(EngineFailed) as caught:
                curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
            assert "17" not in str(caught.value)
            assert "not made again" in str(caught.value)
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert spent(curator) == 1


def test_attempts_that_fail_again_and_again_are_stopped_until_the_owner_looked(tmp_path: Path) -> None:
    with curator_of(tmp_path, failures=2) as curator:
        broken = mock.patch.object(DuckDBEngine, "contingency", side_effect=RuntimeError)
        with broken as tried:
            for _ in range(3):
                with pytest.raises(EngineFailed):
                    curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
            with pytest.raises(Locked):
                curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
            assert tried.call_count == 3
        curator._ledger.unlock(dataset="clinic", reason="looked")
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert spent(curator) == 1


def test_data_that_changed_are_another_request(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator, PLACES["before it is settled"](), pytest.raises(KeyboardInterrupt):
        curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
    publications.clinic(tmp_path, people=41)
    sfumato.register(tmp_path / "clinic.toml")
    with curator_of(tmp_path) as curator:
        with pytest.raises(InvalidParameter, match="another plan, price or dataset"):
            curator.publish(PLAN, out=tmp_path / "release", epsilon=1)
        assert spent(curator) == 1


# ---- what others put there ----


def test_measurements_of_another_folder_are_refused(tmp_path: Path) -> None:
    with curator_of(tmp_path) as curator:
        for name in ("one", "other"):
            with PLACES["after it is settled"](), pytest.raises(KeyboardInterrupt):
                curator.publish(PLAN, out=tmp_path / name, epsilon=1)
        for name in ("sealed",):
            shutil.copy(tmp_path / "other" / ".publication" / name, tmp_path / "one" / ".publication" / name)
        with pytest.raises(EngineFailed, match="not those that were settled"):
            curator.publish(PLAN, out=tmp_path / "one", epsilon=1)
        curator.publish(PLAN, out=tmp_path / "other", epsilon=1)
        shutil.copy(tmp_path / "other" / folder.MEASUREMENTS, tmp_path / "one" / folder.MEASUREMENTS)
        with pytest.raises(EngineFailed, match="not those that were settled"):
            curator.publish(PLAN, out=tmp_path / "one", epsilon=1)
        assert spent(curator) == 2


def test_a_copied_folder_gives_no_second_set_of_measurements(tmp_path: Path) -> None:
    """Two processes that go on in copies of one folder: both may draw, and one key is ever told."""
    with curator_of(tmp_path) as curator:
        with PLACES["after the charge"](), pytest.raises(KeyboardInterrupt):
            curator.publish(PLAN, out=tmp_path / "one", epsilon=1)
        shutil.copytree(tmp_path / "one", tmp_path / "copy")
        curator.publish(PLAN, out=tmp_path / "one", epsilon=1)
        with pytest.raises(EngineFailed, match="missing"):
            curator.publish(PLAN, out=tmp_path / "copy", epsilon=1)
        assert spent(curator) == 1
        assert kinds(curator).count("settle") == 1


@pytest.mark.parametrize("name", ["measurements.bin", "tables.json", "rows.csv", "report.html", "metadata.json"])
def test_a_file_that_was_changed_is_noticed_at_opening(
    published: tuple[Path, Publication], tmp_path: Path, name: str
) -> None:
    out = tmp_path / "copy"
    shutil.copytree(published[0] / "release", out)
    Publication.open(out)
    changed = bytearray((out / name).read_bytes())
    changed[-2] ^= 1
    (out / name).write_bytes(bytes(changed))
    with pytest.raises(InvalidParameter, match="not the one that was published"):
        Publication.open(out)
    (out / name).unlink()
    with pytest.raises(InvalidParameter, match="not the one that was published"):
        Publication.open(out)


def test_a_folder_of_somebody_else_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    with curator_of(tmp_path) as curator:
        for out in (tmp_path / "mine", tmp_path / "mine" / "notes.txt"):
            with pytest.raises(InvalidParameter, match="out"):
                curator.publish(PLAN, out=out, epsilon=1)
        assert spent(curator) == 0
    assert list((tmp_path / "mine").iterdir()) == [tmp_path / "mine" / "notes.txt"]


# ---- answers without data ----


def test_without_source_and_ledger_it_still_answers(published: tuple[Path, Publication], tmp_path: Path) -> None:
    out = tmp_path / "elsewhere"
    shutil.copytree(published[0] / "release", out)
    with mock.patch("sfumato.engines.open_engine", side_effect=AssertionError), mock.patch(
        "sfumato.ledger.SqliteLedger.__init__", side_effect=AssertionError
    ):  # fmt: skip
        made = Publication.open(out)
        everybody = made.count()
        assert abs(everybody.value - 8000) < 200, "two rows of each of 4000 people count"
        assert everybody.low is not None
        assert everybody.high is not None
        assert everybody.low < everybody.value < everybody.high
        women = made.count({"sex": "F", "ward": ["oncology", "surgery"]})
        assert women.is_bounded
        assert abs(women.value - 8000 / 3) < 300
        wards = made.marginal("ward")
        assert [values for values, _ in wards] == [(ward,) for ward in (*publications.WARDS, None)]
        assert sum(each.value for _, each in wards) == pytest.approx(everybody.value, abs=300)


def test_what_was_not_measured_is_refused_or_counted_in_rows_without_a_bound(
    published: tuple[Path, Publication],
) -> None:
    _, made = published
    three = {"ward": "surgery", "sex": "M", "age": 1}
    with pytest.raises(InvalidQuestion, match="no measured table holds ward × sex × age") as caught:
        made.count(three)
    assert "rows=True" in str(caught.value)
    of_rows = made.count(three, rows=True)
    assert not of_rows.is_bounded
    assert (of_rows.low, of_rows.high, of_rows.standard_error) == (None, None, None)
    assert "without any bound" in str(of_rows)
    with pytest.raises(InvalidQuestion):
        made.marginal("ward", "sex", "age")


@pytest.mark.parametrize(("wanted", "match"), [
    ({"word": "surgery"}, "no column `word`"),
    ({"ward": "Surgery"}, "has no value 'Surgery'"),
    ({"age": True}, "has no value True"),
    ({"age": [1, 9]}, "has no value 9"),
    ("ward", "columns and values"),
])  # fmt: skip
def test_a_bad_question_gets_one_clear_error(published: tuple[Path, Publication], wanted: Any, match: str) -> None:
    with pytest.raises(InvalidQuestion, match=match) as caught:
        published[1].count(wanted)
    assert caught.value.hint


def test_with_every_source_and_the_ledger_deleted_it_answers_counts_marginals_queries_and_sql(tmp_path: Path) -> None:
    """Really deleted: nothing is left of the clinic but the folder, which is moved away first."""
    ask = [{"name": "surgery", "where": "ward = 'surgery'"}, {"name": "young", "where": "age < 2 AND NOT sex = 'M'"}]
    queries = {"kind": "queries", "rounds": 2, "ask": ask, "prefixes": "age"}
    drawn = {"kind": "queries", "by": "small_database", "records": 6, "ask": [{"name": "old", "where": "age = 3"}]}
    plan = {**PLAN, "measure": [*PLAN["measure"], queries, drawn]}
    place = tmp_path / "clinic"
    place.mkdir()
    with curator_of(place, people=4000) as curator:
        receipt = curator.publish(plan, out=place / "release", epsilon=20).receipt
        assert spent(curator) == 20
    (place / "release").rename(tmp_path / "release")
    assert {"visits.csv", "clinic.toml", "clinic.ledger"} <= {each.name for each in place.iterdir()}
    shutil.rmtree(place)
    assert [each.name for each in tmp_path.iterdir()] == ["release"]
    made = Publication.open(tmp_path / "release")
    assert made.receipt == receipt
    assert abs(made.count({"ward": "surgery"}).value - 8000 / 3) < 300
    assert abs(sum(each.value for _, each in made.marginal("ward", "sex")) - 8000) < 300
    columns, lines = made.sql("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex")
    assert columns == ("sex", "n")
    assert abs(sum(count for _, count in lines) - 8000) < 300
    assert made.queries == ("surgery", "young", *(f"age <= {age}" for age in range(4)), "old")
    for name in made.queries:
        found = made.query(name)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high
    assert (tmp_path / "release" / "queries.csv").read_text(encoding="utf-8").count("\n") == 8
    assert "What was asked" in (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    with pytest.raises(InvalidQuestion, match="no query `surgry` was published"):
        made.query("surgry")


def test_ranges_are_counted_by_few_nodes_where_that_is_less(tmp_path: Path) -> None:
    plan = {**PLAN, "rows": "", "measure": [{"kind": "ranges", "of": "age", "branching": 2}]}
    with curator_of(tmp_path, people=2000) as curator:
        made = curator.publish(plan, out=tmp_path / "release", epsilon=2)
        assert spent(curator) == 2
    found = made.count({"age": range(4)})
    assert found.tables == ("ranges of age",)
    assert abs(found.value - 4000) < 200
    assert made.count({"age": 2}).is_bounded
    steps = made.cdf("age")
    assert [values for values, _ in steps] == [(0,), (1,), (2,), (3,)]
    assert all(each.low is not None and each.high is not None for _, each in steps)
    assert [each.value for _, each in steps] == pytest.approx([1000, 2000, 3000, 4000], abs=300)
    median = made.quantile("age", 0.6)
    assert (median.value, median.low, median.high) == (2, 2, 2)
    assert str(median) == "2 (2 to 2, 95 %)"
    with pytest.raises(InvalidQuestion, match="no ranges of `ward`"):
        made.quantile("ward", 0.5)
    with pytest.raises(InvalidParameter, match="q must"):
        made.quantile("age", 1.5)
    assert made.rows is None
    with pytest.raises(InvalidQuestion, match="no rows were published"):
        made.sql("SELECT 1")


def test_its_rows_are_asked_with_sql_for_nothing(published: tuple[Path, Publication], tmp_path: Path) -> None:
    """The source and the ledger are gone: what is left is the folder."""
    shutil.copytree(published[0] / "release", tmp_path / "release")
    made = Publication.open(tmp_path / "release")
    columns, lines = made.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward")
    assert columns == ("ward", "n")
    assert sum(count for _, count in lines) == made.statement["rows"]["number"]
    for refused in ("DROP TABLE visits", "SELECT 1; SELECT 2", "COPY visits TO 'x.csv'", "SELECT * FROM 'rows.csv'",
                    "SELECT * FROM read_csv('/etc/passwd')", "SELECT word FROM visits", "ATTACH 'x.db'"):  # fmt: skip
        with pytest.raises(InvalidQuestion):
            made.sql(refused)


def test_its_rows_are_a_public_table_of_another_dataset(published: tuple[Path, Publication], tmp_path: Path) -> None:
    """Declared by the lines of `table.toml`, its values are known to that curator for nothing, as any public table's."""
    out = tmp_path / "release"
    shutil.copytree(published[0] / "release", out)
    (out / "people.csv").write_text("person,ward\n" + "".join(f"{i},surgery\n" for i in range(50)), encoding="utf-8")
    lines = (out / "table.toml").read_text(encoding="utf-8").replace("[tables.visits]", "[tables.invented]")
    text = f"""[budget]\nepsilon = "10"\n[unit]\nperson = "people.person"\n[tables.people]\nsource = "people.csv"\n
[tables.people.columns]\nperson.type = "integer"\n{lines}"""
    (out / "public.toml").write_text(text, encoding="utf-8")
    with sfumato.open(out / "public.toml") as session:
        found = session.curator._engine.values("invented", "ward")
        assert found is not None
        assert set(publications.WARDS) <= set(found)
        assert session.budget()[0].spent == 0
        asked = session.sql("SELECT COUNT(*) AS n FROM invented")
        assert asked.value == published[1].statement["rows"]["number"]
        assert asked.cost.is_free
        assert session.budget()[0].spent == 0


def test_the_statement_says_who_is_protected_and_what_was_spent(published: tuple[Path, Publication]) -> None:
    place, made = published
    said = json.loads((place / "release" / "privacy.json").read_text(encoding="utf-8"))
    assert (said["format"], said["version"]) == ("sfumato/publication", 1)
    assert said["unit"] == "visits.person"
    assert said["neighbours"] == "add or remove one person"
    assert said["epsilon"] == {"number": 3.0, "exact": "3"}
    assert said["plan"]["columns"] == ["ward", "sex", "age"]
    assert said["versions"]["sfumato"] == sfumato.__version__
    assert set(said["files"]) == set(contents(place / "release")) - {"privacy.json"}
    assert repr(made).startswith("<publication visits")
    with curator_of(place) as curator:
        (entry,) = [body for _, body in curator.session().log() if body["kind"] == "settle"]
        assert made.receipt.startswith(f"{entry['sequence']}-")
        stored = curator._ledger.stream(entry["sequence"])
        assert json.loads(b"".join(stored))["sha256"] == said["measured"]
        with pytest.raises(SfumatoError, match="settled a publication"):
            curator.session().recall(made.receipt)


def test_metadata_and_tables_are_as_others_read_them(published: tuple[Path, Publication]) -> None:
    out = published[0] / "release"
    meta = json.loads((out / "metadata.json").read_text(encoding="utf-8"))
    columns = meta["tables"]["visits"]["columns"]
    assert {name: about["sdtype"] for name, about in columns.items()} == {
        "ward": "categorical", "sex": "categorical", "age": "numerical",
    }  # fmt: skip
    index = json.loads((out / "tables.json").read_text(encoding="utf-8"))["tables"]
    assert [each["columns"] for each in index] == [["ward", "sex"], ["ward", "age"], ["sex", "age"], []]
    lines = (out / index[0]["file"]).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "ward,sex,count,standard_error,low,high"
    assert len(lines) == 1 + 12
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "ε = 3" in page
    assert "<script" not in page


# ---- broken plans ----


@pytest.mark.parametrize(("change", "match"), [
    ({"columns": ["ward", "word"]}, "word"),
    ({"from": "visit"}, "visit"),
    ({"where": "age <"}, "SQL"),
    ({"columns": ["person"], "measure": [{"kind": "total"}]}, "person"),
    ({"measure": [{"kind": "marginals", "of": [["ward", "word"]]}]}, "word"),
])  # fmt: skip
def test_a_bad_plan_gets_one_clear_error_and_costs_nothing(tmp_path: Path, change: dict[str, Any], match: str) -> None:
    with curator_of(tmp_path) as curator:
        with pytest.raises((InvalidQuestion, InvalidDeclaration), match=match) as caught:
            curator.publish({**PLAN, **change}, out=tmp_path / "release", epsilon=1)
        assert caught.value.hint
        assert spent(curator) == 0
        assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("price", [{}, {"epsilon": 1, "rho": 1}, {"epsilon": 0}, {"epsilon": "one"}, {"epsilon": 1, "delta": 1},
                                   {"rho": 1, "delta": "1e-6"}, {"epsilon": "1e-9"}])  # fmt: skip
def test_a_bad_price_is_refused_before_anything_is_made(tmp_path: Path, price: dict[str, Any]) -> None:
    with curator_of(tmp_path) as curator:
        with pytest.raises(InvalidParameter):
            curator.publish(PLAN, out=tmp_path / "release", **price)
        assert not (tmp_path / "release").exists()


def test_progress_is_told_and_a_pace_is_kept(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    with curator_of(tmp_path) as curator:
        curator.publish(
            PLAN, out=tmp_path / "release", epsilon=1, progress=lambda what, share: told.append((what, share))
        )
    assert [what for what, _ in told][:2] == ["measuring", "measured"]
    assert [share for _, share in told] == sorted(share for _, share in told)
    assert told[-1] == ("published", 1.0)
    assert np.isfinite([share for _, share in told]).all()
